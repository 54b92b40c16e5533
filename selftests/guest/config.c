// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes of the configuration, by ioctl and by netlink: what is refused, with
 * which errno and which step, and that a change is whole or not at all
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "netlink.h"
#include "util.h"

#define REGION	0x10000u
#define N	3

FIXTURE(config) {
	int node;
	struct nl nl;
	struct ocfabric_info info;
	struct config before, after;
	int error;		/* of the last change */
	unsigned int index;
	char reason[256];
};

FIXTURE_VARIANT(config) {
	bool netlink;
};

FIXTURE_VARIANT_ADD(config, by_ioctl) { .netlink = false };
FIXTURE_VARIANT_ADD(config, by_netlink) { .netlink = true };

FIXTURE_SETUP(config)
{
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	ASSERT_EQ(0, nl_open(&self->nl));
	self->info = NEW(ocfabric_info);
	ASSERT_EQ(0, call(self->node, OCFABRIC_INFO, &self->info));
	ASSERT_EQ(0, config_read(self->node, &self->before));
}

/* A failed test must not leave the card drained or slow. */
FIXTURE_TEARDOWN(config)
{
	EXPECT_EQ(0, fabric_setup(self->node, N, REGION));
	nl_close(&self->nl);
	close(self->node);
}

typedef FIXTURE_DATA(config) fixture;
typedef FIXTURE_VARIANT(config) way;

static int apply_by_netlink(fixture *self, bool check, const struct ocfabric_change *s,
			    unsigned int count)
{
	struct nl_answer a;

	self->error = nl_change(&self->nl, check, s, count, &a, &self->index);
	snprintf(self->reason, sizeof(self->reason), "%s", a.sentence);
	nl_answer_free(&a);
	return self->error;
}

static int apply(fixture *self, const way *variant, bool check,
		 const struct ocfabric_change *s, unsigned int count)
{
	struct ocfabric_config_change c;

	if (variant->netlink)
		return apply_by_netlink(self, check, s, count);
	self->error = change_steps(self->node, check ? OCFABRIC_CONFIG_CHECK : 0, s, count, &c);
	self->index = c.out_index;
	snprintf(self->reason, sizeof(self->reason), "%.*s", OCFABRIC_REASON_MAX,
		 (char *)c.out_reason);
	return self->error;
}

#define APPLY(...) ({							\
	const struct ocfabric_change s_[] = { __VA_ARGS__ };		\
	apply(self, variant, false, s_, ARRAY_LEN(s_)); })

static int hold(fixture *self, const way *variant)
{
	if (variant->netlink)
		return nl_simple(&self->nl, OCFABRIC_CMD_DRAIN, 0, NULL);
	return call(self->node, OCFABRIC_DRAIN, ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_HOLD));
}

static int resume(fixture *self, const way *variant)
{
	if (variant->netlink)
		return nl_simple(&self->nl, OCFABRIC_CMD_RESUME, 0, NULL);
	return call(self->node, OCFABRIC_DRAIN, ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_RESUME));
}

static bool unchanged(fixture *self)
{
	return !config_read(self->node, &self->after) && config_equal(&self->before, &self->after);
}

#define OP(name, ...)	{ .op = OCFABRIC_CHANGE_##name, ##__VA_ARGS__ }

/*
 * Each alone, over the state of fabric_setup(): n 3, regions of 64 KiB at 0,
 * 64 KiB and 128 KiB, windows over the whole of each.
 */
