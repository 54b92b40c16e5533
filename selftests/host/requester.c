// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sending end of a connection that leaves the card, event by event. Most start
 * just below 2^24, so that what they count wraps.
 */
#include "requester.h"

#include "psn.h"
#include "sender.h"
#include "tap.h"

#define BASE	0xfffffdu
#define AT(n)	(((BASE) + (n)) & OCF_PSN_MASK)

static void ready(unsigned int posted)
{
	sender_start(BASE, &sender_settings, posted);
}

/* Eight are out. */
static void full_window(void)
{
	ready(20);
	CHECK(sender_sent(BASE, 8, false));
	sender_clear();
}

static void changed(struct ocf_requester_settings set, unsigned int posted)
{
	sender_start(BASE, &set, posted);
	sender_clear();
}

#define WITH(...) ({							\
	struct ocf_requester_settings set_ = sender_settings;		\
	struct ocf_requester_settings *set = &set_;			\
	__VA_ARGS__;							\
	set_;								\
})

/* ---- tables and settings --------------------------------------------------- */

static void patience_doubles_up_to_the_cap(void)
{
	struct ocf_requester_settings set = { .timeout = 1, .timeout_max = 4 };
	static const uint64_t units[] = { 2, 4, 8, 16, 16, 16, 16, 16 };

	for (unsigned int i = 0; i < 8; i++)
		CHECK(ocf_requester_patience(&set, i) == 4096 * units[i],
		      "retry %u", i);
	set.timeout_max = 0;
	CHECK(ocf_requester_patience(&set, 7) == 8192, "the cap is below the base");
	set.timeout = 0;
	CHECK(ocf_requester_patience(&set, 0) == 0);
	set.timeout = 31;
	set.timeout_max = 31;
	CHECK(ocf_requester_patience(&set, 0) == 8796093022208ull);
	CHECK(ocf_requester_patience(&set, UINT8_MAX) == 8796093022208ull);
}

static void rnr_table(void)
{
	CHECK(ocf_rnr_ns(0) == 655360000);
	CHECK(ocf_rnr_ns(1) == 10000);
	CHECK(ocf_rnr_ns(12) == 640000);
	CHECK(ocf_rnr_ns(14) == 1280000);
	CHECK(ocf_rnr_ns(31) == 491520000);
	for (unsigned int i = 2; i < 32; i++)
		CHECK(ocf_rnr_ns(i) > ocf_rnr_ns(i - 1), "timer %u", i);
}

static void malformed_settings(void)
{
	static const struct ocf_requester_settings bad[] = {
		{ .window = 0 },
		{ .window = OCFABRIC_QP_WINDOW_MAX + 1 },
		{ .window = 1, .timeout = 32 },
		{ .window = 1, .timeout_max = 32 },
		{ .window = 1, .retry_limit = 8 },
		{ .window = 1, .rnr_limit = 8 },
	};

	ready(0);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK(!ocf_requester_set(&s.r, &bad[i]), "number %u", i);
		CHECK(s.r.set.window == 8);
	}
	ocf_requester_command(&s.r, OCF_COMMAND_RESET);
	sender_run(1);
	CHECK(!ocf_requester_start(&s.r, &bad[0], 0, false));
	CHECK(s.r.state == OCFABRIC_QP_RESET);
}

static void starts_from_reset_only(void)
{
	ready(1);
	CHECK(!ocf_requester_start(&s.r, &sender_settings, 7, false));
	CHECK(s.r.first == BASE);
	ocf_requester_command(&s.r, OCF_COMMAND_RESET);
	sender_run(1);
	CHECK(!ocf_requester_start(&s.r, &sender_settings, 0x1000000, false));
	CHECK(ocf_requester_start(&s.r, &sender_settings, 7, false));
	CHECK(s.r.state == OCFABRIC_QP_RTS && s.r.posted == 7);
}

/* ---- window and acknowledgements ------------------------------------------- */

