// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The measurements, as perftest makes them
 *
 * Latency: one replica writes, the other waits in its region for the last byte
 * and writes back; half of the round trip counts. Bandwidth: as many writes
 * under way as DEPTH, a doorbell for each. One thread is both replicas, so that a
 * machine of one processor measures the card and not its scheduler.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "perf.h"

#define WARM_UP		100
#define DEPTH		128
#define LOOK_EACH	1024	/* turns of a waiting loop */
#define WAIT_NS		(5 * NS_PER_S)

/* Stops a loop that waits: signals, limits, a card that is gone. */
static int look_up(const struct perf *perf, const struct ocf_replica *r,
		   int64_t limit)
{
	struct ocfabric_queue_get queue;
	int64_t now = now_ns();

	if (caught_signal)
		return fail(ST_SIGNAL + caught_signal, "interrupted");
	if (!ocf_alive(r))
		return wait_failed(r, -ENODEV);
	if (!ocf_queue_status(r, &queue) &&
	    queue.out_state == OCFABRIC_QUEUE_STOPPED)
		return wait_failed(r, -EPIPE);
	if (now >= perf->ctl->deadline)
		return fail(ST_TIMEOUT, "the time limit passed");
	return now >= limit ? wait_failed(r, -ETIMEDOUT) : 0;
}

static int check_verdict(const struct end *end, const struct ocf_completion *c)
{
	if (c->status == OCFABRIC_VERDICT_COMMITTED)
		return 0;
	if (c->status == OCFABRIC_VERDICT_QP_STATE)
		return fail(ST_REFUSED, "a write of replica %u, QPN %u: %s; fabricctl show qps link %u qpn %u says what to do",
			    end->id, c->qpn, ocf_verdict_name(c->status),
			    end->id, c->qpn);
	return fail(ST_REFUSED, "a write of replica %u, QPN %u: %s: %s", end->id,
		    c->qpn, ocf_verdict_name(c->status),
		    ocf_verdict_text(c->status));
}

static int post(const struct end *end, uint32_t size)
{
	if (size <= OCFABRIC_INLINE_MAX)
		return ocf_post_inline(end->r, end->path.qpn, end->path.raddr,
				       size, end->memory.addr, 0);
	return ocf_post_write(end->r, end->path.qpn, end->path.raddr, size,
			      end->memory.key, 0, 0);
}

/* ---- latency ------------------------------------------------------------ */

/* The completion of the one write that is under way. */
static int finish(const struct perf *perf, const struct end *end)
{
	int64_t limit = now_ns() + WAIT_NS;
	struct ocf_completion c;
	unsigned int turns = 0;
	int error;

	while (!ocf_poll(end->r, &c, 1)) {
		if (++turns % LOOK_EACH)
			continue;
		error = look_up(perf, end->r, limit);
		if (error)
			return error;
	}
	return check_verdict(end, &c);
}

/* It completed, and the bytes are not there: as a rule it was not committed. */
static int not_seen(const struct perf *perf, const struct end *from)
{
	int error = finish(perf, from);

	return error ? error :
	       fail(ST_REFUSED, "a write of replica %u was committed and is not seen: does somebody else write there?",
		    from->id);
}

static int until_seen(const struct perf *perf, const struct end *from,
		      const volatile uint8_t *last, uint8_t value)
{
	int64_t limit = now_ns() + WAIT_NS;
	unsigned int turns = 0;
	int error;

	while (*last != value) {
		if (++turns % LOOK_EACH)
			continue;
		if (ocf_ready(from->r)) {
			ocf_rmb_tag_before_cqe();
			if (*last != value)
				return not_seen(perf, from);
		}
		error = look_up(perf, from->r, limit);
		if (error)
			return error;
	}
	return 0;
}

