// SPDX-License-Identifier: GPL-2.0-only
/*
 * One doorbell for several replicas: all of them or none, and only by who
 * holds their handles
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "netlink.h"
#include "util.h"

#define REGION	0x10000u
#define ALL	OCFABRIC_REPLICAS_MAX
#define TX	32
#define LIMIT	5000

FIXTURE(broadcast) {
	int node;
	unsigned int n;			/* all that the card has */
	struct replica r[ALL];
	int fd[ALL];
	struct ocfabric_queue_get q;
};

FIXTURE_SETUP(broadcast)
{
	struct ocfabric_info info = NEW(ocfabric_info);

	for (unsigned int i = 0; i < ALL; i++)
		self->r[i].fd = -1;
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, call(self->node, OCFABRIC_INFO, &info));
	self->n = info.out_replicas;
	ASSERT_EQ(0, fabric_setup(self->node, self->n, REGION));
	for (unsigned int i = 0; i < self->n; i++) {
		ASSERT_EQ(0, replica_open(&self->r[i], self->node, i,
					  (struct attach){ .tx_entries = TX }));
		self->fd[i] = self->r[i].fd;
	}
}

FIXTURE_TEARDOWN(broadcast)
{
	for (unsigned int i = 0; i < ALL; i++)
		replica_close(&self->r[i]);
	close(self->node);
}

typedef FIXTURE_DATA(broadcast) fixture;

static const struct ocfabric_desc nop;

static uint32_t tail(fixture *self, unsigned int i)
{
	return queue_get(&self->r[i], &self->q) ? ~0u : self->q.out_tail;
}

/* What each queue's tail is, as bits of those that differ from before */
static unsigned int moved(fixture *self, const uint32_t *before, uint32_t by)
{
	unsigned int mask = 0;

	for (unsigned int i = 0; i < self->n; i++)
		mask |= (tail(self, i) == before[i] + by) << i;
	return mask;
}

static void tails(fixture *self, uint32_t *before)
{
	for (unsigned int i = 0; i < self->n; i++)
		before[i] = tail(self, i);
}

/* One ringing advances each of them and no other, and they run. */
TEST_F(broadcast, rings_all_of_them)
{
	const unsigned int all = (1u << self->n) - 1;
	uint32_t before[ALL], refused;
	struct ocfabric_cqe e;

	for (unsigned int count = 1; count <= self->n; count *= 2) {
		for (unsigned int first = 0; first + count <= self->n; first += count) {
			for (unsigned int i = first; i < first + count; i++)
				for (int k = 0; k < 3; k++)
					replica_post(&self->r[i], &nop);
			tails(self, before);
			ASSERT_EQ(0, broadcast(self->node, 0, self->fd + first, count, 3,
					       &refused));
			EXPECT_EQ(((1u << count) - 1) << first, moved(self, before, 3));
			EXPECT_EQ(all & ~(((1u << count) - 1) << first), moved(self, before, 0));
			for (unsigned int i = first; i < first + count; i++) {
				for (int k = 0; k < 3; k++) {
					ASSERT_TRUE(replica_wait(&self->r[i], &e, patience(1000)));
					EXPECT_EQ(0, e.status);
				}
			}
		}
	}
	/* in whatever order, by any of the files */
	if (self->n >= 8) {
		const int mixed[] = { self->fd[7], self->fd[0], self->fd[5], self->fd[2] };

		tails(self, before);
		EXPECT_EQ(0, broadcast(self->fd[3], 0, mixed, 4, 0, NULL));
		EXPECT_EQ(all, moved(self, before, 0));
		for (unsigned int i = 0; i < ARRAY_LEN(mixed); i++)
			replica_post(&self->r[(unsigned int[]){ 7, 0, 5, 2 }[i]], &nop);
		EXPECT_EQ(0, broadcast(self->fd[3], 0, mixed, 4, 1, NULL));
		EXPECT_EQ(1u << 7 | 1u << 0 | 1u << 5 | 1u << 2, moved(self, before, 1));
	}
}

/* Senders that start together are what it is for: each writes to its neighbour. */
TEST_F(broadcast, starts_writes_together)
{
	struct ocfabric_cqe e;

	for (uint32_t round = 1; round <= 100; round++) {
		for (unsigned int i = 0; i < self->n; i++)
			replica_post(&self->r[i],
				     ARG_DESC(inline_desc(qpn_of(self->n, i, (i + 1) % self->n),
							  64, &round, 4)));
		ASSERT_EQ(0, broadcast(self->node, 0, self->fd, self->n, 1, NULL));
		for (unsigned int i = 0; i < self->n; i++) {
			ASSERT_TRUE(replica_wait(&self->r[i], &e, patience(1000)));
			ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED, e.status);
		}
		for (unsigned int i = 0; i < self->n; i++) {
			ASSERT_EQ(round, *(volatile uint32_t *)(self->r[i].region + 64));
		}
	}
}

