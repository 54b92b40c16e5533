// SPDX-License-Identifier: GPL-2.0-only
/*
 * A link from begin to finish: latency, pieces, delays, errors, abort, drain,
 * receivers, rejects, saving and loading; and links beside each other.
 */
#include <pthread.h>

#include "card.h"
#include "tap.h"

#define SIZE	0x4000u
#define BASE	0x1000u		/* of replica 1 */

static struct test_card *card;
static struct ocf_record rec;
static uint8_t data[SIZE];

static void start(void)
{
	size_t i;

	card = test_card_new(0x10000);
	test_card_setup(card, 3, BASE - (uint64_t)SIZE, SIZE);
	test_card_drain(card)->region[0].base = 0x9000;
	test_card_resume(card);
	for (i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + 1);
}

static void stop(void)
{
	unsigned int link;

	for (link = 0; link < OCF_REPLICAS; link++) {
		const struct ocf_link *l = &card->card.link[link];

		CHECK(l->flight.stage != OCF_STAGE_IDLE ||
		      ocf_counters_add_up(&l->counters));
		CHECK(ocf_link_adds_up(l), "the stages of link %u", link);
	}
	test_card_free(card);
}

static uint64_t count(unsigned int link, enum ocf_counter c)
{
	return card->card.link[link].counters.c[c];
}

static struct ocf_flight *flight(unsigned int link)
{
	return &card->card.link[link].flight;
}

static enum ocf_take begin(unsigned int link, struct ocf_write w, uint64_t now)
{
	return ocf_link_begin(&card->card, link, &w, now, &rec);
}

static size_t feed(unsigned int link, size_t from, size_t n, uint64_t now)
{
	return ocf_bulk_feed(&card->card, link, data + from, n, now);
}

static bool finish(unsigned int link, uint64_t now)
{
	return ocf_link_finish(&card->card, link, now, &rec);
}

static void latency(void)
{
	struct ocf_write w = { .len = 100, .raddr = 8 };

	start();
	test_card_drain(card)->latency = 50;
	test_card_resume(card);
	CHECK(begin(0, w, 1000) == OCF_TAKEN);
	CHECK(flight(0)->stage == OCF_STAGE_LATENCY);
	CHECK(ocf_bulk_want(&card->card, 0, 1049) == OCF_WANT_TIME);
	CHECK(flight(0)->go_at == 1050);
	CHECK(!feed(0, 0, 100, 1049) && !finish(0, 1049));
	CHECK(ocf_bulk_want(&card->card, 0, 1050) == OCF_WANT_BYTES);
	CHECK(ocf_bulk_left(&card->card, 0) == 100);
	CHECK(feed(0, 0, 100, 1050) == 100);
	CHECK(finish(0, 1050) && rec.verdict == OCF_COMMITTED);
	CHECK(!memcmp(card->card.hbm + BASE + 8, data, 100));
	CHECK(ocf_bulk_want(&card->card, 0, 1050) == OCF_WANT_WRITE);
	CHECK(ocf_bulk_left(&card->card, 0) == 0);
	/* a rejected write has nothing to wait for */
	w.raddr = 1;
	CHECK(begin(0, w, 1050) == OCF_REJECTED && rec.bytes == 0);
	stop();
}

static void one_at_a_time(void)
{
	struct ocf_write w = { .len = 64 };

	start();
	CHECK(begin(0, w, 0) == OCF_TAKEN);
	CHECK(begin(0, w, 0) == OCF_BUSY);
	CHECK(count(0, OCF_WRITES) == 1, "a meta beat not taken is not counted");
	w.qpn = test_qpn(3, 2, 1);
	CHECK(begin(2, w, 0) == OCF_TAKEN, "links do not wait for each other");
	CHECK(!finish(0, 0), "nothing has come yet");
	CHECK(feed(2, 0, 64, 0) == 64 && finish(2, 0));
	CHECK(feed(0, 0, 1000, 0) == 64, "no more than it writes is taken");
	CHECK(feed(0, 0, 1000, 0) == 0);
	CHECK(finish(0, 0) && !finish(0, 0));
	stop();
}

