/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libocfabric: posting, ringing, completions: the calls that cost no system call
 */
#ifndef OCFABRIC_QUEUE_H
#define OCFABRIC_QUEUE_H

#include <endian.h>
#include <errno.h>

#include <ocfabric/replica.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- order -------------------------------------------------------------- */

#if defined(__x86_64__) || defined(__i386__)
/* Stores are not reordered with stores, nor loads with loads or later stores. */
#define OCF_WMB()	__asm__ volatile("" ::: "memory")
#define OCF_RMB()	__asm__ volatile("" ::: "memory")
#elif defined(__aarch64__)
#define OCF_WMB()	__asm__ volatile("dmb oshst" ::: "memory")
#define OCF_RMB()	__asm__ volatile("dmb oshld" ::: "memory")
#else
#define OCF_WMB()	__sync_synchronize()
#define OCF_RMB()	__sync_synchronize()
#endif

/* A descriptor's body is in memory before the word that makes it valid. */
static inline void ocf_wmb_body_before_tag(void)
{
	OCF_WMB();
}

/* Descriptors, and what they send, are in memory before the card is told. */
static inline void ocf_wmb_desc_before_doorbell(void)
{
	OCF_WMB();
}

/* A completion is read after the tag that says it is there. */
static inline void ocf_rmb_tag_before_cqe(void)
{
	OCF_RMB();
}

/* A completion is read before the card may overwrite it. */
static inline void ocf_mb_cqe_before_consumer(void)
{
	OCF_RMB();
}

/* The card sees what was armed, or we see what it tells of, or both. */
static inline void ocf_mb_arm_before_check(void)
{
	__sync_synchronize();
}

/* What a semaphore, or a word in the own region, announces is read after it. */
static inline void ocf_rmb_flag_before_data(void)
{
	OCF_RMB();
}

/* The target that a semaphore is armed for is there before it is armed. */
static inline void ocf_wmb_target_before_arm(void)
{
	OCF_WMB();
}

/* ---- posting ------------------------------------------------------------ */

/**
 * DOC: Posting
 *
 * What is posted runs in the order of the ring, one after the other: a flag
 * that is written after its payload is seen after it, and a semaphore is added
 * to when all writes before it have been committed. The ocf_post_*() functions
 * return the index of the descriptor in the ring, which its completion names, or
 *
 *  - -EAGAIN: the ring is full, or the completion ring could be; call
 *    ocf_poll(), and ocf_ring() if that was not done yet
 *  - -EBUSY: a transfer was prepared and not started, see ocf_desc_gen()
 *  - -EINVAL, -EMSGSIZE: see there
 *
 * and then nothing was posted. The card learns of what was posted by the next
 * ocf_ring(). The bytes of a write must stay as they are until the completion
 * of it or of a later descriptor of the ring.
 *
 * With OCF_UNSIGNALED in the flags there is no completion if it goes well. The
 * library asks for one all the same when half the ring is without, since nothing
 * else frees the ring.
 */

/* For the flags of ocf_post_*() */
#define OCF_UNSIGNALED	OCFABRIC_DESC_UNSIGNALED

/**
 * ocf_room() - descriptors that can be posted now
 * @r: replica
 *
 * Grows when ocf_poll() takes completions. What was posted and may still
 * complete, and receives that are armed, never exceed the completion ring.
 */
static inline uint32_t ocf_room(const struct ocf_replica *r)
{
	return r->end - r->posted;
}

/* Why there was no room. */
static inline int ocf_full_(const struct ocf_replica *r)
{
	return r->prepared ? -EBUSY : -EAGAIN;
}

/* Completions that may come of what is not known to be done. */
static inline uint32_t ocf_owed_(const struct ocf_replica *r)
{
	return r->posted - r->done + r->prepared +
	       r->rx_posted - r->rx_done + r->rx_prepared;
}

/* Descriptors that could be written behind @posted and @prepared. */
static inline uint32_t ocf_capacity_(const struct ocf_replica *r)
{
	uint32_t ring = r->limit - (r->posted - r->done + r->prepared);
	uint32_t cq = (1u << r->cq_shift) - ocf_owed_(r);

	return ring < cq ? ring : cq;
}

