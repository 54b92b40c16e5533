/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The property `gone`: the card is pulled out, and put in again. What is not there
 * reads as all ones, takes no writes, reaches no memory and interrupts nobody. The
 * slot is not told: a driver has to find out.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/pci/pci.h"
#include "migration/blocker.h"

#include "ocfabric.h"
#include "trace.h"

#define OCF_OVER_ALL 10 /* of a BAR's own regions */

static uint64_t ocf_nothing_read(void *opaque, hwaddr addr, unsigned int size)
{
    return UINT64_MAX;
}

static void ocf_nothing_write(void *opaque, hwaddr addr, uint64_t value,
                              unsigned int size)
{
}

static const MemoryRegionOps ocf_nothing_ops = {
    .read = ocf_nothing_read,
    .write = ocf_nothing_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

void ocf_gone_init(OcfState *s)
{
    MemoryRegion *bar[OCF_BARS] = { &s->control, &s->doorbells, s->hbm };
    unsigned int i;

    for (i = 0; i < OCF_BARS; i++) {
        memory_region_init_io(&s->nothing[i], OBJECT(s), &ocf_nothing_ops, s,
                              "ocfabric-nothing", memory_region_size(bar[i]));
        memory_region_set_enabled(&s->nothing[i], s->gone);
        memory_region_add_subregion_overlap(bar[i], 0, &s->nothing[i],
                                            OCF_OVER_ALL);
    }
}

/* The HBM may be somebody else's, and outlive the card. */
void ocf_gone_exit(OcfState *s)
{
    MemoryRegion *bar[OCF_BARS] = { &s->control, &s->doorbells, s->hbm };
    unsigned int i;

    for (i = 0; i < OCF_BARS; i++) {
        memory_region_del_subregion(bar[i], &s->nothing[i]);
    }
    migrate_del_blocker(&s->gone_blocker);
}

uint32_t ocf_gone_config_read(PCIDevice *pdev, uint32_t addr, int len)
{
    return OCFABRIC(pdev)->gone ? UINT32_MAX :
           pci_default_read_config(pdev, addr, len);
}

static void ocf_gone_show(OcfState *s)
{
    unsigned int i;

    memory_region_transaction_begin();
    for (i = 0; i < OCF_BARS; i++) {
        memory_region_set_enabled(&s->nothing[i], s->gone);
    }
    memory_region_transaction_commit();
}

/*
 * It loses its power: no queue is enabled any more, and so nothing is left that
 * reaches memory or interrupts. When it is put in, it is as after power-on.
 */
static void ocf_gone_set(Object *obj, bool gone, Error **errp)
{
    OcfState *s = OCFABRIC(obj);

    if (gone == s->gone) {
        return;
    }
    if (!DEVICE(s)->realized) {
        error_setg(errp, "gone: only a card that is there can go");
        return;
    }
    if (gone) {
        error_setg(&s->gone_blocker,
                   "ocfabric: a card that is gone has no state to migrate");
        if (migrate_add_blocker(&s->gone_blocker, errp) < 0) {
            return;
        }
    } else {
        migrate_del_blocker(&s->gone_blocker);
    }
    trace_ocfabric_gone(gone);
    s->gone = true;
    ocf_reset_card(s);
    if (!gone) {
        s->gone = false;
        pci_device_reset(PCI_DEVICE(s));
    }
    ocf_gone_show(s);
}

static bool ocf_gone_get(Object *obj, Error **errp)
{
    return OCFABRIC(obj)->gone;
}

void ocf_gone_class_init(ObjectClass *klass)
{
    object_class_property_add_bool(klass, "gone", ocf_gone_get, ocf_gone_set);
    object_class_property_set_description(klass, "gone",
        "the card is pulled out of its slot, which nobody is told of");
}