static void window_holds_and_opens(void)
{
	full_window();
	CHECK(ocf_requester_outstanding(&s.r) == 8);
	sender_run(100);
	CHECK(s.n == 0);
	sender_hear(OCF_ACK, AT(0), 0);
	sender_run(200);
	CHECK(sender_sent(AT(8), 1, false));
	sender_clear();
	sender_hear(OCF_ACK, AT(5), 0);
	sender_run(300);
	CHECK(s.acked == AT(6), "one acknowledges all before it");
	CHECK(sender_sent(AT(9), 5, false));
	sender_clear();
	sender_hear(OCF_ACK, AT(13), 0);
	sender_run(400);
	CHECK(sender_sent(AT(14), 6, false));
	sender_hear(OCF_ACK, AT(19), 0);
	sender_run(500);
	CHECK(s.acked == s.r.posted && s.next == OCF_NEVER);
	CHECK(s.r.counts.sent == 20 && s.r.counts.acked == 20 &&
	      !s.r.counts.resent);
}

static void acknowledgements_are_asked_for(void)
{
	unsigned int i, asked = 0;

	changed(WITH(set->window = 64), 0);
	CHECK(ocf_requester_post(&s.r, 100));
	sender_run(1);
	CHECK(s.n == 64);
	for (i = 0; i < 64; i++)
		asked += !!(s.log[i].flags & OCF_SEND_ACK);
	CHECK(s.log[63].flags & OCF_SEND_ACK, "the last of a full window");
	CHECK(asked >= 4 && asked <= 6, "%u of a window", asked);
	sender_clear();
	sender_hear(OCF_ACK, AT(0), 0);
	sender_run(2);
	CHECK(s.n == 1 && s.log[0].flags == OCF_SEND_ACK);

	ready(3);
	CHECK(s.log[2].flags == OCF_SEND_ACK, "the last there is");
	changed(WITH(set->window = 1), 1);
	sender_hear(OCF_ACK, AT(0), 0);
	CHECK(ocf_requester_post(&s.r, 1));
	sender_run(1);
	CHECK(s.log[0].flags == OCF_SEND_ACK);
}

static void old_and_ahead_change_nothing(void)
{
	full_window();
	sender_hear(OCF_ACK, AT(2), 0);
	sender_run(10);
	sender_clear();
	for (unsigned int kind = 0; kind < OCF_ANSWERS; kind++) {
		sender_hear(kind, AT(2), 0);
		sender_hear(kind, ocf_psn_sub(AT(3), OCF_PSN_HALF), 0);
		sender_hear(kind, AT(11), 0);
		sender_hear(kind, ocf_psn_sub(AT(2), OCF_PSN_HALF), 0);
	}
	sender_run(20);
	CHECK(s.r.counts.old == 2 * OCF_ANSWERS);
	CHECK(s.r.counts.ahead == 2 * OCF_ANSWERS);
	CHECK(s.n == 0 && s.acked == AT(3) && s.r.state == OCFABRIC_QP_RTS);
	CHECK(s.next == 10 + SENDER_PATIENCE + 1, "the timer goes on");
}

static void posted_is_not_sent(void)
{
	full_window();
	sender_hear(OCF_ACK, AT(8), 0);
	sender_run(10);
	CHECK(s.acked == BASE && s.r.counts.ahead == 1,
	      "posted, but not sent: nobody can have it");
}

static void malformed_answers(void)
{
	static const struct ocf_answer bad[] = {
		{ .kind = OCF_ANSWERS, .psn = BASE },
		{ .kind = UINT8_MAX, .psn = BASE },
		{ .kind = OCF_ACK, .psn = 0x1000000 },
		{ .kind = OCF_ACK, .psn = BASE | 0xff000000 },
		{ .kind = OCF_NAK_RNR, .psn = BASE, .timer = 32 },
	};

	full_window();
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ocf_requester_hear(&s.r, &bad[i]);
	sender_run(10);
	CHECK(s.r.counts.malformed == sizeof(bad) / sizeof(bad[0]));
	CHECK(s.acked == BASE && s.n == 0);
}

static void first_packet_goes_alone(void)
{
	ready(0);
	ocf_requester_command(&s.r, OCF_COMMAND_RESET);
	sender_run(1);
	CHECK(ocf_requester_start(&s.r, &sender_settings, AT(0), true));
	CHECK(ocf_requester_post(&s.r, 12));
	sender_run(2);
	CHECK(sender_sent(AT(0), 1, false));
	CHECK(s.log[0].flags & OCF_SEND_ACK);
	sender_run(2 + SENDER_PATIENCE + 1);
	CHECK(s.n == 2 && s.log[1].psn == AT(0), "alone when sent again, too");
	sender_clear();
	sender_hear(OCF_ACK, AT(0), 0);
	sender_run(3 + SENDER_PATIENCE + 1);
	CHECK(sender_sent(AT(1), 8, false));
}

