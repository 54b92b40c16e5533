// SPDX-License-Identifier: GPL-2.0-only
#include "scene.h"

#include <stdio.h>
#include <string.h>

#define QUEUE(q, r)	(OCFABRIC_REG_QUEUE(q) + (r))
#define CYCLE_NS	4
#define LATENCY		1000
#define DELAYED(q)	(REGION(q) + 0x40000)	/* a line that answers late */
#define DELAY		3000
#define BIG_AT		0x80000
#define BIG		0x70000
#define NOWHERE		0x700000000000ull
#define FAR		0x7fffffff
#define TIMER_NS	40000
#define WAIT_SEM	30	/* other traffic has no use for it */

void scenes_start(struct card *c)
{
	unsigned int q;

	card_msix(c);
	card_events(c);
	wr32(c, OCFABRIC_REG_STALL_LIMIT, 0);
	card_drain(c);
	for (q = 0; q < TRAFFIC_N; q++)
		card_cmd(c, OCFABRIC_HW_CMD_FAULT_DELAY, 0, DELAYED(q), DELAY, 0, 0);
	card_resume(c);
}

static void nothing(struct traffic *t, struct card *c)
{
	(void)t;
	(void)c;
}

/* ---- a write's stages ---- */

static void idle(struct traffic *t, struct card *c)
{
	traffic_some(t, c, 1 + traffic_random(t, 8));
	traffic_settle(t, c);
}

static void latency(struct traffic *t, struct card *c)
{
	card_drain(c);
	wr32(c, OCFABRIC_REG_CFG_LATENCY, LATENCY);
	card_resume(c);
	traffic_some(t, c, 4 + traffic_random(t, 20));
	qtest_step_ns(c->q, traffic_random(t, 3 * LATENCY * CYCLE_NS));
}

static void latency_off(struct traffic *t, struct card *c)
{
	CHECK(rd32(c, OCFABRIC_REG_CFG_LATENCY) == LATENCY);
	traffic_settle(t, c);
	card_drain(c);
	wr32(c, OCFABRIC_REG_CFG_LATENCY, 0);
	card_resume(c);
}

/* Outside of what the others write to; the bytes are not looked at. */
static struct expected elsewhere(unsigned int q, uint64_t raddr, uint32_t len)
{
	struct expected e = {
		.dst = (uint8_t)((q + 1) % TRAFFIC_N), .bytes = len,
	};

	e.d = card_write(card_qpn(TRAFFIC_N, q, e.dst), raddr, len, 0,
			 OCFABRIC_KEY_REGION);
	return e;
}

static void response(struct traffic *t, struct card *c)
{
	unsigned int q = traffic_random(t, TRAFFIC_N), peer = (q + 1) % TRAFFIC_N;
	uint32_t before = t->s[q].tail;

	traffic_post(t, c, q, elsewhere(q, DELAYED(peer) - REGION(peer), 100));
	traffic_write(t, c, q);
	traffic_ring(t, c, q, before);
	traffic_some(t, c, traffic_random(t, 8));
	CHECK(rd32(c, OCFABRIC_REG_LINK_STATE(q)) == OCFABRIC_STAGE_ACKNOWLEDGED);
	qtest_step_ns(c->q, traffic_random(t, DELAY * CYCLE_NS));
}

static void big(struct traffic *t, struct card *c)
{
	unsigned int q, i;

	for (q = 0; q < TRAFFIC_N; q++) {
		uint32_t before = t->s[q].tail;

		for (i = 0; i < 3; i++)
			traffic_post(t, c, q, elsewhere(q, BIG_AT + 4 * i, BIG));
		traffic_any(t, c, q);
		traffic_ring(t, c, q, before);
	}
}

/* ---- the ring ---- */

static void a_wait(struct traffic *t, struct card *c, unsigned int q)
{
	struct expected e = { .dst = (uint8_t)q };

	e.d = card_sem(OCFABRIC_OP_WAIT, 0, WAIT_SEM, t->s[q].sem[WAIT_SEM] + 1);
	traffic_post(t, c, q, e);
}

