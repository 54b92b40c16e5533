// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where writes are: counts of the stages, the one that is held up and the events
 * about it, events about rejects, and the last entries of the rings
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "netlink.h"
#include "util.h"

#define REGION	0x10000u
#define N	3
#define LINK	0u
#define LONG	30000u		/* ms: that it comes at all */

struct stage {
	uint64_t in, out, ended, held, waits_for, since, due, clock;
};

FIXTURE(stages) {
	int node;
	struct nl nl, events;
	struct replica r;
	struct counters counters;
	struct stage stage[N][OCFABRIC_PATHS];
	struct ocfabric_info info;
	uint8_t buffer[8192];
};

typedef FIXTURE_DATA(stages) fixture;

FIXTURE_SETUP(stages)
{
	self->r.fd = -1;
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, nl_open(&self->nl));
	ASSERT_EQ(0, nl_open(&self->events));
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	self->info = NEW(ocfabric_info);
	ASSERT_EQ(0, call(self->node, OCFABRIC_INFO, &self->info));
	ASSERT_EQ(0, replica_open(&self->r, self->node, LINK, (struct attach){}));
	ASSERT_EQ(0, nl_listen(&self->events));
}

FIXTURE_TEARDOWN(stages)
{
	replica_close(&self->r);
	EXPECT_EQ(0, nl_limits(&self->nl, OCFABRIC_STALL_LIMIT, OCFABRIC_STORM_LIMIT, NULL));
	EXPECT_EQ(0, fabric_setup(self->node, N, REGION));
	nl_close(&self->nl);
	nl_close(&self->events);
	close(self->node);
}

#define V(m, name)	nl_value(m, OCFABRIC_A_STAGE_##name, ~0ull)

/* All of a card's, of links below n and in their order */
static int stages_read(fixture *self)
{
	const struct nlmsghdr *m = NULL;
	struct nl_answer a;
	unsigned int count = 0;
	int ret = nl_simple(&self->nl, OCFABRIC_CMD_STAGE_GET, NLM_F_DUMP, &a);

	if (ret)
		return ret;
	while ((m = nl_next(&a, m))) {
		unsigned int link = count / OCFABRIC_PATHS, stage = count % OCFABRIC_PATHS;

		if (V(m, LINK) != link || V(m, STAGE) != stage || link >= N)
			ret = -EPROTO;
		else
			self->stage[link][stage] = (struct stage){
				V(m, IN), V(m, OUT), V(m, ENDED), V(m, HELD),
				V(m, WAITS_FOR), V(m, SINCE), V(m, DUE), V(m, CLOCK),
			};
		count++;
	}
	nl_answer_free(&a);
	return ret ?: count == N * OCFABRIC_PATHS ? 0 : -EPROTO;
}

/* The law, link by link */
static bool adds_up(const fixture *self)
{
	for (unsigned int link = 0; link < N; link++) {
		const struct stage *s = self->stage[link];

		for (unsigned int i = 0; i < OCFABRIC_PATHS; i++) {
			if (s[i].in - s[i].out - s[i].ended != s[i].held)
				return false;
			if (i && s[i].in != s[i - 1].out)
				return false;
		}
	}
	return true;
}

static int posted(fixture *self, struct ocfabric_desc d, unsigned int verdict)
{
	struct ocfabric_cqe e;

	replica_post(&self->r, &d);
	replica_ring(&self->r);
	return replica_wait(&self->r, &e, LONG) && e.status == verdict ? 0 : -1;
}

static int traffic(fixture *self)
{
	return posted(self, inline_desc(0, 0, "a", 1), OCFABRIC_VERDICT_COMMITTED) ||
	       posted(self, inline_desc(0, 0, "ab", 2), OCFABRIC_VERDICT_COMMITTED) ||
	       posted(self, write_desc(1, 64, 5000, OCFABRIC_KEY_REGION, 0),
		      OCFABRIC_VERDICT_COMMITTED) ||
	       posted(self, inline_desc(200, 0, "a", 1), OCFABRIC_VERDICT_UNMAPPED) ||
	       posted(self, inline_desc(0, 2, "a", 1), OCFABRIC_VERDICT_MISALIGNED) ||
	       posted(self, inline_desc(0, REGION, "a", 1), OCFABRIC_VERDICT_OUT_OF_BOUNDS) ||
	       posted(self, imm_desc(0, 0, "a", 1, 1), OCFABRIC_VERDICT_RNR);
}

