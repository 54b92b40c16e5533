/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The card as software sees it: PCI identity, BAR layout, registers, the
 * descriptors in host memory. This one file is included by the driver, by the
 * device model and by libocfabric; docs/hardware.md explains every field, and
 * selftests/host/hw_doc holds the two together.
 *
 * Everything is little-endian. Registers are 4 or 8 bytes wide and accessed
 * naturally aligned, 8-byte ones also as two halves: reading the low half
 * latches the high half for the next read of it, writing the low half is held
 * until the high half is written. Other accesses, and accesses to holes, read
 * 0 and change nothing.
 *
 * Access classes are RO (writes ignored), RW, WO (reads 0), W1C (writing a 1
 * clears the bit) and CFG (RW, but a write is ignored, and latches
 * OCFABRIC_ERROR_NOT_DRAINED, while the fabric is not drained).
 */
#ifndef _UAPI_LINUX_OCFABRIC_HW_H
#define _UAPI_LINUX_OCFABRIC_HW_H

#include <linux/types.h>

/* PCI identity (QEMU's range for experiments) */
#define OCFABRIC_PCI_VENDOR_ID		0x1af4
#define OCFABRIC_PCI_DEVICE_ID		0x10f5
#define OCFABRIC_PCI_CLASS		0x0c06

/* BARs */
#define OCFABRIC_BAR_CONTROL		0
#define OCFABRIC_BAR_DOORBELL		2
#define OCFABRIC_BAR_HBM		4
#define OCFABRIC_BAR_CONTROL_SIZE	0x80000
#define OCFABRIC_BAR_DOORBELL_SIZE	0x40000

/* MSI-X: table and PBA lie in BAR 0 */
#define OCFABRIC_MSIX_TABLE		0x14000
#define OCFABRIC_MSIX_PBA		0x15000
#define OCFABRIC_VECTOR_EVENTS		0
#define OCFABRIC_VECTOR_REPLICA(i)	(1 + (i))
#define OCFABRIC_VECTORS		(1 + OCFABRIC_REPLICAS_MAX)

/* Limits of the interface; a card's own are in its capability registers */
#define OCFABRIC_REPLICAS_MIN		2
#define OCFABRIC_REPLICAS_MAX		16
#define OCFABRIC_QPNS			256	/* entries of a connection table */
#define OCFABRIC_QPN_MASK		0xffffff
#define OCFABRIC_WINDOWS_MAX		4096
#define OCFABRIC_LINE			64	/* bytes of a beat and of an HBM line */
#define OCFABRIC_REJECTS		16	/* rejected writes kept per link */
#define OCFABRIC_SEMAPHORES		64	/* of a replica */
#define OCFABRIC_LEN_MAX		0x4000000 /* bytes of one write */
#define OCFABRIC_BEATS_MAX		0xffffff

/*
 * BAR 0: identity and capabilities, RO
 */
#define OCFABRIC_REG_MAGIC		0x000	/* u32: OCFABRIC_MAGIC */
#define OCFABRIC_REG_VERSION		0x004	/* u32: 31:16 major, 15:0 minor */
#define OCFABRIC_REG_FEATURES		0x008	/* u64: OCFABRIC_FEATURE_* */
#define OCFABRIC_REG_MAX_REPLICAS	0x010	/* u32: 2..16 */
#define OCFABRIC_REG_MAX_WINDOWS	0x014	/* u32: W, 1..4096 */
#define OCFABRIC_REG_HBM_SIZE		0x018	/* u64: bytes, a power of two */
#define OCFABRIC_REG_CLOCK_MHZ		0x020	/* u32: fabric clock */
#define OCFABRIC_REG_MAX_KEYS		0x024	/* u32: memory keys a replica */
#define OCFABRIC_REG_MAX_RANGES		0x028	/* u32: ranges a replica */
#define OCFABRIC_REG_MAX_KEY_RANGES	0x02c	/* u32: ranges a key */
#define OCFABRIC_REG_CLOCK		0x030	/* u64: fabric clock, cycles since reset */
#define OCFABRIC_REG_MAX_FAULTS		0x038	/* u32: HBM lines that can carry a fault */

#define OCFABRIC_MAGIC			0x4246434f	/* "OCFB" */
#define OCFABRIC_VERSION_MAJOR		1
#define OCFABRIC_VERSION_MINOR		0
#define OCFABRIC_VERSION	((OCFABRIC_VERSION_MAJOR << 16) | OCFABRIC_VERSION_MINOR)

#define OCFABRIC_FEATURE_FAULTS		(1ULL << 0)	/* FAULT commands */

/*
 * BAR 0: control
 */
#define OCFABRIC_REG_CONTROL		0x100	/* RW u32: OCFABRIC_CONTROL_* */
#define OCFABRIC_REG_STATUS		0x104	/* RO u32: OCFABRIC_STATUS_* */
#define OCFABRIC_REG_ERROR		0x108	/* W1C u32: OCFABRIC_ERROR_* */
#define OCFABRIC_REG_SNAPSHOT		0x10c	/* WO u32: OCFABRIC_SNAPSHOT_* */
#define OCFABRIC_REG_SNAPSHOT_CLOCK	0x110	/* RO u64: cycles, of the last snapshot */
#define OCFABRIC_REG_COUNTER_RESET	0x118	/* CFG u32: writing 1 zeroes counters and rejects; reads 0 */
#define OCFABRIC_REG_GENERATION		0x11c	/* RO u32: resumes after a change of configuration */
#define OCFABRIC_REG_BROADCAST		0x120	/* RO u64: the last broadcast doorbell, OCFABRIC_BROADCAST_* */
#define OCFABRIC_REG_STALL_LIMIT	0x128	/* RW u32: ms, 0..OCFABRIC_STALL_LIMIT_MAX, see OCFABRIC_EVENT_STALLED; 0: off */
#define OCFABRIC_REG_STORM_LIMIT	0x12c	/* RW u32: interrupts of a queue in one ms, 0..65535; 0: no limit */
#define OCFABRIC_REG_LINK_STATE(l)	(0x140 + 4 * (l))	/* RO u32: OCFABRIC_LINK_* */

