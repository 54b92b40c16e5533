/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a replica can try against the others with nothing but its handle
 *
 * Each attack knows what it is owed: an answer that it does not expect is a hole,
 * whether or not something of the victim changed. What changed is for the victim
 * to see, who compares everything he has.
 */
#ifndef OCF_TEST_ATTACK_H
#define OCF_TEST_ATTACK_H

#include "util.h"

/*
 * The fabric that attacks are made in: a slot of each region is for each peer, its
 * window is less than that, and so are his semaphores.
 */
#define ATTACK_SLOT	0x1000u
#define ATTACK_REGION	0x20000u
#define ATTACK_SEMS	4u

static inline uint64_t attack_window(unsigned int src)
{
	return src * ATTACK_SLOT + 0x100;
}

#define ATTACK_WINDOW	(ATTACK_SLOT - 0x200)

/* What all of a victim's memory is made of, and nobody else may ever hold. */
#define ATTACK_SECRET	0x5ec4e70000000000ull

static inline uint64_t attack_secret(unsigned int replica)
{
	return ATTACK_SECRET | (replica + 1) * 0x0101010101ull;
}

static inline bool attack_is_secret(uint64_t word)
{
	return (word & 0xffffff0000000000ull) == ATTACK_SECRET;
}

struct attacker {
	struct replica r;
	unsigned int me;
	unsigned int victim;
	unsigned int n;
	uint64_t random;
};

struct attack {
	const char *name;
	bool once;	/* no different for another victim */
	/* 0, or the number of what was not refused */
	int (*run)(struct attacker *a);
};

extern const struct attack attacks[];
extern const unsigned int attacks_count;

/* attack_ring.c: by descriptors, doorbells, the owner line */
int attack_keys(struct attacker *a);
int attack_sources(struct attacker *a);
int attack_qpns(struct attacker *a);
int attack_addresses(struct attacker *a);
int attack_semaphores(struct attacker *a);
int attack_second_look(struct attacker *a);
int attack_owner_line(struct attacker *a);
int attack_rings(struct attacker *a);

/* attack_map.c: by mappings */
int attack_offsets(struct attacker *a);
int attack_protections(struct attacker *a);
int attack_remaps(struct attacker *a);
int attack_forks(struct attacker *a);
int attack_by_force(struct attacker *a);

/* attack_file.c: by calls */
int attack_region_ends(struct attacker *a);
int attack_calls(struct attacker *a);
int attack_broadcasts(struct attacker *a);
int attack_reopens(struct attacker *a);
int attack_searches(struct attacker *a);

#endif /* OCF_TEST_ATTACK_H */
