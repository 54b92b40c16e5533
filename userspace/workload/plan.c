// SPDX-License-Identifier: LGPL-2.1-or-later
/* Where everything lies, and how a card is configured for it */
#include <string.h>

#include "workload.h"

#define LINE	64u
#define PAGE	4096u

static uint64_t round_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

bool wl_is_stream(const struct wl_plan *plan, unsigned int src, unsigned int dst)
{
	return src != dst && src < plan->n && dst < plan->n &&
	       plan->shape->per_round(plan, src, dst);
}

bool wl_has_area(const struct wl_plan *plan, unsigned int src, unsigned int dst)
{
	return wl_is_stream(plan, src, dst) || wl_is_stream(plan, dst, src);
}

/* The default table of n replicas */
uint32_t wl_qpn(const struct wl_plan *plan, unsigned int src, unsigned int dst)
{
	return (plan->n - 1) * src + (dst < src ? dst : dst - 1);
}

bool wl_is_misrouted(const struct wl_plan *plan, unsigned int src, uint32_t qpn,
		     unsigned int peer)
{
	return plan->upstream && (int)qpn - (int)(src * plan->n) != (int)peer;
}

/* Channels that a stream uses; they are the same in every round. */
static unsigned int channels_of(const struct wl_plan *plan, unsigned int src,
				unsigned int dst)
{
	unsigned int used = 0, i;
	struct wl_message m;

	if (!wl_is_stream(plan, src, dst))
		return 0;
	for (i = 0; i < plan->shape->per_round(plan, src, dst); i++) {
		wl_message(plan, src, dst, i, &m);
		used |= 1u << m.channel;
	}
	return used;
}

/* Returns the first byte after it. */
static uint64_t place(struct wl_plan *plan, unsigned int src, unsigned int dst,
		      uint64_t at)
{
	struct wl_area *area = &plan->area[src][dst];
	unsigned int used = channels_of(plan, src, dst), c;
	bool bad = plan->shape->adversary && dst == (src + 1) % plan->n;

	area->base = at;
	area->credit = at;
	at += LINE;
	for (c = 0; c < WL_CHANNELS; c++) {
		const struct wl_channel *channel = &plan->shape->channel[c];

		if (!(used & 1u << c))
			continue;
		area->channel[c] = at;
		at += round_up((uint64_t)channel->slots * wl_stride(channel), LINE);
	}
	if (bad) {
		area->scratch = at;
		at += WL_SCRATCH;
	}
	area->length = at - area->base;
	at += WL_GUARD;
	if (bad) {
		area->revocable = at;
		at += LINE + WL_GUARD;
	}
	return at;
}

void wl_plan(struct wl_plan *plan, const struct wl_options *o)
{
	unsigned int src, dst;

	memset(plan, 0, sizeof(*plan));
	plan->shape = o->shape;
	plan->n = o->n;
	plan->seed = o->seed;
	plan->imm = o->imm;
	plan->semaphores = o->semaphores;
	plan->upstream = o->shape->adversary;
	for (dst = 0; dst < plan->n; dst++) {
		uint64_t at = WL_GUARD;

		for (src = 0; src < plan->n; src++)
			if (wl_has_area(plan, src, dst))
				at = place(plan, src, dst, at);
		at = round_up(at, PAGE);
		if (plan->region_size < at)
			plan->region_size = at;
	}
}

static unsigned int windows(const struct wl_plan *plan, unsigned int src,
			    unsigned int dst, struct ocfabric_change *change)
{
	const struct wl_area *area = &plan->area[src][dst];
	unsigned int nr = 0;

	if (!wl_has_area(plan, src, dst))
		return 0;
	change[nr++] = (struct ocfabric_change) {
		.op = OCFABRIC_CHANGE_WINDOW_ADD, .src = src, .dst = dst,
		.offset = area->base, .length = area->length,
		.sem_first = plan->semaphores ? src : 0,
		.sem_count = plan->semaphores,
	};
	if (area->revocable)
		change[nr++] = (struct ocfabric_change) {
			.op = OCFABRIC_CHANGE_WINDOW_ADD, .src = src, .dst = dst,
			.offset = area->revocable, .length = LINE,
		};
	return nr;
}

unsigned int wl_plan_changes(const struct wl_plan *plan,
			     struct ocfabric_change *change)
{
	unsigned int nr = 0, i, dst;

	change[nr++] = (struct ocfabric_change) { .op = OCFABRIC_CHANGE_RESET };
	change[nr++] = (struct ocfabric_change) {
		.op = OCFABRIC_CHANGE_REPLICAS, .value = plan->n,
	};
	for (i = 0; i < plan->n; i++)
		change[nr++] = (struct ocfabric_change) {
			.op = OCFABRIC_CHANGE_REGION, .src = i,
			.offset = i * plan->region_size, .length = plan->region_size,
		};
	change[nr++] = (struct ocfabric_change) {
		.op = OCFABRIC_CHANGE_CONNECTIONS_DEFAULT,
	};
	change[nr++] = (struct ocfabric_change) {
		.op = OCFABRIC_CHANGE_UPSTREAM_QPNS, .value = plan->upstream,
	};
	for (i = 0; i < plan->n; i++)
		for (dst = 0; dst < plan->n; dst++)
			nr += windows(plan, i, dst, &change[nr]);
	return nr;
}