static void window_that_shrinks(void)
{
	struct ocf_requester_settings set = WITH(set->window = 3);

	full_window();
	CHECK(ocf_requester_set(&s.r, &set));
	sender_hear(OCF_ACK, AT(0), 0);
	sender_run(10);
	CHECK(s.n == 0, "seven are out, three may be");
	sender_hear(OCF_NAK_SEQUENCE, AT(1), 0);
	sender_run(20);
	CHECK(sender_sent(AT(1), 3, true));
	sender_clear();
	sender_hear(OCF_ACK, AT(7), 0);
	sender_run(30);
	CHECK(sender_sent(AT(8), 3, false));
}

static void posting_has_a_limit(void)
{
	ready(0);
	CHECK(ocf_requester_post(&s.r, OCF_PSN_HALF - 1));
	CHECK(!ocf_requester_post(&s.r, 1), "half the ring is in use");
	CHECK(s.r.posted == ocf_psn_add(BASE, OCF_PSN_HALF - 1));
	sender_run(1);
	sender_hear(OCF_ACK, AT(1), 0);
	sender_run(2);
	CHECK(!ocf_requester_post(&s.r, 3));
	CHECK(!ocf_requester_post(&s.r, UINT32_MAX));
	CHECK(ocf_requester_post(&s.r, 2));
	ocf_requester_command(&s.r, OCF_COMMAND_ERROR);
	sender_run(3);
	CHECK(!ocf_requester_post(&s.r, 0));
}

static void wire_that_takes_no_more(void)
{
	ready(0);
	s.room = 3;
	CHECK(ocf_requester_post(&s.r, 6));
	sender_run(100);
	CHECK(sender_sent(BASE, 3, false));
	sender_run(200);
	CHECK(s.n == 3 && s.next == 100 + SENDER_PATIENCE + 1,
	      "the timer runs for what is out");
	sender_clear();
	s.room = 0;
	sender_run(100 + SENDER_PATIENCE + 1);
	CHECK(s.r.retries == 1 && s.n == 0);
	CHECK(s.next == OCF_NEVER, "nothing is out again yet");
	sender_run(100 * SENDER_PATIENCE);
	CHECK(s.r.retries == 1, "a wire that takes nothing is no lost packet");
	s.room = 100;
	sender_run(100 * SENDER_PATIENCE + 1);
	CHECK(s.n == 6 && s.log[2].flags & OCF_SEND_AGAIN &&
	      !(s.log[3].flags & OCF_SEND_AGAIN));
	CHECK(s.next == 102 * SENDER_PATIENCE + 2, "twice as long");
}

/* ---- NAKs ------------------------------------------------------------------ */

static void sequence_nak_goes_back(void)
{
	full_window();
	sender_hear(OCF_NAK_SEQUENCE, AT(3), 0);
	sender_run(10);
	CHECK(s.acked == AT(3), "all before it arrived");
	CHECK(s.n == 8 && s.log[0].psn == AT(3) && s.log[7].psn == AT(10));
	CHECK(s.log[4].flags & OCF_SEND_AGAIN && !(s.log[5].flags & OCF_SEND_AGAIN),
	      "and on to what is new");
	CHECK(s.r.counts.naks == 1 && s.r.counts.resent == 5);
	CHECK(s.next == 10 + SENDER_PATIENCE + 1);
}

static void a_nak_is_heeded_once(void)
{
	full_window();
	sender_hear(OCF_NAK_SEQUENCE, AT(0), 0);
	sender_run(10);
	CHECK(sender_sent(AT(0), 8, true));
	sender_clear();
	for (unsigned int i = 0; i < 20; i++) {
		sender_hear(OCF_NAK_SEQUENCE, AT(0), 0);
		sender_run(20 + i);
	}
	CHECK(s.n == 0 && s.r.counts.repeated == 20);
	sender_run(10 + SENDER_PATIENCE);
	CHECK(s.n == 0);
	sender_run(10 + SENDER_PATIENCE + 1);
	CHECK(sender_sent(AT(0), 8, true), "what is lost again is for the timer");
	sender_clear();
	sender_hear(OCF_NAK_SEQUENCE, AT(4), 0);
	sender_run(11 + SENDER_PATIENCE + 1);
	CHECK(s.n == 8 && s.log[0].psn == AT(4), "that of another one counts");
}

