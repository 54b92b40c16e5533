// SPDX-License-Identifier: GPL-2.0-only
/*
 * THEORY OF OPERATION: the inline half of libocfabric, on rings in plain
 * memory, against a device that is played here by the rules of
 * linux/ocfabric_hw.h: it takes what the doorbell announced, checks tags, and
 * stops for good when the completion ring looks full.
 */
#include <string.h>

#include <ocfabric.h>

#include "tap.h"

#define SHIFT		4
#define ENTRIES		(1u << SHIFT)

static struct {
	struct ocfabric_desc tx[ENTRIES];
	struct ocfabric_cqe cq[2 * ENTRIES];
	struct ocfabric_owner owner;
	uint32_t doorbell;
	struct ocf_replica r;

	/* the device */
	uint32_t head;
	uint32_t produced;
	uint32_t cq_shift;
	bool stale;
	bool full;
	struct ocfabric_desc last;
} s;

static void start(uint32_t cq_shift)
{
	memset(&s, 0, sizeof(s));
	s.cq_shift = cq_shift;
	s.r.tx = s.tx;
	s.r.cq = s.cq;
	s.r.owner = &s.owner;
	s.r.doorbell = &s.doorbell;
	s.r.tx_shift = SHIFT;
	s.r.cq_shift = cq_shift;
	s.r.limit = ENTRIES < 1u << cq_shift ? ENTRIES : 1u << cq_shift;
	ocf_set_end_(&s.r);
}

static void complete(uint8_t status)
{
	uint32_t entries = 1u << s.cq_shift;
	struct ocfabric_cqe *cqe = &s.cq[s.produced & (entries - 1)];

	if (s.produced - s.owner.consumer >= entries) {
		s.full = true;
		return;
	}
	cqe->index = (uint16_t)(s.head & (ENTRIES - 1));
	cqe->bytes = s.last.len;
	cqe->clock = s.head;
	cqe->qpn = s.last.qpn;
	cqe->status = status;
	cqe->flags = ((s.produced >> s.cq_shift) + 1) & OCFABRIC_CQE_TAG_MASK;
	s.produced++;
}

/* Runs what was rung; 0 leaves the doorbell's memory as it is read. */
static void run(uint8_t status)
{
	for (; s.doorbell && !s.stale && !s.full; s.doorbell--, s.head++) {
		uint32_t tag = ((s.head >> SHIFT) + 1) & OCFABRIC_DESC_TAG_MASK;

		s.last = s.tx[s.head & (ENTRIES - 1)];
		s.stale = (s.last.flags & OCFABRIC_DESC_TAG_MASK) != tag;
		if (status || !(s.last.flags & OCFABRIC_DESC_UNSIGNALED))
			complete(status);
	}
}

static unsigned int poll_all(void)
{
	struct ocf_completion c[4];
	unsigned int n, sum = 0;

	while ((n = ocf_poll(&s.r, c, 4)))
		sum += n;
	return sum;
}

static void fields_of_a_write(void)
{
	const struct ocfabric_desc *d = &s.tx[1];

	start(SHIFT);
	memset(s.tx, 0xff, sizeof(s.tx));
	CHECK(ocf_post_write(&s.r, 1, 2, 3, 4, 5, 0) == 0);
	CHECK(ocf_post_beats(&s.r, 0xabcdef, 0x123456789abcdef4, 100, 7,
			     0x80000001, 0xfedcba9876543210, OCF_UNSIGNALED) == 1);
	CHECK(d->opcode == OCFABRIC_OP_WRITE);
	CHECK(d->flags == (1 | OCFABRIC_DESC_UNSIGNALED), "flags %#x", d->flags);
	CHECK(d->qpn == 0xabcdef);
	CHECK(d->raddr == 0x123456789abcdef4);
	CHECK(d->len == 100 && d->beats == 7);
	CHECK(d->addr == 0xfedcba9876543210 && d->key == 0x80000001);
	CHECK(!d->sem && !d->imm && !d->__reserved1);
	CHECK(!d->__reserved3[0] && !d->__reserved3[1] && !d->__reserved3[2] &&
	      !d->__reserved3[3] && !d->__reserved3[4]);
	CHECK(s.doorbell == 0, "rung before ocf_ring()");
	ocf_ring(&s.r);
	CHECK(s.doorbell == 2);
	s.doorbell = 0;
	ocf_ring(&s.r);
	CHECK(s.doorbell == 0, "an empty ring rang");
}

