// SPDX-License-Identifier: GPL-2.0-only
/* What waits: latency, delayed responses, drains, disabling. 250 MHz: 4 ns. */
#include "card.h"

#define CYCLE_NS 4
#define SECOND_NS 1000000000ull

static struct card *start(uint32_t latency)
{
	struct card *c = card_start("faults=on");

	card_configure(c, 2, latency);
	card_queue(c, 0, 4);
	card_key(c, 0, 0);
	card_queue(c, 1, 4);
	card_key(c, 1, 1);
	qtest_write(c->q, SOURCE(0), 8, 0x1122334455667788);
	return c;
}

static uint32_t stage(struct card *c, unsigned int link)
{
	return rd32(c, OCFABRIC_REG_LINK_STATE(link)) & OCFABRIC_LINK_STAGE_MASK;
}

static uint32_t busy(struct card *c)
{
	return rd32(c, OCFABRIC_REG_STATUS) >> OCFABRIC_STATUS_BUSY_SHIFT;
}

static uint64_t landed(struct card *c, uint64_t at)
{
	return qtest_read(c->q, BAR_HBM + at, 8);
}

static void latency(void)
{
	struct card *c = start(1000);
	struct ocfabric_cqe e;
	uint64_t first;

	card_post(c, 0, card_write(0, 0, 8, 0, 0));
	card_post(c, 0, card_write(0, 8, 8, 0, 0));
	card_ring(c, 0, 2);
	CHECK(stage(c, 0) == OCFABRIC_STAGE_TAKEN && busy(c) == 1);
	qtest_step_ns(c->q, 999 * CYCLE_NS);
	CHECK(!card_has(c, 0) && !landed(c, REGION(1)), "too early");
	qtest_step_ns(c->q, 2 * CYCLE_NS);
	e = card_take(c, 0);
	first = e.clock;
	CHECK(first >= 1000, "at %llu", (unsigned long long)first);
	CHECK(landed(c, REGION(1)) == 0x1122334455667788);
	CHECK(stage(c, 0) == OCFABRIC_STAGE_TAKEN, "the second one now");
	qtest_step_ns(c->q, 998 * CYCLE_NS);
	CHECK(!card_has(c, 0) && !landed(c, REGION(1) + 8), "too early again");
	qtest_step_ns(c->q, 3 * CYCLE_NS);
	e = card_take(c, 0);
	CHECK(e.clock >= first + 1000, "at %llu", (unsigned long long)e.clock);
	CHECK(stage(c, 0) == OCFABRIC_STAGE_IDLE && !busy(c));
	card_end(c);
}

static uint32_t fault(struct card *c, uint32_t op, uint64_t addr, uint64_t arg)
{
	uint32_t result;

	card_drain(c);
	result = card_cmd(c, op, 0, addr, arg, 0, 0);
	card_resume(c);
	return result;
}

static void delay(void)
{
	struct card *c = start(0);
	struct ocfabric_cqe e;

	CHECK(!fault(c, OCFABRIC_HW_CMD_FAULT_DELAY, REGION(1) + 64, 5000));
	card_post(c, 0, card_write(0, 0, 192, 0, 0));
	card_post(c, 0, card_write(0, 0x1000, 8, 0, 0));
	card_ring(c, 0, 2);
	CHECK(stage(c, 0) == OCFABRIC_STAGE_ACKNOWLEDGED);
	CHECK(!landed(c, REGION(1) + 0x1000), "the next waits for the first");
	/* the other link goes on */
	e = card_run(c, 1, card_write(1, 0, 8, 0, 1));
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED);
	qtest_step_ns(c->q, 4990 * CYCLE_NS);
	CHECK(!card_has(c, 0), "too early");
	qtest_step_ns(c->q, 11 * CYCLE_NS);
	e = card_take(c, 0);
	CHECK(e.bytes == 192 && e.clock >= 5000);
	card_take(c, 0);
	CHECK(landed(c, REGION(1) + 0x1000));
	CHECK(!fault(c, OCFABRIC_HW_CMD_FAULT_CLEAR, REGION(1) + 127, 0));
	e = card_run(c, 0, card_write(0, 0, 192, 0, 0));
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED, "cleared");
	card_end(c);
}

