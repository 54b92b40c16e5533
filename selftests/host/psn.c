// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring of packet sequence numbers, against plain counting: two numbers n apart
 * are n apart wherever on the ring they are.
 */
#include "psn.h"
#include "tap.h"

#define RING	0x1000000u
#define HALF	0x800000u

static const uint32_t starts[] = {
	0, 1, 2, 0x123456, HALF - 1, HALF, HALF + 1, RING - 2, RING - 1,
};

static const uint32_t steps[] = {
	0, 1, 2, 127, 128, 0x10000, HALF - 2, HALF - 1, HALF, HALF + 1, RING - 1,
};

#define FOR_EACH(i, table) \
	for (size_t i = 0; i < sizeof(table) / sizeof((table)[0]); i++)

static void bounds(void)
{
	CHECK(ocf_psn_valid(0));
	CHECK(ocf_psn_valid(RING - 1));
	CHECK(!ocf_psn_valid(RING));
	CHECK(!ocf_psn_valid(UINT32_MAX));
}

static void add_and_sub_wrap(void)
{
	FOR_EACH(i, starts) {
		FOR_EACH(k, steps) {
			uint64_t plain = (uint64_t)starts[i] + steps[k];
			uint32_t sum = ocf_psn_add(starts[i], steps[k]);

			CHECK(sum == plain % RING, "%#x + %#x is %#x", starts[i],
			      steps[k], sum);
			CHECK(ocf_psn_sub(sum, steps[k]) == starts[i]);
			CHECK(ocf_psn_distance(starts[i], sum) == steps[k]);
		}
	}
	CHECK(ocf_psn_add(RING - 1, UINT32_MAX) == RING - 2);
	CHECK(ocf_psn_sub(0, 1) == RING - 1);
}

static void diff_goes_the_shorter_way(void)
{
	FOR_EACH(i, starts) {
		FOR_EACH(k, steps) {
			uint32_t a = ocf_psn_add(starts[i], steps[k]);
			int32_t want = steps[k] < HALF ? (int32_t)steps[k] :
					(int32_t)steps[k] - (int32_t)RING;

			CHECK(ocf_psn_diff(a, starts[i]) == want, "%#x - %#x: %d",
			      a, starts[i], ocf_psn_diff(a, starts[i]));
			CHECK(ocf_psn_before(a, starts[i]) == (want < 0));
			CHECK(ocf_psn_after(a, starts[i]) == (want > 0));
		}
	}
}

static void half_a_ring_is_behind(void)
{
	FOR_EACH(i, starts) {
		uint32_t other = ocf_psn_add(starts[i], HALF);

		CHECK(ocf_psn_before(other, starts[i]));
		CHECK(ocf_psn_before(starts[i], other));
		CHECK(!ocf_psn_after(other, starts[i]));
	}
}

static void ranges_wrap(void)
{
	FOR_EACH(i, starts) {
		CHECK(!ocf_psn_within(starts[i], starts[i], 0));
		CHECK(ocf_psn_within(starts[i], starts[i], 1));
		CHECK(!ocf_psn_within(ocf_psn_sub(starts[i], 1), starts[i], RING - 1));
		CHECK(ocf_psn_within(ocf_psn_sub(starts[i], 1), starts[i], RING));
		CHECK(ocf_psn_within(ocf_psn_add(starts[i], 127), starts[i], 128));
		CHECK(!ocf_psn_within(ocf_psn_add(starts[i], 128), starts[i], 128));
	}
}

static const struct tap_test tests[] = {
	{ "what is a number", bounds },
	{ "adding and subtracting wrap", add_and_sub_wrap },
	{ "a difference goes the shorter way", diff_goes_the_shorter_way },
	{ "half a ring away is behind", half_a_ring_is_behind },
	{ "ranges wrap", ranges_wrap },
};

TAP_MAIN(tests)
