/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lies, one a row; docs/hardware.md has each with a sentence. Their order
 * is that in which several change one value.
 */
#include "qemu/osdep.h"

#include "ocfabric_hostile.h"

/* ---- registers ---- */

static uint64_t ocf_lie_constant(OcfState *s, const OcfLie *lie, uint64_t value)
{
    return lie->value;
}

static uint64_t ocf_lie_more(OcfState *s, const OcfLie *lie, uint64_t value)
{
    return value + lie->value;
}

static uint64_t ocf_lie_bits(OcfState *s, const OcfLie *lie, uint64_t value)
{
    return value | lie->value;
}

static uint64_t ocf_lie_any(OcfState *s, const OcfLie *lie, uint64_t value)
{
    return ocf_lie_number(s);
}

/* One half of the time: what is compared is true now and then. */
static uint64_t ocf_lie_maybe(OcfState *s, const OcfLie *lie, uint64_t value)
{
    uint64_t n = ocf_lie_number(s);

    return n >> 1 & 1 ? n : value;
}

static uint64_t ocf_lie_result(OcfState *s, const OcfLie *lie, uint64_t value)
{
    uint64_t result = ocf_lie_number(s) & OCFABRIC_HW_CMD_RESULT_MASK;

    return OCFABRIC_HW_CMD_DONE | result << OCFABRIC_HW_CMD_RESULT_SHIFT;
}

/* ---- completions ---- */

static void ocf_lie_cqe_tag(OcfState *s, unsigned int queue,
                            struct ocfabric_cqe *e)
{
    e->flags ^= 1 + ocf_lie_number(s) % OCFABRIC_CQE_TAG_MASK;
}

static void ocf_lie_cqe_index(OcfState *s, unsigned int queue,
                              struct ocfabric_cqe *e)
{
    e->index = cpu_to_le16(ocf_lie_number(s));
}

static void ocf_lie_cqe_again(OcfState *s, unsigned int queue,
                              struct ocfabric_cqe *e)
{
    uint16_t last = s->hostile.last[queue];

    s->hostile.last[queue] = le16_to_cpu(e->index);
    e->index = cpu_to_le16(last);
}

static void ocf_lie_cqe_length(OcfState *s, unsigned int queue,
                               struct ocfabric_cqe *e)
{
    e->bytes = cpu_to_le32(ocf_lie_number(s) | 1u << 27);
}

/* All but the tag, which is what makes it one. */
static void ocf_lie_cqe_fields(OcfState *s, unsigned int queue,
                               struct ocfabric_cqe *e)
{
    uint8_t tag = e->flags & OCFABRIC_CQE_TAG_MASK;
    uint64_t word[sizeof(*e) / 8];
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(word); i++) {
        word[i] = ocf_lie_number(s);
    }
    memcpy(e, word, sizeof(*e));
    e->flags = (e->flags & ~OCFABRIC_CQE_TAG_MASK) | tag;
}

/* Completions of nothing, all around the ring; with the queue's lock. */
static void ocf_lie_flood(OcfState *s, const struct ocf_inbox *b,
                          uint32_t produced)
{
    uint32_t i, n = MIN(ocf_ring_entries(&b->cq), 64);

    for (i = 0; i < n; i++) {
        struct ocf_place at = ocf_ring_place(&b->cq, produced + i);
        struct ocfabric_cqe e = { 0 };

        ocf_lie_cqe_fields(s, b->id, &e);
        e.flags &= ~OCFABRIC_CQE_TAG_MASK;
        e.flags |= ocf_ring_tag(&b->cq, produced + i);
        s->host.write(s, b->cq.chunk[at.chunk] + at.offset, &e, sizeof(e));
    }
}

static void ocf_lie_cqe_flood(OcfState *s)
{
    unsigned int i;

    for (i = 0; i < OCF_REPLICAS; i++) {
        struct ocf_inbox *b = &s->inbox[i];
        uint32_t produced;
        bool open;

        /* disabling the queue takes its lock, so that the rings stay */
        ocf_lock(&s->queue[i]);
        ocf_inbox_lock(b);
        open = b->open;
        produced = b->produced;
        ocf_inbox_unlock(b);
        if (open) {
            ocf_lie_flood(s, b, produced);
        }
        ocf_unlock(&s->queue[i]);
    }
}

static void ocf_lie_mirror(OcfState *s)
{
    unsigned int i, k;

    for (i = 0; i < OCF_REPLICAS; i++) {
        const struct ocf_inbox *b = &s->inbox[i];
        uint32_t value[OCF_SEMS];

        for (k = 0; k < OCF_SEMS; k++) {
            value[k] = ocf_lie_number(s);
        }
        ocf_lock(&s->queue[i]);
        if (b->open && b->mirror) {
            s->host.write(s, b->mirror, value, sizeof(value));
        }
        ocf_unlock(&s->queue[i]);
    }
}

