// SPDX-License-Identifier: GPL-2.0-only
/*
 * A write on each of sixteen queues: by sixteen doorbells, and by one broadcast
 * doorbell, which costs a system call. Until the last completion is taken.
 */
#include "fabric.h"

#define SAMPLES	50

static struct series *doorbells, *broadcast;

void ring_prepare(void)
{
	doorbells = series_ns("guest.ring_ns.%u.doorbells", REPLICAS);
	broadcast = series_ns("guest.ring_ns.%u.broadcast", REPLICAS);
}

static void post_all(struct fabric *f)
{
	for (unsigned int i = 0; i < REPLICAS; i++) {
		const struct end *e = &f->end[i];
		uint32_t qpn = ocf_qpn(REPLICAS, i, (i + 1) % REPLICAS);

		if (ocf_post_write(e->r, qpn, 0, SIZE, e->memory.key, 0, 0) < 0)
			fail("replica %u has no room", i);
	}
}

static void drain_each(struct fabric *f)
{
	for (unsigned int i = 0; i < REPLICAS; i++)
		drain_all(f->end[i].r);
}

static void by_doorbells(struct fabric *f)
{
	uint64_t start;

	post_all(f);
	start = ticks();
	for (unsigned int i = 0; i < REPLICAS; i++)
		ocf_ring(f->end[i].r);
	drain_each(f);
	series_add_ticks(doorbells, ticks() - start);
}

static void by_broadcast(struct fabric *f)
{
	struct ocf_replica *all[REPLICAS];
	uint64_t start;

	for (unsigned int i = 0; i < REPLICAS; i++)
		all[i] = f->end[i].r;
	post_all(f);
	start = ticks();
	if (ocf_broadcast(all, REPLICAS, 0, 1))
		fail("%s", ocf_error());
	drain_each(f);
	series_add_ticks(broadcast, ticks() - start);
}

void ring_round(struct fabric *f)
{
	for (int i = 0; i < SAMPLES; i++) {
		by_doorbells(f);
		by_broadcast(f);
	}
}
