/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libocfabric: be a replica of an ocfabric card
 */
#ifndef OCFABRIC_H
#define OCFABRIC_H

#include <ocfabric/channel.h>
#include <ocfabric/queue.h>
#include <ocfabric/replica.h>
#include <ocfabric/transfer.h>

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
 * that goes with the last failure of the calling thread; inline functions, and
 * channels that say -EAGAIN, leave it alone.
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
