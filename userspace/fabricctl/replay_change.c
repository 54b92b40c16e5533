// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Successive configuration statements of a scenario are one change
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scenario/apply.h>

#include "replay.h"

#define NO_STATEMENT	SIZE_MAX

static bool add_step(struct replay *replay, const struct ocfabric_change *step,
		     size_t statement)
{
	size_t room = replay->room ? 2 * replay->room : 64;
	size_t *more;

	if (replay->steps.nr == replay->room) {
		more = realloc(replay->origin, room * sizeof(*more));
		if (!more)
			return false;
		replay->origin = more;
		replay->room = room;
	}
	replay->origin[replay->steps.nr] = statement;
	return steps_add(&replay->steps, step);
}

/* The first change starts from nothing, with counters and regions at zero. */
int change_init(struct replay *replay)
{
	static const uint32_t ops[] = {
		OCFABRIC_CHANGE_RESET, OCFABRIC_CHANGE_HBM_CLEAR,
		OCFABRIC_CHANGE_COUNTERS_RESET,
	};
	struct ocf_config *shadow = &replay->shadow;
	unsigned int i;

	shadow->max_windows = replay->scn->nr_windows;
	shadow->windows = calloc(shadow->max_windows + 1, sizeof(*shadow->windows));
	shadow->reach = calloc(shadow->max_windows + 1, sizeof(*shadow->reach));
	if (!shadow->windows || !shadow->reach)
		return fail(ST_REFUSED, "no memory for the configuration");
	ocf_config_reset(shadow);
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		struct ocfabric_change step = { .op = ops[i] };

		if (!add_step(replay, &step, NO_STATEMENT))
			return fail(ST_REFUSED, "no memory for a change");
	}
	replay->hbm = OCF_SCN_HBM_DEFAULT;
	replay->hbm_origin = 0;
	return 0;
}

void change_free(struct replay *replay)
{
	free(replay->shadow.windows);
	free(replay->shadow.reach);
	free(replay->origin);
	steps_free(&replay->steps);
}

static struct ocfabric_change fault_step(const struct ocf_scn_stmt *stmt)
{
	struct ocfabric_change step = {
		.op = OCFABRIC_CHANGE_FAULT_RESP,
		.dst = stmt->fault.dst,
		.offset = stmt->fault.offset,
	};

	switch (stmt->fault.what) {
	case OCF_SCN_SLVERR:
		step.value = OCFABRIC_RESP_SLVERR;
		break;
	case OCF_SCN_DECERR:
		step.value = OCFABRIC_RESP_DECERR;
		break;
	case OCF_SCN_DELAY:
		step.op = OCFABRIC_CHANGE_FAULT_DELAY;
		step.value = stmt->fault.delay;
		break;
	case OCF_SCN_FAULT_NONE:
		step.op = OCFABRIC_CHANGE_FAULT_CLEAR;
		break;
	}
	return step;
}

static struct ocfabric_change window_step(uint32_t op,
					  const struct ocf_scn_window *w)
{
	return (struct ocfabric_change){
		.op = op, .src = w->src, .dst = w->dst,
		.offset = w->offset, .length = w->length,
	};
}

