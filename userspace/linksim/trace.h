/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINKSIM_TRACE_H
#define LINKSIM_TRACE_H

#include "linksim.h"

struct trace_link {
	struct sim *sim;
	unsigned int link;
};

/* The beat engine tells what it does, from now on. */
void trace_attach(struct sim *sim);

#endif
