// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random calls, messages, rings and mappings, from a seed that is printed
 * (OCF_FUZZ_SEED and OCF_FUZZ_OPS change it and how many). Nothing of it may do
 * more than be refused: the kernel's log stays clean, the counters add up, and
 * afterwards the card works.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "child.h"
#include "netlink.h"
#include "util.h"

#define REGION	0x10000u
#define N	3
#define ARENA	(64 * PAGE)

struct fuzz {
	uint64_t random;
	int node;
	struct replica r;
	struct replica peer;	/* what r's writes find */
	struct nl nl;
	uint8_t *arena;		/* what pointers point to */
};

static uint32_t pick(struct fuzz *f, uint32_t below)
{
	return next_random(&f->random) % below;
}

static uint64_t number(struct fuzz *f)
{
	static const uint64_t edges[] = {
		0, 1, 2, 3, 15, 16, 17, 63, 64, 255, 256, 4095, 4096, 0x10000, 0x7fffffff,
		0x80000000, 0xffffffff, 1ull << 32, 1ull << 63, UINT64_MAX, UINT64_MAX - 4095,
	};
	uint64_t value = edges[pick(f, ARRAY_LEN(edges))];

	switch (pick(f, 4)) {
	case 0: return value + pick(f, 3) - 1;
	case 1: return next_random(&f->random);
	default: return value;
	}
}

static uint64_t pointer(struct fuzz *f)
{
	uintptr_t arena = (uintptr_t)f->arena;

	switch (pick(f, 8)) {
	case 0: return 0;
	case 1: return 0xffff888000000000ull;
	case 2: return UINT64_MAX - pick(f, 64);
	case 3: return arena + ARENA - pick(f, 64);
	default: return arena + pick(f, ARENA / 2);
	}
}

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
			words[i] = number(f);
	for (unsigned int i = 0; s->pointers[i]; i++) {
		uint64_t p = pointer(f);

		memcpy((char *)words + s->pointers[i], &p, sizeof(p));
	}
}

static void fuzz_call(struct fuzz *f)
{
	const struct shape *s = &shapes[pick(f, ARRAY_LEN(shapes))];
	uint32_t words[64] = { s->size };

	scramble(f, s, words);
	if (!pick(f, 8))
		words[0] = number(f);
	if (!pick(f, 8))
		words[1] = number(f);
	if (s->nr == 0x91)	/* no more than the arena: the guest is small */
		words[5] = pick(f, 2) ? 0 : words[5];
	call(pick(f, 8) ? (s->nr < 0x90 ? f->node : f->r.fd) : f->r.fd,
	     _IO(OCFABRIC_IOCTL_TYPE, s->nr), words);
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
		s.offset = number(f);
	if (!pick(f, 6))
		s.length = number(f);
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
	unsigned int count = 1 + pick(f, ARRAY_LEN(s)), index;

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
		uint64_t value[4] = { number(f), number(f) };
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
			r.data[20 + pick(f, r.length - 19)] = number(f);
	if (!pick(f, 8))
		r.length -= pick(f, r.length - 20 + 1);
	nl_call(&f->nl, &r, flags, NULL);
}

/* States that may be, of connections that may be there, and what is refused. */
static void fuzz_qp(struct fuzz *f)
{
	uint32_t link = pick(f, 10) ? pick(f, N) : number(f);
	uint32_t qpn = pick(f, 10) ? pick(f, 8) : number(f);
	struct nl_u32 set[4] = { { OCFABRIC_A_QP_STATE, pick(f, 8) } };
	unsigned int count = 1 + pick(f, ARRAY_LEN(set));

	for (unsigned int i = 1; i < count; i++)
		set[i] = (struct nl_u32){ OCFABRIC_A_QP_STATE + pick(f, 10),
					  pick(f, 2) ? pick(f, 32) : number(f) };
	switch (pick(f, 4)) {
	case 0:
		nl_reset_qp(&f->nl, OCFABRIC_RESET_TARGET_QP, link, qpn, NULL);
		break;
	case 1:
		nl_weight(&f->nl, link, number(f), NULL);
		nl_limits(&f->nl, number(f), number(f), NULL);
		break;
	default:
		nl_qp_set(&f->nl, link, qpn, set, count, NULL);
	}
}

static struct ocfabric_desc random_semaphore(struct fuzz *f)
{
	unsigned int sem = pick(f, 66);

