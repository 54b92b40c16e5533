// SPDX-License-Identifier: GPL-2.0-or-later
#include "queue.h"

#include <string.h>

/* Bytes that a run moves before it looks at the clock again. */
#define CLOCK_BYTES	65536u

/* What a write's record says, in the words of a completion. */
static const uint8_t verdicts[OCF_NR_COUNTERS] = {
	[OCF_COMMITTED] = OCFABRIC_VERDICT_COMMITTED,
	[OCF_SHORT_PACKET] = OCFABRIC_VERDICT_SHORT_PACKET,
	[OCF_UNMAPPED] = OCFABRIC_VERDICT_UNMAPPED,
	[OCF_QP_STATE] = OCFABRIC_VERDICT_QP_STATE,
	[OCF_BAD_CONFIG] = OCFABRIC_VERDICT_BAD_CONFIG,
	[OCF_ZERO_LENGTH] = OCFABRIC_VERDICT_ZERO_LENGTH,
	[OCF_MISALIGNED] = OCFABRIC_VERDICT_MISALIGNED,
	[OCF_OUT_OF_BOUNDS] = OCFABRIC_VERDICT_OUT_OF_BOUNDS,
	[OCF_UNAUTHORIZED] = OCFABRIC_VERDICT_UNAUTHORIZED,
	[OCF_RNR] = OCFABRIC_VERDICT_RNR,
	[OCF_AXI_ERROR] = OCFABRIC_VERDICT_AXI_ERROR,
	[OCF_DMA_ERROR] = OCFABRIC_VERDICT_DMA_ERROR,
};

void ocf_queue_init(struct ocf_queue *q, struct ocf_card *card,
		    const struct ocf_host *host, unsigned int id,
		    struct ocf_range *range)
{
	*q = (struct ocf_queue){
		.card = card, .host = host, .id = id, .keys.range = range,
	};
}

void ocf_queue_reset(struct ocf_queue *q)
{
	struct ocf_range *range = q->keys.range;

	ocf_keys_reset(&q->keys);
	ocf_queue_init(q, q->card, q->host, q->id, range);
}

void ocf_queue_stop(struct ocf_queue *q, enum ocfabric_queue_cause cause,
		    uint32_t wrote, uint32_t expected)
{
	/* the first cause stands, and a queue that is going stays gone */
	if (q->state != OCFABRIC_QUEUE_ENABLED)
		return;
	q->state = OCFABRIC_QUEUE_STOPPED;
	q->cause = (uint8_t)cause;
	q->wrote = wrote;
	q->expected = expected;
	q->tell |= OCF_TELL_STOPPED;
}

void ocf_queue_ring(struct ocf_queue *q, uint64_t increment)
{
	uint32_t room;

	if (q->state != OCFABRIC_QUEUE_ENABLED)
		return;
	room = ocf_ring_entries(&q->tx) - (q->tail - q->head);
	if (increment > room) {
		ocf_queue_stop(q, OCFABRIC_CAUSE_OVER_INCREMENT, room,
			       increment < UINT32_MAX ? (uint32_t)increment :
							UINT32_MAX);
		return;
	}
	if (q->head == q->tail)
		q->batch = q->head;
	q->tail += (uint32_t)increment;
}

/* ---- the descriptor at the head ---- */

/* Reads it once; what is looked at afterwards is this copy. */
static bool fetch(struct ocf_queue *q)
{
	struct ocf_place at = ocf_ring_place(&q->tx, q->head);
	const uint8_t *chunk = q->tx.host[at.chunk];

	if (chunk) {
		memcpy(&q->desc, chunk + at.offset, sizeof(q->desc));
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		return true;
	}
	return q->host->read(q->host->opaque, q->tx.chunk[at.chunk] + at.offset,
			     &q->desc, sizeof(q->desc));
}

/* Fetches and checks; if it cannot be run, the queue has been stopped. */
static bool next_desc(struct ocf_queue *q)
{
	uint32_t index = ocf_ring_index(&q->tx, q->head);
	unsigned int field;

	if (!fetch(q)) {
		ocf_queue_stop(q, OCFABRIC_CAUSE_DMA, index, 0);
		return false;
	}
	if ((q->desc.flags & OCFABRIC_DESC_TAG_MASK) !=
	    ocf_ring_tag(&q->tx, q->head)) {
		ocf_queue_stop(q, OCFABRIC_CAUSE_STALE_TAG, q->head - q->batch,
			       q->tail - q->batch);
		return false;
	}
	field = ocf_desc_check(&q->desc);
	if (field != OCF_DESC_GOOD) {
		ocf_queue_stop(q, OCFABRIC_CAUSE_BAD_DESCRIPTOR, index, field);
		return false;
	}
	return true;
}

