/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BAR 0: what links and queues are doing, counters and rejects. */
#include "qemu/osdep.h"
#include "qemu/log.h"

#include "ocfabric_regs.h"

#define OCF_COUNTER_SLOTS 32 /* of a link, in the address map */
#define OCF_PATH_WORDS (0x100 / 8) /* of a link, in the address map */
#define OCF_PATH_STAGE_WORDS (0x20 / 8)
#define OCF_REJECT_WORDS (sizeof(struct ocfabric_hw_reject) / 8)

static const uint8_t ocf_stages[OCF_NR_STAGES] = {
    [OCF_STAGE_IDLE] = OCFABRIC_STAGE_IDLE,
    [OCF_STAGE_LATENCY] = OCFABRIC_STAGE_TAKEN,
    [OCF_STAGE_MOVING] = OCFABRIC_STAGE_ISSUED,
    [OCF_STAGE_RESPONSES] = OCFABRIC_STAGE_ACKNOWLEDGED,
};

static const uint8_t ocf_reject_verdicts[OCF_NR_COUNTERS] = {
    [OCF_UNMAPPED] = OCFABRIC_VERDICT_UNMAPPED,
    [OCF_QP_STATE] = OCFABRIC_VERDICT_QP_STATE,
    [OCF_BAD_CONFIG] = OCFABRIC_VERDICT_BAD_CONFIG,
    [OCF_ZERO_LENGTH] = OCFABRIC_VERDICT_ZERO_LENGTH,
    [OCF_MISALIGNED] = OCFABRIC_VERDICT_MISALIGNED,
    [OCF_OUT_OF_BOUNDS] = OCFABRIC_VERDICT_OUT_OF_BOUNDS,
    [OCF_UNAUTHORIZED] = OCFABRIC_VERDICT_UNAUTHORIZED,
    [OCF_RNR] = OCFABRIC_VERDICT_RNR,
};

uint8_t ocf_reject_verdict(uint8_t counter)
{
    return ocf_reject_verdicts[counter];
}

static uint64_t ocf_link_state_read(OcfState *s, unsigned int i)
{
    uint8_t stage;

    ocf_lock(&s->queue[i]);
    stage = s->card.link[i].flight.stage;
    ocf_unlock(&s->queue[i]);
    return ocf_stages[stage];
}

static uint64_t ocf_queue_read(OcfState *s, unsigned int i, uint32_t *field)
{
    uint64_t value;

    ocf_lock(&s->queue[i]);
    value = *field;
    ocf_unlock(&s->queue[i]);
    return value;
}

static uint64_t ocf_queue_state_read(OcfState *s, unsigned int i)
{
    const struct ocf_queue *q = &s->queue[i].q;
    uint64_t value;

    ocf_lock(&s->queue[i]);
    value = q->state | q->cause << 8;
    ocf_inbox_lock(&s->inbox[i]);
    if (s->inbox[i].waiting) {
        value |= OCFABRIC_QUEUE_WAITING;
    }
    ocf_inbox_unlock(&s->inbox[i]);
    ocf_unlock(&s->queue[i]);
    return value;
}

static uint64_t ocf_head_read(OcfState *s, unsigned int i)
{
    return ocf_queue_read(s, i, &s->queue[i].q.head) &
           OCFABRIC_DOORBELL_INC_MASK;
}

/* What was rung while the lock was taken has been rung, too. */
static uint64_t ocf_tail_read(OcfState *s, unsigned int i)
{
    uint64_t tail;

    ocf_lock(&s->queue[i]);
    tail = s->queue[i].q.tail + qatomic_read(&s->queue[i].pending);
    ocf_unlock(&s->queue[i]);
    return tail & OCFABRIC_DOORBELL_INC_MASK;
}

static uint64_t ocf_wrote_read(OcfState *s, unsigned int i)
{
    return ocf_queue_read(s, i, &s->queue[i].q.wrote);
}

static uint64_t ocf_expected_read(OcfState *s, unsigned int i)
{
    return ocf_queue_read(s, i, &s->queue[i].q.expected);
}

/* What others change too. */
static uint64_t ocf_inbox_read(OcfState *s, unsigned int i, uint32_t *field)
{
    uint64_t value;

    ocf_inbox_lock(&s->inbox[i]);
    ocf_inbox_rung(&s->inbox[i]);
    value = *field;
    ocf_inbox_unlock(&s->inbox[i]);
    return value;
}

static uint64_t ocf_produced_read(OcfState *s, unsigned int i)
{
    return ocf_inbox_read(s, i, &s->inbox[i].produced);
}

static uint64_t ocf_interrupts_read(OcfState *s, unsigned int i)
{
    return ocf_inbox_read(s, i, &s->inbox[i].interrupts);
}

static uint64_t ocf_delayed_read(OcfState *s, unsigned int i)
{
    return ocf_inbox_read(s, i, &s->inbox[i].moderation.delayed);
}

