// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Messages, exit statuses, time limits, signals
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ctl.h"

volatile int caught_signal;

int fail(enum status status, const char *format, ...)
{
	va_list args;

	fputs("fabricctl: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return status;
}

enum status status_of(int error)
{
	switch (error) {
	case 0:
		return ST_DONE;
	case EPERM:
	case EACCES:
		return ST_DENIED;
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return ST_ABSENT;
	case ETIMEDOUT:
		return ST_TIMEOUT;
	default:
		return ST_REFUSED;
	}
}

int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

int poll_ms(int64_t deadline, int most)
{
	int64_t left = deadline - now_ns();

	if (left <= 0)
		return 0;
	left = (left + NS_PER_MS - 1) / NS_PER_MS;
	return left < most ? (int)left : most;
}

static void note_signal(int number)
{
	caught_signal = number;
}

/* No SA_RESTART: waits end with EINTR. */
void catch_signals(void)
{
	struct sigaction action = { .sa_handler = note_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static void on_bus_error(int number)
{
	static const char text[] = "fabricctl: the card is gone or was reset\n";

	(void)number;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(ST_REFUSED);
	_exit(ST_ABSENT);
}

void catch_bus_errors(void)
{
	signal(SIGBUS, on_bus_error);
}
