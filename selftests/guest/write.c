// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes: where their bytes land, what verdict each gets, and what is counted
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "util.h"

#define REGION	0x10000u
#define N	3

FIXTURE(write) {
	int node;
	struct replica r, peer;	/* replicas 0 and 1 */
	unsigned int qpn;	/* from 0 to 1 */
	uint32_t key;
	void *buffer;
	struct counters counters;
};

FIXTURE_SETUP(write)
{
	self->r.fd = self->peer.fd = -1;
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	ASSERT_EQ(0, replica_open(&self->peer, self->node, 1, (struct attach){}));
	self->qpn = qpn_of(N, 0, 1);
	ASSERT_EQ(0, buffer_add(self->r.fd, REGION, &self->key, &self->buffer));
}

/* Whatever a test did, its writes are all accounted for. */
FIXTURE_TEARDOWN(write)
{
	EXPECT_EQ(0, counters_read(self->node, &self->counters));
	EXPECT_TRUE(counters_conserved(&self->counters));
	replica_close(&self->r);
	replica_close(&self->peer);
	close(self->node);
}

/* A mapping of the buffer would keep the handle. */
static void drop(struct replica *r, void *buffer)
{
	munmap(buffer, REGION);
	replica_close(r);
}

#define COUNTER(name) \
	(counters_read(self->node, &self->counters), \
	 self->counters.link[0][OCFABRIC_COUNTER_##name])

static unsigned int lines_of(uint64_t address, uint32_t bytes)
{
	return (address % 64 + bytes + 63) / 64;
}

/* Sends len bytes to raddr over a background of 0xee and looks at all around. */
static bool lands(struct replica *r, struct replica *peer, const struct ocfabric_desc *d,
		  const void *data, struct ocfabric_cqe *e)
{
	static uint8_t want[REGION];

	memset(peer->region, 0xee, REGION);
	memset(want, 0xee, REGION);
	memcpy(want + d->raddr, data, d->len);
	return replica_do(r, d, e) == OCFABRIC_VERDICT_COMMITTED && e->bytes == d->len &&
	       !memcmp(want, peer->region, REGION);
}

TEST_F(write, payload_lands_at_every_word_shift)
{
	static const uint32_t sizes[] = { 1, 2, 3, 4, 5, 31, 32, 60, 63, 64, 65, 100, 127, 128,
					  129, 191, 192, 255, 256, 1000, 4095, 4096 };
	uint64_t lines = 0, bytes = 0;
	struct ocfabric_cqe e;

	for (unsigned int shift = 0; shift < 16; shift++) {
		for (unsigned int i = 0; i < ARRAY_LEN(sizes); i++) {
			struct ocfabric_desc d = write_desc(self->qpn, 0x1000 + 4 * shift,
							    sizes[i], self->key, 0);

			fill_pattern(self->buffer, sizes[i], shift * 100 + i);
			ASSERT_TRUE(lands(&self->r, &self->peer, &d, self->buffer, &e))
				TH_LOG("shift %u, size %u", shift, sizes[i]);
			lines += lines_of(4 * shift, sizes[i]);
			bytes += sizes[i];
		}
	}
	EXPECT_EQ(16 * ARRAY_LEN(sizes), COUNTER(WRITES));
	EXPECT_EQ(16 * ARRAY_LEN(sizes), COUNTER(COMMITTED));
	EXPECT_EQ(lines, COUNTER(LINES));
	EXPECT_EQ(bytes, COUNTER(BYTES));
}

TEST_F(write, inline_payload_lands)
{
	uint8_t data[OCFABRIC_INLINE_MAX];
	struct ocfabric_cqe e;

	fill_pattern(data, sizeof(data), 3);
	for (unsigned int len = 1; len <= sizeof(data); len++) {
		struct ocfabric_desc d = inline_desc(self->qpn, 4 * len, data, len);

		ASSERT_TRUE(lands(&self->r, &self->peer, &d, data, &e))
			TH_LOG("length %u", len);
	}
}

TEST_F(write, whole_region_lands)
{
	struct ocfabric_desc d = write_desc(self->qpn, 0, REGION, self->key, 0);
	struct ocfabric_cqe e;

	fill_pattern(self->buffer, REGION, 11);
	EXPECT_TRUE(lands(&self->r, &self->peer, &d, self->buffer, &e));
	EXPECT_EQ(REGION / 64, COUNTER(LINES));
}

TEST_F(write, completion_tells_which)
{
	struct ocfabric_desc d = inline_desc(self->qpn, 0x40, "completion", 10);
	struct ocfabric_cqe e;
	uint64_t clock = 0;

	for (unsigned int i = 0; i < 40; i++) {
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &d, &e));
		EXPECT_EQ(OCFABRIC_OP_WRITE, e.opcode);
		EXPECT_EQ(0, e.flags & ~OCFABRIC_CQE_TAG_MASK);
		EXPECT_EQ(self->qpn, e.qpn);
		EXPECT_EQ(i, e.index);
		EXPECT_EQ(10, e.bytes);
		EXPECT_EQ(0, e.imm);
		EXPECT_EQ(0, e.__reserved0);
		EXPECT_GE(e.clock, clock);
		clock = e.clock;
	}
	EXPECT_GT(clock, 0);
}

