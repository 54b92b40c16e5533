/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who works on queues, and who is told of it.
 *
 * Mostly it is the vCPU that rings, see ocfabric_doorbell.c. What its budget
 * leaves over, and what had to wait for a cycle or for the end of a drain, is
 * done by the worker, a thread that sleeps otherwise. Where queues have to be
 * served under the BQL, the main loop does it instead: the worker never takes
 * the BQL, so that whoever holds it may wait for the worker.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/rcu.h"
#include "qemu/timer.h"
#include "qemu/units.h"

#include "ocfabric.h"
#include "trace.h"

/* What a queue gets before the next one's turn: some 15 us at most. */
#define OCF_TURN_DESCRIPTORS 256
#define OCF_TURN_BYTES (256 * KiB)

void ocf_halt(OcfState *s)
{
    unsigned int i;

    qemu_mutex_lock(&s->turnstile);
    for (i = 0; i < OCF_REPLICAS; i++) {
        qemu_mutex_lock(&s->queue[i].lock);
    }
}

void ocf_go(OcfState *s)
{
    unsigned int i;

    for (i = 0; i < OCF_REPLICAS; i++) {
        qemu_mutex_unlock(&s->queue[i].lock);
    }
    qemu_mutex_unlock(&s->turnstile);
}

void ocf_lock(OcfQueue *oq)
{
    qemu_mutex_lock(&oq->s->turnstile);
    qemu_mutex_lock(&oq->lock);
    qemu_mutex_unlock(&oq->s->turnstile);
}

void ocf_unlock(OcfQueue *oq)
{
    qemu_mutex_unlock(&oq->lock);
}

/* Where a thread that serves woken queues itself has them noted. */
static __thread uint32_t *ocf_woken;

/* Something to be told by whoever holds the BQL next, or to be worked on. */
void ocf_note(void *opaque, unsigned int queue, unsigned int what)
{
    OcfState *s = opaque;
    uint64_t notes = 0;

    if (what & OCF_TELL_INTERRUPT) {
        notes |= OCF_NOTE_INTERRUPT(queue);
    }
    if (what & OCF_TELL_STOPPED) {
        notes |= OCF_NOTE_STOPPED(queue);
    }
    if (notes) {
        qatomic_or(&s->tell, notes);
    }
    if (what & OCF_TELL_WORK && ocf_woken) {
        *ocf_woken |= 1u << queue;
    } else if (what & OCF_TELL_WORK) {
        ocf_kick(s, 1u << queue);
    }
}

void ocf_note_due(void *opaque, unsigned int queue, uint64_t cycle)
{
    OcfState *s = opaque;

    ocf_timer_set(s, &s->queue[queue].told_due, cycle);
}

bool ocf_serve(OcfQueue *oq, struct ocf_budget *budget)
{
    OcfState *s = oq->s;
    enum ocf_next next;

    if (s->stopped) {
        return false;
    }
    if (!s->direct) {
        s->inside = true;
    }
    if (qatomic_read(&oq->pending)) {
        ocf_queue_ring(&oq->q, qatomic_xchg(&oq->pending, 0));
    }
    next = ocf_queue_run(&oq->q, budget);
    if (!s->direct) {
        s->inside = false;
    }
    if (next == OCF_NEXT_TIME) {
        ocf_timer_set(s, &oq->due, oq->q.due);
    }
    if (oq->q.busy && !qatomic_read(&s->watching)) {
        ocf_watch_flight(s);
    }
    return next == OCF_NEXT_RUN;
}

bool ocf_serve_noting(OcfQueue *oq, struct ocf_budget *budget, uint32_t *woken)
{
    bool more;

    ocf_woken = woken;
    more = ocf_serve(oq, budget);
    ocf_woken = NULL;
    return more;
}

void ocf_kick(OcfState *s, uint32_t queues)
{
    if (!queues) {
        return;
    }
    qatomic_or(&s->work, queues);
    if (qatomic_read(&s->direct)) {
        qemu_event_set(&s->wake);
    } else {
        qemu_bh_schedule(s->bh);
    }
}

