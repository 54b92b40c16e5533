/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libocfabric: be a replica of an ocfabric card
 */
#ifndef OCFABRIC_H
#define OCFABRIC_H

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/ocfabric.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * DOC: What it is for
 *
 * A program opens a card, attaches to one of its replicas, and from then on
 * puts writes into the memory of its peers by storing descriptors into a ring
 * and ringing a doorbell. What became of each write comes back in a completion
 * ring. Posting, ringing and polling make no system call, take no lock and
 * allocate nothing; they are inline functions of this header.
 *
 * Which QPN of a link leads where, and what may be written, is the card's
 * configuration; fabricctl(8) sets and shows it.
 */

/**
 * DOC: Errors
 *
 * A function that returns a pointer returns NULL and sets errno; one that
 * returns an int returns 0 or a positive value, or a negative errno. Each errno
 * has the meaning that linux/ocfabric.h gives it. ocf_error() is the sentence
 * that goes with the last failure of the calling thread.
 *
 * -ENODEV says that the card is gone or was reset: the replica can only be
 * detached. Its region and its rings may then raise SIGBUS when they are
 * touched, so that a program that outlives its card asks ocf_alive() in a
 * SIGBUS handler, or posts and polls nothing after -ENODEV.
 */

/**
 * DOC: Threads and processes
 *
 * Different replicas may be used by different threads at once. One replica is
 * used by one thread at a time; the functions take no locks. Mappings are not
 * inherited by fork(): a child that is to be the replica adopts the handle
 * (ocf_replica_fd(), ocf_adopt()) while the parent stops using it. A handle can
 * also be sent over a Unix socket as SCM_RIGHTS. It carries its memory keys, so
 * pass it before registering memory.
 */

/**
 * DOC: Stability
 *
 * struct ocf_replica is laid out here for the inline functions and is made by
 * the library only. It grows at the end; nothing in it moves.
 */

/* ---- opening a card ----------------------------------------------------- */

struct ocf_device;

/**
 * ocf_open() - open a card
 * @card: its number ("0"), its name ("ocfabric0"), the path of its node, or
 *	  its PCI address ("0000:01:00.0"); NULL: the only card there is
 *
 * The node is opened for reading and writing if that is permitted, else for
 * reading, which is enough for ocf_device_info().
 *
 * Errors: ENOENT there is no such card, or none; ENOTUNIQ @card is NULL and
 * there are several; EACCES the node may not be opened; ENODEV it is no ocfabric
 * card, or it went.
 *
 * Return: the card, to be given to ocf_close(); NULL with errno.
 */
struct ocf_device *ocf_open(const char *card);

/**
 * ocf_close() - close a card
 * @dev: from ocf_open(), or NULL
 *
 * Replicas that were attached through it stay.
 */
void ocf_close(struct ocf_device *dev);

/**
 * ocf_device_fd() - the open node
 * @dev: card
 *
 * For ioctls of linux/ocfabric.h that have no function here.
 *
 * Return: a descriptor that stays the library's.
 */
int ocf_device_fd(const struct ocf_device *dev);

/**
 * ocf_device_name() - its name
 * @dev: card
 *
 * Return: "ocfabricN", valid until ocf_close().
 */
const char *ocf_device_name(const struct ocf_device *dev);

/**
 * ocf_device_info() - what card it is
 * @dev: card
 * @info: filled in; see struct ocfabric_info for fields and units
 *
 * Return: 0, -ENODEV.
 */
int ocf_device_info(const struct ocf_device *dev, struct ocfabric_info *info);

/* ---- replicas ----------------------------------------------------------- */

/**
 * struct ocf_replica - a replica that is held; private but for inline use
 * @tx: transmit ring
 * @cq: completion ring
 * @owner: owner line
 * @doorbell: tail increment of the queue, 4 bytes
 * @tx_shift: log2 of the transmit ring's entries
 * @cq_shift: log2 of the completion ring's entries
 * @limit: most descriptors not known to be done: the smaller ring's entries
 * @posted: descriptors written
 * @rung: of these, announced to the card
 * @done: of these, known to be done
 * @unsignaled: unsignaled descriptors since the last signaled one
 * @taken: completions taken
 * @published: of these, told the card
 * @armed: an interrupt was asked for, and what it tells of not yet taken
 */
