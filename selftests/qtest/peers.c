// SPDX-License-Identifier: GPL-2.0-only
/* What replicas do to each other besides writing: immediates, semaphores. */
#include <string.h>

#include "card.h"

static struct card *start(unsigned int n)
{
	struct card *c = card_start("faults=on");
	unsigned int q;

	card_configure(c, n, 0);
	for (q = 0; q < n; q++)
		card_queue(c, q, 4);
	return c;
}

static struct ocfabric_desc imm(uint32_t qpn, uint64_t raddr, uint32_t value)
{
	struct ocfabric_desc d = card_write(qpn, raddr, 8, 0, 0);

	d.opcode = OCFABRIC_OP_WRITE_IMM;
	d.flags = OCFABRIC_DESC_INLINE;
	d.imm = value;
	memcpy(d.data, &value, 4);
	return d;
}

static uint32_t state(struct card *c, unsigned int q)
{
	return rd32(c, OCFABRIC_REG_QUEUE(q) + OCFABRIC_QUEUE_STATE);
}

static uint32_t reg(struct card *c, unsigned int q, uint32_t at)
{
	return rd32(c, OCFABRIC_REG_QUEUE(q) + at);
}

/* What others find wrong with a queue it does not see in its own doorbell. */
static void stopped(struct card *c, unsigned int q, uint32_t cause,
		    uint32_t wrote, uint32_t expected)
{
	card_wait(c, OCFABRIC_REG_QUEUE(q) + OCFABRIC_QUEUE_STATE, 0xff,
		  OCFABRIC_QUEUE_STOPPED);
	CHECK(card_cause(c, q) == cause, "cause %u", card_cause(c, q));
	CHECK(reg(c, q, OCFABRIC_QUEUE_WROTE) == wrote, "wrote %u",
	      reg(c, q, OCFABRIC_QUEUE_WROTE));
	CHECK(reg(c, q, OCFABRIC_QUEUE_EXPECTED) == expected, "expected %u",
	      reg(c, q, OCFABRIC_QUEUE_EXPECTED));
}

static void restart(struct card *c, unsigned int q)
{
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, q, 0, 0, 0, 0) ==
	      OCFABRIC_RESULT_OK);
	card_queue(c, q, 4);
}

static void immediates(void)
{
	struct card *c = start(3);
	struct ocfabric_cqe e;
	unsigned int i;

	e = card_run(c, 0, imm(card_qpn(3, 0, 1), 0, 5));
	CHECK(e.status == OCFABRIC_VERDICT_RNR && !e.bytes, "before it is armed");
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_RNR) == 1);
	CHECK(!qtest_read(c->q, BAR_HBM + REGION(1), 8), "nothing was written");
	card_recv(c, 1, 3);
	CHECK(reg(c, 1, OCFABRIC_QUEUE_RX_TAIL) == 3);
	for (i = 0; i < 3; i++) {
		unsigned int from = i & 1 ? 2 : 0;

		e = card_run(c, from, imm(card_qpn(3, from, 1), 8 * i, 0x70 + i));
		CHECK(e.status == OCFABRIC_VERDICT_COMMITTED && e.bytes == 8);
		CHECK(!(e.flags & OCFABRIC_CQE_RECEIVE));
		e = card_take(c, 1);
		CHECK(e.status == OCFABRIC_VERDICT_COMMITTED && e.bytes == 8 &&
		      e.flags & OCFABRIC_CQE_RECEIVE && e.source == from &&
		      e.imm == 0x70 + i && e.index == i && e.psn == i / 2 &&
		      e.opcode == OCFABRIC_OP_WRITE_IMM &&
		      e.qpn == card_qpn(3, from, 1), "%u: index %u imm 0x%x from %u",
		      i, e.index, e.imm, e.source);
		CHECK(qtest_read(c->q, BAR_HBM + REGION(1) + 8 * i, 4) == 0x70 + i);
	}
	CHECK(reg(c, 1, OCFABRIC_QUEUE_RX_HEAD) == 3);
	CHECK(card_run(c, 0, imm(card_qpn(3, 0, 1), 0, 5)).status ==
	      OCFABRIC_VERDICT_RNR, "all are used");
	card_check_sums(c, 3);
	card_end(c);
}

