/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fuzzer's parts. An input is a string of bytes, of which each choice takes
 * what it needs: which operation, which of its forms, which numbers. So inputs can
 * be cut, joined and flipped and still say something, and those that brought
 * something new are kept.
 */
#ifndef OCF_TEST_FUZZ_H
#define OCF_TEST_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netlink.h"
#include "util.h"

#define FUZZ_REPLICAS	3
#define FUZZ_REGION	0x10000u
#define FUZZ_ARENA	(64 * PAGE)
#define FUZZ_STAGE	(64 * PAGE)
#define FUZZ_INPUT_MAX	1024

struct input {
	uint16_t length;
	uint8_t data[FUZZ_INPUT_MAX];
};

/* One thread's side of it. */
struct fuzz {
	const uint8_t *next;	/* bytes of the input, and how many are left */
	size_t left;
	int node;
	struct replica r;
	struct replica peer;	/* what r's writes find */
	struct nl nl;
	uint8_t *arena;		/* what pointers point to; 32 bits hold its address */
	uint8_t *stage;		/* where all threads map, unmap and touch */
	bool rival;		/* r and peer belong to another thread: only their fds */
};

/* Choices; zeroes when the input is used up. */
uint32_t pick(struct fuzz *f, uint32_t below);
uint64_t pick_bits(struct fuzz *f, unsigned int bytes);
/* A number that somebody may have forgotten to think of */
uint64_t pick_number(struct fuzz *f);
/* To the arena, across its end, or to nowhere */
uint64_t pick_pointer(struct fuzz *f);

/* An operation, which one the input says. False: it touched what is not mapped. */
bool fuzz_operation(struct fuzz *f);
/* Of fuzz_files.c: what the kernel offers for any file */
extern void (*const fuzz_file_ops[])(struct fuzz *f);
extern const unsigned int fuzz_file_op_count;

/* What a 32-bit program calls; arguments are cut to 32 bits. */
long call32(unsigned int nr, unsigned long a, unsigned long b, unsigned long c,
	    unsigned long d, unsigned long e);
bool have_call32(void);

/* Faults of this thread end what fn does: false. For all threads of the process. */
void guard_install(void);
bool guard_run(void (*fn)(struct fuzz *f), struct fuzz *f);

/* Inputs */
struct corpus {
	struct input *input;
	unsigned int count;
	unsigned int room;
};

/* Lines of hexadecimal; others are remarks. -errno */
int corpus_load(struct corpus *c, const char *path);
int corpus_save(const struct corpus *c, const char *path);
void corpus_add(struct corpus *c, const struct input *i);
void corpus_free(struct corpus *c);
/* One that is new, of those that are there or of nothing */
void input_make(struct input *to, const struct corpus *c, uint64_t *random);

#endif /* OCF_TEST_FUZZ_H */