static void responses(void)
{
	struct card *c = start(0);
	struct ocfabric_cqe e;

	CHECK(!fault(c, OCFABRIC_HW_CMD_FAULT_RESP, REGION(1) + 70,
		     OCFABRIC_RESP_SLVERR));
	e = card_run(c, 0, card_write(0, 0, 128, 0, 0));
	CHECK(e.status == OCFABRIC_VERDICT_AXI_ERROR && !e.bytes);
	e = card_run(c, 0, card_write(0, 0, 64, 0, 0));
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED, "the line before");
	CHECK(!fault(c, OCFABRIC_HW_CMD_FAULT_RESP, REGION(1) + 70,
		     OCFABRIC_RESP_OKAY));
	e = card_run(c, 0, card_write(0, 0, 128, 0, 0));
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED);
	CHECK(fault(c, OCFABRIC_HW_CMD_FAULT_RESP, 0, 1) ==
	      OCFABRIC_RESULT_INVALID);
	CHECK(fault(c, OCFABRIC_HW_CMD_FAULT_RESP, 64 << 20, 2) ==
	      OCFABRIC_RESULT_INVALID, "outside of the HBM");
	CHECK(fault(c, OCFABRIC_HW_CMD_FAULT_DELAY, 0, 1ull << 32) ==
	      OCFABRIC_RESULT_INVALID);
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_FAULT_RESP, 0, 0, 2, 0, 0) ==
	      OCFABRIC_RESULT_NOT_DRAINED);
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_AXI_ERROR) == 1);
	card_check_sums(c, 2);
	card_end(c);
}

static void faults_run_out(void)
{
	struct card *c = start(0);
	uint32_t max = rd32(c, OCFABRIC_REG_MAX_FAULTS), i, result = 0;

	card_drain(c);
	for (i = 0; i < max && !result; i++)
		result = card_cmd(c, OCFABRIC_HW_CMD_FAULT_RESP, 0, 64ull * i,
				  OCFABRIC_RESP_DECERR, 0, 0);
	CHECK(!result && i == max, "%u faults of %u: result %u", i, max, result);
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_FAULT_RESP, 0, 64ull * i,
		       OCFABRIC_RESP_DECERR, 0, 0) == OCFABRIC_RESULT_NO_SPACE);
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_FAULT_CLEAR_ALL, 0, ~0ull, 0, 0, 0));
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_FAULT_RESP, 0, 64ull * i,
			OCFABRIC_RESP_DECERR, 0, 0));
	card_end(c);
}

/* A drain waits for what is in flight, and holds what is only rung. */
static void drain(void)
{
	struct card *c = start(1000);

	card_post(c, 0, card_write(0, 0, 8, 0, 0));
	card_post(c, 0, card_write(0, 8, 8, 0, 0));
	card_ring(c, 0, 2);
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_DRAIN);
	CHECK(!(rd32(c, OCFABRIC_REG_STATUS) & OCFABRIC_STATUS_DRAINED));
	wr32(c, OCFABRIC_REG_CFG_LATENCY, 7);
	CHECK(rd32(c, OCFABRIC_REG_CFG_LATENCY) == 1000);
	CHECK(rd32(c, OCFABRIC_REG_ERROR) == OCFABRIC_ERROR_NOT_DRAINED);
	qtest_step_ns(c->q, 1001 * CYCLE_NS);
	card_wait(c, OCFABRIC_REG_STATUS, OCFABRIC_STATUS_DRAINED,
		  OCFABRIC_STATUS_DRAINED);
	card_take(c, 0);
	qtest_step_ns(c->q, SECOND_NS);
	CHECK(!card_has(c, 0) && !busy(c), "the second is held");
	wr32(c, OCFABRIC_REG_CFG_LATENCY, 0);
	card_resume(c);
	card_take(c, 0);
	CHECK(landed(c, REGION(1) + 8));
	card_end(c);
}

