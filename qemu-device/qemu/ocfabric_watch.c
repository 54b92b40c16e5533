/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the driver is told of unasked, by one timer: writes that make no
 * progress, and rejected writes that a link's last event could not tell of. It is
 * armed while there is a write in flight that it did not tell of yet, or a
 * link's time without further events runs. Both are counted by the fabric clock,
 * which stands while the VM does.
 *
 * And the registers of limits: for stalls, for storms, and weights.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/timer.h"

#include "ocfabric_regs.h"
#include "trace.h"

static uint64_t ocf_ms(OcfState *s, uint64_t ms)
{
    return ms * 1000 * s->clock_mhz;
}

/* A write that starts later is watched by this only if it comes early enough. */
static void ocf_watch_arm(OcfState *s, uint64_t cycle)
{
    uint32_t limit = qatomic_read(&s->stall_limit);

    if (limit && cycle <= ocf_clock(s) + ocf_ms(s, limit)) {
        qatomic_set(&s->watching, true);
    }
    ocf_timer_arm(s, s->watch, cycle);
}

void ocf_watch_flight(OcfState *s)
{
    uint32_t limit = qatomic_read(&s->stall_limit);

    if (limit) {
        ocf_watch_arm(s, ocf_clock(s) + ocf_ms(s, limit));
    }
}

/* With the queue's lock: the event, if this write has stalled. */
static bool ocf_watch_link(OcfState *s, unsigned int i, uint64_t now,
                           uint64_t *due, struct ocfabric_event *ev)
{
    struct ocf_link *l = &s->card.link[i];
    uint64_t at = 0, ms;

    if (!s->stall_limit) {
        return false;
    }
    switch (ocf_link_watch(l, ocf_ms(s, s->stall_limit), now, &at)) {
    case OCF_WATCHED_LATER:
        *due = MIN(*due, at);
        return false;
    case OCF_WATCHED_STALLED:
        ms = (now - l->flight.since) / ocf_ms(s, 1);
        *ev = (struct ocfabric_event) {
            .type = OCFABRIC_EVENT_STALLED,
            .link = i,
            .cause = ocf_link_where(l).at,
            .a = cpu_to_le32(MIN(ms, UINT32_MAX)),
            .b = cpu_to_le32(l->flight.qpn),
        };
        trace_ocfabric_stalled(i, ev->cause, ms);
        return true;
    default:
        return false;
    }
}

/* With the queue's lock: the event for what was rejected and not told of. */
static bool ocf_watch_rejects(OcfState *s, unsigned int i, uint64_t now,
                              struct ocfabric_event *ev)
{
    struct ocf_untold *u = &s->card.link[i].untold;
    OcfQueue *oq = &s->queue[i];

    /* a loaded one may be anything */
    oq->quiet = MIN(oq->quiet, now + ocf_ms(s, OCFABRIC_REJECT_EVENT_MS));
    if (oq->quiet > now) {
        return false;
    }
    oq->quiet = 0;
    if (!u->n) {
        return false;
    }
    *ev = (struct ocfabric_event) {
        .type = OCFABRIC_EVENT_REJECTED,
        .link = i,
        .cause = ocf_reject_verdict(u->verdict),
        .a = cpu_to_le32(u->qpn),
        .b = cpu_to_le32(u->n - 1),
    };
    trace_ocfabric_rejected(i, ev->cause, u->n - 1);
    u->n = 0;
    oq->quiet = now + ocf_ms(s, OCFABRIC_REJECT_EVENT_MS);
    return true;
}

/* A link and its queue; and, at the latest, when to look at them again. */
static void ocf_watch_queue(OcfState *s, unsigned int i, uint64_t now,
                            uint64_t *due)
{
    struct ocfabric_event stalled, rejects;
    OcfQueue *oq = &s->queue[i];
    bool has_stalled, has_rejects;

    ocf_lock(oq);
    has_stalled = ocf_watch_link(s, i, now, due, &stalled);
    has_rejects = ocf_watch_rejects(s, i, now, &rejects);
    if (oq->quiet) {
        *due = MIN(*due, oq->quiet);
    }
    ocf_unlock(oq);
    if (has_stalled) {
        ocf_event(s, stalled);
    }
    if (has_rejects) {
        ocf_event(s, rejects);
    }
}

/* Whoever starts something from here on finds that nobody is watching. */
static void ocf_watch_queues(OcfState *s, unsigned int first, unsigned int n)
{
    uint64_t now = ocf_clock(s), due = UINT64_MAX;

    for (; n; n--, first++) {
        ocf_watch_queue(s, first, now, &due);
    }
    if (due != UINT64_MAX) {
        ocf_watch_arm(s, due);
    }
}

void ocf_watch(OcfState *s)
{
    if (!s->stopped) {
        qatomic_set(&s->watching, false);
        smp_mb();
        ocf_watch_queues(s, 0, OCF_REPLICAS);
    }
}

static void ocf_watch_cb(void *opaque)
{
    ocf_watch(opaque);
}

