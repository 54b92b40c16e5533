/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command mailbox: queues, memory keys, faults. */
#include "qemu/osdep.h"

#include "ocfabric.h"
#include "trace.h"

/* Queue commands: with the queue's lock. */
typedef enum ocfabric_hw_result OcfQueueCmd(OcfState *s, OcfQueue *oq);

static enum ocfabric_hw_result ocf_cmd_enable(OcfState *s, OcfQueue *oq)
{
    enum ocfabric_hw_result result = ocf_queue_enable(&oq->q, s->cmd_arg[0]);

    if (result == OCFABRIC_RESULT_OK) {
        qatomic_set(&oq->pending, 0);
    }
    return result;
}

static enum ocfabric_hw_result ocf_cmd_disable(OcfState *s, OcfQueue *oq)
{
    enum ocfabric_hw_result result;

    if (s->cmd_arg[0] & ~OCFABRIC_QUEUE_ABORT) {
        return OCFABRIC_RESULT_INVALID;
    }
    result = ocf_queue_disable(&oq->q, s->cmd_arg[0] & OCFABRIC_QUEUE_ABORT);
    if (oq->q.state == OCFABRIC_QUEUE_DISABLED) {
        ocf_dma_release(oq);
    }
    return result;
}

static enum ocfabric_hw_result ocf_cmd_link_reset(OcfState *s, OcfQueue *oq)
{
    ocf_queue_reset_link(&oq->q);
    /* the descriptors behind it */
    ocf_kick(s, 1u << oq->q.id);
    return OCFABRIC_RESULT_OK;
}

static bool ocf_cmd_key(OcfState *s, uint32_t *key)
{
    *key = s->cmd_arg[3];
    return s->cmd_arg[3] <= UINT32_MAX;
}

static enum ocfabric_hw_result ocf_cmd_key_add(OcfState *s, OcfQueue *oq)
{
    uint32_t key;

    return ocf_cmd_key(s, &key) ?
           ocf_key_add(&oq->q.keys, &s->host, key, s->cmd_arg[2],
                       s->cmd_arg[0], s->cmd_arg[1]) :
           OCFABRIC_RESULT_INVALID;
}

static enum ocfabric_hw_result ocf_cmd_key_del(OcfState *s, OcfQueue *oq)
{
    uint32_t key;

    return ocf_cmd_key(s, &key) ? ocf_key_del(&oq->q.keys, key) :
                                  OCFABRIC_RESULT_INVALID;
}

/* Fault commands: halted, drained, the address inside the HBM. */
typedef enum ocfabric_hw_result OcfFaultCmd(OcfState *s);

static enum ocfabric_hw_result ocf_cmd_fault_resp(OcfState *s)
{
    enum ocf_resp resp;

    switch (s->cmd_arg[1]) {
    case OCFABRIC_RESP_OKAY:
        resp = OCF_OKAY;
        break;
    case OCFABRIC_RESP_SLVERR:
        resp = OCF_SLVERR;
        break;
    case OCFABRIC_RESP_DECERR:
        resp = OCF_DECERR;
        break;
    default:
        return OCFABRIC_RESULT_INVALID;
    }
    return ocf_fault_set_resp(&s->card.faults, s->cmd_arg[0], resp) ?
           OCFABRIC_RESULT_OK : OCFABRIC_RESULT_NO_SPACE;
}

static enum ocfabric_hw_result ocf_cmd_fault_delay(OcfState *s)
{
    if (s->cmd_arg[1] > UINT32_MAX) {
        return OCFABRIC_RESULT_INVALID;
    }
    return ocf_fault_set_delay(&s->card.faults, s->cmd_arg[0],
                               s->cmd_arg[1]) ?
           OCFABRIC_RESULT_OK : OCFABRIC_RESULT_NO_SPACE;
}

static enum ocfabric_hw_result ocf_cmd_fault_clear(OcfState *s)
{
    ocf_fault_clear(&s->card.faults, s->cmd_arg[0]);
    return OCFABRIC_RESULT_OK;
}

static enum ocfabric_hw_result ocf_cmd_fault_clear_all(OcfState *s)
{
    ocf_fault_clear_all(&s->card.faults);
    return OCFABRIC_RESULT_OK;
}

typedef struct OcfCmd {
    OcfQueueCmd *on_queue;
    OcfFaultCmd *on_fault;
    bool no_line;
} OcfCmd;

