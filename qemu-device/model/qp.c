// SPDX-License-Identifier: GPL-2.0-or-later
#include "qp.h"

#include "flight.h"
#include "host.h"

#define A(attr)		OCFABRIC_QP_ATTR_##attr
#define NR_STATES	(OCFABRIC_QP_ERR + 1)

#define MTU_SHIFT_MIN	8
#define MTU_SHIFT_MAX	12

_Static_assert(1 << MTU_SHIFT_MIN == OCFABRIC_QP_MTU_MIN &&
	       1 << MTU_SHIFT_MAX == OCFABRIC_QP_MTU_MAX, "MTU");

struct move {
	bool legal;
	uint16_t required;
	uint16_t allowed;	/* besides */
};

#define MOVE(needs, may)	{ true, (needs), (may) }

#define TO_RTR		(A(EXPECTED_PSN) | A(MTU) | A(RNR_TIMER))
#define TO_RTS		(A(SEND_PSN) | A(RETRY_LIMIT) | A(RNR_LIMIT) | A(TIMEOUT))
#define WHILE_RTS	(A(EXPECTED_PSN) | A(WINDOW) | A(RNR_TIMER))
#define WHILE_SQD	(A(WINDOW) | A(RETRY_LIMIT) | A(RNR_LIMIT) | \
			 A(TIMEOUT) | A(RNR_TIMER))
#define FROM_SQD	(A(WINDOW) | A(RNR_TIMER))
#define FROM_SQE	(A(SEND_PSN) | A(EXPECTED_PSN) | A(RNR_TIMER))

/*
 * The moves that software may make, from a state to a state, and the attributes
 * that each needs and may have, after InfiniBand's table. To SQE only the card
 * moves. EXPECTED_PSN of one that is ready to send is no InfiniBand: it stands for a
 * receiving end that has lost its place, which nothing on the card does by itself.
 */
static const struct move moves[NR_STATES][NR_STATES] = {
	[OCFABRIC_QP_RESET] = {
		[OCFABRIC_QP_RESET] = MOVE(0, 0),
		[OCFABRIC_QP_INIT] = MOVE(0, 0),
		[OCFABRIC_QP_ERR] = MOVE(0, 0),
	},
	[OCFABRIC_QP_INIT] = {
		[OCFABRIC_QP_RESET] = MOVE(0, 0),
		[OCFABRIC_QP_INIT] = MOVE(0, 0),
		[OCFABRIC_QP_RTR] = MOVE(TO_RTR, 0),
		[OCFABRIC_QP_ERR] = MOVE(0, 0),
	},
	[OCFABRIC_QP_RTR] = {
		[OCFABRIC_QP_RESET] = MOVE(0, 0),
		[OCFABRIC_QP_RTS] = MOVE(TO_RTS, A(WINDOW) | A(RNR_TIMER)),
		[OCFABRIC_QP_ERR] = MOVE(0, 0),
	},
	[OCFABRIC_QP_RTS] = {
		[OCFABRIC_QP_RESET] = MOVE(0, 0),
		[OCFABRIC_QP_RTS] = MOVE(0, WHILE_RTS),
		[OCFABRIC_QP_SQD] = MOVE(0, 0),
		[OCFABRIC_QP_ERR] = MOVE(0, 0),
	},
	[OCFABRIC_QP_SQD] = {
		[OCFABRIC_QP_RESET] = MOVE(0, 0),
		[OCFABRIC_QP_RTS] = MOVE(0, FROM_SQD),
		[OCFABRIC_QP_SQD] = MOVE(0, WHILE_SQD),
		[OCFABRIC_QP_ERR] = MOVE(0, 0),
	},
	[OCFABRIC_QP_SQE] = {
		[OCFABRIC_QP_RESET] = MOVE(0, 0),
		[OCFABRIC_QP_RTS] = MOVE(0, FROM_SQE),
		[OCFABRIC_QP_ERR] = MOVE(0, 0),
	},
	[OCFABRIC_QP_ERR] = {
		[OCFABRIC_QP_RESET] = MOVE(0, 0),
		[OCFABRIC_QP_ERR] = MOVE(0, 0),
	},
};

