/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What help and the man page have in common
 */
#ifndef FABRICCTL_HELP_H
#define FABRICCTL_HELP_H

#include <stdio.h>

#include "ctl.h"

struct named_text {
	const char *name;
	const char *text;
};

extern const struct named_text help_options[];
extern const unsigned int nr_help_options;
extern const struct named_text help_statuses[];
extern const unsigned int nr_help_statuses;

/* Usage and a line for each verb. */
void print_summary(FILE *out);

#endif
