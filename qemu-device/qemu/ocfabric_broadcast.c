/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The broadcast doorbells: one store that rings several queues, or none. That
 * they can all be rung is found out with all their locks held, so that nothing
 * changes before they are.
 *
 * Receive rings need no queue's lock: only a doorbell takes room from one, and
 * doorbells of that block are all rung under the BQL.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"

#include "ocfabric.h"
#include "trace.h"

typedef struct OcfBroadcast {
    uint32_t increment;
    uint32_t mask;
    uint8_t queue;      /* that it was refused for */
    bool receive;
} OcfBroadcast;

static enum ocfabric_broadcast_result ocf_ready_tx(OcfQueue *oq,
                                                   uint32_t increment)
{
    struct ocf_queue *q = &oq->q;

    /* what was rung before comes before, and is run even if this is refused */
    if (qatomic_read(&oq->pending)) {
        ocf_queue_ring(q, qatomic_xchg(&oq->pending, 0));
        ocf_kick(oq->s, 1u << q->id);
    }
    if (q->state != OCFABRIC_QUEUE_ENABLED ||
        qatomic_read(&oq->s->inbox[q->id].cause)) {
        return OCFABRIC_BROADCAST_DISABLED;
    }
    return increment > ocf_queue_room(q) ? OCFABRIC_BROADCAST_NO_ROOM :
                                           OCFABRIC_BROADCAST_RUNG;
}

static enum ocfabric_broadcast_result ocf_ready_rx(OcfQueue *oq,
                                                   uint32_t increment)
{
    struct ocf_inbox *b = &oq->s->inbox[oq->q.id];
    enum ocfabric_broadcast_result result = OCFABRIC_BROADCAST_RUNG;

    ocf_inbox_lock(b);
    ocf_inbox_rung(b);
    if (!b->takes) {
        result = OCFABRIC_BROADCAST_DISABLED;
    } else if (increment > ocf_inbox_room(b)) {
        result = OCFABRIC_BROADCAST_NO_ROOM;
    }
    ocf_inbox_unlock(b);
    return result;
}

/* The first queue that cannot be rung decides. */
static enum ocfabric_broadcast_result ocf_broadcast_ready(OcfState *s,
                                                          OcfBroadcast *b)
{
    enum ocfabric_broadcast_result result = OCFABRIC_BROADCAST_RUNG;
    uint32_t left;

    for (left = b->mask; left && !result; left &= left - 1) {
        OcfQueue *oq = &s->queue[ctz32(left)];

        b->queue = oq->q.id;
        result = b->receive ? ocf_ready_rx(oq, b->increment) :
                              ocf_ready_tx(oq, b->increment);
    }
    if (!result) {
        b->queue = 0;
    }
    return result;
}

static void ocf_broadcast_ring(OcfState *s, const OcfBroadcast *b)
{
    uint32_t left;

    for (left = b->mask; left; left &= left - 1) {
        OcfQueue *oq = &s->queue[ctz32(left)];

        if (b->receive) {
            ocf_inbox_ring(&s->inbox[oq->q.id], b->increment);
        } else {
            ocf_queue_ring(&oq->q, b->increment);
        }
    }
}

static enum ocfabric_broadcast_result ocf_broadcast_do(OcfState *s,
                                                       OcfBroadcast *b)
{
    uint32_t locks = b->receive ? 0 : b->mask, left;
    enum ocfabric_broadcast_result result;

    qemu_mutex_lock(&s->turnstile);
    for (left = locks; left; left &= left - 1) {
        qemu_mutex_lock(&s->queue[ctz32(left)].lock);
    }
    result = ocf_broadcast_ready(s, b);
    if (result == OCFABRIC_BROADCAST_RUNG) {
        ocf_broadcast_ring(s, b);
    }
    for (left = locks; left; left &= left - 1) {
        qemu_mutex_unlock(&s->queue[ctz32(left)].lock);
    }
    qemu_mutex_unlock(&s->turnstile);
    return result;
}

void ocf_broadcast(OcfState *s, bool receive, uint64_t value)
{
    OcfBroadcast b = {
        .increment = value & OCFABRIC_DOORBELL_INC_MASK,
        .mask = value >> OCFABRIC_DOORBELL_BROADCAST_SHIFT &
                OCFABRIC_BROADCAST_MASK_MASK,
        .receive = receive,
    };
    enum ocfabric_broadcast_result result = OCFABRIC_BROADCAST_BAD_MASK;

    if (is_power_of_2(ctpop32(b.mask))) {
        result = ocf_broadcast_do(s, &b);
    }
    s->broadcast = b.increment |
                   (uint64_t)result << OCFABRIC_BROADCAST_RESULT_SHIFT |
                   (uint64_t)b.queue << OCFABRIC_BROADCAST_QUEUE_SHIFT |
                   (uint64_t)b.mask << OCFABRIC_BROADCAST_MASK_SHIFT;
    trace_ocfabric_broadcast(b.mask, receive, b.increment, result);
    if (result != OCFABRIC_BROADCAST_RUNG) {
        ocf_error(s, OCFABRIC_ERROR_BROADCAST);
    } else if (!receive) {
        ocf_serve_rung(s, b.mask);
    }
}
