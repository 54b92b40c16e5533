// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the card says to a write. CHECKS below is the one list of the checks
 * and their order; judging and explaining are both made from it.
 */
#include "internal.h"

#define ALL_KINDS	((1u << OCF_NR_KINDS) - 1)
#define DATA_KINDS	(1u << OCF_KIND_WRITE | 1u << OCF_KIND_WRITE_IMM)
#define IMM_KIND	(1u << OCF_KIND_WRITE_IMM)

/* X(check, name, counter on failure, kinds of write that have it) */
#define CHECKS(X) \
	X(MEMBER,  member,  OCF_BAD_CONFIG,    ALL_KINDS) \
	X(MAPPED,  mapped,  OCF_UNMAPPED,      ALL_KINDS) \
	X(QP,      qp,      OCF_QP_STATE,      ALL_KINDS) \
	X(PEER,    peer,    OCF_BAD_CONFIG,    ALL_KINDS) \
	X(LENGTH,  length,  OCF_ZERO_LENGTH,   DATA_KINDS) \
	X(ALIGNED, aligned, OCF_MISALIGNED,    DATA_KINDS) \
	X(BOUNDS,  bounds,  OCF_OUT_OF_BOUNDS, DATA_KINDS) \
	X(WINDOW,  window,  OCF_UNAUTHORIZED,  ALL_KINDS) \
	X(ARMED,   armed,   OCF_RNR,           IMM_KIND)

OCF_INLINE bool check_member(const struct ocf_subject *s, unsigned int peer)
{
	(void)peer;
	return ocf_n_valid(s->cfg) && s->link < s->cfg->n;
}

OCF_INLINE bool check_mapped(const struct ocf_subject *s, unsigned int peer)
{
	(void)s;
	return peer != OCF_NO_PEER;
}

OCF_INLINE bool check_qp(const struct ocf_subject *s, unsigned int peer)
{
	uint32_t qpn = s->w->qpn;

	(void)peer;
	return !s->qp_stopped || !(s->qp_stopped[qpn / 64] >> qpn % 64 & 1);
}

OCF_INLINE bool check_peer(const struct ocf_subject *s, unsigned int peer)
{
	return peer < s->cfg->n && peer < OCF_REPLICAS && peer != s->link &&
	       !(s->cfg->region[peer].base & OCF_LINE_MASK);
}

OCF_INLINE bool check_length(const struct ocf_subject *s, unsigned int peer)
{
	(void)peer;
	return s->w->len != 0;
}

OCF_INLINE bool check_aligned(const struct ocf_subject *s, unsigned int peer)
{
	(void)peer;
	return s->w->raddr % 4 == 0;
}

OCF_INLINE bool check_bounds(const struct ocf_subject *s, unsigned int peer)
{
	const struct ocf_region *r = &s->cfg->region[peer];
	uint32_t len = s->w->len;

	if (len > r->size || s->w->raddr > r->size - len)
		return false;
	/* the last byte's address; without bytes, where they would start */
	return s->w->raddr + (len ? len - 1 : 0) <= UINT64_MAX - r->base;
}

