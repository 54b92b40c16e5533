// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * help [VERB...]
 */
#include <string.h>

#include "help.h"
#include "print.h"

const struct named_text help_options[] = {
	{ "-d, --device DEV", "the card: its number, its name, its node or its PCI address. Without it: the only card; with several, show shows all and other verbs list them and end." },
	{ "-j, --json", "one JSON object instead of text" },
	{ "-p, --pretty", "with -j: on many lines, indented" },
	{ "--timeout S", "give up after S seconds (status 124); exec: no longer than until CMD runs" },
	{ "-h, --help", "the same as help" },
	{ "-V, --version", "versions of the tool, of the card's interface and of the driver" },
};

const unsigned int nr_help_options = ARRAY_SIZE(help_options);

const struct named_text help_statuses[] = {
	{ "0", "done" },
	{ "1", "the card or the kernel refused; its sentence is printed" },
	{ "2", "usage, or a file that does not parse" },
	{ "3", "there is no such device, link, replica, window or QPN" },
	{ "4", "no permission; the right or group that is missing is printed" },
	{ "5", "the driver is not loaded" },
	{ "124", "a time limit passed" },
	{ "126, 127", "exec, launch: CMD cannot be executed, is not there" },
	{ "others", "exec, launch: the program's own; 128 and the signal if it died of one" },
};

const unsigned int nr_help_statuses = ARRAY_SIZE(help_statuses);

static void print_entry(FILE *out, const char *name, const char *text)
{
	if (strlen(name) < 24)
		fprintf(out, "  %-24s %s\n", name, text);
	else
		fprintf(out, "  %s\n  %-24s %s\n", name, "", text);
}

static void print_usage(FILE *out, const struct command *command)
{
	char line[512];

	usage_line(command, line, sizeof(line));
	print_entry(out, line, command->summary);
}

void print_summary(FILE *out)
{
	unsigned int i;

	fprintf(out, "usage: fabricctl [-d DEV] [-j] [-p] [--timeout S] VERB OBJECT [ARGS]\n\nverbs:\n");
	for (i = 0; i < nr_commands; i++)
		if (!(commands[i].how & HOW_HIDDEN))
			print_usage(out, &commands[i]);
	fprintf(out, "\noptions:\n");
	for (i = 0; i < nr_help_options; i++)
		print_entry(out, help_options[i].name, help_options[i].text);
	fprintf(out, "\nexit status:\n");
	for (i = 0; i < nr_help_statuses; i++)
		print_entry(out, help_statuses[i].name, help_statuses[i].text);
}

static bool matches(const struct command *c, char **words, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		if (i >= 3 || !c->word[i] || strcmp(c->word[i], words[i]))
			return false;
	return !(c->how & HOW_HIDDEN);
}

/* All verbs that begin with these words; with their text. */
static unsigned int print_matching(char **words, int nr)
{
	unsigned int i, found = 0;
	char line[512];

	for (i = 0; i < nr_commands; i++) {
		if (!matches(&commands[i], words, nr))
			continue;
		usage_line(&commands[i], line, sizeof(line));
		printf("%sfabricctl %s\n    %s\n", found++ ? "\n" : "", line,
		       commands[i].summary);
		if (commands[i].text)
			printf("    %s\n", commands[i].text);
	}
	return found;
}

int run_help(struct ctl *ctl)
{
	int used;

	if (!ctl->args.nr_words)
		print_summary(stdout);
	else if (!print_matching(ctl->args.words, ctl->args.nr_words)) {
		if (find_command(ctl->args.words, ctl->args.nr_words, &used))
			fail(ST_USAGE, "there is no such verb");
		return ST_USAGE;
	}
	return end_output();
}
