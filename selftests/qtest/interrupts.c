// SPDX-License-Identifier: GPL-2.0-only
/* Completion interrupts, events, sticky errors. */
#include "card.h"

static const struct ocfabric_desc nop;

static struct card *start(void)
{
	struct card *c = card_start("");

	card_configure(c, 2, 0);
	card_queue(c, 0, 4);
	card_queue(c, 1, 4);
	/* one by one: what moderation does has a test of its own */
	wr32(c, OCFABRIC_REG_QUEUE(0) + OCFABRIC_QUEUE_MODERATION_TIMER, 0);
	wr32(c, OCFABRIC_REG_QUEUE(1) + OCFABRIC_QUEUE_MODERATION_TIMER, 0);
	card_msix(c);
	return c;
}

static void arm(struct card *c, unsigned int q, uint32_t number)
{
	qtest_write(c->q, OWNER_LINE(q) + 4, 4, number);
}

static uint32_t raised(struct card *c, unsigned int q)
{
	return rd32(c, OCFABRIC_REG_QUEUE(q) + OCFABRIC_QUEUE_INTERRUPTS);
}

static void arm_index(void)
{
	struct card *c = start();

	arm(c, 0, 2);
	card_run(c, 0, nop);
	card_run(c, 0, nop);
	CHECK(!card_msix_came(c, 1) && !raised(c, 0), "before the arm index");
	card_run(c, 0, nop);
	CHECK(card_msix_came(c, 1) && raised(c, 0) == 1, "at the arm index");
	card_run(c, 0, nop);
	CHECK(card_msix_came(c, 1) && raised(c, 0) == 2, "past the arm index");
	arm(c, 0, 6);
	card_post(c, 0, nop);
	card_post(c, 0, nop);
	card_post(c, 0, nop);
	card_post(c, 0, nop);
	card_ring(c, 0, 4);
	CHECK(card_msix_came(c, 1) && raised(c, 0) == 3, "inside of a batch");
	CHECK(!card_msix_came(c, 0) && !card_msix_came(c, 2), "no other vector");
	card_end(c);
}

/* The arm index is compared around the end of its numbers. */
static void arm_wraps(void)
{
	struct card *c = start();

	arm(c, 0, 0xfffffff0);
	card_run(c, 0, nop);
	CHECK(card_msix_came(c, 1), "long past it");
	arm(c, 0, 0x80000000);
	card_run(c, 0, nop);
	CHECK(!card_msix_came(c, 1), "far before it");
	card_end(c);
}

static void vectors(void)
{
	struct card *c = start();

	arm(c, 1, 0);
	card_run(c, 1, nop);
	CHECK(card_msix_came(c, 2) && !card_msix_came(c, 1));
	card_end(c);
}

/* Interrupts go where the guest says: to the card's own doorbell, too. */
static void to_the_card_itself(void)
{
	struct card *c = start();
	uint32_t at = OCFABRIC_MSIX_TABLE + 16 * OCFABRIC_VECTOR_REPLICA(0);
	uint32_t head = OCFABRIC_REG_QUEUE(0) + OCFABRIC_QUEUE_HEAD;
	unsigned int i;

	wr32(c, at, (uint32_t)BAR_DOORBELL + OCFABRIC_DOORBELL_PAGE(0) +
	     OCFABRIC_DOORBELL_TDRTP_INC);
	wr32(c, at + 8, 1);
	arm(c, 0, 0);
	for (i = 0; i < 4; i++)
		card_post(c, 0, nop);
	card_ring(c, 0, 1);
	CHECK(raised(c, 0) == 1 && rd32(c, head) == 1, "%u run", rd32(c, head));
	card_ring(c, 0, 3);
	CHECK(raised(c, 0) == 2 && rd32(c, head) == 4, "%u run", rd32(c, head));
	CHECK(card_state(c, 0) == OCFABRIC_QUEUE_ENABLED);
	card_end(c);
}

static void events_on(struct card *c, unsigned int shift)
{
	qtest_zero(c->q, EVENT_RING, 32u << shift);
	wr64(c, OCFABRIC_REG_EVENT_BASE, EVENT_RING);
	wr32(c, OCFABRIC_REG_EVENT_SHIFT, shift);
}

static struct ocfabric_event event(struct card *c, unsigned int i)
{
	struct ocfabric_event e;

	qtest_load(c->q, EVENT_RING + 32 * i, &e, sizeof(e));
	return e;
}

