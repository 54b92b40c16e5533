// SPDX-License-Identifier: LGPL-2.1-or-later
/* Numbers that follow from others: the finalizer of SplitMix64, chained */
#include <endian.h>
#include <string.h>

#include "workload.h"

#define GAMMA	0x9e3779b97f4a7c15ULL

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

uint64_t wl_random(uint64_t seed, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t x = mix(seed + GAMMA);

	x = mix(x + a + GAMMA);
	x = mix(x + b + GAMMA);
	x = mix(x + c + GAMMA);
	return mix(x + d + GAMMA);
}

void wl_random_fill(uint64_t x, uint8_t *bytes, size_t count)
{
	while (count) {
		uint64_t word = htole64(mix(x));
		size_t n = count < sizeof(word) ? count : sizeof(word);

		memcpy(bytes, &word, n);
		x += GAMMA;
		bytes += n;
		count -= n;
	}
}
