// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two engines in lock step. Each round is a random scenario; every write
 * of it goes to a card with the bulk engine, its source cut at random and its
 * flight saved and loaded in between, and to one with the beat engine. After
 * each write these must agree: record, counters, all of the HBM with each
 * other and with a memory that gets the bytes one by one; the beat engine's
 * strobes and the bulk engine's stores must be exactly those bytes.
 *
 * usage: differential [--writes N] [--seed S]; with a seed, that round alone.
 * The first difference ends the run; the round is printed as a scenario file.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/apply.h"
#include "scenario_gen.h"

#define ROUND		150u	/* writes */
#define FIRST_SEED	1u
#define HBM		SCENARIO_GEN_HBM

struct side {
	struct ocf_card card;
	struct ocf_record rec;
	uint64_t now;
	uint8_t *stored;	/* how often each byte was, by this write */
};

static struct {
	uint64_t seed;
	const char *text;
	struct ocf_scn scn;
	uint64_t rng;
	unsigned int nr;	/* of the write in the round */
	uint8_t *memory;	/* what the HBM should hold */
	uint8_t *wanted;	/* bytes this write should store */
	struct side bulk, beat;
	struct ocf_beat engine[OCF_REPLICAS];
	uint64_t addr;		/* of the write in flight */
	uint32_t bytes, lines, answered;
	uint64_t asked_at[OCF_BEAT_DEPTH];
	uint64_t last_b[OCF_REPLICAS];
	uint32_t delay;		/* the longest of its lines */
} t;

static void differ(const char *fmt, ...)
	__attribute__((format(printf, 1, 2), noreturn));

static void differ(const char *fmt, ...)
{
	const char *line;
	va_list ap;

	printf("# seed %" PRIu64 ", write %u of the round: ", t.seed, t.nr);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n# again: differential --seed %" PRIu64 "; the round:\n",
	       t.seed);
	for (line = t.text; *line; line = strchr(line, '\n') + 1)
		printf("#   %.*s\n", (int)strcspn(line, "\n"), line);
	printf("not ok 1 both engines do the same\n");
	exit(1);
}

static uint32_t below(uint32_t n)
{
	t.rng = t.rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)((t.rng >> 33) % n);
}

/* At any time, with a write in flight too. */
static void must_add_up(const struct ocf_card *card, unsigned int link)
{
	if (!ocf_link_adds_up(&card->link[link]))
		differ("link %u: the stages do not add up, the write is in %u",
		       link, ocf_link_where(&card->link[link]).at);
}

/* ---- what the engines say while they work --------------------------------- */

static void bulk_wrote(void *opaque, uint64_t addr, uint64_t len)
{
	struct side *side = opaque;
	uint64_t i;

	if (addr > HBM || len > HBM - addr)
		differ("%s stores outside the HBM",
		       side == &t.bulk ? "bulk" : "beat");
	for (i = addr; i < addr + len; i++)
		side->stored[i]++;
}

static uint64_t strobes(uint64_t line)
{
	uint64_t strb = 0;
	unsigned int i;

	for (i = 0; i < 64; i++)
		if (line + i - t.addr < t.bytes)
			strb |= 1ULL << i;
	return strb;
}

static void beat_aw(void *opaque, uint64_t cycle, uint64_t addr, uint64_t strb)
{
	struct ocf_beat *beat = opaque;
	uint64_t line = (t.addr & ~63ULL) + 64ULL * t.lines;
	uint64_t latency = t.beat.card.config.latency;

	if (addr != line)
		differ("line %u is 0x%" PRIx64 ", not 0x%" PRIx64, t.lines,
		       addr, line);
	if (strb != strobes(line) || !strb)
		differ("line %u: strobes %016" PRIx64 ", not %016" PRIx64,
		       t.lines, strb, strobes(line));
	if (!t.lines && cycle < t.last_b[beat->link] + latency)
		differ("aw at %" PRIu64 ", last b of the write before at %"
		       PRIu64 ", latency %" PRIu64, cycle,
		       t.last_b[beat->link], latency);
	t.asked_at[t.lines++ % OCF_BEAT_DEPTH] = cycle;
}

static void beat_b(void *opaque, uint64_t cycle, uint64_t addr,
		   enum ocf_resp resp)
{
	struct ocf_beat *beat = opaque;
	const struct ocf_fault *fault =
		ocf_fault_find(&t.beat.card.faults, addr);
	enum ocf_resp right = addr >= HBM ? OCF_DECERR :
			      fault ? (enum ocf_resp)fault->resp : OCF_OKAY;
	uint64_t asked = t.asked_at[t.answered % OCF_BEAT_DEPTH];

