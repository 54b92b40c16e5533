// SPDX-License-Identifier: GPL-2.0-only
/*
 * Weights of queues, the storm limit and the stall limit: who may set them, how
 * long they hold, that it is told, and that what is put off is not lost
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "netlink.h"
#include "util.h"

#define REGION	0x10000u
#define N	3
#define KEEP	(~0u)
#define LONG	30000u		/* ms: that it comes at all */

FIXTURE(limits) {
	int node;
	struct nl nl;
	struct replica r;
	struct ocfabric_queue_get q;
	struct nl_answer a;
};

typedef FIXTURE_DATA(limits) fixture;

/* As after the module was loaded, for whoever comes next */
static int forget(struct nl *nl)
{
	int ret = nl_limits(nl, OCFABRIC_STALL_LIMIT, OCFABRIC_STORM_LIMIT, NULL);

	for (unsigned int i = 0; i < N && !ret; i++)
		ret = nl_weight(nl, i, 1, NULL);
	return ret;
}

FIXTURE_SETUP(limits)
{
	self->r.fd = -1;
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, nl_open(&self->nl));
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
}

FIXTURE_TEARDOWN(limits)
{
	EXPECT_EQ(0, forget(&self->nl));
	replica_close(&self->r);
	nl_close(&self->nl);
	close(self->node);
}

/* An attribute of a replica, of a device */
static uint64_t shown(fixture *self, unsigned int cmd, unsigned int which, uint32_t index,
		      unsigned int attr)
{
	const struct nlmsghdr *m = NULL;
	uint64_t value = ~0ull;
	struct nl_answer a;

	if (nl_simple(&self->nl, cmd, NLM_F_DUMP, &a))
		return value;
	while ((m = nl_next(&a, m)))
		if (nl_value(m, which, ~0ull) == index)
			value = nl_value(m, attr, ~0ull);
	nl_answer_free(&a);
	return value;
}

