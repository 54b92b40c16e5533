// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive rings: what WRITE_IMM uses up and tells there, what it finds when
 * there is nothing, and that a receiver's mistakes are its own
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "util.h"

#define REGION	0x10000u
#define N	3
#define RX	64
#define CQ	128

FIXTURE(receive) {
	int node;
	struct replica r, peer, third;	/* replicas 0, 1 and 2 */
	unsigned int qpn;		/* from 0 to 1 */
	struct ocfabric_queue_get q;
	struct counters counters;
};

FIXTURE_SETUP(receive)
{
	self->r.fd = self->peer.fd = self->third.fd = -1;
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	ASSERT_EQ(0, replica_open(&self->peer, self->node, 1,
				  (struct attach){ .rx_entries = RX, .cq_entries = CQ }));
	ASSERT_EQ(0, replica_open(&self->third, self->node, 2, (struct attach){}));
	self->qpn = qpn_of(N, 0, 1);
}

FIXTURE_TEARDOWN(receive)
{
	EXPECT_EQ(0, counters_read(self->node, &self->counters));
	EXPECT_TRUE(counters_conserved(&self->counters));
	replica_close(&self->r);
	replica_close(&self->peer);
	replica_close(&self->third);
	close(self->node);
}

typedef FIXTURE_DATA(receive) fixture;

#define COUNTER(name) \
	(counters_read(self->node, &self->counters), \
	 self->counters.link[0][OCFABRIC_COUNTER_##name])

/* One WRITE_IMM from 0 to 1; its verdict. */
static int send_imm(fixture *self, uint32_t imm)
{
	struct ocfabric_desc d = imm_desc(self->qpn, 0x100, &imm, sizeof(imm), imm);

	return replica_do(&self->r, &d, NULL);
}

/* The peer's next completion is that of a write with this immediate. */
static bool received(struct replica *peer, uint32_t imm, struct ocfabric_cqe *e)
{
	return replica_wait(peer, e, patience(1000)) && e->flags & OCFABRIC_CQE_RECEIVE &&
	       e->opcode == OCFABRIC_OP_WRITE_IMM && e->imm == imm;
}

/* After a reset of the peer's queue, its ring and the writes into it are as new. */
static int works_again(fixture *self, unsigned int entries)
{
	struct ocfabric_cqe e;
	int ret = replica_reset(&self->peer);

	for (unsigned int i = 0; !ret && i < 2 * entries + 3; i++) {
		replica_arm(&self->peer, 1);
		ret = send_imm(self, i);
		if (!ret && (!received(&self->peer, i, &e) || e.index != i % entries))
			ret = -ERANGE;
	}
	return ret;
}

TEST_F(receive, before_it_is_armed_it_is_refused)
{
	struct ocfabric_hw_reject kept[OCFABRIC_REJECTS];
	struct ocfabric_rejects_get get = NEW(ocfabric_rejects_get,
					      .rejects = (uintptr_t)kept,
					      .count = ARRAY_LEN(kept));
	struct ocfabric_cqe e;

	EXPECT_EQ(OCFABRIC_VERDICT_RNR, send_imm(self, 0x1234));
	EXPECT_EQ(1, COUNTER(RNR));
	EXPECT_EQ(1, COUNTER(WRITES));
	EXPECT_EQ(0, COUNTER(COMMITTED));
	EXPECT_EQ(0, COUNTER(BYTES));
	EXPECT_EQ(0, *(uint32_t *)(self->peer.region + 0x100));
	EXPECT_FALSE(replica_poll(&self->peer, &e));
	ASSERT_EQ(0, call(self->r.fd, OCFABRIC_REJECTS_GET, &get));
	ASSERT_EQ(1, get.count);
	EXPECT_EQ(OCFABRIC_VERDICT_RNR, kept[0].verdict);
	EXPECT_EQ(OCFABRIC_OP_WRITE_IMM, kept[0].opcode);
	EXPECT_EQ(1, kept[0].peer);
	/* written is not armed: the doorbell makes it so */
	replica_rx_post(&self->peer, 1);
	EXPECT_EQ(OCFABRIC_VERDICT_RNR, send_imm(self, 0x1235));
	replica_rx_ring_by(&self->peer, 1);
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, send_imm(self, 0x1236));
	EXPECT_TRUE(received(&self->peer, 0x1236, &e));
	/* and it was one */
	EXPECT_EQ(OCFABRIC_VERDICT_RNR, send_imm(self, 0x1237));
	EXPECT_EQ(3, COUNTER(RNR));
	ASSERT_EQ(0, queue_get(&self->peer, &self->q));
	EXPECT_EQ(OCFABRIC_QUEUE_ENABLED, self->q.out_state);
}

TEST_F(receive, completion_tells_all)
{
	struct ocfabric_desc d = imm_desc(self->qpn, 0x40, "received", 9, 0xfedcba98);
	struct ocfabric_cqe sent, e;

	replica_arm(&self->peer, 4);
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &d, &sent));
	EXPECT_EQ(OCFABRIC_OP_WRITE_IMM, sent.opcode);
	EXPECT_EQ(0, sent.flags & ~OCFABRIC_CQE_TAG_MASK);
	EXPECT_EQ(9, sent.bytes);
	ASSERT_TRUE(replica_wait(&self->peer, &e, patience(1000)));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, e.status);
	EXPECT_EQ(OCFABRIC_OP_WRITE_IMM, e.opcode);
	EXPECT_EQ(OCFABRIC_CQE_RECEIVE, e.flags & ~OCFABRIC_CQE_TAG_MASK);
	EXPECT_EQ(0, e.source);
	EXPECT_EQ(self->qpn, e.qpn);
	EXPECT_EQ(0, e.index);
	EXPECT_EQ(0, e.__reserved0);
	EXPECT_EQ(9, e.bytes);
	EXPECT_EQ(0xfedcba98, e.imm);
	EXPECT_EQ(sent.clock, e.clock);
	EXPECT_EQ(0, memcmp(self->peer.region + 0x40, "received", 9));
	EXPECT_EQ(1, COUNTER(COMMITTED));
	EXPECT_EQ(9, COUNTER(BYTES));
	ASSERT_EQ(0, queue_get(&self->peer, &self->q));
	EXPECT_EQ(1, self->q.out_rx_head);
	EXPECT_EQ(4, self->q.out_rx_tail);
	EXPECT_EQ(0, self->q.out_head);
}

