// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "machine.h"

#include "tap.h"

static uint8_t *at(struct machine *m, uint64_t addr, uint64_t n)
{
	uint64_t offset = addr - DMA_BASE;

	return addr >= DMA_BASE && offset <= m->size && n <= m->size - offset ?
		       m->memory + offset : NULL;
}

static bool read_host(void *opaque, uint64_t addr, void *buf, size_t n)
{
	const uint8_t *from = at(opaque, addr, n);

	if (from)
		memcpy(buf, from, n);
	return from;
}

static bool write_host(void *opaque, uint64_t addr, const void *buf, size_t n)
{
	uint8_t *to = at(opaque, addr, n);

	if (to)
		memcpy(to, buf, n);
	return to;
}

static const void *map(void *opaque, uint64_t addr, uint64_t n)
{
	struct machine *m = opaque;

	return m->mapped ? at(m, addr, n) : NULL;
}

/* A hook is called with at most one inbox locked. */
static bool one_locked(const struct machine *m)
{
	unsigned int i, locked = 0;

	for (i = 0; i < OCF_REPLICAS; i++)
		locked += m->inbox[i].locked;
	return locked <= 1;
}

static void *map_written(void *opaque, unsigned int queue, unsigned int slot,
			 uint64_t addr, size_t n)
{
	struct machine *m = opaque;

	CHECK(queue < QUEUES && slot < OCF_SLOTS);
	return m->mapped ? at(m, addr, n) : NULL;
}

static void stored(void *opaque, unsigned int queue, unsigned int slot,
		   size_t offset, size_t n)
{
	struct machine *m = opaque;
	const struct ocf_ring *r = &m->inbox[queue].cq;

	CHECK(n && one_locked(m));
	if (slot == OCF_SLOT_SEMAPHORES) {
		CHECK(offset + n <= 4 * OCFABRIC_SEMAPHORES);
		m->mirrored += n;
		return;
	}
	CHECK(slot < ocf_ring_chunks(r) && offset + n <= ocf_ring_chunk_bytes(r));
	m->stored += n;
}

/* There is one thread here: it would wait for itself. */
static void pause_forever(void)
{
	fprintf(stderr, "an inbox is locked twice\n");
	abort();
}

static void tell(void *opaque, unsigned int queue, unsigned int what)
{
	struct machine *m = opaque;

	CHECK(one_locked(m));
	m->told[queue] |= what;
}

static void wait_for(void *opaque, unsigned int queue, uint64_t cycle)
{
	struct machine *m = opaque;

	CHECK(cycle > m->clock, "a wait for the past");
	m->wait[queue] = cycle;
}

static bool arm_take(void *opaque, unsigned int link, unsigned int peer)
{
	return ocf_queue_arm(&((struct machine *)opaque)->queue[link], peer);
}

static void arm_return(void *opaque, unsigned int link, unsigned int peer)
{
	ocf_queue_disarm(&((struct machine *)opaque)->queue[link], peer);
}

static uint64_t now(void *opaque)
{
	return ((struct machine *)opaque)->clock;
}

void machine_restart(struct machine *m, bool mapped, uint32_t latency)
{
	struct ocf_config *cfg;
	unsigned int q;

	memset(m->memory, 0, m->size);
	memset(m->t->hbm_memory, 0, MACHINE_HBM);
	ocf_card_reset(&m->t->card);
	m->mapped = mapped;
	m->clock = 0;
	m->t->card.hooks = (struct ocf_hooks){
		.opaque = m, .arm_take = arm_take, .arm_return = arm_return,
	};
	cfg = test_card_drain(m->t);
	cfg->n = QUEUES;
	cfg->latency = latency;
	for (q = 0; q < QUEUES; q++) {
		cfg->region[q] = (struct ocf_region){ q * MACHINE_REGION,
						      MACHINE_REGION };
		cfg->conn[q][0] = (uint8_t)!q;
		cfg->windows[q] = (struct ocf_window){
			.src = (uint8_t)q, .dst = (uint8_t)!q,
			.length = MACHINE_REGION, .valid = true,
			.sem_count = 32,
		};
		ocf_queue_init(&m->queue[q], &m->t->card, &m->host, q,
			       m->range[q], m->inbox);
		m->posted[q] = m->taken[q] = m->armed[q] = 0;
		m->told[q] = 0;
		m->wait[q] = 0;
	}
	for (; q < OCF_REPLICAS; q++)
		ocf_inbox_init(&m->inbox[q], &m->host, q);
	test_card_resume(m->t);
}

