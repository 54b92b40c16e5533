// SPDX-License-Identifier: GPL-2.0-only
/*
 * THEORY OF OPERATION: requester and responder over a wire that loses, duplicates,
 * delays and so reorders packets and answers, by a seed. Time is simulated. What a
 * packet carries is made of its number, counted from the start and never wrapping,
 * so the receiver knows whether it got the right one: whatever the wire does, each
 * is delivered once and in order, and acknowledged once and in order.
 *
 * The receiver's NAKs are counted here a second time: at most one a gap, no more in
 * a time than the limit. A wire that carries nothing, and peers that say anything
 * at all, are at the end.
 */
#include <string.h>

#include "psn.h"
#include "requester.h"
#include "responder.h"
#include "tap.h"

#define KEPT		4096u		/* packets that the sender keeps */
#define BACKLOG		2048u		/* posted and not acknowledged */
#define ON_THE_WAY	8192u
#define STEPS_A_PACKET	4000ull		/* far more than any run needs */

#define PATIENCE	6u		/* 262 us: longer than the way and back */
#define US		1000ull
#define PACKET		100u		/* ns that one keeps the wire */
#define QUEUE		(128 * PACKET)	/* what waits for the wire at most */

/* One run: rates are of 1000. */
struct wire {
	const char *name;
	unsigned int loss, dup, no_room;
	unsigned int jitter;		/* ns */
	uint16_t window;
	uint32_t depth, nak_limit;
	uint64_t hold;
	uint32_t start;			/* PSN */
	uint32_t count;
	bool fresh;			/* the receiver is not told the PSN */
	uint64_t seed;
};

struct item {
	uint64_t at, order;
	uint64_t payload;
	struct ocf_answer answer;
	uint32_t psn;
	bool to_sender;
	bool ask;
};

struct way {
	uint64_t free_at;
};

static struct {
	const struct wire *wire;
	struct ocf_requester q;
	struct ocf_responder p;
	struct ocf_slot slot[OCF_DEPTH_MAX];
	uint64_t rng;
	uint64_t now, order;

	struct item heap[ON_THE_WAY];
	unsigned int items;
	struct way out, back;
	bool full;		/* the sender waits for room on the wire */

	/* the sender's packets */
	uint64_t payload[KEPT];
	uint32_t made;
	uint32_t acked;

	/* the receiver */
	uint32_t delivered;
	uint64_t gap_seen;	/* delivered + 1 as of the last gap */
	uint64_t gaps;
	uint64_t nak_seen;	/* the same of the last sequence NAK */
	uint64_t naks, rnrs;
	uint64_t nak_at[16];	/* a ring of the last ones' times */

	uint64_t failures;	/* SQE, and resumed */
	uint64_t lost, doubled;
} l;

static struct {
	uint64_t delivered, sent, lost, doubled, naks, gaps, timeouts, rnrs, held;
	uint64_t failures, silenced;
} sum;

static uint64_t rnd(void)
{
	l.rng ^= l.rng << 13;
	l.rng ^= l.rng >> 7;
	l.rng ^= l.rng << 17;
	return l.rng;
}

static bool chance(unsigned int of_1000)
{
	return rnd() % 1000 < of_1000;
}

static uint64_t payload_of(uint64_t n)
{
	n = (n + l.wire->seed + 1) * 0x9e3779b97f4a7c15ull;
	return n ^ n >> 29;
}

/* ---- the wire -------------------------------------------------------------- */

