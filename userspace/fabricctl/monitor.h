/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * monitor: lines as they come
 *
 * monitor.c	the loop: reads events, notices when some were lost
 * monitor_event.c  an event as an object
 * monitor_state.c  a card as an object, for who missed what led there
 */
#ifndef FABRICCTL_MONITOR_H
#define FABRICCTL_MONITOR_H

#include "print.h"

/* The kind as a word; a kind that a newer kernel has is shown, too. */
struct json_object *event_object(struct ctl *ctl, const struct fab_attrs *attrs);

/* What the card is now; NULL when it cannot be read, which is printed. */
struct json_object *state_object(struct ctl *ctl, const struct card *card,
				 const char *reason, uint64_t missed);

#endif
