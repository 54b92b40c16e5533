// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs by netlink: what is shown of them, every move, what is refused and
 * in which words, and what the moves mean for writes
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "netlink.h"
#include "util.h"

#define REGION	0x10000u
#define N	3
#define LINK	0u
#define QPN	0u		/* to replica 1 */
#define QPN2	1u		/* to replica 2 */
#define LONG	30000u		/* ms: that it comes at all */
#define STATES	(OCFABRIC_QP_ERR + 1)

static const char *const names[STATES] = {
	"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR",
};

FIXTURE(qp) {
	int node;
	struct nl nl;
	struct replica r;
	struct nl_qp qp;
	struct nl_answer a;
	struct counters counters;
	struct ocfabric_info info;
};

typedef FIXTURE_DATA(qp) fixture;

FIXTURE_SETUP(qp)
{
	self->r.fd = -1;
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, nl_open(&self->nl));
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	/* whoever was here before has sent by the same connections */
	ASSERT_EQ(0, nl_recover_qps(&self->nl, N));
	self->info = NEW(ocfabric_info);
	ASSERT_EQ(0, call(self->node, OCFABRIC_INFO, &self->info));
	ASSERT_EQ(0, replica_open(&self->r, self->node, LINK, (struct attach){}));
}

FIXTURE_TEARDOWN(qp)
{
	replica_close(&self->r);
	/* one that drains is the only one that can be recovered */
	nl_reset_qp(&self->nl, OCFABRIC_RESET_TARGET_QP, LINK, QPN, NULL);
	EXPECT_EQ(0, fabric_setup(self->node, N, REGION));
	EXPECT_EQ(0, nl_recover_qps(&self->nl, N));
	nl_close(&self->nl);
	close(self->node);
}

#define A(name)		OCFABRIC_A_QP_##name

/* SET(link, qpn, { A(STATE), state }, { A(MTU), 256 }) */
#define SET(link, qpn, ...) ({						\
	const struct nl_u32 set_[] = { __VA_ARGS__ };			\
	nl_qp_set(&self->nl, link, qpn, set_, ARRAY_LEN(set_), &self->a); })
#define GET(name) \
	(nl_qp_get(&self->nl, LINK, QPN, &self->qp) ? ~1u : self->qp.attr[A(name)])
#define RECOVER(qpn) \
	nl_reset_qp(&self->nl, OCFABRIC_RESET_TARGET_QP, LINK, qpn, NULL)

static int to_rtr(fixture *self, uint32_t psn, uint32_t mtu)
{
	return SET(LINK, QPN, { A(STATE), OCFABRIC_QP_RTR }, { A(EXPECTED_PSN), psn },
		   { A(MTU), mtu }, { A(RNR_TIMER), 12 });
}

static int to_rts(fixture *self, uint32_t psn)
{
	return SET(LINK, QPN, { A(STATE), OCFABRIC_QP_RTS }, { A(SEND_PSN), psn },
		   { A(RETRY_LIMIT), 7 }, { A(RNR_LIMIT), 7 }, { A(TIMEOUT), 14 });
}

static int to(fixture *self, uint32_t state)
{
	return SET(LINK, QPN, { A(STATE), state });
}

static int send_one(fixture *self, uint32_t qpn, struct ocfabric_cqe *e)
{
	replica_post(&self->r, ARG_DESC(inline_desc(qpn, 0x1000, "here", 4)));
	replica_ring(&self->r);
	return replica_wait(&self->r, e, LONG) ? e->status : -ETIMEDOUT;
}

/* To SQE only the card moves: its ends are set apart, and then it sends. */
static int to_sqe(fixture *self)
{
	uint32_t psn = GET(EXPECTED_PSN);
	struct ocfabric_cqe e;

	return SET(LINK, QPN, { A(EXPECTED_PSN), psn + 1 }) ?: send_one(self, QPN, &e);
}

