// SPDX-License-Identifier: GPL-2.0-only
/* linkL/ in sysfs: its counters, and its stages. */
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "sysfs.h"

static ssize_t ocf_counter_show(struct ocf_card *card,
				const struct ocf_sysfs_attr *attr, char *buf)
{
	struct ocf_counters *counters __free(kfree) =
		kmalloc(sizeof(*counters), GFP_KERNEL);
	int ret;

	if (!counters)
		return -ENOMEM;
	ret = ocf_counters_read(card, counters);
	if (ret)
		return ret;
	return sysfs_emit(buf, "%llu\n", counters->link[attr->index][attr->item]);
}

static const char *const ocf_path_counts[] = { "in", "out", "ended" };

static_assert(sizeof(struct ocf_path_count) ==
	      ARRAY_SIZE(ocf_path_counts) * sizeof(u64));

/* item: stage by stage, in the order of the counts */
static ssize_t ocf_path_show(struct ocf_card *card,
			     const struct ocf_sysfs_attr *attr, char *buf)
{
	u32 stage = attr->item / ARRAY_SIZE(ocf_path_counts);
	const struct ocf_path_count *count;
	struct ocf_path path;
	u64 clock, value;
	int ret;

	ret = ocf_paths_read(card, attr->index, 1, &path, &clock);
	if (ret)
		return ret;
	count = &path.stage[stage];
	switch (attr->item % ARRAY_SIZE(ocf_path_counts)) {
	case 0:
		value = count->in;
		break;
	case 1:
		value = count->out;
		break;
	default:
		value = count->ended;
	}
	return sysfs_emit(buf, "%llu\n", value);
}

u32 ocf_sysfs_link(struct ocf_sysfs_attr *attr)
{
	struct ocf_sysfs_attr *a = attr;
	u32 i;

	for (i = 0; i < OCFABRIC_COUNTERS; i++, a++) {
		strscpy(a->name, ocf_counter_names[i]);
		a->item = i;
		a->show = ocf_counter_show;
	}
	for (i = 0; i < OCFABRIC_PATHS * ARRAY_SIZE(ocf_path_counts); i++, a++) {
		snprintf(a->name, sizeof(a->name), "stage_%s_%s",
			 ocf_path_name(i / ARRAY_SIZE(ocf_path_counts)),
			 ocf_path_counts[i % ARRAY_SIZE(ocf_path_counts)]);
		a->item = i;
		a->show = ocf_path_show;
	}
	return a - attr;
}
