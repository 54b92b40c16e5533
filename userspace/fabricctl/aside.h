/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that nobody sees half of: written under another name beside, then renamed
 */
#ifndef FABRICCTL_ASIDE_H
#define FABRICCTL_ASIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct aside {
	char *path;
	char *other;	/* what it is called until it is whole */
	int fd;
};

/*
 * 0, or an exit status with its message printed. Nothing but a regular file is
 * replaced.
 */
int aside_open(struct aside *aside, const char *path, mode_t mode);
/* Makes it the file, or on an error or if @keep is false leaves nothing. */
int aside_close(struct aside *aside, bool keep);

/* All of it; false with errno. */
bool write_all(int fd, const void *data, size_t size);

#endif
