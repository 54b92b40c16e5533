// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The verbs. Dispatch, help, the man page and bash completion are made from
 * this table: adding a verb is adding a row and a function.
 */
#include "ctl.h"
#include "top.h"

#define U32	0xffffffffULL
#define U64	0xffffffffffffffffULL

#define NUMBER(i, key, name, most, what) \
	{ .id = (i), .keyword = (key), .meta = (name), .max = (most), .noun = (what) }
#define OPTIONAL(i, key, name, most, what) \
	{ .id = (i), .keyword = (key), .meta = (name), .max = (most), \
	  .noun = (what), .optional = true }
#define NUMBER_OR(i, key, name, most, what) \
	{ .id = (i), .keyword = (key), .meta = (name), .max = (most), \
	  .noun = (what), .kind = KIND_NUMBER_OR }
#define AT_LEAST_1(i, key, name, most) \
	{ .id = (i), .keyword = (key), .meta = (name), .min = 1, .max = (most) }
#define FLAG(i, key) \
	{ .id = (i), .keyword = (key), .kind = KIND_FLAG, .optional = true }
#define POSITIONAL(i, k, name) \
	{ .id = (i), .kind = (k), .meta = (name), .max = U32 }
#define PARAMS(...)	((const struct param[]){ __VA_ARGS__, { .keyword = NULL } })

#define LINK(key)	NUMBER(P_LINK, key, "L", 15, "link")
#define IN_LINK		OPTIONAL(P_LINK, "link", "L", 15, "link")
#define IN_SRC		OPTIONAL(P_SRC, "src", "S", 15, "replica")
#define IN_DST		OPTIONAL(P_DST, "dst", "D", 15, "replica")
#define IN_REPLICA	OPTIONAL(P_REPLICA, "replica", "R", 15, "replica")

#define IN_QPN		OPTIONAL(P_QPN, "qpn", "Q", 255, "QPN")

#define RANK \
	{ .id = P_RANK, .keyword = "--rank", .alias = "-r", .meta = "I|auto", \
	  .kind = KIND_NUMBER_OR, .max = 15, .noun = "replica" }
#define JOB_SIZE \
	{ .id = P_SIZE, .keyword = "--size", .meta = "N", .optional = true, \
	  .min = 1, .max = 16 }
#define JOB_NAME \
	{ .id = P_JOB, .keyword = "--job", .meta = "NAME", .kind = KIND_TEXT, \
	  .optional = true, .max = 64 }
#define PERF(word_, usual, function, what) \
	.word = { "perf", word_ }, \
	.params = PARAMS({ .id = P_SIZE, .keyword = "--size", .meta = "BYTES|all", \
			   .kind = KIND_NUMBER_OR, .optional = true, .min = 1, \
			   .max = 0x4000000 }, \
			 { .id = P_COUNT, .keyword = "-n", .meta = "N", \
			   .optional = true, .min = 1, .max = 10000000 }, \
			 OPTIONAL(P_LINK, "--link", "L", 15, "link"), \
			 OPTIONAL(P_PEER, "--peer", "P", 15, "replica"), \
			 FLAG(P_SETUP, "--setup")), \
	.run = function, .summary = what, \
	.text = "In perftest's terms and units (MB are 2^20 bytes); 1000 times, " usual \
		" bytes unless said otherwise, all: 2 to 8 MiB as far as windows have room. " \
		"Attaches to two free replicas that may write as needed (which overwrites what is there), the first such pair or L and P. A card that has no configuration gets one for the run, and so does, with --setup, one that has; the old one is put back."

#define PROGRAM \
	{ .id = P_WORDS, .keyword = "--", .meta = "CMD...", .kind = KIND_WORDS }

#define WINDOW \
	PARAMS(NUMBER(P_SRC, "src", "S", 15, "replica"), \
	       NUMBER(P_DST, "dst", "D", 15, "replica"), \
	       NUMBER(P_OFFSET, "offset", "O", U64, NULL), \
	       NUMBER(P_LENGTH, "length", "L", U64, NULL), \
	       { .id = P_SEMS, .keyword = "sem", .meta = "A-B", \
		 .kind = KIND_RANGE, .optional = true, .max = 63 })

