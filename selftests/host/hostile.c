// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings with every field hostile. Whatever they hold, the queue answers or
 * stops, stores nothing outside of what it was given, and stays one that could
 * be saved; the sanitizers watch the rest.
 */
#include "event.h"
#include "machine.h"
#include "tap.h"

#define ROUNDS 4000

static uint32_t state = 7;

static uint32_t rnd(void)
{
	state = state * 1664525 + 1013904223;
	return state >> 8;
}

static uint64_t nasty(void)
{
	static const uint64_t v[] = {
		0, 1, 2, 63, 64, 65, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
		~0ull, ~63ull, 1ull << 63, DMA_BASE, DMA_BASE + MEMORY_SIZE - 64,
		DMA_BASE - 64, MACHINE_HBM, MACHINE_HBM - 4, MACHINE_REGION,
		OCFABRIC_KEY_REGION,
	};

	return rnd() % 5 ? v[rnd() % (sizeof(v) / sizeof(*v))] :
			   (uint64_t)rnd() << rnd() % 40;
}

/* Bytes that no queue was given: lists, structs, sources. */
static uint32_t untouched(const struct machine *m)
{
	uint32_t sum = 0, i;
	unsigned int q;

	for (q = 0; q < QUEUES; q++)
		for (i = STRUCT_AT(q); i < (q + 1) * BLOCK; i++)
			sum = sum * 31 + m->memory[i];
	for (i = QUEUES * BLOCK; i < MEMORY_SIZE; i++)
		sum = sum * 31 + m->memory[i];
	return sum;
}

static void nasty_write(struct ocfabric_desc *d)
{
	if (rnd() & 1)
		d->raddr &= 0xfffc;
	if (rnd() & 1)
		d->len = rnd() % 5000;
	if (rnd() & 1)
		d->key = 1;
	if (!(rnd() % 4))
		d->flags |= OCFABRIC_DESC_INLINE;
	if (d->opcode == OCFABRIC_OP_WRITE_IMM)
		d->imm = (uint32_t)nasty();
	if (d->opcode == OCFABRIC_OP_NOP && rnd() % 4)
		*d = (struct ocfabric_desc){ 0 };
}

static void nasty_ring(struct machine *m, unsigned int q)
{
	unsigned int i;

	for (i = 0; i < 64; i++) {
		struct ocfabric_desc d = machine_write(nasty(), (uint32_t)nasty(),
						       nasty(), (uint32_t)nasty());
		uint8_t *raw = (uint8_t *)&d;

		d.opcode = (uint8_t)(rnd() % 7);
		if (rnd() % 8 && d.opcode >= OCFABRIC_OP_SEM_LOCAL)
			d = machine_sem(d.opcode, rnd() % 70, rnd() % 4);
		d.flags = rnd() % 40 ? 1 : (uint8_t)rnd();
		if (d.opcode < OCFABRIC_OP_SEM_LOCAL)
			nasty_write(&d);
		if (!(rnd() % 10))
			raw[rnd() % 64] = (uint8_t)rnd();
		memcpy(m->memory + TX_AT(q) + 64 * i, &d, sizeof(d));
	}
	for (i = 0; i < 64; i++) {
		uint8_t raw[16] = { 0, 1 };

		if (!(rnd() % 20))
			raw[rnd() % 16] = (uint8_t)rnd();
		memcpy(m->memory + RX_AT(q) + 16 * i, raw, sizeof(raw));
	}
}

static void check_queue(struct machine *m, unsigned int q)
{
	const struct ocf_queue *x = &m->queue[q];

	CHECK(machine_valid(m), "queue %u: state %u cause %u", q, x->state,
	      x->cause);
	CHECK(x->busy || ocf_counters_add_up(&m->t->card.link[q].counters));
}

