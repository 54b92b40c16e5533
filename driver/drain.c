// SPDX-License-Identifier: GPL-2.0-only
/* Draining the fabric: for a change, and by hand. */
#include <linux/pid.h>
#include <linux/timekeeping.h>

#include "ocfabric.h"
#include "trace.h"

static const char *const ocf_stage_names[] = {
	[OCFABRIC_STAGE_IDLE] = "idle",
	[OCFABRIC_STAGE_TAKEN] = "taken",
	[OCFABRIC_STAGE_ISSUED] = "issued",
	[OCFABRIC_STAGE_ACKNOWLEDGED] = "acknowledged",
};

const char *ocf_stage_name(u32 stage)
{
	return stage < ARRAY_SIZE(ocf_stage_names) ? ocf_stage_names[stage] :
						     "unknown";
}

/* Which link of those that are busy, and where it is. */
static void ocf_find_stuck(struct ocf_card *card, u32 status,
			   struct ocf_stuck *stuck)
{
	u32 busy = status >> OCFABRIC_STATUS_BUSY_SHIFT &
		   (BIT(card->caps.replicas) - 1);
	u32 link = busy ? __ffs(busy) : 0;
	u32 stage = ocf_readl(card, OCFABRIC_REG_LINK_STATE(link)) &
		    OCFABRIC_LINK_STAGE_MASK;

	*stuck = (struct ocf_stuck){
		.link = link,
		.stage = ocf_believe(card, "the stage of link", link, stage,
				     OCFABRIC_STAGE_ACKNOWLEDGED,
				     OCFABRIC_STAGE_IDLE),
	};
}

/**
 * ocf_drain - make every link come to rest, and keep it there
 * @card: entered, with config_lock held
 * @stuck: with -ETIMEDOUT: a link that does not, and where it is
 *
 * Nothing to do while it is drained by hand. On failure the fabric runs on.
 */
int ocf_drain(struct ocf_card *card, struct ocf_stuck *stuck)
{
	struct ocf_wait wait;
	u32 status;
	int ret;

	lockdep_assert_held(&card->config_lock);
	ocf_writel(card, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_DRAIN);
	/* a card that is being started is not lost to the asker's signal */
	ocf_wait_start(&wait, card, ocf_card_live(card));
	for (;;) {
		status = ocf_readl(card, OCFABRIC_REG_STATUS);
		if (!PCI_POSSIBLE_ERROR(status)) {
			if (status & OCFABRIC_STATUS_DRAINED)
				return 0;
		} else if (ocf_card_confirm(card)) {
			return -ENODEV;
		}
		ret = ocf_wait_more(&wait);
		if (ret)
			break;
	}
	ocf_find_stuck(card, status, stuck);
	ocf_resume(card);
	return ret;
}

/* The end of a drain for a change; one by hand goes on. */
void ocf_resume(struct ocf_card *card)
{
	lockdep_assert_held(&card->config_lock);
	if (!card->hold.held)
		ocf_writel(card, OCFABRIC_REG_CONTROL, 0);
}

void ocf_hold_clear(struct ocf_hold *hold)
{
	WRITE_ONCE(hold->held, false);
	put_pid(hold->pid);
	hold->pid = NULL;
}

static void ocf_hold_set(struct ocf_hold *hold)
{
	WRITE_ONCE(hold->held, true);
	hold->pid = get_pid(task_tgid(current));
	get_task_comm(hold->comm, current);
	hold->since = ktime_get_real_ns();
}

/* Says in @holder who has it, with -EBUSY. */
int ocf_drain_hold(struct ocf_card *card, struct ocf_stuck *stuck,
		   char *holder, size_t room)
{
	int ret;

	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	scoped_guard(mutex, &card->config_lock) {
		if (card->hold.held) {
			snprintf(holder, room, "%s (pid %d)", card->hold.comm,
				 pid_vnr(card->hold.pid));
			return -EBUSY;
		}
		ret = ocf_drain(card, stuck);
		if (ret)
			return ret;
		ocf_hold_set(&card->hold);
	}
	ocf_notify_kind(card, OCFABRIC_EVENT_KIND_DRAINED);
	return 0;
}

int ocf_drain_release(struct ocf_card *card)
{
	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	scoped_guard(mutex, &card->config_lock) {
		if (!card->hold.held)
			return -EINVAL;
		ocf_hold_clear(&card->hold);
		ocf_resume(card);
		ocf_config_generation(card);
		if (ocf_card_confirm(card))
			return -ENODEV;
	}
	ocf_notify_kind(card, OCFABRIC_EVENT_KIND_RESUMED);
	return 0;
}