TEST_F(write, nop_completes_and_counts_nothing)
{
	struct ocfabric_cqe e;

	EXPECT_EQ(0, replica_do(&self->r, &(struct ocfabric_desc){}, &e));
	EXPECT_EQ(OCFABRIC_OP_NOP, e.opcode);
	EXPECT_EQ(0, e.bytes);
	EXPECT_EQ(0, COUNTER(WRITES));
}

TEST_F(write, unsignaled_success_is_silent)
{
	struct ocfabric_desc quiet = inline_desc(self->qpn, 0, "quiet", 5);
	struct ocfabric_desc loud = inline_desc(self->qpn, 0x40, "loud", 4);
	struct ocfabric_desc bad = inline_desc(0xabc, 0, "bad", 3);
	struct ocfabric_cqe e;

	quiet.flags |= OCFABRIC_DESC_UNSIGNALED;
	bad.flags |= OCFABRIC_DESC_UNSIGNALED;
	for (int i = 0; i < 7; i++)
		replica_post(&self->r, &quiet);
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &loud, &e));
	EXPECT_EQ(7, e.index);
	EXPECT_EQ(8, COUNTER(COMMITTED));
	/* a failure is told all the same */
	ASSERT_EQ(OCFABRIC_VERDICT_UNMAPPED, replica_do(&self->r, &bad, &e));
	EXPECT_EQ(8, e.index);
	EXPECT_FALSE(replica_poll(&self->r, &e));
}

TEST_F(write, one_doorbell_for_a_whole_ring)
{
	struct ocfabric_cqe e;
	uint32_t value;

	for (unsigned int i = 0; i < 1024; i++) {
		value = i + 1;
		struct ocfabric_desc d = inline_desc(self->qpn, 4 * i, &value, 4);

		replica_post(&self->r, &d);
	}
	replica_ring(&self->r);
	for (unsigned int i = 0; i < 1024; i++) {
		ASSERT_TRUE(replica_wait(&self->r, &e, patience(1000)));
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, e.status);
		ASSERT_EQ(i, e.index);
	}
	for (unsigned int i = 0; i < 1024; i++) {
		ASSERT_EQ(i + 1, ((uint32_t *)self->peer.region)[i]);
	}
	EXPECT_EQ(1024, COUNTER(COMMITTED));
}

/* Both rings of 16 go round often enough for each tag to return many times. */
TEST_F(write, small_ring_wraps)
{
	uint64_t random = 1;
	uint32_t sent = 0, value;
	struct ocfabric_cqe e;

	drop(&self->r, self->buffer);
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0,
				  (struct attach){ .tx_entries = 16, .cq_entries = 16 }));
	while (sent < 3000) {
		unsigned int batch = 1 + next_random(&random) % 16;

		for (unsigned int i = 0; i < batch; i++) {
			value = sent + i + 1;
			struct ocfabric_desc d = inline_desc(self->qpn,
							     4 * ((sent + i) % 4096), &value, 4);

			replica_post(&self->r, &d);
		}
		replica_ring(&self->r);
		for (unsigned int i = 0; i < batch; i++) {
			ASSERT_TRUE(replica_wait(&self->r, &e, patience(1000)))
				TH_LOG("write %u", sent + i);
			ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, e.status);
			ASSERT_EQ((sent + i) % 16, e.index);
		}
		sent += batch;
	}
	for (uint32_t i = 0; i < 3000; i++) {
		ASSERT_EQ(i + 1, ((uint32_t *)self->peer.region)[i]);
	}
	EXPECT_EQ(sent, COUNTER(COMMITTED));
}

