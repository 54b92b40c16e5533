// SPDX-License-Identifier: GPL-2.0-or-later
#include "requester.h"

#include "psn.h"

/* Acknowledgements are asked for at least so many times a window. */
#define ASKS	4u

/* ---- settings ------------------------------------------------------------- */

uint64_t ocf_rnr_ns(unsigned int timer)
{
	/* units of 10 us */
	static const uint16_t table[OCF_TIMER_CODES] = {
		65535, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
		256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192,
		12288, 16384, 24576, 32768, 49152,
	};

	/* 0 stands for the longest, a unit more than 16 bits hold */
	return (table[timer % OCF_TIMER_CODES] + (timer == 0)) * 10000ull;
}

uint64_t ocf_requester_patience(const struct ocf_requester_settings *set,
				unsigned int retries)
{
	unsigned int exponent = set->timeout + retries;

	if (!set->timeout)
		return 0;
	if (exponent > set->timeout_max)
		exponent = set->timeout_max;
	if (exponent < set->timeout)
		exponent = set->timeout;
	return (uint64_t)OCF_TIMEOUT_UNIT << exponent;
}

static bool settings_valid(const struct ocf_requester_settings *set)
{
	return set->window && set->window <= OCFABRIC_QP_WINDOW_MAX &&
	       set->timeout < OCF_TIMER_CODES &&
	       set->timeout_max < OCF_TIMER_CODES &&
	       set->retry_limit <= OCF_RETRY_MAX &&
	       set->rnr_limit <= OCF_RETRY_MAX;
}

bool ocf_requester_set(struct ocf_requester *r,
		       const struct ocf_requester_settings *set)
{
	if (!settings_valid(set))
		return false;
	r->set = *set;
	return true;
}

/* ---- state ---------------------------------------------------------------- */

static bool sends(const struct ocf_requester *r)
{
	return r->state == OCFABRIC_QP_RTS || r->state == OCFABRIC_QP_SQD;
}

static void move(struct ocf_requester *r, enum ocfabric_qp_state state,
		 enum ocfabric_qp_cause cause)
{
	r->state = state;
	r->cause = cause;
	r->ops->moved(r->opaque, state, cause);
}

static void forget(struct ocf_requester *r)
{
	*r = (struct ocf_requester){
		.ops = r->ops, .opaque = r->opaque, .set = r->set,
		.counts = r->counts,
	};
}

/* What the cursor has not passed again was not sent, so nobody answers. */
static void go_back(struct ocf_requester *r)
{
	r->cursor = r->first;
	r->timer = OCF_TIMER_OFF;
}

static void no_retries(struct ocf_requester *r)
{
	r->retries = 0;
	r->rnr_retries = 0;
	r->heeded = false;
}

/* It keeps its place, for whoever wants to resume or to see what is open. */
static void stop(struct ocf_requester *r, enum ocfabric_qp_state state,
		 enum ocfabric_qp_cause cause)
{
	go_back(r);
	move(r, state, cause);
}

void ocf_requester_init(struct ocf_requester *r,
			const struct ocf_requester_ops *ops, void *opaque)
{
	*r = (struct ocf_requester){ .ops = ops, .opaque = opaque };
}

bool ocf_requester_start(struct ocf_requester *r,
			 const struct ocf_requester_settings *set, uint32_t psn,
			 bool alone)
{
	if (r->state != OCFABRIC_QP_RESET || !ocf_psn_valid(psn) ||
	    !ocf_requester_set(r, set))
		return false;
	forget(r);
	r->first = psn;
	r->cursor = psn;
	r->sent = psn;
	r->posted = psn;
	r->alone = alone;
	move(r, OCFABRIC_QP_RTS, OCFABRIC_QP_CAUSE_NONE);
	return true;
}

