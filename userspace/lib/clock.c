// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Time limits
 */
#include <time.h>

#include "internal.h"

int64_t ocf_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * OCF_NS_PER_S + t.tv_nsec;
}

int64_t ocf_deadline(int64_t timeout_ns)
{
	int64_t now = ocf_now_ns();

	return timeout_ns < 0 || timeout_ns > INT64_MAX - now ? INT64_MAX :
	       now + timeout_ns;
}