/* Each check on its own, and what it counts */
static const struct rejected {
	const char *what;
	struct ocfabric_desc desc;
	enum ocfabric_verdict verdict;
	enum ocfabric_counter counter;
} rejected[] = {
#define DESC(qpn_, raddr_, len_) \
	{ .opcode = OCFABRIC_OP_WRITE, .flags = OCFABRIC_DESC_INLINE, .qpn = qpn_, \
	  .raddr = raddr_, .len = len_ }
#define REJECT(what_, name, ...) \
	{ what_, DESC(__VA_ARGS__), OCFABRIC_VERDICT_##name, OCFABRIC_COUNTER_##name }
	REJECT("QPN of another link", UNMAPPED, 2, 0, 4),
	REJECT("QPN past the table", UNMAPPED, 256, 0, 4),
	REJECT("largest QPN", UNMAPPED, 0xffffff, 0, 4),
	REJECT("no bytes", ZERO_LENGTH, 0, 0, 0),
	REJECT("no bytes, misaligned: the length decides", ZERO_LENGTH, 0, 1, 0),
	REJECT("one byte up", MISALIGNED, 0, 1, 4),
	REJECT("two bytes up", MISALIGNED, 0, 2, 4),
	REJECT("misaligned and outside: alignment decides", MISALIGNED, 0, REGION + 3, 4),
	REJECT("at the end", OUT_OF_BOUNDS, 0, REGION, 1),
	REJECT("over the end by a byte", OUT_OF_BOUNDS, 0, REGION - 4, 5),
	REJECT("wraps 64 bits", OUT_OF_BOUNDS, 0, 0xfffffffffffffffc, 4),
	REJECT("far outside", OUT_OF_BOUNDS, 0, 1ull << 40, 4),
	REJECT("no window of link 0 at replica 2", UNAUTHORIZED, 1, 0x8000, 4),
	REJECT("half in the window", UNAUTHORIZED, 1, 0x7ffc, 8),
};

TEST_F(write, each_check_has_its_verdict)
{
	struct ocfabric_cqe e;

	ASSERT_EQ(0, CHANGE(self->node,
			    step_window(OCFABRIC_CHANGE_WINDOW_DEL, 0, 2, 0, REGION),
			    step_window(OCFABRIC_CHANGE_WINDOW_ADD, 0, 2, 0, 0x8000)));
	memset(self->peer.region, 0xee, REGION);
	for (unsigned int i = 0; i < ARRAY_LEN(rejected); i++) {
		const struct rejected *c = &rejected[i];
		struct counters before;

		ASSERT_EQ(0, counters_read(self->node, &before));
		EXPECT_EQ(c->verdict, replica_do(&self->r, &c->desc, &e))
			TH_LOG("%s", c->what);
		EXPECT_EQ(0, e.bytes);
		ASSERT_EQ(0, counters_read(self->node, &self->counters));
		before.link[0][OCFABRIC_COUNTER_WRITES]++;
		before.link[0][c->counter]++;
		EXPECT_EQ(0, memcmp(before.link, self->counters.link, sizeof(before.link)))
			TH_LOG("%s: more or other counters moved", c->what);
	}
	for (unsigned int i = 0; i < REGION; i++) {
		ASSERT_EQ(0xee, self->peer.region[i]);
	}
}

TEST_F(write, entry_of_a_lost_replica_is_bad_config)
{
	struct ocfabric_desc d = inline_desc(qpn_of(N, 0, 2), 0, "gone", 4);

	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &d, NULL));
	ASSERT_EQ(0, CHANGE(self->node, step_replicas(2)));
	EXPECT_EQ(OCFABRIC_VERDICT_BAD_CONFIG, replica_do(&self->r, &d, NULL));
	EXPECT_EQ(1, COUNTER(BAD_CONFIG));
	ASSERT_EQ(0, CHANGE(self->node, step_replicas(3)));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &d, NULL));
}

TEST_F(write, unconfigured_card_is_bad_config)
{
	struct ocfabric_desc d = inline_desc(self->qpn, 0, "none", 4);

	ASSERT_EQ(0, CHANGE(self->node, step_reset()));
	EXPECT_EQ(OCFABRIC_VERDICT_BAD_CONFIG, replica_do(&self->r, &d, NULL));
}

