// SPDX-License-Identifier: GPL-2.0-only
#include "card.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MORE 32
#define PCI_COMMAND 4
#define PCI_CAPS 0x34
#define CAP_MSIX 0x11
#define MSIX_ENABLE 0x80000000u
#define MSI_NEVER 0xffffffffu

/* ---- the machine ---- */

struct card *card_start_bare(const char *options, const char *const *more)
{
	struct card *c = calloc(1, sizeof(*c));
	char device[256];
	const char *args[MAX_MORE + 6] = {
		"-machine", "q35,accel=qtest", "-device", device,
	};
	size_t n = 4;

	if (!c)
		qtest_die("no memory");
	snprintf(device, sizeof(device), "ocfabric,id=card,addr=%d.0%s%s",
		 CARD_SLOT, *options ? "," : "", options);
	while (more && *more && n < MAX_MORE)
		args[n++] = *more++;
	c->options = options;
	c->q = qtest_start(args);
	return c;
}

struct card *card_start_with(const char *options, const char *const *more)
{
	struct card *c = card_start_bare(options, more);

	card_set_bars(c);
	return c;
}

struct card *card_start(const char *options)
{
	return card_start_with(options, NULL);
}

void card_end(struct card *c)
{
	qtest_end(c->q);
	free(c);
}

bool card_set(struct card *c, const char *property, const char *value)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "{\"execute\":\"qom-set\",\"arguments\":{\"path\":"
		 "\"/machine/peripheral/card\",\"property\":\"%s\",\"value\":%s}}",
		 property, value);
	return !strncmp(qtest_qmp(c->q, command), "{\"return\"", 9);
}

static void pci_select(struct card *c, unsigned int offset)
{
	qtest_outl(c->q, 0xcf8, 0x80000000u | CARD_SLOT << 11 | offset);
}

uint32_t pci_read(struct card *c, unsigned int offset)
{
	pci_select(c, offset);
	return qtest_inl(c->q, 0xcfc);
}

void pci_write(struct card *c, unsigned int offset, uint32_t value)
{
	pci_select(c, offset);
	qtest_outl(c->q, 0xcfc, value);
}

void card_bus_master(struct card *c, bool on)
{
	pci_write(c, PCI_COMMAND, on ? 6 : 2);
}

void card_set_bars(struct card *c)
{
	pci_write(c, 0x10, (uint32_t)BAR_CONTROL);
	pci_write(c, 0x18, (uint32_t)BAR_DOORBELL);
	pci_write(c, 0x20, (uint32_t)BAR_HBM);
	pci_write(c, 0x24, (uint32_t)(BAR_HBM >> 32));
	card_bus_master(c, true);
}

unsigned int pci_find_cap(struct card *c, uint8_t id)
{
	unsigned int at = pci_read(c, PCI_CAPS) & 0xfc, hops = 0;

	while (at && hops++ < 48) {
		uint32_t cap = pci_read(c, at);

		if ((cap & 0xff) == id)
			return at;
		at = cap >> 8 & 0xfc;
	}
	CHECK(false, "no capability 0x%x", id);
	return 0;
}

/* ---- registers ---- */

uint32_t rd32(struct card *c, uint32_t reg)
{
	return (uint32_t)qtest_read(c->q, BAR_CONTROL + reg, 4);
}

uint64_t rd64(struct card *c, uint32_t reg)
{
	return qtest_read(c->q, BAR_CONTROL + reg, 8);
}

void wr32(struct card *c, uint32_t reg, uint32_t value)
{
	qtest_write(c->q, BAR_CONTROL + reg, 4, value);
}

void wr64(struct card *c, uint32_t reg, uint64_t value)
{
	qtest_write(c->q, BAR_CONTROL + reg, 8, value);
}

bool card_wait(struct card *c, uint32_t reg, uint32_t mask, uint32_t value)
{
	uint64_t start = qtest_now_ms();

	while ((rd32(c, reg) & mask) != value) {
		if (qtest_late(start)) {
			CHECK(false, "register 0x%x is 0x%x, & 0x%x never 0x%x",
			      reg, rd32(c, reg), mask, value);
			return false;
		}
		qtest_yield();
	}
	return true;
}

void card_drain(struct card *c)
{
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_DRAIN);
	card_wait(c, OCFABRIC_REG_STATUS, OCFABRIC_STATUS_DRAINED,
		  OCFABRIC_STATUS_DRAINED);
}

void card_resume(struct card *c)
{
	wr32(c, OCFABRIC_REG_CONTROL, 0);
}

uint32_t card_qpn(unsigned int n, unsigned int src, unsigned int dst)
{
	return (n - 1) * src + (dst < src ? dst : dst - 1);
}

