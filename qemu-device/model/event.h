/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event ring: what the card tells the driver without being asked. */
#ifndef OCF_EVENT_H
#define OCF_EVENT_H

#include "linux/ocfabric_hw.h"

#include "host.h"

#define OCF_EVENT_SHIFT_MIN	4
#define OCF_EVENT_SHIFT_MAX	12

struct ocf_events {
	uint64_t base;
	uint32_t shift;		/* log2 of the entries; 0: off */
	uint32_t producer;	/* written, mod 2^32 */
	uint32_t consumer;	/* taken, mod 2^32 */
	uint32_t lost;		/* found the ring full */
	uint32_t seq;		/* of the next one, lost ones counted */
};

enum ocf_posted {
	OCF_POSTED,
	OCF_POST_OFF,		/* there is no ring */
	OCF_POST_LOST,		/* it is full */
	OCF_POST_FAILED,	/* host memory cannot be written */
};

/* Where the ring is; it starts again. False, and unchanged, if malformed. */
bool ocf_events_set_base(struct ocf_events *e, uint64_t base);
bool ocf_events_set_shift(struct ocf_events *e, uint32_t shift);

/* Of ev, type, link, cause, clock, a and b count. */
enum ocf_posted ocf_event_post(struct ocf_events *e, const struct ocf_host *host,
			       struct ocfabric_event ev);

/* Whether a ring that was loaded from outside can be used. */
bool ocf_events_valid(const struct ocf_events *e);

#endif
