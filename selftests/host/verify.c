// SPDX-License-Identifier: GPL-2.0-only
/*
 * ocf-workload's readers must be able to find fault: two replicas in one process,
 * over a port that does what a card does, or for one write something else.
 */
#include <stdlib.h>
#include <string.h>

#include <ocfabric.h>
#include <workload/workload.h>

#include "tap.h"

#define N	2u
#define ROUNDS	40u
#define VICTIM	2u	/* write of replica 0 that something is done to */
#define LATER	7u	/* writes until one that was held back arrives, */
#define LATE	70u	/* and until one arrives again */

enum mischief {
	NONE,
	LOSE,		/* it never arrives */
	DELAY,		/* it arrives after those behind it */
	TEAR,		/* half of a word arrives */
	FLIP,		/* a bit is another one */
	STRAY,		/* and something else where nobody may write */
	HALF,		/* its second half arrives before the first: allowed */
	AGAIN,		/* it arrives once more, much later */
	VERDICT,	/* its completion says unauthorized */
	SHORT,		/* its completion says fewer bytes */
	TWICE,		/* there are two completions */
	LESS,		/* the first receive completion says fewer bytes, */
	ELSEWHERE,	/* another QPN, */
	FAILED,		/* that it failed, */
	MIXED_UP,	/* another immediate */
	GREEDY,		/* credits of replica 0 are for more than was sent */
};

struct wire {
	struct wl_port port;
	unsigned int id;
	uint8_t *peer;
	uint64_t writes;
	bool is_held;
	struct wl_write held;
	uint8_t bytes[WL_MESSAGE_MAX];
	struct wl_done done[2 * WL_RING];
	uint32_t head, tail;
};

static enum mischief mischief;
static struct wl_plan plan;
static struct wl_limit limit;
static struct wire wires[N];
static struct wl_replica replicas[N];
static uint8_t *regions[N];

static uint32_t room(struct wl_port *port)
{
	struct wire *w = (struct wire *)(void *)port;

	return WL_RING - (w->tail - w->head);
}

static void store(struct wire *wire, const struct wl_write *w)
{
	memcpy(wire->peer + w->raddr, w->data, w->bytes);
}

static void hold(struct wire *wire, const struct wl_write *w)
{
	memcpy(wire->bytes, w->data, w->bytes);
	wire->held = *w;
	wire->held.data = wire->bytes;
	wire->is_held = true;
}

static void let_go(struct wire *wire)
{
	if (wire->is_held)
		store(wire, &wire->held);
	wire->is_held = false;
}

/* What becomes of the victim's bytes. */
static void spoil(struct wire *wire, const struct wl_write *w)
{
	uint8_t *at = wire->peer + w->raddr;

	switch (mischief) {
	case LOSE:
		break;
	case DELAY:
		hold(wire, w);
		break;
	case TEAR:
		store(wire, w);
		memset(at + 4, 0x5a, 4);
		break;
	case FLIP:
		store(wire, w);
		at[w->bytes - 1] ^= 0x10;
		break;
	case STRAY:
		store(wire, w);
		wire->peer[8] = 1;
		break;
	case HALF:
		hold(wire, w);
		memcpy(at + 16, w->data + 16, w->bytes - 16);
		break;
	case AGAIN:
		store(wire, w);
		hold(wire, w);
		break;
	default:
		store(wire, w);
	}
}

static void complete(struct wire *wire, const struct wl_write *w, bool is_victim)
{
	struct wl_done done = {
		.qpn = w->qpn, .bytes = w->bytes, .verdict = w->verdict,
		.misrouted = w->misrouted,
	};

	if (is_victim && mischief == VERDICT)
		done.verdict = OCFABRIC_VERDICT_UNAUTHORIZED;
	if (is_victim && mischief == SHORT)
		done.bytes--;
	wire->done[wire->tail++ % (2 * WL_RING)] = done;
	if (is_victim && mischief == TWICE)
		wire->done[wire->tail++ % (2 * WL_RING)] = done;
}

static void notify(struct wire *wire, const struct wl_write *w)
{
	struct wire *peer = &wires[!wire->id];
	struct wl_done done = {
		.receive = true, .source = (uint8_t)wire->id,
		.qpn = w->qpn, .bytes = w->bytes, .imm = w->imm,
	};

	done.bytes -= mischief == LESS;
	done.qpn += mischief == ELSEWHERE;
	done.imm += mischief == MIXED_UP;
	if (mischief == FAILED)
		done.verdict = OCFABRIC_VERDICT_AXI_ERROR;
	peer->done[peer->tail++ % (2 * WL_RING)] = done;
}

static int post(struct wl_port *port, const struct wl_write *w)
{
	struct wire *wire = (struct wire *)(void *)port;
	bool is_victim = !wire->id && wire->writes++ == VICTIM;

	if (is_victim) {
		spoil(wire, w);
	} else {
		/* a write that has begun ends before the next one begins */
		if (mischief == HALF)
			let_go(wire);
		store(wire, w);
		if (mischief == GREEDY && !wire->id && !strcmp(w->what, "credit"))
			wire->peer[w->raddr + 2] = 1;
		if (wire->writes > VICTIM + (mischief == AGAIN ? LATE : LATER))
			let_go(wire);
	}
	complete(wire, w, is_victim);
	if (w->is_imm)
		notify(wire, w);
	return 0;
}

static void ring(struct wl_port *port)
{
	(void)port;
}

