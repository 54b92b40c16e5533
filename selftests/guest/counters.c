// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters and what else can be read: by ioctl, netlink and sysfs it is the
 * same, of one instant, and a reset zeroes it
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "netlink.h"
#include "util.h"

#define REGION	0x10000u
#define N	3

static const char *const names[] = {
	"writes", "committed", "bytes", "lines", "unmapped", "misrouted", "bad_config",
	"zero_length", "misaligned", "out_of_bounds", "unauthorized", "short_packet",
	"oversize", "axi_error", "qp_state", "rnr", "dma_error",
};

FIXTURE(counters) {
	int node;
	struct nl nl;
	struct replica r[N];
	struct counters counters;
};

/* Traffic that moves many counters of each link, each by another amount. */
static int traffic(struct replica *r, unsigned int link)
{
	struct ocfabric_desc d[] = {
		inline_desc(qpn_of(N, link, (link + 1) % N), 0x40 * link, "good", 4),
		inline_desc(255, 0, NULL, 4),
		inline_desc(qpn_of(N, link, (link + 1) % N), 0, NULL, 0),
		inline_desc(qpn_of(N, link, (link + 1) % N), 2, NULL, 4),
		inline_desc(qpn_of(N, link, (link + 1) % N), REGION, NULL, 4),
	};
	struct ocfabric_cqe e;

	for (unsigned int i = 0; i < ARRAY_LEN(d); i++)
		for (unsigned int n = 0; n <= i + link; n++)
			if (replica_do(r, &d[i], &e) < 0)
				return -1;
	return 0;
}

FIXTURE_SETUP(counters)
{
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	ASSERT_EQ(0, nl_open(&self->nl));
	for (unsigned int i = 0; i < N; i++)
		ASSERT_EQ(0, replica_open(&self->r[i], self->node, i, (struct attach){}));
}

FIXTURE_TEARDOWN(counters)
{
	for (unsigned int i = 0; i < N; i++)
		replica_close(&self->r[i]);
	nl_close(&self->nl);
	close(self->node);
}

#define SEND_ALL() \
	for (unsigned int i_ = 0; i_ < N; i_++) \
		ASSERT_EQ(0, traffic(&self->r[i_], i_))

TEST_F(counters, traffic_is_counted)
{
	SEND_ALL();
	ASSERT_EQ(0, counters_read(self->node, &self->counters));
	ASSERT_LE(N, self->counters.links);
	EXPECT_TRUE(counters_conserved(&self->counters));
	for (unsigned int i = 0; i < N; i++) {
		const uint64_t *c = self->counters.link[i];

		EXPECT_EQ(1 + i, c[OCFABRIC_COUNTER_COMMITTED]);
		EXPECT_EQ(4 * (1 + i), c[OCFABRIC_COUNTER_BYTES]);
		EXPECT_EQ(2 + i, c[OCFABRIC_COUNTER_UNMAPPED]);
		EXPECT_EQ(3 + i, c[OCFABRIC_COUNTER_ZERO_LENGTH]);
		EXPECT_EQ(4 + i, c[OCFABRIC_COUNTER_MISALIGNED]);
		EXPECT_EQ(5 + i, c[OCFABRIC_COUNTER_OUT_OF_BOUNDS]);
		EXPECT_EQ(15 + 5 * i, c[OCFABRIC_COUNTER_WRITES]);
	}
}

TEST_F(counters, netlink_says_the_same)
{
	const struct nlmsghdr *m = NULL;
	struct nl_answer a;
	unsigned int links = 0;

	SEND_ALL();
	ASSERT_EQ(0, counters_read(self->node, &self->counters));
	ASSERT_EQ(0, nl_simple(&self->nl, OCFABRIC_CMD_COUNTERS_GET, NLM_F_DUMP, &a));
	while ((m = nl_next(&a, m))) {
		unsigned int link = nl_value(m, OCFABRIC_A_COUNTERS_LINK, ~0ull);

		ASSERT_EQ(links++, link);
		for (unsigned int i = 0; i < OCFABRIC_COUNTERS; i++) {
			EXPECT_EQ(self->counters.link[link][i],
				  nl_value(m, OCFABRIC_A_COUNTERS_WRITES + i, ~0ull))
				TH_LOG("link %u, %s", link, names[i]);
		}
	}
	EXPECT_EQ(N, links);
	nl_answer_free(&a);
}

