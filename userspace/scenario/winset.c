// SPDX-License-Identifier: LGPL-2.1-or-later
/* A hash table, so that a file of a million windows is read in no time. */
#include <stdlib.h>

#include "winset.h"

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
	return h ^ h >> 29;
}

static bool same(const struct ocf_scn_window *a, const struct ocf_scn_window *b)
{
	return a->src == b->src && a->dst == b->dst &&
	       a->offset == b->offset && a->length == b->length;
}

/* The window's slot, or the unused one where it would go. */
static struct scn_winset_slot *find(const struct scn_winset *set,
				    const struct ocf_scn_window *w)
{
	uint64_t h = mix(mix(mix(w->src, w->dst), w->offset), w->length);
	uint32_t i = (uint32_t)(h >> 16) & (set->size - 1);

	while (set->slot[i].used && !same(&set->slot[i].w, w))
		i = (i + 1) & (set->size - 1);
	return &set->slot[i];
}

static bool grow(struct scn_winset *set)
{
	struct scn_winset bigger = {
		.size = set->size ? set->size * 2 : 64,
		.count = set->count,
	};
	uint32_t i;

	if (!bigger.size)
		return false;
	bigger.slot = calloc(bigger.size, sizeof(*bigger.slot));
	if (!bigger.slot)
		return false;
	for (i = 0; i < set->size; i++)
		if (set->slot[i].used)
			*find(&bigger, &set->slot[i].w) = set->slot[i];
	free(set->slot);
	*set = bigger;
	return true;
}

bool scn_winset_add(struct scn_winset *set, struct ocf_scn_window *w)
{
	struct scn_winset_slot *slot;

	if (set->count >= set->size / 2 && !grow(set))
		return false;
	slot = find(set, w);
	if (!slot->used) {
		slot->w = *w;
		slot->w.id = set->count++;
		slot->used = true;
	}
	slot->there = true;
	w->id = slot->w.id;
	return true;
}

bool scn_winset_del(struct scn_winset *set, struct ocf_scn_window *w)
{
	struct scn_winset_slot *slot = set->size ? find(set, w) : NULL;

	if (!slot || !slot->there)
		return false;
	slot->there = false;
	w->id = slot->w.id;
	return true;
}

void scn_winset_free(struct scn_winset *set)
{
	free(set->slot);
	set->slot = NULL;
	set->size = 0;
	set->count = 0;
}
