// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last entries of a replica's rings, for a bug report. Where the card says
 * that it is only chooses which entries are shown; what is secret is not copied
 * on.
 */
#include <linux/log2.h>

#include "ocfabric.h"

/* Payload, addresses, keys, immediates are nobody's business but the owner's. */
static void ocf_ring_censor(enum ocfabric_ring_kind kind, void *entry)
{
	struct ocfabric_desc *desc = entry;
	struct ocfabric_cqe *cqe = entry;

	switch (kind) {
	case OCFABRIC_RING_KIND_TX:
		desc->imm = 0;
		memset(desc->data, 0, sizeof(desc->data));
		break;
	case OCFABRIC_RING_KIND_RX:
		break;
	case OCFABRIC_RING_KIND_CQ:
		cqe->imm = 0;
		break;
	}
}

static_assert(offsetofend(struct ocfabric_desc, data) ==
	      sizeof(struct ocfabric_desc));

struct ocf_ring {
	const struct ocf_mem *mem;
	size_t size;		/* of an entry */
	unsigned int shift;
	u32 end;		/* after the last that is shown */
};

static void ocf_ring_entry(const struct ocf_ring *ring, u32 index,
			   enum ocfabric_ring_kind kind,
			   struct ocf_ring_entry *entry)
{
	*entry = (struct ocf_ring_entry){
		.kind = kind,
		.index = index,
		.size = ring->size,
	};
	memcpy(entry->data, ocf_mem_at(ring->mem, index * ring->size),
	       ring->size);
	ocf_ring_censor(kind, entry->data);
}

static u32 ocf_ring_last(const struct ocf_ring *ring,
			 enum ocfabric_ring_kind kind,
			 struct ocf_ring_entry *entry)
{
	u32 mask = BIT(ring->shift) - 1;
	/* a ring of 16 has no more, and those that never were are not shown */
	u32 count = min(ring->end, OCF_RING_LAST);
	u32 i;

	for (i = 0; i < count; i++)
		ocf_ring_entry(ring, (ring->end - count + i) & mask, kind,
			       &entry[i]);
	return count;
}

static_assert(OCF_RING_LAST <= BIT(OCFABRIC_RING_SHIFT_MIN));

/* The one that it is at is shown, too, if it has been rung: it may be at fault. */
static u32 ocf_ring_end(u32 head, u32 tail)
{
	return head == tail ? head : head + 1;
}

/* The card is entered. Returns how many: at most OCF_RINGS_LAST. */
u32 ocf_rings_last(struct ocf_replica *replica, struct ocf_ring_entry *entry)
{
	const struct ocf_rings *rings = &replica->rings;
	struct ocfabric_queue_get q = {};
	struct ocf_ring ring;
	u32 count = 0;

	ocf_queue_read(replica->card, replica->index, &q);
	guard(rwsem_read)(&replica->map_lock);
	if (!replica->alive)
		return 0;
	ring = (struct ocf_ring){ rings->tx, sizeof(struct ocfabric_desc),
				  rings->tx_shift,
				  ocf_ring_end(q.out_head, q.out_tail) };
	count += ocf_ring_last(&ring, OCFABRIC_RING_KIND_TX, &entry[count]);
	ring = (struct ocf_ring){ rings->rx, sizeof(struct ocfabric_rx_desc),
				  rings->rx_shift,
				  ocf_ring_end(q.out_rx_head, q.out_rx_tail) };
	count += ocf_ring_last(&ring, OCFABRIC_RING_KIND_RX, &entry[count]);
	ring = (struct ocf_ring){ rings->cq, sizeof(struct ocfabric_cqe),
				  rings->cq_shift, q.out_cq_producer };
	count += ocf_ring_last(&ring, OCFABRIC_RING_KIND_CQ, &entry[count]);
	return count;
}
