/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BAR 0: identity, control, events, mailbox, and how an access finds its row. */
#include "qemu/osdep.h"
#include "qemu/log.h"

#include "ocfabric_regs.h"
#include "trace.h"

static uint64_t ocf_magic_read(OcfState *s, unsigned int i)
{
    return OCFABRIC_MAGIC;
}

static uint64_t ocf_version_read(OcfState *s, unsigned int i)
{
    return OCFABRIC_VERSION;
}

static uint64_t ocf_features_read(OcfState *s, unsigned int i)
{
    return s->faults ? OCFABRIC_FEATURE_FAULTS : 0;
}

static uint64_t ocf_max_replicas_read(OcfState *s, unsigned int i)
{
    return s->replicas;
}

static uint64_t ocf_max_windows_read(OcfState *s, unsigned int i)
{
    return s->windows;
}

static uint64_t ocf_hbm_size_read(OcfState *s, unsigned int i)
{
    return s->hbm_size;
}

static uint64_t ocf_clock_mhz_read(OcfState *s, unsigned int i)
{
    return s->clock_mhz;
}

static uint64_t ocf_max_keys_read(OcfState *s, unsigned int i)
{
    return OCF_KEYS;
}

static uint64_t ocf_max_ranges_read(OcfState *s, unsigned int i)
{
    return OCF_RANGES;
}

static uint64_t ocf_max_key_ranges_read(OcfState *s, unsigned int i)
{
    return OCF_KEY_RANGES;
}

static uint64_t ocf_clock_read(OcfState *s, unsigned int i)
{
    return ocf_clock(s);
}

static uint64_t ocf_max_faults_read(OcfState *s, unsigned int i)
{
    return s->faults ? OCF_FAULT_SLOTS - 1 : 0;
}

static uint64_t ocf_control_read(OcfState *s, unsigned int i)
{
    return s->card.draining ? OCFABRIC_CONTROL_DRAIN : 0;
}

static void ocf_set_drain(OcfState *s, bool drain)
{
    if (drain == s->card.draining) {
        return;
    }
    trace_ocfabric_drain(drain);
    ocf_halt(s);
    if (drain) {
        ocf_card_drain(&s->card);
    } else {
        ocf_card_resume(&s->card);
    }
    ocf_go(s);
    if (!drain) {
        ocf_kick(s, UINT16_MAX);
    }
}

static void ocf_control_write(OcfState *s, unsigned int i, uint64_t value)
{
    if (value & OCFABRIC_CONTROL_RESET) {
        ocf_reset_card(s);
    } else {
        ocf_set_drain(s, value & OCFABRIC_CONTROL_DRAIN);
    }
}

static uint64_t ocf_status_read(OcfState *s, unsigned int i)
{
    uint32_t busy = 0;
    unsigned int link;
    bool drained;

    /* a connection that is loaded forgets that it has failed */
    ocf_tell(s);
    ocf_halt(s);
    drained = ocf_card_drained(&s->card);
    for (link = 0; link < OCF_REPLICAS; link++) {
        if (s->card.link[link].flight.stage != OCF_STAGE_IDLE) {
            busy |= 1u << link;
        }
    }
    ocf_go(s);
    return (drained ? OCFABRIC_STATUS_DRAINED : 0) |
           busy << OCFABRIC_STATUS_BUSY_SHIFT;
}

static uint64_t ocf_error_read(OcfState *s, unsigned int i)
{
    return s->error;
}

static void ocf_error_write(OcfState *s, unsigned int i, uint64_t value)
{
    s->error &= ~value;
}

static void ocf_snapshot_write(OcfState *s, unsigned int i, uint64_t value)
{
    ocf_snapshot(s, value);
}

static uint64_t ocf_snapshot_clock_read(OcfState *s, unsigned int i)
{
    return s->snapshot_clock;
}

