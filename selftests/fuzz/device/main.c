// SPDX-License-Identifier: GPL-2.0-only
/*
 * device [--runs N] [--seconds S] [--seed X] [--corpus FILE] [--keep FILE] [--floor P]
 * device FILE: plays the inputs of this file, one after the other
 *
 * Plays the corpus, then N new inputs, or for S seconds; those that reach new code go
 * to --keep, too. QEMU, $OCF_QEMU_BIN, is one of OCF_QEMU_FUZZ=1 qemu-device/build.
 * It runs under a process of its own: when that one ends early, QEMU died, hung, or
 * the card was wrong, and the last inputs are written to a file.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coverage.h"
#include "device.h"
#include "snapshot.h"

#define LAST		8u	/* inputs that are written when something breaks */
#define HONEST_EVERY	256u	/* inputs from one honest write to the next */
#define RESTART_EVERY	4096u

static struct {
	uint64_t runs, seconds, seed;
	const char *corpus, *keep;
	unsigned int floor;	/* per cent of all places */
	char dir[64];		/* build/fuzz/device */
} opt = {
	.runs = 300, .seed = 1, .dir = "build/fuzz/device",
};

/* What is known of the one that plays, whatever becomes of it. */
struct shared {
	struct input last[LAST];
	uint64_t played;
	uint64_t kept;
	uint32_t of_corpus;	/* places */
	bool corpus_done;
	bool done;
};

static struct shared *shared;
static struct ocf_coverage *coverage;
static struct corpus corpus;

static void *map_new(const char *name, size_t size)
{
	char path[128];
	void *map;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", opt.dir, name);
	unlink(path);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)size))
		qtest_die("%s: %s", path, strerror(errno));
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		qtest_die("%s: %s", path, strerror(errno));
	close(fd);
	return map;
}

/* All places of the card's code, from the file beside QEMU. */
static unsigned int all_places(void)
{
	const char *qemu = getenv("OCF_QEMU_BIN");
	const char *slash = qemu ? strrchr(qemu, '/') : NULL;
	unsigned int sum = 0, n;
	char path[4096];
	FILE *f;

	if (!slash)
		qtest_die("OCF_QEMU_BIN does not say where QEMU is");
	snprintf(path, sizeof(path), "%.*s/points", (int)(slash - qemu), qemu);
	f = fopen(path, "r");
	if (!f)
		qtest_die("%s: cannot be read; is it a QEMU for the fuzzer?", path);
	while (fscanf(f, "%*s %u", &n) == 1)
		sum += n;
	fclose(f);
	return sum;
}

/* ---- the process that plays ------------------------------------------------- */

static struct card *start(void)
{
	struct card *c = snapshot_start("faults=on");

	c->q->lazy = true;
	return c;
}

static void one(struct card **c, const struct input *in)
{
	shared->last[shared->played++ % LAST] = *in;
	play(*c, in);
	if (tap_failures) {
		fprintf(stderr, "the last input left the card as it must not be\n");
		exit(1);
	}
	if (shared->played % HONEST_EVERY == 0 && !play_honest(*c)) {
		fprintf(stderr, "the card does not work after a reset\n");
		exit(1);
	}
	if (shared->played % RESTART_EVERY == 0) {
		snapshot_end(*c);
		*c = start();
	}
}

static void keep(FILE *f, const struct input *in)
{
	corpus_add(&corpus, in);
	shared->kept++;
	if (f) {
		corpus_append(f, in);
		fflush(f);
	}
}

static void child(void)
{
	uint64_t random = opt.seed * 0x9e3779b97f4a7c15ull + 1, begin, i;
	FILE *f = opt.keep ? fopen(opt.keep, "wb") : NULL;
	struct card *c = start();
	size_t given = corpus.nr;
	struct input in;
	uint32_t before;

	for (i = 0; i < given; i++) {
		before = coverage->nr;
		one(&c, &corpus.input[i]);
		/* in a file that is kept there are only those that add something */
		if (f && coverage->nr > before)
			corpus_append(f, &corpus.input[i]);
	}
	shared->of_corpus = coverage->nr;
	shared->corpus_done = true;
	begin = qtest_now_ms();
	for (i = 0; opt.seconds ? qtest_now_ms() - begin < 1000 * opt.seconds :
				  i < opt.runs; i++) {
		memset(&in, 0, sizeof(in));
		input_make(&in, &corpus, &random);
		before = coverage->nr;
		one(&c, &in);
		if (coverage->nr > before)
			keep(f, &in);
	}
	if (!play_honest(c)) {
		fprintf(stderr, "the card does not work after a reset\n");
		exit(1);
	}
	snapshot_end(c);
	if (f)
		fclose(f);
	shared->done = tap_failures == 0;
	exit(!shared->done);
}

