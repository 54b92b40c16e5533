/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the verbs of show have in common: rows of every card, and filters
 */
#ifndef FABRICCTL_SHOW_H
#define FABRICCTL_SHOW_H

#include "print.h"

struct rows {
	struct ctl *ctl;
	const struct card *card;	/* the one that is being looked at */
	struct json_object *array;
	struct json_object *notes;	/* sentences for people */
	void *arg;
};

/* Adds the rows of a card; an exit status. */
typedef int add_rows(struct rows *rows);

/*
 * Prints what @add says of every card as @name. Filters that name what a card
 * cannot have are refused before.
 */
int show_cards(struct ctl *ctl, const char *name, add_rows *add, void *arg,
	       const struct column *columns, unsigned int nr);

/* The same for what is one dump; @each is given the struct rows. */
int show_dump(struct ctl *ctl, const char *name, int cmd, fab_each *each,
	      const struct column *columns, unsigned int nr);

/* A sentence about the card, on stderr below the table; not with JSON. */
void add_note(struct rows *rows, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A new row of the card. */
struct json_object *new_row(struct rows *rows);

/* Whether the filter @id lets @value through. */
bool wanted(const struct args *args, enum param_id id, uint64_t value);

/* 0, or ST_ABSENT: a link or replica that is named is more than the card has. */
int check_ids(const struct card *card, const struct args *args);

#endif