static const struct refused {
	const char *what;
	int error;
	struct ocfabric_change step;
} refused[] = {
	{ "no operation", -EINVAL, { 0 } },
	{ "unknown operation", -EINVAL, { .op = 15 } },
	{ "operation of all ones", -EINVAL, { .op = 0xffffffff } },
	{ "n 0", -EINVAL, OP(REPLICAS, .value = 0) },
	{ "n 1", -EINVAL, OP(REPLICAS, .value = 1) },
	{ "n 17", -EINVAL, OP(REPLICAS, .value = 17) },
	{ "n of 33 bits", -EINVAL, OP(REPLICAS, .value = 0x100000002) },
	{ "region unaligned", -EINVAL, OP(REGION, .src = 3, .offset = 0x100020, .length = 64) },
	{ "region overlaps", -EINVAL, OP(REGION, .src = 3, .offset = 0xffc0, .length = 128) },
	{ "region inside", -EINVAL, OP(REGION, .src = 3, .offset = 0x18000, .length = 64) },
	{ "region around", -EINVAL, OP(REGION, .src = 3, .offset = 0, .length = 0x100000) },
	{ "region past the HBM", -EINVAL,
	  OP(REGION, .src = 3, .offset = 1ull << 40, .length = 64) },
	{ "region wraps", -EINVAL,
	  OP(REGION, .src = 3, .offset = 0xffffffffffffffc0, .length = 128) },
	{ "region of all", -EINVAL,
	  OP(REGION, .src = 3, .offset = 0x100000, .length = UINT64_MAX) },
	{ "latency of 33 bits", -EINVAL, OP(LATENCY, .value = 1ull << 32) },
	{ "upstream QPNs 2", -EINVAL, OP(UPSTREAM_QPNS, .value = 2) },
	{ "connection to itself", -EINVAL, OP(CONNECTION, .src = 1, .qpn = 0, .dst = 1) },
	{ "peer not below n", -EINVAL, OP(CONNECTION, .src = 1, .qpn = 0, .dst = 3) },
	{ "peer of the word's high bits", -EINVAL, OP(CONNECTION, .src = 1, .dst = 0x100) },
	{ "window outside", -EINVAL, OP(WINDOW_ADD, .dst = 1, .offset = REGION, .length = 4) },
	{ "window over the end", -EINVAL,
	  OP(WINDOW_ADD, .dst = 1, .offset = REGION - 4, .length = 5) },
	{ "window wraps", -EINVAL,
	  OP(WINDOW_ADD, .dst = 1, .offset = UINT64_MAX, .length = 2) },
	{ "window of no replica", -EINVAL, OP(WINDOW_ADD, .src = 3, .dst = 1, .length = 4) },
	{ "window to no replica", -EINVAL, OP(WINDOW_ADD, .src = 0, .dst = 3, .length = 4) },
	{ "window not there", -ENOENT, OP(WINDOW_DEL, .src = 0, .dst = 1, .length = 4) },
	{ "semaphores past the last", -EINVAL,
	  OP(WINDOW_ADD, .dst = 1, .length = 4, .sem_first = 60, .sem_count = 5) },
	{ "65 semaphores", -EINVAL, OP(WINDOW_ADD, .dst = 1, .sem_count = 65) },
	{ "semaphores that wrap", -EINVAL,
	  OP(WINDOW_ADD, .dst = 1, .sem_first = 0xffffffff, .sem_count = 2) },
	{ "2^32 - 1 semaphores", -EINVAL,
	  OP(WINDOW_ADD, .dst = 1, .sem_first = 1, .sem_count = 0xffffffff) },
	{ "a first semaphore of none", -EINVAL,
	  OP(WINDOW_ADD, .dst = 1, .length = 4, .sem_first = 1) },
	{ "removed with too many semaphores", -EINVAL,
	  OP(WINDOW_DEL, .dst = 1, .length = REGION, .sem_count = 65) },
	{ "not there with semaphores", -ENOENT,
	  OP(WINDOW_DEL, .dst = 1, .length = REGION, .sem_count = 64) },
	{ "region with semaphores", -EINVAL,
	  OP(REGION, .src = 3, .offset = 0x100000, .length = 64, .sem_count = 1) },
	{ "connection with a first semaphore", -EINVAL, OP(CONNECTION, .dst = 1, .sem_first = 1) },
	{ "region shrinks under a window", -EINVAL,
	  OP(REGION, .src = 1, .offset = REGION, .length = REGION - 64) },
	{ "region goes under a window", -EINVAL, OP(REGION, .src = 1) },
	{ "fault outside the region", -EINVAL,
	  OP(FAULT_RESP, .dst = 1, .offset = REGION, .value = OCFABRIC_RESP_SLVERR) },
	{ "fault of no such response", -EINVAL, OP(FAULT_RESP, .dst = 1, .value = 1) },
	{ "fault delay of 33 bits", -EINVAL, OP(FAULT_DELAY, .dst = 1, .value = 1ull << 32) },
	{ "reset with a value", -EINVAL, OP(RESET, .value = 1) },
	{ "replicas with a length", -EINVAL, OP(REPLICAS, .value = 3, .length = 1) },
	{ "latency with a QPN", -EINVAL, OP(LATENCY, .value = 3, .qpn = 1) },
	{ "region with a destination", -EINVAL,
	  OP(REGION, .src = 3, .dst = 1, .offset = 0x100000, .length = 64) },
	{ "connection with an offset", -EINVAL, OP(CONNECTION, .dst = 1, .offset = 8) },
	{ "window with a value", -EINVAL, OP(WINDOW_ADD, .dst = 1, .length = 4, .value = 1) },
};

static bool is_fault(const struct ocfabric_change *s)
{
	return s->op >= OCFABRIC_CHANGE_FAULT_RESP && s->op <= OCFABRIC_CHANGE_FAULT_CLEAR;
}

/* A card that offers fault injection takes these steps, another refuses them. */
TEST_F(config, faults_need_their_feature)
{
	bool offered = self->info.out_features & OCFABRIC_FEATURE_FAULTS;

	for (unsigned int op = OCFABRIC_CHANGE_FAULT_RESP; op <= OCFABRIC_CHANGE_FAULT_CLEAR; op++) {
		EXPECT_EQ(offered ? 0 : -EOPNOTSUPP, APPLY(step_fault(op, 1, 0, 0)));
		if (offered)
			continue;
		EXPECT_LT(10, strlen(self->reason));
		EXPECT_TRUE(unchanged(self));
	}
}

