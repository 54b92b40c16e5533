// SPDX-License-Identifier: GPL-2.0-only
/*
 * THEORY OF OPERATION: two events of one instant, in both orders in which they may
 * come in, have to end in the same, which is written here for each pair. A time-out
 * does not come in, it is when the clock passes: what comes at its instant is handed
 * in before that instant's run, after it, and together with the next one's.
 *
 * At the start eight packets are out, 0 to 7, twelve more are posted, the window is
 * full. What is sent afterwards tells whether it went back, and where to.
 */
#include "psn.h"
#include "requester.h"
#include "sender.h"
#include "tap.h"

#define BASE	0xfffffcu
#define AT(n)	(((BASE) + (n)) & OCF_PSN_MASK)

#define SHORT	7u	/* RNR timers: 120 us */
#define LONG	9u	/* 240 us */

enum setup {
	SENT,
	LAST_TRY,		/* there is no retry left */
	DRAINING,		/* SQD */
	FAILED,			/* SQE: retries used up, so the next is 0 again */
	WAITING,		/* after an RNR of 2 */
	DRAINING_WAITING,
};

enum what { COMMAND, ANSWER, TIME };

struct event {
	enum what what;
	uint8_t kind;
	uint8_t psn;
	uint8_t timer;
};

#define RESUME		{ .what = COMMAND, OCF_COMMAND_RESUME }
#define DRAIN		{ .what = COMMAND, OCF_COMMAND_DRAIN }
#define ERROR		{ .what = COMMAND, OCF_COMMAND_ERROR }
#define RESET		{ .what = COMMAND, OCF_COMMAND_RESET }
#define ACK(n)		{ .what = ANSWER, OCF_ACK, n }
#define INVALID(n)	{ .what = ANSWER, OCF_NAK_INVALID, n }
#define ACCESS(n)	{ .what = ANSWER, OCF_NAK_ACCESS, n }
#define RNR(n)		{ .what = ANSWER, OCF_NAK_RNR, n, SHORT }
#define RNR_LONG(n)	{ .what = ANSWER, OCF_NAK_RNR, n, LONG }
#define SEQUENCE(n)	{ .what = ANSWER, OCF_NAK_SEQUENCE, n }
#define TIME_OUT	{ .what = TIME }

/* How it ends. */
struct end {
	uint8_t state;
	uint8_t cause;
	uint8_t first;		/* not acknowledged */
	uint8_t from, n;	/* sent: n packets from this one on */
	uint8_t timer;
	uint8_t retries, rnrs;
};

#define RTS		.state = OCFABRIC_QP_RTS, OCFABRIC_QP_CAUSE_NONE
#define SQD		.state = OCFABRIC_QP_SQD, OCFABRIC_QP_CAUSE_NONE
#define SQE_NAK		.state = OCFABRIC_QP_SQE, OCFABRIC_QP_CAUSE_NAK
#define SQE_RETRY	.state = OCFABRIC_QP_SQE, OCFABRIC_QP_CAUSE_RETRY
#define ERR_NAK		.state = OCFABRIC_QP_ERR, OCFABRIC_QP_CAUSE_NAK
#define ERR_TOLD	.state = OCFABRIC_QP_ERR, OCFABRIC_QP_CAUSE_NONE
#define GONE		{ .state = OCFABRIC_QP_RESET }
#define NOTHING		0, 0
#define RETRY		OCF_TIMER_RETRY
#define WAIT		OCF_TIMER_RNR

