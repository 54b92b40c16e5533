// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Prometheus' exposition format, version 0.0.4
 */
#include <inttypes.h>

#include "prometheus.h"

void put_metric_head(FILE *out, const char *name, const char *type,
		     const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* A backslash, a quote and a newline are escaped. */
static void put_label(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\n') {
			fputs("\\n", out);
			continue;
		}
		if (*value == '\\' || *value == '"')
			fputc('\\', out);
		fputc(*value, out);
	}
	fputc('"', out);
}

static void put_labels(FILE *out, const char *const *labels)
{
	char before = '{';

	for (; *labels; labels += 2) {
		fputc(before, out);
		put_label(out, labels[0], labels[1]);
		before = ',';
	}
	if (before == ',')
		fputc('}', out);
}

void put_series(FILE *out, const char *name, uint64_t value,
		const char *const *labels)
{
	fputs(name, out);
	put_labels(out, labels);
	fprintf(out, " %" PRIu64 "\n", value);
}

void put_series_seconds(FILE *out, const char *name, double value,
			const char *const *labels)
{
	fputs(name, out);
	put_labels(out, labels);
	fprintf(out, " %.9g\n", value);
}
