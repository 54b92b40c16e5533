// SPDX-License-Identifier: GPL-2.0-only
/* Save and load in the middle of traffic: nothing lost, nothing repeated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "move.h"

#define OPTIONS "faults=on,hbm=16M"
#define CYCLE_NS 4
#define BIG_WRITES 8
#define BIG_OPTIONS "hbm=128M"
#define TURN 0x40000ull	/* bytes that the worker moves in one go */

/* c moves to a new process. */
static struct card *move(struct card *c)
{
	struct card *to;

	move_begin();
	move_save(c);
	to = move_load(c);
	card_end(c);
	move_end();
	return to;
}

static struct card *start(uint32_t latency)
{
	struct card *c = card_start(OPTIONS);
	unsigned int q;

	card_configure(c, 3, latency);
	for (q = 0; q < 3; q++) {
		card_queue(c, q, 4);
		card_key(c, q, q | 5 << OCFABRIC_KEY_GENERATION_SHIFT);
	}
	return c;
}

static struct ocfabric_desc a_write(unsigned int q, uint64_t raddr, uint32_t len)
{
	return card_write(2 * q, raddr, len, 0, q | 5 << 6);
}

static void idle(void)
{
	struct card *c = start(7);
	uint32_t generation = rd32(c, OCFABRIC_REG_GENERATION);
	uint64_t clock;

	card_run(c, 0, a_write(0, 2, 8));	/* a reject */
	wr32(c, OCFABRIC_REG_SNAPSHOT, 3);
	card_ring(c, 9, 1);			/* a sticky error */
	qtest_step_ns(c->q, 12340000);
	card_drain(c);
	card_cmd(c, OCFABRIC_HW_CMD_FAULT_RESP, 0, REGION(1), 2, 0, 0);
	card_cmd(c, OCFABRIC_HW_CMD_FAULT_DELAY, 0, 0, 9, 0, 0);
	wr32(c, OCFABRIC_REG_REGION_SIZE(9), 0x77);	/* half a write */
	clock = rd64(c, OCFABRIC_REG_CLOCK);
	CHECK(clock == 12340000 / CYCLE_NS);
	c = move(c);
	CHECK(rd32(c, OCFABRIC_REG_CFG_N) == 3);
	CHECK(rd32(c, OCFABRIC_REG_CFG_LATENCY) == 7);
	CHECK(rd64(c, OCFABRIC_REG_REGION_BASE(2)) == REGION(2));
	CHECK(rd32(c, OCFABRIC_REG_CONN(2, 5)) == (OCFABRIC_CONN_VALID | 1));
	CHECK(rd64(c, OCFABRIC_REG_WINDOW(5) + OCFABRIC_WINDOW_LENGTH) ==
	      REGION_SIZE);
	CHECK(rd32(c, OCFABRIC_REG_CONTROL) == OCFABRIC_CONTROL_DRAIN);
	CHECK(rd32(c, OCFABRIC_REG_ERROR) == OCFABRIC_ERROR_DOORBELL);
	CHECK(rd32(c, OCFABRIC_REG_GENERATION) == generation);
	CHECK(rd64(c, OCFABRIC_REG_COUNTER(0, OCFABRIC_COUNTER_MISALIGNED)) == 1);
	CHECK(rd64(c, OCFABRIC_REG_REJECT(0, 0)) == 1);
	CHECK(rd64(c, OCFABRIC_REG_CLOCK) == clock, "%llu, not %llu",
	      (unsigned long long)rd64(c, OCFABRIC_REG_CLOCK),
	      (unsigned long long)clock);
	wr32(c, OCFABRIC_REG_REGION_SIZE(9) + 4, 0x66);
	CHECK(rd64(c, OCFABRIC_REG_REGION_SIZE(9)) == 0x6600000077);
	wr32(c, OCFABRIC_REG_CFG_LATENCY, 0);
	card_resume(c);
	CHECK(rd32(c, OCFABRIC_REG_GENERATION) == generation + 1);
	CHECK(card_run(c, 0, a_write(0, 0, 8)).status ==
	      OCFABRIC_VERDICT_AXI_ERROR, "the fault");
	CHECK(card_run(c, 0, a_write(0, 64, 8)).status ==
	      OCFABRIC_VERDICT_COMMITTED);
	card_end(c);
}

