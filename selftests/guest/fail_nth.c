// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation and copy that opening, attaching and configuring make fails
 * once, the first, then the second, until there are no more: the call is
 * refused, nothing has changed, nothing is left behind. Needs a kernel with
 * fault injection.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "netlink.h"
#include "util.h"

#define REGION	0x10000u
#define N	3
#define MOST	2000	/* failures of one call */

struct scene {
	int node;
	struct replica r;
	struct nl nl;		/* with a new socket for each try */
	int fail;		/* fail-nth of this thread */
};

/* Each does one thing, undoes it where it went well, and answers 0 or -errno. */
static int do_open(struct scene *s)
{
	int fd = node_open(O_RDWR);
	(void)s;

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static int do_attach(struct scene *s)
{
	int fd = attach_fd(s->node, 1, (struct attach){ .tx_entries = 4096 });

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static int do_change(struct scene *s)
{
	return CHANGE(s->node, step_replicas(5), step_region(4, 0x100000, 0x1000),
		      step_window(OCFABRIC_CHANGE_WINDOW_ADD, 0, 4, 0, 64),
		      step_fault(OCFABRIC_CHANGE_FAULT_RESP, 4, 0, OCFABRIC_RESP_SLVERR),
		      step(OCFABRIC_CHANGE_HBM_CLEAR, 0));
}

static int do_broadcast(struct scene *s)
{
	return broadcast(s->node, 0, &s->r.fd, 1, 0, NULL);
}

static int do_moderation(struct scene *s)
{
	return call(s->r.fd, OCFABRIC_MODERATION,
		    ARG(ocfabric_moderation, .burst = OCFABRIC_MODERATION_BURST,
			.timer = OCFABRIC_MODERATION_TIMER));
}

/* What an answer that was lost leaves behind goes with the socket. */
static int by_netlink(struct scene *s, int (*what)(struct nl *nl))
{
	int ret = what(&s->nl);

	return ret == -ENOBUFS || ret == -ETIMEDOUT ? -ENOMEM : ret;
}

static int set_all(struct nl *nl)
{
	const struct nl_u32 window = { OCFABRIC_A_QP_WINDOW, OCFABRIC_QP_WINDOW_DEFAULT };

	return nl_qp_set(nl, 0, 0, &window, 1, NULL) ?:
	       nl_reset_qp(nl, OCFABRIC_RESET_TARGET_QP, 0, 0, NULL) ?:
	       nl_weight(nl, 0, 1, NULL) ?:
	       nl_limits(nl, OCFABRIC_STALL_LIMIT, OCFABRIC_STORM_LIMIT, NULL);
}

static int do_set(struct scene *s)
{
	return by_netlink(s, set_all);
}

static int dump_qps(struct nl *nl)
{
	return nl_simple(nl, OCFABRIC_CMD_QP_GET, NLM_F_DUMP, NULL);
}

static int do_dump_qps(struct scene *s)
{
	return by_netlink(s, dump_qps);
}

static int dump_stages(struct nl *nl)
{
	return nl_simple(nl, OCFABRIC_CMD_STAGE_GET, NLM_F_DUMP, NULL);
}

static int do_dump_stages(struct scene *s)
{
	return by_netlink(s, dump_stages);
}

static int dump_rings(struct nl *nl)
{
	return nl_simple(nl, OCFABRIC_CMD_RING_GET, NLM_F_DUMP, NULL);
}

static int do_dump_rings(struct scene *s)
{
	return by_netlink(s, dump_rings);
}

static const struct {
	const char *name;
	int (*perform)(struct scene *s);
	bool changes;	/* success is a change of the configuration */
} ops[] = {
	{ "open", do_open, false },
	{ "attach", do_attach, false },
	{ "broadcast", do_broadcast, false },
	{ "moderation", do_moderation, false },
	{ "queue pairs, limits", do_set, false },
	{ "dump of queue pairs", do_dump_qps, false },
	{ "dump of stages", do_dump_stages, false },
	{ "dump of rings", do_dump_rings, false },
	{ "config change", do_change, true },
};

FIXTURE(fail) {
	struct scene s;
	struct config before, after;
	long pinned;
};

static void quiet(const char *what)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/verbose", what);
	write_file(path, "0");
	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/ignore-gfp-wait", what);
	write_file(path, "N");
}

FIXTURE_SETUP(fail)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%ld/fail-nth", syscall(SYS_gettid));
	self->s.fail = open(path, O_RDWR | O_CLOEXEC);
	if (self->s.fail < 0)
		SKIP(return, "this kernel has no fault injection");
	quiet("failslab");
	quiet("fail_page_alloc");
	quiet("fail_usercopy");
	self->pinned = pinned_pages();
	self->s.node = node_open(O_RDWR);
	ASSERT_GE(self->s.node, 0);
	ASSERT_EQ(0, fabric_setup(self->s.node, N, REGION));
	ASSERT_EQ(0, replica_open(&self->s.r, self->s.node, 0, (struct attach){}));
	ASSERT_EQ(0, config_read(self->s.node, &self->before));
	ASSERT_EQ(0, nl_open(&self->s.nl));
}

