// SPDX-License-Identifier: GPL-2.0-only
/* Dumps of what happens on a card: counters, replicas, semaphores, rejects. */
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "netlink.h"

/* ---- counters ----------------------------------------------------------- */

struct ocf_counters_row {
	u32 card;
	u32 link;
	u64 clock;
	u64 counter[OCFABRIC_COUNTERS];
};

static_assert(OCFABRIC_A_COUNTERS_WRITES + OCFABRIC_COUNTER_DMA_ERROR ==
	      OCFABRIC_A_COUNTERS_DMA_ERROR);

/* Links below n; all of them when there is no n. */
u32 ocf_nl_links(struct ocf_card *card)
{
	struct ocf_config *config __free(ocf_config_put) =
		ocf_config_get(card, NULL);

	return min(config->replicas, card->caps.replicas);
}

static int ocf_take_counters(struct ocf_card *card, struct ocf_rows *rows)
{
	struct ocf_counters *counters __free(kfree) =
		kmalloc(sizeof(*counters), GFP_KERNEL);
	u32 links = ocf_nl_links(card);
	struct ocf_counters_row *row;
	int ret;
	u32 i;

	if (!counters)
		return -ENOMEM;
	ret = ocf_counters_read(card, counters);
	if (ret)
		return ret;
	for (i = 0; i < links; i++) {
		row = ocf_rows_add(rows);
		if (!row)
			return -ENOMEM;
		row->card = card->index;
		row->link = i;
		row->clock = counters->clock;
		memcpy(row->counter, counters->link[i], sizeof(row->counter));
	}
	return 0;
}

static int ocf_put_counters(struct sk_buff *skb, const void *data)
{
	const struct ocf_counters_row *row = data;
	int ret;
	u32 c;

	ret = nla_put_u32(skb, OCFABRIC_A_COUNTERS_CARD, row->card) ?:
	      nla_put_u32(skb, OCFABRIC_A_COUNTERS_LINK, row->link) ?:
	      nla_put_uint(skb, OCFABRIC_A_COUNTERS_CLOCK, row->clock);
	for (c = 0; !ret && c < OCFABRIC_COUNTERS; c++)
		ret = nla_put_uint(skb, OCFABRIC_A_COUNTERS_WRITES + c,
				   row->counter[c]);
	return ret;
}

const struct ocf_table ocf_table_counters = {
	.row_size = sizeof(struct ocf_counters_row),
	.take = ocf_take_counters,
	.put = ocf_put_counters,
};

/* ---- replicas ----------------------------------------------------------- */

/* Who, as the reader knows him; what his queue does. */
struct ocf_replica_row {
	u32 card;
	u32 index;
	bool attached;
	u32 pid;
	u32 uid;
	char comm[TASK_COMM_LEN];
	u32 tx_entries;
	u32 rx_entries;
	u32 cq_entries;
	u32 keys;
	u64 pinned;
	u32 weight;
	u32 delayed;
	struct ocfabric_queue_get queue;
};

static void ocf_take_owner(struct ocf_replica_row *row,
			   const struct ocf_replica *replica)
{
	row->attached = true;
	row->pid = pid_vnr(replica->pid);
	row->uid = from_kuid_munged(current_user_ns(), replica->uid);
	strscpy(row->comm, replica->comm);
	row->tx_entries = BIT(replica->rings.tx_shift);
	row->rx_entries = BIT(replica->rings.rx_shift);
	row->cq_entries = BIT(replica->rings.cq_shift);
	row->keys = READ_ONCE(replica->keys);
	row->pinned = READ_ONCE(replica->pinned);
}

static int ocf_take_replicas(struct ocf_card *card, struct ocf_rows *rows)
{
	struct ocf_replica_row *row;
	u32 i;

	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	guard(mutex)(&card->config_lock);
	for (i = 0; i < card->caps.replicas; i++) {
		row = ocf_rows_add(rows);
		if (!row)
			return -ENOMEM;
		row->card = card->index;
		row->index = i;
		row->weight = ocf_weight_read(card, i);
		row->delayed = ocf_delayed_read(card, i);
		ocf_queue_read(card, i, &row->queue);
		if (card->slot[i].replica)
			ocf_take_owner(row, card->slot[i].replica);
	}
	return ocf_card_confirm(card);
}

static int ocf_put_queue(struct sk_buff *skb,
			 const struct ocfabric_queue_get *q)
{
	return nla_put_u32(skb, OCFABRIC_A_REPLICA_QUEUE_STATE, q->out_state) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_QUEUE_CAUSE, q->out_cause) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_WROTE, q->out_wrote) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_EXPECTED, q->out_expected) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_HEAD, q->out_head) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_TAIL, q->out_tail) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_COMPLETIONS,
			   q->out_cq_producer) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_INTERRUPTS,
			   q->out_interrupts) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_RX_HEAD, q->out_rx_head) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_RX_TAIL, q->out_rx_tail) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_WAITING, q->out_waiting);
}

/* What is there without an owner, too. */
static int ocf_put_shares(struct sk_buff *skb, const struct ocf_replica_row *row)
{
	const struct ocfabric_queue_get *q = &row->queue;

	return nla_put_u32(skb, OCFABRIC_A_REPLICA_BURST, q->out_burst) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_TIMER, q->out_timer) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_MODE, q->out_mode) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_WEIGHT, row->weight) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_DELAYED, row->delayed);
}

