// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cards that cannot be believed: values that cannot be, commands that do not
 * end, interrupts without end. What is done about it is in ocfabric.h.
 */
#include <linux/interrupt.h>
#include <linux/ratelimit.h>
#include <linux/workqueue.h>

#include "ocfabric.h"

#define OCF_DOUBTS		10	/* told in OCF_DOUBTS_INTERVAL */
#define OCF_DOUBTS_INTERVAL	(5 * HZ)
#define OCF_FAILURES_MAX	3	/* in a row, before it is given up */
#define OCF_STORM_WINDOW	max(HZ / 20, 1)
#define OCF_STORM_WINDOW_MS	50
#define OCF_STORM_ANY		1000	/* in a ms, where there is no limit */
#define OCF_STORM_EVENTS	1024	/* in the window: events, and looks for them */

/* ---- values ------------------------------------------------------------- */

/**
 * ocf_believe - a value that the card says, or what is taken for it
 * @card: entered
 * @what: whose value it is, for the log
 * @index: of the link or queue
 * @value: what it says
 * @most: that it can be
 * @instead: what it is taken for if it is more
 */
u32 ocf_believe(struct ocf_card *card, const char *what, u32 index, u32 value,
		u32 most, u32 instead)
{
	if (likely(value <= most))
		return value;
	if (__ratelimit(&card->doubts))
		dev_err(&card->pdev->dev,
			"the card says %s %u is 0x%x, expected at most 0x%x; taken for 0x%x\n",
			what, index, value, most, instead);
	return instead;
}

/* Something of the event ring that is passed over. */
void ocf_disbelieve_event(struct ocf_card *card,
			  const struct ocfabric_event *event)
{
	if (__ratelimit(&card->doubts))
		dev_err(&card->pdev->dev,
			"event %u of type %u, link %u, cause %u, 0x%x, 0x%x: no such event, passed over\n",
			le32_to_cpu(event->seq), event->type, event->link,
			event->cause, le32_to_cpu(event->a),
			le32_to_cpu(event->b));
}

/* ---- commands ----------------------------------------------------------- */

static void ocf_card_recover(struct work_struct *work)
{
	struct ocf_card *card = container_of(work, struct ocf_card, recovery);
	int ret = -ENODEV;

	scoped_guard(mutex, &card->reset_lock) {
		/* one that was reset since then has done nothing yet */
		if (ocf_card_live(card) &&
		    card->life == READ_ONCE(card->failed_life)) {
			ocf_card_stop(card, true);
			if (atomic_inc_return(&card->failures) <=
			    OCF_FAILURES_MAX) {
				ret = ocf_card_start(card);
			} else {
				dev_err(&card->pdev->dev,
					"the card is given up; a reset of the function may bring it back\n");
				ocf_card_give_up(card);
			}
		}
	}
	if (!ret)
		ocf_notify_kind(card, OCFABRIC_EVENT_KIND_DEVICE_RESET);
	ocf_card_put(card);
}

/**
 * ocf_card_failed - the card does not do what it has to: it is reset
 * @card: entered
 * @what: does not happen, for the log
 *
 * Soon, by a work, since the caller is inside. What the card may reach is kept
 * until then. Only a card that is live is reset.
 */
void ocf_card_failed(struct ocf_card *card, const char *what)
{
	if (!ocf_card_live(card))
		return;
	kref_get(&card->ref);
	/* whoever is inside keeps it from being another one */
	WRITE_ONCE(card->failed_life, READ_ONCE(card->life));
	if (!queue_work(system_unbound_wq, &card->recovery)) {
		ocf_card_put(card);
		return;
	}
	dev_err(&card->pdev->dev,
		"%s: the card is reset, after failure %d of at most %d in a row\n",
		what, atomic_read(&card->failures) + 1, OCF_FAILURES_MAX + 1);
}

/* A command has ended well. */
void ocf_card_works(struct ocf_card *card)
{
	if (atomic_read(&card->failures))
		atomic_set(&card->failures, 0);
}

/* ---- interrupts --------------------------------------------------------- */

static unsigned int ocf_storm_most(const struct ocf_card *card,
				   unsigned int vector)
{
	u32 limit = READ_ONCE(card->limits.storm);

	if (vector == OCFABRIC_VECTOR_EVENTS)
		return OCF_STORM_EVENTS;
	/* twice what the card itself lets through */
	return 2 * OCF_STORM_WINDOW_MS * (limit ?: OCF_STORM_ANY);
}

/**
 * ocf_storm_count - an interrupt has come
 * @card: whose handler runs
 * @vector: which
 * @weight: how much work it was
 *
 * A vector that comes more often than an honest card's can rests for a while.
 * What is raised meanwhile comes once when it does not rest any more.
 */
void ocf_storm_count(struct ocf_card *card, unsigned int vector,
		     unsigned int weight)
{
	struct ocf_vector *v = &card->vector[vector];
	unsigned int count, most;
	bool rest;

	scoped_guard(spinlock_irqsave, &v->lock) {
		if (time_after_eq(jiffies, v->since + OCF_STORM_WINDOW)) {
			v->since = jiffies;
			v->count = 0;
			v->most = ocf_storm_most(card, vector);
		}
		v->count += weight;
		count = v->count;
		/* what came under another limit is not judged by this one */
		most = max(v->most, ocf_storm_most(card, vector));
		rest = count > most && !v->rests && ocf_card_live(card);
		v->rests |= rest;
		/* inside, or who ends the rest could be first */
		if (rest)
			disable_irq_nosync(v->irq);
	}
	if (!rest)
		return;
	queue_delayed_work(system_wq, &card->storm_end, OCF_STORM_WINDOW);
	if (__ratelimit(&card->doubts))
		dev_err(&card->pdev->dev,
			"a storm of interrupts %u: %u in %u ms, expected at most %u; it rests\n",
			vector, count, OCF_STORM_WINDOW_MS, most);
}

static void ocf_storm_end(struct work_struct *work)
{
	struct ocf_card *card = container_of(to_delayed_work(work),
					     struct ocf_card, storm_end);
	unsigned int i;
	bool rested;

	for (i = 0; i < card->vectors; i++) {
		struct ocf_vector *v = &card->vector[i];

		scoped_guard(spinlock_irqsave, &v->lock) {
			rested = v->rests;
			v->rests = false;
			v->since = jiffies;
			v->count = 0;
		}
		if (rested)
			enable_irq(v->irq);
	}
}

/* ---- beginning and end -------------------------------------------------- */

void ocf_distrust_init(struct ocf_card *card)
{
	unsigned int i;

	ratelimit_state_init(&card->doubts, OCF_DOUBTS_INTERVAL, OCF_DOUBTS);
	ratelimit_set_flags(&card->doubts, RATELIMIT_MSG_ON_RELEASE);
	atomic_set(&card->failures, 0);
	INIT_WORK(&card->recovery, ocf_card_recover);
	INIT_DELAYED_WORK(&card->storm_end, ocf_storm_end);
	for (i = 0; i < OCFABRIC_VECTORS; i++)
		spin_lock_init(&card->vector[i].lock);
}

/* The card is dead: none of its works runs any more. */
void ocf_distrust_end(struct ocf_card *card)
{
	if (cancel_work_sync(&card->recovery))
		ocf_card_put(card);
	cancel_delayed_work_sync(&card->storm_end);
}
