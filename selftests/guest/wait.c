// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting for completions without spinning: poll() and eventfd, by the arm
 * index; a wake-up is never lost and never comes before its time
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "util.h"

#define REGION	0x10000u
#define N	3

FIXTURE(wait) {
	int node;
	struct replica r;
	struct ocfabric_desc d;
	int event;
};

FIXTURE_SETUP(wait)
{
	self->r.fd = -1;
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	self->d = inline_desc(qpn_of(N, 0, 1), 0, "wait", 4);
	self->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	ASSERT_GE(self->event, 0);
}

FIXTURE_TEARDOWN(wait)
{
	close(self->event);
	replica_close(&self->r);
	close(self->node);
}

/* Asks for an interrupt for the completion with this number and after. */
static void arm(struct replica *r, uint32_t number)
{
	__atomic_store_n(&r->owner->arm, number, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static int wait_poll(struct replica *r, int ms)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };
	int ret = poll(&p, 1, ms);

	return ret < 0 ? -errno : ret ? p.revents : 0;
}

static void post(struct replica *r, const struct ocfabric_desc *d)
{
	replica_post(r, d);
	replica_ring(r);
}

TEST_F(wait, nothing_to_wait_for_times_out)
{
	uint64_t start = now_ms();

	arm(&self->r, 0);
	EXPECT_EQ(0, wait_poll(&self->r, 0));
	EXPECT_EQ(0, wait_poll(&self->r, 50));
	EXPECT_LE(49, now_ms() - start);
}

TEST_F(wait, completion_wakes)
{
	struct ocfabric_cqe e;

	for (int i = 0; i < 100; i++) {
		arm(&self->r, self->r.taken);
		post(&self->r, &self->d);
		ASSERT_EQ(POLLIN, wait_poll(&self->r, patience(1000)))
			TH_LOG("round %d", i);
		ASSERT_TRUE(replica_poll(&self->r, &e));
		arm(&self->r, self->r.taken);
		ASSERT_EQ(0, wait_poll(&self->r, 0))
			TH_LOG("round %d: woken for nothing", i);
	}
}

/* It was there before anybody asked. */
TEST_F(wait, completion_before_the_wait_is_seen)
{
	struct ocfabric_cqe e;

	for (int i = 0; i < 3; i++)
		post(&self->r, &self->d);
	EXPECT_TRUE(WAIT_FOR(self->r.cq[2].flags, patience(1000)));
	arm(&self->r, self->r.taken);
	EXPECT_EQ(POLLIN, wait_poll(&self->r, patience(1000)));
	for (int i = 0; i < 3; i++)
		ASSERT_TRUE(replica_poll(&self->r, &e));
}

TEST_F(wait, interrupts_only_from_the_arm_index_on)
{
	struct ocfabric_queue_get q;
	struct ocfabric_cqe e;

	arm(&self->r, 5);
	for (int i = 0; i < 5; i++) {
		post(&self->r, &self->d);
		ASSERT_TRUE(replica_wait(&self->r, &e, patience(1000)));
	}
	EXPECT_EQ(0, wait_poll(&self->r, 20));
	ASSERT_EQ(0, queue_get(&self->r, &q));
	EXPECT_EQ(0, q.out_interrupts);
	post(&self->r, &self->d);
	EXPECT_EQ(POLLIN, wait_poll(&self->r, patience(1000)));
	/* it looks at the ring, where the completion is first */
	EXPECT_TRUE(WAIT_FOR(queue_get(&self->r, &q) || q.out_interrupts == 1, patience(1000)));
}

TEST_F(wait, eventfd_counts)
{
	uint64_t value = 0;
	struct pollfd p = { .fd = self->event, .events = POLLIN };

	ASSERT_EQ(0, call(self->r.fd, OCFABRIC_EVENTFD, ARG(ocfabric_eventfd, .fd = self->event)));
	for (int i = 0; i < 20; i++) {
		arm(&self->r, self->r.posted);
		post(&self->r, &self->d);
		ASSERT_EQ(1, poll(&p, 1, patience(1000)));
		ASSERT_EQ(8, read(self->event, &value, 8));
		EXPECT_EQ(1, value);
	}
	/* none any more */
	ASSERT_EQ(0, call(self->r.fd, OCFABRIC_EVENTFD, ARG(ocfabric_eventfd, .fd = -1)));
	arm(&self->r, self->r.posted);
	post(&self->r, &self->d);
	EXPECT_EQ(POLLIN, wait_poll(&self->r, patience(1000)));
	EXPECT_EQ(0, poll(&p, 1, 20));
}

