// SPDX-License-Identifier: GPL-2.0-only
/*
 * Semaphores: who may add to them, what waits for them, and whose they are
 * from one owner to the next
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "netlink.h"
#include "util.h"

#define REGION	0x10000u
#define N	3
#define LIMIT	5000

FIXTURE(semaphore) {
	int node;
	struct nl nl;
	struct replica r, peer;		/* replicas 0 and 1 */
	unsigned int to, from;		/* QPNs from 0 to 1, and back */
	int sv[2];
	struct ocfabric_queue_get q;
	struct counters counters;
};

FIXTURE_SETUP(semaphore)
{
	self->r.fd = self->peer.fd = -1;
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, nl_open(&self->nl));
	ASSERT_EQ(0, socket_pair(self->sv));
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	ASSERT_EQ(0, fabric_semaphores(self->node, N));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	ASSERT_EQ(0, replica_open(&self->peer, self->node, 1, (struct attach){}));
	self->to = qpn_of(N, 0, 1);
	self->from = qpn_of(N, 1, 0);
}

FIXTURE_TEARDOWN(semaphore)
{
	EXPECT_EQ(0, counters_read(self->node, &self->counters));
	EXPECT_TRUE(counters_conserved(&self->counters));
	replica_close(&self->r);
	replica_close(&self->peer);
	nl_close(&self->nl);
	close(self->node);
}

typedef FIXTURE_DATA(semaphore) fixture;

#define COUNTER(name) \
	(counters_read(self->node, &self->counters), \
	 self->counters.link[0][OCFABRIC_COUNTER_##name])

static int add_local(struct replica *r, unsigned int sem, uint32_t add)
{
	return replica_do(r, ARG_DESC(sem_local_desc(sem, add)), NULL);
}

static int add_remote(struct replica *r, unsigned int qpn, unsigned int sem, uint32_t add)
{
	return replica_do(r, ARG_DESC(sem_remote_desc(qpn, sem, add)), NULL);
}

/* The card's value of a semaphore, not the mirror's */
static uint32_t card_value(fixture *self, unsigned int replica, unsigned int sem)
{
	uint32_t value[OCFABRIC_SEMAPHORES];

	return nl_semaphores(&self->nl, replica, value) ? 0xdeadbeef : value[sem];
}

TEST_F(semaphore, local_adds_to_ones_own)
{
	struct ocfabric_cqe e;

	for (unsigned int sem = 0; sem < OCFABRIC_SEMAPHORES; sem++) {
		ASSERT_EQ(0, sem_value(&self->r, sem));
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED,
			  replica_do(&self->r, ARG_DESC(sem_local_desc(sem, 100 + sem)), &e));
		EXPECT_EQ(OCFABRIC_OP_SEM_LOCAL, e.opcode);
		EXPECT_EQ(0, e.bytes);
		EXPECT_EQ(sem, e.index);
	}
	for (unsigned int sem = 0; sem < OCFABRIC_SEMAPHORES; sem++) {
		EXPECT_EQ(100 + sem, sem_value(&self->r, sem));
		EXPECT_EQ(0, sem_value(&self->peer, sem));
	}
	EXPECT_EQ(100, card_value(self, 0, 0));
	EXPECT_EQ(163, card_value(self, 0, 63));
	/* no link has moved */
	EXPECT_EQ(0, COUNTER(WRITES));
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_local(&self->r, 5, 0xffffffff));
	EXPECT_EQ(104, sem_value(&self->r, 5));
}

TEST_F(semaphore, remote_adds_to_the_peers)
{
	struct ocfabric_cqe e;

	for (unsigned int sem = 0; sem < OCFABRIC_SEMAPHORES; sem++) {
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED,
			  replica_do(&self->r, ARG_DESC(sem_remote_desc(self->to, sem, sem + 1)),
				     &e));
		EXPECT_EQ(OCFABRIC_OP_SEM_REMOTE, e.opcode);
		EXPECT_EQ(self->to, e.qpn);
		EXPECT_EQ(0, e.bytes);
	}
	for (unsigned int sem = 0; sem < OCFABRIC_SEMAPHORES; sem++) {
		EXPECT_EQ(sem + 1, sem_value(&self->peer, sem));
		EXPECT_EQ(0, sem_value(&self->r, sem));
	}
	EXPECT_EQ(OCFABRIC_SEMAPHORES, COUNTER(WRITES));
	EXPECT_EQ(OCFABRIC_SEMAPHORES, COUNTER(COMMITTED));
	EXPECT_EQ(0, COUNTER(BYTES));
	EXPECT_EQ(0, COUNTER(LINES));
	/* the peer is told nothing but the value */
	EXPECT_FALSE(replica_poll(&self->peer, &e));
	ASSERT_EQ(0, queue_get(&self->peer, &self->q));
	EXPECT_EQ(0, self->q.out_cq_producer);
}