/* A rejected or failed one arms nothing, and uses nothing up. */
static void given_back(void)
{
	struct card *c = start(2);
	struct ocfabric_desc d = imm(0, 4, 1);
	struct ocfabric_cqe e;

	card_recv(c, 1, 1);
	d.raddr = 2;
	CHECK(card_run(c, 0, d).status == OCFABRIC_VERDICT_MISALIGNED);
	card_drain(c);
	card_cmd(c, OCFABRIC_HW_CMD_FAULT_RESP, 0, REGION(1), 2, 0, 0);
	card_resume(c);
	CHECK(card_run(c, 0, imm(0, 4, 2)).status == OCFABRIC_VERDICT_AXI_ERROR);
	CHECK(!card_has(c, 1) && !reg(c, 1, OCFABRIC_QUEUE_RX_HEAD));
	d = imm(0, 64, 3);
	d.len = 100;
	d.beats = 1;
	d.flags = 0;
	memset(d.data, 0, sizeof(d.data));
	d.key = OCFABRIC_KEY_REGION;
	e = card_run(c, 0, d);
	CHECK(e.status == OCFABRIC_VERDICT_SHORT_PACKET);
	e = card_take(c, 1);
	CHECK(e.status == OCFABRIC_VERDICT_SHORT_PACKET && e.bytes == 64 &&
	      e.flags & OCFABRIC_CQE_SHORT && e.imm == 3);
	card_check_sums(c, 2);
	card_end(c);
}

static void receive_doorbell(void)
{
	static const uint32_t too_much[] = { 17, 0x10000, 0xffffff };
	struct card *c = start(2);
	struct ocfabric_hw_queue hw = card_queue_struct(1, 4);
	uint64_t page = BAR_DOORBELL + OCFABRIC_DOORBELL_S2M +
			OCFABRIC_DOORBELL_PAGE(1);
	unsigned int i;

	card_recv(c, 1, 5);
	CHECK(!qtest_read(c->q, page + OCFABRIC_DOORBELL_RDRTP_INC, 4),
	      "write only");
	qtest_write(c->q, page + OCFABRIC_DOORBELL_RDRTP_INC, 2, 1);
	qtest_write(c->q, page + OCFABRIC_DOORBELL_RDRTP_INC, 8, 1);
	qtest_write(c->q, page + OCFABRIC_DOORBELL_RDRTP_INC + 4, 4, 1);
	qtest_write(c->q, page, 4, 1);
	card_ring_recv(c, 1, 0);
	card_ring_recv(c, 1, 0xa5000000);
	CHECK(reg(c, 1, OCFABRIC_QUEUE_RX_TAIL) == 5);
	card_ring_recv(c, 1, 0xff00000b);	/* reserved bits are ignored */
	CHECK(reg(c, 1, OCFABRIC_QUEUE_RX_TAIL) == 16);
	card_ring_recv(c, 1, 1);
	stopped(c, 1, OCFABRIC_CAUSE_RX_OVER_INCREMENT, 0, 1);
	for (i = 0; i < sizeof(too_much) / sizeof(*too_much); i++) {
		restart(c, 1);
		card_ring_recv(c, 1, too_much[i]);
		stopped(c, 1, OCFABRIC_CAUSE_RX_OVER_INCREMENT, 16, too_much[i]);
	}
	CHECK(!rd32(c, OCFABRIC_REG_ERROR));
	card_ring_recv(c, 1, 1);
	card_ring_recv(c, 7, 1);
	CHECK(rd32(c, OCFABRIC_REG_ERROR) == OCFABRIC_ERROR_DOORBELL);
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 1, 0, 0, 0, 0));
	hw.rx_shift = 0;
	hw.rx_chunk[0] = 0;
	CHECK(card_enable(c, 1, &hw) == OCFABRIC_RESULT_OK);
	CHECK(card_run(c, 0, imm(0, 0, 1)).status == OCFABRIC_VERDICT_RNR);
	card_ring_recv(c, 1, 1);
	stopped(c, 1, OCFABRIC_CAUSE_RX_OVER_INCREMENT, 0, 1);
	card_end(c);
}

