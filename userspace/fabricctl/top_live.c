// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * top on a terminal: samples, keys and signals in one loop
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "terminal.h"
#include "top.h"

/* What goes wrong is shown, and tried again: drivers and cards come back. */
static void sample_quietly(struct top *top)
{
	struct capture capture;
	char *said;

	capture_begin(&capture);
	top_sample(top);
	said = capture_end(&capture);
	free(top->screen.trouble);
	top->screen.trouble = said ? strdup(bare_message(said)) : NULL;
	free(said);
}

/* False at the end. */
static bool take_signals(struct top *top)
{
	int number;

	while ((number = terminal_signal())) {
		switch (number) {
		case SIGTSTP:
			terminal_stop();
			break;
		case SIGCONT:
			terminal_again();
			break;
		case SIGWINCH:
			break;
		default:
			return false;
		}
		terminal_size(&top->screen.lines, &top->screen.columns);
		top_draw(top);
	}
	return true;
}

static bool take_keys(struct top *top)
{
	int key;

	while ((key = terminal_key()) != KEY_NONE) {
		if (key == KEY_END_OF_INPUT || !top_key(top, key))
			return false;
		top_draw(top);
	}
	return true;
}

static int loop(struct top *top)
{
	int64_t next = now_ns(), limit = top->ctl->deadline;
	bool paused = false;

	for (;;) {
		/* A rate over a pause would be of no use. */
		if (paused && !top->screen.paused) {
			top_forget(top);
			next = now_ns();
		}
		paused = top->screen.paused;
		if (!paused && now_ns() >= next) {
			sample_quietly(top);
			next = now_ns() + top->interval;
			top_draw(top);
		}
		terminal_wait(poll_ms(paused || limit < next ? limit : next, 60000));
		if (!take_signals(top) || !take_keys(top))
			return 0;
		if (now_ns() >= limit)
			return ST_TIMEOUT;
	}
}

int top_live(struct top *top)
{
	int status = top_sample(top);

	if (status)
		return status;
	status = terminal_enter();
	if (!status) {
		terminal_size(&top->screen.lines, &top->screen.columns);
		top_draw(top);
		status = loop(top);
	}
	terminal_leave();
	if (status == ST_TIMEOUT)
		fail(status, "the time limit passed");
	return status;
}
