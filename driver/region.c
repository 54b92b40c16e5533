// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regions: moved by a change of the configuration, read and written through
 * handles. The bytes of a handle's file are those of its replica's region.
 */
#include <linux/fs.h>
#include <linux/io.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "ocfabric.h"

#define OCF_COPY_PIECE	SZ_64K

u64 ocf_region_skip(const struct ocfabric_region *region)
{
	return PAGE_ALIGN(region->base) - region->base;
}

/* Bytes of the whole pages that lie inside. */
u64 ocf_region_pages(const struct ocfabric_region *region)
{
	u64 first = PAGE_ALIGN(region->base);
	u64 end = PAGE_ALIGN_DOWN(region->base + region->length);

	return end > first ? end - first : 0;
}

static bool ocf_region_moves(const struct ocf_replica *replica,
			     const struct ocf_config *new, bool clear)
{
	const struct ocfabric_region *r = &new->region[replica->index];

	return clear || r->base != replica->region.base ||
	       r->length != replica->region.length;
}

/**
 * ocf_regions_move - attached replicas get the regions of a new configuration
 * @card: entered and drained, with config_lock held; it has the configuration
 * @new: that configuration
 * @clear: nobody is to read again what the HBM holds
 *
 * First nobody sees any of the regions that change, neither by a mapping nor
 * by read(); then bytes that were another user's are zeroed; then the new ones
 * can be seen. A fault in between waits.
 */
void ocf_regions_move(struct ocf_card *card, const struct ocf_config *new,
		      bool clear)
{
	struct ocf_replica *moving[OCFABRIC_REPLICAS_MAX];
	u32 count = 0;
	u32 i;

	lockdep_assert_held(&card->config_lock);
	if (clear)
		ocf_hbm_forget(card);
	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++) {
		struct ocf_replica *replica = card->slot[i].replica;

		if (!replica || !ocf_region_moves(replica, new, clear))
			continue;
		down_write_nest_lock(&replica->map_lock, &card->config_lock);
		ocf_map_zap_region(replica);
		moving[count++] = replica;
	}
	for (i = 0; i < count; i++) {
		moving[i]->region = new->region[moving[i]->index];
		if (!ocf_hbm_give(card, &moving[i]->region, moving[i]->uid,
				  false))
			moving[i]->region = (struct ocfabric_region){};
	}
	while (count)
		up_write(&moving[--count]->map_lock);
}

/* How much of @count can be had at @pos; 0 at the end. */
static size_t ocf_region_room(const struct ocf_replica *replica, loff_t pos,
			      size_t count)
{
	if (pos < 0 || pos >= replica->region.length)
		return 0;
	return min_t(u64, count, replica->region.length - pos);
}

/* Between the HBM and a kernel buffer. Bytes moved, or -ENODEV. */
static ssize_t ocf_region_move(struct ocf_replica *replica, void *buf,
			       size_t count, loff_t pos, bool write)
{
	void __iomem *at;

	guard(rwsem_read)(&replica->map_lock);
	if (!replica->alive)
		return -ENODEV;
	count = ocf_region_room(replica, pos, count);
	at = replica->card->hbm + replica->region.base + pos;
	if (write) {
		memcpy_toio(at, buf, count);
		wmb(); /* write-combining: others see it when we return */
	} else {
		memcpy_fromio(buf, at, count);
	}
	return ocf_card_confirm(replica->card) ?: count;
}

ssize_t ocf_region_read(struct file *file, char __user *buf, size_t count,
			loff_t *pos)
{
	struct ocf_replica *replica = file->private_data;
	size_t piece = min_t(size_t, count, OCF_COPY_PIECE);
	void *bounce __free(kvfree) = kvmalloc(max(piece, 1UL), GFP_KERNEL);
	size_t done = 0;
	ssize_t n;

	if (!bounce)
		return -ENOMEM;
	do {
		n = ocf_region_move(replica, bounce, min(count - done, piece),
				    *pos, false);
		if (n <= 0)
			return done ?: n;
		if (copy_to_user(buf + done, bounce, n))
			return done ?: -EFAULT;
		*pos += n;
		done += n;
		cond_resched();
	} while (done < count && !fatal_signal_pending(current));
	return done;
}

ssize_t ocf_region_write(struct file *file, const char __user *buf,
			 size_t count, loff_t *pos)
{
	struct ocf_replica *replica = file->private_data;
	size_t piece = min_t(size_t, count, OCF_COPY_PIECE);
	void *bounce __free(kvfree) = kvmalloc(max(piece, 1UL), GFP_KERNEL);
	size_t done = 0;
	ssize_t n;

	if (!bounce)
		return -ENOMEM;
	do {
		n = min(count - done, piece);
		if (copy_from_user(bounce, buf + done, n))
			return done ?: -EFAULT;
		n = ocf_region_move(replica, bounce, n, *pos, true);
		if (n < 0 || (!n && count))
			return done ?: n ?: -ENOSPC;
		*pos += n;
		done += n;
		cond_resched();
	} while (done < count && !fatal_signal_pending(current));
	return done;
}

loff_t ocf_region_llseek(struct file *file, loff_t offset, int whence)
{
	struct ocf_replica *replica = file->private_data;
	u64 length;

	scoped_guard(rwsem_read, &replica->map_lock) {
		if (!replica->alive)
			return -ENODEV;
		length = replica->region.length;
	}
	return fixed_size_llseek(file, offset, whence, length);
}
