// SPDX-License-Identifier: GPL-2.0-only
/*
 * A card that lies: whatever it says, each call ends with what it is documented to
 * end with, values are within their bounds, the kernel says nothing but what the
 * card is accused of; and when it tells the truth again it works.
 *
 * The lies are docs/hardware.md's. OCF_HOSTILE_ROUNDS random mixtures of them are
 * tried, of the seed OCF_HOSTILE_SEED.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "bus.h"
#include "child.h"
#include "klog.h"
#include "netlink.h"
#include "qmp.h"
#include "util.h"

#define N	3
#define REGION	0x4000u
#define LIMIT	60000	/* ms that the whole list of operations may take */

/* ---- the card, and what it says ----------------------------------------- */

static int lie(struct qmp *q, const char *lies)
{
	char json[256];

	snprintf(json, sizeof(json), "\"%s\"", lies);
	return qmp_set(q, "hostile", json);
}

/* ---- operations --------------------------------------------------------- */

/* What is wrong, if anything is: the child's exit status, and said by it. */
static int wrong;

static void blame(const char *what, long value)
{
	printf("# %s: %ld\n", what, value);
	wrong = 1;
}

#define BOUND(value, most) do {						\
	if ((value) > (most))						\
		blame(#value, (long)(value));				\
	} while (0)

/* Of a call to a card that may lie about anything. */
static int tried(const char *what, int ret)
{
	static const int known[] = {
		0, ENODEV, EIO, ETIMEDOUT, EBUSY, EINVAL, EPIPE, EAGAIN, ENOSPC,
		ENOENT, ENXIO, EMSGSIZE,
	};

	for (unsigned int i = 0; i < ARRAY_LEN(known); i++)
		if (ret == -known[i])
			return ret;
	if (ret < 0)
		blame(what, ret);
	return ret;
}

#define TRY(what)	tried(#what, what)

static void look_at_queue(int fd)
{
	struct ocfabric_queue_get q = NEW(ocfabric_queue_get);

	if (TRY(call(fd, OCFABRIC_QUEUE_GET, &q)))
		return;
	BOUND(q.out_state, OCFABRIC_QUEUE_QUIESCING);
	BOUND(q.out_cause, OCFABRIC_CAUSE_RX_BAD_DESCRIPTOR);
	BOUND(q.out_waiting, 1);
	BOUND(q.out_head, 0xffffff);
	BOUND(q.out_tail, 0xffffff);
	BOUND(q.out_rx_head, 0xffffff);
	BOUND(q.out_rx_tail, 0xffffff);
	BOUND(q.out_burst - 1, 0xfffe);
	BOUND(q.out_timer, OCFABRIC_TIMER_MAX);
	BOUND(q.out_mode, OCFABRIC_MODE_COUNT);
}

static void look_at_rejects(int fd)
{
	static const uint8_t zero[sizeof(((struct ocfabric_hw_reject *)0)->__reserved)];
	struct ocfabric_hw_reject r[OCFABRIC_REJECTS];
	struct ocfabric_rejects_get get = NEW(ocfabric_rejects_get,
					      .rejects = (uintptr_t)r,
					      .count = OCFABRIC_REJECTS);

	if (TRY(call(fd, OCFABRIC_REJECTS_GET, &get)))
		return;
	BOUND(get.count, OCFABRIC_REJECTS);
	for (unsigned int i = 0; i < get.count && !wrong; i++) {
		BOUND(r[i].qpn, OCFABRIC_QPN_MASK);
		BOUND(r[i].opcode, OCFABRIC_OP_WAIT);
		BOUND(r[i].verdict, OCFABRIC_VERDICT_RNR);
		if (r[i].peer != OCFABRIC_PEER_NONE)
			BOUND(r[i].peer, OCFABRIC_REPLICAS_MAX - 1);
		if (memcmp(r[i].__reserved, zero, sizeof(zero)))
			blame("reserved bytes of a reject", i);
	}
}