static const OcfCmd ocf_cmds[] = {
    [OCFABRIC_HW_CMD_QUEUE_ENABLE] = { .on_queue = ocf_cmd_enable },
    [OCFABRIC_HW_CMD_QUEUE_DISABLE] = { .on_queue = ocf_cmd_disable },
    [OCFABRIC_HW_CMD_KEY_ADD] = { .on_queue = ocf_cmd_key_add },
    [OCFABRIC_HW_CMD_KEY_DEL] = { .on_queue = ocf_cmd_key_del },
    [OCFABRIC_HW_CMD_FAULT_RESP] = { .on_fault = ocf_cmd_fault_resp },
    [OCFABRIC_HW_CMD_FAULT_DELAY] = { .on_fault = ocf_cmd_fault_delay },
    [OCFABRIC_HW_CMD_FAULT_CLEAR] = { .on_fault = ocf_cmd_fault_clear },
    [OCFABRIC_HW_CMD_FAULT_CLEAR_ALL] = {
        .on_fault = ocf_cmd_fault_clear_all, .no_line = true,
    },
    [OCFABRIC_HW_CMD_LINK_RESET] = { .on_queue = ocf_cmd_link_reset },
};

static enum ocfabric_hw_result ocf_cmd_on_queue(OcfState *s, const OcfCmd *cmd,
                                                uint32_t i)
{
    enum ocfabric_hw_result result;
    OcfQueue *oq;

    if (i >= s->replicas) {
        return OCFABRIC_RESULT_INVALID;
    }
    oq = &s->queue[i];
    ocf_lock(oq);
    result = cmd->on_queue(s, oq);
    /* whoever disables a queue is not told that it stopped in that */
    if (oq->q.state != OCFABRIC_QUEUE_STOPPED) {
        qatomic_and(&s->tell, ~OCF_NOTE_STOPPED(i));
    }
    if (oq->q.state == OCFABRIC_QUEUE_QUIESCING) {
        s->cmd_status = OCFABRIC_HW_CMD_BUSY;
        s->cmd_queue = i;
    }
    ocf_unlock(oq);
    return result;
}

static enum ocfabric_hw_result ocf_cmd_on_fault(OcfState *s, const OcfCmd *cmd)
{
    enum ocfabric_hw_result result = OCFABRIC_RESULT_NOT_DRAINED;

    if (!s->faults) {
        return OCFABRIC_RESULT_UNKNOWN;
    }
    if (!cmd->no_line && s->cmd_arg[0] >= s->hbm_size) {
        return OCFABRIC_RESULT_INVALID;
    }
    ocf_halt(s);
    if (ocf_card_drained(&s->card)) {
        result = cmd->on_fault(s);
    }
    ocf_go(s);
    return result;
}

static enum ocfabric_hw_result ocf_cmd_run(OcfState *s, uint32_t opcode,
                                           uint32_t queue)
{
    const OcfCmd *cmd;

    if (opcode >= ARRAY_SIZE(ocf_cmds)) {
        return OCFABRIC_RESULT_UNKNOWN;
    }
    cmd = &ocf_cmds[opcode];
    if (cmd->on_queue) {
        return ocf_cmd_on_queue(s, cmd, queue);
    }
    return cmd->on_fault ? ocf_cmd_on_fault(s, cmd) : OCFABRIC_RESULT_UNKNOWN;
}

static uint32_t ocf_cmd_done(enum ocfabric_hw_result result)
{
    return OCFABRIC_HW_CMD_DONE | result << OCFABRIC_HW_CMD_RESULT_SHIFT;
}

void ocf_cmd(OcfState *s, uint32_t cmd)
{
    enum ocfabric_hw_result result;

    if (ocf_cmd_status(s) & OCFABRIC_HW_CMD_BUSY) {
        ocf_error(s, OCFABRIC_ERROR_CMD_OVERRUN);
        return;
    }
    /* what a queue has to say is said before a command changes the queue */
    ocf_tell(s);
    s->cmd_status = 0;
    s->inside = true;
    result = ocf_cmd_run(s, cmd & 0xff, (cmd >> 8) & 0xff);
    s->inside = false;
    if (!(s->cmd_status & OCFABRIC_HW_CMD_BUSY)) {
        s->cmd_status = ocf_cmd_done(result);
    }
    trace_ocfabric_cmd(cmd & 0xff, (cmd >> 8) & 0xff, s->cmd_status);
    ocf_tell(s);
}

uint32_t ocf_cmd_status(OcfState *s)
{
    OcfQueue *oq = &s->queue[s->cmd_queue];

    if (s->cmd_status & OCFABRIC_HW_CMD_BUSY) {
        ocf_lock(oq);
        if (oq->q.state == OCFABRIC_QUEUE_DISABLED) {
            ocf_dma_release(oq);
            s->cmd_status = ocf_cmd_done(OCFABRIC_RESULT_OK);
        }
        ocf_unlock(oq);
    }
    return s->cmd_status;
}
