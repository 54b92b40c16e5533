// SPDX-License-Identifier: LGPL-2.1-or-later
#include <linux/ocfabric_hw.h>

#include "ctl.h"
#include "words.h"

static const char *word(const char *const *words, unsigned int nr,
			unsigned int value)
{
	return value < nr && words[value] ? words[value] : "unknown";
}

const char *stage_name(unsigned int stage)
{
	static const char *const words[] = {
		[OCFABRIC_PATH_TAKEN] = "taken",
		[OCFABRIC_PATH_MAPPED] = "mapped",
		[OCFABRIC_PATH_AUTHORIZED] = "authorized",
		[OCFABRIC_PATH_REALIGNED] = "realigned",
		[OCFABRIC_PATH_ISSUED] = "issued",
		[OCFABRIC_PATH_ACKNOWLEDGED] = "acknowledged",
		[OCFABRIC_PATH_COMPLETED] = "completed",
	};

	return word(words, ARRAY_SIZE(words), stage);
}

const char *waits_name(unsigned int waits_for)
{
	static const char *const words[] = {
		[OCFABRIC_WAITS_FOR_NOTHING] = "nothing",
		[OCFABRIC_WAITS_FOR_LATENCY] = "latency",
		[OCFABRIC_WAITS_FOR_SOURCE] = "source",
		[OCFABRIC_WAITS_FOR_RESPONSE] = "response",
	};

	return word(words, ARRAY_SIZE(words), waits_for);
}

const char *waits_text(unsigned int waits_for)
{
	static const char *const words[] = {
		[OCFABRIC_WAITS_FOR_NOTHING] = "nothing",
		[OCFABRIC_WAITS_FOR_LATENCY] = "the latency to pass",
		[OCFABRIC_WAITS_FOR_SOURCE] = "bytes of its source",
		[OCFABRIC_WAITS_FOR_RESPONSE] = "responses of the HBM",
	};

	return word(words, ARRAY_SIZE(words), waits_for);
}

const char *qp_state_name(unsigned int state)
{
	static const char *const words[] = {
		[OCFABRIC_QP_RESET] = "RESET",
		[OCFABRIC_QP_INIT] = "INIT",
		[OCFABRIC_QP_RTR] = "RTR",
		[OCFABRIC_QP_RTS] = "RTS",
		[OCFABRIC_QP_SQD] = "SQD",
		[OCFABRIC_QP_SQE] = "SQE",
		[OCFABRIC_QP_ERR] = "ERR",
	};

	return word(words, ARRAY_SIZE(words), state);
}

const char *qp_cause_name(unsigned int cause)
{
	static const char *const words[] = {
		[OCFABRIC_QP_CAUSE_NONE] = "none",
		[OCFABRIC_QP_CAUSE_PSN] = "psn",
		[OCFABRIC_QP_CAUSE_RETRY] = "retry",
		[OCFABRIC_QP_CAUSE_RNR] = "rnr",
		[OCFABRIC_QP_CAUSE_NAK] = "nak",
	};

	return word(words, ARRAY_SIZE(words), cause);
}

const char *qp_cause_text(unsigned int cause)
{
	static const char *const words[] = {
		[OCFABRIC_QP_CAUSE_NONE] = "by hand",
		[OCFABRIC_QP_CAUSE_PSN] = "the packet sequence number was not the one expected",
		[OCFABRIC_QP_CAUSE_RETRY] = "retries were used up",
		[OCFABRIC_QP_CAUSE_RNR] = "retries after RNR were used up",
		[OCFABRIC_QP_CAUSE_NAK] = "the peer refused for good",
	};

	return word(words, ARRAY_SIZE(words), cause);
}

const char *opcode_name(unsigned int opcode)
{
	static const char *const words[] = {
		[OCFABRIC_OP_NOP] = "nop",
		[OCFABRIC_OP_WRITE] = "write",
		[OCFABRIC_OP_WRITE_IMM] = "write_imm",
		[OCFABRIC_OP_SEM_LOCAL] = "sem_local",
		[OCFABRIC_OP_SEM_REMOTE] = "sem_remote",
		[OCFABRIC_OP_WAIT] = "wait",
	};

	return word(words, ARRAY_SIZE(words), opcode);
}
