// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * show counters
 */
#include <stdio.h>

#include "counters.h"
#include "show.h"

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