#define OF_REPLICA(r, name) \
	shown(self, OCFABRIC_CMD_REPLICA_GET, OCFABRIC_A_REPLICA_REPLICA, r, \
	      OCFABRIC_A_REPLICA_##name)
#define OF_DEVICE(name) \
	shown(self, OCFABRIC_CMD_DEVICE_GET, OCFABRIC_A_DEVICE_CARD, node_number(), \
	      OCFABRIC_A_DEVICE_##name)

static bool file_says(unsigned int queue, const char *item, const char *value)
{
	char path[128], text[64];

	snprintf(path, sizeof(path), "/sys/class/misc/ocfabric%u/queue%u/%s", node_number(),
		 queue, item);
	return !read_line(path, text, sizeof(text)) && !strcmp(text, value);
}

TEST_F(limits, outlive_owners_and_resets)
{
	EXPECT_EQ(1, OF_REPLICA(0, WEIGHT));
	EXPECT_EQ(OCFABRIC_STALL_LIMIT, OF_DEVICE(STALL_LIMIT));
	EXPECT_EQ(OCFABRIC_STORM_LIMIT, OF_DEVICE(STORM_LIMIT));
	ASSERT_EQ(0, nl_weight(&self->nl, 0, 7, NULL));
	ASSERT_EQ(0, nl_weight(&self->nl, 2, 255, NULL));
	/* one does not touch the other */
	ASSERT_EQ(0, nl_limits(&self->nl, 12345, KEEP, NULL));
	EXPECT_EQ(OCFABRIC_STORM_LIMIT, OF_DEVICE(STORM_LIMIT));
	ASSERT_EQ(0, nl_limits(&self->nl, KEEP, 77, NULL));
	for (unsigned int i = 0; i < 3; i++) {
		EXPECT_EQ(7, OF_REPLICA(0, WEIGHT));
		EXPECT_EQ(1, OF_REPLICA(1, WEIGHT));
		EXPECT_EQ(255, OF_REPLICA(2, WEIGHT));
		EXPECT_EQ(12345, OF_DEVICE(STALL_LIMIT));
		EXPECT_EQ(77, OF_DEVICE(STORM_LIMIT));
		EXPECT_TRUE(file_says(2, "weight", "255"));
		if (!i)		/* its owner goes */
			replica_close(&self->r);
		else if (i == 1)
			ASSERT_EQ(0, nl_reset(&self->nl, OCFABRIC_RESET_TARGET_DEVICE));
	}
	ASSERT_EQ(0, nl_limits(&self->nl, 0, 0, NULL));
	EXPECT_EQ(0, OF_DEVICE(STALL_LIMIT));
	EXPECT_EQ(0, OF_DEVICE(STORM_LIMIT));
}

TEST_F(limits, bad_values_are_refused)
{
	EXPECT_EQ(-ERANGE, nl_weight(&self->nl, 0, 0, &self->a));
	EXPECT_NE(0, self->a.offset);
	EXPECT_EQ(-ERANGE, nl_weight(&self->nl, 0, 256, NULL));
	EXPECT_EQ(-ENOENT, nl_weight(&self->nl, 16, 1, &self->a));
	EXPECT_NE(0, self->a.offset);
	EXPECT_LT(10, strlen(self->a.sentence));
	EXPECT_EQ(-EINVAL, nl_weight(&self->nl, KEEP, 1, &self->a));
	EXPECT_LT(10, strlen(self->a.sentence));
	EXPECT_EQ(-EINVAL, nl_weight(&self->nl, 0, KEEP, &self->a));
	EXPECT_LT(10, strlen(self->a.sentence));
	EXPECT_EQ(-ERANGE, nl_limits(&self->nl, OCFABRIC_STALL_LIMIT_MAX + 1, 5, NULL));
	EXPECT_EQ(-ERANGE, nl_limits(&self->nl, 5, OCFABRIC_STORM_LIMIT_MAX + 1, NULL));
	EXPECT_EQ(-EINVAL, nl_limits(&self->nl, KEEP, KEEP, &self->a));
	EXPECT_LT(10, strlen(self->a.sentence));
	EXPECT_EQ(1, OF_REPLICA(0, WEIGHT));
	EXPECT_EQ(OCFABRIC_STALL_LIMIT, OF_DEVICE(STALL_LIMIT));
	EXPECT_EQ(OCFABRIC_STORM_LIMIT, OF_DEVICE(STORM_LIMIT));
	EXPECT_EQ(0, nl_weight(&self->nl, 0, OCFABRIC_WEIGHT_MAX, NULL));
	EXPECT_EQ(0, nl_limits(&self->nl, OCFABRIC_STALL_LIMIT_MAX, OCFABRIC_STORM_LIMIT_MAX,
			       NULL));
	EXPECT_EQ(OCFABRIC_STALL_LIMIT_MAX, OF_DEVICE(STALL_LIMIT));
	EXPECT_EQ(OCFABRIC_STORM_LIMIT_MAX, OF_DEVICE(STORM_LIMIT));
}

TEST_F(limits, changes_are_told)
{
	uint8_t buffer[8192];
	const struct nlmsghdr *m = (void *)buffer;
	struct nl events;

	ASSERT_EQ(0, nl_open(&events));
	ASSERT_EQ(0, nl_listen(&events));
	ASSERT_EQ(-ERANGE, nl_weight(&self->nl, 1, 0, NULL));
	ASSERT_EQ(0, nl_weight(&self->nl, 1, 3, NULL));
	ASSERT_EQ(0, nl_event(&events, LONG, buffer, sizeof(buffer)));
	EXPECT_EQ(OCFABRIC_EVENT_KIND_LIMITS_CHANGED,
		  nl_value(m, OCFABRIC_A_EVENT_KIND, ~0ull));
	EXPECT_EQ(1, nl_value(m, OCFABRIC_A_EVENT_REPLICA, ~0ull));
	EXPECT_EQ(getpid(), nl_value(m, OCFABRIC_A_EVENT_PID, ~0ull));
	ASSERT_EQ(0, nl_limits(&self->nl, 99, KEEP, NULL));
	ASSERT_EQ(0, nl_event(&events, LONG, buffer, sizeof(buffer)));
	EXPECT_EQ(OCFABRIC_EVENT_KIND_LIMITS_CHANGED,
		  nl_value(m, OCFABRIC_A_EVENT_KIND, ~0ull));
	EXPECT_EQ(~0ull, nl_value(m, OCFABRIC_A_EVENT_REPLICA, ~0ull));
	nl_close(&events);
}

static int queue(fixture *self)
{
	return queue_get(&self->r, &self->q);
}

TEST_F(limits, files_of_a_queue)
{
	char text[32];

	EXPECT_TRUE(file_says(0, "state", "enabled"));
	EXPECT_TRUE(file_says(1, "state", "disabled"));
	EXPECT_TRUE(file_says(0, "cause", "none"));
	EXPECT_TRUE(file_says(0, "waiting", "0"));
	for (int i = 0; i < 5; i++)
		replica_post(&self->r, &(struct ocfabric_desc){});
	replica_post(&self->r, ARG_DESC(wait_desc(5, 1)));
	replica_ring(&self->r);
	EXPECT_TRUE(WAIT_FOR(!queue(self) && self->q.out_waiting, LONG));
	EXPECT_TRUE(file_says(0, "waiting", "1"));
	EXPECT_TRUE(file_says(0, "head", "5"));
	EXPECT_TRUE(file_says(0, "tail", "6"));
	EXPECT_TRUE(file_says(0, "completions", "5"));
	replica_arm(&self->r, 3);
	EXPECT_TRUE(file_says(0, "rx_tail", "3"));
	EXPECT_TRUE(file_says(0, "rx_head", "0"));
	snprintf(text, sizeof(text), "%u", self->q.out_interrupts);
	EXPECT_TRUE(file_says(0, "interrupts", text));
	replica_ring_by(&self->r, 0xffff);
	EXPECT_TRUE(WAIT_FOR(file_says(0, "state", "stopped"), LONG));
	EXPECT_TRUE(file_says(0, "cause", "over_increment"));
}

/* One after the other, each of which the owner wants to be told of */
static int complete(fixture *self, unsigned int count)
{
	static const struct ocfabric_desc nop;
	struct ocfabric_cqe e;

	for (unsigned int i = 0; i < count; i++) {
		replica_post(&self->r, &nop);
		replica_ring(&self->r);
		if (!replica_wait(&self->r, &e, LONG))
			return -1;
	}
	return 0;
}

static uint32_t interrupts(fixture *self)
{
	return queue(self) ? ~0u : self->q.out_interrupts;
}

/*
 * In batches, until some that were put off were told together: two of a
 * millisecond alone would both be told. One that is put off, or not counted yet,
 * is none of those.
 */
static bool storm(fixture *self)
{
	uint64_t off = OF_REPLICA(0, DELAYED), end = now_ms() + LONG;
	uint32_t before = interrupts(self), count = 0;

	while (now_ms() < end) {
		if (complete(self, 200))
			return false;
		count += 200;
		if (OF_REPLICA(0, DELAYED) != off && interrupts(self) - before < count - 2)
			return true;
	}
	return false;
}

TEST_F(limits, storm_is_put_off_and_not_lost)
{
	uint32_t before;
	uint64_t off;

	ASSERT_EQ(0, nl_moderation(&self->nl, 0, 1, 0, OCFABRIC_MODE_LATENCY, NULL));
	ASSERT_EQ(0, nl_limits(&self->nl, KEEP, 0, NULL));
	before = interrupts(self);
	off = OF_REPLICA(0, DELAYED);
	ASSERT_EQ(0, complete(self, 100));
	EXPECT_TRUE(WAIT_FOR(interrupts(self) == before + 100, LONG));
	EXPECT_EQ(off, OF_REPLICA(0, DELAYED));
	ASSERT_EQ(0, nl_limits(&self->nl, KEEP, 1, NULL));
	ASSERT_TRUE(storm(self));
	/* the last one is told, be it later */
	before = interrupts(self);
	ASSERT_EQ(0, complete(self, 1));
	EXPECT_TRUE(WAIT_FOR(interrupts(self) != before, LONG));
	EXPECT_EQ(0, nl_moderation(&self->nl, 0, OCFABRIC_MODERATION_BURST,
				   OCFABRIC_MODERATION_TIMER, OCFABRIC_MODE_LATENCY, NULL));
}

TEST_HARNESS_MAIN
