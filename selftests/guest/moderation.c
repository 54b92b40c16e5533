// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often queues interrupt: set by their owners and by an operator, how long
 * either holds, and that it does what it says
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "netlink.h"
#include "util.h"

#define REGION	0x10000u
#define N	3
#define KEEP	(~0u)

FIXTURE(moderation) {
	int node;
	struct nl nl;
	struct replica r;
	struct ocfabric_queue_get q;
};

/* As after the module was loaded, for whoever comes next. */
static int forget(struct nl *nl)
{
	int ret = 0;

	for (unsigned int i = 0; i < N && !ret; i++)
		ret = nl_moderation(nl, i, OCFABRIC_MODERATION_BURST, OCFABRIC_MODERATION_TIMER,
				    OCFABRIC_MODE_LATENCY, NULL);
	return ret;
}

FIXTURE_SETUP(moderation)
{
	self->r.fd = -1;
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, nl_open(&self->nl));
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
}

FIXTURE_TEARDOWN(moderation)
{
	EXPECT_EQ(0, forget(&self->nl));
	replica_close(&self->r);
	nl_close(&self->nl);
	close(self->node);
}

typedef FIXTURE_DATA(moderation) fixture;

static int set(struct replica *r, uint32_t burst, uint32_t timer, uint32_t mode)
{
	return call(r->fd, OCFABRIC_MODERATION,
		    ARG(ocfabric_moderation, .burst = burst, .timer = timer, .mode = mode));
}

static bool has(fixture *self, uint32_t burst, uint32_t timer, uint32_t mode)
{
	return !queue_get(&self->r, &self->q) && self->q.out_burst == burst &&
	       self->q.out_timer == timer && self->q.out_mode == mode;
}

/* The same by netlink, for whom it needs no owner. */
static bool shows(fixture *self, unsigned int replica, uint32_t burst, uint32_t timer,
		  uint32_t mode)
{
	const struct nlmsghdr *m = NULL;
	struct nl_answer a;
	bool same = false;

	if (nl_simple(&self->nl, OCFABRIC_CMD_REPLICA_GET, NLM_F_DUMP, &a))
		return false;
	while ((m = nl_next(&a, m)))
		if (nl_value(m, OCFABRIC_A_REPLICA_REPLICA, KEEP) == replica)
			same = nl_value(m, OCFABRIC_A_REPLICA_BURST, KEEP) == burst &&
			       nl_value(m, OCFABRIC_A_REPLICA_TIMER, KEEP) == timer &&
			       nl_value(m, OCFABRIC_A_REPLICA_MODE, KEEP) == mode;
	nl_answer_free(&a);
	return same;
}

static int reopen(fixture *self)
{
	replica_close(&self->r);
	return replica_open(&self->r, self->node, 0, (struct attach){});
}

TEST_F(moderation, owners_holds_until_he_goes)
{
	EXPECT_TRUE(has(self, 128, 2000, OCFABRIC_MODE_LATENCY));
	ASSERT_EQ(0, set(&self->r, 7, 12345, OCFABRIC_MODE_COUNT));
	EXPECT_TRUE(has(self, 7, 12345, OCFABRIC_MODE_COUNT));
	EXPECT_TRUE(shows(self, 0, 7, 12345, OCFABRIC_MODE_COUNT));
	/* nobody else's */
	EXPECT_TRUE(shows(self, 1, 128, 2000, OCFABRIC_MODE_LATENCY));
	ASSERT_EQ(0, replica_reset(&self->r));
	EXPECT_TRUE(has(self, 7, 12345, OCFABRIC_MODE_COUNT));
	replica_close(&self->r);
	EXPECT_TRUE(shows(self, 0, 128, 2000, OCFABRIC_MODE_LATENCY));
	ASSERT_EQ(0, reopen(self));
	EXPECT_TRUE(has(self, 128, 2000, OCFABRIC_MODE_LATENCY));
	ASSERT_EQ(0, set(&self->r, 65535, OCFABRIC_TIMER_MAX, OCFABRIC_MODE_LATENCY));
	EXPECT_TRUE(has(self, 65535, OCFABRIC_TIMER_MAX, OCFABRIC_MODE_LATENCY));
	ASSERT_EQ(0, set(&self->r, 1, 0, OCFABRIC_MODE_COUNT));
	EXPECT_TRUE(has(self, 1, 0, OCFABRIC_MODE_COUNT));
}

