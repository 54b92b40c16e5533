// SPDX-License-Identifier: GPL-2.0-only
/* Interrupt moderation, by the virtual clock; and interrupts for semaphores. */
#include "card.h"

static const struct ocfabric_desc nop;

#define US 1000u

static struct card *start(void)
{
	struct card *c = card_start("");

	card_configure(c, 2, 0);
	card_queue(c, 0, 10);
	card_queue(c, 1, 4);
	card_msix(c);
	qtest_step_ns(c->q, 1000 * US);
	return c;
}

static uint32_t at(uint32_t reg)
{
	return OCFABRIC_REG_QUEUE(0) + reg;
}

static void set(struct card *c, uint32_t burst, uint32_t timer, bool count)
{
	wr32(c, at(OCFABRIC_QUEUE_MODERATION),
	     burst | (count ? OCFABRIC_MODERATION_COUNT : 0));
	wr32(c, at(OCFABRIC_QUEUE_MODERATION_TIMER), timer);
}

static void arm(struct card *c, uint32_t number)
{
	qtest_write(c->q, OWNER_LINE(0) + 4, 4, number);
}

static uint32_t raised(struct card *c)
{
	return rd32(c, at(OCFABRIC_QUEUE_INTERRUPTS));
}

/* The timer's work is done by a thread: waits for it. */
static void raised_at_last(struct card *c, uint32_t n)
{
	card_wait(c, at(OCFABRIC_QUEUE_INTERRUPTS), ~0u, n);
}

static void run(struct card *c, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		card_post(c, 0, nop);
	card_ring(c, 0, n);
	for (i = 0; i < n; i++)
		card_take(c, 0);
}

static void registers(void)
{
	struct card *c = start();
	uint32_t m = at(OCFABRIC_QUEUE_MODERATION);
	uint32_t t = at(OCFABRIC_QUEUE_MODERATION_TIMER);

	CHECK(rd32(c, m) == 128 && rd32(c, t) == 2000, "defaults");
	wr32(c, m, 0x80000000);
	CHECK(rd32(c, m) == 128, "a burst of 0");
	wr32(c, t, OCFABRIC_TIMER_MAX + 1);
	CHECK(rd32(c, t) == 2000, "too long");
	wr32(c, m, 0x8001ffff);
	wr32(c, t, OCFABRIC_TIMER_MAX);
	CHECK(rd32(c, m) == 0x8000ffff && rd32(c, t) == OCFABRIC_TIMER_MAX);
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, 0, 0, 0, 0));
	card_queue(c, 0, 4);
	CHECK(rd32(c, m) == 0x8000ffff && rd32(c, t) == OCFABRIC_TIMER_MAX,
	      "they survive that");
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	CHECK(rd32(c, m) == 128 && rd32(c, t) == 2000, "after reset");
	card_end(c);
}

static void latency_mode(void)
{
	struct card *c = start();

	set(c, 100, 10 * US, false);
	arm(c, 0);
	run(c, 1);
	CHECK(raised(c) == 1 && card_msix_came(c, 1), "the first at once");
	qtest_step_ns(c->q, 3 * US);
	run(c, 1);
	CHECK(raised(c) == 1, "within the timer");
	qtest_step_ns(c->q, 6 * US);
	CHECK(raised(c) == 1, "9 us after the first");
	qtest_step_ns(c->q, 1 * US + 8);
	raised_at_last(c, 2);
	qtest_step_ns(c->q, 50 * US);
	CHECK(raised(c) == 2, "once");
	run(c, 1);
	CHECK(raised(c) == 3, "long after: at once");
	card_end(c);
}

static void count_mode(void)
{
	struct card *c = start();

	set(c, 100, 10 * US, true);
	arm(c, 0);
	run(c, 1);
	CHECK(!raised(c), "the first waits, too");
	qtest_step_ns(c->q, 9 * US);
	run(c, 5);
	CHECK(!raised(c));
	qtest_step_ns(c->q, 1 * US + 8);
	raised_at_last(c, 1);
	CHECK(card_msix_came(c, 1));
	run(c, 99);
	CHECK(raised(c) == 1, "99");
	run(c, 1);
	CHECK(raised(c) == 2, "the 100th");
	qtest_step_ns(c->q, 50 * US);
	CHECK(raised(c) == 2, "none waits any more");
	card_end(c);
}

static void burst_in_latency_mode(void)
{
	struct card *c = start();

	set(c, 4, 1000 * US, false);
	arm(c, 0);
	run(c, 1);
	CHECK(raised(c) == 1);
	run(c, 3);
	CHECK(raised(c) == 1);
	run(c, 1);
	CHECK(raised(c) == 2, "four since");
	card_end(c);
}

/* What is before the arm index is no part of a burst. */
static void behind_the_arm_index(void)
{
	struct card *c = start();

	set(c, 4, 1000 * US, true);
	arm(c, 10);
	run(c, 13);
	CHECK(!raised(c), "three at or past it");
	run(c, 1);
	CHECK(raised(c) == 1, "the fourth");
	card_end(c);
}

/* An owner that found everything by itself is not interrupted. */
static void armed_later(void)
{
	struct card *c = start();

	set(c, 100, 10 * US, true);
	arm(c, 0);
	run(c, 3);
	arm(c, 0x7fffffff);
	qtest_step_ns(c->q, 20 * US);
	run(c, 1);
	CHECK(!raised(c));
	arm(c, 4);
	run(c, 1);
	CHECK(!raised(c), "it counts anew");
	qtest_step_ns(c->q, 10 * US + 8);
	raised_at_last(c, 1);
	card_end(c);
}

