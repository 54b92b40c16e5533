// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The grammar: from words to a row of the table, and to its arguments
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ctl.h"

#define CANDIDATES	64
#define LINE		512

/* ---- the verb ----------------------------------------------------------- */

static bool starts_with(const struct command *c, char **words, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		if (!c->word[i] || strcmp(c->word[i], words[i]))
			return false;
	return true;
}

static unsigned int add_once(const char **list, unsigned int nr, const char *s)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(list[i], s))
			return nr;
	if (nr < CANDIDATES)
		list[nr++] = s;
	return nr;
}

/* The words that can follow words[0..depth). */
static unsigned int next_words(char **words, int depth, const char **list)
{
	unsigned int i, nr = 0;

	for (i = 0; i < nr_commands; i++) {
		const struct command *c = &commands[i];

		if (!(c->how & HOW_HIDDEN) && starts_with(c, words, depth) &&
		    c->word[depth])
			nr = add_once(list, nr, c->word[depth]);
	}
	return nr;
}

static void join(char *buf, size_t size, char **words, int nr)
{
	int i;

	buf[0] = 0;
	for (i = 0; i < nr; i++)
		snprintf(buf + strlen(buf), size - strlen(buf), "%s%s",
			 i ? " " : "", words[i]);
}

static const struct command *unknown(char **words, int nr, int depth)
{
	const char *list[CANDIDATES];
	char so_far[LINE], hint[LINE];
	unsigned int count = next_words(words, depth, list);

	join(so_far, sizeof(so_far), words, depth);
	if (depth >= nr) {
		suggest(hint, sizeof(hint), "", list, count);
		fail(ST_USAGE, "%s%sa word is missing%s", so_far,
		     depth ? ": " : "", hint);
		return NULL;
	}
	suggest(hint, sizeof(hint), words[depth], list, count);
	fail(ST_USAGE, "%s%sthere is no '%s'%s", so_far, depth ? ": " : "",
	     words[depth], hint);
	return NULL;
}

/* The row whose words come first; the longest, when several do. */
const struct command *find_command(char **words, int nr, int *used)
{
	const struct command *best = NULL;
	unsigned int i;
	int depth, matched = 0;

	*used = 0;
	for (i = 0; i < nr_commands; i++) {
		for (depth = 0; depth < 3 && commands[i].word[depth]; depth++)
			if (depth >= nr ||
			    strcmp(commands[i].word[depth], words[depth]))
				break;
		if (depth > matched)
			matched = depth;
		if (depth == 3 || !commands[i].word[depth]) {
			if (depth > *used) {
				*used = depth;
				best = &commands[i];
			}
		}
	}
	return best ? best : unknown(words, nr, matched);
}

/* ---- its arguments ------------------------------------------------------ */

void usage_line(const struct command *command, char *buf, size_t size)
{
	const struct param *p = command->params;
	int i;

	buf[0] = 0;
	for (i = 0; i < 3 && command->word[i]; i++)
		snprintf(buf + strlen(buf), size - strlen(buf), "%s%s",
			 i ? " " : "", command->word[i]);
	for (; p && (p->keyword || p->meta); p++)
		snprintf(buf + strlen(buf), size - strlen(buf),
			 " %s%s%s%s%s%s%s", p->optional ? "[" : "",
			 p->alias ? p->alias : "", p->alias ? "|" : "",
			 p->keyword ? p->keyword : "",
			 p->keyword && p->meta ? " " : "",
			 p->meta ? p->meta : "", p->optional ? "]" : "");
}

bool parse_number(const char *word, uint64_t *value)
{
	bool hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	const char *digits = word + (hex ? 2 : 0);
	const char *allowed = hex ? "0123456789abcdefABCDEF" : "0123456789";
	char *end;

	if (!*digits || digits[strspn(digits, allowed)])
		return false;
	errno = 0;
	*value = strtoull(digits, &end, hex ? 16 : 10);
	return !errno;
}

static int bad_value(const struct ctl *ctl, const struct param *p,
		     const char *word, const char *expected)
{
	char line[LINE];

	usage_line(ctl->command, line, sizeof(line));
	return fail(ST_USAGE, "%s '%s': expected %s\nusage: fabricctl %s",
		    p->keyword ? p->keyword : p->meta, word, expected, line);
}