/* After a change of what ocf_capacity_() counts. */
static inline void ocf_set_end_(struct ocf_replica *r)
{
	if (__builtin_expect(r->prepared, 0))
		r->end = r->posted;
	else if (r->roomy)
		r->end = r->done + r->limit;
	else
		r->end = r->posted + ocf_capacity_(r);
}

/*
 * Half a ring without a completion: ask for one all the same, since nothing
 * else frees the ring.
 */
static inline uint32_t ocf_signal_(struct ocf_replica *r, uint32_t flags)
{
	if ((flags & OCFABRIC_DESC_UNSIGNALED) &&
	    ++r->unsignaled < r->limit / 2 && r->end - r->posted > 1)
		return flags;
	r->unsignaled = 0;
	return flags & ~(uint32_t)OCFABRIC_DESC_UNSIGNALED;
}

static inline uint64_t *ocf_slot_(struct ocf_replica *r)
{
	return (uint64_t *)(void *)&r->tx[r->posted & ((1u << r->tx_shift) - 1)];
}

/*
 * The first word makes a descriptor valid: tag of the lap, opcode, QPN.
 * @op: enum ocfabric_opcode, and the semaphore from bit 16 on
 */
static inline int ocf_commit_(struct ocf_replica *r, uint64_t *slot,
			      uint32_t op, uint32_t qpn, uint32_t flags)
{
	uint32_t tag = ((r->posted >> r->tx_shift) + 1) & OCFABRIC_DESC_TAG_MASK;
	uint32_t index = r->posted & ((1u << r->tx_shift) - 1);
	uint32_t low = op | (tag | ocf_signal_(r, flags)) << 8;

	ocf_wmb_body_before_tag();
	*(volatile uint64_t *)slot = htole64(low | (uint64_t)qpn << 32);
	r->posted++;
	return (int)index;
}

/* Any descriptor whose bytes do not lie in it. */
static inline int ocf_post_(struct ocf_replica *r, uint32_t op, uint32_t qpn,
			    uint64_t raddr, uint64_t len_beats, uint32_t imm,
			    uint32_t key, uint64_t addr, uint32_t flags)
{
	uint64_t *slot = ocf_slot_(r);

	if (__builtin_expect(!ocf_room(r), 0))
		return ocf_full_(r);
	slot[1] = htole64(raddr);
	slot[2] = htole64(len_beats);
	slot[3] = htole64(imm);
	slot[4] = htole64(addr);
	slot[5] = htole64(key);
	slot[6] = 0;
	slot[7] = 0;
	return ocf_commit_(r, slot, op, qpn, flags);
}

/**
 * ocf_post_beats() - post a write with its own number of data beats
 * @r: replica
 * @qpn: connection of this replica's link, 24 bits
 * @raddr: where to: offset in the peer's region, a multiple of 4
 * @len: bytes, at most 64 MiB
 * @beats: data beats of 64 bytes, 24 bits; 0: as many as @len needs
 * @key: of the memory that the bytes come from
 * @addr: of the first byte, under @key
 * @flags: 0 or OCF_UNSIGNALED
 *
 * For tests of what a sender can do wrong; others use ocf_post_write().
 *
 * Return: index in the ring; -EAGAIN, -EBUSY.
 */
static inline int ocf_post_beats(struct ocf_replica *r, uint32_t qpn,
				 uint64_t raddr, uint32_t len, uint32_t beats,
				 uint32_t key, uint64_t addr, uint32_t flags)
{
	return ocf_post_(r, OCFABRIC_OP_WRITE, qpn, raddr,
			 len | (uint64_t)beats << 32, 0, key, addr, flags);
}

/**
 * ocf_post_write() - post a write from registered memory
 * @r: replica
 * @qpn: connection of this replica's link, 24 bits
 * @raddr: where to: offset in the peer's region, a multiple of 4
 * @len: bytes, 1 to 64 MiB
 * @key: of the memory that the bytes come from: ocf_memory.key, or
 *	 OCFABRIC_KEY_REGION for the replica's own region
 * @addr: of the first byte, counted from the memory's start
 * @flags: 0 or OCF_UNSIGNALED
 *
 * Return: index in the ring; -EAGAIN, -EBUSY.
 */