TEST_F(broadcast, arms_receive_rings)
{
	uint32_t before[ALL];

	tails(self, before);
	for (unsigned int i = 0; i < self->n; i++)
		replica_rx_post(&self->r[i], 2);
	ASSERT_EQ(0, broadcast(self->node, OCFABRIC_BROADCAST_RECEIVE, self->fd, self->n, 2,
			       NULL));
	EXPECT_EQ((1u << self->n) - 1, moved(self, before, 0));
	for (unsigned int i = 0; i < self->n; i++) {
		ASSERT_EQ(0, queue_get(&self->r[i], &self->q));
		EXPECT_EQ(2, self->q.out_rx_tail);
	}
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  replica_do(&self->r[0], ARG_DESC(imm_desc(0, 0, "armed", 5, 1)), NULL));
}

TEST_F(broadcast, counts_and_increments_are_checked)
{
	static const uint32_t counts[] = { 0, 3, 5, 6, 7, 9, 12, 15, 17, 32, 0x80000000,
					   0xffffffff };
	static const uint32_t increments[] = { 0x1000000, 0x80000001, 0xffffffff };
	int many[32];
	uint32_t before[ALL];

	for (unsigned int i = 0; i < ARRAY_LEN(many); i++)
		many[i] = self->fd[i % self->n];
	tails(self, before);
	for (unsigned int i = 0; i < ARRAY_LEN(counts); i++) {
		EXPECT_EQ(-EINVAL, broadcast(self->node, 0, many, counts[i], 0, NULL))
			TH_LOG("%u of them", counts[i]);
	}
	for (unsigned int i = 0; i < ARRAY_LEN(increments); i++) {
		EXPECT_EQ(-EINVAL, broadcast(self->node, 0, many, 2, increments[i], NULL));
	}
	/* one twice, by one descriptor or by two */
	many[1] = many[0];
	EXPECT_EQ(-EINVAL, broadcast(self->node, 0, many, 2, 0, NULL));
	many[1] = dup(many[0]);
	EXPECT_EQ(-EINVAL, broadcast(self->node, 0, many, 2, 0, NULL));
	close(many[1]);
	EXPECT_EQ((1u << self->n) - 1, moved(self, before, 0));
}

TEST_F(broadcast, needs_handles)
{
	int fd[2] = { self->fd[0] }, pipes[2];
	uint32_t before[ALL];

	ASSERT_EQ(0, pipe(pipes));
	const int bad[] = { -1, 1000, self->node, pipes[0], -2147483647 - 1 };

	replica_post(&self->r[0], &nop);
	tails(self, before);
	for (unsigned int i = 0; i < ARRAY_LEN(bad); i++) {
		fd[1] = bad[i];
		EXPECT_EQ(-EBADF, broadcast(self->node, 0, fd, 2, 1, NULL))
			TH_LOG("descriptor %d", bad[i]);
		EXPECT_EQ(-EBADF, broadcast(self->fd[0], 0, fd + 1, 1, 1, NULL));
	}
	close(pipes[0]);
	close(pipes[1]);
	/* one that is closed is none, whoever had it */
	fd[1] = self->fd[1];
	replica_close(&self->r[1]);
	EXPECT_EQ(-EBADF, broadcast(self->node, 0, fd, 2, 1, NULL));
	EXPECT_EQ(before[0], tail(self, 0));
	EXPECT_EQ(-EFAULT, broadcast(self->node, 0, (void *)PAGE, 2, 1, NULL));
}

