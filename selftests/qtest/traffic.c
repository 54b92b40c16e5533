// SPDX-License-Identifier: GPL-2.0-only
#include "traffic.h"

#include <string.h>

#define MTU 4096
#define KEY(q) ((q) | 5u << OCFABRIC_KEY_GENERATION_SHIFT)
#define STEP_NS 5000

uint32_t traffic_random(struct traffic *t, uint32_t n)
{
	return (uint32_t)((card_random(&t->random) >> 16) % n);
}

/* ---- beginning ---- */

void traffic_enable(struct traffic *t, struct card *c, unsigned int q)
{
	struct sender *s = &t->s[q];

	card_queue(c, q, TRAFFIC_SHIFT);
	s->head = s->tail = 0;
	s->armed = TRAFFIC_ENTRIES / 2;
	card_recv(c, q, s->armed);
}

void traffic_start(struct traffic *t, struct card *c, uint64_t seed)
{
	unsigned int q, i;

	memset(t, 0, sizeof(*t));
	t->random = seed;
	card_configure(c, TRAFFIC_N, 0);
	for (q = 0; q < TRAFFIC_N; q++) {
		for (i = 0; i < TRAFFIC_SOURCE; i++)
			t->source[q][i] = (uint8_t)traffic_random(t, 256);
		qtest_store(c->q, SOURCE(q), t->source[q], TRAFFIC_SOURCE);
		traffic_enable(t, c, q);
		card_key(c, q, KEY(q));
	}
}

void traffic_save(struct traffic *t, const struct card *c)
{
	memcpy(t->posted, c->posted, sizeof(t->posted));
	memcpy(t->taken, c->taken, sizeof(t->taken));
	memcpy(t->armed, c->armed, sizeof(t->armed));
}

void traffic_load(const struct traffic *t, struct card *c)
{
	memcpy(c->posted, t->posted, sizeof(t->posted));
	memcpy(c->taken, t->taken, sizeof(t->taken));
	memcpy(c->armed, t->armed, sizeof(t->armed));
}

/* ---- posting ---- */

void traffic_post(struct traffic *t, struct card *c, unsigned int q,
		  struct expected e)
{
	struct sender *s = &t->s[q];

	e.silent = e.d.flags & OCFABRIC_DESC_UNSIGNALED &&
		   e.status == OCFABRIC_VERDICT_COMMITTED;
	s->posted[s->tail++ % TRAFFIC_ENTRIES] = e;
	card_post(c, q, e.d);
}

void traffic_ring(struct traffic *t, struct card *c, unsigned int q, uint32_t n)
{
	if (t->s[q].tail != n)
		card_ring(c, q, t->s[q].tail - n);
}

static unsigned int any_peer(struct traffic *t, unsigned int q)
{
	return (q + 1 + traffic_random(t, TRAFFIC_N - 1)) % TRAFFIC_N;
}

static struct expected a_write(struct traffic *t, unsigned int q)
{
	unsigned int dst = any_peer(t, q);
	uint32_t len = 1 + traffic_random(t, traffic_random(t, 4) ? 200 : 5000);
	uint64_t at = 4ull * traffic_random(t, (TRAFFIC_PART - len) / 4);
	struct expected e = { .dst = (uint8_t)dst, .bytes = len };

	e.d = card_write(card_qpn(TRAFFIC_N, q, dst), TRAFFIC_AT(q) + at, len,
			 traffic_random(t, TRAFFIC_SOURCE - len), KEY(q));
	return e;
}

void traffic_write(struct traffic *t, struct card *c, unsigned int q)
{
	traffic_post(t, c, q, a_write(t, q));
}

