// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading counters
 */
#include "counters.h"

const char *const counter_names[OCFABRIC_COUNTERS] = {
	[OCFABRIC_COUNTER_WRITES] = "writes",
	[OCFABRIC_COUNTER_COMMITTED] = "committed",
	[OCFABRIC_COUNTER_BYTES] = "bytes",
	[OCFABRIC_COUNTER_LINES] = "lines",
	[OCFABRIC_COUNTER_UNMAPPED] = "unmapped",
	[OCFABRIC_COUNTER_MISROUTED] = "misrouted",
	[OCFABRIC_COUNTER_BAD_CONFIG] = "bad_config",
	[OCFABRIC_COUNTER_ZERO_LENGTH] = "zero_length",
	[OCFABRIC_COUNTER_MISALIGNED] = "misaligned",
	[OCFABRIC_COUNTER_OUT_OF_BOUNDS] = "out_of_bounds",
	[OCFABRIC_COUNTER_UNAUTHORIZED] = "unauthorized",
	[OCFABRIC_COUNTER_SHORT_PACKET] = "short_packet",
	[OCFABRIC_COUNTER_OVERSIZE] = "oversize",
	[OCFABRIC_COUNTER_AXI_ERROR] = "axi_error",
	[OCFABRIC_COUNTER_QP_STATE] = "qp_state",
	[OCFABRIC_COUNTER_RNR] = "rnr",
	[OCFABRIC_COUNTER_DMA_ERROR] = "dma_error",
};

static const int attr_of[OCFABRIC_COUNTERS] = {
	[OCFABRIC_COUNTER_WRITES] = OCFABRIC_A_COUNTERS_WRITES,
	[OCFABRIC_COUNTER_COMMITTED] = OCFABRIC_A_COUNTERS_COMMITTED,
	[OCFABRIC_COUNTER_BYTES] = OCFABRIC_A_COUNTERS_BYTES,
	[OCFABRIC_COUNTER_LINES] = OCFABRIC_A_COUNTERS_LINES,
	[OCFABRIC_COUNTER_UNMAPPED] = OCFABRIC_A_COUNTERS_UNMAPPED,
	[OCFABRIC_COUNTER_MISROUTED] = OCFABRIC_A_COUNTERS_MISROUTED,
	[OCFABRIC_COUNTER_BAD_CONFIG] = OCFABRIC_A_COUNTERS_BAD_CONFIG,
	[OCFABRIC_COUNTER_ZERO_LENGTH] = OCFABRIC_A_COUNTERS_ZERO_LENGTH,
	[OCFABRIC_COUNTER_MISALIGNED] = OCFABRIC_A_COUNTERS_MISALIGNED,
	[OCFABRIC_COUNTER_OUT_OF_BOUNDS] = OCFABRIC_A_COUNTERS_OUT_OF_BOUNDS,
	[OCFABRIC_COUNTER_UNAUTHORIZED] = OCFABRIC_A_COUNTERS_UNAUTHORIZED,
	[OCFABRIC_COUNTER_SHORT_PACKET] = OCFABRIC_A_COUNTERS_SHORT_PACKET,
	[OCFABRIC_COUNTER_OVERSIZE] = OCFABRIC_A_COUNTERS_OVERSIZE,
	[OCFABRIC_COUNTER_AXI_ERROR] = OCFABRIC_A_COUNTERS_AXI_ERROR,
	[OCFABRIC_COUNTER_QP_STATE] = OCFABRIC_A_COUNTERS_QP_STATE,
	[OCFABRIC_COUNTER_RNR] = OCFABRIC_A_COUNTERS_RNR,
	[OCFABRIC_COUNTER_DMA_ERROR] = OCFABRIC_A_COUNTERS_DMA_ERROR,
};

/* Every way but one; the order is that of the checks. */
const enum ocfabric_counter counter_rejects[NR_REJECTS] = {
	OCFABRIC_COUNTER_UNMAPPED, OCFABRIC_COUNTER_QP_STATE,
	OCFABRIC_COUNTER_BAD_CONFIG, OCFABRIC_COUNTER_ZERO_LENGTH,
	OCFABRIC_COUNTER_MISALIGNED, OCFABRIC_COUNTER_OUT_OF_BOUNDS,
	OCFABRIC_COUNTER_UNAUTHORIZED, OCFABRIC_COUNTER_RNR,
	OCFABRIC_COUNTER_AXI_ERROR, OCFABRIC_COUNTER_DMA_ERROR,
};

uint64_t counters_rejected(const struct counters *counters)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < NR_REJECTS; i++)
		sum += counters->value[counter_rejects[i]];
	return sum;
}

bool counters_add_up(const struct counters *counters)
{
	return counters->value[OCFABRIC_COUNTER_WRITES] -
	       counters->value[OCFABRIC_COUNTER_COMMITTED] -
	       counters_rejected(counters) <= 1;
}

struct reader {
	counters_each *each;
	void *arg;
};

static int take(const struct fab_attrs *attrs, void *arg)
{
	struct reader *reader = arg;
	struct counters c;
	unsigned int i;

	c.link = (unsigned int)fab_number(attrs, OCFABRIC_A_COUNTERS_LINK);
	c.clock = fab_number(attrs, OCFABRIC_A_COUNTERS_CLOCK);
	for (i = 0; i < OCFABRIC_COUNTERS; i++)
		c.value[i] = fab_number(attrs, attr_of[i]);
	return reader->each(&c, reader->arg);
}

int counters_read(struct ctl *ctl, const struct card *card, counters_each *each,
		  void *arg)
{
	struct reader reader = { .each = each, .arg = arg };

	return fab_dump(ctl, OCFABRIC_CMD_COUNTERS_GET, card->id, take, &reader);
}
