// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs by their registers: the command block, contexts, what writes are told,
 * and what becomes of those in flight.
 */
#include <string.h>

#include "card.h"

#define OPTIONS "faults=on,replicas=8"
#define N 3
#define CYCLE_NS 4
#define DELAY 3000	/* of a response, cycles */
#define OK OCFABRIC_RESULT_OK
#define NO_ATTR OCFABRIC_QP_NO_ATTR
#define BIT(attr) OCFABRIC_QP_ATTR_##attr

static struct card *start(void)
{
	struct card *c = card_start(OPTIONS);
	unsigned int q;

	card_configure(c, N, 0);
	for (q = 0; q < N; q++) {
		card_queue(c, q, 5);
		card_key(c, q, q);
	}
	return c;
}

/* ---- the block ---- */

static uint32_t reg(struct card *c, uint32_t r)
{
	return rd32(c, OCFABRIC_REG_QP(r));
}

static void set(struct card *c, uint32_t r, uint32_t value)
{
	wr32(c, OCFABRIC_REG_QP(r), value);
}

static uint32_t status(struct card *c)
{
	return reg(c, OCFABRIC_QUERY_QP_STATUS);
}

static void issue(struct card *c, uint32_t cmd, unsigned int link, uint32_t qpn)
{
	set(c, OCFABRIC_MOD_QP_DST_QPN, link << OCFABRIC_QP_LINK_SHIFT | qpn);
	set(c, OCFABRIC_MOD_QP_CMD, cmd);
}

/* Waits until it is done; result and attribute at fault. */
static uint32_t end(struct card *c)
{
	card_wait(c, OCFABRIC_REG_QP(OCFABRIC_QUERY_QP_STATUS),
		  OCFABRIC_QP_BUSY | OCFABRIC_QP_DONE, OCFABRIC_QP_DONE);
	return status(c) >> OCFABRIC_QP_RESULT_SHIFT;
}

static uint32_t command(struct card *c, uint32_t cmd, unsigned int link,
			uint32_t qpn)
{
	issue(c, cmd, link, qpn);
	return end(c);
}

static void issue_state(struct card *c, unsigned int link, uint32_t qpn,
			uint32_t state)
{
	set(c, OCFABRIC_QP_VALID, BIT(STATE));
	set(c, OCFABRIC_QP_STATE, state);
	issue(c, OCFABRIC_QP_CMD_MODIFY, link, qpn);
}

#define ANSWER(result, at) ((result) | (uint32_t)(at) << 8)
#define GOOD ANSWER(OK, NO_ATTR)

static void move(struct card *c, unsigned int link, uint32_t qpn, uint32_t state)
{
	uint32_t answer;

	issue_state(c, link, qpn, state);
	answer = end(c);
	CHECK(answer == GOOD, "to state %u: 0x%x", state, answer);
}

static void recover(struct card *c, unsigned int link, uint32_t qpn)
{
	uint32_t answer = command(c, OCFABRIC_QP_CMD_RECOVER, link, qpn);

	CHECK(answer == GOOD, "0x%x", answer);
}

static struct ocfabric_hw_qp snapshot(struct card *c, unsigned int link,
				      uint32_t qpn)
{
	struct ocfabric_hw_qp qp;
	uint64_t words[sizeof(qp) / 8];
	unsigned int i;

	wr32(c, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_QPS);
	for (i = 0; i < sizeof(qp) / 8; i++)
		words[i] = rd64(c, OCFABRIC_REG_QPC(link, qpn) + 8 * i);
	memcpy(&qp, words, sizeof(qp));
	return qp;
}

static uint32_t state_of(struct card *c, unsigned int link, uint32_t qpn)
{
	return snapshot(c, link, qpn).state;
}

/* ---- writes ---- */

static struct ocfabric_desc a_write(unsigned int q, uint32_t qpn, uint64_t raddr)
{
	return card_write(qpn, raddr, 8, 0, q);
}

static uint8_t sent(struct card *c, unsigned int q, uint32_t qpn)
{
	return card_run(c, q, a_write(q, qpn, 256)).status;
}

/* Responses of this line of region 1 come late from now on. */
static void delay(struct card *c, uint32_t cycles)
{
	card_drain(c);
	card_cmd(c, OCFABRIC_HW_CMD_FAULT_DELAY, 0, REGION(1), cycles, 0, 0);
	card_resume(c);
}

/* A write of link 0's QPN 0 in flight, a step away from its end. */
static void fly(struct card *c)
{
	delay(c, DELAY);
	card_post(c, 0, a_write(0, 0, 0));
	card_ring(c, 0, 1);
	CHECK(rd32(c, OCFABRIC_REG_LINK_STATE(0)) == OCFABRIC_STAGE_ACKNOWLEDGED);
}

