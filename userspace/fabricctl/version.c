// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * --version: works with and without the driver
 */
#include <stdio.h>

#include "print.h"

#define MODULE	"/sys/module/ocfabric/"

static void driver_version(char *buf, int size)
{
	if (first_line(MODULE "version", buf, size) ||
	    first_line(MODULE "srcversion", buf, size))
		return;
	snprintf(buf, (size_t)size, "%s",
		 first_line(MODULE "initstate", buf, size) ?
		 "loaded" : "not loaded");
}

int run_version(struct ctl *ctl)
{
	struct json_object *rows, *row;
	char interface[32], driver[64];

	snprintf(interface, sizeof(interface), "%d.%d",
		 OCFABRIC_VERSION_MAJOR, OCFABRIC_VERSION_MINOR);
	driver_version(driver, sizeof(driver));
	if (!ctl->json) {
		printf("fabricctl %s\ninterface %s\ndriver %s\n", VERSION,
		       interface, driver);
		return end_output();
	}
	rows = json_object_new_array();
	row = json_object_new_object();
	put_string(row, "fabricctl", VERSION);
	put_string(row, "interface", interface);
	put_string(row, "driver", driver);
	json_object_array_add(rows, row);
	return print_document(ctl, "version", rows);
}
