// SPDX-License-Identifier: GPL-2.0-only
/* Netlink: queue pairs. What the card refuses is said in words. */
#include <linux/log2.h>
#include <linux/slab.h>

#include "netlink.h"

/* ---- qp-get ------------------------------------------------------------- */

struct ocf_qp_row {
	u32 card;
	u32 link;
	u32 qpn;
	struct ocfabric_hw_qp qp;
};

static int ocf_take_link_qps(struct ocf_card *card, struct ocf_rows *rows,
			     u32 link, const struct ocf_qps *qps)
{
	struct ocf_qp_row *row;
	u32 qpn;

	for (qpn = 0; qpn < OCFABRIC_QPNS; qpn++) {
		if (qps->qp[link][qpn].peer == OCFABRIC_PEER_NONE)
			continue;
		row = ocf_rows_add(rows);
		if (!row)
			return -ENOMEM;
		row->card = card->index;
		row->link = link;
		row->qpn = qpn;
		row->qp = qps->qp[link][qpn];
	}
	return 0;
}

static int ocf_take_qps(struct ocf_card *card, struct ocf_rows *rows)
{
	struct ocf_qps *qps __free(kvfree) = kvmalloc(sizeof(*qps), GFP_KERNEL);
	int ret;
	u32 i;

	if (!qps)
		return -ENOMEM;
	ret = ocf_qps_read(card, qps);
	for (i = 0; !ret && i < card->caps.replicas; i++)
		ret = ocf_take_link_qps(card, rows, i, qps);
	return ret;
}

static int ocf_put_qp_attrs(struct sk_buff *skb, const struct ocfabric_hw_qp *q)
{
	return nla_put_u32(skb, OCFABRIC_A_QP_STATE, q->state) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_SEND_PSN,
			   le32_to_cpu(q->send_psn) & OCFABRIC_QPN_MASK) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_EXPECTED_PSN,
			   le32_to_cpu(q->expected_psn) & OCFABRIC_QPN_MASK) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_WINDOW, le16_to_cpu(q->window)) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_MTU, le16_to_cpu(q->mtu)) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_RETRY_LIMIT, q->retry_limit) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_RNR_LIMIT, q->rnr_limit) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_TIMEOUT, q->timeout) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_RNR_TIMER, q->rnr_timer);
}

static int ocf_put_qp(struct sk_buff *skb, const void *data)
{
	const struct ocf_qp_row *row = data;
	const struct ocfabric_hw_qp *q = &row->qp;

	return nla_put_u32(skb, OCFABRIC_A_QP_CARD, row->card) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_LINK, row->link) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_QPN, row->qpn) ?:
	       ocf_put_qp_attrs(skb, q) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_PEER, q->peer) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_OUTSTANDING,
			   le16_to_cpu(q->outstanding)) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_RETRIES, q->retries) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_RNR_RETRIES, q->rnr_retries) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_DRAINING,
			   !!(q->flags & OCFABRIC_QP_DRAINING)) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_CAUSE, q->cause) ?:
	       nla_put_u32(skb, OCFABRIC_A_QP_MOVES, le32_to_cpu(q->moves));
}

const struct ocf_table ocf_table_qps = {
	.row_size = sizeof(struct ocf_qp_row),
	.take = ocf_take_qps,
	.put = ocf_put_qp,
};

/* ---- refusals ----------------------------------------------------------- */

/* By the number of their bit, as are the netlink attributes from STATE on. */
static const char *const ocf_qp_attr_names[OCFABRIC_QP_ATTRS] = {
	"state", "send-psn", "expected-psn", "window", "mtu", "retry-limit",
	"rnr-limit", "timeout", "rnr-timer",
};

static_assert(OCFABRIC_A_QP_STATE + OCFABRIC_QP_ATTRS - 1 ==
	      OCFABRIC_A_QP_RNR_TIMER);

