// SPDX-License-Identifier: GPL-2.0-only
/*
 * User pages as a source of writes. The card only reads them, so they are
 * pinned without FOLL_WRITE: a long-term pin unshares pages that are shared
 * copy-on-write, so that what the process stores later is what the card reads.
 */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "ocfabric.h"

#define OCF_PIN_BATCH	512

static int ocf_pin_pages(struct ocf_pin *pin, unsigned long start,
			 unsigned long pages)
{
	int n;

	while (pin->count < pages) {
		if (fatal_signal_pending(current))
			return -EINTR;
		n = min_t(unsigned long, pages - pin->count, OCF_PIN_BATCH);
		n = pin_user_pages_fast(start + (pin->count << PAGE_SHIFT), n,
					FOLL_LONGTERM, pin->pages + pin->count);
		if (n <= 0)
			return n ?: -EFAULT;
		pin->count += n;
		cond_resched();
	}
	return 0;
}

static int ocf_pin_fill(struct ocf_pin *pin, u64 addr, u64 length)
{
	unsigned long pages = (offset_in_page(addr) + length - 1) / PAGE_SIZE + 1;
	int ret;

	if (pages > totalram_pages())
		return -ENOMEM;
	ret = ocf_charge(&pin->charge, pages);
	if (ret)
		return ret;
	pin->pages = kvmalloc_array(pages, sizeof(*pin->pages),
				    GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!pin->pages)
		return -ENOMEM;
	ret = ocf_pin_pages(pin, addr & PAGE_MASK, pages);
	if (ret)
		return ret;
	return sg_alloc_table_from_pages(&pin->sgt, pin->pages, pages,
					 offset_in_page(addr), length,
					 GFP_KERNEL_ACCOUNT);
}

/**
 * ocf_pin_user - pin the caller's memory and charge him for it
 * @addr: user address
 * @length: bytes, not 0
 *
 * Context: no lock held; touches user memory.
 * Return: what was pinned, or an ERR_PTR.
 */
struct ocf_pin *ocf_pin_user(u64 addr, u64 length)
{
	struct ocf_pin *pin;
	u64 end;
	int ret;

	if (!length || check_add_overflow(addr, length, &end) ||
	    end > ULONG_MAX - PAGE_SIZE)
		return ERR_PTR(-EINVAL);
	pin = kzalloc(sizeof(*pin), GFP_KERNEL_ACCOUNT);
	if (!pin)
		return ERR_PTR(-ENOMEM);
	ret = ocf_pin_fill(pin, addr, length);
	if (ret) {
		ocf_pin_free(pin);
		return ERR_PTR(ret);
	}
	return pin;
}

/* For the card to read; it has been entered. */
int ocf_pin_map(struct ocf_pin *pin, struct ocf_card *card)
{
	int ret;

	pin->dev = &card->pdev->dev;
	ret = dma_map_sgtable(pin->dev, &pin->sgt, DMA_TO_DEVICE, 0);
	pin->mapped = !ret;
	return ret;
}

/* The card cannot reach it. Entered, if it was mapped. */
void ocf_pin_free(struct ocf_pin *pin)
{
	if (pin->mapped)
		dma_unmap_sgtable(pin->dev, &pin->sgt, DMA_TO_DEVICE, 0);
	sg_free_table(&pin->sgt);
	if (pin->count)
		unpin_user_pages(pin->pages, pin->count);
	ocf_uncharge(&pin->charge);
	kvfree(pin->pages);
	kfree(pin);
}