static uint64_t ocf_rx_head_read(OcfState *s, unsigned int i)
{
    return ocf_inbox_read(s, i, &s->inbox[i].rx_head) &
           OCFABRIC_DOORBELL_INC_MASK;
}

static uint64_t ocf_rx_tail_read(OcfState *s, unsigned int i)
{
    return ocf_inbox_read(s, i, &s->inbox[i].rx_tail) &
           OCFABRIC_DOORBELL_INC_MASK;
}

static uint64_t ocf_semaphore_read(OcfState *s, unsigned int i)
{
    struct ocf_inbox *b = &s->inbox[i / OCF_SEMS];

    return ocf_inbox_read(s, b->id, &b->sem[i % OCF_SEMS]);
}

static uint64_t ocf_moderation_read(OcfState *s, unsigned int i)
{
    uint64_t value;

    ocf_inbox_lock(&s->inbox[i]);
    value = ocf_moderation_get(&s->inbox[i].moderation);
    ocf_inbox_unlock(&s->inbox[i]);
    return value;
}

static uint64_t ocf_moderation_timer_read(OcfState *s, unsigned int i)
{
    return ocf_inbox_read(s, i, &s->inbox[i].moderation.timer);
}

/* In force at once: what waits for an interrupt is looked at again. */
static void ocf_moderate(OcfState *s, unsigned int i, uint32_t value,
                         bool (*set)(struct ocf_moderation *, uint32_t))
{
    struct ocf_inbox *b = &s->inbox[i];
    bool valid;

    ocf_lock(&s->queue[i]);
    ocf_inbox_lock(b);
    valid = set(&b->moderation, value);
    if (valid && !s->stopped) {
        s->inside = true;
        ocf_inbox_announce(b, ocf_clock(s));
        s->inside = false;
    }
    ocf_inbox_unlock(b);
    ocf_unlock(&s->queue[i]);
    if (!valid) {
        qemu_log_mask(LOG_GUEST_ERROR, "ocfabric: moderation of queue %u: 0x%"
                      PRIx32 "\n", i, value);
    }
    ocf_tell(s);
}

static void ocf_moderation_write(OcfState *s, unsigned int i, uint64_t value)
{
    ocf_moderate(s, i, value, ocf_moderation_set);
}

static void ocf_moderation_timer_write(OcfState *s, unsigned int i,
                                       uint64_t value)
{
    ocf_moderate(s, i, value, ocf_moderation_set_timer);
}

static uint64_t ocf_counter_read(OcfState *s, unsigned int i)
{
    unsigned int c = i % OCF_COUNTER_SLOTS;

    return c < OCF_NR_COUNTERS ?
           s->card.snapshot[i / OCF_COUNTER_SLOTS].c[c] : 0;
}

QEMU_BUILD_BUG_ON((int)OCF_NR_PATHS != OCFABRIC_PATHS ||
                  (int)OCF_PATH_COMPLETED != OCFABRIC_PATH_COMPLETED ||
                  OCF_PATH_NONE != OCFABRIC_PATH_NONE ||
                  (int)OCF_WAITS_FOR_RESPONSE != OCFABRIC_WAITS_FOR_RESPONSE);

static uint64_t ocf_path_read(OcfState *s, unsigned int i)
{
    const struct ocf_path_counts *c =
        &s->card.snapshot_path[i / OCF_PATH_WORDS];
    unsigned int stage = i % OCF_PATH_WORDS / OCF_PATH_STAGE_WORDS;

    if (stage >= OCF_NR_PATHS) {
        return 0;
    }
    switch (i % OCF_PATH_STAGE_WORDS * 8) {
    case OCFABRIC_PATH_IN:
        return c->in[stage];
    case OCFABRIC_PATH_OUT:
        return c->out[stage];
    case OCFABRIC_PATH_ENDED:
        return c->ended[stage];
    default:
        return 0;
    }
}

static uint64_t ocf_path_at_read(OcfState *s, unsigned int i)
{
    const struct ocf_where *where = &s->card.snapshot_where[i];

    return where->at | where->waits_for << 8;
}

static uint64_t ocf_path_since_read(OcfState *s, unsigned int i)
{
    return s->card.snapshot_where[i].since;
}

static uint64_t ocf_path_due_read(OcfState *s, unsigned int i)
{
    return s->card.snapshot_where[i].due;
}

static uint64_t ocf_reject_read(OcfState *s, unsigned int i)
{
    const struct ocfabric_hw_reject *r = s->snapshot_reject[0];

    return ldq_le_p((const uint8_t *)&r[i / OCF_REJECT_WORDS] +
                    i % OCF_REJECT_WORDS * 8);
}