static void land(struct card *c)
{
	qtest_step_ns(c->q, (DELAY + 1) * CYCLE_NS);
}

/* ---- tests ---- */

static void registers(void)
{
	struct card *c = start();
	uint32_t r;

	CHECK(reg(c, OCFABRIC_QPC_BASE_ADDR) == OCFABRIC_REG_QPC(0, 0));
	CHECK(reg(c, OCFABRIC_QPC_ENTRY_NUM) == 4096);
	CHECK(!status(c) && reg(c, OCFABRIC_WINDOW_SIZE_REG) == 128);
	set(c, OCFABRIC_WINDOW_SIZE_REG, 0);
	set(c, OCFABRIC_WINDOW_SIZE_REG, 32769);
	set(c, OCFABRIC_WINDOW_SIZE_REG, ~0u);
	CHECK(reg(c, OCFABRIC_WINDOW_SIZE_REG) == 128, "ignored");
	set(c, OCFABRIC_WINDOW_SIZE_REG, 32768);
	CHECK(reg(c, OCFABRIC_WINDOW_SIZE_REG) == 32768);
	set(c, OCFABRIC_QPC_BASE_ADDR, 1);
	set(c, OCFABRIC_QPC_ENTRY_NUM, 1);
	CHECK(reg(c, OCFABRIC_QPC_BASE_ADDR) == 0x60000 &&
	      reg(c, OCFABRIC_QPC_ENTRY_NUM) == 4096 &&
	      !reg(c, OCFABRIC_MOD_QP_CMD));
	for (r = OCFABRIC_QP_VALID; r <= OCFABRIC_QP_RNR_TIMER; r += 4)
		set(c, r, 0xabc00000 + r);
	for (r = OCFABRIC_QP_PEER; r <= OCFABRIC_QP_MOVES; r += 4)
		set(c, r, 0xdef);
	for (r = OCFABRIC_QP_VALID; r <= OCFABRIC_QP_RNR_TIMER; r += 4)
		CHECK(reg(c, r) == 0xabc00000 + r, "0x%x", r);
	for (; r <= OCFABRIC_QP_MOVES; r += 4)
		CHECK(!reg(c, r), "0x%x", r);
	for (r = OCFABRIC_QP_MOVES + 4; r < 0x100; r += 4)
		CHECK(!reg(c, r), "a hole at 0x%x", r);
	CHECK(!reg(c, 0x8) && !reg(c, 0xc));
	wr64(c, OCFABRIC_REG_QP(OCFABRIC_QP_VALID), 0);
	CHECK(reg(c, OCFABRIC_QP_VALID), "two registers at once are none");
	card_end(c);
}

static void answers(void)
{
	struct card *c = start();

	CHECK(command(c, 0, 0, 0) == ANSWER(OCFABRIC_RESULT_UNKNOWN, NO_ATTR));
	CHECK(command(c, 4, 0, 0) == ANSWER(OCFABRIC_RESULT_UNKNOWN, NO_ATTR));
	CHECK(command(c, ~0u, 0, 0) == ANSWER(OCFABRIC_RESULT_UNKNOWN, NO_ATTR));
	CHECK(command(c, OCFABRIC_QP_CMD_QUERY, 8, 0) ==
	      ANSWER(OCFABRIC_RESULT_INVALID, NO_ATTR), "no such link");
	CHECK(command(c, OCFABRIC_QP_CMD_RECOVER, 255, 0) ==
	      ANSWER(OCFABRIC_RESULT_INVALID, NO_ATTR));
	CHECK(command(c, OCFABRIC_QP_CMD_MODIFY, 0, 256) ==
	      ANSWER(OCFABRIC_RESULT_INVALID, NO_ATTR), "no such QPN");
	CHECK(command(c, OCFABRIC_QP_CMD_RECOVER, 0, 9) ==
	      ANSWER(OCFABRIC_RESULT_NO_CONNECTION, NO_ATTR));
	CHECK(command(c, OCFABRIC_QP_CMD_MODIFY, 0, 9) ==
	      ANSWER(OCFABRIC_RESULT_NO_CONNECTION, NO_ATTR));
	CHECK(command(c, OCFABRIC_QP_CMD_QUERY, 0, 9) == GOOD &&
	      reg(c, OCFABRIC_QP_PEER) == 0xff && !reg(c, OCFABRIC_QP_STATE));
	issue_state(c, 0, 0, OCFABRIC_QP_SQE);
	CHECK(end(c) == ANSWER(OCFABRIC_RESULT_MOVE, 0));
	issue_state(c, 0, 0, 9);
	CHECK(end(c) == ANSWER(OCFABRIC_RESULT_INVALID, 0));
	set(c, OCFABRIC_QP_VALID, 1u << OCFABRIC_QP_ATTRS);
	CHECK(command(c, OCFABRIC_QP_CMD_MODIFY, 0, 0) ==
	      ANSWER(OCFABRIC_RESULT_INVALID, NO_ATTR));
	set(c, OCFABRIC_QP_VALID, BIT(MTU));
	CHECK(command(c, OCFABRIC_QP_CMD_MODIFY, 0, 0) ==
	      ANSWER(OCFABRIC_RESULT_NOT_ALLOWED, 4));
	set(c, OCFABRIC_QP_VALID, BIT(WINDOW));
	set(c, OCFABRIC_QP_WINDOW, 0);
	CHECK(command(c, OCFABRIC_QP_CMD_MODIFY, 0, 0) ==
	      ANSWER(OCFABRIC_RESULT_INVALID, 3));
	move(c, 0, 0, OCFABRIC_QP_RESET);
	move(c, 0, 0, OCFABRIC_QP_INIT);
	issue_state(c, 0, 0, OCFABRIC_QP_RTR);
	CHECK(end(c) == ANSWER(OCFABRIC_RESULT_MISSING, 2));
	CHECK(state_of(c, 0, 0) == OCFABRIC_QP_INIT);
	CHECK(!(status(c) & OCFABRIC_QP_OVERRUN));
	card_end(c);
}

