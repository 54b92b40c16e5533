// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings that break their rules: the queue stops with its cause, says what it
 * found, and starts anew by a reset; nothing else ever happens
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "util.h"

#define REGION	0x10000u
#define N	3
#define TX	64
#define CQ	16

FIXTURE(queue) {
	int node;
	struct replica r;
	unsigned int qpn;
	struct ocfabric_queue_get q;
	struct counters counters;
};

FIXTURE_SETUP(queue)
{
	self->r.fd = -1;
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0,
				  (struct attach){ .tx_entries = TX, .cq_entries = CQ }));
	self->qpn = qpn_of(N, 0, 1);
}

FIXTURE_TEARDOWN(queue)
{
	EXPECT_EQ(0, counters_read(self->node, &self->counters));
	EXPECT_TRUE(counters_conserved(&self->counters));
	replica_close(&self->r);
	close(self->node);
}

static const struct ocfabric_desc nop;

/* After a reset the queue is as new. */
static int works_again(struct replica *r, unsigned int qpn)
{
	struct ocfabric_desc d = inline_desc(qpn, 0, "again", 5);
	struct ocfabric_cqe e;
	int ret = replica_reset(r);

	if (ret)
		return ret;
	for (unsigned int i = 0; i < 3 * TX; i++) {
		ret = replica_do(r, &d, &e);
		if (ret || e.index != i % TX)
			return ret ? ret : -ERANGE;
	}
	return 0;
}

TEST_F(queue, counts_what_it_does)
{
	ASSERT_EQ(0, queue_get(&self->r, &self->q));
	EXPECT_EQ(OCFABRIC_QUEUE_ENABLED, self->q.out_state);
	EXPECT_EQ(OCFABRIC_CAUSE_NONE, self->q.out_cause);
	EXPECT_EQ(0, self->q.out_tail);
	for (int i = 0; i < 5; i++)
		ASSERT_EQ(0, replica_do(&self->r, &nop, NULL));
	ASSERT_EQ(0, queue_get(&self->r, &self->q));
	EXPECT_EQ(5, self->q.out_head);
	EXPECT_EQ(5, self->q.out_tail);
	EXPECT_EQ(5, self->q.out_cq_producer);
}

TEST_F(queue, stale_tag_stops)
{
	struct ocfabric_desc d = inline_desc(self->qpn, 0, "ok", 2);
	struct ocfabric_cqe e;

	replica_post(&self->r, &d);
	replica_post(&self->r, &d);
	replica_ring_by(&self->r, 3);
	EXPECT_EQ(OCFABRIC_CAUSE_STALE_TAG, queue_stopped(&self->r, &self->q));
	EXPECT_EQ(2, self->q.out_wrote);
	EXPECT_EQ(3, self->q.out_expected);
	/* the two before it ran, nothing after it */
	EXPECT_TRUE(replica_poll(&self->r, &e));
	EXPECT_TRUE(replica_poll(&self->r, &e));
	EXPECT_FALSE(replica_poll(&self->r, &e));
	replica_post(&self->r, &d);
	replica_ring(&self->r);
	ASSERT_EQ(0, queue_get(&self->r, &self->q));
	EXPECT_EQ(OCFABRIC_QUEUE_STOPPED, self->q.out_state);
	EXPECT_FALSE(replica_poll(&self->r, &e));
	EXPECT_EQ(0, works_again(&self->r, self->qpn));
}