/* From wherever it is */
static int reach(fixture *self, unsigned int state)
{
	int ret = RECOVER(QPN);

	switch (state) {
	case OCFABRIC_QP_RTS:
		return ret;
	case OCFABRIC_QP_SQD:
	case OCFABRIC_QP_ERR:
	case OCFABRIC_QP_RESET:
		return ret ?: to(self, state);
	case OCFABRIC_QP_SQE:
		return ret ?: to_sqe(self);
	}
	ret = ret ?: to(self, OCFABRIC_QP_RESET) ?: to(self, OCFABRIC_QP_INIT);
	return ret || state == OCFABRIC_QP_INIT ? ret : to_rtr(self, 0, 4096);
}

TEST_F(qp, connections_are_shown)
{
	const struct nlmsghdr *m = NULL;
	unsigned int count = 0;

	ASSERT_EQ(0, nl_simple(&self->nl, OCFABRIC_CMD_QP_GET, NLM_F_DUMP, &self->a));
	while ((m = nl_next(&self->a, m))) {
		unsigned int link = nl_value(m, A(LINK), ~0ull), peer = nl_value(m, A(PEER), ~0ull);

		count++;
		ASSERT_GT(N, link);
		EXPECT_EQ(qpn_of(N, link, peer), nl_value(m, A(QPN), ~0ull));
		EXPECT_EQ(OCFABRIC_QP_RTS, nl_value(m, A(STATE), ~0ull));
		EXPECT_EQ(0, nl_value(m, A(SEND_PSN), ~0ull));
		EXPECT_EQ(0, nl_value(m, A(EXPECTED_PSN), ~0ull));
		EXPECT_EQ(OCFABRIC_QP_WINDOW_DEFAULT, nl_value(m, A(WINDOW), ~0ull));
		EXPECT_EQ(OCFABRIC_QP_MTU_MAX, nl_value(m, A(MTU), ~0ull));
		EXPECT_EQ(OCFABRIC_QP_LIMIT_DEFAULT, nl_value(m, A(RETRY_LIMIT), ~0ull));
		EXPECT_EQ(OCFABRIC_QP_LIMIT_DEFAULT, nl_value(m, A(RNR_LIMIT), ~0ull));
		EXPECT_EQ(OCFABRIC_QP_TIMEOUT_DEFAULT, nl_value(m, A(TIMEOUT), ~0ull));
		EXPECT_EQ(OCFABRIC_QP_RNR_TIMER_DEFAULT, nl_value(m, A(RNR_TIMER), ~0ull));
		EXPECT_EQ(0, nl_value(m, A(OUTSTANDING), ~0ull));
		EXPECT_EQ(0, nl_value(m, A(DRAINING), ~0ull));
		EXPECT_EQ(OCFABRIC_QP_CAUSE_NONE, nl_value(m, A(CAUSE), ~0ull));
	}
	nl_answer_free(&self->a);
	EXPECT_EQ(N * (N - 1), count);
	/* one that is gone is gone here, too; one that comes is ready */
	ASSERT_EQ(0, CHANGE(self->node, step_connection(LINK, QPN, OCFABRIC_PEER_NONE),
			    step_connection(LINK, 77, 2)));
	EXPECT_EQ(-ENOENT, nl_qp_get(&self->nl, LINK, QPN, &self->qp));
	EXPECT_EQ(0, nl_qp_get(&self->nl, LINK, 77, &self->qp));
	EXPECT_EQ(2, self->qp.attr[A(PEER)]);
	EXPECT_EQ(OCFABRIC_QP_RTS, self->qp.attr[A(STATE)]);
}

