// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * perf lat, perf bw: the verbs
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf.h"

#define ITERATIONS	1000
#define SIZE_LEAST	2u		/* of --size all, doubled up to */
#define SIZE_MOST	(8u << 20)
#define MIB		(1 << 20)

/* ---- what is printed, in perftest's terms and units --------------------- */

static const struct column latency_columns[] = {
	{ "#bytes", COL_PLAIN, false },
	{ "#iterations", COL_PLAIN, false },
	{ "t_min[usec]", COL_PLAIN, false },
	{ "t_max[usec]", COL_PLAIN, false },
	{ "t_typical[usec]", COL_PLAIN, false },
	{ "t_avg[usec]", COL_PLAIN, false },
	{ "t_stdev[usec]", COL_PLAIN, false },
	{ "99% percentile[usec]", COL_PLAIN, false },
	{ "99.9% percentile[usec]", COL_PLAIN, false },
};

static const char *const latency_keys[] = {
	"bytes", "iterations", "t_min_usec", "t_max_usec", "t_typical_usec",
	"t_avg_usec", "t_stdev_usec", "t_99_usec", "t_99_9_usec",
};

static const struct column bandwidth_columns[] = {
	{ "#bytes", COL_PLAIN, false },
	{ "#iterations", COL_PLAIN, false },
	{ "BW peak[MB/sec]", COL_PLAIN, false },
	{ "BW average[MB/sec]", COL_PLAIN, false },
	{ "MsgRate[Mpps]", COL_PLAIN, false },
};

static const char *const bandwidth_keys[] = {
	"bytes", "iterations", "bw_peak_mb_s", "bw_average_mb_s", "msg_rate_mpps",
};

/* JSON has keys, the table perftest's heads. */
static void put_result(const struct perf *perf, struct json_object *rows,
		       const char *test, uint32_t size, const double *values,
		       unsigned int nr)
{
	const struct column *columns = perf->both_ways ? latency_columns :
							 bandwidth_columns;
	const char *const *keys = perf->both_ways ? latency_keys : bandwidth_keys;
	struct json_object *row = add_row(rows, perf->card);
	const char *name[2 + 7];
	unsigned int i;

	for (i = 0; i < 2 + nr; i++)
		name[i] = perf->ctl->json ? keys[i] : columns[i].key;
	put_string(row, "test", test);
	put_number(row, "link", perf->end[0].id);
	put_number(row, "peer", perf->end[1].id);
	put_number(row, name[0], size);
	put_number(row, name[1], perf->iterations);
	for (i = 0; i < nr; i++)
		put_decimal(row, name[2 + i], values[i]);
}

static int add_latency(struct perf *perf, struct json_object *rows, uint32_t size)
{
	struct spread s;
	int error = run_latency(perf, size);

	if (error)
		return error;
	spread_of(perf->sample, perf->iterations, &s);
	put_result(perf, rows, "lat", size, (const double []){
			s.min / 1000, s.max / 1000, s.median / 1000,
			s.mean / 1000, s.deviation / 1000, s.p99 / 1000,
			s.p999 / 1000 }, 7);
	return 0;
}

static int add_bandwidth(struct perf *perf, struct json_object *rows,
			 uint32_t size)
{
	struct bandwidth b;
	int error = run_bandwidth(perf, size, &b);

	if (error)
		return error;
	put_result(perf, rows, "bw", size, (const double []){
			b.peak / MIB, b.average / MIB, b.messages / 1e6 }, 3);
	return 0;
}

/* ---- sizes -------------------------------------------------------------- */

static bool all_sizes(const struct perf *perf)
{
	return perf->ctl->args.given[P_SIZE] &&
	       perf->ctl->args.value[P_SIZE] == UINT64_MAX;
}

/* As many of all sizes as the windows have room for. */
static uint32_t largest_of_all(const struct perf *perf)
{
	uint64_t room = perf->end[0].path.room;
	uint32_t size = SIZE_LEAST;

	if (perf->both_ways && perf->end[1].path.room < room)
		room = perf->end[1].path.room;
	while (size < SIZE_MOST && 2 * (uint64_t)size <= room)
		size *= 2;
	return size;
}

