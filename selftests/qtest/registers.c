// SPDX-License-Identifier: GPL-2.0-only
/* BAR 0 and BAR 2: accesses, reset values, who may change what, and when. */
#include "card.h"

#define SEEN	0x5aa5c33c5aa5c33cull

/* Registers that any value may be written to while the card is drained. */
static const struct {
	uint32_t reg;
	uint8_t width;
	uint64_t mask;
} writable[] = {
	{ OCFABRIC_REG_EVENT_BASE, 8, ~63ull },
	{ OCFABRIC_REG_EVENT_CONSUMER, 4, 0xffffffff },
	{ OCFABRIC_REG_CMD_ARG(0), 8, ~0ull },
	{ OCFABRIC_REG_CMD_ARG(3), 8, ~0ull },
	{ OCFABRIC_REG_CFG_N, 4, 0xffffffff },
	{ OCFABRIC_REG_CFG_FLAGS, 4, OCFABRIC_CFG_UPSTREAM_QPNS },
	{ OCFABRIC_REG_CFG_LATENCY, 4, 0xffffffff },
	{ OCFABRIC_REG_REGION_BASE(0), 8, ~0ull },
	{ OCFABRIC_REG_REGION_SIZE(15), 8, ~0ull },
	{ OCFABRIC_REG_CONN(0, 0), 4, OCFABRIC_CONN_VALID | 0xf },
	{ OCFABRIC_REG_CONN(15, 255), 4, OCFABRIC_CONN_VALID | 0xf },
	{ OCFABRIC_REG_WINDOW(0) + OCFABRIC_WINDOW_ROUTE, 4,
	  OCFABRIC_WINDOW_VALID | 0xf0f },
	{ OCFABRIC_REG_WINDOW(511) + OCFABRIC_WINDOW_SEMAPHORES, 4, 0xffff },
	{ OCFABRIC_REG_WINDOW(511) + OCFABRIC_WINDOW_OFFSET, 8, ~0ull },
	{ OCFABRIC_REG_WINDOW(511) + OCFABRIC_WINDOW_LENGTH, 8, ~0ull },
};

#define NR_WRITABLE (sizeof(writable) / sizeof(*writable))

static uint64_t rd(struct card *c, uint32_t reg, unsigned int width)
{
	return width == 8 ? rd64(c, reg) : rd32(c, reg);
}

static void wr(struct card *c, uint32_t reg, unsigned int width, uint64_t value)
{
	if (width == 8)
		wr64(c, reg, value);
	else
		wr32(c, reg, (uint32_t)value);
}

static void identity(void)
{
	struct card *c = card_start("hbm=32M,replicas=5,windows=7,clock-mhz=100");

	CHECK(pci_read(c, 0) == (OCFABRIC_PCI_DEVICE_ID << 16 |
				 OCFABRIC_PCI_VENDOR_ID));
	CHECK(pci_read(c, 8) >> 16 == OCFABRIC_PCI_CLASS);
	CHECK(rd32(c, OCFABRIC_REG_MAGIC) == OCFABRIC_MAGIC);
	CHECK(rd32(c, OCFABRIC_REG_VERSION) == OCFABRIC_VERSION);
	CHECK(rd64(c, OCFABRIC_REG_FEATURES) == 0);
	CHECK(rd32(c, OCFABRIC_REG_MAX_REPLICAS) == 5);
	CHECK(rd32(c, OCFABRIC_REG_MAX_WINDOWS) == 7);
	CHECK(rd64(c, OCFABRIC_REG_HBM_SIZE) == 32 << 20);
	CHECK(rd32(c, OCFABRIC_REG_CLOCK_MHZ) == 100);
	CHECK(rd32(c, OCFABRIC_REG_MAX_KEYS) == 64);
	CHECK(rd32(c, OCFABRIC_REG_MAX_RANGES) == 4096);
	CHECK(rd32(c, OCFABRIC_REG_MAX_KEY_RANGES) == 1024);
	CHECK(rd32(c, OCFABRIC_REG_MAX_FAULTS) == 0);
	CHECK(rd64(c, OCFABRIC_REG_CLOCK) == 0);
	qtest_step_ns(c->q, 1000000);
	CHECK(rd64(c, OCFABRIC_REG_CLOCK) == 100000);
	card_end(c);
	c = card_start("faults=on");
	CHECK(rd64(c, OCFABRIC_REG_FEATURES) == OCFABRIC_FEATURE_FAULTS);
	CHECK(rd32(c, OCFABRIC_REG_MAX_FAULTS) > 0);
	card_end(c);
}