TEST_F(config, bad_steps_are_refused)
{
	for (unsigned int i = 0; i < ARRAY_LEN(refused); i++) {
		const struct refused *c = &refused[i];

		if (is_fault(&c->step) && !(self->info.out_features & OCFABRIC_FEATURE_FAULTS))
			continue;
		EXPECT_EQ(c->error, APPLY(c->step))
			TH_LOG("%s", c->what);
		EXPECT_EQ(0, self->index)
			TH_LOG("%s", c->what);
		EXPECT_LT(10, strlen(self->reason))
			TH_LOG("%s: '%s' is no sentence", c->what, self->reason);
		EXPECT_TRUE(unchanged(self))
			TH_LOG("%s: changed something", c->what);
	}
}

/* Numbers that name nothing: no replica, link or QPN of any card. */
TEST_F(config, what_does_not_exist_is_refused)
{
	static const struct ocfabric_change none[] = {
		OP(REGION, .src = 16, .offset = 0x100000, .length = 64),
		OP(REGION, .src = 0xffffffff, .offset = 0x100000, .length = 64),
		OP(CONNECTION, .src = 16, .qpn = 0, .dst = 1),
		OP(CONNECTION, .src = 0, .qpn = 256, .dst = 1),
		OP(CONNECTION, .src = 0, .qpn = 0xffffffff, .dst = 1),
		OP(WINDOW_ADD, .src = 16, .dst = 1, .length = 4),
		OP(WINDOW_ADD, .src = 0, .dst = 16, .length = 4),
		OP(FAULT_RESP, .dst = 16, .value = OCFABRIC_RESP_SLVERR),
		OP(FAULT_DELAY, .dst = 0xffffffff, .value = 1),
		OP(FAULT_CLEAR, .dst = 16),
	};

	for (unsigned int i = 0; i < ARRAY_LEN(none); i++) {
		APPLY(none[i]);
		EXPECT_TRUE(self->error == -EINVAL || self->error == -ENOENT ||
			    (self->error == -EOPNOTSUPP && is_fault(&none[i])))
			TH_LOG("step %u: %d", i, self->error);
		EXPECT_EQ(0, self->index);
		EXPECT_LT(10, strlen(self->reason));
		EXPECT_TRUE(unchanged(self));
	}
}

/* A bad step at any place takes the good ones around it along. */
TEST_F(config, change_is_whole_or_not_at_all)
{
	const struct ocfabric_change good[] = {
		step_replicas(5),
		step_region(4, 0x100000, 0x1000),
		step(OCFABRIC_CHANGE_LATENCY, 77),
		step(OCFABRIC_CHANGE_UPSTREAM_QPNS, 1),
		step_connection(0, 200, 4),
		step_window(OCFABRIC_CHANGE_WINDOW_ADD, 0, 4, 0, 0x1000),
		step_window(OCFABRIC_CHANGE_WINDOW_DEL, 0, 1, 0, REGION),
	};

	for (unsigned int at = 0; at <= ARRAY_LEN(good); at++) {
		for (unsigned int i = 0; i < ARRAY_LEN(refused); i += 7) {
			struct ocfabric_change s[ARRAY_LEN(good) + 1];

			memcpy(s, good, at * sizeof(*s));
			s[at] = refused[i].step;
			memcpy(s + at + 1, good + at, sizeof(good) - at * sizeof(*s));
			apply(self, variant, false, s, ARRAY_LEN(s));
			if (!self->error)	/* fine among these: n 5, say */
				ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
			if (!self->error && !config_read(self->node, &self->before))
				continue;
			ASSERT_TRUE(unchanged(self))
				TH_LOG("%s at %u", refused[i].what, at);
		}
	}
	EXPECT_EQ(0, apply(self, variant, false, good, ARRAY_LEN(good)));
	ASSERT_EQ(0, config_read(self->node, &self->after));
	EXPECT_EQ(5, self->after.get.out_replicas);
	EXPECT_EQ(0x100000, self->after.region[4].base);
	EXPECT_EQ(77, self->after.get.out_latency);
	EXPECT_EQ(OCFABRIC_CONFIG_UPSTREAM_QPNS, self->after.get.out_state);
	EXPECT_EQ(4, self->after.peer[0][200]);
	EXPECT_EQ(6, self->after.get.window_count);
	EXPECT_NE(self->before.get.out_generation, self->after.get.out_generation);
}

TEST_F(config, refusal_names_the_step)
{
	struct ocfabric_change s[64];

	for (unsigned int at = 0; at < ARRAY_LEN(s); at += 9) {
		for (unsigned int i = 0; i < ARRAY_LEN(s); i++)
			s[i] = step(OCFABRIC_CHANGE_LATENCY, i);
		s[at] = step_connection(1, 3, 1);
		EXPECT_EQ(-EINVAL, apply(self, variant, false, s, ARRAY_LEN(s)));
		EXPECT_EQ(at, self->index);
	}
	/* what is wrong at the end only: the step that brought it about */
	EXPECT_EQ(-EINVAL, APPLY(step(OCFABRIC_CHANGE_LATENCY, 1),
				 step_region(2, 0x8000, 0x1000),
				 step(OCFABRIC_CHANGE_LATENCY, 2)));
	EXPECT_EQ(1, self->index);
}

