// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Handles for programs: attaching, and the environment that says what it is
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "nl.h"
#include "place.h"

/* What kernels give by default; less was taken away by somebody. */
#define MEMLOCK_ENOUGH	(8u << 20)

/* ---- the node ----------------------------------------------------------- */

int open_node(const struct card *card, int *status)
{
	char path[64];
	int node;

	snprintf(path, sizeof(path), "/dev/%s", card->name);
	node = open(path, O_RDWR | O_CLOEXEC);
	if (node >= 0)
		return node;
	if (errno == EACCES)
		*status = fail(ST_DENIED, "%s: %s (members of group ocfabric may open it)",
			       path, strerror(errno));
	else if (errno == EPERM)
		*status = fail(ST_DENIED, "%s: %s (kept from this task by its device cgroup)",
			       path, strerror(errno));
	else
		*status = fail(status_of(errno), "%s: %s%s", path, strerror(errno),
			       errno == ENOENT ? " (the card is there; is the node, in this container?)" : "");
	return -1;
}

static const char *memlock_text(char *buf, size_t size)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_MEMLOCK, &limit);
	snprintf(buf, size, "ulimit -l says %llu KiB",
		 (unsigned long long)limit.rlim_cur / 1024);
	return buf;
}

/* ---- attaching ---------------------------------------------------------- */

struct holder {
	unsigned int replica;
	char *buf;
	size_t size;
};

static int take_holder(const struct fab_attrs *attrs, void *arg)
{
	struct holder *holder = arg;
	char comm[32];

	if (fab_number(attrs, OCFABRIC_A_REPLICA_REPLICA) != holder->replica ||
	    !fab_number(attrs, OCFABRIC_A_REPLICA_ATTACHED))
		return 0;
	fab_string(attrs, OCFABRIC_A_REPLICA_COMM, comm, sizeof(comm));
	snprintf(holder->buf, holder->size, "%.24s (pid %" PRIu64 ")", comm,
		 fab_number(attrs, OCFABRIC_A_REPLICA_PID));
	return 0;
}

void name_holder(struct ctl *ctl, const struct card *card,
		 unsigned int replica, char *buf, size_t size)
{
	struct holder holder = { .replica = replica, .buf = buf, .size = size };

	snprintf(buf, size, "somebody");
	fab_dump(ctl, OCFABRIC_CMD_REPLICA_GET, card->id, take_holder, &holder);
}

int attach_failed(struct ctl *ctl, const struct card *card,
		  unsigned int replica, int error, const char *hint)
{
	char holder[64];

	if (error == EBUSY) {
		name_holder(ctl, card, replica, holder, sizeof(holder));
		return fail(ST_REFUSED, "%s: replica %u is held by %s%s",
			    card->name, replica, holder, hint);
	}
	if (error == ENOENT)
		return fail(ST_ABSENT, "%s has no replica %u", card->name, replica);
	if (error == ENODEV)
		return fail(ST_ABSENT, "%s is gone or was reset", card->name);
	if (error == EPERM)
		return fail(ST_DENIED, "%s: the rings of replica %u need more memory than may be pinned: %s",
			    card->name, replica, memlock_text(holder, sizeof(holder)));
	return fail(status_of(error), "%s: attaching to replica %u: %s",
		    card->name, replica, strerror(error));
}

static int attach_as(int node, unsigned int replica, uint32_t flags)
{
	struct ocfabric_attach attach = {
		.size = sizeof(attach), .flags = flags, .replica = replica,
		.out_fd = -1,
	};

	while (ioctl(node, OCFABRIC_ATTACH, &attach))
		if (errno != EINTR)
			return -errno;
	return attach.out_fd;
}

int attach_handle(int node, unsigned int replica)
{
	return attach_as(node, replica, 0);
}

int attach_cleared(int node, unsigned int replica)
{
	return attach_as(node, replica, OCFABRIC_ATTACH_CLEAR);
}

/* ---- what the program will be short of ---------------------------------- */

static bool may_lock_any(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capget, &header, data) &&
	       data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective &
	       CAP_TO_MASK(CAP_IPC_LOCK);
}

void warn_of_memlock(void)
{
	struct rlimit limit;
	char text[64];

	if (getrlimit(RLIMIT_MEMLOCK, &limit) ||
	    limit.rlim_cur == RLIM_INFINITY ||
	    limit.rlim_cur >= MEMLOCK_ENOUGH || may_lock_any())
		return;
	fail(0, "warning: little memory may be pinned (%s): rings and memory keys may be refused",
	     memlock_text(text, sizeof(text)));
}

/* ---- what the program is told ------------------------------------------- */

static void export_number(const char *name, unsigned long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu", value);
	setenv(name, text, 1);
}

void place_export(const struct place *place, const struct card *card, int fd,
		  unsigned int fds, const char *names)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/%s", card->name);
	setenv("OCF_DEVICE", path, 1);
	setenv("OCF_JOB", place->job, 1);
	export_number("OCF_FD", (unsigned long)fd);
	export_number("OCF_RANK", place->rank);
	export_number("OCF_SIZE", place->size);
	export_number("OCF_LOCAL_RANK", place->local_rank);
	if (!fds)
		return;
	export_number("LISTEN_FDS", fds);
	export_number("LISTEN_PID", (unsigned long)getpid());
	setenv("LISTEN_FDNAMES", names, 1);
}

int exec_status(int error)
{
	return error == ENOENT || error == ENOTDIR ? ST_NOT_FOUND : ST_NOT_RUN;
}