TEST_F(write, short_write_commits_what_came)
{
	struct ocfabric_desc d = write_desc(self->qpn, 0x44, 200, self->key, 0);
	struct ocfabric_cqe e;

	fill_pattern(self->buffer, 256, 5);
	memset(self->peer.region, 0xee, 0x1000);
	d.beats = 2;
	EXPECT_EQ(OCFABRIC_VERDICT_SHORT_PACKET, replica_do(&self->r, &d, &e));
	EXPECT_EQ(128, e.bytes);
	EXPECT_EQ(OCFABRIC_CQE_SHORT, e.flags & ~OCFABRIC_CQE_TAG_MASK);
	EXPECT_EQ(0, memcmp(self->buffer, self->peer.region + 0x44, 128));
	EXPECT_EQ(0xee, self->peer.region[0x44 + 128]);
	EXPECT_EQ(1, COUNTER(SHORT_PACKET));
	EXPECT_EQ(1, COUNTER(COMMITTED));
	EXPECT_EQ(128, COUNTER(BYTES));
	EXPECT_EQ(3, COUNTER(LINES));
}

TEST_F(write, beats_too_many_are_dropped)
{
	struct ocfabric_desc d = write_desc(self->qpn, 0x40, 100, self->key, 0);
	struct ocfabric_cqe e;

	fill_pattern(self->buffer, 1024, 5);
	memset(self->peer.region, 0xee, 0x1000);
	d.beats = 12;
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &d, &e));
	EXPECT_EQ(100, e.bytes);
	EXPECT_EQ(10, COUNTER(OVERSIZE));
	EXPECT_EQ(0, COUNTER(SHORT_PACKET));
	EXPECT_EQ(0xee, self->peer.region[0x40 + 100]);

	/* the most that a descriptor can say is drained, not waited for */
	d.beats = OCFABRIC_BEATS_MAX;
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &d, &e));
	EXPECT_EQ(10 + OCFABRIC_BEATS_MAX - 2, COUNTER(OVERSIZE));
}

TEST_F(write, error_response_is_not_committed)
{
	struct ocfabric_desc d = write_desc(self->qpn, 0, 256, self->key, 0);
	struct ocfabric_info info = NEW(ocfabric_info);
	struct ocfabric_cqe e;

	ASSERT_EQ(0, call(self->node, OCFABRIC_INFO, &info));
	if (!(info.out_features & OCFABRIC_FEATURE_FAULTS))
		SKIP(return, "the card offers no fault injection");
	fill_pattern(self->buffer, 256, 5);
	memset(self->peer.region, 0xee, 256);
	ASSERT_EQ(0, CHANGE(self->node, step_fault(OCFABRIC_CHANGE_FAULT_RESP, 1, 70,
						   OCFABRIC_RESP_SLVERR)));
	EXPECT_EQ(OCFABRIC_VERDICT_AXI_ERROR, replica_do(&self->r, &d, &e));
	EXPECT_EQ(0, e.bytes);
	EXPECT_EQ(0, COUNTER(BYTES));
	EXPECT_EQ(4, COUNTER(LINES));
	EXPECT_EQ(1, COUNTER(AXI_ERROR));
	/* the line in error keeps what it had, the others are there */
	EXPECT_EQ(0xee, self->peer.region[64]);
	EXPECT_EQ(0xee, self->peer.region[127]);
	EXPECT_EQ(0, memcmp(self->peer.region + 128, (char *)self->buffer + 128, 128));
	ASSERT_EQ(0, CHANGE(self->node, step_fault(OCFABRIC_CHANGE_FAULT_CLEAR, 1, 100, 0)));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &d, &e));
}

/* Replica 0's QPN 1 goes to replica 2; who counts id*n + j means replica 1. */
TEST_F(write, misrouted_is_marked_and_counted)
{
	struct ocfabric_desc right = inline_desc(1, 0, "one", 3);
	struct ocfabric_cqe e;

	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &right, &e));
	EXPECT_EQ(0, e.flags & OCFABRIC_CQE_MISROUTED);
	EXPECT_EQ(0, COUNTER(MISROUTED));
	ASSERT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_UPSTREAM_QPNS, 1)));
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &right, &e));
	EXPECT_NE(0, e.flags & OCFABRIC_CQE_MISROUTED);
	EXPECT_EQ(1, COUNTER(MISROUTED));
	ASSERT_EQ(0, CHANGE(self->node, step_connection(0, 1, 1)));
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&self->r, &right, &e));
	EXPECT_EQ(0, e.flags & OCFABRIC_CQE_MISROUTED);
	EXPECT_EQ(1, COUNTER(MISROUTED));
}

