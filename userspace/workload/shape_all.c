// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * T6: all to all. 32 bytes that nobody looks at, then a flag, which may be a
 * semaphore: who sees the flag finds the bytes. T7 is the same beside writes that
 * must not get through.
 */
#include "workload.h"

#define PAYLOAD		32
#define UNDER_WAY	16u
#define SLOTS		32

enum { DATA, FLAG };

static unsigned int per_round(const struct wl_plan *plan, unsigned int src,
			      unsigned int dst)
{
	(void)plan;
	(void)src;
	(void)dst;
	return 2;
}

static void message(const struct wl_plan *plan, unsigned int src,
		    unsigned int dst, uint64_t round, unsigned int i,
		    struct wl_message *m)
{
	(void)src;
	(void)dst;
	m->index = round;
	m->window = 2 * UNDER_WAY;
	m->channel = i ? FLAG : DATA;
	m->quiet = !i;
	m->len = PAYLOAD;
	if (!i)
		return;
	m->form = plan->semaphores ? WL_SEMAPHORE : WL_FLAG;
	m->len = plan->semaphores ? 0 : 8;
}

const struct wl_shape wl_all_to_all = {
	.name = "T6",
	.text = "all to all: 32 bytes, then a flag, 16 of both under way",
	.count = 500,
	.scenario = 4,
	.semaphores = true,
	.channel = {
		[DATA] = { .name = "payload", .slots = SLOTS, .size = PAYLOAD },
		[FLAG] = { .name = "flag", .slots = SLOTS, .size = 8 },
	},
	.per_round = per_round,
	.message = message,
};

const struct wl_shape wl_adversary = {
	.name = "T7",
	.text = "adversarial: T6, bad writes of all kinds, windows revoked",
	.count = 500,
	.scenario = 24,
	.adversary = true,
	.semaphores = true,
	.channel = {
		[DATA] = { .name = "payload", .slots = SLOTS, .size = PAYLOAD },
		[FLAG] = { .name = "flag", .slots = SLOTS, .size = 8 },
	},
	.per_round = per_round,
	.message = message,
};
