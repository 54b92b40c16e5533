// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of a link: their names, and the sum that must hold. */
#include "model.h"

const char *const ocf_counter_names[OCF_NR_COUNTERS] = {
	[OCF_WRITES] = "writes",
	[OCF_COMMITTED] = "committed",
	[OCF_BYTES] = "bytes",
	[OCF_LINES] = "lines",
	[OCF_UNMAPPED] = "unmapped",
	[OCF_MISROUTED] = "misrouted",
	[OCF_BAD_CONFIG] = "bad_config",
	[OCF_ZERO_LENGTH] = "zero_length",
	[OCF_MISALIGNED] = "misaligned",
	[OCF_OUT_OF_BOUNDS] = "out_of_bounds",
	[OCF_UNAUTHORIZED] = "unauthorized",
	[OCF_SHORT_PACKET] = "short_packet",
	[OCF_OVERSIZE] = "oversize",
	[OCF_AXI_ERROR] = "axi_error",
	[OCF_QP_STATE] = "qp_state",
	[OCF_RNR] = "rnr",
	[OCF_DMA_ERROR] = "dma_error",
};

/* Each write ends in exactly one of these. */
static const uint8_t ends[] = {
	OCF_COMMITTED, OCF_UNMAPPED, OCF_QP_STATE, OCF_BAD_CONFIG,
	OCF_ZERO_LENGTH, OCF_MISALIGNED, OCF_OUT_OF_BOUNDS, OCF_UNAUTHORIZED,
	OCF_RNR, OCF_AXI_ERROR, OCF_DMA_ERROR,
};

bool ocf_counters_add_up(const struct ocf_counters *counters)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < sizeof(ends); i++)
		sum += counters->c[ends[i]];
	return sum == counters->c[OCF_WRITES];
}
