/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * top: what each link does, a row a link, of two samples an interval apart
 *
 * top_rows.c takes samples and makes rows of them: it alone knows what a reset
 * between two samples does to a rate. top.c prints the rows as tables or JSON;
 * where there is a terminal, top_screen.c draws them and top_keys.c takes keys,
 * on what terminal.c makes of the terminal.
 */
#ifndef FABRICCTL_TOP_H
#define FABRICCTL_TOP_H

#include "print.h"
#include "sample.h"

/* What a row has, and what it can be sorted by; --sort has the names. */
enum top_value {
	TOP_LINK, TOP_WRITES, TOP_COMMITTED, TOP_BYTES, TOP_REJECTS, TOP_QUEUE,
	TOP_RX, TOP_HELD, TOP_INTERRUPTS, TOP_DELAYED,
	NR_TOP_VALUES
};

#define TOP_SORT_WORDS \
	"link|writes|committed|bytes|rejects|queue|rx|held|interrupts|delayed"

struct top_row {
	const char *device;
	unsigned int order;	/* of its card */
	double value[NR_TOP_VALUES];	/* NAN: not known */
	unsigned int stage;	/* of the write in flight, or OCFABRIC_PATH_NONE */
	unsigned int waits_for;
	bool attached;
	unsigned int state;	/* of the queue */
	uint32_t pid;
	char comm[32];
	const char *note;	/* the one thing to be looked at; or NULL */
};

struct top_card {
	unsigned int id;
	char name[32];
	bool sampled;
	struct sample sample;
};

/* What is on the screen besides the rows. */
struct top_screen {
	int lines;
	int columns;
	unsigned int first;	/* row at the top */
	bool paused;
	bool help;
	bool typing;		/* a filter */
	char typed[32];
	char filter[32];
	char *trouble;		/* why there is no new sample; or NULL */
};

struct top {
	struct ctl *ctl;
	enum top_value sort;
	int64_t interval;
	struct top_card *card;
	unsigned int nr_cards;
	struct top_row *row;
	unsigned int nr_rows;
	struct top_screen screen;
};

/* top_rows.c */

/*
 * A new sample of each card there is, and the rows that it makes with the one
 * before. An exit status; then rows are as they were, and the next one begins anew.
 */
int top_sample(struct top *top);
void top_sort(struct top *top);
/* The next sample has none before it. */
void top_forget(struct top *top);
void top_free(struct top *top);

/* top.c */
extern const char *const top_words[NR_TOP_VALUES];	/* of --sort */

/* top_screen.c */
void top_draw(struct top *top);
/* The rows that the filter lets through, counted. */
unsigned int top_shown(const struct top *top);

/* top_keys.c: false at the end */
bool top_key(struct top *top, int key);

/* top_live.c: an exit status */
int top_live(struct top *top);

#endif
