// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The metrics. Adding one is adding a row; the order is that of the output.
 */
#include <ocfabric.h>

#include "prometheus.h"
#include "words.h"

struct text {
	char s[16];
};

static struct text digits(unsigned int value)
{
	struct text text;

	snprintf(text.s, sizeof(text.s), "%u", value);
	return text;
}

/* ---- the card ----------------------------------------------------------- */

enum {
	CARD_EVENTS_LOST, CARD_STORM_LIMIT, CARD_HBM, CARD_REPLICAS,
	CARD_WINDOWS, CARD_LATENCY, CARD_GENERATION, CARD_DRAINED
};

static uint64_t card_value(const struct exported *e, unsigned int which)
{
	switch (which) {
	case CARD_EVENTS_LOST:
		return e->sample.limits.events_lost;
	case CARD_STORM_LIMIT:
		return e->sample.limits.storm;
	case CARD_HBM:
		return e->card->hbm_size;
	case CARD_REPLICAS:
		return e->replicas;
	case CARD_WINDOWS:
		return e->windows;
	case CARD_LATENCY:
		return e->latency;
	case CARD_GENERATION:
		return e->generation;
	default:
		return e->drained;
	}
}

static void put_card(FILE *out, const struct metric *m, const struct exported *e)
{
	put_series(out, m->name, card_value(e, m->which), LABELS("device", e->card->name));
}

static void put_info(FILE *out, const struct metric *m, const struct exported *e)
{
	put_series(out, m->name, 1, LABELS("device", e->card->name, "pci", e->card->pci));
}

static void put_errors(FILE *out, const struct metric *m, const struct exported *e)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} errors[] = {
		{ OCFABRIC_ERROR_NOT_DRAINED, "not_drained" },
		{ OCFABRIC_ERROR_CMD_OVERRUN, "cmd_overrun" },
		{ OCFABRIC_ERROR_DOORBELL, "doorbell" },
		{ OCFABRIC_ERROR_EVENT, "event" },
		{ OCFABRIC_ERROR_BROADCAST, "broadcast" },
		{ OCFABRIC_ERROR_CONSERVATION, "conservation" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(errors); i++)
		put_series(out, m->name, !!(e->sample.limits.errors & errors[i].bit),
			   LABELS("device", e->card->name, "error", errors[i].name));
}

static void put_stall_limit(FILE *out, const struct metric *m,
			    const struct exported *e)
{
	put_series_seconds(out, m->name, e->sample.limits.stall_ms / 1e3,
			   LABELS("device", e->card->name));
}

/* ---- counters ----------------------------------------------------------- */

static void put_counter(FILE *out, const struct metric *m, const struct exported *e)
{
	unsigned int link;

	for (link = 0; link < e->sample.links; link++)
		put_series(out, m->name, e->sample.counters[link].value[m->which],
			   LABELS("device", e->card->name, "link", digits(link).s));
}

static void put_rejects(FILE *out, const struct metric *m, const struct exported *e)
{
	unsigned int link, i;

	for (link = 0; link < e->sample.links; link++)
		for (i = 0; i < NR_REJECTS; i++)
			put_series(out, m->name, e->sample.counters[link]
				   .value[counter_rejects[i]],
				   LABELS("device", e->card->name, "link", digits(link).s,
				   "reason", counter_names[counter_rejects[i]]));
}

/* ---- stages ------------------------------------------------------------- */

enum {
	STAGE_IN, STAGE_OUT, STAGE_ENDED, STAGE_HELD
};

static uint64_t stage_value(const struct stages *s, unsigned int stage,
			    unsigned int which)
{
	switch (which) {
	case STAGE_IN:
		return s->at[stage].in;
	case STAGE_OUT:
		return s->at[stage].out;
	case STAGE_ENDED:
		return s->at[stage].ended;
	default:
		return s->at[stage].held;
	}
}

/* Stages of the links that have counters: below n. */
static void put_stages(FILE *out, const struct metric *m, const struct exported *e)
{
	unsigned int link, stage;

	for (link = 0; link < e->sample.links; link++)
		for (stage = 0; stage < OCFABRIC_PATHS; stage++)
			put_series(out, m->name,
				   stage_value(&e->sample.stages[link], stage, m->which),
				   LABELS("device", e->card->name, "link", digits(link).s,
				   "stage", stage_name(stage)));
}

static void put_stalled(FILE *out, const struct metric *m, const struct exported *e)
{
	unsigned int link;

	for (link = 0; link < e->sample.links; link++)
		put_series(out, m->name, e->sample.stalled[link],
			   LABELS("device", e->card->name, "link", digits(link).s));
}

static void put_held(FILE *out, const struct metric *m, const struct exported *e)
{
	unsigned int link;

	for (link = 0; link < e->sample.links; link++)
		put_series_seconds(out, m->name,
				   e->sample.held_us[link] / 1e6,
				   LABELS("device", e->card->name, "link", digits(link).s));
}