static void one_ring(struct machine *m, bool mapped)
{
	unsigned int q, i;
	uint32_t before;

	machine_restart(m, mapped, rnd() & 1 ? 0 : 5);
	for (q = 0; q < QUEUES; q++) {
		machine_enable(m, q, 4 + rnd() % 3);
		machine_key(m, q, 1);
		nasty_ring(m, q);
	}
	before = untouched(m);
	for (i = 0; i < 12; i++) {
		struct ocf_budget b = { rnd() % 80, (uint32_t)nasty() };
		uint64_t word = nasty();

		q = rnd() % QUEUES;
		if (rnd() % 3)
			ocf_queue_ring(&m->queue[q], rnd() % 6 ? rnd() % 20 : nasty());
		if (rnd() & 1)
			ocf_inbox_ring(&m->inbox[q], rnd() % 6 ? rnd() % 9 :
						     (uint32_t)nasty());
		if (!(rnd() % 5))
			memcpy(m->memory + OWNER_AT(q) + rnd() % 2 * 8, &word, 8);
		if (!(rnd() % 9))
			ocf_key_del(&m->queue[q].keys, 1);
		if (!(rnd() % 9))
			ocf_queue_disable(&m->queue[q], rnd() & 1);
		if (!(rnd() % 9))
			ocf_queue_reset_link(&m->queue[q]);
		ocf_queue_run(&m->queue[q], &b);
		m->clock += rnd() % 7;
		check_queue(m, q);
		CHECK(ocf_link_adds_up(&m->t->card.link[q]));
	}
	CHECK(untouched(m) == before, "a store where none belongs");
}

static void rings(void)
{
	struct machine *m = machine_new(true, 0);
	unsigned int i;

	for (i = 0; i < ROUNDS && tap_failures < 5; i++)
		one_ring(m, i & 1);
	machine_free(m);
}

/* Structures with chunks anywhere; what is accepted is used, too. */
static void shapes(void)
{
	struct machine *m = machine_new(true, 0);
	unsigned int i, k, accepted = 0;

	for (i = 0; i < ROUNDS && tap_failures < 5; i++) {
		struct ocfabric_hw_queue hw = machine_queue_struct(0, 4);
		struct ocf_budget b = { 64, 1 << 20 };

		machine_restart(m, i & 1, 0);
		for (k = rnd() % 3; k; k--) {
			uint64_t word = nasty();

			memcpy((uint8_t *)&hw + rnd() % (sizeof(hw) / 8) * 8,
			       &word, 8);
		}
		if (rnd() & 1)
			hw.chunk_shift = (uint8_t)(rnd() % 20);
		memcpy(m->memory + STRUCT_AT(0), &hw, sizeof(hw));
		nasty_ring(m, 0);
		if (ocf_queue_enable(&m->queue[0], DMA_BASE + STRUCT_AT(0)) ==
		    OCFABRIC_RESULT_OK) {
			accepted++;
			ocf_queue_ring(&m->queue[0], 1 + rnd() % 16);
			ocf_queue_run(&m->queue[0], &b);
			check_queue(m, 0);
		}
	}
	machine_free(m);
	CHECK(accepted > ROUNDS / 20, "%u accepted", accepted);
}

/* Regions that leave the HBM, as sources and as destinations. */
static void regions(void)
{
	struct machine *m = machine_new(true, 0);
	unsigned int i, k;

	for (i = 0; i < ROUNDS && tap_failures < 5; i++) {
		struct ocf_budget b = { 64, 1 << 20 };
		struct ocf_config *cfg;

		machine_restart(m, true, 0);
		cfg = test_card_drain(m->t);
		for (k = 0; k < QUEUES; k++) {
			cfg->region[k].base = nasty() & ~(rnd() & 1 ? 63ull : 0);
			cfg->region[k].size = nasty();
			cfg->windows[k].length = ~0ull;
		}
		test_card_resume(m->t);
		machine_enable(m, 0, 6);
		for (k = 0; k < 64; k++)
			machine_post(m, 0, machine_write(
				nasty() & ~3ull, rnd() % 3000, nasty(),
				OCFABRIC_KEY_REGION));
		ocf_queue_ring(&m->queue[0], 64);
		ocf_queue_run(&m->queue[0], &b);
		check_queue(m, 0);
		CHECK(m->inbox[0].produced == 64, "%u", m->inbox[0].produced);
	}
	machine_free(m);
}

