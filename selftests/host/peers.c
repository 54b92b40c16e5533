// SPDX-License-Identifier: GPL-2.0-only
/*
 * What queues do to each other: writes with immediate, semaphores, and what is
 * left when one of them goes away in between.
 */
#include "machine.h"
#include "tap.h"

static struct machine *start(uint32_t latency)
{
	struct machine *m = machine_new(true, latency);
	unsigned int q;

	for (q = 0; q < QUEUES; q++) {
		machine_enable(m, q, 4);
		machine_key(m, q, 1);
	}
	return m;
}

static struct ocfabric_desc imm(uint32_t value)
{
	struct ocfabric_desc d = machine_write(0, 64, 0, 1);

	d.opcode = OCFABRIC_OP_WRITE_IMM;
	d.imm = value;
	return d;
}

static void recv(struct machine *m, unsigned int q, unsigned int n)
{
	machine_recv(m, q, n);
	CHECK(ocf_inbox_ring(&m->inbox[q], n));
}

static uint8_t status(struct machine *m, unsigned int q)
{
	struct ocfabric_cqe e;

	if (!machine_take(m, q, &e)) {
		CHECK(false, "queue %u: no completion", q);
		return 0xff;
	}
	return e.status;
}

/* The clock goes on till the write of this queue ends. */
static void let_end(struct machine *m, unsigned int q)
{
	m->clock = m->queue[q].due;
	machine_run(m, q);
	machine_work(m);
}

static void stopped(struct machine *m, unsigned int q, uint8_t cause,
		    uint32_t wrote, uint32_t expected)
{
	const struct ocf_queue *x = &m->queue[q];

	CHECK(x->state == OCFABRIC_QUEUE_STOPPED && x->cause == cause &&
	      x->wrote == wrote && x->expected == expected,
	      "state %u cause %u: wrote %u expected %u", x->state, x->cause,
	      x->wrote, x->expected);
	CHECK(m->told[q] & OCF_TELL_STOPPED);
	m->told[q] = 0;
}

static void nothing_reserved(struct machine *m)
{
	unsigned int q;

	for (q = 0; q < QUEUES; q++)
		CHECK(!m->inbox[q].held && !m->inbox[q].rx_held,
		      "queue %u: %u and %u", q, m->inbox[q].held,
		      m->inbox[q].rx_held);
	CHECK(machine_valid(m));
}

static void armed_or_not(void)
{
	struct machine *m = start(0);
	struct ocfabric_cqe e;

	machine_do(m, 0, imm(1));
	CHECK(status(m, 0) == OCFABRIC_VERDICT_RNR);
	CHECK(m->t->card.link[0].counters.c[OCF_RNR] == 1);
	recv(m, 1, 1);
	machine_do(m, 0, imm(2));
	CHECK(status(m, 0) == OCFABRIC_VERDICT_COMMITTED);
	CHECK(machine_take(m, 1, &e) && e.imm == 2 && e.source == 0 &&
	      e.bytes == 64 && e.flags & OCFABRIC_CQE_RECEIVE);
	machine_do(m, 0, imm(3));
	CHECK(status(m, 0) == OCFABRIC_VERDICT_RNR, "one is one");
	nothing_reserved(m);
	machine_free(m);
}

