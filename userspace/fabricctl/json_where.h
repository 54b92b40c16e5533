/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where something is in the text of a JSON file, which json-c does not say
 */
#ifndef FABRICCTL_JSON_WHERE_H
#define FABRICCTL_JSON_WHERE_H

#include <stddef.h>

/* A step from a value into it: a member, or an element of an array. */
struct json_step {
	const char *key;	/* NULL: an element */
	size_t index;
};

/*
 * The offset of a value in text that json-c has accepted; of the innermost one
 * around it that can be found.
 */
size_t json_where(const char *text, size_t length, const struct json_step *path,
		  unsigned int depth);

/* Members that an object has in the text, those that are there twice too. */
size_t json_members(const char *text, size_t length, size_t object);

unsigned long line_of(const char *text, size_t offset);

#endif
