/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * States of the card in which it is saved: each is made under traffic, and ended once as
 * if nothing had happened, once after it was loaded.
 */
#ifndef OCF_QTEST_SCENE_H
#define OCF_QTEST_SCENE_H

#include "traffic.h"

struct scene {
	const char *name;
	/* Everything is quiet: brings the card to this state. */
	void (*make)(struct traffic *t, struct card *c);
	/* It is (still, or again) in it: goes on, until only traffic is left. */
	void (*end)(struct traffic *t, struct card *c);
};

extern const struct scene scenes[];
extern const unsigned int nr_scenes;

/* Before the first: interrupts, events, line delays. */
void scenes_start(struct card *c);

#endif
