// SPDX-License-Identifier: GPL-2.0-only
/*
 * A driver that means harm, or none at all: random registers, descriptors and
 * indices. The card answers, ends no process, and works after a reset. The
 * seeds are fixed, so that what fails can be run again.
 */
#include <string.h>

#include "card.h"

#define ROUNDS 40
#define STEPS 300

static uint64_t seed;

static uint64_t rnd(void)
{
	return card_random(&seed);
}

/* Mostly values that mean something, sometimes anything. */
static uint64_t nasty(void)
{
	static const uint64_t v[] = {
		0, 1, 2, 3, 4, 15, 16, 63, 64, 65, 255, 256, 4095, 4096, 0xffff,
		0x7fffffff, 0x80000000, 0xffffffff, ~0ull, ~63ull, ~4095ull,
		1ull << 63, BAR_CONTROL, BAR_DOORBELL, BAR_HBM, 0xfee00000,
		0x1000000, TX_RING(1), REGION_SIZE, REGION_SIZE - 4, 64 << 20,
	};
	uint64_t r = rnd();

	return r & 7 ? v[rnd() % (sizeof(v) / sizeof(*v))] : rnd();
}

static struct ocfabric_desc nasty_desc(unsigned int tag)
{
	struct ocfabric_desc d;
	uint64_t words[sizeof(d) / 8];
	unsigned int i;

	if (!(rnd() & 3)) {
		d = card_sem((uint8_t)(OCFABRIC_OP_SEM_LOCAL + rnd() % 3),
			     rnd() & 1, (unsigned int)(rnd() % 70),
			     (uint32_t)(rnd() & 3 ? rnd() & 3 : nasty()));
		d.flags = (uint8_t)(tag | (rnd() & 0x8));
		if (d.opcode != OCFABRIC_OP_SEM_REMOTE && rnd() & 7)
			d.qpn = 0;
		return d;
	}
	if (rnd() & 1) {
		d = card_write(rnd() & 3, nasty() & ~3ull, (uint32_t)nasty(),
			       nasty(), (uint32_t)nasty());
		d.flags = (uint8_t)(tag | (rnd() & 0xc));
		d.key = rnd() & 1 ? OCFABRIC_KEY_REGION : (uint32_t)(rnd() & 1);
		if (rnd() & 1) {
			d.opcode = OCFABRIC_OP_WRITE_IMM;
			d.imm = (uint32_t)rnd();
			d.len &= 0xfff;
		}
		return d;
	}
	for (i = 0; i < sizeof(d) / 8; i++)
		words[i] = rnd() & 1 ? nasty() : 0;
	memcpy(&d, words, sizeof(d));
	d.opcode &= 1;
	d.flags = (uint8_t)((d.flags & 0xc) | tag);
	return d;
}

/* What may come while queues are at work, in each other's inbox, too. */
static void meddle(struct card *c)
{
	unsigned int q = rnd() & 1;
	uint64_t at = BAR_DOORBELL + (rnd() & 1 ? OCFABRIC_DOORBELL_S2M : 0);

	switch (rnd() % 8) {
	case 0:
		card_ring_recv(c, q, rnd() & 3 ? rnd() & 7 : (uint32_t)nasty());
		break;
	case 1:
		qtest_write(c->q, at, 8, (rnd() & 3) << 32 | (rnd() & 3));
		break;
	case 2:
		card_cmd(c, OCFABRIC_HW_CMD_LINK_RESET, q, nasty(), 0, 0, 0);
		break;
	case 3:
		qtest_write(c->q, OWNER_LINE(q) + (rnd() & 1) * 8, 8, nasty());
		break;
	case 4:
		wr32(c, OCFABRIC_REG_QUEUE(q) + OCFABRIC_QUEUE_MODERATION +
		     (rnd() & 4), (uint32_t)nasty());
		break;
	case 5:
		qtest_write(c->q, RX_RING(q) + (rnd() & 0x1f8), 8, nasty());
		break;
	case 6:
		card_ring(c, q, 1);
		break;
	default:
		qtest_step_ns(c->q, rnd() % 5000);
		break;
	}
}

/* In the words of the round that ended */
static void still_works(struct card *c, unsigned int round)
{
	unsigned int status = card_honest_write(c);

	CHECK(status == OCFABRIC_VERDICT_COMMITTED, "round %u: status %u", round, status);
}