/* The value says that the data is there: what was written before has committed. */
TEST_F(semaphore, comes_after_the_writes_before_it)
{
	const uint32_t size = 0x4000;
	uint32_t key, round;
	struct ocfabric_cqe e;
	void *from;

	ASSERT_EQ(0, source_add(self->r.fd, size, &key, &from));
	for (round = 1; round <= (is_debug_kernel() ? 100u : 500u); round++) {
		struct ocfabric_desc payload = write_desc(self->to, 0, size, key, 0);
		struct ocfabric_desc sem = sem_remote_desc(self->to, 0, 1);

		memset(from, round, size);
		payload.flags = OCFABRIC_DESC_UNSIGNALED;
		replica_post(&self->r, &payload);
		replica_post(&self->r, &sem);
		replica_ring(&self->r);
		ASSERT_TRUE(WAIT_FOR(sem_value(&self->peer, 0) == round, patience(1000)));
		for (unsigned int i = 0; i < size; i += 64) {
			ASSERT_EQ((uint8_t)round, self->peer.region[i]);
		}
		ASSERT_TRUE(replica_wait(&self->r, &e, patience(1000)));
	}
	ASSERT_EQ(0, key_del(self->r.fd, key));
}

TEST_F(semaphore, windows_say_which)
{
	static const struct { unsigned int sem; bool in; } tried[] = {
		{ 0, false }, { 9, false }, { 10, true }, { 14, true }, { 15, false },
		{ 19, false }, { 20, true }, { 21, false }, { 62, false }, { 63, true },
		{ 64, false }, { 0x8000, false }, { 0xffff, false }, { 74, false },
	};

	ASSERT_EQ(0, CHANGE(self->node,
			    step_semaphores(OCFABRIC_CHANGE_WINDOW_DEL, 0, 1, 0, 64),
			    step_semaphores(OCFABRIC_CHANGE_WINDOW_ADD, 0, 1, 10, 5),
			    step_semaphores(OCFABRIC_CHANGE_WINDOW_ADD, 0, 1, 20, 1),
			    step_semaphores(OCFABRIC_CHANGE_WINDOW_ADD, 0, 1, 63, 1),
			    step_semaphores(OCFABRIC_CHANGE_WINDOW_ADD, 0, 2, 0, 64)));
	for (unsigned int i = 0; i < ARRAY_LEN(tried); i++) {
		EXPECT_EQ(tried[i].in ? OCFABRIC_VERDICT_COMMITTED : OCFABRIC_VERDICT_UNAUTHORIZED,
			  add_remote(&self->r, self->to, tried[i].sem, 1))
			TH_LOG("semaphore %u", tried[i].sem);
	}
	for (unsigned int sem = 0; sem < OCFABRIC_SEMAPHORES; sem++) {
		EXPECT_EQ((sem >= 10 && sem < 15) || sem == 20 || sem == 63 ?
				  card_value(self, 1, sem) : 0,
			  sem_value(&self->peer, sem));
	}
	EXPECT_EQ(10, COUNTER(UNAUTHORIZED));
	/* a refused one stops nothing */
	ASSERT_EQ(0, queue_get(&self->r, &self->q));
	EXPECT_EQ(OCFABRIC_QUEUE_ENABLED, self->q.out_state);
	/* a window over all bytes gives none of them */
	EXPECT_EQ(OCFABRIC_VERDICT_UNAUTHORIZED, add_remote(&self->r, self->to, 1, 1));
}

