// SPDX-License-Identifier: GPL-2.0-only
/*
 * The receiving end of a connection that leaves the card, packet by packet. Most
 * start just below 2^24, so that what they count wraps. A packet's cookie is how
 * many there were before it, so that a mixed-up one is seen.
 */
#include <string.h>

#include "responder.h"

#include "psn.h"
#include "tap.h"

#define BASE	0xfffffdu
#define AT(n)	(((BASE) + (n)) & OCF_PSN_MASK)
#define HOLD	5000u
#define MS	OCF_NAK_PERIOD

static struct {
	struct ocf_responder r;
	struct ocf_slot slot[OCF_DEPTH_MAX];
	uint64_t now;
	uint64_t next;		/* cookie that has to be delivered */
	unsigned int dropped;	/* of what was held */
	enum ocf_taken taken;	/* what deliver() says ... */
	uint64_t refuse;	/* ... to this cookie */

	unsigned int answers;
	struct ocf_answer last;
	unsigned int of[OCF_ANSWERS];
} t;

static enum ocf_taken deliver(void *opaque, uint32_t psn, uint64_t cookie)
{
	CHECK(opaque == &t);
	CHECK(cookie == t.next, "packet %llu, not %llu", (unsigned long long)cookie,
	      (unsigned long long)t.next);
	CHECK(psn == AT((uint32_t)cookie));
	if (cookie == t.refuse)
		return t.taken;
	t.next++;
	return OCF_TAKEN;
}

static void drop(void *opaque, uint32_t psn, uint64_t cookie)
{
	CHECK(opaque == &t);
	CHECK(psn == AT((uint32_t)cookie));
	t.dropped++;
}

static void answer(void *opaque, const struct ocf_answer *a)
{
	CHECK(opaque == &t);
	CHECK(ocf_psn_valid(a->psn) && a->kind < OCF_ANSWERS);
	t.answers++;
	t.last = *a;
	t.of[a->kind]++;
}

static const struct ocf_responder_ops ops = {
	.deliver = deliver, .drop = drop, .answer = answer,
};

static void create(uint32_t depth, uint32_t nak_limit)
{
	struct ocf_responder_settings set = {
		.depth = depth, .nak_limit = nak_limit, .hold = HOLD,
		.rnr_timer = 12,
	};

	memset(&t, 0, sizeof(t));
	t.refuse = UINT64_MAX;
	CHECK(ocf_responder_init(&t.r, &ops, &t, &set, t.slot));
}

static void start(uint32_t depth)
{
	create(depth, 0);
	CHECK(ocf_responder_expect(&t.r, BASE));
}

static enum ocf_arrival arrive_asking(uint64_t n, bool ask)
{
	enum ocf_arrival is = ocf_responder_arrive(&t.r, AT((uint32_t)n), n, ask,
						   t.now);

	CHECK(ocf_responder_valid(&t.r));
	return is;
}

static enum ocf_arrival arrive(uint64_t n)
{
	return arrive_asking(n, true);
}

static bool last_is(enum ocf_answer_kind kind, unsigned int n)
{
	return t.last.kind == kind && t.last.psn == AT(n);
}

/* ---- order ----------------------------------------------------------------- */

static void in_order(void)
{
	start(0);
	for (unsigned int i = 0; i < 10; i++) {
		CHECK(arrive_asking(i, i % 5 == 4) == OCF_ARRIVAL_DELIVERED);
		CHECK(t.answers == (i + 1) / 5, "who does not ask gets no answer");
	}
	CHECK(last_is(OCF_ACK, 9) && t.next == 10);
	CHECK(t.r.expected == AT(10) && t.r.counts.delivered == 10);
}

static void duplicates_are_acknowledged_and_not_delivered(void)
{
	start(4);
	for (unsigned int i = 0; i < 5; i++)
		arrive(i);
	CHECK(t.of[OCF_ACK] == 5);
	for (unsigned int i = 0; i < 5; i++) {
		CHECK(arrive_asking(i, false) == OCF_ARRIVAL_DUPLICATE);
		CHECK(t.of[OCF_ACK] == 6 + i && last_is(OCF_ACK, 4),
		      "once for each, and for all that is here");
	}
	CHECK(t.next == 5 && t.r.counts.duplicates == 5);
}