#define OCFABRIC_CONTROL_DRAIN		(1u << 0)	/* no link takes a new write */
#define OCFABRIC_CONTROL_RESET		(1u << 1)	/* whole device; reads 0 */

#define OCFABRIC_STATUS_DRAINED		(1u << 0)	/* DRAIN set and no write in flight */
#define OCFABRIC_STATUS_BUSY_SHIFT	16		/* 31:16: links with a write in flight */

#define OCFABRIC_ERROR_NOT_DRAINED	(1u << 0)	/* CFG write while not drained, ignored */
#define OCFABRIC_ERROR_CMD_OVERRUN	(1u << 1)	/* CMD written while busy, ignored */
#define OCFABRIC_ERROR_DOORBELL		(1u << 2)	/* doorbell of a queue not enabled, ignored */
#define OCFABRIC_ERROR_EVENT		(1u << 3)	/* the event ring cannot be written */
#define OCFABRIC_ERROR_BROADCAST	(1u << 4)	/* a broadcast doorbell was refused, see there */
#define OCFABRIC_ERROR_CONSERVATION	(1u << 5)	/* a snapshot found stages of a link that do not add up */
#define OCFABRIC_ERROR_MASK		0x3f

#define OCFABRIC_STALL_LIMIT		100		/* ms, after reset */
#define OCFABRIC_STALL_LIMIT_MAX	3600000		/* a longer one is ignored */
#define OCFABRIC_STORM_LIMIT		100		/* after reset */
#define OCFABRIC_STORM_LIMIT_MAX	65535		/* a higher one is ignored */

/*
 * What became of the last broadcast doorbell, of either block: its increment
 * and queue mask, enum ocfabric_broadcast_result, and of a refusal the first
 * queue that it was refused for.
 */
#define OCFABRIC_BROADCAST_INC_MASK	0xffffff	/* 23:0, as in the doorbell */
#define OCFABRIC_BROADCAST_RESULT_SHIFT	24		/* 27:24 */
#define OCFABRIC_BROADCAST_RESULT_MASK	0xf
#define OCFABRIC_BROADCAST_QUEUE_SHIFT	28		/* 31:28 */
#define OCFABRIC_BROADCAST_QUEUE_MASK	0xf
#define OCFABRIC_BROADCAST_MASK_SHIFT	32		/* 47:32, as in the doorbell */
#define OCFABRIC_BROADCAST_MASK_MASK	0xffff

enum ocfabric_broadcast_result {
	OCFABRIC_BROADCAST_RUNG		= 0,	/* every queue of the mask advanced */
	OCFABRIC_BROADCAST_BAD_MASK	= 1,	/* not 1, 2, 4, 8 or 16 queues */
	OCFABRIC_BROADCAST_DISABLED	= 2,	/* a queue is not enabled */
	OCFABRIC_BROADCAST_NO_ROOM	= 3,	/* a ring has less room left */
};

#define OCFABRIC_SNAPSHOT_COUNTERS	(1u << 0)	/* and stages */
#define OCFABRIC_SNAPSHOT_REJECTS	(1u << 1)
#define OCFABRIC_SNAPSHOT_QPS		(1u << 2)

#define OCFABRIC_LINK_STAGE_MASK	0xf		/* enum ocfabric_stage */

/* Where the write of a link is; the names are those of the stages it passes. */
enum ocfabric_stage {
	OCFABRIC_STAGE_IDLE		= 0,	/* no write in flight */
	OCFABRIC_STAGE_TAKEN		= 1,	/* waits for the latency to pass */
	OCFABRIC_STAGE_ISSUED		= 2,	/* lines go to the HBM */
	OCFABRIC_STAGE_ACKNOWLEDGED	= 3,	/* waits for B responses */
};

/*
 * BAR 0: event ring, entries of struct ocfabric_event in one piece of host
 * memory. Changing the base or the size restarts the ring at index 0, lap 1.
 */
#define OCFABRIC_REG_EVENT_BASE		0x180	/* RW u64: DMA address, 64-byte aligned */
#define OCFABRIC_REG_EVENT_SHIFT	0x188	/* RW u32: log2 of entries, 4..12; 0 is off */
#define OCFABRIC_REG_EVENT_PRODUCER	0x18c	/* RO u32: events written, mod 2^32 */
#define OCFABRIC_REG_EVENT_CONSUMER	0x190	/* RW u32: events taken, mod 2^32 */
#define OCFABRIC_REG_EVENT_LOST		0x194	/* RO u32: events that found the ring full */

/*
 * BAR 0: command mailbox. Write the arguments, then CMD; poll STATUS for DONE.
 * Arguments are read when CMD is written.
 */
#define OCFABRIC_REG_CMD		0x200	/* WO u32: 7:0 opcode, 15:8 queue */
#define OCFABRIC_REG_CMD_STATUS		0x204	/* RO u32: OCFABRIC_HW_CMD_* */
#define OCFABRIC_REG_CMD_ARG(i)		(0x208 + 8 * (i))	/* RW u64, i 0..3 */

#define OCFABRIC_HW_CMD_BUSY		(1u << 0)
#define OCFABRIC_HW_CMD_DONE		(1u << 1)	/* the last command ended; RESULT holds */
#define OCFABRIC_HW_CMD_RESULT_SHIFT	8		/* 15:8: enum ocfabric_hw_result */
#define OCFABRIC_HW_CMD_RESULT_MASK	0xff

