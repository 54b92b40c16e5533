// SPDX-License-Identifier: GPL-2.0-only
#include "qtest.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

#define MAX_ARGS 64
#define MAX_BLOCK 4096	/* bytes moved by one command */
#define OWED_MAX 32	/* commands ahead of their answers */

void qtest_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("Bail out! ");
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
	exit(1);
}

uint64_t qtest_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

bool qtest_late(uint64_t since_ms)
{
	return qtest_now_ms() - since_ms > QTEST_DEADLINE_MS;
}

void qtest_yield(void)
{
	sched_yield();
}

void qtest_file(char *path, size_t size, const char *name)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	snprintf(path, size, "%.40s/ocf-%s-XXXXXX", dir ? dir : "/tmp", name);
	fd = mkstemp(path);
	if (fd < 0)
		qtest_die("cannot make %s: %s", path, strerror(errno));
	close(fd);
}

static int keep_fd(int fd, const char *name, char *buf, size_t n)
{
	snprintf(buf, n, "socket,id=%s,fd=%d", name, fd);
	return fd;
}

static void exec_qemu(const char *const *args, int qtest, int qmp)
{
	const char *binary = getenv("OCF_QEMU_BIN");
	const char *argv[MAX_ARGS + 24];
	char a[64], b[64], share[4096];
	size_t n = 0;

	if (!binary)
		qtest_die("OCF_QEMU_BIN does not say where QEMU is");
	keep_fd(qtest, "qt", a, sizeof(a));
	keep_fd(qmp, "mon", b, sizeof(b));
	snprintf(share, sizeof(share), "%.*s/share",
		 (int)(strrchr(binary, '/') ? strrchr(binary, '/') - binary : 0),
		 binary);
	const char *const fixed[] = {
		binary, "-L", share, "-nodefaults", "-no-user-config", "-display",
		"none", "-m", "64M", "-chardev", a, "-qtest", "chardev:qt",
		"-qtest-log", "/dev/null", "-chardev", b, "-mon",
		"chardev=mon,mode=control",
	};
	for (; n < sizeof(fixed) / sizeof(*fixed); n++)
		argv[n] = fixed[n];
	for (; *args && n < MAX_ARGS; args++)
		argv[n++] = *args;
	argv[n] = NULL;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execv(binary, (char *const *)argv);
	fprintf(stderr, "cannot run %s: %s\n", binary, strerror(errno));
	_exit(127);
}

static void pair(int fd[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
		qtest_die("socketpair: %s", strerror(errno));
}

struct qtest *qtest_start(const char *const *args)
{
	struct qtest *q = calloc(1, sizeof(*q));
	int qtest[2], qmp[2];

	if (!q)
		qtest_die("no memory");
	fflush(stdout);
	pair(qtest);
	pair(qmp);
	q->pid = fork();
	if (q->pid < 0)
		qtest_die("fork: %s", strerror(errno));
	if (!q->pid) {
		close(qtest[0]);
		close(qmp[0]);
		exec_qemu(args, qtest[1], qmp[1]);
	}
	close(qtest[1]);
	close(qmp[1]);
	q->qtest = qtest[0];
	q->qmp = qmp[0];
	qtest_qmp(q, "{\"execute\":\"qmp_capabilities\"}");
	return q;
}

void qtest_end(struct qtest *q)
{
	uint64_t start = qtest_now_ms();
	int status = 0;
	pid_t got;

	kill(q->pid, SIGTERM);
	while ((got = waitpid(q->pid, &status, WNOHANG)) == 0) {
		if (qtest_late(start)) {
			CHECK(false, "QEMU does not end");
			kill(q->pid, SIGKILL);
			waitpid(q->pid, &status, 0);
			break;
		}
		qtest_yield();
	}
	CHECK(got < 0 || (WIFEXITED(status) && !WEXITSTATUS(status)),
	      "QEMU ended with wait status 0x%x", status);
	close(q->qtest);
	close(q->qmp);
	free(q);
}

static void send_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t done = send(fd, text, n, MSG_NOSIGNAL);

		if (done < 0)
			qtest_die("QEMU has gone: %s", strerror(errno));
		text += done;
		n -= (size_t)done;
	}
}

static size_t receive(int fd, char *buf, size_t n, uint64_t start)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t left = QTEST_DEADLINE_MS - (int64_t)(qtest_now_ms() - start);
	ssize_t got;

	if (poll(&p, 1, left > 0 ? (int)left : 0) <= 0)
		qtest_die("QEMU does not answer");
	got = recv(fd, buf, n, 0);
	if (got <= 0)
		qtest_die("QEMU has gone");
	return (size_t)got;
}

/* The next line of the qtest socket, without its end. */
static void next_line(struct qtest *q, char *line, size_t max)
{
	uint64_t start = qtest_now_ms();
	char *end;
	size_t n;

	while (!(end = memchr(q->in, '\n', q->have))) {
		if (q->have == sizeof(q->in))
			qtest_die("an endless line from QEMU");
		q->have += receive(q->qtest, q->in + q->have,
				   sizeof(q->in) - q->have, start);
	}
	n = (size_t)(end - q->in);
	if (n >= max)
		qtest_die("a long line from QEMU");
	memcpy(line, q->in, n);
	line[n] = 0;
	q->have -= n + 1;
	memmove(q->in, end + 1, q->have);
}

