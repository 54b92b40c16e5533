/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The windows of a file while it is parsed: which there are, and which hold. */
#ifndef OCF_SCN_WINSET_H
#define OCF_SCN_WINSET_H

#include "scenario.h"

struct scn_winset {
	struct scn_winset_slot {
		struct ocf_scn_window w;
		bool used;	/* the window was seen */
		bool there;	/* and is in force */
	} *slot;
	uint32_t size;		/* a power of two, or 0 */
	uint32_t count;		/* distinct windows seen */
};

/* Both set w->id. False: no memory left. */
bool scn_winset_add(struct scn_winset *set, struct ocf_scn_window *w);
/* False: it is not there. */
bool scn_winset_del(struct scn_winset *set, struct ocf_scn_window *w);
void scn_winset_free(struct scn_winset *set);

#endif
