// SPDX-License-Identifier: GPL-2.0-only
/*
 * libocfabric on a card: inherited handles, waiting for semaphores, transfers,
 * channels, and what else host tests cannot see
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <ocfabric.h>

#include "kselftest_harness.h"
#include "child.h"
#include "util.h"

#define REGION	0x10000u
#define N	3
#define WAIT_NS	(patience(5000) * 1000000ll)

FIXTURE(library) {
	int node;
	struct ocf_device *dev;
	struct ocf_replica *r[N];
	struct ocf_completion c;
};

typedef FIXTURE_DATA(library) fixture;

FIXTURE_SETUP(library)
{
	const struct ocf_attach_options clear = { .clear = true };

	unsetenv("OCF_FD");
	unsetenv("LISTEN_FDS");
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	ASSERT_EQ(0, fabric_semaphores(self->node, N));
	self->dev = ocf_open(node_path());
	ASSERT_NE(NULL, self->dev);
	for (unsigned int i = 0; i < N; i++) {
		self->r[i] = ocf_attach(self->dev, i, &clear);
		ASSERT_NE(NULL, self->r[i]);
	}
}

FIXTURE_TEARDOWN(library)
{
	for (unsigned int i = 0; i < N; i++)
		ocf_detach(self->r[i]);
	ocf_close(self->dev);
	close(self->node);
}

/* Posts were made; rings, and all that is asked to complete does, well. */
static int finish(struct ocf_replica *r, unsigned int completions)
{
	struct ocf_completion c;

	ocf_ring(r);
	while (completions) {
		int error = ocf_wait(r, WAIT_NS);

		if (error)
			return error;
		if (!ocf_poll(r, &c, 1))
			continue;
		if (c.status)
			return c.status;
		completions--;
	}
	return 0;
}

static int add_remote(struct ocf_replica *r, unsigned int to, unsigned int sem)
{
	int error = ocf_post_sem_remote(r, ocf_qpn_to(r, to), sem, 1, 0);

	return error < 0 ? error : finish(r, 1);
}

TEST_F(library, write_with_immediate)
{
	struct ocf_replica *r = self->r[0], *peer = self->r[1];
	uint32_t word = 0;

	ASSERT_EQ(0, ocf_post_inline_imm(r, ocf_qpn_to(r, 1), 64, 4, "abc", 7, 0));
	EXPECT_EQ(OCFABRIC_VERDICT_RNR, finish(r, 1));
	ASSERT_EQ(0, ocf_post_recv(peer, 3));
	ocf_ring_recv(peer);
	ASSERT_EQ(1, ocf_post_inline_imm(r, ocf_qpn_to(r, 1), 64, 4, "abc", 7, 0));
	ASSERT_EQ(0, finish(r, 1));
	ASSERT_EQ(0, ocf_wait(peer, WAIT_NS));
	ASSERT_EQ(1, ocf_poll(peer, &self->c, 1));
	EXPECT_TRUE(self->c.receive);
	EXPECT_EQ(0, self->c.source);
	EXPECT_EQ(7, self->c.imm);
	EXPECT_EQ(4, self->c.bytes);
	ASSERT_EQ(0, ocf_region_read(peer, 64, &word, 4));
	EXPECT_EQ(0, memcmp(&word, "abc", 4));
}

/* ---- waiting for a semaphore -------------------------------------------- */

/* Until the other has fallen asleep: its owner line says for what. */
static bool is_armed(const struct ocf_replica *sleeper)
{
	return *(volatile uint32_t *)&sleeper->owner->sem_arm & OCFABRIC_SEM_ARMED;
}

struct pair {
	struct ocf_replica *r, *sleeper;
	int node;
	pthread_t main;
};

static void *add_when_asleep(void *arg)
{
	struct pair *p = arg;

	if (!WAIT_FOR(is_armed(p->sleeper), patience(5000)))
		return (void *)1;
	return (void *)(long)add_remote(p->r, 1, 9);
}