TEST_F(moderation, operators_outlives_owners_and_resets)
{
	ASSERT_EQ(0, nl_moderation(&self->nl, 0, 5, 4000, OCFABRIC_MODE_COUNT, NULL));
	EXPECT_TRUE(has(self, 5, 4000, OCFABRIC_MODE_COUNT));
	/* the owner may think otherwise, while he is there */
	ASSERT_EQ(0, set(&self->r, 9, 9000, OCFABRIC_MODE_LATENCY));
	EXPECT_TRUE(has(self, 9, 9000, OCFABRIC_MODE_LATENCY));
	/* what is not named stays: here as the owner has it, there as it was set */
	ASSERT_EQ(0, nl_moderation(&self->nl, 0, 6, KEEP, KEEP, NULL));
	EXPECT_TRUE(has(self, 6, 9000, OCFABRIC_MODE_LATENCY));
	ASSERT_EQ(0, reopen(self));
	EXPECT_TRUE(has(self, 6, 4000, OCFABRIC_MODE_COUNT));
	ASSERT_EQ(0, set(&self->r, 9, 9000, OCFABRIC_MODE_LATENCY));
	ASSERT_EQ(0, call(self->node, OCFABRIC_RESET,
			  ARG(ocfabric_reset, .what = OCFABRIC_RESET_DEVICE)));
	EXPECT_TRUE(shows(self, 0, 6, 4000, OCFABRIC_MODE_COUNT));
	ASSERT_EQ(0, reopen(self));
	EXPECT_TRUE(has(self, 6, 4000, OCFABRIC_MODE_COUNT));
	EXPECT_TRUE(shows(self, 1, 128, 2000, OCFABRIC_MODE_LATENCY));
	/* and one that nobody is */
	ASSERT_EQ(0, nl_moderation(&self->nl, 2, KEEP, 77, KEEP, NULL));
	EXPECT_TRUE(shows(self, 2, 128, 77, OCFABRIC_MODE_LATENCY));
}

TEST_F(moderation, bad_values_are_refused)
{
	static const struct { uint32_t burst, timer, mode; } bad[] = {
		{ 0, 0, 0 }, { 65536, 0, 0 }, { 0xffffffff, 0, 0 }, { 1, 10000001, 0 },
		{ 1, 0xfffffffe, 0 }, { 1, 0, 2 }, { 1, 0, 0x80000000 },
	};
	struct nl_answer a;

	for (unsigned int i = 0; i < ARRAY_LEN(bad); i++) {
		EXPECT_EQ(-EINVAL, set(&self->r, bad[i].burst, bad[i].timer, bad[i].mode))
			TH_LOG("row %u", i);
		if (bad[i].burst == KEEP)
			continue;
		EXPECT_EQ(-ERANGE, nl_moderation(&self->nl, 0, bad[i].burst, bad[i].timer,
						 bad[i].mode, &a))
			TH_LOG("row %u", i);
		EXPECT_LT(10, strlen(a.sentence));
		EXPECT_NE(0, a.offset);
	}
	EXPECT_EQ(-ENOENT, nl_moderation(&self->nl, 16, 1, 0, 0, &a));
	EXPECT_LT(10, strlen(a.sentence));
	EXPECT_NE(0, a.offset);
	EXPECT_EQ(-ENOENT, nl_moderation(&self->nl, 0xfffffffe, 1, 0, 0, NULL));
	EXPECT_EQ(-EINVAL, nl_moderation(&self->nl, KEEP, 1, 0, 0, &a));
	EXPECT_LT(10, strlen(a.sentence));
	EXPECT_TRUE(has(self, 128, 2000, OCFABRIC_MODE_LATENCY));
}

