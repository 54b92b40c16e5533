// SPDX-License-Identifier: GPL-2.0-only
/*
 * 32-bit programs: each call says to them what it says to others, and asks for the
 * same rights. Their calls are made by the gate that such programs use.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "fuzz.h"
#include "util.h"

#define NR32_IOCTL	54
#define ROOM		(2 * PAGE)

FIXTURE(compat) {
	int node;
	struct replica r;
	uint8_t *low;	/* memory that 32 bits can point to */
};

FIXTURE_SETUP(compat)
{
	if (!have_call32())
		SKIP(return, "this kernel runs no 32-bit programs");
	self->r.fd = -1;
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, fabric_setup(self->node, 2, 0x10000));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	self->low = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	ASSERT_NE(MAP_FAILED, self->low);
}

FIXTURE_TEARDOWN(compat)
{
	replica_close(&self->r);
	close(self->node);
}

static int ioctl32(int fd, unsigned long nr, const void *arg)
{
	return call32(NR32_IOCTL, fd, nr, (uintptr_t)arg, 0, 0);
}

/* By both ways, from the same structure: answers and what is written into it. */
static bool same(uint8_t *low, int fd, unsigned long nr, uint32_t size)
{
	uint8_t wide[PAGE] = {};
	int a, b;

	memcpy(wide, &size, sizeof(size));
	memset(low, 0, PAGE);
	memcpy(low, &size, sizeof(size));
	a = call(fd, nr, wide);
	b = ioctl32(fd, nr, low);
	if (a == b && !memcmp(wide, low, sizeof(wide)))
		return true;
	printf("# call 0x%lx: %d, to a 32-bit program %d\n", nr, a, b);
	return false;
}

TEST_F(compat, same_answers_to_32_bit_programs)
{
	/* those that say the same twice */
	EXPECT_TRUE(same(self->low, self->node, OCFABRIC_INFO, sizeof(struct ocfabric_info)));
	EXPECT_TRUE(same(self->low, self->r.fd, OCFABRIC_INFO, sizeof(struct ocfabric_info)));
	EXPECT_TRUE(same(self->low, self->r.fd, OCFABRIC_REPLICA_GET,
			 sizeof(struct ocfabric_replica_get)));
	EXPECT_TRUE(same(self->low, self->r.fd, OCFABRIC_QUEUE_GET,
			 sizeof(struct ocfabric_queue_get)));
	EXPECT_TRUE(same(self->low, self->r.fd, OCFABRIC_QUEUE_RESET,
			 sizeof(struct ocfabric_queue_reset)));
	/* and those that are refused: no such call, no such size, not on this file */
	for (unsigned int nr = 0x7f; nr < 0xa0; nr++) {
		EXPECT_TRUE(same(self->low, self->node, _IO(OCFABRIC_IOCTL_TYPE, nr), 4));
		EXPECT_TRUE(same(self->low, self->r.fd, _IO(OCFABRIC_IOCTL_TYPE, nr), 4));
	}
}

TEST_F(compat, a_key_of_a_32_bit_program)
{
	struct ocfabric_key_add *add = (void *)self->low;

	*add = NEW(ocfabric_key_add, .addr = (uintptr_t)self->low + PAGE, .length = PAGE);
	ASSERT_EQ(0, ioctl32(self->r.fd, OCFABRIC_KEY_ADD, add));
	EXPECT_EQ(0, key_del(self->r.fd, add->out_key));
	/* 32 bits wrap at 4 GiB, the structure's 64 do not */
	*add = NEW(ocfabric_key_add, .addr = UINT32_MAX & ~(PAGE - 1), .length = 2 * PAGE);
	EXPECT_EQ(-EFAULT, ioctl32(self->r.fd, OCFABRIC_KEY_ADD, add));
}

static uint8_t *other_low;

/* What a user of the node's group may not change, he may not by 32 bits either. */
static int refused_to_other(int node)
{
	struct ocfabric_reset *reset = (void *)other_low;
	struct ocfabric_drain *drain = (void *)(other_low + 64);
	struct ocfabric_config_change *change = (void *)(other_low + 128);

	*reset = NEW(ocfabric_reset, .what = OCFABRIC_RESET_COUNTERS);
	*drain = NEW(ocfabric_drain, .op = 1);
	*change = NEW(ocfabric_config_change, .changes = (uintptr_t)other_low + PAGE, .count = 1);
	if (ioctl32(node, OCFABRIC_RESET, reset) != call(node, OCFABRIC_RESET, reset))
		return 1;
	if (ioctl32(node, OCFABRIC_RESET, reset) != -EPERM)
		return 2;
	if (ioctl32(node, OCFABRIC_DRAIN, drain) != -EPERM)
		return 3;
	return ioctl32(node, OCFABRIC_CONFIG_CHANGE, change) != -EPERM ? 4 : 0;
}

TEST_F(compat, same_rights_of_32_bit_programs)
{
	other_low = self->low;
	EXPECT_EQ(0, as_other(refused_to_other));
}

TEST_HARNESS_MAIN
