// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs: every move from every state, its attributes, sequence numbers, what is
 * in flight or rung when one is moved, and contexts that are loaded from outside.
 */
#include "machine.h"
#include "qp.h"
#include "tap.h"

#define STATES		(OCFABRIC_QP_ERR + 1)
#define BIT(attr)	OCFABRIC_QP_ATTR_##attr
#define NO_ATTR		OCFABRIC_QP_NO_ATTR

#define A		0u	/* two connections of link 0 */
#define B		7u

static struct machine *m;

static void start(uint32_t latency)
{
	m = machine_new(true, latency);
	test_card_drain(m->t)->conn[0][B] = 1;
	test_card_resume(m->t);
	machine_enable(m, 0, 5);
	machine_key(m, 0, 1);
}

static struct ocf_link *link0(void)
{
	return &m->t->card.link[0];
}

static struct ocf_qp *qp(uint32_t qpn)
{
	return &link0()->qp[qpn];
}

static uint64_t count(enum ocf_counter c)
{
	return link0()->counters.c[c];
}

/* ---- moves ---- */

/*
 * What InfiniBand's table has for a reliable connection, as far as there are such
 * attributes here: a row a legal move of software. No other move is one.
 */
static const struct row {
	uint8_t from;
	uint8_t to;
	uint32_t needs;
	uint32_t may;
} legal[] = {
	{ OCFABRIC_QP_RESET, OCFABRIC_QP_RESET, 0, 0 },
	{ OCFABRIC_QP_RESET, OCFABRIC_QP_INIT, 0, 0 },
	{ OCFABRIC_QP_RESET, OCFABRIC_QP_ERR, 0, 0 },
	{ OCFABRIC_QP_INIT, OCFABRIC_QP_RESET, 0, 0 },
	{ OCFABRIC_QP_INIT, OCFABRIC_QP_INIT, 0, 0 },
	{ OCFABRIC_QP_INIT, OCFABRIC_QP_RTR,
	  BIT(EXPECTED_PSN) | BIT(MTU) | BIT(RNR_TIMER), 0 },
	{ OCFABRIC_QP_INIT, OCFABRIC_QP_ERR, 0, 0 },
	{ OCFABRIC_QP_RTR, OCFABRIC_QP_RESET, 0, 0 },
	{ OCFABRIC_QP_RTR, OCFABRIC_QP_RTS,
	  BIT(SEND_PSN) | BIT(RETRY_LIMIT) | BIT(RNR_LIMIT) | BIT(TIMEOUT),
	  BIT(WINDOW) | BIT(RNR_TIMER) },
	{ OCFABRIC_QP_RTR, OCFABRIC_QP_ERR, 0, 0 },
	{ OCFABRIC_QP_RTS, OCFABRIC_QP_RESET, 0, 0 },
	{ OCFABRIC_QP_RTS, OCFABRIC_QP_RTS, 0,
	  BIT(EXPECTED_PSN) | BIT(WINDOW) | BIT(RNR_TIMER) },
	{ OCFABRIC_QP_RTS, OCFABRIC_QP_SQD, 0, 0 },
	{ OCFABRIC_QP_RTS, OCFABRIC_QP_ERR, 0, 0 },
	{ OCFABRIC_QP_SQD, OCFABRIC_QP_RESET, 0, 0 },
	{ OCFABRIC_QP_SQD, OCFABRIC_QP_RTS, 0, BIT(WINDOW) | BIT(RNR_TIMER) },
	{ OCFABRIC_QP_SQD, OCFABRIC_QP_SQD, 0,
	  BIT(WINDOW) | BIT(RETRY_LIMIT) | BIT(RNR_LIMIT) | BIT(TIMEOUT) |
	  BIT(RNR_TIMER) },
	{ OCFABRIC_QP_SQD, OCFABRIC_QP_ERR, 0, 0 },
	{ OCFABRIC_QP_SQE, OCFABRIC_QP_RESET, 0, 0 },
	{ OCFABRIC_QP_SQE, OCFABRIC_QP_RTS, 0,
	  BIT(SEND_PSN) | BIT(EXPECTED_PSN) | BIT(RNR_TIMER) },
	{ OCFABRIC_QP_SQE, OCFABRIC_QP_ERR, 0, 0 },
	{ OCFABRIC_QP_ERR, OCFABRIC_QP_RESET, 0, 0 },
	{ OCFABRIC_QP_ERR, OCFABRIC_QP_ERR, 0, 0 },
};

#define LEGAL	(sizeof(legal) / sizeof(*legal))

/* Values that no context has by default, and that fit together. */
static const uint32_t other[OCFABRIC_QP_ATTRS] = {
	0, 0, 0, 99, 512, 3, 4, 9, 20,
};

