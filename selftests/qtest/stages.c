// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where writes are: the stages of a link in BAR 0, and the event for one that
 * makes no progress. 250 MHz: a cycle is 4 ns.
 */
#include "card.h"

#define CYCLE_NS	4
#define MS_NS		1000000ull
#define MS_CYCLES	(MS_NS / CYCLE_NS)
#define FOREVER		0xffffffffu

static struct card *start(uint32_t latency)
{
	struct card *c = card_start("faults=on");
	unsigned int q;

	card_configure(c, 3, latency);
	for (q = 0; q < 3; q++) {
		card_queue(c, q, 4);
		card_key(c, q, q);
	}
	card_events(c);
	return c;
}

static void delay(struct card *c, uint64_t addr, uint32_t cycles)
{
	card_drain(c);
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_FAULT_DELAY, 0, addr, cycles, 0, 0));
	card_resume(c);
}

/* To replica 1. */
static struct ocfabric_desc a_write(uint64_t raddr)
{
	return card_write(card_qpn(3, 0, 1), raddr, 8, 0, 0);
}

static void post(struct card *c, struct ocfabric_desc d)
{
	card_post(c, 0, d);
	card_ring(c, 0, 1);
}

static void snapshot(struct card *c)
{
	wr32(c, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_COUNTERS);
	CHECK(!(rd32(c, OCFABRIC_REG_ERROR) & OCFABRIC_ERROR_CONSERVATION));
}

static uint64_t path(struct card *c, unsigned int stage, uint32_t field)
{
	return rd64(c, OCFABRIC_REG_PATH(0, stage) + field);
}

/* in, out and ended of a stage of link 0 */
static void check_stage(struct card *c, unsigned int stage, uint64_t in,
			uint64_t out, uint64_t ended)
{
	uint64_t i = path(c, stage, OCFABRIC_PATH_IN);
	uint64_t o = path(c, stage, OCFABRIC_PATH_OUT);
	uint64_t e = path(c, stage, OCFABRIC_PATH_ENDED);

	CHECK(i == in && o == out && e == ended,
	      "stage %u: %u in, %u out, %u ended", stage, (unsigned int)i,
	      (unsigned int)o, (unsigned int)e);
}

static void check_at(struct card *c, uint32_t stage, uint32_t waits_for)
{
	uint32_t at = rd32(c, OCFABRIC_REG_PATH_AT(0));

	CHECK(at == (stage | waits_for << 8), "at 0x%x", at);
}

static void counts(void)
{
	struct card *c = start(0);
	unsigned int stage;

	check_at(c, OCFABRIC_PATH_NONE, OCFABRIC_WAITS_FOR_NOTHING);
	card_run(c, 0, a_write(0));
	card_run(c, 0, a_write(8));
	card_run(c, 0, a_write(2));			/* misaligned */
	card_run(c, 0, card_write(77, 0, 8, 0, 0));	/* unmapped */
	CHECK(!path(c, 0, OCFABRIC_PATH_IN), "there was no snapshot");
	snapshot(c);
	check_stage(c, OCFABRIC_PATH_TAKEN, 4, 4, 0);
	check_stage(c, OCFABRIC_PATH_MAPPED, 4, 3, 1);
	check_stage(c, OCFABRIC_PATH_AUTHORIZED, 3, 2, 1);
	for (stage = OCFABRIC_PATH_REALIGNED; stage < OCFABRIC_PATHS; stage++)
		check_stage(c, stage, 2, 2, 0);
	check_at(c, OCFABRIC_PATH_NONE, OCFABRIC_WAITS_FOR_NOTHING);
	CHECK(!rd64(c, OCFABRIC_REG_PATH(1, 0)), "another link");
	card_drain(c);
	wr32(c, OCFABRIC_REG_COUNTER_RESET, 1);
	card_resume(c);
	check_stage(c, OCFABRIC_PATH_TAKEN, 4, 4, 0);
	snapshot(c);
	for (stage = 0; stage < OCFABRIC_PATHS; stage++)
		check_stage(c, stage, 0, 0, 0);
	card_end(c);
}

