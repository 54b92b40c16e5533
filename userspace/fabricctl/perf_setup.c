// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * perf's own configuration: two replicas that may write each other's region
 */
#include <stdio.h>
#include <string.h>

#include "place.h"
#include "perf.h"

#define REGION_MOST	(16u << 20)
#define PAGE		4096u

/* Replicas that somebody has would find their memory elsewhere. */
static int nobody_there(struct perf *perf)
{
	uint32_t owners;
	char holder[64];
	unsigned int i;
	int error = read_owners(perf->ctl, perf->card, &owners);

	if (error || !owners)
		return error;
	for (i = 0; !(owners & 1u << i); i++)
		;
	name_holder(perf->ctl, perf->card, i, holder, sizeof(holder));
	return fail(ST_REFUSED, "%s: replica %u is held by %s, so that the configuration is not changed",
		    perf->card->name, i, holder);
}

static void pick_two(struct perf *perf)
{
	const struct args *args = &perf->ctl->args;
	unsigned int link = 0, peer;

	if (args->given[P_LINK])
		link = (unsigned int)args->value[P_LINK];
	else if (args->given[P_PEER] && !args->value[P_PEER])
		link = 1;
	peer = args->given[P_PEER] ? (unsigned int)args->value[P_PEER] : !link;
	perf->end[0].id = link;
	perf->end[1].id = peer;
}

static bool make_config(const struct perf *perf, struct config *config)
{
	unsigned int a = perf->end[0].id, b = perf->end[1].id, i;
	uint64_t size;

	config_init(config);
	config->replicas = (a > b ? a : b) + 1;
	size = perf->card->hbm_size / config->replicas / PAGE * PAGE;
	if (size > REGION_MOST)
		size = REGION_MOST;
	for (i = 0; i < config->replicas; i++)
		config->region[i] = (struct ocfabric_region){ i * size, size };
	config_default_peers(config->peer, config->replicas);
	return config_add_window(config, &(struct ocfabric_window){
			.src = a, .dst = b, .length = size }) &&
	       config_add_window(config, &(struct ocfabric_window){
			.src = b, .dst = a, .length = size });
}

int setup_make(struct perf *perf, const struct config *old)
{
	struct config config;
	int error = nobody_there(perf);

	if (error)
		return error;
	if (old->drained)
		return fail(ST_REFUSED, "%s is drained by %s: fabricctl resume first",
			    perf->card->name, old->drained_by);
	pick_two(perf);
	if (perf->end[0].id == perf->end[1].id)
		return fail(ST_USAGE, "a replica has no connection to itself");
	if (make_config(perf, &config))
		error = config_write(perf->ctl, perf->card, &config,
				     "a configuration for perf");
	else
		error = fail(ST_REFUSED, "no memory for a configuration");
	if (!error)
		fprintf(stderr, "fabricctl: %s: %s: for this run replicas %u and %u get regions and may write each other; then it is as before\n",
			perf->card->name,
			old->replicas ? "--setup" : "no configuration",
			perf->end[0].id, perf->end[1].id);
	config_free(&config);
	return error;
}

int setup_undo(struct perf *perf, const struct config *old)
{
	return config_write(perf->ctl, perf->card, old,
			    "restoring the configuration");
}
