// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * T5: each replica tells all others of a checkpoint, and gives the next one its
 * state before it: chunks without a header, which have to be there when the
 * checkpoint is.
 */
#include "workload.h"

#define CHUNKS		8u
#define CHUNK		4096
#define CHECKPOINT	48
#define SLOTS		32

enum { STATE, DIGEST };

static unsigned int per_round(const struct wl_plan *plan, unsigned int src,
			      unsigned int dst)
{
	return dst == (src + 1) % plan->n ? CHUNKS + 1 : 1;
}

static void message(const struct wl_plan *plan, unsigned int src,
		    unsigned int dst, uint64_t round, unsigned int i,
		    struct wl_message *m)
{
	bool chunk = i + 1 < per_round(plan, src, dst);

	m->window = 2 * (CHUNKS + 1);
	m->channel = chunk ? STATE : DIGEST;
	m->form = chunk ? WL_RAW : WL_TAIL;
	m->quiet = chunk;
	m->index = chunk ? CHUNKS * round + i : round;
	m->len = chunk ? CHUNK : CHECKPOINT;
}

const struct wl_shape wl_checkpoint = {
	.name = "T5",
	.text = "checkpoints: bursts of 4 KiB chunks, then 48 bytes to all",
	.count = 100,
	.scenario = 2,
	.channel = {
		[STATE] = { .name = "state", .slots = SLOTS, .size = CHUNK },
		[DIGEST] = { .name = "checkpoint", .slots = SLOTS, .size = CHECKPOINT },
	},
	.per_round = per_round,
	.message = message,
};
