// SPDX-License-Identifier: GPL-2.0-only
#include "section.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "0000:00:04.0/ocfabric"	/* of the card's state */
#define NAME_LEN ((long)sizeof(NAME) - 1)
#define HEAD 6		/* type, number, length of the name */
#define NUMBER 1	/* of the section, from its head on */
#define FOOT 5		/* 0x7e, and the number again */
#define CYCLE_NS 4
#define KEY(q) ((q) | 5u << OCFABRIC_KEY_GENERATION_SHIFT)

static void find(struct saved *s)
{
	uint8_t foot[FOOT] = { 0x7e };
	uint8_t *at = s->bytes, *last = s->bytes + s->size, *to;

	s->head = s->begin = s->end = s->tail = 0;
	while ((at = memmem(at, (size_t)(last - at), NAME, (size_t)NAME_LEN)) &&
	       at[NAME_LEN] == '-')
		at += NAME_LEN;	/* the HBM's name is longer */
	if (!at || at - s->bytes < HEAD)
		return;
	memcpy(foot + 1, at - HEAD + NUMBER, sizeof(foot) - 1);
	to = memmem(at, (size_t)(last - at), foot, sizeof(foot));
	if (!to)
		return;
	s->head = at - s->bytes - HEAD;
	s->begin = at - s->bytes + NAME_LEN;
	s->end = to - s->bytes;
	s->tail = s->end + FOOT;
}

void saved_read(struct saved *s, const char *path)
{
	FILE *f = fopen(path, "rb");

	if (!f || fseek(f, 0, SEEK_END) || (s->size = ftell(f)) <= 0)
		qtest_die("cannot read %s", path);
	rewind(f);
	s->bytes = malloc((size_t)s->size);
	if (!s->bytes || fread(s->bytes, 1, (size_t)s->size, f) != (size_t)s->size)
		qtest_die("cannot read %s", path);
	fclose(f);
	find(s);
	CHECK(s->head, "no state of the card in the file");
}

void saved_free(struct saved *s)
{
	free(s->bytes);
}

void loaded_busy(struct card *c)
{
	struct ocfabric_desc imm = card_write(0, 0, 100, 0, KEY(0));
	unsigned int q;

	card_configure(c, 3, 1000);
	card_msix(c);
	card_events(c);
	for (q = 0; q < 3; q++) {
		card_queue(c, q, 4);
		card_key(c, q, KEY(q));
	}
	card_drain(c);
	card_cmd(c, OCFABRIC_HW_CMD_FAULT_DELAY, 0, REGION(0) + 64, 9000, 0, 0);
	card_resume(c);
	card_recv(c, 1, 4);
	card_post(c, 2, card_write(4, 64, 64, 0, KEY(2)));
	card_post(c, 2, card_write(4, 2, 64, 0, KEY(2)));
	card_ring(c, 2, 2);
	qtest_step_ns(c->q, 1001 * CYCLE_NS);
	imm.opcode = OCFABRIC_OP_WRITE_IMM;
	card_post(c, 0, imm);
	card_post(c, 0, imm);
	card_ring(c, 0, 2);
	card_post(c, 1, card_sem(OCFABRIC_OP_WAIT, 0, 8, 1));
	card_post(c, 1, card_write(2, 0, 8, 0, KEY(1)));
	card_ring(c, 1, 2);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_DST_QPN),
	     1 << OCFABRIC_QP_LINK_SHIFT | 2);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_QP_VALID), OCFABRIC_QP_ATTR_STATE);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_QP_STATE), OCFABRIC_QP_ERR);
	wr32(c, OCFABRIC_REG_QP(OCFABRIC_MOD_QP_CMD), OCFABRIC_QP_CMD_MODIFY);
	wr64(c, OCFABRIC_REG_CMD_ARG(0), 0);
	wr32(c, OCFABRIC_REG_CMD, OCFABRIC_HW_CMD_QUEUE_DISABLE | 2 << 8);
	CHECK(rd32(c, OCFABRIC_REG_CMD_STATUS) == OCFABRIC_HW_CMD_BUSY);
}

void loaded_use(struct card *c)
{
	uint32_t reg;
	unsigned int q;

	card_set_bars(c);
	for (q = 0; q < 16; q++) {
		card_ring(c, q, 1);
		card_ring_recv(c, q, 1);
		wr32(c, OCFABRIC_REG_CMD, OCFABRIC_HW_CMD_LINK_RESET | q << 8);
	}
	wr32(c, OCFABRIC_REG_SNAPSHOT, 7);
	qtest_step_ns(c->q, 100000);
	for (reg = 0x100; reg < 0x400; reg += 8)
		rd64(c, reg);
	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_DRAIN);
	qtest_step_ns(c->q, 300000000);
	wr32(c, OCFABRIC_REG_STALL_LIMIT, 1);
	wr32(c, OCFABRIC_REG_STORM_LIMIT, 1);
}

void loaded_works(struct card *c, long round)
{
	struct ocfabric_desc d = card_write(0, 64, 8, 0, 0);
	uint8_t status;

	wr32(c, OCFABRIC_REG_CONTROL, OCFABRIC_CONTROL_RESET);
	card_configure(c, 2, 0);
	card_queue(c, 0, 4);
	d.flags = OCFABRIC_DESC_INLINE;
	memset(d.data, (int)(round & 0x7f) + 1, 8);
	status = card_run(c, 0, d).status;
	CHECK(status == OCFABRIC_VERDICT_COMMITTED, "round %ld: verdict %u", round, status);
	CHECK(qtest_read(c->q, BAR_HBM + REGION(1) + 64, 1) == (uint64_t)(round & 0x7f) + 1,
	      "round %ld", round);
	card_check_sums(c, 2);
}
