// SPDX-License-Identifier: GPL-2.0-only
/* Rings that are wrong, and queues that stop for it. */
#include "card.h"

static const struct ocfabric_desc nop;

static struct card *start(unsigned int shift)
{
	struct card *c = card_start("");

	card_configure(c, 2, 0);
	card_queue(c, 0, shift);
	card_key(c, 0, 0);
	return c;
}

static void stopped(struct card *c, uint32_t cause, uint32_t wrote,
		    uint32_t expected)
{
	uint32_t at = OCFABRIC_REG_QUEUE(0);

	CHECK(card_state(c, 0) == OCFABRIC_QUEUE_STOPPED, "state %u",
	      card_state(c, 0));
	CHECK(card_cause(c, 0) == cause, "cause %u", card_cause(c, 0));
	CHECK(rd32(c, at + OCFABRIC_QUEUE_WROTE) == wrote, "wrote %u",
	      rd32(c, at + OCFABRIC_QUEUE_WROTE));
	CHECK(rd32(c, at + OCFABRIC_QUEUE_EXPECTED) == expected, "expected %u",
	      rd32(c, at + OCFABRIC_QUEUE_EXPECTED));
}

/* Disables and enables; everything starts again. */
static void restart(struct card *c, unsigned int shift)
{
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, 0, 0, 0, 0) ==
	      OCFABRIC_RESULT_OK);
	CHECK(card_state(c, 0) == OCFABRIC_QUEUE_DISABLED);
	card_queue(c, 0, shift);
}

static void laps(void)
{
	struct card *c = start(4);
	unsigned int i;

	for (i = 0; i < 5 * 16 + 3; i++) {
		struct ocfabric_cqe e = card_run(c, 0, nop);

		CHECK(e.index == i % 16, "%u: index %u", i, e.index);
	}
	CHECK(rd32(c, OCFABRIC_REG_QUEUE(0) + OCFABRIC_QUEUE_HEAD) == i);
	CHECK(rd32(c, OCFABRIC_REG_QUEUE(0) + OCFABRIC_QUEUE_CQ_PRODUCER) == i);
	card_end(c);
}

static void stale_at_once(void)
{
	struct card *c = start(4);

	card_ring(c, 0, 1);
	stopped(c, OCFABRIC_CAUSE_STALE_TAG, 0, 1);
	CHECK(!card_has(c, 0));
	card_end(c);
}

static void stale_in_the_middle(void)
{
	struct card *c = start(4);
	struct ocfabric_desc old = { .flags = 1 };
	unsigned int i;

	for (i = 0; i < 20; i++)
		card_run(c, 0, nop);
	for (i = 0; i < 3; i++)
		card_post(c, 0, nop);
	card_put(c, 0, c->posted[0]++, &old);	/* the tag of the first lap */
	card_post(c, 0, nop);
	card_ring(c, 0, 5);
	stopped(c, OCFABRIC_CAUSE_STALE_TAG, 3, 5);
	for (i = 0; i < 3; i++)
		card_take(c, 0);
	CHECK(!card_has(c, 0), "nothing after it runs");
	card_ring(c, 0, 1);
	CHECK(rd32(c, OCFABRIC_REG_ERROR) == OCFABRIC_ERROR_DOORBELL);
	restart(c, 4);
	CHECK(card_run(c, 0, nop).index == 0);
	card_end(c);
}

static void increments(void)
{
	static const uint32_t too_much[] = { 17, 0x10000, 0xffffff };
	struct card *c = start(4);
	unsigned int i, k;

	card_ring(c, 0, 0);
	card_ring(c, 0, 0xff000000);
	CHECK(card_state(c, 0) == OCFABRIC_QUEUE_ENABLED);
	CHECK(!card_has(c, 0));
	for (i = 0; i < 16; i++)
		card_post(c, 0, nop);
	card_ring(c, 0, 0xa5000010);	/* reserved bits are ignored */
	for (i = 0; i < 16; i++)
		card_take(c, 0);
	for (k = 0; k < 3; k++) {
		for (i = 0; i < 16; i++)
			card_post(c, 0, nop);
		card_ring(c, 0, too_much[k]);
		stopped(c, OCFABRIC_CAUSE_OVER_INCREMENT, 16, too_much[k]);
		CHECK(!card_has(c, 0), "nothing was run");
		restart(c, 4);
	}
	card_end(c);
}

