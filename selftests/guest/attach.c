// SPDX-License-Identifier: GPL-2.0-only
/*
 * Becoming a replica: who may, what one finds, and when it is given up
 */
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "util.h"

#define REGION	0x10000u
#define LIMIT	5000

FIXTURE(attach) {
	int node;
	int sv[2];
	struct replica r;
	struct node_owner old;
	bool lent;
};

FIXTURE_SETUP(attach)
{
	self->r.fd = -1;
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, fabric_setup(self->node, 3, REGION));
	ASSERT_EQ(0, socket_pair(self->sv));
	ASSERT_EQ(0, node_lend(&self->old));
	self->lent = true;
}

FIXTURE_TEARDOWN(attach)
{
	if (self->lent)
		node_return(&self->old);
	replica_close(&self->r);
	close(self->node);
}

static int try_attach(int node, unsigned int replica)
{
	int fd = attach_fd(node, replica, (struct attach){});

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

TEST(node_is_for_its_group_only)
{
	struct stat st;

	ASSERT_EQ(0, stat(node_path(), &st));
	EXPECT_EQ(0660, st.st_mode & 07777);
	EXPECT_TRUE(S_ISCHR(st.st_mode));
}

TEST_F(attach, one_owner_at_a_time)
{
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	EXPECT_EQ(-EBUSY, try_attach(self->node, 0));
	EXPECT_EQ(0, try_attach(self->node, 1));
	replica_close(&self->r);
	EXPECT_EQ(0, try_attach(self->node, 0));
}

TEST_F(attach, handle_tells_what_it_holds)
{
	const struct ocfabric_replica_get *g = &self->r.get;

	ASSERT_EQ(0, replica_open(&self->r, self->node, 2,
				  (struct attach){ .tx_entries = 32, .cq_entries = 256,
						   .rx_entries = 512 }));
	EXPECT_EQ(2, g->out_replica);
	EXPECT_EQ(3, g->out_replicas);
	EXPECT_EQ(32, g->out_tx_entries);
	EXPECT_EQ(256, g->out_cq_entries);
	EXPECT_EQ(512, g->out_rx_entries);
	EXPECT_EQ(2 * REGION, g->out_region.base);
	EXPECT_EQ(REGION, g->out_region.length);
	EXPECT_EQ(0, g->out_region_skip);
	EXPECT_EQ(REGION, g->out_map_region.length);
	EXPECT_EQ(PAGE, g->out_map_tx.length);
	EXPECT_EQ(2 * PAGE, g->out_map_cq.length);
	EXPECT_EQ(2 * PAGE, g->out_map_rx.length);
	EXPECT_EQ(PAGE, g->out_map_semaphores.length);
	EXPECT_EQ(PAGE, g->out_map_rx_doorbell.length);
	EXPECT_EQ(PAGE, g->out_map_doorbell.length);
	EXPECT_EQ(FD_CLOEXEC, fcntl(self->r.fd, F_GETFD));
}

TEST_F(attach, replicas_beyond_the_card_do_not_exist)
{
	struct ocfabric_info info = NEW(ocfabric_info);

	ASSERT_EQ(0, call(self->node, OCFABRIC_INFO, &info));
	EXPECT_EQ(0, try_attach(self->node, info.out_replicas - 1));
	EXPECT_EQ(-ENOENT, try_attach(self->node, info.out_replicas));
	EXPECT_EQ(-ENOENT, try_attach(self->node, 255));
	EXPECT_EQ(-ENOENT, try_attach(self->node, 0x80000000));
	EXPECT_EQ(-ENOENT, try_attach(self->node, 0xffffffff));
}

/* A replica of a card without configuration has rings and no region. */
TEST_F(attach, needs_no_configuration)
{
	ASSERT_EQ(0, CHANGE(self->node, step_reset()));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 5, (struct attach){}));
	EXPECT_EQ(0, self->r.get.out_replicas);
	EXPECT_EQ(0, self->r.get.out_region.length);
	EXPECT_EQ(0, self->r.get.out_map_region.length);
}