static int sleep_for_sem(fixture *self)
{
	struct pair p = { .r = self->r[0], .sleeper = self->r[1] };
	pthread_t thread;
	void *failed;
	int error;

	ocf_wait_spin(self->r[1], 0);
	if (pthread_create(&thread, NULL, add_when_asleep, &p))
		return -EAGAIN;
	error = ocf_sem_wait(self->r[1], 9, ocf_sem_read(self->r[1], 9) + 1, WAIT_NS);
	pthread_join(thread, &failed);
	return failed ? -EIO : error;
}

TEST_F(library, a_semaphore_wakes)
{
	EXPECT_EQ(0, sleep_for_sem(self));
	EXPECT_EQ(1, ocf_sem_read(self->r[1], 9));
	EXPECT_FALSE(is_armed(self->r[1]));
}

/* The handle is readable all the time; the wait sleeps all the same and ends. */
TEST_F(library, a_semaphore_wakes_beside_completions)
{
	ASSERT_EQ(0, ocf_post_nop(self->r[1], 0));
	ocf_ring(self->r[1]);
	ASSERT_EQ(0, ocf_wait(self->r[1], WAIT_NS));
	EXPECT_EQ(0, sleep_for_sem(self));
	EXPECT_TRUE(ocf_ready(self->r[1]));
	EXPECT_EQ(1, ocf_poll(self->r[1], &self->c, 1));
}

/* Completions that were taken do not keep the handle readable. */
TEST_F(library, a_wait_after_completions_sleeps)
{
	struct pollfd p = { .fd = ocf_replica_fd(self->r[1]), .events = POLLIN };

	ASSERT_EQ(0, ocf_post_nop(self->r[1], 0));
	ASSERT_EQ(0, finish(self->r[1], 1));
	ocf_arm(self->r[1]);
	EXPECT_EQ(0, poll(&p, 1, 0));
	ASSERT_EQ(1, ocf_post_nop(self->r[1], 0));
	ocf_ring(self->r[1]);
	EXPECT_EQ(1, poll(&p, 1, patience(5000)));
	EXPECT_EQ(1, ocf_poll(self->r[1], &self->c, 1));
}

TEST_F(library, a_wait_for_a_semaphore_has_a_limit)
{
	ASSERT_EQ(0, ocf_post_sem_local(self->r[1], 9, 5, 0));
	ASSERT_EQ(0, finish(self->r[1], 1));
	EXPECT_EQ(0, ocf_sem_wait(self->r[1], 9, 5, 0));
	EXPECT_EQ(-ETIMEDOUT, ocf_sem_wait(self->r[1], 9, 6, 3000000));
	EXPECT_STREQ("semaphore 9 is 5 and was to reach 6 within 3 ms", ocf_error());
	EXPECT_FALSE(is_armed(self->r[1]));
}

static void *reset_when_asleep(void *arg)
{
	struct pair *p = arg;

	if (!WAIT_FOR(is_armed(p->sleeper), patience(5000)))
		return (void *)1;
	return (void *)(long)call(p->node, OCFABRIC_RESET,
				  ARG(ocfabric_reset, .what = OCFABRIC_RESET_DEVICE));
}

TEST_F(library, a_wait_for_a_semaphore_ends_with_the_card)
{
	struct pair p = { .sleeper = self->r[1], .node = self->node };
	pthread_t thread;
	void *failed;

	ASSERT_EQ(0, pthread_create(&thread, NULL, reset_when_asleep, &p));
	EXPECT_EQ(-ENODEV, ocf_sem_wait(self->r[1], 9, 1, WAIT_NS));
	pthread_join(thread, &failed);
	EXPECT_EQ(NULL, failed);
	EXPECT_FALSE(ocf_alive(self->r[1]));
}

static void *stop_when_asleep(void *arg)
{
	struct pair *p = arg;

	if (!WAIT_FOR(is_armed(p->sleeper), patience(5000)))
		return (void *)1;
	*p->sleeper->doorbell = 0xffffff;
	return NULL;
}

