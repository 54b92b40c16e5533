// SPDX-License-Identifier: LGPL-2.1-or-later
/* The bytes that a write sends. */
#include <string.h>

#include "scenario.h"

void ocf_scn_payload_init(struct ocf_scn_payload *p, const struct ocf_scn *scn,
			  const struct ocf_scn_write *w)
{
	p->scn = scn;
	p->data = &w->data;
	p->x = w->data.seed;
	p->pos = 0;
}

static void fill_hex(struct ocf_scn_payload *p, uint8_t *buf, size_t n)
{
	uint32_t left = p->data->hex_len > p->pos ?
			p->data->hex_len - p->pos : 0;
	size_t said = n < left ? n : left;

	if (said)
		memcpy(buf, p->scn->hex + p->data->hex + p->pos, said);
	memset(buf + said, 0, n - said);
}

static void fill_inc(struct ocf_scn_payload *p, uint8_t *buf, size_t n)
{
	size_t k;

	for (k = 0; k < n; k++)
		buf[k] = (uint8_t)(p->data->seed + p->pos + k);
}

static void fill_lcg(struct ocf_scn_payload *p, uint8_t *buf, size_t n)
{
	size_t k;

	for (k = 0; k < n; k++) {
		p->x = p->x * 1664525u + 1013904223u;
		buf[k] = (uint8_t)(p->x >> 24);
	}
}

void ocf_scn_payload_fill(struct ocf_scn_payload *p, uint8_t *buf, size_t n)
{
	switch (p->data->kind) {
	case OCF_SCN_HEX:
		fill_hex(p, buf, n);
		break;
	case OCF_SCN_CONST:
		memset(buf, (int)p->data->seed, n);
		break;
	case OCF_SCN_INC:
		fill_inc(p, buf, n);
		break;
	case OCF_SCN_LCG:
		fill_lcg(p, buf, n);
		break;
	}
	p->pos += (uint32_t)n;
}
