/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints: what the driver does and hears. Posts and completions go past
 * it; the card's own trace events and its counters show those.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ocfabric

#if !defined(OCFABRIC_DRIVER_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define OCFABRIC_DRIVER_TRACE_H

#include <linux/tracepoint.h>

#include "ocfabric.h"

#define OCF_SHOW_STATE(state) __print_symbolic(state,	\
	{ OCF_STARTING, "starting" },			\
	{ OCF_LIVE, "live" },				\
	{ OCF_STOPPING, "stopping" },			\
	{ OCF_STOPPED, "stopped" },			\
	{ OCF_DEAD, "dead" })

#define OCF_SHOW_COMMAND(opcode) __print_symbolic(opcode,		\
	{ OCFABRIC_HW_CMD_QUEUE_ENABLE, "queue_enable" },		\
	{ OCFABRIC_HW_CMD_QUEUE_DISABLE, "queue_disable" },		\
	{ OCFABRIC_HW_CMD_KEY_ADD, "key_add" },				\
	{ OCFABRIC_HW_CMD_KEY_DEL, "key_del" },				\
	{ OCFABRIC_HW_CMD_FAULT_RESP, "fault_resp" },			\
	{ OCFABRIC_HW_CMD_FAULT_DELAY, "fault_delay" },			\
	{ OCFABRIC_HW_CMD_FAULT_CLEAR, "fault_clear" },			\
	{ OCFABRIC_HW_CMD_FAULT_CLEAR_ALL, "fault_clear_all" },		\
	{ OCFABRIC_HW_CMD_LINK_RESET, "link_reset" })

#define OCF_SHOW_EVENT(type) __print_symbolic(type,	\
	{ OCFABRIC_EVENT_QUEUE_STOPPED, "queue_stopped" },	\
	{ OCFABRIC_EVENT_ERROR, "error" },			\
	{ OCFABRIC_EVENT_STALLED, "stalled" },			\
	{ OCFABRIC_EVENT_REJECTED, "rejected" },		\
	{ OCFABRIC_EVENT_QP, "qp" })

#define OCF_SHOW_QP_STATE(state) __print_symbolic(state,	\
	{ OCFABRIC_QP_RESET, "RESET" },				\
	{ OCFABRIC_QP_INIT, "INIT" },				\
	{ OCFABRIC_QP_RTR, "RTR" },				\
	{ OCFABRIC_QP_RTS, "RTS" },				\
	{ OCFABRIC_QP_SQD, "SQD" },				\
	{ OCFABRIC_QP_SQE, "SQE" },				\
	{ OCFABRIC_QP_ERR, "ERR" })

#define OCF_SHOW_QP_COMMAND(cmd) __print_symbolic(cmd,	\
	{ OCFABRIC_QP_CMD_MODIFY, "modify" },		\
	{ OCFABRIC_QP_CMD_QUERY, "query" },		\
	{ OCFABRIC_QP_CMD_RECOVER, "recover" })

#define OCF_SHOW_QP_CAUSE(cause) __print_symbolic(cause,	\
	{ OCFABRIC_QP_CAUSE_NONE, "none" },			\
	{ OCFABRIC_QP_CAUSE_PSN, "psn" },			\
	{ OCFABRIC_QP_CAUSE_RETRY, "retry" },			\
	{ OCFABRIC_QP_CAUSE_RNR, "rnr" },			\
	{ OCFABRIC_QP_CAUSE_NAK, "nak" })

#define OCF_SHOW_PATH(stage) __print_symbolic(stage,	\
	{ OCFABRIC_PATH_TAKEN, "taken" },		\
	{ OCFABRIC_PATH_MAPPED, "mapped" },		\
	{ OCFABRIC_PATH_AUTHORIZED, "authorized" },	\
	{ OCFABRIC_PATH_REALIGNED, "realigned" },	\
	{ OCFABRIC_PATH_ISSUED, "issued" },		\
	{ OCFABRIC_PATH_ACKNOWLEDGED, "acknowledged" },	\
	{ OCFABRIC_PATH_COMPLETED, "completed" })