/* Whoever sends, they are used in their order, and each completion says whose. */
TEST_F(receive, senders_share_the_ring)
{
	struct replica *sender[] = { &self->r, &self->third };
	const unsigned int id[] = { 0, 2 };
	struct ocfabric_cqe e;

	replica_arm(&self->peer, RX);
	for (uint32_t i = 0; i < RX; i++) {
		unsigned int s = i % 3 == 1;
		struct ocfabric_desc d = imm_desc(qpn_of(N, id[s], 1), 4 * i, &i, 4, i);

		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(sender[s], &d, NULL));
		ASSERT_TRUE(received(&self->peer, i, &e));
		EXPECT_EQ(i, e.index);
		EXPECT_EQ(id[s], e.source);
		EXPECT_EQ(d.qpn, e.qpn);
	}
	EXPECT_EQ(OCFABRIC_VERDICT_RNR, send_imm(self, 0));
}

TEST_F(receive, only_an_immediate_uses_one_up)
{
	struct ocfabric_desc plain = inline_desc(self->qpn, 0, "plain", 5);
	struct ocfabric_desc quiet = imm_desc(self->qpn, 0, "quiet", 5, 77);
	struct ocfabric_cqe e;

	replica_arm(&self->peer, 2);
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &plain, NULL));
	}
	ASSERT_EQ(0, queue_get(&self->peer, &self->q));
	EXPECT_EQ(0, self->q.out_rx_head);
	/* unsignaled is the sender's affair: the receiver is told */
	quiet.flags |= OCFABRIC_DESC_UNSIGNALED;
	replica_post(&self->r, &quiet);
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &plain, &e));
	EXPECT_EQ(OCFABRIC_OP_WRITE, e.opcode);
	EXPECT_TRUE(received(&self->peer, 77, &e));
	EXPECT_EQ(0, e.index);
}

