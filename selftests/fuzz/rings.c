// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two queues of the model whose host memory the input writes: descriptors, receive
 * descriptors, owner lines, structures of rings, lists of ranges. Whatever it says,
 * nothing but rings of completions and semaphore pages is written, no byte of the HBM
 * outside of the windows, all counters add up, and the queues stay ones that could be
 * saved and loaded.
 */
#include "fuzz.h"
#include "machine.h"
#include "tap.h"

#define WINDOW_AT	0x1000u
#define WINDOW_SIZE	0x8000u

static struct machine *m;
static uint8_t before[MEMORY_SIZE];

static void start(struct bytes *b)
{
	uint8_t how = take8(b);
	struct ocf_config *cfg;
	unsigned int q;

	if (!m)
		m = machine_new(true, 0);
	machine_restart(m, how & 1, how & 2 ? 3 : 0);
	cfg = test_card_drain(m->t);
	for (q = 0; q < QUEUES; q++) {
		cfg->windows[q].offset = WINDOW_AT;
		cfg->windows[q].length = WINDOW_SIZE;
	}
	test_card_resume(m->t);
	for (q = 0; q < QUEUES; q++) {
		machine_enable(m, q, 4 + (how >> 2 & 1));
		machine_key(m, q, 1);
	}
}

/* A descriptor that is good but for what the input says. */
static void post(struct bytes *b, unsigned int q)
{
	struct ocfabric_desc d;
	uint8_t how = take8(b);

	if (how & 1) {
		take(b, &d, sizeof(d));
		d.flags &= ~OCFABRIC_DESC_TAG_MASK;
	} else if (how & 2) {
		d = machine_sem(OCFABRIC_OP_SEM_LOCAL + how / 4 % 3, take8(b) % 70,
				take8(b));
	} else {
		d = machine_write(4ull * take16(b), take16(b), take16(b), how & 4 ?
				  OCFABRIC_KEY_REGION : 1);
		d.opcode = how & 8 ? OCFABRIC_OP_WRITE_IMM : OCFABRIC_OP_WRITE;
		d.flags = how & 0x10 ? OCFABRIC_DESC_UNSIGNALED : 0;
	}
	machine_post(m, q, d);
}

/* What the card never writes: the rest of memory the input may change any time. */
static void scribble(struct bytes *b, unsigned int q)
{
	static const uint32_t place[] = {
		TX_AT(0), OWNER_AT(0), STRUCT_AT(0), LIST_AT(0), RX_AT(0),
		SOURCE_AT(0),
	};
	uint32_t at = place[take8(b) % 6] + q * BLOCK + 8u * take8(b);
	uint64_t word = take64(b);

	memcpy(m->memory + at, &word, sizeof(word));
}

/* Anywhere in that memory, or nowhere. */
static uint64_t address(struct bytes *b)
{
	return take8(b) & 3 ? DMA_BASE + 64ull * take16(b) : take64(b);
}

static void reshape(struct bytes *b, unsigned int q)
{
	struct ocfabric_hw_queue hw = machine_queue_struct(q, 4);
	uint8_t how = take8(b);

	ocf_queue_disable(&m->queue[q], how & 1);
	if (how & 2)
		hw.tx_chunk[take8(b) % OCFABRIC_TX_CHUNKS_MAX] = address(b);
	if (how & 4)
		hw.chunk_shift = take8(b);
	if (how & 8)
		hw.tx_shift = take8(b);
	if (how & 16)
		hw.rx_shift = take8(b);
	if (how & 32)
		hw.owner = address(b);
	memcpy(m->memory + STRUCT_AT(q), &hw, sizeof(hw));
	if (ocf_queue_enable(&m->queue[q], DMA_BASE + STRUCT_AT(q)) ==
	    OCFABRIC_RESULT_OK)
		m->posted[q] = m->armed[q] = m->taken[q] = 0;
}