TEST_F(write, rejects_are_kept)
{
	struct ocfabric_hw_reject kept[OCFABRIC_REJECTS + 4];
	struct ocfabric_rejects_get get = NEW(ocfabric_rejects_get,
					      .rejects = (uintptr_t)kept,
					      .count = ARRAY_LEN(kept));

	ASSERT_EQ(0, call(self->r.fd, OCFABRIC_REJECTS_GET, &get));
	EXPECT_EQ(0, get.count);
	for (unsigned int i = 1; i <= 20; i++) {
		struct ocfabric_desc d = inline_desc(self->qpn, REGION + 4 * i, NULL, i);

		ASSERT_EQ(OCFABRIC_VERDICT_OUT_OF_BOUNDS, replica_do(&self->r, &d, NULL));
	}
	get.count = ARRAY_LEN(kept);
	ASSERT_EQ(0, call(self->r.fd, OCFABRIC_REJECTS_GET, &get));
	ASSERT_EQ(OCFABRIC_REJECTS, get.count);
	for (unsigned int i = 0; i < get.count; i++) {
		EXPECT_EQ(5 + i, kept[i].seq);
		EXPECT_EQ(REGION + 4 * (5 + i), kept[i].raddr);
		EXPECT_EQ(5 + i, kept[i].len);
		EXPECT_EQ(OCFABRIC_VERDICT_OUT_OF_BOUNDS, kept[i].verdict);
		EXPECT_EQ(1, kept[i].peer);
		EXPECT_EQ(self->qpn, kept[i].qpn);
	}
	/* nothing of them is for whoever is the replica next */
	drop(&self->r, self->buffer);
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	get.count = ARRAY_LEN(kept);
	ASSERT_EQ(0, call(self->r.fd, OCFABRIC_REJECTS_GET, &get));
	EXPECT_EQ(0, get.count);
	ASSERT_EQ(OCFABRIC_VERDICT_OUT_OF_BOUNDS,
		  replica_do(&self->r, ARG_DESC(inline_desc(self->qpn, REGION, NULL, 4)), NULL));
	get.count = ARRAY_LEN(kept);
	ASSERT_EQ(0, call(self->r.fd, OCFABRIC_REJECTS_GET, &get));
	ASSERT_EQ(1, get.count);
	EXPECT_EQ(21, kept[0].seq);
	/* another replica's are its own */
	get.count = ARRAY_LEN(kept);
	ASSERT_EQ(0, call(self->peer.fd, OCFABRIC_REJECTS_GET, &get));
	EXPECT_EQ(0, get.count);
	ASSERT_EQ(0, call(self->node, OCFABRIC_RESET,
			  ARG(ocfabric_reset, .what = OCFABRIC_RESET_COUNTERS)));
	get.count = ARRAY_LEN(kept);
	ASSERT_EQ(0, call(self->r.fd, OCFABRIC_REJECTS_GET, &get));
	EXPECT_EQ(0, get.count);
}

TEST_F(write, latency_passes_first)
{
	const uint64_t latency = 1000000;	/* cycles: 4 ms at 250 MHz */
	struct ocfabric_desc d = inline_desc(self->qpn, 0, "late", 4);
	struct ocfabric_cqe first, second;

	ASSERT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_LATENCY, latency)));
	replica_post(&self->r, &d);
	replica_post(&self->r, &d);
	replica_ring(&self->r);
	ASSERT_TRUE(replica_wait(&self->r, &first, patience(1000)));
	ASSERT_TRUE(replica_wait(&self->r, &second, patience(1000)));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, first.status);
	EXPECT_GE(second.clock, first.clock + latency);
}

/*
 * The reader spins in a process of its own: once it sees a flag, it must see
 * the payload that was sent before it, all of it.
 */
#define PAYLOAD	4096
#define ROUNDS	(is_debug_kernel() ? 300u : 2000u)

struct reader {
	int fd;
	volatile uint32_t *seen;	/* shared with the writer */
};

static int read_in_order(void *arg)
{
	struct reader *reader = arg;
	struct replica r;

	if (replica_map(&r, reader->fd))
		return 1;
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		volatile uint32_t *payload = (volatile uint32_t *)r.region;
		volatile uint32_t *flag = payload + PAYLOAD / 4;

		while (*flag != round)
			;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		for (unsigned int i = 0; i < PAYLOAD / 4; i++)
			if (payload[i] != round)
				return 2;
		*reader->seen = round;
	}
	return 0;
}

