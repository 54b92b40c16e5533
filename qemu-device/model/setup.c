// SPDX-License-Identifier: GPL-2.0-or-later
/* A queue's coming and going: enabling, disabling, mapping, loading. */
#include <string.h>

#include "queue.h"

/* ---- enabling and disabling ---- */

static struct ocf_ring ring(uint8_t shift, uint8_t entry_shift,
			    uint8_t chunk_shift, const __le64 *chunk,
			    unsigned int n)
{
	struct ocf_ring r = {
		.shift = shift, .entry_shift = entry_shift,
		.chunk_shift = chunk_shift,
	};

	for (unsigned int i = 0; i < n; i++)
		r.chunk[i] = ocf_le64(chunk[i]);
	return r;
}

static bool all_zero(const __le64 *words, size_t n)
{
	uint64_t any = 0;

	for (size_t i = 0; i < n; i++)
		any |= words[i];
	return !any;
}

static bool hw_valid(const struct ocfabric_hw_queue *hw)
{
	return !(ocf_le32(hw->flags) & ~OCFABRIC_HW_QUEUE_CLEAR) &&
	       all_zero(hw->__reserved1, sizeof(hw->__reserved1) / 8) &&
	       (hw->rx_shift || all_zero(hw->rx_chunk, OCFABRIC_RX_CHUNKS_MAX)) &&
	       ocf_le64(hw->owner) % OCFABRIC_LINE == 0 &&
	       ocf_le64(hw->semaphores) % 4096 == 0;
}

static bool rings_valid(const struct ocf_ring *tx, const struct ocf_ring *cq,
			const struct ocf_ring *rx)
{
	return ocf_ring_valid(tx, OCFABRIC_TX_CHUNKS_MAX) &&
	       ocf_ring_valid(cq, OCFABRIC_CQ_CHUNKS_MAX) &&
	       (!rx->shift || ocf_ring_valid(rx, OCFABRIC_RX_CHUNKS_MAX));
}

/*
 * The semaphores are the replica's own: others may be adding to them. False,
 * and they are what they were, if the mirror cannot be written.
 */
static bool take_semaphores(struct ocf_inbox *b,
			    const struct ocfabric_hw_queue *hw)
{
	uint32_t before[OCF_SEMS];

	memcpy(before, b->sem, sizeof(before));
	if (ocf_le32(hw->flags) & OCFABRIC_HW_QUEUE_CLEAR)
		memset(b->sem, 0, sizeof(b->sem));
	b->mirror = ocf_le64(hw->semaphores);
	if (ocf_inbox_sem_mirror(b))
		return true;
	memcpy(b->sem, before, sizeof(b->sem));
	return false;
}

static void start_over(struct ocf_queue *q)
{
	q->state = OCFABRIC_QUEUE_ENABLED;
	q->cause = OCFABRIC_CAUSE_NONE;
	q->parked = false;
	q->head = q->tail = q->batch = 0;
	q->flushing = false;
	memset(q->flush, 0, sizeof(q->flush));
	q->wrote = q->expected = 0;
}

static void map_tx(struct ocf_queue *q)
{
	const struct ocf_host *host = q->host;
	uint32_t bytes = ocf_ring_chunk_bytes(&q->tx);
	unsigned int i;

	for (i = 0; i < ocf_ring_chunks(&q->tx); i++)
		/* only ever read */
		q->tx.host[i] = host->map ?
			(uint8_t *)(uintptr_t)host->map(host->opaque,
							q->tx.chunk[i], bytes) :
			NULL;
}

enum ocfabric_hw_result ocf_queue_enable(struct ocf_queue *q, uint64_t addr)
{
	struct ocf_inbox *own = ocf_queue_inbox(q);
	struct ocfabric_hw_queue hw;
	struct ocf_ring tx, cq, rx;
	bool good;

	if (q->state != OCFABRIC_QUEUE_DISABLED)
		return OCFABRIC_RESULT_STATE;
	if (addr % OCFABRIC_LINE)
		return OCFABRIC_RESULT_INVALID;
	if (!q->host->read(q->host->opaque, addr, &hw, sizeof(hw)))
		return OCFABRIC_RESULT_DMA;
	tx = ring(hw.tx_shift, 6, hw.chunk_shift, hw.tx_chunk,
		  OCFABRIC_TX_CHUNKS_MAX);
	cq = ring(hw.cq_shift, 5, hw.chunk_shift, hw.cq_chunk,
		  OCFABRIC_CQ_CHUNKS_MAX);
	rx = ring(hw.rx_shift, 4, hw.chunk_shift, hw.rx_chunk,
		  OCFABRIC_RX_CHUNKS_MAX);
	if (!hw_valid(&hw) || !rings_valid(&tx, &cq, &rx))
		return OCFABRIC_RESULT_INVALID;
	ocf_inbox_lock(own);
	good = take_semaphores(own, &hw);
	if (good) {
		own->cq = cq;
		own->rx = rx;
		own->owner = ocf_le64(hw.owner);
		ocf_inbox_open(own);
		ocf_inbox_map(own);
	}
	ocf_inbox_unlock(own);
	if (!good)
		return OCFABRIC_RESULT_DMA;
	q->tx = tx;
	start_over(q);
	map_tx(q);
	return OCFABRIC_RESULT_OK;
}

enum ocfabric_hw_result ocf_queue_disable(struct ocf_queue *q, bool abort)
{
	struct ocf_inbox *own = ocf_queue_inbox(q);

