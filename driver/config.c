// SPDX-License-Identifier: GPL-2.0-only
/* Configurations: made, copied, published; never changed after that. */
#include <linux/overflow.h>
#include <linux/slab.h>

#include "ocfabric.h"

/* What a card has after reset. */
const struct ocf_config ocf_config_nothing = {
	.peer = { [0 ... OCFABRIC_REPLICAS_MAX - 1] = {
		[0 ... OCFABRIC_QPNS - 1] = OCFABRIC_PEER_NONE } },
};

/* The reset state, in the memory that it has. */
void ocf_config_clear(struct ocf_config *config)
{
	config->replicas = 0;
	config->latency = 0;
	config->upstream_qpns = false;
	memset(config->region, 0, sizeof(config->region));
	memset(config->peer, OCFABRIC_PEER_NONE, sizeof(config->peer));
	config->window_count = 0;
	config->fault_count = 0;
}

/* Room for so many windows and faults. */
struct ocf_config *ocf_config_alloc(u32 windows, u32 faults)
{
	struct ocf_config *config = kzalloc(sizeof(*config), GFP_KERNEL);

	if (!config)
		return NULL;
	refcount_set(&config->ref, 1);
	ocf_config_clear(config);
	if (windows)
		config->window = kvcalloc(windows, sizeof(*config->window),
					  GFP_KERNEL);
	if (faults)
		config->fault = kvcalloc(faults, sizeof(*config->fault),
					 GFP_KERNEL);
	if ((windows && !config->window) || (faults && !config->fault)) {
		ocf_config_put(config);
		return NULL;
	}
	return config;
}

void ocf_config_put(struct ocf_config *config)
{
	if (!refcount_dec_and_test(&config->ref))
		return;
	kvfree(config->window);
	kvfree(config->fault);
	kfree(config);
}

/* With room for more windows and faults than @from has. */
struct ocf_config *ocf_config_copy(const struct ocf_config *from,
				   u32 more_windows, u32 more_faults)
{
	struct ocf_config *config;
	u32 i;

	config = ocf_config_alloc(from->window_count + more_windows,
				  from->fault_count + more_faults);
	if (!config)
		return NULL;
	config->replicas = from->replicas;
	config->latency = from->latency;
	config->upstream_qpns = from->upstream_qpns;
	memcpy(config->region, from->region, sizeof(config->region));
	memcpy(config->peer, from->peer, sizeof(config->peer));
	config->window_count = from->window_count;
	config->fault_count = from->fault_count;
	for (i = 0; i < from->window_count; i++) {
		config->window[i] = from->window[i];
		/* nothing that a step of the next change would answer for */
		config->window[i].late = false;
		config->window[i].step = 0;
	}
	if (from->fault_count)
		memcpy(config->fault, from->fault,
		       array_size(from->fault_count, sizeof(*from->fault)));
	return config;
}

bool ocf_window_same(const struct ocf_window *a, const struct ocf_window *b)
{
	return a->src == b->src && a->dst == b->dst &&
	       a->offset == b->offset && a->length == b->length &&
	       a->sem_first == b->sem_first && a->sem_count == b->sem_count;
}

struct ocf_config *ocf_config_get(struct ocf_card *card, u32 *generation)
{
	struct ocf_config *config;

	spin_lock(&card->publish_lock);
	config = card->config;
	refcount_inc(&config->ref);
	if (generation)
		*generation = card->generation;
	spin_unlock(&card->publish_lock);
	return config;
}

/* Takes the reference over. */
void ocf_config_publish(struct ocf_card *card, struct ocf_config *config)
{
	struct ocf_config *old;

	lockdep_assert_held(&card->config_lock);
	scoped_guard(spinlock, &card->publish_lock) {
		old = card->config;
		card->config = config;
		card->generation++;
	}
	ocf_config_put(old);
}

/*
 * The card counts the configurations that came into force, and rejects carry
 * its number: ours is the same while nobody holds a drain.
 */
void ocf_config_generation(struct ocf_card *card)
{
	u32 generation = ocf_readl(card, OCFABRIC_REG_GENERATION);

	lockdep_assert_held(&card->config_lock);
	spin_lock(&card->publish_lock);
	card->generation = generation;
	spin_unlock(&card->publish_lock);
}