/* Up to RTS with other attributes: the context has them, and the query. */
static void walked(void)
{
	static const uint32_t want[] = {
		OCFABRIC_QP_RTS, 3186, 3186, 7, 256, 5, 6, 17, 22, 1, 0, 0, 0,
	};
	struct card *c = start();
	struct ocfabric_hw_qp qp;
	struct ocfabric_cqe e;
	unsigned int i;

	move(c, 0, 0, OCFABRIC_QP_RESET);
	move(c, 0, 0, OCFABRIC_QP_INIT);
	for (i = 1; i < OCFABRIC_QP_ATTRS; i++)
		set(c, OCFABRIC_QP_STATE + 4 * i, want[i]);
	set(c, OCFABRIC_QP_SEND_PSN, 3185);
	set(c, OCFABRIC_QP_EXPECTED_PSN, 3185);
	set(c, OCFABRIC_QP_VALID, BIT(STATE) | BIT(EXPECTED_PSN) | BIT(MTU) |
	    BIT(RNR_TIMER));
	set(c, OCFABRIC_QP_STATE, OCFABRIC_QP_RTR);
	CHECK(command(c, OCFABRIC_QP_CMD_MODIFY, 0, 0) == GOOD);
	set(c, OCFABRIC_QP_VALID, BIT(STATE) | BIT(SEND_PSN) | BIT(WINDOW) |
	    BIT(RETRY_LIMIT) | BIT(RNR_LIMIT) | BIT(TIMEOUT));
	set(c, OCFABRIC_QP_STATE, OCFABRIC_QP_RTS);
	CHECK(command(c, OCFABRIC_QP_CMD_MODIFY, 0, 0) == GOOD);
	e = card_run(c, 0, a_write(0, 0, 0));
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED && e.psn == 3185);
	CHECK(command(c, OCFABRIC_QP_CMD_QUERY, 0, 0) == GOOD);
	for (i = 0; i < sizeof(want) / sizeof(*want); i++)
		CHECK(reg(c, OCFABRIC_QP_STATE + 4 * i) == want[i],
		      "register 0x%x is %u, not %u", OCFABRIC_QP_STATE + 4 * i,
		      reg(c, OCFABRIC_QP_STATE + 4 * i), want[i]);
	CHECK(reg(c, OCFABRIC_QP_MOVES) == 5);
	qp = snapshot(c, 0, 0);
	CHECK(qp.state == OCFABRIC_QP_RTS && qp.peer == 1 && qp.send_psn == 3186 &&
	      qp.expected_psn == 3186 && qp.window == 7 && qp.mtu == 256 &&
	      qp.retry_limit == 5 && qp.rnr_limit == 6 && qp.timeout == 17 &&
	      qp.rnr_timer == 22 && qp.moves == 5 && !qp.flags && !qp.cause);
	card_end(c);
}

static void contexts(void)
{
	struct ocfabric_hw_qp fresh = {
		.state = OCFABRIC_QP_RTS, .window = 128, .mtu = 4096,
		.retry_limit = 7, .rnr_limit = 7, .timeout = 14, .rnr_timer = 12,
		.moves = 1,
	}, qp;
	struct card *c = card_start(OPTIONS);
	unsigned int link, dst;
	uint32_t at;

	CHECK(rd64(c, OCFABRIC_REG_QPC(15, 255)) == 0xff00, "before any snapshot");
	card_configure(c, N, 0);
	CHECK(rd64(c, OCFABRIC_REG_QPC(0, 0)) == 0xff00, "a snapshot is of its time");
	for (link = 0; link < N; link++) {
		for (dst = 0; dst < N; dst++) {
			if (dst == link)
				continue;
			qp = snapshot(c, link, card_qpn(N, link, dst));
			fresh.peer = (uint8_t)dst;
			CHECK(!memcmp(&qp, &fresh, sizeof(qp)), "%u to %u", link,
			      dst);
		}
	}
	qp = snapshot(c, 0, 100);
	CHECK(qp.state == OCFABRIC_QP_RESET && qp.peer == 0xff && !qp.moves);
	at = OCFABRIC_REG_QPC(0, 0) + 8;
	CHECK(rd32(c, at) == 0 && rd32(c, at + 4) == 128, "in halves");
	wr32(c, OCFABRIC_REG_QPC(0, 0), 0x1234);
	CHECK(snapshot(c, 0, 0).state == OCFABRIC_QP_RTS, "read-only");
	card_end(c);
}

