/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	specs/ocfabric.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_OCFABRIC_GEN_H
#define _LINUX_OCFABRIC_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/ocfabric_netlink.h>

/* Common nested types */
extern const struct nla_policy ocfabric_change_nl_policy[OCFABRIC_A_CHANGE_SEM_COUNT + 1];

int ocfabric_nl_dump_start(struct netlink_callback *cb);
int ocfabric_nl_dump_done(struct netlink_callback *cb);

int ocfabric_nl_device_get_doit(struct sk_buff *skb, struct genl_info *info);
int ocfabric_nl_device_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb);
int ocfabric_nl_config_get_doit(struct sk_buff *skb, struct genl_info *info);
int ocfabric_nl_region_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb);
int ocfabric_nl_connection_get_dumpit(struct sk_buff *skb,
				      struct netlink_callback *cb);
int ocfabric_nl_window_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb);
int ocfabric_nl_counters_get_dumpit(struct sk_buff *skb,
				    struct netlink_callback *cb);
int ocfabric_nl_replica_get_dumpit(struct sk_buff *skb,
				   struct netlink_callback *cb);
int ocfabric_nl_reject_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb);
int ocfabric_nl_semaphore_get_dumpit(struct sk_buff *skb,
				     struct netlink_callback *cb);
int ocfabric_nl_moderation_set_doit(struct sk_buff *skb,
				    struct genl_info *info);
int ocfabric_nl_config_change_doit(struct sk_buff *skb, struct genl_info *info);
int ocfabric_nl_drain_doit(struct sk_buff *skb, struct genl_info *info);
int ocfabric_nl_resume_doit(struct sk_buff *skb, struct genl_info *info);
int ocfabric_nl_reset_doit(struct sk_buff *skb, struct genl_info *info);
int ocfabric_nl_stage_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int ocfabric_nl_qp_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int ocfabric_nl_qp_set_doit(struct sk_buff *skb, struct genl_info *info);
int ocfabric_nl_queue_set_doit(struct sk_buff *skb, struct genl_info *info);
int ocfabric_nl_device_set_doit(struct sk_buff *skb, struct genl_info *info);
int ocfabric_nl_ring_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb);

enum {
	OCFABRIC_NLGRP_EVENTS,
};

extern struct genl_family ocfabric_nl_family;

#endif /* _LINUX_OCFABRIC_GEN_H */