/* However the source is cut, nothing is stored before its line is whole. */
static void pieces(void)
{
	struct ocf_write w = { .raddr = 60, .len = 150 };
	uint8_t *at;

	start();
	at = card->card.hbm + BASE + 60;
	begin(0, w, 0);
	feed(0, 0, 3, 0);
	CHECK(!at[0] && flight(0)->lines == 0);
	feed(0, 3, 1, 0);
	CHECK(!memcmp(at, data, 4) && flight(0)->lines == 1);
	feed(0, 4, 63, 0);
	CHECK(!at[4] && flight(0)->lines == 1);
	feed(0, 67, 65, 0);
	CHECK(!memcmp(at, data, 132) && flight(0)->lines == 3);
	feed(0, 132, 17, 0);
	CHECK(!at[132] && !finish(0, 0));
	feed(0, 149, 1, 0);
	CHECK(!memcmp(at, data, 150) && !at[150]);
	CHECK(finish(0, 0) && rec.lines == 4 && rec.bytes == 150);
	stop();
}

static void short_and_oversize(void)
{
	struct ocf_write w = { .len = 256, .beats = 3 };

	start();
	begin(0, w, 0);
	CHECK(feed(0, 0, 256, 0) == 192);
	CHECK(finish(0, 0) && rec.verdict == OCF_SHORT_PACKET);
	CHECK(rec.bytes == 192 && rec.is_short && count(0, OCF_COMMITTED) == 1);
	w.beats = 0xffffff;
	begin(0, w, 0);
	feed(0, 0, 256, 0);
	CHECK(finish(0, 0) && rec.verdict == OCF_COMMITTED);
	CHECK(rec.oversize == 0xffffff - 4);
	CHECK(count(0, OCF_OVERSIZE) == 0xffffff - 4);
	CHECK(count(0, OCF_SHORT_PACKET) == 1);
	w.raddr = 2;
	begin(0, w, 0);
	CHECK(count(0, OCF_OVERSIZE) == 0xffffff - 4, "only of what passes");
	stop();
}

static void delayed(void)
{
	struct ocf_write w = { .len = 256 };

	start();
	ocf_fault_set_delay(&card->card.faults, BASE + 64, 500);
	ocf_fault_set_delay(&card->card.faults, BASE + 192, 90);
	begin(0, w, 10);
	feed(0, 0, 128, 20);
	feed(0, 128, 128, 30);
	CHECK(ocf_bulk_want(&card->card, 0, 519) == OCF_WANT_TIME);
	CHECK(flight(0)->stage == OCF_STAGE_RESPONSES);
	CHECK(flight(0)->go_at == 520 && !finish(0, 519) && finish(0, 520));
	stop();
}

static void errors(void)
{
	struct ocf_write w = { .raddr = 60, .len = 200, .beats = 6 };
	uint8_t *line;

	start();
	line = card->card.hbm + BASE + 64;
	ocf_fault_set_resp(&card->card.faults, BASE + 64 + 17, OCF_DECERR);
	begin(0, w, 0);
	feed(0, 0, 200, 0);
	CHECK(finish(0, 0) && rec.verdict == OCF_AXI_ERROR);
	CHECK(rec.bytes == 0 && rec.lines == 5 && rec.oversize == 2);
	CHECK(!memcmp(line - 4, data, 4) && !line[0] && !line[63]);
	CHECK(!memcmp(line + 64, data + 68, 132));
	CHECK(!count(0, OCF_COMMITTED) && !count(0, OCF_BYTES));
	CHECK(count(0, OCF_LINES) == 5 && count(0, OCF_OVERSIZE) == 2);
	w.len = 400;
	w.beats = 5;
	begin(0, w, 0);
	feed(0, 0, 400, 0);
	CHECK(finish(0, 0) && rec.verdict == OCF_AXI_ERROR && rec.is_short);
	CHECK(count(0, OCF_SHORT_PACKET) == 1);
	stop();
}

