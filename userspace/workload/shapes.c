// SPDX-License-Identifier: LGPL-2.1-or-later
/* The table of shapes */
#include "workload.h"

const struct wl_shape *const wl_shapes[] = {
	&wl_ping,
	&wl_consensus,
	&wl_slow_path,
	&wl_sweep,
	&wl_checkpoint,
	&wl_all_to_all,
	&wl_adversary,
	NULL,
};
