// SPDX-License-Identifier: GPL-2.0-only
/* Faults that other device models had, each by the shortest way to it. */
#include <stdlib.h>
#include <string.h>

#include "card.h"

#define FAILURES	2000u
#define GROWTH_KB	4096u

/* The honest write that shows that nothing was broken. */
static void still_works(struct card *c)
{
	unsigned int status = card_honest_write(c);

	CHECK(status == OCFABRIC_VERDICT_COMMITTED, "status %u", status);
}

/* Any answer is right; that there is one is what counts. */
static void every_offset(void)
{
	static const uint64_t bars[] = { BAR_CONTROL, BAR_DOORBELL };
	struct card *c = card_start("faults=on");
	uint32_t at, size, bar;

	for (bar = 0; bar < 2; bar++) {
		for (at = 0; at < OCFABRIC_BAR_DOORBELL_SIZE - 8; at += at < 0x400 ? 1 : 61) {
			for (size = 1; size <= 8; size *= 2)
				qtest_read(c->q, bars[bar] + at, size);
		}
	}
	still_works(c);
	card_end(c);
}

static void destroyed_twice(void)
{
	struct card *c = card_start("");
	unsigned int i;

	for (i = 0; i < 3; i++)
		card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, OCFABRIC_QUEUE_ABORT, 0,
			 0, 0);
	CHECK(card_cmd(c, OCFABRIC_HW_CMD_KEY_DEL, 0, 0, 0, 0, 3) ==
	      OCFABRIC_RESULT_STATE, "a key that never was");
	card_configure(c, 2, 1000);
	card_queue(c, 0, 4);
	card_key(c, 0, 0);
	card_post(c, 0, card_write(0, 0, 64, 0, 0));
	card_ring(c, 0, 1);
	/* its write is in flight: first it goes, then all of it, and again */
	for (i = 0; i < 3; i++)
		card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, OCFABRIC_QUEUE_ABORT, 0,
			 0, 0);
	CHECK(card_state(c, 0) == OCFABRIC_QUEUE_DISABLED);
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	card_cmd(c, OCFABRIC_HW_CMD_QUEUE_DISABLE, 0, 0, 0, 0, 0);
	still_works(c);
	card_end(c);
}

static unsigned long memory_kb(const struct card *c)
{
	char path[64], line[128];
	unsigned long kb = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)c->q->pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "RssAnon:", 8))
			kb = strtoul(line + 8, NULL, 10);
	if (f)
		fclose(f);
	CHECK(kb, "%s says nothing", path);
	return kb;
}

/* Each fails late: at the last chunk of a ring, the last range of a list. */
static void fail_late(struct card *c)
{
	struct ocfabric_hw_queue hw = card_queue_struct(0, 4);
	uint32_t result;

	hw.semaphores = BAR_CONTROL;
	result = card_enable(c, 0, &hw);
	CHECK(result == OCFABRIC_RESULT_DMA, "enable: result %u", result);
	result = card_cmd(c, OCFABRIC_HW_CMD_KEY_ADD, 0, RANGE_LIST(0), 1024, 0, 0);
	CHECK(result != OCFABRIC_RESULT_OK, "key: result %u", result);
	result = card_cmd(c, OCFABRIC_HW_CMD_KEY_ADD, 0, RANGE_LIST(0), 1u << 31, 0, 0);
	CHECK(result == OCFABRIC_RESULT_INVALID, "key: result %u", result);
}

static void failing_commands_keep_nothing(void)
{
	struct card *c = card_start("");
	struct ocfabric_hw_range good = { .addr = SOURCE(0), .len = 64 };
	unsigned long before, after;
	unsigned int i;

	for (i = 0; i < 1023; i++)
		qtest_store(c->q, RANGE_LIST(0) + 16ull * i, &good, sizeof(good));
	qtest_zero(c->q, RANGE_LIST(0) + 16 * 1023, 16);
	for (i = 0; i < FAILURES / 10; i++)
		fail_late(c);
	before = memory_kb(c);
	for (i = 0; i < FAILURES && tap_failures < 3; i++)
		fail_late(c);
	after = memory_kb(c);
	CHECK(after < before + GROWTH_KB, "%lu kB more", after - before);
	still_works(c);
	card_end(c);
}

/* All bits set, and none, one register after the other; BARs are put back. */
static void configuration_space(void)
{
	static const uint32_t values[] = { 0xffffffff, 0, 0x55555555, 0x00020002 };
	struct card *c = card_start("");
	unsigned int at, i;

	for (at = 0; at < 256; at += 4) {
		for (i = 0; i < 4; i++) {
			uint32_t was = pci_read(c, at);

			pci_write(c, at, values[i]);
			pci_read(c, at);
			qtest_read(c->q, BAR_CONTROL, 4);
			pci_write(c, at, was);
		}
		card_set_bars(c);
		CHECK(rd32(c, OCFABRIC_REG_MAGIC) == OCFABRIC_MAGIC, "after 0x%x", at);
	}
	still_works(c);
	card_end(c);
}

static const struct tap_test tests[] = {
	{ "every offset in every width", every_offset },
	{ "destroyed twice, and before it was there", destroyed_twice },
	{ "failing commands keep nothing", failing_commands_keep_nothing },
	{ "all of the configuration space", configuration_space },
};

TAP_MAIN(tests)
