// SPDX-License-Identifier: GPL-2.0-only
/* PCI: probe, interrupts, removal, function-level reset, bus errors. */
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/log2.h>
#include <linux/module.h>

#include "ocfabric.h"
#include "trace.h"

/* ---- interrupts --------------------------------------------------------- */

static irqreturn_t ocf_irq_events(int irq, void *data)
{
	struct ocf_card *card = data;

	trace_ocfabric_interrupt(card, OCFABRIC_VECTOR_EVENTS);
	ocf_storm_count(card, OCFABRIC_VECTOR_EVENTS, 1 + ocf_events_take(card));
	return IRQ_HANDLED;
}

static irqreturn_t ocf_irq_replica(int irq, void *data)
{
	struct ocf_slot *slot = data;

	ocf_slot_wake(slot, EPOLLIN | EPOLLRDNORM | EPOLLRDBAND);
	ocf_storm_count(slot->card, OCFABRIC_VECTOR_REPLICA(slot->index), 1);
	return IRQ_HANDLED;
}

static int ocf_irq_request(struct ocf_card *card, unsigned int vector)
{
	struct pci_dev *pdev = card->pdev;
	unsigned int replica = vector - OCFABRIC_VECTOR_REPLICA(0);
	int irq = pci_irq_vector(pdev, vector);

	if (irq < 0)
		return irq;
	card->vector[vector].irq = irq;
	if (vector == OCFABRIC_VECTOR_EVENTS)
		return pci_request_irq(pdev, vector, NULL, ocf_irq_events, card,
				       "ocfabric-%s-events", card->pci_name);
	return pci_request_irq(pdev, vector, ocf_irq_replica, NULL,
			       &card->slot[replica], "ocfabric-%s-%u",
			       card->pci_name, replica);
}

static void *ocf_irq_data(struct ocf_card *card, unsigned int vector)
{
	if (vector == OCFABRIC_VECTOR_EVENTS)
		return card;
	return &card->slot[vector - OCFABRIC_VECTOR_REPLICA(0)];
}

/* Of a card that is not live: none of them begins to rest. */
static void ocf_irqs_free(struct ocf_card *card)
{
	cancel_delayed_work_sync(&card->storm_end);
	while (card->vectors--)
		pci_free_irq(card->pdev, card->vectors,
			     ocf_irq_data(card, card->vectors));
	card->vectors = 0;
	pci_free_irq_vectors(card->pdev);
}

/* All of them, disabled until the card starts. */
static int ocf_irqs_request(struct ocf_card *card)
{
	unsigned int count = OCFABRIC_VECTOR_REPLICA(card->caps.replicas);
	int ret;

	ret = pci_alloc_irq_vectors(card->pdev, count, count, PCI_IRQ_MSIX);
	if (ret < 0)
		return dev_err_probe(&card->pdev->dev, ret,
				     "no %u MSI-X vectors\n", count);
	for (card->vectors = 0; card->vectors < count; card->vectors++) {
		ret = ocf_irq_request(card, card->vectors);
		if (ret) {
			ocf_irqs_free(card);
			return ret;
		}
	}
	ocf_irqs_disable(card);
	return 0;
}

void ocf_irqs_enable(struct ocf_card *card)
{
	unsigned int i;

	for (i = 0; i < card->vectors; i++)
		enable_irq(card->vector[i].irq);
}

/* On return none of the handlers runs. */
void ocf_irqs_disable(struct ocf_card *card)
{
	unsigned int i;

	for (i = 0; i < card->vectors; i++)
		disable_irq(card->vector[i].irq);
}

/* ---- probe -------------------------------------------------------------- */

