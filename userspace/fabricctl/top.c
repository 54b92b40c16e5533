// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * top: as tables or JSON, one or one an interval
 */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>

#include <ocfabric.h>

#include "terminal.h"
#include "top.h"
#include "words.h"

#define RESET_NS	(30 * NS_PER_S)	/* that a card may be absent for */

const char *const top_words[NR_TOP_VALUES] = {
	[TOP_LINK] = "link",
	[TOP_WRITES] = "writes",
	[TOP_COMMITTED] = "committed",
	[TOP_BYTES] = "bytes",
	[TOP_REJECTS] = "rejects",
	[TOP_QUEUE] = "queue",
	[TOP_RX] = "rx",
	[TOP_HELD] = "held",
	[TOP_INTERRUPTS] = "interrupts",
	[TOP_DELAYED] = "delayed",
};

static const struct column columns[] = {
	{ "device", COL_PLAIN, true },
	{ "link", COL_PLAIN, false },
	{ "writes_per_s", COL_AMOUNT, false },
	{ "committed_per_s", COL_AMOUNT, false },
	{ "bytes_per_s", COL_BYTES, false },
	{ "rejects_per_s", COL_AMOUNT, false },
	{ "stage", COL_PLAIN, true },
	{ "waits_for", COL_PLAIN, true },
	{ "held_us", COL_PLAIN, false },
	{ "queue_depth", COL_PLAIN, false },
	{ "rx_depth", COL_PLAIN, false },
	{ "interrupts_per_s", COL_AMOUNT, false },
	{ "delayed_per_s", COL_AMOUNT, false },
	{ "state", COL_PLAIN, true },
	{ "note", COL_PLAIN, true },
	{ "pid", COL_PLAIN, false },
	{ "comm", COL_PLAIN, true },
};

static void put_value(struct json_object *row, const char *key, double value)
{
	if (isnan(value))
		put_null(row, key);
	else
		put_decimal(row, key, value);
}

static void put_whole(struct json_object *row, const char *key, double value)
{
	if (isnan(value))
		put_null(row, key);
	else
		put_number(row, key, (uint64_t)value);
}

static void put_word(struct json_object *row, const char *key, const char *word)
{
	if (word)
		put_string(row, key, word);
	else
		put_null(row, key);
}

static struct json_object *row_object(const struct top_row *r)
{
	struct json_object *row = json_object_new_object();
	bool held = r->stage != OCFABRIC_PATH_NONE;

	put_string(row, "device", r->device);
	put_whole(row, "link", r->value[TOP_LINK]);
	put_value(row, "writes_per_s", r->value[TOP_WRITES]);
	put_value(row, "committed_per_s", r->value[TOP_COMMITTED]);
	put_value(row, "bytes_per_s", r->value[TOP_BYTES]);
	put_value(row, "rejects_per_s", r->value[TOP_REJECTS]);
	put_word(row, "stage", held ? stage_name(r->stage) : NULL);
	put_word(row, "waits_for", held ? waits_name(r->waits_for) : NULL);
	put_whole(row, "held_us", r->value[TOP_HELD]);
	put_whole(row, "queue_depth", r->value[TOP_QUEUE]);
	put_whole(row, "rx_depth", r->value[TOP_RX]);
	put_value(row, "interrupts_per_s", r->value[TOP_INTERRUPTS]);
	put_value(row, "delayed_per_s", r->value[TOP_DELAYED]);
	put_word(row, "state", r->attached ? ocf_state_name(r->state) : NULL);
	put_word(row, "note", r->note);
	if (r->attached)
		put_number(row, "pid", r->pid);
	else
		put_null(row, "pid");
	put_word(row, "comm", r->attached ? r->comm : NULL);
	return row;
}

static struct json_object *rows_array(const struct top *top)
{
	struct json_object *rows = json_object_new_array();
	unsigned int i;

	for (i = 0; i < top->nr_rows; i++)
		json_object_array_add(rows, row_object(&top->row[i]));
	return rows;
}

/* One of many: a line of JSON, or a table with the time above it. */
static int print_again(struct top *top)
{
	struct json_object *object;
	struct timespec now;
	char text[64];
	uint64_t ns;

	clock_gettime(CLOCK_REALTIME, &now);
	ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
	if (!top->ctl->json) {
		time_text(ns, text, sizeof(text));
		printf("\n%s\n", text);
		return print_rows(top->ctl, "top", columns, ARRAY_SIZE(columns),
				  rows_array(top));
	}
	object = json_object_new_object();
	put_number(object, "time", ns);
	json_object_object_add(object, "top", rows_array(top));
	return print_line(top->ctl, object);
}

/* An exit status, or -1 when the interval has passed. */
static int wait_interval(struct top *top)
{
	int64_t end = now_ns() + top->interval;

	while (now_ns() < end) {
		if (caught_signal)
			return 0;
		if (now_ns() >= top->ctl->deadline)
			return fail(ST_TIMEOUT, "the time limit passed");
		poll(NULL, 0, poll_ms(end < top->ctl->deadline ? end :
				      top->ctl->deadline, 1000));
	}
	return -1;
}

static int top_plain(struct top *top)
{
	bool once = top->ctl->args.given[P_ONCE];
	int64_t absent = 0;	/* since when; 0: it is there */
	int status = top_sample(top);

	catch_signals();
	while (!status) {
		status = wait_interval(top);
		if (status >= 0)
			return status;
		status = top_sample(top);
		/* A card that is being reset is absent, but comes back. */
		if (status == ST_ABSENT && !once) {
			absent = absent ? absent : now_ns();
			if (now_ns() - absent < RESET_NS) {
				status = 0;
				continue;
			}
		}
		if (status)
			break;
		absent = 0;
		if (once)
			return print_rows(top->ctl, "top", columns,
					  ARRAY_SIZE(columns), rows_array(top));
		status = print_again(top);
	}
	return status;
}

int run_top(struct ctl *ctl)
{
	struct top top = {
		.ctl = ctl,
		.sort = (enum top_value)ctl->args.value[P_SORT],
		.interval = NS_PER_S,
	};
	bool live = !ctl->args.given[P_ONCE] && !ctl->json && terminal_usable();
	int status;

	if (ctl->args.given[P_INTERVAL])
		top.interval = (int64_t)ctl->args.value[P_INTERVAL] * NS_PER_MS;
	status = live ? top_live(&top) : top_plain(&top);
	top_free(&top);
	return status;
}
