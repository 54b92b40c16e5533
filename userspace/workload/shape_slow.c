// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * T3: the slow path, among all n: signature shares, and registers of two
 * sub-slots that are written in turns, not more often than every millisecond.
 */
#include "workload.h"

#define SIGNATURES	3u
#define SIGNATURE	88
#define SLOTS		128
#define SUB_SLOTS	2
#define VALUE_MIN	8u
#define VALUE_MAX	512u
#define COOLDOWN_US	1000

enum { SIGNED, REGISTER };

static unsigned int per_round(const struct wl_plan *plan, unsigned int src,
			      unsigned int dst)
{
	(void)plan;
	(void)src;
	(void)dst;
	return SIGNATURES + 1;
}

static void message(const struct wl_plan *plan, unsigned int src,
		    unsigned int dst, uint64_t round, unsigned int i,
		    struct wl_message *m)
{
	/* a register's sub-slot comes again after two rounds */
	m->window = SUB_SLOTS * (SIGNATURES + 1);
	if (i < SIGNATURES) {
		m->channel = SIGNED;
		m->index = SIGNATURES * round + i;
		m->len = SIGNATURE;
		return;
	}
	m->channel = REGISTER;
	m->form = WL_REGISTER;
	m->index = round;
	m->len = 12 + VALUE_MIN +
		 (uint32_t)(wl_random(plan->seed, 3, src, dst, round) %
			    (VALUE_MAX - VALUE_MIN + 1));
	/* all registers of a replica are written together */
	if (dst == (src + 1) % plan->n)
		m->pause_us = COOLDOWN_US;
}

const struct wl_shape wl_slow_path = {
	.name = "T3",
	.text = "slow path: signature shares, registers of two sub-slots",
	.count = 200,
	.scenario = 4,
	.channel = {
		[SIGNED] = { .name = "signature", .slots = SLOTS, .size = SIGNATURE },
		[REGISTER] = { .name = "register", .slots = SUB_SLOTS, .size = 12 + VALUE_MAX },
	},
	.per_round = per_round,
	.message = message,
};
