// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a machine is told by an input. Values are used as they come; what is bounded
 * is only what would reach the machine around the card, or take for ever.
 */
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "lie.h"
#include "snapshot.h"

#define ECAM		0xb0000000ull
#define CONFIG_SPACE	(ECAM + (CARD_SLOT << 15))
#define PCIEXBAR	0x60
#define SETUP_QUEUES	2u
#define CLOCK_MAX_NS	50000000ull
#define GO_ON		"{\"execute\":\"cont\"}"

/* Registers that do something, or are many. */
static const uint32_t registers[] = {
	OCFABRIC_REG_CONTROL, OCFABRIC_REG_STATUS, OCFABRIC_REG_ERROR,
	OCFABRIC_REG_SNAPSHOT, OCFABRIC_REG_COUNTER_RESET,
	OCFABRIC_REG_STALL_LIMIT, OCFABRIC_REG_STORM_LIMIT,
	OCFABRIC_REG_EVENT_BASE, OCFABRIC_REG_EVENT_SHIFT,
	OCFABRIC_REG_EVENT_CONSUMER, OCFABRIC_REG_CMD, OCFABRIC_REG_CMD_ARG(0),
	OCFABRIC_REG_CMD_ARG(1), OCFABRIC_REG_CMD_ARG(3),
	OCFABRIC_REG_QUEUE(0) + OCFABRIC_QUEUE_MODERATION,
	OCFABRIC_REG_QUEUE(1) + OCFABRIC_QUEUE_MODERATION_TIMER,
	OCFABRIC_REG_QUEUE(0) + OCFABRIC_QUEUE_WEIGHT,
	OCFABRIC_REG_QUEUE(0), OCFABRIC_REG_SEMAPHORE(1, 8), OCFABRIC_REG_CFG_N,
	OCFABRIC_REG_CFG_FLAGS, OCFABRIC_REG_CFG_LATENCY,
	OCFABRIC_REG_REGION_BASE(1), OCFABRIC_REG_REGION_SIZE(1),
	OCFABRIC_REG_CONN(0, 0), OCFABRIC_REG_WINDOW(0), OCFABRIC_REG_CLOCK,
	OCFABRIC_REG_WINDOW(1) + OCFABRIC_WINDOW_ROUTE, OCFABRIC_REG_QPC(0, 0),
	OCFABRIC_REG_COUNTER(0, 0), OCFABRIC_REG_REJECT(0, 0),
	OCFABRIC_REG_PATH(0, 0), OCFABRIC_REG_PATH_AT(0), OCFABRIC_REG_LINK_STATE(0),
	OCFABRIC_MSIX_TABLE, OCFABRIC_MSIX_PBA, OCFABRIC_REG_BROADCAST,
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static unsigned int size_of(uint8_t c)
{
	return 1u << (c & 3);
}

static uint64_t place(uint8_t which, unsigned int q)
{
	const uint64_t places[] = {
		TX_RING(q), CQ_RING(q), OWNER_LINE(q), QUEUE_STRUCT(q),
		RANGE_LIST(q), SEM_PAGE(q), RX_RING(q), SOURCE(q), EVENT_RING,
		BAR_HBM,
	};

	return places[which % ARRAY_SIZE(places)];
}

/* Addresses that DMA may be sent to. */
static uint64_t address(uint8_t which, unsigned int q, uint64_t v)
{
	switch (which & 15) {
	case 0:
		return v;
	case 1:
		return BAR_DOORBELL + OCFABRIC_DOORBELL_PAGE(q) + (v & 0xff8);
	case 2:
		return BAR_CONTROL + (v & 0x7ffff);
	case 3:
		return BAR_HBM + (v & 0x3ffffff);
	case 4:
		return (64ull << 20) - (v & 0x1fff);
	case 5:
		return 0xfee00000;
	default:
		return place(which, q) + (v & 0xfc0);
	}
}

static void read_or_write(struct card *c, bool write, uint64_t at,
			  unsigned int size, uint64_t value)
{
	if (write)
		qtest_write(c->q, at, size, value);
	else
		qtest_read(c->q, at, size);
}

static bool stopped;	/* the machine */
static bool lying, gone; /* the card */
static bool saved;	/* by this input: it takes a moment */

static void tell_truth(struct card *c)
{
	if (lying)
		CHECK(card_lie(c, "none"));
	lying = false;
	if (!gone)
		return;
	CHECK(card_set(c, "gone", "false"));
	card_set_bars(c);
	gone = false;
}

static void go_on(struct card *c)
{
	if (stopped)
		qtest_qmp(c->q, GO_ON);
	stopped = false;
}

/* Through whatever was done to the configuration space. */
static void start_over(struct card *c)
{
	unsigned int cap;

	go_on(c);
	tell_truth(c);
	/* the bridge's window of configuration space, for wide accesses */
	qtest_outl(c->q, 0xcf8, 0x80000000u | PCIEXBAR);
	qtest_outl(c->q, 0xcfc, (uint32_t)ECAM | 1);
	card_set_bars(c);
	cap = pci_find_cap(c, 0x10);
	pci_write(c, cap + 8, 1u << 15);
	card_set_bars(c);
}

static void setup(struct card *c, const struct op *op)
{
	unsigned int q, shift = 4 + op->a % 4;

	start_over(c);
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	card_configure(c, SETUP_QUEUES, op->b & 3 ? 0 : op->x & 0xfff);
	for (q = 0; q < SETUP_QUEUES; q++) {
		struct ocfabric_hw_queue hw = card_queue_struct(q, shift);

		qtest_zero(c->q, TX_RING(q), 64u << shift);
		qtest_zero(c->q, RX_RING(q), 16u << shift);
		qtest_zero(c->q, CQ_RING(q), 32u << shift);
		qtest_zero(c->q, OWNER_LINE(q), 64);
		c->ring_shift[q] = shift;
		c->posted[q] = c->taken[q] = c->armed[q] = 0;
		card_enable(c, q, &hw);
		card_key(c, q, q);
	}
	if (op->c & 1)
		card_msix(c);
	if (op->c & 2)
		card_events(c);
}

static void config_space(struct card *c, const struct op *op)
{
	unsigned int size = 1u << op->c % 3;

	/* 4 is the largest there, and BARs stay where they are played to be */
	if ((op->x & 0xfff) >= 0x10 - size && (op->x & 0xfff) < 0x28)
		return;
	read_or_write(c, op->a & 3, CONFIG_SPACE + (op->x & 0xfff), size, op->v);
}

static void registers_op(struct card *c, const struct op *op)
{
	uint32_t at = registers[op->a % ARRAY_SIZE(registers)];
	unsigned int size = op->c & 4 ? size_of(op->c) : op->c & 1 ? 8 : 4;

	/* any of many, or with a wrong offset */
	at += op->b & 1 ? op->b & 0xfc : 0;
	read_or_write(c, op->c & 0x30, BAR_CONTROL + at, size, op->v);
}

static void access_op(struct card *c, const struct op *op)
{
	unsigned int size = size_of(op->c);
	uint64_t at;

	switch (op->a & 3) {
	case 0:
		at = BAR_CONTROL + op->x % (OCFABRIC_BAR_CONTROL_SIZE - 8);
		break;
	case 1:
		at = BAR_HBM + (op->x & 0x3fffff0) + (op->b & 7);
		break;
	default:
		at = BAR_DOORBELL + op->x % (OCFABRIC_BAR_DOORBELL_SIZE - 8);
		break;
	}
	if (op->b & 8)
		at &= ~(uint64_t)(size - 1);
	read_or_write(c, op->c & 4, at, size, op->v);
}

static void memory_op(struct card *c, const struct op *op)
{
	uint64_t at = place(op->a, op->b & 1) + (op->x & 0x7f8);

	qtest_write(c->q, at, 8, op->v);
}

static void post_op(struct card *c, const struct op *op)
{
	unsigned int q = op->b & 1;
	struct ocfabric_desc d = {
		.opcode = op->a % 7, .flags = op->b & 0x0c, .qpn = op->b >> 4 & 1,
		.raddr = op->v & 0xffffc,
	};

	if (d.opcode == OCFABRIC_OP_WRITE || d.opcode == OCFABRIC_OP_WRITE_IMM) {
		d.len = op->c & 0x40 ? op->x : op->x % 5000;
		d.addr = op->c & 1 ? op->v >> 20 : op->v >> 20 & 0xffff;
		d.key = op->c & 2 ? OCFABRIC_KEY_REGION : op->c & 4 ? q : op->c >> 3 & 3;
		d.imm = d.opcode == OCFABRIC_OP_WRITE_IMM ? op->x : 0;
	} else if (d.opcode != OCFABRIC_OP_NOP) {
		d.raddr = 0;
		d.sem = op->x & 0x7f;
		d.len = (uint32_t)op->v;
	}
	if (op->c & 0x80)
		((uint8_t *)&d)[op->x & 63] = (uint8_t)(op->v >> 56);
	card_post(c, q, d);
	if (op->c & 0x20)
		card_ring(c, q, 1);
}

static void receive_op(struct card *c, const struct op *op)
{
	unsigned int q = op->b & 1, n = op->a & 7, i;

	for (i = 0; i < n; i++) {
		struct ocfabric_rx_desc d = { 0 };
		uint32_t at = c->armed[q] & ((1u << c->ring_shift[q]) - 1);

		d.flags = (uint8_t)(((c->armed[q]++ >> c->ring_shift[q]) + 1) & 3);
		if (op->c & 0x80)
			((uint8_t *)&d)[op->x & 15] = (uint8_t)op->v;
		qtest_store(c->q, RX_RING(q) + 16ull * at, &d, sizeof(d));
	}
	card_ring_recv(c, q, n);
}

static void ring_op(struct card *c, const struct op *op)
{
	uint32_t increment = op->c & 1 ? op->x : op->x & 31;

	switch (op->a & 3) {
	case 0:
		card_ring_recv(c, op->b & 15, increment);
		break;
	case 1:
		qtest_write(c->q, BAR_DOORBELL + OCFABRIC_DOORBELL_BROADCAST +
			    (op->c & 2 ? OCFABRIC_DOORBELL_S2M : 0), 8,
			    op->c & 4 ? op->v : 3ull << 32 | increment);
		break;
	default:
		card_ring(c, op->b & (op->c & 8 ? 15 : 1), increment);
		break;
	}
}

static void command(struct card *c, uint32_t opcode, uint32_t queue, uint64_t a0,
		    uint64_t a1, uint64_t a2, uint64_t a3)
{
	wr64(c, OCFABRIC_REG_CMD_ARG(0), a0);
	wr64(c, OCFABRIC_REG_CMD_ARG(1), a1);
	wr64(c, OCFABRIC_REG_CMD_ARG(2), a2);
	wr64(c, OCFABRIC_REG_CMD_ARG(3), a3);
	wr32(c, OCFABRIC_REG_CMD, opcode | queue << 8);
}

static void command_op(struct card *c, const struct op *op)
{
	command(c, op->a % 9, op->b & (op->c & 1 ? 0xff : 1),
		op->c & 2 ? op->v : address(op->c >> 2, op->b & 1, op->v), op->x,
		op->c & 0x40 ? op->v : 0, op->c & 0x80 ? op->v : op->x & 7);
}

static void enable_op(struct card *c, const struct op *op)
{
	unsigned int q = op->b & 1, shift = 4 + (op->a & 3);
	struct ocfabric_hw_queue hw = card_queue_struct(q, shift);
	uint64_t word = op->c & 1 ? op->v : address(op->c >> 1, q, op->v);

	if (op->b & 2)
		hw.chunk_shift = (uint8_t)(op->x & 31);
	if (op->b & 4)
		memcpy((uint8_t *)&hw + op->x % (sizeof(hw) / 8) * 8, &word, 8);
	if (op->b & 8)
		command(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, q, op->c & 1, 0, 0, 0);
	c->ring_shift[q] = shift;
	c->posted[q] = c->taken[q] = c->armed[q] = 0;
	qtest_store(c->q, QUEUE_STRUCT(q), &hw, sizeof(hw));
	command(c, OCFABRIC_HW_CMD_QUEUE_ENABLE, q, QUEUE_STRUCT(q), 0, 0, 0);
}

static void key_op(struct card *c, const struct op *op)
{
	unsigned int q = op->b & 1, i, count = op->a & 7;

	for (i = 0; i < count; i++) {
		struct ocfabric_hw_range r = {
			.addr = address((uint8_t)(op->c + (op->b >> 2) * i), q, op->v),
			.len = op->a & 8 ? op->x : 4096u >> (op->a >> 4),
		};

		qtest_store(c->q, RANGE_LIST(q) + 16ull * i, &r, sizeof(r));
	}
	command(c, op->a == 0xff ? OCFABRIC_HW_CMD_KEY_ADD + 1 : OCFABRIC_HW_CMD_KEY_ADD,
		q, RANGE_LIST(q), op->a & 0x80 ? op->x : count,
		op->b & 2 ? op->v : 0, op->x >> 8 & 3);
}

static void qp_op(struct card *c, const struct op *op)
{
	unsigned int i;

	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_DST_QPN),
	     (uint32_t)(op->b & 1) << OCFABRIC_QP_LINK_SHIFT | (op->b >> 1 & 1));
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_QP_VALID), op->c & 1 ? 1 : op->x & 0x1ff);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_QP_STATE), op->a & 7);
	for (i = 0; i < (op->c >> 6); i++)
		wr32(c, OCFABRIC_REG_QP(4 * ((op->x >> 8 * i) % 24)),
		     (uint32_t)(op->v >> 16 * i));
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_CMD), op->b & 4 ? op->x : op->a >> 4 & 3);
	wr32(c, OCFABRIC_REG_SNAPSHOT, op->c & 0x10 ? 7 : 0);
}