/* What is rung and not run takes room. */
static void increment_beyond_room(void)
{
	struct card *c = start(4);
	unsigned int i;

	card_drain(c);
	for (i = 0; i < 10; i++)
		card_post(c, 0, nop);
	card_ring(c, 0, 10);
	CHECK(card_state(c, 0) == OCFABRIC_QUEUE_ENABLED);
	card_ring(c, 0, 7);
	stopped(c, OCFABRIC_CAUSE_OVER_INCREMENT, 6, 7);
	card_resume(c);
	CHECK(!card_has(c, 0));
	card_end(c);
}

static void bad_descriptors(void)
{
	static const struct {
		struct ocfabric_desc d;
		unsigned int offset;
	} bad[] = {
		{ { .opcode = 6 }, 0 },
		{ { .opcode = 255 }, 0 },
		{ { .flags = 0x10 }, 1 },
		{ { .flags = 0x80 }, 1 },
		{ { .sem = 1 }, 2 },
		{ { .qpn = 1 }, 4 },
		{ { .raddr = 1 }, 8 },
		{ { .len = 1 }, 16 },
		{ { .beats = 1 }, 20 },
		{ { .imm = 1 }, 24 },
		{ { .addr = 1 }, 32 },
		{ { .addr = 1ull << 32 }, 32 },
		{ { .key = 1 }, 40 },
		{ { .__reserved3 = { 1 } }, 44 },
		{ { .flags = OCFABRIC_DESC_INLINE, .data = { 1 } }, 32 },
		{ { .opcode = 1, .sem = 1 }, 2 },
		{ { .opcode = 1, .qpn = 0x1000000 }, 4 },
		{ { .opcode = 1, .imm = 1 }, 24 },
		{ { .opcode = 2, .sem = 1 }, 2 },
		{ { .opcode = 2, .qpn = 0x1000000 }, 4 },
		{ { .opcode = 2, .imm = 1, .__reserved1 = 1 }, 28 },
		{ { .opcode = 3, .flags = OCFABRIC_DESC_INLINE }, 1 },
		{ { .opcode = 3, .sem = 64 }, 2 },
		{ { .opcode = 3, .sem = 63, .qpn = 1 }, 4 },
		{ { .opcode = 3, .raddr = 4 }, 8 },
		{ { .opcode = 3, .len = ~0u, .beats = 1 }, 20 },
		{ { .opcode = 3, .imm = 1 }, 24 },
		{ { .opcode = 3, .key = 1 }, 40 },
		{ { .opcode = 4, .flags = OCFABRIC_DESC_INLINE }, 1 },
		{ { .opcode = 4, .sem = 0xffff, .qpn = 0x1000000 }, 4 },
		{ { .opcode = 4, .raddr = 4 }, 8 },
		{ { .opcode = 4, .len = ~0u, .beats = 1 }, 20 },
		{ { .opcode = 4, .addr = 1 }, 32 },
		{ { .opcode = 5, .flags = OCFABRIC_DESC_INLINE }, 1 },
		{ { .opcode = 5, .sem = 0xffff }, 2 },
		{ { .opcode = 5, .len = ~0u, .qpn = 1 }, 4 },
		{ { .opcode = 5, .__reserved3 = { 0, 0, 0, 0, 1 } }, 44 },
		{ { .opcode = 1, .len = OCFABRIC_LEN_MAX + 1 }, 16 },
		{ { .opcode = 1, .beats = 0x1000000 }, 20 },
		{ { .__reserved1 = 1 }, 28 },
		{ { .opcode = 1, .flags = OCFABRIC_DESC_INLINE, .len = 33 }, 16 },
		{ { .opcode = 1, .flags = OCFABRIC_DESC_INLINE, .len = 64,
		    .beats = 1 }, 16 },
		{ { .opcode = 1, .__reserved3 = { 0, 0, 0, 0, 1 } }, 44 },
	};
	struct card *c = start(4);
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		card_run(c, 0, nop);
		card_post(c, 0, bad[i].d);
		card_post(c, 0, nop);
		card_ring(c, 0, 2);
		stopped(c, OCFABRIC_CAUSE_BAD_DESCRIPTOR, 1, bad[i].offset);
		CHECK(!card_has(c, 0), "descriptor %zu", i);
		restart(c, 4);
	}
	CHECK(!card_counter(c, 0, OCFABRIC_COUNTER_WRITES));
	card_end(c);
}

