// SPDX-License-Identifier: GPL-2.0-or-later
#include "key.h"

#include <string.h>

/* Ranges read from host memory at a time. */
#define BATCH	64

static bool add_overflows(uint64_t a, uint64_t b)
{
	return a + b < a;
}

void ocf_keys_reset(struct ocf_keys *keys)
{
	memset(keys->key, 0, sizeof(keys->key));
	keys->nr_ranges = 0;
}

static struct ocf_key *slot(struct ocf_keys *keys, uint32_t key)
{
	return &keys->key[key & OCFABRIC_KEY_INDEX_MASK];
}

static void map_range(struct ocf_range *r, uint64_t len,
		      const struct ocf_host *host)
{
	r->host = host->map ? host->map(host->opaque, r->addr, len) : NULL;
}

/* Puts ranges behind those that are there; *size grows by their bytes. */
static bool take_ranges(struct ocf_range *to, const struct ocfabric_hw_range *r,
			unsigned int n, uint64_t *size)
{
	for (unsigned int i = 0; i < n; i++) {
		uint64_t addr = ocf_le64(r[i].addr);
		uint64_t len = ocf_le64(r[i].len);

		if (!len || add_overflows(addr, len) || add_overflows(*size, len))
			return false;
		*size += len;
		to[i] = (struct ocf_range){ .addr = addr, .end = *size };
	}
	return true;
}

static enum ocfabric_hw_result read_ranges(struct ocf_range *to,
					    const struct ocf_host *host,
					    uint64_t list, unsigned int count,
					    uint64_t *size)
{
	struct ocfabric_hw_range batch[BATCH];
	unsigned int n;

	for (unsigned int i = 0; i < count; i += n) {
		n = count - i < BATCH ? count - i : BATCH;
		if (!host->read(host->opaque, list + i * sizeof(*batch), batch,
				n * sizeof(*batch)))
			return OCFABRIC_RESULT_DMA;
		if (!take_ranges(to + i, batch, n, size))
			return OCFABRIC_RESULT_INVALID;
	}
	return OCFABRIC_RESULT_OK;
}

static void map_key(struct ocf_keys *keys, const struct ocf_key *k,
		    const struct ocf_host *host)
{
	uint64_t begin = 0;

	for (unsigned int i = k->first; i < k->first + k->count; i++) {
		map_range(&keys->range[i], keys->range[i].end - begin, host);
		begin = keys->range[i].end;
	}
}

static bool args_valid(uint32_t key, uint64_t list, uint64_t count)
{
	return key >> OCFABRIC_KEY_GENERATION_SHIFT !=
		       OCFABRIC_KEY_REGION >> OCFABRIC_KEY_GENERATION_SHIFT &&
	       count && count <= OCF_KEY_RANGES &&
	       list % sizeof(struct ocfabric_hw_range) == 0 &&
	       !add_overflows(list, count * sizeof(struct ocfabric_hw_range));
}

enum ocfabric_hw_result ocf_key_add(struct ocf_keys *keys,
				     const struct ocf_host *host, uint32_t key,
				     uint64_t start, uint64_t list,
				     uint64_t count)
{
	struct ocf_key *k = slot(keys, key);
	enum ocfabric_hw_result result;
	uint64_t size = 0;

	if (!args_valid(key, list, count))
		return OCFABRIC_RESULT_INVALID;
	if (k->count)
		return OCFABRIC_RESULT_STATE;
	if (count > OCF_RANGES - keys->nr_ranges)
		return OCFABRIC_RESULT_NO_SPACE;
	result = read_ranges(keys->range + keys->nr_ranges, host, list, count,
			     &size);
	if (result != OCFABRIC_RESULT_OK)
		return result;
	if (add_overflows(start, size))
		return OCFABRIC_RESULT_INVALID;

	*k = (struct ocf_key){
		.start = start,
		.size = size,
		.key = key,
		.first = keys->nr_ranges,
		.count = count,
	};
	keys->nr_ranges += count;
	map_key(keys, k, host);
	return OCFABRIC_RESULT_OK;
}

enum ocfabric_hw_result ocf_key_del(struct ocf_keys *keys, uint32_t key)
{
	struct ocf_key *k = slot(keys, key);
	unsigned int next = k->first + k->count;
	unsigned int gap = k->count;

	if (!k->count || k->key != key)
		return OCFABRIC_RESULT_STATE;
	memmove(keys->range + k->first, keys->range + next,
		(keys->nr_ranges - next) * sizeof(*keys->range));
	keys->nr_ranges -= gap;
	*k = (struct ocf_key){ 0 };
	for (unsigned int i = 0; i < OCF_KEYS; i++) {
		if (keys->key[i].count && keys->key[i].first >= next)
			keys->key[i].first -= gap;
	}
	return OCFABRIC_RESULT_OK;
}

const struct ocf_key *ocf_key_find(const struct ocf_keys *keys, uint32_t key,
				   uint64_t addr, uint64_t n)
{
	const struct ocf_key *k = &keys->key[key & OCFABRIC_KEY_INDEX_MASK];

	if (!k->count || k->key != key || addr < k->start)
		return NULL;
	addr -= k->start;
	return addr <= k->size && n <= k->size - addr ? k : NULL;
}

/* The range of the key that holds this byte. */
static unsigned int find_range(const struct ocf_keys *keys,
			       const struct ocf_key *k, uint64_t offset)
{
	unsigned int low = k->first, high = k->first + k->count - 1;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (offset < keys->range[mid].end)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

struct ocf_piece ocf_key_piece(const struct ocf_keys *keys,
			       const struct ocf_key *key, uint64_t addr,
			       uint64_t n)
{
	uint64_t offset = addr - key->start;
	unsigned int i = find_range(keys, key, offset);
	const struct ocf_range *r = &keys->range[i];
	uint64_t in = offset - (i == key->first ? 0 : r[-1].end);
	uint64_t left = r->end - offset;

	return (struct ocf_piece){
		.addr = r->addr + in,
		.host = r->host ? r->host + in : NULL,
		.n = n < left ? n : left,
	};
}

void ocf_keys_map(struct ocf_keys *keys, const struct ocf_host *host)
{
	for (unsigned int i = 0; i < OCF_KEYS; i++) {
		if (keys->key[i].count)
			map_key(keys, &keys->key[i], host);
	}
}

static bool key_valid(const struct ocf_keys *keys, unsigned int index)
{
	const struct ocf_key *k = &keys->key[index];
	uint64_t size = 0;

	if ((k->key & OCFABRIC_KEY_INDEX_MASK) != index ||
	    !args_valid(k->key, 0, k->count) ||
	    k->first + k->count > keys->nr_ranges)
		return false;
	for (unsigned int i = k->first; i < k->first + k->count; i++) {
		const struct ocf_range *r = &keys->range[i];

		if (r->end <= size || add_overflows(r->addr, r->end - size))
			return false;
		size = r->end;
	}
	return size == k->size && !add_overflows(k->start, size);
}

bool ocf_keys_valid(const struct ocf_keys *keys)
{
	unsigned int ranges = 0;

	if (keys->nr_ranges > OCF_RANGES)
		return false;
	for (unsigned int i = 0; i < OCF_KEYS; i++) {
		if (keys->key[i].count && !key_valid(keys, i))
			return false;
		ranges += keys->key[i].count;
	}
	return ranges == keys->nr_ranges;
}
