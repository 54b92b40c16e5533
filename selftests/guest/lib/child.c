// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "util.h"

pid_t child_start(int (*fn)(void *), void *arg)
{
	pid_t parent = getpid(), pid;

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid < 0 ? -errno : pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(125);
	_exit(fn(arg));
}

static int status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int child_end(pid_t pid, unsigned int ms)
{
	int status;

	if (WAIT_FOR(waitpid(pid, &status, WNOHANG) == pid, patience(ms)))
		return status_of(status);
	child_kill(pid);
	return -ETIMEDOUT;
}

int child_kill(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	return waitpid(pid, &status, 0) == pid ? status_of(status) : -errno;
}

int become_other(bool in_group)
{
	const gid_t groups[] = { CARD_GID };

	/* changing the uid clears the death signal that child_start() set */
	if (setgroups(in_group ? 1 : 0, groups) || setresgid(OTHER_GID, OTHER_GID, OTHER_GID) ||
	    setresuid(OTHER_UID, OTHER_UID, OTHER_UID) || prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	return 0;
}

int other_begin(void)
{
	const gid_t groups[] = { CARD_GID };

	return setgroups(1, groups) || setegid(OTHER_GID) || seteuid(OTHER_UID) ? -errno : 0;
}

int other_end(void)
{
	return seteuid(0) || setegid(0) || setgroups(0, NULL) ||
	       prctl(PR_SET_PDEATHSIG, SIGKILL) ? -errno : 0;
}

static int run_as_other(void *arg)
{
	int (*const *fn)(int node) = arg;
	int node;

	if (become_other(true))
		return 100;
	node = node_open(O_RDWR);
	return node < 0 ? 101 : (*fn)(node);
}

int as_other(int (*fn)(int node))
{
	struct node_owner old;
	int ret;

	if (node_lend(&old))
		return 102;
	ret = child_end(child_start(run_as_other, &fn), 5000);
	node_return(&old);
	return ret;
}

int socket_pair(int sv[2])
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) ? -errno : 0;
}

int send_fd(int socket, int fd)
{
	char byte = 'f', control[CMSG_SPACE(sizeof(int))] = {};
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
			    .msg_control = control, .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(socket, &m, 0) == 1 ? 0 : -errno;
}

int receive_fd(int socket)
{
	char byte, control[CMSG_SPACE(sizeof(int))] = {};
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
			    .msg_control = control, .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	int fd;

	if (recvmsg(socket, &m, MSG_CMSG_CLOEXEC) != 1)
		return -EPIPE;
	c = CMSG_FIRSTHDR(&m);
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return -ENOENT;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

int say(int socket)
{
	return write(socket, "s", 1) == 1 ? 0 : -errno;
}

int hear(int socket, unsigned int ms)
{
	struct pollfd p = { .fd = socket, .events = POLLIN };
	char byte;

	if (poll(&p, 1, patience(ms)) != 1)
		return -ETIMEDOUT;
	return read(socket, &byte, 1) == 1 ? 0 : -EPIPE;
}

int node_lend(struct node_owner *old)
{
	struct stat st;

	if (stat(node_path(), &st))
		return -errno;
	*old = (struct node_owner){ st.st_uid, st.st_gid, st.st_mode & 07777 };
	if (chown(node_path(), 0, CARD_GID) || chmod(node_path(), 0660))
		return -errno;
	return 0;
}

void node_return(const struct node_owner *old)
{
	if (chown(node_path(), old->uid, old->gid) || chmod(node_path(), old->mode))
		printf("# cannot give %s back\n", node_path());
}

static sigjmp_buf touched;

static void on_fault(int signal)
{
	siglongjmp(touched, signal);
}

static int touch(volatile void *p, bool write)
{
	struct sigaction catch = { .sa_handler = on_fault }, bus, segv;
	volatile uint32_t *word = p;
	int signal;

	sigaction(SIGBUS, &catch, &bus);
	sigaction(SIGSEGV, &catch, &segv);
	signal = sigsetjmp(touched, 1);
	if (!signal && write)
		*word = 0;
	else if (!signal)
		(void)*word;
	sigaction(SIGBUS, &bus, NULL);
	sigaction(SIGSEGV, &segv, NULL);
	return signal;
}

int touch_read(const volatile void *p)
{
	return touch((volatile void *)p, false);
}

int touch_write(volatile void *p)
{
	return touch(p, true);
}

int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int read_line(const char *path, char *text, unsigned int size)
{
	FILE *f = fopen(path, "re");

	if (!f)
		return -errno;
	if (!fgets(text, size, f))
		text[0] = 0;
	fclose(f);
	text[strcspn(text, "\n")] = 0;
	return 0;
}