/* From each state, where software may move it */
static const uint8_t legal[STATES] = {
	[OCFABRIC_QP_RESET] = 1 << OCFABRIC_QP_RESET | 1 << OCFABRIC_QP_INIT | 1 << OCFABRIC_QP_ERR,
	[OCFABRIC_QP_INIT] = 1 << OCFABRIC_QP_RESET | 1 << OCFABRIC_QP_INIT |
			     1 << OCFABRIC_QP_RTR | 1 << OCFABRIC_QP_ERR,
	[OCFABRIC_QP_RTR] = 1 << OCFABRIC_QP_RESET | 1 << OCFABRIC_QP_RTS | 1 << OCFABRIC_QP_ERR,
	[OCFABRIC_QP_RTS] = 1 << OCFABRIC_QP_RESET | 1 << OCFABRIC_QP_RTS |
			    1 << OCFABRIC_QP_SQD | 1 << OCFABRIC_QP_ERR,
	[OCFABRIC_QP_SQD] = 1 << OCFABRIC_QP_RESET | 1 << OCFABRIC_QP_RTS |
			    1 << OCFABRIC_QP_SQD | 1 << OCFABRIC_QP_ERR,
	[OCFABRIC_QP_SQE] = 1 << OCFABRIC_QP_RESET | 1 << OCFABRIC_QP_RTS | 1 << OCFABRIC_QP_ERR,
	[OCFABRIC_QP_ERR] = 1 << OCFABRIC_QP_RESET | 1 << OCFABRIC_QP_ERR,
};

static int move(fixture *self, unsigned int from, unsigned int target)
{
	if (from == OCFABRIC_QP_INIT && target == OCFABRIC_QP_RTR)
		return to_rtr(self, 0, 4096);
	if (from == OCFABRIC_QP_RTR && target == OCFABRIC_QP_RTS)
		return to_rts(self, 0);
	if (from == OCFABRIC_QP_SQE && target == OCFABRIC_QP_RTS)
		return SET(LINK, QPN, { A(STATE), target }, { A(SEND_PSN), 9 },
			   { A(EXPECTED_PSN), 9 });
	return to(self, target);
}

/* The sentence names the moves that there are, those and no others. */
static bool lists_moves(const char *sentence, unsigned int from)
{
	char head[64];
	const char *list;

	snprintf(head, sizeof(head), "; from %s: ", names[from]);
	list = strstr(sentence, head);
	for (unsigned int s = 0; list && s < STATES; s++) {
		bool may = s != from && legal[from] >> s & 1;

		if (may != !!strstr(list + strlen(head), names[s]))
			return false;
	}
	return list;
}

TEST_F(qp, every_move)
{
	for (unsigned int from = 0; from < STATES; from++) {
		for (unsigned int target = 0; target < STATES; target++) {
			int ret;

			ASSERT_EQ(0, reach(self, from))
				TH_LOG("%s", names[from]);
			ASSERT_EQ(from, GET(STATE));
			ret = move(self, from, target);
			if (legal[from] >> target & 1) {
				EXPECT_EQ(0, ret)
					TH_LOG("%s to %s: %s", names[from], names[target],
					       self->a.sentence);
				EXPECT_EQ(target, GET(STATE));
				continue;
			}
			EXPECT_EQ(-EINVAL, ret)
				TH_LOG("%s to %s", names[from], names[target]);
			EXPECT_NE(0, self->a.offset);
			EXPECT_TRUE(lists_moves(self->a.sentence, from))
				TH_LOG("%s to %s: %s", names[from], names[target],
				       self->a.sentence);
			EXPECT_EQ(from, GET(STATE));
		}
	}
	EXPECT_EQ(0, reach(self, OCFABRIC_QP_RESET));
	EXPECT_EQ(-EINVAL, to(self, OCFABRIC_QP_RTS));
	EXPECT_STREQ("link 0 qpn 0: no move from RESET to RTS; from RESET: INIT, ERR",
		     self->a.sentence);
}

#define REFUSED(error, word, ...) do {					\
	EXPECT_EQ(error, SET(LINK, QPN, __VA_ARGS__));			\
	EXPECT_NE(NULL, strstr(self->a.sentence, word))			\
		TH_LOG("%s", self->a.sentence);				\
} while (0)