static const struct row *find(unsigned int from, unsigned int to)
{
	size_t i;

	for (i = 0; i < LEGAL; i++)
		if (legal[i].from == from && legal[i].to == to)
			return &legal[i];
	return NULL;
}

static struct ocf_qp_attrs to_state(unsigned int to, uint32_t valid)
{
	struct ocf_qp_attrs a = { .valid = valid | BIT(STATE) };

	memcpy(a.value, other, sizeof(other));
	a.value[0] = to;
	return a;
}

/* As it would be in this state, with nothing special about it. */
static void be(uint32_t qpn, unsigned int state)
{
	ocf_qp_load(&m->t->card, 0, qpn);
	qp(qpn)->state = (uint8_t)state;
}

static uint32_t get(uint32_t qpn, unsigned int attr)
{
	struct ocfabric_hw_qp hw = ocf_qp_export(link0(), qpn);
	const uint32_t value[OCFABRIC_QP_ATTRS] = {
		hw.state, hw.send_psn, hw.expected_psn, hw.window, hw.mtu,
		hw.retry_limit, hw.rnr_limit, hw.timeout, hw.rnr_timer,
	};

	return value[attr];
}

/* Refused with this, and nothing has changed. */
static void refused(const struct ocf_qp_attrs *attrs, uint32_t qpn,
		    enum ocfabric_hw_result result, unsigned int at)
{
	static struct ocf_link before;
	struct ocf_qp_answer answer;
	unsigned int from = qp(qpn)->state;

	before = *link0();
	answer = ocf_queue_modify_qp(&m->queue[0], qpn, attrs);
	CHECK(answer.result == result && answer.at == at,
	      "from %u, to %u, 0x%x: result %d at %u, not %d at %u", from,
	      attrs->value[0], attrs->valid, answer.result, answer.at, result, at);
	CHECK(!memcmp(&before, link0(), sizeof(before)), "from %u, 0x%x", from,
	      attrs->valid);
}

static void done(const struct ocf_qp_attrs *attrs, uint32_t qpn)
{
	struct ocf_qp_answer answer;

	answer = ocf_queue_modify_qp(&m->queue[0], qpn, attrs);
	CHECK(answer.result == OCFABRIC_RESULT_OK && answer.at == NO_ATTR,
	      "0x%x: result %d at %u", attrs->valid, answer.result, answer.at);
}

static void move(uint32_t qpn, unsigned int to)
{
	struct ocf_qp_attrs attrs = to_state(to, 0);

	done(&attrs, qpn);
	CHECK(qp(qpn)->state == to);
}

static void every_move(void)
{
	unsigned int from, to, moves;

	start(0);
	for (from = 0; from < STATES; from++) {
		for (to = 0; to < STATES; to++) {
			const struct row *r = find(from, to);
			struct ocf_qp_attrs attrs = to_state(to, r ? r->needs : 0);

			be(A, from);
			moves = qp(A)->moves;
			if (!r) {
				refused(&attrs, A, OCFABRIC_RESULT_MOVE, 0);
				continue;
			}
			done(&attrs, A);
			CHECK(qp(A)->state == to, "from %u to %u", from, to);
			CHECK(qp(A)->moves == moves + (from != to));
			/* what is no change of state leaves it as be() has it */
			CHECK((link0()->qp_stopped[0] >> A & 1) ==
			      (from != to && to != OCFABRIC_QP_RTS),
			      "from %u to %u", from, to);
		}
	}
	machine_free(m);
}

/* Without STATE it stays where it is, if that is a move. */
static void staying(void)
{
	unsigned int state;

	start(0);
	for (state = 0; state < STATES; state++) {
		struct ocf_qp_attrs attrs = { .value = { 77 } };
		uint32_t moves;

		be(A, state);
		moves = qp(A)->moves;
		if (find(state, state))
			done(&attrs, A);
		else
			refused(&attrs, A, OCFABRIC_RESULT_MOVE, 0);
		CHECK(qp(A)->state == state && qp(A)->moves == moves);
	}
	machine_free(m);
}

static void attribute_of(const struct row *r, unsigned int attr)
{
	uint32_t bit = 1u << attr;
	struct ocf_qp_attrs attrs = to_state(r->to, r->needs ^ bit);
	unsigned int k;

	be(A, r->from);
	if (r->needs & bit) {
		refused(&attrs, A, OCFABRIC_RESULT_MISSING, attr);
		return;
	}
	if (!(r->may & bit)) {
		refused(&attrs, A, OCFABRIC_RESULT_NOT_ALLOWED, attr);
		return;
	}
	done(&attrs, A);
	for (k = 1; k < OCFABRIC_QP_ATTRS; k++)
		if (attrs.valid >> k & 1)
			CHECK(get(A, k) == other[k], "from %u to %u: %u is %u",
			      r->from, r->to, k, get(A, k));
}

