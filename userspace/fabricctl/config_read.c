// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading a card's configuration: several tables, of one generation
 */
#include <stdio.h>
#include <string.h>

#include "config.h"

#define TRIES	5

static int take_scalars(const struct fab_attrs *attrs, void *arg)
{
	struct config *c = arg;
	char comm[32], since[64];

	c->replicas = (uint32_t)fab_number(attrs, OCFABRIC_A_CONFIG_REPLICAS);
	c->latency = (uint32_t)fab_number(attrs, OCFABRIC_A_CONFIG_LATENCY);
	c->upstream_qpns = fab_number(attrs, OCFABRIC_A_CONFIG_UPSTREAM_QPNS);
	c->generation = (uint32_t)fab_number(attrs, OCFABRIC_A_CONFIG_GENERATION);
	c->drained = fab_number(attrs, OCFABRIC_A_CONFIG_DRAINED);
	if (!c->drained)
		return 0;
	fab_string(attrs, OCFABRIC_A_CONFIG_DRAINED_COMM, comm, sizeof(comm));
	time_text(fab_number(attrs, OCFABRIC_A_CONFIG_DRAINED_SINCE), since,
		  sizeof(since));
	snprintf(c->drained_by, sizeof(c->drained_by), "%.16s (pid %llu)", comm,
		 (unsigned long long)fab_number(attrs, OCFABRIC_A_CONFIG_DRAINED_PID));
	return 0;
}

static int take_region(const struct fab_attrs *attrs, void *arg)
{
	uint64_t i = fab_number(attrs, OCFABRIC_A_REGION_REPLICA);
	struct config *c = arg;

	if (i >= OCFABRIC_REPLICAS_MAX)
		return 0;
	c->region[i].base = fab_number(attrs, OCFABRIC_A_REGION_BASE);
	c->region[i].length = fab_number(attrs, OCFABRIC_A_REGION_SIZE);
	return 0;
}

static int take_peers(const struct fab_attrs *attrs, void *arg)
{
	uint64_t link = fab_number(attrs, OCFABRIC_A_CONNECTION_LINK);
	struct config *c = arg;
	const uint8_t *peers;
	size_t length = 0;

	peers = fab_bytes(attrs, OCFABRIC_A_CONNECTION_PEERS, &length);
	if (link >= OCFABRIC_REPLICAS_MAX || !peers)
		return 0;
	memcpy(c->peer[link], peers, length < OCFABRIC_QPNS ? length : OCFABRIC_QPNS);
	return 0;
}

static int take_window(const struct fab_attrs *attrs, void *arg)
{
	struct ocfabric_window w = {
		.src = (uint32_t)fab_number(attrs, OCFABRIC_A_WINDOW_SRC),
		.dst = (uint32_t)fab_number(attrs, OCFABRIC_A_WINDOW_DST),
		.offset = fab_number(attrs, OCFABRIC_A_WINDOW_OFFSET),
		.length = fab_number(attrs, OCFABRIC_A_WINDOW_LENGTH),
		.sem_first = (uint32_t)fab_number(attrs, OCFABRIC_A_WINDOW_SEM_FIRST),
		.sem_count = (uint32_t)fab_number(attrs, OCFABRIC_A_WINDOW_SEM_COUNT),
	};

	if (!config_add_window(arg, &w))
		return fail(ST_REFUSED, "no memory for a window");
	return 0;
}

static int read_once(struct ctl *ctl, const struct card *card,
		     struct config *config)
{
	int error;

	config_free(config);
	config_init(config);
	error = fab_get(ctl, OCFABRIC_CMD_CONFIG_GET, card->id, take_scalars, config);
	if (!error)
		error = fab_dump(ctl, OCFABRIC_CMD_REGION_GET, card->id,
				take_region, config);
	if (!error)
		error = fab_dump(ctl, OCFABRIC_CMD_CONNECTION_GET, card->id,
				take_peers, config);
	if (!error)
		error = fab_dump(ctl, OCFABRIC_CMD_WINDOW_GET, card->id,
				take_window, config);
	return error;
}

int config_read(struct ctl *ctl, const struct card *card, struct config *config)
{
	struct config after;
	int error, tries;

	config_init(config);
	for (tries = 0; tries < TRIES; tries++) {
		error = read_once(ctl, card, config);
		if (error)
			break;
		error = fab_get(ctl, OCFABRIC_CMD_CONFIG_GET, card->id,
			       take_scalars, &after);
		if (error || after.generation == config->generation)
			break;
	}
	if (!error && tries == TRIES)
		error = fail(ST_REFUSED, "%s: the configuration kept changing while it was read; try again",
			     card->name);
	if (error)
		config_free(config);
	return error;
}