TEST_F(semaphore, other_checks_come_first)
{
	EXPECT_EQ(OCFABRIC_VERDICT_UNMAPPED, add_remote(&self->r, 0xffffff, 64, 1));
	EXPECT_EQ(1, COUNTER(UNMAPPED));
	/* peers that n no longer reaches */
	ASSERT_EQ(0, CHANGE(self->node, step_replicas(2)));
	EXPECT_EQ(OCFABRIC_VERDICT_BAD_CONFIG, add_remote(&self->r, qpn_of(N, 0, 2), 0, 1));
	ASSERT_EQ(0, CHANGE(self->node, step_replicas(N)));
	EXPECT_EQ(0, card_value(self, 2, 0));
	/* one needs no region for it */
	ASSERT_EQ(0, CHANGE(self->node, step_reset(), step_replicas(2),
			    step(OCFABRIC_CHANGE_CONNECTIONS_DEFAULT, 0),
			    step_semaphores(OCFABRIC_CHANGE_WINDOW_ADD, 0, 1, 3, 1)));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, add_remote(&self->r, 0, 3, 8));
	EXPECT_EQ(8, sem_value(&self->peer, 3));
}

/* What semaphore operations may not say; what they have no use for is zero. */
TEST_F(semaphore, bad_descriptors_stop)
{
	static const struct {
		struct ocfabric_desc desc;
		unsigned int offset;
	} bad[] = {
#define AT(field)	offsetof(struct ocfabric_desc, field)
#define LOCAL		.opcode = OCFABRIC_OP_SEM_LOCAL
#define REMOTE		.opcode = OCFABRIC_OP_SEM_REMOTE
#define WAITING		.opcode = OCFABRIC_OP_WAIT
		{ { LOCAL, .sem = 64 }, AT(sem) },
		{ { LOCAL, .sem = 0xffff }, AT(sem) },
		{ { WAITING, .sem = 64 }, AT(sem) },
		{ { LOCAL, .flags = OCFABRIC_DESC_INLINE }, AT(flags) },
		{ { REMOTE, .flags = OCFABRIC_DESC_INLINE }, AT(flags) },
		{ { WAITING, .flags = OCFABRIC_DESC_INLINE }, AT(flags) },
		{ { LOCAL, .qpn = 1 }, AT(qpn) },
		{ { WAITING, .qpn = 1 }, AT(qpn) },
		{ { REMOTE, .qpn = 0x1000000 }, AT(qpn) },
		{ { LOCAL, .raddr = 4 }, AT(raddr) },
		{ { REMOTE, .raddr = 4 }, AT(raddr) },
		{ { REMOTE, .beats = 1 }, AT(beats) },
		{ { WAITING, .beats = 1 }, AT(beats) },
		{ { REMOTE, .imm = 1 }, AT(imm) },
		{ { LOCAL, .__reserved1 = 1 }, AT(__reserved1) },
		{ { REMOTE, .addr = 1 }, AT(addr) },
		{ { WAITING, .key = 1 }, AT(key) },
		{ { LOCAL, .__reserved3 = { 0, 0, 0, 0, 1 } }, AT(__reserved3) },
		{ { .opcode = OCFABRIC_OP_NOP, .len = 1 }, AT(len) },
		{ { .opcode = 6 }, AT(opcode) },
#undef AT
#undef LOCAL
#undef REMOTE
#undef WAITING
	};

	for (unsigned int i = 0; i < ARRAY_LEN(bad); i++) {
		replica_post(&self->r, &bad[i].desc);
		replica_ring(&self->r);
		EXPECT_EQ(OCFABRIC_CAUSE_BAD_DESCRIPTOR, queue_stopped(&self->r, &self->q))
			TH_LOG("row %u", i);
		EXPECT_EQ(0, self->q.out_wrote);
		EXPECT_EQ(bad[i].offset, self->q.out_expected)
			TH_LOG("row %u", i);
		ASSERT_EQ(0, replica_reset(&self->r));
	}
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, add_local(&self->r, 63, 1));
	EXPECT_EQ(0, COUNTER(WRITES));
}

/*
 * Waiting in the queue
 */
static bool waits(fixture *self, struct replica *r)
{
	return !queue_get(r, &self->q) && self->q.out_state == OCFABRIC_QUEUE_ENABLED &&
	       self->q.out_waiting;
}

