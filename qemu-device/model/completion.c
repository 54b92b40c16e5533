// SPDX-License-Identifier: GPL-2.0-or-later
/* The completion ring and the owner line of an inbox. */
#include <string.h>

#include "inbox.h"

/* The part of an entry that tells the owner that all of it is there. */
#define HEAD	8u

_Static_assert(offsetof(struct ocfabric_cqe, index) == HEAD, "tag in the head");

static uint32_t load32(const uint8_t *p)
{
	return ocf_le32(__atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE));
}

/* False if it cannot be read, for the descriptor with this index. */
static bool read_owner(struct ocf_inbox *b, size_t offset, uint32_t index,
		       uint32_t *value)
{
	uint32_t raw;

	if (b->owner_host) {
		*value = load32(b->owner_host + offset);
		return true;
	}
	if (!b->host->read(b->host->opaque, b->owner + offset, &raw, sizeof(raw))) {
		ocf_inbox_stop(b, OCFABRIC_CAUSE_DMA, index, 0);
		return false;
	}
	*value = ocf_le32(raw);
	return true;
}

/* Looks at what the owner has taken. */
static bool make_room(struct ocf_inbox *b, uint32_t index)
{
	uint32_t entries = ocf_ring_entries(&b->cq), consumed;

	if (!read_owner(b, offsetof(struct ocfabric_owner, consumer), index,
			&consumed))
		return false;
	if (b->produced - consumed > entries) {
		ocf_inbox_stop(b, OCFABRIC_CAUSE_OWNER_INDEX, consumed,
			       b->produced);
		return false;
	}
	/* an owner that goes back over entries that are promised: it is full */
	if (b->held <= entries - (b->produced - consumed))
		b->consumed = consumed;
	if (b->produced + b->held - consumed < entries)
		return true;
	ocf_inbox_stop(b, OCFABRIC_CAUSE_CQ_FULL, consumed,
		       b->produced + b->held);
	return false;
}

bool ocf_inbox_reserve(struct ocf_inbox *b, uint32_t index)
{
	if (!b->takes ||
	    (b->produced + b->held - b->consumed >= ocf_ring_entries(&b->cq) &&
	     !make_room(b, index)))
		return false;
	b->held++;
	return true;
}

void ocf_inbox_release(struct ocf_inbox *b)
{
	b->held--;
}

/* The body first, and then, in one go, what it is recognized by. */
static void store_entry(uint8_t *to, const struct ocfabric_cqe *e)
{
	uint64_t head;

	memcpy(&head, e, HEAD);
	memcpy(to + HEAD, (const uint8_t *)e + HEAD, sizeof(*e) - HEAD);
	__atomic_store_n((uint64_t *)to, head, __ATOMIC_RELEASE);
}

