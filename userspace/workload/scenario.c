// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The same traffic as a scenario file. All replicas run in this process, by turns
 * that the seed decides; a port prints what is posted and does what a card would
 * have to do with it. What that amounts to ends the file, as comments, in the
 * lines that linksim ends its output with.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include <ocfabric.h>
#include <scenario/scenario.h>

#include "workload.h"

#define IDLE_MAX	10000u	/* steps of anybody without progress */

struct paper_port {
	struct wl_port port;
	struct paper *paper;
	unsigned int id;
	struct wl_done done[WL_RING];
	uint32_t head, tail;
	bool allowed;
};

struct paper {
	struct wl_plan plan;
	struct wl_limit limit;
	uint64_t now_us;
	uint8_t *region[WL_REPLICAS];
	struct paper_port port[WL_REPLICAS];
	struct wl_replica replica[WL_REPLICAS];
};

static struct paper_port *of(struct wl_port *port)
{
	return (struct paper_port *)(void *)port;
}

static uint32_t room(struct wl_port *port)
{
	return WL_RING - (of(port)->tail - of(port)->head);
}

/* Rejected writes send nothing that matters; beats said too few send less. */
static void print_data(const struct wl_write *w)
{
	uint32_t i;

	if (!w->bytes) {
		printf("const:%d", w->data ? w->data[0] : 0);
		return;
	}
	printf("hex:");
	for (i = 0; i < w->bytes; i++)
		printf("%02x", w->data[i]);
}

static int post(struct wl_port *port, const struct wl_write *w)
{
	struct paper_port *p = of(port);

	printf("write %u %u 0x%" PRIx64 " %u ", p->id, w->qpn, w->raddr, w->len);
	if (w->beats)
		printf("beats %u ", w->beats);
	print_data(w);
	if (w->verdict != OCFABRIC_VERDICT_COMMITTED)
		printf(" # %s", ocf_verdict_name(w->verdict));
	putchar('\n');
	if (w->bytes)
		memcpy(p->paper->region[w->peer] + w->raddr, w->data, w->bytes);
	p->done[p->tail++ % WL_RING] = (struct wl_done) {
		.qpn = w->qpn, .bytes = w->bytes, .verdict = w->verdict,
		.misrouted = w->misrouted,
	};
	return 0;
}

static void ring(struct wl_port *port)
{
	(void)port;
}

static int take(struct wl_port *port, struct wl_done *done, unsigned int max)
{
	struct paper_port *p = of(port);
	unsigned int nr = 0;

	while (nr < max && p->head != p->tail)
		done[nr++] = p->done[p->head++ % WL_RING];
	return (int)nr;
}

static bool allow(struct wl_port *port, bool allowed)
{
	struct paper_port *p = of(port);
	unsigned int dst = (p->id + 1) % p->paper->plan.n;

	printf("%s %u %u 0x%" PRIx64 " 64\n", allowed ? "window" : "unwindow", p->id,
	       dst, p->paper->plan.area[p->id][dst].revocable);
	return true;
}

/* Time passes with every look at it: pauses are not in a file. */
static uint64_t now_us(struct wl_port *port)
{
	return of(port)->paper->now_us += 1000;
}

static const struct wl_port_ops ops = {
	.room = room, .post = post, .ring = ring, .poll = take, .allow = allow,
	.now_us = now_us,
};

static void print_change(const struct ocfabric_change *c)
{
	switch (c->op) {
	case OCFABRIC_CHANGE_REPLICAS:
		printf("n %" PRIu64 "\n", (uint64_t)c->value);
		break;
	case OCFABRIC_CHANGE_REGION:
		printf("region %u base 0x%" PRIx64 " size 0x%" PRIx64 "\n", c->src,
		       (uint64_t)c->offset, (uint64_t)c->length);
		break;
	case OCFABRIC_CHANGE_CONNECTIONS_DEFAULT:
		puts("conn default");
		break;
	case OCFABRIC_CHANGE_UPSTREAM_QPNS:
		printf("upstream_qpns %" PRIu64 "\n", (uint64_t)c->value);
		break;
	case OCFABRIC_CHANGE_WINDOW_ADD:
		printf("window %u %u 0x%" PRIx64 " 0x%" PRIx64 "\n", c->src, c->dst,
		       (uint64_t)c->offset, (uint64_t)c->length);
		break;
	}
}

