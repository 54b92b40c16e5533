// SPDX-License-Identifier: GPL-2.0-or-later
/* The stages of a link: their law, and where its write in flight is. */
#include "internal.h"

const char *const ocf_path_names[OCF_NR_PATHS] = {
	[OCF_PATH_TAKEN] = "taken",
	[OCF_PATH_MAPPED] = "mapped",
	[OCF_PATH_AUTHORIZED] = "authorized",
	[OCF_PATH_REALIGNED] = "realigned",
	[OCF_PATH_ISSUED] = "issued",
	[OCF_PATH_ACKNOWLEDGED] = "acknowledged",
	[OCF_PATH_COMPLETED] = "completed",
};

struct ocf_where ocf_link_where(const struct ocf_link *l)
{
	const struct ocf_flight *f = &l->flight;
	struct ocf_where where = { .at = OCF_PATH_NONE };

	if (f->stage == OCF_STAGE_IDLE)
		return where;
	where.at = (uint8_t)ocf_flight_at(f);
	where.since = f->since;
	switch (f->stage) {
	case OCF_STAGE_LATENCY:
		where.waits_for = OCF_WAITS_FOR_LATENCY;
		where.due = f->go_at;
		break;
	case OCF_STAGE_MOVING:
		where.waits_for = OCF_WAITS_FOR_SOURCE;
		break;
	default:
		where.waits_for = OCF_WAITS_FOR_RESPONSE;
		where.due = f->go_at;
		break;
	}
	return where;
}

/* What came in and did neither go out nor end: the write in flight, if it is here. */
static bool stages_hold(const struct ocf_path_counts *p, unsigned int at)
{
	unsigned int i;

	for (i = 0; i < OCF_NR_PATHS; i++) {
		if (p->in[i] - p->out[i] - p->ended[i] != (i == at))
			return false;
		if (i && p->in[i] != p->out[i - 1])
			return false;
	}
	return true;
}

/* What the counters say that ended in a stage; dma_error may be any's. */
static bool counters_hold(const struct ocf_path_counts *p, const uint64_t *c)
{
	uint64_t failed = c[OCF_AXI_ERROR] + c[OCF_DMA_ERROR];
	uint64_t mapped = c[OCF_UNMAPPED] + c[OCF_QP_STATE];
	uint64_t judged = c[OCF_BAD_CONFIG] + c[OCF_ZERO_LENGTH] +
			  c[OCF_MISALIGNED] + c[OCF_OUT_OF_BOUNDS] +
			  c[OCF_UNAUTHORIZED] + c[OCF_RNR];
	uint64_t ended = 0;
	unsigned int i;

	for (i = 0; i < OCF_NR_PATHS; i++)
		ended += p->ended[i];
	return p->in[OCF_PATH_TAKEN] == c[OCF_WRITES] &&
	       p->out[OCF_PATH_COMPLETED] == c[OCF_COMMITTED] &&
	       p->ended[OCF_PATH_MAPPED] == mapped &&
	       ended == failed + mapped + judged;
}

bool ocf_link_adds_up(const struct ocf_link *l)
{
	const struct ocf_flight *f = &l->flight;
	unsigned int at = f->stage == OCF_STAGE_IDLE ? OCF_PATH_NONE :
						       ocf_flight_at(f);

	return stages_hold(&l->path, at) &&
	       counters_hold(&l->path, l->counters.c);
}

enum ocf_watched ocf_link_watch(struct ocf_link *l, uint64_t limit,
				uint64_t now, uint64_t *due)
{
	struct ocf_flight *f = &l->flight;

	if (f->stage == OCF_STAGE_IDLE || f->stalled)
		return OCF_WATCHED_NOTHING;
	/* a loaded one may be anything */
	if (f->since > now)
		f->since = now;
	if (now - f->since < limit) {
		*due = f->since + limit;
		return OCF_WATCHED_LATER;
	}
	f->stalled = true;
	return OCF_WATCHED_STALLED;
}
