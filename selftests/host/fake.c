// SPDX-License-Identifier: GPL-2.0-only
/* A card for libocfabric in plain memory; see fake.h. */
#include <string.h>

#include "fake.h"

struct fake fakes[FAKE_REPLICAS];

void fake_start(uint32_t tx_shift, uint32_t rx_shift, uint32_t cq_shift)
{
	unsigned int i;

	memset(fakes, 0, sizeof(fakes));
	for (i = 0; i < FAKE_REPLICAS; i++) {
		struct fake *f = &fakes[i];
		struct ocf_replica *r = &f->held.pub;

		r->tx = f->tx;
		r->rx = f->rx;
		r->cq = f->cq;
		r->owner = &f->owner;
		r->doorbell = &f->doorbell;
		r->rx_doorbell = &f->rx_doorbell;
		r->semaphores = f->sems;
		r->tx_shift = tx_shift;
		r->rx_shift = rx_shift;
		r->cq_shift = cq_shift;
		r->limit = 1u << (tx_shift < cq_shift ? tx_shift : cq_shift);
		r->roomy = 1u << cq_shift >= (1u << tx_shift) + (1u << rx_shift);
		f->held.fd = -1;
		f->held.info.out_replica = i;
		f->held.info.out_replicas = FAKE_REPLICAS;
		f->held.has_semaphores = true;
		ocf_disarm_(r);
		ocf_set_end_(r);
	}
}

static void complete(struct fake *f, const struct ocfabric_cqe *cqe)
{
	const struct ocf_replica *r = &f->held.pub;
	uint32_t entries = 1u << r->cq_shift;
	struct ocfabric_cqe *to = &f->cq[f->produced & (entries - 1)];

	if (f->produced - f->owner.consumer >= entries) {
		f->full = true;
		return;
	}
	*to = *cqe;
	to->flags |= ((f->produced >> r->cq_shift) + 1) & OCFABRIC_CQE_TAG_MASK;
	f->produced++;
}

static void complete_sent(struct fake *f, uint8_t status)
{
	struct ocfabric_cqe cqe = {
		.status = status,
		.opcode = f->last.opcode,
		.index = (uint16_t)(f->head & ((1u << f->held.pub.tx_shift) - 1)),
		.bytes = f->last.opcode <= OCFABRIC_OP_WRITE_IMM ? f->last.len : 0,
		.imm = f->last.imm,
		.clock = f->head,
		.qpn = f->last.qpn,
	};

	if (status || !(f->last.flags & OCFABRIC_DESC_UNSIGNALED))
		complete(f, &cqe);
}

/* Reserves a receive descriptor and uses it; false: there is none. */
static bool receive(struct fake *f, struct fake *peer)
{
	const struct ocf_replica *r = &peer->held.pub;
	uint32_t index = peer->rx_head & ((1u << r->rx_shift) - 1);
	uint32_t tag = ((peer->rx_head >> r->rx_shift) + 1) & OCFABRIC_DESC_TAG_MASK;
	struct ocfabric_cqe cqe = {
		.opcode = OCFABRIC_OP_WRITE_IMM,
		.flags = OCFABRIC_CQE_RECEIVE,
		.source = (uint8_t)f->held.info.out_replica,
		.index = (uint16_t)index,
		.bytes = f->last.len,
		.imm = f->last.imm,
		.psn = f->head,
		.qpn = f->last.qpn,
	};

	if (peer->rx_head == peer->rx_tail)
		return false;
	if ((peer->rx[index].flags & OCFABRIC_DESC_TAG_MASK) != tag) {
		peer->stale = true;
		return false;
	}
	peer->rx_head++;
	complete(peer, &cqe);
	return true;
}

static void store(struct fake *f, struct fake *peer)
{
	const struct ocfabric_desc *d = &f->last;
	const uint8_t *from = d->data;

	if (!(d->flags & OCFABRIC_DESC_INLINE))
		from = (const uint8_t *)(d->key == OCFABRIC_KEY_REGION ?
					 f->region : f->memory) + d->addr;
	if (d->raddr + d->len <= FAKE_REGION)
		memcpy((uint8_t *)peer->region + d->raddr, from, d->len);
}

static uint8_t run_write(struct fake *f)
{
	struct fake *peer = &fakes[f->last.qpn % FAKE_REPLICAS];

	if (f->status)
		return f->status;
	if (f->last.opcode == OCFABRIC_OP_WRITE_IMM && !receive(f, peer)) {
		f->rnr++;
		return OCFABRIC_VERDICT_RNR;
	}
	if (f->last.opcode == OCFABRIC_OP_SEM_REMOTE)
		peer->sems[f->last.sem] += f->last.len;
	else
		store(f, peer);
	return 0;
}

/* False: a WAIT that is not met. */
static bool run_one(struct fake *f)
{
	uint8_t status = 0;

	switch (f->last.opcode) {
	case OCFABRIC_OP_WAIT:
		if ((int32_t)(f->sems[f->last.sem] - f->last.len) < 0)
			return false;
		break;
	case OCFABRIC_OP_SEM_LOCAL:
		f->sems[f->last.sem] += f->last.len;
		break;
	case OCFABRIC_OP_NOP:
		break;
	default:
		status = run_write(f);
	}
	complete_sent(f, status);
	return true;
}

static bool run_queue(struct fake *f)
{
	const struct ocf_replica *r = &f->held.pub;
	bool ran = false;

	for (; f->head != f->tail && !f->stale && !f->full; f->head++) {
		uint32_t tag = ((f->head >> r->tx_shift) + 1) &
			       OCFABRIC_DESC_TAG_MASK;

		f->last = f->tx[f->head & ((1u << r->tx_shift) - 1)];
		f->stale = (f->last.flags & OCFABRIC_DESC_TAG_MASK) != tag;
		if (f->stale || !run_one(f))
			break;
		ran = true;
	}
	return ran;
}

static void take_doorbells(struct fake *f)
{
	const struct ocf_replica *r = &f->held.pub;

	/* Memory does not add up: what was rung is known, that it was is seen. */
	if ((f->tail != r->rung) != !!f->doorbell ||
	    (f->rx_tail != r->rx_rung) != !!f->rx_doorbell)
		f->over = true;
	f->tail = r->rung;
	f->doorbell = 0;
	f->rx_tail = r->rx_rung;
	f->rx_doorbell = 0;
	if (f->tail - f->head > 1u << r->tx_shift ||
	    f->rx_tail - f->rx_head > 1u << r->rx_shift)
		f->over = true;
}

void fake_run(void)
{
	unsigned int i;
	bool ran;

	for (i = 0; i < FAKE_REPLICAS; i++)
		take_doorbells(&fakes[i]);
	do {
		ran = false;
		for (i = 0; i < FAKE_REPLICAS; i++)
			ran |= run_queue(&fakes[i]);
	} while (ran);
}

unsigned int fake_poll(struct fake *f)
{
	struct ocf_completion c[4];
	unsigned int n, sum = 0;

	while ((n = ocf_poll(&f->held.pub, c, 4)))
		sum += n;
	return sum;
}

bool fake_broken(const struct fake *f)
{
	return f->stale || f->full || f->over;
}
