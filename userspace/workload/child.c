// SPDX-License-Identifier: LGPL-2.1-or-later
/* The process of a replica */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "workload.h"

#define IDLE_SPINS	64u	/* steps without progress before another one may run */
#define IDLE_LOOK	4096u	/* and between looks at the clock */
#define PATIENCE	2u	/* seconds: the parent knows better why nothing moves */

struct child {
	const struct wl_options *o;
	struct wl_shared *shared;
	struct wl_seat *seat;
	struct wl_replica *r;
};

static uint64_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec;
}

static bool is_set(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void set_state(struct child *c, enum wl_state state)
{
	__atomic_store_n(&c->seat->state, state, __ATOMIC_RELEASE);
}

/* What the parent looks at while we run */
static void show(struct child *c)
{
	__atomic_store_n(&c->seat->frontier, c->r->frontier, __ATOMIC_RELAXED);
	__atomic_store_n(&c->seat->steps, c->seat->steps + 1, __ATOMIC_RELAXED);
}

/* Until the parent says so. False: there is nothing to wait for any more. */
static bool await(struct child *c, const uint32_t *word)
{
	while (!is_set(word)) {
		if (is_set(&c->shared->give_up))
			return false;
		show(c);
		nanosleep(&(struct timespec) { .tv_nsec = 200000 }, NULL);
	}
	return true;
}

/* Nothing moves. True: not for too long yet. */
static bool rest(struct child *c, uint64_t idle, uint64_t *since)
{
	char text[160];

	if (idle == 1)
		*since = 0;
	if (idle > IDLE_SPINS)
		sched_yield();
	if (idle % IDLE_LOOK)
		return true;
	if (!*since)
		*since = seconds();
	if (seconds() - *since < c->o->stall + PATIENCE)
		return true;
	wl_replica_waits(c->r, text, sizeof(text));
	wl_fail(c->r, "replica %u: nothing has moved for %u s; it waits for %s",
		c->r->id, c->o->stall + PATIENCE, text);
	return false;
}

/* Returns the state that the replica is in afterwards. */
static enum wl_state run(struct child *c)
{
	uint64_t idle = 0, since = 0;
	int got;

	while (!wl_replica_is_done(c->r)) {
		if (is_set(&c->shared->give_up))
			return WL_GIVEN_UP;
		got = wl_replica_step(c->r);
		if (got < 0)
			return WL_BROKEN;
		show(c);
		idle = got ? 0 : idle + 1;
		if (idle && !rest(c, idle, &since))
			return WL_BROKEN;
	}
	return WL_SENT;
}

static enum wl_state verify(struct child *c)
{
	uint64_t last[WL_REPLICAS];
	unsigned int i;

	for (i = 0; i < c->r->plan->n; i++)
		last[i] = c->shared->seat[i].revocable;
	return wl_verify_all(c->r, last) ? WL_BROKEN : WL_VERIFIED;
}

static void hand_over(struct child *c)
{
	c->seat->stats = c->r->stats;
	c->seat->tally = c->r->tally;
	c->seat->revocable = c->r->revocable_committed;
	memcpy(c->seat->error, c->r->error, sizeof(c->seat->error));
}

static enum wl_state live(struct child *c)
{
	enum wl_state state;

	set_state(c, WL_READY);
	if (!await(c, &c->shared->go))
		return WL_GIVEN_UP;
	set_state(c, WL_RUNNING);
	state = run(c);
	hand_over(c);
	if (state != WL_SENT)
		return state;
	set_state(c, WL_SENT);
	if (!await(c, &c->shared->all_sent))
		return WL_GIVEN_UP;
	state = verify(c);
	hand_over(c);
	return state;
}

int wl_child(const struct wl_options *o, const struct wl_plan *plan,
	     unsigned int id, struct wl_shared *shared, pid_t parent)
{
	static struct wl_replica r;
	struct child c = {
		.o = o, .shared = shared, .seat = &shared->seat[id], .r = &r,
	};
	enum wl_state state = WL_BROKEN;
	const uint8_t *region;
	struct wl_port *port;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		return EXIT_FAILURE;
	port = wl_card_port(o, plan, id, c.seat, &region, c.seat->error);
	if (port) {
		if (wl_replica_init(&r, plan, id, port, &shared->limit, region))
			state = live(&c);
		else
			snprintf(c.seat->error, WL_ERROR_MAX, "replica %u: no memory", id);
		wl_replica_free(&r);
		wl_card_port_free(port);
	}
	set_state(&c, state);
	return state == WL_VERIFIED ? 0 : 1;
}
