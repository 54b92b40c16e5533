// SPDX-License-Identifier: GPL-2.0-or-later
/* A link's write from meta beat to record, whichever engine moves its data. */
#include <string.h>

#include "internal.h"

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
}

static void reject(struct ocf_card *card, struct ocf_link *l,
		   const struct ocf_write *w, struct ocf_judgement j,
		   uint64_t now, struct ocf_record *rec)
{
	l->counters.c[j.verdict]++;
	remember(card, l, w, j, now);

	rec->verdict = j.verdict;
	rec->kind = w->kind;
	rec->peer = j.peer;
	rec->misrouted = j.misrouted;
	rec->is_short = false;
	rec->qpn = w->qpn;
	rec->bytes = 0;
	rec->lines = 0;
	rec->oversize = 0;
}

/* `tail` is left as it is: nothing is read from it that was not put there. */
static void start(struct ocf_card *card, struct ocf_link *l,
		  const struct ocf_write *w, struct ocf_judgement j,
		  uint64_t now)
{
	struct ocf_flight *f = &l->flight;
	bool has_data = w->kind != OCF_KIND_SEM;

	f->raddr = w->raddr;
	f->addr = card->config.region[j.peer].base + w->raddr;
	f->go_at = now + card->config.latency;
	f->qpn = w->qpn;
	f->len = w->len;
	f->beats = ocf_beats_of(w);
	f->bytes = has_data ? ocf_bytes_of(w->len, f->beats) : 0;
	f->taken = 0;
	f->lines = 0;
	f->oversize = has_data ? ocf_oversize_of(w->len, f->beats) : 0;
	f->sem = w->sem;
	f->stage = OCF_STAGE_LATENCY;
	f->kind = w->kind;
	f->peer = j.peer;
	f->misrouted = j.misrouted;
	f->is_short = has_data && f->bytes < w->len;
	f->failed = false;
}

enum ocf_take ocf_link_begin(struct ocf_card *card, unsigned int link,
			     const struct ocf_write *w, uint64_t now,
			     struct ocf_record *rec)
{
	struct ocf_link *l = &card->link[link];
	struct ocf_subject s = {
		.cfg = &card->config,
		.link = link,
		.w = w,
		.qp_stopped = l->qp_stopped,
		.armed = card->hooks.arm_take,
		.opaque = card->hooks.opaque,
	};
	struct ocf_judgement j;

	if (card->draining || l->flight.stage != OCF_STAGE_IDLE)
		return OCF_BUSY;

	j = ocf_judge(&s);
	l->counters.c[OCF_WRITES]++;
	l->counters.c[OCF_MISROUTED] += j.misrouted;
	if (j.verdict != OCF_COMMITTED) {
		reject(card, l, w, j, now, rec);
		return OCF_REJECTED;
	}
	start(card, l, w, j, now);
	return OCF_TAKEN;
}

/* The only place where a write that passed the rules ends. */
static void end(struct ocf_card *card, struct ocf_link *l,
		enum ocf_counter verdict, struct ocf_record *rec)
{
	struct ocf_flight *f = &l->flight;
	bool good = verdict == OCF_COMMITTED || verdict == OCF_SHORT_PACKET;

	l->counters.c[good ? OCF_COMMITTED : verdict]++;
	l->counters.c[OCF_BYTES] += good ? f->bytes : 0;
	l->counters.c[OCF_LINES] += f->lines;
	l->counters.c[OCF_SHORT_PACKET] += f->is_short;
	l->counters.c[OCF_OVERSIZE] += f->oversize;

	rec->verdict = verdict;
	rec->kind = f->kind;
	rec->peer = f->peer;
	rec->misrouted = f->misrouted;
	rec->is_short = f->is_short;
	rec->qpn = f->qpn;
	rec->bytes = good ? f->bytes : 0;
	rec->lines = f->lines;
	rec->oversize = f->oversize;

	if (!good && f->kind == OCF_KIND_WRITE_IMM && card->hooks.arm_return)
		card->hooks.arm_return(card->hooks.opaque, f->peer);
	f->stage = OCF_STAGE_IDLE;

	/* what this write stored comes before what the link stores next */
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

bool ocf_link_finish(struct ocf_card *card, unsigned int link, uint64_t now,
		     struct ocf_record *rec)
{
	struct ocf_link *l = &card->link[link];
	struct ocf_flight *f = &l->flight;

	ocf_flight_wake(f, now);
	if (f->stage != OCF_STAGE_RESPONSES || now < f->go_at)
		return false;
	end(card, l, f->failed ? OCF_AXI_ERROR :
		     f->is_short ? OCF_SHORT_PACKET : OCF_COMMITTED, rec);
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
	end(card, l, OCF_DMA_ERROR, rec);
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
	    f->misrouted > 1 || f->is_short > 1 || f->failed > 1)
		return false;
	if (f->stage == OCF_STAGE_IDLE)
		return true;
	if (f->peer >= OCF_REPLICAS || !f->beats ||
	    f->bytes != ocf_write_bytes(&w) ||
	    f->oversize != ocf_write_oversize(&w))
		return false;
	if (!f->bytes)
		return f->kind == OCF_KIND_SEM && !f->lines;
	return f->addr % 4 == 0 && f->raddr % 4 == 0 &&
	       f->addr <= UINT64_MAX - (f->bytes - 1) &&
	       f->lines <= ocf_lines(f->addr, f->bytes);
}
