/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What others may touch of a replica: its completion ring, its receive ring,
 * its semaphores, and how it is told of them.
 *
 * A queue runs on one thread, but the writes of every other queue may end
 * here: a WRITE_IMM uses up a receive descriptor and writes a completion, a
 * SEM_REMOTE adds to a semaphore. So an inbox has a lock of its own, a leaf:
 * whoever holds it takes no other, and a thread holds one inbox at a time. It
 * is held for moments, some hundred of them in the life of one big write, so
 * it spins. All functions here but the first three are called with it held.
 *
 * Nothing is ever written that had no room: a completion's entry is reserved
 * before the descriptor is run, a receive descriptor before the write is
 * taken. A reservation is a number, not a place, and it ends with the queue's
 * being disabled, from where on `epoch` is another one.
 *
 * A queue whose inbox finds something wrong does not stop at once, as that is
 * for its own thread to do; but it takes nothing any more, and is told to run.
 */
#ifndef OCF_INBOX_H
#define OCF_INBOX_H

#include "model.h"
#include "moderation.h"
#include "ring.h"

struct ocf_inbox {
	const struct ocf_host *host;
	unsigned int id;
	uint32_t locked;	/* atomic */

	bool open;		/* there are rings: the queue is not disabled */
	bool takes;		/* the queue is enabled, and nothing is wrong */
	uint8_t cause;		/* atomic: why the queue has to stop, or 0 */
	uint32_t wrote;		/* these belong to it */
	uint32_t expected;
	uint32_t epoch;		/* changes when reservations end */

	/* completions, all mod 2^32 */
	uint32_t produced;
	uint32_t consumed;	/* by the owner, when last looked at */
	uint32_t announced;	/* dirty, and compared with the arm index */
	uint32_t held;		/* entries reserved */
	uint32_t interrupts;

	/* receive descriptors, all mod 2^32 */
	uint32_t rx_head;	/* used */
	uint32_t rx_tail;	/* rung */
	uint32_t rx_batch;	/* used when the ring was last empty */
	uint32_t rx_held;	/* reserved, from rx_head on */
	uint64_t rx_pending;	/* atomic: rung, and not looked at yet */

	/* semaphores: they stay whatever becomes of the queue */
	uint32_t sem[OCF_SEMS];
	uint64_t added;		/* those that were added to since announced */
	bool waiting;		/* the queue's head is a WAIT, for: */
	uint8_t wait_sem;
	uint32_t wait_target;

	struct ocf_moderation moderation;
	uint64_t due;		/* what the embedder's timer was set to */

	uint64_t owner;
	uint64_t mirror;	/* DMA address of the semaphore page, or 0 */
	const uint8_t *owner_host;
	uint8_t *mirror_host;
	struct ocf_ring cq;
	struct ocf_ring rx;	/* shift 0: there is none */
};

/* inbox.c */

void ocf_inbox_init(struct ocf_inbox *b, const struct ocf_host *host,
		    unsigned int id);

/* As after power-on. */
void ocf_inbox_reset(struct ocf_inbox *b);

/*
 * The receive doorbell. False, and nothing happens, unless the queue is
 * enabled. Never waits: what finds the lock taken is left for later.
 */
bool ocf_inbox_ring(struct ocf_inbox *b, uint32_t increment);

static inline bool ocf_inbox_trylock(struct ocf_inbox *b)
{
	return !__atomic_exchange_n(&b->locked, 1, __ATOMIC_ACQUIRE);
}

/* It is taken. */
void ocf_inbox_lock_wait(struct ocf_inbox *b);

static inline void ocf_inbox_lock(struct ocf_inbox *b)
{
	if (!ocf_inbox_trylock(b))
		ocf_inbox_lock_wait(b);
}

static inline void ocf_inbox_unlock(struct ocf_inbox *b)
{
	__atomic_store_n(&b->locked, 0, __ATOMIC_RELEASE);
}

/* The queue was enabled, its shape is known. Counts start, semaphores stay. */
void ocf_inbox_open(struct ocf_inbox *b);

/* The queue goes: tells what is to be told, and touches nothing any more. */
void ocf_inbox_close(struct ocf_inbox *b, uint64_t now);

/* The queue takes nothing any more, and has to stop for this. */
void ocf_inbox_stop(struct ocf_inbox *b, enum ocfabric_queue_cause cause,
		    uint32_t wrote, uint32_t expected);

/* Receive descriptors that can still be rung: none without such a ring. */
uint32_t ocf_inbox_room(const struct ocf_inbox *b);

/* What was rung and not looked at. */
void ocf_inbox_rung(struct ocf_inbox *b);

/*
 * A receive descriptor and the entry for its completion, for a write that may
 * come to it; and giving both back.
 */
bool ocf_inbox_arm(struct ocf_inbox *b);
void ocf_inbox_disarm(struct ocf_inbox *b);

/* The write has come. Of e, what is the write's; the rest is added to it. */
void ocf_inbox_receive(struct ocf_inbox *b, struct ocfabric_cqe *e);

/* Host memory has moved, or the queue was enabled. */
void ocf_inbox_map(struct ocf_inbox *b);

/* Whether one that was loaded, its reservations counted, can be used. */
bool ocf_inbox_valid(const struct ocf_inbox *b);

/* completion.c */

/*
 * An entry for a completion; `index` is of the descriptor that needs it. If
 * there is none, the queue has been stopped.
 */
bool ocf_inbox_reserve(struct ocf_inbox *b, uint32_t index);

/* It was not needed. */
void ocf_inbox_release(struct ocf_inbox *b);

/* Uses it: e gets its tag and is written. */
void ocf_inbox_complete(struct ocf_inbox *b, struct ocfabric_cqe *e);

/* After a batch: dirty marks, and whether the owner wants to be told. */
void ocf_inbox_announce(struct ocf_inbox *b, uint64_t now);

/* semaphore.c */

static inline bool ocf_sem_met(uint32_t value, uint32_t target)
{
	return (int32_t)(value - target) >= 0;
}

void ocf_inbox_sem_add(struct ocf_inbox *b, unsigned int sem, uint32_t value);

/* Whether it has come that far; if not, the add that does so says it. */
bool ocf_inbox_sem_wait(struct ocf_inbox *b, unsigned int sem, uint32_t target);

/* Writes all values to where they are mirrored. */
bool ocf_inbox_sem_mirror(struct ocf_inbox *b);

#endif