static void receive_descriptors(void)
{
	static const unsigned int offset[16] = {
		0, 1, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8,
	};
	struct card *c = start(2);
	unsigned int i;

	card_ring_recv(c, 1, 2);
	CHECK(card_run(c, 0, imm(0, 0, 1)).status == OCFABRIC_VERDICT_RNR);
	stopped(c, 1, OCFABRIC_CAUSE_RX_STALE_TAG, 0, 2);
	for (i = 0; i < 16; i++) {
		restart(c, 1);
		card_recv(c, 1, 3);
		CHECK(!card_run(c, 0, imm(0, 0, 1)).status);
		qtest_write(c->q, RX_RING(1) + 16 + i, 1, i == 1 ? 0x11 : 0x40);
		CHECK(card_run(c, 0, imm(0, 0, 1)).status == OCFABRIC_VERDICT_RNR);
		stopped(c, 1, OCFABRIC_CAUSE_RX_BAD_DESCRIPTOR, 1, offset[i]);
	}
	restart(c, 1);
	card_recv(c, 1, 3);
	qtest_write(c->q, RX_RING(1) + 32 + 1, 1, 2);
	CHECK(!card_run(c, 0, imm(0, 0, 1)).status);
	CHECK(!card_run(c, 0, imm(0, 0, 1)).status);
	CHECK(card_run(c, 0, imm(0, 0, 1)).status == OCFABRIC_VERDICT_RNR);
	stopped(c, 1, OCFABRIC_CAUSE_RX_STALE_TAG, 2, 3);
	CHECK(card_state(c, 0) == OCFABRIC_QUEUE_ENABLED, "the sender goes on");
	card_end(c);
}

static void full_completion_ring(void)
{
	struct card *c = start(2);
	unsigned int i;

	card_recv(c, 1, 16);
	for (i = 0; i < 16; i++)
		CHECK(!card_run(c, 0, imm(0, 0, i)).status);
	card_recv(c, 1, 1);
	CHECK(card_run(c, 0, imm(0, 0, 99)).status == OCFABRIC_VERDICT_RNR);
	stopped(c, 1, OCFABRIC_CAUSE_CQ_FULL, 0, 16);
	for (i = 0; i < 16; i++)
		CHECK(card_take(c, 1).imm == i, "none was overwritten");
	card_end(c);
}

static void laps(void)
{
	struct card *c = start(2);
	unsigned int i;

	for (i = 0; i < 83; i++) {
		card_recv(c, 1, 1);
		CHECK(!card_run(c, 0, imm(0, 0, i)).status);
		CHECK(card_take(c, 1).index == i % 16, "%u", i);
	}
	CHECK(reg(c, 1, OCFABRIC_QUEUE_RX_HEAD) == 83);
	card_end(c);
}

static void semaphores(void)
{
	struct card *c = start(3);
	struct ocfabric_cqe e;

	e = card_run(c, 0, card_sem(OCFABRIC_OP_SEM_LOCAL, 0, 63, 5));
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED && !e.bytes &&
	      e.opcode == OCFABRIC_OP_SEM_LOCAL);
	card_run(c, 0, card_sem(OCFABRIC_OP_SEM_LOCAL, 0, 63, ~0u));
	CHECK(card_sem_value(c, 0, 63) == 4, "around the end");
	CHECK(!card_counter(c, 0, OCFABRIC_COUNTER_WRITES), "no link is used");

	e = card_run(c, 0, card_sem(OCFABRIC_OP_SEM_REMOTE, 1, 8, 3));
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED && !e.bytes && e.qpn == 1);
	card_run(c, 1, card_sem(OCFABRIC_OP_SEM_REMOTE, card_qpn(3, 1, 2), 8, 4));
	CHECK(card_sem_value(c, 2, 8) == 7);
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_COMMITTED) == 1);
	CHECK(!card_counter(c, 0, OCFABRIC_COUNTER_LINES));

	CHECK(card_run(c, 0, card_sem(OCFABRIC_OP_SEM_REMOTE, 1, 7, 3)).status ==
	      OCFABRIC_VERDICT_UNAUTHORIZED, "below the range");
	CHECK(card_run(c, 0, card_sem(OCFABRIC_OP_SEM_REMOTE, 1, 40, 3)).status ==
	      OCFABRIC_VERDICT_UNAUTHORIZED, "above it");
	CHECK(card_run(c, 0, card_sem(OCFABRIC_OP_SEM_REMOTE, 1, 0xffff, 3))
		      .status == OCFABRIC_VERDICT_UNAUTHORIZED);
	CHECK(card_run(c, 0, card_sem(OCFABRIC_OP_SEM_REMOTE, 9, 8, 3)).status ==
	      OCFABRIC_VERDICT_UNMAPPED);
	wr32(c, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_REJECTS);
	CHECK(rd64(c, OCFABRIC_REG_REJECT(0, 1) + 8) == 40, "which semaphore");
	card_check_sums(c, 3);
	card_end(c);
}