static void outside_the_hbm(void)
{
	struct ocf_write w = { .raddr = 0x40, .len = 256 };
	struct ocf_config *cfg;

	start();
	cfg = test_card_drain(card);
	cfg->region[1].base = 0x10000 - 0x80;
	test_card_resume(card);
	begin(0, w, 0);
	feed(0, 0, 256, 0);
	CHECK(finish(0, 0) && rec.verdict == OCF_AXI_ERROR && rec.lines == 4);
	CHECK(!memcmp(card->card.hbm + 0x10000 - 0x40, data, 64));
	cfg = test_card_drain(card);
	cfg->region[1].base = 0ULL - 0x1000;
	test_card_resume(card);
	w.raddr = 0xf00;
	begin(0, w, 0);
	feed(0, 0, 256, 0);
	CHECK(finish(0, 0) && rec.verdict == OCF_AXI_ERROR && rec.lines == 4);
	stop();
}

static void abort_at_each_stage(void)
{
	struct ocf_write w = { .raddr = 4, .len = 256, .beats = 9 };

	start();
	CHECK(!ocf_link_abort(&card->card, 0, &rec));
	test_card_drain(card)->latency = 5;
	test_card_resume(card);
	begin(0, w, 0);
	CHECK(ocf_link_abort(&card->card, 0, &rec) && rec.lines == 0);
	begin(0, w, 0);
	feed(0, 0, 130, 5);
	CHECK(ocf_link_abort(&card->card, 0, &rec) && rec.lines == 2);
	CHECK(rec.verdict == OCF_DMA_ERROR && !rec.bytes && !rec.oversize);
	ocf_fault_set_delay(&card->card.faults, BASE, 100);
	begin(0, w, 0);
	feed(0, 0, 256, 5);
	CHECK(!finish(0, 104));
	CHECK(ocf_link_abort(&card->card, 0, &rec) && rec.lines == 5);
	CHECK(count(0, OCF_DMA_ERROR) == 3 && count(0, OCF_LINES) == 7);
	CHECK(!count(0, OCF_COMMITTED) && !count(0, OCF_BYTES));
	CHECK(!count(0, OCF_OVERSIZE));
	CHECK(begin(0, w, 0) == OCF_TAKEN, "the link goes on");
	stop();
}

static void drain(void)
{
	struct ocf_write w = { .len = 64 };

	start();
	begin(0, w, 0);
	ocf_card_drain(&card->card);
	CHECK(!ocf_card_drained(&card->card));
	CHECK(!ocf_card_configure(&card->card) && card->card.config_error);
	card->card.config_error = false;
	CHECK(begin(1, w, 0) == OCF_BUSY && !count(1, OCF_WRITES));
	feed(0, 0, 64, 0);
	CHECK(finish(0, 0) && ocf_card_drained(&card->card));
	CHECK(ocf_card_configure(&card->card) && !card->card.config_error);
	ocf_card_resume(&card->card);
	CHECK(!ocf_card_configure(&card->card) && card->card.config_error);
	stop();
}

static void generations(void)
{
	uint32_t before;

	start();
	before = card->card.generation;
	ocf_card_drain(&card->card);
	ocf_card_resume(&card->card);
	CHECK(card->card.generation == before, "nothing was changed");
	test_card_drain(card);
	ocf_card_configure(&card->card);
	ocf_card_resume(&card->card);
	CHECK(card->card.generation == before + 1, "one change");
	stop();
}

static int armed;

static bool arm_take(void *opaque, unsigned int link, unsigned int peer)
{
	CHECK(opaque == &armed && link == 0 && peer == 1);
	return armed > 0 && armed--;
}

