// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Generic netlink by libnl 3.7, which neither asks for nor parses extended
 * acks, and whose error codes lose the errno: both are done here. The only file
 * that knows libnl.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/family.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>

#include "nl.h"

#define ATTRS		64
#define MAX_ERRNO	4095
#define TRIES		4		/* of a dump that was interrupted */
#define BUFFER		(4 << 20)	/* the largest change fits */
#define REQUEST_NS	(10 * NS_PER_S)	/* if --timeout says nothing */

struct nl {
	struct nl_sock *sock;
	struct nl_sock *events;
	int family;
};

struct fab_attrs {
	struct nlattr *tb[ATTRS];
};

struct answer {
	struct nl_msg *msg;
};

/* A request under way. */
struct request {
	struct nl_msg *msg;
	struct fab_reply reply;
	struct answer *got;	/* messages of the answer */
	size_t nr;
	bool done;
	bool interrupted;
	bool no_memory;
};

/* ---- extended acks ------------------------------------------------------ */

static const char *const change_attrs[] = {
	[OCFABRIC_A_CHANGE_OP] = "op",
	[OCFABRIC_A_CHANGE_SRC] = "src",
	[OCFABRIC_A_CHANGE_DST] = "dst",
	[OCFABRIC_A_CHANGE_QPN] = "qpn",
	[OCFABRIC_A_CHANGE_VALUE] = "value",
	[OCFABRIC_A_CHANGE_OFFSET] = "offset",
	[OCFABRIC_A_CHANGE_LENGTH] = "length",
	[OCFABRIC_A_CHANGE_SEM_FIRST] = "sem-first",
	[OCFABRIC_A_CHANGE_SEM_COUNT] = "sem-count",
};

static const char *const change_names[] = {
	[OCFABRIC_A_CONFIG_CHANGE_CARD] = "card",
	[OCFABRIC_A_CONFIG_CHANGE_CHECK] = "check",
	[OCFABRIC_A_CONFIG_CHANGE_STEP] = "step",
};

static const char *const control_names[] = {
	[OCFABRIC_A_CONTROL_CARD] = "card",
	[OCFABRIC_A_CONTROL_RESET_TARGET] = "reset-target",
	[OCFABRIC_A_CONTROL_LINK] = "link",
	[OCFABRIC_A_CONTROL_QPN] = "qpn",
};

static const char *const moderation_names[] = {
	[OCFABRIC_A_MODERATION_CARD] = "card",
	[OCFABRIC_A_MODERATION_REPLICA] = "replica",
	[OCFABRIC_A_MODERATION_BURST] = "burst",
	[OCFABRIC_A_MODERATION_TIMER] = "timer",
	[OCFABRIC_A_MODERATION_MODE] = "mode",
};

static const char *const qp_names[] = {
	[OCFABRIC_A_QP_CARD] = "card",
	[OCFABRIC_A_QP_LINK] = "link",
	[OCFABRIC_A_QP_QPN] = "qpn",
	[OCFABRIC_A_QP_STATE] = "state",
	[OCFABRIC_A_QP_SEND_PSN] = "send-psn",
	[OCFABRIC_A_QP_EXPECTED_PSN] = "expected-psn",
	[OCFABRIC_A_QP_WINDOW] = "window",
	[OCFABRIC_A_QP_MTU] = "mtu",
	[OCFABRIC_A_QP_RETRY_LIMIT] = "retry",
	[OCFABRIC_A_QP_RNR_LIMIT] = "rnr-retry",
	[OCFABRIC_A_QP_TIMEOUT] = "timeout",
	[OCFABRIC_A_QP_RNR_TIMER] = "rnr-timer",
};

static const char *const queue_names[] = {
	[OCFABRIC_A_QUEUE_CARD] = "card",
	[OCFABRIC_A_QUEUE_REPLICA] = "replica",
	[OCFABRIC_A_QUEUE_WEIGHT] = "weight",
};

