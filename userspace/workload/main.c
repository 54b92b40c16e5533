// SPDX-License-Identifier: LGPL-2.1-or-later
/* ocf-workload: see workload.h */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "workload.h"

int main(int argc, char **argv)
{
	struct wl_options o;
	int status = wl_options(&o, argc, argv);

	if (status < 0)
		status = o.scenario ? wl_scenario(&o) : wl_run(&o);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "ocf-workload: cannot write: %s\n", strerror(errno));
		return WL_FAILED;
	}
	return status;
}
