// SPDX-License-Identifier: LGPL-2.1-or-later
#include <time.h>

#include "counters.h"
#include "monitor.h"
#include "qps.h"
#include "stages.h"

/* What is found out about a card, and what of it may be empty. */
struct state {
	const struct card *card;
	struct json_object *row;
	uint64_t writes;
	uint64_t committed;
	uint64_t rejected;
	uint64_t stopped_qps;
	struct json_object *attached;	/* replicas */
	struct json_object *stopped;	/* their queues */
	struct json_object *stalled;	/* links */
};

static int take_config(const struct fab_attrs *attrs, void *arg)
{
	static const struct field fields[] = {
		{ OCFABRIC_A_CONFIG_GENERATION, "generation", FIELD_NUMBER, true },
		{ OCFABRIC_A_CONFIG_REPLICAS, "replicas", FIELD_NUMBER, true },
		{ OCFABRIC_A_CONFIG_DRAINED, "drained", FIELD_BOOL, true },
	};
	struct state *state = arg;

	put_fields(state->row, attrs, fields, ARRAY_SIZE(fields));
	return 0;
}

static int take_counters(const struct counters *c, void *arg)
{
	struct state *state = arg;

	state->writes += c->value[OCFABRIC_COUNTER_WRITES];
	state->committed += c->value[OCFABRIC_COUNTER_COMMITTED];
	state->rejected += counters_rejected(c);
	return 0;
}

static void add_id(struct json_object *ids, uint64_t id)
{
	json_object_array_add(ids, json_object_new_uint64(id));
}

static int take_replica(const struct fab_attrs *attrs, void *arg)
{
	uint64_t replica = fab_number(attrs, OCFABRIC_A_REPLICA_REPLICA);
	struct state *state = arg;

	if (fab_number(attrs, OCFABRIC_A_REPLICA_ATTACHED))
		add_id(state->attached, replica);
	if (fab_number(attrs, OCFABRIC_A_REPLICA_QUEUE_STATE) ==
	    OCFABRIC_QUEUE_STOPPED)
		add_id(state->stopped, replica);
	return 0;
}

static int take_stages(const struct stages *stages, void *arg)
{
	struct state *state = arg;

	if (stages_stuck(stages, state->card))
		add_id(state->stalled, stages->link);
	return 0;
}

static int take_qp(const struct fab_attrs *attrs, void *arg)
{
	struct state *state = arg;
	struct qp qp;

	qp_of(attrs, &qp);
	state->stopped_qps += !qp_may_send(&qp);
	return 0;
}

static int read_state(struct ctl *ctl, struct state *state)
{
	uint32_t id = state->card->id;
	int error = fab_get(ctl, OCFABRIC_CMD_CONFIG_GET, id, take_config, state);

	if (!error)
		error = counters_read(ctl, state->card, take_counters, state);
	if (!error)
		error = fab_dump(ctl, OCFABRIC_CMD_REPLICA_GET, id, take_replica, state);
	if (!error)
		error = stages_read(ctl, state->card, take_stages, state);
	if (!error)
		error = fab_dump(ctl, OCFABRIC_CMD_QP_GET, id, take_qp, state);
	return error;
}

static uint64_t wall_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void put_fact(struct json_object *row, const struct card *card,
		     const char *key)
{
	json_object_object_add(row, key, json_object_get(
				       json_object_object_get(card->facts, key)));
}

struct json_object *state_object(struct ctl *ctl, const struct card *card,
				 const char *reason, uint64_t missed)
{
	struct state state = {
		.card = card,
		.row = json_object_new_object(),
		.attached = json_object_new_array(),
		.stopped = json_object_new_array(),
		.stalled = json_object_new_array(),
	};
	int error;

	put_number(state.row, "time", wall_clock());
	put_string(state.row, "device", card->name);
	put_string(state.row, "event", "state");
	put_string(state.row, "reason", reason);
	if (missed)
		put_number(state.row, "missed", missed);
	else
		put_null(state.row, "missed");
	error = read_state(ctl, &state);
	put_number(state.row, "writes", state.writes);
	put_number(state.row, "committed", state.committed);
	put_number(state.row, "rejected", state.rejected);
	put_fact(state.row, card, "errors");
	put_fact(state.row, card, "events_lost");
	put_number(state.row, "stopped_qps", state.stopped_qps);
	json_object_object_add(state.row, "attached", state.attached);
	json_object_object_add(state.row, "stopped_queues", state.stopped);
	json_object_object_add(state.row, "stalled_links", state.stalled);
	if (!error)
		return state.row;
	json_object_put(state.row);
	return NULL;
}
