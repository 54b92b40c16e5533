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
		    struct ocf_range *range, struct ocf_inbox *inbox)
{
	*q = (struct ocf_queue){
		.card = card, .host = host, .id = id, .inbox = inbox,
		.keys.range = range,
	};
	ocf_inbox_init(&inbox[id], host, id);
}

void ocf_queue_reset(struct ocf_queue *q)
{
	struct ocf_range *range = q->keys.range;

	ocf_keys_reset(&q->keys);
	ocf_queue_init(q, q->card, q->host, q->id, range, q->inbox);
}

/* The inbox found a reason to stop: whoever runs the queue does it. */
static void obey(struct ocf_queue *q)
{
	struct ocf_inbox *own = ocf_queue_inbox(q);
	uint8_t cause = __atomic_load_n(&own->cause, __ATOMIC_ACQUIRE);

	if (!cause || q->state != OCFABRIC_QUEUE_ENABLED)
		return;
	q->state = OCFABRIC_QUEUE_STOPPED;
	q->cause = cause;
	q->wrote = own->wrote;
	q->expected = own->expected;
	q->parked = false;
	ocf_host_tell(q->host, q->id, OCF_TELL_STOPPED);
}

static void stop(struct ocf_queue *q, enum ocfabric_queue_cause cause,
		 uint32_t wrote, uint32_t expected)
{
	struct ocf_inbox *own = ocf_queue_inbox(q);

	ocf_inbox_lock(own);
	ocf_inbox_stop(own, cause, wrote, expected);
	ocf_inbox_unlock(own);
	obey(q);
}

uint32_t ocf_queue_room(const struct ocf_queue *q)
{
	return ocf_ring_entries(&q->tx) - (q->tail - q->head);
}

