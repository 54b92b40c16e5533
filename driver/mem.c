// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coherent memory for the card and user space, in equal chunks, so that no
 * large piece is needed at once. Charged to the caller, zeroed.
 */
#include <linux/dma-mapping.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "ocfabric.h"

void *ocf_mem_at(const struct ocf_mem *mem, size_t offset)
{
	return mem->chunk[offset >> mem->chunk_shift].cpu +
	       (offset & (BIT(mem->chunk_shift) - 1));
}

void ocf_mem_zero(struct ocf_mem *mem)
{
	unsigned int i;

	for (i = 0; i < mem->chunks; i++)
		memset(mem->chunk[i].cpu, 0, BIT(mem->chunk_shift));
}

void ocf_mem_free(struct ocf_mem *mem)
{
	unsigned int i;

	if (!mem)
		return;
	for (i = 0; i < mem->chunks; i++) {
		if (mem->chunk[i].cpu)
			dma_free_coherent(mem->dev, BIT(mem->chunk_shift),
					  mem->chunk[i].cpu, mem->chunk[i].dma);
	}
	ocf_uncharge(&mem->charge);
	kvfree(mem->pfn);
	kvfree(mem);
}

/* The page frames of a chunk, for mappings. */
static int ocf_mem_frames(struct ocf_mem *mem, unsigned int i)
{
	size_t first = (size_t)i << (mem->chunk_shift - PAGE_SHIFT);
	unsigned long *pfn = mem->pfn + first;
	struct sg_page_iter page;
	struct sg_table sgt;
	int ret;

	ret = dma_get_sgtable(mem->dev, &sgt, mem->chunk[i].cpu,
			      mem->chunk[i].dma, BIT(mem->chunk_shift));
	if (ret)
		return ret;
	for_each_sgtable_page(&sgt, &page, 0)
		*pfn++ = page_to_pfn(sg_page_iter_page(&page));
	sg_free_table(&sgt);
	return 0;
}

static int ocf_mem_chunk(struct ocf_mem *mem, unsigned int i)
{
	struct ocf_chunk *chunk = &mem->chunk[i];

	chunk->cpu = dma_alloc_coherent(mem->dev, BIT(mem->chunk_shift),
					&chunk->dma, GFP_KERNEL | __GFP_NOWARN);
	if (!chunk->cpu)
		return -ENOMEM;
	return ocf_mem_frames(mem, i);
}

static int ocf_mem_fill(struct ocf_mem *mem)
{
	size_t pages = (size_t)mem->chunks << (mem->chunk_shift - PAGE_SHIFT);
	unsigned int i;
	int ret;

	ret = ocf_charge(&mem->charge, pages);
	if (ret)
		return ret;
	mem->pfn = kvmalloc_array(pages, sizeof(*mem->pfn), GFP_KERNEL);
	if (!mem->pfn)
		return -ENOMEM;
	for (i = 0; !ret && i < mem->chunks; i++) {
		ret = ocf_mem_chunk(mem, i);
		cond_resched();
	}
	return ret;
}

/**
 * ocf_mem_alloc - coherent memory, charged to the caller
 * @card: entered
 * @size: bytes, more than 0
 * @chunk_shift: log2 of a chunk's bytes; chunks are aligned to their size
 *
 * Return: the memory, or an ERR_PTR.
 */
struct ocf_mem *ocf_mem_alloc(struct ocf_card *card, size_t size,
			      unsigned int chunk_shift)
{
	unsigned int chunks = DIV_ROUND_UP(size, BIT(chunk_shift));
	struct ocf_mem *mem;
	int ret;

	mem = kvzalloc(struct_size(mem, chunk, chunks), GFP_KERNEL);
	if (!mem)
		return ERR_PTR(-ENOMEM);
	mem->dev = &card->pdev->dev;
	mem->size = PAGE_ALIGN(size);
	mem->chunk_shift = chunk_shift;
	mem->chunks = chunks;
	ret = ocf_mem_fill(mem);
	if (ret) {
		ocf_mem_free(mem);
		return ERR_PTR(ret);
	}
	return mem;
}
