// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "tar.h"

#define BLOCK	512

struct tar {
	gzFile gz;
	time_t time;
	bool failed;
};

/* A file's header, all of it text. */
struct header {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char checksum[8];
	char type;
	char link[100];
	char magic[6];
	char version[2];
	char user[32];
	char group[32];
	char major[8];
	char minor[8];
	char prefix[155];
	char rest[12];
};

_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

struct tar *tar_open(int fd, time_t time)
{
	struct tar *tar = calloc(1, sizeof(*tar));
	int copy = dup(fd);

	if (tar && copy >= 0)
		tar->gz = gzdopen(copy, "wb9");
	if (tar && tar->gz) {
		tar->time = time;
		return tar;
	}
	if (copy >= 0)
		close(copy);
	free(tar);
	return NULL;
}

static void put(struct tar *tar, const void *data, size_t size)
{
	if (size && gzwrite(tar->gz, data, (unsigned int)size) != (int)size)
		tar->failed = true;
}

/* The sum of the header's bytes, with blanks where the sum will be. */
static void put_header(struct tar *tar, struct header *h)
{
	const unsigned char *bytes = (const unsigned char *)h;
	unsigned int i, sum = 0;

	memset(h->checksum, ' ', sizeof(h->checksum));
	for (i = 0; i < sizeof(*h); i++)
		sum += bytes[i];
	snprintf(h->checksum, sizeof(h->checksum), "%06o", sum);
	put(tar, h, sizeof(*h));
}

bool tar_add(struct tar *tar, const char *name, const void *data, size_t size)
{
	static const char zeros[BLOCK];
	struct header h;

	memset(&h, 0, sizeof(h));
	snprintf(h.name, sizeof(h.name), "%s", name);
	memcpy(h.mode, "0000644", 8);
	memcpy(h.uid, "0000000", 8);
	memcpy(h.gid, "0000000", 8);
	snprintf(h.size, sizeof(h.size), "%011llo", (unsigned long long)size);
	snprintf(h.mtime, sizeof(h.mtime), "%011llo",
		 (unsigned long long)tar->time);
	h.type = '0';
	memcpy(h.magic, "ustar", 6);
	memcpy(h.version, "00", 2);
	put_header(tar, &h);
	put(tar, data, size);
	put(tar, zeros, (BLOCK - size % BLOCK) % BLOCK);
	return !tar->failed;
}

bool tar_close(struct tar *tar)
{
	static const char end[2 * BLOCK];
	bool whole;

	put(tar, end, sizeof(end));
	whole = gzclose(tar->gz) == Z_OK && !tar->failed;
	free(tar);
	return whole;
}
