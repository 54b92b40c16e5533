// SPDX-License-Identifier: GPL-2.0-only
/*
 * A replica that dies, whatever it is doing, and one that is stopped or interrupted
 *
 * What was its is given back, what it had in flight happened whole or not at all, the
 * next one can be it; and two others, who write to each other all the while, notice
 * nothing.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "util.h"

#define N	3
#define REGION	0x10000u
#define BLOCK	PAGE		/* of the dying one's writes: all bytes of one are alike */
#define AT	0x8000u		/* where in replica 1's region */
#define SOME_CYCLES	12500000u	/* 50 ms */

#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif

struct scene {
	int node;
	int sv[2];
	long pinned;
	struct replica r[N];	/* 1 and 2, who go on */
	uint32_t round;
};

static int scene_start(struct scene *s)
{
	*s = (struct scene){ .pinned = pinned_pages(), .node = node_open(O_RDWR) };
	for (unsigned int i = 0; i < N; i++)
		s->r[i].fd = -1;
	if (s->node < 0 || fabric_setup(s->node, N, REGION) || socket_pair(s->sv))
		return -1;
	for (unsigned int i = 1; i < N; i++)
		if (replica_open(&s->r[i], s->node, i, (struct attach){ .tx_entries = 64 }))
			return -2;
	return 0;
}

static void scene_end(struct scene *s)
{
	for (unsigned int i = 0; i < N; i++)
		replica_close(&s->r[i]);
	close(s->node);
	close(s->sv[0]);
	close(s->sv[1]);
}

/* ---- the others --------------------------------------------------------- */

/* Each writes to the other, who has it when it is done, and nothing else of it. */
static int traffic(struct scene *s)
{
	uint64_t value[4];

	s->round++;
	for (unsigned int i = 1; i < N; i++) {
		const unsigned int to = N - i;
		uint32_t at = s->round % 64 * sizeof(value);
		struct ocfabric_desc d;

		for (unsigned int k = 0; k < ARRAY_LEN(value); k++)
			value[k] = (uint64_t)s->round << 32 | i << 8 | k;
		d = inline_desc(qpn_of(N, i, to), at, value, sizeof(value));
		if (replica_do(&s->r[i], &d, NULL) != OCFABRIC_VERDICT_COMMITTED)
			return -(int)i;
		if (memcmp(s->r[to].region + at, value, sizeof(value)))
			return -10 - (int)i;
	}
	return 0;
}

/* What all of that has left, in both of them */
static bool others_are_whole(const struct scene *s)
{
	uint32_t last = s->round, first = last > 63 ? last - 63 : 1;

	for (uint32_t round = first; round <= last; round++) {
		for (unsigned int to = 1; to < N; to++) {
			const uint64_t *at = (void *)(s->r[to].region + round % 64 * 32);

			if (*at != ((uint64_t)round << 32 | (N - to) << 8))
				return false;
		}
	}
	return true;
}

static bool can_attach(struct scene *s)
{
	int fd = attach_fd(s->node, 0, (struct attach){});

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static bool queue_is(const char *word)
{
	char path[80], text[32];

	snprintf(path, sizeof(path), "/sys/class/misc/ocfabric%u/queue0/state", node_number());
	return !read_line(path, text, sizeof(text)) && !strcmp(text, word);
}

/* A write that was cut off is counted; otherwise the last one is there whole. */
static bool block_is_whole(struct scene *s)
{
	const uint8_t *block = s->r[1].region + AT;
	struct counters c;

	if (counters_read(s->node, &c) || !counters_conserved(&c))
		return false;
	if (c.link[0][OCFABRIC_COUNTER_DMA_ERROR])
		return true;
	for (unsigned int i = 1; i < BLOCK; i++)
		if (block[i] != block[0])
			return false;
	return true;
}

/* The one write of somebody who died with it in flight. */
static bool finished_or_failed(struct scene *s, bool must_fail)
{
	const uint8_t *block = s->r[1].region + AT;
	struct counters c;

	if (counters_read(s->node, &c))
		return false;
	if (must_fail)
		return c.link[0][OCFABRIC_COUNTER_DMA_ERROR] == 1 && !block[0] && !block[BLOCK - 1];
	return c.link[0][OCFABRIC_COUNTER_DMA_ERROR] || block[0] == 0x77;
}

#define GONE() do {							\
	EXPECT_TRUE(WAIT_FOR(queue_is("disabled"), patience(2000)));	\
	EXPECT_TRUE(WAIT_FOR(s->pinned == pinned_pages(), patience(1000))); \
	EXPECT_TRUE(block_is_whole(s));				\
	EXPECT_EQ(0, traffic(s));					\
	EXPECT_TRUE(others_are_whole(s));				\
	EXPECT_TRUE(WAIT_FOR(can_attach(s), patience(1000)));	\
} while (0)