enum ocfabric_hw_cmd {
	/* arg 0: DMA address of a struct ocfabric_hw_queue, 64-byte aligned */
	OCFABRIC_HW_CMD_QUEUE_ENABLE	= 1,
	/*
	 * arg 0: OCFABRIC_QUEUE_ABORT or 0. Done when the queue runs nothing
	 * and will not touch host memory again. Without ABORT a write in
	 * flight is waited for; with it, that write ends as dma_error.
	 */
	OCFABRIC_HW_CMD_QUEUE_DISABLE	= 2,
	/*
	 * arg 0: DMA address of struct ocfabric_hw_range[count], 16-byte
	 * aligned; arg 1: count, 1..MAX_KEY_RANGES; arg 2: the address that
	 * descriptors use for the first byte; arg 3: the key, its index free
	 */
	OCFABRIC_HW_CMD_KEY_ADD		= 3,
	/* arg 3: the key. Done when no access through it can follow. */
	OCFABRIC_HW_CMD_KEY_DEL		= 4,
	/*
	 * FAULT_*: only while drained. arg 0: HBM address of a byte in the
	 * line; arg 1: enum ocfabric_resp, or the delay in cycles (32 bits)
	 */
	OCFABRIC_HW_CMD_FAULT_RESP		= 5,
	OCFABRIC_HW_CMD_FAULT_DELAY	= 6,
	OCFABRIC_HW_CMD_FAULT_CLEAR	= 7,	/* this line's response and delay */
	OCFABRIC_HW_CMD_FAULT_CLEAR_ALL	= 8,
	/*
	 * The queue of this number. A write in flight ends as dma_error, and
	 * the queue goes on with its next descriptor.
	 */
	OCFABRIC_HW_CMD_LINK_RESET	= 9,
};

#define OCFABRIC_QUEUE_ABORT		1ULL

enum ocfabric_hw_result {
	OCFABRIC_RESULT_OK		= 0,
	OCFABRIC_RESULT_UNKNOWN		= 1,	/* no such opcode, or feature absent */
	OCFABRIC_RESULT_INVALID		= 2,	/* an argument */
	OCFABRIC_RESULT_STATE		= 3,	/* queue or key already (not) there */
	OCFABRIC_RESULT_NOT_DRAINED	= 4,
	OCFABRIC_RESULT_DMA		= 5,	/* host memory cannot be read */
	OCFABRIC_RESULT_NO_SPACE	= 6,	/* ranges or faults used up */
	OCFABRIC_RESULT_MOVE		= 7,	/* QP: no such move from the state it is in */
	OCFABRIC_RESULT_MISSING		= 8,	/* QP: the move needs this attribute */
	OCFABRIC_RESULT_NOT_ALLOWED	= 9,	/* QP: the attribute cannot change in this move */
	OCFABRIC_RESULT_NO_CONNECTION	= 10,	/* QP: the connection has no peer */
};

/* AXI B responses */
enum ocfabric_resp {
	OCFABRIC_RESP_OKAY		= 0,
	OCFABRIC_RESP_SLVERR		= 2,
	OCFABRIC_RESP_DECERR		= 3,
};

/*
 * BAR 0: queue pairs. Write the attributes and DST_QPN, then CMD; poll STATUS
 * for DONE. A CMD written while BUSY is ignored and latches OVERRUN. Offsets to
 * 0x1c are those of the ERNIC article's table.
 */
#define OCFABRIC_REG_QP(r)		(0x300 + (r))
#define OCFABRIC_QPC_BASE_ADDR		0x00	/* RO u32: OCFABRIC_REG_QPC(0, 0) */
#define OCFABRIC_QPC_ENTRY_NUM		0x04	/* RO u32: contexts */
#define OCFABRIC_MOD_QP_CMD		0x10	/* WO u32: enum ocfabric_qp_cmd */
#define OCFABRIC_MOD_QP_DST_QPN		0x14	/* RW u32: 31:24 link, 23:0 QPN */
#define OCFABRIC_QUERY_QP_STATUS	0x18	/* RO u32, but OVERRUN W1C: OCFABRIC_QP_* */
#define OCFABRIC_WINDOW_SIZE_REG	0x1c	/* RW u32: window of a connection that is loaded, 1..OCFABRIC_QP_WINDOW_MAX */
/* Attributes: read by MODIFY, written by QUERY */
#define OCFABRIC_QP_VALID		0x20	/* RW u32: those to be changed, OCFABRIC_QP_ATTR_* */
#define OCFABRIC_QP_STATE		0x24	/* RW u32: enum ocfabric_qp_state */
#define OCFABRIC_QP_SEND_PSN		0x28	/* RW u32: 24 bits, of the next write */
#define OCFABRIC_QP_EXPECTED_PSN	0x2c	/* RW u32: 24 bits, that the receiving end expects next */
#define OCFABRIC_QP_WINDOW		0x30	/* RW u32: packets unacknowledged, 1..OCFABRIC_QP_WINDOW_MAX */
#define OCFABRIC_QP_MTU			0x34	/* RW u32: bytes, 256, 512, ... 4096 */
#define OCFABRIC_QP_RETRY_LIMIT		0x38	/* RW u32: 0..7 */
#define OCFABRIC_QP_RNR_LIMIT		0x3c	/* RW u32: 0..7; 7: without end */
#define OCFABRIC_QP_TIMEOUT		0x40	/* RW u32: 0..31, 4.096 us * 2^t; 0: none */
#define OCFABRIC_QP_RNR_TIMER		0x44	/* RW u32: 0..31, InfiniBand's table */
/* What only QUERY writes, RO */
#define OCFABRIC_QP_PEER		0x48	/* u32: replica, 0xff: no connection */
#define OCFABRIC_QP_OUTSTANDING		0x4c	/* u32: writes in flight */
#define OCFABRIC_QP_RETRIES		0x50	/* u32: 7:0 retries, 15:8 after RNR, since the last progress */
#define OCFABRIC_QP_FLAGS		0x54	/* u32: 7:0 OCFABRIC_QP_DRAINING, 15:8 enum ocfabric_qp_cause */
#define OCFABRIC_QP_MOVES		0x58	/* u32: changes of state, mod 2^32 */

#define OCFABRIC_QP_LINK_SHIFT		24	/* in DST_QPN */