FIXTURE_TEARDOWN(fail)
{
	if (self->s.fail < 0)
		return;
	replica_close(&self->s.r);
	nl_close(&self->s.nl);
	close(self->s.node);
	EXPECT_TRUE(WAIT_FOR(self->pinned == pinned_pages(), patience(1000)));
}

/* The failure may still be due, and then be the one of the first try. */
static void disarm(struct scene *s)
{
	if (pwrite(s->fail, "0", 1, 0) < 0 && pwrite(s->fail, "0", 1, 0) < 0)
		abort();
}

/* Performs with the nth failure due; whether it came to that. */
static bool failed_once(struct scene *s, unsigned int op, unsigned int nth, int *ret)
{
	char text[16] = {};
	bool came;

	nl_close(&s->nl);
	s->nl.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	s->nl.lossy = true;
	snprintf(text, sizeof(text), "%u", nth);
	if (pwrite(s->fail, text, strlen(text), 0) < 0)
		abort();
	*ret = ops[op].perform(s);
	memset(text, 0, sizeof(text));
	came = pread(s->fail, text, sizeof(text) - 1, 0) > 0 && !atoi(text);
	disarm(s);
	return came;
}

TEST_F(fail, each_in_turn)
{
	if (self->s.fail < 0)
		SKIP(return, "this kernel has no fault injection");
	for (unsigned int op = 0; op < ARRAY_LEN(ops); op++) {
		unsigned int nth, refused = 0;
		int ret;

		for (nth = 1; nth < MOST; nth++) {
			if (!failed_once(&self->s, op, nth, &ret))
				break;
			refused += ret != 0;
			EXPECT_TRUE(ret == 0 || ret == -ENOMEM || ret == -EFAULT)
				TH_LOG("%s, failure %u: %d", ops[op].name, nth, ret);
			ASSERT_EQ(0, config_read(self->s.node, &self->after));
			if (!ops[op].changes || ret) {
				ASSERT_TRUE(config_equal(&self->before, &self->after))
					TH_LOG("%s, failure %u: changed", ops[op].name, nth);
			} else {
				ASSERT_EQ(0, fabric_setup(self->s.node, N, REGION));
			}
			ASSERT_EQ(0, config_read(self->s.node, &self->before));
		}
		printf("# %s: %u failures, %u refused\n", ops[op].name, nth - 1, refused);
		EXPECT_EQ(0, ret)
			TH_LOG("%s fails without a failure: %d", ops[op].name, ret);
		ASSERT_EQ(0, fabric_setup(self->s.node, N, REGION));
		ASSERT_EQ(0, config_read(self->s.node, &self->before));
		ASSERT_EQ(0, replica_reset(&self->s.r));
		EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED,
			  replica_do(&self->s.r, ARG_DESC(inline_desc(0, 0, "on", 2)), NULL));
	}
}

TEST_HARNESS_MAIN