static const char *const device_names[] = {
	[OCFABRIC_A_DEVICE_CARD] = "card",
	[OCFABRIC_A_DEVICE_STALL_LIMIT] = "stall-limit",
	[OCFABRIC_A_DEVICE_STORM_LIMIT] = "storm-limit",
};

static const char *name_in(const char *const *names, size_t nr, int type)
{
	if (type < 0 || (size_t)type >= nr || !names[type])
		return "?";
	return names[type];
}

/* An attribute of this request. */
static const char *attr_name(int cmd, int type)
{
	switch (cmd) {
	case OCFABRIC_CMD_CONFIG_CHANGE:
		return name_in(change_names, ARRAY_SIZE(change_names), type);
	case OCFABRIC_CMD_MODERATION_SET:
		return name_in(moderation_names, ARRAY_SIZE(moderation_names), type);
	case OCFABRIC_CMD_QP_SET:
		return name_in(qp_names, ARRAY_SIZE(qp_names), type);
	case OCFABRIC_CMD_QUEUE_SET:
		return name_in(queue_names, ARRAY_SIZE(queue_names), type);
	case OCFABRIC_CMD_DEVICE_SET:
		return name_in(device_names, ARRAY_SIZE(device_names), type);
	default:
		return name_in(control_names, ARRAY_SIZE(control_names), type);
	}
}

/* Which part of a step lies at this offset; the whole step when none does. */
static void name_in_step(struct fab_reply *reply, const char *base,
			 struct nlattr *step, size_t offset)
{
	struct nlattr *inner;
	int left;

	snprintf(reply->attr, sizeof(reply->attr), "step %ld", reply->step);
	nla_for_each_nested(inner, step, left) {
		size_t at = (size_t)((char *)inner - base);

		if (offset < at || offset >= at + (size_t)nla_total_size(nla_len(inner)))
			continue;
		snprintf(reply->attr, sizeof(reply->attr), "step %ld, %s",
			 reply->step,
			 name_in(change_attrs, ARRAY_SIZE(change_attrs),
				 nla_type(inner)));
	}
}

/* What lies at this offset of the request: its name, and which step it is. */
static void name_offset(struct request *rq, size_t offset)
{
	struct nlmsghdr *hdr = nlmsg_hdr(rq->msg);
	struct genlmsghdr *genl = nlmsg_data(hdr);
	bool change = genl->cmd == OCFABRIC_CMD_CONFIG_CHANGE;
	struct nlattr *attr;
	long step = -1;
	int left;

	nla_for_each_attr(attr, genlmsg_attrdata(genl, 0),
			  genlmsg_attrlen(genl, 0), left) {
		size_t at = (size_t)((char *)attr - (char *)hdr);
		bool is_step = change &&
			       nla_type(attr) == OCFABRIC_A_CONFIG_CHANGE_STEP;

		step += is_step;
		if (offset < at || offset >= at + (size_t)nla_total_size(nla_len(attr)))
			continue;
		if (is_step) {
			rq->reply.step = step;
			name_in_step(&rq->reply, (char *)hdr, attr, offset);
			return;
		}
		snprintf(rq->reply.attr, sizeof(rq->reply.attr), "%s",
			 attr_name(genl->cmd, nla_type(attr)));
		return;
	}
}

static void replace_unprintable(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || (unsigned char)*s > 0x7e)
			*s = '?';
}

static void parse_ext_ack(struct request *rq, void *attrs, int length)
{
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1];
	struct nlattr *a;

	if (length <= 0 ||
	    nla_parse(tb, NLMSGERR_ATTR_MAX, attrs, length, NULL) < 0)
		return;
	a = tb[NLMSGERR_ATTR_MSG];
	if (a) {
		nla_strlcpy(rq->reply.text, a, sizeof(rq->reply.text));
		replace_unprintable(rq->reply.text);
	}
	a = tb[NLMSGERR_ATTR_OFFS];
	if (a && nla_len(a) >= 4)
		name_offset(rq, nla_get_u32(a));
}

