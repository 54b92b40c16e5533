// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <string.h>

#include "qps.h"
#include "words.h"

void qp_of(const struct fab_attrs *attrs, struct qp *qp)
{
	*qp = (struct qp){
		.link = (unsigned int)fab_number(attrs, OCFABRIC_A_QP_LINK),
		.qpn = (unsigned int)fab_number(attrs, OCFABRIC_A_QP_QPN),
		.state = (unsigned int)fab_number(attrs, OCFABRIC_A_QP_STATE),
		.cause = (unsigned int)fab_number(attrs, OCFABRIC_A_QP_CAUSE),
		.peer = (unsigned int)fab_number(attrs, OCFABRIC_A_QP_PEER),
		.outstanding = (unsigned int)fab_number(attrs, OCFABRIC_A_QP_OUTSTANDING),
		.draining = fab_number(attrs, OCFABRIC_A_QP_DRAINING),
	};
}

static int take_qp(const struct fab_attrs *attrs, void *arg)
{
	struct qps *qps = arg;
	struct qp qp;

	qp_of(attrs, &qp);
	if (qp.link >= OCFABRIC_REPLICAS_MAX || qp.qpn >= OCFABRIC_QPNS)
		return 0;
	qps->state[qp.link][qp.qpn] = (uint8_t)qp.state;
	qps->cause[qp.link][qp.qpn] = (uint8_t)qp.cause;
	return 0;
}

int qps_read(struct ctl *ctl, const struct card *card, struct qps *qps)
{
	memset(qps->state, OCFABRIC_QP_RTS, sizeof(qps->state));
	memset(qps->cause, OCFABRIC_QP_CAUSE_NONE, sizeof(qps->cause));
	return fab_dump(ctl, OCFABRIC_CMD_QP_GET, card->id, take_qp, qps);
}

static int recover(struct ctl *ctl, const struct card *card, unsigned int link,
		   unsigned int qpn)
{
	const struct fab_value values[] = {
		{ OCFABRIC_A_CONTROL_RESET_TARGET, OCFABRIC_RESET_TARGET_QP },
		{ OCFABRIC_A_CONTROL_LINK, link },
		{ OCFABRIC_A_CONTROL_QPN, qpn },
	};

	return fab_control(ctl, OCFABRIC_CMD_RESET, card->id, values,
			   ARRAY_SIZE(values));
}

int qps_recover(struct ctl *ctl, const struct card *card)
{
	struct qps qps;
	unsigned int link, qpn;
	int error = qps_read(ctl, card, &qps);

	for (link = 0; link < OCFABRIC_REPLICAS_MAX; link++)
		for (qpn = 0; qpn < OCFABRIC_QPNS && !error; qpn++)
			if (qps.state[link][qpn] != OCFABRIC_QP_RTS)
				error = recover(ctl, card, link, qpn);
	return error;
}

bool qp_may_send(const struct qp *qp)
{
	return qp->state == OCFABRIC_QP_RTS;
}

void qp_advice(const struct qp *qp, char *buf, size_t size)
{
	const char *why = qp->cause ? qp_cause_text(qp->cause) : NULL;

	buf[0] = 0;
	if (qp_may_send(qp))
		return;
	snprintf(buf, size, "%s%s%s%s%s: fabricctl ", qp_state_name(qp->state),
		 qp->draining ? ", draining" : "", why ? " (" : "",
		 why ? why : "", why ? ")" : "");
	if (qp->state == OCFABRIC_QP_SQD)
		snprintf(buf + strlen(buf), size - strlen(buf),
			 "set qp link %u qpn %u state RTS resumes it", qp->link,
			 qp->qpn);
	else
		snprintf(buf + strlen(buf), size - strlen(buf),
			 "reset qp link %u qpn %u brings it to RTS", qp->link,
			 qp->qpn);
}