TEST_F(semaphore, wait_holds_the_queue)
{
	struct ocfabric_cqe e;

	replica_post(&self->r, ARG_DESC(inline_desc(self->to, 0, "before", 6)));
	replica_post(&self->r, ARG_DESC(wait_desc(7, 3)));
	replica_post(&self->r, ARG_DESC(inline_desc(self->to, 0x40, "after", 5)));
	replica_ring(&self->r);
	ASSERT_TRUE(replica_wait(&self->r, &e, patience(1000)));
	EXPECT_EQ(OCFABRIC_OP_WRITE, e.opcode);
	ASSERT_TRUE(WAIT_FOR(waits(self, &self->r), patience(1000)));
	EXPECT_EQ(1, self->q.out_head);
	EXPECT_EQ(3, self->q.out_tail);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_remote(&self->peer, self->from, 7, 1));
		/* another one is none of its business */
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_remote(&self->peer, self->from, 8, 9));
		EXPECT_FALSE(replica_poll(&self->r, &e));
		EXPECT_TRUE(waits(self, &self->r));
	}
	EXPECT_EQ(0, self->peer.region[0x40]);
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_remote(&self->peer, self->from, 7, 1));
	ASSERT_TRUE(replica_wait(&self->r, &e, patience(1000)));
	EXPECT_EQ(OCFABRIC_OP_WAIT, e.opcode);
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, e.status);
	EXPECT_EQ(1, e.index);
	ASSERT_TRUE(replica_wait(&self->r, &e, patience(1000)));
	EXPECT_EQ(0, memcmp(self->peer.region + 0x40, "after", 5));
	/* it consumes nothing, and is met at once the next time */
	EXPECT_EQ(3, sem_value(&self->r, 7));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  replica_do(&self->r, ARG_DESC(wait_desc(7, 3)), NULL));
	ASSERT_EQ(0, queue_get(&self->r, &self->q));
	EXPECT_EQ(0, self->q.out_waiting);
}

TEST_F(semaphore, wraps_at_2_to_32)
{
	static const struct { uint32_t target; bool met; } at_5[] = {
		{ 5, true }, { 6, false }, { 0, true }, { 0xffffffff, true },
		{ 0x80000005, false }, { 0x80000006, true }, { 0x80000004, false },
	};
	struct ocfabric_cqe e;

	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_local(&self->r, 1, 0xffffffff));
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  replica_do(&self->r, ARG_DESC(wait_desc(1, 0xfffffff0)), NULL));
	replica_post(&self->r, ARG_DESC(wait_desc(1, 5)));
	replica_ring(&self->r);
	ASSERT_TRUE(WAIT_FOR(waits(self, &self->r), patience(1000)));
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_remote(&self->peer, self->from, 1, 1));
		ASSERT_FALSE(replica_poll(&self->r, &e));
	}
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_remote(&self->peer, self->from, 1, 1));
	ASSERT_TRUE(replica_wait(&self->r, &e, patience(1000)));
	EXPECT_EQ(5, sem_value(&self->r, 1));
	for (unsigned int i = 0; i < ARRAY_LEN(at_5); i++) {
		bool met;

		replica_post(&self->r, ARG_DESC(wait_desc(1, at_5[i].target)));
		replica_ring(&self->r);
		met = WAIT_FOR(replica_poll(&self->r, &e) || waits(self, &self->r),
			       patience(1000)) && !waits(self, &self->r);
		EXPECT_EQ(at_5[i].met, met)
			TH_LOG("target %#x", at_5[i].target);
		ASSERT_EQ(0, replica_reset(&self->r));
	}
	EXPECT_EQ(5, card_value(self, 0, 1));
}

/* A queue that waits is at rest: it drains, is reset, and holds up nobody. */
TEST_F(semaphore, waiting_queue_is_idle)
{
	struct ocfabric_cqe e;

	replica_post(&self->r, ARG_DESC(wait_desc(0, 1)));
	replica_ring(&self->r);
	ASSERT_TRUE(WAIT_FOR(waits(self, &self->r), patience(1000)));
	EXPECT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_LATENCY, 1)));
	EXPECT_TRUE(waits(self, &self->r));
	/* what would meet it waits for the drain to end */
	ASSERT_EQ(0, call(self->node, OCFABRIC_DRAIN,
			  ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_HOLD)));
	replica_post(&self->peer, ARG_DESC(sem_remote_desc(self->from, 0, 1)));
	replica_ring(&self->peer);
	EXPECT_FALSE(WAIT_FOR(replica_poll(&self->r, &e), 20));
	ASSERT_EQ(0, call(self->node, OCFABRIC_DRAIN,
			  ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_RESUME)));
	EXPECT_TRUE(replica_wait(&self->r, &e, patience(1000)));
	replica_post(&self->r, ARG_DESC(wait_desc(0, 100)));
	replica_ring(&self->r);
	ASSERT_TRUE(WAIT_FOR(waits(self, &self->r), patience(1000)));
	ASSERT_EQ(0, replica_reset(&self->r));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  replica_do(&self->r, ARG_DESC(inline_desc(self->to, 0, "on", 2)), NULL));
	EXPECT_EQ(1, sem_value(&self->r, 0));
}

