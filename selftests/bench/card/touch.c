// SPDX-License-Identifier: GPL-2.0-only
/* The first write to a page of the HBM, and the second */
#include "bench.h"

#define PAGE	4096u
#define PAGES	1024u
#define SIZE	64

static void sweep(const struct end *e, struct series *s, uint64_t base)
{
	for (uint32_t i = 0; i < PAGES; i++) {
		uint64_t start = ticks();

		post(e, base + i * PAGE, 0, SIZE, 0);
		ocf_ring(e->r);
		await(e->r);
		series_add_ticks(s, ticks() - start);
	}
}

void touch(struct bench *bench, unsigned int slice)
{
	uint64_t base = (uint64_t)slice * PAGES * PAGE;

	if (base + PAGES * PAGE > bench->b.region_length)
		fail("slice %u is not in the region", slice);
	/* the path is warm, only the pages are not */
	for (int i = 0; i < 1000; i++) {
		post(&bench->a, bench->b.region_length - SIZE, 0, SIZE, 0);
		ocf_ring(bench->a.r);
		drain_all(bench->a.r);
	}
	sweep(&bench->a, series_ns("guest.first_touch_ns"), base);
	sweep(&bench->a, series_ns("guest.second_touch_ns"), base);
}
