/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupt moderation of a completion queue: how many completions one
 * interrupt may tell of, and how long they may wait for it. What does not want
 * an interrupt (before the arm index, not the armed semaphore) is never seen
 * here.
 *
 * Whatever the settings say, a storm is limited: so many interrupts in a
 * millisecond of the fabric clock, and what is over is put off to the next one.
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

	uint64_t ms;		/* cycle at which the latest millisecond began */
	uint32_t in_ms;		/* interrupts raised in it */
	bool put_off;		/* one that is due waits for the next */
	uint32_t delayed;	/* such interrupts, mod 2^32 */
};

enum ocf_moderate {
	OCF_MODERATE_NOTHING,	/* nobody waits for an interrupt */
	OCF_MODERATE_NOW,
	OCF_MODERATE_LATER,	/* at cycle *due, if nothing happens before */
};

/* As after reset: latency mode, the interface's defaults. */
void ocf_moderation_reset(struct ocf_moderation *m);

/* Nothing waits, and nothing was told yet; settings, storm and count stay. */
void ocf_moderation_restart(struct ocf_moderation *m);

/* Settings; false, and nothing is changed, if they are none. */
bool ocf_moderation_set(struct ocf_moderation *m, uint32_t value);
bool ocf_moderation_set_timer(struct ocf_moderation *m, uint32_t ns);

/* The burst and the mode, as in their register. */
uint32_t ocf_moderation_get(const struct ocf_moderation *m);

/* So many completions more want an interrupt. */
void ocf_moderation_add(struct ocf_moderation *m, uint32_t n, uint64_t now);

/* `limit` interrupts in a millisecond; 0: no limit. */
enum ocf_moderate ocf_moderation_look(struct ocf_moderation *m, uint32_t mhz,
				      uint32_t limit, uint64_t now,
				      uint64_t *due);

/* The interrupt was raised; look said so. */
void ocf_moderation_raised(struct ocf_moderation *m, uint64_t now);

/* Nobody wants it any more. */
void ocf_moderation_drop(struct ocf_moderation *m);

bool ocf_moderation_valid(const struct ocf_moderation *m);

#endif