static inline int ocf_post_write(struct ocf_replica *r, uint32_t qpn,
				 uint64_t raddr, uint32_t len, uint32_t key,
				 uint64_t addr, uint32_t flags)
{
	return ocf_post_(r, OCFABRIC_OP_WRITE, qpn, raddr, len, 0, key, addr,
			 flags);
}

/**
 * ocf_post_write_imm() - post a write that also completes at the peer
 * @r: replica
 * @qpn: connection of this replica's link, 24 bits
 * @raddr: where to: offset in the peer's region, a multiple of 4
 * @len: bytes, 1 to 64 MiB
 * @key: of the memory that the bytes come from
 * @addr: of the first byte, counted from the memory's start
 * @imm: what the peer's completion carries
 * @flags: 0 or OCF_UNSIGNALED
 *
 * The peer must have armed a receive descriptor, see ocf_post_recv(), else the
 * verdict is rnr and nothing is written.
 *
 * Return: index in the ring; -EAGAIN, -EBUSY.
 */
static inline int ocf_post_write_imm(struct ocf_replica *r, uint32_t qpn,
				     uint64_t raddr, uint32_t len,
				     uint32_t key, uint64_t addr, uint32_t imm,
				     uint32_t flags)
{
	return ocf_post_(r, OCFABRIC_OP_WRITE_IMM, qpn, raddr, len, imm, key,
			 addr, flags);
}

/**
 * ocf_post_region() - post a write from the replica's own region
 * @r: replica
 * @qpn: connection of this replica's link, 24 bits
 * @raddr: where to: offset in the peer's region, a multiple of 4
 * @len: bytes, 1 to 64 MiB
 * @offset: of the first byte in the own region
 * @flags: 0 or OCF_UNSIGNALED
 *
 * Return: index in the ring; -EAGAIN, -EBUSY.
 */
static inline int ocf_post_region(struct ocf_replica *r, uint32_t qpn,
				  uint64_t raddr, uint32_t len,
				  uint64_t offset, uint32_t flags)
{
	return ocf_post_(r, OCFABRIC_OP_WRITE, qpn, raddr, len, 0,
			 OCFABRIC_KEY_REGION, offset, flags);
}

static inline int ocf_post_inline_(struct ocf_replica *r, uint32_t op,
				   uint32_t qpn, uint64_t raddr, uint32_t len,
				   const void *data, uint32_t imm,
				   uint32_t flags)
{
	uint64_t *slot = ocf_slot_(r);

	if (__builtin_expect(!ocf_room(r), 0))
		return ocf_full_(r);
	if (__builtin_expect(len > OCFABRIC_INLINE_MAX, 0))
		return -EMSGSIZE;
	slot[1] = htole64(raddr);
	slot[2] = htole64(len);
	slot[3] = htole64(imm);
	if (__builtin_constant_p(len) || len == OCFABRIC_INLINE_MAX) {
		__builtin_memcpy(slot + 4, data, len);
	} else {
		const uint8_t *from = (const uint8_t *)data;
		uint8_t *to = (uint8_t *)(slot + 4);

		for (; len >= 8; len -= 8, from += 8, to += 8)
			__builtin_memcpy(to, from, 8);
		for (; len; len--)
			*to++ = *from++;
	}
	return ocf_commit_(r, slot, op, qpn, flags | OCFABRIC_DESC_INLINE);
}

/**
 * ocf_post_inline() - post a write whose bytes lie in the descriptor
 * @r: replica
 * @qpn: connection of this replica's link, 24 bits
 * @raddr: where to: offset in the peer's region, a multiple of 4
 * @len: bytes, 1 to 32
 * @data: the bytes; the caller's again on return
 * @flags: 0 or OCF_UNSIGNALED
 *
 * Return: index in the ring; -EAGAIN, -EBUSY; -EMSGSIZE @len is above 32.
 */
