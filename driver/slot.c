// SPDX-License-Identifier: GPL-2.0-only
/* Waiting for a queue: poll() and an eventfd. */
#include <linux/eventfd.h>

#include "ocfabric.h"

void ocf_slot_init(struct ocf_card *card, u32 index)
{
	struct ocf_slot *slot = &card->slot[index];

	slot->card = card;
	slot->index = index;
	slot->moderation = ocf_moderation_default;
	slot->weight = OCF_WEIGHT;
	slot->last_uid = INVALID_UID;
	init_waitqueue_head(&slot->wait);
	spin_lock_init(&slot->lock);
	atomic_set(&slot->key_generation, 0);
}

/* From interrupts, too. */
void ocf_slot_wake(struct ocf_slot *slot, __poll_t what)
{
	unsigned long flags;

	wake_up_poll(&slot->wait, what);
	spin_lock_irqsave(&slot->lock, flags);
	if (slot->eventfd)
		eventfd_signal(slot->eventfd);
	spin_unlock_irqrestore(&slot->lock, flags);
}

static void ocf_slot_set_eventfd(struct ocf_slot *slot, struct eventfd_ctx *ctx)
{
	scoped_guard(spinlock_irqsave, &slot->lock)
		swap(slot->eventfd, ctx);
	if (ctx)
		eventfd_ctx_put(ctx);
}

/*
 * The replica is alive and its card entered, so that it cannot become somebody
 * else's slot meanwhile. fd -1: none from now on.
 */
int ocf_slot_eventfd(struct ocf_slot *slot, int fd)
{
	struct eventfd_ctx *ctx = NULL;

	if (fd >= 0)
		ctx = eventfd_ctx_fdget(fd);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	ocf_slot_set_eventfd(slot, ctx);
	return 0;
}

/* Nobody is this replica any more. */
void ocf_slot_clear(struct ocf_slot *slot)
{
	WRITE_ONCE(slot->stopped, false);
	ocf_slot_set_eventfd(slot, NULL);
}