/* Writes that wait for the latency, several rung behind each. */
static void waiting(void)
{
	struct card *c = start(1000);
	unsigned int q, i;

	for (q = 0; q < 3; q++) {
		for (i = 0; i < 5; i++) {
			qtest_write(c->q, SOURCE(q) + 8 * i, 8, q * 100 + i + 1);
			card_post(c, q, card_write(2 * q, 8 * i, 8, 8 * i,
						   q | 5 << 6));
		}
		card_ring(c, q, 5);
	}
	qtest_step_ns(c->q, 500 * CYCLE_NS);
	c = move(c);
	qtest_step_ns(c->q, 499 * CYCLE_NS);
	CHECK(!card_has(c, 0), "too early");
	for (i = 0; i < 5; i++) {
		qtest_step_ns(c->q, 1002 * CYCLE_NS);
		for (q = 0; q < 3; q++)
			CHECK(card_take(c, q).index == i);
		if (i == 2)
			c = move(c);
	}
	for (q = 0; q < 3; q++) {
		CHECK(!card_has(c, q));
		CHECK(card_counter(c, q, OCFABRIC_COUNTER_WRITES) == 5);
		for (i = 0; i < 5; i++)
			CHECK(qtest_read(c->q, BAR_HBM + REGION(q ? 0 : 1) +
					 8 * i, 8) % 100 == i + 1);
	}
	card_check_sums(c, 3);
	card_end(c);
}

/* Delayed responses, an armed interrupt, a command that waits. */
static void acknowledging(void)
{
	struct card *c = start(0);

	card_msix(c);
	card_drain(c);
	card_cmd(c, OCFABRIC_HW_CMD_FAULT_DELAY, 0, REGION(1), 3000, 0, 0);
	card_resume(c);
	qtest_write(c->q, OWNER_LINE(0) + 4, 4, 0);
	card_post(c, 0, a_write(0, 0, 100));
	card_ring(c, 0, 1);
	wr64(c, OCFABRIC_REG_CMD_ARG(0), 0);
	wr32(c, OCFABRIC_REG_CMD, OCFABRIC_HW_CMD_QUEUE_DISABLE);
	c = move(c);
	CHECK(rd32(c, OCFABRIC_REG_CMD_STATUS) == OCFABRIC_HW_CMD_BUSY);
	CHECK(rd32(c, OCFABRIC_REG_LINK_STATE(0)) == OCFABRIC_STAGE_ACKNOWLEDGED);
	CHECK(!card_msix_came(c, 1));
	qtest_step_ns(c->q, 3001 * CYCLE_NS);
	CHECK(card_take(c, 0).bytes == 100);
	card_wait(c, OCFABRIC_REG_CMD_STATUS, ~0u, OCFABRIC_HW_CMD_DONE);
	CHECK(card_msix_came(c, 1), "interrupt");
	card_end(c);
}

/*
 * A WAIT, a write with immediate and a semaphore on their way, an interrupt that
 * waits, receive descriptors, values, settings: all go on where they were.
 */
