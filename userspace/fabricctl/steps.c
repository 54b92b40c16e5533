// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From a configuration to the steps that make it
 */
#include <stdlib.h>
#include <string.h>

#include "config.h"

void steps_free(struct steps *steps)
{
	free(steps->step);
	memset(steps, 0, sizeof(*steps));
}

bool steps_add(struct steps *steps, const struct ocfabric_change *step)
{
	if (steps->nr == steps->room) {
		size_t room = steps->room ? 2 * steps->room : 64;
		struct ocfabric_change *more;

		more = realloc(steps->step, room * sizeof(*more));
		if (!more)
			return false;
		steps->step = more;
		steps->room = room;
	}
	steps->step[steps->nr++] = *step;
	return true;
}

const char *step_name(uint32_t op)
{
	static const char *const names[] = {
		[OCFABRIC_CHANGE_RESET] = "reset",
		[OCFABRIC_CHANGE_REPLICAS] = "replicas",
		[OCFABRIC_CHANGE_REGION] = "region",
		[OCFABRIC_CHANGE_LATENCY] = "latency",
		[OCFABRIC_CHANGE_UPSTREAM_QPNS] = "upstream-qpns",
		[OCFABRIC_CHANGE_CONNECTIONS_DEFAULT] = "connections default",
		[OCFABRIC_CHANGE_CONNECTION] = "connection",
		[OCFABRIC_CHANGE_WINDOW_ADD] = "window",
		[OCFABRIC_CHANGE_WINDOW_DEL] = "window",
		[OCFABRIC_CHANGE_FAULT_RESP] = "fault",
		[OCFABRIC_CHANGE_FAULT_DELAY] = "fault",
		[OCFABRIC_CHANGE_FAULT_CLEAR] = "fault",
		[OCFABRIC_CHANGE_COUNTERS_RESET] = "counters",
		[OCFABRIC_CHANGE_HBM_CLEAR] = "HBM",
	};

	return op < ARRAY_SIZE(names) && names[op] ? names[op] : "?";
}

static bool add_scalars(struct steps *steps, const struct config *c)
{
	struct ocfabric_change replicas = { .op = OCFABRIC_CHANGE_REPLICAS,
					    .value = c->replicas };
	struct ocfabric_change latency = { .op = OCFABRIC_CHANGE_LATENCY,
					   .value = c->latency };
	struct ocfabric_change upstream = { .op = OCFABRIC_CHANGE_UPSTREAM_QPNS,
					    .value = 1 };

	return (!c->replicas || steps_add(steps, &replicas)) &&
	       (!c->latency || steps_add(steps, &latency)) &&
	       (!c->upstream_qpns || steps_add(steps, &upstream));
}

static bool add_regions(struct steps *steps, const struct config *c)
{
	uint32_t i;

	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++) {
		struct ocfabric_change step = {
			.op = OCFABRIC_CHANGE_REGION,
			.src = i,
			.offset = c->region[i].base,
			.length = c->region[i].length,
		};

		if ((step.offset || step.length) && !steps_add(steps, &step))
			return false;
	}
	return true;
}

/* How many entries two tables differ by. */
static unsigned int differ(const uint8_t a[][OCFABRIC_QPNS],
			   const uint8_t b[][OCFABRIC_QPNS])
{
	unsigned int link, qpn, nr = 0;

	for (link = 0; link < OCFABRIC_REPLICAS_MAX; link++)
		for (qpn = 0; qpn < OCFABRIC_QPNS; qpn++)
			nr += a[link][qpn] != b[link][qpn];
	return nr;
}

/* From the default table for @n or from none, whichever is nearer. */
static bool add_connections(struct steps *steps, const struct config *c,
			    uint32_t n)
{
	static const struct ocfabric_change take_default = {
		.op = OCFABRIC_CHANGE_CONNECTIONS_DEFAULT };
	uint8_t from[OCFABRIC_REPLICAS_MAX][OCFABRIC_QPNS];
	uint8_t none[OCFABRIC_REPLICAS_MAX][OCFABRIC_QPNS];
	uint32_t link, qpn;

	memset(none, OCFABRIC_PEER_NONE, sizeof(none));
	config_default_peers(from, n);
	if (differ(from, c->peer) < differ(none, c->peer)) {
		if (!steps_add(steps, &take_default))
			return false;
	} else {
		memcpy(from, none, sizeof(from));
	}

	for (link = 0; link < OCFABRIC_REPLICAS_MAX; link++)
		for (qpn = 0; qpn < OCFABRIC_QPNS; qpn++) {
			struct ocfabric_change step = {
				.op = OCFABRIC_CHANGE_CONNECTION,
				.src = link,
				.qpn = qpn,
				.dst = c->peer[link][qpn],
			};

			if (from[link][qpn] != step.dst && !steps_add(steps, &step))
				return false;
		}
	return true;
}

static bool add_windows(struct steps *steps, const struct config *c)
{
	unsigned int i;

	for (i = 0; i < c->nr_windows; i++) {
		struct ocfabric_change step = {
			.op = OCFABRIC_CHANGE_WINDOW_ADD,
			.src = c->window[i].src,
			.dst = c->window[i].dst,
			.offset = c->window[i].offset,
			.length = c->window[i].length,
			.sem_first = c->window[i].sem_first,
			.sem_count = c->window[i].sem_count,
		};

		if (!steps_add(steps, &step))
			return false;
	}
	return true;
}

/* How many replicas there must be to name all that is named. */
static uint32_t replicas_named(const struct config *c)
{
	uint32_t link, qpn, i, most = c->replicas;

	for (link = 0; link < OCFABRIC_REPLICAS_MAX; link++)
		for (qpn = 0; qpn < OCFABRIC_QPNS; qpn++) {
			uint32_t peer = c->peer[link][qpn];

			if (peer == OCFABRIC_PEER_NONE)
				continue;
			most = link >= most ? link + 1 : most;
			most = peer >= most ? peer + 1 : most;
		}
	for (i = 0; i < c->nr_windows; i++) {
		most = c->window[i].src >= most ? c->window[i].src + 1 : most;
		most = c->window[i].dst >= most ? c->window[i].dst + 1 : most;
	}
	return most;
}

/*
 * Lowering n leaves entries in place that name lost replicas, but none can be
 * made: such a configuration is reached from above.
 */
static bool add_entries(struct steps *steps, const struct config *c)
{
	struct ocfabric_change n = { .op = OCFABRIC_CHANGE_REPLICAS };
	uint32_t named = replicas_named(c);

	n.value = named;
	if (c->replicas && named > c->replicas && !steps_add(steps, &n))
		return false;
	if (!add_connections(steps, c, named) || !add_windows(steps, c))
		return false;
	n.value = c->replicas;
	return !c->replicas || named == c->replicas || steps_add(steps, &n);
}

bool steps_to(struct steps *steps, const struct config *config)
{
	static const struct ocfabric_change reset = {
		.op = OCFABRIC_CHANGE_RESET };

	return steps_add(steps, &reset) && add_scalars(steps, config) &&
	       add_regions(steps, config) && add_entries(steps, config);
}
