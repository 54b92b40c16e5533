/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queue pairs: the context of every connection, (link, QPN), and what moves it.
 *
 *	load	the connection was programmed: ready to send in one step
 *	modify	to another state, or other attributes in the same one, by the
 *		table of moves in qp.c; all that is asked for, or nothing
 *	fail	by the card, when a sequence number is not the expected one
 *
 * What the rules look at is the link's qp_stopped, a bit a connection, made here
 * from the state. Sequence numbers are taken and passed in flight.h. What a move
 * means for what is in flight or was rung is the queue's business (queue.h).
 *
 * Locking: as of the link. Contexts are plain, see ocf_qps_valid().
 */
#ifndef OCF_QP_H
#define OCF_QP_H

#include "linux/ocfabric_hw.h"

#include "model.h"

/* Attributes to be changed, by their numbers; those not in `valid` do not count. */
struct ocf_qp_attrs {
	uint32_t valid;		/* OCFABRIC_QP_ATTR_* */
	uint32_t value[OCFABRIC_QP_ATTRS];
};

struct ocf_qp_answer {
	enum ocfabric_hw_result result;
	uint8_t at;		/* number of the attribute at fault */
};

/* All in reset state, without peers. */
void ocf_qps_reset(struct ocf_card *card);

/* Loads what leads to another peer than it did. */
void ocf_qps_follow(struct ocf_card *card);

/* The connection's entry was written: loads it, whatever was there. */
void ocf_qp_load(struct ocf_card *card, unsigned int link, uint32_t qpn);

/* What a modification would be told. */
struct ocf_qp_answer ocf_qp_check(const struct ocf_qp *qp,
				  const struct ocf_qp_attrs *attrs);

/* Does it; ocf_qp_check() had nothing against it. */
void ocf_qp_apply(struct ocf_card *card, unsigned int link, uint32_t qpn,
		  const struct ocf_qp_attrs *attrs);

/* Writes of it in flight: 0 or 1. */
unsigned int ocf_qp_outstanding(const struct ocf_link *l, uint32_t qpn);

/* It is in SQD, and its last write has not ended. */
bool ocf_qp_draining(const struct ocf_link *l, uint32_t qpn);

/* As software sees it. */
struct ocfabric_hw_qp ocf_qp_export(const struct ocf_link *l, uint32_t qpn);

/*
 * Whether contexts that were loaded from outside, with the write in flight, can be
 * gone on with; makes qp_stopped.
 */
bool ocf_qps_valid(struct ocf_card *card, unsigned int link);

#endif