static void between_peers(void)
{
	struct card *c = start(1000);
	struct ocfabric_desc d = a_write(0, 0, 8);
	uint32_t queue1 = OCFABRIC_REG_QUEUE(1);

	d.opcode = OCFABRIC_OP_WRITE_IMM;
	d.imm = 0xabcd;
	card_msix(c);
	wr32(c, queue1 + OCFABRIC_QUEUE_MODERATION, OCFABRIC_MODERATION_COUNT | 9);
	wr32(c, queue1 + OCFABRIC_QUEUE_MODERATION_TIMER, 100000);
	qtest_write(c->q, OWNER_LINE(1) + 4, 4, 0);
	card_recv(c, 1, 2);
	card_run(c, 1, card_sem(OCFABRIC_OP_SEM_LOCAL, 0, 3, 7));
	card_post(c, 1, card_sem(OCFABRIC_OP_WAIT, 0, 8, 1));
	card_ring(c, 1, 1);
	card_post(c, 0, d);
	card_ring(c, 0, 1);
	card_post(c, 2, card_sem(OCFABRIC_OP_SEM_REMOTE, card_qpn(3, 2, 1), 8, 1));
	card_ring(c, 2, 1);
	c = move(c);
	CHECK(rd32(c, queue1 + OCFABRIC_QUEUE_STATE) ==
	      (OCFABRIC_QUEUE_ENABLED | OCFABRIC_QUEUE_WAITING));
	CHECK(card_sem_value(c, 1, 3) == 7 && !card_sem_value(c, 1, 8));
	CHECK(rd32(c, queue1 + OCFABRIC_QUEUE_RX_TAIL) == 2);
	CHECK(rd32(c, queue1 + OCFABRIC_QUEUE_MODERATION) ==
	      (OCFABRIC_MODERATION_COUNT | 9));
	CHECK(!rd32(c, queue1 + OCFABRIC_QUEUE_INTERRUPTS));
	qtest_step_ns(c->q, 1001 * CYCLE_NS);
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_COMMITTED);
	CHECK(card_take(c, 2).status == OCFABRIC_VERDICT_COMMITTED);
	card_wait(c, queue1 + OCFABRIC_QUEUE_CQ_PRODUCER, ~0u, 3);
	c = move(c);
	CHECK(card_sem_value(c, 1, 8) == 1);
	CHECK(rd32(c, queue1 + OCFABRIC_QUEUE_RX_HEAD) == 1);
	CHECK(!rd32(c, queue1 + OCFABRIC_QUEUE_INTERRUPTS), "it waits still");
	qtest_step_ns(c->q, 100000 - 1000 * CYCLE_NS);
	card_wait(c, queue1 + OCFABRIC_QUEUE_INTERRUPTS, ~0u, 1);
	CHECK(card_msix_came(c, 2));
	card_end(c);
}

static void qp_modify(struct card *c, uint32_t link_qpn, uint32_t state)
{
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_DST_QPN), link_qpn);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_QP_VALID), OCFABRIC_QP_ATTR_STATE);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_QP_STATE), state);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_CMD), OCFABRIC_QP_CMD_MODIFY);
}

/*
 * A connection that drains, with the command that waits for it; another one whose
 * descriptors have still to be flushed; contexts, and what was last seen of them.
 */
static void queue_pairs(void)
{
	const uint32_t status = OCFABRIC_REG_QP(OCFABRIC_QUERY_QP_STATUS);
	struct card *c = start(0);
	struct ocfabric_cqe e;

	card_run(c, 0, a_write(0, 0, 8));
	card_run(c, 0, a_write(0, 64, 8));
	wr32(c, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_QPS);
	card_drain(c);
	card_cmd(c, OCFABRIC_HW_CMD_FAULT_DELAY, 0, REGION(1), 3000, 0, 0);
	card_resume(c);
	card_post(c, 1, card_sem(OCFABRIC_OP_WAIT, 0, 8, 1));
	card_post(c, 1, a_write(1, 0, 8));
	card_ring(c, 1, 2);
	qp_modify(c, 1 << OCFABRIC_QP_LINK_SHIFT | 2, OCFABRIC_QP_ERR);
	CHECK(rd32(c, status) & OCFABRIC_QP_DONE);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_WINDOW_SIZE_REG), 9);
	card_post(c, 0, a_write(0, 0, 100));
	card_ring(c, 0, 1);
	qp_modify(c, 0, OCFABRIC_QP_SQD);
	qp_modify(c, 0, OCFABRIC_QP_RTS);
	c = move(c);
	CHECK(rd32(c, status) == (OCFABRIC_QP_BUSY | OCFABRIC_QP_OVERRUN));
	CHECK(rd32(c, OCFABRIC_REG_QP(OCFABRIC_WINDOW_SIZE_REG)) == 9);
	CHECK(rd32(c, OCFABRIC_REG_QP(OCFABRIC_QP_STATE)) == OCFABRIC_QP_RTS);
	CHECK(rd32(c, OCFABRIC_REG_QPC(0, 0)) == (1 << 8 | OCFABRIC_QP_RTS) &&
	      rd32(c, OCFABRIC_REG_QPC(0, 0) + 4) == 2, "the snapshot");
	wr32(c, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_QPS);
	CHECK(rd32(c, OCFABRIC_REG_QPC(0, 0)) ==
	      (OCFABRIC_QP_DRAINING << 16 | 1 << 8 | OCFABRIC_QP_SQD));
	CHECK(rd32(c, OCFABRIC_REG_QPC(0, 0) + 4) == 3);
	qtest_step_ns(c->q, 3001 * CYCLE_NS);
	e = card_take(c, 0);
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED && e.psn == 2);
	card_wait(c, status, OCFABRIC_QP_BUSY | OCFABRIC_QP_DONE, OCFABRIC_QP_DONE);
	CHECK(card_run(c, 0, a_write(0, 64, 8)).status == OCFABRIC_VERDICT_QP_STATE);
	qp_modify(c, 0, OCFABRIC_QP_RTS);
	CHECK(card_run(c, 0, a_write(0, 64, 8)).psn == 3);
	card_run(c, 0, card_sem(OCFABRIC_OP_SEM_REMOTE, 0, 8, 1));
	CHECK(card_take(c, 1).opcode == OCFABRIC_OP_WAIT);
	CHECK(card_take(c, 1).status == OCFABRIC_VERDICT_FLUSHED);
	CHECK(card_run(c, 1, a_write(1, 0, 8)).status == OCFABRIC_VERDICT_QP_STATE);
	card_check_sums(c, 3);
	card_end(c);
}

