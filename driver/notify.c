// SPDX-License-Identifier: GPL-2.0-only
/*
 * What listeners are told, in every network namespace: a card belongs to none,
 * and its state can be read from all of them.
 */
#include <linux/pid.h>
#include <linux/timekeeping.h>

#include "netlink.h"
#include "ocfabric.h"

static int ocf_put_stopped(struct sk_buff *skb, const struct ocf_news *news)
{
	return nla_put_u32(skb, OCFABRIC_A_EVENT_CAUSE, news->cause) ?:
	       nla_put_u32(skb, OCFABRIC_A_EVENT_WROTE, news->wrote) ?:
	       nla_put_u32(skb, OCFABRIC_A_EVENT_EXPECTED, news->expected);
}

static int ocf_put_stalled(struct sk_buff *skb, const struct ocf_news *news)
{
	return nla_put_u32(skb, OCFABRIC_A_EVENT_STAGE, news->stage) ?:
	       nla_put_u32(skb, OCFABRIC_A_EVENT_AGE, news->age) ?:
	       nla_put_u32(skb, OCFABRIC_A_EVENT_QPN, news->qpn);
}

static int ocf_put_rejected(struct sk_buff *skb, const struct ocf_news *news)
{
	return nla_put_u32(skb, OCFABRIC_A_EVENT_QPN, news->qpn) ?:
	       nla_put_u32(skb, OCFABRIC_A_EVENT_VERDICT, news->verdict) ?:
	       nla_put_u32(skb, OCFABRIC_A_EVENT_OMITTED, news->omitted);
}

static int ocf_put_moved(struct sk_buff *skb, const struct ocf_news *news)
{
	return nla_put_u32(skb, OCFABRIC_A_EVENT_QPN, news->qpn) ?:
	       nla_put_u32(skb, OCFABRIC_A_EVENT_STATE, news->state);
}

static int ocf_put_pid(struct sk_buff *skb)
{
	return nla_put_u32(skb, OCFABRIC_A_EVENT_PID, task_tgid_nr(current));
}

/* What only some kinds have. */
static int ocf_put_details(struct sk_buff *skb, const struct ocf_news *news)
{
	switch (news->kind) {
	case OCFABRIC_EVENT_KIND_QUEUE_STOPPED:
		return ocf_put_stopped(skb, news);
	case OCFABRIC_EVENT_KIND_HARDWARE_ERROR:
		return nla_put_u32(skb, OCFABRIC_A_EVENT_ERRORS, news->errors);
	case OCFABRIC_EVENT_KIND_EVENTS_LOST:
		return nla_put_u32(skb, OCFABRIC_A_EVENT_LOST, news->lost);
	case OCFABRIC_EVENT_KIND_STALLED:
		return ocf_put_stalled(skb, news);
	case OCFABRIC_EVENT_KIND_REJECTED:
		return ocf_put_rejected(skb, news);
	case OCFABRIC_EVENT_KIND_QP_ERROR:
		return nla_put_u32(skb, OCFABRIC_A_EVENT_CAUSE, news->cause) ?:
		       ocf_put_moved(skb, news);
	case OCFABRIC_EVENT_KIND_QP_CHANGED:
		return ocf_put_moved(skb, news) ?: ocf_put_pid(skb);
	case OCFABRIC_EVENT_KIND_ADDED:
	case OCFABRIC_EVENT_KIND_REMOVED:
		return 0;
	default:
		return ocf_put_pid(skb);
	}
}

static int ocf_put_news(struct sk_buff *skb, struct ocf_card *card,
			const struct ocf_news *news, u32 seq)
{
	int ret;

	ret = nla_put_u32(skb, OCFABRIC_A_EVENT_CARD, card->index) ?:
	      nla_put_u32(skb, OCFABRIC_A_EVENT_KIND, news->kind) ?:
	      nla_put_uint(skb, OCFABRIC_A_EVENT_TIME, ktime_get_real_ns()) ?:
	      nla_put_u32(skb, OCFABRIC_A_EVENT_SEQ, seq);
	if (!ret && news->replica != OCF_NO_REPLICA)
		ret = nla_put_u32(skb, OCFABRIC_A_EVENT_REPLICA, news->replica);
	if (!ret && news->clock)
		ret = nla_put_uint(skb, OCFABRIC_A_EVENT_CLOCK, news->clock);
	return ret ?: ocf_put_details(skb, news);
}

/* The number is taken whatever happens: a gap means that one was lost. */
static u32 ocf_event_seq(struct ocf_card *card)
{
	u32 seq;

	spin_lock(&card->publish_lock);
	seq = card->event_seq++;
	spin_unlock(&card->publish_lock);
	return seq;
}

void ocf_notify(struct ocf_card *card, const struct ocf_news *news)
{
	u32 seq = ocf_event_seq(card);
	struct sk_buff *skb;
	void *hdr;

	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return;
	hdr = genlmsg_put(skb, 0, 0, &ocfabric_nl_family, 0,
			  OCFABRIC_CMD_EVENT_NTF);
	if (!hdr || ocf_put_news(skb, card, news, seq)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, hdr);
	guard(rcu)();
	genlmsg_multicast_allns(&ocfabric_nl_family, skb, 0,
				OCFABRIC_NLGRP_EVENTS);
}

void ocf_notify_kind(struct ocf_card *card, enum ocfabric_event_kind kind)
{
	ocf_notify_replica(card, kind, OCF_NO_REPLICA);
}

void ocf_notify_replica(struct ocf_card *card, enum ocfabric_event_kind kind,
			u32 replica)
{
	const struct ocf_news news = { .kind = kind, .replica = replica };

	ocf_notify(card, &news);
}