	switch (pick(f, 3)) {
	case 0: return sem_local_desc(sem, number(f));
	case 1: return sem_remote_desc(pick(f, 7), sem, number(f));
	default: return wait_desc(sem, pick(f, 4) ? 0x80000001 : number(f));
	}
}

static void fuzz_receive(struct fuzz *f)
{
	struct replica *r = pick(f, 4) ? &f->peer : &f->r;
	uint32_t *words = (uint32_t *)r->rx, count = pick(f, 8);

	replica_rx_post(r, count);
	if (!pick(f, 6))
		words[pick(f, 4 * r->get.out_rx_entries)] = number(f);
	if (!pick(f, 10))
		r->owner->consumer = number(f);
	r->owner->sem_arm = number(f);
	r->owner->sem_target = number(f);
	replica_rx_ring_by(r, pick(f, 20) ? count : number(f));
}

/* Handles of one's own, now and then not, in counts that are right or wrong. */
static void fuzz_broadcast(struct fuzz *f)
{
	int fd[17] = { f->r.fd, f->peer.fd };

	for (unsigned int i = 2 * pick(f, 2); i < ARRAY_LEN(fd); i++)
		fd[i] = pick(f, 2) ? f->r.fd : (int)number(f);
	broadcast(pick(f, 2) ? f->node : f->r.fd, pick(f, 3), fd,
		  pick(f, 2) ? 1 + pick(f, 2) : pick(f, 18), pick(f, 4) ? pick(f, 8) : number(f), NULL);
}

