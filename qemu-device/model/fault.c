// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Injected faults: a hash table with linear probing. A slot with neither error
 * nor delay is free, so clearing closes the gap instead of leaving a mark.
 */
#include <string.h>

#include "internal.h"

static bool is_free(const struct ocf_fault *f)
{
	return f->resp == OCF_OKAY && !f->delay;
}

static uint32_t home(const struct ocf_faults *faults, uint64_t line)
{
	return (uint32_t)(line / OCF_LINE * 0x9e3779b97f4a7c15ULL >> 32) &
	       (faults->max - 1);
}

/* The line's slot, or the free one where it would go. */
static uint32_t slot_of(const struct ocf_faults *faults, uint64_t line)
{
	uint32_t i = home(faults, line);

	while (!is_free(&faults->slot[i]) && faults->slot[i].line != line)
		i = (i + 1) & (faults->max - 1);
	return i;
}

const struct ocf_fault *ocf_fault_find(const struct ocf_faults *faults,
				       uint64_t addr)
{
	const struct ocf_fault *f;

	if (!faults->count)
		return NULL;
	f = &faults->slot[slot_of(faults, addr & ~OCF_LINE_MASK)];
	return is_free(f) ? NULL : f;
}

/* Move back what could not be in its own place because of slot i. */
static void close_gap(struct ocf_faults *faults, uint32_t gap)
{
	uint32_t mask = faults->max - 1, i = gap, from;

	for (;;) {
		i = (i + 1) & mask;
		if (is_free(&faults->slot[i]))
			break;
		from = home(faults, faults->slot[i].line);
		if (((i - from) & mask) < ((i - gap) & mask))
			continue;
		faults->slot[gap] = faults->slot[i];
		gap = i;
	}
	memset(&faults->slot[gap], 0, sizeof(faults->slot[gap]));
}

static bool set(struct ocf_faults *faults, uint64_t addr, uint8_t resp,
		uint32_t delay)
{
	uint64_t line = addr & ~OCF_LINE_MASK;
	const struct ocf_fault *old = ocf_fault_find(faults, addr);
	struct ocf_fault f = { line, delay, resp };

	if (is_free(&f)) {
		if (old) {
			faults->count--;
			close_gap(faults, slot_of(faults, line));
		}
		return true;
	}
	if (!old) {
		if (faults->count + 1 >= faults->max)
			return false;
		faults->count++;
	}
	faults->slot[slot_of(faults, line)] = f;
	return true;
}

bool ocf_fault_set_resp(struct ocf_faults *faults, uint64_t addr,
			enum ocf_resp resp)
{
	const struct ocf_fault *old = ocf_fault_find(faults, addr);

	return set(faults, addr, (uint8_t)resp, old ? old->delay : 0);
}

bool ocf_fault_set_delay(struct ocf_faults *faults, uint64_t addr,
			 uint32_t delay)
{
	const struct ocf_fault *old = ocf_fault_find(faults, addr);

	return set(faults, addr, old ? old->resp : OCF_OKAY, delay);
}

void ocf_fault_clear(struct ocf_faults *faults, uint64_t addr)
{
	set(faults, addr, OCF_OKAY, 0);
}

void ocf_fault_clear_all(struct ocf_faults *faults)
{
	if (faults->count)
		memset(faults->slot, 0, faults->max * sizeof(*faults->slot));
	faults->count = 0;
}
