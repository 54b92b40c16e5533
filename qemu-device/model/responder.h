/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The receiving end of a connection that leaves the card: delivers each packet
 * once and in order, whatever the wire does to them, and answers the sending end
 * (requester.h).
 *
 *	arrive	a packet came in
 *	run	what time has done
 *
 * The embedder owns memory and time. A packet is for this machine its number and a
 * cookie, by which the embedder finds the rest. What arrives early is held in
 * slots until what is missing before it has come. A gap is what is missing at
 * expected; it is answered with at most one NAK, at once if what came fits no
 * slot, else when it is older than hold.
 *
 * As in the requester, a time-out is over when the clock has passed it: a packet
 * that arrives at its very instant is in time, before or after that instant's run.
 */
#ifndef OCF_RESPONDER_H
#define OCF_RESPONDER_H

#include <stdbool.h>
#include <stdint.h>

#include "answer.h"

#define OCF_DEPTH_MAX	128u
#define OCF_NAK_PERIOD	1000000ull	/* ns that nak_limit is for */

/* What became of a packet that was to be delivered. */
enum ocf_taken {
	OCF_TAKEN,
	OCF_TAKEN_NO_ROOM,	/* not now: RNR, it has to come again */
	OCF_TAKEN_ACCESS,	/* refused; what comes again is asked for again */
	OCF_TAKEN_INVALID,	/* refused, and so is all after it */
};

struct ocf_responder_ops {
	/* The next packet, in order. */
	enum ocf_taken (*deliver)(void *opaque, uint32_t psn, uint64_t cookie);
	/* One that was held and will not be delivered. */
	void (*drop)(void *opaque, uint32_t psn, uint64_t cookie);
	void (*answer)(void *opaque, const struct ocf_answer *a);
};

struct ocf_responder_settings {
	uint32_t depth;		/* slots: 0, or a power of two to OCF_DEPTH_MAX */
	uint32_t nak_limit;	/* sequence and RNR NAKs in a ms; 0: no limit */
	uint64_t hold;		/* ns that a gap may stay before it is a loss */
	uint8_t rnr_timer;	/* InfiniBand's table */
};

/* Index: the number mod depth. expected is never held, expected + depth may be. */
struct ocf_slot {
	uint64_t cookie;
	bool used;
};

/* What became of a packet that arrived; but for HELD it is not needed any more. */
enum ocf_arrival {
	OCF_ARRIVAL_DELIVERED,
	OCF_ARRIVAL_HELD,	/* its cookie comes back by deliver() or drop() */
	OCF_ARRIVAL_DUPLICATE,
	OCF_ARRIVAL_EARLY,	/* dropped: no slot for it */
	OCF_ARRIVAL_REFUSED,	/* deliver() did not take it */
	OCF_ARRIVAL_OFF,	/* the connection receives nothing */
};

struct ocf_responder_counts {
	uint64_t delivered;
	uint64_t held;		/* packets that waited in a slot */
	uint64_t duplicates;	/* delivered before, acknowledged again */
	uint64_t again;		/* held already */
	uint64_t early;		/* fit no slot */
	uint64_t refused;
	uint64_t off;
	uint64_t gaps;
	uint64_t acks;
	uint64_t naks;		/* sequence */
	uint64_t rnrs;
	uint64_t silenced;	/* NAKs that nak_limit kept back */
	uint64_t malformed;
};

struct ocf_responder {
	const struct ocf_responder_ops *ops;
	void *opaque;
	struct ocf_slot *slot;	/* set.depth of them */

	struct ocf_responder_settings set;
	bool on;
	bool fresh;		/* the first packet says where it begins */
	bool gap;		/* something after expected came */
	bool answered;		/* and no NAK is due for it any more */

	uint32_t expected;
	uint32_t held;		/* slots in use */
	uint64_t due;		/* of a gap that is not answered */

	uint64_t period;	/* since when naks are counted */
	uint32_t naks;

	struct ocf_responder_counts counts;
};

/*
 * A new connection, which takes the number of the first packet that arrives for
 * that of the first there is. Only a new one does: what is set up again would be
 * open to a packet of before. slot is memory for set->depth slots. False, and
 * nothing is changed, if set is malformed.
 */
bool ocf_responder_init(struct ocf_responder *r,
			const struct ocf_responder_ops *ops, void *opaque,
			const struct ocf_responder_settings *set,
			struct ocf_slot *slot);

/*
 * psn is what comes next; from here on it receives, if it was stopped, and is not
 * new any more. What is held is dropped. False if psn is malformed.
 */
bool ocf_responder_expect(struct ocf_responder *r, uint32_t psn);

/* It receives nothing any more, and what is held is dropped. */
void ocf_responder_stop(struct ocf_responder *r);

/* A packet; ask: it asks for an acknowledgement. */
enum ocf_arrival ocf_responder_arrive(struct ocf_responder *r, uint32_t psn,
				      uint64_t cookie, bool ask, uint64_t now);

/* Says when it wants to be run again if nothing arrives; or OCF_NEVER. */
uint64_t ocf_responder_run(struct ocf_responder *r, uint64_t now);

/* Whether one that was loaded from outside, slots and all, can be used. */
bool ocf_responder_valid(const struct ocf_responder *r);

#endif
