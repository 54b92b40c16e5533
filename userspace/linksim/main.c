// SPDX-License-Identifier: LGPL-2.1-or-later
/* linksim: runs a scenario file on the card's model. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

#define VERSION "1.0"

enum { DONE = 0, FAILED = 1, USAGE = 2 };

static const char usage[] =
"usage: linksim [--trace] [--engine beat|bulk] FILE\n";

static const char help[] =
"\n"
"Runs a scenario file (docs/scenarios.md) on the model of the card, without a\n"
"driver, and prints what became of each write, what was read, the counters and\n"
"the digests: one JSON object a line. FILE may be - for standard input.\n"
"\n"
"  --trace            also print each line issued and each response; implies\n"
"                     the beat engine\n"
"  --engine beat      move data a 64-byte beat a clock, as the hardware does\n"
"  --engine bulk      move it by whole lines, as the QEMU device does (default)\n"
"  --help, --version\n"
"\n"
"Exit status: 0 done; 1 no memory, or the output cannot be written; 2 usage, or\n"
"the file does not parse, and then nothing was run.\n";

struct options {
	enum sim_engine engine;
	bool engine_said;
	bool trace;
	const char *path;
};

static bool set_engine(struct options *o, const char *name)
{
	o->engine_said = true;
	o->engine = strcmp(name, "beat") ? SIM_BULK : SIM_BEAT;
	if (o->engine == SIM_BEAT || !strcmp(name, "bulk"))
		return true;
	fprintf(stderr, "linksim: there is no engine '%s', only beat and bulk\n",
		name);
	return false;
}

/* Returns an exit status when there is nothing to run, or -1. */
static int parse_options(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {
		{ "trace", no_argument, NULL, 't' },
		{ "engine", required_argument, NULL, 'e' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 't':
			o->trace = true;
			break;
		case 'e':
			if (!set_engine(o, optarg))
				return USAGE;
			break;
		case 'h':
			fputs(usage, stdout);
			fputs(help, stdout);
			return DONE;
		case 'v':
			puts("linksim " VERSION);
			return DONE;
		default:
			fputs(usage, stderr);
			return USAGE;
		}
	}
	if (argc - optind != 1) {
		fputs(usage, stderr);
		return USAGE;
	}
	o->path = argv[optind];
	return -1;
}

static int run(const struct options *o, const struct ocf_scn *scn)
{
	static struct sim sim;
	int status = DONE;

	sim.engine = o->engine;
	sim.out = stdout;
	if (!sim_init(&sim, scn))
		return FAILED;
	if (o->trace)
		trace_attach(&sim);
	if (!sim_run(&sim)) {
		fputs("linksim: the stages of a link do not add up\n", stderr);
		status = FAILED;
	}
	sim_free(&sim);
	return status;
}

static int close_output(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	fprintf(stderr, "linksim: cannot write: %s\n", strerror(errno));
	return FAILED;
}

int main(int argc, char **argv)
{
	struct options o = { .engine = SIM_BULK };
	struct ocf_scn scn;
	char err[512];
	int status = parse_options(&o, argc, argv);

	if (status >= 0)
		return close_output(status);
	if (o.trace && o.engine_said && o.engine == SIM_BULK) {
		fputs("linksim: only the beat engine can be traced\n", stderr);
		return USAGE;
	}
	if (o.trace)
		o.engine = SIM_BEAT;
	if (!ocf_scn_load(&scn, o.path, err, sizeof(err))) {
		fprintf(stderr, "%s\n", err);
		return USAGE;
	}
	status = run(&o, &scn);
	ocf_scn_free(&scn);
	return close_output(status);
}