#define OCFABRIC_QP_BUSY		(1u << 0)
#define OCFABRIC_QP_DONE		(1u << 1)	/* the last command ended; RESULT holds */
#define OCFABRIC_QP_OVERRUN		(1u << 2)	/* W1C */
#define OCFABRIC_QP_RESULT_SHIFT	8	/* 15:8: enum ocfabric_hw_result */
#define OCFABRIC_QP_RESULT_MASK		0xff
#define OCFABRIC_QP_AT_SHIFT		16	/* 23:16: the attribute at fault, its bit's number in VALID; 0xff: none */
#define OCFABRIC_QP_AT_MASK		0xff

enum ocfabric_qp_cmd {
	/*
	 * Changes the attributes in VALID, all or none; without STATE in the
	 * state that it is in. Moving to SQD, it is BUSY while a write of the
	 * connection is in flight; moving to RESET or ERR ends that write as
	 * dma_error.
	 */
	OCFABRIC_QP_CMD_MODIFY		= 1,
	/* The context into the attribute registers, as of one instant */
	OCFABRIC_QP_CMD_QUERY		= 2,
	/*
	 * From any state to RTS, as if the connection had been loaded now. A
	 * write of it in flight ends as dma_error.
	 */
	OCFABRIC_QP_CMD_RECOVER		= 3,
};

/* Bits of VALID; the number of a bit names the attribute elsewhere. */
#define OCFABRIC_QP_ATTR_STATE		(1u << 0)
#define OCFABRIC_QP_ATTR_SEND_PSN	(1u << 1)
#define OCFABRIC_QP_ATTR_EXPECTED_PSN	(1u << 2)
#define OCFABRIC_QP_ATTR_WINDOW		(1u << 3)
#define OCFABRIC_QP_ATTR_MTU		(1u << 4)
#define OCFABRIC_QP_ATTR_RETRY_LIMIT	(1u << 5)
#define OCFABRIC_QP_ATTR_RNR_LIMIT	(1u << 6)
#define OCFABRIC_QP_ATTR_TIMEOUT	(1u << 7)
#define OCFABRIC_QP_ATTR_RNR_TIMER	(1u << 8)
#define OCFABRIC_QP_ATTRS		9
#define OCFABRIC_QP_NO_ATTR		0xff

/* InfiniBand's states and their numbers */
enum ocfabric_qp_state {
	OCFABRIC_QP_RESET		= 0,
	OCFABRIC_QP_INIT		= 1,
	OCFABRIC_QP_RTR			= 2,	/* ready to receive */
	OCFABRIC_QP_RTS			= 3,	/* ready to send */
	OCFABRIC_QP_SQD			= 4,	/* send queue drained */
	OCFABRIC_QP_SQE			= 5,	/* send queue error, by the card */
	OCFABRIC_QP_ERR			= 6,
};

/* Why the card, and not a command, moved a QP to SQE or ERR. */
enum ocfabric_qp_cause {
	OCFABRIC_QP_CAUSE_NONE		= 0,
	OCFABRIC_QP_CAUSE_PSN		= 1,	/* not the one that was expected */
	OCFABRIC_QP_CAUSE_RETRY		= 2,	/* retries used up */
	OCFABRIC_QP_CAUSE_RNR		= 3,	/* retries after RNR used up */
	OCFABRIC_QP_CAUSE_NAK		= 4,	/* refused for good by the peer */
};

/* After loading, and after RECOVER */
#define OCFABRIC_QP_WINDOW_DEFAULT	128	/* WINDOW_SIZE_REG after reset */
#define OCFABRIC_QP_WINDOW_MAX		32768
#define OCFABRIC_QP_MTU_MIN		256
#define OCFABRIC_QP_MTU_MAX		4096	/* and the default */
#define OCFABRIC_QP_LIMIT_DEFAULT	7	/* of both limits */
#define OCFABRIC_QP_TIMEOUT_DEFAULT	14
#define OCFABRIC_QP_RNR_TIMER_DEFAULT	12

#define OCFABRIC_QP_DRAINING		0x01	/* in SQD: its last write is in flight */

/*
 * BAR 0: queue status, RO; one block a replica. Counts are mod 2^24.
 */
#define OCFABRIC_REG_QUEUE(q)		(0x1000 + 0x100 * (q))
#define OCFABRIC_QUEUE_STATE		0x00	/* u32: 7:0 enum ocfabric_queue_state, 15:8 enum ocfabric_queue_cause, OCFABRIC_QUEUE_WAITING */
#define OCFABRIC_QUEUE_HEAD		0x04	/* u32: descriptors run */
#define OCFABRIC_QUEUE_TAIL		0x08	/* u32: descriptors rung */
#define OCFABRIC_QUEUE_WROTE		0x0c	/* u32: see enum ocfabric_queue_cause */
#define OCFABRIC_QUEUE_EXPECTED		0x10	/* u32: see enum ocfabric_queue_cause */
#define OCFABRIC_QUEUE_CQ_PRODUCER	0x14	/* u32: completions written, mod 2^32 */
#define OCFABRIC_QUEUE_INTERRUPTS	0x18	/* u32: interrupts raised, mod 2^32 */
#define OCFABRIC_QUEUE_RX_HEAD		0x1c	/* u32: receive descriptors used */
#define OCFABRIC_QUEUE_RX_TAIL		0x20	/* u32: receive descriptors rung */
/*
 * Interrupt moderation, RW at any time, in force at once. Both survive
 * QUEUE_ENABLE and QUEUE_DISABLE.
 */
#define OCFABRIC_QUEUE_MODERATION	0x24	/* u32: 15:0 max_burst, 1..65535; OCFABRIC_MODERATION_COUNT */
#define OCFABRIC_QUEUE_MODERATION_TIMER	0x28	/* u32: ns, 0..OCFABRIC_TIMER_MAX */