/* The errno of an answer's number; what is none is not taken for success. */
static int errno_of(int error)
{
	return error < -MAX_ERRNO || error > 0 ? EPROTO : -error;
}

/* After the error number comes the request, or its header if it is capped. */
static void parse_ack(struct request *rq, struct nlmsghdr *hdr)
{
	struct nlmsgerr *e = nlmsg_data(hdr);
	size_t length = (size_t)nlmsg_datalen(hdr), request = 0;

	if (length < sizeof(*e))
		return;
	length -= sizeof(*e);
	rq->reply.error = errno_of(e->error);
	if (!(hdr->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(hdr->nlmsg_flags & NLM_F_CAPPED) &&
	    e->msg.nlmsg_len > NLMSG_HDRLEN)
		request = e->msg.nlmsg_len - NLMSG_HDRLEN;
	if (request > length || NLMSG_ALIGN(request) > length)
		return;
	parse_ext_ack(rq, (char *)e + sizeof(*e) + NLMSG_ALIGN(request),
		      (int)(length - NLMSG_ALIGN(request)));
}

/* ---- callbacks of libnl ------------------------------------------------- */

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct request *rq = arg;
	struct answer *more;

	if (nlmsg_hdr(msg)->nlmsg_flags & NLM_F_DUMP_INTR)
		rq->interrupted = true;
	more = realloc(rq->got, (rq->nr + 1) * sizeof(*more));
	if (!more) {
		rq->no_memory = true;
		return NL_OK;
	}
	nlmsg_get(msg);
	rq->got = more;
	rq->got[rq->nr++].msg = msg;
	return NL_OK;
}

/* The end of a dump carries an errno, and may carry a sentence. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct request *rq = arg;
	int error = 0;

	rq->done = true;
	if (hdr->nlmsg_flags & NLM_F_DUMP_INTR)
		rq->interrupted = true;
	if ((size_t)nlmsg_datalen(hdr) < sizeof(error))
		return NL_STOP;
	memcpy(&error, nlmsg_data(hdr), sizeof(error));
	if (error < 0)
		rq->reply.error = errno_of(error);
	if (hdr->nlmsg_flags & NLM_F_ACK_TLVS)
		parse_ext_ack(rq, (char *)nlmsg_data(hdr) + NLMSG_ALIGN(sizeof(error)),
			      nlmsg_datalen(hdr) - (int)NLMSG_ALIGN(sizeof(error)));
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct request *rq = arg;

	parse_ack(rq, nlmsg_hdr(msg));
	rq->done = true;
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *arg)
{
	struct request *rq = arg;

	(void)from;
	parse_ack(rq, (struct nlmsghdr *)((char *)e - NLMSG_HDRLEN));
	rq->done = true;
	return NL_STOP;
}

/* ---- requests ----------------------------------------------------------- */

static void drop_answer(struct request *rq)
{
	while (rq->nr)
		nlmsg_free(rq->got[--rq->nr].msg);
	free(rq->got);
	rq->got = NULL;
}

static int receive(struct ctl *ctl, struct request *rq, struct nl_cb *cb)
{
	int64_t deadline = now_ns() + REQUEST_NS;
	struct pollfd p = { .fd = nl_socket_get_fd(ctl->nl->sock),
			    .events = POLLIN };
	int error;

	if (ctl->timeout_ns >= 0)
		deadline = ctl->deadline;
	while (!rq->done) {
		error = poll(&p, 1, poll_ms(deadline, 1000));
		if (error < 0 && errno != EINTR)
			return fail(ST_REFUSED, "poll: %s", strerror(errno));
		if (error <= 0) {
			if (now_ns() < deadline)
				continue;
			return fail(ST_TIMEOUT, "the kernel gave no answer in time");
		}
		error = nl_recvmsgs(ctl->nl->sock, cb);
		if (error == -NLE_DUMP_INTR)
			rq->interrupted = true;
		else if (error < 0 && !rq->done && error != -NLE_AGAIN)
			return fail(ST_REFUSED, "netlink: %s",
				    nl_geterror(error));
	}
	return 0;
}

