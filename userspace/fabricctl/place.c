// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which rank this process has, by what launchers put into the environment;
 * show rank
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "place.h"
#include "print.h"

#define NAMES	3

/* The variables of a launcher. An empty one is as good as none. */
struct launcher {
	const char *rank;
	const char *size[NAMES];	/* the first that is there */
	const char *local[NAMES];
	unsigned int least;	/* with a smaller size it is no parallel job */
};

/*
 * In this order: mpirun inside an allocation of Slurm finds the variables of
 * both, and the inner one is meant. Slurm sets SLURM_PROCID=0 for a batch
 * script and for a lone task too, which are not a job of one replica.
 */
static const struct launcher launchers[] = {
	{ "OCF_RANK", { "OCF_SIZE" }, { "OCF_LOCAL_RANK" }, 0 },
	{ "OMPI_COMM_WORLD_RANK", { "OMPI_COMM_WORLD_SIZE" },
	  { "OMPI_COMM_WORLD_LOCAL_RANK" }, 0 },
	{ "PMIX_RANK", { "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS" },
	  { "SLURM_LOCALID" }, 0 },
	{ "PMI_RANK", { "PMI_SIZE" }, { "MPI_LOCALRANKID", "SLURM_LOCALID" }, 0 },
	{ "SLURM_PROCID", { "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS" },
	  { "SLURM_LOCALID" }, 2 },
	{ "JOB_COMPLETION_INDEX", { NULL }, { NULL }, 0 },
};

/* Plain names that others may use too: only together. */
static const struct launcher torch = {
	"RANK", { "WORLD_SIZE" }, { "LOCAL_RANK" }, 1
};

static const char *variable(const char *name)
{
	const char *value = name ? getenv(name) : NULL;

	return value && *value ? value : NULL;
}

/* Notes the variable's name if it is no number. */
static void read_variable(struct place *place, const char *name,
			  unsigned int *value)
{
	uint64_t number = 0;

	if (!parse_number(variable(name), &number) || number > INT_MAX)
		place->bad = name;
	*value = (unsigned int)number;
}

/* The first of these that is there; @value stays as it is without. */
static void read_first(struct place *place, const char *const *names,
		       unsigned int *value)
{
	unsigned int i;

	for (i = 0; i < NAMES && names[i]; i++)
		if (variable(names[i])) {
			read_variable(place, names[i], value);
			return;
		}
}

static void read_launcher(const struct launcher *l, struct place *place)
{
	place->source = l->rank;
	place->size = 0;
	read_variable(place, l->rank, &place->rank);
	place->local_rank = place->rank;
	read_first(place, l->size, &place->size);
	read_first(place, l->local, &place->local_rank);
}

/* The pod of a StatefulSet has its number at the end of its name. */
static bool read_ordinal(struct place *place)
{
	char name[HOST_NAME_MAX + 1] = "";
	const char *digits;

	if (!variable("KUBERNETES_SERVICE_HOST") ||
	    gethostname(name, sizeof(name) - 1))
		return false;
	digits = strrchr(name, '-');
	if (!digits || !digits[1] || strlen(digits + 1) > 5 ||
	    digits[1 + strspn(digits + 1, "0123456789")])
		return false;
	place->rank = (unsigned int)strtoul(digits + 1, NULL, 10);
	place->size = 0;
	place->local_rank = place->rank;
	place->source = "hostname";
	return true;
}

static void read_environment(struct place *place)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(launchers); i++) {
		if (!variable(launchers[i].rank))
			continue;
		read_launcher(&launchers[i], place);
		if (place->bad || place->size >= launchers[i].least)
			return;
	}
	place->source = NULL;
	if (read_ordinal(place))
		return;
	if (variable(torch.rank) && variable(torch.size[0]))
		read_launcher(&torch, place);
}

/* What tells this job's processes from another's. */
static void find_job(const struct ctl *ctl, struct place *place)
{
	static const char *const names[] = {
		"OCF_JOB", "PMIX_NAMESPACE", "SLURM_JOB_ID", "PMI_JOBID",
		"TORCHELASTIC_RUN_ID",
	};
	const char *step = variable("SLURM_STEP_ID"), *job = "local";
	bool has_step = false;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!variable(names[i]))
			continue;
		job = variable(names[i]);
		has_step = step && !strcmp(names[i], "SLURM_JOB_ID");
		break;
	}
	if (ctl->args.given[P_JOB]) {
		job = ctl->args.text;
		has_step = false;
	}
	snprintf(place->job, sizeof(place->job), "%.64s%s%.32s", job,
		 has_step ? "." : "", has_step ? step : "");
}

static int no_rank(void)
{
	if (variable("SLURM_PROCID"))
		return fail(ST_USAGE, "--rank auto: SLURM_PROCID is there, but a single task is not a parallel job; say --rank %.10s if it is one",
			    variable("SLURM_PROCID"));
	return fail(ST_USAGE, "--rank auto: no launcher has set OCF_RANK, OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK, SLURM_PROCID, JOB_COMPLETION_INDEX, or RANK and WORLD_SIZE");
}

int place_resolve(const struct ctl *ctl, struct place *place)
{
	const struct args *args = &ctl->args;
	bool by_hand = args->given[P_RANK] && args->value[P_RANK] != UINT64_MAX;
	unsigned int rank = (unsigned int)args->value[P_RANK];

	memset(place, 0, sizeof(*place));
	read_environment(place);
	/* Of a rank that was said by hand the launcher may know more. */
	if (by_hand && (place->bad || !place->source || place->rank != rank))
		*place = (struct place){ .rank = rank, .local_rank = rank };
	if (by_hand)
		place->source = "--rank";
	if (place->bad)
		return fail(ST_USAGE, "--rank auto: %s is '%.40s', expected a number",
			    place->bad, variable(place->bad));
	if (!place->source)
		return no_rank();
	if (args->given[P_SIZE])
		place->size = (unsigned int)args->value[P_SIZE];
	if (place->size && place->rank >= place->size)
		return fail(ST_USAGE, "rank %u (%s) is not below the size of the job, %u",
			    place->rank, place->source, place->size);
	find_job(ctl, place);
	return 0;
}

/* ---- show rank ---------------------------------------------------------- */

static const struct column columns[] = {
	{ "rank", COL_PLAIN, false },
	{ "size", COL_PLAIN, false },
	{ "local_rank", COL_PLAIN, false },
	{ "job", COL_PLAIN, true },
	{ "source", COL_PLAIN, true },
};

int run_show_rank(struct ctl *ctl)
{
	struct json_object *rows, *row;
	struct place place;
	int error = place_resolve(ctl, &place);

	if (error)
		return error;
	rows = json_object_new_array();
	row = json_object_new_object();
	put_number(row, "rank", place.rank);
	if (place.size)
		put_number(row, "size", place.size);
	else
		put_null(row, "size");
	put_number(row, "local_rank", place.local_rank);
	put_string(row, "job", place.job);
	put_string(row, "source", place.source);
	json_object_array_add(rows, row);
	return print_rows(ctl, "rank", columns, ARRAY_SIZE(columns), rows);
}