static void full_completion_ring(void)
{
	struct card *c = start(5);
	struct ocfabric_hw_queue hw = card_queue_struct(0, 5);
	unsigned int i;

	hw.cq_shift = 4;
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, 0, 0, 0, 0) == 0);
	CHECK(card_enable(c, 0, &hw) == OCFABRIC_RESULT_OK);
	for (i = 0; i < 18; i++)
		card_post(c, 0, card_write(0, 4 * i, 4, 0, 0));
	card_ring(c, 0, 18);
	stopped(c, OCFABRIC_CAUSE_CQ_FULL, 0, 16);
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_WRITES) == 16,
	      "the write whose completion does not fit is not run");
	for (i = 0; i < 16; i++) {
		struct ocfabric_cqe e;

		qtest_load(c->q, CQ_RING(0) + 32 * i, &e, sizeof(e));
		CHECK(e.index == i && (e.flags & 3) == 1, "%u", i);
	}
	card_end(c);
}

static void owner_index(void)
{
	struct card *c = start(4);
	unsigned int i;

	for (i = 0; i < 16; i++)
		card_run(c, 0, nop);
	qtest_write(c->q, OWNER_LINE(0), 4, 17);
	card_post(c, 0, nop);
	card_ring(c, 0, 1);
	stopped(c, OCFABRIC_CAUSE_OWNER_INDEX, 17, 16);
	card_end(c);
}

/* Rings where there is no memory, or what is there is not for DMA. */
static void ring_addresses(void)
{
	static const uint64_t where[] = {
		BAR_DOORBELL, BAR_CONTROL, 0xfee00000, 0x700000000000,
		0xfffffffffffff000,
	};
	struct card *c = start(4);
	struct ocfabric_hw_queue hw;
	size_t i;

	for (i = 0; i < sizeof(where) / sizeof(*where); i++) {
		hw = card_queue_struct(0, 4);
		hw.tx_chunk[0] = where[i];
		CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, 0, 0, 0, 0));
		CHECK(card_enable(c, 0, &hw) == OCFABRIC_RESULT_OK);
		card_ring(c, 0, 1);
		stopped(c, OCFABRIC_CAUSE_DMA, 0, 0);
		hw = card_queue_struct(0, 4);
		hw.cq_chunk[0] = where[i];
		CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, 0, 0, 0, 0));
		CHECK(card_enable(c, 0, &hw) == OCFABRIC_RESULT_OK);
		c->posted[0] = 0;
		card_post(c, 0, nop);
		card_ring(c, 0, 1);
		stopped(c, OCFABRIC_CAUSE_DMA, 0, 0);
		hw = card_queue_struct(0, 4);
		hw.owner = where[i] & ~63ull;
		CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, 0, 0, 0, 0));
		CHECK(card_enable(c, 0, &hw) == OCFABRIC_RESULT_OK);
		card_ring(c, 0, 1);
		CHECK(card_cause(c, 0) == OCFABRIC_CAUSE_DMA);
	}
	CHECK(!rd32(c, OCFABRIC_REG_ERROR), "0x%x", rd32(c, OCFABRIC_REG_ERROR));
	card_end(c);
}

/* The HBM is memory: a ring may lie there, and works. */
static void ring_in_hbm(void)
{
	struct card *c = start(4);
	struct ocfabric_hw_queue hw = card_queue_struct(0, 4);
	struct ocfabric_desc d = { .flags = 1 };

	hw.tx_chunk[0] = BAR_HBM + 0x10000;
	qtest_store(c->q, BAR_HBM + 0x10000, &d, sizeof(d));
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, 0, 0, 0, 0));
	CHECK(card_enable(c, 0, &hw) == OCFABRIC_RESULT_OK);
	card_ring(c, 0, 1);
	card_take(c, 0);
	CHECK(card_state(c, 0) == OCFABRIC_QUEUE_ENABLED);
	card_end(c);
}

