// SPDX-License-Identifier: GPL-2.0-only
/*
 * The copy into the HBM, each way that runs here: the right bytes, no others,
 * and no aligned word that is ever seen half old and half new.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "tap.h"

#define ROOM	4096u
#define GUARD	128u

static void fill(uint8_t *p, size_t n, uint32_t x)
{
	while (n--) {
		x = x * 1664525u + 1013904223u;
		*p++ = (uint8_t)(x >> 24);
	}
}

/* The source ends where its memory does: a load past it is seen. */
static void copy_one(size_t way, uint8_t *dst, uint8_t *want, size_t at,
		     size_t skew, size_t n)
{
	uint8_t *exact = malloc(n + skew + !(n + skew));
	uint8_t *src = exact + skew;

	fill(src, n, (uint32_t)(at * 7 + n));
	memset(dst, 0x55, ROOM);
	memset(want, 0x55, ROOM);
	memcpy(want + at, src, n);
	ocf_copy_way(way, dst + at, src, n);
	CHECK(!memcmp(dst, want, ROOM), "%s: dst + %zu, src + %zu, %zu bytes",
	      ocf_copy_way_name(way), at, skew, n);
	free(exact);
}

static void all_offsets_and_lengths(void)
{
	uint8_t *dst = aligned_alloc(64, ROOM), *want = malloc(ROOM);
	size_t way, at, n, skew;

	for (way = 0; way < ocf_copy_ways(); way++) {
		if (!ocf_copy_way(way, dst, want, 0)) {
			printf("# %s does not run here\n",
			       ocf_copy_way_name(way));
			continue;
		}
		for (at = 0; at < 64; at += 4)
			for (n = 0; n <= 400; n++)
				copy_one(way, dst, want, GUARD + at,
					 (n * 5 + at) % 64, n);
		for (skew = 0; skew < 64; skew++)
			for (n = 1000; n < 2100; n += 63)
				copy_one(way, dst, want, GUARD + 4 * (skew % 16),
					 skew, n);
	}
	free(dst);
	free(want);
}

static void chosen_way(void)
{
	uint8_t *dst = aligned_alloc(64, ROOM), src[300];

	fill(src, sizeof(src), 5);
	memset(dst, 0, ROOM);
	ocf_copy(dst + 4, src, sizeof(src));
	CHECK(!memcmp(dst + 4, src, sizeof(src)));
	CHECK(!dst[3] && !dst[4 + sizeof(src)]);
	free(dst);
}

/* ---- a reader on another thread ------------------------------------------- */

#define WORDS		4096u
#define LOOKS		3000u	/* of the reader at all words, each place */
#define MAX_TURNS	50000000u

static struct {
	_Atomic uint64_t word[WORDS + 2] __attribute__((aligned(64)));
	size_t way, at, n;
	atomic_uint looks;
	atomic_uint torn;
} shared;

/* Words that [at, at + n) covers whole. */
static void *look(void *arg)
{
	size_t first = (shared.at + 7) / 8, end = (shared.at + shared.n) / 8, i;

	(void)arg;
	while (shared.looks < LOOKS) {
		for (i = first; i < end; i++) {
			uint64_t v = atomic_load_explicit(&shared.word[i],
							  memory_order_relaxed);

			if (v && v != ~0ULL)
				shared.torn++;
		}
		shared.looks++;
	}
	return NULL;
}

static void watch(size_t way, size_t at, size_t n)
{
	static uint8_t bytes[2][8 * (WORDS + 2)];
	pthread_t reader;
	unsigned int turn;

	memset(bytes[1], 0xff, sizeof(bytes[1]));
	memset(&shared, 0, sizeof(shared));
	shared.at = at;
	shared.n = n;
	if (pthread_create(&reader, NULL, look, NULL)) {
		CHECK(false, "no thread");
		return;
	}
	/* a source that is aligned to nothing */
	for (turn = 0; shared.looks < LOOKS && turn < MAX_TURNS; turn++)
		ocf_copy_way(way, (uint8_t *)shared.word + at,
			     bytes[turn & 1] + 3, n);
	shared.looks = LOOKS;
	pthread_join(reader, NULL);
	CHECK(!shared.torn, "%s: at %zu, %zu bytes: %u torn words",
	      ocf_copy_way_name(way), at, n, shared.torn);
}

static void whole_words(void)
{
	static const size_t places[][2] = {
		{ 0, 8 }, { 4, 12 }, { 4, 64 }, { 8, 56 }, { 12, 500 },
		{ 20, 131 }, { 0, 512 }, { 36, 260 }, { 60, 255 },
		{ 100, 30000 },
	};
	size_t way, i;

	for (way = 0; way < ocf_copy_ways(); way++)
		for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			if (ocf_copy_way(way, shared.word, shared.word, 0))
				watch(way, places[i][0], places[i][1]);
}

static const struct tap_test tests[] = {
	{ "every way, offset and length", all_offsets_and_lengths },
	{ "the chosen way", chosen_way },
	{ "whole words are seen whole", whole_words },
};

TAP_MAIN(tests)
