// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * exec: become a program that is a replica
 *
 * In place, without a fork, so that a launcher's process keeps its pid, its
 * descriptors, its signals and its exit status.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nl.h"
#include "place.h"

#define LISTEN_START	3	/* where passed descriptors begin */
#define LISTEN_MOST	1000

int prepare_exec(struct ctl *ctl)
{
	static struct place place;
	int error = place_resolve(ctl, &place);

	ctl->prepared = &place;
	return error;
}

/* Descriptors that were passed to this very process (sd_listen_fds(3)). */
static unsigned int passed_fds(void)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	uint64_t owner, nr;

	if (!pid || !fds || !parse_number(pid, &owner) ||
	    owner != (uint64_t)getpid() || !parse_number(fds, &nr) ||
	    nr > LISTEN_MOST)
		return 0;
	return (unsigned int)nr;
}

/* The names of those; NULL: there are none, or not as many. */
static const char *passed_names(unsigned int nr)
{
	const char *names = getenv("LISTEN_FDNAMES"), *c;
	unsigned int count = 1;

	for (c = names; c && *c; c++)
		count += *c == ':';
	return count == nr ? names : NULL;
}

/* With the handle's added, so that it is the last; NULL: no memory. */
static char *names_with_ours(unsigned int nr)
{
	const char *old = passed_names(nr);
	size_t room = (old ? strlen(old) : 0) + nr * sizeof("unknown:") +
		      sizeof("ocfabric");
	char *names = calloc(1, room);
	unsigned int i;

	if (!names)
		return NULL;
	if (old)
		snprintf(names, room, "%s:", old);
	for (i = 0; i < nr && !old; i++)
		strcat(names, "unknown:");
	return strcat(names, "ocfabric");
}

/*
 * Passed descriptors have numbers from 3 on without a gap. When the next one is
 * taken, by what a launcher left open, the handle gets another number and is
 * known by OCF_FD alone.
 */
static int place_handle(int handle, unsigned int before, bool *listed)
{
	int next = LISTEN_START + (int)before;

	if (handle == next) {
		*listed = true;
		return fcntl(handle, F_SETFD, 0) ? -1 : handle;
	}
	*listed = fcntl(next, F_GETFD) < 0 && errno == EBADF;
	if (*listed)
		return dup2(handle, next);
	return fcntl(handle, F_DUPFD, LISTEN_START);
}

static int become(struct ctl *ctl, const struct card *card,
		  const struct place *place, int handle)
{
	char **words = ctl->args.words, *names;
	unsigned int before = passed_fds();
	bool listed;
	int fd, error;

	fd = place_handle(handle, before, &listed);
	names = names_with_ours(before);
	if (fd < 0 || !names) {
		free(names);
		return fail(ST_REFUSED, "a descriptor for the program: %s",
			    strerror(errno));
	}
	place_export(place, card, fd, listed ? before + 1 : 0, names);
	free(names);
	if (!listed && !before) {
		unsetenv("LISTEN_FDS");
		unsetenv("LISTEN_PID");
		unsetenv("LISTEN_FDNAMES");
	}
	execvp(words[0], words);
	error = errno;
	return fail(exec_status(error), "%s: %s", words[0], strerror(error));
}

static int take_n(const struct fab_attrs *attrs, void *arg)
{
	unsigned int *n = arg;

	*n = (unsigned int)fab_number(attrs, OCFABRIC_A_CONFIG_REPLICAS);
	return 0;
}

int run_exec(struct ctl *ctl)
{
	struct place *place = ctl->prepared;
	struct card card = ctl->cards[0];
	int error = 0, node, handle;

	if (place->rank >= card.max_replicas)
		return fail(ST_ABSENT, "%s has no replica %u (%s): there are %u",
			    card.name, place->rank, place->source,
			    card.max_replicas);
	if (!place->size)
		error = fab_get(ctl, OCFABRIC_CMD_CONFIG_GET, card.id, take_n,
				&place->size);
	if (error)
		return error;
	node = open_node(&card, &error);
	if (node < 0)
		return error;
	handle = attach_handle(node, place->rank);
	close(node);
	if (handle < 0)
		return attach_failed(ctl, &card, place->rank, -handle, "");
	/* Before the handle gets its number: a socket of ours may have it. */
	fab_close(ctl);
	warn_of_memlock();
	error = become(ctl, &card, place, handle);
	close(handle);
	return error;
}