TEST_F(counters, sysfs_says_the_same)
{
	char path[256], text[64];
	struct stat st;

	SEND_ALL();
	ASSERT_EQ(0, counters_read(self->node, &self->counters));
	for (unsigned int link = 0; link < N; link++) {
		for (unsigned int i = 0; i < OCFABRIC_COUNTERS; i++) {
			snprintf(path, sizeof(path), "/sys/class/misc/ocfabric%u/link%u/%s",
				 node_number(), link, names[i]);
			ASSERT_EQ(0, read_line(path, text, sizeof(text)))
				TH_LOG("%s", path);
			EXPECT_EQ(self->counters.link[link][i], strtoull(text, NULL, 10))
				TH_LOG("%s", path);
			ASSERT_EQ(0, stat(path, &st));
			EXPECT_EQ(0444, st.st_mode & 0777);
		}
	}
}

TEST_F(counters, reset_zeroes_all)
{
	SEND_ALL();
	ASSERT_EQ(0, call(self->node, OCFABRIC_RESET,
			  ARG(ocfabric_reset, .what = OCFABRIC_RESET_COUNTERS)));
	ASSERT_EQ(0, counters_read(self->node, &self->counters));
	for (unsigned int i = 0; i < N; i++)
		for (unsigned int c = 0; c < OCFABRIC_COUNTERS; c++) {
			EXPECT_EQ(0, self->counters.link[i][c]);
		}
	EXPECT_EQ(0, traffic(&self->r[0], 0));
	ASSERT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_COUNTERS_RESET, 0)));
	ASSERT_EQ(0, counters_read(self->node, &self->counters));
	EXPECT_EQ(0, self->counters.link[0][OCFABRIC_COUNTER_WRITES]);
	EXPECT_EQ(-EINVAL, call(self->node, OCFABRIC_RESET, ARG(ocfabric_reset, .what = 0)));
	EXPECT_EQ(-EINVAL, call(self->node, OCFABRIC_RESET, ARG(ocfabric_reset, .what = 4)));
}

/* Room for less: that much is written, not a byte more. */
TEST_F(counters, room_is_respected)
{
	struct ocfabric_counters_get get;
	uint64_t some[2][3 + 1];

	SEND_ALL();
	ASSERT_EQ(0, counters_read(self->node, &self->counters));
	memset(some, 0xa5, sizeof(some));
	get = NEW(ocfabric_counters_get, .counters = (uintptr_t)some, .links = 2,
		  .counters_per_link = 3);
	ASSERT_EQ(0, call(self->node, OCFABRIC_COUNTERS_GET, &get));
	EXPECT_EQ(2, get.links);
	EXPECT_EQ(3, get.counters_per_link);
	EXPECT_EQ(0, memcmp(some, self->counters.link[0], 3 * 8));
	EXPECT_EQ(0, memcmp((uint64_t *)some + 3, self->counters.link[1], 3 * 8));
	EXPECT_EQ(0xa5a5a5a5a5a5a5a5, ((uint64_t *)some)[6]);

	get.links = 0;
	EXPECT_EQ(-EINVAL, call(self->node, OCFABRIC_COUNTERS_GET, &get));
	get.links = 17;
	EXPECT_EQ(-EINVAL, call(self->node, OCFABRIC_COUNTERS_GET, &get));
	get.links = 2;
	get.counters_per_link = 0;
	EXPECT_EQ(-EINVAL, call(self->node, OCFABRIC_COUNTERS_GET, &get));
}

TEST_F(counters, window_room_is_told)
{
	struct ocfabric_window few[2];
	struct ocfabric_config_get get = NEW(ocfabric_config_get,
					     .windows = (uintptr_t)few, .window_count = 2);

	EXPECT_EQ(-EMSGSIZE, call(self->node, OCFABRIC_CONFIG_GET, &get));
	EXPECT_EQ(6, get.window_count);
	get = NEW(ocfabric_config_get);
	EXPECT_EQ(0, call(self->node, OCFABRIC_CONFIG_GET, &get));
	EXPECT_EQ(6, get.window_count);
}

