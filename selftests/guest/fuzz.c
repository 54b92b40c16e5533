// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls, messages, rings, mappings and files as inputs say, nothing of which may do
 * more than be refused: the kernel's log stays clean, the counters add up, and
 * afterwards the card works.
 *
 * First the inputs that are kept (selftests/guest/corpus/fuzz), then what is made of
 * them: where the kernel has KCOV, those that come by places of the driver where
 * none was before are kept, too. Then two threads at once on the same handles and
 * mappings, while the card is unbound now and then.
 *
 * OCF_FUZZ_SEED, OCF_FUZZ_INPUTS (made, and for two threads) change it; OCF_FUZZ_TIME
 * instead of a number: seconds for all; OCF_FUZZ_KEEP names a file for the inputs
 * that count; OCF_FUZZ_UNREACHED=1 prints the functions that were not all gone
 * through.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "bus.h"
#include "child.h"
#include "fuzz.h"
#include "kcov.h"

#define CORPUS		"selftests/guest/corpus/fuzz"
#define STAGE_AT	((void *)0x10000000000ull)	/* where nothing else is put */
#define TRACE_POINTS	"/sys/kernel/tracing/events/ocfabric/enable"
#define OPERATIONS_MAX	64				/* of one input */
#define UNBIND_EVERY	32				/* inputs */

static unsigned long setting(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

/* What both threads use of what the main one holds. */
static struct {
	pthread_mutex_t lock;
	int node;
	struct replica r;
	struct replica peer;
} held = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct coverage coverage;

static int fuzz_begin(struct fuzz *f)
{
	int ret;

	*f = (struct fuzz){ .node = -1, .r.fd = -1, .peer.fd = -1, .stage = STAGE_AT };
	/* what the kernel stores behind the arena must not be the test's own */
	f->arena = mmap(NULL, 2 * FUZZ_ARENA, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (f->arena == MAP_FAILED ||
	    mprotect(f->arena, FUZZ_ARENA, PROT_READ | PROT_WRITE))
		return -errno;
	ret = nl_open(&f->nl);
	return ret;
}

static void fuzz_end(struct fuzz *f)
{
	nl_close(&f->nl);
	munmap(f->arena, 2 * FUZZ_ARENA);
}

static void publish(const struct fuzz *f)
{
	pthread_mutex_lock(&held.lock);
	held.node = f->node;
	held.r = f->r;
	held.peer = f->peer;
	pthread_mutex_unlock(&held.lock);
}

/* A node that was held when its card was unbound has left its number to itself. */
static int find_node(void)
{
	char path[160];

	for (unsigned int i = 0; i < 64; i++) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/misc/ocfabric%u/dev",
			 bus_address(), i);
		if (access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "/dev/ocfabric%u", i);
		setenv("OCF_NODE", path, 1);
		return open(path, O_RDWR | O_CLOEXEC);
	}
	return -ENODEV;
}

static bool works(int fd)
{
	return fd >= 0 && !call(fd, OCFABRIC_INFO, ARG(ocfabric_info));
}

/*
 * A socket that was sent through itself is found, with the handles that are in flight
 * with it, only when another one closes; a handle's memory stays pinned until then.
 */
static void collect_sockets(void)
{
	int sv[2];

	if (socket_pair(sv))
		return;
	close(sv[0]);
	close(sv[1]);
}

static void let_go(struct fuzz *f)
{
	replica_close(&f->r);
	replica_close(&f->peer);
	collect_sockets();
}

/* The other thread may be somebody just then, or have made the card another. */
static int attach_both(struct fuzz *f)
{
	let_go(f);
	fabric_setup(f->node, FUZZ_REPLICAS, FUZZ_REGION);
	return replica_open(&f->r, f->node, 0, (struct attach){ .tx_entries = 64 }) ?:
	       replica_open(&f->peer, f->node, 1, (struct attach){ .tx_entries = 32 });
}

/* A reset and a removal are among what can happen; then everything starts over. */
static int revive(struct fuzz *f)
{
	int ret;

	if (works(f->r.fd) && works(f->peer.fd))
		return 0;
	if (!works(f->node)) {
		let_go(f);
		close(f->node);
		f->node = -1;
		if (!WAIT_FOR((f->node = find_node()) >= 0, patience(1000)))
			return -ENODEV;
	}
	if (!WAIT_FOR(!(ret = attach_both(f)), patience(1000)))
		return ret;
	publish(f);
	return 0;
}

