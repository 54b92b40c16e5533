// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Samples to rows
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

/* ---- rates -------------------------------------------------------------- */

/* Counters, or the clock with the whole card, began anew in between. */
static bool was_reset(const struct counters *a, const struct counters *b)
{
	unsigned int i;

	if (b->clock < a->clock)
		return true;
	for (i = 0; i < OCFABRIC_COUNTERS; i++)
		if (b->value[i] < a->value[i])
			return true;
	return false;
}

static void rate_counters(struct top_row *row, const struct counters *a,
			  const struct counters *b, double seconds)
{
	static const struct {
		enum top_value value;
		enum ocfabric_counter counter;
	} plain[] = {
		{ TOP_WRITES, OCFABRIC_COUNTER_WRITES },
		{ TOP_COMMITTED, OCFABRIC_COUNTER_COMMITTED },
		{ TOP_BYTES, OCFABRIC_COUNTER_BYTES },
	};
	unsigned int i;

	if (was_reset(a, b)) {
		row->note = "reset";
		return;
	}
	for (i = 0; i < ARRAY_SIZE(plain); i++)
		row->value[plain[i].value] =
			(double)(b->value[plain[i].counter] -
				 a->value[plain[i].counter]) / seconds;
	row->value[TOP_REJECTS] =
		(double)(counters_rejected(b) - counters_rejected(a)) / seconds;
}

/* Counts mod 2^32; a step back is a new beginning. */
static double rate32(uint32_t a, uint32_t b, double seconds)
{
	uint32_t more = b - a;

	return more > INT32_MAX ? NAN : more / seconds;
}

static void rate_queue(struct top_row *row, const struct queue *a,
		       const struct queue *b, double seconds)
{
	if (!a->known || !b->known)
		return;
	row->value[TOP_DELAYED] = rate32(a->delayed, b->delayed, seconds);
	if (a->attached && b->attached && a->pid == b->pid)
		row->value[TOP_INTERRUPTS] =
			rate32(a->interrupts, b->interrupts, seconds);
}

/* ---- rows --------------------------------------------------------------- */

static void fill_now(struct top_row *row, const struct sample *s,
		     unsigned int link)
{
	const struct queue *q = &s->queue[link];

	row->value[TOP_LINK] = link;
	row->stage = s->stages[link].held;
	if (row->stage != OCFABRIC_PATH_NONE) {
		row->waits_for = s->stages[link].waits_for;
		row->value[TOP_HELD] = s->held_us[link];
	}
	row->attached = q->attached;
	if (!q->attached)
		return;
	row->state = q->state;
	row->pid = q->pid;
	memcpy(row->comm, q->comm, sizeof(row->comm));
	row->value[TOP_QUEUE] = q->depth;
	row->value[TOP_RX] = q->rx_depth;
}

static const char *note_of(const struct sample *s, unsigned int link,
			   const char *note)
{
	const struct queue *q = &s->queue[link];

	if (s->stalled[link])
		return "stalled";
	if (q->attached && q->state == OCFABRIC_QUEUE_STOPPED)
		return "stopped";
	if (note)
		return note;
	return q->attached && q->waiting ? "waiting" : NULL;
}

static void make_row(struct top_row *row, const struct sample *before,
		     const struct sample *now, unsigned int link)
{
	double seconds;
	unsigned int i;

	for (i = 0; i < NR_TOP_VALUES; i++)
		row->value[i] = NAN;
	fill_now(row, now, link);
	if (before && link < before->links && now->at > before->at) {
		seconds = (double)(now->at - before->at) / NS_PER_S;
		rate_counters(row, &before->counters[link], &now->counters[link],
			      seconds);
		rate_queue(row, &before->queue[link], &now->queue[link], seconds);
	}
	row->note = note_of(now, link, row->note);
}

