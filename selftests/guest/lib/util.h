/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests share: the card's node, changes of its configuration, a
 * replica's rings. Written against the uapi headers alone, so that the tests
 * are a second user of the interface beside libocfabric.
 *
 * Functions that can fail answer 0 (or what they are asked for) or -errno.
 */
#ifndef OCF_TEST_UTIL_H
#define OCF_TEST_UTIL_H

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/ocfabric.h>

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))
#define PAGE		4096ul

/* A structure of the uapi with its size filled in, and its address. */
#define NEW(type, ...)	((struct type){ .size = sizeof(struct type), ##__VA_ARGS__ })
#define ARG(type, ...)	(&NEW(type, ##__VA_ARGS__))
#define ARG_DESC(d)	(&(struct ocfabric_desc[1]){ d }[0])

uint64_t now_ms(void);

/*
 * How long to wait for what takes up to ms when it has the machine to itself: it
 * may be starved for many seconds, so a minute is the least. Only what never comes
 * takes that long; what is slow is not found by this.
 */
unsigned int patience(unsigned int ms);

/* It checks itself and is several times slower: loops make fewer rounds on it. */
bool is_debug_kernel(void);

/* For each test of the harness: more than anything in it may wait for. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 300

/* Whether cond came true within ms milliseconds. */
#define WAIT_FOR(cond, ms) ({						\
	uint64_t end_ = now_ms() + (ms);				\
	bool met_;							\
	while (!(met_ = !!(cond)) && now_ms() < end_)			\
		sched_yield();						\
	met_; })

/* The node */
const char *node_path(void);
unsigned int node_number(void);
int node_open(int flags);
int call(int fd, unsigned long nr, void *arg);

/* Changes of the configuration */
static inline struct ocfabric_change step(unsigned int op, uint64_t value)
{
	return (struct ocfabric_change){ .op = op, .value = value };
}

static inline struct ocfabric_change step_reset(void)
{
	return step(OCFABRIC_CHANGE_RESET, 0);
}

static inline struct ocfabric_change step_replicas(uint64_t n)
{
	return step(OCFABRIC_CHANGE_REPLICAS, n);
}

static inline struct ocfabric_change
step_region(unsigned int i, uint64_t base, uint64_t length)
{
	return (struct ocfabric_change){ .op = OCFABRIC_CHANGE_REGION, .src = i,
					 .offset = base, .length = length };
}

static inline struct ocfabric_change
step_connection(unsigned int link, unsigned int qpn, unsigned int peer)
{
	return (struct ocfabric_change){ .op = OCFABRIC_CHANGE_CONNECTION,
					 .src = link, .qpn = qpn, .dst = peer };
}

static inline struct ocfabric_change
step_window(unsigned int op, unsigned int src, unsigned int dst,
	    uint64_t offset, uint64_t length)
{
	return (struct ocfabric_change){ .op = op, .src = src, .dst = dst,
					 .offset = offset, .length = length };
}

/* A right to add to semaphores, and to nothing else. */
static inline struct ocfabric_change
step_semaphores(unsigned int op, unsigned int src, unsigned int dst,
		unsigned int first, unsigned int count)
{
	return (struct ocfabric_change){ .op = op, .src = src, .dst = dst,
					 .sem_first = first, .sem_count = count };
}

static inline struct ocfabric_change
step_fault(unsigned int op, unsigned int dst, uint64_t offset, uint64_t value)
{
	return (struct ocfabric_change){ .op = op, .dst = dst, .offset = offset,
					 .value = value };
}

/* By ioctl; @out, if there, holds index and reason of a refusal afterwards. */
int change_steps(int node, unsigned int flags, const struct ocfabric_change *steps,
		 unsigned int count, struct ocfabric_config_change *out);

#define CHANGE(node, ...) ({						\
	const struct ocfabric_change steps_[] = { __VA_ARGS__ };	\
	change_steps(node, 0, steps_, ARRAY_LEN(steps_), NULL); })

/*
 * Brings the card to a known state: n regions of @size bytes one after another
 * that read zero, the default connections, a window over each region for each
 * peer, counters at zero, nothing drained, no faults.
 */
int fabric_setup(int node, unsigned int n, uint64_t size);

/* After that: each replica may add to all semaphores of each other. */
int fabric_semaphores(int node, unsigned int n);

/* The QPN that the default table of n replicas has for link -> peer. */
unsigned int qpn_of(unsigned int n, unsigned int link, unsigned int peer);

struct config {
	struct ocfabric_config_get get;
	struct ocfabric_region region[OCFABRIC_REPLICAS_MAX];
	uint8_t peer[OCFABRIC_REPLICAS_MAX][OCFABRIC_QPNS];
	struct ocfabric_window window[OCFABRIC_WINDOWS_MAX];
};