static int send_request(struct ctl *ctl, struct request *rq)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int error;

	if (!cb)
		return fail(ST_REFUSED, "no memory for a request");
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, rq);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, rq);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, rq);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, rq);

	errno = 0;
	error = nl_send_auto(ctl->nl->sock, rq->msg);
	if (error < 0)
		error = fail(ST_REFUSED, "sending a request: %s",
			     errno ? strerror(errno) : nl_geterror(error));
	else
		error = receive(ctl, rq, cb);
	nl_cb_put(cb);
	return error;
}

static struct nl_msg *new_msg(struct ctl *ctl, int cmd, int flags,
			      size_t size)
{
	struct nl_msg *msg = size ? nlmsg_alloc_size(size) : nlmsg_alloc();

	if (msg && !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, ctl->nl->family,
				0, flags, (uint8_t)cmd, OCFABRIC_FAMILY_VERSION)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	if (!msg)
		fail(ST_REFUSED, "no memory for a request");
	return msg;
}

static int hand_on(struct nl_msg *msg, fab_each *each, void *arg)
{
	struct genlmsghdr *genl = nlmsg_data(nlmsg_hdr(msg));
	struct fab_attrs attrs;

	if (nlmsg_datalen(nlmsg_hdr(msg)) < (int)sizeof(*genl))
		return 0;
	memset(&attrs, 0, sizeof(attrs));
	if (nla_parse(attrs.tb, ATTRS - 1, genlmsg_attrdata(genl, 0),
		      genlmsg_attrlen(genl, 0), NULL) < 0)
		return fail(ST_REFUSED, "the kernel's answer cannot be read");
	return each(&attrs, arg);
}

/* Sends, again if a dump was torn, and hands the answer on. */
static int ask(struct ctl *ctl, struct request *rq, fab_each *each, void *arg)
{
	int error, tries;
	size_t i;

	for (tries = 0; tries < TRIES; tries++) {
		rq->done = false;
		rq->interrupted = false;
		nlmsg_hdr(rq->msg)->nlmsg_seq = NL_AUTO_SEQ;
		error = send_request(ctl, rq);
		if (error || rq->reply.error || rq->no_memory ||
		    !rq->interrupted)
			break;
		drop_answer(rq);
	}
	if (!error && rq->no_memory)
		error = fail(ST_REFUSED, "no memory for the answer");
	if (!error && !rq->reply.error && rq->interrupted)
		error = fail(ST_REFUSED, "the tables kept changing while they were read; try again");
	for (i = 0; each && !error && !rq->reply.error && i < rq->nr; i++)
		error = hand_on(rq->got[i].msg, each, arg);
	drop_answer(rq);
	return error;
}

static const char *what_is(int cmd)
{
	static const char *const names[] = {
		[OCFABRIC_CMD_DEVICE_GET] = "reading the cards",
		[OCFABRIC_CMD_CONFIG_GET] = "reading the configuration",
		[OCFABRIC_CMD_REGION_GET] = "reading the regions",
		[OCFABRIC_CMD_CONNECTION_GET] = "reading the connections",
		[OCFABRIC_CMD_WINDOW_GET] = "reading the windows",
		[OCFABRIC_CMD_COUNTERS_GET] = "reading the counters",
		[OCFABRIC_CMD_REPLICA_GET] = "reading the replicas",
		[OCFABRIC_CMD_REJECT_GET] = "reading the rejects",
		[OCFABRIC_CMD_SEMAPHORE_GET] = "reading the semaphores",
		[OCFABRIC_CMD_MODERATION_SET] = "setting the moderation",
		[OCFABRIC_CMD_CONFIG_CHANGE] = "changing the configuration",
		[OCFABRIC_CMD_DRAIN] = "draining",
		[OCFABRIC_CMD_RESUME] = "resuming",
		[OCFABRIC_CMD_RESET] = "resetting",
		[OCFABRIC_CMD_STAGE_GET] = "reading the stages",
		[OCFABRIC_CMD_QP_GET] = "reading the queue pairs",
		[OCFABRIC_CMD_QP_SET] = "setting the queue pair",
		[OCFABRIC_CMD_QUEUE_SET] = "setting the queue",
		[OCFABRIC_CMD_DEVICE_SET] = "setting the limit",
		[OCFABRIC_CMD_RING_GET] = "reading the rings",
	};

	return name_in(names, ARRAY_SIZE(names), cmd);
}