/* What is not committed gives its descriptor back, in whatever way it ends. */
TEST_F(receive, failed_writes_give_it_back)
{
	struct ocfabric_info info = NEW(ocfabric_info);
	struct ocfabric_desc bad[] = {
		imm_desc(9999, 0, "unmapped", 8, 1),
		imm_desc(self->qpn, 2, "misaligned", 8, 1),
		imm_desc(self->qpn, REGION, "outside", 8, 1),
		imm_desc(self->qpn, 0, NULL, 0, 1),
		imm_desc(self->qpn, 0x8000, "refused", 8, 1),
	};
	struct ocfabric_cqe e;

	ASSERT_EQ(0, call(self->node, OCFABRIC_INFO, &info));
	if (info.out_features & OCFABRIC_FEATURE_FAULTS) {
		ASSERT_EQ(0, CHANGE(self->node, step_fault(OCFABRIC_CHANGE_FAULT_RESP, 1, 0x8000,
							   OCFABRIC_RESP_SLVERR)));
	} else {	/* the last one is outside as well then */
		bad[4].raddr = REGION + 4;
	}
	replica_arm(&self->peer, 1);
	for (unsigned int i = 0; i < ARRAY_LEN(bad); i++) {
		int verdict = replica_do(&self->r, &bad[i], NULL);

		EXPECT_TRUE(verdict > 0 && verdict != OCFABRIC_VERDICT_RNR)
			TH_LOG("write %u: %d", i, verdict);
		ASSERT_EQ(0, queue_get(&self->peer, &self->q));
		EXPECT_EQ(0, self->q.out_rx_head);
		EXPECT_FALSE(replica_poll(&self->peer, &e));
	}
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, send_imm(self, 5));
	EXPECT_TRUE(received(&self->peer, 5, &e));
	EXPECT_EQ(0, e.index);
}

/* A short write commits what came: it is received, and marked. */
TEST_F(receive, short_write_is_received)
{
	struct ocfabric_desc d = write_desc(self->qpn, 0, 256, OCFABRIC_KEY_REGION, 0);
	struct ocfabric_cqe e;

	d.opcode = OCFABRIC_OP_WRITE_IMM;
	d.beats = 2;
	d.imm = 3;
	replica_arm(&self->peer, 1);
	EXPECT_EQ(OCFABRIC_VERDICT_SHORT_PACKET, replica_do(&self->r, &d, NULL));
	ASSERT_TRUE(received(&self->peer, 3, &e));
	EXPECT_EQ(128, e.bytes);
	EXPECT_NE(0, e.flags & OCFABRIC_CQE_SHORT);
}

/* Two of five rung ones are written; the third is looked at when its turn comes. */
TEST_F(receive, stale_tag_in_the_middle_stops)
{
	struct ocfabric_desc d = inline_desc(qpn_of(N, 1, 0), 0, "peer", 4);
	struct ocfabric_cqe e;

	replica_rx_post(&self->peer, 5);
	self->peer.rx[2].flags = 0;
	replica_rx_ring_by(&self->peer, 5);
	for (uint32_t i = 0; i < 2; i++) {
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, send_imm(self, i));
		ASSERT_TRUE(received(&self->peer, i, &e));
	}
	EXPECT_EQ(OCFABRIC_VERDICT_RNR, send_imm(self, 2));
	EXPECT_EQ(OCFABRIC_CAUSE_RX_STALE_TAG, queue_stopped(&self->peer, &self->q));
	EXPECT_EQ(2, self->q.out_wrote);
	EXPECT_EQ(5, self->q.out_expected);
	/* the receiver's queue stands still, the sender's goes on */
	replica_post(&self->peer, &d);
	replica_ring(&self->peer);
	EXPECT_FALSE(replica_poll(&self->peer, &e));
	EXPECT_EQ(OCFABRIC_VERDICT_RNR, send_imm(self, 3));
	d = inline_desc(qpn_of(N, 0, 2), 0, "third", 5);
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &d, NULL));
	/* what needs no descriptor needs no queue: the region is still there */
	d = inline_desc(self->qpn, 0x20, "region", 6);
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &d, NULL));
	EXPECT_EQ(0, works_again(self, RX));
}

