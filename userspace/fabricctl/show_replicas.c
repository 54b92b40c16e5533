// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * show replicas: owners and queues
 */
#include <ocfabric.h>

#include "print.h"

static const struct field fields[] = {
	{ OCFABRIC_A_REPLICA_REPLICA, "replica", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_ATTACHED, "attached", FIELD_BOOL, true },
	{ OCFABRIC_A_REPLICA_PID, "pid", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_UID, "uid", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_WROTE, "wrote", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_EXPECTED, "expected", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_HEAD, "head", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_TAIL, "tail", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_COMPLETIONS, "completions", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_INTERRUPTS, "interrupts", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_TX_ENTRIES, "tx_entries", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_CQ_ENTRIES, "cq_entries", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_KEYS, "keys", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_PINNED, "pinned", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_COMM, "comm", FIELD_STRING, true },
};

static const struct column columns[] = {
	{ "device", COL_PLAIN, true },
	{ "replica", COL_PLAIN, false },
	{ "attached", COL_YES, false },
	{ "pid", COL_PLAIN, false },
	{ "uid", COL_PLAIN, false },
	{ "queue_state", COL_PLAIN, true },
	{ "queue_cause", COL_PLAIN, true },
	{ "wrote", COL_PLAIN, false },
	{ "expected", COL_PLAIN, false },
	{ "head", COL_PLAIN, false },
	{ "tail", COL_PLAIN, false },
	{ "completions", COL_PLAIN, false },
	{ "interrupts", COL_PLAIN, false },
	{ "tx_entries", COL_PLAIN, false },
	{ "cq_entries", COL_PLAIN, false },
	{ "keys", COL_PLAIN, false },
	{ "pinned", COL_PLAIN, false },
	{ "comm", COL_PLAIN, true },
};

struct adding {
	struct ctl *ctl;
	struct json_object *rows;
	const struct card *card;
};

/* A number that has a name is shown by its name. */
static void put_name(struct json_object *row, const char *key,
		     const struct fab_attrs *attrs, int attr,
		     const char *(*name)(unsigned int))
{
	uint64_t value;

	if (fab_u64(attrs, attr, &value))
		put_string(row, key, name((unsigned int)value));
	else
		put_null(row, key);
}

static int add_replica(const struct fab_attrs *attrs, void *arg)
{
	struct adding *adding = arg;
	const struct args *args = &adding->ctl->args;
	struct json_object *row;

	if (args->given[P_REPLICA] && args->value[P_REPLICA] !=
	    fab_number(attrs, OCFABRIC_A_REPLICA_REPLICA))
		return 0;
	row = add_row(adding->rows, adding->card);
	put_fields(row, attrs, fields, ARRAY_SIZE(fields));
	put_name(row, "queue_state", attrs, OCFABRIC_A_REPLICA_QUEUE_STATE,
		 ocf_state_name);
	put_name(row, "queue_cause", attrs, OCFABRIC_A_REPLICA_QUEUE_CAUSE,
		 ocf_cause_name);
	return 0;
}

int run_show_replicas(struct ctl *ctl)
{
	struct adding adding = { .ctl = ctl, .rows = json_object_new_array() };
	unsigned int i;
	int error = 0;

	for (i = 0; i < ctl->nr_cards && !error; i++) {
		adding.card = &ctl->cards[i];
		error = check_below(adding.card, &ctl->args, P_REPLICA,
				    "replica", adding.card->max_replicas);
		if (!error)
			error = fab_dump(ctl, OCFABRIC_CMD_REPLICA_GET,
					adding.card->id, add_replica, &adding);
	}
	if (error) {
		json_object_put(adding.rows);
		return error;
	}
	return print_rows(ctl, "replicas", columns, ARRAY_SIZE(columns),
			  adding.rows);
}