TEST_F(attach, ring_sizes)
{
	static const unsigned int good[] = { 16, 32, 64, 1024, 4096, 32768 };
	static const unsigned int bad[] = { 1, 8, 15, 17, 24, 32767, 65536, 1u << 31,
					    0xffffffff };
	struct ocfabric_cqe e;

	for (unsigned int i = 0; i < ARRAY_LEN(good); i++) {
		ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){
					  .tx_entries = good[i], .cq_entries = 16 }));
		EXPECT_EQ(good[i], self->r.get.out_tx_entries);
		EXPECT_EQ(16, self->r.get.out_cq_entries);
		EXPECT_EQ(0, replica_do(&self->r, &(struct ocfabric_desc){}, &e));
		replica_close(&self->r);
		ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){
					  .tx_entries = 16, .cq_entries = good[i] }));
		EXPECT_EQ(good[i], self->r.get.out_cq_entries);
		EXPECT_EQ(0, replica_do(&self->r, &(struct ocfabric_desc){}, &e));
		replica_close(&self->r);
		ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){
					  .tx_entries = 16, .rx_entries = good[i] }));
		EXPECT_EQ(good[i], self->r.get.out_rx_entries);
		replica_arm(&self->r, good[i]);
		EXPECT_EQ(0, replica_do(&self->r, &(struct ocfabric_desc){}, &e));
		replica_close(&self->r);
	}
	for (unsigned int i = 0; i < ARRAY_LEN(bad); i++) {
		EXPECT_EQ(-EINVAL, attach_fd(self->node, 0, (struct attach){
					     .tx_entries = bad[i] }));
		EXPECT_EQ(-EINVAL, attach_fd(self->node, 0, (struct attach){
					     .cq_entries = bad[i] }));
		EXPECT_EQ(-EINVAL, attach_fd(self->node, 0, (struct attach){
					     .rx_entries = bad[i] }));
	}
}

/* A completion ring that nobody asked for holds what the other two can bring. */
TEST_F(attach, ring_sizes_have_defaults)
{
	static const struct { struct attach asked, got; } sizes[] = {
		{ {}, { 1024, 2048, 1024, 0 } },
		{ { .tx_entries = 64 }, { 64, 128, 64, 0 } },
		{ { .rx_entries = 16 }, { 1024, 2048, 16, 0 } },
		{ { .tx_entries = 16, .rx_entries = 16 }, { 16, 32, 16, 0 } },
		{ { .tx_entries = 16, .rx_entries = 4096 }, { 16, 8192, 4096, 0 } },
		{ { .tx_entries = 32768 }, { 32768, 32768, 32768, 0 } },
	};

	for (unsigned int i = 0; i < ARRAY_LEN(sizes); i++) {
		ASSERT_EQ(0, replica_open(&self->r, self->node, 0, sizes[i].asked));
		EXPECT_EQ(sizes[i].got.tx_entries, self->r.get.out_tx_entries);
		EXPECT_EQ(sizes[i].got.cq_entries, self->r.get.out_cq_entries);
		EXPECT_EQ(sizes[i].got.rx_entries, self->r.get.out_rx_entries);
		replica_close(&self->r);
	}
}

/* Rings are the kernel's memory: a new owner must see nothing of the last. */
TEST_F(attach, rings_start_zeroed)
{
	const struct attach how = { .tx_entries = 1024, .cq_entries = 1024 };
	static const char zero[64];

	for (int round = 0; round < 4; round++) {
		ASSERT_EQ(0, replica_open(&self->r, self->node, 0, how));
		for (unsigned int i = 0; i < 1024; i++) {
			ASSERT_EQ(0, memcmp(&self->r.tx[i], zero, 64));
			ASSERT_EQ(0, memcmp(&self->r.cq[i], zero, 32));
		}
		ASSERT_EQ(0, memcmp(self->r.owner, zero, 64));
		for (unsigned int i = 0; i < 1024; i++) {
			ASSERT_EQ(0, memcmp(&self->r.rx[i], zero, 16));
		}
		memset(self->r.tx, 0xa5, 1024 * 64);
		memset(self->r.rx, 0xa5, 1024 * 16);
		memset(self->r.owner, 0xa5, 64);
		replica_close(&self->r);
	}
}