TEST_F(receive, last_laps_descriptor_is_stale)
{
	struct ocfabric_cqe e;

	for (unsigned int lap = 1; lap <= 5; lap++) {
		for (unsigned int i = 0; i < lap * RX; i++) {
			replica_arm(&self->peer, 1);
			ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, send_imm(self, i));
			ASSERT_TRUE(received(&self->peer, i, &e));
		}
		replica_rx_ring_by(&self->peer, 1);
		EXPECT_EQ(OCFABRIC_VERDICT_RNR, send_imm(self, 0));
		EXPECT_EQ(OCFABRIC_CAUSE_RX_STALE_TAG, queue_stopped(&self->peer, &self->q))
			TH_LOG("lap %u", lap);
		EXPECT_EQ(0, self->q.out_wrote);
		EXPECT_EQ(1, self->q.out_expected);
		ASSERT_EQ(0, replica_reset(&self->peer));
	}
}

TEST_F(receive, bad_descriptors_stop)
{
	static const struct {
		struct ocfabric_rx_desc desc;
		unsigned int offset;
	} bad[] = {
#define AT(field)	offsetof(struct ocfabric_rx_desc, field)
		{ { .__reserved0 = 1 }, AT(__reserved0) },
		{ { .flags = 0x04 }, AT(flags) },
		{ { .flags = 0x80 }, AT(flags) },
		{ { .__reserved1 = 0x8000 }, AT(__reserved1) },
		{ { .__reserved2 = 1 }, AT(__reserved2) },
		{ { .__reserved3 = 1ull << 63 }, AT(__reserved3) },
#undef AT
	};
	struct ocfabric_cqe e;

	for (unsigned int i = 0; i < ARRAY_LEN(bad); i++) {
		struct ocfabric_rx_desc d = bad[i].desc;

		d.flags |= 1;
		replica_rx_post(&self->peer, 3);
		self->peer.rx[1] = d;
		replica_rx_ring_by(&self->peer, 3);
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, send_imm(self, i));
		EXPECT_EQ(OCFABRIC_VERDICT_RNR, send_imm(self, i));
		EXPECT_EQ(OCFABRIC_CAUSE_RX_BAD_DESCRIPTOR, queue_stopped(&self->peer, &self->q))
			TH_LOG("row %u", i);
		EXPECT_EQ(1, self->q.out_wrote);
		EXPECT_EQ(bad[i].offset, self->q.out_expected)
			TH_LOG("row %u", i);
		EXPECT_TRUE(received(&self->peer, i, &e));
		EXPECT_FALSE(replica_poll(&self->peer, &e));
		ASSERT_EQ(0, replica_reset(&self->peer));
	}
	EXPECT_EQ(0, works_again(self, RX));
}

