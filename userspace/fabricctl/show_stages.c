// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * show stages: where writes are, and below it what keeps them there
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ocfabric.h>

#include "qps.h"
#include "show.h"
#include "stages.h"
#include "words.h"

static const struct column columns[] = {
	{ "device", COL_PLAIN, true },
	{ "link", COL_PLAIN, false },
	{ "stage", COL_PLAIN, true },
	{ "in", COL_PLAIN, false },
	{ "out", COL_PLAIN, false },
	{ "ended", COL_PLAIN, false },
	{ "held", COL_PLAIN, false },
	{ "waits_for", COL_PLAIN, true },
	{ "since_us", COL_PLAIN, false },
	{ "due_us", COL_PLAIN, false },
};

/* ---- a link ------------------------------------------------------------- */

/* The connection that the write in flight of a link is of. */
struct in_flight {
	unsigned int link;
	bool found;
	struct qp qp;
};

static int take_in_flight(const struct fab_attrs *attrs, void *arg)
{
	struct in_flight *in_flight = arg;
	struct qp qp;

	qp_of(attrs, &qp);
	if (qp.link == in_flight->link && qp.outstanding) {
		in_flight->found = true;
		in_flight->qp = qp;
	}
	return 0;
}

/* What to do about it, once it has ended: nothing drains before. */
static void remedy(const struct stages *s, const struct in_flight *in_flight,
		   char *buf, size_t size)
{
	char replica[16] = "R";

	if (in_flight->found)
		snprintf(replica, sizeof(replica), "%u", in_flight->qp.peer);
	switch (s->waits_for) {
	case OCFABRIC_WAITS_FOR_LATENCY:
		snprintf(buf, size, "then fabricctl set latency C, if it is too long");
		return;
	case OCFABRIC_WAITS_FOR_SOURCE:
		snprintf(buf, size, "fabricctl show queues replica %u says whether its queue runs",
			 s->link);
		return;
	case OCFABRIC_WAITS_FOR_RESPONSE:
		snprintf(buf, size, "then fabricctl set fault replica %s offset O none, if a delay was injected",
			 replica);
		return;
	default:
		snprintf(buf, size, "the card should have gone on by itself");
	}
}

static int stuck_text(struct rows *rows, const struct stages *s, char *buf,
		      size_t size)
{
	struct in_flight in_flight = { .link = s->link };
	char which[64] = "", due[64] = "", then[128];
	uint64_t us;
	int error = fab_dump(rows->ctl, OCFABRIC_CMD_QP_GET, rows->card->id,
			     take_in_flight, &in_flight);

	if (in_flight.found)
		snprintf(which, sizeof(which), " (QPN %u, to replica %u)",
			 in_flight.qp.qpn, in_flight.qp.peer);
	if (stages_due_us(s, rows->card, &us))
		snprintf(due, sizeof(due), " and will for %" PRIu64 " ms more",
			 us / 1000);
	remedy(s, &in_flight, then, sizeof(then));
	snprintf(buf, size, "a write%s has been in stage %s for %" PRIu64
		 " ms, waits for %s%s; fabricctl reset link %u ends it as dma_error; %s",
		 which, stage_name(s->held),
		 stages_since_us(s, rows->card) / 1000, waits_text(s->waits_for),
		 due, s->link, then);
	return error;
}

static void add_stage(struct rows *rows, const struct stages *s, unsigned int i,
		      const char *advice)
{
	struct json_object *row = new_row(rows);
	uint64_t us;

	put_number(row, "link", s->link);
	put_string(row, "stage", stage_name(i));
	put_number(row, "in", s->at[i].in);
	put_number(row, "out", s->at[i].out);
	put_number(row, "ended", s->at[i].ended);
	put_number(row, "held", s->at[i].held);
	put_null(row, "waits_for");
	put_null(row, "since_us");
	put_null(row, "due_us");
	if (s->held == i) {
		put_string(row, "waits_for", waits_name(s->waits_for));
		put_number(row, "since_us", stages_since_us(s, rows->card));
		if (stages_due_us(s, rows->card, &us))
			put_number(row, "due_us", us);
	}
	if (advice)
		put_string(row, "advice", advice);
	else
		put_null(row, "advice");
}

