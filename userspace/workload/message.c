// SPDX-License-Identifier: LGPL-2.1-or-later
/* One message: where it lies, and its bytes */
#include <endian.h>
#include <string.h>

#include "workload.h"

void wl_message(const struct wl_plan *plan, unsigned int src, unsigned int dst,
		uint64_t k, struct wl_message *m)
{
	unsigned int per_round = plan->shape->per_round(plan, src, dst);

	memset(m, 0, sizeof(*m));
	m->after = -1;
	plan->shape->message(plan, src, dst, k / per_round,
			     (unsigned int)(k % per_round), m);
	m->k = k;
}

uint32_t wl_message_slot(const struct wl_plan *plan, const struct wl_message *m)
{
	return (uint32_t)(m->index % plan->shape->channel[m->channel].slots);
}

uint64_t wl_message_offset(const struct wl_plan *plan, unsigned int src,
			   unsigned int dst, const struct wl_message *m)
{
	const struct wl_channel *c = &plan->shape->channel[m->channel];
	uint32_t slot = wl_message_slot(plan, m);
	uint64_t offset = plan->area[src][dst].channel[m->channel] +
			  (uint64_t)slot * wl_stride(c);

	return c->odd && (slot & 1) ? offset + 4 : offset;
}

static uint64_t hash(const uint8_t *bytes, size_t count, uint64_t h)
{
	while (count) {
		size_t n = count < sizeof(uint64_t) ? count : sizeof(uint64_t);
		uint64_t word = 0;

		memcpy(&word, bytes, n);
		h = (h ^ le64toh(word)) * 0xff51afd7ed558ccdULL;
		h ^= h >> 32;
		bytes += n;
		count -= n;
	}
	return h;
}

static void put32(uint8_t *to, uint32_t value)
{
	value = htole32(value);
	memcpy(to, &value, sizeof(value));
}

static void put64(uint8_t *to, uint64_t value)
{
	value = htole64(value);
	memcpy(to, &value, sizeof(value));
}

void wl_message_bytes(const struct wl_plan *plan, unsigned int src,
		      unsigned int dst, const struct wl_message *m, uint8_t *bytes)
{
	uint64_t x = wl_random(plan->seed, src, dst, m->k, 1);

	switch (m->form) {
	case WL_TAIL:
		put32(bytes + 12, m->len - 16);
		wl_random_fill(x, bytes + 16, m->len - 16);
		break;
	case WL_REGISTER:
		wl_random_fill(x, bytes + 12, m->len - 12);
		break;
	case WL_FLAG:
		put32(bytes, wl_number(m));
		put32(bytes + 4, ~wl_number(m));
		return;
	case WL_RAW:
		wl_random_fill(x, bytes, m->len);
		return;
	case WL_SEMAPHORE:
		return;
	}
	put32(bytes + 8, wl_number(m));
	put64(bytes, hash(bytes + 8, m->len - 8, plan->seed));
}