static void half_the_ring_behind_is_a_duplicate(void)
{
	start(0);
	CHECK(arrive(0x1000000 - OCF_PSN_HALF) == OCF_ARRIVAL_DUPLICATE);
	CHECK(arrive(OCF_PSN_HALF - 1) == OCF_ARRIVAL_EARLY);
	CHECK(t.next == 0 && t.of[OCF_ACK] == 1 && t.of[OCF_NAK_SEQUENCE] == 1);
}

static void malformed_numbers(void)
{
	start(4);
	CHECK(ocf_responder_arrive(&t.r, BASE | 0x1000000, 0, true, 0) ==
	      OCF_ARRIVAL_EARLY);
	CHECK(t.answers == 0 && t.next == 0 && t.r.counts.malformed == 1);
	CHECK(!ocf_responder_expect(&t.r, 0x1000000));
	CHECK(t.r.expected == BASE);
}

/* ---- gaps ------------------------------------------------------------------ */

static void one_nak_a_gap(void)
{
	start(0);
	arrive(0);
	for (unsigned int i = 2; i < 10; i++)
		CHECK(arrive(i) == OCF_ARRIVAL_EARLY);
	CHECK(t.of[OCF_NAK_SEQUENCE] == 1 && last_is(OCF_NAK_SEQUENCE, 1));
	t.now += 100 * MS;
	CHECK(arrive(2) == OCF_ARRIVAL_EARLY && t.of[OCF_NAK_SEQUENCE] == 1,
	      "time makes no second one");
	CHECK(arrive(0) == OCF_ARRIVAL_DUPLICATE);
	arrive(3);
	CHECK(t.of[OCF_NAK_SEQUENCE] == 1, "nor does a duplicate");
	arrive(1);
	arrive(3);
	CHECK(t.of[OCF_NAK_SEQUENCE] == 2 && last_is(OCF_NAK_SEQUENCE, 2),
	      "the next gap is another one");
	CHECK(t.r.counts.gaps == 2);
}

static void reordered_ones_are_held(void)
{
	start(8);
	CHECK(arrive(2) == OCF_ARRIVAL_HELD);
	CHECK(arrive(1) == OCF_ARRIVAL_HELD);
	CHECK(arrive(1) == OCF_ARRIVAL_DUPLICATE && t.r.counts.again == 1);
	CHECK(arrive(8) == OCF_ARRIVAL_HELD, "as far as there are slots");
	CHECK(t.answers == 0 && t.r.held == 3);
	CHECK(arrive_asking(0, false) == OCF_ARRIVAL_DELIVERED);
	CHECK(t.next == 3 && t.of[OCF_ACK] == 1 && last_is(OCF_ACK, 2),
	      "one answer for all of it");
	CHECK(t.r.held == 1);
	for (unsigned int i = 3; i < 8; i++)
		arrive_asking(i, false);
	CHECK(t.next == 9 && last_is(OCF_ACK, 8) && t.r.held == 0);
	CHECK(t.of[OCF_NAK_SEQUENCE] == 0);
}

static void past_the_slots(void)
{
	start(4);
	CHECK(arrive(4) == OCF_ARRIVAL_HELD && t.answers == 0);
	CHECK(arrive(5) == OCF_ARRIVAL_EARLY);
	CHECK(last_is(OCF_NAK_SEQUENCE, 0) && t.answers == 1);
	CHECK(arrive(6) == OCF_ARRIVAL_EARLY && t.answers == 1);
	CHECK(arrive(3) == OCF_ARRIVAL_HELD, "what fits is held all the same");
	arrive(0);
	arrive(1);
	arrive(2);
	CHECK(t.next == 5 && last_is(OCF_ACK, 4));
}

static void all_depths(void)
{
	for (uint32_t depth = 1; depth <= OCF_DEPTH_MAX; depth *= 2) {
		start(depth);
		for (uint32_t i = depth; i > 0; i--)
			CHECK(arrive(i) == OCF_ARRIVAL_HELD);
		CHECK(t.r.held == depth && t.answers == 0);
		CHECK(arrive(depth + 1) == OCF_ARRIVAL_EARLY);
		arrive(0);
		CHECK(t.next == depth + 1 && t.r.held == 0, "depth %u", depth);
		CHECK(last_is(OCF_ACK, depth));
	}
}