	if (q->state == OCFABRIC_QUEUE_DISABLED)
		return OCFABRIC_RESULT_STATE;
	if (q->busy && !abort) {
		q->state = OCFABRIC_QUEUE_QUIESCING;
		ocf_inbox_lock(own);
		own->takes = false;
		ocf_inbox_unlock(own);
		return OCFABRIC_RESULT_OK;
	}
	ocf_queue_abort(q);
	ocf_queue_shut(q);
	return OCFABRIC_RESULT_OK;
}

/* ---- mapping and loading ---- */

void ocf_queue_map(struct ocf_queue *q)
{
	struct ocf_inbox *own = ocf_queue_inbox(q);

	if (q->state != OCFABRIC_QUEUE_DISABLED)
		map_tx(q);
	ocf_keys_map(&q->keys, q->host);
	ocf_inbox_lock(own);
	ocf_inbox_map(own);
	ocf_inbox_unlock(own);
}

static enum ocf_kind kind_of(uint8_t opcode)
{
	switch (opcode) {
	case OCFABRIC_OP_WRITE:
		return OCF_KIND_WRITE;
	case OCFABRIC_OP_WRITE_IMM:
		return OCF_KIND_WRITE_IMM;
	case OCFABRIC_OP_SEM_REMOTE:
		return OCF_KIND_SEM;
	default:
		return OCF_NR_KINDS;
	}
}

/* A descriptor is in flight exactly when its link has a write. */
static bool flight_valid(const struct ocf_queue *q)
{
	const struct ocf_flight *f = &q->card->link[q->id].flight;

	if (!ocf_flight_valid(f) || q->busy != (f->stage != OCF_STAGE_IDLE))
		return false;
	if ((q->busy || q->parked) && ocf_desc_check(&q->desc) != OCF_DESC_GOOD)
		return false;
	return !q->busy || (f->kind == kind_of(q->desc.opcode) &&
			    f->len == ocf_le32(q->desc.len) &&
			    f->sem == ocf_le16(q->desc.sem) &&
			    f->qpn == ocf_le32(q->desc.qpn) &&
			    (f->kind != OCF_KIND_SEM || f->sem < OCF_SEMS));
}

static bool parking_valid(const struct ocf_queue *q)
{
	if (q->state == OCFABRIC_QUEUE_DISABLED)
		return !q->busy && !q->parked;
	return !q->parked || (!q->busy && q->state == OCFABRIC_QUEUE_ENABLED &&
			      q->desc.opcode == OCFABRIC_OP_WAIT);
}

static bool indices_valid(const struct ocf_queue *q)
{
	uint32_t rung = q->tail - q->head;

	return rung <= ocf_ring_entries(&q->tx) && rung >= (q->busy || q->parked);
}

static const char *queue_wrong(struct ocf_queue *q)
{
	if (q->state > OCFABRIC_QUEUE_QUIESCING)
		return "state";
	if (q->cause > OCFABRIC_CAUSE_RX_BAD_DESCRIPTOR)
		return "cause of its stop";
	if (!ocf_qps_valid(q->card, q->id))
		return "queue pair";
	if (!flight_valid(q))
		return "write in flight";
	if (!ocf_queue_flush_valid(q))
		return "flush";
	if (!ocf_keys_valid(&q->keys))
		return "memory key";
	if (!ocf_inbox_valid(ocf_queue_inbox(q)))
		return "completion ring, receive ring, semaphore or moderation";
	if (!parking_valid(q))
		return "wait for a semaphore, or write of a disabled queue";
	if (q->state == OCFABRIC_QUEUE_DISABLED)
		return NULL;
	if (q->tx.entry_shift != 6 || !ocf_ring_valid(&q->tx, OCFABRIC_TX_CHUNKS_MAX))
		return "shape of the descriptor ring";
	return indices_valid(q) ? NULL : "head or tail";
}

/*
 * What a write in flight has reserved at its peer. An epoch that is not the peer's is
 * a past one: if it were to come, what was never reserved would be given back.
 */
static void count_armed(struct ocf_queue *q)
{
	const struct ocf_flight *f = &q->card->link[q->id].flight;
	struct ocf_inbox *b = &q->inbox[f->peer % OCF_REPLICAS];

	if (!q->busy || f->kind != OCF_KIND_WRITE_IMM)
		return;
	if (!b->open || b->epoch != q->epoch) {
		q->epoch = b->epoch - 1;
		return;
	}
	b->held++;
	b->rx_held++;
}

static void derive(struct ocf_queue *q)
{
	struct ocf_inbox *own = ocf_queue_inbox(q);

	own->open = q->state != OCFABRIC_QUEUE_DISABLED;
	own->takes = q->state == OCFABRIC_QUEUE_ENABLED && !own->cause;
	own->held = own->open && q->busy;
	own->rx_held = 0;
	own->added = 0;
	own->due = 0;
	own->waiting = false;
	if (q->parked && ocf_le16(q->desc.sem) < OCF_SEMS)
		ocf_inbox_sem_wait(own, ocf_le16(q->desc.sem), ocf_le32(q->desc.len));
}

const char *ocf_queues_wrong(struct ocf_queue *const *queue, unsigned int n,
			     unsigned int *which)
{
	const char *wrong = NULL;
	unsigned int i;

	for (i = 0; i < n; i++)
		derive(queue[i]);
	for (i = 0; i < n; i++)
		count_armed(queue[i]);
	for (i = 0; i < n && !wrong; i++) {
		wrong = queue_wrong(queue[i]);
		*which = i;
	}
	return wrong;
}

bool ocf_queues_valid(struct ocf_queue *const *queue, unsigned int n)
{
	unsigned int which;

	return !ocf_queues_wrong(queue, n, &which);
}
