// SPDX-License-Identifier: GPL-2.0-only
/*
 * fabricctl's verbs that read the card, and a kernel whose answers are the input:
 * messages of any kind and attributes of any length. Sending and receiving are played
 * here, the rest is the program's own. It must end each time, with one of its exit
 * statuses.
 */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "fabricctl/nl.h"
#include "fuzz.h"

#define FAMILY		0x21
#define ANSWERS_MAX	64u

static struct bytes in;
static uint32_t seq, port;
static unsigned int answers;	/* of this input */
static bool resolving;		/* the family's number is asked for */
static bool dump;

static const char *const verbs[][4] = {
	{ "show", "devices" }, { "show", "config" }, { "show", "windows" },
	{ "show", "connections" }, { "show", "regions" }, { "show", "counters" },
	{ "show", "replicas" }, { "show", "rejects" }, { "show", "stages" },
	{ "show", "qps" }, { "show", "map" }, { "show", "semaphores" },
	{ "show", "queues" }, { "drain" }, { "save" }, { "set", "latency", "7" },
};

#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	const struct nlmsghdr *hdr = msg->msg_iov[0].iov_base;

	(void)fd;
	(void)flags;
	MUST(msg->msg_iov[0].iov_len >= sizeof(*hdr) &&
	     hdr->nlmsg_len <= msg->msg_iov[0].iov_len);
	seq = hdr->nlmsg_seq;
	port = hdr->nlmsg_pid;
	resolving = hdr->nlmsg_type == GENL_ID_CTRL;
	dump = hdr->nlmsg_flags & NLM_F_DUMP;
	return hdr->nlmsg_len;
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	(void)timeout;
	for (nfds_t i = 0; i < n; i++)
		fds[i].revents = fds[i].events & POLLIN;
	return (int)n;
}

static struct nlattr *put(uint8_t *buf, size_t *at, uint16_t type, const void *data,
			  uint16_t length)
{
	struct nlattr *a = (struct nlattr *)(void *)(buf + *at);

	a->nla_type = type;
	a->nla_len = (uint16_t)(NLA_HDRLEN + length);
	memcpy(buf + *at + NLA_HDRLEN, data, length);
	*at += NLA_ALIGN(a->nla_len);
	return a;
}

/* What the kernel says of the family, as it is. */
static size_t the_family(uint8_t *buf)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)(void *)buf;
	struct genlmsghdr *genl = (struct genlmsghdr *)(void *)(buf + NLMSG_HDRLEN);
	uint16_t family = FAMILY;
	size_t at = NLMSG_HDRLEN + GENL_HDRLEN;

	genl->cmd = CTRL_CMD_NEWFAMILY;
	put(buf, &at, CTRL_ATTR_FAMILY_NAME, OCFABRIC_FAMILY_NAME,
	    sizeof(OCFABRIC_FAMILY_NAME));
	put(buf, &at, CTRL_ATTR_FAMILY_ID, &family, sizeof(family));
	*hdr = (struct nlmsghdr){ .nlmsg_len = (uint32_t)at, .nlmsg_type = GENL_ID_CTRL,
				  .nlmsg_seq = seq, .nlmsg_pid = port };
	return at;
}

/* Attributes: mostly of the lengths that numbers and names have, sometimes any. */
static size_t attributes(uint8_t *buf, size_t at, size_t room)
{
	unsigned int n = take8(&in) % 24;
	uint8_t data[256];

	while (n-- && at + sizeof(data) + 8 < room) {
		static const uint16_t lengths[] = { 4, 8, 1, 2, 0, 16, 256 };
		uint8_t how = take8(&in);
		uint16_t length = lengths[(how >> 5) % 7];
		struct nlattr *a;

		memset(data, 0, sizeof(data));
		take(&in, data, length > 32 ? 32 : length);
		a = put(buf, &at, how & 31, data, length);
		if (how == 0xff)
			a->nla_len = take16(&in);
	}
	return at;
}