static void a_gap_that_lasts_is_a_loss(void)
{
	start(8);
	t.now = 1000;
	arrive(1);
	CHECK(ocf_responder_run(&t.r, 1000) == 1000 + HOLD + 1);
	t.now = 2000;
	arrive(2);
	CHECK(ocf_responder_run(&t.r, 1000 + HOLD) == 1000 + HOLD + 1,
	      "at that instant it is in time");
	CHECK(t.answers == 0);
	CHECK(ocf_responder_run(&t.r, 1000 + HOLD + 1) == OCF_NEVER);
	CHECK(t.answers == 1 && last_is(OCF_NAK_SEQUENCE, 0));
	CHECK(ocf_responder_run(&t.r, 1000 * MS) == OCF_NEVER && t.answers == 1);
	arrive(9);
	CHECK(t.answers == 1, "nor is there another one for what fits no slot");
	arrive(0);
	CHECK(t.next == 3 && last_is(OCF_ACK, 2));
}

static void each_gap_has_its_time(void)
{
	start(8);
	arrive(1);
	arrive(3);
	t.now = 4000;
	arrive(0);
	CHECK(t.next == 2);
	CHECK(ocf_responder_run(&t.r, HOLD + 1) == 4000 + HOLD + 1,
	      "the next one counts from when it was seen to be there");
	CHECK(ocf_responder_run(&t.r, 4000 + HOLD + 1) == OCF_NEVER);
	CHECK(last_is(OCF_NAK_SEQUENCE, 2) && t.of[OCF_NAK_SEQUENCE] == 1);
	arrive(2);
	CHECK(t.next == 4 && t.r.counts.gaps == 2);
	CHECK(ocf_responder_run(&t.r, UINT64_MAX) == OCF_NEVER && !t.r.gap);
}

/* Before or after the run of that instant. */
static void a_packet_at_the_instant_of_the_time_out(void)
{
	for (unsigned int run_first = 0; run_first < 2; run_first++) {
		start(8);
		arrive(1);
		t.now = HOLD;
		if (run_first)
			ocf_responder_run(&t.r, t.now);
		arrive(0);
		ocf_responder_run(&t.r, t.now);
		CHECK(t.of[OCF_NAK_SEQUENCE] == 0 && t.next == 2);
		CHECK(ocf_responder_run(&t.r, 10 * HOLD) == OCF_NEVER);
	}
}

static void naks_have_a_limit(void)
{
	uint64_t n = 0;

	create(0, 3);
	CHECK(ocf_responder_expect(&t.r, BASE));
	t.now = 10 * MS + 7;
	for (unsigned int i = 0; i < 10; i++) {
		arrive(n + 1);		/* a gap ... */
		arrive(n++);		/* ... that is filled */
	}
	CHECK(t.of[OCF_NAK_SEQUENCE] == 3 && t.r.counts.silenced == 7);
	t.now += MS - 1;
	arrive(n + 1);
	CHECK(t.of[OCF_NAK_SEQUENCE] == 3);
	t.now += 1;
	arrive(n + 1);
	CHECK(t.of[OCF_NAK_SEQUENCE] == 3,
	      "what was kept back is left to the sender's timer");
	arrive(n++);
	arrive(n + 1);
	CHECK(t.of[OCF_NAK_SEQUENCE] == 4);
	CHECK(t.next == n);
}

/* ---- what is not taken ----------------------------------------------------- */

static void no_room(void)
{
	start(4);
	t.refuse = 1;
	t.taken = OCF_TAKEN_NO_ROOM;
	arrive(0);
	CHECK(arrive(1) == OCF_ARRIVAL_REFUSED);
	CHECK(last_is(OCF_NAK_RNR, 1) && t.last.timer == 12 && t.next == 1);
	CHECK(arrive(2) == OCF_ARRIVAL_HELD);
	CHECK(arrive(7) == OCF_ARRIVAL_EARLY);
	CHECK(ocf_responder_run(&t.r, 10 * HOLD) == OCF_NEVER);
	CHECK(t.of[OCF_NAK_SEQUENCE] == 0, "what comes behind it is no gap");
	CHECK(arrive(1) == OCF_ARRIVAL_REFUSED && t.of[OCF_NAK_RNR] == 2);
	t.refuse = UINT64_MAX;
	CHECK(arrive(1) == OCF_ARRIVAL_DELIVERED);
	CHECK(t.next == 3 && last_is(OCF_ACK, 2));
}