/* A CONN that is written loads, what it was written with before or not. */
static void loading(void)
{
	struct card *c = start();
	struct ocfabric_hw_qp qp;

	sent(c, 0, 0);
	move(c, 0, 0, OCFABRIC_QP_ERR);
	set(c, OCFABRIC_WINDOW_SIZE_REG, 9);
	card_drain(c);
	wr32(c, OCFABRIC_REG_CONN(0, 0), OCFABRIC_CONN_VALID | 1);
	wr32(c, OCFABRIC_REG_CONN(0, 1), 0);
	qp = snapshot(c, 0, 0);
	CHECK(qp.state == OCFABRIC_QP_RTS && !qp.send_psn && qp.window == 9 &&
	      qp.moves == 3);
	qp = snapshot(c, 0, 1);
	CHECK(qp.state == OCFABRIC_QP_RESET && qp.peer == 0xff);
	card_resume(c);
	CHECK(sent(c, 0, 0) == OCFABRIC_VERDICT_COMMITTED);
	CHECK(sent(c, 0, 1) == OCFABRIC_VERDICT_UNMAPPED);
	wr32(c, OCFABRIC_REG_CONN(0, 0), OCFABRIC_CONN_VALID | 1);
	CHECK(snapshot(c, 0, 0).send_psn == 1, "not drained: nothing happens");
	card_end(c);
}

/* After unmapped, before everything that needs the destination. */
static void verdict(void)
{
	struct card *c = start();
	struct ocfabric_desc d = card_write(0, 2, 0, 0, 0);
	static const uint32_t states[] = {
		OCFABRIC_QP_SQD, OCFABRIC_QP_ERR, OCFABRIC_QP_RESET,
		OCFABRIC_QP_INIT,
	};
	unsigned int i, n = sizeof(states) / sizeof(*states);
	uint32_t last;

	CHECK(card_run(c, 0, d).status == OCFABRIC_VERDICT_ZERO_LENGTH);
	for (i = 0; i < n; i++) {
		move(c, 0, 0, states[i]);
		CHECK(sent(c, 0, 0) == OCFABRIC_VERDICT_QP_STATE);
		CHECK(card_run(c, 0, d).status == OCFABRIC_VERDICT_QP_STATE);
		CHECK(card_run(c, 0, card_sem(OCFABRIC_OP_SEM_REMOTE, 0, 99, 1))
			      .status == OCFABRIC_VERDICT_QP_STATE);
		CHECK(sent(c, 0, 1) == OCFABRIC_VERDICT_COMMITTED);
		CHECK(sent(c, 0, 77) == OCFABRIC_VERDICT_UNMAPPED);
	}
	/* a peer that is no member: bad_config for who may send */
	card_drain(c);
	wr32(c, OCFABRIC_REG_CONN(0, 0), OCFABRIC_CONN_VALID | 5);
	card_resume(c);
	CHECK(sent(c, 0, 0) == OCFABRIC_VERDICT_BAD_CONFIG);
	move(c, 0, 0, OCFABRIC_QP_SQD);
	CHECK(sent(c, 0, 0) == OCFABRIC_VERDICT_QP_STATE);
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_QP_STATE) == 3 * n + 1);
	card_check_sums(c, N);
	wr32(c, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_REJECTS);
	/* zero_length, three and unmapped a state, bad_config, this one */
	last = OCFABRIC_REG_REJECT(0, (4 * n + 3 - 1) % 16);
	CHECK(rd64(c, last) == 4 * n + 3);
	last += offsetof(struct ocfabric_hw_reject, verdict) & ~7u;
	CHECK((uint8_t)(rd64(c, last) >>
			8 * (offsetof(struct ocfabric_hw_reject, verdict) & 7)) ==
	      OCFABRIC_VERDICT_QP_STATE);
	card_end(c);
}

