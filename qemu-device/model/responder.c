// SPDX-License-Identifier: GPL-2.0-or-later
#include "responder.h"

#include "psn.h"

/* ---- slots ---------------------------------------------------------------- */

static struct ocf_slot *slot_of(const struct ocf_responder *r, uint32_t psn)
{
	return &r->slot[psn & (r->set.depth - 1)];
}

/* Those that can be held are the depth ones after the expected. */
static void drop_held(struct ocf_responder *r)
{
	uint32_t i;

	for (i = 1; r->held && i <= r->set.depth; i++) {
		uint32_t psn = ocf_psn_add(r->expected, i);
		struct ocf_slot *slot = slot_of(r, psn);

		if (!slot->used)
			continue;
		slot->used = false;
		r->held--;
		r->ops->drop(r->opaque, psn, slot->cookie);
	}
	r->held = 0;
}

/* ---- setting up ----------------------------------------------------------- */

static bool settings_valid(const struct ocf_responder_settings *set)
{
	return set->depth <= OCF_DEPTH_MAX &&
	       !(set->depth & (set->depth - 1)) &&
	       set->rnr_timer < OCF_TIMER_CODES;
}

bool ocf_responder_init(struct ocf_responder *r,
			const struct ocf_responder_ops *ops, void *opaque,
			const struct ocf_responder_settings *set,
			struct ocf_slot *slot)
{
	uint32_t i;

	if (!settings_valid(set) || (set->depth && !slot))
		return false;
	*r = (struct ocf_responder){
		.ops = ops, .opaque = opaque, .slot = slot, .set = *set,
		.on = true, .fresh = true,
	};
	for (i = 0; i < set->depth; i++)
		slot[i] = (struct ocf_slot){ 0 };
	return true;
}

static void no_gap(struct ocf_responder *r)
{
	r->gap = false;
	r->answered = false;
}

static void start_over(struct ocf_responder *r, uint32_t psn)
{
	drop_held(r);
	no_gap(r);
	r->expected = psn;
	r->fresh = false;
}

bool ocf_responder_expect(struct ocf_responder *r, uint32_t psn)
{
	if (!ocf_psn_valid(psn))
		return false;
	start_over(r, psn);
	r->on = true;
	return true;
}

void ocf_responder_stop(struct ocf_responder *r)
{
	start_over(r, r->expected);
	r->on = false;
}

/* ---- answers -------------------------------------------------------------- */

static void answer(struct ocf_responder *r, enum ocf_answer_kind kind,
		   uint32_t psn)
{
	struct ocf_answer a = { .kind = kind, .psn = psn };

	if (kind == OCF_NAK_RNR)
		a.timer = r->set.rnr_timer;
	r->ops->answer(r->opaque, &a);
}

static void acknowledge(struct ocf_responder *r)
{
	r->counts.acks++;
	answer(r, OCF_ACK, ocf_psn_sub(r->expected, 1));
}

/* What is kept back is not made up for: the sender's timer does that. */
static bool may_nak(struct ocf_responder *r, uint64_t now)
{
	if (!r->set.nak_limit)
		return true;
	if (now - r->period >= OCF_NAK_PERIOD) {
		r->period = now;
		r->naks = 0;
	}
	if (r->naks >= r->set.nak_limit) {
		r->counts.silenced++;
		return false;
	}
	r->naks++;
	return true;
}

/* A gap whose NAK was sent or kept back is for the sender's timer to fill. */
static void nak_gap(struct ocf_responder *r, uint64_t now)
{
	r->answered = true;
	if (!may_nak(r, now))
		return;
	r->counts.naks++;
	answer(r, OCF_NAK_SEQUENCE, r->expected);
}

/* The expected packet came and was not taken: what follows it is no gap. */
static void refuse(struct ocf_responder *r, enum ocf_taken why, uint64_t now)
{
	r->answered = true;
	r->counts.refused++;
	switch (why) {
	case OCF_TAKEN:
		break;
	case OCF_TAKEN_NO_ROOM:
		if (!may_nak(r, now))
			break;
		r->counts.rnrs++;
		answer(r, OCF_NAK_RNR, r->expected);
		break;
	case OCF_TAKEN_ACCESS:
		answer(r, OCF_NAK_ACCESS, r->expected);
		break;
	case OCF_TAKEN_INVALID:
		answer(r, OCF_NAK_INVALID, r->expected);
		ocf_responder_stop(r);
		break;
	}
}