int fab_refused(const struct fab_reply *reply, const char *what)
{
	const char *text = reply->text[0] ? reply->text : strerror(reply->error);

	if ((reply->error == EPERM || reply->error == EACCES) &&
	    !reply->text[0])
		text = "needs CAP_NET_ADMIN in the initial user namespace (be root)";
	return fail(status_of(reply->error), "%s: %s%s%s%s", what, text,
		    reply->attr[0] ? " (" : "", reply->attr,
		    reply->attr[0] ? ")" : "");
}

static int simple(struct ctl *ctl, int cmd, int flags, uint32_t card,
		  const struct fab_value *values, unsigned int nr,
		  fab_each *each, void *arg)
{
	struct request rq = { .reply.step = -1 };
	unsigned int i;
	int error;

	rq.msg = new_msg(ctl, cmd, flags, 0);
	if (!rq.msg)
		return ST_REFUSED;
	/* The number of the card is attribute 1 in every set. */
	if (card != FAB_ANY_CARD)
		nla_put_u32(rq.msg, OCFABRIC_A_CONTROL_CARD, card);
	for (i = 0; i < nr; i++)
		nla_put_u32(rq.msg, values[i].attr, values[i].value);
	error = ask(ctl, &rq, each, arg);
	nlmsg_free(rq.msg);
	if (!error && rq.reply.error)
		error = fab_refused(&rq.reply, what_is(cmd));
	return error;
}

int fab_dump(struct ctl *ctl, int cmd, uint32_t card, fab_each *each, void *arg)
{
	return simple(ctl, cmd, NLM_F_REQUEST | NLM_F_DUMP, card, NULL, 0, each,
		      arg);
}

int fab_get(struct ctl *ctl, int cmd, uint32_t card, fab_each *each, void *arg)
{
	return simple(ctl, cmd, NLM_F_REQUEST | NLM_F_ACK, card, NULL, 0, each,
		      arg);
}

int fab_control(struct ctl *ctl, int cmd, uint32_t card,
		const struct fab_value *values, unsigned int nr)
{
	return simple(ctl, cmd, NLM_F_REQUEST | NLM_F_ACK, card, values, nr,
		      NULL, NULL);
}

/* An attribute of type uint: 4 bytes if they suffice, else 8. */
static int put_uint(struct nl_msg *msg, int attr, uint64_t value)
{
	if (!value)
		return 0;
	if (value <= UINT32_MAX)
		return nla_put_u32(msg, attr, (uint32_t)value);
	return nla_put_u64(msg, attr, value);
}

static int put_u32(struct nl_msg *msg, int attr, uint32_t value)
{
	return value ? nla_put_u32(msg, attr, value) : 0;
}

static int put_step(struct nl_msg *msg, const struct ocfabric_change *step)
{
	struct nlattr *nest = nla_nest_start(msg, OCFABRIC_A_CONFIG_CHANGE_STEP |
						  NLA_F_NESTED);

	if (!nest)
		return -1;
	if (nla_put_u32(msg, OCFABRIC_A_CHANGE_OP, step->op) ||
	    put_u32(msg, OCFABRIC_A_CHANGE_SRC, step->src) ||
	    put_u32(msg, OCFABRIC_A_CHANGE_DST, step->dst) ||
	    put_u32(msg, OCFABRIC_A_CHANGE_QPN, step->qpn) ||
	    put_uint(msg, OCFABRIC_A_CHANGE_VALUE, step->value) ||
	    put_uint(msg, OCFABRIC_A_CHANGE_OFFSET, step->offset) ||
	    put_uint(msg, OCFABRIC_A_CHANGE_LENGTH, step->length) ||
	    put_u32(msg, OCFABRIC_A_CHANGE_SEM_FIRST, step->sem_first) ||
	    put_u32(msg, OCFABRIC_A_CHANGE_SEM_COUNT, step->sem_count))
		return -1;
	nla_nest_end(msg, nest);
	return 0;
}

