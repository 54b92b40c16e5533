// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an operator sets so that nobody takes all: weights of the queues, the
 * storm limit; and after how long a link is told as stalled. All of it is the
 * card's and the slots', whoever sits there, and in force again after every
 * reset.
 */
#include "ocfabric.h"
#include "trace.h"

const struct ocf_limits ocf_limits_default = {
	.stall = OCFABRIC_STALL_LIMIT,
	.storm = OCFABRIC_STORM_LIMIT,
};

static void ocf_weight_write(struct ocf_card *card, u32 queue)
{
	u32 weight = card->slot[queue].weight;

	lockdep_assert_held(&card->config_lock);
	trace_ocfabric_weight(card, queue, weight);
	ocf_writel(card, OCFABRIC_REG_QUEUE(queue) + OCFABRIC_QUEUE_WEIGHT,
		   weight);
}

static void ocf_limits_write(struct ocf_card *card)
{
	lockdep_assert_held(&card->config_lock);
	trace_ocfabric_limits(card, &card->limits);
	ocf_writel(card, OCFABRIC_REG_STALL_LIMIT, card->limits.stall);
	ocf_writel(card, OCFABRIC_REG_STORM_LIMIT, card->limits.storm);
}

/* What an operator has set, or the default. */
void ocf_limits_restore(struct ocf_card *card)
{
	u32 i;

	ocf_limits_write(card);
	for (i = 0; i < card->caps.replicas; i++)
		ocf_weight_write(card, i);
}

/* As they are in force. */
int ocf_limits_read(struct ocf_card *card, struct ocf_limits *limits)
{
	u32 stall, storm;
	int ret;

	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	stall = ocf_readl(card, OCFABRIC_REG_STALL_LIMIT);
	storm = ocf_readl(card, OCFABRIC_REG_STORM_LIMIT);
	ret = ocf_card_confirm(card);
	if (ret)
		return ret;
	*limits = (struct ocf_limits){
		.stall = ocf_believe(card, "limit", OCFABRIC_REG_STALL_LIMIT,
				     stall, OCFABRIC_STALL_LIMIT_MAX,
				     card->limits.stall),
		.storm = ocf_believe(card, "limit", OCFABRIC_REG_STORM_LIMIT,
				     storm, OCFABRIC_STORM_LIMIT_MAX,
				     card->limits.storm),
	};
	return 0;
}

/* The values are valid, or OCF_LIMIT_KEEP. */
int ocf_limits_set(struct ocf_card *card, const struct ocf_limits *change)
{
	int ret;

	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	scoped_guard(mutex, &card->config_lock) {
		if (change->stall != OCF_LIMIT_KEEP)
			card->limits.stall = change->stall;
		if (change->storm != OCF_LIMIT_KEEP)
			WRITE_ONCE(card->limits.storm, change->storm);
		ocf_limits_write(card);
		ret = ocf_card_confirm(card);
	}
	if (!ret)
		ocf_notify_kind(card, OCFABRIC_EVENT_KIND_LIMITS_CHANGED);
	return ret;
}

/* The weight is valid. */
int ocf_weight_set(struct ocf_card *card, u32 queue, u32 weight)
{
	int ret;

	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	if (queue >= card->caps.replicas)
		return -ENOENT;
	scoped_guard(mutex, &card->config_lock) {
		card->slot[queue].weight = weight;
		ocf_weight_write(card, queue);
		ret = ocf_card_confirm(card);
	}
	if (!ret)
		ocf_notify_replica(card, OCFABRIC_EVENT_KIND_LIMITS_CHANGED,
				   queue);
	return ret;
}

/* Of a queue of a card that is entered. */
u32 ocf_weight_read(struct ocf_card *card, u32 queue)
{
	u32 weight = ocf_readl(card, OCFABRIC_REG_QUEUE(queue) +
			       OCFABRIC_QUEUE_WEIGHT);

	return ocf_believe(card, "the weight of queue", queue, weight,
			   OCFABRIC_WEIGHT_MAX, OCFABRIC_WEIGHT_MAX);
}

/* Interrupts that the storm limit put off. */
u32 ocf_delayed_read(struct ocf_card *card, u32 queue)
{
	return ocf_readl(card,
			 OCFABRIC_REG_QUEUE(queue) + OCFABRIC_QUEUE_DELAYED);
}
