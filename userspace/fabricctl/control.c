// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * drain, resume, reset, set moderation, and limits
 */
#include "show.h"

int run_drain(struct ctl *ctl)
{
	return fab_control(ctl, OCFABRIC_CMD_DRAIN, ctl->cards[0].id, NULL, 0);
}

int run_resume(struct ctl *ctl)
{
	return fab_control(ctl, OCFABRIC_CMD_RESUME, ctl->cards[0].id, NULL, 0);
}

/* With the first @nr of target, link, QPN. */
static int reset(struct ctl *ctl, uint32_t target, unsigned int nr)
{
	const struct fab_value values[] = {
		{ OCFABRIC_A_CONTROL_RESET_TARGET, target },
		{ OCFABRIC_A_CONTROL_LINK, (uint32_t)ctl->args.value[P_LINK] },
		{ OCFABRIC_A_CONTROL_QPN, (uint32_t)ctl->args.value[P_QPN] },
	};

	return fab_control(ctl, OCFABRIC_CMD_RESET, ctl->cards[0].id, values, nr);
}

int run_reset_counters(struct ctl *ctl)
{
	return reset(ctl, OCFABRIC_RESET_TARGET_COUNTERS, 1);
}

int run_reset_device(struct ctl *ctl)
{
	return reset(ctl, OCFABRIC_RESET_TARGET_DEVICE, 1);
}

int run_reset_link(struct ctl *ctl)
{
	int error = check_ids(&ctl->cards[0], &ctl->args);

	return error ? error : reset(ctl, OCFABRIC_RESET_TARGET_LINK, 2);
}

int run_reset_qp(struct ctl *ctl)
{
	int error = check_ids(&ctl->cards[0], &ctl->args);

	return error ? error : reset(ctl, OCFABRIC_RESET_TARGET_QP, 3);
}

/* ---- moderation --------------------------------------------------------- */

int prepare_moderation(struct ctl *ctl)
{
	const bool *given = ctl->args.given;

	if (given[P_BURST] || given[P_TIMER] || given[P_MODE])
		return 0;
	return fail(ST_USAGE, "nothing to set: burst, timer or mode is missing");
}

int run_set_moderation(struct ctl *ctl)
{
	static const struct {
		enum param_id id;
		int attr;
	} known[] = {
		{ P_REPLICA, OCFABRIC_A_MODERATION_REPLICA },
		{ P_BURST, OCFABRIC_A_MODERATION_BURST },
		{ P_TIMER, OCFABRIC_A_MODERATION_TIMER },
		{ P_MODE, OCFABRIC_A_MODERATION_MODE },
	};
	struct fab_value values[ARRAY_SIZE(known)];
	const struct args *args = &ctl->args;
	unsigned int i, nr = 0;
	int error = check_ids(&ctl->cards[0], args);

	if (error)
		return error;
	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (args->given[known[i].id])
			values[nr++] = (struct fab_value){
				known[i].attr, (uint32_t)args->value[known[i].id] };
	return fab_control(ctl, OCFABRIC_CMD_MODERATION_SET, ctl->cards[0].id,
			   values, nr);
}

/* ---- weights and limits ------------------------------------------------- */

int run_set_queue(struct ctl *ctl)
{
	const struct fab_value values[] = {
		{ OCFABRIC_A_QUEUE_REPLICA, (uint32_t)ctl->args.value[P_REPLICA] },
		{ OCFABRIC_A_QUEUE_WEIGHT, (uint32_t)ctl->args.value[P_WEIGHT] },
	};
	int error = check_ids(&ctl->cards[0], &ctl->args);

	return error ? error : fab_control(ctl, OCFABRIC_CMD_QUEUE_SET,
					   ctl->cards[0].id, values,
					   ARRAY_SIZE(values));
}

static int set_limit(struct ctl *ctl, int attr)
{
	const struct fab_value value = { attr, (uint32_t)ctl->args.value[P_VALUE] };

	return fab_control(ctl, OCFABRIC_CMD_DEVICE_SET, ctl->cards[0].id, &value, 1);
}

int run_set_stall_limit(struct ctl *ctl)
{
	return set_limit(ctl, OCFABRIC_A_DEVICE_STALL_LIMIT);
}

int run_set_storm_limit(struct ctl *ctl)
{
	return set_limit(ctl, OCFABRIC_A_DEVICE_STORM_LIMIT);
}
