// SPDX-License-Identifier: GPL-2.0-only
/* The node /dev/ocfabricN. */
#include <linux/fs.h>
#include <linux/module.h>

#include "ocfabric.h"

/* misc_deregister() waits for this, so the card is still there. */
static int ocf_node_open(struct inode *inode, struct file *file)
{
	struct miscdevice *misc = file->private_data;
	struct ocf_card *card = container_of(misc, struct ocf_card, misc);

	kref_get(&card->ref);
	file->private_data = card;
	return 0;
}

static int ocf_node_release(struct inode *inode, struct file *file)
{
	ocf_card_put(file->private_data);
	return 0;
}

static long ocf_node_ioctl(struct file *file, unsigned int cmd,
			   unsigned long arg)
{
	return ocf_ioctl(file, file->private_data, NULL, cmd, arg);
}

const struct file_operations ocf_node_fops = {
	.owner = THIS_MODULE,
	.open = ocf_node_open,
	.release = ocf_node_release,
	.unlocked_ioctl = ocf_node_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};
