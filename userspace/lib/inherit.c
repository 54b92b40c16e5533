// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The replica handle that a launcher passed on: the environment says where
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

#define FIRST_FD	3	/* of those that LISTEN_FDS counts */
#define NAME		"ocfabric"

/* A number and nothing else; -1 if it is none. */
static long number(const char *s)
{
	char *end;
	long n;

	if (!s || *s < '0' || *s > '9')
		return -1;
	errno = 0;
	n = strtol(s, &end, 10);
	return *end || errno || n > INT32_MAX ? -1 : n;
}

/*
 * Which of the names, separated by colons, is ours; -1: none. The last, if there
 * are several: an exec inside another one adds its handle behind.
 */
static int name_index(const char *names)
{
	int i = 0, ours = -1;

	for (; names; names = strchr(names, ':'), i++) {
		size_t n;

		names += i > 0;
		n = strcspn(names, ":");
		if (n == strlen(NAME) && !memcmp(names, NAME, n))
			ours = i;
	}
	return ours;
}

/* As sd_listen_fds_with_names(3) would find it; meant for this process only. */
static int listen_fd(void)
{
	long count = number(getenv("LISTEN_FDS"));
	int i;

	if (count < 1 || number(getenv("LISTEN_PID")) != getpid())
		return -1;
	i = name_index(getenv("LISTEN_FDNAMES"));
	return i < 0 || i >= count ? -1 : FIRST_FD + i;
}

int ocf_inherited_fd(void)
{
	const char *from = "LISTEN_FDS";
	const char *s = getenv("OCF_FD");
	long fd = listen_fd();

	if (fd < 0) {
		if (!s || !*s)
			return -1;
		from = "OCF_FD";
		fd = number(s);
		if (fd < 0)
			return ocf_fail(EBADF, "OCF_FD is \"%s\", which is no "
					"descriptor", s);
	}
	if (fcntl((int)fd, F_GETFD) < 0)
		return ocf_fail(EBADF, "%s says that descriptor %ld is a replica "
				"handle, but it is not open", from, fd);
	return (int)fd;
}