const struct command commands[] = {
	{
		.word = { "show", "devices" }, .how = HOW_ALL_CARDS,
		.run = run_show_devices,
		.summary = "cards, and what they are",
	}, {
		.word = { "show", "config" }, .how = HOW_ALL_CARDS,
		.run = run_show_config,
		.summary = "number of replicas and other scalars; who drained the fabric, since when",
	}, {
		.word = { "show", "regions" }, .how = HOW_ALL_CARDS,
		.params = PARAMS(IN_REPLICA),
		.run = run_show_regions,
		.summary = "each replica's piece of the HBM",
		.text = "whole_pages says whether the owner can map all of the region; of others only the whole 4 KiB pages inside, the rest is read and written through the handle.",
	}, {
		.word = { "show", "connections" }, .how = HOW_ALL_CARDS,
		.params = PARAMS(IN_LINK, IN_DST),
		.run = run_show_connections,
		.summary = "entries of the connection tables: link, QPN, peer",
		.text = "Entries that name a replica not below n are in place, without effect.",
	}, {
		.word = { "show", "windows" }, .how = HOW_ALL_CARDS,
		.params = PARAMS(IN_SRC, IN_DST),
		.run = run_show_windows,
		.summary = "write windows: who may write where",
	}, {
		.word = { "show", "counters" }, .how = HOW_ALL_CARDS,
		.params = PARAMS(IN_LINK),
		.run = run_show_counters,
		.summary = "all counters of the links, of one instant",
		.text = "For an idle link, writes is the sum of committed, unmapped, qp_state, bad_config, zero_length, misaligned, out_of_bounds, unauthorized, rnr, axi_error and dma_error; a link for which it is not gets a warning. Counters are 64 bits wide: a JSON reader that keeps numbers as doubles loses those above 2^53.",
	}, {
		.word = { "show", "stages" }, .how = HOW_ALL_CARDS,
		.params = PARAMS(IN_LINK),
		.run = run_show_stages,
		.summary = "where each link's writes are: in, out and ended counts of its stages, what holds one, and what it waits for",
		.text = "The stages are taken, mapped, authorized, realigned, issued, acknowledged, completed. What came into a stage went out, ended there, or is held, and what went out came into the next: a link for which that is not so is named. since_us is how long the write in flight has made no progress, due_us how long it will wait yet, where the card knows. On standard error (with -j in advice) is what to do about a write that is held for longer than the stall limit; also whether the fabric is drained, and which queues have stopped or wait.",
	}, {
		.word = { "show", "qps" }, .how = HOW_ALL_CARDS,
		.params = PARAMS(IN_LINK, IN_QPN, IN_DST),
		.run = run_show_qps,
		.summary = "the connections' queue pairs: state, PSNs, window, limits",
		.text = "Only one in RTS that is not draining may send; advice says how to get there. moves counts changes of state; cause says why the card itself moved it.",
	}, {
		.word = { "show", "replicas" }, .how = HOW_ALL_CARDS,
		.params = PARAMS(IN_REPLICA),
		.run = run_show_replicas,
		.summary = "who holds each replica, and where its queue is",
	}, {
		.word = { "show", "queues" }, .how = HOW_ALL_CARDS,
		.params = PARAMS(IN_REPLICA),
		.run = run_show_queues,
		.summary = "each replica's rings: state, indices, interrupts and their moderation",
		.text = "head and tail count descriptors run and rung (24 bits), rx_head and rx_tail receive descriptors used and rung. waiting: a WAIT at the head is not met. timer is in nanoseconds. weight is its share of the card's turns, delayed counts interrupts that the storm limit put off. cause says why a queue stopped, cause_text with its numbers.",
	}, {
		.word = { "show", "semaphores" }, .how = HOW_ALL_CARDS,
		.params = PARAMS(IN_REPLICA, FLAG(P_ZEROS, "--all")),
		.run = run_show_semaphores,
		.summary = "the replicas' semaphores that are not 0 (needs CAP_NET_ADMIN)",
		.text = "With --all, and with -j, those that are 0 too.",
	}, {
		.word = { "show", "map" }, .how = HOW_ALL_CARDS,
		.params = PARAMS(FLAG(P_UPSTREAM, "--upstream"), IN_LINK),
		.run = run_show_map,
		.summary = "QPN to peer, per link",
		.text = "With --upstream beside it: the replica that a sender means who counts QPNs as id*n + j, and how each of its writes ends; use is the QPN that does lead to that replica.",
	}, {
		.word = { "show", "rejects" }, .how = HOW_ALL_CARDS,
		.params = PARAMS(IN_LINK),
		.run = run_show_rejects,
		.summary = "the last 16 rejected writes of each link, and what to change (needs CAP_NET_ADMIN)",
		.text = "generation is the configuration that a write was judged by; now, and advice, are what the card's rules say to it on the configuration and the queue pairs of this moment. explain is the same for any write, check by check.",
	}, {
		.word = { "show", "rank" }, .how = HOW_NO_DRIVER,
		.params = PARAMS({ .id = P_RANK, .keyword = "--rank", .alias = "-r",
				   .meta = "I|auto", .kind = KIND_NUMBER_OR,
				   .max = 15, .noun = "replica", .optional = true },
				 JOB_SIZE, JOB_NAME),
		.run = run_show_rank,
		.summary = "what exec --rank auto makes of this environment, and which variable said so",
	}, {
		.word = { "set", "replicas" },
		.params = PARAMS(POSITIONAL(P_VALUE, KIND_NUMBER, "N")),
		.run = run_set_replicas,
		.summary = "the number of replicas, n",
		.text = "Entries that name lost replicas stay, without effect.",
	}, {
		.word = { "set", "region" },
		.params = PARAMS(NUMBER(P_REPLICA, NULL, "I", 15, "replica"),
				 NUMBER(P_BASE, "base", "B", U64, NULL),
				 NUMBER(P_SIZE, "size", "S", U64, NULL)),
		.run = run_set_region,
		.summary = "where replica I's region lies: HBM address and bytes",
	}, {
		.word = { "set", "connection" },
		.params = PARAMS(LINK("link"),
				 NUMBER(P_QPN, "qpn", "Q", 255, "QPN"),
				 NUMBER_OR(P_PEER, "peer", "P|none", 15, "replica")),
		.run = run_set_connection,
		.summary = "which peer a QPN (0 to 255) of a link leads to",
	}, {
		.word = { "set", "connections", "default" },
		.run = run_set_connections_default,
		.summary = "the default connection table for n",
	}, {
		.word = { "set", "latency" },
		.params = PARAMS(POSITIONAL(P_VALUE, KIND_NUMBER, "C")),
		.run = run_set_latency,
		.summary = "fabric clock cycles before a write starts",
	}, {
		.word = { "set", "upstream-qpns" },
		.params = PARAMS(POSITIONAL(P_VALUE, KIND_CHOICE, "on|off")),
		.run = run_set_upstream_qpns,
		.summary = "whether writes count as misrouted when the QPN, read as id*n + j, means another replica",
	}, {
		.word = { "set", "fault" },
		.params = PARAMS(NUMBER(P_REPLICA, "replica", "R", 15, "replica"),
				 NUMBER(P_OFFSET, "offset", "O", U64, NULL),
				 POSITIONAL(P_FAULT, KIND_FAULT, "slverr|decerr|none|delay C")),
		.run = run_set_fault,
		.summary = "how the HBM line with this byte of the region answers",
		.text = "Needs a card that offers fault injection. Error and delay (cycles) are separate and can both be set; none clears both. Faults are no part of the configuration: apply and replay clear them, save does not know them.",
	}, {
		.word = { "set", "moderation" },
		.params = PARAMS(NUMBER(P_REPLICA, NULL, "R", 15, "replica"),
				 { .id = P_BURST, .keyword = "burst", .meta = "B",
				   .optional = true, .min = 1, .max = 65535 },
				 { .id = P_TIMER, .keyword = "timer", .meta = "NS",
				   .optional = true, .max = 10000000 },
				 { .id = P_MODE, .keyword = "mode",
				   .meta = "count|latency", .kind = KIND_CHOICE,
				   .optional = true }),
		.prepare = prepare_moderation, .run = run_set_moderation,
		.summary = "how often replica R's queue interrupts: after B completions or NS nanoseconds",
		.text = "Whoever is that replica, now and later; its owner may set something else for as long as it is attached. Mode latency: at once when it has been quiet; count: as many completions to an interrupt as may be. What is not said stays as it is.",
	}, {
		.word = { "set", "queue" },
		.params = PARAMS(NUMBER(P_REPLICA, NULL, "R", 15, "replica"),
				 { .id = P_WEIGHT, .keyword = "weight", .meta = "W",
				   .min = 1, .max = 255 }),
		.run = run_set_queue,
		.summary = "replica R's share of the card's turns, 1 to 255, where queues compete; 1 after a load of the driver",
		.text = "Whoever is that replica, now and later. A queue of weight 4 gets four times the turn of one of weight 1.",
	}, {
		.word = { "set", "qp" },
		.params = PARAMS(LINK("link"),
				 NUMBER(P_QPN, "qpn", "Q", 255, "QPN"),
				 { .id = P_STATE, .keyword = "state",
				   .meta = "RESET|INIT|RTR|RTS|SQD|SQE|ERR",
				   .kind = KIND_WORD, .optional = true },
				 OPTIONAL(P_SEND_PSN, "send-psn", "N", 0xffffff, NULL),
				 OPTIONAL(P_EXPECTED_PSN, "expected-psn", "N", 0xffffff, NULL),
				 { .id = P_WINDOW, .keyword = "window", .meta = "N",
				   .optional = true, .min = 1, .max = 32768 },
				 { .id = P_MTU, .keyword = "mtu", .meta = "N",
				   .optional = true, .min = 256, .max = 4096 },
				 OPTIONAL(P_RETRY, "retry", "N", 7, NULL),
				 OPTIONAL(P_RNR_RETRY, "rnr-retry", "N", 7, NULL),
				 OPTIONAL(P_TIMEOUT, "timeout", "N", 31, NULL),
				 OPTIONAL(P_RNR_TIMER, "rnr-timer", "N", 31, NULL)),
		.prepare = prepare_set_qp, .run = run_set_qp,
		.summary = "move a connection's queue pair to another state, or change its attributes in the one it is in",
		.text = "All or nothing. What the move needs and is not given is taken from the queue pair as it is (show qps). The moves are RESET to INIT to RTR to RTS, between RTS and SQD (what is in flight ends, no more is sent), SQE to RTS, and from any to RESET or ERR; to SQE only the card moves. reset qp does the whole way at once.",
	}, {
		.word = { "set", "stall-limit" },
		.params = PARAMS({ .id = P_VALUE, .meta = "MS", .max = 3600000 }),
		.run = run_set_stall_limit,
		.summary = "milliseconds without progress after which a write in flight is told to be stalled (100; 0: never)",
	}, {
		.word = { "set", "storm-limit" },
		.params = PARAMS({ .id = P_VALUE, .meta = "N", .max = 65535 }),
		.run = run_set_storm_limit,
		.summary = "most interrupts of a queue in one millisecond (100; 0: any number)",
		.text = "What is over is put off to the next millisecond, never lost; delayed in show queues counts it.",
	}, {
		.word = { "add", "window" }, .params = WINDOW,
		.run = run_add_window,
		.summary = "let S write [O, O + L) of D's region, and add to D's semaphores A to B",
		.text = "L may be 0 for a window of semaphores only.",
	}, {
		.word = { "del", "window" }, .params = WINDOW,
		.run = run_del_window,
		.summary = "take that window away",
	}, {
		.word = { "drain" },
		.run = run_drain,
		.summary = "let every write end and take no new one, until resume",
		.text = "apply and set under such a drain leave the fabric drained.",
	}, {
		.word = { "resume" },
		.run = run_resume,
		.summary = "end a drain",
	}, {
		.word = { "reset", "counters" },
		.run = run_reset_counters,
		.summary = "zero all counters and rejects",
	}, {
		.word = { "reset", "device" },
		.run = run_reset_device,
		.summary = "reset the card; replica handles die, the configuration is applied again",
	}, {
		.word = { "reset", "link" },
		.params = PARAMS(NUMBER(P_LINK, NULL, "L", 15, "link")),
		.run = run_reset_link,
		.summary = "end the link's write in flight, as dma_error; the others go on",
	}, {
		.word = { "reset", "qp" },
		.params = PARAMS(LINK("link"),
				 NUMBER(P_QPN, "qpn", "Q", 255, "QPN")),
		.run = run_reset_qp,
		.summary = "bring a connection's queue pair from any state to RTS, as if the connection were new; its write in flight ends as dma_error",
	}, {
		.word = { "apply" },
		.params = PARAMS({ .id = P_FILE, .kind = KIND_FILE, .meta = "FILE" },
				 FLAG(P_CHECK, "--check")),
		.prepare = prepare_apply, .run = run_apply,
		.summary = "make the whole configuration what FILE says, under one drain, or not at all",
		.text = "FILE is what save prints; - is standard input. What FILE does not mention is as after a reset of the card. Injected faults are cleared. With --check: say what would change, and whether the card would take it; change nothing.",
	}, {
		.word = { "save" },
		.run = run_save,
		.summary = "print the whole configuration as JSON, for apply",
	}, {
		.word = { "replay" },
		.params = PARAMS({ .id = P_FILE, .kind = KIND_FILE, .meta = "FILE" },
				 FLAG(P_ASYNC, "--async"),
				 FLAG(P_RESTORE, "--restore")),
		.prepare = prepare_replay, .run = run_replay,
		.summary = "run a scenario file on the card",
		.text = "Attaches to every replica of the card, clears the regions, resets the counters, brings queue pairs that may not send to RTS, then runs the file: its configuration statements, and its writes one after the other, each to its verdict. Prints one JSON object a line. With --async each link's writes are posted as deep as its queue allows. The file's configuration stays, unless --restore is given.",
	}, {
		.word = { "explain" },
		.params = PARAMS(LINK("link"),
				 NUMBER(P_QPN, "qpn", "Q", 0xffffff, NULL),
				 OPTIONAL(P_RADDR, "raddr", "A", U64, NULL),
				 OPTIONAL(P_LENGTH, "length", "N", 0x4000000, NULL),
				 OPTIONAL(P_SEM, "sem", "S", 65535, NULL)),
		.prepare = prepare_explain, .run = run_explain,
		.summary = "what the card would say to this write, or to adding to semaphore S of the peer, and why",
		.text = "Each check in order, the one that decides, and what would have to change. Nothing is sent: the card's own rules are compiled in, and the configuration is read from the card.",
	}, {
		.word = { "monitor" }, .how = HOW_ALL_CARDS,
		.run = run_monitor,
		.summary = "print events as they come, until interrupted",
		.text = "TIME DEVICE EVENT KEY=VALUE..., or with -j one JSON object a line. When events were lost (they came faster than they could be read, a number is missing, or the card says so) a line with the event \"state\" says what the card is now: configuration, counters, errors, who is attached, queues that have stopped, links that are stalled.",
	}, {
		.word = { "top" }, .how = HOW_ALL_CARDS,
		.params = PARAMS(FLAG(P_ONCE, "--once"),
				 { .id = P_INTERVAL, .keyword = "--interval",
				   .meta = "S", .kind = KIND_SECONDS,
				   .optional = true, .min = 50, .max = 3600000 },
				 { .id = P_SORT, .keyword = "--sort",
				   .meta = TOP_SORT_WORDS, .kind = KIND_WORD,
				   .optional = true },
				 IN_LINK),
		.run = run_top,
		.summary = "what each link does, live: rates, queue, the stage that holds something",
		.text = "On a terminal a screen: q quits, h lists the keys; elsewhere a table each interval (1 s), with -j an object a line. --once: one table after one interval, anywhere. A rate is - when counters began anew meanwhile (note: reset) or there is nobody to have it. held_us: how long the write in flight of the link has made no progress. note: stalled, stopped, reset or waiting.",
	}, {
		.word = { "dump" }, .how = HOW_NO_DRIVER,
		.params = PARAMS({ .id = P_FILE, .kind = KIND_FILE, .meta = "FILE",
				   .optional = true }),
		.run = run_dump,
		.summary = "one file for a bug report: all that can be learnt of the card, its driver and its rings",
		.text = "A .tar.gz of texts and JSON; FILE is replaced when it is whole, mode 0600, - is standard output; otherwise ocfabric-dump-CARD-TIME.tar.gz here, and its name is printed. Parts that cannot be had (rejects, semaphores, rings and the kernel's log need rights) say why; so do all of the card where there is no card or no driver. Without payload, immediates, keys and addresses of memory.",
	}, {
		.word = { "export", "prometheus" }, .how = HOW_NO_DRIVER | HOW_ALL_CARDS,
		.params = PARAMS({ .id = P_TEXTFILE, .keyword = "--textfile",
				   .meta = "FILE", .kind = KIND_FILE,
				   .optional = true }),
		.prepare = prepare_export, .run = run_export,
		.summary = "counters, queues and stages in Prometheus' text format",
		.text = "With --textfile into FILE, replaced when it is whole, mode 0644: for node_exporter's textfile collector. What of a card cannot be read is left out, and its ocfabric_part_up is 0. Where the driver is not loaded the status is 5, and FILE says ocfabric_up 0.",
	}, {
		.word = { "exec" },
		.params = PARAMS(RANK, JOB_SIZE, JOB_NAME, PROGRAM),
		.prepare = prepare_exec, .run = run_exec,
		.summary = "run CMD as a replica, in place of this process",
		.text = "Attaches, and becomes CMD, which finds OCF_FD (the replica handle, an open descriptor), OCF_RANK, OCF_SIZE, OCF_LOCAL_RANK, OCF_DEVICE and OCF_JOB in its environment, and the handle as LISTEN_FDS, LISTEN_PID and LISTEN_FDNAMES=ocfabric say it (not where a launcher has taken the next descriptor: then OCF_FD alone). There is no fork: pid, descriptors, signals and exit status are CMD's own, so that it can stand between a launcher and its program: mpirun -n 4 fabricctl exec --rank auto -- CMD. auto takes the rank from the first that is there: OCF_RANK, OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK, SLURM_PROCID (of two tasks or more), JOB_COMPLETION_INDEX, the number at the end of a Kubernetes pod's name, RANK with WORLD_SIZE; show rank says which. The size is what the same launcher says, else the n of the card.",
	}, {
		.word = { "launch" },
		.params = PARAMS(AT_LEAST_1(P_COUNT, "-n", "N", 16),
				 FLAG(P_RESTART, "--restart"),
				 FLAG(P_KEEP_GOING, "--keep-going"),
				 JOB_NAME, PROGRAM),
		.run = run_launch,
		.summary = "run CMD N times on this host, as the replicas 0 to N-1",
		.text = "All replicas are attached before any program starts; each finds what exec gives it, and an empty standard input. Lines of output get the prefix \"[rI] \" and stay whole (above 1 MiB they are broken up). SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 go to all, each program with its process group. One that fails ends the others, by SIGTERM and 10 s later by SIGKILL, unless --keep-going is given; with --restart it is started again instead, after 0.1 s, then longer each time up to 5 s, until SIGINT, SIGTERM or SIGHUP came. When a program has ended, what is left of its process group is killed; all die with the launcher. The status is that of the first that failed, 128 and the signal if it died of one. --timeout ends them all (124).",
	}, {
		.word = { "ping" },
		.params = PARAMS(IN_LINK, OPTIONAL(P_QPN, "qpn", "Q", 0xffffff, NULL),
				 OPTIONAL(P_PEER, "peer", "P", 15, "replica"),
				 { .id = P_COUNT, .keyword = "count", .meta = "N",
				   .optional = true, .min = 1, .max = 10000000 },
				 OPTIONAL(P_INTERVAL, "interval", "MS", 3600000, NULL)),
		.run = run_ping,
		.summary = "whether a connection leads to its peer, and how long it takes",
		.text = "Adds 0 to a semaphore of the peer, which goes through the card's checks as a write does and changes nothing, whoever holds the peer. Needs a window with a semaphore; without, the card's verdict is unauthorized, and what is missing is said. Runs as the replica of OCF_FD if there is one, else attaches to L, or to the first free replica with a connection. 5 times, 100 ms apart, unless said otherwise. Status 1 if any was not committed.",
	}, {
		PERF("lat", "2", run_perf_lat,
		     "latency of writes: half the time to a peer and back, each polling its region"),
	}, {
		PERF("bw", "65536", run_perf_bw,
		     "bandwidth of writes, up to 128 under way, a doorbell for each"),
	}, {
		.word = { "help" }, .how = HOW_NO_DRIVER,
		.params = PARAMS({ .id = P_WORDS, .kind = KIND_WORDS,
				   .meta = "VERB...", .optional = true }),
		.run = run_help,
		.summary = "all verbs, or one",
	}, {
		.word = { "completion" }, .how = HOW_NO_DRIVER,
		.run = run_completion,
		.summary = "print the bash completion",
	}, {
		.word = { "manual" }, .how = HOW_NO_DRIVER | HOW_HIDDEN,
		.run = run_manual,
		.summary = "print the man page",
	}, {
		.word = { "version" }, .how = HOW_NO_DRIVER | HOW_HIDDEN,
		.run = run_version,
		.summary = "the same as --version",
	},
};

const unsigned int nr_commands = ARRAY_SIZE(commands);
