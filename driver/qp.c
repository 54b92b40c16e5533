// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs: the command block, one command at a time, and contexts as of a
 * snapshot. A command that waits for a write in flight may outlast its caller:
 * then the block is busy, and others are told by whom.
 */
#include <linux/sched.h>

#include "ocfabric.h"
#include "trace.h"

static_assert(OCFABRIC_QP_RNR_TIMER ==
	      OCFABRIC_QP_STATE + 4 * (OCFABRIC_QP_ATTRS - 1));

static const char *const ocf_qp_state_names[] = {
	[OCFABRIC_QP_RESET] = "RESET",
	[OCFABRIC_QP_INIT] = "INIT",
	[OCFABRIC_QP_RTR] = "RTR",
	[OCFABRIC_QP_RTS] = "RTS",
	[OCFABRIC_QP_SQD] = "SQD",
	[OCFABRIC_QP_SQE] = "SQE",
	[OCFABRIC_QP_ERR] = "ERR",
};

const char *ocf_qp_state_name(u32 state)
{
	return state < ARRAY_SIZE(ocf_qp_state_names) ?
	       ocf_qp_state_names[state] : "an unknown state";
}

static u32 ocf_qp_readl(struct ocf_card *card, u32 reg)
{
	return ocf_readl(card, OCFABRIC_REG_QP(reg));
}

static void ocf_qp_writel(const struct ocf_card *card, u32 reg, u32 value)
{
	ocf_writel(card, OCFABRIC_REG_QP(reg), value);
}

/* ---- contexts ----------------------------------------------------------- */

/* A replica that cannot be is none. */
static void ocf_qp_context(struct ocf_card *card, u32 link, u32 qpn,
			   struct ocfabric_hw_qp *qp)
{
	ocf_snapshot_copy(card, OCFABRIC_REG_QPC(link, qpn), qp, sizeof(*qp));
	if (qp->peer >= OCFABRIC_REPLICAS_MAX)
		qp->peer = OCFABRIC_PEER_NONE;
	qp->state = ocf_believe(card, "the state of a QP of link", link,
				qp->state, OCFABRIC_QP_ERR, OCFABRIC_QP_ERR);
	qp->cause = ocf_believe(card, "the cause of a QP of link", link,
				qp->cause, OCFABRIC_QP_CAUSE_NAK,
				OCFABRIC_QP_CAUSE_NONE);
	qp->send_psn &= cpu_to_le32(OCFABRIC_QPN_MASK);
	qp->expected_psn &= cpu_to_le32(OCFABRIC_QPN_MASK);
}

/* One of them; the card is entered. */
static void ocf_qp_read(struct ocf_card *card, u32 link, u32 qpn,
			struct ocfabric_hw_qp *qp)
{
	guard(mutex)(&card->snapshot_lock);
	ocf_writel(card, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_QPS);
	ocf_qp_context(card, link, qpn, qp);
}

/* Those of the published configuration; the others have no peer. */
int ocf_qps_read(struct ocf_card *card, struct ocf_qps *qps)
{
	const struct ocf_config *config;
	u32 link, qpn;

	memset(qps, 0xff, sizeof(*qps));
	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	guard(mutex)(&card->config_lock);
	config = card->config;
	guard(mutex)(&card->snapshot_lock);
	ocf_writel(card, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_QPS);
	for (link = 0; link < card->caps.replicas; link++) {
		for (qpn = 0; qpn < OCFABRIC_QPNS; qpn++) {
			if (config->peer[link][qpn] != OCFABRIC_PEER_NONE)
				ocf_qp_context(card, link, qpn,
					       &qps->qp[link][qpn]);
		}
		cond_resched();
	}
	return ocf_card_confirm(card);
}

/* ---- commands ----------------------------------------------------------- */

static int ocf_qp_result(u32 result)
{
	switch (result) {
	case OCFABRIC_RESULT_OK:
		return 0;
	case OCFABRIC_RESULT_UNKNOWN:
		return -EOPNOTSUPP;
	case OCFABRIC_RESULT_INVALID:
	case OCFABRIC_RESULT_MOVE:
	case OCFABRIC_RESULT_MISSING:
	case OCFABRIC_RESULT_NOT_ALLOWED:
		return -EINVAL;
	case OCFABRIC_RESULT_NO_CONNECTION:
		return -ENOENT;
	default:
		return -EIO;
	}
}

/* Until the block is not busy, or @done. */
static int ocf_qp_wait(struct ocf_card *card, u32 done, u32 *status)
{
	struct ocf_wait wait;
	int ret;

	ocf_wait_start(&wait, card, true);
	for (;;) {
		*status = ocf_qp_readl(card, OCFABRIC_QUERY_QP_STATUS);
		if (PCI_POSSIBLE_ERROR(*status) && ocf_card_confirm(card))
			return -ENODEV;
		if (!(*status & OCFABRIC_QP_BUSY) && (*status & done) == done)
			return 0;
		ret = ocf_wait_more(&wait);
		if (ret)
			return ret;
	}
}