/* Two of five: what is behind the gap is written, and does not run. */
TEST_F(queue, stale_tag_in_the_middle_stops)
{
	struct ocfabric_desc d = inline_desc(self->qpn, 0, "gap", 3);
	struct ocfabric_cqe e;

	for (int i = 0; i < 5; i++)
		replica_post(&self->r, &d);
	self->r.tx[2].flags &= ~OCFABRIC_DESC_TAG_MASK;
	replica_ring(&self->r);
	EXPECT_EQ(OCFABRIC_CAUSE_STALE_TAG, queue_stopped(&self->r, &self->q));
	EXPECT_EQ(2, self->q.out_wrote);
	EXPECT_EQ(5, self->q.out_expected);
	EXPECT_EQ(2, self->q.out_head);
	EXPECT_TRUE(replica_poll(&self->r, &e));
	EXPECT_TRUE(replica_poll(&self->r, &e));
	EXPECT_FALSE(replica_poll(&self->r, &e));
	ASSERT_EQ(0, counters_read(self->node, &self->counters));
	EXPECT_EQ(2, self->counters.link[0][OCFABRIC_COUNTER_WRITES]);
	EXPECT_EQ(0, works_again(&self->r, self->qpn));
}

/* A ring that is full to its last entry, and one more */
TEST_F(queue, increments_up_to_full)
{
	struct ocfabric_desc quiet = { .flags = OCFABRIC_DESC_UNSIGNALED };
	struct ocfabric_cqe e;

	/* held by a WAIT, so that nothing leaves the ring meanwhile */
	replica_post(&self->r, ARG_DESC(wait_desc(0, 1)));
	for (int i = 1; i < TX; i++)
		replica_post(&self->r, i < TX - 1 ? &quiet : &nop);
	replica_ring(&self->r);
	replica_ring_by(&self->r, 0);
	ASSERT_EQ(0, queue_get(&self->r, &self->q));
	EXPECT_EQ(OCFABRIC_QUEUE_ENABLED, self->q.out_state);
	EXPECT_EQ(TX, self->q.out_tail - self->q.out_head);
	replica_ring_by(&self->r, 1);
	EXPECT_EQ(OCFABRIC_CAUSE_OVER_INCREMENT, queue_stopped(&self->r, &self->q));
	EXPECT_EQ(0, self->q.out_wrote);
	EXPECT_EQ(1, self->q.out_expected);
	EXPECT_FALSE(replica_poll(&self->r, &e));
	EXPECT_EQ(0, works_again(&self->r, self->qpn));
}

/* A descriptor of the lap before is stale, each of the four tags in turn. */
TEST_F(queue, last_laps_descriptor_is_stale)
{
	for (unsigned int lap = 1; lap <= 5; lap++) {
		for (unsigned int i = 0; i < lap * TX; i++)
			ASSERT_EQ(0, replica_do(&self->r, &nop, NULL));
		replica_ring_by(&self->r, 1);
		EXPECT_EQ(OCFABRIC_CAUSE_STALE_TAG, queue_stopped(&self->r, &self->q))
			TH_LOG("lap %u", lap);
		EXPECT_EQ(0, self->q.out_wrote);
		EXPECT_EQ(1, self->q.out_expected);
		ASSERT_EQ(0, replica_reset(&self->r));
	}
}

TEST_F(queue, increment_past_the_room_stops)
{
	static const uint32_t increments[] = { TX + 1, 2 * TX, 0x800000, 0xffffff, 0xffffffff };
	struct ocfabric_cqe e;

	for (unsigned int i = 0; i < ARRAY_LEN(increments); i++) {
		replica_ring_by(&self->r, increments[i]);
		EXPECT_EQ(OCFABRIC_CAUSE_OVER_INCREMENT, queue_stopped(&self->r, &self->q));
		EXPECT_EQ(TX, self->q.out_wrote);
		EXPECT_EQ(increments[i] & OCFABRIC_DOORBELL_INC_MASK, self->q.out_expected);
		EXPECT_FALSE(replica_poll(&self->r, &e));
		ASSERT_EQ(0, works_again(&self->r, self->qpn));
		ASSERT_EQ(0, replica_reset(&self->r));
	}
}

TEST_F(queue, reserved_increment_bits_are_ignored)
{
	struct ocfabric_cqe e;

	replica_post(&self->r, &nop);
	replica_ring_by(&self->r, 0xff000001);
	EXPECT_TRUE(replica_wait(&self->r, &e, patience(1000)));
	replica_ring_by(&self->r, 0xff000000);
	replica_ring_by(&self->r, 0);
	ASSERT_EQ(0, queue_get(&self->r, &self->q));
	EXPECT_EQ(OCFABRIC_QUEUE_ENABLED, self->q.out_state);
	EXPECT_EQ(1, self->q.out_tail);
}

