// SPDX-License-Identifier: GPL-2.0-only
/* Netlink: stages of the links, and the last entries of the rings. */
#include <linux/slab.h>

#include "netlink.h"

/* ---- stage-get ---------------------------------------------------------- */

struct ocf_stage_row {
	u32 card;
	u32 link;
	u32 stage;
	bool held;
	u8 waits_for;
	u64 since;
	u64 due;
	u64 clock;
	struct ocf_path_count count;
};

static int ocf_take_link_stages(struct ocf_card *card, struct ocf_rows *rows,
				u32 link, const struct ocf_path *path, u64 clock)
{
	struct ocf_stage_row *row;
	u32 stage;

	for (stage = 0; stage < OCFABRIC_PATHS; stage++) {
		row = ocf_rows_add(rows);
		if (!row)
			return -ENOMEM;
		*row = (struct ocf_stage_row){
			.card = card->index,
			.link = link,
			.stage = stage,
			.held = path->at == stage,
			.waits_for = path->waits_for,
			.since = path->since,
			.due = path->due,
			.clock = clock,
			.count = path->stage[stage],
		};
	}
	return 0;
}

/* Of links below n, as counters are. */
static int ocf_take_stages(struct ocf_card *card, struct ocf_rows *rows)
{
	u32 links = ocf_nl_links(card);
	struct ocf_path *path __free(kfree) =
		kcalloc(OCFABRIC_REPLICAS_MAX, sizeof(*path), GFP_KERNEL);
	u64 clock;
	int ret;
	u32 i;

	if (!path)
		return -ENOMEM;
	ret = ocf_paths_read(card, 0, links, path, &clock);
	for (i = 0; !ret && i < links; i++)
		ret = ocf_take_link_stages(card, rows, i, &path[i], clock);
	return ret;
}

static int ocf_put_held(struct sk_buff *skb, const struct ocf_stage_row *row)
{
	return nla_put_u32(skb, OCFABRIC_A_STAGE_WAITS_FOR, row->waits_for) ?:
	       nla_put_uint(skb, OCFABRIC_A_STAGE_SINCE, row->since) ?:
	       (row->due ? nla_put_uint(skb, OCFABRIC_A_STAGE_DUE, row->due) :
			   0);
}

static int ocf_put_stage(struct sk_buff *skb, const void *data)
{
	const struct ocf_stage_row *row = data;

	return nla_put_u32(skb, OCFABRIC_A_STAGE_CARD, row->card) ?:
	       nla_put_u32(skb, OCFABRIC_A_STAGE_LINK, row->link) ?:
	       nla_put_u32(skb, OCFABRIC_A_STAGE_STAGE, row->stage) ?:
	       nla_put_uint(skb, OCFABRIC_A_STAGE_IN, row->count.in) ?:
	       nla_put_uint(skb, OCFABRIC_A_STAGE_OUT, row->count.out) ?:
	       nla_put_uint(skb, OCFABRIC_A_STAGE_ENDED, row->count.ended) ?:
	       nla_put_u32(skb, OCFABRIC_A_STAGE_HELD, row->held) ?:
	       (row->held ? ocf_put_held(skb, row) : 0) ?:
	       nla_put_uint(skb, OCFABRIC_A_STAGE_CLOCK, row->clock);
}

const struct ocf_table ocf_table_stages = {
	.row_size = sizeof(struct ocf_stage_row),
	.take = ocf_take_stages,
	.put = ocf_put_stage,
};

/* ---- ring-get ----------------------------------------------------------- */

struct ocf_ring_row {
	u32 card;
	u32 replica;
	struct ocf_ring_entry entry;
};

static int ocf_take_replica_rings(struct ocf_card *card, struct ocf_rows *rows,
				  struct ocf_replica *replica,
				  struct ocf_ring_entry *entry)
{
	u32 count = ocf_rings_last(replica, entry);
	struct ocf_ring_row *row;
	u32 i;

	for (i = 0; i < count; i++) {
		row = ocf_rows_add(rows);
		if (!row)
			return -ENOMEM;
		row->card = card->index;
		row->replica = replica->index;
		row->entry = entry[i];
	}
	return 0;
}

static int ocf_take_rings(struct ocf_card *card, struct ocf_rows *rows)
{
	struct ocf_ring_entry *entry __free(kfree) =
		kcalloc(OCF_RINGS_LAST, sizeof(*entry), GFP_KERNEL);
	int ret = 0;
	u32 i;

	if (!entry)
		return -ENOMEM;
	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	guard(mutex)(&card->config_lock);
	for (i = 0; !ret && i < card->caps.replicas; i++) {
		if (card->slot[i].replica)
			ret = ocf_take_replica_rings(card, rows,
						     card->slot[i].replica,
						     entry);
	}
	return ret;
}

static int ocf_put_ring(struct sk_buff *skb, const void *data)
{
	const struct ocf_ring_row *row = data;
	const struct ocf_ring_entry *entry = &row->entry;

	return nla_put_u32(skb, OCFABRIC_A_RING_CARD, row->card) ?:
	       nla_put_u32(skb, OCFABRIC_A_RING_REPLICA, row->replica) ?:
	       nla_put_u32(skb, OCFABRIC_A_RING_RING, entry->kind) ?:
	       nla_put_u32(skb, OCFABRIC_A_RING_INDEX, entry->index) ?:
	       nla_put(skb, OCFABRIC_A_RING_ENTRY, entry->size, entry->data);
}

const struct ocf_table ocf_table_rings = {
	.row_size = sizeof(struct ocf_ring_row),
	.take = ocf_take_rings,
	.put = ocf_put_ring,
};
