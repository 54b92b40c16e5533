// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stages of a link's path: whatever becomes of a write, in both engines, it is
 * counted in where it came in and out where it left, it is seen to be held where it
 * is, and the counts add up at any time. Counts that were broken by hand are found.
 */
#include "card.h"
#include "tap.h"

#define SIZE	0x4000u
#define LATENCY	20u

enum engine {
	BULK,
	BEAT,
	ENGINES
};

static struct test_card *card;
static struct ocf_beat beat;
static enum engine engine;
static struct ocf_record rec;
static uint8_t data[SIZE];

static struct ocf_link *link0(void)
{
	return &card->card.link[0];
}

static void start(uint32_t latency)
{
	card = test_card_new(0x10000);
	test_card_setup(card, 3, 0, SIZE);
	test_card_drain(card)->latency = latency;
	test_card_resume(card);
	ocf_beat_init(&beat, &card->card, 0);
}

static void stop(void)
{
	CHECK(ocf_link_adds_up(link0()));
	test_card_free(card);
}

static enum ocf_take begin(struct ocf_write w, uint64_t now)
{
	enum ocf_take take;

	if (engine == BULK)
		take = ocf_link_begin(&card->card, 0, &w, now, &rec);
	else
		take = ocf_beat_begin(&beat, &w, now, &rec);
	CHECK(ocf_link_adds_up(link0()));
	return take;
}

/* All of its data, and the clock, up to the edge at `until`. */
static void go_on(uint64_t from, uint64_t until)
{
	uint64_t now;

	for (now = from; now <= until; now++) {
		uint32_t left = ocf_bulk_left(&card->card, 0);

		if (engine == BULK)
			ocf_bulk_feed(&card->card, 0, data, left < 64 ? left : 64,
				      now);
		else
			ocf_beat_clock(&beat, ocf_beat_ready(&beat, now) ? data :
				       NULL, now);
		CHECK(ocf_link_adds_up(link0()), "at %u", (unsigned int)now);
	}
}

static bool finish(uint64_t now)
{
	bool done = engine == BULK ?
			    ocf_link_finish(&card->card, 0, now, &rec) :
			    ocf_beat_finish(&beat, now, &rec);

	CHECK(ocf_link_adds_up(link0()));
	return done;
}

static uint64_t held(enum ocf_path p)
{
	const struct ocf_path_counts *c = &link0()->path;

	return c->in[p] - c->out[p] - c->ended[p];
}

/* The one place where the write is; OCF_PATH_NONE: nowhere. */
static bool is_at(unsigned int at)
{
	unsigned int i;

	for (i = 0; i < OCF_NR_PATHS; i++)
		if (held((enum ocf_path)i) != (i == at))
			return false;
	return ocf_link_where(link0()).at == at;
}

/* One write came, and ended there; or came through, OCF_NR_PATHS. */
static bool ended_in(unsigned int last)
{
	const struct ocf_path_counts *c = &link0()->path;
	unsigned int i;

	for (i = 0; i < OCF_NR_PATHS; i++)
		if (c->in[i] != (i <= last) || c->out[i] != (i < last) ||
		    c->ended[i] != (i == last))
			return false;
	return is_at(OCF_PATH_NONE);
}

static void committed(void)
{
	start(LATENCY);
	CHECK(is_at(OCF_PATH_NONE));
	CHECK(begin((struct ocf_write){ .raddr = 60, .len = 200 }, 5) == OCF_TAKEN);
	CHECK(is_at(OCF_PATH_TAKEN));
	go_on(6, 5 + LATENCY - 1);
	CHECK(is_at(OCF_PATH_TAKEN), "the latency has not passed");
	go_on(5 + LATENCY, 5 + LATENCY + 1);
	CHECK(is_at(OCF_PATH_REALIGNED), "bytes are still to come");
	go_on(5 + LATENCY + 2, 5 + LATENCY + 3);
	/* a last line of its own: the beat engine issues it an edge later */
	CHECK(is_at(engine == BULK ? OCF_PATH_ACKNOWLEDGED : OCF_PATH_ISSUED));
	go_on(5 + LATENCY + 4, 5 + LATENCY + 9);
	CHECK(is_at(OCF_PATH_ACKNOWLEDGED));
	CHECK(finish(5 + LATENCY + 9) && rec.verdict == OCF_COMMITTED);
	CHECK(ended_in(OCF_NR_PATHS));
	stop();
}

