// SPDX-License-Identifier: GPL-2.0-only
/* Netlink: weights of queues, limits of a card. */
#include "netlink.h"

int ocfabric_nl_queue_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct ocf_card *card __free(ocf_card_put) =
		ocf_nl_card(info, OCFABRIC_A_QUEUE_CARD);
	struct nlattr *replica, *weight;
	int ret;

	if (IS_ERR(card))
		return PTR_ERR(card);
	if (GENL_REQ_ATTR_CHECK(info, OCFABRIC_A_QUEUE_REPLICA)) {
		GENL_SET_ERR_MSG(info, "the replica is missing");
		return -EINVAL;
	}
	if (GENL_REQ_ATTR_CHECK(info, OCFABRIC_A_QUEUE_WEIGHT)) {
		GENL_SET_ERR_MSG(info, "the weight is missing");
		return -EINVAL;
	}
	replica = info->attrs[OCFABRIC_A_QUEUE_REPLICA];
	weight = info->attrs[OCFABRIC_A_QUEUE_WEIGHT];
	ret = ocf_weight_set(card, nla_get_u32(replica), nla_get_u32(weight));
	if (ret == -ENOENT)
		return ocf_nl_no_replica(info, card, "replica",
					 OCFABRIC_A_QUEUE_REPLICA);
	return ocf_nl_failed(info, card, ret);
}

int ocfabric_nl_device_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct ocf_card *card __free(ocf_card_put) =
		ocf_nl_card(info, OCFABRIC_A_DEVICE_CARD);
	struct nlattr *stall = info->attrs[OCFABRIC_A_DEVICE_STALL_LIMIT];
	struct nlattr *storm = info->attrs[OCFABRIC_A_DEVICE_STORM_LIMIT];
	const struct ocf_limits change = {
		.stall = stall ? nla_get_u32(stall) : OCF_LIMIT_KEEP,
		.storm = storm ? nla_get_u32(storm) : OCF_LIMIT_KEEP,
	};

	if (IS_ERR(card))
		return PTR_ERR(card);
	if (!stall && !storm) {
		GENL_SET_ERR_MSG(info, "no limit to set");
		return -EINVAL;
	}
	return ocf_nl_failed(info, card, ocf_limits_set(card, &change));
}
