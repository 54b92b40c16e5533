/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BAR 2: the vCPU that rings does the work, inside its own store, up to a
 * budget. It drops the BQL meanwhile, so the region does without the
 * reentrancy guard: another vCPU may ring at the same time.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qemu/units.h"

#include "ocfabric.h"
#include "trace.h"

#define OCF_RING_DESCRIPTORS 256
#define OCF_RING_BYTES (1 * MiB)

typedef struct OcfDoorbell {
    OcfQueue *oq;
    bool receive;   /* of the S2M block */
} OcfDoorbell;

/* The queue whose tail increment this address is, or NULL. */
static OcfDoorbell ocf_doorbell_find(OcfState *s, hwaddr addr,
                                     unsigned int size)
{
    bool receive = addr >= OCFABRIC_DOORBELL_S2M;
    hwaddr block = receive ? OCFABRIC_DOORBELL_S2M : OCFABRIC_DOORBELL_M2S;
    hwaddr page = addr - block - OCFABRIC_DOORBELL_PAGE(0);
    hwaddr i = page / OCFABRIC_DOORBELL_PAGE_SIZE;

    QEMU_BUILD_BUG_ON(OCFABRIC_DOORBELL_TDRTP_INC !=
                      OCFABRIC_DOORBELL_RDRTP_INC);
    if (addr - block < OCFABRIC_DOORBELL_PAGE(0) || i >= s->replicas ||
        size != 4 ||
        page % OCFABRIC_DOORBELL_PAGE_SIZE != OCFABRIC_DOORBELL_TDRTP_INC) {
        qemu_log_mask(LOG_GUEST_ERROR, "ocfabric: no doorbell at 0x%"
                      HWADDR_PRIx " of %u bytes\n", addr, size);
        return (OcfDoorbell) { NULL };
    }
    return (OcfDoorbell) { &s->queue[i], receive };
}

/* With the lock, and, if the card is direct, without the BQL; lets it go. */
static uint32_t ocf_doorbell_serve(OcfQueue *oq, struct ocf_budget *budget)
{
    uint32_t woken = 0;
    bool more = ocf_serve_noting(oq, budget, &woken);

    qemu_mutex_unlock(&oq->lock);
    /*
     * Who rang meanwhile has left it to us; look after letting go. The lock may
     * be somebody's by now who does not serve, a register's reader for one.
     */
    smp_mb();
    if (more || qatomic_read(&oq->pending)) {
        ocf_kick(oq->s, 1u << oq->q.id);
    }
    return woken;
}

/* A queue that nobody is at; otherwise somebody else will see to it. */
static bool ocf_doorbell_enter(OcfQueue *oq, bool direct)
{
    if (!qemu_mutex_trylock(&oq->lock)) {
        if (oq->s->direct == direct) {
            return true;
        }
        /* the bus has changed meanwhile: it is not for this thread now */
        qemu_mutex_unlock(&oq->lock);
    }
    ocf_kick(oq->s, 1u << oq->q.id);
    return false;
}

/*
 * What this queue wakes by its semaphores is served here, too, as far as the
 * budget goes: a chain of them is as fast as its work, and no thread is woken.
 */
static void ocf_doorbell_chain(OcfQueue *oq, struct ocf_budget *budget,
                               bool direct)
{
    OcfState *s = oq->s;
    uint32_t woken = ocf_doorbell_serve(oq, budget);

    while (woken && budget->descriptors && budget->bytes) {
        OcfQueue *next = &s->queue[ctz32(woken)];

        woken &= woken - 1;
        /* one that wakes nobody and runs nothing costs something, too */
        budget->descriptors--;
        if (ocf_doorbell_enter(next, direct)) {
            woken |= ocf_doorbell_serve(next, budget);
        }
    }
    ocf_kick(s, woken);
}

