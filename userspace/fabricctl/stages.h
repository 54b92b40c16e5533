/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The stages of a card's links, and whether they add up
 */
#ifndef FABRICCTL_STAGES_H
#define FABRICCTL_STAGES_H

#include "nl.h"

struct stage {
	uint64_t in;
	uint64_t out;
	uint64_t ended;
	bool held;
};

struct stages {
	unsigned int link;
	bool seen;
	struct stage at[OCFABRIC_PATHS];
	uint64_t clock;		/* of the snapshot, cycles */

	/* of the write in flight */
	unsigned int held;	/* enum ocfabric_path, or OCFABRIC_PATH_NONE */
	unsigned int waits_for;	/* enum ocfabric_waits_for */
	uint64_t since;		/* clock of its last progress */
	uint64_t due;		/* clock at which it goes on; 0: not known */
};

/* Called for each link, of one instant; an exit status other than 0 ends it. */
typedef int stages_each(const struct stages *stages, void *arg);
int stages_read(struct ctl *ctl, const struct card *card, stages_each *each,
		void *arg);

/* How long the write in flight has made no progress; it waits on for @due. */
uint64_t stages_since_us(const struct stages *stages, const struct card *card);
/* False: not known. */
bool stages_due_us(const struct stages *stages, const struct card *card,
		   uint64_t *us);

/*
 * What came into a stage went out of it, ended there or is held; what went out
 * came into the next. The stage of which that is not so, with the numbers as a
 * sentence, or OCFABRIC_PATH_NONE.
 */
unsigned int stages_broken(const struct stages *stages, char *buf, size_t size);

/*
 * Longer than the card's stall limit without progress. Who asks is answered also
 * where the card has been told to be silent (0): then the limit is the usual one.
 */
bool stages_stuck(const struct stages *stages, const struct card *card);

#endif
