/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A replica's queue: descriptors in, writes over the link, completions out.
 *
 *	ring	the doorbell: so many descriptors more
 *	run	as many of them as the budget allows, and what is in flight
 *
 * A queue belongs to the link with its number, and the same locking: one
 * thread at a time, enabling, disabling, keys and mapping included. It is the
 * only one that gives its link writes.
 *
 * State is plain, and a write in flight needs nothing but its descriptor and
 * what the link knows of it, so that it can be saved and loaded at any time
 * between two calls.
 */
#ifndef OCF_QUEUE_H
#define OCF_QUEUE_H

#include "key.h"
#include "model.h"
#include "ring.h"

#define OCF_BOUNCE	4096	/* source bytes that cannot be mapped */

/* What the embedder has to pass on; it clears what it took. */
#define OCF_TELL_INTERRUPT	1u	/* completions at or past the arm index */
#define OCF_TELL_STOPPED	2u	/* the queue stopped, see its cause */

struct ocf_queue {
	struct ocf_card *card;
	const struct ocf_host *host;
	unsigned int id;

	uint8_t state;		/* enum ocfabric_queue_state */
	uint8_t cause;		/* enum ocfabric_queue_cause */
	uint8_t tell;		/* OCF_TELL_* */
	bool busy;		/* desc is in flight */

	/* descriptors, all mod 2^32 */
	uint32_t head;		/* run */
	uint32_t tail;		/* rung */
	uint32_t batch;		/* run when the ring was last empty */

	/* completions, all mod 2^32 */
	uint32_t produced;
	uint32_t consumed;	/* by the owner, when last looked at */
	uint32_t announced;	/* dirty, and compared with the arm index */
	uint32_t interrupts;

	uint32_t wrote;		/* see enum ocfabric_queue_cause */
	uint32_t expected;

	uint64_t now;		/* fabric clock, as of lately */
	uint64_t due;		/* when run said OCF_NEXT_TIME: till then */

	struct ocfabric_desc desc;	/* the card's copy; validated */
	uint64_t owner;
	const uint8_t *owner_host;
	struct ocf_ring tx;
	struct ocf_ring cq;
	struct ocf_keys keys;
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
};

/* The keys' memory is the embedder's: range[OCF_RANGES]. */
void ocf_queue_init(struct ocf_queue *q, struct ocf_card *card,
		    const struct ocf_host *host, unsigned int id,
		    struct ocf_range *range);

/* As after power-on. Forgets a write in flight: reset the card too. */
void ocf_queue_reset(struct ocf_queue *q);

/* Reads what is at this address once. */
enum ocfabric_hw_result ocf_queue_enable(struct ocf_queue *q, uint64_t addr);

/*
 * The queue is disabled, or, without abort, QUIESCING while a write is in
 * flight; the run that ends the write disables it then.
 */
enum ocfabric_hw_result ocf_queue_disable(struct ocf_queue *q, bool abort);

/* Nothing happens unless the queue is enabled. */
void ocf_queue_ring(struct ocf_queue *q, uint64_t increment);

enum ocf_next ocf_queue_run(struct ocf_queue *q, struct ocf_budget *budget);

/* Host memory has moved: map everything again. */
void ocf_queue_map(struct ocf_queue *q);

/* Whether a queue that was loaded from outside can be gone on with. */
bool ocf_queue_valid(const struct ocf_queue *q);

/* desc.c */
#define OCF_DESC_GOOD	0xff

/* Byte offset of the first field that is refused, or OCF_DESC_GOOD. */
unsigned int ocf_desc_check(const struct ocfabric_desc *d);

/* The meta beat that a WRITE sends. */
struct ocf_write ocf_desc_write(const struct ocfabric_desc *d);

/* completion.c */

/* Whether one more completion fits; if not, the queue has been stopped. */
bool ocf_completion_room(struct ocf_queue *q);

struct ocf_completion {
	uint8_t status;		/* enum ocfabric_verdict */
	uint8_t flags;		/* without the tag */
	uint32_t bytes;
};

/* Of q->desc, which is at the head of the ring. */
void ocf_completion_write(struct ocf_queue *q, struct ocf_completion c);

/* After a batch of them: dirty marks, and whether the owner wants to know. */
void ocf_completion_announce(struct ocf_queue *q);

/* queue.c, for completion.c */
void ocf_queue_stop(struct ocf_queue *q, enum ocfabric_queue_cause cause,
		    uint32_t wrote, uint32_t expected);

#endif
