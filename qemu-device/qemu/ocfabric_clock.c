/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fabric clock, and the timer that waits for a cycle of it. What is saved
 * is how far it got: the virtual clock may go on from elsewhere.
 */
#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/timer.h"

#include "ocfabric.h"

/* No wait is longer: latency and delay have 32 bits. */
#define OCF_WAIT_MAX (1ull << 33)

/* Since the card's reset, while the VM ran. */
static uint64_t ocf_clock_ns(OcfState *s)
{
    int64_t ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) - s->clock_base_ns;

    return s->stopped ? s->clock_ns : MAX(ns, 0);
}

uint64_t ocf_clock(OcfState *s)
{
    uint64_t ns = ocf_clock_ns(s);

    /* for the first three weeks there is a faster way */
    return ns <= UINT64_MAX / OCF_CLOCK_MHZ_MAX ? ns * s->clock_mhz / 1000 :
           muldiv64(ns, s->clock_mhz, 1000);
}

void ocf_clock_restart(OcfState *s)
{
    s->clock_ns = 0;
    s->clock_base_ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

void ocf_clock_stop(OcfState *s)
{
    s->clock_ns = ocf_clock_ns(s);
    s->stopped = true;
}

void ocf_clock_go(OcfState *s)
{
    s->clock_base_ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) - s->clock_ns;
    s->stopped = false;
}

void ocf_timer_arm(OcfState *s, QEMUTimer *timer, uint64_t cycle)
{
    int64_t now_ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    uint64_t now = ocf_clock(s);
    uint64_t wait = cycle > now ? MIN(cycle - now, OCF_WAIT_MAX) : 0;

    timer_mod_anticipate_ns(timer, now_ns + 1 +
                            muldiv64(wait, 1000, s->clock_mhz));
}

void ocf_timer_set(OcfState *s, uint64_t *due, uint64_t cycle)
{
    qatomic_set(due, MAX(cycle, 1));
    ocf_timer_arm(s, s->timer, cycle);
}

/*
 * Whether its time has come; if not, the timer is armed again. `at` may be
 * somebody else's new cycle by now, which is not to be overwritten: for that one
 * the timer would not come.
 */
static bool ocf_timer_due(OcfState *s, uint64_t *at, uint64_t now)
{
    uint64_t due = qatomic_read(at);

    if (due && due <= now) {
        qatomic_cmpxchg(at, due, 0);
        return true;
    }
    if (due) {
        ocf_timer_arm(s, s->timer, due);
    }
    return false;
}

void ocf_timer_cb(void *opaque)
{
    OcfState *s = opaque;
    uint64_t now = ocf_clock(s);
    uint32_t queues = 0;
    unsigned int i;

    for (i = 0; i < OCF_REPLICAS; i++) {
        OcfQueue *oq = &s->queue[i];
        bool write = ocf_timer_due(s, &oq->due, now);
        bool told = ocf_timer_due(s, &oq->told_due, now);

        if (write || told) {
            queues |= 1u << i;
        }
    }
    ocf_kick(s, queues);
}