void machine_resize(struct machine *m, uint64_t size)
{
	free(m->memory);
	m->size = size;
	m->memory = calloc(1, size);
	if (!m->memory)
		abort();
}

struct machine *machine_new(bool mapped, uint32_t latency)
{
	struct machine *m = calloc(1, sizeof(*m));

	if (!m)
		abort();
	machine_resize(m, MEMORY_SIZE);
	m->t = test_card_new(MACHINE_HBM);
	m->host = (struct ocf_host){
		.opaque = m, .read = read_host, .write = write_host, .map = map,
		.map_written = map_written, .stored = stored, .pause = pause_forever,
		.tell = tell, .wait = wait_for, .now = now,
		.clock_mhz = 250,
	};
	machine_restart(m, mapped, latency);
	return m;
}

void machine_free(struct machine *m)
{
	test_card_free(m->t);
	free(m->memory);
	free(m);
}

struct ocfabric_hw_queue machine_queue_struct(unsigned int q,
					      unsigned int shift)
{
	struct ocfabric_hw_queue hw = {
		.tx_shift = (uint8_t)shift, .rx_shift = (uint8_t)shift,
		.cq_shift = (uint8_t)(shift + 1), .chunk_shift = 12,
		.owner = DMA_BASE + OWNER_AT(q),
		.semaphores = DMA_BASE + SEM_AT(q),
	};
	unsigned int i;

	for (i = 0; i << 12 < 64u << shift; i++)
		hw.tx_chunk[i] = DMA_BASE + TX_AT(q) + (i << 12);
	for (i = 0; i << 12 < 16u << shift; i++)
		hw.rx_chunk[i] = DMA_BASE + RX_AT(q) + (i << 12);
	for (i = 0; i << 12 < 64u << shift; i++)
		hw.cq_chunk[i] = DMA_BASE + CQ_AT(q) + (i << 12);
	return hw;
}

void machine_enable(struct machine *m, unsigned int q, unsigned int shift)
{
	struct ocfabric_hw_queue hw = machine_queue_struct(q, shift);
	struct ocfabric_owner owner = { .arm = 0x7fffffff };

	memset(m->memory + TX_AT(q), 0, OWNER_AT(0));
	memset(m->memory + RX_AT(q), 0, 16u << shift);
	memcpy(m->memory + OWNER_AT(q), &owner, sizeof(owner));
	memcpy(m->memory + STRUCT_AT(q), &hw, sizeof(hw));
	m->posted[q] = m->taken[q] = m->armed[q] = 0;
	CHECK(ocf_queue_enable(&m->queue[q], DMA_BASE + STRUCT_AT(q)) ==
	      OCFABRIC_RESULT_OK);
}

void machine_key(struct machine *m, unsigned int q, uint32_t key)
{
	struct ocfabric_hw_range r = { DMA_BASE + SOURCE_AT(q), SOURCE_BYTES };

	memcpy(m->memory + LIST_AT(q), &r, sizeof(r));
	CHECK(ocf_key_add(&m->queue[q].keys, &m->host, key, 0,
			  DMA_BASE + LIST_AT(q), 1) == OCFABRIC_RESULT_OK);
}

struct ocfabric_desc machine_write(uint64_t raddr, uint32_t len, uint64_t addr,
				   uint32_t key)
{
	struct ocfabric_desc d = {
		.opcode = OCFABRIC_OP_WRITE, .raddr = raddr, .len = len,
	};

	d.addr = addr;
	d.key = key;
	return d;
}

