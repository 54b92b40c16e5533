// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the card and the driver told while the bundle was made: listening begins
 * before the first part, and ends with the last.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "dump.h"
#include "monitor.h"

#define MOST	1000	/* a card can tell more than anybody reads */

static const struct column columns[] = {
	{ "time", COL_TIME, true },
	{ "device", COL_PLAIN, true },
	{ "seq", COL_PLAIN, false },
	{ "event", COL_PLAIN, true },
	{ "link", COL_PLAIN, false },
	{ "replica", COL_PLAIN, false },
	{ "qpn", COL_PLAIN, false },
	{ "stage", COL_PLAIN, true },
	{ "waits_for", COL_PLAIN, true },
	{ "age_ms", COL_PLAIN, false },
	{ "verdict", COL_PLAIN, true },
	{ "omitted", COL_PLAIN, false },
	{ "state", COL_PLAIN, true },
	{ "cause", COL_PLAIN, true },
	{ "errors", COL_HEX, false },
	{ "lost", COL_PLAIN, false },
	{ "pid", COL_PLAIN, false },
	{ "clock", COL_PLAIN, false },
};

struct adding {
	struct dump *dump;
	struct json_object *rows;
	unsigned int seen;
};

void dump_listen(struct dump *dump)
{
	struct capture capture;
	char *said;

	capture_begin(&capture);
	dump->deaf = fab_events_open(dump->ctl);
	said = capture_end(&capture);
	if (dump->deaf && said)
		dump->why_deaf = strdup(bare_message(said));
	free(said);
}

static int add_event(const struct fab_attrs *attrs, void *arg)
{
	struct adding *adding = arg;
	struct ctl *ctl = adding->dump->ctl;

	adding->seen++;
	if (fab_number(attrs, OCFABRIC_A_EVENT_CARD) == ctl->cards[0].id)
		json_object_array_add(adding->rows, event_object(ctl, attrs));
	return 0;
}

/* All there are, in as many looks. */
static int read_events(struct adding *adding)
{
	struct ctl *ctl = adding->dump->ctl;
	struct pollfd p = { .fd = fab_events_fd(ctl), .events = POLLIN };
	unsigned int looks;

	for (looks = 0; looks < 2 * MOST && adding->seen < MOST; looks++) {
		if (poll(&p, 1, 0) <= 0)
			return 0;
		switch (fab_events_read(ctl, add_event, adding)) {
		case FAB_EVENTS_LOST:
			fail(0, "events were lost: more came than were kept");
			break;
		case FAB_EVENTS_GONE:
			return fail(ST_NO_DRIVER, "the driver was unloaded");
		case FAB_EVENTS_ERROR:
			return ST_REFUSED;
		default:
			break;
		}
	}
	fail(0, "more events came; these are the first");
	return 0;
}

static int add_events(struct dump *dump, const void *arg)
{
	struct adding adding = {
		.dump = dump, .rows = json_object_new_array(),
	};
	int error;

	(void)arg;
	error = dump->deaf ? fail(ST_REFUSED, "%s", dump->why_deaf ?
				  dump->why_deaf : "no reason was given") :
			     read_events(&adding);
	if (error) {
		json_object_put(adding.rows);
		return error;
	}
	fprintf(dump->text, "What was told while this bundle was made.\n\n");
	return dump_rows(dump, "events", columns, ARRAY_SIZE(columns),
			 adding.rows);
}

void dump_events(struct dump *dump)
{
	dump_part(dump, "events", add_events, NULL);
}
