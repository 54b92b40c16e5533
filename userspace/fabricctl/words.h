/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The words for numbers of the interface that libocfabric has none for. What a
 * newer card or kernel says is "unknown", never a crash.
 */
#ifndef FABRICCTL_WORDS_H
#define FABRICCTL_WORDS_H

const char *stage_name(unsigned int stage);	/* enum ocfabric_path */
const char *waits_name(unsigned int waits_for);	/* enum ocfabric_waits_for */
/* What a write that waits for it waits for, as the end of a sentence. */
const char *waits_text(unsigned int waits_for);
const char *qp_state_name(unsigned int state);	/* enum ocfabric_qp_state */
const char *qp_cause_name(unsigned int cause);	/* enum ocfabric_qp_cause */
const char *qp_cause_text(unsigned int cause);
const char *opcode_name(unsigned int opcode);	/* enum ocfabric_opcode */

#endif
