// SPDX-License-Identifier: GPL-2.0-only
/*
 * A replica that holds its handle and nothing else, of another user and without a
 * capability, tries all that it can name against each of the others, while these go
 * on. Of each of them all that there is must be what it made it: its region but for
 * the windows that lead there, semaphores, queue, counters, keys, private memory.
 * What it cannot read it does not get to see.
 *
 * OCF_ISOLATION=16 has more replicas than the four (on the debug kernel: three) that
 * there are otherwise.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "attack.h"
#include "child.h"
#include "util.h"

#define MEMBERS	16
#define BLOCK	512u		/* bytes of a victim's write */

/* One of those who are to notice nothing; what it expects to be the case. */
struct victim {
	struct replica r;
	uint64_t *own;		/* a page of private memory, behind a key */
	uint64_t *copy;
	uint32_t key;
	uint8_t *region;	/* as it has to be */
	uint32_t sem[OCFABRIC_SEMAPHORES];
	uint64_t writes;
	uint64_t bytes;
	uint32_t received;
};

FIXTURE(isolation) {
	int node;
	unsigned int n;
	struct victim *v;
	struct config *before, *after;
	int sv[MEMBERS][2];
	pid_t pid[MEMBERS];
};

typedef FIXTURE_DATA(isolation) fixture;

/* ---- the attacker ------------------------------------------------------- */

struct recruit {
	int socket;
	unsigned int me;
	unsigned int n;
};

static int attack_all(struct attacker *a, bool first)
{
	for (unsigned int i = 0; i < attacks_count; i++) {
		int ret;

		if (attacks[i].once && !first)
			continue;
		a->random = 1000003ull * a->me + 1009 * a->victim + i;
		ret = attacks[i].run(a);
		if (!ret)
			continue;
		printf("# replica %u attacks %u: %s: %d was not refused as it should be\n", a->me,
		       a->victim, attacks[i].name, ret);
		fflush(stdout);
		return 1;
	}
	return 0;
}

/* It keeps what it has been given, and nothing of its parent's. */
static void forget_all_but(int fd)
{
	close_range(3, fd - 1, 0);
	close_range(fd + 1, ~0u, 0);
}

/* Hears whom to attack, says what came of it; the end of the socket is its end. */
static int attacker(void *arg)
{
	const struct recruit *who = arg;
	struct attacker a = { .me = who->me, .n = who->n };
	bool first = true;
	uint8_t victim;
	int fd;

	forget_all_but(who->socket);
	if (become_other(false))
		return 1;
	fd = receive_fd(who->socket);
	if (fd < 0 || replica_map(&a.r, fd))
		return 2;
	while (read(who->socket, &victim, 1) == 1) {
		uint8_t failed;

		a.victim = victim;
		failed = attack_all(&a, first);
		first = false;
		if (write(who->socket, &failed, 1) != 1)
			return 3;
	}
	return 0;
}

/* ---- the fabric --------------------------------------------------------- */

static int configure(fixture *self)
{
	struct ocfabric_change s[MEMBERS * MEMBERS + MEMBERS + 8] = {
		step_reset(), step_replicas(self->n) };
	unsigned int count = 2;

	call(self->node, OCFABRIC_DRAIN, ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_RESUME));
	for (unsigned int i = 0; i < self->n; i++)
		s[count++] = step_region(i, i * ATTACK_REGION, ATTACK_REGION);
	s[count++] = step(OCFABRIC_CHANGE_CONNECTIONS_DEFAULT, 0);
	for (unsigned int i = 0; i < self->n; i++) {
		for (unsigned int j = 0; j < self->n; j++) {
			struct ocfabric_change w =
				step_window(OCFABRIC_CHANGE_WINDOW_ADD, i, j, attack_window(i),
					    ATTACK_WINDOW);

			w.sem_first = i * ATTACK_SEMS;
			w.sem_count = ATTACK_SEMS;
			if (i != j)
				s[count++] = w;
		}
	}
	s[count++] = step(OCFABRIC_CHANGE_COUNTERS_RESET, 0);
	s[count++] = step(OCFABRIC_CHANGE_HBM_CLEAR, 0);
	return change_steps(self->node, 0, s, count, NULL);
}

/* It fills what it has with its secret. */
static int settle(fixture *self, unsigned int i)
{
	struct victim *v = &self->v[i];

	if (replica_open(&v->r, self->node, i, (struct attach){ .tx_entries = 64 }))
		return -1;
	v->own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	v->copy = malloc(PAGE);
	v->region = malloc(ATTACK_REGION);
	for (unsigned int w = 0; w < PAGE / 8; w++)
		v->own[w] = v->copy[w] = attack_secret(i) ^ w;
	for (unsigned int w = 0; w < ATTACK_REGION / 8; w++)
		((uint64_t *)v->region)[w] = attack_secret(i);
	memcpy(v->r.region, v->region, ATTACK_REGION);
	/* an interrupt would be one that it did not ask for */
	v->r.owner->arm = 0x40000000;
	return key_add(v->r.fd, v->own, PAGE, &v->key);
}