TEST_F(library, a_wait_for_a_semaphore_ends_with_the_queue)
{
	struct pair p = { .sleeper = self->r[1] };
	pthread_t thread;
	void *failed;

	ASSERT_EQ(0, pthread_create(&thread, NULL, stop_when_asleep, &p));
	EXPECT_EQ(-EPIPE, ocf_sem_wait(self->r[1], 9, 1, WAIT_NS));
	pthread_join(thread, &failed);
	EXPECT_EQ(NULL, failed);
	EXPECT_STREQ("the queue has stopped: the ring had room for 1024 descriptors, the doorbell added 16777215",
		     ocf_error());
	EXPECT_EQ(0, ocf_queue_restart(self->r[1]));
}

static void on_signal(int number)
{
	(void)number;
}

static void *signal_when_asleep(void *arg)
{
	struct pair *p = arg;

	if (!WAIT_FOR(is_armed(p->sleeper), patience(5000)))
		return (void *)1;
	/* It may be awake for a look just now: again until it is gone. */
	WAIT_FOR((pthread_kill(p->main, SIGUSR1), !is_armed(p->sleeper)), patience(5000));
	return NULL;
}

TEST_F(library, a_wait_for_a_semaphore_ends_with_a_signal)
{
	struct pair p = { .sleeper = self->r[1], .main = pthread_self() };
	struct sigaction action = { .sa_handler = on_signal };
	pthread_t thread;
	void *failed;

	sigaction(SIGUSR1, &action, NULL);
	ASSERT_EQ(0, pthread_create(&thread, NULL, signal_when_asleep, &p));
	EXPECT_EQ(-EINTR, ocf_sem_wait(self->r[1], 9, 1, WAIT_NS));
	pthread_join(thread, &failed);
	EXPECT_EQ(NULL, failed);
}

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
	(void)number;
	signals++;
}

TEST_F(library, signals_are_not_the_end_of_the_card)
{
	/* not so often that a slow machine does nothing else */
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = {};
	struct sigaction action = { .sa_handler = count_signal };
	bool alive = true;

	sigaction(SIGALRM, &action, NULL);
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &often, NULL));
	EXPECT_TRUE(WAIT_FOR(!(alive = ocf_alive(self->r[0])) || signals > 300,
			     patience(20000)));
	setitimer(ITIMER_REAL, &never, NULL);
	EXPECT_TRUE(alive);
}

/* ---- the queue ---------------------------------------------------------- */

TEST_F(library, moderation)
{
	struct ocfabric_queue_get q;

	EXPECT_EQ(0, ocf_moderation(self->r[0], 7, 5000, OCFABRIC_MODE_COUNT));
	ASSERT_EQ(0, ocf_queue_status(self->r[0], &q));
	EXPECT_EQ(7, q.out_burst);
	EXPECT_EQ(5000, q.out_timer);
	EXPECT_EQ(OCFABRIC_MODE_COUNT, q.out_mode);
	EXPECT_EQ(-EINVAL, ocf_moderation(self->r[0], 0, 0, OCFABRIC_MODE_COUNT));
	EXPECT_STREQ("no such moderation: burst 0 (1 to 65535), timer 0 ns (up to 10000000), mode 1 (0 or 1)",
		     ocf_error());
}

TEST_F(library, one_doorbell_for_two)
{
	ASSERT_EQ(0, ocf_post_nop(self->r[0], 0));
	ASSERT_EQ(0, ocf_post_nop(self->r[1], 0));
	ASSERT_EQ(0, ocf_broadcast(self->r, 2, 0, 1));
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(0, ocf_wait(self->r[i], WAIT_NS));
		EXPECT_EQ(1, ocf_poll(self->r[i], &self->c, 1));
		ocf_ring(self->r[i]);
		EXPECT_FALSE(ocf_ready(self->r[i]));
		ASSERT_EQ(0, ocf_post_recv(self->r[i], 2));
	}
	ASSERT_EQ(0, ocf_broadcast(self->r, 2, OCF_BROADCAST_RECEIVE, 2));
	ASSERT_EQ(1, ocf_post_inline_imm(self->r[0], ocf_qpn_to(self->r[0], 1), 0, 4,
					 "abc", 1, 0));
	EXPECT_EQ(0, finish(self->r[0], 1));
	EXPECT_EQ(-EINVAL, ocf_broadcast(self->r, 2, 0, 1));
}

