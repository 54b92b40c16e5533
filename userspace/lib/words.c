// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names and sentences for what the card says
 */
#include <stdio.h>

#include "internal.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *name;
	const char *text;
} verdicts[] = {
	[OCFABRIC_VERDICT_COMMITTED] = {
		"committed", "every line was stored and acknowledged" },
	[OCFABRIC_VERDICT_SHORT_PACKET] = {
		"short_packet", "committed, but fewer data beats came than the length needs" },
	[OCFABRIC_VERDICT_UNMAPPED] = {
		"unmapped", "the link has no connection with this QPN" },
	[OCFABRIC_VERDICT_QP_STATE] = {
		"qp_state", "the connection's queue pair may not send" },
	[OCFABRIC_VERDICT_BAD_CONFIG] = {
		"bad_config", "the link or the destination is not part of a valid configuration" },
	[OCFABRIC_VERDICT_ZERO_LENGTH] = {
		"zero_length", "the length is 0" },
	[OCFABRIC_VERDICT_MISALIGNED] = {
		"misaligned", "the remote address is not a multiple of 4" },
	[OCFABRIC_VERDICT_OUT_OF_BOUNDS] = {
		"out_of_bounds", "the bytes do not all lie in the destination's region" },
	[OCFABRIC_VERDICT_UNAUTHORIZED] = {
		"unauthorized", "no single window of this source holds all the bytes, or the semaphore" },
	[OCFABRIC_VERDICT_RNR] = {
		"rnr", "the destination has no receive descriptor armed" },
	[OCFABRIC_VERDICT_AXI_ERROR] = {
		"axi_error", "the HBM answered a line with an error" },
	[OCFABRIC_VERDICT_DMA_ERROR] = {
		"dma_error", "the source could not be read, or the link was reset" },
	[OCFABRIC_VERDICT_LOCAL_PROTECTION] = {
		"local_protection", "the memory key is not valid for these source bytes" },
	[OCFABRIC_VERDICT_FLUSHED] = {
		"flushed", "the queue was stopped before this descriptor ran" },
};

static const char *const states[] = {
	[OCFABRIC_QUEUE_DISABLED] = "disabled",
	[OCFABRIC_QUEUE_ENABLED] = "enabled",
	[OCFABRIC_QUEUE_STOPPED] = "stopped",
	[OCFABRIC_QUEUE_QUIESCING] = "quiescing",
};

/* The two numbers are in the order of the sentence: wrote, expected. */
static const struct {
	const char *name;
	const char *text;
} causes[] = {
	[OCFABRIC_CAUSE_NONE] = { "none", "it has not stopped by itself" },
	[OCFABRIC_CAUSE_STALE_TAG] = {
		"stale_tag", "%u descriptors were written, the doorbell promised %u" },
	[OCFABRIC_CAUSE_OVER_INCREMENT] = {
		"over_increment", "the ring had room for %u descriptors, the doorbell added %u" },
	[OCFABRIC_CAUSE_BAD_DESCRIPTOR] = {
		"bad_descriptor", "descriptor %u has a bad field at byte %u" },
	[OCFABRIC_CAUSE_CQ_FULL] = {
		"cq_full", "the completion ring is full: taken up to %u, written up to %u" },
	[OCFABRIC_CAUSE_OWNER_INDEX] = {
		"owner_index", "the owner line's consumer index %u is not within a ring of %u" },
	[OCFABRIC_CAUSE_DMA] = {
		"dma", "the rings' memory cannot be reached, at descriptor %u" },
	[OCFABRIC_CAUSE_RX_STALE_TAG] = {
		"rx_stale_tag", "%u receive descriptors were written, the doorbell promised %u" },
	[OCFABRIC_CAUSE_RX_OVER_INCREMENT] = {
		"rx_over_increment", "the receive ring had room for %u descriptors, the doorbell added %u" },
	[OCFABRIC_CAUSE_RX_BAD_DESCRIPTOR] = {
		"rx_bad_descriptor", "receive descriptor %u has a bad field at byte %u" },
};

OCF_API const char *ocf_verdict_name(unsigned int verdict)
{
	return verdict < COUNT(verdicts) ? verdicts[verdict].name : "unknown";
}

OCF_API const char *ocf_verdict_text(unsigned int verdict)
{
	return verdict < COUNT(verdicts) ? verdicts[verdict].text :
	       "a verdict that this library does not know";
}

OCF_API const char *ocf_state_name(unsigned int state)
{
	return state < COUNT(states) ? states[state] : "unknown";
}

OCF_API const char *ocf_cause_name(unsigned int cause)
{
	return cause < COUNT(causes) ? causes[cause].name : "unknown";
}

OCF_API char *ocf_cause_text(unsigned int cause, uint32_t wrote,
			     uint32_t expected, char *buf, size_t size)
{
	const char *text = "a cause that this library does not know (%u, %u)";

	if (cause < COUNT(causes))
		text = causes[cause].text;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(buf, size, text, wrote, expected);
#pragma GCC diagnostic pop
	return buf;
}