static void disable_waits(void)
{
	struct card *c = start(1000);

	card_post(c, 0, card_write(0, 0, 8, 0, 0));
	card_post(c, 0, card_write(0, 8, 8, 0, 0));
	card_ring(c, 0, 2);
	wr64(c, OCFABRIC_REG_CMD_ARG(0), 0);
	wr32(c, OCFABRIC_REG_CMD, OCFABRIC_HW_CMD_QUEUE_DISABLE);
	CHECK(rd32(c, OCFABRIC_REG_CMD_STATUS) == OCFABRIC_HW_CMD_BUSY);
	CHECK(card_state(c, 0) == OCFABRIC_QUEUE_QUIESCING);
	wr32(c, OCFABRIC_REG_CMD, OCFABRIC_HW_CMD_KEY_DEL);
	CHECK(rd32(c, OCFABRIC_REG_ERROR) == OCFABRIC_ERROR_CMD_OVERRUN);
	card_ring(c, 0, 1);
	CHECK(rd32(c, OCFABRIC_REG_ERROR) & OCFABRIC_ERROR_DOORBELL);
	qtest_step_ns(c->q, 1001 * CYCLE_NS);
	card_wait(c, OCFABRIC_REG_CMD_STATUS, ~0u, OCFABRIC_HW_CMD_DONE);
	CHECK(card_state(c, 0) == OCFABRIC_QUEUE_DISABLED);
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_COMMITTED);
	qtest_step_ns(c->q, SECOND_NS);
	CHECK(!card_has(c, 0) && !landed(c, REGION(1) + 8));
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_WRITES) == 1);
	card_end(c);
}

static void disable_aborts(void)
{
	struct card *c = start(1000);

	card_post(c, 0, card_write(0, 0, 8, 0, 0));
	card_ring(c, 0, 1);
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, 2, 0, 0, 0) ==
	      OCFABRIC_RESULT_INVALID);
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, OCFABRIC_QUEUE_ABORT,
		       0, 0, 0) == OCFABRIC_RESULT_OK);
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_DMA_ERROR);
	qtest_step_ns(c->q, SECOND_NS);
	CHECK(!landed(c, REGION(1)) && !busy(c));
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_DMA_ERROR) == 1);
	card_check_sums(c, 2);
	card_end(c);
}

/* A stalled link is reset: its write ends, the queue goes on. */
static void link_reset(void)
{
	struct card *c = start(0);
	struct ocfabric_cqe e;

	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_LINK_RESET, 0, 0, 0, 0, 0),
	      "an idle one");
	CHECK(!fault(c, OCFABRIC_HW_CMD_FAULT_DELAY, REGION(1), 0xffffffff));
	card_post(c, 0, card_write(0, 0, 8, 0, 0));
	card_post(c, 0, card_write(0, 64, 8, 0, 0));
	card_ring(c, 0, 2);
	CHECK(stage(c, 0) == OCFABRIC_STAGE_ACKNOWLEDGED);
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_LINK_RESET, 1, 0, 0, 0, 0));
	CHECK(stage(c, 0) == OCFABRIC_STAGE_ACKNOWLEDGED, "that was another");
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_LINK_RESET, 0, 0, 0, 0, 0));
	e = card_take(c, 0);
	CHECK(e.status == OCFABRIC_VERDICT_DMA_ERROR && !e.index && !e.bytes);
	e = card_take(c, 0);
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED && e.index == 1);
	CHECK(landed(c, REGION(1) + 64));
	CHECK(card_state(c, 0) == OCFABRIC_QUEUE_ENABLED);
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_DMA_ERROR) == 1);
	card_check_sums(c, 2);
	card_end(c);
}