/* Everything that can complete does, and nothing overflows, at the smallest size. */
TEST_F(library, full_rings)
{
	const struct ocf_attach_options small = { .tx_entries = 16, .cq_entries = 16,
						  .rx_entries = 16, .clear = true };
	struct ocf_replica *r, *peer;
	struct ocfabric_queue_get q;
	uint32_t sent = 0, i;

	for (i = 0; i < 2; i++) {
		ocf_detach(self->r[i]);
		self->r[i] = ocf_attach(self->dev, i, &small);
		ASSERT_NE(NULL, self->r[i]);
	}
	r = self->r[0];
	peer = self->r[1];
	EXPECT_EQ(15, ocf_recv_room(peer));
	for (i = 0; i < 500; i++) {
		if (ocf_post_recv(peer, 1 + i % 15) >= 0)
			ocf_ring_recv(peer);
		while (ocf_post_inline_imm(r, ocf_qpn_to(r, 1), 0, 4, "abc", i,
					   OCF_UNSIGNALED) >= 0)
			sent++;
		ocf_ring(r);
		while (ocf_post_nop(peer, OCF_UNSIGNALED) >= 0)
			;
		ocf_ring(peer);
		ASSERT_EQ(0, ocf_wait(r, WAIT_NS));
		while (ocf_poll(r, &self->c, 1))
			;
		while (ocf_poll(peer, &self->c, 1))
			;
	}
	EXPECT_GT(sent, 500);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, ocf_queue_status(self->r[i], &q));
		EXPECT_EQ(OCFABRIC_QUEUE_ENABLED, q.out_state);
	}
}

/* ---- transfers ---------------------------------------------------------- */

static int gen(fixture *self, struct ocf_transfer *tx, struct ocf_transfer *rx)
{
	static const struct ocf_piece piece = { .raddr = 128, .len = 64, .addr = 0,
						.key = OCFABRIC_KEY_REGION, .imm = 3,
						.flags = OCF_PIECE_IMM };
	const struct ocf_plan send = {
		.role = OCF_ROLE_TX, .qpn = ocf_qpn_to(self->r[0], 1),
		.pieces = &piece, .count = 1, .local = { 1, 1 }, .remote = { 2, 1 },
	};
	const struct ocf_plan receive = {
		.role = OCF_ROLE_RX, .qpn = ocf_qpn_to(self->r[1], 0),
		.count = 1, .remote = { 0, 1 },
	};
	int error = ocf_desc_gen(self->r[0], &send, tx);

	return error < 0 ? error : ocf_desc_gen(self->r[1], &receive, rx);
}

TEST_F(library, transfer)
{
	struct ocf_start start = { .wait = true, .sem = 0, .target = 1,
				   .timeout_ns = 1000000 };
	struct ocf_transfer tx, rx;
	char text[64] = "prepared early", back[64] = "";

	ASSERT_EQ(0, ocf_region_write(self->r[0], 0, text, 64));
	ASSERT_EQ(2, gen(self, &tx, &rx));
	EXPECT_EQ(-ETIMEDOUT, ocf_desc_start(self->r[0], &tx, OCF_ROLE_TX, &start));
	start.timeout_ns = WAIT_NS;
	ASSERT_EQ(0, ocf_desc_start(self->r[1], &rx, OCF_ROLE_RX, NULL));
	ASSERT_EQ(0, ocf_desc_start(self->r[0], &tx, OCF_ROLE_TX, &start));
	EXPECT_EQ(0, ocf_sem_wait(self->r[0], 1, 1, WAIT_NS));
	EXPECT_EQ(0, ocf_sem_wait(self->r[1], 2, 1, WAIT_NS));
	ASSERT_EQ(0, ocf_region_read(self->r[1], 128, back, 64));
	EXPECT_STREQ(text, back);
	EXPECT_EQ(0, finish(self->r[0], 1));
	EXPECT_EQ(0, finish(self->r[1], 2));
}