static const struct pair {
	const char *name;
	enum setup setup;
	struct event a, b;
	struct end end;
} pairs[] = {
	/* answers */
	{ "two ACKs", SENT, ACK(2), ACK(5), { RTS, 6, 8, 6, RETRY } },
	{ "two invalid NAKs", SENT, INVALID(2), INVALID(4), { ERR_NAK, 4 } },
	{ "two access NAKs", SENT, ACCESS(2), ACCESS(4), { SQE_NAK, 4 } },
	{ "two RNRs", SENT, RNR(2), RNR(4), { RTS, 4, NOTHING, WAIT, 0, 1 } },
	{ "two sequence NAKs", SENT, SEQUENCE(2), SEQUENCE(5), { RTS, 5, 5, 8, RETRY } },

	{ "ACK, invalid NAK", SENT, ACK(2), INVALID(5), { ERR_NAK, 5 } },
	{ "ACK past an invalid NAK", SENT, ACK(5), INVALID(5), { RTS, 6, 8, 6, RETRY } },
	{ "ACK, access NAK", SENT, ACK(2), ACCESS(3), { SQE_NAK, 3 } },
	{ "ACK past an access NAK", SENT, ACK(7), ACCESS(3), { RTS, 8, 8, 8, RETRY } },
	{ "ACK, RNR", SENT, ACK(2), RNR(3), { RTS, 3, NOTHING, WAIT, 0, 1 } },
	{ "ACK past an RNR", SENT, ACK(4), RNR(3), { RTS, 5, 8, 5, RETRY } },
	{ "ACK, sequence NAK", SENT, ACK(2), SEQUENCE(3), { RTS, 3, 3, 8, RETRY } },
	{ "ACK before a sequence NAK", SENT, ACK(1), SEQUENCE(4), { RTS, 4, 4, 8, RETRY } },
	{ "ACK past a sequence NAK", SENT, ACK(4), SEQUENCE(3), { RTS, 5, 8, 5, RETRY } },

	{ "invalid NAK, access NAK", SENT, INVALID(3), ACCESS(3), { ERR_NAK, 3 } },
	{ "invalid NAK, access NAK before it", SENT, INVALID(5), ACCESS(3), { ERR_NAK, 5 } },
	{ "invalid NAK, RNR", SENT, INVALID(3), RNR(3), { ERR_NAK, 3 } },
	{ "invalid NAK, sequence NAK", SENT, INVALID(3), SEQUENCE(3), { ERR_NAK, 3 } },
	{ "access NAK, RNR", SENT, ACCESS(3), RNR(3), { SQE_NAK, 3 } },
	{ "access NAK, sequence NAK", SENT, ACCESS(3), SEQUENCE(4), { SQE_NAK, 3 } },
	{ "RNR, sequence NAK", SENT, RNR(3), SEQUENCE(3), { RTS, 3, NOTHING, WAIT, 0, 1 } },
	{ "RNR, sequence NAK before it", SENT, RNR(5), SEQUENCE(3),
	  { RTS, 5, NOTHING, WAIT, 0, 1 } },
	{ "RNR, sequence NAK behind it", SENT, RNR(3), SEQUENCE(5), { RTS, 5, 5, 8, RETRY } },

	/* commands and answers */
	{ "drain, ACK", SENT, DRAIN, ACK(3), { SQD, 4, NOTHING, RETRY } },
	{ "drain, invalid NAK", SENT, DRAIN, INVALID(3), { ERR_NAK, 3 } },
	{ "drain, access NAK", SENT, DRAIN, ACCESS(3), { SQE_NAK, 3 } },
	{ "drain, RNR", SENT, DRAIN, RNR(3), { SQD, 3, NOTHING, WAIT, 0, 1 } },
	{ "drain, sequence NAK", SENT, DRAIN, SEQUENCE(3), { SQD, 3, 3, 5, RETRY } },
	{ "error, ACK", SENT, ERROR, ACK(3), { ERR_TOLD } },
	{ "error, invalid NAK", SENT, ERROR, INVALID(3), { ERR_TOLD } },
	{ "error, access NAK", SENT, ERROR, ACCESS(3), { ERR_TOLD } },
	{ "error, RNR", SENT, ERROR, RNR(3), { ERR_TOLD } },
	{ "error, sequence NAK", SENT, ERROR, SEQUENCE(3), { ERR_TOLD } },
	{ "reset, ACK", SENT, RESET, ACK(3), GONE },
	{ "reset, invalid NAK", SENT, RESET, INVALID(3), GONE },
	{ "reset, access NAK", SENT, RESET, ACCESS(3), GONE },
	{ "reset, RNR", SENT, RESET, RNR(3), GONE },
	{ "reset, sequence NAK", SENT, RESET, SEQUENCE(3), GONE },
	{ "resume after drain, ACK", DRAINING, RESUME, ACK(3), { RTS, 4, 8, 4, RETRY } },
	{ "resume after drain, invalid NAK", DRAINING, RESUME, INVALID(3), { ERR_NAK, 3 } },
	{ "resume after drain, access NAK", DRAINING, RESUME, ACCESS(3), { SQE_NAK, 3 } },
	{ "resume after drain, RNR", DRAINING, RESUME, RNR(3),
	  { RTS, 3, NOTHING, WAIT, 0, 1 } },
	{ "resume after drain, sequence NAK", DRAINING, RESUME, SEQUENCE(3),
	  { RTS, 3, 3, 8, RETRY } },
	{ "resume after failure, ACK", FAILED, RESUME, ACK(3), { RTS, 4, 4, 8, RETRY } },
	{ "resume after failure, invalid NAK", FAILED, RESUME, INVALID(3), { ERR_NAK, 3 } },
	{ "resume after failure, access NAK", FAILED, RESUME, ACCESS(3), { SQE_NAK, 3 } },
	{ "resume after failure, RNR", FAILED, RESUME, RNR(3),
	  { RTS, 3, NOTHING, WAIT, 0, 1 } },
	{ "resume after failure, sequence NAK", FAILED, RESUME, SEQUENCE(3),
	  { RTS, 3, 3, 8, RETRY } },

	/* commands */
	{ "drain, resume", SENT, DRAIN, RESUME, { SQD, 0, NOTHING, RETRY } },
	{ "drain, resume, while draining", DRAINING, DRAIN, RESUME,
	  { SQD, 0, NOTHING, RETRY } },
	{ "drain, error", SENT, DRAIN, ERROR, { ERR_TOLD } },
	{ "drain, reset", SENT, DRAIN, RESET, GONE },
	{ "resume, error", FAILED, RESUME, ERROR, { ERR_TOLD } },
	{ "resume, reset", FAILED, RESUME, RESET, GONE },
	{ "error, reset", SENT, ERROR, RESET, GONE },

	/* the time-out of an answer */
	{ "time-out, ACK", SENT, TIME_OUT, ACK(3), { RTS, 4, 8, 4, RETRY } },
	{ "last time-out, ACK", LAST_TRY, TIME_OUT, ACK(0), { RTS, 1, 8, 1, RETRY } },
	{ "time-out, invalid NAK", SENT, TIME_OUT, INVALID(3), { ERR_NAK, 3 } },
	{ "last time-out, invalid NAK", LAST_TRY, TIME_OUT, INVALID(0), { ERR_NAK, 0 } },
	{ "time-out, access NAK", SENT, TIME_OUT, ACCESS(3), { SQE_NAK, 3 } },
	{ "last time-out, access NAK", LAST_TRY, TIME_OUT, ACCESS(0), { SQE_NAK, 0 } },
	{ "time-out, RNR", SENT, TIME_OUT, RNR(3), { RTS, 3, NOTHING, WAIT, 0, 1 } },
	{ "last time-out, RNR", LAST_TRY, TIME_OUT, RNR(0), { RTS, 0, NOTHING, WAIT, 0, 1 } },
	{ "time-out, sequence NAK", SENT, TIME_OUT, SEQUENCE(3), { RTS, 3, 3, 8, RETRY } },
	{ "last time-out, sequence NAK", LAST_TRY, TIME_OUT, SEQUENCE(0),
	  { RTS, 0, 0, 8, RETRY } },
	{ "time-out, drain", SENT, TIME_OUT, DRAIN, { SQD, 0, 0, 8, RETRY, 1 } },
	{ "last time-out, drain", LAST_TRY, TIME_OUT, DRAIN, { SQE_RETRY } },
	{ "time-out, resume", DRAINING, TIME_OUT, RESUME, { RTS, 0, 0, 8, RETRY, 1 } },
	{ "time-out, error", SENT, TIME_OUT, ERROR, { ERR_TOLD } },
	{ "last time-out, error", LAST_TRY, TIME_OUT, ERROR, { ERR_TOLD } },
	{ "time-out, reset", SENT, TIME_OUT, RESET, GONE },

	/* the end of waiting after an RNR */
	{ "end of waiting, ACK", WAITING, TIME_OUT, ACK(4), { RTS, 5, 5, 8, RETRY } },
	{ "end of waiting, invalid NAK", WAITING, TIME_OUT, INVALID(2),
	  { ERR_NAK, 2, .rnrs = 1 } },
	{ "end of waiting, access NAK", WAITING, TIME_OUT, ACCESS(2),
	  { SQE_NAK, 2, .rnrs = 1 } },
	{ "end of waiting, RNR again", WAITING, TIME_OUT, RNR(2), { RTS, 2, 2, 8, RETRY, 0, 1 } },
	{ "end of waiting, RNR of a later one", WAITING, TIME_OUT, RNR(4),
	  { RTS, 4, NOTHING, WAIT, 0, 1 } },
	{ "end of waiting, sequence NAK", WAITING, TIME_OUT, SEQUENCE(2),
	  { RTS, 2, 2, 8, RETRY, 0, 1 } },
	{ "end of waiting, drain", WAITING, TIME_OUT, DRAIN, { SQD, 2, 2, 6, RETRY, 0, 1 } },
	{ "end of waiting, resume", DRAINING_WAITING, TIME_OUT, RESUME,
	  { RTS, 2, 2, 8, RETRY, 0, 1 } },
	{ "end of waiting, error", WAITING, TIME_OUT, ERROR, { ERR_TOLD, 2, .rnrs = 1 } },
	{ "end of waiting, reset", WAITING, TIME_OUT, RESET, GONE },
};

