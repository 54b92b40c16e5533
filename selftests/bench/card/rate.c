// SPDX-License-Identifier: GPL-2.0-only
/* Small writes a second: one or many to a doorbell, of one vCPU or of both */
#include "bench.h"

#define WRITES	512	/* short, so that most bursts are not interrupted */
#define BURSTS	8	/* a round */
#define SIZE	64
#define MANY	32

static struct series *single, *many, *unsignaled, *both, *sized[2];

static const uint32_t sizes[2] = { 256, 1024 };

static void prepare(struct bench *bench)
{
	(void)bench;
	many = series_rate("1/s", "guest.writes_per_s.%u", SIZE);
	single = series_rate("1/s", "guest.writes_per_s.%u.doorbell1", SIZE);
	unsignaled = series_rate("1/s", "guest.writes_per_s.%u.unsignaled", SIZE);
	both = series_rate("1/s", "guest.writes_per_s.%u.two_vcpus", SIZE);
	for (int i = 0; i < 2; i++)
		sized[i] = series_rate("1/s", "guest.writes_per_s.%u", sizes[i]);
}

static uint64_t burst_of_ones(const struct end *e, uint32_t size)
{
	uint64_t start = ticks();

	for (uint32_t i = 0; i < WRITES; i++) {
		post(e, 0, 0, size, 0);
		ocf_ring(e->r);
		take(e->r);
	}
	drain_all(e->r);
	return ticks() - start;
}

static uint64_t burst(const struct end *e, uint32_t size, uint32_t flags)
{
	uint64_t start = ticks();

	for (uint32_t i = 0; i < WRITES; i += MANY) {
		for (uint32_t j = 0; j < MANY; j++)
			post(e, j * size, j * size, size,
			     j + 1 < MANY ? flags : 0);
		ocf_ring(e->r);
		drain(e->r);
	}
	drain_all(e->r);
	return ticks() - start;
}

static void burst_of_both(const struct end *e)
{
	uint64_t before, start, took;

	peer_stream(SIZE, MANY);
	before = peer_streamed();
	while (peer_streamed() == before)
		;
	before = peer_streamed();
	start = ticks();
	for (int i = 0; i < BURSTS; i++)
		burst(e, SIZE, 0);
	took = ticks() - start;
	series_add_rate(both, (double)BURSTS * WRITES +
			(double)(peer_streamed() - before), took);
	peer_finish();
}

static void one_of_each(const struct end *e)
{
	series_add_rate(single, WRITES, burst_of_ones(e, SIZE));
	series_add_rate(many, WRITES, burst(e, SIZE, 0));
	series_add_rate(unsignaled, WRITES, burst(e, SIZE, OCF_UNSIGNALED));
	for (int i = 0; i < 2; i++)
		series_add_rate(sized[i], WRITES, burst(e, sizes[i], 0));
}

static void round_of(struct bench *bench)
{
	for (int i = 0; i < BURSTS; i++)
		one_of_each(&bench->a);
	burst_of_both(&bench->a);
}

const struct measurement rate_measurement = { prepare, round_of };