static void print_head(const struct paper *p, const struct wl_options *o)
{
	struct ocfabric_change change[WL_CHANGES];
	unsigned int nr = wl_plan_changes(&p->plan, change), i;

	puts("ocfabric-scenario 1");
	printf("# ocf-workload --scenario -t %s -n %u --seed %" PRIu64 " --count %" PRIu64 "\n",
	       o->shape->name, o->n, o->seed, o->count);
	for (i = 0; i < nr; i++)
		print_change(&change[i]);
}

static void print_end(const struct paper *p)
{
	unsigned int i;

	for (i = 0; i < p->plan.n; i++) {
		printf("# expect ");
		ocf_scn_report_counters(stdout, i, p->replica[i].tally.counter);
	}
	for (i = 0; i < p->plan.n; i++) {
		printf("# expect ");
		ocf_scn_report_digest(stdout, i,
				      (uint32_t)crc32(0, p->region[i],
						      (uInt)p->plan.region_size));
	}
}

static bool prepare(struct paper *p, const struct wl_options *o)
{
	unsigned int i;

	wl_plan(&p->plan, o);
	p->limit = (struct wl_limit) { .rounds = o->count, .is_final = 1 };
	for (i = 0; i < p->plan.n; i++) {
		p->port[i].port.ops = &ops;
		p->port[i].paper = p;
		p->port[i].id = i;
		p->region[i] = calloc(1, p->plan.region_size);
		if (!p->region[i] ||
		    !wl_replica_init(&p->replica[i], &p->plan, i, &p->port[i].port,
				     &p->limit, p->region[i]))
			return false;
		p->replica[i].burst = 1;
	}
	return true;
}

static bool all_done(const struct paper *p)
{
	unsigned int i;

	for (i = 0; i < p->plan.n; i++)
		if (!wl_replica_is_done(&p->replica[i]))
			return false;
	return true;
}

static int complain(const struct wl_replica *r)
{
	fprintf(stderr, "ocf-workload: %s\n", r->error);
	return WL_FAILED;
}

static int run(struct paper *p)
{
	uint64_t last[WL_REPLICAS], turn;
	unsigned int idle = 0, i;
	char text[128];

	for (turn = 0; !all_done(p); turn++) {
		unsigned int who = wl_random(p->plan.seed, 0, turn, 0, 4) % p->plan.n;
		int got = wl_replica_step(&p->replica[who]);

		if (got < 0)
			return complain(&p->replica[who]);
		idle = got ? 0 : idle + 1;
		if (idle == IDLE_MAX) {
			wl_replica_waits(&p->replica[who], text, sizeof(text));
			fprintf(stderr, "ocf-workload: replica %u waits for ever for %s\n",
				who, text);
			return WL_FAILED;
		}
	}
	for (i = 0; i < p->plan.n; i++)
		last[i] = p->replica[i].revocable_committed;
	for (i = 0; i < p->plan.n; i++)
		if (wl_verify_all(&p->replica[i], last))
			return complain(&p->replica[i]);
	return WL_DONE;
}

int wl_scenario(const struct wl_options *o)
{
	static struct paper paper;
	unsigned int i;
	int status;

	if (!prepare(&paper, o)) {
		fputs("ocf-workload: no memory\n", stderr);
		return WL_FAILED;
	}
	print_head(&paper, o);
	status = run(&paper);
	if (status == WL_DONE)
		print_end(&paper);
	for (i = 0; i < paper.plan.n; i++) {
		wl_replica_free(&paper.replica[i]);
		free(paper.region[i]);
	}
	return status;
}
