/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine that goes from one QEMU to another, by a file. */
#ifndef OCF_QTEST_MOVE_H
#define OCF_QTEST_MOVE_H

#include "card.h"

/* The file, of which there is one at a time. */
void move_begin(void);
const char *move_file(void);
void move_end(void);

/* Saves the machine to it. */
void move_save(struct card *c);
/* Waits for a saving that has begun. */
void move_wait(struct card *c);
/* Another machine, in the state that the file holds. */
struct card *move_load(const struct card *from);
/*
 * The same of a file that may hold anything, and with other options: *said is NULL when
 * QEMU took it, or else what it says; the machine is there in either case.
 */
struct card *move_try(const char *options, const char **said);

#endif
