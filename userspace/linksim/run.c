// SPDX-License-Identifier: LGPL-2.1-or-later
/* The statements of a file, one after the other, and what ends the output. */
#include <zlib.h>

#include "linksim.h"
#include "scenario/apply.h"

/* Bytes of the HBM at addr, at most n; 0 when addr is outside. */
static uint64_t inside(const struct sim *sim, uint64_t addr, uint64_t n)
{
	if (addr >= sim->card.hbm_size)
		return 0;
	return n < sim->card.hbm_size - addr ? n : sim->card.hbm_size - addr;
}

static void print_zeros(FILE *out, uint64_t n)
{
	static const uint8_t zeros[4096];
	size_t part;

	for (; n && !ferror(out); n -= part) {
		part = n < sizeof(zeros) ? (size_t)n : sizeof(zeros);
		ocf_scn_report_read_bytes(out, zeros, part);
	}
}

static void print_read(struct sim *sim, const struct ocf_scn_stmt *st)
{
	uint64_t base = sim->card.config.region[st->read.region].base;
	uint64_t addr, n = 0;

	/* an address past 2^64 is outside any HBM, not at its start */
	if (!__builtin_add_overflow(base, st->read.offset, &addr))
		n = inside(sim, addr, st->read.length);

	ocf_scn_report_read_begin(sim->out, st);
	if (n)
		ocf_scn_report_read_bytes(sim->out, sim->card.hbm + addr, n);
	print_zeros(sim->out, st->read.length - n);
	ocf_scn_report_read_end(sim->out);
}

static void run_statement(struct sim *sim, const struct ocf_scn_stmt *st)
{
	if (ocf_scn_is_config(st->op)) {
		ocf_scn_configure(sim_configure(sim), st);
		return;
	}
	switch (st->op) {
	case OCF_SCN_HBM:
		sim_resize_hbm(sim, st->hbm);
		break;
	case OCF_SCN_FAULT:
		/* the table has room for every fault of the file */
		ocf_scn_inject(&sim->card, st);
		break;
	case OCF_SCN_WRITE:
		sim_settle(sim);
		sim_write(sim, &st->write);
		break;
	default:
		sim_settle(sim);
		print_read(sim, st);
		break;
	}
}

static bool print_end(struct sim *sim)
{
	const struct ocf_region *region = sim->card.config.region;
	bool good = ocf_card_snapshot(&sim->card);
	unsigned int i;

	for (i = 0; i < ocf_scn_links(sim->scn); i++)
		ocf_scn_report_counters(sim->out, i, sim->card.snapshot[i].c);
	for (i = 0; i < OCF_REPLICAS; i++)
		if (ocf_scn_has_digest(sim->scn, i))
			ocf_scn_report_digest(sim->out, i, (uint32_t)crc32_z(0,
				sim->card.hbm + region[i].base,
				region[i].size));
	return good;
}

bool sim_run(struct sim *sim)
{
	size_t i;

	for (i = 0; i < sim->scn->nr; i++)
		run_statement(sim, &sim->scn->stmt[i]);
	sim_settle(sim);
	return print_end(sim);
}
