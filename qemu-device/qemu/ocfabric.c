/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ocfabric card as a PCI Express device.
 *
 *   -device ocfabric[,hbm=SIZE][,replicas=N][,windows=W][,clock-mhz=F]
 *                   [,faults=on][,memdev=ID][,hostile=LIE+...]
 *
 * docs/hardware.md of the ocfabric project is its programmer's manual. Here is
 * only the shell: properties, BARs, reset.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "qemu/units.h"
#include "hw/pci/msix.h"
#include "hw/pci/pcie.h"
#include "hw/pci/pcie_aer.h"
#include "hw/qdev-properties.h"
#include "system/runstate.h"

#include "ocfabric.h"
#include "trace.h"

#define OCF_AER_OFFSET 0x100

void ocf_reset_card(OcfState *s)
{
    unsigned int i;

    trace_ocfabric_reset();
    ocf_halt(s);
    ocf_card_reset(&s->card);
    for (i = 0; i < OCF_REPLICAS; i++) {
        ocf_queue_reset(&s->queue[i].q);
        ocf_dma_release(&s->queue[i]);
        qatomic_set(&s->queue[i].pending, 0);
        qatomic_set(&s->queue[i].due, 0);
        qatomic_set(&s->queue[i].told_due, 0);
        qatomic_set(&s->queue[i].turns, 0);
    }
    qatomic_set(&s->work, 0);
    qatomic_set(&s->tell, 0);
    s->events = (struct ocf_events) { 0 };
    s->error = 0;
    memset(s->cmd_arg, 0, sizeof(s->cmd_arg));
    s->cmd_status = 0;
    s->cmd_queue = 0;
    s->snapshot_clock = 0;
    s->broadcast = 0;
    ocf_qp_reset(s);
    ocf_watch_reset(s);
    memset(s->snapshot_reject, 0, sizeof(s->snapshot_reject));
    s->read_half.valid = false;
    s->write_half.valid = false;
    ocf_clock_restart(s);
    ocf_go(s);
    timer_del(s->timer);
}

static void ocf_reset_hold(Object *obj, ResetType type)
{
    ocf_reset_card(OCFABRIC(obj));
}

static void ocf_config_write(PCIDevice *pdev, uint32_t addr, uint32_t value,
                             int len)
{
    if (OCFABRIC(pdev)->gone) {
        return;
    }
    pci_default_write_config(pdev, addr, value, len);
    pcie_aer_write_config(pdev, addr, value, len);
    pcie_cap_flr_write_config(pdev, addr, value, len);
}

static void ocf_vm_state_changed(void *opaque, bool running, RunState state)
{
    OcfState *s = opaque;

    ocf_halt(s);
    if (running && s->stopped) {
        ocf_clock_go(s);
    } else if (!running && !s->stopped) {
        ocf_clock_stop(s);
    }
    ocf_go(s);
    if (running) {
        ocf_kick(s, UINT16_MAX);
        ocf_watch(s);
    }
    /* while there is still somebody to be interrupted, and saved after us */
    ocf_tell(s);
}

static bool ocf_check_properties(OcfState *s, Error **errp)
{
    if (s->replicas < OCFABRIC_REPLICAS_MIN ||
        s->replicas > OCFABRIC_REPLICAS_MAX) {
        error_setg(errp, "replicas: %u is not within %u to %u", s->replicas,
                   OCFABRIC_REPLICAS_MIN, OCFABRIC_REPLICAS_MAX);
        return false;
    }
    if (!s->windows || s->windows > OCFABRIC_WINDOWS_MAX) {
        error_setg(errp, "windows: %u is not within 1 to %u", s->windows,
                   OCFABRIC_WINDOWS_MAX);
        return false;
    }
    if (!s->clock_mhz || s->clock_mhz > OCF_CLOCK_MHZ_MAX) {
        error_setg(errp, "clock-mhz: %u is not within 1 to %u", s->clock_mhz,
                   OCF_CLOCK_MHZ_MAX);
        return false;
    }
    return true;
}

