// SPDX-License-Identifier: GPL-2.0-only
/*
 * fabricctl's words: what a command line may be, split at spaces. Numbers are what
 * they say, to the last one that fits; a verb that is taken has its arguments within
 * their bounds.
 */
#include "fabricctl/ctl.h"
#include "fuzz.h"

#define WORDS	12

/* The same by hand, in numbers that do not wrap. */
static bool number(const char *word, uint64_t *value)
{
	unsigned __int128 v = 0;
	unsigned int base = 10;

	if (word[0] == '0' && (word[1] | 32) == 'x') {
		base = 16;
		word += 2;
	}
	if (!*word)
		return false;
	for (; *word; word++) {
		unsigned int c = (unsigned char)*word, digit;

		if (c >= '0' && c <= '9')
			digit = c - '0';
		else if (base == 16 && (c | 32) >= 'a' && (c | 32) <= 'f')
			digit = (c | 32) - 'a' + 10;
		else
			return false;
		if (v <= UINT64_MAX)
			v = v * base + digit;
	}
	*value = (uint64_t)v;
	return v <= UINT64_MAX;
}

static void check_number(const char *word)
{
	uint64_t a = 0, b = 0;
	bool good = parse_number(word, &a);

	MUST(good == number(word, &b) && (!good || a == b));
}

static void check_args(const struct ctl *ctl)
{
	const struct param *p = ctl->command->params;

	for (; p && (p->keyword || p->meta); p++)
		if (p->kind == KIND_NUMBER && ctl->args.given[p->id])
			MUST(ctl->args.value[p->id] >= p->min &&
			     ctl->args.value[p->id] <= p->max);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctl ctl = { .timeout_ns = -1, .deadline = INT64_MAX };
	char *text = malloc(size + 1), *words[WORDS], *at;
	int nr = 0, used;

	MUST(text);
	memcpy(text, data, size);
	text[size] = 0;
	for (at = strtok(text, " "); at && nr < WORDS; at = strtok(NULL, " "))
		words[nr++] = at;
	if (nr)
		check_number(words[nr - 1]);
	ctl.command = nr ? find_command(words, nr, &used) : NULL;
	if (ctl.command && !parse_args(&ctl, words + used, nr - used))
		check_args(&ctl);
	free(text);
	return 0;
}
