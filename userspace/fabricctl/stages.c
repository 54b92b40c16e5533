// SPDX-License-Identifier: LGPL-2.1-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "stages.h"
#include "words.h"

/* ---- reading ------------------------------------------------------------ */

static int take_stage(const struct fab_attrs *attrs, void *arg)
{
	uint64_t link = fab_number(attrs, OCFABRIC_A_STAGE_LINK);
	uint64_t stage = fab_number(attrs, OCFABRIC_A_STAGE_STAGE);
	struct stages *all = arg, *s;

	if (link >= OCFABRIC_REPLICAS_MAX || stage >= OCFABRIC_PATHS)
		return 0;
	s = &all[link];
	s->link = (unsigned int)link;
	s->seen = true;
	s->at[stage].in = fab_number(attrs, OCFABRIC_A_STAGE_IN);
	s->at[stage].out = fab_number(attrs, OCFABRIC_A_STAGE_OUT);
	s->at[stage].ended = fab_number(attrs, OCFABRIC_A_STAGE_ENDED);
	s->at[stage].held = fab_number(attrs, OCFABRIC_A_STAGE_HELD);
	s->clock = fab_number(attrs, OCFABRIC_A_STAGE_CLOCK);
	if (!s->at[stage].held)
		return 0;
	s->held = (unsigned int)stage;
	s->waits_for = (unsigned int)fab_number(attrs, OCFABRIC_A_STAGE_WAITS_FOR);
	s->since = fab_number(attrs, OCFABRIC_A_STAGE_SINCE);
	s->due = fab_number(attrs, OCFABRIC_A_STAGE_DUE);
	return 0;
}

int stages_read(struct ctl *ctl, const struct card *card, stages_each *each,
		void *arg)
{
	struct stages *all = calloc(OCFABRIC_REPLICAS_MAX, sizeof(*all));
	unsigned int link;
	int error;

	if (!all)
		return fail(ST_REFUSED, "no memory for stages");
	for (link = 0; link < OCFABRIC_REPLICAS_MAX; link++)
		all[link].held = OCFABRIC_PATH_NONE;
	error = fab_dump(ctl, OCFABRIC_CMD_STAGE_GET, card->id, take_stage, all);
	for (link = 0; link < OCFABRIC_REPLICAS_MAX && !error; link++)
		if (all[link].seen)
			error = each(&all[link], arg);
	free(all);
	return error;
}

/* ---- time --------------------------------------------------------------- */

static uint64_t cycles_to_us(uint64_t cycles, const struct card *card)
{
	return card->clock_mhz ? cycles / card->clock_mhz : 0;
}

uint64_t stages_since_us(const struct stages *stages, const struct card *card)
{
	if (stages->clock <= stages->since)
		return 0;
	return cycles_to_us(stages->clock - stages->since, card);
}

bool stages_due_us(const struct stages *stages, const struct card *card,
		   uint64_t *us)
{
	*us = 0;
	if (!stages->due)
		return false;
	if (stages->due > stages->clock)
		*us = cycles_to_us(stages->due - stages->clock, card);
	return true;
}

bool stages_stuck(const struct stages *stages, const struct card *card)
{
	uint64_t limit_ms = card->stall_limit ? card->stall_limit :
						OCFABRIC_STALL_LIMIT;

	return stages->held != OCFABRIC_PATH_NONE &&
	       stages_since_us(stages, card) > limit_ms * 1000;
}

/* ---- the law ------------------------------------------------------------ */

static bool stage_adds_up(const struct stage *stage, const char *name, char *buf,
			  size_t size)
{
	if (stage->in - stage->out - stage->ended == stage->held)
		return true;
	snprintf(buf, size, "%" PRIu64 " writes came into stage %s, %" PRIu64
		 " went out, %" PRIu64 " ended there and %s is held", stage->in,
		 name, stage->out, stage->ended, stage->held ? "one" : "none");
	return false;
}

unsigned int stages_broken(const struct stages *stages, char *buf, size_t size)
{
	unsigned int i, held = 0;

	for (i = 0; i < OCFABRIC_PATHS; i++) {
		const struct stage *stage = &stages->at[i];

		held += stage->held;
		if (!stage_adds_up(stage, stage_name(i), buf, size))
			return i;
		if (i && stage[-1].out != stage->in) {
			snprintf(buf, size, "%" PRIu64 " writes went out of stage %s and %"
				 PRIu64 " came into %s", stage[-1].out,
				 stage_name(i - 1), stage->in, stage_name(i));
			return i;
		}
		if (held > 1) {
			snprintf(buf, size, "stage %s holds a write, and so does one before it",
				 stage_name(i));
			return i;
		}
	}
	return OCFABRIC_PATH_NONE;
}
