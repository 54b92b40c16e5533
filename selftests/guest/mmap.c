// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a replica can map, with which rights, and what a change of its region
 * does to that
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "util.h"

#define REGION	0x10000u
#define RW	(PROT_READ | PROT_WRITE)

FIXTURE(map) {
	int node;
	struct replica r, other;
	struct ocfabric_map maps[8];
};

enum { TX, CQ, OWNER, DOORBELL, HBM, RX, RX_DOORBELL, SEMAPHORES };

FIXTURE_SETUP(map)
{
	const struct ocfabric_replica_get *g = &self->r.get;

	self->other.fd = self->r.fd = -1;
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, fabric_setup(self->node, 3, REGION));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	ASSERT_EQ(0, replica_open(&self->other, self->node, 1, (struct attach){}));
	self->maps[TX] = g->out_map_tx;
	self->maps[CQ] = g->out_map_cq;
	self->maps[OWNER] = g->out_map_owner;
	self->maps[DOORBELL] = g->out_map_doorbell;
	self->maps[HBM] = g->out_map_region;
	self->maps[RX] = g->out_map_rx;
	self->maps[RX_DOORBELL] = g->out_map_rx_doorbell;
	self->maps[SEMAPHORES] = g->out_map_semaphores;
}

FIXTURE_TEARDOWN(map)
{
	replica_close(&self->r);
	replica_close(&self->other);
	close(self->node);
}

/* Maps and unmaps; 0 or -errno. */
static int try_map(int fd, uint64_t offset, uint64_t length, int prot, int flags)
{
	void *p = mmap(NULL, length, prot, flags, fd, offset);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, length);
	return 0;
}

#define for_each_map(m) \
	for (struct ocfabric_map *m = self->maps; m < self->maps + ARRAY_LEN(self->maps); m++)

TEST_F(map, can_be_shared_only)
{
	for_each_map(m) {
		EXPECT_EQ(0, try_map(self->r.fd, m->offset, m->length, PROT_READ, MAP_SHARED));
		EXPECT_EQ(-EINVAL, try_map(self->r.fd, m->offset, m->length, PROT_READ,
					   MAP_PRIVATE));
	}
}

TEST_F(map, is_never_executable)
{
	for_each_map(m) {
		void *p;

		EXPECT_NE(0, try_map(self->r.fd, m->offset, m->length, PROT_READ | PROT_EXEC,
				     MAP_SHARED));
		p = mmap(NULL, m->length, PROT_READ, MAP_SHARED, self->r.fd, m->offset);
		ASSERT_NE(MAP_FAILED, p);
		EXPECT_EQ(-1, mprotect(p, m->length, PROT_READ | PROT_EXEC));
		EXPECT_EQ(EACCES, errno);
		munmap(p, m->length);
	}
}

/* What the card alone writes cannot be written, now or later. */
static bool read_only(int fd, const struct ocfabric_map *m, void *mapped)
{
	return try_map(fd, m->offset, m->length, RW, MAP_SHARED) == -EACCES &&
	       try_map(fd, m->offset, m->length, PROT_WRITE, MAP_SHARED) == -EACCES &&
	       mprotect(mapped, m->length, RW) == -1 && errno == EACCES &&
	       touch_write(mapped) == SIGSEGV;
}

TEST_F(map, completions_and_semaphores_are_read_only)
{
	EXPECT_TRUE(read_only(self->r.fd, &self->maps[CQ], (void *)self->r.cq));
	EXPECT_TRUE(read_only(self->r.fd, &self->maps[SEMAPHORES], (void *)self->r.semaphores));
}

TEST_F(map, others_can_be_written)
{
	for_each_map(m) {
		if (m == &self->maps[CQ] || m == &self->maps[SEMAPHORES])
			continue;
		EXPECT_EQ(0, try_map(self->r.fd, m->offset, m->length, RW, MAP_SHARED));
		EXPECT_EQ(0, try_map(self->r.fd, m->offset, m->length, PROT_NONE, MAP_SHARED));
	}
}

