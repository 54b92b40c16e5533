/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that the driver can be asked to do, one row each: for tests that try
 * something on every operation. The kernel itself is asked which ioctls and
 * netlink commands there are, see ops_missing(): one that has no row is found.
 */
#ifndef OCF_TEST_OPS_H
#define OCF_TEST_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "netlink.h"
#include "util.h"

#define OPS_N		3
#define OPS_REGION	0x20000u	/* more than the driver copies at once */

/* Of struct ocfabric_replica_get, one after the other from out_map_tx on */
#define OPS_MAPS	((sizeof(struct ocfabric_replica_get) -			\
			  offsetof(struct ocfabric_replica_get, out_map_tx)) /	\
			 sizeof(struct ocfabric_map))

/* A card with three replicas, of which 0 and 2 are attached. */
struct scene {
	int node;
	struct replica r;	/* replica 0 */
	int other;		/* handle of replica 2 */
	struct nl nl;
	uint8_t *memory;	/* OPS_REGION bytes, and a page */

	/* what an operation made, for its end() to take back */
	int fd;
	uint32_t key;
	struct ocfabric_map buffer;
	void *map[OPS_MAPS];
	size_t length[OPS_MAPS];
};

int scene_open(struct scene *s);
void scene_close(struct scene *s);

/* Answer of a netlink operation that may have happened: what it said is lost */
#define OP_LOST		1

/* Each function answers 0 or -errno. */
struct op {
	const char *name;
	int (*prepare)(struct scene *s);	/* NULL: nothing is to be there */
	int (*perform)(struct scene *s);
	/* Takes back what was made, whether it was; NULL: nothing is left. */
	void (*end)(struct scene *s);
	unsigned long ioctl;			/* 0: it is none */
	unsigned int cmd;			/* of netlink; 0: it is none */
	bool dump;
	int also;				/* an errno of its own, or 0 */
};

extern const struct op ops_ioctl[], ops_file[], ops_netlink[];
extern const unsigned int ops_ioctls, ops_files, ops_netlinks;

/* How many of the kernel's calls and commands have no row; says which. */
unsigned int ops_missing(struct scene *s);

#endif /* OCF_TEST_OPS_H */
