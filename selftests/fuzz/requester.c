// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sending end of a connection, told anything at any time: it takes nothing for
 * acknowledged that was not sent, tells of each packet once and in order, keeps to
 * its window, and never asks to be run again in the past.
 */
#include "fuzz.h"
#include "psn.h"
#include "requester.h"

static struct {
	struct ocf_requester r;
	uint64_t sent, acked;	/* not wrapping */
	uint32_t start;
	bool full;
} s;

static bool send_packet(void *opaque, uint32_t psn, unsigned int flags)
{
	(void)opaque;
	if (s.full)
		return false;
	MUST(ocf_psn_valid(psn));
	MUST(ocf_psn_within(psn, s.r.first, s.r.set.window));
	if (!(flags & OCF_SEND_AGAIN))
		MUST(psn == ocf_psn_add(s.start, (uint32_t)s.sent++));
	return true;
}

static void acked(void *opaque, uint32_t first, uint32_t n)
{
	(void)opaque;
	MUST(n && first == ocf_psn_add(s.start, (uint32_t)s.acked));
	s.acked += n;
	MUST(s.acked <= s.sent);
}

static void moved(void *opaque, enum ocfabric_qp_state state,
		  enum ocfabric_qp_cause cause)
{
	(void)opaque;
	MUST(state <= OCFABRIC_QP_ERR && cause <= OCFABRIC_QP_CAUSE_NAK);
}

static void settings(struct bytes *b, struct ocf_requester_settings *set)
{
	set->window = take16(b);
	set->timeout = take8(b) & 63;
	set->timeout_max = take8(b) & 63;
	set->retry_limit = take8(b) & 15;
	set->rnr_limit = take8(b) & 15;
}

static void start(struct bytes *b)
{
	struct ocf_requester_settings set;
	uint32_t psn = take32(b) & (take8(b) & 7 ? OCF_PSN_MASK : UINT32_MAX);

	settings(b, &set);
	if (!ocf_requester_start(&s.r, &set, psn, take8(b) & 1))
		return;
	MUST(ocf_psn_valid(psn) && set.window &&
	     set.window <= OCFABRIC_QP_WINDOW_MAX && set.timeout < 32 &&
	     set.timeout_max < 32 && set.retry_limit <= OCF_RETRY_MAX &&
	     set.rnr_limit <= OCF_RETRY_MAX);
	s.start = psn;
	s.sent = s.acked = 0;
}

static void hear(struct bytes *b)
{
	struct ocf_answer a = {
		.kind = take8(b) % (OCF_ANSWERS + 1), .timer = take8(b) & 63,
	};

	a.psn = take8(b) & 7 ? ocf_psn_add(s.r.first, (uint32_t)take8(b) - 16) :
			       take32(b);
	ocf_requester_hear(&s.r, &a);
}

static void step(struct bytes *b, uint64_t *now)
{
	struct ocf_requester_settings set;
	uint64_t next;

	switch (take8(b) & 15) {
	case 0:
		start(b);
		break;
	case 1:
		ocf_requester_command(&s.r, take8(b) % 6);
		break;
	case 2:
		settings(b, &set);
		/* a window that shrinks under packets leaves those */
		if (set.window >= s.r.set.window)
			ocf_requester_set(&s.r, &set);
		break;
	case 3:
		s.full = take8(b) & 1;
		break;
	case 4:
	case 5:
		ocf_requester_post(&s.r, take8(b) & 1 ? take8(b) : take32(b));
		break;
	case 6:
	case 7:
		*now += take8(b) & 7 ? take16(b) : take32(b);
		break;
	case 8:
		next = ocf_requester_run(&s.r, *now);
		MUST(next == OCF_NEVER || next >= *now);
		if (next != OCF_NEVER && next - *now < 1ull << 60)
			*now = next + (take8(b) & 1);
		break;
	default:
		hear(b);
		break;
	}
	next = ocf_requester_run(&s.r, *now);
	MUST(next >= *now);
	MUST(ocf_requester_valid(&s.r));
	MUST(ocf_requester_outstanding(&s.r) <= OCF_PSN_HALF);
	MUST(s.sent - s.acked <= OCFABRIC_QP_WINDOW_MAX || s.r.state == OCFABRIC_QP_RESET);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ocf_requester_ops ops = {
		.send = send_packet, .acked = acked, .moved = moved,
	};
	struct bytes b = { data, size };
	uint64_t now = 0;

	memset(&s, 0, sizeof(s));
	ocf_requester_init(&s.r, &ops, NULL);
	start(&b);
	while (b.left)
		step(&b, &now);
	return 0;
}
