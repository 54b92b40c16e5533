// SPDX-License-Identifier: GPL-2.0-only
/*
 * A card that is not there any more answers every read with all ones, and nobody
 * else need say so. Whoever reads such a value looks at a register that never has
 * it; and so that those are told who only sleep, somebody looks now and then.
 */
#include "ocfabric.h"
#include "trace.h"

#define OCF_LOOK_MS	500

static bool ocf_card_absent(struct ocf_card *card)
{
	return PCI_POSSIBLE_ERROR(readl(card->control + OCFABRIC_REG_MAGIC));
}

/*
 * From here on nobody enters, and waits end. It is given up by somebody who holds
 * nothing: the caller may have entered it.
 */
void ocf_card_suspect(struct ocf_card *card)
{
	if (READ_ONCE(card->lost) || !ocf_card_absent(card))
		return;
	WRITE_ONCE(card->lost, true);
	mod_delayed_work(system_unbound_wq, &card->look, 0);
}

/**
 * ocf_card_confirm - whether the card is there
 * @card: entered
 *
 * What was read before is what the card said, and what was written has reached it.
 *
 * Return: 0 or -ENODEV.
 */
int ocf_card_confirm(struct ocf_card *card)
{
	ocf_card_suspect(card);
	return READ_ONCE(card->lost) ? -ENODEV : 0;
}

static void ocf_card_look(struct work_struct *work)
{
	struct ocf_card *card = container_of(to_delayed_work(work),
					     struct ocf_card, look);

	guard(mutex)(&card->reset_lock);
	if (card->state != OCF_LIVE)
		return;
	if (!card->lost && !ocf_card_absent(card)) {
		ocf_card_watch(card);
		return;
	}
	dev_err(&card->pdev->dev,
		"%s reads as all ones: it is gone, and given up\n", card->name);
	ocf_card_give_up(card);
}

void ocf_card_watch(struct ocf_card *card)
{
	queue_delayed_work(system_unbound_wq, &card->look,
			   msecs_to_jiffies(OCF_LOOK_MS));
}

/* On return nobody looks; it must not be live, or be made so. */
void ocf_card_unwatch(struct ocf_card *card)
{
	cancel_delayed_work_sync(&card->look);
}

void ocf_card_watch_init(struct ocf_card *card)
{
	INIT_DELAYED_WORK(&card->look, ocf_card_look);
}
