// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One doorbell for the queues of several replicas
 */
#include "internal.h"

/* What was posted and not rung of the ring that is meant. */
static uint32_t waiting(const struct ocf_replica *r, uint32_t flags)
{
	return flags & OCF_BROADCAST_RECEIVE ? r->rx_posted - r->rx_rung :
	       r->posted - r->rung;
}

static int collect(struct ocf_replica *const *replicas, unsigned int count,
		   uint32_t flags, uint32_t increment, int32_t *handles)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct ocf_replica *r = replicas[i];

		if (waiting(r, flags) < increment)
			return ocf_fail(EINVAL, "replica %u has %u descriptors "
					"that were not rung, fewer than %u",
					ocf_replica_id(r), waiting(r, flags),
					increment);
		handles[i] = ocf_held(r)->fd;
		ocf_make_room_(r);
	}
	return 0;
}

static int refused(int error, uint32_t replica)
{
	if (error == -EAGAIN)
		return ocf_fail(EAGAIN, "the ring of replica %u has less room",
				replica);
	if (error == -EPIPE)
		return ocf_fail(EPIPE, "the queue of replica %u has stopped",
				replica);
	return error;
}

OCF_API int ocf_broadcast(struct ocf_replica *const *replicas,
			  unsigned int count, uint32_t flags, uint32_t increment)
{
	int32_t handles[OCFABRIC_REPLICAS_MAX] = { 0 };
	struct ocfabric_broadcast b = {
		.size = sizeof(b),
		.flags = flags,
		.handles = (uintptr_t)handles,
		.count = count,
		.increment = increment,
	};
	unsigned int i;
	int error;

	if (!count || count > OCFABRIC_REPLICAS_MAX || count & (count - 1))
		return ocf_fail(EINVAL, "a broadcast doorbell rings 1, 2, 4, 8 or "
				"16 queues, not %u", count);
	error = collect(replicas, count, flags, increment, handles);
	if (error)
		return error;
	ocf_wmb_desc_before_doorbell();
	error = ocf_call(handles[0], OCFABRIC_BROADCAST, &b,
			 "ringing several queues");
	if (error)
		return refused(error, b.out_replica);
	for (i = 0; i < count; i++) {
		if (flags & OCF_BROADCAST_RECEIVE)
			replicas[i]->rx_rung += increment;
		else
			replicas[i]->rung += increment;
	}
	return 0;
}