#define PAIRS	(sizeof(pairs) / sizeof(pairs[0]))

static void prepare(enum setup setup)
{
	struct ocf_requester_settings set = sender_settings;

	if (setup == LAST_TRY || setup == FAILED)
		set.retry_limit = 0;
	sender_start(BASE, &set, 20);
	if (setup == DRAINING || setup == DRAINING_WAITING)
		ocf_requester_command(&s.r, OCF_COMMAND_DRAIN);
	if (setup == WAITING || setup == DRAINING_WAITING)
		sender_hear(OCF_NAK_RNR, AT(2), SHORT);
	sender_run(0);
	if (setup == FAILED)
		sender_run(s.next);
	sender_clear();
}

static void give(const struct event *e)
{
	if (e->what == COMMAND)
		ocf_requester_command(&s.r, e->kind);
	if (e->what == ANSWER)
		sender_hear(e->kind, AT(e->psn), e->timer);
}

static void judge(const struct pair *p, const char *order)
{
	const struct end *end = &p->end;
	bool gone = end->state == OCFABRIC_QP_RESET;

	CHECK(s.r.state == end->state && s.r.cause == end->cause,
	      "%s: state %u, cause %u", order, s.r.state, s.r.cause);
	CHECK(s.r.first == (gone ? 0 : AT(end->first)), "%s: first is %u", order,
	      ocf_psn_distance(BASE, s.r.first));
	CHECK(s.n == end->n && (!s.n || s.log[0].psn == AT(end->from)),
	      "%s: %u sent from %u on", order, s.n,
	      ocf_psn_distance(BASE, s.log[0].psn));
	CHECK(s.r.timer == end->timer, "%s: timer %u", order, s.r.timer);
	CHECK(s.r.retries == end->retries && s.r.rnr_retries == end->rnrs,
	      "%s: %u retries, %u RNRs", order, s.r.retries, s.r.rnr_retries);
}

