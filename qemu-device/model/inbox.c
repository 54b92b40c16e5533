// SPDX-License-Identifier: GPL-2.0-or-later
#include "inbox.h"

#include <string.h>

_Static_assert(OCF_SLOT_SEMAPHORES == OCFABRIC_CQ_CHUNKS_MAX,
	       "the slots before are chunks");

void ocf_inbox_init(struct ocf_inbox *b, const struct ocf_host *host,
		    unsigned int id)
{
	*b = (struct ocf_inbox){ .host = host, .id = id };
	ocf_moderation_reset(&b->moderation);
}

void ocf_inbox_reset(struct ocf_inbox *b)
{
	ocf_inbox_init(b, b->host, b->id);
}

void ocf_inbox_lock_wait(struct ocf_inbox *b)
{
	unsigned int looks = 0;

	do {
		while (__atomic_load_n(&b->locked, __ATOMIC_RELAXED))
			if (++looks % 128 == 0)
				b->host->pause();
	} while (!ocf_inbox_trylock(b));
}

void ocf_inbox_stop(struct ocf_inbox *b, enum ocfabric_queue_cause cause,
		    uint32_t wrote, uint32_t expected)
{
	/* the first cause stands, and a queue that is going stays gone */
	if (!b->takes)
		return;
	b->takes = false;
	b->waiting = false;
	b->wrote = wrote;
	b->expected = expected;
	__atomic_store_n(&b->cause, (uint8_t)cause, __ATOMIC_RELEASE);
	ocf_host_tell(b->host, b->id, OCF_TELL_WORK);
}

void ocf_inbox_open(struct ocf_inbox *b)
{
	b->open = b->takes = true;
	b->cause = OCFABRIC_CAUSE_NONE;
	b->epoch++;
	b->produced = b->consumed = b->announced = b->held = 0;
	b->interrupts = b->moderation.delayed = 0;
	b->rx_head = b->rx_tail = b->rx_batch = b->rx_held = 0;
	__atomic_store_n(&b->rx_pending, 0, __ATOMIC_RELAXED);
	b->added = 0;
	b->due = 0;
	ocf_moderation_restart(&b->moderation);
}

void ocf_inbox_close(struct ocf_inbox *b, uint64_t now)
{
	ocf_inbox_announce(b, now);
	if (b->moderation.untold) {
		/* later there will be nobody to do it */
		b->interrupts++;
		ocf_host_tell(b->host, b->id, OCF_TELL_INTERRUPT);
		ocf_moderation_restart(&b->moderation);
	}
	b->open = b->takes = b->waiting = false;
	b->epoch++;
	b->held = b->rx_held = 0;
}

/* ---- the receive ring ---- */

static uint32_t rx_entries(const struct ocf_inbox *b)
{
	return b->rx.shift ? ocf_ring_entries(&b->rx) : 0;
}

uint32_t ocf_inbox_room(const struct ocf_inbox *b)
{
	return rx_entries(b) - (b->rx_tail - b->rx_head);
}

void ocf_inbox_rung(struct ocf_inbox *b)
{
	/* the descriptors that were rung were written before */
	uint64_t increment = __atomic_exchange_n(&b->rx_pending, 0,
						 __ATOMIC_ACQUIRE);
	uint32_t room;

	if (!b->takes || !increment)
		return;
	room = ocf_inbox_room(b);
	if (increment > room) {
		ocf_inbox_stop(b, OCFABRIC_CAUSE_RX_OVER_INCREMENT, room,
			       increment < UINT32_MAX ? (uint32_t)increment :
							UINT32_MAX);
		return;
	}
	if (b->rx_head + b->rx_held == b->rx_tail)
		b->rx_batch = b->rx_tail;
	b->rx_tail += (uint32_t)increment;
}

bool ocf_inbox_ring(struct ocf_inbox *b, uint32_t increment)
{
	bool takes;

	__atomic_fetch_add(&b->rx_pending, increment, __ATOMIC_RELEASE);
	if (!ocf_inbox_trylock(b)) {
		/* nothing needs it before somebody looks */
		ocf_host_tell(b->host, b->id, OCF_TELL_WORK);
		return true;
	}
	takes = b->takes;
	ocf_inbox_rung(b);
	ocf_inbox_unlock(b);
	return takes;
}

/* Reads it once; what is looked at afterwards is this copy. */
static bool fetch(const struct ocf_inbox *b, uint32_t count,
		  struct ocfabric_rx_desc *d)
{
	struct ocf_place at = ocf_ring_place(&b->rx, count);
	const uint8_t *chunk = b->rx.host[at.chunk];

	if (chunk) {
		memcpy(d, chunk + at.offset, sizeof(*d));
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		return true;
	}
	return b->host->read(b->host->opaque, b->rx.chunk[at.chunk] + at.offset,
			     d, sizeof(*d));
}

#define FIELD(f)	((unsigned int)offsetof(struct ocfabric_rx_desc, f))
#define GOOD		0xffu