static void short_ones(void)
{
	start(0);
	begin((struct ocf_write){ .len = 200, .beats = 2 }, 0);
	go_on(0, 9);
	CHECK(finish(9) && rec.verdict == OCF_SHORT_PACKET);
	CHECK(ended_in(OCF_NR_PATHS), "it is committed");
	stop();
}

/* No bytes: it passes the stages that move them. */
static void semaphore(void)
{
	start(LATENCY);
	test_card_drain(card);
	card->windows[0].sem_count = 8;
	test_card_resume(card);
	CHECK(begin((struct ocf_write){ .kind = OCF_KIND_SEM, .sem = 3 }, 0) ==
	      OCF_TAKEN);
	CHECK(is_at(OCF_PATH_TAKEN) && !finish(LATENCY - 1));
	CHECK(finish(LATENCY) && rec.verdict == OCF_COMMITTED);
	CHECK(ended_in(OCF_NR_PATHS));
	stop();
}

static bool never_armed(void *opaque, unsigned int link, unsigned int peer)
{
	(void)opaque, (void)link, (void)peer;
	return false;
}

/* What each rejected write fails, and where it ends. */
static const struct {
	struct ocf_write w;
	enum ocf_counter verdict;
	enum ocf_path last;
} rejects[] = {
	{ { .qpn = 200, .len = 8 }, OCF_UNMAPPED, OCF_PATH_MAPPED },
	{ { .qpn = 0xffffff, .len = 8 }, OCF_UNMAPPED, OCF_PATH_MAPPED },
	{ { .qpn = 7, .len = 8 }, OCF_QP_STATE, OCF_PATH_MAPPED },
	{ { .qpn = 8, .len = 8 }, OCF_BAD_CONFIG, OCF_PATH_AUTHORIZED },
	{ { .len = 0 }, OCF_ZERO_LENGTH, OCF_PATH_AUTHORIZED },
	{ { .len = 8, .raddr = 2 }, OCF_MISALIGNED, OCF_PATH_AUTHORIZED },
	{ { .len = 8, .raddr = SIZE }, OCF_OUT_OF_BOUNDS, OCF_PATH_AUTHORIZED },
	{ { .len = 8, .kind = OCF_KIND_SEM }, OCF_UNAUTHORIZED,
	  OCF_PATH_AUTHORIZED },
	{ { .len = 8, .kind = OCF_KIND_WRITE_IMM }, OCF_RNR,
	  OCF_PATH_AUTHORIZED },
};

static void rejected(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(rejects) / sizeof(rejects[0]); i++) {
		struct ocf_config *cfg;

		start(LATENCY);
		card->card.hooks.arm_take = never_armed;
		cfg = test_card_drain(card);
		cfg->conn[0][7] = 1;
		cfg->conn[0][8] = 0;
		test_card_resume(card);
		link0()->qp_stopped[0] = 1u << 7;
		CHECK(begin(rejects[i].w, 0) == OCF_REJECTED);
		CHECK(rec.verdict == rejects[i].verdict, "%u: %s", i,
		      ocf_counter_names[rec.verdict]);
		CHECK(ended_in(rejects[i].last), "%u", i);
		stop();
	}
	start(0);
	test_card_drain(card)->n = 1;
	test_card_resume(card);
	CHECK(begin((struct ocf_write){ .len = 8 }, 0) == OCF_REJECTED);
	CHECK(rec.verdict == OCF_BAD_CONFIG && ended_in(OCF_PATH_TAKEN),
	      "no member of the cluster");
	stop();
}

static void bad_response(void)
{
	start(0);
	ocf_fault_set_resp(&card->card.faults, SIZE + 64, OCF_SLVERR);
	ocf_fault_set_delay(&card->card.faults, SIZE + 64, 100);
	begin((struct ocf_write){ .len = 192 }, 0);
	go_on(0, 50);
	CHECK(is_at(OCF_PATH_ACKNOWLEDGED) && !finish(50));
	go_on(51, 150);
	CHECK(finish(150) && rec.verdict == OCF_AXI_ERROR);
	CHECK(ended_in(OCF_PATH_ACKNOWLEDGED));
	stop();
}

