// SPDX-License-Identifier: GPL-2.0-only
#include "attack.h"

/* The search is last: for what the others may have brought. */
const struct attack attacks[] = {
	{ "keys of others", false, attack_keys },
	{ "sources outside of keys", false, attack_sources },
	{ "every QPN", false, attack_qpns },
	{ "addresses around a window", false, attack_addresses },
	{ "semaphores", false, attack_semaphores },
	{ "descriptors that change", false, attack_second_look },
	{ "a wild owner line", false, attack_owner_line },
	{ "wild rings", false, attack_rings },
	{ "every offset of mmap()", true, attack_offsets },
	{ "more rights to a mapping", true, attack_protections },
	{ "mappings moved, grown, made anew", true, attack_remaps },
	{ "mappings in a fork", true, attack_forks },
	{ "mappings past their protection", true, attack_by_force },
	{ "past the region's ends", false, attack_region_ends },
	{ "every number of a call", true, attack_calls },
	{ "broadcasts to whom one does not hold", true, attack_broadcasts },
	{ "the handle opened again", true, attack_reopens },
	{ "a search for secrets", false, attack_searches },
};

const unsigned int attacks_count = ARRAY_LEN(attacks);
