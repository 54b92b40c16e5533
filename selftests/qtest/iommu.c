// SPDX-License-Identifier: GPL-2.0-only
/*
 * The card behind an IOMMU (Intel's): DMA addresses are translated, or lead
 * nowhere, and the mapping may change at any time.
 */
#include <string.h>

#include "card.h"

#define DMAR		0xfed90000ull
#define DMAR_GCMD	0x18
#define DMAR_GSTS	0x1c
#define DMAR_RTADDR	0x20
#define GCMD_TE		(1u << 31)	/* translation on */
#define GCMD_SRTP	(1u << 30)	/* take the root table */

/* Tables: root, context, and one of page directories, 1 GiB an entry */
#define ROOT		0xa00000ull
#define CONTEXT		0xa01000ull
#define PAGES		0xa02000ull
#define DOMAIN		3

#define IOVA		0x40000000ull	/* where host memory is seen */

static const char *const iommu[] = { "-device", "intel-iommu", NULL };

static void table_entry(struct card *c, uint64_t at, uint64_t low, uint64_t high)
{
	qtest_write(c->q, at, 8, low);
	qtest_write(c->q, at + 8, 8, high);
}

static void translation(struct card *c, bool on)
{
	uint32_t want = on ? GCMD_TE : 0;
	uint64_t start = qtest_now_ms();

	qtest_write(c->q, DMAR + DMAR_RTADDR, 8, ROOT);
	qtest_write(c->q, DMAR + DMAR_GCMD, 4, GCMD_SRTP);
	qtest_write(c->q, DMAR + DMAR_GCMD, 4, want);
	while ((qtest_read(c->q, DMAR + DMAR_GSTS, 4) & GCMD_TE) != want &&
	       !qtest_late(start))
		qtest_yield();
	CHECK((qtest_read(c->q, DMAR + DMAR_GSTS, 4) & GCMD_TE) == want);
}

/* Bus 0, the card's slot: IOVA leads to host memory, all else nowhere. */
static void map_all(struct card *c)
{
	qtest_zero(c->q, ROOT, 0x3000);
	table_entry(c, ROOT, CONTEXT | 1, 0);
	table_entry(c, CONTEXT + 16 * (CARD_SLOT << 3), PAGES | 1,
		    DOMAIN << 8 | 1);
	qtest_write(c->q, PAGES + 8, 8, 0 | 1 << 7 | 3);
}

/* A queue whose memory is named by IOVA. */
static void queue_at(struct card *c, unsigned int q, uint64_t base)
{
	struct ocfabric_hw_queue hw = card_queue_struct(q, 4);
	uint64_t result;

	qtest_zero(c->q, TX_RING(q), 1024);
	qtest_zero(c->q, CQ_RING(q), 512);
	qtest_zero(c->q, OWNER_LINE(q), 64);
	hw.tx_chunk[0] += base;
	hw.rx_chunk[0] += base;
	hw.cq_chunk[0] += base;
	hw.owner += base;
	hw.semaphores += base;
	qtest_store(c->q, QUEUE_STRUCT(q), &hw, sizeof(hw));
	c->ring_shift[q] = 4;
	c->posted[q] = c->taken[q] = 0;
	result = card_cmd(c, OCFABRIC_HW_CMD_QUEUE_ENABLE, q,
			  base + QUEUE_STRUCT(q), 0, 0, 0);
	CHECK(result == OCFABRIC_RESULT_OK, "%llu", (unsigned long long)result);
}

static void key_at(struct card *c, unsigned int q, uint64_t base)
{
	struct ocfabric_hw_range r = { base + SOURCE(q), SOURCE_SIZE };

	qtest_store(c->q, RANGE_LIST(q), &r, sizeof(r));
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_KEY_ADD, q, base + RANGE_LIST(q), 1, 0,
		       q) == OCFABRIC_RESULT_OK);
}

static struct card *start(void)
{
	struct card *c = card_start_with("", iommu);

	card_configure(c, 2, 0);
	map_all(c);
	translation(c, true);
	queue_at(c, 0, IOVA);
	key_at(c, 0, IOVA);
	return c;
}

static void off(void)
{
	struct card *c = card_start_with("", iommu);

	card_configure(c, 2, 0);
	card_queue(c, 0, 4);
	card_key(c, 0, 0);
	CHECK(card_run(c, 0, card_write(0, 0, 64, 0, 0)).status ==
	      OCFABRIC_VERDICT_COMMITTED);
	card_end(c);
}

