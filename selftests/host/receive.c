// SPDX-License-Identifier: GPL-2.0-only
/*
 * THEORY OF OPERATION: receiving, semaphores and the accounting that holds both
 * rings and the completion ring together, on a card that is played in memory
 * (fake.h).
 */
#include <string.h>

#include "fake.h"
#include "tap.h"

#define SHIFT	4
#define ENTRIES	(1u << SHIFT)

static void fields(void)
{
	const struct ocfabric_desc *d = fakes[0].tx;
	struct ocf_replica *r = fake_replica(0);
	const uint64_t zero[4] = { 0 };

	fake_start(SHIFT, SHIFT, SHIFT + 1);
	memset(fakes[0].tx, 0xff, sizeof(fakes[0].tx));
	CHECK(ocf_post_write_imm(r, 7, 8, 9, 10, 11, 0x12345678, 0) == 0);
	CHECK(d[0].opcode == OCFABRIC_OP_WRITE_IMM && d[0].qpn == 7);
	CHECK(d[0].raddr == 8 && d[0].len == 9 && d[0].key == 10);
	CHECK(d[0].addr == 11 && d[0].imm == 0x12345678 && !d[0].sem);
	CHECK(!d[0].beats && !d[0].__reserved1);

	CHECK(ocf_post_inline_imm(r, 7, 8, 3, "abc", 5, OCF_UNSIGNALED) == 1);
	CHECK(d[1].opcode == OCFABRIC_OP_WRITE_IMM && d[1].imm == 5);
	CHECK(d[1].flags == (1 | OCFABRIC_DESC_INLINE | OCFABRIC_DESC_UNSIGNALED));
	CHECK(!memcmp(d[1].data, "abc", 3));

	CHECK(ocf_post_nop(r, 0) == 2);
	CHECK(d[2].opcode == OCFABRIC_OP_NOP && !d[2].sem && !d[2].qpn);
	CHECK(!memcmp((const char *)&d[2] + 8, zero, 24));
	CHECK(!memcmp(d[2].data, zero, sizeof(zero)));

	CHECK(ocf_post_sem_local(r, 63, 0x80000000, 0) == 3);
	CHECK(d[3].opcode == OCFABRIC_OP_SEM_LOCAL && d[3].sem == 63);
	CHECK(d[3].len == 0x80000000 && !d[3].qpn && !d[3].raddr);
	CHECK(!d[3].beats && !memcmp(d[3].data, zero, sizeof(zero)));

	CHECK(ocf_post_sem_remote(r, 0xabcdef, 1, 2, 0) == 4);
	CHECK(d[4].opcode == OCFABRIC_OP_SEM_REMOTE && d[4].sem == 1);
	CHECK(d[4].len == 2 && d[4].qpn == 0xabcdef);

	CHECK(ocf_post_wait(r, 2, 3, 0) == 5);
	CHECK(d[5].opcode == OCFABRIC_OP_WAIT && d[5].sem == 2 && d[5].len == 3);

	CHECK(ocf_post_sem_local(r, 64, 1, 0) == -EINVAL);
	CHECK(ocf_post_sem_remote(r, 0, 64, 1, 0) == -EINVAL);
	CHECK(ocf_post_wait(r, 64, 1, 0) == -EINVAL);
	CHECK(r->posted == 6);
}

static void write_imm_arrives(void)
{
	struct ocf_completion c;

	fake_start(SHIFT, SHIFT, SHIFT + 1);
	CHECK(ocf_post_recv(fake_replica(1), 2) == 0);
	CHECK(fakes[1].rx_doorbell == 0, "rung before ocf_ring_recv()");
	ocf_ring_recv(fake_replica(1));
	CHECK(fakes[1].rx_doorbell == 2);
	CHECK(ocf_post_inline_imm(fake_replica(0), 1, 64, 5, "hello", 99, 0) == 0);
	ocf_ring(fake_replica(0));
	fake_run();
	CHECK(ocf_poll(fake_replica(1), &c, 1) == 1);
	CHECK(c.receive && c.source == 0 && c.imm == 99 && c.bytes == 5);
	CHECK(c.opcode == OCFABRIC_OP_WRITE_IMM && !c.status && !c.index);
	CHECK(!c.misrouted && !c.is_short);
	CHECK(!memcmp((char *)fakes[1].region + 64, "hello", 5));
	CHECK(ocf_poll(fake_replica(0), &c, 1) == 1 && !c.receive && c.imm == 99);
	CHECK(fake_replica(1)->rx_posted - fake_replica(1)->rx_done == 1);
}

