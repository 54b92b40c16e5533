/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A card that lies, so that its driver can be tried: property `hostile`, names
 * of lies joined by '+'. Each lie is a row of ocf_lies[] in ocfabric_lies.c.
 *
 * What the card does stays what it is; only what it says is wrong. It never
 * stores where it was given no memory: against that there is the IOMMU alone.
 */
#ifndef HW_MISC_OCFABRIC_HOSTILE_H
#define HW_MISC_OCFABRIC_HOSTILE_H

#include "ocfabric.h"

typedef struct OcfLie {
    const char *name;

    /* BQL. These registers, first to last, read as this. */
    uint32_t first;
    uint32_t last;
    uint64_t (*read)(OcfState *s, const struct OcfLie *lie, uint64_t value);
    uint64_t value;     /* for read() */

    /* A completion that is about to be stored, tag and all. Its inbox's lock. */
    void (*forge)(OcfState *s, unsigned int queue, struct ocfabric_cqe *e);

    /* An event that is about to be posted. BQL. */
    void (*event)(OcfState *s, struct ocfabric_event *ev);

    /* Again and again, OCF_LIE_NS apart. BQL, no queue's lock. */
    void (*tick)(OcfState *s);

    bool silent;        /* no interrupts */
} OcfLie;

#define OCF_LIE_NS 250000

extern const OcfLie ocf_lies[];
extern const unsigned int ocf_nr_lies;

/* A number that nobody expects: often one at some limit. Any thread. */
uint64_t ocf_lie_number(OcfState *s);

#endif