struct ocf_replica {
	struct ocfabric_desc *tx;
	const struct ocfabric_cqe *cq;
	struct ocfabric_owner *owner;
	volatile uint32_t *doorbell;
	uint32_t tx_shift;
	uint32_t cq_shift;
	uint32_t limit;
	uint32_t posted;
	uint32_t rung;
	uint32_t done;
	uint32_t unsignaled;
	uint32_t taken;
	uint32_t published;
	bool armed;
};

/**
 * struct ocf_attach_options - how to attach; all zero is a good start
 * @tx_entries: transmit ring, a power of two from 16 to 32768; 0: 1024
 * @cq_entries: completion ring, the same; 0: as @tx_entries
 * @clear: start from a zeroed region
 */
struct ocf_attach_options {
	uint32_t tx_entries;
	uint32_t cq_entries;
	bool clear;
};

/**
 * ocf_attach() - become a replica
 * @dev: card
 * @replica: which, below the card's largest number of replicas
 * @options: or NULL
 *
 * Errors: EACCES the node is not open for writing (group ocfabric); EBUSY
 * somebody holds the replica; ENOENT the card has no such replica; EINVAL ring
 * sizes; ENOMEM; ENODEV.
 *
 * Return: the replica, to be given to ocf_detach(); NULL with errno.
 */
struct ocf_replica *ocf_attach(struct ocf_device *dev, unsigned int replica,
			       const struct ocf_attach_options *options);

/**
 * ocf_adopt() - be the replica that a handle stands for
 * @fd: a replica handle: inherited, received by SCM_RIGHTS, or duplicated
 *
 * @fd is the library's from then on, also when this fails. The queue is reset
 * if anything was posted on it before, so that posting starts on the first lap.
 *
 * Errors: EBADF, ENOTTY @fd is no replica handle; ENOMEM; ENODEV.
 *
 * Return: the replica, to be given to ocf_detach(); NULL with errno.
 */
struct ocf_replica *ocf_adopt(int fd);

/**
 * ocf_detach() - give a replica up
 * @r: replica, or NULL
 *
 * Unmaps everything of it, buffers too, and closes the handle. When that was
 * the handle's last copy, the card ends what is in flight, forgets the keys and
 * the replica is free.
 */
void ocf_detach(struct ocf_replica *r);

/**
 * ocf_replica_fd() - the handle
 * @r: replica
 *
 * To duplicate, to pass on, or to poll() after ocf_arm(): readable when there is
 * a completion or the queue has stopped, POLLERR | POLLHUP when the card is gone.
 *
 * Return: a descriptor that stays the library's.
 */
int ocf_replica_fd(const struct ocf_replica *r);

/**
 * ocf_replica_id() - which replica it is
 * @r: replica
 *
 * Return: 0 to 15.
 */
unsigned int ocf_replica_id(const struct ocf_replica *r);

/**
 * ocf_replica_info() - what the handle holds now
 * @r: replica
 * @info: filled in; see struct ocfabric_replica_get
 *
 * Return: 0, -ENODEV.
 */
int ocf_replica_info(const struct ocf_replica *r,
		     struct ocfabric_replica_get *info);

/**
 * ocf_alive() - whether the card still serves this replica
 * @r: replica
 *
 * One system call; may be called by a signal handler.
 */
bool ocf_alive(const struct ocf_replica *r);

/* ---- memory that writes are taken from ---------------------------------- */

/**
 * struct ocf_memory - a source of writes
 * @addr: first byte
 * @length: bytes
 * @key: for ocf_post_write(); addresses under it count from 0
 * @mapped: bytes that the library mapped; 0: the memory is the caller's
 */
struct ocf_memory {
	void *addr;
	size_t length;
	uint32_t key;
	size_t mapped;
};