/* A list of ranges as the input has it, which need not add up to anything. */
static void add_key(struct bytes *b, unsigned int q)
{
	struct ocfabric_hw_range r[4];
	uint8_t how = take8(b);
	unsigned int i;

	for (i = 0; i < 4; i++)
		r[i] = (struct ocfabric_hw_range){
			address(b), how & 1 << i ? take16(b) : take64(b) };
	memcpy(m->memory + LIST_AT(q), r, sizeof(r));
	if (how & 0x40)
		ocf_key_del(&m->queue[q].keys, take8(b) & 3);
	ocf_key_add(&m->queue[q].keys, &m->host, take8(b) & 3, take32(b),
		    DMA_BASE + LIST_AT(q), how & 0x20 ? take32(b) : 1 + (how >> 4 & 3));
}

static void qp(struct bytes *b, unsigned int q)
{
	struct ocf_qp_attrs a = { 0 };
	unsigned int i;

	if (take8(b) & 1) {
		ocf_queue_recover_qp(&m->queue[q], take8(b) & 3);
		return;
	}
	a.valid = take16(b);
	for (i = 0; i < OCFABRIC_QP_ATTRS; i++)
		a.value[i] = a.valid >> i & 1 ? take8(b) : 0;
	ocf_queue_modify_qp(&m->queue[q], take8(b) & 3, &a);
}

/* Not written: structures, lists, sources, and what no queue was given. */
static void kept(void)
{
	unsigned int q;

	for (q = 0; q < QUEUES; q++) {
		MUST(!memcmp(m->memory + TX_AT(q), before + TX_AT(q),
			     CQ_AT(0) - TX_AT(0)));
		MUST(!memcmp(m->memory + OWNER_AT(q), before + OWNER_AT(q),
			     SEM_AT(0) - OWNER_AT(0)));
		MUST(!memcmp(m->memory + STRUCT_AT(q), before + STRUCT_AT(q),
			     BLOCK - STRUCT_AT(0)));
	}
	MUST(!memcmp(m->memory + QUEUES * BLOCK, before + QUEUES * BLOCK,
		     MEMORY_SIZE - QUEUES * BLOCK));
}

static void no_store_outside_of_windows(void)
{
	const uint8_t *hbm = m->t->hbm_memory;
	uint64_t i;

	for (i = 0; i < MACHINE_HBM; i += 8) {
		uint64_t in_region = i % MACHINE_REGION, word;

		memcpy(&word, hbm + i, 8);
		MUST(!word || (in_region >= WINDOW_AT &&
			       in_region < WINDOW_AT + WINDOW_SIZE));
	}
}

static void check(bool shaped)
{
	unsigned int q;

	MUST(machine_valid(m));
	for (q = 0; q < QUEUES; q++) {
		MUST(ocf_link_adds_up(&m->t->card.link[q]));
		MUST(m->queue[q].busy ||
		     ocf_counters_add_up(&m->t->card.link[q].counters));
	}
	if (!shaped)
		kept();
	MUST(!tap_failures);
}

static void step(struct bytes *b, bool *shaped)
{
	uint8_t what = take8(b);
	unsigned int q = what >> 7;
	struct ocf_budget budget;

	switch (what % 12) {
	case 0:
		scribble(b, q);
		break;
	case 1:
		machine_recv(m, q, take8(b) & 15);
		break;
	case 2:
		ocf_inbox_ring(&m->inbox[q], take8(b));
		break;
	case 3:
		ocf_queue_ring(&m->queue[q], take8(b) & 1 ? take64(b) : take8(b));
		break;
	case 4:
		m->clock += take8(b);
		break;
	case 5:
		reshape(b, q);
		*shaped = true;
		break;
	case 6:
		add_key(b, q);
		break;
	case 7:
		qp(b, q);
		break;
	case 8:
		if (what & 0x40)
			ocf_queue_reset_link(&m->queue[q]);
		else
			ocf_queue_disable(&m->queue[q], take8(b) & 1);
		break;
	default:
		post(b, q);
		if (what & 0x40)
			ocf_queue_ring(&m->queue[q], 1);
		break;
	}
	budget = (struct ocf_budget){ 16, 1 << 16 };
	memcpy(before, m->memory, MEMORY_SIZE);
	ocf_queue_run(&m->queue[q], &budget);
	check(*shaped);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = { data, size };
	bool shaped = false;
	unsigned int i;

	start(&b);
	for (i = 0; i < 100 && b.left; i++)
		step(&b, &shaped);
	no_store_outside_of_windows();
	return 0;
}
