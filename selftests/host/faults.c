// SPDX-License-Identifier: GPL-2.0-only
/* The table of injected faults against a plain list, and its edges. */
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "tap.h"

#define LINES	40u

static struct ocf_fault slots[32];
static struct ocf_faults faults;

static void start(uint32_t max)
{
	memset(slots, 0, sizeof(slots));
	faults.slot = slots;
	faults.max = max;
	faults.count = 0;
}

static uint64_t address(unsigned int i)
{
	/* some at the ends of the address space, some near each other */
	return i % 5 ? i * 64 : 0ULL - (i + 1) * 64;
}

static void like_a_list(void)
{
	struct ocf_fault list[LINES] = { 0 };
	unsigned int turn, i, k, held = 0;
	const struct ocf_fault *f;

	start(32);
	srand(1);
	for (turn = 0; turn < 20000; turn++) {
		bool done = true, was_free;

		i = (unsigned int)rand() % LINES;
		was_free = !list[i].resp && !list[i].delay;
		switch (rand() % 4) {
		case 0:
			k = (unsigned int)rand() % 3;
			done = ocf_fault_set_resp(&faults, address(i) + 63,
						  (enum ocf_resp)k);
			if (done)
				list[i].resp = (uint8_t)k;
			break;
		case 1:
			k = (unsigned int)rand() % 3;
			done = ocf_fault_set_delay(&faults, address(i) + 1, k);
			if (done)
				list[i].delay = k;
			break;
		default:
			ocf_fault_clear(&faults, address(i));
			list[i].resp = OCF_OKAY;
			list[i].delay = 0;
			break;
		}
		if (!done)
			CHECK(was_free && held == 31, "full with %u", held);
		for (i = held = 0; i < LINES; i++) {
			f = ocf_fault_find(&faults, address(i) + 5);
			CHECK((f ? f->resp : 0) == list[i].resp);
			CHECK((f ? f->delay : 0) == list[i].delay);
			held += list[i].resp || list[i].delay;
		}
		CHECK(faults.count == held);
	}
}

static void full(void)
{
	start(4);
	CHECK(ocf_fault_set_resp(&faults, 0, OCF_SLVERR));
	CHECK(ocf_fault_set_resp(&faults, 64, OCF_SLVERR));
	CHECK(ocf_fault_set_delay(&faults, 128, 1));
	CHECK(!ocf_fault_set_delay(&faults, 192, 1), "one slot is kept free");
	CHECK(ocf_fault_set_delay(&faults, 191, 0), "that clears line 128");
	CHECK(ocf_fault_set_delay(&faults, 192, 1));
	CHECK(!ocf_fault_find(&faults, 4096), "a full table has an end");
	CHECK(ocf_fault_set_resp(&faults, 0, OCF_DECERR), "one that is there");
	CHECK(ocf_fault_find(&faults, 63)->resp == OCF_DECERR);
	ocf_fault_clear_all(&faults);
	CHECK(!faults.count && !ocf_fault_find(&faults, 0));
}

static void error_and_delay_are_separate(void)
{
	start(4);
	ocf_fault_set_resp(&faults, 64, OCF_SLVERR);
	ocf_fault_set_delay(&faults, 64, 9);
	CHECK(ocf_fault_find(&faults, 64)->resp == OCF_SLVERR);
	CHECK(ocf_fault_find(&faults, 64)->delay == 9);
	ocf_fault_set_resp(&faults, 64, OCF_DECERR);
	CHECK(ocf_fault_find(&faults, 64)->delay == 9);
	ocf_fault_set_resp(&faults, 64, OCF_OKAY);
	CHECK(ocf_fault_find(&faults, 64)->delay == 9);
	ocf_fault_set_delay(&faults, 64, 0);
	CHECK(!ocf_fault_find(&faults, 64) && !faults.count);
}

static const struct tap_test tests[] = {
	{ "like a list, in 20000 changes", like_a_list },
	{ "a full table", full },
	{ "error and delay are separate", error_and_delay_are_separate },
};

TAP_MAIN(tests)
