/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BAR 0 is a table of rows. A row is a register, or an array of them at equal
 * distances; read and write get the index. Without read it reads 0, without
 * write it ignores writes. All under the BQL, no queue's lock held.
 */
#ifndef HW_MISC_OCFABRIC_REGS_H
#define HW_MISC_OCFABRIC_REGS_H

#include "ocfabric.h"

struct OcfReg {
    uint32_t base;
    uint32_t stride;    /* 0: a single one */
    uint32_t count;
    uint8_t width;      /* 4 or 8 bytes */
    bool drained;       /* access class CFG: written only while drained */
    uint64_t (*read)(OcfState *s, unsigned int i);
    void (*write)(OcfState *s, unsigned int i, uint64_t value);
};

/* ocfabric_config.c: what the rules judge by */
extern const OcfReg ocf_config_regs[];
extern const size_t ocf_nr_config_regs;

/* ocfabric_status.c: counters, rejects, links, queues */
extern const OcfReg ocf_status_regs[];
extern const size_t ocf_nr_status_regs;
void ocf_snapshot(OcfState *s, uint32_t what);
/* enum ocfabric_verdict of a reject's enum ocf_counter */
uint8_t ocf_reject_verdict(uint8_t counter);

/* ocfabric_watch.c: limits and weights */
extern const OcfReg ocf_watch_regs[];
extern const size_t ocf_nr_watch_regs;

/* ocfabric_qp.c: queue pairs */
extern const OcfReg ocf_qp_regs[];
extern const size_t ocf_nr_qp_regs;

#endif