static void set_window(struct card *c, unsigned int w, unsigned int src,
		       unsigned int dst)
{
	uint32_t at = OCFABRIC_REG_WINDOW(w);

	wr64(c, at + OCFABRIC_WINDOW_OFFSET, 0);
	wr64(c, at + OCFABRIC_WINDOW_LENGTH, REGION_SIZE);
	wr32(c, at + OCFABRIC_WINDOW_SEMAPHORES,
	     32 << OCFABRIC_WINDOW_SEM_COUNT_SHIFT | 8);
	wr32(c, at + OCFABRIC_WINDOW_ROUTE,
	     OCFABRIC_WINDOW_VALID | dst << OCFABRIC_WINDOW_DST_SHIFT | src);
}

void card_configure(struct card *c, unsigned int n, uint32_t latency)
{
	unsigned int src, dst, w = 0;

	card_drain(c);
	wr32(c, OCFABRIC_REG_CFG_N, n);
	wr32(c, OCFABRIC_REG_CFG_LATENCY, latency);
	for (src = 0; src < n; src++) {
		wr64(c, OCFABRIC_REG_REGION_BASE(src), REGION(src));
		wr64(c, OCFABRIC_REG_REGION_SIZE(src), REGION_SIZE);
		for (dst = 0; dst < n; dst++) {
			if (dst == src)
				continue;
			wr32(c, OCFABRIC_REG_CONN(src, card_qpn(n, src, dst)),
			     OCFABRIC_CONN_VALID | dst);
			set_window(c, w++, src, dst);
		}
	}
	card_resume(c);
}

uint32_t card_cmd(struct card *c, uint32_t opcode, uint32_t queue, uint64_t a0,
		  uint64_t a1, uint64_t a2, uint64_t a3)
{
	wr64(c, OCFABRIC_REG_CMD_ARG(0), a0);
	wr64(c, OCFABRIC_REG_CMD_ARG(1), a1);
	wr64(c, OCFABRIC_REG_CMD_ARG(2), a2);
	wr64(c, OCFABRIC_REG_CMD_ARG(3), a3);
	wr32(c, OCFABRIC_REG_CMD, opcode | queue << 8);
	card_wait(c, OCFABRIC_REG_CMD_STATUS,
		  OCFABRIC_HW_CMD_BUSY | OCFABRIC_HW_CMD_DONE,
		  OCFABRIC_HW_CMD_DONE);
	return rd32(c, OCFABRIC_REG_CMD_STATUS) >> OCFABRIC_HW_CMD_RESULT_SHIFT &
	       OCFABRIC_HW_CMD_RESULT_MASK;
}

/* ---- queues ---- */

struct ocfabric_hw_queue card_queue_struct(unsigned int q, unsigned int shift)
{
	struct ocfabric_hw_queue hw = {
		.tx_shift = (uint8_t)shift,
		.rx_shift = (uint8_t)shift,
		.cq_shift = (uint8_t)shift,
		.chunk_shift = 12,
		.owner = OWNER_LINE(q),
		.semaphores = SEM_PAGE(q),
	};
	unsigned int i;

	for (i = 0; i < OCFABRIC_TX_CHUNKS_MAX && i << 12 < 64u << shift; i++)
		hw.tx_chunk[i] = TX_RING(q) + i * 4096;
	for (i = 0; i < OCFABRIC_RX_CHUNKS_MAX && i << 12 < 16u << shift; i++)
		hw.rx_chunk[i] = RX_RING(q) + i * 4096;
	for (i = 0; i < OCFABRIC_CQ_CHUNKS_MAX && i << 12 < 32u << shift; i++)
		hw.cq_chunk[i] = CQ_RING(q) + i * 4096;
	return hw;
}

uint32_t card_enable(struct card *c, unsigned int q,
		     const struct ocfabric_hw_queue *hw)
{
	qtest_store(c->q, QUEUE_STRUCT(q), hw, sizeof(*hw));
	return card_cmd(c, OCFABRIC_HW_CMD_QUEUE_ENABLE, q, QUEUE_STRUCT(q), 0, 0,
			0);
}

void card_queue(struct card *c, unsigned int q, unsigned int shift)
{
	struct ocfabric_hw_queue hw = card_queue_struct(q, shift);
	uint32_t result;

	qtest_zero(c->q, TX_RING(q), 64u << shift);
	qtest_zero(c->q, RX_RING(q), 16u << shift);
	qtest_zero(c->q, CQ_RING(q), 32u << shift);
	qtest_zero(c->q, OWNER_LINE(q), 64);
	/* no interrupts: the arm index is as far away as can be */
	qtest_write(c->q, OWNER_LINE(q) + 4, 4, 0x7fffffff);
	c->ring_shift[q] = shift;
	c->posted[q] = c->taken[q] = c->armed[q] = 0;
	result = card_enable(c, q, &hw);
	CHECK(result == OCFABRIC_RESULT_OK, "enable: result %u", result);
}