#define OCFABRIC_QUEUE_WEIGHT		0x2c	/* RW u32: share of turns, 1..255, others are ignored; after reset 1 */
#define OCFABRIC_QUEUE_DELAYED		0x30	/* RO u32: interrupts that STORM_LIMIT put off, mod 2^32 */

#define OCFABRIC_WEIGHT_MAX		255

#define OCFABRIC_QUEUE_WAITING		(1u << 16)	/* a WAIT at the head is not met yet */

/*
 * At most max_burst completions, or the timer, whichever comes first. Mode
 * latency, the default: a completion interrupts at once unless the last
 * interrupt is less than the timer ago; then the timer counts from that
 * interrupt. Mode count: the timer counts from the first completion that was
 * not told yet. Writes of a max_burst of 0 or a longer timer are ignored.
 */
#define OCFABRIC_MODERATION_BURST_MASK	0xffff
#define OCFABRIC_MODERATION_COUNT	(1u << 31)
#define OCFABRIC_MODERATION_BURST	128		/* after reset */
#define OCFABRIC_MODERATION_TIMER	2000		/* ns, after reset */
#define OCFABRIC_TIMER_MAX		10000000	/* ns */

enum ocfabric_queue_state {
	OCFABRIC_QUEUE_DISABLED		= 0,
	OCFABRIC_QUEUE_ENABLED		= 1,
	OCFABRIC_QUEUE_STOPPED		= 2,	/* by a cause; disable, then enable */
	OCFABRIC_QUEUE_QUIESCING	= 3,	/* QUEUE_DISABLE waits for a write */
};

/* Why a queue stopped, and what WROTE and EXPECTED then hold. */
enum ocfabric_queue_cause {
	OCFABRIC_CAUSE_NONE		= 0,
	/*
	 * A rung descriptor carries the tag of another lap. Counted from when
	 * the ring was last empty: descriptors found written, and rung.
	 */
	OCFABRIC_CAUSE_STALE_TAG	= 1,
	/* The room that was left in the ring, and the increment. */
	OCFABRIC_CAUSE_OVER_INCREMENT	= 2,
	/* Ring index, and byte offset in it of the first field refused. */
	OCFABRIC_CAUSE_BAD_DESCRIPTOR	= 3,
	/* Completion ring full: owner's consumer index, producer index. */
	OCFABRIC_CAUSE_CQ_FULL		= 4,
	/* Owner's consumer index is not within a ring of the producer's: both. */
	OCFABRIC_CAUSE_OWNER_INDEX	= 5,
	/* Host memory of the rings cannot be accessed: ring index, 0. */
	OCFABRIC_CAUSE_DMA		= 6,
	/* The receive ring's; counts and fields as above. */
	OCFABRIC_CAUSE_RX_STALE_TAG	= 7,
	OCFABRIC_CAUSE_RX_OVER_INCREMENT = 8,
	OCFABRIC_CAUSE_RX_BAD_DESCRIPTOR = 9,
};

/*
 * BAR 0: values of the semaphores, RO u32
 */
#define OCFABRIC_REG_SEMAPHORE(r, s)	(0x2000 + 0x100 * (r) + 4 * (s))

/*
 * BAR 0: configuration, CFG
 */
#define OCFABRIC_REG_CFG_N		0x4000	/* u32: replicas, 0..255 */
#define OCFABRIC_REG_CFG_FLAGS		0x4004	/* u32: OCFABRIC_CFG_* */
#define OCFABRIC_REG_CFG_LATENCY	0x4008	/* u32: cycles before a write starts */
#define OCFABRIC_REG_REGION_BASE(i)	(0x4100 + 0x10 * (i))	/* u64: HBM address */
#define OCFABRIC_REG_REGION_SIZE(i)	(0x4108 + 0x10 * (i))	/* u64: bytes */
#define OCFABRIC_REG_CONN(link, qpn)	(0x8000 + 0x400 * (link) + 4 * (qpn))	/* u32 */
#define OCFABRIC_REG_WINDOW(w)		(0x40000 + 0x20 * (w))

#define OCFABRIC_CFG_UPSTREAM_QPNS	(1u << 0)

#define OCFABRIC_CONN_VALID		(1u << 31)
#define OCFABRIC_CONN_PEER_MASK		0xf

#define OCFABRIC_WINDOW_ROUTE		0x00	/* u32: 31 valid, 11:8 destination, 3:0 source */
#define OCFABRIC_WINDOW_SEMAPHORES	0x04	/* u32: 7:0 first, 15:8 count; 0: none */
#define OCFABRIC_WINDOW_OFFSET		0x08	/* u64: bytes into the destination's region */
#define OCFABRIC_WINDOW_LENGTH		0x10	/* u64: bytes */
#define OCFABRIC_WINDOW_VALID		(1u << 31)
#define OCFABRIC_WINDOW_DST_SHIFT	8
#define OCFABRIC_WINDOW_ID_MASK		0xf
#define OCFABRIC_WINDOW_SEM_COUNT_SHIFT	8
#define OCFABRIC_WINDOW_SEM_MASK	0xff

/*
 * BAR 0: counters and rejects as of the last SNAPSHOT, RO
 */
#define OCFABRIC_REG_COUNTER(link, c)	(0xc000 + 0x100 * (link) + 8 * (c))	/* u64 */
#define OCFABRIC_REG_REJECT(link, i)	(0x10000 + 0x400 * (link) + 0x40 * (i)) /* struct ocfabric_hw_reject */

/*
 * BAR 0: stages of a link as of the last SNAPSHOT of counters, RO. Of each
 * stage how many writes came in, went out, and ended there. What is in and
 * neither out nor ended is the write in flight.
 */
