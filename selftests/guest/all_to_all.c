// SPDX-License-Identifier: GPL-2.0-only
/*
 * All replicas of the card write to all others, round after round, and each of
 * them looks at what came: whoever sees a flag sees the payload sent before it
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "util.h"

#define SLOT	0x1000u		/* of each peer, in each region */
#define PAYLOAD	1024u		/* bytes, then the flag */
#define ACK	(PAYLOAD + 64)	/* where a peer says how far it has read */
#define REGION	(16 * SLOT)
#define ROUNDS	(is_debug_kernel() ? 40u : 250u)

/* Each word says whose, to whom, and of which round. */
static uint64_t word(unsigned int from, unsigned int to, uint32_t round, unsigned int i)
{
	return (uint64_t)from << 56 | (uint64_t)to << 48 | (uint64_t)(i & 0xffff) << 32 | round;
}

struct member {
	unsigned int me, n;
	int go;			/* socket: hears when all are there */
	struct replica r;
	uint32_t key;
	uint64_t *from;		/* one payload for each peer */
	uint32_t acked[16];	/* of its slots, sent so far */
};

static volatile uint64_t *slot(struct member *m, unsigned int peer, unsigned int at)
{
	return (volatile uint64_t *)(m->r.region + peer * SLOT + at);
}

static void post(struct member *m, struct ocfabric_desc d)
{
	d.flags |= OCFABRIC_DESC_UNSIGNALED;
	replica_post(&m->r, &d);
}

/* The payload to each peer, and the flag after it. */
static void send_round(struct member *m, uint32_t round)
{
	uint64_t flag = round;

	for (unsigned int p = 0; p < m->n; p++) {
		uint64_t *payload = m->from + p * (PAYLOAD / 8);
		unsigned int qpn;

		if (p == m->me)
			continue;
		for (unsigned int i = 0; i < PAYLOAD / 8; i++)
			payload[i] = word(m->me, p, round, i);
		qpn = qpn_of(m->n, m->me, p);
		post(m, write_desc(qpn, m->me * SLOT, PAYLOAD, m->key, p * PAYLOAD));
		post(m, inline_desc(qpn, m->me * SLOT + PAYLOAD, &flag, 8));
	}
	replica_ring(&m->r);
}

/* 0, or what is wrong: the payload behind a flag that is there */
static int check_payload(struct member *m, unsigned int peer, uint32_t round)
{
	for (unsigned int i = 0; i < PAYLOAD / 8; i++)
		if (*slot(m, peer, 8 * i) != word(peer, m->me, round, i))
			return 10;
	return 0;
}

/* Looks at each peer's slot until all have come, and says so to each. */
static int receive_round(struct member *m, uint32_t round, uint64_t end)
{
	unsigned int left = m->n - 1;

	while (left) {
		for (unsigned int p = 0; p < m->n; p++) {
			uint64_t flag = round;

			if (p == m->me || m->acked[p] == round || *slot(m, p, PAYLOAD) != round)
				continue;
			__atomic_thread_fence(__ATOMIC_ACQUIRE);
			if (check_payload(m, p, round))
				return 10;
			m->acked[p] = round;
			post(m, inline_desc(qpn_of(m->n, m->me, p), m->me * SLOT + ACK, &flag, 8));
			left--;
		}
		if (m->r.posted != m->r.rung)
			replica_ring(&m->r);
		if (left && now_ms() > end)
			return 11;
		sched_yield();
	}
	return 0;
}

/* Nobody's slot is written again before it was read. */
static int await_acks(struct member *m, uint32_t round, uint64_t end)
{
	for (unsigned int p = 0; p < m->n; p++) {
		while (p != m->me && *slot(m, p, ACK) != round) {
			if (now_ms() > end)
				return 12;
			sched_yield();
		}
	}
	return 0;
}

static int join(struct member *m)
{
	int node = node_open(O_RDWR);

	if (node < 0 || replica_open(&m->r, node, m->me, (struct attach){ .tx_entries = 256 }))
		return 1;
	if (source_add(m->r.fd, 16 * PAYLOAD, &m->key, (void **)&m->from))
		return 2;
	return say(m->go) || hear(m->go, 20000) ? 3 : 0;
}

static int member(void *arg)
{
	struct member *m = arg;
	struct ocfabric_queue_get q;
	struct ocfabric_cqe e;
	int ret = join(m);

	for (uint32_t round = 1; !ret && round <= ROUNDS; round++) {
		uint64_t end = now_ms() + patience(10000);

		send_round(m, round);
		ret = receive_round(m, round, end);
		if (!ret)
			ret = await_acks(m, round, end);
	}
	/* successes are silent: whatever was told is a failure */
	if (!ret && (replica_poll(&m->r, &e) || queue_get(&m->r, &q) ||
		     q.out_state != OCFABRIC_QUEUE_ENABLED))
		ret = 20;
	return ret;
}

FIXTURE(all) {
	int node;
	unsigned int n;
};

FIXTURE_VARIANT(all) {
	unsigned int n;
};

FIXTURE_VARIANT_ADD(all, three) { .n = 3 };
FIXTURE_VARIANT_ADD(all, sixteen) { .n = 16 };

FIXTURE_SETUP(all)
{
	struct ocfabric_info info = NEW(ocfabric_info);

	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, call(self->node, OCFABRIC_INFO, &info));
	self->n = variant->n < info.out_replicas ? variant->n : info.out_replicas;
	ASSERT_EQ(0, fabric_setup(self->node, self->n, REGION));
}

FIXTURE_TEARDOWN(all)
{
	close(self->node);
}

TEST_F(all, flags_never_come_before_their_payload)
{
	struct counters c;
	pid_t pid[16];
	int sv[16][2];

	for (unsigned int i = 0; i < self->n; i++) {
		struct member m = { .me = i, .n = self->n };

		ASSERT_EQ(0, socket_pair(sv[i]));
		m.go = sv[i][1];
		pid[i] = child_start(member, &m);
		ASSERT_EQ(0, hear(sv[i][0], 5000));
	}
	for (unsigned int i = 0; i < self->n; i++) {
		ASSERT_EQ(0, say(sv[i][0]));
	}
	for (unsigned int i = 0; i < self->n; i++) {
		EXPECT_EQ(0, child_end(pid[i], 100000))
			TH_LOG("replica %u", i);
	}
	ASSERT_EQ(0, counters_read(self->node, &c));
	EXPECT_TRUE(counters_conserved(&c));
	for (unsigned int i = 0; i < self->n; i++) {
		EXPECT_EQ(3 * ROUNDS * (self->n - 1), c.link[i][OCFABRIC_COUNTER_COMMITTED]);
		EXPECT_EQ(ROUNDS * (self->n - 1) * (PAYLOAD + 16),
			  c.link[i][OCFABRIC_COUNTER_BYTES]);
	}
}

TEST_HARNESS_MAIN
