// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation and copy that a call makes fails once, the first, then the
 * second, until it makes no more: the call is refused, nothing has changed,
 * nothing is left behind. Needs a kernel with fault injection.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
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
	struct nl nl;
	int fail;		/* fail-nth of this thread */
	uint32_t key;
	int event;
	uint8_t *memory;
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

static int do_change_by_netlink(struct scene *s)
{
	const struct ocfabric_change c[] = { step_replicas(5), step_region(4, 0x100000, 64) };
	unsigned int index;

	return nl_change(&s->nl, false, c, 2, NULL, &index);
}

static int do_config_get(struct scene *s)
{
	static struct config c;

	return config_read(s->node, &c);
}

static int do_counters_get(struct scene *s)
{
	struct counters c;

	return counters_read(s->node, &c);
}

static int do_key_add(struct scene *s)
{
	int ret = key_add(s->r.fd, s->memory, 32 * PAGE, &s->key);

	return ret ? ret : key_del(s->r.fd, s->key);
}

static int do_buffer_add(struct scene *s)
{
	void *map = MAP_FAILED;
	int ret = buffer_add(s->r.fd, 32 * PAGE, &s->key, &map);

	if (map != MAP_FAILED)
		munmap(map, 32 * PAGE);
	if (!ret)
		return key_del(s->r.fd, s->key);
	return ret;
}

static int do_map(struct scene *s)
{
	void *p = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_SHARED, s->r.fd,
		       s->r.get.out_map_region.offset);
	int signal;

	if (p == MAP_FAILED)
		return -errno;
	signal = touch_write(p);
	munmap(p, REGION);
	return signal ? -ENOMEM : 0;
}

static int do_queue_reset(struct scene *s)
{
	return replica_reset(&s->r);
}

static int do_eventfd(struct scene *s)
{
	return call(s->r.fd, OCFABRIC_EVENTFD, ARG(ocfabric_eventfd, .fd = s->event));
}

static int do_rejects(struct scene *s)
{
	struct ocfabric_hw_reject kept[OCFABRIC_REJECTS];

	return call(s->r.fd, OCFABRIC_REJECTS_GET, ARG(ocfabric_rejects_get,
		    .rejects = (uintptr_t)kept, .count = OCFABRIC_REJECTS));
}

static int do_drain(struct scene *s)
{
	int ret = call(s->node, OCFABRIC_DRAIN, ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_HOLD));

	if (ret)
		return ret;
	return call(s->node, OCFABRIC_DRAIN, ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_RESUME));
}

static int do_io(struct scene *s)
{
	if (pwrite(s->r.fd, s->memory, PAGE, 4) < 0 || pread(s->r.fd, s->memory, PAGE, 4) < 0)
		return -errno;
	return 0;
}

static int do_dumps(struct scene *s)
{
	for (uint8_t cmd = OCFABRIC_CMD_REGION_GET; cmd <= OCFABRIC_CMD_REJECT_GET; cmd++) {
		int ret = nl_simple(&s->nl, cmd, NLM_F_DUMP, NULL);

		if (ret)
			return ret;
	}
	return nl_simple(&s->nl, OCFABRIC_CMD_DEVICE_GET, 0, NULL);
}

static const struct {
	const char *name;
	int (*perform)(struct scene *s);
	bool changes;	/* success is a change of the configuration */
} ops[] = {
	{ "open", do_open, false },
	{ "attach", do_attach, false },
	{ "config change", do_change, true },
	{ "config change by netlink", do_change_by_netlink, true },
	{ "config get", do_config_get, false },
	{ "counters get", do_counters_get, false },
	{ "key add", do_key_add, false },
	{ "buffer add", do_buffer_add, false },
	{ "map", do_map, false },
	{ "queue reset", do_queue_reset, false },
	{ "eventfd", do_eventfd, false },
	{ "rejects", do_rejects, false },
	{ "drain", do_drain, false },
	{ "pread and pwrite", do_io, false },
	{ "dumps", do_dumps, false },
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
	ASSERT_EQ(0, nl_open(&self->s.nl));
	self->s.event = eventfd(0, EFD_CLOEXEC);
	self->s.memory = mmap(NULL, 32 * PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, self->s.memory);
	ASSERT_EQ(0, config_read(self->s.node, &self->before));
}

FIXTURE_TEARDOWN(fail)
{
	if (self->s.fail < 0)
		return;
	replica_close(&self->s.r);
	nl_close(&self->s.nl);
	close(self->s.node);
	EXPECT_EQ(self->pinned, pinned_pages());
}

/* Performs with the nth failure due; whether it came to that. */
static bool failed_once(struct scene *s, unsigned int op, unsigned int nth, int *ret)
{
	char text[16] = {};
	bool came;

	snprintf(text, sizeof(text), "%u", nth);
	if (pwrite(s->fail, text, strlen(text), 0) < 0)
		abort();
	*ret = ops[op].perform(s);
	memset(text, 0, sizeof(text));
	came = pread(s->fail, text, sizeof(text) - 1, 0) > 0 && !atoi(text);
	if (pwrite(s->fail, "0", 1, 0) < 0)
		abort();
	return came;
}

TEST_F_TIMEOUT(fail, each_in_turn, 250)
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
			EXPECT_TRUE(ret == 0 || ret == -ENOMEM || ret == -EFAULT ||
				    ret == -ENOBUFS || ret == -ETIMEDOUT)
				TH_LOG("%s, failure %u: %d", ops[op].name, nth, ret);
			ASSERT_EQ(0, config_read(self->s.node, &self->after));
			/* an answer by netlink may be what was lost */
			if (!ops[op].changes || ret == -ENOMEM || ret == -EFAULT) {
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