/* A bit of what a stream holds of queue, inbox or flight is another one. */
static void damage(struct machine *m)
{
	struct ocf_flight *f = &m->t->card.link[0].flight;
	struct ocf_queue *q = &m->queue[0];
	struct ocf_inbox *b = &m->inbox[rnd() & 1];
	const size_t from = offsetof(struct ocf_queue, state);
	const size_t box = offsetof(struct ocf_inbox, cause);
	uint8_t flags[3] = { (uint8_t)q->busy, (uint8_t)q->parked };

	switch (rnd() % 3) {
	case 0:
		((uint8_t *)f)[rnd() % sizeof(*f)] ^= 1 << rnd() % 8;
		break;
	case 1:
		((uint8_t *)q)[from + rnd() % (offsetof(struct ocf_queue, keys) -
					       from)] ^= 1 << rnd() % 8;
		break;
	default:
		((uint8_t *)b)[box + rnd() % (sizeof(*b) - box)] ^= 1 << rnd() % 8;
		break;
	}
	/* a bool is loaded as one */
	memcpy(flags, &q->busy, 1);
	memcpy(flags + 1, &q->parked, 1);
	q->busy = flags[0] & 1;
	q->parked = flags[1] & 1;
	memcpy(flags, &b->moderation.count, 1);
	memcpy(flags + 1, &b->moderation.told, 1);
	memcpy(flags + 2, &b->moderation.put_off, 1);
	b->moderation.count = flags[0] & 1;
	b->moderation.told = flags[1] & 1;
	b->moderation.put_off = flags[2] & 1;
	/* and pointers and masks are not saved at all */
	q->touched = 0;
	memset(q->tx.host, 0, sizeof(q->tx.host));
	for (b = m->inbox; b < m->inbox + QUEUES; b++) {
		b->owner_host = NULL;
		b->mirror_host = NULL;
		memset(b->cq.host, 0, sizeof(b->cq.host));
		memset(b->rx.host, 0, sizeof(b->rx.host));
	}
}

static void in_flight(struct machine *m)
{
	struct ocfabric_desc d = machine_write(4, 100, 0, 1);
	unsigned int q;

	for (q = 0; q < QUEUES; q++) {
		machine_enable(m, q, 4);
		machine_key(m, q, 1);
		machine_recv(m, q, 3);
		ocf_inbox_ring(&m->inbox[q], 3);
	}
	d.opcode = OCFABRIC_OP_WRITE_IMM;
	d.imm = 7;
	machine_do(m, 0, rnd() & 1 ? d : machine_sem(OCFABRIC_OP_WAIT, 3, 1));
	machine_do(m, 1, rnd() & 1 ? d : machine_sem(OCFABRIC_OP_SEM_REMOTE, 3, 1));
}

/* Queues loaded from anywhere: refused, or as good as any other. */
static void damaged(void)
{
	struct machine *m = machine_new(true, 0);
	struct ocf_queue *queue[QUEUES] = { &m->queue[0], &m->queue[1] };
	unsigned int i, q, good = 0;

	for (i = 0; i < ROUNDS && tap_failures < 5; i++) {
		machine_restart(m, i & 1, 3);
		in_flight(m);
		damage(m);
		if (!ocf_queues_valid(queue, QUEUES))
			continue;
		good++;
		for (q = 0; q < QUEUES; q++)
			ocf_queue_map(queue[q]);
		m->clock = m->t->card.link[0].flight.go_at;
		for (q = 0; q < QUEUES; q++)
			machine_run(m, q);
		machine_work(m);
		for (q = 0; q < QUEUES; q++)
			check_queue(m, q);
	}
	machine_free(m);
	CHECK(good > ROUNDS / 20 && good < ROUNDS, "%u of %u", good, ROUNDS);
}

