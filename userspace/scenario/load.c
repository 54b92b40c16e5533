// SPDX-License-Identifier: LGPL-2.1-or-later
/* A whole file, or all of standard input, into memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenario.h"

struct text {
	char *s;
	size_t n;
	size_t room;
};

static bool make_room(struct text *t)
{
	size_t room = t->room ? t->room * 2 : 65536;
	char *s;

	if (t->n < t->room)
		return true;
	s = realloc(t->s, room);
	if (!s)
		return false;
	t->s = s;
	t->room = room;
	return true;
}

static bool read_all(int fd, struct text *t)
{
	ssize_t got;

	do {
		if (!make_room(t))
			return false;
		got = read(fd, t->s + t->n, t->room - t->n);
		if (got > 0)
			t->n += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got == 0;
}

bool ocf_scn_load(struct ocf_scn *scn, const char *path, char *err,
		  size_t err_size)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct text text = { NULL, 0, 0 };
	bool good;

	if (fd < 0 || !read_all(fd, &text)) {
		snprintf(err, err_size, "%s: %s", path, strerror(errno));
		good = false;
	} else {
		good = ocf_scn_parse(scn, is_stdin ? "stdin" : path, text.s,
				     text.n, err, err_size);
	}
	if (fd >= 0 && !is_stdin)
		close(fd);
	free(text.s);
	return good;
}