/* Completions of receives free no transmit descriptor, and the other way round. */
static void rings_are_apart(void)
{
	struct ocf_replica *r = fake_replica(1);

	fake_start(SHIFT, SHIFT, SHIFT + 1);
	ocf_post_recv(r, ENTRIES - 1);
	ocf_ring_recv(r);
	ocf_post_nop(r, 0);
	CHECK(ocf_post_inline_imm(fake_replica(0), 1, 0, 4, "abc", 1, 0) >= 0);
	ocf_ring(fake_replica(0));
	fake_run();
	CHECK(fake_poll(&fakes[1]) == 1);
	CHECK(ocf_room(r) == ENTRIES - 1, "room %u", ocf_room(r));
	CHECK(ocf_recv_room(r) == 2, "room %u", ocf_recv_room(r));
	ocf_ring(r);
	fake_run();
	CHECK(fake_poll(&fakes[1]) == 1);
	CHECK(ocf_room(r) == ENTRIES && ocf_recv_room(r) == 2);
}

static void limits(void)
{
	struct ocf_replica *r = fake_replica(0);
	uint32_t i;

	fake_start(SHIFT, SHIFT, SHIFT);
	CHECK(ocf_recv_room(r) == ENTRIES - 1, "one completion is left to sends");
	CHECK(ocf_post_recv(r, ENTRIES) == -EAGAIN && !r->rx_posted);
	CHECK(ocf_post_recv(r, 10) == 0);
	CHECK(ocf_room(r) == ENTRIES - 10);
	for (i = 0; i < ENTRIES - 10; i++)
		CHECK(ocf_post_nop(r, OCF_UNSIGNALED) >= 0);
	CHECK(ocf_post_nop(r, 0) == -EAGAIN);
	CHECK(ocf_post_recv(r, 1) == -EAGAIN && ocf_recv_room(r) == 0);
	ocf_ring(r);
	fake_run();
	CHECK(fake_poll(&fakes[0]) >= 1, "a full ring without a completion");
	CHECK(ocf_room(r) == ENTRIES - 10);

	r->rx = NULL;
	CHECK(ocf_recv_room(r) == 0 && ocf_post_recv(r, 1) == -EOPNOTSUPP);
}

/*
 * Two replicas send to each other with and without immediate, at random, and
 * poll at random: no ring overflows, no queue starves.
 */
static void never_overflows(void)
{
	uint32_t seed = 7, cq, i, j;

	for (cq = SHIFT; cq <= SHIFT + 1; cq++) {
		uint32_t received = 0, sent = 0;

		fake_start(SHIFT, SHIFT, cq);
		for (i = 0; i < 40000; i++) {
			struct fake *f = &fakes[i & 1];
			struct ocf_replica *r = &f->held.pub;
			uint32_t flags, n;

			seed = seed * 1664525 + 1013904223;
			n = seed >> 28;
			flags = seed & 1 << 20 ? OCF_UNSIGNALED : 0;
			ocf_post_recv(r, seed >> 16 & 7);
			if (seed & 1 << 21)
				ocf_ring_recv(r);
			for (j = 0; j < n; j++)
				if ((j & 1 ? ocf_post_nop(r, flags) :
				     ocf_post_inline_imm(r, !(i & 1), 0, 4, "abc",
							 1, flags)) >= 0)
					sent++;
			ocf_ring(r);
			fake_run();
			if (seed & 1 << 22)
				fake_poll(f);
		}
		for (j = 0; j < 2; j++) {
			CHECK(!fake_broken(&fakes[j]), "cq %u", cq);
			received += fakes[j].rx_head;
		}
		CHECK(received > 20000 && sent > 50000, "cq %u: %u, %u", cq,
		      received, sent);
	}
}

static void receive_laps(void)
{
	struct ocf_completion c;
	uint32_t i;

	fake_start(SHIFT, SHIFT, SHIFT + 1);
	for (i = 0; i < 20 * ENTRIES; i++) {
		CHECK(ocf_post_recv(fake_replica(1), 1) == (int)(i % ENTRIES));
		ocf_ring_recv(fake_replica(1));
		ocf_post_inline_imm(fake_replica(0), 1, 0, 4, "abc", i,
				    OCF_UNSIGNALED);
		ocf_ring(fake_replica(0));
		fake_run();
		fake_poll(&fakes[0]);
		CHECK(ocf_poll(fake_replica(1), &c, 1) == 1 && c.imm == i &&
		      c.index == i % ENTRIES);
	}
	CHECK(!fake_broken(&fakes[0]) && !fake_broken(&fakes[1]));
}