static void fields_of_an_inline_write(void)
{
	const struct ocfabric_desc *d = &s.tx[0];
	uint8_t data[OCFABRIC_INLINE_MAX + 1];
	uint32_t i, len;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i + 1);
	for (len = 0; len <= OCFABRIC_INLINE_MAX; len++) {
		start(SHIFT);
		CHECK(ocf_post_inline(&s.r, 9, 64, len, data, 0) == 0);
		CHECK(d->flags == (1 | OCFABRIC_DESC_INLINE));
		CHECK(d->len == len && !memcmp(d->data, data, len), "len %u", len);
	}
	start(SHIFT);
	CHECK(ocf_post_inline(&s.r, 9, 64, len, data, 0) == -EMSGSIZE);
	CHECK(s.r.posted == 0);
}

static void own_region_key(void)
{
	start(SHIFT);
	CHECK(ocf_post_region(&s.r, 9, 64, 8, 0x40, 0) == 0);
	CHECK(s.tx[0].key == OCFABRIC_KEY_REGION && s.tx[0].addr == 0x40);
}

static void full_ring_refuses(void)
{
	uint32_t i;

	start(SHIFT);
	for (i = 0; i < ENTRIES; i++)
		CHECK(ocf_post_write(&s.r, 0, 0, 4, 0, 0, 0) == (int)i);
	CHECK(ocf_room(&s.r) == 0);
	CHECK(ocf_post_write(&s.r, 0, 0, 4, 0, 0, 0) == -EAGAIN);
	CHECK(ocf_post_inline(&s.r, 0, 0, 4, "abc", 0) == -EAGAIN);
	ocf_ring(&s.r);
	run(0);
	CHECK(poll_all() == ENTRIES);
	CHECK(ocf_room(&s.r) == ENTRIES);
}

/* Every lap has its tag, and the last of many laps is as good as the first. */
static void many_laps(void)
{
	struct ocf_completion c;
	uint32_t i;

	start(SHIFT);
	for (i = 0; i < 100 * ENTRIES; i++) {
		CHECK(ocf_post_write(&s.r, i, 0, i, 0, 0, 0) ==
		      (int)(i & (ENTRIES - 1)));
		CHECK(!ocf_ready(&s.r), "ready before write %u ran", i);
		ocf_ring(&s.r);
		run(0);
		CHECK(ocf_ready(&s.r));
		CHECK(ocf_poll(&s.r, &c, 1) == 1);
		CHECK(c.qpn == (i & 0xffffffff) && c.bytes == i && c.clock == i);
	}
	CHECK(!s.stale && !s.full);
}

/* However posting and polling interleave, the card never sees a full ring. */
static void never_looks_full(void)
{
	uint32_t seed = 1, i, j, shift;

	for (shift = SHIFT; shift <= SHIFT + 1; shift++) {
		start(shift);
		for (i = 0; i < 20000; i++) {
			struct ocf_completion c[ENTRIES];
			uint32_t n;

			seed = seed * 1664525 + 1013904223;
			n = seed >> 27;
			for (j = 0; j < n; j++)
				ocf_post_write(&s.r, 0, 0, 4, 0, 0, 0);
			ocf_ring(&s.r);
			run(0);
			ocf_poll(&s.r, c, seed >> 13 & (ENTRIES - 1));
		}
		CHECK(!s.stale && !s.full, "shift %u", shift);
		CHECK(s.produced > 20000);
	}
}