/* With the link's lock. While it is quiet the timer comes anyway. */
void ocf_note_reject(void *opaque, unsigned int link)
{
    OcfState *s = opaque;

    if (!s->queue[link].quiet) {
        qatomic_or(&s->tell, OCF_NOTE_REJECT(link));
    }
}

void ocf_tell_rejects(OcfState *s, unsigned int link)
{
    ocf_watch_queues(s, link, 1);
}

void ocf_watch_reset(OcfState *s)
{
    unsigned int i;

    timer_del(s->watch);
    qatomic_set(&s->watching, false);
    qatomic_set(&s->stall_limit, OCFABRIC_STALL_LIMIT);
    s->host.storm_limit = OCFABRIC_STORM_LIMIT;
    for (i = 0; i < OCF_REPLICAS; i++) {
        s->queue[i].quiet = 0;
        qatomic_set(&s->queue[i].weight, 1);
    }
}

void ocf_watch_start(OcfState *s)
{
    s->watch = timer_new_ns(QEMU_CLOCK_VIRTUAL, ocf_watch_cb, s);
}

void ocf_watch_stop(OcfState *s)
{
    timer_free(s->watch);
}

bool ocf_watch_loaded(const OcfState *s, Error **errp)
{
    unsigned int i;

    for (i = 0; i < OCF_REPLICAS; i++) {
        if (!s->queue[i].weight || s->queue[i].weight > OCFABRIC_WEIGHT_MAX) {
            error_setg(errp, "queue %u: weight %u, expected 1 to %u", i,
                       s->queue[i].weight, OCFABRIC_WEIGHT_MAX);
            return false;
        }
    }
    if (s->stall_limit > OCFABRIC_STALL_LIMIT_MAX) {
        error_setg(errp, "stall limit %u ms, expected at most %u",
                   s->stall_limit, OCFABRIC_STALL_LIMIT_MAX);
        return false;
    }
    if (s->host.storm_limit > OCFABRIC_STORM_LIMIT_MAX) {
        error_setg(errp, "storm limit %u interrupts a ms, expected at most %u",
                   s->host.storm_limit, OCFABRIC_STORM_LIMIT_MAX);
        return false;
    }
    return true;
}

/* ---- registers ---- */

/* False, and logged, for what is ignored. */
static bool ocf_limit_valid(const char *what, uint64_t value, uint64_t min,
                            uint64_t max)
{
    if (value >= min && value <= max) {
        return true;
    }
    qemu_log_mask(LOG_GUEST_ERROR, "ocfabric: %s %" PRIu64 " is not within %"
                  PRIu64 " to %" PRIu64 "\n", what, value, min, max);
    return false;
}

static uint64_t ocf_stall_limit_read(OcfState *s, unsigned int i)
{
    return s->stall_limit;
}

static void ocf_stall_limit_write(OcfState *s, unsigned int i, uint64_t value)
{
    if (ocf_limit_valid("stall limit", value, 0, OCFABRIC_STALL_LIMIT_MAX)) {
        qatomic_set(&s->stall_limit, value);
        ocf_watch(s);
    }
}

static uint64_t ocf_storm_limit_read(OcfState *s, unsigned int i)
{
    return s->host.storm_limit;
}

/* In force at once: what was put off is looked at again. */
static void ocf_storm_limit_write(OcfState *s, unsigned int i, uint64_t value)
{
    unsigned int q;

    if (!ocf_limit_valid("storm limit", value, 0, OCFABRIC_STORM_LIMIT_MAX)) {
        return;
    }
    ocf_halt(s);
    s->host.storm_limit = value;
    s->inside = true;
    for (q = 0; q < OCF_REPLICAS && !s->stopped; q++) {
        ocf_inbox_lock(&s->inbox[q]);
        ocf_inbox_announce(&s->inbox[q], ocf_clock(s));
        ocf_inbox_unlock(&s->inbox[q]);
    }
    s->inside = false;
    ocf_go(s);
    ocf_tell(s);
}

static uint64_t ocf_weight_read(OcfState *s, unsigned int i)
{
    return s->queue[i].weight;
}

static void ocf_weight_write(OcfState *s, unsigned int i, uint64_t value)
{
    if (ocf_limit_valid("weight", value, 1, OCFABRIC_WEIGHT_MAX)) {
        qatomic_set(&s->queue[i].weight, value);
    }
}

const OcfReg ocf_watch_regs[] = {
    { OCFABRIC_REG_STALL_LIMIT, 0, 1, 4, false, ocf_stall_limit_read,
      ocf_stall_limit_write },
    { OCFABRIC_REG_STORM_LIMIT, 0, 1, 4, false, ocf_storm_limit_read,
      ocf_storm_limit_write },
    { OCFABRIC_REG_QUEUE(0) + OCFABRIC_QUEUE_WEIGHT, 0x100, OCF_REPLICAS, 4,
      false, ocf_weight_read, ocf_weight_write },
};

const size_t ocf_nr_watch_regs = ARRAY_SIZE(ocf_watch_regs);