/* The snapshot holds the law while writes run, in every reading. */
struct busy {
	struct replica *r;
	volatile bool *stop;	/* shared */
};

static int busy(void *arg)
{
	struct busy *b = arg;
	struct replica *r = b->r;
	struct ocfabric_desc d = inline_desc(qpn_of(N, 0, 1), 0, "busy", 4);

	if (replica_map(r, r->fd))
		return 1;
	while (!*b->stop) {
		for (int i = 0; i < 32; i++)
			replica_post(r, &d);
		replica_ring(r);
		for (int i = 0; i < 32; i++) {
			struct ocfabric_cqe e;

			if (!replica_wait(r, &e, patience(1000)))
				return 2;
		}
	}
	return 0;
}

TEST_F(counters, snapshot_is_of_one_instant)
{
	struct busy b = { &self->r[0], mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0) };
	uint64_t start = now_ms(), end = start + patience(1000), clock = 0, writes = 0;
	unsigned int fresh = 0, wanted = 20;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, b.stop);
	pid = child_start(busy, &b);
	/* for a second, and for some readings that find more than the one before */
	while ((now_ms() < start + 1000 || fresh < wanted) && now_ms() < end) {
		const uint64_t *c = self->counters.link[0];

		ASSERT_EQ(0, counters_read(self->node, &self->counters));
		ASSERT_GT(self->counters.clock, clock);
		ASSERT_GE(c[OCFABRIC_COUNTER_WRITES], writes);
		/* at most the one in flight is not yet committed */
		ASSERT_LE(c[OCFABRIC_COUNTER_WRITES] - c[OCFABRIC_COUNTER_COMMITTED], 1);
		ASSERT_EQ(c[OCFABRIC_COUNTER_BYTES], 4 * c[OCFABRIC_COUNTER_COMMITTED]);
		clock = self->counters.clock;
		fresh += c[OCFABRIC_COUNTER_WRITES] > writes;
		writes = c[OCFABRIC_COUNTER_WRITES];
	}
	*b.stop = true;
	EXPECT_EQ(0, child_end(pid, 5000));
	EXPECT_LE(wanted, fresh);
	munmap((void *)b.stop, PAGE);
}

TEST_F(counters, replicas_are_shown)
{
	const struct nlmsghdr *m = NULL;
	struct ocfabric_queue_get q;
	struct nl_answer a;
	unsigned int count = 0;
	uint32_t key;
	void *map;

	ASSERT_EQ(0, buffer_add(self->r[1].fd, 3 * PAGE, &key, &map));
	replica_close(&self->r[2]);
	ASSERT_EQ(0, traffic(&self->r[1], 1));
	replica_arm(&self->r[1], 3);
	replica_post(&self->r[0], ARG_DESC(wait_desc(0, 1)));
	replica_ring(&self->r[0]);
	ASSERT_TRUE(WAIT_FOR(queue_get(&self->r[0], &q) || q.out_waiting, patience(1000)));
	ASSERT_TRUE(WAIT_FOR(queue_get(&self->r[1], &q) || q.out_head == 20, patience(1000)));
	ASSERT_EQ(0, nl_simple(&self->nl, OCFABRIC_CMD_REPLICA_GET, NLM_F_DUMP, &a));
	while ((m = nl_next(&a, m))) {
		unsigned int i = nl_value(m, OCFABRIC_A_REPLICA_REPLICA, ~0ull);
		bool attached = nl_value(m, OCFABRIC_A_REPLICA_ATTACHED, 0);

		EXPECT_EQ(count++, i);
		EXPECT_EQ(i < 2, attached);
		EXPECT_EQ(attached, nl_attr(m, OCFABRIC_A_REPLICA_PID) != NULL);
		EXPECT_EQ(OCFABRIC_MODERATION_BURST,
			  nl_value(m, OCFABRIC_A_REPLICA_BURST, ~0ull));
		EXPECT_EQ(OCFABRIC_MODERATION_TIMER,
			  nl_value(m, OCFABRIC_A_REPLICA_TIMER, ~0ull));
		EXPECT_EQ(OCFABRIC_MODE_LATENCY, nl_value(m, OCFABRIC_A_REPLICA_MODE, ~0ull));
		if (!attached)
			continue;
		EXPECT_EQ(getpid(), nl_value(m, OCFABRIC_A_REPLICA_PID, 0));
		EXPECT_EQ(0, nl_value(m, OCFABRIC_A_REPLICA_UID, ~0ull));
		EXPECT_EQ(0, strcmp("counters", nl_data(nl_attr(m, OCFABRIC_A_REPLICA_COMM))));
		EXPECT_EQ(i, nl_value(m, OCFABRIC_A_REPLICA_KEYS, ~0ull));
		EXPECT_EQ(i * 3 * PAGE, nl_value(m, OCFABRIC_A_REPLICA_PINNED, ~0ull));
		EXPECT_EQ(i ? 20 : 0, nl_value(m, OCFABRIC_A_REPLICA_HEAD, ~0ull));
		EXPECT_EQ(self->r[i].get.out_rx_entries,
			  nl_value(m, OCFABRIC_A_REPLICA_RX_ENTRIES, ~0ull));
		EXPECT_EQ(0, nl_value(m, OCFABRIC_A_REPLICA_RX_HEAD, ~0ull));
		EXPECT_EQ(3 * i, nl_value(m, OCFABRIC_A_REPLICA_RX_TAIL, ~0ull));
		EXPECT_EQ(!i, nl_value(m, OCFABRIC_A_REPLICA_WAITING, ~0ull));
	}
	EXPECT_LE(N, count);
	nl_answer_free(&a);
}

