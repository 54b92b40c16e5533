// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a second when each of n replicas writes to all others: the links of one
 * vCPU's thread, and those of both. One link alone is what they are held against.
 */
#include "fabric.h"

#define WRITES	2048u	/* of one sample, short as in card/rate.c */
#define SAMPLES	4	/* a round */

static const unsigned int sizes[] = { 1, 2, 3, 5, 8, 16 };

#define NR_SIZES	(sizeof(sizes) / sizeof(sizes[0]))

static struct series *one_vcpu[NR_SIZES], *both[NR_SIZES];

void all_prepare(void)
{
	for (size_t i = 0; i < NR_SIZES; i++) {
		one_vcpu[i] = series_rate("1/s", "guest.all_to_all_writes_per_s.%u.one_vcpu",
					  sizes[i]);
		if (sizes[i] > 1)
			both[i] = series_rate("1/s", "guest.all_to_all_writes_per_s.%u",
					      sizes[i]);
	}
}

/* A single link writes to the first of the others. */
static uint32_t peer_of(unsigned int n, unsigned int link, uint32_t number)
{
	return n == 1 ? 1 : (link + 1 + number % (n - 1)) % n;
}

uint64_t burst(struct fabric *f, unsigned int n, unsigned int first,
	       unsigned int step)
{
	uint64_t written = 0;

	for (unsigned int link = first; link < n; link += step) {
		const struct end *e = &f->end[link];

		for (uint32_t i = 0; i < PER_BELL; i++) {
			uint32_t qpn = ocf_qpn(REPLICAS, link, peer_of(n, link, i));

			if (ocf_post_write(e->r, qpn, i * SIZE, SIZE, e->memory.key,
					   i * SIZE, 0) < 0)
				fail("replica %u has no room", link);
		}
		ocf_ring(e->r);
		drain_all(e->r);
		written += PER_BELL;
	}
	return written;
}

static void by_one(struct fabric *f, size_t i)
{
	uint64_t start = ticks(), written = 0;

	while (written < WRITES)
		written += burst(f, sizes[i], 0, 1);
	series_add_rate(one_vcpu[i], (double)written, ticks() - start);
}

static void by_both(struct fabric *f, size_t i)
{
	uint64_t before, start, took, written = 0;

	other_stream(sizes[i], 1, 2);
	before = other_written();
	while (other_written() == before)
		;
	before = other_written();
	start = ticks();
	while (written < SAMPLES * WRITES)
		written += burst(f, sizes[i], 0, 2);
	took = ticks() - start;
	written += other_written() - before;
	other_finish();
	series_add_rate(both[i], (double)written, took);
}

void all_round(struct fabric *f)
{
	for (size_t i = 0; i < NR_SIZES; i++) {
		for (int sample = 0; sample < SAMPLES; sample++)
			by_one(f, i);
		if (sizes[i] > 1)
			by_both(f, i);
	}
}
