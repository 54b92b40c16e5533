// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The parent of the replicas' processes: starts them together, sets how far they
 * go, changes windows for T7, and notices who dies or hangs
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "workload.h"

#define TICK_NS		1000000
#define EXTEND_S	0.02	/* how often the limit of a timed run is moved, */
#define AHEAD_S		0.1	/* and by what is done in so long */
#define ROUNDS_MIN	64u	/* at least */
#define GRACE_S		2.0	/* from being told to give up to being killed */

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	interrupted = signal;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static enum wl_state state_of(const struct wl_processes *p, unsigned int i)
{
	return (enum wl_state)__atomic_load_n(&p->shared->seat[i].state,
					      __ATOMIC_ACQUIRE);
}

static bool all_in(const struct wl_processes *p, enum wl_state state)
{
	unsigned int i;

	for (i = 0; i < p->plan->n; i++)
		if (state_of(p, i) != state)
			return false;
	return true;
}

static void complain(struct wl_processes *p, const char *text)
{
	fprintf(stderr, "ocf-workload: %s\n", text);
	p->errors++;
}

static bool start(struct wl_processes *p)
{
	struct sigaction action = { .sa_handler = interrupt };
	pid_t parent = getpid();
	unsigned int i;

	fflush(stdout);
	/* Who starts us may ignore it: nobody would be there to be reaped. */
	signal(SIGCHLD, SIG_DFL);
	for (i = 0; i < p->plan->n; i++) {
		p->shared->seat[i].wants_allowed = 1;
		p->shared->seat[i].is_allowed = 1;
		p->pid[i] = fork();
		if (p->pid[i] < 0) {
			p->pid[i] = 0;
			complain(p, strerror(errno));
			return false;
		}
		if (!p->pid[i])
			_exit(wl_child(p->o, p->plan, i, p->shared, parent));
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	return true;
}

/* A process has ended. Those with a sentence to say have left it. */
static void bury(struct wl_processes *p, unsigned int i, int status)
{
	const struct wl_seat *seat = &p->shared->seat[i];
	char text[96];

	p->pid[i] = 0;
	if (WIFSIGNALED(status)) {
		snprintf(text, sizeof(text), "replica %u was killed by signal %d (%s)",
			 i, WTERMSIG(status), strsignal(WTERMSIG(status)));
		complain(p, text);
	} else if (seat->error[0]) {
		complain(p, seat->error);
	} else if (state_of(p, i) != WL_VERIFIED && state_of(p, i) != WL_GIVEN_UP) {
		snprintf(text, sizeof(text), "replica %u has ended with status %d", i,
			 WEXITSTATUS(status));
		complain(p, text);
	}
}

static unsigned int reap(struct wl_processes *p)
{
	unsigned int i, left = 0;
	int status;

	for (i = 0; i < p->plan->n; i++) {
		if (p->pid[i] && waitpid(p->pid[i], &status, WNOHANG) == p->pid[i])
			bury(p, i, status);
		left += p->pid[i] != 0;
	}
	return left;
}

/* Whose steps have stood still for too long; their peers only wait for them. */
static void find_hung(struct wl_processes *p, uint64_t steps[WL_REPLICAS],
		      double moved[WL_REPLICAS])
{
	unsigned int i;
	char text[96];

	for (i = 0; i < p->plan->n; i++) {
		uint64_t at = __atomic_load_n(&p->shared->seat[i].steps,
					      __ATOMIC_RELAXED);

		if (at != steps[i] || !p->pid[i]) {
			steps[i] = at;
			moved[i] = now();
		} else if (now() - moved[i] > p->o->stall) {
			snprintf(text, sizeof(text),
				 "replica %u shows no sign of life for %u s", i,
				 p->o->stall);
			complain(p, text);
			moved[i] = now();
		}
	}
}

static void change_windows(struct wl_processes *p)
{
	unsigned int i;

	for (i = 0; i < p->plan->n; i++) {
		struct wl_seat *seat = &p->shared->seat[i];
		uint32_t want = __atomic_load_n(&seat->wants_allowed, __ATOMIC_ACQUIRE);

		if (want == seat->is_allowed)
			continue;
		if (!wl_card_allow(p->card, p->plan, i, want)) {
			p->errors++;
			return;
		}
		__atomic_store_n(&seat->is_allowed, want, __ATOMIC_RELEASE);
	}
}

static uint64_t frontier(const struct wl_processes *p)
{
	uint64_t most = 0;
	unsigned int i;

	for (i = 0; i < p->plan->n; i++) {
		uint64_t at = __atomic_load_n(&p->shared->seat[i].frontier,
					      __ATOMIC_RELAXED);

		if (most < at)
			most = at;
	}
	return most;
}

/* Sets the number of rounds; the last one is final. */
static void set_limit(struct wl_processes *p, uint64_t rounds, bool final)
{
	struct wl_limit *limit = &p->shared->limit;

	if (p->o->count && rounds >= p->o->count) {
		rounds = p->o->count;
		final = true;
	}
	__atomic_store_n(&limit->rounds, rounds, __ATOMIC_RELEASE);
	if (final)
		__atomic_store_n(&limit->is_final, 1, __ATOMIC_RELEASE);
}

/*
 * A timed run goes to a limit that keeps a little ahead of the replicas until the
 * time is up.
 */
static void extend(struct wl_processes *p, double begun, double *last,
		   uint64_t *before)
{
	double time = now();
	uint64_t at, ahead;

	if (p->shared->limit.is_final || time - *last < EXTEND_S)
		return;
	if (time - begun >= p->o->seconds) {
		set_limit(p, p->shared->limit.rounds, true);
		return;
	}
	at = frontier(p);
	ahead = (uint64_t)((double)(at - *before) / (time - *last) * AHEAD_S);
	*before = at;
	*last = time;
	if (ahead < ROUNDS_MIN)
		ahead = ROUNDS_MIN;
	if (at + ahead > p->shared->limit.rounds)
		set_limit(p, at + ahead, false);
}

static void tick(void)
{
	nanosleep(&(struct timespec) { .tv_nsec = TICK_NS }, NULL);
}

/* All attached, then all at once */
static bool gather(struct wl_processes *p)
{
	double begun = now();
	char text[96];

	while (!all_in(p, WL_READY)) {
		tick();
		reap(p);
		if (p->errors || interrupted)
			return false;
		if (now() - begun > p->o->stall + p->plan->n) {
			snprintf(text, sizeof(text), "not all replicas are ready after %u s",
				 p->o->stall + p->plan->n);
			complain(p, text);
			return false;
		}
	}
	set_limit(p, p->o->seconds ? ROUNDS_MIN : p->o->count, !p->o->seconds);
	__atomic_store_n(&p->shared->go, 1, __ATOMIC_RELEASE);
	return true;
}

static void look_after(struct wl_processes *p)
{
	uint64_t steps[WL_REPLICAS] = { 0 }, before = 0;
	double moved[WL_REPLICAS] = { 0 }, begun = now(), last = begun;
	unsigned int i;

	for (i = 0; i < p->plan->n; i++)
		moved[i] = begun;
	while (reap(p) && !p->errors && !interrupted) {
		extend(p, begun, &last, &before);
		change_windows(p);
		find_hung(p, steps, moved);
		if (!p->shared->all_sent && all_in(p, WL_SENT)) {
			p->seconds = now() - begun;
			__atomic_store_n(&p->shared->all_sent, 1, __ATOMIC_RELEASE);
		}
		tick();
	}
}

/* Tells those that are left to give up, and does not rely on it. */
static void end(struct wl_processes *p)
{
	double begun = now();
	unsigned int i;

	__atomic_store_n(&p->shared->give_up, 1, __ATOMIC_RELEASE);
	while (reap(p)) {
		if (now() - begun > GRACE_S) {
			for (i = 0; i < p->plan->n; i++)
				if (p->pid[i])
					kill(p->pid[i], SIGKILL);
		}
		tick();
	}
}

bool wl_supervise(struct wl_processes *p)
{
	if (start(p) && gather(p))
		look_after(p);
	end(p);
	if (interrupted) {
		fprintf(stderr, "ocf-workload: ended by signal %d\n", (int)interrupted);
		return false;
	}
	return !p->errors;
}