/* One queue's turn. A direct caller is the worker, without the BQL. */
static void ocf_turn(OcfState *s, unsigned int i, bool direct)
{
    OcfQueue *oq = &s->queue[i];
    struct ocf_budget budget = { OCF_TURN_DESCRIPTORS, OCF_TURN_BYTES };
    uint32_t turns = qatomic_read(&oq->turns);
    bool more = true;

    qatomic_set(&oq->turns, turns ? turns - 1 : 0);
    ocf_lock(oq);
    if (s->direct == direct) {
        more = ocf_serve(oq, &budget);
    }
    ocf_unlock(oq);
    /* a doorbell that found the lock taken has left without a word */
    smp_mb();
    if (more || (qatomic_read(&oq->pending) && !qatomic_read(&s->stopped))) {
        ocf_kick(s, 1u << i);
    } else {
        /* who comes back starts anew */
        qatomic_set(&oq->turns, qatomic_read(&oq->weight));
    }
}

/*
 * Of these queues, which all have work, those that have turns left. When none
 * has any, each gets as many as its weight. They take them one by one, side by
 * side, so that nobody waits for somebody's whole share.
 */
static uint32_t ocf_whose_turn(OcfState *s, uint32_t work)
{
    uint32_t turn = 0;
    unsigned int i;

    for (i = 0; i < OCF_REPLICAS; i++) {
        if (work >> i & 1 && qatomic_read(&s->queue[i].turns)) {
            turn |= 1u << i;
        }
    }
    for (i = 0; !turn && i < OCF_REPLICAS; i++) {
        if (work >> i & 1) {
            qatomic_set(&s->queue[i].turns, qatomic_read(&s->queue[i].weight));
        }
    }
    return turn ? turn : work;
}

static void ocf_round(OcfState *s, bool direct)
{
    uint32_t work = qatomic_xchg(&s->work, 0);
    uint32_t turn = ocf_whose_turn(s, work);

    ocf_kick(s, work & ~turn);
    for (; turn; turn &= turn - 1) {
        ocf_turn(s, ctz32(turn), direct);
    }
    if (direct && qatomic_read(&s->tell)) {
        qemu_bh_schedule(s->bh);
    }
}

static void ocf_bh(void *opaque)
{
    OcfState *s = opaque;

    if (!s->direct) {
        ocf_round(s, false);
    }
    ocf_tell(s);
}

static void *ocf_worker(void *opaque)
{
    OcfState *s = opaque;

    rcu_register_thread();
    while (!qatomic_read(&s->quit)) {
        qemu_event_reset(&s->wake);
        if (qatomic_read(&s->work) && qatomic_read(&s->direct)) {
            ocf_round(s, true);
        } else if (!qatomic_read(&s->quit)) {
            qemu_event_wait(&s->wake);
        }
    }
    rcu_unregister_thread();
    return NULL;
}

static void ocf_tell_stopped(OcfState *s, unsigned int i)
{
    const struct ocf_queue *q = &s->queue[i].q;
    struct ocfabric_event ev = {
        .type = OCFABRIC_EVENT_QUEUE_STOPPED,
        .link = i,
        .cause = q->cause,
        .a = cpu_to_le32(q->wrote),
        .b = cpu_to_le32(q->expected),
    };

    trace_ocfabric_queue_stopped(i, q->cause, q->wrote, q->expected);
    ocf_event(s, ev);
}

void ocf_tell(OcfState *s)
{
    uint64_t notes = qatomic_xchg(&s->tell, 0);
    unsigned int i;

    for (i = 0; notes && i < OCF_REPLICAS; i++) {
        if (notes & OCF_NOTE_STOPPED(i)) {
            ocf_tell_stopped(s, i);
        }
        if (notes & OCF_NOTE_QP(i)) {
            ocf_tell_qps(s, i);
        }
        if (notes & OCF_NOTE_REJECT(i)) {
            ocf_tell_rejects(s, i);
        }
        if (notes & OCF_NOTE_INTERRUPT(i)) {
            trace_ocfabric_interrupt(i);
            ocf_interrupt(s, OCFABRIC_VECTOR_REPLICA(i));
        }
    }
}

void ocf_worker_start(OcfState *s)
{
    qemu_mutex_init(&s->turnstile);
    s->bh = qemu_bh_new(ocf_bh, s);
    s->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, ocf_timer_cb, s);
    ocf_watch_start(s);
    qemu_event_init(&s->wake, false);
    qemu_thread_create(&s->worker, "ocfabric", ocf_worker, s,
                       QEMU_THREAD_JOINABLE);
}

void ocf_worker_stop(OcfState *s)
{
    qatomic_set(&s->quit, true);
    qemu_event_set(&s->wake);
    qemu_thread_join(&s->worker);
    qemu_event_destroy(&s->wake);
    qemu_mutex_destroy(&s->turnstile);
    timer_free(s->timer);
    ocf_watch_stop(s);
    qemu_bh_delete(s->bh);
}
