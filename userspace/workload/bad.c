// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a faulty or malicious sender does, in turns: one write a round, to the
 * next replica, and what the card has to make of it
 */
#include <string.h>

#include "workload.h"

#define QPNS	256u

/*
 * Where in the scratch area the two kinds go that are carried out. Each covers
 * what the last one of its kind left.
 */
#define SHORT_AT	4u
#define EXCESS_AT	264u

struct bad {
	const struct wl_plan *plan;
	const struct wl_area *area;
	unsigned int src, dst;
	uint64_t random;
	struct wl_write *w;
};

static void unmapped(struct bad *b)
{
	/* another link's, the last of the table, none that a table can hold */
	const uint32_t qpn[] = {
		(b->plan->n - 1) * b->dst, QPNS - 1,
		QPNS << b->random / 3 % 16 | b->w->qpn,
	};

	b->w->what = "QPN without an entry";
	b->w->qpn = qpn[b->random % 3];
	b->w->verdict = OCFABRIC_VERDICT_UNMAPPED;
}

/* Means replica j by QPN id * n + j; goes elsewhere, or nowhere. */
static void upstream(struct bad *b)
{
	unsigned int n = b->plan->n;
	unsigned int j = (b->src + 1 + (unsigned int)(b->random % (n - 1))) % n;
	uint32_t first = (n - 1) * b->src, entry;

	b->w->what = "upstream QPN";
	b->w->raddr = 0;
	b->w->qpn = b->src * n + j;
	b->w->verdict = OCFABRIC_VERDICT_UNMAPPED;
	if (b->w->qpn < first || b->w->qpn >= first + n - 1)
		return;
	entry = b->w->qpn - first;
	b->w->peer = (uint8_t)(entry < b->src ? entry : entry + 1);
	b->w->misrouted = wl_is_misrouted(b->plan, b->src, b->w->qpn, b->w->peer);
	b->w->verdict = OCFABRIC_VERDICT_UNAUTHORIZED;
}

static void zero_length(struct bad *b)
{
	b->w->what = "zero length";
	b->w->len = 0;
	b->w->verdict = OCFABRIC_VERDICT_ZERO_LENGTH;
}

static void past_end(struct bad *b)
{
	b->w->what = "one byte past the region";
	b->w->raddr = b->plan->region_size - 64;
	b->w->len = 65;
	b->w->verdict = OCFABRIC_VERDICT_OUT_OF_BOUNDS;
}

static void misaligned(struct bad *b)
{
	b->w->what = "address between words";
	b->w->raddr = b->area->scratch + 1 + b->random % 3;
	b->w->verdict = OCFABRIC_VERDICT_MISALIGNED;
}

static void wraps(struct bad *b)
{
	b->w->what = "end past 2^64";
	b->w->raddr = UINT64_MAX - 63;
	b->w->len = 128;
	b->w->verdict = OCFABRIC_VERDICT_OUT_OF_BOUNDS;
}

static void short_packet(struct bad *b)
{
	b->w->what = "last beat too early";
	b->w->raddr = b->area->scratch + SHORT_AT;
	b->w->len = 200;
	b->w->beats = 2;
	b->w->bytes = 64 * b->w->beats;
	b->w->verdict = OCFABRIC_VERDICT_SHORT_PACKET;
}

static void excess(struct bad *b)
{
	b->w->what = "beats in excess";
	b->w->raddr = b->area->scratch + EXCESS_AT;
	b->w->len = 40;
	b->w->beats = 2 + (uint32_t)(b->random % 3);
	b->w->oversize = b->w->beats - 1;
	b->w->bytes = b->w->len;
	b->w->verdict = OCFABRIC_VERDICT_COMMITTED;
}

/* Into what belongs to another sender, or to nobody. */
static void stranger(struct bad *b)
{
	unsigned int other = (b->dst + 1) % b->plan->n;

	b->w->what = "another sender's slots";
	b->w->raddr = other == b->src ? 0 : b->plan->area[other][b->dst].base;
	b->w->verdict = OCFABRIC_VERDICT_UNAUTHORIZED;
}

static void over_edge(struct bad *b)
{
	b->w->what = "over the window's edge";
	b->w->raddr = b->area->base + b->area->length - 4;
	b->w->verdict = OCFABRIC_VERDICT_UNAUTHORIZED;
}

static void (*const kinds[WL_BAD_KINDS])(struct bad *b) = {
	unmapped, upstream, zero_length, past_end, misaligned, wraps,
	short_packet, excess, stranger, over_edge,
};

void wl_bad(const struct wl_plan *plan, unsigned int src, uint64_t round,
	    uint8_t *data, struct wl_write *w)
{
	unsigned int dst = (src + 1) % plan->n;
	struct bad b = {
		.plan = plan, .area = &plan->area[src][dst], .src = src, .dst = dst,
		.random = wl_random(plan->seed, 7, src, round, 2) >> 8, .w = w,
	};

	memset(w, 0, sizeof(*w));
	w->bad = true;
	w->data = data;
	w->k = round;
	w->qpn = wl_qpn(plan, src, dst);
	w->peer = (uint8_t)dst;
	w->raddr = b.area->scratch;
	w->len = 8;
	wl_random_fill(wl_random(plan->seed, 7, src, round, 3), data, WL_BAD_DATA);
	kinds[(round + src) % WL_BAD_KINDS](&b);
	if (w->verdict != OCFABRIC_VERDICT_UNMAPPED)
		w->misrouted = wl_is_misrouted(plan, src, w->qpn, w->peer);
}