/* Tables by netlink are those of the ioctl. */
TEST_F(counters, dumps_say_what_is_configured)
{
	static struct config c;
	struct ocfabric_change add = step_window(OCFABRIC_CHANGE_WINDOW_ADD, 0, 1, 64, 64);
	const struct nlmsghdr *m = NULL;
	struct nl_answer a;
	unsigned int count = 0;

	add.sem_first = 3;
	add.sem_count = 4;
	ASSERT_EQ(0, change_steps(self->node, 0, &add, 1, NULL));
	ASSERT_EQ(0, config_read(self->node, &c));
	ASSERT_EQ(0, nl_simple(&self->nl, OCFABRIC_CMD_WINDOW_GET, NLM_F_DUMP, &a));
	while ((m = nl_next(&a, m))) {
		const struct ocfabric_window *w = &c.window[count++];

		EXPECT_EQ(w->src, nl_value(m, OCFABRIC_A_WINDOW_SRC, ~0ull));
		EXPECT_EQ(w->dst, nl_value(m, OCFABRIC_A_WINDOW_DST, ~0ull));
		EXPECT_EQ(w->offset, nl_value(m, OCFABRIC_A_WINDOW_OFFSET, ~0ull));
		EXPECT_EQ(w->length, nl_value(m, OCFABRIC_A_WINDOW_LENGTH, ~0ull));
		EXPECT_EQ(w->sem_count ? w->sem_first : ~0ull,
			  nl_value(m, OCFABRIC_A_WINDOW_SEM_FIRST, ~0ull));
		EXPECT_EQ(w->sem_count ? w->sem_count : ~0ull,
			  nl_value(m, OCFABRIC_A_WINDOW_SEM_COUNT, ~0ull));
	}
	EXPECT_EQ(c.get.window_count, count);
	nl_answer_free(&a);

	ASSERT_EQ(0, nl_simple(&self->nl, OCFABRIC_CMD_REGION_GET, NLM_F_DUMP, &a));
	while ((m = nl_next(&a, m))) {
		unsigned int i = nl_value(m, OCFABRIC_A_REGION_REPLICA, ~0ull);

		ASSERT_GT(OCFABRIC_REPLICAS_MAX, i);
		EXPECT_EQ(c.region[i].base, nl_value(m, OCFABRIC_A_REGION_BASE, ~0ull));
		EXPECT_EQ(c.region[i].length, nl_value(m, OCFABRIC_A_REGION_SIZE, ~0ull));
	}
	nl_answer_free(&a);

	ASSERT_EQ(0, nl_simple(&self->nl, OCFABRIC_CMD_CONNECTION_GET, NLM_F_DUMP, &a));
	while ((m = nl_next(&a, m))) {
		unsigned int i = nl_value(m, OCFABRIC_A_CONNECTION_LINK, ~0ull);
		const struct nlattr *peers = nl_attr(m, OCFABRIC_A_CONNECTION_PEERS);

		ASSERT_GT(OCFABRIC_REPLICAS_MAX, i);
		ASSERT_EQ(OCFABRIC_QPNS, nl_length(peers));
		EXPECT_EQ(0, memcmp(c.peer[i], nl_data(peers), OCFABRIC_QPNS));
	}
	nl_answer_free(&a);
}

