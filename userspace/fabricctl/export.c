// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * export prometheus
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aside.h"
#include "prometheus.h"
#include "qps.h"

const char *const export_parts[NR_EXPORT_PARTS] = {
	[PART_DEVICE] = "device",
	[PART_CONFIG] = "config",
	[PART_COUNTERS] = "counters",
	[PART_STAGES] = "stages",
	[PART_QUEUES] = "queues",
	[PART_QPS] = "qps",
};

/* ---- reading ------------------------------------------------------------ */

static int take_config(const struct fab_attrs *attrs, void *arg)
{
	struct exported *e = arg;

	e->replicas = fab_number(attrs, OCFABRIC_A_CONFIG_REPLICAS);
	e->windows = fab_number(attrs, OCFABRIC_A_CONFIG_WINDOWS);
	e->latency = fab_number(attrs, OCFABRIC_A_CONFIG_LATENCY);
	e->generation = fab_number(attrs, OCFABRIC_A_CONFIG_GENERATION);
	e->drained = fab_number(attrs, OCFABRIC_A_CONFIG_DRAINED);
	return 0;
}

static int take_qp(const struct fab_attrs *attrs, void *arg)
{
	struct exported *e = arg;
	struct qp qp;

	qp_of(attrs, &qp);
	if (qp.link < OCFABRIC_REPLICAS_MAX && qp.state < QP_STATES)
		e->qps[qp.link][qp.state]++;
	return 0;
}

/* What cannot be read is said on stderr, and left out. */
static void read_card(struct ctl *ctl, const struct card *card, struct exported *e)
{
	struct sample *s = &e->sample;

	e->card = card;
	e->up[PART_DEVICE] = !sample_limits(ctl, card, s);
	e->up[PART_CONFIG] = !fab_get(ctl, OCFABRIC_CMD_CONFIG_GET, card->id,
				      take_config, e);
	e->up[PART_QUEUES] = !sample_queues(ctl, card, s);
	e->up[PART_QPS] = !fab_dump(ctl, OCFABRIC_CMD_QP_GET, card->id, take_qp, e);
	e->up[PART_STAGES] = !sample_stages(ctl, card, s);
	e->up[PART_COUNTERS] = !sample_counters(ctl, card, s);
}

/* ---- writing ------------------------------------------------------------ */

static void put_general(FILE *out, bool up, const struct exported *e,
			unsigned int nr)
{
	unsigned int i, part;
	char interface[32];

	snprintf(interface, sizeof(interface), "%d.%d", OCFABRIC_VERSION_MAJOR,
		 OCFABRIC_VERSION_MINOR);
	put_metric_head(out, "ocfabric_up", "gauge",
			"1 if the driver is loaded.");
	put_series(out, "ocfabric_up", up, NO_LABELS);
	put_metric_head(out, "ocfabric_build_info", "gauge",
			"What has exported this; always 1.");
	put_series(out, "ocfabric_build_info", 1,
		   LABELS("fabricctl", VERSION, "interface", interface));
	if (!nr)
		return;
	put_metric_head(out, "ocfabric_part_up", "gauge",
			"1 for each part of a card that could be read.");
	for (i = 0; i < nr; i++)
		for (part = 0; part < NR_EXPORT_PARTS; part++)
			put_series(out, "ocfabric_part_up", e[i].up[part],
				   LABELS("device", e[i].card->name,
				   "part", export_parts[part]));
}

static void put_all(FILE *out, bool up, const struct exported *e, unsigned int nr)
{
	unsigned int m, i;

	put_general(out, up, e, nr);
	for (m = 0; m < nr_metrics && nr; m++) {
		put_metric_head(out, metrics[m].name, metrics[m].type,
				metrics[m].help);
		for (i = 0; i < nr; i++)
			if (e[i].up[metrics[m].part])
				metrics[m].put(out, &metrics[m], &e[i]);
	}
}

static int write_textfile(const char *file, const char *text, size_t size)
{
	struct aside aside;
	int error = aside_open(&aside, file, 0644), closed;

	if (error)
		return error;
	if (!write_all(aside.fd, text, size))
		error = fail(ST_REFUSED, "%s: %s", file, strerror(errno));
	closed = aside_close(&aside, !error);
	return error ? error : closed;
}

static int export(struct ctl *ctl, bool up, const struct exported *e)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int error = 0;

	if (!out)
		return fail(ST_REFUSED, "no memory for the metrics");
	put_all(out, up, e, up ? ctl->nr_cards : 0);
	if (fclose(out))
		error = fail(ST_REFUSED, "no memory for the metrics");
	else if (ctl->args.given[P_TEXTFILE])
		error = write_textfile(ctl->args.file, text, size);
	else if (fwrite(text, 1, size, stdout) != size)
		error = fail(ST_REFUSED, "writing the output: %s", strerror(errno));
	free(text);
	return error ? error : end_output();
}

int prepare_export(struct ctl *ctl)
{
	return ctl->json ? fail(ST_USAGE, "the format of export is its own: leave -j out") : 0;
}

int run_export(struct ctl *ctl)
{
	struct exported *e = NULL;
	unsigned int i;
	int error = fab_open(ctl), wrong;

	if (!error)
		error = pick_cards(ctl);
	/* Metrics of a driver that is gone must not stay behind. */
	if (error == ST_NO_DRIVER && ctl->args.given[P_TEXTFILE]) {
		wrong = export(ctl, false, NULL);
		error = wrong ? wrong : error;
	}
	if (error)
		goto out;
	e = calloc(ctl->nr_cards + 1, sizeof(*e));
	if (!e) {
		error = fail(ST_REFUSED, "no memory for the metrics");
		goto out;
	}
	for (i = 0; i < ctl->nr_cards; i++)
		read_card(ctl, &ctl->cards[i], &e[i]);
	error = export(ctl, true, e);
out:
	free(e);
	free_cards(ctl);
	fab_close(ctl);
	return error;
}
