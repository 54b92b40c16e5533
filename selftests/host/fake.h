/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A card for libocfabric in plain memory: rings that are played here by the rules
 * of linux/ocfabric_hw.h. It takes what the doorbells announced, checks tags, and
 * stops for good where the card would. Writes go into the peers' regions, QPN i
 * leads to replica i, and everything is allowed.
 */
#ifndef OCF_TEST_FAKE_H
#define OCF_TEST_FAKE_H

#include <lib/internal.h>

#define FAKE_REPLICAS	3
#define FAKE_SHIFT_MAX	6
#define FAKE_ENTRIES	(1u << FAKE_SHIFT_MAX)
#define FAKE_REGION	65536
#define FAKE_KEY	0x41

struct fake {
	struct ocf_held held;
	struct ocfabric_desc tx[FAKE_ENTRIES];
	struct ocfabric_rx_desc rx[FAKE_ENTRIES];
	struct ocfabric_cqe cq[2 * FAKE_ENTRIES];
	struct ocfabric_owner owner;
	uint32_t sems[OCFABRIC_SEMAPHORES];
	uint32_t doorbell;
	uint32_t rx_doorbell;
	uint64_t region[FAKE_REGION / 8];
	uint64_t memory[FAKE_REGION / 8];	/* what FAKE_KEY names */

	/* the card's side */
	uint32_t head;
	uint32_t tail;
	uint32_t rx_head;
	uint32_t rx_tail;
	uint32_t produced;
	uint32_t rnr;
	bool stale;		/* a descriptor had the tag of another lap */
	bool full;		/* the completion ring looked full */
	bool over;		/* more was rung than the ring holds, or not by a doorbell */
	uint8_t status;		/* of writes from now on */
	struct ocfabric_desc last;
};

extern struct fake fakes[FAKE_REPLICAS];

/* Replicas anew, with rings of these sizes. */
void fake_start(uint32_t tx_shift, uint32_t rx_shift, uint32_t cq_shift);

/* Takes the doorbells of all and runs until nothing can run. */
void fake_run(void);

/* All completions taken, counted. */
unsigned int fake_poll(struct fake *f);

/* Whether anything went wrong that the library has to prevent. */
bool fake_broken(const struct fake *f);

static inline struct ocf_replica *fake_replica(unsigned int i)
{
	return &fakes[i].held.pub;
}

#endif