static void done(struct ocf_queue *q, struct ocf_completion c)
{
	if (c.status != OCFABRIC_VERDICT_COMMITTED ||
	    !(q->desc.flags & OCFABRIC_DESC_UNSIGNALED))
		ocf_completion_write(q, c);
	q->busy = false;
	q->head++;
}

static void done_write(struct ocf_queue *q, const struct ocf_record *rec)
{
	done(q, (struct ocf_completion){
		.status = verdicts[rec->verdict],
		.flags = (rec->misrouted ? OCFABRIC_CQE_MISROUTED : 0) |
			 (rec->is_short ? OCFABRIC_CQE_SHORT : 0),
		.bytes = rec->bytes,
	});
}

/* ---- its source ---- */

/* Offsets in one's own region; outside the HBM there is nothing to read. */
static bool region_piece(const struct ocf_queue *q, uint64_t addr, uint64_t n,
			 struct ocf_piece *piece)
{
	const struct ocf_card *card = q->card;
	const struct ocf_region *r = &card->config.region[q->id];
	uint64_t at = r->base + addr;

	if (addr > r->size || n > r->size - addr)
		return false;
	*piece = (struct ocf_piece){ 0 };
	if (at >= addr && at <= card->hbm_size && n <= card->hbm_size - at)
		*piece = (struct ocf_piece){ .host = card->hbm + at, .n = n };
	return true;
}

/*
 * The first piece of the source's bytes [from, from + n); one without bytes
 * cannot be read. False when the key does not allow all n.
 */
static bool source(const struct ocf_queue *q, uint32_t from, uint32_t n,
		   struct ocf_piece *piece)
{
	const struct ocfabric_desc *d = &q->desc;
	const struct ocf_key *key;
	uint64_t addr;

	if (d->flags & OCFABRIC_DESC_INLINE) {
		*piece = (struct ocf_piece){ .host = d->data + from, .n = n };
		return true;
	}
	addr = ocf_le64(d->addr) + from;
	if (addr < from)
		return false;
	if (ocf_le32(d->key) == OCFABRIC_KEY_REGION)
		return region_piece(q, addr, n, piece);
	key = ocf_key_find(&q->keys, ocf_le32(d->key), addr, n);
	if (!key)
		return false;
	*piece = n ? ocf_key_piece(&q->keys, key, addr, n) :
		     (struct ocf_piece){ 0 };
	return true;
}

static void tick(struct ocf_queue *q)
{
	q->now = q->host->now(q->host->opaque);
}

static void spend(struct ocf_queue *q, struct ocf_budget *b, uint32_t n)
{
	b->bytes -= n;
	if (n >= CLOCK_BYTES)
		tick(q);
}

/* Moves some more of the write in flight; false if its source fails. */
static bool feed(struct ocf_queue *q, struct ocf_budget *b)
{
	uint32_t n = ocf_bulk_left(q->card, q->id);
	struct ocf_piece piece;

	if (!source(q, q->card->link[q->id].flight.taken, n, &piece) || !piece.n)
		return false;
	if (n > piece.n)
		n = (uint32_t)piece.n;
	if (n > b->bytes)
		n = b->bytes;
	if (!piece.host) {
		if (n > sizeof(q->bounce))
			n = sizeof(q->bounce);
		if (!q->host->read(q->host->opaque, piece.addr, q->bounce, n))
			return false;
		piece.host = q->bounce;
	}
	if (ocf_bulk_feed(q->card, q->id, piece.host, n, q->now) != n)
		return false;
	spend(q, b, n);
	return true;
}

/* ---- running ---- */

/* True when the write in flight has ended, else *next says what it needs. */
static bool go_on(struct ocf_queue *q, struct ocf_budget *b, enum ocf_next *next)
{
	struct ocf_record rec;

	for (;;) {
		switch (ocf_bulk_want(q->card, q->id, q->now)) {
		case OCF_WANT_TIME:
			q->due = q->card->link[q->id].flight.go_at;
			*next = OCF_NEXT_TIME;
			return false;
		case OCF_WANT_BYTES:
			if (!b->bytes) {
				*next = OCF_NEXT_RUN;
				return false;
			}
			if (feed(q, b))
				continue;
			ocf_link_abort(q->card, q->id, &rec);
			break;
		default:
			ocf_link_finish(q->card, q->id, q->now, &rec);
			break;
		}
		done_write(q, &rec);
		return true;
	}
}