static void fuzz_ring(struct fuzz *f)
{
	uint32_t *words = (uint32_t *)f->r.tx;

	for (unsigned int i = pick(f, 20); i; i--) {
		struct ocfabric_desc d = write_desc(pick(f, 7), 4 * pick(f, 20000), pick(f, 5000),
						    pick(f, 2) ? OCFABRIC_KEY_REGION : pick(f, 200),
						    pick(f, 70000));

		d.opcode = pick(f, 20) ? OCFABRIC_OP_WRITE + pick(f, 2) : number(f);
		if (!pick(f, 4))
			d = random_semaphore(f);
		d.flags = pick(f, 4) ? 0 : number(f);
		d.beats = pick(f, 4) ? 0 : number(f);
		replica_post(&f->r, &d);
	}
	if (!pick(f, 6))
		words[pick(f, 16 * f->r.get.out_tx_entries)] = number(f);
	if (!pick(f, 30))
		f->r.owner->consumer = number(f);
	if (!pick(f, 10))
		f->r.owner->arm = number(f);
	if (pick(f, 10))
		replica_ring(&f->r);
	else
		replica_ring_by(&f->r, number(f));
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

static void fuzz_map(struct fuzz *f)
{
	const struct ocfabric_map *maps = &f->r.get.out_map_tx;
	const struct ocfabric_map *m = &maps[pick(f, 8)];
	uint64_t offset = pick(f, 2) ? m->offset + PAGE * pick(f, 20) : number(f) & ~(PAGE - 1);
	size_t length = PAGE * (1 + pick(f, 20));
	char *p = mmap(NULL, length, pick(f, 8), pick(f, 4) ? MAP_SHARED : MAP_PRIVATE,
		       pick(f, 8) ? f->r.fd : f->node, offset);

	if (p == MAP_FAILED)
		return;
	touch_read(p + pick(f, length) / 4 * 4);
	mprotect(p, length, pick(f, 8));
	munmap(p, PAGE * (1 + pick(f, length / PAGE)));
	munmap(p, length);
}

static void fuzz_io(struct fuzz *f)
{
	struct iovec v[3];
	off_t at = pick(f, 2) ? pick(f, 2 * REGION) : (off_t)number(f);

	for (unsigned int i = 0; i < 3; i++)
		v[i] = (struct iovec){ (void *)(uintptr_t)pointer(f), pick(f, 3 * PAGE) };
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
		key_add(f->r.fd, f->arena + pick(f, PAGE), pick(f, ARENA - PAGE), &key);
	else if (!buffer_add(f->r.fd, length, &key, &map))
		munmap(map, length);
	key_del(f->r.fd, pick(f, 2) ? pick(f, 1000) : key);
}

static void fuzz_attach(struct fuzz *f)
{
	struct attach how = { .tx_entries = pick(f, 2) ? 16u << pick(f, 6) : number(f),
			      .cq_entries = pick(f, 2) ? 16u << pick(f, 6) : number(f),
			      .rx_entries = pick(f, 2) ? 16u << pick(f, 6) : number(f),
			      .flags = pick(f, 4) ? pick(f, 2) : number(f) };
	int fd = attach_fd(f->node, pick(f, 20), how);

	if (fd >= 0)
		close(fd);
}

/* So that there is something to write to, until the next change. */
static void fuzz_restore(struct fuzz *f)
{
	fabric_setup(f->node, N, REGION);
	CHANGE(f->node, step_semaphores(OCFABRIC_CHANGE_WINDOW_ADD, 0, 1, 0, 60));
}

static void (*const ops[])(struct fuzz *) = {
	fuzz_call, fuzz_call, fuzz_change, fuzz_change, fuzz_netlink, fuzz_netlink, fuzz_qp,
	fuzz_ring, fuzz_ring, fuzz_ring, fuzz_receive, fuzz_receive, fuzz_broadcast,
	fuzz_take, fuzz_map, fuzz_io, fuzz_key, fuzz_attach, fuzz_restore,
};

/* A reset of the device is among what can happen; then everything starts over. */
static int revive(struct fuzz *f)
{
	if (f->r.fd >= 0 && !call(f->r.fd, OCFABRIC_INFO, ARG(ocfabric_info)))
		return 0;
	replica_close(&f->r);
	replica_close(&f->peer);
	if (!pick(f, 2))
		fabric_setup(f->node, N, REGION);
	return replica_open(&f->r, f->node, 0, (struct attach){ .tx_entries = 64 }) ?:
	       replica_open(&f->peer, f->node, 1, (struct attach){ .tx_entries = 32 });
}

static unsigned long setting(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

FIXTURE(fuzz) {
	struct fuzz f;
};

FIXTURE_SETUP(fuzz)
{
	self->f = (struct fuzz){ .random = setting("OCF_FUZZ_SEED", 20261130), .r.fd = -1,
			       .peer.fd = -1 };
	self->f.node = node_open(O_RDWR);
	ASSERT_GE(self->f.node, 0);
	ASSERT_EQ(0, fabric_setup(self->f.node, N, REGION));
	ASSERT_EQ(0, nl_open(&self->f.nl));
	/* what the kernel stores behind the arena must not be the test's own */
	self->f.arena = mmap(NULL, 2 * ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->f.arena);
	ASSERT_EQ(0, mprotect(self->f.arena, ARENA, PROT_READ | PROT_WRITE));
}

FIXTURE_TEARDOWN(fuzz)
{
	replica_close(&self->f.r);
	replica_close(&self->f.peer);
	nl_close(&self->f.nl);
	close(self->f.node);
}

TEST_F(fuzz, nothing_but_refusals)
{
	struct fuzz *f = &self->f;
	unsigned long count = setting("OCF_FUZZ_OPS", is_debug_kernel() ? 5000 : 20000), i;
	struct ocfabric_desc d = inline_desc(0, 0, "alive", 5);
	uint64_t start = now_ms();
	long pinned = pinned_pages();
	struct counters c;

	printf("# seed %llu, %lu operations\n", (unsigned long long)f->random, count);
	for (i = 0; i < count; i++) {
		ASSERT_EQ(0, revive(f))
			TH_LOG("operation %lu", i);
		ops[pick(f, ARRAY_LEN(ops))](f);
	}
	printf("# took %llu ms\n", (unsigned long long)(now_ms() - start));

	ASSERT_EQ(0, revive(f));
	ASSERT_EQ(0, fabric_setup(f->node, N, REGION));
	ASSERT_EQ(0, nl_recover_qps(&f->nl, N));
	ASSERT_EQ(0, nl_limits(&f->nl, OCFABRIC_STALL_LIMIT, OCFABRIC_STORM_LIMIT, NULL));
	for (unsigned int link = 0; link < N; link++)
		ASSERT_EQ(0, nl_weight(&f->nl, link, 1, NULL));
	ASSERT_EQ(0, replica_reset(&f->r));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&f->r, &d, NULL));
	ASSERT_EQ(0, counters_read(f->node, &c));
	EXPECT_TRUE(counters_conserved(&c));
	replica_close(&f->r);
	replica_close(&f->peer);
	EXPECT_TRUE(WAIT_FOR(pinned == pinned_pages(), patience(1000)));
}

TEST_HARNESS_MAIN