static void ocf_lie_hbm(OcfState *s)
{
    uint64_t addr = ocf_lie_number(s) & (s->hbm_size - 1);
    uint8_t byte = ocf_lie_number(s);

    s->card.hbm[addr] = byte;
    s->card.hooks.wrote(s, addr, 1);
}

/* ---- events and interrupts ---- */

static struct ocfabric_event ocf_lie_event(OcfState *s)
{
    uint64_t what = ocf_lie_number(s);

    return (struct ocfabric_event) {
        /* of six, five are known */
        .type = what & 7 ? (what >> 3) % 6 : what >> 3,
        .link = what >> 16 & 1 ? what >> 8 & 0xf : what >> 17,
        .cause = what >> 25,
        .a = cpu_to_le32(ocf_lie_number(s)),
        .b = cpu_to_le32(ocf_lie_number(s)),
    };
}

static void ocf_lie_event_fields(OcfState *s, struct ocfabric_event *ev)
{
    *ev = ocf_lie_event(s);
}

static void ocf_lie_event_storm(OcfState *s)
{
    unsigned int i;

    for (i = 0; i < 32; i++) {
        ocf_event(s, ocf_lie_event(s));
    }
}

/* The whole ring, whatever was taken of it, with tags of any lap. */
static void ocf_lie_event_ahead(OcfState *s)
{
    uint32_t i, n = s->events.shift ? 1u << s->events.shift : 0;

    for (i = 0; i < n; i++) {
        struct ocfabric_event ev = ocf_lie_event(s);

        ev.tag = ocf_lie_number(s);
        s->host.write(s, s->events.base + i * sizeof(ev), &ev, sizeof(ev));
    }
    ocf_interrupt(s, OCFABRIC_VECTOR_EVENTS);
}

static void ocf_lie_irq_storm(OcfState *s)
{
    unsigned int i;

    for (i = 0; i < OCFABRIC_VECTORS; i++) {
        ocf_interrupt(s, i);
    }
}

static void ocf_lie_irq_nothing(OcfState *s)
{
    ocf_interrupt(s, ocf_lie_number(s) % OCFABRIC_VECTORS);
}

/* ---- the table ---- */

#define ALL 0, UINT32_MAX
#define AT(reg) (reg), (reg)
#define IN(first, last) (first), (last)

