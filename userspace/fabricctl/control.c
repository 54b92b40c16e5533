// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * drain, resume, reset, set moderation
 */
#include "nl.h"

int run_drain(struct ctl *ctl)
{
	return fab_control(ctl, OCFABRIC_CMD_DRAIN, ctl->cards[0].id, NULL, 0);
}

int run_resume(struct ctl *ctl)
{
	return fab_control(ctl, OCFABRIC_CMD_RESUME, ctl->cards[0].id, NULL, 0);
}

static int reset(struct ctl *ctl, uint32_t target, unsigned int nr)
{
	const struct fab_value values[] = {
		{ OCFABRIC_A_CONTROL_RESET_TARGET, target },
		{ OCFABRIC_A_CONTROL_LINK, (uint32_t)ctl->args.value[P_LINK] },
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
	int error = check_below(&ctl->cards[0], &ctl->args, P_LINK, "link",
				ctl->cards[0].max_replicas);

	return error ? error : reset(ctl, OCFABRIC_RESET_TARGET_LINK, 2);
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
	int error = check_below(&ctl->cards[0], args, P_REPLICA, "replica",
				ctl->cards[0].max_replicas);

	if (error)
		return error;
	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (args->given[known[i].id])
			values[nr++] = (struct fab_value){
				known[i].attr, (uint32_t)args->value[known[i].id] };
	return fab_control(ctl, OCFABRIC_CMD_MODERATION_SET, ctl->cards[0].id,
			   values, nr);
}