/* A move to SQD waits for the write in flight; what comes meanwhile is refused. */
static void draining(void)
{
	struct card *c = start();
	struct ocfabric_hw_qp qp;

	fly(c);
	issue_state(c, 0, 0, OCFABRIC_QP_SQD);
	CHECK(status(c) == OCFABRIC_QP_BUSY, "0x%x", status(c));
	qp = snapshot(c, 0, 0);
	CHECK(qp.state == OCFABRIC_QP_SQD && qp.flags == OCFABRIC_QP_DRAINING &&
	      qp.outstanding == 1);
	/* to another connection, or to none: it is ignored */
	set(c, OCFABRIC_QP_STATE, OCFABRIC_QP_ERR);
	issue(c, OCFABRIC_QP_CMD_MODIFY, 0, 1);
	CHECK(status(c) == (OCFABRIC_QP_BUSY | OCFABRIC_QP_OVERRUN));
	issue(c, OCFABRIC_QP_CMD_RECOVER, 0, 0);
	issue(c, 77, 9, 999);
	CHECK(status(c) == (OCFABRIC_QP_BUSY | OCFABRIC_QP_OVERRUN));
	CHECK(state_of(c, 0, 1) == OCFABRIC_QP_RTS);
	set(c, OCFABRIC_QUERY_QP_STATUS, OCFABRIC_QP_OVERRUN);
	CHECK(status(c) == OCFABRIC_QP_BUSY);
	set(c, OCFABRIC_MOD_QP_CMD, OCFABRIC_QP_CMD_QUERY);
	set(c, OCFABRIC_QUERY_QP_STATUS, ~(uint32_t)OCFABRIC_QP_OVERRUN);
	/* time passes, but not enough of it */
	qtest_step_ns(c->q, DELAY / 2 * CYCLE_NS);
	CHECK(status(c) & OCFABRIC_QP_BUSY && !card_has(c, 0));
	land(c);
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_COMMITTED);
	CHECK(end(c) == GOOD);
	CHECK(status(c) & OCFABRIC_QP_OVERRUN, "it is sticky");
	qp = snapshot(c, 0, 0);
	CHECK(qp.state == OCFABRIC_QP_SQD && !qp.flags && !qp.outstanding);
	move(c, 0, 0, OCFABRIC_QP_RTS);
	CHECK(status(c) & OCFABRIC_QP_OVERRUN, "through a command, too");
	CHECK(sent(c, 0, 0) == OCFABRIC_VERDICT_COMMITTED);
	/* with nothing in flight it is done at once */
	issue_state(c, 0, 0, OCFABRIC_QP_SQD);
	CHECK(status(c) & OCFABRIC_QP_DONE);
	card_end(c);
}

/* Both links send all the time, on all connections; one of them pauses. */
static void under_traffic(void)
{
	struct card *c = start();
	unsigned int lap, q, k, stopped = 0, paused = 0;
	struct ocfabric_cqe e;

	for (lap = 0; lap < 30; lap++) {
		if (lap % 3 == 1)
			delay(c, 50);
		if (lap % 3 == 2)
			delay(c, 0);
		for (q = 0; q < 2; q++) {
			for (k = 0; k < 6; k++)
				card_post(c, q, a_write(q, 2 * q + k % 2, 64 * (k / 2)));
			card_ring(c, q, 6);
		}
		issue_state(c, 0, 0, lap % 2 ? OCFABRIC_QP_RTS : OCFABRIC_QP_SQD);
		paused += status(c) & OCFABRIC_QP_BUSY;
		qtest_step_ns(c->q, 1000 * CYCLE_NS);
		for (q = 0; q < 2; q++) {
			for (k = 0; k < 6; k++) {
				e = card_take(c, q);
				CHECK(e.status == OCFABRIC_VERDICT_COMMITTED ||
				      (e.status == OCFABRIC_VERDICT_QP_STATE &&
				       !q && !e.qpn), "status %u", e.status);
				stopped += e.status == OCFABRIC_VERDICT_QP_STATE;
			}
		}
		CHECK(end(c) == GOOD);
	}
	CHECK(stopped && paused, "%u stopped, %u paused", stopped, paused);
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_QP_STATE) == stopped);
	CHECK(snapshot(c, 0, 0).send_psn == 30 * 3 - stopped);
	CHECK(snapshot(c, 0, 1).expected_psn == 30 * 3);
	card_check_sums(c, N);
	card_end(c);
}

/* Whatever ends the write ends the command. */
static void drain_ends(struct card *c, uint8_t verdict)
{
	if (verdict)
		CHECK(card_take(c, 0).status == verdict);
	CHECK(end(c) == GOOD && !(status(c) & OCFABRIC_QP_OVERRUN));
	CHECK(state_of(c, 0, 0) == OCFABRIC_QP_SQD);
	card_end(c);
}

static struct card *start_draining(void)
{
	struct card *c = start();

	fly(c);
	issue_state(c, 0, 0, OCFABRIC_QP_SQD);
	CHECK(status(c) == OCFABRIC_QP_BUSY);
	return c;
}

