/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Failures of this thread's allocations and user copies, one at a time
 */
#ifndef OCF_TEST_INJECT_H
#define OCF_TEST_INJECT_H

#include <stdbool.h>

#define INJECT_NEVER	1000000u	/* more than there are in anything */

/* fail-nth of this thread; -1 where the kernel has none. */
int inject_open(void);
/* The nth from now on fails. */
void inject_arm(int fail, unsigned int nth);
/* Whether it came to that failure; none is due any more. */
bool inject_disarm(int fail);
/* After inject_arm(INJECT_NEVER): how many could have failed since. */
unsigned int inject_passed(int fail);

#endif /* OCF_TEST_INJECT_H */