/* What it takes is not waited for: it may never come, or be of nobody. */
static void use_queue(struct replica *r, struct replica *peer)
{
	const struct ocfabric_desc d[] = {
		inline_desc(qpn_of(N, 0, 1), 0x40, "hostile", 8),
		imm_desc(qpn_of(N, 0, 1), 0x80, "card", 4, 7),
		sem_local_desc(3, 1),
		inline_desc(200, 0, "nowhere", 8),
	};
	struct pollfd p = { .fd = r->fd, .events = POLLIN | POLLPRI };
	struct ocfabric_cqe e;

	replica_rx_post(peer, 1);
	replica_rx_ring_by(peer, 1);
	for (unsigned int i = 0; i < ARRAY_LEN(d); i++)
		replica_post(r, &d[i]);
	replica_ring(r);
	r->owner->arm = r->taken;
	poll(&p, 1, 10);
	for (unsigned int i = 0; i < 64 && replica_poll(r, &e); i++)
		;
	look_at_queue(r->fd);
	look_at_queue(peer->fd);
	look_at_rejects(r->fd);
}

static void use_handle(struct replica *r)
{
	int fd = eventfd(0, EFD_NONBLOCK);
	static uint8_t memory[2 * PAGE] __attribute__((aligned(PAGE)));
	char byte = 1;
	uint32_t key;
	void *map;

	TRY(call(r->fd, OCFABRIC_EVENTFD, ARG(ocfabric_eventfd, .fd = fd)));
	close(fd);
	TRY(call(r->fd, OCFABRIC_MODERATION,
		 ARG(ocfabric_moderation, .burst = 4, .timer = 1000)));
	if (!TRY(key_add(r->fd, memory, sizeof(memory), &key)))
		TRY(key_del(r->fd, key));
	TRY(buffer_add(r->fd, PAGE, &key, &map));
	TRY(pread(r->fd, &byte, 1, 0) < 0 ? -errno : 0);
	TRY(pwrite(r->fd, &byte, 1, 0) < 0 ? -errno : 0);
	TRY(broadcast(r->fd, 0, &r->fd, 1, 1, NULL));
	TRY(call(r->fd, OCFABRIC_QUEUE_RESET, ARG(ocfabric_queue_reset)));
}

static void use_replicas(int node)
{
	struct replica a = { .fd = -1 }, b = { .fd = -1 };

	if (!TRY(replica_open(&a, node, 0, (struct attach){})) &&
	    !TRY(replica_open(&b, node, 1, (struct attach){}))) {
		use_queue(&a, &b);
		use_handle(&a);
	}
	replica_close(&b);
	replica_close(&a);
}

static void look_at_qps(struct nl *nl)
{
	struct nl_answer a;

	if (!TRY(nl_simple(nl, OCFABRIC_CMD_QP_GET, NLM_F_DUMP, &a)))
		for (const struct nlmsghdr *m = nl_next(&a, NULL); m; m = nl_next(&a, m)) {
			BOUND(nl_value(m, OCFABRIC_A_QP_STATE, 0), OCFABRIC_QP_ERR);
			BOUND(nl_value(m, OCFABRIC_A_QP_CAUSE, 0), OCFABRIC_QP_CAUSE_NAK);
			BOUND(nl_value(m, OCFABRIC_A_QP_PEER, 0), OCFABRIC_REPLICAS_MAX - 1);
		}
	nl_answer_free(&a);
}

static void look_at_stages(struct nl *nl)
{
	struct nl_answer a;

	if (!TRY(nl_simple(nl, OCFABRIC_CMD_STAGE_GET, NLM_F_DUMP, &a)))
		for (const struct nlmsghdr *m = nl_next(&a, NULL); m; m = nl_next(&a, m))
			BOUND(nl_value(m, OCFABRIC_A_STAGE_WAITS_FOR, 0),
			      OCFABRIC_WAITS_FOR_RESPONSE);
	nl_answer_free(&a);
}

static void look_at_device(struct nl *nl)
{
	struct nl_answer a;

	if (!TRY(nl_simple(nl, OCFABRIC_CMD_DEVICE_GET, NLM_F_DUMP, &a)))
		for (const struct nlmsghdr *m = nl_next(&a, NULL); m; m = nl_next(&a, m)) {
			BOUND(nl_value(m, OCFABRIC_A_DEVICE_STALL_LIMIT, 0),
			      OCFABRIC_STALL_LIMIT_MAX);
			BOUND(nl_value(m, OCFABRIC_A_DEVICE_STORM_LIMIT, 0),
			      OCFABRIC_STORM_LIMIT_MAX);
		}
	nl_answer_free(&a);
}