static void refused(struct traffic *t, struct expected *e)
{
	static const uint8_t why[] = {
		OCFABRIC_VERDICT_MISALIGNED, OCFABRIC_VERDICT_UNMAPPED,
		OCFABRIC_VERDICT_ZERO_LENGTH, OCFABRIC_VERDICT_OUT_OF_BOUNDS,
		OCFABRIC_VERDICT_LOCAL_PROTECTION,
	};

	e->status = why[traffic_random(t, sizeof(why))];
	e->bytes = 0;
	switch (e->status) {
	case OCFABRIC_VERDICT_MISALIGNED:
		e->d.raddr += 1 + traffic_random(t, 3);
		break;
	case OCFABRIC_VERDICT_UNMAPPED:
		e->d.qpn = 200;
		break;
	case OCFABRIC_VERDICT_ZERO_LENGTH:
		e->d.len = 0;
		break;
	case OCFABRIC_VERDICT_OUT_OF_BOUNDS:
		e->d.raddr = REGION_SIZE;
		break;
	default:
		e->d.key ^= 1u << OCFABRIC_KEY_GENERATION_SHIFT;
		break;
	}
}

static void with_immediate(struct traffic *t, unsigned int q, struct expected *e)
{
	struct sender *peer = &t->s[e->dst];

	if (!peer->armed)
		return;
	peer->armed--;
	e->d.opcode = OCFABRIC_OP_WRITE_IMM;
	e->d.imm = t->s[q].imm_sent[e->dst]++;
}

static void semaphore(struct traffic *t, unsigned int q, struct expected *e)
{
	bool own = traffic_random(t, 2);
	unsigned int sem = TRAFFIC_SEM + traffic_random(t, 8);

	e->bytes = 0;
	e->d = card_sem(own ? OCFABRIC_OP_SEM_LOCAL : OCFABRIC_OP_SEM_REMOTE,
			own ? 0 : e->d.qpn, sem, 1 + traffic_random(t, 100));
	if (own)
		e->dst = (uint8_t)q;
}

static void inlined(struct traffic *t, struct expected *e)
{
	unsigned int i;

	e->d.flags |= OCFABRIC_DESC_INLINE;
	e->d.len = e->bytes = 1 + traffic_random(t, e->bytes < OCFABRIC_INLINE_MAX ?
						 e->bytes : OCFABRIC_INLINE_MAX);
	memset(e->d.data, 0, sizeof(e->d.data));
	for (i = 0; i < e->bytes; i++)
		e->d.data[i] = (uint8_t)traffic_random(t, 256);
}

static void shortened(struct expected *e)
{
	if (e->bytes <= 64)
		return;
	e->d.beats = (e->bytes - 1) / 64;
	e->bytes = 64 * e->d.beats;
	e->status = OCFABRIC_VERDICT_SHORT_PACKET;
}

void traffic_any(struct traffic *t, struct card *c, unsigned int q)
{
	struct expected e = a_write(t, q);

	switch (traffic_random(t, 10)) {
	case 0:
		refused(t, &e);
		break;
	case 1:
	case 2:
		with_immediate(t, q, &e);
		break;
	case 3:
	case 4:
		semaphore(t, q, &e);
		break;
	case 5:
		inlined(t, &e);
		break;
	case 6:
		shortened(&e);
		break;
	case 7:
		e.d.flags |= OCFABRIC_DESC_UNSIGNALED;
		break;
	default:
		break;
	}
	traffic_post(t, c, q, e);
}

void traffic_some(struct traffic *t, struct card *c, unsigned int n)
{
	uint32_t before[TRAFFIC_N];
	unsigned int q;

	for (q = 0; q < TRAFFIC_N; q++)
		before[q] = t->s[q].tail;
	while (n--)
		traffic_any(t, c, traffic_random(t, TRAFFIC_N));
	for (q = 0; q < TRAFFIC_N; q++)
		traffic_ring(t, c, q, before[q]);
}

/* ---- what became of it ---- */

static void store(struct traffic *t, unsigned int q, const struct expected *e)
{
	uint64_t at = e->d.raddr - TRAFFIC_AT(q);
	uint8_t *to = t->s[e->dst].part[q] + at;

	if (at >= TRAFFIC_PART)
		return;
	if (e->d.flags & OCFABRIC_DESC_INLINE)
		memcpy(to, e->d.data, e->bytes);
	else
		memcpy(to, t->source[q] + e->d.addr, e->bytes);
}

static bool takes_packets(const struct expected *e)
{
	return e->d.opcode != OCFABRIC_OP_NOP && e->d.opcode != OCFABRIC_OP_WAIT &&
	       e->d.opcode != OCFABRIC_OP_SEM_LOCAL &&
	       (e->status == OCFABRIC_VERDICT_COMMITTED ||
		e->status == OCFABRIC_VERDICT_SHORT_PACKET);
}

