// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory keys: whose memory a write may read, what is charged for it, and that
 * nothing outside a key is ever read
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "util.h"

#define REGION	0x10000u
#define N	3
#define MIB	(1ul << 20)

FIXTURE(key) {
	int node;
	struct replica r, peer;	/* replicas 0 and 1 */
	unsigned int qpn;
	struct counters counters;
	struct node_owner old;
	bool lent;
	long pinned;
};

FIXTURE_SETUP(key)
{
	self->pinned = pinned_pages();
	self->r.fd = self->peer.fd = -1;
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	ASSERT_EQ(0, replica_open(&self->peer, self->node, 1, (struct attach){}));
	self->qpn = qpn_of(N, 0, 1);
}

/* No page stays pinned, whatever a test left to close(). */
FIXTURE_TEARDOWN(key)
{
	EXPECT_EQ(0, counters_read(self->node, &self->counters));
	EXPECT_TRUE(counters_conserved(&self->counters));
	if (self->lent)
		node_return(&self->old);
	replica_close(&self->r);
	replica_close(&self->peer);
	close(self->node);
	EXPECT_TRUE(WAIT_FOR(self->pinned == pinned_pages(), patience(1000)));
}

static void *memory(size_t length)
{
	void *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int send(struct replica *r, unsigned int qpn, uint64_t raddr, uint32_t len,
		uint32_t key, uint64_t addr)
{
	struct ocfabric_desc d = write_desc(qpn, raddr, len, key, addr);

	return replica_do(r, &d, NULL);
}

TEST_F(key, user_memory_at_any_address)
{
	static const uint32_t sizes[] = { 1, 3, 64, 100, 4096, 5000, 12000 };
	uint8_t *from = memory(8 * PAGE);
	uint32_t key;

	ASSERT_NE(NULL, from);
	fill_pattern(from, 8 * PAGE, 42);
	for (unsigned int odd = 0; odd < 70; odd += 3) {
		ASSERT_EQ(0, key_add(self->r.fd, from + odd, 7 * PAGE, &key));
		for (unsigned int i = 0; i < ARRAY_LEN(sizes); i++) {
			unsigned int addr = odd * 37 + 4093 * (i % 3);

			memset(self->peer.region, 0xee, REGION);
			ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED,
				  send(&self->r, self->qpn, 0x20, sizes[i], key, addr));
			ASSERT_EQ(0, memcmp(from + odd + addr, self->peer.region + 0x20,
					    sizes[i]))
				TH_LOG("key at %u, address %u, size %u", odd, addr, sizes[i]);
			ASSERT_EQ(0xee, self->peer.region[0x1f]);
			ASSERT_EQ(0xee, self->peer.region[0x20 + sizes[i]]);
		}
		ASSERT_EQ(0, key_del(self->r.fd, key));
	}
}

/* Memory in pieces that lie nowhere near each other: one page, many times. */
static uint8_t *scattered(unsigned int pages)
{
	int fd = memfd_create("scattered", MFD_CLOEXEC);
	uint8_t *p;

	if (fd < 0 || ftruncate(fd, PAGE))
		return NULL;
	p = memory(pages * PAGE);
	for (unsigned int i = 0; p && i < pages; i++)
		if (mmap(p + i * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			 fd, 0) == MAP_FAILED)
			return NULL;
	close(fd);
	return p;
}

