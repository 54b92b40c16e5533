// SPDX-License-Identifier: GPL-2.0-only
/* Series of samples, their median and their bad end */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define SERIES_MAX	128

struct series {
	char name[64];
	const char *unit;
	bool is_rate;		/* the bad end is the low one */
	double *sample;
	size_t count;
	size_t room;
};

static struct series all[SERIES_MAX];
static unsigned int nr_series;

static struct series *make(const char *unit, bool is_rate, const char *format,
			   va_list args)
{
	struct series *s = &all[nr_series];

	if (nr_series == SERIES_MAX)
		fail("more than %d series", SERIES_MAX);
	nr_series++;
	vsnprintf(s->name, sizeof(s->name), format, args);
	s->unit = unit;
	s->is_rate = is_rate;
	return s;
}

struct series *series_ns(const char *format, ...)
{
	struct series *s;
	va_list args;

	va_start(args, format);
	s = make("ns", false, format, args);
	va_end(args);
	return s;
}

struct series *series_rate(const char *unit, const char *format, ...)
{
	struct series *s;
	va_list args;

	va_start(args, format);
	s = make(unit, true, format, args);
	va_end(args);
	return s;
}

static void add(struct series *s, double value)
{
	if (s->count == s->room) {
		s->room = s->room ? 2 * s->room : 1024;
		s->sample = realloc(s->sample, s->room * sizeof(*s->sample));
		if (!s->sample)
			fail("no memory for %zu samples of %s", s->room, s->name);
	}
	s->sample[s->count++] = value;
}

void series_add_ticks(struct series *s, uint64_t t)
{
	add(s, t > clock_cost() ? ticks_to_ns(t - clock_cost()) : 0);
}

void series_add_rate(struct series *s, double units, uint64_t t)
{
	add(s, units * 1e9 / ticks_to_ns(t));
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double at(const struct series *s, double fraction)
{
	return s->sample[(size_t)((double)(s->count - 1) * fraction + 0.5)];
}

void series_print(void)
{
	for (unsigned int i = 0; i < nr_series; i++) {
		struct series *s = &all[i];

		if (!s->count)
			fail("no samples of %s", s->name);
		qsort(s->sample, s->count, sizeof(*s->sample), compare);
		printf("%s %s %.1f %zu %.1f\n", s->name, s->unit, at(s, 0.5),
		       s->count, at(s, s->is_rate ? 0.01 : 0.99));
	}
}