/*
 * Stages, a write that stalls, a reject that was not told of, an interrupt that a
 * limit put off, limits and weights: all go on where they were, and nothing is told
 * twice.
 */
static void watched(void)
{
	struct card *c = start(0);
	uint32_t queue1 = OCFABRIC_REG_QUEUE(1), i;

	card_msix(c);
	card_events(c);
	card_drain(c);
	card_cmd(c, OCFABRIC_HW_CMD_FAULT_DELAY, 0, REGION(1), 0xffffffff, 0, 0);
	card_resume(c);
	wr32(c, OCFABRIC_REG_STALL_LIMIT, 50);
	wr32(c, OCFABRIC_REG_STORM_LIMIT, 7);
	wr32(c, queue1 + OCFABRIC_QUEUE_WEIGHT, 9);
	wr32(c, queue1 + OCFABRIC_QUEUE_MODERATION, 1);
	wr32(c, queue1 + OCFABRIC_QUEUE_MODERATION_TIMER, 0);
	qtest_write(c->q, OWNER_LINE(1) + 4, 4, 0);
	for (i = 0; i < 8; i++)
		card_run(c, 1, card_sem(OCFABRIC_OP_SEM_LOCAL, 0, 3, 1));
	card_post(c, 0, a_write(0, 0, 8));
	card_ring(c, 0, 1);
	card_run(c, 2, a_write(2, 2, 8));	/* told of */
	card_run(c, 2, a_write(2, 2, 8));	/* and not */
	CHECK(card_nr_events(c) == 1);
	wr32(c, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_COUNTERS);
	c = move(c);
	CHECK(rd32(c, OCFABRIC_REG_STALL_LIMIT) == 50);
	CHECK(rd32(c, OCFABRIC_REG_STORM_LIMIT) == 7);
	CHECK(rd32(c, queue1 + OCFABRIC_QUEUE_WEIGHT) == 9);
	CHECK(rd32(c, queue1 + OCFABRIC_QUEUE_DELAYED) == 1);
	CHECK(rd32(c, queue1 + OCFABRIC_QUEUE_INTERRUPTS) == 7);
	CHECK(rd32(c, OCFABRIC_REG_PATH_AT(0)) ==
	      (OCFABRIC_PATH_ACKNOWLEDGED | OCFABRIC_WAITS_FOR_RESPONSE << 8));
	CHECK(rd64(c, OCFABRIC_REG_PATH(0, OCFABRIC_PATH_ISSUED) +
		   OCFABRIC_PATH_OUT) == 1);
	qtest_step_ns(c->q, 1000100);
	card_wait(c, queue1 + OCFABRIC_QUEUE_INTERRUPTS, ~0u, 8);
	CHECK(card_nr_events(c) == 1);
	qtest_step_ns(c->q, 50000000);
	CHECK(card_nr_events(c) == 2 &&
	      card_event(c, 1).type == OCFABRIC_EVENT_STALLED);
	c = move(c);
	qtest_step_ns(c->q, 50000000);
	CHECK(card_nr_events(c) == 3 &&
	      card_event(c, 2).type == OCFABRIC_EVENT_REJECTED);
	CHECK(card_event(c, 2).link == 2 && !card_event(c, 2).b);
	qtest_step_ns(c->q, 1000000000);
	CHECK(card_nr_events(c) == 3, "%u events", card_nr_events(c));
	wr32(c, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_COUNTERS);
	CHECK(!(rd32(c, OCFABRIC_REG_ERROR) & OCFABRIC_ERROR_CONSERVATION));
	card_end(c);
}

