// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose bytes the HBM holds. Every line remembers the user who owned it last;
 * when it becomes readable by another one it is zeroed first. Regions are
 * aligned to lines, so no two of them share one.
 *
 * The tree is protected by config_lock. When there is no memory to remember,
 * all is forgotten: then whoever gets a line next gets it zeroed.
 */
#include <linux/io.h>
#include <linux/sched.h>
#include <linux/xarray.h>

#include "ocfabric.h"
#include "trace.h"

#define OCF_ZERO_PIECE	SZ_64K

static void *ocf_owner_entry(kuid_t uid)
{
	return xa_mk_value((unsigned long)__kuid_val(uid) + 1);
}

/* False when it was given up because the card is being stopped. */
static bool ocf_hbm_zero(struct ocf_card *card, u64 base, u64 length)
{
	trace_ocfabric_zero(card, base, length);
	while (length) {
		size_t n = min_t(u64, length, OCF_ZERO_PIECE);

		if (ocf_card_stopping(card))
			return false;
		memset_io(card->hbm + base, 0, n);
		base += n;
		length -= n;
		cond_resched();
	}
	/* write-combining: before anybody else may look at it */
	wmb();
	return true;
}

/* Semaphores, too: whoever is a replica next gets both zeroed. */
void ocf_hbm_forget(struct ocf_card *card)
{
	u32 i;

	lockdep_assert_held(&card->config_lock);
	__mt_destroy(&card->hbm_owners);
	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++)
		card->slot[i].last_uid = INVALID_UID;
}

/* All lines but those with this entry. */
static bool ocf_zero_others(struct ocf_card *card, unsigned long first,
			    unsigned long last, void *keep)
{
	MA_STATE(mas, &card->hbm_owners, first, first);
	unsigned long at = first;
	unsigned long end;
	void *entry;

	while (at <= last) {
		mas_set(&mas, at);
		entry = mas_walk(&mas);
		if (entry && entry == keep) {
			at = mas.last + 1;
			continue;
		}
		end = min(mas.last, last);
		if (!ocf_hbm_zero(card, (u64)at * OCFABRIC_LINE,
				  (u64)(end - at + 1) * OCFABRIC_LINE))
			return false;
		at = end + 1;
	}
	return true;
}

/**
 * ocf_hbm_give - a user may read a region from now on
 * @card: entered, with config_lock held
 * @region: aligned, inside the HBM
 * @uid: the user
 * @clear: he does not want to keep what was his
 *
 * Zeroes what was another's.
 *
 * Return: false when it gave up since the card is being stopped: he must not
 * read the region.
 */
bool ocf_hbm_give(struct ocf_card *card, const struct ocfabric_region *region,
		  kuid_t uid, bool clear)
{
	void *mine = ocf_owner_entry(uid);
	unsigned long first, last;

	lockdep_assert_held(&card->config_lock);
	if (!region->length)
		return true;
	first = region->base / OCFABRIC_LINE;
	last = (region->base + region->length - 1) / OCFABRIC_LINE;
	if (!ocf_zero_others(card, first, last, clear ? NULL : mine))
		return false;

	MA_STATE(mas, &card->hbm_owners, first, last);
	if (mas_store_gfp(&mas, mine, GFP_KERNEL))
		ocf_hbm_forget(card);
	return true;
}