/* What an attribute may be, by its bit's number. */
static const struct {
	uint32_t min;
	uint32_t max;
} limits[OCFABRIC_QP_ATTRS] = {
	{ OCFABRIC_QP_RESET, OCFABRIC_QP_ERR },
	{ 0, OCF_PSN_MASK },
	{ 0, OCF_PSN_MASK },
	{ 1, OCFABRIC_QP_WINDOW_MAX },
	{ OCFABRIC_QP_MTU_MIN, OCFABRIC_QP_MTU_MAX },
	{ 0, 7 },
	{ 0, 7 },
	{ 0, 31 },
	{ 0, 31 },
};

static unsigned int number(uint32_t bits)
{
	return (unsigned int)__builtin_ctz(bits);
}

static bool in_limits(unsigned int attr, uint32_t value)
{
	return value >= limits[attr].min && value <= limits[attr].max &&
	       (1u << attr != A(MTU) || !(value & (value - 1)));
}

/* Of what is to be changed, what has a value that it cannot have. */
static uint32_t out_of_limits(const struct ocf_qp_attrs *attrs)
{
	uint32_t bits = attrs->valid, bad = 0;

	for (; bits; bits &= bits - 1)
		if (!in_limits(number(bits), attrs->value[number(bits)]))
			bad |= bits & -bits;
	return bad;
}

static uint32_t get(const struct ocf_qp_attrs *attrs, uint32_t bit,
		    uint32_t otherwise)
{
	return attrs->valid & bit ? attrs->value[number(bit)] : otherwise;
}

static struct ocf_qp_answer refuse(enum ocfabric_hw_result result, uint32_t bits)
{
	return (struct ocf_qp_answer){ result, (uint8_t)number(bits) };
}

/*
 * Nobody on the card tells one end where the other is: a connection whose ends are
 * apart would fail with its first write.
 */
static bool apart(const struct ocf_qp *qp, const struct ocf_qp_attrs *attrs,
		  uint32_t to)
{
	return to == OCFABRIC_QP_RTS && qp->state != OCFABRIC_QP_RTS &&
	       get(attrs, A(SEND_PSN), qp->send_psn) !=
	       get(attrs, A(EXPECTED_PSN), qp->expected_psn);
}

struct ocf_qp_answer ocf_qp_check(const struct ocf_qp *qp,
				  const struct ocf_qp_attrs *attrs)
{
	const struct ocf_qp_answer good = { OCFABRIC_RESULT_OK,
					    OCFABRIC_QP_NO_ATTR };
	uint32_t to = get(attrs, A(STATE), qp->state), bad;
	const struct move *m;

	if (qp->peer == OCF_NO_PEER)
		return (struct ocf_qp_answer){ OCFABRIC_RESULT_NO_CONNECTION,
					       OCFABRIC_QP_NO_ATTR };
	if (attrs->valid >> OCFABRIC_QP_ATTRS)
		return (struct ocf_qp_answer){ OCFABRIC_RESULT_INVALID,
					       OCFABRIC_QP_NO_ATTR };
	if (to >= NR_STATES)
		return refuse(OCFABRIC_RESULT_INVALID, A(STATE));
	m = &moves[qp->state][to];
	if (!m->legal)
		return refuse(OCFABRIC_RESULT_MOVE, A(STATE));
	bad = m->required & ~attrs->valid;
	if (bad)
		return refuse(OCFABRIC_RESULT_MISSING, bad);
	bad = attrs->valid & ~(m->required | m->allowed | A(STATE));
	if (bad)
		return refuse(OCFABRIC_RESULT_NOT_ALLOWED, bad);
	bad = out_of_limits(attrs);
	if (bad)
		return refuse(OCFABRIC_RESULT_INVALID, bad);
	if (apart(qp, attrs, to))
		return refuse(OCFABRIC_RESULT_INVALID, A(SEND_PSN));
	return good;
}

