/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libocfabric: transfers that are prepared early and started late
 */
#ifndef OCFABRIC_TRANSFER_H
#define OCFABRIC_TRANSFER_H

#include <ocfabric/queue.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * DOC: Gen and start
 *
 * A transfer is made in two steps. ocf_desc_gen() writes its descriptors into
 * the rings, long before it is due: the writes, then one descriptor that adds to
 * an own semaphore (the sources may be used again) and one that adds to a
 * semaphore of the peer (the data may be read). ocf_desc_start() looks whether
 * what lies there is what was meant, and launches it by one doorbell.
 *
 * The receiver prepares its side with OCF_ROLE_RX: receive descriptors for the
 * writes with immediate, and an addition to a semaphore of the sender. Its start
 * arms the receives and then signals the sender; the sender's start waits for
 * that signal and then rings. So no write finds the receiver unready.
 *
 * The rings are queues: transfers are started in the order in which they were
 * prepared, and nothing else is posted on a ring while one lies there (-EBUSY).
 * In a ring of replicas, prepare to receive before preparing to send.
 */

/* The values are those of the role word of the hardware: its parity. */
enum ocf_role {
	OCF_ROLE_RX	= 0,
	OCF_ROLE_TX	= 1,
};

/* For struct ocf_piece: a write with immediate */
#define OCF_PIECE_IMM	(1u << 0)

/**
 * struct ocf_piece - one write of a transfer
 * @raddr: where to: offset in the peer's region, a multiple of 4
 * @addr: of the first byte, counted from the memory's start
 * @len: bytes, 1 to 64 MiB
 * @key: of the memory that the bytes come from
 * @imm: with OCF_PIECE_IMM: what the peer's completion carries
 * @flags: 0 or OCF_PIECE_IMM
 */
struct ocf_piece {
	uint64_t raddr;
	uint64_t addr;
	uint32_t len;
	uint32_t key;
	uint32_t imm;
	uint32_t flags;
};

/**
 * struct ocf_sem_add - an addition to a semaphore
 * @sem: 0 to 63
 * @add: what is added; 0: no addition, and no descriptor
 */
struct ocf_sem_add {
	uint32_t sem;
	uint32_t add;
};

/**
 * struct ocf_plan - what a transfer is to be
 * @role: whose side
 * @qpn: connection of this replica's link that leads to the peer
 * @pieces: OCF_ROLE_TX: the writes
 * @count: OCF_ROLE_TX: how many; OCF_ROLE_RX: how many receive descriptors
 * @launch: OCF_ROLE_TX: to an own semaphore, before the first write
 * @local: OCF_ROLE_TX: to an own semaphore, when the sources may be used again
 * @remote: to a semaphore of the peer: OCF_ROLE_TX when the data may be read,
 *	    OCF_ROLE_RX when the receives are armed
 */
struct ocf_plan {
	enum ocf_role role;
	uint32_t qpn;
	const struct ocf_piece *pieces;
	uint32_t count;
	struct ocf_sem_add launch;
	struct ocf_sem_add local;
	struct ocf_sem_add remote;
};

/**
 * struct ocf_transfer - a prepared transfer
 * @role: of the plan
 * @first: number of its first transmit descriptor
 * @count: transmit descriptors
 * @rx_first: number of its first receive descriptor
 * @rx_count: receive descriptors
 * @unsignaled: ocf_replica.unsignaled before it
 * @state: private
 */
struct ocf_transfer {
	enum ocf_role role;
	uint32_t first;
	uint32_t count;
	uint32_t rx_first;
	uint32_t rx_count;
	uint32_t unsignaled;
	uint32_t state;
};

/**
 * struct ocf_start - how to start; all zero starts at once
 * @wait: wait for the semaphore first
 * @sem: own semaphore
 * @target: value that it has to reach
 * @timeout_ns: how long at most, nanoseconds; negative: without limit
 * @expected: descriptors that the starter means to launch, transmit and receive
 *	      ones; 0: as many as were prepared
 */
struct ocf_start {
	bool wait;
	uint32_t sem;
	uint32_t target;
	int64_t timeout_ns;
	uint32_t expected;
};

/**
 * ocf_desc_gen() - prepare a transfer
 * @r: replica
 * @plan: what it is to be; the caller's again on return
 * @t: filled in; to be started or cancelled
 *
 * Only the last transmit descriptor completes if all goes well; a failed one
 * always does.
 *
 * Return: the number of descriptors written, transmit and receive ones;
 * -EAGAIN the rings have not that much room; -EMSGSIZE they never have;
 * -EINVAL an empty plan, a semaphore, or one that goes with another role;
 * -EOPNOTSUPP the card has no receive rings. Then nothing was prepared.
 */
int ocf_desc_gen(struct ocf_replica *r, const struct ocf_plan *plan,
		 struct ocf_transfer *t);

/**
 * ocf_desc_start() - launch a prepared transfer
 * @r: replica
 * @t: from ocf_desc_gen(); done with on success
 * @role: what the starter takes itself for
 * @start: or NULL
 *
 * Waits if it is asked to, makes sure that the descriptors are in memory, counts
 * how many of them the rings hold, and rings: OCF_ROLE_TX the transmit ring's
 * doorbell, OCF_ROLE_RX the receive ring's and then, for the signal, the transmit
 * ring's. What was posted before the transfer and not rung goes with it.
 *
 * On failure the rings are as they were, and it can be started again.
 *
 * Return: 0; -EINVAL @t is not prepared, or was for another role; -EBUSY one
 * that was prepared earlier has not been started; -EBADMSG another number of
 * descriptors lies there than was expected, ocf_error() has both; and what
 * ocf_sem_wait() returns.
 */
int ocf_desc_start(struct ocf_replica *r, struct ocf_transfer *t,
		   enum ocf_role role, const struct ocf_start *start);

/**
 * ocf_desc_cancel() - take a prepared transfer back
 * @r: replica
 * @t: from ocf_desc_gen()
 *
 * Return: 0; -EINVAL @t is not prepared; -EBUSY another one was prepared later:
 * cancel that first.
 */
int ocf_desc_cancel(struct ocf_replica *r, struct ocf_transfer *t);

#ifdef __cplusplus
}
#endif

#endif