static void other_ends(void)
{
	struct card *c = start_draining();

	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_LINK_RESET, 0, 0, 0, 0, 0));
	drain_ends(c, OCFABRIC_VERDICT_DMA_ERROR);

	c = start_draining();
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0,
			OCFABRIC_QUEUE_ABORT, 0, 0, 0));
	CHECK(status(c) & OCFABRIC_QP_DONE);
	card_queue(c, 0, 5);
	CHECK(sent(c, 0, 0) == OCFABRIC_VERDICT_QP_STATE);
	drain_ends(c, 0);

	/* a disabling that waits for the same write */
	c = start_draining();
	wr64(c, OCFABRIC_REG_CMD_ARG(0), 0);
	wr32(c, OCFABRIC_REG_CMD, OCFABRIC_HW_CMD_QUEUE_DISABLE);
	CHECK(rd32(c, OCFABRIC_REG_CMD_STATUS) == OCFABRIC_HW_CMD_BUSY &&
	      status(c) == OCFABRIC_QP_BUSY);
	land(c);
	card_wait(c, OCFABRIC_REG_CMD_STATUS, ~0u, OCFABRIC_HW_CMD_DONE);
	drain_ends(c, OCFABRIC_VERDICT_COMMITTED);

	/* the connection goes while it drains */
	c = start_draining();
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_DRAIN);
	land(c);
	card_drain(c);
	wr32(c, OCFABRIC_REG_CONN(0, 0), 0);
	CHECK(end(c) == GOOD && state_of(c, 0, 0) == OCFABRIC_QP_RESET);
	card_end(c);
}

/* ---- errors ---- */

static void flushing(void)
{
	static const uint8_t want[] = {
		OCFABRIC_VERDICT_DMA_ERROR, OCFABRIC_VERDICT_FLUSHED,
		OCFABRIC_VERDICT_COMMITTED, OCFABRIC_VERDICT_FLUSHED,
		OCFABRIC_VERDICT_COMMITTED, OCFABRIC_VERDICT_QP_STATE,
	};
	struct card *c = start();
	struct ocfabric_desc quiet = a_write(0, 0, 256);
	struct ocfabric_cqe e;
	unsigned int i;

	quiet.flags = OCFABRIC_DESC_UNSIGNALED;
	fly(c);
	card_post(c, 0, a_write(0, 0, 256));
	card_post(c, 0, a_write(0, 1, 256));
	card_post(c, 0, quiet);
	card_ring(c, 0, 3);
	issue_state(c, 0, 0, OCFABRIC_QP_ERR);
	CHECK(end(c) == GOOD);
	card_post(c, 0, a_write(0, 1, 256));
	card_post(c, 0, a_write(0, 0, 256));
	card_ring(c, 0, 2);
	for (i = 0; i < sizeof(want); i++) {
		e = card_take(c, 0);
		CHECK(e.status == want[i] && e.index == i, "%u: status %u", i,
		      e.status);
	}
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_WRITES) == 4);
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_DMA_ERROR) == 1);
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_QP_STATE) == 1);
	card_check_sums(c, N);
	recover(c, 0, 0);
	CHECK(sent(c, 0, 0) == OCFABRIC_VERDICT_COMMITTED);
	card_end(c);
}

/* What waits behind a WAIT is flushed when its turn comes. */
static void flushed_behind_wait(void)
{
	struct card *c = start();

	card_post(c, 0, card_sem(OCFABRIC_OP_WAIT, 0, 3, 1));
	card_post(c, 0, a_write(0, 0, 256));
	card_ring(c, 0, 2);
	move(c, 0, 0, OCFABRIC_QP_ERR);
	recover(c, 0, 0);
	CHECK(!card_has(c, 0));
	card_run(c, 1, card_sem(OCFABRIC_OP_SEM_REMOTE, card_qpn(N, 1, 0), 8, 1));
	CHECK(!card_has(c, 0), "another semaphore");
	card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, OCFABRIC_QUEUE_ABORT, 0, 0, 0);
	card_queue(c, 0, 5);
	card_post(c, 0, card_sem(OCFABRIC_OP_WAIT, 0, 9, 1));
	card_post(c, 0, a_write(0, 0, 256));
	card_ring(c, 0, 2);
	move(c, 0, 0, OCFABRIC_QP_ERR);
	card_run(c, 1, card_sem(OCFABRIC_OP_SEM_REMOTE, card_qpn(N, 1, 0), 9, 1));
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_COMMITTED);
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_FLUSHED);
	card_end(c);
}

