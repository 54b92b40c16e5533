// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * explain: the card's own rules, run here, on the configuration it has
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <model.h>

#include "explain.h"

static const char *const outcomes[] = {
	[OCF_PASSED] = "passed",
	[OCF_FAILED] = "failed",
	[OCF_NOT_JUDGED] = "not_judged",
	[OCF_NOT_NEEDED] = "not_needed",
};

/* The write, and what was found about it. */
struct question {
	const struct config *config;
	unsigned int link;
	uint8_t peer;
	struct ocf_write write;
};

/* ---- from the tool's configuration to the model's ----------------------- */

static bool to_model(const struct config *config, struct ocf_config *model)
{
	unsigned int i;

	memset(model, 0, sizeof(*model));
	model->max_windows = config->nr_windows;
	model->windows = calloc(config->nr_windows + 1, sizeof(*model->windows));
	model->reach = calloc(config->nr_windows + 1, sizeof(*model->reach));
	if (!model->windows || !model->reach) {
		free(model->windows);
		free(model->reach);
		return false;
	}
	model->n = config->replicas;
	model->upstream_qpns = config->upstream_qpns;
	model->latency = config->latency;
	for (i = 0; i < OCF_REPLICAS; i++) {
		model->region[i].base = config->region[i].base;
		model->region[i].size = config->region[i].length;
	}
	memcpy(model->conn, config->peer, sizeof(model->conn));
	for (i = 0; i < config->nr_windows; i++) {
		const struct ocfabric_window *w = &config->window[i];

		model->windows[i] = (struct ocf_window){
			.offset = w->offset, .length = w->length,
			.src = (uint8_t)w->src, .dst = (uint8_t)w->dst,
			.sem_first = (uint8_t)w->sem_first,
			.sem_count = (uint8_t)w->sem_count,
			.valid = true,
		};
	}
	ocf_config_index(model);
	return true;
}

/* ---- what would have to change ------------------------------------------ */

static void member_advice(const struct question *q, char *buf, size_t size)
{
	snprintf(buf, size, "n is %u: fabricctl set replicas with at least %u, at most 16",
		 q->config->replicas, q->link < 2 ? 2 : q->link + 1);
}

/* The QPNs that the link has, and where they lead. */
static void mapped_advice(const struct question *q, char *buf, size_t size)
{
	const uint8_t *peer = q->config->peer[q->link];
	unsigned int qpn, found = 0;

	snprintf(buf, size, "link %u has ", q->link);
	for (qpn = 0; qpn < OCFABRIC_QPNS; qpn++) {
		if (peer[qpn] == OCFABRIC_PEER_NONE)
			continue;
		if (found++ == 16) {
			snprintf(buf + strlen(buf), size - strlen(buf), ", ...");
			return;
		}
		snprintf(buf + strlen(buf), size - strlen(buf),
			 "%sQPN %u to replica %u", found > 1 ? ", " : "", qpn,
			 peer[qpn]);
	}
	if (!found)
		snprintf(buf + strlen(buf), size - strlen(buf),
			 "no connection at all: fabricctl set connections default");
}

static void peer_advice(const struct question *q, char *buf, size_t size)
{
	if (q->peer >= q->config->replicas)
		snprintf(buf, size, "the connection names replica %u, and n is %u",
			 q->peer, q->config->replicas);
	else if (q->peer == q->link)
		snprintf(buf, size, "the connection leads back to its own link");
	else
		snprintf(buf, size, "the base of region %u, 0x%llx, is not a multiple of 64",
			 q->peer, (unsigned long long)q->config->region[q->peer].base);
}

static void aligned_advice(const struct question *q, char *buf, size_t size)
{
	snprintf(buf, size, "the nearest raddr is 0x%" PRIx64,
		 q->write.raddr & ~UINT64_C(3));
}

static void bounds_advice(const struct question *q, char *buf, size_t size)
{
	uint64_t room = q->config->region[q->peer].length;

	if (q->write.raddr < room)
		snprintf(buf, size, "region %u has 0x%" PRIx64 " bytes: a length of %" PRIu64 " at most",
			 q->peer, room, room - q->write.raddr);
	else
		snprintf(buf, size, "region %u has 0x%" PRIx64 " bytes: raddr is past its end",
			 q->peer, room);
}

