// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of rejected writes, of which there is one in a while; interrupts, of which
 * there are so many in a millisecond; queues, which share the worker by weight.
 */
#include "card.h"

#define MS_NS 1000000ull
#define BURST 1000u

static const struct ocfabric_desc nop;

static struct card *start(void)
{
	struct card *c = card_start("");

	card_configure(c, 2, 0);
	card_queue(c, 0, 10);
	card_queue(c, 1, 4);
	card_events(c);
	return c;
}

static struct ocfabric_desc unmapped(uint32_t qpn)
{
	return card_write(qpn, 0, 8, 0, OCFABRIC_KEY_REGION);
}

/* How many rejects it stands for. */
static uint32_t check_reject(struct card *c, uint32_t i, unsigned int link,
			     uint32_t verdict, uint32_t qpn)
{
	struct ocfabric_event ev = card_event(c, i);

	CHECK(ev.type == OCFABRIC_EVENT_REJECTED && ev.link == link &&
	      ev.cause == verdict && ev.a == qpn,
	      "event %u: type %u link %u verdict %u QPN %u", i, ev.type, ev.link,
	      ev.cause, ev.a);
	return ev.b + 1;
}

static void rejects(void)
{
	struct card *c = start();

	card_run(c, 0, unmapped(99));
	CHECK(card_nr_events(c) == 1, "the first one at once");
	CHECK(check_reject(c, 0, 0, OCFABRIC_VERDICT_UNMAPPED, 99) == 1);
	card_run(c, 0, unmapped(88));
	card_run(c, 0, card_write(0, 2, 8, 0, OCFABRIC_KEY_REGION));
	CHECK(card_nr_events(c) == 1);
	card_run(c, 1, unmapped(77));
	CHECK(card_nr_events(c) == 2, "another link has its own time");
	CHECK(check_reject(c, 1, 1, OCFABRIC_VERDICT_UNMAPPED, 77) == 1);
	qtest_step_ns(c->q, 99 * MS_NS);
	CHECK(card_nr_events(c) == 2, "too early");
	qtest_step_ns(c->q, 2 * MS_NS);
	CHECK(card_nr_events(c) == 3, "told when the time is over");
	CHECK(check_reject(c, 2, 0, OCFABRIC_VERDICT_MISALIGNED, 0) == 2);
	card_run(c, 0, unmapped(66));
	CHECK(card_nr_events(c) == 3, "from then on it is quiet again");
	qtest_step_ns(c->q, 101 * MS_NS);
	CHECK(check_reject(c, 3, 0, OCFABRIC_VERDICT_UNMAPPED, 66) == 1);
	qtest_step_ns(c->q, 1000 * MS_NS);
	CHECK(card_nr_events(c) == 4, "nothing is left");
	card_run(c, 0, unmapped(55));
	CHECK(card_nr_events(c) == 5, "at once again");
	card_run(c, 0, unmapped(44));
	card_drain(c);
	wr32(c, OCFABRIC_REG_COUNTER_RESET, 1);
	card_resume(c);
	qtest_step_ns(c->q, 101 * MS_NS);
	CHECK(card_nr_events(c) == 6, "counters were reset meanwhile");
	CHECK(check_reject(c, 5, 0, OCFABRIC_VERDICT_UNMAPPED, 44) == 1);
	card_end(c);
}

/* One link's storm of rejects, from a doorbell and from the worker. */
static void burst_of_rejects(void)
{
	struct card *c = start();
	uint32_t told = 0, events, i;

	for (i = 0; i < BURST; i++)
		card_post(c, 0, unmapped(100));
	card_ring(c, 0, BURST);
	card_wait(c, OCFABRIC_REG_QUEUE(0) + OCFABRIC_QUEUE_HEAD, ~0u, BURST);
	qtest_step_ns(c->q, 1000 * MS_NS);
	/* the worker may be faster than whoever tells of the doorbell's */
	events = card_nr_events(c);
	CHECK(events == 1 || events == 2, "%u events", events);
	for (i = 0; i < events; i++)
		told += check_reject(c, i, 0, OCFABRIC_VERDICT_UNMAPPED, 100);
	CHECK(told == BURST, "%u of %u", told, BURST);
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_UNMAPPED) == BURST);
	card_end(c);
}