TEST_F(receive, increments)
{
	static const uint32_t past[] = { RX + 1, 2 * RX, 0xffffff, 0xffffffff };

	/* nothing, and bits that are not part of it */
	replica_rx_ring_by(&self->peer, 0);
	replica_rx_ring_by(&self->peer, 0xff000000);
	EXPECT_EQ(OCFABRIC_VERDICT_RNR, send_imm(self, 0));
	replica_rx_post(&self->peer, RX);
	replica_rx_ring_by(&self->peer, 0xab000001);
	ASSERT_EQ(0, queue_get(&self->peer, &self->q));
	EXPECT_EQ(OCFABRIC_QUEUE_ENABLED, self->q.out_state);
	EXPECT_EQ(1, self->q.out_rx_tail);
	/* full, and one more */
	replica_rx_ring_by(&self->peer, RX - 1);
	ASSERT_EQ(0, queue_get(&self->peer, &self->q));
	EXPECT_EQ(OCFABRIC_QUEUE_ENABLED, self->q.out_state);
	EXPECT_EQ(RX, self->q.out_rx_tail);
	replica_rx_ring_by(&self->peer, 1);
	EXPECT_EQ(OCFABRIC_CAUSE_RX_OVER_INCREMENT, queue_stopped(&self->peer, &self->q));
	EXPECT_EQ(0, self->q.out_wrote);
	EXPECT_EQ(1, self->q.out_expected);
	for (unsigned int i = 0; i < ARRAY_LEN(past); i++) {
		ASSERT_EQ(0, replica_reset(&self->peer));
		replica_rx_ring_by(&self->peer, past[i]);
		EXPECT_EQ(OCFABRIC_CAUSE_RX_OVER_INCREMENT, queue_stopped(&self->peer, &self->q));
		EXPECT_EQ(RX, self->q.out_wrote);
		EXPECT_EQ(past[i] & OCFABRIC_DOORBELL_INC_MASK, self->q.out_expected);
	}
	EXPECT_EQ(0, works_again(self, RX));
}

TEST_F(receive, doorbell_page_reads_zero)
{
	volatile uint32_t *page = self->peer.rx_doorbell;

	replica_arm(&self->peer, 3);
	for (unsigned int i = 0; i < PAGE / 4; i++) {
		ASSERT_EQ(0, page[i])
			TH_LOG("word %#x", 4 * i);
	}
}

/* Each ring by itself, at its smallest and its largest, several laps of it. */
static int lap_all(fixture *self, struct attach how, unsigned int batch)
{
	unsigned int most = how.rx_entries > how.tx_entries ? how.rx_entries : how.tx_entries;
	unsigned int total = (is_debug_kernel() ? 1 : 3) * most + 5;
	struct ocfabric_cqe e;

	replica_close(&self->r);
	replica_close(&self->peer);
	if (replica_open(&self->r, self->node, 0, how) ||
	    replica_open(&self->peer, self->node, 1, how))
		return -1;
	for (uint32_t at = 0; at < total; at += batch) {
		replica_arm(&self->peer, batch);
		for (uint32_t i = 0; i < batch; i++)
			replica_post(&self->r, ARG_DESC(imm_desc(self->qpn, 0, NULL, 4, at + i)));
		replica_ring(&self->r);
		for (uint32_t i = 0; i < batch; i++) {
			if (!replica_wait(&self->r, &e, patience(2000)) || e.status ||
			    e.index != (at + i) % how.tx_entries)
				return at + i + 1;
			if (!received(&self->peer, at + i, &e) ||
			    e.index != (at + i) % how.rx_entries)
				return -(int)(at + i + 1);
		}
	}
	return 0;
}

TEST_F(receive, rings_wrap)
{
	static const struct attach sizes[] = {
		{ .tx_entries = 16, .rx_entries = 16, .cq_entries = 16 },
		{ .tx_entries = 32768, .rx_entries = 16, .cq_entries = 64 },
		{ .tx_entries = 16, .rx_entries = 32768, .cq_entries = 64 },
		{ .tx_entries = 64, .rx_entries = 64, .cq_entries = 32768 },
		{ .tx_entries = 32768, .rx_entries = 32768, .cq_entries = 32768 },
	};

	for (unsigned int i = 0; i < ARRAY_LEN(sizes); i++) {
		EXPECT_EQ(0, lap_all(self, sizes[i], 16))
			TH_LOG("row %u", i);
	}
}