static int wait_forever(void *arg)
{
	int *socket = arg, node = node_open(O_RDWR);
	struct ocfabric_queue_get q;
	struct replica r;

	if (node < 0 || replica_open(&r, node, 2, (struct attach){}))
		return 1;
	replica_post(&r, ARG_DESC(wait_desc(0, 1000000)));
	replica_post(&r, ARG_DESC(inline_desc(qpn_of(N, 2, 0), 0, "never", 5)));
	replica_ring(&r);
	if (!WAIT_FOR(!queue_get(&r, &q) && q.out_waiting, patience(1000)) || say(*socket))
		return 2;
	return hear(*socket, LIMIT) ? 3 : 4;
}

/* Its owner's death is not held up by what may never come. */
TEST_F(semaphore, killed_while_waiting_gives_up)
{
	for (int round = 0; round < 5; round++) {
		pid_t pid = child_start(wait_forever, &self->sv[1]);
		uint64_t start;
		int fd;

		ASSERT_EQ(0, hear(self->sv[0], LIMIT));
		EXPECT_EQ(-EBUSY, attach_fd(self->node, 2, (struct attach){}));
		start = now_ms();
		ASSERT_EQ(128 + SIGKILL, child_kill(pid));
		fd = attach_fd(self->node, 2, (struct attach){});
		EXPECT_GE(fd, 0);
		EXPECT_GT(patience(1000), now_ms() - start);
		close(fd);
	}
	EXPECT_EQ(0, self->r.region[0]);
}

/* Two queues that let each other go on, a thousand times */
TEST_F(semaphore, queues_take_turns)
{
	struct ocfabric_cqe e;

	for (uint32_t round = 0; round < 1000; round += 100) {
		for (uint32_t i = round + 1; i <= round + 100; i++) {
			replica_post(&self->r, ARG_DESC(sem_remote_desc(self->to, 2, 1)));
			replica_post(&self->r, ARG_DESC(wait_desc(2, i)));
			replica_post(&self->peer, ARG_DESC(wait_desc(2, i)));
			replica_post(&self->peer, ARG_DESC(sem_remote_desc(self->from, 2, 1)));
		}
		replica_ring(&self->peer);
		replica_ring(&self->r);
		for (int i = 0; i < 200; i++) {
			ASSERT_TRUE(replica_wait(&self->r, &e, patience(2000)));
			EXPECT_EQ(0, e.status);
			ASSERT_TRUE(replica_wait(&self->peer, &e, patience(2000)));
			EXPECT_EQ(0, e.status);
		}
	}
	EXPECT_EQ(1000, sem_value(&self->r, 2));
	EXPECT_EQ(1000, sem_value(&self->peer, 2));
}

/*
 * Whose they are
 */
static int reopen(struct replica *r, int node, unsigned int replica, unsigned int flags)
{
	replica_close(r);
	return replica_open(r, node, replica, (struct attach){ .flags = flags });
}

TEST_F(semaphore, same_user_keeps_them)
{
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_remote(&self->r, self->to, 3, 10));
	replica_close(&self->peer);
	/* they live in the card: nobody need be there */
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_remote(&self->r, self->to, 3, 5));
	EXPECT_EQ(15, card_value(self, 1, 3));
	ASSERT_EQ(0, reopen(&self->peer, self->node, 1, 0));
	EXPECT_EQ(15, sem_value(&self->peer, 3));
	ASSERT_EQ(0, replica_reset(&self->peer));
	EXPECT_EQ(15, sem_value(&self->peer, 3));
	ASSERT_EQ(0, reopen(&self->peer, self->node, 1, OCFABRIC_ATTACH_CLEAR));
	EXPECT_EQ(0, sem_value(&self->peer, 3));
	EXPECT_EQ(0, card_value(self, 1, 3));
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_remote(&self->r, self->to, 3, 7));
	EXPECT_EQ(7, sem_value(&self->peer, 3));
}

