// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attributes of the node's device: identity, and linkN/COUNTER. The device is
 * gone from sysfs before the card is, so no reader is left behind.
 * docs/ABI-sysfs describes each.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "ocfabric.h"

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

/* ---- counters ----------------------------------------------------------- */

struct ocf_counter_attr {
	struct device_attribute attr;
	u32 link;
	u32 counter;
};

/* A link's group; its attributes are the counters, in their order. */
struct ocf_link_group {
	struct attribute_group group;
	char name[8];
	struct ocf_counter_attr counter[OCFABRIC_COUNTERS];
	struct attribute *attrs[OCFABRIC_COUNTERS + 1];
};

static struct ocf_link_group ocf_links[OCFABRIC_REPLICAS_MAX];

static ssize_t ocf_counter_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	struct ocf_counter_attr *a =
		container_of(attr, struct ocf_counter_attr, attr);
	struct ocf_counters *counters __free(kfree) =
		kmalloc(sizeof(*counters), GFP_KERNEL);
	int ret;

	if (!counters)
		return -ENOMEM;
	ret = ocf_counters_read(ocf_card_of(dev), counters);
	if (ret)
		return ret;
	return sysfs_emit(buf, "%llu\n", counters->link[a->link][a->counter]);
}

/* Only links that the card can have. */
static umode_t ocf_link_visible(struct kobject *kobj, struct attribute *attr,
				int n)
{
	struct ocf_counter_attr *a =
		container_of(attr, struct ocf_counter_attr, attr.attr);
	struct ocf_card *card = ocf_card_of(kobj_to_dev(kobj));

	return a->link < card->caps.replicas ? attr->mode : SYSFS_GROUP_INVISIBLE;
}

const struct attribute_group *ocf_sysfs_groups[OCFABRIC_REPLICAS_MAX + 2];

static void ocf_link_group_init(struct ocf_link_group *g, u32 link)
{
	u32 c;

	snprintf(g->name, sizeof(g->name), "link%u", link);
	for (c = 0; c < OCFABRIC_COUNTERS; c++) {
		struct ocf_counter_attr *a = &g->counter[c];

		sysfs_attr_init(&a->attr.attr);
		a->attr.attr.name = ocf_counter_names[c];
		a->attr.attr.mode = 0444;
		a->attr.show = ocf_counter_show;
		a->link = link;
		a->counter = c;
		g->attrs[c] = &a->attr.attr;
	}
	g->group = (struct attribute_group){
		.name = g->name,
		.is_visible = ocf_link_visible,
		.attrs = g->attrs,
	};
}

void ocf_sysfs_init(void)
{
	u32 i;

	ocf_sysfs_groups[0] = &ocf_identity_group;
	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++) {
		ocf_link_group_init(&ocf_links[i], i);
		ocf_sysfs_groups[1 + i] = &ocf_links[i].group;
	}
}
