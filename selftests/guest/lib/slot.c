// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "qmp.h"
#include "slot.h"
#include "util.h"

#define LET_GO_MS	20000	/* of patience: the guest's own work is in it */

static bool gone, empty;
static char card[512];	/* what the last one was made of, for device_add */

int slot_set_gone(bool to)
{
	struct qmp q;
	int ret = qmp_open(&q);

	if (!ret)
		ret = qmp_set(&q, "gone", to ? "true" : "false");
	qmp_close(&q);
	if (!ret)
		gone = to;
	return ret;
}

bool slot_is_gone(void)
{
	return gone;
}

bool slot_is_empty(void)
{
	return empty;
}

int slot_tell(const char *line)
{
	struct qmp q;
	int ret = qmp_open(&q);

	if (!ret)
		ret = qmp_line(&q, line, NULL, 0);
	qmp_close(&q);
	return ret;
}

/* Its bus by its own name: the last part of a path. */
static int note_bus(struct qmp *q)
{
	char path[128], *name;
	int ret = qmp_get(q, "parent_bus", path, sizeof(path));

	if (ret)
		return ret;
	name = strrchr(path, '/');
	if (!name)
		return -EPROTO;
	snprintf(card, sizeof(card), "\"driver\": \"ocfabric\", \"id\": \"card0\", \"bus\": \"%s",
		 name + 1);
	return 0;
}

static int note_card(struct qmp *q)
{
	static const char *const property[] = {
		"hbm", "replicas", "windows", "clock-mhz", "faults",
	};
	int ret = note_bus(q);

	for (unsigned int i = 0; i < ARRAY_LEN(property) && !ret; i++) {
		size_t have = strlen(card);
		char value[64];

		ret = qmp_get(q, property[i], value, sizeof(value));
		snprintf(card + have, sizeof(card) - have, ", \"%s\": %s", property[i], value);
	}
	return ret;
}

static int unplug(struct qmp *q)
{
	int ret = note_card(q);

	if (!ret)
		ret = qmp_command(q, "device_del", "{\"id\": \"card0\"}", NULL, 0);
	if (!ret)
		ret = qmp_wait(q, "DEVICE_DELETED", "\"device\": \"card0\"", LET_GO_MS);
	return ret;
}

int slot_unplug(void)
{
	struct qmp q;
	int ret = qmp_open(&q);

	if (!ret)
		ret = unplug(&q);
	qmp_close(&q);
	if (!ret)
		empty = true;
	return ret;
}

int slot_plug(void)
{
	char arguments[sizeof(card) + 2];
	struct qmp q;
	int ret = qmp_open(&q);

	snprintf(arguments, sizeof(arguments), "{%s}", card);
	if (!ret)
		ret = qmp_command(&q, "device_add", arguments, NULL, 0);
	qmp_close(&q);
	if (!ret)
		empty = false;
	return ret;
}
