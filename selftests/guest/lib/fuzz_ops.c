// SPDX-License-Identifier: GPL-2.0-only
/* What the driver itself offers: calls, messages, rings, mappings, events */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "child.h"
#include "fuzz.h"

/*
 * Where a structure has pointers: random bits there would be stores of the
 * kernel into the test itself.
 */
static const struct shape {
	unsigned int nr;
	unsigned int size;
	unsigned int pointers[4];
} shapes[] = {
	{ 0x80, sizeof(struct ocfabric_info), {} },
	{ 0x82, sizeof(struct ocfabric_config_get), { 8, 16, 24 } },
	{ 0x83, sizeof(struct ocfabric_config_change), { 8 } },
	{ 0x84, sizeof(struct ocfabric_counters_get), { 8 } },
	{ 0x85, sizeof(struct ocfabric_drain), {} },
	{ 0x86, sizeof(struct ocfabric_reset), {} },
	{ 0x90, sizeof(struct ocfabric_replica_get), {} },
	{ 0x91, sizeof(struct ocfabric_key_add), { 8 } },
	{ 0x92, sizeof(struct ocfabric_buffer_add), {} },
	{ 0x93, sizeof(struct ocfabric_key_del), {} },
	{ 0x95, sizeof(struct ocfabric_queue_get), {} },
	{ 0x96, sizeof(struct ocfabric_queue_reset), {} },
	{ 0x97, sizeof(struct ocfabric_rejects_get), { 8 } },
	{ 0x98, sizeof(struct ocfabric_moderation), {} },
	{ 0x99, sizeof(struct ocfabric_broadcast), { 8 } },
};

static void scramble(struct fuzz *f, const struct shape *s, uint32_t *words)
{
	for (unsigned int i = 2; i < s->size / 4; i++)
		if (pick(f, 2))
			words[i] = pick_number(f);
	for (unsigned int i = 0; s->pointers[i]; i++) {
		uint64_t p = pick_pointer(f);

		memcpy((char *)words + s->pointers[i], &p, sizeof(p));
	}
}

/*
 * A page that all threads write their structures to: what one of them is being
 * read from changes under the reader.
 */
static uint32_t common[1024] __attribute__((aligned(4096)));

/* No more memory than the arena, unless it is absurd: the guest is small. */
static void bound(const struct shape *s, uint32_t *words)
{
	uint32_t *length = s->nr == 0x91 ? &words[4] : &words[2];

	if ((s->nr == 0x91 || s->nr == 0x92) && !length[1])
		length[0] %= FUZZ_ARENA;
}

static void fuzz_call(struct fuzz *f)
{
	const struct shape *s = &shapes[pick(f, ARRAY_LEN(shapes))];
	int fd = pick(f, 8) && s->nr < 0x90 ? f->node : f->r.fd;
	uint32_t words[64] = { s->size }, *args = words;

	scramble(f, s, words);
	if (!pick(f, 8))
		words[0] = pick_number(f);
	if (!pick(f, 8))
		words[1] = pick_number(f);
	bound(s, words);
	switch (pick(f, 4)) {
	case 0:
		args = common;
		memcpy(args, words, sizeof(words));
		break;
	case 1:
		memcpy(f->arena, words, sizeof(words));
		if (have_call32())
			call32(54, fd, _IO(OCFABRIC_IOCTL_TYPE, s->nr),
			       (uintptr_t)f->arena, 0, 0);
		return;
	default:
		break;
	}
	call(fd, _IO(OCFABRIC_IOCTL_TYPE, s->nr), args);
}

/* Calls that are none, of our type and of others. */
static void fuzz_number(struct fuzz *f)
{
	unsigned long nr = pick(f, 2) ? (unsigned long)_IO(OCFABRIC_IOCTL_TYPE, pick(f, 256)) :
					pick_number(f);

	if (nr == OCFABRIC_ATTACH || nr == OCFABRIC_BUFFER_ADD)
		return;
	call(pick(f, 2) ? f->node : f->r.fd, nr, f->arena + FUZZ_ARENA - pick(f, 200));
}

static void fuzz_eventfd(struct fuzz *f)
{
	struct ocfabric_eventfd e = NEW(ocfabric_eventfd);
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	e.fd = pick(f, 4) ? fd : (int)pick_number(f);
	call(f->r.fd, OCFABRIC_EVENTFD, &e);
	if (!f->rival)
		replica_arm(&f->r, pick(f, 20));
	close(fd);	/* the handle may be the last that has it */
}

