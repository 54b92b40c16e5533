// SPDX-License-Identifier: LGPL-2.1-or-later
/* --trace: a line of output for each line issued and each response. */
#include <inttypes.h>

#include "trace.h"

static void trace_aw(void *opaque, uint64_t cycle, uint64_t addr,
		     uint64_t strb)
{
	const struct trace_link *t = opaque;

	fprintf(t->sim->out, "{\"ev\":\"aw\",\"cycle\":%" PRIu64 ",\"link\":%u,"
		"\"seq\":%" PRIu64 ",\"addr\":%" PRIu64 ",\"strb\":\"%016"
		PRIx64 "\"}\n", cycle, t->link, t->sim->seq, addr, strb);
}

static void trace_b(void *opaque, uint64_t cycle, uint64_t addr,
		    enum ocf_resp resp)
{
	static const char *const names[] = {
		[OCF_OKAY] = "OKAY",
		[OCF_SLVERR] = "SLVERR",
		[OCF_DECERR] = "DECERR",
	};
	const struct trace_link *t = opaque;

	fprintf(t->sim->out, "{\"ev\":\"b\",\"cycle\":%" PRIu64 ",\"link\":%u,"
		"\"seq\":%" PRIu64 ",\"addr\":%" PRIu64 ",\"resp\":\"%s\"}\n",
		cycle, t->link, t->sim->seq, addr, names[resp]);
}

void trace_attach(struct sim *sim)
{
	static struct trace_link links[OCF_REPLICAS];
	unsigned int link;

	for (link = 0; link < OCF_REPLICAS; link++) {
		links[link].sim = sim;
		links[link].link = link;
		sim->beat[link].opaque = &links[link];
		sim->beat[link].aw = trace_aw;
		sim->beat[link].b = trace_b;
	}
}
