// SPDX-License-Identifier: LGPL-2.1-or-later
/* The counters of a link, as they have to be after a write */
#include "workload.h"

static const uint8_t rejected[] = {
	[OCFABRIC_VERDICT_UNMAPPED] = OCFABRIC_COUNTER_UNMAPPED,
	[OCFABRIC_VERDICT_QP_STATE] = OCFABRIC_COUNTER_QP_STATE,
	[OCFABRIC_VERDICT_BAD_CONFIG] = OCFABRIC_COUNTER_BAD_CONFIG,
	[OCFABRIC_VERDICT_ZERO_LENGTH] = OCFABRIC_COUNTER_ZERO_LENGTH,
	[OCFABRIC_VERDICT_MISALIGNED] = OCFABRIC_COUNTER_MISALIGNED,
	[OCFABRIC_VERDICT_OUT_OF_BOUNDS] = OCFABRIC_COUNTER_OUT_OF_BOUNDS,
	[OCFABRIC_VERDICT_UNAUTHORIZED] = OCFABRIC_COUNTER_UNAUTHORIZED,
	[OCFABRIC_VERDICT_RNR] = OCFABRIC_COUNTER_RNR,
};

static void committed(struct wl_tally *t, const struct wl_write *w)
{
	uint64_t lines = (w->raddr % OCFABRIC_LINE + w->bytes + OCFABRIC_LINE - 1) /
			 OCFABRIC_LINE;

	t->counter[OCFABRIC_COUNTER_COMMITTED]++;
	t->counter[OCFABRIC_COUNTER_BYTES] += w->bytes;
	t->counter[OCFABRIC_COUNTER_OVERSIZE] += w->oversize;
	if (!w->is_semaphore)
		t->counter[OCFABRIC_COUNTER_LINES] += lines;
}

void wl_tally(struct wl_tally *t, const struct wl_write *w, unsigned int verdict)
{
	t->counter[OCFABRIC_COUNTER_WRITES]++;
	t->counter[OCFABRIC_COUNTER_MISROUTED] += w->misrouted;
	if (verdict == OCFABRIC_VERDICT_SHORT_PACKET)
		t->counter[OCFABRIC_COUNTER_SHORT_PACKET]++;
	if (verdict == OCFABRIC_VERDICT_COMMITTED ||
	    verdict == OCFABRIC_VERDICT_SHORT_PACKET)
		committed(t, w);
	else
		t->counter[rejected[verdict]]++;
}
