/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ioctls of /dev/ocfabricN and of the replica handles it gives out
 */
#ifndef _UAPI_LINUX_OCFABRIC_H
#define _UAPI_LINUX_OCFABRIC_H

#include <linux/ioctl.h>
#include <linux/ocfabric_hw.h>
#include <linux/types.h>

/**
 * DOC: General rules
 *
 * Every structure starts with its own @size, which the caller sets to the
 * sizeof it was compiled with, and with @flags. Structures grow at the end: a
 * kernel that knows less takes a longer one whose tail is zero, a kernel that
 * knows more takes a shorter one and reads zero for the rest. The ioctl
 * numbers therefore encode no size. Fields that start with out_ are written
 * by the kernel; __reserved ones must be zero. A refused call changes nothing.
 *
 * Each errno has one meaning for all calls:
 *
 *  - ENOTTY: this kind of file has no such call
 *  - EINVAL: @size too small, a value out of range, a reserved field not zero
 *  - E2BIG: a tail that this kernel does not know is not zero; memory in too
 *    many pieces for one key
 *  - EOPNOTSUPP: a known field asks for something this card or host cannot do
 *  - EFAULT: user memory cannot be read or written
 *  - EPERM: the file's opener has no CAP_NET_ADMIN in the initial namespace,
 *    or RLIMIT_MEMLOCK would be passed
 *  - EACCES: the file was not opened for writing
 *  - ENOENT: no such replica, key or window
 *  - EBUSY: owned by somebody else, or drained by hand
 *  - EAGAIN: a ring has less room than is asked for
 *  - EPIPE: a queue has stopped; reset it
 *  - EXDEV: handles of different cards
 *  - EMSGSIZE: an array is too short; its count is set to what is needed
 *  - ENOSPC: the card's windows, keys, ranges or faults are used up
 *  - ETIMEDOUT: the fabric did not drain, or a command did not end, within 1 s
 *  - EIO: the card answered a command with an error that is nobody's mistake
 *  - ENODEV: the card is gone, or was reset since this handle was attached;
 *    the file is good for nothing but close(). Its mappings raise SIGBUS,
 *    poll() returns POLLERR | POLLHUP.
 */

#define OCFABRIC_IOCTL_TYPE	0xfa

/* On the node */
#define OCFABRIC_INFO		_IO(OCFABRIC_IOCTL_TYPE, 0x80)	/* and on handles */
#define OCFABRIC_ATTACH		_IO(OCFABRIC_IOCTL_TYPE, 0x81)
#define OCFABRIC_CONFIG_GET	_IO(OCFABRIC_IOCTL_TYPE, 0x82)
#define OCFABRIC_CONFIG_CHANGE	_IO(OCFABRIC_IOCTL_TYPE, 0x83)
#define OCFABRIC_COUNTERS_GET	_IO(OCFABRIC_IOCTL_TYPE, 0x84)
#define OCFABRIC_DRAIN		_IO(OCFABRIC_IOCTL_TYPE, 0x85)
#define OCFABRIC_RESET		_IO(OCFABRIC_IOCTL_TYPE, 0x86)

/* On a replica handle */
#define OCFABRIC_REPLICA_GET	_IO(OCFABRIC_IOCTL_TYPE, 0x90)
#define OCFABRIC_KEY_ADD	_IO(OCFABRIC_IOCTL_TYPE, 0x91)
#define OCFABRIC_BUFFER_ADD	_IO(OCFABRIC_IOCTL_TYPE, 0x92)
#define OCFABRIC_KEY_DEL	_IO(OCFABRIC_IOCTL_TYPE, 0x93)
#define OCFABRIC_EVENTFD	_IO(OCFABRIC_IOCTL_TYPE, 0x94)
#define OCFABRIC_QUEUE_GET	_IO(OCFABRIC_IOCTL_TYPE, 0x95)
#define OCFABRIC_QUEUE_RESET	_IO(OCFABRIC_IOCTL_TYPE, 0x96)
#define OCFABRIC_REJECTS_GET	_IO(OCFABRIC_IOCTL_TYPE, 0x97)
#define OCFABRIC_MODERATION	_IO(OCFABRIC_IOCTL_TYPE, 0x98)
#define OCFABRIC_BROADCAST	_IO(OCFABRIC_IOCTL_TYPE, 0x99)	/* and on the node */