static void registers(void)
{
	struct card *c = card_start("faults=on");
	static const uint8_t sizes[] = { 1, 2, 4, 4, 4, 8, 8, 8 };
	unsigned int round, i;

	seed = 0x1234567;
	for (round = 0; round < ROUNDS / 4; round++) {
		for (i = 0; i < STEPS * 4; i++) {
			uint32_t at = rnd() % 3 ? rnd() % 0x220 :
				      (uint32_t)(rnd() % OCFABRIC_BAR_CONTROL_SIZE);
			unsigned int size = sizes[rnd() % 8];

			at &= ~(size - 1);
			if (rnd() & 1)
				qtest_write(c->q, BAR_CONTROL + at, size, nasty());
			else
				qtest_read(c->q, BAR_CONTROL + at, size);
			if (!(rnd() & 31))
				qtest_write(c->q, BAR_DOORBELL + (nasty() & 0x3ffff &
					    ~(size - 1)), size, nasty());
		}
		qtest_step_ns(c->q, 1000);
		still_works(c, round);
	}
	card_end(c);
}

static void descriptors(void)
{
	struct card *c = card_start("faults=on");
	unsigned int round, i, q;

	seed = 0x89abcdef;
	for (round = 0; round < ROUNDS; round++) {
		wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
		card_configure(c, 2, rnd() & 3 ? 0 : 1000);
		if (rnd() & 1)
			wr64(c, OCFABRIC_REG_REGION_SIZE(0), nasty());
		for (q = 0; q < 2; q++) {
			card_queue(c, q, 5);
			card_key(c, q, q);
			for (i = 0; i < 32; i++) {
				struct ocfabric_desc d =
					nasty_desc(rnd() & 31 ? 1 : rnd() & 3);

				card_put(c, q, i, &d);
			}
			card_recv(c, q, rnd() & 31);
			card_ring(c, q, rnd() & 3 ? rnd() & 31 :
						    (uint32_t)nasty());
		}
		for (i = 0; i < STEPS / 10; i++)
			meddle(c);
		qtest_step_ns(c->q, 100000);
		card_check_sums(c, 0);
		still_works(c, round);
	}
	card_end(c);
}

/* Regions and connections that no driver would make; sources that overlap. */
static void configurations(void)
{
	struct card *c = card_start("");
	unsigned int round, i;

	seed = 0x2468;
	for (round = 0; round < ROUNDS; round++) {
		wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
		card_configure(c, 2, 0);
		card_drain(c);
		wr32(c, OCFABRIC_REG_CFG_N, rnd() & 3 ? rnd() % 20 : nasty());
		for (i = 0; i < 16; i++) {
			wr64(c, OCFABRIC_REG_REGION_BASE(i), nasty() & ~63ull);
			wr64(c, OCFABRIC_REG_REGION_SIZE(i), nasty());
			wr32(c, OCFABRIC_REG_CONN(0, i),
			     OCFABRIC_CONN_VALID | (uint32_t)nasty());
		}
		wr64(c, OCFABRIC_REG_WINDOW(0) + OCFABRIC_WINDOW_LENGTH, ~0ull);
		card_resume(c);
		card_queue(c, 0, 5);
		for (i = 0; i < 32; i++) {
			struct ocfabric_desc d = card_write(
				(uint32_t)(rnd() % 17), nasty() & ~3ull,
				(uint32_t)(rnd() % 9000), nasty(),
				OCFABRIC_KEY_REGION);

			card_post(c, 0, d);
		}
		card_ring(c, 0, 32);
		for (i = 0; i < 32; i++)
			CHECK(card_take(c, 0).index == i, "round %u", round);
		still_works(c, round);
	}
	card_end(c);
}

/* The structures that commands read are random, too. */
static void commands(void)
{
	struct card *c = card_start("faults=on");
	unsigned int round, i, k;

	seed = 0x13579;
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < 20; i++) {
			struct ocfabric_hw_queue hw = card_queue_struct(0, 4);

			for (k = 0; k < 4; k++) {
				uint64_t word = nasty();

				memcpy((uint8_t *)&hw + rnd() % (sizeof(hw) / 8) * 8,
				       &word, 8);
			}
			if (rnd() & 1)
				hw.chunk_shift = (uint8_t)(12 + rnd() % 5);
			qtest_store(c->q, QUEUE_STRUCT(0), &hw, sizeof(hw));
			wr64(c, OCFABRIC_REG_CMD_ARG(0), rnd() & 3 ?
			     QUEUE_STRUCT(0) : nasty());
			wr64(c, OCFABRIC_REG_CMD_ARG(1), nasty());
			wr64(c, OCFABRIC_REG_CMD_ARG(2), nasty());
			wr64(c, OCFABRIC_REG_CMD_ARG(3), nasty());
			wr32(c, OCFABRIC_REG_CMD, (uint32_t)(rnd() % 10) |
			     (uint32_t)(rnd() % 3) << 8);
			card_ring(c, rnd() % 3, (uint32_t)nasty());
			if (!(rnd() & 7))
				qtest_write(c->q, OWNER_LINE(0), 8, nasty());
		}
		still_works(c, round);
	}
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "random registers", registers },
	{ "random descriptors", descriptors },
	{ "random configurations", configurations },
	{ "random commands", commands },
};

TAP_MAIN(tests)
