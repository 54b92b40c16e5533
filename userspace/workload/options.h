/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of options; parser, help and man page are made of it. */
#ifndef OCF_WORKLOAD_OPTIONS_H
#define OCF_WORKLOAD_OPTIONS_H

#include <getopt.h>

struct wl_option {
	struct option option;	/* val: also the short one, if a letter */
	const char *argument;
	const char *text;
};

extern const struct wl_option wl_option_table[];
extern const unsigned int wl_nr_options;

/* manual.c */
void wl_help(void);
void wl_manual(void);

#endif
