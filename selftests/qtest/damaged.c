// SPDX-License-Identifier: GPL-2.0-only
/*
 * A saved state that was damaged is refused, or it is harmless: the machine lives, and
 * once the card is reset it works. OCF_FLIPS bits of the card's part are changed, one at a
 * time, from the seed OCF_SEED; `all` is one of every byte.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "section.h"
#include "snapshot.h"

#define OPTIONS "faults=on,hbm=16M"
#define FLIPS 120
#define SEED 4711

static struct saved state;
static unsigned long named;	/* refusals by the card itself */

static void put(long at, uint8_t byte)
{
	int fd = open(snapshot_file(), O_WRONLY);

	if (fd < 0 || pwrite(fd, &byte, 1, at) != 1)
		qtest_die("cannot write to %s", snapshot_file());
	close(fd);
}

/*
 * What is said names the field; whether it is the card that refuses it, which says what
 * was expected too.
 */
static bool is_named(const char *said, long at)
{
	const char *card = strstr(said, "ocfabric: cannot load: ");

	CHECK(strstr(said, "rror") && strstr(said, "ocfabric"), "byte %ld: %.200s", at, said);
	CHECK(!card || strstr(card, "expected") || strstr(card, "impossible"),
	      "byte %ld: %.200s", at, said);
	return card;
}

/* Whether it was refused. */
static bool flip(struct card *c, long at, unsigned int bit)
{
	const char *said;
	bool refused;

	put(at, state.bytes[at] ^ (uint8_t)(1u << bit));
	said = snapshot_try_load(c, "state");
	refused = said;
	if (refused)
		named += is_named(said, at);
	put(at, state.bytes[at]);
	snapshot_qmp(c, "{\"execute\":\"cont\"}");
	if (!refused)
		loaded_use(c);
	else
		card_set_bars(c);
	loaded_works(c, at);
	return refused;
}

/* Most of it are tables of zeroes: every other one is near something else. */
static long choose(uint64_t *random, unsigned long i, unsigned long n)
{
	long size = state.end - state.begin, part = size / (long)n;
	long at = state.begin + part * (long)i +
		  (long)(card_random(random) % (uint64_t)(part + 1)), to = at;

	while (i & 1 && to < state.end - 4 && !state.bytes[to])
		to++;
	return to < state.end ? to : at;
}

static struct card *saved(void)
{
	struct card *c = snapshot_start(OPTIONS);

	loaded_busy(c);
	snapshot_save(c, "state");
	saved_free(&state);
	saved_read(&state, snapshot_file());
	return c;
}

static void flips(void)
{
	const char *flips = getenv("OCF_FLIPS"), *seed = getenv("OCF_SEED");
	uint64_t random = (seed ? strtoull(seed, NULL, 0) : SEED) | 1;
	struct card *c = saved();
	unsigned long n = flips ? strtoul(flips, NULL, 0) : FLIPS, i, refused = 0;

	if (flips && !strcmp(flips, "all"))
		n = (unsigned long)(state.end - state.begin);
	for (i = 0; i < n && state.head && !tap_failures; i++)
		refused += flip(c, choose(&random, i, n),
				(unsigned int)(card_random(&random) >> 20) % 8);
	printf("# %lu of %lu refused, %lu by the card, of %ld bytes; OCF_SEED=%s\n", refused, n, named,
	       state.end - state.begin, seed ? seed : "4711");
	printf("# soak: %lu damaged states\n", i);
	CHECK(refused && refused < n && named);
	snapshot_end(c);
}

/* Each of these words is another one: it is refused, and what is said names it. */
static void other_version(void)
{
	struct card *c = saved();
	long at = state.begin + 7;	/* behind the instance: the version's last byte */
	unsigned int i;

	for (i = 1; state.head && i < 256; i <<= 1) {
		const char *said;

		put(at, state.bytes[at] ^ (uint8_t)i);
		said = snapshot_try_load(c, "state");
		CHECK(said && strstr(said, "ersion"), "version %u: %.200s", state.bytes[at] ^ i,
		      said ? said : "taken");
		put(at, state.bytes[at]);
	}
	CHECK(!snapshot_try_load(c, "state"), "it is whole again");
	snapshot_end(c);
}

static const struct tap_test tests[] = {
	{ "a changed bit is refused or harmless", flips },
	{ "another version is refused", other_version },
};

TAP_MAIN(tests)