/* One that cannot keeps all from moving, and is named. */
TEST_F(broadcast, all_or_none_without_room)
{
	const unsigned int full = self->n - 1;
	uint32_t before[ALL], refused = ~0u;

	/* held by a WAIT, so that nothing leaves the ring */
	replica_post(&self->r[full], ARG_DESC(wait_desc(0, 1)));
	for (int i = 1; i < TX - 1; i++)
		replica_post(&self->r[full], &nop);
	replica_ring(&self->r[full]);
	for (unsigned int i = 0; i < self->n; i++)
		for (int k = 0; k < 2; k++)
			replica_post(&self->r[i], &nop);
	tails(self, before);
	EXPECT_EQ(-EAGAIN, broadcast(self->node, 0, self->fd, self->n, 2, &refused));
	EXPECT_EQ(full, refused);
	EXPECT_EQ(-EAGAIN, broadcast(self->fd[0], 0, self->fd, self->n, 0xffffff, &refused));
	EXPECT_EQ(0, refused);
	EXPECT_EQ((1u << self->n) - 1, moved(self, before, 0));
	ASSERT_EQ(0, queue_get(&self->r[full], &self->q));
	EXPECT_EQ(OCFABRIC_QUEUE_ENABLED, self->q.out_state);
	/* what fits is taken */
	EXPECT_EQ(0, broadcast(self->node, 0, self->fd, self->n, 1, &refused));
	EXPECT_EQ((1u << self->n) - 1, moved(self, before, 1));
}

TEST_F(broadcast, all_or_none_with_a_stopped_queue)
{
	uint32_t before[ALL], refused = ~0u;

	for (unsigned int i = 0; i < self->n; i++)
		replica_post(&self->r[i], &nop);
	replica_ring_by(&self->r[1], 0xffff);
	EXPECT_EQ(OCFABRIC_CAUSE_OVER_INCREMENT, queue_stopped(&self->r[1], &self->q));
	tails(self, before);
	EXPECT_EQ(-EPIPE, broadcast(self->node, 0, self->fd, 2, 1, &refused));
	EXPECT_EQ(1, refused);
	EXPECT_EQ(-EPIPE, broadcast(self->node, OCFABRIC_BROADCAST_RECEIVE, self->fd, 2, 1,
				    &refused));
	EXPECT_EQ(1, refused);
	EXPECT_EQ((1u << self->n) - 1, moved(self, before, 0));
	ASSERT_EQ(0, replica_reset(&self->r[1]));
	replica_post(&self->r[1], &nop);
	EXPECT_EQ(0, broadcast(self->node, 0, self->fd, 2, 1, &refused));
}

/* A refusal is an error of the card's, and listeners are told. */
TEST_F(broadcast, refusal_is_told)
{
	uint8_t buffer[8192];
	uint32_t errors = 0;
	struct nl nl;

	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, nl_listen(&nl));
	EXPECT_EQ(-EAGAIN, broadcast(self->node, 0, self->fd, 2, TX + 1, NULL));
	while (!errors && !nl_event(&nl, patience(2000), buffer, sizeof(buffer))) {
		const struct nlmsghdr *m = (const void *)buffer;

		if (nl_value(m, OCFABRIC_A_EVENT_KIND, 0) == OCFABRIC_EVENT_KIND_HARDWARE_ERROR)
			errors = nl_value(m, OCFABRIC_A_EVENT_ERRORS, 0);
	}
	EXPECT_NE(0, errors & OCFABRIC_ERROR_BROADCAST);
	nl_close(&nl);
}

/* A process without any right but the two handles it is given. */
static int holder(void *arg)
{
	int socket = *(int *)arg, fd[2], own;
	int guess[2];

	if (become_other(false))
		return 1;
	for (own = 3; own < 64; own++)	/* nothing that came by fork */
		if (own != socket)
			close(own);
	fd[0] = receive_fd(socket);
	fd[1] = receive_fd(socket);
	if (fd[0] < 0 || fd[1] < 0)
		return 2;
	if (broadcast(fd[0], 0, fd, 2, 1, NULL))
		return 3;
	/* no other handle, whatever number it names */
	for (int i = 0; i < 64; i++) {
		guess[0] = fd[0];
		guess[1] = i;
		if (i != fd[0] && i != fd[1] &&
		    broadcast(fd[0], 0, guess, 2, 1, NULL) != -EBADF)
			return 4;
	}
	return 0;
}

TEST_F(broadcast, handles_are_the_right)
{
	uint32_t before[ALL];
	pid_t pid;
	int sv[2];

	ASSERT_EQ(0, socket_pair(sv));
	for (unsigned int i = 0; i < self->n; i++)
		replica_post(&self->r[i], &nop);
	tails(self, before);
	pid = child_start(holder, &sv[1]);
	ASSERT_EQ(0, send_fd(sv[0], self->fd[0]));
	ASSERT_EQ(0, send_fd(sv[0], self->fd[1]));
	EXPECT_EQ(0, child_end(pid, LIMIT));
	EXPECT_EQ(3, moved(self, before, 1));
	/* a node that was opened for reading only does as well: it gives no right */
	close(self->node);
	self->node = node_open(O_RDONLY);
	replica_post(&self->r[0], &nop);
	EXPECT_EQ(0, broadcast(self->node, 0, self->fd, 1, 1, NULL));
}

