/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What goes to stderr meanwhile, as text: for verbs that must not stop, or
 * spoil a screen, when one of the things that they read cannot be had
 */
#ifndef FABRICCTL_CAPTURE_H
#define FABRICCTL_CAPTURE_H

#include <stddef.h>

struct capture {
	int memory;	/* a file; -1: nothing is captured */
	int saved;	/* where stderr went */
};

void capture_begin(struct capture *capture);
/* Puts stderr back. What was said, to be freed, or NULL: nothing. */
char *capture_end(struct capture *capture);

/* Drops "fabricctl: " at its start and the newline at its end. */
const char *bare_message(char *text);

#endif
