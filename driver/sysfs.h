/* SPDX-License-Identifier: GPL-2.0-only */
/* What links and queues show in sysfs: sysfs_link.c, sysfs_queue.c. */
#ifndef OCFABRIC_DRIVER_SYSFS_H
#define OCFABRIC_DRIVER_SYSFS_H

#include <linux/device.h>

#include "ocfabric.h"

#define OCF_SYSFS_GROUP_MAX	(OCFABRIC_COUNTERS + 3 * OCFABRIC_PATHS)

struct ocf_sysfs_attr {
	struct device_attribute attr;
	char name[28];
	u32 index;		/* of the link or queue */
	u32 item;		/* which of its attributes */
	ssize_t (*show)(struct ocf_card *card,
			const struct ocf_sysfs_attr *attr, char *buf);
};

/* Name, item and show() of at most OCF_SYSFS_GROUP_MAX; how many. */
u32 ocf_sysfs_link(struct ocf_sysfs_attr *attr);
u32 ocf_sysfs_queue(struct ocf_sysfs_attr *attr);

#endif /* OCFABRIC_DRIVER_SYSFS_H */
