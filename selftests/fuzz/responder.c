// SPDX-License-Identifier: GPL-2.0-only
/*
 * The receiving end of a connection, sent anything at any time: it delivers nothing
 * but what comes next, gives back each packet that it held just once, and answers
 * with no number but those.
 */
#include "fuzz.h"
#include "psn.h"
#include "responder.h"

static struct {
	struct ocf_responder r;
	struct ocf_slot slot[OCF_DEPTH_MAX];
	uint8_t verdicts[256];	/* of deliver(), in turn */
	uint8_t turn;
	uint32_t next;
	uint64_t held;		/* packets out there */
	bool known;		/* next is */
	bool inside;		/* arrive(): its own packet is not held */
	uint32_t arriving;
} s;

static enum ocf_taken deliver(void *opaque, uint32_t psn, uint64_t cookie)
{
	uint8_t verdict = s.verdicts[s.turn++];

	(void)opaque;
	if (!s.known)
		s.next = psn;
	s.known = true;
	MUST(psn == s.next && cookie == psn);
	if (!(s.inside && psn == s.arriving)) {
		MUST(s.held);
		if (verdict >= 16)
			s.held--;
	}
	/* refused ones that were held come back by drop() or are gone */
	if (verdict < 8)
		return OCF_TAKEN_NO_ROOM;
	if (verdict < 12)
		return OCF_TAKEN_ACCESS;
	if (verdict < 16)
		return OCF_TAKEN_INVALID;
	s.next = ocf_psn_add(s.next, 1);
	return OCF_TAKEN;
}

static void drop(void *opaque, uint32_t psn, uint64_t cookie)
{
	(void)opaque;
	MUST(cookie == psn && ocf_psn_valid(psn));
}

static void answer(void *opaque, const struct ocf_answer *a)
{
	(void)opaque;
	MUST(a->kind < OCF_ANSWERS && ocf_psn_valid(a->psn));
	if (s.known)
		MUST(a->psn == (a->kind == OCF_ACK ? ocf_psn_sub(s.next, 1) : s.next));
}

static void set_up(struct bytes *b)
{
	static const struct ocf_responder_ops ops = {
		.deliver = deliver, .drop = drop, .answer = answer,
	};
	struct ocf_responder_settings set = {
		.depth = take8(b) & 3 ? 1u << (take8(b) & 7) : take32(b),
		.nak_limit = take8(b), .hold = take32(b), .rnr_timer = take8(b) & 63,
	};
	uint8_t how = take8(b);

	if (!ocf_responder_init(&s.r, &ops, NULL, &set, s.slot))
		return;
	MUST(set.depth <= OCF_DEPTH_MAX && !(set.depth & (set.depth - 1)));
	s.known = false;
	s.held = 0;
	if (how & 1) {
		s.next = take32(b) & OCF_PSN_MASK;
		s.known = ocf_responder_expect(&s.r, s.next);
		MUST(s.known);
	}
}

static void arrive(struct bytes *b, uint64_t now)
{
	uint32_t psn = take8(b) & 7 ? ocf_psn_add(s.r.expected, (uint32_t)take8(b) - 8) :
				      take32(b);
	enum ocf_arrival got;

	s.inside = true;
	s.arriving = psn;
	got = ocf_responder_arrive(&s.r, psn, psn, take8(b) & 1, now);
	s.inside = false;
	s.held += got == OCF_ARRIVAL_HELD;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = { data, size };
	uint64_t now = 0, next;

	memset(&s, 0, sizeof(s));
	take(&b, s.verdicts, 16);
	memset(s.verdicts + 16, 255, sizeof(s.verdicts) - 16);
	set_up(&b);
	while (b.left && s.r.ops) {
		uint8_t what = take8(&b);

		now += what >> 4 == 15 ? take32(&b) : what >> 4;
		if (!(what & 15)) {
			set_up(&b);
		} else if ((what & 15) == 1) {
			ocf_responder_stop(&s.r);
			MUST(!s.r.held);
			s.held = 0;
			s.known = false;
		} else if ((what & 15) < 4) {
			next = ocf_responder_run(&s.r, now);
			MUST(next >= now);
		} else {
			arrive(&b, now);
		}
		MUST(ocf_responder_valid(&s.r));
		MUST(s.r.held <= s.r.set.depth);
		MUST(!s.known || !s.r.on || s.r.fresh || s.r.expected == s.next);
	}
	return 0;
}