TEST_F_TIMEOUT(key, pieces_are_limited, 120)
{
	uint8_t *from = scattered(1025);
	uint32_t key[6];

	if (!access("/sys/class/misc/ocfabric0/device/iommu_group", F_OK))
		SKIP(return, "behind an IOMMU it is one piece");
	ASSERT_NE(NULL, from);
	fill_pattern(from, PAGE, 9);
	EXPECT_EQ(-E2BIG, key_add(self->r.fd, from, 1025 * PAGE, &key[0]));
	EXPECT_TRUE(WAIT_FOR(self->pinned == pinned_pages(), patience(1000)));
	ASSERT_EQ(0, key_add(self->r.fd, from, 1024 * PAGE, &key[0]));
	/* a write over many pieces reads each where it is */
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  send(&self->r, self->qpn, 0, REGION, key[0], 1000 * PAGE + 100));
	for (unsigned int i = 0; i < REGION; i++) {
		ASSERT_EQ(from[(i + 100) % PAGE], self->peer.region[i]);
	}
	for (int i = 1; i < 4; i++)
		ASSERT_EQ(0, key_add(self->r.fd, from, 1024 * PAGE, &key[i]));
	EXPECT_EQ(-ENOSPC, key_add(self->r.fd, from, PAGE, &key[4]));
	ASSERT_EQ(0, key_del(self->r.fd, key[2]));
	EXPECT_EQ(0, key_add(self->r.fd, from, PAGE, &key[4]));
	/* another replica has ranges of its own */
	EXPECT_EQ(0, key_add(self->peer.fd, from, 1024 * PAGE, &key[5]));
}

/* On a host that would copy user pages aside, and only there, they are no source. */
TEST_F(key, memory_that_would_bounce_is_refused)
{
	uint8_t *from = memory(PAGE);
	uint32_t key;
	void *map;

	if (!user_pages_bounce()) {
		ASSERT_EQ(0, key_add(self->r.fd, from, PAGE, &key));
		ASSERT_EQ(0, key_del(self->r.fd, key));
	} else {
		EXPECT_EQ(-EOPNOTSUPP, key_add(self->r.fd, from, PAGE, &key));
	}
	EXPECT_TRUE(WAIT_FOR(self->pinned == pinned_pages(), patience(1000)));
	ASSERT_EQ(0, buffer_add(self->r.fd, REGION, &key, &map));
	fill_pattern(map, REGION, 8);
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, send(&self->r, self->qpn, 0, REGION, key, 0));
	EXPECT_EQ(0, memcmp(map, self->peer.region, REGION));
}

TEST_F(key, number_is_limited)
{
	uint32_t key[65];
	void *from = memory(PAGE);

	for (int i = 0; i < 64; i++) {
		ASSERT_EQ(0, key_add(self->r.fd, from, PAGE, &key[i]))
			TH_LOG("key %d", i);
		EXPECT_NE(OCFABRIC_KEY_REGION, key[i]);
		for (int j = 0; j < i; j++) {
			ASSERT_NE(key[i], key[j]);
		}
	}
	EXPECT_EQ(-ENOSPC, key_add(self->r.fd, from, PAGE, &key[64]));
	for (int i = 0; i < 64; i++) {
		EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED,
			  send(&self->r, self->qpn, 0, 64, key[i], 0));
	}
	ASSERT_EQ(0, key_del(self->r.fd, key[17]));
	ASSERT_EQ(0, key_add(self->r.fd, from, PAGE, &key[64]));
	EXPECT_NE(key[17], key[64]);
	EXPECT_EQ(OCFABRIC_VERDICT_LOCAL_PROTECTION,
		  send(&self->r, self->qpn, 0, 64, key[17], 0));
}