static int one_way(const struct perf *perf, const struct end *from,
		   const struct end *to, uint32_t size, uint8_t value)
{
	uint8_t *source = from->memory.addr;
	int error;

	source[size - 1] = value;
	error = post(from, size);
	if (error < 0)
		return fail(ST_REFUSED, "posting: %s", strerror(-error));
	ocf_ring(from->r);
	return until_seen(perf, from, to->region + from->path.raddr + size - 1,
			  value);
}

int run_latency(struct perf *perf, uint32_t size)
{
	const struct end *a = &perf->end[0], *b = &perf->end[1];
	uint64_t i, total = perf->iterations + WARM_UP;
	uint8_t value = (uint8_t)(b->region[a->path.raddr + size - 1]);
	int64_t start = now_ns(), now;
	int error = 0;

	/* The bytes that are there are no answer: the first value is another. */
	if (a->region[b->path.raddr + size - 1] == (uint8_t)(value + 1))
		value++;
	for (i = 0; i < total && !error; i++) {
		value++;
		if (!((i + 1) % LOOK_EACH))
			error = look_up(perf, a->r, INT64_MAX);
		if (!error)
			error = one_way(perf, a, b, size, value);
		if (!error)
			error = one_way(perf, b, a, size, value);
		if (!error)
			error = finish(perf, a);
		if (!error)
			error = finish(perf, b);
		now = now_ns();
		if (i >= WARM_UP)
			perf->sample[i - WARM_UP] = (double)(now - start) / 2;
		start = now;
	}
	return error;
}

/* ---- bandwidth ---------------------------------------------------------- */

/* Notes when each that has come was done; how many, or -1 - status. */
static int take_done(struct perf *perf, uint64_t done)
{
	const struct end *end = &perf->end[0];
	struct ocf_completion c[32];
	unsigned int i, n = ocf_poll(end->r, c, ARRAY_SIZE(c));
	int64_t now = n ? now_ns() : 0;
	int error;

	for (i = 0; i < n; i++) {
		error = check_verdict(end, &c[i]);
		if (error)
			return -1 - error;
		perf->sample[done + i] = (double)now;
	}
	return (int)n;
}

static int send_all(struct perf *perf, uint32_t size, uint64_t nr)
{
	const struct end *end = &perf->end[0];
	uint64_t posted = 0, done = 0;
	int64_t progress = now_ns();
	unsigned int turns = 0;
	int n, error;

	while (done < nr) {
		if (posted < nr && posted - done < DEPTH) {
			perf->posted[posted] = now_ns();
			if (post(end, size) >= 0) {
				ocf_ring(end->r);
				posted++;
			}
		}
		n = take_done(perf, done);
		if (n < 0)
			return -1 - n;
		done += (uint64_t)n;
		if (n)
			progress = (int64_t)perf->sample[done - 1];
		error = ++turns % LOOK_EACH ? 0 :
			look_up(perf, end->r, progress + WAIT_NS);
		if (error)
			return error;
	}
	return 0;
}

/* The shortest time that DEPTH writes in a row took, for each of them. */
static double best_time(const struct perf *perf)
{
	uint64_t nr = perf->iterations, i;
	uint64_t span = nr < DEPTH ? nr : DEPTH;
	double best = 0;

	for (i = 0; i + span <= nr; i++) {
		double t = (perf->sample[i + span - 1] - (double)perf->posted[i]) /
			   (double)span;

		if (!i || t < best)
			best = t;
	}
	return best > 1 ? best : 1;
}

int run_bandwidth(struct perf *perf, uint32_t size, struct bandwidth *result)
{
	uint64_t nr = perf->iterations;
	double time;
	int error;

	error = send_all(perf, size, nr < WARM_UP ? nr : WARM_UP);
	if (!error)
		error = send_all(perf, size, nr);
	if (error)
		return error;
	time = perf->sample[nr - 1] - (double)perf->posted[0];
	time = time > 1 ? time : 1;
	result->messages = (double)nr * NS_PER_S / time;
	result->average = result->messages * size;
	result->peak = (double)size * NS_PER_S / best_time(perf);
	return 0;
}