/* Each field that a descriptor may not have, and where it says the fault is */
static const struct bad {
	const char *what;
	struct ocfabric_desc desc;
	unsigned int offset;
} bad[] = {
#define BAD(what_, offset_, ...) \
	{ what_, { .key = OCFABRIC_KEY_REGION, __VA_ARGS__ }, offset_ }
#define AT(field)	offsetof(struct ocfabric_desc, field)
#define W		.opcode = OCFABRIC_OP_WRITE
	BAD("opcode 6", AT(opcode), .opcode = 6),
	BAD("opcode 255", AT(opcode), .opcode = 255),
	BAD("flag 4", AT(flags), W, .flags = 0x10),
	BAD("flag 7", AT(flags), W, .flags = 0x80),
	BAD("semaphore of a write", AT(sem), W, .sem = 1),
	BAD("QPN of 25 bits", AT(qpn), W, .qpn = 0x1000000),
	BAD("QPN of 32 bits", AT(qpn), W, .qpn = 0x80000000),
	BAD("beats of 25 bits", AT(beats), W, .beats = 0x1000000),
	BAD("length past the most", AT(len), W, .len = OCFABRIC_LEN_MAX + 1),
	BAD("length of all ones", AT(len), W, .len = 0xffffffff),
	BAD("immediate of a plain write", AT(imm), W, .imm = 1),
	BAD("last reserved of the head", AT(__reserved1), W, .__reserved1 = 0x80000000),
	BAD("reserved after the key", AT(__reserved3), W, .__reserved3 = { 1 }),
	BAD("last word", AT(__reserved3), W, .__reserved3 = { 0, 0, 0, 0, 1 }),
	BAD("inline past its room", AT(len), W, .flags = OCFABRIC_DESC_INLINE, .len = 33),
#undef W
#undef AT
};

TEST_F(queue, bad_descriptors_stop)
{
	struct ocfabric_cqe e;

	for (unsigned int i = 0; i < ARRAY_LEN(bad); i++) {
		replica_post(&self->r, &nop);
		replica_post(&self->r, &bad[i].desc);
		replica_post(&self->r, &nop);
		replica_ring(&self->r);
		EXPECT_EQ(OCFABRIC_CAUSE_BAD_DESCRIPTOR, queue_stopped(&self->r, &self->q))
			TH_LOG("%s", bad[i].what);
		EXPECT_EQ(1, self->q.out_wrote);
		EXPECT_EQ(bad[i].offset, self->q.out_expected)
			TH_LOG("%s", bad[i].what);
		EXPECT_TRUE(replica_poll(&self->r, &e));
		EXPECT_FALSE(replica_poll(&self->r, &e));
		ASSERT_EQ(0, replica_reset(&self->r));
	}
	EXPECT_EQ(0, works_again(&self->r, self->qpn));
	ASSERT_EQ(0, counters_read(self->node, &self->counters));
	EXPECT_EQ(3 * TX, self->counters.link[0][OCFABRIC_COUNTER_WRITES]);
}

TEST_F(queue, full_completion_ring_stops)
{
	struct ocfabric_cqe e;

	for (unsigned int i = 0; i < CQ + 4; i++)
		replica_post(&self->r, &nop);
	replica_ring(&self->r);
	EXPECT_EQ(OCFABRIC_CAUSE_CQ_FULL, queue_stopped(&self->r, &self->q));
	EXPECT_EQ(0, self->q.out_wrote);
	EXPECT_EQ(CQ, self->q.out_expected);
	EXPECT_EQ(CQ, self->q.out_cq_producer);
	/* what was told is still there, each of them */
	for (unsigned int i = 0; i < CQ; i++) {
		ASSERT_TRUE(replica_poll(&self->r, &e));
		EXPECT_EQ(i, e.index);
	}
	EXPECT_FALSE(replica_poll(&self->r, &e));
	EXPECT_EQ(0, works_again(&self->r, self->qpn));
}