static void arm_return(void *opaque, unsigned int link, unsigned int peer)
{
	CHECK(opaque == &armed && link == 0 && peer == 1);
	armed++;
}

static void receivers(void)
{
	struct ocf_write w = { .len = 64, .kind = OCF_KIND_WRITE_IMM };

	start();
	card->card.hooks.opaque = &armed;
	card->card.hooks.arm_take = arm_take;
	card->card.hooks.arm_return = arm_return;
	armed = 1;
	CHECK(ocf_bulk_write(&card->card, 0, &w, data, 0, &rec) == OCF_DONE);
	CHECK(rec.verdict == OCF_COMMITTED && armed == 0);
	CHECK(begin(0, w, 0) == OCF_REJECTED && rec.verdict == OCF_RNR);
	armed = 1;
	w.raddr = 1;
	CHECK(begin(0, w, 0) == OCF_REJECTED && armed == 1);
	w.raddr = 0;
	begin(0, w, 0);
	CHECK(armed == 0);
	ocf_link_abort(&card->card, 0, &rec);
	CHECK(armed == 1, "given back");
	ocf_fault_set_resp(&card->card.faults, BASE, OCF_SLVERR);
	CHECK(ocf_bulk_write(&card->card, 0, &w, data, 0, &rec) == OCF_DONE);
	CHECK(rec.verdict == OCF_AXI_ERROR && armed == 1, "given back");
	ocf_fault_clear_all(&card->card.faults);
	w.len = 100;
	w.beats = 1;
	CHECK(ocf_bulk_write(&card->card, 0, &w, data, 0, &rec) == OCF_DONE);
	CHECK(rec.verdict == OCF_SHORT_PACKET && armed == 0, "it committed");
	stop();
}

static void semaphore(void)
{
	struct ocf_write w = { .kind = OCF_KIND_SEM, .sem = 3, .len = 7 };

	start();
	test_card_drain(card)->latency = 9;
	card->windows[0].sem_count = 4;
	test_card_resume(card);
	CHECK(begin(0, w, 0) == OCF_TAKEN && !finish(0, 8));
	CHECK(ocf_bulk_want(&card->card, 0, 9) == OCF_WANT_FINISH);
	CHECK(finish(0, 9) && rec.verdict == OCF_COMMITTED);
	CHECK(!rec.bytes && !rec.lines && !rec.is_short && !rec.oversize);
	CHECK(count(0, OCF_COMMITTED) == 1 && !count(0, OCF_BYTES));
	w.sem = 4;
	CHECK(begin(0, w, 0) == OCF_REJECTED);
	CHECK(card->card.link[0].reject[0].sem == 4);
	stop();
}

static void rejects(void)
{
	struct ocf_link *l;
	struct ocf_reject *r;
	uint32_t i;

	start();
	l = &card->card.link[0];
	for (i = 0; i < 40; i++)
		begin(0, (struct ocf_write){ .raddr = 4 * i + 1, .qpn = 1,
			.len = 64 * i + 64, .opcode = 9, .flags = 5 }, 100 + i);
	CHECK(l->nr_rejects == 40);
	r = &l->reject[(l->nr_rejects - 1) % OCF_REJECTS];
	CHECK(r->raddr == 4 * 39 + 1 && r->len == 64 * 40 && r->qpn == 1);
	CHECK(r->beats == 40 && r->opcode == 9 && r->flags == 5);
	CHECK(r->verdict == OCF_MISALIGNED && r->peer == 2);
	CHECK(r->cycle == 139 && r->generation == card->card.generation);
	r = &l->reject[l->nr_rejects % OCF_REJECTS];
	CHECK(r->raddr == 4 * 24 + 1, "the oldest of sixteen");
	begin(0, (struct ocf_write){ .qpn = 77, .len = 1 }, 0);
	r = &l->reject[(l->nr_rejects - 1) % OCF_REJECTS];
	CHECK(r->verdict == OCF_UNMAPPED && r->peer == OCF_NO_PEER);
	stop();
}