static bool sooner(const struct item *a, const struct item *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void push(struct item item)
{
	unsigned int i = l.items, up;

	CHECK(l.items < ON_THE_WAY);
	if (l.items >= ON_THE_WAY)
		return;
	l.items++;
	for (; i; i = up) {
		up = (i - 1) / 2;
		if (!sooner(&item, &l.heap[up]))
			break;
		l.heap[i] = l.heap[up];
	}
	l.heap[i] = item;
}

static struct item pop(void)
{
	struct item top = l.heap[0], last = l.heap[--l.items];
	unsigned int i = 0, down;

	for (;; i = down) {
		down = 2 * i + 1;
		if (down >= l.items)
			break;
		if (down + 1 < l.items && sooner(&l.heap[down + 1], &l.heap[down]))
			down++;
		if (!sooner(&l.heap[down], &last))
			break;
		l.heap[i] = l.heap[down];
	}
	l.heap[i] = last;
	return top;
}

static void carry(struct way *way, struct item item)
{
	unsigned int copies = 1;

	if (chance(l.wire->loss)) {
		copies = 0;
		l.lost++;
	} else if (chance(l.wire->dup)) {
		copies = 2;
		l.doubled++;
	}
	if (way->free_at < l.now)
		way->free_at = l.now;
	way->free_at += PACKET;
	while (copies--) {
		item.at = way->free_at + 5 * US;
		if (l.wire->jitter)
			item.at += rnd() % l.wire->jitter;
		item.order = l.order++;
		push(item);
	}
}

/* ---- the sender ------------------------------------------------------------ */

static bool send(void *opaque, uint32_t psn, unsigned int flags)
{
	struct item item = {
		.psn = psn,
		.payload = l.payload[psn % KEPT],
		.ask = flags & OCF_SEND_ACK,
	};

	(void)opaque;
	l.full = l.out.free_at > l.now + QUEUE;
	if (!l.full)
		carry(&l.out, item);
	return !l.full;
}

static void acked(void *opaque, uint32_t first, uint32_t n)
{
	(void)opaque;
	CHECK(first == ocf_psn_add(l.wire->start, l.acked));
	l.acked += n;
	CHECK(l.acked <= l.delivered, "acknowledged and not delivered");
}

static void moved(void *opaque, enum ocfabric_qp_state state,
		  enum ocfabric_qp_cause cause)
{
	(void)opaque;
	(void)cause;
	if (state != OCFABRIC_QP_SQE)
		return;
	/* somebody tries once more, with the same packets */
	l.failures++;
}

static const struct ocf_requester_ops sender = {
	.send = send, .acked = acked, .moved = moved,
};

static void fill(void)
{
	unsigned int n = 0;

	while (l.made + n < l.wire->count && l.made + n - l.acked < BACKLOG) {
		uint32_t psn = ocf_psn_add(l.wire->start, l.made + n);

		l.payload[psn % KEPT] = payload_of(l.made + n);
		n++;
	}
	if (n)
		CHECK(ocf_requester_post(&l.q, n));
	l.made += n;
}

/* ---- the receiver ---------------------------------------------------------- */

static enum ocf_taken deliver(void *opaque, uint32_t psn, uint64_t cookie)
{
	(void)opaque;
	if (chance(l.wire->no_room))
		return OCF_TAKEN_NO_ROOM;
	CHECK(cookie == payload_of(l.delivered), "packet %u", l.delivered);
	CHECK(psn == ocf_psn_add(l.wire->start, l.delivered));
	CHECK(l.delivered < l.wire->count);
	l.delivered++;
	return OCF_TAKEN;
}

static void drop(void *opaque, uint32_t psn, uint64_t cookie)
{
	(void)opaque;
	(void)psn;
	(void)cookie;
}

/* Any limit + 1 NAKs in a row do not fit twice into what the limit is for. */
static void judge_rate(void)
{
	uint32_t limit = l.wire->nak_limit;
	uint64_t n = l.naks + l.rnrs;
	uint64_t *then = &l.nak_at[n % (2 * limit)];

	if (n > 2 * limit)
		CHECK(l.now - *then >= OCF_NAK_PERIOD,
		      "%u NAKs in %llu ns", 2 * limit + 1,
		      (unsigned long long)(l.now - *then));
	*then = l.now;
}

static void answer(void *opaque, const struct ocf_answer *a)
{
	struct item item = { .to_sender = true, .answer = *a };

	(void)opaque;
	if (a->kind == OCF_NAK_SEQUENCE) {
		CHECK(l.nak_seen != l.delivered + 1ull, "a second NAK of a gap");
		l.nak_seen = l.delivered + 1ull;
		l.naks++;
	} else if (a->kind == OCF_NAK_RNR) {
		l.rnrs++;
	}
	if (a->kind != OCF_ACK && l.wire->nak_limit)
		judge_rate();
	carry(&l.back, item);
}

static const struct ocf_responder_ops receiver = {
	.deliver = deliver, .drop = drop, .answer = answer,
};

static void count_gap(uint32_t psn)
{
	uint32_t expected = ocf_psn_add(l.wire->start, l.delivered);

	if (ocf_psn_after(psn, expected) && l.gap_seen != l.delivered + 1ull) {
		l.gap_seen = l.delivered + 1ull;
		l.gaps++;
	}
}

/* ---- a run ----------------------------------------------------------------- */

static void setup(const struct wire *wire)
{
	struct ocf_requester_settings q = {
		.window = wire->window, .timeout = PATIENCE,
		.timeout_max = PATIENCE + 2, .retry_limit = OCF_RETRY_MAX,
		.rnr_limit = OCF_RNR_ENDLESS,
	};
	struct ocf_responder_settings p = {
		.depth = wire->depth, .nak_limit = wire->nak_limit,
		.hold = wire->hold, .rnr_timer = 1,
	};

	memset(&l, 0, sizeof(l));
	l.wire = wire;
	l.rng = wire->seed * 0x2545f4914f6cdd1dull + 88172645463325252ull;
	ocf_requester_init(&l.q, &sender, NULL);
	CHECK(ocf_responder_init(&l.p, &receiver, NULL, &p, l.slot));
	CHECK(ocf_requester_start(&l.q, &q, wire->start, wire->fresh));
	if (!wire->fresh)
		CHECK(ocf_responder_expect(&l.p, wire->start));
}

static void arrive(const struct item *item)
{
	if (item->to_sender) {
		ocf_requester_hear(&l.q, &item->answer);
		return;
	}
	/* a gap of a receiver that has yet to see the first is none */
	if (!l.p.fresh)
		count_gap(item->psn);
	ocf_responder_arrive(&l.p, item->psn, item->payload, item->ask, l.now);
}

/* One instant: all that arrives, then both ends. */
static uint64_t instant(void)
{
	uint64_t sends, receives;

	while (l.items && l.heap[0].at <= l.now) {
		struct item item = pop();

		arrive(&item);
	}
	fill();
	l.full = false;
	if (l.q.state == OCFABRIC_QP_SQE)
		ocf_requester_command(&l.q, OCF_COMMAND_RESUME);
	receives = ocf_responder_run(&l.p, l.now);
	sends = ocf_requester_run(&l.q, l.now);
	if (l.q.state == OCFABRIC_QP_SQE)
		return l.now;
	if (l.full)
		sends = l.out.free_at - QUEUE;
	return sends < receives ? sends : receives;
}

static bool done(void)
{
	return l.acked == l.wire->count;
}

static void run(const struct wire *wire)
{
	unsigned long long steps = 0, limit = STEPS_A_PACKET * wire->count;
	int before = tap_failures;

	setup(wire);
	while (!done() && steps++ < limit && tap_failures == before) {
		uint64_t next = instant();

		if (l.items && l.heap[0].at < next)
			next = l.heap[0].at;
		CHECK(next != OCF_NEVER || done(), "it hangs");
		l.now = next;
	}
	CHECK(done() && l.delivered == wire->count, "%u of %u, %u acknowledged",
	      l.delivered, wire->count, l.acked);
	CHECK(ocf_requester_valid(&l.q) && ocf_responder_valid(&l.p));
	CHECK(l.naks <= l.gaps, "%llu NAKs, %llu gaps", (unsigned long long)l.naks,
	      (unsigned long long)l.gaps);
	if (tap_failures != before)
		printf("# %s: loss %u, dup %u, jitter %u, window %u, depth %u, start %#x, seed %llu\n",
		       wire->name, wire->loss, wire->dup, wire->jitter,
		       wire->window, wire->depth, wire->start,
		       (unsigned long long)wire->seed);
	sum.delivered += l.delivered;
	sum.sent += l.q.counts.sent + l.q.counts.resent;
	sum.lost += l.lost;
	sum.doubled += l.doubled;
	sum.naks += l.naks;
	sum.gaps += l.gaps;
	sum.rnrs += l.rnrs;
	sum.timeouts += l.q.counts.timeouts;
	sum.held += l.p.counts.held;
	sum.silenced += l.p.counts.silenced;
	sum.failures += l.failures;
}

static void tell(void)
{
	printf("# %llu delivered, %llu sent, %llu lost, %llu doubled, %llu held, "
	       "%llu gaps, %llu NAKs, %llu kept back, %llu RNRs, %llu time-outs, "
	       "%llu given up and resumed\n",
	       (unsigned long long)sum.delivered, (unsigned long long)sum.sent,
	       (unsigned long long)sum.lost, (unsigned long long)sum.doubled,
	       (unsigned long long)sum.held, (unsigned long long)sum.gaps,
	       (unsigned long long)sum.naks, (unsigned long long)sum.silenced,
	       (unsigned long long)sum.rnrs, (unsigned long long)sum.timeouts,
	       (unsigned long long)sum.failures);
}

/* ---- wires ----------------------------------------------------------------- */

static const uint32_t starts[] = {
	0, 0xfffff0, 0x7ffff0, 0xffe000, 0x123456, 0xffffff,
};

static const uint16_t windows[] = { 1, 2, 16, 128, 1024 };
static const uint32_t depths[] = { 0, 1, 8, 64, 128 };

#define N(table) (sizeof(table) / sizeof((table)[0]))

/* All windows and depths over one wire. */
static void over(struct wire wire, uint32_t count)
{
	static uint64_t seed;

	memset(&sum, 0, sizeof(sum));
	for (size_t w = 0; w < N(windows); w++) {
		for (size_t d = 0; d < N(depths); d++) {
			wire.window = windows[w];
			wire.depth = depths[d];
			wire.start = starts[seed % N(starts)];
			wire.fresh = seed % 3 == 1;
			wire.seed = ++seed;
			wire.count = count;
			run(&wire);
		}
	}
	tell();
	CHECK(sum.delivered == (uint64_t)count * N(windows) * N(depths));
}

#define PER_RUN 8000u

static uint64_t all_delivered;

static void clean_wire(void)
{
	over((struct wire){ .name = "clean", .hold = 20 * US }, PER_RUN);
	CHECK(sum.sent == sum.delivered && !sum.naks && !sum.timeouts,
	      "nothing is sent twice where nothing is lost");
	all_delivered += sum.delivered;
}

static void losing_wire(void)
{
	over((struct wire){ .name = "1 % lost", .loss = 10, .hold = 20 * US },
	     PER_RUN);
	all_delivered += sum.delivered;
	CHECK(sum.lost && sum.naks && sum.timeouts);
}

static void wire_that_loses_much(void)
{
	over((struct wire){ .name = "20 % lost", .loss = 200, .hold = 20 * US },
	     PER_RUN / 2);
	all_delivered += sum.delivered;
}

static void doubling_wire(void)
{
	over((struct wire){ .name = "doubling", .dup = 300, .hold = 20 * US,
			    .jitter = 3000 }, PER_RUN);
	all_delivered += sum.delivered;
	CHECK(sum.doubled);
}

/* Nothing is lost: where the slots suffice there is no reason to send again. */
static void reordering_wire(void)
{
	over((struct wire){ .name = "reordering", .jitter = 2000, .hold = 20 * US },
	     PER_RUN);
	all_delivered += sum.delivered;
	CHECK(sum.held);
	memset(&sum, 0, sizeof(sum));
	run(&(struct wire){ .name = "slots suffice", .jitter = 2000,
			    .hold = 20 * US, .window = 128, .depth = 64,
			    .start = 0xffff00, .count = PER_RUN, .seed = 77 });
	CHECK(sum.held && !sum.naks && sum.sent == PER_RUN);
	all_delivered += sum.delivered;
}

static void bad_wire(void)
{
	over((struct wire){ .name = "bad", .loss = 50, .dup = 100, .jitter = 20000,
			    .no_room = 20, .hold = 15 * US, .nak_limit = 8 },
	     PER_RUN);
	all_delivered += sum.delivered;
	CHECK(sum.lost && sum.doubled && sum.held && sum.rnrs && sum.naks);
}

static void receiver_without_room(void)
{
	over((struct wire){ .name = "no room", .no_room = 100, .loss = 5,
			    .hold = 20 * US }, PER_RUN / 2);
	all_delivered += sum.delivered;
	CHECK(sum.rnrs);
}

/* Too few slots for what the wire reorders: each gap is a NAK, if it may be. */
static void no_storm_of_naks(void)
{
	memset(&sum, 0, sizeof(sum));
	for (uint32_t depth = 0; depth <= 4; depth = depth ? 2 * depth : 1)
		run(&(struct wire){ .name = "storm", .loss = 50, .dup = 50,
				    .jitter = 30000, .window = 256,
				    .depth = depth, .hold = 2 * US,
				    .nak_limit = 2, .start = 0xfffc00,
				    .count = PER_RUN, .seed = 500 + depth });
	tell();
	CHECK(sum.gaps > 100 && sum.naks, "the wire is not bad enough");
	CHECK(sum.silenced, "the limit was never reached");
	CHECK(sum.naks <= sum.gaps);
	all_delivered += sum.delivered;
}

static void a_million(void)
{
	printf("# %llu delivered in all\n", (unsigned long long)all_delivered);
	CHECK(all_delivered >= 1000000);
}

static const struct tap_test tests[] = {
	{ "a clean wire", clean_wire },
	{ "a wire that loses 1 %", losing_wire },
	{ "a wire that loses 20 %", wire_that_loses_much },
	{ "a wire that doubles", doubling_wire },
	{ "a wire that reorders", reordering_wire },
	{ "a wire that does all of it", bad_wire },
	{ "a receiver without room", receiver_without_room },
	{ "no storm of NAKs", no_storm_of_naks },
	{ "a million packets in all", a_million },
};

TAP_MAIN(tests)
