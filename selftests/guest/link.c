// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resetting one link: the write that it has in flight ends, its queue goes on,
 * and no other link notices
 */
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "netlink.h"
#include "util.h"

#define REGION	0x10000u
#define N	3

FIXTURE(link) {
	int node;
	struct nl nl;
	struct replica r, other;	/* replicas 0 and 2 */
	struct ocfabric_info info;
	struct counters counters;
};

FIXTURE_VARIANT(link) {
	bool netlink;
};

FIXTURE_VARIANT_ADD(link, by_ioctl) { .netlink = false };
FIXTURE_VARIANT_ADD(link, by_netlink) { .netlink = true };

FIXTURE_SETUP(link)
{
	self->r.fd = self->other.fd = -1;
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, nl_open(&self->nl));
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	self->info = NEW(ocfabric_info);
	ASSERT_EQ(0, call(self->node, OCFABRIC_INFO, &self->info));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	ASSERT_EQ(0, replica_open(&self->other, self->node, 2, (struct attach){}));
}

FIXTURE_TEARDOWN(link)
{
	replica_close(&self->r);
	replica_close(&self->other);
	EXPECT_EQ(0, fabric_setup(self->node, N, REGION));
	nl_close(&self->nl);
	close(self->node);
}

typedef FIXTURE_DATA(link) fixture;
typedef FIXTURE_VARIANT(link) way;

static int reset_link(fixture *self, const way *variant, uint32_t link)
{
	if (variant->netlink)
		return nl_reset_link(&self->nl, OCFABRIC_RESET_TARGET_LINK, link, NULL);
	return call(self->node, OCFABRIC_RESET,
		    ARG(ocfabric_reset, .what = OCFABRIC_RESET_LINK, .link = link));
}

#define COUNTER(link_, name) \
	(counters_read(self->node, &self->counters), \
	 self->counters.link[link_][OCFABRIC_COUNTER_##name])

/* Cycles, 17 s at 250 MHz: longer than any wait of the driver's, or of a busy machine's. */
#define AGES	UINT32_MAX

static int write_that_stays(fixture *self)
{
	struct ocfabric_desc d = inline_desc(qpn_of(N, 0, 1), 0, "stuck", 5);

	replica_post(&self->r, &d);
	d = inline_desc(qpn_of(N, 0, 2), 0, "next", 4);
	replica_post(&self->r, &d);
	replica_ring(&self->r);
	return WAIT_FOR(COUNTER(0, WRITES) == 1, patience(1000)) ? 0 : -ETIMEDOUT;
}

/* A response that does not come within a limit is what it is for. */
TEST_F(link, write_held_by_a_delay_ends)
{
	struct ocfabric_cqe e;

	if (!(self->info.out_features & OCFABRIC_FEATURE_FAULTS))
		SKIP(return, "the card offers no fault injection");
	ASSERT_EQ(0, CHANGE(self->node,
			    step_fault(OCFABRIC_CHANGE_FAULT_DELAY, 1, 0, AGES)));
	ASSERT_EQ(0, write_that_stays(self));
	/* others go on, before and after */
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  replica_do(&self->other, ARG_DESC(inline_desc(qpn_of(N, 2, 1), 64, "on", 2)),
			     NULL));
	EXPECT_EQ(0, reset_link(self, variant, 2));
	EXPECT_FALSE(replica_poll(&self->r, &e));
	ASSERT_EQ(0, reset_link(self, variant, 0));
	ASSERT_TRUE(replica_wait(&self->r, &e, patience(1000)));
	EXPECT_EQ(OCFABRIC_VERDICT_DMA_ERROR, e.status);
	EXPECT_EQ(0, e.bytes);
	EXPECT_EQ(0, e.index);
	/* its queue goes on with what is next */
	ASSERT_TRUE(replica_wait(&self->r, &e, patience(1000)));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, e.status);
	EXPECT_EQ(1, e.index);
	EXPECT_EQ(1, COUNTER(0, DMA_ERROR));
	EXPECT_EQ(1, COUNTER(0, COMMITTED));
	EXPECT_EQ(4, COUNTER(0, BYTES));
	EXPECT_TRUE(counters_conserved(&self->counters));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  replica_do(&self->other, ARG_DESC(inline_desc(qpn_of(N, 2, 1), 64, "on", 2)),
			     NULL));
}