struct run {
	unsigned long inputs;
	unsigned long operations;
};

/* How many new places it came by; -errno: the card did not come back. */
static int run_input(struct fuzz *f, struct kcov *k, const struct input *i, struct run *run)
{
	unsigned int gained = 0;
	int ret = 0;

	f->next = i->data;
	f->left = i->length;
	run->inputs++;
	for (unsigned int n = 0; f->left && n < OPERATIONS_MAX && !ret; n++) {
		ret = revive(f);
		fuzz_operation(f);
		gained += kcov_take(k, &coverage);
		run->operations++;
	}
	return ret ?: (int)gained;
}

/* ---- two at once ---- */

struct rival {
	pthread_t thread;
	const struct corpus *corpus;
	uint64_t random;
	bool stop;
	int ret;
	struct run run;
};

static void *rival_run(void *arg)
{
	struct rival *v = arg;
	struct kcov kcov;
	struct input i;
	struct fuzz f;

	v->ret = fuzz_begin(&f);
	if (v->ret)
		return NULL;
	f.rival = true;
	kcov_start(&kcov);
	while (!__atomic_load_n(&v->stop, __ATOMIC_RELAXED)) {
		input_make(&i, v->corpus, &v->random);
		f.next = i.data;
		f.left = i.length;
		for (unsigned int n = 0; f.left && n < OPERATIONS_MAX; n++) {
			pthread_mutex_lock(&held.lock);
			f.node = held.node;
			f.r = held.r;
			f.peer = held.peer;
			pthread_mutex_unlock(&held.lock);
			fuzz_operation(&f);
			kcov_take(&kcov, &coverage);
			v->run.operations++;
		}
		v->run.inputs++;
	}
	kcov_stop(&kcov);
	fuzz_end(&f);
	return NULL;
}

static int rebind(void)
{
	int ret = bus_unbind();

	return ret ?: bus_bind();
}

/* ---- the test ---- */

FIXTURE(fuzz) {
	struct fuzz f;
	struct kcov kcov;
	struct corpus corpus;
	uint64_t random;
	struct run run;
	bool guided;
};