TEST_F(config, check_says_and_changes_nothing)
{
	const struct ocfabric_change good[] = { step_reset(), step_replicas(9) };
	const struct ocfabric_change bad[] = { step_reset(), step_replicas(99) };

	EXPECT_EQ(0, apply(self, variant, true, good, 2));
	EXPECT_TRUE(unchanged(self));
	EXPECT_EQ(-EINVAL, apply(self, variant, true, bad, 2));
	EXPECT_EQ(1, self->index);
	EXPECT_LT(10, strlen(self->reason));
	EXPECT_TRUE(unchanged(self));
}

/* What a step may not do alone it may do with another that makes it right. */
TEST_F(config, steps_are_judged_together)
{
	/* regions change places */
	EXPECT_EQ(0, APPLY(step_region(0, REGION, REGION), step_region(1, 0, REGION)));
	/* a region shrinks and its windows go, in either order */
	EXPECT_EQ(0, APPLY(step_region(2, 2 * REGION, REGION / 2),
			   step_window(OCFABRIC_CHANGE_WINDOW_DEL, 0, 2, 0, REGION),
			   step_window(OCFABRIC_CHANGE_WINDOW_DEL, 1, 2, 0, REGION)));
	/* a replica comes and gets all it needs */
	EXPECT_EQ(0, APPLY(step_connection(0, 100, 3), step_replicas(4),
			   step_window(OCFABRIC_CHANGE_WINDOW_ADD, 0, 3, 0, 64),
			   step_region(3, 0x100000, 64)));
}

TEST_F(config, lowered_n_keeps_the_entries)
{
	ASSERT_EQ(0, APPLY(step_replicas(2)));
	ASSERT_EQ(0, config_read(self->node, &self->after));
	EXPECT_EQ(2, self->after.get.out_replicas);
	EXPECT_EQ(6, self->after.get.window_count);
	EXPECT_EQ(2, self->after.peer[0][qpn_of(N, 0, 2)]);
	EXPECT_EQ(2 * REGION, self->after.region[2].base);
	ASSERT_EQ(0, APPLY(step_replicas(3)));
	ASSERT_EQ(0, config_read(self->node, &self->after));
	self->before.get.out_generation = self->after.get.out_generation;
	EXPECT_TRUE(config_equal(&self->before, &self->after));
}

TEST_F(config, windows_are_a_set)
{
	ASSERT_EQ(0, APPLY(step_window(OCFABRIC_CHANGE_WINDOW_ADD, 0, 1, 0x100, 8),
			   step_window(OCFABRIC_CHANGE_WINDOW_ADD, 0, 1, 0x100, 8)));
	ASSERT_EQ(0, APPLY(step_window(OCFABRIC_CHANGE_WINDOW_ADD, 0, 1, 0x100, 8)));
	ASSERT_EQ(0, config_read(self->node, &self->after));
	EXPECT_EQ(7, self->after.get.window_count);
	ASSERT_EQ(0, APPLY(step_window(OCFABRIC_CHANGE_WINDOW_DEL, 0, 1, 0x100, 8)));
	EXPECT_EQ(-ENOENT, APPLY(step_window(OCFABRIC_CHANGE_WINDOW_DEL, 0, 1, 0x100, 8)));
	EXPECT_EQ(-ENOENT, APPLY(step_window(OCFABRIC_CHANGE_WINDOW_DEL, 0, 1, 0, REGION),
				 step_window(OCFABRIC_CHANGE_WINDOW_DEL, 0, 1, 0, REGION)));
	EXPECT_EQ(1, self->index);
}

static struct ocfabric_change sem_window(unsigned int op, uint64_t length, unsigned int first,
					 unsigned int count)
{
	struct ocfabric_change s = step_window(op, 0, 1, 0x200, length);

	s.sem_first = first;
	s.sem_count = count;
	return s;
}

/* The same bytes with other semaphores are another window. */
TEST_F(config, windows_are_all_their_fields)
{
	static const struct { unsigned int first, count; } ranges[] = {
		{ 0, 0 }, { 0, 1 }, { 0, 64 }, { 1, 63 }, { 63, 1 }, { 5, 10 },
	};
	unsigned int seen = 0;

	for (int twice = 0; twice < 2; twice++)
		for (unsigned int i = 0; i < ARRAY_LEN(ranges); i++)
			ASSERT_EQ(0, APPLY(sem_window(OCFABRIC_CHANGE_WINDOW_ADD, 64,
						      ranges[i].first, ranges[i].count)));
	/* semaphores alone are something, too */
	ASSERT_EQ(0, APPLY(sem_window(OCFABRIC_CHANGE_WINDOW_ADD, 0, 7, 8)));
	ASSERT_EQ(0, config_read(self->node, &self->after));
	ASSERT_EQ(6 + ARRAY_LEN(ranges) + 1, self->after.get.window_count);
	for (unsigned int i = 0; i < self->after.get.window_count; i++) {
		const struct ocfabric_window *w = &self->after.window[i];

		for (unsigned int j = 0; j < ARRAY_LEN(ranges); j++)
			seen |= (w->offset == 0x200 && w->length == 64 &&
				 w->sem_first == ranges[j].first &&
				 w->sem_count == ranges[j].count) << j;
		seen |= (w->length == 0 && w->sem_first == 7 && w->sem_count == 8) << 30;
	}
	EXPECT_EQ((1u << ARRAY_LEN(ranges)) - 1 + (1u << 30), seen);
	EXPECT_EQ(-ENOENT, APPLY(sem_window(OCFABRIC_CHANGE_WINDOW_DEL, 64, 0, 63)));
	for (unsigned int i = 0; i < ARRAY_LEN(ranges); i++)
		ASSERT_EQ(0, APPLY(sem_window(OCFABRIC_CHANGE_WINDOW_DEL, 64,
					      ranges[i].first, ranges[i].count)));
	ASSERT_EQ(0, APPLY(sem_window(OCFABRIC_CHANGE_WINDOW_DEL, 0, 7, 8)));
	ASSERT_EQ(0, config_read(self->node, &self->after));
	EXPECT_EQ(6, self->after.get.window_count);
}

