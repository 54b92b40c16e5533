// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Attributes in sysfs and procfs: one line a file
 */
#include <stdio.h>
#include <string.h>

#include "ctl.h"

bool first_line(const char *path, char *buf, int size)
{
	FILE *file = fopen(path, "re");
	bool there;

	if (!file)
		return false;
	there = fgets(buf, size, file);
	fclose(file);
	if (there)
		buf[strcspn(buf, "\n")] = 0;
	return there;
}
