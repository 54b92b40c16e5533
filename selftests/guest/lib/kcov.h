/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which places of the driver a thread's calls come by. Only the driver is
 * instrumented, so that all that KCOV writes down is its own; interrupts, their
 * threads and work are other tasks and are not seen.
 */
#ifndef OCF_TEST_KCOV_H
#define OCF_TEST_KCOV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a thread; fd -1 where the kernel has no KCOV. */
struct kcov {
	int fd;
	unsigned long *pc;	/* their number, then they */
};

/* The places that the module has, and which of them were reached by anybody. */
struct coverage {
	uintptr_t first;	/* the lowest one */
	size_t range;		/* of addresses */
	uint8_t *place;		/* by address: PLACE_* */
	unsigned int places;
	unsigned int reached;
};

#define PLACE_IS	1
#define PLACE_REACHED	2

/* Starts to write down what this thread does; -ENOENT: there is no KCOV. */
int kcov_start(struct kcov *k);
void kcov_stop(struct kcov *k);
/* Takes what was written down since the last time; how many places are new. */
unsigned int kcov_take(struct kcov *k, struct coverage *c);

/* Reads the module's file for its places; -ENOENT: it is not instrumented. */
int coverage_open(struct coverage *c);
void coverage_close(struct coverage *c);
/* Prints each function that has places nobody reached. */
void coverage_print_unreached(const struct coverage *c);

#endif /* OCF_TEST_KCOV_H */
