// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers: coherent memory that is already keyed, for hosts where the card
 * cannot read user pages. One lives as long as its key or a mapping of it, or
 * until it is revoked. All of its fields are protected by map_lock.
 */
#include <linux/log2.h>
#include <linux/slab.h>

#include "ocfabric.h"

#define OCF_CHUNK_MIN	PAGE_SHIFT
#define OCF_CHUNK_MAX	21

/* In larger chunks if they are to be had: the card looks them up faster. */
static struct ocf_mem *ocf_buffer_mem(struct ocf_card *card, size_t size)
{
	unsigned int shift = clamp(order_base_2(size), OCF_CHUNK_MIN,
				   OCF_CHUNK_MAX);
	struct ocf_mem *mem;

	do {
		mem = ocf_mem_alloc(card, size, shift);
		if (!IS_ERR(mem) || PTR_ERR(mem) != -ENOMEM)
			return mem;
	} while (shift-- > OCFABRIC_CHUNK_SHIFT_MAX);
	return mem;
}

static struct ocf_buffer *ocf_buffer_new(struct ocf_replica *replica,
					 u32 index, size_t size)
{
	struct ocf_buffer *buffer = kzalloc(sizeof(*buffer), GFP_KERNEL);
	struct ocf_mem *mem;

	if (!buffer)
		return ERR_PTR(-ENOMEM);
	mem = ocf_buffer_mem(replica->card, size);
	if (IS_ERR(mem)) {
		kfree(buffer);
		return ERR_CAST(mem);
	}
	*buffer = (struct ocf_buffer){
		.mem = mem,
		.replica = replica,
		.users = 1,
		.index = index,
		.keyed = true,
	};
	scoped_guard(rwsem_write, &replica->map_lock)
		list_add_tail(&buffer->node, &replica->buffers);
	return buffer;
}

static bool ocf_buffer_drop(struct ocf_buffer *buffer)
{
	lockdep_assert_held_write(&buffer->replica->map_lock);
	if (--buffer->users)
		return false;
	/* the card is there: otherwise it was revoked, and there is no memory */
	ocf_mem_free(buffer->mem);
	list_del(&buffer->node);
	return true;
}

/* A mapping of it is gone. */
void ocf_buffer_put(struct ocf_buffer *buffer)
{
	bool last;

	scoped_guard(rwsem_write, &buffer->replica->map_lock)
		last = ocf_buffer_drop(buffer);
	if (last)
		kfree(buffer);
}

/* Its key is gone. */
void ocf_buffer_unkey(struct ocf_buffer *buffer)
{
	bool last;

	scoped_guard(rwsem_write, &buffer->replica->map_lock) {
		buffer->keyed = false;
		last = ocf_buffer_drop(buffer);
	}
	if (last)
		kfree(buffer);
}

/* What is left after the keys: mapped ones lose their memory. */
void ocf_buffers_revoke(struct ocf_replica *replica)
{
	struct ocf_buffer *buffer;

	lockdep_assert_held_write(&replica->map_lock);
	list_for_each_entry(buffer, &replica->buffers, node) {
		ocf_mem_free(buffer->mem);
		buffer->mem = NULL;
	}
}

static int ocf_buffer_fill(struct ocf_replica *replica, struct ocf_key *key)
{
	const struct ocf_mem *mem;
	struct ocf_buffer *buffer;
	unsigned int i;
	size_t left;
	int ret = 0;

	buffer = ocf_buffer_new(replica, key->key & OCFABRIC_KEY_INDEX_MASK,
				key->bytes);
	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	key->buffer = buffer;
	key->bytes = 0;
	mem = buffer->mem;
	left = mem->size;
	for (i = 0; !ret && i < mem->chunks; i++) {
		size_t n = min(left, BIT(mem->chunk_shift));

		ret = ocf_key_range(replica->card, key, mem->chunk[i].dma, n);
		left -= n;
	}
	return ret;
}

int ocf_buffer_add(struct ocf_replica *replica, u64 length,
		   struct ocfabric_map *map, u32 *value)
{
	struct ocf_key *key;

	if (!length || length > OCF_BUFFER_MAX)
		return -EINVAL;
	key = ocf_key_new(replica);
	if (IS_ERR(key))
		return PTR_ERR(key);
	key->bytes = PAGE_ALIGN(length);
	*value = key->key;
	*map = (struct ocfabric_map){
		.offset = ocf_map_offset(OCF_MAP_BUFFER, key->key &
					 OCFABRIC_KEY_INDEX_MASK),
		.length = PAGE_ALIGN(length),
	};
	return ocf_key_make(replica, key, ocf_buffer_fill);
}
