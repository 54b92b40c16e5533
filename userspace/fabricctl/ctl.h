/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fabricctl: what all its files share
 *
 * main.c reads options, finds the verb's row in table.c, parses its arguments
 * (args.c), opens netlink (nl.c) and picks the cards; the row's function does
 * the rest. Data is built as JSON objects and printed by print.c at the end, as
 * a table or as JSON, so that both say the same and nothing is printed by a
 * verb that fails.
 */
#ifndef FABRICCTL_CTL_H
#define FABRICCTL_CTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;
struct nl;

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define NS_PER_MS	1000000LL
#define NS_PER_S	1000000000LL

/* Exit statuses; the man page lists them. */
enum status {
	ST_DONE		= 0,
	ST_REFUSED	= 1,	/* by the card or the kernel */
	ST_USAGE	= 2,	/* or a file that does not parse */
	ST_ABSENT	= 3,	/* device, link, replica, window, QPN */
	ST_DENIED	= 4,
	ST_NO_DRIVER	= 5,
	ST_TIMEOUT	= 124,
	ST_NOT_RUN	= 126,	/* a program that cannot be executed */
	ST_NOT_FOUND	= 127,	/* a program that is not there */
	ST_SIGNAL	= 128,	/* and the signal that ended it */
};

enum param_id {
	P_LINK, P_SRC, P_DST, P_REPLICA, P_QPN, P_PEER, P_BASE, P_SIZE,
	P_OFFSET, P_LENGTH, P_RADDR, P_VALUE, P_FAULT, P_FILE, P_CHECK, P_ASYNC,
	P_ONCE, P_SORT, P_TEXTFILE,
	P_RESTORE, P_UPSTREAM, P_WORDS, P_RANK, P_COUNT, P_JOB, P_RESTART,
	P_KEEP_GOING, P_ZEROS, P_BURST, P_TIMER, P_MODE, P_SEMS, P_SEM, P_INTERVAL,
	P_SETUP, P_STATE, P_SEND_PSN, P_EXPECTED_PSN, P_WINDOW, P_MTU, P_RETRY,
	P_RNR_RETRY, P_TIMEOUT, P_RNR_TIMER, P_WEIGHT,
	NR_PARAMS
};

enum param_kind {
	KIND_NUMBER,
	KIND_NUMBER_OR,		/* or the word after the bar of meta: UINT64_MAX */
	KIND_CHOICE,		/* the words of meta, "A|B": 1, 0 */
	KIND_WORD,		/* one of the words of meta, "A|B|C": its number */
	KIND_RANGE,		/* A-B, or A alone */
	KIND_TEXT,
	KIND_SECONDS,		/* with a fraction; in ms, like min and max */
	KIND_FAULT,		/* slverr, decerr, none, delay C */
	KIND_FILE,
	KIND_FLAG,		/* the keyword alone */
	KIND_WORDS,		/* all that is left */
};

struct param {
	enum param_id id;
	const char *keyword;	/* NULL: known by its position */
	const char *alias;	/* another keyword for the same; or NULL */
	const char *meta;	/* how help calls the value */
	enum param_kind kind;
	bool optional;
	uint64_t min;
	uint64_t max;
	const char *noun;	/* above max there is "no such NOUN"; or NULL */
};

enum fault {
	FAULT_SLVERR, FAULT_DECERR, FAULT_NONE, FAULT_DELAY,
};

struct args {
	uint64_t value[NR_PARAMS];
	bool given[NR_PARAMS];
	const char *file;
	const char *text;	/* of KIND_TEXT */
	uint32_t delay;		/* of KIND_FAULT */
	uint64_t last;		/* of KIND_RANGE */
	char **words;
	int nr_words;
};

/* A card, as netlink describes it. */
struct card {
	unsigned int id;
	char name[32];
	char pci[32];
	uint64_t features;
	uint64_t hbm_size;
	unsigned int max_replicas;
	unsigned int max_windows;
	unsigned int clock_mhz;
	unsigned int stall_limit;	/* ms; 0: off */
	struct json_object *facts;	/* a row of `show devices` */
};

enum how {
	HOW_NO_DRIVER	= 1 << 0,	/* netlink and cards are its own affair */
	HOW_ALL_CARDS	= 1 << 1,	/* without -d: every card */
	HOW_HIDDEN	= 1 << 2,	/* not in help */
};

struct ctl;
struct column;

/* Takes what a verb would print, and frees @rows. An exit status. */
typedef int rows_taker(struct ctl *ctl, const char *name,
		       const struct column *columns, unsigned int nr,
		       struct json_object *rows);

struct command {
	const char *word[3];
	unsigned int how;
	const struct param *params;	/* ended by one without meta and keyword */
	int (*prepare)(struct ctl *ctl);	/* files, before any card; or NULL */
	int (*run)(struct ctl *ctl);
	const char *summary;
	const char *text;		/* for help and man page; or NULL */
};

struct ctl {
	/* options */
	const char *device;
	bool json;
	bool pretty;
	int64_t timeout_ns;	/* -1: none given */