TEST_F(counters, rejects_are_dumped)
{
	const struct nlmsghdr *m = NULL;
	struct nl_answer a;
	unsigned int count = 0;

	for (unsigned int i = 0; i < 20; i++) {
		struct ocfabric_desc d = inline_desc(0, 4 * i + 2, NULL, 4);

		ASSERT_EQ(OCFABRIC_VERDICT_MISALIGNED, replica_do(&self->r[0], &d, NULL));
	}
	ASSERT_EQ(0, nl_simple(&self->nl, OCFABRIC_CMD_REJECT_GET, NLM_F_DUMP, &a));
	while ((m = nl_next(&a, m))) {
		EXPECT_EQ(0, nl_value(m, OCFABRIC_A_REJECT_LINK, ~0ull));
		EXPECT_EQ(5 + count, nl_value(m, OCFABRIC_A_REJECT_SEQ, ~0ull));
		EXPECT_EQ(4 * (4 + count) + 2, nl_value(m, OCFABRIC_A_REJECT_RADDR, ~0ull));
		EXPECT_EQ(OCFABRIC_VERDICT_MISALIGNED,
			  nl_value(m, OCFABRIC_A_REJECT_VERDICT, ~0ull));
		EXPECT_EQ(1, nl_value(m, OCFABRIC_A_REJECT_PEER, ~0ull));
		count++;
	}
	EXPECT_EQ(OCFABRIC_REJECTS, count);
	nl_answer_free(&a);
}

/* Who holds a drain, and since when */
TEST_F(counters, drain_holder_is_shown)
{
	const struct nlmsghdr *m;
	struct nl_answer a;

	ASSERT_EQ(0, call(self->node, OCFABRIC_DRAIN,
			  ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_HOLD)));
	ASSERT_EQ(0, nl_simple(&self->nl, OCFABRIC_CMD_CONFIG_GET, 0, &a));
	m = nl_next(&a, NULL);
	ASSERT_NE(NULL, m);
	EXPECT_EQ(1, nl_value(m, OCFABRIC_A_CONFIG_DRAINED, 0));
	EXPECT_EQ(getpid(), nl_value(m, OCFABRIC_A_CONFIG_DRAINED_PID, 0));
	EXPECT_EQ(0, strcmp("counters", nl_data(nl_attr(m, OCFABRIC_A_CONFIG_DRAINED_COMM))));
	EXPECT_NE(0, nl_value(m, OCFABRIC_A_CONFIG_DRAINED_SINCE, 0));
	EXPECT_EQ(N, nl_value(m, OCFABRIC_A_CONFIG_REPLICAS, 0));
	EXPECT_EQ(6, nl_value(m, OCFABRIC_A_CONFIG_WINDOWS, 0));
	nl_answer_free(&a);
	ASSERT_EQ(0, call(self->node, OCFABRIC_DRAIN,
			  ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_RESUME)));
	ASSERT_EQ(0, nl_simple(&self->nl, OCFABRIC_CMD_CONFIG_GET, 0, &a));
	m = nl_next(&a, NULL);
	ASSERT_NE(NULL, m);
	EXPECT_EQ(0, nl_value(m, OCFABRIC_A_CONFIG_DRAINED, 1));
	nl_answer_free(&a);
}

TEST_HARNESS_MAIN
