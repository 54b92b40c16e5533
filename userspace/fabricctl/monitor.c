// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor.h"

#define CARDS		64		/* whose numbers are followed */
#define QUIET_MS	100		/* until what is missing counts as lost */
#define LONGEST_NS	NS_PER_S	/* the same while events keep coming */

/* The numbers of a card's events. */
struct followed {
	bool known;
	uint32_t next;
	uint64_t missing;	/* so far: they may only be late */
	bool lost;		/* the card said so */
};

struct monitor {
	struct ctl *ctl;
	bool filtered;
	unsigned int only;	/* number of the card, then */
	struct followed card[CARDS];
	bool overrun;		/* the socket ran over */
	int64_t since;		/* when it was first in doubt; 0: it is not */
};

/* ---- lines -------------------------------------------------------------- */

static bool is_text(const char *key)
{
	size_t n = strlen(key);

	return n > 5 && !strcmp(key + n - 5, "_text");
}

static void print_value(const char *key, struct json_object *value)
{
	size_t i, n;

	printf(" %s=", key);
	if (!json_object_is_type(value, json_type_array)) {
		printf(is_text(key) ? "\"%s\"" : "%s",
		       value ? json_object_get_string(value) : "-");
		return;
	}
	n = json_object_array_length(value);
	for (i = 0; i < n; i++)
		printf("%s%s", i ? "," : "", json_object_get_string(
			       json_object_array_get_idx(value, i)));
	if (!n)
		putchar('-');
}

/* TIME DEVICE EVENT KEY=VALUE... */
static int print_text(struct json_object *row)
{
	struct json_object_iterator at = json_object_iter_begin(row);
	struct json_object_iterator end = json_object_iter_end(row);
	char time[64];

	time_text(json_object_get_uint64(json_object_object_get(row, "time")),
		  time, sizeof(time));
	printf("%s %s %s", time,
	       json_object_get_string(json_object_object_get(row, "device")),
	       json_object_get_string(json_object_object_get(row, "event")));
	for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		const char *key = json_object_iter_peek_name(&at);

		if (strcmp(key, "time") && strcmp(key, "device") &&
		    strcmp(key, "event"))
			print_value(key, json_object_iter_peek_value(&at));
	}
	putchar('\n');
	json_object_put(row);
	return end_output();
}

static int print_object(struct ctl *ctl, struct json_object *row)
{
	return ctl->json ? print_line(ctl, row) : print_text(row);
}

/* ---- what was lost ------------------------------------------------------ */

static void doubt(struct monitor *monitor)
{
	if (!monitor->since)
		monitor->since = now_ns();
}

/* Events are sent by several at once: a number can come after its next one. */
static void follow(struct monitor *monitor, struct followed *card, uint32_t seq)
{
	uint32_t ahead = seq - card->next;

	if (!card->known) {
		card->known = true;
		card->next = seq + 1;
	} else if (ahead <= INT32_MAX) {
		card->missing += ahead;
		card->next = seq + 1;
		if (ahead)
			doubt(monitor);
	} else if (card->missing) {
		card->missing--;
	}
}

static void look_at(struct monitor *monitor, const struct fab_attrs *attrs)
{
	uint64_t id = fab_number(attrs, OCFABRIC_A_EVENT_CARD);
	uint64_t kind = fab_number(attrs, OCFABRIC_A_EVENT_KIND);
	struct followed *card;

	if (id >= CARDS)
		return;
	card = &monitor->card[id];
	if (kind == OCFABRIC_EVENT_KIND_ADDED)
		memset(card, 0, sizeof(*card));
	follow(monitor, card, (uint32_t)fab_number(attrs, OCFABRIC_A_EVENT_SEQ));
	if (kind == OCFABRIC_EVENT_KIND_EVENTS_LOST) {
		card->lost = true;
		doubt(monitor);
	}
}

static bool is_wanted(const struct monitor *monitor, uint64_t id)
{
	return !monitor->filtered || id == monitor->only;
}

