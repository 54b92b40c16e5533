/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the QEMU for the fuzzer writes, and the fuzzer reads. */
#ifndef OCF_COVERAGE_H
#define OCF_COVERAGE_H

#include <stdint.h>

#define OCF_COVERAGE_POINTS 65536u
#define OCF_COVERAGE_TEXT (64u << 20)   /* bytes of code at most */

/* A sparse file of this size, zeroed at the start. */
struct ocf_coverage {
    uint32_t nr;                        /* places reached, ever */
    uint32_t point[OCF_COVERAGE_POINTS]; /* from the start of the program */
    uint8_t seen[OCF_COVERAGE_TEXT];    /* by place */
};

#endif
