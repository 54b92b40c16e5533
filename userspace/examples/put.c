// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * put REPLICA QPN RADDR TEXT: as a replica, put a text into a peer's region
 *
 * The payload goes first, then a flag in the word before it. Writes of one link
 * become visible in their order: who sees the flag finds the text.
 */
#include <ocfabric.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_NS	1000000000

/* Posts were rung; takes their completions, until a write failed or all are in. */
static int take(struct ocf_replica *r, unsigned int count)
{
	struct ocf_completion c;
	int error;

	while (count) {
		error = ocf_wait(r, WAIT_NS);
		if (error)
			return error;
		if (!ocf_poll(r, &c, 1))
			continue;
		count--;
		printf("qpn %u: %s, %u bytes\n", c.qpn, ocf_verdict_name(c.status),
		       c.bytes);
		if (c.status != OCFABRIC_VERDICT_COMMITTED)
			return -EIO;
	}
	return 0;
}

static int put(struct ocf_replica *r, uint32_t qpn, uint64_t raddr,
	       const char *text)
{
	uint32_t len = (uint32_t)strlen(text), flag = 1;
	struct ocf_memory mem;
	int error = ocf_buffer_add(r, len + 1, &mem);

	if (error)
		return error;
	memcpy(mem.addr, text, len);

	error = ocf_post_write(r, qpn, raddr + 4, len, mem.key, 0, 0);
	if (error >= 0)
		error = ocf_post_inline(r, qpn, raddr, sizeof(flag), &flag, 0);
	if (error >= 0) {
		ocf_ring(r);
		error = take(r, 2);
	}
	ocf_memory_del(r, &mem);
	return error;
}

int main(int argc, char **argv)
{
	struct ocf_device *dev;
	struct ocf_replica *r;
	int error;

	if (argc != 5 || !*argv[4]) {
		fprintf(stderr, "usage: put REPLICA QPN RADDR TEXT\n");
		return 2;
	}
	dev = ocf_open(NULL);
	r = dev ? ocf_attach(dev, (unsigned int)strtoul(argv[1], NULL, 0), NULL) : NULL;
	if (!r) {
		fprintf(stderr, "put: %s\n", ocf_error());
		return 1;
	}
	error = put(r, (uint32_t)strtoul(argv[2], NULL, 0),
		    strtoull(argv[3], NULL, 0), argv[4]);
	if (error)
		fprintf(stderr, "put: %s\n", strerror(-error));
	ocf_detach(r);
	ocf_close(dev);
	return error ? 1 : 0;
}
