/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ocfabric family by plain netlink sockets: nothing of libnl, so that the
 * tests see each byte that the kernel sends
 */
#ifndef OCF_TEST_NETLINK_H
#define OCF_TEST_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>
#include <linux/ocfabric.h>
#include <linux/ocfabric_netlink.h>

struct nl {
	int fd;
	uint16_t family;
	uint32_t group;	/* of the events */
	uint32_t seq;
	bool lossy;	/* answers may be lost: they are there at once, or never */
};

/* A request under construction; data is malloc()ed. */
struct nl_request {
	uint8_t *data;
	size_t length;
	size_t room;
};

/* All that came back, and what an error said. */
struct nl_answer {
	int error;		/* 0 or -errno */
	char sentence[256];	/* of the extended ack, empty where none came */
	uint32_t offset;	/* of the attribute at fault in the request, 0: none */
	uint8_t *data;
	size_t length;
};

/* -ENOENT: the family is not there. */
int nl_open(struct nl *nl);
void nl_close(struct nl *nl);
/* Of each command of the family: GENL_*, 0 where there is none. */
int nl_operations(struct nl *nl, uint32_t flags[256]);

void nl_begin(struct nl_request *r, const struct nl *nl, uint8_t cmd);
void nl_put(struct nl_request *r, uint16_t type, const void *data, size_t length);
void nl_put_u32(struct nl_request *r, uint16_t type, uint32_t value);
void nl_put_uint(struct nl_request *r, uint16_t type, uint64_t value);
size_t nl_nest(struct nl_request *r, uint16_t type);
void nl_nest_end(struct nl_request *r, size_t at);
void nl_free(struct nl_request *r);

/*
 * Sends and takes all of the answer; flags: NLM_F_DUMP or 0. The request is
 * freed. @a may be NULL.
 */
int nl_call(struct nl *nl, struct nl_request *r, uint16_t flags, struct nl_answer *a);
void nl_answer_free(struct nl_answer *a);

/* The answer's messages in turn, from NULL to NULL. */
const struct nlmsghdr *nl_next(const struct nl_answer *a, const struct nlmsghdr *m);
const struct nlattr *nl_attr(const struct nlmsghdr *m, uint16_t type);
/* The value of a u32 or uint attribute; fallback where it is absent. */
uint64_t nl_value(const struct nlmsghdr *m, uint16_t type, uint64_t fallback);
const void *nl_data(const struct nlattr *a);
size_t nl_length(const struct nlattr *a);

/* A request of nothing but the card; its errno */
int nl_simple(struct nl *nl, uint8_t cmd, uint16_t flags, struct nl_answer *a);
int nl_reset(struct nl *nl, uint32_t target);
/* @a may be NULL; link ~0: none is named */
int nl_reset_link(struct nl *nl, uint32_t target, uint32_t link, struct nl_answer *a);
/* ~0: absent */
int nl_moderation(struct nl *nl, uint32_t replica, uint32_t burst, uint32_t timer,
		  uint32_t mode, struct nl_answer *a);

/* Of a queue pair, by OCFABRIC_A_QP_* */
struct nl_qp {
	uint32_t attr[OCFABRIC_A_QP_MAX + 1];
};

#define QP_ABSENT	(~0u)

struct nl_u32 {
	uint16_t type;
	uint32_t value;
};

/* Link and QPN may be absent, too. */
int nl_qp_set(struct nl *nl, uint32_t link, uint32_t qpn, const struct nl_u32 *set,
	      unsigned int count, struct nl_answer *a);
/* -ENOENT: that connection is not among them */
int nl_qp_get(struct nl *nl, uint32_t link, uint32_t qpn, struct nl_qp *qp);
/* ~0: absent; @a may be NULL */
int nl_reset_qp(struct nl *nl, uint32_t target, uint32_t link, uint32_t qpn,
		struct nl_answer *a);
/*
 * All of the default table of n replicas: states outlive a change of the
 * configuration that leads to the same connections
 */
int nl_recover_qps(struct nl *nl, unsigned int n);
int nl_weight(struct nl *nl, uint32_t replica, uint32_t weight, struct nl_answer *a);
int nl_limits(struct nl *nl, uint32_t stall, uint32_t storm, struct nl_answer *a);

int nl_semaphores(struct nl *nl, uint32_t replica, uint32_t value[OCFABRIC_SEMAPHORES]);
/* A change; *index is the step that the answer names, ~0 when it names none. */
int nl_change(struct nl *nl, bool check, const struct ocfabric_change *steps,
	      unsigned int count, struct nl_answer *a, unsigned int *index);

int nl_listen(struct nl *nl);
/* Waits for an event; its message lies in buffer. -ETIMEDOUT, -ENOBUFS */
int nl_event(struct nl *nl, unsigned int ms, uint8_t *buffer, size_t room);

#endif /* OCF_TEST_NETLINK_H */