static void use_netlink(void)
{
	static const uint8_t dumps[] = {
		OCFABRIC_CMD_COUNTERS_GET, OCFABRIC_CMD_REPLICA_GET,
		OCFABRIC_CMD_SEMAPHORE_GET, OCFABRIC_CMD_REJECT_GET,
		OCFABRIC_CMD_RING_GET,
	};
	struct nl nl;

	if (TRY(nl_open(&nl)))
		return;
	for (unsigned int i = 0; i < ARRAY_LEN(dumps); i++)
		TRY(nl_simple(&nl, dumps[i], NLM_F_DUMP, NULL));
	look_at_qps(&nl);
	look_at_stages(&nl);
	look_at_device(&nl);
	TRY(nl_qp_set(&nl, 0, qpn_of(N, 0, 2), (struct nl_u32[]){
			{ OCFABRIC_A_QP_STATE, OCFABRIC_QP_SQD } }, 1, NULL));
	TRY(nl_reset_qp(&nl, OCFABRIC_RESET_TARGET_QP, 0, qpn_of(N, 0, 2), NULL));
	TRY(nl_weight(&nl, 1, 2, NULL));
	TRY(nl_moderation(&nl, 1, 64, 3000, 0, NULL));
	nl_close(&nl);
}

static void use_node(int node)
{
	struct ocfabric_drain drain = NEW(ocfabric_drain, .op = OCFABRIC_DRAIN_HOLD);
	struct counters c;
	char line[64];
	char path[128];

	TRY(call(node, OCFABRIC_INFO, ARG(ocfabric_info)));
	TRY(counters_read(node, &c));
	TRY(CHANGE(node, step_region(2, 2 * REGION, REGION / 2)));
	TRY(call(node, OCFABRIC_DRAIN, &drain));
	BOUND(drain.out_link, OCFABRIC_REPLICAS_MAX - 1);
	BOUND(drain.out_stage, OCFABRIC_STAGE_ACKNOWLEDGED);
	drain = NEW(ocfabric_drain, .op = OCFABRIC_DRAIN_RESUME);
	TRY(call(node, OCFABRIC_DRAIN, &drain));
	TRY(call(node, OCFABRIC_RESET, ARG(ocfabric_reset, .what = OCFABRIC_RESET_LINK)));
	snprintf(path, sizeof(path), "/sys/class/misc/ocfabric%u/queue0/state", node_number());
	read_line(path, line, sizeof(line));
	snprintf(path, sizeof(path), "/sys/class/misc/ocfabric%u/link0/stage_taken_in",
		 node_number());
	read_line(path, line, sizeof(line));
}

static int operations(void *unused)
{
	int node = node_open(O_RDWR);
	(void)unused;

	if (node < 0) {
		tried("open", node);
		return wrong;
	}
	use_node(node);
	use_replicas(node);
	use_netlink();
	TRY(call(node, OCFABRIC_RESET, ARG(ocfabric_reset, .what = OCFABRIC_RESET_DEVICE)));
	use_replicas(node);
	close(node);
	fflush(stdout);
	return wrong;
}

/* ---- the tests ---------------------------------------------------------- */

struct test {
	struct qmp qmp;
	long pinned;
};

/* -ENOENT: no QEMU to be asked. */
static int test_begin(struct test *t)
{
	int ret = qmp_open(&t->qmp);

	if (ret)
		return ret;
	t->pinned = pinned_pages();
	return lie(&t->qmp, "none") ?: bus_find();
}

static void test_end(struct test *t)
{
	lie(&t->qmp, "none");
	qmp_close(&t->qmp);
}

FIXTURE(hostile) {
	struct test t;
};

FIXTURE(hostile_card) {
	struct test t;
};

