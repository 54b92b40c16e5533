/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ocf-workload: traffic of replicated services, every byte of it known
 *
 * A *stream* is what one replica sends another: messages 0, 1, 2, ..., so many
 * to a *round*. A *shape* says of each message where it goes, how long it is and
 * what the sender has to have read before. Its bytes follow from the seed, the
 * stream and its number. So the reader knows, for every word it finds, whether
 * it is the old one, the new one, or neither.
 *
 * A message lies in a slot of a *channel*, a ring of equal slots in the reader's
 * region. Some messages are *quiet*: nobody looks for them, they must be there
 * when the next loud one of the stream is. The reader writes back how many it
 * has consumed, through the fabric as everything else; a sender reuses a slot
 * only after that.
 *
 * A replica is a state machine, wl_replica_step(), that never waits. It reaches
 * its peers through a *port*: on a card, a process a replica, or all of them in
 * one process, which prints a scenario file.
 */
#ifndef OCF_WORKLOAD_H
#define OCF_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <linux/ocfabric.h>

#define WL_REPLICAS	OCFABRIC_REPLICAS_MAX
#define WL_CHANNELS	3
#define WL_MESSAGE_MAX	8208u	/* T4's largest payload and its header */
#define WL_RING		256u	/* descriptors; more than any window */
#define WL_ERROR_MAX	320

/* ---- options.c ---------------------------------------------------------- */

struct wl_options {
	const struct wl_shape *shape;
	unsigned int n;
	uint64_t seed;
	uint64_t count;		/* rounds; 0: until the time is up */
	unsigned int seconds;	/* 0: until the rounds are done */
	unsigned int stall;	/* seconds without progress that end a run */
	const char *device;
	bool scenario;
	bool no_setup;
	bool imm;
	bool semaphores;
};

/* An exit status, or -1: go on */
int wl_options(struct wl_options *o, int argc, char **argv);

enum { WL_DONE = 0, WL_FAILED = 1, WL_USAGE = 2 };

/* ---- random.c ----------------------------------------------------------- */

/* The same on every host: a number made of a seed and four others. */
uint64_t wl_random(uint64_t seed, uint64_t a, uint64_t b, uint64_t c, uint64_t d);

/* Bytes, from a number of wl_random() on */
void wl_random_fill(uint64_t x, uint8_t *bytes, size_t count);

/* ---- shapes ------------------------------------------------------------- */

/* How a message looks; all but raw ones carry their number, counted from 1. */
enum wl_form {
	WL_TAIL,	/* hash u64, number u32, size u32, payload */
	WL_REGISTER,	/* hash u64, number u32, value */
	WL_FLAG,	/* number u32, its complement u32 */
	WL_RAW,		/* payload alone; always quiet */
	WL_SEMAPHORE,	/* no bytes: one added to the semaphore of the sender's number */
};

struct wl_message {
	uint64_t k;		/* in its stream */
	uint64_t index;		/* in its channel */
	uint64_t after_count;	/* this many messages of replica `after` were consumed */
	uint32_t len;
	uint32_t window;	/* messages of the stream not consumed, this one too */
	uint32_t pause_us;	/* since the last one with a pause */
	uint8_t channel;
	int8_t after;		/* -1: no condition */
	enum wl_form form;
	bool quiet;
	bool imm;		/* the reader learns of it by a receive completion */
};

struct wl_channel {
	const char *name;
	uint32_t slots;
	uint32_t size;		/* the longest message */
	bool odd;		/* every other slot starts at 4 modulo 8 */
};

struct wl_plan;

struct wl_shape {
	const char *name;
	const char *text;
	uint64_t count;		/* rounds of a run, if not said, */
	uint64_t scenario;	/* and of a scenario file */
	bool adversary;		/* bad writes beside the good ones */
	bool imm;		/* takes --imm */
	bool semaphores;	/* takes --sem */
	struct wl_channel channel[WL_CHANNELS];

	/* messages of a stream in each round; 0: there is no such stream */
	unsigned int (*per_round)(const struct wl_plan *plan, unsigned int src,
				  unsigned int dst);
	/* all of *m but k; it is zeroed before */
	void (*message)(const struct wl_plan *plan, unsigned int src,
			unsigned int dst, uint64_t round, unsigned int i,
			struct wl_message *m);
};