/* What most of a change refers to must be there for it to go through. */
static void fuzz_shape_change(struct fuzz *f)
{
	struct ocfabric_drain d = NEW(ocfabric_drain, .op = pick(f, 4));
	struct ocfabric_reset r = NEW(ocfabric_reset, .what = 1 + pick(f, 3),
				      .link = pick(f, FUZZ_REPLICAS + 1));

	if (pick(f, 2))
		call(f->node, OCFABRIC_DRAIN, &d);
	/* of the whole device now and then: handles die with it */
	if (r.what != OCFABRIC_RESET_DEVICE || !pick(f, 8))
		call(f->node, OCFABRIC_RESET, &r);
	fabric_setup(f->node, 1 + pick(f, FUZZ_REPLICAS), FUZZ_REGION);
}

static struct ocfabric_change random_step(struct fuzz *f)
{
	struct ocfabric_change s = {
		.op = pick(f, 16), .src = pick(f, 5), .dst = pick(f, 5), .qpn = pick(f, 260),
		.value = pick(f, 20), .offset = 64 * pick(f, 2048), .length = 64 * pick(f, 2048),
	};

	if (!pick(f, 4)) {
		s.sem_first = pick(f, 70);
		s.sem_count = pick(f, 70);
	}
	if (!pick(f, 6))
		s.offset = pick_number(f);
	if (!pick(f, 6))
		s.length = pick_number(f);
	/* a step that uses a few of its fields is the one that may be taken */
	switch (s.op) {
	case OCFABRIC_CHANGE_REGION:
		s.dst = s.qpn = s.value = 0;
		break;
	case OCFABRIC_CHANGE_CONNECTION:
		s.value = s.offset = s.length = 0;
		break;
	case OCFABRIC_CHANGE_WINDOW_ADD:
	case OCFABRIC_CHANGE_WINDOW_DEL:
		s.qpn = s.value = 0;
		break;
	case OCFABRIC_CHANGE_FAULT_RESP:
	case OCFABRIC_CHANGE_FAULT_DELAY:
		s.src = s.qpn = s.length = 0;
		break;
	default:
		s.src = s.dst = s.qpn = s.offset = s.length = 0;
	}
	return s;
}

static void fuzz_change(struct fuzz *f)
{
	struct ocfabric_change s[8];
	unsigned int count = 1 + pick(f, pick(f, 2) ? 1 : ARRAY_LEN(s)), index;

	for (unsigned int i = 0; i < count; i++)
		s[i] = random_step(f);
	if (pick(f, 2))
		change_steps(f->node, pick(f, 2), s, count, NULL);
	else
		nl_change(&f->nl, pick(f, 2), s, count, NULL, &index);
}

static void random_attributes(struct fuzz *f, struct nl_request *r, unsigned int depth)
{
	for (unsigned int i = pick(f, 6); i; i--) {
		uint64_t value[4] = { pick_number(f), pick_number(f) };
		uint16_t type = pick(f, 14);

		if (depth && !pick(f, 3)) {
			size_t at = nl_nest(r, type);

			random_attributes(f, r, depth - 1);
			nl_nest_end(r, at);
		} else {
			nl_put(r, type | (pick(f, 20) ? 0 : 0x8000), value,
			       pick(f, 4) ? 4 : pick(f, 33));
		}
	}
}

static void fuzz_netlink(struct fuzz *f)
{
	uint16_t flags = pick(f, 2) ? NLM_F_DUMP : 0;
	struct nl_request r;

	nl_begin(&r, &f->nl, pick(f, OCFABRIC_CMD_MAX + 3));
	if (pick(f, 4))
		nl_put_u32(&r, 1, node_number());
	random_attributes(f, &r, 2);
	if (!pick(f, 4))	/* scribble behind the header */
		for (unsigned int i = 0; i < 4; i++)
			r.data[20 + pick(f, r.length - 19)] = pick_number(f);
	if (!pick(f, 8))
		r.length -= pick(f, r.length - 20 + 1);
	nl_call(&f->nl, &r, flags, NULL);
}

