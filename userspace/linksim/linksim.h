/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* linksim: the card without a machine around it. */
#ifndef LINKSIM_H
#define LINKSIM_H

#include <stdio.h>

#include "model.h"
#include "scenario/scenario.h"

enum sim_engine {
	SIM_BULK,
	SIM_BEAT
};

struct sim {
	const struct ocf_scn *scn;
	enum sim_engine engine;
	FILE *out;

	struct ocf_card card;
	struct ocf_beat beat[OCF_REPLICAS];
	uint64_t now;
	uint64_t seq;		/* of the next write */
	uint64_t mapped;	/* bytes of HBM that regions reach: those exist */
};

/* sim.c: false, with a sentence on stderr, when memory does not suffice */
bool sim_init(struct sim *sim, const struct ocf_scn *scn);
void sim_free(struct sim *sim);

/* The configuration, drained, to be changed. */
struct ocf_config *sim_configure(struct sim *sim);

/* What was configured is in force from here on. */
void sim_settle(struct sim *sim);

void sim_resize_hbm(struct sim *sim, uint64_t size);

/* write.c */
void sim_write(struct sim *sim, const struct ocf_scn_write *w);

/* run.c; false when the stages of a link do not add up afterwards */
bool sim_run(struct sim *sim);

#endif
