// SPDX-License-Identifier: GPL-2.0-or-later
#include "event.h"

/* The part of an entry that holds the tag. */
#define HEAD	8u

_Static_assert(offsetof(struct ocfabric_event, clock) == HEAD, "tag in the head");

static void start_over(struct ocf_events *e)
{
	e->producer = 0;
	e->consumer = 0;
}

static bool base_valid(uint64_t base)
{
	return base % OCFABRIC_LINE == 0;
}

static bool shift_valid(uint32_t shift)
{
	return !shift ||
	       (shift >= OCF_EVENT_SHIFT_MIN && shift <= OCF_EVENT_SHIFT_MAX);
}

bool ocf_events_set_base(struct ocf_events *e, uint64_t base)
{
	if (!base_valid(base))
		return false;
	if (base != e->base)
		start_over(e);
	e->base = base;
	return true;
}

bool ocf_events_set_shift(struct ocf_events *e, uint32_t shift)
{
	if (!shift_valid(shift))
		return false;
	if (shift != e->shift)
		start_over(e);
	e->shift = shift;
	return true;
}

static bool store(const struct ocf_host *host, uint64_t addr,
		  const struct ocfabric_event *ev)
{
	if (addr + sizeof(*ev) < addr ||
	    !host->write(host->opaque, addr + HEAD, (const uint8_t *)ev + HEAD,
			 sizeof(*ev) - HEAD))
		return false;
	/* the tag says that the rest is there */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return host->write(host->opaque, addr, ev, HEAD);
}

enum ocf_posted ocf_event_post(struct ocf_events *e, const struct ocf_host *host,
			       struct ocfabric_event ev)
{
	uint32_t index = e->producer & ((1u << e->shift) - 1);

	if (!e->shift)
		return OCF_POST_OFF;
	ev.seq = ocf_le32(e->seq++);
	/* a consumer ahead of the producer counts as a full ring, too */
	if (e->producer - e->consumer >= 1u << e->shift) {
		e->lost++;
		return OCF_POST_LOST;
	}
	ev.tag = ((e->producer >> e->shift) + 1) & OCFABRIC_DESC_TAG_MASK;
	if (!store(host, e->base + index * sizeof(ev), &ev))
		return OCF_POST_FAILED;
	e->producer++;
	return OCF_POSTED;
}

bool ocf_events_valid(const struct ocf_events *e)
{
	return base_valid(e->base) && shift_valid(e->shift);
}
