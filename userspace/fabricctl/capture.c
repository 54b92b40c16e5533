// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture.h"

#define OURS	"fabricctl: "
#define MOST	(1 << 20)

void capture_begin(struct capture *capture)
{
	fflush(stderr);
	capture->memory = memfd_create("stderr", MFD_CLOEXEC);
	if (capture->memory < 0)
		return;
	capture->saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (capture->saved < 0 ||
	    dup2(capture->memory, STDERR_FILENO) < 0) {
		if (capture->saved >= 0)
			close(capture->saved);
		close(capture->memory);
		capture->memory = -1;
	}
}

static char *read_all(int fd)
{
	struct stat stat;
	size_t size;
	char *text;

	if (fstat(fd, &stat) || !stat.st_size)
		return NULL;
	size = stat.st_size < MOST ? (size_t)stat.st_size : MOST;
	text = malloc(size + 1);
	if (!text || pread(fd, text, size, 0) != (ssize_t)size) {
		free(text);
		return NULL;
	}
	text[size] = 0;
	return text;
}

char *capture_end(struct capture *capture)
{
	char *text;

	if (capture->memory < 0)
		return NULL;
	fflush(stderr);
	dup2(capture->saved, STDERR_FILENO);
	close(capture->saved);
	text = read_all(capture->memory);
	close(capture->memory);
	capture->memory = -1;
	return text;
}

const char *bare_message(char *text)
{
	size_t length = strlen(text);

	if (length && text[length - 1] == '\n')
		text[length - 1] = 0;
	return strncmp(text, OURS, strlen(OURS)) ? text : text + strlen(OURS);
}
