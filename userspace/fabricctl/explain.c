// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * explain: what the card would say to a write, on the configuration it has
 */
#include <inttypes.h>
#include <stdio.h>

#include "explain.h"
#include "show.h"

static const char *const outcomes[] = {
	[OCF_PASSED] = "passed",
	[OCF_FAILED] = "failed",
	[OCF_NOT_JUDGED] = "not_judged",
	[OCF_NOT_NEEDED] = "not_needed",
};

/* ---- the answer --------------------------------------------------------- */

static const struct column columns[] = {
	{ "check", COL_PLAIN, true },
	{ "outcome", COL_PLAIN, true },
	{ "decides", COL_YES, true },
	{ "advice", COL_PLAIN, true },
};

static struct json_object *checks_of(const struct question *q,
				     const struct ocf_explanation *e)
{
	struct json_object *rows = json_object_new_array();
	unsigned int i;

	for (i = 0; i < OCF_NR_CHECKS; i++) {
		struct json_object *row = json_object_new_object();
		char advice[1024] = "";

		put_string(row, "check", ocf_check_names[i]);
		put_string(row, "outcome", outcomes[e->outcome[i]]);
		put_bool(row, "decides", e->decides == i);
		if (e->outcome[i] == OCF_FAILED)
			advise(q, i, advice, sizeof(advice));
		if (advice[0])
			put_string(row, "advice", advice);
		else
			put_null(row, "advice");
		json_object_array_add(rows, row);
	}
	return rows;
}

static int print_text(const struct ctl *ctl, const struct question *q,
		      const struct ocf_explanation *e, struct json_object *checks)
{
	int status;

	printf("%s link %u qpn %u ", ctl->cards[0].name, q->link, q->write.qpn);
	if (q->write.kind == OCF_KIND_SEM)
		printf("sem %u", q->write.sem);
	else
		printf("raddr 0x%" PRIx64 " length %u", q->write.raddr, q->write.len);
	printf(": %s", ocf_counter_names[e->judgement.verdict]);
	if (e->judgement.peer != OCF_NO_PEER)
		printf(", peer %u", e->judgement.peer);
	printf("%s\n", e->judgement.misrouted ? ", misrouted" : "");
	status = print_table(columns, ARRAY_SIZE(columns), checks);
	json_object_put(checks);
	return status;
}

static void put_question(struct json_object *row, const struct question *q)
{
	put_number(row, "link", q->link);
	put_number(row, "qpn", q->write.qpn);
	if (q->write.kind == OCF_KIND_SEM) {
		put_null(row, "raddr");
		put_null(row, "length");
		put_number(row, "sem", q->write.sem);
	} else {
		put_number(row, "raddr", q->write.raddr);
		put_number(row, "length", q->write.len);
		put_null(row, "sem");
	}
}

static int print_answer(struct ctl *ctl, const struct question *q,
			const struct ocf_explanation *e)
{
	struct json_object *rows, *row, *checks = checks_of(q, e);

	if (!ctl->json)
		return print_text(ctl, q, e, checks);
	rows = json_object_new_array();
	row = add_row(rows, &ctl->cards[0]);
	put_question(row, q);
	put_string(row, "verdict", ocf_counter_names[e->judgement.verdict]);
	if (e->judgement.peer == OCF_NO_PEER)
		put_null(row, "peer");
	else
		put_number(row, "peer", e->judgement.peer);
	put_bool(row, "misrouted", e->judgement.misrouted);
	if (e->decides == OCF_NR_CHECKS)
		put_null(row, "decides");
	else
		put_string(row, "decides", ocf_check_names[e->decides]);
	json_object_object_add(row, "checks", checks);
	return print_document(ctl, "explain", rows);
}

static int explain(struct ctl *ctl, const struct rules *rules)
{
	struct question q = {
		.rules = rules,
		.link = (unsigned int)ctl->args.value[P_LINK],
		.write = {
			.raddr = ctl->args.value[P_RADDR],
			.qpn = (uint32_t)ctl->args.value[P_QPN],
			.len = (uint32_t)ctl->args.value[P_LENGTH],
			.sem = (uint16_t)ctl->args.value[P_SEM],
			.kind = ctl->args.given[P_SEM] ? OCF_KIND_SEM :
							 OCF_KIND_WRITE,
		},
	};
	struct ocf_explanation e;
	int status;

	rules_judge(&q, &e);
	status = print_answer(ctl, &q, &e);
	if (!status && rules->config->drained)
		fail(0, "%s is drained by %s: no link takes a write until fabricctl resume",
		     ctl->cards[0].name, rules->config->drained_by);
	return status;
}

/* A write, or an addition to a semaphore. */
int prepare_explain(struct ctl *ctl)
{
	const bool *given = ctl->args.given;

	if (given[P_SEM] && !given[P_RADDR] && !given[P_LENGTH])
		return 0;
	if (given[P_SEM])
		return fail(ST_USAGE, "sem has neither raddr nor length");
	if (given[P_RADDR] && given[P_LENGTH])
		return 0;
	return fail(ST_USAGE, "%s is missing (or sem S)",
		    given[P_RADDR] ? "length N" : "raddr A");
}

int run_explain(struct ctl *ctl)
{
	const struct card *card = &ctl->cards[0];
	struct config config;
	struct rules rules;
	struct qps qps;
	int error;

	error = check_ids(card, &ctl->args);
	if (!error)
		error = config_read(ctl, card, &config);
	if (error)
		return error;
	error = qps_read(ctl, card, &qps);
	if (!error && !rules_init(&rules, &config, &qps))
		error = fail(ST_REFUSED, "no memory for the configuration");
	if (!error) {
		error = explain(ctl, &rules);
		rules_free(&rules);
	}
	config_free(&config);
	return error;
}