TEST_F(qp, attributes_that_are_missing_or_not_allowed)
{
	ASSERT_EQ(0, reach(self, OCFABRIC_QP_RESET));
	REFUSED(-EINVAL, "mtu cannot change from RESET to INIT",
		{ A(STATE), OCFABRIC_QP_INIT }, { A(MTU), 256 });
	EXPECT_NE(0, self->a.offset);
	ASSERT_EQ(0, to(self, OCFABRIC_QP_INIT));
	REFUSED(-EINVAL, "needs expected-psn", { A(STATE), OCFABRIC_QP_RTR },
		{ A(MTU), 256 }, { A(RNR_TIMER), 1 });
	REFUSED(-EINVAL, "needs mtu", { A(STATE), OCFABRIC_QP_RTR },
		{ A(EXPECTED_PSN), 1 }, { A(RNR_TIMER), 1 });
	REFUSED(-EINVAL, "needs rnr-timer", { A(STATE), OCFABRIC_QP_RTR },
		{ A(EXPECTED_PSN), 1 }, { A(MTU), 256 });
	REFUSED(-EINVAL, "window", { A(STATE), OCFABRIC_QP_RTR }, { A(EXPECTED_PSN), 1 },
		{ A(MTU), 256 }, { A(RNR_TIMER), 1 }, { A(WINDOW), 1 });
	EXPECT_EQ(OCFABRIC_QP_INIT, GET(STATE));
	ASSERT_EQ(0, to_rtr(self, 7, 256));
	EXPECT_EQ(256, GET(MTU));
	REFUSED(-EINVAL, "needs send-psn", { A(STATE), OCFABRIC_QP_RTS },
		{ A(RETRY_LIMIT), 7 }, { A(RNR_LIMIT), 7 }, { A(TIMEOUT), 14 });
	REFUSED(-EINVAL, "needs timeout", { A(STATE), OCFABRIC_QP_RTS }, { A(SEND_PSN), 7 },
		{ A(RETRY_LIMIT), 7 }, { A(RNR_LIMIT), 7 });
	EXPECT_EQ(-EINVAL, to_rts(self, 8));
	EXPECT_NE(NULL, strstr(self->a.sentence, "send-psn other than expected-psn"))
		TH_LOG("%s", self->a.sentence);
	EXPECT_EQ(OCFABRIC_QP_RTR, GET(STATE));
	ASSERT_EQ(0, to_rts(self, 7));
	EXPECT_EQ(7, GET(SEND_PSN));
	/* in a state that stays */
	ASSERT_EQ(0, SET(LINK, QPN, { A(WINDOW), 5 }));
	EXPECT_EQ(5, GET(WINDOW));
	REFUSED(-EINVAL, "mtu cannot change in RTS", { A(MTU), 512 });
	ASSERT_EQ(0, reach(self, OCFABRIC_QP_SQE));
	REFUSED(-EINVAL, "nothing can change in SQE", { A(WINDOW), 5 });
}

TEST_F(qp, values_and_names_that_cannot_be)
{
	REFUSED(-EINVAL, "256, 512", { A(MTU), 257 });
	EXPECT_NE(0, self->a.offset);
	EXPECT_EQ(-ERANGE, SET(LINK, QPN, { A(MTU), 255 }));
	EXPECT_EQ(-ERANGE, SET(LINK, QPN, { A(WINDOW), 0 }));
	EXPECT_EQ(-ERANGE, SET(LINK, QPN, { A(WINDOW), 32769 }));
	EXPECT_EQ(-ERANGE, SET(LINK, QPN, { A(EXPECTED_PSN), 1 << 24 }));
	EXPECT_EQ(-ERANGE, SET(LINK, QPN, { A(STATE), STATES }));
	EXPECT_EQ(-ERANGE, SET(LINK, 256, { A(STATE), 0 }));
	EXPECT_EQ(-EINVAL, nl_qp_set(&self->nl, LINK, QPN, NULL, 0, &self->a));
	EXPECT_LT(10, strlen(self->a.sentence));
	EXPECT_EQ(-EINVAL, SET(QP_ABSENT, QPN, { A(STATE), 0 }));
	EXPECT_EQ(-EINVAL, SET(LINK, QP_ABSENT, { A(STATE), 0 }));
	EXPECT_EQ(-ENOENT, SET(16, QPN, { A(STATE), 0 }));
	EXPECT_NE(0, self->a.offset);
	EXPECT_EQ(-ENOENT, SET(LINK, 200, { A(STATE), 0 }));
	EXPECT_STREQ("link 0 qpn 200: no connection", self->a.sentence);
	EXPECT_EQ(-ENOENT, RECOVER(200));
	EXPECT_EQ(-EINVAL, RECOVER(QP_ABSENT));
	EXPECT_EQ(-ENOENT, nl_reset_qp(&self->nl, OCFABRIC_RESET_TARGET_QP, 16, 0, NULL));
	EXPECT_EQ(-EINVAL, nl_reset_qp(&self->nl, OCFABRIC_RESET_TARGET_QP, ~0u, 0, NULL));
	EXPECT_EQ(-EINVAL, nl_reset_qp(&self->nl, OCFABRIC_RESET_TARGET_LINK, LINK, QPN, NULL));
	EXPECT_EQ(-EINVAL, nl_reset_qp(&self->nl, OCFABRIC_RESET_TARGET_COUNTERS, ~0u, QPN,
				       NULL));
	EXPECT_EQ(-ERANGE, nl_reset_qp(&self->nl, 5, LINK, QPN, NULL));
	EXPECT_EQ(OCFABRIC_QP_RTS, GET(STATE));
	EXPECT_EQ(128, GET(WINDOW));
}

