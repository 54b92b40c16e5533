// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's fault injection, by its fail-nth
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child.h"
#include "inject.h"

static void set(const char *what, const char *attribute, const char *value)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", what, attribute);
	write_file(path, value);
}

int inject_open(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%ld/fail-nth", syscall(SYS_gettid));
	for (const char *const *what = (const char *const[]){
		     "failslab", "fail_page_alloc", "fail_usercopy", NULL }; *what; what++) {
		set(*what, "verbose", "0");
		set(*what, "ignore-gfp-wait", "N");
	}
	/* single pages, and user space's, too */
	set("fail_page_alloc", "min-order", "0");
	set("fail_page_alloc", "ignore-gfp-highmem", "N");
	return open(path, O_RDWR | O_CLOEXEC);
}

void inject_arm(int fail, unsigned int nth)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", nth);
	if (pwrite(fail, text, strlen(text), 0) < 0)
		abort();
}

bool inject_disarm(int fail)
{
	char text[16] = {};
	bool came = pread(fail, text, sizeof(text) - 1, 0) > 0 && !atoi(text);

	/* one that is still due may be the first try's */
	if (pwrite(fail, "0", 1, 0) < 0 && pwrite(fail, "0", 1, 0) < 0)
		abort();
	return came;
}

unsigned int inject_passed(int fail)
{
	char text[16] = {};
	int left = pread(fail, text, sizeof(text) - 1, 0) > 0 ? atoi(text) : 0;

	inject_disarm(fail);
	return INJECT_NEVER - left;
}