struct ocfabric_desc machine_sem(uint8_t opcode, unsigned int sem,
				 uint32_t value)
{
	return (struct ocfabric_desc){
		.opcode = opcode, .sem = (uint16_t)sem, .len = value,
	};
}

void machine_recv(struct machine *m, unsigned int q, unsigned int n)
{
	const struct ocf_ring *rx = &m->inbox[q].rx;

	for (; n; n--) {
		uint32_t count = m->armed[q]++;
		struct ocfabric_rx_desc d = { .flags = ocf_ring_tag(rx, count) };

		memcpy(m->memory + RX_AT(q) + 16 * ocf_ring_index(rx, count), &d,
		       sizeof(d));
	}
}

uint32_t machine_mirror(struct machine *m, unsigned int q, unsigned int sem)
{
	uint32_t value;

	memcpy(&value, m->memory + SEM_AT(q) + 4 * sem, sizeof(value));
	return value;
}

void machine_own(struct machine *m, unsigned int q, size_t offset,
		 uint32_t value)
{
	memcpy(m->memory + OWNER_AT(q) + offset, &value, sizeof(value));
}

void machine_post(struct machine *m, unsigned int q, struct ocfabric_desc d)
{
	const struct ocf_ring *tx = &m->queue[q].tx;
	uint32_t count = m->posted[q]++;

	d.flags |= ocf_ring_tag(tx, count);
	memcpy(m->memory + TX_AT(q) + 64 * ocf_ring_index(tx, count), &d,
	       sizeof(d));
}

enum ocf_next machine_run(struct machine *m, unsigned int q)
{
	enum ocf_next next;

	do {
		struct ocf_budget b = { 64, 1 << 20 };

		next = ocf_queue_run(&m->queue[q], &b);
	} while (next == OCF_NEXT_RUN);
	return next;
}

void machine_work(struct machine *m)
{
	unsigned int q, turns;

	/* two queues may wake each other for ever; here none has that much */
	for (turns = 0; turns < 10000; turns++) {
		for (q = 0; q < QUEUES && !(m->told[q] & OCF_TELL_WORK); q++)
			;
		if (q == QUEUES)
			return;
		m->told[q] &= ~OCF_TELL_WORK;
		machine_run(m, q);
	}
	CHECK(false, "they never come to rest");
}

void machine_do(struct machine *m, unsigned int q, struct ocfabric_desc d)
{
	machine_post(m, q, d);
	ocf_queue_ring(&m->queue[q], 1);
	machine_run(m, q);
	machine_work(m);
}

bool machine_valid(struct machine *m)
{
	struct ocf_queue *queue[QUEUES];
	struct ocf_inbox inbox[QUEUES];
	unsigned int q;

	memcpy(inbox, m->inbox, sizeof(inbox));
	for (q = 0; q < QUEUES; q++)
		queue[q] = &m->queue[q];
	if (!ocf_queues_valid(queue, QUEUES))
		return false;
	/* what is not saved comes out as it was */
	for (q = 0; q < QUEUES; q++) {
		CHECK(inbox[q].held == m->inbox[q].held, "%u held, not %u",
		      m->inbox[q].held, inbox[q].held);
		CHECK(inbox[q].rx_held == m->inbox[q].rx_held);
		CHECK(inbox[q].takes == m->inbox[q].takes);
		CHECK(inbox[q].waiting == m->inbox[q].waiting);
		m->inbox[q].due = inbox[q].due;
	}
	return true;
}

bool machine_take(struct machine *m, unsigned int q, struct ocfabric_cqe *e)
{
	const struct ocf_ring *cq = &m->inbox[q].cq;
	uint32_t consumer;

	memcpy(e, m->memory + CQ_AT(q) + 32 * ocf_ring_index(cq, m->taken[q]),
	       sizeof(*e));
	if ((e->flags & OCFABRIC_CQE_TAG_MASK) != ocf_ring_tag(cq, m->taken[q]))
		return false;
	consumer = ++m->taken[q];
	memcpy(m->memory + OWNER_AT(q), &consumer, sizeof(consumer));
	return true;
}
