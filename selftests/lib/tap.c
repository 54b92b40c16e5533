// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>

#include "tap.h"

int tap_failures;

void tap_complain(const char *file, int line, const char *condition,
		  const char *fmt, ...)
{
	va_list ap;

	if (tap_failures++ >= TAP_MAX_COMPLAINTS)
		return;
	printf("# %s:%d: not so: %s", file, line, condition);
	if (fmt[1]) {	/* behind the blank of CHECK() */
		fputs(" (", stdout);
		va_start(ap, fmt);
		vprintf(fmt + 1, ap);
		va_end(ap);
		putchar(')');
	}
	putchar('\n');
}

int tap_run(const struct tap_test *tests, size_t n)
{
	int failed = 0;
	size_t i;

	printf("TAP version 13\n1..%zu\n", n);
	for (i = 0; i < n; i++) {
		tap_failures = 0;
		tests[i].run();
		failed += tap_failures != 0;
		printf("%sok %zu %s\n", tap_failures ? "not " : "", i + 1,
		       tests[i].name);
		fflush(stdout);
	}
	return failed != 0;
}
