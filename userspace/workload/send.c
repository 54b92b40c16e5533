// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a replica sends, and what becomes of it */
#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ocfabric.h>

#include "workload.h"

/* Descriptors that messages leave to credits and bad writes */
#define RESERVE	16u

bool wl_out_init(struct wl_replica *r, unsigned int dst)
{
	struct wl_out *out = &r->out[dst];
	unsigned int c;

	if (!wl_is_stream(r->plan, r->id, dst))
		return true;
	out->per_round = r->plan->shape->per_round(r->plan, r->id, dst);
	wl_message(r->plan, r->id, dst, 0, &out->next);
	for (c = 0; c < WL_CHANNELS; c++) {
		uint32_t slots = r->plan->shape->channel[c].slots;

		out->in_slot[c] = calloc(slots + 1, sizeof(*out->in_slot[c]));
		if (!out->in_slot[c])
			return false;
	}
	return true;
}

int wl_post(struct wl_replica *r, const struct wl_write *w)
{
	int error = r->port->ops->post(r->port, w);

	if (error)
		return wl_fail(r, "replica %u cannot post a write: %s", r->id,
			       strerror(-error));
	r->posted[r->post_tail++ % WL_RING] = *w;
	return 1;
}

static uint64_t *in_slot(struct wl_replica *r, struct wl_out *out)
{
	return &out->in_slot[out->next.channel][wl_message_slot(r->plan, &out->next)];
}

/* How far the reader is; credits only grow, and only to what was sent. */
static int take_credit(struct wl_replica *r, unsigned int dst)
{
	struct wl_out *out = &r->out[dst];
	uint64_t offset = r->plan->area[dst][r->id].credit;
	uint64_t credit = le64toh(*(const volatile uint64_t *)(const void *)
				  (r->region + offset));

	OCF_RMB();
	if (credit < out->credit || credit > out->next.k)
		return wl_fail(r, "replica %u, link %u, credit at 0x%" PRIx64
			       ": expected %" PRIu64 " to %" PRIu64 ", found %" PRIu64,
			       r->id, dst, offset, out->credit, out->next.k, credit);
	out->credit = credit;
	return 0;
}

static bool has_credit(struct wl_replica *r, struct wl_out *out)
{
	return out->next.k - out->credit < out->next.window &&
	       out->credit >= *in_slot(r, out);
}

/* 1, 0: not yet, -1: an error */
static int may_send(struct wl_replica *r, unsigned int dst)
{
	struct wl_out *out = &r->out[dst];
	const struct wl_message *m = &out->next;

	if (m->k / out->per_round >=
	    __atomic_load_n(&r->limit->rounds, __ATOMIC_ACQUIRE))
		return 0;
	if (r->port->ops->room(r->port) <= RESERVE)
		return 0;
	if (m->after >= 0 && r->in[m->after].consumed < m->after_count)
		return 0;
	if (m->pause_us && r->port->ops->now_us(r->port) < r->paused_until_us)
		return 0;
	if (!has_credit(r, out) && take_credit(r, dst))
		return -1;
	return has_credit(r, out);
}

static int send(struct wl_replica *r, unsigned int dst)
{
	uint8_t bytes[WL_MESSAGE_MAX];
	struct wl_out *out = &r->out[dst];
	const struct wl_message *m = &out->next;
	uint64_t round = m->k / out->per_round;
	struct wl_write w = {
		.data = bytes,
		.raddr = wl_message_offset(r->plan, r->id, dst, m),
		.qpn = wl_qpn(r->plan, r->id, dst),
		.len = m->len,
		.bytes = m->len,
		.is_imm = m->imm,
		.imm = (uint32_t)m->index,
		.is_semaphore = m->form == WL_SEMAPHORE,
		.semaphore = r->id,
		.peer = (uint8_t)dst,
		.what = r->plan->shape->channel[m->channel].name,
		.k = m->k,
	};

	wl_message_bytes(r->plan, r->id, dst, m, bytes);
	w.misrouted = wl_is_misrouted(r->plan, r->id, w.qpn, dst);
	if (wl_post(r, &w) < 0)
		return -1;
	*in_slot(r, out) = m->k + 1;
	r->stats.sent++;
	r->stats.sent_bytes += m->len;
	if (m->pause_us)
		r->paused_until_us = r->port->ops->now_us(r->port) + m->pause_us;
	if (r->frontier <= round)
		__atomic_store_n(&r->frontier, round + 1, __ATOMIC_RELAXED);
	wl_message(r->plan, r->id, dst, m->k + 1, &out->next);
	return 1;
}