/**
 * struct ocfabric_info - what card this is (OCFABRIC_INFO)
 * @size: sizeof(struct ocfabric_info)
 * @flags: must be 0
 * @out_features: OCFABRIC_FEATURE_*
 * @out_hbm_size: bytes
 * @out_card: N of /dev/ocfabricN
 * @out_hw_version: OCFABRIC_REG_VERSION
 * @out_replicas: the most replicas that the card can have
 * @out_windows: W
 * @out_clock_mhz: fabric clock
 * @out_keys: memory keys a replica
 * @out_ranges: ranges a replica
 * @out_key_ranges: ranges a key
 */
struct ocfabric_info {
	__u32 size;
	__u32 flags;
	__aligned_u64 out_features;
	__aligned_u64 out_hbm_size;
	__u32 out_card;
	__u32 out_hw_version;
	__u32 out_replicas;
	__u32 out_windows;
	__u32 out_clock_mhz;
	__u32 out_keys;
	__u32 out_ranges;
	__u32 out_key_ranges;
};

#define OCFABRIC_ATTACH_CLEAR	(1u << 0)

/**
 * struct ocfabric_attach - become a replica (OCFABRIC_ATTACH)
 * @size: sizeof(struct ocfabric_attach)
 * @flags: OCFABRIC_ATTACH_CLEAR: start from a zeroed region and semaphores;
 *	   happens anyhow when the last owner had another uid
 * @replica: which; below the card's largest number of replicas
 * @tx_entries: transmit ring, a power of two, 16..32768; 0: 1024
 * @cq_entries: completion ring, a power of two, 16..32768; 0: what the other
 *		two can fill, at most 32768
 * @rx_entries: receive ring, a power of two, 16..32768; 0: as @tx_entries
 * @out_fd: the replica handle, close-on-exec. It carries all of the replica's
 *	    rights and none else, and can be passed on. Closing the last copy
 *	    stops the queue and gives the replica up. When the call is refused,
 *	    whatever is here leads nowhere.
 * @__reserved: must be 0
 *
 * The node must be open for writing. EBUSY: somebody has it; netlink's
 * replica-get says who.
 */
struct ocfabric_attach {
	__u32 size;
	__u32 flags;
	__u32 replica;
	__u32 tx_entries;
	__u32 cq_entries;
	__u32 rx_entries;
	__s32 out_fd;
	__u32 __reserved;
};

#define OCFABRIC_PEER_NONE	0xff

/**
 * struct ocfabric_region - a replica's piece of the HBM
 * @base: HBM address, a multiple of 64
 * @length: bytes; 0: none
 */
struct ocfabric_region {
	__aligned_u64 base;
	__aligned_u64 length;
};

/**
 * struct ocfabric_window - a right to write
 * @src: who may write
 * @dst: into whose region
 * @offset: bytes into it
 * @length: bytes; 0: only semaphores
 * @sem_first: first of the destination's semaphores that the source may add to
 * @sem_count: how many; 0: none; @sem_first + @sem_count is at most 64
 */
struct ocfabric_window {
	__u32 src;
	__u32 dst;
	__aligned_u64 offset;
	__aligned_u64 length;
	__u32 sem_first;
	__u32 sem_count;
};

#define OCFABRIC_CONFIG_UPSTREAM_QPNS	(1u << 0)
#define OCFABRIC_CONFIG_DRAINED		(1u << 1)	/* by hand, until resumed */

/**
 * struct ocfabric_config_get - the whole configuration, of one instant
 * @size: sizeof(struct ocfabric_config_get)
 * @flags: must be 0
 * @regions: 0, or user address of struct ocfabric_region[16]
 * @connections: 0, or user address of __u8[16][256]: peer by link and QPN,
 *		 OCFABRIC_PEER_NONE where there is none
 * @windows: 0, or user address of struct ocfabric_window[@window_count]
 * @window_count: in: room at @windows, out: number of windows
 * @out_replicas: n
 * @out_latency: cycles
 * @out_state: OCFABRIC_CONFIG_*
 * @out_generation: changes so far
 * @__reserved: must be 0
 */
