/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libocfabric: cards, replicas, and the memory that writes are taken from and go to
 */
#ifndef OCFABRIC_REPLICA_H
#define OCFABRIC_REPLICA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ocfabric.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- opening a card ----------------------------------------------------- */

struct ocf_device;

/**
 * ocf_open() - open a card
 * @card: its number ("0"), its name ("ocfabric0"), the path of its node, or
 *	  its PCI address ("0000:01:00.0"); NULL: the replica handle that was
 *	  inherited, or else the only card there is
 *
 * The node is opened for reading and writing if that is permitted, else for
 * reading, which is enough for ocf_device_info().
 *
 * An inherited handle is the descriptor named "ocfabric" by LISTEN_FDS,
 * LISTEN_PID and LISTEN_FDNAMES, as fabricctl(8) exec and launch and
 * systemd.socket(5) pass them, or else the one whose number is in OCF_FD. It is
 * made close-on-exec. ocf_attach() then gives the replica that it stands for.
 *
 * Errors: ENOENT there is no such card, or none; ENOTUNIQ @card is NULL and
 * there are several; EACCES the node may not be opened; EBADF the descriptor
 * that the environment names is no replica handle; ENODEV it is no ocfabric
 * card, or it went.
 *
 * Return: the card, to be given to ocf_close(); NULL with errno.
 */
struct ocf_device *ocf_open(const char *card);

/**
 * ocf_close() - close a card
 * @dev: from ocf_open(), or NULL
 *
 * Replicas that were attached through it stay. An inherited descriptor stays
 * open, so that it is found again: its replica is free when the program ends.
 */
void ocf_close(struct ocf_device *dev);

/**
 * ocf_device_fd() - the open node
 * @dev: card
 *
 * For ioctls of linux/ocfabric.h that have no function here.
 *
 * Return: a descriptor that stays the library's; a replica handle if it was
 * inherited.
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
 * @posted: descriptors written, less those of transfers not started
 * @rung: of these, announced to the card
 * @done: of these, known to be done
 * @unsignaled: unsignaled descriptors since the last signaled one
 * @taken: completions taken
 * @published: of these, told the card
 * @armed: an interrupt was asked for, and what it tells of not yet taken
 * @roomy: the completion ring holds what both other rings can
 * @end: descriptors that may be posted, of the same count as @posted
 * @prepared: descriptors behind @posted that ocf_desc_gen() wrote
 * @rx: receive ring; NULL: the card has none
 * @rx_doorbell: tail increment of the receive ring, 4 bytes
 * @semaphores: the values, mirrored by the card
 * @rx_shift: log2 of the receive ring's entries
 * @rx_posted: receive descriptors written, less those of transfers not started
 * @rx_rung: of these, announced to the card
 * @rx_done: of these, known to be used
 * @rx_prepared: receive descriptors behind @rx_posted, of ocf_desc_gen()
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
	bool roomy;
	uint32_t end;
	uint32_t prepared;
	struct ocfabric_rx_desc *rx;
	volatile uint32_t *rx_doorbell;
	const uint32_t *semaphores;
	uint32_t rx_shift;
	uint32_t rx_posted;
	uint32_t rx_rung;
	uint32_t rx_done;
	uint32_t rx_prepared;
};

/**
 * struct ocf_attach_options - how to attach; all zero is a good start
 * @tx_entries: transmit ring, a power of two from 16 to 32768; 0: 1024
 * @cq_entries: completion ring, the same; 0: what the other two can fill
 * @clear: start from a zeroed region and semaphores
 * @rx_entries: receive ring, the same; 0: as @tx_entries
 *
 * They are not looked at where an inherited handle is taken over: whoever
 * attached it has chosen.
 */
struct ocf_attach_options {
	uint32_t tx_entries;
	uint32_t cq_entries;
	bool clear;
	uint32_t rx_entries;
};

/* For ocf_attach(): the inherited one, or whichever is free */
#define OCF_REPLICA_ANY	0xffffffffu

/**
 * ocf_attach() - become a replica
 * @dev: card
 * @replica: which, below the card's largest number of replicas; or
 *	     OCF_REPLICA_ANY
 * @options: or NULL
 *
 * On a card that ocf_open() found by an inherited handle there is that replica
 * only.
 *
 * Errors: EACCES the node is not open for writing (group ocfabric); EBUSY
 * somebody holds the replica, or all that are configured; ENOENT the card has no
 * such replica, or the handle is another's; EINVAL ring sizes; ENOMEM; ENODEV.
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
 * ocf_replica_size() - how many replicas there are
 * @r: replica
 *
 * Return: OCF_SIZE of the environment, which launchers set, if it is from 2 to
 * 16; else the number that the card was configured for when @r was attached.
 */
unsigned int ocf_replica_size(const struct ocf_replica *r);

/**
 * ocf_qpn() - the connection from one replica to another by the default table
 * @n: replicas
 * @from: whose link, below @n
 * @to: the peer, below @n, not @from
 *
 * "fabricctl set connections default" makes that table; show map prints what is.
 *
 * Return: QPN of the link of @from that leads to @to.
 */
static inline uint32_t ocf_qpn(unsigned int n, unsigned int from,
			       unsigned int to)
{
	return (n - 1) * from + (to < from ? to : to - 1);
}

/**
 * ocf_qpn_to() - the connection to a peer by the default table
 * @r: replica
 * @peer: of the card's replicas, not @r itself
 *
 * With as many replicas as the card was configured for when @r was attached.
 *
 * Return: QPN of the own link; of no use if the table is another.
 */
uint32_t ocf_qpn_to(const struct ocf_replica *r, unsigned int peer);

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

#ifdef __cplusplus
}
#endif

#endif
