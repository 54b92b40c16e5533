/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A replica's queue: descriptors in, writes over the link, completions out.
 *
 *	ring	the doorbell: so many descriptors more
 *	run	as many of them as the budget allows, and what is in flight
 *
 * A queue belongs to the link with its number, and the same locking: one
 * thread at a time, enabling, disabling, keys and mapping included. It is the
 * only one that gives its link writes. What others reach of it while it works,
 * completions, receive descriptors and semaphores, is in its inbox (inbox.h).
 *
 * State is plain, and a write in flight needs nothing but its descriptor and
 * what the link knows of it, so that it can be saved and loaded at any time
 * between two calls.
 */
#ifndef OCF_QUEUE_H
#define OCF_QUEUE_H

#include "inbox.h"
#include "key.h"
#include "model.h"
#include "qp.h"
#include "ring.h"

#define OCF_BOUNCE	4096	/* source bytes that cannot be mapped */

struct ocf_queue {
	struct ocf_card *card;
	const struct ocf_host *host;
	unsigned int id;

	struct ocf_inbox *inbox;	/* of all replicas; own: [id] */

	uint8_t state;		/* enum ocfabric_queue_state */
	uint8_t cause;		/* enum ocfabric_queue_cause */
	bool busy;		/* desc is in flight, its completion reserved */
	bool parked;		/* desc is a WAIT, at the head and not met */
	bool flushing;		/* some before flush_end may have to be */

	/* descriptors, all mod 2^32 */
	uint32_t head;		/* run */
	uint32_t tail;		/* rung */
	uint32_t batch;		/* run when the ring was last empty */
	uint32_t flush_end;

	uint32_t wrote;		/* see enum ocfabric_queue_cause */
	uint32_t expected;

	uint32_t epoch;		/* of the inbox in which desc reserved */
	uint32_t touched;	/* inboxes that this run has to announce */

	uint64_t now;		/* fabric clock, as of lately */
	uint64_t due;		/* when run said OCF_NEXT_TIME: till then */

	struct ocfabric_desc desc;	/* the card's copy; validated */
	struct ocf_ring tx;
	struct ocf_keys keys;

	/* connections that went to ERR when the ring was rung up to here: flush.c */
	uint64_t flush[OCF_QPNS / 64];
	uint32_t flush_to[OCF_QPNS];

	uint8_t bounce[OCF_BOUNCE];
};

/* How much one run may do; what it did is subtracted. */
struct ocf_budget {
	uint32_t descriptors;
	uint32_t bytes;
};

/* What has to happen for the queue to go on. */
enum ocf_next {
	OCF_NEXT_RING,		/* the doorbell, or enabling */
	OCF_NEXT_RUN,		/* nothing: the budget is used up */
	OCF_NEXT_TIME,		/* cycle `due` comes */
	OCF_NEXT_RESUME,	/* the card is drained */
	OCF_NEXT_SEM,		/* a semaphore; OCF_TELL_WORK says so */
};

/*
 * The keys' memory, range[OCF_RANGES], and the inboxes, inbox[OCF_REPLICAS],
 * are the embedder's. It makes the card's arm_take and arm_return the two
 * functions for it below.
 */
void ocf_queue_init(struct ocf_queue *q, struct ocf_card *card,
		    const struct ocf_host *host, unsigned int id,
		    struct ocf_range *range, struct ocf_inbox *inbox);

/*
 * As after power-on, the inbox too. Forgets a write in flight: reset the card
 * too.
 */
void ocf_queue_reset(struct ocf_queue *q);

/* Descriptors that can still be rung. */
uint32_t ocf_queue_room(const struct ocf_queue *q);

/* Nothing happens unless the queue is enabled. */
void ocf_queue_ring(struct ocf_queue *q, uint64_t increment);

enum ocf_next ocf_queue_run(struct ocf_queue *q, struct ocf_budget *budget);

/* Ends the write in flight, if there is one, as dma_error. */
void ocf_queue_reset_link(struct ocf_queue *q);

/*
 * A connection of the queue's link: qp.h, and what it means for writes. Moving to
 * RESET or ERR, and recovering, ends its write in flight as dma_error. What was rung
 * before it moved to ERR completes as FLUSHED; a doorbell counts that was added to
 * the queue. Recovering loads it again, from whatever state.
 */
struct ocf_qp_answer ocf_queue_modify_qp(struct ocf_queue *q, uint32_t qpn,
					 const struct ocf_qp_attrs *attrs);
struct ocf_qp_answer ocf_queue_recover_qp(struct ocf_queue *q, uint32_t qpn);

/* Of the sender: reserve what a write to this peer needs; give it back. */
bool ocf_queue_arm(struct ocf_queue *q, unsigned int peer);
void ocf_queue_disarm(struct ocf_queue *q, unsigned int peer);

static inline struct ocf_inbox *ocf_queue_inbox(const struct ocf_queue *q)
{
	return &q->inbox[q->id];
}

/* setup.c */

/* Reads what is at this address once. */
enum ocfabric_hw_result ocf_queue_enable(struct ocf_queue *q, uint64_t addr);

/*
 * The queue is disabled, or, without abort, QUIESCING while a write is in
 * flight; the run that ends the write disables it then.
 */
enum ocfabric_hw_result ocf_queue_disable(struct ocf_queue *q, bool abort);

/* Host memory has moved: map everything again. */
void ocf_queue_map(struct ocf_queue *q);

/*
 * Whether queues that were loaded from outside, with their inboxes, can be gone
 * on with. Reservations, and what is waited for, are made from the rest; they
 * need not be saved. No queue may be running.
 */
bool ocf_queues_valid(struct ocf_queue *const *queue, unsigned int n);
/* NULL; or what of it cannot be, for people, and *which queue's it is. */
const char *ocf_queues_wrong(struct ocf_queue *const *queue, unsigned int n,
			     unsigned int *which);

/* desc.c */
#define OCF_DESC_GOOD	0xff

/* Byte offset of the first field that is refused, or OCF_DESC_GOOD. */
unsigned int ocf_desc_check(const struct ocfabric_desc *d);

/* The meta beat that it sends. */
struct ocf_write ocf_desc_write(const struct ocfabric_desc *d);

/* flush.c, for the others */

/* Whether the descriptor at the head, checked, is one of those. */
bool ocf_queue_flushes(struct ocf_queue *q);

/* Of one that was loaded: makes the rest from flush and flush_to. */
bool ocf_queue_flush_valid(struct ocf_queue *q);

/* queue.c, for setup.c */

/* The write in flight ends now. */
void ocf_queue_abort(struct ocf_queue *q);

/* Nothing of the queue is touched from here on. */
void ocf_queue_shut(struct ocf_queue *q);

#endif