static void ocf_counter_reset_write(OcfState *s, unsigned int i, uint64_t value)
{
    unsigned int link;

    if (value != 1) {
        return;
    }
    ocf_card_reset_counters(&s->card);
    for (link = 0; link < OCF_REPLICAS; link++) {
        s->card.link[link].nr_rejects = 0;
    }
}

static uint64_t ocf_generation_read(OcfState *s, unsigned int i)
{
    return s->card.generation;
}

static uint64_t ocf_broadcast_read(OcfState *s, unsigned int i)
{
    return s->broadcast;
}

static uint64_t ocf_event_base_read(OcfState *s, unsigned int i)
{
    return s->events.base;
}

static void ocf_event_base_write(OcfState *s, unsigned int i, uint64_t value)
{
    if (!ocf_events_set_base(&s->events, value)) {
        qemu_log_mask(LOG_GUEST_ERROR, "ocfabric: event ring at 0x%" PRIx64
                      ", not aligned to 64\n", value);
    }
}

static uint64_t ocf_event_shift_read(OcfState *s, unsigned int i)
{
    return s->events.shift;
}

static void ocf_event_shift_write(OcfState *s, unsigned int i, uint64_t value)
{
    if (!ocf_events_set_shift(&s->events, value)) {
        qemu_log_mask(LOG_GUEST_ERROR, "ocfabric: event ring of 2^%" PRIu64
                      " entries\n", value);
    }
}

static uint64_t ocf_event_producer_read(OcfState *s, unsigned int i)
{
    return s->events.producer;
}

static uint64_t ocf_event_consumer_read(OcfState *s, unsigned int i)
{
    return s->events.consumer;
}

static void ocf_event_consumer_write(OcfState *s, unsigned int i,
                                     uint64_t value)
{
    s->events.consumer = value;
}

static uint64_t ocf_event_lost_read(OcfState *s, unsigned int i)
{
    return s->events.lost;
}

static void ocf_cmd_write(OcfState *s, unsigned int i, uint64_t value)
{
    ocf_cmd(s, value);
}

static uint64_t ocf_cmd_status_read(OcfState *s, unsigned int i)
{
    return ocf_cmd_status(s);
}

static uint64_t ocf_cmd_arg_read(OcfState *s, unsigned int i)
{
    return s->cmd_arg[i];
}

static void ocf_cmd_arg_write(OcfState *s, unsigned int i, uint64_t value)
{
    s->cmd_arg[i] = value;
}

