/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fuzzer of the real device, over qtest. An input is a sequence of operations of
 * one size, so that cutting and joining sequences makes sequences. Inputs that reach
 * code that none reached before are kept, and new ones are made of them.
 *
 *	input.c	inputs: made anew, made of others, files of them
 *	play.c	what a machine is told by one
 *	main.c	which ones, and what became of the machine
 *
 * Each input starts from a card that was reset, so that it can be played again alone.
 */
#ifndef OCF_FUZZ_DEVICE_H
#define OCF_FUZZ_DEVICE_H

#include <stdint.h>
#include <stdio.h>

#include "card.h"

#define OPS_MAX	48u

enum kind {
	OP_SETUP,	/* a card that works: configuration, queues, keys */
	OP_CONFIG,	/* configuration space, read or written */
	OP_REGISTER,	/* control BAR, at a register */
	OP_ACCESS,	/* any BAR, anywhere, any size */
	OP_MEMORY,	/* host memory that the card looks at */
	OP_POST,	/* a descriptor with the right tag */
	OP_RECEIVE,	/* a receive descriptor with the right tag */
	OP_RING,	/* a doorbell */
	OP_COMMAND,	/* the mailbox */
	OP_ENABLE,	/* a queue's structure with one word changed */
	OP_KEY,		/* a list of ranges */
	OP_QP,		/* the mailbox of queue pairs */
	OP_CHANGE,	/* the configuration, under a drain */
	OP_VECTOR,	/* an entry of the MSI-X table */
	OP_CLOCK,	/* time passes */
	OP_RESET,	/* one of the resets; BARs and mastering, off and on */
	OP_MACHINE,	/* stopped, and going on */
	OP_LIE,		/* up to three lies, or none */
	OP_GONE,	/* pulled out, put in again */
	OP_SAVE,	/* the machine's state saved, and loaded again */
	OP_KINDS
};

/* What the letters say is for play.c; all values are good for something. */
struct op {
	uint8_t kind;	/* modulo OP_KINDS */
	uint8_t a, b, c;
	uint32_t x;
	uint64_t v;
};

struct input {
	uint32_t nr;
	struct op op[OPS_MAX];
};

struct corpus {
	struct input *input;
	size_t nr, room;
};

/* input.c */
void corpus_add(struct corpus *c, const struct input *in);
/* A file of inputs, one after the other; dies if it is not one. */
void corpus_load(struct corpus *c, const char *file);
void corpus_append(FILE *f, const struct input *in);

/* Made of some of the corpus, or of nothing. */
void input_make(struct input *in, const struct corpus *c, uint64_t *random);
void input_print(const struct input *in);

/* play.c */
void play(struct card *c, const struct input *in);
/* Reset; and then an honest write must go through: false if it does not. */
bool play_honest(struct card *c);

#endif