static void changed_at_run_time(void)
{
	struct card *c = start();

	set(c, 100, 1000 * US, true);
	arm(c, 0);
	run(c, 5);
	wr32(c, at(OCFABRIC_QUEUE_MODERATION), OCFABRIC_MODERATION_COUNT | 6);
	CHECK(!raised(c));
	wr32(c, at(OCFABRIC_QUEUE_MODERATION), OCFABRIC_MODERATION_COUNT | 5);
	CHECK(raised(c) == 1 && card_msix_came(c, 1), "five wait, five are enough");
	run(c, 1);
	wr32(c, at(OCFABRIC_QUEUE_MODERATION_TIMER), 100 * US);
	CHECK(raised(c) == 1);
	qtest_step_ns(c->q, 50 * US);
	wr32(c, at(OCFABRIC_QUEUE_MODERATION_TIMER), 40 * US);
	CHECK(raised(c) == 2, "a shorter timer that has passed");
	run(c, 1);
	wr32(c, at(OCFABRIC_QUEUE_MODERATION_TIMER), 80 * US);
	qtest_step_ns(c->q, 60 * US);
	CHECK(raised(c) == 2, "a longer one");
	wr32(c, at(OCFABRIC_QUEUE_MODERATION), 100);
	CHECK(raised(c) == 2, "latency: 60 us after the last one");
	qtest_step_ns(c->q, 20 * US + 8);
	raised_at_last(c, 3);
	run(c, 1);
	wr32(c, at(OCFABRIC_QUEUE_MODERATION_TIMER), 0);
	CHECK(raised(c) == 4, "no timer");
	card_end(c);
}

/* A queue that goes has told what it had to tell. */
static void disabled_meanwhile(void)
{
	struct card *c = start();

	set(c, 100, 1000 * US, true);
	arm(c, 0);
	run(c, 5);
	CHECK(!card_msix_came(c, 1));
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, 0, 0, 0, 0));
	CHECK(card_msix_came(c, 1));
	card_queue(c, 0, 4);
	qtest_step_ns(c->q, 2000 * US);
	CHECK(!raised(c) && !card_msix_came(c, 1), "once");
	card_end(c);
}

static void arm_sem(struct card *c, unsigned int sem, uint32_t target)
{
	qtest_write(c->q, OWNER_LINE(0) + 12, 4, target);
	qtest_write(c->q, OWNER_LINE(0) + 8, 4, OCFABRIC_SEM_ARMED | sem);
}

static void add(struct card *c, unsigned int sem, uint32_t value)
{
	CHECK(!card_run(c, 1, card_sem(OCFABRIC_OP_SEM_REMOTE,
				       card_qpn(2, 1, 0), sem, value)).status);
}

static void semaphores(void)
{
	struct card *c = start();

	set(c, 100, 10 * US, false);
	add(c, 9, 5);
	CHECK(!raised(c), "none is armed");
	arm_sem(c, 9, 7);
	add(c, 9, 1);
	add(c, 10, 100);
	CHECK(!raised(c), "not far enough, another one");
	add(c, 9, 1);
	CHECK(raised(c) == 1 && card_msix_came(c, 1), "at its target");
	add(c, 9, 1);
	CHECK(raised(c) == 1, "moderated like a completion");
	qtest_step_ns(c->q, 10 * US + 8);
	raised_at_last(c, 2);
	add(c, 9, 1);
	qtest_write(c->q, OWNER_LINE(0) + 8, 4, 0);
	qtest_step_ns(c->q, 10 * US + 8);
	add(c, 9, 1);
	CHECK(raised(c) == 2, "not armed any more");
	arm_sem(c, 9, 0x7ffffff0);
	add(c, 9, 0);
	CHECK(raised(c) == 2, "far away");
	arm_sem(c, 9, 0xfffffff0);
	add(c, 9, 0);
	CHECK(raised(c) == 3, "long past it, around the end");
	card_end(c);
}

/* A peer's writes interrupt as one's own do. */
static void received(void)
{
	struct card *c = start();
	struct ocfabric_desc d = card_write(card_qpn(2, 1, 0), 0, 4, 0, 0);

	d.opcode = OCFABRIC_OP_WRITE_IMM;
	d.flags = OCFABRIC_DESC_INLINE;
	card_recv(c, 0, 3);
	arm(c, 1);
	CHECK(!card_run(c, 1, d).status);
	CHECK(!raised(c));
	CHECK(!card_run(c, 1, d).status);
	CHECK(raised(c) == 1 && card_msix_came(c, 1) && !card_msix_came(c, 2));
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "registers", registers },
	{ "latency mode", latency_mode },
	{ "count mode", count_mode },
	{ "a burst in latency mode", burst_in_latency_mode },
	{ "bursts behind the arm index", behind_the_arm_index },
	{ "armed for later meanwhile", armed_later },
	{ "changed at run time", changed_at_run_time },
	{ "disabled meanwhile", disabled_meanwhile },
	{ "the armed semaphore", semaphores },
	{ "interrupts of received writes", received },
};

TAP_MAIN(tests)
