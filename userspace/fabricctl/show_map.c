// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * show map: which QPN leads where, and what an upstream sender meant by it
 */
#include "config.h"

static const struct column columns[] = {
	{ "device", COL_PLAIN, true },
	{ "link", COL_PLAIN, false },
	{ "qpn", COL_PLAIN, false },
	{ "peer", COL_PLAIN, false },
	{ "meant", COL_PLAIN, false },
	{ "ends", COL_PLAIN, true },
	{ "use", COL_PLAIN, false },
};

#define PLAIN_COLUMNS	4	/* without --upstream */

enum ending {
	AS_MEANT, UNMAPPED, MISROUTED,
	NR_ENDINGS
};

static const char *const endings[] = {
	[AS_MEANT] = "as_meant",
	[UNMAPPED] = "unmapped",
	[MISROUTED] = "misrouted",
};

/* The replica that link @id of @n means by this QPN, or -1 when it sends none. */
static int meant_by(unsigned int id, unsigned int qpn, unsigned int n)
{
	int j = (int)qpn - (int)(id * n);

	return id < n && j >= 0 && j < (int)n && j != (int)id ? j : -1;
}

static enum ending how_it_ends(int meant, uint8_t peer)
{
	if (peer == OCFABRIC_PEER_NONE)
		return UNMAPPED;
	return peer == meant ? AS_MEANT : MISROUTED;
}

/* The QPN that does lead to this peer, or -1. */
static int qpn_leading_to(const uint8_t peers[OCFABRIC_QPNS], int peer)
{
	int qpn;

	for (qpn = 0; qpn < OCFABRIC_QPNS; qpn++)
		if (peers[qpn] == peer)
			return qpn;
	return -1;
}

static void put_id(struct json_object *row, const char *key, int id)
{
	if (id < 0)
		put_null(row, key);
	else
		put_number(row, key, (unsigned int)id);
}

struct map {
	struct rows *rows;
	const struct config *config;
	bool upstream;
	unsigned int count[NR_ENDINGS];	/* of what such senders send */
};

static void add_entry(struct map *map, unsigned int link, unsigned int qpn)
{
	const uint8_t *peers = map->config->peer[link];
	int meant = meant_by(link, qpn, map->config->replicas);
	uint8_t peer = peers[qpn];
	struct json_object *row;

	if (peer == OCFABRIC_PEER_NONE && !(map->upstream && meant >= 0))
		return;
	row = new_row(map->rows);
	put_number(row, "link", link);
	put_number(row, "qpn", qpn);
	put_id(row, "peer", peer == OCFABRIC_PEER_NONE ? -1 : peer);
	if (!map->upstream)
		return;
	put_id(row, "meant", meant);
	if (meant < 0) {
		put_null(row, "ends");
		put_null(row, "use");
		return;
	}
	map->count[how_it_ends(meant, peer)]++;
	put_string(row, "ends", endings[how_it_ends(meant, peer)]);
	put_id(row, "use", qpn_leading_to(peers, meant));
}

static void add_summary(const struct map *map)
{
	const unsigned int *count = map->count;
	unsigned int all = count[AS_MEANT] + count[UNMAPPED] + count[MISROUTED];

	if (all != count[AS_MEANT])
		add_note(map->rows, ": of the %u writes of senders that count id*n + j, %u arrive as meant, %u are unmapped, %u reach another replica; use is the QPN that leads to the one meant (libocfabric: ocf_qpn_to)",
			 all, count[AS_MEANT], count[UNMAPPED],
			 count[MISROUTED]);
}

static int add_map(struct rows *rows, const struct config *config)
{
	const struct args *args = &rows->ctl->args;
	struct map map = {
		.rows = rows, .config = config,
		.upstream = args->given[P_UPSTREAM],
	};
	unsigned int link, qpn;
	int error = check_below(rows->card, args, P_LINK, "link",
				config->replicas);

	if (error)
		return error;
	for (link = 0; link < config->replicas && link < OCFABRIC_REPLICAS_MAX; link++)
		for (qpn = 0; qpn < OCFABRIC_QPNS; qpn++)
			if (wanted(args, P_LINK, link))
				add_entry(&map, link, qpn);
	if (map.upstream)
		add_summary(&map);
	return 0;
}

int run_show_map(struct ctl *ctl)
{
	return show_configs(ctl, "map", add_map, columns,
			    ctl->args.given[P_UPSTREAM] ? ARRAY_SIZE(columns) :
							  PLAIN_COLUMNS);
}
