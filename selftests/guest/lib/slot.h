/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The card's slot, from outside: it is pulled out without a word, or unplugged in
 * order and another one plugged in. Needs qmp.h's port; 0 or -errno.
 */
#ifndef OCF_TEST_SLOT_H
#define OCF_TEST_SLOT_H

#include <stdbool.h>

/* The property `gone`; and what it was set to last. */
int slot_set_gone(bool gone);
bool slot_is_gone(void);

/*
 * Asks the guest to let the card go, and waits until the machine has none. A card
 * that is plugged in has the properties of the one before it.
 */
int slot_unplug(void);
int slot_plug(void);
bool slot_is_empty(void);

/* A line of the monitor, for instance an error of the bus. */
int slot_tell(const char *line);

#endif /* OCF_TEST_SLOT_H */
