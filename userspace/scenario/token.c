// SPDX-License-Identifier: LGPL-2.1-or-later
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "token.h"

bool scn_fail(struct scn_line *l, const char *fmt, ...)
{
	int n = snprintf(l->err, l->err_size, "%s:%lu: ", l->name, l->nr);
	va_list ap;

	if (n < 0 || (size_t)n >= l->err_size)
		return false;
	va_start(ap, fmt);
	vsnprintf(l->err + n, l->err_size - (size_t)n, fmt, ap);
	va_end(ap);
	return false;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

bool scn_next(struct scn_line *l, struct scn_token *t)
{
	while (l->at < l->end && is_space(*l->at))
		l->at++;
	t->s = l->at;
	while (l->at < l->end && !is_space(*l->at))
		l->at++;
	t->n = (size_t)(l->at - t->s);
	return t->n != 0;
}

bool scn_is(const struct scn_token *t, const char *word)
{
	return t->n == strlen(word) && !memcmp(t->s, word, t->n);
}

bool scn_starts(const struct scn_token *t, const char *prefix)
{
	return t->n >= strlen(prefix) && !memcmp(t->s, prefix, strlen(prefix));
}

const char *scn_quote(const struct scn_token *t, char buf[40])
{
	size_t i;

	for (i = 0; i < t->n && i < 32; i++)
		buf[i] = t->s[i] > ' ' && t->s[i] < 127 ? t->s[i] : '?';
	strcpy(buf + i, t->n > i ? "..." : "");
	return buf;
}

bool scn_want(struct scn_line *l, const char *what, struct scn_token *t)
{
	return scn_next(l, t) || scn_fail(l, "%s is missing", what);
}

bool scn_want_word(struct scn_line *l, const char *word)
{
	struct scn_token t;
	char q[40];

	if (!scn_want(l, word, &t))
		return false;
	return scn_is(&t, word) ||
	       scn_fail(l, "'%s' where '%s' was expected", scn_quote(&t, q),
			word);
}

bool scn_want_end(struct scn_line *l)
{
	struct scn_token t;
	char q[40];

	return !scn_next(l, &t) ||
	       scn_fail(l, "'%s' after the end of the statement",
			scn_quote(&t, q));
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

enum parsed { A_NUMBER, TOO_LARGE, NO_NUMBER };

static enum parsed to_number(const char *s, size_t n, uint64_t *value)
{
	unsigned int base = 10;
	enum parsed result = A_NUMBER;
	size_t i = 0;

	if (n > 2 && s[0] == '0' && s[1] == 'x') {
		base = 16;
		i = 2;
	}
	for (*value = 0; i < n; i++) {
		unsigned int d = (unsigned int)digit(s[i]);

		if (d >= base)
			return NO_NUMBER;
		if (__builtin_mul_overflow(*value, base, value) ||
		    __builtin_add_overflow(*value, d, value))
			result = TOO_LARGE;
	}
	return n ? result : NO_NUMBER;
}

bool scn_number(struct scn_line *l, const char *what,
		const struct scn_token *t, uint64_t max, uint64_t *value)
{
	char q[40];

	switch (to_number(t->s, t->n, value)) {
	case NO_NUMBER:
		return scn_fail(l, "%s '%s' is not a number, decimal or 0x-hex",
				what, scn_quote(t, q));
	case A_NUMBER:
		if (*value <= max)
			return true;
		/* fall through */
	default:
		return scn_fail(l, "%s %s is more than %" PRIu64, what,
				scn_quote(t, q), max);
	}
}

bool scn_want_number(struct scn_line *l, const char *what, uint64_t max,
		     uint64_t *value)
{
	struct scn_token t;

	return scn_want(l, what, &t) && scn_number(l, what, &t, max, value);
}