static size_t end(uint8_t *buf)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)(void *)buf;

	memset(buf, 0, 64);
	*hdr = (struct nlmsghdr){ .nlmsg_len = NLMSG_HDRLEN + (dump ? 4 : 20),
				  .nlmsg_type = dump ? NLMSG_DONE : NLMSG_ERROR,
				  .nlmsg_flags = dump ? NLM_F_MULTI : 0,
				  .nlmsg_seq = seq, .nlmsg_pid = port };
	return hdr->nlmsg_len;
}

static size_t any_answer(uint8_t *buf, size_t room)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)(void *)buf;
	size_t at = NLMSG_HDRLEN;
	uint8_t how = take8(&in);
	int32_t error;

	memset(buf, 0, 64);
	*hdr = (struct nlmsghdr){ .nlmsg_type = FAMILY, .nlmsg_seq = seq,
				  .nlmsg_pid = port };
	if (how & 1)
		hdr->nlmsg_flags = take16(&in);
	else if (dump)
		hdr->nlmsg_flags = NLM_F_MULTI;
	switch (how >> 1 & 7) {
	case 0:
		hdr->nlmsg_type = NLMSG_ERROR;
		error = how & 16 ? -(int32_t)take8(&in) : (int32_t)take32(&in);
		memcpy(buf + at, &error, sizeof(error));
		at += sizeof(struct nlmsgerr);
		if (how & 32)
			take(&in, buf + NLMSG_HDRLEN + 4, sizeof(struct nlmsghdr));
		at = how & 64 ? attributes(buf, at, room) : at;
		break;
	case 1:
		hdr->nlmsg_type = NLMSG_DONE;
		error = -(int32_t)take8(&in);
		memcpy(buf + at, &error, sizeof(error));
		at += sizeof(error);
		at = how & 64 ? attributes(buf, at, room) : at;
		break;
	case 2:
		hdr->nlmsg_type = take16(&in);
		break;
	default:
		buf[at] = take8(&in);
		at = attributes(buf, at + GENL_HDRLEN, room);
		break;
	}
	hdr->nlmsg_len = (uint32_t)(how == 0xff ? take32(&in) : at);
	return at;
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	static uint8_t buf[16384] __attribute__((aligned(16)));
	struct sockaddr_nl *from = msg->msg_name;
	uint8_t *exact;
	size_t n;

	(void)fd;
	if (resolving)
		n = the_family(buf);
	else if (!in.left || answers++ > ANSWERS_MAX)
		n = end(buf);
	else
		n = any_answer(buf, sizeof(buf));
	if (from) {
		memset(from, 0, sizeof(*from));
		from->nl_family = AF_NETLINK;
		msg->msg_namelen = sizeof(*from);
	}
	msg->msg_flags = n > msg->msg_iov[0].iov_len ? MSG_TRUNC : 0;
	if (flags & MSG_PEEK)
		return (ssize_t)n;
	if (n > msg->msg_iov[0].iov_len)
		n = msg->msg_iov[0].iov_len;
	memcpy(msg->msg_iov[0].iov_base, buf, n);
	/* what is behind it in the buffer belongs to nobody */
	exact = msg->msg_iov[0].iov_base;
	memset(exact + n, 0xee, msg->msg_iov[0].iov_len - n);
	resolving = false;
	return (ssize_t)n;
}

static void run(struct ctl *ctl, unsigned int verb)
{
	char words[4][16], *list[4];
	int nr, used, status;

	for (nr = 0; nr < 4 && verbs[verb][nr]; nr++) {
		snprintf(words[nr], sizeof(words[nr]), "%s", verbs[verb][nr]);
		list[nr] = words[nr];
	}
	ctl->command = find_command(list, nr, &used);
	if (!ctl->command || parse_args(ctl, list + used, nr - used) ||
	    ctl->command->prepare)
		return;
	status = fab_open(ctl);
	if (!status)
		status = pick_cards(ctl);
	if (!status)
		status = ctl->command->run(ctl);
	MUST(status >= 0 && status < 128);
	free_cards(ctl);
	fab_close(ctl);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctl ctl = { .timeout_ns = -1, .deadline = INT64_MAX };
	uint8_t how;

	in = (struct bytes){ data, size };
	how = take8(&in);
	ctl.json = how & 0x80;
	answers = 0;
	run(&ctl, how % NR_VERBS);
	return 0;
}
