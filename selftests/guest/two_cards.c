// SPDX-License-Identifier: GPL-2.0-only
/*
 * What handles of one card are worth on another: nothing. For a guest with two
 * cards (selftests/boot/cards).
 */
#include <fcntl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "util.h"

#define REGION	0x10000u
#define N	2

FIXTURE(two_cards) {
	int node, other;
	struct replica r;	/* of the first card */
	int handle;		/* of the second */
};

FIXTURE_SETUP(two_cards)
{
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	self->other = open("/dev/ocfabric1", O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->other, 0);
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	self->handle = attach_fd(self->other, 1, (struct attach){});
	ASSERT_GE(self->handle, 0);
}

FIXTURE_TEARDOWN(two_cards)
{
	close(self->handle);
	replica_close(&self->r);
	close(self->other);
	close(self->node);
}

static uint32_t tail(struct replica *r)
{
	struct ocfabric_queue_get q;

	return queue_get(r, &q) ? ~0u : q.out_tail;
}

TEST_F(two_cards, broadcast)
{
	static const struct ocfabric_desc nop;
	int fd[2] = { self->r.fd, self->handle };
	uint32_t before;

	replica_post(&self->r, &nop);
	before = tail(&self->r);
	EXPECT_EQ(-EXDEV, broadcast(self->node, 0, fd, 2, 1, NULL));
	EXPECT_EQ(-EXDEV, broadcast(self->r.fd, 0, fd + 1, 1, 1, NULL));
	EXPECT_EQ(-EXDEV, broadcast(self->other, 0, fd, 1, 1, NULL));
	EXPECT_EQ(before, tail(&self->r));
	EXPECT_EQ(0, broadcast(self->other, 0, fd + 1, 1, 0, NULL));
}

TEST_HARNESS_MAIN
