// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Waiting for completions and semaphores: spin, then sleep on the handle
 */
#include <poll.h>
#include <string.h>
#include <time.h>

#include "internal.h"

/* Wakes are not taken on trust: the queue is looked at this often. */
#define LOOK_NS		100000000LL

/* What is waited for: a completion, or that a semaphore reaches a value. */
struct goal {
	const char *what;
	bool semaphore;
	uint32_t sem;
	uint32_t target;
};

static bool reached(const struct ocf_replica *r, const struct goal *g)
{
	return g->semaphore ? ocf_sem_reached(r, g->sem, g->target) :
	       ocf_ready(r);
}

/* The clock is dear and what is awaited near: look often, ask the time rarely. */
static bool spin_until(const struct ocf_replica *r, const struct goal *g,
		       int64_t end)
{
	int i;

	do {
		for (i = 0; i < 64; i++)
			if (reached(r, g))
				return true;
	} while (ocf_now_ns() < end);
	return false;
}

static int check_queue(const struct ocf_replica *r, const struct goal *g)
{
	struct ocfabric_queue_get q;
	char text[128];
	int error;

	if (reached(r, g))
		return 0;
	error = ocf_queue_status(r, &q);
	if (error || reached(r, g))
		return error;
	if (q.out_state == OCFABRIC_QUEUE_STOPPED)
		return ocf_fail(EPIPE, "the queue has stopped: %s",
				ocf_cause_text(q.out_cause, q.out_wrote,
					       q.out_expected, text,
					       sizeof(text)));
	return 0;
}

static void arm(struct ocf_replica *r, const struct goal *g)
{
	volatile uint32_t *owner = (volatile uint32_t *)(void *)r->owner;

	if (!g->semaphore) {
		ocf_arm(r);
		return;
	}
	ocf_publish_taken_(r);
	owner[3] = htole32(g->target);
	ocf_wmb_target_before_arm();
	owner[2] = htole32(OCFABRIC_SEM_ARMED | g->sem);
	ocf_mb_arm_before_check();
}

/*
 * A completion stays armed until it is taken; a semaphore is nobody's then. The
 * owner line of a card that is gone must not be touched.
 */
static void disarm(struct ocf_replica *r, const struct goal *g, int error)
{
	if (g->semaphore && error != -ENODEV)
		*(volatile uint32_t *)(void *)&r->owner->sem_arm = 0;
}

/*
 * The handle is readable as long as completions lie untaken, which says nothing
 * of a semaphore: that is POLLRDBAND.
 */
static short events(const struct ocf_replica *r, const struct goal *g)
{
	if (g->semaphore && ocf_ready(r))
		return POLLPRI | POLLRDBAND;
	return POLLPRI | POLLRDBAND | POLLIN;
}

/* One sleep of at most @ns; 0 when it is worth another look. */
static int sleep_once(struct ocf_replica *r, const struct goal *g, int64_t ns)
{
	struct timespec t = {
		.tv_sec = ns / OCF_NS_PER_S,
		.tv_nsec = ns % OCF_NS_PER_S,
	};
	struct pollfd p = { .fd = ocf_held(r)->fd, .events = events(r, g) };

	if (ppoll(&p, 1, &t, NULL) < 0)
		return ocf_fail(errno, "waiting for %s: %s", g->what,
				strerror(errno));
	if (p.revents & (POLLERR | POLLHUP | POLLNVAL))
		return ocf_fail(ENODEV, "the card is gone or was reset");
	return check_queue(r, g);
}

static int sleep_until(struct ocf_replica *r, const struct goal *g, int64_t end)
{
	int64_t now;
	int error;

	while ((now = ocf_now_ns()) < end) {
		arm(r, g);
		if (reached(r, g))
			return 0;
		error = sleep_once(r, g, end - now < LOOK_NS ? end - now : LOOK_NS);
		if (error)
			return error;
		if (reached(r, g))
			return 0;
	}
	return -ETIMEDOUT;
}

static int wait_for(struct ocf_replica *r, const struct goal *g,
		    int64_t timeout_ns)
{
	int64_t end, spin;
	int error;

	if (reached(r, g))
		return 0;
	end = ocf_deadline(timeout_ns);
	spin = ocf_now_ns() + ocf_held(r)->spin_ns;
	if (spin_until(r, g, spin < end ? spin : end))
		return 0;
	error = sleep_until(r, g, end);
	disarm(r, g, error);
	return error;
}

OCF_API int ocf_wait(struct ocf_replica *r, int64_t timeout_ns)
{
	static const struct goal g = { .what = "a completion" };
	int error = wait_for(r, &g, timeout_ns);

	if (error == -ETIMEDOUT)
		return ocf_fail(ETIMEDOUT, "no completion within %lld ms",
				(long long)timeout_ns / 1000000);
	return error;
}

OCF_API int ocf_sem_wait(struct ocf_replica *r, uint32_t sem, uint32_t target,
			 int64_t timeout_ns)
{
	struct goal g = {
		.what = "a semaphore",
		.semaphore = true,
		.sem = sem,
		.target = target,
	};
	int error;

	if (sem >= OCFABRIC_SEMAPHORES)
		return ocf_fail(EINVAL, "there is no semaphore %u: they are 0 to %d",
				sem, OCFABRIC_SEMAPHORES - 1);
	if (!ocf_held(r)->has_semaphores)
		return ocf_fail(EOPNOTSUPP, "this card has no semaphores");
	error = wait_for(r, &g, timeout_ns);
	if (error == -ETIMEDOUT)
		return ocf_fail(ETIMEDOUT, "semaphore %u is %u and was to reach "
				"%u within %lld ms", sem, ocf_sem_read(r, sem),
				target, (long long)timeout_ns / 1000000);
	return error;
}

OCF_API void ocf_wait_spin(struct ocf_replica *r, uint32_t spin_ns)
{
	ocf_held(r)->spin_ns = spin_ns;
}
