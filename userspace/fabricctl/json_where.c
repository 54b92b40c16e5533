// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A walk over JSON text that is known to be valid, so that it can be simple. It
 * still never leaves the text.
 */
#include <stdbool.h>
#include <string.h>

#include "json_where.h"

struct cursor {
	const char *text;
	size_t at;
	size_t end;
};

static char peek(const struct cursor *c)
{
	return c->at < c->end ? c->text[c->at] : 0;
}

static void skip_space(struct cursor *c)
{
	while (c->at < c->end && strchr(" \t\r\n", c->text[c->at]))
		c->at++;
}

static void skip_string(struct cursor *c)
{
	for (c->at++; c->at < c->end && c->text[c->at] != '"'; c->at++)
		if (c->text[c->at] == '\\')
			c->at++;
	if (c->at < c->end)
		c->at++;
}

/* A value of any kind; brackets are counted, strings skipped. */
static void skip_value(struct cursor *c)
{
	unsigned int depth = 0;

	skip_space(c);
	do {
		char ch = peek(c);

		if (ch == '"') {
			skip_string(c);
			continue;
		}
		if (ch == '{' || ch == '[')
			depth++;
		if (ch == '}' || ch == ']') {
			if (!depth)
				return;
			depth--;
			c->at++;
			if (!depth)
				return;
			continue;
		}
		if (ch == ',' && !depth)
			return;
		c->at++;
	} while (c->at < c->end);
}

/* To the next key of an object, past its bracket or comma. */
static bool next_key(struct cursor *c)
{
	skip_space(c);
	if (peek(c) == '{' || peek(c) == ',')
		c->at++;
	skip_space(c);
	return peek(c) == '"';
}

/* From a key to its value. */
static void to_value(struct cursor *c)
{
	skip_string(c);
	skip_space(c);
	if (peek(c) == ':')
		c->at++;
	skip_space(c);
}

static bool key_is(const struct cursor *c, const char *key)
{
	size_t n = strlen(key);

	return c->end - c->at >= n + 2 &&
	       !memcmp(c->text + c->at + 1, key, n) &&
	       c->text[c->at + 1 + n] == '"';
}

static bool to_member(struct cursor *c, const char *key)
{
	while (next_key(c)) {
		if (key_is(c, key)) {
			to_value(c);
			return true;
		}
		to_value(c);
		skip_value(c);
	}
	return false;
}

static bool to_element(struct cursor *c, size_t index)
{
	if (peek(c) != '[')
		return false;
	c->at++;
	while (index--) {
		skip_value(c);
		skip_space(c);
		if (peek(c) != ',')
			return false;
		c->at++;
	}
	skip_space(c);
	return true;
}

size_t json_where(const char *text, size_t length, const struct json_step *path,
		  unsigned int depth)
{
	struct cursor c = { .text = text, .end = length };
	size_t found;
	unsigned int i;

	skip_space(&c);
	found = c.at;
	for (i = 0; i < depth; i++) {
		bool there = path[i].key ? to_member(&c, path[i].key) :
					   to_element(&c, path[i].index);

		if (!there)
			break;
		found = c.at;
	}
	return found;
}

size_t json_members(const char *text, size_t length, size_t object)
{
	struct cursor c = { .text = text, .at = object, .end = length };
	size_t nr = 0;

	while (next_key(&c)) {
		nr++;
		to_value(&c);
		skip_value(&c);
	}
	return nr;
}

unsigned long line_of(const char *text, size_t offset)
{
	unsigned long line = 1;
	size_t i;

	for (i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}
