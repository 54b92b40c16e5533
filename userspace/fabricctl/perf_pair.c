// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The two replicas: which, and being them
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "explain.h"
#include "perf.h"
#include "place.h"

#define PAGE	4096u

/* ---- in the configuration ----------------------------------------------- */

/* The whole pages of a region, which its owner can watch. */
static void mapped_part(const struct ocfabric_region *r, uint64_t *from,
			uint64_t *to)
{
	uint64_t first = (r->base + PAGE - 1) / PAGE * PAGE;
	uint64_t end = (r->base + r->length) / PAGE * PAGE;

	*from = first - r->base;
	*to = end > first ? end - r->base : *from;
}

/* What of this window can be written to and watched. */
static void clip(const struct config *config, const struct ocfabric_window *w,
		 struct path *path)
{
	uint64_t from, to;

	mapped_part(&config->region[w->dst], &from, &to);
	if (w->offset > from)
		from = w->offset;
	if (w->offset + w->length < to)
		to = w->offset + w->length;
	from = (from + 3) & ~UINT64_C(3);
	if (to > from && to - from > path->room) {
		path->raddr = from;
		path->room = to - from;
	}
}

/* False: there is no connection, or no window. */
static bool find_path(const struct config *config, unsigned int from,
		      unsigned int to, struct path *path)
{
	int qpn = qpn_to(config, from, to);
	unsigned int i;

	memset(path, 0, sizeof(*path));
	if (qpn < 0 || from >= config->replicas || to >= config->replicas)
		return false;
	path->qpn = (uint32_t)qpn;
	for (i = 0; i < config->nr_windows; i++)
		if (config->window[i].src == from && config->window[i].dst == to)
			clip(config, &config->window[i], path);
	return path->room != 0;
}

static bool find_paths(struct perf *perf, const struct config *config,
		       unsigned int a, unsigned int b)
{
	perf->end[0].id = a;
	perf->end[1].id = b;
	return find_path(config, a, b, &perf->end[0].path) &&
	       (!perf->both_ways ||
		find_path(config, b, a, &perf->end[1].path));
}

/* What the card would say to such a write, and what it takes. */
static int no_path(const struct perf *perf, const struct config *config,
		   unsigned int from, unsigned int to)
{
	struct ocf_write write = { .len = perf->largest, .kind = OCF_KIND_WRITE };
	int qpn = qpn_to(config, from, to);
	const char *verdict = "";
	char advice[1024];
	uint64_t end;

	if (qpn < 0)
		return fail(ST_REFUSED, "link %u has no connection to replica %u: fabricctl set connections default, or perf --setup",
			    from, to);
	write.qpn = (uint32_t)qpn;
	mapped_part(&config->region[to], &write.raddr, &end);
	if (!explain_write(perf->ctl, perf->card, config, from, &write, &verdict,
			   advice, sizeof(advice)))
		return fail(ST_REFUSED, "from replica %u to replica %u: %s: %s; or perf --setup",
			    from, to, verdict, advice);
	return fail(ST_REFUSED, "region %u has no whole 4 KiB page that could be watched; perf --setup makes one",
		    to);
}

static bool fits(const struct args *args, enum param_id id, unsigned int i)
{
	return !args->given[id] || args->value[id] == i;
}

/* The first two that are free, and may write as they have to. */
static bool find_two(struct perf *perf, const struct config *config,
		     uint32_t owners, unsigned int *a, unsigned int *b)
{
	const struct args *args = &perf->ctl->args;
	unsigned int i, j, n = config->replicas;

	*a = NO_REPLICA;
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++) {
			if (i == j || !fits(args, P_LINK, i) ||
			    !fits(args, P_PEER, j) ||
			    owners & (1u << i | 1u << j))
				continue;
			if (*a == NO_REPLICA) {
				*a = i;
				*b = j;
			}
			if (find_paths(perf, config, i, j))
				return true;
		}
	return false;
}

/* Who holds one that was asked for. */
static int not_free(struct perf *perf, uint32_t owners)
{
	static const enum param_id ids[] = { P_LINK, P_PEER };
	const struct args *args = &perf->ctl->args;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ids); i++)
		if (args->given[ids[i]] && owners & 1u << args->value[ids[i]])
			return attach_failed(perf->ctl, perf->card,
					     (unsigned int)args->value[ids[i]],
					     EBUSY, "; perf needs two free replicas");
	return fail(ST_REFUSED, "%s has no two free replicas below n, as perf needs them (fabricctl show replicas)",
		    perf->card->name);
}

static int check_room(const struct perf *perf)
{
	unsigned int i;

	for (i = 0; i < 1u + perf->both_ways; i++)
		if (perf->end[i].path.room < perf->largest)
			return fail(ST_REFUSED, "from replica %u to replica %u the largest window has room for %" PRIu64 " bytes; --size that at most, or perf --setup",
				    perf->end[i].id, perf->end[!i].id,
				    perf->end[i].path.room);
	return 0;
}

int pair_find(struct perf *perf, const struct config *config)
{
	unsigned int a, b = 0;
	uint32_t owners;
	int error = read_owners(perf->ctl, perf->card, &owners);

	if (error)
		return error;
	if (config->drained)
		return fail(ST_REFUSED, "%s is drained by %s, so that no write would end: fabricctl resume first",
			    perf->card->name, config->drained_by);
	if (find_two(perf, config, owners, &a, &b))
		return check_room(perf);
	if (a == NO_REPLICA)
		return not_free(perf, owners);
	find_paths(perf, config, a, b);
	if (!perf->end[0].path.room)
		return no_path(perf, config, a, b);
	return no_path(perf, config, b, a);
}

/* ---- being them --------------------------------------------------------- */

static int attach_end(struct perf *perf, struct end *end)
{
	uint64_t skip = 0;
	size_t length = 0;
	char *region;
	int error;

	end->r = ocf_attach(perf->dev, end->id, NULL);
	if (!end->r)
		return attach_failed(perf->ctl, perf->card, end->id, errno,
				     "; perf needs two free replicas");
	/* Only who is written back to has to watch. */
	if (perf->both_ways) {
		region = ocf_region_map(end->r, &skip, &length);
		if (!region)
			return fail(ST_REFUSED, "the region of replica %u: %s",
				    end->id, ocf_error());
		end->region = (volatile uint8_t *)(region - skip);
	}
	error = ocf_buffer_add(end->r, perf->largest, &end->memory);
	if (error)
		return fail(status_of(-error), "%u bytes to write from: %s",
			    perf->largest, ocf_error());
	return 0;
}

int pair_attach(struct perf *perf)
{
	int error = 0;

	perf->dev = open_card(perf->card, &error);
	if (!perf->dev)
		return error;
	error = attach_end(perf, &perf->end[0]);
	return error ? error : attach_end(perf, &perf->end[1]);
}

void pair_detach(struct perf *perf)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct end *end = &perf->end[i];

		if (end->memory.length)
			ocf_memory_del(end->r, &end->memory);
		ocf_detach(end->r);
	}
	ocf_close(perf->dev);
}