/*
 * Big writes that the worker is moving when the machine stops: wherever it
 * stopped, every byte gets there, once.
 */
static void moving(void)
{
	struct card *c = start(0);
	static uint8_t data[SOURCE_SIZE], got[SOURCE_SIZE];
	uint64_t state = 77;
	unsigned int i;

	for (i = 0; i < sizeof(data) / 8; i++)
		((uint64_t *)data)[i] = card_random(&state);
	qtest_store(c->q, SOURCE(0), data, sizeof(data));
	for (i = 0; i < BIG_WRITES; i++)
		card_post(c, 0, a_write(0, 4, SOURCE_SIZE - 4));
	card_post(c, 0, a_write(0, 4, SOURCE_SIZE - 64));
	card_ring(c, 0, BIG_WRITES + 1);
	c = move(c);
	for (i = 0; i <= BIG_WRITES; i++)
		CHECK(card_take(c, 0).index == i);
	CHECK(!card_has(c, 0));
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_COMMITTED) == BIG_WRITES + 1);
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_BYTES) ==
	      BIG_WRITES * (SOURCE_SIZE - 4ull) + SOURCE_SIZE - 64);
	qtest_load(c->q, BAR_HBM + REGION(1), got, sizeof(got));
	CHECK(!memcmp(got + 4, data, sizeof(data) - 4));
	card_check_sums(c, 3);
	card_end(c);
}

/* Runs the machine for moments until the write has moved in part. */
static bool stop_within(struct card *c)
{
	uint64_t start = qtest_now_ms();

	while (rd32(c, OCFABRIC_REG_LINK_STATE(0)) != OCFABRIC_STAGE_ISSUED) {
		if (qtest_late(start) || card_has(c, 0))
			return false;
		qtest_qmp(c->q, "{\"execute\":\"cont\"}");
		qtest_qmp(c->q, "{\"execute\":\"stop\"}");
	}
	return true;
}

/*
 * A write that stopped in the middle of a line, half of it in the card. The
 * worker moves so much at a time, from the write's start; the words on both
 * sides of each such place tell.
 */
static void half_moved(void)
{
	static const uint64_t size = 64 << 20, len = (64 << 20) - 64;
	struct card *c = card_start(BIG_OPTIONS);
	unsigned int tries;
	uint64_t at;

	card_configure(c, 2, 0);
	card_drain(c);
	wr64(c, OCFABRIC_REG_REGION_SIZE(0), size);
	wr64(c, OCFABRIC_REG_REGION_BASE(1), size);
	wr64(c, OCFABRIC_REG_REGION_SIZE(1), size);
	wr64(c, OCFABRIC_REG_WINDOW(0) + OCFABRIC_WINDOW_LENGTH, size);
	card_resume(c);
	card_queue(c, 0, 4);
	for (at = TURN; at < len; at += TURN) {
		qtest_write(c->q, BAR_HBM + at - 8, 8, ~at);
		qtest_write(c->q, BAR_HBM + at, 8, at * 3);
	}
	for (tries = 0; tries < 50; tries++) {
		qtest_qmp(c->q, "{\"execute\":\"stop\"}");
		card_post(c, 0, card_write(0, 4, (uint32_t)len, 0,
					   OCFABRIC_KEY_REGION));
		card_ring(c, 0, 1);
		if (stop_within(c))
			break;
		qtest_zero(c->q, BAR_HBM + size, size);
		card_take(c, 0);
	}
	CHECK(rd32(c, OCFABRIC_REG_LINK_STATE(0)) == OCFABRIC_STAGE_ISSUED,
	      "it did not stop within a write");
	c = move(c);
	CHECK(card_state(c, 0) == OCFABRIC_QUEUE_ENABLED);
	CHECK(!card_has(c, 0));
	qtest_qmp(c->q, "{\"execute\":\"cont\"}");
	CHECK(card_take(c, 0).bytes == len);
	for (at = TURN; at < len; at += TURN) {
		uint64_t before = qtest_read(c->q, BAR_HBM + size + at - 4, 8);
		uint64_t after = qtest_read(c->q, BAR_HBM + size + at + 4, 8);

		CHECK(before == ~at && after == at * 3, "at 0x%llx",
		      (unsigned long long)at);
	}
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_BYTES) == (tries + 1) * len);
	card_check_sums(c, 2);
	card_end(c);
}