static const char *ocf_qp_attr_name(u32 attr)
{
	return attr < OCFABRIC_QP_ATTRS ? ocf_qp_attr_names[attr] : "it";
}

/*
 * Where a command can move it to; the card knows them itself, this is for the
 * sentence alone.
 */
static const char *const ocf_qp_moves[] = {
	[OCFABRIC_QP_RESET] = "INIT, ERR",
	[OCFABRIC_QP_INIT] = "RTR, RESET, ERR",
	[OCFABRIC_QP_RTR] = "RTS, RESET, ERR",
	[OCFABRIC_QP_RTS] = "SQD, RESET, ERR",
	[OCFABRIC_QP_SQD] = "RTS, RESET, ERR",
	[OCFABRIC_QP_SQE] = "RTS, RESET, ERR",
	[OCFABRIC_QP_ERR] = "RESET",
};

static void ocf_qp_bad_attr(struct genl_info *info, u32 attr)
{
	u32 type = OCFABRIC_A_QP_STATE + attr;

	if (attr < OCFABRIC_QP_ATTRS && info->attrs[type])
		NL_SET_BAD_ATTR(info->extack, info->attrs[type]);
}

static void ocf_qp_no_move(struct genl_info *info,
			   const struct ocf_qp_change *change, u32 from)
{
	const char *moves = from < ARRAY_SIZE(ocf_qp_moves) ?
			    ocf_qp_moves[from] : "RESET";
	const char *name = ocf_qp_state_name(from);

	ocf_qp_bad_attr(info, 0);
	if (change->valid & OCFABRIC_QP_ATTR_STATE)
		GENL_SET_ERR_MSG_FMT(info,
				     "link %u qpn %u: no move from %s to %s; from %s: %s",
				     change->link, change->qpn, name,
				     ocf_qp_state_name(change->value[0]), name,
				     moves);
	else
		GENL_SET_ERR_MSG_FMT(info,
				     "link %u qpn %u: nothing can change in %s; from %s: %s",
				     change->link, change->qpn, name, name,
				     moves);
}

/* The attribute is there, or it would be missing; PSNs may stay what they are. */
static void ocf_qp_invalid(struct genl_info *info,
			   const struct ocf_qp_change *change,
			   const struct ocf_qp_answer *answer)
{
	u32 attr = answer->attr;

	ocf_qp_bad_attr(info, attr);
	if (attr == ilog2(OCFABRIC_QP_ATTR_SEND_PSN) ||
	    attr == ilog2(OCFABRIC_QP_ATTR_EXPECTED_PSN))
		GENL_SET_ERR_MSG_FMT(info,
				     "link %u qpn %u: to RTS with send-psn other than expected-psn",
				     change->link, change->qpn);
	else if (attr < OCFABRIC_QP_ATTRS)
		GENL_SET_ERR_MSG_FMT(info, "link %u qpn %u: %s cannot be %u",
				     change->link, change->qpn,
				     ocf_qp_attr_name(attr),
				     change->value[attr]);
	else
		GENL_SET_ERR_MSG_FMT(info, "link %u qpn %u: the card refuses it",
				     change->link, change->qpn);
}

static void ocf_qp_not_allowed(struct genl_info *info,
			       const struct ocf_qp_change *change,
			       const struct ocf_qp_answer *answer)
{
	const char *from = ocf_qp_state_name(answer->qp.state);
	const char *name = ocf_qp_attr_name(answer->attr);

	ocf_qp_bad_attr(info, answer->attr);
	if (change->valid & OCFABRIC_QP_ATTR_STATE)
		GENL_SET_ERR_MSG_FMT(info,
				     "link %u qpn %u: %s cannot change from %s to %s",
				     change->link, change->qpn, name, from,
				     ocf_qp_state_name(change->value[0]));
	else
		GENL_SET_ERR_MSG_FMT(info,
				     "link %u qpn %u: %s cannot change in %s",
				     change->link, change->qpn, name, from);
}

