/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every ioctl as its structure: what a call needs to do its work, how large it is,
 * what of it is reserved, what the kernel writes
 */
#ifndef OCF_TEST_CALLS_H
#define OCF_TEST_CALLS_H

#include "util.h"

#define ON_NODE		1
#define ON_HANDLE	2

/* What a call needs to do its work; the arrays are there for all of them. */
struct call_scene {
	int node;
	int handle;
	struct ocfabric_region regions[OCFABRIC_REPLICAS_MAX];
	struct ocfabric_change change;
	uint64_t counters[OCFABRIC_REPLICAS_MAX][OCFABRIC_COUNTERS];
	struct ocfabric_hw_reject rejects[OCFABRIC_REJECTS];
	uint8_t memory[4096];
};

union call_args {
	uint32_t size;
	struct { uint32_t size, flags; } head;
	struct ocfabric_info info;
	struct ocfabric_attach attach;
	struct ocfabric_config_get config_get;
	struct ocfabric_config_change config_change;
	struct ocfabric_counters_get counters_get;
	struct ocfabric_drain drain;
	struct ocfabric_reset reset;
	struct ocfabric_replica_get replica_get;
	struct ocfabric_key_add key_add;
	struct ocfabric_buffer_add buffer_add;
	struct ocfabric_key_del key_del;
	struct ocfabric_eventfd eventfd;
	struct ocfabric_queue_get queue_get;
	struct ocfabric_queue_reset queue_reset;
	struct ocfabric_rejects_get rejects_get;
	struct ocfabric_moderation moderation;
	struct ocfabric_broadcast broadcast;
	uint8_t bytes[PAGE];
};

struct call_row {
	const char *name;
	unsigned long nr;
	unsigned int files;
	uint32_t size;
	uint32_t reserved;	/* where a __u32 that must be zero is; 0: none */
	void (*make)(struct call_scene *s, union call_args *a);
	void (*end)(struct call_scene *s, union call_args *a);
	/* what the kernel writes: fields out_*, from the first to behind the last */
	uint32_t out, out_end;
	bool out_refused;	/* only when it is refused */
};

extern const struct call_row call_rows[];
extern const unsigned int call_row_count;

int call_file(const struct call_scene *s, const struct call_row *row);
/* The structure, so that the call does its work */
void call_make(struct call_scene *s, const struct call_row *row, union call_args *a);
/* Calls, and takes back what it made */
int call_perform(struct call_scene *s, const struct call_row *row, union call_args *a);

#define for_each_call(row) \
	for (const struct call_row *row = call_rows; row < call_rows + call_row_count; row++)

#endif /* OCF_TEST_CALLS_H */
