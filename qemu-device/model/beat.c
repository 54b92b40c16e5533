// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The beat engine: the data path as the hardware has it, a beat in and a line
 * out each clock, and a queue of lines that wait for their B response.
 */
#include <string.h>

#include "internal.h"

void ocf_beat_init(struct ocf_beat *beat, struct ocf_card *card,
		   unsigned int link)
{
	memset(beat, 0, sizeof(*beat));
	beat->card = card;
	beat->link = link;
}

static struct ocf_link *link_of(const struct ocf_beat *beat)
{
	return &beat->card->link[beat->link];
}

static struct ocf_flight *flight(const struct ocf_beat *beat)
{
	return &link_of(beat)->flight;
}

enum ocf_take ocf_beat_begin(struct ocf_beat *beat, const struct ocf_write *w,
			     uint64_t now, struct ocf_record *rec)
{
	enum ocf_take take = ocf_link_begin(beat->card, beat->link, w, now,
					    rec);

	if (take != OCF_TAKEN)
		return take;
	memset(beat->prev, 0, sizeof(beat->prev));
	beat->prev_keep = 0;
	beat->nr_out = 0;
	return take;
}

/* Data may go at `now`, and the HBM has room for one more line. */
static bool moving(const struct ocf_beat *beat, uint64_t now)
{
	const struct ocf_flight *f = flight(beat);

	if (beat->nr_out == OCF_BEAT_DEPTH)
		return false;
	return f->stage == OCF_STAGE_MOVING ||
	       (f->stage == OCF_STAGE_LATENCY && f->bytes && now >= f->go_at);
}

bool ocf_beat_ready(const struct ocf_beat *beat, uint64_t now)
{
	const struct ocf_flight *f = flight(beat);

	return moving(beat, now) && f->taken < f->bytes;
}

static struct ocf_beat_b *oldest(struct ocf_beat *beat)
{
	return &beat->out[beat->head];
}

static void respond(struct ocf_beat *beat, uint64_t now)
{
	struct ocf_beat_b *b;

	while (beat->nr_out && oldest(beat)->due <= now) {
		b = oldest(beat);
		if (b->resp != OCF_OKAY)
			flight(beat)->failed = true;
		if (beat->b)
			beat->b(beat->opaque, now, b->addr,
				(enum ocf_resp)b->resp);
		beat->head = (beat->head + 1) % OCF_BEAT_DEPTH;
		beat->nr_out--;
	}
}

/* In order, one a clock, not before the line's own delay. */
static uint64_t due(const struct ocf_beat *beat, const struct ocf_fault *fault,
		    uint64_t now)
{
	uint64_t cycle = now + 1 + (fault ? fault->delay : 0);
	uint32_t last = (beat->head + beat->nr_out - 1) % OCF_BEAT_DEPTH;

	if (beat->nr_out && cycle <= beat->out[last].due)
		cycle = beat->out[last].due + 1;
	return cycle;
}

/* A strobe is one run of bytes: a line is never written in two pieces. */
static void write_lanes(struct ocf_card *card, uint64_t addr,
			const uint8_t line[OCF_LINE], uint64_t strb)
{
	unsigned int first = (unsigned int)__builtin_ctzll(strb);
	unsigned int n = (unsigned int)__builtin_popcountll(strb);

	ocf_copy(card->hbm + addr + first, line + first, n);
	if (card->hooks.wrote)
		card->hooks.wrote(card->hooks.opaque, addr + first, n);
}

static void issue(struct ocf_beat *beat, const uint8_t line[OCF_LINE],
		  uint64_t strb, uint64_t now)
{
	struct ocf_card *card = beat->card;
	struct ocf_flight *f = flight(beat);
	uint64_t addr = (f->addr & ~OCF_LINE_MASK) +
			(uint64_t)f->lines * OCF_LINE;
	const struct ocf_fault *fault = ocf_fault_find(&card->faults, addr);
	struct ocf_beat_b b = { addr, due(beat, fault, now), OCF_OKAY };

	if (!ocf_in_hbm(card, addr, OCF_LINE))
		b.resp = OCF_DECERR;
	else if (fault)
		b.resp = fault->resp;

	f->lines++;
	f->since = now;
	if (beat->aw)
		beat->aw(beat->opaque, now, addr, strb);
	if (b.resp == OCF_OKAY)
		write_lanes(card, addr, line, strb);
	beat->out[(beat->head + beat->nr_out++) % OCF_BEAT_DEPTH] = b;
	ocf_flight_wait_until(f, b.due);
}

/* The write's end: dropped beats still take their clocks. */
static void end_of_data(struct ocf_link *l, uint64_t now)
{
	struct ocf_flight *f = &l->flight;

	ocf_path_issued(l);
	ocf_flight_wait_until(f, now + f->oversize);
	f->stage = OCF_STAGE_RESPONSES;
}

static unsigned int shift_of(const struct ocf_flight *f)
{
	return (f->addr & OCF_LINE_MASK) / 4;
}

static void take_beat(struct ocf_beat *beat, const uint8_t *data, uint64_t now)
{
	struct ocf_flight *f = flight(beat);
	uint64_t keep = ocf_strobe(f->bytes - f->taken);
	uint8_t line[OCF_LINE];

	ocf_realign(line, beat->prev, data, shift_of(f));
	issue(beat, line, ocf_realign_keep(beat->prev_keep, keep, shift_of(f)),
	      now);
	memcpy(beat->prev, data, OCF_LINE);
	beat->prev_keep = keep;
	f->taken += (uint32_t)__builtin_popcountll(keep);
	if (f->taken != f->bytes)
		return;
	ocf_path_moved(link_of(beat));
	if (!ocf_realign_keep(keep, 0, shift_of(f)))
		end_of_data(link_of(beat), now);
}

/* A line of its own for what the shift pushed past the last beat. */
static void issue_rest(struct ocf_beat *beat, uint64_t now)
{
	static const uint8_t nothing[OCF_LINE];
	struct ocf_flight *f = flight(beat);
	uint8_t line[OCF_LINE];

	ocf_realign(line, beat->prev, nothing, shift_of(f));
	issue(beat, line, ocf_realign_keep(beat->prev_keep, 0, shift_of(f)),
	      now);
	end_of_data(link_of(beat), now);
}

void ocf_beat_clock(struct ocf_beat *beat, const uint8_t *data, uint64_t now)
{
	struct ocf_flight *f = flight(beat);

	respond(beat, now);
	if (!moving(beat, now))
		return;
	ocf_flight_wake(link_of(beat), now);
	if (f->taken == f->bytes)
		issue_rest(beat, now);
	else if (data)
		take_beat(beat, data, now);
}

uint64_t ocf_beat_next(const struct ocf_beat *beat, uint64_t now)
{
	const struct ocf_flight *f = flight(beat);
	uint64_t next;

	if (moving(beat, now + 1))
		return now + 1;
	if (beat->nr_out)
		next = beat->out[beat->head].due;
	else
		next = f->stage == OCF_STAGE_IDLE ? UINT64_MAX : f->go_at;
	return next > now ? next : now + 1;
}

bool ocf_beat_finish(struct ocf_beat *beat, uint64_t now,
		     struct ocf_record *rec)
{
	return !beat->nr_out &&
	       ocf_link_finish(beat->card, beat->link, now, rec);
}