/* How many bytes of the write a window lacks, saturating. */
static uint64_t lacking(const struct question *q, const struct ocfabric_window *w)
{
	uint64_t end = q->write.raddr + q->write.len;
	uint64_t window_end = w->offset + w->length;
	uint64_t before = w->offset > q->write.raddr ? w->offset - q->write.raddr : 0;
	uint64_t after = end > window_end ? end - window_end : 0;

	if (end < q->write.raddr || window_end < w->offset ||
	    before + after < before)
		return UINT64_MAX;
	return before + after;
}

static void semaphore_advice(const struct question *q, char *buf, size_t size)
{
	if (q->write.sem >= OCFABRIC_SEMAPHORES)
		snprintf(buf, size, "a replica has %d semaphores, from 0 on",
			 OCFABRIC_SEMAPHORES);
	else
		snprintf(buf, size, "no window from %u to %u has semaphore %u; fabricctl add window src %u dst %u offset 0 length 0 sem %u",
			 q->link, q->peer, q->write.sem, q->link, q->peer,
			 q->write.sem);
}

static void window_advice(const struct question *q, char *buf, size_t size)
{
	const struct ocfabric_window *nearest = NULL;
	unsigned int i;

	for (i = 0; i < q->config->nr_windows; i++) {
		const struct ocfabric_window *w = &q->config->window[i];

		if (w->src == q->link && w->dst == q->peer &&
		    (!nearest || lacking(q, w) < lacking(q, nearest)))
			nearest = w;
	}
	if (nearest)
		snprintf(buf, size, "the nearest window is offset 0x%llx length 0x%llx; ",
			 (unsigned long long)nearest->offset,
			 (unsigned long long)nearest->length);
	else
		snprintf(buf, size, "there is no window from %u to %u; ", q->link,
			 q->peer);
	snprintf(buf + strlen(buf), size - strlen(buf),
		 "fabricctl add window src %u dst %u offset 0x%" PRIx64 " length 0x%x",
		 q->link, q->peer, q->write.raddr, q->write.len);
}

static void advise(const struct question *q, enum ocf_check check, char *buf,
		   size_t size)
{
	switch (check) {
	case OCF_CHECK_MEMBER:
		member_advice(q, buf, size);
		return;
	case OCF_CHECK_MAPPED:
		mapped_advice(q, buf, size);
		return;
	case OCF_CHECK_PEER:
		peer_advice(q, buf, size);
		return;
	case OCF_CHECK_LENGTH:
		snprintf(buf, size, "the length has to be 1 at least");
		return;
	case OCF_CHECK_ALIGNED:
		aligned_advice(q, buf, size);
		return;
	case OCF_CHECK_BOUNDS:
		bounds_advice(q, buf, size);
		return;
	case OCF_CHECK_WINDOW:
		if (q->write.kind == OCF_KIND_SEM)
			semaphore_advice(q, buf, size);
		else
			window_advice(q, buf, size);
		return;
	default:
		buf[0] = 0;
	}
}

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

/* What the card would say; false: no memory. */
static bool judge(struct question *q, struct ocf_explanation *e)
{
	struct ocf_config model;
	struct ocf_subject subject = {
		.cfg = &model, .link = q->link, .w = &q->write,
	};

	if (!to_model(q->config, &model))
		return false;
	ocf_explain(&subject, e);
	free(model.windows);
	free(model.reach);
	q->peer = e->judgement.peer;
	if (q->peer == OCF_NO_PEER && q->write.qpn < OCF_QPNS)
		q->peer = q->config->peer[q->link][q->write.qpn];
	return true;
}

bool explain_write(const struct config *config, unsigned int link,
		   const struct ocf_write *write, const char **verdict,
		   char *advice, size_t size)
{
	struct question q = { .config = config, .link = link, .write = *write };
	struct ocf_explanation e;

	advice[0] = 0;
	if (!judge(&q, &e))
		return false;
	*verdict = ocf_counter_names[e.judgement.verdict];
	if (e.decides != OCF_NR_CHECKS)
		advise(&q, e.decides, advice, size);
	return e.decides == OCF_NR_CHECKS;
}

static int explain(struct ctl *ctl, const struct config *config)
{
	struct question q = {
		.config = config,
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

	if (!judge(&q, &e))
		return fail(ST_REFUSED, "no memory for the configuration");
	return print_answer(ctl, &q, &e);
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
	struct config config;
	int error;

	error = check_below(&ctl->cards[0], &ctl->args, P_LINK, "link",
			    ctl->cards[0].max_replicas);
	if (error)
		return error;
	error = config_read(ctl, &ctl->cards[0], &config);
	if (error)
		return error;
	error = explain(ctl, &config);
	config_free(&config);
	return error;
}
