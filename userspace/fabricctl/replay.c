// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * replay FILE: the statements in order, and the end of the output
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <zlib.h>

#include "qps.h"
#include "replay.h"

#define WAIT_NS		(10 * NS_PER_S)
#define PIECE		65536u

int prepare_replay(struct ctl *ctl)
{
	static struct ocf_scn scn;
	char err[512];

	if (!ocf_scn_load(&scn, ctl->args.file, err, sizeof(err)))
		return fail(ST_USAGE, "%s", err);
	ctl->prepared = &scn;
	return 0;
}

/* ---- before anything is touched ----------------------------------------- */

static bool has_faults(const struct ocf_scn *scn)
{
	size_t i;

	for (i = 0; i < scn->nr; i++)
		if (scn->stmt[i].op == OCF_SCN_FAULT)
			return true;
	return false;
}

/* The highest replica or link that the file names, -1 for none. */
static int highest_named(const struct ocf_scn *scn)
{
	int i, top = scn->top_link;

	for (i = 0; i < OCF_SCN_REPLICAS; i++)
		if (scn->region[i].named && i > top)
			top = i;
	return top;
}

/* What the file asks for; without asking, its regions only have to fit. */
static uint64_t hbm_wanted(const struct ocf_scn *scn)
{
	uint64_t wanted = 0;
	size_t i;

	for (i = 0; i < scn->nr; i++)
		if (scn->stmt[i].op == OCF_SCN_HBM && scn->stmt[i].hbm > wanted)
			wanted = scn->stmt[i].hbm;
	return wanted;
}

static int check_card(const struct replay *replay, const struct config *config)
{
	const struct card *card = replay->card;
	const struct ocf_scn *scn = replay->scn;

	if (hbm_wanted(scn) > card->hbm_size)
		return fail(ST_REFUSED, "%s has an HBM of %#llx bytes, the scenario wants %#llx",
			    card->name, (unsigned long long)card->hbm_size,
			    (unsigned long long)hbm_wanted(scn));
	if (has_faults(scn) && !(card->features & OCFABRIC_FEATURE_FAULTS))
		return fail(ST_REFUSED, "%s does not offer fault injection, which the scenario uses",
			    card->name);
	if (highest_named(scn) >= (int)card->max_replicas)
		return fail(ST_REFUSED, "%s has %u replicas, the scenario names replica %d",
			    card->name, card->max_replicas, highest_named(scn));
	if (config->drained)
		return fail(ST_REFUSED, "%s is drained by %s, so that no write would end: fabricctl resume first",
			    card->name, config->drained_by);
	return 0;
}

/* A write may rightly take as long as the file's latencies and delays say. */
static int64_t longest_wait(const struct replay *replay)
{
	const struct ocf_scn *scn = replay->scn;
	uint64_t latency = 0, delay = 0;
	uint64_t mhz = replay->card->clock_mhz ? replay->card->clock_mhz : 1;
	size_t i;

	for (i = 0; i < scn->nr; i++) {
		const struct ocf_scn_stmt *stmt = &scn->stmt[i];

		if (stmt->op == OCF_SCN_LATENCY && stmt->latency > latency)
			latency = stmt->latency;
		if (stmt->op == OCF_SCN_FAULT && stmt->fault.delay > delay)
			delay = stmt->fault.delay;
	}
	return WAIT_NS + (int64_t)(2 * (latency + delay) * 1000 / mhz);
}

/* ---- statements --------------------------------------------------------- */

static int run_read(struct replay *replay, const struct ocf_scn_stmt *stmt)
{
	const struct ocf_replica *r = replay->lane[stmt->read.region].replica;
	uint64_t offset = stmt->read.offset, left = stmt->read.length;
	static uint8_t buf[PIECE];

	if (!r)
		return fail(ST_REFUSED, "%s has no replica %u to read from",
			    replay->card->name, stmt->read.region);
	ocf_scn_report_read_begin(stdout, stmt);
	while (left) {
		size_t n = left < PIECE ? (size_t)left : PIECE;

		if (ocf_region_read(r, offset, buf, n))
			return fail(status_of(errno), "%s:%lu: %s",
				    replay->ctl->args.file, stmt->line,
				    ocf_error());
		ocf_scn_report_read_bytes(stdout, buf, n);
		offset += n;
		left -= n;
	}
	ocf_scn_report_read_end(stdout);
	return 0;
}

