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

struct ocf_host {
	void *opaque;

	/* All n bytes, or false, with some of them perhaps transferred. */
	bool (*read)(void *opaque, uint64_t addr, void *buf, size_t n);
	bool (*write)(void *opaque, uint64_t addr, const void *buf, size_t n);

	/* n bytes to read; may be NULL. */
	const void *(*map)(void *opaque, uint64_t addr, uint64_t n);

	/*
	 * A chunk of a queue's completion ring to write; may be NULL. What was
	 * stored through the pointer is told by completed(), before anybody is
	 * told of the completions.
	 */
	void *(*map_completions)(void *opaque, unsigned int queue,
				 unsigned int chunk, uint64_t addr, size_t n);
	void (*completed)(void *opaque, unsigned int queue, unsigned int chunk,
			  size_t offset, size_t n);

	/* The fabric clock. */
	uint64_t (*now)(void *opaque);
};

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
