// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * launch: the verb, and the loop that waits for signals, deaths, lines, time
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch.h"

#define GRACE_NS	(10 * NS_PER_S)	/* from SIGTERM to SIGKILL */
#define PAUSE_LEAST	(NS_PER_S / 10)	/* before a restart, doubled each time */
#define PAUSE_MOST	(5 * NS_PER_S)
#define RAN_WELL_NS	(10 * NS_PER_S)	/* then the pause starts anew */
#define RETRY_NS	(20 * NS_PER_MS)
#define RETRY_FOR_NS	(5 * NS_PER_S)
#define EVENTS		16

static const int forwarded[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };

int launch_watch(int epoll, int fd, uint32_t events, enum source source,
		 unsigned int number)
{
	struct epoll_event event = {
		.events = events,
		.data.u64 = (uint64_t)source << 32 | number,
	};

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

/* ---- ends --------------------------------------------------------------- */

static void signal_all(struct launch *l, int number)
{
	unsigned int i;

	for (i = 0; i < l->nr; i++)
		member_signal(&l->member[i], number);
}

/* Nobody is started again. */
static void start_no_more(struct launch *l)
{
	unsigned int i;

	l->ending = true;
	for (i = 0; i < l->nr; i++)
		if (l->member[i].phase == PHASE_RESTARTING)
			l->member[i].phase = PHASE_DOWN;
}

static void end_all(struct launch *l)
{
	start_no_more(l);
	if (l->terminated)
		return;
	l->terminated = true;
	l->kill_at = now_ns() + GRACE_NS;
	signal_all(l, SIGTERM);
}

static void note_failure(struct launch *l, int status)
{
	if (!l->status)
		l->status = status;
}

static bool is_running(const struct launch *l)
{
	unsigned int i;

	for (i = 0; i < l->nr; i++)
		if (l->member[i].phase != PHASE_DOWN)
			return true;
	return false;
}

/* ---- deaths and restarts ------------------------------------------------ */

static void tell_death(struct launch *l, const struct member *m, int status,
		       const char *then)
{
	if (m->signal)
		launch_say(l, "replica %u (pid %d) was killed by signal %d (%s)%s",
			   m->place.rank, m->pid, m->signal,
			   strsignal(m->signal), then);
	else
		launch_say(l, "replica %u (pid %d) ended with status %d%s",
			   m->place.rank, m->pid, status, then);
}

static void plan_restart(struct launch *l, struct member *m, int status)
{
	int64_t now = now_ns();
	char then[48];

	if (now - m->started >= RAN_WELL_NS || !m->pause)
		m->pause = PAUSE_LEAST;
	else
		m->pause = m->pause * 2 > PAUSE_MOST ? PAUSE_MOST : m->pause * 2;
	m->phase = PHASE_RESTARTING;
	m->due = now + m->pause;
	m->give_up = m->due + RETRY_FOR_NS;
	snprintf(then, sizeof(then), "; starts again in %.1f s",
		 (double)m->pause / NS_PER_S);
	tell_death(l, m, status, then);
}

static void on_death(struct launch *l, struct member *m)
{
	int status = member_reap(l, m);

	if (!status)
		return;
	if (l->restart && !l->ending) {
		plan_restart(l, m, status);
		return;
	}
	tell_death(l, m, status, "");
	note_failure(l, status);
	if (!l->keep_going)
		end_all(l);
}

static void restart_failed(struct launch *l, struct member *m, int status)
{
	m->phase = PHASE_DOWN;
	note_failure(l, status);
	if (!l->keep_going)
		end_all(l);
}

static void tell_not_attached(struct launch *l, const struct member *m)
{
	char holder[64];

	if (m->handle == -EBUSY) {
		name_holder(l->ctl, &l->card, m->place.rank, holder,
			    sizeof(holder));
		launch_say(l, "replica %u cannot start again: it is held by %s",
			   m->place.rank, holder);
	} else {
		launch_say(l, "replica %u cannot start again: %s",
			   m->place.rank, strerror(-m->handle));
	}
}

/* The replica may not be free yet: the card still ends what was in flight. */
static void restart(struct launch *l, struct member *m)
{
	int64_t now = now_ns();
	int status;

	m->handle = attach_handle(l->node, m->place.rank);
	if (m->handle == -EBUSY && now < m->give_up) {
		m->due = now + RETRY_NS;
		return;
	}
	if (m->handle < 0) {
		tell_not_attached(l, m);
		restart_failed(l, m, (int)status_of(-m->handle));
		m->handle = -1;
		return;
	}
	status = member_start(l, m);
	if (status) {
		restart_failed(l, m, status);
		return;
	}
	launch_say(l, "replica %u is started again (pid %d)", m->place.rank,
		   m->pid);
}

/* ---- the loop ----------------------------------------------------------- */

static void on_signals(struct launch *l)
{
	struct signalfd_siginfo info;

	while (read(l->signals, &info, sizeof(info)) == sizeof(info)) {
		int number = (int)info.ssi_signo;

		signal_all(l, number);
		if (number == SIGINT || number == SIGTERM || number == SIGHUP) {
			start_no_more(l);
			/* With nobody left to end, what is left is ours to drop. */
			if (!is_running(l)) {
				l->stdout_sink->length = 0;
				l->stderr_sink->length = 0;
				note_failure(l, ST_SIGNAL + number);
			}
		}
	}
}

/* Streams into a full sink are not looked at, so that it can drain. */
static void poll_stream(struct launch *l, struct stream *stream,
			enum source source, unsigned int number)
{
	bool wanted = stream->fd >= 0 && !sink_is_full(stream->sink);

	if (stream->fd < 0 || wanted == stream->polled)
		return;
	if (wanted)
		launch_watch(l->epoll, stream->fd, EPOLLIN, source, number);
	else
		epoll_ctl(l->epoll, EPOLL_CTL_DEL, stream->fd, NULL);
	stream->polled = wanted;
}

static void poll_streams(struct launch *l)
{
	unsigned int i;

	for (i = 0; i < l->nr; i++) {
		poll_stream(l, &l->member[i].out, SOURCE_OUT, i);
		poll_stream(l, &l->member[i].err, SOURCE_ERR, i);
	}
}

static void on_event(struct launch *l, const struct epoll_event *event)
{
	unsigned int number = (unsigned int)event->data.u64;
	enum source source = (enum source)(event->data.u64 >> 32);
	struct member *m = &l->member[number % OCFABRIC_REPLICAS_MAX];
	struct stream *stream = source == SOURCE_OUT ? &m->out : &m->err;

	switch (source) {
	case SOURCE_SIGNALS:
		on_signals(l);
		break;
	case SOURCE_DEATH:
		if (m->phase == PHASE_RUNNING)
			on_death(l, m);
		break;
	case SOURCE_OUT:
	case SOURCE_ERR:
		if (stream->fd >= 0 && stream_read(stream))
			stream_end(stream);
		break;
	case SOURCE_SINK:
		sink_event(&l->sink[number != 0], event->events);
		break;
	}
}

/* What is due, and when something will be. */
static int64_t on_time(struct launch *l)
{
	int64_t now = now_ns(), next = INT64_MAX;
	unsigned int i;

	if (now >= l->ctl->deadline && !l->timed_out) {
		l->timed_out = true;
		launch_say(l, "the time limit passed");
		l->status = ST_TIMEOUT;
		end_all(l);
	}
	if (l->terminated && now >= l->kill_at) {
		signal_all(l, SIGKILL);
		l->kill_at = INT64_MAX;
	}
	for (i = 0; i < l->nr; i++) {
		struct member *m = &l->member[i];

		if (m->phase == PHASE_RESTARTING && now >= m->due)
			restart(l, m);
		if (m->phase == PHASE_RESTARTING && m->due < next)
			next = m->due;
	}
	if (l->terminated && l->kill_at < next)
		next = l->kill_at;
	if (!l->timed_out && l->ctl->deadline < next)
		next = l->ctl->deadline;
	return next;
}

static void check_sinks(struct launch *l)
{
	if (!l->stdout_sink->broken && !l->stderr_sink->broken)
		return;
	note_failure(l, ST_REFUSED);
	end_all(l);
}

/*
 * Nobody runs, and their lines are out. A reader that takes none of them has as
 * long as a program that does not end, once the time limit has passed.
 */
static bool is_over(const struct launch *l)
{
	bool written = !l->stdout_sink->length && !l->stderr_sink->length;

	return !is_running(l) &&
	       (written || (l->timed_out && l->kill_at == INT64_MAX));
}

static void loop(struct launch *l)
{
	struct epoll_event events[EVENTS];
	int64_t next;
	int i, n;

	for (;;) {
		next = on_time(l);
		check_sinks(l);
		poll_streams(l);
		if (is_over(l))
			return;
		n = epoll_wait(l->epoll, events, EVENTS, poll_ms(next, 60000));
		for (i = 0; i < n; i++)
			on_event(l, &events[i]);
	}
}

/* ---- the start ---------------------------------------------------------- */

static int take_n(const struct fab_attrs *attrs, void *arg)
{
	unsigned int *n = arg;

	*n = (unsigned int)fab_number(attrs, OCFABRIC_A_CONFIG_REPLICAS);
	return 0;
}

static int check_card(struct launch *l)
{
	unsigned int n = 0;
	int error = fab_get(l->ctl, OCFABRIC_CMD_CONFIG_GET, l->card.id, take_n, &n);

	if (error)
		return error;
	if (l->nr > l->card.max_replicas)
		return fail(ST_ABSENT, "%s has %u replicas, not %u", l->card.name,
			    l->card.max_replicas, l->nr);
	if (l->nr > n)
		fail(0, "warning: %s is configured for %u replicas: those from %u on cannot send (fabricctl set replicas)",
		     l->card.name, n, n);
	return 0;
}

/*
 * All of them, before any program runs: whoever is started finds its peers, and
 * what the job before left in regions and semaphores nobody finds. A replica that
 * starts again keeps both: its peers count on them.
 */
static int attach_all(struct launch *l)
{
	unsigned int i;
	int error;

	for (i = 0; i < l->nr; i++) {
		struct member *m = &l->member[i];

		m->handle = attach_cleared(l->node, i);
		if (m->handle >= 0)
			continue;
		error = -m->handle;
		m->handle = -1;
		return attach_failed(l->ctl, &l->card, i, error, "");
	}
	return 0;
}

static void name_places(struct launch *l)
{
	const struct args *args = &l->ctl->args;
	unsigned int i;

	for (i = 0; i < l->nr; i++) {
		struct place *place = &l->member[i].place;

		*place = (struct place){ .rank = i, .size = l->nr, .local_rank = i };
		if (args->given[P_JOB])
			snprintf(place->job, sizeof(place->job), "%s", args->text);
		else
			snprintf(place->job, sizeof(place->job), "launch-%d",
				 getpid());
	}
}

/* Lines of both go one after the other where both are the same file. */
static void open_sinks(struct launch *l)
{
	struct stat a, b;

	l->stdout_sink = &l->sink[0];
	l->stderr_sink = &l->sink[1];
	sink_init(&l->sink[1], STDERR_FILENO, l->epoll, 1);
	if (!fstat(STDOUT_FILENO, &a) && !fstat(STDERR_FILENO, &b) &&
	    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		l->stdout_sink = l->stderr_sink;
	else
		sink_init(&l->sink[0], STDOUT_FILENO, l->epoll, 0);
}

static int open_loop(struct launch *l)
{
	sigset_t mask;
	unsigned int i;

	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll < 0)
		return fail(ST_REFUSED, "epoll: %s", strerror(errno));
	sigemptyset(&mask);
	for (i = 0; i < ARRAY_SIZE(forwarded); i++)
		sigaddset(&mask, forwarded[i]);
	sigprocmask(SIG_BLOCK, &mask, &l->old_mask);
	signal(SIGPIPE, SIG_IGN);
	/* Who starts us may ignore it: the programs would leave no status. */
	signal(SIGCHLD, SIG_DFL);
	l->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->signals < 0 ||
	    launch_watch(l->epoll, l->signals, EPOLLIN, SOURCE_SIGNALS, 0))
		return fail(ST_REFUSED, "signalfd: %s", strerror(errno));
	open_sinks(l);
	return 0;
}

