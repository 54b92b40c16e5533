// SPDX-License-Identifier: GPL-2.0-only
/*
 * A transfer of eight writes and two semaphores: posted and rung when it is due, or
 * prepared before and only started then; both until the last completion
 */
#include "bench.h"

#define SAMPLES	100
#define PIECES	8
#define SIZE	64
#define LOCAL	0
#define REMOTE	1

static struct series *post_ring, *gen_start, *gen;

static void prepare(struct bench *bench)
{
	(void)bench;
	post_ring = series_ns("guest.post_ring_ns.%u", PIECES);
	gen_start = series_ns("guest.gen_start_ns.%u", PIECES);
	gen = series_ns("guest.gen_ns.%u", PIECES);
}

static void posted_late(const struct end *e)
{
	uint64_t start = ticks();

	for (uint32_t i = 0; i < PIECES; i++)
		post(e, i * SIZE, i * SIZE, SIZE, OCF_UNSIGNALED);
	ocf_post_sem_local(e->r, LOCAL, 1, OCF_UNSIGNALED);
	ocf_post_sem_remote(e->r, QPN, REMOTE, 1, 0);
	ocf_ring(e->r);
	drain_all(e->r);
	series_add_ticks(post_ring, ticks() - start);
}

static void prepared_early(const struct end *e)
{
	struct ocf_piece pieces[PIECES];
	const struct ocf_plan plan = {
		.role = OCF_ROLE_TX, .qpn = QPN, .pieces = pieces, .count = PIECES,
		.local = { LOCAL, 1 }, .remote = { REMOTE, 1 },
	};
	struct ocf_transfer transfer;
	uint64_t start;
	int error;

	for (uint32_t i = 0; i < PIECES; i++)
		pieces[i] = (struct ocf_piece) {
			.raddr = i * SIZE, .addr = i * SIZE, .len = SIZE,
			.key = e->memory.key,
		};
	start = ticks();
	if (ocf_desc_gen(e->r, &plan, &transfer) < 0)
		fail("%s", ocf_error());
	series_add_ticks(gen, ticks() - start);

	start = ticks();
	error = ocf_desc_start(e->r, &transfer, OCF_ROLE_TX, NULL);
	if (error)
		fail("%s", ocf_error());
	drain_all(e->r);
	series_add_ticks(gen_start, ticks() - start);
}

static void round_of(struct bench *bench)
{
	for (int i = 0; i < SAMPLES; i++) {
		posted_late(&bench->a);
		prepared_early(&bench->a);
	}
}

const struct measurement start_measurement = { prepare, round_of };
