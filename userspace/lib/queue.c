// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The queue: waiting for completions, where it is, starting it anew
 */
#include <poll.h>
#include <string.h>
#include <time.h>

#include "internal.h"

#define NS_PER_S	1000000000LL

/* Wakes are not taken on trust: the queue is looked at this often. */
#define LOOK_NS		100000000LL

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* The clock is dear and completions are near: look often, ask the time rarely. */
static bool spin_until(const struct ocf_replica *r, int64_t end)
{
	int i;

	do {
		for (i = 0; i < 64; i++)
			if (ocf_ready(r))
				return true;
	} while (now_ns() < end);
	return false;
}

static int check_queue(const struct ocf_replica *r)
{
	struct ocfabric_queue_get q;
	char text[128];
	int error;

	if (ocf_ready(r))
		return 0;
	error = ocf_queue_status(r, &q);
	if (error || ocf_ready(r))
		return error;
	if (q.out_state == OCFABRIC_QUEUE_STOPPED)
		return ocf_fail(EPIPE, "the queue has stopped: %s",
				ocf_cause_text(q.out_cause, q.out_wrote,
					       q.out_expected, text,
					       sizeof(text)));
	return 0;
}

/* One sleep of at most @ns; 0 when it is worth another look. */
static int sleep_once(struct ocf_replica *r, int64_t ns)
{
	struct timespec t = { .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };
	struct pollfd p = { .fd = ocf_held(r)->fd, .events = POLLIN };

	ocf_arm(r);
	if (ocf_ready(r))
		return 0;
	if (ppoll(&p, 1, &t, NULL) < 0)
		return ocf_fail(errno, "waiting for a completion: %s",
				strerror(errno));
	if (p.revents & (POLLERR | POLLHUP | POLLNVAL))
		return ocf_fail(ENODEV, "the card is gone or was reset");
	return check_queue(r);
}

OCF_API int ocf_wait(struct ocf_replica *r, int64_t timeout_ns)
{
	int64_t now, end, spin;
	int error;

	if (ocf_ready(r))
		return 0;
	now = now_ns();
	end = timeout_ns < 0 || timeout_ns > INT64_MAX - now ?
	      INT64_MAX : now + timeout_ns;
	spin = now + ocf_held(r)->spin_ns;
	if (spin_until(r, spin < end ? spin : end))
		return 0;

	while ((now = now_ns()) < end) {
		error = sleep_once(r, end - now < LOOK_NS ? end - now : LOOK_NS);
		if (error)
			return error;
		if (ocf_ready(r))
			return 0;
	}
	return ocf_fail(ETIMEDOUT, "no completion within %lld ms",
			(long long)timeout_ns / 1000000);
}

OCF_API void ocf_wait_spin(struct ocf_replica *r, uint32_t spin_ns)
{
	ocf_held(r)->spin_ns = spin_ns;
}

OCF_API int ocf_eventfd(struct ocf_replica *r, int fd)
{
	struct ocfabric_eventfd set = { .size = sizeof(set), .fd = fd };

	return ocf_call(ocf_held(r)->fd, OCFABRIC_EVENTFD, &set,
			"setting an eventfd");
}

OCF_API int ocf_queue_status(const struct ocf_replica *r,
			     struct ocfabric_queue_get *status)
{
	memset(status, 0, sizeof(*status));
	status->size = sizeof(*status);
	return ocf_call(ocf_held(r)->fd, OCFABRIC_QUEUE_GET, status,
			"asking for the queue");
}

OCF_API int ocf_queue_restart(struct ocf_replica *r)
{
	struct ocfabric_queue_reset reset = { .size = sizeof(reset) };
	int error;

	error = ocf_call(ocf_held(r)->fd, OCFABRIC_QUEUE_RESET, &reset,
			 "resetting the queue");
	if (error)
		return error;
	r->posted = 0;
	r->rung = 0;
	r->done = 0;
	r->unsignaled = 0;
	r->taken = 0;
	r->published = 0;
	ocf_disarm_(r);
	return 0;
}

OCF_API int ocf_rejects(const struct ocf_replica *r,
			struct ocfabric_hw_reject *rejects, unsigned int max)
{
	struct ocfabric_rejects_get get = {
		.size = sizeof(get),
		.rejects = (uintptr_t)rejects,
		.count = max,
	};
	int error;

	error = ocf_call(ocf_held(r)->fd, OCFABRIC_REJECTS_GET, &get,
			 "asking for rejected writes");
	return error ? error : (int)get.count;
}
