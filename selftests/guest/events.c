// SPDX-License-Identifier: GPL-2.0-only
/*
 * What listeners are told: one event for each thing that happens, in order,
 * numbered without gaps, and none for what was refused
 */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "netlink.h"
#include "util.h"

#define REGION	0x10000u
#define N	3

FIXTURE(events) {
	int node;
	struct nl nl;		/* hears events, and nothing else */
	struct nl other;
	struct replica r;
	uint8_t buffer[8192];
	uint32_t seq;		/* of the last event */
	bool numbered;
};

FIXTURE_SETUP(events)
{
	self->r.fd = -1;
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	ASSERT_EQ(0, nl_open(&self->nl));
	ASSERT_EQ(0, nl_listen(&self->nl));
	ASSERT_EQ(0, nl_open(&self->other));
}

FIXTURE_TEARDOWN(events)
{
	call(self->node, OCFABRIC_DRAIN, ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_RESUME));
	replica_close(&self->r);
	nl_close(&self->nl);
	nl_close(&self->other);
	close(self->node);
}

/*
 * The next event, NULL after ms without one. Those of rejected writes come when their
 * time is over, from a test before, too: they only count.
 */
static const struct nlmsghdr *next(FIXTURE_DATA(events) *self, unsigned int ms)
{
	const struct nlmsghdr *m = (const void *)self->buffer;

	while (!nl_event(&self->nl, ms, self->buffer, sizeof(self->buffer))) {
		if (nl_value(m, OCFABRIC_A_EVENT_KIND, 0) != OCFABRIC_EVENT_KIND_REJECTED)
			return m;
		self->seq = nl_value(m, OCFABRIC_A_EVENT_SEQ, 0);
	}
	return NULL;
}

#define NEXT(kind_) ({							\
	const struct nlmsghdr *m_ = next(self, patience(2000));			\
	ASSERT_NE(NULL, m_) TH_LOG("no event %s", #kind_);		\
	EXPECT_EQ(OCFABRIC_EVENT_KIND_##kind_, nl_value(m_, OCFABRIC_A_EVENT_KIND, ~0ull)); \
	EXPECT_EQ(node_number(), nl_value(m_, OCFABRIC_A_EVENT_CARD, ~0ull)); \
	EXPECT_NE(0, nl_value(m_, OCFABRIC_A_EVENT_TIME, 0));		\
	if (self->numbered)						\
		EXPECT_EQ(self->seq + 1, nl_value(m_, OCFABRIC_A_EVENT_SEQ, 0)); \
	self->seq = nl_value(m_, OCFABRIC_A_EVENT_SEQ, 0);		\
	self->numbered = true;						\
	m_; })

#define VALUE(m, name)	nl_value(m, OCFABRIC_A_EVENT_##name, ~0ull)

TEST_F(events, attach_and_detach)
{
	for (unsigned int i = 0; i < 3; i++) {
		const struct nlmsghdr *m;

		ASSERT_EQ(0, replica_open(&self->r, self->node, i, (struct attach){}));
		m = NEXT(ATTACHED);
		EXPECT_EQ(i, VALUE(m, REPLICA));
		EXPECT_EQ(getpid(), VALUE(m, PID));
		replica_close(&self->r);
		m = NEXT(DETACHED);
		EXPECT_EQ(i, VALUE(m, REPLICA));
	}
}

TEST_F(events, configuration)
{
	ASSERT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_LATENCY, 1),
			    step(OCFABRIC_CHANGE_LATENCY, 0)));
	EXPECT_EQ(getpid(), VALUE(NEXT(CONFIG_CHANGED), PID));
	ASSERT_EQ(0, call(self->node, OCFABRIC_DRAIN,
			  ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_HOLD)));
	EXPECT_EQ(getpid(), VALUE(NEXT(DRAINED), PID));
	ASSERT_EQ(0, call(self->node, OCFABRIC_DRAIN,
			  ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_RESUME)));
	NEXT(RESUMED);
	ASSERT_EQ(0, call(self->node, OCFABRIC_RESET,
			  ARG(ocfabric_reset, .what = OCFABRIC_RESET_COUNTERS)));
	NEXT(COUNTERS_RESET);
	ASSERT_EQ(0, nl_reset(&self->other, OCFABRIC_RESET_TARGET_COUNTERS));
	NEXT(COUNTERS_RESET);
	ASSERT_EQ(0, call(self->node, OCFABRIC_RESET,
			  ARG(ocfabric_reset, .what = OCFABRIC_RESET_DEVICE)));
	NEXT(DEVICE_RESET);
	EXPECT_EQ(NULL, next(self, 50));
}

TEST_F(events, refusals_are_no_events)
{
	EXPECT_EQ(-EINVAL, CHANGE(self->node, step_replicas(1)));
	EXPECT_EQ(-EINVAL, call(self->node, OCFABRIC_DRAIN,
				ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_RESUME)));
	EXPECT_EQ(-ENOENT, attach_fd(self->node, 16, (struct attach){}));
	EXPECT_EQ(0, change_steps(self->node, OCFABRIC_CONFIG_CHECK,
				  (struct ocfabric_change[]){ step_reset() }, 1, NULL));
	EXPECT_EQ(NULL, next(self, 100));
}

