// SPDX-License-Identifier: GPL-2.0-only
/*
 * No byte that nobody wrote reaches a user
 *
 * Answers are taken into memory full of a poison, twice, with another one: what the
 * kernel writes is the same, and what it does not write is the caller's. What the
 * kernel itself fills memory with that it has not written yet (the debug kernel:
 * freed objects, freed pages, the stack of this module) is in none of them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/genetlink.h>

#include "kselftest_harness.h"
#include "calls.h"
#include "child.h"
#include "netlink.h"
#include "util.h"

#define REGION	0x10000u
#define N	3
#define SECRET	0xe7
#define MAPS	((sizeof(struct ocfabric_replica_get) -				\
		  offsetof(struct ocfabric_replica_get, out_map_tx)) /		\
		 sizeof(struct ocfabric_map))

/* A slab's freed objects and their ends, a freed page, a stack that was not set. */
static const uint8_t unwritten[] = { 0x6b, 0xaa, 0xfe, 0xbb, 0xcc };

/* Four in a row of one of them: where, or -1. */
static long find_unwritten(const void *data, size_t length)
{
	const uint8_t *p = data;

	for (size_t i = 0; i + 4 <= length; i++)
		for (unsigned int k = 0; k < ARRAY_LEN(unwritten); k++)
			if (p[i] == unwritten[k] && p[i + 1] == p[i] && p[i + 2] == p[i] &&
			    p[i + 3] == p[i])
				return i;
	return -1;
}

FIXTURE(poison) {
	struct call_scene scene;
	union call_args args[2];
	struct replica r;
	struct nl nl;
};

/* Something of each kind is there to be shown: a key, rejects, a window. */
FIXTURE_SETUP(poison)
{
	struct call_scene *s = &self->scene;
	uint32_t key;

	self->r.fd = s->node = -1;
	s->node = node_open(O_RDWR);
	ASSERT_GE(s->node, 0);
	ASSERT_EQ(0, fabric_setup(s->node, N, REGION));
	ASSERT_EQ(0, replica_open(&self->r, s->node, 0, (struct attach){}));
	s->handle = self->r.fd;
	ASSERT_EQ(0, key_add(s->handle, s->memory, 16, &key));
	for (unsigned int i = 0; i < 3; i++)
		EXPECT_EQ(OCFABRIC_VERDICT_UNMAPPED,
			  replica_do(&self->r, ARG_DESC(inline_desc(200, 0, "no", 2)), NULL));
	ASSERT_EQ(0, nl_open(&self->nl));
}

FIXTURE_TEARDOWN(poison)
{
	nl_close(&self->nl);
	replica_close(&self->r);
	close(self->scene.node);
}

typedef FIXTURE_DATA(poison) fixture;

/* The call, with its out fields full of @fill beforehand */
static int call_poisoned(fixture *self, const struct call_row *row, uint8_t fill,
			 union call_args *a)
{
	struct call_scene *s = &self->scene;

	call_make(s, row, a);
	memset(a->bytes + row->out, fill, row->out_end - row->out);
	return call_perform(s, row, a);
}

static unsigned int echoed(const struct call_row *row, const union call_args args[2])
{
	unsigned int count = 0;

	for (uint32_t i = row->out; i < row->out_end; i++)
		count += args[0].bytes[i] == 0xa5 && args[1].bytes[i] == 0x5a;
	return count;
}

TEST_F(poison, ioctl_structures)
{
	for_each_call(row) {
		EXPECT_EQ(0, call_poisoned(self, row, 0xa5, &self->args[0]))
			TH_LOG("%s", row->name);
		EXPECT_EQ(0, call_poisoned(self, row, 0x5a, &self->args[1]))
			TH_LOG("%s", row->name);
		EXPECT_EQ(row->out_refused ? row->out_end - row->out : 0,
			  echoed(row, self->args))
			TH_LOG("%s: out fields that are not written (or are)", row->name);
		for (unsigned int i = 0; i < 2; i++)
			EXPECT_EQ(-1, find_unwritten(&self->args[i], row->size))
				TH_LOG("%s", row->name);
	}
}

