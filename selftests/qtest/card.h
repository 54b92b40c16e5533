/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine with the card in it, set up as a driver would: BARs, bus
 * mastering, configuration, queues, keys. Host memory is laid out by hand, see
 * the addresses below.
 */
#ifndef OCF_QTEST_CARD_H
#define OCF_QTEST_CARD_H

#include <linux/ocfabric_hw.h>

#include "qtest.h"
#include "tap.h"

#define BAR_CONTROL	0xe0000000ull
#define BAR_DOORBELL	0xe0100000ull
#define BAR_HBM		0x800000000ull
#define CARD_SLOT	4

/* Host memory: a megabyte a queue, from here */
#define QUEUE_MEMORY(q)	(0x1000000ull + 0x200000ull * (q))
#define TX_RING(q)	QUEUE_MEMORY(q)
#define CQ_RING(q)	(QUEUE_MEMORY(q) + 0x40000)
#define OWNER_LINE(q)	(QUEUE_MEMORY(q) + 0x80000)
#define QUEUE_STRUCT(q)	(QUEUE_MEMORY(q) + 0x81000)
#define RANGE_LIST(q)	(QUEUE_MEMORY(q) + 0x84000)
#define SEM_PAGE(q)	(QUEUE_MEMORY(q) + 0x83000)
#define RX_RING(q)	(QUEUE_MEMORY(q) + 0x90000)
#define SOURCE(q)	(QUEUE_MEMORY(q) + 0x100000)
#define SOURCE_SIZE	0x100000
#define EVENT_RING	0x800000ull
#define MSI_PAGE	0x900000ull	/* vector v writes its number to + 4 * v */

/* The configuration that card_configure() makes */
#define REGION(i)	(0x100000ull * (i))
#define REGION_SIZE	0x100000ull

struct card {
	struct qtest *q;
	const char *options;
	unsigned int ring_shift[16];
	uint32_t posted[16], taken[16], armed[16];
};

/* Options of the device after -device ocfabric, or "". BARs set, mastering on. */
struct card *card_start(const char *options);
/* More arguments for QEMU, NULL at the end. */
struct card *card_start_with(const char *options, const char *const *more);
/* Nothing is set up: it comes from the migration. */
struct card *card_start_bare(const char *options, const char *const *more);
void card_end(struct card *c);

/* Sets a property, to a value in JSON; whether QEMU took it. */
bool card_set(struct card *c, const char *property, const char *value);

uint32_t pci_read(struct card *c, unsigned int offset);
void pci_write(struct card *c, unsigned int offset, uint32_t value);
void card_bus_master(struct card *c, bool on);
void card_set_bars(struct card *c);
/* Offset of a capability in configuration space; the test fails without. */
unsigned int pci_find_cap(struct card *c, uint8_t id);

uint32_t rd32(struct card *c, uint32_t reg);
uint64_t rd64(struct card *c, uint32_t reg);
void wr32(struct card *c, uint32_t reg, uint32_t value);
void wr64(struct card *c, uint32_t reg, uint64_t value);

/* Waits until (register & mask) is value; fails the test at the deadline. */
bool card_wait(struct card *c, uint32_t reg, uint32_t mask, uint32_t value);

void card_drain(struct card *c);
void card_resume(struct card *c);
/*
 * n replicas with REGION()s, default connections, a window each way that has
 * semaphores 8 to 39, too.
 */
void card_configure(struct card *c, unsigned int n, uint32_t latency);

/* Issues a command and returns its result once it is done. */
uint32_t card_cmd(struct card *c, uint32_t opcode, uint32_t queue, uint64_t a0,
		  uint64_t a1, uint64_t a2, uint64_t a3);

/* Enables with rings of 2^shift entries; CHECKs that it works. */
void card_queue(struct card *c, unsigned int q, unsigned int shift);
/* What card_queue() would enable with. */
struct ocfabric_hw_queue card_queue_struct(unsigned int q, unsigned int shift);
uint32_t card_enable(struct card *c, unsigned int q,
		     const struct ocfabric_hw_queue *hw);

/* A key for all of SOURCE(q), addresses starting at 0. */
void card_key(struct card *c, unsigned int q, uint32_t key);

/* QPN of the default connection of n replicas from src to dst. */
uint32_t card_qpn(unsigned int n, unsigned int src, unsigned int dst);

/* A WRITE of len bytes at this source offset under this key. */
struct ocfabric_desc card_write(uint32_t qpn, uint64_t raddr, uint32_t len,
				uint64_t addr, uint32_t key);

/* Puts it at the next place of the ring, with the right tag; rings not. */
void card_post(struct card *c, unsigned int q, struct ocfabric_desc d);
/* Puts bytes there as they are. */
void card_put(struct card *c, unsigned int q, uint32_t count,
	      const struct ocfabric_desc *d);
void card_ring(struct card *c, unsigned int q, uint32_t increment);

/* n receive descriptors at the next places, rung. */
void card_recv(struct card *c, unsigned int q, uint32_t n);
void card_ring_recv(struct card *c, unsigned int q, uint32_t increment);

/* SEM_LOCAL, SEM_REMOTE and WAIT */
struct ocfabric_desc card_sem(uint8_t opcode, uint32_t qpn, unsigned int sem,
			      uint32_t value);
/* Value of a semaphore: the register, and CHECKs that the owner sees it. */
uint32_t card_sem_value(struct card *c, unsigned int q, unsigned int sem);

/* The next completion, waited for; all zero and a failure at the deadline. */
struct ocfabric_cqe card_take(struct card *c, unsigned int q);
/* Whether it is there now. */
bool card_has(struct card *c, unsigned int q);
/* Posts, rings, takes. */
struct ocfabric_cqe card_run(struct card *c, unsigned int q,
			     struct ocfabric_desc d);

/* Whatever state it is in: resets it, sets it up and writes once; the verdict. */
unsigned int card_honest_write(struct card *c);

uint64_t card_counter(struct card *c, unsigned int link, unsigned int counter);
/* writes = committed + all that ended otherwise, of every link. */
void card_check_sums(struct card *c, unsigned int n);

uint32_t card_state(struct card *c, unsigned int q);
uint32_t card_cause(struct card *c, unsigned int q);

/* MSI-X on, every vector to MSI_PAGE. */
void card_msix(struct card *c);
/* Whether the vector has come since it was last asked. */
bool card_msix_came(struct card *c, unsigned int vector);

/* An event ring of 16 entries; how many were written, and the i-th of them. */
void card_events(struct card *c);
uint32_t card_nr_events(struct card *c);
struct ocfabric_event card_event(struct card *c, uint32_t i);

/* One pseudo-random number after the other, from a fixed seed. */
uint64_t card_random(uint64_t *state);

#endif
