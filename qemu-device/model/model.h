/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The card's logic, without a bus, a driver or an operating system.
 *
 * This header is the design; read it top to bottom. A card has a
 * configuration, an HBM, and sixteen links. A link takes one write at a time:
 *
 *	begin	the meta beat: the rules give a verdict, or let it pass
 *	move	the data, by one of two engines
 *	finish	when every line is acknowledged: counters, verdict, record
 *
 * The engines share everything but the moving. The bulk engine takes source
 * bytes in pieces of any size and stores whole lines; the beat engine takes
 * one 64-byte beat a clock, as the hardware does, and can be traced.
 *
 * Time is a count of fabric clock cycles that the embedder owns: every
 * function that needs it takes it as `now`, and nothing here ever waits.
 *
 * Locking is the embedder's. A link, and all functions whose second argument
 * is a link, are used by one thread at a time; different links may run on
 * different threads at once. What all links read (configuration, drain state,
 * faults, HBM pointer, hooks) may change only while no link function runs.
 *
 * Nothing is allocated here. Memory whose size the embedder chooses (windows,
 * faults) comes from the embedder.
 */
#ifndef OCF_MODEL_H
#define OCF_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OCF_REPLICAS	16	/* replicas, and links, of the largest card */
#define OCF_QPNS	256	/* QPNs a connection table has entries for */
#define OCF_SEMS	64	/* semaphores of a replica */
#define OCF_REJECTS	16	/* rejected writes a link remembers */
#define OCF_LINE	64u	/* bytes of a line, and of a data beat */

#define OCF_NO_PEER	0xff	/* a connection table entry that is not there */

/*
 * Counters of a link, in the order in which they are listed everywhere. A
 * write's verdict is COMMITTED, SHORT_PACKET, or the counter of what ended it.
 */
enum ocf_counter {
	OCF_WRITES,
	OCF_COMMITTED,
	OCF_BYTES,
	OCF_LINES,
	OCF_UNMAPPED,
	OCF_MISROUTED,
	OCF_BAD_CONFIG,
	OCF_ZERO_LENGTH,
	OCF_MISALIGNED,
	OCF_OUT_OF_BOUNDS,
	OCF_UNAUTHORIZED,
	OCF_SHORT_PACKET,
	OCF_OVERSIZE,
	OCF_AXI_ERROR,
	OCF_QP_STATE,
	OCF_RNR,
	OCF_DMA_ERROR,
	OCF_NR_COUNTERS
};

struct ocf_counters {
	uint64_t c[OCF_NR_COUNTERS];
};

/* counters.c */
extern const char *const ocf_counter_names[OCF_NR_COUNTERS];

/*
 * For a link with no write in flight:
 * writes = committed + everything that ends a write otherwise.
 */
bool ocf_counters_add_up(const struct ocf_counters *counters);

/* ---- configuration: changes only while the card is drained ------------- */

struct ocf_region {
	uint64_t base;
	uint64_t size;
};

/*
 * One slot of the window table. A slot that is not `valid` is skipped, and so
 * is one whose source or destination no card can have. Slots may hold the same
 * window twice.
 */
struct ocf_window {
	uint64_t offset;
	uint64_t length;
	uint8_t src;
	uint8_t dst;
	uint8_t sem_first;	/* semaphores that the source may add to: */
	uint8_t sem_count;	/* [first, first + count), cut at OCF_SEMS */
	bool valid;
};

/* A window, in rising order of offset among those of its (source, dest.) */
struct ocf_reach {
	uint64_t offset;
	uint64_t end;		/* greatest end of this and all before it */
};

struct ocf_config {
	uint32_t n;		/* replicas; any value, the rules check it */
	bool upstream_qpns;
	uint32_t latency;	/* cycles */
	struct ocf_region region[OCF_REPLICAS];
	uint8_t conn[OCF_REPLICAS][OCF_QPNS];	/* peer or OCF_NO_PEER */

	/* the window table, max_windows slots: the embedder's memory */
	struct ocf_window *windows;
	uint32_t max_windows;

	/* made by ocf_config_index(), looked at by the rules */
	struct ocf_reach *reach;	/* max_windows: the embedder's memory */
	uint32_t first[OCF_REPLICAS * OCF_REPLICAS + 1];
	uint64_t sems[OCF_REPLICAS * OCF_REPLICAS];
};

