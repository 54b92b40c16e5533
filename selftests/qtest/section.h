/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that a machine was saved to, and the card's part in it: docs/devel/migration of QEMU */
#ifndef OCF_QTEST_SECTION_H
#define OCF_QTEST_SECTION_H

#include "card.h"

/* The card's part is a section, from its type to the end of its footer. */
struct saved {
	uint8_t *bytes;
	long size;
	long head, begin, end, tail;	/* section, instance, footer, behind it */
};

/* Reads the file; 0 in head: the card is not in it. */
void saved_read(struct saved *s, const char *path);
void saved_free(struct saved *s);

/* A bit of everything is under way, on a card that was just started. */
void loaded_busy(struct card *c);
/* Everything is touched that goes by what was loaded. */
void loaded_use(struct card *c);
/* From reset on it is a card like any other; @round: a number for what is written. */
void loaded_works(struct card *c, long round);

#endif