/* ---- packets -------------------------------------------------------------- */

static enum ocf_taken deliver(struct ocf_responder *r, uint64_t cookie)
{
	enum ocf_taken taken = r->ops->deliver(r->opaque, r->expected, cookie);

	if (taken == OCF_TAKEN) {
		r->expected = ocf_psn_add(r->expected, 1);
		r->counts.delivered++;
		no_gap(r);
	}
	return taken;
}

/* What was held and has nothing missing before it any more. */
static enum ocf_taken deliver_held(struct ocf_responder *r)
{
	enum ocf_taken taken = OCF_TAKEN;

	while (r->held && taken == OCF_TAKEN) {
		struct ocf_slot *slot = slot_of(r, r->expected);
		uint32_t psn = r->expected;

		if (!slot->used)
			break;
		slot->used = false;
		r->held--;
		taken = deliver(r, slot->cookie);
		if (taken != OCF_TAKEN)
			r->ops->drop(r->opaque, psn, slot->cookie);
	}
	return taken;
}

static void open_gap(struct ocf_responder *r, uint64_t now)
{
	if (r->gap || r->answered)
		return;
	r->gap = true;
	r->counts.gaps++;
	r->due = r->set.hold < OCF_NEVER - now ? now + r->set.hold : OCF_NEVER;
}

static enum ocf_arrival next_one(struct ocf_responder *r, uint64_t cookie,
				 bool ask, uint64_t now)
{
	enum ocf_taken taken = deliver(r, cookie);
	uint32_t held;

	if (taken != OCF_TAKEN) {
		refuse(r, taken, now);
		return OCF_ARRIVAL_REFUSED;
	}
	held = r->held;
	taken = deliver_held(r);
	/* the sender is about to send again what was held: it is told at once */
	if (ask || held != r->held)
		acknowledge(r);
	if (taken != OCF_TAKEN)
		refuse(r, taken, now);
	else if (r->held)
		open_gap(r, now);
	return OCF_ARRIVAL_DELIVERED;
}

static enum ocf_arrival early(struct ocf_responder *r, uint32_t psn,
			      uint64_t cookie, uint64_t now)
{
	struct ocf_slot *slot;

	open_gap(r, now);
	if (ocf_psn_distance(r->expected, psn) > r->set.depth) {
		r->counts.early++;
		if (!r->answered)
			nak_gap(r, now);
		return OCF_ARRIVAL_EARLY;
	}
	slot = slot_of(r, psn);
	if (slot->used) {
		r->counts.again++;
		return OCF_ARRIVAL_DUPLICATE;
	}
	*slot = (struct ocf_slot){ .cookie = cookie, .used = true };
	r->held++;
	r->counts.held++;
	return OCF_ARRIVAL_HELD;
}

enum ocf_arrival ocf_responder_arrive(struct ocf_responder *r, uint32_t psn,
				      uint64_t cookie, bool ask, uint64_t now)
{
	if (!r->on) {
		r->counts.off++;
		return OCF_ARRIVAL_OFF;
	}
	if (!ocf_psn_valid(psn)) {
		r->counts.malformed++;
		return OCF_ARRIVAL_EARLY;
	}
	if (r->fresh) {
		r->fresh = false;
		r->expected = psn;
	}
	if (psn == r->expected)
		return next_one(r, cookie, ask, now);
	if (ocf_psn_after(psn, r->expected))
		return early(r, psn, cookie, now);
	r->counts.duplicates++;
	acknowledge(r);
	return OCF_ARRIVAL_DUPLICATE;
}

uint64_t ocf_responder_run(struct ocf_responder *r, uint64_t now)
{
	if (!r->gap || r->answered || r->due == OCF_NEVER)
		return OCF_NEVER;
	if (now <= r->due)
		return r->due + 1;
	nak_gap(r, now);
	return OCF_NEVER;
}

/* ---- what was loaded ------------------------------------------------------ */

bool ocf_responder_valid(const struct ocf_responder *r)
{
	uint32_t i, used = 0;

	if (!settings_valid(&r->set) || !ocf_psn_valid(r->expected) ||
	    (r->set.depth && !r->slot))
		return false;
	for (i = 0; i < r->set.depth; i++)
		used += r->slot[i].used;
	return used == r->held && (!used || (r->on && !r->fresh));
}