/* Without a receiver, or while his queue stands still, nothing is received. */
TEST_F(receive, nobody_there_is_refused)
{
	struct ocfabric_cqe e;

	replica_arm(&self->peer, 4);
	replica_close(&self->peer);
	EXPECT_EQ(OCFABRIC_VERDICT_RNR, send_imm(self, 1));
	ASSERT_EQ(0, replica_open(&self->peer, self->node, 1,
				  (struct attach){ .rx_entries = RX, .cq_entries = CQ }));
	/* nothing is left of what its last owner armed */
	EXPECT_EQ(OCFABRIC_VERDICT_RNR, send_imm(self, 2));
	replica_arm(&self->peer, 1);
	replica_ring_by(&self->peer, 0xffff);
	EXPECT_EQ(OCFABRIC_CAUSE_OVER_INCREMENT, queue_stopped(&self->peer, &self->q));
	EXPECT_EQ(OCFABRIC_VERDICT_RNR, send_imm(self, 3));
	ASSERT_EQ(0, replica_reset(&self->peer));
	EXPECT_EQ(OCFABRIC_VERDICT_RNR, send_imm(self, 4));
	replica_arm(&self->peer, 1);
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, send_imm(self, 5));
	EXPECT_TRUE(received(&self->peer, 5, &e));
}

/* A reset of the queue zeroes the ring: what was armed is not any more. */
TEST_F(receive, reset_disarms)
{
	replica_arm(&self->peer, RX);
	ASSERT_EQ(0, replica_reset(&self->peer));
	for (unsigned int i = 0; i < RX; i++) {
		ASSERT_EQ(0, self->peer.rx[i].flags);
	}
	EXPECT_EQ(OCFABRIC_VERDICT_RNR, send_imm(self, 1));
	ASSERT_EQ(0, queue_get(&self->peer, &self->q));
	EXPECT_EQ(OCFABRIC_QUEUE_ENABLED, self->q.out_state);
	EXPECT_EQ(0, self->q.out_rx_tail);
}

/* One that never takes completions stops; those who send to it do not. */
TEST_F(receive, reader_that_takes_nothing_stops_alone)
{
	struct ocfabric_desc other = imm_desc(qpn_of(N, 0, 2), 0, "other", 5, 9);
	struct ocfabric_cqe e;

	replica_close(&self->peer);
	ASSERT_EQ(0, replica_open(&self->peer, self->node, 1,
				  (struct attach){ .rx_entries = RX, .cq_entries = 16 }));
	replica_arm(&self->peer, RX);
	replica_arm(&self->third, 100);
	for (unsigned int i = 0; i < 16; i++) {
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, send_imm(self, i));
	}
	for (unsigned int i = 0; i < 50; i++) {
		ASSERT_EQ(OCFABRIC_VERDICT_RNR, send_imm(self, 16 + i));
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &other, NULL));
		ASSERT_TRUE(received(&self->third, 9, &e));
	}
	EXPECT_EQ(OCFABRIC_CAUSE_CQ_FULL, queue_stopped(&self->peer, &self->q));
	EXPECT_EQ(0, self->q.out_wrote);
	EXPECT_EQ(16, self->q.out_expected);
	ASSERT_EQ(0, queue_get(&self->r, &self->q));
	EXPECT_EQ(OCFABRIC_QUEUE_ENABLED, self->q.out_state);
	/* nothing that was told is lost */
	for (unsigned int i = 0; i < 16; i++) {
		ASSERT_TRUE(received(&self->peer, i, &e));
	}
	EXPECT_FALSE(replica_poll(&self->peer, &e));
	EXPECT_EQ(0, works_again(self, RX));
}

