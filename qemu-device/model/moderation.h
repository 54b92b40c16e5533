/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupt moderation of a completion queue: how many completions one
 * interrupt may tell of, and how long they may wait for it. What does not want
 * an interrupt (before the arm index, not the armed semaphore) is never seen
 * here.
 */
#ifndef OCF_MODERATION_H
#define OCF_MODERATION_H

#include <stdbool.h>
#include <stdint.h>

struct ocf_moderation {
	uint32_t burst;		/* completions, 1 to 65535 */
	uint32_t timer;		/* ns, 0 to OCFABRIC_TIMER_MAX */
	bool count;		/* prefer count to latency */

	bool told;		/* there has been an interrupt */
	uint32_t untold;	/* completions since that want one */
	uint64_t first;		/* cycle of the first of them */
	uint64_t last;		/* cycle of the last interrupt */
};

enum ocf_moderate {
	OCF_MODERATE_NOTHING,	/* nobody waits for an interrupt */
	OCF_MODERATE_NOW,
	OCF_MODERATE_LATER,	/* at cycle *due, if nothing happens before */
};

/* As after reset: latency mode, the interface's defaults. */
void ocf_moderation_reset(struct ocf_moderation *m);

/* Nothing waits, and nothing was told yet; the settings stay. */
void ocf_moderation_restart(struct ocf_moderation *m);

/* Settings; false, and nothing is changed, if they are none. */
bool ocf_moderation_set(struct ocf_moderation *m, uint32_t value);
bool ocf_moderation_set_timer(struct ocf_moderation *m, uint32_t ns);

/* The burst and the mode, as in their register. */
uint32_t ocf_moderation_get(const struct ocf_moderation *m);

/* So many completions more want an interrupt. */
void ocf_moderation_add(struct ocf_moderation *m, uint32_t n, uint64_t now);

enum ocf_moderate ocf_moderation_look(struct ocf_moderation *m, uint32_t mhz,
				      uint64_t now, uint64_t *due);

/* The interrupt was raised. */
void ocf_moderation_raised(struct ocf_moderation *m, uint64_t now);

bool ocf_moderation_valid(const struct ocf_moderation *m);

#endif