	if (addr != (t.addr & ~63ULL) + 64ULL * t.answered)
		differ("response %u is for 0x%" PRIx64, t.answered, addr);
	if (resp != right)
		differ("line 0x%" PRIx64 " answered %d, not %d", addr, resp,
		       right);
	if (cycle <= asked || cycle - asked < (fault ? fault->delay : 0))
		differ("line 0x%" PRIx64 " answered at %" PRIu64 ", asked at %"
		       PRIu64, addr, cycle, asked);
	if (t.answered && cycle <= t.last_b[beat->link])
		differ("two responses at %" PRIu64, cycle);
	t.answered++;
	t.last_b[beat->link] = cycle;
}

/* ---- one write on each side ----------------------------------------------- */

static void save_and_load(struct ocf_flight *f)
{
	struct ocf_flight saved = *f;

	if (!ocf_flight_valid(f))
		differ("a real flight is not valid, stage %u", f->stage);
	memset(f, 0xa5, sizeof(*f));
	*f = saved;
}

static void feed(unsigned int link, struct ocf_scn_payload *payload)
{
	static uint8_t piece[8192];
	uint32_t left = ocf_bulk_left(&t.bulk.card, link), n;

	n = below(3) ? 1 + below(sizeof(piece)) : 1 + below(70);
	if (n > left)
		n = left;
	ocf_scn_payload_fill(payload, piece, n);
	if (ocf_bulk_feed(&t.bulk.card, link, piece, n, t.bulk.now) != n)
		differ("bulk does not take what it wants");
	memset(piece, 0xee, n);
}

static void run_bulk(unsigned int link, struct ocf_scn_payload payload,
		     uint64_t began)
{
	struct ocf_flight *f = &t.bulk.card.link[link].flight;
	uint64_t due = began + t.bulk.card.config.latency + t.delay;

	while (!ocf_link_finish(&t.bulk.card, link, t.bulk.now, &t.bulk.rec)) {
		must_add_up(&t.bulk.card, link);
		if (!below(4))
			save_and_load(f);
		switch (ocf_bulk_want(&t.bulk.card, link, t.bulk.now)) {
		case OCF_WANT_TIME:
			t.bulk.now = f->go_at;
			break;
		case OCF_WANT_BYTES:
			feed(link, &payload);
			break;
		default:
			differ("bulk does not finish");
		}
	}
	if (t.bulk.now != due)
		differ("bulk is done at %" PRIu64 ", not %" PRIu64, t.bulk.now,
		       due);
}

static void run_beat(unsigned int link, struct ocf_scn_payload payload)
{
	struct ocf_beat *beat = &t.engine[link];
	uint8_t data[OCF_LINE];
	uint64_t next;

	for (;;) {
		if (ocf_beat_ready(beat, t.beat.now)) {
			ocf_scn_payload_fill(&payload, data, sizeof(data));
			ocf_beat_clock(beat, data, t.beat.now);
		} else {
			ocf_beat_clock(beat, NULL, t.beat.now);
		}
		must_add_up(&t.beat.card, link);
		if (ocf_beat_finish(beat, t.beat.now, &t.beat.rec))
			return;
		next = ocf_beat_next(beat, t.beat.now);
		if (next <= t.beat.now || next == UINT64_MAX)
			differ("beat does not finish");
		t.beat.now = next;
	}
}

/* All in one, where the engine can do that at once; or else the rest of it. */
static enum ocf_take bulk_at_once(const struct ocf_scn_write *w,
				  const struct ocf_write *meta,
				  struct ocf_scn_payload payload)
{
	uint8_t *data = malloc(w->bytes + !w->bytes);
	struct ocf_scn_payload all = payload;
	enum ocf_done done;

	ocf_scn_payload_fill(&all, data, w->bytes);
	done = ocf_bulk_write(&t.bulk.card, w->link, meta, data, t.bulk.now,
			      &t.bulk.rec);
	free(data);
	if (done == OCF_DONE_REJECTED)
		return OCF_REJECTED;
	if (done == OCF_NOT_TAKEN)
		return OCF_BUSY;
	if (done == OCF_DONE && t.bulk.card.config.latency + t.delay)
		differ("bulk does not wait");
	if (done == OCF_NOT_DONE) {
		uint32_t left = ocf_bulk_left(&t.bulk.card, w->link);

		if (left && left != w->bytes)
			differ("bulk took half of it");
		run_bulk(w->link, payload, t.bulk.now);
	}
	return OCF_TAKEN;
}

