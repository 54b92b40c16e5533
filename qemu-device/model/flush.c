// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Queue pairs as the queue of their link has them: whose write ends at once, and
 * whose descriptors are flushed.
 *
 * Connections share a queue, and completions come in its order. So a connection
 * that goes to ERR has its descriptors flushed as their turns come, up to where the
 * ring was rung then; whatever becomes of it meanwhile.
 */
#include <string.h>

#include "queue.h"

static struct ocf_link *link_of(const struct ocf_queue *q)
{
	return &q->card->link[q->id];
}

static uint32_t target(const struct ocf_queue *q, uint32_t qpn,
		       const struct ocf_qp_attrs *attrs)
{
	return attrs->valid & OCFABRIC_QP_ATTR_STATE ? attrs->value[0] :
						       link_of(q)->qp[qpn].state;
}

static void end_flight(struct ocf_queue *q, uint32_t qpn)
{
	if (ocf_qp_outstanding(link_of(q), qpn))
		ocf_queue_reset_link(q);
}

static bool is_over(const struct ocf_queue *q, uint32_t qpn)
{
	return (int32_t)(q->flush_to[qpn] - q->head) <= 0;
}

/*
 * Those that are over stay behind until all are. When that is put off again and
 * again they must not stay until the counts have come half way around.
 */
static void forget_over(struct ocf_queue *q)
{
	uint32_t qpn;

	for (qpn = 0; q->flushing && qpn < OCF_QPNS; qpn++)
		if (is_over(q, qpn))
			q->flush[qpn / 64] &= ~(1ull << qpn % 64);
}

static void flush(struct ocf_queue *q, uint32_t qpn)
{
	if (q->head == q->tail)
		return;
	forget_over(q);
	q->flush[qpn / 64] |= 1ull << qpn % 64;
	q->flush_to[qpn] = q->tail;
	q->flush_end = q->tail;
	q->flushing = true;
}

struct ocf_qp_answer ocf_queue_modify_qp(struct ocf_queue *q, uint32_t qpn,
					 const struct ocf_qp_attrs *attrs)
{
	const struct ocf_qp *qp = &link_of(q)->qp[qpn];
	struct ocf_qp_answer answer = ocf_qp_check(qp, attrs);
	uint32_t to = target(q, qpn, attrs);
	bool enters = qp->state != to;

	if (answer.result != OCFABRIC_RESULT_OK)
		return answer;
	if (to == OCFABRIC_QP_RESET || to == OCFABRIC_QP_ERR)
		end_flight(q, qpn);
	ocf_qp_apply(q->card, q->id, qpn, attrs);
	if (to == OCFABRIC_QP_ERR && enters)
		flush(q, qpn);
	return answer;
}

struct ocf_qp_answer ocf_queue_recover_qp(struct ocf_queue *q, uint32_t qpn)
{
	struct ocf_qp_answer answer = { OCFABRIC_RESULT_OK, OCFABRIC_QP_NO_ATTR };

	if (link_of(q)->qp[qpn].peer == OCF_NO_PEER) {
		answer.result = OCFABRIC_RESULT_NO_CONNECTION;
		return answer;
	}
	end_flight(q, qpn);
	ocf_qp_load(q->card, q->id, qpn);
	return answer;
}

/* ---- descriptors ---- */

static bool names_connection(const struct ocfabric_desc *d)
{
	return d->opcode == OCFABRIC_OP_WRITE ||
	       d->opcode == OCFABRIC_OP_WRITE_IMM ||
	       d->opcode == OCFABRIC_OP_SEM_REMOTE;
}

bool ocf_queue_flushes(struct ocf_queue *q)
{
	uint32_t qpn = ocf_le32(q->desc.qpn);

	/* every head comes by here as long as something is flushed */
	if (q->head == q->flush_end) {
		memset(q->flush, 0, sizeof(q->flush));
		q->flushing = false;
		return false;
	}
	return names_connection(&q->desc) && qpn < OCF_QPNS &&
	       q->flush[qpn / 64] >> qpn % 64 & 1 && !is_over(q, qpn);
}

bool ocf_queue_flush_valid(struct ocf_queue *q)
{
	uint32_t qpn, rung = q->tail - q->head, most = 0, ahead;

	q->flushing = false;
	for (qpn = 0; qpn < OCF_QPNS; qpn++) {
		if (!(q->flush[qpn / 64] >> qpn % 64 & 1))
			continue;
		q->flushing = true;
		ahead = q->flush_to[qpn] - q->head;
		if (is_over(q, qpn))
			continue;
		if (ahead > rung)
			return false;
		if (ahead > most)
			most = ahead;
	}
	q->flush_end = q->head + most;
	return true;
}
