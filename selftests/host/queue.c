// SPDX-License-Identifier: GPL-2.0-only
/* Queues of the model: honest traffic, mapped or not, in pieces, moved over. */
#include "machine.h"
#include "tap.h"

static uint32_t state = 1;

static uint32_t rnd(void)
{
	state = state * 1664525 + 1013904223;
	return state >> 8;
}

static void fill_sources(struct machine *m)
{
	unsigned int q, i;

	for (q = 0; q < QUEUES; q++)
		for (i = 0; i < SOURCE_BYTES; i++)
			m->memory[SOURCE_AT(q) + i] = (uint8_t)rnd();
}

/* Ranges of odd sizes, all of the source, in an order of their own. */
static void add_odd_key(struct machine *m, unsigned int q, uint32_t key)
{
	struct ocfabric_hw_range r[64] = { 0 };
	uint32_t at = SOURCE_BYTES, n = 0, len;

	while (at && n < 63) {
		len = 1 + rnd() % 1500;
		if (len > at)
			len = at;
		at -= len;
		r[n++] = (struct ocfabric_hw_range){ DMA_BASE + SOURCE_AT(q) + at,
						     len };
	}
	memcpy(m->memory + LIST_AT(q), r, sizeof(r));
	CHECK(ocf_key_add(&m->queue[q].keys, &m->host, key, 0x1000,
			  DMA_BASE + LIST_AT(q), n) == OCFABRIC_RESULT_OK);
}

static struct machine *start(bool mapped, uint32_t latency)
{
	struct machine *m = machine_new(mapped, latency);
	unsigned int q;

	fill_sources(m);
	for (q = 0; q < QUEUES; q++) {
		machine_enable(m, q, 6);
		machine_key(m, q, 1);
		add_odd_key(m, q, 2);
	}
	return m;
}

static struct ocfabric_desc a_write(void)
{
	uint32_t kind = rnd() % 6, len = rnd() % 5 ? rnd() % 300 : rnd() % 9000;
	struct ocfabric_desc d = machine_write(rnd() % 0x4000 * 4, len,
					       rnd() % 8000, 1);

	if (kind == 0) {
		d.key = OCFABRIC_KEY_REGION;
	} else if (kind == 1) {
		d.key = 2;
		d.addr += 0x1000;
	} else if (kind == 2) {
		d.len = rnd() % 33;
		d.flags = OCFABRIC_DESC_INLINE;
		memset(d.data, (int)rnd(), sizeof(d.data));
	}
	if (!(rnd() % 8))
		d.beats = rnd() % 20;
	if (!(rnd() % 3))
		d.flags |= OCFABRIC_DESC_UNSIGNALED;
	return d;
}

static bool same(struct machine *a, struct machine *b)
{
	return !memcmp(a->t->hbm_memory, b->t->hbm_memory, MACHINE_HBM) &&
	       !memcmp(a->memory, b->memory, MEMORY_SIZE) &&
	       !memcmp(a->t->card.link[0].counters.c, b->t->card.link[0].counters.c,
		       sizeof(a->t->card.link[0].counters.c));
}

static void both_post(struct machine *a, struct machine *b, unsigned int n)
{
	unsigned int i, q;

	for (q = 0; q < QUEUES; q++) {
		for (i = 0; i < n; i++) {
			struct ocfabric_desc d = a_write();

			machine_post(a, q, d);
			machine_post(b, q, d);
		}
		ocf_queue_ring(&a->queue[q], n);
		ocf_queue_ring(&b->queue[q], n);
	}
}

static void both_take(struct machine *a, struct machine *b)
{
	struct ocfabric_cqe x, y;
	unsigned int q;

	for (q = 0; q < QUEUES; q++) {
		while (machine_take(a, q, &x)) {
			CHECK(machine_take(b, q, &y), "a completion is missing");
			CHECK(!memcmp(&x, &y, sizeof(x)), "index %u", x.index);
		}
		CHECK(!machine_take(b, q, &y), "a completion too many");
	}
}

static void mapped_or_not(void)
{
	struct machine *a, *b;
	unsigned int lap, q;

	state = 1;
	a = start(true, 0);
	state = 1;
	b = start(false, 0);
	CHECK(same(a, b));
	for (lap = 0; lap < 200; lap++) {
		both_post(a, b, 1 + rnd() % 64);
		for (q = 0; q < QUEUES; q++) {
			CHECK(machine_run(a, q) == OCF_NEXT_RING);
			CHECK(machine_run(b, q) == OCF_NEXT_RING);
		}
		CHECK(same(a, b), "lap %u", lap);
		both_take(a, b);
	}
	CHECK(a->stored && !b->stored);
	CHECK(ocf_counters_add_up(&a->t->card.link[0].counters));
	CHECK(ocf_link_adds_up(&a->t->card.link[0]));
	machine_free(a);
	machine_free(b);
}

/* In small pieces, interrupted anywhere, the same comes out. */
static void small_budgets(void)
{
	struct machine *a, *b;
	unsigned int lap, q;

	state = 2;
	a = start(true, 0);
	state = 2;
	b = start(true, 0);
	for (lap = 0; lap < 200; lap++) {
		both_post(a, b, 1 + rnd() % 20);
		for (q = 0; q < QUEUES; q++) {
			enum ocf_next next;

			machine_run(a, q);
			do {
				struct ocf_budget bud = { rnd() % 3,
							  1 + rnd() % 700 };

				next = ocf_queue_run(&b->queue[q], &bud);
				CHECK(machine_valid(b));
			} while (next == OCF_NEXT_RUN);
		}
		CHECK(same(a, b), "lap %u", lap);
		both_take(a, b);
	}
	machine_free(a);
	machine_free(b);
}

