// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation and copy that an operation makes fails once, the first, then
 * the second, until there are no more: the operation is refused for a reason that
 * fits, or works, and then nothing has changed and nothing is left behind. Needs
 * a kernel with fault injection.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "inject.h"
#include "netlink.h"
#include "ops.h"
#include "util.h"

#define MOST	4000	/* failures of one operation */

/* ---- what must be as before ---- */

struct state {
	struct config config;
	uint8_t replicas[16384];	/* as netlink shows them */
	size_t length;
	long charged;			/* kB */
	int next_fd;
	char holders[16];		/* of the module: files, mappings */
};

static int read_replicas(struct scene *s, struct state *state)
{
	const struct nlmsghdr *m = NULL;
	struct nl_answer a;
	int ret = nl_simple(&s->nl, OCFABRIC_CMD_REPLICA_GET, NLM_F_DUMP, &a);

	state->length = 0;
	while (!ret && (m = nl_next(&a, m))) {
		size_t length = m->nlmsg_len - NLMSG_HDRLEN;

		if (state->length + length > sizeof(state->replicas))
			ret = -EMSGSIZE;
		else
			memcpy(state->replicas + state->length, NLMSG_DATA(m), length);
		state->length += length;
	}
	nl_answer_free(&a);
	return ret;
}

static int next_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static int state_read(struct scene *s, struct state *state)
{
	*state = (struct state){ .charged = status_kb("VmPin"), .next_fd = next_fd() };

	return config_read(s->node, &state->config) ?: read_replicas(s, state) ?:
	       read_line("/sys/module/ocfabric/refcnt", state->holders,
			 sizeof(state->holders));
}

/* NULL, or what is different. */
static const char *state_differs(const struct state *a, const struct state *b,
				 bool new_generation)
{
	static struct config c;

	c = b->config;
	if (new_generation)
		c.get.out_generation = a->config.get.out_generation;
	if (!config_equal(&a->config, &c))
		return "configuration";
	if (a->length != b->length || memcmp(a->replicas, b->replicas, a->length))
		return "replicas";
	if (a->charged != b->charged)
		return "charged memory";
	if (a->next_fd != b->next_fd)
		return "open files";
	return strcmp(a->holders, b->holders) ? "holders of the module" : NULL;
}

/* ---- one operation after the other ---- */

FIXTURE(fail) {
	struct scene s;
	struct state before, made, after;
	int fail;
	long pinned;
};

FIXTURE_SETUP(fail)
{
	self->fail = inject_open();
	if (self->fail < 0)
		SKIP(return, "this kernel has no fault injection");
	self->pinned = pinned_pages();
	ASSERT_EQ(0, scene_open(&self->s));
}

FIXTURE_TEARDOWN(fail)
{
	if (self->fail < 0)
		return;
	scene_close(&self->s);
	EXPECT_TRUE(WAIT_FOR(self->pinned == pinned_pages(), patience(1000)));
}

typedef FIXTURE_DATA(fail) fixture;

/* With a new socket: what was lost on the old one goes with it. */
static void renew_socket(struct nl *nl, bool lossy)
{
	close(nl->fd);
	nl->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	nl->lossy = lossy;
}

static bool fits(const struct op *op, int ret)
{
	return ret == 0 || ret == OP_LOST || ret == -ENOMEM || ret == -EFAULT ||
	       (op->also && ret == op->also);
}

/*
 * Performs with the nth failure due. Answers what went wrong, or NULL; *came:
 * whether it came to the failure.
 */
static const char *perform(fixture *self, const struct op *op, unsigned int nth,
			   bool *came, int *ret)
{
	struct scene *s = &self->s;
	const struct state *before = &self->before;
	const char *differs = NULL;

	if (op->prepare) {
		if (op->prepare(s) || state_read(s, &self->made))
			return "prepare";
		before = &self->made;
	}
	renew_socket(&s->nl, true);
	inject_arm(self->fail, nth);
	*ret = op->perform(s);
	*came = inject_disarm(self->fail);
	renew_socket(&s->nl, false);
	if (*ret < 0) {
		if (state_read(s, &self->after))
			return "state after refusal";
		differs = state_differs(before, &self->after, false);
	}
	if (op->end)
		op->end(s);
	if (differs)
		return differs;
	if (state_read(s, &self->after))
		return "state";
	return state_differs(&self->before, &self->after, op->end);
}

/* Rings are at their start again: no operation depends on what was posted. */
static int works(struct scene *s)
{
	int ret = replica_reset(&s->r);

	if (!ret)
		ret = replica_do(&s->r, ARG_DESC(inline_desc(0, 0, "on", 2)), NULL);
	return ret == OCFABRIC_VERDICT_COMMITTED ? replica_reset(&s->r) : -EIO;
}

static void each_failure(struct __test_metadata *_metadata, fixture *self, const struct op *op)
{
	unsigned int nth, refused = 0;
	uint64_t start = now_ms();
	bool came = true;
	int ret = 0;

	ASSERT_EQ(0, state_read(&self->s, &self->before));
	for (nth = 1; nth < MOST; nth++) {
		const char *wrong = perform(self, op, nth, &came, &ret);

		if (!came)
			break;
		refused += ret < 0;
		EXPECT_TRUE(fits(op, ret))
			TH_LOG("%s, failure %u: answers %d", op->name, nth, ret);
		ASSERT_EQ(NULL, wrong)
			TH_LOG("%s, failure %u (answers %d): %s", op->name, nth, ret, wrong);
		/* the one before it, whatever a refusal left behind */
		self->before.config.get.out_generation =
			self->after.config.get.out_generation;
	}
	printf("# %s: %u failures, %u refused, %u ms\n", op->name, nth - 1, refused,
	       (unsigned int)(now_ms() - start));
	EXPECT_EQ(0, ret)
		TH_LOG("%s fails without a failure: %d", op->name, ret);
	/* asking for it makes each CPU add up what it has: once an operation */
	EXPECT_TRUE(WAIT_FOR(self->pinned == pinned_pages(), patience(1000)))
		TH_LOG("%s leaves pages pinned", op->name);
	ASSERT_EQ(0, works(&self->s))
		TH_LOG("after %s", op->name);
}

static void each_operation(struct __test_metadata *_metadata, fixture *self,
			   const struct op *ops, unsigned int count)
{
	const char *only = getenv("FAIL_NTH_ONLY");

	for (unsigned int i = 0; i < count; i++)
		if (!only || strstr(ops[i].name, only))
			each_failure(_metadata, self, &ops[i]);
}

TEST_F(fail, every_operation_has_a_row)
{
	EXPECT_EQ(0, ops_missing(&self->s));
}

TEST_F(fail, ioctls)
{
	each_operation(_metadata, self, ops_ioctl, ops_ioctls);
}

TEST_F(fail, files)
{
	each_operation(_metadata, self, ops_file, ops_files);
}

TEST_F(fail, netlink)
{
	each_operation(_metadata, self, ops_netlink, ops_netlinks);
}

TEST_HARNESS_MAIN