static void waiting(struct traffic *t, struct card *c)
{
	unsigned int q = traffic_random(t, TRAFFIC_N), i;
	uint32_t before = t->s[q].tail;

	traffic_any(t, c, q);
	a_wait(t, c, q);
	for (i = 0; i < 4; i++)
		traffic_any(t, c, q);
	traffic_ring(t, c, q, before);
	traffic_some(t, c, traffic_random(t, 6));
}

static bool is_waiting(struct card *c, unsigned int q)
{
	return rd32(c, QUEUE(q, OCFABRIC_QUEUE_STATE)) & OCFABRIC_QUEUE_WAITING;
}

/* The one that waits is let go by a peer. */
static void met(struct traffic *t, struct card *c)
{
	unsigned int q, peer, waits = 0;

	for (q = 0; q < TRAFFIC_N; q++) {
		struct expected e = { .dst = (uint8_t)q };
		uint32_t before;

		if (!is_waiting(c, q))
			continue;
		waits++;
		peer = (q + 1) % TRAFFIC_N;
		before = t->s[peer].tail;
		e.d = card_sem(OCFABRIC_OP_SEM_REMOTE,
			       card_qpn(TRAFFIC_N, peer, q), WAIT_SEM, 1);
		traffic_post(t, c, peer, e);
		traffic_ring(t, c, peer, before);
	}
	CHECK(waits == 1, "%u queues wait", waits);
}

/* Rung while the machine stands: nobody has looked at it yet. */
static void rung(struct traffic *t, struct card *c)
{
	qtest_qmp(c->q, "{\"execute\":\"stop\"}");
	traffic_some(t, c, 12);
	card_recv(c, 1, 2);
	t->s[1].armed += 2;
}

static void stands(struct traffic *t, struct card *c)
{
	unsigned int q;

	for (q = 0; q < TRAFFIC_N; q++)
		CHECK(!card_has(c, q), "queue %u works while the machine stands", q);
	(void)t;
	qtest_qmp(c->q, "{\"execute\":\"cont\"}");
}

/* ---- draining ---- */

static void draining(struct traffic *t, struct card *c)
{
	response(t, c);
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_DRAIN);
	traffic_some(t, c, 6);
}

static void drained(struct traffic *t, struct card *c)
{
	card_drain(c);
	traffic_some(t, c, 12);
	wr32(c, OCFABRIC_REG_REGION_SIZE(9), 0x77);	/* half a register */
}

static void resumed(struct traffic *t, struct card *c)
{
	uint32_t at = OCFABRIC_REG_REGION_SIZE(9);
	(void)t;

	qtest_step_ns(c->q, 2ull * DELAY * CYCLE_NS);
	card_wait(c, OCFABRIC_REG_STATUS, OCFABRIC_STATUS_DRAINED,
		  OCFABRIC_STATUS_DRAINED);
	if (rd32(c, at) != 0x77)
		wr32(c, at + 4, 0x66);
	card_resume(c);
}

/* ---- queues that stop, and go ---- */

/* A write that is in flight ends, and those before it; what was rung behind does not. */
static void quiescing(struct traffic *t, struct card *c)
{
	uint32_t before = t->s[0].tail;

	traffic_write(t, c, 0);
	traffic_post(t, c, 0, elsewhere(0, DELAYED(1) - REGION(1), 64));
	traffic_ring(t, c, 0, before);
	wr64(c, OCFABRIC_REG_CMD_ARG(0), 0);
	wr32(c, OCFABRIC_REG_CMD, OCFABRIC_HW_CMD_QUEUE_DISABLE);
	traffic_write(t, c, 1);
	traffic_ring(t, c, 1, t->s[1].tail - 1);
}

static void gone(struct traffic *t, struct card *c)
{
	CHECK(rd32(c, OCFABRIC_REG_CMD_STATUS) == OCFABRIC_HW_CMD_BUSY);
	qtest_step_ns(c->q, 2ull * DELAY * CYCLE_NS);
	card_wait(c, OCFABRIC_REG_CMD_STATUS, ~0u, OCFABRIC_HW_CMD_DONE);
	while (t->s[0].head != t->s[0].tail)
		if (!traffic_take(t, c))
			break;
	CHECK(t->s[0].head == t->s[0].tail, "%u have no completion",
	      t->s[0].tail - t->s[0].head);
	traffic_enable(t, c, 0);
}