/* What does not commit gives back; the next one gets the same descriptor. */
static void given_back(void)
{
	struct machine *m = start(9);
	struct ocfabric_cqe e;

	recv(m, 1, 1);
	machine_do(m, 0, imm(1));
	CHECK(m->inbox[1].rx_held == 1 && m->inbox[1].held == 1);
	CHECK(m->inbox[0].held == 1, "its own");
	ocf_queue_reset_link(&m->queue[0]);
	CHECK(status(m, 0) == OCFABRIC_VERDICT_DMA_ERROR);
	nothing_reserved(m);
	machine_do(m, 0, imm(2));
	ocf_key_del(&m->queue[0].keys, 1);
	let_end(m, 0);
	CHECK(status(m, 0) == OCFABRIC_VERDICT_DMA_ERROR);
	nothing_reserved(m);
	machine_key(m, 0, 1);
	machine_do(m, 0, imm(3));
	CHECK(ocf_queue_disable(&m->queue[0], true) == OCFABRIC_RESULT_OK);
	CHECK(status(m, 0) == OCFABRIC_VERDICT_DMA_ERROR);
	nothing_reserved(m);
	machine_enable(m, 0, 4);
	machine_do(m, 0, imm(4));
	let_end(m, 0);
	CHECK(machine_take(m, 1, &e) && e.imm == 4 && e.index == 0);
	CHECK(!machine_take(m, 1, &e));
	nothing_reserved(m);
	machine_free(m);
}

/* A reservation ends with the queue that gave it, whatever comes after. */
static void receiver_goes(void)
{
	struct machine *m = start(9);
	unsigned int again;
	struct ocfabric_cqe e;

	for (again = 0; again < 3; again++) {
		recv(m, 1, 2);
		machine_do(m, 0, imm(again));
		CHECK(ocf_queue_disable(&m->queue[1], false) ==
		      OCFABRIC_RESULT_OK);
		CHECK(m->queue[1].state == OCFABRIC_QUEUE_DISABLED, "at once");
		if (again) {
			machine_enable(m, 1, 4);
			recv(m, 1, 2);
		}
		CHECK(machine_valid(m));
		if (again == 2) {
			ocf_queue_reset_link(&m->queue[0]);
			CHECK(status(m, 0) == OCFABRIC_VERDICT_DMA_ERROR);
		} else {
			let_end(m, 0);
			CHECK(status(m, 0) == OCFABRIC_VERDICT_COMMITTED);
		}
		nothing_reserved(m);
		if (!again)
			machine_enable(m, 1, 4);
		CHECK(!machine_take(m, 1, &e) && !m->inbox[1].rx_head);
		ocf_queue_disable(&m->queue[1], false);
		machine_enable(m, 1, 4);
	}
	machine_free(m);
}

static void stale_receive(void)
{
	struct machine *m = start(0);

	recv(m, 1, 3);
	machine_do(m, 0, imm(0));
	machine_do(m, 0, imm(0));
	m->memory[RX_AT(1) + 33] = 2;
	machine_do(m, 0, imm(0));
	stopped(m, 1, OCFABRIC_CAUSE_RX_STALE_TAG, 2, 3);
	CHECK(!status(m, 0) && !status(m, 0));
	CHECK(status(m, 0) == OCFABRIC_VERDICT_RNR);
	machine_do(m, 0, imm(0));
	CHECK(status(m, 0) == OCFABRIC_VERDICT_RNR, "a stopped one takes none");
	CHECK(!ocf_inbox_ring(&m->inbox[1], 1));
	nothing_reserved(m);
	machine_free(m);
}

/* Rings where no memory is: the owner stops, the sender does not. */
static void unreadable(void)
{
	struct machine *m = start(0);
	struct ocfabric_hw_queue hw = machine_queue_struct(1, 4);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		ocf_queue_disable(&m->queue[1], true);
		hw = machine_queue_struct(1, 4);
		*(i == 0 ? &hw.rx_chunk[0] : i == 1 ? &hw.cq_chunk[0] :
						      &hw.owner) = 0x1000;
		memcpy(m->memory + STRUCT_AT(1), &hw, sizeof(hw));
		CHECK(ocf_queue_enable(&m->queue[1], DMA_BASE + STRUCT_AT(1)) ==
		      OCFABRIC_RESULT_OK);
		m->armed[1] = m->told[1] = 0;
		recv(m, 1, 1);
		machine_do(m, 0, imm(0));
		CHECK(status(m, 0) == (i ? OCFABRIC_VERDICT_COMMITTED :
					   OCFABRIC_VERDICT_RNR), "%u", i);
		stopped(m, 1, OCFABRIC_CAUSE_DMA, 0, 0);
		nothing_reserved(m);
	}
	ocf_queue_disable(&m->queue[1], true);
	hw = machine_queue_struct(1, 4);
	hw.semaphores = 0x1000;
	memcpy(m->memory + STRUCT_AT(1), &hw, sizeof(hw));
	CHECK(ocf_queue_enable(&m->queue[1], DMA_BASE + STRUCT_AT(1)) ==
	      OCFABRIC_RESULT_DMA);
	CHECK(m->queue[1].state == OCFABRIC_QUEUE_DISABLED);
	machine_free(m);
}