/* The handle is the right to it, whoever holds it. */
static int other_user(void *arg)
{
	int fd = receive_fd(*(int *)arg);
	struct replica r = { .fd = fd };

	return become_other(false) || fd < 0 || set(&r, 3, 3, OCFABRIC_MODE_COUNT);
}

TEST_F(moderation, handle_is_the_right)
{
	pid_t pid;
	int sv[2];

	ASSERT_EQ(0, socket_pair(sv));
	pid = child_start(other_user, &sv[1]);
	ASSERT_EQ(0, send_fd(sv[0], self->r.fd));
	EXPECT_EQ(0, child_end(pid, 5000));
	EXPECT_TRUE(has(self, 3, 3, OCFABRIC_MODE_COUNT));
}

/* Completions one by one, each of which the owner wants to be told of */
static int complete(struct replica *r, unsigned int count)
{
	static const struct ocfabric_desc nop;

	while (count--) {
		r->owner->arm = 0;
		if (replica_do(r, &nop, NULL))
			return -1;
	}
	return 0;
}

static uint32_t interrupts(fixture *self)
{
	return queue_get(&self->r, &self->q) ? ~0u : self->q.out_interrupts;
}

TEST_F(moderation, counts_to_the_burst)
{
	uint32_t before;

	/* a second, as far as this test goes: only the count counts */
	ASSERT_EQ(0, set(&self->r, 8, OCFABRIC_TIMER_MAX, OCFABRIC_MODE_COUNT));
	for (int i = 0; i < 8; i++)
		replica_post(&self->r, &(struct ocfabric_desc){});
	before = interrupts(self);
	replica_ring(&self->r);
	EXPECT_TRUE(WAIT_FOR(interrupts(self) == before + 1, patience(1000)));
	/* each by itself: a burst of one */
	ASSERT_EQ(0, set(&self->r, 1, OCFABRIC_TIMER_MAX, OCFABRIC_MODE_COUNT));
	before = interrupts(self);
	ASSERT_EQ(0, complete(&self->r, 20));
	EXPECT_EQ(before + 20, interrupts(self));
}

/* Fewer than a burst: the timer tells of them, all at once. */
TEST_F(moderation, timer_ends_the_wait)
{
	uint32_t before = interrupts(self);
	uint64_t start = now_ms();

	ASSERT_EQ(0, set(&self->r, 65535, 5000000, OCFABRIC_MODE_COUNT));
	for (int i = 0; i < 10; i++)
		replica_post(&self->r, &(struct ocfabric_desc){});
	replica_ring(&self->r);
	EXPECT_TRUE(WAIT_FOR(interrupts(self) != before, patience(1000)));
	EXPECT_LE(4, now_ms() - start);
	EXPECT_EQ(before + 1, interrupts(self));
	/* one that waits is told when it need not any more */
	ASSERT_EQ(0, set(&self->r, 65535, OCFABRIC_TIMER_MAX, OCFABRIC_MODE_COUNT));
	before = interrupts(self);
	ASSERT_EQ(0, complete(&self->r, 1));
	ASSERT_EQ(0, set(&self->r, 1, 0, OCFABRIC_MODE_LATENCY));
	EXPECT_TRUE(WAIT_FOR(interrupts(self) == before + 1, patience(1000)));
}

TEST_F(moderation, latency_without_timer_tells_each)
{
	uint32_t before;

	ASSERT_EQ(0, set(&self->r, 128, 0, OCFABRIC_MODE_LATENCY));
	before = interrupts(self);
	ASSERT_EQ(0, complete(&self->r, 50));
	EXPECT_EQ(before + 50, interrupts(self));
	/* with one, what comes soon after is told together */
	ASSERT_EQ(0, set(&self->r, 65535, OCFABRIC_TIMER_MAX, OCFABRIC_MODE_LATENCY));
	before = interrupts(self);
	ASSERT_EQ(0, complete(&self->r, 50));
	EXPECT_GT(before + 50, interrupts(self));
}

TEST_HARNESS_MAIN
