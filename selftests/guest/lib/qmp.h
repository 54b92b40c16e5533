/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest's own QEMU, by the port that GUEST_QMP=guest gives a guest: what happens
 * to a card from outside, and what only its machine knows
 *
 * The port is of one program at a time. What was said to another before it, or of
 * events, is passed over. Each call answers 0 or -errno; what QEMU refuses is -EPROTO
 * and its words are printed.
 */
#ifndef OCF_TEST_QMP_H
#define OCF_TEST_QMP_H

#include <stdbool.h>
#include <stddef.h>

#define QMP_CARD	"/machine/peripheral/card0"
#define QMP_EVENTS	32	/* the last so many are kept for qmp_wait() */

struct qmp {
	int fd;
	unsigned int id;	/* of the last command */
	char *text;		/* what was read and is no whole line yet */
	size_t length;
	size_t room;
	char *event[QMP_EVENTS];
	unsigned int events;
};

/* -ENOENT: there is no port; a guest of `make check` has one. */
int qmp_open(struct qmp *q);
void qmp_close(struct qmp *q);

/*
 * A command with its arguments, a JSON object, or NULL. What it returns, as JSON,
 * goes to answer, which may be NULL; -EMSGSIZE if that is too small.
 */
int qmp_command(struct qmp *q, const char *name, const char *arguments,
		char *answer, size_t size);
/* A property of the card; value is JSON */
int qmp_set(struct qmp *q, const char *property, const char *value);
int qmp_get(struct qmp *q, const char *property, char *value, size_t size);
/* A line of the monitor for people; its answer as text */
int qmp_line(struct qmp *q, const char *line, char *answer, size_t size);

/*
 * Until an event of this name whose line has this in it (NULL: any), among those that
 * came since the port was opened and were not waited for; -ETIMEDOUT after ms.
 */
int qmp_wait(struct qmp *q, const char *event, const char *part, unsigned int ms);

#endif /* OCF_TEST_QMP_H */