TEST_F(write, flag_lands_after_its_payload)
{
	struct reader reader = { .fd = self->peer.fd };
	struct ocfabric_cqe e;
	pid_t pid;

	reader.seen = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, reader.seen);
	pid = child_start(read_in_order, &reader);
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		struct ocfabric_desc payload = write_desc(self->qpn, 0, PAYLOAD, self->key, 0);
		struct ocfabric_desc flag = inline_desc(self->qpn, PAYLOAD, &round, 4);

		for (unsigned int i = 0; i < PAYLOAD / 4; i++)
			((uint32_t *)self->buffer)[i] = round;
		replica_post(&self->r, &payload);
		replica_post(&self->r, &flag);
		replica_ring(&self->r);
		ASSERT_TRUE(replica_wait(&self->r, &e, patience(1000)));
		ASSERT_TRUE(replica_wait(&self->r, &e, patience(1000)));
		ASSERT_TRUE(WAIT_FOR(*reader.seen == round, patience(5000)))
			TH_LOG("round %u was not read right", round);
	}
	EXPECT_EQ(0, child_end(pid, 5000));
}

/* Two processes write into each other's region; the third only looks on. */
#define EXCHANGED (is_debug_kernel() ? 600u : 3000u)

static int exchange(void *arg)
{
	unsigned int me = *(unsigned int *)arg, peer = 1 - me;
	int node = node_open(O_RDWR);
	uint64_t random = me + 1;
	struct replica r;
	void *memory;
	uint32_t key;

	if (node < 0 || replica_open(&r, node, me, (struct attach){ .tx_entries = 64 }))
		return 1;
	if (source_add(r.fd, 2 * PAGE, &key, &memory))
		return 2;
	fill_pattern(memory, 2 * PAGE, me);
	for (unsigned int i = 0; i < EXCHANGED; i++) {
		uint32_t len = 1 + next_random(&random) % 4096;
		uint32_t raddr = 4 * (next_random(&random) % 12000);
		uint32_t addr = next_random(&random) % 4096;
		struct ocfabric_desc d = write_desc(qpn_of(N, me, peer), raddr, len, key, addr);

		if (replica_do(&r, &d, NULL) != OCFABRIC_VERDICT_COMMITTED)
			return 3;
	}
	return 0;
}

/* What exchange() of replica me leaves in its peer's region */
static void exchanged(unsigned int me, uint8_t *region, uint64_t *bytes)
{
	uint64_t random = me + 1;
	uint8_t memory[2 * PAGE];

	fill_pattern(memory, 2 * PAGE, me);
	for (unsigned int i = 0; i < EXCHANGED; i++) {
		uint32_t len = 1 + next_random(&random) % 4096;
		uint32_t raddr = 4 * (next_random(&random) % 12000);

		memcpy(region + raddr, memory + next_random(&random) % 4096, len);
		*bytes += len;
	}
}

TEST_F(write, two_replicas_at_once)
{
	static uint8_t want[2][REGION], seen[REGION];
	unsigned int id[] = { 0, 1 };
	uint64_t bytes[2] = {};
	pid_t pid[2];

	drop(&self->r, self->buffer);
	replica_close(&self->peer);
	for (int i = 0; i < 2; i++)
		pid[i] = child_start(exchange, &id[i]);
	for (int i = 0; i < 2; i++) {
		exchanged(i, want[1 - i], &bytes[i]);
		EXPECT_EQ(0, child_end(pid[i], 20000));
	}
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	ASSERT_EQ(0, replica_open(&self->peer, self->node, 1, (struct attach){}));
	ASSERT_EQ(REGION, pread(self->r.fd, seen, REGION, 0));
	EXPECT_EQ(0, memcmp(want[0], seen, REGION));
	ASSERT_EQ(REGION, pread(self->peer.fd, seen, REGION, 0));
	EXPECT_EQ(0, memcmp(want[1], seen, REGION));
	ASSERT_EQ(0, counters_read(self->node, &self->counters));
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(EXCHANGED, self->counters.link[i][OCFABRIC_COUNTER_COMMITTED]);
		EXPECT_EQ(bytes[i], self->counters.link[i][OCFABRIC_COUNTER_BYTES]);
	}
}

TEST_HARNESS_MAIN