/* The bytes one by one, into the lines that take them. */
static void expect(const struct ocf_scn_write *w,
		   struct ocf_scn_payload payload)
{
	const struct ocf_fault *fault;
	uint8_t byte;
	uint32_t i;

	for (i = 0; i < w->bytes; i++) {
		ocf_scn_payload_fill(&payload, &byte, 1);
		fault = ocf_fault_find(&t.bulk.card.faults, t.addr + i);
		if (fault && t.delay < fault->delay)
			t.delay = fault->delay;
		if (t.addr + i >= HBM || (fault && fault->resp != OCF_OKAY))
			continue;
		t.memory[t.addr + i] = byte;
		t.wanted[t.addr + i] = 1;
	}
}

/* ---- comparing ------------------------------------------------------------ */

static void same_records(const struct ocf_record *a, const struct ocf_record *b)
{
	if (a->verdict != b->verdict)
		differ("verdict: bulk %s, beat %s",
		       ocf_counter_names[a->verdict],
		       ocf_counter_names[b->verdict]);
	if (a->peer != b->peer || a->misrouted != b->misrouted ||
	    a->is_short != b->is_short || a->qpn != b->qpn ||
	    a->bytes != b->bytes || a->lines != b->lines ||
	    a->oversize != b->oversize || a->kind != b->kind)
		differ("records: bulk peer %u bytes %u lines %u oversize %u, "
		       "beat peer %u bytes %u lines %u oversize %u", a->peer,
		       a->bytes, a->lines, a->oversize, b->peer, b->bytes,
		       b->lines, b->oversize);
}

static void same_counters(unsigned int link)
{
	const struct ocf_counters *a = &t.bulk.card.link[link].counters;
	const struct ocf_counters *b = &t.beat.card.link[link].counters;
	int i;

	for (i = 0; i < OCF_NR_COUNTERS; i++)
		if (a->c[i] != b->c[i])
			differ("link %u: %s: bulk %" PRIu64 ", beat %" PRIu64,
			       link, ocf_counter_names[i], a->c[i], b->c[i]);
	if (!ocf_counters_add_up(a))
		differ("link %u: the counters do not add up", link);
	if (memcmp(&t.bulk.card.link[link].path, &t.beat.card.link[link].path,
		   sizeof(struct ocf_path_counts)))
		differ("link %u: stages: bulk and beat differ", link);
}

static void same_bytes(const char *what, const uint8_t *a, const uint8_t *b)
{
	unsigned int i = 0;

	if (!memcmp(a, b, HBM))
		return;
	while (a[i] == b[i])
		i++;
	differ("%s: byte 0x%x: %02x, not %02x", what, i, a[i], b[i]);
}

static void compare(unsigned int link)
{
	must_add_up(&t.bulk.card, link);
	must_add_up(&t.beat.card, link);
	same_records(&t.bulk.rec, &t.beat.rec);
	same_counters(link);
	same_bytes("bulk stores", t.bulk.stored, t.wanted);
	same_bytes("beat stores", t.beat.stored, t.wanted);
	same_bytes("HBM of bulk", t.bulk.card.hbm, t.memory);
	same_bytes("HBM of beat", t.beat.card.hbm, t.memory);
}

/* ---- rounds --------------------------------------------------------------- */

static void begin_write(const struct ocf_scn_write *w)
{
	const struct ocf_config *cfg = &t.bulk.card.config;
	uint8_t peer = w->qpn < OCF_QPNS ? cfg->conn[w->link][w->qpn] :
					   OCF_NO_PEER;

	memset(t.wanted, 0, HBM);
	memset(t.bulk.stored, 0, HBM);
	memset(t.beat.stored, 0, HBM);
	t.addr = peer < OCF_REPLICAS ? cfg->region[peer].base + w->raddr : 0;
	t.bytes = w->bytes;
	t.lines = 0;
	t.answered = 0;
	t.delay = 0;
}

static enum ocf_take run_bulk_side(const struct ocf_scn_write *w,
				   const struct ocf_write *meta,
				   struct ocf_scn_payload payload)
{
	enum ocf_take take;

	if (w->bytes < 8192 && below(2))
		return bulk_at_once(w, meta, payload);
	take = ocf_link_begin(&t.bulk.card, w->link, meta, t.bulk.now,
			      &t.bulk.rec);
	if (take == OCF_TAKEN)
		run_bulk(w->link, payload, t.bulk.now);
	return take;
}