static void semaphores(void)
{
	struct ocf_replica *r = fake_replica(1);

	fake_start(SHIFT, SHIFT, SHIFT + 1);
	fakes[1].sems[3] = 0xfffffff0;
	CHECK(ocf_sem_read(r, 3) == 0xfffffff0);
	CHECK(ocf_sem_reached(r, 3, 0xfffffff0) && !ocf_sem_reached(r, 3, 5));
	CHECK(ocf_post_sem_remote(fake_replica(0), 1, 3, 0x15, 0) == 0);
	CHECK(ocf_post_wait(r, 3, 5, 0) == 0);
	CHECK(ocf_post_sem_local(r, 4, 1, 0) == 1);
	ocf_ring(r);
	fake_run();
	CHECK(!ocf_sem_read(r, 4) && fake_poll(&fakes[1]) == 0);
	ocf_ring(fake_replica(0));
	fake_run();
	CHECK(ocf_sem_read(r, 3) == 5 && ocf_sem_reached(r, 3, 5));
	CHECK(ocf_sem_read(r, 4) == 1 && fake_poll(&fakes[1]) == 2);
}

static void waiting_for_a_semaphore(void)
{
	struct ocf_replica *r = fake_replica(0);

	fake_start(SHIFT, SHIFT, SHIFT + 1);
	fakes[0].held.spin_ns = 2000000000;
	fakes[0].sems[5] = 7;
	CHECK(ocf_sem_wait(r, 5, 7, 0) == 0);
	CHECK(ocf_sem_wait(r, 5, 8, 2000000) == -ETIMEDOUT);
	CHECK(!strcmp(ocf_error(),
		      "semaphore 5 is 7 and was to reach 8 within 2 ms"),
	      "%s", ocf_error());
	CHECK(ocf_sem_wait(r, 64, 0, 0) == -EINVAL);
	CHECK(!strcmp(ocf_error(), "there is no semaphore 64: they are 0 to 63"),
	      "%s", ocf_error());
	CHECK(!fakes[0].owner.sem_arm, "left armed");
	fakes[0].held.has_semaphores = false;
	CHECK(ocf_sem_wait(r, 5, 7, 0) == -EOPNOTSUPP);
}

/* The handle is readable for what is not known to be taken: nobody could sleep. */
static void sleeping_after_completions(void)
{
	struct ocf_replica *r = fake_replica(0);

	fake_start(SHIFT, SHIFT, SHIFT + 1);
	CHECK(ocf_post_nop(r, 0) == 0);
	ocf_ring(r);
	fake_run();
	CHECK(fake_poll(&fakes[0]) == 1);
	CHECK(ocf_sem_wait(r, 5, 1, 1000000) < 0);
	CHECK(fakes[0].owner.consumer == 1, "the handle stays readable");
}

static void connections(void)
{
	unsigned int n, i, p, next;

	for (n = 2; n <= OCFABRIC_REPLICAS_MAX; n++)
		for (i = 0, next = 0; i < n; i++)
			for (p = 0; p < n; p++)
				if (p != i)
					CHECK(ocf_qpn(n, i, p) == next++,
					      "n %u, %u to %u", n, i, p);
}

static void broadcast_is_checked(void)
{
	struct ocf_replica *r[3] = { fake_replica(0), fake_replica(1),
				     fake_replica(2) };

	fake_start(SHIFT, SHIFT, SHIFT + 1);
	CHECK(ocf_broadcast(r, 0, 0, 1) == -EINVAL);
	CHECK(ocf_broadcast(r, 3, 0, 1) == -EINVAL);
	CHECK(ocf_broadcast(r, 32, 0, 1) == -EINVAL);
	ocf_post_nop(r[0], 0);
	CHECK(ocf_broadcast(r, 2, 0, 1) == -EINVAL);
	CHECK(!strcmp(ocf_error(), "replica 1 has 0 descriptors that were not rung, fewer than 1"),
	      "%s", ocf_error());
	CHECK(!r[0]->rung);
}

static const struct tap_test tests[] = {
	{ "fields of descriptors", fields },
	{ "a write with immediate arrives", write_imm_arrives },
	{ "the two rings are apart", rings_are_apart },
	{ "limits of receives and sends", limits },
	{ "no ring ever overflows", never_overflows },
	{ "receive descriptors lap after lap", receive_laps },
	{ "semaphores", semaphores },
	{ "waiting for a semaphore", waiting_for_a_semaphore },
	{ "sleeping after completions", sleeping_after_completions },
	{ "connections of the default table", connections },
	{ "a broadcast is checked first", broadcast_is_checked },
};

TAP_MAIN(tests)