/* One that is stalled keeps the fabric from draining; its reset lets it. */
static void link_reset_while_draining(void)
{
	struct card *c = start(0);
	struct ocfabric_desc d = card_write(0, 0, 8, 0, 0);

	CHECK(!fault(c, OCFABRIC_HW_CMD_FAULT_DELAY, REGION(1), 0xffffffff));
	d.opcode = OCFABRIC_OP_WRITE_IMM;
	card_recv(c, 1, 1);
	card_post(c, 0, d);
	card_post(c, 0, card_sem(OCFABRIC_OP_SEM_REMOTE, 0, 8, 1));
	card_ring(c, 0, 2);
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_DRAIN);
	CHECK(!(rd32(c, OCFABRIC_REG_STATUS) & OCFABRIC_STATUS_DRAINED));
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_LINK_RESET, 0, 0, 0, 0, 0));
	CHECK(rd32(c, OCFABRIC_REG_STATUS) & OCFABRIC_STATUS_DRAINED);
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_DMA_ERROR);
	CHECK(!card_sem_value(c, 1, 8), "the next one is held");
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_FAULT_CLEAR_ALL, 0, 0, 0, 0, 0));
	card_resume(c);
	card_take(c, 0);
	CHECK(card_sem_value(c, 1, 8) == 1);
	CHECK(card_run(c, 0, d).status == OCFABRIC_VERDICT_COMMITTED,
	      "its receive descriptor was given back");
	CHECK(card_take(c, 1).index == 0);
	card_end(c);
}

/* It waits out the latency like a write, and for everything before it. */
static void semaphores_in_order(void)
{
	struct card *c = start(1000);

	card_post(c, 0, card_write(0, 0, 8, 0, 0));
	card_post(c, 0, card_sem(OCFABRIC_OP_SEM_REMOTE, 0, 8, 1));
	card_ring(c, 0, 2);
	qtest_step_ns(c->q, 1001 * CYCLE_NS);
	card_take(c, 0);
	CHECK(landed(c, REGION(1)) && !card_sem_value(c, 1, 8));
	CHECK(stage(c, 0) == OCFABRIC_STAGE_TAKEN);
	qtest_step_ns(c->q, 998 * CYCLE_NS);
	CHECK(!card_sem_value(c, 1, 8) && !card_has(c, 0), "too early");
	qtest_step_ns(c->q, 3 * CYCLE_NS);
	card_take(c, 0);
	CHECK(card_sem_value(c, 1, 8) == 1);
	card_end(c);
}

/* The peer goes, and comes again, while a write with immediate is on its way. */
static void receiver_restarts(void)
{
	struct card *c = start(1000);
	struct ocfabric_desc d = card_write(0, 0, 8, 0, 0);

	d.opcode = OCFABRIC_OP_WRITE_IMM;
	card_recv(c, 1, 2);
	card_post(c, 0, d);
	card_ring(c, 0, 1);
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 1, 0, 0, 0, 0),
	      "nobody waits for it");
	card_queue(c, 1, 4);
	card_recv(c, 1, 2);
	qtest_step_ns(c->q, 1001 * CYCLE_NS);
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_COMMITTED);
	CHECK(!card_has(c, 1), "it was for the one before");
	card_post(c, 0, d);
	card_ring(c, 0, 1);
	qtest_step_ns(c->q, 1001 * CYCLE_NS);
	CHECK(card_take(c, 1).index == 0);
	card_end(c);
}

/* The queue stops, the write it has in flight does not. */
static void stop_with_write_in_flight(void)
{
	struct card *c = start(1000);

	card_post(c, 0, card_write(0, 0, 8, 0, 0));
	card_ring(c, 0, 1);
	card_ring(c, 0, 99);
	CHECK(card_cause(c, 0) == OCFABRIC_CAUSE_OVER_INCREMENT);
	qtest_step_ns(c->q, 1001 * CYCLE_NS);
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_COMMITTED);
	CHECK(card_state(c, 0) == OCFABRIC_QUEUE_STOPPED);
	card_end(c);
}

/* A key that is removed while a write waits: nothing is read through it. */
static void key_removed_in_flight(void)
{
	struct card *c = start(1000);

	card_post(c, 0, card_write(0, 0, 8, 0, 0));
	card_ring(c, 0, 1);
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_KEY_DEL, 0, 0, 0, 0, 0));
	qtest_step_ns(c->q, 1001 * CYCLE_NS);
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_DMA_ERROR);
	CHECK(!landed(c, REGION(1)));
	card_end(c);
}