/* 32 entries, all filled by a peer but those that are spoken for. */
static void full_completion_ring(void)
{
	struct machine *m = start(0);
	unsigned int i;

	for (i = 0; i < 31; i++) {
		recv(m, 1, 1);
		machine_do(m, 0, imm(i));
		CHECK(!status(m, 0));
	}
	test_card_drain(m->t)->latency = 5;
	test_card_resume(m->t);
	machine_do(m, 1, machine_write(0, 64, 0, 1));	/* has the last one */
	recv(m, 1, 1);
	machine_do(m, 0, imm(99));
	CHECK(status(m, 0) == OCFABRIC_VERDICT_RNR);
	stopped(m, 1, OCFABRIC_CAUSE_CQ_FULL, 0, 32);
	let_end(m, 1);
	for (i = 0; i < 31; i++) {
		struct ocfabric_cqe e;

		CHECK(machine_take(m, 1, &e) && e.imm == i);
	}
	CHECK(status(m, 1) == OCFABRIC_VERDICT_COMMITTED, "it had its place");
	nothing_reserved(m);
	machine_free(m);
}

/* Increments of the receive ring; what was not looked at is added up. */
static void increments(void)
{
	static const uint32_t too_much[] = { 17, 0xffffff };
	struct machine *m = start(0);
	struct ocf_inbox *b = &m->inbox[1];
	unsigned int i;

	CHECK(ocf_inbox_ring(b, 0) && ocf_inbox_ring(b, 16));
	CHECK(b->rx_tail == 16 && !ocf_inbox_room(b));
	CHECK(ocf_inbox_ring(b, 0) && b->takes);
	ocf_inbox_ring(b, 1);
	machine_work(m);
	stopped(m, 1, OCFABRIC_CAUSE_RX_OVER_INCREMENT, 0, 1);
	for (i = 0; i < 2; i++) {
		ocf_queue_disable(&m->queue[1], false);
		machine_enable(m, 1, 4);
		ocf_inbox_ring(b, too_much[i]);
		machine_work(m);
		stopped(m, 1, OCFABRIC_CAUSE_RX_OVER_INCREMENT, 16, too_much[i]);
	}
	ocf_queue_disable(&m->queue[1], false);
	CHECK(!ocf_inbox_ring(b, 1), "not enabled");
	machine_enable(m, 1, 4);
	machine_recv(m, 1, 3);
	ocf_inbox_lock(b);
	CHECK(ocf_inbox_ring(b, 1) && ocf_inbox_ring(b, 2), "nobody waits");
	CHECK(!b->rx_tail && m->told[1] & OCF_TELL_WORK);
	ocf_inbox_unlock(b);
	machine_do(m, 0, imm(5));
	CHECK(!status(m, 0), "who needs it looks");
	CHECK(b->rx_tail == 3);
	machine_free(m);
}