/* -EBUSY and who it is, when the last command is still at work. */
static int ocf_qp_idle(struct ocf_card *card, struct ocf_qp_answer *answer)
{
	u32 status = ocf_qp_readl(card, OCFABRIC_QUERY_QP_STATUS);
	u32 who = ocf_qp_readl(card, OCFABRIC_MOD_QP_DST_QPN);

	lockdep_assert_held(&card->qp_lock);
	if (PCI_POSSIBLE_ERROR(status))
		return ocf_card_confirm(card) ?: -EIO;
	if (!(status & OCFABRIC_QP_BUSY))
		return 0;
	answer->busy_link = who >> OCFABRIC_QP_LINK_SHIFT;
	answer->busy_qpn = who & OCFABRIC_QPN_MASK;
	return -EBUSY;
}

static int ocf_qp_run(struct ocf_card *card, u32 cmd, u32 link, u32 qpn,
		      struct ocf_qp_answer *answer)
{
	u32 status;
	int ret;

	lockdep_assert_held(&card->qp_lock);
	ocf_qp_writel(card, OCFABRIC_MOD_QP_DST_QPN,
		      link << OCFABRIC_QP_LINK_SHIFT | qpn);
	ocf_qp_writel(card, OCFABRIC_MOD_QP_CMD, cmd);
	ret = ocf_qp_wait(card, OCFABRIC_QP_DONE, &status);
	if (!ret) {
		answer->result = status >> OCFABRIC_QP_RESULT_SHIFT &
				 OCFABRIC_QP_RESULT_MASK;
		answer->attr = status >> OCFABRIC_QP_AT_SHIFT &
			       OCFABRIC_QP_AT_MASK;
		ret = ocf_qp_result(answer->result);
	}
	if (ret != -ENODEV)
		ocf_qp_read(card, link, qpn, &answer->qp);
	trace_ocfabric_qp_command(card, link, qpn, cmd, answer->qp.state, ret);
	return ret;
}

static void ocf_qp_answer_clear(struct ocf_qp_answer *answer)
{
	*answer = (struct ocf_qp_answer){ .attr = OCFABRIC_QP_NO_ATTR };
}

/**
 * ocf_qp_modify - change attributes of a queue pair, its state for one
 * @card: any
 * @change: what; link and QPN are the card's
 * @answer: how the card has the queue pair then, and what it refuses
 *
 * Return: 0; -EINVAL, -ENOENT: nothing has changed; -EBUSY: another command is
 * at work; -ETIMEDOUT, -EINTR: this one is, and goes on when the write that is
 * in flight ends.
 */
int ocf_qp_modify(struct ocf_card *card, const struct ocf_qp_change *change,
		  struct ocf_qp_answer *answer)
{
	int ret, i;

	ocf_qp_answer_clear(answer);
	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	guard(mutex)(&card->qp_lock);
	ret = ocf_qp_idle(card, answer);
	if (ret)
		return ret;
	ocf_qp_writel(card, OCFABRIC_QP_VALID, change->valid);
	for (i = 0; i < OCFABRIC_QP_ATTRS; i++) {
		if (change->valid & BIT(i))
			ocf_qp_writel(card, OCFABRIC_QP_STATE + 4 * i,
				      change->value[i]);
	}
	return ocf_qp_run(card, OCFABRIC_QP_CMD_MODIFY, change->link,
			  change->qpn, answer);
}

/* The move that is at work ends when the link gives up the write in flight. */
static int ocf_qp_give_up(struct ocf_card *card, u32 link, u32 qpn,
			  struct ocf_qp_answer *answer)
{
	u32 status;
	int ret;

	ret = ocf_cmd_link_reset(card, link);
	if (!ret)
		ret = ocf_qp_wait(card, 0, &status);
	/* the caller tells how it is, whether it got further or not */
	if (ret && ret != -ENODEV)
		ocf_qp_read(card, link, qpn, &answer->qp);
	return ret;
}

/* From any state to RTS, as if the connection had been loaded now. */
int ocf_qp_recover(struct ocf_card *card, u32 link, u32 qpn,
		   struct ocf_qp_answer *answer)
{
	int ret;

	ocf_qp_answer_clear(answer);
	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	guard(mutex)(&card->qp_lock);
	ret = ocf_qp_idle(card, answer);
	if (ret == -EBUSY && answer->busy_link == link &&
	    answer->busy_qpn == qpn)
		ret = ocf_qp_give_up(card, link, qpn, answer);
	if (ret)
		return ret;
	return ocf_qp_run(card, OCFABRIC_QP_CMD_RECOVER, link, qpn, answer);
}