static void rnr_waits(void)
{
	full_window();
	sender_hear(OCF_NAK_RNR, AT(2), 1);
	sender_run(10);
	CHECK(s.acked == AT(2) && s.n == 0 && s.r.rnr_retries == 1);
	CHECK(s.next == 10 + 10000 + 1);
	sender_hear(OCF_NAK_RNR, AT(2), 5);
	sender_hear(OCF_NAK_SEQUENCE, AT(2), 0);
	sender_run(20);
	CHECK(s.n == 0 && s.next == 10 + 10000 + 1 && s.r.counts.repeated == 2,
	      "it waits already");
	sender_run(10 + 10000);
	CHECK(s.n == 0);
	sender_run(10 + 10000 + 1);
	CHECK(s.n == 8 && s.log[0].psn == AT(2));
	CHECK(s.next == s.now + SENDER_PATIENCE + 1);
}

static void progress_ends_an_rnr(void)
{
	full_window();
	sender_hear(OCF_NAK_RNR, AT(2), 31);
	sender_run(10);
	sender_hear(OCF_ACK, AT(3), 0);
	sender_run(20);
	CHECK(s.n == 8 && s.log[0].psn == AT(4));
	CHECK(s.r.rnr_retries == 0 && s.r.timer == OCF_TIMER_RETRY);
}

static void rnr_has_a_limit(void)
{
	unsigned int i;

	full_window();
	for (i = 1; i <= 6; i++) {
		sender_hear(OCF_NAK_RNR, AT(0), 1);
		sender_run(s.now + 1);
		CHECK(s.r.rnr_retries == i && s.r.state == OCFABRIC_QP_RTS);
		sender_clear();
		sender_run(s.next);
		CHECK(sender_sent(AT(0), 8, true));
	}
	sender_hear(OCF_NAK_RNR, AT(0), 1);
	sender_clear();
	sender_run(s.now + 1);
	CHECK(s.r.state == OCFABRIC_QP_SQE && s.r.cause == OCFABRIC_QP_CAUSE_RNR);
	CHECK(s.n == 0 && s.next == OCF_NEVER && s.r.counts.rnrs == 6);
}

static void rnr_without_end(void)
{
	changed(WITH(set->rnr_limit = OCF_RNR_ENDLESS), 8);
	for (unsigned int i = 0; i < 1000; i++) {
		sender_hear(OCF_NAK_RNR, AT(0), 1);
		sender_run(s.now + 1);
		sender_run(s.next);
	}
	CHECK(s.r.state == OCFABRIC_QP_RTS && s.r.rnr_retries == UINT8_MAX);
	CHECK(s.r.retries == 0);
}

static void an_rnr_that_acknowledges_is_progress(void)
{
	full_window();
	for (unsigned int i = 0; i < 8; i++) {
		sender_hear(OCF_NAK_RNR, AT(i), 1);
		sender_run(s.now + 1);
		sender_run(s.next);
	}
	CHECK(s.r.state == OCFABRIC_QP_RTS && s.r.rnr_retries == 1);
}

static void access_nak_stops_and_can_be_resumed(void)
{
	full_window();
	sender_hear(OCF_NAK_ACCESS, AT(2), 0);
	sender_run(10);
	CHECK(s.r.state == OCFABRIC_QP_SQE && s.r.cause == OCFABRIC_QP_CAUSE_NAK);
	CHECK(s.acked == AT(2) && s.n == 0 && s.next == OCF_NEVER);
	CHECK(ocf_requester_post(&s.r, 1));
	sender_hear(OCF_ACK, AT(5), 0);
	sender_run(20);
	CHECK(s.acked == AT(2) && s.r.counts.stray == 1);
	ocf_requester_command(&s.r, OCF_COMMAND_DRAIN);
	sender_run(25);
	CHECK(s.r.state == OCFABRIC_QP_SQE && s.r.counts.refused == 1);
	ocf_requester_command(&s.r, OCF_COMMAND_RESUME);
	sender_run(30);
	CHECK(s.r.state == OCFABRIC_QP_RTS && s.r.cause == OCFABRIC_QP_CAUSE_NONE);
	CHECK(s.n == 8 && s.log[0].psn == AT(2) && s.moves == 3);
}