TEST_F(key, bad_ranges_are_refused)
{
	uint8_t *from = memory(3 * PAGE);
	uint32_t key;

	ASSERT_EQ(0, munmap(from + PAGE, PAGE));
	EXPECT_EQ(-EINVAL, key_add(self->r.fd, from, 0, &key));
	EXPECT_EQ(-EINVAL, key_add(self->r.fd, from, UINT64_MAX, &key));
	EXPECT_EQ(-EINVAL, key_add(self->r.fd, (void *)(uintptr_t)-PAGE, 2 * PAGE, &key));
	EXPECT_EQ(-EINVAL, key_add(self->r.fd, (void *)(uintptr_t)-1, 2, &key));
	EXPECT_EQ(-EFAULT, key_add(self->r.fd, NULL, PAGE, &key));
	EXPECT_EQ(-EFAULT, key_add(self->r.fd, from, 2 * PAGE, &key));
	EXPECT_EQ(-EFAULT, key_add(self->r.fd, from + PAGE - 1, 2, &key));
	EXPECT_EQ(-EFAULT, key_add(self->r.fd, (void *)0xffff888000000000ul, PAGE, &key));
	/* what is mapped from the card is not memory to pin */
	EXPECT_EQ(-EFAULT, key_add(self->r.fd, self->r.region, PAGE, &key));
	EXPECT_EQ(-EFAULT, key_add(self->r.fd, (void *)self->r.doorbell, PAGE, &key));
	EXPECT_TRUE(WAIT_FOR(self->pinned == pinned_pages(), patience(1000)));
	EXPECT_EQ(0, key_add(self->r.fd, from + PAGE - 1, 1, &key));
}

TEST_F(key, huge_length_is_refused)
{
	static const uint64_t lengths[] = { 1ull << 40, 1ull << 46, 1ull << 47, 1ull << 62 };
	void *from = memory(PAGE), *map;
	uint32_t key;

	for (unsigned int i = 0; i < ARRAY_LEN(lengths); i++) {
		uint64_t start = now_ms();

		EXPECT_GT(0, key_add(self->r.fd, from, lengths[i], &key));
		EXPECT_GT(0, buffer_add(self->r.fd, lengths[i], &key, &map));
		EXPECT_LT(now_ms() - start, 1000);
	}
	EXPECT_EQ(-EINVAL, buffer_add(self->r.fd, 0, &key, &map));
	EXPECT_GT(0, buffer_add(self->r.fd, UINT64_MAX, &key, &map));
	EXPECT_TRUE(WAIT_FOR(self->pinned == pinned_pages(), patience(1000)));
}

TEST_F(key, unknown_ones_cannot_be_removed)
{
	void *from = memory(PAGE);
	uint32_t key, other;

	ASSERT_EQ(0, key_add(self->r.fd, from, PAGE, &key));
	EXPECT_EQ(-ENOENT, key_del(self->r.fd, key + 1));
	EXPECT_EQ(-ENOENT, key_del(self->r.fd, key + 64));
	EXPECT_EQ(-ENOENT, key_del(self->r.fd, OCFABRIC_KEY_REGION));
	EXPECT_EQ(-ENOENT, key_del(self->peer.fd, key));
	ASSERT_EQ(0, key_del(self->r.fd, key));
	EXPECT_EQ(-ENOENT, key_del(self->r.fd, key));
	ASSERT_EQ(0, key_add(self->peer.fd, from, PAGE, &other));
	EXPECT_EQ(0, key_del(self->peer.fd, other));
}