#define OCFABRIC_REG_PATH(link, stage)	(0x18000 + 0x100 * (link) + 0x20 * (stage))
#define OCFABRIC_PATH_IN		0x00	/* u64 */
#define OCFABRIC_PATH_OUT		0x08	/* u64 */
#define OCFABRIC_PATH_ENDED		0x10	/* u64 */
#define OCFABRIC_REG_PATH_AT(link)	(0x180e0 + 0x100 * (link)) /* u32: 7:0 enum ocfabric_path, 0xff: none in flight; 15:8 enum ocfabric_waits_for */
#define OCFABRIC_REG_PATH_SINCE(link)	(0x180e8 + 0x100 * (link)) /* u64: cycle of its last progress */
#define OCFABRIC_REG_PATH_DUE(link)	(0x180f0 + 0x100 * (link)) /* u64: cycle at which it goes on; 0: not known */

enum ocfabric_path {
	OCFABRIC_PATH_TAKEN		= 0,	/* meta beat taken, waits out the latency */
	OCFABRIC_PATH_MAPPED		= 1,	/* its connection looked up */
	OCFABRIC_PATH_AUTHORIZED	= 2,	/* judged by all other checks */
	OCFABRIC_PATH_REALIGNED		= 3,	/* source bytes shifted onto lines */
	OCFABRIC_PATH_ISSUED		= 4,	/* lines given to the HBM */
	OCFABRIC_PATH_ACKNOWLEDGED	= 5,	/* all B responses are there */
	OCFABRIC_PATH_COMPLETED		= 6,	/* committed */
	OCFABRIC_PATHS
};

#define OCFABRIC_PATH_NONE		0xff

enum ocfabric_waits_for {
	OCFABRIC_WAITS_FOR_NOTHING	= 0,
	OCFABRIC_WAITS_FOR_LATENCY	= 1,	/* until PATH_DUE */
	OCFABRIC_WAITS_FOR_SOURCE	= 2,	/* bytes of the source, or its queue's turn */
	OCFABRIC_WAITS_FOR_RESPONSE	= 3,	/* B responses of the HBM, until PATH_DUE */
};

/*
 * BAR 0: contexts of all connections as of the last SNAPSHOT of QPs, RO
 */
#define OCFABRIC_REG_QPC(link, qpn)	(0x60000 + 0x2000 * (link) + 0x20 * (qpn)) /* struct ocfabric_hw_qp */

/**
 * struct ocfabric_hw_qp - context of a connection
 * @state: enum ocfabric_qp_state
 * @peer: replica, 0xff: there is no connection
 * @flags: OCFABRIC_QP_DRAINING
 * @cause: enum ocfabric_qp_cause
 * @send_psn: of the next write, 24 bits
 * @expected_psn: that the receiving end expects next, 24 bits
 * @window: packets that may be unacknowledged
 * @outstanding: writes in flight
 * @mtu: bytes of a packet
 * @retry_limit: retries before it is given up
 * @rnr_limit: retries after RNR; 7: without end
 * @retries: used since the last progress
 * @rnr_retries: the same after RNR
 * @timeout: 4.096 us * 2^timeout; 0: none
 * @rnr_timer: InfiniBand's table
 * @moves: changes of state, mod 2^32
 * @__reserved: zero
 */
struct ocfabric_hw_qp {
	__u8 state;
	__u8 peer;
	__u8 flags;
	__u8 cause;
	__le32 send_psn;
	__le32 expected_psn;
	__le16 window;
	__le16 outstanding;
	__le16 mtu;
	__u8 retry_limit;
	__u8 rnr_limit;
	__u8 retries;
	__u8 rnr_retries;
	__u8 timeout;
	__u8 rnr_timer;
	__le32 moves;
	__le32 __reserved;
};

/* Counters of a link, in the order in which they are listed everywhere */
enum ocfabric_counter {
	OCFABRIC_COUNTER_WRITES,
	OCFABRIC_COUNTER_COMMITTED,
	OCFABRIC_COUNTER_BYTES,
	OCFABRIC_COUNTER_LINES,
	OCFABRIC_COUNTER_UNMAPPED,
	OCFABRIC_COUNTER_MISROUTED,
	OCFABRIC_COUNTER_BAD_CONFIG,
	OCFABRIC_COUNTER_ZERO_LENGTH,
	OCFABRIC_COUNTER_MISALIGNED,
	OCFABRIC_COUNTER_OUT_OF_BOUNDS,
	OCFABRIC_COUNTER_UNAUTHORIZED,
	OCFABRIC_COUNTER_SHORT_PACKET,
	OCFABRIC_COUNTER_OVERSIZE,
	OCFABRIC_COUNTER_AXI_ERROR,
	OCFABRIC_COUNTER_QP_STATE,
	OCFABRIC_COUNTER_RNR,
	OCFABRIC_COUNTER_DMA_ERROR,
	OCFABRIC_COUNTERS
};

/* What became of a write; the status of its completion. */
enum ocfabric_verdict {
	OCFABRIC_VERDICT_COMMITTED		= 0,
	OCFABRIC_VERDICT_SHORT_PACKET		= 1,	/* committed, fewer bytes than len */
	OCFABRIC_VERDICT_UNMAPPED		= 2,
	OCFABRIC_VERDICT_QP_STATE		= 3,
	OCFABRIC_VERDICT_BAD_CONFIG		= 4,
	OCFABRIC_VERDICT_ZERO_LENGTH		= 5,
	OCFABRIC_VERDICT_MISALIGNED		= 6,
	OCFABRIC_VERDICT_OUT_OF_BOUNDS		= 7,
	OCFABRIC_VERDICT_UNAUTHORIZED		= 8,
	OCFABRIC_VERDICT_RNR			= 9,
	OCFABRIC_VERDICT_AXI_ERROR		= 10,
	OCFABRIC_VERDICT_DMA_ERROR		= 11,
	/* completions only: no link counter moved */
	OCFABRIC_VERDICT_LOCAL_PROTECTION	= 12,
	OCFABRIC_VERDICT_FLUSHED		= 13,
};