/* config.c */
bool ocf_config_n_valid(const struct ocf_config *cfg);

/*
 * Reset state: n 0, nothing connected, no region, no window, latency 0. Keeps
 * the embedder's memory.
 */
void ocf_config_reset(struct ocf_config *cfg);

/*
 * The default connection table for cfg->n, or an empty one when that n is
 * invalid: link i's QPN (n-1)*i + r goes to r, or r + 1 from r = i on.
 */
void ocf_config_default_conn(struct ocf_config *cfg);

/* The window table has changed: make what the rules look at from it. */
void ocf_config_index(struct ocf_config *cfg);

/* ---- rules: what the card says to a write ------------------------------ */

enum ocf_kind {
	OCF_KIND_WRITE,
	OCF_KIND_WRITE_IMM,	/* needs a receive descriptor at the peer */
	OCF_KIND_SEM,		/* adds to a semaphore: no bytes, no lines */
	OCF_NR_KINDS
};

/* A meta beat. beats 0 stands for ceil(len / 64), at least 1. */
struct ocf_write {
	uint64_t raddr;
	uint32_t qpn;		/* 24 bits */
	uint32_t len;
	uint32_t beats;
	uint16_t sem;		/* OCF_KIND_SEM */
	uint8_t kind;		/* enum ocf_kind */
	uint8_t opcode;		/* as the sender wrote them, for the ring of */
	uint8_t flags;		/* rejected writes; nothing here reads them */
};

/*
 * What the rules judge by. The link is the trusted ingress; nothing of the
 * payload takes part. The two last members may be NULL: then every connection
 * may send, and every receiver is armed.
 */
struct ocf_subject {
	const struct ocf_config *cfg;
	unsigned int link;
	const struct ocf_write *w;
	const uint64_t *qp_stopped;	/* OCF_QPNS bits */
	bool (*armed)(void *opaque, unsigned int link, unsigned int peer);
	void *opaque;
};

/* The checks in the order in which they are made. */
enum ocf_check {
	OCF_CHECK_MEMBER,	/* n valid, the link below it */
	OCF_CHECK_MAPPED,	/* the QPN has an entry */
	OCF_CHECK_QP,		/* the connection may send */
	OCF_CHECK_PEER,		/* a member, not the source, base aligned */
	OCF_CHECK_LENGTH,	/* not zero */
	OCF_CHECK_ALIGNED,	/* raddr in whole words */
	OCF_CHECK_BOUNDS,	/* inside the region, no wrap */
	OCF_CHECK_WINDOW,	/* one window holds it all */
	OCF_CHECK_ARMED,	/* a receive descriptor, if it needs one */
	OCF_NR_CHECKS
};

/* What the rules find. verdict is OCF_COMMITTED when every check passes. */
struct ocf_judgement {
	enum ocf_counter verdict;
	uint8_t peer;		/* OCF_NO_PEER where none was found */
	bool misrouted;
	uint8_t failed;		/* enum ocf_check, or OCF_NR_CHECKS */
};

enum ocf_outcome {
	OCF_PASSED,
	OCF_FAILED,
	OCF_NOT_JUDGED,		/* it needs what an earlier check did not find */
	OCF_NOT_NEEDED		/* this kind of write does not have it */
};

struct ocf_explanation {
	struct ocf_judgement judgement;
	enum ocf_check decides;		/* OCF_NR_CHECKS when all pass */
	enum ocf_outcome outcome[OCF_NR_CHECKS];
};

/* rules.c */
extern const char *const ocf_check_names[OCF_NR_CHECKS];

/* The checks in order, up to the first that fails. */
struct ocf_judgement ocf_judge(const struct ocf_subject *s);

/*
 * The same checks, all of them, so that one can be told everything that would
 * have to change. The `armed` of the subject is only asked.
 */
void ocf_explain(const struct ocf_subject *s, struct ocf_explanation *e);

/* The counter that goes up when a check fails. */
enum ocf_counter ocf_check_verdict(enum ocf_check check);

/* Data beats a write has: its own number, or the default one. */
uint32_t ocf_write_beats(const struct ocf_write *w);

/* Bytes it writes and reads from its source, when it passes. */
uint32_t ocf_write_bytes(const struct ocf_write *w);

/* Beats that are dropped because len ends before them, when it passes. */
uint32_t ocf_write_oversize(const struct ocf_write *w);