/* The only place where a state changes. */
static void move_to(struct ocf_link *l, uint32_t qpn, uint8_t state,
		    uint8_t cause)
{
	uint64_t bit = 1ull << qpn % 64;

	l->qp[qpn].state = state;
	l->qp[qpn].cause = cause;
	l->qp[qpn].moves++;
	if (state == OCFABRIC_QP_RTS)
		l->qp_stopped[qpn / 64] &= ~bit;
	else
		l->qp_stopped[qpn / 64] |= bit;
	if (cause == OCFABRIC_QP_CAUSE_NONE)
		l->qp_failed[qpn / 64] &= ~bit;
	else
		l->qp_failed[qpn / 64] |= bit;
}

static void set_defaults(const struct ocf_card *card, struct ocf_qp *qp)
{
	qp->send_psn = 0;
	qp->expected_psn = 0;
	qp->window = (uint16_t)card->qp_window;
	qp->mtu_shift = MTU_SHIFT_MAX;
	qp->retry_limit = OCFABRIC_QP_LIMIT_DEFAULT;
	qp->rnr_limit = OCFABRIC_QP_LIMIT_DEFAULT;
	qp->timeout = OCFABRIC_QP_TIMEOUT_DEFAULT;
	qp->rnr_timer = OCFABRIC_QP_RNR_TIMER_DEFAULT;
}

void ocf_qp_apply(struct ocf_card *card, unsigned int link, uint32_t qpn,
		  const struct ocf_qp_attrs *attrs)
{
	struct ocf_qp *qp = &card->link[link].qp[qpn];
	uint32_t to = get(attrs, A(STATE), qp->state);

	if (to == OCFABRIC_QP_RESET)
		set_defaults(card, qp);
	qp->send_psn = get(attrs, A(SEND_PSN), qp->send_psn);
	qp->expected_psn = get(attrs, A(EXPECTED_PSN), qp->expected_psn);
	qp->window = (uint16_t)get(attrs, A(WINDOW), qp->window);
	qp->mtu_shift = (uint8_t)number(get(attrs, A(MTU), 1u << qp->mtu_shift));
	qp->retry_limit = (uint8_t)get(attrs, A(RETRY_LIMIT), qp->retry_limit);
	qp->rnr_limit = (uint8_t)get(attrs, A(RNR_LIMIT), qp->rnr_limit);
	qp->timeout = (uint8_t)get(attrs, A(TIMEOUT), qp->timeout);
	qp->rnr_timer = (uint8_t)get(attrs, A(RNR_TIMER), qp->rnr_timer);
	if (to != qp->state)
		move_to(&card->link[link], qpn, (uint8_t)to,
			OCFABRIC_QP_CAUSE_NONE);
}

void ocf_qp_load(struct ocf_card *card, unsigned int link, uint32_t qpn)
{
	struct ocf_link *l = &card->link[link];
	struct ocf_qp *qp = &l->qp[qpn];

	qp->peer = card->config.conn[link][qpn];
	set_defaults(card, qp);
	move_to(l, qpn, qp->peer == OCF_NO_PEER ? OCFABRIC_QP_RESET :
						  OCFABRIC_QP_RTS,
		OCFABRIC_QP_CAUSE_NONE);
}

void ocf_qps_reset(struct ocf_card *card)
{
	unsigned int link;
	uint32_t qpn;

	card->qp_window = OCFABRIC_QP_WINDOW_DEFAULT;
	for (link = 0; link < OCF_REPLICAS; link++) {
		for (qpn = 0; qpn < OCF_QPNS; qpn++) {
			ocf_qp_load(card, link, qpn);
			card->link[link].qp[qpn].moves = 0;
		}
	}
}

void ocf_qps_follow(struct ocf_card *card)
{
	unsigned int link;
	uint32_t qpn;

	for (link = 0; link < OCF_REPLICAS; link++)
		for (qpn = 0; qpn < OCF_QPNS; qpn++)
			if (card->link[link].qp[qpn].peer !=
			    card->config.conn[link][qpn])
				ocf_qp_load(card, link, qpn);
}