static inline int ocf_post_inline(struct ocf_replica *r, uint32_t qpn,
				  uint64_t raddr, uint32_t len,
				  const void *data, uint32_t flags)
{
	return ocf_post_inline_(r, OCFABRIC_OP_WRITE, qpn, raddr, len, data, 0,
				flags);
}

/**
 * ocf_post_inline_imm() - ocf_post_inline() that also completes at the peer
 * @r: replica
 * @qpn: connection of this replica's link, 24 bits
 * @raddr: where to: offset in the peer's region, a multiple of 4
 * @len: bytes, 1 to 32
 * @data: the bytes; the caller's again on return
 * @imm: what the peer's completion carries
 * @flags: 0 or OCF_UNSIGNALED
 *
 * Return: index in the ring; -EAGAIN, -EBUSY; -EMSGSIZE @len is above 32.
 */
static inline int ocf_post_inline_imm(struct ocf_replica *r, uint32_t qpn,
				      uint64_t raddr, uint32_t len,
				      const void *data, uint32_t imm,
				      uint32_t flags)
{
	return ocf_post_inline_(r, OCFABRIC_OP_WRITE_IMM, qpn, raddr, len, data,
				imm, flags);
}

/**
 * ocf_post_nop() - post a descriptor that does nothing
 * @r: replica
 * @flags: 0 or OCF_UNSIGNALED
 *
 * Its completion says that all before it is done.
 *
 * Return: index in the ring; -EAGAIN, -EBUSY.
 */
static inline int ocf_post_nop(struct ocf_replica *r, uint32_t flags)
{
	return ocf_post_(r, OCFABRIC_OP_NOP, 0, 0, 0, 0, 0, 0, flags);
}

static inline int ocf_post_sem_(struct ocf_replica *r, uint32_t op,
				uint32_t qpn, uint32_t sem, uint32_t value,
				uint32_t flags)
{
	if (__builtin_expect(sem >= OCFABRIC_SEMAPHORES, 0))
		return -EINVAL;
	return ocf_post_(r, op | sem << 16, qpn, 0, value, 0, 0, 0, flags);
}

/**
 * ocf_post_sem_local() - post an addition to an own semaphore
 * @r: replica
 * @sem: 0 to 63
 * @add: what is added, mod 2^32
 * @flags: 0 or OCF_UNSIGNALED
 *
 * When it is seen, the sources of all writes before it may be used again.
 *
 * Return: index in the ring; -EAGAIN, -EBUSY; -EINVAL @sem.
 */
static inline int ocf_post_sem_local(struct ocf_replica *r, uint32_t sem,
				     uint32_t add, uint32_t flags)
{
	return ocf_post_sem_(r, OCFABRIC_OP_SEM_LOCAL, 0, sem, add, flags);
}

/**
 * ocf_post_sem_remote() - post an addition to a semaphore of a peer
 * @r: replica
 * @qpn: connection of this replica's link, 24 bits
 * @sem: 0 to 63; a window must name it
 * @add: what is added, mod 2^32
 * @flags: 0 or OCF_UNSIGNALED
 *
 * When the peer sees it, it sees the bytes of all writes before it.
 *
 * Return: index in the ring; -EAGAIN, -EBUSY; -EINVAL @sem.
 */
static inline int ocf_post_sem_remote(struct ocf_replica *r, uint32_t qpn,
				      uint32_t sem, uint32_t add,
				      uint32_t flags)
{
	return ocf_post_sem_(r, OCFABRIC_OP_SEM_REMOTE, qpn, sem, add, flags);
}

/**
 * ocf_post_wait() - post a wait of the ring for an own semaphore
 * @r: replica
 * @sem: 0 to 63
 * @target: what it has to reach: (int32_t)(value - @target) >= 0
 * @flags: 0 or OCF_UNSIGNALED
 *
 * What is posted behind it runs when that is so. The program does not wait.
 *
 * Return: index in the ring; -EAGAIN, -EBUSY; -EINVAL @sem.
 */
