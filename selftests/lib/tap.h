/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Host tests print TAP: one line a test, diagnostics behind '#'.
 *
 * A test is a function of no arguments; CHECK() in it, or in what it calls,
 * fails it and lets it go on, so that one run shows all that is wrong.
 */
#ifndef OCF_TAP_H
#define OCF_TAP_H

#include <stdbool.h>
#include <stdio.h>

struct tap_test {
	const char *name;
	void (*run)(void);
};

extern int tap_failures;	/* of the test that runs */

/* Prints at most so many complaints of one test. */
#define TAP_MAX_COMPLAINTS 20

#define CHECK(condition, ...)						\
	do {								\
		if (!(condition))					\
			tap_complain(__FILE__, __LINE__, #condition,	\
				     " " __VA_ARGS__);			\
	} while (0)

void tap_complain(const char *file, int line, const char *condition,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Runs the tests, returns main()'s status. */
int tap_run(const struct tap_test *tests, size_t n);

#define TAP_MAIN(tests)							\
	int main(void)							\
	{								\
		return tap_run(tests, sizeof(tests) / sizeof((tests)[0])); \
	}

#endif