/* ---- the HBM's answers -------------------------------------------------- */

enum ocf_resp {
	OCF_OKAY,
	OCF_SLVERR,
	OCF_DECERR
};

/* What was injected on one line. A slot with neither is free. */
struct ocf_fault {
	uint64_t line;		/* its address, a multiple of 64 */
	uint32_t delay;		/* cycles before the B response */
	uint8_t resp;		/* enum ocf_resp */
};

/*
 * A table of faulted lines: `max` slots, a power of two, the embedder's
 * memory, zeroed. One slot is kept free.
 */
struct ocf_faults {
	struct ocf_fault *slot;
	uint32_t max;
	uint32_t count;		/* 0: no look-up is made at all */
};

/* fault.c */
/* NULL when nothing was injected on the line that holds this address. */
const struct ocf_fault *ocf_fault_find(const struct ocf_faults *faults,
				       uint64_t addr);
/* Error and delay are separate; false when the table is full. */
bool ocf_fault_set_resp(struct ocf_faults *faults, uint64_t addr,
			enum ocf_resp resp);
bool ocf_fault_set_delay(struct ocf_faults *faults, uint64_t addr,
			 uint32_t delay);
void ocf_fault_clear(struct ocf_faults *faults, uint64_t addr);
void ocf_fault_clear_all(struct ocf_faults *faults);

/* ---- a link and its write in flight ------------------------------------- */

enum ocf_stage {
	OCF_STAGE_IDLE,
	OCF_STAGE_LATENCY,	/* judged; starts at go_at */
	OCF_STAGE_MOVING,	/* wants source bytes */
	OCF_STAGE_RESPONSES,	/* all issued; acknowledged at go_at */
	OCF_NR_STAGES
};

/*
 * The write in flight. No pointers: it can be saved and loaded as it is (check
 * a loaded one with ocf_flight_valid()).
 *
 * While it moves, every line whose last byte has come is issued, and what has
 * come of the next line waits in `tail`, at its place in the line. So a line
 * is stored by one go and words are never torn, however the source is cut.
 */
struct ocf_flight {
	uint64_t raddr;
	uint64_t addr;		/* HBM address of the first byte */
	uint64_t go_at;		/* cycle at which it can go on */
	uint64_t since;		/* cycle of its last progress */
	uint32_t qpn;
	uint32_t len;
	uint32_t beats;
	uint32_t bytes;		/* it will write */
	uint32_t taken;		/* source bytes taken so far */
	uint32_t lines;		/* issued so far */
	uint32_t oversize;
	uint32_t psn;		/* the first it took */
	uint16_t sem;
	uint8_t stage;		/* enum ocf_stage */
	uint8_t kind;		/* enum ocf_kind */
	uint8_t peer;
	uint8_t misrouted;	/* 0 or 1; not bool: a loaded byte may be more */
	uint8_t is_short;
	uint8_t failed;		/* a line was answered with an error */
	uint8_t stalled;	/* ocf_link_watch() has said so */
	uint8_t tail[OCF_LINE];
};

/* What became of a write. */
struct ocf_record {
	enum ocf_counter verdict;
	uint8_t kind;
	uint8_t peer;		/* OCF_NO_PEER where none was found */
	bool misrouted;
	bool is_short;
	uint32_t qpn;
	uint32_t psn;		/* the first it took, 0 if none */
	uint32_t bytes;		/* 0 unless committed */
	uint32_t lines;		/* issued */
	uint32_t oversize;
};

/* A rejected write, as the link remembers it: no payload, no source. */
struct ocf_reject {
	uint64_t raddr;
	uint64_t cycle;		/* at which it was judged */
	uint32_t qpn;
	uint32_t len;
	uint32_t beats;
	uint32_t generation;	/* of the configuration that judged it */
	uint16_t sem;
	uint8_t opcode;
	uint8_t flags;
	uint8_t verdict;	/* enum ocf_counter */
	uint8_t peer;		/* OCF_NO_PEER where none was found */
};

/*
 * Context of a connection; qp.h has what moves it. One that may send has an MTU,
 * so what a write takes can be counted. Nothing of it is used where there is no
 * peer.
 */