static int take(struct wl_port *port, struct wl_done *done, unsigned int max)
{
	struct wire *w = (struct wire *)(void *)port;
	unsigned int nr = 0;

	while (nr < max && w->head != w->tail)
		done[nr++] = w->done[w->head++ % (2 * WL_RING)];
	return (int)nr;
}

static uint64_t now_us(struct wl_port *port)
{
	static uint64_t now;

	(void)port;
	return now += 1000;
}

static const struct wl_port_ops ops = {
	.room = room, .post = post, .ring = ring, .poll = take, .now_us = now_us,
};

static void set_up(const struct wl_shape *shape)
{
	struct wl_options o = {
		.shape = shape, .n = N, .seed = 5, .imm = shape->imm,
	};

	wl_plan(&plan, &o);
	limit = (struct wl_limit) { .rounds = ROUNDS, .is_final = 1 };
	memset(wires, 0, sizeof(wires));
	for (unsigned int i = 0; i < N; i++)
		regions[i] = calloc(1, plan.region_size);
	for (unsigned int i = 0; i < N; i++) {
		wires[i].port.ops = &ops;
		wires[i].id = i;
		wires[i].peer = regions[!i];
		if (!regions[i] || !wl_replica_init(&replicas[i], &plan, i,
						    &wires[i].port, &limit, regions[i]))
			abort();
		replicas[i].burst = 1;
	}
}

static void tear_down(void)
{
	for (unsigned int i = 0; i < N; i++) {
		wl_replica_free(&replicas[i]);
		free(regions[i]);
	}
}

/* The first error of anybody, "waits" if it never ends, or NULL. */
static const char *run(void)
{
	static const uint64_t last[WL_REPLICAS];
	unsigned int idle = 0;

	for (unsigned int turn = 0; idle < 1000; turn++) {
		struct wl_replica *r = &replicas[turn % N];
		int got = wl_replica_step(r);

		if (got < 0)
			return r->error;
		idle = got ? 0 : idle + 1;
	}
	if (!wl_replica_is_done(&replicas[0]) || !wl_replica_is_done(&replicas[1]))
		return "waits";
	for (unsigned int i = 0; i < N; i++)
		if (wl_verify_all(&replicas[i], last))
			return replicas[i].error;
	return NULL;
}

/* `said` is a part of the error, NULL: there must be none. */
static void expect(const struct wl_shape *shape, enum mischief what, const char *said)
{
	const char *error;

	mischief = what;
	set_up(shape);
	error = run();
	if (said)
		CHECK(error && strstr(error, said), "expected '%s', got '%s'", said,
		      error ? error : "no error");
	else
		CHECK(!error, "%s", error);
	tear_down();
}

static void good_ones(void)
{
	for (unsigned int i = 0; wl_shapes[i]; i++)
		expect(wl_shapes[i], NONE, NULL);
}

static void lost(void)
{
	/* a ping, nobody sends more; a payload, its flag is there; a message */
	expect(&wl_ping, LOSE, "waits");
	expect(&wl_all_to_all, LOSE, "since the one after it is there");
	expect(&wl_sweep, LOSE, "waits");
	expect(&wl_slow_path, LOSE, "since a later one is there");
}

static void overtaken(void)
{
	expect(&wl_all_to_all, DELAY, "since the one after it is there");
	expect(&wl_checkpoint, DELAY, "since the one after it is there");
}

static void torn(void)
{
	expect(&wl_ping, TEAR, "or still");
	expect(&wl_sweep, TEAR, "or still");
	expect(&wl_slow_path, TEAR, "or still");
	expect(&wl_all_to_all, FLIP, "or still");
	expect(&wl_consensus, FLIP, "or still");
	expect(&wl_checkpoint, FLIP, "or still");
}

static void in_two_steps(void)
{
	/* one write may become visible bit by bit */
	expect(&wl_slow_path, HALF, NULL);
}

static void stray(void)
{
	expect(&wl_ping, STRAY, "which nobody may write");
	expect(&wl_adversary, STRAY, "which nobody may write");
}

static void again(void)
{
	/* the same bytes to the same place, or old ones over new ones */
	expect(&wl_ping, AGAIN, NULL);
	expect(&wl_all_to_all, AGAIN, "in the end, found");
}

static void completions(void)
{
	expect(&wl_ping, VERDICT, "found QPN 0, unauthorized");
	expect(&wl_consensus, SHORT, "bytes, found");
	expect(&wl_adversary, TWICE, "expected");
}

static void receives(void)
{
	expect(&wl_consensus, LESS, "immediate 0: expected QPN 1, committed");
	expect(&wl_consensus, ELSEWHERE, "immediate 0: expected QPN 1, committed");
	expect(&wl_consensus, FAILED, "found QPN 1, axi_error");
	expect(&wl_consensus, MIXED_UP, "expected immediate 0, found 1");
}

static void credits(void)
{
	expect(&wl_sweep, GREEDY, "credit at");
}

static const struct tap_test tests[] = {
	{ "all shapes, nothing wrong", good_ones },
	{ "a write that never arrives", lost },
	{ "a write that overtakes another", overtaken },
	{ "words that are neither old nor new", torn },
	{ "a write that arrives in two steps is no error", in_two_steps },
	{ "bytes where nobody may write", stray },
	{ "a write that arrives again", again },
	{ "completions that say something else", completions },
	{ "receive completions that say something else", receives },
	{ "a credit for what was never sent", credits },
};

TAP_MAIN(tests)