static int add_rows(struct top *top, const struct top_card *card,
		    unsigned int order, const struct sample *before)
{
	const struct args *args = &top->ctl->args;
	struct top_row *more;
	unsigned int link;

	more = realloc(top->row, (top->nr_rows + card->sample.links + 1) *
				 sizeof(*more));
	if (!more)
		return fail(ST_REFUSED, "no memory for rows");
	top->row = more;
	for (link = 0; link < card->sample.links; link++) {
		struct top_row *row = &top->row[top->nr_rows];

		if (args->given[P_LINK] && args->value[P_LINK] != link)
			continue;
		memset(row, 0, sizeof(*row));
		row->device = card->name;
		row->order = order;
		make_row(row, before, &card->sample, link);
		top->nr_rows++;
	}
	return 0;
}

/* ---- order -------------------------------------------------------------- */

/* The largest first, what is not known last; links by their number. */
static int compare(const void *a, const void *b, void *arg)
{
	const struct top_row *x = a, *y = b;
	const struct top *top = arg;
	double p = x->value[top->sort], q = y->value[top->sort];

	if (top->sort != TOP_LINK && !isnan(p) != !isnan(q))
		return isnan(p) ? 1 : -1;
	if (top->sort != TOP_LINK && !isnan(p) && p != q)
		return p < q ? 1 : -1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->value[TOP_LINK] < y->value[TOP_LINK] ? -1 : 1;
}

void top_sort(struct top *top)
{
	if (top->nr_rows)
		qsort_r(top->row, top->nr_rows, sizeof(*top->row), compare, top);
}

/* ---- samples ------------------------------------------------------------ */

static const struct top_card *find(const struct top *top, unsigned int id)
{
	unsigned int i;

	for (i = 0; i < top->nr_cards; i++)
		if (top->card[i].id == id && top->card[i].sampled)
			return &top->card[i];
	return NULL;
}

static int sample_cards(struct ctl *ctl, struct top_card *cards)
{
	unsigned int i;
	int error;

	for (i = 0; i < ctl->nr_cards; i++) {
		struct top_card *card = &cards[i];

		card->id = ctl->cards[i].id;
		memcpy(card->name, ctl->cards[i].name, sizeof(card->name));
		error = sample_card(ctl, &ctl->cards[i], &card->sample);
		if (!error)
			error = check_below(&ctl->cards[i], &ctl->args, P_LINK,
					    "link", card->sample.links);
		if (error)
			return error;
		card->sampled = true;
	}
	return 0;
}

/* Cards may have come and gone. */
static int pick_again(struct ctl *ctl)
{
	int error = 0;

	if (!ctl->nl)
		error = fab_open(ctl);
	free_cards(ctl);
	return error ? error : pick_cards(ctl);
}

int top_sample(struct top *top)
{
	struct ctl *ctl = top->ctl;
	struct top_card *cards;
	unsigned int i;
	int error;

	error = pick_again(ctl);
	if (error)
		goto failed;
	cards = calloc(ctl->nr_cards + 1, sizeof(*cards));
	if (!cards) {
		error = fail(ST_REFUSED, "no memory for a sample");
		goto failed;
	}
	error = sample_cards(ctl, cards);
	if (error) {
		free(cards);
		goto failed;
	}
	top->nr_rows = 0;
	for (i = 0; i < ctl->nr_cards && !error; i++) {
		const struct top_card *before = find(top, cards[i].id);

		error = add_rows(top, &cards[i], i,
				 before ? &before->sample : NULL);
	}
	free(top->card);
	top->card = cards;
	top->nr_cards = ctl->nr_cards;
	top_sort(top);
	return error;
failed:
	/* The family has another number when the driver comes back. */
	fab_close(ctl);
	top_forget(top);
	return error;
}

void top_forget(struct top *top)
{
	unsigned int i;

	for (i = 0; i < top->nr_cards; i++)
		top->card[i].sampled = false;
}

void top_free(struct top *top)
{
	free(top->row);
	free(top->card);
	free(top->screen.trouble);
}