/* The longest wait there is ends, and its timer does not go off too early. */
static void longest_latency(void)
{
	struct card *c = start(0xffffffff);

	card_post(c, 0, card_write(0, 0, 8, 0, 0));
	card_ring(c, 0, 1);
	qtest_step_ns(c->q, 0xffffff00ull * CYCLE_NS);
	CHECK(!card_has(c, 0));
	qtest_step_ns(c->q, 0x200 * CYCLE_NS);
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_COMMITTED);
	card_end(c);
}

/* More than one doorbell's budget: the worker does the rest, in order. */
static void big_writes(void)
{
	struct card *c = start(0);
	struct ocfabric_hw_range r = { SOURCE(0), SOURCE_SIZE };
	unsigned int i;

	qtest_store(c->q, RANGE_LIST(0), &r, sizeof(r));
	for (i = 0; i < 8; i++)
		card_post(c, 0, card_write(0, 0, SOURCE_SIZE, 0, 0));
	card_ring(c, 0, 8);
	for (i = 0; i < 8; i++)
		CHECK(card_take(c, 0).bytes == SOURCE_SIZE);
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_LINES) == 8 * SOURCE_SIZE / 64);
	card_end(c);
}

/*
 * The worker has gigabytes before it and takes turns of some microseconds each:
 * who wants a queue's lock, or all of them, is not left waiting for the end.
 */
static void control_during_backlog(void)
{
	enum { WRITES = 2048, SIZE = 8 << 20 };
	struct card *c = card_start("");
	struct ocfabric_desc d;
	uint32_t head, status;
	unsigned int i;

	card_configure(c, 2, 0);
	card_drain(c);
	for (i = 0; i < 2; i++) {
		wr64(c, OCFABRIC_REG_REGION_BASE(i), (uint64_t)SIZE * i);
		wr64(c, OCFABRIC_REG_REGION_SIZE(i), SIZE);
		wr64(c, OCFABRIC_REG_WINDOW(i) + OCFABRIC_WINDOW_LENGTH, SIZE);
	}
	card_resume(c);
	card_queue(c, 0, 11);
	d = card_write(0, 0, SIZE, 0, OCFABRIC_KEY_REGION);
	d.flags |= OCFABRIC_DESC_UNSIGNALED;
	for (i = 0; i < WRITES; i++)
		card_post(c, 0, d);
	card_ring(c, 0, WRITES);
	status = rd32(c, OCFABRIC_REG_STATUS);
	head = rd32(c, OCFABRIC_REG_QUEUE(0) + OCFABRIC_QUEUE_HEAD);
	CHECK(status >> OCFABRIC_STATUS_BUSY_SHIFT == 1 && head < WRITES,
	      "status 0x%x, and %u of %u writes were over", status, head, WRITES);
	card_drain(c);
	head = rd32(c, OCFABRIC_REG_QUEUE(0) + OCFABRIC_QUEUE_HEAD);
	CHECK(head < WRITES, "the drain came after %u of %u writes", head,
	      WRITES);
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "latency", latency },
	{ "a delayed response holds its link only", delay },
	{ "error responses", responses },
	{ "as many faults as there are", faults_run_out },
	{ "a drain waits for the write in flight", drain },
	{ "disabling waits for the write in flight", disable_waits },
	{ "disabling ends the write in flight", disable_aborts },
	{ "a stalled link is reset", link_reset },
	{ "a stalled link is reset to drain", link_reset_while_draining },
	{ "semaphores in the order of the queue", semaphores_in_order },
	{ "the receiver restarts meanwhile", receiver_restarts },
	{ "a queue stops, its write does not", stop_with_write_in_flight },
	{ "a key goes while its write waits", key_removed_in_flight },
	{ "the longest latency", longest_latency },
	{ "more than a doorbell's budget", big_writes },
	{ "control gets through a backlog", control_during_backlog },
};

TAP_MAIN(tests)