/* Nothing may be written by them, so nothing is wrong with them. */
TEST_F(config, windows_without_effect_are_taken)
{
	EXPECT_EQ(0, APPLY(step_window(OCFABRIC_CHANGE_WINDOW_ADD, 1, 1, 0, 64)));
	EXPECT_EQ(0, APPLY(step_window(OCFABRIC_CHANGE_WINDOW_ADD, 0, 1, REGION, 0)));
	EXPECT_EQ(-EINVAL, APPLY(step_window(OCFABRIC_CHANGE_WINDOW_ADD, 0, 1, REGION + 1, 0)));
	ASSERT_EQ(0, config_read(self->node, &self->after));
	EXPECT_EQ(8, self->after.get.window_count);
}

TEST_F(config, windows_are_limited)
{
	static struct ocfabric_change s[OCFABRIC_WINDOWS_MAX + 1];
	unsigned int room = self->info.out_windows - 6;

	for (unsigned int i = 0; i <= room; i++)
		s[i] = step_window(OCFABRIC_CHANGE_WINDOW_ADD, 0, 1, 4 * i, 4);
	EXPECT_EQ(-ENOSPC, apply(self, variant, false, s, room + 1));
	EXPECT_EQ(room, self->index);
	EXPECT_LT(10, strlen(self->reason));
	EXPECT_TRUE(unchanged(self));
	ASSERT_EQ(0, apply(self, variant, false, s, room));
	ASSERT_EQ(0, config_read(self->node, &self->after));
	EXPECT_EQ(self->info.out_windows, self->after.get.window_count);
	EXPECT_EQ(-ENOSPC, APPLY(s[room]));
	EXPECT_EQ(0, APPLY(s[0]));	/* one that is there needs no room */
	EXPECT_EQ(0, APPLY(step_window(OCFABRIC_CHANGE_WINDOW_DEL, 0, 1, 0, 4), s[room]));
}

/* All of them must take effect: the last as well as the first. */
TEST_F(config, every_window_counts)
{
	static struct ocfabric_change s[OCFABRIC_WINDOWS_MAX + 8];
	unsigned int count = 0, windows = self->info.out_windows;
	struct replica r;

	for (unsigned int i = 0; i < N; i++)
		for (unsigned int j = 0; j < N; j++)
			if (i != j)
				s[count++] = step_window(OCFABRIC_CHANGE_WINDOW_DEL, i, j, 0,
							 REGION);
	for (unsigned int i = 0; i < windows; i++)
		s[count++] = step_window(OCFABRIC_CHANGE_WINDOW_ADD, 0, 1, 8 * i, 4);
	ASSERT_EQ(0, apply(self, variant, false, s, count));
	ASSERT_EQ(0, replica_open(&r, self->node, 0, (struct attach){}));
	for (unsigned int i = 0; i < windows; i++) {
		struct ocfabric_desc in = inline_desc(0, 8 * i, "in", 2);
		struct ocfabric_desc out = inline_desc(0, 8 * i + 4, "out", 3);

		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&r, &in, NULL));
		ASSERT_EQ(OCFABRIC_VERDICT_UNAUTHORIZED, replica_do(&r, &out, NULL));
	}
	replica_close(&r);
}

TEST_F(config, reset_forgets_all)
{
	ASSERT_EQ(0, APPLY(step_reset()));
	ASSERT_EQ(0, config_read(self->node, &self->after));
	EXPECT_EQ(0, self->after.get.out_replicas);
	EXPECT_EQ(0, self->after.get.out_latency);
	EXPECT_EQ(0, self->after.get.out_state);
	EXPECT_EQ(0, self->after.get.window_count);
	for (unsigned int i = 0; i < OCFABRIC_REPLICAS_MAX; i++) {
		EXPECT_EQ(0, self->after.region[i].length);
		for (unsigned int q = 0; q < OCFABRIC_QPNS; q++) {
			ASSERT_EQ(OCFABRIC_PEER_NONE, self->after.peer[i][q]);
		}
	}
}

