// SPDX-License-Identifier: GPL-2.0-only
/*
 * One doorbell for up to 16 replicas. Who holds their handles may ring them;
 * the page that does it is the driver's alone. While the files are held and the
 * card is entered, no handle of them can be closed for good or revoked, so no
 * queue is rung that is somebody else's by now.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/uaccess.h>

#include "ocfabric.h"
#include "trace.h"

struct ocf_ringing {
	struct file *file[OCFABRIC_REPLICAS_MAX];
	u32 count;		/* files held */
	u32 mask;		/* their queues */
	u32 increment;
	bool receive;
	u32 refused;		/* the first queue that it was refused for */
};

static int ocf_ringing_check(const struct ocfabric_broadcast *args)
{
	if (args->__reserved || !is_power_of_2(args->count) ||
	    args->count > OCFABRIC_REPLICAS_MAX ||
	    args->increment > OCFABRIC_DOORBELL_INC_MASK)
		return -EINVAL;
	return 0;
}

static int ocf_ringing_add(struct ocf_ringing *r, const struct ocf_card *card,
			   int fd)
{
	const struct ocf_replica *replica;
	struct file *file = fget(fd);

	if (!file)
		return -EBADF;
	r->file[r->count++] = file;
	if (file->f_op != &ocf_replica_fops)
		return -EBADF;
	replica = file->private_data;
	if (replica->card != card)
		return -EXDEV;
	if (r->mask & BIT(replica->index))
		return -EINVAL;
	r->mask |= BIT(replica->index);
	return 0;
}

/* Holds the files; whatever it answers, they are to be put. */
static int ocf_ringing_hold(struct ocf_ringing *r, const struct ocf_call *call)
{
	const struct ocfabric_broadcast *args = &call->args->broadcast;
	s32 fd[OCFABRIC_REPLICAS_MAX];
	int ret = 0;
	u32 i;

	if (copy_from_user(fd, u64_to_user_ptr(args->handles),
			   args->count * sizeof(*fd)))
		return -EFAULT;
	for (i = 0; !ret && i < args->count; i++)
		ret = ocf_ringing_add(r, call->card, fd[i]);
	return ret;
}

static void ocf_ringing_put(struct ocf_ringing *r)
{
	while (r->count)
		fput(r->file[--r->count]);
}

static bool ocf_ringing_alive(const struct ocf_ringing *r)
{
	u32 i;

	for (i = 0; i < r->count; i++) {
		const struct ocf_replica *replica = r->file[i]->private_data;

		if (!replica->alive)
			return false;
	}
	return true;
}

/* What the card says became of it; @told is its latch, @rung what was stored. */
static int ocf_ringing_result(struct ocf_ringing *r, u64 rung, u64 told)
{
	const u64 echo = OCFABRIC_BROADCAST_INC_MASK |
			 (u64)OCFABRIC_BROADCAST_MASK_MASK <<
			 OCFABRIC_BROADCAST_MASK_SHIFT;

	if (PCI_POSSIBLE_ERROR(told) || (told & echo) != rung)
		return -EIO;
	r->refused = told >> OCFABRIC_BROADCAST_QUEUE_SHIFT &
		     OCFABRIC_BROADCAST_QUEUE_MASK;
	switch (told >> OCFABRIC_BROADCAST_RESULT_SHIFT &
		OCFABRIC_BROADCAST_RESULT_MASK) {
	case OCFABRIC_BROADCAST_RUNG:
		return 0;
	case OCFABRIC_BROADCAST_DISABLED:
		return r->mask & BIT(r->refused) ? -EPIPE : -EIO;
	case OCFABRIC_BROADCAST_NO_ROOM:
		return r->mask & BIT(r->refused) ? -EAGAIN : -EIO;
	default:
		return -EIO;
	}
}

static int ocf_ring_all(struct ocf_card *card, struct ocf_ringing *r)
{
	u64 rung = r->increment |
		   (u64)r->mask << OCFABRIC_DOORBELL_BROADCAST_SHIFT;
	void __iomem *page = card->broadcast[r->receive];
	u64 told;
	int ret;

	CLASS(ocf_live, live)(card);
	if (!live || !ocf_ringing_alive(r))
		return -ENODEV;
	/* the latch is of the last one: nobody rings between these two */
	scoped_guard(mutex, &card->broadcast_lock) {
		writeq(rung, page + OCFABRIC_DOORBELL_BROADCAST);
		told = ocf_readq(card, OCFABRIC_REG_BROADCAST);
	}
	ret = ocf_ringing_result(r, rung, told);
	/* it may have gone between the two, or between halves of the second */
	if (ret == -EIO)
		ret = ocf_card_confirm(card) ?: ret;
	trace_ocfabric_broadcast(card, r->mask, r->increment, r->receive, ret);
	return ret;
}

int ocf_call_broadcast(struct ocf_call *call)
{
	struct ocfabric_broadcast *args = &call->args->broadcast;
	struct ocf_ringing ringing = {
		.increment = args->increment,
		.receive = args->flags & OCFABRIC_BROADCAST_RECEIVE,
	};
	int ret = ocf_ringing_check(args);

	if (ret)
		return ret;
	ret = ocf_ringing_hold(&ringing, call);
	if (!ret)
		ret = ocf_ring_all(call->card, &ringing);
	ocf_ringing_put(&ringing);
	if (ret != -EAGAIN && ret != -EPIPE)
		return ret;
	args->out_replica = ringing.refused;
	return ocf_respond(call) ?: ret;
}