static void held(void)
{
	struct card *c = start(1000);
	uint64_t since;

	delay(c, REGION(1), 5000);
	since = rd64(c, OCFABRIC_REG_CLOCK);
	post(c, a_write(0));
	snapshot(c);
	check_stage(c, OCFABRIC_PATH_TAKEN, 1, 0, 0);
	check_stage(c, OCFABRIC_PATH_MAPPED, 0, 0, 0);
	check_at(c, OCFABRIC_PATH_TAKEN, OCFABRIC_WAITS_FOR_LATENCY);
	CHECK(rd64(c, OCFABRIC_REG_PATH_SINCE(0)) == since);
	CHECK(rd64(c, OCFABRIC_REG_PATH_DUE(0)) == since + 1000);
	qtest_step_ns(c->q, 1001 * CYCLE_NS);
	card_wait(c, OCFABRIC_REG_LINK_STATE(0), ~0u, OCFABRIC_STAGE_ACKNOWLEDGED);
	check_at(c, OCFABRIC_PATH_TAKEN, OCFABRIC_WAITS_FOR_LATENCY);
	snapshot(c);
	check_stage(c, OCFABRIC_PATH_ISSUED, 1, 1, 0);
	check_stage(c, OCFABRIC_PATH_ACKNOWLEDGED, 1, 0, 0);
	check_stage(c, OCFABRIC_PATH_COMPLETED, 0, 0, 0);
	check_at(c, OCFABRIC_PATH_ACKNOWLEDGED, OCFABRIC_WAITS_FOR_RESPONSE);
	since = rd64(c, OCFABRIC_REG_PATH_SINCE(0));
	CHECK(rd64(c, OCFABRIC_REG_PATH_DUE(0)) == since + 5000);
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_LINK_RESET, 0, 0, 0, 0, 0));
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_DMA_ERROR);
	snapshot(c);
	check_stage(c, OCFABRIC_PATH_ACKNOWLEDGED, 1, 0, 1);
	check_at(c, OCFABRIC_PATH_NONE, OCFABRIC_WAITS_FOR_NOTHING);
	CHECK(!rd64(c, OCFABRIC_REG_PATH_SINCE(0)));
	card_end(c);
}

/* The registers as such: halves, holes, writes, the last link, reset. */
static void registers(void)
{
	struct card *c = start(0);
	uint32_t reg = OCFABRIC_REG_PATH(0, OCFABRIC_PATH_TAKEN);

	card_run(c, 0, a_write(0));
	snapshot(c);
	wr64(c, reg, 99);
	wr32(c, OCFABRIC_REG_PATH_AT(0), 0);
	CHECK(rd64(c, reg) == 1 && rd32(c, reg) == 1 && !rd32(c, reg + 4));
	check_at(c, OCFABRIC_PATH_NONE, OCFABRIC_WAITS_FOR_NOTHING);
	CHECK(!rd64(c, reg + 0x18) && !rd64(c, OCFABRIC_REG_PATH_AT(0)) &&
	      !rd64(c, OCFABRIC_REG_PATH_DUE(0) + 8), "holes");
	CHECK(rd32(c, OCFABRIC_REG_PATH_AT(15)) == OCFABRIC_PATH_NONE);
	CHECK(!rd32(c, OCFABRIC_REG_PATH_AT(15) + 0x100), "no more links");
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	CHECK(!rd64(c, reg));
	check_at(c, OCFABRIC_PATH_NONE, OCFABRIC_WAITS_FOR_NOTHING);
	CHECK(rd32(c, OCFABRIC_REG_STALL_LIMIT) == OCFABRIC_STALL_LIMIT);
	wr32(c, OCFABRIC_REG_STALL_LIMIT, OCFABRIC_STALL_LIMIT_MAX);
	wr32(c, OCFABRIC_REG_STALL_LIMIT, OCFABRIC_STALL_LIMIT_MAX + 1);
	wr32(c, OCFABRIC_REG_STALL_LIMIT, ~0u);
	CHECK(rd32(c, OCFABRIC_REG_STALL_LIMIT) == OCFABRIC_STALL_LIMIT_MAX);
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	CHECK(rd32(c, OCFABRIC_REG_STALL_LIMIT) == OCFABRIC_STALL_LIMIT);
	card_end(c);
}

