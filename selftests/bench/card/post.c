// SPDX-License-Identifier: GPL-2.0-only
/* Posting and draining, with every completion looked at */
#include "bench.h"

#define BATCH	32

unsigned int drain(struct ocf_replica *r)
{
	struct ocf_completion c[BATCH];
	unsigned int n = ocf_poll(r, c, BATCH);

	for (unsigned int i = 0; i < n; i++)
		if (c[i].status != OCFABRIC_VERDICT_COMMITTED)
			fail("a write ended as %s",
			     ocf_verdict_name(c[i].status));
	return n;
}

void drain_all(struct ocf_replica *r)
{
	while (r->done != r->posted)
		drain(r);
}

void post(const struct end *e, uint64_t to, uint64_t from, uint32_t size,
	  uint32_t flags)
{
	while (ocf_post_write(e->r, QPN, to, size, e->memory.key, from, flags) < 0)
		drain(e->r);
}