/* Every way to name memory that is not one's own; no byte moves, no counter. */
TEST_F(key, outside_of_a_key_is_local_protection)
{
	uint8_t *from = memory(2 * PAGE);
	struct counters before;
	uint32_t key, removed, peers;

	ASSERT_EQ(0, key_add(self->r.fd, from, PAGE, &removed));
	ASSERT_EQ(0, key_del(self->r.fd, removed));
	/* the peer's key is one that replica 0 does not have */
	for (int i = 0; i < 5; i++)
		ASSERT_EQ(0, key_add(self->peer.fd, from, PAGE, &peers));
	ASSERT_EQ(0, key_add(self->r.fd, from, PAGE + 100, &key));
	memset(self->peer.region, 0xee, REGION);
	memset(self->r.region, 0x11, REGION);
	ASSERT_EQ(0, counters_read(self->node, &before));
	const struct { const char *what; uint32_t key; uint64_t addr; uint32_t len; } bad[] = {
		{ "no key", 0, 0, 4 },
		{ "an index that is free", key + 1, 0, 4 },
		{ "another generation", key + 64, 0, 4 },
		{ "an older generation", key - 64, 0, 4 },
		{ "removed", removed, 0, 4 },
		{ "another replica's", peers, 0, 4 },
		{ "past its end", key, PAGE + 100, 1 },
		{ "over its end", key, PAGE + 96, 5 },
		{ "all of it and a byte", key, 0, PAGE + 101 },
		{ "wraps", key, UINT64_MAX - 1, 4 },
		{ "wraps to its start", key, UINT64_MAX - 3, 8 },
		{ "far away", key, 1ull << 63, 4 },
		{ "past the region", OCFABRIC_KEY_REGION, REGION, 4 },
		{ "over the region's end", OCFABRIC_KEY_REGION, REGION - 4, 8 },
		{ "region, wraps", OCFABRIC_KEY_REGION, UINT64_MAX - 3, 8 },
	};

	for (unsigned int i = 0; i < ARRAY_LEN(bad); i++) {
		EXPECT_EQ(OCFABRIC_VERDICT_LOCAL_PROTECTION,
			  send(&self->r, self->qpn, 0, bad[i].len, bad[i].key, bad[i].addr))
			TH_LOG("%s", bad[i].what);
	}
	ASSERT_EQ(0, counters_read(self->node, &self->counters));
	EXPECT_EQ(0, memcmp(before.link, self->counters.link, sizeof(before.link)));
	for (unsigned int i = 0; i < REGION; i++) {
		ASSERT_EQ(0xee, self->peer.region[i]);
	}
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  send(&self->r, self->qpn, 0, 4, key, PAGE + 96));
}

/* Only the bytes that are sent must lie in the key. */
TEST_F(key, short_write_needs_what_it_sends)
{
	struct ocfabric_desc d;
	uint32_t key;
	void *from = memory(PAGE);

	ASSERT_EQ(0, key_add(self->r.fd, from, 64, &key));
	d = write_desc(self->qpn, 0, 4096, key, 0);
	d.beats = 1;
	EXPECT_EQ(OCFABRIC_VERDICT_SHORT_PACKET, replica_do(&self->r, &d, NULL));
	d.beats = 2;
	EXPECT_EQ(OCFABRIC_VERDICT_LOCAL_PROTECTION, replica_do(&self->r, &d, NULL));
}

TEST_F(key, own_region_is_a_source)
{
	fill_pattern(self->r.region, REGION, 21);
	memset(self->peer.region, 0xee, REGION);
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  send(&self->r, self->qpn, 0x100, 3001, OCFABRIC_KEY_REGION, 0x777));
	EXPECT_EQ(0, memcmp(self->r.region + 0x777, self->peer.region + 0x100, 3001));
	EXPECT_EQ(0xee, self->peer.region[0xff]);
	EXPECT_EQ(0xee, self->peer.region[0x100 + 3001]);
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  send(&self->r, self->qpn, 0, REGION, OCFABRIC_KEY_REGION, 0));
	EXPECT_EQ(0, memcmp(self->r.region, self->peer.region, REGION));
}

TEST_F(key, buffers_start_zeroed_and_reach)
{
	static const uint8_t zero[3 * PAGE];
	uint32_t key;
	uint8_t *map;

	for (int round = 0; round < 5; round++) {
		ASSERT_EQ(0, buffer_add(self->r.fd, 2 * PAGE + 5, &key, (void **)&map));
		ASSERT_EQ(0, memcmp(zero, map, 3 * PAGE));
		fill_pattern(map, 3 * PAGE, round);
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED,
			  send(&self->r, self->qpn, 0, 2 * PAGE + 5, key, 0));
		ASSERT_EQ(0, memcmp(map, self->peer.region, 2 * PAGE + 5));
		ASSERT_EQ(0, key_del(self->r.fd, key));
		ASSERT_EQ(0, munmap(map, 3 * PAGE));
	}
}

