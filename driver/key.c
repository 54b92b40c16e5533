// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory keys: made (a place in the table is reserved, the memory found, the
 * card told, the key put in its place), removed (the card told, the memory
 * given back). What the card may still reach is never given back.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "ocfabric.h"
#include "trace.h"

#define OCF_GENERATION_MASK	(U32_MAX >> OCFABRIC_KEY_GENERATION_SHIFT)

static u32 ocf_key_index(u32 key)
{
	return key & OCFABRIC_KEY_INDEX_MASK;
}

/* Never that of the region's key, and each only after all others. */
static u32 ocf_key_generation(struct ocf_slot *slot)
{
	u32 generation;

	do {
		generation = (u32)atomic_inc_return(&slot->key_generation) &
			     OCF_GENERATION_MASK;
	} while (generation == OCF_GENERATION_MASK);
	return generation;
}

/* -ENOSPC when all places are taken. */
static int ocf_key_reserve(struct ocf_replica *replica, u32 *key)
{
	struct ocf_card *card = replica->card;
	u32 i;

	guard(mutex)(&replica->lock);
	for (i = 0; i < card->caps.keys; i++) {
		if (replica->key[i])
			continue;
		replica->key[i] = OCF_KEY_RESERVED;
		*key = ocf_key_generation(&card->slot[replica->index]) <<
		       OCFABRIC_KEY_GENERATION_SHIFT | i;
		return 0;
	}
	return -ENOSPC;
}

static void ocf_key_free(struct ocf_key *key)
{
	if (key->pin)
		ocf_pin_free(key->pin);
	if (key->buffer)
		ocf_buffer_unkey(key->buffer);
	kvfree(key->range);
	kfree(key);
}

/* A key without memory, its place reserved. */
struct ocf_key *ocf_key_new(struct ocf_replica *replica)
{
	struct ocf_key *key = kzalloc(sizeof(*key), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!key)
		return ERR_PTR(ret);
	key->range = kvcalloc(replica->card->caps.key_ranges,
			      sizeof(*key->range), GFP_KERNEL);
	if (key->range)
		ret = ocf_key_reserve(replica, &key->key);
	if (ret) {
		ocf_key_free(key);
		return ERR_PTR(ret);
	}
	return key;
}

/* It did not become a key, unless the card may think that it did. */
static void ocf_key_abandon(struct ocf_replica *replica, struct ocf_key *key)
{
	u32 index = ocf_key_index(key->key);

	scoped_guard(mutex, &replica->lock) {
		if (replica->key[index] == key)
			return;
		replica->key[index] = NULL;
	}
	ocf_key_free(key);
}

/* One more piece of it; joined to the one before where they touch. */
int ocf_key_range(struct ocf_card *card, struct ocf_key *key, u64 addr, u64 len)
{
	struct ocfabric_hw_range *next = key->range + key->ranges;

	key->bytes += len;
	if (key->ranges &&
	    le64_to_cpu(next[-1].addr) + le64_to_cpu(next[-1].len) == addr) {
		le64_add_cpu(&next[-1].len, len);
		return 0;
	}
	if (key->ranges == card->caps.key_ranges)
		return -E2BIG;
	next->addr = cpu_to_le64(addr);
	next->len = cpu_to_le64(len);
	key->ranges++;
	return 0;
}

static void ocf_key_put_in_place(struct ocf_replica *replica,
				 struct ocf_key *key)
{
	lockdep_assert_held(&replica->lock);
	replica->key[ocf_key_index(key->key)] = key;
	replica->ranges += key->ranges;
	WRITE_ONCE(replica->keys, replica->keys + 1);
	WRITE_ONCE(replica->pinned, replica->pinned + key->bytes);
	kvfree(key->range);
	key->range = NULL;
}

static void ocf_key_take_out(struct ocf_replica *replica, struct ocf_key *key)
{
	lockdep_assert_held(&replica->lock);
	replica->key[ocf_key_index(key->key)] = NULL;
	replica->ranges -= key->ranges;
	WRITE_ONCE(replica->keys, replica->keys - 1);
	WRITE_ONCE(replica->pinned, replica->pinned - key->bytes);
}