static void capabilities(void)
{
	struct card *c = card_start("");
	unsigned int exp = pci_find_cap(c, 0x10), msix = pci_find_cap(c, 0x11);

	CHECK(pci_read(c, exp + 4) & 1u << 28, "function level reset");
	CHECK((pci_read(c, msix) >> 16 & 0x7ff) + 1 == OCFABRIC_VECTORS);
	CHECK(pci_read(c, msix + 4) == OCFABRIC_MSIX_TABLE);
	CHECK(pci_read(c, msix + 8) == OCFABRIC_MSIX_PBA);
	CHECK((pci_read(c, 0x20) & 0xf) == 0xc, "64 bits, prefetchable");
	card_end(c);
}

/* All of the first pages, and places everywhere, at every size: no change. */
static void odd_accesses(void)
{
	struct card *c = card_start("");
	static const uint8_t sizes[] = { 1, 2, 4, 8 };
	uint32_t at;
	size_t i;

	card_drain(c);
	for (at = 0; at < OCFABRIC_BAR_CONTROL_SIZE - 8;
	     at += at < 0x240 ? 1 : 0xc5) {
		if (at >= OCFABRIC_MSIX_TABLE && at < OCFABRIC_MSIX_PBA + 0x1000)
			continue;
		for (i = 0; i < 4; i++) {
			qtest_read(c->q, BAR_CONTROL + at, sizes[i]);
			if (sizes[i] < 4 || at % sizes[i])
				qtest_write(c->q, BAR_CONTROL + at, sizes[i], ~0ull);
		}
	}
	/* two registers at once are none */
	wr64(c, OCFABRIC_REG_CONTROL, 0);
	wr64(c, OCFABRIC_REG_CFG_N, 0x500000005);
	CHECK(!rd64(c, OCFABRIC_REG_CFG_N) && !rd64(c, OCFABRIC_REG_MAGIC));
	CHECK(rd32(c, OCFABRIC_REG_CONTROL) == OCFABRIC_CONTROL_DRAIN);
	for (i = 0; i < NR_WRITABLE; i++)
		CHECK(!rd(c, writable[i].reg, writable[i].width), "0x%x",
		      writable[i].reg);
	CHECK(!rd32(c, OCFABRIC_REG_ERROR) && !rd32(c, OCFABRIC_REG_CMD_STATUS));
	card_end(c);
}

static void read_only(void)
{
	static const struct {
		uint32_t reg;
		uint8_t width;
	} ro[] = {
		{ OCFABRIC_REG_MAGIC, 4 }, { OCFABRIC_REG_VERSION, 4 },
		{ OCFABRIC_REG_FEATURES, 8 }, { OCFABRIC_REG_MAX_REPLICAS, 4 },
		{ OCFABRIC_REG_MAX_WINDOWS, 4 }, { OCFABRIC_REG_HBM_SIZE, 8 },
		{ OCFABRIC_REG_CLOCK_MHZ, 4 }, { OCFABRIC_REG_MAX_KEYS, 4 },
		{ OCFABRIC_REG_MAX_RANGES, 4 }, { OCFABRIC_REG_MAX_KEY_RANGES, 4 },
		{ OCFABRIC_REG_CLOCK, 8 }, { OCFABRIC_REG_MAX_FAULTS, 4 },
		{ OCFABRIC_REG_STATUS, 4 }, { OCFABRIC_REG_SNAPSHOT_CLOCK, 8 },
		{ OCFABRIC_REG_GENERATION, 4 }, { OCFABRIC_REG_LINK_STATE(15), 4 },
		{ OCFABRIC_REG_EVENT_PRODUCER, 4 }, { OCFABRIC_REG_EVENT_LOST, 4 },
		{ OCFABRIC_REG_CMD_STATUS, 4 }, { OCFABRIC_REG_QUEUE(3), 4 },
		{ OCFABRIC_REG_QUEUE(3) + OCFABRIC_QUEUE_TAIL, 4 },
		{ OCFABRIC_REG_QUEUE(3) + OCFABRIC_QUEUE_RX_HEAD, 4 },
		{ OCFABRIC_REG_QUEUE(3) + OCFABRIC_QUEUE_RX_TAIL, 4 },
		{ OCFABRIC_REG_SEMAPHORE(0, 0), 4 },
		{ OCFABRIC_REG_SEMAPHORE(15, 63), 4 },
		{ OCFABRIC_REG_BROADCAST, 8 },
		{ OCFABRIC_REG_COUNTER(2, 3), 8 }, { OCFABRIC_REG_REJECT(2, 3), 8 },
	};
	struct card *c = card_start("faults=on");
	size_t i;

	for (i = 0; i < sizeof(ro) / sizeof(*ro); i++) {
		uint64_t before = rd(c, ro[i].reg, ro[i].width);

		wr(c, ro[i].reg, ro[i].width, ~before);
		CHECK(rd(c, ro[i].reg, ro[i].width) == before, "0x%x", ro[i].reg);
	}
	CHECK(!rd32(c, OCFABRIC_REG_ERROR));
	card_end(c);
}