static void no_room_for_one_that_was_held(void)
{
	start(4);
	arrive(1);
	arrive(2);
	arrive(3);
	t.refuse = 2;
	t.taken = OCF_TAKEN_NO_ROOM;
	CHECK(arrive(0) == OCF_ARRIVAL_DELIVERED);
	CHECK(t.next == 2 && t.of[OCF_ACK] == 1 && last_is(OCF_NAK_RNR, 2));
	CHECK(t.dropped == 1 && t.r.held == 1, "the one behind it stays");
	t.refuse = UINT64_MAX;
	CHECK(arrive(2) == OCF_ARRIVAL_DELIVERED);
	CHECK(t.next == 4 && last_is(OCF_ACK, 3) && t.dropped == 1);
}

static void rnrs_have_the_same_limit(void)
{
	create(0, 2);
	CHECK(ocf_responder_expect(&t.r, BASE));
	t.refuse = 0;
	t.taken = OCF_TAKEN_NO_ROOM;
	for (unsigned int i = 0; i < 100; i++)
		arrive(0);
	CHECK(t.of[OCF_NAK_RNR] == 2 && t.r.counts.silenced == 98);
	arrive(1);
	CHECK(t.answers == 2);
}

static void no_right(void)
{
	start(4);
	t.refuse = 1;
	t.taken = OCF_TAKEN_ACCESS;
	arrive(0);
	CHECK(arrive(1) == OCF_ARRIVAL_REFUSED && last_is(OCF_NAK_ACCESS, 1));
	CHECK(arrive(6) == OCF_ARRIVAL_EARLY && t.answers == 2);
	t.refuse = UINT64_MAX;
	CHECK(arrive(1) == OCF_ARRIVAL_DELIVERED, "it may be asked again");
}

static void no_sense(void)
{
	start(4);
	arrive(2);
	t.refuse = 1;
	t.taken = OCF_TAKEN_INVALID;
	arrive(0);
	CHECK(arrive(1) == OCF_ARRIVAL_REFUSED && last_is(OCF_NAK_INVALID, 1));
	CHECK(t.dropped == 1 && t.r.held == 0);
	t.refuse = UINT64_MAX;
	CHECK(arrive(1) == OCF_ARRIVAL_OFF && arrive(0) == OCF_ARRIVAL_OFF);
	CHECK(t.answers == 2 && t.r.counts.off == 2);
	CHECK(ocf_responder_expect(&t.r, AT(1)));
	CHECK(arrive(1) == OCF_ARRIVAL_DELIVERED);
}

/* ---- new connections ------------------------------------------------------- */

static void a_new_one_takes_the_first_number(void)
{
	create(4, 0);
	t.next = 7;
	CHECK(arrive(7) == OCF_ARRIVAL_DELIVERED);
	CHECK(t.r.expected == AT(8) && last_is(OCF_ACK, 7));
	CHECK(arrive(6) == OCF_ARRIVAL_DUPLICATE);
	CHECK(arrive(20) == OCF_ARRIVAL_EARLY, "only the first");
	CHECK(t.next == 8);
}

static void a_new_one_without_room(void)
{
	create(4, 0);
	t.next = 7;
	t.refuse = 7;
	t.taken = OCF_TAKEN_NO_ROOM;
	CHECK(arrive(7) == OCF_ARRIVAL_REFUSED && last_is(OCF_NAK_RNR, 7));
	CHECK(arrive(30) == OCF_ARRIVAL_EARLY, "the first has come");
	t.refuse = UINT64_MAX;
	CHECK(arrive(7) == OCF_ARRIVAL_DELIVERED);
}