static void change_op(struct card *c, const struct op *op)
{
	unsigned int i = op->a & 15, w = op->b & 3;

	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_DRAIN);
	switch (op->c & 7) {
	case 0:
		wr32(c, OCFABRIC_REG_CFG_N, op->x & 31);
		break;
	case 1:
		wr64(c, OCFABRIC_REG_REGION_BASE(i), op->v & ~(uint64_t)(op->b & 63));
		break;
	case 2:
		wr64(c, OCFABRIC_REG_REGION_SIZE(i), op->v);
		break;
	case 3:
		wr32(c, OCFABRIC_REG_CONN(i & 1, op->b & 3), op->x & 0x80ff);
		break;
	case 4:
		wr64(c, OCFABRIC_REG_WINDOW(w) + OCFABRIC_WINDOW_OFFSET, op->v);
		break;
	case 5:
		wr64(c, OCFABRIC_REG_WINDOW(w) + OCFABRIC_WINDOW_LENGTH, op->v);
		break;
	case 6:
		wr32(c, OCFABRIC_REG_WINDOW(w) + 4 * (op->b >> 4 & 7), op->x);
		break;
	default:
		wr32(c, OCFABRIC_REG_CFG_LATENCY, op->x & 0xffff);
		break;
	}
	if (op->c & 8)
		wr32(c, OCFABRIC_REG_CONTROL, 0);
}

