/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf: latency and bandwidth from one replica to another
 *
 * perf.c	 the verbs: sizes, what is printed
 * perf_pair.c	 which two replicas, and being them
 * perf_setup.c	 a configuration of our own, and the old one again
 * perf_run.c	 the measurements
 */
#ifndef FABRICCTL_PERF_H
#define FABRICCTL_PERF_H

#include "traffic.h"

/* Where writes go, as the configuration has it: one window's mapped part. */
struct path {
	uint32_t qpn;
	uint64_t raddr;
	uint64_t room;		/* bytes; 0: there is no such window */
};

/* One of the two replicas. */
struct end {
	unsigned int id;
	struct path path;	/* to the other */
	struct ocf_replica *r;
	struct ocf_memory memory;	/* that writes are taken from */
	volatile uint8_t *region;	/* mapped, as if from its first byte on */
};

struct perf {
	struct ctl *ctl;
	const struct card *card;
	bool both_ways;		/* the peer writes back */
	uint64_t iterations;
	uint32_t largest;	/* bytes of a write */
	struct ocf_device *dev;
	struct end end[2];	/* link, peer */
	double *sample;		/* iterations of them */
	int64_t *posted;	/* when; of each */
};

/* perf_setup.c: exit statuses, with the message printed */

/* Makes one for the two; says so. */
int setup_make(struct perf *perf, const struct config *old);
int setup_undo(struct perf *perf, const struct config *old);

/* perf_pair.c: the same */

/* Finds the replicas and their paths in the card's configuration. */
int pair_find(struct perf *perf, const struct config *config);
int pair_attach(struct perf *perf);
void pair_detach(struct perf *perf);

/* perf_run.c: the same */
struct bandwidth {
	double peak;		/* bytes a second */
	double average;
	double messages;	/* a second */
};

/* Half of each round trip, in nanoseconds, into perf->sample. */
int run_latency(struct perf *perf, uint32_t size);
int run_bandwidth(struct perf *perf, uint32_t size, struct bandwidth *result);

#endif
