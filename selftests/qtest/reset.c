// SPDX-License-Identifier: GPL-2.0-only
/* Resets, bus mastering and BARs, in the middle of traffic. */
#include "card.h"

#define LATENCY 1000
#define LONG_NS 1000000000ull

/* Writes wait on both links, and a lot more is rung. */
static struct card *start(void)
{
	struct card *c = card_start("faults=on");
	unsigned int q, i;

	card_configure(c, 2, LATENCY);
	for (q = 0; q < 2; q++) {
		card_queue(c, q, 4);
		card_key(c, q, q);
		qtest_write(c->q, SOURCE(q), 8, 0xfeedfeedfeedfeed);
		for (i = 0; i < 10; i++)
			card_post(c, q, card_write(q, 8 * i, 8, 0, q));
		card_ring(c, q, 10);
	}
	CHECK(rd32(c, OCFABRIC_REG_STATUS) >> OCFABRIC_STATUS_BUSY_SHIFT == 3);
	return c;
}

static void is_reset(struct card *c)
{
	unsigned int i;

	CHECK(!rd32(c, OCFABRIC_REG_CFG_N) && !rd32(c, OCFABRIC_REG_CFG_LATENCY));
	CHECK(!rd32(c, OCFABRIC_REG_CONTROL) && !rd32(c, OCFABRIC_REG_STATUS));
	CHECK(!rd32(c, OCFABRIC_REG_ERROR) && !rd32(c, OCFABRIC_REG_GENERATION));
	CHECK(!rd32(c, OCFABRIC_REG_CMD_STATUS) && !rd64(c, OCFABRIC_REG_CMD_ARG(0)));
	CHECK(!rd64(c, OCFABRIC_REG_REGION_SIZE(1)));
	CHECK(!rd32(c, OCFABRIC_REG_CONN(0, 0)));
	CHECK(!rd32(c, OCFABRIC_REG_WINDOW(0) + OCFABRIC_WINDOW_ROUTE));
	CHECK(!rd64(c, OCFABRIC_REG_EVENT_BASE) &&
	      !rd32(c, OCFABRIC_REG_EVENT_SHIFT));
	CHECK(!card_counter(c, 0, OCFABRIC_COUNTER_WRITES));
	for (i = 0; i < 16; i++) {
		CHECK(card_state(c, i) == OCFABRIC_QUEUE_DISABLED);
		CHECK(!rd32(c, OCFABRIC_REG_LINK_STATE(i)));
	}
	CHECK(rd64(c, OCFABRIC_REG_CLOCK) == 0, "the clock starts again");
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_KEY_DEL, 0, 0, 0, 0, 0) ==
	      OCFABRIC_RESULT_STATE, "no keys");
	qtest_step_ns(c->q, LONG_NS);
	CHECK(!card_has(c, 0) && !card_has(c, 1), "nothing comes afterwards");
	CHECK(!qtest_read(c->q, BAR_HBM + REGION(1), 8));
}

static void works(struct card *c)
{
	struct ocfabric_cqe e;

	card_configure(c, 2, 0);
	card_queue(c, 0, 4);
	card_key(c, 0, 0);
	e = card_run(c, 0, card_write(0, 0, 8, 0, 0));
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED, "status %u", e.status);
	CHECK(qtest_read(c->q, BAR_HBM + REGION(1), 8) == 0xfeedfeedfeedfeed);
}

static void make_dirty(struct card *c)
{
	qtest_write(c->q, BAR_HBM + 0x300000, 8, 0x1234);
	wr32(c, OCFABRIC_REG_CFG_N, 1);
	wr64(c, OCFABRIC_REG_EVENT_BASE, EVENT_RING);
	wr32(c, OCFABRIC_REG_EVENT_SHIFT, 4);
}

static void by_register(void)
{
	struct card *c = start();

	make_dirty(c);
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	is_reset(c);
	CHECK(qtest_read(c->q, BAR_HBM + 0x300000, 8) == 0x1234,
	      "the HBM is kept");
	works(c);
	card_end(c);
}

static void by_flr(void)
{
	struct card *c = start();
	unsigned int cap = pci_find_cap(c, 0x10);

	make_dirty(c);
	pci_write(c, cap + 8, pci_read(c, cap + 8) | 1u << 15);
	CHECK(!(pci_read(c, 4) & 6), "the command register, too");
	card_set_bars(c);
	is_reset(c);
	works(c);
	card_end(c);
}

/* In a command that waits. */
static void while_disabling(void)
{
	struct card *c = start();

	wr64(c, OCFABRIC_REG_CMD_ARG(0), 0);
	wr32(c, OCFABRIC_REG_CMD, OCFABRIC_HW_CMD_QUEUE_DISABLE);
	CHECK(rd32(c, OCFABRIC_REG_CMD_STATUS) == OCFABRIC_HW_CMD_BUSY);
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	is_reset(c);
	works(c);
	card_end(c);
}

/* A machine reset sends everything back; the card is found as at first. */
static void by_machine(void)
{
	struct card *c = start();
	uint64_t start_ms = qtest_now_ms();

	qtest_qmp(c->q, "{\"execute\":\"system_reset\"}");
	while (pci_read(c, 4) & 6 && !qtest_late(start_ms))
		qtest_yield();
	card_set_bars(c);
	is_reset(c);
	works(c);
	card_end(c);
}

