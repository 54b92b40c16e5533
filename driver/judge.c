// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the steps of a change amount to. A refusal names the step that brought
 * it about. Entries that were there before and name replicas that n no longer
 * reaches stay, without effect; the card ignores them.
 */
#include "ocfabric.h"

static int ocf_judge_region(struct ocf_draft *draft, u32 i)
{
	const struct ocfabric_region *r = &draft->config->region[i];
	u64 hbm = draft->card->caps.hbm_size;
	u32 step = draft->region_step[i] - 1;

	if (!draft->region_step[i])
		return 0;
	if (!IS_ALIGNED(r->base, OCFABRIC_LINE))
		return ocf_refuse(draft, step, -EINVAL,
				  "region %u base 0x%llx: not a multiple of %u",
				  i, r->base, OCFABRIC_LINE);
	if (r->base > hbm || r->length > hbm - r->base)
		return ocf_refuse(draft, step, -EINVAL,
				  "region %u base 0x%llx size 0x%llx: HBM has 0x%llx",
				  i, r->base, r->length, hbm);
	return 0;
}

static bool ocf_regions_overlap(const struct ocfabric_region *a,
				const struct ocfabric_region *b)
{
	return a->length && b->length && a->base < b->base + b->length &&
	       b->base < a->base + a->length;
}

/* After ocf_judge_region() of all: no sum wraps. */
static int ocf_judge_overlap(struct ocf_draft *draft, u32 i, u32 j)
{
	const struct ocfabric_region *r = draft->config->region;
	u32 last = max(draft->region_step[i], draft->region_step[j]);

	if (!last || !ocf_regions_overlap(&r[i], &r[j]))
		return 0;
	return ocf_refuse(draft, last - 1, -EINVAL,
			  "region %u overlaps region %u at 0x%llx", i, j,
			  max(r[i].base, r[j].base));
}

static int ocf_judge_regions(struct ocf_draft *draft)
{
	int ret = 0;
	u32 i, j;

	for (i = 0; !ret && i < OCFABRIC_REPLICAS_MAX; i++)
		ret = ocf_judge_region(draft, i);
	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++)
		for (j = 0; !ret && j < i; j++)
			ret = ocf_judge_overlap(draft, i, j);
	return ret;
}

static int ocf_judge_connection(struct ocf_draft *draft, u32 link, u32 qpn)
{
	u32 step = draft->peer_step[link][qpn] - 1;
	u8 peer = draft->config->peer[link][qpn];
	u32 n = draft->config->replicas;

	if (link == peer)
		return ocf_refuse(draft, step, -EINVAL,
				  "connection of link %u QPN %u to itself",
				  link, qpn);
	if (link >= n || peer >= n)
		return ocf_refuse(draft, step, -EINVAL,
				  "connection link %u QPN %u to peer %u: there are %u replicas",
				  link, qpn, peer, n);
	return 0;
}

static int ocf_judge_connections(struct ocf_draft *draft)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < OCFABRIC_REPLICAS_MAX * OCFABRIC_QPNS; i++) {
		if (draft->peer_step[i / OCFABRIC_QPNS][i % OCFABRIC_QPNS])
			ret = ocf_judge_connection(draft, i / OCFABRIC_QPNS,
						   i % OCFABRIC_QPNS);
	}
	return ret;
}

/*
 * What is wrong with a window that a step added. One into its own source, or
 * of no length, gives no right and is taken, as by the hardware.
 */
static int ocf_judge_new_window(struct ocf_draft *draft,
				const struct ocf_window *w)
{
	u32 n = draft->config->replicas;

	if (w->late && (w->src >= n || w->dst >= n))
		return ocf_refuse(draft, w->step - 1, -EINVAL,
				  "window %u->%u: there are %u replicas",
				  w->src, w->dst, n);
	return 0;
}

/* A window has to fit its region, whichever of them changed. */
static int ocf_judge_window(struct ocf_draft *draft, const struct ocf_window *w)
{
	const struct ocfabric_region *r = &draft->config->region[w->dst];
	u32 last = max(w->step, draft->region_step[w->dst]);
	int ret;

	if (w->step) {
		ret = ocf_judge_new_window(draft, w);
		if (ret)
			return ret;
	}
	if (w->length <= r->length && w->offset <= r->length - w->length)
		return 0;
	return ocf_refuse(draft, last ? last - 1 : OCF_NO_STEP, -EINVAL,
			  "window %u->%u 0x%llx+0x%llx: the region has 0x%llx",
			  w->src, w->dst, w->offset, w->length, r->length);
}

static int ocf_judge_windows(struct ocf_draft *draft)
{
	const struct ocf_config *config = draft->config;
	u32 most = draft->card->caps.windows;
	int ret = 0;
	u32 i;

	if (config->window_count > most)
		return ocf_refuse(draft, config->window[most].step - 1, -ENOSPC,
				  "%u windows: the card has room for %u",
				  config->window_count, most);
	for (i = 0; !ret && i < config->window_count; i++)
		ret = ocf_judge_window(draft, &config->window[i]);
	return ret;
}

static int ocf_judge_faults(struct ocf_draft *draft)
{
	u32 most = draft->card->caps.faults;

	if (draft->config->fault_count <= most)
		return 0;
	return ocf_refuse(draft, draft->fault_step - 1, -ENOSPC,
			  "%u lines with faults: the card has room for %u",
			  draft->config->fault_count, most);
}

int ocf_draft_judge(struct ocf_draft *draft)
{
	int ret;

	ret = ocf_judge_regions(draft);
	if (!ret)
		ret = ocf_judge_connections(draft);
	if (!ret)
		ret = ocf_judge_windows(draft);
	if (!ret)
		ret = ocf_judge_faults(draft);
	return ret;
}
