/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel says from now on. */
#ifndef OCF_TEST_KLOG_H
#define OCF_TEST_KLOG_H

#include <stdbool.h>

/* The log's descriptor, behind its last line, or -errno; close() ends it. */
int klog_open(void);

/* Reads up to the first line with @text in it: whether there is one yet. */
bool klog_says(int log, const char *text);

#endif