static void semaphores(void)
{
	struct machine *m = start(0);
	unsigned int i;

	for (i = 0; i < 5; i++)
		machine_do(m, 0, machine_sem(OCFABRIC_OP_SEM_LOCAL, i,
					     0xc0000000));
	machine_do(m, 0, machine_sem(OCFABRIC_OP_SEM_LOCAL, 1, 0x40000001));
	CHECK(m->inbox[0].sem[1] == 1 && machine_mirror(m, 0, 1) == 1);
	CHECK(machine_mirror(m, 0, 4) == 0xc0000000);
	CHECK(m->mirrored == 6 * 4, "%llu", (unsigned long long)m->mirrored);
	CHECK(!m->t->card.link[0].counters.c[OCF_WRITES]);
	for (i = 30; i < 66; i++) {
		machine_do(m, 1, machine_sem(OCFABRIC_OP_SEM_REMOTE, i, 7));
		CHECK(status(m, 1) == (i < 32 ? OCFABRIC_VERDICT_COMMITTED :
						OCFABRIC_VERDICT_UNAUTHORIZED));
	}
	CHECK(machine_mirror(m, 0, 30) == 7 && machine_mirror(m, 0, 31) == 7 &&
	      !m->inbox[0].sem[32]);
	CHECK(m->t->card.link[1].counters.c[OCF_UNAUTHORIZED] == 34);
	CHECK(m->t->card.link[1].counters.c[OCF_COMMITTED] == 2);
	CHECK(!m->t->card.link[1].counters.c[OCF_BYTES] &&
	      !m->t->card.link[1].counters.c[OCF_LINES]);
	CHECK(m->t->card.link[1].reject[0].sem == 64, "of the 33rd");
	CHECK(ocf_counters_add_up(&m->t->card.link[1].counters));
	CHECK(ocf_link_adds_up(&m->t->card.link[1]));
	machine_free(m);
}

/* Of value and target only their distance counts. */
static void waits(void)
{
	static const struct {
		uint32_t value, target;
		bool met;
	} t[] = {
		{ 0, 0, true }, { 0, 1, false }, { 1, 0, true },
		{ 0xffffffff, 0, false }, { 0, 0xffffffff, true },
		{ 0x7fffffff, 0, true }, { 0x80000000, 0, false },
		{ 5, 0x80000005, false }, { 5, 0x80000006, true },
		{ 0xfffffffe, 3, false }, { 3, 0xfffffffe, true },
	};
	unsigned int i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct machine *m = start(0);
		struct ocf_queue *q = &m->queue[0];

		machine_do(m, 0, machine_sem(OCFABRIC_OP_SEM_LOCAL, 9, t[i].value));
		machine_do(m, 0, machine_sem(OCFABRIC_OP_WAIT, 9, t[i].target));
		CHECK(q->parked == !t[i].met && m->inbox[0].waiting == q->parked,
		      "%x for %x", t[i].value, t[i].target);
		CHECK(!q->busy && machine_valid(m));
		/* to the target, in two steps */
		machine_do(m, 1, machine_sem(OCFABRIC_OP_SEM_REMOTE, 9,
					     t[i].target - t[i].value - 1));
		CHECK(q->parked == !t[i].met);
		machine_do(m, 1, machine_sem(OCFABRIC_OP_SEM_REMOTE, 9, 1));
		CHECK(!q->parked && !m->inbox[0].waiting && q->head == 2);
		CHECK(m->inbox[0].sem[9] == t[i].target, "it takes nothing");
		machine_free(m);
	}
}