/* What anyone may read, and what only an administrator may do */
static int other_user(void *arg)
{
	static const uint8_t readable[] = {
		OCFABRIC_CMD_QP_GET, OCFABRIC_CMD_STAGE_GET, OCFABRIC_CMD_REPLICA_GET,
		OCFABRIC_CMD_DEVICE_GET,
	};
	struct nl nl;
	(void)arg;

	if (become_other(true) || nl_open(&nl))
		return 1;
	for (unsigned int i = 0; i < ARRAY_LEN(readable); i++)
		if (nl_simple(&nl, readable[i], NLM_F_DUMP, NULL))
			return 2 + i;
	if (nl_qp_set(&nl, LINK, QPN, &(struct nl_u32){ A(STATE), 0 }, 1, NULL) != -EPERM)
		return 10;
	if (nl_reset_qp(&nl, OCFABRIC_RESET_TARGET_QP, LINK, QPN, NULL) != -EPERM)
		return 11;
	if (nl_simple(&nl, OCFABRIC_CMD_RING_GET, NLM_F_DUMP, NULL) != -EPERM)
		return 12;
	if (nl_weight(&nl, 0, 2, NULL) != -EPERM || nl_limits(&nl, 1, 1, NULL) != -EPERM)
		return 13;
	return 0;
}

TEST_F(qp, rights)
{
	EXPECT_EQ(0, child_end(child_start(other_user, NULL), LONG));
	EXPECT_EQ(OCFABRIC_QP_RTS, GET(STATE));
}

TEST_F(qp, write_that_may_not_be_sent)
{
	static const unsigned int stopped[] = {
		OCFABRIC_QP_RESET, OCFABRIC_QP_INIT, OCFABRIC_QP_RTR, OCFABRIC_QP_SQD,
		OCFABRIC_QP_SQE, OCFABRIC_QP_ERR,
	};
	struct ocfabric_cqe e;

	for (unsigned int i = 0; i < ARRAY_LEN(stopped); i++) {
		ASSERT_EQ(0, reach(self, stopped[i]));
		EXPECT_EQ(OCFABRIC_VERDICT_QP_STATE, send_one(self, QPN, &e))
			TH_LOG("%s", names[stopped[i]]);
		EXPECT_EQ(0, e.bytes);
		/* the others are not concerned */
		EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, send_one(self, QPN2, &e));
	}
	ASSERT_EQ(0, counters_read(self->node, &self->counters));
	EXPECT_EQ(ARRAY_LEN(stopped), self->counters.link[LINK][OCFABRIC_COUNTER_QP_STATE]);
	EXPECT_TRUE(counters_conserved(&self->counters));
	ASSERT_EQ(0, RECOVER(QPN));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, send_one(self, QPN, &e));
	EXPECT_EQ(0, e.psn);
}

