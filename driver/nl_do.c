// SPDX-License-Identifier: GPL-2.0-only
/* Netlink operations that change something. */
#include <linux/slab.h>

#include "netlink.h"

/* The card that the attribute names; a reference, or an ERR_PTR. */
struct ocf_card *ocf_nl_card(struct genl_info *info, int attr)
{
	struct ocf_card *card;
	u32 index;

	if (GENL_REQ_ATTR_CHECK(info, attr)) {
		GENL_SET_ERR_MSG(info, "the card is missing: N of /dev/ocfabricN");
		return ERR_PTR(-EINVAL);
	}
	index = nla_get_u32(info->attrs[attr]);
	card = ocf_card_find(index);
	if (!card) {
		NL_SET_BAD_ATTR(info->extack, info->attrs[attr]);
		GENL_SET_ERR_MSG_FMT(info, "there is no card ocfabric%u", index);
		return ERR_PTR(-ENODEV);
	}
	return card;
}

/* A sentence for errors that need no more than their errno says. */
int ocf_nl_failed(struct genl_info *info, const struct ocf_card *card, int error)
{
	if (error == -ENODEV)
		GENL_SET_ERR_MSG_FMT(info, "%s is gone or being reset",
				     card->name);
	return error;
}

static int ocf_nl_stuck(struct genl_info *info, const struct ocf_stuck *stuck)
{
	GENL_SET_ERR_MSG_FMT(info,
			     "link %u does not come to rest within %u ms: stage %s",
			     stuck->link, OCF_WAIT_MS,
			     ocf_stage_name(stuck->stage));
	return -ETIMEDOUT;
}

/* ---- change ------------------------------------------------------------- */

static u32 ocf_nl_u32(struct nlattr **tb, int attr)
{
	return tb[attr] ? nla_get_u32(tb[attr]) : 0;
}

static u64 ocf_nl_uint(struct nlattr **tb, int attr)
{
	return tb[attr] ? nla_get_uint(tb[attr]) : 0;
}

/* What is absent is 0. */
static int ocf_nl_step(struct genl_info *info, struct nlattr *nest,
		       struct ocfabric_change *step)
{
	struct nlattr *tb[OCFABRIC_A_CHANGE_MAX + 1];
	int ret;

	ret = nla_parse_nested(tb, OCFABRIC_A_CHANGE_MAX, nest,
			       ocfabric_change_nl_policy, info->extack);
	if (ret)
		return ret;
	*step = (struct ocfabric_change){
		.op = ocf_nl_u32(tb, OCFABRIC_A_CHANGE_OP),
		.src = ocf_nl_u32(tb, OCFABRIC_A_CHANGE_SRC),
		.dst = ocf_nl_u32(tb, OCFABRIC_A_CHANGE_DST),
		.qpn = ocf_nl_u32(tb, OCFABRIC_A_CHANGE_QPN),
		.value = ocf_nl_uint(tb, OCFABRIC_A_CHANGE_VALUE),
		.offset = ocf_nl_uint(tb, OCFABRIC_A_CHANGE_OFFSET),
		.length = ocf_nl_uint(tb, OCFABRIC_A_CHANGE_LENGTH),
		.sem_first = ocf_nl_u32(tb, OCFABRIC_A_CHANGE_SEM_FIRST),
		.sem_count = ocf_nl_u32(tb, OCFABRIC_A_CHANGE_SEM_COUNT),
	};
	return 0;
}

static u32 ocf_nl_count_steps(struct genl_info *info)
{
	struct nlattr *attr;
	u32 count = 0;
	int rem;

	nlmsg_for_each_attr_type(attr, OCFABRIC_A_CONFIG_CHANGE_STEP,
				 info->nlhdr, GENL_HDRLEN, rem)
		count++;
	return count;
}

static int ocf_nl_steps(struct genl_info *info, struct ocfabric_change *step)
{
	struct nlattr *attr;
	int rem, ret;

	nlmsg_for_each_attr_type(attr, OCFABRIC_A_CONFIG_CHANGE_STEP,
				 info->nlhdr, GENL_HDRLEN, rem) {
		ret = ocf_nl_step(info, attr, step++);
		if (ret)
			return ret;
	}
	return 0;
}