extern const struct wl_shape wl_ping, wl_consensus, wl_slow_path, wl_sweep,
			     wl_checkpoint, wl_all_to_all, wl_adversary;

/* T1 to T7, NULL at the end */
extern const struct wl_shape *const wl_shapes[];

/* ---- plan.c: what a run is, and where everything lies -------------------- */

/*
 * Where src writes in dst's region. There is one for both directions of a stream
 * because the reader answers with credits.
 */
struct wl_area {
	uint64_t base;			/* a multiple of 64, as are the others */
	uint64_t length;		/* the window */
	uint64_t credit;		/* u64: messages dst sent that src consumed */
	uint64_t channel[WL_CHANNELS];
	uint64_t scratch;		/* for bad writes that are carried out */
	uint64_t revocable;		/* 64 bytes with a window of their own; 0: none */
};

struct wl_plan {
	const struct wl_shape *shape;
	unsigned int n;
	uint64_t seed;
	uint64_t region_size;
	bool upstream;			/* count misrouted writes */
	bool imm;
	bool semaphores;
	struct wl_area area[WL_REPLICAS][WL_REPLICAS];	/* [src][dst] */
};

#define WL_GUARD	64u	/* bytes before, between and after areas: no window */
#define WL_SCRATCH	512u

void wl_plan(struct wl_plan *plan, const struct wl_options *o);

/* The changes that make a card ready for it; at most WL_CHANGES */
#define WL_CHANGES	(16 + 3 * WL_REPLICAS + WL_REPLICAS * WL_REPLICAS)
unsigned int wl_plan_changes(const struct wl_plan *plan,
			     struct ocfabric_change *change);

bool wl_is_stream(const struct wl_plan *plan, unsigned int src, unsigned int dst);
bool wl_has_area(const struct wl_plan *plan, unsigned int src, unsigned int dst);
uint32_t wl_qpn(const struct wl_plan *plan, unsigned int src, unsigned int dst);
bool wl_is_misrouted(const struct wl_plan *plan, unsigned int src, uint32_t qpn,
		     unsigned int peer);

/* ---- message.c ---------------------------------------------------------- */

void wl_message(const struct wl_plan *plan, unsigned int src, unsigned int dst,
		uint64_t k, struct wl_message *m);
void wl_message_bytes(const struct wl_plan *plan, unsigned int src,
		      unsigned int dst, const struct wl_message *m, uint8_t *bytes);
uint32_t wl_message_slot(const struct wl_plan *plan, const struct wl_message *m);
uint64_t wl_message_offset(const struct wl_plan *plan, unsigned int src,
			   unsigned int dst, const struct wl_message *m);

/* Slots start at multiples of 8, or odd ones at 4 modulo 8. */
static inline uint32_t wl_stride(const struct wl_channel *c)
{
	return (c->size + 7) / 8 * 8 + (c->odd ? 8 : 0);
}

/* Where in a message its number is */
static inline uint32_t wl_number_at(const struct wl_message *m)
{
	return m->form == WL_FLAG ? 0 : 8;
}

static inline uint32_t wl_number(const struct wl_message *m)
{
	return (uint32_t)(m->k + 1);
}

/* ---- bad.c: one write a round that should not get through ---------------- */

/* What a replica is at with its revocable window */
enum wl_revoke {
	WL_REVOKE_IDLE,
	WL_REVOKE_TAKING,
	WL_REVOKE_GIVING,
};

/* A write as it is posted, and what has to become of it */
struct wl_write {
	const uint8_t *data;
	uint64_t raddr;
	uint32_t qpn;
	uint32_t len;
	uint32_t beats;		/* 0: what len needs */
	uint32_t imm;
	bool is_imm;
	bool is_semaphore;	/* adds 1 to `semaphore` */
	uint32_t semaphore;

	uint8_t peer;		/* that the QPN leads to, if anywhere */
	uint8_t verdict;	/* enum ocfabric_verdict */
	uint8_t during;		/* enum wl_revoke: its window is just being changed */
	bool revocable;		/* into the revocable window */
	bool misrouted;
	bool bad;		/* of wl_bad() */
	uint32_t bytes;		/* committed */
	uint32_t oversize;
	const char *what;	/* for messages */
	uint64_t k;
};

