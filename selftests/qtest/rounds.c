// SPDX-License-Identifier: GPL-2.0-only
/*
 * Saved and loaded in each state of rings and links, under traffic: OCF_ROUNDS rounds
 * from the seed OCF_SEED. In each the card is brought to a state and saved; goes on, to
 * the end; is loaded, sometimes in another process, and goes on to the end once more.
 * Both times everything that was posted becomes what it has to, once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "snapshot.h"

#define OPTIONS "faults=on,hbm=16M"
#define ROUNDS 208
#define SEED 4711
#define NEW_PROCESS 16	/* every so many rounds, and not always in the same state */

static struct traffic now, saved;

static unsigned long setting(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 0) : otherwise;
}

static void finish(struct card *c, const struct scene *scene)
{
	scene->end(&now, c);
	traffic_settle(&now, c);
}

/* What is left behind by going on must not be seen after loading. */
static void go_astray(struct card *c)
{
	switch (traffic_random(&now, 4)) {
	case 0:
		wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
		break;
	case 1:
		traffic_some(&now, c, 8);
		break;
	case 2:
		qtest_fill(c->q, BAR_HBM, 0x10000, 0xee);
		break;
	default:
		break;
	}
}

static bool is_running(struct card *c)
{
	return strstr(qtest_qmp(c->q, "{\"execute\":\"query-status\"}"),
		      "\"running\": true");
}

static struct card *a_round(struct card *c, unsigned int i)
{
	const struct scene *scene = &scenes[i % nr_scenes];
	uint64_t random;
	bool running;

	scene->make(&now, c);
	traffic_save(&now, c);
	saved = now;
	running = is_running(c);
	snapshot_save(c, "round");
	finish(c, scene);
	go_astray(c);
	random = now.random;
	if (i % (NEW_PROCESS + 1) == 0)
		c = snapshot_restart(c);
	now = saved;
	now.random = random;
	if (!running)
		snapshot_qmp(c, "{\"execute\":\"stop\"}");
	snapshot_load(c, "round");
	traffic_load(&now, c);
	finish(c, scene);
	return c;
}

static void rounds(void)
{
	unsigned long n = setting("OCF_ROUNDS", ROUNDS);
	uint64_t seed = setting("OCF_SEED", SEED);
	struct card *c = snapshot_start(OPTIONS);
	unsigned int i;

	printf("# %lu rounds of %u states, OCF_SEED=%llu\n", n, nr_scenes,
	       (unsigned long long)seed);
	traffic_start(&now, c, seed | 1);
	scenes_start(c);
	for (i = 0; i < n && !tap_failures; i++)
		c = a_round(c, i);
	printf("# soak: %u migrations in %u states\n", i, nr_scenes);
	CHECK(i == n, "round %u: %s", i - 1, scenes[(i - 1) % nr_scenes].name);
	snapshot_end(c);
}

static const struct tap_test tests[] = {
	{ "saved and loaded in every state", rounds },
};

TAP_MAIN(tests)