int fab_change(struct ctl *ctl, uint32_t card, bool check,
	      const struct ocfabric_change *steps, size_t nr,
	      struct fab_reply *reply)
{
	struct request rq = { .reply.step = -1 };
	int error = 0;
	size_t i;

	rq.msg = new_msg(ctl, OCFABRIC_CMD_CONFIG_CHANGE,
			 NLM_F_REQUEST | NLM_F_ACK, 256 + nr * 96);
	if (!rq.msg)
		return ST_REFUSED;
	error = nla_put_u32(rq.msg, OCFABRIC_A_CONFIG_CHANGE_CARD, card);
	if (check && !error)
		error = nla_put_flag(rq.msg, OCFABRIC_A_CONFIG_CHANGE_CHECK);
	for (i = 0; i < nr && !error; i++)
		error = put_step(rq.msg, &steps[i]);
	if (error)
		error = fail(ST_REFUSED, "the change is too large for a message");
	else
		error = ask(ctl, &rq, NULL, NULL);
	nlmsg_free(rq.msg);
	*reply = rq.reply;
	return error ? error : reply->error ? FAB_REFUSED : 0;
}

/* ---- attributes --------------------------------------------------------- */

bool fab_u64(const struct fab_attrs *attrs, int attr, uint64_t *value)
{
	struct nlattr *a = attrs->tb[attr];

	if (!a)
		return false;
	if (nla_len(a) == 4)
		*value = nla_get_u32(a);
	else if (nla_len(a) == 8)
		*value = nla_get_u64(a);
	else
		return false;
	return true;
}

uint64_t fab_number(const struct fab_attrs *attrs, int attr)
{
	uint64_t value = 0;

	fab_u64(attrs, attr, &value);
	return value;
}

bool fab_string(const struct fab_attrs *attrs, int attr, char *buf, size_t size)
{
	struct nlattr *a = attrs->tb[attr];

	buf[0] = 0;
	if (!a)
		return false;
	nla_strlcpy(buf, a, size);
	replace_unprintable(buf);
	return true;
}

const uint8_t *fab_bytes(const struct fab_attrs *attrs, int attr, size_t *length)
{
	struct nlattr *a = attrs->tb[attr];

	if (!a)
		return NULL;
	*length = (size_t)nla_len(a);
	return nla_data(a);
}

/* ---- sockets ------------------------------------------------------------ */

static int no_driver(void)
{
	return fail(ST_NO_DRIVER, "the driver is not loaded; load it with: modprobe ocfabric (or insmod ocfabric.ko)");
}

static struct nl_sock *new_socket(void)
{
	struct nl_sock *sock = nl_socket_alloc();
	int on = 1, fd, error;

	if (!sock) {
		fail(ST_REFUSED, "no memory for a socket");
		return NULL;
	}
	nl_socket_disable_auto_ack(sock);
	error = genl_connect(sock);
	if (error < 0) {
		fail(ST_REFUSED, "generic netlink: %s", nl_geterror(error));
		nl_socket_free(sock);
		return NULL;
	}
	fd = nl_socket_get_fd(sock);
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	nl_socket_set_buffer_size(sock, 1 << 20, 1 << 20);
	return sock;
}

/* A large change is one message, and a message must fit the send buffer. */
static void grow_send_buffer(struct nl_sock *sock)
{
	int size = BUFFER;

	setsockopt(nl_socket_get_fd(sock), SOL_SOCKET, SO_SNDBUFFORCE, &size,
		   sizeof(size));
}