/* ---- queue pairs -------------------------------------------------------- */

static void put_qps(FILE *out, const struct metric *m, const struct exported *e)
{
	unsigned int link, state;

	for (link = 0; link < e->sample.links; link++)
		for (state = 0; state < QP_STATES; state++)
			put_series(out, m->name, e->qps[link][state],
				   LABELS("device", e->card->name, "link", digits(link).s,
				   "state", qp_state_name(state)));
}

/* ---- queues ------------------------------------------------------------- */

enum {
	QUEUE_ATTACHED, QUEUE_WEIGHT, QUEUE_DELAYED, QUEUE_DEPTH, QUEUE_ENTRIES,
	QUEUE_RX_DEPTH, QUEUE_RX_ENTRIES, QUEUE_WAITING, QUEUE_COMPLETIONS,
	QUEUE_INTERRUPTS, QUEUE_KEYS, QUEUE_PINNED
};

static uint64_t queue_value(const struct queue *q, unsigned int which)
{
	switch (which) {
	case QUEUE_ATTACHED:
		return q->attached;
	case QUEUE_WEIGHT:
		return q->weight;
	case QUEUE_DELAYED:
		return q->delayed;
	case QUEUE_DEPTH:
		return q->depth;
	case QUEUE_ENTRIES:
		return q->tx_entries;
	case QUEUE_RX_DEPTH:
		return q->rx_depth;
	case QUEUE_RX_ENTRIES:
		return q->rx_entries;
	case QUEUE_WAITING:
		return q->waiting;
	case QUEUE_COMPLETIONS:
		return q->completions;
	case QUEUE_INTERRUPTS:
		return q->interrupts;
	case QUEUE_KEYS:
		return q->keys;
	default:
		return q->pinned;
	}
}

static void put_queues(FILE *out, const struct metric *m, const struct exported *e)
{
	unsigned int i;

	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++) {
		const struct queue *q = &e->sample.queue[i];

		/* What a queue without an owner does not have. */
		if (!q->known || (m->which > QUEUE_DELAYED && !q->attached))
			continue;
		put_series(out, m->name, queue_value(q, m->which),
			   LABELS("device", e->card->name, "replica", digits(i).s));
	}
}

static void put_queue_states(FILE *out, const struct metric *m,
			     const struct exported *e)
{
	static const unsigned int states[] = {
		OCFABRIC_QUEUE_DISABLED, OCFABRIC_QUEUE_ENABLED,
		OCFABRIC_QUEUE_STOPPED, OCFABRIC_QUEUE_QUIESCING,
	};
	unsigned int i, s;

	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++)
		for (s = 0; e->sample.queue[i].attached && s < ARRAY_SIZE(states); s++)
			put_series(out, m->name,
				   e->sample.queue[i].state == states[s],
				   LABELS("device", e->card->name, "replica", digits(i).s,
				   "state", ocf_state_name(states[s])));
}

/* ---- the table ---------------------------------------------------------- */

#define COUNTER	"counter"
#define GAUGE	"gauge"