TEST_F(key, buffer_outlives_its_key_while_mapped)
{
	uint32_t key;
	uint8_t *map;

	ASSERT_EQ(0, buffer_add(self->r.fd, 4 * PAGE, &key, (void **)&map));
	memset(map, 0x3c, 4 * PAGE);
	ASSERT_EQ(0, key_del(self->r.fd, key));
	EXPECT_EQ(OCFABRIC_VERDICT_LOCAL_PROTECTION,
		  send(&self->r, self->qpn, 0, 64, key, 0));
	EXPECT_EQ(0, touch_read(map + 3 * PAGE));
	for (unsigned int i = 0; i < 4 * PAGE; i++) {
		ASSERT_EQ(0x3c, map[i]);
	}
	memset(map, 0x3d, 4 * PAGE);
	munmap(map, 4 * PAGE);
}

TEST_F(key, other_replicas_cannot_map_a_buffer)
{
	struct ocfabric_buffer_add b = NEW(ocfabric_buffer_add, .length = PAGE);
	uint32_t *mine, *theirs;

	ASSERT_EQ(0, call(self->r.fd, OCFABRIC_BUFFER_ADD, &b));
	mine = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, self->r.fd, b.out_map.offset);
	ASSERT_NE(MAP_FAILED, mine);
	*mine = 0x77777777;
	theirs = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, self->peer.fd, b.out_map.offset);
	EXPECT_EQ(MAP_FAILED, theirs);
	/* longer than it is, private, executable */
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, self->r.fd,
				   b.out_map.offset));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, self->r.fd,
				   b.out_map.offset));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_EXEC, MAP_SHARED, self->r.fd,
				   b.out_map.offset));
}

/* The pages are the key's, wherever the process's mapping went. */
TEST_F(key, unmapped_memory_stays_the_keys)
{
	uint8_t *from = memory(16 * PAGE), copy[4096];
	uint32_t key;

	fill_pattern(from, 16 * PAGE, 77);
	memcpy(copy, from + 5 * PAGE, sizeof(copy));
	ASSERT_EQ(0, key_add(self->r.fd, from, 16 * PAGE, &key));
	ASSERT_EQ(0, munmap(from, 16 * PAGE));
	memset(memory(64 * PAGE), 0xff, 64 * PAGE);
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  send(&self->r, self->qpn, 0, 4096, key, 5 * PAGE));
	EXPECT_EQ(0, memcmp(copy, self->peer.region, sizeof(copy)));
	ASSERT_EQ(0, key_del(self->r.fd, key));
	EXPECT_TRUE(WAIT_FOR(self->pinned == pinned_pages(), patience(1000)));
}

static int hold_on(void *arg)
{
	return hear(*(int *)arg, 5000) ? 1 : 0;
}

/* A fork does not take the memory away from under the key. */
TEST_F(key, sees_stores_after_a_fork)
{
	uint8_t *from = memory(PAGE);
	uint32_t key;
	pid_t pid;
	int sv[2];

	memset(from, 1, PAGE);
	ASSERT_EQ(0, key_add(self->r.fd, from, PAGE, &key));
	ASSERT_EQ(0, socket_pair(sv));
	pid = child_start(hold_on, &sv[1]);
	memset(from, 2, PAGE);
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, send(&self->r, self->qpn, 0, PAGE, key, 0));
	EXPECT_EQ(2, self->peer.region[0]);
	EXPECT_EQ(0, say(sv[0]));
	EXPECT_EQ(0, child_end(pid, 5000));
}

/*
 * Charges, as a user who may lock no more than 5 MiB. The steps tell by their
 * number which of them failed.
 */
static long charged(void)
{
	return status_kb("VmPin") + status_kb("VmLck");
}

