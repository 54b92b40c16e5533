// SPDX-License-Identifier: GPL-2.0-or-later
/* A link's write from meta beat to record, whichever engine moves its data. */
#include <string.h>

#include "flight.h"

const char *const ocf_stage_names[OCF_NR_STAGES] = {
	[OCF_STAGE_IDLE] = "idle",
	[OCF_STAGE_LATENCY] = "taken",
	[OCF_STAGE_MOVING] = "issued",
	[OCF_STAGE_RESPONSES] = "acknowledged",
};

static void remember(struct ocf_card *card, struct ocf_link *l,
		     const struct ocf_write *w, struct ocf_judgement j,
		     uint64_t now)
{
	struct ocf_reject *r = &l->reject[l->nr_rejects++ % OCF_REJECTS];

	r->raddr = w->raddr;
	r->cycle = now;
	r->qpn = w->qpn;
	r->len = w->len;
	r->beats = ocf_write_beats(w);
	r->generation = card->generation;
	r->sem = w->sem;
	r->opcode = w->opcode;
	r->flags = w->flags;
	r->verdict = (uint8_t)j.verdict;
	r->peer = j.peer;

	l->untold.n++;
	l->untold.qpn = w->qpn;
	l->untold.verdict = (uint8_t)j.verdict;
}

/* It ends in the stage whose check it failed. */
static void end_of_path(struct ocf_link *l, uint8_t check)
{
	if (check == OCF_CHECK_MEMBER) {
		l->path.ended[OCF_PATH_TAKEN]++;
		return;
	}
	l->path.out[OCF_PATH_TAKEN]++;
	l->path.in[OCF_PATH_MAPPED]++;
	if (check == OCF_CHECK_MAPPED || check == OCF_CHECK_QP) {
		l->path.ended[OCF_PATH_MAPPED]++;
		return;
	}
	l->path.out[OCF_PATH_MAPPED]++;
	l->path.in[OCF_PATH_AUTHORIZED]++;
	l->path.ended[OCF_PATH_AUTHORIZED]++;
}

void ocf_link_reject(struct ocf_card *card, struct ocf_link *l,
		     const struct ocf_write *w, struct ocf_judgement j,
		     uint64_t now, struct ocf_record *rec)
{
	l->counters.c[j.verdict]++;
	end_of_path(l, j.failed);
	remember(card, l, w, j, now);
	if (card->hooks.rejected)
		card->hooks.rejected(card->hooks.opaque,
				     (unsigned int)(l - card->link));

	rec->verdict = j.verdict;
	rec->kind = w->kind;
	rec->peer = j.peer;
	rec->misrouted = j.misrouted;
	rec->is_short = false;
	rec->qpn = w->qpn;
	rec->psn = 0;
	rec->bytes = 0;
	rec->lines = 0;
	rec->oversize = 0;
}

enum ocf_take ocf_link_begin(struct ocf_card *card, unsigned int link,
			     const struct ocf_write *w, uint64_t now,
			     struct ocf_record *rec)
{
	struct ocf_link *l = &card->link[link];
	struct ocf_judgement j;

	if (!ocf_link_takes(card, l))
		return OCF_BUSY;
	j = ocf_link_judge(card, link, w);
	if (j.verdict != OCF_COMMITTED) {
		ocf_link_reject(card, l, w, j, now, rec);
		return OCF_REJECTED;
	}
	ocf_flight_start(&l->flight, card, w, j, now);
	ocf_flight_take_psns(&l->flight, l);
	return OCF_TAKEN;
}

bool ocf_link_finish(struct ocf_card *card, unsigned int link, uint64_t now,
		     struct ocf_record *rec)
{
	struct ocf_link *l = &card->link[link];
	struct ocf_flight *f = &l->flight;

	ocf_flight_wake(l, now);
	if (f->stage != OCF_STAGE_RESPONSES || now < f->go_at)
		return false;
	ocf_flight_end(f, card, l, ocf_flight_verdict(f), rec);
	return true;
}

bool ocf_link_abort(struct ocf_card *card, unsigned int link,
		    struct ocf_record *rec)
{
	struct ocf_link *l = &card->link[link];
	struct ocf_flight *f = &l->flight;

	if (f->stage == OCF_STAGE_IDLE)
		return false;
	/* its data beats did not all come, so neither is known of them */
	f->is_short = false;
	f->oversize = 0;
	ocf_flight_end(f, card, l, OCF_DMA_ERROR, rec);
	return true;
}

/* Members that no stage of a real write can have together. */
static bool stage_fits(const struct ocf_flight *f)
{
	switch (f->stage) {
	case OCF_STAGE_IDLE:
		return true;
	case OCF_STAGE_LATENCY:
		return !f->taken && !f->lines;
	case OCF_STAGE_MOVING:
		return f->taken < f->bytes;
	case OCF_STAGE_RESPONSES:
		return f->taken == f->bytes;
	default:
		return false;
	}
}

bool ocf_flight_valid(const struct ocf_flight *f)
{
	struct ocf_write w = {
		.len = f->len, .beats = f->beats, .kind = f->kind,
	};

	if (!stage_fits(f) || f->kind >= OCF_NR_KINDS ||
	    f->misrouted > 1 || f->is_short > 1 || f->failed > 1 ||
	    f->stalled > 1)
		return false;
	if (f->stage == OCF_STAGE_IDLE)
		return true;
	if (f->peer >= OCF_REPLICAS || f->qpn >= OCF_QPNS ||
	    !ocf_psn_valid(f->psn) || !f->beats ||
	    f->bytes != ocf_write_bytes(&w) ||
	    f->oversize != ocf_write_oversize(&w))
		return false;
	if (!f->bytes)
		return f->kind == OCF_KIND_SEM && !f->lines;
	return f->addr % 4 == 0 && f->raddr % 4 == 0 &&
	       f->addr <= UINT64_MAX - (f->bytes - 1) &&
	       f->lines <= ocf_lines(f->addr, f->bytes);
}
