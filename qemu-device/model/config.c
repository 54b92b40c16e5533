// SPDX-License-Identifier: GPL-2.0-or-later
/* Configuration: defaults, and the index that makes windows quick to check. */
#include <string.h>

#include "internal.h"

bool ocf_config_n_valid(const struct ocf_config *cfg)
{
	return ocf_n_valid(cfg);
}

void ocf_config_reset(struct ocf_config *cfg)
{
	cfg->n = 0;
	cfg->upstream_qpns = false;
	cfg->latency = 0;
	memset(cfg->region, 0, sizeof(cfg->region));
	memset(cfg->conn, OCF_NO_PEER, sizeof(cfg->conn));
	if (cfg->max_windows)
		memset(cfg->windows, 0,
		       cfg->max_windows * sizeof(*cfg->windows));
	ocf_config_index(cfg);
}

void ocf_config_default_conn(struct ocf_config *cfg)
{
	unsigned int link, r;

	memset(cfg->conn, OCF_NO_PEER, sizeof(cfg->conn));
	if (!ocf_config_n_valid(cfg))
		return;
	for (link = 0; link < cfg->n; link++)
		for (r = 0; r < cfg->n - 1; r++)
			cfg->conn[link][(cfg->n - 1) * link + r] =
				(uint8_t)(r < link ? r : r + 1);
}

static bool usable(const struct ocf_window *w)
{
	return w->valid && w->src < OCF_REPLICAS && w->dst < OCF_REPLICAS;
}

static uint64_t sem_mask(const struct ocf_window *w)
{
	unsigned int end = w->sem_first + w->sem_count;
	uint64_t mask = 0;
	unsigned int i;

	for (i = w->sem_first; i < end && i < OCF_SEMS; i++)
		mask |= 1ULL << i;
	return mask;
}

/*
 * A window's end. One that runs past 2^64 is cut there: no write that passes
 * the bounds check reaches as far.
 */
static uint64_t window_end(const struct ocf_window *w)
{
	return w->length > UINT64_MAX - w->offset ? UINT64_MAX :
						   w->offset + w->length;
}

static void sift_down(struct ocf_reach *r, uint32_t root, uint32_t n)
{
	struct ocf_reach moved = r[root];
	uint32_t child;

	while ((child = 2 * root + 1) < n) {
		if (child + 1 < n && r[child + 1].offset > r[child].offset)
			child++;
		if (r[child].offset <= moved.offset)
			break;
		r[root] = r[child];
		root = child;
	}
	r[root] = moved;
}

/* Heap sort: in place, and no table of windows makes it slow. */
static void sort_by_offset(struct ocf_reach *r, uint32_t n)
{
	struct ocf_reach last;
	uint32_t i;

	for (i = n / 2; i-- > 0;)
		sift_down(r, i, n);
	for (i = n; i-- > 1;) {
		last = r[i];
		r[i] = r[0];
		r[0] = last;
		sift_down(r, 0, i);
	}
}

/* With this, the last window that starts at or before a write decides. */
static void spread_ends(struct ocf_reach *r, uint32_t n)
{
	uint32_t i;

	for (i = 1; i < n; i++)
		if (r[i].end < r[i - 1].end)
			r[i].end = r[i - 1].end;
}

/* Afterwards first[p] is where pair p starts. */
static void count_pairs(struct ocf_config *cfg)
{
	uint32_t i;

	memset(cfg->first, 0, sizeof(cfg->first));
	memset(cfg->sems, 0, sizeof(cfg->sems));
	for (i = 0; i < cfg->max_windows; i++) {
		const struct ocf_window *w = &cfg->windows[i];

		if (!usable(w))
			continue;
		cfg->first[ocf_pair(w->src, w->dst) + 1]++;
		cfg->sems[ocf_pair(w->src, w->dst)] |= sem_mask(w);
	}
	for (i = 1; i <= OCF_REPLICAS * OCF_REPLICAS; i++)
		cfg->first[i] += cfg->first[i - 1];
}

static void place_windows(struct ocf_config *cfg)
{
	struct ocf_reach *r;
	uint32_t i;

	for (i = 0; i < cfg->max_windows; i++) {
		const struct ocf_window *w = &cfg->windows[i];

		if (!usable(w))
			continue;
		r = &cfg->reach[cfg->first[ocf_pair(w->src, w->dst)]++];
		r->offset = w->offset;
		r->end = window_end(w);
	}
	/* each first[p] has moved on to where p + 1 starts */
	memmove(cfg->first + 1, cfg->first,
		OCF_REPLICAS * OCF_REPLICAS * sizeof(*cfg->first));
	cfg->first[0] = 0;
}

void ocf_config_index(struct ocf_config *cfg)
{
	unsigned int pair;

	count_pairs(cfg);
	place_windows(cfg);
	for (pair = 0; pair < OCF_REPLICAS * OCF_REPLICAS; pair++) {
		uint32_t n = cfg->first[pair + 1] - cfg->first[pair];

		if (!n)
			continue;
		sort_by_offset(cfg->reach + cfg->first[pair], n);
		spread_ends(cfg->reach + cfg->first[pair], n);
	}
}