int wl_send(struct wl_replica *r)
{
	unsigned int i, dst, burst;
	int may = 0, sent = 0;

	for (i = 1; i < r->plan->n; i++) {
		dst = (r->id + i) % r->plan->n;
		if (!r->out[dst].per_round)
			continue;
		for (burst = 0; burst < r->burst; burst++) {
			may = may_send(r, dst);
			if (may <= 0)
				break;
			may = send(r, dst);
			if (may < 0)
				break;
			sent++;
		}
		if (may < 0)
			return -1;
	}
	return sent;
}

/* ---- completions -------------------------------------------------------- */

/* While a window is changed, its writes change their verdict once. */
static bool is_allowed(struct wl_replica *r, const struct wl_write *w,
		       unsigned int verdict)
{
	bool refused = verdict == OCFABRIC_VERDICT_UNAUTHORIZED;

	if (w->during == WL_REVOKE_IDLE)
		return verdict == w->verdict;
	if (!refused && verdict != OCFABRIC_VERDICT_COMMITTED)
		return false;
	if (w->during == WL_REVOKE_TAKING)
		return refused || !r->refused;
	return !refused || r->refused;
}

static uint32_t bytes_of(const struct wl_write *w, unsigned int verdict)
{
	if (w->during != WL_REVOKE_IDLE && verdict == OCFABRIC_VERDICT_UNAUTHORIZED)
		return 0;
	return w->bytes;
}

static int wrong(struct wl_replica *r, const struct wl_write *w,
		 const struct wl_done *done)
{
	return wl_fail(r, "replica %u, link %u, %s %" PRIu64 " at 0x%" PRIx64
		       ": expected QPN %u, %s, %u bytes%s, found QPN %u, %s, %u bytes%s",
		       r->id, r->id, w->what, w->k, w->raddr, w->qpn,
		       ocf_verdict_name(w->verdict), w->bytes,
		       w->misrouted ? ", misrouted" : "", done->qpn,
		       ocf_verdict_name(done->verdict), done->bytes,
		       done->misrouted ? ", misrouted" : "");
}

/* The next one of the stream that has an immediate, if it has any at all. */
static bool next_imm(struct wl_replica *r, unsigned int src, struct wl_message *m)
{
	struct wl_in *in = &r->in[src];
	unsigned int i;

	for (i = 0; i < in->per_round; i++) {
		wl_message(r->plan, src, r->id, in->imm_next++, m);
		if (m->imm)
			return true;
	}
	return false;
}

static int received(struct wl_replica *r, const struct wl_done *done)
{
	unsigned int src = done->source;
	struct wl_message m;
	uint32_t qpn;

	if (src >= r->plan->n || !next_imm(r, src, &m))
		return wl_fail(r, "replica %u: a receive completion from replica %u, which sends no immediates",
			       r->id, src);
	qpn = wl_qpn(r->plan, src, r->id);
	if (done->imm != (uint32_t)m.index)
		return wl_fail(r, "replica %u, link %u: expected immediate %u, found %u",
			       r->id, src, (uint32_t)m.index, done->imm);
	if (done->verdict != OCFABRIC_VERDICT_COMMITTED || done->bytes != m.len ||
	    done->qpn != qpn)
		return wl_fail(r, "replica %u, link %u, immediate %u: expected QPN %u, committed, %u bytes, found QPN %u, %s, %u bytes",
			       r->id, src, done->imm, qpn, m.len, done->qpn,
			       ocf_verdict_name(done->verdict), done->bytes);
	r->in[src].imms++;
	return 0;
}

static int completed(struct wl_replica *r, const struct wl_done *done)
{
	const struct wl_write *w = &r->posted[r->post_head % WL_RING];

	if (done->receive)
		return received(r, done);
	if (r->post_head == r->post_tail)
		return wl_fail(r, "replica %u, link %u: expected no completion, found one of QPN %u, %s",
			       r->id, r->id, done->qpn, ocf_verdict_name(done->verdict));
	if (!is_allowed(r, w, done->verdict) ||
	    done->bytes != bytes_of(w, done->verdict) ||
	    done->qpn != w->qpn || done->misrouted != w->misrouted)
		return wrong(r, w, done);
	if (w->revocable) {
		r->refused = done->verdict == OCFABRIC_VERDICT_UNAUTHORIZED;
		if (!r->refused)
			r->revocable_committed = w->k;
	}
	wl_tally(&r->tally, w, done->verdict);
	r->stats.bad += w->bad;
	r->post_head++;
	return 0;
}

int wl_complete(struct wl_replica *r)
{
	struct wl_done done[32];
	int nr = r->port->ops->poll(r->port, done, 32), i;

	if (nr < 0)
		return wl_fail(r, "replica %u: %s", r->id, ocf_error());
	for (i = 0; i < nr; i++)
		if (completed(r, &done[i]))
			return -1;
	return nr;
}
