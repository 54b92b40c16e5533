// SPDX-License-Identifier: GPL-2.0-only
/* The calls of the node. */
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>

#include "ocfabric.h"

#define OCF_TX_ENTRIES	1024

/* Of whoever opened the node, not of whoever was given it. */
static bool ocf_may_configure(const struct ocf_call *call)
{
	return file_ns_capable(call->file, &init_user_ns, CAP_NET_ADMIN);
}

int ocf_call_info(struct ocf_call *call)
{
	struct ocfabric_info *info = &call->args->info;
	const struct ocf_caps *caps = &call->card->caps;

	info->out_features = caps->features;
	info->out_hbm_size = caps->hbm_size;
	info->out_card = call->card->index;
	info->out_hw_version = caps->hw_version;
	info->out_replicas = caps->replicas;
	info->out_windows = caps->windows;
	info->out_clock_mhz = caps->clock_mhz;
	info->out_keys = caps->keys;
	info->out_ranges = caps->ranges;
	info->out_key_ranges = caps->key_ranges;
	return ocf_respond(call);
}

/* ---- attach ------------------------------------------------------------- */

static bool ocf_ring_entries_valid(u32 entries)
{
	return is_power_of_2(entries) &&
	       entries >= BIT(OCFABRIC_RING_SHIFT_MIN) &&
	       entries <= BIT(OCFABRIC_RING_SHIFT_MAX);
}

/* Room for what the other two rings can bring. */
static u32 ocf_cq_entries(u32 others)
{
	return min_t(u32, roundup_pow_of_two(others),
		     BIT(OCFABRIC_RING_SHIFT_MAX));
}

static int ocf_attach_check(struct ocf_call *call)
{
	struct ocfabric_attach *args = &call->args->attach;

	if (!(call->file->f_mode & FMODE_WRITE))
		return -EACCES;
	if (args->__reserved)
		return -EINVAL;
	if (args->replica >= call->card->caps.replicas)
		return -ENOENT;
	if (!args->tx_entries)
		args->tx_entries = OCF_TX_ENTRIES;
	if (!args->rx_entries)
		args->rx_entries = args->tx_entries;
	if (!ocf_ring_entries_valid(args->tx_entries) ||
	    !ocf_ring_entries_valid(args->rx_entries))
		return -EINVAL;
	if (!args->cq_entries)
		args->cq_entries = ocf_cq_entries(args->tx_entries +
						  args->rx_entries);
	return ocf_ring_entries_valid(args->cq_entries) ? 0 : -EINVAL;
}

static struct file *ocf_attach_file(struct ocf_call *call)
{
	const struct ocfabric_attach *args = &call->args->attach;
	const struct ocf_entries entries = {
		.tx = args->tx_entries,
		.rx = args->rx_entries,
		.cq = args->cq_entries,
	};
	struct ocf_replica *replica;
	struct file *file;
	int ret;

	replica = ocf_replica_alloc(call->card, args->replica);
	if (!replica)
		return ERR_PTR(-ENOMEM);
	file = ocf_replica_file(replica);
	if (IS_ERR(file)) {
		ocf_replica_put(replica);
		return file;
	}
	ret = ocf_replica_attach(replica, &entries,
				 args->flags & OCFABRIC_ATTACH_CLEAR);
	if (ret) {
		fput(file);
		return ERR_PTR(ret);
	}
	return file;
}

/*
 * The number is told before there is a replica: what attaching clears could not
 * be taken back if it could not be told. It leads nowhere until the descriptor is
 * installed, which is last.
 */
int ocf_call_attach(struct ocf_call *call)
{
	struct file *file;
	int ret, fd;

	ret = ocf_attach_check(call);
	if (ret)
		return ret;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	call->args->attach.out_fd = fd;
	ret = ocf_respond(call);
	file = ret ? ERR_PTR(ret) : ocf_attach_file(call);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	fd_install(fd, file);
	return 0;
}

/* ---- configuration ------------------------------------------------------ */

static int ocf_copy_out(u64 to, const void *from, size_t size)
{
	return to && copy_to_user(u64_to_user_ptr(to), from, size) ? -EFAULT : 0;
}

static int ocf_copy_windows(u64 to, const struct ocf_config *config)
{
	struct ocfabric_window *list;
	u32 n = config->window_count;
	int ret;
	u32 i;

	list = kvcalloc(n, sizeof(*list), GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		list[i] = (struct ocfabric_window){
			.src = config->window[i].src,
			.dst = config->window[i].dst,
			.offset = config->window[i].offset,
			.length = config->window[i].length,
			.sem_first = config->window[i].sem_first,
			.sem_count = config->window[i].sem_count,
		};
	}
	ret = ocf_copy_out(to, list, n * sizeof(*list));
	kvfree(list);
	return ret;
}

/* The arrays; -EMSGSIZE when there is not enough room for the windows. */
static int ocf_config_get_arrays(const struct ocfabric_config_get *args,
				 const struct ocf_config *config, u32 room)
{
	int ret;

	if (args->windows && room < config->window_count)
		return -EMSGSIZE;
	ret = ocf_copy_out(args->regions, config->region,
			   sizeof(config->region));
	if (!ret)
		ret = ocf_copy_out(args->connections, config->peer,
				   sizeof(config->peer));
	if (!ret && args->windows && config->window_count)
		ret = ocf_copy_windows(args->windows, config);
	return ret;
}

