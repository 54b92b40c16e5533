// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changing the configuration: a copy of the published one takes the steps and
 * is judged; then, under one drain, the card gets what differs, the regions of
 * attached replicas move, and the copy is published. Until the card has it
 * all, everything can still be taken back.
 */
#include <linux/sched.h>
#include <linux/slab.h>

#include "ocfabric.h"
#include "trace.h"

static u32 ocf_count_steps(const struct ocfabric_change *step, u32 count,
			   u32 first, u32 last)
{
	u32 n = 0;
	u32 i;

	for (i = 0; i < count; i++)
		n += step[i].op >= first && step[i].op <= last;
	return n;
}

static struct ocf_draft *ocf_draft_alloc(struct ocf_card *card,
					 const struct ocfabric_change *step,
					 u32 count,
					 struct ocf_refusal *refusal)
{
	struct ocf_draft *draft = kvzalloc(sizeof(*draft), GFP_KERNEL);
	u32 windows, faults;

	if (!draft)
		return NULL;
	lockdep_assert_held(&card->config_lock);
	windows = ocf_count_steps(step, count, OCFABRIC_CHANGE_WINDOW_ADD,
				  OCFABRIC_CHANGE_WINDOW_ADD);
	faults = ocf_count_steps(step, count, OCFABRIC_CHANGE_FAULT_RESP,
				 OCFABRIC_CHANGE_FAULT_DELAY);
	draft->card = card;
	draft->refusal = refusal;
	draft->window_room = card->config->window_count + windows;
	draft->fault_room = card->config->fault_count + faults;
	draft->config = ocf_config_copy(card->config, windows, faults);
	if (!draft->config) {
		kvfree(draft);
		return NULL;
	}
	return draft;
}

static void ocf_draft_free(struct ocf_draft *draft)
{
	if (draft->config)
		ocf_config_put(draft->config);
	kvfree(draft);
}

DEFINE_FREE(ocf_draft_free, struct ocf_draft *, if (_T) ocf_draft_free(_T))

static int ocf_draft_steps(struct ocf_draft *draft,
			   const struct ocfabric_change *step, u32 count)
{
	int ret;
	u32 i;

	for (i = 0; i < count; i++) {
		draft->step = i;
		ret = ocf_draft_apply(draft, &step[i]);
		if (ret)
			return ret;
		if (!(i & 63))
			cond_resched();
	}
	return ocf_draft_judge(draft);
}

static int ocf_change_drain(struct ocf_draft *draft)
{
	struct ocf_stuck stuck;
	int ret = ocf_drain(draft->card, &stuck);

	if (ret == -ETIMEDOUT)
		ocf_refuse(draft, OCF_NO_STEP, ret,
			   "link %u does not come to rest within %u ms: stage %s",
			   stuck.link, OCF_WAIT_MS, ocf_stage_name(stuck.stage));
	return ret;
}

/* The card is drained. Whole, or as before. */
static int ocf_change_commit(struct ocf_draft *draft)
{
	struct ocf_card *card = draft->card;
	int ret;

	ret = ocf_program(card, card->config, draft->config);
	if (ret) {
		ocf_refuse(draft, OCF_NO_STEP, ret,
			   "the card does not take the configuration");
		ocf_program(card, NULL, card->config);
		return ret;
	}
	if (draft->counters_reset)
		ocf_writel(card, OCFABRIC_REG_COUNTER_RESET, 1);
	ocf_regions_move(card, draft->config, draft->hbm_clear);
	ocf_config_publish(card, no_free_ptr(draft->config));
	return 0;
}

static int ocf_change_locked(struct ocf_card *card,
			     const struct ocfabric_change *step, u32 count,
			     bool check, struct ocf_refusal *refusal,
			     bool *counters)
{
	struct ocf_draft *draft __free(ocf_draft_free) =
		ocf_draft_alloc(card, step, count, refusal);
	int ret;

	if (!draft)
		return -ENOMEM;
	ret = ocf_draft_steps(draft, step, count);
	if (ret || check)
		return ret;
	*counters = draft->counters_reset;
	ret = ocf_change_drain(draft);
	if (ret)
		return ret;
	ret = ocf_change_commit(draft);
	ocf_resume(card);
	if (!card->hold.held)
		ocf_config_generation(card);
	return ret;
}

/**
 * ocf_config_change - change the configuration, whole or not at all
 * @card: the card
 * @step: kernel's copy of the steps
 * @count: of them, at most OCFABRIC_CHANGES_MAX
 * @check: only say whether it would be taken
 * @refusal: filled with the reason on failure; empty if there is none to tell
 */
int ocf_config_change(struct ocf_card *card, const struct ocfabric_change *step,
		      u32 count, bool check, struct ocf_refusal *refusal)
{
	bool counters = false;
	int ret;

	*refusal = (struct ocf_refusal){ .step = OCF_NO_STEP };
	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	scoped_guard(mutex, &card->config_lock)
		ret = ocf_change_locked(card, step, count, check, refusal,
					&counters);
	trace_ocfabric_config_change(card, count, check, ret, refusal->reason);
	if (ret || check)
		return ret;
	if (count > counters)
		ocf_notify_kind(card, OCFABRIC_EVENT_KIND_CONFIG_CHANGED);
	if (counters)
		ocf_notify_kind(card, OCFABRIC_EVENT_KIND_COUNTERS_RESET);
	return 0;
}

/* Counters and rejects to zero, under a drain; no change otherwise. */
int ocf_counters_reset(struct ocf_card *card, struct ocf_stuck *stuck)
{
	int ret;

	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	scoped_guard(mutex, &card->config_lock) {
		ret = ocf_drain(card, stuck);
		if (ret)
			return ret;
		ocf_writel(card, OCFABRIC_REG_COUNTER_RESET, 1);
		ocf_resume(card);
		if (ocf_card_confirm(card))
			return -ENODEV;
	}
	ocf_notify_kind(card, OCFABRIC_EVENT_KIND_COUNTERS_RESET);
	return 0;
}