static void shapes(void)
{
	struct card *c = card_start("");
	struct ocfabric_hw_queue good = card_queue_struct(0, 4), hw;
	unsigned int i;

#define REFUSED(change)							\
	do {								\
		hw = good;						\
		change;							\
		CHECK(card_enable(c, 0, &hw) == OCFABRIC_RESULT_INVALID, #change); \
	} while (0)
	REFUSED(hw.tx_shift = 3);
	REFUSED(hw.tx_shift = 16);
	REFUSED(hw.tx_shift = 255);
	REFUSED(hw.cq_shift = 0);
	REFUSED(hw.cq_shift = 16);
	REFUSED(hw.chunk_shift = 11);
	REFUSED(hw.chunk_shift = 17);
	REFUSED(hw.tx_shift = 12);	/* 64 chunks of 4 KiB */
	REFUSED(hw.cq_shift = 12);	/* 32 chunks */
	REFUSED(hw.tx_chunk[0] |= 64);
	REFUSED(hw.tx_chunk[1] = 4096);
	REFUSED(hw.cq_chunk[15] = 4096);
	REFUSED(hw.owner |= 8);
	REFUSED(hw.flags = 2);
	REFUSED(hw.flags = 0x80000001);
	REFUSED(hw.__reserved1[4] = 1);
	REFUSED(hw.rx_shift = 3);
	REFUSED(hw.rx_shift = 16);
	REFUSED(hw.rx_shift = 12);	/* 16 chunks */
	REFUSED(hw.rx_shift = 0);	/* and a chunk */
	REFUSED(hw.rx_chunk[0] |= 16);
	REFUSED(hw.rx_chunk[1] = 4096);
	REFUSED(hw.semaphores |= 2048);
	hw = good;
	hw.semaphores = BAR_CONTROL;
	CHECK(card_enable(c, 0, &hw) == OCFABRIC_RESULT_DMA, "the mirror");
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_QUEUE_ENABLE, 0, QUEUE_STRUCT(0) + 8, 0,
		       0, 0) == OCFABRIC_RESULT_INVALID);
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_QUEUE_ENABLE, 0, BAR_CONTROL, 0, 0, 0) ==
	      OCFABRIC_RESULT_DMA);
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_QUEUE_ENABLE, 0, ~63ull, 0, 0, 0) ==
	      OCFABRIC_RESULT_DMA);
	CHECK(card_enable(c, 0, &good) == OCFABRIC_RESULT_OK);
	CHECK(card_enable(c, 0, &good) == OCFABRIC_RESULT_STATE);
	for (i = 12; i <= 16; i++) {
		CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, 0, 0, 0, 0));
		hw = good;
		hw.chunk_shift = (uint8_t)i;
		hw.tx_chunk[0] = hw.cq_chunk[0] = hw.rx_chunk[0] = 0x1000000;
		CHECK(card_enable(c, 0, &hw) == OCFABRIC_RESULT_OK, "shift %u", i);
	}
	card_end(c);
}

