// SPDX-License-Identifier: GPL-2.0-only
/* The thread on the other vCPU. It is told what to do through memory. */
#include <pthread.h>

#include "bench.h"

enum order {
	ORDER_IDLE,
	ORDER_WATCH,
	ORDER_STREAM,
	ORDER_RECEIVE,
	ORDER_END,
};

#define LINE_ALIGNED	__attribute__((aligned(128)))

static struct {
	LINE_ALIGNED uint32_t order;	/* given by us, taken back by the peer */
	volatile uint32_t *word;
	uint32_t first, count;
	uint32_t size, per_bell;
	bool sleeps;
	LINE_ALIGNED uint32_t stop;
	LINE_ALIGNED uint32_t answer;	/* the peer's: number it saw last, */
	uint64_t when;			/* and when */
	LINE_ALIGNED uint32_t armed;	/* number of the receive armed last */
	LINE_ALIGNED uint64_t streamed;
} shared;

static pthread_t thread;

static void watch(void)
{
	volatile uint32_t *word = shared.word;
	uint32_t number = shared.first, end = number + shared.count;

	for (; number != end; number++) {
		while (*word != number)
			;
		shared.when = ticks();
		__atomic_store_n(&shared.answer, number, __ATOMIC_RELEASE);
	}
}

static void stream(const struct end *e)
{
	uint32_t size = shared.size, per_bell = shared.per_bell;

	while (!__atomic_load_n(&shared.stop, __ATOMIC_RELAXED)) {
		for (uint32_t i = 0; i < per_bell; i++)
			post(e, i * size, i * size, size, 0);
		ocf_ring(e->r);
		drain_all(e->r);
		__atomic_store_n(&shared.streamed, shared.streamed + per_bell,
				 __ATOMIC_RELAXED);
	}
}

static void arm(struct ocf_replica *r)
{
	int error = ocf_post_recv(r, 1);

	if (error < 0)
		fail("a receive cannot be posted: %d", error);
	ocf_ring_recv(r);
}

static void await_receive(struct ocf_replica *r, uint32_t number, bool sleeps)
{
	struct ocf_completion c;
	int error = 0;

	if (sleeps)
		error = ocf_wait(r, -1);
	else
		while (!ocf_ready(r))
			;
	shared.when = ticks();
	if (error)
		fail("%s", ocf_error());
	if (!ocf_poll(r, &c, 1) || !c.receive || c.imm != number)
		fail("no receive completion with %u", number);
}

static void receive(struct ocf_replica *r)
{
	uint32_t count = shared.count;
	bool sleeps = shared.sleeps;

	for (uint32_t number = 1; number <= count; number++) {
		arm(r);
		__atomic_store_n(&shared.armed, number, __ATOMIC_RELEASE);
		await_receive(r, number, sleeps);
		__atomic_store_n(&shared.answer, number, __ATOMIC_RELEASE);
	}
}

static void *run(void *arg)
{
	const struct bench *bench = arg;
	enum order order;

	pin_to_cpu(1);
	ocf_wait_spin(bench->b.r, 0);
	do {
		order = __atomic_load_n(&shared.order, __ATOMIC_ACQUIRE);
		if (order == ORDER_WATCH)
			watch();
		else if (order == ORDER_STREAM)
			stream(&bench->b);
		else if (order == ORDER_RECEIVE)
			receive(bench->b.r);
		if (order != ORDER_IDLE)
			__atomic_store_n(&shared.order, ORDER_IDLE,
					 __ATOMIC_RELEASE);
	} while (order != ORDER_END);
	return NULL;
}

static void give(enum order order)
{
	__atomic_store_n(&shared.order, order, __ATOMIC_RELEASE);
}

void peer_start(struct bench *bench)
{
	if (pthread_create(&thread, NULL, run, bench))
		fail("cannot start a thread");
}

void peer_stop(void)
{
	give(ORDER_END);
	pthread_join(thread, NULL);
}

void peer_watch(volatile uint32_t *word, uint32_t first, uint32_t count)
{
	shared.word = word;
	shared.first = first;
	shared.count = count;
	give(ORDER_WATCH);
}

uint64_t peer_saw(uint32_t number)
{
	while (__atomic_load_n(&shared.answer, __ATOMIC_ACQUIRE) != number)
		;
	return shared.when;
}

void peer_receive(uint32_t count, bool sleeps)
{
	shared.count = count;
	shared.sleeps = sleeps;
	shared.armed = 0;
	shared.answer = 0;
	give(ORDER_RECEIVE);
}

void peer_armed(uint32_t number)
{
	while (__atomic_load_n(&shared.armed, __ATOMIC_ACQUIRE) != number)
		;
}

void peer_stream(uint32_t size, uint32_t per_bell)
{
	shared.size = size;
	shared.per_bell = per_bell;
	shared.stop = 0;
	give(ORDER_STREAM);
}

uint64_t peer_streamed(void)
{
	return __atomic_load_n(&shared.streamed, __ATOMIC_RELAXED);
}

void peer_finish(void)
{
	__atomic_store_n(&shared.stop, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&shared.order, __ATOMIC_ACQUIRE) != ORDER_IDLE)
		;
}