/* Another user's: they must read zero, in the page and for a WAIT. */
static int other_user(int node)
{
	struct replica r;

	if (replica_open(&r, node, 1, (struct attach){}))
		return 3;
	for (unsigned int sem = 0; sem < OCFABRIC_SEMAPHORES; sem++)
		if (sem_value(&r, sem))
			return 4;
	return add_local(&r, 3, 99) || sem_value(&r, 3) != 99 ? 5 : 0;
}

TEST_F(semaphore, another_user_finds_zeroes)
{
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_local(&self->peer, 3, 1));
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_local(&self->peer, 63, 1));
	replica_close(&self->peer);
	EXPECT_EQ(0, as_other(other_user));
	ASSERT_EQ(0, reopen(&self->peer, self->node, 1, 0));
	for (unsigned int sem = 0; sem < OCFABRIC_SEMAPHORES; sem++) {
		EXPECT_EQ(0, sem_value(&self->peer, sem));
	}
}

TEST_F(semaphore, clearing_the_hbm_forgets_them)
{
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_local(&self->peer, 3, 1));
	replica_close(&self->peer);
	ASSERT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_HBM_CLEAR, 0)));
	ASSERT_EQ(0, reopen(&self->peer, self->node, 1, 0));
	EXPECT_EQ(0, sem_value(&self->peer, 3));
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_local(&self->peer, 3, 1));
	ASSERT_EQ(0, call(self->node, OCFABRIC_RESET,
			  ARG(ocfabric_reset, .what = OCFABRIC_RESET_DEVICE)));
	EXPECT_EQ(0, card_value(self, 1, 3));
	ASSERT_EQ(0, reopen(&self->peer, self->node, 1, 0));
	EXPECT_EQ(0, sem_value(&self->peer, 3));
}

/*
 * Waiting in poll()
 */
static void arm_sem(struct replica *r, uint32_t arm, uint32_t target)
{
	__atomic_store_n(&r->owner->sem_target, target, __ATOMIC_RELAXED);
	__atomic_store_n(&r->owner->sem_arm, arm, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static int wait_poll(struct replica *r, int ms)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	int ret = poll(&p, 1, ms);

	return ret < 0 ? -errno : ret ? p.revents : 0;
}

TEST_F(semaphore, armed_one_wakes)
{
	for (uint32_t i = 1; i <= 200; i++) {
		arm_sem(&self->peer, OCFABRIC_SEM_ARMED | 9, 2 * i);
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_remote(&self->r, self->to, 8, 1));
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_remote(&self->r, self->to, 9, 1));
		ASSERT_EQ(0, wait_poll(&self->peer, 0))
			TH_LOG("round %u: woken for nothing", i);
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_remote(&self->r, self->to, 9, 1));
		ASSERT_EQ(POLLIN, wait_poll(&self->peer, patience(1000)))
			TH_LOG("round %u", i);
		/* the value is seen before the interrupt for it was sent */
		ASSERT_TRUE(WAIT_FOR(queue_get(&self->peer, &self->q) ||
				     self->q.out_interrupts == i, patience(1000)))
			TH_LOG("round %u: %u interrupts", i, self->q.out_interrupts);
	}
	arm_sem(&self->peer, 9, 0);
	EXPECT_EQ(0, wait_poll(&self->peer, 0));
}

/* Completions that lie untaken do not hide it. */
TEST_F(semaphore, is_told_from_completions)
{
	struct pollfd p = { .fd = self->peer.fd, .events = POLLRDBAND };
	struct ocfabric_cqe e;

	replica_post(&self->peer, &(struct ocfabric_desc){});
	replica_ring(&self->peer);
	ASSERT_TRUE(WAIT_FOR(self->peer.cq[0].flags, patience(1000)));
	arm_sem(&self->peer, OCFABRIC_SEM_ARMED | 3, 1);
	EXPECT_EQ(POLLIN, wait_poll(&self->peer, 0));
	EXPECT_EQ(0, poll(&p, 1, 0));
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_remote(&self->r, self->to, 3, 1));
	EXPECT_EQ(1, poll(&p, 1, patience(1000)));
	EXPECT_EQ(POLLRDBAND, p.revents);
	EXPECT_TRUE(replica_poll(&self->peer, &e));
	EXPECT_EQ(1, poll(&p, 1, 0));
}