/* A WRITE starts; q->busy unless it is over already. */
static void start_write(struct ocf_queue *q, struct ocf_budget *b)
{
	struct ocf_write w = ocf_desc_write(&q->desc);
	uint32_t bytes = ocf_write_bytes(&w);
	struct ocf_record rec;
	struct ocf_piece piece;

	if (!source(q, 0, bytes, &piece)) {
		done(q, (struct ocf_completion){
			.status = OCFABRIC_VERDICT_LOCAL_PROTECTION });
		return;
	}
	if (piece.host && piece.n == bytes && bytes <= b->bytes) {
		q->busy = ocf_bulk_write(q->card, q->id, &w, piece.host, q->now,
					 &rec) == OCF_NOT_DONE;
		spend(q, b, bytes);
	} else {
		q->busy = ocf_link_begin(q->card, q->id, &w, q->now, &rec) ==
			  OCF_TAKEN;
	}
	if (!q->busy)
		done_write(q, &rec);
}

static void start(struct ocf_queue *q, struct ocf_budget *b)
{
	b->descriptors--;
	if (q->desc.opcode == OCFABRIC_OP_WRITE)
		start_write(q, b);
	else
		done(q, (struct ocf_completion){
			.status = OCFABRIC_VERDICT_COMMITTED });
}

/* Whether the next descriptor may be run, else *next says what it needs. */
static bool may_start(struct ocf_queue *q, const struct ocf_budget *b,
		      enum ocf_next *next)
{
	*next = OCF_NEXT_RING;
	if (q->state != OCFABRIC_QUEUE_ENABLED || q->head == q->tail)
		return false;
	*next = OCF_NEXT_RESUME;
	if (q->card->draining)
		return false;
	*next = OCF_NEXT_RUN;
	if (!b->descriptors || !b->bytes)
		return false;
	*next = OCF_NEXT_RING;
	return ocf_completion_room(q) && next_desc(q);
}

static enum ocf_next run(struct ocf_queue *q, struct ocf_budget *b)
{
	enum ocf_next next;

	for (;;) {
		if (q->busy && !go_on(q, b, &next))
			return next;
		if (q->state == OCFABRIC_QUEUE_QUIESCING)
			q->state = OCFABRIC_QUEUE_DISABLED;
		if (!may_start(q, b, &next))
			return next;
		start(q, b);
	}
}

enum ocf_next ocf_queue_run(struct ocf_queue *q, struct ocf_budget *budget)
{
	enum ocf_next next;

	if (q->state == OCFABRIC_QUEUE_DISABLED)
		return OCF_NEXT_RING;
	tick(q);
	next = run(q, budget);
	ocf_completion_announce(q);
	return next;
}

/* ---- enabling and disabling ---- */

static void take_chunks(struct ocf_ring *r, const __le64 *chunk, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		r->chunk[i] = ocf_le64(chunk[i]);
}

static bool all_zero(const __le64 *words, size_t n)
{
	uint64_t any = 0;

	for (size_t i = 0; i < n; i++)
		any |= words[i];
	return !any;
}

/* This card has no receive rings and no semaphores. */
static bool asks_for_more(const struct ocfabric_hw_queue *hw)
{
	return hw->rx_shift || hw->semaphores || hw->flags ||
	       !all_zero(hw->rx_chunk, OCFABRIC_RX_CHUNKS_MAX) ||
	       !all_zero(hw->__reserved1, sizeof(hw->__reserved1) / 8);
}

static bool shape_valid(const struct ocf_queue *q)
{
	return ocf_ring_valid(&q->tx, OCFABRIC_TX_CHUNKS_MAX) &&
	       ocf_ring_valid(&q->cq, OCFABRIC_CQ_CHUNKS_MAX) &&
	       q->owner % OCFABRIC_LINE == 0;
}

static void take_shape(struct ocf_queue *q, const struct ocfabric_hw_queue *hw)
{
	q->tx = (struct ocf_ring){
		.shift = hw->tx_shift,
		.chunk_shift = hw->chunk_shift,
		.entry_shift = 6,
	};
	q->cq = (struct ocf_ring){
		.shift = hw->cq_shift,
		.chunk_shift = hw->chunk_shift,
		.entry_shift = 5,
	};
	take_chunks(&q->tx, hw->tx_chunk, OCFABRIC_TX_CHUNKS_MAX);
	take_chunks(&q->cq, hw->cq_chunk, OCFABRIC_CQ_CHUNKS_MAX);
	q->owner = ocf_le64(hw->owner);
}