TEST_F(queue, consumer_outside_the_ring_stops)
{
	for (unsigned int i = 0; i < CQ; i++)
		ASSERT_EQ(0, replica_do(&self->r, &nop, NULL));
	self->r.owner->consumer = 0x12345678;
	for (unsigned int i = 0; i < 2 * CQ; i++)
		replica_post(&self->r, &nop);
	replica_ring(&self->r);
	EXPECT_EQ(OCFABRIC_CAUSE_OWNER_INDEX, queue_stopped(&self->r, &self->q));
	EXPECT_EQ(0x12345678, self->q.out_wrote);
	EXPECT_EQ(0, works_again(&self->r, self->qpn));
}

TEST_F(queue, reset_of_a_running_queue)
{
	for (int i = 0; i < 50; i++) {
		ASSERT_EQ(0, works_again(&self->r, self->qpn));
	}
}

TEST_F(queue, reset_keeps_keys)
{
	struct ocfabric_desc d;
	uint32_t key;
	void *buffer;

	ASSERT_EQ(0, buffer_add(self->r.fd, PAGE, &key, &buffer));
	ASSERT_EQ(0, replica_reset(&self->r));
	d = write_desc(self->qpn, 0, PAGE, key, 0);
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &d, NULL));
}

/* One that stopped does not hold up the others, nor the configuration. */
TEST_F(queue, stop_is_its_own_affair)
{
	struct ocfabric_desc d = inline_desc(qpn_of(N, 1, 0), 0, "fine", 4);
	struct replica other;

	ASSERT_EQ(0, replica_open(&other, self->node, 1, (struct attach){}));
	replica_ring_by(&self->r, 0xffff);
	EXPECT_EQ(OCFABRIC_CAUSE_OVER_INCREMENT, queue_stopped(&self->r, &self->q));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&other, &d, NULL));
	EXPECT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_LATENCY, 0)));
	replica_close(&other);
}

/*
 * A thread scribbles over descriptors that are being read. Each either runs as
 * some write, or stops the queue; each write has one verdict.
 */
struct scribbler {
	struct replica *r;
	bool stop;
};

static void *scribble(void *arg)
{
	struct scribbler *s = arg;
	uint64_t random = 99;

	while (!__atomic_load_n(&s->stop, __ATOMIC_RELAXED)) {
		volatile uint8_t *at = (volatile uint8_t *)s->r->tx;

		at[next_random(&random) % (TX * 64)] ^= 1 << next_random(&random) % 8;
	}
	return NULL;
}

static unsigned int take_all(struct replica *r)
{
	struct ocfabric_cqe e;
	unsigned int count = 0;

	while (replica_poll(r, &e))
		count++;
	return count;
}

TEST_F(queue, changes_after_the_doorbell_do_no_harm)
{
	struct ocfabric_desc d = write_desc(self->qpn, 0, 4096, OCFABRIC_KEY_REGION, 0);
	struct scribbler s = { .r = &self->r };
	unsigned int stops = 0, completed = 0;
	uint64_t start = now_ms(), end = start + patience(3000);
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, scribble, &s));
	/* for two seconds, and for both to have come */
	while (now_ms() < end && (now_ms() < start + 2000 || !stops || !completed)) {
		for (int i = 0; i < CQ; i++)
			replica_post(&self->r, &d);
		replica_ring(&self->r);
		completed += take_all(&self->r);
		ASSERT_EQ(0, queue_get(&self->r, &self->q));
		if (self->q.out_state != OCFABRIC_QUEUE_STOPPED)
			continue;
		stops++;
		ASSERT_EQ(0, replica_reset(&self->r));
	}
	__atomic_store_n(&s.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT_GT(stops, 0);
	EXPECT_GT(completed, 0);
	EXPECT_EQ(0, works_again(&self->r, self->qpn));
}

TEST_HARNESS_MAIN