/* ---- the one that judges ---------------------------------------------------- */

static void show_log(const char *path)
{
	char line[512];
	FILE *f = fopen(path, "r");
	unsigned int n = 0;

	while (f && n++ < 60 && fgets(line, sizeof(line), f))
		printf("# %s", line);
	if (f)
		fclose(f);
}

static void write_reproducer(void)
{
	uint64_t i = shared->played > LAST ? shared->played - LAST : 0;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/broken", opt.dir);
	f = fopen(path, "wb");
	for (; f && i < shared->played; i++)
		corpus_append(f, &shared->last[i % LAST]);
	if (f)
		fclose(f);
	printf("# the last inputs are in %s; again: selftests/qtest/fuzz %s\n",
	       path, path);
	if (shared->played)
		input_print(&shared->last[(shared->played - 1) % LAST]);
}

static int judge(int status, const char *log)
{
	unsigned int all = all_places(), failed = 0;
	bool enough;

	printf("# seed %" PRIu64 ", %" PRIu64 " inputs, %zu of them kept ones; "
	       "%" PRIu64 " more reach new code\n", opt.seed, shared->played,
	       corpus.nr, shared->kept);
	printf("# soak: %" PRIu64 " inputs of the device's fuzzer\n", shared->played);
	printf("# places of the card's code: %u of %u, by the kept ones %u\n",
	       coverage->nr, all, shared->of_corpus);
	if (status || !shared->done) {
		printf("# QEMU or the one that plays ended early, wait status 0x%x\n",
		       status);
		show_log(log);
		write_reproducer();
	}
	failed += !shared->corpus_done;
	printf("%sok 1 the kept inputs do no harm\n", shared->corpus_done ? "" : "not ");
	failed += !shared->done || status;
	printf("%sok 2 new inputs do no harm\n", shared->done && !status ? "" : "not ");
	enough = shared->of_corpus * 100ull >= (uint64_t)all * opt.floor;
	failed += !enough;
	printf("%sok 3 the kept inputs reach %u %% of the card's code\n",
	       enough ? "" : "not ", opt.floor);
	return failed != 0;
}

static int run(void)
{
	char log[128], path[128];
	int status, fd;
	pid_t pid;

	shared = map_new("shared", sizeof(*shared));
	coverage = map_new("coverage", sizeof(*coverage));
	snprintf(path, sizeof(path), "%s/coverage", opt.dir);
	/* the file of states goes there */
	setenv("TMPDIR", opt.dir, 1);
	setenv("OCF_COVERAGE", path, 1);
	setenv("ASAN_OPTIONS", "detect_leaks=0:abort_on_error=1", 0);
	setenv("UBSAN_OPTIONS", "print_stacktrace=1", 0);
	snprintf(log, sizeof(log), "%s/log", opt.dir);
	printf("TAP version 13\n1..3\n");
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		qtest_die("fork: %s", strerror(errno));
	if (!pid) {
		fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (fd < 0)
			qtest_die("%s: %s", log, strerror(errno));
		dup2(fd, 1);
		dup2(fd, 2);
		child();
	}
	waitpid(pid, &status, 0);
	return judge(status, log);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 0);

	if (*end || end == text)
		qtest_die("'%s' is not a number", text);
	return n;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "runs", 1, NULL, 'r' }, { "seconds", 1, NULL, 't' },
		{ "seed", 1, NULL, 's' }, { "corpus", 1, NULL, 'c' },
		{ "keep", 1, NULL, 'k' }, { "floor", 1, NULL, 'f' }, { 0 },
	};
	int o;

	while ((o = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (o == 'r')
			opt.runs = number(optarg);
		else if (o == 't')
			opt.seconds = number(optarg);
		else if (o == 's')
			opt.seed = number(optarg);
		else if (o == 'c')
			opt.corpus = optarg;
		else if (o == 'k')
			opt.keep = optarg;
		else if (o == 'f')
			opt.floor = (unsigned int)number(optarg);
		else
			return 2;
	}
	if (optind < argc) {
		opt.corpus = argv[optind];
		opt.runs = 0;
	}
	if (opt.corpus)
		corpus_load(&corpus, opt.corpus);
	return run();
}
