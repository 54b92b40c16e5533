/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statements on a card of the model. */
#ifndef OCF_SCN_APPLY_H
#define OCF_SCN_APPLY_H

#include "model.h"
#include "scenario.h"

/*
 * A configuration statement. The window table has a slot for each of the
 * file's distinct windows (scn->nr_windows).
 */
void ocf_scn_configure(struct ocf_config *cfg, const struct ocf_scn_stmt *st);

/* A fault statement; false when the card has no room for one more. */
bool ocf_scn_inject(struct ocf_card *card, const struct ocf_scn_stmt *st);

#endif
