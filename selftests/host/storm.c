// SPDX-License-Identifier: GPL-2.0-only
/*
 * The limit of interrupts in a millisecond: it holds, whatever the settings of the
 * moderation and however completions come; what is over is told in a later one.
 */
#include "machine.h"
#include "moderation.h"
#include "tap.h"

#define MHZ	250u
#define MS	(1000ull * MHZ)		/* cycles */

static uint32_t state = 99;

static uint32_t rnd(void)
{
	state = state * 1664525 + 1013904223;
	return state >> 8;
}

static enum ocf_moderate look(struct ocf_moderation *m, uint32_t limit,
			      uint64_t now, uint64_t *due)
{
	*due = 0;
	return ocf_moderation_look(m, MHZ, limit, now, due);
}

/* Settings that never moderate: each completion wants its interrupt at once. */
static void eager(struct ocf_moderation *m)
{
	ocf_moderation_reset(m);
	CHECK(ocf_moderation_set(m, 1) && ocf_moderation_set_timer(m, 0));
}

static void limit(void)
{
	struct ocf_moderation m;
	unsigned int i;
	uint64_t due;

	eager(&m);
	for (i = 0; i < 3; i++) {
		ocf_moderation_add(&m, 1, 5 * MS + i);
		CHECK(look(&m, 3, 5 * MS + i, &due) == OCF_MODERATE_NOW);
		ocf_moderation_raised(&m, 5 * MS + i);
	}
	CHECK(!m.delayed);
	for (; i < 9; i++) {
		ocf_moderation_add(&m, 1, 5 * MS + i);
		CHECK(look(&m, 3, 5 * MS + i, &due) == OCF_MODERATE_LATER);
		CHECK(due == 6 * MS, "due %u", (unsigned int)due);
	}
	CHECK(m.delayed == 1, "all of them wait for one interrupt");
	CHECK(look(&m, 3, 6 * MS - 1, &due) == OCF_MODERATE_LATER);
	CHECK(look(&m, 3, 6 * MS, &due) == OCF_MODERATE_NOW);
	ocf_moderation_raised(&m, 6 * MS);
	CHECK(look(&m, 3, 6 * MS, &due) == OCF_MODERATE_NOTHING);
	for (i = 0; i < 2; i++) {
		ocf_moderation_add(&m, 1, 6 * MS + 9);
		CHECK(look(&m, 3, 6 * MS + 9, &due) == OCF_MODERATE_NOW);
		ocf_moderation_raised(&m, 6 * MS + 9);
	}
	ocf_moderation_add(&m, 1, 6 * MS + 10);
	CHECK(look(&m, 3, 6 * MS + 10, &due) == OCF_MODERATE_LATER,
	      "the one that was put off counts in the next");
	CHECK(m.delayed == 2);
	CHECK(look(&m, 4, 6 * MS + 10, &due) == OCF_MODERATE_NOW, "a higher limit");
	CHECK(look(&m, 0, 6 * MS + 10, &due) == OCF_MODERATE_NOW, "none");
}

/* What nobody wants any more is no interrupt that waits. */
static void dropped(void)
{
	struct ocf_moderation m;
	uint64_t due;

	eager(&m);
	ocf_moderation_add(&m, 1, 0);
	CHECK(look(&m, 1, 0, &due) == OCF_MODERATE_NOW);
	ocf_moderation_raised(&m, 0);
	ocf_moderation_add(&m, 1, 1);
	CHECK(look(&m, 1, 1, &due) == OCF_MODERATE_LATER);
	ocf_moderation_drop(&m);
	CHECK(look(&m, 1, MS, &due) == OCF_MODERATE_NOTHING && !m.put_off);
	/* a queue that is enabled anew does not begin a new millisecond */
	ocf_moderation_restart(&m);
	ocf_moderation_add(&m, 1, 2);
	CHECK(look(&m, 1, 2, &due) == OCF_MODERATE_LATER && m.delayed == 2);
}

