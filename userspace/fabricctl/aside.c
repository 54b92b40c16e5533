// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aside.h"
#include "ctl.h"

int aside_open(struct aside *aside, const char *path, mode_t mode)
{
	struct stat stat;

	/* A rename would take the place of /dev/null, or of a link to it. */
	if (!lstat(path, &stat) && !S_ISREG(stat.st_mode))
		return fail(ST_USAGE, "%s: expected the name of a regular file",
			    path);
	aside->path = strdup(path);
	if (!aside->path || asprintf(&aside->other, "%s.XXXXXX", path) < 0)
		return fail(ST_REFUSED, "no memory for a file name");
	aside->fd = mkostemp(aside->other, O_CLOEXEC);
	if (aside->fd < 0) {
		int error = errno;

		free(aside->path);
		free(aside->other);
		return fail(error == EACCES || error == EPERM ? ST_DENIED :
			    ST_REFUSED, "%s: %s", path, strerror(error));
	}
	/* The umask does not count: a reader of another user is meant. */
	fchmod(aside->fd, mode);
	return 0;
}

int aside_close(struct aside *aside, bool keep)
{
	int error = 0;

	if (keep && fsync(aside->fd))
		error = errno;
	if (close(aside->fd) && !error)
		error = errno;
	if (keep && !error && rename(aside->other, aside->path))
		error = errno;
	if (!keep || error)
		unlink(aside->other);
	if (keep && error)
		error = fail(ST_REFUSED, "%s: %s", aside->path, strerror(error));
	free(aside->path);
	free(aside->other);
	return keep ? error : 0;
}

bool write_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno != EINTR)
			return false;
		if (n < 0)
			continue;
		at += n;
		size -= (size_t)n;
	}
	return true;
}