int fab_open(struct ctl *ctl)
{
	struct nl *nl = calloc(1, sizeof(*nl));

	if (!nl)
		return fail(ST_REFUSED, "no memory for a socket");
	ctl->nl = nl;
	nl->sock = new_socket();
	if (!nl->sock)
		return ST_REFUSED;
	nl->family = genl_ctrl_resolve(nl->sock, OCFABRIC_FAMILY_NAME);
	if (nl->family < 0)
		return no_driver();
	nl_socket_set_nonblocking(nl->sock);
	grow_send_buffer(nl->sock);
	return 0;
}

void fab_close(struct ctl *ctl)
{
	if (!ctl->nl)
		return;
	nl_socket_free(ctl->nl->events);
	nl_socket_free(ctl->nl->sock);
	free(ctl->nl);
	ctl->nl = NULL;
}

/* ---- events ------------------------------------------------------------- */

int fab_events_open(struct ctl *ctl)
{
	struct nl_sock *sock = new_socket();
	int group, control;

	if (!sock)
		return ST_REFUSED;
	ctl->nl->events = sock;
	/* On the blocking side of things until the groups are known. */
	group = genl_ctrl_resolve_grp(sock, OCFABRIC_FAMILY_NAME,
				      OCFABRIC_MCGRP_EVENTS);
	control = genl_ctrl_resolve_grp(sock, "nlctrl", "notify");
	if (group < 0 || control < 0)
		return no_driver();
	nl_socket_disable_seq_check(sock);
	if (nl_socket_add_memberships(sock, group, control, 0) < 0)
		return fail(ST_REFUSED, "joining the group of events: %s",
			    strerror(errno));
	nl_socket_set_nonblocking(sock);
	return 0;
}

int fab_events_fd(const struct ctl *ctl)
{
	return nl_socket_get_fd(ctl->nl->events);
}

struct event_reader {
	struct ctl *ctl;
	fab_each *each;
	void *arg;
	bool gone;
};

static bool says_gone(const struct ctl *ctl, struct nl_msg *msg)
{
	struct genlmsghdr *genl = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *tb[CTRL_ATTR_MAX + 1];

	return genl->cmd == CTRL_CMD_DELFAMILY &&
	       !nla_parse(tb, CTRL_ATTR_MAX, genlmsg_attrdata(genl, 0),
			  genlmsg_attrlen(genl, 0), NULL) &&
	       tb[CTRL_ATTR_FAMILY_ID] &&
	       nla_len(tb[CTRL_ATTR_FAMILY_ID]) == 2 &&
	       nla_get_u16(tb[CTRL_ATTR_FAMILY_ID]) == ctl->nl->family;
}

static int on_event(struct nl_msg *msg, void *arg)
{
	struct event_reader *reader = arg;
	struct nlmsghdr *hdr = nlmsg_hdr(msg);

	if (nlmsg_datalen(hdr) < (int)sizeof(struct genlmsghdr))
		return NL_SKIP;
	if (hdr->nlmsg_type == GENL_ID_CTRL)
		reader->gone |= says_gone(reader->ctl, msg);
	else if (hdr->nlmsg_type == reader->ctl->nl->family)
		hand_on(msg, reader->each, reader->arg);
	return NL_OK;
}

enum fab_events_result fab_events_read(struct ctl *ctl, fab_each *each, void *arg)
{
	struct event_reader reader = { .ctl = ctl, .each = each, .arg = arg };
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int error;

	if (!cb) {
		fail(ST_REFUSED, "no memory for events");
		return FAB_EVENTS_ERROR;
	}
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_event, &reader);
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, NULL, NULL);
	error = nl_recvmsgs(ctl->nl->events, cb);
	nl_cb_put(cb);
	if (reader.gone)
		return FAB_EVENTS_GONE;
	/* libnl's word for ENOBUFS */
	if (error == -NLE_NOMEM)
		return FAB_EVENTS_LOST;
	if (error < 0 && error != -NLE_AGAIN && error != -NLE_INTR) {
		fail(ST_REFUSED, "reading events: %s", nl_geterror(error));
		return FAB_EVENTS_ERROR;
	}
	return FAB_EVENTS_OK;
}
