// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bulk engine against memcpy, on the host: whole writes, from meta beat to
 * record, of every size and word shift. Prints NAME UNIT VALUE N P99 a line;
 * the value is the median of N samples. Samples of memcpy and of all shifts of
 * one size take turns, so that a slow phase of the machine hits all alike.
 *
 * usage: bulk [SAMPLES]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"

#define HBM		(8u << 20)
#define REGION		(1u << 20)	/* where replica 1's begins */
#define SHIFTS		16u
#define MAX_SAMPLES	1001u
/* In its page; at the destination's place every copy is slower than it need be. */
#define SKEW		3008u
#define SAMPLE_BYTES	(1u << 20)	/* that a sample moves, at most 1000 times */

static const size_t sizes[] = {
	4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536,
	262144, 1048576,
};

static struct ocf_card card;
static uint8_t *source;
static double sample[SHIFTS + 1][MAX_SAMPLES];	/* the last is memcpy's */

static void fail(const char *why)
{
	fprintf(stderr, "bulk: %s\n", why);
	exit(1);
}

static void make_card(void)
{
	static struct ocf_window window;
	static struct ocf_reach reach;
	struct ocf_config *cfg;

	card.config.windows = &window;
	card.config.reach = &reach;
	card.config.max_windows = 1;
	card.hbm = aligned_alloc(4096, HBM);
	card.hbm_size = HBM;
	source = aligned_alloc(4096, 2 * REGION);
	if (!card.hbm || !source)
		fail("no memory");
	memset(card.hbm, 0, HBM);
	memset(source, 0x5a, 2 * REGION);
	source += SKEW;

	ocf_card_reset(&card);
	ocf_card_drain(&card);
	cfg = ocf_card_configure(&card);
	cfg->n = 2;
	cfg->region[1].base = REGION;
	cfg->region[1].size = HBM - REGION;
	window.dst = 1;
	window.length = HBM - REGION;
	window.valid = true;
	ocf_config_default_conn(cfg);
	ocf_card_resume(&card);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static unsigned int repeats(size_t size)
{
	size_t n = SAMPLE_BYTES / size;

	return n < 1 ? 1 : n > 1000 ? 1000 : (unsigned int)n;
}

static double bulk_rate(size_t size, unsigned int shift)
{
	unsigned int n = repeats(size), i;
	struct ocf_write w = { .raddr = 4 * shift, .len = (uint32_t)size };
	struct ocf_record rec;
	double start = seconds();

	for (i = 0; i < n; i++)
		if (ocf_bulk_write(&card, 0, &w, source, i, &rec) != OCF_DONE)
			fail("a write was rejected");
	return (double)size * n / (seconds() - start);
}

static double memcpy_rate(size_t size)
{
	unsigned int n = repeats(size), i;
	uint8_t *to = card.hbm + REGION;
	double start = seconds();

	for (i = 0; i < n; i++) {
		memcpy(to, source, size);
		/* it may not be left out, nor done once for all */
		__asm__ volatile("" : "+r"(to) : : "memory");
	}
	return (double)size * n / (seconds() - start);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of a rate, the bad end is the low one. */
static void print(const char *name, double *s, unsigned int n)
{
	qsort(s, n, sizeof(*s), compare);
	printf("%s B/s %.0f %u %.0f\n", name, s[n / 2], n, s[n / 100]);
}

static void measure(size_t size, unsigned int n)
{
	unsigned int i, shift;
	char name[64];

	for (i = 0; i < n; i++) {
		sample[SHIFTS][i] = memcpy_rate(size);
		for (shift = 0; shift < SHIFTS; shift++)
			sample[shift][i] = bulk_rate(size, shift);
	}
	snprintf(name, sizeof(name), "host.memcpy_bytes_per_s.%zu", size);
	print(name, sample[SHIFTS], n);
	for (shift = 0; shift < SHIFTS; shift++) {
		snprintf(name, sizeof(name), "host.bulk_bytes_per_s.%zu.%u",
			 size, shift);
		print(name, sample[shift], n);
	}
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 0) : 101;
	size_t i;

	if (n < 1 || n > MAX_SAMPLES)
		fail("SAMPLES is not within 1..1001");
	make_card();
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		measure(sizes[i], (unsigned int)n);
	return 0;
}