static void vector_op(struct card *c, const struct op *op)
{
	uint32_t at = OCFABRIC_MSIX_TABLE + 16 * (op->a % OCFABRIC_VECTORS);
	uint64_t to = address(op->b, op->a & 1, op->v);

	wr32(c, at, (uint32_t)to);
	wr32(c, at + 4, (uint32_t)(to >> 32));
	wr32(c, at + 8, op->x);
	wr32(c, at + 12, op->c & 1);
}

static void reset_op(struct card *c, const struct op *op)
{
	unsigned int cap;

	switch (op->a % 7) {
	case 0:
		wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
		break;
	case 1:
		if (gone)
			break;
		cap = pci_find_cap(c, 0x10);
		pci_write(c, cap + 8, 1u << 15);
		break;
	case 2:
		card_bus_master(c, false);
		break;
	case 3:
		card_bus_master(c, true);
		break;
	case 4:
		/* no BAR answers; then they are where they were */
		pci_write(c, 4, 0);
		qtest_read(c->q, BAR_CONTROL, 4);
		card_set_bars(c);
		break;
	case 5:
		/* the doorbells over the registers, and back */
		pci_write(c, 0x18, (uint32_t)BAR_CONTROL);
		qtest_write(c->q, BAR_CONTROL + 0x1038, 4, op->x & 7);
		card_set_bars(c);
		break;
	default:
		card_set_bars(c);
		break;
	}
}