static void ocf_init_bars(OcfState *s)
{
    PCIDevice *pdev = PCI_DEVICE(s);

    memory_region_init(&s->control, OBJECT(s), "ocfabric-control",
                       OCFABRIC_BAR_CONTROL_SIZE);
    memory_region_init_io(&s->regs, OBJECT(s), &ocf_regs_ops, s,
                          "ocfabric-regs", OCFABRIC_BAR_CONTROL_SIZE);
    memory_region_add_subregion_overlap(&s->control, 0, &s->regs, -1);
    pci_register_bar(pdev, OCFABRIC_BAR_CONTROL, PCI_BASE_ADDRESS_SPACE_MEMORY,
                     &s->control);

    memory_region_init_io(&s->doorbells, OBJECT(s), &ocf_doorbell_ops, s,
                          "ocfabric-doorbells", OCFABRIC_BAR_DOORBELL_SIZE);
    s->doorbells.disable_reentrancy_guard = true;
    pci_register_bar(pdev, OCFABRIC_BAR_DOORBELL, PCI_BASE_ADDRESS_SPACE_MEMORY,
                     &s->doorbells);

    pci_register_bar(pdev, OCFABRIC_BAR_HBM, PCI_BASE_ADDRESS_SPACE_MEMORY |
                     PCI_BASE_ADDRESS_MEM_TYPE_64 |
                     PCI_BASE_ADDRESS_MEM_PREFETCH, s->hbm);
    ocf_gone_init(s);
}

/* A region within another one holds its owner, which would never be finalized. */
static void ocf_exit_bars(OcfState *s)
{
    ocf_gone_exit(s);
    memory_region_del_subregion(&s->control, &s->regs);
}

static bool ocf_init_pci(OcfState *s, Error **errp)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    unsigned int i;
    int ret;

    pci_config_set_interrupt_pin(pdev->config, 0);
    ret = pcie_endpoint_cap_init(pdev, 0);
    if (ret < 0) {
        error_setg_errno(errp, -ret, "no room for the PCI Express capability");
        return false;
    }
    pcie_cap_flr_init(pdev);
    pcie_cap_deverr_init(pdev);
    if (msix_init(pdev, OCFABRIC_VECTORS, &s->control, OCFABRIC_BAR_CONTROL,
                  OCFABRIC_MSIX_TABLE, &s->control, OCFABRIC_BAR_CONTROL,
                  OCFABRIC_MSIX_PBA, 0, errp)) {
        return false;
    }
    for (i = 0; i < OCFABRIC_VECTORS; i++) {
        msix_vector_use(pdev, i);
    }
    if (pcie_aer_init(pdev, PCI_ERR_VER, OCF_AER_OFFSET, PCI_ERR_SIZEOF,
                      errp) < 0) {
        msix_uninit(pdev, &s->control, &s->control);
        return false;
    }
    return true;
}

static bool ocf_arm_take(void *opaque, unsigned int link, unsigned int peer)
{
    OcfState *s = opaque;

    return ocf_queue_arm(&s->queue[link].q, peer);
}

static void ocf_arm_return(void *opaque, unsigned int link, unsigned int peer)
{
    OcfState *s = opaque;

    ocf_queue_disarm(&s->queue[link].q, peer);
}

static void ocf_init_card(OcfState *s)
{
    struct ocf_card *card = &s->card;
    unsigned int i;

    card->config.max_windows = s->windows;
    card->config.windows = g_new0(struct ocf_window, s->windows);
    card->config.reach = g_new0(struct ocf_reach, s->windows);
    card->faults.max = OCF_FAULT_SLOTS;
    card->faults.slot = g_new0(struct ocf_fault, OCF_FAULT_SLOTS);
    for (i = 0; i < OCF_REPLICAS; i++) {
        OcfQueue *oq = &s->queue[i];

        oq->s = s;
        qemu_mutex_init(&oq->lock);
        ocf_queue_init(&oq->q, card, &s->host, i,
                       g_new0(struct ocf_range, OCF_RANGES), s->inbox);
    }
    card->hooks.opaque = s;
    card->hooks.arm_take = ocf_arm_take;
    card->hooks.arm_return = ocf_arm_return;
    card->hooks.qp_failed = ocf_note_qp;
    card->hooks.rejected = ocf_note_reject;
    ocf_card_reset(card);
}

