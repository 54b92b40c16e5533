// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * show counters, show rejects
 */
#include <stdio.h>

#include <ocfabric.h>

#include "counters.h"
#include "print.h"

/* ---- counters ----------------------------------------------------------- */

struct adding {
	struct ctl *ctl;
	struct json_object *rows;
	const struct card *card;
	unsigned int links;	/* seen */
};

static int add_counters(const struct counters *c, void *arg)
{
	struct adding *adding = arg;
	struct json_object *row;
	unsigned int i;

	adding->links++;
	if (adding->ctl->args.given[P_LINK] &&
	    adding->ctl->args.value[P_LINK] != c->link)
		return 0;
	row = add_row(adding->rows, adding->card);
	put_number(row, "link", c->link);
	for (i = 0; i < OCFABRIC_COUNTERS; i++)
		put_number(row, counter_names[i], c->value[i]);
	if (!counters_add_up(c))
		fprintf(stderr, "fabricctl: warning: %s link %u: writes is not the sum of how writes ended\n",
			adding->card->name, c->link);
	return 0;
}

int run_show_counters(struct ctl *ctl)
{
	struct adding adding = { .ctl = ctl, .rows = json_object_new_array() };
	struct column columns[2 + OCFABRIC_COUNTERS] = {
		{ "device", COL_PLAIN, true },
		{ "link", COL_PLAIN, false },
	};
	unsigned int i;
	int error = 0;

	for (i = 0; i < OCFABRIC_COUNTERS; i++)
		columns[2 + i].key = counter_names[i];
	for (i = 0; i < ctl->nr_cards && !error; i++) {
		adding.card = &ctl->cards[i];
		adding.links = 0;
		error = counters_read(ctl, adding.card, add_counters, &adding);
		if (!error)
			error = check_below(adding.card, &ctl->args, P_LINK,
					    "link", adding.links);
	}
	if (error) {
		json_object_put(adding.rows);
		return error;
	}
	return print_rows(ctl, "counters", columns, ARRAY_SIZE(columns),
			  adding.rows);
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
	struct adding *adding = arg;
	struct json_object *row;

	if (adding->ctl->args.given[P_LINK] &&
	    adding->ctl->args.value[P_LINK] !=
	    fab_number(attrs, OCFABRIC_A_REJECT_LINK))
		return 0;
	row = add_row(adding->rows, adding->card);
	put_fields(row, attrs, reject_fields, ARRAY_SIZE(reject_fields));
	put_string(row, "verdict", ocf_verdict_name((unsigned int)
			fab_number(attrs, OCFABRIC_A_REJECT_VERDICT)));
	return 0;
}

int run_show_rejects(struct ctl *ctl)
{
	struct adding adding = { .ctl = ctl, .rows = json_object_new_array() };
	unsigned int i;
	int error = 0;

	for (i = 0; i < ctl->nr_cards && !error; i++) {
		adding.card = &ctl->cards[i];
		error = check_below(adding.card, &ctl->args, P_LINK, "link",
				    adding.card->max_replicas);
		if (!error)
			error = fab_dump(ctl, OCFABRIC_CMD_REJECT_GET,
					adding.card->id, add_reject, &adding);
	}
	if (error) {
		json_object_put(adding.rows);
		return error;
	}
	return print_rows(ctl, "rejects", reject_columns,
			  ARRAY_SIZE(reject_columns), adding.rows);
}
