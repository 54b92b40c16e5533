// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/genetlink.h>

#include "netlink.h"
#include "util.h"

#define ALIGN4(n)	(((n) + 3) & ~(size_t)3)
#define TIME_LIMIT	60000

static void reserve(struct nl_request *r, size_t more)
{
	if (r->length + more <= r->room)
		return;
	r->room = 2 * r->room + more;
	r->data = realloc(r->data, r->room);
	if (!r->data)
		abort();
}

static void begin(struct nl_request *r, uint16_t type, uint8_t cmd, uint8_t version)
{
	const struct genlmsghdr g = { .cmd = cmd, .version = version };
	const struct nlmsghdr h = { .nlmsg_type = type };

	*r = (struct nl_request){};
	reserve(r, 1024);
	memcpy(r->data, &h, sizeof(h));
	memcpy(r->data + sizeof(h), &g, sizeof(g));
	r->length = sizeof(h) + sizeof(g);
}

void nl_begin(struct nl_request *r, const struct nl *nl, uint8_t cmd)
{
	begin(r, nl->family, cmd, OCFABRIC_FAMILY_VERSION);
}

void nl_put(struct nl_request *r, uint16_t type, const void *data, size_t length)
{
	const struct nlattr a = { .nla_len = sizeof(a) + length, .nla_type = type };

	reserve(r, sizeof(a) + ALIGN4(length));
	memcpy(r->data + r->length, &a, sizeof(a));
	memset(r->data + r->length + sizeof(a), 0, ALIGN4(length));
	if (length)
		memcpy(r->data + r->length + sizeof(a), data, length);
	r->length += sizeof(a) + ALIGN4(length);
}

void nl_put_u32(struct nl_request *r, uint16_t type, uint32_t value)
{
	nl_put(r, type, &value, sizeof(value));
}

void nl_put_uint(struct nl_request *r, uint16_t type, uint64_t value)
{
	uint32_t low = value;

	if (low == value)
		nl_put(r, type, &low, sizeof(low));
	else
		nl_put(r, type, &value, sizeof(value));
}

size_t nl_nest(struct nl_request *r, uint16_t type)
{
	size_t at = r->length;

	nl_put(r, type | NLA_F_NESTED, NULL, 0);
	return at;
}

void nl_nest_end(struct nl_request *r, size_t at)
{
	struct nlattr a;

	memcpy(&a, r->data + at, sizeof(a));
	a.nla_len = r->length - at;
	memcpy(r->data + at, &a, sizeof(a));
}

void nl_free(struct nl_request *r)
{
	free(r->data);
	r->data = NULL;
}

void nl_answer_free(struct nl_answer *a)
{
	free(a->data);
	a->data = NULL;
}

const void *nl_data(const struct nlattr *a)
{
	return a + 1;
}

size_t nl_length(const struct nlattr *a)
{
	return a->nla_len - sizeof(*a);
}

static const struct nlattr *find(const void *from, const void *end, uint16_t type)
{
	const char *p = from;

	while (p + sizeof(struct nlattr) <= (const char *)end) {
		const struct nlattr *a = (const void *)p;

		if (a->nla_len < sizeof(*a) || p + a->nla_len > (const char *)end)
			return NULL;
		if ((a->nla_type & NLA_TYPE_MASK) == type)
			return a;
		p += ALIGN4(a->nla_len);
	}
	return NULL;
}

const struct nlattr *nl_attr(const struct nlmsghdr *m, uint16_t type)
{
	const char *from = (const char *)m + NLMSG_HDRLEN + GENL_HDRLEN;

	return find(from, (const char *)m + m->nlmsg_len, type);
}

uint64_t nl_value(const struct nlmsghdr *m, uint16_t type, uint64_t fallback)
{
	const struct nlattr *a = nl_attr(m, type);
	uint64_t value = 0;

	if (!a || nl_length(a) > sizeof(value))
		return fallback;
	memcpy(&value, nl_data(a), nl_length(a));
	return value;
}

