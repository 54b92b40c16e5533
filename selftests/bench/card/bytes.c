// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bytes a second, of the card and of the guest's own memcpy to the same place:
 * from and to the same bytes each time, and cycling through more than caches
 * hold
 */
#include <string.h>

#include "bench.h"

#define BURSTS	4	/* a round */

/* A count is short, so that most bursts are not interrupted. */
static const struct {
	uint32_t size;
	uint32_t count;
} kinds[] = {
	{ 4096, 128 },
	{ 65536, 16 },
	{ 1 << 20, 2 },
};

#define NR_KINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* Where a cycle stands */
struct cycle {
	struct series *series;
	bool moves;
	uint32_t at;
};

static struct cycle card[NR_KINDS][2], copy[NR_KINDS][2];

static void prepare(struct bench *bench)
{
	(void)bench;
	for (size_t i = 0; i < NR_KINDS; i++) {
		for (int moves = 0; moves < 2; moves++) {
			const char *suffix = moves ? ".cycling" : "";

			card[i][moves].series = series_rate("B/s",
				"guest.bytes_per_s.%u%s", kinds[i].size, suffix);
			copy[i][moves].series = series_rate("B/s",
				"guest.memcpy_bytes_per_s.%u%s", kinds[i].size,
				suffix);
			card[i][moves].moves = moves;
			copy[i][moves].moves = moves;
			/* neither warms the caches for the other */
			copy[i][moves].at = moves ? CYCLE_BYTES / 2 : 0;
		}
	}
}

static uint32_t step(struct cycle *c, uint32_t size)
{
	uint32_t at = c->at;

	if (c->moves)
		c->at = (at + size) % CYCLE_BYTES;
	return at;
}

static void by_card(struct bench *bench, struct cycle *c, uint32_t size,
		    uint32_t count)
{
	const struct end *e = &bench->a;
	uint64_t start = ticks();

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = step(c, size);

		post(e, at, at, size, 0);
		ocf_ring(e->r);
		take(e->r);
	}
	drain_all(e->r);
	series_add_rate(c->series, (double)size * count, ticks() - start);
}

static void by_memcpy(struct bench *bench, struct cycle *c, uint32_t size,
		      uint32_t count)
{
	uint64_t start = ticks();

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = step(c, size);

		memcpy(bench->b.region + at,
		       (uint8_t *)bench->a.memory.addr + at, size);
		__asm__ volatile("" ::: "memory");
	}
	series_add_rate(c->series, (double)size * count, ticks() - start);
}

static void compare(struct bench *bench, size_t kind, int moves)
{
	uint32_t size = kinds[kind].size, count = kinds[kind].count;

	for (int i = 0; i < BURSTS; i++) {
		by_card(bench, &card[kind][moves], size, count);
		by_memcpy(bench, &copy[kind][moves], size, count);
	}
}

static void round_of(struct bench *bench)
{
	for (size_t kind = 0; kind < NR_KINDS; kind++) {
		compare(bench, kind, 0);
		compare(bench, kind, 1);
	}
}

const struct measurement bytes_measurement = { prepare, round_of };