static struct ocfabric_hw_reject ocf_reject(const struct ocf_reject *r,
                                            uint64_t seq)
{
    return (struct ocfabric_hw_reject) {
        .seq = cpu_to_le64(seq),
        /* a SEM_REMOTE has no address */
        .raddr = cpu_to_le64(r->opcode == OCFABRIC_OP_SEM_REMOTE ? r->sem :
                             r->raddr),
        .clock = cpu_to_le64(r->cycle),
        .len = cpu_to_le32(r->len),
        .beats = cpu_to_le32(r->beats),
        .qpn = cpu_to_le32(r->qpn),
        .generation = cpu_to_le32(r->generation),
        .opcode = r->opcode,
        .flags = r->flags,
        .verdict = ocf_reject_verdicts[r->verdict],
        .peer = r->peer,
    };
}

/* Entry i is the last one whose seq is i + 1 mod 16. */
static void ocf_snapshot_rejects(OcfState *s, unsigned int link)
{
    const struct ocf_link *l = &s->card.link[link];
    uint64_t seq = l->nr_rejects < OCF_REJECTS ? 0 :
                   l->nr_rejects - OCF_REJECTS;

    memset(s->snapshot_reject[link], 0, sizeof(s->snapshot_reject[link]));
    for (; seq < l->nr_rejects; seq++) {
        unsigned int i = seq % OCF_REJECTS;

        s->snapshot_reject[link][i] = ocf_reject(&l->reject[i], seq + 1);
    }
}

void ocf_snapshot(OcfState *s, uint32_t what)
{
    bool adds_up = true;
    unsigned int i;

    ocf_halt(s);
    s->snapshot_clock = ocf_clock(s);
    if (what & OCFABRIC_SNAPSHOT_COUNTERS) {
        adds_up = ocf_card_snapshot(&s->card);
    }
    for (i = 0; what & OCFABRIC_SNAPSHOT_REJECTS && i < OCF_REPLICAS; i++) {
        ocf_snapshot_rejects(s, i);
    }
    if (what & OCFABRIC_SNAPSHOT_QPS) {
        ocf_snapshot_qps(s);
    }
    ocf_go(s);
    if (!adds_up) {
        ocf_error(s, OCFABRIC_ERROR_CONSERVATION);
    }
}

#define OCF_QUEUE_REG(field) OCFABRIC_REG_QUEUE(0) + (field), 0x100, \
                             OCF_REPLICAS, 4, false

const OcfReg ocf_status_regs[] = {
    { OCFABRIC_REG_LINK_STATE(0), 4, OCF_REPLICAS, 4, false,
      ocf_link_state_read },
    { OCF_QUEUE_REG(OCFABRIC_QUEUE_STATE), ocf_queue_state_read },
    { OCF_QUEUE_REG(OCFABRIC_QUEUE_HEAD), ocf_head_read },
    { OCF_QUEUE_REG(OCFABRIC_QUEUE_TAIL), ocf_tail_read },
    { OCF_QUEUE_REG(OCFABRIC_QUEUE_WROTE), ocf_wrote_read },
    { OCF_QUEUE_REG(OCFABRIC_QUEUE_EXPECTED), ocf_expected_read },
    { OCF_QUEUE_REG(OCFABRIC_QUEUE_CQ_PRODUCER), ocf_produced_read },
    { OCF_QUEUE_REG(OCFABRIC_QUEUE_INTERRUPTS), ocf_interrupts_read },
    { OCF_QUEUE_REG(OCFABRIC_QUEUE_DELAYED), ocf_delayed_read },
    { OCF_QUEUE_REG(OCFABRIC_QUEUE_RX_HEAD), ocf_rx_head_read },
    { OCF_QUEUE_REG(OCFABRIC_QUEUE_RX_TAIL), ocf_rx_tail_read },
    { OCF_QUEUE_REG(OCFABRIC_QUEUE_MODERATION), ocf_moderation_read,
      ocf_moderation_write },
    { OCF_QUEUE_REG(OCFABRIC_QUEUE_MODERATION_TIMER), ocf_moderation_timer_read,
      ocf_moderation_timer_write },
    { OCFABRIC_REG_SEMAPHORE(0, 0), 4, OCF_REPLICAS * OCF_SEMS, 4, false,
      ocf_semaphore_read },
    { OCFABRIC_REG_COUNTER(0, 0), 8, OCF_REPLICAS * OCF_COUNTER_SLOTS, 8, false,
      ocf_counter_read },
    { OCFABRIC_REG_PATH_AT(0), 0x100, OCF_REPLICAS, 4, false,
      ocf_path_at_read },
    { OCFABRIC_REG_PATH_SINCE(0), 0x100, OCF_REPLICAS, 8, false,
      ocf_path_since_read },
    { OCFABRIC_REG_PATH_DUE(0), 0x100, OCF_REPLICAS, 8, false,
      ocf_path_due_read },
    { OCFABRIC_REG_PATH(0, 0), 8, OCF_REPLICAS * OCF_PATH_WORDS, 8, false,
      ocf_path_read },
    { OCFABRIC_REG_REJECT(0, 0), 8,
      OCF_REPLICAS * OCF_REJECTS * OCF_REJECT_WORDS, 8, false,
      ocf_reject_read },
};

const size_t ocf_nr_status_regs = ARRAY_SIZE(ocf_status_regs);
