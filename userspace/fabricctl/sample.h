/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a card does now: counters, stages, queues of its links, for top and
 * export. Each function fills its part, prints what goes wrong, and returns an
 * exit status; those that a driver may not offer have a flag that says so.
 */
#ifndef FABRICCTL_SAMPLE_H
#define FABRICCTL_SAMPLE_H

#include "counters.h"

struct stage_count {
	uint64_t in;
	uint64_t out;
	uint64_t ended;
};

struct stages {
	struct stage_count stage[OCFABRIC_PATHS];
	int held;		/* the stage of the write in flight; -1: none */
	unsigned int waits_for;
	double held_us;		/* since its last progress */
};

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
	bool known;		/* what follows; else 0 */
	uint32_t stall_ms;
	uint32_t storm;
};

struct sample {
	int64_t at;			/* of CLOCK_MONOTONIC */
	unsigned int links;		/* with counters: n of them */
	struct counters counters[OCFABRIC_REPLICAS_MAX];
	bool staged;			/* the driver tells stages */
	struct stages stages[OCFABRIC_REPLICAS_MAX];
	struct queue queue[OCFABRIC_REPLICAS_MAX];
	struct limits limits;
};

int sample_limits(struct ctl *ctl, const struct card *card, struct sample *s);
int sample_counters(struct ctl *ctl, const struct card *card, struct sample *s);
int sample_stages(struct ctl *ctl, const struct card *card, struct sample *s);
int sample_queues(struct ctl *ctl, const struct card *card, struct sample *s);

/* All of them. */
int sample_card(struct ctl *ctl, const struct card *card, struct sample *s);

/* Its write in flight has made no progress for as long as the card allows. */
bool sample_stalled(const struct sample *s, unsigned int link);

#endif
