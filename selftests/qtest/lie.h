/* SPDX-License-Identifier: GPL-2.0-only */
/* The card's property `hostile` */
#ifndef OCF_QTEST_LIE_H
#define OCF_QTEST_LIE_H

#include "card.h"

/* All that it can lie about */
extern const char *const card_lies[];
extern const unsigned int card_nr_lies;

/* From now on it tells these, joined by '+', or "none"; false if QEMU refuses. */
bool card_lie(struct card *c, const char *lies);

#endif