static void take_answer(struct qtest *q, char *answer, size_t max,
			const char *text)
{
	do
		next_line(q, answer, max);
	while (!strncmp(answer, "IRQ", 3));
	if (strncmp(answer, "OK", 2))
		qtest_die("QEMU does not like: %.60s", text);
}

static void settle(struct qtest *q)
{
	char answer[64];

	for (; q->owed; q->owed--)
		take_answer(q, answer, sizeof(answer), "one of the last commands");
}

/*
 * Sends the command; what comes after "OK " is left in answer. Without one, only
 * that it was done is waited for, or nothing at all.
 */
static void command(struct qtest *q, char *answer, size_t max,
		    const char *fmt, ...)
{
	char text[3 * MAX_BLOCK], done[64];
	va_list ap;
	int n;

	if (answer || q->owed == OWED_MAX)
		settle(q);
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	send_all(q->qtest, text, (size_t)n);
	if (!answer && q->lazy) {
		q->owed++;
		return;
	}
	take_answer(q, answer ? answer : done, answer ? max : sizeof(done), text);
	if (answer)
		memmove(answer, answer + 2, strlen(answer + 2) + 1);
}

static char suffix(unsigned int size)
{
	switch (size) {
	case 1:
		return 'b';
	case 2:
		return 'w';
	case 4:
		return 'l';
	default:
		return 'q';
	}
}

uint64_t qtest_read(struct qtest *q, uint64_t addr, unsigned int size)
{
	char a[64];

	command(q, a, sizeof(a), "read%c 0x%" PRIx64 "\n", suffix(size), addr);
	return strtoull(a, NULL, 0);
}

void qtest_write(struct qtest *q, uint64_t addr, unsigned int size,
		 uint64_t value)
{
	if (size < 8)
		value &= (1ULL << size * 8) - 1;
	command(q, NULL, 0, "write%c 0x%" PRIx64 " 0x%" PRIx64 "\n",
		suffix(size), addr, value);
}

uint32_t qtest_inl(struct qtest *q, uint16_t port)
{
	char a[64];

	command(q, a, sizeof(a), "inl 0x%x\n", port);
	return (uint32_t)strtoul(a, NULL, 0);
}

void qtest_outl(struct qtest *q, uint16_t port, uint32_t value)
{
	command(q, NULL, 0, "outl 0x%x 0x%x\n", port, value);
}

void qtest_outb(struct qtest *q, uint16_t port, uint8_t value)
{
	command(q, NULL, 0, "outb 0x%x 0x%x\n", port, value);
}

static unsigned int hex_digit(char c)
{
	return (unsigned int)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

void qtest_load(struct qtest *q, uint64_t addr, void *buf, size_t n)
{
	static char a[2 * MAX_BLOCK];
	uint8_t *to = buf;
	size_t part, i;

	for (; n; n -= part, addr += part) {
		part = n < 2048 ? n : 2048;
		command(q, a, sizeof(a), "read 0x%" PRIx64 " 0x%zx\n", addr, part);
		for (i = 0; i < part; i++)
			*to++ = (uint8_t)(hex_digit(a[3 + 2 * i]) << 4 |
					  hex_digit(a[4 + 2 * i]));
	}
}

void qtest_store(struct qtest *q, uint64_t addr, const void *buf, size_t n)
{
	static char hex[2 * MAX_BLOCK + 1];
	const uint8_t *from = buf;
	size_t part, i;

	for (; n; n -= part, addr += part) {
		part = n < MAX_BLOCK ? n : MAX_BLOCK;
		for (i = 0; i < part; i++)
			snprintf(hex + 2 * i, 3, "%02x", *from++);
		command(q, NULL, 0, "write 0x%" PRIx64 " 0x%zx 0x%s\n", addr,
			part, hex);
	}
}

void qtest_fill(struct qtest *q, uint64_t addr, size_t n, uint8_t byte)
{
	command(q, NULL, 0, "memset 0x%" PRIx64 " 0x%zx 0x%x\n", addr, n,
		byte);
}

void qtest_zero(struct qtest *q, uint64_t addr, size_t n)
{
	qtest_fill(q, addr, n, 0);
}

void qtest_step_ns(struct qtest *q, uint64_t ns)
{
	command(q, NULL, 0, "clock_step %" PRIu64 "\n", ns);
}

/* Answers come between events, a line each. */
const char *qtest_qmp(struct qtest *q, const char *cmd)
{
	static char buf[65536];
	uint64_t start = qtest_now_ms();
	size_t have = 0;
	char *line, *end;

	settle(q);
	send_all(q->qmp, cmd, strlen(cmd));
	for (;;) {
		if (have == sizeof(buf) - 1)
			qtest_die("the monitor says too much");
		have += receive(q->qmp, buf + have, sizeof(buf) - 1 - have, start);
		buf[have] = 0;
		for (line = buf; (end = strchr(line, '\n')); line = end + 1) {
			if (strncmp(line, "{\"return\"", 9) &&
			    strncmp(line, "{\"error\"", 8))
				continue;
			*end = 0;
			return line;
		}
	}
}