TEST_F(events, stopped_queue)
{
	const struct nlmsghdr *m;

	ASSERT_EQ(0, replica_open(&self->r, self->node, 2, (struct attach){ .tx_entries = 32 }));
	NEXT(ATTACHED);
	replica_ring_by(&self->r, 100);
	m = NEXT(QUEUE_STOPPED);
	EXPECT_EQ(2, VALUE(m, REPLICA));
	EXPECT_EQ(OCFABRIC_CAUSE_OVER_INCREMENT, VALUE(m, CAUSE));
	EXPECT_EQ(32, VALUE(m, WROTE));
	EXPECT_EQ(100, VALUE(m, EXPECTED));
	EXPECT_NE(~0ull, VALUE(m, CLOCK));
	ASSERT_EQ(0, replica_reset(&self->r));
	replica_post(&self->r, &(struct ocfabric_desc){ .opcode = 99 });
	replica_ring(&self->r);
	m = NEXT(QUEUE_STOPPED);
	EXPECT_EQ(OCFABRIC_CAUSE_BAD_DESCRIPTOR, VALUE(m, CAUSE));
}

/* A queue that another's write stops is told of as its own. */
TEST_F(events, queue_stopped_by_another)
{
	static const struct {
		unsigned int cause, wrote, expected;
	} rows[] = {
		{ OCFABRIC_CAUSE_RX_STALE_TAG, 0, 1 },
		{ OCFABRIC_CAUSE_RX_BAD_DESCRIPTOR, 0, offsetof(struct ocfabric_rx_desc, flags) },
		{ OCFABRIC_CAUSE_CQ_FULL, 0, 16 },
	};
	struct ocfabric_desc imm = imm_desc(qpn_of(N, 0, 2), 0, "told", 4, 1);
	struct replica peer;

	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	NEXT(ATTACHED);
	ASSERT_EQ(0, replica_open(&peer, self->node, 2, (struct attach){ .cq_entries = 16 }));
	NEXT(ATTACHED);
	for (unsigned int i = 0; i < ARRAY_LEN(rows); i++) {
		const struct nlmsghdr *m;

		if (i == 2) {
			replica_arm(&peer, 20);
			for (int k = 0; k < 16; k++) {
				ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED,
					  replica_do(&self->r, &imm, NULL));
			}
		} else {
			peer.rx[0].flags = i ? 0xf1 : 0;
			replica_rx_ring_by(&peer, 1);
		}
		EXPECT_EQ(OCFABRIC_VERDICT_RNR, replica_do(&self->r, &imm, NULL));
		m = NEXT(QUEUE_STOPPED);
		EXPECT_EQ(2, VALUE(m, REPLICA));
		EXPECT_EQ(rows[i].cause, VALUE(m, CAUSE));
		EXPECT_EQ(rows[i].wrote, VALUE(m, WROTE));
		EXPECT_EQ(rows[i].expected, VALUE(m, EXPECTED));
		ASSERT_EQ(0, replica_reset(&peer));
	}
	replica_rx_ring_by(&peer, 0xfffff);
	EXPECT_EQ(OCFABRIC_CAUSE_RX_OVER_INCREMENT, VALUE(NEXT(QUEUE_STOPPED), CAUSE));
	replica_close(&peer);
}

/* More than the card's event ring holds, in a row. */
TEST_F(events, many_stops_are_all_told)
{
	ASSERT_EQ(0, replica_open(&self->r, self->node, 1, (struct attach){}));
	NEXT(ATTACHED);
	for (int i = 0; i < 600; i++) {
		replica_ring_by(&self->r, 0xffff);
		NEXT(QUEUE_STOPPED);
		ASSERT_EQ(0, replica_reset(&self->r));
	}
}

static int listener(void *arg)
{
	uint8_t buffer[8192];
	int socket = *(int *)arg;
	struct nl nl;

	if (become_other(false) || nl_open(&nl) || nl_listen(&nl) || say(socket))
		return 1;
	return nl_event(&nl, patience(3000), buffer, sizeof(buffer)) ? 2 : 0;
}

TEST_F(events, anyone_may_listen)
{
	int sv[2];
	pid_t pid;

	ASSERT_EQ(0, socket_pair(sv));
	pid = child_start(listener, &sv[1]);
	ASSERT_EQ(0, hear(sv[0], 3000));
	ASSERT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_LATENCY, 0)));
	EXPECT_EQ(0, child_end(pid, 5000));
}

/* A listener that does not listen loses events, sees the gap, harms nobody. */
TEST_F(events, slow_listener_sees_a_gap)
{
	int room = 4096, error = 0;
	uint32_t seq = 0;
	bool gap = false;

	ASSERT_EQ(0, setsockopt(self->nl.fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)));
	for (int i = 0; i < 300; i++)
		ASSERT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_LATENCY, i)));
	while (!gap) {
		error = nl_event(&self->nl, 100, self->buffer, sizeof(self->buffer));
		if (error == -ETIMEDOUT)
			break;
		if (error == -ENOBUFS)
			gap = true;
		else
			seq = nl_value((const void *)self->buffer, OCFABRIC_A_EVENT_SEQ, 0);
	}
	EXPECT_TRUE(gap);
	while (!nl_event(&self->nl, 0, self->buffer, sizeof(self->buffer)))
		;
	ASSERT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_LATENCY, 0)));
	ASSERT_EQ(0, nl_event(&self->nl, patience(1000), self->buffer, sizeof(self->buffer)));
	EXPECT_LT(seq + 100, nl_value((const void *)self->buffer, OCFABRIC_A_EVENT_SEQ, 0));
}

TEST_HARNESS_MAIN