/* Windows of the pair that start at or before the write. */
OCF_INLINE uint32_t windows_before(const struct ocf_config *cfg, unsigned int pair,
			       uint64_t raddr)
{
	uint32_t lo = cfg->first[pair], hi = cfg->first[pair + 1], mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (cfg->reach[mid].offset <= raddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

OCF_INLINE bool check_window(const struct ocf_subject *s, unsigned int peer)
{
	const struct ocf_config *cfg = s->cfg;
	unsigned int pair = ocf_pair(s->link, peer);
	uint64_t raddr = s->w->raddr, end;
	uint32_t k;

	if (s->w->kind == OCF_KIND_SEM)
		return s->w->sem < OCF_SEMS && (cfg->sems[pair] >> s->w->sem & 1);

	k = windows_before(cfg, pair, raddr);
	if (k == cfg->first[pair])
		return false;
	end = cfg->reach[k - 1].end;
	return end >= raddr && end - raddr >= s->w->len;
}

OCF_INLINE bool check_armed(const struct ocf_subject *s, unsigned int peer)
{
	return !s->armed || s->armed(s->opaque, s->link, peer);
}

OCF_INLINE unsigned int look_up(const struct ocf_subject *s)
{
	if (s->link >= OCF_REPLICAS || s->w->qpn >= OCF_QPNS)
		return OCF_NO_PEER;
	return s->cfg->conn[s->link][s->w->qpn];
}

/* Senders that count their QPNs id * n + j meant peer j. */
OCF_INLINE bool misrouted(const struct ocf_subject *s, unsigned int peer)
{
	int64_t meant = (int64_t)s->w->qpn - (int64_t)s->link * s->cfg->n;

	return s->cfg->upstream_qpns && peer != OCF_NO_PEER &&
	       (int64_t)peer != meant;
}

OCF_INLINE struct ocf_judgement where_to(const struct ocf_subject *s)
{
	struct ocf_judgement j = {
		OCF_COMMITTED, OCF_NO_PEER, false, OCF_NR_CHECKS
	};

	if (check_member(s, OCF_NO_PEER)) {
		j.peer = (uint8_t)look_up(s);
		j.misrouted = misrouted(s, j.peer);
	}
	return j;
}

#define HAS(kinds, kind)	((kinds) == ALL_KINDS || ((kinds) >> (kind) & 1))

#define JUDGE(check, name, counter, kinds)				\
	if (HAS(kinds, s->w->kind) && !check_##name(s, j.peer)) {	\
		j.verdict = (counter);					\
		j.failed = OCF_CHECK_##check;				\
		return j;						\
	}

struct ocf_judgement ocf_judge(const struct ocf_subject *s)
{
	struct ocf_judgement j = where_to(s);

	CHECKS(JUDGE)
	return j;
}

#define NAME(check, name, counter, kinds)	[OCF_CHECK_##check] = #name,
const char *const ocf_check_names[OCF_NR_CHECKS] = { CHECKS(NAME) };

static const struct {
	bool (*passes)(const struct ocf_subject *s, unsigned int peer);
	enum ocf_counter counter;
	unsigned int kinds;
} checks[OCF_NR_CHECKS] = {
#define ROW(check, name, counter, kinds) \
	[OCF_CHECK_##check] = { check_##name, counter, kinds },
	CHECKS(ROW)
};

enum ocf_counter ocf_check_verdict(enum ocf_check check)
{
	return checks[check].counter;
}

/* A later check may need the entry, or the peer's region, to be there. */
static bool can_judge(const struct ocf_subject *s, enum ocf_check check,
		      unsigned int peer)
{
	switch (check) {
	case OCF_CHECK_QP:
	case OCF_CHECK_PEER:
		return peer != OCF_NO_PEER;
	case OCF_CHECK_BOUNDS:
	case OCF_CHECK_WINDOW:
	case OCF_CHECK_ARMED:
		return peer < OCF_REPLICAS && s->link < OCF_REPLICAS;
	default:
		return true;
	}
}

static enum ocf_outcome outcome(const struct ocf_subject *s,
				enum ocf_check check, unsigned int peer)
{
	if (!HAS(checks[check].kinds, s->w->kind))
		return OCF_NOT_NEEDED;
	if (!can_judge(s, check, peer))
		return OCF_NOT_JUDGED;
	return checks[check].passes(s, peer) ? OCF_PASSED : OCF_FAILED;
}

void ocf_explain(const struct ocf_subject *s, struct ocf_explanation *e)
{
	unsigned int peer = look_up(s);
	int check;

	e->judgement = where_to(s);
	e->decides = OCF_NR_CHECKS;
	for (check = 0; check < OCF_NR_CHECKS; check++) {
		e->outcome[check] = outcome(s, (enum ocf_check)check, peer);
		if (e->outcome[check] != OCF_FAILED ||
		    e->decides != OCF_NR_CHECKS)
			continue;
		e->decides = (enum ocf_check)check;
		e->judgement.verdict = checks[check].counter;
		e->judgement.failed = (uint8_t)check;
	}
}

uint32_t ocf_write_beats(const struct ocf_write *w)
{
	return ocf_beats_of(w);
}

uint32_t ocf_write_bytes(const struct ocf_write *w)
{
	if (w->kind == OCF_KIND_SEM)
		return 0;
	return ocf_bytes_of(w->len, ocf_beats_of(w));
}

uint32_t ocf_write_oversize(const struct ocf_write *w)
{
	if (w->kind == OCF_KIND_SEM)
		return 0;
	return ocf_oversize_of(w->len, ocf_beats_of(w));
}
