// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * set qp: a move of a queue pair
 */
#include <qp.h>

#include "qps.h"
#include "show.h"

/* In the order of the attributes' numbers in the interface. */
static const struct {
	enum param_id id;
	int attr;
} known[OCFABRIC_QP_ATTRS] = {
	{ P_STATE, OCFABRIC_A_QP_STATE },
	{ P_SEND_PSN, OCFABRIC_A_QP_SEND_PSN },
	{ P_EXPECTED_PSN, OCFABRIC_A_QP_EXPECTED_PSN },
	{ P_WINDOW, OCFABRIC_A_QP_WINDOW },
	{ P_MTU, OCFABRIC_A_QP_MTU },
	{ P_RETRY, OCFABRIC_A_QP_RETRY_LIMIT },
	{ P_RNR_RETRY, OCFABRIC_A_QP_RNR_LIMIT },
	{ P_TIMEOUT, OCFABRIC_A_QP_TIMEOUT },
	{ P_RNR_TIMER, OCFABRIC_A_QP_RNR_TIMER },
};

int prepare_set_qp(struct ctl *ctl)
{
	uint64_t mtu = ctl->args.value[P_MTU];
	unsigned int i;

	if (ctl->args.given[P_MTU] && mtu & (mtu - 1))
		return fail(ST_USAGE, "mtu '%u': expected 256, 512, 1024, 2048 or 4096",
			    (unsigned int)mtu);
	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (ctl->args.given[known[i].id])
			return 0;
	return fail(ST_USAGE, "nothing to set: state or an attribute is missing");
}

/* The queue pair as it is. */
struct context {
	unsigned int link;
	unsigned int qpn;
	bool found;
	struct ocf_qp qp;		/* as much as moves are judged by */
	uint32_t value[OCFABRIC_QP_ATTRS];
};

static int take_context(const struct fab_attrs *attrs, void *arg)
{
	struct context *c = arg;
	unsigned int i;

	if (fab_number(attrs, OCFABRIC_A_QP_LINK) != c->link ||
	    fab_number(attrs, OCFABRIC_A_QP_QPN) != c->qpn)
		return 0;
	c->found = true;
	for (i = 0; i < ARRAY_SIZE(known); i++)
		c->value[i] = (uint32_t)fab_number(attrs, known[i].attr);
	c->qp.peer = (uint8_t)fab_number(attrs, OCFABRIC_A_QP_PEER);
	c->qp.state = (uint8_t)c->value[0];
	c->qp.send_psn = c->value[1];
	c->qp.expected_psn = c->value[2];
	return 0;
}

/* What the card's own table of moves misses is added from the context. */
static void complete(const struct context *c, struct ocf_qp_attrs *attrs)
{
	struct ocf_qp_answer answer;

	if (c->qp.state > OCFABRIC_QP_ERR)
		return;
	for (;;) {
		answer = ocf_qp_check(&c->qp, attrs);
		if (answer.result != OCFABRIC_RESULT_MISSING)
			return;
		attrs->value[answer.at] = c->value[answer.at];
		attrs->valid |= 1u << answer.at;
	}
}

int run_set_qp(struct ctl *ctl)
{
	const struct args *args = &ctl->args;
	const struct card *card = &ctl->cards[0];
	struct fab_value values[2 + OCFABRIC_QP_ATTRS] = {
		{ OCFABRIC_A_QP_LINK, (uint32_t)args->value[P_LINK] },
		{ OCFABRIC_A_QP_QPN, (uint32_t)args->value[P_QPN] },
	};
	struct context context = {
		.link = values[0].value, .qpn = values[1].value,
	};
	struct ocf_qp_attrs attrs = { 0 };
	unsigned int i, nr = 2;
	int error = check_ids(card, args);

	if (!error)
		error = fab_dump(ctl, OCFABRIC_CMD_QP_GET, card->id,
				 take_context, &context);
	if (error)
		return error;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (!args->given[known[i].id])
			continue;
		attrs.valid |= 1u << i;
		attrs.value[i] = (uint32_t)args->value[known[i].id];
	}
	if (context.found)
		complete(&context, &attrs);
	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (attrs.valid & 1u << i)
			values[nr++] = (struct fab_value){ known[i].attr,
							   attrs.value[i] };
	return fab_control(ctl, OCFABRIC_CMD_QP_SET, card->id, values, nr);
}
