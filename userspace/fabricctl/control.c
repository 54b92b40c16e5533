// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * drain, resume, reset
 */
#include "nl.h"

int run_drain(struct ctl *ctl)
{
	return fab_control(ctl, OCFABRIC_CMD_DRAIN, ctl->cards[0].id, 0);
}

int run_resume(struct ctl *ctl)
{
	return fab_control(ctl, OCFABRIC_CMD_RESUME, ctl->cards[0].id, 0);
}

int run_reset_counters(struct ctl *ctl)
{
	return fab_control(ctl, OCFABRIC_CMD_RESET, ctl->cards[0].id,
			  OCFABRIC_RESET_TARGET_COUNTERS);
}

int run_reset_device(struct ctl *ctl)
{
	return fab_control(ctl, OCFABRIC_CMD_RESET, ctl->cards[0].id,
			  OCFABRIC_RESET_TARGET_DEVICE);
}