/* Nobody needs to be there for a semaphore to be added to. */
static void without_owner(void)
{
	struct card *c = start(2);
	struct ocfabric_hw_queue hw = card_queue_struct(1, 4);

	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 1, 0, 0, 0, 0));
	card_run(c, 0, card_sem(OCFABRIC_OP_SEM_REMOTE, 0, 9, 3));
	CHECK(rd32(c, OCFABRIC_REG_SEMAPHORE(1, 9)) == 3);
	CHECK(!qtest_read(c->q, SEM_PAGE(1) + 36, 4), "its page is not touched");
	CHECK(card_enable(c, 1, &hw) == OCFABRIC_RESULT_OK);
	CHECK(card_sem_value(c, 1, 9) == 3, "it is there from the start");
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 1, 0, 0, 0, 0));
	hw.flags = OCFABRIC_HW_QUEUE_CLEAR;
	hw.owner |= 8;
	CHECK(card_enable(c, 1, &hw) == OCFABRIC_RESULT_INVALID);
	CHECK(rd32(c, OCFABRIC_REG_SEMAPHORE(1, 9)) == 3, "nothing was changed");
	hw.owner = OWNER_LINE(1);
	CHECK(card_enable(c, 1, &hw) == OCFABRIC_RESULT_OK);
	CHECK(!card_sem_value(c, 1, 9), "cleared");
	card_end(c);
}

static void waits(void)
{
	struct card *c = start(2);
	unsigned int i;

	card_post(c, 1, card_sem(OCFABRIC_OP_SEM_LOCAL, 0, 1, 1));
	card_post(c, 1, card_sem(OCFABRIC_OP_WAIT, 0, 8, 3));
	card_post(c, 1, card_sem(OCFABRIC_OP_SEM_LOCAL, 0, 1, 1));
	card_ring(c, 1, 3);
	CHECK(card_take(c, 1).opcode == OCFABRIC_OP_SEM_LOCAL);
	for (i = 0; i < 2; i++) {
		CHECK(state(c, 1) == (OCFABRIC_QUEUE_ENABLED |
				      OCFABRIC_QUEUE_WAITING), "0x%x",
		      state(c, 1));
		CHECK(reg(c, 1, OCFABRIC_QUEUE_HEAD) == 1);
		CHECK(!card_has(c, 1) && card_sem_value(c, 1, 1) == 1);
		card_run(c, 0, card_sem(OCFABRIC_OP_SEM_REMOTE, 0, 8, 1));
		card_run(c, 0, card_sem(OCFABRIC_OP_SEM_REMOTE, 0, 10, 9));
	}
	card_drain(c);
	card_resume(c);
	CHECK(!card_has(c, 1), "a drain does not let it go");
	card_run(c, 0, card_sem(OCFABRIC_OP_SEM_REMOTE, 0, 8, 1));
	CHECK(card_take(c, 1).opcode == OCFABRIC_OP_WAIT);
	CHECK(card_take(c, 1).index == 2);
	CHECK(card_sem_value(c, 1, 8) == 3, "waiting takes nothing");
	CHECK(state(c, 1) == OCFABRIC_QUEUE_ENABLED);
	/* met from the start, and around the end */
	card_run(c, 1, card_sem(OCFABRIC_OP_WAIT, 0, 8, 3));
	card_run(c, 1, card_sem(OCFABRIC_OP_WAIT, 0, 8, 0xfffffff0));
	card_post(c, 1, card_sem(OCFABRIC_OP_WAIT, 0, 8, 0x80000002));
	card_ring(c, 1, 1);
	CHECK(state(c, 1) & OCFABRIC_QUEUE_WAITING);
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 1, 0, 0, 0, 0),
	      "at once");
	CHECK(state(c, 1) == OCFABRIC_QUEUE_DISABLED);
	card_run(c, 0, card_sem(OCFABRIC_OP_SEM_REMOTE, 0, 8, 0x7fffffff));
	card_queue(c, 1, 4);
	CHECK(!card_has(c, 1));
	card_end(c);
}