/* What a refusal tells: all of the sentence's field, behind its end, too. */
TEST_F(poison, refusals)
{
	const struct ocfabric_change bad = step_replicas(99);
	struct ocfabric_config_change c[2];
	uint32_t refused;

	for (unsigned int i = 0; i < 2; i++) {
		memset(&c[i], i ? 0x5a : 0xa5, sizeof(c[i]));
		c[i].size = sizeof(c[i]);
		c[i].flags = 0;
		c[i].changes = (uintptr_t)&bad;
		c[i].count = 1;
		EXPECT_EQ(-EINVAL, call(self->scene.node, OCFABRIC_CONFIG_CHANGE, &c[i]));
	}
	EXPECT_EQ(0, memcmp(&c[0], &c[1], sizeof(c[0])));
	for (size_t i = strlen((char *)c[0].out_reason); i < OCFABRIC_REASON_MAX; i++)
		EXPECT_EQ(0, c[0].out_reason[i]);
	EXPECT_EQ(-EAGAIN, broadcast(self->r.fd, 0, &self->r.fd, 1, 0xffffff, &refused));
	EXPECT_EQ(0u, refused);
}

/* Arrays are written as far as the call says, and no further. */
TEST_F(poison, ioctl_arrays)
{
	static uint8_t room[2][1 << 16];
	struct ocfabric_config_get get;
	struct ocfabric_rejects_get rejects;
	struct ocfabric_counters_get counters;

	for (unsigned int i = 0; i < 2; i++) {
		uint8_t *to = room[i];

		memset(to, i ? 0x5a : 0xa5, sizeof(room[i]));
		get = NEW(ocfabric_config_get, .regions = (uintptr_t)to,
			  .connections = (uintptr_t)(to + 0x1000),
			  .windows = (uintptr_t)(to + 0x4000), .window_count = 512);
		ASSERT_EQ(0, call(self->scene.node, OCFABRIC_CONFIG_GET, &get));
		rejects = NEW(ocfabric_rejects_get, .rejects = (uintptr_t)(to + 0xa000),
			      .count = OCFABRIC_REJECTS);
		ASSERT_EQ(0, call(self->r.fd, OCFABRIC_REJECTS_GET, &rejects));
		counters = NEW(ocfabric_counters_get, .counters = (uintptr_t)(to + 0xc000),
			       .links = 16, .counters_per_link = OCFABRIC_COUNTERS);
		ASSERT_EQ(0, call(self->scene.node, OCFABRIC_COUNTERS_GET, &counters));
	}
	EXPECT_EQ(3, rejects.count);
	for (size_t i = 0; i < sizeof(room[0]); i++) {
		bool written =
			i < 16 * sizeof(struct ocfabric_region) ||
			(i >= 0x1000 && i < 0x1000 + 16 * OCFABRIC_QPNS) ||
			(i >= 0x4000 && i < 0x4000 + get.window_count *
						     sizeof(struct ocfabric_window)) ||
			(i >= 0xa000 && i < 0xa000 + rejects.count *
						     sizeof(struct ocfabric_hw_reject)) ||
			(i >= 0xc000 && i < 0xc000 + counters.links *
						     OCFABRIC_COUNTERS * sizeof(uint64_t));

		ASSERT_EQ(written ? room[0][i] : 0x5a, room[1][i])
			TH_LOG("byte %zx of the arrays", i);
	}
	EXPECT_EQ(-1, find_unwritten(room[0], sizeof(room[0])));
}

/* ---- netlink ---- */

/* From one attribute to the next there are zeroes, and nothing behind the last. */
static void check_attributes(struct __test_metadata *_metadata, const struct nlmsghdr *m)
{
	const uint8_t *p = (const uint8_t *)m + NLMSG_HDRLEN + GENL_HDRLEN;
	const uint8_t *end = (const uint8_t *)m + m->nlmsg_len;

	EXPECT_EQ(0, *(const uint16_t *)(p - 2));	/* reserved, in genlmsghdr */
	while (p < end) {
		const struct nlattr *a = (const void *)p;
		size_t length = NLA_ALIGN(a->nla_len);

		ASSERT_GE(a->nla_len, sizeof(*a));
		ASSERT_LE(length, (size_t)(end - p));
		for (size_t i = a->nla_len; i < length; i++)
			EXPECT_EQ(0, p[i])
				TH_LOG("attribute %u: padding", a->nla_type);
		/* the table of peers says "nobody" by ones */
		EXPECT_EQ(-1, find_unwritten(a + 1, a->nla_len - sizeof(*a)))
			TH_LOG("attribute %u", a->nla_type);
		p += length;
	}
}