static const OcfReg ocf_control_regs[] = {
    { OCFABRIC_REG_MAGIC, 0, 1, 4, false, ocf_magic_read },
    { OCFABRIC_REG_VERSION, 0, 1, 4, false, ocf_version_read },
    { OCFABRIC_REG_FEATURES, 0, 1, 8, false, ocf_features_read },
    { OCFABRIC_REG_MAX_REPLICAS, 0, 1, 4, false, ocf_max_replicas_read },
    { OCFABRIC_REG_MAX_WINDOWS, 0, 1, 4, false, ocf_max_windows_read },
    { OCFABRIC_REG_HBM_SIZE, 0, 1, 8, false, ocf_hbm_size_read },
    { OCFABRIC_REG_CLOCK_MHZ, 0, 1, 4, false, ocf_clock_mhz_read },
    { OCFABRIC_REG_MAX_KEYS, 0, 1, 4, false, ocf_max_keys_read },
    { OCFABRIC_REG_MAX_RANGES, 0, 1, 4, false, ocf_max_ranges_read },
    { OCFABRIC_REG_MAX_KEY_RANGES, 0, 1, 4, false, ocf_max_key_ranges_read },
    { OCFABRIC_REG_CLOCK, 0, 1, 8, false, ocf_clock_read },
    { OCFABRIC_REG_MAX_FAULTS, 0, 1, 4, false, ocf_max_faults_read },
    { OCFABRIC_REG_CONTROL, 0, 1, 4, false, ocf_control_read,
      ocf_control_write },
    { OCFABRIC_REG_STATUS, 0, 1, 4, false, ocf_status_read },
    { OCFABRIC_REG_ERROR, 0, 1, 4, false, ocf_error_read, ocf_error_write },
    { OCFABRIC_REG_SNAPSHOT, 0, 1, 4, false, NULL, ocf_snapshot_write },
    { OCFABRIC_REG_SNAPSHOT_CLOCK, 0, 1, 8, false, ocf_snapshot_clock_read },
    { OCFABRIC_REG_COUNTER_RESET, 0, 1, 4, true, NULL,
      ocf_counter_reset_write },
    { OCFABRIC_REG_GENERATION, 0, 1, 4, false, ocf_generation_read },
    { OCFABRIC_REG_BROADCAST, 0, 1, 8, false, ocf_broadcast_read },
    { OCFABRIC_REG_EVENT_BASE, 0, 1, 8, false, ocf_event_base_read,
      ocf_event_base_write },
    { OCFABRIC_REG_EVENT_SHIFT, 0, 1, 4, false, ocf_event_shift_read,
      ocf_event_shift_write },
    { OCFABRIC_REG_EVENT_PRODUCER, 0, 1, 4, false, ocf_event_producer_read },
    { OCFABRIC_REG_EVENT_CONSUMER, 0, 1, 4, false, ocf_event_consumer_read,
      ocf_event_consumer_write },
    { OCFABRIC_REG_EVENT_LOST, 0, 1, 4, false, ocf_event_lost_read },
    { OCFABRIC_REG_CMD, 0, 1, 4, false, NULL, ocf_cmd_write },
    { OCFABRIC_REG_CMD_STATUS, 0, 1, 4, false, ocf_cmd_status_read },
    { OCFABRIC_REG_CMD_ARG(0), 8, 4, 8, false, ocf_cmd_arg_read,
      ocf_cmd_arg_write },
};

/* An access to (part of) a register. */
typedef struct OcfAccess {
    const OcfReg *reg;
    uint32_t addr;
    unsigned int index;
    unsigned int part;  /* byte offset in the register */
    unsigned int size;
} OcfAccess;

static const OcfReg *ocf_reg_in(const OcfReg *reg, size_t n, OcfAccess *a)
{
    for (; n; n--, reg++) {
        uint32_t off = a->addr - reg->base;

        a->index = reg->stride ? off / reg->stride : 0;
        a->part = off - a->index * reg->stride;
        if (a->addr >= reg->base && a->index < reg->count &&
            a->part + a->size <= reg->width) {
            return reg;
        }
    }
    return NULL;
}

static bool ocf_window_absent(OcfState *s, uint32_t addr)
{
    return addr >= OCFABRIC_REG_WINDOW(s->windows) &&
           addr < OCFABRIC_REG_WINDOW(OCFABRIC_WINDOWS_MAX);
}

/* False for accesses that do nothing. */
static bool ocf_reg_find(OcfState *s, hwaddr addr, unsigned int size,
                         OcfAccess *a)
{
    *a = (OcfAccess) { .addr = addr, .size = size };
    if (addr % size == 0 && (size == 4 || size == 8) &&
        !ocf_window_absent(s, addr)) {
        a->reg = ocf_reg_in(ocf_control_regs, ARRAY_SIZE(ocf_control_regs), a);
        if (!a->reg) {
            a->reg = ocf_reg_in(ocf_status_regs, ocf_nr_status_regs, a);
        }
        if (!a->reg) {
            a->reg = ocf_reg_in(ocf_config_regs, ocf_nr_config_regs, a);
        }
        if (!a->reg) {
            a->reg = ocf_reg_in(ocf_qp_regs, ocf_nr_qp_regs, a);
        }
        if (!a->reg) {
            a->reg = ocf_reg_in(ocf_watch_regs, ocf_nr_watch_regs, a);
        }
        /* an 8-byte register's halves are accessed, never two registers */
        if (a->reg && (size == a->reg->width || a->reg->width == 8)) {
            return true;
        }
    }
    qemu_log_mask(LOG_GUEST_ERROR, "ocfabric: no register at 0x%" HWADDR_PRIx
                  " of %u bytes\n", addr, size);
    return false;
}

