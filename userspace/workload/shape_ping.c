// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * T1: every replica plays ping-pong with the next one. The answer is what lets
 * the next ping out: one is under way.
 */
#include "workload.h"

#define SIZE	24	/* a header and 8 bytes */
#define SLOTS	200

/* With two replicas there is one pair, not two. */
static bool pings(const struct wl_plan *plan, unsigned int src, unsigned int dst)
{
	return dst == (src + 1) % plan->n && (plan->n > 2 || src == 0);
}

static unsigned int per_round(const struct wl_plan *plan, unsigned int src,
			      unsigned int dst)
{
	return pings(plan, src, dst) || pings(plan, dst, src);
}

static void message(const struct wl_plan *plan, unsigned int src,
		    unsigned int dst, uint64_t round, unsigned int i,
		    struct wl_message *m)
{
	(void)i;
	m->index = round;
	m->len = SIZE;
	m->window = SLOTS / 2;
	m->after = (int8_t)dst;
	m->after_count = pings(plan, src, dst) ? round : round + 1;
}

const struct wl_shape wl_ping = {
	.name = "T1",
	.text = "ping: 24-byte writes, one under way, between neighbours",
	.count = 2000,
	.scenario = 32,
	.channel = { { .name = "ping", .slots = SLOTS, .size = SIZE } },
	.per_round = per_round,
	.message = message,
};
