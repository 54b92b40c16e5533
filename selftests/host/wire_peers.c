// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each end of a connection that leaves the card, alone: with a wire that carries
 * nothing, where it has to give up after just the retries, at just the times; and
 * with a peer that says anything at all, where it must take nothing for acknowledged
 * that was not sent, and deliver nothing but what comes next.
 */
#include <string.h>

#include "psn.h"
#include "requester.h"
#include "responder.h"
#include "tap.h"

static uint64_t rng;

static uint64_t rnd(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

/* ---- a wire that carries nothing --------------------------------------------- */

static struct {
	struct ocf_requester r;
	uint64_t now;
	unsigned int sent, turns;
	uint64_t at[16];	/* when each turn began */
	enum ocfabric_qp_cause cause;
	uint64_t end;
} dead;

static bool send_to_nobody(void *opaque, uint32_t psn, unsigned int flags)
{
	(void)opaque;
	CHECK(!(flags & OCF_SEND_AGAIN) == !dead.turns || dead.sent < 3);
	if (psn == dead.r.first && dead.turns < 16)
		dead.at[dead.turns++] = dead.now;
	dead.sent++;
	return true;
}

static void nothing_acked(void *opaque, uint32_t first, uint32_t n)
{
	(void)opaque;
	CHECK(false, "%u acknowledged from %#x on", n, first);
}

static void gave_up(void *opaque, enum ocfabric_qp_state state,
		    enum ocfabric_qp_cause cause)
{
	(void)opaque;
	if (state != OCFABRIC_QP_SQE)
		return;
	dead.cause = cause;
	dead.end = dead.now;
}

/* As long as the time-out says, doubled up to the cap; a ns more is past it. */
static void judge_turns(const struct ocf_requester_settings *set)
{
	uint64_t cap = (uint64_t)OCF_TIMEOUT_UNIT << set->timeout_max;
	uint64_t wait = (uint64_t)OCF_TIMEOUT_UNIT << set->timeout;
	uint64_t at = 1000;

	CHECK(dead.turns == set->retry_limit + 1u, "%u turns", dead.turns);
	for (unsigned int i = 0; i < dead.turns; i++) {
		CHECK(dead.at[i] == at, "turn %u at %llu, not %llu", i,
		      (unsigned long long)dead.at[i], (unsigned long long)at);
		at += wait + 1;
		if (2 * wait <= cap)
			wait *= 2;
	}
	CHECK(dead.end == at, "it ended at %llu, not %llu",
	      (unsigned long long)dead.end, (unsigned long long)at);
}

static void nobody_there(const struct ocf_requester_settings *set)
{
	static const struct ocf_requester_ops ops = {
		.send = send_to_nobody, .acked = nothing_acked, .moved = gave_up,
	};

	memset(&dead, 0, sizeof(dead));
	ocf_requester_init(&dead.r, &ops, NULL);
	CHECK(ocf_requester_start(&dead.r, set, 0xffffff, false));
	CHECK(ocf_requester_post(&dead.r, 3));
	for (dead.now = 1000; dead.now != OCF_NEVER && dead.turns < 16;)
		dead.now = ocf_requester_run(&dead.r, dead.now);
	CHECK(dead.r.state == OCFABRIC_QP_SQE);
	CHECK(dead.cause == OCFABRIC_QP_CAUSE_RETRY);
	CHECK(dead.sent == 3u * (set->retry_limit + 1u));
	CHECK(dead.r.first == 0xffffff && dead.r.posted == 2, "it keeps its place");
	judge_turns(set);
}

static void dead_wire(void)
{
	struct ocf_requester_settings set = { .window = 16, .rnr_limit = 7 };

	for (unsigned int retries = 0; retries <= OCF_RETRY_MAX; retries++) {
		for (unsigned int timeout = 1; timeout < 32; timeout += 5) {
			for (unsigned int cap = 0; cap < 32; cap += 3) {
				set.retry_limit = retries;
				set.timeout = timeout;
				set.timeout_max = cap;
				nobody_there(&set);
			}
		}
	}
}

/* ---- hostile peers ----------------------------------------------------------- */

#define HOSTILE	400000u

static struct {
	struct ocf_requester r;
	uint64_t sent, acked;	/* packets, not wrapping */
	uint32_t start;
	bool full;
} h;

static bool hostile_send(void *opaque, uint32_t psn, unsigned int flags)
{
	(void)opaque;
	if (h.full)
		return false;
	if (!(flags & OCF_SEND_AGAIN)) {
		CHECK(psn == ocf_psn_add(h.start, (uint32_t)h.sent));
		h.sent++;
	}
	CHECK(ocf_psn_within(psn, h.r.first, h.r.set.window));
	return true;
}

static void hostile_acked(void *opaque, uint32_t first, uint32_t n)
{
	(void)opaque;
	CHECK(n && first == ocf_psn_add(h.start, (uint32_t)h.acked));
	h.acked += n;
	CHECK(h.acked <= h.sent, "acknowledged past what was sent");
}

static void hostile_moved(void *opaque, enum ocfabric_qp_state state,
			  enum ocfabric_qp_cause cause)
{
	(void)opaque;
	(void)state;
	CHECK(cause <= OCFABRIC_QP_CAUSE_NAK);
}

static void hostile_start(void)
{
	struct ocf_requester_settings set = {
		.window = (uint16_t)(1 + rnd() % 300), .timeout = rnd() % 8,
		.timeout_max = rnd() % 12, .retry_limit = rnd() % 8,
		.rnr_limit = rnd() % 8,
	};

	h.start = rnd() & OCF_PSN_MASK;
	h.sent = 0;
	h.acked = 0;
	CHECK(ocf_requester_start(&h.r, &set, h.start, rnd() & 1));
}

/* Any number, or one near the window: else few would be looked at closely. */
static void hostile_answer(void)
{
	struct ocf_answer a = {
		.kind = rnd() % (OCF_ANSWERS + 1),
		.timer = rnd() % 40,
		.psn = (uint32_t)rnd() & (rnd() % 8 ? OCF_PSN_MASK : UINT32_MAX),
	};

	if (rnd() % 4)
		a.psn = ocf_psn_add(h.r.first, (uint32_t)(rnd() % 400) - 40);
	/* the fatal ones rarely, for it to live */
	if ((a.kind == OCF_NAK_INVALID || a.kind == OCF_NAK_ACCESS) && rnd() % 64)
		a.kind = OCF_ACK;
	ocf_requester_hear(&h.r, &a);
}

static void hostile_receiver(void)
{
	static const struct ocf_requester_ops ops = {
		.send = hostile_send, .acked = hostile_acked,
		.moved = hostile_moved,
	};
	uint64_t now = 0, all = 0, turns = 0;

	memset(&h, 0, sizeof(h));
	rng = 4711;
	ocf_requester_init(&h.r, &ops, NULL);
	hostile_start();
	for (unsigned int i = 0; i < HOSTILE && !tap_failures; i++) {
		for (uint64_t n = rnd() % 4; n; n--)
			hostile_answer();
		if (rnd() % 64 == 0)
			ocf_requester_command(&h.r, rnd() % 6);
		ocf_requester_post(&h.r, rnd() % 40);
		h.full = rnd() % 8 == 0;
		now += rnd() % (rnd() % 16 ? 1000 : 1000000);
		ocf_requester_run(&h.r, now);
		CHECK(ocf_requester_valid(&h.r));
		if (h.r.state == OCFABRIC_QP_ERR)
			ocf_requester_command(&h.r, OCF_COMMAND_RESET);
		if (h.r.state == OCFABRIC_QP_RESET) {
			all += h.acked;
			turns++;
			hostile_start();
		}
	}
	printf("# %llu acknowledged in %llu lives, %llu old, %llu ahead, %llu repeated\n",
	       (unsigned long long)all, (unsigned long long)turns,
	       (unsigned long long)h.r.counts.old,
	       (unsigned long long)h.r.counts.ahead,
	       (unsigned long long)h.r.counts.repeated);
	CHECK(all > HOSTILE / 8 && h.r.counts.ahead && h.r.counts.old &&
	      h.r.counts.malformed, "they were not hostile in the right way");
}

static struct {
	struct ocf_responder r;
	struct ocf_slot slot[OCF_DEPTH_MAX];
	uint32_t next;		/* number that has to be delivered */
	uint64_t delivered;
	uint64_t dropped;
} e;

static enum ocf_taken hostile_deliver(void *opaque, uint32_t psn, uint64_t cookie)
{
	unsigned int x = rnd() % 256;

	(void)opaque;
	CHECK(psn == e.next && cookie == psn, "%#x, not %#x", psn, e.next);
	if (x < 8)
		return OCF_TAKEN_NO_ROOM;
	if (x == 8)
		return OCF_TAKEN_ACCESS;
	if (x == 9)
		return OCF_TAKEN_INVALID;
	e.next = ocf_psn_add(e.next, 1);
	e.delivered++;
	return OCF_TAKEN;
}

static void hostile_drop(void *opaque, uint32_t psn, uint64_t cookie)
{
	(void)opaque;
	CHECK(cookie == psn);
	e.dropped++;
}

static void hostile_answered(void *opaque, const struct ocf_answer *a)
{
	(void)opaque;
	CHECK(a->psn == (a->kind == OCF_ACK ? ocf_psn_sub(e.next, 1) : e.next));
}

static void set_up_again(void)
{
	static const struct ocf_responder_ops ops = {
		.deliver = hostile_deliver, .drop = hostile_drop,
		.answer = hostile_answered,
	};
	struct ocf_responder_settings set = {
		.depth = rnd() % 4 ? 1u << rnd() % 8 : 0,
		.nak_limit = rnd() % 4, .hold = rnd() % 10000,
		.rnr_timer = rnd() % 32,
	};

	e.next = rnd() & OCF_PSN_MASK;
	CHECK(ocf_responder_init(&e.r, &ops, NULL, &set, e.slot));
	CHECK(ocf_responder_expect(&e.r, e.next));
}

static void hostile_sender(void)
{
	uint64_t now = 0, held = 0;

	memset(&e, 0, sizeof(e));
	rng = 815;
	set_up_again();
	for (unsigned int i = 0; i < HOSTILE && !tap_failures; i++) {
		uint32_t psn = (uint32_t)rnd() & (rnd() % 8 ? OCF_PSN_MASK : UINT32_MAX);

		if (rnd() % 8)
			psn = ocf_psn_add(e.next, (uint32_t)(rnd() % 150) - 10);
		if (rnd() % 3 == 0)
			psn = e.next;
		now += rnd() % 3000;
		held += ocf_responder_arrive(&e.r, psn, psn, rnd() & 1, now) ==
			OCF_ARRIVAL_HELD;
		if (rnd() % 4 == 0)
			ocf_responder_run(&e.r, now);
		CHECK(e.r.held <= e.r.set.depth && e.r.expected == e.next);
		CHECK(ocf_responder_valid(&e.r));
		if (!e.r.on || rnd() % 4096 == 0)
			set_up_again();
	}
	printf("# %llu delivered, %llu held, %llu of them dropped\n",
	       (unsigned long long)e.delivered, (unsigned long long)held,
	       (unsigned long long)e.dropped);
	CHECK(e.delivered > HOSTILE / 4 && held > HOSTILE / 100);
}

static const struct tap_test tests[] = {
	{ "a dead wire ends in SQE, in its time", dead_wire },
	{ "a receiver that says anything", hostile_receiver },
	{ "a sender that sends anything", hostile_sender },
};

TAP_MAIN(tests)