/* So does one that the latency holds; what an immediate had reserved is given back. */
TEST_F(link, immediate_in_flight_ends)
{
	struct ocfabric_queue_get q;
	struct ocfabric_cqe e;
	struct replica peer;

	ASSERT_EQ(0, replica_open(&peer, self->node, 1, (struct attach){}));
	replica_arm(&peer, 1);
	if (self->info.out_features & OCFABRIC_FEATURE_FAULTS) {
		ASSERT_EQ(0, CHANGE(self->node,
				    step_fault(OCFABRIC_CHANGE_FAULT_DELAY, 1, 0, AGES)));
	} else {
		ASSERT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_LATENCY, AGES)));
	}
	replica_post(&self->r, ARG_DESC(imm_desc(qpn_of(N, 0, 1), 0, "stuck", 5, 1)));
	replica_ring(&self->r);
	ASSERT_TRUE(WAIT_FOR(COUNTER(0, WRITES) == 1, patience(1000)));
	ASSERT_EQ(0, reset_link(self, variant, 0));
	ASSERT_TRUE(replica_wait(&self->r, &e, patience(1000)));
	EXPECT_EQ(OCFABRIC_VERDICT_DMA_ERROR, e.status);
	EXPECT_FALSE(replica_poll(&peer, &e));
	ASSERT_EQ(0, queue_get(&peer, &q));
	EXPECT_EQ(0, q.out_rx_head);
	ASSERT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_LATENCY, 0)));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  replica_do(&self->r, ARG_DESC(imm_desc(qpn_of(N, 0, 1), 64, "fine", 4, 2)),
			     NULL));
	ASSERT_TRUE(replica_wait(&peer, &e, patience(1000)));
	EXPECT_EQ(2, e.imm);
	EXPECT_EQ(0, e.index);
	replica_close(&peer);
}

static int change(void *arg)
{
	int node = *(int *)arg;

	return CHANGE(node, step(OCFABRIC_CHANGE_LATENCY, 0)) ? 1 : 0;
}

/* A change that waits for the stuck link gets through: the reset is not behind it. */
TEST_F(link, ends_the_drain_that_waits_for_it)
{
	int status = -1;
	pid_t pid;

	ASSERT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_LATENCY, AGES)));
	ASSERT_EQ(0, write_that_stays(self));
	pid = child_start(change, &self->node);
	/* it drains by now, or soon; each try ends what is in flight then */
	EXPECT_TRUE(WAIT_FOR(reset_link(self, variant, 0) ||
			     waitpid(pid, &status, WNOHANG) == pid, patience(2000)));
	EXPECT_EQ(0, status);
}

/* Nothing in flight, no queue, no owner: nothing happens. */
TEST_F(link, idle_ones_do_not_mind)
{
	for (unsigned int i = 0; i < self->info.out_replicas; i++) {
		EXPECT_EQ(0, reset_link(self, variant, i))
			TH_LOG("link %u", i);
	}
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  replica_do(&self->r, ARG_DESC(inline_desc(0, 0, "idle", 4)), NULL));
	EXPECT_EQ(0, COUNTER(0, DMA_ERROR));
	/* one that waits in its queue has nothing in flight either */
	replica_post(&self->r, ARG_DESC(wait_desc(0, 1)));
	replica_ring(&self->r);
	EXPECT_EQ(0, reset_link(self, variant, 0));
	EXPECT_EQ(0, replica_reset(&self->r));
}

TEST_F(link, what_does_not_exist_is_refused)
{
	static const uint32_t none[] = { 16, 17, 255, 0x80000000, 0xfffffffe };
	struct nl_answer a;

	for (unsigned int i = 0; i < ARRAY_LEN(none); i++) {
		EXPECT_EQ(-ENOENT, reset_link(self, variant, none[i]))
			TH_LOG("link %u", none[i]);
	}
	EXPECT_EQ(-EINVAL, call(self->node, OCFABRIC_RESET,
				ARG(ocfabric_reset, .what = OCFABRIC_RESET_DEVICE, .link = 1)));
	EXPECT_EQ(-EINVAL, call(self->node, OCFABRIC_RESET,
				ARG(ocfabric_reset, .what = OCFABRIC_RESET_COUNTERS, .link = 1)));
	/* each of these by netlink has a sentence */
	EXPECT_EQ(-ENOENT, nl_reset_link(&self->nl, OCFABRIC_RESET_TARGET_LINK, 16, &a));
	EXPECT_LT(10, strlen(a.sentence));
	EXPECT_NE(0, a.offset);
	EXPECT_EQ(-EINVAL, nl_reset_link(&self->nl, OCFABRIC_RESET_TARGET_LINK, ~0u, &a));
	EXPECT_LT(10, strlen(a.sentence));
	EXPECT_EQ(-EINVAL, nl_reset_link(&self->nl, OCFABRIC_RESET_TARGET_DEVICE, 0, &a));
	EXPECT_LT(10, strlen(a.sentence));
	EXPECT_NE(0, a.offset);
	/* and the card was not reset */
	EXPECT_EQ(0, call(self->r.fd, OCFABRIC_INFO, ARG(ocfabric_info)));
}

static int other_user(int node)
{
	return call(node, OCFABRIC_RESET,
		    ARG(ocfabric_reset, .what = OCFABRIC_RESET_LINK)) == -EPERM ? 0 : 3;
}

TEST_F(link, needs_the_right)
{
	EXPECT_EQ(0, as_other(other_user));
}

TEST_HARNESS_MAIN