const OcfLie ocf_lies[] = {
    /* who it is */
    { "magic", AT(OCFABRIC_REG_MAGIC), ocf_lie_more, 1 },
    { "major", AT(OCFABRIC_REG_VERSION), ocf_lie_more, 1 << 16 },
    { "minor", AT(OCFABRIC_REG_VERSION), ocf_lie_bits, 0xffff },
    { "features", AT(OCFABRIC_REG_FEATURES), ocf_lie_bits, UINT64_MAX },
    { "ones", ALL, ocf_lie_constant, UINT64_MAX },
    { "zeros", ALL, ocf_lie_constant, 0 },
    /* what it has */
    { "replicas-0", AT(OCFABRIC_REG_MAX_REPLICAS), ocf_lie_constant, 0 },
    { "replicas-17", AT(OCFABRIC_REG_MAX_REPLICAS), ocf_lie_constant, 17 },
    { "replicas-max", AT(OCFABRIC_REG_MAX_REPLICAS), ocf_lie_constant,
      UINT32_MAX },
    { "windows-0", AT(OCFABRIC_REG_MAX_WINDOWS), ocf_lie_constant, 0 },
    { "windows-max", AT(OCFABRIC_REG_MAX_WINDOWS), ocf_lie_constant,
      UINT32_MAX },
    { "hbm-0", AT(OCFABRIC_REG_HBM_SIZE), ocf_lie_constant, 0 },
    { "hbm-odd", AT(OCFABRIC_REG_HBM_SIZE), ocf_lie_more, UINT64_MAX },
    { "hbm-big", AT(OCFABRIC_REG_HBM_SIZE), ocf_lie_constant, 1ull << 63 },
    { "clock-0", AT(OCFABRIC_REG_CLOCK_MHZ), ocf_lie_constant, 0 },
    { "clock-max", AT(OCFABRIC_REG_CLOCK_MHZ), ocf_lie_constant, UINT32_MAX },
    { "keys-0", AT(OCFABRIC_REG_MAX_KEYS), ocf_lie_constant, 0 },
    { "keys-max", AT(OCFABRIC_REG_MAX_KEYS), ocf_lie_constant, UINT32_MAX },
    { "ranges-0", AT(OCFABRIC_REG_MAX_RANGES), ocf_lie_constant, 0 },
    { "ranges-max", AT(OCFABRIC_REG_MAX_RANGES), ocf_lie_constant, UINT32_MAX },
    { "key-ranges-0", AT(OCFABRIC_REG_MAX_KEY_RANGES), ocf_lie_constant, 0 },
    { "key-ranges-max", AT(OCFABRIC_REG_MAX_KEY_RANGES), ocf_lie_constant,
      UINT32_MAX },
    { "faults-max", AT(OCFABRIC_REG_MAX_FAULTS), ocf_lie_constant, UINT32_MAX },
    /* how it is */
    { "status-ones", AT(OCFABRIC_REG_STATUS), ocf_lie_constant, UINT64_MAX },
    { "busy", AT(OCFABRIC_REG_STATUS), ocf_lie_constant,
      0xffffull << OCFABRIC_STATUS_BUSY_SHIFT },
    { "error", AT(OCFABRIC_REG_ERROR), ocf_lie_any },
    { "stage", IN(OCFABRIC_REG_LINK_STATE(0), OCFABRIC_REG_LINK_STATE(15)),
      ocf_lie_any },
    { "clock", AT(OCFABRIC_REG_CLOCK), ocf_lie_any },
    { "generation", AT(OCFABRIC_REG_GENERATION), ocf_lie_any },
    { "limits", IN(OCFABRIC_REG_STALL_LIMIT, OCFABRIC_REG_STORM_LIMIT),
      ocf_lie_any },
    { "queues", IN(OCFABRIC_REG_QUEUE(0), OCFABRIC_REG_QUEUE(16) - 1),
      ocf_lie_maybe },
    { "semaphores", IN(OCFABRIC_REG_SEMAPHORE(0, 0),
                       OCFABRIC_REG_SEMAPHORE(16, 0) - 1), ocf_lie_any },
    { "counters", IN(OCFABRIC_REG_COUNTER(0, 0),
                     OCFABRIC_REG_COUNTER(16, 0) - 1), ocf_lie_any },
    { "rejects", IN(OCFABRIC_REG_REJECT(0, 0), OCFABRIC_REG_REJECT(16, 0) - 1),
      ocf_lie_any },
    { "paths", IN(OCFABRIC_REG_PATH(0, 0), OCFABRIC_REG_PATH(16, 0) - 1),
      ocf_lie_any },
    { "broadcast", AT(OCFABRIC_REG_BROADCAST), ocf_lie_maybe },
    /* commands */
    { "cmd-never", AT(OCFABRIC_REG_CMD_STATUS), ocf_lie_constant,
      OCFABRIC_HW_CMD_BUSY },
    { "cmd-idle", AT(OCFABRIC_REG_CMD_STATUS), ocf_lie_constant, 0 },
    { "cmd-ones", AT(OCFABRIC_REG_CMD_STATUS), ocf_lie_constant, UINT64_MAX },
    { "cmd-result", AT(OCFABRIC_REG_CMD_STATUS), ocf_lie_result },
    { "qp-never", AT(OCFABRIC_REG_QP(OCFABRIC_QUERY_QP_STATUS)),
      ocf_lie_constant, OCFABRIC_QP_BUSY },
    { "qp-block", IN(OCFABRIC_REG_QP(OCFABRIC_MOD_QP_CMD),
                     OCFABRIC_REG_QP(OCFABRIC_QP_MOVES)), ocf_lie_maybe },
    { "qp-contexts", IN(OCFABRIC_REG_QPC(0, 0), OCFABRIC_REG_QPC(16, 0) - 1),
      ocf_lie_any },
    /* completions, and what else it stores */
    { "cqe-tag", .forge = ocf_lie_cqe_tag },
    { "cqe-index", .forge = ocf_lie_cqe_index },
    { "cqe-again", .forge = ocf_lie_cqe_again },
    { "cqe-length", .forge = ocf_lie_cqe_length },
    { "cqe-fields", .forge = ocf_lie_cqe_fields },
    { "cqe-flood", .tick = ocf_lie_cqe_flood },
    { "mirror", .tick = ocf_lie_mirror },
    { "hbm", .tick = ocf_lie_hbm },
    /* events and interrupts */
    { "lost", AT(OCFABRIC_REG_EVENT_LOST), ocf_lie_any },
    { "event-fields", .event = ocf_lie_event_fields },
    { "event-storm", .tick = ocf_lie_event_storm },
    { "event-ahead", .tick = ocf_lie_event_ahead },
    { "irq-storm", .tick = ocf_lie_irq_storm },
    { "irq-nothing", .tick = ocf_lie_irq_nothing },
    { "irq-none", .silent = true },
};

const unsigned int ocf_nr_lies = ARRAY_SIZE(ocf_lies);

QEMU_BUILD_BUG_ON(ARRAY_SIZE(ocf_lies) > 64);
