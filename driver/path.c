// SPDX-License-Identifier: GPL-2.0-only
/* Stages of the links, all of the instant of one snapshot. */
#include "ocfabric.h"

static const char *const ocf_path_names[OCFABRIC_PATHS] = {
	[OCFABRIC_PATH_TAKEN] = "taken",
	[OCFABRIC_PATH_MAPPED] = "mapped",
	[OCFABRIC_PATH_AUTHORIZED] = "authorized",
	[OCFABRIC_PATH_REALIGNED] = "realigned",
	[OCFABRIC_PATH_ISSUED] = "issued",
	[OCFABRIC_PATH_ACKNOWLEDGED] = "acknowledged",
	[OCFABRIC_PATH_COMPLETED] = "completed",
};

const char *ocf_path_name(u32 stage)
{
	return stage < ARRAY_SIZE(ocf_path_names) ? ocf_path_names[stage] :
						    "unknown";
}

/* Stages and waits that cannot be are none. */
static void ocf_path_at(struct ocf_card *card, u32 link, struct ocf_path *path)
{
	u32 at = ocf_readl(card, OCFABRIC_REG_PATH_AT(link));

	path->at = at & 0xff;
	path->waits_for = at >> 8 & 0xff;
	if (path->at >= OCFABRIC_PATHS)
		path->at = OCFABRIC_PATH_NONE;
	if (path->waits_for > OCFABRIC_WAITS_FOR_RESPONSE)
		path->waits_for = OCFABRIC_WAITS_FOR_NOTHING;
	path->since = ocf_readq(card, OCFABRIC_REG_PATH_SINCE(link));
	path->due = ocf_readq(card, OCFABRIC_REG_PATH_DUE(link));
}

static void ocf_path_of_link(struct ocf_card *card, u32 link,
			     struct ocf_path *path)
{
	struct ocf_path_count *count;
	u32 stage, reg;

	lockdep_assert_held(&card->snapshot_lock);
	for (stage = 0; stage < OCFABRIC_PATHS; stage++) {
		reg = OCFABRIC_REG_PATH(link, stage);
		count = &path->stage[stage];
		count->in = ocf_readq(card, reg + OCFABRIC_PATH_IN);
		count->out = ocf_readq(card, reg + OCFABRIC_PATH_OUT);
		count->ended = ocf_readq(card, reg + OCFABRIC_PATH_ENDED);
	}
	ocf_path_at(card, link, path);
}

/* Of @links links from @link on, which the card has. */
int ocf_paths_read(struct ocf_card *card, u32 link, u32 links,
		   struct ocf_path *path, u64 *clock)
{
	u32 i;

	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	guard(mutex)(&card->snapshot_lock);
	ocf_writel(card, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_COUNTERS);
	*clock = ocf_readq(card, OCFABRIC_REG_SNAPSHOT_CLOCK);
	for (i = 0; i < links; i++)
		ocf_path_of_link(card, link + i, &path[i]);
	return ocf_card_confirm(card);
}
