/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sending end of a connection that leaves the card: numbers packets, keeps
 * them in the window, sends again what got lost, gives up when that is hopeless.
 *
 *	post	so many packets more are ready
 *	hear	an answer came in
 *	command	somebody wants the state changed
 *	run	handles all of it, and what time has done, in one fixed order
 *
 * The embedder owns memory and time. It keeps the packets: a number that was
 * posted is asked for by send(), maybe several times, until acked() has told that
 * it is through, which happens once for each and in order. Times are nanoseconds
 * of a clock that never goes back.
 *
 * hear() and command() only take note, so what is handed in between two runs
 * counts as of one instant, in whatever order it came: see ocf_requester_run().
 * A time-out is over when the clock has passed it; what comes in at its very
 * instant is still in time, whether the run of that instant was before or after.
 *
 *	first <= cursor <= sent <= posted	(on the ring)
 *
 * From first on nothing is acknowledged, from sent on nothing was ever sent. Going
 * back is putting the cursor to first: what it passes until it meets sent again
 * is retransmission.
 */
#ifndef OCF_REQUESTER_H
#define OCF_REQUESTER_H

#include <stdbool.h>
#include <stdint.h>

#include "linux/ocfabric_hw.h"

#include "answer.h"

#define OCF_TIMEOUT_UNIT	4096u	/* ns: InfiniBand's 4.096 us */
#define OCF_RETRY_MAX		7u	/* of both limits */
#define OCF_RNR_ENDLESS		7u

/* What a packet is sent with. */
#define OCF_SEND_AGAIN	1u	/* a retransmission */
#define OCF_SEND_ACK	2u	/* it asks for an acknowledgement */

struct ocf_requester_ops {
	/* Sends a packet; false: not now, run again when it can be. */
	bool (*send)(void *opaque, uint32_t psn, unsigned int flags);
	/* These n are through, in order; their memory is not needed any more. */
	void (*acked)(void *opaque, uint32_t first, uint32_t n);
	/* The state is another one; cause is why, if it was not a command. */
	void (*moved)(void *opaque, enum ocfabric_qp_state state,
		      enum ocfabric_qp_cause cause);
};

struct ocf_requester_settings {
	uint16_t window;	/* packets, 1 to OCFABRIC_QP_WINDOW_MAX */
	uint8_t timeout;	/* OCF_TIMEOUT_UNIT * 2^timeout, 0 to 31; 0: none */
	uint8_t timeout_max;	/* it doubles up to this one, 0 to 31 */
	uint8_t retry_limit;	/* 0 to OCF_RETRY_MAX */
	uint8_t rnr_limit;	/* the same; OCF_RNR_ENDLESS: no limit */
};

/* The higher one of two at the same instant counts. */
enum ocf_requester_command {
	OCF_COMMAND_NONE,
	OCF_COMMAND_RESUME,	/* SQD, SQE to RTS: goes on from first */
	OCF_COMMAND_DRAIN,	/* RTS to SQD: nothing that was not sent before */
	OCF_COMMAND_ERROR,	/* any to ERR */
	OCF_COMMAND_RESET,	/* any to RESET: all is forgotten */
};

enum ocf_requester_timer {
	OCF_TIMER_OFF,
	OCF_TIMER_RETRY,	/* for an answer */
	OCF_TIMER_RNR,		/* for the receiver to make room */
};

/* Events that count as of the next run. */
struct ocf_heard {
	uint8_t command;		/* enum ocf_requester_command */
	uint8_t kinds;			/* a bit for each that psn[] has */
	uint8_t timer;			/* of the RNR */
	uint32_t psn[OCF_ANSWERS];	/* the furthest of each kind */
};

struct ocf_requester_counts {
	uint64_t sent;		/* packets for the first time */
	uint64_t resent;
	uint64_t acked;		/* packets */
	uint64_t timeouts;
	uint64_t naks;		/* sequence errors that made it go back */
	uint64_t rnrs;		/* that made it wait */
	/* answers that changed nothing */
	uint64_t old;		/* to what had been acknowledged */
	uint64_t ahead;		/* to what was not sent yet */
	uint64_t repeated;	/* a NAK that had been heeded */
	uint64_t stray;		/* in a state that sends nothing */
	uint64_t malformed;
	uint64_t refused;	/* commands that the state does not know */
};

struct ocf_requester {
	const struct ocf_requester_ops *ops;
	void *opaque;

	struct ocf_requester_settings set;
	uint8_t state;		/* enum ocfabric_qp_state: RESET, RTS, SQD, SQE, ERR */
	uint8_t cause;		/* enum ocfabric_qp_cause */
	uint8_t timer;		/* enum ocf_requester_timer */
	uint8_t retries;	/* since the last progress */
	uint8_t rnr_retries;
	bool heeded;		/* went back for a NAK of first */
	bool alone;		/* one packet only, until it is acknowledged */

	uint32_t first;
	uint32_t cursor;
	uint32_t sent;
	uint32_t posted;
	uint64_t due;		/* of the timer */

	struct ocf_heard heard;
	struct ocf_requester_counts counts;
};

/* In RESET. */
void ocf_requester_init(struct ocf_requester *r,
			const struct ocf_requester_ops *ops, void *opaque);

/*
 * RESET to RTS, the first packet being psn. With alone it is not followed by
 * others before it is acknowledged: a receiver that has to take the number from
 * the first that arrives might see another one first. False, and nothing is
 * changed, if something is malformed or it is not in RESET.
 */
bool ocf_requester_start(struct ocf_requester *r,
			 const struct ocf_requester_settings *set, uint32_t psn,
			 bool alone);

/* Other settings, in any state; the timer that runs is not touched. */
bool ocf_requester_set(struct ocf_requester *r,
		       const struct ocf_requester_settings *set);

/*
 * So many packets more are ready; the first of them is numbered r->posted. False
 * if half the ring would be in use, or in a state that sends nothing ever.
 */
bool ocf_requester_post(struct ocf_requester *r, uint32_t n);

/* Take note. Not to be called by what run() calls. */
void ocf_requester_hear(struct ocf_requester *r, const struct ocf_answer *a);
void ocf_requester_command(struct ocf_requester *r,
			   enum ocf_requester_command command);

/*
 * Handles what is due, in this order, whatever the order in which it came:
 *
 *	1. the command
 *	2. ACK
 *	3. NAKs: invalid, access, RNR, sequence
 *	4. time-out, or the end of waiting after an RNR
 *	5. sending
 *
 * and says when it wants to be run again if nothing else happens.
 */
uint64_t ocf_requester_run(struct ocf_requester *r, uint64_t now);

/* Nothing that was sent is unacknowledged, and nothing more will be sent. */
bool ocf_requester_drained(const struct ocf_requester *r);

/* Packets sent and not acknowledged. */
uint32_t ocf_requester_outstanding(const struct ocf_requester *r);

/* Whether one that was loaded from outside can be used. */
bool ocf_requester_valid(const struct ocf_requester *r);

/* How long it waits for an answer, after so many retries; 0: for ever. */
uint64_t ocf_requester_patience(const struct ocf_requester_settings *set,
				unsigned int retries);

/* What an RNR asks for, in ns. */
uint64_t ocf_rnr_ns(unsigned int timer);

#endif
