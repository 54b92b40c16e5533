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

static uint32_t interrupts(fixture *self)
{
	return queue_get(&self->r, &self->q) ? ~0u : self->q.out_interrupts;
}

/* Completions that come together; the owner wants to be told of each. */
static int complete(fixture *self, unsigned int count)
{
	struct ocfabric_cqe e;

	for (unsigned int i = 0; i < count; i++)
		replica_post(&self->r, &(struct ocfabric_desc){});
	self->r.owner->arm = 0;
	replica_ring(&self->r);
	while (count--)
		if (!replica_wait(&self->r, &e, patience(1000)) || e.status)
			return -1;
	return 0;
}

/* One after another. Each is seen in the ring before the interrupt for it was sent. */
static bool each_is_told(fixture *self, unsigned int count)
{
	uint32_t before = interrupts(self);

	for (uint32_t i = 1; i <= count; i++)
		if (complete(self, 1) ||
		    !WAIT_FOR(interrupts(self) - before == i, patience(1000)))
			return false;
	return true;
}

/* What a timer has yet to tell is told, so that no interrupt is still to come. */
static int settle(fixture *self)
{
	return set(&self->r, 1, 0, OCFABRIC_MODE_COUNT);
}

/*
 * How many interrupts count completions at once are, when nothing is left to tell.
 * Where the host takes the processor away meanwhile, a timer tells of some.
 */
static uint32_t told_of(fixture *self, unsigned int count)
{
	uint32_t before = interrupts(self);

	if (complete(self, count) ||
	    !WAIT_FOR(interrupts(self) != before, patience(1000)) || settle(self))
		return 0;
	return interrupts(self) - before;
}

#define TRIES	50

TEST_F(moderation, counts_to_the_burst)
{
	int once = 0;

	/* a burst ends the wait, and the timer, which is set again, need not */
	for (int i = 0; i < TRIES && !once; i++) {
		ASSERT_EQ(0, set(&self->r, 8, OCFABRIC_TIMER_MAX, OCFABRIC_MODE_COUNT));
		once += told_of(self, 8) == 1;
	}
	EXPECT_EQ(1, once);
	/* each by itself: a burst of one */
	ASSERT_EQ(0, set(&self->r, 1, OCFABRIC_TIMER_MAX, OCFABRIC_MODE_COUNT));
	EXPECT_TRUE(each_is_told(self, 20));
}

/* Fewer than a burst: the timer tells of them, all at once. */
TEST_F(moderation, timer_ends_the_wait)
{
	int once = 0;
	uint32_t before;

	for (int i = 0; i < TRIES && !once; i++) {
		uint64_t start = now_ms();

		ASSERT_EQ(0, set(&self->r, 65535, 5000000, OCFABRIC_MODE_COUNT));
		once += told_of(self, 10) == 1;
		EXPECT_LE(4, now_ms() - start);
	}
	EXPECT_EQ(1, once);
	/* one that waits is told when it need not any more */
	ASSERT_EQ(0, set(&self->r, 65535, OCFABRIC_TIMER_MAX, OCFABRIC_MODE_COUNT));
	before = interrupts(self);
	ASSERT_EQ(0, complete(self, 1));
	ASSERT_EQ(0, set(&self->r, 1, 0, OCFABRIC_MODE_LATENCY));
	EXPECT_TRUE(WAIT_FOR(interrupts(self) == before + 1, patience(1000)));
}

TEST_F(moderation, latency_without_timer_tells_each)
{
	uint32_t told;

	ASSERT_EQ(0, set(&self->r, 128, 0, OCFABRIC_MODE_LATENCY));
	EXPECT_TRUE(each_is_told(self, 50));
	/* with one, what comes soon after is told together */
	ASSERT_EQ(0, set(&self->r, 65535, OCFABRIC_TIMER_MAX, OCFABRIC_MODE_LATENCY));
	told = told_of(self, 50);
	EXPECT_LT(0, told);
	EXPECT_GT(50, told);
}

TEST_HARNESS_MAIN
