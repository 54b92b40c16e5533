/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the examples become replicas: "fabricctl launch -n N -- PROGRAM" gives each
 * its handle; started by itself, the program attaches to all N and forks.
 */
#ifndef OCF_EXAMPLE_H
#define OCF_EXAMPLE_H

#include <ocfabric.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAIT_NS		30000000000	/* nothing here takes that long */

static inline _Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

/* Ends this replica when something failed; what @error is otherwise. */
static inline int must(int error, const char *what)
{
	if (error < 0)
		die(what, error == -EAGAIN ? "there is no room" : ocf_error());
	return error;
}

/* How long a loop that looks at memory has been at it; starts as all zero. */
struct looking {
	uint32_t looks;
	time_t since;
};

/* For each round of such a loop: ends it when the card is gone, or time is up. */
static inline void look_again(const struct ocf_replica *r, struct looking *l,
			      const char *what)
{
	if (++l->looks % 4096)
		return;
	if (!ocf_alive(r))
		die(what, "the card is gone");
	if (!l->since)
		l->since = time(NULL);
	if (time(NULL) - l->since > WAIT_NS / 1000000000)
		die(what, "it took too long");
}

/*
 * Waits until all that was posted is done and went well: what is unsignaled
 * completes only if it fails, a descriptor that does nothing ends the wait.
 */
static inline void finish(struct ocf_replica *r, const char *what)
{
	struct ocf_completion c;

	must(ocf_post_nop(r, 0), what);
	ocf_ring(r);
	while (r->done != r->posted) {
		must(ocf_wait(r, WAIT_NS), what);
		if (ocf_poll(r, &c, 1) && c.status != OCFABRIC_VERDICT_COMMITTED)
			die(what, ocf_verdict_text(c.status));
	}
}

/* One replica, which a launcher has attached. */
static inline int run_launched(unsigned int n, void (*run)(struct ocf_replica *r))
{
	struct ocf_device *dev = ocf_open(NULL);
	struct ocf_replica *r = dev ? ocf_attach(dev, OCF_REPLICA_ANY, NULL) : NULL;

	if (!r)
		die("attaching", ocf_error());
	if (ocf_replica_size(r) != n) {
		fprintf(stderr, "this needs %u replicas: fabricctl launch -n %u\n",
			n, n);
		return 2;
	}
	run(r);
	ocf_detach(r);
	ocf_close(dev);
	return 0;
}

/*
 * All are attached, with zeroed regions and semaphores, before any of them runs.
 * A handle survives fork(); its mappings do not, so the child adopts it.
 */
static inline int run_forked(unsigned int n, void (*run)(struct ocf_replica *r))
{
	const struct ocf_attach_options options = { .clear = true };
	struct ocf_device *dev = ocf_open(NULL);
	int handle[OCFABRIC_REPLICAS_MAX], status, failed = 0;
	struct ocf_replica *r;
	unsigned int i;

	for (i = 0; i < n; i++) {
		r = dev ? ocf_attach(dev, i, &options) : NULL;
		if (!r)
			die("attaching", ocf_error());
		handle[i] = dup(ocf_replica_fd(r));
		ocf_detach(r);
	}
	for (i = 0; i < n; i++) {
		if (fork())
			continue;
		r = ocf_adopt(handle[i]);
		if (!r)
			die("adopting", ocf_error());
		run(r);
		ocf_detach(r);
		exit(0);
	}
	while (wait(&status) > 0)
		failed |= status;
	ocf_close(dev);
	return failed ? 1 : 0;
}

static inline int run_replicas(unsigned int n, void (*run)(struct ocf_replica *r))
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	return getenv("OCF_FD") ? run_launched(n, run) : run_forked(n, run);
}

#endif
