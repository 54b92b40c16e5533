// SPDX-License-Identifier: LGPL-2.1-or-later
/* Words found in a region, held against those that may be there */
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "workload.h"

#define WORD	8u

/*
 * The card stores an aligned word that a write covers whole as a whole, and its
 * other bytes one by one; a reader may load them likewise.
 */
static void load(uint8_t *to, const uint8_t *from, uint32_t count)
{
	if (count == WORD) {
		uint64_t word = *(const volatile uint64_t *)(const void *)from;

		memcpy(to, &word, sizeof(word));
		return;
	}
	while (count--)
		*to++ = *(const volatile uint8_t *)from++;
}

static void hex(char *to, const uint8_t *bytes, uint32_t count)
{
	while (count--) {
		sprintf(to, "%02x", *bytes++);
		to += 2;
	}
}

static void torn(struct wl_replica *r, unsigned int src,
		 const struct wl_message *m, uint64_t at, const uint8_t *want,
		 const uint8_t *found, uint32_t count)
{
	char new[2 * WORD + 1] = "", old[2 * WORD + 1] = "", now[2 * WORD + 1] = "";

	hex(new, want, count);
	hex(old, r->shadow + at, count);
	hex(now, found, count);
	wl_fail(r, "replica %u, link %u, %s slot %u, message %" PRIu64
		", offset 0x%" PRIx64 ": expected %s or still %s, found %s",
		r->id, src, r->plan->shape->channel[m->channel].name,
		wl_message_slot(r->plan, m), m->k, at, new, old, now);
}

/* A word, or at the ends of a message the part of one. */
static enum wl_seen compare_word(const struct wl_replica *r, uint64_t at,
				 const uint8_t *want, const uint8_t *found,
				 uint32_t count)
{
	const uint8_t *old = r->shadow + at;
	uint32_t i;

	if (!memcmp(found, want, count))
		return WL_NEW;
	if (!memcmp(found, old, count))
		return WL_OLD;
	if (count == WORD)
		return WL_WRONG;
	for (i = 0; i < count; i++)
		if (found[i] != want[i] && found[i] != old[i])
			return WL_WRONG;
	return WL_PARTLY;
}

enum wl_seen wl_compare(struct wl_replica *r, unsigned int src,
			const struct wl_message *m, uint64_t offset,
			const uint8_t *want)
{
	bool new = false, old = false;
	uint32_t done = 0;

	while (done < m->len) {
		uint64_t at = offset + done;
		uint32_t count = WORD - at % WORD;
		uint8_t found[WORD];

		if (count > m->len - done)
			count = m->len - done;
		load(found, r->region + at, count);
		switch (compare_word(r, at, want + done, found, count)) {
		case WL_NEW:
			new = true;
			break;
		case WL_OLD:
			old = true;
			break;
		case WL_PARTLY:
			new = true;
			old = true;
			break;
		case WL_WRONG:
			torn(r, src, m, at, want + done, found, count);
			return WL_WRONG;
		}
		done += count;
	}
	if (old)
		return new ? WL_PARTLY : WL_OLD;
	memcpy(r->shadow + offset, want, m->len);
	return WL_NEW;
}

/* ---- at the end --------------------------------------------------------- */

static void expect64(struct wl_replica *r, uint64_t at, uint64_t value)
{
	value = htole64(value);
	memcpy(r->shadow + at, &value, sizeof(value));
}

/* The last bad writes of each kind that were carried out decide. */
static void expect_scratch(struct wl_replica *r, unsigned int src)
{
	uint64_t rounds = r->limit->rounds, round;
	uint8_t data[WL_BAD_DATA];
	struct wl_write w;

	round = rounds > 2 * WL_BAD_KINDS ? rounds - 2 * WL_BAD_KINDS : 0;
	for (; round < rounds; round++) {
		wl_bad(r->plan, src, round, data, &w);
		if (w.bytes)
			memcpy(r->shadow + w.raddr, data, w.bytes);
	}
}

static void expect_area(struct wl_replica *r, unsigned int src, uint64_t last)
{
	const struct wl_area *area = &r->plan->area[src][r->id];

	if (!wl_has_area(r->plan, src, r->id))
		return;
	expect64(r, area->credit, r->out[src].per_round * r->limit->rounds);
	if (!area->scratch)
		return;
	expect_scratch(r, src);
	expect64(r, area->revocable, last);
}

static int check_semaphores(struct wl_replica *r)
{
	uint32_t rounds = (uint32_t)r->limit->rounds, found;
	unsigned int src;

	if (!r->plan->semaphores)
		return 0;
	for (src = 0; src < OCFABRIC_SEMAPHORES; src++) {
		bool used = src < r->plan->n && r->in[src].per_round;

		found = r->port->ops->semaphore(r->port, src);
		if (found != (used ? rounds : 0))
			return wl_fail(r, "replica %u, semaphore %u: expected %u, found %u",
				       r->id, src, used ? rounds : 0, found);
	}
	return 0;
}

static int different(struct wl_replica *r, uint64_t at)
{
	char want[2 * WORD + 1] = "", found[2 * WORD + 1] = "";
	unsigned int src;

	hex(want, r->shadow + at, WORD);
	hex(found, r->region + at, WORD);
	for (src = 0; src < r->plan->n; src++) {
		const struct wl_area *area = &r->plan->area[src][r->id];

		if (at >= area->base && at - area->base < area->length)
			return wl_fail(r, "replica %u, link %u's area, offset 0x%" PRIx64
				       ": expected %s in the end, found %s",
				       r->id, src, at, want, found);
	}
	return wl_fail(r, "replica %u, offset 0x%" PRIx64
		       ", which nobody may write: expected %s, found %s",
		       r->id, at, want, found);
}

int wl_verify_all(struct wl_replica *r, const uint64_t *last)
{
	unsigned int src;
	uint64_t at;

	for (src = 0; src < r->plan->n; src++)
		expect_area(r, src, last[src]);
	if (check_semaphores(r))
		return -1;
	for (at = 0; at < r->plan->region_size; at += WORD)
		if (memcmp(r->region + at, r->shadow + at, WORD))
			return different(r, at);
	return 0;
}
