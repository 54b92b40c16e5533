// SPDX-License-Identifier: GPL-2.0-or-later
/* The completion ring and the owner line of a queue. */
#include <string.h>

#include "queue.h"

/* The part of an entry that tells the owner that all of it is there. */
#define HEAD	8u

_Static_assert(offsetof(struct ocfabric_cqe, index) == HEAD, "tag in the head");

static uint32_t load32(const uint8_t *p)
{
	return ocf_le32(__atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE));
}

static bool read_owner(struct ocf_queue *q, size_t offset, uint32_t *value)
{
	uint32_t raw;

	if (q->owner_host) {
		*value = load32(q->owner_host + offset);
		return true;
	}
	if (!q->host->read(q->host->opaque, q->owner + offset, &raw, sizeof(raw))) {
		ocf_queue_stop(q, OCFABRIC_CAUSE_DMA,
			       ocf_ring_index(&q->tx, q->head), 0);
		return false;
	}
	*value = ocf_le32(raw);
	return true;
}

bool ocf_completion_room(struct ocf_queue *q)
{
	uint32_t entries = ocf_ring_entries(&q->cq);
	uint32_t consumed;

	if (q->produced - q->consumed < entries)
		return true;
	if (!read_owner(q, offsetof(struct ocfabric_owner, consumer), &consumed))
		return false;
	if (q->produced - consumed > entries) {
		ocf_queue_stop(q, OCFABRIC_CAUSE_OWNER_INDEX, consumed,
			       q->produced);
		return false;
	}
	q->consumed = consumed;
	if (q->produced - consumed < entries)
		return true;
	ocf_queue_stop(q, OCFABRIC_CAUSE_CQ_FULL, consumed, q->produced);
	return false;
}

/* The body first, and then, in one go, what it is recognized by. */
static void store_entry(uint8_t *to, const struct ocfabric_cqe *e)
{
	uint64_t head;

	memcpy(&head, e, HEAD);
	memcpy(to + HEAD, (const uint8_t *)e + HEAD, sizeof(*e) - HEAD);
	__atomic_store_n((uint64_t *)to, head, __ATOMIC_RELEASE);
}

static bool write_entry(struct ocf_queue *q, const struct ocfabric_cqe *e)
{
	struct ocf_place at = ocf_ring_place(&q->cq, q->produced);
	uint8_t *chunk = q->cq.host[at.chunk];
	uint64_t addr = q->cq.chunk[at.chunk] + at.offset;
	const struct ocf_host *host = q->host;

	if (chunk) {
		store_entry(chunk + at.offset, e);
		return true;
	}
	if (!host->write(host->opaque, addr + HEAD, (const uint8_t *)e + HEAD,
			 sizeof(*e) - HEAD))
		return false;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return host->write(host->opaque, addr, e, HEAD);
}

void ocf_completion_write(struct ocf_queue *q, struct ocf_completion c)
{
	uint32_t index = ocf_ring_index(&q->tx, q->head);
	struct ocfabric_cqe e = {
		.status = c.status,
		.opcode = q->desc.opcode,
		.flags = c.flags | ocf_ring_tag(&q->cq, q->produced),
		.qpn = q->desc.qpn,
		.index = ocf_le16((uint16_t)index),
		.bytes = ocf_le32(c.bytes),
		.clock = ocf_le64(q->now),
	};

	if (write_entry(q, &e))
		q->produced++;
	else
		ocf_queue_stop(q, OCFABRIC_CAUSE_DMA, index, 0);
}

/* Tells of the entries stored through pointers, a chunk at a time. */
static void tell_completed(struct ocf_queue *q)
{
	const struct ocf_host *host = q->host;
	uint32_t count = q->announced, bytes;

	if (!host->completed)
		return;
	if (q->produced - count > ocf_ring_entries(&q->cq))
		count = q->produced - ocf_ring_entries(&q->cq);
	while (count != q->produced) {
		struct ocf_place at = ocf_ring_place(&q->cq, count);
		uint32_t room = ocf_ring_chunk_bytes(&q->cq) - at.offset;

		bytes = (q->produced - count) << q->cq.entry_shift;
		if (bytes > room)
			bytes = room;
		if (q->cq.host[at.chunk])
			host->completed(host->opaque, q->id, at.chunk,
					at.offset, bytes);
		count += bytes >> q->cq.entry_shift;
	}
}

void ocf_completion_announce(struct ocf_queue *q)
{
	uint32_t arm;

	if (q->announced == q->produced)
		return;
	tell_completed(q);
	q->announced = q->produced;
	/*
	 * The owner arms and then looks for completions once more; here they
	 * are stored, and then the arm index is looked at. One of both sees
	 * what the other did.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!read_owner(q, offsetof(struct ocfabric_owner, arm), &arm))
		return;
	if ((int32_t)(q->produced - 1 - arm) >= 0) {
		q->interrupts++;
		q->tell |= OCF_TELL_INTERRUPT;
	}
}