static int region_sum(struct replica *r)
{
	int sum = 0;

	for (unsigned int i = 0; i < REGION; i++)
		sum |= r->region[i];
	return sum;
}

TEST_F(attach, same_user_keeps_the_region)
{
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	ASSERT_EQ(0, region_sum(&self->r));
	memset(self->r.region, 0x5a, REGION);
	replica_close(&self->r);
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	EXPECT_EQ(0x5a, region_sum(&self->r));
}

TEST_F(attach, clear_zeroes_the_region)
{
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	memset(self->r.region, 0x5a, REGION);
	replica_close(&self->r);
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0,
				  (struct attach){ .flags = OCFABRIC_ATTACH_CLEAR }));
	EXPECT_EQ(0, region_sum(&self->r));
}

/* Another user's region must read zero. */
static int other_user(int node)
{
	struct replica r;

	if (replica_open(&r, node, 0, (struct attach){}))
		return 3;
	if (region_sum(&r))
		return 4;
	memset(r.region, 0x77, REGION);
	return 0;
}

TEST_F(attach, another_user_finds_zeroes)
{
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	memset(self->r.region, 0x5a, REGION);
	replica_close(&self->r);
	EXPECT_EQ(0, as_other(other_user));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	EXPECT_EQ(0, region_sum(&self->r));
}

static int stranger(void *arg)
{
	(void)arg;
	if (become_other(false))
		return 1;
	return node_open(O_RDWR) == -EACCES && node_open(O_RDONLY) == -EACCES ? 0 : 2;
}

TEST_F(attach, strangers_cannot_open_the_node)
{
	EXPECT_EQ(0, child_end(child_start(stranger, NULL), LIMIT));
}

/* Root of a user namespace of one's own is no more than the user outside. */
static int namespace_root(int node)
{
	int ret;

	if (unshare(CLONE_NEWUSER))
		return errno == EPERM || errno == ENOSPC ? 77 : 3;
	ret = CHANGE(node, step(OCFABRIC_CHANGE_LATENCY, 1));
	if (ret != -EPERM)
		return 4;
	if (call(node, OCFABRIC_DRAIN, ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_HOLD)) != -EPERM)
		return 5;
	/* what the group allows it still has */
	return try_attach(node, 1) ? 6 : 0;
}

TEST_F(attach, namespace_root_gains_nothing)
{
	int ret = as_other(namespace_root);

	if (ret == 77)
		SKIP(return, "no user namespaces for users here");
	EXPECT_EQ(0, ret);
}

/* A process that has no right but the handle it is given. */
static int handle_user(void *arg)
{
	int socket = *(int *)arg, fd;
	struct ocfabric_desc d = inline_desc(qpn_of(3, 0, 1), 0x100, "passed on", 10);
	struct replica r;

	if (become_other(false))
		return 1;
	fd = receive_fd(socket);
	if (fd < 0)
		return 2;
	if (replica_map(&r, fd))
		return 3;
	if (replica_do(&r, &d, NULL) != OCFABRIC_VERDICT_COMMITTED)
		return 4;
	return say(socket) || hear(socket, LIMIT) ? 5 : 0;
}

TEST_F(attach, handle_can_be_passed_on)
{
	char seen[10];
	pid_t pid;
	int fd;

	/* who owned the bytes before reads them afterwards */
	ASSERT_EQ(0, try_attach(self->node, 1));
	pid = child_start(handle_user, &self->sv[1]);
	fd = attach_fd(self->node, 0, (struct attach){});
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, send_fd(self->sv[0], fd));
	ASSERT_EQ(0, close(fd));
	ASSERT_EQ(0, hear(self->sv[0], LIMIT));
	EXPECT_EQ(-EBUSY, try_attach(self->node, 0));
	ASSERT_EQ(0, say(self->sv[0]));
	EXPECT_EQ(0, child_end(pid, LIMIT));
	EXPECT_EQ(0, try_attach(self->node, 0));

	ASSERT_EQ(0, replica_open(&self->r, self->node, 1, (struct attach){}));
	ASSERT_EQ(sizeof(seen), pread(self->r.fd, seen, sizeof(seen), 0x100));
	EXPECT_EQ(0, memcmp(seen, "passed on", 10));
}