static void count(struct sender *s, const struct expected *e)
{
	static const uint8_t counters[] = {
		[OCFABRIC_VERDICT_UNMAPPED] = OCFABRIC_COUNTER_UNMAPPED,
		[OCFABRIC_VERDICT_ZERO_LENGTH] = OCFABRIC_COUNTER_ZERO_LENGTH,
		[OCFABRIC_VERDICT_MISALIGNED] = OCFABRIC_COUNTER_MISALIGNED,
		[OCFABRIC_VERDICT_OUT_OF_BOUNDS] = OCFABRIC_COUNTER_OUT_OF_BOUNDS,
		[OCFABRIC_VERDICT_QP_STATE] = OCFABRIC_COUNTER_QP_STATE,
	};

	if (e->status == OCFABRIC_VERDICT_LOCAL_PROTECTION ||
	    e->status == OCFABRIC_VERDICT_FLUSHED)
		return;
	s->counter[OCFABRIC_COUNTER_WRITES]++;
	if (takes_packets(e)) {
		s->counter[OCFABRIC_COUNTER_COMMITTED]++;
		s->counter[OCFABRIC_COUNTER_BYTES] += e->bytes;
		s->counter[OCFABRIC_COUNTER_SHORT_PACKET] +=
			e->status == OCFABRIC_VERDICT_SHORT_PACKET;
	} else {
		s->counter[counters[e->status]]++;
	}
}

/* It has ended as it had to: what that means for all else. */
static uint32_t apply(struct traffic *t, unsigned int q, const struct expected *e)
{
	struct sender *s = &t->s[q];
	uint32_t psn = 0;

	if (e->d.opcode == OCFABRIC_OP_SEM_LOCAL || e->d.opcode == OCFABRIC_OP_WAIT) {
		if (e->d.opcode == OCFABRIC_OP_SEM_LOCAL)
			s->sem[e->d.sem] += e->d.len;
		return 0;
	}
	count(s, e);
	if (!takes_packets(e))
		return 0;
	psn = s->psn[e->dst];
	s->psn[e->dst] += e->bytes ? (e->bytes - 1) / MTU + 1 : 1;
	if (e->d.opcode == OCFABRIC_OP_SEM_REMOTE)
		t->s[e->dst].sem[e->d.sem] += e->d.len;
	else
		store(t, q, e);
	return psn;
}

static void check_receive(struct traffic *t, unsigned int q,
			  const struct ocfabric_cqe *e)
{
	struct sender *s = &t->s[q];

	CHECK(e->source < TRAFFIC_N && e->source != q, "from %u", e->source);
	if (e->source >= TRAFFIC_N)
		return;
	CHECK(e->imm == s->imm_came[e->source], "immediate %u of %u at %u, not %u",
	      e->imm, e->source, q, s->imm_came[e->source]);
	s->imm_came[e->source]++;
}

static void check_completion(struct traffic *t, unsigned int q,
			     const struct ocfabric_cqe *e)
{
	struct sender *s = &t->s[q];
	const struct expected *x;
	uint32_t psn;

	CHECK(e->clock >= s->clock, "queue %u: clock %llu after %llu", q,
	      (unsigned long long)e->clock, (unsigned long long)s->clock);
	s->clock = e->clock;
	if (e->flags & OCFABRIC_CQE_RECEIVE) {
		check_receive(t, q, e);
		return;
	}
	do {
		if (s->head == s->tail) {
			CHECK(false, "queue %u: a completion too many, index %u", q,
			      e->index);
			return;
		}
		x = &s->posted[s->head++ % TRAFFIC_ENTRIES];
		psn = apply(t, q, x);
	} while (x->silent);
	CHECK(e->index == (s->head - 1) % TRAFFIC_ENTRIES,
	      "queue %u: index %u, not %u", q, e->index,
	      (s->head - 1) % TRAFFIC_ENTRIES);
	CHECK(e->status == x->status && e->opcode == x->d.opcode &&
	      e->qpn == x->d.qpn && e->bytes == x->bytes,
	      "queue %u, %u: verdict %u, not %u; %u bytes, not %u", q, e->index,
	      e->status, x->status, e->bytes, x->bytes);
	CHECK(e->psn == psn, "queue %u, %u, opcode %u to %u: packet %u, not %u", q,
	      e->index, e->opcode, x->dst, e->psn, psn);
}