/* A write takes as many numbers as it has packets, at least one. */
TEST_F(qp, numbers_of_packets)
{
	static const struct { uint32_t length, packets; } rows[] = {
		{ 4, 1 }, { 256, 1 }, { 257, 2 }, { 600, 3 }, { 4096, 16 }, { 8, 1 },
	};
	uint32_t psn = 0xfffffe;
	struct ocfabric_cqe e;

	ASSERT_EQ(0, reach(self, OCFABRIC_QP_INIT));
	ASSERT_EQ(0, to_rtr(self, psn, 256));
	ASSERT_EQ(0, to_rts(self, psn));
	for (unsigned int i = 0; i < ARRAY_LEN(rows); i++) {
		struct ocfabric_desc d = write_desc(QPN, 0, rows[i].length,
						    OCFABRIC_KEY_REGION, 0);

		replica_post(&self->r, &d);
		replica_ring(&self->r);
		ASSERT_TRUE(replica_wait(&self->r, &e, LONG));
		EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, e.status);
		EXPECT_EQ(psn, e.psn)
			TH_LOG("row %u", i);
		psn = (psn + rows[i].packets) & 0xffffff;
		EXPECT_EQ(psn, GET(SEND_PSN));
		EXPECT_EQ(psn, self->qp.attr[A(EXPECTED_PSN)]);
	}
}

/* Drained and resumed while it sends: each is told once, in order. */
TEST_F(qp, drained_and_resumed_under_traffic)
{
	enum { ROUNDS = 40, EACH = 5 };
	unsigned int committed = 0, held = 0;
	uint32_t moves = GET(MOVES);
	struct ocfabric_cqe e;

	for (unsigned int i = 0; i < ROUNDS * EACH; i++) {
		replica_post(&self->r, ARG_DESC(inline_desc(QPN, 64 * (i % 64), &i, 4)));
		if (i % EACH == EACH - 1) {
			replica_ring(&self->r);
			ASSERT_EQ(0, to(self, i / EACH % 2 ? OCFABRIC_QP_RTS :
							     OCFABRIC_QP_SQD))
				TH_LOG("%s", self->a.sentence);
		}
	}
	for (unsigned int i = 0; i < ROUNDS * EACH; i++) {
		ASSERT_TRUE(replica_wait(&self->r, &e, LONG))
			TH_LOG("%u", i);
		ASSERT_EQ(i % self->r.get.out_tx_entries, e.index);
		if (e.status == OCFABRIC_VERDICT_COMMITTED) {
			EXPECT_EQ(committed, e.psn);
			committed++;
		} else {
			EXPECT_EQ(OCFABRIC_VERDICT_QP_STATE, e.status);
			held++;
		}
	}
	EXPECT_EQ(OCFABRIC_QP_RTS, GET(STATE));
	EXPECT_EQ(committed, self->qp.attr[A(SEND_PSN)]);
	EXPECT_EQ(moves + ROUNDS, self->qp.attr[A(MOVES)]);
	ASSERT_EQ(0, counters_read(self->node, &self->counters));
	EXPECT_EQ(committed, self->counters.link[LINK][OCFABRIC_COUNTER_COMMITTED]);
	EXPECT_EQ(held, self->counters.link[LINK][OCFABRIC_COUNTER_QP_STATE]);
	EXPECT_TRUE(counters_conserved(&self->counters));
}

/* The line at the start of replica 1's region is answered in an age. */
static int hold_line(fixture *self)
{
	return CHANGE(self->node, step_fault(OCFABRIC_CHANGE_FAULT_DELAY, 1, 0, ~0u));
}

static uint64_t writes(fixture *self)
{
	return counters_read(self->node, &self->counters) ? ~0ull :
	       self->counters.link[LINK][OCFABRIC_COUNTER_WRITES];
}

static int write_that_stays(fixture *self)
{
	replica_post(&self->r, ARG_DESC(inline_desc(QPN, 0, "stuck", 5)));
	replica_ring(&self->r);
	return WAIT_FOR(writes(self) == 1, LONG) ? 0 : -ETIMEDOUT;
}

