/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A card of the model with host memory and one or two queues, for host tests.
 * Host memory is an array that starts at a DMA address; around it is nothing.
 */
#ifndef OCF_HOST_MACHINE_H
#define OCF_HOST_MACHINE_H

#include "card.h"
#include "queue.h"

#define DMA_BASE	0x40000000ull
#define MEMORY_SIZE	0x40000
#define QUEUES		2

/* Where things are in it, from its start; a block of this size a queue. */
#define BLOCK		0x18000
#define TX_AT(q)	((q) * BLOCK)
#define CQ_AT(q)	((q) * BLOCK + 0x4000)
#define OWNER_AT(q)	((q) * BLOCK + 0x6000)
#define SEM_AT(q)	((q) * BLOCK + 0x7000)
#define STRUCT_AT(q)	((q) * BLOCK + 0x8000)
#define LIST_AT(q)	((q) * BLOCK + 0x9000)
#define RX_AT(q)	((q) * BLOCK + 0xb000)
#define SOURCE_AT(q)	((q) * BLOCK + 0xc000)
#define SOURCE_BYTES	0xc000

#define MACHINE_HBM	0x40000ull
#define MACHINE_REGION	0x20000ull

struct machine {
	struct test_card *t;
	struct ocf_host host;
	struct ocf_queue queue[QUEUES];
	struct ocf_inbox inbox[OCF_REPLICAS];
	struct ocf_range range[QUEUES][OCF_RANGES];
	uint8_t *memory;
	uint64_t size;		/* of it */
	bool mapped;		/* map() gives pointers */
	uint64_t clock;
	uint64_t stored;	/* bytes of completion rings told of */
	uint64_t mirrored;	/* and of semaphore pages */
	unsigned int told[QUEUES];	/* OCF_TELL_*; the test clears them */
	uint64_t wait[QUEUES];	/* the cycle that an inbox waits for */
	uint32_t posted[QUEUES];
	uint32_t armed[QUEUES];
	uint32_t taken[QUEUES];
};

/* Two replicas with a region each, windows for all of it and semaphores 0-31. */
struct machine *machine_new(bool mapped, uint32_t latency);
void machine_free(struct machine *m);
/* So much memory; what is in it is lost. */
void machine_resize(struct machine *m, uint64_t size);
/* As new: zeroed memory, no keys, queues disabled. */
void machine_restart(struct machine *m, bool mapped, uint32_t latency);

/* Rings of 2^shift entries; CHECKs that it works. */
void machine_enable(struct machine *m, unsigned int q, unsigned int shift);
struct ocfabric_hw_queue machine_queue_struct(unsigned int q,
					      unsigned int shift);
/* A key for all of the queue's source, addresses from 0. */
void machine_key(struct machine *m, unsigned int q, uint32_t key);

struct ocfabric_desc machine_write(uint64_t raddr, uint32_t len, uint64_t addr,
				   uint32_t key);
struct ocfabric_desc machine_sem(uint8_t opcode, unsigned int sem,
				 uint32_t value);
/* Receive descriptors, with the right tags. Not rung. */
void machine_recv(struct machine *m, unsigned int q, unsigned int n);
/* The value that the owner sees. */
uint32_t machine_mirror(struct machine *m, unsigned int q, unsigned int sem);
/* The owner's word at this offset of its line. */
void machine_own(struct machine *m, unsigned int q, size_t offset,
		 uint32_t value);
/* With the right tag, at the next place. */
void machine_post(struct machine *m, unsigned int q, struct ocfabric_desc d);
/* Runs until nothing but a doorbell or the clock makes it go on. */
enum ocf_next machine_run(struct machine *m, unsigned int q);
/* Posts it and rings; runs everybody as long as somebody is told to. */
void machine_do(struct machine *m, unsigned int q, struct ocfabric_desc d);
void machine_work(struct machine *m);
/* No queue is running: whether all of them could be saved and loaded. */
bool machine_valid(struct machine *m);
/* The next completion; false if there is none. */
bool machine_take(struct machine *m, unsigned int q, struct ocfabric_cqe *e);

#endif
