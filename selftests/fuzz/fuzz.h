/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the fuzz targets share. A target is one file, with LLVMFuzzerTestOneInput();
 * it must hold for each input that nothing it states by MUST() is false, and the
 * sanitizers have nothing to say. Inputs are read by take(), which gives zeros past
 * their end, so that every input means something.
 */
#ifndef OCF_FUZZ_H
#define OCF_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition)							\
	do {								\
		if (!(condition)) {					\
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, \
				__LINE__, #condition);			\
			abort();					\
		}							\
	} while (0)

struct bytes {
	const uint8_t *at;
	size_t left;
};

static inline void take(struct bytes *b, void *to, size_t n)
{
	size_t got = n < b->left ? n : b->left;

	memset(to, 0, n);
	if (got)
		memcpy(to, b->at, got);
	b->at += got;
	b->left -= got;
}

static inline uint8_t take8(struct bytes *b)
{
	uint8_t v;

	take(b, &v, sizeof(v));
	return v;
}

static inline uint16_t take16(struct bytes *b)
{
	uint16_t v;

	take(b, &v, sizeof(v));
	return v;
}

static inline uint32_t take32(struct bytes *b)
{
	uint32_t v;

	take(b, &v, sizeof(v));
	return v;
}

static inline uint64_t take64(struct bytes *b)
{
	uint64_t v;

	take(b, &v, sizeof(v));
	return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
