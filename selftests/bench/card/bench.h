/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a card costs in this guest: one process that is two replicas, a thread
 * on each of two vCPUs.
 *
 * Whatever is compared is measured in turns in the same process, because this
 * kind of machine has slow phases of seconds. Results are medians; a caller
 * runs several processes and judges the median of their ratios.
 *
 * Time is the time stamp counter, which costs a tenth of a clock call and is
 * the same on all vCPUs here. Loops that wait for memory do nothing else: an
 * emulator makes a long exit of a PAUSE.
 */
#ifndef OCF_BENCH_H
#define OCF_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ocfabric.h>

#define CYCLE_BYTES	(64u << 20)	/* more than caches hold */
#define QPN		7u		/* of both links, leads to the other */

/* ---- clock.c ---- */

static inline uint64_t ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a" (low), "=d" (high) : : "memory");
	return (uint64_t)high << 32 | low;
}

void clock_start(void);
double ticks_to_ns(uint64_t ticks);

/* What two readings of the clock with nothing in between differ by */
uint64_t clock_cost(void);

/* ---- samples.c ---- */

/* A series of samples under one name; printed when the process ends. */
struct series;

struct series *series_ns(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
struct series *series_rate(const char *unit, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A time between two clock readings, less what the clock costs */
void series_add_ticks(struct series *s, uint64_t ticks);

/* So many units of work in that time */
void series_add_rate(struct series *s, double units, uint64_t ticks);

void series_print(void);

/* ---- fail.c ---- */

void fail(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));

/* Every wait here spins; the process dies if it is not through by then. */
void deadline(unsigned int seconds);

/* ---- setup.c ---- */

struct end {
	struct ocf_replica *r;
	struct ocf_memory memory;	/* CYCLE_BYTES to send from */
	uint8_t *region;
	size_t region_length;
	uint8_t *page;			/* its doorbell page */
};

struct bench {
	struct end a, b;		/* used by vCPU 0, by vCPU 1 */
};

void setup(struct bench *bench);
void pin_to_cpu(unsigned int cpu);

/* ---- posting: inline, as it is in a program that cares ---- */

static inline void check(const struct ocf_completion *c)
{
	if (__builtin_expect(c->status != OCFABRIC_VERDICT_COMMITTED, 0))
		fail("a write ended as %s", ocf_verdict_name(c->status));
}

/* Takes the completions that are there. */
static inline void drain(struct ocf_replica *r)
{
	struct ocf_completion c[32];
	unsigned int n = ocf_poll(r, c, 32);

	for (unsigned int i = 0; i < n; i++)
		check(&c[i]);
}

static inline void drain_all(struct ocf_replica *r)
{
	while (r->done != r->posted)
		drain(r);
}

/* One completion, if there is one: cheaper than asking for many */
static inline bool take(struct ocf_replica *r)
{
	struct ocf_completion c;

	if (!ocf_poll(r, &c, 1))
		return false;
	check(&c);
	return true;
}

static inline void await(struct ocf_replica *r)
{
	while (!take(r))
		;
}

/* Posts; a full ring is drained first. */
static inline void post(const struct end *e, uint64_t to, uint64_t from,
			uint32_t size, uint32_t flags)
{
	while (__builtin_expect(ocf_post_write(e->r, QPN, to, size, e->memory.key,
					       from, flags) < 0, 0))
		drain(e->r);
}

/* ---- peer.c: the thread on vCPU 1 ---- */

void peer_start(struct bench *bench);
void peer_stop(void);

/*
 * The peer waits until *word is `first`, notes the time, answers, then waits for
 * the next number, `count` times.
 */
void peer_watch(volatile uint32_t *word, uint32_t first, uint32_t count);

/* Waits for the answer to `number` of either: when the peer saw it */
uint64_t peer_saw(uint32_t number);

/*
 * The peer arms a receive and waits for the completion, spinning or in
 * ocf_wait() without a spin, `count` times, numbered from 1.
 */
void peer_receive(uint32_t count, bool sleeps);

/* Waits until it has armed the receive of this number. */
void peer_armed(uint32_t number);

/* The peer streams writes, `per_bell` of `size` to a doorbell, until stopped. */
void peer_stream(uint32_t size, uint32_t per_bell);
uint64_t peer_streamed(void);

/* After any of these: until the peer has nothing to do */
void peer_finish(void);

/* ---- the measurements; each is called once before, and then in turns ---- */

struct measurement {
	void (*prepare)(struct bench *bench);
	void (*round)(struct bench *bench);
};

extern const struct measurement blocks_measurement;	/* blocks.c */
extern const struct measurement latency_measurement;	/* latency.c */
extern const struct measurement rate_measurement;	/* rate.c */
extern const struct measurement bytes_measurement;	/* bytes.c */
extern const struct measurement beside_measurement;	/* beside.c */
extern const struct measurement imm_measurement;	/* imm.c */
extern const struct measurement start_measurement;	/* start.c */

/* touch.c: pages that nobody touched since the guest started; once a slice */
void touch(struct bench *bench, unsigned int slice);

#endif