static void waiting_ends(void)
{
	struct machine *m = start(0);
	struct ocf_queue *q = &m->queue[0];
	struct ocf_budget b = { 64, 1 << 20 };

	machine_do(m, 0, machine_sem(OCFABRIC_OP_WAIT, 1, 1));
	CHECK(ocf_queue_run(q, &b) == OCF_NEXT_SEM);
	CHECK(!m->inbox[0].held, "it has nothing reserved");
	ocf_card_drain(&m->t->card);
	CHECK(ocf_card_drained(&m->t->card));
	CHECK(ocf_queue_run(q, &b) == OCF_NEXT_RESUME && m->inbox[0].waiting);
	ocf_card_resume(&m->t->card);
	ocf_inbox_ring(&m->inbox[0], 99);
	machine_work(m);
	stopped(m, 0, OCFABRIC_CAUSE_RX_OVER_INCREMENT, 16, 99);
	CHECK(!q->parked && !m->inbox[0].waiting);
	machine_do(m, 1, machine_sem(OCFABRIC_OP_SEM_REMOTE, 1, 1));
	CHECK(!q->head, "a stopped queue runs nothing");
	ocf_queue_disable(q, false);
	machine_enable(m, 0, 4);
	machine_do(m, 0, machine_sem(OCFABRIC_OP_WAIT, 1, 2));
	CHECK(q->parked);
	CHECK(ocf_queue_disable(q, false) == OCFABRIC_RESULT_OK &&
	      q->state == OCFABRIC_QUEUE_DISABLED && !m->inbox[0].waiting);
	CHECK(m->inbox[0].sem[1] == 1, "semaphores stay");
	machine_free(m);
}

/* The semaphore comes after everything before it, not only its own write. */
static void after_the_data(void)
{
	struct machine *m = start(7);
	unsigned int i;

	memset(m->memory + SOURCE_AT(0), 0x5a, 64);
	for (i = 0; i < 3; i++)
		machine_post(m, 0, machine_write(64 * i, 64, 0, 1));
	machine_post(m, 0, machine_sem(OCFABRIC_OP_SEM_REMOTE, 0, 1));
	ocf_queue_ring(&m->queue[0], 4);
	machine_run(m, 0);
	for (i = 0; i < 3; i++) {
		CHECK(!m->inbox[1].sem[0]);
		let_end(m, 0);
		CHECK(m->t->hbm_memory[MACHINE_REGION + 64 * i] == 0x5a);
	}
	CHECK(!machine_mirror(m, 1, 0), "it waits out the latency, too");
	CHECK(m->t->card.link[0].flight.stage == OCF_STAGE_LATENCY);
	let_end(m, 0);
	CHECK(machine_mirror(m, 1, 0) == 1);
	machine_free(m);
}

/* Aborted on its way, it adds nothing. */
static void aborted_semaphore(void)
{
	struct machine *m = start(7);

	machine_do(m, 0, machine_sem(OCFABRIC_OP_SEM_REMOTE, 0, 1));
	ocf_queue_reset_link(&m->queue[0]);
	CHECK(status(m, 0) == OCFABRIC_VERDICT_DMA_ERROR && !m->inbox[1].sem[0]);
	machine_free(m);
}

/* A queue of what moves no bytes uses its budget up like any other. */
static void budgets(void)
{
	static const uint8_t op[] = {
		OCFABRIC_OP_NOP, OCFABRIC_OP_SEM_LOCAL, OCFABRIC_OP_SEM_REMOTE,
		OCFABRIC_OP_WAIT,
	};
	unsigned int i, k;

	for (i = 0; i < 4; i++) {
		struct machine *m = start(0);
		struct ocf_budget b = { 5, 1 << 20 };

		for (k = 0; k < 16; k++)
			machine_post(m, 0, machine_sem(op[i], 0, 0));
		ocf_queue_ring(&m->queue[0], 16);
		CHECK(ocf_queue_run(&m->queue[0], &b) == OCF_NEXT_RUN &&
		      m->queue[0].head == 5, "%u of opcode %u",
		      m->queue[0].head, op[i]);
		machine_free(m);
	}
}

#define BIG_TX		0x100000u
#define BIG_CQ		0x400000u
#define BIG_RX		0x600000u
#define BIG_MEMORY	0x800000u