static void machine_op(struct card *c, const struct op *op)
{
	qtest_qmp(c->q, op->a & 1 ? "{\"execute\":\"stop\"}" : GO_ON);
	stopped = op->a & 1;
}

static void lie_op(struct card *c, const struct op *op)
{
	const uint64_t which[] = { op->x, op->x >> 8, op->v };
	unsigned int i, n = op->a & 3;
	char lies[128] = "none";
	size_t at = 0;

	for (i = 0; i < n; i++)
		at += (size_t)snprintf(lies + at, sizeof(lies) - at, "%s%s",
				       i ? "+" : "",
				       card_lies[which[i] % card_nr_lies]);
	CHECK(card_lie(c, lies), "%s", lies);
	lying = n > 0;
}

static void gone_op(struct card *c, const struct op *op)
{
	gone = op->a & 1;
	CHECK(card_set(c, "gone", gone ? "true" : "false"));
	/* otherwise its BARs have no addresses, as after power-on */
	if (op->b & 3)
		card_set_bars(c);
}

/* Whatever state it is in, what it saves it takes. */
static void save_op(struct card *c, const struct op *op)
{
	const char *said;

	if (saved || op->a & 3)
		return;
	saved = true;
	said = snapshot_try_save(c, "fuzz");
	CHECK(!said == !gone, "saved: %s", said ? said : "a card that is gone");
	if (said)
		return;
	said = snapshot_try_load(c, "fuzz");
	CHECK(!said, "not loaded: %s", said);
}

