// SPDX-License-Identifier: LGPL-2.1-or-later
#include "apply.h"

static void set_window(struct ocf_config *cfg, const struct ocf_scn_window *w,
		       bool valid)
{
	struct ocf_window *slot = &cfg->windows[w->id];

	slot->offset = w->offset;
	slot->length = w->length;
	slot->src = w->src;
	slot->dst = w->dst;
	slot->valid = valid;
}

void ocf_scn_configure(struct ocf_config *cfg, const struct ocf_scn_stmt *st)
{
	switch (st->op) {
	case OCF_SCN_N:
		cfg->n = st->n;
		break;
	case OCF_SCN_REGION:
		cfg->region[st->region.i].base = st->region.base;
		cfg->region[st->region.i].size = st->region.size;
		break;
	case OCF_SCN_LATENCY:
		cfg->latency = st->latency;
		break;
	case OCF_SCN_UPSTREAM_QPNS:
		cfg->upstream_qpns = st->upstream_qpns;
		break;
	case OCF_SCN_CONN_DEFAULT:
		ocf_config_default_conn(cfg);
		break;
	case OCF_SCN_CONN:
		cfg->conn[st->conn.link][st->conn.qpn] =
			st->conn.peer == OCF_SCN_NO_PEER ? OCF_NO_PEER :
							   st->conn.peer;
		break;
	case OCF_SCN_WINDOW:
		set_window(cfg, &st->window, true);
		break;
	case OCF_SCN_UNWINDOW:
		set_window(cfg, &st->window, false);
		break;
	default:
		break;
	}
}

bool ocf_scn_inject(struct ocf_card *card, const struct ocf_scn_stmt *st)
{
	uint64_t addr = card->config.region[st->fault.dst].base +
			st->fault.offset;

	switch (st->fault.what) {
	case OCF_SCN_SLVERR:
		return ocf_fault_set_resp(&card->faults, addr, OCF_SLVERR);
	case OCF_SCN_DECERR:
		return ocf_fault_set_resp(&card->faults, addr, OCF_DECERR);
	case OCF_SCN_DELAY:
		return ocf_fault_set_delay(&card->faults, addr,
					   st->fault.delay);
	default:
		ocf_fault_clear(&card->faults, addr);
		return true;
	}
}
