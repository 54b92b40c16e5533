// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * monitor: events as they come
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include <ocfabric.h>

#include "print.h"

static const char *const kinds[] = {
	[OCFABRIC_EVENT_KIND_ADDED] = "added",
	[OCFABRIC_EVENT_KIND_REMOVED] = "removed",
	[OCFABRIC_EVENT_KIND_ATTACHED] = "attached",
	[OCFABRIC_EVENT_KIND_DETACHED] = "detached",
	[OCFABRIC_EVENT_KIND_CONFIG_CHANGED] = "config-changed",
	[OCFABRIC_EVENT_KIND_DRAINED] = "drained",
	[OCFABRIC_EVENT_KIND_RESUMED] = "resumed",
	[OCFABRIC_EVENT_KIND_COUNTERS_RESET] = "counters-reset",
	[OCFABRIC_EVENT_KIND_DEVICE_RESET] = "device-reset",
	[OCFABRIC_EVENT_KIND_QUEUE_STOPPED] = "queue-stopped",
	[OCFABRIC_EVENT_KIND_HARDWARE_ERROR] = "hardware-error",
	[OCFABRIC_EVENT_KIND_EVENTS_LOST] = "events-lost",
};

static const struct field fields[] = {
	{ OCFABRIC_A_EVENT_SEQ, "seq", FIELD_NUMBER, false },
	{ OCFABRIC_A_EVENT_REPLICA, "replica", FIELD_NUMBER, false },
	{ OCFABRIC_A_EVENT_WROTE, "wrote", FIELD_NUMBER, false },
	{ OCFABRIC_A_EVENT_EXPECTED, "expected", FIELD_NUMBER, false },
	{ OCFABRIC_A_EVENT_ERRORS, "errors", FIELD_NUMBER, false },
	{ OCFABRIC_A_EVENT_LOST, "lost", FIELD_NUMBER, false },
	{ OCFABRIC_A_EVENT_PID, "pid", FIELD_NUMBER, false },
	{ OCFABRIC_A_EVENT_CLOCK, "clock", FIELD_NUMBER, false },
};

/* A kind that a newer kernel has is shown, not hidden. */
static void put_kind(struct json_object *row, uint64_t kind)
{
	char unknown[32];

	if (kind < ARRAY_SIZE(kinds) && kinds[kind]) {
		put_string(row, "event", kinds[kind]);
		return;
	}
	snprintf(unknown, sizeof(unknown), "unknown-%" PRIu64, kind);
	put_string(row, "event", unknown);
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

		if (!strcmp(key, "cause_text"))
			printf(" %s=\"%s\"", key, json_object_get_string(
				       json_object_iter_peek_value(&at)));
		else if (strcmp(key, "time") && strcmp(key, "device") &&
			 strcmp(key, "event"))
			printf(" %s=%s", key, json_object_get_string(
				       json_object_iter_peek_value(&at)));
	}
	putchar('\n');
	json_object_put(row);
	return end_output();
}

static int print_event(const struct fab_attrs *attrs, void *arg)
{
	uint64_t card = fab_number(attrs, OCFABRIC_A_EVENT_CARD), cause;
	struct json_object *row;
	struct ctl *ctl = arg;
	char name[32];

	if (ctl->device && card != ctl->cards[0].id)
		return 0;
	row = json_object_new_object();
	snprintf(name, sizeof(name), "ocfabric%" PRIu64, card);
	put_number(row, "time", fab_number(attrs, OCFABRIC_A_EVENT_TIME));
	put_string(row, "device", name);
	put_kind(row, fab_number(attrs, OCFABRIC_A_EVENT_KIND));
	if (fab_u64(attrs, OCFABRIC_A_EVENT_CAUSE, &cause))
		put_string(row, "cause", ocf_cause_name((unsigned int)cause));
	put_fields(row, attrs, fields, ARRAY_SIZE(fields));
	/* The last, since it has spaces in it. */
	if (fab_u64(attrs, OCFABRIC_A_EVENT_CAUSE, &cause))
		put_cause_text(row, cause, fab_number(attrs, OCFABRIC_A_EVENT_WROTE),
			       fab_number(attrs, OCFABRIC_A_EVENT_EXPECTED));
	return ctl->json ? print_line(ctl, row) : print_text(row);
}

/* One look at the socket; an exit status, or -1 to go on. */
static int step(struct ctl *ctl)
{
	struct pollfd p = { .fd = fab_events_fd(ctl), .events = POLLIN };
	int n = poll(&p, 1, poll_ms(ctl->deadline, 60000));

	if (n < 0 && errno != EINTR)
		return fail(ST_REFUSED, "poll: %s", strerror(errno));
	if (n <= 0)
		return -1;
	switch (fab_events_read(ctl, print_event, ctl)) {
	case FAB_EVENTS_LOST:
		fail(0, "events were lost: they came faster than they could be read");
		return -1;
	case FAB_EVENTS_GONE:
		return fail(ST_NO_DRIVER, "the driver was unloaded");
	case FAB_EVENTS_ERROR:
		return ST_REFUSED;
	default:
		return ferror(stdout) ? ST_REFUSED : -1;
	}
}

int run_monitor(struct ctl *ctl)
{
	int status = fab_events_open(ctl);

	if (status)
		return status;
	catch_signals();
	fprintf(stderr, "fabricctl: waiting for events\n");
	for (status = -1; status < 0 && !caught_signal;) {
		if (now_ns() >= ctl->deadline)
			return fail(ST_TIMEOUT, "the time limit passed");
		status = step(ctl);
	}
	return status < 0 ? 0 : status;
}