/**
 * struct ocfabric_hw_reject - one of a link's last rejected writes
 * @seq: which reject of the link, from 1; 0: no entry
 * @raddr: offset in the destination's region
 * @clock: fabric clock when it was judged
 * @len: bytes the meta beat announced
 * @beats: data beats that came
 * @qpn: 24 bits
 * @generation: OCFABRIC_REG_GENERATION that it was judged by
 * @opcode: enum ocfabric_opcode
 * @flags: descriptor flags without the tag
 * @verdict: enum ocfabric_verdict
 * @peer: destination, 0xff when none was found
 * @__reserved: zero
 */
struct ocfabric_hw_reject {
	__le64 seq;
	__le64 raddr;
	__le64 clock;
	__le32 len;
	__le32 beats;
	__le32 qpn;
	__le32 generation;
	__u8 opcode;
	__u8 flags;
	__u8 verdict;
	__u8 peer;
	__u8 __reserved[20];
};

/*
 * BAR 2: doorbells. Queue q has a page in each block; the increment adds
 * descriptors (23:0; 31:24 are ignored) and is never read-modified-written.
 */
#define OCFABRIC_DOORBELL_M2S		0x00000
#define OCFABRIC_DOORBELL_S2M		0x20000
#define OCFABRIC_DOORBELL_PAGE(q)	(0x1000 + 0x1000 * (q))
#define OCFABRIC_DOORBELL_PAGE_SIZE	0x1000
#define OCFABRIC_DOORBELL_TDRTP_INC	0x038	/* RW u32 in M2S pages: reads give the tail, 24 bits */
#define OCFABRIC_DOORBELL_RDRTP_INC	0x038	/* WO u32 in S2M pages */
#define OCFABRIC_DOORBELL_INC_MASK	0xffffff

/*
 * Page 0 of each block: one 8-byte store advances every queue of the mask (1,
 * 2, 4, 8 or 16 of them), or none and latches OCFABRIC_ERROR_BROADCAST.
 */
#define OCFABRIC_DOORBELL_BROADCAST	0x000	/* WO u64: 23:0 increment, 47:32 queue mask */
#define OCFABRIC_DOORBELL_BROADCAST_SHIFT 32

/*
 * Rings, in host memory
 */
#define OCFABRIC_RING_SHIFT_MIN		4	/* 16 entries */
#define OCFABRIC_RING_SHIFT_MAX		15	/* 32768 entries */
#define OCFABRIC_CHUNK_SHIFT_MIN	12
#define OCFABRIC_CHUNK_SHIFT_MAX	16
#define OCFABRIC_TX_CHUNKS_MAX		32
#define OCFABRIC_RX_CHUNKS_MAX		8
#define OCFABRIC_CQ_CHUNKS_MAX		16

#define OCFABRIC_HW_QUEUE_CLEAR		(1u << 0)	/* the replica's semaphores are 0 */

/**
 * struct ocfabric_hw_queue - what QUEUE_ENABLE reads, once
 * @tx_shift: log2 of the transmit ring's entries, 4..15
 * @rx_shift: log2 of the receive ring's entries; 0: no receive ring
 * @cq_shift: log2 of the completion ring's entries, 4..15
 * @chunk_shift: log2 of the bytes of a chunk, 12..16
 * @flags: OCFABRIC_HW_QUEUE_CLEAR
 * @owner: DMA address of struct ocfabric_owner, 64-byte aligned
 * @semaphores: DMA address of __le32[OCFABRIC_SEMAPHORES], 4096-byte aligned,
 *		into which the values are mirrored; zero: none
 * @__reserved1: zero
 * @tx_chunk: DMA addresses of the transmit ring's chunks, each aligned to
 *	      its size; as many as the ring needs, the rest zero
 * @rx_chunk: the same of the receive ring
 * @cq_chunk: the same of the completion ring
 *
 * A ring smaller than a chunk lies at the start of one.
 */
struct ocfabric_hw_queue {
	__u8 tx_shift;
	__u8 rx_shift;
	__u8 cq_shift;
	__u8 chunk_shift;
	__le32 flags;
	__le64 owner;
	__le64 semaphores;
	__le64 __reserved1[5];
	__le64 tx_chunk[OCFABRIC_TX_CHUNKS_MAX];
	__le64 rx_chunk[OCFABRIC_RX_CHUNKS_MAX];
	__le64 cq_chunk[OCFABRIC_CQ_CHUNKS_MAX];
};

/**
 * struct ocfabric_hw_range - a piece of the memory behind a key
 * @addr: DMA address
 * @len: bytes, not zero; @addr + @len does not wrap
 */
struct ocfabric_hw_range {
	__le64 addr;
	__le64 len;
};

/*
 * A memory key: 5:0 index, 31:6 generation. The key of one's own region never
 * changes, its addresses are offsets in the region; its generation is not
 * given to other keys.
 */
#define OCFABRIC_KEY_INDEX_MASK		0x3f
#define OCFABRIC_KEY_GENERATION_SHIFT	6
#define OCFABRIC_KEY_REGION		0xffffffffu

enum ocfabric_opcode {
	OCFABRIC_OP_NOP			= 0,
	OCFABRIC_OP_WRITE		= 1,
	OCFABRIC_OP_WRITE_IMM		= 2,	/* and a receive completion at the peer */
	OCFABRIC_OP_SEM_LOCAL		= 3,	/* adds to an own semaphore */
	OCFABRIC_OP_SEM_REMOTE		= 4,	/* adds to one of the peer's */
	OCFABRIC_OP_WAIT		= 5,	/* until an own semaphore has come that far */
};

/*
 * Generation tag: 1 on the first lap of a ring, then 2, 3, 0, 1, ... A zeroed
 * ring reads as stale on the first lap.
 */
#define OCFABRIC_DESC_TAG_MASK		0x03
#define OCFABRIC_DESC_INLINE		0x04
#define OCFABRIC_DESC_UNSIGNALED	0x08
#define OCFABRIC_DESC_MBZ		0xf0
#define OCFABRIC_INLINE_MAX		32

