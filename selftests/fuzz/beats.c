// SPDX-License-Identifier: GPL-2.0-only
/*
 * One write by the bulk engine, its source cut as the input says, and by the beat
 * engine; and both by a memory that takes the bytes one by one. The realigner against
 * a shift of 128 bytes.
 */
#include "card.h"
#include "fuzz.h"

#define HBM	0x2000u
#define FAULTS	4u

static struct test_card *side[2];	/* bulk, beat */
static uint8_t plain[HBM], source[HBM + 64];

static void realign(struct bytes *b)
{
	uint8_t both[2 * OCF_LINE], line[OCF_LINE];
	unsigned int sw = take8(b) & 15;
	uint64_t prev = take64(b), cur = take64(b), keep;
	unsigned int i;

	take(b, both, sizeof(both));
	ocf_realign(line, both, both + OCF_LINE, sw);
	keep = ocf_realign_keep(prev, cur, sw);
	for (i = 0; i < OCF_LINE; i++) {
		unsigned int from = OCF_LINE + i - 4 * sw;
		bool kept = from < OCF_LINE ? prev >> from & 1 :
					      cur >> (from - OCF_LINE) & 1;

		MUST(line[i] == both[from]);
		MUST((keep >> i & 1) == kept);
	}
}

static void set_up(unsigned int which, const uint8_t how[8],
		   const uint16_t faulted[FAULTS])
{
	struct test_card *t = side[which];
	struct ocf_config *cfg;
	unsigned int i;

	if (!t)
		t = side[which] = test_card_new(HBM);
	memset(t->hbm_memory, 0, HBM);
	t->nr_windows = 0;
	ocf_card_reset(&t->card);
	test_card_setup(t, 2, 0, HBM / 2);
	cfg = test_card_drain(t);
	cfg->latency = how[0] & 7;
	/* past the end of the HBM, now and then */
	cfg->region[1].base += (how[1] & 15) * 64u;
	test_card_resume(t);
	for (i = 0; i < (how[2] & FAULTS - 1); i++) {
		uint64_t line = faulted[i] % HBM & ~63u;

		if (how[3] >> i & 1)
			ocf_fault_set_resp(&t->card.faults, line, how[3] & 16 ?
					   OCF_SLVERR : OCF_DECERR);
		else
			ocf_fault_set_delay(&t->card.faults, line, how[4]);
	}
}

static bool run_bulk(struct bytes *b, const struct ocf_write *w,
		     struct ocf_record *rec)
{
	struct ocf_card *card = &side[0]->card;
	const uint8_t *at = source;
	uint64_t now = 0;

	if (ocf_link_begin(card, 0, w, now, rec) != OCF_TAKEN)
		return false;
	while (!ocf_link_finish(card, 0, now, rec)) {
		enum ocf_want want = ocf_bulk_want(card, 0, now);
		uint32_t left = ocf_bulk_left(card, 0), n = 1 + take8(b);

		MUST(ocf_flight_valid(&card->link[0].flight));
		MUST(ocf_link_adds_up(&card->link[0]));
		if (want == OCF_WANT_TIME) {
			MUST(card->link[0].flight.go_at > now);
			now = card->link[0].flight.go_at;
			continue;
		}
		MUST(want == OCF_WANT_BYTES);
		if (!b->left || n > left)
			n = left;
		MUST(ocf_bulk_feed(card, 0, at, n, now) == n);
		at += n;
	}
	return true;
}

static bool run_beat(const struct ocf_write *w, struct ocf_record *rec)
{
	struct ocf_card *card = &side[1]->card;
	const uint8_t *at = source;
	struct ocf_beat beat;
	uint64_t now = 0;

	ocf_beat_init(&beat, card, 0);
	if (ocf_beat_begin(&beat, w, now, rec) != OCF_TAKEN)
		return false;
	while (!ocf_beat_finish(&beat, now, rec)) {
		uint64_t next;
		bool ready = ocf_beat_ready(&beat, now);

		ocf_beat_clock(&beat, ready ? at : NULL, now);
		if (ready && at < source + HBM)
			at += OCF_LINE;
		MUST(ocf_link_adds_up(&card->link[0]));
		if (ocf_beat_finish(&beat, now, rec))
			break;
		next = ocf_beat_next(&beat, now);
		MUST(next > now && next != UINT64_MAX);
		now = next;
	}
	return true;
}

static void expect(const struct ocf_write *w)
{
	const struct ocf_card *card = &side[0]->card;
	uint64_t base = card->config.region[1].base;
	uint32_t i;

	for (i = 0; i < ocf_write_bytes(w); i++) {
		uint64_t at = base + w->raddr + i;
		const struct ocf_fault *f = ocf_fault_find(&card->faults, at);

		if (at < HBM && !(f && f->resp != OCF_OKAY))
			plain[at] = source[i];
	}
}

static void write_both(struct bytes *b)
{
	struct ocf_write w = {
		.raddr = take16(b) % (HBM / 2) & ~(take8(b) & 1 ? 0u : 3u),
		.len = take16(b) % (HBM / 2 + 8),
		.beats = take8(b) & 3 ? 0 : take8(b),
		.qpn = take8(b) & 7 ? 0 : take8(b),
	};
	struct ocf_record a = { 0 }, e = { 0 };
	bool passed;

	passed = run_bulk(b, &w, &a);
	MUST(run_beat(&w, &e) == passed);
	if (passed)
		expect(&w);
	MUST(a.verdict == e.verdict && a.peer == e.peer && a.bytes == e.bytes &&
	     a.lines == e.lines && a.oversize == e.oversize &&
	     a.is_short == e.is_short && a.misrouted == e.misrouted);
	MUST(!memcmp(&side[0]->card.link[0].counters,
		     &side[1]->card.link[0].counters, sizeof(struct ocf_counters)));
	MUST(ocf_counters_add_up(&side[0]->card.link[0].counters));
	MUST(!memcmp(side[0]->hbm_memory, plain, HBM));
	MUST(!memcmp(side[1]->hbm_memory, plain, HBM));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = { data, size };
	uint16_t faulted[FAULTS];
	uint8_t how[8];
	unsigned int i;

	realign(&b);
	take(&b, how, sizeof(how));
	take(&b, faulted, sizeof(faulted));
	set_up(0, how, faulted);
	set_up(1, how, faulted);
	memset(plain, 0, sizeof(plain));
	for (i = 0; i < sizeof(source); i++)
		source[i] = (uint8_t)(i * 7 + how[7] + 1);
	for (i = 0; i < 4; i++)
		write_both(&b);
	return 0;
}