static void every_attribute(void)
{
	unsigned int i, attr;

	start(0);
	for (i = 0; i < LEGAL; i++)
		for (attr = 1; attr < OCFABRIC_QP_ATTRS; attr++)
			attribute_of(&legal[i], attr);
	machine_free(m);
}

/* Values, each with a move that has the attribute. */
static const struct {
	unsigned int attr;
	uint32_t value;
	bool good;
} values[] = {
	{ 1, 0xffffff, true }, { 1, 0x1000000, false }, { 1, ~0u, false },
	{ 2, 0xffffff, true }, { 2, 0x1000000, false }, { 2, ~0u, false },
	{ 3, 0, false }, { 3, 1, true }, { 3, 32768, true }, { 3, 32769, false },
	{ 3, 0x10001, false }, { 3, ~0u, false },
	{ 4, 0, false }, { 4, 128, false }, { 4, 255, false }, { 4, 256, true },
	{ 4, 257, false }, { 4, 768, false }, { 4, 1024, true },
	{ 4, 2048, true }, { 4, 4096, true }, { 4, 4095, false },
	{ 4, 8192, false }, { 4, 0x10100, false }, { 4, ~0u, false },
	{ 5, 0, true }, { 5, 7, true }, { 5, 8, false }, { 5, 0x100, false },
	{ 6, 0, true }, { 6, 7, true }, { 6, 8, false }, { 6, 0x100, false },
	{ 7, 0, true }, { 7, 31, true }, { 7, 32, false }, { 7, 0x100, false },
	{ 8, 0, true }, { 8, 31, true }, { 8, 32, false }, { 8, 0x100, false },
};

static void value_in(const struct row *r, unsigned int attr, uint32_t value,
		     bool good)
{
	struct ocf_qp_attrs attrs = to_state(r->to, r->needs | 1u << attr);

	be(A, r->from);
	attrs.value[attr] = value;
	/* what is sent next and what is expected go together */
	if (r->to == OCFABRIC_QP_RTS && attr == 1)
		qp(A)->expected_psn = value & 0xffffff;
	if (r->from == OCFABRIC_QP_SQE && attr == 2)
		qp(A)->send_psn = value & 0xffffff;
	if (!good) {
		refused(&attrs, A, OCFABRIC_RESULT_INVALID, attr);
		return;
	}
	done(&attrs, A);
	CHECK(get(A, attr) == value, "attribute %u is 0x%x, not 0x%x", attr,
	      get(A, attr), value);
}

static void limits(void)
{
	unsigned int i, k;

	start(0);
	for (i = 0; i < LEGAL; i++)
		for (k = 0; k < sizeof(values) / sizeof(*values); k++)
			if ((legal[i].needs | legal[i].may) >> values[k].attr & 1)
				value_in(&legal[i], values[k].attr,
					 values[k].value, values[k].good);
	machine_free(m);
}

static void refusals(void)
{
	struct ocf_qp_attrs attrs = to_state(7, 0);

	start(0);
	refused(&attrs, A, OCFABRIC_RESULT_INVALID, 0);
	attrs.value[0] = ~0u;
	refused(&attrs, A, OCFABRIC_RESULT_INVALID, 0);
	attrs = to_state(OCFABRIC_QP_SQD, 1u << OCFABRIC_QP_ATTRS);
	refused(&attrs, A, OCFABRIC_RESULT_INVALID, NO_ATTR);
	attrs.valid = 0x80000000;
	refused(&attrs, A, OCFABRIC_RESULT_INVALID, NO_ATTR);
	attrs = to_state(OCFABRIC_QP_RESET, 0);
	refused(&attrs, 9, OCFABRIC_RESULT_NO_CONNECTION, NO_ATTR);
	CHECK(ocf_queue_recover_qp(&m->queue[0], 9).result ==
	      OCFABRIC_RESULT_NO_CONNECTION && qp(9)->state == OCFABRIC_QP_RESET);
	/* the ends are apart */
	be(A, OCFABRIC_QP_RTR);
	qp(A)->expected_psn = 5;
	attrs = to_state(OCFABRIC_QP_RTS, find(OCFABRIC_QP_RTR,
					       OCFABRIC_QP_RTS)->needs);
	refused(&attrs, A, OCFABRIC_RESULT_INVALID, 1);
	attrs.value[1] = 5;
	done(&attrs, A);
	machine_free(m);
}

/* ---- loading ---- */