#define WL_BAD_KINDS	10
#define WL_BAD_DATA	256

/* `data` has WL_BAD_DATA bytes. */
void wl_bad(const struct wl_plan *plan, unsigned int src, uint64_t round,
	    uint8_t *data, struct wl_write *w);

/* ---- tally.c: what the card's counters have to say ----------------------- */

struct wl_tally {
	uint64_t counter[OCFABRIC_COUNTERS];
};

void wl_tally(struct wl_tally *t, const struct wl_write *w, unsigned int verdict);

/* ---- ports -------------------------------------------------------------- */

struct wl_done {
	uint32_t qpn;
	uint32_t bytes;
	uint32_t imm;
	uint8_t verdict;
	uint8_t source;		/* receive */
	bool receive;
	bool misrouted;
};

struct wl_port;

struct wl_port_ops {
	/* writes that can be posted now */
	uint32_t (*room)(struct wl_port *port);
	/* 0, or a negative errno; data is the caller's again */
	int (*post)(struct wl_port *port, const struct wl_write *w);
	void (*ring)(struct wl_port *port);
	/* completions; transmit ones in the order of the posts */
	int (*poll)(struct wl_port *port, struct wl_done *done, unsigned int max);
	uint32_t (*semaphore)(struct wl_port *port, unsigned int number);
	/* false: the revocable window is not yet there, or not yet gone */
	bool (*allow)(struct wl_port *port, bool allowed);
	uint64_t (*now_us)(struct wl_port *port);
};

struct wl_port {
	const struct wl_port_ops *ops;
};

/* ---- replica.c ---------------------------------------------------------- */

/* Rounds to run: the limit may grow until it is final. */
struct wl_limit {
	uint64_t rounds;
	uint32_t is_final;
};

/* A stream as its sender has it */
struct wl_out {
	unsigned int per_round;		/* 0: there is none */
	uint64_t credit;		/* messages consumed, as was last seen */
	struct wl_message next;
	uint64_t *in_slot[WL_CHANNELS];	/* message that was last sent there */
};

/* A stream as its reader has it */
struct wl_in {
	unsigned int per_round;
	uint64_t consumed;
	uint64_t credited;		/* of these, told the sender */
	uint32_t imms;			/* receive completions taken */
	uint64_t imm_next;		/* message after that of the last of these */
	struct wl_message loud;		/* that is looked for */
	struct wl_message later;	/* the loud one after it */
};

struct wl_stats {
	uint64_t sent, sent_bytes;	/* messages */
	uint64_t read, read_bytes;
	uint64_t credits;
	uint64_t bad;			/* bad writes that got their verdict */
};

struct wl_replica {
	const struct wl_plan *plan;
	struct wl_port *port;
	const struct wl_limit *limit;
	unsigned int id;
	unsigned int burst;		/* messages a stream at a step */

	const uint8_t *region;
	uint8_t *shadow;		/* what has to be in the region */

	struct wl_out out[WL_REPLICAS];
	struct wl_in in[WL_REPLICAS];
	uint64_t frontier;		/* rounds begun */
	uint64_t paused_until_us;

	/* posted and not completed, a ring */
	struct wl_write posted[WL_RING];
	uint32_t post_head, post_tail;

	uint64_t bad_next;		/* round */
	enum wl_revoke revoke;
	uint64_t revoke_next;		/* round */
	uint64_t revocable;		/* last value written there */
	uint64_t revocable_committed;
	uint32_t revoke_sure;		/* post_tail after the write whose verdict is sure */
	uint64_t revoke_frontier;	/* at the last write there */
	bool refused;			/* the last of them was */

	struct wl_tally tally;
	struct wl_stats stats;
	char error[WL_ERROR_MAX];	/* the first one */
};

/* False: no memory */
bool wl_replica_init(struct wl_replica *r, const struct wl_plan *plan,
		     unsigned int id, struct wl_port *port,
		     const struct wl_limit *limit, const uint8_t *region);
void wl_replica_free(struct wl_replica *r);

/* Does what can be done now. Returns how much that was, -1 after an error. */
int wl_replica_step(struct wl_replica *r);