void ocf_queue_ring(struct ocf_queue *q, uint64_t increment)
{
	uint32_t room = ocf_queue_room(q);

	if (q->state != OCFABRIC_QUEUE_ENABLED)
		return;
	if (increment > room) {
		stop(q, OCFABRIC_CAUSE_OVER_INCREMENT, room,
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
		stop(q, OCFABRIC_CAUSE_DMA, index, 0);
		return false;
	}
	if ((q->desc.flags & OCFABRIC_DESC_TAG_MASK) !=
	    ocf_ring_tag(&q->tx, q->head)) {
		stop(q, OCFABRIC_CAUSE_STALE_TAG, q->head - q->batch,
			       q->tail - q->batch);
		return false;
	}
	field = ocf_desc_check(&q->desc);
	if (field != OCF_DESC_GOOD) {
		stop(q, OCFABRIC_CAUSE_BAD_DESCRIPTOR, index, field);
		return false;
	}
	return true;
}

/* ---- how it ends ---- */

/* What became of a descriptor, for its completion. */
struct end {
	uint8_t status;		/* enum ocfabric_verdict */
	uint8_t flags;		/* OCFABRIC_CQE_*, without the tag */
	uint32_t bytes;
	uint32_t psn;
};

static void fill(const struct ocf_queue *q, struct end end,
		 struct ocfabric_cqe *e)
{
	e->status = end.status;
	e->opcode = q->desc.opcode;
	e->flags = end.flags;
	e->source = 0;
	e->qpn = q->desc.qpn;
	e->index = ocf_le16((uint16_t)ocf_ring_index(&q->tx, q->head));
	e->__reserved0 = 0;
	e->bytes = ocf_le32(end.bytes);
	e->imm = q->desc.imm;
	e->psn = ocf_le32(end.psn);
	e->clock = ocf_le64(q->now);
}

static bool silent(const struct ocf_queue *q, struct end end)
{
	return end.status == OCFABRIC_VERDICT_COMMITTED &&
	       q->desc.flags & OCFABRIC_DESC_UNSIGNALED;
}

static void done(struct ocf_queue *q, struct end end)
{
	struct ocf_inbox *own = ocf_queue_inbox(q);
	struct ocfabric_cqe e;

	fill(q, end, &e);
	ocf_inbox_lock(own);
	if (silent(q, end))
		ocf_inbox_release(own);
	else
		ocf_inbox_complete(own, &e);
	ocf_inbox_unlock(own);
	q->busy = false;
	q->head++;
}

/* The peer's side of a write that was committed. */
static void deliver(struct ocf_queue *q, unsigned int peer, uint8_t kind,
		    struct end end)
{
	struct ocf_inbox *b = &q->inbox[peer];
	struct ocfabric_cqe e;

	fill(q, end, &e);
	e.source = (uint8_t)q->id;
	ocf_inbox_lock(b);
	if (kind == OCF_KIND_SEM)
		ocf_inbox_sem_add(b, ocf_le16(q->desc.sem),
				  ocf_le32(q->desc.len));
	else if (b->epoch == q->epoch)
		ocf_inbox_receive(b, &e);
	ocf_inbox_unlock(b);
	q->touched |= 1u << peer;
}

static void done_write(struct ocf_queue *q, const struct ocf_record *rec)
{
	struct end end = {
		.status = verdicts[rec->verdict],
		.flags = (rec->misrouted ? OCFABRIC_CQE_MISROUTED : 0) |
			 (rec->is_short ? OCFABRIC_CQE_SHORT : 0),
		.bytes = rec->bytes,
		.psn = rec->psn,
	};

	if (rec->kind != OCF_KIND_WRITE && (rec->verdict == OCF_COMMITTED ||
					    rec->verdict == OCF_SHORT_PACKET))
		deliver(q, rec->peer, rec->kind, end);
	done(q, end);
}

/* Everything that was written is told, and by whom it is waited for. */
static void announce(struct ocf_queue *q)
{
	uint32_t touched = q->touched | 1u << q->id;

	for (q->touched = 0; touched; touched &= touched - 1) {
		struct ocf_inbox *b = &q->inbox[__builtin_ctz(touched)];

		ocf_inbox_lock(b);
		ocf_inbox_announce(b, q->now);
		ocf_inbox_unlock(b);
	}
	obey(q);
}

bool ocf_queue_arm(struct ocf_queue *q, unsigned int peer)
{
	struct ocf_inbox *b = &q->inbox[peer];
	bool armed;

	ocf_inbox_lock(b);
	armed = ocf_inbox_arm(b);
	q->epoch = b->epoch;
	ocf_inbox_unlock(b);
	return armed;
}

void ocf_queue_disarm(struct ocf_queue *q, unsigned int peer)
{
	struct ocf_inbox *b = &q->inbox[peer];

	ocf_inbox_lock(b);
	if (b->epoch == q->epoch)
		ocf_inbox_disarm(b);
	ocf_inbox_unlock(b);
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

/* A write starts; q->busy unless it is over already. */
static void start_write(struct ocf_queue *q, struct ocf_budget *b)
{
	struct ocf_write w = ocf_desc_write(&q->desc);
	uint32_t bytes = ocf_write_bytes(&w);
	struct ocf_piece piece = { 0 };
	struct ocf_record rec;

	if (w.kind != OCF_KIND_SEM && !source(q, 0, bytes, &piece)) {
		done(q, (struct end){
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

static void add_local(struct ocf_queue *q)
{
	struct ocf_inbox *own = ocf_queue_inbox(q);

	ocf_inbox_lock(own);
	ocf_inbox_sem_add(own, ocf_le16(q->desc.sem), ocf_le32(q->desc.len));
	ocf_inbox_unlock(own);
}

static void start(struct ocf_queue *q, struct ocf_budget *b)
{
	b->descriptors--;
	if (q->flushing && ocf_queue_flushes(q)) {
		done(q, (struct end){ .status = OCFABRIC_VERDICT_FLUSHED });
		return;
	}
	switch (q->desc.opcode) {
	case OCFABRIC_OP_WRITE:
	case OCFABRIC_OP_WRITE_IMM:
	case OCFABRIC_OP_SEM_REMOTE:
		start_write(q, b);
		return;
	case OCFABRIC_OP_SEM_LOCAL:
		add_local(q);
		break;
	default:
		break;
	}
	done(q, (struct end){ .status = OCFABRIC_VERDICT_COMMITTED });
}

/* Whether a WAIT at the head holds the queue. */
static bool waits(struct ocf_queue *q)
{
	struct ocf_inbox *own = ocf_queue_inbox(q);

	if (q->desc.opcode != OCFABRIC_OP_WAIT)
		return false;
	ocf_inbox_lock(own);
	q->parked = !ocf_inbox_sem_wait(own, ocf_le16(q->desc.sem),
					ocf_le32(q->desc.len));
	ocf_inbox_unlock(own);
	return q->parked;
}

static bool reserve(struct ocf_queue *q)
{
	struct ocf_inbox *own = ocf_queue_inbox(q);
	bool room;

	ocf_inbox_lock(own);
	room = ocf_inbox_reserve(own, ocf_ring_index(&q->tx, q->head));
	ocf_inbox_unlock(own);
	return room;
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
	if (!q->parked && !next_desc(q))
		return false;
	*next = OCF_NEXT_SEM;
	if (waits(q))
		return false;
	*next = OCF_NEXT_RING;
	return reserve(q);
}

static enum ocf_next run(struct ocf_queue *q, struct ocf_budget *b)
{
	enum ocf_next next;

	for (;;) {
		if (q->busy && !go_on(q, b, &next))
			return next;
		if (q->state == OCFABRIC_QUEUE_QUIESCING)
			ocf_queue_shut(q);
		if (!may_start(q, b, &next))
			return next;
		start(q, b);
	}
}

enum ocf_next ocf_queue_run(struct ocf_queue *q, struct ocf_budget *budget)
{
	struct ocf_inbox *own = ocf_queue_inbox(q);
	enum ocf_next next;

	if (q->state == OCFABRIC_QUEUE_DISABLED)
		return OCF_NEXT_RING;
	tick(q);
	if (__atomic_load_n(&own->rx_pending, __ATOMIC_RELAXED)) {
		ocf_inbox_lock(own);
		ocf_inbox_rung(own);
		ocf_inbox_unlock(own);
	}
	obey(q);
	next = run(q, budget);
	announce(q);
	return next;
}

/* ---- ending ---- */

void ocf_queue_abort(struct ocf_queue *q)
{
	struct ocf_record rec;

	tick(q);
	if (q->busy && ocf_link_abort(q->card, q->id, &rec))
		done_write(q, &rec);
	announce(q);
}

void ocf_queue_reset_link(struct ocf_queue *q)
{
	if (q->state == OCFABRIC_QUEUE_DISABLED)
		return;
	ocf_queue_abort(q);
	if (q->state == OCFABRIC_QUEUE_QUIESCING)
		ocf_queue_shut(q);
}

void ocf_queue_shut(struct ocf_queue *q)
{
	struct ocf_inbox *own = ocf_queue_inbox(q);

	ocf_inbox_lock(own);
	ocf_inbox_close(own, q->now);
	ocf_inbox_unlock(own);
	q->state = OCFABRIC_QUEUE_DISABLED;
	q->parked = false;
}