TEST_F(qp, drain_that_takes_too_long_and_its_end)
{
	struct ocfabric_cqe e;

	if (!(self->info.out_features & OCFABRIC_FEATURE_FAULTS))
		SKIP(return, "the card offers no fault injection");
	ASSERT_EQ(0, hold_line(self));
	ASSERT_EQ(0, write_that_stays(self));
	EXPECT_EQ(1, GET(OUTSTANDING));
	EXPECT_EQ(-ETIMEDOUT, to(self, OCFABRIC_QP_SQD));
	EXPECT_NE(NULL, strstr(self->a.sentence, "waits for HBM responses"))
		TH_LOG("%s", self->a.sentence);
	EXPECT_EQ(1, GET(DRAINING));
	EXPECT_FALSE(replica_poll(&self->r, &e));
	/* the card's one command is at work: others are told by whom */
	EXPECT_EQ(-EBUSY, SET(2, qpn_of(N, 2, 0), { A(WINDOW), 5 }));
	EXPECT_NE(NULL, strstr(self->a.sentence, "link 0 qpn 0 "))
		TH_LOG("%s", self->a.sentence);
	EXPECT_EQ(-EBUSY, RECOVER(QPN2));
	EXPECT_EQ(-EBUSY, to(self, OCFABRIC_QP_ERR));
	/* its own recovery ends it */
	ASSERT_EQ(0, RECOVER(QPN));
	ASSERT_TRUE(replica_wait(&self->r, &e, LONG));
	EXPECT_EQ(OCFABRIC_VERDICT_DMA_ERROR, e.status);
	EXPECT_EQ(OCFABRIC_QP_RTS, GET(STATE));
	EXPECT_EQ(0, self->qp.attr[A(DRAINING)]);
	EXPECT_EQ(0, self->qp.attr[A(SEND_PSN)]);
	EXPECT_EQ(0, SET(2, qpn_of(N, 2, 0), { A(WINDOW), 5 }));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, send_one(self, QPN, &e));
	EXPECT_EQ(0, e.psn);
}

/* One that is in flight and not drained is recovered as well. */
TEST_F(qp, recovery_ends_the_write_in_flight)
{
	struct ocfabric_cqe e;

	if (!(self->info.out_features & OCFABRIC_FEATURE_FAULTS))
		SKIP(return, "the card offers no fault injection");
	ASSERT_EQ(0, hold_line(self));
	ASSERT_EQ(0, write_that_stays(self));
	ASSERT_EQ(0, RECOVER(QPN2));
	EXPECT_EQ(1, GET(OUTSTANDING));
	ASSERT_EQ(0, RECOVER(QPN));
	ASSERT_TRUE(replica_wait(&self->r, &e, LONG));
	EXPECT_EQ(OCFABRIC_VERDICT_DMA_ERROR, e.status);
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, send_one(self, QPN, &e));
}

TEST_F(qp, error_flushes_what_was_posted)
{
	static const struct { uint32_t qpn, flags, status; } rows[] = {
		{ QPN, 0, OCFABRIC_VERDICT_DMA_ERROR },
		{ QPN, OCFABRIC_DESC_UNSIGNALED, OCFABRIC_VERDICT_FLUSHED },
		{ QPN2, 0, OCFABRIC_VERDICT_COMMITTED },
		{ QPN, 0, OCFABRIC_VERDICT_FLUSHED },
	};
	struct ocfabric_cqe e;

	if (!(self->info.out_features & OCFABRIC_FEATURE_FAULTS))
		SKIP(return, "the card offers no fault injection");
	ASSERT_EQ(0, hold_line(self));
	for (unsigned int i = 0; i < ARRAY_LEN(rows); i++) {
		struct ocfabric_desc d = inline_desc(rows[i].qpn, i ? 0x1000 : 0, "posted", 6);

		d.flags |= rows[i].flags;
		replica_post(&self->r, &d);
	}
	replica_ring(&self->r);
	ASSERT_TRUE(WAIT_FOR(writes(self) == 1, LONG));
	ASSERT_EQ(0, to(self, OCFABRIC_QP_ERR))
		TH_LOG("%s", self->a.sentence);
	for (unsigned int i = 0; i < ARRAY_LEN(rows); i++) {
		ASSERT_TRUE(replica_wait(&self->r, &e, LONG))
			TH_LOG("row %u", i);
		EXPECT_EQ(i, e.index);
		EXPECT_EQ(rows[i].status, e.status)
			TH_LOG("row %u", i);
	}
	/* what is rung later is judged */
	EXPECT_EQ(OCFABRIC_VERDICT_QP_STATE, send_one(self, QPN, &e));
	EXPECT_EQ(3, writes(self));
	EXPECT_EQ(1, self->counters.link[LINK][OCFABRIC_COUNTER_DMA_ERROR]);
	EXPECT_EQ(1, self->counters.link[LINK][OCFABRIC_COUNTER_QP_STATE]);
	EXPECT_TRUE(counters_conserved(&self->counters));
	ASSERT_EQ(0, RECOVER(QPN));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, send_one(self, QPN, &e));
}

