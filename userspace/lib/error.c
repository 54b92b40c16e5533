// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The sentence of the last failure, and ioctl() with one
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "internal.h"

static __thread char last[256];

OCF_API const char *ocf_error(void)
{
	return last;
}

int ocf_fail(int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last, sizeof(last), format, args);
	va_end(args);
	errno = error;
	return -error;
}

int ocf_call(int fd, unsigned long request, void *arg, const char *what)
{
	int error;

	do {
		if (!ioctl(fd, request, arg))
			return 0;
		error = errno;
	} while (error == EINTR);

	if (error == ENODEV)
		return ocf_fail(error, "%s: the card is gone or was reset",
				what);
	return ocf_fail(error, "%s: %s", what, strerror(error));
}
