// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's log, a record a read: see Documentation/ABI/testing/dev-kmsg. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "klog.h"

int klog_open(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (log < 0)
		return -errno;
	lseek(log, 0, SEEK_END);
	return log;
}

bool klog_says(int log, const char *text)
{
	char line[2048];
	ssize_t n;

	/* EPIPE: records were overwritten before they were read; there are more */
	while ((n = read(log, line, sizeof(line) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		line[n < 0 ? 0 : n] = 0;
		if (strstr(line, text))
			return true;
	}
	return false;
}
