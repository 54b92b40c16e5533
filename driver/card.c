// SPDX-License-Identifier: GPL-2.0-only
/*
 * A card's life: references, the table of cards, and the one way in which it
 * is stopped (removal, FLR, bus errors, reset by a user) and started again.
 */
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "ocfabric.h"
#include "trace.h"

static DEFINE_MUTEX(ocf_cards_lock);
static DEFINE_XARRAY_ALLOC(ocf_cards);	/* by number; holds references */

struct ocf_card *ocf_card_alloc(struct pci_dev *pdev)
{
	struct ocf_card *card = kzalloc(sizeof(*card), GFP_KERNEL);
	int i;

	if (!card)
		return NULL;
	kref_init(&card->ref);
	card->pdev = pdev;
	strscpy(card->pci_name, pci_name(pdev));
	mutex_init(&card->reset_lock);
	init_rwsem(&card->gate);
	mutex_init(&card->config_lock);
	mutex_init(&card->cmd_lock);
	mutex_init(&card->qp_lock);
	mutex_init(&card->broadcast_lock);
	mutex_init(&card->snapshot_lock);
	spin_lock_init(&card->publish_lock);
	mt_init_flags(&card->hbm_owners, MT_FLAGS_LOCK_EXTERN);
	mt_set_external_lock(&card->hbm_owners, &card->config_lock);
	card->limits = ocf_limits_default;
	ocf_card_watch_init(card);
	ocf_distrust_init(card);
	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++)
		ocf_slot_init(card, i);

	card->config = ocf_config_alloc(0, 0);
	if (!card->config) {
		ocf_card_put(card);
		return NULL;
	}
	return card;
}

static void ocf_card_release(struct kref *ref)
{
	struct ocf_card *card = container_of(ref, struct ocf_card, ref);

	ocf_config_put(card->config);
	ocf_hold_clear(&card->hold);
	mutex_lock(&card->config_lock);
	ocf_hbm_forget(card);
	mutex_unlock(&card->config_lock);
	kfree(card);
}

void ocf_card_put(struct ocf_card *card)
{
	kref_put(&card->ref, ocf_card_release);
}

/* Gives the card its number; nobody finds it by that yet. */
static int ocf_card_number(struct ocf_card *card)
{
	int ret;

	guard(mutex)(&ocf_cards_lock);
	ret = xa_alloc(&ocf_cards, &card->index, NULL, xa_limit_31b, GFP_KERNEL);
	if (ret)
		return ret;
	snprintf(card->name, sizeof(card->name), "ocfabric%u", card->index);
	return 0;
}

static void ocf_card_list(struct ocf_card *card)
{
	guard(mutex)(&ocf_cards_lock);
	kref_get(&card->ref);
	/* its entry is reserved: no memory is needed */
	xa_store(&ocf_cards, card->index, card, GFP_KERNEL);
}

static void ocf_card_unlist(struct ocf_card *card)
{
	struct ocf_card *listed;

	scoped_guard(mutex, &ocf_cards_lock)
		listed = xa_erase(&ocf_cards, card->index);
	if (listed)
		ocf_card_put(card);
}

/* The card works: make its node, and let everybody find it. */
int ocf_card_publish(struct ocf_card *card)
{
	int ret = ocf_card_number(card);

	if (ret)
		return ret;
	card->misc = (struct miscdevice){
		.minor = MISC_DYNAMIC_MINOR,
		.name = card->name,
		.fops = &ocf_node_fops,
		.parent = &card->pdev->dev,
		.groups = ocf_sysfs_groups,
		.mode = 0660,
	};
	ret = misc_register(&card->misc);
	if (ret) {
		ocf_card_unlist(card);
		return ret;
	}
	ocf_card_list(card);
	return 0;
}

/* On return nobody can find the card anew, by node, sysfs or netlink. */
void ocf_card_unpublish(struct ocf_card *card)
{
	misc_deregister(&card->misc);
	ocf_card_unlist(card);
}

struct ocf_card *ocf_card_find(u32 index)
{
	struct ocf_card *card;

	guard(mutex)(&ocf_cards_lock);
	card = xa_load(&ocf_cards, index);
	if (card)
		kref_get(&card->ref);
	return card;
}

struct ocf_card *ocf_card_next(unsigned long *index)
{
	struct ocf_card *card;

	guard(mutex)(&ocf_cards_lock);
	card = xa_find(&ocf_cards, index, ULONG_MAX, XA_PRESENT);
	if (card)
		kref_get(&card->ref);
	return card;
}

bool ocf_card_live(const struct ocf_card *card)
{
	return READ_ONCE(card->state) == OCF_LIVE && !READ_ONCE(card->lost);
}

/* Whether to leave: a stopped card forgets what was not finished. */
bool ocf_card_stopping(const struct ocf_card *card)
{
	enum ocf_state state = READ_ONCE(card->state);

	return state == OCF_STOPPING || state == OCF_DEAD ||
	       READ_ONCE(card->lost);
}

bool ocf_card_enter(struct ocf_card *card)
{
	down_read(&card->gate);
	if (ocf_card_live(card))
		return true;
	up_read(&card->gate);
	return false;
}

void ocf_card_leave(struct ocf_card *card)
{
	up_read(&card->gate);
}

static void ocf_card_set_state(struct ocf_card *card, enum ocf_state state)
{
	lockdep_assert_held(&card->reset_lock);
	trace_ocfabric_state(card, card->state, state);
	WRITE_ONCE(card->state, state);
}

