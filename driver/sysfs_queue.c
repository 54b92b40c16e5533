// SPDX-License-Identifier: GPL-2.0-only
/* queueR/ in sysfs: what the queue of a replica does, has an owner or not. */
#include <linux/sysfs.h>

#include "sysfs.h"

static const char *const ocf_queue_states[] = {
	[OCFABRIC_QUEUE_DISABLED] = "disabled",
	[OCFABRIC_QUEUE_ENABLED] = "enabled",
	[OCFABRIC_QUEUE_STOPPED] = "stopped",
	[OCFABRIC_QUEUE_QUIESCING] = "quiescing",
};

static const char *const ocf_queue_causes[] = {
	[OCFABRIC_CAUSE_NONE] = "none",
	[OCFABRIC_CAUSE_STALE_TAG] = "stale_tag",
	[OCFABRIC_CAUSE_OVER_INCREMENT] = "over_increment",
	[OCFABRIC_CAUSE_BAD_DESCRIPTOR] = "bad_descriptor",
	[OCFABRIC_CAUSE_CQ_FULL] = "cq_full",
	[OCFABRIC_CAUSE_OWNER_INDEX] = "owner_index",
	[OCFABRIC_CAUSE_DMA] = "dma",
	[OCFABRIC_CAUSE_RX_STALE_TAG] = "rx_stale_tag",
	[OCFABRIC_CAUSE_RX_OVER_INCREMENT] = "rx_over_increment",
	[OCFABRIC_CAUSE_RX_BAD_DESCRIPTOR] = "rx_bad_descriptor",
};

static ssize_t ocf_emit_word(char *buf, const char *const *word, u32 words,
			     u32 value)
{
	return sysfs_emit(buf, "%s\n", value < words ? word[value] : "unknown");
}

enum ocf_queue_item {
	OCF_QUEUE_STATE,
	OCF_QUEUE_CAUSE,
	OCF_QUEUE_WAITING,
	OCF_QUEUE_HEAD,
	OCF_QUEUE_TAIL,
	OCF_QUEUE_RX_HEAD,
	OCF_QUEUE_RX_TAIL,
	OCF_QUEUE_COMPLETIONS,
	OCF_QUEUE_INTERRUPTS,
	OCF_QUEUE_DELAYED,
	OCF_QUEUE_WEIGHT,
};

static const struct {
	const char *name;
	u32 reg;
} ocf_queue_items[] = {
	[OCF_QUEUE_STATE] = { "state", OCFABRIC_QUEUE_STATE },
	[OCF_QUEUE_CAUSE] = { "cause", OCFABRIC_QUEUE_STATE },
	[OCF_QUEUE_WAITING] = { "waiting", OCFABRIC_QUEUE_STATE },
	[OCF_QUEUE_HEAD] = { "head", OCFABRIC_QUEUE_HEAD },
	[OCF_QUEUE_TAIL] = { "tail", OCFABRIC_QUEUE_TAIL },
	[OCF_QUEUE_RX_HEAD] = { "rx_head", OCFABRIC_QUEUE_RX_HEAD },
	[OCF_QUEUE_RX_TAIL] = { "rx_tail", OCFABRIC_QUEUE_RX_TAIL },
	[OCF_QUEUE_COMPLETIONS] = { "completions", OCFABRIC_QUEUE_CQ_PRODUCER },
	[OCF_QUEUE_INTERRUPTS] = { "interrupts", OCFABRIC_QUEUE_INTERRUPTS },
	[OCF_QUEUE_DELAYED] = { "delayed", OCFABRIC_QUEUE_DELAYED },
	[OCF_QUEUE_WEIGHT] = { "weight", OCFABRIC_QUEUE_WEIGHT },
};

static_assert(ARRAY_SIZE(ocf_queue_items) <= OCF_SYSFS_GROUP_MAX);

static ssize_t ocf_queue_show(struct ocf_card *card,
			      const struct ocf_sysfs_attr *attr, char *buf)
{
	u32 value;

	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	value = ocf_readl(card, OCFABRIC_REG_QUEUE(attr->index) +
			  ocf_queue_items[attr->item].reg);
	if (ocf_card_confirm(card))
		return -ENODEV;
	switch (attr->item) {
	case OCF_QUEUE_STATE:
		return ocf_emit_word(buf, ocf_queue_states,
				     ARRAY_SIZE(ocf_queue_states), value & 0xff);
	case OCF_QUEUE_CAUSE:
		return ocf_emit_word(buf, ocf_queue_causes,
				     ARRAY_SIZE(ocf_queue_causes),
				     value >> 8 & 0xff);
	case OCF_QUEUE_WAITING:
		return sysfs_emit(buf, "%u\n",
				  !!(value & OCFABRIC_QUEUE_WAITING));
	default:
		return sysfs_emit(buf, "%u\n", value);
	}
}

u32 ocf_sysfs_queue(struct ocf_sysfs_attr *attr)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ocf_queue_items); i++, attr++) {
		strscpy(attr->name, ocf_queue_items[i].name);
		attr->item = i;
		attr->show = ocf_queue_show;
	}
	return i;
}