/* Everything sent, completed, read and credited, and the limit is final */
bool wl_replica_is_done(const struct wl_replica *r);

/* What it waits for, as a sentence */
void wl_replica_waits(const struct wl_replica *r, char *text, size_t size);

/* Keeps the first error. Returns -1. */
int wl_fail(struct wl_replica *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- send.c, read.c, adversary.c: the parts of a step --------------------- */

bool wl_out_init(struct wl_replica *r, unsigned int dst);
int wl_post(struct wl_replica *r, const struct wl_write *w);
int wl_send(struct wl_replica *r);
int wl_complete(struct wl_replica *r);

void wl_in_init(struct wl_replica *r, unsigned int src);
int wl_read(struct wl_replica *r);
int wl_credit(struct wl_replica *r);

int wl_misbehave(struct wl_replica *r);
bool wl_misbehaved(const struct wl_replica *r);

/* ---- verify.c ----------------------------------------------------------- */

enum wl_seen { WL_OLD, WL_PARTLY, WL_NEW, WL_WRONG };

/*
 * Compares a piece of the region with what it becomes and with what it was. For
 * WL_WRONG the error is set, and names message m of src.
 */
enum wl_seen wl_compare(struct wl_replica *r, unsigned int src,
			const struct wl_message *m, uint64_t offset,
			const uint8_t *want);

/*
 * After the last write of everybody: all of the region. `last` is what each
 * replica's revocable word has to be.
 */
int wl_verify_all(struct wl_replica *r, const uint64_t *last);

/* ---- scenario.c, run.c: the two ways to use all that ---------------------- */

int wl_scenario(const struct wl_options *o);
int wl_run(const struct wl_options *o);

/* ---- a run on a card ----------------------------------------------------- */

enum wl_state {
	WL_STARTING,
	WL_READY,	/* attached; waits for the others */
	WL_RUNNING,
	WL_SENT,	/* done, but the others may still write to it */
	WL_VERIFIED,
	WL_BROKEN,	/* with an error */
	WL_GIVEN_UP,	/* since another one has an error */
};

/* What a replica's process and the parent have in common */
struct wl_seat {
	uint32_t state;			/* enum wl_state */
	uint32_t wants_allowed;		/* the revocable window, as the replica wants it */
	uint32_t is_allowed;		/* and as the parent has made it */
	uint64_t steps;			/* a sign of life */
	uint64_t frontier;
	uint64_t revocable;
	struct wl_stats stats;
	struct wl_tally tally;
	char error[WL_ERROR_MAX];
};

struct wl_shared {
	struct wl_limit limit;
	uint32_t go;
	uint32_t give_up;
	uint32_t all_sent;
	struct wl_seat seat[WL_REPLICAS];
};

/* child.c: the process of one replica, which dies with its parent; its status */
int wl_child(const struct wl_options *o, const struct wl_plan *plan,
	     unsigned int id, struct wl_shared *shared, pid_t parent);

/* card_port.c: NULL and a sentence when the replica cannot be had */
struct wl_port *wl_card_port(const struct wl_options *o,
			     const struct wl_plan *plan, unsigned int id,
			     struct wl_seat *seat, const uint8_t **region,
			     char error[WL_ERROR_MAX]);
void wl_card_port_free(struct wl_port *port);

/*
 * card.c: the parent's part. These print what is wrong and return false.
 * Links' counters are read by wl_card_counters().
 */
struct wl_card;

struct wl_card *wl_card_open(const struct wl_options *o);
void wl_card_close(struct wl_card *card);
bool wl_card_prepare(struct wl_card *card, const struct wl_options *o,
		     const struct wl_plan *plan);
bool wl_card_allow(struct wl_card *card, const struct wl_plan *plan,
		   unsigned int src, bool allowed);
bool wl_card_counters(struct wl_card *card, struct wl_tally tally[WL_REPLICAS]);

/* supervise.c: from the start of the processes to the end of the last one */
struct wl_processes {
	const struct wl_options *o;
	const struct wl_plan *plan;
	struct wl_card *card;
	struct wl_shared *shared;
	pid_t pid[WL_REPLICAS];		/* 0: has ended */
	unsigned int errors;
	double seconds;			/* from go to all sent */
};

bool wl_supervise(struct wl_processes *p);

#endif