static const struct nlmsghdr *next_event(struct nl *nl, unsigned int kind)
{
	static uint8_t buffer[8192];

	while (!nl_event(nl, LONG, buffer, sizeof(buffer)))
		if (nl_value((void *)buffer, OCFABRIC_A_EVENT_KIND, ~0ull) == kind)
			return (void *)buffer;
	return NULL;
}

#define TOLD(m, name)	nl_value(m, OCFABRIC_A_EVENT_##name, ~0ull)

TEST_F(qp, moves_are_told)
{
	const struct nlmsghdr *m;
	struct ocfabric_cqe e;
	struct nl events;

	ASSERT_EQ(0, nl_open(&events));
	ASSERT_EQ(0, nl_listen(&events));
	/* not this one */
	ASSERT_EQ(-EINVAL, to(self, OCFABRIC_QP_INIT));
	ASSERT_EQ(0, SET(LINK, QPN, { A(EXPECTED_PSN), 5 }));
	m = next_event(&events, OCFABRIC_EVENT_KIND_QP_CHANGED);
	ASSERT_NE(NULL, m);
	EXPECT_EQ(LINK, TOLD(m, REPLICA));
	EXPECT_EQ(QPN, TOLD(m, QPN));
	EXPECT_EQ(OCFABRIC_QP_RTS, TOLD(m, STATE));
	EXPECT_EQ(getpid(), TOLD(m, PID));
	/* the write is one like others, but the connection is at its end */
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, send_one(self, QPN, &e));
	m = next_event(&events, OCFABRIC_EVENT_KIND_QP_ERROR);
	ASSERT_NE(NULL, m);
	EXPECT_EQ(LINK, TOLD(m, REPLICA));
	EXPECT_EQ(QPN, TOLD(m, QPN));
	EXPECT_EQ(OCFABRIC_QP_SQE, TOLD(m, STATE));
	EXPECT_EQ(OCFABRIC_QP_CAUSE_PSN, TOLD(m, CAUSE));
	EXPECT_NE(~0ull, TOLD(m, CLOCK));
	EXPECT_EQ(OCFABRIC_QP_SQE, GET(STATE));
	EXPECT_EQ(OCFABRIC_QP_CAUSE_PSN, self->qp.attr[A(CAUSE)]);
	ASSERT_EQ(0, RECOVER(QPN));
	m = next_event(&events, OCFABRIC_EVENT_KIND_QP_CHANGED);
	ASSERT_NE(NULL, m);
	EXPECT_EQ(OCFABRIC_QP_RTS, TOLD(m, STATE));
	nl_close(&events);
}

/* States are no configuration: a card that was reset has its connections anew. */
TEST_F(qp, reset_of_the_device)
{
	ASSERT_EQ(0, reach(self, OCFABRIC_QP_ERR));
	replica_close(&self->r);
	ASSERT_EQ(0, nl_reset(&self->nl, OCFABRIC_RESET_TARGET_DEVICE));
	EXPECT_EQ(OCFABRIC_QP_RTS, GET(STATE));
	/* a change of something else leaves them alone */
	ASSERT_EQ(0, reach(self, OCFABRIC_QP_SQD));
	ASSERT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_LATENCY, 1)));
	EXPECT_EQ(OCFABRIC_QP_SQD, GET(STATE));
}

TEST_HARNESS_MAIN