static int take_number(struct ctl *ctl, const struct param *p, const char *word)
{
	char expected[64];
	uint64_t value;

	if (!parse_number(word, &value))
		return bad_value(ctl, p, word, "a decimal or 0x-hex number of 64 bits");
	if (value > p->max && p->noun)
		return fail(ST_ABSENT, "there is no %s %s: the highest is %llu",
			    p->noun, word, (unsigned long long)p->max);
	if (value > p->max) {
		snprintf(expected, sizeof(expected), "at most %llu",
			 (unsigned long long)p->max);
		return bad_value(ctl, p, word, expected);
	}
	if (value < p->min) {
		snprintf(expected, sizeof(expected), "at least %llu",
			 (unsigned long long)p->min);
		return bad_value(ctl, p, word, expected);
	}
	ctl->args.value[p->id] = value;
	return 0;
}

/* A number, or the one word that is as good. */
static int take_number_or(struct ctl *ctl, const struct param *p,
			  const char *word)
{
	const char *other = strchr(p->meta, '|') + 1;
	uint64_t value;

	if (!strcmp(word, other)) {
		ctl->args.value[p->id] = UINT64_MAX;
		return 0;
	}
	if (!parse_number(word, &value)) {
		char expected[64];

		snprintf(expected, sizeof(expected),
			 "a decimal or 0x-hex number of 64 bits, or %s", other);
		return bad_value(ctl, p, word, expected);
	}
	return take_number(ctl, p, word);
}

static int take_choice(struct ctl *ctl, const struct param *p, const char *word)
{
	const char *second = strchr(p->meta, '|') + 1;
	size_t n = (size_t)(second - p->meta) - 1;
	bool is_first = strlen(word) == n && !strncmp(word, p->meta, n);
	char expected[64];

	if (!is_first && strcmp(word, second)) {
		snprintf(expected, sizeof(expected), "%.*s or %s", (int)n,
			 p->meta, second);
		return bad_value(ctl, p, word, expected);
	}
	ctl->args.value[p->id] = is_first;
	return 0;
}

static int take_word(struct ctl *ctl, const struct param *p, const char *word)
{
	const char *at = p->meta;
	char expected[128];
	uint64_t i;

	for (i = 0; *at; i++) {
		size_t n = strcspn(at, "|");

		if (strlen(word) == n && !strncasecmp(word, at, n)) {
			ctl->args.value[p->id] = i;
			return 0;
		}
		at += n + (at[n] == '|');
	}
	snprintf(expected, sizeof(expected), "one of %s", p->meta);
	return bad_value(ctl, p, word, expected);
}

static int take_range(struct ctl *ctl, const struct param *p, const char *word)
{
	const char *bar = strchr(word, '-');
	char first[32], expected[64];
	uint64_t a, b;

	snprintf(first, sizeof(first), "%.*s",
		 bar ? (int)(bar - word) : (int)strlen(word), word);
	if (!parse_number(first, &a) || !parse_number(bar ? bar + 1 : first, &b) ||
	    a > b || b > p->max) {
		snprintf(expected, sizeof(expected),
			 "a range A-B, A not above B, B at most %llu",
			 (unsigned long long)p->max);
		return bad_value(ctl, p, word, expected);
	}
	ctl->args.value[p->id] = a;
	ctl->args.last = b;
	return 0;
}

/* Goes into the environment and into messages. */
static int take_text(struct ctl *ctl, const struct param *p, const char *word)
{
	const char *c;

	for (c = word; *c > ' ' && *c <= '~'; c++)
		;
	if (!*word || *c || (uint64_t)(c - word) > p->max)
		return bad_value(ctl, p, word, "printable characters without spaces, at most 64");
	ctl->args.text = word;
	return 0;
}

static int take_seconds(struct ctl *ctl, const struct param *p, const char *word)
{
	double ms, least = (double)p->min, most = (double)p->max;
	char expected[64], *end;

	ms = strtod(word, &end) * 1000;
	if (end == word || *end || !(ms >= least && ms <= most)) {
		snprintf(expected, sizeof(expected), "seconds, %g to %g",
			 least / 1000, most / 1000);
		return bad_value(ctl, p, word, expected);
	}
	ctl->args.value[p->id] = (uint64_t)ms;
	return 0;
}

