// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * show qps
 */
#include "qps.h"
#include "show.h"
#include "words.h"

static const struct field fields[] = {
	{ OCFABRIC_A_QP_LINK, "link", FIELD_NUMBER, true },
	{ OCFABRIC_A_QP_QPN, "qpn", FIELD_NUMBER, true },
	{ OCFABRIC_A_QP_PEER, "peer", FIELD_NUMBER, true },
	{ OCFABRIC_A_QP_DRAINING, "draining", FIELD_BOOL, true },
	{ OCFABRIC_A_QP_SEND_PSN, "send_psn", FIELD_NUMBER, true },
	{ OCFABRIC_A_QP_EXPECTED_PSN, "expected_psn", FIELD_NUMBER, true },
	{ OCFABRIC_A_QP_OUTSTANDING, "outstanding", FIELD_NUMBER, true },
	{ OCFABRIC_A_QP_WINDOW, "window", FIELD_NUMBER, true },
	{ OCFABRIC_A_QP_MTU, "mtu", FIELD_NUMBER, true },
	{ OCFABRIC_A_QP_RETRIES, "retries", FIELD_NUMBER, true },
	{ OCFABRIC_A_QP_RETRY_LIMIT, "retry_limit", FIELD_NUMBER, true },
	{ OCFABRIC_A_QP_RNR_RETRIES, "rnr_retries", FIELD_NUMBER, true },
	{ OCFABRIC_A_QP_RNR_LIMIT, "rnr_limit", FIELD_NUMBER, true },
	{ OCFABRIC_A_QP_TIMEOUT, "timeout", FIELD_NUMBER, true },
	{ OCFABRIC_A_QP_RNR_TIMER, "rnr_timer", FIELD_NUMBER, true },
	{ OCFABRIC_A_QP_MOVES, "moves", FIELD_NUMBER, true },
};

static const struct column columns[] = {
	{ "device", COL_PLAIN, true },
	{ "link", COL_PLAIN, false },
	{ "qpn", COL_PLAIN, false },
	{ "peer", COL_PLAIN, false },
	{ "state", COL_PLAIN, true },
	{ "draining", COL_YES, true },
	{ "send_psn", COL_PLAIN, false },
	{ "expected_psn", COL_PLAIN, false },
	{ "outstanding", COL_PLAIN, false },
	{ "window", COL_PLAIN, false },
	{ "mtu", COL_PLAIN, false },
	{ "retries", COL_PLAIN, false },
	{ "retry_limit", COL_PLAIN, false },
	{ "rnr_retries", COL_PLAIN, false },
	{ "rnr_limit", COL_PLAIN, false },
	{ "timeout", COL_PLAIN, false },
	{ "rnr_timer", COL_PLAIN, false },
	{ "moves", COL_PLAIN, false },
	{ "cause", COL_PLAIN, true },
	{ "advice", COL_PLAIN, true },
};

static int add_qp(const struct fab_attrs *attrs, void *arg)
{
	struct rows *rows = arg;
	const struct args *args = &rows->ctl->args;
	struct json_object *row;
	char advice[256];
	struct qp qp;

	qp_of(attrs, &qp);
	if (!wanted(args, P_LINK, qp.link) || !wanted(args, P_QPN, qp.qpn) ||
	    !wanted(args, P_DST, fab_number(attrs, OCFABRIC_A_QP_PEER)))
		return 0;
	row = new_row(rows);
	put_fields(row, attrs, fields, ARRAY_SIZE(fields));
	put_string(row, "state", qp_state_name(qp.state));
	put_string(row, "cause", qp_cause_name(qp.cause));
	qp_advice(&qp, advice, sizeof(advice));
	if (advice[0])
		put_string(row, "advice", advice);
	else
		put_null(row, "advice");
	return 0;
}

int run_show_qps(struct ctl *ctl)
{
	return show_dump(ctl, "qps", OCFABRIC_CMD_QP_GET, add_qp, columns,
			 ARRAY_SIZE(columns));
}