static bool write_entry(struct ocf_inbox *b, const struct ocfabric_cqe *e)
{
	struct ocf_place at = ocf_ring_place(&b->cq, b->produced);
	uint8_t *chunk = b->cq.host[at.chunk];
	uint64_t addr = b->cq.chunk[at.chunk] + at.offset;
	const struct ocf_host *host = b->host;

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

void ocf_inbox_complete(struct ocf_inbox *b, struct ocfabric_cqe *e)
{
	b->held--;
	e->flags |= ocf_ring_tag(&b->cq, b->produced);
	if (__builtin_expect(!!b->host->forge, 0))
		b->host->forge(b->host->opaque, b->id, e);
	if (write_entry(b, e))
		b->produced++;
	else
		ocf_inbox_stop(b, OCFABRIC_CAUSE_DMA, ocf_le16(e->index), 0);
}

/* ---- telling ---- */

/* Marks the entries stored through pointers, a chunk at a time. */
static void mark_completions(struct ocf_inbox *b)
{
	const struct ocf_host *host = b->host;
	uint32_t count = b->announced, bytes;

	if (b->produced - count > ocf_ring_entries(&b->cq))
		count = b->produced - ocf_ring_entries(&b->cq);
	while (count != b->produced) {
		struct ocf_place at = ocf_ring_place(&b->cq, count);
		uint32_t room = ocf_ring_chunk_bytes(&b->cq) - at.offset;

		bytes = (b->produced - count) << b->cq.entry_shift;
		if (bytes > room)
			bytes = room;
		if (b->cq.host[at.chunk])
			host->stored(host->opaque, b->id, at.chunk, at.offset,
				     bytes);
		count += bytes >> b->cq.entry_shift;
	}
}

static void mark_semaphores(struct ocf_inbox *b)
{
	unsigned int from = (unsigned int)__builtin_ctzll(b->added);
	unsigned int to = 64 - (unsigned int)__builtin_clzll(b->added);

	if (b->mirror_host)
		b->host->stored(b->host->opaque, b->id, OCF_SLOT_SEMAPHORES,
				4 * from, 4 * (to - from));
}

/* How many of the last n completions are at or past the arm index. */
static uint32_t armed_completions(struct ocf_inbox *b, uint32_t n)
{
	uint32_t arm, past;

	if (!n || !read_owner(b, offsetof(struct ocfabric_owner, arm), 0, &arm))
		return 0;
	past = b->produced - arm;
	if ((int32_t)(past - 1) < 0)
		return 0;
	return past < n ? past : n;
}

/* Whether one of these semaphores is the armed one and has come far enough. */
static bool armed_semaphore(struct ocf_inbox *b, uint64_t sems)
{
	uint32_t arm, target;

	if (!sems ||
	    !read_owner(b, offsetof(struct ocfabric_owner, sem_arm), 0, &arm) ||
	    !(arm & OCFABRIC_SEM_ARMED) || !(sems >> (arm & OCFABRIC_SEM_MASK) & 1))
		return false;
	return read_owner(b, offsetof(struct ocfabric_owner, sem_target), 0,
			  &target) &&
	       ocf_sem_met(b->sem[arm & OCFABRIC_SEM_MASK], target);
}

static void raise_interrupt(struct ocf_inbox *b, uint64_t now)
{
	b->interrupts++;
	ocf_moderation_raised(&b->moderation, now);
	ocf_host_tell(b->host, b->id, OCF_TELL_INTERRUPT);
}

/* A while ago it was wanted: is it still? */
static bool still_wanted(struct ocf_inbox *b)
{
	return armed_completions(b, 1) || armed_semaphore(b, ~0ull);
}

static void moderate(struct ocf_inbox *b, bool fresh, uint64_t now)
{
	uint64_t due = 0;

	switch (ocf_moderation_look(&b->moderation, b->host->clock_mhz,
				    b->host->storm_limit, now, &due)) {
	case OCF_MODERATE_NOW:
		if (fresh || still_wanted(b))
			raise_interrupt(b, now);
		else
			ocf_moderation_drop(&b->moderation);
		break;
	case OCF_MODERATE_LATER:
		if (due != b->due && b->host->wait)
			b->host->wait(b->host->opaque, b->id, due);
		break;
	default:
		break;
	}
	b->due = due;
}

void ocf_inbox_announce(struct ocf_inbox *b, uint64_t now)
{
	uint32_t n = b->produced - b->announced, wants;
	uint64_t sems = b->added;

	if (!b->open || !(n || sems || b->moderation.untold))
		return;
	if (n)
		mark_completions(b);
	if (sems)
		mark_semaphores(b);
	b->announced = b->produced;
	b->added = 0;
	/*
	 * The owner arms and then looks once more; here completions and values
	 * are stored, and then what is armed is looked at. One of both sees
	 * what the other did.
	 */
	if (n || sems)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	wants = armed_completions(b, n) + armed_semaphore(b, sems);
	ocf_moderation_add(&b->moderation, wants, now);
	moderate(b, wants, now);
}
