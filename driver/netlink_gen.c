// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	specs/ocfabric.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink_gen.h"

#include <uapi/linux/ocfabric_netlink.h>

/* Integer value ranges */
static const struct netlink_range_validation ocfabric_a_device_stall_limit_range = {
	.max	= 3600000ULL,
};

static const struct netlink_range_validation ocfabric_a_device_storm_limit_range = {
	.max	= 65535ULL,
};

static const struct netlink_range_validation ocfabric_a_moderation_burst_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation ocfabric_a_moderation_timer_range = {
	.max	= 10000000ULL,
};

static const struct netlink_range_validation ocfabric_a_qp_send_psn_range = {
	.max	= 16777215ULL,
};

static const struct netlink_range_validation ocfabric_a_qp_expected_psn_range = {
	.max	= 16777215ULL,
};

static const struct netlink_range_validation ocfabric_a_qp_window_range = {
	.min	= 1ULL,
	.max	= 32768ULL,
};

/* Common nested types */
const struct nla_policy ocfabric_change_nl_policy[OCFABRIC_A_CHANGE_SEM_COUNT + 1] = {
	[OCFABRIC_A_CHANGE_OP] = { .type = NLA_U32, },
	[OCFABRIC_A_CHANGE_SRC] = { .type = NLA_U32, },
	[OCFABRIC_A_CHANGE_DST] = { .type = NLA_U32, },
	[OCFABRIC_A_CHANGE_QPN] = { .type = NLA_U32, },
	[OCFABRIC_A_CHANGE_VALUE] = { .type = NLA_UINT, },
	[OCFABRIC_A_CHANGE_OFFSET] = { .type = NLA_UINT, },
	[OCFABRIC_A_CHANGE_LENGTH] = { .type = NLA_UINT, },
	[OCFABRIC_A_CHANGE_SEM_FIRST] = { .type = NLA_U32, },
	[OCFABRIC_A_CHANGE_SEM_COUNT] = { .type = NLA_U32, },
};

/* OCFABRIC_CMD_DEVICE_GET - do */
static const struct nla_policy ocfabric_device_get_nl_policy[OCFABRIC_A_DEVICE_CARD + 1] = {
	[OCFABRIC_A_DEVICE_CARD] = { .type = NLA_U32, },
};

/* OCFABRIC_CMD_CONFIG_GET - do */
static const struct nla_policy ocfabric_config_get_nl_policy[OCFABRIC_A_CONFIG_CARD + 1] = {
	[OCFABRIC_A_CONFIG_CARD] = { .type = NLA_U32, },
};

/* OCFABRIC_CMD_REGION_GET - dump */
static const struct nla_policy ocfabric_region_get_nl_policy[OCFABRIC_A_REGION_CARD + 1] = {
	[OCFABRIC_A_REGION_CARD] = { .type = NLA_U32, },
};

/* OCFABRIC_CMD_CONNECTION_GET - dump */
static const struct nla_policy ocfabric_connection_get_nl_policy[OCFABRIC_A_CONNECTION_CARD + 1] = {
	[OCFABRIC_A_CONNECTION_CARD] = { .type = NLA_U32, },
};

/* OCFABRIC_CMD_WINDOW_GET - dump */
static const struct nla_policy ocfabric_window_get_nl_policy[OCFABRIC_A_WINDOW_CARD + 1] = {
	[OCFABRIC_A_WINDOW_CARD] = { .type = NLA_U32, },
};

/* OCFABRIC_CMD_COUNTERS_GET - dump */
static const struct nla_policy ocfabric_counters_get_nl_policy[OCFABRIC_A_COUNTERS_CARD + 1] = {
	[OCFABRIC_A_COUNTERS_CARD] = { .type = NLA_U32, },
};

/* OCFABRIC_CMD_REPLICA_GET - dump */
static const struct nla_policy ocfabric_replica_get_nl_policy[OCFABRIC_A_REPLICA_CARD + 1] = {
	[OCFABRIC_A_REPLICA_CARD] = { .type = NLA_U32, },
};

/* OCFABRIC_CMD_REJECT_GET - dump */
static const struct nla_policy ocfabric_reject_get_nl_policy[OCFABRIC_A_REJECT_CARD + 1] = {
	[OCFABRIC_A_REJECT_CARD] = { .type = NLA_U32, },
};

/* OCFABRIC_CMD_SEMAPHORE_GET - dump */
static const struct nla_policy ocfabric_semaphore_get_nl_policy[OCFABRIC_A_SEMAPHORE_CARD + 1] = {
	[OCFABRIC_A_SEMAPHORE_CARD] = { .type = NLA_U32, },
};

