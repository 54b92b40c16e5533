// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * show semaphores
 */
#include <string.h>

#include "print.h"

static const struct column columns[] = {
	{ "device", COL_PLAIN, true },
	{ "replica", COL_PLAIN, false },
	{ "semaphore", COL_PLAIN, false },
	{ "value", COL_PLAIN, false },
};

struct adding {
	struct ctl *ctl;
	struct json_object *rows;
	const struct card *card;
};

/* Programs get all of them, people those that were ever added to. */
static int add_semaphores(const struct fab_attrs *attrs, void *arg)
{
	uint64_t replica = fab_number(attrs, OCFABRIC_A_SEMAPHORE_REPLICA);
	struct adding *adding = arg;
	const struct args *args = &adding->ctl->args;
	bool zeros = adding->ctl->json || args->given[P_ZEROS];
	const uint8_t *values;
	size_t length = 0, i;

	values = fab_bytes(attrs, OCFABRIC_A_SEMAPHORE_VALUES, &length);
	if (!values || (args->given[P_REPLICA] && args->value[P_REPLICA] != replica))
		return 0;
	for (i = 0; i < length / sizeof(uint32_t); i++) {
		struct json_object *row;
		uint32_t value;

		memcpy(&value, values + i * sizeof(value), sizeof(value));
		if (!value && !zeros)
			continue;
		row = add_row(adding->rows, adding->card);
		put_number(row, "replica", replica);
		put_number(row, "semaphore", i);
		put_number(row, "value", value);
	}
	return 0;
}

int run_show_semaphores(struct ctl *ctl)
{
	struct adding adding = { .ctl = ctl, .rows = json_object_new_array() };
	unsigned int i;
	int error = 0;

	for (i = 0; i < ctl->nr_cards && !error; i++) {
		adding.card = &ctl->cards[i];
		error = check_below(adding.card, &ctl->args, P_REPLICA,
				    "replica", adding.card->max_replicas);
		if (!error)
			error = fab_dump(ctl, OCFABRIC_CMD_SEMAPHORE_GET,
					 adding.card->id, add_semaphores, &adding);
	}
	if (error) {
		json_object_put(adding.rows);
		return error;
	}
	return print_rows(ctl, "semaphores", columns, ARRAY_SIZE(columns),
			  adding.rows);
}