bool ocf_requester_post(struct ocf_requester *r, uint32_t n)
{
	uint32_t open = ocf_psn_distance(r->first, r->posted);

	if (!(sends(r) || r->state == OCFABRIC_QP_SQE) ||
	    n >= OCF_PSN_HALF - open)
		return false;
	r->posted = ocf_psn_add(r->posted, n);
	return true;
}

uint32_t ocf_requester_outstanding(const struct ocf_requester *r)
{
	return ocf_psn_distance(r->first, r->sent);
}

bool ocf_requester_drained(const struct ocf_requester *r)
{
	return r->state == OCFABRIC_QP_SQD && r->first == r->sent;
}

/* ---- taking note ---------------------------------------------------------- */

static bool well_formed(const struct ocf_answer *a)
{
	return a->kind < OCF_ANSWERS && ocf_psn_valid(a->psn) &&
	       (a->kind != OCF_NAK_RNR || a->timer < OCF_TIMER_CODES);
}

/* Whether a packet is sent and not acknowledged; counts it if not. */
static bool is_open(struct ocf_requester *r, uint32_t psn)
{
	if (ocf_psn_within(psn, r->first, ocf_requester_outstanding(r)))
		return true;
	if (ocf_psn_before(psn, r->first))
		r->counts.old++;
	else
		r->counts.ahead++;
	return false;
}

/*
 * Of two answers of a kind the furthest is the newest, since it says that all
 * before it arrived. What it says last of one packet: the longer wait.
 */
void ocf_requester_hear(struct ocf_requester *r, const struct ocf_answer *a)
{
	struct ocf_heard *heard = &r->heard;
	bool first, further;

	if (!well_formed(a)) {
		r->counts.malformed++;
		return;
	}
	if (!is_open(r, a->psn))
		return;
	first = !(heard->kinds & 1u << a->kind);
	further = first || ocf_psn_after(a->psn, heard->psn[a->kind]);
	if (a->kind == OCF_NAK_RNR &&
	    (further || (a->psn == heard->psn[a->kind] &&
			 ocf_rnr_ns(a->timer) > ocf_rnr_ns(heard->timer))))
		heard->timer = a->timer;
	if (further)
		heard->psn[a->kind] = a->psn;
	heard->kinds |= 1u << a->kind;
}

void ocf_requester_command(struct ocf_requester *r,
			   enum ocf_requester_command command)
{
	if (command > r->heard.command && command <= OCF_COMMAND_RESET)
		r->heard.command = command;
}

/* ---- what is handled ------------------------------------------------------ */

static void handle_command(struct ocf_requester *r, uint8_t command)
{
	switch (command) {
	case OCF_COMMAND_NONE:
		return;
	case OCF_COMMAND_RESET:
		forget(r);
		move(r, OCFABRIC_QP_RESET, OCFABRIC_QP_CAUSE_NONE);
		return;
	case OCF_COMMAND_ERROR:
		stop(r, OCFABRIC_QP_ERR, OCFABRIC_QP_CAUSE_NONE);
		return;
	case OCF_COMMAND_DRAIN:
		if (r->state != OCFABRIC_QP_RTS)
			break;
		move(r, OCFABRIC_QP_SQD, OCFABRIC_QP_CAUSE_NONE);
		return;
	case OCF_COMMAND_RESUME:
		if (r->state == OCFABRIC_QP_SQE)
			no_retries(r);
		else if (r->state != OCFABRIC_QP_SQD)
			break;
		move(r, OCFABRIC_QP_RTS, OCFABRIC_QP_CAUSE_NONE);
		return;
	}
	r->counts.refused++;
}

static void start_timer(struct ocf_requester *r, enum ocf_requester_timer timer,
			uint64_t now, uint64_t ns)
{
	r->timer = ns ? timer : OCF_TIMER_OFF;
	r->due = ns < OCF_NEVER - now ? now + ns : OCF_NEVER;
}

static void wait_for_answer(struct ocf_requester *r, uint64_t now)
{
	start_timer(r, OCF_TIMER_RETRY, now,
		    ocf_requester_patience(&r->set, r->retries));
}

