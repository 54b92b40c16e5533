// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What verbs print: they are run, and their rows are taken
 */
#include <string.h>

#include "dump.h"

/* A verb without arguments. */
static const struct {
	const char *part;
	const char *words[2];
} tables[] = {
	{ "devices", { "show", "devices" } },
	{ "config", { "show", "config" } },
	{ "saved", { "save" } },
	{ "regions", { "show", "regions" } },
	{ "connections", { "show", "connections" } },
	{ "windows", { "show", "windows" } },
	{ "replicas", { "show", "replicas" } },
	{ "queues", { "show", "queues" } },
	{ "qps", { "show", "qps" } },
	{ "counters", { "show", "counters" } },
	{ "stages", { "show", "stages" } },
	{ "rejects", { "show", "rejects" } },
	{ "semaphores", { "show", "semaphores" } },
};

static int take(struct ctl *ctl, const char *name, const struct column *columns,
		unsigned int nr, struct json_object *rows)
{
	return dump_rows(ctl->taker, name, columns, nr, rows);
}

static int run_verb(struct dump *dump, const void *arg)
{
	const char *const *words = arg;
	struct ctl ctl = *dump->ctl;
	char *copy[2] = { (char *)words[0], (char *)words[1] };
	int used;

	ctl.command = find_command(copy, words[1] ? 2 : 1, &used);
	if (!ctl.command)
		return ST_USAGE;
	memset(&ctl.args, 0, sizeof(ctl.args));
	/* In text, which has sentences besides the rows. */
	ctl.json = false;
	ctl.take_rows = take;
	ctl.taker = dump;
	return ctl.command->run(&ctl);
}

void dump_tables(struct dump *dump)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		dump_part(dump, tables[i].part, run_verb, tables[i].words);
}
