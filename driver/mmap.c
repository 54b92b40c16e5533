// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings of a handle: rings, owner line, semaphores, doorbell pages, region,
 * buffers.
 * mmap() only checks; pages come one fault (and its neighbourhood) at a time,
 * under map_lock, so that revoking is: say so under map_lock, and zap.
 */
#include <linux/fs.h>
#include <linux/mm.h>

#include "ocfabric.h"

/* 63:44 kind, 43:38 key index of a buffer, rest bytes; of the region all 44 */
#define OCF_KIND_SHIFT	44
#define OCF_INDEX_SHIFT	38
#define OCF_PAGES_MASK	(BIT(OCF_INDEX_SHIFT - PAGE_SHIFT) - 1)
#define OCF_AROUND	64	/* pages inserted at a fault */

u64 ocf_map_offset(enum ocf_map_kind kind, u32 index)
{
	return (u64)kind << OCF_KIND_SHIFT | (u64)index << OCF_INDEX_SHIFT;
}

static enum ocf_map_kind ocf_map_kind(const struct vm_area_struct *vma)
{
	return vma->vm_pgoff >> (OCF_KIND_SHIFT - PAGE_SHIFT);
}

/* Mappings of the file must be there: the caller holds map_lock for writing. */
void ocf_map_zap(struct ocf_replica *replica)
{
	lockdep_assert_held_write(&replica->map_lock);
	if (replica->mapping)
		unmap_mapping_range(replica->mapping, 0, 0, 1);
}

void ocf_map_zap_region(struct ocf_replica *replica)
{
	lockdep_assert_held_write(&replica->map_lock);
	if (replica->mapping)
		unmap_mapping_range(replica->mapping,
				    ocf_map_offset(OCF_MAP_REGION, 0),
				    BIT_ULL(OCF_KIND_SHIFT), 1);
}

/* What a kind of mapping shows: so many pages, and the frame of each. */
struct ocf_view {
	const struct ocf_mem *mem;	/* or */
	unsigned long first;		/* frame */
	unsigned long pages;
};

static struct ocf_view ocf_view_mem(const struct ocf_mem *mem)
{
	return (struct ocf_view){ .mem = mem, .pages = mem->size >> PAGE_SHIFT };
}

static struct ocf_view ocf_view_doorbell(const struct ocf_replica *replica,
					 u32 block)
{
	phys_addr_t page = replica->card->doorbell_phys + block +
			   OCFABRIC_DOORBELL_PAGE(replica->index);

	return (struct ocf_view){ .first = PHYS_PFN(page), .pages = 1 };
}

static struct ocf_view ocf_view_region(const struct ocf_replica *replica)
{
	const struct ocfabric_region *r = &replica->region;

	return (struct ocf_view){
		.first = PHYS_PFN(replica->card->hbm_phys +
				  PAGE_ALIGN(r->base)),
		.pages = ocf_region_pages(r) >> PAGE_SHIFT,
	};
}

static struct ocf_buffer *ocf_find_buffer(struct ocf_replica *replica, u32 index)
{
	struct ocf_buffer *buffer;

	list_for_each_entry(buffer, &replica->buffers, node) {
		if (buffer->keyed && buffer->index == index)
			return buffer;
	}
	return NULL;
}

/* No pages when it is not there. */
static struct ocf_view ocf_view(const struct ocf_replica *replica,
				enum ocf_map_kind kind,
				const struct ocf_buffer *buffer)
{
	lockdep_assert_held(&replica->map_lock);
	if (!replica->alive)
		return (struct ocf_view){};
	switch (kind) {
	case OCF_MAP_TX:
		return ocf_view_mem(replica->rings.tx);
	case OCF_MAP_CQ:
		return ocf_view_mem(replica->rings.cq);
	case OCF_MAP_OWNER:
		return ocf_view_mem(replica->rings.owner);
	case OCF_MAP_DOORBELL:
		return ocf_view_doorbell(replica, OCFABRIC_DOORBELL_M2S);
	case OCF_MAP_REGION:
		return ocf_view_region(replica);
	case OCF_MAP_BUFFER:
		return ocf_view_mem(buffer->mem);
	case OCF_MAP_RX:
		return ocf_view_mem(replica->rings.rx);
	case OCF_MAP_RX_DOORBELL:
		return ocf_view_doorbell(replica, OCFABRIC_DOORBELL_S2M);
	case OCF_MAP_SEMAPHORES:
		return ocf_view_mem(replica->rings.semaphores);
	default:
		return (struct ocf_view){};
	}
}

static unsigned long ocf_view_pfn(const struct ocf_view *view,
				  unsigned long page)
{
	return view->mem ? view->mem->pfn[page] : view->first + page;
}