FIXTURE_SETUP(isolation)
{
	const char *wanted = getenv("OCF_ISOLATION");
	struct ocfabric_info info = NEW(ocfabric_info);

	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, call(self->node, OCFABRIC_INFO, &info));
	self->n = wanted ? atoi(wanted) : is_debug_kernel() ? 3 : 4;
	ASSERT_LE(3, self->n);
	ASSERT_GE(info.out_replicas, self->n);
	self->v = calloc(self->n, sizeof(*self->v));
	self->before = calloc(1, sizeof(*self->before));
	self->after = calloc(1, sizeof(*self->after));
	for (unsigned int i = 0; i < self->n; i++) {
		self->v[i].r.fd = -1;
	}
	ASSERT_EQ(0, configure(self));
	/* before there are handles that they could inherit */
	for (unsigned int i = 0; i < self->n; i++) {
		struct recruit who = { .me = i, .n = self->n };

		ASSERT_EQ(0, socket_pair(self->sv[i]));
		who.socket = self->sv[i][1];
		self->pid[i] = child_start(attacker, &who);
		ASSERT_LT(0, self->pid[i]);
		close(self->sv[i][1]);
	}
}

FIXTURE_TEARDOWN(isolation)
{
	for (unsigned int i = 0; i < self->n; i++)
		replica_close(&self->v[i].r);
	close(self->node);
}

/* ---- the victims -------------------------------------------------------- */

/* A write of a victim's own, over its peer's window; both know what comes of it. */
static int send_one(fixture *self, unsigned int from, unsigned int to)
{
	struct victim *v = &self->v[from], *peer = &self->v[to];
	uint32_t at = attack_window(from) + v->writes % 6 * BLOCK;
	struct ocfabric_desc d = write_desc(qpn_of(self->n, from, to), at, BLOCK, v->key,
					    v->writes % 7 * BLOCK);
	struct ocfabric_cqe e;

	d.opcode = OCFABRIC_OP_WRITE_IMM;
	d.imm = v->writes;
	replica_arm(&peer->r, 1);
	if (replica_do(&v->r, &d, &e) != OCFABRIC_VERDICT_COMMITTED || e.bytes != BLOCK)
		return -1;
	v->writes++;
	v->bytes += BLOCK;
	memcpy(peer->region + at, v->copy + d.addr / 8, BLOCK / 8 * 8);
	if (!replica_wait(&peer->r, &e, patience(1000)))
		return -2;
	peer->received++;
	if (!(e.flags & OCFABRIC_CQE_RECEIVE) || e.source != from || e.imm != d.imm ||
	    memcmp(peer->r.region + at, peer->region + at, BLOCK))
		return -3;
	return replica_do(&v->r, ARG_DESC(sem_remote_desc(d.qpn, from * ATTACK_SEMS, 1)), NULL);
}

/* Each of them sends something to another; the next time to somebody else. */
static int traffic(fixture *self, unsigned int attacker_id, unsigned int round)
{
	for (unsigned int from = 0; from < self->n; from++) {
		unsigned int to = (from + 1 + round % (self->n - 1)) % self->n;
		int ret;

		if (from == attacker_id || to == attacker_id)
			continue;
		ret = send_one(self, from, to);
		if (ret)
			return ret;
		self->v[to].sem[from * ATTACK_SEMS]++;
	}
	return 0;
}

static bool region_is_untouched(const struct victim *v, unsigned int attacker_id)
{
	uint64_t first = attack_window(attacker_id);

	for (unsigned int at = 0; at < ATTACK_REGION; at++) {
		if (at == first)
			at += ATTACK_WINDOW;
		if (v->r.region[at] == v->region[at])
			continue;
		printf("# byte %#x of the region is %#x, not %#x\n", at, v->r.region[at],
		       v->region[at]);
		return false;
	}
	return true;
}

static bool semaphores_are_untouched(struct victim *v, unsigned int attacker_id)
{
	for (unsigned int s = 0; s < OCFABRIC_SEMAPHORES; s++)
		if (s / ATTACK_SEMS != attacker_id && sem_value(&v->r, s) != v->sem[s])
			return false;
	return true;
}

static bool queue_is_untouched(struct victim *v)
{
	struct ocfabric_queue_get q;

	return !queue_get(&v->r, &q) && q.out_state == OCFABRIC_QUEUE_ENABLED &&
	       q.out_head == v->r.posted && q.out_tail == v->r.posted &&
	       q.out_cq_producer == v->r.taken && q.out_rx_head == v->received &&
	       q.out_rx_tail == v->r.rx_posted && !q.out_interrupts && !q.out_waiting &&
	       q.out_burst == OCFABRIC_MODERATION_BURST &&
	       q.out_timer == OCFABRIC_MODERATION_TIMER;
}

