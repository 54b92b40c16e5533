// SPDX-License-Identifier: GPL-2.0-only
/*
 * card [NUMBER]: measures the card, in a guest with two vCPUs, as root. Prints
 * the results, a line each: NAME UNIT VALUE N P99, the value being the median.
 * With a number: the first touch of HBM only, of that slice of a region, which
 * is only meaningful once after the guest's start.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

#define ROUNDS		40
#define ROUNDS_MIN	5
#define ENOUGH_NS	30e9	/* a busy machine gets fewer rounds */
#define LIMIT_SECONDS	300

static const struct measurement *const measurements[] = {
	&blocks_measurement,
	&latency_measurement,
	&rate_measurement,
	&bytes_measurement,
	&beside_measurement,
	&imm_measurement,
	&start_measurement,
};

#define NR_MEASUREMENTS	(sizeof(measurements) / sizeof(measurements[0]))

static bool is_enough(int rounds, uint64_t start)
{
	if (rounds < ROUNDS_MIN)
		return false;
	return rounds == ROUNDS || ticks_to_ns(ticks() - start) > ENOUGH_NS;
}

static void measure(struct bench *bench)
{
	uint64_t start = ticks();

	peer_start(bench);
	for (size_t i = 0; i < NR_MEASUREMENTS; i++)
		measurements[i]->prepare(bench);
	for (int rounds = 0; !is_enough(rounds, start); rounds++)
		for (size_t i = 0; i < NR_MEASUREMENTS; i++)
			measurements[i]->round(bench);
	peer_stop();
}

int main(int argc, char **argv)
{
	static struct bench bench;

	if (argc > 2) {
		fprintf(stderr, "usage: card [NUMBER]\n");
		return 2;
	}
	deadline(LIMIT_SECONDS);
	pin_to_cpu(0);
	setup(&bench);
	clock_start();
	if (argc == 2)
		touch(&bench, (unsigned int)strtoul(argv[1], NULL, 10));
	else
		measure(&bench);
	series_print();
	ocf_detach(bench.a.r);
	ocf_detach(bench.b.r);
	return 0;
}
