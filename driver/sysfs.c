// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attributes of the node's device: identity, linkL/ and queueR/, one value a
 * file. The device is gone from sysfs before the card is, so no reader is left
 * behind. docs/ABI-sysfs describes each.
 */
#include <linux/device.h>
#include <linux/sysfs.h>

#include "ocfabric.h"
#include "sysfs.h"

static struct ocf_card *ocf_card_of(struct device *dev)
{
	return container_of(dev_get_drvdata(dev), struct ocf_card, misc);
}

#define OCF_CAP_ATTR(_name, _format, _field)				\
static ssize_t _name##_show(struct device *dev,				\
			    struct device_attribute *attr, char *buf)	\
{									\
	const struct ocf_caps *caps = &ocf_card_of(dev)->caps;		\
									\
	return sysfs_emit(buf, _format "\n", caps->_field);		\
}									\
static DEVICE_ATTR_RO(_name)

OCF_CAP_ATTR(hw_version, "0x%08x", hw_version);
OCF_CAP_ATTR(features, "0x%llx", features);
OCF_CAP_ATTR(hbm_size, "%llu", hbm_size);
OCF_CAP_ATTR(max_replicas, "%u", replicas);
OCF_CAP_ATTR(max_windows, "%u", windows);
OCF_CAP_ATTR(clock_mhz, "%u", clock_mhz);
OCF_CAP_ATTR(max_keys, "%u", keys);
OCF_CAP_ATTR(max_ranges, "%u", ranges);
OCF_CAP_ATTR(max_key_ranges, "%u", key_ranges);

static struct attribute *ocf_identity_attrs[] = {
	&dev_attr_hw_version.attr,
	&dev_attr_features.attr,
	&dev_attr_hbm_size.attr,
	&dev_attr_max_replicas.attr,
	&dev_attr_max_windows.attr,
	&dev_attr_clock_mhz.attr,
	&dev_attr_max_keys.attr,
	&dev_attr_max_ranges.attr,
	&dev_attr_max_key_ranges.attr,
	NULL
};

static const struct attribute_group ocf_identity_group = {
	.attrs = ocf_identity_attrs,
};

/* ---- links and queues --------------------------------------------------- */

struct ocf_sysfs_group {
	struct attribute_group group;
	char name[8];
	struct ocf_sysfs_attr attr[OCF_SYSFS_GROUP_MAX];
	struct attribute *attrs[OCF_SYSFS_GROUP_MAX + 1];
};

static struct ocf_sysfs_group ocf_links[OCFABRIC_REPLICAS_MAX];
static struct ocf_sysfs_group ocf_queues[OCFABRIC_REPLICAS_MAX];

const struct attribute_group *ocf_sysfs_groups[2 * OCFABRIC_REPLICAS_MAX + 2];

static ssize_t ocf_sysfs_show(struct device *dev, struct device_attribute *attr,
			      char *buf)
{
	struct ocf_sysfs_attr *a =
		container_of(attr, struct ocf_sysfs_attr, attr);

	return a->show(ocf_card_of(dev), a, buf);
}

/* Only links and queues that the card can have. */
static umode_t ocf_sysfs_visible(struct kobject *kobj, struct attribute *attr,
				 int n)
{
	struct ocf_sysfs_attr *a =
		container_of(attr, struct ocf_sysfs_attr, attr.attr);
	struct ocf_card *card = ocf_card_of(kobj_to_dev(kobj));

	return a->index < card->caps.replicas ? attr->mode :
						SYSFS_GROUP_INVISIBLE;
}

static const struct attribute_group *
ocf_sysfs_group_init(struct ocf_sysfs_group *g, const char *what, u32 index,
		     u32 (*fill)(struct ocf_sysfs_attr *attr))
{
	u32 count = fill(g->attr);
	u32 i;

	snprintf(g->name, sizeof(g->name), "%s%u", what, index);
	for (i = 0; i < count; i++) {
		struct ocf_sysfs_attr *a = &g->attr[i];

		sysfs_attr_init(&a->attr.attr);
		a->attr.attr.name = a->name;
		a->attr.attr.mode = 0444;
		a->attr.show = ocf_sysfs_show;
		a->index = index;
		g->attrs[i] = &a->attr.attr;
	}
	g->group = (struct attribute_group){
		.name = g->name,
		.is_visible = ocf_sysfs_visible,
		.attrs = g->attrs,
	};
	return &g->group;
}

void ocf_sysfs_init(void)
{
	const struct attribute_group **group = ocf_sysfs_groups;
	u32 i;

	*group++ = &ocf_identity_group;
	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++)
		*group++ = ocf_sysfs_group_init(&ocf_links[i], "link", i,
						ocf_sysfs_link);
	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++)
		*group++ = ocf_sysfs_group_init(&ocf_queues[i], "queue", i,
						ocf_sysfs_queue);
}
