// SPDX-License-Identifier: GPL-2.0-only
/* What cards there are, and the scalars of one's configuration. */
#include <linux/pid.h>

#include "netlink.h"

struct ocf_device_row {
	u32 card;
	char name[16];
	char pci[32];
	struct ocf_caps caps;
	u32 errors;
	u32 events_lost;
	bool live;
	struct ocf_limits limits;	/* of a live one */
};

static void ocf_take_device(struct ocf_card *card, struct ocf_device_row *row)
{
	row->card = card->index;
	strscpy(row->name, card->name);
	strscpy(row->pci, card->pci_name);
	row->caps = card->caps;
	spin_lock(&card->publish_lock);
	row->errors = card->errors;
	row->events_lost = card->events_lost;
	spin_unlock(&card->publish_lock);
	row->live = !ocf_limits_read(card, &row->limits);
}

static int ocf_take_devices(struct ocf_card *card, struct ocf_rows *rows)
{
	struct ocf_device_row *row = ocf_rows_add(rows);

	if (!row)
		return -ENOMEM;
	ocf_take_device(card, row);
	return 0;
}

static int ocf_put_caps(struct sk_buff *skb, const struct ocf_caps *caps)
{
	return nla_put_u32(skb, OCFABRIC_A_DEVICE_HW_VERSION,
			   caps->hw_version) ?:
	       nla_put_uint(skb, OCFABRIC_A_DEVICE_FEATURES, caps->features) ?:
	       nla_put_uint(skb, OCFABRIC_A_DEVICE_HBM_SIZE, caps->hbm_size) ?:
	       nla_put_u32(skb, OCFABRIC_A_DEVICE_MAX_REPLICAS,
			   caps->replicas) ?:
	       nla_put_u32(skb, OCFABRIC_A_DEVICE_MAX_WINDOWS, caps->windows) ?:
	       nla_put_u32(skb, OCFABRIC_A_DEVICE_CLOCK_MHZ, caps->clock_mhz) ?:
	       nla_put_u32(skb, OCFABRIC_A_DEVICE_MAX_KEYS, caps->keys) ?:
	       nla_put_u32(skb, OCFABRIC_A_DEVICE_MAX_RANGES, caps->ranges) ?:
	       nla_put_u32(skb, OCFABRIC_A_DEVICE_MAX_KEY_RANGES,
			   caps->key_ranges);
}

static int ocf_put_limits(struct sk_buff *skb, const struct ocf_device_row *row)
{
	if (!row->live)
		return 0;
	return nla_put_u32(skb, OCFABRIC_A_DEVICE_STALL_LIMIT,
			   row->limits.stall) ?:
	       nla_put_u32(skb, OCFABRIC_A_DEVICE_STORM_LIMIT,
			   row->limits.storm);
}

static int ocf_put_device(struct sk_buff *skb, const void *data)
{
	const struct ocf_device_row *row = data;

	return nla_put_u32(skb, OCFABRIC_A_DEVICE_CARD, row->card) ?:
	       nla_put_string(skb, OCFABRIC_A_DEVICE_NAME, row->name) ?:
	       nla_put_string(skb, OCFABRIC_A_DEVICE_PCI, row->pci) ?:
	       ocf_put_caps(skb, &row->caps) ?:
	       nla_put_u32(skb, OCFABRIC_A_DEVICE_ERRORS, row->errors) ?:
	       nla_put_u32(skb, OCFABRIC_A_DEVICE_EVENTS_LOST,
			   row->events_lost) ?:
	       ocf_put_limits(skb, row);
}

const struct ocf_table ocf_table_devices = {
	.row_size = sizeof(struct ocf_device_row),
	.take = ocf_take_devices,
	.put = ocf_put_device,
};

/* ---- of one card -------------------------------------------------------- */

/* Sends one message that @put fills. */
static int ocf_nl_reply(struct genl_info *info, const void *row,
			int (*put)(struct sk_buff *skb, const void *row))
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *hdr;

	if (!skb)
		return -ENOMEM;
	hdr = genlmsg_iput(skb, info);
	if (!hdr || put(skb, row)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

int ocfabric_nl_device_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct ocf_card *card __free(ocf_card_put) =
		ocf_nl_card(info, OCFABRIC_A_DEVICE_CARD);
	struct ocf_device_row row = {};

	if (IS_ERR(card))
		return PTR_ERR(card);
	ocf_take_device(card, &row);
	return ocf_nl_reply(info, &row, ocf_put_device);
}

struct ocf_config_row {
	u32 card;
	const struct ocf_config *config;
	u32 generation;
	struct ocf_hold hold;
};

static int ocf_put_hold(struct sk_buff *skb, const struct ocf_hold *hold)
{
	if (nla_put_u32(skb, OCFABRIC_A_CONFIG_DRAINED, hold->held))
		return -EMSGSIZE;
	if (!hold->held)
		return 0;
	return nla_put_u32(skb, OCFABRIC_A_CONFIG_DRAINED_PID,
			   pid_vnr(hold->pid)) ?:
	       nla_put_string(skb, OCFABRIC_A_CONFIG_DRAINED_COMM,
			      hold->comm) ?:
	       nla_put_uint(skb, OCFABRIC_A_CONFIG_DRAINED_SINCE, hold->since);
}

static int ocf_put_config(struct sk_buff *skb, const void *data)
{
	const struct ocf_config_row *row = data;
	const struct ocf_config *config = row->config;

	return nla_put_u32(skb, OCFABRIC_A_CONFIG_CARD, row->card) ?:
	       nla_put_u32(skb, OCFABRIC_A_CONFIG_REPLICAS, config->replicas) ?:
	       nla_put_u32(skb, OCFABRIC_A_CONFIG_UPSTREAM_QPNS,
			   config->upstream_qpns) ?:
	       nla_put_u32(skb, OCFABRIC_A_CONFIG_LATENCY, config->latency) ?:
	       nla_put_u32(skb, OCFABRIC_A_CONFIG_GENERATION,
			   row->generation) ?:
	       ocf_put_hold(skb, &row->hold) ?:
	       nla_put_u32(skb, OCFABRIC_A_CONFIG_WINDOWS,
			   config->window_count);
}

int ocfabric_nl_config_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct ocf_card *card __free(ocf_card_put) =
		ocf_nl_card(info, OCFABRIC_A_CONFIG_CARD);
	struct ocf_config *config __free(ocf_config_put) = NULL;
	struct ocf_config_row row = {};
	int ret;

	if (IS_ERR(card))
		return PTR_ERR(card);
	scoped_guard(mutex, &card->config_lock) {
		config = ocf_config_get(card, &row.generation);
		row.hold = card->hold;
		get_pid(row.hold.pid);
	}
	row.card = card->index;
	row.config = config;
	ret = ocf_nl_reply(info, &row, ocf_put_config);
	put_pid(row.hold.pid);
	return ret;
}