static void check_answer(struct __test_metadata *_metadata, struct nl *nl, unsigned int cmd,
			 unsigned int flags)
{
	const struct nlmsghdr *m = NULL;
	struct nl_answer a;
	int ret = nl_simple(nl, cmd, flags, &a);

	if (ret != -EOPNOTSUPP)
		while ((m = nl_next(&a, m)))
			check_attributes(_metadata, m);
	nl_answer_free(&a);
}

TEST_F(poison, netlink_answers)
{
	/* what the request would change is not asked for */
	for (unsigned int cmd = 1; cmd <= OCFABRIC_CMD_MAX; cmd++)
		check_answer(_metadata, &self->nl, cmd, NLM_F_DUMP);
	check_answer(_metadata, &self->nl, OCFABRIC_CMD_DEVICE_GET, 0);
	check_answer(_metadata, &self->nl, OCFABRIC_CMD_CONFIG_GET, 0);
}

TEST_F(poison, netlink_events)
{
	static uint8_t buffer[8192] __attribute__((aligned(8)));
	unsigned int told = 0;

	ASSERT_EQ(0, nl_listen(&self->nl));
	ASSERT_EQ(0, call(self->scene.node, OCFABRIC_RESET,
			  ARG(ocfabric_reset, .what = OCFABRIC_RESET_COUNTERS)));
	close(attach_fd(self->scene.node, 1, (struct attach){}));
	ASSERT_EQ(OCFABRIC_VERDICT_UNMAPPED,
		  replica_do(&self->r, ARG_DESC(inline_desc(200, 0, "no", 2)), NULL));
	/* counters reset, attached, detached, rejected */
	for (; told < 4; told++) {
		memset(buffer, 0, sizeof(buffer));
		ASSERT_EQ(0, nl_event(&self->nl, patience(1000), buffer, sizeof(buffer)));
		check_attributes(_metadata, (const void *)buffer);
	}
}

/* ---- memory ---- */

static bool all_zero(const volatile void *at, size_t length)
{
	const volatile uint64_t *p = at;

	for (size_t i = 0; i < length / sizeof(*p); i++)
		if (p[i])
			return false;
	return true;
}

/* Everything that can be stored into is full of what is nobody else's. */
static int fill(const struct replica *r)
{
	const struct ocfabric_replica_get *g = &r->get;

	memset(r->tx, SECRET, g->out_map_tx.length);
	memset(r->rx, SECRET, g->out_map_rx.length);
	memset(r->owner, SECRET, g->out_map_owner.length);
	memset(r->region, SECRET, g->out_map_region.length);
	return 0;
}

/* Its own writes fill the completions; a semaphore says something, too. */
static int spend(int node)
{
	struct ocfabric_desc d = sem_local_desc(3, 7);
	struct replica r;
	uint32_t key;
	void *buffer;
	int ret = replica_open(&r, node, 1, (struct attach){ .tx_entries = 16 });

	if (!ret)
		ret = buffer_add(r.fd, 16 * PAGE, &key, &buffer);
	if (ret)
		return ret;
	memset(buffer, SECRET, 16 * PAGE);
	for (unsigned int i = 0; i < 40 && ret >= 0; i++)
		ret = replica_do(&r, &d, NULL);
	fill(&r);
	munmap(buffer, 16 * PAGE);
	replica_close(&r);
	return ret < 0 ? ret : 0;
}