/* Every statement but a write waits for all writes before it. */
static int run_statement(struct replay *replay, size_t i)
{
	const struct ocf_scn_stmt *stmt = &replay->scn->stmt[i];
	int error = 0;

	if (caught_signal)
		return fail(128 + caught_signal, "interrupted");
	if (now_ns() >= replay->ctl->deadline)
		return fail(ST_TIMEOUT, "the time limit passed at line %lu",
			    stmt->line);
	if (stmt->op != OCF_SCN_WRITE)
		error = lanes_barrier(replay);
	if (!error && (stmt->op == OCF_SCN_WRITE || stmt->op == OCF_SCN_READ))
		error = change_apply(replay);
	if (error)
		return error;
	switch (stmt->op) {
	case OCF_SCN_WRITE:
		return lanes_post(replay, &stmt->write);
	case OCF_SCN_READ:
		return run_read(replay, stmt);
	default:
		return change_note(replay, i);
	}
}

static int run_statements(struct replay *replay)
{
	size_t i;
	int error = 0;

	for (i = 0; i < replay->scn->nr && !error; i++)
		error = run_statement(replay, i);
	if (!error)
		error = lanes_barrier(replay);
	if (!error)
		error = change_apply(replay);
	return error;
}

/* ---- the end of the output ---------------------------------------------- */

static int print_counters(struct replay *replay)
{
	static uint64_t counters[OCFABRIC_REPLICAS_MAX][OCFABRIC_COUNTERS];
	struct ocfabric_counters_get get = {
		.size = sizeof(get),
		.counters = (uintptr_t)counters,
		.links = OCFABRIC_REPLICAS_MAX,
		.counters_per_link = OCFABRIC_COUNTERS,
	};
	unsigned int i;

	if (ioctl(ocf_device_fd(replay->dev), OCFABRIC_COUNTERS_GET, &get))
		return fail(status_of(errno), "reading the counters: %s",
			    strerror(errno));
	for (i = 0; i < ocf_scn_links(replay->scn); i++) {
		ocf_scn_report_counters(stdout, i, counters[i]);
		report_agrees(replay, i, counters[i]);
	}
	return 0;
}

static int print_digest(struct replay *replay, unsigned int region)
{
	const struct ocf_replica *r = replay->lane[region].replica;
	uint64_t offset = 0, size = replay->scn->region[region].size;
	static uint8_t buf[PIECE];
	uint32_t crc = 0;

	while (r && offset < size) {
		size_t n = size - offset < PIECE ? (size_t)(size - offset) : PIECE;

		if (ocf_region_read(r, offset, buf, n))
			return fail(status_of(errno), "region %u: %s", region,
				    ocf_error());
		crc = (uint32_t)crc32_z(crc, buf, n);
		offset += n;
	}
	ocf_scn_report_digest(stdout, region, crc);
	return 0;
}

static int print_end(struct replay *replay)
{
	unsigned int i;
	int error = print_counters(replay);

	for (i = 0; i < OCFABRIC_REPLICAS_MAX && !error; i++)
		if (ocf_scn_has_digest(replay->scn, i))
			error = print_digest(replay, i);
	if (!error)
		error = end_output();
	return error ? error : replay->disagreed ? ST_REFUSED : 0;
}

/* ---- the verb ----------------------------------------------------------- */

static int run_on_card(struct replay *replay, const struct config *old)
{
	int error = lanes_attach(replay), restored;

	if (!error)
		error = qps_recover(replay->ctl, replay->card);
	if (!error)
		error = change_init(replay);
	if (!error)
		error = run_statements(replay);
	if (!error)
		error = print_end(replay);
	fflush(stdout);
	/* Only what was changed has to be put back. */
	if (replay->ctl->args.given[P_RESTORE] && replay->shadow.windows) {
		restored = config_write(replay->ctl, replay->card, old,
					"restoring the configuration");
		error = error ? error : restored;
	}
	lanes_detach(replay);
	change_free(replay);
	return error;
}

int run_replay(struct ctl *ctl)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	struct config old;
	int error;

	if (!replay)
		return fail(ST_REFUSED, "no memory for a replay");
	replay->ctl = ctl;
	replay->card = &ctl->cards[0];
	replay->scn = ctl->prepared;
	replay->async = ctl->args.given[P_ASYNC];
	replay->wait_ns = longest_wait(replay);
	catch_signals();
	catch_bus_errors();
	error = config_read(ctl, replay->card, &old);
	if (!error) {
		error = check_card(replay, &old);
		if (!error)
			error = run_on_card(replay, &old);
		config_free(&old);
	}
	ocf_scn_free(replay->scn);
	free(replay);
	return error;
}
