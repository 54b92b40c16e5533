// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A configuration in memory
 */
#include <stdlib.h>
#include <string.h>

#include "config.h"

void config_init(struct config *config)
{
	memset(config, 0, sizeof(*config));
	memset(config->peer, OCFABRIC_PEER_NONE, sizeof(config->peer));
}

void config_free(struct config *config)
{
	free(config->window);
	config->window = NULL;
	config->nr_windows = 0;
	config->room_windows = 0;
}

bool config_add_window(struct config *config, const struct ocfabric_window *w)
{
	if (config->nr_windows == config->room_windows) {
		unsigned int room = config->room_windows ?
				    2 * config->room_windows : 64;
		struct ocfabric_window *more;

		more = realloc(config->window, room * sizeof(*more));
		if (!more)
			return false;
		config->window = more;
		config->room_windows = room;
	}
	config->window[config->nr_windows++] = *w;
	return true;
}

bool config_has_window(const struct config *config,
		       const struct ocfabric_window *w)
{
	unsigned int i;

	for (i = 0; i < config->nr_windows; i++) {
		const struct ocfabric_window *have = &config->window[i];

		if (have->src == w->src && have->dst == w->dst &&
		    have->offset == w->offset && have->length == w->length &&
		    have->sem_first == w->sem_first &&
		    have->sem_count == w->sem_count)
			return true;
	}
	return false;
}

void config_default_peers(uint8_t peer[OCFABRIC_REPLICAS_MAX][OCFABRIC_QPNS],
			  uint32_t n)
{
	uint32_t link, r;

	memset(peer, OCFABRIC_PEER_NONE,
	       OCFABRIC_REPLICAS_MAX * OCFABRIC_QPNS);
	if (n < OCFABRIC_REPLICAS_MIN || n > OCFABRIC_REPLICAS_MAX)
		return;
	for (link = 0; link < n; link++)
		for (r = 0; r < n - 1; r++)
			peer[link][(n - 1) * link + r] =
				(uint8_t)(r < link ? r : r + 1);
}
