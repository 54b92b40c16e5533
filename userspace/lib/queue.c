// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The queue: where it is, starting it anew, when it interrupts
 */
#include <string.h>

#include "internal.h"

OCF_API int ocf_eventfd(struct ocf_replica *r, int fd)
{
	struct ocfabric_eventfd set = { .size = sizeof(set), .fd = fd };

	return ocf_call(ocf_held(r)->fd, OCFABRIC_EVENTFD, &set,
			"setting an eventfd");
}

OCF_API int ocf_moderation(struct ocf_replica *r, uint32_t burst,
			   uint32_t timer_ns, enum ocfabric_moderation_mode mode)
{
	struct ocfabric_moderation set = {
		.size = sizeof(set),
		.burst = burst,
		.timer = timer_ns,
		.mode = mode,
	};
	int error;

	error = ocf_call(ocf_held(r)->fd, OCFABRIC_MODERATION, &set,
			 "setting the interrupt moderation");
	if (error == -EINVAL)
		return ocf_fail(EINVAL, "no such moderation: burst %u (1 to 65535), "
				"timer %u ns (up to %u), mode %u (0 or 1)", burst,
				timer_ns, OCFABRIC_TIMER_MAX, (unsigned int)mode);
	return error;
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
	r->prepared = 0;
	r->rx_posted = 0;
	r->rx_rung = 0;
	r->rx_done = 0;
	r->rx_prepared = 0;
	ocf_held(r)->restarts++;
	ocf_disarm_(r);
	ocf_set_end_(r);
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
