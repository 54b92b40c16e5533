// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Drawing: a head of two lines, the rows, and a line at the bottom
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ocfabric.h>

#include "aside.h"
#include "top.h"
#include "words.h"

#define AROUND	4		/* lines that are no rows */
#define LINE	512
#define OWNER_LEAST	8	/* of which something must be seen */

enum show {
	SHOW_NUMBER, SHOW_AMOUNT, SHOW_BYTES, SHOW_TIME, SHOW_STAGE, SHOW_NOTE,
	SHOW_OWNER, SHOW_DEVICE,
};

/* The most important first: what does not fit is left out. */
static const struct {
	const char *head;
	int width;		/* negative: to the left */
	enum show show;
	enum top_value value;
} cells[] = {
	{ "LINK", 4, SHOW_NUMBER, TOP_LINK },
	{ "WRITES/s", 8, SHOW_AMOUNT, TOP_WRITES },
	{ "COMMIT/s", 8, SHOW_AMOUNT, TOP_COMMITTED },
	{ "BYTES/s", 8, SHOW_BYTES, TOP_BYTES },
	{ "REJECT/s", 8, SHOW_AMOUNT, TOP_REJECTS },
	{ "QUEUE", 5, SHOW_NUMBER, TOP_QUEUE },
	{ "RX", 4, SHOW_NUMBER, TOP_RX },
	{ "STAGE", -12, SHOW_STAGE, 0 },
	{ "HELD", 6, SHOW_TIME, TOP_HELD },
	{ "NOTE", -7, SHOW_NOTE, 0 },
	{ "IRQ/s", 6, SHOW_AMOUNT, TOP_INTERRUPTS },
	{ "DELAY/s", 7, SHOW_AMOUNT, TOP_DELAYED },
	{ "OWNER", -24, SHOW_OWNER, 0 },
	{ "DEVICE", -11, SHOW_DEVICE, 0 },
};

static const char *const help[] = {
	"q           quit",
	"p, space    pause, and go on",
	"s           sort by the next column; or by one:",
	"            l link  w writes  c committed  b bytes  r rejects  d queue depth",
	"            x receive ring  t held  i interrupts  y delayed",
	"/           filter: numbers of links (0,2), or a text of the row; empty: all",
	"arrows, page up, page down, home, end    scroll",
	"h, ?        this page",
	"",
	"QUEUE: descriptors rung and not run. RX: receive descriptors armed.",
	"STAGE, HELD: where the write in flight is, and how long without progress.",
	"NOTE: stalled, stopped, reset (counters began anew: no rate), waiting.",
	"IRQ/s, DELAY/s: interrupts, and those that the storm limit put off.",
};

/* ---- which rows --------------------------------------------------------- */

static void owner_text(const struct top_row *row, char *buf, size_t size)
{
	if (row->attached)
		snprintf(buf, size, "%s (%u)", row->comm, row->pid);
	else
		snprintf(buf, size, "-");
}

