// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * show regions, connections, windows: the tables of the configuration
 */
#include "config.h"

#define PAGE	4096

struct configs {
	add_config_rows *add;
};

static int add_of_config(struct rows *rows)
{
	const struct configs *configs = rows->arg;
	struct config config;
	int error = config_read(rows->ctl, rows->card, &config);

	if (error)
		return error;
	error = configs->add(rows, &config);
	config_free(&config);
	return error;
}

int show_configs(struct ctl *ctl, const char *name, add_config_rows *add,
		 const struct column *columns, unsigned int nr)
{
	struct configs configs = { .add = add };

	return show_cards(ctl, name, add_of_config, &configs, columns, nr);
}

/* ---- regions ------------------------------------------------------------ */

static const struct column region_columns[] = {
	{ "device", COL_PLAIN, true },
	{ "replica", COL_PLAIN, false },
	{ "base", COL_HEX, false },
	{ "size", COL_HEX, false },
	{ "whole_pages", COL_YES, false },
};

static int add_regions(struct rows *rows, const struct config *config)
{
	const struct args *args = &rows->ctl->args;
	uint32_t i;

	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++) {
		const struct ocfabric_region *r = &config->region[i];
		struct json_object *row;

		if (!wanted(args, P_REPLICA, i) ||
		    (i >= config->replicas && !r->length &&
		     !args->given[P_REPLICA]))
			continue;
		row = new_row(rows);
		put_number(row, "replica", i);
		put_number(row, "base", r->base);
		put_number(row, "size", r->length);
		put_bool(row, "whole_pages", !(r->base % PAGE) && !(r->length % PAGE));
	}
	return 0;
}

int run_show_regions(struct ctl *ctl)
{
	return show_configs(ctl, "regions", add_regions, region_columns,
			    ARRAY_SIZE(region_columns));
}

/* ---- connections -------------------------------------------------------- */

static const struct column connection_columns[] = {
	{ "device", COL_PLAIN, true },
	{ "link", COL_PLAIN, false },
	{ "qpn", COL_PLAIN, false },
	{ "peer", COL_PLAIN, false },
};

static int add_connections(struct rows *rows, const struct config *config)
{
	const struct args *args = &rows->ctl->args;
	unsigned int link, qpn;

	for (link = 0; link < OCFABRIC_REPLICAS_MAX; link++)
		for (qpn = 0; qpn < OCFABRIC_QPNS; qpn++) {
			uint8_t peer = config->peer[link][qpn];
			struct json_object *row;

			if (peer == OCFABRIC_PEER_NONE ||
			    !wanted(args, P_LINK, link) ||
			    !wanted(args, P_DST, peer))
				continue;
			row = new_row(rows);
			put_number(row, "link", link);
			put_number(row, "qpn", qpn);
			put_number(row, "peer", peer);
		}
	return 0;
}

int run_show_connections(struct ctl *ctl)
{
	return show_configs(ctl, "connections", add_connections, connection_columns,
			    ARRAY_SIZE(connection_columns));
}

/* ---- windows ------------------------------------------------------------ */

static const struct column window_columns[] = {
	{ "device", COL_PLAIN, true },
	{ "src", COL_PLAIN, false },
	{ "dst", COL_PLAIN, false },
	{ "offset", COL_HEX, false },
	{ "length", COL_HEX, false },
	{ "sem_first", COL_PLAIN, false },
	{ "sem_count", COL_PLAIN, false },
};

static int add_windows(struct rows *rows, const struct config *config)
{
	const struct args *args = &rows->ctl->args;
	unsigned int i;

	for (i = 0; i < config->nr_windows; i++) {
		const struct ocfabric_window *w = &config->window[i];
		struct json_object *row;

		if (!wanted(args, P_SRC, w->src) ||
		    !wanted(args, P_DST, w->dst))
			continue;
		row = new_row(rows);
		put_number(row, "src", w->src);
		put_number(row, "dst", w->dst);
		put_number(row, "offset", w->offset);
		put_number(row, "length", w->length);
		put_window_sems(row, w);
	}
	return 0;
}

int run_show_windows(struct ctl *ctl)
{
	return show_configs(ctl, "windows", add_windows, window_columns,
			    ARRAY_SIZE(window_columns));
}
