/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BAR 0: queue pairs. One command at a time; it is done when it returns, unless
 * its connection drains: then whoever asks for the status finds out that the
 * last write has ended, by whatever end.
 */
#include "qemu/osdep.h"
#include "qemu/log.h"

#include "ocfabric_regs.h"
#include "trace.h"

#define OCF_QPC_WORDS (sizeof(struct ocfabric_hw_qp) / 8)
#define OCF_QP_REG(r) (((r) - OCFABRIC_QP_VALID) / 4)
#define OCF_QP_STICKY OCFABRIC_QP_OVERRUN

QEMU_BUILD_BUG_ON(OCF_QP_REG(OCFABRIC_QP_MOVES) + 1 != OCF_QP_REGS);
QEMU_BUILD_BUG_ON(OCF_QP_REG(OCFABRIC_QP_PEER) != 1 + OCFABRIC_QP_ATTRS);

typedef struct ocf_qp_answer OcfQpCmd(OcfState *s, OcfQueue *oq, uint32_t qpn);

static struct ocf_qp_answer ocf_qp_modify(OcfState *s, OcfQueue *oq,
                                          uint32_t qpn)
{
    struct ocf_qp_attrs attrs = { .valid = s->qp.reg[0] };

    memcpy(attrs.value, s->qp.reg + 1, sizeof(attrs.value));
    /* what was rung while somebody had the lock was rung before */
    if (qatomic_read(&oq->pending)) {
        ocf_queue_ring(&oq->q, qatomic_xchg(&oq->pending, 0));
        /* whoever had it finds nothing pending any more, so this is ours */
        ocf_kick(s, 1u << oq->q.id);
    }
    return ocf_queue_modify_qp(&oq->q, qpn, &attrs);
}

static struct ocf_qp_answer ocf_qp_query(OcfState *s, OcfQueue *oq,
                                         uint32_t qpn)
{
    struct ocfabric_hw_qp qp = ocf_qp_export(&s->card.link[oq->q.id], qpn);
    const uint32_t reg[OCF_QP_REGS] = {
        s->qp.reg[0], qp.state, le32_to_cpu(qp.send_psn),
        le32_to_cpu(qp.expected_psn), le16_to_cpu(qp.window),
        le16_to_cpu(qp.mtu), qp.retry_limit, qp.rnr_limit, qp.timeout,
        qp.rnr_timer, qp.peer, le16_to_cpu(qp.outstanding),
        qp.retries | qp.rnr_retries << 8, qp.flags | qp.cause << 8,
        le32_to_cpu(qp.moves),
    };

    memcpy(s->qp.reg, reg, sizeof(reg));
    return (struct ocf_qp_answer) { OCFABRIC_RESULT_OK, OCFABRIC_QP_NO_ATTR };
}

static struct ocf_qp_answer ocf_qp_recover(OcfState *s, OcfQueue *oq,
                                           uint32_t qpn)
{
    return ocf_queue_recover_qp(&oq->q, qpn);
}

static OcfQpCmd *const ocf_qp_cmds[] = {
    [OCFABRIC_QP_CMD_MODIFY] = ocf_qp_modify,
    [OCFABRIC_QP_CMD_QUERY] = ocf_qp_query,
    [OCFABRIC_QP_CMD_RECOVER] = ocf_qp_recover,
};

/*
 * The lock, when there is nothing to be told of this connection any more: a command
 * may change what there is to tell. One that has failed does not fail again.
 */
static void ocf_qp_lock(OcfState *s, OcfQueue *oq, uint32_t qpn)
{
    const struct ocf_link *l = &s->card.link[oq->q.id];

    ocf_lock(oq);
    while (l->qp_failed[qpn / 64] >> qpn % 64 & 1) {
        ocf_unlock(oq);
        ocf_tell_qps(s, oq->q.id);
        ocf_lock(oq);
    }
}

static struct ocf_qp_answer ocf_qp_run(OcfState *s, uint32_t cmd, uint32_t dst)
{
    uint32_t link = dst >> OCFABRIC_QP_LINK_SHIFT;
    uint32_t qpn = dst & OCFABRIC_QPN_MASK;
    struct ocf_qp_answer answer = { OCFABRIC_RESULT_UNKNOWN,
                                    OCFABRIC_QP_NO_ATTR };
    OcfQueue *oq;