/* Every size that a byte can name. */
static void damaged_sizes(void)
{
	struct machine *m = machine_new(true, 0);
	struct ocf_queue *queue[QUEUES] = { &m->queue[0], &m->queue[1] };
	unsigned int i;

	for (i = 0; i < 256; i++) {
		machine_restart(m, true, 0);
		in_flight(m);
		m->inbox[0].cq.shift = (uint8_t)i;
		CHECK(ocf_queues_valid(queue, QUEUES) == (i >= 4 && i <= 11), "%u", i);
		machine_restart(m, true, 0);
		in_flight(m);
		m->inbox[1].rx.shift = (uint8_t)i;
		CHECK(ocf_queues_valid(queue, QUEUES) == (i >= 4 && i <= 11), "%u", i);
		ocf_queue_disable(&m->queue[1], true);
		ocf_inbox_rung(&m->inbox[1]);
	}
	machine_free(m);
}

/*
 * A write with immediate whose reservation is said to be one of the peer's to come, or
 * of one that is closed: nothing is given back that was not reserved.
 */
static void damaged_epochs(void)
{
	struct machine *m = machine_new(true, 0);
	struct ocf_queue *queue[QUEUES] = { &m->queue[0], &m->queue[1] };
	struct ocf_inbox *peer = &m->inbox[1];
	struct ocfabric_desc d = machine_write(4, 100, 0, 1);
	unsigned int ahead, opened;

	d.opcode = OCFABRIC_OP_WRITE_IMM;
	for (ahead = 0; ahead < 5; ahead++) {
		for (opened = 0; opened < 4; opened++) {
			machine_restart(m, true, 5);
			machine_enable(m, 0, 4);
			machine_enable(m, 1, 4);
			machine_key(m, 0, 1);
			machine_recv(m, 1, 3);
			ocf_inbox_ring(peer, 3);
			machine_do(m, 0, d);
			if (!ahead)
				ocf_queue_disable(&m->queue[1], true);
			m->queue[0].epoch = peer->epoch + ahead;
			CHECK(ocf_queues_valid(queue, QUEUES), "%u", ahead);
			if (ahead && opened)
				ocf_queue_disable(&m->queue[1], true);
			if (opened > 1)
				machine_enable(m, 1, 4);
			if (opened > 2)
				ocf_queue_disable(&m->queue[1], true);
			m->clock += 100;
			machine_run(m, 0);
			machine_work(m);
			CHECK(!m->queue[0].busy);
			CHECK(peer->held <= 1u << 4 && peer->rx_held <= 3,
			      "%u ahead, %u: held %u, %u", ahead, opened,
			      peer->held, peer->rx_held);
			CHECK(!peer->rx_head && !peer->produced,
			      "%u ahead, %u: a closed ring got a write", ahead,
			      opened);
		}
	}
	machine_free(m);
}

static void event_rings(void)
{
	struct machine *m = machine_new(true, 0);
	struct ocf_events e = { 0 };
	unsigned int i;

	for (i = 0; i < 100000; i++) {
		struct ocfabric_event ev = { .type = 1 };

		switch (rnd() % 8) {
		case 0:
			ocf_events_set_base(&e, nasty());
			break;
		case 1:
			ocf_events_set_shift(&e, rnd() % 16);
			break;
		case 2:
			e.consumer = (uint32_t)nasty();
			break;
		case 3:
			e.consumer = e.producer;
			break;
		default:
			ocf_event_post(&e, &m->host, ev);
			break;
		}
		CHECK(ocf_events_valid(&e));
	}
	machine_free(m);
}

static const struct tap_test tests[] = {
	{ "hostile descriptors and indices", rings },
	{ "hostile shapes", shapes },
	{ "hostile regions", regions },
	{ "damaged queues", damaged },
	{ "damaged sizes", damaged_sizes },
	{ "damaged epochs", damaged_epochs },
	{ "hostile event rings", event_rings },
};

TAP_MAIN(tests)
