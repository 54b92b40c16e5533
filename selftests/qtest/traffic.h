/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Known traffic between the replicas of a card, and what has to become of it: each
 * descriptor completes once, in order, with the verdict, bytes and packet number that it
 * must have, each immediate arrives once, and in the end regions, semaphores and
 * counters hold what was committed and nothing else.
 *
 * All that is expected is in the structure: it is copied when the machine is saved, and
 * put back when it is loaded.
 */
#ifndef OCF_QTEST_TRAFFIC_H
#define OCF_QTEST_TRAFFIC_H

#include "card.h"

#define TRAFFIC_N	3	/* replicas */
#define TRAFFIC_SHIFT	6	/* entries of each ring, 2^ */
#define TRAFFIC_ENTRIES	64
#define TRAFFIC_PART	0x2000	/* bytes of a region that one source writes to */
#define TRAFFIC_AT(src)	(0x4000ull * (src))
#define TRAFFIC_SOURCE	0x8000	/* bytes of a source that hold something */
#define TRAFFIC_SEM	8	/* the first of a replica's semaphores that peers add to */

/* Of a descriptor that is posted */
struct expected {
	struct ocfabric_desc d;
	uint8_t status;		/* enum ocfabric_verdict */
	uint8_t dst;
	bool silent;		/* no completion */
	uint32_t bytes;		/* that it commits */
};

struct sender {
	struct expected posted[TRAFFIC_ENTRIES];
	uint32_t head, tail;
	uint32_t psn[TRAFFIC_N];	/* to each peer */
	uint32_t imm_sent[TRAFFIC_N];	/* numbers of immediates to each peer */
	uint32_t imm_came[TRAFFIC_N];	/* and from each */
	uint32_t armed;		/* receive descriptors that nothing was sent for */
	uint64_t clock;		/* of its last completion */
	uint64_t counter[OCFABRIC_COUNTERS];
	uint32_t sem[OCFABRIC_SEMAPHORES];
	uint8_t part[TRAFFIC_N][TRAFFIC_PART];	/* of its region, by source */
};

struct traffic {
	uint64_t random;
	uint32_t posted[16], taken[16], armed[16];	/* the card's indices */
	uint8_t source[TRAFFIC_N][TRAFFIC_SOURCE];
	struct sender s[TRAFFIC_N];
};

/* Queues, keys, sources; the card is configured by this, too. */
void traffic_start(struct traffic *t, struct card *c, uint64_t seed);
/* Queue q was enabled anew, by this: rings and expectations start again. */
void traffic_enable(struct traffic *t, struct card *c, unsigned int q);

/* A number below n. */
uint32_t traffic_random(struct traffic *t, uint32_t n);

/* Posts one of queue q's, of any kind; of those with bytes that are committed. */
void traffic_any(struct traffic *t, struct card *c, unsigned int q);
void traffic_write(struct traffic *t, struct card *c, unsigned int q);
/* Posts this. */
void traffic_post(struct traffic *t, struct card *c, unsigned int q,
		  struct expected e);
/* Some of any kind on all queues, rung. */
void traffic_some(struct traffic *t, struct card *c, unsigned int n);
/* Rings for what was posted since n were. */
void traffic_ring(struct traffic *t, struct card *c, unsigned int q, uint32_t n);

/* Takes what is there, and checks it; whether there was anything. */
bool traffic_take(struct traffic *t, struct card *c);
/* Lets time pass until all is there, and checks everything. */
void traffic_settle(struct traffic *t, struct card *c);

/* The card's side of what is copied. */
void traffic_save(struct traffic *t, const struct card *c);
void traffic_load(const struct traffic *t, struct card *c);

#endif