struct ocfabric_config_get {
	__u32 size;
	__u32 flags;
	__aligned_u64 regions;
	__aligned_u64 connections;
	__aligned_u64 windows;
	__u32 window_count;
	__u32 out_replicas;
	__u32 out_latency;
	__u32 out_state;
	__u32 out_generation;
	__u32 __reserved;
};

/**
 * enum ocfabric_change_op - one step of a change; with the fields it uses
 * @OCFABRIC_CHANGE_RESET: n 0; no regions, connections, windows or faults;
 *			   latency 0; upstream QPNs off
 * @OCFABRIC_CHANGE_REPLICAS: @value: n, 2 to the card's number
 * @OCFABRIC_CHANGE_REGION: @src: replica; @offset: base; @length: size
 * @OCFABRIC_CHANGE_LATENCY: @value: cycles, 32 bits
 * @OCFABRIC_CHANGE_UPSTREAM_QPNS: @value: 0 or 1
 * @OCFABRIC_CHANGE_CONNECTIONS_DEFAULT: the default table for n as it is at
 *					 this step
 * @OCFABRIC_CHANGE_CONNECTION: @src: link; @qpn: 0..255; @dst: peer, or
 *				OCFABRIC_PEER_NONE
 * @OCFABRIC_CHANGE_WINDOW_ADD: @src, @dst, @offset, @length, @sem_first,
 *				@sem_count; adding one that is there, the same
 *				in all of these, changes nothing
 * @OCFABRIC_CHANGE_WINDOW_DEL: the same; ENOENT when it is not there
 * @OCFABRIC_CHANGE_FAULT_RESP: @dst: replica; @offset: byte of its region as it
 *				is at this step; @value: enum ocfabric_resp
 * @OCFABRIC_CHANGE_FAULT_DELAY: @dst, @offset; @value: cycles, 32 bits
 * @OCFABRIC_CHANGE_FAULT_CLEAR: @dst, @offset: response and delay of this line
 * @OCFABRIC_CHANGE_COUNTERS_RESET: zero all counters and rejects
 * @OCFABRIC_CHANGE_HBM_CLEAR: whatever the HBM holds now, nobody reads it
 *			       again: every region reads zero after the change,
 *			       and so do the semaphores of whoever attaches next
 */
enum ocfabric_change_op {
	OCFABRIC_CHANGE_RESET			= 1,
	OCFABRIC_CHANGE_REPLICAS		= 2,
	OCFABRIC_CHANGE_REGION			= 3,
	OCFABRIC_CHANGE_LATENCY			= 4,
	OCFABRIC_CHANGE_UPSTREAM_QPNS		= 5,
	OCFABRIC_CHANGE_CONNECTIONS_DEFAULT	= 6,
	OCFABRIC_CHANGE_CONNECTION		= 7,
	OCFABRIC_CHANGE_WINDOW_ADD		= 8,
	OCFABRIC_CHANGE_WINDOW_DEL		= 9,
	OCFABRIC_CHANGE_FAULT_RESP		= 10,
	OCFABRIC_CHANGE_FAULT_DELAY		= 11,
	OCFABRIC_CHANGE_FAULT_CLEAR		= 12,
	OCFABRIC_CHANGE_COUNTERS_RESET		= 13,
	OCFABRIC_CHANGE_HBM_CLEAR		= 14,
};

/**
 * struct ocfabric_change - a step of a change; unused fields are 0
 * @op: enum ocfabric_change_op
 * @src: see there
 * @dst: see there
 * @qpn: see there
 * @value: see there
 * @offset: see there
 * @length: see there
 * @sem_first: see struct ocfabric_window; 0 when @sem_count is
 * @sem_count: see there
 */
struct ocfabric_change {
	__u32 op;
	__u32 src;
	__u32 dst;
	__u32 qpn;
	__aligned_u64 value;
	__aligned_u64 offset;
	__aligned_u64 length;
	__u32 sem_first;
	__u32 sem_count;
};

#define OCFABRIC_CONFIG_CHECK	(1u << 0)	/* say whether it would be taken, change nothing */
#define OCFABRIC_CHANGES_MAX	16384
#define OCFABRIC_REASON_MAX	80