/**
 * struct ocfabric_desc - transmit descriptor
 * @opcode: enum ocfabric_opcode
 * @flags: 1:0 tag, 2 inline, 3 unsignaled, 7:4 zero
 * @sem: SEM_LOCAL, SEM_REMOTE, WAIT: semaphore, 0..63
 * @qpn: connection, 24 bits
 * @raddr: offset in the destination's region
 * @len: bytes; SEM_LOCAL, SEM_REMOTE: what is added; WAIT: the value waited for
 * @beats: data beats, 24 bits; 0: ceil(len/64), at least 1
 * @imm: WRITE_IMM: immediate
 * @__reserved1: zero
 * @addr: source address, under @key
 * @key: memory key
 * @__reserved3: zero
 * @data: the payload itself, with OCFABRIC_DESC_INLINE
 *
 * What an opcode has no use for is zero: NOP all but the flags, SEM_LOCAL and
 * WAIT all but @sem and @len, SEM_REMOTE the same and @qpn. These three are
 * never inline. WAIT is met when (__s32)(value - @len) >= 0.
 */
struct ocfabric_desc {
	__u8 opcode;
	__u8 flags;
	__le16 sem;
	__le32 qpn;
	__le64 raddr;
	__le32 len;
	__le32 beats;
	__le32 imm;
	__le32 __reserved1;
	union {
		struct {
			__le64 addr;
			__le32 key;
			__le32 __reserved3[5];
		};
		__u8 data[OCFABRIC_INLINE_MAX];
	};
};

/**
 * struct ocfabric_rx_desc - receive descriptor: arms one WRITE_IMM
 * @__reserved0: zero
 * @flags: 1:0 tag, 7:2 zero
 * @__reserved1: zero
 * @__reserved2: zero
 * @__reserved3: zero
 *
 * Receive descriptors are used in the order in which their writes commit.
 */
struct ocfabric_rx_desc {
	__u8 __reserved0;
	__u8 flags;
	__le16 __reserved1;
	__le32 __reserved2;
	__le64 __reserved3;
};

#define OCFABRIC_CQE_TAG_MASK		0x03
#define OCFABRIC_CQE_RECEIVE		0x04
#define OCFABRIC_CQE_MISROUTED		0x08
#define OCFABRIC_CQE_SHORT		0x10

/**
 * struct ocfabric_cqe - completion
 * @status: enum ocfabric_verdict
 * @opcode: enum ocfabric_opcode
 * @flags: 1:0 tag, 2 receive, 3 misrouted, 4 short
 * @source: replica that a received write came from
 * @qpn: connection
 * @index: index of the descriptor in the transmit ring, or, with
 *	   OCFABRIC_CQE_RECEIVE, in the receive ring; all before it there are
 *	   done
 * @__reserved0: zero
 * @bytes: committed
 * @imm: immediate
 * @psn: the first that the write took, 24 bits; 0 if it took none
 * @clock: fabric clock at commit
 *
 * The device stores the word with the tag last; read it first.
 */
struct ocfabric_cqe {
	__u8 status;
	__u8 opcode;
	__u8 flags;
	__u8 source;
	__le32 qpn;
	__le16 index;
	__le16 __reserved0;
	__le32 bytes;
	__le32 imm;
	__le32 psn;
	__le64 clock;
};

/**
 * struct ocfabric_owner - owner line, written by the replica
 * @consumer: completions taken, mod 2^32
 * @arm: interrupt for the completion with this number (mod 2^32) and after
 * @sem_arm: 0, or OCFABRIC_SEM_ARMED and in 5:0 the semaphore to interrupt for
 * @sem_target: the value it has to reach for that
 * @__reserved: zero
 *
 * The device reads @consumer only when the ring looks full, @arm only when it
 * would interrupt, and the semaphore's two only when it has added to one. A
 * completion with number c interrupts when (__s32)(c - arm) >= 0; a semaphore
 * that was added to when it is the armed one and
 * (__s32)(value - sem_target) >= 0. Both go through the moderation.
 */
struct ocfabric_owner {
	__le32 consumer;
	__le32 arm;
	__le32 sem_arm;
	__le32 sem_target;
	__le32 __reserved[12];
};

#define OCFABRIC_SEM_ARMED		(1u << 31)
#define OCFABRIC_SEM_MASK		0x3f

enum ocfabric_event_type {
	OCFABRIC_EVENT_QUEUE_STOPPED	= 1,	/* cause: enum ocfabric_queue_cause; a: WROTE, b: EXPECTED */
	OCFABRIC_EVENT_ERROR		= 2,	/* a: OCFABRIC_REG_ERROR bits newly set */
	/*
	 * A write in flight made no progress for STALL_LIMIT; once a write.
	 * cause: enum ocfabric_path; a: ms since its last progress; b: QPN
	 */
	OCFABRIC_EVENT_STALLED		= 3,
	/*
	 * A write was rejected; at most one event a link in
	 * OCFABRIC_REJECT_EVENT_MS. cause: enum ocfabric_verdict; a: its QPN;
	 * b: rejects of the link since the event before that had none
	 */
	OCFABRIC_EVENT_REJECTED		= 4,
	/* The card moved a QP. cause: enum ocfabric_qp_cause; a: QPN; b: enum ocfabric_qp_state */
	OCFABRIC_EVENT_QP		= 5,
};

#define OCFABRIC_REJECT_EVENT_MS	100

/**
 * struct ocfabric_event - entry of the event ring
 * @type: enum ocfabric_event_type
 * @tag: 1:0 generation tag, as in descriptors
 * @link: link or queue; 0xff: none
 * @cause: by type
 * @seq: number of the event, lost ones counted, mod 2^32
 * @clock: fabric clock
 * @a: by type
 * @b: by type
 * @__reserved: zero
 */
struct ocfabric_event {
	__u8 type;
	__u8 tag;
	__u8 link;
	__u8 cause;
	__le32 seq;
	__le64 clock;
	__le32 a;
	__le32 b;
	__le64 __reserved;
};

#endif /* _UAPI_LINUX_OCFABRIC_HW_H */