/* What a migration keeps of queues and links goes to another machine. */
static void move_over(struct machine *from, struct machine *to)
{
	unsigned int q;

	memcpy(to->memory, from->memory, MEMORY_SIZE);
	memcpy(to->t->hbm_memory, from->t->hbm_memory, MACHINE_HBM);
	memcpy(to->t->card.link, from->t->card.link, sizeof(to->t->card.link));
	to->clock = from->clock;
	for (q = 0; q < QUEUES; q++) {
		struct ocf_queue *x = &to->queue[q];
		struct ocf_inbox *b = &to->inbox[q];

		memcpy(to->range[q], from->range[q], sizeof(to->range[q]));
		*x = from->queue[q];
		x->card = &to->t->card;
		x->host = &to->host;
		x->keys.range = to->range[q];
		x->inbox = to->inbox;
		memset(x->bounce, 0xee, sizeof(x->bounce));
		*b = from->inbox[q];
		b->host = &to->host;
		/* these are made anew */
		b->held = b->rx_held = 0xeeee;
		b->open = b->takes = b->waiting = q;
		to->posted[q] = from->posted[q];
		to->taken[q] = from->taken[q];
		to->armed[q] = from->armed[q];
	}
	{
		struct ocf_queue *queue[QUEUES] = { &to->queue[0], &to->queue[1] };

		CHECK(ocf_queues_valid(queue, QUEUES));
	}
	for (q = 0; q < QUEUES; q++)
		ocf_queue_map(&to->queue[q]);
}

static void moved_over(void)
{
	struct machine *a, *b, *c;
	unsigned int lap, q;

	state = 3;
	a = start(true, 10);
	state = 3;
	b = start(true, 10);
	c = machine_new(false, 10);
	for (lap = 0; lap < 300; lap++) {
		both_post(a, b, 1 + rnd() % 8);
		for (q = 0; q < QUEUES; q++) {
			while (machine_run(a, q) == OCF_NEXT_TIME)
				a->clock = a->queue[q].due;
			for (;;) {
				struct ocf_budget bud = { 1, 1 + rnd() % 2000 };
				enum ocf_next next =
					ocf_queue_run(&b->queue[q], &bud);

				if (next == OCF_NEXT_RING)
					break;
				if (next == OCF_NEXT_TIME)
					b->clock = b->queue[q].due;
				if (!(rnd() % 4)) {
					struct machine *swap = b;

					move_over(b, c);
					memset(b->t->hbm_memory, 0, MACHINE_HBM);
					b = c;
					c = swap;
				}
			}
		}
		CHECK(same(a, b), "lap %u", lap);
		both_take(a, b);
	}
	machine_free(a);
	machine_free(b);
	machine_free(c);
}

/* Counts go around 2^32 without anybody noticing. */
static void counts_wrap(void)
{
	struct machine *m = start(true, 0);
	struct ocf_queue *q = &m->queue[0];
	struct ocf_inbox *b = &m->inbox[0];
	struct ocfabric_cqe e;
	unsigned int i;

	q->head = q->tail = q->batch = m->posted[0] = 0xffffff80;
	b->produced = b->consumed = b->announced = m->taken[0] = 0xffffffc0;
	machine_own(m, 0, 0, b->produced);
	for (i = 0; i < 300; i++) {
		machine_post(m, 0, machine_write(0, 64, 0, 1));
		ocf_queue_ring(q, 1);
		CHECK(machine_run(m, 0) == OCF_NEXT_RING);
		CHECK(machine_take(m, 0, &e) && e.index == (0x80 + i) % 64,
		      "completion %u: state %u cause %u", i, q->state, q->cause);
	}
	machine_free(m);
}

static void arm_index(void)
{
	struct machine *m = start(true, 0);
	struct ocf_queue *q = &m->queue[0];
	static const uint32_t arm[] = { 0, 3, 4, 63, 64, 0x80000000, ~0u };
	unsigned int i, k;

	ocf_moderation_set_timer(&m->inbox[0].moderation, 0);
	for (i = 0; i < sizeof(arm) / sizeof(*arm); i++) {
		uint32_t first = m->inbox[0].produced, last = first + 4;
		uint32_t a = first + arm[i];
		struct ocfabric_cqe e;

		machine_own(m, 0, 4, a);
		for (k = 0; k < 5; k++)
			machine_post(m, 0, machine_write(0, 64, 0, 1));
		m->told[0] = 0;
		ocf_queue_ring(q, 5);
		machine_run(m, 0);
		CHECK(!!(m->told[0] & OCF_TELL_INTERRUPT) ==
		      ((int32_t)(last - a) >= 0), "arm at +0x%x", arm[i]);
		while (machine_take(m, 0, &e))
			;
	}
	machine_free(m);
}

static const struct tap_test tests[] = {
	{ "rings and sources, mapped or not", mapped_or_not },
	{ "small budgets", small_budgets },
	{ "moved over in the middle of writes", moved_over },
	{ "counts wrap around", counts_wrap },
	{ "arm index of a batch", arm_index },
};

TAP_MAIN(tests)