FIXTURE_SETUP(fuzz)
{
	self->random = setting("OCF_FUZZ_SEED", 20261130);
	guard_install();
	have_call32();
	ASSERT_NE(MAP_FAILED, mmap(STAGE_AT, FUZZ_STAGE, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
	ASSERT_EQ(0, bus_find());
	/* so that later only its value changes, under another thread's eyes */
	setenv("OCF_NODE", node_path(), 1);
	ASSERT_EQ(0, fuzz_begin(&self->f));
	self->f.node = node_open(O_RDWR);
	ASSERT_GE(self->f.node, 0);
	ASSERT_EQ(0, corpus_load(&self->corpus, CORPUS));
	/* trace points take what they are given apart */
	write_file(TRACE_POINTS, "1");
	self->guided = !kcov_start(&self->kcov) && !coverage_open(&coverage);
}

FIXTURE_TEARDOWN(fuzz)
{
	kcov_stop(&self->kcov);
	coverage_close(&coverage);
	corpus_free(&self->corpus);
	let_go(&self->f);
	fuzz_end(&self->f);
	close(self->f.node);
	write_file(TRACE_POINTS, "0");
	/* numbers that were left to those who held them are free again */
	rebind();
}

/* Until a number of inputs, or the time that is given to this part. */
static bool more(unsigned long done, unsigned long count, uint64_t end)
{
	return end ? now_ms() < end : done < count;
}

static uint64_t part_of_time(unsigned int percent)
{
	unsigned long seconds = setting("OCF_FUZZ_TIME", 0);

	return seconds ? now_ms() + 10ull * seconds * percent : 0;
}

/* In the words of selftests/soak, which adds them up */
static void print_run(const struct run *run, const char *how)
{
	printf("# soak: %lu inputs of a fuzzer %s\n", run->inputs, how);
	printf("# soak: %lu operations of a fuzzer %s\n", run->operations, how);
}

/* Afterwards the card does what it is for. */
static void expect_alive(struct __test_metadata *_metadata, struct fuzz *f)
{
	struct ocfabric_desc d = inline_desc(0, 0, "alive", 5);
	struct counters c;

	ASSERT_EQ(0, revive(f));
	ASSERT_EQ(0, fabric_setup(f->node, FUZZ_REPLICAS, FUZZ_REGION));
	ASSERT_EQ(0, nl_recover_qps(&f->nl, FUZZ_REPLICAS));
	ASSERT_EQ(0, nl_limits(&f->nl, OCFABRIC_STALL_LIMIT, OCFABRIC_STORM_LIMIT, NULL));
	for (unsigned int link = 0; link < FUZZ_REPLICAS; link++)
		ASSERT_EQ(0, nl_weight(&f->nl, link, 1, NULL));
	ASSERT_EQ(0, replica_reset(&f->r));
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED, replica_do(&f->r, &d, NULL));
	ASSERT_EQ(0, counters_read(f->node, &c));
	EXPECT_TRUE(counters_conserved(&c));
}

/* It goes on for as long as it is told; selftests/lib/tap-run knows an end. */
#define A_DAY	86400

TEST_F_TIMEOUT(fuzz, nothing_but_refusals, A_DAY)
{
	unsigned long count = setting("OCF_FUZZ_INPUTS", is_debug_kernel() ? 30 : 100), i;
	struct fuzz *f = &self->f;
	struct corpus kept = {};
	unsigned int of_corpus;
	struct input input;
	const char *keep = getenv("OCF_FUZZ_KEEP");
	uint64_t end;
	int gained;

	printf("# seed %llu, %u inputs kept\n", (unsigned long long)self->random,
	       self->corpus.count);
	for (i = 0; i < self->corpus.count; i++) {
		gained = run_input(f, &self->kcov, &self->corpus.input[i], &self->run);
		ASSERT_GE(gained, 0) TH_LOG("input %lu of the corpus", i);
		if (gained)
			corpus_add(&kept, &self->corpus.input[i]);
	}
	of_corpus = coverage.reached;
	end = part_of_time(60);
	for (i = 0; more(i, count, end); i++) {
		input_make(&input, self->guided ? &kept : &self->corpus, &self->random);
		gained = run_input(f, &self->kcov, &input, &self->run);
		ASSERT_GE(gained, 0) TH_LOG("input %lu that was made", i);
		if (gained)
			corpus_add(&kept, &input);
	}
	print_run(&self->run, "alone");
	printf("# places of the driver reached: %u by the corpus, %u by all, of %u\n", of_corpus,
	       coverage.reached, coverage.places);
	if (keep)
		EXPECT_EQ(0, corpus_save(&kept, keep));
	if (setting("OCF_FUZZ_UNREACHED", 0))
		coverage_print_unreached(&coverage);
	/* a fuzzer that all is refused to looks as clean as one that finds nothing */
	if (self->guided)
		EXPECT_GT(coverage.reached, 2 * coverage.places / 5);
	corpus_free(&kept);
	expect_alive(_metadata, f);
}

TEST_F_TIMEOUT(fuzz, two_at_once, A_DAY)
{
	unsigned long count = setting("OCF_FUZZ_INPUTS", is_debug_kernel() ? 30 : 100), i;
	struct rival v = { .corpus = &self->corpus, .random = self->random + 1 };
	long pinned = pinned_pages();
	struct fuzz *f = &self->f;
	unsigned int unbound = 0;
	struct input input;
	uint64_t end;
	int ret = 0;

	ASSERT_EQ(0, revive(f));
	ASSERT_EQ(0, pthread_create(&v.thread, NULL, rival_run, &v));
	end = part_of_time(30);
	for (i = 0; ret >= 0 && more(i, count, end); i++) {
		input_make(&input, &self->corpus, &self->random);
		ret = run_input(f, &self->kcov, &input, &self->run);
		if (i % UNBIND_EVERY != UNBIND_EVERY - 1)
			continue;
		EXPECT_EQ(0, rebind());
		unbound++;
	}
	__atomic_store_n(&v.stop, true, __ATOMIC_RELAXED);
	pthread_join(v.thread, NULL);
	EXPECT_GE(ret, 0);
	EXPECT_EQ(0, v.ret);
	EXPECT_GT(v.run.operations, 0);
	print_run(&self->run, "of two at once");
	print_run(&v.run, "of two at once");
	printf("# soak: %u times unbound from a fuzzer\n", unbound);
	printf("# places of the driver reached: %u of %u\n", coverage.reached, coverage.places);
	expect_alive(_metadata, f);
	let_go(f);
	EXPECT_TRUE(WAIT_FOR(pinned >= pinned_pages(), patience(1000)));
}

TEST_HARNESS_MAIN