/* What the card is now, if events of it were lost. */
static int tell_state(struct monitor *monitor, const struct card *card)
{
	struct followed none = { 0 };
	struct followed *f = card->id < CARDS ? &monitor->card[card->id] : &none;
	const char *reason = monitor->overrun ? "overrun" :
			     f->missing ? "gap" : f->lost ? "events-lost" : NULL;
	struct json_object *row;

	if (!reason || !is_wanted(monitor, card->id))
		return 0;
	row = state_object(monitor->ctl, card, reason, f->missing);
	/* Gone, or being reset: there will be an event of it. */
	return row ? print_object(monitor->ctl, row) : 0;
}

/*
 * Nothing is to be read: what has not come by now is lost. Should the cards not be
 * readable, events will tell why.
 */
static void settle(struct monitor *monitor)
{
	struct ctl now = *monitor->ctl;
	unsigned int i;
	int error;

	now.device = NULL;
	now.cards = NULL;
	now.nr_cards = 0;
	error = pick_cards(&now);
	for (i = 0; i < now.nr_cards && !error; i++)
		error = tell_state(monitor, &now.cards[i]);
	free_cards(&now);
	for (i = 0; i < CARDS; i++) {
		monitor->card[i].missing = 0;
		monitor->card[i].lost = false;
		/* The gap that this will have is told already. */
		if (monitor->overrun)
			monitor->card[i].known = false;
	}
	monitor->overrun = false;
	monitor->since = 0;
}

/* ---- the loop ----------------------------------------------------------- */

static int take_event(const struct fab_attrs *attrs, void *arg)
{
	struct monitor *monitor = arg;

	look_at(monitor, attrs);
	if (!is_wanted(monitor, fab_number(attrs, OCFABRIC_A_EVENT_CARD)))
		return 0;
	return print_object(monitor->ctl, event_object(monitor->ctl, attrs));
}

static int read_events(struct monitor *monitor)
{
	switch (fab_events_read(monitor->ctl, take_event, monitor)) {
	case FAB_EVENTS_LOST:
		if (!monitor->overrun)
			fail(0, "events were lost: they came faster than they could be read; what the cards are now follows");
		monitor->overrun = true;
		doubt(monitor);
		return -1;
	case FAB_EVENTS_GONE:
		return fail(ST_NO_DRIVER, "the driver was unloaded");
	case FAB_EVENTS_ERROR:
		return ST_REFUSED;
	default:
		return ferror(stdout) ? ST_REFUSED : -1;
	}
}

/* One look at the socket; an exit status, or -1 to go on. */
static int step(struct monitor *monitor)
{
	struct pollfd p = { .fd = fab_events_fd(monitor->ctl), .events = POLLIN };
	int status = -1, n;

	n = poll(&p, 1, poll_ms(monitor->ctl->deadline,
				monitor->since ? QUIET_MS : 60000));
	if (n < 0 && errno != EINTR)
		return fail(ST_REFUSED, "poll: %s", strerror(errno));
	if (n > 0)
		status = read_events(monitor);
	if (status < 0 && monitor->since &&
	    (!n || now_ns() - monitor->since > LONGEST_NS))
		settle(monitor);
	return status < 0 && ferror(stdout) ? ST_REFUSED : status;
}

int run_monitor(struct ctl *ctl)
{
	struct monitor *monitor;
	int status = fab_events_open(ctl);

	if (status)
		return status;
	monitor = calloc(1, sizeof(*monitor));
	if (!monitor)
		return fail(ST_REFUSED, "no memory for events");
	monitor->ctl = ctl;
	monitor->filtered = ctl->device;
	if (ctl->device)
		monitor->only = ctl->cards[0].id;
	catch_signals();
	fprintf(stderr, "fabricctl: waiting for events\n");
	for (status = -1; status < 0 && !caught_signal;) {
		if (now_ns() >= ctl->deadline)
			status = fail(ST_TIMEOUT, "the time limit passed");
		else
			status = step(monitor);
	}
	free(monitor);
	return status < 0 ? 0 : status;
}
