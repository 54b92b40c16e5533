/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine that keeps saved states of itself in a file, so that saving and loading
 * take a moment and no new process.
 */
#ifndef OCF_QTEST_SNAPSHOT_H
#define OCF_QTEST_SNAPSHOT_H

#include "card.h"

/* As card_start(), with a file for states, which the next two know. */
struct card *snapshot_start(const char *options);
/* The same machine with the states of the file, in a process of its own. */
struct card *snapshot_restart(struct card *c);
/* And the file goes. */
void snapshot_end(struct card *c);
/* What is saved is in it. */
const char *snapshot_file(void);

/* NULL, or what QEMU says about why it cannot. */
const char *snapshot_try_save(struct card *c, const char *name);
const char *snapshot_try_load(struct card *c, const char *name);
/* They can. */
void snapshot_save(struct card *c, const char *name);
void snapshot_load(struct card *c, const char *name);

/* QMP that has to succeed. */
void snapshot_qmp(struct card *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