static void check_stalled(struct card *c, uint32_t i, unsigned int link,
			  unsigned int stage, uint32_t ms, uint32_t qpn)
{
	struct ocfabric_event ev = card_event(c, i);

	CHECK(ev.type == OCFABRIC_EVENT_STALLED && ev.link == link &&
	      ev.cause == stage && ev.a == ms && ev.b == qpn,
	      "event %u: type %u link %u stage %u: %u ms, QPN %u", i, ev.type,
	      ev.link, ev.cause, ev.a, ev.b);
}

static void stalled(void)
{
	struct card *c = start(0);

	card_msix(c);
	delay(c, REGION(1), FOREVER);
	post(c, a_write(0));
	qtest_step_ns(c->q, 100 * MS_NS - 100);
	CHECK(!card_nr_events(c), "too early");
	qtest_step_ns(c->q, 200);
	CHECK(card_nr_events(c) == 1 && card_msix_came(c, OCFABRIC_VECTOR_EVENTS));
	check_stalled(c, 0, 0, OCFABRIC_PATH_ACKNOWLEDGED, 100,
		      card_qpn(3, 0, 1));
	qtest_step_ns(c->q, 1000 * MS_NS);
	CHECK(card_nr_events(c) == 1, "once a write");
	/* the other links go on, and have their own */
	CHECK(!card_run(c, 1, card_write(card_qpn(3, 1, 0), 0, 8, 0, 1)).status);
	card_post(c, 2, card_write(card_qpn(3, 2, 1), 4, 8, 0, 2));
	card_ring(c, 2, 1);
	qtest_step_ns(c->q, 150 * MS_NS);
	CHECK(card_nr_events(c) == 2);
	check_stalled(c, 1, 2, OCFABRIC_PATH_ACKNOWLEDGED, 100,
		      card_qpn(3, 2, 1));
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_LINK_RESET, 0, 0, 0, 0, 0));
	card_take(c, 0);
	post(c, a_write(0));
	qtest_step_ns(c->q, 101 * MS_NS);
	CHECK(card_nr_events(c) == 3, "the next write");
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	qtest_step_ns(c->q, 1000 * MS_NS);
	CHECK(!card_nr_events(c), "forgotten by a reset");
	card_end(c);
}

/* What waits out a long latency is told of, too: in its stage. */
static void stalled_in_latency(void)
{
	struct card *c = start(FOREVER);

	post(c, a_write(0));
	qtest_step_ns(c->q, 101 * MS_NS);
	CHECK(card_nr_events(c) == 1);
	check_stalled(c, 0, 0, OCFABRIC_PATH_TAKEN, 100, card_qpn(3, 0, 1));
	card_end(c);
}

/* A link's time without events of rejects is no reason to look only after it. */
static void stalled_after_reject(void)
{
	struct card *c = start(0);

	wr32(c, OCFABRIC_REG_STALL_LIMIT, 10);
	delay(c, REGION(1), FOREVER);
	card_run(c, 1, card_write(77, 0, 8, 0, 1));
	CHECK(card_nr_events(c) == 1);
	post(c, a_write(0));
	qtest_step_ns(c->q, 11 * MS_NS);
	CHECK(card_nr_events(c) == 2);
	check_stalled(c, 1, 0, OCFABRIC_PATH_ACKNOWLEDGED, 10,
		      card_qpn(3, 0, 1));
	card_end(c);
}