static void recovery(void)
{
	struct card *c = start();
	struct ocfabric_hw_qp qp;
	uint32_t moves;

	sent(c, 0, 0);
	fly(c);
	card_post(c, 0, a_write(0, 0, 256));
	card_ring(c, 0, 1);
	moves = snapshot(c, 0, 0).moves;
	recover(c, 0, 0);
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_DMA_ERROR);
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_COMMITTED);
	qp = snapshot(c, 0, 0);
	CHECK(qp.state == OCFABRIC_QP_RTS && qp.send_psn == 1 &&
	      qp.expected_psn == 1 && qp.moves == moves + 1);
	/* one in flight of another connection stays */
	fly(c);
	recover(c, 0, 1);
	CHECK(snapshot(c, 0, 0).outstanding == 1 && !card_has(c, 0));
	land(c);
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_COMMITTED);
	move(c, 0, 0, OCFABRIC_QP_ERR);
	recover(c, 0, 0);
	CHECK(sent(c, 0, 0) == OCFABRIC_VERDICT_COMMITTED);
	card_check_sums(c, N);
	card_end(c);
}

static struct ocfabric_event event(struct card *c, unsigned int i)
{
	struct ocfabric_event ev;

	qtest_load(c->q, EVENT_RING + i * sizeof(ev), &ev, sizeof(ev));
	return ev;
}

static void set_apart(struct card *c)
{
	set(c, OCFABRIC_QP_VALID, BIT(EXPECTED_PSN));
	set(c, OCFABRIC_QP_EXPECTED_PSN, 77);
	CHECK(command(c, OCFABRIC_QP_CMD_MODIFY, 0, 1) == GOOD);
}

static void by_the_card(void)
{
	struct card *c = start();
	struct ocfabric_hw_qp qp;
	struct ocfabric_event ev;

	qtest_zero(c->q, EVENT_RING, 4096);
	wr64(c, OCFABRIC_REG_EVENT_BASE, EVENT_RING);
	wr32(c, OCFABRIC_REG_EVENT_SHIFT, 4);
	set_apart(c);
	CHECK(sent(c, 0, 1) == OCFABRIC_VERDICT_COMMITTED, "its verdict stands");
	card_wait(c, OCFABRIC_REG_EVENT_PRODUCER, ~0u, 1);
	ev = event(c, 0);
	CHECK(ev.type == OCFABRIC_EVENT_QP && !ev.link && ev.a == 1 &&
	      ev.cause == OCFABRIC_QP_CAUSE_PSN && ev.b == OCFABRIC_QP_SQE);
	qp = snapshot(c, 0, 1);
	CHECK(qp.state == OCFABRIC_QP_SQE && qp.cause == OCFABRIC_QP_CAUSE_PSN &&
	      qp.send_psn == 1 && qp.expected_psn == 77);
	CHECK(sent(c, 0, 1) == OCFABRIC_VERDICT_QP_STATE);
	set(c, OCFABRIC_QP_VALID, BIT(STATE) | BIT(EXPECTED_PSN));
	set(c, OCFABRIC_QP_STATE, OCFABRIC_QP_RTS);
	set(c, OCFABRIC_QP_EXPECTED_PSN, 2);
	CHECK(command(c, OCFABRIC_QP_CMD_MODIFY, 0, 1) ==
	      ANSWER(OCFABRIC_RESULT_INVALID, 1), "still apart");
	set(c, OCFABRIC_QP_EXPECTED_PSN, 1);
	CHECK(command(c, OCFABRIC_QP_CMD_MODIFY, 0, 1) == GOOD);
	CHECK(sent(c, 0, 1) == OCFABRIC_VERDICT_COMMITTED);
	CHECK(!snapshot(c, 0, 1).cause);
	CHECK(rd32(c, OCFABRIC_REG_EVENT_PRODUCER) == 2 &&
	      event(c, 1).type == OCFABRIC_EVENT_REJECTED,
	      "by hand: no event but the reject's");
	card_end(c);
}

/* The last write of one that drains makes it fail: the command says so. */
static void fails_while_draining(void)
{
	struct card *c = start();

	set_apart(c);
	card_drain(c);
	card_cmd(c, OCFABRIC_HW_CMD_FAULT_DELAY, 0, REGION(2), DELAY, 0, 0);
	card_resume(c);
	card_post(c, 0, a_write(0, 1, 0));
	card_ring(c, 0, 1);
	issue_state(c, 0, 1, OCFABRIC_QP_SQD);
	CHECK(status(c) == OCFABRIC_QP_BUSY);
	land(c);
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_COMMITTED);
	CHECK(end(c) == ANSWER(OCFABRIC_RESULT_MOVE, 0));
	CHECK(state_of(c, 0, 1) == OCFABRIC_QP_SQE);
	recover(c, 0, 1);
	CHECK(sent(c, 0, 1) == OCFABRIC_VERDICT_COMMITTED);
	card_end(c);
}

/* ---- reset, harm ---- */