static inline int ocf_post_wait(struct ocf_replica *r, uint32_t sem,
				uint32_t target, uint32_t flags)
{
	return ocf_post_sem_(r, OCFABRIC_OP_WAIT, 0, sem, target, flags);
}

/*
 * The card interrupts for every completion at or past the arm index, so the
 * index of a program that wants none lies as far ahead as it can.
 */
static inline void ocf_disarm_(struct ocf_replica *r)
{
	*(volatile uint32_t *)&r->owner->arm = htole32(r->taken + 0x7fffffffu);
	r->armed = false;
}

/**
 * ocf_publish() - tell the card which completions were taken
 * @r: replica
 *
 * ocf_ring() and ocf_poll() do so when it is needed.
 */
static inline void ocf_publish(struct ocf_replica *r)
{
	ocf_mb_cqe_before_consumer();
	*(volatile uint32_t *)&r->owner->consumer = htole32(r->taken);
	r->published = r->taken;
	if (!r->armed)
		ocf_disarm_(r);
}

/* The handle is readable for completions that were taken, and not published. */
static inline void ocf_publish_taken_(struct ocf_replica *r)
{
	if (r->published != r->taken)
		ocf_publish(r);
}

/*
 * One 4-byte store. A string store of count 1 is that too, and ends the block
 * that an emulator translates, which makes it cheaper there.
 */
static inline void ocf_doorbell_(volatile uint32_t *doorbell, uint32_t value)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned long count = 1;

	__asm__ volatile("rep stosl"
			 : "+D" (doorbell), "+c" (count)
			 : "a" (value)
			 : "memory");
#else
	*doorbell = htole32(value);
#endif
}

/* Never let the completion ring look full: it would stop the queue. */
static inline void ocf_make_room_(struct ocf_replica *r)
{
	if (r->taken - r->published + ocf_owed_(r) > 1u << r->cq_shift)
		ocf_publish(r);
}

/**
 * ocf_ring() - let the card run what was posted
 * @r: replica
 *
 * One doorbell for everything posted since the last. A card that is idle may
 * have done it all on return.
 */
static inline void ocf_ring(struct ocf_replica *r)
{
	uint32_t count = r->posted - r->rung;

	if (!count)
		return;
	ocf_make_room_(r);
	r->rung = r->posted;
	ocf_wmb_desc_before_doorbell();
	ocf_doorbell_(r->doorbell, count);
}

/* ---- receiving ---------------------------------------------------------- */

/**
 * ocf_recv_room() - receive descriptors that can be posted now
 * @r: replica
 *
 * Grows when ocf_poll() takes completions. One entry of the completion ring is
 * left to what is sent.
 */
static inline uint32_t ocf_recv_room(const struct ocf_replica *r)
{
	uint32_t ring, cq;

	if (!r->rx || r->rx_prepared)
		return 0;
	ring = (1u << r->rx_shift) - (r->rx_posted - r->rx_done);
	cq = (1u << r->cq_shift) - ocf_owed_(r);
	cq -= cq != 0;
	return ring < cq ? ring : cq;
}

/* Descriptors @number to @number + @count of the receive ring. */
static inline void ocf_fill_recv_(struct ocf_replica *r, uint32_t number,
				  uint32_t count)
{
	for (; count; count--, number++) {
		uint64_t *slot = (uint64_t *)(void *)
				 &r->rx[number & ((1u << r->rx_shift) - 1)];
		uint32_t tag = ((number >> r->rx_shift) + 1) &
			       OCFABRIC_DESC_TAG_MASK;

		slot[1] = 0;
		ocf_wmb_body_before_tag();
		*(volatile uint64_t *)slot = htole64((uint64_t)tag << 8);
	}
}

/**
 * ocf_post_recv() - post receive descriptors
 * @r: replica
 * @count: how many
 *
 * Each lets one write with immediate of a peer through, in the order in which
 * they commit. The card learns of them by the next ocf_ring_recv().
 *
 * Return: index of the first in the receive ring, which its completion names;
 * -EAGAIN not all of them have room, and none was posted; -EBUSY a transfer was
 * prepared and not started; -EOPNOTSUPP the card has no receive rings.
 */
