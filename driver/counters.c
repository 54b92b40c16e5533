// SPDX-License-Identifier: GPL-2.0-only
/* Counters and rejects, each of one instant: that of a snapshot. */
#include <linux/sort.h>
#include <linux/string.h>

#include "ocfabric.h"

const char *const ocf_counter_names[OCFABRIC_COUNTERS] = {
	[OCFABRIC_COUNTER_WRITES] = "writes",
	[OCFABRIC_COUNTER_COMMITTED] = "committed",
	[OCFABRIC_COUNTER_BYTES] = "bytes",
	[OCFABRIC_COUNTER_LINES] = "lines",
	[OCFABRIC_COUNTER_UNMAPPED] = "unmapped",
	[OCFABRIC_COUNTER_MISROUTED] = "misrouted",
	[OCFABRIC_COUNTER_BAD_CONFIG] = "bad_config",
	[OCFABRIC_COUNTER_ZERO_LENGTH] = "zero_length",
	[OCFABRIC_COUNTER_MISALIGNED] = "misaligned",
	[OCFABRIC_COUNTER_OUT_OF_BOUNDS] = "out_of_bounds",
	[OCFABRIC_COUNTER_UNAUTHORIZED] = "unauthorized",
	[OCFABRIC_COUNTER_SHORT_PACKET] = "short_packet",
	[OCFABRIC_COUNTER_OVERSIZE] = "oversize",
	[OCFABRIC_COUNTER_AXI_ERROR] = "axi_error",
	[OCFABRIC_COUNTER_QP_STATE] = "qp_state",
	[OCFABRIC_COUNTER_RNR] = "rnr",
	[OCFABRIC_COUNTER_DMA_ERROR] = "dma_error",
};

static void ocf_counters_of_link(struct ocf_card *card, u32 link, u64 *counter)
{
	u32 c;

	for (c = 0; c < OCFABRIC_COUNTERS; c++)
		counter[c] = ocf_readq(card, OCFABRIC_REG_COUNTER(link, c));
}

/* Links that the card does not have count 0. */
int ocf_counters_read(struct ocf_card *card, struct ocf_counters *counters)
{
	u32 link;

	memset(counters, 0, sizeof(*counters));
	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	guard(mutex)(&card->snapshot_lock);
	ocf_writel(card, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_COUNTERS);
	counters->clock = ocf_readq(card, OCFABRIC_REG_SNAPSHOT_CLOCK);
	for (link = 0; link < card->caps.replicas; link++)
		ocf_counters_of_link(card, link, counters->link[link]);
	return ocf_card_confirm(card);
}

/* A structure of the snapshot, a multiple of 8 bytes. */
void ocf_snapshot_copy(struct ocf_card *card, u32 reg, void *to, size_t size)
{
	__le64 word;
	size_t at;

	lockdep_assert_held(&card->snapshot_lock);
	for (at = 0; at < size; at += sizeof(word)) {
		word = cpu_to_le64(ocf_readq(card, reg + at));
		memcpy(to + at, &word, sizeof(word));
	}
}

static int ocf_reject_order(const void *a, const void *b)
{
	u64 x = le64_to_cpu(((const struct ocfabric_hw_reject *)a)->seq);
	u64 y = le64_to_cpu(((const struct ocfabric_hw_reject *)b)->seq);

	return x < y ? -1 : x > y;
}

/* One that can be: the fields as they are documented. */
static bool ocf_reject_believed(struct ocf_card *card, u32 link,
				struct ocfabric_hw_reject *r)
{
	u32 qpn = le32_to_cpu(r->qpn);

	if (!r->seq)
		return false;
	memset(r->__reserved, 0, sizeof(r->__reserved));
	if (r->peer >= OCFABRIC_REPLICAS_MAX)
		r->peer = OCFABRIC_PEER_NONE;
	return qpn == ocf_believe(card, "the QPN of a reject of link", link,
				  qpn, OCFABRIC_QPN_MASK, 0) &&
	       r->opcode == ocf_believe(card, "the opcode of a reject of link",
					link, r->opcode, OCFABRIC_OP_WAIT, 0) &&
	       r->verdict == ocf_believe(card, "the verdict of a reject of link",
					 link, r->verdict,
					 OCFABRIC_VERDICT_RNR, 0);
}

static u32 ocf_rejects_of_link(struct ocf_card *card, u32 link,
			       struct ocfabric_hw_reject *list)
{
	u32 count = 0;
	u32 i;

	for (i = 0; i < OCFABRIC_REJECTS; i++) {
		ocf_snapshot_copy(card, OCFABRIC_REG_REJECT(link, i),
				  &list[count], sizeof(*list));
		if (ocf_reject_believed(card, link, &list[count]))
			count++;
	}
	sort(list, count, sizeof(*list), ocf_reject_order, NULL);
	return count;
}

/* Of @links links from @link on, each link's oldest first. */
int ocf_rejects_read(struct ocf_card *card, u32 link, u32 links,
		     struct ocf_rejects *rejects)
{
	u32 i;

	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	guard(mutex)(&card->snapshot_lock);
	ocf_writel(card, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_REJECTS);
	for (i = 0; i < links; i++)
		rejects->count[i] = ocf_rejects_of_link(card, link + i,
							rejects->reject[i]);
	return ocf_card_confirm(card);
}