/* Progress sets it back: no write of these takes a whole limit. */
static void slow_but_moving(void)
{
	struct card *c = start(60 * MS_CYCLES);
	unsigned int i;

	delay(c, REGION(1), 60 * MS_CYCLES);
	for (i = 0; i < 3; i++) {
		post(c, a_write(0));
		qtest_step_ns(c->q, 60 * MS_NS + 10);
		card_wait(c, OCFABRIC_REG_LINK_STATE(0), ~0u,
			  OCFABRIC_STAGE_ACKNOWLEDGED);
		qtest_step_ns(c->q, 60 * MS_NS + 10);
		CHECK(!card_take(c, 0).status);
	}
	qtest_step_ns(c->q, 500 * MS_NS);
	CHECK(!card_nr_events(c));
	card_end(c);
}

static void limits(void)
{
	struct card *c = start(0);

	wr32(c, OCFABRIC_REG_STALL_LIMIT, 0);
	delay(c, REGION(1), FOREVER);
	post(c, a_write(0));
	qtest_step_ns(c->q, 2000 * MS_NS);
	CHECK(!card_nr_events(c), "off");
	wr32(c, OCFABRIC_REG_STALL_LIMIT, 2500);
	qtest_step_ns(c->q, 400 * MS_NS);
	CHECK(!card_nr_events(c), "a longer one");
	wr32(c, OCFABRIC_REG_STALL_LIMIT, 7);
	CHECK(card_nr_events(c) == 1, "in force at once");
	check_stalled(c, 0, 0, OCFABRIC_PATH_ACKNOWLEDGED, 2400,
		      card_qpn(3, 0, 1));
	wr32(c, OCFABRIC_REG_STALL_LIMIT, 0);
	wr32(c, OCFABRIC_REG_STALL_LIMIT, 7);
	CHECK(card_nr_events(c) == 1, "once a write");
	card_end(c);
}

/* A queue that waits for a semaphore, or is drained, has no write in flight. */
static void not_in_flight(void)
{
	struct card *c = start(0);

	post(c, card_sem(OCFABRIC_OP_WAIT, 0, 8, 1));
	qtest_step_ns(c->q, 1000 * MS_NS);
	CHECK(!card_nr_events(c), "WAIT");
	CHECK(!card_run(c, 1, card_sem(OCFABRIC_OP_SEM_REMOTE,
				       card_qpn(3, 1, 0), 8, 1)).status);
	card_take(c, 0);
	card_drain(c);
	post(c, a_write(0));
	qtest_step_ns(c->q, 1000 * MS_NS);
	CHECK(!card_nr_events(c), "not begun");
	card_end(c);
}

/* Time does not pass for what is in flight while the machine is stopped. */
static void stopped_machine(void)
{
	struct card *c = start(0);

	delay(c, REGION(1), FOREVER);
	post(c, a_write(0));
	qtest_step_ns(c->q, 60 * MS_NS);
	qtest_qmp(c->q, "{\"execute\":\"stop\"}");
	wr32(c, OCFABRIC_REG_STALL_LIMIT, 100);
	CHECK(!card_nr_events(c));
	qtest_qmp(c->q, "{\"execute\":\"cont\"}");
	qtest_step_ns(c->q, 39 * MS_NS);
	CHECK(!card_nr_events(c));
	qtest_step_ns(c->q, 2 * MS_NS);
	CHECK(card_nr_events(c) == 1);
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "counts of each stage", counts },
	{ "a write that is held", held },
	{ "the registers", registers },
	{ "a delayed response is told of", stalled },
	{ "a long latency is told of", stalled_in_latency },
	{ "a stall after a rejected write", stalled_after_reject },
	{ "what moves is not told of", slow_but_moving },
	{ "limits, and none", limits },
	{ "what is not in flight is not told of", not_in_flight },
	{ "a machine that is stopped", stopped_machine },
};

TAP_MAIN(tests)