static int add_link(const struct stages *s, void *arg)
{
	struct rows *rows = arg;
	unsigned int i, at;
	char advice[1024];
	int error = 0;

	if (!wanted(&rows->ctl->args, P_LINK, s->link))
		return 0;
	at = stages_broken(s, advice, sizeof(advice));
	if (at != OCFABRIC_PATH_NONE) {
		snprintf(advice + strlen(advice), sizeof(advice) - strlen(advice),
			 ": the card loses or makes up writes");
	} else if (stages_stuck(s, rows->card)) {
		at = s->held;
		error = stuck_text(rows, s, advice, sizeof(advice));
	}
	for (i = 0; i < OCFABRIC_PATHS; i++)
		add_stage(rows, s, i, i == at ? advice : NULL);
	if (at != OCFABRIC_PATH_NONE)
		add_note(rows, " link %u: %s", s->link, advice);
	return error;
}

/* ---- what keeps writes from being taken --------------------------------- */

static int say_drained(const struct fab_attrs *attrs, void *arg)
{
	struct rows *rows = arg;
	char by[64], since[64];

	if (!fab_number(attrs, OCFABRIC_A_CONFIG_DRAINED))
		return 0;
	fab_string(attrs, OCFABRIC_A_CONFIG_DRAINED_COMM, by, sizeof(by));
	time_text(fab_number(attrs, OCFABRIC_A_CONFIG_DRAINED_SINCE), since,
		  sizeof(since));
	add_note(rows, ": drained by %s (pid %" PRIu64 ") since %s: no link takes a write until fabricctl resume",
		 by, fab_number(attrs, OCFABRIC_A_CONFIG_DRAINED_PID), since);
	return 0;
}

static int say_queue(const struct fab_attrs *attrs, void *arg)
{
	uint64_t replica = fab_number(attrs, OCFABRIC_A_REPLICA_REPLICA);
	uint64_t behind = (fab_number(attrs, OCFABRIC_A_REPLICA_TAIL) -
			   fab_number(attrs, OCFABRIC_A_REPLICA_HEAD)) & 0xffffff;
	struct rows *rows = arg;
	char text[256];

	if (!wanted(&rows->ctl->args, P_LINK, replica))
		return 0;
	if (fab_number(attrs, OCFABRIC_A_REPLICA_QUEUE_STATE) ==
	    OCFABRIC_QUEUE_STOPPED)
		add_note(rows, " link %" PRIu64 ": its queue stopped: %s; its owner has to restart it",
			 replica,
			 ocf_cause_text((unsigned int)fab_number(attrs, OCFABRIC_A_REPLICA_QUEUE_CAUSE),
					(uint32_t)fab_number(attrs, OCFABRIC_A_REPLICA_WROTE),
					(uint32_t)fab_number(attrs, OCFABRIC_A_REPLICA_EXPECTED),
					text, sizeof(text)));
	else if (fab_number(attrs, OCFABRIC_A_REPLICA_WAITING))
		add_note(rows, " link %" PRIu64 ": its queue waits for one of its own semaphores (a WAIT at its head), with %" PRIu64 " descriptors to run: fabricctl show semaphores replica %" PRIu64,
			 replica, behind, replica);
	return 0;
}

static int add_links(struct rows *rows)
{
	int error = stages_read(rows->ctl, rows->card, add_link, rows);

	if (error || rows->ctl->json)
		return error;
	error = fab_get(rows->ctl, OCFABRIC_CMD_CONFIG_GET, rows->card->id,
			say_drained, rows);
	if (!error)
		error = fab_dump(rows->ctl, OCFABRIC_CMD_REPLICA_GET,
				 rows->card->id, say_queue, rows);
	return error;
}

int run_show_stages(struct ctl *ctl)
{
	return show_cards(ctl, "stages", add_links, NULL, columns,
			  ARRAY_SIZE(columns));
}