/* Byte offset of the first field that is refused. */
static unsigned int check(const struct ocfabric_rx_desc *d)
{
	if (d->__reserved0)
		return FIELD(__reserved0);
	if (d->flags & ~OCFABRIC_DESC_TAG_MASK)
		return FIELD(flags);
	if (d->__reserved1)
		return FIELD(__reserved1);
	if (d->__reserved2)
		return FIELD(__reserved2);
	return d->__reserved3 ? FIELD(__reserved3) : GOOD;
}

/* The descriptor with this number; if it is not good, the queue was stopped. */
static bool next_rx(struct ocf_inbox *b, uint32_t count)
{
	uint32_t index = ocf_ring_index(&b->rx, count);
	struct ocfabric_rx_desc d;
	unsigned int field;

	if (!fetch(b, count, &d)) {
		ocf_inbox_stop(b, OCFABRIC_CAUSE_DMA, index, 0);
		return false;
	}
	if ((d.flags & OCFABRIC_DESC_TAG_MASK) != ocf_ring_tag(&b->rx, count)) {
		ocf_inbox_stop(b, OCFABRIC_CAUSE_RX_STALE_TAG,
			       count - b->rx_batch, b->rx_tail - b->rx_batch);
		return false;
	}
	field = check(&d);
	if (field != GOOD) {
		ocf_inbox_stop(b, OCFABRIC_CAUSE_RX_BAD_DESCRIPTOR, index, field);
		return false;
	}
	return true;
}

bool ocf_inbox_arm(struct ocf_inbox *b)
{
	uint32_t next = b->rx_head + b->rx_held;

	ocf_inbox_rung(b);
	if (!b->takes || next == b->rx_tail || !next_rx(b, next) ||
	    !ocf_inbox_reserve(b, ocf_ring_index(&b->rx, next)))
		return false;
	b->rx_held++;
	return true;
}

void ocf_inbox_disarm(struct ocf_inbox *b)
{
	b->rx_held--;
	ocf_inbox_release(b);
}

void ocf_inbox_receive(struct ocf_inbox *b, struct ocfabric_cqe *e)
{
	e->flags |= OCFABRIC_CQE_RECEIVE;
	e->index = ocf_le16((uint16_t)ocf_ring_index(&b->rx, b->rx_head));
	b->rx_head++;
	b->rx_held--;
	ocf_inbox_complete(b, e);
}

/* ---- mapping and loading ---- */

static void *map_read(const struct ocf_host *host, uint64_t addr, uint64_t n)
{
	return host->map ? (void *)(uintptr_t)host->map(host->opaque, addr, n) :
			   NULL;
}

static void *map_written(const struct ocf_inbox *b, unsigned int slot,
			 uint64_t addr, size_t n)
{
	return b->host->map_written ?
		       b->host->map_written(b->host->opaque, b->id, slot, addr,
					    n) : NULL;
}

void ocf_inbox_map(struct ocf_inbox *b)
{
	uint32_t bytes;
	unsigned int i;

	if (!b->open)
		return;
	bytes = ocf_ring_chunk_bytes(&b->cq);
	for (i = 0; i < ocf_ring_chunks(&b->cq); i++)
		b->cq.host[i] = map_written(b, i, b->cq.chunk[i], bytes);
	bytes = ocf_ring_chunk_bytes(&b->rx);
	for (i = 0; b->rx.shift && i < ocf_ring_chunks(&b->rx); i++)
		/* only ever read */
		b->rx.host[i] = map_read(b->host, b->rx.chunk[i], bytes);
	b->owner_host = map_read(b->host, b->owner,
				 sizeof(struct ocfabric_owner));
	b->mirror_host = b->mirror ? map_written(b, OCF_SLOT_SEMAPHORES,
						 b->mirror, sizeof(b->sem)) :
				     NULL;
}

static bool shape_valid(const struct ocf_inbox *b)
{
	static const uint64_t none[OCFABRIC_RX_CHUNKS_MAX];

	if (b->cq.entry_shift != 5 || b->rx.entry_shift != 4 ||
	    !ocf_ring_valid(&b->cq, OCFABRIC_CQ_CHUNKS_MAX) ||
	    b->owner % OCFABRIC_LINE || b->mirror % 4096)
		return false;
	if (!b->rx.shift)
		return !memcmp(b->rx.chunk, none, sizeof(none));
	return ocf_ring_valid(&b->rx, OCFABRIC_RX_CHUNKS_MAX);
}

bool ocf_inbox_valid(const struct ocf_inbox *b)
{
	uint32_t armed = b->rx_tail - b->rx_head, entries;

	if (!ocf_moderation_valid(&b->moderation) || b->wait_sem >= OCF_SEMS ||
	    b->cause > OCFABRIC_CAUSE_RX_BAD_DESCRIPTOR)
		return false;
	if (!b->open)
		return !b->held && !b->rx_held && !b->waiting && !b->takes;
	if (!shape_valid(b))
		return false;
	entries = ocf_ring_entries(&b->cq);
	return b->produced - b->consumed <= entries &&
	       b->held <= entries - (b->produced - b->consumed) &&
	       b->produced - b->announced <= entries &&
	       armed <= rx_entries(b) && b->rx_held <= armed;
}