TEST_F(library, transfers_end_with_a_restart)
{
	struct ocf_transfer tx, rx;

	ASSERT_EQ(2, gen(self, &tx, &rx));
	EXPECT_EQ(-EBUSY, ocf_post_nop(self->r[0], 0));
	ASSERT_EQ(0, ocf_queue_restart(self->r[0]));
	EXPECT_EQ(-EINVAL, ocf_desc_start(self->r[0], &tx, OCF_ROLE_TX, NULL));
	EXPECT_EQ(-EINVAL, ocf_desc_cancel(self->r[0], &tx));
	EXPECT_EQ(0, ocf_post_nop(self->r[0], 0));
	EXPECT_EQ(0, finish(self->r[0], 1));
	EXPECT_EQ(0, ocf_desc_cancel(self->r[1], &rx));
}

/* ---- channels ----------------------------------------------------------- */

static void *agree_with_0(void *arg)
{
	return (void *)(long)ocf_channels_agree(arg, 0, WAIT_NS);
}

static int agree(struct ocf_channels *a, struct ocf_channels *b)
{
	pthread_t thread;
	void *error;
	int own;

	if (pthread_create(&thread, NULL, agree_with_0, b))
		return -EAGAIN;
	own = ocf_channels_agree(a, 1, WAIT_NS);
	pthread_join(thread, &error);
	return own ? own : (int)(long)error;
}

TEST_F(library, channels)
{
	const struct ocf_channel_spec spec[] = {
		{ .name = "small", .slots = 8, .size = 16 },
		{ .name = "large", .slots = 4, .size = 1000, .align = 64 },
	};
	struct ocf_channels *c[2];
	struct ocf_layout l;
	char text[1000], back[1000];

	ASSERT_EQ(0, ocf_layout_plan(&l, N, 0, spec, 2));
	for (int i = 0; i < 2; i++) {
		c[i] = ocf_channels_open(self->r[i], &l);
		ASSERT_NE(NULL, c[i]);
	}
	ASSERT_EQ(0, agree(c[0], c[1]));
	for (int i = 0; i < 200; i++) {
		unsigned int channel = i & 1;
		int len = channel ? 1 + i * 37 % 1000 : 1 + i % 16;

		memset(text, i, sizeof(text));
		ASSERT_EQ(0, ocf_channel_send(c[0], 1, channel, text, len));
		ocf_ring(self->r[0]);
		ASSERT_TRUE(WAIT_FOR(ocf_channel_recv(c[1], 0, channel, back, sizeof(back)) == len,
				     patience(2000)));
		ASSERT_EQ(0, memcmp(text, back, len));
		while (ocf_poll(self->r[0], &self->c, 1))
			ASSERT_EQ(0, self->c.status);
		while (ocf_poll(self->r[1], &self->c, 1))
			ASSERT_EQ(0, self->c.status);
	}
	ocf_channels_close(c[0]);
	ocf_channels_close(c[1]);
	ASSERT_EQ(0, ocf_layout_plan(&l, N, REGION - 4096, spec, 2));
	EXPECT_EQ(NULL, ocf_channels_open(self->r[0], &l));
	EXPECT_EQ(ERANGE, errno);
}

/* ---- inherited handles -------------------------------------------------- */

/* A handle that is not known to the library yet, with this number. */
static int lone_handle(fixture *self, unsigned int i, int fd)
{
	int handle;

	ocf_detach(self->r[i]);
	self->r[i] = NULL;
	handle = attach_fd(self->node, i, (struct attach){});
	if (handle >= 0 && handle != fd) {
		dup2(handle, fd);
		close(handle);
	}
	return handle < 0 ? handle : fd;
}

static void set_number(const char *name, long n)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", n);
	setenv(name, text, 1);
}

#define HANDLE	50

