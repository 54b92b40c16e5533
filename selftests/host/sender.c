// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>

#include "psn.h"
#include "sender.h"
#include "tap.h"

struct sender s;

const struct ocf_requester_settings sender_settings = {
	.window = 8,
	.timeout = SENDER_TIMEOUT,
	.timeout_max = SENDER_TIMEOUT + 3,
	.retry_limit = 7,
	.rnr_limit = 6,
};

static bool send(void *opaque, uint32_t psn, unsigned int flags)
{
	CHECK(opaque == &s);
	if (!s.room)
		return false;
	s.room--;
	CHECK(ocf_psn_within(psn, s.r.first, s.r.set.window),
	      "%#x is not in the window", psn);
	if (s.n < SENDER_LOG) {
		s.log[s.n].psn = psn;
		s.log[s.n].flags = flags;
	}
	s.n++;
	return true;
}

static void acked(void *opaque, uint32_t first, uint32_t n)
{
	CHECK(opaque == &s);
	CHECK(first == s.acked && n, "acknowledged %#x, not %#x", first, s.acked);
	s.acked = ocf_psn_add(first, n);
}

static void moved(void *opaque, enum ocfabric_qp_state state,
		  enum ocfabric_qp_cause cause)
{
	CHECK(opaque == &s);
	CHECK(state == s.r.state && cause == s.r.cause);
	s.moves++;
}

static const struct ocf_requester_ops ops = {
	.send = send, .acked = acked, .moved = moved,
};

void sender_start(uint32_t psn, const struct ocf_requester_settings *set,
		  unsigned int posted)
{
	s = (struct sender){ .room = UINT_MAX, .acked = psn };
	ocf_requester_init(&s.r, &ops, &s);
	CHECK(ocf_requester_start(&s.r, set, psn, false));
	CHECK(s.r.state == OCFABRIC_QP_RTS);
	CHECK(ocf_requester_post(&s.r, posted));
	sender_run(0);
}

void sender_hear(enum ocf_answer_kind kind, uint32_t psn, uint8_t timer)
{
	struct ocf_answer a = {
		.kind = kind, .timer = timer, .psn = psn & OCF_PSN_MASK,
	};

	ocf_requester_hear(&s.r, &a);
}

void sender_run(uint64_t now)
{
	s.now = now;
	s.next = ocf_requester_run(&s.r, now);
	CHECK(ocf_requester_valid(&s.r));
	CHECK(s.r.first == s.acked || s.r.state == OCFABRIC_QP_RESET);
}

void sender_clear(void)
{
	s.n = 0;
}

bool sender_sent(uint32_t first, unsigned int n, bool again)
{
	unsigned int i;

	if (s.n != n || n > SENDER_LOG)
		return false;
	for (i = 0; i < n; i++) {
		if (s.log[i].psn != ocf_psn_add(first, i) ||
		    !(s.log[i].flags & OCF_SEND_AGAIN) == again)
			return false;
	}
	return true;
}
