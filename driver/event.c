// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the card tells: its event ring, taken by the thread of interrupt 0. The
 * ring's contents are the card's word only; queues are looked at themselves.
 */
#include <linux/dma-mapping.h>
#include <linux/ratelimit.h>

#include "ocfabric.h"
#include "trace.h"

#define OCF_EVENTS	BIT(OCF_EVENT_SHIFT)
#define OCF_ERROR_NEWS	20	/* a second: a replica can cause errors at will */

int ocf_events_alloc(struct ocf_card *card)
{
	struct ocf_event_ring *ring = &card->events;

	ring->entry = dmam_alloc_coherent(&card->pdev->dev,
					  OCF_EVENTS * sizeof(*ring->entry),
					  &ring->dma, GFP_KERNEL);
	return ring->entry ? 0 : -ENOMEM;
}

/* The card has been reset, interrupts are off. */
void ocf_events_start(struct ocf_card *card)
{
	struct ocf_event_ring *ring = &card->events;

	memset(ring->entry, 0, OCF_EVENTS * sizeof(*ring->entry));
	ring->consumer = 0;
	ocf_writeq(card, OCFABRIC_REG_EVENT_BASE, ring->dma);
	ocf_writel(card, OCFABRIC_REG_EVENT_CONSUMER, 0);
	ocf_writel(card, OCFABRIC_REG_EVENT_SHIFT, OCF_EVENT_SHIFT);
	ratelimit_state_init(&ring->error_news, HZ, OCF_ERROR_NEWS);
	ratelimit_set_flags(&ring->error_news, RATELIMIT_MSG_ON_RELEASE);
	ring->lost = ocf_readl(card, OCFABRIC_REG_EVENT_LOST);
	spin_lock(&card->publish_lock);
	card->errors = 0;
	card->events_lost = 0;
	spin_unlock(&card->publish_lock);
}

/* The card may change it meanwhile: each word is read once, and never again. */
static void ocf_event_copy(struct ocfabric_event *to,
			   const struct ocfabric_event *from)
{
	const u64 *word = (const u64 *)from;
	u64 copy[sizeof(*to) / sizeof(u64)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(copy); i++)
		copy[i] = READ_ONCE(word[i]);
	memcpy(to, copy, sizeof(*to));
}

static_assert(sizeof(struct ocfabric_event) % sizeof(u64) == 0);

/* A copy of the next event, if there is one. */
static bool ocf_event_next(struct ocf_event_ring *ring,
			   struct ocfabric_event *event)
{
	const struct ocfabric_event *entry =
		&ring->entry[ring->consumer & (OCF_EVENTS - 1)];
	u8 lap = ring->consumer >> OCF_EVENT_SHIFT;

	if ((READ_ONCE(entry->tag) & OCFABRIC_DESC_TAG_MASK) !=
	    ((lap + 1) & OCFABRIC_DESC_TAG_MASK))
		return false;
	/* the card stores the word with the tag last: the rest after it */
	dma_rmb();
	ocf_event_copy(event, entry);
	ring->consumer++;
	return true;
}

/* Wakes the owner of a queue that stands still, and only then. */
static void ocf_event_look(struct ocf_card *card, u32 queue)
{
	struct ocf_slot *slot = &card->slot[queue];
	u32 state = ocf_readl(card, OCFABRIC_REG_QUEUE(queue) +
			      OCFABRIC_QUEUE_STATE);

	if ((state & 0xff) != OCFABRIC_QUEUE_STOPPED)
		return;
	WRITE_ONCE(slot->stopped, true);
	ocf_slot_wake(slot, EPOLLIN | EPOLLRDNORM | EPOLLPRI);
}

static void ocf_event_stopped(struct ocf_card *card,
			      const struct ocfabric_event *event)
{
	struct ocf_news news = {
		.kind = OCFABRIC_EVENT_KIND_QUEUE_STOPPED,
		.replica = event->link,
		.cause = event->cause,
		.wrote = le32_to_cpu(event->a),
		.expected = le32_to_cpu(event->b),
		.clock = le64_to_cpu(event->clock),
	};

	if (news.replica >= card->caps.replicas ||
	    news.cause > OCFABRIC_CAUSE_RX_BAD_DESCRIPTOR) {
		ocf_disbelieve_event(card, event);
		return;
	}
	trace_ocfabric_queue_stopped(card, &news);
	ocf_event_look(card, event->link);
	ocf_notify(card, &news);
}

/* A configuration that was written while not drained looks at that bit itself. */
static void ocf_event_error(struct ocf_card *card,
			    const struct ocfabric_event *event)
{
	struct ocf_event_ring *ring = &card->events;
	struct ocf_news news = {
		.kind = OCFABRIC_EVENT_KIND_HARDWARE_ERROR,
		.replica = OCF_NO_REPLICA,
		.errors = le32_to_cpu(event->a) & OCFABRIC_ERROR_MASK,
		.clock = le64_to_cpu(event->clock),
	};

	scoped_guard(spinlock, &card->publish_lock)
		card->errors |= news.errors;
	ocf_writel(card, OCFABRIC_REG_ERROR,
		   news.errors & ~OCFABRIC_ERROR_NOT_DRAINED);
	if (__ratelimit(&ring->error_news))
		ocf_notify(card, &news);
}

