/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring in host memory: a power of two of entries in chunks of one size. */
#ifndef OCF_RING_H
#define OCF_RING_H

#include "linux/ocfabric_hw.h"

#include "host.h"

struct ocf_ring {
	uint8_t *host[OCFABRIC_TX_CHUNKS_MAX];	/* each chunk, or NULL */
	uint64_t chunk[OCFABRIC_TX_CHUNKS_MAX];	/* DMA addresses */
	uint8_t shift;		/* log2 of the entries */
	uint8_t entry_shift;	/* log2 of the bytes of one */
	uint8_t chunk_shift;	/* log2 of the bytes of a chunk */
};

/* Where an entry is. */
struct ocf_place {
	unsigned int chunk;
	uint32_t offset;	/* in the chunk */
};

static inline uint32_t ocf_ring_entries(const struct ocf_ring *r)
{
	return 1u << r->shift;
}

/* Ring index of the entry that has this number. */
static inline uint32_t ocf_ring_index(const struct ocf_ring *r, uint32_t count)
{
	return count & (ocf_ring_entries(r) - 1);
}

/* Generation tag of the entry that has this number. */
static inline uint8_t ocf_ring_tag(const struct ocf_ring *r, uint32_t count)
{
	return ((count >> r->shift) + 1) & OCFABRIC_DESC_TAG_MASK;
}

static inline struct ocf_place ocf_ring_place(const struct ocf_ring *r,
					      uint32_t count)
{
	uint32_t at = ocf_ring_index(r, count) << r->entry_shift;

	return (struct ocf_place){
		.chunk = at >> r->chunk_shift,
		.offset = at & ((1u << r->chunk_shift) - 1),
	};
}

/* Bytes of a chunk that the ring uses, and the number of chunks. */
uint32_t ocf_ring_chunk_bytes(const struct ocf_ring *r);
unsigned int ocf_ring_chunks(const struct ocf_ring *r);

/* Whether the shape fits the interface, and the chunks the shape. */
bool ocf_ring_valid(const struct ocf_ring *r, unsigned int max_chunks);

#endif