static void run_write(const struct ocf_scn_write *w)
{
	struct ocf_write meta = {
		.raddr = w->raddr, .qpn = w->qpn, .len = w->len,
		.beats = w->beats_said ? w->beats : 0,
	};
	struct ocf_scn_payload payload;
	enum ocf_take a, b;

	begin_write(w);
	ocf_scn_payload_init(&payload, &t.scn, w);
	b = ocf_beat_begin(&t.engine[w->link], &meta, t.beat.now, &t.beat.rec);
	if (b == OCF_TAKEN) {
		expect(w, payload);
		run_beat(w->link, payload);
		if (t.lines != t.beat.rec.lines || t.answered != t.lines)
			differ("%u lines issued, %u answered, %u recorded",
			       t.lines, t.answered, t.beat.rec.lines);
	}
	a = run_bulk_side(w, &meta, payload);
	if (a != b || a == OCF_BUSY)
		differ("taken: bulk %d, beat %d", a, b);
	compare(w->link);
	t.nr++;
}

static void configure(struct side *side, const struct ocf_scn_stmt *st)
{
	if (st->op == OCF_SCN_FAULT) {
		if (!ocf_scn_inject(&side->card, st))
			differ("no room for a fault");
		return;
	}
	ocf_card_drain(&side->card);
	ocf_scn_configure(ocf_card_configure(&side->card), st);
	ocf_card_resume(&side->card);
}

static void new_side(struct side *side)
{
	struct ocf_card *card = &side->card;

	memset(side, 0, sizeof(*side));
	card->config.max_windows = t.scn.nr_windows;
	card->config.windows = calloc(t.scn.nr_windows + 1,
				      sizeof(struct ocf_window));
	card->config.reach = calloc(t.scn.nr_windows + 1,
				    sizeof(struct ocf_reach));
	card->faults.max = 512;
	card->faults.slot = calloc(512, sizeof(struct ocf_fault));
	card->hbm = aligned_alloc(64, HBM);
	card->hbm_size = HBM;
	memset(card->hbm, 0, HBM);
	side->stored = calloc(1, HBM);
	card->hooks.opaque = side;
	card->hooks.wrote = bulk_wrote;
	ocf_card_reset(card);
}

static void free_side(struct side *side)
{
	free(side->card.config.windows);
	free(side->card.config.reach);
	free(side->card.faults.slot);
	free(side->card.hbm);
	free(side->stored);
}

static void new_engines(void)
{
	unsigned int link;

	for (link = 0; link < OCF_REPLICAS; link++) {
		ocf_beat_init(&t.engine[link], &t.beat.card, link);
		t.engine[link].opaque = &t.engine[link];
		t.engine[link].aw = beat_aw;
		t.engine[link].b = beat_b;
	}
}

static void run_round(uint64_t seed)
{
	char *text = scenario_generate(seed, ROUND), err[256];
	size_t i;

	memset(&t, 0, sizeof(t));
	t.seed = t.rng = seed;
	t.text = text;
	if (!ocf_scn_parse(&t.scn, "round", text, strlen(text), err,
			   sizeof(err)))
		differ("the round does not parse: %s", err);
	t.memory = calloc(1, HBM);
	t.wanted = calloc(1, HBM);
	new_side(&t.bulk);
	new_side(&t.beat);
	new_engines();

	for (i = 0; i < t.scn.nr; i++) {
		if (t.scn.stmt[i].op == OCF_SCN_WRITE) {
			run_write(&t.scn.stmt[i].write);
		} else if (t.scn.stmt[i].op != OCF_SCN_HBM) {
			configure(&t.bulk, &t.scn.stmt[i]);
			configure(&t.beat, &t.scn.stmt[i]);
		}
	}

	free_side(&t.bulk);
	free_side(&t.beat);
	free(t.memory);
	free(t.wanted);
	ocf_scn_free(&t.scn);
	free(text);
}

int main(int argc, char **argv)
{
	unsigned long writes = 300000, seed = 0, done;
	int i;

	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--writes"))
			writes = strtoul(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--seed"))
			seed = strtoul(argv[i + 1], NULL, 0);
	}
	printf("TAP version 13\n1..1\n");
	if (seed) {
		run_round(seed);
		writes = ROUND;
	}
	for (done = 0; !seed && done < writes; done += ROUND)
		run_round(FIRST_SEED + done / ROUND);
	printf("ok 1 both engines do the same in %lu writes\n", writes);
	return 0;
}