int config_read(int node, struct config *c);
bool config_equal(const struct config *a, const struct config *b);

struct counters {
	uint64_t link[OCFABRIC_REPLICAS_MAX][OCFABRIC_COUNTERS];
	unsigned int links;
	uint64_t clock;
};

int counters_read(int node, struct counters *c);
/* The law that holds for every idle link. */
bool counters_conserved(const struct counters *c);

/* A replica and its mappings; fd -1 where it is not attached. */
struct replica {
	int fd;
	struct ocfabric_replica_get get;
	struct ocfabric_desc *tx;
	struct ocfabric_rx_desc *rx;
	const struct ocfabric_cqe *cq;
	struct ocfabric_owner *owner;
	const uint32_t *semaphores;
	volatile void *doorbell;
	volatile void *rx_doorbell;
	uint8_t *region;	/* NULL where no whole page is in it */
	uint32_t posted;
	uint32_t rung;
	uint32_t rx_posted;
	uint32_t taken;
};

struct attach {
	unsigned int tx_entries;
	unsigned int cq_entries;
	unsigned int rx_entries;
	unsigned int flags;
};

int attach_fd(int node, unsigned int replica, struct attach how);
/* Maps what the handle fd holds; takes the fd over. */
int replica_map(struct replica *r, int fd);
int replica_open(struct replica *r, int node, unsigned int replica, struct attach how);
void replica_close(struct replica *r);
/* Forgets laps and indices, after a queue reset. */
void replica_rewind(struct replica *r);
int replica_reset(struct replica *r);

/* Writes a descriptor with the tag of its lap; nobody sees it before the bell. */
void replica_post(struct replica *r, const struct ocfabric_desc *d);
void replica_ring_by(struct replica *r, uint32_t increment);
void replica_ring(struct replica *r);
/* Writes receive descriptors; arming them is ringing for them, too. */
void replica_rx_post(struct replica *r, unsigned int count);
void replica_rx_ring_by(struct replica *r, uint32_t increment);
void replica_arm(struct replica *r, unsigned int count);
/* What a semaphore was when it was last mirrored */
uint32_t sem_value(const struct replica *r, unsigned int sem);
/* Takes the next completion; false: there is none yet. */
bool replica_poll(struct replica *r, struct ocfabric_cqe *out);
bool replica_wait(struct replica *r, struct ocfabric_cqe *out, unsigned int ms);
/* Posts, rings, waits a second; a verdict or -ETIMEDOUT. */
int replica_do(struct replica *r, const struct ocfabric_desc *d, struct ocfabric_cqe *out);

int queue_get(struct replica *r, struct ocfabric_queue_get *q);
/* Waits until the queue has stopped; its cause, or -ETIMEDOUT. */
int queue_stopped(struct replica *r, struct ocfabric_queue_get *q);

struct ocfabric_desc write_desc(unsigned int qpn, uint64_t raddr, uint32_t len,
				uint32_t key, uint64_t addr);
/* data NULL: zeroes; at most 32 bytes */
struct ocfabric_desc inline_desc(unsigned int qpn, uint64_t raddr, const void *data,
				 uint32_t len);

/* Inline, as above */
struct ocfabric_desc imm_desc(unsigned int qpn, uint64_t raddr, const void *data,
			      uint32_t len, uint32_t imm);
struct ocfabric_desc sem_local_desc(unsigned int sem, uint32_t add);
struct ocfabric_desc sem_remote_desc(unsigned int qpn, unsigned int sem, uint32_t add);
struct ocfabric_desc wait_desc(unsigned int sem, uint32_t target);

/* The handles' doorbells, by the file fd; *refused may be NULL. */
int broadcast(int fd, unsigned int flags, const int *handles, unsigned int count,
	      uint32_t increment, uint32_t *refused);

/* A key for memory; the key's number is nothing an errno can be told from. */
int key_add(int fd, const void *addr, uint64_t length, uint32_t *key);
int key_del(int fd, uint32_t key);
int buffer_add(int fd, uint64_t length, uint32_t *key, void **map);
/* Whether user pages cannot be sources: swiotlb=force. */
bool user_pages_bounce(void);
/*
 * Memory to write from, zeroed: one's own, or, on a host that would copy user pages
 * aside, a buffer.
 */
int source_add(int fd, uint64_t length, uint32_t *key, void **from);

void fill_pattern(void *to, size_t len, uint32_t seed);

/* Pages that are pinned in the whole system, or -errno. */
long pinned_pages(void);
/* The field of /proc/self/status in kB, 0 where it is absent. */
long status_kb(const char *field);

/* A number that is different each time, from a seed that repeats. */
uint32_t next_random(uint64_t *state);

#endif /* OCF_TEST_UTIL_H */
