// SPDX-License-Identifier: GPL-2.0-only
/*
 * A write with immediate, until the receiver has its completion: one that spins on
 * the completion ring, and one that sleeps on the handle
 */
#include "bench.h"

#define SIZE		64
#define SPINNING	250
#define SLEEPING	10
#define ASLEEP_NS	200000	/* from "I go to sleep" to being asleep */

static struct series *spin, *spin_inline, *sleep_series;

static void prepare(struct bench *bench)
{
	(void)bench;
	spin = series_ns("guest.imm_wake_ns.spin");
	spin_inline = series_ns("guest.imm_wake_ns.spin.inline");
	sleep_series = series_ns("guest.imm_wake_ns.sleep");
}

static void pass(uint64_t ns)
{
	uint64_t start = ticks();

	while (ticks_to_ns(ticks() - start) < (double)ns)
		;
}

static void send(const struct end *e, bool in_descriptor, uint32_t imm)
{
	int posted = in_descriptor ?
		ocf_post_inline_imm(e->r, QPN, 0, OCFABRIC_INLINE_MAX,
				    e->memory.addr, imm, 0) :
		ocf_post_write_imm(e->r, QPN, 0, SIZE, e->memory.key, 0, imm, 0);

	if (posted < 0)
		fail("a write with immediate cannot be posted: %d", posted);
	ocf_ring(e->r);
}

static void series_of(struct bench *bench, struct series *s, uint32_t count,
		      bool in_descriptor, bool sleeps)
{
	const struct end *e = &bench->a;

	peer_receive(count, sleeps);
	for (uint32_t i = 1; i <= count; i++) {
		uint64_t start;

		peer_armed(i);
		if (sleeps)
			pass(ASLEEP_NS);
		start = ticks();
		send(e, in_descriptor, i);
		series_add_ticks(s, peer_saw(i) - start);
		drain_all(e->r);
	}
	peer_finish();
}

static void round_of(struct bench *bench)
{
	series_of(bench, spin, SPINNING, false, false);
	series_of(bench, spin_inline, SPINNING, true, false);
	series_of(bench, sleep_series, SLEEPING, false, true);
}

const struct measurement imm_measurement = { prepare, round_of };
