// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lines of the kernel's log that name the driver or the card
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "dump.h"

#define RECORD	8192	/* more than the kernel has in one */

static bool is_about(const struct ctl *ctl, const char *record)
{
	unsigned int i;

	if (strstr(record, "ocfabric"))
		return true;
	for (i = 0; i < ctl->nr_cards; i++)
		if (ctl->cards[i].pci[0] && strstr(record, ctl->cards[i].pci))
			return true;
	return false;
}

/* Addresses in the kernel: 16 digits that begin with ffff. */
static void hide_pointers(char *text)
{
	while (*text) {
		size_t n = strspn(text, "0123456789abcdefABCDEF");

		if (n >= 16 && !strncasecmp(text + n - 16, "ffff", 4))
			memset(text + n - 16, '*', 16);
		text += n ? n : 1;
	}
}

/* "level,sequence,microseconds,...;text\n KEY=value..." */
static void put_record(FILE *out, char *record)
{
	unsigned int level;
	uint64_t us;
	char *text = strchr(record, ';');

	if (!text || sscanf(record, "%u,%*[^,],%" SCNu64, &level, &us) != 2)
		return;
	text++;
	text[strcspn(text, "\n")] = 0;
	hide_pointers(text);
	fprintf(out, "[%5" PRIu64 ".%06" PRIu64 "] <%u> %s\n", us / 1000000,
		us % 1000000, level & 7, text);
}

static int add_log(struct dump *dump, const void *arg)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char *record = malloc(RECORD);
	ssize_t n = 0;
	int error = 0;

	(void)arg;
	if (fd < 0 || !record)
		error = fail(ST_REFUSED, "/dev/kmsg: %s%s", strerror(errno),
			     errno == EPERM || errno == EACCES ?
			     " (needs CAP_SYSLOG)" : "");
	while (!error && record) {
		n = read(fd, record, RECORD - 1);
		/* What was overwritten meanwhile is gone; the next is not. */
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n <= 0)
			break;
		record[n] = 0;
		if (is_about(dump->ctl, record))
			put_record(dump->text, record);
	}
	if (!error && n < 0 && errno != EAGAIN)
		error = fail(ST_REFUSED, "/dev/kmsg: %s%s", strerror(errno),
			     errno == EPERM ? " (needs CAP_SYSLOG)" : "");
	free(record);
	if (fd >= 0)
		close(fd);
	return error;
}

void dump_kernel_log(struct dump *dump)
{
	dump_part(dump, "kernel-log", add_log, NULL);
}