/* Its own writes, all of them committed, and no other. */
static bool counters_are_untouched(fixture *self, unsigned int i)
{
	const struct victim *v = &self->v[i];
	struct counters c;
	uint64_t sum = 0;

	if (counters_read(self->node, &c))
		return false;
	for (unsigned int k = 0; k < OCFABRIC_COUNTERS; k++)
		sum += c.link[i][k];
	/* a semaphore is a write of no bytes and no lines */
	return c.link[i][OCFABRIC_COUNTER_WRITES] == 2 * v->writes &&
	       c.link[i][OCFABRIC_COUNTER_COMMITTED] == 2 * v->writes &&
	       c.link[i][OCFABRIC_COUNTER_BYTES] == v->bytes &&
	       sum == 4 * v->writes + v->bytes + c.link[i][OCFABRIC_COUNTER_LINES];
}

static bool is_rejected_nowhere(struct victim *v)
{
	struct ocfabric_hw_reject r[OCFABRIC_REJECTS];
	struct ocfabric_rejects_get get = NEW(ocfabric_rejects_get, .rejects = (uintptr_t)r,
					      .count = OCFABRIC_REJECTS);

	return !call(v->r.fd, OCFABRIC_REJECTS_GET, &get) && !get.count;
}

/* What the attacker's windows allow it to change is, from now on, as it made it. */
static void accept_what_is_allowed(struct victim *v, unsigned int attacker_id)
{
	uint64_t first = attack_window(attacker_id);

	memcpy(v->region + first, v->r.region + first, ATTACK_WINDOW);
	for (unsigned int s = attacker_id * ATTACK_SEMS; s < (attacker_id + 1) * ATTACK_SEMS; s++)
		v->sem[s] = sem_value(&v->r, s);
}

static void check_victims(struct __test_metadata *_metadata, fixture *self,
			  unsigned int attacker_id)
{
	for (unsigned int i = 0; i < self->n; i++) {
		struct victim *v = &self->v[i];

		if (i == attacker_id)
			continue;
		ASSERT_TRUE(region_is_untouched(v, attacker_id));
		ASSERT_TRUE(semaphores_are_untouched(v, attacker_id));
		ASSERT_TRUE(queue_is_untouched(v));
		ASSERT_TRUE(counters_are_untouched(self, i));
		ASSERT_TRUE(is_rejected_nowhere(v));
		ASSERT_EQ(0, memcmp(v->own, v->copy, PAGE));
		accept_what_is_allowed(v, attacker_id);
	}
}

/* ---- pairs -------------------------------------------------------------- */

/* The attack, and meanwhile the traffic of the others. 0: all was refused. */
static int attack_one(fixture *self, unsigned int attacker_id, uint8_t victim)
{
	uint64_t end = now_ms() + patience(20000);
	int socket = self->sv[attacker_id][0], ret;
	unsigned int round = 0;
	uint8_t failed;

	if (write(socket, &victim, 1) != 1)
		return -1;
	do {
		ret = traffic(self, attacker_id, round++);
		if (ret)
			return ret - 10;
		if (now_ms() > end)
			return -2;
		ret = recv(socket, &failed, 1, MSG_DONTWAIT);
	} while (ret < 0 && errno == EAGAIN);
	return ret == 1 ? failed : -3;
}

static int settle_all(fixture *self)
{
	for (unsigned int i = 0; i < self->n; i++)
		if (settle(self, i))
			return -1;
	return 0;
}

/* Gives its place to the attacker, who finds a region that reads zero. */
static int hand_over(fixture *self, unsigned int i)
{
	struct victim *v = &self->v[i];
	int fd, ret;

	replica_close(&v->r);
	fd = attach_fd(self->node, i, (struct attach){ .flags = OCFABRIC_ATTACH_CLEAR });
	if (fd < 0)
		return fd;
	ret = send_fd(self->sv[i][0], fd);
	close(fd);
	return ret;
}

TEST_F_TIMEOUT(isolation, all_pairs, 1200)
{
	for (unsigned int a = 0; a < self->n; a++) {
		ASSERT_EQ(0, configure(self));
		for (unsigned int i = 0; i < self->n; i++) {
			replica_close(&self->v[i].r);
			self->v[i] = (struct victim){ .r.fd = -1 };
		}
		ASSERT_EQ(0, settle_all(self));
		ASSERT_EQ(0, config_read(self->node, self->before));
		ASSERT_EQ(0, hand_over(self, a));
		for (unsigned int v = 0; v < self->n; v++) {
			if (v == a)
				continue;
			ASSERT_EQ(0, attack_one(self, a, v))
				TH_LOG("replica %u attacks %u", a, v);
			check_victims(_metadata, self, a);
		}
		ASSERT_EQ(0, config_read(self->node, self->after));
		EXPECT_TRUE(config_equal(self->before, self->after));
		for (unsigned int i = 0; i < self->n; i++) {
			EXPECT_EQ(i == a ? -EBADF : 0, key_del(self->v[i].r.fd, self->v[i].key));
		}
		close(self->sv[a][0]);
		EXPECT_EQ(0, child_end(self->pid[a], 5000));
	}
}

TEST_HARNESS_MAIN
