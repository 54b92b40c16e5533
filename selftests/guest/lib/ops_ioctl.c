// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations: ioctls of the node and of a replica's handle
 */
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ops.h"

static int do_info(struct scene *s)
{
	return call(s->node, OCFABRIC_INFO, ARG(ocfabric_info));
}

static int do_handle_info(struct scene *s)
{
	return call(s->r.fd, OCFABRIC_INFO, ARG(ocfabric_info));
}

static int do_attach(struct scene *s)
{
	s->fd = attach_fd(s->node, 1, (struct attach){ .tx_entries = 4096 });
	return s->fd < 0 ? s->fd : 0;
}

static int do_attach_clear(struct scene *s)
{
	s->fd = attach_fd(s->node, 1, (struct attach){ .flags = OCFABRIC_ATTACH_CLEAR });
	return s->fd < 0 ? s->fd : 0;
}

static void end_fd(struct scene *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static int do_config_get(struct scene *s)
{
	static struct config c;

	return config_read(s->node, &c);
}

static int change(struct scene *s, unsigned int flags)
{
	const struct ocfabric_change steps[] = {
		step_replicas(5), step_region(4, 0x100000, 0x1000),
		step_region(0, 0x200000, OPS_REGION),	/* an attached one moves */
		step_window(OCFABRIC_CHANGE_WINDOW_ADD, 0, 4, 0, 64),
		step_fault(OCFABRIC_CHANGE_FAULT_RESP, 4, 0, OCFABRIC_RESP_SLVERR),
		step(OCFABRIC_CHANGE_HBM_CLEAR, 0),
	};

	return change_steps(s->node, flags, steps, ARRAY_LEN(steps), NULL);
}

static int do_change(struct scene *s)
{
	return change(s, 0);
}

static int do_check(struct scene *s)
{
	return change(s, OCFABRIC_CONFIG_CHECK);
}

/* Refused at its last step: what says so is copied out. */
static int do_refused(struct scene *s)
{
	int ret = CHANGE(s->node, step_replicas(5), step_replicas(99));

	return ret == -EINVAL ? 0 : ret ?: -EPROTO;
}

static void end_change(struct scene *s)
{
	fabric_setup(s->node, OPS_N, OPS_REGION);
}

static int do_counters_get(struct scene *s)
{
	static struct counters c;

	return counters_read(s->node, &c);
}

static int drain(struct scene *s, unsigned int op)
{
	return call(s->node, OCFABRIC_DRAIN, ARG(ocfabric_drain, .op = op));
}

static int do_drain(struct scene *s)
{
	return drain(s, OCFABRIC_DRAIN_HOLD);
}

static int do_resume(struct scene *s)
{
	return drain(s, OCFABRIC_DRAIN_RESUME);
}

static void end_drain(struct scene *s)
{
	drain(s, OCFABRIC_DRAIN_RESUME);
}

static int reset(struct scene *s, unsigned int what)
{
	return call(s->node, OCFABRIC_RESET, ARG(ocfabric_reset, .what = what));
}

static int do_reset_counters(struct scene *s)
{
	return reset(s, OCFABRIC_RESET_COUNTERS);
}

static int do_reset_device(struct scene *s)
{
	return reset(s, OCFABRIC_RESET_DEVICE);
}

/* The handles are dead. */
static void end_reset_device(struct scene *s)
{
	replica_close(&s->r);
	close(s->other);
	replica_open(&s->r, s->node, 0, (struct attach){ .tx_entries = 64 });
	s->other = attach_fd(s->node, 2, (struct attach){ .tx_entries = 64 });
}

static int do_reset_link(struct scene *s)
{
	return reset(s, OCFABRIC_RESET_LINK);
}

static int do_replica_get(struct scene *s)
{
	return call(s->r.fd, OCFABRIC_REPLICA_GET, ARG(ocfabric_replica_get));
}

static int do_key_add(struct scene *s)
{
	return key_add(s->r.fd, s->memory + 64, OPS_REGION, &s->key);
}

/* The key of a call whose answer did not arrive is nobody's: it must be gone. */
static void end_key(struct scene *s)
{
	if (s->key)
		key_del(s->r.fd, s->key);
	s->key = 0;
}

static int do_buffer_add(struct scene *s)
{
	struct ocfabric_buffer_add b = NEW(ocfabric_buffer_add, .length = 5 * PAGE);
	int ret = call(s->r.fd, OCFABRIC_BUFFER_ADD, &b);

	if (!ret)
		s->key = b.out_key;
	return ret;
}

static int do_key_del(struct scene *s)
{
	int ret = key_del(s->r.fd, s->key);

	if (!ret)
		s->key = 0;
	return ret;
}

static int prepare_eventfd(struct scene *s)
{
	s->fd = eventfd(0, EFD_CLOEXEC);
	return s->fd < 0 ? -1 : 0;
}

static int do_eventfd(struct scene *s)
{
	return call(s->r.fd, OCFABRIC_EVENTFD, ARG(ocfabric_eventfd, .fd = s->fd));
}

static void end_eventfd(struct scene *s)
{
	call(s->r.fd, OCFABRIC_EVENTFD, ARG(ocfabric_eventfd, .fd = -1));
	end_fd(s);
}

static int do_queue_get(struct scene *s)
{
	return call(s->r.fd, OCFABRIC_QUEUE_GET, ARG(ocfabric_queue_get));
}

static int do_queue_reset(struct scene *s)
{
	return call(s->r.fd, OCFABRIC_QUEUE_RESET, ARG(ocfabric_queue_reset));
}

static int do_rejects_get(struct scene *s)
{
	static struct ocfabric_hw_reject rejects[OCFABRIC_REJECTS];

	return call(s->r.fd, OCFABRIC_REJECTS_GET,
		    ARG(ocfabric_rejects_get, .rejects = (uintptr_t)rejects,
			.count = OCFABRIC_REJECTS));
}

static int do_moderation(struct scene *s)
{
	return call(s->r.fd, OCFABRIC_MODERATION,
		    ARG(ocfabric_moderation, .burst = 3, .timer = 1000));
}

static void end_moderation(struct scene *s)
{
	call(s->r.fd, OCFABRIC_MODERATION,
	     ARG(ocfabric_moderation, .burst = OCFABRIC_MODERATION_BURST,
		 .timer = OCFABRIC_MODERATION_TIMER));
}

static int do_broadcast(struct scene *s)
{
	const int handles[] = { s->r.fd, s->other };

	return broadcast(s->node, 0, handles, 2, 0, NULL);
}

/* More than either ring has: which refused is copied out. */
static int do_broadcast_refused(struct scene *s)
{
	const int handles[] = { s->r.fd, s->other };
	int ret = broadcast(s->r.fd, OCFABRIC_BROADCAST_RECEIVE, handles, 2, 4096, NULL);

	return ret == -EAGAIN ? 0 : ret ?: -EPROTO;
}

#define ROW(nr_, text, ...) { .name = #nr_ text, .ioctl = OCFABRIC_##nr_, __VA_ARGS__ }

const struct op ops_ioctl[] = {
	ROW(INFO, "", .perform = do_info),
	ROW(INFO, " of a handle", .perform = do_handle_info),
	ROW(ATTACH, "", .perform = do_attach, .end = end_fd),
	ROW(ATTACH, ", cleared", .perform = do_attach_clear, .end = end_fd),
	ROW(CONFIG_GET, "", .perform = do_config_get),
	ROW(CONFIG_CHANGE, "", .perform = do_change, .end = end_change),
	ROW(CONFIG_CHANGE, ", check", .perform = do_check),
	ROW(CONFIG_CHANGE, " that is refused", .perform = do_refused),
	ROW(COUNTERS_GET, "", .perform = do_counters_get),
	ROW(DRAIN, "", .perform = do_drain, .end = end_drain),
	ROW(DRAIN, ", resume", .prepare = do_drain, .perform = do_resume, .end = end_drain),
	ROW(RESET, " of counters", .perform = do_reset_counters),
	ROW(RESET, " of the device", .perform = do_reset_device, .end = end_reset_device),
	ROW(RESET, " of a link", .perform = do_reset_link),
	ROW(REPLICA_GET, "", .perform = do_replica_get),
	ROW(KEY_ADD, "", .perform = do_key_add, .end = end_key),
	ROW(BUFFER_ADD, "", .perform = do_buffer_add, .end = end_key),
	ROW(KEY_DEL, "", .prepare = do_key_add, .perform = do_key_del, .end = end_key),
	ROW(KEY_DEL, " of a buffer", .prepare = do_buffer_add, .perform = do_key_del,
	    .end = end_key),
	ROW(EVENTFD, "", .prepare = prepare_eventfd, .perform = do_eventfd,
	    .end = end_eventfd),
	ROW(QUEUE_GET, "", .perform = do_queue_get),
	ROW(QUEUE_RESET, "", .perform = do_queue_reset),
	ROW(REJECTS_GET, "", .perform = do_rejects_get),
	ROW(MODERATION, "", .perform = do_moderation, .end = end_moderation),
	ROW(BROADCAST, "", .perform = do_broadcast),
	ROW(BROADCAST, " that is refused", .perform = do_broadcast_refused),
};

const unsigned int ops_ioctls = ARRAY_LEN(ops_ioctl);