/* What no card says truly is not passed on, and is no index anywhere. */
static void ocf_event_stalled(struct ocf_card *card,
			      const struct ocfabric_event *event)
{
	const struct ocf_news news = {
		.kind = OCFABRIC_EVENT_KIND_STALLED,
		.replica = event->link,
		.stage = event->cause,
		.age = le32_to_cpu(event->a),
		.qpn = le32_to_cpu(event->b) & OCFABRIC_QPN_MASK,
		.clock = le64_to_cpu(event->clock),
	};

	if (news.replica >= card->caps.replicas ||
	    news.stage >= OCFABRIC_PATHS) {
		ocf_disbelieve_event(card, event);
		return;
	}
	trace_ocfabric_stalled(card, &news);
	ocf_notify(card, &news);
}

static void ocf_event_rejected(struct ocf_card *card,
			       const struct ocfabric_event *event)
{
	const struct ocf_news news = {
		.kind = OCFABRIC_EVENT_KIND_REJECTED,
		.replica = event->link,
		.verdict = event->cause,
		.qpn = le32_to_cpu(event->a) & OCFABRIC_QPN_MASK,
		.omitted = le32_to_cpu(event->b),
		.clock = le64_to_cpu(event->clock),
	};

	if (news.replica >= card->caps.replicas ||
	    news.verdict > OCFABRIC_VERDICT_FLUSHED) {
		ocf_disbelieve_event(card, event);
		return;
	}
	trace_ocfabric_rejected(card, &news);
	ocf_notify(card, &news);
}

static void ocf_event_qp(struct ocf_card *card,
			 const struct ocfabric_event *event)
{
	const struct ocf_news news = {
		.kind = OCFABRIC_EVENT_KIND_QP_ERROR,
		.replica = event->link,
		.cause = event->cause,
		.qpn = le32_to_cpu(event->a) & OCFABRIC_QPN_MASK,
		.state = le32_to_cpu(event->b),
		.clock = le64_to_cpu(event->clock),
	};

	if (news.replica >= card->caps.replicas ||
	    news.qpn >= OCFABRIC_QPNS || news.state > OCFABRIC_QP_ERR ||
	    news.cause > OCFABRIC_QP_CAUSE_NAK) {
		ocf_disbelieve_event(card, event);
		return;
	}
	trace_ocfabric_qp_error(card, &news);
	ocf_notify(card, &news);
}

static void ocf_event_take(struct ocf_card *card,
			   const struct ocfabric_event *event)
{
	trace_ocfabric_event(card, event);
	switch (event->type) {
	case OCFABRIC_EVENT_QUEUE_STOPPED:
		ocf_event_stopped(card, event);
		break;
	case OCFABRIC_EVENT_ERROR:
		ocf_event_error(card, event);
		break;
	case OCFABRIC_EVENT_STALLED:
		ocf_event_stalled(card, event);
		break;
	case OCFABRIC_EVENT_REJECTED:
		ocf_event_rejected(card, event);
		break;
	case OCFABRIC_EVENT_QP:
		ocf_event_qp(card, event);
		break;
	default:
		ocf_disbelieve_event(card, event);
	}
}

/* What lost events would have told about queues is looked up. */
static void ocf_events_lost(struct ocf_card *card)
{
	u32 lost = ocf_readl(card, OCFABRIC_REG_EVENT_LOST);
	struct ocf_news news = {
		.kind = OCFABRIC_EVENT_KIND_EVENTS_LOST,
		.replica = OCF_NO_REPLICA,
		.lost = lost - card->events.lost,
	};
	u32 i;

	if (!news.lost || PCI_POSSIBLE_ERROR(lost))
		return;
	card->events.lost = lost;
	scoped_guard(spinlock, &card->publish_lock)
		card->events_lost += news.lost;
	for (i = 0; i < card->caps.replicas; i++)
		ocf_event_look(card, i);
	ocf_notify(card, &news);
}

/* In the interrupt's thread. A ring's worth; for more it is woken again. */
unsigned int ocf_events_take(struct ocf_card *card)
{
	struct ocf_event_ring *ring = &card->events;
	struct ocfabric_event event;
	unsigned int n;

	for (n = 0; n < OCF_EVENTS && ocf_event_next(ring, &event); n++)
		ocf_event_take(card, &event);
	ocf_writel(card, OCFABRIC_REG_EVENT_CONSUMER, ring->consumer);
	ocf_events_lost(card);
	return n;
}
