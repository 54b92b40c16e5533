/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a card does now: counters, stages, queues of its links, for top and
 * export. Each function fills its part, prints what goes wrong, and returns an
 * exit status.
 */
#ifndef FABRICCTL_SAMPLE_H
#define FABRICCTL_SAMPLE_H

#include "counters.h"
#include "stages.h"

struct queue {
	bool known;		/* the card has it */
	bool attached;
	uint32_t pid;
	char comm[32];
	unsigned int state;
	unsigned int cause;
	bool waiting;
	uint32_t depth;		/* descriptors rung and not run */
	uint32_t rx_depth;	/* receive descriptors armed */
	uint32_t tx_entries;
	uint32_t rx_entries;
	uint32_t completions;
	uint32_t interrupts;
	uint32_t delayed;
	uint32_t weight;
	uint32_t keys;
	uint64_t pinned;
};

struct limits {
	uint32_t errors;
	uint32_t events_lost;
	uint32_t stall_ms;
	uint32_t storm;
};

struct sample {
	int64_t at;			/* of CLOCK_MONOTONIC */
	unsigned int links;		/* with counters: n of them */
	struct counters counters[OCFABRIC_REPLICAS_MAX];
	struct stages stages[OCFABRIC_REPLICAS_MAX];
	double held_us[OCFABRIC_REPLICAS_MAX];	/* without progress */
	bool stalled[OCFABRIC_REPLICAS_MAX];	/* longer than the card allows */
	struct queue queue[OCFABRIC_REPLICAS_MAX];
	struct limits limits;
};

int sample_limits(struct ctl *ctl, const struct card *card, struct sample *s);
int sample_counters(struct ctl *ctl, const struct card *card, struct sample *s);
int sample_stages(struct ctl *ctl, const struct card *card, struct sample *s);
int sample_queues(struct ctl *ctl, const struct card *card, struct sample *s);

/* All of them. */
int sample_card(struct ctl *ctl, const struct card *card, struct sample *s);

#endif