static int ocf_map_bars(struct ocf_card *card)
{
	struct pci_dev *pdev = card->pdev;
	int ret;

	if (pci_resource_len(pdev, OCFABRIC_BAR_CONTROL) <
	    OCFABRIC_BAR_CONTROL_SIZE ||
	    pci_resource_len(pdev, OCFABRIC_BAR_DOORBELL) <
	    OCFABRIC_BAR_DOORBELL_SIZE)
		return dev_err_probe(&pdev->dev, -ENODEV,
				     "BAR 0 or 2 is too small\n");
	card->control = pcim_iomap_region(pdev, OCFABRIC_BAR_CONTROL,
					  "ocfabric");
	if (IS_ERR(card->control))
		return dev_err_probe(&pdev->dev, PTR_ERR(card->control),
				     "cannot map BAR 0\n");
	ret = pcim_request_region(pdev, OCFABRIC_BAR_DOORBELL, "ocfabric");
	if (!ret)
		ret = pcim_request_region(pdev, OCFABRIC_BAR_HBM, "ocfabric");
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "BAR 2 or 4 is in use\n");
	card->doorbell_phys = pci_resource_start(pdev, OCFABRIC_BAR_DOORBELL);
	card->hbm_phys = pci_resource_start(pdev, OCFABRIC_BAR_HBM);
	return 0;
}

static int ocf_check_identity(struct ocf_card *card)
{
	struct device *dev = &card->pdev->dev;
	u32 magic = ocf_readl(card, OCFABRIC_REG_MAGIC);
	u32 version = ocf_readl(card, OCFABRIC_REG_VERSION);

	if (PCI_POSSIBLE_ERROR(magic))
		return dev_err_probe(dev, -ENODEV,
				     "the card does not answer (reads all ones)\n");
	if (magic != OCFABRIC_MAGIC)
		return dev_err_probe(dev, -ENODEV,
				     "magic is 0x%08x, expected 0x%08x: no ocfabric card\n",
				     magic, OCFABRIC_MAGIC);
	if (version >> 16 != OCFABRIC_VERSION_MAJOR)
		return dev_err_probe(dev, -ENODEV,
				     "interface version %u.%u, expected %u.x\n",
				     version >> 16, version & 0xffff,
				     OCFABRIC_VERSION_MAJOR);
	card->caps.hw_version = version;
	return 0;
}

static void ocf_read_caps(struct ocf_card *card)
{
	struct ocf_caps *caps = &card->caps;

	caps->features = ocf_readq(card, OCFABRIC_REG_FEATURES);
	caps->hbm_size = ocf_readq(card, OCFABRIC_REG_HBM_SIZE);
	caps->replicas = ocf_readl(card, OCFABRIC_REG_MAX_REPLICAS);
	caps->windows = ocf_readl(card, OCFABRIC_REG_MAX_WINDOWS);
	caps->clock_mhz = ocf_readl(card, OCFABRIC_REG_CLOCK_MHZ);
	caps->keys = ocf_readl(card, OCFABRIC_REG_MAX_KEYS);
	caps->ranges = ocf_readl(card, OCFABRIC_REG_MAX_RANGES);
	caps->key_ranges = ocf_readl(card, OCFABRIC_REG_MAX_KEY_RANGES);
	if (caps->features & OCFABRIC_FEATURE_FAULTS)
		caps->faults = ocf_readl(card, OCFABRIC_REG_MAX_FAULTS);
}

