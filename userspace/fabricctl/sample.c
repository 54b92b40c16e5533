// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "sample.h"

#define INDEX_MASK	0xffffff	/* of descriptors run and rung */

/* ---- the card ----------------------------------------------------------- */

static int take_limits(const struct fab_attrs *attrs, void *arg)
{
	struct limits *l = arg;
	uint64_t stall;

	l->errors = (uint32_t)fab_number(attrs, OCFABRIC_A_DEVICE_ERRORS);
	l->events_lost = (uint32_t)fab_number(attrs, OCFABRIC_A_DEVICE_EVENTS_LOST);
	l->known = fab_u64(attrs, OCFABRIC_A_DEVICE_STALL_LIMIT, &stall);
	if (!l->known)
		return 0;
	l->stall_ms = (uint32_t)stall;
	l->storm = (uint32_t)fab_number(attrs, OCFABRIC_A_DEVICE_STORM_LIMIT);
	return 0;
}

int sample_limits(struct ctl *ctl, const struct card *card, struct sample *s)
{
	memset(&s->limits, 0, sizeof(s->limits));
	return fab_get(ctl, OCFABRIC_CMD_DEVICE_GET, card->id, take_limits,
		       &s->limits);
}

/* ---- counters ----------------------------------------------------------- */

static int take_counters(const struct counters *c, void *arg)
{
	struct sample *s = arg;

	if (c->link == s->links && s->links < OCFABRIC_REPLICAS_MAX)
		s->counters[s->links++] = *c;
	return 0;
}

int sample_counters(struct ctl *ctl, const struct card *card, struct sample *s)
{
	s->links = 0;
	return counters_read(ctl, card, take_counters, s);
}

/* ---- stages ------------------------------------------------------------- */

struct stage_reader {
	struct sample *sample;
	unsigned int clock_mhz;
};

static int take_stage(const struct fab_attrs *attrs, void *arg)
{
	struct stage_reader *reader = arg;
	uint64_t link = fab_number(attrs, OCFABRIC_A_STAGE_LINK);
	uint64_t stage = fab_number(attrs, OCFABRIC_A_STAGE_STAGE);
	uint64_t clock = fab_number(attrs, OCFABRIC_A_STAGE_CLOCK), since;
	struct stages *stages;

	if (link >= OCFABRIC_REPLICAS_MAX || stage >= OCFABRIC_PATHS)
		return 0;
	stages = &reader->sample->stages[link];
	stages->stage[stage].in = fab_number(attrs, OCFABRIC_A_STAGE_IN);
	stages->stage[stage].out = fab_number(attrs, OCFABRIC_A_STAGE_OUT);
	stages->stage[stage].ended = fab_number(attrs, OCFABRIC_A_STAGE_ENDED);
	if (!fab_number(attrs, OCFABRIC_A_STAGE_HELD))
		return 0;
	stages->held = (int)stage;
	stages->waits_for = (unsigned int)fab_number(attrs, OCFABRIC_A_STAGE_WAITS_FOR);
	since = fab_number(attrs, OCFABRIC_A_STAGE_SINCE);
	if (clock > since && reader->clock_mhz)
		stages->held_us = (double)(clock - since) / reader->clock_mhz;
	return 0;
}

int sample_stages(struct ctl *ctl, const struct card *card, struct sample *s)
{
	struct stage_reader reader = { .sample = s, .clock_mhz = card->clock_mhz };
	struct fab_reply reply;
	unsigned int i;
	int error;

	memset(s->stages, 0, sizeof(s->stages));
	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++)
		s->stages[i].held = -1;
	error = fab_try_dump(ctl, OCFABRIC_CMD_STAGE_GET, card->id, take_stage,
			     &reader, &reply);
	s->staged = !error;
	if (error != FAB_REFUSED)
		return error;
	/* An older driver */
	return status_of(reply.error) == ST_REFUSED ? 0 :
	       fab_refused(&reply, "reading the stages");
}

bool sample_stalled(const struct sample *s, unsigned int link)
{
	return s->staged && s->stages[link].held >= 0 && s->limits.stall_ms &&
	       s->stages[link].held_us >= s->limits.stall_ms * 1000.0;
}

/* ---- queues ------------------------------------------------------------- */

static uint32_t number(const struct fab_attrs *attrs, int attr)
{
	return (uint32_t)fab_number(attrs, attr);
}

static int take_queue(const struct fab_attrs *attrs, void *arg)
{
	uint64_t i = fab_number(attrs, OCFABRIC_A_REPLICA_REPLICA);
	struct sample *s = arg;
	struct queue *q;

	if (i >= OCFABRIC_REPLICAS_MAX)
		return 0;
	q = &s->queue[i];
	q->known = true;
	q->delayed = number(attrs, OCFABRIC_A_REPLICA_DELAYED);
	q->weight = number(attrs, OCFABRIC_A_REPLICA_WEIGHT);
	q->attached = number(attrs, OCFABRIC_A_REPLICA_ATTACHED);
	if (!q->attached)
		return 0;
	q->pid = number(attrs, OCFABRIC_A_REPLICA_PID);
	fab_string(attrs, OCFABRIC_A_REPLICA_COMM, q->comm, sizeof(q->comm));
	q->state = number(attrs, OCFABRIC_A_REPLICA_QUEUE_STATE);
	q->cause = number(attrs, OCFABRIC_A_REPLICA_QUEUE_CAUSE);
	q->waiting = number(attrs, OCFABRIC_A_REPLICA_WAITING);
	q->depth = (number(attrs, OCFABRIC_A_REPLICA_TAIL) -
		    number(attrs, OCFABRIC_A_REPLICA_HEAD)) & INDEX_MASK;
	q->rx_depth = (number(attrs, OCFABRIC_A_REPLICA_RX_TAIL) -
		       number(attrs, OCFABRIC_A_REPLICA_RX_HEAD)) & INDEX_MASK;
	q->tx_entries = number(attrs, OCFABRIC_A_REPLICA_TX_ENTRIES);
	q->rx_entries = number(attrs, OCFABRIC_A_REPLICA_RX_ENTRIES);
	q->completions = number(attrs, OCFABRIC_A_REPLICA_COMPLETIONS);
	q->interrupts = number(attrs, OCFABRIC_A_REPLICA_INTERRUPTS);
	q->keys = number(attrs, OCFABRIC_A_REPLICA_KEYS);
	q->pinned = fab_number(attrs, OCFABRIC_A_REPLICA_PINNED);
	return 0;
}

int sample_queues(struct ctl *ctl, const struct card *card, struct sample *s)
{
	memset(s->queue, 0, sizeof(s->queue));
	return fab_dump(ctl, OCFABRIC_CMD_REPLICA_GET, card->id, take_queue, s);
}

int sample_card(struct ctl *ctl, const struct card *card, struct sample *s)
{
	int error;

	error = sample_limits(ctl, card, s);
	if (!error)
		error = sample_queues(ctl, card, s);
	if (!error)
		error = sample_stages(ctl, card, s);
	if (!error)
		error = sample_counters(ctl, card, s);
	/* When the counters were read: rates are theirs. */
	s->at = now_ns();
	return error;
}
