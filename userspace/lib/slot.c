// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A slot of a channel: is what lies there one whole message?
 */
#include <string.h>

#include "channel.h"

/*
 * One step is a bijection of the state for any given word, and of the word for
 * any given state: two messages that differ in one word never have the same
 * check, others by a chance of 2^-64.
 */
static uint64_t step(uint64_t state, uint64_t word)
{
	state = (state ^ word) * 0x9e3779b97f4a7c15ULL;
	return state ^ state >> 29;
}

static uint64_t begin(uint32_t stream, uint64_t word)
{
	return step(step(0x6f63666162726963ULL, stream), word);
}

uint64_t ocf_slot_check(uint32_t stream, uint64_t word, const void *data)
{
	uint64_t state = begin(stream, word), w;
	uint32_t len = (uint32_t)(word >> 32);
	const uint8_t *from = data;

	for (; len >= sizeof(w); len -= sizeof(w), from += sizeof(w)) {
		memcpy(&w, from, sizeof(w));
		state = step(state, w);
	}
	w = 0;
	memcpy(&w, from, len);
	return step(state, w);
}

/* The last bytes of a message, which are no whole word. */
static uint64_t load_tail(const volatile uint8_t *from, uint32_t len)
{
	uint8_t bytes[sizeof(uint64_t)] = { 0 };
	uint64_t w;
	uint32_t i;

	for (i = 0; i < len; i++)
		bytes[i] = from[i];
	memcpy(&w, bytes, sizeof(w));
	return w;
}

bool ocf_slot_take(const volatile uint8_t *slot, uint32_t stream, uint64_t word,
		   void *to)
{
	const volatile uint8_t *from = slot + OCF_CHANNEL_HEADER;
	uint64_t state = begin(stream, word), check, w;
	uint32_t len = (uint32_t)(word >> 32);
	uint8_t *p = to;

	ocf_rmb_flag_before_data();
	check = ocf_load64(slot);
	for (; len >= sizeof(w); len -= sizeof(w), from += sizeof(w)) {
		w = ocf_load64(from);
		state = step(state, w);
		if (p) {
			memcpy(p, &w, sizeof(w));
			p += sizeof(w);
		}
	}
	w = load_tail(from, len);
	if (p)
		memcpy(p, &w, len);
	if (step(state, w) != check)
		return false;
	/* What was copied is that message if it is still there. */
	ocf_rmb_flag_before_data();
	return ocf_load64(slot + sizeof(w)) == word;
}