/* All before psn are acknowledged; it is one that is_open(), or r->sent. */
static void progress(struct ocf_requester *r, uint32_t psn, uint64_t now)
{
	uint32_t first = r->first;
	uint32_t n = ocf_psn_distance(first, psn);

	if (!n)
		return;
	if (ocf_psn_distance(first, r->cursor) < n)
		r->cursor = psn;
	r->first = psn;
	no_retries(r);
	r->alone = false;
	if (r->cursor == r->first)
		r->timer = OCF_TIMER_OFF;
	else
		wait_for_answer(r, now);
	r->counts.acked += n;
	r->ops->acked(r->opaque, first, n);
}

/*
 * The receiver has no room for the first packet. It says so of every copy that
 * arrives, so whoever waits already does not start again.
 */
static void handle_rnr(struct ocf_requester *r, uint8_t timer, uint64_t now)
{
	if (r->timer == OCF_TIMER_RNR) {
		r->counts.repeated++;
		return;
	}
	if (r->set.rnr_limit != OCF_RNR_ENDLESS &&
	    r->rnr_retries >= r->set.rnr_limit) {
		stop(r, OCFABRIC_QP_SQE, OCFABRIC_QP_CAUSE_RNR);
		return;
	}
	if (r->rnr_retries < UINT8_MAX)
		r->rnr_retries++;
	r->counts.rnrs++;
	go_back(r);
	start_timer(r, OCF_TIMER_RNR, now, ocf_rnr_ns(timer));
}

/*
 * A receiver says it once of a gap, so a second one is a copy that came late, and
 * going back again would only add to the traffic. If what was sent again is lost
 * too, that is for the timer.
 */
static void handle_sequence(struct ocf_requester *r)
{
	if (r->heeded || r->timer == OCF_TIMER_RNR) {
		r->counts.repeated++;
		return;
	}
	r->heeded = true;
	r->counts.naks++;
	go_back(r);
}

static void handle_answer(struct ocf_requester *r, const struct ocf_heard *heard,
			  unsigned int kind, uint64_t now)
{
	uint32_t psn = heard->psn[kind];

	if (!sends(r)) {
		r->counts.stray++;
		return;
	}
	/* others of this instant may have acknowledged it */
	if (!is_open(r, psn))
		return;
	progress(r, kind == OCF_ACK ? ocf_psn_add(psn, 1) : psn, now);
	switch (kind) {
	case OCF_NAK_INVALID:
		stop(r, OCFABRIC_QP_ERR, OCFABRIC_QP_CAUSE_NAK);
		break;
	case OCF_NAK_ACCESS:
		stop(r, OCFABRIC_QP_SQE, OCFABRIC_QP_CAUSE_NAK);
		break;
	case OCF_NAK_RNR:
		handle_rnr(r, heard->timer, now);
		break;
	case OCF_NAK_SEQUENCE:
		handle_sequence(r);
		break;
	}
}

static void handle_time(struct ocf_requester *r, uint64_t now)
{
	if (r->timer == OCF_TIMER_OFF || now <= r->due)
		return;
	if (r->timer == OCF_TIMER_RNR) {
		r->timer = OCF_TIMER_OFF;
		return;
	}
	r->counts.timeouts++;
	if (r->retries >= r->set.retry_limit) {
		stop(r, OCFABRIC_QP_SQE, OCFABRIC_QP_CAUSE_RETRY);
		return;
	}
	r->retries++;
	go_back(r);
}

/* ---- sending -------------------------------------------------------------- */

/* How far from the first on the cursor may come. */
static uint32_t reach(const struct ocf_requester *r)
{
	uint32_t end = r->state == OCFABRIC_QP_SQD ? r->sent : r->posted;
	uint32_t ready = ocf_psn_distance(r->first, end);
	uint32_t window = r->alone ? 1 : r->set.window;

	return ready < window ? ready : window;
}

