/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the model share and the embedder has no use for. */
#ifndef OCF_MODEL_INTERNAL_H
#define OCF_MODEL_INTERNAL_H

#include "model.h"

#define OCF_LINE_MASK	((uint64_t)OCF_LINE - 1)

#define OCF_INLINE	static inline __attribute__((always_inline))

/* QEMU is built so that locals are zeroed first; these are always set. */
#if defined(__has_attribute)
#if __has_attribute(uninitialized)
#define OCF_UNINITIALIZED	__attribute__((uninitialized))
#endif
#endif
#ifndef OCF_UNINITIALIZED
#define OCF_UNINITIALIZED
#endif

static inline unsigned int ocf_pair(unsigned int src, unsigned int dst)
{
	return src * OCF_REPLICAS + dst;
}

static inline bool ocf_n_valid(const struct ocf_config *cfg)
{
	return cfg->n - 2 <= OCF_REPLICAS - 2;
}

/* Lines that n bytes fill, from the start of one. */
static inline uint32_t ocf_beats_for(uint32_t n)
{
	return n / OCF_LINE + (n % OCF_LINE != 0);
}

OCF_INLINE uint32_t ocf_beats_of(const struct ocf_write *w)
{
	if (w->beats)
		return w->beats;
	return w->len ? ocf_beats_for(w->len) : 1;
}

/* Bytes of a write that has data, and len bytes of it announced. */
OCF_INLINE uint32_t ocf_bytes_of(uint32_t len, uint32_t beats)
{
	uint64_t came = (uint64_t)beats * OCF_LINE;

	return came < len ? (uint32_t)came : len;
}

OCF_INLINE uint32_t ocf_oversize_of(uint32_t len, uint32_t beats)
{
	uint32_t wanted = ocf_beats_for(len);

	return beats > wanted ? beats - wanted : 0;
}

/* Lines that [addr, addr + n) touches; n is not 0. */
static inline uint32_t ocf_lines(uint64_t addr, uint64_t n)
{
	return (uint32_t)(((addr & OCF_LINE_MASK) + n + OCF_LINE - 1) / OCF_LINE);
}

static inline bool ocf_in_hbm(const struct ocf_card *card, uint64_t addr,
			      uint64_t n)
{
	return addr <= card->hbm_size && n <= card->hbm_size - addr;
}

/* ---- where the stages of a path are counted, in the order of the path ---- */

/* The meta beat. */
OCF_INLINE void ocf_path_taken(struct ocf_link *l)
{
	l->path.in[OCF_PATH_TAKEN]++;
}

/* It passed the checks, and the latency has passed. */
OCF_INLINE void ocf_path_judged(struct ocf_link *l)
{
	l->path.out[OCF_PATH_TAKEN]++;
	l->path.in[OCF_PATH_MAPPED]++;
	l->path.out[OCF_PATH_MAPPED]++;
	l->path.in[OCF_PATH_AUTHORIZED]++;
	l->path.out[OCF_PATH_AUTHORIZED]++;
}

/* From here on it takes source bytes, if it has any. */
OCF_INLINE void ocf_path_moves(struct ocf_link *l)
{
	l->path.in[OCF_PATH_REALIGNED]++;
}

/* All of them have come. */
OCF_INLINE void ocf_path_moved(struct ocf_link *l)
{
	l->path.out[OCF_PATH_REALIGNED]++;
	l->path.in[OCF_PATH_ISSUED]++;
}

/* And all lines have gone. */
OCF_INLINE void ocf_path_issued(struct ocf_link *l)
{
	l->path.out[OCF_PATH_ISSUED]++;
	l->path.in[OCF_PATH_ACKNOWLEDGED]++;
}

/* All responses are there, and good. */
OCF_INLINE void ocf_path_committed(struct ocf_link *l)
{
	l->path.out[OCF_PATH_ACKNOWLEDGED]++;
	l->path.in[OCF_PATH_COMPLETED]++;
	l->path.out[OCF_PATH_COMPLETED]++;
}

/* The stage that a write in flight is in. */
static inline enum ocf_path ocf_flight_at(const struct ocf_flight *f)
{
	switch (f->stage) {
	case OCF_STAGE_LATENCY:
		return OCF_PATH_TAKEN;
	case OCF_STAGE_MOVING:
		return f->taken < f->bytes ? OCF_PATH_REALIGNED : OCF_PATH_ISSUED;
	default:
		return OCF_PATH_ACKNOWLEDGED;
	}
}

/* The latency has passed: from here on the write moves, if it has bytes. */
static inline void ocf_flight_wake(struct ocf_link *l, uint64_t now)
{
	struct ocf_flight *f = &l->flight;

	if (f->stage != OCF_STAGE_LATENCY || now < f->go_at)
		return;
	ocf_path_judged(l);
	ocf_path_moves(l);
	f->since = now;
	f->stage = OCF_STAGE_MOVING;
	if (f->bytes)
		return;
	ocf_path_moved(l);
	ocf_path_issued(l);
	f->stage = OCF_STAGE_RESPONSES;
}

static inline void ocf_flight_wait_until(struct ocf_flight *f, uint64_t cycle)
{
	if (f->go_at < cycle)
		f->go_at = cycle;
}

#endif