/*
 * Handles that come and go under it: it rings those that it found, or says
 * that it did not; it never rings a replica that has no owner, or another.
 */
struct changer {
	int node;
	int fd[2];	/* as it is now; shared */
	uint32_t tries;	/* of who rings */
	bool stop;
};

/* For some tries of the other's, a few times for none. */
static void linger(struct changer *c, uint32_t tries)
{
	uint32_t from = __atomic_load_n(&c->tries, __ATOMIC_RELAXED);

	while (__atomic_load_n(&c->tries, __ATOMIC_RELAXED) - from < tries &&
	       !__atomic_load_n(&c->stop, __ATOMIC_RELAXED))
		sched_yield();
}

static void *come_and_go(void *arg)
{
	struct changer *c = arg;
	uint64_t random = 3;

	while (!__atomic_load_n(&c->stop, __ATOMIC_RELAXED)) {
		for (int i = 0; i < 2; i++) {
			int fd = attach_fd(c->node, i, (struct attach){ .tx_entries = 16 });

			__atomic_store_n(&c->fd[i], fd, __ATOMIC_RELAXED);
		}
		linger(c, next_random(&random) % 8);
		for (int i = 0; i < 2; i++)
			close(c->fd[i]);
		linger(c, next_random(&random) % 2);
	}
	return NULL;
}

TEST_F(broadcast, handles_may_close_meanwhile)
{
	struct changer c = { .node = self->node };
	unsigned int rung = 0, refused = 0, wanted = is_debug_kernel() ? 100 : 1000;
	uint64_t end = now_ms() + patience(3000);
	pthread_t thread;

	replica_close(&self->r[0]);
	replica_close(&self->r[1]);
	ASSERT_EQ(0, pthread_create(&thread, NULL, come_and_go, &c));
	while ((rung < wanted || refused < wanted) && now_ms() < end) {
		const int fd[] = { __atomic_load_n(&c.fd[0], __ATOMIC_RELAXED),
				   __atomic_load_n(&c.fd[1], __ATOMIC_RELAXED) };
		int ret = broadcast(self->node, 0, fd, 2, 0, NULL);

		/* a number may by now be another handle's, even of one twice */
		ASSERT_TRUE(!ret || ret == -EBADF || ret == -EINVAL)
			TH_LOG("%d", ret);
		*(ret ? &refused : &rung) += 1;
		__atomic_fetch_add(&c.tries, 1, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&c.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT_LE(wanted, rung);
	EXPECT_LE(wanted, refused);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, replica_open(&self->r[i], self->node, i, (struct attach){}));
		EXPECT_EQ(0, tail(self, i));
	}
}

/* Two who broadcast at once: each is told of its own. */
struct ringer {
	struct replica *r;	/* two of them */
	int file;
	unsigned int wrong;
};

static void *ring_on(void *arg)
{
	struct ringer *w = arg;
	const int fd[] = { w->r[0].fd, w->r[1].fd };
	struct ocfabric_cqe e;

	for (int i = 0; i < (is_debug_kernel() ? 200 : 1000); i++) {
		uint32_t refused = ~0u;
		bool good = i % 2;
		int ret;

		for (int k = 0; k < 2 && good; k++)
			replica_post(&w->r[k], &nop);
		ret = broadcast(w->file, 0, fd, 2, good ? 1 : TX + 1, &refused);
		w->wrong += ret != (good ? 0 : -EAGAIN) ||
			    (!good && refused != w->r[0].get.out_replica);
		for (int k = 0; k < 2 && good; k++)
			w->wrong += !replica_wait(&w->r[k], &e, patience(1000));
	}
	return NULL;
}

TEST_F(broadcast, each_is_told_of_its_own)
{
	struct ringer w[2] = {};
	pthread_t thread[2];

	if (self->n < 4)
		SKIP(return, "the card has fewer than 4 replicas");
	for (int i = 0; i < 2; i++) {
		w[i] = (struct ringer){ .r = &self->r[2 * i], .file = self->node };
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, ring_on, &w[i]));
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		EXPECT_EQ(0, w[i].wrong);
	}
}

TEST_HARNESS_MAIN