/* States that may be, of connections that may be there, and what is refused. */
static void fuzz_qp(struct fuzz *f)
{
	uint32_t link = pick(f, 10) ? pick(f, FUZZ_REPLICAS) : pick_number(f);
	uint32_t qpn = pick(f, 10) ? pick(f, 8) : pick_number(f);
	struct nl_u32 set[4] = { { OCFABRIC_A_QP_STATE, pick(f, 8) } };
	unsigned int count = 1 + pick(f, ARRAY_LEN(set));

	for (unsigned int i = 1; i < count; i++)
		set[i] = (struct nl_u32){ OCFABRIC_A_QP_STATE + pick(f, 10),
					  pick(f, 2) ? pick(f, 32) : pick_number(f) };
	switch (pick(f, 4)) {
	case 0:
		nl_reset_qp(&f->nl, OCFABRIC_RESET_TARGET_QP, link, qpn, NULL);
		break;
	case 1:
		nl_weight(&f->nl, link, pick_number(f), NULL);
		nl_limits(&f->nl, pick_number(f), pick_number(f), NULL);
		break;
	default:
		nl_qp_set(&f->nl, link, qpn, set, count, NULL);
	}
}

static struct ocfabric_desc random_semaphore(struct fuzz *f)
{
	unsigned int sem = pick(f, 66);

	switch (pick(f, 3)) {
	case 0: return sem_local_desc(sem, pick_number(f));
	case 1: return sem_remote_desc(pick(f, 7), sem, pick_number(f));
	default: return wait_desc(sem, pick(f, 4) ? 0x80000001 : pick_number(f));
	}
}

static void fuzz_receive(struct fuzz *f)
{
	struct replica *r = pick(f, 4) ? &f->peer : &f->r;
	uint32_t *words = (uint32_t *)r->rx, count = pick(f, 8);

	replica_rx_post(r, count);
	if (!pick(f, 6))
		words[pick(f, 4 * r->get.out_rx_entries)] = pick_number(f);
	if (!pick(f, 10))
		r->owner->consumer = pick_number(f);
	r->owner->sem_arm = pick_number(f);
	r->owner->sem_target = pick_number(f);
	replica_rx_ring_by(r, pick(f, 20) ? count : pick_number(f));
}

/* Handles of one's own, now and then not, in counts that are right or wrong. */
static void fuzz_broadcast(struct fuzz *f)
{
	int fd[17] = { f->r.fd, f->peer.fd };

	for (unsigned int i = 2 * pick(f, 2); i < ARRAY_LEN(fd); i++)
		fd[i] = pick(f, 2) ? f->r.fd : (int)pick_number(f);
	broadcast(pick(f, 2) ? f->node : f->r.fd, pick(f, 3), fd,
		  pick(f, 2) ? 1 + pick(f, 2) : pick(f, 18), pick(f, 4) ? pick(f, 8) : pick_number(f), NULL);
}

static void fuzz_ring(struct fuzz *f)
{
	uint32_t *words = (uint32_t *)f->r.tx;

	for (unsigned int i = pick(f, 20); i; i--) {
		struct ocfabric_desc d = write_desc(pick(f, 7), 4 * pick(f, 20000), pick(f, 5000),
						    pick(f, 2) ? OCFABRIC_KEY_REGION : pick(f, 200),
						    pick(f, 70000));

		d.opcode = pick(f, 20) ? OCFABRIC_OP_WRITE + pick(f, 2) : pick_number(f);
		if (!pick(f, 4))
			d = random_semaphore(f);
		d.flags = pick(f, 4) ? 0 : pick_number(f);
		d.beats = pick(f, 4) ? 0 : pick_number(f);
		replica_post(&f->r, &d);
	}
	if (!pick(f, 6))
		words[pick(f, 16 * f->r.get.out_tx_entries)] = pick_number(f);
	if (!pick(f, 30))
		f->r.owner->consumer = pick_number(f);
	if (!pick(f, 10))
		f->r.owner->arm = pick_number(f);
	if (pick(f, 10))
		replica_ring(&f->r);
	else
		replica_ring_by(&f->r, pick_number(f));
}

/* Takes what there is, and starts a stopped queue anew. */
static void take(struct replica *r)
{
	struct ocfabric_queue_get q;
	struct ocfabric_cqe e;

	while (replica_poll(r, &e))
		;
	if (!queue_get(r, &q) && (q.out_state != OCFABRIC_QUEUE_ENABLED || q.out_waiting))
		replica_reset(r);
}

