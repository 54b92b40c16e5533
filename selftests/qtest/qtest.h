/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client of QEMU's qtest protocol: a machine without a running CPU, whose
 * memory, ports and virtual clock the test moves. Every wait has a deadline;
 * what goes wrong with QEMU itself ends the program.
 */
#ifndef OCF_QTEST_H
#define OCF_QTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define QTEST_DEADLINE_MS 60000

struct qtest {
	pid_t pid;
	int qtest;	/* socket: qtest protocol */
	int qmp;	/* socket: monitor */
	char in[8192];	/* read and not used yet */
	size_t have;
	/* Writes and steps return at once; what comes back is read later. */
	bool lazy;
	unsigned int owed;	/* such answers */
};

/* Starts QEMU ($OCF_QEMU_BIN) with these arguments, NULL at the end. */
struct qtest *qtest_start(const char *const *args);

/* Ends it, and fails the test if it does not end well. */
void qtest_end(struct qtest *q);

/* size 1, 2, 4 or 8 */
uint64_t qtest_read(struct qtest *q, uint64_t addr, unsigned int size);
void qtest_write(struct qtest *q, uint64_t addr, unsigned int size,
		 uint64_t value);
uint32_t qtest_inl(struct qtest *q, uint16_t port);
void qtest_outl(struct qtest *q, uint16_t port, uint32_t value);
void qtest_outb(struct qtest *q, uint16_t port, uint8_t value);
void qtest_load(struct qtest *q, uint64_t addr, void *buf, size_t n);
void qtest_store(struct qtest *q, uint64_t addr, const void *buf, size_t n);
void qtest_zero(struct qtest *q, uint64_t addr, size_t n);
void qtest_fill(struct qtest *q, uint64_t addr, size_t n, uint8_t byte);
void qtest_step_ns(struct qtest *q, uint64_t ns);

/* Sends a QMP command and returns its answer, "return" or "error". */
const char *qtest_qmp(struct qtest *q, const char *command);

/* A monotonic clock, and whether more than the deadline has passed since. */
uint64_t qtest_now_ms(void);
bool qtest_late(uint64_t since_ms);

/* Gives the processor to QEMU's threads between two looks at something. */
void qtest_yield(void);

/* A new, empty file of that name in $TMPDIR, which the caller unlinks: its path. */
void qtest_file(char *path, size_t size, const char *name);

void qtest_die(const char *fmt, ...)
	__attribute__((format(printf, 1, 2), noreturn));

#endif