static void ocf_free_card(OcfState *s)
{
    unsigned int i;

    for (i = 0; i < OCF_REPLICAS; i++) {
        g_free(s->queue[i].q.keys.range);
        qemu_mutex_destroy(&s->queue[i].lock);
    }
    g_free(s->card.faults.slot);
    g_free(s->card.config.reach);
    g_free(s->card.config.windows);
}

static void ocf_realize(PCIDevice *pdev, Error **errp)
{
    OcfState *s = OCFABRIC(pdev);

    if (!ocf_check_properties(s, errp) || !ocf_hbm_init(s, errp)) {
        return;
    }
    ocf_init_bars(s);
    if (!ocf_init_pci(s, errp)) {
        ocf_exit_bars(s);
        ocf_hbm_exit(s);
        return;
    }
    ocf_init_card(s);
    s->stopped = !runstate_is_running();
    ocf_worker_start(s);
    ocf_dma_init(s);
    ocf_hostile_start(s);
    s->vm_change = qdev_add_vm_change_state_handler(DEVICE(s),
                                                    ocf_vm_state_changed, s);
}

/* From here on no queue is enabled, and the card does nothing. */
static void ocf_exit(PCIDevice *pdev)
{
    OcfState *s = OCFABRIC(pdev);

    qemu_del_vm_change_state_handler(s->vm_change);
    ocf_hostile_stop(s);
    ocf_reset_card(s);
    ocf_dma_exit(s);
    pcie_aer_exit(pdev);
    msix_uninit(pdev, &s->control, &s->control);
    pcie_cap_exit(pdev);
    ocf_exit_bars(s);
    ocf_hbm_exit(s);
}

/*
 * A vCPU that rang has dropped the BQL, so it may still be inside while the
 * card is unplugged. It is not any more when this runs: the views of memory
 * that it found the BAR in are freed by RCU, and refer to the card.
 */
static void ocf_finalize(Object *obj)
{
    OcfState *s = OCFABRIC(obj);

    if (s->bh) {
        ocf_worker_stop(s);
        ocf_free_card(s);
    }
}

static const Property ocf_properties[] = {
    DEFINE_PROP_SIZE("hbm", OcfState, hbm_size, 0),
    DEFINE_PROP_UINT32("replicas", OcfState, replicas, OCFABRIC_REPLICAS_MAX),
    DEFINE_PROP_UINT32("windows", OcfState, windows, 512),
    DEFINE_PROP_UINT32("clock-mhz", OcfState, clock_mhz, 250),
    DEFINE_PROP_BOOL("faults", OcfState, faults, false),
    DEFINE_PROP_LINK("memdev", OcfState, memdev, TYPE_MEMORY_BACKEND,
                     HostMemoryBackend *),
};

static void ocf_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    pc->realize = ocf_realize;
    pc->exit = ocf_exit;
    pc->config_read = ocf_gone_config_read;
    pc->config_write = ocf_config_write;
    pc->vendor_id = OCFABRIC_PCI_VENDOR_ID;
    pc->device_id = OCFABRIC_PCI_DEVICE_ID;
    pc->revision = OCFABRIC_VERSION_MAJOR;
    pc->class_id = OCFABRIC_PCI_CLASS;
    rc->phases.hold = ocf_reset_hold;
    dc->desc = "One-card RDMA fabric of up to 16 replicas around one HBM";
    dc->vmsd = &ocf_vmstate;
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
    device_class_set_props(dc, ocf_properties);
    ocf_hostile_class_init(klass);
    ocf_gone_class_init(klass);
}

static const TypeInfo ocf_types[] = {
    {
        .name = TYPE_OCFABRIC,
        .parent = TYPE_PCI_DEVICE,
        .instance_size = sizeof(OcfState),
        .instance_finalize = ocf_finalize,
        .class_init = ocf_class_init,
        .interfaces = (InterfaceInfo[]) {
            { INTERFACE_PCIE_DEVICE },
            { }
        },
    },
};

DEFINE_TYPES(ocf_types)
