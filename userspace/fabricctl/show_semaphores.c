// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * show semaphores
 */
#include <string.h>

#include "show.h"

static const struct column columns[] = {
	{ "device", COL_PLAIN, true },
	{ "replica", COL_PLAIN, false },
	{ "semaphore", COL_PLAIN, false },
	{ "value", COL_PLAIN, false },
};

/* Programs get all of them, people those that were ever added to. */
static int add_semaphores(const struct fab_attrs *attrs, void *arg)
{
	uint64_t replica = fab_number(attrs, OCFABRIC_A_SEMAPHORE_REPLICA);
	struct rows *rows = arg;
	const struct args *args = &rows->ctl->args;
	bool zeros = rows->ctl->json || args->given[P_ZEROS];
	const uint8_t *values;
	size_t length = 0, i;

	values = fab_bytes(attrs, OCFABRIC_A_SEMAPHORE_VALUES, &length);
	if (!values || !wanted(args, P_REPLICA, replica))
		return 0;
	for (i = 0; i < length / sizeof(uint32_t); i++) {
		struct json_object *row;
		uint32_t value;

		memcpy(&value, values + i * sizeof(value), sizeof(value));
		if (!value && !zeros)
			continue;
		row = new_row(rows);
		put_number(row, "replica", replica);
		put_number(row, "semaphore", i);
		put_number(row, "value", value);
	}
	return 0;
}

int run_show_semaphores(struct ctl *ctl)
{
	return show_dump(ctl, "semaphores", OCFABRIC_CMD_SEMAPHORE_GET,
			 add_semaphores, columns, ARRAY_SIZE(columns));
}
