// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "sample.h"

#define INDEX_MASK	0xffffff	/* of descriptors run and rung */

/* ---- the card ----------------------------------------------------------- */

static int take_limits(const struct fab_attrs *attrs, void *arg)
{
	struct limits *l = arg;

	l->errors = (uint32_t)fab_number(attrs, OCFABRIC_A_DEVICE_ERRORS);
	l->events_lost = (uint32_t)fab_number(attrs, OCFABRIC_A_DEVICE_EVENTS_LOST);
	l->stall_ms = (uint32_t)fab_number(attrs, OCFABRIC_A_DEVICE_STALL_LIMIT);
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
	const struct card *card;
	struct sample *sample;
};

static int take_stages(const struct stages *stages, void *arg)
{
	const struct stage_reader *reader = arg;
	struct sample *s = reader->sample;

	s->stages[stages->link] = *stages;
	s->held_us[stages->link] = stages->held == OCFABRIC_PATH_NONE ? 0 :
		(double)stages_since_us(stages, reader->card);
	s->stalled[stages->link] = stages_stuck(stages, reader->card);
	return 0;
}

int sample_stages(struct ctl *ctl, const struct card *card, struct sample *s)
{
	struct stage_reader reader = { .card = card, .sample = s };
	unsigned int i;

	memset(s->stages, 0, sizeof(s->stages));
	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++)
		s->stages[i].held = OCFABRIC_PATH_NONE;
	return stages_read(ctl, card, take_stages, &reader);
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
