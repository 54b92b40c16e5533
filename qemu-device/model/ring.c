// SPDX-License-Identifier: GPL-2.0-or-later
#include "ring.h"

unsigned int ocf_ring_chunks(const struct ocf_ring *r)
{
	unsigned int bytes_shift = r->shift + r->entry_shift;

	return bytes_shift <= r->chunk_shift ?
		       1 : 1u << (bytes_shift - r->chunk_shift);
}

uint32_t ocf_ring_chunk_bytes(const struct ocf_ring *r)
{
	unsigned int bytes_shift = r->shift + r->entry_shift;

	return 1u << (bytes_shift < r->chunk_shift ? bytes_shift :
						     r->chunk_shift);
}

bool ocf_ring_valid(const struct ocf_ring *r, unsigned int max_chunks)
{
	unsigned int chunks;
	uint64_t mask;

	if (r->shift < OCFABRIC_RING_SHIFT_MIN ||
	    r->shift > OCFABRIC_RING_SHIFT_MAX ||
	    r->chunk_shift < OCFABRIC_CHUNK_SHIFT_MIN ||
	    r->chunk_shift > OCFABRIC_CHUNK_SHIFT_MAX)
		return false;
	chunks = ocf_ring_chunks(r);
	if (chunks > max_chunks)
		return false;
	mask = (1ULL << r->chunk_shift) - 1;
	for (unsigned int i = 0; i < max_chunks; i++) {
		if (i < chunks ? r->chunk[i] & mask : r->chunk[i])
			return false;
	}
	return true;
}
