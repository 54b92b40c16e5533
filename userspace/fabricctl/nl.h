/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The netlink family, without libnl showing through
 */
#ifndef FABRICCTL_NL_H
#define FABRICCTL_NL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ocfabric.h>
#include <linux/ocfabric_netlink.h>

#include "ctl.h"

#define FAB_ANY_CARD	UINT32_MAX

struct fab_attrs;

/* What the kernel said to a request. */
struct fab_reply {
	int error;		/* errno, positive; 0: done */
	char text[256];		/* its sentence, or empty */
	char attr[64];		/* the attribute at fault, or empty */
	long step;		/* of a change; -1: none */
};

/* 0, or an exit status with its message printed. */
int fab_open(struct ctl *ctl);
void fab_close(struct ctl *ctl);

/* Called for each message of an answer; other than 0 ends it. */
typedef int fab_each(const struct fab_attrs *attrs, void *arg);

/*
 * All objects of a kind (a dump), or the one of a card (fab_get). The callback
 * only sees answers that are whole and consistent. Prints what goes wrong and
 * returns an exit status.
 */
int fab_dump(struct ctl *ctl, int cmd, uint32_t card, fab_each *each, void *arg);
int fab_get(struct ctl *ctl, int cmd, uint32_t card, fab_each *each, void *arg);

/*
 * A change of the configuration. Returns 0 or -1 if the kernel refused (then
 * @reply says why), or an exit status with its message printed.
 */
#define FAB_REFUSED	(-1)
int fab_change(struct ctl *ctl, uint32_t card, bool check,
	      const struct ocfabric_change *steps, size_t nr,
	      struct fab_reply *reply);

/* A number of a request. */
struct fab_value {
	int attr;
	uint32_t value;
};

/* drain, resume, reset, moderation; prints, returns a status. */
int fab_control(struct ctl *ctl, int cmd, uint32_t card,
		const struct fab_value *values, unsigned int nr);

/* Prints a refusal and returns its exit status; @what was refused. */
int fab_refused(const struct fab_reply *reply, const char *what);

/* Attributes; false or NULL when absent or of another type. */
bool fab_u64(const struct fab_attrs *attrs, int attr, uint64_t *value);
uint64_t fab_number(const struct fab_attrs *attrs, int attr);	/* absent: 0 */
/* Copied, with what could upset a terminal replaced. */
bool fab_string(const struct fab_attrs *attrs, int attr, char *buf, size_t size);
const uint8_t *fab_bytes(const struct fab_attrs *attrs, int attr, size_t *length);

/* ---- events, on a socket of their own ----------------------------------- */

enum fab_events_result {
	FAB_EVENTS_OK,		/* what there was has been handed on */
	FAB_EVENTS_LOST,		/* the socket ran over */
	FAB_EVENTS_GONE,		/* the family went */
	FAB_EVENTS_ERROR,	/* printed */
};

int fab_events_open(struct ctl *ctl);
int fab_events_fd(const struct ctl *ctl);
enum fab_events_result fab_events_read(struct ctl *ctl, fab_each *each, void *arg);

#endif