/* ---- what it is doing --------------------------------------------------- */

struct life {
	int socket;
	struct replica r;
	uint32_t key;
	uint8_t *from;
};

static int be_born(struct life *l, unsigned int entries)
{
	int node = node_open(O_RDWR);

	l->from = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(l->from, 0x77, 4 * PAGE);
	return node < 0 ||
	       replica_open(&l->r, node, 0, (struct attach){ .tx_entries = entries }) ||
	       key_add(l->r.fd, l->from, 4 * PAGE, &l->key);
}

static struct ocfabric_desc block(const struct life *l)
{
	return write_desc(qpn_of(N, 0, 1), AT, BLOCK, l->key, 0);
}

static int posts(struct life *l)
{
	struct ocfabric_desc d = block(l);

	for (uint32_t round = 0;; round++) {
		memset(l->from, round, BLOCK);
		if (replica_do(&l->r, &d, NULL) < 0)
			return 1;
		if (!round && say(l->socket))
			return 2;
	}
}

/* Its ring is never empty. */
static int posts_deep(struct life *l)
{
	struct ocfabric_desc d = block(l);
	struct ocfabric_cqe e;

	for (unsigned int i = 0; i < 12; i++)
		replica_post(&l->r, &d);
	replica_ring(&l->r);
	if (say(l->socket))
		return 1;
	for (;;) {
		if (!replica_poll(&l->r, &e))
			continue;
		replica_post(&l->r, &d);
		replica_ring(&l->r);
	}
}

static int one_in_flight(struct life *l)
{
	replica_post(&l->r, ARG_DESC(block(l)));
	replica_ring(&l->r);
	if (say(l->socket))
		return 1;
	pause();
	return 2;
}

static int waits_at_head(struct life *l)
{
	struct ocfabric_queue_get q;

	replica_post(&l->r, ARG_DESC(wait_desc(3, 1)));
	replica_post(&l->r, ARG_DESC(block(l)));
	replica_ring(&l->r);
	if (!WAIT_FOR(queue_get(&l->r, &q) || q.out_waiting, patience(1000)) || say(l->socket))
		return 1;
	pause();
	return 2;
}

static int polls(struct life *l)
{
	struct pollfd p = { .fd = l->r.fd, .events = POLLIN };

	if (say(l->socket))
		return 1;
	poll(&p, 1, -1);
	return 2;
}

static int polls_semaphore(struct life *l)
{
	l->r.owner->sem_target = 1;
	__atomic_store_n(&l->r.owner->sem_arm, OCFABRIC_SEM_ARMED | 2, __ATOMIC_SEQ_CST);
	return polls(l);
}

static int touches(struct life *l)
{
	uint32_t key, round = 0;
	void *map;

	if (buffer_add(l->r.fd, 16 * PAGE, &key, &map) || say(l->socket))
		return 1;
	for (;; round++) {
		memset(map, round, 16 * PAGE);
		memset(l->r.region, round, REGION);
	}
}

static int makes_keys(struct life *l)
{
	static uint8_t big[64 * PAGE];
	uint32_t key;
	void *map;

	if (say(l->socket))
		return 1;
	for (;;) {
		if (key_add(l->r.fd, big, sizeof(big), &key) || key_del(l->r.fd, key) ||
		    buffer_add(l->r.fd, 8 * PAGE, &key, &map) || key_del(l->r.fd, key) ||
		    munmap(map, 8 * PAGE))
			return 2;
	}
}

static int broadcasts(struct life *l)
{
	if (say(l->socket))
		return 1;
	for (;;)
		if (broadcast(l->r.fd, 0, &l->r.fd, 1, 0, NULL))
			return 2;
}

