/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay: a scenario file on the card
 *
 * replay.c	the statements in order, and the end of the output
 * replay_change.c  configuration statements: changes of the card, and the same
 *		on a shadow of its configuration
 * replay_lanes.c  the replicas that are held: posting, waiting, sources
 *
 * Verdicts and bytes of a write's line are what the card's completion says.
 * What a completion does not hold (peer, lines, oversize) is told by the card's
 * own rules on the shadow; at the end the counters show whether that was right.
 */
#ifndef FABRICCTL_REPLAY_H
#define FABRICCTL_REPLAY_H

#include <model.h>
#include <ocfabric.h>
#include <scenario/scenario.h>

#include "config.h"

/* A write from posting to its line. */
struct result {
	const struct ocf_scn_write *write;
	struct ocf_judgement expected;
	uint64_t addr;		/* HBM address, if it passes the rules */
	struct ocf_completion completion;
	bool done;
};

/* A link that is written on: the replica, and the memory writes come from. */
struct lane {
	struct ocf_replica *replica;
	struct ocf_memory memory;
	size_t used;		/* of memory, by writes under way */
	size_t *pending;	/* results under way, a ring as long as the queue's */
	uint32_t head;
	uint32_t tail;
	uint64_t sum[OCF_NR_COUNTERS];	/* of the lines printed; not all used */
};

struct replay {
	struct ctl *ctl;
	const struct card *card;
	struct ocf_scn *scn;
	bool async;
	int64_t wait_ns;	/* longest that one completion may take */

	struct ocf_device *dev;
	struct lane lane[OCFABRIC_REPLICAS_MAX];

	/* replay_change.c */
	struct ocf_config shadow;
	struct steps steps;	/* not yet applied */
	size_t *origin;		/* statement of each step */
	size_t room;
	uint64_t hbm;		/* that the file has asked for so far */
	size_t hbm_origin;	/* statement that did */
	size_t region_origin[OCFABRIC_REPLICAS_MAX];

	/* results since the last barrier, printed in order as they are done */
	struct result *result;
	size_t nr_results;
	size_t room_results;
	size_t printed;
	uint64_t seq;		/* of the next line */
	bool disagreed;		/* card and rules; said so on stderr */
};

/* replay_change.c: exit statuses, with the message or the line printed */
int change_init(struct replay *replay);
void change_free(struct replay *replay);
int change_note(struct replay *replay, size_t statement);
int change_apply(struct replay *replay);

/* replay_lanes.c: exit statuses, with the message printed */
int lanes_attach(struct replay *replay);
void lanes_detach(struct replay *replay);
int lanes_post(struct replay *replay, const struct ocf_scn_write *write);
/* Until every write is done and its line printed. */
int lanes_barrier(struct replay *replay);

/* replay_report.c */
void report_result(struct replay *replay, const struct result *result);
/* Whether the lines printed add up to the card's counters. */
bool report_agrees(struct replay *replay, unsigned int link,
		   const uint64_t counters[OCF_NR_COUNTERS]);

#endif