struct ocf_qp {
	uint32_t send_psn;	/* of the next write */
	uint32_t expected_psn;	/* that the receiving end expects next */
	uint32_t moves;		/* mod 2^32 */
	uint16_t window;
	uint8_t state;		/* enum ocfabric_qp_state */
	uint8_t cause;		/* enum ocfabric_qp_cause */
	uint8_t peer;		/* or OCF_NO_PEER */
	uint8_t mtu_shift;
	uint8_t retry_limit;
	uint8_t rnr_limit;
	uint8_t timeout;
	uint8_t rnr_timer;
};

/*
 * The stages of a link's path, from the meta beat to the commit, and how many
 * writes came into each, went out of it, or ended there. Each is counted where
 * it happens; that they add up is a law that is looked at, see path.c.
 *
 * A write waits out the latency in TAKEN. A rejected one ends in the stage that
 * has the check that it fails, at once; one that passes leaves TAKEN, MAPPED
 * and AUTHORIZED when the latency has passed. It is in REALIGNED until all its
 * source bytes have come, in ISSUED until its last line has gone to the HBM, in
 * ACKNOWLEDGED until the last response is there.
 */
enum ocf_path {
	OCF_PATH_TAKEN,
	OCF_PATH_MAPPED,
	OCF_PATH_AUTHORIZED,
	OCF_PATH_REALIGNED,
	OCF_PATH_ISSUED,
	OCF_PATH_ACKNOWLEDGED,
	OCF_PATH_COMPLETED,
	OCF_NR_PATHS
};

#define OCF_PATH_NONE	0xff	/* no write in flight */

struct ocf_path_counts {
	uint64_t in[OCF_NR_PATHS];
	uint64_t out[OCF_NR_PATHS];
	uint64_t ended[OCF_NR_PATHS];
};

enum ocf_waits_for {
	OCF_WAITS_FOR_NOTHING,
	OCF_WAITS_FOR_LATENCY,
	OCF_WAITS_FOR_SOURCE,
	OCF_WAITS_FOR_RESPONSE
};

/* Where a link's write in flight is. */
struct ocf_where {
	uint8_t at;		/* enum ocf_path, or OCF_PATH_NONE */
	uint8_t waits_for;	/* enum ocf_waits_for */
	uint64_t since;		/* cycle of its last progress */
	uint64_t due;		/* cycle at which it goes on; 0: not known */
};

/* Rejects that nobody has been told of, and what there is to tell of the last. */
struct ocf_untold {
	uint32_t n;
	uint32_t qpn;
	uint8_t verdict;	/* enum ocf_counter */
};

struct ocf_link {
	struct ocf_flight flight;
	struct ocf_counters counters;
	struct ocf_path_counts path;
	struct ocf_untold untold;	/* the embedder tells, and zeroes n */
	uint64_t qp_stopped[OCF_QPNS / 64];	/* QPNs that may not send */
	uint64_t qp_failed[OCF_QPNS / 64];	/* see hooks.qp_failed */
	uint64_t nr_rejects;	/* ever; the last is reject[(nr - 1) % 16] */
	struct ocf_reject reject[OCF_REJECTS];
	struct ocf_qp qp[OCF_QPNS];
};

/* What the embedder is asked and told. Any may be NULL. */
struct ocf_hooks {
	void *opaque;
	/*
	 * Reserve a receive descriptor of the peer for this link's write,
	 * false if there is none, and give it back. On the link's thread.
	 */
	bool (*arm_take)(void *opaque, unsigned int link, unsigned int peer);
	void (*arm_return)(void *opaque, unsigned int link, unsigned int peer);
	/* [addr, addr + len) of the HBM, all inside it, may have changed. */
	void (*wrote)(void *opaque, uint64_t addr, uint64_t len);
	/*
	 * The card moved a connection of this link to an error state; its bit in
	 * qp_failed is set, for whoever tells of it to clear. On the link's
	 * thread.
	 */
	void (*qp_failed)(void *opaque, unsigned int link);
	/* One more in the link's `untold`. On the link's thread. */
	void (*rejected)(void *opaque, unsigned int link);
};