/* The sentence, and the step that it is about. */
static void ocf_nl_refused(struct genl_info *info,
			   const struct ocf_refusal *refusal)
{
	struct nlattr *attr;
	u32 i = 0;
	int rem;

	if (refusal->reason[0])
		GENL_SET_ERR_MSG_FMT(info, "%s", refusal->reason);
	nlmsg_for_each_attr_type(attr, OCFABRIC_A_CONFIG_CHANGE_STEP,
				 info->nlhdr, GENL_HDRLEN, rem) {
		if (i++ == refusal->step)
			NL_SET_BAD_ATTR(info->extack, attr);
	}
}

int ocfabric_nl_config_change_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct ocf_card *card __free(ocf_card_put) =
		ocf_nl_card(info, OCFABRIC_A_CONFIG_CHANGE_CARD);
	struct ocfabric_change *step __free(kvfree) = NULL;
	struct ocf_refusal refusal;
	u32 count;
	int ret;

	if (IS_ERR(card))
		return PTR_ERR(card);
	if (GENL_REQ_ATTR_CHECK(info, OCFABRIC_A_CONFIG_CHANGE_STEP))
		return -EINVAL;
	count = ocf_nl_count_steps(info);
	if (count > OCFABRIC_CHANGES_MAX) {
		GENL_SET_ERR_MSG_FMT(info, "%u steps: expected at most %u",
				     count, OCFABRIC_CHANGES_MAX);
		return -EINVAL;
	}
	step = kvcalloc(count, sizeof(*step), GFP_KERNEL);
	if (!step)
		return -ENOMEM;
	ret = ocf_nl_steps(info, step);
	if (ret)
		return ret;
	ret = ocf_config_change(card, step, count,
				info->attrs[OCFABRIC_A_CONFIG_CHANGE_CHECK],
				&refusal);
	if (!ret)
		return 0;
	ocf_nl_failed(info, card, ret);
	ocf_nl_refused(info, &refusal);
	return ret;
}

/* ---- control ------------------------------------------------------------ */

int ocfabric_nl_drain_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct ocf_card *card __free(ocf_card_put) =
		ocf_nl_card(info, OCFABRIC_A_CONTROL_CARD);
	char holder[OCFABRIC_REASON_MAX / 2];
	struct ocf_stuck stuck;
	int ret;

	if (IS_ERR(card))
		return PTR_ERR(card);
	ret = ocf_drain_hold(card, &stuck, holder, sizeof(holder));
	if (ret == -ETIMEDOUT)
		return ocf_nl_stuck(info, &stuck);
	if (ret == -EBUSY)
		GENL_SET_ERR_MSG_FMT(info, "%s is drained already, by %s",
				     card->name, holder);
	return ocf_nl_failed(info, card, ret);
}

int ocfabric_nl_resume_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct ocf_card *card __free(ocf_card_put) =
		ocf_nl_card(info, OCFABRIC_A_CONTROL_CARD);
	int ret;

	if (IS_ERR(card))
		return PTR_ERR(card);
	ret = ocf_drain_release(card);
	if (ret == -EINVAL)
		GENL_SET_ERR_MSG_FMT(info, "%s is not drained by hand",
				     card->name);
	return ocf_nl_failed(info, card, ret);
}

int ocf_nl_no_replica(struct genl_info *info, const struct ocf_card *card,
		      const char *what, int attr)
{
	NL_SET_BAD_ATTR(info->extack, info->attrs[attr]);
	GENL_SET_ERR_MSG_FMT(info, "%s %u: %s has 0 to %u", what,
			     nla_get_u32(info->attrs[attr]), card->name,
			     card->caps.replicas - 1);
	return -ENOENT;
}

