// SPDX-License-Identifier: GPL-2.0-only
/*
 * fabric: measures many links of a card together, in a guest with two vCPUs, as
 * root. Prints the results as card does.
 */
#include <stdio.h>

#include "fabric.h"

#define ROUNDS		40
#define ROUNDS_MIN	5
#define ENOUGH_NS	15e9
#define LIMIT_SECONDS	300

static bool is_enough(int rounds, uint64_t start)
{
	if (rounds < ROUNDS_MIN)
		return false;
	return rounds == ROUNDS || ticks_to_ns(ticks() - start) > ENOUGH_NS;
}

static void measure(struct fabric *f)
{
	uint64_t start = ticks();

	other_start(f);
	all_prepare();
	ring_prepare();
	for (int rounds = 0; !is_enough(rounds, start); rounds++) {
		all_round(f);
		ring_round(f);
	}
	other_stop();
}

int main(int argc, char **argv)
{
	static struct fabric fabric;

	(void)argv;
	if (argc > 1) {
		fprintf(stderr, "usage: fabric\n");
		return 2;
	}
	deadline(LIMIT_SECONDS);
	on_cpu(0);
	fabric_setup(&fabric);
	clock_start();
	measure(&fabric);
	series_print();
	fabric_end(&fabric);
	return 0;
}