/* To the reset state. On return the card touches no host memory. */
static int ocf_hw_reset(struct ocf_card *card)
{
	struct ocf_wait wait;
	u32 status;
	int ret;

	ocf_writel(card, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	/* whoever stops the card has to wait for this all the same */
	ocf_wait_start(&wait, NULL, false);
	for (;;) {
		status = ocf_readl(card, OCFABRIC_REG_STATUS);
		if (PCI_POSSIBLE_ERROR(status) && ocf_card_confirm(card))
			return -ENODEV;
		if (!(status >> OCFABRIC_STATUS_BUSY_SHIFT))
			return 0;
		ret = ocf_wait_more(&wait);
		if (ret)
			break;
	}
	dev_err(&card->pdev->dev,
		"STATUS is 0x%08x %u ms after a reset, expected no link to be busy\n",
		status, OCF_WAIT_MS);
	return ret;
}

static bool ocf_hw_known(struct ocf_card *card)
{
	u32 magic = ocf_readl(card, OCFABRIC_REG_MAGIC);
	u32 version = ocf_readl(card, OCFABRIC_REG_VERSION);

	if (magic == OCFABRIC_MAGIC && version == card->caps.hw_version)
		return true;
	dev_err(&card->pdev->dev,
		"magic 0x%08x, version 0x%08x: expected 0x%08x, 0x%08x as before\n",
		magic, version, OCFABRIC_MAGIC, card->caps.hw_version);
	return false;
}

/* All that was set by operators, a drain by hand, too, into a card after reset. */
static int ocf_hw_configure(struct ocf_card *card)
{
	struct ocf_stuck stuck;
	int ret;
	u32 i;

	guard(mutex)(&card->config_lock);
	ret = ocf_drain(card, &stuck);
	if (ret)
		return ret;
	for (i = 0; i < card->caps.replicas; i++)
		ocf_moderation_restore(card, i);
	ocf_limits_restore(card);
	ret = ocf_program(card, &ocf_config_nothing, card->config);
	if (!card->hold.held)
		ocf_resume(card);
	ocf_config_generation(card);
	return ret;
}

static int ocf_hw_start(struct ocf_card *card)
{
	int ret;

	if (!ocf_hw_known(card))
		return -ENODEV;
	ret = ocf_hw_reset(card);
	if (ret)
		return ret;
	pci_set_master(card->pdev);
	ocf_events_start(card);
	return ocf_hw_configure(card);
}

/**
 * ocf_card_start - bring a stopped card to life
 * @card: with reset_lock held; not live
 *
 * Applies the last configuration again. On failure the card is dead: every
 * call says ENODEV until a later reset of the function succeeds.
 */
int ocf_card_start(struct ocf_card *card)
{
	int ret;

	lockdep_assert_held(&card->reset_lock);
	ocf_card_set_state(card, OCF_STARTING);
	WRITE_ONCE(card->lost, false);
	ret = ocf_hw_start(card);
	if (ret) {
		dev_err(&card->pdev->dev, "the card does not start: error %d\n",
			ret);
		pci_clear_master(card->pdev);
		ocf_card_set_state(card, OCF_DEAD);
		return ret;
	}
	ocf_irqs_enable(card);
	WRITE_ONCE(card->life, card->life + 1);
	ocf_card_set_state(card, OCF_LIVE);
	ocf_card_watch(card);
	return 0;
}

static void ocf_card_revoke_all(struct ocf_card *card)
{
	int i;

	lockdep_assert_held(&card->config_lock);
	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++) {
		if (card->slot[i].replica)
			ocf_replica_revoke(card->slot[i].replica);
	}
}

/**
 * ocf_card_stop - revoke everything that anybody has of the card
 * @card: with reset_lock held; nothing happens unless it is live
 * @reachable: false when its registers cannot be accessed any more
 *
 * On return no call is inside the driver's card code, no interrupt handler
 * runs, the card accesses no host memory, no replica is attached, and nothing
 * of the card is mapped: accesses raise SIGBUS, calls say ENODEV.
 */
void ocf_card_stop(struct ocf_card *card, bool reachable)
{
	lockdep_assert_held(&card->reset_lock);
	if (card->state != OCF_LIVE)
		return;
	ocf_card_set_state(card, OCF_STOPPING);
	ocf_irqs_disable(card);

	down_write(&card->gate);
	mutex_lock(&card->config_lock);
	/* memory is given back only when the card cannot reach it any more */
	if (!reachable || ocf_hw_reset(card))
		pci_clear_master(card->pdev);
	ocf_card_revoke_all(card);
	/* what the HBM holds now is given to no one */
	ocf_hbm_forget(card);
	mutex_unlock(&card->config_lock);
	ocf_card_set_state(card, OCF_STOPPED);
	up_write(&card->gate);
}

/*
 * Live or stopped, with reset_lock held. Only a reset of the function may bring
 * it back.
 */
void ocf_card_give_up(struct ocf_card *card)
{
	ocf_card_stop(card, false);
	pci_clear_master(card->pdev);
	ocf_card_set_state(card, OCF_DEAD);
}

/* It is gone and will not come back. */
void ocf_card_bury(struct ocf_card *card)
{
	scoped_guard(mutex, &card->reset_lock) {
		ocf_card_stop(card, pci_device_is_present(card->pdev));
		ocf_card_set_state(card, OCF_DEAD);
	}
	ocf_card_unwatch(card);
	ocf_distrust_end(card);
}

/* Reset by a user. Configuration is applied again, handles are dead. */
int ocf_card_reset(struct ocf_card *card)
{
	int ret;

	scoped_guard(mutex, &card->reset_lock) {
		if (card->state != OCF_LIVE)
			return -ENODEV;
		ocf_card_stop(card, true);
		ret = ocf_card_start(card);
	}
	if (!ret)
		ocf_notify_kind(card, OCFABRIC_EVENT_KIND_DEVICE_RESET);
	return ret;
}