/**
 * ocf_memory_add() - make own memory a source
 * @r: replica
 * @addr: any alignment
 * @length: bytes, not 0
 * @mem: filled in
 *
 * The pages are pinned until ocf_memory_del() or ocf_detach().
 *
 * Return: 0; -EPERM RLIMIT_MEMLOCK would be passed; -EOPNOTSUPP the host would
 * have to bounce the pages: use ocf_buffer_add(); -E2BIG too many pieces;
 * -ENOSPC keys or ranges are used up; -EFAULT, -EINVAL, -ENOMEM, -ENODEV.
 */
int ocf_memory_add(struct ocf_replica *r, void *addr, size_t length,
		   struct ocf_memory *mem);

/**
 * ocf_buffer_add() - get memory that every host can use as a source
 * @r: replica
 * @length: bytes, not 0
 * @mem: filled in; zeroed memory, page-aligned
 *
 * Return: 0; -EPERM RLIMIT_MEMLOCK would be passed; -ENOSPC keys or ranges are
 * used up; -EINVAL, -ENOMEM, -ENODEV.
 */
int ocf_buffer_add(struct ocf_replica *r, size_t length,
		   struct ocf_memory *mem);

/**
 * ocf_memory_del() - end being a source
 * @r: replica
 * @mem: from ocf_memory_add() or ocf_buffer_add(); its key is dead afterwards,
 *	 and a buffer is unmapped
 *
 * On return the card can no longer reach the memory. Writes from it that are
 * still in the ring end as local_protection.
 *
 * Return: 0, -ENOENT, -ENODEV.
 */
int ocf_memory_del(struct ocf_replica *r, struct ocf_memory *mem);

/* ---- the replica's own region ------------------------------------------- */

/**
 * ocf_region_map() - the mapped part of the replica's region
 * @r: replica
 * @offset: set to the offset in the region of the first byte that is mapped
 * @length: set to the number of bytes mapped
 *
 * Whole 4 KiB pages are mapped, others are reached by ocf_region_read() and
 * ocf_region_write() only. A change of the region's place takes effect under
 * the mapping; call again to learn the new extent, old pointers are then void.
 *
 * Return: the first byte; NULL with errno (ENXIO: no whole page lies in the
 * region, ENODEV, ENOMEM).
 */
void *ocf_region_map(struct ocf_replica *r, uint64_t *offset, size_t *length);

/**
 * ocf_region_read() - copy bytes out of the replica's region
 * @r: replica
 * @offset: in the region
 * @buf: where to
 * @length: bytes
 *
 * Return: 0; -EINVAL they do not all lie in the region; -ENODEV.
 */
int ocf_region_read(const struct ocf_replica *r, uint64_t offset, void *buf,
		    size_t length);

/**
 * ocf_region_write() - copy bytes into the replica's own region
 * @r: replica
 * @offset: in the region
 * @buf: where from
 * @length: bytes
 *
 * Return: 0; -EINVAL they do not all lie in the region; -ENODEV.
 */
int ocf_region_write(const struct ocf_replica *r, uint64_t offset,
		     const void *buf, size_t length);

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

/* The card sees the arm index, or we see the completion, or both. */
static inline void ocf_mb_arm_before_check(void)
{
	__sync_synchronize();
}

/* ---- posting ------------------------------------------------------------ */

/* For the flags of ocf_post_*() */
#define OCF_UNSIGNALED	OCFABRIC_DESC_UNSIGNALED

/**
 * ocf_room() - descriptors that can be posted now
 * @r: replica
 *
 * Grows when ocf_poll() takes completions.
 */
static inline uint32_t ocf_room(const struct ocf_replica *r)
{
	return r->limit - (r->posted - r->done);
}

/*
 * Half a ring without a completion: ask for one all the same, since nothing
 * else frees the ring.
 */
static inline uint32_t ocf_signal_(struct ocf_replica *r, uint32_t flags)
{
	if ((flags & OCFABRIC_DESC_UNSIGNALED) &&
	    ++r->unsignaled < r->limit / 2)
		return flags;
	r->unsignaled = 0;
	return flags & ~(uint32_t)OCFABRIC_DESC_UNSIGNALED;
}

