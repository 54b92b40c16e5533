// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * T2: the fast path of consensus among all n. Replica n - 1 is a client too: it
 * writes requests to replica 0, the leader; that writes a Prepare to all others;
 * each replica, when it has the Prepare, writes a FastCommit to all others. A
 * round is as many requests as may be under way.
 */
#include "workload.h"

#define UNDER_WAY	16u
#define SLOTS		128
#define REQUEST_MAX	256u
#define BATCH_MAX	16u
#define PREPARE_MAX	(16 + 8 + 8 * BATCH_MAX)
#define FAST_COMMIT	32

enum { REQUEST, PREPARE, COMMIT };

static unsigned int client(const struct wl_plan *plan)
{
	return plan->n - 1;
}

static unsigned int per_round(const struct wl_plan *plan, unsigned int src,
			      unsigned int dst)
{
	bool more = !src || (src == client(plan) && !dst);

	return more ? 2 * UNDER_WAY : UNDER_WAY;
}

static void request(const struct wl_plan *plan, uint64_t number,
		    struct wl_message *m)
{
	m->channel = REQUEST;
	m->len = 16 + 1 + (uint32_t)(wl_random(plan->seed, 2, REQUEST, number, 0) %
				     REQUEST_MAX);
	m->imm = plan->imm;
}

static void prepare(const struct wl_plan *plan, uint64_t round, unsigned int i,
		    struct wl_message *m)
{
	uint64_t batch = wl_random(plan->seed, 2, PREPARE, m->index, 0) % BATCH_MAX;

	m->channel = PREPARE;
	m->len = 16 + 8 + 8 * (uint32_t)(1 + batch);
	m->after = (int8_t)client(plan);
	m->after_count = 2 * UNDER_WAY * round + i + 1;
}

static void commit(unsigned int src, uint64_t round, unsigned int i,
		   struct wl_message *m)
{
	m->channel = COMMIT;
	m->len = FAST_COMMIT;
	if (!src)
		return;
	m->after = 0;
	m->after_count = 2 * UNDER_WAY * round + i + 1;
}

static void message(const struct wl_plan *plan, unsigned int src,
		    unsigned int dst, uint64_t round, unsigned int i,
		    struct wl_message *m)
{
	bool first_half = i < UNDER_WAY && per_round(plan, src, dst) > UNDER_WAY;

	i %= UNDER_WAY;
	m->index = UNDER_WAY * round + i;
	m->window = 2 * UNDER_WAY;
	if (!first_half)
		commit(src, round, i, m);
	else if (src)
		request(plan, m->index, m);
	else
		prepare(plan, round, i, m);
}

const struct wl_shape wl_consensus = {
	.name = "T2",
	.text = "consensus, fast path: requests, Prepares, FastCommits",
	.count = 20,
	.scenario = 1,
	.imm = true,
	.channel = {
		[REQUEST] = { .name = "request", .slots = SLOTS, .size = 16 + REQUEST_MAX },
		[PREPARE] = { .name = "prepare", .slots = SLOTS, .size = PREPARE_MAX },
		[COMMIT] = { .name = "commit", .slots = SLOTS, .size = FAST_COMMIT },
	},
	.per_round = per_round,
	.message = message,
};
