// SPDX-License-Identifier: GPL-2.0-or-later
/* The card as a whole: reset, drain, change of configuration, snapshot. */
#include <string.h>

#include "qp.h"

void ocf_card_reset(struct ocf_card *card)
{
	unsigned int link;

	ocf_config_reset(&card->config);
	ocf_fault_clear_all(&card->faults);
	card->draining = false;
	card->config_error = false;
	card->changed = false;
	card->generation = 0;
	memset(card->link, 0, sizeof(card->link));
	memset(card->snapshot, 0, sizeof(card->snapshot));
	ocf_qps_reset(card);
	memset(card->snapshot_path, 0, sizeof(card->snapshot_path));
	for (link = 0; link < OCF_REPLICAS; link++)
		card->snapshot_where[link] = ocf_link_where(&card->link[link]);
}

void ocf_card_drain(struct ocf_card *card)
{
	card->draining = true;
}

bool ocf_card_drained(const struct ocf_card *card)
{
	unsigned int link;

	if (!card->draining)
		return false;
	for (link = 0; link < OCF_REPLICAS; link++)
		if (card->link[link].flight.stage != OCF_STAGE_IDLE)
			return false;
	return true;
}

void ocf_card_resume(struct ocf_card *card)
{
	if (card->changed) {
		ocf_config_index(&card->config);
		ocf_qps_follow(card);
		card->generation++;
	}
	card->changed = false;
	card->draining = false;
}

struct ocf_config *ocf_card_configure(struct ocf_card *card)
{
	if (!ocf_card_drained(card)) {
		card->config_error = true;
		return NULL;
	}
	card->changed = true;
	return &card->config;
}

bool ocf_card_snapshot(struct ocf_card *card)
{
	unsigned int link;
	bool good = true;

	for (link = 0; link < OCF_REPLICAS; link++) {
		const struct ocf_link *l = &card->link[link];

		card->snapshot[link] = l->counters;
		card->snapshot_path[link] = l->path;
		card->snapshot_where[link] = ocf_link_where(l);
		good = ocf_link_adds_up(l) && good;
	}
	return good;
}

void ocf_card_reset_counters(struct ocf_card *card)
{
	unsigned int link;

	for (link = 0; link < OCF_REPLICAS; link++) {
		memset(&card->link[link].counters, 0,
		       sizeof(card->link[link].counters));
		memset(&card->link[link].path, 0,
		       sizeof(card->link[link].path));
	}
}