static void invalid_nak_is_the_end(void)
{
	full_window();
	sender_hear(OCF_NAK_INVALID, AT(2), 0);
	sender_run(10);
	CHECK(s.r.state == OCFABRIC_QP_ERR && s.r.cause == OCFABRIC_QP_CAUSE_NAK);
	CHECK(s.r.first == AT(2) && s.r.posted == AT(20), "what is open is kept");
	ocf_requester_command(&s.r, OCF_COMMAND_RESUME);
	sender_run(20);
	CHECK(s.r.state == OCFABRIC_QP_ERR && s.r.counts.refused == 1);
	ocf_requester_command(&s.r, OCF_COMMAND_RESET);
	sender_run(30);
	CHECK(s.r.state == OCFABRIC_QP_RESET && s.r.posted == 0 && s.n == 0);
}

/* ---- time ------------------------------------------------------------------ */

static void progress_winds_the_timer_up(void)
{
	full_window();
	sender_run(SENDER_PATIENCE + 1);
	CHECK(s.r.retries == 1);
	CHECK(s.next == 3 * SENDER_PATIENCE + 2);
	sender_hear(OCF_ACK, AT(0), 0);
	sender_run(SENDER_PATIENCE + 100);
	CHECK(s.r.retries == 0);
	CHECK(s.next == 2 * SENDER_PATIENCE + 101);
	sender_hear(OCF_ACK, AT(8), 0);
	sender_run(SENDER_PATIENCE + 200);
	sender_hear(OCF_ACK, AT(16), 0);
	sender_run(SENDER_PATIENCE + 300);
	sender_hear(OCF_ACK, AT(19), 0);
	sender_run(SENDER_PATIENCE + 400);
	CHECK(s.next == OCF_NEVER, "nothing is out");
}

static void without_a_timeout(void)
{
	changed(WITH(set->timeout = 0), 8);
	CHECK(s.next == OCF_NEVER);
	sender_run(UINT64_MAX - 1);
	CHECK(s.r.retries == 0 && s.n == 0);
}

static void clock_near_its_end(void)
{
	ready(0);
	CHECK(ocf_requester_post(&s.r, 1));
	sender_run(UINT64_MAX - 10);
	CHECK(s.next == OCF_NEVER && s.n == 1);
	sender_run(UINT64_MAX);
	CHECK(s.n == 1 && s.r.retries == 0);
}

/* ---- states ---------------------------------------------------------------- */

static void drain_and_resume(void)
{
	full_window();
	ocf_requester_command(&s.r, OCF_COMMAND_DRAIN);
	sender_hear(OCF_ACK, AT(3), 0);
	sender_run(10);
	CHECK(s.r.state == OCFABRIC_QP_SQD && s.n == 0);
	CHECK(!ocf_requester_drained(&s.r));
	CHECK(ocf_requester_post(&s.r, 1));
	sender_hear(OCF_NAK_SEQUENCE, AT(6), 0);
	sender_run(20);
	CHECK(sender_sent(AT(6), 2, true), "what was sent is sent again");
	CHECK(s.log[1].flags & OCF_SEND_ACK);
	sender_clear();
	sender_hear(OCF_ACK, AT(7), 0);
	sender_run(30);
	CHECK(ocf_requester_drained(&s.r) && s.n == 0 && s.next == OCF_NEVER);
	ocf_requester_command(&s.r, OCF_COMMAND_DRAIN);
	sender_run(35);
	CHECK(s.r.counts.refused == 1);
	ocf_requester_command(&s.r, OCF_COMMAND_RESUME);
	sender_run(40);
	CHECK(s.r.state == OCFABRIC_QP_RTS && !ocf_requester_drained(&s.r));
	CHECK(sender_sent(AT(8), 8, false));
}

static void commands_that_do_not_fit(void)
{
	full_window();
	ocf_requester_command(&s.r, OCF_COMMAND_RESUME);
	sender_run(10);
	CHECK(s.r.counts.refused == 1 && s.r.state == OCFABRIC_QP_RTS);
	ocf_requester_command(&s.r, OCF_COMMAND_RESET + 1);
	sender_run(20);
	CHECK(s.r.state == OCFABRIC_QP_RTS && s.moves == 1);
	ocf_requester_command(&s.r, OCF_COMMAND_ERROR);
	sender_run(30);
	CHECK(s.r.state == OCFABRIC_QP_ERR && s.r.cause == OCFABRIC_QP_CAUSE_NONE);
	CHECK(s.next == OCF_NEVER);
}