static const struct ocfabric_desc nop;

/* As many completions as there is room for: the card looks for room, before one more. */
static void fill_completions(struct card *c)
{
	uint32_t before = rd32(c, QUEUE(2, OCFABRIC_QUEUE_CQ_PRODUCER)), i;

	for (i = 0; i < TRAFFIC_ENTRIES; i++)
		card_post(c, 2, nop);
	card_ring(c, 2, TRAFFIC_ENTRIES);
	card_wait(c, QUEUE(2, OCFABRIC_QUEUE_CQ_PRODUCER), ~0u, before + TRAFFIC_ENTRIES);
}

/* A ring where there is no memory, which is found out when it is rung. */
static void ring_nowhere(struct card *c)
{
	struct ocfabric_hw_queue hw = card_queue_struct(2, TRAFFIC_SHIFT);

	hw.tx_chunk[0] = NOWHERE;
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 2, 0, 0, 0, 0));
	CHECK(card_enable(c, 2, &hw) == OCFABRIC_RESULT_OK);
	card_ring(c, 2, 1);
}

static void stop_by(struct traffic *t, struct card *c, unsigned int cause)
{
	struct ocfabric_desc bad = { .opcode = 99 };
	uint32_t tail = t->s[2].tail;

	switch (cause) {
	case OCFABRIC_CAUSE_STALE_TAG:
		bad.opcode = 0;
		card_put(c, 2, tail, &bad);
		qtest_write(c->q, TX_RING(2) + 64ull * (tail % TRAFFIC_ENTRIES) + 1,
			    1, ((tail >> TRAFFIC_SHIFT) + 3) & 3);
		card_ring(c, 2, 1);
		break;
	case OCFABRIC_CAUSE_BAD_DESCRIPTOR:
		card_post(c, 2, bad);
		card_ring(c, 2, 1);
		break;
	case OCFABRIC_CAUSE_OVER_INCREMENT:
		card_ring(c, 2, TRAFFIC_ENTRIES + 1);
		break;
	case OCFABRIC_CAUSE_CQ_FULL:
	case OCFABRIC_CAUSE_OWNER_INDEX:
		fill_completions(c);
		if (cause == OCFABRIC_CAUSE_OWNER_INDEX)
			qtest_write(c->q, OWNER_LINE(2), 4,
				    c->taken[2] + TRAFFIC_ENTRIES + 1);
		card_post(c, 2, nop);
		card_ring(c, 2, 1);
		break;
	case OCFABRIC_CAUSE_DMA:
		ring_nowhere(c);
		break;
	default:
		card_ring_recv(c, 2, TRAFFIC_ENTRIES + 1);
		break;
	}
}

static const uint8_t causes[] = {
	OCFABRIC_CAUSE_STALE_TAG, OCFABRIC_CAUSE_BAD_DESCRIPTOR,
	OCFABRIC_CAUSE_OVER_INCREMENT, OCFABRIC_CAUSE_RX_OVER_INCREMENT,
	OCFABRIC_CAUSE_CQ_FULL, OCFABRIC_CAUSE_OWNER_INDEX, OCFABRIC_CAUSE_DMA,
};

/* What the machine tells of the stop, where it can be compared with later. */
static uint64_t stopped_at;

static uint64_t why(struct card *c)
{
	return rd32(c, QUEUE(2, OCFABRIC_QUEUE_STATE)) |
	       (uint64_t)(rd32(c, QUEUE(2, OCFABRIC_QUEUE_WROTE)) & 0xffff) << 32 |
	       (uint64_t)rd32(c, QUEUE(2, OCFABRIC_QUEUE_EXPECTED)) << 48;
}

