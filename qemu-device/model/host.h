/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host memory as the card reaches it: by DMA addresses, through functions that
 * the embedder gives.
 *
 * Pieces that are used again and again (chunks of rings, the owner line, the
 * ranges of keys) are mapped once. A pointer that map() gave is used until the
 * embedder has the piece mapped again; NULL means that the piece, or part of
 * it, has no address here, and that every access goes through read() and
 * write().
 */
#ifndef OCF_HOST_H
#define OCF_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OCF_SLOT_SEMAPHORES	16u
#define OCF_SLOTS		17u

#define OCF_TELL_INTERRUPT	1u	/* its owner wants to know */
#define OCF_TELL_STOPPED	2u	/* it stopped, see its cause */
#define OCF_TELL_WORK		4u	/* somebody has to run it */

struct ocfabric_cqe;

struct ocf_host {
	void *opaque;

	/* All n bytes, or false, with some of them perhaps transferred. */
	bool (*read)(void *opaque, uint64_t addr, void *buf, size_t n);
	bool (*write)(void *opaque, uint64_t addr, const void *buf, size_t n);

	/* n bytes to read; may be NULL. */
	const void *(*map)(void *opaque, uint64_t addr, uint64_t n);

	/*
	 * A piece of a queue that is written again and again, to write; may be
	 * NULL. `slot` is the number of a chunk of its completion ring, or
	 * OCF_SLOT_SEMAPHORES. What was stored through the pointer is told by
	 * stored(), before anybody is told of what it means.
	 */
	void *(*map_written)(void *opaque, unsigned int queue, unsigned int slot,
			     uint64_t addr, size_t n);
	void (*stored)(void *opaque, unsigned int queue, unsigned int slot,
		       size_t offset, size_t n);

	/*
	 * Another thread has an inbox's lock for longer than a moment: let it
	 * run.
	 */
	void (*pause)(void);

	/*
	 * OCF_TELL_* of a queue, and that it has to run at a cycle. Called from
	 * any queue's thread, with its own queue's lock and an inbox's, so
	 * they only take note. tell() may be NULL.
	 */
	void (*tell)(void *opaque, unsigned int queue, unsigned int what);
	void (*wait)(void *opaque, unsigned int queue, uint64_t cycle);

	/*
	 * A completion that is about to be stored, tag and all, is changed
	 * here by a card that lies. NULL: this one does not.
	 */
	void (*forge)(void *opaque, unsigned int queue, struct ocfabric_cqe *e);

	/* The fabric clock, and its frequency. */
	uint64_t (*now)(void *opaque);
	uint32_t clock_mhz;

	/*
	 * Interrupts of a queue in one ms; 0: no limit. Changes only while no
	 * queue runs.
	 */
	uint32_t storm_limit;
};

static inline void ocf_host_tell(const struct ocf_host *host, unsigned int queue,
				 unsigned int what)
{
	if (host->tell)
		host->tell(host->opaque, queue, what);
}

/* The card and the host are little-endian; this machine may not be. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline uint16_t ocf_le16(uint16_t v) { return v; }
static inline uint32_t ocf_le32(uint32_t v) { return v; }
static inline uint64_t ocf_le64(uint64_t v) { return v; }
#else
static inline uint16_t ocf_le16(uint16_t v) { return __builtin_bswap16(v); }
static inline uint32_t ocf_le32(uint32_t v) { return __builtin_bswap32(v); }
static inline uint64_t ocf_le64(uint64_t v) { return __builtin_bswap64(v); }
#endif

#endif