static void by_reset(void)
{
	struct card *c = start_draining();
	uint32_t r;

	set(c, OCFABRIC_MOD_QP_CMD, 1);
	set(c, OCFABRIC_WINDOW_SIZE_REG, 3);
	wr32(c, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_QPS);
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	CHECK(!status(c), "status 0x%x", status(c));
	CHECK(reg(c, OCFABRIC_WINDOW_SIZE_REG) == 128);
	CHECK(!reg(c, OCFABRIC_MOD_QP_DST_QPN));
	for (r = OCFABRIC_QP_VALID; r <= OCFABRIC_QP_MOVES; r += 4)
		CHECK(!reg(c, r), "0x%x", r);
	CHECK(rd64(c, OCFABRIC_REG_QPC(0, 0)) == 0xff00);
	CHECK(snapshot(c, 0, 0).peer == 0xff && !snapshot(c, 0, 0).moves);
	card_configure(c, N, 0);
	CHECK(state_of(c, 0, 0) == OCFABRIC_QP_RTS);
	card_queue(c, 0, 5);
	card_key(c, 0, 0);
	CHECK(sent(c, 0, 0) == OCFABRIC_VERDICT_COMMITTED);
	card_end(c);
}

static uint32_t some(uint64_t *seed)
{
	static const uint32_t v[] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 255, 256, 257, 4096, 32768,
		0xffffff, 0x1000000, 0x1000001, 0x2000004, 0x7fffffff, ~0u,
	};

	return v[card_random(seed) % (sizeof(v) / sizeof(*v))];
}

static void traffic(struct card *c, uint64_t *seed)
{
	unsigned int q;

	for (q = 0; q < 2; q++) {
		if (card_random(seed) & 3 && c->posted[q] - c->taken[q] < 16) {
			card_post(c, q, a_write(q, 2 * q + (card_random(seed) & 1),
						(card_random(seed) & 1) * 64));
			card_ring(c, q, 1);
		}
		while (card_has(c, q))
			card_take(c, q);
	}
	qtest_step_ns(c->q, 1 + card_random(seed) % 500);
}

/* Time passes until all that was rung has been run, one delay after the other. */
static void settle(struct card *c, unsigned int q)
{
	uint32_t at = OCFABRIC_REG_QUEUE(q);
	uint64_t since = qtest_now_ms();

	while (rd32(c, at + OCFABRIC_QUEUE_HEAD) !=
	       rd32(c, at + OCFABRIC_QUEUE_TAIL)) {
		if (qtest_late(since)) {
			CHECK(false, "queue %u does not come to its end", q);
			return;
		}
		qtest_step_ns(c->q, 1000);
		qtest_yield();
	}
}

/* Any values, mostly at connections that have traffic; then all is as ever. */
static void harm(void)
{
	struct card *c = start();
	uint64_t seed = 0xfeed;
	unsigned int round, i, q;
	uint32_t r;

	delay(c, 60);
	for (round = 0; round < 3000; round++) {
		r = OCFABRIC_QP_VALID + 4 * (card_random(&seed) % ((OCFABRIC_QP_MOVES - OCFABRIC_QP_VALID) / 4));
		set(c, r, some(&seed));
		if (round & 1)
			set(c, OCFABRIC_QP_VALID, some(&seed));
		set(c, OCFABRIC_MOD_QP_DST_QPN, card_random(&seed) & 7 ?
		    (uint32_t)(card_random(&seed) & 1) : some(&seed));
		set(c, OCFABRIC_MOD_QP_CMD, some(&seed) & 7);
		if (!(round & 3))
			traffic(c, &seed);
		if (!(round & 63))
			set(c, OCFABRIC_WINDOW_SIZE_REG, some(&seed));
	}
	settle(c, 0);
	settle(c, 1);
	CHECK(!(status(c) & OCFABRIC_QP_BUSY));
	delay(c, 0);
	for (q = 0; q < 2; q++)
		for (i = 0; i < 2; i++) {
			recover(c, q, 2 * q + i);
			while (card_has(c, q))
				card_take(c, q);
			CHECK(sent(c, q, 2 * q + i) ==
			      OCFABRIC_VERDICT_COMMITTED);
		}
	card_check_sums(c, N);
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "registers", registers },
	{ "what commands are told", answers },
	{ "walked up to RTS", walked },
	{ "contexts", contexts },
	{ "a connection that is written is loaded", loading },
	{ "the verdict and its place", verdict },
	{ "SQD waits for the write in flight; overrun", draining },
	{ "SQD and back under traffic", under_traffic },
	{ "other ends of a write end the command", other_ends },
	{ "ERR flushes", flushing },
	{ "flushing behind a WAIT", flushed_behind_wait },
	{ "recovery", recovery },
	{ "an error by the card", by_the_card },
	{ "an error while it drains", fails_while_draining },
	{ "reset while it drains", by_reset },
	{ "random commands under traffic", harm },
};

TAP_MAIN(tests)
