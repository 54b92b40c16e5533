// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * T4: each replica writes the next one messages of all sizes, a header and 1, 2,
 * 4 ... 8192 bytes, with 1, 16 and 128 of them under way, to slots of which every
 * other one starts at an odd word.
 */
#include "workload.h"

#define SIZES		14u
#define SLOTS		128u
#define ROUNDS_EACH	16u	/* of one window: more messages than the largest */

static const uint32_t windows[] = { 1, 16, SLOTS };

#define WINDOWS		(sizeof(windows) / sizeof(windows[0]))

static unsigned int per_round(const struct wl_plan *plan, unsigned int src,
			      unsigned int dst)
{
	return dst == (src + 1) % plan->n ? SIZES : 0;
}

static void message(const struct wl_plan *plan, unsigned int src,
		    unsigned int dst, uint64_t round, unsigned int i,
		    struct wl_message *m)
{
	(void)plan;
	(void)src;
	(void)dst;
	m->index = SIZES * round + i;
	m->len = 16 + (1u << i);
	m->window = windows[round / ROUNDS_EACH % WINDOWS];
}

const struct wl_shape wl_sweep = {
	.name = "T4",
	.text = "sweep: payloads of 1 to 8192 bytes, windows of 1, 16, 128",
	.count = 2 * ROUNDS_EACH * WINDOWS,
	.scenario = 2,
	.channel = { {
		.name = "sweep", .slots = SLOTS, .size = WL_MESSAGE_MAX, .odd = true,
	} },
	.per_round = per_round,
	.message = message,
};
