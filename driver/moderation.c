// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often queues interrupt. What an operator sets belongs to the slot and is
 * in force whoever sits there, after every reset, too; what an owner sets for
 * himself lasts until he goes.
 */
#include "ocfabric.h"
#include "trace.h"

const struct ocf_moderation ocf_moderation_default = {
	.burst = OCFABRIC_MODERATION_BURST,
	.timer = OCFABRIC_MODERATION_TIMER,
	.mode = OCFABRIC_MODE_LATENCY,
};

void ocf_moderation_read(struct ocf_card *card, u32 queue,
			 struct ocf_moderation *moderation)
{
	u32 reg = OCFABRIC_REG_QUEUE(queue);
	u32 word = ocf_readl(card, reg + OCFABRIC_QUEUE_MODERATION);

	*moderation = (struct ocf_moderation){
		.burst = max(word & OCFABRIC_MODERATION_BURST_MASK, 1u),
		.timer = ocf_believe(card, "the moderation timer of queue", queue,
				     ocf_readl(card, reg +
					       OCFABRIC_QUEUE_MODERATION_TIMER),
				     OCFABRIC_TIMER_MAX, OCFABRIC_TIMER_MAX),
		.mode = word & OCFABRIC_MODERATION_COUNT ?
			OCFABRIC_MODE_COUNT : OCFABRIC_MODE_LATENCY,
	};
}

static void ocf_moderation_write(struct ocf_card *card, u32 queue,
				 const struct ocf_moderation *moderation)
{
	u32 reg = OCFABRIC_REG_QUEUE(queue);
	u32 word = moderation->burst;

	lockdep_assert_held(&card->config_lock);
	trace_ocfabric_moderation(card, queue, moderation);
	if (moderation->mode == OCFABRIC_MODE_COUNT)
		word |= OCFABRIC_MODERATION_COUNT;
	ocf_writel(card, reg + OCFABRIC_QUEUE_MODERATION, word);
	ocf_writel(card, reg + OCFABRIC_QUEUE_MODERATION_TIMER,
		   moderation->timer);
}

/* What an operator has set, or the default. */
void ocf_moderation_restore(struct ocf_card *card, u32 queue)
{
	ocf_moderation_write(card, queue, &card->slot[queue].moderation);
}

/* By the owner; the values are valid. */
int ocf_moderation_own(struct ocf_replica *replica,
		       const struct ocf_moderation *moderation)
{
	struct ocf_card *card = replica->card;

	CLASS(ocf_live, live)(card);
	if (!live || !replica->alive)
		return -ENODEV;
	guard(mutex)(&card->config_lock);
	ocf_moderation_write(card, replica->index, moderation);
	return ocf_card_confirm(card);
}

static void ocf_moderation_merge(struct ocf_moderation *to,
				 const struct ocf_moderation *change)
{
	if (change->burst != OCF_MODERATION_KEEP)
		to->burst = change->burst;
	if (change->timer != OCF_MODERATION_KEEP)
		to->timer = change->timer;
	if (change->mode != OCF_MODERATION_KEEP)
		to->mode = change->mode;
}

/* By an operator; the values are valid, or OCF_MODERATION_KEEP. */
int ocf_moderation_set(struct ocf_card *card, u32 queue,
		       const struct ocf_moderation *change)
{
	struct ocf_moderation now;

	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	if (queue >= card->caps.replicas)
		return -ENOENT;
	guard(mutex)(&card->config_lock);
	ocf_moderation_merge(&card->slot[queue].moderation, change);
	/* what he leaves alone stays as the owner has it */
	ocf_moderation_read(card, queue, &now);
	ocf_moderation_merge(&now, change);
	ocf_moderation_write(card, queue, &now);
	return ocf_card_confirm(card);
}
