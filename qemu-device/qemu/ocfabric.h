/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ocfabric card: what the files of the device share.
 *
 * The card's logic is plain C in the files without this prefix (model.h,
 * queue.h, event.h); here are the bus, the threads and the migration.
 *
 * Four kinds of lock, in this order:
 *
 *   the BQL        registers, events, interrupts, timer, configuration
 *   turnstile      nothing: whoever waits for a queue's lock waits inside, so
 *                  that the worker, which passes it before each turn, cannot
 *                  take that lock again and again before him
 *   queue[i].lock  queue i and its link; all of them: what all links read
 *   inbox[i]       what others reach of queue i: completions, receive
 *                  descriptors, semaphores. One at a time, for moments
 *
 * Work on a queue holds only its lock, so that a long write in one vCPU's
 * doorbell does not keep another vCPU's MMIO waiting. Control takes the BQL and
 * then all queue locks (ocf_halt()). Nobody who holds a queue lock waits for
 * the BQL, so whatever must be done under it (interrupts, events) is noted in
 * `tell` and done after the lock is gone.
 *
 * With an IOMMU in between, host memory is reached by translations that may
 * raise interrupts; then, and only then, queues are served under the BQL.
 */
#ifndef HW_MISC_OCFABRIC_H
#define HW_MISC_OCFABRIC_H

#include "linux/ocfabric_hw.h"

#include "exec/memory.h"
#include "hw/pci/pci_device.h"
#include "qemu/thread.h"
#include "qom/object.h"
#include "system/hostmem.h"

#include "event.h"
#include "inbox.h"
#include "model.h"
#include "qp.h"
#include "queue.h"

#define TYPE_OCFABRIC "ocfabric"
OBJECT_DECLARE_SIMPLE_TYPE(OcfState, OCFABRIC)

#define OCF_HBM_DEFAULT (64 * MiB)
#define OCF_FAULT_SLOTS 4096
#define OCF_CLOCK_MHZ_MAX 10000
#define OCF_BARS 3

/* Notes in OcfState.tell, a bit a queue */
#define OCF_NOTE_INTERRUPT(i) (1ull << (i))
#define OCF_NOTE_STOPPED(i) (1ull << (16 + (i)))
#define OCF_NOTE_QP(i) (1ull << (32 + (i)))
#define OCF_NOTE_REJECT(i) (1ull << (48 + (i)))

typedef struct OcfQueue {
    OcfState *s;
    QemuMutex lock;
    struct ocf_queue q;
    MemoryRegionCache written[OCF_SLOTS];

    /* Atomic: rung while somebody else held the lock */
    uint64_t pending;
    /* Atomic: cycles at which the timer has to wake it, or 0 */
    uint64_t due;       /* for its write */
    uint64_t told_due;  /* for an interrupt that waits */

    /* Until this cycle no event tells of rejects, or 0; with the lock */
    uint64_t quiet;
    uint32_t weight;    /* atomic: turns it gets when all get new ones */
    uint32_t turns;     /* atomic: those it has left */
} OcfQueue;

/* A 64-bit register of which one half was read or written */
typedef struct OcfHalf {
    uint32_t addr;
    uint32_t value;
    bool valid;
} OcfHalf;

#define OCF_QP_REGS 15  /* from OCFABRIC_QP_VALID on */

/* The registers of queue pairs; all under the BQL */
typedef struct OcfQpBlock {
    uint32_t dst;
    uint32_t status;
    uint32_t busy_dst;  /* the connection of the command at work */
    uint32_t reg[OCF_QP_REGS];
} OcfQpBlock;

/* What it lies about, see ocfabric_hostile.h */
typedef struct OcfHostile {
    uint64_t lies;      /* a bit for each row; changes only while halted */
    uint64_t drawn;     /* atomic: numbers */
    uint16_t last[OCF_REPLICAS]; /* index of the last completion; inbox's lock */
    QEMUTimer *timer;   /* NULL: not realized */
} OcfHostile;

typedef struct OcfReg OcfReg;  /* ocfabric_regs.h */

struct OcfState {
    PCIDevice parent_obj;