/* May take a second word, the delay. */
static int take_fault(struct ctl *ctl, const struct param *p, char **words,
		      int nr, int *used)
{
	static const char *const names[] = {
		[FAULT_SLVERR] = "slverr", [FAULT_DECERR] = "decerr",
		[FAULT_NONE] = "none", [FAULT_DELAY] = "delay",
	};
	uint64_t cycles;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(words[0], names[i]))
			break;
	if (i == ARRAY_SIZE(names))
		return bad_value(ctl, p, words[0], "slverr, decerr, none or delay C");
	ctl->args.value[p->id] = i;
	if (i != FAULT_DELAY)
		return 0;
	if (nr < 2 || !parse_number(words[1], &cycles) || cycles > UINT32_MAX)
		return bad_value(ctl, p, nr < 2 ? "delay" : words[1],
				 "a delay in cycles of 32 bits");
	ctl->args.delay = (uint32_t)cycles;
	*used = 2;
	return 0;
}

static int take_value(struct ctl *ctl, const struct param *p, char **words,
		      int nr, int *used)
{
	*used = 1;
	switch (p->kind) {
	case KIND_NUMBER:
		return take_number(ctl, p, words[0]);
	case KIND_NUMBER_OR:
		return take_number_or(ctl, p, words[0]);
	case KIND_CHOICE:
		return take_choice(ctl, p, words[0]);
	case KIND_WORD:
		return take_word(ctl, p, words[0]);
	case KIND_RANGE:
		return take_range(ctl, p, words[0]);
	case KIND_TEXT:
		return take_text(ctl, p, words[0]);
	case KIND_SECONDS:
		return take_seconds(ctl, p, words[0]);
	case KIND_FAULT:
		return take_fault(ctl, p, words, nr, used);
	case KIND_FILE:
		ctl->args.file = words[0];
		return 0;
	case KIND_WORDS:
		ctl->args.words = words;
		ctl->args.nr_words = nr;
		*used = nr;
		return 0;
	case KIND_FLAG:
		break;
	}
	*used = 0;
	return 0;
}

/* The parameter that this word starts: by its keyword, else by position. */
static const struct param *param_of(const struct ctl *ctl, const char *word)
{
	const struct param *p, *positional = NULL;

	for (p = ctl->command->params; p && (p->keyword || p->meta); p++) {
		if (p->keyword && (!strcmp(p->keyword, word) ||
				   (p->alias && !strcmp(p->alias, word))))
			return p;
		if (!p->keyword && !positional && !ctl->args.given[p->id])
			positional = p;
	}
	/* What looks like a flag is a wrong flag, not a value. "-" is a file. */
	return word[0] == '-' && word[1] ? NULL : positional;
}

static bool is_flag_near(const char *word, const char **list, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (list[i][0] == '-' && word[1] == '-')
			return true;
	return false;
}

static int wrong_word(const struct ctl *ctl, const char *word)
{
	const char *list[CANDIDATES];
	char hint[LINE], line[LINE];
	const struct param *p;
	unsigned int nr = 0;

	for (p = ctl->command->params; p && (p->keyword || p->meta); p++)
		if (p->keyword && !ctl->args.given[p->id])
			nr = add_once(list, nr, p->keyword);
	if (word[0] == '-' && word[1] && !is_flag_near(word, list, nr))
		snprintf(hint, sizeof(hint), " (options come before the verb)");
	else
		suggest(hint, sizeof(hint), word, list, nr);
	usage_line(ctl->command, line, sizeof(line));
	return fail(ST_USAGE, "'%s' is not expected%s\nusage: fabricctl %s",
		    word, hint, line);
}

static int check_all_there(const struct ctl *ctl)
{
	const struct param *p;
	char line[LINE];

	for (p = ctl->command->params; p && (p->keyword || p->meta); p++) {
		if (p->optional || ctl->args.given[p->id])
			continue;
		usage_line(ctl->command, line, sizeof(line));
		return fail(ST_USAGE, "%s%s%s is missing\nusage: fabricctl %s",
			    p->keyword ? p->keyword : "",
			    p->keyword && p->meta ? " " : "",
			    p->meta ? p->meta : "", line);
	}
	return 0;
}

int parse_args(struct ctl *ctl, char **words, int nr)
{
	int error, used;

	while (nr) {
		const struct param *p = param_of(ctl, words[0]);

		if (!p)
			return wrong_word(ctl, words[0]);
		if (ctl->args.given[p->id])
			return fail(ST_USAGE, "'%s' is there twice", words[0]);
		ctl->args.given[p->id] = true;
		if (p->keyword) {
			words++;
			nr--;
		}
		if (p->kind != KIND_FLAG && !nr)
			return fail(ST_USAGE, "%s: its value %s is missing",
				    p->keyword, p->meta);
		error = take_value(ctl, p, words, nr, &used);
		if (error)
			return error;
		words += used;
		nr -= used;
	}
	return check_all_there(ctl);
}
