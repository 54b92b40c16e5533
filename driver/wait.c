// SPDX-License-Identifier: GPL-2.0-only
/* Bounded waits for the hardware: spin a little, then sleep in between. */
#include <linux/delay.h>
#include <linux/sched/signal.h>

#include "ocfabric.h"

#define OCF_SPINS	50

/* A wait without a card is not cut short when that is being stopped. */
void ocf_wait_start(struct ocf_wait *wait, struct ocf_card *card, bool killable)
{
	*wait = (struct ocf_wait){
		.card = card,
		.deadline = ktime_add_ms(ktime_get(), OCF_WAIT_MS),
		.killable = killable,
	};
}

/**
 * ocf_wait_more - whether to look at the hardware again, after a pause
 * @wait: from ocf_wait_start()
 *
 * There is always one more look after the deadline, so that a waiter that was
 * not run for long does not blame the card.
 *
 * Return: 0, -ETIMEDOUT, -ENODEV when the card is being stopped, or -EINTR.
 */
int ocf_wait_more(struct ocf_wait *wait)
{
	if (wait->card && ocf_card_stopping(wait->card))
		return -ENODEV;
	if (wait->killable && fatal_signal_pending(current))
		return -EINTR;
	if (wait->last)
		return -ETIMEDOUT;
	if (wait->tries++ < OCF_SPINS) {
		cpu_relax();
		return 0;
	}
	usleep_range(20, 100);
	wait->last = ktime_after(ktime_get(), wait->deadline);
	return 0;
}
