// SPDX-License-Identifier: GPL-2.0-only
/* The thread on the other vCPU, told what to do through memory */
#include <pthread.h>

#include "fabric.h"

#define LINE_ALIGNED	__attribute__((aligned(128)))

enum order { ORDER_IDLE, ORDER_STREAM, ORDER_END };

static struct {
	LINE_ALIGNED uint32_t order;	/* given by us, taken back by the other */
	unsigned int n, first, step;
	LINE_ALIGNED uint32_t stop;
	LINE_ALIGNED uint64_t written;
} shared;

static pthread_t thread;

static void stream(struct fabric *f)
{
	while (!__atomic_load_n(&shared.stop, __ATOMIC_RELAXED))
		__atomic_store_n(&shared.written, shared.written +
				 burst(f, shared.n, shared.first, shared.step),
				 __ATOMIC_RELAXED);
}

static void *run(void *arg)
{
	uint32_t order;

	on_cpu(1);
	do {
		order = __atomic_load_n(&shared.order, __ATOMIC_ACQUIRE);
		if (order == ORDER_STREAM)
			stream(arg);
		if (order != ORDER_IDLE)
			__atomic_store_n(&shared.order, ORDER_IDLE, __ATOMIC_RELEASE);
	} while (order != ORDER_END);
	return NULL;
}

void other_start(struct fabric *f)
{
	if (pthread_create(&thread, NULL, run, f))
		fail("cannot start a thread");
}

void other_stop(void)
{
	__atomic_store_n(&shared.order, ORDER_END, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

void other_stream(unsigned int n, unsigned int first, unsigned int step)
{
	shared.n = n;
	shared.first = first;
	shared.step = step;
	shared.stop = 0;
	__atomic_store_n(&shared.order, ORDER_STREAM, __ATOMIC_RELEASE);
}

uint64_t other_written(void)
{
	return __atomic_load_n(&shared.written, __ATOMIC_RELAXED);
}

void other_finish(void)
{
	__atomic_store_n(&shared.stop, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&shared.order, __ATOMIC_ACQUIRE) != ORDER_IDLE)
		;
}