static int ocf_put_replica(struct sk_buff *skb, const void *data)
{
	const struct ocf_replica_row *row = data;
	int ret;

	ret = nla_put_u32(skb, OCFABRIC_A_REPLICA_CARD, row->card) ?:
	      nla_put_u32(skb, OCFABRIC_A_REPLICA_REPLICA, row->index) ?:
	      nla_put_u32(skb, OCFABRIC_A_REPLICA_ATTACHED, row->attached) ?:
	      ocf_put_shares(skb, row);
	if (ret || !row->attached)
		return ret;
	return nla_put_u32(skb, OCFABRIC_A_REPLICA_PID, row->pid) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_UID, row->uid) ?:
	       nla_put_string(skb, OCFABRIC_A_REPLICA_COMM, row->comm) ?:
	       ocf_put_queue(skb, &row->queue) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_TX_ENTRIES,
			   row->tx_entries) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_RX_ENTRIES,
			   row->rx_entries) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_CQ_ENTRIES,
			   row->cq_entries) ?:
	       nla_put_u32(skb, OCFABRIC_A_REPLICA_KEYS, row->keys) ?:
	       nla_put_uint(skb, OCFABRIC_A_REPLICA_PINNED, row->pinned);
}

const struct ocf_table ocf_table_replicas = {
	.row_size = sizeof(struct ocf_replica_row),
	.take = ocf_take_replicas,
	.put = ocf_put_replica,
};

/* ---- semaphores --------------------------------------------------------- */

struct ocf_semaphore_row {
	u32 card;
	u32 replica;
	u32 value[OCFABRIC_SEMAPHORES];
};

static int ocf_take_semaphores(struct ocf_card *card, struct ocf_rows *rows)
{
	struct ocf_semaphore_row *row;
	u32 i;

	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	for (i = 0; i < card->caps.replicas; i++) {
		row = ocf_rows_add(rows);
		if (!row)
			return -ENOMEM;
		row->card = card->index;
		row->replica = i;
		ocf_semaphores_read(card, i, row->value);
	}
	return ocf_card_confirm(card);
}

static int ocf_put_semaphores(struct sk_buff *skb, const void *data)
{
	const struct ocf_semaphore_row *row = data;

	return nla_put_u32(skb, OCFABRIC_A_SEMAPHORE_CARD, row->card) ?:
	       nla_put_u32(skb, OCFABRIC_A_SEMAPHORE_REPLICA, row->replica) ?:
	       nla_put(skb, OCFABRIC_A_SEMAPHORE_VALUES, sizeof(row->value),
		       row->value);
}

const struct ocf_table ocf_table_semaphores = {
	.row_size = sizeof(struct ocf_semaphore_row),
	.take = ocf_take_semaphores,
	.put = ocf_put_semaphores,
};

/* ---- rejects ------------------------------------------------------------ */

struct ocf_reject_row {
	u32 card;
	u32 link;
	struct ocfabric_hw_reject reject;
};

static int ocf_take_link_rejects(struct ocf_card *card, struct ocf_rows *rows,
				 u32 link, const struct ocf_rejects *rejects)
{
	struct ocf_reject_row *row;
	u32 i;

	for (i = 0; i < rejects->count[link]; i++) {
		row = ocf_rows_add(rows);
		if (!row)
			return -ENOMEM;
		row->card = card->index;
		row->link = link;
		row->reject = rejects->reject[link][i];
	}
	return 0;
}

static int ocf_take_rejects(struct ocf_card *card, struct ocf_rows *rows)
{
	struct ocf_rejects *rejects __free(kvfree) =
		kvmalloc(sizeof(*rejects), GFP_KERNEL);
	u32 links = card->caps.replicas;
	int ret;
	u32 i;

	if (!rejects)
		return -ENOMEM;
	ret = ocf_rejects_read(card, 0, links, rejects);
	for (i = 0; !ret && i < links; i++)
		ret = ocf_take_link_rejects(card, rows, i, rejects);
	return ret;
}

static int ocf_put_reject(struct sk_buff *skb, const void *data)
{
	const struct ocf_reject_row *row = data;
	const struct ocfabric_hw_reject *r = &row->reject;

	if (r->peer != OCFABRIC_PEER_NONE &&
	    nla_put_u32(skb, OCFABRIC_A_REJECT_PEER, r->peer))
		return -EMSGSIZE;
	return nla_put_u32(skb, OCFABRIC_A_REJECT_CARD, row->card) ?:
	       nla_put_u32(skb, OCFABRIC_A_REJECT_LINK, row->link) ?:
	       nla_put_uint(skb, OCFABRIC_A_REJECT_SEQ, le64_to_cpu(r->seq)) ?:
	       nla_put_uint(skb, OCFABRIC_A_REJECT_CLOCK,
			    le64_to_cpu(r->clock)) ?:
	       nla_put_u32(skb, OCFABRIC_A_REJECT_OPCODE, r->opcode) ?:
	       nla_put_u32(skb, OCFABRIC_A_REJECT_FLAGS, r->flags) ?:
	       nla_put_u32(skb, OCFABRIC_A_REJECT_VERDICT, r->verdict) ?:
	       nla_put_u32(skb, OCFABRIC_A_REJECT_QPN, le32_to_cpu(r->qpn)) ?:
	       nla_put_uint(skb, OCFABRIC_A_REJECT_RADDR,
			    le64_to_cpu(r->raddr)) ?:
	       nla_put_u32(skb, OCFABRIC_A_REJECT_LEN, le32_to_cpu(r->len)) ?:
	       nla_put_u32(skb, OCFABRIC_A_REJECT_BEATS,
			   le32_to_cpu(r->beats)) ?:
	       nla_put_u32(skb, OCFABRIC_A_REJECT_GENERATION,
			   le32_to_cpu(r->generation));
}

const struct ocf_table ocf_table_rejects = {
	.row_size = sizeof(struct ocf_reject_row),
	.take = ocf_take_rejects,
	.put = ocf_put_reject,
};