static int resets(struct life *l)
{
	struct ocfabric_desc d = block(l);

	if (say(l->socket))
		return 1;
	for (;;) {
		for (unsigned int i = 0; i < 8; i++)
			replica_post(&l->r, &d);
		replica_ring(&l->r);
		if (replica_reset(&l->r))
			return 2;
	}
}

static int attaches(struct life *l)
{
	int node = node_open(O_RDWR), fd;

	replica_close(&l->r);
	if (say(l->socket))
		return 1;
	for (;;) {
		fd = attach_fd(node, 0, (struct attach){ .tx_entries = 4096 });
		if (fd < 0)
			return 2;
		close(fd);
	}
}

/* All that can be done at once by one process, so that one is in the middle of it. */
static void *keys_thread(void *arg)
{
	makes_keys(arg);
	return NULL;
}

static void *broadcast_thread(void *arg)
{
	broadcasts(arg);
	return NULL;
}

static void *poll_thread(void *arg)
{
	polls_semaphore(arg);
	return NULL;
}

static int does_everything(struct life *l)
{
	void *(*const threads[])(void *) = { keys_thread, broadcast_thread, poll_thread };
	pthread_t thread;

	for (unsigned int i = 0; i < ARRAY_LEN(threads); i++)
		if (pthread_create(&thread, NULL, threads[i], l))
			return 1;
	return posts(l);
}