/* OCFABRIC_CMD_MODERATION_SET - do */
static const struct nla_policy ocfabric_moderation_set_nl_policy[OCFABRIC_A_MODERATION_MODE + 1] = {
	[OCFABRIC_A_MODERATION_CARD] = { .type = NLA_U32, },
	[OCFABRIC_A_MODERATION_REPLICA] = { .type = NLA_U32, },
	[OCFABRIC_A_MODERATION_BURST] = NLA_POLICY_FULL_RANGE(NLA_U32, &ocfabric_a_moderation_burst_range),
	[OCFABRIC_A_MODERATION_TIMER] = NLA_POLICY_FULL_RANGE(NLA_U32, &ocfabric_a_moderation_timer_range),
	[OCFABRIC_A_MODERATION_MODE] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* OCFABRIC_CMD_CONFIG_CHANGE - do */
static const struct nla_policy ocfabric_config_change_nl_policy[OCFABRIC_A_CONFIG_CHANGE_STEP + 1] = {
	[OCFABRIC_A_CONFIG_CHANGE_CARD] = { .type = NLA_U32, },
	[OCFABRIC_A_CONFIG_CHANGE_CHECK] = { .type = NLA_FLAG, },
	[OCFABRIC_A_CONFIG_CHANGE_STEP] = NLA_POLICY_NESTED(ocfabric_change_nl_policy),
};

/* OCFABRIC_CMD_DRAIN - do */
static const struct nla_policy ocfabric_drain_nl_policy[OCFABRIC_A_CONTROL_CARD + 1] = {
	[OCFABRIC_A_CONTROL_CARD] = { .type = NLA_U32, },
};

/* OCFABRIC_CMD_RESUME - do */
static const struct nla_policy ocfabric_resume_nl_policy[OCFABRIC_A_CONTROL_CARD + 1] = {
	[OCFABRIC_A_CONTROL_CARD] = { .type = NLA_U32, },
};

/* OCFABRIC_CMD_RESET - do */
static const struct nla_policy ocfabric_reset_nl_policy[OCFABRIC_A_CONTROL_QPN + 1] = {
	[OCFABRIC_A_CONTROL_CARD] = { .type = NLA_U32, },
	[OCFABRIC_A_CONTROL_RESET_TARGET] = NLA_POLICY_RANGE(NLA_U32, 1, 4),
	[OCFABRIC_A_CONTROL_LINK] = { .type = NLA_U32, },
	[OCFABRIC_A_CONTROL_QPN] = NLA_POLICY_MAX(NLA_U32, 255),
};

/* OCFABRIC_CMD_STAGE_GET - dump */
static const struct nla_policy ocfabric_stage_get_nl_policy[OCFABRIC_A_STAGE_CARD + 1] = {
	[OCFABRIC_A_STAGE_CARD] = { .type = NLA_U32, },
};

/* OCFABRIC_CMD_QP_GET - dump */
static const struct nla_policy ocfabric_qp_get_nl_policy[OCFABRIC_A_QP_CARD + 1] = {
	[OCFABRIC_A_QP_CARD] = { .type = NLA_U32, },
};

/* OCFABRIC_CMD_QP_SET - do */
static const struct nla_policy ocfabric_qp_set_nl_policy[OCFABRIC_A_QP_RNR_TIMER + 1] = {
	[OCFABRIC_A_QP_CARD] = { .type = NLA_U32, },
	[OCFABRIC_A_QP_LINK] = { .type = NLA_U32, },
	[OCFABRIC_A_QP_QPN] = NLA_POLICY_MAX(NLA_U32, 255),
	[OCFABRIC_A_QP_STATE] = NLA_POLICY_MAX(NLA_U32, 6),
	[OCFABRIC_A_QP_SEND_PSN] = NLA_POLICY_FULL_RANGE(NLA_U32, &ocfabric_a_qp_send_psn_range),
	[OCFABRIC_A_QP_EXPECTED_PSN] = NLA_POLICY_FULL_RANGE(NLA_U32, &ocfabric_a_qp_expected_psn_range),
	[OCFABRIC_A_QP_WINDOW] = NLA_POLICY_FULL_RANGE(NLA_U32, &ocfabric_a_qp_window_range),
	[OCFABRIC_A_QP_MTU] = NLA_POLICY_RANGE(NLA_U32, 256, 4096),
	[OCFABRIC_A_QP_RETRY_LIMIT] = NLA_POLICY_MAX(NLA_U32, 7),
	[OCFABRIC_A_QP_RNR_LIMIT] = NLA_POLICY_MAX(NLA_U32, 7),
	[OCFABRIC_A_QP_TIMEOUT] = NLA_POLICY_MAX(NLA_U32, 31),
	[OCFABRIC_A_QP_RNR_TIMER] = NLA_POLICY_MAX(NLA_U32, 31),
};

/* OCFABRIC_CMD_QUEUE_SET - do */
static const struct nla_policy ocfabric_queue_set_nl_policy[OCFABRIC_A_QUEUE_WEIGHT + 1] = {
	[OCFABRIC_A_QUEUE_CARD] = { .type = NLA_U32, },
	[OCFABRIC_A_QUEUE_REPLICA] = { .type = NLA_U32, },
	[OCFABRIC_A_QUEUE_WEIGHT] = NLA_POLICY_RANGE(NLA_U32, 1, 255),
};

/* OCFABRIC_CMD_DEVICE_SET - do */
static const struct nla_policy ocfabric_device_set_nl_policy[OCFABRIC_A_DEVICE_STORM_LIMIT + 1] = {
	[OCFABRIC_A_DEVICE_CARD] = { .type = NLA_U32, },
	[OCFABRIC_A_DEVICE_STALL_LIMIT] = NLA_POLICY_FULL_RANGE(NLA_U32, &ocfabric_a_device_stall_limit_range),
	[OCFABRIC_A_DEVICE_STORM_LIMIT] = NLA_POLICY_FULL_RANGE(NLA_U32, &ocfabric_a_device_storm_limit_range),
};

/* OCFABRIC_CMD_RING_GET - dump */
static const struct nla_policy ocfabric_ring_get_nl_policy[OCFABRIC_A_RING_CARD + 1] = {
	[OCFABRIC_A_RING_CARD] = { .type = NLA_U32, },
};

/* Ops table for ocfabric */
static const struct genl_split_ops ocfabric_nl_ops[] = {
	{
		.cmd		= OCFABRIC_CMD_DEVICE_GET,
		.doit		= ocfabric_nl_device_get_doit,
		.policy		= ocfabric_device_get_nl_policy,
		.maxattr	= OCFABRIC_A_DEVICE_CARD,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= OCFABRIC_CMD_DEVICE_GET,
		.start	= ocfabric_nl_dump_start,
		.dumpit	= ocfabric_nl_device_get_dumpit,
		.done	= ocfabric_nl_dump_done,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= OCFABRIC_CMD_CONFIG_GET,
		.doit		= ocfabric_nl_config_get_doit,
		.policy		= ocfabric_config_get_nl_policy,
		.maxattr	= OCFABRIC_A_CONFIG_CARD,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= OCFABRIC_CMD_REGION_GET,
		.start		= ocfabric_nl_dump_start,
		.dumpit		= ocfabric_nl_region_get_dumpit,
		.done		= ocfabric_nl_dump_done,
		.policy		= ocfabric_region_get_nl_policy,
		.maxattr	= OCFABRIC_A_REGION_CARD,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= OCFABRIC_CMD_CONNECTION_GET,
		.start		= ocfabric_nl_dump_start,
		.dumpit		= ocfabric_nl_connection_get_dumpit,
		.done		= ocfabric_nl_dump_done,
		.policy		= ocfabric_connection_get_nl_policy,
		.maxattr	= OCFABRIC_A_CONNECTION_CARD,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= OCFABRIC_CMD_WINDOW_GET,
		.start		= ocfabric_nl_dump_start,
		.dumpit		= ocfabric_nl_window_get_dumpit,
		.done		= ocfabric_nl_dump_done,
		.policy		= ocfabric_window_get_nl_policy,
		.maxattr	= OCFABRIC_A_WINDOW_CARD,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= OCFABRIC_CMD_COUNTERS_GET,
		.start		= ocfabric_nl_dump_start,
		.dumpit		= ocfabric_nl_counters_get_dumpit,
		.done		= ocfabric_nl_dump_done,
		.policy		= ocfabric_counters_get_nl_policy,
		.maxattr	= OCFABRIC_A_COUNTERS_CARD,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= OCFABRIC_CMD_REPLICA_GET,
		.start		= ocfabric_nl_dump_start,
		.dumpit		= ocfabric_nl_replica_get_dumpit,
		.done		= ocfabric_nl_dump_done,
		.policy		= ocfabric_replica_get_nl_policy,
		.maxattr	= OCFABRIC_A_REPLICA_CARD,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= OCFABRIC_CMD_REJECT_GET,
		.start		= ocfabric_nl_dump_start,
		.dumpit		= ocfabric_nl_reject_get_dumpit,
		.done		= ocfabric_nl_dump_done,
		.policy		= ocfabric_reject_get_nl_policy,
		.maxattr	= OCFABRIC_A_REJECT_CARD,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= OCFABRIC_CMD_SEMAPHORE_GET,
		.start		= ocfabric_nl_dump_start,
		.dumpit		= ocfabric_nl_semaphore_get_dumpit,
		.done		= ocfabric_nl_dump_done,
		.policy		= ocfabric_semaphore_get_nl_policy,
		.maxattr	= OCFABRIC_A_SEMAPHORE_CARD,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= OCFABRIC_CMD_MODERATION_SET,
		.doit		= ocfabric_nl_moderation_set_doit,
		.policy		= ocfabric_moderation_set_nl_policy,
		.maxattr	= OCFABRIC_A_MODERATION_MODE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= OCFABRIC_CMD_CONFIG_CHANGE,
		.doit		= ocfabric_nl_config_change_doit,
		.policy		= ocfabric_config_change_nl_policy,
		.maxattr	= OCFABRIC_A_CONFIG_CHANGE_STEP,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= OCFABRIC_CMD_DRAIN,
		.doit		= ocfabric_nl_drain_doit,
		.policy		= ocfabric_drain_nl_policy,
		.maxattr	= OCFABRIC_A_CONTROL_CARD,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= OCFABRIC_CMD_RESUME,
		.doit		= ocfabric_nl_resume_doit,
		.policy		= ocfabric_resume_nl_policy,
		.maxattr	= OCFABRIC_A_CONTROL_CARD,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= OCFABRIC_CMD_RESET,
		.doit		= ocfabric_nl_reset_doit,
		.policy		= ocfabric_reset_nl_policy,
		.maxattr	= OCFABRIC_A_CONTROL_QPN,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= OCFABRIC_CMD_STAGE_GET,
		.start		= ocfabric_nl_dump_start,
		.dumpit		= ocfabric_nl_stage_get_dumpit,
		.done		= ocfabric_nl_dump_done,
		.policy		= ocfabric_stage_get_nl_policy,
		.maxattr	= OCFABRIC_A_STAGE_CARD,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= OCFABRIC_CMD_QP_GET,
		.start		= ocfabric_nl_dump_start,
		.dumpit		= ocfabric_nl_qp_get_dumpit,
		.done		= ocfabric_nl_dump_done,
		.policy		= ocfabric_qp_get_nl_policy,
		.maxattr	= OCFABRIC_A_QP_CARD,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= OCFABRIC_CMD_QP_SET,
		.doit		= ocfabric_nl_qp_set_doit,
		.policy		= ocfabric_qp_set_nl_policy,
		.maxattr	= OCFABRIC_A_QP_RNR_TIMER,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= OCFABRIC_CMD_QUEUE_SET,
		.doit		= ocfabric_nl_queue_set_doit,
		.policy		= ocfabric_queue_set_nl_policy,
		.maxattr	= OCFABRIC_A_QUEUE_WEIGHT,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= OCFABRIC_CMD_DEVICE_SET,
		.doit		= ocfabric_nl_device_set_doit,
		.policy		= ocfabric_device_set_nl_policy,
		.maxattr	= OCFABRIC_A_DEVICE_STORM_LIMIT,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= OCFABRIC_CMD_RING_GET,
		.start		= ocfabric_nl_dump_start,
		.dumpit		= ocfabric_nl_ring_get_dumpit,
		.done		= ocfabric_nl_dump_done,
		.policy		= ocfabric_ring_get_nl_policy,
		.maxattr	= OCFABRIC_A_RING_CARD,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
};

static const struct genl_multicast_group ocfabric_nl_mcgrps[] = {
	[OCFABRIC_NLGRP_EVENTS] = { "events", },
};

struct genl_family ocfabric_nl_family __ro_after_init = {
	.name		= OCFABRIC_FAMILY_NAME,
	.version	= OCFABRIC_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= ocfabric_nl_ops,
	.n_split_ops	= ARRAY_SIZE(ocfabric_nl_ops),
	.mcgrps		= ocfabric_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(ocfabric_nl_mcgrps),
};
