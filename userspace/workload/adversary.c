// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * T7 beside its good traffic: a bad write a round, and now and then the window of
 * a word is taken away and given back while writes to it go on
 */
#include <endian.h>

#include "workload.h"

#define REVOKE_FIRST	8u	/* round */
#define REVOKE_EVERY	64u

static bool is_adversary(const struct wl_replica *r)
{
	return r->plan->shape->adversary;
}

static bool revokes(const struct wl_replica *r)
{
	return is_adversary(r) && r->port->ops->allow;
}

static uint64_t revoke_round(const struct wl_replica *r)
{
	return REVOKE_FIRST + r->revoke_next * REVOKE_EVERY;
}

/* One more number to the word of the revocable window */
static int write_word(struct wl_replica *r, uint8_t verdict, enum wl_revoke during)
{
	unsigned int dst = (r->id + 1) % r->plan->n;
	uint64_t value = htole64(++r->revocable);
	struct wl_write w = {
		.data = (const uint8_t *)&value,
		.raddr = r->plan->area[r->id][dst].revocable,
		.qpn = wl_qpn(r->plan, r->id, dst),
		.len = sizeof(value),
		.bytes = verdict == OCFABRIC_VERDICT_COMMITTED ? sizeof(value) : 0,
		.verdict = verdict,
		.during = during,
		.peer = (uint8_t)dst,
		.revocable = true,
		.what = "word of a revocable window",
		.k = r->revocable,
	};

	w.misrouted = wl_is_misrouted(r->plan, r->id, w.qpn, dst);
	r->revoke_frontier = r->frontier;
	return wl_post(r, &w);
}

/* The next state: its first write is sure of its verdict. */
static int enter(struct wl_replica *r, enum wl_revoke next, uint8_t verdict)
{
	int posted = write_word(r, verdict, WL_REVOKE_IDLE);

	r->revoke = next;
	r->revoke_sure = r->post_tail;
	return posted;
}

/*
 * The sure write may wait in the queue while the fabric is drained for another
 * change: ours is asked for when it has its verdict.
 */
static bool is_changed(struct wl_replica *r, bool allowed)
{
	return (int32_t)(r->post_head - r->revoke_sure) >= 0 &&
	       r->port->ops->allow(r->port, allowed);
}

static int revoke(struct wl_replica *r)
{
	switch (r->revoke) {
	case WL_REVOKE_IDLE:
		if (r->frontier <= revoke_round(r))
			return 0;
		return enter(r, WL_REVOKE_TAKING, OCFABRIC_VERDICT_COMMITTED);
	case WL_REVOKE_TAKING:
		if (is_changed(r, false))
			return enter(r, WL_REVOKE_GIVING,
				     OCFABRIC_VERDICT_UNAUTHORIZED);
		break;
	case WL_REVOKE_GIVING:
		if (is_changed(r, true)) {
			r->revoke_next++;
			return enter(r, WL_REVOKE_IDLE, OCFABRIC_VERDICT_COMMITTED);
		}
		break;
	}
	if (r->revoke_frontier == r->frontier)
		return 0;
	return write_word(r, OCFABRIC_VERDICT_COMMITTED, r->revoke);
}

int wl_misbehave(struct wl_replica *r)
{
	uint8_t data[WL_BAD_DATA];
	struct wl_write w;
	int posted = 0, got;

	if (!is_adversary(r))
		return 0;
	while (r->bad_next < r->frontier && r->port->ops->room(r->port) > 1) {
		wl_bad(r->plan, r->id, r->bad_next++, data, &w);
		if (wl_post(r, &w) < 0)
			return -1;
		posted++;
	}
	if (!revokes(r) || r->port->ops->room(r->port) <= 1)
		return posted;
	got = revoke(r);
	return got < 0 ? -1 : posted + got;
}

bool wl_misbehaved(const struct wl_replica *r)
{
	if (!is_adversary(r))
		return true;
	if (r->bad_next < r->frontier)
		return false;
	return !revokes(r) || (r->revoke == WL_REVOKE_IDLE &&
			       r->frontier <= revoke_round(r));
}