/**
 * struct ocfabric_config_change - change the configuration, whole or not at all
 * @size: sizeof(struct ocfabric_config_change)
 * @flags: OCFABRIC_CONFIG_CHECK
 * @changes: user address of struct ocfabric_change[@count]
 * @count: 1..OCFABRIC_CHANGES_MAX
 * @out_index: on refusal: the step at fault
 * @out_reason: on refusal: a sentence, NUL-terminated
 *
 * Drains, applies the steps in order, resumes. What the steps amount to is
 * judged at the end; a refusal names the step that brought it about. On
 * refusal the errno is returned and out_index and out_reason are written.
 * Needs CAP_NET_ADMIN of the opener.
 */
struct ocfabric_config_change {
	__u32 size;
	__u32 flags;
	__aligned_u64 changes;
	__u32 count;
	__u32 out_index;
	__u8 out_reason[OCFABRIC_REASON_MAX];
};

/**
 * struct ocfabric_counters_get - all counters of all links, of one instant
 * @size: sizeof(struct ocfabric_counters_get)
 * @flags: must be 0
 * @counters: user address of __u64[@links][@counters_per_link], in the order
 *	      of enum ocfabric_counter
 * @links: in: room, 1..16; out: links written
 * @counters_per_link: in: room, 1..; out: counters written a link
 * @out_clock: fabric clock of the snapshot, cycles
 */
struct ocfabric_counters_get {
	__u32 size;
	__u32 flags;
	__aligned_u64 counters;
	__u32 links;
	__u32 counters_per_link;
	__aligned_u64 out_clock;
};

enum ocfabric_drain_op {
	OCFABRIC_DRAIN_HOLD	= 1,	/* drain, and stay so until resumed */
	OCFABRIC_DRAIN_RESUME	= 2,
};

/**
 * struct ocfabric_drain - stop and restart the links (OCFABRIC_DRAIN)
 * @size: sizeof(struct ocfabric_drain)
 * @flags: must be 0
 * @op: enum ocfabric_drain_op
 * @out_link: with ETIMEDOUT: a link that does not come to rest
 * @out_stage: with ETIMEDOUT: enum ocfabric_stage that it is in
 * @__reserved: must be 0
 *
 * HOLD while held, and RESUME while not, are EBUSY and EINVAL. Needs
 * CAP_NET_ADMIN of the opener.
 */
struct ocfabric_drain {
	__u32 size;
	__u32 flags;
	__u32 op;
	__u32 out_link;
	__u32 out_stage;
	__u32 __reserved;
};

enum ocfabric_reset_what {
	OCFABRIC_RESET_COUNTERS	= 1,	/* under a drain */
	OCFABRIC_RESET_DEVICE	= 2,	/* configuration is applied again, handles die */
	OCFABRIC_RESET_LINK	= 3,	/* its write in flight ends as dma_error */
};

/**
 * struct ocfabric_reset - OCFABRIC_RESET
 * @size: sizeof(struct ocfabric_reset)
 * @flags: must be 0
 * @what: enum ocfabric_reset_what
 * @link: OCFABRIC_RESET_LINK: which, below the card's largest number of
 *	  replicas; else 0
 *
 * Needs CAP_NET_ADMIN of the opener.
 */
struct ocfabric_reset {
	__u32 size;
	__u32 flags;
	__u32 what;
	__u32 link;
};

/**
 * struct ocfabric_map - something to mmap() on a replica handle
 * @offset: for mmap(), opaque
 * @length: bytes, whole pages; 0: not there
 */
struct ocfabric_map {
	__aligned_u64 offset;
	__aligned_u64 length;
};