static void key_lists(void)
{
	static const struct {
		struct ocfabric_hw_range r[2];
		uint64_t count, start, key;
		uint32_t result;
	} k[] = {
		{ { { 0, 1 } }, 0, 0, 0, OCFABRIC_RESULT_INVALID },
		{ { { 0, 1 } }, 1025, 0, 0, OCFABRIC_RESULT_INVALID },
		{ { { 0, 0 } }, 1, 0, 0, OCFABRIC_RESULT_INVALID },
		{ { { ~0ull, 1 } }, 1, 0, 0, OCFABRIC_RESULT_INVALID },
		{ { { 1, ~0ull } }, 1, 0, 0, OCFABRIC_RESULT_INVALID },
		{ { { 0, ~0ull }, { 0, 1 } }, 2, 0, 0, OCFABRIC_RESULT_INVALID },
		{ { { 0, 2 } }, 1, ~1ull, 0, OCFABRIC_RESULT_INVALID },
		{ { { 0, 2 } }, 1, 0, OCFABRIC_KEY_REGION,
		  OCFABRIC_RESULT_INVALID },
		{ { { 0, 2 } }, 1, 0, 0xffffffc0, OCFABRIC_RESULT_INVALID },
		{ { { 0, 2 } }, 1, 0, 0x100000000, OCFABRIC_RESULT_INVALID },
		{ { { 0, 2 } }, 1, 0, 63, OCFABRIC_RESULT_OK },
		{ { { 0, 2 } }, 1, 0, 63, OCFABRIC_RESULT_STATE },
		{ { { 0, 2 } }, 1, 0, 63 + 64, OCFABRIC_RESULT_STATE },
	};
	struct card *c = card_start("");
	size_t i;

	for (i = 0; i < sizeof(k) / sizeof(*k); i++) {
		uint32_t result;

		qtest_store(c->q, RANGE_LIST(0), k[i].r, sizeof(k[i].r));
		result = card_cmd(c, OCFABRIC_HW_CMD_KEY_ADD, 0, RANGE_LIST(0),
				  k[i].count, k[i].start, k[i].key);
		CHECK(result == k[i].result, "list %zu: result %u", i, result);
	}
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_KEY_ADD, 0, RANGE_LIST(0) + 8, 1, 0, 1) ==
	      OCFABRIC_RESULT_INVALID);
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_KEY_ADD, 0, BAR_CONTROL, 1, 0, 1) ==
	      OCFABRIC_RESULT_DMA);
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_KEY_DEL, 0, 0, 0, 0, 63 + 64) ==
	      OCFABRIC_RESULT_STATE, "another generation");
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_KEY_DEL, 0, 0, 0, 0, 63) ==
	      OCFABRIC_RESULT_OK);
	card_end(c);
}

static void all_ranges(void)
{
	struct card *c = card_start("");
	static struct ocfabric_hw_range r[1024];
	unsigned int i;

	for (i = 0; i < 1024; i++)
		r[i] = (struct ocfabric_hw_range){ SOURCE(0) + 64 * i, 64 };
	qtest_store(c->q, RANGE_LIST(0), r, sizeof(r));
	for (i = 0; i < 4; i++)
		CHECK(card_cmd(c, OCFABRIC_HW_CMD_KEY_ADD, 0, RANGE_LIST(0), 1024,
			       0, i) == OCFABRIC_RESULT_OK, "key %u", i);
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_KEY_ADD, 0, RANGE_LIST(0), 1, 0, 4) ==
	      OCFABRIC_RESULT_NO_SPACE);
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_KEY_DEL, 0, 0, 0, 0, 1) == 0);
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_KEY_ADD, 0, RANGE_LIST(0), 1024, 0, 4) ==
	      OCFABRIC_RESULT_OK, "the gap is closed");
	card_configure(c, 2, 0);
	card_queue(c, 0, 4);
	qtest_write(c->q, SOURCE(0) + 64 * 700, 8, 0x1122334455667788);
	for (i = 0; i < 5; i++) {
		uint8_t status = card_run(c, 0, card_write(0, 8 * i, 8, 64 * 700,
							   i)).status;

		CHECK(status == (i == 1 ? OCFABRIC_VERDICT_LOCAL_PROTECTION :
					  OCFABRIC_VERDICT_COMMITTED), "key %u", i);
		CHECK(qtest_read(c->q, BAR_HBM + REGION(1) + 8 * i, 8) ==
		      (i == 1 ? 0 : 0x1122334455667788), "key %u", i);
	}
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "several laps", laps },
	{ "a ring without anything", stale_at_once },
	{ "a stale tag in the middle", stale_in_the_middle },
	{ "increments", increments },
	{ "an increment beyond the room left", increment_beyond_room },
	{ "descriptors that are refused", bad_descriptors },
	{ "a full completion ring stops the queue", full_completion_ring },
	{ "an impossible consumer index", owner_index },
	{ "rings where no memory is", ring_addresses },
	{ "a ring in the HBM", ring_in_hbm },
	{ "shapes of rings", shapes },
	{ "lists of ranges", key_lists },
	{ "all ranges, and a gap in them", all_ranges },
};

TAP_MAIN(tests)