static int measure(struct perf *perf, struct json_object *rows)
{
	uint32_t size = all_sizes(perf) ? SIZE_LEAST : perf->largest;
	int error;

	do {
		error = perf->both_ways ? add_latency(perf, rows, size) :
					  add_bandwidth(perf, rows, size);
		size *= 2;
	} while (!error && size <= perf->largest);
	return error;
}

/* ---- the verbs ---------------------------------------------------------- */

static int run_attached(struct perf *perf, struct json_object *rows)
{
	int error = pair_attach(perf);

	perf->sample = calloc(perf->iterations, sizeof(*perf->sample));
	perf->posted = calloc(perf->iterations, sizeof(*perf->posted));
	if (!error && (!perf->sample || !perf->posted))
		error = fail(ST_REFUSED, "no memory for %llu iterations",
			     (unsigned long long)perf->iterations);
	if (!error)
		error = measure(perf, rows);
	pair_detach(perf);
	free(perf->sample);
	free(perf->posted);
	return error;
}

/* On the configuration that the card has now. */
static int run_configured(struct perf *perf, struct json_object *rows)
{
	struct config config;
	int error = config_read(perf->ctl, perf->card, &config);

	if (error)
		return error;
	if (all_sizes(perf))
		perf->largest = SIZE_LEAST;
	error = pair_find(perf, &config);
	if (!error && all_sizes(perf))
		perf->largest = largest_of_all(perf);
	config_free(&config);
	return error ? error : run_attached(perf, rows);
}

static int run_on_card(struct perf *perf, struct json_object *rows)
{
	struct config old;
	int error = config_read(perf->ctl, perf->card, &old), restored;

	if (error)
		return error;
	if (old.replicas && !perf->ctl->args.given[P_SETUP]) {
		config_free(&old);
		return run_configured(perf, rows);
	}
	error = setup_make(perf, &old);
	if (!error) {
		error = run_configured(perf, rows);
		restored = setup_undo(perf, &old);
		error = error ? error : restored;
	}
	config_free(&old);
	return error;
}

static int check_replicas(const struct perf *perf)
{
	const struct args *args = &perf->ctl->args;
	int error = check_below(perf->card, args, P_LINK, "link",
				perf->card->max_replicas);

	if (!error)
		error = check_below(perf->card, args, P_PEER, "replica",
				    perf->card->max_replicas);
	if (!error && args->given[P_LINK] && args->given[P_PEER] &&
	    args->value[P_LINK] == args->value[P_PEER])
		error = fail(ST_USAGE, "a replica has no connection to itself");
	return error;
}

static int run(struct ctl *ctl, bool latency, uint32_t usual_size)
{
	const struct args *args = &ctl->args;
	struct perf perf = {
		.ctl = ctl, .card = &ctl->cards[0], .both_ways = latency,
		.iterations = args->given[P_COUNT] ? args->value[P_COUNT] : ITERATIONS,
		.largest = args->given[P_SIZE] ? (uint32_t)args->value[P_SIZE] :
						 usual_size,
	};
	struct json_object *rows = json_object_new_array();
	int error = check_replicas(&perf);

	catch_signals();
	catch_bus_errors();
	if (!error)
		error = run_on_card(&perf, rows);
	if (error) {
		json_object_put(rows);
		return error;
	}
	if (latency)
		return print_rows(ctl, "perf", latency_columns,
				  ARRAY_SIZE(latency_columns), rows);
	return print_rows(ctl, "perf", bandwidth_columns,
			  ARRAY_SIZE(bandwidth_columns), rows);
}

int run_perf_lat(struct ctl *ctl)
{
	return run(ctl, true, 2);
}

int run_perf_bw(struct ctl *ctl)
{
	return run(ctl, false, 65536);
}
