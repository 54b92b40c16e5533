// SPDX-License-Identifier: LGPL-2.1-or-later
/* What is to be run */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "workload.h"

#define STALL_SECONDS	10

enum {
	OPT_SECONDS = 0x100, OPT_STALL, OPT_SCENARIO, OPT_NO_SETUP, OPT_IMM, OPT_SEM,
	OPT_LIST, OPT_MANUAL, OPT_VERSION,
};

const struct wl_option wl_option_table[] = {
	{ { "traffic", required_argument, NULL, 't' }, "T",
	  "the shape, T1 to T7; see --list" },
	{ { "replicas", required_argument, NULL, 'n' }, "N",
	  "replicas, 2 to 16; each is a process" },
	{ { "seed", required_argument, NULL, 's' }, "S",
	  "the same seed is the same traffic, on every host; 1 if not said" },
	{ { "count", required_argument, NULL, 'c' }, "C",
	  "rounds; --list says how many if not said" },
	{ { "seconds", required_argument, NULL, OPT_SECONDS }, "S",
	  "go on for so long instead, or at most so long with --count" },
	{ { "device", required_argument, NULL, 'd' }, "DEV",
	  "the card, if there are several: ocfabric0" },
	{ { "no-setup", no_argument, NULL, OPT_NO_SETUP }, NULL,
	  "take the card as it is configured; T7 then revokes no windows" },
	{ { "imm", no_argument, NULL, OPT_IMM }, NULL,
	  "T2: requests are writes with immediate" },
	{ { "sem", no_argument, NULL, OPT_SEM }, NULL,
	  "T6, T7: the flag is a semaphore of the reader" },
	{ { "stall", required_argument, NULL, OPT_STALL }, "S",
	  "give up after so many seconds without progress; 10 if not said" },
	{ { "scenario", no_argument, NULL, OPT_SCENARIO }, NULL,
	  "print the traffic as a scenario file, for linksim and fabricctl replay, and "
	  "run nothing" },
	{ { "list", no_argument, NULL, OPT_LIST }, NULL, "the shapes, and their rounds" },
	{ { "help", no_argument, NULL, 'h' }, NULL, "this" },
	{ { "version", no_argument, NULL, OPT_VERSION }, NULL, "the version" },
	{ { "manual", no_argument, NULL, OPT_MANUAL }, NULL, NULL },
};

enum { NR_OPTIONS = sizeof(wl_option_table) / sizeof(wl_option_table[0]) };
const unsigned int wl_nr_options = NR_OPTIONS;

static bool complain(const char *format, const char *word)
{
	fputs("ocf-workload: ", stderr);
	fprintf(stderr, format, word);
	fputc('\n', stderr);
	return false;
}

static bool number(const char *what, const char *word, uint64_t min, uint64_t max,
		   uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(word, &end, 0);
	if (*word >= '0' && *word <= '9' && !*end && !errno && *value >= min &&
	    *value <= max)
		return true;
	fprintf(stderr, "ocf-workload: %s '%s' is no number from %" PRIu64 " to %" PRIu64 "\n",
		what, word, min, max);
	return false;
}

static bool shape(struct wl_options *o, const char *name)
{
	unsigned int i;

	for (i = 0; wl_shapes[i]; i++) {
		if (!strcmp(wl_shapes[i]->name, name)) {
			o->shape = wl_shapes[i];
			return true;
		}
	}
	return complain("there is no traffic '%s', only T1 to T7", name);
}

static void list(void)
{
	unsigned int i;

	puts("shape  rounds  in a file  what");
	for (i = 0; wl_shapes[i]; i++)
		printf("%-5s %7" PRIu64 " %10" PRIu64 "  %s\n", wl_shapes[i]->name,
		       wl_shapes[i]->count, wl_shapes[i]->scenario, wl_shapes[i]->text);
}

/* Those that answer, and end. */
static bool is_question(int c)
{
	switch (c) {
	case 'h':
		wl_help();
		return true;
	case OPT_LIST:
		list();
		return true;
	case OPT_MANUAL:
		wl_manual();
		return true;
	case OPT_VERSION:
		puts("ocf-workload " VERSION);
		return true;
	}
	return false;
}

static bool set(struct wl_options *o, int c)
{
	uint64_t value;

	switch (c) {
	case 't':
		return shape(o, optarg);
	case 'n':
		if (!number("-n", optarg, 2, WL_REPLICAS, &value))
			return false;
		o->n = (unsigned int)value;
		return true;
	case 's':
		return number("--seed", optarg, 0, UINT64_MAX, &o->seed);
	case 'c':
		return number("--count", optarg, 1, UINT32_MAX / 64, &o->count);
	case OPT_SECONDS:
		if (!number("--seconds", optarg, 1, 1000000, &value))
			return false;
		o->seconds = (unsigned int)value;
		return true;
	case OPT_STALL:
		if (!number("--stall", optarg, 1, 1000000, &value))
			return false;
		o->stall = (unsigned int)value;
		return true;
	case 'd':
		o->device = optarg;
		return true;
	}
	o->scenario |= c == OPT_SCENARIO;
	o->no_setup |= c == OPT_NO_SETUP;
	o->imm |= c == OPT_IMM;
	o->semaphores |= c == OPT_SEM;
	return true;
}

static bool check(struct wl_options *o)
{
	if (!o->shape || !o->n)
		return complain("%s needed; see --help", "-t and -n are");
	if (o->imm && !o->shape->imm)
		return complain("--imm is not for %s", o->shape->name);
	if (o->semaphores && !o->shape->semaphores)
		return complain("--sem is not for %s", o->shape->name);
	if (o->scenario && (o->imm || o->semaphores || o->seconds || o->device ||
			    o->no_setup))
		return complain("%s", "--scenario goes with -t, -n, --seed and --count only");
	if (!o->count && !o->seconds)
		o->count = o->scenario ? o->shape->scenario : o->shape->count;
	return true;
}

int wl_options(struct wl_options *o, int argc, char **argv)
{
	struct option options[NR_OPTIONS + 1];
	unsigned int i;
	int c;

	memset(options, 0, sizeof(options));
	for (i = 0; i < NR_OPTIONS; i++)
		options[i] = wl_option_table[i].option;
	*o = (struct wl_options) { .seed = 1, .stall = STALL_SECONDS };
	while ((c = getopt_long(argc, argv, "t:n:s:c:d:h", options, NULL)) != -1) {
		if (is_question(c))
			return WL_DONE;
		if (c == '?' || !set(o, c))
			return WL_USAGE;
	}
	if (optind != argc) {
		complain("'%s' is not understood; see --help", argv[optind]);
		return WL_USAGE;
	}
	return check(o) ? -1 : WL_USAGE;
}
