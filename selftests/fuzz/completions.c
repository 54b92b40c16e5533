// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library takes completions that a lying card wrote: it never counts as done what
 * was not posted, never makes more room than there is, takes each entry once, and
 * stays within its rings. And it has a word for everything that a card may say.
 */
#include "fake.h"
#include "fuzz.h"

static void check(const struct ocf_replica *r)
{
	MUST(r->posted - r->done <= 1u << r->tx_shift);
	MUST(r->rx_posted - r->rx_done <= 1u << r->rx_shift);
	MUST(ocf_room(r) <= r->limit);
	MUST(ocf_recv_room(r) <= 1u << r->rx_shift);
	MUST(r->rung == r->posted || (int32_t)(r->posted - r->rung) > 0);
	MUST(r->taken - r->published <= 1u << r->cq_shift);
}

static void lie(struct bytes *b, struct fake *f)
{
	const struct ocf_replica *r = &f->held.pub;
	uint8_t how = take8(b);
	uint32_t at = r->taken + (how & 1 ? take8(b) : 0);
	struct ocfabric_cqe e;

	take(b, &e, sizeof(e));
	if (how & 2)
		e.flags = (uint8_t)((e.flags & ~OCFABRIC_CQE_TAG_MASK) |
				    (((at >> r->cq_shift) + 1) & OCFABRIC_CQE_TAG_MASK));
	f->cq[at & ((1u << r->cq_shift) - 1)] = e;
}

static void poll(struct bytes *b, struct fake *f)
{
	struct ocf_replica *r = &f->held.pub;
	unsigned int max = take8(b) % 9, got;
	struct ocf_completion c[8];
	uint32_t before = r->taken;

	got = ocf_poll(r, c, max);
	MUST(got <= max && r->taken - before == got);
}

static void post(struct bytes *b, struct fake *f)
{
	struct ocf_replica *r = &f->held.pub;
	uint32_t room = ocf_room(r);
	uint8_t how = take8(b);
	int got;

	got = how & 1 ? ocf_post_write(r, take16(b), take64(b), take16(b), FAKE_KEY,
				       take16(b), how & 2 ? OCF_UNSIGNALED : 0) :
			ocf_post_recv(r, take8(b));
	if (how & 1)
		MUST(got < 0 ? ocf_room(r) == room : room && ocf_room(r) < room);
	if (how & 4)
		ocf_ring(r);
	if (how & 8)
		ocf_ring_recv(r);
}

static void words(struct bytes *b)
{
	char text[200];
	uint8_t v = take8(b);

	MUST(ocf_verdict_name(v) && ocf_verdict_text(v) && ocf_state_name(v) &&
	     ocf_cause_name(v));
	MUST(ocf_cause_text(v, take32(b), take32(b), text, sizeof(text)) == text);
	MUST(memchr(text, 0, sizeof(text)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = { data, size };
	struct fake *f = &fakes[0];
	uint8_t shape = take8(&b);

	words(&b);
	fake_start(4 + (shape & 1), 4 + (shape >> 1 & 1), 4 + (shape >> 2 & 1));
	while (b.left) {
		switch (take8(&b) % 6) {
		case 0:
		case 1:
			lie(&b, f);
			break;
		case 2:
			poll(&b, f);
			break;
		case 3:
			ocf_arm(&f->held.pub);
			break;
		default:
			post(&b, f);
			break;
		}
		check(&f->held.pub);
	}
	return 0;
}
