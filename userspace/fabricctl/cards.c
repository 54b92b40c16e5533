// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which cards a verb is about
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"

static const struct field fields[] = {
	{ OCFABRIC_A_DEVICE_PCI, "pci", FIELD_STRING, true },
	{ OCFABRIC_A_DEVICE_HW_VERSION, "hw_version", FIELD_NUMBER, true },
	{ OCFABRIC_A_DEVICE_FEATURES, "features", FIELD_NUMBER, true },
	{ OCFABRIC_A_DEVICE_HBM_SIZE, "hbm_size", FIELD_NUMBER, true },
	{ OCFABRIC_A_DEVICE_MAX_REPLICAS, "max_replicas", FIELD_NUMBER, true },
	{ OCFABRIC_A_DEVICE_MAX_WINDOWS, "max_windows", FIELD_NUMBER, true },
	{ OCFABRIC_A_DEVICE_CLOCK_MHZ, "clock_mhz", FIELD_NUMBER, true },
	{ OCFABRIC_A_DEVICE_MAX_KEYS, "max_keys", FIELD_NUMBER, true },
	{ OCFABRIC_A_DEVICE_MAX_RANGES, "max_ranges", FIELD_NUMBER, true },
	{ OCFABRIC_A_DEVICE_MAX_KEY_RANGES, "max_key_ranges", FIELD_NUMBER, true },
	{ OCFABRIC_A_DEVICE_ERRORS, "errors", FIELD_NUMBER, true },
	{ OCFABRIC_A_DEVICE_EVENTS_LOST, "events_lost", FIELD_NUMBER, true },
	{ OCFABRIC_A_DEVICE_STALL_LIMIT, "stall_limit", FIELD_NUMBER, true },
	{ OCFABRIC_A_DEVICE_STORM_LIMIT, "storm_limit", FIELD_NUMBER, true },
};

static int take_card(const struct fab_attrs *attrs, void *arg)
{
	struct ctl *ctl = arg;
	struct card *card, *more;

	more = realloc(ctl->cards, (ctl->nr_cards + 1) * sizeof(*more));
	if (!more)
		return fail(ST_REFUSED, "no memory for a card");
	ctl->cards = more;
	card = &ctl->cards[ctl->nr_cards++];
	memset(card, 0, sizeof(*card));
	card->id = (unsigned int)fab_number(attrs, OCFABRIC_A_DEVICE_CARD);
	if (!fab_string(attrs, OCFABRIC_A_DEVICE_NAME, card->name, sizeof(card->name)))
		snprintf(card->name, sizeof(card->name), "ocfabric%u", card->id);
	fab_string(attrs, OCFABRIC_A_DEVICE_PCI, card->pci, sizeof(card->pci));
	card->features = fab_number(attrs, OCFABRIC_A_DEVICE_FEATURES);
	card->hbm_size = fab_number(attrs, OCFABRIC_A_DEVICE_HBM_SIZE);
	card->max_replicas = (unsigned int)fab_number(attrs, OCFABRIC_A_DEVICE_MAX_REPLICAS);
	card->max_windows = (unsigned int)fab_number(attrs, OCFABRIC_A_DEVICE_MAX_WINDOWS);
	card->clock_mhz = (unsigned int)fab_number(attrs, OCFABRIC_A_DEVICE_CLOCK_MHZ);
	card->stall_limit = (unsigned int)fab_number(attrs, OCFABRIC_A_DEVICE_STALL_LIMIT);
	card->facts = json_object_new_object();
	put_string(card->facts, "device", card->name);
	put_fields(card->facts, attrs, fields, ARRAY_SIZE(fields));
	return 0;
}

static bool is_named(const struct card *card, const char *name)
{
	const char *base = name;
	uint64_t number;

	if (!strncmp(name, "/dev/", 5))
		base = name + 5;
	return !strcmp(base, card->name) || !strcmp(name, card->pci) ||
	       (parse_number(name, &number) && number == card->id);
}

static void list_cards(const struct ctl *ctl, char *buf, size_t size)
{
	unsigned int i;

	buf[0] = 0;
	for (i = 0; i < ctl->nr_cards; i++)
		snprintf(buf + strlen(buf), size - strlen(buf), "%s%s (%s)",
			 i ? ", " : "", ctl->cards[i].name, ctl->cards[i].pci);
}

/* Moves the named card to the front and forgets the others. */
static int pick_named(struct ctl *ctl)
{
	unsigned int i, found = ctl->nr_cards;
	struct card picked;
	char list[1024];

	for (i = 0; i < ctl->nr_cards; i++)
		if (is_named(&ctl->cards[i], ctl->device))
			found = i;
	list_cards(ctl, list, sizeof(list));
	if (found == ctl->nr_cards)
		return fail(ST_ABSENT, "there is no card %s; there %s", ctl->device,
			    ctl->nr_cards ? list : "is none");
	picked = ctl->cards[found];
	ctl->cards[found] = ctl->cards[0];
	ctl->cards[0] = picked;
	while (ctl->nr_cards > 1)
		json_object_put(ctl->cards[--ctl->nr_cards].facts);
	return 0;
}

int pick_cards(struct ctl *ctl)
{
	char list[1024];
	int error;

	error = fab_dump(ctl, OCFABRIC_CMD_DEVICE_GET, FAB_ANY_CARD, take_card, ctl);
	if (error)
		return error;
	if (ctl->device)
		return pick_named(ctl);
	if (ctl->command->how & HOW_ALL_CARDS)
		return 0;
	if (!ctl->nr_cards)
		return fail(ST_ABSENT, "there is no card");
	if (ctl->nr_cards > 1) {
		list_cards(ctl, list, sizeof(list));
		return fail(ST_USAGE, "there are several cards, say which with -d: %s", list);
	}
	return 0;
}

void free_cards(struct ctl *ctl)
{
	while (ctl->nr_cards)
		json_object_put(ctl->cards[--ctl->nr_cards].facts);
	free(ctl->cards);
	ctl->cards = NULL;
}

int check_below(const struct card *card, const struct args *args,
		enum param_id id, const char *noun, unsigned int n)
{
	if (!args->given[id] || args->value[id] < n)
		return 0;
	return fail(ST_ABSENT, "%s has no %s %llu: there are %u", card->name,
		    noun, (unsigned long long)args->value[id], n);
}
