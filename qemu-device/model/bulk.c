// SPDX-License-Identifier: GPL-2.0-or-later
/* The bulk engine: source bytes in pieces of any size, stored line by line. */
#include <string.h>

#include "flight.h"

enum ocf_want ocf_bulk_want(const struct ocf_card *card, unsigned int link,
			    uint64_t now)
{
	const struct ocf_flight *f = &card->link[link].flight;

	if (f->stage == OCF_STAGE_IDLE)
		return OCF_WANT_WRITE;
	if (f->stage == OCF_STAGE_MOVING)
		return OCF_WANT_BYTES;
	if (now < f->go_at)
		return OCF_WANT_TIME;
	return f->taken < f->bytes ? OCF_WANT_BYTES : OCF_WANT_FINISH;
}

uint32_t ocf_bulk_left(const struct ocf_card *card, unsigned int link)
{
	const struct ocf_flight *f = &card->link[link].flight;

	return f->stage == OCF_STAGE_IDLE ? 0 : f->bytes - f->taken;
}

static void store(struct ocf_card *card, uint64_t addr, const uint8_t *src,
		  size_t n)
{
	ocf_copy(card->hbm + addr, src, n);
	if (card->hooks.wrote)
		card->hooks.wrote(card->hooks.opaque, addr, n);
}

/* One line, or part of one, that is answered on its own. */
static void issue_line(struct ocf_card *card, struct ocf_flight *f,
		       uint64_t addr, const uint8_t *src, size_t n,
		       uint64_t now)
{
	const struct ocf_fault *fault = ocf_fault_find(&card->faults, addr);

	if (fault)
		ocf_flight_wait_until(f, now + fault->delay);
	if ((fault && fault->resp != OCF_OKAY) || !ocf_in_hbm(card, addr, n))
		f->failed = true;
	else
		store(card, addr, src, n);
}

static void issue_lines(struct ocf_card *card, struct ocf_flight *f,
			uint64_t addr, const uint8_t *src, size_t n,
			uint64_t now)
{
	size_t part;

	while (n) {
		part = OCF_LINE - (addr & OCF_LINE_MASK);
		if (part > n)
			part = n;
		issue_line(card, f, addr, src, part, now);
		addr += part;
		src += part;
		n -= part;
	}
}

/* [addr, addr + n) starts where its line does, or the write does. */
static void issue(struct ocf_card *card, struct ocf_flight *f, uint64_t addr,
		  const uint8_t *src, size_t n, uint64_t now)
{
	f->lines += ocf_lines(addr, n);
	if (!card->faults.count && ocf_in_hbm(card, addr, n))
		store(card, addr, src, n);
	else
		issue_lines(card, f, addr, src, n, now);
}

/* Bytes of an unfinished line that were taken and not issued. */
static uint32_t held(const struct ocf_flight *f)
{
	uint32_t in_line = (f->addr + f->taken) & OCF_LINE_MASK;

	return in_line < f->taken ? in_line : f->taken;
}

/*
 * Adds source bytes to a line that was begun by an earlier piece, and issues
 * it once it is complete. Returns how many were taken.
 */
static uint32_t fill_line(struct ocf_card *card, struct ocf_flight *f,
			  const uint8_t *src, uint32_t n, uint64_t now)
{
	uint32_t have = held(f), in_line = (f->addr + f->taken) & OCF_LINE_MASK;
	uint32_t take = OCF_LINE - in_line;

	if (take > n)
		take = n;
	memcpy(f->tail + in_line, src, take);
	f->taken += take;
	if (in_line + take == OCF_LINE || f->taken == f->bytes)
		issue(card, f, f->addr + f->taken - have - take,
		      f->tail + in_line - have, have + take, now);
	return take;
}

/* The source ends inside a line that the write goes on with: keep its start. */
static void hold(struct ocf_flight *f, const uint8_t *src, uint32_t n)
{
	uint32_t in_line = (f->addr + f->taken) & OCF_LINE_MASK;

	memcpy(f->tail + in_line, src, n);
	f->taken += n;
}

/* How many of n bytes can be issued: whole lines, or all up to the end. */
static uint32_t whole(const struct ocf_flight *f, uint32_t n)
{
	uint32_t over = (f->addr + f->taken + n) & OCF_LINE_MASK;

	if (f->taken + n == f->bytes)
		return n;
	return over < n ? n - over : 0;
}

static void take(struct ocf_card *card, struct ocf_flight *f,
		 const uint8_t *src, uint32_t n, uint64_t now)
{
	uint32_t part = 0;

	if (held(f)) {
		part = fill_line(card, f, src, n, now);
		src += part;
		n -= part;
	}
	part = n ? whole(f, n) : 0;
	if (part) {
		issue(card, f, f->addr + f->taken, src, part, now);
		f->taken += part;
	}
	if (n > part)
		hold(f, src + part, n - part);
}

size_t ocf_bulk_feed(struct ocf_card *card, unsigned int link,
		     const void *data, size_t n, uint64_t now)
{
	struct ocf_link *l = &card->link[link];
	struct ocf_flight *f = &l->flight;

	ocf_flight_wake(l, now);
	if (f->stage != OCF_STAGE_MOVING)
		return 0;
	if (n > f->bytes - f->taken)
		n = f->bytes - f->taken;
	if (n) {
		take(card, f, data, (uint32_t)n, now);
		f->since = now;
	}
	if (f->taken == f->bytes) {
		ocf_path_moved(l);
		ocf_path_issued(l);
		f->stage = OCF_STAGE_RESPONSES;
	}
	return n;
}

/* Nothing can make the write wait, or a line of it fail. */
static bool goes_at_once(const struct ocf_card *card,
			 const struct ocf_flight *f, uint64_t now)
{
	return f->bytes && f->go_at == now && !card->faults.count &&
	       ocf_in_hbm(card, f->addr, f->bytes);
}

enum ocf_done ocf_bulk_write(struct ocf_card *card, unsigned int link,
			     const struct ocf_write *w, const void *data,
			     uint64_t now, struct ocf_record *rec)
{
	struct ocf_link *l = &card->link[link];
	struct ocf_judgement j;
	struct ocf_flight f OCF_UNINITIALIZED;

	if (!ocf_link_takes(card, l))
		return OCF_NOT_TAKEN;
	j = ocf_link_judge(card, link, w);
	if (j.verdict != OCF_COMMITTED) {
		ocf_link_reject(card, l, w, j, now, rec);
		return OCF_DONE_REJECTED;
	}
	ocf_flight_start(&f, card, w, j, now);
	if (goes_at_once(card, &f, now)) {
		ocf_flight_take_psns(&f, l);
		f.lines = ocf_lines(f.addr, f.bytes);
		store(card, f.addr, data, f.bytes);
		/* nobody looks in between */
		ocf_path_judged(l);
		ocf_path_moves(l);
		ocf_path_moved(l);
		ocf_path_issued(l);
		ocf_flight_end(&f, card, l, ocf_flight_verdict(&f), rec);
		return OCF_DONE;
	}
	ocf_flight_start(&l->flight, card, w, j, now);
	ocf_flight_take_psns(&l->flight, l);
	ocf_bulk_feed(card, link, data, ocf_bulk_left(card, link), now);
	return ocf_link_finish(card, link, now, rec) ? OCF_DONE : OCF_NOT_DONE;
}
