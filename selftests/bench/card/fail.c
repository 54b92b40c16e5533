// SPDX-License-Identifier: GPL-2.0-only
/* How the process ends when it cannot go on */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"

void fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void too_late(int signal)
{
	static const char text[] = "a benchmark is not through within the time limit\n";

	(void)signal;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(2);
	_exit(1);
}

void deadline(unsigned int seconds)
{
	signal(SIGALRM, too_late);
	alarm(seconds);
}
