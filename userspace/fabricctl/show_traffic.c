// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * show counters, show rejects
 */
#include <stdio.h>

#include <ocfabric.h>

#include "counters.h"
#include "show.h"

/* ---- counters ----------------------------------------------------------- */

struct seen {
	struct rows *rows;
	unsigned int links;
};

static int add_counters(const struct counters *c, void *arg)
{
	struct seen *seen = arg;
	struct json_object *row;
	unsigned int i;

	seen->links++;
	if (!wanted(&seen->rows->ctl->args, P_LINK, c->link))
		return 0;
	row = new_row(seen->rows);
	put_number(row, "link", c->link);
	for (i = 0; i < OCFABRIC_COUNTERS; i++)
		put_number(row, counter_names[i], c->value[i]);
	if (!counters_add_up(c))
		fprintf(stderr, "fabricctl: warning: %s link %u: writes is not the sum of how writes ended\n",
			seen->rows->card->name, c->link);
	return 0;
}

static int add_links(struct rows *rows)
{
	struct seen seen = { .rows = rows };
	int error = counters_read(rows->ctl, rows->card, add_counters, &seen);

	return error ? error : check_below(rows->card, &rows->ctl->args, P_LINK,
					   "link", seen.links);
}

int run_show_counters(struct ctl *ctl)
{
	struct column columns[2 + OCFABRIC_COUNTERS] = {
		{ "device", COL_PLAIN, true },
		{ "link", COL_PLAIN, false },
	};
	unsigned int i;

	for (i = 0; i < OCFABRIC_COUNTERS; i++)
		columns[2 + i].key = counter_names[i];
	return show_cards(ctl, "counters", add_links, NULL, columns,
			  ARRAY_SIZE(columns));
}

/* ---- rejects ------------------------------------------------------------ */

static const struct field reject_fields[] = {
	{ OCFABRIC_A_REJECT_LINK, "link", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_SEQ, "seq", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_CLOCK, "clock", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_OPCODE, "opcode", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_FLAGS, "flags", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_QPN, "qpn", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_PEER, "peer", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_RADDR, "raddr", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_LEN, "len", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_BEATS, "beats", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_GENERATION, "generation", FIELD_NUMBER, true },
};

static const struct column reject_columns[] = {
	{ "device", COL_PLAIN, true },
	{ "link", COL_PLAIN, false },
	{ "seq", COL_PLAIN, false },
	{ "clock", COL_PLAIN, false },
	{ "opcode", COL_PLAIN, false },
	{ "flags", COL_HEX, false },
	{ "qpn", COL_PLAIN, false },
	{ "peer", COL_PLAIN, false },
	{ "raddr", COL_HEX, false },
	{ "len", COL_PLAIN, false },
	{ "beats", COL_PLAIN, false },
	{ "generation", COL_PLAIN, false },
	{ "verdict", COL_PLAIN, true },
};

static int add_reject(const struct fab_attrs *attrs, void *arg)
{
	struct rows *rows = arg;
	struct json_object *row;

	if (!wanted(&rows->ctl->args, P_LINK,
		    fab_number(attrs, OCFABRIC_A_REJECT_LINK)))
		return 0;
	row = new_row(rows);
	put_fields(row, attrs, reject_fields, ARRAY_SIZE(reject_fields));
	put_string(row, "verdict", ocf_verdict_name((unsigned int)
			fab_number(attrs, OCFABRIC_A_REJECT_VERDICT)));
	return 0;
}

int run_show_rejects(struct ctl *ctl)
{
	return show_dump(ctl, "rejects", OCFABRIC_CMD_REJECT_GET, add_reject,
			 reject_columns, ARRAY_SIZE(reject_columns));
}