static void stopped_connection(void)
{
	struct ocf_write w = { .len = 64 };

	start();
	card->card.link[0].qp_stopped[0] = 1;
	CHECK(begin(0, w, 0) == OCF_REJECTED && rec.verdict == OCF_QP_STATE);
	CHECK(rec.peer == 1 && count(0, OCF_QP_STATE) == 1);
	w.qpn = 1;
	CHECK(begin(0, w, 0) == OCF_TAKEN);
	stop();
}

static void snapshot_and_reset(void)
{
	struct ocf_write w = { .len = 64 };

	start();
	ocf_bulk_write(&card->card, 0, &w, data, 0, &rec);
	ocf_card_snapshot(&card->card);
	ocf_bulk_write(&card->card, 0, &w, data, 0, &rec);
	CHECK(card->card.snapshot[0].c[OCF_WRITES] == 1);
	ocf_card_reset_counters(&card->card);
	CHECK(!count(0, OCF_WRITES));
	CHECK(card->card.snapshot[0].c[OCF_WRITES] == 1);
	ocf_fault_set_resp(&card->card.faults, BASE, OCF_SLVERR);
	test_card_drain(card)->upstream_qpns = true;
	test_card_drain(card)->latency = 7;
	ocf_card_reset(&card->card);
	CHECK(!card->card.config.upstream_qpns && !card->card.config.latency);
	CHECK(!card->card.config.n && !card->card.faults.count);
	CHECK(card->card.config.conn[0][0] == OCF_NO_PEER);
	CHECK(!card->windows[0].valid && !card->card.snapshot[0].c[OCF_WRITES]);
	CHECK(card->card.hbm[BASE] == data[0], "the HBM is kept");
	CHECK(begin(0, w, 0) == OCF_REJECTED && rec.verdict == OCF_BAD_CONFIG);
	CHECK(!ocf_card_configure(&card->card) && card->card.config_error);
	ocf_card_reset(&card->card);
	CHECK(!card->card.config_error && !card->card.generation);
	stop();
}

/* Whatever a loaded flight says, it is refused or does no harm. */
static void loaded_flights(void)
{
	struct ocf_flight good;
	unsigned int i, k, kept = 0;

	start();
	begin(0, (struct ocf_write){ .raddr = 12, .len = 500 }, 0);
	feed(0, 0, 177, 0);
	good = *flight(0);
	srand(7);
	for (i = 0; i < 200000; i++) {
		uint8_t *f = (uint8_t *)flight(0);

		*flight(0) = good;
		for (k = 0; k < 1 + i % 3; k++)
			f[(unsigned int)rand() % sizeof(good)] ^=
				(uint8_t)(1u << rand() % 8);
		if (!ocf_flight_valid(flight(0)))
			continue;
		kept++;
		feed(0, 0, 400, ~0ULL);
		if (!finish(0, ~0ULL))
			ocf_link_abort(&card->card, 0, &rec);
	}
	CHECK(kept > 1000 && kept < 190000, "%u of 200000", kept);
	printf("# %u of 200000 were valid\n", kept);
	/* a flight in another stage than it was counted in: no law for those */
	test_card_free(card);
}

