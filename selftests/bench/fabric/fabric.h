/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All sixteen replicas of a card in one process, driven by a thread on each of two
 * vCPUs: what many links do together. The rules for measuring are those of
 * card/bench.h.
 */
#ifndef OCF_BENCH_FABRIC_H
#define OCF_BENCH_FABRIC_H

#include "../card/bench.h"

#define REPLICAS	OCFABRIC_REPLICAS_MAX
#define SIZE		64u	/* bytes of a write */
#define PER_BELL	32u
#define REGION		(64u << 10)

struct fabric {
	struct end end[REPLICAS];
};

/* setup.c */
void fabric_setup(struct fabric *f);
void fabric_end(struct fabric *f);
void on_cpu(unsigned int cpu);

/* all.c: writes a second, of 1, 2, 3, 5, 8 and 16 links, all to all */
void all_prepare(void);
void all_round(struct fabric *f);

/* other.c: the thread on vCPU 1; it drives links first, first + step, ... */
void other_start(struct fabric *f);
void other_stop(void);
void other_stream(unsigned int n, unsigned int first, unsigned int step);
uint64_t other_written(void);
void other_finish(void);

/* all.c: a doorbell of writes of each of these links; returns how many */
uint64_t burst(struct fabric *f, unsigned int n, unsigned int first,
	       unsigned int step);

/* ring.c: sixteen queues by one broadcast doorbell, and by sixteen doorbells */
void ring_prepare(void);
void ring_round(struct fabric *f);

#endif