/* Somebody who repeats what he saw on the wire must not set the number. */
static void one_that_was_set_up_again_does_not(void)
{
	create(4, 0);
	arrive(0);
	ocf_responder_stop(&t.r);
	CHECK(arrive(100) == OCF_ARRIVAL_OFF);
	CHECK(ocf_responder_expect(&t.r, AT(1)));
	CHECK(arrive(100) == OCF_ARRIVAL_EARLY);
	CHECK(t.next == 1 && t.r.expected == AT(1));

	create(4, 0);
	CHECK(ocf_responder_expect(&t.r, BASE));
	CHECK(arrive(100) == OCF_ARRIVAL_EARLY && t.r.expected == BASE);

	create(4, 0);
	ocf_responder_stop(&t.r);
	CHECK(ocf_responder_expect(&t.r, BASE));
	CHECK(arrive(100) == OCF_ARRIVAL_EARLY && t.r.expected == BASE);
}

static void setting_the_number_drops_what_is_held(void)
{
	start(8);
	arrive(1);
	arrive(8);
	CHECK(ocf_responder_expect(&t.r, AT(0)));
	CHECK(t.dropped == 2 && t.r.held == 0);
	arrive(0);
	CHECK(t.next == 1 && t.r.counts.delivered == 1);
	CHECK(ocf_responder_run(&t.r, 100 * HOLD) == OCF_NEVER);
	CHECK(t.of[OCF_NAK_SEQUENCE] == 0);
}

/* ---- settings -------------------------------------------------------------- */

static void malformed_settings(void)
{
	static const struct ocf_responder_settings bad[] = {
		{ .depth = 3 }, { .depth = 129 }, { .depth = 256 },
		{ .depth = UINT32_MAX }, { .rnr_timer = 32 },
	};
	static const struct ocf_responder_settings deep = { .depth = 8 };

	start(4);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!ocf_responder_init(&t.r, &ops, &t, &bad[i], t.slot));
	CHECK(!ocf_responder_init(&t.r, &ops, &t, &deep, NULL), "no slots");
	CHECK(t.r.set.depth == 4 && t.r.expected == BASE, "nothing was changed");
}

static void what_is_loaded_is_looked_at(void)
{
	struct ocf_responder good;

#define WRONG(...) do {							\
	t.r = good;							\
	__VA_ARGS__;							\
	CHECK(!ocf_responder_valid(&t.r), #__VA_ARGS__);		\
} while (0)
	start(4);
	arrive(2);
	arrive(4);
	good = t.r;
	CHECK(ocf_responder_valid(&good));
	WRONG(t.r.expected |= 0x1000000);
	WRONG(t.r.held = 1);
	WRONG(t.r.held = 3);
	WRONG(t.r.held = UINT32_MAX);
	WRONG(t.r.set.depth = 256);
	WRONG(t.r.set.rnr_timer = 32);
	WRONG(t.r.slot = NULL);
	WRONG(t.r.on = false);
	WRONG(t.r.fresh = true);
	t.r = good;
	t.slot[0].used = !t.slot[0].used;
	CHECK(!ocf_responder_valid(&t.r));
#undef WRONG
}

static const struct tap_test tests[] = {
	{ "in order", in_order },
	{ "duplicates are acknowledged and not delivered",
	  duplicates_are_acknowledged_and_not_delivered },
	{ "half the ring behind is a duplicate", half_the_ring_behind_is_a_duplicate },
	{ "malformed numbers", malformed_numbers },
	{ "one NAK a gap", one_nak_a_gap },
	{ "reordered ones are held", reordered_ones_are_held },
	{ "past the slots", past_the_slots },
	{ "all depths", all_depths },
	{ "a gap that lasts is a loss", a_gap_that_lasts_is_a_loss },
	{ "each gap has its time", each_gap_has_its_time },
	{ "a packet at the instant of the time-out",
	  a_packet_at_the_instant_of_the_time_out },
	{ "NAKs have a limit", naks_have_a_limit },
	{ "no room", no_room },
	{ "no room for one that was held", no_room_for_one_that_was_held },
	{ "RNRs have the same limit", rnrs_have_the_same_limit },
	{ "no right", no_right },
	{ "no sense", no_sense },
	{ "a new one takes the first number", a_new_one_takes_the_first_number },
	{ "a new one without room", a_new_one_without_room },
	{ "one that was set up again does not", one_that_was_set_up_again_does_not },
	{ "setting the number drops what is held",
	  setting_the_number_drops_what_is_held },
	{ "malformed settings", malformed_settings },
	{ "what is loaded is looked at", what_is_loaded_is_looked_at },
};

TAP_MAIN(tests)
