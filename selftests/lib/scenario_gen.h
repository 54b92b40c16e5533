/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OCF_SCENARIO_GEN_H
#define OCF_SCENARIO_GEN_H

#include <stdint.h>

/*
 * A random scenario file with so many writes, always the same for a seed: a
 * random configuration, often one that a driver would refuse, faults, changes
 * between writes; lengths, addresses and beats mostly at edges. To be freed.
 */
char *scenario_generate(uint64_t seed, unsigned int writes);

/* Of the file: a small HBM, so that all of it can be compared often. */
#define SCENARIO_GEN_HBM	0x8000u

#endif
