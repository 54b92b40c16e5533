/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The queue pairs of a card's connections
 */
#ifndef FABRICCTL_QPS_H
#define FABRICCTL_QPS_H

#include "nl.h"

struct qp {
	unsigned int link;
	unsigned int qpn;
	unsigned int state;	/* enum ocfabric_qp_state */
	unsigned int cause;	/* enum ocfabric_qp_cause */
	unsigned int peer;
	unsigned int outstanding;
	bool draining;
};

/* Their states and causes; where there is no connection, RTS. */
struct qps {
	uint8_t state[OCFABRIC_REPLICAS_MAX][OCFABRIC_QPNS];
	uint8_t cause[OCFABRIC_REPLICAS_MAX][OCFABRIC_QPNS];
};

/* Of one instant; prints and returns an exit status. */
int qps_read(struct ctl *ctl, const struct card *card, struct qps *qps);

/* Brings all that may not send to RTS, as new; an exit status. */
int qps_recover(struct ctl *ctl, const struct card *card);

void qp_of(const struct fab_attrs *attrs, struct qp *qp);

/* Whether its writes pass the check. */
bool qp_may_send(const struct qp *qp);

/*
 * Which state it is in and since it may not send, what to do; empty when it
 * may.
 */
void qp_advice(const struct qp *qp, char *buf, size_t size);

#endif