/* No link is told of as one whose stages do not add up. */
static uint64_t errors(fixture *self)
{
	const struct nlmsghdr *m;
	struct nl_answer a;
	uint64_t value = ~0ull;

	if (nl_simple(&self->nl, OCFABRIC_CMD_DEVICE_GET, 0, &a))
		return value;
	m = nl_next(&a, NULL);
	if (m)
		value = nl_value(m, OCFABRIC_A_DEVICE_ERRORS, ~0ull);
	nl_answer_free(&a);
	return value;
}

static uint64_t file_value(unsigned int link, const char *stage, const char *count)
{
	char path[128], text[64];

	snprintf(path, sizeof(path), "/sys/class/misc/ocfabric%u/link%u/stage_%s_%s",
		 node_number(), link, stage, count);
	return read_line(path, text, sizeof(text)) ? ~0ull : strtoull(text, NULL, 10);
}

static const struct nlmsghdr *told(fixture *self, unsigned int kind)
{
	while (!nl_event(&self->events, LONG, self->buffer, sizeof(self->buffer)))
		if (nl_value((void *)self->buffer, OCFABRIC_A_EVENT_KIND, ~0ull) == kind)
			return (void *)self->buffer;
	return NULL;
}

#define TOLD(m, name)	nl_value(m, OCFABRIC_A_EVENT_##name, ~0ull)

TEST_F(stages, add_up_after_traffic)
{
	static const char *const names[OCFABRIC_PATHS] = {
		"taken", "mapped", "authorized", "realigned", "issued", "acknowledged",
		"completed",
	};
	const struct stage *s = self->stage[LINK];
	const struct nlmsghdr *m;
	uint64_t ended = 0;

	ASSERT_EQ(0, traffic(self));
	ASSERT_EQ(0, stages_read(self));
	EXPECT_TRUE(adds_up(self));
	ASSERT_EQ(0, counters_read(self->node, &self->counters));
	EXPECT_EQ(7, s[OCFABRIC_PATH_TAKEN].in);
	EXPECT_EQ(3, s[OCFABRIC_PATH_COMPLETED].out);
	EXPECT_EQ(1, s[OCFABRIC_PATH_MAPPED].ended);
	EXPECT_EQ(3, s[OCFABRIC_PATH_AUTHORIZED].ended);
	EXPECT_EQ(0, self->stage[1][OCFABRIC_PATH_TAKEN].in);
	for (unsigned int i = 0; i < OCFABRIC_PATHS; i++) {
		ended += s[i].ended;
		EXPECT_EQ(0, s[i].held);
		EXPECT_EQ(~0ull, s[i].waits_for);
		EXPECT_EQ(s[0].clock, s[i].clock);
		EXPECT_EQ(s[i].in, file_value(LINK, names[i], "in"));
		EXPECT_EQ(s[i].out, file_value(LINK, names[i], "out"));
		EXPECT_EQ(s[i].ended, file_value(LINK, names[i], "ended"));
	}
	EXPECT_EQ(self->counters.link[LINK][OCFABRIC_COUNTER_WRITES],
		  ended + s[OCFABRIC_PATH_COMPLETED].out);
	EXPECT_EQ(0, errors(self) & OCFABRIC_ERROR_CONSERVATION);
	/* with the counters */
	ASSERT_EQ(0, nl_reset(&self->nl, OCFABRIC_RESET_TARGET_COUNTERS));
	ASSERT_EQ(0, stages_read(self));
	EXPECT_EQ(0, s[OCFABRIC_PATH_TAKEN].in);
	EXPECT_EQ(0, s[OCFABRIC_PATH_MAPPED].ended);
	/* what is told of its rejects, and that may be later, is not for the next test */
	do {
		m = told(self, OCFABRIC_EVENT_KIND_REJECTED);
		ASSERT_NE(NULL, m);
	} while (TOLD(m, VERDICT) != OCFABRIC_VERDICT_RNR);
}

static unsigned int holder(fixture *self)
{
	unsigned int i = 0;

	if (stages_read(self))
		return ~0u;
	while (i < OCFABRIC_PATHS && !self->stage[LINK][i].held)
		i++;
	return i;
}