/* The page that is wanted, then what there is around it. */
static vm_fault_t ocf_insert(struct vm_fault *vmf, const struct ocf_view *view,
			     unsigned long page, unsigned long vma_first)
{
	struct vm_area_struct *vma = vmf->vma;
	unsigned long end, at;
	vm_fault_t ret;

	ret = vmf_insert_pfn(vma, vmf->address & PAGE_MASK,
			     ocf_view_pfn(view, page));
	end = min3(ALIGN(page + 1, OCF_AROUND), view->pages,
		   vma_first + vma_pages(vma));
	at = max(ALIGN_DOWN(page, OCF_AROUND), vma_first);
	for (; ret == VM_FAULT_NOPAGE && at < end; at++) {
		if (at != page &&
		    vmf_insert_pfn(vma, vma->vm_start +
				   ((at - vma_first) << PAGE_SHIFT),
				   ocf_view_pfn(view, at)) != VM_FAULT_NOPAGE)
			break;
	}
	return ret;
}

static unsigned long ocf_map_page(enum ocf_map_kind kind, unsigned long pgoff)
{
	if (kind == OCF_MAP_BUFFER)
		return pgoff & OCF_PAGES_MASK;
	return pgoff & (BIT(OCF_KIND_SHIFT - PAGE_SHIFT) - 1);
}

static vm_fault_t ocf_map_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct ocf_replica *replica = vma->vm_file->private_data;
	enum ocf_map_kind kind = ocf_map_kind(vma);
	unsigned long page = ocf_map_page(kind, vmf->pgoff);
	struct ocf_view view;

	guard(rwsem_read)(&replica->map_lock);
	view = ocf_view(replica, kind, vma->vm_private_data);
	if (page >= view.pages)
		return VM_FAULT_SIGBUS;
	return ocf_insert(vmf, &view, page, ocf_map_page(kind, vma->vm_pgoff));
}

static const struct vm_operations_struct ocf_map_ops = {
	.fault = ocf_map_fault,
};

/* A mapping that is cut in two. */
static void ocf_buffer_vma_open(struct vm_area_struct *vma)
{
	struct ocf_buffer *buffer = vma->vm_private_data;

	guard(rwsem_write)(&buffer->replica->map_lock);
	buffer->users++;
}

static void ocf_buffer_vma_close(struct vm_area_struct *vma)
{
	ocf_buffer_put(vma->vm_private_data);
}

static const struct vm_operations_struct ocf_buffer_map_ops = {
	.open = ocf_buffer_vma_open,
	.close = ocf_buffer_vma_close,
	.fault = ocf_map_fault,
};

/* What the card alone writes. */
static bool ocf_map_read_only(enum ocf_map_kind kind)
{
	return kind == OCF_MAP_CQ || kind == OCF_MAP_SEMAPHORES;
}

static bool ocf_map_doorbell(enum ocf_map_kind kind)
{
	return kind == OCF_MAP_DOORBELL || kind == OCF_MAP_RX_DOORBELL;
}

/* Shared, of data, and what may not be written cannot become so later. */
static int ocf_map_check(struct vm_area_struct *vma, enum ocf_map_kind kind)
{
	if (kind >= OCF_MAP_KINDS || !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC ||
	    (ocf_map_read_only(kind) && vma->vm_flags & VM_WRITE))
		return -EACCES;
	return 0;
}

static void ocf_map_setup(struct vm_area_struct *vma, enum ocf_map_kind kind)
{
	bool io = ocf_map_doorbell(kind) || kind == OCF_MAP_REGION;

	vm_flags_mod(vma, VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY |
		     (io ? VM_IO : 0),
		     VM_MAYEXEC | (ocf_map_read_only(kind) ? VM_MAYWRITE : 0));
	/* doorbell increments add up: never merged; the HBM is plain memory */
	if (ocf_map_doorbell(kind))
		vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	else if (kind == OCF_MAP_REGION)
		vma->vm_page_prot = pgprot_writecombine(vma->vm_page_prot);
	vma->vm_ops = kind == OCF_MAP_BUFFER ? &ocf_buffer_map_ops :
					       &ocf_map_ops;
}

int ocf_replica_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct ocf_replica *replica = file->private_data;
	enum ocf_map_kind kind = ocf_map_kind(vma);
	unsigned long page = ocf_map_page(kind, vma->vm_pgoff);
	struct ocf_buffer *buffer = NULL;
	struct ocf_view view;
	int ret;

	ret = ocf_map_check(vma, kind);
	if (ret)
		return ret;
	guard(rwsem_write)(&replica->map_lock);
	if (!replica->alive)
		return -ENODEV;
	if (kind == OCF_MAP_BUFFER) {
		buffer = ocf_find_buffer(replica, vma->vm_pgoff >>
					 (OCF_INDEX_SHIFT - PAGE_SHIFT) &
					 OCFABRIC_KEY_INDEX_MASK);
		if (!buffer)
			return -EINVAL;
	}
	view = ocf_view(replica, kind, buffer);
	if (page >= view.pages || vma_pages(vma) > view.pages - page)
		return -EINVAL;
	if (buffer)
		buffer->users++;
	vma->vm_private_data = buffer;
	ocf_map_setup(vma, kind);
	return 0;
}
