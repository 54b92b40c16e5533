// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * set, add, del: changes of one step
 */
#include "show.h"

static int change(struct ctl *ctl, const struct ocfabric_change *step,
		  const char *what)
{
	struct fab_reply reply;
	int error = check_ids(&ctl->cards[0], &ctl->args);

	if (error)
		return error;
	error = fab_change(ctl, ctl->cards[0].id, false, step, 1, &reply);
	return error == FAB_REFUSED ? fab_refused(&reply, what) : error;
}

int run_set_replicas(struct ctl *ctl)
{
	struct ocfabric_change step = {
		.op = OCFABRIC_CHANGE_REPLICAS,
		.value = ctl->args.value[P_VALUE],
	};

	return change(ctl, &step, "set replicas");
}

int run_set_region(struct ctl *ctl)
{
	struct ocfabric_change step = {
		.op = OCFABRIC_CHANGE_REGION,
		.src = (uint32_t)ctl->args.value[P_REPLICA],
		.offset = ctl->args.value[P_BASE],
		.length = ctl->args.value[P_SIZE],
	};

	return change(ctl, &step, "set region");
}

int run_set_connection(struct ctl *ctl)
{
	uint64_t peer = ctl->args.value[P_PEER];
	struct ocfabric_change step = {
		.op = OCFABRIC_CHANGE_CONNECTION,
		.src = (uint32_t)ctl->args.value[P_LINK],
		.qpn = (uint32_t)ctl->args.value[P_QPN],
		.dst = peer == UINT64_MAX ? OCFABRIC_PEER_NONE : (uint32_t)peer,
	};

	return change(ctl, &step, "set connection");
}

int run_set_connections_default(struct ctl *ctl)
{
	struct ocfabric_change step = {
		.op = OCFABRIC_CHANGE_CONNECTIONS_DEFAULT,
	};

	return change(ctl, &step, "set connections default");
}

int run_set_latency(struct ctl *ctl)
{
	struct ocfabric_change step = {
		.op = OCFABRIC_CHANGE_LATENCY,
		.value = ctl->args.value[P_VALUE],
	};

	return change(ctl, &step, "set latency");
}

int run_set_upstream_qpns(struct ctl *ctl)
{
	struct ocfabric_change step = {
		.op = OCFABRIC_CHANGE_UPSTREAM_QPNS,
		.value = ctl->args.value[P_VALUE],
	};

	return change(ctl, &step, "set upstream-qpns");
}

int run_set_fault(struct ctl *ctl)
{
	static const struct {
		uint32_t op;
		uint64_t value;
	} what[] = {
		[FAULT_SLVERR] = { OCFABRIC_CHANGE_FAULT_RESP, OCFABRIC_RESP_SLVERR },
		[FAULT_DECERR] = { OCFABRIC_CHANGE_FAULT_RESP, OCFABRIC_RESP_DECERR },
		[FAULT_NONE] = { OCFABRIC_CHANGE_FAULT_CLEAR, 0 },
		[FAULT_DELAY] = { OCFABRIC_CHANGE_FAULT_DELAY, 0 },
	};
	uint64_t fault = ctl->args.value[P_FAULT];
	struct ocfabric_change step = {
		.op = what[fault].op,
		.dst = (uint32_t)ctl->args.value[P_REPLICA],
		.offset = ctl->args.value[P_OFFSET],
		.value = fault == FAULT_DELAY ? ctl->args.delay : what[fault].value,
	};

	return change(ctl, &step, "set fault");
}

static int change_window(struct ctl *ctl, uint32_t op, const char *what)
{
	struct ocfabric_change step = {
		.op = op,
		.src = (uint32_t)ctl->args.value[P_SRC],
		.dst = (uint32_t)ctl->args.value[P_DST],
		.offset = ctl->args.value[P_OFFSET],
		.length = ctl->args.value[P_LENGTH],
	};

	if (ctl->args.given[P_SEMS]) {
		step.sem_first = (uint32_t)ctl->args.value[P_SEMS];
		step.sem_count = (uint32_t)ctl->args.last - step.sem_first + 1;
	}
	return change(ctl, &step, what);
}

int run_add_window(struct ctl *ctl)
{
	return change_window(ctl, OCFABRIC_CHANGE_WINDOW_ADD, "add window");
}

int run_del_window(struct ctl *ctl)
{
	return change_window(ctl, OCFABRIC_CHANGE_WINDOW_DEL, "del window");
}
