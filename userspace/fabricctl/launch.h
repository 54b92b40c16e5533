/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * launch: run N replicas on this host
 *
 * launch.c	   the verb, and the loop that waits for everything
 * launch_child.c  starting a program, and its death
 * launch_output.c its lines, with a prefix, to our stdout and stderr
 *
 * One thread, one epoll. A replica's program leads a process group of its own,
 * which gets the signals that we get, and which is killed as a whole when the
 * program has died: what it left behind would hold on to the replica's handle.
 * Programs die with us, by PR_SET_PDEATHSIG.
 */
#ifndef FABRICCTL_LAUNCH_H
#define FABRICCTL_LAUNCH_H

#include <linux/ocfabric.h>
#include <signal.h>
#include <sys/types.h>

#include "nl.h"
#include "place.h"

/* ---- output ------------------------------------------------------------- */

/* Where lines go: a descriptor of ours, and what it has not taken yet. */
struct sink {
	int fd;
	int epoll;
	char *buf;
	size_t head;
	size_t length;
	size_t room;
	bool waits;		/* in the epoll, until there is room to write */
	bool is_file;		/* that never makes one wait */
	bool broken;
};

/* Where lines come from: a pipe, and the line that is not whole yet. */
struct stream {
	int fd;			/* -1: closed */
	struct sink *sink;
	bool polled;
	char *line;
	size_t used;
	size_t room;
	char prefix[16];
};

/* ---- replicas ----------------------------------------------------------- */

enum phase {
	PHASE_DOWN,		/* over, or never started */
	PHASE_RUNNING,
	PHASE_RESTARTING,	/* at `due` */
};

struct member {
	struct place place;
	enum phase phase;
	pid_t pid;
	int signal;		/* that it died of; 0: none */
	int pidfd;
	int handle;		/* until the program has it; -1: none */
	int64_t started;
	int64_t due;
	int64_t give_up;	/* on a replica that somebody else has */
	int64_t pause;		/* before the next start */
	struct stream out;
	struct stream err;
};

struct launch {
	struct ctl *ctl;
	struct card card;
	int node;
	int epoll;
	int signals;		/* signalfd */
	sigset_t old_mask;
	unsigned int nr;
	bool restart;
	bool keep_going;
	bool ending;		/* nobody is started any more */
	bool terminated;	/* SIGTERM was sent, SIGKILL is due */
	bool timed_out;
	int64_t kill_at;
	int status;		/* of the first that failed */
	struct sink sink[2];
	struct sink *stdout_sink;
	struct sink *stderr_sink;	/* may be the same */
	struct member member[OCFABRIC_REPLICAS_MAX];
};

/* What an event of the epoll is about. */
enum source {
	SOURCE_SIGNALS,
	SOURCE_DEATH,		/* and the member's number, as for the next two */
	SOURCE_OUT,
	SOURCE_ERR,
	SOURCE_SINK,
};

int launch_watch(int epoll, int fd, uint32_t events, enum source source,
		 unsigned int number);

/* ---- launch_output.c ---------------------------------------------------- */

void sink_init(struct sink *sink, int fd, int epoll, unsigned int number);
/* Writes as much as it takes without waiting. */
void sink_flush(struct sink *sink);
void sink_event(struct sink *sink, uint32_t events);
bool sink_is_full(const struct sink *sink);
void sink_free(struct sink *sink);

void stream_open(struct stream *stream, int fd, struct sink *sink,
		 unsigned int rank);
/* Reads what there is; true when the other side is closed. */
bool stream_read(struct stream *stream);
/* Reads what is left, ends the last line, closes. */
void stream_end(struct stream *stream);

/* A line of our own, between those of the replicas. */
void launch_say(struct launch *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- launch_child.c ----------------------------------------------------- */

/* Runs the program; 0, or the exit status when it cannot be run. */
int member_start(struct launch *l, struct member *m);
void member_signal(const struct member *m, int number);
/*
 * It has died: reaps it and what it left behind. Its status, or 128 + the
 * signal, which is in m->signal too.
 */
int member_reap(struct launch *l, struct member *m);

#endif