TEST_F(config, default_connections)
{
	for (unsigned int n = 2; n <= self->info.out_replicas; n++) {
		ASSERT_EQ(0, APPLY(step_replicas(n), step(OCFABRIC_CHANGE_CONNECTIONS_DEFAULT, 0)));
		ASSERT_EQ(0, config_read(self->node, &self->after));
		for (unsigned int i = 0; i < OCFABRIC_REPLICAS_MAX; i++) {
			uint8_t want[OCFABRIC_QPNS];

			memset(want, OCFABRIC_PEER_NONE, sizeof(want));
			for (unsigned int peer = 0; i < n && peer < n; peer++)
				if (peer != i)
					want[qpn_of(n, i, peer)] = peer;
			ASSERT_EQ(0, memcmp(want, self->after.peer[i], sizeof(want)))
				TH_LOG("n %u, link %u", n, i);
		}
	}
}

TEST_F(config, drain_holds_writes)
{
	struct ocfabric_desc d = inline_desc(0, 0, "held", 4);
	struct ocfabric_cqe e;
	struct replica r;

	ASSERT_EQ(0, replica_open(&r, self->node, 0, (struct attach){}));
	EXPECT_EQ(-EINVAL, resume(self, variant));
	ASSERT_EQ(0, hold(self, variant));
	EXPECT_EQ(-EBUSY, hold(self, variant));
	ASSERT_EQ(0, config_read(self->node, &self->after));
	EXPECT_EQ(OCFABRIC_CONFIG_DRAINED, self->after.get.out_state);
	replica_post(&r, &d);
	replica_ring(&r);
	EXPECT_FALSE(replica_wait(&r, &e, 100));
	/* a change under it, and it stays drained */
	EXPECT_EQ(0, APPLY(step(OCFABRIC_CHANGE_LATENCY, 5)));
	ASSERT_EQ(0, config_read(self->node, &self->after));
	EXPECT_EQ(OCFABRIC_CONFIG_DRAINED, self->after.get.out_state);
	EXPECT_FALSE(replica_wait(&r, &e, 50));
	ASSERT_EQ(0, resume(self, variant));
	EXPECT_TRUE(replica_wait(&r, &e, patience(1000)));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, e.status);
	EXPECT_EQ(-EINVAL, resume(self, variant));
	ASSERT_EQ(0, config_read(self->node, &self->after));
	EXPECT_EQ(0, self->after.get.out_state);
	replica_close(&r);
}

/*
 * A write that is stuck for longer than a drain waits: everything that drains
 * fails after a second, says where, and leaves all as it was.
 */
static void stick(fixture *self, struct replica *r, struct ocfabric_change slow)
{
	struct ocfabric_desc d = inline_desc(0, 0, "slow", 4);

	change_steps(self->node, 0, &slow, 1, NULL);
	config_read(self->node, &self->before);
	replica_post(r, &d);
	replica_ring(r);
}

TEST_F(config, stuck_write_times_out)
{
	/* 16 s, but for a card that is faster than a delay can say */
	const uint32_t cycles = 16000000 * (uint64_t)self->info.out_clock_mhz > UINT32_MAX ?
		UINT32_MAX : 16000000 * self->info.out_clock_mhz;
	const struct ocfabric_change slow[] = {
		step_fault(OCFABRIC_CHANGE_FAULT_DELAY, 1, 0, cycles),
		step(OCFABRIC_CHANGE_LATENCY, cycles),
	};
	const enum ocfabric_stage stage[] = { OCFABRIC_STAGE_ACKNOWLEDGED, OCFABRIC_STAGE_TAKEN };
	struct ocfabric_drain drain = NEW(ocfabric_drain, .op = OCFABRIC_DRAIN_HOLD);
	struct replica r;

	if (!(self->info.out_features & OCFABRIC_FEATURE_FAULTS))
		SKIP(return, "the card offers no fault injection");
	for (int i = 0; i < 2; i++) {
		uint64_t start = now_ms();

		ASSERT_EQ(0, replica_open(&r, self->node, 0, (struct attach){}));
		stick(self, &r, slow[i]);
		EXPECT_EQ(-ETIMEDOUT, APPLY(step_replicas(7)));
		EXPECT_LE(900, now_ms() - start);
		EXPECT_GT(patience(1600), now_ms() - start);
		EXPECT_NE(NULL, strstr(self->reason, "link 0"))
			TH_LOG("'%s' does not name the link", self->reason);
		EXPECT_NE(NULL, strstr(self->reason, i ? "taken" : "acknowledged"))
			TH_LOG("'%s' does not name the stage", self->reason);
		EXPECT_TRUE(unchanged(self));
		EXPECT_EQ(-ETIMEDOUT, call(self->node, OCFABRIC_DRAIN, &drain));
		EXPECT_EQ(0, drain.out_link);
		EXPECT_EQ(stage[i], drain.out_stage);
		EXPECT_TRUE(unchanged(self));
		/* a reset ends even that */
		EXPECT_EQ(0, call(self->node, OCFABRIC_RESET,
				  ARG(ocfabric_reset, .what = OCFABRIC_RESET_DEVICE)));
		replica_close(&r);
		ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	}
}