TEST_F(library, inherited_by_number)
{
	struct ocf_replica *again;
	struct ocf_device *dev;

	ASSERT_EQ(HANDLE, lone_handle(self, 2, HANDLE));
	set_number("OCF_FD", HANDLE);
	set_number("OCF_SIZE", 2);
	dev = ocf_open(NULL);
	ASSERT_NE(NULL, dev);
	EXPECT_STREQ(ocf_device_name(self->dev), ocf_device_name(dev));
	EXPECT_EQ(FD_CLOEXEC, fcntl(HANDLE, F_GETFD));
	EXPECT_EQ(NULL, ocf_attach(dev, 1, NULL));
	EXPECT_EQ(ENOENT, errno);
	EXPECT_STREQ("the inherited handle is replica 2, not 1", ocf_error());
	self->r[2] = ocf_attach(dev, OCF_REPLICA_ANY, NULL);
	ASSERT_NE(NULL, self->r[2]);
	EXPECT_EQ(2, ocf_replica_id(self->r[2]));
	EXPECT_EQ(2, ocf_replica_size(self->r[2]));
	again = ocf_attach(dev, 2, NULL);
	EXPECT_EQ(NULL, again);
	EXPECT_EQ(EBUSY, errno);
	ocf_close(dev);
	ASSERT_EQ(0, ocf_post_nop(self->r[2], 0));
	EXPECT_EQ(0, finish(self->r[2], 1));
	ocf_detach(self->r[2]);

	/* it is found again, and starts on the first lap */
	dev = ocf_open(NULL);
	ASSERT_NE(NULL, dev);
	self->r[2] = ocf_attach(dev, 2, NULL);
	ASSERT_NE(NULL, self->r[2]);
	ocf_close(dev);
	ASSERT_EQ(0, ocf_post_nop(self->r[2], 0));
	EXPECT_EQ(0, finish(self->r[2], 1));
	unsetenv("OCF_SIZE");
	EXPECT_EQ(N, ocf_replica_size(self->r[2]));
}

TEST_F(library, inherited_by_name)
{
	struct ocf_device *dev;
	int three = dup(3), four = dup(4);

	ASSERT_EQ(4, lone_handle(self, 1, 4));
	set_number("LISTEN_PID", getpid());
	set_number("LISTEN_FDS", 2);
	setenv("LISTEN_FDNAMES", "other:ocfabric", 1);
	setenv("OCF_FD", "nonsense", 1);
	dev = ocf_open(NULL);
	ASSERT_NE(NULL, dev);
	self->r[1] = ocf_attach(dev, OCF_REPLICA_ANY, NULL);
	ASSERT_NE(NULL, self->r[1]);
	EXPECT_EQ(1, ocf_replica_id(self->r[1]));
	ocf_close(dev);

	/* meant for another process: OCF_FD decides */
	set_number("LISTEN_PID", getpid() + 1);
	EXPECT_EQ(NULL, ocf_open(NULL));
	EXPECT_EQ(EBADF, errno);
	EXPECT_STREQ("OCF_FD is \"nonsense\", which is no descriptor", ocf_error());
	/* or not among those that are counted */
	set_number("LISTEN_PID", getpid());
	set_number("LISTEN_FDS", 1);
	EXPECT_EQ(NULL, ocf_open(NULL));
	EXPECT_EQ(EBADF, errno);
	dup2(three, 3);
	dup2(four, 4);
}

TEST_F(library, inherited_nonsense)
{
	int fd = open("/dev/null", O_RDWR);

	set_number("OCF_FD", fd);
	EXPECT_EQ(NULL, ocf_open(NULL));
	EXPECT_EQ(EBADF, errno);
	close(fd);
	EXPECT_EQ(NULL, ocf_open(NULL));
	EXPECT_EQ(EBADF, errno);
	setenv("OCF_FD", "", 1);
	self->r[0] = (ocf_detach(self->r[0]), NULL);
	if (getenv("OCF_GUEST")) {
		struct ocf_device *dev = ocf_open(node_path());

		ASSERT_NE(NULL, dev);
		self->r[0] = ocf_attach(dev, OCF_REPLICA_ANY, NULL);
		ASSERT_NE(NULL, self->r[0]);
		EXPECT_EQ(0, ocf_replica_id(self->r[0]));
		EXPECT_EQ(NULL, ocf_attach(dev, OCF_REPLICA_ANY, NULL));
		EXPECT_EQ(EBUSY, errno);
		ocf_close(dev);
	}
}

TEST_HARNESS_MAIN