static int charge(int fd)
{
	uint8_t *from = memory(16 * MIB);
	long before = charged();
	uint32_t key, more;
	void *map;

	if (key_add(fd, from, 16 * MIB, &key) != -EPERM || charged() != before)
		return 10;
	if (buffer_add(fd, 16 * MIB, &key, &map) != -EPERM || charged() != before)
		return 11;
	for (int round = 0; round < 10; round++) {
		if (key_add(fd, from, 3 * MIB, &key))
			return 12;
		if (charged() < before + 3 * 1024)
			return 13;
		if (key_add(fd, from, 3 * MIB, &more) != -EPERM)
			return 14;
		if (key_del(fd, key) || charged() != before)
			return 15;
	}
	for (int round = 0; round < 10; round++) {
		if (buffer_add(fd, MIB, &key, &map) || charged() < before + 1024)
			return 16;
		if (munmap(map, MIB) || key_del(fd, key) || charged() != before)
			return 17;
	}
	return key_add(fd, from, 3 * MIB, &key) ? 18 : 0;
}

static int charged_user(void *arg)
{
	const struct rlimit limit = { 5 * MIB, 5 * MIB };
	struct replica r;
	long before;
	int node, ret;
	(void)arg;

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || become_other(true))
		return 1;
	node = node_open(O_RDWR);
	before = charged();
	if (node < 0 || replica_open(&r, node, 2, (struct attach){}))
		return 2;
	if (charged() < before + 64 + 32)	/* the rings are charged too */
		return 3;
	ret = charge(r.fd);
	if (ret)
		return ret;
	replica_close(&r);
	return charged() == before ? 0 : 4;
}

TEST_F(key, memory_is_charged_to_its_limit)
{
	ASSERT_EQ(0, node_lend(&self->old));
	self->lent = true;
	EXPECT_EQ(0, child_end(child_start(charged_user, NULL), 20000));
}

/* Not even the rings fit. */
static int poor_user(void *arg)
{
	const struct rlimit limit = { 16 * PAGE, 16 * PAGE };
	int node;
	(void)arg;

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || become_other(true))
		return 1;
	node = node_open(O_RDWR);
	if (attach_fd(node, 2, (struct attach){ .tx_entries = 32768 }) != -EPERM)
		return 2;
	if (charged())
		return 3;
	return attach_fd(node, 2, (struct attach){ .tx_entries = 64 }) < 0 ? 4 : 0;
}

TEST_F(key, rings_are_charged_to_its_limit)
{
	ASSERT_EQ(0, node_lend(&self->old));
	self->lent = true;
	EXPECT_EQ(0, child_end(child_start(poor_user, NULL), 5000));
}

/* Keys come and go while writes use them: done, or protected, never stale. */
TEST_F(key, removal_under_traffic)
{
	uint8_t *from = memory(4 * PAGE);
	unsigned int committed = 0, protected = 0;
	struct ocfabric_desc d;
	struct ocfabric_cqe e;
	uint32_t key;

	for (int round = 0; round < 200; round++) {
		memset(from, round + 1, 4 * PAGE);
		ASSERT_EQ(0, key_add(self->r.fd, from, 4 * PAGE, &key));
		d = write_desc(self->qpn, 0, 4 * PAGE, key, 0);
		for (int i = 0; i < 64; i++)
			replica_post(&self->r, &d);
		replica_ring(&self->r);
		ASSERT_EQ(0, key_del(self->r.fd, key));
		memset(from, 0xff, 4 * PAGE);	/* must be seen by nobody */
		for (int i = 0; i < 64; i++) {
			ASSERT_TRUE(replica_wait(&self->r, &e, patience(1000)));
			committed += e.status == OCFABRIC_VERDICT_COMMITTED;
			protected += e.status == OCFABRIC_VERDICT_LOCAL_PROTECTION;
		}
		for (unsigned int i = 0; i < 4 * PAGE; i += 97) {
			ASSERT_NE(0xff, self->peer.region[i]);
		}
	}
	EXPECT_EQ(200 * 64, committed + protected);
	EXPECT_GT(committed, 0);
}

TEST_HARNESS_MAIN
