// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ring: a counted barrier, then steps round a ring, chained by semaphores
 *
 * The barrier: each adds 1 to semaphore BARRIER of every other; who has got n - 1
 * knows that all have come.
 *
 * A step hands a token on to the next replica. All steps are posted in advance:
 * the descriptors of each replica wait for semaphore STEP, send on what the step
 * before left in its region, and add to STEP of the next one. The programs have
 * nothing to do while the token goes round.
 */
#include "example.h"

enum { BARRIER, STEP };

#define REPLICAS	3
#define ROUNDS		10
#define TOKEN		0x80	/* offset of the token in every region */

static void barrier(struct ocf_replica *r, uint32_t times)
{
	unsigned int me = ocf_replica_id(r), i;

	for (i = 0; i < REPLICAS; i++)
		if (i != me)
			must(ocf_post_sem_remote(r, ocf_qpn_to(r, i), BARRIER, 1,
						 OCF_UNSIGNALED), "posting");
	finish(r, "the barrier");
	must(ocf_sem_wait(r, BARRIER, times * (REPLICAS - 1), WAIT_NS),
	     "waiting at the barrier");
}

/* When the token is here, pass it on; replica 0 has it at first. */
static void chain(struct ocf_replica *r, uint32_t round)
{
	unsigned int me = ocf_replica_id(r), next = (me + 1) % REPLICAS;
	uint32_t qpn = ocf_qpn_to(r, next), target = me ? round : round - 1;

	must(ocf_post_wait(r, STEP, target, OCF_UNSIGNALED), "posting");
	must(ocf_post_region(r, qpn, TOKEN, 64, TOKEN, OCF_UNSIGNALED), "posting");
	must(ocf_post_sem_remote(r, qpn, STEP, 1, 0), "posting");
}

static void run(struct ocf_replica *r)
{
	unsigned int me = ocf_replica_id(r);
	char token[64] = "";
	uint32_t round;

	if (me == 0) {
		snprintf(token, sizeof(token), "handed on by everybody");
		must(ocf_region_write(r, TOKEN, token, sizeof(token)), "writing");
	}
	barrier(r, 1);
	for (round = 1; round <= ROUNDS; round++)
		chain(r, round);
	finish(r, "the steps");
	if (me == 0)
		must(ocf_sem_wait(r, STEP, ROUNDS, WAIT_NS), "the last step");
	barrier(r, 2);
	must(ocf_region_read(r, TOKEN, token, sizeof(token)), "reading");
	printf("replica %u: %s\n", me, token);
}

int main(void)
{
	return run_replicas(REPLICAS, run);
}