static void aborted(void)
{
	static const struct {
		uint64_t until;
		enum ocf_path at;
	} when[] = {
		{ 0, OCF_PATH_TAKEN },
		{ LATENCY, OCF_PATH_REALIGNED },
		{ LATENCY + 20, OCF_PATH_ACKNOWLEDGED },
	};
	unsigned int i;

	for (i = 0; i < sizeof(when) / sizeof(when[0]); i++) {
		start(LATENCY);
		begin((struct ocf_write){ .len = 192 }, 0);
		go_on(0, when[i].until);
		CHECK(is_at(when[i].at), "%u", i);
		CHECK(ocf_link_abort(&card->card, 0, &rec));
		CHECK(rec.verdict == OCF_DMA_ERROR && ended_in(when[i].at), "%u",
		      i);
		stop();
	}
}

static void what_it_waits_for(void)
{
	struct ocf_where w;

	start(LATENCY);
	w = ocf_link_where(link0());
	CHECK(w.at == OCF_PATH_NONE && w.waits_for == OCF_WAITS_FOR_NOTHING &&
	      !w.since && !w.due);
	ocf_fault_set_delay(&card->card.faults, SIZE, 1000);
	begin((struct ocf_write){ .len = 192 }, 7);
	w = ocf_link_where(link0());
	CHECK(w.waits_for == OCF_WAITS_FOR_LATENCY);
	CHECK(w.since == 7 && w.due == 7 + LATENCY);
	go_on(8, 7 + LATENCY + 1);
	w = ocf_link_where(link0());
	CHECK(w.waits_for == OCF_WAITS_FOR_SOURCE && !w.due);
	CHECK(w.since == 7 + LATENCY + 1, "since %u", (unsigned int)w.since);
	go_on(7 + LATENCY + 2, 100);
	w = ocf_link_where(link0());
	CHECK(w.waits_for == OCF_WAITS_FOR_RESPONSE);
	CHECK(w.since == 7 + LATENCY + 2, "since %u", (unsigned int)w.since);
	CHECK(w.due >= 7 + LATENCY + 1000);
	stop();
}

/* Without progress for the limit: said once a write. */
static void watched(void)
{
	uint64_t due = 0;

	start(LATENCY);
	CHECK(ocf_link_watch(link0(), 10, 0, &due) == OCF_WATCHED_NOTHING);
	begin((struct ocf_write){ .len = 192 }, 5);
	CHECK(ocf_link_watch(link0(), 100, 50, &due) == OCF_WATCHED_LATER);
	CHECK(due == 105);
	go_on(5, 5 + LATENCY);
	CHECK(ocf_link_watch(link0(), 100, 105, &due) == OCF_WATCHED_LATER);
	CHECK(due == 105 + LATENCY, "it has moved since");
	CHECK(ocf_link_watch(link0(), 100, 104 + LATENCY, &due) ==
	      OCF_WATCHED_LATER);
	CHECK(ocf_link_watch(link0(), 100, 105 + LATENCY, &due) ==
	      OCF_WATCHED_STALLED);
	CHECK(ocf_link_watch(link0(), 100, ~0ULL, &due) == OCF_WATCHED_NOTHING,
	      "once");
	go_on(1000, 1010);
	CHECK(finish(1010));
	begin((struct ocf_write){ .len = 192 }, 2000);
	CHECK(ocf_link_watch(link0(), 100, 2100, &due) == OCF_WATCHED_STALLED,
	      "the next one has its own");
	link0()->flight.stalled = false;
	link0()->flight.since = ~0ULL;
	CHECK(ocf_link_watch(link0(), 100, 2100, &due) == OCF_WATCHED_LATER);
	CHECK(due == 2200, "a time to come counts as now");
	stop();
}

