/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program's place in a job, and how it is told
 */
#ifndef FABRICCTL_PLACE_H
#define FABRICCTL_PLACE_H

#include <sys/types.h>

#include "ctl.h"

struct place {
	unsigned int rank;	/* the replica */
	unsigned int size;	/* replicas in the job; 0: nobody said */
	unsigned int local_rank;
	char job[128];
	const char *source;	/* what said so: a variable's name, "--rank" */
	const char *bad;	/* a variable that is no number; or NULL */
};

/* place.c: exit statuses, with the message printed */

/* From the arguments (P_RANK, P_SIZE, P_JOB) and the environment. */
int place_resolve(const struct ctl *ctl, struct place *place);

/* handle.c */

/* Opens a card's node for attaching; -1 with the message printed, *@status set. */
int open_node(const struct card *card, int *status);

/*
 * Why attaching failed, @error being the errno: prints a sentence, with the
 * holder's name if there is one, and returns an exit status. @hint is what to
 * do about a holder, or empty.
 */
int attach_failed(struct ctl *ctl, const struct card *card,
		  unsigned int replica, int error, const char *hint);

/* "python3 (pid 77)", "somebody" */
void name_holder(struct ctl *ctl, const struct card *card,
		 unsigned int replica, char *buf, size_t size);

/* Attaches; the handle, or -errno. It is closed on exec. */
int attach_handle(int node, unsigned int replica);

/* The same with a zeroed region and zeroed semaphores. */
int attach_cleared(int node, unsigned int replica);

/* Says so when RLIMIT_MEMLOCK is so small that memory keys will be refused. */
void warn_of_memlock(void);

/*
 * What a program of this place finds in its environment. @fds: descriptors
 * passed from 3 on, the handle's being the last, with @names; 0: LISTEN_* are
 * left as they are.
 */
void place_export(const struct place *place, const struct card *card, int fd,
		  unsigned int fds, const char *names);

/* The exit status of a shell for an exec that failed. */
int exec_status(int error);

#endif