static void check_fresh(uint32_t qpn, uint8_t peer, unsigned int window)
{
	struct ocfabric_hw_qp hw = ocf_qp_export(link0(), qpn), want = {
		.state = peer == OCF_NO_PEER ? OCFABRIC_QP_RESET : OCFABRIC_QP_RTS,
		.peer = peer, .window = (uint16_t)window, .mtu = 4096,
		.retry_limit = 7, .rnr_limit = 7, .timeout = 14, .rnr_timer = 12,
		.moves = hw.moves,
	};

	CHECK(!memcmp(&hw, &want, sizeof(hw)), "%u: state %u peer %u", qpn,
	      hw.state, hw.peer);
}

static void loading(void)
{
	struct ocf_config *cfg;

	start(0);
	check_fresh(A, 1, 128);
	check_fresh(9, OCF_NO_PEER, 128);
	CHECK(qp(A)->moves == 1 && !qp(9)->moves);
	move(A, OCFABRIC_QP_SQD);
	m->t->card.qp_window = 5;
	cfg = test_card_drain(m->t);
	cfg->conn[0][9] = 1;
	cfg->conn[0][B] = OCF_NO_PEER;
	test_card_resume(m->t);
	check_fresh(9, 1, 5);
	check_fresh(B, OCF_NO_PEER, 5);
	CHECK(qp(A)->state == OCFABRIC_QP_SQD, "it leads where it led");
	test_card_drain(m->t);
	ocf_qp_load(&m->t->card, 0, A);
	test_card_resume(m->t);
	check_fresh(A, 1, 5);
	ocf_card_reset(&m->t->card);
	check_fresh(A, OCF_NO_PEER, 128);
	check_fresh(9, OCF_NO_PEER, 128);
	CHECK(!qp(A)->moves);
	machine_free(m);
}

/* RESET forgets; then it is walked up by hand. */
static void walked(void)
{
	struct ocf_qp_attrs attrs;
	struct ocfabric_cqe e;

	start(0);
	qp(A)->send_psn = qp(A)->expected_psn = 0x123;
	move(A, OCFABRIC_QP_RESET);
	CHECK(!get(A, 1) && !get(A, 2) && get(A, 4) == 4096);
	move(A, OCFABRIC_QP_INIT);
	attrs = to_state(OCFABRIC_QP_RTR, BIT(EXPECTED_PSN) | BIT(MTU) |
			 BIT(RNR_TIMER));
	attrs.value[2] = 3185;
	done(&attrs, A);
	machine_do(m, 0, machine_write(0, 8, 0, 1));
	CHECK(machine_take(m, 0, &e) && e.status == OCFABRIC_VERDICT_QP_STATE &&
	      !e.psn);
	attrs = to_state(OCFABRIC_QP_RTS, find(OCFABRIC_QP_RTR,
					       OCFABRIC_QP_RTS)->needs);
	attrs.value[1] = 3185;
	done(&attrs, A);
	machine_do(m, 0, machine_write(0, 8, 0, 1));
	CHECK(machine_take(m, 0, &e) && !e.status && e.psn == 3185);
	CHECK(qp(A)->moves == 5, "%u moves", qp(A)->moves);
	CHECK(ocf_counters_add_up(&link0()->counters) && count(OCF_QP_STATE) == 1);
	machine_free(m);
}

/* ---- sequence numbers ---- */

static uint32_t psn_of(struct ocfabric_desc d, uint8_t status)
{
	struct ocfabric_cqe e = { 0 };

	machine_do(m, 0, d);
	CHECK(machine_take(m, 0, &e) && e.status == status, "status %u", e.status);
	return e.psn;
}

static void packets(void)
{
	static const struct {
		uint32_t mtu, len, beats, packets;
		uint8_t status;
	} w[] = {
		{ 4096, 1, 0, 1, 0 }, { 4096, 4096, 0, 1, 0 },
		{ 4096, 4097, 0, 2, 0 }, { 256, 256, 0, 1, 0 },
		{ 256, 257, 0, 2, 0 }, { 256, 0x8000, 0, 128, 0 },
		{ 1024, 3072, 0, 3, 0 },
		/* what is written counts, not what was announced */
		{ 256, 4096, 5, 2, OCFABRIC_VERDICT_SHORT_PACKET },
		{ 256, 100, 50, 1, 0 },
	};
	uint32_t next = 0xfffffe;
	unsigned int i;

	start(0);
	qp(A)->send_psn = qp(A)->expected_psn = next;
	for (i = 0; i < sizeof(w) / sizeof(*w); i++) {
		struct ocfabric_desc d = machine_write(0, w[i].len, 0, 1);

		qp(A)->mtu_shift = (uint8_t)__builtin_ctz(w[i].mtu);
		d.beats = w[i].beats;
		CHECK(psn_of(d, w[i].status) == next, "write %u", i);
		next = (next + w[i].packets) & 0xffffff;
		CHECK(qp(A)->send_psn == next && qp(A)->expected_psn == next,
		      "write %u: 0x%x and 0x%x, not 0x%x", i, qp(A)->send_psn,
		      qp(A)->expected_psn, next);
	}
	CHECK(psn_of(machine_sem(OCFABRIC_OP_SEM_REMOTE, 1, 1), 0) == next);
	CHECK(qp(A)->send_psn == next + 1);
	/* nothing is taken by what is rejected, or never comes to the link */
	CHECK(!psn_of(machine_write(2, 8, 0, 1), OCFABRIC_VERDICT_MISALIGNED));
	CHECK(!psn_of(machine_write(0, 8, 0, 2),
		      OCFABRIC_VERDICT_LOCAL_PROTECTION));
	CHECK(!psn_of(machine_sem(OCFABRIC_OP_SEM_LOCAL, 1, 1), 0));
	CHECK(qp(A)->send_psn == next + 1 && qp(A)->expected_psn == next + 1);
	CHECK(!qp(B)->send_psn, "each has its own");
	machine_free(m);
}