static inline int ocf_post_recv(struct ocf_replica *r, uint32_t count)
{
	uint32_t first = r->rx_posted;

	if (__builtin_expect(count > ocf_recv_room(r), 0))
		return !r->rx ? -EOPNOTSUPP : r->rx_prepared ? -EBUSY : -EAGAIN;
	ocf_fill_recv_(r, first, count);
	r->rx_posted += count;
	ocf_set_end_(r);
	return (int)(first & ((1u << r->rx_shift) - 1));
}

/**
 * ocf_ring_recv() - arm the receive descriptors that were posted
 * @r: replica
 *
 * One doorbell for everything posted since the last.
 */
static inline void ocf_ring_recv(struct ocf_replica *r)
{
	uint32_t count = r->rx_posted - r->rx_rung;

	if (!count)
		return;
	ocf_make_room_(r);
	r->rx_rung = r->rx_posted;
	ocf_wmb_desc_before_doorbell();
	ocf_doorbell_(r->rx_doorbell, count);
}

/* ---- completions -------------------------------------------------------- */

/**
 * struct ocf_completion - what became of a descriptor
 * @status: enum ocfabric_verdict; OCFABRIC_VERDICT_COMMITTED is good
 * @opcode: enum ocfabric_opcode
 * @source: replica that a received write came from
 * @receive: a peer's write with immediate arrived
 * @misrouted: the write went elsewhere than an upstream QPN would mean
 * @is_short: fewer data beats came than the length needs
 * @index: of the descriptor in the transmit ring, or with @receive in the
 *	   receive ring; all before it there are done too
 * @qpn: of the write, on the sender's link
 * @bytes: committed
 * @imm: immediate, of a write that has one
 * @psn: packet sequence number, 24 bits
 * @clock: fabric clock at the commit, cycles
 */
struct ocf_completion {
	uint8_t status;
	uint8_t opcode;
	uint8_t source;
	bool receive;
	bool misrouted;
	bool is_short;
	uint16_t index;
	uint32_t qpn;
	uint32_t bytes;
	uint32_t imm;
	uint32_t psn;
	uint64_t clock;
};

/* The first word of the next completion, or 0 with *there false. */
static inline uint64_t ocf_peek_(const struct ocf_replica *r, bool *there)
{
	const struct ocfabric_cqe *cqe = &r->cq[r->taken & ((1u << r->cq_shift) - 1)];
	uint32_t tag = ((r->taken >> r->cq_shift) + 1) & OCFABRIC_CQE_TAG_MASK;
	uint64_t word = le64toh(*(const volatile uint64_t *)(const void *)cqe);

	*there = ((word >> 16) & OCFABRIC_CQE_TAG_MASK) == tag;
	return word;
}

/**
 * ocf_ready() - whether ocf_poll() would return a completion
 * @r: replica
 */
static inline bool ocf_ready(const struct ocf_replica *r)
{
	bool there;

	ocf_peek_(r, &there);
	return there;
}

/*
 * Everything up to @index of a ring is done. A card that completes what was
 * never posted must not make room.
 */
static inline uint32_t ocf_advance_(uint32_t done, uint32_t posted,
				    uint32_t index, uint32_t mask)
{
	done += ((index - done) & mask) + 1;
	return (int32_t)(posted - done) < 0 ? posted : done;
}

/* One completion out of the ring, @word its first. */
static inline void ocf_take_(struct ocf_replica *r, uint64_t word,
			     struct ocf_completion *c)
{
	const uint64_t *cqe = (const uint64_t *)(const void *)
			      &r->cq[r->taken & ((1u << r->cq_shift) - 1)];

