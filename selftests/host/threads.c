// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two queues on two threads, each into the other's inbox: no completion, no
 * receive descriptor and no addition is lost, and none comes twice.
 */
#include <pthread.h>
#include <sched.h>

#include "machine.h"
#include "tap.h"

#define ROUNDS	20000u
#define SHIFT	6

static struct machine *m;

static void let_run(void)
{
	sched_yield();
}

static void tell(void *opaque, unsigned int queue, unsigned int what)
{
	(void)opaque;
	__atomic_fetch_or(&m->told[queue], what, __ATOMIC_SEQ_CST);
}

static void stored(void *opaque, unsigned int queue, unsigned int slot,
		   size_t offset, size_t n)
{
	(void)opaque, (void)queue, (void)slot, (void)offset, (void)n;
}

/* What a thread has seen come to its replica. */
struct seen {
	unsigned int id;
	uint32_t sent;		/* own completions */
	uint32_t received;
	uint32_t failed;
	uint32_t wrong;
};

static void take(struct seen *s)
{
	struct ocfabric_cqe e;

	while (machine_take(m, s->id, &e)) {
		if (!(e.flags & OCFABRIC_CQE_RECEIVE)) {
			s->sent++;
			s->failed += e.status == OCFABRIC_VERDICT_RNR;
			s->wrong += e.status && e.status != OCFABRIC_VERDICT_RNR;
			continue;
		}
		s->wrong += e.source == s->id || e.index != s->received % (1 << SHIFT);
		s->received++;
		machine_recv(m, s->id, 1);
		ocf_inbox_ring(&m->inbox[s->id], 1);
	}
}

static void run(unsigned int id)
{
	struct ocf_budget b = { 16, 1 << 20 };

	__atomic_fetch_and(&m->told[id], ~OCF_TELL_WORK, __ATOMIC_SEQ_CST);
	ocf_queue_run(&m->queue[id], &b);
}

/* An immediate and a semaphore at a time, then what the other sent is waited for. */
static void *replica(void *opaque)
{
	struct seen *s = opaque;
	struct ocfabric_desc d = machine_write(0, 64, 0, 1);
	uint32_t i;

	d.opcode = OCFABRIC_OP_WRITE_IMM;
	for (i = 0; i < ROUNDS; i++) {
		machine_post(m, s->id, d);
		machine_post(m, s->id, machine_sem(OCFABRIC_OP_SEM_REMOTE, 5, 3));
		machine_post(m, s->id, machine_sem(OCFABRIC_OP_SEM_LOCAL, 5, 4));
		machine_post(m, s->id, machine_sem(OCFABRIC_OP_WAIT, 5, 7 * i));
		ocf_queue_ring(&m->queue[s->id], 4);
		while (s->sent < 4 * (i + 1) &&
		       m->queue[s->id].state == OCFABRIC_QUEUE_ENABLED) {
			run(s->id);
			take(s);
			if (s->sent < 4 * (i + 1))
				sched_yield();
		}
	}
	return s;
}

static void both(void)
{
	struct seen seen[QUEUES] = { { .id = 0 }, { .id = 1 } };
	pthread_t other;
	unsigned int q;

	m = machine_new(true, 0);
	m->host.pause = let_run;
	m->host.tell = tell;
	m->host.stored = stored;
	for (q = 0; q < QUEUES; q++) {
		machine_enable(m, q, SHIFT);
		machine_key(m, q, 1);
		machine_recv(m, q, 1 << SHIFT);
		ocf_inbox_ring(&m->inbox[q], 1 << SHIFT);
	}
	if (pthread_create(&other, NULL, replica, &seen[1]))
		abort();
	replica(&seen[0]);
	pthread_join(other, NULL);
	take(&seen[0]);
	take(&seen[1]);
	for (q = 0; q < QUEUES; q++) {
		const struct ocf_inbox *b = &m->inbox[q];

		CHECK(m->queue[q].state == OCFABRIC_QUEUE_ENABLED, "cause %u",
		      m->queue[q].cause);
		CHECK(seen[q].sent == 4 * ROUNDS && !seen[q].wrong,
		      "queue %u: %u sent, %u wrong", q, seen[q].sent,
		      seen[q].wrong);
		CHECK(seen[q].received + seen[!q].failed == ROUNDS,
		      "queue %u: %u received, %u not taken", q,
		      seen[q].received, seen[!q].failed);
		CHECK(b->sem[5] == 7 * ROUNDS && machine_mirror(m, q, 5) ==
		      b->sem[5], "%u", b->sem[5]);
		CHECK(!b->held && !b->rx_held && b->rx_head == seen[q].received);
		CHECK(b->produced == seen[q].sent + seen[q].received);
	}
	CHECK(machine_valid(m));
	machine_free(m);
}

static const struct tap_test tests[] = {
	{ "two queues into each other", both },
};

TAP_MAIN(tests)
