// SPDX-License-Identifier: GPL-2.0-only
/* The broadcast doorbells: all of the queues, or none of them. */
#include "card.h"

static const struct ocfabric_desc nop;

static struct card *start(unsigned int n)
{
	struct card *c = card_start("");
	unsigned int q;

	card_configure(c, n, 0);
	for (q = 0; q < n; q++)
		card_queue(c, q, 4);
	return c;
}

static void broadcast(struct card *c, uint32_t block, uint64_t mask,
		      uint64_t increment)
{
	qtest_write(c->q, BAR_DOORBELL + block + OCFABRIC_DOORBELL_BROADCAST, 8,
		    mask << OCFABRIC_DOORBELL_BROADCAST_SHIFT | increment);
}

static uint32_t tail(struct card *c, uint32_t block, unsigned int q)
{
	return rd32(c, OCFABRIC_REG_QUEUE(q) +
		    (block == OCFABRIC_DOORBELL_M2S ? OCFABRIC_QUEUE_TAIL :
						      OCFABRIC_QUEUE_RX_TAIL));
}

/* What is latched, and whether it is an error. */
static void latched(struct card *c, uint64_t mask, uint32_t increment,
		    uint32_t result, uint32_t queue)
{
	uint64_t want = increment | mask << OCFABRIC_BROADCAST_MASK_SHIFT |
			(uint64_t)result << OCFABRIC_BROADCAST_RESULT_SHIFT |
			(uint64_t)queue << OCFABRIC_BROADCAST_QUEUE_SHIFT;
	uint64_t got = rd64(c, OCFABRIC_REG_BROADCAST);
	uint32_t error = rd32(c, OCFABRIC_REG_ERROR);

	CHECK(got == want, "0x%llx is latched, not 0x%llx",
	      (unsigned long long)got, (unsigned long long)want);
	CHECK(error == (result ? OCFABRIC_ERROR_BROADCAST : 0), "error 0x%x",
	      error);
	wr32(c, OCFABRIC_REG_ERROR, error);
}

static void rings_all(void)
{
	static const uint16_t masks[] = { 0x0001, 0x8000, 0x8001, 0x0ff0, 0xffff };
	struct card *c = start(16);
	unsigned int i, q;

	for (i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
		for (q = 0; q < 16; q++)
			if (masks[i] >> q & 1) {
				card_post(c, q, nop);
				card_post(c, q, nop);
			}
		broadcast(c, OCFABRIC_DOORBELL_M2S, masks[i], 0xa5000002);
		latched(c, masks[i], 2, OCFABRIC_BROADCAST_RUNG, 0);
		for (q = 0; q < 16; q++) {
			if (masks[i] >> q & 1) {
				card_take(c, q);
				card_take(c, q);
			}
			CHECK(!card_has(c, q));
		}
	}
	broadcast(c, OCFABRIC_DOORBELL_M2S, 0xffff, 0);
	latched(c, 0xffff, 0, OCFABRIC_BROADCAST_RUNG, 0);
	card_end(c);
}

static void masks(void)
{
	struct card *c = start(3);
	uint32_t mask;

	for (mask = 0; mask < 0x10000; mask = mask * 3 + 7) {
		unsigned int n = (unsigned int)__builtin_popcount(mask);

		if (n && !(n & (n - 1)))
			continue;
		broadcast(c, mask & 1 ? OCFABRIC_DOORBELL_M2S :
					OCFABRIC_DOORBELL_S2M, mask, 1);
		latched(c, mask, 1, OCFABRIC_BROADCAST_BAD_MASK, 0);
	}
	broadcast(c, OCFABRIC_DOORBELL_M2S, 7, 1);
	latched(c, 7, 1, OCFABRIC_BROADCAST_BAD_MASK, 0);
	for (mask = 0; mask < 3; mask++)
		CHECK(!tail(c, OCFABRIC_DOORBELL_M2S, mask) &&
		      card_state(c, mask) == OCFABRIC_QUEUE_ENABLED);
	card_end(c);
}

/* One that cannot keeps all from moving, and none of them stops. */
static void refusals(uint32_t block)
{
	struct card *c = start(4);
	unsigned int q, i;

	card_drain(c);
	for (i = 0; i < 10; i++)
		card_post(c, 2, nop);
	card_ring(c, 2, 10);
	card_recv(c, 2, 10);
	for (i = 6; i < 8; i++) {
		broadcast(c, block, 0xf, i);
		latched(c, 0xf, i, i == 6 ? OCFABRIC_BROADCAST_RUNG :
					    OCFABRIC_BROADCAST_NO_ROOM,
			i == 6 ? 0 : 2);
		if (i == 6) {
			CHECK(tail(c, block, 2) == 16 && tail(c, block, 3) == 6);
			broadcast(c, block, 0xc, 1);
			latched(c, 0xc, 1, OCFABRIC_BROADCAST_NO_ROOM, 2);
		}
	}
	for (q = 0; q < 4; q++)
		CHECK(tail(c, block, q) == (q == 2 ? 16 : 6) &&
		      card_state(c, q) == OCFABRIC_QUEUE_ENABLED, "queue %u", q);
	broadcast(c, block, 0x3, 0xffffff);
	latched(c, 0x3, 0xffffff, OCFABRIC_BROADCAST_NO_ROOM, 0);
	broadcast(c, block, 0x11, 1);
	latched(c, 0x11, 1, OCFABRIC_BROADCAST_DISABLED, 4);
	broadcast(c, block, 0xffff, 1);
	latched(c, 0xffff, 1, OCFABRIC_BROADCAST_NO_ROOM, 2);
	CHECK(tail(c, block, 0) == 6);
	card_resume(c);
	card_end(c);
}

