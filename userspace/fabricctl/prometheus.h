/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * export prometheus: the exposition format, from a table of metrics
 *
 * export.c reads all cards, each part of what they are for itself, and writes the
 * metrics of prometheus_metrics.c, each with its series for card after card. What
 * could not be read has no series, and ocfabric_part_up says so.
 */
#ifndef FABRICCTL_PROMETHEUS_H
#define FABRICCTL_PROMETHEUS_H

#include <stdio.h>

#include "print.h"
#include "sample.h"

enum export_part {
	PART_DEVICE, PART_CONFIG, PART_COUNTERS, PART_STAGES, PART_QUEUES,
	PART_QPS,
	NR_EXPORT_PARTS
};

extern const char *const export_parts[NR_EXPORT_PARTS];

#define QP_STATES	7

struct exported {
	const struct card *card;
	bool up[NR_EXPORT_PARTS];
	struct sample sample;
	/* of the configuration */
	uint64_t replicas;
	uint64_t windows;
	uint64_t latency;
	uint64_t generation;
	bool drained;
	uint64_t qps[OCFABRIC_REPLICAS_MAX][QP_STATES];
};

struct metric {
	const char *name;
	const char *type;
	const char *help;
	enum export_part part;	/* that it is of */
	void (*put)(FILE *out, const struct metric *metric,
		    const struct exported *e);
	unsigned int which;	/* for put: a counter, a member */
};

extern const struct metric metrics[];
extern const unsigned int nr_metrics;

/* # HELP and # TYPE */
void put_metric_head(FILE *out, const char *name, const char *type,
		     const char *help);
/* Pairs of name and value */
#define LABELS(...)	((const char *const[]){ __VA_ARGS__, NULL })
#define NO_LABELS	((const char *const[]){ NULL })

void put_series(FILE *out, const char *name, uint64_t value,
		const char *const *labels);
void put_series_seconds(FILE *out, const char *name, double value,
			const char *const *labels);

#endif
