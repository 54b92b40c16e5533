// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The card's own rules, run here, and what would have to change for a write
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ocfabric.h>

#include "explain.h"

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

bool rules_init(struct rules *rules, const struct config *config,
		const struct qps *qps)
{
	unsigned int link, qpn;

	memset(rules, 0, sizeof(*rules));
	rules->config = config;
	rules->qps = qps;
	for (link = 0; link < OCFABRIC_REPLICAS_MAX; link++)
		for (qpn = 0; qpn < OCFABRIC_QPNS; qpn++)
			if (qps->state[link][qpn] != OCFABRIC_QP_RTS)
				rules->stopped[link][qpn / 64] |= 1ULL << qpn % 64;
	return to_model(config, &rules->model);
}

void rules_free(struct rules *rules)
{
	free(rules->model.windows);
	free(rules->model.reach);
	rules->model.windows = NULL;
	rules->model.reach = NULL;
}

void rules_judge(struct question *q, struct ocf_explanation *e)
{
	const struct rules *rules = q->rules;
	struct ocf_subject subject = {
		.cfg = &rules->model, .link = q->link, .w = &q->write,
		.qp_stopped = q->link < OCFABRIC_REPLICAS_MAX ?
			      rules->stopped[q->link] : NULL,
	};

	ocf_explain(&subject, e);
	q->peer = e->judgement.peer;
	if (q->peer == OCF_NO_PEER && q->write.qpn < OCF_QPNS)
		q->peer = rules->config->peer[q->link][q->write.qpn];
}

/* ---- what would have to change ------------------------------------------ */

static void member_advice(const struct question *q, char *buf, size_t size)
{
	snprintf(buf, size, "n is %u: fabricctl set replicas with at least %u, at most 16",
		 q->rules->config->replicas, q->link < 2 ? 2 : q->link + 1);
}

/* The QPNs that the link has, and where they lead. */
static void mapped_advice(const struct question *q, char *buf, size_t size)
{
	const uint8_t *peer = q->rules->config->peer[q->link];
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

static void qp_state_advice(const struct question *q, char *buf, size_t size)
{
	const struct qps *qps = q->rules->qps;
	struct qp qp = { .link = q->link, .qpn = q->write.qpn };

	qp.state = qps->state[q->link][q->write.qpn];
	qp.cause = qps->cause[q->link][q->write.qpn];
	snprintf(buf, size, "its queue pair is in ");
	qp_advice(&qp, buf + strlen(buf), size - strlen(buf));
}

static void peer_advice(const struct question *q, char *buf, size_t size)
{
	if (q->peer >= q->rules->config->replicas)
		snprintf(buf, size, "the connection names replica %u, and n is %u",
			 q->peer, q->rules->config->replicas);
	else if (q->peer == q->link)
		snprintf(buf, size, "the connection leads back to its own link");
	else
		snprintf(buf, size, "the base of region %u, 0x%llx, is not a multiple of 64",
			 q->peer, (unsigned long long)q->rules->config->region[q->peer].base);
}

static void aligned_advice(const struct question *q, char *buf, size_t size)
{
	snprintf(buf, size, "the nearest raddr is 0x%" PRIx64,
		 q->write.raddr & ~UINT64_C(3));
}

static void bounds_advice(const struct question *q, char *buf, size_t size)
{
	uint64_t room = q->rules->config->region[q->peer].length;

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

	for (i = 0; i < q->rules->config->nr_windows; i++) {
		const struct ocfabric_window *w = &q->rules->config->window[i];

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

void advise(const struct question *q, enum ocf_check check, char *buf, size_t size)
{
	switch (check) {
	case OCF_CHECK_MEMBER:
		member_advice(q, buf, size);
		return;
	case OCF_CHECK_MAPPED:
		mapped_advice(q, buf, size);
		return;
	case OCF_CHECK_QP:
		qp_state_advice(q, buf, size);
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

bool explain_write(struct ctl *ctl, const struct card *card,
		   const struct config *config, unsigned int link,
		   const struct ocf_write *write, const char **verdict,
		   char *advice, size_t size)
{
	struct question q = { .link = link, .write = *write };
	struct ocf_explanation e;
	struct rules rules;
	struct qps qps;

	*verdict = "no verdict";
	advice[0] = 0;
	if (qps_read(ctl, card, &qps) || !rules_init(&rules, config, &qps)) {
		snprintf(advice, size, "the queue pairs could not be looked at");
		return false;
	}
	q.rules = &rules;
	rules_judge(&q, &e);
	*verdict = ocf_counter_names[e.judgement.verdict];
	if (e.decides != OCF_NR_CHECKS)
		advise(&q, e.decides, advice, size);
	rules_free(&rules);
	return e.decides == OCF_NR_CHECKS;
}