/* An HBM that does not answer is found, and named, without looking. */
TEST_F(stages, stalled_hbm)
{
	const struct nlmsghdr *m;
	const struct stage *s;
	struct ocfabric_cqe e;
	unsigned int at;

	if (!(self->info.out_features & OCFABRIC_FEATURE_FAULTS))
		SKIP(return, "the card offers no fault injection");
	ASSERT_EQ(0, nl_limits(&self->nl, 50, ~0u, NULL));
	ASSERT_EQ(0, CHANGE(self->node, step_fault(OCFABRIC_CHANGE_FAULT_DELAY, 2, 0, ~0u)));
	replica_post(&self->r, ARG_DESC(inline_desc(1, 0, "stuck", 5)));
	replica_ring(&self->r);
	m = told(self, OCFABRIC_EVENT_KIND_STALLED);
	ASSERT_NE(NULL, m);
	EXPECT_EQ(LINK, TOLD(m, REPLICA));
	EXPECT_EQ(1, TOLD(m, QPN));
	EXPECT_LE(50, TOLD(m, AGE));
	EXPECT_NE(~0ull, TOLD(m, CLOCK));
	at = holder(self);
	ASSERT_GT(OCFABRIC_PATHS, at);
	EXPECT_EQ(at, TOLD(m, STAGE));
	EXPECT_TRUE(adds_up(self));
	s = &self->stage[LINK][at];
	EXPECT_EQ(OCFABRIC_WAITS_FOR_RESPONSE, s->waits_for);
	EXPECT_GT(s->clock, s->since);
	EXPECT_LT(s->clock, s->due);
	EXPECT_EQ(0, s->ended);
	EXPECT_EQ(0, errors(self) & OCFABRIC_ERROR_CONSERVATION);
	ASSERT_EQ(0, nl_reset_link(&self->nl, OCFABRIC_RESET_TARGET_LINK, LINK, NULL));
	ASSERT_TRUE(replica_wait(&self->r, &e, LONG));
	EXPECT_EQ(OCFABRIC_VERDICT_DMA_ERROR, e.status);
	EXPECT_EQ(OCFABRIC_PATHS, holder(self));
	EXPECT_TRUE(adds_up(self));
	EXPECT_EQ(1, self->stage[LINK][at].ended);
}

/* So is a latency that does not pass. */
TEST_F(stages, latency_is_waited_for)
{
	ASSERT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_LATENCY, 0xffffffff)));
	replica_post(&self->r, ARG_DESC(inline_desc(1, 0, "later", 5)));
	replica_ring(&self->r);
	EXPECT_TRUE(WAIT_FOR(holder(self) == OCFABRIC_PATH_TAKEN, LONG));
	EXPECT_EQ(OCFABRIC_WAITS_FOR_LATENCY, self->stage[LINK][0].waits_for);
	EXPECT_LT(self->stage[LINK][0].clock, self->stage[LINK][0].due);
	EXPECT_TRUE(adds_up(self));
	ASSERT_EQ(0, nl_reset_link(&self->nl, OCFABRIC_RESET_TARGET_LINK, LINK, NULL));
	EXPECT_TRUE(WAIT_FOR(holder(self) == OCFABRIC_PATHS, LONG));
	EXPECT_EQ(1, self->stage[LINK][0].ended);
}

/* Few events for many rejects; none of them is missing in the sum. */
TEST_F(stages, rejects_are_told)
{
	enum { MANY = 300 };
	uint64_t sum = 0, events = 0;
	struct ocfabric_cqe e;

	for (unsigned int i = 0; i < MANY; i++) {
		replica_post(&self->r, ARG_DESC(inline_desc(0, 2, "odd", 3)));
		replica_ring(&self->r);
		ASSERT_TRUE(replica_wait(&self->r, &e, LONG));
		ASSERT_EQ(OCFABRIC_VERDICT_MISALIGNED, e.status);
	}
	while (sum < MANY) {
		const struct nlmsghdr *m = told(self, OCFABRIC_EVENT_KIND_REJECTED);

		ASSERT_NE(NULL, m)
			TH_LOG("%llu told", (unsigned long long)sum);
		EXPECT_EQ(LINK, TOLD(m, REPLICA));
		EXPECT_EQ(0, TOLD(m, QPN));
		EXPECT_EQ(OCFABRIC_VERDICT_MISALIGNED, TOLD(m, VERDICT));
		sum += 1 + TOLD(m, OMITTED);
		events++;
	}
	EXPECT_EQ(MANY, sum);
	EXPECT_GT(MANY, events);
}