static int ocf_nl_link_reset(struct genl_info *info, struct ocf_card *card)
{
	int ret;

	if (GENL_REQ_ATTR_CHECK(info, OCFABRIC_A_CONTROL_LINK)) {
		GENL_SET_ERR_MSG(info, "the link to reset is missing");
		return -EINVAL;
	}
	ret = ocf_link_reset(card,
			     nla_get_u32(info->attrs[OCFABRIC_A_CONTROL_LINK]));
	if (ret == -ENOENT)
		return ocf_nl_no_replica(info, card, "link",
					 OCFABRIC_A_CONTROL_LINK);
	if (ret == -ETIMEDOUT)
		GENL_SET_ERR_MSG_FMT(info,
				     "%s does not end the command within %u ms",
				     card->name, OCF_WAIT_MS);
	return ocf_nl_failed(info, card, ret);
}

#define ocf_nl_absent(info, attr, sentence) ({				\
	struct nlattr *_a = (info)->attrs[attr];			\
									\
	if (_a)								\
		NL_SET_ERR_MSG_ATTR((info)->extack, _a, sentence);	\
	_a ? -EINVAL : 0; })

static int ocf_nl_reset(struct genl_info *info, struct ocf_card *card, u32 what)
{
	struct ocf_stuck stuck;
	int ret;

	if (what == OCFABRIC_RESET_TARGET_QP)
		return ocf_nl_qp_reset(info, card);
	ret = ocf_nl_absent(info, OCFABRIC_A_CONTROL_QPN,
			    "a queue pair is named, but not to be reset");
	if (ret)
		return ret;
	if (what == OCFABRIC_RESET_TARGET_LINK)
		return ocf_nl_link_reset(info, card);
	ret = ocf_nl_absent(info, OCFABRIC_A_CONTROL_LINK,
			    "a link is named, but not to be reset");
	if (ret)
		return ret;
	if (what == OCFABRIC_RESET_TARGET_DEVICE)
		return ocf_nl_failed(info, card, ocf_card_reset(card));
	ret = ocf_counters_reset(card, &stuck);
	if (ret == -ETIMEDOUT)
		return ocf_nl_stuck(info, &stuck);
	return ocf_nl_failed(info, card, ret);
}

int ocfabric_nl_reset_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct ocf_card *card __free(ocf_card_put) =
		ocf_nl_card(info, OCFABRIC_A_CONTROL_CARD);
	struct nlattr *target;

	if (IS_ERR(card))
		return PTR_ERR(card);
	if (GENL_REQ_ATTR_CHECK(info, OCFABRIC_A_CONTROL_RESET_TARGET))
		return -EINVAL;
	target = info->attrs[OCFABRIC_A_CONTROL_RESET_TARGET];
	return ocf_nl_reset(info, card, nla_get_u32(target));
}

/* ---- moderation --------------------------------------------------------- */

static u32 ocf_nl_keep(struct genl_info *info, int attr)
{
	return info->attrs[attr] ? nla_get_u32(info->attrs[attr]) :
				   OCF_MODERATION_KEEP;
}

int ocfabric_nl_moderation_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct ocf_card *card __free(ocf_card_put) =
		ocf_nl_card(info, OCFABRIC_A_MODERATION_CARD);
	const struct ocf_moderation change = {
		.burst = ocf_nl_keep(info, OCFABRIC_A_MODERATION_BURST),
		.timer = ocf_nl_keep(info, OCFABRIC_A_MODERATION_TIMER),
		.mode = ocf_nl_keep(info, OCFABRIC_A_MODERATION_MODE),
	};
	struct nlattr *replica;
	int ret;

	if (IS_ERR(card))
		return PTR_ERR(card);
	if (GENL_REQ_ATTR_CHECK(info, OCFABRIC_A_MODERATION_REPLICA)) {
		GENL_SET_ERR_MSG(info, "the replica is missing");
		return -EINVAL;
	}
	replica = info->attrs[OCFABRIC_A_MODERATION_REPLICA];
	ret = ocf_moderation_set(card, nla_get_u32(replica), &change);
	if (ret == -ENOENT)
		return ocf_nl_no_replica(info, card, "replica",
					 OCFABRIC_A_MODERATION_REPLICA);
	return ocf_nl_failed(info, card, ret);
}