static void ocf_qp_missing(struct genl_info *info,
			   const struct ocf_qp_change *change,
			   const struct ocf_qp_answer *answer)
{
	if (answer->attr < OCFABRIC_QP_ATTRS)
		NL_SET_ERR_ATTR_MISS(info->extack, NULL,
				     OCFABRIC_A_QP_STATE + answer->attr);
	GENL_SET_ERR_MSG_FMT(info, "link %u qpn %u: from %s to %s needs %s",
			     change->link, change->qpn,
			     ocf_qp_state_name(answer->qp.state),
			     ocf_qp_state_name(change->value[0]),
			     ocf_qp_attr_name(answer->attr));
}

static int ocf_qp_refused(struct genl_info *info,
			  const struct ocf_qp_change *change,
			  const struct ocf_qp_answer *answer)
{
	switch (answer->result) {
	case OCFABRIC_RESULT_MOVE:
		ocf_qp_no_move(info, change, answer->qp.state);
		break;
	case OCFABRIC_RESULT_MISSING:
		ocf_qp_missing(info, change, answer);
		break;
	case OCFABRIC_RESULT_NOT_ALLOWED:
		ocf_qp_not_allowed(info, change, answer);
		break;
	default:
		ocf_qp_invalid(info, change, answer);
	}
	return -EINVAL;
}

static const char *const ocf_waits[] = {
	[OCFABRIC_WAITS_FOR_NOTHING] = "nothing",
	[OCFABRIC_WAITS_FOR_LATENCY] = "the latency",
	[OCFABRIC_WAITS_FOR_SOURCE] = "its source",
	[OCFABRIC_WAITS_FOR_RESPONSE] = "HBM responses",
};

/* The state is as the card has it; it goes on when the write ends. */
static void ocf_qp_stuck(struct genl_info *info, struct ocf_card *card,
			 u32 link, u32 qpn, const struct ocf_qp_answer *answer)
{
	const char *state = ocf_qp_state_name(answer->qp.state);
	struct ocf_path path;
	u64 clock;

	if (ocf_paths_read(card, link, 1, &path, &clock))
		return;
	if (path.at == OCFABRIC_PATH_NONE)
		GENL_SET_ERR_MSG_FMT(info,
				     "link %u qpn %u: %s after %u ms, nothing in flight",
				     link, qpn, state, OCF_WAIT_MS);
	else
		GENL_SET_ERR_MSG_FMT(info,
				     "link %u qpn %u: %s after %u ms: stage %s waits for %s",
				     link, qpn, state, OCF_WAIT_MS,
				     ocf_path_name(path.at),
				     ocf_waits[path.waits_for]);
}

static void ocf_qp_busy(struct genl_info *info,
			const struct ocf_qp_answer *answer)
{
	GENL_SET_ERR_MSG_FMT(info,
			     "link %u qpn %u is still draining; reset qp ends its write",
			     answer->busy_link, answer->busy_qpn);
}

/* What both commands may fail with. */
static int ocf_qp_failed(struct genl_info *info, struct ocf_card *card,
			 const struct ocf_qp_change *change,
			 const struct ocf_qp_answer *answer, int qpn_attr,
			 int error)
{
	switch (error) {
	case -ENOENT:
		NL_SET_BAD_ATTR(info->extack, info->attrs[qpn_attr]);
		GENL_SET_ERR_MSG_FMT(info, "link %u qpn %u: no connection",
				     change->link, change->qpn);
		return error;
	case -EBUSY:
		ocf_qp_busy(info, answer);
		return error;
	case -ETIMEDOUT:
		ocf_qp_stuck(info, card, change->link, change->qpn, answer);
		return error;
	default:
		return ocf_nl_failed(info, card, error);
	}
}

/* ---- qp-set, reset-target qp -------------------------------------------- */