/* The numbers wrap around, a write straddles the end; thousands of them. */
static void around(void)
{
	uint32_t next = 0xffff00, i;

	start(0);
	qp(A)->mtu_shift = 8;
	qp(A)->send_psn = qp(A)->expected_psn = next;
	for (i = 0; i < 2000; i++) {
		CHECK(psn_of(machine_write(0, 700, 0, 1), 0) == next);
		next = (next + 3) & 0xffffff;
	}
	CHECK(qp(A)->state == OCFABRIC_QP_RTS && qp(A)->expected_psn == next);
	machine_free(m);
}

/* What fails on its way has taken its numbers, and the peer goes on behind. */
static void failed_writes(void)
{
	struct ocfabric_desc d;

	start(0);
	ocf_fault_set_resp(&m->t->card.faults, MACHINE_REGION, OCF_SLVERR);
	CHECK(psn_of(machine_write(0, 5000, 0, 1),
		     OCFABRIC_VERDICT_AXI_ERROR) == 0);
	ocf_fault_clear_all(&m->t->card.faults);
	/* the region's end lies in the HBM, its source's does not */
	test_card_drain(m->t)->region[0].size = 2 * MACHINE_HBM;
	test_card_resume(m->t);
	d = machine_write(0, 64, MACHINE_HBM, OCFABRIC_KEY_REGION);
	CHECK(psn_of(d, OCFABRIC_VERDICT_DMA_ERROR) == 2);
	CHECK(psn_of(machine_write(0, 8, 0, 1), 0) == 3);
	CHECK(qp(A)->state == OCFABRIC_QP_RTS && qp(A)->expected_psn == 4);
	machine_free(m);
}

static unsigned int failures;

static void note_failed(void *opaque, unsigned int link)
{
	(void)opaque;
	CHECK(!link);
	failures++;
}

static void mismatch(void)
{
	struct ocf_qp_attrs attrs = {
		.valid = BIT(EXPECTED_PSN), .value = { [2] = 1 },
	};
	uint32_t moves;

	start(0);
	failures = 0;
	m->t->card.hooks.qp_failed = note_failed;
	done(&attrs, A);
	moves = qp(A)->moves;
	CHECK(psn_of(machine_write(0, 8, 0, 1), 0) == 0, "the verdict stands");
	CHECK(qp(A)->state == OCFABRIC_QP_SQE && qp(A)->moves == moves + 1 &&
	      qp(A)->cause == OCFABRIC_QP_CAUSE_PSN);
	CHECK(failures == 1 && link0()->qp_failed[0] == 1u << A);
	CHECK(qp(A)->expected_psn == 1 && qp(A)->send_psn == 1);
	psn_of(machine_write(0, 8, 0, 1), OCFABRIC_VERDICT_QP_STATE);
	attrs = to_state(OCFABRIC_QP_RTS, BIT(SEND_PSN));
	attrs.value[1] = 0xfffff0;
	refused(&attrs, A, OCFABRIC_RESULT_INVALID, 1);
	attrs.value[1] = 1;
	done(&attrs, A);
	CHECK(!qp(A)->cause);
	CHECK(psn_of(machine_write(0, 8, 0, 1), 0) == 1);
	CHECK(failures == 1 && !psn_of(machine_sem(OCFABRIC_OP_NOP, 0, 0), 0));
	machine_free(m);
}

/* ---- what is in flight, and what was rung ---- */

static struct ocfabric_desc on(uint32_t qpn, struct ocfabric_desc d)
{
	d.qpn = qpn;
	return d;
}

/* A write in flight that waits for its response, on A. */
static void fly(void)
{
	ocf_fault_set_delay(&m->t->card.faults, MACHINE_REGION, 1000);
	machine_do(m, 0, machine_write(0, 64, 0, 1));
	CHECK(link0()->flight.stage == OCF_STAGE_RESPONSES);
}

