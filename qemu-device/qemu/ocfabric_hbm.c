/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The HBM: whose memory it is, and how stores into it are made known. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/units.h"
#include "migration/vmstate.h"

#include "ocfabric.h"

#define OCF_HBM_MIN (4 * KiB)
#define OCF_HBM_MAX (64 * GiB)

/*
 * Marks the bytes dirty for migration, and drops code that was translated from
 * them. Called without the BQL.
 */
static void ocf_hbm_wrote(void *opaque, uint64_t addr, uint64_t len)
{
    OcfState *s = opaque;

    address_space_cache_invalidate(&s->hbm_cache, addr, len);
}

static bool ocf_hbm_size_valid(OcfState *s, Error **errp)
{
    if (!is_power_of_2(s->hbm_size) || s->hbm_size < OCF_HBM_MIN ||
        s->hbm_size > OCF_HBM_MAX) {
        error_setg(errp, "hbm: %" PRIu64 " bytes; a power of two from %"
                   PRIu64 " to %" PRIu64 " is needed", s->hbm_size,
                   (uint64_t)OCF_HBM_MIN, (uint64_t)OCF_HBM_MAX);
        return false;
    }
    return true;
}

static bool ocf_hbm_use_memdev(OcfState *s, Error **errp)
{
    uint64_t size;

    if (host_memory_backend_is_mapped(s->memdev)) {
        error_setg(errp, "memdev: %s is already in use",
                   object_get_canonical_path_component(OBJECT(s->memdev)));
        return false;
    }
    s->hbm = host_memory_backend_get_memory(s->memdev);
    size = memory_region_size(s->hbm);
    if (s->hbm_size && s->hbm_size != size) {
        error_setg(errp, "memdev: it has %" PRIu64 " bytes, and hbm says %"
                   PRIu64, size, s->hbm_size);
        return false;
    }
    s->hbm_size = size;
    if (!ocf_hbm_size_valid(s, errp)) {
        return false;
    }
    host_memory_backend_set_mapped(s->memdev, true);
    vmstate_register_ram(s->hbm, DEVICE(s));
    return true;
}

static bool ocf_hbm_make(OcfState *s, Error **errp)
{
    s->hbm_size = s->hbm_size ?: OCF_HBM_DEFAULT;
    s->hbm = &s->own_hbm;
    return ocf_hbm_size_valid(s, errp) &&
           memory_region_init_ram(s->hbm, OBJECT(s), "ocfabric-hbm",
                                  s->hbm_size, errp);
}

/*
 * The first touch of a page takes microseconds; here nobody waits for it.
 */
static bool ocf_hbm_prefault(OcfState *s, Error **errp)
{
    return qemu_prealloc_mem(memory_region_get_fd(s->hbm),
                             memory_region_get_ram_ptr(s->hbm), s->hbm_size,
                             1, NULL, false, errp);
}

static void ocf_hbm_release(OcfState *s)
{
    if (s->memdev) {
        vmstate_unregister_ram(s->hbm, DEVICE(s));
        host_memory_backend_set_mapped(s->memdev, false);
    }
}

bool ocf_hbm_init(OcfState *s, Error **errp)
{
    bool made = s->memdev ? ocf_hbm_use_memdev(s, errp) : ocf_hbm_make(s, errp);

    if (!made) {
        return false;
    }
    if (!ocf_hbm_prefault(s, errp)) {
        ocf_hbm_release(s);
        return false;
    }
    memory_region_init_alias(&s->hbm_alias, OBJECT(s), "ocfabric-hbm-dma",
                             s->hbm, 0, s->hbm_size);
    address_space_init(&s->hbm_as, &s->hbm_alias, "ocfabric-hbm");
    address_space_cache_init(&s->hbm_cache, &s->hbm_as, 0, s->hbm_size, true);
    s->card.hbm = memory_region_get_ram_ptr(s->hbm);
    s->card.hbm_size = s->hbm_size;
    s->card.hooks.opaque = s;
    s->card.hooks.wrote = ocf_hbm_wrote;
    return true;
}

/*
 * QEMU keeps each view of memory until the next change of any, and a view of the
 * HBM holds the card: this is a change, after which there is none.
 */
void ocf_hbm_exit(OcfState *s)
{
    address_space_cache_destroy(&s->hbm_cache);
    memory_region_set_enabled(&s->hbm_alias, false);
    address_space_destroy(&s->hbm_as);
    ocf_hbm_release(s);
}