TEST_F(map, length_is_bounded)
{
	for_each_map(m) {
		EXPECT_EQ(-EINVAL, try_map(self->r.fd, m->offset, m->length + PAGE, PROT_READ,
					   MAP_SHARED));
		EXPECT_EQ(-EINVAL, try_map(self->r.fd, m->offset + m->length, PAGE, PROT_READ,
					   MAP_SHARED));
		EXPECT_EQ(-EINVAL, try_map(self->r.fd, m->offset, m->length + (1ull << 32),
					   PROT_READ, MAP_SHARED));
	}
}

/* Everything at a page beside a map is refused, and so are far offsets. */
TEST_F(map, unknown_offsets_are_refused)
{
	static const uint64_t offsets[] = { 1ull << 40, 1ull << 50, 1ull << 62,
					    0x7ffffffffffff000ull, 0xfffffffffffff000ull };

	for (unsigned int i = 0; i < ARRAY_LEN(offsets); i++) {
		EXPECT_NE(0, try_map(self->r.fd, offsets[i], PAGE, PROT_READ, MAP_SHARED))
			TH_LOG("offset %#llx", (unsigned long long)offsets[i]);
		EXPECT_NE(0, try_map(self->r.fd, offsets[i], 1ull << 30, PROT_READ,
				     MAP_SHARED));
	}
}

TEST_F(map, does_not_grow)
{
	for_each_map(m) {
		void *p = mmap(NULL, m->length, PROT_READ, MAP_SHARED, self->r.fd, m->offset);

		ASSERT_NE(MAP_FAILED, p);
		EXPECT_EQ(MAP_FAILED, mremap(p, m->length, m->length + PAGE, MREMAP_MAYMOVE));
		munmap(p, m->length);
	}
}

TEST_F(map, node_has_nothing_to_map)
{
	for_each_map(m) {
		EXPECT_NE(0, try_map(self->node, m->offset, PAGE, PROT_READ, MAP_SHARED));
	}
}

/* An offset of another handle either is none here or means one's own. */
TEST_F(map, reaches_nothing_of_another_replica)
{
	const struct ocfabric_replica_get *g = &self->other.get;
	uint32_t *p;

	memset(self->other.region, 0x5a, PAGE);
	p = mmap(NULL, PAGE, RW, MAP_SHARED, self->r.fd, g->out_map_region.offset);
	if (p != MAP_FAILED) {
		EXPECT_EQ(0, p[0]);
		p[1] = 0x1234;
		EXPECT_EQ(0x1234, ((uint32_t *)self->r.region)[1]);
		munmap(p, PAGE);
	}
	self->other.tx[0].raddr = 0x7777;
	p = mmap(NULL, PAGE, RW, MAP_SHARED, self->r.fd, g->out_map_tx.offset);
	if (p != MAP_FAILED) {
		EXPECT_NE(0x7777, ((struct ocfabric_desc *)p)->raddr);
		munmap(p, PAGE);
	}
	self->other.owner->arm = 0x4444;
	EXPECT_NE(0x4444, self->r.owner->arm);
}

static int touch_in_child(void *arg)
{
	return touch_read(arg);
}

TEST_F(map, is_not_inherited)
{
	void *maps[] = { self->r.tx, (void *)self->r.cq, self->r.owner,
			 (void *)self->r.doorbell, self->r.region, self->r.rx,
			 (void *)self->r.rx_doorbell, (void *)self->r.semaphores };

	for (unsigned int i = 0; i < ARRAY_LEN(maps); i++) {
		EXPECT_EQ(0, touch_read(maps[i]));
		EXPECT_EQ(SIGSEGV, child_end(child_start(touch_in_child, maps[i]), 5000));
	}
}

/* The tail is what was rung; the rest of the page is nothing. */
TEST_F(map, doorbell_page_holds_the_tail_only)
{
	volatile uint32_t *page = self->r.doorbell;
	struct ocfabric_cqe e;

	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, replica_do(&self->r, &(struct ocfabric_desc){}, &e));
	EXPECT_EQ(3, page[OCFABRIC_DOORBELL_TDRTP_INC / 4]);
	for (unsigned int i = 0; i < PAGE / 4; i++) {
		if (i == OCFABRIC_DOORBELL_TDRTP_INC / 4)
			continue;
		ASSERT_EQ(0, page[i])
			TH_LOG("word %#x", 4 * i);
	}
}

static const struct ocfabric_region elsewhere = { 0x200000, 0x8000 };

