// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * show rejects: the writes that the card turned away, and what the rules say to
 * them on what it has now
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ocfabric.h>

#include "explain.h"
#include "show.h"
#include "words.h"

static const struct field fields[] = {
	{ OCFABRIC_A_REJECT_LINK, "link", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_SEQ, "seq", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_CLOCK, "clock", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_OPCODE, "opcode", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_FLAGS, "flags", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_QPN, "qpn", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_PEER, "peer", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_RADDR, "raddr", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_LEN, "len", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_BEATS, "beats", FIELD_NUMBER, true },
	{ OCFABRIC_A_REJECT_GENERATION, "generation", FIELD_NUMBER, true },
};

static const struct column columns[] = {
	{ "device", COL_PLAIN, true },
	{ "link", COL_PLAIN, false },
	{ "seq", COL_PLAIN, false },
	{ "clock", COL_PLAIN, false },
	{ "opcode", COL_PLAIN, false },
	{ "flags", COL_HEX, false },
	{ "qpn", COL_PLAIN, false },
	{ "peer", COL_PLAIN, false },
	{ "raddr", COL_HEX, false },
	{ "len", COL_PLAIN, false },
	{ "beats", COL_PLAIN, false },
	{ "generation", COL_PLAIN, false },
	{ "verdict", COL_PLAIN, true },
	{ "op", COL_PLAIN, true },
	{ "now", COL_PLAIN, true },
	{ "advice", COL_PLAIN, true },
};

struct judging {
	struct rows *rows;
	const struct rules *rules;
};

struct reject {
	struct question q;
	unsigned int opcode;
	unsigned int verdict;
	uint32_t generation;
};

static struct reject reject_of(const struct fab_attrs *attrs,
			       const struct rules *rules)
{
	struct reject r = {
		.opcode = (unsigned int)fab_number(attrs, OCFABRIC_A_REJECT_OPCODE),
		.verdict = (unsigned int)fab_number(attrs, OCFABRIC_A_REJECT_VERDICT),
		.generation = (uint32_t)fab_number(attrs, OCFABRIC_A_REJECT_GENERATION),
		.q = {
			.rules = rules,
			.link = (unsigned int)fab_number(attrs, OCFABRIC_A_REJECT_LINK),
			.write = {
				.raddr = fab_number(attrs, OCFABRIC_A_REJECT_RADDR),
				.qpn = (uint32_t)fab_number(attrs, OCFABRIC_A_REJECT_QPN),
				.len = (uint32_t)fab_number(attrs, OCFABRIC_A_REJECT_LEN),
				.beats = (uint32_t)fab_number(attrs, OCFABRIC_A_REJECT_BEATS),
				.kind = OCF_KIND_WRITE,
			},
		},
	};

	if (r.opcode == OCFABRIC_OP_WRITE_IMM)
		r.q.write.kind = OCF_KIND_WRITE_IMM;
	if (r.opcode == OCFABRIC_OP_SEM_REMOTE) {
		r.q.write.kind = OCF_KIND_SEM;
		/* the card keeps its number in place of an address */
		r.q.write.sem = (uint16_t)r.q.write.raddr;
	}
	return r;
}

static void put_advice(struct json_object *row, struct reject *r)
{
	uint32_t generation = r->q.rules->config->generation;
	struct ocf_explanation e;
	char advice[1024] = "";
	const char *now;
	size_t n;

	rules_judge(&r->q, &e);
	now = ocf_counter_names[e.judgement.verdict];
	if (r->generation != generation)
		snprintf(advice, sizeof(advice), "judged by configuration %u, which is %u now: ",
			 r->generation, generation);
	n = strlen(advice);
	if (e.decides != OCF_NR_CHECKS) {
		advise(&r->q, e.decides, advice + n, sizeof(advice) - n);
	} else if (r->verdict == OCFABRIC_VERDICT_RNR) {
		/* which the rules here cannot know */
		now = ocf_verdict_name(r->verdict);
		snprintf(advice + n, sizeof(advice) - n, "replica %u had no receive descriptor armed; its owner has to post more (fabricctl show queues replica %u)",
			 r->q.peer, r->q.peer);
	} else {
		snprintf(advice + n, sizeof(advice) - n, "it would be committed");
	}
	put_string(row, "now", now);
	put_string(row, "advice", advice);
}

static int add_reject(const struct fab_attrs *attrs, void *arg)
{
	struct judging *judging = arg;
	struct rows *rows = judging->rows;
	struct reject r = reject_of(attrs, judging->rules);
	struct json_object *row;

	if (r.q.link >= OCFABRIC_REPLICAS_MAX ||
	    !wanted(&rows->ctl->args, P_LINK, r.q.link))
		return 0;
	row = new_row(rows);
	put_fields(row, attrs, fields, ARRAY_SIZE(fields));
	put_string(row, "verdict", ocf_verdict_name(r.verdict));
	put_string(row, "op", opcode_name(r.opcode));
	put_advice(row, &r);
	return 0;
}

static int add_rejects(struct rows *rows)
{
	struct rules rules;
	struct judging judging = { .rows = rows, .rules = &rules };
	struct config config;
	struct qps qps;
	int error = config_read(rows->ctl, rows->card, &config);

	if (error)
		return error;
	error = qps_read(rows->ctl, rows->card, &qps);
	if (!error && !rules_init(&rules, &config, &qps))
		error = fail(ST_REFUSED, "no memory for the configuration");
	if (!error) {
		error = fab_dump(rows->ctl, OCFABRIC_CMD_REJECT_GET,
				 rows->card->id, add_reject, &judging);
		rules_free(&rules);
	}
	config_free(&config);
	return error;
}

int run_show_rejects(struct ctl *ctl)
{
	return show_cards(ctl, "rejects", add_rejects, NULL, columns,
			  ARRAY_SIZE(columns));
}