static void stop_event(void)
{
	struct card *c = start();
	struct ocfabric_event e;

	events_on(c, 4);
	qtest_step_ns(c->q, 400);
	card_post(c, 1, nop);
	card_ring(c, 1, 3);
	CHECK(card_msix_came(c, OCFABRIC_VECTOR_EVENTS));
	CHECK(rd32(c, OCFABRIC_REG_EVENT_PRODUCER) == 1);
	e = event(c, 0);
	CHECK(e.type == OCFABRIC_EVENT_QUEUE_STOPPED && e.tag == 1 && e.link == 1);
	CHECK(e.cause == OCFABRIC_CAUSE_STALE_TAG && e.a == 1 && e.b == 3);
	CHECK(e.seq == 0 && e.clock == 100);
	card_end(c);
}

static void error_event(void)
{
	struct card *c = start();
	struct ocfabric_event e;

	events_on(c, 4);
	wr32(c, OCFABRIC_REG_CFG_N, 1);
	wr32(c, OCFABRIC_REG_CFG_N, 1);
	card_ring(c, 9, 1);
	CHECK(rd32(c, OCFABRIC_REG_EVENT_PRODUCER) == 2, "only what is new");
	e = event(c, 0);
	CHECK(e.type == OCFABRIC_EVENT_ERROR && e.link == 0xff);
	CHECK(e.a == OCFABRIC_ERROR_NOT_DRAINED);
	e = event(c, 1);
	CHECK(e.a == OCFABRIC_ERROR_DOORBELL && e.seq == 1);
	wr32(c, OCFABRIC_REG_ERROR, OCFABRIC_ERROR_DOORBELL);
	card_ring(c, 9, 1);
	CHECK(rd32(c, OCFABRIC_REG_EVENT_PRODUCER) == 3, "cleared, so it is new");
	card_end(c);
}

static void one_error(struct card *c)
{
	wr32(c, OCFABRIC_REG_ERROR, ~0u);
	card_ring(c, 9, 1);
}

static void full_event_ring(void)
{
	struct card *c = start();
	unsigned int i;

	events_on(c, 4);
	for (i = 0; i < 19; i++)
		one_error(c);
	CHECK(rd32(c, OCFABRIC_REG_EVENT_PRODUCER) == 16);
	CHECK(rd32(c, OCFABRIC_REG_EVENT_LOST) == 3);
	wr32(c, OCFABRIC_REG_EVENT_CONSUMER, 16);
	one_error(c);
	CHECK(event(c, 0).seq == 19 && event(c, 0).tag == 2, "seq %u tag %u",
	      event(c, 0).seq, event(c, 0).tag);
	CHECK(event(c, 1).seq == 1, "nothing else was overwritten");
	wr32(c, OCFABRIC_REG_EVENT_CONSUMER, 1000);
	one_error(c);
	CHECK(rd32(c, OCFABRIC_REG_EVENT_LOST) == 4, "an impossible consumer");
	wr32(c, OCFABRIC_REG_EVENT_SHIFT, 5);
	CHECK(!rd32(c, OCFABRIC_REG_EVENT_PRODUCER) &&
	      !rd32(c, OCFABRIC_REG_EVENT_CONSUMER), "it starts again");
	one_error(c);
	CHECK(event(c, 0).tag == 1);
	wr32(c, OCFABRIC_REG_EVENT_SHIFT, 13);
	CHECK(rd32(c, OCFABRIC_REG_EVENT_SHIFT) == 5, "too large");
	wr32(c, OCFABRIC_REG_EVENT_SHIFT, 3);
	CHECK(rd32(c, OCFABRIC_REG_EVENT_SHIFT) == 5, "too small");
	wr32(c, OCFABRIC_REG_EVENT_SHIFT, 0);
	one_error(c);
	CHECK(!rd32(c, OCFABRIC_REG_EVENT_PRODUCER), "off");
	card_end(c);
}

static void unwritable_event_ring(void)
{
	static const uint64_t where[] = {
		BAR_CONTROL, BAR_DOORBELL, 0xfee00000, ~63ull,
	};
	struct card *c = start();
	size_t i;

	for (i = 0; i < sizeof(where) / sizeof(*where); i++) {
		wr64(c, OCFABRIC_REG_EVENT_BASE, where[i]);
		wr32(c, OCFABRIC_REG_EVENT_SHIFT, 12);
		one_error(c);
		CHECK(rd32(c, OCFABRIC_REG_ERROR) ==
		      (OCFABRIC_ERROR_DOORBELL | OCFABRIC_ERROR_EVENT), "%zu", i);
	}
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "arm index", arm_index },
	{ "arm index around the end", arm_wraps },
	{ "a vector each", vectors },
	{ "a vector that leads to the card", to_the_card_itself },
	{ "event of a stopped queue", stop_event },
	{ "event of an error", error_event },
	{ "a full event ring loses and counts", full_event_ring },
	{ "an event ring that cannot be written", unwritable_event_ring },
};

TAP_MAIN(tests)