static void bandwidth(struct card *c, const char *bytes)
{
	char cmd[160];
	const char *answer;

	snprintf(cmd, sizeof(cmd), "{\"execute\":\"migrate-set-parameters\","
		 "\"arguments\":{\"max-bandwidth\":%s}}", bytes);
	answer = qtest_qmp(c->q, cmd);
	CHECK(answer[2] == 'r', "%s", answer);
}

/* Waits until so many bytes of memory are in the file. */
static void wait_transferred(struct card *c, unsigned long bytes)
{
	uint64_t start = qtest_now_ms();
	const char *at;

	do {
		at = strstr(qtest_qmp(c->q, "{\"execute\":\"query-migrate\"}"),
			    "\"transferred\": ");
		if (qtest_late(start))
			qtest_die("the migration does not move");
		qtest_yield();
	} while (!at || strtoul(at + 15, NULL, 10) < bytes);
}

/*
 * Memory that the card changes after it was saved is saved again: the HBM, and
 * completion rings. Nothing else in this machine has contents.
 */
static void written_meanwhile(void)
{
	struct card *c = start(0), *from;
	struct ocfabric_desc d = card_write(0, 0, 8, 0, 0);
	uint8_t ring[512], got[512];
	char cmd[256];
	uint64_t page;

	d.flags = OCFABRIC_DESC_INLINE;
	qtest_fill(c->q, BAR_HBM, 3 << 20, 0x5a);
	card_run(c, 0, d);
	move_begin();
	bandwidth(c, "1000000");
	snprintf(cmd, sizeof(cmd), "{\"execute\":\"migrate\",\"arguments\":"
		 "{\"uri\":\"file:%s\"}}", move_file());
	qtest_qmp(c->q, cmd);
	wait_transferred(c, 2000000);
	for (page = 0; page < REGION_SIZE; page += 4096) {
		d.raddr = page;
		memcpy(d.data, &page, 8);
		CHECK(card_run(c, 0, d).status == OCFABRIC_VERDICT_COMMITTED);
	}
	qtest_load(c->q, CQ_RING(0), ring, sizeof(ring));
	bandwidth(c, "10000000000");
	move_wait(c);
	from = c;
	c = move_load(from);
	card_end(from);
	move_end();
	qtest_load(c->q, CQ_RING(0), got, sizeof(got));
	CHECK(!memcmp(ring, got, sizeof(ring)), "completion ring");
	for (page = 0; page < REGION_SIZE; page += 4096)
		CHECK(qtest_read(c->q, BAR_HBM + REGION(1) + page, 8) == page,
		      "page 0x%llx", (unsigned long long)page);
	CHECK(card_run(c, 0, d).status == OCFABRIC_VERDICT_COMMITTED);
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "all that is set and counted", idle },
	{ "writes that wait for the latency", waiting },
	{ "a write that waits for a response, in a command", acknowledging },
	{ "what is between peers", between_peers },
	{ "queue pairs, draining and flushing", queue_pairs },
	{ "what is watched, and limits", watched },
	{ "writes that the worker is moving", moving },
	{ "a line that is half in the card", half_moved },
	{ "memory written after it was saved", written_meanwhile },
};

TAP_MAIN(tests)