static void translated(void)
{
	struct card *c = start();
	uint8_t data[10000], got[10000];
	unsigned int i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 13 >> 3);
	qtest_store(c->q, SOURCE(0) + 100, data, sizeof(data));
	for (i = 0; i < 40; i++)
		CHECK(card_run(c, 0, card_write(0, 4 * i, sizeof(data), 100, 0))
			      .status == OCFABRIC_VERDICT_COMMITTED);
	qtest_load(c->q, BAR_HBM + REGION(1) + 4 * 39, got, sizeof(got));
	CHECK(!memcmp(data, got, sizeof(data)));
	card_end(c);
}

/* More than a doorbell's budget: served by the main loop, then. */
static void many(void)
{
	struct card *c = start();
	unsigned int i;

	for (i = 0; i < 16; i++)
		card_post(c, 0, card_write(0, 0, SOURCE_SIZE, 0, 0));
	card_ring(c, 0, 16);
	for (i = 0; i < 16; i++)
		CHECK(card_take(c, 0).index == i);
	card_check_sums(c, 2);
	card_end(c);
}

/* Addresses that are not mapped, for every structure. */
static void nowhere(void)
{
	struct card *c = start();
	struct ocfabric_hw_range r = { SOURCE(0), 64 };

	CHECK(card_cmd(c, OCFABRIC_HW_CMD_QUEUE_ENABLE, 1, QUEUE_STRUCT(0), 0, 0,
		       0) == OCFABRIC_RESULT_DMA);
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_KEY_ADD, 0, RANGE_LIST(0), 1, 0, 1) ==
	      OCFABRIC_RESULT_DMA);
	qtest_store(c->q, RANGE_LIST(0), &r, sizeof(r));
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_KEY_ADD, 0, IOVA + RANGE_LIST(0), 1, 0,
		       1) == OCFABRIC_RESULT_OK);
	CHECK(card_run(c, 0, card_write(0, 0, 64, 0, 1)).status ==
	      OCFABRIC_VERDICT_DMA_ERROR);
	wr64(c, OCFABRIC_REG_EVENT_BASE, EVENT_RING);
	wr32(c, OCFABRIC_REG_EVENT_SHIFT, 4);
	card_ring(c, 9, 1);
	CHECK(rd32(c, OCFABRIC_REG_ERROR) ==
	      (OCFABRIC_ERROR_DOORBELL | OCFABRIC_ERROR_EVENT));
	queue_at(c, 1, IOVA);
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 1, 0, 0, 0, 0) == 0);
	card_end(c);
}

/* The IOMMU is turned on under a queue: its addresses lead nowhere at once. */
static void turned_on(void)
{
	struct card *c = card_start_with("", iommu);

	card_configure(c, 2, 0);
	card_queue(c, 0, 4);
	card_key(c, 0, 0);
	card_run(c, 0, card_write(0, 0, 64, 0, 0));
	map_all(c);
	translation(c, true);
	card_post(c, 0, card_write(0, 0, 64, 0, 0));
	card_ring(c, 0, 1);
	CHECK(card_state(c, 0) == OCFABRIC_QUEUE_STOPPED);
	CHECK(card_cause(c, 0) == OCFABRIC_CAUSE_DMA);
	CHECK(card_counter(c, 0, OCFABRIC_COUNTER_WRITES) == 1);
	translation(c, false);
	CHECK(!card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, 0, 0, 0, 0));
	card_queue(c, 0, 4);
	CHECK(card_run(c, 0, card_write(0, 0, 64, 0, 0)).status ==
	      OCFABRIC_VERDICT_COMMITTED, "and off again");
	card_end(c);
}

/* Work is left over when the IOMMU is turned off: somebody else goes on. */
static void turned_off(void)
{
	struct card *c = start();
	unsigned int i;

	queue_at(c, 1, IOVA);
	for (i = 0; i < 16; i++)
		card_post(c, 0, card_write(0, 0, SOURCE_SIZE, 0,
					   OCFABRIC_KEY_REGION));
	card_ring(c, 0, 16);
	translation(c, false);
	card_wait(c, OCFABRIC_REG_LINK_STATE(0), ~0u, 0);
	CHECK(card_state(c, 0) != OCFABRIC_QUEUE_QUIESCING);
	card_check_sums(c, 2);
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "an IOMMU that is off", off },
	{ "translated rings and sources", translated },
	{ "more than a doorbell's budget, translated", many },
	{ "addresses that lead nowhere", nowhere },
	{ "turned on under a queue", turned_on },
	{ "turned off under a queue", turned_off },
};

TAP_MAIN(tests)
