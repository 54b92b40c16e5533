// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * show replicas, show queues: owners, and their rings
 */
#include <ocfabric.h>

#include "show.h"

static const struct field replica_fields[] = {
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

static const struct column replica_columns[] = {
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

static const struct field queue_fields[] = {
	{ OCFABRIC_A_REPLICA_REPLICA, "replica", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_HEAD, "head", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_TAIL, "tail", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_WAITING, "waiting", FIELD_BOOL, true },
	{ OCFABRIC_A_REPLICA_RX_HEAD, "rx_head", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_RX_TAIL, "rx_tail", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_TX_ENTRIES, "tx_entries", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_RX_ENTRIES, "rx_entries", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_CQ_ENTRIES, "cq_entries", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_COMPLETIONS, "completions", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_INTERRUPTS, "interrupts", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_BURST, "burst", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_TIMER, "timer", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_WEIGHT, "weight", FIELD_NUMBER, true },
	{ OCFABRIC_A_REPLICA_DELAYED, "delayed", FIELD_NUMBER, true },
};

static const struct column queue_columns[] = {
	{ "device", COL_PLAIN, true },
	{ "replica", COL_PLAIN, false },
	{ "state", COL_PLAIN, true },
	{ "head", COL_PLAIN, false },
	{ "tail", COL_PLAIN, false },
	{ "waiting", COL_YES, false },
	{ "rx_head", COL_PLAIN, false },
	{ "rx_tail", COL_PLAIN, false },
	{ "tx_entries", COL_PLAIN, false },
	{ "rx_entries", COL_PLAIN, false },
	{ "cq_entries", COL_PLAIN, false },
	{ "completions", COL_PLAIN, false },
	{ "interrupts", COL_PLAIN, false },
	{ "burst", COL_PLAIN, false },
	{ "timer", COL_PLAIN, false },
	{ "mode", COL_PLAIN, true },
	{ "weight", COL_PLAIN, false },
	{ "delayed", COL_PLAIN, false },
	{ "cause", COL_PLAIN, true },
	{ "cause_text", COL_PLAIN, true },
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

/* The row of a replica, or NULL when it is filtered out. */
static struct json_object *row_of(const struct fab_attrs *attrs,
				  struct rows *rows)
{
	if (!wanted(&rows->ctl->args, P_REPLICA,
		    fab_number(attrs, OCFABRIC_A_REPLICA_REPLICA)))
		return NULL;
	return new_row(rows);
}

static int add_replica(const struct fab_attrs *attrs, void *arg)
{
	struct json_object *row = row_of(attrs, arg);

	if (!row)
		return 0;
	put_fields(row, attrs, replica_fields, ARRAY_SIZE(replica_fields));
	put_name(row, "queue_state", attrs, OCFABRIC_A_REPLICA_QUEUE_STATE,
		 ocf_state_name);
	put_name(row, "queue_cause", attrs, OCFABRIC_A_REPLICA_QUEUE_CAUSE,
		 ocf_cause_name);
	return 0;
}

static const char *mode_name(unsigned int mode)
{
	return mode == OCFABRIC_MODE_LATENCY ? "latency" :
	       mode == OCFABRIC_MODE_COUNT ? "count" : "unknown";
}

static int add_queue(const struct fab_attrs *attrs, void *arg)
{
	struct json_object *row = row_of(attrs, arg);

	if (!row)
		return 0;
	put_fields(row, attrs, queue_fields, ARRAY_SIZE(queue_fields));
	put_name(row, "state", attrs, OCFABRIC_A_REPLICA_QUEUE_STATE,
		 ocf_state_name);
	put_name(row, "mode", attrs, OCFABRIC_A_REPLICA_MODE, mode_name);
	put_name(row, "cause", attrs, OCFABRIC_A_REPLICA_QUEUE_CAUSE,
		 ocf_cause_name);
	put_cause_text(row, fab_number(attrs, OCFABRIC_A_REPLICA_QUEUE_CAUSE),
		       fab_number(attrs, OCFABRIC_A_REPLICA_WROTE),
		       fab_number(attrs, OCFABRIC_A_REPLICA_EXPECTED));
	return 0;
}

int run_show_replicas(struct ctl *ctl)
{
	return show_dump(ctl, "replicas", OCFABRIC_CMD_REPLICA_GET, add_replica,
			 replica_columns, ARRAY_SIZE(replica_columns));
}

int run_show_queues(struct ctl *ctl)
{
	return show_dump(ctl, "queues", OCFABRIC_CMD_REPLICA_GET, add_queue,
			 queue_columns, ARRAY_SIZE(queue_columns));
}
