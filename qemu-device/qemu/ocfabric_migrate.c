/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saving and loading, in the middle of traffic too: queues stand still between
 * two steps while the VM is stopped. What is loaded may come from anywhere, so
 * it is checked before anything goes on with it.
 */
#include "qemu/osdep.h"
#include "hw/pci/msix.h"
#include "hw/pci/pcie.h"
#include "hw/pci/pcie_aer.h"
#include "migration/vmstate.h"
#include "qapi/error.h"

#include "ocfabric.h"

static const VMStateDescription ocf_vmstate_region = {
    .name = "ocfabric/region",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(base, struct ocf_region),
        VMSTATE_UINT64(size, struct ocf_region),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription ocf_vmstate_window = {
    .name = "ocfabric/window",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(offset, struct ocf_window),
        VMSTATE_UINT64(length, struct ocf_window),
        VMSTATE_UINT8(src, struct ocf_window),
        VMSTATE_UINT8(dst, struct ocf_window),
        VMSTATE_UINT8(sem_first, struct ocf_window),
        VMSTATE_UINT8(sem_count, struct ocf_window),
        VMSTATE_BOOL(valid, struct ocf_window),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription ocf_vmstate_fault = {
    .name = "ocfabric/fault",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(line, struct ocf_fault),
        VMSTATE_UINT32(delay, struct ocf_fault),
        VMSTATE_UINT8(resp, struct ocf_fault),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription ocf_vmstate_flight = {
    .name = "ocfabric/flight",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(raddr, struct ocf_flight),
        VMSTATE_UINT64(addr, struct ocf_flight),
        VMSTATE_UINT64(go_at, struct ocf_flight),
        VMSTATE_UINT64(since, struct ocf_flight),
        VMSTATE_UINT32(qpn, struct ocf_flight),
        VMSTATE_UINT32(len, struct ocf_flight),
        VMSTATE_UINT32(beats, struct ocf_flight),
        VMSTATE_UINT32(bytes, struct ocf_flight),
        VMSTATE_UINT32(taken, struct ocf_flight),
        VMSTATE_UINT32(lines, struct ocf_flight),
        VMSTATE_UINT32(oversize, struct ocf_flight),
        VMSTATE_UINT32(psn, struct ocf_flight),
        VMSTATE_UINT16(sem, struct ocf_flight),
        VMSTATE_UINT8(stage, struct ocf_flight),
        VMSTATE_UINT8(kind, struct ocf_flight),
        VMSTATE_UINT8(peer, struct ocf_flight),
        VMSTATE_UINT8(misrouted, struct ocf_flight),
        VMSTATE_UINT8(is_short, struct ocf_flight),
        VMSTATE_UINT8(failed, struct ocf_flight),
        VMSTATE_UINT8(stalled, struct ocf_flight),
        VMSTATE_BUFFER(tail, struct ocf_flight),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription ocf_vmstate_reject = {
    .name = "ocfabric/reject",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(raddr, struct ocf_reject),
        VMSTATE_UINT64(cycle, struct ocf_reject),
        VMSTATE_UINT32(qpn, struct ocf_reject),
        VMSTATE_UINT32(len, struct ocf_reject),
        VMSTATE_UINT32(beats, struct ocf_reject),
        VMSTATE_UINT32(generation, struct ocf_reject),
        VMSTATE_UINT16(sem, struct ocf_reject),
        VMSTATE_UINT8(opcode, struct ocf_reject),
        VMSTATE_UINT8(flags, struct ocf_reject),
        VMSTATE_UINT8(verdict, struct ocf_reject),
        VMSTATE_UINT8(peer, struct ocf_reject),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription ocf_vmstate_qp = {
    .name = "ocfabric/qp",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(send_psn, struct ocf_qp),
        VMSTATE_UINT32(expected_psn, struct ocf_qp),
        VMSTATE_UINT32(moves, struct ocf_qp),
        VMSTATE_UINT16(window, struct ocf_qp),
        VMSTATE_UINT8(state, struct ocf_qp),
        VMSTATE_UINT8(cause, struct ocf_qp),
        VMSTATE_UINT8(peer, struct ocf_qp),
        VMSTATE_UINT8(mtu_shift, struct ocf_qp),
        VMSTATE_UINT8(retry_limit, struct ocf_qp),
        VMSTATE_UINT8(rnr_limit, struct ocf_qp),
        VMSTATE_UINT8(timeout, struct ocf_qp),
        VMSTATE_UINT8(rnr_timer, struct ocf_qp),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription ocf_vmstate_path = {
    .name = "ocfabric/path",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64_ARRAY(in, struct ocf_path_counts, OCF_NR_PATHS),
        VMSTATE_UINT64_ARRAY(out, struct ocf_path_counts, OCF_NR_PATHS),
        VMSTATE_UINT64_ARRAY(ended, struct ocf_path_counts, OCF_NR_PATHS),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription ocf_vmstate_where = {
    .name = "ocfabric/where",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT8(at, struct ocf_where),
        VMSTATE_UINT8(waits_for, struct ocf_where),
        VMSTATE_UINT64(since, struct ocf_where),
        VMSTATE_UINT64(due, struct ocf_where),
        VMSTATE_END_OF_LIST()
    },
};

/* Without qp_stopped, which ocf_queues_valid() makes. */
static const VMStateDescription ocf_vmstate_link = {
    .name = "ocfabric/link",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(flight, struct ocf_link, 1, ocf_vmstate_flight,
                       struct ocf_flight),
        VMSTATE_UINT64_ARRAY(counters.c, struct ocf_link, OCF_NR_COUNTERS),
        VMSTATE_UINT64_ARRAY(qp_failed, struct ocf_link, OCF_QPNS / 64),
        VMSTATE_STRUCT(path, struct ocf_link, 1, ocf_vmstate_path,
                       struct ocf_path_counts),
        VMSTATE_UINT32(untold.n, struct ocf_link),
        VMSTATE_UINT32(untold.qpn, struct ocf_link),
        VMSTATE_UINT8(untold.verdict, struct ocf_link),
        VMSTATE_UINT64(nr_rejects, struct ocf_link),
        VMSTATE_STRUCT_ARRAY(reject, struct ocf_link, OCF_REJECTS, 1,
                             ocf_vmstate_reject, struct ocf_reject),
        VMSTATE_STRUCT_ARRAY(qp, struct ocf_link, OCF_QPNS, 1,
                             ocf_vmstate_qp, struct ocf_qp),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription ocf_vmstate_counters = {
    .name = "ocfabric/counters",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64_ARRAY(c, struct ocf_counters, OCF_NR_COUNTERS),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription ocf_vmstate_ring = {
    .name = "ocfabric/ring",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64_ARRAY(chunk, struct ocf_ring, OCFABRIC_TX_CHUNKS_MAX),
        VMSTATE_UINT8(shift, struct ocf_ring),
        VMSTATE_UINT8(entry_shift, struct ocf_ring),
        VMSTATE_UINT8(chunk_shift, struct ocf_ring),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription ocf_vmstate_range = {
    .name = "ocfabric/range",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(addr, struct ocf_range),
        VMSTATE_UINT64(end, struct ocf_range),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription ocf_vmstate_key = {
    .name = "ocfabric/key",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(start, struct ocf_key),
        VMSTATE_UINT64(size, struct ocf_key),
        VMSTATE_UINT32(key, struct ocf_key),
        VMSTATE_UINT16(first, struct ocf_key),
        VMSTATE_UINT16(count, struct ocf_key),
        VMSTATE_END_OF_LIST()
    },
};

/* There is no room for more; asked before they are loaded. */
static bool ocf_ranges_fit(void *opaque, int version_id)
{
    OcfQueue *oq = opaque;

    return oq->q.keys.nr_ranges <= OCF_RANGES;
}

static const VMStateDescription ocf_vmstate_queue = {
    .name = "ocfabric/queue",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT8(q.state, OcfQueue),
        VMSTATE_UINT8(q.cause, OcfQueue),
        VMSTATE_BOOL(q.busy, OcfQueue),
        VMSTATE_BOOL(q.parked, OcfQueue),
        VMSTATE_UINT32(q.head, OcfQueue),
        VMSTATE_UINT32(q.tail, OcfQueue),
        VMSTATE_UINT32(q.batch, OcfQueue),
        VMSTATE_UINT32(q.wrote, OcfQueue),
        VMSTATE_UINT32(q.expected, OcfQueue),
        VMSTATE_UINT64_ARRAY(q.flush, OcfQueue, OCF_QPNS / 64),
        VMSTATE_UINT32_ARRAY(q.flush_to, OcfQueue, OCF_QPNS),
        VMSTATE_UINT32(q.epoch, OcfQueue),
        VMSTATE_BUFFER_UNSAFE(q.desc, OcfQueue, 1,
                              sizeof(struct ocfabric_desc)),
        VMSTATE_STRUCT(q.tx, OcfQueue, 1, ocf_vmstate_ring, struct ocf_ring),
        VMSTATE_STRUCT_ARRAY(q.keys.key, OcfQueue, OCF_KEYS, 1,
                             ocf_vmstate_key, struct ocf_key),
        VMSTATE_UINT32(q.keys.nr_ranges, OcfQueue),
        VMSTATE_VALIDATE("ranges fit", ocf_ranges_fit),
        VMSTATE_STRUCT_VARRAY_POINTER_UINT32(q.keys.range, OcfQueue,
                                             q.keys.nr_ranges,
                                             ocf_vmstate_range,
                                             struct ocf_range),
        VMSTATE_UINT64(pending, OcfQueue),
        VMSTATE_UINT64(quiet, OcfQueue),
        VMSTATE_UINT32(weight, OcfQueue),
        VMSTATE_END_OF_LIST()
    },
};

/* Without what ocf_queues_valid() makes. */
static const VMStateDescription ocf_vmstate_inbox = {
    .name = "ocfabric/inbox",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT8(cause, struct ocf_inbox),
        VMSTATE_UINT32(wrote, struct ocf_inbox),
        VMSTATE_UINT32(expected, struct ocf_inbox),
        VMSTATE_UINT32(epoch, struct ocf_inbox),
        VMSTATE_UINT32(produced, struct ocf_inbox),
        VMSTATE_UINT32(consumed, struct ocf_inbox),
        VMSTATE_UINT32(announced, struct ocf_inbox),
        VMSTATE_UINT32(interrupts, struct ocf_inbox),
        VMSTATE_UINT32(rx_head, struct ocf_inbox),
        VMSTATE_UINT32(rx_tail, struct ocf_inbox),
        VMSTATE_UINT32(rx_batch, struct ocf_inbox),
        VMSTATE_UINT64(rx_pending, struct ocf_inbox),
        VMSTATE_UINT32_ARRAY(sem, struct ocf_inbox, OCF_SEMS),
        VMSTATE_UINT32(moderation.burst, struct ocf_inbox),
        VMSTATE_UINT32(moderation.timer, struct ocf_inbox),
        VMSTATE_BOOL(moderation.count, struct ocf_inbox),
        VMSTATE_BOOL(moderation.told, struct ocf_inbox),
        VMSTATE_UINT32(moderation.untold, struct ocf_inbox),
        VMSTATE_UINT64(moderation.first, struct ocf_inbox),
        VMSTATE_UINT64(moderation.last, struct ocf_inbox),
        VMSTATE_UINT64(moderation.ms, struct ocf_inbox),
        VMSTATE_UINT32(moderation.in_ms, struct ocf_inbox),
        VMSTATE_BOOL(moderation.put_off, struct ocf_inbox),
        VMSTATE_UINT32(moderation.delayed, struct ocf_inbox),
        VMSTATE_UINT64(owner, struct ocf_inbox),
        VMSTATE_UINT64(mirror, struct ocf_inbox),
        VMSTATE_STRUCT(cq, struct ocf_inbox, 1, ocf_vmstate_ring,
                       struct ocf_ring),
        VMSTATE_STRUCT(rx, struct ocf_inbox, 1, ocf_vmstate_ring,
                       struct ocf_ring),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription ocf_vmstate_qp_block = {
    .name = "ocfabric/qp_block",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(dst, OcfQpBlock),
        VMSTATE_UINT32(status, OcfQpBlock),
        VMSTATE_UINT32(busy_dst, OcfQpBlock),
        VMSTATE_UINT32_ARRAY(reg, OcfQpBlock, OCF_QP_REGS),
        VMSTATE_END_OF_LIST()
    },
};

static const VMStateDescription ocf_vmstate_half = {
    .name = "ocfabric/half",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(addr, OcfHalf),
        VMSTATE_UINT32(value, OcfHalf),
        VMSTATE_BOOL(valid, OcfHalf),
        VMSTATE_END_OF_LIST()
    },
};

/* ---- what was loaded: whether it can be, and what of it cannot ---------- */

static bool ocf_config_loaded(const struct ocf_config *cfg, Error **errp)
{
    const uint8_t *peer = cfg->conn[0];
    const struct ocf_window *w;
    size_t i;

    for (i = 0; i < sizeof(cfg->conn); i++) {
        if (peer[i] >= OCF_REPLICAS && peer[i] != OCF_NO_PEER) {
            error_setg(errp, "link %zu QPN %zu goes to replica %u, expected "
                       "below %u, or %u for none", i / OCF_QPNS, i % OCF_QPNS,
                       peer[i], OCF_REPLICAS, OCF_NO_PEER);
            return false;
        }
    }
    for (i = 0; i < cfg->max_windows; i++) {
        w = &cfg->windows[i];
        if (w->src >= OCF_REPLICAS || w->dst >= OCF_REPLICAS) {
            error_setg(errp, "window %zu is of replica %u in that of %u, "
                       "expected both below %u", i, w->src, w->dst,
                       OCF_REPLICAS);
            return false;
        }
    }
    return true;
}

static bool ocf_rejects_loaded(const struct ocf_link *l, unsigned int link,
                               Error **errp)
{
    unsigned int i;

    for (i = 0; i <= OCF_REJECTS; i++) {
        uint8_t verdict = i < OCF_REJECTS ? l->reject[i].verdict
                                          : l->untold.verdict;

        if (verdict >= OCF_NR_COUNTERS) {
            error_setg(errp, "link %u: a write was rejected with verdict %u, "
                       "expected below %u", link, verdict, OCF_NR_COUNTERS);
            return false;
        }
    }
    return true;
}

/* The table is made anew, so that look-ups in it end. */
static bool ocf_faults_loaded(struct ocf_faults *faults, Error **errp)
{
    g_autofree struct ocf_fault *f = g_memdup2(faults->slot,
                                               faults->max * sizeof(*f));
    unsigned int i;

    ocf_fault_clear_all(faults);
    memset(faults->slot, 0, faults->max * sizeof(*f));
    faults->count = 0;
    for (i = 0; i < faults->max; i++) {
        if (f[i].resp == OCF_OKAY && !f[i].delay) {
            continue;
        }
        if (f[i].resp > OCF_DECERR ||
            !ocf_fault_set_resp(faults, f[i].line, f[i].resp) ||
            !ocf_fault_set_delay(faults, f[i].line, f[i].delay)) {
            error_setg(errp, "a fault at line 0x%" PRIx64 " with response %u "
                       "and delay %u, expected one that can be set",
                       f[i].line, f[i].resp, f[i].delay);
            return false;
        }
    }
    return true;
}

static bool ocf_mailbox_loaded(const OcfState *s, Error **errp)
{
    uint8_t state;

    if (s->cmd_queue >= OCF_REPLICAS) {
        error_setg(errp, "a command for queue %u, expected below %u",
                   s->cmd_queue, OCF_REPLICAS);
        return false;
    }
    state = s->queue[s->cmd_queue].q.state;
    if (s->cmd_status & OCFABRIC_HW_CMD_BUSY &&
        state != OCFABRIC_QUEUE_QUIESCING && state != OCFABRIC_QUEUE_DISABLED) {
        error_setg(errp, "a command waits for queue %u, which is in state %u, "
                   "expected %u or %u", s->cmd_queue, state,
                   OCFABRIC_QUEUE_QUIESCING, OCFABRIC_QUEUE_DISABLED);
        return false;
    }
    return true;
}

static bool ocf_queues_loaded(OcfState *s, Error **errp)
{
    struct ocf_queue *queue[OCF_REPLICAS];
    unsigned int i;
    const char *wrong;

    for (i = 0; i < OCF_REPLICAS; i++) {
        queue[i] = &s->queue[i].q;
    }
    wrong = ocf_queues_wrong(queue, OCF_REPLICAS, &i);
    if (wrong) {
        error_setg(errp, "queue %u: an impossible %s", i, wrong);
    }
    return !wrong;
}

static bool ocf_events_loaded(const OcfState *s, Error **errp)
{
    if (!ocf_events_valid(&s->events)) {
        error_setg(errp, "an event ring of 2^%u entries at 0x%" PRIx64
                   ", expected what its registers take", s->events.shift,
                   s->events.base);
        return false;
    }
    if (s->error & ~OCFABRIC_ERROR_MASK) {
        error_setg(errp, "error bits 0x%x, expected only 0x%x", s->error,
                   OCFABRIC_ERROR_MASK);
        return false;
    }
    return true;
}

static bool ocf_loaded(OcfState *s, Error **errp)
{
    unsigned int i;

    for (i = 0; i < OCF_REPLICAS; i++) {
        if (!ocf_rejects_loaded(&s->card.link[i], i, errp)) {
            return false;
        }
    }
    return ocf_queues_loaded(s, errp) &&
           ocf_config_loaded(&s->card.config, errp) &&
           ocf_faults_loaded(&s->card.faults, errp) &&
           ocf_events_loaded(s, errp) && ocf_watch_loaded(s, errp) &&
           ocf_mailbox_loaded(s, errp) && ocf_qp_loaded(s, errp);
}

static int ocf_post_load(void *opaque, int version_id)
{
    OcfState *s = opaque;
    Error *err = NULL;
    unsigned int i;

    ocf_halt(s);
    if (!ocf_loaded(s, &err)) {
        /* nothing of it is used: the card stays as after a reset */
        ocf_go(s);
        error_reportf_err(err, "ocfabric: cannot load: ");
        ocf_reset_card(s);
        return -EINVAL;
    }
    ocf_config_index(&s->card.config);
    for (i = 0; i < OCF_REPLICAS; i++) {
        ocf_dma_release(&s->queue[i]);
        ocf_queue_map(&s->queue[i].q);
    }
    ocf_go(s);
    return 0;
}

const VMStateDescription ocf_vmstate = {
    .name = "ocfabric",
    .version_id = 3,
    .minimum_version_id = 3,
    .post_load = ocf_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, OcfState),
        VMSTATE_STRUCT(parent_obj.exp.aer_log, OcfState, 0,
                       vmstate_pcie_aer_log, PCIEAERLog),
        VMSTATE_MSIX(parent_obj, OcfState),

        /* the other side has to be the same card */
        VMSTATE_UINT64_EQUAL(hbm_size, OcfState, NULL),
        VMSTATE_UINT32_EQUAL(replicas, OcfState, NULL),
        VMSTATE_UINT32_EQUAL(windows, OcfState, NULL),
        VMSTATE_UINT32_EQUAL(clock_mhz, OcfState, NULL),

        VMSTATE_UINT32(card.config.n, OcfState),
        VMSTATE_BOOL(card.config.upstream_qpns, OcfState),
        VMSTATE_UINT32(card.config.latency, OcfState),
        VMSTATE_STRUCT_ARRAY(card.config.region, OcfState, OCF_REPLICAS, 1,
                             ocf_vmstate_region, struct ocf_region),
        VMSTATE_UINT8_2DARRAY(card.config.conn, OcfState, OCF_REPLICAS,
                              OCF_QPNS),
        VMSTATE_STRUCT_VARRAY_POINTER_UINT32(card.config.windows, OcfState,
                                             windows, ocf_vmstate_window,
                                             struct ocf_window),
        VMSTATE_STRUCT_VARRAY_POINTER_KNOWN(card.faults.slot, OcfState,
                                            OCF_FAULT_SLOTS, 1,
                                            ocf_vmstate_fault,
                                            struct ocf_fault),
        VMSTATE_BOOL(card.draining, OcfState),
        VMSTATE_BOOL(card.changed, OcfState),
        VMSTATE_UINT32(card.generation, OcfState),
        VMSTATE_UINT32(card.qp_window, OcfState),
        VMSTATE_STRUCT_ARRAY(card.link, OcfState, OCF_REPLICAS, 1,
                             ocf_vmstate_link, struct ocf_link),
        VMSTATE_STRUCT_ARRAY(card.snapshot, OcfState, OCF_REPLICAS, 1,
                             ocf_vmstate_counters, struct ocf_counters),
        VMSTATE_STRUCT_ARRAY(card.snapshot_path, OcfState, OCF_REPLICAS, 1,
                             ocf_vmstate_path, struct ocf_path_counts),
        VMSTATE_STRUCT_ARRAY(card.snapshot_where, OcfState, OCF_REPLICAS, 1,
                             ocf_vmstate_where, struct ocf_where),
        VMSTATE_STRUCT_ARRAY(queue, OcfState, OCF_REPLICAS, 1,
                             ocf_vmstate_queue, OcfQueue),
        VMSTATE_STRUCT_ARRAY(inbox, OcfState, OCF_REPLICAS, 1,
                             ocf_vmstate_inbox, struct ocf_inbox),

        VMSTATE_UINT64(events.base, OcfState),
        VMSTATE_UINT32(events.shift, OcfState),
        VMSTATE_UINT32(events.producer, OcfState),
        VMSTATE_UINT32(events.consumer, OcfState),
        VMSTATE_UINT32(events.lost, OcfState),
        VMSTATE_UINT32(events.seq, OcfState),
        VMSTATE_UINT64(clock_ns, OcfState),
        VMSTATE_UINT32(error, OcfState),
        VMSTATE_UINT64_ARRAY(cmd_arg, OcfState, 4),
        VMSTATE_UINT32(cmd_status, OcfState),
        VMSTATE_UINT32(cmd_queue, OcfState),
        VMSTATE_UINT64(snapshot_clock, OcfState),
        VMSTATE_UINT64(broadcast, OcfState),
        VMSTATE_UINT32(stall_limit, OcfState),
        VMSTATE_UINT32(host.storm_limit, OcfState),
        VMSTATE_STRUCT(qp, OcfState, 1, ocf_vmstate_qp_block, OcfQpBlock),
        VMSTATE_BUFFER_UNSAFE(snapshot_reject, OcfState, 1,
                              sizeof(((OcfState *)0)->snapshot_reject)),
        VMSTATE_BUFFER_UNSAFE(snapshot_qp, OcfState, 1,
                              sizeof(((OcfState *)0)->snapshot_qp)),
        VMSTATE_STRUCT(read_half, OcfState, 1, ocf_vmstate_half, OcfHalf),
        VMSTATE_STRUCT(write_half, OcfState, 1, ocf_vmstate_half, OcfHalf),
        VMSTATE_UINT64(tell, OcfState),
        VMSTATE_END_OF_LIST()
    },
};