static void read_back(void)
{
	struct card *c = card_start("");
	size_t i;

	card_drain(c);
	for (i = 0; i < NR_WRITABLE; i++)
		wr(c, writable[i].reg, writable[i].width, SEEN + i * 64);
	for (i = 0; i < NR_WRITABLE; i++) {
		uint64_t want = (SEEN + i * 64) & writable[i].mask;
		uint64_t got = rd(c, writable[i].reg, writable[i].width);

		if (writable[i].reg == OCFABRIC_REG_EVENT_BASE)
			want = 0;	/* not aligned: ignored */
		if (writable[i].reg == OCFABRIC_REG_CONN(0, 0) ||
		    writable[i].reg == OCFABRIC_REG_CONN(15, 255))
			want = 0;	/* not valid: nothing else is kept */
		CHECK(got == want, "0x%x: 0x%llx", writable[i].reg,
		      (unsigned long long)got);
	}
	wr32(c, OCFABRIC_REG_CONN(15, 255), 0x8000002b);
	CHECK(rd32(c, OCFABRIC_REG_CONN(15, 255)) == 0x8000000b);
	wr64(c, OCFABRIC_REG_EVENT_BASE, 0x123456780);
	CHECK(rd64(c, OCFABRIC_REG_EVENT_BASE) == 0x123456780);
	CHECK(!rd64(c, OCFABRIC_REG_WINDOW(512) + OCFABRIC_WINDOW_OFFSET),
	      "one window too many");
	card_end(c);
}

static void halves(void)
{
	struct card *c = card_start("");
	uint32_t reg = OCFABRIC_REG_REGION_SIZE(4), low, high;

	card_drain(c);
	wr64(c, reg, 0x1111111122222222);
	wr32(c, reg, 0x44444444);
	CHECK(rd64(c, reg) == 0x1111111122222222, "half a write changes nothing");
	wr32(c, reg + 4, 0x33333333);
	CHECK(rd64(c, reg) == 0x3333333344444444);
	wr32(c, reg + 4, 0x55555555);
	CHECK(rd64(c, reg) == 0x5555555544444444, "a high half alone");
	wr32(c, reg, 0x66666666);
	wr32(c, OCFABRIC_REG_REGION_SIZE(5) + 4, 0x77777777);
	CHECK(rd64(c, reg) == 0x5555555544444444);
	CHECK(rd64(c, OCFABRIC_REG_REGION_SIZE(5)) == 0x7777777700000000,
	      "halves of two registers do not meet");

	qtest_step_ns(c->q, 17000000000);	/* the clock is just below 2^32 */
	low = rd32(c, OCFABRIC_REG_CLOCK);
	qtest_step_ns(c->q, 1000000000);
	high = rd32(c, OCFABRIC_REG_CLOCK + 4);
	CHECK(low == 4250000000 && high == 0, "%u %u", low, high);
	CHECK(rd32(c, OCFABRIC_REG_CLOCK + 4) == 1, "alone it is read anew");
	card_end(c);
}

static void drained_only(void)
{
	struct card *c = card_start("");
	size_t i;

	for (i = 4; i < NR_WRITABLE; i++) {
		wr(c, writable[i].reg, writable[i].width, ~0ull);
		CHECK(!rd(c, writable[i].reg, writable[i].width), "0x%x",
		      writable[i].reg);
		CHECK(rd32(c, OCFABRIC_REG_ERROR) == OCFABRIC_ERROR_NOT_DRAINED);
		wr32(c, OCFABRIC_REG_ERROR, OCFABRIC_ERROR_CMD_OVERRUN);
		CHECK(rd32(c, OCFABRIC_REG_ERROR) == OCFABRIC_ERROR_NOT_DRAINED,
		      "another bit clears nothing");
		wr32(c, OCFABRIC_REG_ERROR, OCFABRIC_ERROR_NOT_DRAINED);
		CHECK(!rd32(c, OCFABRIC_REG_ERROR));
	}
	/* held over from when it was drained: the write as a whole is ignored */
	card_drain(c);
	wr32(c, OCFABRIC_REG_REGION_SIZE(0), 5);
	card_resume(c);
	wr32(c, OCFABRIC_REG_REGION_SIZE(0) + 4, 5);
	CHECK(!rd64(c, OCFABRIC_REG_REGION_SIZE(0)));
	CHECK(rd32(c, OCFABRIC_REG_ERROR) == OCFABRIC_ERROR_NOT_DRAINED);
	wr32(c, OCFABRIC_REG_COUNTER_RESET, 1);
	CHECK(rd32(c, OCFABRIC_REG_ERROR) == OCFABRIC_ERROR_NOT_DRAINED);
	card_end(c);
}

