// SPDX-License-Identifier: GPL-2.0-only
/*
 * One table of calls for nodes and handles, one way in and out: the caller's
 * structure is copied with zero extension, what this kernel does not know must
 * be zero, and no call holds a lock while it touches user memory.
 */
#include <linux/fs.h>
#include <linux/uaccess.h>

#include "ocfabric.h"

struct ocf_ioctl {
	unsigned int cmd;
	u32 size;
	u32 min_size;		/* of the first version of the structure */
	u32 flags;		/* that the caller may set */
	u32 where;		/* OCF_ON_* */
	int (*call)(struct ocf_call *call);
};

#define OCF_IOCTL(_cmd, _args, _last, _flags, _where, _call)		\
	{								\
		.cmd = (_cmd),						\
		.size = sizeof(struct _args) +				\
			BUILD_BUG_ON_ZERO(offsetof(struct _args, flags) != 4) + \
			BUILD_BUG_ON_ZERO(sizeof(struct _args) >	\
					  sizeof(union ocf_args)),	\
		.min_size = offsetofend(struct _args, _last),		\
		.flags = (_flags),					\
		.where = (_where),					\
		.call = (_call),					\
	}

static const struct ocf_ioctl ocf_ioctls[] = {
	OCF_IOCTL(OCFABRIC_INFO, ocfabric_info, out_key_ranges, 0,
		  OCF_ON_NODE | OCF_ON_REPLICA, ocf_call_info),
	OCF_IOCTL(OCFABRIC_ATTACH, ocfabric_attach, __reserved,
		  OCFABRIC_ATTACH_CLEAR, OCF_ON_NODE, ocf_call_attach),
	OCF_IOCTL(OCFABRIC_CONFIG_GET, ocfabric_config_get, __reserved, 0,
		  OCF_ON_NODE, ocf_call_config_get),
	OCF_IOCTL(OCFABRIC_CONFIG_CHANGE, ocfabric_config_change, out_reason,
		  OCFABRIC_CONFIG_CHECK, OCF_ON_NODE, ocf_call_config_change),
	OCF_IOCTL(OCFABRIC_COUNTERS_GET, ocfabric_counters_get, out_clock, 0,
		  OCF_ON_NODE, ocf_call_counters_get),
	OCF_IOCTL(OCFABRIC_DRAIN, ocfabric_drain, __reserved, 0, OCF_ON_NODE,
		  ocf_call_drain),
	OCF_IOCTL(OCFABRIC_RESET, ocfabric_reset, link, 0, OCF_ON_NODE,
		  ocf_call_reset),
	OCF_IOCTL(OCFABRIC_REPLICA_GET, ocfabric_replica_get, out_map_semaphores,
		  0, OCF_ON_REPLICA, ocf_call_replica_get),
	OCF_IOCTL(OCFABRIC_KEY_ADD, ocfabric_key_add, __reserved, 0,
		  OCF_ON_REPLICA, ocf_call_key_add),
	OCF_IOCTL(OCFABRIC_BUFFER_ADD, ocfabric_buffer_add, __reserved, 0,
		  OCF_ON_REPLICA, ocf_call_buffer_add),
	OCF_IOCTL(OCFABRIC_KEY_DEL, ocfabric_key_del, __reserved, 0,
		  OCF_ON_REPLICA, ocf_call_key_del),
	OCF_IOCTL(OCFABRIC_EVENTFD, ocfabric_eventfd, __reserved, 0,
		  OCF_ON_REPLICA, ocf_call_eventfd),
	OCF_IOCTL(OCFABRIC_QUEUE_GET, ocfabric_queue_get, out_mode, 0,
		  OCF_ON_REPLICA, ocf_call_queue_get),
	OCF_IOCTL(OCFABRIC_QUEUE_RESET, ocfabric_queue_reset, flags, 0,
		  OCF_ON_REPLICA, ocf_call_queue_reset),
	OCF_IOCTL(OCFABRIC_REJECTS_GET, ocfabric_rejects_get, __reserved, 0,
		  OCF_ON_REPLICA, ocf_call_rejects_get),
	OCF_IOCTL(OCFABRIC_MODERATION, ocfabric_moderation, __reserved, 0,
		  OCF_ON_REPLICA, ocf_call_moderation),
	OCF_IOCTL(OCFABRIC_BROADCAST, ocfabric_broadcast, __reserved,
		  OCFABRIC_BROADCAST_RECEIVE, OCF_ON_NODE | OCF_ON_REPLICA,
		  ocf_call_broadcast),
};

static const struct ocf_ioctl *ocf_ioctl_find(unsigned int cmd, u32 where)
{
	const struct ocf_ioctl *op;

	for (op = ocf_ioctls; op < ocf_ioctls + ARRAY_SIZE(ocf_ioctls); op++) {
		if (op->cmd == cmd && op->where & where)
			return op;
	}
	return NULL;
}

int ocf_respond(const struct ocf_call *call)
{
	if (copy_to_user(call->arg, call->args, min(call->user_size, call->size)))
		return -EFAULT;
	return 0;
}

/* Good for nothing but close(). */
static bool ocf_orphaned(const struct ocf_call *call)
{
	enum ocf_state state = READ_ONCE(call->card->state);

	if (call->replica && !READ_ONCE(call->replica->alive))
		return true;
	return state == OCF_DEAD || READ_ONCE(call->card->lost);
}

static int ocf_take_args(struct ocf_call *call, const struct ocf_ioctl *op)
{
	int ret;

	if (get_user(call->user_size, (u32 __user *)call->arg))
		return -EFAULT;
	if (call->user_size < op->min_size)
		return -EINVAL;
	if (call->user_size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(call->args, op->size, call->arg,
				    call->user_size);
	if (ret)
		return ret;
	/* it may have changed between the two looks at it */
	call->args->head[0] = call->user_size;
	return call->args->head[1] & ~op->flags ? -EINVAL : 0;
}

long ocf_ioctl(struct file *file, struct ocf_card *card,
	       struct ocf_replica *replica, unsigned int cmd, unsigned long arg)
{
	union ocf_args args = {};
	struct ocf_call call = {
		.file = file,
		.card = card,
		.replica = replica,
		.arg = (void __user *)arg,
		.args = &args,
	};
	const struct ocf_ioctl *op;
	int ret;

	op = ocf_ioctl_find(cmd, replica ? OCF_ON_REPLICA : OCF_ON_NODE);
	if (!op)
		return -ENOTTY;
	call.size = op->size;
	ret = ocf_take_args(&call, op);
	if (ret)
		return ret;
	if (ocf_orphaned(&call))
		return -ENODEV;
	return op->call(&call);
}
