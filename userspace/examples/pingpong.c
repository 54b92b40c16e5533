// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pingpong: two replicas throw a word to and fro
 *
 * Replica 0 writes a number into the region of replica 1 with an immediate, which
 * needs a receive descriptor there; replica 1 sees the completion and answers in
 * the same way.
 */
#include "example.h"

#define ROUNDS	1000u
#define BALL	0x40	/* offset in both regions, in a window */

/* The next receive completion; those of our own writes are checked on the way. */
static uint32_t receive(struct ocf_replica *r)
{
	struct ocf_completion c;

	for (;;) {
		must(ocf_wait(r, WAIT_NS), "waiting for the ball");
		if (!ocf_poll(r, &c, 1))
			continue;
		if (c.status != OCFABRIC_VERDICT_COMMITTED)
			die("throwing", ocf_verdict_text(c.status));
		if (c.receive)
			return c.imm;
	}
}

static void throw(struct ocf_replica *r, unsigned int to, uint32_t number)
{
	must(ocf_post_inline_imm(r, ocf_qpn_to(r, to), BALL, sizeof(number),
				 &number, number, OCF_UNSIGNALED), "posting");
	ocf_ring(r);
}

/* A receive is armed before the ball that it is for can come. */
static void arm(struct ocf_replica *r)
{
	must(ocf_post_recv(r, 1), "posting a receive");
	ocf_ring_recv(r);
}

static void play(struct ocf_replica *r)
{
	unsigned int me = ocf_replica_id(r), peer = !me;
	uint32_t number, i;

	arm(r);
	/* The peer is told that we are ready: its semaphore 0. */
	must(ocf_post_sem_remote(r, ocf_qpn_to(r, peer), 0, 1, 0), "posting");
	finish(r, "saying that we are ready");
	must(ocf_sem_wait(r, 0, 1, WAIT_NS), "waiting for the peer");

	if (me == 0)
		throw(r, peer, 1);
	for (i = 0; i < ROUNDS / 2; i++) {
		number = receive(r);
		if (i + 1 < ROUNDS / 2)
			arm(r);
		if (number < ROUNDS)
			throw(r, peer, number + 1);
	}
	finish(r, "the last throw");
	must(ocf_region_read(r, BALL, &number, sizeof(number)), "reading");
	printf("replica %u: %u is the last of %u\n", me, number, ROUNDS);
}

int main(void)
{
	return run_replicas(2, play);
}