static void generations(void)
{
	struct card *c = card_start("");

	card_drain(c);
	card_resume(c);
	CHECK(rd32(c, OCFABRIC_REG_GENERATION) == 0, "nothing was changed");
	card_drain(c);
	wr32(c, OCFABRIC_REG_COUNTER_RESET, 1);
	card_resume(c);
	CHECK(rd32(c, OCFABRIC_REG_GENERATION) == 0, "no configuration");
	card_configure(c, 3, 0);
	CHECK(rd32(c, OCFABRIC_REG_GENERATION) == 1);
	card_end(c);
}

static void doorbell_page(void)
{
	struct card *c = card_start("replicas=4");
	uint64_t page = BAR_DOORBELL + OCFABRIC_DOORBELL_PAGE(0);
	uint32_t at;

	card_configure(c, 2, 0);
	card_queue(c, 0, 4);
	/* at 0 there is one for all */
	for (at = 4; at < OCFABRIC_BAR_DOORBELL_SIZE - 8; at += 0x9d) {
		qtest_write(c->q, BAR_DOORBELL + at, 8, ~0ull);
		qtest_write(c->q, BAR_DOORBELL + at, 4, ~0ull);
		qtest_write(c->q, BAR_DOORBELL + at, 1, ~0ull);
		CHECK(!qtest_read(c->q, BAR_DOORBELL + at, 4), "0x%x", at);
	}
	qtest_write(c->q, page + OCFABRIC_DOORBELL_TDRTP_INC, 8, 1);
	qtest_write(c->q, page + OCFABRIC_DOORBELL_TDRTP_INC, 2, 1);
	qtest_write(c->q, page + OCFABRIC_DOORBELL_S2M +
		    OCFABRIC_DOORBELL_S2M + OCFABRIC_DOORBELL_TDRTP_INC, 4, 1);
	CHECK(rd32(c, OCFABRIC_REG_QUEUE(0) + OCFABRIC_QUEUE_TAIL) == 0);
	CHECK(!rd32(c, OCFABRIC_REG_ERROR));
	card_ring(c, 1, 1);
	CHECK(rd32(c, OCFABRIC_REG_ERROR) == OCFABRIC_ERROR_DOORBELL,
	      "a queue that is not enabled");
	wr32(c, OCFABRIC_REG_ERROR, ~0u);
	card_ring(c, 4, 1);
	CHECK(!rd32(c, OCFABRIC_REG_ERROR), "a queue that the card has not");
	card_post(c, 0, (struct ocfabric_desc){ 0 });
	card_post(c, 0, (struct ocfabric_desc){ 0 });
	card_ring(c, 0, 2);
	CHECK(qtest_read(c->q, page + OCFABRIC_DOORBELL_TDRTP_INC, 4) == 2);
	card_end(c);
}

static void commands(void)
{
	struct card *c = card_start("replicas=4");
	uint32_t op;

	for (op = 0; op < 256; op++) {
		uint32_t want = op == OCFABRIC_HW_CMD_QUEUE_DISABLE ||
				op == OCFABRIC_HW_CMD_KEY_DEL ?
					OCFABRIC_RESULT_STATE :
				op == OCFABRIC_HW_CMD_QUEUE_ENABLE ||
				op == OCFABRIC_HW_CMD_KEY_ADD ?
					OCFABRIC_RESULT_INVALID :
				op == OCFABRIC_HW_CMD_LINK_RESET ?
					OCFABRIC_RESULT_OK :
					OCFABRIC_RESULT_UNKNOWN;
		uint32_t got = card_cmd(c, op, 0, 0, 0, 0, 0);

		CHECK(got == want, "opcode %u: result %u", op, got);
		if ((op < 5 && op) || op == OCFABRIC_HW_CMD_LINK_RESET)
			CHECK(card_cmd(c, op, 4, 0, 0, 0, 0) ==
			      OCFABRIC_RESULT_INVALID, "opcode %u", op);
	}
	CHECK(!rd32(c, OCFABRIC_REG_CMD), "write only");
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "identity and capabilities", identity },
	{ "PCI capabilities", capabilities },
	{ "odd accesses change nothing", odd_accesses },
	{ "read-only registers stay", read_only },
	{ "what is written is read back", read_back },
	{ "64-bit registers as halves", halves },
	{ "configuration only while drained", drained_only },
	{ "generation of the configuration", generations },
	{ "only doorbells ring", doorbell_page },
	{ "commands that do not exist", commands },
};

TAP_MAIN(tests)
