// SPDX-License-Identifier: GPL-2.0-only
/* Replicas: attaching, the handle's file, closing it, revoking it. */
#include <linux/anon_inodes.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/slab.h>

#include "ocfabric.h"
#include "trace.h"

/* For the caller to attach. */
struct ocf_replica *ocf_replica_alloc(struct ocf_card *card, u32 index)
{
	struct ocf_replica *replica = kzalloc(sizeof(*replica), GFP_KERNEL);

	if (!replica)
		return NULL;
	kref_init(&replica->ref);
	kref_get(&card->ref);
	replica->card = card;
	replica->index = index;
	replica->uid = current_uid();
	replica->pid = get_pid(task_tgid(current));
	get_task_comm(replica->comm, current);
	init_rwsem(&replica->map_lock);
	mutex_init(&replica->lock);
	INIT_LIST_HEAD(&replica->buffers);
	return replica;
}

static void ocf_replica_free(struct kref *ref)
{
	struct ocf_replica *replica = container_of(ref, struct ocf_replica, ref);

	put_pid(replica->pid);
	ocf_card_put(replica->card);
	kfree(replica);
}

void ocf_replica_put(struct ocf_replica *replica)
{
	kref_put(&replica->ref, ocf_replica_free);
}

/* Its file, which takes the caller's reference over, or an ERR_PTR. */
struct file *ocf_replica_file(struct ocf_replica *replica)
{
	struct file *file;

	/* an inode of its own: its mappings are what we zap */
	file = anon_inode_create_getfile("[ocfabric-replica]",
					 &ocf_replica_fops, replica,
					 O_RDWR | O_CLOEXEC, NULL);
	if (IS_ERR(file))
		return file;
	file->f_mode |= FMODE_LSEEK | FMODE_PREAD | FMODE_PWRITE;
	replica->mapping = file->f_mapping;
	return file;
}

/* In its slot from now on, for good or bad. */
static void ocf_replica_sit(struct ocf_replica *replica, bool alive)
{
	struct ocf_slot *slot = &replica->card->slot[replica->index];

	lockdep_assert_held(&replica->card->config_lock);
	kref_get(&replica->ref);
	WRITE_ONCE(slot->replica, replica);
	guard(rwsem_write)(&replica->map_lock);
	WRITE_ONCE(replica->alive, alive);
}

static int ocf_replica_attach_locked(struct ocf_replica *replica,
				     const struct ocf_entries *entries,
				     bool clear)
{
	struct ocf_card *card = replica->card;
	struct ocf_slot *slot = &card->slot[replica->index];
	int ret;

	lockdep_assert_held(&card->config_lock);
	if (slot->replica)
		return -EBUSY;
	ret = ocf_rings_alloc(card, &replica->rings, entries);
	if (ret)
		return ret;
	replica->since = ocf_readq(card, OCFABRIC_REG_CLOCK);
	replica->region = card->config->region[replica->index];
	if (!ocf_hbm_give(card, &replica->region, replica->uid, clear)) {
		ocf_rings_free(&replica->rings);
		return -ENODEV;
	}
	ret = ocf_queue_enable(replica, clear ||
			       !uid_eq(slot->last_uid, replica->uid));
	if (!ret) {
		slot->last_uid = replica->uid;
		ocf_replica_sit(replica, true);
	} else if (ret == -ETIMEDOUT || ret == -ENODEV) {
		/* the card may use the rings: nobody's until it is reset */
		ocf_replica_sit(replica, false);
	} else {
		ocf_rings_free(&replica->rings);
	}
	return ret;
}

/**
 * ocf_replica_attach - become the replica
 * @replica: with its file
 * @entries: of the rings
 * @clear: start from a zeroed region and zeroed semaphores
 *
 * Return: 0; -EBUSY when somebody else is it.
 */
int ocf_replica_attach(struct ocf_replica *replica,
		       const struct ocf_entries *entries, bool clear)
{
	struct ocf_card *card = replica->card;
	int ret;

	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	scoped_guard(mutex, &card->config_lock)
		ret = ocf_replica_attach_locked(replica, entries, clear);
	trace_ocfabric_attach(replica, ret);
	if (!ret)
		ocf_notify_replica(card, OCFABRIC_EVENT_KIND_ATTACHED,
				   replica->index);
	return ret;
}

