// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which word was meant
 */
#include <stdio.h>
#include <string.h>

#include "ctl.h"

#define WORD_MAX	32

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

/* Edits (insert, delete, replace) from a to b; long words are far from all. */
static unsigned int distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), i, j;
	unsigned int row[WORD_MAX + 1];

	if (la > WORD_MAX || lb > WORD_MAX)
		return WORD_MAX;
	for (j = 0; j <= lb; j++)
		row[j] = (unsigned int)j;
	for (i = 1; i <= la; i++) {
		unsigned int diagonal = row[0];

		row[0] = (unsigned int)i;
		for (j = 1; j <= lb; j++) {
			unsigned int above = row[j];

			row[j] = min3(above + 1, row[j - 1] + 1,
				      diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[lb];
}

static bool is_near(const char *word, const char *candidate)
{
	size_t n = strlen(word);

	if (n >= 2 && !strncmp(word, candidate, n))
		return true;
	return distance(word, candidate) <= (n < 4 ? 1 : 2);
}

static void list(char *buf, size_t size, const char *word,
		 const char *const *candidates, unsigned int nr)
{
	unsigned int i, found = 0;
	size_t used;

	for (i = 0; i < nr; i++) {
		if (word && !is_near(word, candidates[i]))
			continue;
		used = strlen(buf);
		snprintf(buf + used, size - used, "%s%s",
			 found++ ? ", " : "", candidates[i]);
	}
}

void suggest(char *buf, size_t size, const char *word,
	     const char *const *candidates, unsigned int nr)
{
	char near[256] = "", all[512] = "";

	list(near, sizeof(near), word, candidates, nr);
	if (near[0]) {
		snprintf(buf, size, "; did you mean: %s?", near);
		return;
	}
	list(all, sizeof(all), NULL, candidates, nr);
	snprintf(buf, size, all[0] ? "; expected one of: %s" : "%s", all);
}
