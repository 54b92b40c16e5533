// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * genstart: prepare a transfer early, start it late
 *
 * The sender's descriptors lie in the ring before the data exist. When they do,
 * and the receiver has said that it is ready (semaphore GO), one doorbell sends
 * them. At their end one descriptor adds to the sender's semaphore FREE, so that
 * it may fill its buffer again, and one to the receiver's semaphore DATA.
 */
#include "example.h"

enum { GO, FREE, DATA };	/* semaphores */

#define PIECES	4
#define LENGTH	512
#define TARGET	0x1000
#define ROUNDS	50

static void send(struct ocf_replica *r, unsigned int to)
{
	struct ocf_piece piece[PIECES];
	struct ocf_transfer transfer;
	struct ocf_memory mem;
	uint32_t round, i;

	must(ocf_buffer_add(r, PIECES * LENGTH, &mem), "a buffer");
	for (i = 0; i < PIECES; i++)
		piece[i] = (struct ocf_piece){
			.raddr = TARGET + i * LENGTH, .addr = i * LENGTH,
			.len = LENGTH, .key = mem.key,
		};
	piece[PIECES - 1].flags = OCF_PIECE_IMM;
	for (round = 1; round <= ROUNDS; round++) {
		struct ocf_start start = { .wait = true, .sem = GO,
					   .target = round, .timeout_ns = WAIT_NS };
		const struct ocf_plan plan = {
			.role = OCF_ROLE_TX, .qpn = ocf_qpn_to(r, to),
			.pieces = piece, .count = PIECES,
			.local = { FREE, 1 }, .remote = { DATA, 1 },
		};

		piece[PIECES - 1].imm = round;
		must(ocf_desc_gen(r, &plan, &transfer), "gen");
		memset(mem.addr, (int)round, PIECES * LENGTH);	/* what takes long */
		must(ocf_desc_start(r, &transfer, OCF_ROLE_TX, &start), "start");
		must(ocf_sem_wait(r, FREE, round, WAIT_NS), "sending");
		finish(r, "sending");
	}
	must(ocf_memory_del(r, &mem), "the buffer");
}

static void check(struct ocf_replica *r, uint32_t round)
{
	uint8_t data[PIECES * LENGTH];
	uint32_t i;

	must(ocf_region_read(r, TARGET, data, sizeof(data)), "reading");
	for (i = 0; i < sizeof(data); i++)
		if (data[i] != (uint8_t)round)
			die("receiving", "the data are not there");
}

static void receive(struct ocf_replica *r, unsigned int from)
{
	const struct ocf_plan plan = {
		.role = OCF_ROLE_RX, .qpn = ocf_qpn_to(r, from),
		.count = 1, .remote = { GO, 1 },
	};
	struct ocf_transfer transfer;
	uint32_t round;

	for (round = 1; round <= ROUNDS; round++) {
		must(ocf_desc_gen(r, &plan, &transfer), "gen");
		must(ocf_desc_start(r, &transfer, OCF_ROLE_RX, NULL), "start");
		must(ocf_sem_wait(r, DATA, round, WAIT_NS), "receiving");
		check(r, round);
		finish(r, "the signal");
	}
	printf("replica 1: %d transfers arrived\n", ROUNDS);
}

static void run(struct ocf_replica *r)
{
	if (ocf_replica_id(r) == 0)
		send(r, 1);
	else
		receive(r, 0);
}

int main(void)
{
	return run_replicas(2, run);
}