void ocf_qp_mismatch(struct ocf_card *card, struct ocf_link *l, uint32_t qpn)
{
	move_to(l, qpn, OCFABRIC_QP_SQE, OCFABRIC_QP_CAUSE_PSN);
	if (card->hooks.qp_failed)
		card->hooks.qp_failed(card->hooks.opaque,
				      (unsigned int)(l - card->link));
}

unsigned int ocf_qp_outstanding(const struct ocf_link *l, uint32_t qpn)
{
	return l->flight.stage != OCF_STAGE_IDLE && l->flight.qpn == qpn;
}

bool ocf_qp_draining(const struct ocf_link *l, uint32_t qpn)
{
	return l->qp[qpn].state == OCFABRIC_QP_SQD && ocf_qp_outstanding(l, qpn);
}

struct ocfabric_hw_qp ocf_qp_export(const struct ocf_link *l, uint32_t qpn)
{
	const struct ocf_qp *qp = &l->qp[qpn];

	return (struct ocfabric_hw_qp){
		.state = qp->state,
		.peer = qp->peer,
		.flags = ocf_qp_draining(l, qpn) ? OCFABRIC_QP_DRAINING : 0,
		.cause = qp->cause,
		.send_psn = ocf_le32(qp->send_psn),
		.expected_psn = ocf_le32(qp->expected_psn),
		.window = ocf_le16(qp->window),
		.outstanding = ocf_le16((uint16_t)ocf_qp_outstanding(l, qpn)),
		.mtu = ocf_le16((uint16_t)(1u << qp->mtu_shift)),
		.retry_limit = qp->retry_limit,
		.rnr_limit = qp->rnr_limit,
		.timeout = qp->timeout,
		.rnr_timer = qp->rnr_timer,
		.moves = ocf_le32(qp->moves),
	};
}

static bool qp_valid(const struct ocf_qp *qp)
{
	return qp->state < NR_STATES && qp->cause <= OCFABRIC_QP_CAUSE_NAK &&
	       (!qp->cause || qp->state == OCFABRIC_QP_SQE ||
		qp->state == OCFABRIC_QP_ERR) &&
	       (qp->peer != OCF_NO_PEER || qp->state == OCFABRIC_QP_RESET) &&
	       ocf_psn_valid(qp->send_psn) && ocf_psn_valid(qp->expected_psn) &&
	       qp->window && qp->window <= OCFABRIC_QP_WINDOW_MAX &&
	       qp->mtu_shift >= MTU_SHIFT_MIN && qp->mtu_shift <= MTU_SHIFT_MAX &&
	       qp->retry_limit <= 7 && qp->rnr_limit <= 7 &&
	       qp->timeout <= 31 && qp->rnr_timer <= 31;
}

/* The write in flight is one that this connection may have. */
static bool flight_fits(const struct ocf_link *l)
{
	const struct ocf_flight *f = &l->flight;
	const struct ocf_qp *qp;

	if (f->stage == OCF_STAGE_IDLE)
		return true;
	if (f->qpn >= OCF_QPNS)
		return false;
	qp = &l->qp[f->qpn];
	return (qp->state == OCFABRIC_QP_RTS || qp->state == OCFABRIC_QP_SQD) &&
	       qp->peer == f->peer;
}

bool ocf_qps_valid(struct ocf_card *card, unsigned int link)
{
	struct ocf_link *l = &card->link[link];
	uint32_t qpn;

	for (qpn = 0; qpn < OCF_QPNS; qpn++) {
		const struct ocf_qp *qp = &l->qp[qpn];
		uint64_t bit = 1ull << qpn % 64;

		if (!qp_valid(qp) || qp->peer != card->config.conn[link][qpn] ||
		    (l->qp_failed[qpn / 64] & bit && !qp->cause))
			return false;
		l->qp_stopped[qpn / 64] &= ~bit;
		if (qp->state != OCFABRIC_QP_RTS)
			l->qp_stopped[qpn / 64] |= bit;
	}
	return flight_fits(l);
}