static void fuzz_take(struct fuzz *f)
{
	take(&f->r);
	take(&f->peer);
}

static void fuzz_io(struct fuzz *f)
{
	struct iovec v[3];
	off_t at = pick(f, 2) ? pick(f, 2 * FUZZ_REGION) : (off_t)pick_number(f);

	for (unsigned int i = 0; i < 3; i++)
		v[i] = (struct iovec){ (void *)(uintptr_t)pick_pointer(f), pick(f, 3 * PAGE) };
	if (pick(f, 2))
		(void)!preadv(f->r.fd, v, 3, at);
	else
		(void)!pwritev(f->r.fd, v, 3, at);
}

static void fuzz_key(struct fuzz *f)
{
	size_t length = 1 + pick(f, 8 * PAGE);
	uint32_t key = 0;
	void *map;

	if (pick(f, 2))
		key_add(f->r.fd, f->arena + pick(f, PAGE), pick(f, FUZZ_ARENA - PAGE), &key);
	else if (!buffer_add(f->r.fd, length, &key, &map))
		munmap(map, length);
	key_del(f->r.fd, pick(f, 2) ? pick(f, 1000) : key);
}

static void fuzz_attach(struct fuzz *f)
{
	struct attach how = { .tx_entries = pick(f, 2) ? 16u << pick(f, 6) : pick_number(f),
			      .cq_entries = pick(f, 2) ? 16u << pick(f, 6) : pick_number(f),
			      .rx_entries = pick(f, 2) ? 16u << pick(f, 6) : pick_number(f),
			      .flags = pick(f, 4) ? pick(f, 2) : pick_number(f) };
	int fd = attach_fd(f->node, pick(f, 20), how);

	if (fd >= 0)
		close(fd);
}

/* So that there is something to write to, until the next change. */
static void fuzz_restore(struct fuzz *f)
{
	fabric_setup(f->node, FUZZ_REPLICAS, FUZZ_REGION);
	CHANGE(f->node, step_semaphores(OCFABRIC_CHANGE_WINDOW_ADD, 0, 1, 0, 60));
}

/* Names, types and answers that fit, so that what is behind them is reached. */
static void fuzz_query(struct fuzz *f)
{
	static const uint8_t queries[] = {
		OCFABRIC_CMD_DEVICE_GET, OCFABRIC_CMD_CONFIG_GET, OCFABRIC_CMD_REGION_GET,
		OCFABRIC_CMD_CONNECTION_GET, OCFABRIC_CMD_WINDOW_GET, OCFABRIC_CMD_COUNTERS_GET,
		OCFABRIC_CMD_REPLICA_GET, OCFABRIC_CMD_REJECT_GET, OCFABRIC_CMD_SEMAPHORE_GET,
		OCFABRIC_CMD_STAGE_GET, OCFABRIC_CMD_QP_GET, OCFABRIC_CMD_RING_GET,
	};
	struct nl_request r;

	nl_begin(&r, &f->nl, queries[pick(f, ARRAY_LEN(queries))]);
	nl_put_u32(&r, 1, pick(f, 8) ? node_number() : pick_number(f));
	for (unsigned int i = pick(f, 4) ? 0 : pick(f, 3); i; i--)
		nl_put_u32(&r, 2 + pick(f, 4), pick(f, 4) ? pick(f, 6) : pick_number(f));
	nl_call(&f->nl, &r, pick(f, 2) ? NLM_F_DUMP : 0, NULL);
}

/* All that can be read, as those read it who mean it. */
static void fuzz_read(struct fuzz *f)
{
	struct config *config = malloc(sizeof(*config));
	struct counters counters;
	uint32_t values[OCFABRIC_SEMAPHORES];
	struct ocfabric_rejects_get rejects = NEW(ocfabric_rejects_get,
						  .rejects = (uintptr_t)f->arena,
						  .count = 1 + pick(f, 70));
	struct nl_qp qp;

	config_read(f->node, config);
	counters_read(f->node, &counters);
	call(f->r.fd, OCFABRIC_REJECTS_GET, &rejects);
	nl_simple(&f->nl, OCFABRIC_CMD_COUNTERS_GET, NLM_F_DUMP, NULL);
	nl_simple(&f->nl, OCFABRIC_CMD_CONFIG_GET, 0, NULL);
	if (pick(f, 2))
		nl_semaphores(&f->nl, pick(f, FUZZ_REPLICAS), values);
	if (pick(f, 2))
		nl_qp_get(&f->nl, pick(f, FUZZ_REPLICAS), pick(f, 8), &qp);
	free(config);
}