bool traffic_take(struct traffic *t, struct card *c)
{
	bool any = false;
	unsigned int q;

	for (q = 0; q < TRAFFIC_N; q++) {
		while (card_has(c, q)) {
			struct ocfabric_cqe e = card_take(c, q);

			check_completion(t, q, &e);
			any = true;
		}
	}
	return any;
}

/* ---- in the end ---- */

static bool quiet(const struct traffic *t, struct card *c)
{
	unsigned int q, dst;

	for (q = 0; q < TRAFFIC_N; q++) {
		uint32_t queue = OCFABRIC_REG_QUEUE(q);

		if (rd32(c, queue + OCFABRIC_QUEUE_HEAD) != t->s[q].tail ||
		    rd32(c, queue + OCFABRIC_QUEUE_CQ_PRODUCER) != c->taken[q])
			return false;
		for (dst = 0; dst < TRAFFIC_N; dst++)
			if (t->s[q].imm_sent[dst] != t->s[dst].imm_came[q])
				return false;
	}
	return true;
}

/* Those at the end that have no completions. */
static void finish_silent(struct traffic *t, unsigned int q)
{
	struct sender *s = &t->s[q];

	while (s->head != s->tail) {
		const struct expected *x = &s->posted[s->head++ % TRAFFIC_ENTRIES];

		CHECK(x->silent, "queue %u: no completion of %u", q, s->head - 1);
		apply(t, q, x);
	}
}

static void check_memory(const struct traffic *t, struct card *c)
{
	static uint8_t got[TRAFFIC_PART];
	unsigned int q, src;

	for (q = 0; q < TRAFFIC_N; q++) {
		for (src = 0; src < TRAFFIC_N; src++) {
			qtest_load(c->q, BAR_HBM + REGION(q) + TRAFFIC_AT(src), got,
				   sizeof(got));
			CHECK(!memcmp(got, t->s[q].part[src], sizeof(got)),
			      "what %u wrote to %u", src, q);
		}
	}
}

static void check_counts(const struct traffic *t, struct card *c)
{
	unsigned int q, i;

	wr32(c, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_COUNTERS);
	CHECK(!(rd32(c, OCFABRIC_REG_ERROR) & OCFABRIC_ERROR_CONSERVATION));
	for (q = 0; q < TRAFFIC_N; q++) {
		for (i = 0; i < OCFABRIC_COUNTERS; i++) {
			uint64_t n = rd64(c, OCFABRIC_REG_COUNTER(q, i));

			CHECK(i == OCFABRIC_COUNTER_LINES || n == t->s[q].counter[i],
			      "counter %u of %u is %llu, not %llu", i, q,
			      (unsigned long long)n,
			      (unsigned long long)t->s[q].counter[i]);
		}
		for (i = TRAFFIC_SEM; i < TRAFFIC_SEM + 8; i++) {
			uint32_t value = card_sem_value(c, q, i);

			CHECK(value == t->s[q].sem[i], "semaphore %u of %u: %u, not %u",
			      i, q, value, t->s[q].sem[i]);
		}
	}
}

void traffic_settle(struct traffic *t, struct card *c)
{
	uint64_t start = qtest_now_ms();
	unsigned int q;

	while (traffic_take(t, c) || !quiet(t, c)) {
		if (qtest_late(start)) {
			CHECK(false, "not all of it comes to an end");
			break;
		}
		qtest_step_ns(c->q, STEP_NS);
		qtest_yield();
	}
	for (q = 0; q < TRAFFIC_N; q++)
		finish_silent(t, q);
	check_memory(t, c);
	check_counts(t, c);
	for (q = 0; q < TRAFFIC_N; q++) {
		uint32_t have = t->s[q].armed, want = TRAFFIC_ENTRIES / 2;

		if (have < want) {
			card_recv(c, q, want - have);
			t->s[q].armed = want;
		}
	}
}
