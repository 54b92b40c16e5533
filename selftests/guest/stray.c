// SPDX-License-Identifier: GPL-2.0-only
/*
 * DMA outside of what the driver mapped: behind an IOMMU it faults, whoever asks the card
 * for it, and changes nothing. Here it is we, past the driver, by the card's registers;
 * iomem=relaxed allows that. selftests/boot/iommu runs this.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include <linux/ocfabric_hw.h>

#include "kselftest_harness.h"
#include "child.h"
#include "klog.h"
#include "util.h"

#define DEVICE	"/sys/class/misc/ocfabric0/device/"
#define TRACE	"/sys/kernel/tracing/"
#define N	3
#define REGION	0x10000u
#define PATTERN	0x5a

FIXTURE(stray) {
	int node;
	int log;	/* what the kernel says from the test's start on */
	volatile uint8_t *regs;
	uint8_t *page;	/* ours; it stays where it is */
	uint64_t physical;
	struct replica r;
};

static uint64_t physical_address(const void *p)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;

	if (fd < 0)
		return 0;
	if (pread(fd, &entry, 8, (uintptr_t)p / PAGE * 8) != 8)
		entry = 0;
	close(fd);
	return (entry & ((1ull << 55) - 1)) * PAGE;
}

static volatile uint8_t *map_registers(void)
{
	int fd = open(DEVICE "resource0", O_RDWR | O_SYNC | O_CLOEXEC);
	void *p;

	if (fd < 0)
		return NULL;
	p = mmap(NULL, OCFABRIC_BAR_CONTROL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

FIXTURE_SETUP(stray)
{
	self->r.fd = -1;
	ASSERT_EQ(0, access(DEVICE "iommu_group", F_OK));
	self->regs = map_registers();
	ASSERT_NE(NULL, self->regs);
	self->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	memset(self->page, PATTERN, PAGE);
	self->physical = physical_address(self->page);
	ASSERT_NE(0, self->physical);
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	self->log = klog_open();
	ASSERT_GE(self->log, 0);
	if (access(TRACE "trace", F_OK))
		ASSERT_EQ(0, mount("tracefs", TRACE, "tracefs", 0, NULL));
	ASSERT_EQ(0, write_file(TRACE "events/iommu/map/enable", "1"));
}

/* The driver brings the card back as it had it. */
FIXTURE_TEARDOWN(stray)
{
	struct ocfabric_reset reset = NEW(ocfabric_reset, .what = OCFABRIC_RESET_DEVICE);

	write_file(TRACE "events/iommu/map/enable", "0");
	replica_close(&self->r);
	EXPECT_EQ(0, call(self->node, OCFABRIC_RESET, &reset));
	close(self->log);
	close(self->node);
}

/* ---- the card's registers ---- */

static uint32_t rd32(volatile uint8_t *regs, uint32_t at)
{
	return *(volatile uint32_t *)(regs + at);
}

static void wr32(volatile uint8_t *regs, uint32_t at, uint32_t value)
{
	*(volatile uint32_t *)(regs + at) = value;
}

static void wr64(volatile uint8_t *regs, uint32_t at, uint64_t value)
{
	wr32(regs, at, (uint32_t)value);
	wr32(regs, at + 4, value >> 32);
}

/* The result of a command, or -ETIMEDOUT. */
static int command(volatile uint8_t *regs, uint32_t cmd, uint64_t a0, uint64_t a1, uint64_t a3)
{
	wr64(regs, OCFABRIC_REG_CMD_ARG(0), a0);
	wr64(regs, OCFABRIC_REG_CMD_ARG(1), a1);
	wr64(regs, OCFABRIC_REG_CMD_ARG(2), 0);
	wr64(regs, OCFABRIC_REG_CMD_ARG(3), a3);
	wr32(regs, OCFABRIC_REG_CMD, cmd);
	if (!WAIT_FOR(rd32(regs, OCFABRIC_REG_CMD_STATUS) & OCFABRIC_HW_CMD_DONE,
		      patience(1000)))
		return -ETIMEDOUT;
	return rd32(regs, OCFABRIC_REG_CMD_STATUS) >> OCFABRIC_HW_CMD_RESULT_SHIFT &
	       OCFABRIC_HW_CMD_RESULT_MASK;
}

/* What the card says to reading a queue's structure there: nothing that is one. */
static int read_at(volatile uint8_t *regs, uint64_t addr)
{
	return command(regs, OCFABRIC_HW_CMD_QUEUE_ENABLE | 15 << 8, addr, 0, 0);
}

/* The card writes an event there: whether it could. */
static bool write_at(volatile uint8_t *regs, uint64_t addr)
{
	wr32(regs, OCFABRIC_REG_ERROR, OCFABRIC_ERROR_EVENT | OCFABRIC_ERROR_CMD_OVERRUN);
	wr64(regs, OCFABRIC_REG_EVENT_BASE, addr);
	/* a change of a configuration that is not drained is an error, and an event */
	wr32(regs, OCFABRIC_REG_ERROR, OCFABRIC_ERROR_NOT_DRAINED);
	wr32(regs, OCFABRIC_REG_CFG_LATENCY, 0);
	return !(rd32(regs, OCFABRIC_REG_ERROR) & OCFABRIC_ERROR_EVENT);
}

/* ---- what the kernel says ---- */

static bool faulted(int log, uint64_t addr)
{
	char want[40];

	/* as the kernel's DMAR says it */
	snprintf(want, sizeof(want), "fault addr 0x%" PRIx64 " ", addr);
	return WAIT_FOR(klog_says(log, want), patience(1000));
}

/* The last DMA address that was mapped to this page; 0: none. */
static uint64_t dma_address(uint64_t physical)
{
	FILE *f = fopen(TRACE "trace", "re");
	char line[512];
	uint64_t found = 0, iova, to;

	while (f && fgets(line, sizeof(line), f)) {
		char *at = strstr(line, "iova=0x");

		if (at && sscanf(at, "iova=0x%" SCNx64 " - 0x%*x paddr=0x%" SCNx64,
				 &iova, &to) == 2 && to == physical)
			found = iova;
	}
	if (f)
		fclose(f);
	return found;
}

static bool untouched(const uint8_t *page)
{
	for (unsigned int i = 0; i < PAGE; i++)
		if (page[i] != PATTERN)
			return false;
	return true;
}

TEST_F(stray, writes_fault_and_change_nothing)
{
	EXPECT_FALSE(write_at(self->regs, self->physical));
	EXPECT_TRUE(faulted(self->log, self->physical));
	EXPECT_TRUE(untouched(self->page));
}

TEST_F(stray, reads_fault)
{
	EXPECT_EQ(OCFABRIC_RESULT_DMA, read_at(self->regs, self->physical));
	EXPECT_TRUE(faulted(self->log, self->physical));
	EXPECT_EQ(OCFABRIC_RESULT_DMA,
		  command(self->regs, OCFABRIC_HW_CMD_KEY_ADD | 15 << 8,
			  self->physical + 64, 1, 5));
	EXPECT_TRUE(untouched(self->page));
}

/* A key's pages can be read while there is the key, and never be written. */
TEST_F(stray, pages_of_a_key_are_read_only_and_gone_with_it)
{
	uint64_t iova;
	uint32_t key;

	ASSERT_EQ(0, key_add(self->r.fd, self->page, PAGE, &key));
	iova = dma_address(self->physical);
	ASSERT_NE(0, iova);
	EXPECT_EQ(OCFABRIC_RESULT_INVALID, read_at(self->regs, iova));
	EXPECT_FALSE(write_at(self->regs, iova));
	EXPECT_TRUE(untouched(self->page));
	ASSERT_EQ(0, key_del(self->r.fd, key));
	EXPECT_EQ(OCFABRIC_RESULT_DMA, read_at(self->regs, iova));
	EXPECT_FALSE(write_at(self->regs, iova));
	EXPECT_TRUE(untouched(self->page));
}

TEST_HARNESS_MAIN