#define OCF_SHOW_VERDICT(verdict) __print_symbolic(verdict,		\
	{ OCFABRIC_VERDICT_COMMITTED, "committed" },			\
	{ OCFABRIC_VERDICT_SHORT_PACKET, "short_packet" },		\
	{ OCFABRIC_VERDICT_UNMAPPED, "unmapped" },			\
	{ OCFABRIC_VERDICT_QP_STATE, "qp_state" },			\
	{ OCFABRIC_VERDICT_BAD_CONFIG, "bad_config" },			\
	{ OCFABRIC_VERDICT_ZERO_LENGTH, "zero_length" },		\
	{ OCFABRIC_VERDICT_MISALIGNED, "misaligned" },			\
	{ OCFABRIC_VERDICT_OUT_OF_BOUNDS, "out_of_bounds" },		\
	{ OCFABRIC_VERDICT_UNAUTHORIZED, "unauthorized" },		\
	{ OCFABRIC_VERDICT_RNR, "rnr" },				\
	{ OCFABRIC_VERDICT_AXI_ERROR, "axi_error" },			\
	{ OCFABRIC_VERDICT_DMA_ERROR, "dma_error" },			\
	{ OCFABRIC_VERDICT_LOCAL_PROTECTION, "local_protection" },	\
	{ OCFABRIC_VERDICT_FLUSHED, "flushed" })

#define OCF_SHOW_CAUSE(cause) __print_symbolic(cause,			\
	{ OCFABRIC_CAUSE_NONE, "none" },				\
	{ OCFABRIC_CAUSE_STALE_TAG, "stale_tag" },			\
	{ OCFABRIC_CAUSE_OVER_INCREMENT, "over_increment" },		\
	{ OCFABRIC_CAUSE_BAD_DESCRIPTOR, "bad_descriptor" },		\
	{ OCFABRIC_CAUSE_CQ_FULL, "cq_full" },				\
	{ OCFABRIC_CAUSE_OWNER_INDEX, "owner_index" },			\
	{ OCFABRIC_CAUSE_DMA, "dma" },					\
	{ OCFABRIC_CAUSE_RX_STALE_TAG, "rx_stale_tag" },		\
	{ OCFABRIC_CAUSE_RX_OVER_INCREMENT, "rx_over_increment" },	\
	{ OCFABRIC_CAUSE_RX_BAD_DESCRIPTOR, "rx_bad_descriptor" })

TRACE_EVENT(ocfabric_state,
	TP_PROTO(const struct ocf_card *card, int from, int to),
	TP_ARGS(card, from, to),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(int, from)
		__field(int, to)
	),
	TP_fast_assign(
		__entry->card = card->index;
		__entry->from = from;
		__entry->to = to;
	),
	TP_printk("card=%u %s -> %s", __entry->card,
		  OCF_SHOW_STATE(__entry->from), OCF_SHOW_STATE(__entry->to))
);

DECLARE_EVENT_CLASS(ocfabric_replica,
	TP_PROTO(const struct ocf_replica *replica, int ret),
	TP_ARGS(replica, ret),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, replica)
		__field(u32, uid)
		__array(char, comm, TASK_COMM_LEN)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->card = replica->card->index;
		__entry->replica = replica->index;
		__entry->uid = from_kuid(&init_user_ns, replica->uid);
		memcpy(__entry->comm, replica->comm, TASK_COMM_LEN);
		__entry->ret = ret;
	),
	TP_printk("card=%u replica=%u uid=%u comm=%s ret=%d", __entry->card,
		  __entry->replica, __entry->uid, __entry->comm, __entry->ret)
);

DEFINE_EVENT(ocfabric_replica, ocfabric_attach,
	TP_PROTO(const struct ocf_replica *replica, int ret),
	TP_ARGS(replica, ret)
);

DEFINE_EVENT(ocfabric_replica, ocfabric_detach,
	TP_PROTO(const struct ocf_replica *replica, int ret),
	TP_ARGS(replica, ret)
);

DECLARE_EVENT_CLASS(ocfabric_key,
	TP_PROTO(const struct ocf_replica *replica, const struct ocf_key *key,
		 int ret),
	TP_ARGS(replica, key, ret),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, replica)
		__field(u32, key)
		__field(u32, ranges)
		__field(u64, bytes)
		__field(bool, buffer)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->card = replica->card->index;
		__entry->replica = replica->index;
		__entry->key = key->key;
		__entry->ranges = key->ranges;
		__entry->bytes = key->bytes;
		__entry->buffer = key->buffer;
		__entry->ret = ret;
	),
	TP_printk("card=%u replica=%u key=0x%08x ranges=%u bytes=%llu buffer=%d ret=%d",
		  __entry->card, __entry->replica, __entry->key,
		  __entry->ranges, __entry->bytes, __entry->buffer,
		  __entry->ret)
);

DEFINE_EVENT(ocfabric_key, ocfabric_key_add,
	TP_PROTO(const struct ocf_replica *replica, const struct ocf_key *key,
		 int ret),
	TP_ARGS(replica, key, ret)
);

DEFINE_EVENT(ocfabric_key, ocfabric_key_del,
	TP_PROTO(const struct ocf_replica *replica, const struct ocf_key *key,
		 int ret),
	TP_ARGS(replica, key, ret)
);