/* The step of a statement; op 0 when it needs none. */
static struct ocfabric_change step_of(const struct ocf_scn_stmt *stmt)
{
	switch (stmt->op) {
	case OCF_SCN_N:
		return (struct ocfabric_change){
			.op = OCFABRIC_CHANGE_REPLICAS, .value = stmt->n };
	case OCF_SCN_REGION:
		return (struct ocfabric_change){
			.op = OCFABRIC_CHANGE_REGION, .src = stmt->region.i,
			.offset = stmt->region.base,
			.length = stmt->region.size };
	case OCF_SCN_LATENCY:
		return (struct ocfabric_change){
			.op = OCFABRIC_CHANGE_LATENCY, .value = stmt->latency };
	case OCF_SCN_UPSTREAM_QPNS:
		return (struct ocfabric_change){
			.op = OCFABRIC_CHANGE_UPSTREAM_QPNS,
			.value = stmt->upstream_qpns };
	case OCF_SCN_CONN_DEFAULT:
		return (struct ocfabric_change){
			.op = OCFABRIC_CHANGE_CONNECTIONS_DEFAULT };
	case OCF_SCN_CONN:
		return (struct ocfabric_change){
			.op = OCFABRIC_CHANGE_CONNECTION, .src = stmt->conn.link,
			.qpn = stmt->conn.qpn,
			.dst = stmt->conn.peer == OCF_SCN_NO_PEER ?
			       OCFABRIC_PEER_NONE : stmt->conn.peer };
	case OCF_SCN_WINDOW:
		return window_step(OCFABRIC_CHANGE_WINDOW_ADD, &stmt->window);
	case OCF_SCN_UNWINDOW:
		return window_step(OCFABRIC_CHANGE_WINDOW_DEL, &stmt->window);
	case OCF_SCN_FAULT:
		return fault_step(stmt);
	default:
		return (struct ocfabric_change){ 0 };
	}
}

int change_note(struct replay *replay, size_t statement)
{
	const struct ocf_scn_stmt *stmt = &replay->scn->stmt[statement];
	struct ocfabric_change step = step_of(stmt);

	if (stmt->op == OCF_SCN_HBM) {
		replay->hbm = stmt->hbm;
		replay->hbm_origin = statement;
	}
	if (stmt->op == OCF_SCN_REGION)
		replay->region_origin[stmt->region.i] = statement;
	if (!step.op)
		return 0;
	if (!add_step(replay, &step, statement))
		return fail(ST_REFUSED, "no memory for a change");
	ocf_scn_configure(&replay->shadow, stmt);
	return 0;
}

/* A refusal of a statement is a line of the output. */
static int refuse_statement(struct replay *replay, size_t origin, int error,
			    const char *reason)
{
	const struct ocf_scn_stmt *stmt = &replay->scn->stmt[origin];
	const char *name = strerrorname_np(error);

	ocf_scn_report_refusal(stdout, stmt, name ? name : "?", reason);
	return fail(ST_REFUSED, "%s:%lu: %s", replay->ctl->args.file, stmt->line,
		    reason);
}

/* One of the whole change (no right to it, not drained) is no statement's fault. */
static int refused(struct replay *replay, const struct fab_reply *reply)
{
	size_t origin = NO_STATEMENT;

	if (reply->step >= 0 && (size_t)reply->step < replay->steps.nr)
		origin = replay->origin[reply->step];
	if (origin == NO_STATEMENT)
		return fab_refused(reply, "changing the configuration");
	return refuse_statement(replay, origin, reply->error,
				reply->text[0] ? reply->text :
						 strerror(reply->error));
}

/*
 * What the card's larger HBM would store lies outside the one that the file
 * describes, where a write ends as axi_error: not the same run.
 */
static int check_hbm(struct replay *replay)
{
	unsigned int i;
	char reason[128];

	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++) {
		const struct ocf_region *r = &replay->shadow.region[i];
		size_t origin = replay->region_origin[i];

		if (!r->size || (r->base <= replay->hbm &&
				 r->size <= replay->hbm - r->base))
			continue;
		if (replay->hbm_origin > origin)
			origin = replay->hbm_origin;
		snprintf(reason, sizeof(reason),
			 "region %u base 0x%" PRIx64 " size 0x%" PRIx64
			 ": the scenario's hbm is 0x%" PRIx64, i, r->base,
			 r->size, replay->hbm);
		return refuse_statement(replay, origin, EINVAL, reason);
	}
	return 0;
}

int change_apply(struct replay *replay)
{
	struct fab_reply reply;
	int error = check_hbm(replay);

	if (error || !replay->steps.nr)
		return error;
	error = fab_change(replay->ctl, replay->card->id, false,
			  replay->steps.step, replay->steps.nr, &reply);
	if (error == FAB_REFUSED)
		return refused(replay, &reply);
	if (error)
		return error;
	ocf_config_index(&replay->shadow);
	replay->steps.nr = 0;
	return 0;
}