TEST_F(attach, last_copy_gives_up)
{
	int fd = attach_fd(self->node, 0, (struct attach){}), copy;

	ASSERT_GE(fd, 0);
	copy = dup(fd);
	ASSERT_EQ(0, close(fd));
	EXPECT_EQ(-EBUSY, try_attach(self->node, 0));
	EXPECT_EQ(0, call(copy, OCFABRIC_REPLICA_GET, ARG(ocfabric_replica_get)));
	ASSERT_EQ(0, close(copy));
	EXPECT_EQ(0, try_attach(self->node, 0));
}

static int wait_for_word(void *arg)
{
	return hear(*(int *)arg, LIMIT) ? 1 : 0;
}

TEST_F(attach, fork_shares_the_handle)
{
	int fd = attach_fd(self->node, 0, (struct attach){});
	pid_t pid;

	ASSERT_GE(fd, 0);
	pid = child_start(wait_for_word, &self->sv[1]);
	ASSERT_EQ(0, close(fd));
	EXPECT_EQ(-EBUSY, try_attach(self->node, 0));
	ASSERT_EQ(0, say(self->sv[0]));
	ASSERT_EQ(0, child_end(pid, LIMIT));
	EXPECT_EQ(0, try_attach(self->node, 0));
}

/* A mapping alone keeps the replica as well: it still reaches the doorbell. */
TEST_F(attach, mapping_outlives_the_descriptor)
{
	struct ocfabric_cqe e;
	int copy;

	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	copy = self->r.fd;
	ASSERT_EQ(0, close(copy));
	EXPECT_EQ(-EBUSY, try_attach(self->node, 0));
	EXPECT_EQ(0, replica_do(&self->r, &(struct ocfabric_desc){}, &e));
	self->r.fd = -1;
}

/* Posts as fast as it can until it is killed. */
static int storm(void *arg)
{
	int socket = *(int *)arg, node = node_open(O_RDWR);
	struct ocfabric_cqe e;
	struct replica r;
	void *memory;
	uint32_t key;

	if (node < 0 || replica_open(&r, node, 0, (struct attach){ .tx_entries = 16 }))
		return 1;
	if (source_add(r.fd, 16 * PAGE, &key, &memory) || say(socket))
		return 2;
	for (;;) {
		struct ocfabric_desc d = write_desc(qpn_of(3, 0, 1), 0, REGION, key, 0);

		if (replica_do(&r, &d, &e) < 0)
			return 3;
	}
}

TEST_F(attach, killed_owner_gives_up)
{
	long pinned = pinned_pages();
	struct counters c;

	for (int round = 0; round < 20; round++) {
		pid_t pid = child_start(storm, &self->sv[1]);

		ASSERT_GT(pid, 0);
		ASSERT_EQ(0, hear(self->sv[0], LIMIT));
		EXPECT_LE(pinned + (user_pages_bounce() ? 0 : 16), pinned_pages());
		ASSERT_EQ(128 + SIGKILL, child_kill(pid));
		EXPECT_EQ(0, try_attach(self->node, 0));
		EXPECT_TRUE(WAIT_FOR(pinned == pinned_pages(), patience(1000)));
	}
	ASSERT_EQ(0, counters_read(self->node, &c));
	EXPECT_TRUE(counters_conserved(&c));
}

/* Attaching that fails leaves nothing behind, not even a descriptor. */
TEST_F(attach, refusal_leaves_no_descriptor)
{
	int probe = dup(0), again;

	close(probe);
	for (int i = 0; i < 100; i++) {
		EXPECT_EQ(-EINVAL, attach_fd(self->node, 0, (struct attach){ .tx_entries = 7 }));
		EXPECT_EQ(-ENOENT, attach_fd(self->node, 99, (struct attach){}));
	}
	again = dup(0);
	EXPECT_EQ(probe, again);
	close(again);
}

TEST_HARNESS_MAIN