/* What the driver relies on; a card says it once, here. */
static int ocf_check_caps(struct ocf_card *card)
{
	const struct ocf_caps *caps = &card->caps;
	struct device *dev = &card->pdev->dev;

	if (caps->replicas < OCFABRIC_REPLICAS_MIN ||
	    caps->replicas > OCFABRIC_REPLICAS_MAX)
		return dev_err_probe(dev, -ENODEV,
				     "%u replicas, expected %u to %u\n",
				     caps->replicas, OCFABRIC_REPLICAS_MIN,
				     OCFABRIC_REPLICAS_MAX);
	if (!caps->windows || caps->windows > OCFABRIC_WINDOWS_MAX)
		return dev_err_probe(dev, -ENODEV,
				     "%u windows, expected 1 to %u\n",
				     caps->windows, OCFABRIC_WINDOWS_MAX);
	if (!is_power_of_2(caps->hbm_size) || caps->hbm_size < PAGE_SIZE ||
	    caps->hbm_size > pci_resource_len(card->pdev, OCFABRIC_BAR_HBM))
		return dev_err_probe(dev, -ENODEV,
				     "an HBM of 0x%llx bytes, expected a power of two up to BAR 4's size\n",
				     caps->hbm_size);
	if (!caps->clock_mhz || caps->clock_mhz > OCF_CLOCK_MHZ_MAX)
		return dev_err_probe(dev, -ENODEV,
				     "a clock of %u MHz, expected 1 to %u\n",
				     caps->clock_mhz, OCF_CLOCK_MHZ_MAX);
	if (caps->faults > OCF_FAULTS_MAX)
		return dev_err_probe(dev, -ENODEV,
				     "%u lines with faults, expected at most %u\n",
				     caps->faults, OCF_FAULTS_MAX);
	if (!caps->keys || caps->keys > OCF_KEYS_MAX || !caps->key_ranges ||
	    caps->key_ranges > OCF_KEY_RANGES_MAX ||
	    caps->ranges < caps->key_ranges || caps->ranges > OCF_RANGES_MAX)
		return dev_err_probe(dev, -ENODEV,
				     "%u keys, %u ranges, %u a key: out of bounds\n",
				     caps->keys, caps->ranges, caps->key_ranges);
	return 0;
}

/* The pages that ring all are ours; the others are mapped for their owners. */
static int ocf_map_broadcast(struct ocf_card *card, bool receive, u32 block)
{
	struct device *dev = &card->pdev->dev;

	card->broadcast[receive] = devm_ioremap(dev, card->doorbell_phys + block,
						OCFABRIC_DOORBELL_PAGE_SIZE);
	if (!card->broadcast[receive])
		return dev_err_probe(dev, -ENOMEM,
				     "cannot map the broadcast doorbells\n");
	return 0;
}

static int ocf_alloc_shared(struct ocf_card *card)
{
	struct device *dev = &card->pdev->dev;
	int ret;

	ret = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(64));
	if (ret)
		return dev_err_probe(dev, ret, "no 64-bit DMA\n");
	dma_set_max_seg_size(dev, UINT_MAX);
	card->cmd_buf = dmam_alloc_coherent(dev, OCF_CMD_BUF, &card->cmd_dma,
					    GFP_KERNEL);
	if (!card->cmd_buf)
		return -ENOMEM;
	ret = ocf_map_broadcast(card, false, OCFABRIC_DOORBELL_M2S);
	if (!ret)
		ret = ocf_map_broadcast(card, true, OCFABRIC_DOORBELL_S2M);
	if (ret)
		return ret;
	card->hbm = devm_ioremap_wc(dev, card->hbm_phys, card->caps.hbm_size);
	if (!card->hbm)
		return dev_err_probe(dev, -ENOMEM, "cannot map the HBM\n");
	return ocf_events_alloc(card);
}

static int ocf_probe_card(struct ocf_card *card)
{
	int ret;

	ret = ocf_map_bars(card);
	if (!ret)
		ret = ocf_check_identity(card);
	if (ret)
		return ret;
	ocf_read_caps(card);
	ret = ocf_check_caps(card);
	if (!ret)
		ret = ocf_alloc_shared(card);
	if (!ret)
		ret = ocf_irqs_request(card);
	if (ret)
		return ret;

	scoped_guard(mutex, &card->reset_lock)
		ret = ocf_card_start(card);
	if (!ret)
		ret = ocf_card_publish(card);
	if (ret) {
		ocf_card_bury(card);
		ocf_irqs_free(card);
	}
	return ret;
}