/* Whatever began has an effect, when it took too long, too. */
static void ocf_qp_tell(struct ocf_card *card,
			const struct ocf_qp_change *change,
			const struct ocf_qp_answer *answer, int error)
{
	const struct ocf_news news = {
		.kind = OCFABRIC_EVENT_KIND_QP_CHANGED,
		.replica = change->link,
		.qpn = change->qpn,
		.state = answer->qp.state,
	};

	if (!error || error == -ETIMEDOUT || error == -EINTR)
		ocf_notify(card, &news);
}

/* Link and QPN, which the card has. */
static int ocf_nl_qp(struct genl_info *info, const struct ocf_card *card,
		     int link_attr, int qpn_attr, struct ocf_qp_change *change)
{
	if (GENL_REQ_ATTR_CHECK(info, link_attr) ||
	    GENL_REQ_ATTR_CHECK(info, qpn_attr)) {
		GENL_SET_ERR_MSG(info, "link and qpn name a queue pair");
		return -EINVAL;
	}
	change->link = nla_get_u32(info->attrs[link_attr]);
	change->qpn = nla_get_u32(info->attrs[qpn_attr]);
	if (change->link >= card->caps.replicas)
		return ocf_nl_no_replica(info, card, "link", link_attr);
	return 0;
}

static int ocf_nl_qp_change(struct genl_info *info,
			    struct ocf_qp_change *change)
{
	struct nlattr *attr;
	u32 i;

	for (i = 0; i < OCFABRIC_QP_ATTRS; i++) {
		attr = info->attrs[OCFABRIC_A_QP_STATE + i];
		if (!attr)
			continue;
		change->valid |= BIT(i);
		change->value[i] = nla_get_u32(attr);
	}
	if (!change->valid) {
		GENL_SET_ERR_MSG(info, "no state, and nothing else, to set");
		return -EINVAL;
	}
	attr = info->attrs[OCFABRIC_A_QP_MTU];
	if (attr && !is_power_of_2(nla_get_u32(attr))) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "mtu: expected 256, 512, 1024, 2048 or 4096");
		return -EINVAL;
	}
	return 0;
}

int ocfabric_nl_qp_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct ocf_card *card __free(ocf_card_put) =
		ocf_nl_card(info, OCFABRIC_A_QP_CARD);
	struct ocf_qp_change change = {};
	struct ocf_qp_answer answer;
	int ret;

	if (IS_ERR(card))
		return PTR_ERR(card);
	ret = ocf_nl_qp(info, card, OCFABRIC_A_QP_LINK, OCFABRIC_A_QP_QPN,
			&change);
	if (!ret)
		ret = ocf_nl_qp_change(info, &change);
	if (ret)
		return ret;
	ret = ocf_qp_modify(card, &change, &answer);
	ocf_qp_tell(card, &change, &answer, ret);
	if (ret == -EINVAL)
		return ocf_qp_refused(info, &change, &answer);
	if (ret)
		ocf_qp_failed(info, card, &change, &answer, OCFABRIC_A_QP_QPN,
			      ret);
	return ret;
}

int ocf_nl_qp_reset(struct genl_info *info, struct ocf_card *card)
{
	struct ocf_qp_change change = {};
	struct ocf_qp_answer answer;
	int ret;

	ret = ocf_nl_qp(info, card, OCFABRIC_A_CONTROL_LINK,
			OCFABRIC_A_CONTROL_QPN, &change);
	if (ret)
		return ret;
	ret = ocf_qp_recover(card, change.link, change.qpn, &answer);
	ocf_qp_tell(card, &change, &answer, ret);
	/* no attribute can be at fault, whatever the card says: it has none */
	if (ret == -EINVAL)
		GENL_SET_ERR_MSG_FMT(info, "link %u qpn %u: the card refuses it",
				     change.link, change.qpn);
	else if (ret)
		ocf_qp_failed(info, card, &change, &answer,
			      OCFABRIC_A_CONTROL_QPN, ret);
	return ret;
}
