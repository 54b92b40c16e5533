// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of ioctls
 */
#include <string.h>
#include <unistd.h>

#include "calls.h"

static void make_attach(struct call_scene *s, union call_args *a)
{
	(void)s;
	a->attach.replica = 1;
}

static void end_attach(struct call_scene *s, union call_args *a)
{
	(void)s;
	close(a->attach.out_fd);
}

static void make_config_get(struct call_scene *s, union call_args *a)
{
	a->config_get.regions = (uintptr_t)s->regions;
}

static void make_config_change(struct call_scene *s, union call_args *a)
{
	s->change = step(OCFABRIC_CHANGE_LATENCY, 0);
	a->config_change.changes = (uintptr_t)&s->change;
	a->config_change.count = 1;
}

static void make_counters_get(struct call_scene *s, union call_args *a)
{
	a->counters_get.counters = (uintptr_t)s->counters;
	a->counters_get.links = OCFABRIC_REPLICAS_MAX;
	a->counters_get.counters_per_link = OCFABRIC_COUNTERS;
}

static void make_drain(struct call_scene *s, union call_args *a)
{
	(void)s;
	a->drain.op = OCFABRIC_DRAIN_HOLD;
}

static void end_drain(struct call_scene *s, union call_args *a)
{
	(void)a;
	call(s->node, OCFABRIC_DRAIN, ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_RESUME));
}

static void make_reset(struct call_scene *s, union call_args *a)
{
	(void)s;
	a->reset.what = OCFABRIC_RESET_COUNTERS;
}

static void make_key_add(struct call_scene *s, union call_args *a)
{
	a->key_add.addr = (uintptr_t)s->memory;
	a->key_add.length = sizeof(s->memory);
}

static void end_key_add(struct call_scene *s, union call_args *a)
{
	key_del(s->handle, a->key_add.out_key);
}

static void make_buffer_add(struct call_scene *s, union call_args *a)
{
	(void)s;
	a->buffer_add.length = PAGE;
}

static void end_buffer_add(struct call_scene *s, union call_args *a)
{
	key_del(s->handle, a->buffer_add.out_key);
}

static void make_key_del(struct call_scene *s, union call_args *a)
{
	key_add(s->handle, s->memory, sizeof(s->memory), &a->key_del.key);
}

static void make_eventfd(struct call_scene *s, union call_args *a)
{
	(void)s;
	a->eventfd.fd = -1;
}

static void make_rejects_get(struct call_scene *s, union call_args *a)
{
	a->rejects_get.rejects = (uintptr_t)s->rejects;
	a->rejects_get.count = OCFABRIC_REJECTS;
}

static void make_moderation(struct call_scene *s, union call_args *a)
{
	(void)s;
	a->moderation.burst = OCFABRIC_MODERATION_BURST;
	a->moderation.timer = OCFABRIC_MODERATION_TIMER;
}

static void make_broadcast(struct call_scene *s, union call_args *a)
{
	a->broadcast.handles = (uintptr_t)&s->handle;
	a->broadcast.count = 1;
}

const struct call_row call_rows[] = {
#define ROW(nr_, type, files_, ...) \
	{ .name = #nr_, .nr = OCFABRIC_##nr_, .files = files_, \
	  .size = sizeof(struct type), ##__VA_ARGS__ }
#define RESERVED(type)	.reserved = offsetof(struct type, __reserved)
#define END(type, field) \
	(offsetof(struct type, field) + sizeof(((struct type *)0)->field))
#define OUT(type, first, last) \
	.out = offsetof(struct type, first), .out_end = END(type, last)
	ROW(INFO, ocfabric_info, ON_NODE | ON_HANDLE,
	    OUT(ocfabric_info, out_features, out_key_ranges)),
	ROW(ATTACH, ocfabric_attach, ON_NODE, .make = make_attach, .end = end_attach,
	    RESERVED(ocfabric_attach),
	    OUT(ocfabric_attach, out_fd, out_fd)),
	ROW(CONFIG_GET, ocfabric_config_get, ON_NODE, .make = make_config_get,
	    RESERVED(ocfabric_config_get),
	    OUT(ocfabric_config_get, out_replicas, out_generation)),
	ROW(CONFIG_CHANGE, ocfabric_config_change, ON_NODE, .make = make_config_change,
	    OUT(ocfabric_config_change, out_index, out_reason), .out_refused = true),
	ROW(COUNTERS_GET, ocfabric_counters_get, ON_NODE, .make = make_counters_get,
	    OUT(ocfabric_counters_get, out_clock, out_clock)),
	ROW(DRAIN, ocfabric_drain, ON_NODE, .make = make_drain, .end = end_drain,
	    RESERVED(ocfabric_drain),
	    OUT(ocfabric_drain, out_link, out_stage), .out_refused = true),
	ROW(RESET, ocfabric_reset, ON_NODE, .make = make_reset,
	    .reserved = offsetof(struct ocfabric_reset, link)),
	ROW(REPLICA_GET, ocfabric_replica_get, ON_HANDLE, RESERVED(ocfabric_replica_get),
	    OUT(ocfabric_replica_get, out_region, out_map_semaphores)),
	ROW(KEY_ADD, ocfabric_key_add, ON_HANDLE, .make = make_key_add, .end = end_key_add,
	    RESERVED(ocfabric_key_add),
	    OUT(ocfabric_key_add, out_key, out_key)),
	ROW(BUFFER_ADD, ocfabric_buffer_add, ON_HANDLE, .make = make_buffer_add,
	    .end = end_buffer_add, RESERVED(ocfabric_buffer_add),
	    OUT(ocfabric_buffer_add, out_map, out_key)),
	ROW(KEY_DEL, ocfabric_key_del, ON_HANDLE, .make = make_key_del,
	    RESERVED(ocfabric_key_del)),
	ROW(EVENTFD, ocfabric_eventfd, ON_HANDLE, .make = make_eventfd,
	    RESERVED(ocfabric_eventfd)),
	ROW(QUEUE_GET, ocfabric_queue_get, ON_HANDLE,
	    OUT(ocfabric_queue_get, out_state, out_mode)),
	ROW(QUEUE_RESET, ocfabric_queue_reset, ON_HANDLE),
	ROW(REJECTS_GET, ocfabric_rejects_get, ON_HANDLE, .make = make_rejects_get,
	    RESERVED(ocfabric_rejects_get)),
	ROW(MODERATION, ocfabric_moderation, ON_HANDLE, .make = make_moderation,
	    RESERVED(ocfabric_moderation)),
	ROW(BROADCAST, ocfabric_broadcast, ON_NODE | ON_HANDLE, .make = make_broadcast,
	    RESERVED(ocfabric_broadcast),
	    OUT(ocfabric_broadcast, out_replica, out_replica), .out_refused = true),
};

const unsigned int call_row_count = ARRAY_LEN(call_rows);

int call_file(const struct call_scene *s, const struct call_row *row)
{
	return row->files & ON_NODE ? s->node : s->handle;
}

void call_make(struct call_scene *s, const struct call_row *row, union call_args *a)
{
	memset(a, 0, sizeof(*a));
	a->size = row->size;
	if (row->make)
		row->make(s, a);
}

int call_perform(struct call_scene *s, const struct call_row *row, union call_args *a)
{
	int ret = call(call_file(s, row), row->nr, a);

	if (!ret && row->end)
		row->end(s, a);
	return ret;
}
