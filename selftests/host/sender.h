/* SPDX-License-Identifier: GPL-2.0-only */
/* A requester whose wire is a list, for tests that say what it hears, and when. */
#ifndef OCF_TEST_SENDER_H
#define OCF_TEST_SENDER_H

#include "requester.h"

#define SENDER_LOG	256u
#define SENDER_TIMEOUT	4u		/* 65.536 us */
#define SENDER_PATIENCE	65536ull	/* ns */

struct sender {
	struct ocf_requester r;
	uint64_t now;
	uint64_t next;		/* when it wants to be run again */

	/* what it sent since sender_clear() */
	unsigned int n;
	struct {
		uint32_t psn;
		unsigned int flags;
	} log[SENDER_LOG];
	unsigned int room;	/* packets that the wire still takes */

	uint32_t acked;		/* what has to be acknowledged next */
	unsigned int moves;
};

extern struct sender s;

/* window 8, retries 7, the time-out above, doubling three times */
extern const struct ocf_requester_settings sender_settings;

void sender_start(uint32_t psn, const struct ocf_requester_settings *set,
		  unsigned int posted);

void sender_hear(enum ocf_answer_kind kind, uint32_t psn, uint8_t timer);
void sender_run(uint64_t now);
void sender_clear(void);

/* Whether it sent just these n since, from first on, all with AGAIN or none. */
bool sender_sent(uint32_t first, unsigned int n, bool again);

#endif
