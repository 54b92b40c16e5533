// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a write is built of: a bare store to MMIO, and a store of one vCPU that
 * another sees
 */
#include "bench.h"

#define SAMPLES	250

/* An offset in the doorbell page where no register is */
#define HOLE	0x100

static struct series *mmio, *mmio_string, *mmio_nothing, *one_way;
static __attribute__((aligned(128))) volatile uint32_t word;

static void prepare(struct bench *bench)
{
	(void)bench;
	mmio = series_ns("guest.mmio_write_ns");
	mmio_string = series_ns("guest.mmio_write_ns.string");
	mmio_nothing = series_ns("guest.mmio_write_ns.doorbell");
	one_way = series_ns("guest.shm_one_way_ns");
}

static void bare(struct series *s, uint8_t *page)
{
	volatile uint32_t *hole = (volatile uint32_t *)(void *)(page + HOLE);

	for (int i = 0; i < SAMPLES; i++) {
		uint64_t start = ticks();

		*hole = 0;
		series_add_ticks(s, ticks() - start);
	}
}

static void string(struct series *s, volatile uint32_t *to)
{
	for (int i = 0; i < SAMPLES; i++) {
		uint64_t start = ticks();

		ocf_doorbell_(to, 0);
		series_add_ticks(s, ticks() - start);
	}
}

static void hop(void)
{
	uint32_t first = word + 1;

	peer_watch(&word, first, SAMPLES);
	for (uint32_t i = first; i != first + SAMPLES; i++) {
		uint64_t start = ticks();

		word = i;
		series_add_ticks(one_way, peer_saw(i) - start);
	}
	peer_finish();
}

static void round_of(struct bench *bench)
{
	bare(mmio, bench->a.page);
	string(mmio_string, (volatile uint32_t *)(void *)(bench->a.page + HOLE));
	string(mmio_nothing, bench->a.r->doorbell);
	hop();
}

const struct measurement blocks_measurement = { prepare, round_of };
