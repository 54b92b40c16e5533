// SPDX-License-Identifier: GPL-2.0-only
/* A small write of one vCPU while the other keeps the card busy */
#include "bench.h"

#define SAMPLES	500
#define SIZE	64

static const struct {
	uint32_t size;
	uint32_t per_bell;
	const char *name;
} kinds[] = {
	{ 65536, 1, "65536" },
	{ 64, 32, "32x64" },
};

#define NR_KINDS	(sizeof(kinds) / sizeof(kinds[0]))

static struct series *series[NR_KINDS];

static void prepare(struct bench *bench)
{
	(void)bench;
	for (size_t i = 0; i < NR_KINDS; i++)
		series[i] = series_ns("guest.post_complete_ns.%u.beside_%s",
				      SIZE, kinds[i].name);
}

static void beside(const struct end *e, struct series *s, uint32_t size,
		   uint32_t per_bell)
{
	uint64_t before = peer_streamed();

	peer_stream(size, per_bell);
	while (peer_streamed() == before)
		;
	for (int i = 0; i < SAMPLES; i++) {
		uint64_t start = ticks();

		post(e, 0, 0, SIZE, 0);
		ocf_ring(e->r);
		await(e->r);
		series_add_ticks(s, ticks() - start);
	}
	peer_finish();
}

static void round_of(struct bench *bench)
{
	for (size_t i = 0; i < NR_KINDS; i++)
		beside(&bench->a, series[i], kinds[i].size, kinds[i].per_bell);
}

const struct measurement beside_measurement = { prepare, round_of };