static void stopped(struct traffic *t, struct card *c)
{
	unsigned int cause = causes[traffic_random(t, sizeof(causes))];
	uint32_t before = t->s[2].tail;

	/* nobody sends it anything that would find it stopped */
	traffic_write(t, c, 2);
	traffic_ring(t, c, 2, before);
	traffic_settle(t, c);
	stop_by(t, c, cause);
	card_wait(c, QUEUE(2, OCFABRIC_QUEUE_STATE), 0xffff,
		  OCFABRIC_QUEUE_STOPPED | cause << 8);
	stopped_at = why(c);
}

static void started(struct traffic *t, struct card *c)
{
	CHECK(why(c) == stopped_at, "0x%llx, not 0x%llx", (unsigned long long)why(c),
	      (unsigned long long)stopped_at);
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 2, 0, 0, 0, 0));
	traffic_enable(t, c, 2);
}

/* ---- connections ---- */

static void modify(struct card *c, unsigned int q, uint32_t qpn, uint32_t state)
{
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_DST_QPN),
	     q << OCFABRIC_QP_LINK_SHIFT | qpn);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_QP_VALID), OCFABRIC_QP_ATTR_STATE);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_QP_STATE), state);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_CMD), OCFABRIC_QP_CMD_MODIFY);
}

/* A connection in ERR, what was rung for it still behind a WAIT. */
static void flushing(struct traffic *t, struct card *c)
{
	unsigned int q = traffic_random(t, TRAFFIC_N), dst = (q + 1) % TRAFFIC_N, i;
	uint32_t before = t->s[q].tail, qpn = card_qpn(TRAFFIC_N, q, dst);
	struct expected e;

	a_wait(t, c, q);
	for (i = 0; i < 6; i++) {
		e = elsewhere(q, BIG_AT, 64);
		if (i & 1) {
			e.d.qpn = card_qpn(TRAFFIC_N, q, (q + 2) % TRAFFIC_N);
			e.dst = (uint8_t)((q + 2) % TRAFFIC_N);
		} else {
			e.status = OCFABRIC_VERDICT_FLUSHED;
			e.bytes = 0;
		}
		e.d.raddr = BIG_AT;
		traffic_post(t, c, q, e);
	}
	traffic_ring(t, c, q, before);
	modify(c, q, qpn, OCFABRIC_QP_ERR);
	/* rung after it: not flushed, but refused */
	e = elsewhere(q, BIG_AT, 64);
	e.status = OCFABRIC_VERDICT_QP_STATE;
	e.bytes = 0;
	before = t->s[q].tail;
	traffic_post(t, c, q, e);
	traffic_ring(t, c, q, before);
}

static void flushed(struct traffic *t, struct card *c)
{
	unsigned int q;

	for (q = 0; q < TRAFFIC_N && !is_waiting(c, q); q++)
		;
	met(t, c);
	traffic_settle(t, c);
	if (q == TRAFFIC_N)
		return;
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_DST_QPN), q << OCFABRIC_QP_LINK_SHIFT |
	     card_qpn(TRAFFIC_N, q, (q + 1) % TRAFFIC_N));
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_CMD), OCFABRIC_QP_CMD_RECOVER);
	t->s[q].psn[(q + 1) % TRAFFIC_N] = 0;
}

/* A connection that drains, and the command that waits for it. */
static void sqd(struct traffic *t, struct card *c)
{
	uint32_t before = t->s[1].tail;

	traffic_post(t, c, 1, elsewhere(1, DELAYED(2) - REGION(2), 64));
	traffic_ring(t, c, 1, before);
	modify(c, 1, card_qpn(TRAFFIC_N, 1, 2), OCFABRIC_QP_SQD);
	traffic_write(t, c, 0);
	traffic_ring(t, c, 0, t->s[0].tail - 1);
}

static void rts(struct traffic *t, struct card *c)
{
	const uint32_t status = OCFABRIC_REG_QP(OCFABRIC_QUERY_QP_STATUS);

	CHECK(rd32(c, status) & OCFABRIC_QP_BUSY);
	qtest_step_ns(c->q, 2ull * DELAY * CYCLE_NS);
	card_wait(c, status, OCFABRIC_QP_BUSY | OCFABRIC_QP_DONE, OCFABRIC_QP_DONE);
	traffic_settle(t, c);
	modify(c, 1, card_qpn(TRAFFIC_N, 1, 2), OCFABRIC_QP_RTS);
}