FIXTURE_SETUP(hostile_card)
{
	int ret = test_begin(&self->t);

	if (ret == -ENOENT)
		SKIP(return, "no port to the guest's QEMU");
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(hostile_card)
{
	test_end(&self->t);
}

/* After an honest reset of the function, or with a new driver, it works. */
static int works(bool rebind)
{
	struct replica r = { .fd = -1 };
	struct ocfabric_desc d = inline_desc(qpn_of(N, 0, 1), 0x40, "honest", 8);
	struct ocfabric_cqe e;
	int node, ret;

	ret = rebind ? bus_unbind() ?: bus_bind() : bus_write("reset", "1");
	if (ret)
		return ret;
	node = WAIT_FOR(!access(node_path(), F_OK), patience(1000)) ? node_open(O_RDWR) : -ENXIO;
	if (node < 0)
		return node;
	ret = fabric_setup(node, N, REGION) ?: replica_open(&r, node, 0, (struct attach){});
	if (!ret)
		ret = replica_do(&r, &d, &e);
	if (!ret && memcmp(r.region, "\0\0\0\0", 4))
		ret = -EILSEQ;
	replica_close(&r);
	close(node);
	return ret;
}

/* Lies that no driver can work with: a probe refuses them. */
TEST_F(hostile_card, is_refused)
{
	static const char *const refused[] = {
		"magic", "major", "ones", "zeros", "replicas-0", "replicas-17",
		"replicas-max", "windows-0", "windows-max", "hbm-0", "hbm-odd",
		"hbm-big", "clock-0", "clock-max", "keys-0", "keys-max", "ranges-0",
		"ranges-max", "key-ranges-0", "key-ranges-max", "faults-max", "busy",
	};

	ASSERT_EQ(0, bus_unbind());
	for (unsigned int i = 0; i < ARRAY_LEN(refused); i++) {
		ASSERT_EQ(0, lie(&self->t.qmp, refused[i]));
		EXPECT_NE(0, bus_bind())
			TH_LOG("%s: the driver takes it", refused[i]);
		EXPECT_NE(0, access(node_path(), F_OK));
	}
	/* another minor version is none of them; what it has more is not used */
	ASSERT_EQ(0, lie(&self->t.qmp, "minor+features+event-storm+lost"));
	EXPECT_EQ(0, bus_bind());
	ASSERT_EQ(0, lie(&self->t.qmp, "none"));
	EXPECT_EQ(0, works(true));
	EXPECT_EQ(self->t.pinned, pinned_pages());
}

/* The list of operations under these lies, and honesty after it. */
static int try_lies(struct qmp *q, const char *lies, bool rebind)
{
	int ret = works(rebind);
	pid_t pid;

	ret = ret ?: lie(q, lies);
	if (ret)
		return ret;
	pid = child_start(operations, NULL);
	ret = child_end(pid, LIMIT);
	return ret ?: lie(q, "none");
}

FIXTURE_VARIANT(hostile) {
	const char *lies;
};

FIXTURE_VARIANT_ADD(hostile, values) {
	.lies = "error+stage+clock+generation+limits+queues+semaphores+counters"
		"+rejects+paths+qp-contexts+broadcast",
};
FIXTURE_VARIANT_ADD(hostile, busy) { .lies = "busy+stage" };
FIXTURE_VARIANT_ADD(hostile, ones) { .lies = "ones" };
FIXTURE_VARIANT_ADD(hostile, zeros) { .lies = "zeros" };
FIXTURE_VARIANT_ADD(hostile, command_never_done) { .lies = "cmd-never" };
FIXTURE_VARIANT_ADD(hostile, command_unknown) { .lies = "cmd-idle" };
FIXTURE_VARIANT_ADD(hostile, command_ones) { .lies = "cmd-ones" };
FIXTURE_VARIANT_ADD(hostile, status_ones) { .lies = "status-ones+stage" };
FIXTURE_VARIANT_ADD(hostile, command_results) { .lies = "cmd-result" };
FIXTURE_VARIANT_ADD(hostile, qp_never_done) { .lies = "qp-never" };
FIXTURE_VARIANT_ADD(hostile, qp_registers) { .lies = "qp-block" };
FIXTURE_VARIANT_ADD(hostile, completion_fields) {
	.lies = "cqe-fields+cqe-again+cqe-index+cqe-length+mirror+hbm",
};
FIXTURE_VARIANT_ADD(hostile, completion_tags) { .lies = "cqe-tag" };
FIXTURE_VARIANT_ADD(hostile, completion_flood) { .lies = "cqe-flood" };
FIXTURE_VARIANT_ADD(hostile, events) { .lies = "event-fields+event-storm+lost" };
FIXTURE_VARIANT_ADD(hostile, events_ahead) { .lies = "event-ahead" };
FIXTURE_VARIANT_ADD(hostile, interrupt_storm) { .lies = "irq-storm" };
FIXTURE_VARIANT_ADD(hostile, no_interrupts) { .lies = "irq-none+irq-nothing" };

FIXTURE_SETUP(hostile)
{
	int ret = test_begin(&self->t);

	if (ret == -ENOENT)
		SKIP(return, "no port to the guest's QEMU");
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(hostile)
{
	test_end(&self->t);
}

TEST_F(hostile, operations)
{
	ASSERT_EQ(0, try_lies(&self->t.qmp, variant->lies, false));
	EXPECT_EQ(0, works(false));
	EXPECT_EQ(self->t.pinned, pinned_pages());
}

/*
 * At one interrupt a millisecond the card may let 50 through in the driver's window of
 * 50 ms, twice that is a storm, and the lie is 200. Resting is told; then all of it ends.
 */
TEST_F(hostile_card, storm_of_interrupts_rests)
{
	struct replica r = { .fd = -1 };
	struct nl nl;
	int node, log;

	ASSERT_EQ(0, works(true));
	node = node_open(O_RDWR);
	ASSERT_GE(node, 0);
	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, fabric_setup(node, N, REGION));
	ASSERT_EQ(0, replica_open(&r, node, 0, (struct attach){}));
	ASSERT_EQ(0, nl_limits(&nl, ~0u, 1, NULL));
	log = klog_open();
	ASSERT_GE(log, 0);
	EXPECT_EQ(0, lie(&self->t.qmp, "irq-storm"));
	EXPECT_TRUE(WAIT_FOR(klog_says(log, "a storm of interrupts 1"), patience(1000)));
	EXPECT_EQ(0, lie(&self->t.qmp, "none"));
	replica_close(&r);
	EXPECT_EQ(0, nl_limits(&nl, ~0u, OCFABRIC_STORM_LIMIT, NULL));
	close(log);
	nl_close(&nl);
	close(node);
	EXPECT_EQ(0, works(false));
	EXPECT_EQ(0, works(true));
}

static unsigned long number_of(const char *variable, unsigned long otherwise)
{
	const char *text = getenv(variable);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

/* Three lies at a time, of those that a card can be used with for a while. */
TEST_F(hostile_card, mixture)
{
	static const char *const lies[] = {
		"error", "stage", "clock", "generation", "limits", "queues",
		"semaphores", "counters", "rejects", "paths", "broadcast",
		"cmd-never", "cmd-result", "qp-never", "qp-block", "qp-contexts",
		"cqe-tag", "cqe-index", "cqe-again", "cqe-length", "cqe-fields",
		"cqe-flood", "mirror", "hbm", "lost", "event-fields", "event-storm",
		"event-ahead", "irq-storm", "irq-nothing", "irq-none",
	};
	unsigned long rounds = number_of("OCF_HOSTILE_ROUNDS", is_debug_kernel() ? 2 : 4);
	uint64_t seed = number_of("OCF_HOSTILE_SEED", 5);

	TH_LOG("OCF_HOSTILE_SEED=%llu OCF_HOSTILE_ROUNDS=%lu",
	       (unsigned long long)seed, rounds);
	for (unsigned long i = 0; i < rounds; i++) {
		char mixed[64];

		snprintf(mixed, sizeof(mixed), "%s+%s+%s",
			 lies[next_random(&seed) % ARRAY_LEN(lies)],
			 lies[next_random(&seed) % ARRAY_LEN(lies)],
			 lies[next_random(&seed) % ARRAY_LEN(lies)]);
		ASSERT_EQ(0, try_lies(&self->t.qmp, mixed, i & 1))
			TH_LOG("round %lu: %s", i, mixed);
	}
	EXPECT_EQ(0, works(true));
	EXPECT_EQ(self->t.pinned, pinned_pages());
}

TEST_HARNESS_MAIN
