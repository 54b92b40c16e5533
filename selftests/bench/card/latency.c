// SPDX-License-Identifier: GPL-2.0-only
/* One write at a time: until it completes, and until the peer sees it */
#include <string.h>

#include "bench.h"

#define SAMPLES		250

static const uint32_t sizes[] = { 4, 64, 256, 1024, 4096, 65536 };

#define NR_SIZES	(sizeof(sizes) / sizeof(sizes[0]))

static struct series *complete[NR_SIZES], *visible[NR_SIZES], *inlined;
static uint32_t number;

static void prepare(struct bench *bench)
{
	(void)bench;
	for (size_t i = 0; i < NR_SIZES; i++) {
		complete[i] = series_ns("guest.post_complete_ns.%u", sizes[i]);
		visible[i] = series_ns("guest.post_visible_ns.%u", sizes[i]);
	}
	inlined = series_ns("guest.post_complete_ns.32.inline");
}

static void until_complete(const struct end *e, struct series *s, uint32_t size)
{
	for (int i = 0; i < SAMPLES; i++) {
		uint64_t start = ticks();

		post(e, 0, 0, size, 0);
		ocf_ring(e->r);
		await(e->r);
		series_add_ticks(s, ticks() - start);
	}
}

static void until_complete_inline(const struct end *e)
{
	for (int i = 0; i < SAMPLES; i++) {
		uint64_t start = ticks();

		ocf_post_inline(e->r, QPN, 0, OCFABRIC_INLINE_MAX,
				e->memory.addr, 0);
		ocf_ring(e->r);
		await(e->r);
		series_add_ticks(inlined, ticks() - start);
	}
}

/* The peer waits for the last word, which is another one each time. */
static void until_visible(struct bench *bench, struct series *s, uint32_t size)
{
	const struct end *e = &bench->a;
	uint8_t *last = (uint8_t *)e->memory.addr + size - sizeof(number);
	uint32_t end = number + SAMPLES;

	peer_watch((volatile uint32_t *)(void *)(bench->b.region + size -
						 sizeof(number)),
		   number + 1, SAMPLES);
	while (number != end) {
		uint64_t start;

		number++;
		memcpy(last, &number, sizeof(number));
		start = ticks();
		post(e, 0, 0, size, 0);
		ocf_ring(e->r);
		series_add_ticks(s, peer_saw(number) - start);
		drain_all(e->r);
	}
	peer_finish();
}

static void round_of(struct bench *bench)
{
	for (size_t i = 0; i < NR_SIZES; i++) {
		until_complete(&bench->a, complete[i], sizes[i]);
		until_visible(bench, visible[i], sizes[i]);
	}
	until_complete_inline(&bench->a);
}

const struct measurement latency_measurement = { prepare, round_of };