static void refused_transmit(void)
{
	refusals(OCFABRIC_DOORBELL_M2S);
}

static void refused_receive(void)
{
	refusals(OCFABRIC_DOORBELL_S2M);
}

static void receive(void)
{
	struct card *c = start(2);
	struct ocfabric_hw_queue hw = card_queue_struct(1, 4);
	struct ocfabric_desc d = card_write(0, 0, 0, 0, 0);

	broadcast(c, OCFABRIC_DOORBELL_S2M, 3, 3);
	latched(c, 3, 3, OCFABRIC_BROADCAST_RUNG, 0);
	CHECK(tail(c, OCFABRIC_DOORBELL_S2M, 0) == 3 &&
	      tail(c, OCFABRIC_DOORBELL_S2M, 1) == 3);
	CHECK(!tail(c, OCFABRIC_DOORBELL_M2S, 0));
	d.opcode = OCFABRIC_OP_WRITE_IMM;
	d.len = 4;
	d.flags = OCFABRIC_DESC_INLINE;
	CHECK(card_run(c, 0, d).status == OCFABRIC_VERDICT_RNR, "stale");
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 1, 0, 0, 0, 0));
	hw.rx_shift = 0;
	hw.rx_chunk[0] = 0;
	CHECK(card_enable(c, 1, &hw) == OCFABRIC_RESULT_OK);
	broadcast(c, OCFABRIC_DOORBELL_S2M, 3, 1);
	latched(c, 3, 1, OCFABRIC_BROADCAST_NO_ROOM, 1);
	card_end(c);
}

static void only_whole(void)
{
	struct card *c = start(2);
	uint64_t at = BAR_DOORBELL + OCFABRIC_DOORBELL_BROADCAST;
	unsigned int block;

	card_post(c, 0, nop);
	for (block = 0; block < 2; block++, at += OCFABRIC_DOORBELL_S2M) {
		qtest_write(c->q, at, 4, 1);
		qtest_write(c->q, at + 4, 4, 1);
		qtest_write(c->q, at, 2, 1);
		qtest_write(c->q, at + 8, 8, 0x100000001);
		qtest_write(c->q, at + 0x38, 8, 0x100000001);
		CHECK(!qtest_read(c->q, at, 8) && !qtest_read(c->q, at, 4),
		      "write only");
	}
	CHECK(!card_has(c, 0) && !rd64(c, OCFABRIC_REG_BROADCAST) &&
	      !rd32(c, OCFABRIC_REG_ERROR));
	broadcast(c, OCFABRIC_DOORBELL_M2S, 1, 1);
	card_take(c, 0);
	CHECK(rd64(c, OCFABRIC_REG_BROADCAST));
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	CHECK(!rd64(c, OCFABRIC_REG_BROADCAST), "after reset");
	card_end(c);
}

/* More work than one store does, on all queues at once. */
static void much_work(void)
{
	struct card *c = card_start("");
	unsigned int q, i;

	card_configure(c, 4, 0);
	for (q = 0; q < 4; q++) {
		card_queue(c, q, 10);
		for (i = 0; i < 1000; i++)
			card_post(c, q, nop);
	}
	broadcast(c, OCFABRIC_DOORBELL_M2S, 0xf, 1000);
	latched(c, 0xf, 1000, OCFABRIC_BROADCAST_RUNG, 0);
	for (q = 0; q < 4; q++)
		card_wait(c, OCFABRIC_REG_QUEUE(q) + OCFABRIC_QUEUE_CQ_PRODUCER,
			  ~0u, 1000);
	card_end(c);
}

static void event_of_it(void)
{
	struct card *c = start(2);
	struct ocfabric_event e;

	qtest_zero(c->q, EVENT_RING, 32 * 16);
	wr64(c, OCFABRIC_REG_EVENT_BASE, EVENT_RING);
	wr32(c, OCFABRIC_REG_EVENT_SHIFT, 4);
	broadcast(c, OCFABRIC_DOORBELL_M2S, 0x30, 1);
	latched(c, 0x30, 1, OCFABRIC_BROADCAST_DISABLED, 4);
	qtest_load(c->q, EVENT_RING, &e, sizeof(e));
	CHECK(e.type == OCFABRIC_EVENT_ERROR && e.a == OCFABRIC_ERROR_BROADCAST);
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "all queues of the mask", rings_all },
	{ "masks of other numbers of queues", masks },
	{ "no room, or not enabled: transmit", refused_transmit },
	{ "no room, or not enabled: receive", refused_receive },
	{ "receive rings", receive },
	{ "only one store of 8 bytes", only_whole },
	{ "more work than one store does", much_work },
	{ "an event", event_of_it },
};

TAP_MAIN(tests)
