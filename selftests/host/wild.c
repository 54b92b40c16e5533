// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completions of a card that lies: with good tags and anything else in them,
 * more of them than were posted. Whatever libocfabric takes, it makes no room
 * that is not there, counts each once, and names what it is told.
 */
#include <string.h>

#include "fake.h"
#include "tap.h"

#define ROUNDS	2000
#define SHIFT	4

static uint64_t state = 11;

static uint64_t rnd(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return state >> 20;
}

/* The entry with this number, its tag right. */
static void forge(struct fake *f, uint32_t number)
{
	const struct ocf_replica *r = &f->held.pub;
	struct ocfabric_cqe *e = &f->cq[number & ((1u << r->cq_shift) - 1)];
	uint64_t word[sizeof(*e) / 8];
	unsigned int i;

	for (i = 0; i < sizeof(word) / 8; i++)
		word[i] = rnd() << (rnd() & 31);
	memcpy(e, word, sizeof(word));
	e->flags &= (uint8_t)~OCFABRIC_CQE_TAG_MASK;
	e->flags |= (uint8_t)(((number >> r->cq_shift) + 1) & OCFABRIC_CQE_TAG_MASK);
}

/* The counts of a replica that a card cannot confuse. */
static void check_counts(const struct ocf_replica *r)
{
	CHECK(r->posted - r->done <= 1u << r->tx_shift, "%u done of %u", r->done,
	      r->posted);
	CHECK(r->rx_posted - r->rx_done <= 1u << r->rx_shift, "%u received of %u",
	      r->rx_done, r->rx_posted);
	CHECK(ocf_room(r) <= r->limit, "room for %u", ocf_room(r));
	CHECK(ocf_recv_room(r) <= 1u << r->rx_shift);
	CHECK(ocf_owed_(r) <= 1u << r->cq_shift, "%u owed", ocf_owed_(r));
}

static void post_some(struct fake *f)
{
	struct ocf_replica *r = &f->held.pub;
	unsigned int i, n = rnd() % 8;

	for (i = 0; i < n; i++)
		if (ocf_post_nop(r, rnd() & 1 ? OCF_UNSIGNALED : 0) < 0)
			break;
	ocf_ring(r);
	if (ocf_recv_room(r))
		ocf_post_recv(r, 1);
	ocf_ring_recv(r);
}

static void take_some(struct fake *f)
{
	struct ocf_replica *r = &f->held.pub;
	struct ocf_completion c[3];
	unsigned int i, n = rnd() % 5, taken, sum = 0;

	for (i = 0; i < n; i++)
		forge(f, r->taken + i);
	while ((taken = ocf_poll(r, c, 3))) {
		sum += taken;
		CHECK(taken <= 3 && sum <= n, "%u taken, %u were there", sum, n);
		for (i = 0; i < taken; i++)
			CHECK(ocf_verdict_name(c[i].status));
		check_counts(r);
		if (sum > n)
			break;
	}
}

static void completions(void)
{
	struct fake *f = &fakes[0];
	unsigned int i;

	fake_start(SHIFT, SHIFT, SHIFT + 1);
	for (i = 0; i < ROUNDS && tap_failures < 5; i++) {
		post_some(f);
		check_counts(&f->held.pub);
		take_some(f);
	}
}

/* What was posted is done once, whatever index is said for it again. */
static void repeated(void)
{
	struct fake *f = &fakes[0];
	struct ocf_replica *r = &f->held.pub;
	struct ocf_completion c;
	unsigned int i;

	fake_start(SHIFT, SHIFT, SHIFT + 1);
	CHECK(ocf_post_nop(r, 0) == 0);
	for (i = 0; i < 40; i++) {
		forge(f, r->taken);
		f->cq[r->taken & 31].flags &= (uint8_t)~OCFABRIC_CQE_RECEIVE;
		f->cq[r->taken & 31].index = 0;
		CHECK(ocf_poll(r, &c, 1) == 1 && r->done == 1);
		check_counts(r);
	}
	CHECK(ocf_room(r) == r->limit);
}

static const struct tap_test tests[] = {
	{ "wild completions", completions },
	{ "one completion again and again", repeated },
};

TAP_MAIN(tests)