/**
 * struct ocfabric_replica_get - what a handle holds (OCFABRIC_REPLICA_GET)
 * @size: sizeof(struct ocfabric_replica_get)
 * @flags: must be 0
 * @out_replica: which replica
 * @out_replicas: n now
 * @out_tx_entries: transmit ring
 * @out_cq_entries: completion ring
 * @out_rx_entries: receive ring
 * @__reserved: must be 0
 * @out_region: where its region lies now
 * @out_region_skip: bytes from the region's start to the first one that
 *		     @out_map_region maps
 * @out_map_tx: transmit ring, struct ocfabric_desc[], read and write
 * @out_map_cq: completion ring, struct ocfabric_cqe[], read only
 * @out_map_owner: struct ocfabric_owner, read and write
 * @out_map_doorbell: M2S doorbell page, read and write
 * @out_map_region: the whole pages inside the region, read and write,
 *		    write-combining
 * @out_map_rx: receive ring, struct ocfabric_rx_desc[], read and write
 * @out_map_rx_doorbell: S2M doorbell page, read and write
 * @out_map_semaphores: __le32[OCFABRIC_SEMAPHORES], read only
 *
 * Mappings must be MAP_SHARED, are not executable and are not inherited by
 * fork(). Every byte of the region can also be read and written with pread()
 * and pwrite() on the handle, at its offset in the region.
 */
struct ocfabric_replica_get {
	__u32 size;
	__u32 flags;
	__u32 out_replica;
	__u32 out_replicas;
	__u32 out_tx_entries;
	__u32 out_cq_entries;
	__u32 out_rx_entries;
	__u32 __reserved;
	struct ocfabric_region out_region;
	__aligned_u64 out_region_skip;
	struct ocfabric_map out_map_tx;
	struct ocfabric_map out_map_cq;
	struct ocfabric_map out_map_owner;
	struct ocfabric_map out_map_doorbell;
	struct ocfabric_map out_map_region;
	struct ocfabric_map out_map_rx;
	struct ocfabric_map out_map_rx_doorbell;
	struct ocfabric_map out_map_semaphores;
};

/**
 * struct ocfabric_key_add - make own memory a source of writes
 * @size: sizeof(struct ocfabric_key_add)
 * @flags: must be 0
 * @addr: user address, any alignment
 * @length: bytes, not 0
 * @out_key: the key; in descriptors, addresses under it count from 0
 * @__reserved: must be 0
 *
 * Pins the pages until the key is removed or the handle closed, charged to
 * the caller's RLIMIT_MEMLOCK. EOPNOTSUPP where the host would have to bounce
 * them: use OCFABRIC_BUFFER_ADD. E2BIG: more than out_key_ranges pieces.
 * An IOMMU maps whole pages: the card, which is trusted with it, could read the
 * rest of the first and last one; descriptors cannot.
 */
struct ocfabric_key_add {
	__u32 size;
	__u32 flags;
	__aligned_u64 addr;
	__aligned_u64 length;
	__u32 out_key;
	__u32 __reserved;
};

/**
 * struct ocfabric_buffer_add - get memory that any host can use as a source
 * @size: sizeof(struct ocfabric_buffer_add)
 * @flags: must be 0
 * @length: bytes, not 0, rounded up to pages
 * @out_map: for mmap(), read and write; zeroed
 * @out_key: the key; in descriptors, addresses under it count from 0
 * @__reserved: must be 0
 *
 * The memory is coherent and charged to the caller's RLIMIT_MEMLOCK. It goes
 * when its key is removed (or the handle closed) and its last mapping is gone.
 */
struct ocfabric_buffer_add {
	__u32 size;
	__u32 flags;
	__aligned_u64 length;
	struct ocfabric_map out_map;
	__u32 out_key;
	__u32 __reserved;
};

/**
 * struct ocfabric_key_del - OCFABRIC_KEY_DEL
 * @size: sizeof(struct ocfabric_key_del)
 * @flags: must be 0
 * @key: from OCFABRIC_KEY_ADD or OCFABRIC_BUFFER_ADD
 * @__reserved: must be 0
 *
 * On return the card can no longer reach the memory.
 */
struct ocfabric_key_del {
	__u32 size;
	__u32 flags;
	__u32 key;
	__u32 __reserved;
};

/**
 * struct ocfabric_eventfd - count interrupts of the queue in an eventfd
 * @size: sizeof(struct ocfabric_eventfd)
 * @flags: must be 0
 * @fd: eventfd, or -1 for none; replaces the one before
 * @__reserved: must be 0
 */
struct ocfabric_eventfd {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 __reserved;
};