static void start_all(struct launch *l)
{
	unsigned int i;
	int status = 0;

	for (i = 0; i < l->nr && !status; i++)
		status = member_start(l, &l->member[i]);
	if (!status)
		return;
	note_failure(l, status);
	end_all(l);
}

static void close_all(struct launch *l)
{
	unsigned int i;

	for (i = 0; i < l->nr; i++)
		if (l->member[i].handle >= 0)
			close(l->member[i].handle);
	sink_free(&l->sink[0]);
	sink_free(&l->sink[1]);
	if (l->node >= 0)
		close(l->node);
	if (l->signals >= 0)
		close(l->signals);
	if (l->epoll >= 0)
		close(l->epoll);
}

static int start(struct launch *l)
{
	int error = check_card(l);

	if (error)
		return error;
	l->node = open_node(&l->card, &error);
	if (l->node < 0)
		return error;
	error = attach_all(l);
	if (error)
		return error;
	warn_of_memlock();
	return open_loop(l);
}

int run_launch(struct ctl *ctl)
{
	struct launch *l = calloc(1, sizeof(*l));
	unsigned int i;
	int error;

	if (!l)
		return fail(ST_REFUSED, "no memory for a job");
	l->ctl = ctl;
	l->card = ctl->cards[0];
	l->node = -1;
	l->epoll = -1;
	l->signals = -1;
	l->nr = (unsigned int)ctl->args.value[P_COUNT];
	l->restart = ctl->args.given[P_RESTART];
	l->keep_going = ctl->args.given[P_KEEP_GOING];
	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++) {
		l->member[i].handle = -1;
		l->member[i].out.fd = -1;
		l->member[i].err.fd = -1;
	}
	name_places(l);
	error = start(l);
	if (!error) {
		start_all(l);
		loop(l);
		error = l->status;
	}
	close_all(l);
	free(l);
	return error;
}