struct ocf_card {
	struct ocf_config config;
	struct ocf_faults faults;
	struct ocf_hooks hooks;
	uint8_t *hbm;		/* aligned to 64 */
	uint64_t hbm_size;	/* a multiple of 64 */
	bool draining;		/* no link takes a write */
	bool config_error;	/* sticky: a change came while not drained */
	bool changed;		/* since the last resume */
	uint32_t generation;	/* resumes after a change */
	uint32_t qp_window;	/* of a connection that is loaded */
	struct ocf_link link[OCF_REPLICAS];
	struct ocf_counters snapshot[OCF_REPLICAS];
	struct ocf_path_counts snapshot_path[OCF_REPLICAS];
	struct ocf_where snapshot_where[OCF_REPLICAS];
};

/* card.c; these need every link to be quiet (see locking, above) */

/* Reset state. Keeps HBM, hooks and the embedder's memory; ends no write. */
void ocf_card_reset(struct ocf_card *card);

void ocf_card_drain(struct ocf_card *card);

/* Draining, and every write taken has ended. */
bool ocf_card_drained(const struct ocf_card *card);

/*
 * Applies what was configured and lets links take writes again. A connection that
 * leads to another peer than its context knows is loaded (qp.h).
 */
void ocf_card_resume(struct ocf_card *card);

/*
 * The only way to change the configuration: the configuration to write to, or
 * NULL, with config_error latched, when the card is not drained. The change
 * is in force from ocf_card_resume() on.
 */
struct ocf_config *ocf_card_configure(struct ocf_card *card);

/*
 * Counters and stages of all links, as of one instant, into card->snapshot*.
 * False when those of a link do not add up.
 */
bool ocf_card_snapshot(struct ocf_card *card);
void ocf_card_reset_counters(struct ocf_card *card);

/* path.c */
extern const char *const ocf_path_names[OCF_NR_PATHS];

struct ocf_where ocf_link_where(const struct ocf_link *l);

/*
 * The law of the stages: what goes out of one comes into the next, what is in
 * one and did neither go out nor end is the write in flight, and what came in,
 * ended and was committed is what the counters say.
 */
bool ocf_link_adds_up(const struct ocf_link *l);

enum ocf_watched {
	OCF_WATCHED_NOTHING,	/* no write, or it was said already */
	OCF_WATCHED_LATER,	/* look again at cycle *due */
	OCF_WATCHED_STALLED	/* said once a write */
};

/* Whether the write in flight has made no progress for so many cycles. */
enum ocf_watched ocf_link_watch(struct ocf_link *l, uint64_t limit,
				uint64_t now, uint64_t *due);

/* link.c */
extern const char *const ocf_stage_names[OCF_NR_STAGES];

enum ocf_take {
	OCF_TAKEN,		/* in flight */
	OCF_REJECTED,		/* ended; the record says how */
	OCF_BUSY		/* not taken: draining, or one is in flight */
};

/*
 * A link takes a meta beat. The write is judged at once; a rejected one is
 * over, its data beats count as drained. One that passes waits out the
 * latency first.
 */
enum ocf_take ocf_link_begin(struct ocf_card *card, unsigned int link,
			     const struct ocf_write *w, uint64_t now,
			     struct ocf_record *rec);

/*
 * Ends a write that all lines are acknowledged of: counters, store barrier,
 * record. False, and nothing happens, when it is not that far at `now`.
 */
bool ocf_link_finish(struct ocf_card *card, unsigned int link, uint64_t now,
		     struct ocf_record *rec);

/*
 * Ends the write in flight as dma_error, whatever its stage: its source could
 * not be read, or the link is reset. False when there is none.
 */
bool ocf_link_abort(struct ocf_card *card, unsigned int link,
		    struct ocf_record *rec);

/* Whether a flight that was loaded from outside can be gone on with. */
bool ocf_flight_valid(const struct ocf_flight *flight);

/* ---- bulk engine: any number of bytes at a time ------------------------- */

/* What the write in flight waits for. */
enum ocf_want {
	OCF_WANT_WRITE,		/* none in flight */
	OCF_WANT_TIME,		/* nothing before cycle flight.go_at */
	OCF_WANT_BYTES,		/* ocf_bulk_left() source bytes */
	OCF_WANT_FINISH		/* ocf_link_finish() */
};

/* bulk.c */
enum ocf_want ocf_bulk_want(const struct ocf_card *card, unsigned int link,
			    uint64_t now);

/* Source bytes that are still to come. */
uint32_t ocf_bulk_left(const struct ocf_card *card, unsigned int link);