int ocf_call_config_get(struct ocf_call *call)
{
	struct ocfabric_config_get *args = &call->args->config_get;
	struct ocf_config *config __free(ocf_config_put) = NULL;
	u32 room = args->window_count;
	int ret;

	if (args->__reserved)
		return -EINVAL;
	config = ocf_config_get(call->card, &args->out_generation);
	args->window_count = config->window_count;
	args->out_replicas = config->replicas;
	args->out_latency = config->latency;
	args->out_state = (config->upstream_qpns ?
			   OCFABRIC_CONFIG_UPSTREAM_QPNS : 0) |
			  (READ_ONCE(call->card->hold.held) ?
			   OCFABRIC_CONFIG_DRAINED : 0);
	ret = ocf_config_get_arrays(args, config, room);
	if (ret && ret != -EMSGSIZE)
		return ret;
	return ocf_respond(call) ?: ret;
}

int ocf_call_config_change(struct ocf_call *call)
{
	struct ocfabric_config_change *args = &call->args->config_change;
	struct ocf_refusal refusal;
	void *steps;
	int ret;

	if (!ocf_may_configure(call))
		return -EPERM;
	if (!args->count || args->count > OCFABRIC_CHANGES_MAX)
		return -EINVAL;
	steps = vmemdup_array_user(u64_to_user_ptr(args->changes), args->count,
				   sizeof(struct ocfabric_change));
	if (IS_ERR(steps))
		return PTR_ERR(steps);
	ret = ocf_config_change(call->card, steps, args->count,
				args->flags & OCFABRIC_CONFIG_CHECK, &refusal);
	kvfree(steps);
	if (!ret)
		return 0;
	args->out_index = refusal.step;
	memcpy(args->out_reason, refusal.reason, sizeof(args->out_reason));
	return ocf_respond(call) ?: ret;
}

int ocf_call_drain(struct ocf_call *call)
{
	struct ocfabric_drain *args = &call->args->drain;
	struct ocf_stuck stuck = {};
	char holder[OCFABRIC_REASON_MAX];
	int ret;

	if (!ocf_may_configure(call))
		return -EPERM;
	if (args->__reserved)
		return -EINVAL;
	if (args->op == OCFABRIC_DRAIN_RESUME)
		return ocf_drain_release(call->card);
	if (args->op != OCFABRIC_DRAIN_HOLD)
		return -EINVAL;
	ret = ocf_drain_hold(call->card, &stuck, holder, sizeof(holder));
	if (ret != -ETIMEDOUT)
		return ret;
	args->out_link = stuck.link;
	args->out_stage = stuck.stage;
	return ocf_respond(call) ?: ret;
}

int ocf_call_reset(struct ocf_call *call)
{
	const struct ocfabric_reset *args = &call->args->reset;
	struct ocf_stuck stuck;

	if (!ocf_may_configure(call))
		return -EPERM;
	if (args->link && args->what != OCFABRIC_RESET_LINK)
		return -EINVAL;
	switch (args->what) {
	case OCFABRIC_RESET_COUNTERS:
		return ocf_counters_reset(call->card, &stuck);
	case OCFABRIC_RESET_DEVICE:
		return ocf_card_reset(call->card);
	case OCFABRIC_RESET_LINK:
		return ocf_link_reset(call->card, args->link);
	default:
		return -EINVAL;
	}
}

/* ---- counters ----------------------------------------------------------- */

static int ocf_copy_counters(const struct ocfabric_counters_get *args,
			     const struct ocf_counters *counters, u32 links,
			     u32 per_link)
{
	u64 __user *to = u64_to_user_ptr(args->counters);
	u32 i;

	for (i = 0; i < links; i++) {
		if (copy_to_user(to + (size_t)i * args->counters_per_link,
				 counters->link[i], per_link * sizeof(u64)))
			return -EFAULT;
	}
	return 0;
}

int ocf_call_counters_get(struct ocf_call *call)
{
	struct ocfabric_counters_get *args = &call->args->counters_get;
	struct ocf_counters *counters __free(kfree) = NULL;
	u32 links = min(args->links, call->card->caps.replicas);
	u32 per_link = min_t(u32, args->counters_per_link, OCFABRIC_COUNTERS);
	int ret;

	if (!args->links || args->links > OCFABRIC_REPLICAS_MAX ||
	    !args->counters_per_link)
		return -EINVAL;
	counters = kmalloc(sizeof(*counters), GFP_KERNEL);
	if (!counters)
		return -ENOMEM;
	ret = ocf_counters_read(call->card, counters);
	if (ret)
		return ret;
	ret = ocf_copy_counters(args, counters, links, per_link);
	if (ret)
		return ret;
	args->links = links;
	args->counters_per_link = per_link;
	args->out_clock = counters->clock;
	return ocf_respond(call);
}