/* Two queues that wake each other, and a third that wants its turn. */
static void ping_pong(void)
{
	struct card *c = start(3);
	const unsigned int laps = 7;
	unsigned int i;

	for (i = 1; i <= laps; i++) {
		card_post(c, 0, card_sem(OCFABRIC_OP_SEM_REMOTE, 0, 20, 1));
		card_post(c, 0, card_sem(OCFABRIC_OP_WAIT, 0, 21, i));
		card_post(c, 1, card_sem(OCFABRIC_OP_WAIT, 0, 20, i));
		card_post(c, 1, card_sem(OCFABRIC_OP_SEM_REMOTE,
					 card_qpn(3, 1, 0), 21, 1));
	}
	card_ring(c, 1, 2 * laps);
	card_ring(c, 0, 2 * laps);
	CHECK(!card_run(c, 2, imm(card_qpn(3, 2, 1), 0, 1)).bytes);
	for (i = 0; i < 2 * laps; i++) {
		CHECK(card_take(c, 0).index == i);
		CHECK(card_take(c, 1).index == i);
	}
	CHECK(card_sem_value(c, 0, 21) == laps && card_sem_value(c, 1, 20) == laps);
	card_end(c);
}

/* Each waits for the one before it; one store is enough for all of them. */
static void chain(void)
{
	const unsigned int n = 16;
	struct card *c = start(n);
	unsigned int q;

	for (q = 1; q < n; q++) {
		card_post(c, q, card_sem(OCFABRIC_OP_WAIT, 0, 8, 1));
		if (q + 1 < n)
			card_post(c, q, card_sem(OCFABRIC_OP_SEM_REMOTE,
						 card_qpn(n, q, q + 1), 8, 1));
		card_ring(c, q, q + 1 < n ? 2 : 1);
		CHECK(state(c, q) & OCFABRIC_QUEUE_WAITING, "queue %u", q);
	}
	card_run(c, 0, card_sem(OCFABRIC_OP_SEM_REMOTE, card_qpn(n, 0, 1), 8, 1));
	for (q = 1; q < n; q++)
		CHECK(card_has(c, q) && card_sem_value(c, q, 8) == 1, "queue %u",
		      q);
	card_end(c);
}

static void reset(void)
{
	struct card *c = start(2);

	card_run(c, 0, card_sem(OCFABRIC_OP_SEM_LOCAL, 0, 5, 5));
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	CHECK(!rd32(c, OCFABRIC_REG_SEMAPHORE(0, 5)));
	CHECK(!reg(c, 0, OCFABRIC_QUEUE_RX_TAIL));
	CHECK(!rd32(c, OCFABRIC_REG_WINDOW(0) + OCFABRIC_WINDOW_SEMAPHORES));
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "writes with immediate", immediates },
	{ "a receive descriptor is given back", given_back },
	{ "the receive doorbell", receive_doorbell },
	{ "receive descriptors that are refused", receive_descriptors },
	{ "a full completion ring stops its owner", full_completion_ring },
	{ "several laps of the receive ring", laps },
	{ "semaphores", semaphores },
	{ "semaphores without their owner", without_owner },
	{ "waiting", waits },
	{ "two queues that wake each other", ping_pong },
	{ "a chain of queues in one doorbell", chain },
	{ "reset", reset },
};

TAP_MAIN(tests)