/* A card that does not answer may know the key all the same: it stays. */
static int ocf_key_tell(struct ocf_replica *replica, struct ocf_key *key)
{
	struct ocf_card *card = replica->card;
	int ret;

	guard(mutex)(&replica->lock);
	if (key->ranges > card->caps.ranges - replica->ranges)
		return -ENOSPC;
	ret = ocf_cmd_key_add(card, replica->index, key->key, key->range,
			      key->ranges);
	trace_ocfabric_key_add(replica, key, ret);
	if (!ret || ret == -ETIMEDOUT || ret == -ENODEV)
		ocf_key_put_in_place(replica, key);
	return ret == -EALREADY ? -EIO : ret;
}

/**
 * ocf_key_make - find a key's ranges, tell the card, put it in its place
 * @replica: whose
 * @key: from ocf_key_new(); the caller's no longer, whatever happens
 * @fill: maps the memory and adds the ranges; the card is entered
 */
int ocf_key_make(struct ocf_replica *replica, struct ocf_key *key,
		 int (*fill)(struct ocf_replica *replica, struct ocf_key *key))
{
	int ret = -ENODEV;

	CLASS(ocf_live, live)(replica->card);
	if (live && replica->alive) {
		ret = fill(replica, key);
		if (!ret)
			ret = ocf_key_tell(replica, key);
	}
	if (ret)
		ocf_key_abandon(replica, key);
	return ret;
}

static int ocf_key_fill_pinned(struct ocf_replica *replica, struct ocf_key *key)
{
	struct ocf_pin *pin = key->pin;
	struct scatterlist *sg;
	int ret, i;

	ret = ocf_pin_map(pin, replica->card);
	if (ret)
		return ret;
	for_each_sgtable_dma_sg(&pin->sgt, sg, i) {
		/* the card must see what is stored after this, too */
		if (dma_need_sync(pin->dev, sg_dma_address(sg)))
			return -EOPNOTSUPP;
		ret = ocf_key_range(replica->card, key, sg_dma_address(sg),
				    sg_dma_len(sg));
		if (ret)
			return ret;
	}
	return 0;
}

int ocf_key_add(struct ocf_replica *replica, u64 addr, u64 length, u32 *value)
{
	struct ocf_key *key = ocf_key_new(replica);
	struct ocf_pin *pin;

	if (IS_ERR(key))
		return PTR_ERR(key);
	pin = ocf_pin_user(addr, length);
	if (IS_ERR(pin)) {
		ocf_key_abandon(replica, key);
		return PTR_ERR(pin);
	}
	key->pin = pin;
	*value = key->key;
	return ocf_key_make(replica, key, ocf_key_fill_pinned);
}

/* -EALREADY: an earlier removal took too long, but it happened. */
static int ocf_key_remove(struct ocf_replica *replica, struct ocf_key *key)
{
	int ret = ocf_cmd_key_del(replica->card, replica->index, key->key);

	if (ret == -EALREADY)
		ret = 0;
	trace_ocfabric_key_del(replica, key, ret);
	if (ret)
		return ret;
	ocf_key_take_out(replica, key);
	return 0;
}

int ocf_key_del(struct ocf_replica *replica, u32 value)
{
	struct ocf_key *key;
	int ret;

	CLASS(ocf_live, live)(replica->card);
	if (!live || !replica->alive)
		return -ENODEV;
	scoped_guard(mutex, &replica->lock) {
		key = replica->key[ocf_key_index(value)];
		if (!key || key == OCF_KEY_RESERVED || key->key != value)
			return -ENOENT;
		ret = ocf_key_remove(replica, key);
		if (ret)
			return ret;
	}
	ocf_key_free(key);
	return 0;
}

/* All of them, from a card that is entered. Stops at the first that stays. */
int ocf_keys_del(struct ocf_replica *replica)
{
	struct ocf_key *key;
	int ret;
	u32 i;

	guard(mutex)(&replica->lock);
	for (i = 0; i < OCF_KEYS_MAX; i++) {
		key = replica->key[i];
		if (!key)
			continue;
		ret = ocf_key_remove(replica, key);
		if (ret)
			return ret;
		ocf_key_free(key);
	}
	return 0;
}

/* All of them; the card has been reset. Those being made see that themselves. */
void ocf_keys_free(struct ocf_replica *replica)
{
	struct ocf_key *key;
	u32 i;

	guard(mutex)(&replica->lock);
	for (i = 0; i < OCF_KEYS_MAX; i++) {
		key = replica->key[i];
		if (!key || key == OCF_KEY_RESERVED)
			continue;
		ocf_key_take_out(replica, key);
		ocf_key_free(key);
	}
}
