/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a write that passes the rules starts and ends. Inline, so that a write
 * that can do both at once lives in registers in between (bulk.c); everything
 * else goes through the functions of link.c.
 */
#ifndef OCF_MODEL_FLIGHT_H
#define OCF_MODEL_FLIGHT_H

#include "internal.h"
#include "psn.h"

/* link.c */
void ocf_link_reject(struct ocf_card *card, struct ocf_link *l,
		     const struct ocf_write *w, struct ocf_judgement j,
		     uint64_t now, struct ocf_record *rec);

/* qp.c: a write was committed that was not the one its peer expected. */
void ocf_qp_mismatch(struct ocf_card *card, struct ocf_link *l, uint32_t qpn);

OCF_INLINE bool ocf_link_takes(const struct ocf_card *card,
			       const struct ocf_link *l)
{
	return !card->draining && l->flight.stage == OCF_STAGE_IDLE;
}

/* The meta beat is taken, whatever the rules say to it. */
OCF_INLINE struct ocf_judgement ocf_link_judge(struct ocf_card *card,
					       unsigned int link,
					       const struct ocf_write *w)
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
	struct ocf_judgement j = ocf_judge(&s);

	ocf_path_taken(l);
	l->counters.c[OCF_WRITES]++;
	l->counters.c[OCF_MISROUTED] += j.misrouted;
	return j;
}

/* `tail` is left as it is: nothing is read from it that was not put there. */
OCF_INLINE void ocf_flight_start(struct ocf_flight *f,
				 const struct ocf_card *card,
				 const struct ocf_write *w,
				 struct ocf_judgement j, uint64_t now)
{
	bool has_data = w->kind != OCF_KIND_SEM;

	f->raddr = w->raddr;
	f->addr = card->config.region[j.peer].base + w->raddr;
	f->go_at = now + card->config.latency;
	f->since = now;
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
	f->failed = 0;
	f->stalled = 0;
}

/* Packets that so many bytes take: one at least. */
OCF_INLINE uint32_t ocf_qp_packets(const struct ocf_qp *qp, uint32_t bytes)
{
	return bytes ? ((bytes - 1) >> qp->mtu_shift) + 1 : 1;
}

/* Once a write; the rules have found its connection. */
OCF_INLINE void ocf_flight_take_psns(struct ocf_flight *f, struct ocf_link *l)
{
	struct ocf_qp *qp = &l->qp[f->qpn];

	f->psn = qp->send_psn;
	qp->send_psn = ocf_psn_add(f->psn, ocf_qp_packets(qp, f->bytes));
}

/*
 * The receiving end goes on behind it. Nothing is lost on a card, so it hears of
 * every write's end, and passes over one that failed.
 */
OCF_INLINE void ocf_flight_pass_psns(const struct ocf_flight *f,
				     struct ocf_card *card, struct ocf_link *l,
				     bool good)
{
	struct ocf_qp *qp = &l->qp[f->qpn];

	if (good && qp->expected_psn != f->psn)
		ocf_qp_mismatch(card, l, f->qpn);
	else
		qp->expected_psn = ocf_psn_add(qp->expected_psn,
					       ocf_qp_packets(qp, f->bytes));
}

/* Of a write whose lines are all acknowledged. */
OCF_INLINE enum ocf_counter ocf_flight_verdict(const struct ocf_flight *f)
{
	if (f->failed)
		return OCF_AXI_ERROR;
	return f->is_short ? OCF_SHORT_PACKET : OCF_COMMITTED;
}

/* The only place where a write that passed the rules ends. */
OCF_INLINE void ocf_flight_end(struct ocf_flight *f, struct ocf_card *card,
			       struct ocf_link *l, enum ocf_counter verdict,
			       struct ocf_record *rec)
{
	bool good = verdict == OCF_COMMITTED || verdict == OCF_SHORT_PACKET;

	if (good)
		ocf_path_committed(l);
	else
		l->path.ended[ocf_flight_at(f)]++;
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
	rec->psn = f->psn;
	rec->bytes = good ? f->bytes : 0;
	rec->lines = f->lines;
	rec->oversize = f->oversize;

	ocf_flight_pass_psns(f, card, l, good);
	if (!good && f->kind == OCF_KIND_WRITE_IMM && card->hooks.arm_return)
		card->hooks.arm_return(card->hooks.opaque,
				       (unsigned int)(l - card->link), f->peer);
	f->stage = OCF_STAGE_IDLE;

	/* what this write stored comes before what the link stores next */
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

#endif