void card_key(struct card *c, unsigned int q, uint32_t key)
{
	struct ocfabric_hw_range r = { .addr = SOURCE(q), .len = SOURCE_SIZE };
	uint32_t result;

	qtest_store(c->q, RANGE_LIST(q), &r, sizeof(r));
	result = card_cmd(c, OCFABRIC_HW_CMD_KEY_ADD, q, RANGE_LIST(q), 1, 0, key);
	CHECK(result == OCFABRIC_RESULT_OK, "key: result %u", result);
}

struct ocfabric_desc card_write(uint32_t qpn, uint64_t raddr, uint32_t len,
				uint64_t addr, uint32_t key)
{
	struct ocfabric_desc d = {
		.opcode = OCFABRIC_OP_WRITE, .qpn = qpn, .raddr = raddr,
		.len = len,
	};

	d.addr = addr;
	d.key = key;
	return d;
}

static uint8_t tag(const struct card *c, unsigned int q, uint32_t count)
{
	return (uint8_t)(((count >> c->ring_shift[q]) + 1) & 3);
}

static uint32_t ring_index(const struct card *c, unsigned int q, uint32_t count)
{
	return count & ((1u << c->ring_shift[q]) - 1);
}

void card_put(struct card *c, unsigned int q, uint32_t count,
	      const struct ocfabric_desc *d)
{
	qtest_store(c->q, TX_RING(q) + 64ull * ring_index(c, q, count), d,
		    sizeof(*d));
}

void card_post(struct card *c, unsigned int q, struct ocfabric_desc d)
{
	d.flags |= tag(c, q, c->posted[q]);
	card_put(c, q, c->posted[q]++, &d);
}

void card_ring(struct card *c, unsigned int q, uint32_t increment)
{
	qtest_write(c->q, BAR_DOORBELL + OCFABRIC_DOORBELL_M2S +
		    OCFABRIC_DOORBELL_PAGE(q) + OCFABRIC_DOORBELL_TDRTP_INC, 4,
		    increment);
}

void card_ring_recv(struct card *c, unsigned int q, uint32_t increment)
{
	qtest_write(c->q, BAR_DOORBELL + OCFABRIC_DOORBELL_S2M +
		    OCFABRIC_DOORBELL_PAGE(q) + OCFABRIC_DOORBELL_RDRTP_INC, 4,
		    increment);
}

void card_recv(struct card *c, unsigned int q, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		struct ocfabric_rx_desc d = { .flags = tag(c, q, c->armed[q]) };

		qtest_store(c->q, RX_RING(q) +
			    16ull * ring_index(c, q, c->armed[q]++), &d,
			    sizeof(d));
	}
	card_ring_recv(c, q, n);
}

struct ocfabric_desc card_sem(uint8_t opcode, uint32_t qpn, unsigned int sem,
			      uint32_t value)
{
	return (struct ocfabric_desc){
		.opcode = opcode, .qpn = qpn, .sem = (uint16_t)sem,
		.len = value,
	};
}

uint32_t card_sem_value(struct card *c, unsigned int q, unsigned int sem)
{
	uint32_t value = rd32(c, OCFABRIC_REG_SEMAPHORE(q, sem));
	uint32_t seen = (uint32_t)qtest_read(c->q, SEM_PAGE(q) + 4 * sem, 4);

	CHECK(value == seen, "semaphore %u of %u is %u, its owner sees %u", sem,
	      q, value, seen);
	return value;
}

static struct ocfabric_cqe peek(struct card *c, unsigned int q)
{
	struct ocfabric_cqe e;

	qtest_load(c->q, CQ_RING(q) + 32ull * ring_index(c, q, c->taken[q]), &e,
		   sizeof(e));
	return e;
}

bool card_has(struct card *c, unsigned int q)
{
	return (peek(c, q).flags & OCFABRIC_CQE_TAG_MASK) ==
	       tag(c, q, c->taken[q]);
}

struct ocfabric_cqe card_take(struct card *c, unsigned int q)
{
	uint64_t start = qtest_now_ms();
	struct ocfabric_cqe e;

	while (!card_has(c, q)) {
		if (qtest_late(start)) {
			CHECK(false, "queue %u: no completion %u", q, c->taken[q]);
			return (struct ocfabric_cqe){ 0 };
		}
		qtest_yield();
	}
	e = peek(c, q);
	c->taken[q]++;
	qtest_write(c->q, OWNER_LINE(q), 4, c->taken[q]);
	return e;
}