/*
 * The next source bytes, in order, as many or few as the embedder likes: cut
 * where the source's ranges end, or where it wants to stop for now. Returns
 * how many were taken: all of them, up to ocf_bulk_left(), or none when the
 * write does not want bytes at `now`.
 *
 * The bytes may change while they are read; they are not read after return.
 */
size_t ocf_bulk_feed(struct ocf_card *card, unsigned int link,
		     const void *data, size_t n, uint64_t now);

/*
 * All in one for a source in one piece: begin, feed, finish. OCF_TAKEN when
 * something has to be waited for; go on with ocf_bulk_want(). Otherwise the
 * write is over and the record says how (OCF_REJECTED: by the rules;
 * OCF_DONE: it passed them). `data` is not touched unless the rules pass.
 */
enum ocf_done {
	OCF_DONE,
	OCF_DONE_REJECTED,
	OCF_NOT_DONE,
	OCF_NOT_TAKEN
};

enum ocf_done ocf_bulk_write(struct ocf_card *card, unsigned int link,
			     const struct ocf_write *w, const void *data,
			     uint64_t now, struct ocf_record *rec);

/* copy.c */
/*
 * n bytes to dst, which is aligned to 4: every byte is stored once, and every
 * aligned 8-byte word that is covered whole by one store.
 */
void ocf_copy(void *dst, const void *src, size_t n);

/* The ways there are to do it, for tests: 0 is the portable one. */
size_t ocf_copy_ways(void);
const char *ocf_copy_way_name(size_t way);
bool ocf_copy_way(size_t way, void *dst, const void *src, size_t n);

/* ---- beat engine: one 64-byte beat a clock ------------------------------ */

/* realign.c: beats as numbers of lanes; byte 0 is lane 0, bit 0 */

/* Byte enables of a beat with `left` bytes still to come. */
uint64_t ocf_strobe(uint64_t left);

/*
 * One line: the stream shifted up by sw words (0..15), from the tail of the
 * beat before and the head of this one.
 */
void ocf_realign(uint8_t line[OCF_LINE], const uint8_t prev[OCF_LINE],
		 const uint8_t cur[OCF_LINE], unsigned int sw);

/* Byte enables, shifted in the same way. */
uint64_t ocf_realign_keep(uint64_t prev, uint64_t cur, unsigned int sw);

#define OCF_BEAT_DEPTH	64u	/* lines a link may have unacknowledged */

struct ocf_beat_b {
	uint64_t addr;
	uint64_t due;		/* earliest cycle of the response */
	uint8_t resp;
};

/*
 * The data path of one link. `aw` and `b` are called, if set, as lines are
 * issued and acknowledged, in time order.
 */
struct ocf_beat {
	struct ocf_card *card;
	unsigned int link;
	void *opaque;
	void (*aw)(void *opaque, uint64_t cycle, uint64_t addr, uint64_t strb);
	void (*b)(void *opaque, uint64_t cycle, uint64_t addr,
		  enum ocf_resp resp);

	uint8_t prev[OCF_LINE];		/* the beat before, and its bytes */
	uint64_t prev_keep;
	uint32_t nr_out;		/* lines not acknowledged: a queue, */
	uint32_t head;			/* answered in order */
	struct ocf_beat_b out[OCF_BEAT_DEPTH];
};

/* beat.c */
void ocf_beat_init(struct ocf_beat *beat, struct ocf_card *card,
		   unsigned int link);

/* ocf_link_begin() for this engine. */
enum ocf_take ocf_beat_begin(struct ocf_beat *beat, const struct ocf_write *w,
			     uint64_t now, struct ocf_record *rec);

/* Whether the clock edge at `now` takes a data beat. */
bool ocf_beat_ready(const struct ocf_beat *beat, uint64_t now);

/*
 * One clock edge: answers what is due, takes `data` (64 bytes, bytes past the
 * write's end are ignored; only if ocf_beat_ready()), issues at most one line.
 */
void ocf_beat_clock(struct ocf_beat *beat, const uint8_t *data, uint64_t now);

/*
 * The first cycle after `now` at which an edge can do anything. Edges between
 * may be left out, so that a delay of 2^32 cycles costs nothing.
 */
uint64_t ocf_beat_next(const struct ocf_beat *beat, uint64_t now);

/* True once, when the write has ended. */
bool ocf_beat_finish(struct ocf_beat *beat, uint64_t now,
		     struct ocf_record *rec);

#endif