/* Threads whose clocks are a bit apart, and a state from anywhere. */
static void clocks(void)
{
	struct ocf_moderation m;
	uint64_t due;

	eager(&m);
	ocf_moderation_add(&m, 1, 3 * MS);
	CHECK(look(&m, 1, 3 * MS, &due) == OCF_MODERATE_NOW);
	ocf_moderation_raised(&m, 3 * MS);
	ocf_moderation_add(&m, 1, 3 * MS - 1);
	CHECK(look(&m, 1, 3 * MS - 1, &due) == OCF_MODERATE_LATER);
	CHECK(due == 4 * MS, "it counts in the latest");
	m.ms = ~0ull;
	m.in_ms = ~0u;
	CHECK(look(&m, 1, 3 * MS, &due) == OCF_MODERATE_NOW);
}

/* Now and then a completion; looked at when one comes and when it was due. */
static void one_run(uint32_t max, uint32_t gap)
{
	uint64_t now = rnd(), due = 0, ms = 0, arrival = 0;
	uint32_t in_ms = 0, raised = 0, came = 0;
	struct ocf_moderation m;
	unsigned int i;

	ocf_moderation_reset(&m);
	ocf_moderation_set(&m, (1 + rnd() % 8) |
			       (rnd() & 1 ? OCFABRIC_MODERATION_COUNT : 0));
	ocf_moderation_set_timer(&m, rnd() % 3 * 10000);
	for (i = 0; i < 2000 || m.untold; i++) {
		now = due && (i >= 2000 || due < arrival) ? due : arrival;
		if (now == arrival && i < 2000) {
			ocf_moderation_add(&m, 1, now);
			arrival = now + 1 + rnd() % gap;
			came++;
		}
		switch (look(&m, max, now, &due)) {
		case OCF_MODERATE_NOW:
			in_ms = now / MS == ms ? in_ms + 1 : 1;
			ms = now / MS;
			raised++;
			CHECK(!max || in_ms <= max, "%u in a ms", in_ms);
			ocf_moderation_raised(&m, now);
			break;
		case OCF_MODERATE_LATER:
			CHECK(due > now && due - now <= MS, "a wait that ends");
			break;
		default:
			CHECK(!m.untold);
			break;
		}
		if (tap_failures)
			return;
	}
	CHECK(raised && raised <= came);
	CHECK(max || !m.delayed);
}

static void random_arrivals(void)
{
	unsigned int i;

	for (i = 0; i < 400 && !tap_failures; i++)
		one_run(i % 7 * (i % 5), 1 + rnd() % (uint32_t)(MS / 4));
}

/* Through a queue: completions, the timer, the owner's arm index. */
static void of_a_queue(void)
{
	static const struct ocfabric_desc nop;
	struct machine *m = machine_new(true, 0);
	struct ocf_inbox *b = &m->inbox[0];
	unsigned int i;

	m->host.storm_limit = 3;
	machine_enable(m, 0, 5);
	eager(&b->moderation);
	machine_own(m, 0, offsetof(struct ocfabric_owner, arm), 0);
	m->clock = 7 * MS + 100;
	for (i = 0; i < 8; i++)
		machine_do(m, 0, nop);
	CHECK(b->interrupts == 3 && b->moderation.delayed == 1);
	CHECK(m->wait[0] == 8 * MS, "waits for %u", (unsigned int)m->wait[0]);
	m->clock = m->wait[0];
	machine_run(m, 0);
	CHECK(b->interrupts == 4, "it comes");
	for (i = 0; i < 3; i++)
		machine_do(m, 0, nop);
	CHECK(b->interrupts == 6 && b->moderation.delayed == 2);
	machine_own(m, 0, offsetof(struct ocfabric_owner, arm), 0x7fffffff);
	m->clock = 9 * MS;
	machine_run(m, 0);
	CHECK(b->interrupts == 6 && !b->moderation.put_off,
	      "the owner has seen everything meanwhile");
	CHECK(machine_valid(m));
	machine_free(m);
}

static const struct tap_test tests[] = {
	{ "so many in a millisecond", limit },
	{ "one that is not wanted any more", dropped },
	{ "clocks that are apart", clocks },
	{ "random arrivals", random_arrivals },
	{ "a queue's interrupts", of_a_queue },
};

TAP_MAIN(tests)
