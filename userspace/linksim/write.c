// SPDX-License-Identifier: LGPL-2.1-or-later
/* One write from its meta beat to its line of output, by either engine. */
#include <inttypes.h>
#include <string.h>

#include "linksim.h"

/* The bulk engine gets its bytes in pieces, so that a write can be large. */
#define PIECE	65536u

static void run_bulk(struct sim *sim, unsigned int link,
		     struct ocf_scn_payload *payload, struct ocf_record *rec)
{
	static uint8_t buf[PIECE];
	uint32_t n;

	while (!ocf_link_finish(&sim->card, link, sim->now, rec)) {
		switch (ocf_bulk_want(&sim->card, link, sim->now)) {
		case OCF_WANT_TIME:
			sim->now = sim->card.link[link].flight.go_at;
			break;
		case OCF_WANT_BYTES:
			n = ocf_bulk_left(&sim->card, link);
			if (n > PIECE)
				n = PIECE;
			ocf_scn_payload_fill(payload, buf, n);
			ocf_bulk_feed(&sim->card, link, buf, n, sim->now);
			break;
		default:
			break;
		}
	}
}

static void run_beat(struct sim *sim, unsigned int link,
		     struct ocf_scn_payload *payload, struct ocf_record *rec)
{
	struct ocf_beat *beat = &sim->beat[link];
	uint8_t data[OCF_LINE];

	for (;;) {
		if (ocf_beat_ready(beat, sim->now)) {
			ocf_scn_payload_fill(payload, data, sizeof(data));
			ocf_beat_clock(beat, data, sim->now);
		} else {
			ocf_beat_clock(beat, NULL, sim->now);
		}
		if (ocf_beat_finish(beat, sim->now, rec))
			return;
		sim->now = ocf_beat_next(beat, sim->now);
	}
}

static void report(struct sim *sim, const struct ocf_scn_write *w,
		   const struct ocf_record *rec)
{
	struct ocf_scn_result r = {
		.seq = sim->seq,
		.link = w->link,
		.qpn = w->qpn,
		.verdict = ocf_counter_names[rec->verdict],
		.peer = rec->peer == OCF_NO_PEER ? -1 : rec->peer,
		.bytes = rec->bytes,
		.lines = rec->lines,
		.oversize = rec->oversize,
		.misrouted = rec->misrouted,
	};

	ocf_scn_report_write(sim->out, &r);
}

void sim_write(struct sim *sim, const struct ocf_scn_write *w)
{
	struct ocf_write meta = {
		.raddr = w->raddr,
		.qpn = w->qpn,
		.len = w->len,
		.beats = w->beats,
		.kind = OCF_KIND_WRITE,
	};
	struct ocf_scn_payload payload;
	struct ocf_record rec;

	ocf_scn_payload_init(&payload, sim->scn, w);
	if (ocf_beat_begin(&sim->beat[w->link], &meta, sim->now, &rec) ==
	    OCF_REJECTED)
		sim->now += w->beats;	/* drained, one a clock */
	else if (sim->engine == SIM_BEAT)
		run_beat(sim, w->link, &payload, &rec);
	else
		run_bulk(sim, w->link, &payload, &rec);
	report(sim, w, &rec);
	sim->now++;
	sim->seq++;
}