static void unsignaled_never_starves(void)
{
	uint32_t i, posted = 0;

	start(SHIFT);
	for (i = 0; i < 1000; i++) {
		if (ocf_post_write(&s.r, 0, 0, 4, 0, 0, OCF_UNSIGNALED) >= 0)
			posted++;
		ocf_ring(&s.r);
		run(0);
		poll_all();
	}
	CHECK(posted == 1000, "%u", posted);
	CHECK(s.produced == 2000 / ENTRIES, "%u completions", s.produced);
}

/* A completion frees all before it, failed ones come though unsignaled. */
static void one_completion_for_many(void)
{
	struct ocf_completion c;

	start(SHIFT);
	ocf_post_write(&s.r, 0, 0, 4, 0, 0, OCF_UNSIGNALED);
	ocf_post_write(&s.r, 0, 0, 4, 0, 0, OCF_UNSIGNALED);
	ocf_post_write(&s.r, 0, 0, 4, 0, 0, 0);
	ocf_ring(&s.r);
	run(0);
	CHECK(ocf_poll(&s.r, &c, 1) == 1 && c.index == 2);
	CHECK(ocf_room(&s.r) == ENTRIES);
	ocf_post_write(&s.r, 0, 0, 4, 0, 0, OCF_UNSIGNALED);
	ocf_ring(&s.r);
	run(OCFABRIC_VERDICT_UNAUTHORIZED);
	CHECK(ocf_poll(&s.r, &c, 1) == 1 && c.index == 3);
	CHECK(c.status == OCFABRIC_VERDICT_UNAUTHORIZED);
}

/* A card that completes what was never posted must not make room. */
static void completions_from_nowhere(void)
{
	struct ocf_completion c;

	start(SHIFT);
	s.head = 5;
	complete(0);
	CHECK(ocf_poll(&s.r, &c, 1) == 1);
	CHECK(ocf_room(&s.r) == ENTRIES, "room %u", ocf_room(&s.r));
}

/* What the card asks before it interrupts for the completion `number` */
static bool would_interrupt(uint32_t number)
{
	return (int32_t)(number - s.owner.arm) >= 0;
}

static void arming(void)
{
	start(SHIFT);
	ocf_arm(&s.r);
	CHECK(s.owner.arm == 0);
	poll_all();
	CHECK(would_interrupt(0), "a poll that takes nothing disarms");
	ocf_post_write(&s.r, 0, 0, 4, 0, 0, 0);
	ocf_ring(&s.r);
	run(0);
	poll_all();
	CHECK(!would_interrupt(1), "still armed: %u", s.owner.arm);
	ocf_arm(&s.r);
	CHECK(s.owner.arm == 1);
	CHECK(s.owner.consumer == 1, "the handle stays readable");
	CHECK(!would_interrupt(0) && would_interrupt(1), "%u", s.owner.arm);
}

/* The index is kept ahead, however many completions come. */
static void stays_disarmed(void)
{
	start(SHIFT);
	s.r.taken = 0x7ffffff0;
	ocf_publish(&s.r);
	CHECK(!would_interrupt(s.r.taken));
	CHECK(!would_interrupt(s.r.taken + ENTRIES));
}

static const struct tap_test tests[] = {
	{ "fields of a write", fields_of_a_write },
	{ "fields of an inline write", fields_of_an_inline_write },
	{ "the own region's key", own_region_key },
	{ "a full ring refuses", full_ring_refuses },
	{ "many laps", many_laps },
	{ "the completion ring never looks full", never_looks_full },
	{ "unsignaled writes never starve", unsignaled_never_starves },
	{ "one completion for many", one_completion_for_many },
	{ "completions from nowhere make no room", completions_from_nowhere },
	{ "arming", arming },
	{ "stays disarmed", stays_disarmed },
};

TAP_MAIN(tests)