/* Any one count wrong by one, in either direction, with and without a flight. */
static void broken(void)
{
	uint64_t *count;
	unsigned int i, in_flight;

	for (in_flight = 0; in_flight < 2; in_flight++) {
		start(LATENCY);
		begin((struct ocf_write){ .len = 64 }, 0);
		go_on(0, LATENCY + 9);
		CHECK(finish(LATENCY + 9));
		begin((struct ocf_write){ .len = 64, .qpn = 200 }, 50);
		if (in_flight)
			begin((struct ocf_write){ .len = 64 }, 50);
		count = link0()->path.in;
		for (i = 0; i < sizeof(link0()->path) / sizeof(*count); i++) {
			count[i]++;
			CHECK(!ocf_link_adds_up(link0()), "count %u", i);
			count[i] -= 2;
			CHECK(!ocf_link_adds_up(link0()), "count %u", i);
			count[i]++;
		}
		link0()->counters.c[OCF_RNR]++;
		CHECK(!ocf_link_adds_up(link0()) && !ocf_card_snapshot(&card->card));
		link0()->counters.c[OCF_RNR]--;
		CHECK(ocf_card_snapshot(&card->card));
		stop();
	}
}

/* A write that is lost between two stages, and one that comes from nowhere. */
static void lost(void)
{
	start(LATENCY);
	begin((struct ocf_write){ .len = 64 }, 0);
	link0()->flight.stage = OCF_STAGE_IDLE;
	CHECK(!ocf_link_adds_up(link0()), "nobody has it");
	link0()->flight.stage = OCF_STAGE_RESPONSES;
	CHECK(!ocf_link_adds_up(link0()), "not there");
	link0()->flight.stage = OCF_STAGE_LATENCY;
	stop();
}

static void snapshot_and_reset(void)
{
	start(LATENCY);
	begin((struct ocf_write){ .len = 64 }, 0);
	CHECK(ocf_card_snapshot(&card->card));
	go_on(0, LATENCY + 9);
	CHECK(finish(LATENCY + 9));
	CHECK(card->card.snapshot_path[0].in[OCF_PATH_TAKEN] == 1);
	CHECK(!card->card.snapshot_path[0].out[OCF_PATH_TAKEN]);
	CHECK(card->card.snapshot_where[0].at == OCF_PATH_TAKEN);
	CHECK(card->card.snapshot_where[1].at == OCF_PATH_NONE);
	ocf_card_reset_counters(&card->card);
	CHECK(!link0()->path.in[0] && ocf_link_adds_up(link0()));
	CHECK(card->card.snapshot_path[0].in[OCF_PATH_TAKEN] == 1, "it stays");
	ocf_card_reset(&card->card);
	CHECK(!card->card.snapshot_path[0].in[OCF_PATH_TAKEN]);
	CHECK(card->card.snapshot_where[0].at == OCF_PATH_NONE);
	stop();
}

/* What there is to tell of rejects. */
static void untold(void)
{
	const struct ocf_untold *u;

	start(0);
	u = &link0()->untold;
	CHECK(!u->n);
	begin((struct ocf_write){ .len = 8, .qpn = 200 }, 0);
	begin((struct ocf_write){ .len = 0, .qpn = 1 }, 0);
	CHECK(u->n == 2 && u->qpn == 1 && u->verdict == OCF_ZERO_LENGTH);
	ocf_card_reset_counters(&card->card);
	CHECK(u->n == 2, "that tells nobody");
	stop();
}

/* Everything in one piece, where the bulk engine can do that. */
static void at_once(void)
{
	struct ocf_write w = { .len = 100 };

	start(0);
	CHECK(ocf_bulk_write(&card->card, 0, &w, data, 0, &rec) == OCF_DONE);
	CHECK(ended_in(OCF_NR_PATHS));
	w.qpn = 99;
	CHECK(ocf_bulk_write(&card->card, 0, &w, data, 0, &rec) ==
	      OCF_DONE_REJECTED);
	stop();
}

static void (*const cases[])(void) = {
	committed, short_ones, semaphore, rejected, bad_response, aborted,
	what_it_waits_for, watched, broken, lost, snapshot_and_reset, untold,
};

static void all_of(enum engine e)
{
	size_t i;

	engine = e;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cases[i]();
}

static void bulk_engine(void)
{
	all_of(BULK);
}

static void beat_engine(void)
{
	all_of(BEAT);
}

static const struct tap_test tests[] = {
	{ "bulk engine", bulk_engine },
	{ "beat engine", beat_engine },
	{ "all at once", at_once },
};

TAP_MAIN(tests)
