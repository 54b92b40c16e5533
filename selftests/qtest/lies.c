// SPDX-License-Identifier: GPL-2.0-only
/*
 * The property `hostile`: each lie is told while it is set, and nothing is
 * changed by it afterwards.
 */
#include <stdio.h>
#include <string.h>

#include "lie.h"

#define PATH	"/machine/peripheral/card"

/* What a register reads while a lie is told. */
static const struct {
	const char *lie;
	uint32_t reg;
	uint8_t width;
	uint64_t value;
} told[] = {
	{ "magic", OCFABRIC_REG_MAGIC, 4, OCFABRIC_MAGIC + 1 },
	{ "major", OCFABRIC_REG_VERSION, 4, OCFABRIC_VERSION + 0x10000 },
	{ "minor", OCFABRIC_REG_VERSION, 4, OCFABRIC_VERSION | 0xffff },
	{ "features", OCFABRIC_REG_FEATURES, 8, ~0ull },
	{ "ones", OCFABRIC_REG_STATUS, 4, 0xffffffff },
	{ "ones", OCFABRIC_REG_CLOCK, 8, ~0ull },
	{ "zeros", OCFABRIC_REG_MAGIC, 4, 0 },
	{ "replicas-17", OCFABRIC_REG_MAX_REPLICAS, 4, 17 },
	{ "replicas-max", OCFABRIC_REG_MAX_REPLICAS, 4, 0xffffffff },
	{ "hbm-odd", OCFABRIC_REG_HBM_SIZE, 8, (64 << 20) - 1 },
	{ "clock-0", OCFABRIC_REG_CLOCK_MHZ, 4, 0 },
	{ "keys-max", OCFABRIC_REG_MAX_KEYS, 4, 0xffffffff },
	{ "busy", OCFABRIC_REG_STATUS, 4, 0xffff0000 },
	{ "cmd-never", OCFABRIC_REG_CMD_STATUS, 4, OCFABRIC_HW_CMD_BUSY },
	{ "cmd-idle", OCFABRIC_REG_CMD_STATUS, 4, 0 },
	{ "qp-never", OCFABRIC_REG_QP(OCFABRIC_QUERY_QP_STATUS), 4,
	  OCFABRIC_QP_BUSY },
};

static bool is_set(struct card *c, const char *lies)
{
	char wanted[128];

	snprintf(wanted, sizeof(wanted), "\"return\": \"%s\"", lies);
	return strstr(qtest_qmp(c->q, "{\"execute\":\"qom-get\",\"arguments\":"
				      "{\"path\":\"" PATH "\",\"property\":\"hostile\"}}"),
		      wanted);
}

/* The card tells the truth, and does what it is for. */
static void check_true(struct card *c, const char *after)
{
	struct ocfabric_cqe e;

	CHECK(rd32(c, OCFABRIC_REG_MAGIC) == OCFABRIC_MAGIC &&
	      rd32(c, OCFABRIC_REG_VERSION) == OCFABRIC_VERSION &&
	      rd32(c, OCFABRIC_REG_MAX_REPLICAS) == 16 &&
	      rd64(c, OCFABRIC_REG_HBM_SIZE) == 64 << 20 &&
	      rd32(c, OCFABRIC_REG_CLOCK_MHZ) == 250 &&
	      rd32(c, OCFABRIC_REG_STATUS) == 0 &&
	      rd32(c, OCFABRIC_REG_EVENT_LOST) == 0, "after %s", after);
	e = card_run(c, 0, card_write(0, 0x40, 64, 0, 1));
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED && e.bytes == 64,
	      "after %s: status %u", after, e.status);
}

static struct card *start(const char *options)
{
	struct card *c = card_start(options);

	card_configure(c, 2, 0);
	card_msix(c);
	card_queue(c, 0, 6);
	card_key(c, 0, 1);
	return c;
}

static void each(void)
{
	struct card *c = start("");
	unsigned int i;

	CHECK(is_set(c, ""));
	check_true(c, "nothing");
	for (i = 0; i < sizeof(told) / sizeof(*told); i++) {
		CHECK(card_lie(c, told[i].lie) && is_set(c, told[i].lie));
		CHECK((told[i].width == 8 ? rd64(c, told[i].reg) :
		       rd32(c, told[i].reg)) == told[i].value,
		      "%s: not told", told[i].lie);
		CHECK(card_lie(c, "none"));
		check_true(c, told[i].lie);
	}
	/* what of all the others is told is seen, if at all, in what a driver makes of it */
	for (i = 0; i < card_nr_lies; i++) {
		CHECK(card_lie(c, card_lies[i]) && is_set(c, card_lies[i]));
		rd32(c, OCFABRIC_REG_QUEUE(0));
		CHECK(card_lie(c, ""));
	}
	check_true(c, "all of them");
	card_end(c);
}

/* In the ring there is what the lie makes of it. */
static void completions(void)
{
	struct card *c = start("");
	struct ocfabric_cqe e;

	CHECK(card_lie(c, "cqe-length"));
	e = card_run(c, 0, card_write(0, 0x40, 64, 0, 1));
	CHECK(e.status == OCFABRIC_VERDICT_COMMITTED && e.bytes >= 1u << 27);
	CHECK(card_lie(c, "cqe-index+cqe-length"));
	e = card_run(c, 0, card_write(0, 0x40, 64, 0, 1));
	CHECK(e.bytes >= 1u << 27);
	CHECK(card_lie(c, "none"));
	check_true(c, "two lies");
	card_end(c);
}

static void interrupts(void)
{
	struct card *c = start("");
	unsigned int v, came = 0;

	CHECK(card_lie(c, "irq-storm"));
	qtest_step_ns(c->q, 1000000);
	for (v = 0; v < OCFABRIC_VECTORS; v++)
		came += card_msix_came(c, v);
	CHECK(came == OCFABRIC_VECTORS, "%u vectors", came);
	CHECK(card_lie(c, "irq-storm+irq-none"));
	/* what was raised before that is taken */
	for (v = 0; v < OCFABRIC_VECTORS; v++)
		card_msix_came(c, v);
	qtest_step_ns(c->q, 1000000);
	for (came = 0, v = 0; v < OCFABRIC_VECTORS; v++)
		came += card_msix_came(c, v);
	CHECK(!came, "%u vectors", came);
	CHECK(card_lie(c, "none"));
	qtest_step_ns(c->q, 1000000);
	for (v = 0; v < OCFABRIC_VECTORS; v++)
		CHECK(!card_msix_came(c, v), "vector %u", v);
	card_end(c);
}

/* From the start, and what is no lie. */
static void property(void)
{
	struct card *c = card_start("hostile=magic+clock-0");

	CHECK(is_set(c, "magic+clock-0"));
	CHECK(rd32(c, OCFABRIC_REG_MAGIC) == OCFABRIC_MAGIC + 1 &&
	      rd32(c, OCFABRIC_REG_CLOCK_MHZ) == 0);
	CHECK(!card_lie(c, "truth"));
	CHECK(!card_lie(c, "magic+"));
	CHECK(is_set(c, "magic+clock-0"), "a refused value changed it");
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "each lie is told, and then no more", each },
	{ "completions", completions },
	{ "interrupts", interrupts },
	{ "the property", property },
};

TAP_MAIN(tests)