static uint64_t ocf_reg_value(OcfState *s, const OcfAccess *a)
{
    uint64_t value = a->reg->read ? a->reg->read(s, a->index) : 0;

    if (unlikely(s->hostile.lies)) {
        value = ocf_hostile_read(s, a->addr - a->part, value);
        if (a->reg->width == 4) {
            value = (uint32_t)value;
        }
    }
    return value;
}

/* Half of an 8-byte register: the low one keeps the high one for later. */
static uint64_t ocf_read_half(OcfState *s, const OcfAccess *a)
{
    OcfHalf *h = &s->read_half;
    bool kept = h->valid && h->addr == a->addr;
    uint64_t value;

    h->valid = false;
    if (a->part && kept) {
        return h->value;
    }
    value = ocf_reg_value(s, a);
    if (a->part) {
        return value >> 32;
    }
    *h = (OcfHalf) { a->addr + 4, value >> 32, true };
    return (uint32_t)value;
}

static uint64_t ocf_regs_read(void *opaque, hwaddr addr, unsigned int size)
{
    OcfState *s = opaque;
    OcfAccess a;
    uint64_t value;

    if (ocf_is_own(s) || !ocf_reg_find(s, addr, size, &a)) {
        return 0;
    }
    if (size < a.reg->width) {
        value = ocf_read_half(s, &a);
    } else {
        value = ocf_reg_value(s, &a);
    }
    trace_ocfabric_read(addr, size, value);
    return value;
}

/* The value for the whole register, once its high half is written. */
static bool ocf_join_halves(OcfState *s, const OcfAccess *a, uint64_t *value)
{
    OcfHalf *h = &s->write_half;
    bool held = h->valid && h->addr == a->addr;

    h->valid = false;
    if (!a->part) {
        *h = (OcfHalf) { a->addr + 4, *value, true };
        return false;
    }
    *value = *value << 32 | (held ? h->value : a->reg->read ?
                             (uint32_t)a->reg->read(s, a->index) : 0);
    return true;
}

static void ocf_write_config(OcfState *s, const OcfAccess *a, uint64_t value)
{
    bool drained;

    /* a connection that is loaded forgets that it has failed */
    ocf_tell(s);
    ocf_halt(s);
    drained = ocf_card_drained(&s->card);
    if (drained && (a->size == a->reg->width ||
                    ocf_join_halves(s, a, &value))) {
        /* counters are no configuration: no new generation for them */
        if (a->reg->read) {
            ocf_card_configure(&s->card);
        }
        a->reg->write(s, a->index, value);
    }
    ocf_go(s);
    if (!drained) {
        ocf_error(s, OCFABRIC_ERROR_NOT_DRAINED);
    }
}

static void ocf_regs_write(void *opaque, hwaddr addr, uint64_t value,
                           unsigned int size)
{
    OcfState *s = opaque;
    OcfAccess a;

    if (ocf_is_own(s) || !ocf_reg_find(s, addr, size, &a)) {
        return;
    }
    trace_ocfabric_write(addr, size, value);
    if (!a.reg->write) {
        qemu_log_mask(LOG_GUEST_ERROR, "ocfabric: write to the read-only 0x%"
                      HWADDR_PRIx "\n", addr);
    } else if (a.reg->drained) {
        ocf_write_config(s, &a, value);
    } else if (size == a.reg->width || ocf_join_halves(s, &a, &value)) {
        a.reg->write(s, a.index, value);
    }
}

/* Odd accesses come here too, to be logged and ignored. */
const MemoryRegionOps ocf_regs_ops = {
    .read = ocf_regs_read,
    .write = ocf_regs_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};