static void arm(struct replica *r)
{
	__atomic_store_n(&r->owner->arm, r->taken, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static int wait_poll(struct replica *r, int ms)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1 ? p.revents : 0;
}

TEST_F(receive, completion_wakes)
{
	struct ocfabric_cqe e;

	for (uint32_t i = 0; i < 100; i++) {
		replica_arm(&self->peer, 1);
		arm(&self->peer);
		ASSERT_EQ(0, wait_poll(&self->peer, 0));
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, send_imm(self, i));
		ASSERT_EQ(POLLIN, wait_poll(&self->peer, patience(1000)))
			TH_LOG("round %u", i);
		ASSERT_TRUE(received(&self->peer, i, &e));
	}
}

/* A stop that another's write brings about wakes the owner, too. */
TEST_F(receive, stop_wakes)
{
	replica_rx_ring_by(&self->peer, 1);
	arm(&self->peer);
	ASSERT_EQ(0, wait_poll(&self->peer, 0));
	EXPECT_EQ(OCFABRIC_VERDICT_RNR, send_imm(self, 0));
	EXPECT_EQ(POLLIN, wait_poll(&self->peer, patience(1000)));
	EXPECT_EQ(OCFABRIC_CAUSE_RX_STALE_TAG, queue_stopped(&self->peer, &self->q));
}

TEST_F(receive, eventfd_counts)
{
	int event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	struct pollfd p = { .fd = event, .events = POLLIN };
	struct ocfabric_cqe e;
	uint64_t value;

	ASSERT_GE(event, 0);
	ASSERT_EQ(0, call(self->peer.fd, OCFABRIC_EVENTFD, ARG(ocfabric_eventfd, .fd = event)));
	for (uint32_t i = 0; i < 20; i++) {
		replica_arm(&self->peer, 1);
		arm(&self->peer);
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, send_imm(self, i));
		ASSERT_EQ(1, poll(&p, 1, patience(1000)));
		ASSERT_EQ(8, read(event, &value, 8));
		EXPECT_EQ(1, value);
		ASSERT_TRUE(received(&self->peer, i, &e));
	}
	close(event);
}

/*
 * Two senders at once into one ring that its owner arms again and again: each
 * write is received once, in its sender's order, or is refused.
 */
#define SENT	(is_debug_kernel() ? 600u : 3000u)

struct sender {
	struct replica *r;
	unsigned int qpn;
	unsigned int committed;
	int failed;
};

static void *send_many(void *arg)
{
	struct sender *s = arg;

	while (s->committed < SENT && !s->failed) {
		struct ocfabric_desc d = imm_desc(s->qpn, 0, NULL, 4, s->committed);
		int verdict = replica_do(s->r, &d, NULL);

		if (verdict == OCFABRIC_VERDICT_COMMITTED)
			s->committed++;
		else if (verdict != OCFABRIC_VERDICT_RNR)
			s->failed = verdict;
		else
			sched_yield();
	}
	return NULL;
}

TEST_F(receive, many_senders_lose_nothing)
{
	struct sender s[] = { { .r = &self->r, .qpn = self->qpn },
			      { .r = &self->third, .qpn = qpn_of(N, 2, 1) } };
	uint32_t next[N] = {};
	struct ocfabric_cqe e;
	pthread_t thread[2];

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, send_many, &s[i]));
	}
	for (unsigned int i = 0; i < 2 * SENT; i++) {
		if (!(i % 16))
			replica_arm(&self->peer, 16);
		ASSERT_TRUE(replica_wait(&self->peer, &e, patience(5000)))
			TH_LOG("completion %u; %d %d", i, s[0].failed, s[1].failed);
		ASSERT_GT(N, e.source);
		ASSERT_EQ(i % RX, e.index);
		ASSERT_EQ(next[e.source]++, e.imm);
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		EXPECT_EQ(0, s[i].failed);
	}
	EXPECT_EQ(SENT, next[0]);
	EXPECT_EQ(SENT, next[2]);
}

TEST_HARNESS_MAIN