static void not_valid(void)
{
	struct ocf_flight f, good;

	start();
	begin(0, (struct ocf_write){ .raddr = 12, .len = 500 }, 0);
	feed(0, 0, 177, 0);
	good = *flight(0);
	CHECK(ocf_flight_valid(&good));
#define BAD(change)							\
	do {								\
		f = good;						\
		f.change;						\
		CHECK(!ocf_flight_valid(&f));				\
	} while (0)
	BAD(stage = OCF_NR_STAGES);
	BAD(kind = OCF_NR_KINDS);
	BAD(peer = OCF_REPLICAS);
	BAD(taken = 500);
	BAD(taken = 501);
	BAD(bytes = 501);
	BAD(beats = 0);
	BAD(len = 1);
	BAD(addr = UINT64_MAX - 3);
	BAD(addr += 2);
	BAD(raddr += 1);
	BAD(lines = 10);
	BAD(oversize = 1);
	BAD(misrouted = 2);
	BAD(is_short = 2);
	BAD(failed = 0xff);
	BAD(kind = OCF_KIND_SEM);
	BAD(stage = OCF_STAGE_LATENCY);
	BAD(stage = OCF_STAGE_RESPONSES);
	f = good;
	f.stage = OCF_STAGE_IDLE;
	CHECK(ocf_flight_valid(&f), "what an ended write left does not matter");
	ocf_link_abort(&card->card, 0, &rec);
	test_card_drain(card)->latency = 1;
	card->windows[0].sem_count = 1;
	test_card_resume(card);
	begin(0, (struct ocf_write){ .raddr = 12, .len = 500 }, 0);
	good = *flight(0);
	CHECK(ocf_flight_valid(&good));
	BAD(lines = 1);
	BAD(taken = 1);
	ocf_link_abort(&card->card, 0, &rec);
	begin(0, (struct ocf_write){ .kind = OCF_KIND_SEM }, 0);
	good = *flight(0);
	CHECK(ocf_flight_valid(&good));
	BAD(lines = 1);
	BAD(kind = OCF_KIND_WRITE);
	stop();
}

/* Two links of the beat engine clocked together, with one clock. */
static void beats_side_by_side(void)
{
	struct ocf_beat beat[2];
	struct ocf_record done[2];
	struct ocf_write w = { .raddr = 4, .len = 1000 };
	bool busy[2] = { true, true };
	uint64_t now;
	unsigned int i;

	start();
	test_card_drain(card);
	test_card_window(card, 2, 1, 0, SIZE);
	test_card_resume(card);
	for (i = 0; i < 2; i++) {
		w.qpn = test_qpn(3, 2 * i, 1);
		w.raddr = 4 + 0x800 * i;
		ocf_beat_init(&beat[i], &card->card, 2 * i);
		CHECK(ocf_beat_next(&beat[i], 7) == UINT64_MAX);
		CHECK(ocf_beat_begin(&beat[i], &w, 0, &done[i]) == OCF_TAKEN);
		CHECK(ocf_beat_next(&beat[i], 7) == 8);
	}
	ocf_fault_set_delay(&card->card.faults, BASE + 0x840, 300);
	for (now = 0; now < 1000 && (busy[0] || busy[1]); now++) {
		for (i = 0; i < 2; i++) {
			uint32_t at = flight(2 * i)->taken;

			if (!busy[i])
				continue;
			ocf_beat_clock(&beat[i], ocf_beat_ready(&beat[i], now) ?
				       data + at : NULL, now);
			busy[i] = !ocf_beat_finish(&beat[i], now, &done[i]);
		}
		CHECK(now < 20 || !busy[0], "link 0 waits for link 2");
	}
	CHECK(now > 300 && now < 400);
	for (i = 0; i < 2; i++)
		CHECK(!memcmp(card->card.hbm + BASE + 4 + 0x800 * i, data,
			      1000) && done[i].lines == 16);
	stop();
}

/* ---- links on threads of their own ---------------------------------------- */

#define THREADS	4u
#define TURNS	5000u
#define SHARE	0x400u		/* of replica 5's region, for each writer */

static struct thread {
	pthread_t id;
	unsigned int link;
	uint64_t bytes;
} threads[THREADS];