const struct metric metrics[] = {
	{ "ocfabric_device_info", GAUGE, "A card; always 1.", PART_DEVICE, put_info, 0 },
	{ "ocfabric_device_error", GAUGE, "Errors that the card has latched since it was reset.",
	  PART_DEVICE, put_errors, 0 },
	{ "ocfabric_events_lost_total", COUNTER, "Events that found the card's event ring full.",
	  PART_DEVICE, put_card, CARD_EVENTS_LOST },
	{ "ocfabric_hbm_size_bytes", GAUGE, "Size of the HBM.", PART_DEVICE, put_card, CARD_HBM },
	{ "ocfabric_stall_limit_seconds", GAUGE, "How long a write may make no progress; 0 is for ever.",
	  PART_DEVICE, put_stall_limit, 0 },
	{ "ocfabric_storm_limit_interrupts", GAUGE, "Interrupts of a queue in a millisecond at most; 0 is any number.",
	  PART_DEVICE, put_card, CARD_STORM_LIMIT },

	{ "ocfabric_replicas", GAUGE, "The number of replicas, n.", PART_CONFIG, put_card, CARD_REPLICAS },
	{ "ocfabric_windows", GAUGE, "Write windows in use.", PART_CONFIG, put_card, CARD_WINDOWS },
	{ "ocfabric_latency_cycles", GAUGE, "Fabric clock cycles before a write starts.",
	  PART_CONFIG, put_card, CARD_LATENCY },
	{ "ocfabric_config_generation", GAUGE, "Changes of the configuration since the card was reset.",
	  PART_CONFIG, put_card, CARD_GENERATION },
	{ "ocfabric_drained", GAUGE, "1 while the fabric is drained by hand.", PART_CONFIG, put_card, CARD_DRAINED },

	{ "ocfabric_writes_total", COUNTER, "Writes taken.",
	  PART_COUNTERS, put_counter, OCFABRIC_COUNTER_WRITES },
	{ "ocfabric_writes_committed_total", COUNTER, "Writes of which every line was acknowledged.",
	  PART_COUNTERS, put_counter, OCFABRIC_COUNTER_COMMITTED },
	{ "ocfabric_committed_bytes_total", COUNTER, "Bytes of the committed writes.",
	  PART_COUNTERS, put_counter, OCFABRIC_COUNTER_BYTES },
	{ "ocfabric_lines_total", COUNTER, "Lines issued to the HBM.",
	  PART_COUNTERS, put_counter, OCFABRIC_COUNTER_LINES },
	{ "ocfabric_writes_rejected_total", COUNTER, "Writes that were not committed, by what ended them.",
	  PART_COUNTERS, put_rejects, 0 },
	{ "ocfabric_writes_misrouted_total", COUNTER, "Writes that lead elsewhere than the upstream numbering means.",
	  PART_COUNTERS, put_counter, OCFABRIC_COUNTER_MISROUTED },
	{ "ocfabric_writes_short_total", COUNTER, "Writes with fewer data beats than their length needs.",
	  PART_COUNTERS, put_counter, OCFABRIC_COUNTER_SHORT_PACKET },
	{ "ocfabric_beats_oversize_total", COUNTER, "Data beats past a write's length.",
	  PART_COUNTERS, put_counter, OCFABRIC_COUNTER_OVERSIZE },

	{ "ocfabric_stage_in_total", COUNTER, "Writes that came into a stage.", PART_STAGES, put_stages, STAGE_IN },
	{ "ocfabric_stage_out_total", COUNTER, "Writes that went on from a stage.", PART_STAGES, put_stages, STAGE_OUT },
	{ "ocfabric_stage_ended_total", COUNTER, "Writes that ended in a stage, rejected or failed.",
	  PART_STAGES, put_stages, STAGE_ENDED },
	{ "ocfabric_stage_held", GAUGE, "1 where the write in flight is.", PART_STAGES, put_stages, STAGE_HELD },
	{ "ocfabric_link_held_seconds", GAUGE, "How long the write in flight has made no progress.",
	  PART_STAGES, put_held, 0 },
	{ "ocfabric_link_stalled", GAUGE, "1 when that is longer than the stall limit, or than 100 ms if that is 0.",
	  PART_STAGES, put_stalled, 0 },

	{ "ocfabric_replica_attached", GAUGE, "1 while a replica has an owner.",
	  PART_QUEUES, put_queues, QUEUE_ATTACHED },
	{ "ocfabric_queue_weight", GAUGE, "A queue's share of the card's turns.", PART_QUEUES, put_queues, QUEUE_WEIGHT },
	{ "ocfabric_queue_interrupts_delayed_total", COUNTER, "Interrupts that the storm limit put off, mod 2^32.",
	  PART_QUEUES, put_queues, QUEUE_DELAYED },
	{ "ocfabric_queue_depth", GAUGE, "Descriptors rung and not run.", PART_QUEUES, put_queues, QUEUE_DEPTH },
	{ "ocfabric_queue_entries", GAUGE, "Descriptors that the ring has.", PART_QUEUES, put_queues, QUEUE_ENTRIES },
	{ "ocfabric_queue_receive_depth", GAUGE, "Receive descriptors armed.", PART_QUEUES, put_queues, QUEUE_RX_DEPTH },
	{ "ocfabric_queue_receive_entries", GAUGE, "Descriptors that the receive ring has.",
	  PART_QUEUES, put_queues, QUEUE_RX_ENTRIES },
	{ "ocfabric_queue_waiting", GAUGE, "1 while a WAIT at the head of the queue is not met.",
	  PART_QUEUES, put_queues, QUEUE_WAITING },
	{ "ocfabric_queue_state", GAUGE, "1 for the state that an owned queue is in.",
	  PART_QUEUES, put_queue_states, 0 },
	{ "ocfabric_queue_completions_total", COUNTER, "Completions since the replica was attached, mod 2^32.",
	  PART_QUEUES, put_queues, QUEUE_COMPLETIONS },
	{ "ocfabric_queue_interrupts_total", COUNTER, "Interrupts since the replica was attached, mod 2^32.",
	  PART_QUEUES, put_queues, QUEUE_INTERRUPTS },
	{ "ocfabric_replica_keys", GAUGE, "Memory keys in use.", PART_QUEUES, put_queues, QUEUE_KEYS },
	{ "ocfabric_replica_pinned_bytes", GAUGE, "Memory behind a replica's keys.", PART_QUEUES, put_queues, QUEUE_PINNED },

	{ "ocfabric_qps", GAUGE, "Queue pairs of a link's connections, by state.", PART_QPS, put_qps, 0 },
};

const unsigned int nr_metrics = ARRAY_SIZE(metrics);