TEST_F(config, number_of_steps_is_limited)
{
	static struct ocfabric_change s[OCFABRIC_CHANGES_MAX + 1];
	unsigned int most = variant->netlink ? 1000 : OCFABRIC_CHANGES_MAX;

	for (unsigned int i = 0; i < ARRAY_LEN(s); i++)
		s[i] = step(OCFABRIC_CHANGE_LATENCY, i);
	EXPECT_EQ(0, apply(self, variant, false, s, most));
	ASSERT_EQ(0, config_read(self->node, &self->after));
	EXPECT_EQ(most - 1, self->after.get.out_latency);
	EXPECT_EQ(-EINVAL, apply(self, variant, false, s, 0));
	if (!variant->netlink)
		EXPECT_EQ(-EINVAL, apply(self, variant, false, s, ARRAY_LEN(s)));
}

TEST_F(config, faults_are_limited)
{
	static struct ocfabric_change s[8192];
	unsigned int most = 0, none = ARRAY_LEN(s);	/* taken; not taken */

	if (!(self->info.out_features & OCFABRIC_FEATURE_FAULTS))
		SKIP(return, "the card offers no fault injection");
	ASSERT_EQ(0, APPLY(step_reset(), step_replicas(2), step_region(0, 0, 64 * none)));
	for (unsigned int i = 0; i < none; i++)
		s[i] = step_fault(OCFABRIC_CHANGE_FAULT_DELAY, 0, 64 * i, 1);
	ASSERT_EQ(-ENOSPC, change_steps(self->node, OCFABRIC_CONFIG_CHECK, s, none, NULL));
	while (none - most > 1) {
		unsigned int middle = (most + none) / 2;

		if (change_steps(self->node, OCFABRIC_CONFIG_CHECK, s, middle, NULL))
			none = middle;
		else
			most = middle;
	}
	ASSERT_EQ(0, change_steps(self->node, 0, s, most, NULL));
	EXPECT_EQ(-ENOSPC, APPLY(s[most]));
	EXPECT_LT(10, strlen(self->reason));
	EXPECT_EQ(0, APPLY(step_fault(OCFABRIC_CHANGE_FAULT_CLEAR, 0, 0, 0)));
	EXPECT_EQ(0, APPLY(s[most]));
}

/*
 * Who opened the file decides, not who uses it: root hands an open node to a
 * user, and a user one to root.
 */
static int without_rights(void *arg)
{
	int socket = *(int *)arg, node = receive_fd(socket), own;

	if (become_other(true))
		return 1;
	if (CHANGE(node, step(OCFABRIC_CHANGE_LATENCY, 3)))
		return 2;
	own = node_open(O_RDWR);
	if (own < 0 || send_fd(socket, own))
		return 3;
	return CHANGE(own, step(OCFABRIC_CHANGE_LATENCY, 4)) == -EPERM ? 0 : 4;
}

TEST(opener_decides_who_may_configure)
{
	int node = node_open(O_RDWR), sv[2], lent;
	struct node_owner old;
	pid_t pid;

	ASSERT_GE(node, 0);
	ASSERT_EQ(0, socket_pair(sv));
	ASSERT_EQ(0, node_lend(&old));
	pid = child_start(without_rights, &sv[1]);
	EXPECT_EQ(0, send_fd(sv[0], node));
	lent = receive_fd(sv[0]);
	node_return(&old);
	ASSERT_GE(lent, 0);
	EXPECT_EQ(0, child_end(pid, 5000));
	EXPECT_EQ(-EPERM, CHANGE(lent, step(OCFABRIC_CHANGE_LATENCY, 5)));
	EXPECT_EQ(-EPERM, call(lent, OCFABRIC_RESET,
			       ARG(ocfabric_reset, .what = OCFABRIC_RESET_COUNTERS)));
	EXPECT_EQ(-EPERM, call(lent, OCFABRIC_RESET,
			       ARG(ocfabric_reset, .what = OCFABRIC_RESET_DEVICE)));
	EXPECT_EQ(-EPERM, call(lent, OCFABRIC_DRAIN,
			       ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_HOLD)));
	EXPECT_EQ(0, CHANGE(node, step(OCFABRIC_CHANGE_LATENCY, 0)));
}