static void draining(void)
{
	struct ocfabric_cqe e;

	start(0);
	fly();
	CHECK(ocf_qp_outstanding(link0(), A) == 1 && !ocf_qp_draining(link0(), A));
	CHECK(!ocf_qp_outstanding(link0(), B));
	move(A, OCFABRIC_QP_SQD);
	CHECK(ocf_qp_draining(link0(), A));
	CHECK(ocf_qp_export(link0(), A).flags == OCFABRIC_QP_DRAINING);
	CHECK(ocf_qp_export(link0(), A).outstanding == 1);
	machine_post(m, 0, on(A, machine_write(0, 8, 0, 1)));
	machine_post(m, 0, on(B, machine_write(8, 8, 0, 1)));
	ocf_queue_ring(&m->queue[0], 2);
	m->clock = 999;
	machine_run(m, 0);
	CHECK(ocf_qp_draining(link0(), A) && !machine_take(m, 0, &e));
	m->clock = 1000;
	ocf_fault_clear_all(&m->t->card.faults);
	machine_run(m, 0);
	CHECK(!ocf_qp_draining(link0(), A) && qp(A)->state == OCFABRIC_QP_SQD);
	CHECK(machine_take(m, 0, &e) && !e.status, "it ended as ever");
	CHECK(machine_take(m, 0, &e) && e.status == OCFABRIC_VERDICT_QP_STATE);
	CHECK(machine_take(m, 0, &e) && !e.status && e.qpn == B);
	move(A, OCFABRIC_QP_RTS);
	CHECK(psn_of(machine_write(0, 8, 0, 1), 0) == 1);
	CHECK(ocf_counters_add_up(&link0()->counters));
	machine_free(m);
}

/* To these states a write in flight does not go along; nothing else is lost. */
static void ends_flight(unsigned int to)
{
	struct ocfabric_cqe e;

	start(0);
	fly();
	machine_post(m, 0, on(B, machine_write(8, 8, 0, 1)));
	ocf_queue_ring(&m->queue[0], 1);
	/* of another connection it is not */
	move(B, OCFABRIC_QP_ERR);
	move(B, OCFABRIC_QP_RESET);
	CHECK(link0()->flight.stage != OCF_STAGE_IDLE);
	CHECK(ocf_queue_recover_qp(&m->queue[0], B).result == OCFABRIC_RESULT_OK);
	CHECK(link0()->flight.stage != OCF_STAGE_IDLE && !machine_take(m, 0, &e));
	if (to == OCFABRIC_QP_RTS)
		CHECK(!ocf_queue_recover_qp(&m->queue[0], A).result);
	else
		move(A, to);
	CHECK(link0()->flight.stage == OCF_STAGE_IDLE && !m->queue[0].busy);
	CHECK(machine_take(m, 0, &e) && e.status == OCFABRIC_VERDICT_DMA_ERROR &&
	      !e.bytes, "to %u", to);
	CHECK(count(OCF_DMA_ERROR) == 1);
	if (to != OCFABRIC_QP_ERR)
		CHECK(!qp(A)->send_psn && !qp(A)->expected_psn);
	ocf_fault_clear_all(&m->t->card.faults);
	machine_run(m, 0);
	CHECK(machine_take(m, 0, &e) && e.qpn == B &&
	      e.status == OCFABRIC_VERDICT_FLUSHED, "rung before B's error");
	machine_do(m, 0, machine_write(0, 8, 0, 1));
	CHECK(machine_take(m, 0, &e) &&
	      e.status == (to == OCFABRIC_QP_RTS ? OCFABRIC_VERDICT_COMMITTED :
						   OCFABRIC_VERDICT_QP_STATE));
	CHECK(ocf_counters_add_up(&link0()->counters));
	machine_free(m);
}

static void ends_flights(void)
{
	ends_flight(OCFABRIC_QP_RESET);
	ends_flight(OCFABRIC_QP_ERR);
	ends_flight(OCFABRIC_QP_RTS);
}

/* A queue that only waits for this write to be disabled. */
static void while_quiescing(void)
{
	struct ocfabric_cqe e;

	start(0);
	fly();
	CHECK(ocf_queue_disable(&m->queue[0], false) == OCFABRIC_RESULT_OK &&
	      m->queue[0].state == OCFABRIC_QUEUE_QUIESCING);
	move(A, OCFABRIC_QP_ERR);
	CHECK(machine_take(m, 0, &e) && e.status == OCFABRIC_VERDICT_DMA_ERROR);
	CHECK(m->queue[0].state == OCFABRIC_QUEUE_DISABLED);
	machine_free(m);
}

