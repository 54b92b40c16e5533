/* SPDX-License-Identifier: GPL-2.0-only */
/* A card of the model for host tests, with all memory it needs inside. */
#ifndef OCF_HOST_CARD_H
#define OCF_HOST_CARD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define TEST_WINDOWS	64
#define TEST_FAULTS	64

struct test_card {
	struct ocf_card card;
	struct ocf_window windows[TEST_WINDOWS];
	struct ocf_reach reach[TEST_WINDOWS];
	struct ocf_fault faults[TEST_FAULTS];
	uint32_t nr_windows;
	uint8_t *hbm_memory;
};

/* In reset state. */
static inline struct test_card *test_card_new(uint64_t hbm_size)
{
	struct test_card *t = calloc(1, sizeof(*t));

	if (!t || posix_memalign((void **)&t->hbm_memory, 64, hbm_size + 64))
		abort();
	memset(t->hbm_memory, 0, hbm_size + 64);
	t->card.hbm = t->hbm_memory;
	t->card.hbm_size = hbm_size;
	t->card.config.windows = t->windows;
	t->card.config.reach = t->reach;
	t->card.config.max_windows = TEST_WINDOWS;
	t->card.faults.slot = t->faults;
	t->card.faults.max = TEST_FAULTS;
	ocf_card_reset(&t->card);
	return t;
}

static inline void test_card_free(struct test_card *t)
{
	free(t->hbm_memory);
	free(t);
}

static inline struct ocf_config *test_card_drain(struct test_card *t)
{
	ocf_card_drain(&t->card);
	return ocf_card_configure(&t->card);
}

static inline void test_card_resume(struct test_card *t)
{
	ocf_card_resume(&t->card);
}

/* While drained. */
static inline void test_card_window(struct test_card *t, unsigned int src, unsigned int dst,
		      uint64_t offset, uint64_t length)
{
	struct ocf_window *w = &t->windows[t->nr_windows++ % TEST_WINDOWS];

	memset(w, 0, sizeof(*w));
	w->src = (uint8_t)src;
	w->dst = (uint8_t)dst;
	w->offset = offset;
	w->length = length;
	w->valid = true;
}

/*
 * n replicas with adjacent regions of `size` from `base` on, the default
 * connections, and (n up to 8) a window from each to all of each other's.
 */
static inline void test_card_setup(struct test_card *t, uint32_t n, uint64_t base,
		     uint64_t size)
{
	struct ocf_config *cfg = test_card_drain(t);
	unsigned int i, j;

	cfg->n = n;
	for (i = 0; i < n && i < OCF_REPLICAS; i++) {
		cfg->region[i].base = base + i * size;
		cfg->region[i].size = size;
		for (j = 0; j < n && n <= 8; j++)
			if (j != i)
				test_card_window(t, i, j, 0, size);
	}
	ocf_config_default_conn(cfg);
	test_card_resume(t);
}

/* The default connection's QPN. */
static inline uint32_t test_qpn(uint32_t n, unsigned int src, unsigned int dst)
{
	return (n - 1) * src + (dst < src ? dst : dst - 1);
}

#endif