/* The line is the owner's to write: whatever it holds is a semaphore, or none. */
TEST_F(semaphore, junk_in_the_owner_line)
{
	static const uint32_t junk[] = { 0xffffffff, 0x80000040, 0xffffffc0, 0x8000ffff };

	for (unsigned int i = 0; i < ARRAY_LEN(junk); i++) {
		unsigned int sem = junk[i] & OCFABRIC_SEM_MASK;
		uint32_t target = sem_value(&self->peer, sem) + 1;

		arm_sem(&self->peer, junk[i], target);
		EXPECT_EQ(0, wait_poll(&self->peer, 0));
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_remote(&self->r, self->to, sem, 1));
		EXPECT_EQ(POLLIN, wait_poll(&self->peer, patience(1000)));
	}
	arm_sem(&self->peer, 0x7fffffff, 0);
	EXPECT_EQ(0, wait_poll(&self->peer, 0));
}

struct adder {
	struct replica *r;
	unsigned int qpn;
	uint32_t seen;
};

#define ROUNDS	(is_debug_kernel() ? 600u : 3000u)

static void *add_when_seen(void *arg)
{
	struct adder *a = arg;
	uint64_t random = 17;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		while (__atomic_load_n(&a->seen, __ATOMIC_ACQUIRE) != i)
			sched_yield();
		for (volatile uint32_t n = next_random(&random) % 3000; n; n--)
			;
		if (add_remote(a->r, a->qpn, 4, 1))
			return a;
	}
	return NULL;
}

TEST_F(semaphore, no_wake_up_is_lost)
{
	struct adder a = { .r = &self->r, .qpn = self->to };
	pthread_t thread;
	void *failed;

	ASSERT_EQ(0, pthread_create(&thread, NULL, add_when_seen, &a));
	for (uint32_t i = 0; i < ROUNDS; i++) {
		arm_sem(&self->peer, OCFABRIC_SEM_ARMED | 4, i + 1);
		/* without a time limit, at whose end it would look once more */
		ASSERT_EQ(POLLIN, wait_poll(&self->peer, -1))
			TH_LOG("round %u", i);
		ASSERT_EQ(i + 1, sem_value(&self->peer, 4));
		__atomic_store_n(&a.seen, i + 1, __ATOMIC_RELEASE);
	}
	pthread_join(thread, &failed);
	EXPECT_EQ(NULL, failed);
}

static void on_alarm(int signal)
{
	(void)signal;
}

TEST_F(semaphore, signal_ends_the_wait)
{
	/* again and again: the first may come before the call */
	struct itimerval soon = { { 0, 30000 }, { 0, 30000 } }, never = {};
	struct sigaction act = { .sa_handler = on_alarm };

	ASSERT_EQ(0, sigaction(SIGALRM, &act, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &soon, NULL));
	arm_sem(&self->peer, OCFABRIC_SEM_ARMED | 4, 1);
	EXPECT_EQ(-EINTR, wait_poll(&self->peer, patience(5000)));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &never, NULL));
}

/* All peers at once: each addition counts. */
static int add_many(void *arg)
{
	unsigned int me = *(unsigned int *)arg;
	int node = node_open(O_RDWR);
	struct replica r;
	struct ocfabric_cqe e;

	if (node < 0 || replica_open(&r, node, me, (struct attach){ .tx_entries = 64 }))
		return 1;
	for (int i = 0; i < 200; i++) {
		for (int j = 0; j < 32; j++) {
			struct ocfabric_desc d = sem_remote_desc(qpn_of(N, me, 1), 6, me + 1);

			d.flags = j < 31 ? OCFABRIC_DESC_UNSIGNALED : 0;
			replica_post(&r, &d);
		}
		replica_ring(&r);
		if (!replica_wait(&r, &e, patience(2000)) || e.status)
			return 2;
	}
	return 0;
}

TEST_F(semaphore, additions_of_all_count)
{
	unsigned int id[] = { 0, 2 };
	pid_t pid[2];

	replica_close(&self->r);
	for (int i = 0; i < 2; i++)
		pid[i] = child_start(add_many, &id[i]);
	for (int i = 0; i < 3200; i++) {
		ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, add_local(&self->peer, 6, 10));
	}
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(0, child_end(pid[i], 20000));
	}
	EXPECT_EQ(6400 * 1 + 6400 * 3 + 3200 * 10, sem_value(&self->peer, 6));
	EXPECT_EQ(6400 * 1 + 6400 * 3 + 3200 * 10, card_value(self, 1, 6));
}

TEST_HARNESS_MAIN
