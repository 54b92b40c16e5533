/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BAR 0: configuration. The dispatcher has made sure that the card is drained
 * and halted when one of these is written.
 */
#include "qemu/osdep.h"

#include "ocfabric_regs.h"

static uint64_t ocf_n_read(OcfState *s, unsigned int i)
{
    return s->card.config.n;
}

static void ocf_n_write(OcfState *s, unsigned int i, uint64_t value)
{
    s->card.config.n = value;
}

static uint64_t ocf_flags_read(OcfState *s, unsigned int i)
{
    return s->card.config.upstream_qpns ? OCFABRIC_CFG_UPSTREAM_QPNS : 0;
}

static void ocf_flags_write(OcfState *s, unsigned int i, uint64_t value)
{
    s->card.config.upstream_qpns = value & OCFABRIC_CFG_UPSTREAM_QPNS;
}

static uint64_t ocf_latency_read(OcfState *s, unsigned int i)
{
    return s->card.config.latency;
}

static void ocf_latency_write(OcfState *s, unsigned int i, uint64_t value)
{
    s->card.config.latency = value;
}

static uint64_t ocf_base_read(OcfState *s, unsigned int i)
{
    return s->card.config.region[i].base;
}

static void ocf_base_write(OcfState *s, unsigned int i, uint64_t value)
{
    s->card.config.region[i].base = value;
}

static uint64_t ocf_size_read(OcfState *s, unsigned int i)
{
    return s->card.config.region[i].size;
}

static void ocf_size_write(OcfState *s, unsigned int i, uint64_t value)
{
    s->card.config.region[i].size = value;
}

static uint64_t ocf_conn_read(OcfState *s, unsigned int i)
{
    uint8_t peer = s->card.config.conn[i / OCF_QPNS][i % OCF_QPNS];

    return peer == OCF_NO_PEER ? 0 : OCFABRIC_CONN_VALID | peer;
}

static void ocf_conn_write(OcfState *s, unsigned int i, uint64_t value)
{
    s->card.config.conn[i / OCF_QPNS][i % OCF_QPNS] =
        value & OCFABRIC_CONN_VALID ? value & OCFABRIC_CONN_PEER_MASK :
                                      OCF_NO_PEER;
    ocf_qp_load(&s->card, i / OCF_QPNS, i % OCF_QPNS);
}

static uint64_t ocf_route_read(OcfState *s, unsigned int i)
{
    const struct ocf_window *w = &s->card.config.windows[i];

    return (w->valid ? OCFABRIC_WINDOW_VALID : 0) |
           w->dst << OCFABRIC_WINDOW_DST_SHIFT | w->src;
}

static void ocf_route_write(OcfState *s, unsigned int i, uint64_t value)
{
    struct ocf_window *w = &s->card.config.windows[i];

    w->valid = value & OCFABRIC_WINDOW_VALID;
    w->dst = value >> OCFABRIC_WINDOW_DST_SHIFT & OCFABRIC_WINDOW_ID_MASK;
    w->src = value & OCFABRIC_WINDOW_ID_MASK;
}

static uint64_t ocf_semaphores_read(OcfState *s, unsigned int i)
{
    const struct ocf_window *w = &s->card.config.windows[i];

    return w->sem_first | w->sem_count << OCFABRIC_WINDOW_SEM_COUNT_SHIFT;
}

static void ocf_semaphores_write(OcfState *s, unsigned int i, uint64_t value)
{
    struct ocf_window *w = &s->card.config.windows[i];

    w->sem_first = value & OCFABRIC_WINDOW_SEM_MASK;
    w->sem_count = value >> OCFABRIC_WINDOW_SEM_COUNT_SHIFT &
                   OCFABRIC_WINDOW_SEM_MASK;
}

static uint64_t ocf_offset_read(OcfState *s, unsigned int i)
{
    return s->card.config.windows[i].offset;
}

static void ocf_offset_write(OcfState *s, unsigned int i, uint64_t value)
{
    s->card.config.windows[i].offset = value;
}

static uint64_t ocf_length_read(OcfState *s, unsigned int i)
{
    return s->card.config.windows[i].length;
}

static void ocf_length_write(OcfState *s, unsigned int i, uint64_t value)
{
    s->card.config.windows[i].length = value;
}

const OcfReg ocf_config_regs[] = {
    { OCFABRIC_REG_CFG_N, 0, 1, 4, true, ocf_n_read, ocf_n_write },
    { OCFABRIC_REG_CFG_FLAGS, 0, 1, 4, true, ocf_flags_read, ocf_flags_write },
    { OCFABRIC_REG_CFG_LATENCY, 0, 1, 4, true, ocf_latency_read,
      ocf_latency_write },
    { OCFABRIC_REG_REGION_BASE(0), 0x10, OCF_REPLICAS, 8, true, ocf_base_read,
      ocf_base_write },
    { OCFABRIC_REG_REGION_SIZE(0), 0x10, OCF_REPLICAS, 8, true, ocf_size_read,
      ocf_size_write },
    { OCFABRIC_REG_CONN(0, 0), 4, OCF_REPLICAS * OCF_QPNS, 4, true,
      ocf_conn_read, ocf_conn_write },
    /* the table of windows is cut at the card's number of them */
    { OCFABRIC_REG_WINDOW(0) + OCFABRIC_WINDOW_ROUTE, 0x20,
      OCFABRIC_WINDOWS_MAX, 4, true, ocf_route_read, ocf_route_write },
    { OCFABRIC_REG_WINDOW(0) + OCFABRIC_WINDOW_SEMAPHORES, 0x20,
      OCFABRIC_WINDOWS_MAX, 4, true, ocf_semaphores_read,
      ocf_semaphores_write },
    { OCFABRIC_REG_WINDOW(0) + OCFABRIC_WINDOW_OFFSET, 0x20,
      OCFABRIC_WINDOWS_MAX, 8, true, ocf_offset_read, ocf_offset_write },
    { OCFABRIC_REG_WINDOW(0) + OCFABRIC_WINDOW_LENGTH, 0x20,
      OCFABRIC_WINDOWS_MAX, 8, true, ocf_length_read, ocf_length_write },
};

const size_t ocf_nr_config_regs = ARRAY_SIZE(ocf_config_regs);