/* The card does not use it any more: everything but the struct is freed. */
static void ocf_replica_empty(struct ocf_replica *replica)
{
	scoped_guard(rwsem_write, &replica->map_lock) {
		WRITE_ONCE(replica->alive, false);
		ocf_map_zap(replica);
	}
	ocf_keys_free(replica);
	scoped_guard(rwsem_write, &replica->map_lock) {
		ocf_buffers_revoke(replica);
		ocf_rings_free(&replica->rings);
	}
}

static void ocf_replica_leave(struct ocf_replica *replica)
{
	struct ocf_slot *slot = &replica->card->slot[replica->index];

	lockdep_assert_held(&replica->card->config_lock);
	ocf_slot_clear(slot);
	WRITE_ONCE(slot->replica, NULL);
	ocf_replica_put(replica);
}

/**
 * ocf_replica_revoke - take everything away, whoever has the handle
 * @replica: in its slot; the card's gate is held for writing, and the card is
 *	     reset or gone
 *
 * On return nothing of the card is mapped through the handle, its memory is
 * given back, and all calls on it say ENODEV.
 */
void ocf_replica_revoke(struct ocf_replica *replica)
{
	struct ocf_slot *slot = &replica->card->slot[replica->index];

	lockdep_assert_held_write(&replica->card->gate);
	trace_ocfabric_detach(replica, -ENODEV);
	ocf_replica_empty(replica);
	ocf_slot_wake(slot, EPOLLERR | EPOLLHUP);
	ocf_replica_leave(replica);
}

static int ocf_replica_quit(struct ocf_replica *replica)
{
	int ret = ocf_queue_finish(replica);

	return ret ?: ocf_keys_del(replica);
}

/*
 * Nobody has the handle any more. When the card is being stopped, that is what
 * revokes the replica; when it does not let go of it, a reset will.
 */
static void ocf_replica_detach(struct ocf_replica *replica)
{
	struct ocf_card *card = replica->card;
	int ret;

	CLASS(ocf_live, live)(card);
	if (!live || !replica->alive)
		return;
	ret = ocf_replica_quit(replica);
	trace_ocfabric_detach(replica, ret);
	if (ret == -ENODEV)
		return;
	if (ret) {
		dev_err(&card->pdev->dev,
			"replica %u does not stop (error %d); it stays taken until the card is reset\n",
			replica->index, ret);
		ocf_card_failed(card, "a replica does not stop");
		return;
	}
	ocf_replica_empty(replica);
	scoped_guard(mutex, &card->config_lock) {
		ocf_moderation_restore(card, replica->index);
		ocf_replica_leave(replica);
	}
	ocf_notify_replica(card, OCFABRIC_EVENT_KIND_DETACHED, replica->index);
}

static int ocf_replica_release(struct inode *inode, struct file *file)
{
	struct ocf_replica *replica = file->private_data;

	/* whoever revokes it later finds no mappings to zap */
	scoped_guard(rwsem_write, &replica->map_lock)
		replica->mapping = NULL;
	ocf_replica_detach(replica);
	ocf_replica_put(replica);
	return 0;
}

/*
 * EPOLLIN: there is a completion, or the armed semaphore has come as far as it
 * is waited for, or none of that will come because the queue stopped by itself.
 * The semaphore is EPOLLRDBAND, too, so that it can be waited for while
 * completions lie untaken, and the stop EPOLLPRI.
 */
static __poll_t ocf_replica_poll(struct file *file, poll_table *wait)
{
	struct ocf_replica *replica = file->private_data;
	struct ocf_slot *slot = &replica->card->slot[replica->index];
	__poll_t mask = 0;

	poll_wait(file, &slot->wait, wait);
	guard(rwsem_read)(&replica->map_lock);
	if (!replica->alive)
		return EPOLLERR | EPOLLHUP;
	if (ocf_queue_stopped(replica))
		mask |= EPOLLIN | EPOLLRDNORM | EPOLLPRI;
	return mask | ocf_queue_events(replica);
}

static long ocf_replica_ioctl(struct file *file, unsigned int cmd,
			      unsigned long arg)
{
	struct ocf_replica *replica = file->private_data;

	return ocf_ioctl(file, replica->card, replica, cmd, arg);
}

const struct file_operations ocf_replica_fops = {
	.owner = THIS_MODULE,
	.release = ocf_replica_release,
	.unlocked_ioctl = ocf_replica_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = ocf_replica_mmap,
	.poll = ocf_replica_poll,
	.read = ocf_region_read,
	.write = ocf_region_write,
	.llseek = ocf_region_llseek,
};