#define SECRET_IMM	0xfeedc0deu

static bool has_bytes(const struct nl_answer *a, const void *what, size_t length)
{
	return memmem(a->data, a->length, what, length);
}

static unsigned int entries(const struct nl_answer *a, unsigned int ring,
			    const struct nlattr **last, uint32_t *index)
{
	const struct nlmsghdr *m = NULL;
	unsigned int count = 0;

	while ((m = nl_next(a, m))) {
		if (nl_value(m, OCFABRIC_A_RING_RING, ~0ull) != ring ||
		    nl_value(m, OCFABRIC_A_RING_REPLICA, ~0ull) != LINK)
			continue;
		*last = nl_attr(m, OCFABRIC_A_RING_ENTRY);
		*index = nl_value(m, OCFABRIC_A_RING_INDEX, ~0ull);
		count++;
	}
	return count;
}

TEST_F(stages, rings_without_secrets)
{
	static const char secret[] = "topsecret-payload";
	const uint32_t imm = SECRET_IMM;
	const struct nlattr *entry = NULL;
	struct ocfabric_desc desc;
	struct ocfabric_cqe cqe;
	uint32_t key, index = 0;
	struct nl_answer a;
	void *source;

	ASSERT_EQ(0, buffer_add(self->r.fd, PAGE, &key, &source));
	for (unsigned int i = 0; i < 20; i++)
		ASSERT_EQ(0, posted(self, inline_desc(0, 4 * i, secret, sizeof(secret)),
				    OCFABRIC_VERDICT_COMMITTED));
	ASSERT_EQ(0, posted(self, imm_desc(0, 0, secret, sizeof(secret), imm),
			    OCFABRIC_VERDICT_RNR));
	ASSERT_EQ(0, posted(self, write_desc(1, 0x124, 77, key, 0x3a7),
			    OCFABRIC_VERDICT_COMMITTED));
	ASSERT_EQ(0, nl_simple(&self->nl, OCFABRIC_CMD_RING_GET, NLM_F_DUMP, &a));
	EXPECT_FALSE(has_bytes(&a, secret, 9));
	EXPECT_FALSE(has_bytes(&a, &imm, sizeof(imm)));
	EXPECT_EQ(16, entries(&a, OCFABRIC_RING_KIND_TX, &entry, &index));
	EXPECT_EQ(21, index);
	ASSERT_EQ(sizeof(desc), nl_length(entry));
	memcpy(&desc, nl_data(entry), sizeof(desc));
	EXPECT_EQ(OCFABRIC_OP_WRITE, desc.opcode);
	EXPECT_EQ(1, desc.qpn);
	EXPECT_EQ(0x124, desc.raddr);
	EXPECT_EQ(77, desc.len);
	EXPECT_EQ(0, desc.key);
	EXPECT_EQ(0, desc.addr);
	EXPECT_EQ(16, entries(&a, OCFABRIC_RING_KIND_CQ, &entry, &index));
	EXPECT_EQ(21, index);
	ASSERT_EQ(sizeof(cqe), nl_length(entry));
	memcpy(&cqe, nl_data(entry), sizeof(cqe));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, cqe.status);
	EXPECT_EQ(77, cqe.bytes);
	EXPECT_EQ(0, entries(&a, OCFABRIC_RING_KIND_RX, &entry, &index));
	nl_answer_free(&a);

	/* what a queue stopped at is there, too */
	replica_post(&self->r, &(struct ocfabric_desc){ .opcode = 99, .imm = imm });
	replica_ring(&self->r);
	ASSERT_TRUE(WAIT_FOR(queue_stopped(&self->r, ARG(ocfabric_queue_get)) > 0, LONG));
	ASSERT_EQ(0, nl_simple(&self->nl, OCFABRIC_CMD_RING_GET, NLM_F_DUMP, &a));
	EXPECT_EQ(16, entries(&a, OCFABRIC_RING_KIND_TX, &entry, &index));
	EXPECT_EQ(22, index);
	memcpy(&desc, nl_data(entry), sizeof(desc));
	EXPECT_EQ(99, desc.opcode);
	EXPECT_FALSE(has_bytes(&a, &imm, sizeof(imm)));
	nl_answer_free(&a);
}

TEST_HARNESS_MAIN