static volatile uint32_t *shared_word(void)
{
	return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

struct living {
	int socket;
	int (*live)(struct life *l);
	volatile uint32_t *key;	/* or NULL: shared, to be told what it is */
};

static int lives(void *arg)
{
	const struct living *how = arg;
	struct life l = { .socket = how->socket };

	if (be_born(&l, 16))
		return 99;
	if (how->key)
		*how->key = l.key;
	return how->live(&l);
}

FIXTURE(death) {
	struct scene s;
};

FIXTURE_SETUP(death)
{
	ASSERT_EQ(0, scene_start(&self->s));
}

FIXTURE_TEARDOWN(death)
{
	scene_end(&self->s);
}

FIXTURE_VARIANT(death) {
	int (*live)(struct life *l);
	uint32_t latency;
	unsigned int voices;	/* that say when they are at it; 0: one */
	unsigned int rounds;	/* 0: one */
};

#define DIES(name, live_, ...)						\
	FIXTURE_VARIANT_ADD(death, name) { .live = live_, ##__VA_ARGS__ }

DIES(posting, posts);
DIES(posting_deep, posts_deep);
DIES(in_flight, one_in_flight, .latency = SOME_CYCLES);
DIES(in_flight_for_ever, one_in_flight, .latency = UINT32_MAX);
DIES(behind_a_wait, waits_at_head);
DIES(in_poll, polls);
DIES(in_poll_for_a_semaphore, polls_semaphore);
DIES(touching, touches);
DIES(making_keys, makes_keys);
DIES(in_broadcast, broadcasts);
DIES(in_queue_reset, resets, .rounds = 2);
DIES(attaching, attaches, .rounds = 2);
DIES(doing_everything, does_everything, .voices = 4, .rounds = 4);

static unsigned int rounds_of(const FIXTURE_VARIANT(death) *variant)
{
	const char *wanted = getenv("OCF_DEATHS");

	if (wanted)
		return atoi(wanted);
	return variant->rounds ? variant->rounds : 1;
}

/* Killed after some of the others' writes, other ones in each round. */
TEST_F(death, by_a_signal)
{
	struct scene *s = &self->s;
	struct living how = { .socket = s->sv[1], .live = variant->live };
	uint64_t random = 11;

	ASSERT_EQ(0, CHANGE(s->node, step(OCFABRIC_CHANGE_LATENCY, variant->latency)));
	for (unsigned int round = 0; round < rounds_of(variant); round++) {
		pid_t pid = child_start(lives, &how);

		ASSERT_EQ(0, hear(s->sv[0], 5000));
		for (unsigned int i = 1; i < variant->voices; i++) {
			ASSERT_EQ(0, hear(s->sv[0], 5000));
		}
		for (unsigned int n = next_random(&random) % 16; n && !variant->latency; n--) {
			ASSERT_EQ(0, traffic(s));
		}
		EXPECT_EQ(128 + SIGKILL, child_kill(pid));
		if (variant->latency)
			ASSERT_EQ(0, CHANGE(s->node, step(OCFABRIC_CHANGE_LATENCY, 0)));
		GONE();
	}
	if (variant->live == one_in_flight)
		EXPECT_TRUE(finished_or_failed(s, variant->latency == UINT32_MAX));
}

/* ---- what outlives it --------------------------------------------------- */

FIXTURE(after) {
	struct scene s;
};

FIXTURE_SETUP(after)
{
	ASSERT_EQ(0, scene_start(&self->s));
}

FIXTURE_TEARDOWN(after)
{
	scene_end(&self->s);
}

/* It sends its handle away and waits for its end. */
static int gives_its_handle(struct life *l)
{
	if (send_fd(l->socket, l->r.fd))
		return 1;
	pause();
	return 2;
}

/* A byte is there, and with it the handle; nobody has taken either. */
static bool is_sent(int socket)
{
	struct pollfd p = { .fd = socket, .events = POLLIN };

	return poll(&p, 1, patience(5000)) == 1;
}

/* Whoever has it goes on with it, and with the memory of who is dead. */
TEST_F(after, handle_in_a_socket_lives_on)
{
	struct scene *s = &self->s;
	struct living how = { .socket = s->sv[1], .live = gives_its_handle,
			      .key = shared_word() };
	pid_t pid = child_start(lives, &how);
	int fd;

	ASSERT_TRUE(is_sent(s->sv[0]));
	EXPECT_EQ(128 + SIGKILL, child_kill(pid));
	EXPECT_EQ(-EBUSY, attach_fd(s->node, 0, (struct attach){}));
	EXPECT_EQ(0, traffic(s));
	fd = receive_fd(s->sv[0]);
	ASSERT_EQ(0, replica_map(&s->r[0], fd));
	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  replica_do(&s->r[0], ARG_DESC(write_desc(qpn_of(N, 0, 1), AT, BLOCK, *how.key,
							   0)), NULL));
	for (unsigned int i = 0; i < BLOCK; i++) {
		ASSERT_EQ(0x77, s->r[1].region[AT + i]);
	}
	replica_close(&s->r[0]);
	GONE();
}

TEST_F(after, handle_in_a_socket_dies_with_it)
{
	struct scene *s = &self->s;
	struct living how = { .socket = s->sv[1], .live = gives_its_handle };
	pid_t pid = child_start(lives, &how);

	ASSERT_TRUE(is_sent(s->sv[0]));
	EXPECT_EQ(128 + SIGKILL, child_kill(pid));
	EXPECT_EQ(-EBUSY, attach_fd(s->node, 0, (struct attach){}));
	close(s->sv[0]);
	close(s->sv[1]);
	GONE();
	ASSERT_EQ(0, socket_pair(s->sv));
}

/* Its own child, which is to outlive it; ends when it is spoken to. */
static int has_a_child(struct life *l)
{
	pid_t pid = fork();

	if (!pid) {
		say(l->socket);
		_exit(hear(l->socket, 20000) ? 1 : 0);
	}
	pause();
	return 1;
}

TEST_F(after, forked_child_keeps_the_handle)
{
	struct scene *s = &self->s;
	struct living how = { .socket = s->sv[1], .live = has_a_child };
	pid_t pid = child_start(lives, &how);

	ASSERT_EQ(0, hear(s->sv[0], 5000));
	EXPECT_EQ(128 + SIGKILL, child_kill(pid));
	EXPECT_EQ(-EBUSY, attach_fd(s->node, 0, (struct attach){}));
	EXPECT_EQ(0, traffic(s));
	EXPECT_TRUE(queue_is("enabled"));
	ASSERT_EQ(0, say(s->sv[0]));
	GONE();
}

/* The child has no descriptor of it, but a ring that was mapped for it, too. */
static int child_has_a_mapping(struct life *l)
{
	pid_t pid;

	if (madvise(l->r.tx, l->r.get.out_map_tx.length, MADV_DOFORK))
		return 1;
	pid = fork();
	if (!pid) {
		close(l->r.fd);
		if (touch_read(l->r.tx) || touch_read(l->r.region) != SIGSEGV)
			_exit(2);
		say(l->socket);
		_exit(hear(l->socket, 20000) || touch_write(l->r.tx) ? 1 : 0);
	}
	pause();
	return 1;
}

TEST_F(after, forked_child_keeps_a_mapping)
{
	struct scene *s = &self->s;
	struct living how = { .socket = s->sv[1], .live = child_has_a_mapping };
	pid_t pid = child_start(lives, &how);

	ASSERT_EQ(0, hear(s->sv[0], 5000));
	EXPECT_EQ(128 + SIGKILL, child_kill(pid));
	EXPECT_EQ(-EBUSY, attach_fd(s->node, 0, (struct attach){}));
	EXPECT_EQ(0, traffic(s));
	ASSERT_EQ(0, say(s->sv[0]));
	GONE();
}

/* Another program: cat, which waits for input that never comes. */
static int execs(struct life *l, bool keep)
{
	if (keep)
		fcntl(l->r.fd, F_SETFD, 0);
	dup2(l->socket, 0);
	execlp("cat", "cat", NULL);
	return 1;
}

static int execs_with_the_handle(struct life *l)
{
	return execs(l, true);
}

static int execs_without_the_handle(struct life *l)
{
	return execs(l, false);
}

static bool is_cat(pid_t pid)
{
	char name[64], comm[32];

	snprintf(name, sizeof(name), "/proc/%d/comm", pid);
	return !read_line(name, comm, sizeof(comm)) && !strcmp(comm, "cat");
}

/* Mappings go with the program in any case, the handle if it is close-on-exec. */
TEST_F(after, exec_keeps_what_is_not_close_on_exec)
{
	struct scene *s = &self->s;
	struct living how = { .socket = s->sv[1], .live = execs_without_the_handle };
	pid_t pid = child_start(lives, &how);

	ASSERT_TRUE(WAIT_FOR(is_cat(pid), patience(5000)));
	GONE();
	EXPECT_EQ(128 + SIGKILL, child_kill(pid));

	how.live = execs_with_the_handle;
	pid = child_start(lives, &how);
	ASSERT_TRUE(WAIT_FOR(is_cat(pid), patience(5000)));
	EXPECT_EQ(-EBUSY, attach_fd(s->node, 0, (struct attach){}));
	EXPECT_EQ(0, traffic(s));
	EXPECT_EQ(128 + SIGKILL, child_kill(pid));
	GONE();
}

/*
 * What the OOM killer does to a process: kills it, and takes its memory at once,
 * before it has come to its own end. The write that is in flight has its bytes still.
 */
TEST_F(after, memory_is_reaped_under_a_write)
{
	struct scene *s = &self->s;
	struct living how = { .socket = s->sv[1], .live = one_in_flight };

	for (unsigned int round = 0; round < 3; round++) {
		pid_t pid;
		int pidfd;

		ASSERT_EQ(0, CHANGE(s->node, step(OCFABRIC_CHANGE_LATENCY, SOME_CYCLES)));
		pid = child_start(lives, &how);
		ASSERT_EQ(0, hear(s->sv[0], 5000));
		pidfd = syscall(SYS_pidfd_open, pid, 0);
		ASSERT_LE(0, pidfd);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		/* it may be past its end by now */
		if (syscall(SYS_process_mrelease, pidfd, 0))
			EXPECT_TRUE(errno == ESRCH || errno == EINVAL || errno == EAGAIN);
		close(pidfd);
		EXPECT_EQ(128 + SIGKILL, child_end(pid, 5000));
		ASSERT_EQ(0, CHANGE(s->node, step(OCFABRIC_CHANGE_LATENCY, 0)));
		GONE();
		EXPECT_TRUE(finished_or_failed(s, false));
	}
}

/* ---- stopped, interrupted ----------------------------------------------- */

struct counting {
	struct life l;
	volatile uint32_t *done;
};

/* Each write follows the last, and says which it is; until it is told to end. */
static int counts(void *arg)
{
	struct counting *c = arg;
	struct pollfd p = { .events = POLLIN };
	struct ocfabric_cqe e;

	if (be_born(&c->l, 16) || say(c->l.socket))
		return 1;
	p.fd = c->l.r.fd;
	while (*c->done != UINT32_MAX) {
		uint32_t value = *c->done + 1;

		__atomic_store_n(&c->l.r.owner->arm, c->l.r.taken, __ATOMIC_SEQ_CST);
		replica_post(&c->l.r, ARG_DESC(inline_desc(qpn_of(N, 0, 1), AT + BLOCK, &value, 4)));
		replica_ring(&c->l.r);
		while (poll(&p, 1, patience(1000)) < 0)
			if (errno != EINTR)
				return 2;
		if (!replica_poll(&c->l.r, &e) || e.status != OCFABRIC_VERDICT_COMMITTED)
			return 3;
		if (!__sync_bool_compare_and_swap(c->done, value - 1, value))
			return *c->done == UINT32_MAX ? 0 : 4;
	}
	return 0;
}

/* While it stands still others do not, and it goes on where it was. */
TEST_F(after, stopped_and_continued)
{
	struct scene *s = &self->s;
	struct counting c = { .l.socket = s->sv[1], .done = shared_word() };
	pid_t pid = child_start(counts, &c);

	ASSERT_EQ(0, hear(s->sv[0], 5000));
	for (unsigned int round = 0; round < 20; round++) {
		uint32_t before = *c.done;

		ASSERT_EQ(0, kill(pid, SIGSTOP));
		for (unsigned int i = 0; i < 5; i++) {
			ASSERT_EQ(0, traffic(s));
		}
		EXPECT_EQ(-EBUSY, attach_fd(s->node, 0, (struct attach){}));
		ASSERT_EQ(0, kill(pid, SIGCONT));
		ASSERT_TRUE(WAIT_FOR(*c.done > before + 1, patience(2000)));
	}
	*c.done = UINT32_MAX;
	EXPECT_EQ(0, child_end(pid, 5000));
	GONE();
}

static void on_alarm(int signal)
{
	(void)signal;
}

static bool fine(int ret)
{
	return !ret || ret == -EINTR;
}

/* Each call that a handle has, under a rain of signals; what is told is what is. */
static int all_calls(struct life *l, unsigned int rounds)
{
	static uint8_t big[32 * PAGE];
	struct pollfd p = { .fd = l->r.fd, .events = POLLIN };
	struct ocfabric_queue_get q;
	uint64_t word = 0;
	uint32_t key;
	void *map;

	for (unsigned int i = 0; i < rounds; i++) {
		int ret = key_add(l->r.fd, big, sizeof(big), &key);

		if (!fine(ret) || (!ret && key_del(l->r.fd, key)))
			return 10;
		ret = buffer_add(l->r.fd, 4 * PAGE, &key, &map);
		if (!fine(ret) || (!ret && (munmap(map, 4 * PAGE) || key_del(l->r.fd, key))))
			return 11;
		if (!fine(broadcast(l->r.fd, 0, &l->r.fd, 1, 0, NULL)) || queue_get(&l->r, &q))
			return 12;
		if (pread(l->r.fd, &word, 8, 0) != 8 || pwrite(l->r.fd, &word, 8, 0) != 8)
			return 13;
		if (poll(&p, 1, 1) < 0 && errno != EINTR)
			return 14;
		if (replica_reset(&l->r))
			return 15;
	}
	return 0;
}

/* No key of those above is left over: as many can be made as there are places. */
static int rained_on(struct life *l)
{
	const struct itimerval rain = { { 0, 1500 }, { 0, 1500 } }, none = {};
	const struct sigaction act = { .sa_handler = on_alarm };
	struct ocfabric_info info = NEW(ocfabric_info);
	uint32_t key;
	int ret;

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &rain, NULL);
	ret = all_calls(l, is_debug_kernel() ? 60 : 200);
	setitimer(ITIMER_REAL, &none, NULL);
	if (ret || call(l->r.fd, OCFABRIC_INFO, &info))
		return ret ? ret : 20;
	for (unsigned int i = 1; i < info.out_keys; i++)
		if (key_add(l->r.fd, l->from, PAGE, &key))
			return 21;
	if (key_add(l->r.fd, l->from, PAGE, &key) != -ENOSPC)
		return 22;
	return replica_do(&l->r, ARG_DESC(block(l)), NULL);
}

TEST_F(after, signals_lose_nothing)
{
	struct scene *s = &self->s;
	struct living how = { .socket = s->sv[1], .live = rained_on };

	EXPECT_EQ(0, child_end(child_start(lives, &how), 60000));
	GONE();
}

TEST_HARNESS_MAIN