    if (cmd >= ARRAY_SIZE(ocf_qp_cmds) || !ocf_qp_cmds[cmd]) {
        return answer;
    }
    if (link >= s->replicas || qpn >= OCF_QPNS) {
        answer.result = OCFABRIC_RESULT_INVALID;
        return answer;
    }
    oq = &s->queue[link];
    ocf_qp_lock(s, oq, qpn);
    s->inside = true;
    answer = ocf_qp_cmds[cmd](s, oq, qpn);
    s->inside = false;
    if (cmd == OCFABRIC_QP_CMD_MODIFY && answer.result == OCFABRIC_RESULT_OK &&
        ocf_qp_draining(&s->card.link[link], qpn)) {
        s->qp.status |= OCFABRIC_QP_BUSY;
        s->qp.busy_dst = dst;
    }
    /* whoever disables a queue is not told that it stopped in that */
    if (oq->q.state == OCFABRIC_QUEUE_DISABLED) {
        qatomic_and(&s->tell, ~OCF_NOTE_STOPPED(link));
    }
    ocf_unlock(oq);
    if (cmd != OCFABRIC_QP_CMD_QUERY && answer.result == OCFABRIC_RESULT_OK) {
        /* the descriptors behind a write that ended */
        ocf_kick(s, 1u << link);
    }
    return answer;
}

static void ocf_qp_done(OcfState *s, struct ocf_qp_answer answer)
{
    s->qp.status = (s->qp.status & OCF_QP_STICKY) | OCFABRIC_QP_DONE |
                   answer.result << OCFABRIC_QP_RESULT_SHIFT |
                   answer.at << OCFABRIC_QP_AT_SHIFT;
}

/* The last write of a connection that drains may have made it fail. */
static uint32_t ocf_qp_status(OcfState *s)
{
    uint32_t link = s->qp.busy_dst >> OCFABRIC_QP_LINK_SHIFT;
    uint32_t qpn = s->qp.busy_dst & OCFABRIC_QPN_MASK;
    struct ocf_qp_answer answer = { OCFABRIC_RESULT_OK, OCFABRIC_QP_NO_ATTR };
    bool draining;

    if (s->qp.status & OCFABRIC_QP_BUSY) {
        ocf_lock(&s->queue[link]);
        draining = ocf_qp_draining(&s->card.link[link], qpn);
        if (s->card.link[link].qp[qpn].state == OCFABRIC_QP_SQE) {
            answer = (struct ocf_qp_answer) { OCFABRIC_RESULT_MOVE, 0 };
        }
        ocf_unlock(&s->queue[link]);
        if (!draining) {
            ocf_qp_done(s, answer);
        }
    }
    return s->qp.status;
}

static void ocf_qp_cmd_write(OcfState *s, unsigned int i, uint64_t value)
{
    struct ocf_qp_answer answer;

    if (ocf_qp_status(s) & OCFABRIC_QP_BUSY) {
        s->qp.status |= OCFABRIC_QP_OVERRUN;
        return;
    }
    ocf_tell(s);
    s->qp.status &= OCF_QP_STICKY;
    answer = ocf_qp_run(s, value, s->qp.dst);
    if (!(s->qp.status & OCFABRIC_QP_BUSY)) {
        ocf_qp_done(s, answer);
    }
    trace_ocfabric_qp_cmd(value, s->qp.dst >> OCFABRIC_QP_LINK_SHIFT,
                          s->qp.dst & OCFABRIC_QPN_MASK, s->qp.status);
    ocf_tell(s);
}

static uint64_t ocf_qp_status_read(OcfState *s, unsigned int i)
{
    return ocf_qp_status(s);
}

static void ocf_qp_status_write(OcfState *s, unsigned int i, uint64_t value)
{
    s->qp.status &= ~(value & OCF_QP_STICKY);
}

static uint64_t ocf_qpc_base_read(OcfState *s, unsigned int i)
{
    return OCFABRIC_REG_QPC(0, 0);
}

static uint64_t ocf_qpc_number_read(OcfState *s, unsigned int i)
{
    return OCF_REPLICAS * OCF_QPNS;
}

static uint64_t ocf_qp_dst_read(OcfState *s, unsigned int i)
{
    return s->qp.dst;
}

static void ocf_qp_dst_write(OcfState *s, unsigned int i, uint64_t value)
{
    s->qp.dst = value;
}

static uint64_t ocf_qp_window_read(OcfState *s, unsigned int i)
{
    return s->card.qp_window;
}

static void ocf_qp_window_write(OcfState *s, unsigned int i, uint64_t value)
{
    if (!value || value > OCFABRIC_QP_WINDOW_MAX) {
        qemu_log_mask(LOG_GUEST_ERROR, "ocfabric: window of %" PRIu64
                      " packets\n", value);
        return;
    }
    /* it is read where connections are loaded: all under the BQL */
    s->card.qp_window = value;
}

static uint64_t ocf_qp_reg_read(OcfState *s, unsigned int i)
{
    return s->qp.reg[i];
}

static void ocf_qp_reg_write(OcfState *s, unsigned int i, uint64_t value)
{
    s->qp.reg[i] = value;
}

static uint64_t ocf_qp_result_read(OcfState *s, unsigned int i)
{
    return s->qp.reg[OCF_QP_REG(OCFABRIC_QP_PEER) + i];
}

static uint64_t ocf_qpc_read(OcfState *s, unsigned int i)
{
    return ldq_le_p((const uint8_t *)s->snapshot_qp + 8 * i);
}

