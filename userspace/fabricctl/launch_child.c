// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A replica's program: its start, its signals, its death
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch.h"

#define HANDLE_FD	3	/* where passed descriptors begin */
#define ABOVE		10	/* out of the way of what is put in its place */

/* The pipes between us and a program; ours is the first of each. */
struct pipes {
	int out[2];
	int err[2];
	int fault[2];		/* says the errno of an exec that failed */
};

static void close_pair(int pair[2])
{
	if (pair[0] >= 0)
		close(pair[0]);
	if (pair[1] >= 0)
		close(pair[1]);
	pair[0] = -1;
	pair[1] = -1;
}

static void close_pipes(struct pipes *p)
{
	close_pair(p->out);
	close_pair(p->err);
	close_pair(p->fault);
}

static bool open_pipes(struct pipes *p)
{
	*p = (struct pipes){ { -1, -1 }, { -1, -1 }, { -1, -1 } };
	return !pipe2(p->out, O_CLOEXEC) && !pipe2(p->err, O_CLOEXEC) &&
	       !pipe2(p->fault, O_CLOEXEC) &&
	       !fcntl(p->out[0], F_SETFL, O_NONBLOCK) &&
	       !fcntl(p->err[0], F_SETFL, O_NONBLOCK);
}

/* ---- in the child ------------------------------------------------------- */

/* 0, 1, 2 and the handle, and nothing else that is not closed by exec. */
static bool place_fds(const struct pipes *p, int handle, int *fault)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int out = fcntl(p->out[1], F_DUPFD_CLOEXEC, ABOVE);
	int err = fcntl(p->err[1], F_DUPFD_CLOEXEC, ABOVE);

	*fault = fcntl(p->fault[1], F_DUPFD_CLOEXEC, ABOVE);
	handle = fcntl(handle, F_DUPFD_CLOEXEC, ABOVE);
	return null >= 0 && out >= 0 && err >= 0 && *fault >= 0 && handle >= 0 &&
	       dup2(null, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	       dup2(err, STDERR_FILENO) >= 0 && dup2(handle, HANDLE_FD) >= 0 &&
	       !close_range(HANDLE_FD + 1, ~0u, CLOSE_RANGE_CLOEXEC);
}

static _Noreturn void child(const struct launch *l, const struct member *m,
			    const struct pipes *p, pid_t parent)
{
	char **words = l->ctl->args.words;
	int fault = p->fault[1], error;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(ST_NOT_RUN);
	if (place_fds(p, m->handle, &fault)) {
		place_export(&m->place, &l->card, HANDLE_FD, 1, "ocfabric");
		signal(SIGPIPE, SIG_DFL);
		sigprocmask(SIG_SETMASK, &l->old_mask, NULL);
		execvp(words[0], words);
	}
	error = errno;
	while (write(fault, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(exec_status(error));
}

/* ---- in the parent ------------------------------------------------------ */

/* The errno of an exec that failed; 0: the program runs. */
static int read_fault(int fd)
{
	int error = 0;
	ssize_t n;

	do {
		n = read(fd, &error, sizeof(error));
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(error) ? error : 0;
}

/* Puts the member back to where it was before; an exit status. */
static int not_started(struct launch *l, struct member *m, struct pipes *p,
		       const char *what, int error)
{
	close_pipes(p);
	if (m->handle >= 0)
		close(m->handle);
	m->handle = -1;
	m->phase = PHASE_DOWN;
	launch_say(l, "replica %u: %s: %s", m->place.rank, what, strerror(error));
	return ST_REFUSED;
}

/* Its end of the pipes, and the word of its death. */
static bool watch(struct launch *l, const struct member *m,
		  const struct pipes *p)
{
	unsigned int rank = m->place.rank;

	return !launch_watch(l->epoll, m->pidfd, EPOLLIN, SOURCE_DEATH, rank) &&
	       !launch_watch(l->epoll, p->out[0], EPOLLIN, SOURCE_OUT, rank) &&
	       !launch_watch(l->epoll, p->err[0], EPOLLIN, SOURCE_ERR, rank);
}

static bool follow(struct launch *l, struct member *m, struct pipes *p)
{
	unsigned int rank = m->place.rank;
	int error;

	m->pidfd = pidfd_open(m->pid, 0);
	if (m->pidfd < 0)
		return false;
	if (!watch(l, m, p)) {
		error = errno;
		close(m->pidfd);
		m->pidfd = -1;
		errno = error;
		return false;
	}
	stream_open(&m->out, p->out[0], l->stdout_sink, rank);
	stream_open(&m->err, p->err[0], l->stderr_sink, rank);
	m->out.polled = true;
	m->err.polled = true;
	p->out[0] = -1;
	p->err[0] = -1;
	return true;
}

int member_start(struct launch *l, struct member *m)
{
	pid_t parent = getpid();
	struct pipes p;
	int error;

	if (!open_pipes(&p))
		return not_started(l, m, &p, "a pipe", errno);
	m->pid = fork();
	if (m->pid < 0)
		return not_started(l, m, &p, "fork", errno);
	if (!m->pid)
		child(l, m, &p, parent);
	/* Also done by the child: whoever is first. */
	setpgid(m->pid, m->pid);
	close(m->handle);
	m->handle = -1;
	close(p.fault[1]);
	p.fault[1] = -1;
	error = read_fault(p.fault[0]);
	if (error || !follow(l, m, &p)) {
		int status = error ? exec_status(error) : ST_REFUSED;

		if (!error)
			error = errno;
		kill(m->pid, SIGKILL);
		waitpid(m->pid, NULL, 0);
		not_started(l, m, &p, l->ctl->args.words[0], error);
		return status;
	}
	close_pipes(&p);
	m->phase = PHASE_RUNNING;
	m->started = now_ns();
	return 0;
}

void member_signal(const struct member *m, int number)
{
	if (m->phase == PHASE_RUNNING)
		kill(-m->pid, number);
}

int member_reap(struct launch *l, struct member *m)
{
	siginfo_t info = { 0 };

	/* As long as it is a zombie its group has its number. */
	kill(-m->pid, SIGKILL);
	while (waitid(P_PID, (id_t)m->pid, &info, WEXITED) && errno == EINTR)
		;
	epoll_ctl(l->epoll, EPOLL_CTL_DEL, m->pidfd, NULL);
	close(m->pidfd);
	m->pidfd = -1;
	m->phase = PHASE_DOWN;
	stream_end(&m->out);
	stream_end(&m->err);
	m->signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
	return m->signal ? ST_SIGNAL + m->signal : info.si_status;
}
