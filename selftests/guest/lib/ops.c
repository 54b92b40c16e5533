// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scene of operations, and whether there is a row for each that the kernel has
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops.h"

int scene_open(struct scene *s)
{
	int ret;

	*s = (struct scene){ .node = -1, .r.fd = -1, .other = -1, .fd = -1, .nl.fd = -1 };
	s->memory = aligned_alloc(PAGE, OPS_REGION + PAGE);
	s->node = node_open(O_RDWR);
	if (s->node < 0)
		return s->node;
	memset(s->memory, 0, OPS_REGION + PAGE);
	ret = fabric_setup(s->node, OPS_N, OPS_REGION);
	if (!ret)
		ret = replica_open(&s->r, s->node, 0, (struct attach){ .tx_entries = 64 });
	if (ret)
		return ret;
	s->other = attach_fd(s->node, 2, (struct attach){ .tx_entries = 64 });
	return s->other < 0 ? s->other : nl_open(&s->nl);
}

void scene_close(struct scene *s)
{
	replica_close(&s->r);
	if (s->other >= 0)
		close(s->other);
	nl_close(&s->nl);
	if (s->node >= 0)
		close(s->node);
	free(s->memory);
}

/*
 * A structure that says its size is 0 is refused by each call that there is,
 * and changes nothing.
 */
static bool kernel_has_ioctl(const struct scene *s, unsigned long nr)
{
	uint64_t nothing[32] = {};

	return call(s->node, nr, nothing) != -ENOTTY || call(s->r.fd, nr, nothing) != -ENOTTY;
}

static bool has_ioctl(unsigned long nr)
{
	for (unsigned int i = 0; i < ops_ioctls; i++)
		if (ops_ioctl[i].ioctl == nr)
			return true;
	return false;
}

/* So is a request that does not name a card; a dump shows all of them. */
static bool kernel_has_command(struct scene *s, unsigned int cmd, bool dump)
{
	struct nl_answer a;
	struct nl_request r;
	int ret;

	nl_begin(&r, &s->nl, cmd);
	ret = nl_call(&s->nl, &r, dump ? NLM_F_DUMP : 0, &a);
	nl_answer_free(&a);
	return ret != -EOPNOTSUPP;
}

static bool has_command(unsigned int cmd, bool dump)
{
	for (unsigned int i = 0; i < ops_netlinks; i++)
		if (ops_netlink[i].cmd == cmd && ops_netlink[i].dump == dump)
			return true;
	return false;
}

unsigned int ops_missing(struct scene *s)
{
	unsigned int missing = 0;

	for (unsigned int nr = 0; nr < 256; nr++) {
		unsigned long cmd = _IO(OCFABRIC_IOCTL_TYPE, nr);

		if (kernel_has_ioctl(s, cmd) == has_ioctl(cmd))
			continue;
		printf("# ioctl 0x%x: the kernel and the table of operations differ\n", nr);
		missing++;
	}
	for (unsigned int cmd = 1; cmd < 256; cmd++) {
		for (int dump = 0; dump <= 1; dump++) {
			if (kernel_has_command(s, cmd, dump) == has_command(cmd, dump))
				continue;
			printf("# netlink command %u%s: the kernel and the table of operations differ\n",
			       cmd, dump ? ", dump" : "");
			missing++;
		}
	}
	return missing;
}
