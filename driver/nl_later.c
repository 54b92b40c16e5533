// SPDX-License-Identifier: GPL-2.0-only
/* Operations of the family that the driver does not serve yet. */
#include "netlink.h"

int ocfabric_nl_stage_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb)
{
	return -EOPNOTSUPP;
}

int ocfabric_nl_qp_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return -EOPNOTSUPP;
}

int ocfabric_nl_ring_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb)
{
	return -EOPNOTSUPP;
}

int ocfabric_nl_qp_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	return -EOPNOTSUPP;
}

int ocfabric_nl_queue_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	return -EOPNOTSUPP;
}

int ocfabric_nl_device_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	return -EOPNOTSUPP;
}