static bool comes(uint32_t qpn, uint8_t status)
{
	struct ocfabric_cqe e = { 0 };

	return machine_take(m, 0, &e) && e.qpn == qpn && e.status == status &&
	       (!e.psn || e.status == OCFABRIC_VERDICT_COMMITTED);
}

/*
 * What was rung before is flushed, unsignaled and unauthorized as well; what comes
 * later is judged; others run in between; all in the order of the ring.
 */
static void flushing(void)
{
	struct ocfabric_desc quiet = machine_write(0, 8, 0, 1);
	struct ocf_counters before;

	start(0);
	quiet.flags = OCFABRIC_DESC_UNSIGNALED;
	machine_post(m, 0, on(A, machine_write(0, 8, 0, 1)));
	machine_post(m, 0, on(A, quiet));
	machine_post(m, 0, on(B, machine_write(0, 8, 0, 1)));
	machine_post(m, 0, on(A, machine_write(0, 8, 0, 99)));	/* no such key */
	machine_post(m, 0, on(A, machine_sem(OCFABRIC_OP_SEM_REMOTE, 1, 1)));
	machine_post(m, 0, machine_sem(OCFABRIC_OP_SEM_LOCAL, 1, 1));
	ocf_queue_ring(&m->queue[0], 6);
	move(A, OCFABRIC_QP_ERR);
	before = link0()->counters;
	machine_post(m, 0, on(A, machine_write(0, 8, 0, 1)));
	machine_post(m, 0, on(B, machine_write(0, 8, 0, 1)));
	ocf_queue_ring(&m->queue[0], 2);
	CHECK(machine_valid(m));
	machine_run(m, 0);
	CHECK(comes(A, OCFABRIC_VERDICT_FLUSHED));
	CHECK(comes(A, OCFABRIC_VERDICT_FLUSHED), "unsignaled");
	CHECK(comes(B, OCFABRIC_VERDICT_COMMITTED));
	CHECK(comes(A, OCFABRIC_VERDICT_FLUSHED), "no key is looked up");
	CHECK(comes(A, OCFABRIC_VERDICT_FLUSHED), "SEM_REMOTE");
	CHECK(comes(0, OCFABRIC_VERDICT_COMMITTED), "SEM_LOCAL");
	CHECK(comes(A, OCFABRIC_VERDICT_QP_STATE), "rung later");
	CHECK(comes(B, OCFABRIC_VERDICT_COMMITTED));
	CHECK(count(OCF_WRITES) == before.c[OCF_WRITES] + 3);
	CHECK(count(OCF_QP_STATE) == 1 && count(OCF_COMMITTED) == 2);
	CHECK(!m->inbox[1].sem[1] && m->inbox[0].sem[1] == 1);
	CHECK(!m->queue[0].flushing && machine_valid(m));
	machine_free(m);
}

/* Recovered before its descriptors' turn has come: they are flushed all the same. */
static void flushed_though_recovered(void)
{
	unsigned int i;

	start(0);
	for (i = 0; i < 2; i++)
		machine_post(m, 0, on(A, machine_write(0, 8, 0, 1)));
	ocf_queue_ring(&m->queue[0], 2);
	move(A, OCFABRIC_QP_ERR);
	CHECK(ocf_queue_recover_qp(&m->queue[0], A).result == OCFABRIC_RESULT_OK);
	machine_post(m, 0, on(A, machine_write(0, 8, 0, 1)));
	machine_post(m, 0, on(B, machine_write(0, 8, 0, 1)));
	ocf_queue_ring(&m->queue[0], 2);
	move(B, OCFABRIC_QP_ERR);
	move(B, OCFABRIC_QP_ERR);
	machine_post(m, 0, on(B, machine_write(0, 8, 0, 1)));
	ocf_queue_ring(&m->queue[0], 1);
	/* being in it already is no move */
	move(B, OCFABRIC_QP_ERR);
	machine_run(m, 0);
	CHECK(comes(A, OCFABRIC_VERDICT_FLUSHED));
	CHECK(comes(A, OCFABRIC_VERDICT_FLUSHED));
	CHECK(comes(A, OCFABRIC_VERDICT_COMMITTED));
	CHECK(comes(B, OCFABRIC_VERDICT_FLUSHED));
	CHECK(comes(B, OCFABRIC_VERDICT_QP_STATE));
	machine_free(m);
}

/* One that is over is forgotten although another one's is always to come. */
static void flushed_and_forgotten(void)
{
	start(0);
	machine_post(m, 0, on(A, machine_write(0, 8, 0, 1)));
	machine_post(m, 0, on(B, machine_write(0, 8, 0, 1)));
	ocf_queue_ring(&m->queue[0], 1);
	move(A, OCFABRIC_QP_ERR);
	machine_run(m, 0);
	CHECK(comes(A, OCFABRIC_VERDICT_FLUSHED));
	ocf_queue_ring(&m->queue[0], 1);
	move(B, OCFABRIC_QP_ERR);
	CHECK(m->queue[0].flush[0] == 1ull << B);
	machine_run(m, 0);
	CHECK(comes(B, OCFABRIC_VERDICT_FLUSHED));
	machine_free(m);
}