void ocf_snapshot_qps(OcfState *s)
{
    unsigned int link, qpn;

    for (link = 0; link < OCF_REPLICAS; link++) {
        for (qpn = 0; qpn < OCF_QPNS; qpn++) {
            s->snapshot_qp[link][qpn] = ocf_qp_export(&s->card.link[link],
                                                      qpn);
        }
    }
}

void ocf_qp_reset(OcfState *s)
{
    unsigned int link, qpn;

    memset(&s->qp, 0, sizeof(s->qp));
    memset(s->snapshot_qp, 0, sizeof(s->snapshot_qp));
    for (link = 0; link < OCF_REPLICAS; link++) {
        for (qpn = 0; qpn < OCF_QPNS; qpn++) {
            s->snapshot_qp[link][qpn].peer = OCF_NO_PEER;
        }
    }
}

bool ocf_qp_loaded(const OcfState *s, Error **errp)
{
    if (s->qp.busy_dst >> OCFABRIC_QP_LINK_SHIFT >= OCF_REPLICAS ||
        (s->qp.busy_dst & OCFABRIC_QPN_MASK) >= OCF_QPNS) {
        error_setg(errp, "a queue pair command for link %u QPN %u, expected "
                   "below %u and %u", s->qp.busy_dst >> OCFABRIC_QP_LINK_SHIFT,
                   s->qp.busy_dst & OCFABRIC_QPN_MASK, OCF_REPLICAS, OCF_QPNS);
        return false;
    }
    if (!s->card.qp_window || s->card.qp_window > OCFABRIC_QP_WINDOW_MAX) {
        error_setg(errp, "send window %u, expected 1 to %u", s->card.qp_window,
                   OCFABRIC_QP_WINDOW_MAX);
        return false;
    }
    return true;
}

/* ---- connections that the card moved ---- */

void ocf_note_qp(void *opaque, unsigned int link)
{
    OcfState *s = opaque;

    qatomic_or(&s->tell, OCF_NOTE_QP(link));
}

/* One that failed; false if there is none any more. */
static bool ocf_qp_next_failed(OcfQueue *oq, struct ocfabric_event *ev)
{
    struct ocf_link *l = &oq->s->card.link[oq->q.id];
    unsigned long qpn;
    uint32_t word;

    ocf_lock(oq);
    for (word = 0; word < OCF_QPNS / 64 && !l->qp_failed[word]; word++) {
        /* nothing */
    }
    if (word < OCF_QPNS / 64) {
        qpn = 64 * word + ctz64(l->qp_failed[word]);
        l->qp_failed[word] &= l->qp_failed[word] - 1;
        *ev = (struct ocfabric_event) {
            .type = OCFABRIC_EVENT_QP,
            .link = oq->q.id,
            .cause = l->qp[qpn].cause,
            .a = cpu_to_le32(qpn),
            .b = cpu_to_le32(l->qp[qpn].state),
        };
    }
    ocf_unlock(oq);
    return word < OCF_QPNS / 64;
}

void ocf_tell_qps(OcfState *s, unsigned int link)
{
    struct ocfabric_event ev;

    while (ocf_qp_next_failed(&s->queue[link], &ev)) {
        trace_ocfabric_qp_failed(link, le32_to_cpu(ev.a), le32_to_cpu(ev.b),
                                 ev.cause);
        ocf_event(s, ev);
    }
}

#define OCF_QP_ROW(r) OCFABRIC_REG_QP(r), 0, 1, 4, false

const OcfReg ocf_qp_regs[] = {
    { OCF_QP_ROW(OCFABRIC_QPC_BASE_ADDR), ocf_qpc_base_read },
    { OCF_QP_ROW(OCFABRIC_QPC_ENTRY_NUM), ocf_qpc_number_read },
    { OCF_QP_ROW(OCFABRIC_MOD_QP_CMD), NULL, ocf_qp_cmd_write },
    { OCF_QP_ROW(OCFABRIC_MOD_QP_DST_QPN), ocf_qp_dst_read,
      ocf_qp_dst_write },
    { OCF_QP_ROW(OCFABRIC_QUERY_QP_STATUS), ocf_qp_status_read,
      ocf_qp_status_write },
    { OCF_QP_ROW(OCFABRIC_WINDOW_SIZE_REG), ocf_qp_window_read,
      ocf_qp_window_write },
    { OCFABRIC_REG_QP(OCFABRIC_QP_VALID), 4, OCF_QP_REG(OCFABRIC_QP_PEER), 4,
      false, ocf_qp_reg_read, ocf_qp_reg_write },
    { OCFABRIC_REG_QP(OCFABRIC_QP_PEER), 4,
      OCF_QP_REGS - OCF_QP_REG(OCFABRIC_QP_PEER), 4, false,
      ocf_qp_result_read },
    { OCFABRIC_REG_QPC(0, 0), 8, OCF_REPLICAS * OCF_QPNS * OCF_QPC_WORDS, 8,
      false, ocf_qpc_read },
};

const size_t ocf_nr_qp_regs = ARRAY_SIZE(ocf_qp_regs);
