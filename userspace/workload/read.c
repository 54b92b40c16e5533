// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a replica reads, and what it says about that to the sender */
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include <ocfabric.h>

#include "workload.h"

static void find_loud(struct wl_replica *r, unsigned int src, uint64_t k,
		      struct wl_message *m)
{
	do {
		wl_message(r->plan, src, r->id, k++, m);
	} while (m->quiet);
}

void wl_in_init(struct wl_replica *r, unsigned int src)
{
	struct wl_in *in = &r->in[src];

	if (!wl_is_stream(r->plan, src, r->id))
		return;
	in->per_round = r->plan->shape->per_round(r->plan, src, r->id);
	find_loud(r, src, 0, &in->loud);
	find_loud(r, src, in->loud.k + 1, &in->later);
}

static uint32_t number_in(const struct wl_replica *r, const uint8_t *memory,
			  unsigned int src, const struct wl_message *m)
{
	uint64_t at = wl_message_offset(r->plan, src, r->id, m) + wl_number_at(m);

	return le32toh(*(const volatile uint32_t *)(const void *)(memory + at));
}

static bool has_arrived(const struct wl_replica *r, unsigned int src,
			const struct wl_message *m)
{
	uint32_t count = (uint32_t)m->index + 1;

	if (m->form == WL_SEMAPHORE)
		return (int32_t)(r->port->ops->semaphore(r->port, src) - count) >= 0;
	if (m->imm)
		return (int32_t)(r->in[src].imms - count) >= 0;
	return number_in(r, r->region, src, m) == wl_number(m);
}

/* Compares with the bytes that it has to have. */
static enum wl_seen look(struct wl_replica *r, unsigned int src,
			 const struct wl_message *m)
{
	uint8_t want[WL_MESSAGE_MAX];

	if (m->form == WL_SEMAPHORE)
		return WL_NEW;
	wl_message_bytes(r->plan, src, r->id, m, want);
	return wl_compare(r, src, m, wl_message_offset(r->plan, src, r->id, m), want);
}

static int too_early(struct wl_replica *r, unsigned int src,
		     const struct wl_message *m, const char *what)
{
	uint64_t offset = wl_message_offset(r->plan, src, r->id, m);

	return wl_fail(r, "replica %u, link %u, %s slot %u, message %" PRIu64
		       " at 0x%" PRIx64 ": expected all %u bytes since %s is there, found %s",
		       r->id, src, r->plan->shape->channel[m->channel].name,
		       wl_message_slot(r->plan, m), m->k, offset, m->len, what,
		       has_arrived(r, src, m) ? "a part of them" : "the old ones");
}

/* Something else than the old number before the new one: lost, or overwritten. */
static int check_number(struct wl_replica *r, unsigned int src,
			const struct wl_message *m)
{
	uint32_t found, old;

	if (m->form == WL_SEMAPHORE || m->imm)
		return 0;
	found = number_in(r, r->region, src, m);
	old = number_in(r, r->shadow, src, m);
	if (found == old || found == wl_number(m))
		return 0;
	return wl_fail(r, "replica %u, link %u, %s slot %u, message %" PRIu64
		       " at 0x%" PRIx64 ": expected number %u or still %u, found %u",
		       r->id, src, r->plan->shape->channel[m->channel].name,
		       wl_message_slot(r->plan, m), m->k,
		       wl_message_offset(r->plan, src, r->id, m) + wl_number_at(m),
		       wl_number(m), old, found);
}

static void consume(struct wl_replica *r, unsigned int src,
		    const struct wl_message *m)
{
	r->in[src].consumed = m->k + 1;
	r->stats.read++;
	r->stats.read_bytes += m->len;
}

/* Quiet ones before a loud one that has arrived */
static int read_quiet(struct wl_replica *r, unsigned int src)
{
	struct wl_in *in = &r->in[src];
	struct wl_message m;
	enum wl_seen seen;

	while (in->consumed < in->loud.k) {
		wl_message(r->plan, src, r->id, in->consumed, &m);
		seen = look(r, src, &m);
		if (seen == WL_WRONG)
			return -1;
		if (seen != WL_NEW)
			return too_early(r, src, &m, "the one after it");
		consume(r, src, &m);
	}
	return 0;
}

/* 1: one more was consumed, with the quiet ones before; 0: not yet there */
static int read_one(struct wl_replica *r, unsigned int src)
{
	struct wl_in *in = &r->in[src];
	bool overtaken = has_arrived(r, src, &in->later);
	enum wl_seen seen;

	/* What is seen of a later write says that the earlier one is there. */
	OCF_RMB();
	if (!has_arrived(r, src, &in->loud)) {
		if (overtaken)
			return too_early(r, src, &in->loud, "a later one");
		return check_number(r, src, &in->loud);
	}
	OCF_RMB();
	if (read_quiet(r, src))
		return -1;
	seen = look(r, src, &in->loud);
	if (seen == WL_WRONG)
		return -1;
	if (seen != WL_NEW) {
		if (overtaken)
			return too_early(r, src, &in->loud, "a later one");
		if (in->loud.imm)
			return too_early(r, src, &in->loud, "its receive completion");
		return 0;
	}
	consume(r, src, &in->loud);
	in->loud = in->later;
	find_loud(r, src, in->loud.k + 1, &in->later);
	return 1;
}

int wl_read(struct wl_replica *r)
{
	unsigned int src, burst;
	int got = 0, all = 0;

	for (src = 0; src < r->plan->n; src++) {
		if (!r->in[src].per_round)
			continue;
		for (burst = 0; burst < r->burst; burst++) {
			got = read_one(r, src);
			if (got <= 0)
				break;
			all++;
		}
		if (got < 0)
			return -1;
	}
	return all;
}

/* ---- credits ------------------------------------------------------------ */

/*
 * Half a window at a time. The window is that of the message that is waited for,
 * so that its sender, too, gets what it waits for.
 */
static bool is_due(const struct wl_replica *r, const struct wl_in *in)
{
	uint64_t due = in->consumed - in->credited;

	if (due >= (in->loud.window + 1) / 2)
		return true;
	return due && __atomic_load_n(&r->limit->is_final, __ATOMIC_ACQUIRE) &&
	       in->consumed == in->per_round * r->limit->rounds;
}

int wl_credit(struct wl_replica *r)
{
	unsigned int src;
	int posted = 0;

	for (src = 0; src < r->plan->n; src++) {
		struct wl_in *in = &r->in[src];
		uint64_t value = htole64(in->consumed);
		struct wl_write w = {
			.data = (const uint8_t *)&value,
			.raddr = r->plan->area[r->id][src].credit,
			.qpn = wl_qpn(r->plan, r->id, src),
			.len = sizeof(value), .bytes = sizeof(value),
			.peer = (uint8_t)src, .what = "credit", .k = in->consumed,
		};

		if (!in->per_round || !is_due(r, in) ||
		    !r->port->ops->room(r->port))
			continue;
		w.misrouted = wl_is_misrouted(r->plan, r->id, w.qpn, src);
		if (wl_post(r, &w) < 0)
			return -1;
		in->credited = in->consumed;
		r->stats.credits++;
		posted++;
	}
	return posted;
}
