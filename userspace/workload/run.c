// SPDX-License-Identifier: LGPL-2.1-or-later
/* A run on a card, and what is said about it */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include <ocfabric.h>

#include "workload.h"

static const char *const counter_name[OCFABRIC_COUNTERS] = {
	"writes", "committed", "bytes", "lines", "unmapped", "misrouted", "bad_config",
	"zero_length", "misaligned", "out_of_bounds", "unauthorized", "short_packet",
	"oversize", "axi_error", "qp_state", "rnr", "dma_error",
};

static const char *const state_text[] = {
	[WL_STARTING] = "not started", [WL_READY] = "not started",
	[WL_RUNNING] = "unfinished", [WL_SENT] = "not verified",
	[WL_VERIFIED] = "verified", [WL_BROKEN] = "failed",
	[WL_GIVEN_UP] = "given up",
};

/* The card must have counted what the replicas did, and nothing else. */
static void compare_counters(struct wl_processes *p, const struct wl_tally *before)
{
	struct wl_tally after[WL_REPLICAS];
	unsigned int i, c;

	if (!wl_card_counters(p->card, after)) {
		p->errors++;
		return;
	}
	for (i = 0; i < p->plan->n; i++) {
		const struct wl_tally *t = &p->shared->seat[i].tally;

		for (c = 0; c < OCFABRIC_COUNTERS; c++) {
			uint64_t found = after[i].counter[c] - before[i].counter[c];

			if (found == t->counter[c])
				continue;
			fprintf(stderr, "ocf-workload: link %u: expected %" PRIu64
				" %s, found %" PRIu64 "\n", i, t->counter[c],
				counter_name[c], found);
			p->errors++;
		}
	}
}

static void print_replica(const struct wl_processes *p, unsigned int i)
{
	const struct wl_seat *seat = &p->shared->seat[i];
	const struct wl_stats *s = &seat->stats;

	printf("replica %u: sent %" PRIu64 " messages, %" PRIu64 " bytes; read %" PRIu64
	       ", %" PRIu64 " bytes; %" PRIu64 " credits", i, s->sent, s->sent_bytes,
	       s->read, s->read_bytes, s->credits);
	if (p->plan->shape->adversary)
		printf("; %" PRIu64 " bad writes", s->bad);
	printf("; %s\n", state_text[seat->state]);
}

static void print_summary(const struct wl_processes *p)
{
	uint64_t messages = 0, bytes = 0, writes = 0;
	unsigned int i;

	for (i = 0; i < p->plan->n; i++) {
		const struct wl_seat *seat = &p->shared->seat[i];

		print_replica(p, i);
		messages += seat->stats.read;
		bytes += seat->stats.read_bytes;
		writes += seat->tally.counter[OCFABRIC_COUNTER_WRITES];
	}
	printf("%s, n %u, seed %" PRIu64 ", %" PRIu64 " rounds: %" PRIu64 " messages, %"
	       PRIu64 " bytes read and verified, %" PRIu64 " writes", p->plan->shape->name,
	       p->plan->n, p->plan->seed, p->shared->limit.rounds, messages, bytes, writes);
	if (p->seconds > 0)
		printf(" in %.2f s, %.0f messages/s", p->seconds,
		       (double)messages / p->seconds);
	printf("; %u errors\n", p->errors);
}

static int run(struct wl_processes *p)
{
	struct wl_tally before[WL_REPLICAS];
	bool good;

	if (!wl_card_prepare(p->card, p->o, p->plan) ||
	    !wl_card_counters(p->card, before))
		return WL_FAILED;
	good = wl_supervise(p);
	if (good)
		compare_counters(p, before);
	print_summary(p);
	return good && !p->errors ? WL_DONE : WL_FAILED;
}

int wl_run(const struct wl_options *o)
{
	static struct wl_plan plan;
	struct wl_processes p = { .o = o, .plan = &plan };
	int status;

	wl_plan(&plan, o);
	p.shared = mmap(NULL, sizeof(*p.shared), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p.shared == MAP_FAILED) {
		fprintf(stderr, "ocf-workload: %s\n", strerror(errno));
		return WL_FAILED;
	}
	p.card = wl_card_open(o);
	if (!p.card)
		return WL_FAILED;
	status = run(&p);
	wl_card_close(p.card);
	return status;
}
