// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parser of scenario files: what it takes is within the format's bounds, what it
 * refuses it names a line of, and neither depends on what comes behind the text.
 */
#include "fuzz.h"
#include "scenario/scenario.h"

static void check_write(const struct ocf_scn *scn, const struct ocf_scn_write *w)
{
	struct ocf_scn_payload p;
	uint8_t buf[256];
	uint32_t left;

	MUST(w->link < OCF_SCN_REPLICAS && w->qpn < 1u << 24);
	MUST(w->len <= OCF_SCN_LEN_MAX && w->beats && w->beats <= OCF_SCN_BEATS_MAX);
	MUST(w->bytes <= w->len && w->bytes <= 64ull * w->beats);
	MUST((int)w->link <= scn->top_link);
	ocf_scn_payload_init(&p, scn, w);
	for (left = w->bytes < 4096 ? w->bytes : 4096; left; left -= left < 256 ? left : 256)
		ocf_scn_payload_fill(&p, buf, left < 256 ? left : 256);
}

static void check(const struct ocf_scn *scn)
{
	size_t i;

	for (i = 0; i < scn->nr; i++) {
		const struct ocf_scn_stmt *st = &scn->stmt[i];

		MUST(st->op <= OCF_SCN_READ && st->line);
		switch (st->op) {
		case OCF_SCN_WRITE:
			check_write(scn, &st->write);
			break;
		case OCF_SCN_REGION:
			MUST(st->region.i < OCF_SCN_REPLICAS);
			break;
		case OCF_SCN_CONN:
			MUST(st->conn.link < OCF_SCN_REPLICAS &&
			     (st->conn.peer < OCF_SCN_REPLICAS ||
			      st->conn.peer == OCF_SCN_NO_PEER));
			break;
		case OCF_SCN_WINDOW:
		case OCF_SCN_UNWINDOW:
			MUST(st->window.src < OCF_SCN_REPLICAS &&
			     st->window.dst < OCF_SCN_REPLICAS &&
			     st->window.id < scn->nr_windows);
			break;
		case OCF_SCN_FAULT:
			MUST(st->fault.dst < OCF_SCN_REPLICAS &&
			     st->fault.what <= OCF_SCN_DELAY);
			break;
		case OCF_SCN_READ:
			MUST(st->read.region < OCF_SCN_REPLICAS);
			break;
		default:
			break;
		}
	}
	MUST(scn->top_link < OCF_SCN_REPLICAS && scn->hbm % 64 == 0);
	MUST(ocf_scn_links(scn) <= OCF_SCN_REPLICAS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char end[2][16] = { "", " 0\nn 3 # more  " };
	char err[2][200] = { "", "" };
	struct ocf_scn scn;
	bool taken[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		char *text = malloc(size + sizeof(end[0]) + 1);

		MUST(text);
		memcpy(text, data, size);
		memcpy(text + size, end[i], sizeof(end[0]));
		taken[i] = ocf_scn_parse(&scn, "f", text, size, err[i],
					 sizeof(err[0]));
		if (taken[i])
			check(&scn);
		else
			MUST(!strncmp(err[i], "f:", 2) && err[i][2] >= '1' &&
			     err[i][2] <= '9' && strlen(err[i]) > 6);
		if (taken[i])
			ocf_scn_free(&scn);
		free(text);
	}
	MUST(taken[0] == taken[1] && !strcmp(err[0], err[1]));
	return 0;
}