    /* Properties */
    uint64_t hbm_size;
    uint32_t replicas;
    uint32_t windows;
    uint32_t clock_mhz;
    bool faults;
    HostMemoryBackend *memdev;

    /* BARs */
    MemoryRegion control;
    MemoryRegion regs;
    MemoryRegion doorbells;
    MemoryRegion own_hbm;
    MemoryRegion *hbm;
    MemoryRegion nothing[OCF_BARS]; /* over them, while the card is gone */

    /* The HBM as an address space of its own, for dirty marks */
    MemoryRegion hbm_alias;
    AddressSpace hbm_as;
    MemoryRegionCache hbm_cache;

    /* The card */
    struct ocf_card card;
    struct ocf_events events;
    uint64_t clock_ns;  /* how far it got, while the VM is stopped */
    uint32_t error;
    uint64_t cmd_arg[4];
    uint32_t cmd_status;
    uint32_t cmd_queue; /* that QUEUE_DISABLE waits for, while busy */
    uint64_t snapshot_clock;
    uint32_t stall_limit; /* atomic: ms, or 0 */
    uint64_t broadcast; /* what became of the last one, OCFABRIC_BROADCAST_* */
    OcfQpBlock qp;
    struct ocfabric_hw_reject snapshot_reject[OCF_REPLICAS][OCF_REJECTS];
    struct ocfabric_hw_qp snapshot_qp[OCF_REPLICAS][OCF_QPNS];
    OcfHalf read_half;
    OcfHalf write_half;

    /* Internal */
    OcfQueue queue[OCF_REPLICAS];
    struct ocf_inbox inbox[OCF_REPLICAS];
    struct ocf_host host;
    MemoryListener listener;
    uint32_t iommus;    /* sections of the bus that are translated */
    bool bus_changed;   /* since the last commit */
    bool direct;        /* changes only while halted */
    bool stopped;       /* the VM; changes only while halted */
    int64_t clock_base_ns;

    /*
     * The address of an interrupt, the card's own or one that a translation
     * raises, may be set to this card by the guest: what comes in meanwhile finds
     * locks of its own thread, or has no end. BQL.
     */
    bool inside;

    uint64_t tell;      /* atomic: OCF_NOTE_* */
    uint32_t work;      /* atomic: queues that wait to be served */
    QemuMutex turnstile;
    QEMUTimer *timer;
    QEMUTimer *watch;
    OcfHostile hostile;
    bool gone;          /* BQL */
    Error *gone_blocker;
    bool watching;      /* atomic: it comes before a new write could stall */
    QEMUBH *bh;
    QemuEvent wake;
    QemuThread worker;
    bool quit;
    VMChangeStateEntry *vm_change;
};

/* ocfabric.c */
void ocf_reset_card(OcfState *s);

/* ocfabric_clock.c: fabric clock, from the virtual clock */
uint64_t ocf_clock(OcfState *s);
void ocf_clock_restart(OcfState *s);
/* The VM stops, and goes on. Halted. */
void ocf_clock_stop(OcfState *s);
void ocf_clock_go(OcfState *s);
/*
 * Serve the queue of this `due` at a cycle. May be called with all locks but
 * the BQL, and without it.
 */
void ocf_timer_set(OcfState *s, uint64_t *due, uint64_t cycle);
/* This timer comes at this cycle at the latest, and looks at what is due. */
void ocf_timer_arm(OcfState *s, QEMUTimer *timer, uint64_t cycle);
void ocf_timer_cb(void *opaque);

/* ocfabric_event.c; BQL */
void ocf_event(OcfState *s, struct ocfabric_event ev);
/* Whatever address the guest gave it, it does not come back in. */
void ocf_interrupt(OcfState *s, unsigned int vector);
/* Sets sticky errors, and says so in an event. */
void ocf_error(OcfState *s, uint32_t bits);

/* ocfabric_regs.c: BAR 0 */
extern const MemoryRegionOps ocf_regs_ops;

/* ocfabric_cmd.c: the command mailbox */
void ocf_cmd(OcfState *s, uint32_t cmd);
uint32_t ocf_cmd_status(OcfState *s);