/* The last one that may be sent now has to ask: nobody else would. */
static unsigned int flags_of(const struct ocf_requester *r, bool last)
{
	uint32_t every = r->set.window / ASKS;
	unsigned int flags = 0;

	if (r->cursor != r->sent)
		flags |= OCF_SEND_AGAIN;
	if (last || !every || r->cursor % every == 0)
		flags |= OCF_SEND_ACK;
	return flags;
}

static void send(struct ocf_requester *r, uint64_t now)
{
	uint32_t end = reach(r);
	uint32_t at = ocf_psn_distance(r->first, r->cursor);

	for (; at < end; at++) {
		unsigned int flags = flags_of(r, at + 1 == end);

		if (!r->ops->send(r->opaque, r->cursor, flags))
			return;
		r->cursor = ocf_psn_add(r->cursor, 1);
		if (flags & OCF_SEND_AGAIN) {
			r->counts.resent++;
		} else {
			r->counts.sent++;
			r->sent = r->cursor;
		}
		if (r->timer == OCF_TIMER_OFF)
			wait_for_answer(r, now);
	}
}

uint64_t ocf_requester_run(struct ocf_requester *r, uint64_t now)
{
	struct ocf_heard heard = r->heard;
	unsigned int kind;

	r->heard = (struct ocf_heard){ 0 };
	handle_command(r, heard.command);
	for (kind = 0; kind < OCF_ANSWERS; kind++) {
		if (heard.kinds & 1u << kind)
			handle_answer(r, &heard, kind, now);
	}
	handle_time(r, now);
	if (sends(r) && r->timer != OCF_TIMER_RNR)
		send(r, now);
	return r->timer == OCF_TIMER_OFF || r->due == OCF_NEVER ?
		       OCF_NEVER : r->due + 1;
}

/* ---- what was loaded ------------------------------------------------------ */

static bool numbers_valid(const struct ocf_requester *r)
{
	uint32_t cursor = ocf_psn_distance(r->first, r->cursor);
	uint32_t sent = ocf_requester_outstanding(r);
	uint32_t posted = ocf_psn_distance(r->first, r->posted);

	return ocf_psn_valid(r->first) && ocf_psn_valid(r->cursor) &&
	       ocf_psn_valid(r->sent) && ocf_psn_valid(r->posted) &&
	       cursor <= sent && sent <= posted && posted < OCF_PSN_HALF &&
	       sent <= OCFABRIC_QP_WINDOW_MAX;
}

/* A timer waits for the answer to something, or to send it again. */
static bool timer_valid(const struct ocf_requester *r)
{
	switch (r->timer) {
	case OCF_TIMER_OFF:
		return true;
	case OCF_TIMER_RETRY:
		return sends(r) && r->cursor != r->first;
	case OCF_TIMER_RNR:
		return sends(r) && r->cursor == r->first && r->first != r->sent;
	default:
		return false;
	}
}

static bool state_valid(const struct ocf_requester *r)
{
	switch (r->state) {
	case OCFABRIC_QP_RESET:
	case OCFABRIC_QP_ERR:
		/* by a command also one that was never started */
		return true;
	case OCFABRIC_QP_RTS:
	case OCFABRIC_QP_SQD:
	case OCFABRIC_QP_SQE:
		return settings_valid(&r->set);
	default:
		return false;
	}
}

static bool heard_valid(const struct ocf_heard *heard)
{
	unsigned int kind;

	for (kind = 0; kind < OCF_ANSWERS; kind++) {
		if (!ocf_psn_valid(heard->psn[kind]))
			return false;
	}
	return heard->command <= OCF_COMMAND_RESET &&
	       heard->kinds < 1u << OCF_ANSWERS &&
	       heard->timer < OCF_TIMER_CODES;
}

bool ocf_requester_valid(const struct ocf_requester *r)
{
	return state_valid(r) && numbers_valid(r) && timer_valid(r) &&
	       heard_valid(&r->heard) && r->cause <= OCFABRIC_QP_CAUSE_NAK;
}