static void ocf_ring(OcfState *s, OcfQueue *oq, uint32_t increment)
{
    struct ocf_budget budget = { OCF_RING_DESCRIPTORS, OCF_RING_BYTES };
    bool direct;

    if (qemu_mutex_trylock(&oq->lock)) {
        qatomic_add(&oq->pending, increment);
        smp_mb();
        if (qemu_mutex_trylock(&oq->lock)) {
            return;
        }
        increment = 0;
    }
    if (oq->q.state != OCFABRIC_QUEUE_ENABLED) {
        qemu_mutex_unlock(&oq->lock);
        ocf_error(s, OCFABRIC_ERROR_DOORBELL);
        return;
    }
    ocf_queue_ring(&oq->q, increment);
    direct = s->direct;
    if (direct) {
        bql_unlock();
    }
    ocf_doorbell_chain(oq, &budget, direct);
    if (direct) {
        bql_lock();
    }
    if (qatomic_read(&s->tell)) {
        ocf_tell(s);
    }
}

void ocf_serve_rung(OcfState *s, uint32_t queues)
{
    unsigned int share = ctpop32(queues);
    bool direct = s->direct;

    if (direct) {
        bql_unlock();
    }
    for (; queues; queues &= queues - 1) {
        OcfQueue *oq = &s->queue[ctz32(queues)];
        struct ocf_budget budget = {
            OCF_RING_DESCRIPTORS / share, OCF_RING_BYTES / share,
        };

        if (ocf_doorbell_enter(oq, direct)) {
            ocf_doorbell_chain(oq, &budget, direct);
        }
    }
    if (direct) {
        bql_lock();
    }
    if (qatomic_read(&s->tell)) {
        ocf_tell(s);
    }
}

static bool ocf_is_broadcast(hwaddr addr)
{
    return addr == OCFABRIC_DOORBELL_M2S + OCFABRIC_DOORBELL_BROADCAST ||
           addr == OCFABRIC_DOORBELL_S2M + OCFABRIC_DOORBELL_BROADCAST;
}

/* Nothing is to be done but to count. */
static void ocf_ring_receive(OcfState *s, OcfQueue *oq, uint32_t increment)
{
    if (!ocf_inbox_ring(&s->inbox[oq->q.id], increment)) {
        ocf_error(s, OCFABRIC_ERROR_DOORBELL);
    }
}

bool ocf_is_own(OcfState *s)
{
    if (s->inside) {
        qemu_log_mask(LOG_GUEST_ERROR,
                      "ocfabric: an interrupt that it raised leads to it\n");
    }
    return s->inside;
}

static void ocf_doorbell_write(void *opaque, hwaddr addr, uint64_t value,
                               unsigned int size)
{
    OcfState *s = opaque;
    OcfDoorbell d;

    if (ocf_is_own(s)) {
        return;
    }
    if (size == 8 && ocf_is_broadcast(addr)) {
        ocf_broadcast(s, addr >= OCFABRIC_DOORBELL_S2M, value);
        return;
    }
    d = ocf_doorbell_find(s, addr, size);
    if (!d.oq) {
        return;
    }
    value &= OCFABRIC_DOORBELL_INC_MASK;
    trace_ocfabric_doorbell(d.oq->q.id, d.receive, value);
    if (d.receive) {
        ocf_ring_receive(s, d.oq, value);
    } else {
        ocf_ring(s, d.oq, value);
    }
}

static uint64_t ocf_doorbell_read(void *opaque, hwaddr addr, unsigned int size)
{
    OcfDoorbell d = ocf_doorbell_find(opaque, addr, size);
    uint64_t tail;

    if (!d.oq || d.receive || ocf_is_own(d.oq->s)) {
        return 0;
    }
    ocf_lock(d.oq);
    tail = d.oq->q.tail + qatomic_read(&d.oq->pending);
    ocf_unlock(d.oq);
    return tail & OCFABRIC_DOORBELL_INC_MASK;
}

const MemoryRegionOps ocf_doorbell_ops = {
    .read = ocf_doorbell_read,
    .write = ocf_doorbell_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};