/* The window of replica 1 into it must go first: it would not fit any more. */
static int move_region(int node, uint64_t base, uint64_t length)
{
	struct ocfabric_change s[] = {
		step_window(OCFABRIC_CHANGE_WINDOW_DEL, 1, 0, 0, REGION),
		step_window(OCFABRIC_CHANGE_WINDOW_DEL, 2, 0, 0, REGION),
		step_region(0, base, length),
	};
	struct config c;

	if (config_read(node, &c))
		return -1;
	if (c.get.window_count == 6)
		return change_steps(node, 0, s, 3, NULL);
	return change_steps(node, 0, s + 2, 1, NULL);
}

TEST_F(map, follows_the_region)
{
	uint32_t seen, old = 0x11111111, new = 0x22222222;
	volatile uint32_t *word = (volatile uint32_t *)self->r.region;

	ASSERT_EQ(4, pwrite(self->r.fd, &old, 4, 0));
	ASSERT_EQ(old, *word);
	ASSERT_EQ(0, move_region(self->node, elsewhere.base, elsewhere.length));
	ASSERT_EQ(4, pread(self->r.fd, &seen, 4, 0));
	EXPECT_NE(old, seen);
	ASSERT_EQ(4, pwrite(self->r.fd, &new, 4, 0));
	EXPECT_EQ(new, *word);

	/* what lies behind the new end */
	EXPECT_EQ(0, touch_read(self->r.region + elsewhere.length - 4));
	EXPECT_EQ(SIGBUS, touch_read(self->r.region + elsewhere.length));
	EXPECT_EQ(SIGBUS, touch_write(self->r.region + REGION - 4));

	/* and nothing at all, and back */
	ASSERT_EQ(0, move_region(self->node, 0, 0));
	EXPECT_EQ(SIGBUS, touch_read(word));
	EXPECT_EQ(SIGBUS, touch_write((void *)word));
	EXPECT_EQ(0, pread(self->r.fd, &seen, 4, 0));
	ASSERT_EQ(0, move_region(self->node, 0, REGION));
	EXPECT_EQ(0, touch_read(self->r.region + REGION - 4));
}

/* Bytes that come to a region by a change may have been another user's. */
static int leave_secrets(int node)
{
	struct replica r;

	if (replica_open(&r, node, 1, (struct attach){}))
		return 2;
	memset(r.region, 0x5a, REGION);
	return 0;
}

TEST_F(map, moved_region_shows_nothing_of_others)
{
	uint8_t seen[64];

	replica_close(&self->other);
	ASSERT_EQ(0, as_other(leave_secrets));
	ASSERT_EQ(0, CHANGE(self->node,
			    step_window(OCFABRIC_CHANGE_WINDOW_DEL, 1, 0, 0, REGION),
			    step_window(OCFABRIC_CHANGE_WINDOW_DEL, 2, 0, 0, REGION),
			    step_window(OCFABRIC_CHANGE_WINDOW_DEL, 0, 1, 0, REGION),
			    step_window(OCFABRIC_CHANGE_WINDOW_DEL, 2, 1, 0, REGION),
			    step_region(0, REGION, REGION), step_region(1, 0, REGION)));
	for (unsigned int at = 0; at < REGION; at += sizeof(seen)) {
		ASSERT_EQ(sizeof(seen), pread(self->r.fd, seen, sizeof(seen), at));
		for (unsigned int i = 0; i < sizeof(seen); i++) {
			ASSERT_EQ(0, seen[i]);
		}
	}
}

TEST_F(map, partial_pages_by_pread_and_pwrite)
{
	const uint64_t base = 0x200040, length = 0x3000;
	uint8_t all[0x3000], seen[0x3000];

	replica_close(&self->r);
	ASSERT_EQ(0, move_region(self->node, base, length));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	EXPECT_EQ(PAGE - 0x40, self->r.get.out_region_skip);
	ASSERT_EQ(2 * PAGE, self->r.get.out_map_region.length);

	fill_pattern(all, sizeof(all), 7);
	ASSERT_EQ(sizeof(all), pwrite(self->r.fd, all, sizeof(all), 0));
	ASSERT_EQ(sizeof(all), pread(self->r.fd, seen, sizeof(all), 0));
	EXPECT_EQ(0, memcmp(all, seen, sizeof(all)));
	EXPECT_EQ(0, memcmp(all + self->r.get.out_region_skip, self->r.region, 2 * PAGE));
	EXPECT_EQ(-EINVAL, try_map(self->r.fd, self->r.get.out_map_region.offset, 3 * PAGE,
				   PROT_READ, MAP_SHARED));
}

