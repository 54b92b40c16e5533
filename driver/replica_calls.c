// SPDX-License-Identifier: GPL-2.0-only
/* The calls of a replica handle. */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "ocfabric.h"

static struct ocfabric_map ocf_map_of(enum ocf_map_kind kind, u64 length)
{
	return (struct ocfabric_map){
		.offset = ocf_map_offset(kind, 0),
		.length = length,
	};
}

static void ocf_tell_rings(struct ocfabric_replica_get *args,
			   const struct ocf_rings *rings)
{
	args->out_tx_entries = BIT(rings->tx_shift);
	args->out_rx_entries = BIT(rings->rx_shift);
	args->out_cq_entries = BIT(rings->cq_shift);
	args->out_map_tx = ocf_map_of(OCF_MAP_TX, rings->tx->size);
	args->out_map_rx = ocf_map_of(OCF_MAP_RX, rings->rx->size);
	args->out_map_cq = ocf_map_of(OCF_MAP_CQ, rings->cq->size);
	args->out_map_owner = ocf_map_of(OCF_MAP_OWNER, rings->owner->size);
	args->out_map_semaphores = ocf_map_of(OCF_MAP_SEMAPHORES,
					      rings->semaphores->size);
}

int ocf_call_replica_get(struct ocf_call *call)
{
	struct ocfabric_replica_get *args = &call->args->replica_get;
	struct ocf_replica *replica = call->replica;
	struct ocf_config *config;

	if (args->__reserved)
		return -EINVAL;
	config = ocf_config_get(call->card, NULL);
	args->out_replicas = config->replicas;
	ocf_config_put(config);

	args->out_replica = replica->index;
	scoped_guard(rwsem_read, &replica->map_lock) {
		if (!replica->alive)
			return -ENODEV;
		args->out_region = replica->region;
		ocf_tell_rings(args, &replica->rings);
	}
	args->out_map_doorbell = ocf_map_of(OCF_MAP_DOORBELL, PAGE_SIZE);
	args->out_map_rx_doorbell = ocf_map_of(OCF_MAP_RX_DOORBELL, PAGE_SIZE);
	args->out_map_region = ocf_map_of(OCF_MAP_REGION,
					  ocf_region_pages(&args->out_region));
	args->out_region_skip = ocf_region_skip(&args->out_region);
	return ocf_respond(call);
}

/* What was made and cannot be told is unmade. */
static int ocf_respond_key(struct ocf_call *call, u32 key)
{
	int ret = ocf_respond(call);

	if (ret)
		ocf_key_del(call->replica, key);
	return ret;
}

int ocf_call_key_add(struct ocf_call *call)
{
	struct ocfabric_key_add *args = &call->args->key_add;
	int ret;

	if (args->__reserved)
		return -EINVAL;
	ret = ocf_key_add(call->replica, args->addr, args->length,
			  &args->out_key);
	return ret ?: ocf_respond_key(call, args->out_key);
}

int ocf_call_buffer_add(struct ocf_call *call)
{
	struct ocfabric_buffer_add *args = &call->args->buffer_add;
	int ret;

	if (args->__reserved)
		return -EINVAL;
	ret = ocf_buffer_add(call->replica, args->length, &args->out_map,
			     &args->out_key);
	return ret ?: ocf_respond_key(call, args->out_key);
}

int ocf_call_key_del(struct ocf_call *call)
{
	if (call->args->key_del.__reserved)
		return -EINVAL;
	return ocf_key_del(call->replica, call->args->key_del.key);
}

int ocf_call_eventfd(struct ocf_call *call)
{
	const struct ocfabric_eventfd *args = &call->args->eventfd;
	struct ocf_card *card = call->card;

	if (args->__reserved || args->fd < -1)
		return -EINVAL;
	CLASS(ocf_live, live)(card);
	if (!live || !call->replica->alive)
		return -ENODEV;
	return ocf_slot_eventfd(&card->slot[call->replica->index], args->fd);
}

static int ocf_queue_get(struct ocf_replica *replica,
			 struct ocfabric_queue_get *get)
{
	CLASS(ocf_live, live)(replica->card);
	if (!live || !replica->alive)
		return -ENODEV;
	ocf_queue_read(replica->card, replica->index, get);
	return ocf_card_confirm(replica->card);
}

int ocf_call_queue_get(struct ocf_call *call)
{
	int ret = ocf_queue_get(call->replica, &call->args->queue_get);

	return ret ?: ocf_respond(call);
}

int ocf_call_queue_reset(struct ocf_call *call)
{
	return ocf_queue_reset(call->replica);
}

int ocf_call_moderation(struct ocf_call *call)
{
	const struct ocfabric_moderation *args = &call->args->moderation;
	const struct ocf_moderation moderation = {
		.burst = args->burst,
		.timer = args->timer,
		.mode = args->mode,
	};

	if (args->__reserved || !args->burst ||
	    args->burst > OCFABRIC_MODERATION_BURST_MASK ||
	    args->timer > OCFABRIC_TIMER_MAX ||
	    args->mode > OCFABRIC_MODE_COUNT)
		return -EINVAL;
	return ocf_moderation_own(call->replica, &moderation);
}

/* The link remembers those of whoever was the replica before, too. */
static const struct ocfabric_hw_reject *
ocf_own_rejects(const struct ocf_replica *replica,
		const struct ocf_rejects *rejects, u32 *count)
{
	const struct ocfabric_hw_reject *r = rejects->reject[0];
	u32 left = rejects->count[0];

	for (; left && le64_to_cpu(r->clock) < replica->since; left--)
		r++;
	*count = left;
	return r;
}

int ocf_call_rejects_get(struct ocf_call *call)
{
	struct ocfabric_rejects_get *args = &call->args->rejects_get;
	struct ocf_rejects *rejects __free(kfree) = NULL;
	const struct ocfabric_hw_reject *own;
	u32 room = args->count;
	int ret;

	if (args->__reserved || !room)
		return -EINVAL;
	rejects = kmalloc(sizeof(*rejects), GFP_KERNEL);
	if (!rejects)
		return -ENOMEM;
	ret = ocf_rejects_read(call->card, call->replica->index, 1, rejects);
	if (ret)
		return ret;
	own = ocf_own_rejects(call->replica, rejects, &args->count);
	if (room < args->count)
		return ocf_respond(call) ?: -EMSGSIZE;
	if (copy_to_user(u64_to_user_ptr(args->rejects), own,
			 args->count * sizeof(*own)))
		return -EFAULT;
	return ocf_respond(call);
}