TRACE_EVENT(ocfabric_config_change,
	TP_PROTO(const struct ocf_card *card, u32 steps, bool check, int ret,
		 const char *reason),
	TP_ARGS(card, steps, check, ret, reason),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, steps)
		__field(bool, check)
		__field(int, ret)
		__string(reason, reason)
	),
	TP_fast_assign(
		__entry->card = card->index;
		__entry->steps = steps;
		__entry->check = check;
		__entry->ret = ret;
		__assign_str(reason);
	),
	TP_printk("card=%u steps=%u check=%d ret=%d %s", __entry->card,
		  __entry->steps, __entry->check, __entry->ret,
		  __get_str(reason))
);

TRACE_EVENT(ocfabric_command,
	TP_PROTO(const struct ocf_card *card, u32 opcode, u32 queue, int ret),
	TP_ARGS(card, opcode, queue, ret),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, opcode)
		__field(u32, queue)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->card = card->index;
		__entry->opcode = opcode;
		__entry->queue = queue;
		__entry->ret = ret;
	),
	TP_printk("card=%u %s queue=%u ret=%d", __entry->card,
		  OCF_SHOW_COMMAND(__entry->opcode), __entry->queue,
		  __entry->ret)
);

TRACE_EVENT(ocfabric_broadcast,
	TP_PROTO(const struct ocf_card *card, u32 mask, u32 increment,
		 bool receive, int ret),
	TP_ARGS(card, mask, increment, receive, ret),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, mask)
		__field(u32, increment)
		__field(bool, receive)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->card = card->index;
		__entry->mask = mask;
		__entry->increment = increment;
		__entry->receive = receive;
		__entry->ret = ret;
	),
	TP_printk("card=%u mask=0x%04x increment=%u %s ret=%d", __entry->card,
		  __entry->mask, __entry->increment,
		  __entry->receive ? "receive" : "transmit", __entry->ret)
);

TRACE_EVENT(ocfabric_moderation,
	TP_PROTO(const struct ocf_card *card, u32 queue,
		 const struct ocf_moderation *moderation),
	TP_ARGS(card, queue, moderation),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, queue)
		__field(u32, burst)
		__field(u32, timer)
		__field(u32, mode)
	),
	TP_fast_assign(
		__entry->card = card->index;
		__entry->queue = queue;
		__entry->burst = moderation->burst;
		__entry->timer = moderation->timer;
		__entry->mode = moderation->mode;
	),
	TP_printk("card=%u queue=%u burst=%u timer=%u %s", __entry->card,
		  __entry->queue, __entry->burst, __entry->timer,
		  __entry->mode == OCFABRIC_MODE_COUNT ? "count" : "latency")
);

TRACE_EVENT(ocfabric_interrupt,
	TP_PROTO(const struct ocf_card *card, u32 vector),
	TP_ARGS(card, vector),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, vector)
	),
	TP_fast_assign(
		__entry->card = card->index;
		__entry->vector = vector;
	),
	TP_printk("card=%u vector=%u", __entry->card, __entry->vector)
);

TRACE_EVENT(ocfabric_event,
	TP_PROTO(const struct ocf_card *card,
		 const struct ocfabric_event *event),
	TP_ARGS(card, event),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u8, type)
		__field(u8, link)
		__field(u8, cause)
		__field(u32, seq)
		__field(u32, a)
		__field(u32, b)
		__field(u64, clock)
	),
	TP_fast_assign(
		__entry->card = card->index;
		__entry->type = event->type;
		__entry->link = event->link;
		__entry->cause = event->cause;
		__entry->seq = le32_to_cpu(event->seq);
		__entry->a = le32_to_cpu(event->a);
		__entry->b = le32_to_cpu(event->b);
		__entry->clock = le64_to_cpu(event->clock);
	),
	TP_printk("card=%u seq=%u %s link=%u cause=%u a=%u b=%u clock=%llu",
		  __entry->card, __entry->seq, OCF_SHOW_EVENT(__entry->type),
		  __entry->link, __entry->cause, __entry->a, __entry->b,
		  __entry->clock)
);

/* What the events that were understood say. */
TRACE_EVENT(ocfabric_queue_stopped,
	TP_PROTO(const struct ocf_card *card, const struct ocf_news *news),
	TP_ARGS(card, news),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, queue)
		__field(u32, cause)
		__field(u32, wrote)
		__field(u32, expected)
	),
	TP_fast_assign(
		__entry->card = card->index;
		__entry->queue = news->replica;
		__entry->cause = news->cause;
		__entry->wrote = news->wrote;
		__entry->expected = news->expected;
	),
	TP_printk("card=%u queue=%u cause=%s wrote=%u expected=%u",
		  __entry->card, __entry->queue,
		  OCF_SHOW_CAUSE(__entry->cause), __entry->wrote,
		  __entry->expected)
);