/* Each field that can be wrong, made so in what is right otherwise. */
static void what_is_loaded_is_looked_at(void)
{
	struct ocf_requester good;

#define WRONG(...) do {							\
	s.r = good;							\
	__VA_ARGS__;							\
	CHECK(!ocf_requester_valid(&s.r), #__VA_ARGS__);		\
} while (0)
	full_window();
	sender_hear(OCF_NAK_SEQUENCE, AT(1), 0);
	good = s.r;
	CHECK(ocf_requester_valid(&good));
	WRONG(s.r.set.window = 0);
	WRONG(s.r.set.timeout = 32);
	WRONG(s.r.state = OCFABRIC_QP_INIT);
	WRONG(s.r.state = 7);
	WRONG(s.r.state = OCFABRIC_QP_SQE);
	WRONG(s.r.cause = OCFABRIC_QP_CAUSE_NAK + 1);
	WRONG(s.r.first |= 0x1000000);
	WRONG(s.r.first = AT(9));
	WRONG(s.r.cursor = AT(9));
	WRONG(s.r.cursor = AT(0));
	WRONG(s.r.sent = AT(21));
	WRONG(s.r.posted = AT(7));
	WRONG(s.r.posted = ocf_psn_add(BASE, OCF_PSN_HALF));
	WRONG(s.r.sent = s.r.posted = ocf_psn_add(BASE, OCFABRIC_QP_WINDOW_MAX + 1));
	WRONG(s.r.timer = OCF_TIMER_RNR);
	WRONG(s.r.timer = OCF_TIMER_RNR + 1);
	WRONG(s.r.heard.command = OCF_COMMAND_RESET + 1);
	WRONG(s.r.heard.kinds = 1u << OCF_ANSWERS);
	WRONG(s.r.heard.timer = 32);
	WRONG(s.r.heard.psn[OCF_NAK_SEQUENCE] |= 0x1000000);
	s.r = good;
	CHECK(ocf_requester_valid(&s.r));
#undef WRONG

	/* one that was never started has no settings, and can be in ERR */
	ocf_requester_init(&s.r, good.ops, good.opaque);
	CHECK(ocf_requester_valid(&s.r));
	ocf_requester_command(&s.r, OCF_COMMAND_ERROR);
	ocf_requester_run(&s.r, 0);
	CHECK(s.r.state == OCFABRIC_QP_ERR && ocf_requester_valid(&s.r));
}

static const struct tap_test tests[] = {
	{ "patience doubles up to the cap", patience_doubles_up_to_the_cap },
	{ "what an RNR asks for", rnr_table },
	{ "malformed settings", malformed_settings },
	{ "it starts from RESET only", starts_from_reset_only },
	{ "the window holds and opens", window_holds_and_opens },
	{ "acknowledgements are asked for", acknowledgements_are_asked_for },
	{ "old answers and those ahead change nothing", old_and_ahead_change_nothing },
	{ "what is posted is not sent", posted_is_not_sent },
	{ "malformed answers", malformed_answers },
	{ "the first packet goes alone", first_packet_goes_alone },
	{ "a window that shrinks", window_that_shrinks },
	{ "posting has a limit", posting_has_a_limit },
	{ "a wire that takes no more", wire_that_takes_no_more },
	{ "a sequence NAK goes back", sequence_nak_goes_back },
	{ "a NAK is heeded once", a_nak_is_heeded_once },
	{ "an RNR waits", rnr_waits },
	{ "progress ends an RNR", progress_ends_an_rnr },
	{ "RNRs have a limit", rnr_has_a_limit },
	{ "RNRs without end", rnr_without_end },
	{ "an RNR that acknowledges is progress", an_rnr_that_acknowledges_is_progress },
	{ "an access NAK stops it, and it can be resumed", access_nak_stops_and_can_be_resumed },
	{ "an invalid NAK is the end", invalid_nak_is_the_end },
	{ "progress winds the timer up", progress_winds_the_timer_up },
	{ "without a time-out", without_a_timeout },
	{ "a clock near its end", clock_near_its_end },
	{ "drain and resume", drain_and_resume },
	{ "commands that do not fit", commands_that_do_not_fit },
	{ "what is loaded is looked at", what_is_loaded_is_looked_at },
};

TAP_MAIN(tests)