/* A queue whose rings have 2^shift entries, wherever there is room for both. */
static void enable_big(struct machine *m, unsigned int q, uint8_t shift)
{
	struct ocfabric_hw_queue hw = machine_queue_struct(q, 4);
	uint32_t at = DMA_BASE + (q ? 0x80000 : 0), i;

	hw.tx_shift = q ? 4 : shift;
	hw.rx_shift = hw.cq_shift = shift;
	hw.chunk_shift = 16;
	memset(hw.tx_chunk, 0, sizeof(hw.tx_chunk));
	for (i = 0; i << 16 < 64u << hw.tx_shift; i++)
		hw.tx_chunk[i] = (q ? DMA_BASE + 0x700000 : at + BIG_TX) + (i << 16);
	for (i = 0; i << 16 < 32u << shift; i++)
		hw.cq_chunk[i] = DMA_BASE + BIG_CQ + q * 0x100000 + (i << 16);
	for (i = 0; i << 16 < 16u << shift; i++)
		hw.rx_chunk[i] = at + BIG_RX + (i << 16);
	memcpy(m->memory + STRUCT_AT(q), &hw, sizeof(hw));
	CHECK(ocf_queue_enable(&m->queue[q], DMA_BASE + STRUCT_AT(q)) ==
	      OCFABRIC_RESULT_OK, "shift %u", shift);
}

/* Everything of one write with immediate, at this count of all three rings. */
static bool one_lap_step(struct machine *m, uint8_t shift, uint32_t count)
{
	uint32_t mask = (1u << shift) - 1, next = count + 1;
	uint8_t tag = (uint8_t)(((count >> shift) + 1) & 3);
	struct ocfabric_rx_desc r = { .flags = tag };
	struct ocfabric_desc d = imm(count);
	struct ocfabric_cqe e;

	d.flags = tag;
	memcpy(m->memory + BIG_RX + 0x80000 + 16 * (count & mask), &r, sizeof(r));
	memcpy(m->memory + BIG_TX + 64 * (count & mask), &d, sizeof(d));
	ocf_inbox_ring(&m->inbox[1], 1);
	ocf_queue_ring(&m->queue[0], 1);
	machine_run(m, 0);
	machine_own(m, 0, 0, next);
	machine_own(m, 1, 0, next);
	memcpy(&e, m->memory + BIG_CQ + 0x100000 + 32 * (count & mask), sizeof(e));
	CHECK(e.imm == count && e.index == (count & mask) &&
	      (e.flags & OCFABRIC_CQE_TAG_MASK) == tag,
	      "shift %u: %u has index %u, imm %u", shift, count, e.index, e.imm);
	return m->queue[0].state == OCFABRIC_QUEUE_ENABLED &&
	       m->queue[1].state == OCFABRIC_QUEUE_ENABLED;
}

/* Rings of the smallest and the greatest size go around, and their tags. */
static void laps(void)
{
	static const uint8_t shifts[] = { 4, 15 };
	unsigned int i;
	uint32_t k;

	for (i = 0; i < 2; i++) {
		struct machine *m = machine_new(true, 0);
		uint32_t last = (5u << shifts[i]) + 3;

		machine_resize(m, BIG_MEMORY);
		machine_restart(m, true, 0);
		enable_big(m, 0, shifts[i]);
		enable_big(m, 1, shifts[i]);
		machine_key(m, 0, 1);
		for (k = 0; k < last && one_lap_step(m, shifts[i], k); k++)
			;
		CHECK(k == last, "shift %u: stopped after %u", shifts[i], k);
		machine_free(m);
	}
}

static const struct tap_test tests[] = {
	{ "armed or not", armed_or_not },
	{ "a receive descriptor is given back", given_back },
	{ "the receiver goes, and comes again", receiver_goes },
	{ "a stale receive descriptor", stale_receive },
	{ "rings that cannot be read", unreadable },
	{ "a full completion ring", full_completion_ring },
	{ "increments of the receive ring", increments },
	{ "semaphores", semaphores },
	{ "what a wait compares", waits },
	{ "how waiting ends", waiting_ends },
	{ "a semaphore after the data", after_the_data },
	{ "a semaphore that is aborted", aborted_semaphore },
	{ "everything uses the budget up", budgets },
	{ "rings of all sizes go around", laps },
};

TAP_MAIN(tests)