TRACE_EVENT(ocfabric_stalled,
	TP_PROTO(const struct ocf_card *card, const struct ocf_news *news),
	TP_ARGS(card, news),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, link)
		__field(u32, qpn)
		__field(u32, stage)
		__field(u32, age)
	),
	TP_fast_assign(
		__entry->card = card->index;
		__entry->link = news->replica;
		__entry->qpn = news->qpn;
		__entry->stage = news->stage;
		__entry->age = news->age;
	),
	TP_printk("card=%u link=%u qpn=%u stage=%s age=%u", __entry->card,
		  __entry->link, __entry->qpn, OCF_SHOW_PATH(__entry->stage),
		  __entry->age)
);

TRACE_EVENT(ocfabric_rejected,
	TP_PROTO(const struct ocf_card *card, const struct ocf_news *news),
	TP_ARGS(card, news),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, link)
		__field(u32, qpn)
		__field(u32, verdict)
		__field(u32, omitted)
	),
	TP_fast_assign(
		__entry->card = card->index;
		__entry->link = news->replica;
		__entry->qpn = news->qpn;
		__entry->verdict = news->verdict;
		__entry->omitted = news->omitted;
	),
	TP_printk("card=%u link=%u qpn=%u verdict=%s omitted=%u", __entry->card,
		  __entry->link, __entry->qpn,
		  OCF_SHOW_VERDICT(__entry->verdict), __entry->omitted)
);

TRACE_EVENT(ocfabric_qp_error,
	TP_PROTO(const struct ocf_card *card, const struct ocf_news *news),
	TP_ARGS(card, news),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, link)
		__field(u32, qpn)
		__field(u32, state)
		__field(u32, cause)
	),
	TP_fast_assign(
		__entry->card = card->index;
		__entry->link = news->replica;
		__entry->qpn = news->qpn;
		__entry->state = news->state;
		__entry->cause = news->cause;
	),
	TP_printk("card=%u link=%u qpn=%u state=%s cause=%s", __entry->card,
		  __entry->link, __entry->qpn,
		  OCF_SHOW_QP_STATE(__entry->state),
		  OCF_SHOW_QP_CAUSE(__entry->cause))
);

TRACE_EVENT(ocfabric_qp_command,
	TP_PROTO(const struct ocf_card *card, u32 link, u32 qpn, u32 cmd,
		 u32 state, int ret),
	TP_ARGS(card, link, qpn, cmd, state, ret),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, link)
		__field(u32, qpn)
		__field(u32, cmd)
		__field(u32, state)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->card = card->index;
		__entry->link = link;
		__entry->qpn = qpn;
		__entry->cmd = cmd;
		__entry->state = state;
		__entry->ret = ret;
	),
	TP_printk("card=%u link=%u qpn=%u %s state=%s ret=%d", __entry->card,
		  __entry->link, __entry->qpn,
		  OCF_SHOW_QP_COMMAND(__entry->cmd),
		  OCF_SHOW_QP_STATE(__entry->state), __entry->ret)
);

TRACE_EVENT(ocfabric_weight,
	TP_PROTO(const struct ocf_card *card, u32 queue, u32 weight),
	TP_ARGS(card, queue, weight),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, queue)
		__field(u32, weight)
	),
	TP_fast_assign(
		__entry->card = card->index;
		__entry->queue = queue;
		__entry->weight = weight;
	),
	TP_printk("card=%u queue=%u weight=%u", __entry->card, __entry->queue,
		  __entry->weight)
);

TRACE_EVENT(ocfabric_limits,
	TP_PROTO(const struct ocf_card *card, const struct ocf_limits *limits),
	TP_ARGS(card, limits),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, stall)
		__field(u32, storm)
	),
	TP_fast_assign(
		__entry->card = card->index;
		__entry->stall = limits->stall;
		__entry->storm = limits->storm;
	),
	TP_printk("card=%u stall=%u ms storm=%u/ms", __entry->card,
		  __entry->stall, __entry->storm)
);

TRACE_EVENT(ocfabric_zero,
	TP_PROTO(const struct ocf_card *card, u64 base, u64 length),
	TP_ARGS(card, base, length),
	TP_STRUCT__entry(
		__field(u32, card)
		__field(u64, base)
		__field(u64, length)
	),
	TP_fast_assign(
		__entry->card = card->index;
		__entry->base = base;
		__entry->length = length;
	),
	TP_printk("card=%u base=0x%llx length=0x%llx", __entry->card,
		  __entry->base, __entry->length)
);

#endif /* OCFABRIC_DRIVER_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