/* Of operators: drains and resets of all kinds */
static void fuzz_operator(struct fuzz *f)
{
	uint32_t link = pick(f, 2) ? pick(f, FUZZ_REPLICAS) : ~0u;
	uint32_t target = pick(f, 8);

	switch (pick(f, 4)) {
	case 0:
		nl_simple(&f->nl, OCFABRIC_CMD_DRAIN, 0, NULL);
		break;
	case 1:
		nl_simple(&f->nl, OCFABRIC_CMD_RESUME, 0, NULL);
		break;
	case 2:	/* handles die with a reset of the device: now and then */
		if (target != OCFABRIC_RESET_TARGET_DEVICE || !pick(f, 8))
			nl_reset_link(&f->nl, target, link, NULL);
		break;
	default:
		nl_weight(&f->nl, pick(f, FUZZ_REPLICAS), 1 + pick(f, 20), NULL);
		nl_limits(&f->nl, 1 + pick(f, 2000), 1 + pick(f, 2000), NULL);
	}
}

static void fuzz_moderation(struct fuzz *f)
{
	nl_moderation(&f->nl, pick(f, FUZZ_REPLICAS + 1),
		      pick(f, 2) ? pick(f, 40) : pick_number(f),
		      pick(f, 2) ? pick(f, 10000) : pick_number(f), pick(f, 4), NULL);
}

/* Opens and closes while others are inside. */
static void fuzz_open(struct fuzz *f)
{
	int fd = node_open(pick(f, 2) ? O_RDWR : (int)pick(f, 4) | O_NONBLOCK);

	if (fd < 0)
		return;
	call(fd, OCFABRIC_INFO, ARG(ocfabric_info));
	call(fd, OCFABRIC_DRAIN, ARG(ocfabric_drain, .op = 2));
	close(fd);
}

static void (*const ops[])(struct fuzz *f) = {
	fuzz_call, fuzz_call, fuzz_call, fuzz_change, fuzz_change, fuzz_netlink, fuzz_netlink,
	fuzz_query, fuzz_qp, fuzz_moderation, fuzz_broadcast, fuzz_io, fuzz_key, fuzz_attach,
	fuzz_restore, fuzz_number, fuzz_eventfd, fuzz_shape_change, fuzz_open, fuzz_read,
	fuzz_operator,
};

/* These use the mappings of r and peer. */
static void (*const ring_ops[])(struct fuzz *f) = {
	fuzz_ring, fuzz_ring, fuzz_ring, fuzz_receive, fuzz_receive, fuzz_take,
};

static __thread sigjmp_buf escape;
static __thread volatile bool guarded;

static void on_fault(int nr)
{
	if (guarded)
		siglongjmp(escape, 1);
	signal(nr, SIG_DFL);	/* the test's own: it comes again, and ends it */
}

void guard_install(void)
{
	const struct sigaction catch = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };

	sigaction(SIGSEGV, &catch, NULL);
	sigaction(SIGBUS, &catch, NULL);
}

bool guard_run(void (*fn)(struct fuzz *f), struct fuzz *f)
{
	bool whole = true;

	if (sigsetjmp(escape, 0)) {
		whole = false;
	} else {
		guarded = true;
		fn(f);
	}
	guarded = false;
	return whole;
}

bool fuzz_operation(struct fuzz *f)
{
	unsigned int i = pick(f, ARRAY_LEN(ops) + ARRAY_LEN(ring_ops) + fuzz_file_op_count);

	if (i < ARRAY_LEN(ops))
		return guard_run(ops[i], f);
	i -= ARRAY_LEN(ops);
	if (i < ARRAY_LEN(ring_ops))
		return guard_run(f->rival ? fuzz_call : ring_ops[i], f);
	return guard_run(fuzz_file_ops[i - ARRAY_LEN(ring_ops)], f);
}