/* By netlink: reading is free, changing and looking at what is others' is not. */
static int netlink_user(void *arg)
{
	static const uint8_t reads[] = { OCFABRIC_CMD_REGION_GET, OCFABRIC_CMD_CONNECTION_GET,
					 OCFABRIC_CMD_WINDOW_GET, OCFABRIC_CMD_COUNTERS_GET,
					 OCFABRIC_CMD_REPLICA_GET };
	static const uint8_t writes[] = { OCFABRIC_CMD_CONFIG_CHANGE, OCFABRIC_CMD_DRAIN,
					  OCFABRIC_CMD_RESUME, OCFABRIC_CMD_RESET,
					  OCFABRIC_CMD_MODERATION_SET };
	static const uint8_t secrets[] = { OCFABRIC_CMD_REJECT_GET,
					   OCFABRIC_CMD_SEMAPHORE_GET };
	struct nl nl;
	bool in_namespace = *(bool *)arg;

	if (become_other(false) || (in_namespace && unshare(CLONE_NEWUSER)))
		return 77;
	if (nl_open(&nl))
		return 1;
	for (unsigned int i = 0; i < ARRAY_LEN(reads); i++)
		if (nl_simple(&nl, reads[i], NLM_F_DUMP, NULL))
			return 10 + i;
	if (nl_simple(&nl, OCFABRIC_CMD_DEVICE_GET, 0, NULL) ||
	    nl_simple(&nl, OCFABRIC_CMD_CONFIG_GET, 0, NULL))
		return 2;
	for (unsigned int i = 0; i < ARRAY_LEN(writes); i++)
		if (nl_simple(&nl, writes[i], 0, NULL) != -EPERM)
			return 20 + i;
	for (unsigned int i = 0; i < ARRAY_LEN(secrets); i++)
		if (nl_simple(&nl, secrets[i], NLM_F_DUMP, NULL) != -EPERM)
			return 30 + i;
	return 0;
}

TEST(netlink_reads_are_free_and_writes_are_not)
{
	bool in_namespace = false;

	EXPECT_EQ(0, child_end(child_start(netlink_user, &in_namespace), 5000));
}

TEST(netlink_namespace_root_gains_nothing)
{
	bool in_namespace = true;
	int ret = child_end(child_start(netlink_user, &in_namespace), 5000);

	if (ret == 77)
		SKIP(return, "no user namespaces for users here");
	EXPECT_EQ(0, ret);
}

/* The policy is strict: what the specification does not have is refused. */
TEST(netlink_policy_is_strict)
{
	struct nl_request r;
	struct nl_answer a;
	struct nl nl;
	uint8_t byte = 0;

	ASSERT_EQ(0, nl_open(&nl));
	nl_begin(&r, &nl, OCFABRIC_CMD_DRAIN);
	nl_put_u32(&r, OCFABRIC_A_CONTROL_CARD, node_number());
	nl_put_u32(&r, 200, 1);
	EXPECT_EQ(-EINVAL, nl_call(&nl, &r, 0, &a));
	EXPECT_NE(0, a.offset);
	nl_begin(&r, &nl, OCFABRIC_CMD_DRAIN);
	nl_put(&r, OCFABRIC_A_CONTROL_CARD, &byte, 1);
	EXPECT_GT(0, nl_call(&nl, &r, 0, NULL));
	nl_begin(&r, &nl, OCFABRIC_CMD_RESET);
	nl_put_u32(&r, OCFABRIC_A_CONTROL_CARD, node_number());
	nl_put_u32(&r, OCFABRIC_A_CONTROL_RESET_TARGET, 4);
	EXPECT_GT(0, nl_call(&nl, &r, 0, NULL));
	nl_begin(&r, &nl, OCFABRIC_CMD_RESET);
	nl_put_u32(&r, OCFABRIC_A_CONTROL_CARD, node_number());
	EXPECT_GT(0, nl_call(&nl, &r, 0, NULL));
	nl_begin(&r, &nl, OCFABRIC_CMD_EVENT_NTF);
	EXPECT_EQ(-EOPNOTSUPP, nl_call(&nl, &r, 0, NULL));
	nl_begin(&r, &nl, 77);
	EXPECT_EQ(-EOPNOTSUPP, nl_call(&nl, &r, 0, NULL));
	nl_close(&nl);
}

TEST(netlink_knows_no_other_card)
{
	struct nl_request r;
	struct nl_answer a;
	struct nl nl;

	ASSERT_EQ(0, nl_open(&nl));
	for (uint8_t cmd = OCFABRIC_CMD_DEVICE_GET; cmd <= OCFABRIC_CMD_RESET; cmd++) {
		bool dump = cmd >= OCFABRIC_CMD_REGION_GET && cmd <= OCFABRIC_CMD_SEMAPHORE_GET;
		int ret;

		nl_begin(&r, &nl, cmd);
		nl_put_u32(&r, OCFABRIC_A_CONTROL_CARD, 4711);
		if (cmd == OCFABRIC_CMD_RESET)
			nl_put_u32(&r, OCFABRIC_A_CONTROL_RESET_TARGET,
				   OCFABRIC_RESET_TARGET_COUNTERS);
		if (cmd == OCFABRIC_CMD_MODERATION_SET)
			nl_put_u32(&r, OCFABRIC_A_MODERATION_REPLICA, 0);
		if (cmd == OCFABRIC_CMD_CONFIG_CHANGE)
			nl_nest_end(&r, nl_nest(&r, OCFABRIC_A_CONFIG_CHANGE_STEP));
		ret = nl_call(&nl, &r, dump ? NLM_F_DUMP : 0, &a);
		EXPECT_EQ(-ENODEV, ret)
			TH_LOG("command %u", cmd);
		nl_answer_free(&a);
	}
	nl_close(&nl);
}

TEST_HARNESS_MAIN
