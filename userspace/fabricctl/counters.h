/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The counters of a card's links
 */
#ifndef FABRICCTL_COUNTERS_H
#define FABRICCTL_COUNTERS_H

#include "nl.h"

struct counters {
	unsigned int link;
	uint64_t clock;
	uint64_t value[OCFABRIC_COUNTERS];
};

/* In the order of enum ocfabric_counter. */
extern const char *const counter_names[OCFABRIC_COUNTERS];

/* Called for each link below n; an exit status other than 0 ends it. */
typedef int counters_each(const struct counters *counters, void *arg);
int counters_read(struct ctl *ctl, const struct card *card, counters_each *each,
		  void *arg);

/* The ways in which a write ends that is not committed. */
#define NR_REJECTS	10
extern const enum ocfabric_counter counter_rejects[NR_REJECTS];

/* How many have ended so. */
uint64_t counters_rejected(const struct counters *counters);

/* Every write taken has ended in one way, but for one that may be in flight. */
bool counters_add_up(const struct counters *counters);

#endif