static int ocf_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct ocf_card *card;
	int ret;

	ret = pcim_enable_device(pdev);
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "cannot enable\n");
	card = ocf_card_alloc(pdev);
	if (!card)
		return -ENOMEM;
	ret = ocf_probe_card(card);
	if (ret) {
		ocf_card_unwatch(card);
		ocf_card_put(card);
		return ret;
	}
	pci_set_drvdata(pdev, card);
	/* what error recovery goes back to */
	pci_save_state(pdev);
	dev_info(&pdev->dev, "%s: %u replicas, %u windows, HBM of %llu MiB\n",
		 card->name, card->caps.replicas, card->caps.windows,
		 card->caps.hbm_size >> 20);
	ocf_notify_kind(card, OCFABRIC_EVENT_KIND_ADDED);
	return 0;
}

/**
 * ocf_pci_remove - the card goes, whatever is open, mapped or waiting
 * @pdev: the function
 *
 * Waits for nobody in user space. Files that stay open hold an empty card.
 */
static void ocf_pci_remove(struct pci_dev *pdev)
{
	struct ocf_card *card = pci_get_drvdata(pdev);

	ocf_card_unpublish(card);
	ocf_card_bury(card);
	pci_clear_master(pdev);
	ocf_irqs_free(card);
	ocf_notify_kind(card, OCFABRIC_EVENT_KIND_REMOVED);
	ocf_card_put(card);
}

/* Before another kernel is started: no DMA into what will be its memory. */
static void ocf_pci_shutdown(struct pci_dev *pdev)
{
	ocf_card_bury(pci_get_drvdata(pdev));
	pci_clear_master(pdev);
}

/* ---- reset of the function, and errors of the bus ----------------------- */

static void ocf_quiesce(struct pci_dev *pdev, bool reachable)
{
	struct ocf_card *card = pci_get_drvdata(pdev);

	guard(mutex)(&card->reset_lock);
	ocf_card_stop(card, reachable);
}

static int ocf_restart(struct pci_dev *pdev)
{
	struct ocf_card *card = pci_get_drvdata(pdev);
	int ret;

	scoped_guard(mutex, &card->reset_lock) {
		if (card->state == OCF_LIVE)
			return 0;
		ret = ocf_card_start(card);
	}
	if (!ret)
		ocf_notify_kind(card, OCFABRIC_EVENT_KIND_DEVICE_RESET);
	return ret;
}

static void ocf_reset_prepare(struct pci_dev *pdev)
{
	ocf_quiesce(pdev, true);
}

static void ocf_reset_done(struct pci_dev *pdev)
{
	ocf_restart(pdev);
}

static pci_ers_result_t ocf_error_detected(struct pci_dev *pdev,
					   pci_channel_state_t state)
{
	ocf_quiesce(pdev, state == pci_channel_io_normal);
	if (state == pci_channel_io_perm_failure)
		return PCI_ERS_RESULT_DISCONNECT;
	return PCI_ERS_RESULT_NEED_RESET;
}

static pci_ers_result_t ocf_slot_reset(struct pci_dev *pdev)
{
	pci_restore_state(pdev);
	pci_save_state(pdev);
	return ocf_restart(pdev) ? PCI_ERS_RESULT_DISCONNECT :
				   PCI_ERS_RESULT_RECOVERED;
}

/* Recovery may end without a reset of the slot. */
static void ocf_error_resume(struct pci_dev *pdev)
{
	ocf_restart(pdev);
}

static const struct pci_error_handlers ocf_error_handlers = {
	.error_detected = ocf_error_detected,
	.slot_reset = ocf_slot_reset,
	.resume = ocf_error_resume,
	.reset_prepare = ocf_reset_prepare,
	.reset_done = ocf_reset_done,
};

static const struct pci_device_id ocf_pci_ids[] = {
	{ PCI_DEVICE(OCFABRIC_PCI_VENDOR_ID, OCFABRIC_PCI_DEVICE_ID) },
	{ }
};
MODULE_DEVICE_TABLE(pci, ocf_pci_ids);

struct pci_driver ocf_pci_driver = {
	.name = "ocfabric",
	.id_table = ocf_pci_ids,
	.probe = ocf_pci_probe,
	.remove = ocf_pci_remove,
	.shutdown = ocf_pci_shutdown,
	.err_handler = &ocf_error_handlers,
};