static uint32_t qp_state_of(struct card *c, unsigned int q, uint32_t qpn)
{
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_DST_QPN), q << OCFABRIC_QP_LINK_SHIFT | qpn);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_CMD), OCFABRIC_QP_CMD_QUERY);
	return rd32(c, OCFABRIC_REG_QP(OCFABRIC_QP_STATE));
}

/* The receiving end expects another packet: one write finds that, the next are refused. */
static void sqe(struct traffic *t, struct card *c)
{
	struct expected e = elsewhere(0, BIG_AT, 64);
	uint32_t before = t->s[0].tail, i;

	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_DST_QPN), e.d.qpn);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_QP_VALID), OCFABRIC_QP_ATTR_EXPECTED_PSN);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_QP_EXPECTED_PSN), (t->s[0].psn[e.dst] + 1) & 0xffffff);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_CMD), OCFABRIC_QP_CMD_MODIFY);
	traffic_post(t, c, 0, e);
	traffic_ring(t, c, 0, before);
	traffic_settle(t, c);
	CHECK(qp_state_of(c, 0, e.d.qpn) == OCFABRIC_QP_SQE);
	e.status = OCFABRIC_VERDICT_QP_STATE;
	e.bytes = 0;
	before = t->s[0].tail;
	for (i = 0; i < 2; i++)
		traffic_post(t, c, 0, e);
	traffic_ring(t, c, 0, before);
}

static void recovered(struct traffic *t, struct card *c)
{
	uint32_t qpn = card_qpn(TRAFFIC_N, 0, 1);

	CHECK(qp_state_of(c, 0, qpn) == OCFABRIC_QP_SQE);
	traffic_settle(t, c);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_DST_QPN), qpn);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_CMD), OCFABRIC_QP_CMD_RECOVER);
	t->s[0].psn[1] = 0;
}

/* ---- interrupts and events ---- */

/* Three completions want an interrupt, and wait for a fourth or the timer. */
static void moderated(struct traffic *t, struct card *c)
{
	unsigned int i;

	wr32(c, QUEUE(0, OCFABRIC_QUEUE_MODERATION), OCFABRIC_MODERATION_COUNT | 4);
	wr32(c, QUEUE(0, OCFABRIC_QUEUE_MODERATION_TIMER), TIMER_NS);
	qtest_write(c->q, OWNER_LINE(0) + 4, 4, c->taken[0]);
	card_msix_came(c, 1);
	for (i = 0; i < 3; i++) {
		traffic_write(t, c, 0);
		traffic_ring(t, c, 0, t->s[0].tail - 1);
	}
}

static void told(struct traffic *t, struct card *c)
{
	uint32_t before = rd32(c, QUEUE(0, OCFABRIC_QUEUE_INTERRUPTS));

	CHECK(!card_msix_came(c, 1), "an interrupt before its time");
	qtest_step_ns(c->q, 2 * TIMER_NS);
	card_wait(c, QUEUE(0, OCFABRIC_QUEUE_INTERRUPTS), ~0u, before + 1);
	traffic_settle(t, c);
	CHECK(card_msix_came(c, 1), "no interrupt");
	CHECK(rd32(c, QUEUE(0, OCFABRIC_QUEUE_INTERRUPTS)) == before + 1);
	qtest_write(c->q, OWNER_LINE(0) + 4, 4, c->taken[0] + FAR);
	wr32(c, QUEUE(0, OCFABRIC_QUEUE_MODERATION), OCFABRIC_MODERATION_BURST);
	wr32(c, QUEUE(0, OCFABRIC_QUEUE_MODERATION_TIMER), OCFABRIC_MODERATION_TIMER);
}

#define MASK_AT(v) (OCFABRIC_MSIX_TABLE + 16 * (v) + 12)

