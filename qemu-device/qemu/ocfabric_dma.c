/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host memory, by way of the bus.
 *
 * Only RAM is ever reached: an address of MMIO, the card's own included, is an
 * error, because its handler may want the BQL, or this device again.
 *
 * Pointers into RAM are kept by the queues. They stay good until the memory
 * listener's commit, which runs under the BQL before the memory they point to
 * can be freed, and which has everything mapped again.
 */
#include "qemu/osdep.h"

#include "ocfabric.h"

static AddressSpace *ocf_bus(OcfState *s)
{
    return pci_get_address_space(PCI_DEVICE(s));
}

/* The longest piece of RAM from addr on, at most n bytes; 0 if there is none. */
static uint64_t ocf_dma_piece(OcfState *s, MemoryRegionCache *cache,
                              uint64_t addr, uint64_t n, bool write)
{
    int64_t got = address_space_cache_init(cache, ocf_bus(s), addr, n, write);

    return cache->ptr && got > 0 ? MIN((uint64_t)got, n) : 0;
}

static bool ocf_dma_direct(OcfState *s, uint64_t addr, uint8_t *buf, size_t n,
                           bool write)
{
    uint64_t got;

    for (; n; n -= got, addr += got, buf += got) {
        MemoryRegionCache cache;

        got = ocf_dma_piece(s, &cache, addr, n, write);
        if (got && write) {
            memcpy(cache.ptr, buf, got);
            address_space_cache_invalidate(&cache, 0, got);
        } else if (got) {
            memcpy(buf, cache.ptr, got);
        }
        address_space_cache_destroy(&cache);
        if (!got) {
            return false;
        }
    }
    return true;
}

static bool ocf_dma_rw(OcfState *s, uint64_t addr, void *buf, size_t n,
                       bool write)
{
    MemTxAttrs attrs = {
        .requester_id = pci_requester_id(PCI_DEVICE(s)),
        .memory = 1,
    };

    if (addr + n < addr) {
        return false;
    }
    if (s->direct) {
        return ocf_dma_direct(s, addr, buf, n, write);
    }
    return address_space_rw(ocf_bus(s), addr, attrs, buf, n, write) == MEMTX_OK;
}

static bool ocf_dma_read(void *opaque, uint64_t addr, void *buf, size_t n)
{
    return ocf_dma_rw(opaque, addr, buf, n, false);
}

static bool ocf_dma_write(void *opaque, uint64_t addr, const void *buf,
                          size_t n)
{
    return ocf_dma_rw(opaque, addr, (void *)buf, n, true);
}

static const void *ocf_dma_map(void *opaque, uint64_t addr, uint64_t n)
{
    OcfState *s = opaque;
    MemoryRegionCache cache;
    const void *ptr = NULL;

    if (n && ocf_dma_piece(s, &cache, addr, n, false) == n) {
        ptr = cache.ptr;
    }
    if (n) {
        address_space_cache_destroy(&cache);
    }
    return ptr;
}

static void *ocf_dma_map_written(void *opaque, unsigned int queue,
                                 unsigned int slot, uint64_t addr, size_t n)
{
    OcfState *s = opaque;
    MemoryRegionCache *cache = &s->queue[queue].written[slot];

    address_space_cache_destroy(cache);
    if (ocf_dma_piece(s, cache, addr, n, true) == n) {
        return cache->ptr;
    }
    address_space_cache_destroy(cache);
    return NULL;
}

static void ocf_dma_stored(void *opaque, unsigned int queue,
                           unsigned int slot, size_t offset, size_t n)
{
    OcfState *s = opaque;

    address_space_cache_invalidate(&s->queue[queue].written[slot], offset, n);
}

static void ocf_dma_pause(void)
{
    g_thread_yield();
}

static uint64_t ocf_dma_now(void *opaque)
{
    return ocf_clock(opaque);
}

void ocf_dma_release(OcfQueue *oq)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(oq->written); i++) {
        address_space_cache_destroy(&oq->written[i]);
    }
}

static void ocf_dma_region(OcfState *s, MemoryRegionSection *section, int by)
{
    s->bus_changed = true;
    if (memory_region_is_iommu(section->mr)) {
        s->iommus += by;
    }
}

static void ocf_dma_region_add(MemoryListener *l, MemoryRegionSection *section)
{
    ocf_dma_region(container_of(l, OcfState, listener), section, 1);
}

static void ocf_dma_region_del(MemoryListener *l, MemoryRegionSection *section)
{
    ocf_dma_region(container_of(l, OcfState, listener), section, -1);
}

/* What is on the bus has changed; bus mastering is part of that. */
static void ocf_dma_commit(MemoryListener *l)
{
    OcfState *s = container_of(l, OcfState, listener);
    unsigned int i;

    if (!s->bus_changed) {
        return;
    }
    ocf_halt(s);
    s->bus_changed = false;
    s->direct = !s->iommus;
    for (i = 0; i < OCF_REPLICAS; i++) {
        ocf_dma_release(&s->queue[i]);
        ocf_queue_map(&s->queue[i].q);
    }
    ocf_go(s);
    /* they may have waited for the one who does not serve any more */
    ocf_kick(s, UINT16_MAX);
}

void ocf_dma_init(OcfState *s)
{
    s->host = (struct ocf_host) {
        .opaque = s,
        .read = ocf_dma_read,
        .write = ocf_dma_write,
        .map = ocf_dma_map,
        .map_written = ocf_dma_map_written,
        .stored = ocf_dma_stored,
        .pause = ocf_dma_pause,
        .tell = ocf_note,
        .wait = ocf_note_due,
        .now = ocf_dma_now,
        .clock_mhz = s->clock_mhz,
    };
    s->direct = true;
    s->listener = (MemoryListener) {
        .name = "ocfabric",
        .region_add = ocf_dma_region_add,
        .region_del = ocf_dma_region_del,
        .commit = ocf_dma_commit,
    };
    memory_listener_register(&s->listener, ocf_bus(s));
}

void ocf_dma_exit(OcfState *s)
{
    unsigned int i;

    memory_listener_unregister(&s->listener);
    for (i = 0; i < OCF_REPLICAS; i++) {
        ocf_dma_release(&s->queue[i]);
    }
}
