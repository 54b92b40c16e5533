// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * show devices, show config
 */
#include <stdio.h>

#include "show.h"

/* ---- devices ------------------------------------------------------------ */

static const struct column device_columns[] = {
	{ "device", COL_PLAIN, true },
	{ "pci", COL_PLAIN, true },
	{ "hw_version", COL_HEX, false },
	{ "features", COL_HEX, false },
	{ "hbm_size", COL_HEX, false },
	{ "max_replicas", COL_PLAIN, false },
	{ "max_windows", COL_PLAIN, false },
	{ "clock_mhz", COL_PLAIN, false },
	{ "max_keys", COL_PLAIN, false },
	{ "max_ranges", COL_PLAIN, false },
	{ "max_key_ranges", COL_PLAIN, false },
	{ "faults", COL_YES, false },
	{ "errors", COL_HEX, false },
	{ "events_lost", COL_PLAIN, false },
	{ "stall_limit", COL_PLAIN, false },
	{ "storm_limit", COL_PLAIN, false },
};

int run_show_devices(struct ctl *ctl)
{
	struct json_object *rows = json_object_new_array();
	unsigned int i;

	for (i = 0; i < ctl->nr_cards; i++) {
		struct card *card = &ctl->cards[i];

		put_bool(card->facts, "faults",
			 card->features & OCFABRIC_FEATURE_FAULTS);
		json_object_array_add(rows, json_object_get(card->facts));
	}
	return print_rows(ctl, "devices", device_columns,
			  ARRAY_SIZE(device_columns), rows);
}

/* ---- config ------------------------------------------------------------- */

static const struct field config_fields[] = {
	{ OCFABRIC_A_CONFIG_REPLICAS, "replicas", FIELD_NUMBER, true },
	{ OCFABRIC_A_CONFIG_UPSTREAM_QPNS, "upstream_qpns", FIELD_BOOL, true },
	{ OCFABRIC_A_CONFIG_LATENCY, "latency", FIELD_NUMBER, true },
	{ OCFABRIC_A_CONFIG_GENERATION, "generation", FIELD_NUMBER, true },
	{ OCFABRIC_A_CONFIG_WINDOWS, "windows", FIELD_NUMBER, true },
	{ OCFABRIC_A_CONFIG_DRAINED, "drained", FIELD_BOOL, true },
	{ OCFABRIC_A_CONFIG_DRAINED_PID, "drained_pid", FIELD_NUMBER, true },
	{ OCFABRIC_A_CONFIG_DRAINED_SINCE, "drained_since", FIELD_NUMBER, true },
	{ OCFABRIC_A_CONFIG_DRAINED_COMM, "drained_comm", FIELD_STRING, true },
};

static const struct column config_columns[] = {
	{ "device", COL_PLAIN, true },
	{ "replicas", COL_PLAIN, false },
	{ "upstream_qpns", COL_YES, false },
	{ "latency", COL_PLAIN, false },
	{ "generation", COL_PLAIN, false },
	{ "windows", COL_PLAIN, false },
	{ "drained", COL_YES, false },
	{ "drained_pid", COL_PLAIN, false },
	{ "drained_since", COL_TIME, true },
	{ "drained_comm", COL_PLAIN, true },
};

static int add_config(const struct fab_attrs *attrs, void *arg)
{
	put_fields(new_row(arg), attrs, config_fields, ARRAY_SIZE(config_fields));
	return 0;
}

static int add_configs(struct rows *rows)
{
	return fab_get(rows->ctl, OCFABRIC_CMD_CONFIG_GET, rows->card->id,
		       add_config, rows);
}

int run_show_config(struct ctl *ctl)
{
	return show_cards(ctl, "config", add_configs, NULL, config_columns,
			  ARRAY_SIZE(config_columns));
}