/* Each of the maps, whole pages: behind a ring's end, too. */
static int look(int node)
{
	static uint8_t bytes[256];
	struct replica r;
	uint32_t key;
	void *buffer;

	if (replica_open(&r, node, 1, (struct attach){ .tx_entries = 16 }))
		return 1;
	if (!all_zero(r.tx, r.get.out_map_tx.length))
		return 2;
	if (!all_zero(r.rx, r.get.out_map_rx.length))
		return 3;
	if (!all_zero(r.cq, r.get.out_map_cq.length))
		return 4;
	if (!all_zero(r.owner, r.get.out_map_owner.length))
		return 5;
	if (!all_zero(r.semaphores, r.get.out_map_semaphores.length))
		return 6;
	if (!all_zero(r.region, r.get.out_map_region.length))
		return 7;
	if (buffer_add(r.fd, 16 * PAGE, &key, &buffer) || !all_zero(buffer, 16 * PAGE))
		return 8;
	/* nothing is read at the region's end */
	memset(bytes, 0xa5, sizeof(bytes));
	if (pread(r.fd, bytes, sizeof(bytes), REGION - 16) != 16 ||
	    !all_zero(bytes, 16) || bytes[16] != 0xa5 || bytes[255] != 0xa5 ||
	    pread(r.fd, bytes, sizeof(bytes), REGION) != 0)
		return 9;
	munmap(buffer, 16 * PAGE);
	replica_close(&r);
	return 0;
}

/* Where one of the maps grows, look() has to look at it. */
TEST_F(poison, memory_of_the_one_before)
{
	struct node_owner owner;

	EXPECT_EQ(8u, MAPS);
	ASSERT_EQ(0, spend(self->scene.node));
	ASSERT_EQ(0, node_lend(&owner));
	EXPECT_EQ(0, as_other(look))
		TH_LOG("what another user left is not zeroed: see look()");
	node_return(&owner);
	/* and the other way: what that user filled */
	ASSERT_EQ(0, node_lend(&owner));
	EXPECT_EQ(0, as_other(spend));
	node_return(&owner);
	EXPECT_EQ(0, look(self->scene.node));
}

/* One's own region stays; rings, completions and buffers do not. */
TEST_F(poison, memory_of_oneself)
{
	struct replica r;

	ASSERT_EQ(0, spend(self->scene.node));
	ASSERT_EQ(0, replica_open(&r, self->scene.node, 1, (struct attach){ .tx_entries = 16 }));
	EXPECT_TRUE(all_zero(r.tx, r.get.out_map_tx.length));
	EXPECT_TRUE(all_zero(r.cq, r.get.out_map_cq.length));
	EXPECT_TRUE(all_zero(r.rx, r.get.out_map_rx.length));
	EXPECT_EQ(SECRET, r.region[0]);
	EXPECT_EQ(7 * 40u, sem_value(&r, 3));
	fill(&r);
	ASSERT_EQ(0, replica_reset(&r));
	EXPECT_TRUE(all_zero(r.tx, r.get.out_map_tx.length));
	EXPECT_TRUE(all_zero(r.rx, r.get.out_map_rx.length));
	EXPECT_TRUE(all_zero(r.owner, r.get.out_map_owner.length));
	replica_close(&r);
}

/* What a bug report shows of rings has nothing of what was sent. */
TEST_F(poison, rings_tell_no_secrets)
{
	static const char secret[] = "0123456789abcdef0123456789abcde";
	struct ocfabric_desc d = imm_desc(0, 0, secret, 32, 0xe7e7e7e7);
	struct nl_answer a;

	ASSERT_EQ(OCFABRIC_VERDICT_RNR, replica_do(&self->r, &d, NULL));
	d = write_desc(0, 0, 64, 0xe7e7e7e7, 0x7e7e7e7e7e7e7e7eull);
	EXPECT_LE(0, replica_do(&self->r, &d, NULL));
	ASSERT_EQ(0, nl_simple(&self->nl, OCFABRIC_CMD_RING_GET, NLM_F_DUMP, &a));
	EXPECT_GT(a.length, 0u);
	EXPECT_EQ(NULL, memmem(a.data, a.length, secret, 8));
	EXPECT_EQ(NULL, memmem(a.data, a.length, "\xe7\xe7\xe7", 3));
	EXPECT_EQ(NULL, memmem(a.data, a.length, "\x7e\x7e\x7e", 3));
	nl_answer_free(&a);
}

TEST_HARNESS_MAIN