	c->status = (uint8_t)word;
	c->opcode = (uint8_t)(word >> 8);
	c->source = (uint8_t)(word >> 24);
	c->receive = word >> 16 & OCFABRIC_CQE_RECEIVE;
	c->misrouted = word >> 16 & OCFABRIC_CQE_MISROUTED;
	c->is_short = word >> 16 & OCFABRIC_CQE_SHORT;
	c->qpn = (uint32_t)(word >> 32);
	word = le64toh(cqe[1]);
	c->index = (uint16_t)word;
	c->bytes = (uint32_t)(word >> 32);
	word = le64toh(cqe[2]);
	c->imm = (uint32_t)word;
	c->psn = (uint32_t)(word >> 32);
	c->clock = le64toh(cqe[3]);
	if (c->receive)
		r->rx_done = ocf_advance_(r->rx_done, r->rx_posted, c->index,
					  (1u << r->rx_shift) - 1);
	else
		r->done = ocf_advance_(r->done, r->posted, c->index,
				       (1u << r->tx_shift) - 1);
	r->taken++;
}

/**
 * ocf_poll() - take completions
 * @r: replica
 * @completions: filled in, in the order in which they were written
 * @max: room there
 *
 * Never waits. Stores made by peers before their write committed are seen after
 * this returned its completion.
 *
 * Return: how many were taken, 0 to @max.
 */
static inline unsigned int ocf_poll(struct ocf_replica *r,
				    struct ocf_completion *completions,
				    unsigned int max)
{
	unsigned int n;

	for (n = 0; n < max; n++) {
		uint64_t word;
		bool there;

		word = ocf_peek_(r, &there);
		if (!there)
			break;
		ocf_rmb_tag_before_cqe();
		ocf_take_(r, word, &completions[n]);
	}
	if (!n)
		return 0;
	ocf_set_end_(r);
	if (__builtin_expect(r->armed, 0))
		ocf_disarm_(r);
	if (r->taken - r->published > (1u << r->cq_shift) / 4)
		ocf_publish(r);
	return n;
}

/**
 * ocf_wait() - wait for a completion
 * @r: replica
 * @timeout_ns: how long at most, nanoseconds; negative: without limit
 *
 * Spins for a while, then sleeps: sets the arm index, looks again, and polls
 * the handle.
 *
 * Return: 0 ocf_poll() will return one; -ETIMEDOUT; -EINTR a signal came;
 * -EPIPE the queue has stopped, see ocf_queue_status(); -ENODEV.
 */
int ocf_wait(struct ocf_replica *r, int64_t timeout_ns);

/**
 * ocf_wait_spin() - set how long ocf_wait() spins
 * @r: replica
 * @spin_ns: nanoseconds; 0: sleeps at once. 20000 at first.
 */
void ocf_wait_spin(struct ocf_replica *r, uint32_t spin_ns);

/**
 * ocf_arm() - ask for an interrupt for the next completion not yet taken
 * @r: replica
 *
 * For those who poll() the handle themselves: arm, then call ocf_ready() once
 * more, then sleep. It holds until ocf_poll() takes a completion.
 */
static inline void ocf_arm(struct ocf_replica *r)
{
	*(volatile uint32_t *)&r->owner->arm = htole32(r->taken);
	r->armed = true;
	ocf_publish_taken_(r);
	ocf_mb_arm_before_check();
}

/**
 * ocf_eventfd() - count interrupts in an eventfd
 * @r: replica
 * @fd: eventfd, which stays the caller's; -1: none any more
 *
 * Return: 0, -EBADF, -EINVAL @fd is no eventfd, -ENODEV.
 */
int ocf_eventfd(struct ocf_replica *r, int fd);

/**
 * ocf_moderation() - set how often completions interrupt
 * @r: replica
 * @burst: completions to an interrupt at most, 1 to 65535
 * @timer_ns: how long one waits for it at most, up to 10 ms
 * @mode: OCFABRIC_MODE_LATENCY: at once when it has been quiet;
 *	  OCFABRIC_MODE_COUNT: as many to an interrupt as may be
 *
 * At first what the operator set (fabricctl set moderation), or 128, 2000 ns,
 * latency. Holds until the replica is given up.
 *
 * Return: 0; -EINVAL; -ENODEV.
 */
int ocf_moderation(struct ocf_replica *r, uint32_t burst, uint32_t timer_ns,
		   enum ocfabric_moderation_mode mode);

