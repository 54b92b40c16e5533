// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A write's line, and whether card and rules agree
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "replay.h"

/* The model's names of verdicts are counters; the card's are verdicts. */
static bool passed_rules(uint8_t status)
{
	return status == OCFABRIC_VERDICT_COMMITTED ||
	       status == OCFABRIC_VERDICT_SHORT_PACKET ||
	       status == OCFABRIC_VERDICT_AXI_ERROR ||
	       status == OCFABRIC_VERDICT_DMA_ERROR;
}

static void check_verdict(struct replay *replay, const struct result *result,
			  const char *verdict)
{
	bool pass = result->expected.verdict == OCF_COMMITTED;

	if (pass ? passed_rules(result->completion.status) :
		   !strcmp(verdict, ocf_counter_names[result->expected.verdict]))
		if (result->completion.misrouted == result->expected.misrouted)
			return;
	if (!replay->disagreed)
		fail(ST_REFUSED, "card and model disagree about write %" PRIu64
		     " (link %u QPN %u): the card says %s%s, the model %s%s",
		     replay->seq, result->write->link, result->write->qpn,
		     verdict, result->completion.misrouted ? ", misrouted" : "",
		     ocf_counter_names[result->expected.verdict],
		     result->expected.misrouted ? ", misrouted" : "");
	replay->disagreed = true;
}

static uint32_t lines_of(const struct result *result)
{
	uint64_t skew = result->addr % OCFABRIC_LINE;

	return (uint32_t)((skew + result->write->bytes + OCFABRIC_LINE - 1) /
			  OCFABRIC_LINE);
}

/* Data beats that were dropped because the length ends before them. */
static uint32_t oversize_of(const struct ocf_scn_write *write)
{
	struct ocf_write w = { .len = write->len, .beats = write->beats };

	return ocf_write_oversize(&w);
}

static void add_up(uint64_t sum[OCF_NR_COUNTERS],
		   const struct ocf_scn_result *line)
{
	sum[OCF_WRITES]++;
	sum[OCF_BYTES] += line->bytes;
	sum[OCF_LINES] += line->lines;
	sum[OCF_MISROUTED] += line->misrouted;
	sum[OCF_OVERSIZE] += line->oversize;
}

void report_result(struct replay *replay, const struct result *result)
{
	const struct ocf_completion *c = &result->completion;
	struct ocf_scn_result line = {
		.seq = replay->seq,
		.link = result->write->link,
		.qpn = result->write->qpn,
		.verdict = ocf_verdict_name(c->status),
		.peer = result->expected.peer == OCF_NO_PEER ? -1 :
							       result->expected.peer,
		.bytes = c->bytes,
		.misrouted = c->misrouted,
	};

	check_verdict(replay, result, line.verdict);
	if (passed_rules(c->status)) {
		line.lines = lines_of(result);
		line.oversize = oversize_of(result->write);
	}
	ocf_scn_report_write(stdout, &line);
	add_up(replay->lane[line.link].sum, &line);
	replay->seq++;
}

bool report_agrees(struct replay *replay, unsigned int link,
		   const uint64_t counters[OCF_NR_COUNTERS])
{
	static const enum ocf_counter compared[] = {
		OCF_WRITES, OCF_BYTES, OCF_LINES, OCF_MISROUTED, OCF_OVERSIZE,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(compared); i++) {
		uint64_t sum = replay->lane[link].sum[compared[i]];

		if (sum == counters[compared[i]])
			continue;
		fail(ST_REFUSED, "card and model disagree about link %u: its writes' lines add up to %s %"
		     PRIu64 ", the card counts %" PRIu64, link,
		     ocf_counter_names[compared[i]], sum, counters[compared[i]]);
		replay->disagreed = true;
		return false;
	}
	return true;
}