static void in_one_run(const struct pair *p, const struct event *first,
		       const struct event *second, const char *order)
{
	prepare(p->setup);
	give(first);
	give(second);
	sender_run(s.now + 100);
	judge(p, order);
}

static void around_a_time_out(const struct pair *p)
{
	uint64_t due;

	prepare(p->setup);
	due = s.r.due;
	CHECK(s.next == due + 1);
	give(&p->b);
	sender_run(due);
	sender_run(due + 1);
	judge(p, "before the run of that instant");

	prepare(p->setup);
	sender_run(due);
	give(&p->b);
	sender_run(due);
	sender_run(due + 1);
	judge(p, "after the run of that instant");

	prepare(p->setup);
	give(&p->b);
	sender_run(due + 1);
	judge(p, "in one run");
}

/* tap_run() runs the tests in their order, each of them this one. */
static void next_pair(void)
{
	static size_t at;
	const struct pair *p = &pairs[at++];

	if (p->a.what == TIME) {
		around_a_time_out(p);
		return;
	}
	in_one_run(p, &p->a, &p->b, "this order");
	in_one_run(p, &p->b, &p->a, "the other order");
}

/* Of one packet, the longer wait. */
static void two_timers(void)
{
	for (unsigned int i = 0; i < 2; i++) {
		prepare(SENT);
		sender_hear(OCF_NAK_RNR, AT(2), i ? LONG : SHORT);
		sender_hear(OCF_NAK_RNR, AT(2), i ? SHORT : LONG);
		sender_run(100);
		CHECK(s.next == 100 + ocf_rnr_ns(LONG) + 1);
		prepare(SENT);
		sender_hear(OCF_NAK_RNR, AT(i ? 2 : 3), i ? LONG : SHORT);
		sender_hear(OCF_NAK_RNR, AT(i ? 3 : 2), i ? SHORT : LONG);
		sender_run(100);
		CHECK(s.next == 100 + ocf_rnr_ns(SHORT) + 1,
		      "that of the further one");
	}
}

int main(void)
{
	static struct tap_test tests[PAIRS + 1];
	size_t i;

	for (i = 0; i < PAIRS; i++)
		tests[i] = (struct tap_test){ pairs[i].name, next_pair };
	tests[PAIRS] = (struct tap_test){ "two RNRs of different timers", two_timers };
	return tap_run(tests, PAIRS + 1);
}