	int64_t deadline;	/* of CLOCK_MONOTONIC */
	const struct command *command;
	struct args args;
	void *prepared;		/* by the verb's prepare */
	rows_taker *take_rows;	/* instead of stdout; or NULL */
	void *taker;		/* its own */
	struct nl *nl;
	struct card *cards;	/* those that the verb is about */
	unsigned int nr_cards;
};

/* table.c */
extern const struct command commands[];
extern const unsigned int nr_commands;

/* first_line.c: the first line of a file; false when it cannot be read */
bool first_line(const char *path, char *buf, int size);

/* error.c */

/* Prints "fabricctl: ..." on stderr and returns @status. */
int fail(enum status status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The exit status that goes with an errno of the kernel. */
enum status status_of(int error);

int64_t now_ns(void);
/* Milliseconds for poll() until @deadline, at most @most. */
int poll_ms(int64_t deadline, int most);
/* Set by SIGINT and SIGTERM once catch_signals() was called. */
extern volatile int caught_signal;
void catch_signals(void);

/*
 * For verbs that are a replica: what it has mapped raises SIGBUS once the card is gone
 * or was reset, wherever that meets it. It then ends with a message and ST_ABSENT.
 */
void catch_bus_errors(void);

/* suggest.c: ", did you mean A or B?" or "; expected one of A, B" */
void suggest(char *buf, size_t size, const char *word,
	     const char *const *candidates, unsigned int nr);

/* args.c */
const struct command *find_command(char **words, int nr, int *used);
int parse_args(struct ctl *ctl, char **words, int nr);
bool parse_number(const char *word, uint64_t *value);
void usage_line(const struct command *command, char *buf, size_t size);

/* cards.c */
int pick_cards(struct ctl *ctl);
void free_cards(struct ctl *ctl);
/* 0, or ST_ABSENT with a message when the filter names what @n is too small for. */
int check_below(const struct card *card, const struct args *args,
		enum param_id id, const char *noun, unsigned int n);

/* The verbs, by file; each returns an exit status. */
int run_help(struct ctl *ctl);			/* help.c */
int run_manual(struct ctl *ctl);		/* manual.c */
int run_completion(struct ctl *ctl);		/* completion.c */
int run_version(struct ctl *ctl);		/* version.c */
int run_show_devices(struct ctl *ctl);		/* show_cards.c */
int run_show_config(struct ctl *ctl);
int run_show_regions(struct ctl *ctl);		/* show_tables.c */
int run_show_connections(struct ctl *ctl);
int run_show_windows(struct ctl *ctl);
int run_show_map(struct ctl *ctl);		/* show_map.c */
int run_show_counters(struct ctl *ctl);		/* show_counters.c */
int run_show_rejects(struct ctl *ctl);		/* show_rejects.c */
int run_show_stages(struct ctl *ctl);		/* show_stages.c */
int run_show_qps(struct ctl *ctl);		/* show_qps.c */
int run_show_replicas(struct ctl *ctl);		/* show_replicas.c */
int run_show_queues(struct ctl *ctl);
int run_show_semaphores(struct ctl *ctl);	/* show_semaphores.c */
int run_set_replicas(struct ctl *ctl);		/* change.c */
int run_set_region(struct ctl *ctl);
int run_set_connection(struct ctl *ctl);
int run_set_connections_default(struct ctl *ctl);
int run_set_latency(struct ctl *ctl);
int run_set_upstream_qpns(struct ctl *ctl);
int run_set_fault(struct ctl *ctl);
int run_add_window(struct ctl *ctl);
int run_del_window(struct ctl *ctl);
int run_drain(struct ctl *ctl);			/* control.c */
int run_resume(struct ctl *ctl);
int run_reset_counters(struct ctl *ctl);
int run_reset_device(struct ctl *ctl);
int run_reset_link(struct ctl *ctl);
int prepare_moderation(struct ctl *ctl);
int run_set_moderation(struct ctl *ctl);
int run_set_queue(struct ctl *ctl);
int run_set_stall_limit(struct ctl *ctl);
int run_set_storm_limit(struct ctl *ctl);
int run_reset_qp(struct ctl *ctl);
int prepare_set_qp(struct ctl *ctl);		/* set_qp.c */
int run_set_qp(struct ctl *ctl);
int prepare_apply(struct ctl *ctl);		/* apply.c */
int run_apply(struct ctl *ctl);
int run_save(struct ctl *ctl);
int prepare_replay(struct ctl *ctl);		/* replay.c */
int run_replay(struct ctl *ctl);
int prepare_explain(struct ctl *ctl);		/* explain.c */
int run_explain(struct ctl *ctl);
int run_monitor(struct ctl *ctl);		/* monitor.c */
int run_top(struct ctl *ctl);			/* top.c */
int run_dump(struct ctl *ctl);			/* dump.c */
int prepare_export(struct ctl *ctl);		/* export.c */
int run_export(struct ctl *ctl);
int run_show_rank(struct ctl *ctl);		/* place.c */
int prepare_exec(struct ctl *ctl);		/* exec.c */
int run_exec(struct ctl *ctl);
int run_launch(struct ctl *ctl);		/* launch.c */
int run_ping(struct ctl *ctl);			/* ping.c */
int run_perf_lat(struct ctl *ctl);		/* perf.c */
int run_perf_bw(struct ctl *ctl);

#endif
