// SPDX-License-Identifier: GPL-2.0-only
/* The time stamp counter: its rate, and what it costs to read */
#include <stdlib.h>
#include <time.h>

#include "bench.h"

#define CALIBRATION_NS	100000000
#define PAIRS		2001

static double ns_per_tick;
static uint64_t cost;

static int64_t raw_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t pair_cost(void)
{
	static uint64_t pair[PAIRS];
	uint64_t start;

	for (int i = 0; i < PAIRS; i++) {
		start = ticks();
		pair[i] = ticks() - start;
	}
	qsort(pair, PAIRS, sizeof(pair[0]), compare);
	return pair[PAIRS / 2];
}

void clock_start(void)
{
	int64_t first_ns = raw_ns(), ns;
	uint64_t first = ticks();

	do {
		ns = raw_ns() - first_ns;
	} while (ns < CALIBRATION_NS);
	ns_per_tick = (double)ns / (double)(ticks() - first);
	cost = pair_cost();
}

double ticks_to_ns(uint64_t t)
{
	return (double)t * ns_per_tick;
}

uint64_t clock_cost(void)
{
	return cost;
}
