/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A .tar.gz of texts: POSIX ustar, by zlib
 */
#ifndef FABRICCTL_TAR_H
#define FABRICCTL_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct tar;

/* Writes to @fd, which stays the caller's; NULL: no memory. */
struct tar *tar_open(int fd, time_t time);
/* False: it cannot be written. @name has 99 characters at most. */
bool tar_add(struct tar *tar, const char *name, const void *data, size_t size);
/* False: some of it could not be written. */
bool tar_close(struct tar *tar);

#endif