static inline uint64_t *ocf_slot_(struct ocf_replica *r)
{
	return (uint64_t *)(void *)&r->tx[r->posted & ((1u << r->tx_shift) - 1)];
}

/* The first word makes a descriptor valid: tag of the lap, opcode, QPN. */
static inline int ocf_commit_(struct ocf_replica *r, uint64_t *slot,
			      uint32_t qpn, uint32_t flags)
{
	uint32_t tag = ((r->posted >> r->tx_shift) + 1) & OCFABRIC_DESC_TAG_MASK;
	uint32_t index = r->posted & ((1u << r->tx_shift) - 1);
	uint32_t low = OCFABRIC_OP_WRITE | (tag | ocf_signal_(r, flags)) << 8;

	ocf_wmb_body_before_tag();
	*(volatile uint64_t *)slot = htole64(low | (uint64_t)qpn << 32);
	r->posted++;
	return (int)index;
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
 * Return: as ocf_post_write().
 */
static inline int ocf_post_beats(struct ocf_replica *r, uint32_t qpn,
				 uint64_t raddr, uint32_t len, uint32_t beats,
				 uint32_t key, uint64_t addr, uint32_t flags)
{
	uint64_t *slot = ocf_slot_(r);

	if (__builtin_expect(!ocf_room(r), 0))
		return -EAGAIN;
	slot[1] = htole64(raddr);
	slot[2] = htole64(len | (uint64_t)beats << 32);
	slot[3] = 0;
	slot[4] = htole64(addr);
	slot[5] = htole64(key);
	slot[6] = 0;
	slot[7] = 0;
	return ocf_commit_(r, slot, qpn, flags);
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
 * @flags: 0; OCF_UNSIGNALED: no completion if it goes well. The library asks
 *	   for one all the same when half the ring is without.
 *
 * The card learns of it by the next ocf_ring(). The bytes must stay as they are
 * until the completion of this or of a later descriptor of the ring.
 *
 * Return: index of the descriptor in the ring, which its completion names;
 * -EAGAIN the ring is full: poll for completions.
 */
static inline int ocf_post_write(struct ocf_replica *r, uint32_t qpn,
				 uint64_t raddr, uint32_t len, uint32_t key,
				 uint64_t addr, uint32_t flags)
{
	return ocf_post_beats(r, qpn, raddr, len, 0, key, addr, flags);
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
 * Return: as ocf_post_write().
 */
static inline int ocf_post_region(struct ocf_replica *r, uint32_t qpn,
				  uint64_t raddr, uint32_t len,
				  uint64_t offset, uint32_t flags)
{
	return ocf_post_beats(r, qpn, raddr, len, 0, OCFABRIC_KEY_REGION,
			      offset, flags);
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
 * Return: as ocf_post_write(); -EMSGSIZE @len is above 32.
 */
static inline int ocf_post_inline(struct ocf_replica *r, uint32_t qpn,
				  uint64_t raddr, uint32_t len,
				  const void *data, uint32_t flags)
{
	uint64_t *slot = ocf_slot_(r);

	if (__builtin_expect(!ocf_room(r), 0))
		return -EAGAIN;
	if (__builtin_expect(len > OCFABRIC_INLINE_MAX, 0))
		return -EMSGSIZE;
	slot[1] = htole64(raddr);
	slot[2] = htole64(len);
	slot[3] = 0;
	if (__builtin_constant_p(len) || len == OCFABRIC_INLINE_MAX) {
		__builtin_memcpy(slot + 4, data, len);
	} else {
		const uint8_t *from = (const uint8_t *)data;
		uint8_t *to = (uint8_t *)(slot + 4);
		uint32_t i;

		for (i = 0; i < len; i++)
			to[i] = from[i];
	}
	return ocf_commit_(r, slot, qpn, flags | OCFABRIC_DESC_INLINE);
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
	/* Never let the completion ring look full: it would stop the queue. */
	if (r->taken - r->published + r->posted - r->done > 1u << r->cq_shift)
		ocf_publish(r);
	r->rung = r->posted;
	ocf_wmb_desc_before_doorbell();
	ocf_doorbell_(r->doorbell, count);
}

/* ---- completions -------------------------------------------------------- */

/**
 * struct ocf_completion - what became of a descriptor
 * @status: enum ocfabric_verdict; OCFABRIC_VERDICT_COMMITTED is good
 * @misrouted: the write went elsewhere than an upstream QPN would mean
 * @index: of the descriptor in the transmit ring; all before it are done too
 * @qpn: of the write
 * @bytes: committed
 * @clock: fabric clock at the commit, cycles
 */
struct ocf_completion {
	uint8_t status;
	bool misrouted;
	uint16_t index;
	uint32_t qpn;
	uint32_t bytes;
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
	uint32_t tx_mask = (1u << r->tx_shift) - 1;
	uint32_t cq_mask = (1u << r->cq_shift) - 1;
	unsigned int n;

	for (n = 0; n < max; n++) {
		const uint64_t *cqe = (const uint64_t *)(const void *)
				      &r->cq[r->taken & cq_mask];
		struct ocf_completion *c = &completions[n];
		uint64_t word;
		bool there;

		word = ocf_peek_(r, &there);
		if (!there)
			break;
		ocf_rmb_tag_before_cqe();
		c->status = (uint8_t)word;
		c->misrouted = word >> 16 & OCFABRIC_CQE_MISROUTED;
		c->qpn = (uint32_t)(word >> 32);
		word = le64toh(cqe[1]);
		c->index = (uint16_t)word;
		c->bytes = (uint32_t)(word >> 32);
		c->clock = le64toh(cqe[3]);
		r->done += ((c->index - r->done) & tx_mask) + 1;
		if ((int32_t)(r->posted - r->done) < 0)
			r->done = r->posted;
		r->taken++;
	}
	if (__builtin_expect(r->armed && n, 0))
		ocf_disarm_(r);
	if (r->taken - r->published > cq_mask / 4)
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
 * Ends what is in flight and empties both rings: completions that were not
 * taken are lost. Region and memory keys stay.
 *
 * Return: 0, -ETIMEDOUT, -ENODEV.
 */
int ocf_queue_restart(struct ocf_replica *r);

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

/* ---- words -------------------------------------------------------------- */

/**
 * ocf_verdict_name() - a verdict's name, as counters and tools have it
 * @verdict: enum ocfabric_verdict
 *
 * Return: "committed", "unauthorized", ...; "unknown" for others.
 */
const char *ocf_verdict_name(unsigned int verdict);

/**
 * ocf_verdict_text() - what a verdict says, as a sentence
 * @verdict: enum ocfabric_verdict
 */
const char *ocf_verdict_text(unsigned int verdict);

/**
 * ocf_state_name() - name of a queue's state
 * @state: enum ocfabric_queue_state
 */
const char *ocf_state_name(unsigned int state);

/**
 * ocf_cause_name() - name of a cause for which a queue stopped
 * @cause: enum ocfabric_queue_cause
 */
const char *ocf_cause_name(unsigned int cause);

/**
 * ocf_cause_text() - why a queue stopped, as a sentence with its numbers
 * @cause: enum ocfabric_queue_cause
 * @wrote: ocfabric_queue_get.out_wrote
 * @expected: ocfabric_queue_get.out_expected
 * @buf: where to; always ended by a NUL when @size is not 0
 * @size: room there, bytes; 128 is enough
 *
 * Return: @buf.
 */
char *ocf_cause_text(unsigned int cause, uint32_t wrote, uint32_t expected,
		     char *buf, size_t size);

/**
 * ocf_error() - what went wrong last in this thread
 *
 * Return: a sentence for people, valid until the thread's next failure; empty
 * when nothing failed yet.
 */
const char *ocf_error(void);

#ifdef __cplusplus
}
#endif

#endif