static void reject_and_reset(void)
{
	struct card *c = start();

	card_run(c, 0, unmapped(99));
	card_run(c, 0, unmapped(99));
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	card_configure(c, 2, 0);
	card_queue(c, 0, 4);
	card_events(c);
	qtest_step_ns(c->q, 1000 * MS_NS);
	CHECK(!card_nr_events(c));
	card_run(c, 0, unmapped(98));
	CHECK(card_nr_events(c) == 1);
	CHECK(check_reject(c, 0, 0, OCFABRIC_VERDICT_UNMAPPED, 98) == 1);
	card_end(c);
}

/* ---- interrupts ---- */

static uint32_t at(uint32_t reg)
{
	return OCFABRIC_REG_QUEUE(0) + reg;
}

static uint32_t raised(struct card *c)
{
	return rd32(c, at(OCFABRIC_QUEUE_INTERRUPTS));
}

static uint32_t delayed(struct card *c)
{
	return rd32(c, at(OCFABRIC_QUEUE_DELAYED));
}

static void run(struct card *c, unsigned int n)
{
	for (; n; n--)
		card_run(c, 0, nop);
}

/* An interrupt for each completion, at the start of a millisecond. */
static struct card *start_eager(void)
{
	struct card *c = start();

	card_msix(c);
	wr32(c, at(OCFABRIC_QUEUE_MODERATION), 1);
	wr32(c, at(OCFABRIC_QUEUE_MODERATION_TIMER), 0);
	qtest_write(c->q, OWNER_LINE(0) + 4, 4, 0);
	qtest_step_ns(c->q, MS_NS - rd64(c, OCFABRIC_REG_CLOCK) * 4 % MS_NS + 40);
	return c;
}

static void storm(void)
{
	struct card *c = start_eager();

	run(c, 120);
	CHECK(raised(c) == 100 && delayed(c) == 1, "%u raised", raised(c));
	CHECK(card_msix_came(c, 1));
	qtest_step_ns(c->q, MS_NS / 2);
	run(c, 1);
	CHECK(raised(c) == 100 && !card_msix_came(c, 1), "the same millisecond");
	qtest_step_ns(c->q, MS_NS / 2);
	card_wait(c, at(OCFABRIC_QUEUE_INTERRUPTS), ~0u, 101);
	CHECK(card_msix_came(c, 1), "put off, not lost");
	run(c, 99);
	CHECK(raised(c) == 200 && delayed(c) == 1);
	wr32(c, OCFABRIC_REG_STORM_LIMIT, 2);
	qtest_step_ns(c->q, MS_NS);
	run(c, 10);
	CHECK(raised(c) == 202 && delayed(c) == 2, "a lower limit");
	wr32(c, OCFABRIC_REG_STORM_LIMIT, 0);
	CHECK(raised(c) == 203, "what waits comes at once without a limit");
	run(c, 150);
	CHECK(raised(c) == 353 && delayed(c) == 2);
	card_end(c);
}

static void storm_registers(void)
{
	struct card *c = start_eager();

	CHECK(rd32(c, OCFABRIC_REG_STORM_LIMIT) == OCFABRIC_STORM_LIMIT);
	wr32(c, OCFABRIC_REG_STORM_LIMIT, OCFABRIC_STORM_LIMIT_MAX);
	wr32(c, OCFABRIC_REG_STORM_LIMIT, OCFABRIC_STORM_LIMIT_MAX + 1);
	wr32(c, OCFABRIC_REG_STORM_LIMIT, ~0u);
	CHECK(rd32(c, OCFABRIC_REG_STORM_LIMIT) == OCFABRIC_STORM_LIMIT_MAX);
	wr32(c, OCFABRIC_REG_STORM_LIMIT, 1);
	run(c, 2);
	CHECK(raised(c) == 1 && delayed(c) == 1);
	wr32(c, at(OCFABRIC_QUEUE_DELAYED), 77);
	CHECK(delayed(c) == 1, "read-only");
	/* nobody is there later: it is told when the queue goes */
	CHECK(card_msix_came(c, 1));
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, 0, 0, 0, 0));
	CHECK(card_msix_came(c, 1));
	card_queue(c, 0, 4);
	CHECK(!raised(c) && !delayed(c), "counted anew");
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	CHECK(rd32(c, OCFABRIC_REG_STORM_LIMIT) == OCFABRIC_STORM_LIMIT);
	card_end(c);
}