static void *write_much(void *arg)
{
	struct thread *me = arg;
	struct ocf_write w = { .qpn = test_qpn(6, me->link, 5) };
	struct ocf_record r;
	uint8_t from[SHARE];
	unsigned int turn, x = me->link + 1;

	for (turn = 0; turn < TURNS; turn++) {
		x = x * 1664525u + 1013904223u;
		memset(from, (int)(turn + me->link), sizeof(from));
		w.len = 1 + (x >> 8) % (SHARE - 64);
		w.raddr = me->link * SHARE + (x >> 20 & 60);
		if (turn + 1 == TURNS) {
			w.len = SHARE;
			w.raddr = me->link * SHARE;
		}
		if (turn % 3) {
			ocf_bulk_write(&card->card, me->link, &w, from, turn,
				       &r);
		} else {
			ocf_link_begin(&card->card, me->link, &w, turn, &r);
			ocf_bulk_feed(&card->card, me->link, from, w.len / 2,
				      turn);
			ocf_bulk_feed(&card->card, me->link,
				      from + w.len / 2, w.len, turn);
			ocf_link_finish(&card->card, me->link, turn, &r);
		}
		me->bytes += w.len;
	}
	return NULL;
}

static void on_threads(void)
{
	uint8_t *at;
	unsigned int i, k;

	card = test_card_new(0x10000);
	test_card_setup(card, 6, 0, 0x2000);
	for (i = 0; i < THREADS; i++) {
		threads[i].link = i;
		threads[i].bytes = 0;
		CHECK(!pthread_create(&threads[i].id, NULL, write_much,
				      &threads[i]));
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i].id, NULL);
	at = card->card.hbm + 5 * 0x2000;
	for (i = 0; i < THREADS; i++) {
		CHECK(count(i, OCF_COMMITTED) == TURNS);
		CHECK(count(i, OCF_BYTES) == threads[i].bytes);
		for (k = 0; k < SHARE; k++)
			CHECK(at[i * SHARE + k] == (uint8_t)(TURNS - 1 + i));
	}
	CHECK(!at[THREADS * SHARE]);
	stop();
}

static void lanes(void)
{
	uint8_t prev[64], cur[64], line[64];
	unsigned int i, sw;

	for (i = 0; i < 64; i++) {
		prev[i] = (uint8_t)i;
		cur[i] = (uint8_t)(100 + i);
		CHECK(ocf_strobe(i) == (i ? ~0ULL >> (64 - i) : 0));
	}
	CHECK(ocf_strobe(64) == ~0ULL && ocf_strobe(1ULL << 40) == ~0ULL);
	for (sw = 0; sw < 16; sw++) {
		ocf_realign(line, prev, cur, sw);
		for (i = 0; i < 64; i++)
			CHECK(line[i] == (i < 4 * sw ? prev[64 - 4 * sw + i] :
						       cur[i - 4 * sw]));
		for (i = 0; i < 64; i++) {
			uint64_t keep = ocf_realign_keep(1ULL << i, 0, sw);

			CHECK(keep == (i >= 64 - 4 * sw ?
				       1ULL << (i + 4 * sw - 64) : 0));
			keep = ocf_realign_keep(0, 1ULL << i, sw);
			CHECK(keep == (i + 4 * sw < 64 ?
				       1ULL << (i + 4 * sw) : 0));
		}
	}
}

static const struct tap_test tests[] = {
	{ "latency passes first", latency },
	{ "one write at a time per link", one_at_a_time },
	{ "a source in pieces", pieces },
	{ "short and oversize", short_and_oversize },
	{ "delayed responses", delayed },
	{ "a line in error is not stored", errors },
	{ "lines outside the HBM", outside_the_hbm },
	{ "abort at each stage", abort_at_each_stage },
	{ "drain, and changes while not drained", drain },
	{ "configuration generations", generations },
	{ "receive descriptors", receivers },
	{ "semaphores", semaphore },
	{ "the last sixteen rejects", rejects },
	{ "connections that may not send", stopped_connection },
	{ "snapshot, reset of counters, reset", snapshot_and_reset },
	{ "flights that are not valid", not_valid },
	{ "flights loaded from bad bytes", loaded_flights },
	{ "two links on one clock", beats_side_by_side },
	{ "links on threads of their own", on_threads },
	{ "realign, its byte enables, strobes", lanes },
};

TAP_MAIN(tests)
