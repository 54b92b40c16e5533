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
};

#define PLAIN_COLUMNS	4	/* without --upstream */

/* The replica that link @id of @n means by this QPN, or -1 when it sends none. */
static int meant_by(unsigned int id, unsigned int qpn, unsigned int n)
{
	int j = (int)qpn - (int)(id * n);

	return id < n && j >= 0 && j < (int)n && j != (int)id ? j : -1;
}

static const char *how_it_ends(int meant, uint8_t peer)
{
	if (meant < 0)
		return NULL;
	if (peer == OCFABRIC_PEER_NONE)
		return "unmapped";
	return peer == meant ? "as_meant" : "misrouted";
}

static void add_entry(struct json_object *rows, const struct card *card,
		      unsigned int link, unsigned int qpn, uint8_t peer,
		      int meant, bool upstream)
{
	struct json_object *row = add_row(rows, card);
	const char *ends = how_it_ends(meant, peer);

	put_number(row, "link", link);
	put_number(row, "qpn", qpn);
	if (peer == OCFABRIC_PEER_NONE)
		put_null(row, "peer");
	else
		put_number(row, "peer", peer);
	if (!upstream)
		return;
	if (meant < 0)
		put_null(row, "meant");
	else
		put_number(row, "meant", (unsigned int)meant);
	if (ends)
		put_string(row, "ends", ends);
	else
		put_null(row, "ends");
}

static int add_map(struct ctl *ctl, const struct card *card,
		   const struct config *config, struct json_object *rows)
{
	bool upstream = ctl->args.given[P_UPSTREAM];
	unsigned int link, qpn;
	int error = check_below(card, &ctl->args, P_LINK, "link", config->replicas);

	if (error)
		return error;
	for (link = 0; link < config->replicas && link < OCFABRIC_REPLICAS_MAX; link++) {
		if (ctl->args.given[P_LINK] && ctl->args.value[P_LINK] != link)
			continue;
		for (qpn = 0; qpn < OCFABRIC_QPNS; qpn++) {
			int meant = meant_by(link, qpn, config->replicas);
			uint8_t peer = config->peer[link][qpn];

			if (peer != OCFABRIC_PEER_NONE || (upstream && meant >= 0))
				add_entry(rows, card, link, qpn, peer, meant,
					  upstream);
		}
	}
	return 0;
}

int run_show_map(struct ctl *ctl)
{
	return show_configs(ctl, "map", add_map, columns,
			    ctl->args.given[P_UPSTREAM] ? ARRAY_SIZE(columns) :
							  PLAIN_COLUMNS);
}