/* Enabling the queue starts its counts over: nothing is left to be flushed. */
static void flush_and_enable(void)
{
	start(0);
	machine_post(m, 0, on(A, machine_write(0, 8, 0, 1)));
	ocf_queue_ring(&m->queue[0], 1);
	move(A, OCFABRIC_QP_ERR);
	CHECK(ocf_queue_disable(&m->queue[0], false) == OCFABRIC_RESULT_OK);
	machine_enable(m, 0, 5);
	CHECK(ocf_queue_recover_qp(&m->queue[0], A).result == OCFABRIC_RESULT_OK);
	machine_do(m, 0, machine_write(0, 8, 0, 1));
	CHECK(comes(A, OCFABRIC_VERDICT_COMMITTED));
	machine_free(m);
}

/* ---- loaded from outside ---- */

#define DAMAGED(statement)						\
	do {								\
		static struct ocf_link keep;				\
		struct ocf_queue queue = m->queue[0];			\
									\
		keep = *link0();					\
		statement;						\
		CHECK(!machine_valid(m), #statement);			\
		*link0() = keep;					\
		m->queue[0] = queue;					\
	} while (0)

static void loaded(void)
{
	start(0);
	fly();
	machine_post(m, 0, on(B, machine_write(8, 8, 0, 1)));
	ocf_queue_ring(&m->queue[0], 1);
	move(B, OCFABRIC_QP_ERR);
	CHECK(machine_valid(m) && m->queue[0].flushing);
	DAMAGED(qp(A)->state = STATES);
	DAMAGED(qp(A)->state = OCFABRIC_QP_RESET);
	DAMAGED(qp(A)->state = OCFABRIC_QP_ERR);
	DAMAGED(qp(A)->cause = 1);
	DAMAGED(qp(B)->cause = 5);
	DAMAGED(qp(A)->peer = 2);
	DAMAGED(qp(9)->peer = 1);
	DAMAGED(qp(9)->state = OCFABRIC_QP_RTS);
	DAMAGED(qp(A)->send_psn = 0x1000000);
	DAMAGED(qp(A)->expected_psn = 0x1000000);
	DAMAGED(qp(A)->window = 0);
	DAMAGED(qp(A)->window = 32769);
	DAMAGED(qp(A)->mtu_shift = 7);
	DAMAGED(qp(A)->mtu_shift = 13);
	DAMAGED(qp(A)->mtu_shift = 0);
	DAMAGED(qp(A)->retry_limit = 8);
	DAMAGED(qp(A)->rnr_limit = 8);
	DAMAGED(qp(A)->timeout = 32);
	DAMAGED(qp(A)->rnr_timer = 32);
	DAMAGED(link0()->qp_failed[0] = 1u << A);
	DAMAGED(link0()->flight.qpn = B);
	DAMAGED(link0()->flight.qpn = 300);
	DAMAGED(link0()->flight.psn = 0x1000000);
	DAMAGED(m->queue[0].flush_to[B] = m->queue[0].tail + 1);
	link0()->qp_stopped[0] = ~0ull;
	CHECK(machine_valid(m));
	CHECK(!(link0()->qp_stopped[0] >> A & 1) && link0()->qp_stopped[0] >> B & 1);
	qp(A)->state = OCFABRIC_QP_SQD;
	CHECK(machine_valid(m) && ocf_qp_draining(link0(), A));
	machine_free(m);
}

static const struct tap_test tests[] = {
	{ "every move, legal and illegal", every_move },
	{ "staying in a state", staying },
	{ "every attribute of every move: needed, allowed, neither", every_attribute },
	{ "limits of values", limits },
	{ "other refusals", refusals },
	{ "loading", loading },
	{ "walked from RESET to RTS", walked },
	{ "packets and their numbers", packets },
	{ "numbers wrap around", around },
	{ "numbers of writes that fail", failed_writes },
	{ "a number that is not expected", mismatch },
	{ "SQD with a write in flight", draining },
	{ "RESET, ERR and recovery end a write in flight", ends_flights },
	{ "ERR while a queue waits to be disabled", while_quiescing },
	{ "flushing", flushing },
	{ "flushing though recovered", flushed_though_recovered },
	{ "what was flushed is forgotten", flushed_and_forgotten },
	{ "flushing and a queue enabled anew", flush_and_enable },
	{ "contexts loaded from outside", loaded },
};

TAP_MAIN(tests)