/* ---- semaphores --------------------------------------------------------- */

/**
 * DOC: Semaphores
 *
 * A replica has 64 counters of 32 bits. Its own descriptors and, where a window
 * says so, those of peers add to them. They start at 0 with a zeroed region and
 * stay when a replica is detached and attached again, so a program that counts
 * on them reads first where they are. A target is reached when (int32_t)(value -
 * target) >= 0, which stays right when the count wraps.
 */

/**
 * ocf_sem_read() - the value of an own semaphore
 * @r: replica
 * @sem: 0 to 63
 *
 * What was written before it was added to is seen after this returned. Costs no
 * system call.
 */
static inline uint32_t ocf_sem_read(const struct ocf_replica *r, uint32_t sem)
{
	const volatile uint32_t *p = &r->semaphores[sem & OCFABRIC_SEM_MASK];
	uint32_t value = le32toh(*p);

	ocf_rmb_flag_before_data();
	return value;
}

/**
 * ocf_sem_reached() - whether an own semaphore has come that far
 * @r: replica
 * @sem: 0 to 63
 * @target: value
 */
static inline bool ocf_sem_reached(const struct ocf_replica *r, uint32_t sem,
				   uint32_t target)
{
	return (int32_t)(ocf_sem_read(r, sem) - target) >= 0;
}

/**
 * ocf_sem_wait() - wait until an own semaphore has come that far
 * @r: replica
 * @sem: 0 to 63
 * @target: value
 * @timeout_ns: how long at most, nanoseconds; negative: without limit
 *
 * Spins for a while, then sleeps: arms the semaphore, looks again, and polls the
 * handle.
 *
 * Return: 0; -ETIMEDOUT; -EINTR a signal came; -EPIPE the queue has stopped;
 * -EINVAL @sem; -EOPNOTSUPP the card has none; -ENODEV.
 */
int ocf_sem_wait(struct ocf_replica *r, uint32_t sem, uint32_t target,
		 int64_t timeout_ns);

/* ---- the queue ---------------------------------------------------------- */

/**
 * ocf_queue_status() - where the queue is, and why it stopped if it did
 * @r: replica
 * @status: filled in; see struct ocfabric_queue_get
 *
 * Return: 0, -ENODEV.
 */
int ocf_queue_status(const struct ocf_replica *r,
		     struct ocfabric_queue_get *status);

/**
 * ocf_queue_restart() - start the queue anew
 * @r: replica
 *
 * Ends what is in flight and empties all rings: completions that were not
 * taken are lost, receives are no longer armed, prepared transfers are
 * forgotten. Region, semaphores and memory keys stay.
 *
 * Return: 0, -ETIMEDOUT, -ENODEV.
 */
int ocf_queue_restart(struct ocf_replica *r);

/* For ocf_broadcast(): the receive rings instead of the transmit rings */
#define OCF_BROADCAST_RECEIVE	OCFABRIC_BROADCAST_RECEIVE

/**
 * ocf_broadcast() - ring the doorbells of several replicas at once
 * @replicas: of one card, each another one
 * @count: 1, 2, 4, 8 or 16
 * @flags: 0 or OCF_BROADCAST_RECEIVE
 * @increment: descriptors that each has posted and not rung, or fewer
 *
 * All advance or none. One system call; the program holds all the replicas.
 *
 * Return: 0; -EINVAL @count, or a replica has posted less; -EAGAIN a ring has
 * less room; -EPIPE a queue has stopped; -EXDEV different cards; -ENODEV.
 */
int ocf_broadcast(struct ocf_replica *const *replicas, unsigned int count,
		  uint32_t flags, uint32_t increment);

/**
 * ocf_rejects() - the last rejected writes of the replica's link
 * @r: replica
 * @rejects: filled in, oldest first, little-endian
 * @max: room there, 1 or more
 *
 * Return: how many, at most 16; -ENODEV.
 */
int ocf_rejects(const struct ocf_replica *r, struct ocfabric_hw_reject *rejects,
		unsigned int max);

#ifdef __cplusplus
}
#endif

#endif