static bool in_list(const char *list, unsigned int link)
{
	char *end;

	while (*list) {
		if (strtoul(list, &end, 10) == link && end != list)
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}

static bool lets_through(const char *filter, const struct top_row *row)
{
	char text[LINE], owner[64];

	if (!*filter)
		return true;
	if (!filter[strspn(filter, "0123456789, ")])
		return in_list(filter, (unsigned int)row->value[TOP_LINK]);
	owner_text(row, owner, sizeof(owner));
	snprintf(text, sizeof(text), "%s %s %s %s %s", row->device,
		 row->stage != OCFABRIC_PATH_NONE ? stage_name(row->stage) : "",
		 row->note ? row->note : "",
		 row->attached ? ocf_state_name(row->state) : "", owner);
	return strstr(text, filter);
}

unsigned int top_shown(const struct top *top)
{
	unsigned int i, nr = 0;

	for (i = 0; i < top->nr_rows; i++)
		nr += lets_through(top->screen.filter, &top->row[i]);
	return nr;
}

/* ---- lines -------------------------------------------------------------- */

/* A line that fits; the rest of it is cleared. */
static void put_line(FILE *out, const struct top *top, const char *style,
		     const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static void put_line(FILE *out, const struct top *top, const char *style,
		     const char *format, ...)
{
	char text[LINE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(out, "%s%.*s\033[K\033[0m\r\n", style, top->screen.columns, text);
}

static void span_text(double us, char *buf, size_t size)
{
	if (us < 1000)
		snprintf(buf, size, "%.0fus", us);
	else if (us < 1000000)
		snprintf(buf, size, "%.0fms", us / 1000);
	else
		snprintf(buf, size, "%.1fs", us / 1000000);
}

static void cell_text(const struct top_row *row, unsigned int cell, char *buf,
		      size_t size)
{
	double value = row->value[cells[cell].value];

	snprintf(buf, size, "-");
	switch (cells[cell].show) {
	case SHOW_NUMBER:
		if (!isnan(value))
			snprintf(buf, size, "%.0f", value);
		break;
	case SHOW_AMOUNT:
	case SHOW_BYTES:
		if (!isnan(value))
			amount_text(value, cells[cell].show == SHOW_BYTES, buf, size);
		break;
	case SHOW_TIME:
		if (!isnan(value))
			span_text(value, buf, size);
		break;
	case SHOW_STAGE:
		if (row->stage != OCFABRIC_PATH_NONE)
			snprintf(buf, size, "%s", stage_name(row->stage));
		break;
	case SHOW_NOTE:
		if (row->note)
			snprintf(buf, size, "%s", row->note);
		break;
	case SHOW_OWNER:
		owner_text(row, buf, size);
		break;
	case SHOW_DEVICE:
		snprintf(buf, size, "%s", row->device);
		break;
	}
}

/* Of a row, or of the heads if that is NULL. */
static void row_text(const struct top *top, const struct top_row *row,
		     char *line, size_t size)
{
	char cell[64];
	unsigned int i;
	int width = 0;

	line[0] = 0;
	for (i = 0; i < ARRAY_SIZE(cells); i++) {
		bool last = i == ARRAY_SIZE(cells) - 1;
		int least = cells[i].show == SHOW_OWNER ? OWNER_LEAST :
							  abs(cells[i].width);

		if (width + least > top->screen.columns ||
		    (last && top->nr_cards < 2))
			break;
		width += abs(cells[i].width) + 1;
		if (row)
			cell_text(row, i, cell, sizeof(cell));
		else
			snprintf(cell, sizeof(cell), "%s", cells[i].head);
		snprintf(line + strlen(line), size - strlen(line), "%s%*.*s",
			 i ? " " : "", cells[i].width, abs(cells[i].width), cell);
	}
}

/* ---- the parts ---------------------------------------------------------- */

static void draw_head(FILE *out, const struct top *top)
{
	double writes = 0, bytes = 0, rejects = 0;
	char clock[32], a[16], b[16], c[16];
	unsigned int i;
	struct tm tm;
	time_t now = time(NULL);

	for (i = 0; i < top->nr_rows; i++) {
		const double *value = top->row[i].value;

		if (isnan(value[TOP_WRITES]))
			continue;
		writes += value[TOP_WRITES];
		bytes += value[TOP_BYTES];
		rejects += value[TOP_REJECTS];
	}
	amount_text(writes, false, a, sizeof(a));
	amount_text(bytes, true, b, sizeof(b));
	amount_text(rejects, false, c, sizeof(c));
	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &tm));
	put_line(out, top, "", "fabricctl top  %s  every %g s  sort %s%s%s%s",
		 clock, (double)top->interval / NS_PER_S, top_words[top->sort],
		 top->screen.filter[0] ? "  filter " : "", top->screen.filter,
		 top->screen.paused ? "  PAUSED" : "");
	put_line(out, top, "", "%u cards, %u links: %s writes/s, %s/s, %s rejects/s",
		 top->nr_cards, top->nr_rows, a, b, c);
}

static void draw_rows(FILE *out, struct top *top)
{
	int room = top->screen.lines - AROUND;
	unsigned int i, nr = 0, shown = top_shown(top);
	char line[LINE];

	if (shown <= top->screen.first)
		top->screen.first = shown ? shown - 1 : 0;
	row_text(top, NULL, line, sizeof(line));
	put_line(out, top, "\033[7m", "%s", line);
	for (i = 0; i < top->nr_rows && room > 0; i++) {
		const struct top_row *row = &top->row[i];

		if (!lets_through(top->screen.filter, row) ||
		    nr++ < top->screen.first)
			continue;
		row_text(top, row, line, sizeof(line));
		put_line(out, top, row->note && row->note[0] == 's' ? "\033[1m" : "",
			 "%s", line);
		room--;
	}
	if (!top->nr_rows)
		put_line(out, top, "", top->nr_cards ?
			 "no links: the card has no replicas (fabricctl set replicas N)" :
			 "there is no card");
	else if (!shown)
		put_line(out, top, "", "no row has '%s'", top->screen.filter);
}

static void draw_help(FILE *out, const struct top *top)
{
	int room = top->screen.lines - AROUND + 1;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(help) && room-- > 0; i++)
		put_line(out, top, "", "%s", help[i]);
}

/* At the bottom, without a newline, which would scroll. */
static void draw_foot(FILE *out, const struct top *top)
{
	char text[LINE];

	if (top->screen.typing)
		snprintf(text, sizeof(text), "filter: %s_", top->screen.typed);
	else if (top->screen.trouble)
		snprintf(text, sizeof(text), "%s", top->screen.trouble);
	else
		snprintf(text, sizeof(text), "q quit  p pause  s sort  / filter  h help");
	text[strcspn(text, "\n")] = 0;
	fprintf(out, "\033[J\033[%d;1H%.*s\033[K", top->screen.lines,
		top->screen.columns, text);
}

void top_draw(struct top *top)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	fputs("\033[H", out);
	if (top->screen.lines > AROUND)
		draw_head(out, top);
	if (top->screen.help)
		draw_help(out, top);
	else
		draw_rows(out, top);
	draw_foot(out, top);
	/* A terminal that is gone is noticed by reading from it. */
	if (!fclose(out) && !write_all(STDOUT_FILENO, text, size))
		top->screen.first = 0;
	free(text);
}
