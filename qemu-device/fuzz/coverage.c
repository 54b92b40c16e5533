/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the fuzzer of the device: which places of the card's code were ever reached.
 * The compiler calls __sanitizer_cov_trace_pc() at each of them; the first call
 * from a place adds it to a list in the file that OCF_COVERAGE names. The file
 * outlives QEMU, so that the list goes on with the next one.
 *
 * Linked into a QEMU of its own only, see qemu-device/build.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "coverage.h"

extern const char __executable_start[];

void __sanitizer_cov_trace_pc(void);

static struct ocf_coverage *map;

static void __attribute__((constructor)) map_file(void)
{
    const char *name = getenv("OCF_COVERAGE");
    int fd;

    if (!name) {
        return;
    }
    fd = open(name, O_RDWR);
    if (fd >= 0) {
        map = mmap(NULL, sizeof(*map), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                   0);
        close(fd);
    }
    if (fd < 0 || map == MAP_FAILED) {
        perror(name);
        exit(1);
    }
}

void __sanitizer_cov_trace_pc(void)
{
    uintptr_t at = (uintptr_t)__builtin_return_address(0) -
                   (uintptr_t)__executable_start;
    uint32_t i;

    if (!map || at >= OCF_COVERAGE_TEXT ||
        __atomic_load_n(&map->seen[at], __ATOMIC_RELAXED) ||
        __atomic_exchange_n(&map->seen[at], 1, __ATOMIC_RELAXED)) {
        return;
    }
    i = __atomic_fetch_add(&map->nr, 1, __ATOMIC_RELAXED);
    if (i < OCF_COVERAGE_POINTS) {
        map->point[i] = (uint32_t)at;
    }
}