/* ---- weights ---- */

#define WORK_SHIFT 11
#define WORK (1u << WORK_SHIFT)
#define MARK 0x100	/* in region 0: how far queue 0 had come */

/*
 * Both queues have the same work, and begin together. Each write of queue 0 says in
 * region 1 how many it is; the last one of queue 1 copies that to region 0.
 */
static void post_work(struct card *c)
{
	struct ocfabric_desc d = card_write(0, 0, 4, 0, 0);
	uint32_t i;

	d.flags = OCFABRIC_DESC_INLINE | OCFABRIC_DESC_UNSIGNALED;
	for (i = 1; i <= WORK; i++) {
		*(uint32_t *)d.data = i;
		card_post(c, 0, d);
	}
	d = nop;
	d.flags = OCFABRIC_DESC_UNSIGNALED;
	for (i = 1; i < WORK; i++)
		card_post(c, 1, d);
	card_post(c, 1, card_write(card_qpn(2, 1, 0), MARK, 4, 0,
				   OCFABRIC_KEY_REGION));
}

/* How far queue 0 has come when queue 1 is done. */
static uint32_t share(uint32_t weight0, uint32_t weight1)
{
	struct card *c = card_start("");
	uint32_t mark;

	card_configure(c, 2, 0);
	wr32(c, OCFABRIC_REG_QUEUE(0) + OCFABRIC_QUEUE_WEIGHT, weight0);
	wr32(c, OCFABRIC_REG_QUEUE(1) + OCFABRIC_QUEUE_WEIGHT, weight1);
	card_queue(c, 0, WORK_SHIFT);
	card_queue(c, 1, WORK_SHIFT);
	post_work(c);
	qtest_qmp(c->q, "{\"execute\":\"stop\"}");
	card_ring(c, 0, WORK);
	card_ring(c, 1, WORK);
	qtest_qmp(c->q, "{\"execute\":\"cont\"}");
	CHECK(card_take(c, 1).status == OCFABRIC_VERDICT_COMMITTED);
	card_wait(c, OCFABRIC_REG_QUEUE(0) + OCFABRIC_QUEUE_HEAD, ~0u, WORK);
	mark = (uint32_t)qtest_read(c->q, BAR_HBM + REGION(0) + MARK, 4);
	card_end(c);
	return mark;
}

/* A turn is 256 descriptors; who begins, and with which, may differ by two. */
static void weights(void)
{
	uint32_t equal = share(1, 1), less = share(1, 4), more = share(4, 1);

	CHECK(equal >= WORK - 512, "the same weight: %u", equal);
	CHECK(less >= WORK / 4 - 256 && less <= WORK / 4 + 512,
	      "1 to 4: %u of %u", less, WORK);
	CHECK(more == WORK, "4 to 1: %u", more);
}

static void weight_registers(void)
{
	struct card *c = start();
	uint32_t reg = OCFABRIC_REG_QUEUE(15) + OCFABRIC_QUEUE_WEIGHT;

	CHECK(rd32(c, reg) == 1);
	wr32(c, reg, OCFABRIC_WEIGHT_MAX);
	wr32(c, reg, 0);
	wr32(c, reg, OCFABRIC_WEIGHT_MAX + 1);
	wr32(c, reg, ~0u);
	CHECK(rd32(c, reg) == OCFABRIC_WEIGHT_MAX);
	wr32(c, at(OCFABRIC_QUEUE_WEIGHT), 9);
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, 0, 0, 0, 0));
	card_queue(c, 0, 4);
	CHECK(rd32(c, at(OCFABRIC_QUEUE_WEIGHT)) == 9, "it outlives that");
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	CHECK(rd32(c, reg) == 1);
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "events of rejected writes", rejects },
	{ "a burst of rejected writes", burst_of_rejects },
	{ "a reset between", reject_and_reset },
	{ "a storm of interrupts", storm },
	{ "registers of storms", storm_registers },
	{ "weights of queues", weights },
	{ "registers of weights", weight_registers },
};

TAP_MAIN(tests)
