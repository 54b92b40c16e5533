/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the receiving end of a connection says to the sending end, once it leaves
 * the card. Whatever it says about a packet, it has received all before that.
 */
#ifndef OCF_ANSWER_H
#define OCF_ANSWER_H

#include <stdint.h>

#define OCF_NEVER	UINT64_MAX	/* a time that does not come */

#define OCF_TIMER_CODES	32u	/* of timers that go by InfiniBand's 5 bits */

/* In the order in which those of one instant are handled. */
enum ocf_answer_kind {
	OCF_ACK,		/* this packet and all before it are here */
	OCF_NAK_INVALID,	/* it makes no sense, or cannot be served any more */
	OCF_NAK_ACCESS,		/* the right to do this is missing */
	OCF_NAK_RNR,		/* no room for it now: again, after timer */
	OCF_NAK_SEQUENCE,	/* one after it came, but not this one */
	OCF_ANSWERS
};

struct ocf_answer {
	uint8_t kind;		/* enum ocf_answer_kind */
	uint8_t timer;		/* RNR only: InfiniBand's table */
	uint32_t psn;
};

#endif