/* ocfabric_qp.c: contexts of connections */
void ocf_qp_reset(OcfState *s);
/* Whether what was loaded can be. */
bool ocf_qp_loaded(const OcfState *s, Error **errp);
/* All contexts, for the registers. Halted. */
void ocf_snapshot_qps(OcfState *s);
/* The model's hook: the card moved one of this link. */
void ocf_note_qp(void *opaque, unsigned int link);
/* The events for it. BQL, no queue's lock. */
void ocf_tell_qps(OcfState *s, unsigned int link);

/* ocfabric_doorbell.c: BAR 2 */
extern const MemoryRegionOps ocf_doorbell_ops;
/* These queues have been rung, under the BQL: does some of their work. */
void ocf_serve_rung(OcfState *s, uint32_t queues);

/* Whether an access comes from this card's own DMA, and is ignored. */
bool ocf_is_own(OcfState *s);

/* ocfabric_broadcast.c; BQL */
void ocf_broadcast(OcfState *s, bool receive, uint64_t value);

/* ocfabric_serve.c: queues at work */

/* Nobody serves a queue from here to ocf_go(). BQL. */
void ocf_halt(OcfState *s);
void ocf_go(OcfState *s);
/* The same of one queue. */
void ocf_lock(OcfQueue *oq);
void ocf_unlock(OcfQueue *oq);

/*
 * Runs a queue for a while, with its lock held: whether there is more to be
 * done at once.
 */
bool ocf_serve(OcfQueue *oq, struct ocf_budget *budget);

/* And adds the queues that have something to do now; nobody else is told. */
bool ocf_serve_noting(OcfQueue *oq, struct ocf_budget *budget, uint32_t *woken);

/* Has these queues served soon, by somebody else. Any thread. */
void ocf_kick(OcfState *s, uint32_t queues);

/* The model's hooks for what a queue or an inbox has to say. */
void ocf_note(void *opaque, unsigned int queue, unsigned int what);
void ocf_note_due(void *opaque, unsigned int queue, uint64_t cycle);

/* Does what was noted for the BQL's holder. BQL, no queue's lock. */
void ocf_tell(OcfState *s);

void ocf_worker_start(OcfState *s);
void ocf_worker_stop(OcfState *s);

/* ocfabric_watch.c: stalls, rejects, limits */
void ocf_watch_start(OcfState *s);
void ocf_watch_stop(OcfState *s);
void ocf_watch_reset(OcfState *s);
/* Whether what was loaded can be. */
bool ocf_watch_loaded(const OcfState *s, Error **errp);
/* Looks at all links now. BQL, no queue's lock. */
void ocf_watch(OcfState *s);
/* A write is in flight, and nobody is watching. Its queue's lock. */
void ocf_watch_flight(OcfState *s);
/* The model's hook for a rejected write. */
void ocf_note_reject(void *opaque, unsigned int link);
/* The event for those. BQL, no queue's lock. */
void ocf_tell_rejects(OcfState *s, unsigned int link);

/* ocfabric_dma.c: host memory */
void ocf_dma_init(OcfState *s);
void ocf_dma_exit(OcfState *s);
/* The queue is disabled: what it held of host memory is given back. */
void ocf_dma_release(OcfQueue *oq);

/* ocfabric_hbm.c */
bool ocf_hbm_init(OcfState *s, Error **errp);
void ocf_hbm_exit(OcfState *s);

/* ocfabric_hostile.c; asked only where lies is not 0 */
void ocf_hostile_class_init(ObjectClass *klass);
void ocf_hostile_start(OcfState *s);
void ocf_hostile_stop(OcfState *s);
/* What a register at this address reads as. BQL. */
uint64_t ocf_hostile_read(OcfState *s, uint32_t addr, uint64_t value);
void ocf_hostile_event(OcfState *s, struct ocfabric_event *ev);
bool ocf_hostile_silent(const OcfState *s);

/* ocfabric_gone.c; BQL */
void ocf_gone_class_init(ObjectClass *klass);
void ocf_gone_init(OcfState *s);
void ocf_gone_exit(OcfState *s);
uint32_t ocf_gone_config_read(PCIDevice *pdev, uint32_t addr, int len);

/* ocfabric_migrate.c */
extern const VMStateDescription ocf_vmstate;

#endif