struct ocfabric_cqe card_run(struct card *c, unsigned int q,
			     struct ocfabric_desc d)
{
	card_post(c, q, d);
	card_ring(c, q, 1);
	return card_take(c, q);
}

unsigned int card_honest_write(struct card *c)
{
	card_set_bars(c);
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	card_configure(c, 2, 0);
	card_queue(c, 0, 4);
	card_key(c, 0, 0);
	return card_run(c, 0, card_write(0, 0, 64, 0, 0)).status;
}

uint64_t card_counter(struct card *c, unsigned int link, unsigned int counter)
{
	wr32(c, OCFABRIC_REG_SNAPSHOT, OCFABRIC_SNAPSHOT_COUNTERS);
	return rd64(c, OCFABRIC_REG_COUNTER(link, counter));
}

void card_check_sums(struct card *c, unsigned int n)
{
	static const uint8_t ends[] = {
		OCFABRIC_COUNTER_COMMITTED, OCFABRIC_COUNTER_UNMAPPED,
		OCFABRIC_COUNTER_QP_STATE, OCFABRIC_COUNTER_BAD_CONFIG,
		OCFABRIC_COUNTER_ZERO_LENGTH, OCFABRIC_COUNTER_MISALIGNED,
		OCFABRIC_COUNTER_OUT_OF_BOUNDS, OCFABRIC_COUNTER_UNAUTHORIZED,
		OCFABRIC_COUNTER_RNR, OCFABRIC_COUNTER_AXI_ERROR,
		OCFABRIC_COUNTER_DMA_ERROR,
	};
	unsigned int link, i;

	for (link = 0; link < n; link++) {
		uint64_t writes = card_counter(c, link, OCFABRIC_COUNTER_WRITES);
		uint64_t sum = 0;

		for (i = 0; i < sizeof(ends); i++)
			sum += rd64(c, OCFABRIC_REG_COUNTER(link, ends[i]));
		CHECK(sum == writes, "link %u: %llu writes, %llu ended", link,
		      (unsigned long long)writes, (unsigned long long)sum);
	}
}

uint32_t card_state(struct card *c, unsigned int q)
{
	return rd32(c, OCFABRIC_REG_QUEUE(q) + OCFABRIC_QUEUE_STATE) & 0xff;
}

uint32_t card_cause(struct card *c, unsigned int q)
{
	return rd32(c, OCFABRIC_REG_QUEUE(q) + OCFABRIC_QUEUE_STATE) >> 8 & 0xff;
}

/* ---- interrupts ---- */

void card_msix(struct card *c)
{
	unsigned int cap = pci_find_cap(c, CAP_MSIX), v;

	for (v = 0; v < OCFABRIC_VECTORS; v++) {
		uint32_t at = OCFABRIC_MSIX_TABLE + 16 * v;

		wr32(c, at, (uint32_t)MSI_PAGE + 4 * v);
		wr32(c, at + 4, 0);
		wr32(c, at + 8, v);
		wr32(c, at + 12, 0);
		qtest_write(c->q, MSI_PAGE + 4 * v, 4, MSI_NEVER);
	}
	pci_write(c, cap, pci_read(c, cap) | MSIX_ENABLE);
}

bool card_msix_came(struct card *c, unsigned int vector)
{
	uint64_t at = MSI_PAGE + 4 * vector;
	bool came = qtest_read(c->q, at, 4) == vector;

	qtest_write(c->q, at, 4, MSI_NEVER);
	return came;
}

/* ---- events ---- */

#define EVENT_SHIFT 4

void card_events(struct card *c)
{
	qtest_zero(c->q, EVENT_RING, sizeof(struct ocfabric_event) << EVENT_SHIFT);
	wr64(c, OCFABRIC_REG_EVENT_BASE, EVENT_RING);
	wr32(c, OCFABRIC_REG_EVENT_SHIFT, EVENT_SHIFT);
}

uint32_t card_nr_events(struct card *c)
{
	return rd32(c, OCFABRIC_REG_EVENT_PRODUCER);
}

struct ocfabric_event card_event(struct card *c, uint32_t i)
{
	struct ocfabric_event ev;

	qtest_load(c->q, EVENT_RING + i % (1 << EVENT_SHIFT) * sizeof(ev), &ev,
		   sizeof(ev));
	CHECK(ev.seq == i && (ev.tag & OCFABRIC_DESC_TAG_MASK) ==
	      ((i >> EVENT_SHIFT) + 1) % 4, "event %u: seq %u tag %u", i, ev.seq,
	      ev.tag);
	return ev;
}

uint64_t card_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}
