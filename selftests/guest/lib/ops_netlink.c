// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations: requests and dumps of the netlink family
 */
#include "ops.h"

/* What was lost on a socket goes with it: each try has a new one. */
static int answer(int ret)
{
	return ret == -ENOBUFS || ret == -ETIMEDOUT ? OP_LOST : ret;
}

static int simple(struct scene *s, unsigned int cmd, unsigned int flags)
{
	return answer(nl_simple(&s->nl, cmd, flags, NULL));
}

#define DUMP(cmd) \
	static int dump_##cmd(struct scene *s) \
	{ return simple(s, OCFABRIC_CMD_##cmd, NLM_F_DUMP); }

DUMP(DEVICE_GET)
DUMP(REGION_GET)
DUMP(CONNECTION_GET)
DUMP(WINDOW_GET)
DUMP(COUNTERS_GET)
DUMP(REPLICA_GET)
DUMP(REJECT_GET)
DUMP(SEMAPHORE_GET)
DUMP(STAGE_GET)
DUMP(QP_GET)
DUMP(RING_GET)

static int do_device_get(struct scene *s)
{
	return simple(s, OCFABRIC_CMD_DEVICE_GET, 0);
}

static int do_config_get(struct scene *s)
{
	return simple(s, OCFABRIC_CMD_CONFIG_GET, 0);
}

static int do_drain(struct scene *s)
{
	return simple(s, OCFABRIC_CMD_DRAIN, 0);
}

static int do_resume(struct scene *s)
{
	return simple(s, OCFABRIC_CMD_RESUME, 0);
}

static void end_drain(struct scene *s)
{
	call(s->node, OCFABRIC_DRAIN, ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_RESUME));
}

static int do_change(struct scene *s)
{
	const struct ocfabric_change steps[] = {
		step_replicas(5), step_region(4, 0x100000, 0x1000),
		step_window(OCFABRIC_CHANGE_WINDOW_ADD, 0, 4, 0, 64),
	};
	unsigned int index;

	return answer(nl_change(&s->nl, false, steps, ARRAY_LEN(steps), NULL, &index));
}

static void end_change(struct scene *s)
{
	fabric_setup(s->node, OPS_N, OPS_REGION);
}

/* The sentence of a refusal is made of what cannot be allocated, too. */
static int do_refused(struct scene *s)
{
	const struct ocfabric_change steps[] = { step_replicas(5), step_replicas(99) };
	unsigned int index;
	int ret = answer(nl_change(&s->nl, false, steps, ARRAY_LEN(steps), NULL, &index));

	return ret == -EINVAL ? 0 : ret ?: -EPROTO;
}

static int do_moderation(struct scene *s)
{
	return answer(nl_moderation(&s->nl, 0, 3, 1000, OCFABRIC_MODE_LATENCY, NULL));
}

static void end_moderation(struct scene *s)
{
	struct nl nl;
	(void)s;

	if (nl_open(&nl))
		return;
	nl_moderation(&nl, 0, OCFABRIC_MODERATION_BURST, OCFABRIC_MODERATION_TIMER,
		      OCFABRIC_MODE_LATENCY, NULL);
	nl_close(&nl);
}

static int do_reset_counters(struct scene *s)
{
	return answer(nl_reset(&s->nl, OCFABRIC_RESET_TARGET_COUNTERS));
}

static int do_reset_link(struct scene *s)
{
	return answer(nl_reset_link(&s->nl, OCFABRIC_RESET_TARGET_LINK, 0, NULL));
}

static int do_reset_qp(struct scene *s)
{
	return answer(nl_reset_qp(&s->nl, OCFABRIC_RESET_TARGET_QP, 0, 0, NULL));
}

static int do_qp_set(struct scene *s)
{
	const struct nl_u32 window = { OCFABRIC_A_QP_WINDOW, OCFABRIC_QP_WINDOW_DEFAULT };

	return answer(nl_qp_set(&s->nl, 0, 0, &window, 1, NULL));
}

static int do_queue_set(struct scene *s)
{
	return answer(nl_weight(&s->nl, 0, 1, NULL));
}

static int do_device_set(struct scene *s)
{
	return answer(nl_limits(&s->nl, OCFABRIC_STALL_LIMIT, OCFABRIC_STORM_LIMIT, NULL));
}

#define ROW(cmd_, text, ...) { .name = #cmd_ text, .cmd = OCFABRIC_CMD_##cmd_, __VA_ARGS__ }
#define DUMP_ROW(cmd_) ROW(cmd_, ", dump", .perform = dump_##cmd_, .dump = true)

const struct op ops_netlink[] = {
	DUMP_ROW(DEVICE_GET),
	DUMP_ROW(REGION_GET),
	DUMP_ROW(CONNECTION_GET),
	DUMP_ROW(WINDOW_GET),
	DUMP_ROW(COUNTERS_GET),
	DUMP_ROW(REPLICA_GET),
	DUMP_ROW(REJECT_GET),
	DUMP_ROW(SEMAPHORE_GET),
	DUMP_ROW(STAGE_GET),
	DUMP_ROW(QP_GET),
	DUMP_ROW(RING_GET),
	ROW(DEVICE_GET, "", .perform = do_device_get),
	ROW(CONFIG_GET, "", .perform = do_config_get),
	ROW(CONFIG_CHANGE, "", .perform = do_change, .end = end_change),
	ROW(CONFIG_CHANGE, " that is refused", .perform = do_refused),
	ROW(DRAIN, "", .perform = do_drain, .end = end_drain),
	ROW(RESUME, "", .prepare = do_drain, .perform = do_resume, .end = end_drain),
	ROW(MODERATION_SET, "", .perform = do_moderation, .end = end_moderation),
	ROW(RESET, " of counters", .perform = do_reset_counters),
	ROW(RESET, " of a link", .perform = do_reset_link),
	ROW(RESET, " of a queue pair", .perform = do_reset_qp),
	ROW(QP_SET, "", .perform = do_qp_set),
	ROW(QUEUE_SET, "", .perform = do_queue_set),
	ROW(DEVICE_SET, "", .perform = do_device_set),
};

const unsigned int ops_netlinks = ARRAY_LEN(ops_netlink);
