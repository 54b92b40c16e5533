// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "show.h"

int check_ids(const struct card *card, const struct args *args)
{
	static const struct {
		enum param_id id;
		const char *noun;
	} checked[] = {
		{ P_LINK, "link" }, { P_SRC, "replica" }, { P_DST, "replica" },
		{ P_REPLICA, "replica" },
	};
	unsigned int i;
	int error;

	for (i = 0; i < ARRAY_SIZE(checked); i++) {
		error = check_below(card, args, checked[i].id, checked[i].noun,
				    card->max_replicas);
		if (error)
			return error;
	}
	return 0;
}

bool wanted(const struct args *args, enum param_id id, uint64_t value)
{
	return !args->given[id] || args->value[id] == value;
}

struct json_object *new_row(struct rows *rows)
{
	return add_row(rows->array, rows->card);
}

void add_note(struct rows *rows, const char *format, ...)
{
	char text[1536];
	va_list args;

	snprintf(text, sizeof(text), "%s", rows->card->name);
	va_start(args, format);
	vsnprintf(text + strlen(text), sizeof(text) - strlen(text), format, args);
	va_end(args);
	json_object_array_add(rows->notes, json_object_new_string(text));
}

static void print_notes(const struct ctl *ctl, struct json_object *notes)
{
	size_t i;

	for (i = 0; !ctl->json && i < json_object_array_length(notes); i++)
		fail(0, "%s", json_object_get_string(
			     json_object_array_get_idx(notes, i)));
}

int show_cards(struct ctl *ctl, const char *name, add_rows *add, void *arg,
	       const struct column *columns, unsigned int nr)
{
	struct rows rows = {
		.ctl = ctl, .array = json_object_new_array(),
		.notes = json_object_new_array(), .arg = arg,
	};
	unsigned int i;
	int error = 0;

	for (i = 0; i < ctl->nr_cards && !error; i++) {
		rows.card = &ctl->cards[i];
		error = check_ids(rows.card, &ctl->args);
		if (!error)
			error = add(&rows);
	}
	if (error)
		json_object_put(rows.array);
	else
		error = print_rows(ctl, name, columns, nr, rows.array);
	if (!error)
		print_notes(ctl, rows.notes);
	json_object_put(rows.notes);
	return error;
}

struct dump {
	int cmd;
	fab_each *each;
};

static int add_dump(struct rows *rows)
{
	const struct dump *dump = rows->arg;

	return fab_dump(rows->ctl, dump->cmd, rows->card->id, dump->each, rows);
}

int show_dump(struct ctl *ctl, const char *name, int cmd, fab_each *each,
	      const struct column *columns, unsigned int nr)
{
	struct dump dump = { .cmd = cmd, .each = each };

	return show_cards(ctl, name, add_dump, &dump, columns, nr);
}