/* Raised while it is masked: it is pending. */
static void masked(struct traffic *t, struct card *c)
{
	card_msix_came(c, 2);
	wr32(c, MASK_AT(2), 1);
	wr32(c, QUEUE(1, OCFABRIC_QUEUE_MODERATION_TIMER), 0);
	qtest_write(c->q, OWNER_LINE(1) + 4, 4, c->taken[1]);
	traffic_write(t, c, 1);
	traffic_ring(t, c, 1, t->s[1].tail - 1);
	card_wait(c, OCFABRIC_MSIX_PBA, 1u << 2, 1u << 2);
}

static void unmasked(struct traffic *t, struct card *c)
{
	CHECK(!card_msix_came(c, 2), "masked, and came");
	CHECK(rd32(c, OCFABRIC_MSIX_PBA) & 1u << 2, "it is pending no more");
	wr32(c, MASK_AT(2), 0);
	CHECK(card_msix_came(c, 2), "pending, and did not come");
	qtest_write(c->q, OWNER_LINE(1) + 4, 4, c->taken[1] + FAR);
	wr32(c, QUEUE(1, OCFABRIC_QUEUE_MODERATION_TIMER), OCFABRIC_MODERATION_TIMER);
	traffic_settle(t, c);
}

/* The event ring is full, and more are lost. */
static void events(struct traffic *t, struct card *c)
{
	unsigned int i;

	wr32(c, OCFABRIC_REG_EVENT_CONSUMER, card_nr_events(c));
	for (i = 0; i < 20; i++) {
		card_ring(c, 9, 1);
		wr32(c, OCFABRIC_REG_ERROR, OCFABRIC_ERROR_DOORBELL);
	}
	traffic_some(t, c, 6);
}

static void taken(struct traffic *t, struct card *c)
{
	uint32_t n = card_nr_events(c), lost = rd32(c, OCFABRIC_REG_EVENT_LOST);
	uint32_t seq = n + lost;

	CHECK(lost >= 4, "%u lost", lost);
	CHECK(rd32(c, OCFABRIC_REG_EVENT_CONSUMER) == n - 16);
	traffic_settle(t, c);
	lost = rd32(c, OCFABRIC_REG_EVENT_LOST);
	wr32(c, OCFABRIC_REG_EVENT_CONSUMER, n);
	card_ring(c, 9, 1);
	wr32(c, OCFABRIC_REG_ERROR, OCFABRIC_ERROR_DOORBELL);
	CHECK(card_nr_events(c) == n + 1, "%u events, then %u", n, card_nr_events(c));
	CHECK(qtest_read(c->q, EVENT_RING + n % 16 * sizeof(struct ocfabric_event) + 4,
			 4) >= seq, "the event's number");
}

/* One store rings two queues; only one of them can go on. */
static void broadcast(struct traffic *t, struct card *c)
{
	response(t, c);
	traffic_write(t, c, 0);
	traffic_write(t, c, 1);
	qtest_write(c->q, BAR_DOORBELL + OCFABRIC_DOORBELL_M2S +
		    OCFABRIC_DOORBELL_BROADCAST, 8,
		    3ull << OCFABRIC_DOORBELL_BROADCAST_SHIFT | 1);
}

static void rung_both(struct traffic *t, struct card *c)
{
	(void)t;
	CHECK(rd64(c, OCFABRIC_REG_BROADCAST) ==
	      (3ull << OCFABRIC_BROADCAST_MASK_SHIFT | 1), "0x%llx",
	      (unsigned long long)rd64(c, OCFABRIC_REG_BROADCAST));
}

const struct scene scenes[] = {
	{ "idle", idle, nothing },
	{ "latency", latency, latency_off },
	{ "responses", response, nothing },
	{ "moving", big, nothing },
	{ "waiting", waiting, met },
	{ "rung", rung, stands },
	{ "draining", draining, resumed },
	{ "drained", drained, resumed },
	{ "quiescing", quiescing, gone },
	{ "stopped", stopped, started },
	{ "flushing", flushing, flushed },
	{ "sqd", sqd, rts },
	{ "sqe", sqe, recovered },
	{ "moderated", moderated, told },
	{ "masked", masked, unmasked },
	{ "events", events, taken },
	{ "broadcast", broadcast, rung_both },
};

const unsigned int nr_scenes = sizeof(scenes) / sizeof(*scenes);