static void clock_op(struct card *c, const struct op *op)
{
	/* a step of nothing, or of a clock that stands, is refused */
	if (!stopped)
		qtest_step_ns(c->q, 1 + op->v % CLOCK_MAX_NS);
}

static void (*const plays[])(struct card *c, const struct op *op) = {
	[OP_SETUP] = setup,
	[OP_CONFIG] = config_space,
	[OP_REGISTER] = registers_op,
	[OP_ACCESS] = access_op,
	[OP_MEMORY] = memory_op,
	[OP_POST] = post_op,
	[OP_RECEIVE] = receive_op,
	[OP_RING] = ring_op,
	[OP_COMMAND] = command_op,
	[OP_ENABLE] = enable_op,
	[OP_KEY] = key_op,
	[OP_QP] = qp_op,
	[OP_CHANGE] = change_op,
	[OP_VECTOR] = vector_op,
	[OP_CLOCK] = clock_op,
	[OP_RESET] = reset_op,
	[OP_MACHINE] = machine_op,
	[OP_LIE] = lie_op,
	[OP_GONE] = gone_op,
	[OP_SAVE] = save_op,
};

void play(struct card *c, const struct input *in)
{
	uint32_t i;

	start_over(c);
	saved = false;
	for (i = 0; i < in->nr; i++) {
		const struct op *op = &in->op[i];

		plays[op->kind % OP_KINDS](c, op);
	}
	go_on(c);
	tell_truth(c);
	qtest_step_ns(c->q, 1000000);
	card_check_sums(c, 0);
}

bool play_honest(struct card *c)
{
	const struct op op = { .kind = OP_SETUP };
	int before = tap_failures;
	struct ocfabric_cqe e;

	start_over(c);
	setup(c, &op);
	e = card_run(c, 0, card_write(0, 0, 64, 0, 0));
	return e.status == OCFABRIC_VERDICT_COMMITTED && tap_failures == before;
}