/* Without bus mastering no access: in flight dma_error, then stopped. */
static void bus_master_off(void)
{
	struct card *c = start();

	card_bus_master(c, false);
	qtest_step_ns(c->q, (LATENCY + 1) * 4);
	card_wait(c, OCFABRIC_REG_QUEUE(0) + OCFABRIC_QUEUE_STATE, ~0u,
		  OCFABRIC_QUEUE_STOPPED | OCFABRIC_CAUSE_DMA << 8);
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_DMA_ERROR) == 1);
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_COMMITTED) == 0);
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_QUEUE_ENABLE, 2, QUEUE_STRUCT(0), 0, 0,
		       0) == OCFABRIC_RESULT_DMA);
	CHECK(!card_has(c, 0) && !qtest_read(c->q, BAR_HBM + REGION(1), 8));
	card_bus_master(c, true);
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, 0, 0, 0, 0));
	card_queue(c, 0, 4);
	card_post(c, 0, card_write(0, 0, 8, 0, 0));
	card_ring(c, 0, 1);
	qtest_step_ns(c->q, (LATENCY + 1) * 4);
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_COMMITTED,
	      "the key still works");
	card_end(c);
}

/* BARs move, and RAM with them: what was mapped is mapped anew. */
static void bars_move(void)
{
	struct card *c = start();
	unsigned int i;

	pci_write(c, 4, 4);	/* memory off: the HBM is not to be seen */
	CHECK(!qtest_read(c->q, BAR_HBM, 8));
	pci_write(c, 0x20, (uint32_t)BAR_HBM + 0x40000000);
	card_bus_master(c, true);
	for (i = 0; i < 10; i++)
		qtest_step_ns(c->q, (LATENCY + 1) * 4);
	for (i = 0; i < 10; i++) {
		qtest_step_ns(c->q, (LATENCY + 1) * 4);
		CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_COMMITTED);
	}
	CHECK(qtest_read(c->q, BAR_HBM + 0x40000000 + REGION(1) + 72, 8) ==
	      0xfeedfeedfeedfeed);
	card_end(c);
}

static void unplug(void)
{
	struct card *c = start();
	const char *answer = qtest_qmp(c->q,
		"{\"execute\":\"device_del\",\"arguments\":{\"id\":\"card\"}}");

	/* the root bus has no hotplug: refused, and all goes on */
	CHECK(answer[2] == 'e', "%s", answer);
	qtest_step_ns(c->q, (LATENCY + 1) * 4);
	CHECK(card_take(c, 0).status == OCFABRIC_VERDICT_COMMITTED);
	card_end(c);
}

/* All ones, nothing is taken, nobody is reached, and it comes back as it was made. */
static void pulled_out(void)
{
	struct card *c = start();
	const char *answer;

	card_msix(c);
	card_events(c);
	CHECK(card_set(c, "gone", "true"));
	CHECK(rd32(c, OCFABRIC_REG_MAGIC) == UINT32_MAX && rd64(c, OCFABRIC_REG_CLOCK) ==
	      UINT64_MAX);
	CHECK(qtest_read(c->q, BAR_DOORBELL, 4) == UINT32_MAX);
	CHECK(qtest_read(c->q, BAR_HBM + REGION(1), 8) == UINT64_MAX);
	CHECK(pci_read(c, 0) == UINT32_MAX && pci_read(c, 0x100) == UINT32_MAX);
	qtest_write(c->q, BAR_HBM + REGION(1), 8, 1);
	pci_write(c, 4, 0);
	card_ring(c, 0, 1);
	wr32(c, OCFABRIC_REG_CFG_N, 3);
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	qtest_step_ns(c->q, LONG_NS);
	CHECK(!card_has(c, 0) && !card_has(c, 1), "no completion is stored");
	CHECK(!qtest_read(c->q, EVENT_RING, 8), "no event is stored");
	CHECK(!card_msix_came(c, OCFABRIC_VECTOR_EVENTS) &&
	      !card_msix_came(c, OCFABRIC_VECTOR_REPLICA(0)), "nobody is interrupted");
	answer = qtest_qmp(c->q, "{\"execute\":\"migrate\",\"arguments\":"
			   "{\"uri\":\"exec:cat >/dev/null\"}}");
	CHECK(answer[2] == 'e', "it cannot be migrated: %s", answer);

	CHECK(card_set(c, "gone", "false"));
	CHECK(pci_read(c, 0x10) < 0x10, "its BARs have no address");
	card_set_bars(c);
	card_bus_master(c, true);
	is_reset(c);
	works(c);
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "reset by the control register", by_register },
	{ "function level reset", by_flr },
	{ "reset while a command waits", while_disabling },
	{ "machine reset", by_machine },
	{ "bus mastering off and on", bus_master_off },
	{ "BARs move", bars_move },
	{ "pulled out in the middle of traffic, and put back", pulled_out },
	{ "unplugging from the root bus is refused", unplug },
};

TAP_MAIN(tests)
