// SPDX-License-Identifier: LGPL-2.1-or-later
/* What the parent does with the card: its configuration and its counters */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <ocfabric.h>

#include "workload.h"

struct wl_card {
	struct ocf_device *dev;
	struct ocfabric_info info;
};

static bool complain(const char *what, const char *why)
{
	fprintf(stderr, "ocf-workload: %s: %s\n", what, why);
	return false;
}

struct wl_card *wl_card_open(const struct wl_options *o)
{
	struct wl_card *card = calloc(1, sizeof(*card));

	if (!card) {
		complain("the card", strerror(ENOMEM));
		return NULL;
	}
	card->dev = ocf_open(o->device);
	if (!card->dev || ocf_device_info(card->dev, &card->info)) {
		fprintf(stderr, "ocf-workload: %s\n", ocf_error());
		wl_card_close(card);
		return NULL;
	}
	return card;
}

void wl_card_close(struct wl_card *card)
{
	ocf_close(card->dev);
	free(card);
}

static bool change(struct wl_card *card, const struct ocfabric_change *steps,
		   unsigned int count)
{
	struct ocfabric_config_change set = {
		.size = sizeof(set), .changes = (uintptr_t)steps, .count = count,
	};
	char what[64];
	int error;

	if (!ioctl(ocf_device_fd(card->dev), OCFABRIC_CONFIG_CHANGE, &set))
		return true;
	error = errno;
	snprintf(what, sizeof(what), "configuring the card, step %u", set.out_index);
	return complain(what, set.out_reason[0] ? (const char *)set.out_reason :
			strerror(error));
}

/* A configuration is not pulled away from under somebody's feet. */
static bool is_free(struct wl_card *card)
{
	const struct ocf_attach_options small = {
		.tx_entries = 16, .cq_entries = 32, .rx_entries = 16,
	};
	unsigned int i;

	for (i = 0; i < card->info.out_replicas; i++) {
		struct ocf_replica *r = ocf_attach(card->dev, i, &small);

		if (!r)
			return complain("the card cannot be had", ocf_error());
		ocf_detach(r);
	}
	return true;
}

static bool has_room(const struct wl_card *card, const struct wl_plan *plan)
{
	uint64_t need = plan->n * plan->region_size;

	if (plan->n > card->info.out_replicas) {
		fprintf(stderr, "ocf-workload: the card has %u replicas, %u are wanted\n",
			card->info.out_replicas, plan->n);
		return false;
	}
	if (need <= card->info.out_hbm_size)
		return true;
	fprintf(stderr, "ocf-workload: the card's HBM has %" PRIu64 " bytes, %" PRIu64
		" are needed\n", (uint64_t)card->info.out_hbm_size, need);
	return false;
}

static bool is_configured(struct wl_card *card, const struct wl_plan *plan)
{
	struct ocfabric_region region[WL_REPLICAS] = { 0 };
	struct ocfabric_config_get get = {
		.size = sizeof(get), .regions = (uintptr_t)region,
	};
	bool upstream;
	unsigned int i;

	if (ioctl(ocf_device_fd(card->dev), OCFABRIC_CONFIG_GET, &get))
		return complain("the configuration", strerror(errno));
	upstream = get.out_state & OCFABRIC_CONFIG_UPSTREAM_QPNS;
	if (get.out_replicas != plan->n || upstream != plan->upstream) {
		fprintf(stderr, "ocf-workload: the card has n %u, upstream_qpns %d; expected %u, %d\n",
			get.out_replicas, upstream, plan->n, plan->upstream);
		return false;
	}
	for (i = 0; i < plan->n; i++) {
		if (region[i].length == plan->region_size)
			continue;
		fprintf(stderr, "ocf-workload: region %u has %" PRIu64 " bytes; expected %" PRIu64 "\n",
			i, (uint64_t)region[i].length, plan->region_size);
		return false;
	}
	return true;
}

bool wl_card_prepare(struct wl_card *card, const struct wl_options *o,
		     const struct wl_plan *plan)
{
	struct ocfabric_change steps[WL_CHANGES];

	if (o->no_setup)
		return is_configured(card, plan);
	return has_room(card, plan) && is_free(card) &&
	       change(card, steps, wl_plan_changes(plan, steps));
}

bool wl_card_allow(struct wl_card *card, const struct wl_plan *plan,
		   unsigned int src, bool allowed)
{
	unsigned int dst = (src + 1) % plan->n;
	struct ocfabric_change step = {
		.op = allowed ? OCFABRIC_CHANGE_WINDOW_ADD : OCFABRIC_CHANGE_WINDOW_DEL,
		.src = src, .dst = dst,
		.offset = plan->area[src][dst].revocable, .length = OCFABRIC_LINE,
	};

	return change(card, &step, 1);
}

bool wl_card_counters(struct wl_card *card, struct wl_tally tally[WL_REPLICAS])
{
	struct ocfabric_counters_get get = {
		.size = sizeof(get), .counters = (uintptr_t)tally, .links = WL_REPLICAS,
		.counters_per_link = OCFABRIC_COUNTERS,
	};

	if (ioctl(ocf_device_fd(card->dev), OCFABRIC_COUNTERS_GET, &get))
		return complain("the counters", strerror(errno));
	return true;
}
