// SPDX-License-Identifier: LGPL-2.1-or-later
#include <inttypes.h>
#include <stdio.h>

#include <ocfabric.h>

#include "monitor.h"
#include "stages.h"
#include "words.h"

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
	[OCFABRIC_EVENT_KIND_STALLED] = "stalled",
	[OCFABRIC_EVENT_KIND_REJECTED] = "rejected",
	[OCFABRIC_EVENT_KIND_QP_ERROR] = "qp-error",
	[OCFABRIC_EVENT_KIND_QP_CHANGED] = "qp-changed",
	[OCFABRIC_EVENT_KIND_LIMITS_CHANGED] = "limits-changed",
};

static const struct field fields[] = {
	{ OCFABRIC_A_EVENT_SEQ, "seq", FIELD_NUMBER, false },
	{ OCFABRIC_A_EVENT_QPN, "qpn", FIELD_NUMBER, false },
	{ OCFABRIC_A_EVENT_AGE, "age_ms", FIELD_NUMBER, false },
	{ OCFABRIC_A_EVENT_OMITTED, "omitted", FIELD_NUMBER, false },
	{ OCFABRIC_A_EVENT_WROTE, "wrote", FIELD_NUMBER, false },
	{ OCFABRIC_A_EVENT_EXPECTED, "expected", FIELD_NUMBER, false },
	{ OCFABRIC_A_EVENT_ERRORS, "errors", FIELD_NUMBER, false },
	{ OCFABRIC_A_EVENT_LOST, "lost", FIELD_NUMBER, false },
	{ OCFABRIC_A_EVENT_PID, "pid", FIELD_NUMBER, false },
	{ OCFABRIC_A_EVENT_CLOCK, "clock", FIELD_NUMBER, false },
};

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

/* Links and replicas share an attribute. */
static const char *subject_of(uint64_t kind)
{
	switch (kind) {
	case OCFABRIC_EVENT_KIND_STALLED:
	case OCFABRIC_EVENT_KIND_REJECTED:
	case OCFABRIC_EVENT_KIND_QP_ERROR:
	case OCFABRIC_EVENT_KIND_QP_CHANGED:
		return "link";
	default:
		return "replica";
	}
}

/* ---- stalled ------------------------------------------------------------ */

struct held {
	uint64_t link;
	uint64_t stage;
	bool found;
	unsigned int waits_for;
};

static int take_held(const struct stages *stages, void *arg)
{
	struct held *held = arg;

	if (stages->link == held->link && stages->held == held->stage) {
		held->found = true;
		held->waits_for = stages->waits_for;
	}
	return 0;
}

/* The event does not say what the write waits for: if it still does, look. */
static void put_stalled(struct ctl *ctl, struct json_object *row,
			const struct fab_attrs *attrs)
{
	const struct card card = {
		.id = (unsigned int)fab_number(attrs, OCFABRIC_A_EVENT_CARD),
	};
	struct held held = {
		.link = fab_number(attrs, OCFABRIC_A_EVENT_REPLICA),
		.stage = fab_number(attrs, OCFABRIC_A_EVENT_STAGE),
	};

	put_string(row, "stage", stage_name((unsigned int)held.stage));
	if (!stages_read(ctl, &card, take_held, &held) && held.found)
		put_string(row, "waits_for", waits_name(held.waits_for));
	else
		put_null(row, "waits_for");
}

/* ---- words -------------------------------------------------------------- */

/* What is a word, or a few, and not a number; before the numbers. */
static void put_words(struct ctl *ctl, struct json_object *row, uint64_t kind,
		      const struct fab_attrs *attrs)
{
	uint64_t cause = fab_number(attrs, OCFABRIC_A_EVENT_CAUSE);

	if (kind == OCFABRIC_EVENT_KIND_STALLED)
		put_stalled(ctl, row, attrs);
	if (kind == OCFABRIC_EVENT_KIND_REJECTED)
		put_string(row, "verdict", ocf_verdict_name((unsigned int)
				fab_number(attrs, OCFABRIC_A_EVENT_VERDICT)));
	if (kind == OCFABRIC_EVENT_KIND_QP_ERROR ||
	    kind == OCFABRIC_EVENT_KIND_QP_CHANGED)
		put_string(row, "state", qp_state_name((unsigned int)
				fab_number(attrs, OCFABRIC_A_EVENT_STATE)));
	if (kind == OCFABRIC_EVENT_KIND_QP_ERROR)
		put_string(row, "cause", qp_cause_name((unsigned int)cause));
	if (kind == OCFABRIC_EVENT_KIND_QUEUE_STOPPED)
		put_string(row, "cause", ocf_cause_name((unsigned int)cause));
}

/* The last, since they have spaces in them. */
static void put_sentence(struct json_object *row, uint64_t kind,
			 const struct fab_attrs *attrs)
{
	uint64_t cause = fab_number(attrs, OCFABRIC_A_EVENT_CAUSE);

	if (kind == OCFABRIC_EVENT_KIND_REJECTED)
		put_string(row, "verdict_text", ocf_verdict_text((unsigned int)
				fab_number(attrs, OCFABRIC_A_EVENT_VERDICT)));
	if (kind == OCFABRIC_EVENT_KIND_QP_ERROR)
		put_string(row, "cause_text", qp_cause_text((unsigned int)cause));
	if (kind == OCFABRIC_EVENT_KIND_QUEUE_STOPPED)
		put_cause_text(row, cause,
			       fab_number(attrs, OCFABRIC_A_EVENT_WROTE),
			       fab_number(attrs, OCFABRIC_A_EVENT_EXPECTED));
}

struct json_object *event_object(struct ctl *ctl, const struct fab_attrs *attrs)
{
	struct json_object *row = json_object_new_object();
	uint64_t kind = fab_number(attrs, OCFABRIC_A_EVENT_KIND), subject;
	char name[32];

	snprintf(name, sizeof(name), "ocfabric%" PRIu64,
		 fab_number(attrs, OCFABRIC_A_EVENT_CARD));
	put_number(row, "time", fab_number(attrs, OCFABRIC_A_EVENT_TIME));
	put_string(row, "device", name);
	put_kind(row, kind);
	if (fab_u64(attrs, OCFABRIC_A_EVENT_REPLICA, &subject))
		put_number(row, subject_of(kind), subject);
	put_words(ctl, row, kind, attrs);
	put_fields(row, attrs, fields, ARRAY_SIZE(fields));
	put_sentence(row, kind, attrs);
	return row;
}
