// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * flag: a payload, then a flag that says it is there
 *
 * The writes of a link become visible in their order, so who sees the flag finds
 * the whole payload. The reader looks at memory only: no completion, no
 * semaphore, and no system call as long as it comes soon.
 */
#include "example.h"

#define FLAG	0x0
#define PAYLOAD	0x40
#define LENGTH	1024
#define ROUNDS	200

static void write_rounds(struct ocf_replica *r, unsigned int to)
{
	struct ocf_memory mem;
	uint64_t round;

	must(ocf_buffer_add(r, LENGTH, &mem), "a buffer");
	for (round = 1; round <= ROUNDS; round++) {
		memset(mem.addr, (int)round, LENGTH);
		must(ocf_post_write(r, ocf_qpn_to(r, to), PAYLOAD, LENGTH, mem.key,
				    0, OCF_UNSIGNALED), "posting the payload");
		must(ocf_post_inline(r, ocf_qpn_to(r, to), FLAG, sizeof(round),
				     &round, 0), "posting the flag");
		finish(r, "writing");
		/* The reader says that it is done with the payload. */
		must(ocf_sem_wait(r, 0, (uint32_t)round, WAIT_NS), "waiting");
	}
	must(ocf_memory_del(r, &mem), "the buffer");
}

/* A word of 8 bytes is never seen half-written. */
static void wait_for(const struct ocf_replica *r, const volatile uint64_t *flag,
		     uint64_t round)
{
	struct looking looking = { 0 };

	while (*flag != round)
		look_again(r, &looking, "looking at the flag");
	ocf_rmb_flag_before_data();
}

static void read_rounds(struct ocf_replica *r, unsigned int from)
{
	uint64_t offset, round;
	size_t length, i;
	uint8_t *region = ocf_region_map(r, &offset, &length);

	if (!region)
		die("the region", ocf_error());
	if (offset || length < PAYLOAD + LENGTH)
		die("the region", "not all that is needed is mapped");
	for (round = 1; round <= ROUNDS; round++) {
		wait_for(r, (volatile uint64_t *)(void *)(region + FLAG), round);
		for (i = 0; i < LENGTH; i++)
			if (region[PAYLOAD + i] != (uint8_t)round)
				die("reading", "a flag came before its payload");
		must(ocf_post_sem_remote(r, ocf_qpn_to(r, from), 0, 1, 0),
		     "posting");
		finish(r, "saying that it was read");
	}
	printf("replica 1: %d payloads were whole\n", ROUNDS);
}

static void run(struct ocf_replica *r)
{
	if (ocf_replica_id(r) == 0)
		write_rounds(r, 1);
	else
		read_rounds(r, 0);
}

int main(void)
{
	return run_replicas(2, run);
}