/**
 * struct ocfabric_queue_get - where the queue is (OCFABRIC_QUEUE_GET)
 * @size: sizeof(struct ocfabric_queue_get)
 * @flags: must be 0
 * @out_state: enum ocfabric_queue_state
 * @out_cause: enum ocfabric_queue_cause
 * @out_wrote: see there
 * @out_expected: see there
 * @out_head: descriptors run, mod 2^24
 * @out_tail: descriptors rung, mod 2^24
 * @out_cq_producer: completions written, mod 2^32
 * @out_interrupts: interrupts raised, mod 2^32
 * @out_rx_head: receive descriptors used, mod 2^24
 * @out_rx_tail: receive descriptors rung, mod 2^24
 * @out_waiting: 1 while a WAIT at the head is not met
 * @out_burst: see struct ocfabric_moderation
 * @out_timer: see there
 * @out_mode: see there
 */
struct ocfabric_queue_get {
	__u32 size;
	__u32 flags;
	__u32 out_state;
	__u32 out_cause;
	__u32 out_wrote;
	__u32 out_expected;
	__u32 out_head;
	__u32 out_tail;
	__u32 out_cq_producer;
	__u32 out_interrupts;
	__u32 out_rx_head;
	__u32 out_rx_tail;
	__u32 out_waiting;
	__u32 out_burst;
	__u32 out_timer;
	__u32 out_mode;
};

/**
 * struct ocfabric_queue_reset - start a stopped queue anew
 * @size: sizeof(struct ocfabric_queue_reset)
 * @flags: must be 0
 *
 * Ends what is in flight, zeroes the rings and the owner line, and enables the
 * queue on its first lap. Keys, region and semaphores stay.
 */
struct ocfabric_queue_reset {
	__u32 size;
	__u32 flags;
};

/**
 * struct ocfabric_rejects_get - the last rejected writes of the replica
 * @size: sizeof(struct ocfabric_rejects_get)
 * @flags: must be 0
 * @rejects: user address of struct ocfabric_hw_reject[@count], oldest first
 * @count: in: room, 1..; out: entries written
 * @__reserved: must be 0
 */
struct ocfabric_rejects_get {
	__u32 size;
	__u32 flags;
	__aligned_u64 rejects;
	__u32 count;
	__u32 __reserved;
};

enum ocfabric_moderation_mode {
	OCFABRIC_MODE_LATENCY	= 0,	/* at once when it has been quiet */
	OCFABRIC_MODE_COUNT	= 1,	/* as many to an interrupt as may be */
};

/**
 * struct ocfabric_moderation - how often one's queue interrupts
 * @size: sizeof(struct ocfabric_moderation)
 * @flags: must be 0
 * @burst: completions to an interrupt at most, 1..65535
 * @timer: nanoseconds that one waits for it at most, 0..OCFABRIC_TIMER_MAX
 * @mode: enum ocfabric_moderation_mode
 * @__reserved: must be 0
 *
 * In force at once, until changed or the replica is given up; then what was
 * set by netlink holds again. See OCFABRIC_QUEUE_MODERATION.
 */
struct ocfabric_moderation {
	__u32 size;
	__u32 flags;
	__u32 burst;
	__u32 timer;
	__u32 mode;
	__u32 __reserved;
};

#define OCFABRIC_BROADCAST_RECEIVE	(1u << 0)	/* the receive rings, not the transmit rings */

/**
 * struct ocfabric_broadcast - ring the doorbells of several replicas at once
 * @size: sizeof(struct ocfabric_broadcast)
 * @flags: OCFABRIC_BROADCAST_RECEIVE
 * @handles: user address of __s32[@count]: replica handles of this card, each
 *	     of another replica
 * @count: 1, 2, 4, 8 or 16
 * @increment: descriptors, 0..0xffffff
 * @out_replica: with EAGAIN and EPIPE: the replica it was refused for
 * @__reserved: must be 0
 *
 * All of them advance, or none: EAGAIN a ring has less room left, EPIPE a queue
 * is not enabled, EXDEV a handle is another card's, EBADF a descriptor is no
 * replica handle. Holding the handles is the right; on a handle it need not be
 * one of those listed.
 */
struct ocfabric_broadcast {
	__u32 size;
	__u32 flags;
	__aligned_u64 handles;
	__u32 count;
	__u32 increment;
	__u32 out_replica;
	__u32 __reserved;
};

#endif /* _UAPI_LINUX_OCFABRIC_H */