TEST_F(map, region_below_a_page_has_no_map)
{
	uint64_t word = 0x123456789abcdef0, seen = 0;

	replica_close(&self->r);
	ASSERT_EQ(0, move_region(self->node, 0x200040, 0xf80));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	EXPECT_EQ(0, self->r.get.out_map_region.length);
	EXPECT_EQ(8, pwrite(self->r.fd, &word, 8, 0xf78));
	EXPECT_EQ(8, pread(self->r.fd, &seen, 8, 0xf78));
	EXPECT_EQ(word, seen);
}

TEST_F(map, pread_and_pwrite_are_bounded)
{
	uint8_t bytes[16] = { 1 }, mark = 0x3c, seen;
	const uint64_t far[] = { REGION, REGION + 1, 1ull << 32, 1ull << 62, INT64_MAX - 4 };

	self->other.region[0] = mark;
	EXPECT_EQ(4, pread(self->r.fd, bytes, sizeof(bytes), REGION - 4));
	EXPECT_EQ(4, pwrite(self->r.fd, bytes, sizeof(bytes), REGION - 4));
	EXPECT_EQ(0, pread(self->r.fd, bytes, sizeof(bytes), REGION));
	for (unsigned int i = 0; i < ARRAY_LEN(far); i++) {
		EXPECT_GE(0, pread(self->r.fd, bytes, sizeof(bytes), far[i]));
		EXPECT_GE(0, pwrite(self->r.fd, bytes, sizeof(bytes), far[i]));
	}
	EXPECT_EQ(-1, pread(self->r.fd, bytes, sizeof(bytes), -1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, pread(self->r.fd, (void *)PAGE, 16, 0));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, pwrite(self->r.fd, (void *)PAGE, 16, 0));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(1, pread(self->other.fd, &seen, 1, 0));
	EXPECT_EQ(mark, seen);
}

/* Odd starts and ends: what is beside them stays. */
TEST_F(map, pwrite_touches_its_bytes_only)
{
	uint8_t all[256], want[256], seen[256];

	for (unsigned int start = 0; start < 20; start++) {
		for (unsigned int len = 0; len < 40; len++) {
			memset(want, 0xee, sizeof(want));
			ASSERT_EQ(256, pwrite(self->r.fd, want, 256, 0x1000));
			fill_pattern(all, len, start + len);
			memcpy(want + start, all, len);
			ASSERT_EQ(len, pwrite(self->r.fd, all, len, 0x1000 + start));
			ASSERT_EQ(256, pread(self->r.fd, seen, 256, 0x1000));
			ASSERT_EQ(0, memcmp(want, seen, 256))
				TH_LOG("start %u, length %u", start, len);
		}
	}
}

/* Faults, zaps and changes at once: SIGBUS or a value, never a stuck process. */
struct toucher {
	struct replica r;
	int sv[2];
};

static int touch_on(void *arg)
{
	struct toucher *t = arg;
	struct replica *r = &t->r;
	uint64_t end = now_ms() + 1500;

	/* the handle came by fork, its mappings did not */
	if (replica_map(r, r->fd) || say(t->sv[1]))
		return 1;
	while (now_ms() < end) {
		int signal = touch_write(r->region + (now_ms() % 16) * PAGE);

		if (signal && signal != SIGBUS)
			return 2;
	}
	return 0;
}

TEST_F(map, survives_changes_under_use)
{
	struct toucher t = { .r = self->r };
	uint64_t end;
	pid_t pid;

	ASSERT_EQ(0, socket_pair(t.sv));
	pid = child_start(touch_on, &t);
	ASSERT_EQ(0, hear(t.sv[0], 5000));
	end = now_ms() + 1000;
	while (now_ms() < end) {
		ASSERT_EQ(0, move_region(self->node, 0, 0));
		ASSERT_EQ(0, move_region(self->node, elsewhere.base, elsewhere.length));
		ASSERT_EQ(0, move_region(self->node, 0, REGION));
	}
	EXPECT_EQ(0, child_end(pid, 5000));
}

TEST_HARNESS_MAIN
