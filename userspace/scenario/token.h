/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words and numbers of one line, and the sentence about the first bad one. */
#ifndef OCF_SCN_TOKEN_H
#define OCF_SCN_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scn_token {
	const char *s;
	size_t n;
};

struct scn_line {
	const char *name;	/* of the file */
	unsigned long nr;
	const char *at;		/* what is left of the line, */
	const char *end;	/* up to a comment */
	char *err;
	size_t err_size;
};

/* Writes "name:line: ..." and returns false. */
bool scn_fail(struct scn_line *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The next word; false, without an error, at the end of the line. */
bool scn_next(struct scn_line *l, struct scn_token *t);

bool scn_is(const struct scn_token *t, const char *word);
bool scn_starts(const struct scn_token *t, const char *prefix);

/* A word for an error message: printable, and not too long. */
const char *scn_quote(const struct scn_token *t, char buf[40]);

/* These fail with an error. `what` names the field. */
bool scn_want(struct scn_line *l, const char *what, struct scn_token *t);
bool scn_want_word(struct scn_line *l, const char *word);
bool scn_want_end(struct scn_line *l);
bool scn_number(struct scn_line *l, const char *what,
		const struct scn_token *t, uint64_t max, uint64_t *value);
bool scn_want_number(struct scn_line *l, const char *what, uint64_t max,
		     uint64_t *value);

#endif
