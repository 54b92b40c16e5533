// SPDX-License-Identifier: GPL-2.0-only
/* Dumps: taken when they start, sent as there is room, see netlink.h. */
#include <linux/slab.h>

#include "netlink.h"

/* In cb->ctx. */
struct ocf_dump {
	const struct ocf_table *table;
	struct ocf_rows rows;
	u32 next;
};

/* All tables have the card's number as their first attribute. */
#define OCF_A_CARD	1
static_assert(OCFABRIC_A_REGION_CARD == OCF_A_CARD);
static_assert(OCFABRIC_A_CONNECTION_CARD == OCF_A_CARD);
static_assert(OCFABRIC_A_WINDOW_CARD == OCF_A_CARD);
static_assert(OCFABRIC_A_COUNTERS_CARD == OCF_A_CARD);
static_assert(OCFABRIC_A_REPLICA_CARD == OCF_A_CARD);
static_assert(OCFABRIC_A_REJECT_CARD == OCF_A_CARD);
static_assert(OCFABRIC_A_SEMAPHORE_CARD == OCF_A_CARD);
static_assert(OCFABRIC_A_STAGE_CARD == OCF_A_CARD);
static_assert(OCFABRIC_A_QP_CARD == OCF_A_CARD);
static_assert(OCFABRIC_A_RING_CARD == OCF_A_CARD);

void *ocf_rows_add(struct ocf_rows *rows)
{
	u32 room = rows->room ? 2 * rows->room : 16;
	void *row = rows->row;

	if (rows->count == rows->room) {
		row = kvrealloc(row, array_size(room, rows->size),
				GFP_KERNEL_ACCOUNT);
		if (!row)
			return NULL;
		rows->row = row;
		rows->room = room;
	}
	row += rows->size * rows->count++;
	memset(row, 0, rows->size);
	return row;
}

/* Cards that go meanwhile have no rows. */
static int ocf_dump_take_all(struct ocf_dump *dump)
{
	unsigned long index = 0;
	struct ocf_card *card;
	int ret = 0;

	while (!ret && (card = ocf_card_next(&index))) {
		ret = dump->table->take(card, &dump->rows);
		if (ret == -ENODEV)
			ret = 0;
		ocf_card_put(card);
		index++;
	}
	return ret;
}

static int ocf_dump_take(struct netlink_callback *cb, struct ocf_dump *dump)
{
	struct genl_info *info = (struct genl_info *)genl_info_dump(cb);
	struct ocf_card *card;
	int ret;

	if (!info->attrs || !info->attrs[OCF_A_CARD])
		return ocf_dump_take_all(dump);
	card = ocf_nl_card(info, OCF_A_CARD);
	if (IS_ERR(card))
		return PTR_ERR(card);
	ret = dump->table->take(card, &dump->rows);
	ocf_card_put(card);
	return ret;
}

int ocfabric_nl_dump_start(struct netlink_callback *cb)
{
	struct ocf_dump *dump = (struct ocf_dump *)cb->ctx;
	int ret;

	NL_ASSERT_DUMP_CTX_FITS(struct ocf_dump);
	dump->table = ocf_table_of(genl_dumpit_info(cb)->op.cmd);
	if (WARN_ON_ONCE(!dump->table))
		return -EOPNOTSUPP;
	dump->rows.size = dump->table->row_size;
	ret = ocf_dump_take(cb, dump);
	if (ret)
		kvfree(dump->rows.row);
	return ret;
}

int ocfabric_nl_dump_done(struct netlink_callback *cb)
{
	struct ocf_dump *dump = (struct ocf_dump *)cb->ctx;

	kvfree(dump->rows.row);
	return 0;
}

static int ocf_dump_put(struct sk_buff *skb, struct netlink_callback *cb,
			const struct ocf_dump *dump)
{
	void *hdr;

	hdr = genlmsg_iput(skb, genl_info_dump(cb));
	if (!hdr)
		return -EMSGSIZE;
	if (dump->table->put(skb, dump->rows.row +
			     dump->rows.size * dump->next)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static int ocf_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ocf_dump *dump = (struct ocf_dump *)cb->ctx;
	int ret = 0;

	while (!ret && dump->next < dump->rows.count) {
		ret = ocf_dump_put(skb, cb, dump);
		if (!ret)
			dump->next++;
	}
	return ret;
}

int ocfabric_nl_device_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb)
{
	return ocf_dump(skb, cb);
}

int ocfabric_nl_region_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb)
{
	return ocf_dump(skb, cb);
}

int ocfabric_nl_connection_get_dumpit(struct sk_buff *skb,
				      struct netlink_callback *cb)
{
	return ocf_dump(skb, cb);
}

int ocfabric_nl_window_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb)
{
	return ocf_dump(skb, cb);
}

int ocfabric_nl_counters_get_dumpit(struct sk_buff *skb,
				    struct netlink_callback *cb)
{
	return ocf_dump(skb, cb);
}

int ocfabric_nl_replica_get_dumpit(struct sk_buff *skb,
				   struct netlink_callback *cb)
{
	return ocf_dump(skb, cb);
}

int ocfabric_nl_semaphore_get_dumpit(struct sk_buff *skb,
				     struct netlink_callback *cb)
{
	return ocf_dump(skb, cb);
}

int ocfabric_nl_reject_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb)
{
	return ocf_dump(skb, cb);
}

int ocfabric_nl_stage_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb)
{
	return ocf_dump(skb, cb);
}

int ocfabric_nl_qp_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return ocf_dump(skb, cb);
}

int ocfabric_nl_ring_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb)
{
	return ocf_dump(skb, cb);
}
