// SPDX-License-Identifier: GPL-2.0-only
/*
 * A configuration into the registers of a card that is drained: what differs
 * from the one that is there.
 */
#include <linux/sched.h>

#include "ocfabric.h"
#include "trace.h"

static void ocf_program_scalars(struct ocf_card *card,
				const struct ocf_config *old,
				const struct ocf_config *new)
{
	if (!old || old->replicas != new->replicas)
		ocf_writel(card, OCFABRIC_REG_CFG_N, new->replicas);
	if (!old || old->upstream_qpns != new->upstream_qpns)
		ocf_writel(card, OCFABRIC_REG_CFG_FLAGS, new->upstream_qpns ?
			   OCFABRIC_CFG_UPSTREAM_QPNS : 0);
	if (!old || old->latency != new->latency)
		ocf_writel(card, OCFABRIC_REG_CFG_LATENCY, new->latency);
}

static void ocf_program_regions(struct ocf_card *card,
				const struct ocf_config *old,
				const struct ocf_config *new)
{
	u32 i;

	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++) {
		const struct ocfabric_region *r = &new->region[i];

		if (!old || old->region[i].base != r->base)
			ocf_writeq(card, OCFABRIC_REG_REGION_BASE(i), r->base);
		if (!old || old->region[i].length != r->length)
			ocf_writeq(card, OCFABRIC_REG_REGION_SIZE(i),
				   r->length);
	}
}

static u32 ocf_conn_word(u8 peer)
{
	return peer == OCFABRIC_PEER_NONE ? 0 : OCFABRIC_CONN_VALID | peer;
}

static void ocf_program_connections(struct ocf_card *card,
				    const struct ocf_config *old,
				    const struct ocf_config *new)
{
	u32 link, qpn;

	for (link = 0; link < OCFABRIC_REPLICAS_MAX; link++) {
		if (old && !memcmp(old->peer[link], new->peer[link],
				   OCFABRIC_QPNS))
			continue;
		for (qpn = 0; qpn < OCFABRIC_QPNS; qpn++) {
			u8 peer = new->peer[link][qpn];

			if (!old || old->peer[link][qpn] != peer)
				ocf_writel(card, OCFABRIC_REG_CONN(link, qpn),
					   ocf_conn_word(peer));
		}
		cond_resched();
	}
}

static void ocf_program_window(struct ocf_card *card, u32 i,
			       const struct ocf_window *w)
{
	u32 reg = OCFABRIC_REG_WINDOW(i);

	ocf_writeq(card, reg + OCFABRIC_WINDOW_OFFSET, w->offset);
	ocf_writeq(card, reg + OCFABRIC_WINDOW_LENGTH, w->length);
	ocf_writel(card, reg + OCFABRIC_WINDOW_SEMAPHORES,
		   w->sem_count << OCFABRIC_WINDOW_SEM_COUNT_SHIFT |
		   w->sem_first);
	ocf_writel(card, reg + OCFABRIC_WINDOW_ROUTE, OCFABRIC_WINDOW_VALID |
		   w->dst << OCFABRIC_WINDOW_DST_SHIFT | w->src);
}

/* A window's slot is its place in the list. */
static void ocf_program_windows(struct ocf_card *card,
				const struct ocf_config *old,
				const struct ocf_config *new)
{
	u32 before = old ? old->window_count : card->caps.windows;
	u32 i;

	for (i = 0; i < new->window_count; i++) {
		if (!old || i >= before ||
		    !ocf_window_same(&old->window[i], &new->window[i]))
			ocf_program_window(card, i, &new->window[i]);
	}
	for (; i < before; i++)
		ocf_writel(card, OCFABRIC_REG_WINDOW(i) +
			   OCFABRIC_WINDOW_ROUTE, 0);
}

static bool ocf_fault_same(const struct ocf_fault *a, const struct ocf_fault *b)
{
	return a->line == b->line && a->delay == b->delay && a->resp == b->resp;
}

static int ocf_program_fault(struct ocf_card *card, const struct ocf_fault *f)
{
	int ret = 0;

	if (f->resp != OCFABRIC_RESP_OKAY)
		ret = ocf_cmd_fault_resp(card, f->line, f->resp);
	if (!ret && f->delay)
		ret = ocf_cmd_fault_delay(card, f->line, f->delay);
	return ret;
}

/* First those that go, so that there is room; both lists are sorted by line. */
static int ocf_program_faults_gone(struct ocf_card *card,
				   const struct ocf_config *old,
				   const struct ocf_config *new)
{
	int ret = 0;
	u32 i, j = 0;

	for (i = 0; !ret && i < old->fault_count; i++) {
		while (j < new->fault_count &&
		       new->fault[j].line < old->fault[i].line)
			j++;
		if (j == new->fault_count ||
		    !ocf_fault_same(&new->fault[j], &old->fault[i]))
			ret = ocf_cmd_fault_clear(card, old->fault[i].line);
		cond_resched();
	}
	return ret;
}

static int ocf_program_faults_new(struct ocf_card *card,
				  const struct ocf_config *old,
				  const struct ocf_config *new)
{
	int ret = 0;
	u32 i, j = 0;

	for (i = 0; !ret && i < new->fault_count; i++) {
		while (old && j < old->fault_count &&
		       old->fault[j].line < new->fault[i].line)
			j++;
		if (!old || j == old->fault_count ||
		    !ocf_fault_same(&old->fault[j], &new->fault[i]))
			ret = ocf_program_fault(card, &new->fault[i]);
		cond_resched();
	}
	return ret;
}

static int ocf_program_faults(struct ocf_card *card,
			      const struct ocf_config *old,
			      const struct ocf_config *new)
{
	int ret;

	if (!(card->caps.features & OCFABRIC_FEATURE_FAULTS))
		return 0;
	if (old)
		ret = ocf_program_faults_gone(card, old, new);
	else
		ret = ocf_cmd_fault_clear_all(card);
	return ret ?: ocf_program_faults_new(card, old, new);
}

static int ocf_program_verify(struct ocf_card *card)
{
	u32 error = ocf_readl(card, OCFABRIC_REG_ERROR);

	if (PCI_POSSIBLE_ERROR(error))
		return ocf_card_confirm(card) ?: -EIO;
	return error & OCFABRIC_ERROR_NOT_DRAINED ? -EIO : 0;
}

/**
 * ocf_program - make the card's configuration the new one
 * @card: entered, drained, with config_lock held
 * @old: the one that it has; NULL: not known, write all of it
 * @new: the one that it gets
 *
 * On failure the card may have some of both.
 */
int ocf_program(struct ocf_card *card, const struct ocf_config *old,
		const struct ocf_config *new)
{
	int ret;

	lockdep_assert_held(&card->config_lock);
	ocf_writel(card, OCFABRIC_REG_ERROR, OCFABRIC_ERROR_NOT_DRAINED);
	ocf_program_scalars(card, old, new);
	ocf_program_regions(card, old, new);
	ocf_program_connections(card, old, new);
	ocf_program_windows(card, old, new);
	ret = ocf_program_faults(card, old, new);
	if (!ret)
		ret = ocf_program_verify(card);
	return ret;
}