TEST_F(wait, eventfd_must_be_one)
{
	EXPECT_EQ(-EBADF, call(self->r.fd, OCFABRIC_EVENTFD, ARG(ocfabric_eventfd, .fd = 999)));
	EXPECT_EQ(-EINVAL, call(self->r.fd, OCFABRIC_EVENTFD,
				ARG(ocfabric_eventfd, .fd = self->node)));
	/* it may go before the handle does */
	ASSERT_EQ(0, call(self->r.fd, OCFABRIC_EVENTFD, ARG(ocfabric_eventfd, .fd = self->event)));
	close(self->event);
	for (int i = 0; i < 10; i++) {
		arm(&self->r, self->r.posted);
		post(&self->r, &self->d);
		EXPECT_EQ(POLLIN, wait_poll(&self->r, patience(1000)));
	}
}

static void on_alarm(int signal)
{
	(void)signal;
}

TEST_F(wait, signal_interrupts)
{
	/* again and again: the first may come before the call */
	struct itimerval soon = { { 0, 30000 }, { 0, 30000 } }, never = {};
	struct sigaction act = { .sa_handler = on_alarm };

	ASSERT_EQ(0, sigaction(SIGALRM, &act, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &soon, NULL));
	arm(&self->r, 0);
	EXPECT_EQ(-EINTR, wait_poll(&self->r, patience(5000)));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &never, NULL));
}

/*
 * One thread posts when the other has taken the last completion, at moments
 * that fall before, into and after the other's way to sleep. A wait has no end but
 * its wake-up, or the test's: poll() looks once more when its time is up, so that
 * one with a timeout finds what it was not woken for.
 */
#define ROUNDS	(is_debug_kernel() ? 1000u : 5000u)

struct pair {
	struct replica *r;
	const struct ocfabric_desc *d;
	uint32_t rounds;
	uint32_t taken;
};

static void *poster(void *arg)
{
	struct pair *p = arg;
	uint64_t random = 5;

	for (uint32_t i = 0; i < p->rounds; i++) {
		while (__atomic_load_n(&p->taken, __ATOMIC_ACQUIRE) != i)
			sched_yield();
		for (volatile uint32_t n = next_random(&random) % 3000; n; n--)
			;
		post(p->r, p->d);
	}
	return NULL;
}

TEST_F(wait, no_wake_up_is_lost)
{
	struct pair p = { .r = &self->r, .d = &self->d, .rounds = ROUNDS };
	struct ocfabric_cqe e;
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, poster, &p));
	for (uint32_t i = 0; i < p.rounds; i++) {
		arm(&self->r, self->r.taken);
		ASSERT_EQ(POLLIN, wait_poll(&self->r, -1))
			TH_LOG("round %u", i);
		ASSERT_TRUE(replica_poll(&self->r, &e));
		__atomic_store_n(&p.taken, i + 1, __ATOMIC_RELEASE);
	}
	pthread_join(thread, NULL);
}

TEST_F(wait, wakes_who_asks_for_normal_data_only)
{
	struct pair p = { .r = &self->r, .d = &self->d, .rounds = 100 };
	struct pollfd normal = { .fd = self->r.fd, .events = POLLRDNORM };
	struct ocfabric_cqe e;
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, poster, &p));
	for (uint32_t i = 0; i < p.rounds; i++) {
		arm(&self->r, self->r.taken);
		ASSERT_EQ(1, poll(&normal, 1, -1))
			TH_LOG("round %u", i);
		ASSERT_EQ(POLLRDNORM, normal.revents);
		ASSERT_TRUE(replica_poll(&self->r, &e));
		__atomic_store_n(&p.taken, i + 1, __ATOMIC_RELEASE);
	}
	pthread_join(thread, NULL);
}

/* A queue that stopped will complete nothing: who waits must hear of it. */
static void *overrun(void *arg)
{
	replica_ring_by(arg, 0x10000);
	return NULL;
}

TEST_F(wait, stopped_queue_wakes)
{
	pthread_t thread;
	int events;

	arm(&self->r, 0);
	ASSERT_EQ(0, pthread_create(&thread, NULL, overrun, &self->r));
	events = wait_poll(&self->r, patience(2000));
	EXPECT_NE(0, events & (POLLERR | POLLIN));
	EXPECT_EQ(0, events & POLLHUP);
	pthread_join(thread, NULL);
	ASSERT_EQ(0, replica_reset(&self->r));
	arm(&self->r, 0);
	EXPECT_EQ(0, wait_poll(&self->r, 0));
	post(&self->r, &self->d);
	EXPECT_EQ(POLLIN, wait_poll(&self->r, patience(1000)));
}

TEST_HARNESS_MAIN
