// SPDX-License-Identifier: GPL-2.0-only
/* Dumps of the configuration, and which table belongs to which command. */
#include "netlink.h"

/* ---- regions ------------------------------------------------------------ */

struct ocf_region_row {
	u32 card;
	u32 replica;
	struct ocfabric_region region;
};

static int ocf_take_regions(struct ocf_card *card, struct ocf_rows *rows)
{
	struct ocf_config *config __free(ocf_config_put) =
		ocf_config_get(card, NULL);
	struct ocf_region_row *row;
	u32 i;

	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++) {
		row = ocf_rows_add(rows);
		if (!row)
			return -ENOMEM;
		*row = (struct ocf_region_row){
			.card = card->index,
			.replica = i,
			.region = config->region[i],
		};
	}
	return 0;
}

static int ocf_put_region(struct sk_buff *skb, const void *data)
{
	const struct ocf_region_row *row = data;

	return nla_put_u32(skb, OCFABRIC_A_REGION_CARD, row->card) ?:
	       nla_put_u32(skb, OCFABRIC_A_REGION_REPLICA, row->replica) ?:
	       nla_put_uint(skb, OCFABRIC_A_REGION_BASE, row->region.base) ?:
	       nla_put_uint(skb, OCFABRIC_A_REGION_SIZE, row->region.length);
}

static const struct ocf_table ocf_table_regions = {
	.row_size = sizeof(struct ocf_region_row),
	.take = ocf_take_regions,
	.put = ocf_put_region,
};

/* ---- connections -------------------------------------------------------- */

struct ocf_connection_row {
	u32 card;
	u32 link;
	u8 peer[OCFABRIC_QPNS];
};

static int ocf_take_connections(struct ocf_card *card, struct ocf_rows *rows)
{
	struct ocf_config *config __free(ocf_config_put) =
		ocf_config_get(card, NULL);
	struct ocf_connection_row *row;
	u32 i;

	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++) {
		row = ocf_rows_add(rows);
		if (!row)
			return -ENOMEM;
		row->card = card->index;
		row->link = i;
		memcpy(row->peer, config->peer[i], sizeof(row->peer));
	}
	return 0;
}

static int ocf_put_connection(struct sk_buff *skb, const void *data)
{
	const struct ocf_connection_row *row = data;

	return nla_put_u32(skb, OCFABRIC_A_CONNECTION_CARD, row->card) ?:
	       nla_put_u32(skb, OCFABRIC_A_CONNECTION_LINK, row->link) ?:
	       nla_put(skb, OCFABRIC_A_CONNECTION_PEERS, sizeof(row->peer),
		       row->peer);
}

static const struct ocf_table ocf_table_connections = {
	.row_size = sizeof(struct ocf_connection_row),
	.take = ocf_take_connections,
	.put = ocf_put_connection,
};

/* ---- windows ------------------------------------------------------------ */

struct ocf_window_row {
	u32 card;
	struct ocf_window window;
};

static int ocf_take_windows(struct ocf_card *card, struct ocf_rows *rows)
{
	struct ocf_config *config __free(ocf_config_put) =
		ocf_config_get(card, NULL);
	struct ocf_window_row *row;
	u32 i;

	for (i = 0; i < config->window_count; i++) {
		row = ocf_rows_add(rows);
		if (!row)
			return -ENOMEM;
		row->card = card->index;
		row->window = config->window[i];
	}
	return 0;
}

static int ocf_put_window_semaphores(struct sk_buff *skb,
				     const struct ocf_window *w)
{
	if (!w->sem_count)
		return 0;
	return nla_put_u32(skb, OCFABRIC_A_WINDOW_SEM_FIRST, w->sem_first) ?:
	       nla_put_u32(skb, OCFABRIC_A_WINDOW_SEM_COUNT, w->sem_count);
}

static int ocf_put_window(struct sk_buff *skb, const void *data)
{
	const struct ocf_window_row *row = data;
	const struct ocf_window *w = &row->window;

	return nla_put_u32(skb, OCFABRIC_A_WINDOW_CARD, row->card) ?:
	       nla_put_u32(skb, OCFABRIC_A_WINDOW_SRC, w->src) ?:
	       nla_put_u32(skb, OCFABRIC_A_WINDOW_DST, w->dst) ?:
	       nla_put_uint(skb, OCFABRIC_A_WINDOW_OFFSET, w->offset) ?:
	       nla_put_uint(skb, OCFABRIC_A_WINDOW_LENGTH, w->length) ?:
	       ocf_put_window_semaphores(skb, w);
}

static const struct ocf_table ocf_table_windows = {
	.row_size = sizeof(struct ocf_window_row),
	.take = ocf_take_windows,
	.put = ocf_put_window,
};

static const struct ocf_table *const ocf_tables[] = {
	[OCFABRIC_CMD_DEVICE_GET] = &ocf_table_devices,
	[OCFABRIC_CMD_REGION_GET] = &ocf_table_regions,
	[OCFABRIC_CMD_CONNECTION_GET] = &ocf_table_connections,
	[OCFABRIC_CMD_WINDOW_GET] = &ocf_table_windows,
	[OCFABRIC_CMD_COUNTERS_GET] = &ocf_table_counters,
	[OCFABRIC_CMD_REPLICA_GET] = &ocf_table_replicas,
	[OCFABRIC_CMD_REJECT_GET] = &ocf_table_rejects,
	[OCFABRIC_CMD_SEMAPHORE_GET] = &ocf_table_semaphores,
	[OCFABRIC_CMD_STAGE_GET] = &ocf_table_stages,
	[OCFABRIC_CMD_QP_GET] = &ocf_table_qps,
	[OCFABRIC_CMD_RING_GET] = &ocf_table_rings,
};

const struct ocf_table *ocf_table_of(u8 cmd)
{
	return cmd < ARRAY_SIZE(ocf_tables) ? ocf_tables[cmd] : NULL;
}