static void start_over(struct ocf_queue *q)
{
	q->state = OCFABRIC_QUEUE_ENABLED;
	q->cause = OCFABRIC_CAUSE_NONE;
	q->tell = 0;
	q->head = q->tail = q->batch = 0;
	q->produced = q->consumed = q->announced = 0;
	q->interrupts = 0;
	q->wrote = q->expected = 0;
}

enum ocfabric_hw_result ocf_queue_enable(struct ocf_queue *q, uint64_t addr)
{
	struct ocfabric_hw_queue hw;

	if (q->state != OCFABRIC_QUEUE_DISABLED)
		return OCFABRIC_RESULT_STATE;
	if (addr % OCFABRIC_LINE)
		return OCFABRIC_RESULT_INVALID;
	if (!q->host->read(q->host->opaque, addr, &hw, sizeof(hw)))
		return OCFABRIC_RESULT_DMA;
	take_shape(q, &hw);
	if (asks_for_more(&hw) || !shape_valid(q))
		return OCFABRIC_RESULT_INVALID;
	start_over(q);
	ocf_queue_map(q);
	return OCFABRIC_RESULT_OK;
}

enum ocfabric_hw_result ocf_queue_disable(struct ocf_queue *q, bool abort)
{
	struct ocf_record rec;

	if (q->state == OCFABRIC_QUEUE_DISABLED)
		return OCFABRIC_RESULT_STATE;
	if (q->busy && !abort) {
		q->state = OCFABRIC_QUEUE_QUIESCING;
		return OCFABRIC_RESULT_OK;
	}
	if (q->busy && ocf_link_abort(q->card, q->id, &rec)) {
		tick(q);
		done_write(q, &rec);
		ocf_completion_announce(q);
	}
	q->state = OCFABRIC_QUEUE_DISABLED;
	return OCFABRIC_RESULT_OK;
}

/* ---- mapping and loading ---- */

static void map_rings(struct ocf_queue *q)
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
	bytes = ocf_ring_chunk_bytes(&q->cq);
	for (i = 0; i < ocf_ring_chunks(&q->cq); i++)
		q->cq.host[i] = host->map_completions ?
			host->map_completions(host->opaque, q->id, i,
					      q->cq.chunk[i], bytes) :
			NULL;
	q->owner_host = host->map ? host->map(host->opaque, q->owner,
					      sizeof(struct ocfabric_owner)) :
				    NULL;
}

void ocf_queue_map(struct ocf_queue *q)
{
	if (q->state != OCFABRIC_QUEUE_DISABLED)
		map_rings(q);
	ocf_keys_map(&q->keys, q->host);
}

/* What is in flight has been rung, and its completion has room. */
static bool counts_valid(const struct ocf_queue *q)
{
	uint32_t waiting = q->tail - q->head, done = q->produced - q->consumed;

	return waiting <= ocf_ring_entries(&q->tx) && waiting >= q->busy &&
	       done <= ocf_ring_entries(&q->cq) - q->busy &&
	       q->produced - q->announced <= ocf_ring_entries(&q->cq);
}

/* A descriptor is in flight exactly when its link has a write. */
static bool flight_valid(const struct ocf_queue *q)
{
	const struct ocf_flight *f = &q->card->link[q->id].flight;

	if (!ocf_flight_valid(f) || q->busy != (f->stage != OCF_STAGE_IDLE))
		return false;
	return !q->busy || (q->desc.opcode == OCFABRIC_OP_WRITE &&
			    ocf_desc_check(&q->desc) == OCF_DESC_GOOD &&
			    f->kind == OCF_KIND_WRITE &&
			    f->len == ocf_le32(q->desc.len));
}

bool ocf_queue_valid(const struct ocf_queue *q)
{
	if (q->state > OCFABRIC_QUEUE_QUIESCING || q->cause > OCFABRIC_CAUSE_DMA ||
	    !flight_valid(q) || !ocf_keys_valid(&q->keys))
		return false;
	if (q->state == OCFABRIC_QUEUE_DISABLED)
		return !q->busy;
	return q->tx.entry_shift == 6 && q->cq.entry_shift == 5 &&
	       shape_valid(q) && counts_valid(q);
}
