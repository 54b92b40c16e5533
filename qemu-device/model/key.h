/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory keys of a replica: what a source address may reach.
 *
 * A key is a list of ranges of host memory that descriptors see as one row of
 * bytes from `start` on. All ranges of a replica's keys lie in one array, each
 * key's together and in order; removing a key closes the gap.
 */
#ifndef OCF_KEY_H
#define OCF_KEY_H

#include "linux/ocfabric_hw.h"

#include "host.h"

#define OCF_KEYS	64	/* of a replica */
#define OCF_RANGES	4096	/* of a replica */
#define OCF_KEY_RANGES	1024	/* of a key */

struct ocf_range {
	uint64_t addr;
	uint64_t end;		/* bytes of the key up to the end of this range */
	const uint8_t *host;	/* of its first byte, or NULL */
};

struct ocf_key {
	uint64_t start;		/* address of the first byte, in descriptors */
	uint64_t size;
	uint32_t key;
	uint16_t first;		/* of its ranges */
	uint16_t count;		/* 0: there is no such key */
};

struct ocf_keys {
	struct ocf_key key[OCF_KEYS];
	uint32_t nr_ranges;
	struct ocf_range *range;	/* OCF_RANGES: the embedder's memory */
};

/* Some bytes of a source, as far as they are in one piece. */
struct ocf_piece {
	uint64_t addr;
	const uint8_t *host;	/* or NULL */
	uint64_t n;
};

void ocf_keys_reset(struct ocf_keys *keys);

/* Reads the list once and checks it; nothing is changed unless it is good. */
enum ocfabric_hw_result ocf_key_add(struct ocf_keys *keys,
				     const struct ocf_host *host, uint32_t key,
				     uint64_t start, uint64_t list,
				     uint64_t count);

enum ocfabric_hw_result ocf_key_del(struct ocf_keys *keys, uint32_t key);

/* The key, if it is there and all of [addr, addr + n) is behind it. */
const struct ocf_key *ocf_key_find(const struct ocf_keys *keys, uint32_t key,
				   uint64_t addr, uint64_t n);

/* The first piece of [addr, addr + n), n not 0, which ocf_key_find() found. */
struct ocf_piece ocf_key_piece(const struct ocf_keys *keys,
			       const struct ocf_key *key, uint64_t addr,
			       uint64_t n);

/* Host memory has moved: map every range again. */
void ocf_keys_map(struct ocf_keys *keys, const struct ocf_host *host);

/* Whether keys that were loaded from outside can be used. */
bool ocf_keys_valid(const struct ocf_keys *keys);

#endif
