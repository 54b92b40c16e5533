/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The terminal as a screen: keys one by one, the alternate screen, signals by a
 * descriptor. It is put back at the end however the program ends, but for
 * SIGKILL, and while it is stopped.
 */
#ifndef FABRICCTL_TERMINAL_H
#define FABRICCTL_TERMINAL_H

#include <stdbool.h>

enum {
	KEY_NONE	= -1,	/* nothing there */
	KEY_END_OF_INPUT = -2,	/* the terminal is gone */
	KEY_ESCAPE	= 27,
	KEY_UP		= 256,
	KEY_DOWN, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_HOME, KEY_END,
};

/* stdin and stdout are terminals, and TERM is no dumb one. */
bool terminal_usable(void);

/* An exit status, with its message printed. */
int terminal_enter(void);
void terminal_leave(void);

void terminal_size(int *lines, int *columns);

/* Waits for a key or a signal, at most @ms. */
void terminal_wait(int ms);
/* The next signal that came, or 0: INT, TERM, HUP, QUIT, TSTP, CONT, WINCH. */
int terminal_signal(void);
int terminal_key(void);

/* After SIGCONT: whoever had the terminal meanwhile may have changed it. */
void terminal_again(void);

/* Stops the program, as SIGTSTP does; back when it goes on. */
void terminal_stop(void);

#endif