const struct nlmsghdr *nl_next(const struct nl_answer *a, const struct nlmsghdr *m)
{
	const uint8_t *p = a->data;

	if (m)
		p = (const uint8_t *)m + NLMSG_ALIGN(m->nlmsg_len);
	return p && p < a->data + a->length ? (const void *)p : NULL;
}

/* The sentence and the place that an error's extended ack holds. */
static void take_ack(struct nl_answer *a, const struct nlmsghdr *m)
{
	const struct nlmsgerr *e = NLMSG_DATA(m);
	const char *end = (const char *)m + m->nlmsg_len, *tlvs = (const char *)(e + 1);
	const struct nlattr *t;

	a->error = e->error;
	if (!(m->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(m->nlmsg_flags & NLM_F_CAPPED))
		tlvs += NLMSG_ALIGN(e->msg.nlmsg_len) - sizeof(e->msg);
	t = find(tlvs, end, NLMSGERR_ATTR_MSG);
	if (t)
		snprintf(a->sentence, sizeof(a->sentence), "%s", (const char *)nl_data(t));
	t = find(tlvs, end, NLMSGERR_ATTR_OFFS);
	if (t)
		memcpy(&a->offset, nl_data(t), sizeof(a->offset));
}

static void keep(struct nl_answer *a, const struct nlmsghdr *m)
{
	size_t length = NLMSG_ALIGN(m->nlmsg_len);

	a->data = realloc(a->data, a->length + length);
	if (!a->data)
		abort();
	memcpy(a->data + a->length, m, m->nlmsg_len);
	a->length += length;
}

/* What a dump that ends in an error says is in its last message. */
static void take_done(struct nl_answer *a, const struct nlmsghdr *m)
{
	if (m->nlmsg_len >= NLMSG_LENGTH(sizeof(int)))
		memcpy(&a->error, NLMSG_DATA(m), sizeof(int));
}

static bool take(struct nl *nl, struct nl_answer *a, const struct nlmsghdr *m)
{
	if (m->nlmsg_seq != nl->seq)
		return false;	/* an event */
	switch (m->nlmsg_type) {
	case NLMSG_ERROR:
		take_ack(a, m);
		return true;
	case NLMSG_DONE:
		take_done(a, m);
		return true;
	default:
		keep(a, m);
		return false;
	}
}

static int receive(struct nl *nl, struct nl_answer *a)
{
	static __thread uint8_t buffer[1 << 16] __attribute__((aligned(4)));
	struct pollfd p = { .fd = nl->fd, .events = POLLIN };

	for (;;) {
		const struct nlmsghdr *m = (const void *)buffer;
		ssize_t length;
		int left;

		if (poll(&p, 1, nl->lossy ? 0 : TIME_LIMIT) != 1)
			return -ETIMEDOUT;
		length = recv(nl->fd, buffer, sizeof(buffer), 0);
		/* what it was asked may have been done all the same */
		if (length < 0)
			return nl->lossy ? -ENOBUFS : -errno;
		for (left = length; NLMSG_OK(m, (unsigned int)left); m = NLMSG_NEXT(m, left))
			if (take(nl, a, m))
				return a->error;
	}
}

int nl_call(struct nl *nl, struct nl_request *r, uint16_t flags, struct nl_answer *a)
{
	struct nl_answer own;
	struct nlmsghdr h;
	int ret;

	if (!a)
		a = &own;
	*a = (struct nl_answer){};
	memcpy(&h, r->data, sizeof(h));
	h.nlmsg_len = r->length;
	h.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	h.nlmsg_seq = ++nl->seq;
	memcpy(r->data, &h, sizeof(h));
	ret = send(nl->fd, r->data, r->length, 0) < 0 ? -errno : 0;
	nl_free(r);
	if (!ret)
		ret = receive(nl, a);
	a->error = ret;
	if (a == &own)
		nl_answer_free(&own);
	return ret;
}

static uint32_t group_of(const struct nlattr *groups, const char *name)
{
	const char *p = nl_data(groups), *end = p + nl_length(groups);

	while (p + sizeof(struct nlattr) <= end) {
		const struct nlattr *g = (const void *)p;
		const char *last = p + g->nla_len;
		const struct nlattr *n = find(g + 1, last, CTRL_ATTR_MCAST_GRP_NAME);
		const struct nlattr *id = find(g + 1, last, CTRL_ATTR_MCAST_GRP_ID);

		if (n && id && !strcmp(nl_data(n), name))
			return *(const uint32_t *)nl_data(id);
		p += ALIGN4(g->nla_len);
	}
	return 0;
}

static int get_family(struct nl *nl, struct nl_answer *a)
{
	struct nl_request r;

	begin(&r, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
	nl_put(&r, CTRL_ATTR_FAMILY_NAME, OCFABRIC_FAMILY_NAME, sizeof(OCFABRIC_FAMILY_NAME));
	return nl_call(nl, &r, 0, a);
}

int nl_operations(struct nl *nl, uint32_t flags[256])
{
	const struct nlattr *ops;
	const struct nlmsghdr *m;
	struct nl_answer a;
	int ret = get_family(nl, &a);

	memset(flags, 0, 256 * sizeof(*flags));
	m = ret ? NULL : nl_next(&a, NULL);
	ops = m ? nl_attr(m, CTRL_ATTR_OPS) : NULL;
	if (!ret && !ops)
		ret = -EPROTO;
	for (const char *p = ret ? NULL : nl_data(ops), *end = p ? p + nl_length(ops) : p;
	     p < end; p += ALIGN4(((const struct nlattr *)p)->nla_len)) {
		const struct nlattr *op = (const void *)p;
		const char *last = p + op->nla_len;
		const struct nlattr *id = find(op + 1, last, CTRL_ATTR_OP_ID);
		const struct nlattr *f = find(op + 1, last, CTRL_ATTR_OP_FLAGS);

		if (id && f)
			flags[*(const uint32_t *)nl_data(id) & 255] |= *(const uint32_t *)nl_data(f);
	}
	nl_answer_free(&a);
	return ret;
}

static int resolve(struct nl *nl)
{
	const struct nlattr *groups;
	const struct nlmsghdr *m;
	struct nl_answer a;
	int ret = get_family(nl, &a);

	m = ret ? NULL : nl_next(&a, NULL);
	if (m) {
		nl->family = nl_value(m, CTRL_ATTR_FAMILY_ID, 0);
		groups = nl_attr(m, CTRL_ATTR_MCAST_GROUPS);
		nl->group = groups ? group_of(groups, OCFABRIC_MCGRP_EVENTS) : 0;
	}
	nl_answer_free(&a);
	return ret;
}

int nl_open(struct nl *nl)
{
	const int on = 1;
	int ret;

	*nl = (struct nl){ .fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC) };
	if (nl->fd < 0)
		return -errno;
	setsockopt(nl->fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(nl->fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	setsockopt(nl->fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	ret = resolve(nl);
	if (ret)
		nl_close(nl);
	return ret;
}

void nl_close(struct nl *nl)
{
	if (nl->fd >= 0)
		close(nl->fd);
	nl->fd = -1;
}

int nl_simple(struct nl *nl, uint8_t cmd, uint16_t flags, struct nl_answer *a)
{
	struct nl_request r;

	nl_begin(&r, nl, cmd);
	/* the card is attribute 1 of every set */
	nl_put_u32(&r, OCFABRIC_A_CONTROL_CARD, node_number());
	return nl_call(nl, &r, flags, a);
}

int nl_reset(struct nl *nl, uint32_t target)
{
	struct nl_request r;

	nl_begin(&r, nl, OCFABRIC_CMD_RESET);
	nl_put_u32(&r, OCFABRIC_A_CONTROL_CARD, node_number());
	nl_put_u32(&r, OCFABRIC_A_CONTROL_RESET_TARGET, target);
	return nl_call(nl, &r, 0, NULL);
}

int nl_reset_link(struct nl *nl, uint32_t target, uint32_t link, struct nl_answer *a)
{
	struct nl_request r;

	nl_begin(&r, nl, OCFABRIC_CMD_RESET);
	nl_put_u32(&r, OCFABRIC_A_CONTROL_CARD, node_number());
	nl_put_u32(&r, OCFABRIC_A_CONTROL_RESET_TARGET, target);
	if (link != ~0u)
		nl_put_u32(&r, OCFABRIC_A_CONTROL_LINK, link);
	return nl_call(nl, &r, 0, a);
}

int nl_moderation(struct nl *nl, uint32_t replica, uint32_t burst, uint32_t timer,
		  uint32_t mode, struct nl_answer *a)
{
	const uint32_t value[] = { replica, burst, timer, mode };
	struct nl_request r;

	nl_begin(&r, nl, OCFABRIC_CMD_MODERATION_SET);
	nl_put_u32(&r, OCFABRIC_A_MODERATION_CARD, node_number());
	for (unsigned int i = 0; i < ARRAY_LEN(value); i++)
		if (value[i] != ~0u)
			nl_put_u32(&r, OCFABRIC_A_MODERATION_REPLICA + i, value[i]);
	return nl_call(nl, &r, 0, a);
}

static int call_with(struct nl *nl, uint8_t cmd, uint16_t first, const uint32_t *value,
		     unsigned int count, struct nl_answer *a)
{
	struct nl_request r;

	nl_begin(&r, nl, cmd);
	nl_put_u32(&r, OCFABRIC_A_CONTROL_CARD, node_number());
	for (unsigned int i = 0; i < count; i++)
		if (value[i] != ~0u)
			nl_put_u32(&r, first + i, value[i]);
	return nl_call(nl, &r, 0, a);
}

int nl_qp_set(struct nl *nl, uint32_t link, uint32_t qpn, const struct nl_u32 *set,
	      unsigned int count, struct nl_answer *a)
{
	struct nl_request r;

	nl_begin(&r, nl, OCFABRIC_CMD_QP_SET);
	nl_put_u32(&r, OCFABRIC_A_QP_CARD, node_number());
	if (link != QP_ABSENT)
		nl_put_u32(&r, OCFABRIC_A_QP_LINK, link);
	if (qpn != QP_ABSENT)
		nl_put_u32(&r, OCFABRIC_A_QP_QPN, qpn);
	for (unsigned int i = 0; i < count; i++)
		nl_put_u32(&r, set[i].type, set[i].value);
	return nl_call(nl, &r, 0, a);
}

int nl_qp_get(struct nl *nl, uint32_t link, uint32_t qpn, struct nl_qp *qp)
{
	const struct nlmsghdr *m = NULL;
	struct nl_answer a;
	int ret = nl_simple(nl, OCFABRIC_CMD_QP_GET, NLM_F_DUMP, &a);

	if (ret)
		return ret;
	ret = -ENOENT;
	while ((m = nl_next(&a, m))) {
		if (nl_value(m, OCFABRIC_A_QP_LINK, ~0ull) != link ||
		    nl_value(m, OCFABRIC_A_QP_QPN, ~0ull) != qpn)
			continue;
		for (unsigned int i = 0; i <= OCFABRIC_A_QP_MAX; i++)
			qp->attr[i] = nl_value(m, i, QP_ABSENT);
		ret = 0;
	}
	nl_answer_free(&a);
	return ret;
}

int nl_reset_qp(struct nl *nl, uint32_t target, uint32_t link, uint32_t qpn,
		struct nl_answer *a)
{
	const uint32_t value[] = { target, link, qpn };

	return call_with(nl, OCFABRIC_CMD_RESET, OCFABRIC_A_CONTROL_RESET_TARGET, value,
			 ARRAY_LEN(value), a);
}

int nl_recover_qps(struct nl *nl, unsigned int n)
{
	int ret = 0;

	for (unsigned int link = 0; link < n; link++)
		for (unsigned int i = 0; i < n - 1 && !ret; i++)
			ret = nl_reset_qp(nl, OCFABRIC_RESET_TARGET_QP, link,
					  (n - 1) * link + i, NULL);
	return ret;
}

int nl_weight(struct nl *nl, uint32_t replica, uint32_t weight, struct nl_answer *a)
{
	const uint32_t value[] = { replica, weight };

	return call_with(nl, OCFABRIC_CMD_QUEUE_SET, OCFABRIC_A_QUEUE_REPLICA, value,
			 ARRAY_LEN(value), a);
}

int nl_limits(struct nl *nl, uint32_t stall, uint32_t storm, struct nl_answer *a)
{
	const uint32_t value[] = { stall, storm };

	return call_with(nl, OCFABRIC_CMD_DEVICE_SET, OCFABRIC_A_DEVICE_STALL_LIMIT, value,
			 ARRAY_LEN(value), a);
}

int nl_semaphores(struct nl *nl, uint32_t replica, uint32_t value[OCFABRIC_SEMAPHORES])
{
	const struct nlmsghdr *m = NULL;
	struct nl_answer a;
	int ret = nl_simple(nl, OCFABRIC_CMD_SEMAPHORE_GET, NLM_F_DUMP, &a);

	if (ret)
		return ret;
	ret = -ENOENT;
	while ((m = nl_next(&a, m))) {
		const struct nlattr *v = nl_attr(m, OCFABRIC_A_SEMAPHORE_VALUES);

		if (nl_value(m, OCFABRIC_A_SEMAPHORE_REPLICA, ~0ull) != replica)
			continue;
		ret = -EPROTO;
		if (!v || nl_length(v) != OCFABRIC_SEMAPHORES * sizeof(*value))
			continue;
		memcpy(value, nl_data(v), nl_length(v));
		ret = 0;
	}
	nl_answer_free(&a);
	return ret;
}

static void put_step(struct nl_request *r, const struct ocfabric_change *s)
{
	size_t at = nl_nest(r, OCFABRIC_A_CONFIG_CHANGE_STEP);

	nl_put_u32(r, OCFABRIC_A_CHANGE_OP, s->op);
	nl_put_u32(r, OCFABRIC_A_CHANGE_SRC, s->src);
	nl_put_u32(r, OCFABRIC_A_CHANGE_DST, s->dst);
	nl_put_u32(r, OCFABRIC_A_CHANGE_QPN, s->qpn);
	nl_put_uint(r, OCFABRIC_A_CHANGE_VALUE, s->value);
	nl_put_uint(r, OCFABRIC_A_CHANGE_OFFSET, s->offset);
	nl_put_uint(r, OCFABRIC_A_CHANGE_LENGTH, s->length);
	nl_put_u32(r, OCFABRIC_A_CHANGE_SEM_FIRST, s->sem_first);
	nl_put_u32(r, OCFABRIC_A_CHANGE_SEM_COUNT, s->sem_count);
	nl_nest_end(r, at);
}

int nl_change(struct nl *nl, bool check, const struct ocfabric_change *steps,
	      unsigned int count, struct nl_answer *a, unsigned int *index)
{
	size_t *at = calloc(count + 1, sizeof(*at));
	struct nl_answer own;
	struct nl_request r;
	int ret;

	if (!a)
		a = &own;
	nl_begin(&r, nl, OCFABRIC_CMD_CONFIG_CHANGE);
	nl_put_u32(&r, OCFABRIC_A_CONFIG_CHANGE_CARD, node_number());
	if (check)
		nl_put(&r, OCFABRIC_A_CONFIG_CHANGE_CHECK, NULL, 0);
	for (unsigned int i = 0; i < count; i++) {
		at[i] = r.length;
		put_step(&r, &steps[i]);
	}
	at[count] = r.length;
	ret = nl_call(nl, &r, 0, a);
	*index = ~0u;
	/* the step itself, or one of its attributes */
	for (unsigned int i = 0; i < count; i++)
		if (a->offset >= at[i] && a->offset < at[i + 1])
			*index = i;
	free(at);
	if (a == &own)
		nl_answer_free(&own);
	return ret;
}

int nl_listen(struct nl *nl)
{
	if (!nl->group)
		return -ENOENT;
	return setsockopt(nl->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &nl->group,
			  sizeof(nl->group)) ? -errno : 0;
}

int nl_event(struct nl *nl, unsigned int ms, uint8_t *buffer, size_t room)
{
	struct pollfd p = { .fd = nl->fd, .events = POLLIN };

	if (poll(&p, 1, ms) != 1)
		return -ETIMEDOUT;
	return recv(nl->fd, buffer, room, 0) < 0 ? -errno : 0;
}
