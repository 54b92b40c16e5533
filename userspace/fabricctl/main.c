// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fabricctl [-d DEV] [-j] [-p] [--timeout S] VERB OBJECT [ARGS]
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "help.h"
#include "nl.h"

enum {
	OPT_TIMEOUT = 256,
};

static const struct option options[] = {
	{ "device", required_argument, NULL, 'd' },
	{ "json", no_argument, NULL, 'j' },
	{ "pretty", no_argument, NULL, 'p' },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static int take_timeout(struct ctl *ctl, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds > 0) || seconds > 1e9)
		return fail(ST_USAGE, "--timeout '%s': expected seconds, more than 0", text);
	ctl->timeout_ns = (int64_t)(seconds * NS_PER_S);
	ctl->deadline = now_ns() + ctl->timeout_ns;
	return 0;
}

/* Sets *@verb to the words of a verb that an option stands for. */
static int take_option(struct ctl *ctl, int option, const char **verb)
{
	switch (option) {
	case 'd':
		ctl->device = optarg;
		return 0;
	case 'j':
		ctl->json = true;
		return 0;
	case 'p':
		ctl->pretty = true;
		return 0;
	case 'h':
		*verb = "help";
		return 0;
	case 'V':
		*verb = "version";
		return 0;
	case OPT_TIMEOUT:
		return take_timeout(ctl, optarg);
	default:
		return fail(ST_USAGE, "'fabricctl help' lists options and verbs");
	}
}

static int run_with_cards(struct ctl *ctl)
{
	int error = fab_open(ctl);

	if (!error)
		error = pick_cards(ctl);
	if (!error)
		error = ctl->command->run(ctl);
	free_cards(ctl);
	fab_close(ctl);
	return error;
}

static int run(struct ctl *ctl, char **words, int nr)
{
	int used, error;

	ctl->command = find_command(words, nr, &used);
	if (!ctl->command)
		return ST_USAGE;
	error = parse_args(ctl, words + used, nr - used);
	if (!error && ctl->command->prepare)
		error = ctl->command->prepare(ctl);
	if (error)
		return error;
	if (ctl->command->how & HOW_NO_DRIVER)
		return ctl->command->run(ctl);
	return run_with_cards(ctl);
}

/* What we open must not get the number of a standard one that is closed. */
static void open_standard(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	struct ctl ctl = { .timeout_ns = -1, .deadline = INT64_MAX };
	const char *verb = NULL;
	int option, error;
	char *words[2];

	open_standard();
	/* getopt's messages begin with the path, ours with the name */
	if (argc)
		argv[0] = program_invocation_short_name;

	while ((option = getopt_long(argc, argv, "+d:jphV", options, NULL)) != -1) {
		error = take_option(&ctl, option, &verb);
		if (error)
			return error;
	}
	if (verb) {
		words[0] = strdup(verb);
		error = words[0] ? run(&ctl, words, 1) : ST_REFUSED;
		free(words[0]);
		return error;
	}
	if (optind == argc) {
		print_summary(stderr);
		return ST_USAGE;
	}
	return run(&ctl, argv + optind, argc - optind);
}
