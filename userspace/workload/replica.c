// SPDX-License-Identifier: LGPL-2.1-or-later
/* A replica: its state, and one step of it */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "workload.h"

bool wl_replica_init(struct wl_replica *r, const struct wl_plan *plan,
		     unsigned int id, struct wl_port *port,
		     const struct wl_limit *limit, const uint8_t *region)
{
	unsigned int peer;

	memset(r, 0, sizeof(*r));
	r->plan = plan;
	r->id = id;
	r->port = port;
	r->limit = limit;
	r->region = region;
	r->burst = 16;
	r->shadow = calloc(1, plan->region_size);
	if (!r->shadow)
		return false;
	for (peer = 0; peer < plan->n; peer++) {
		wl_in_init(r, peer);
		if (!wl_out_init(r, peer))
			return false;
	}
	return true;
}

void wl_replica_free(struct wl_replica *r)
{
	unsigned int peer, c;

	for (peer = 0; peer < WL_REPLICAS; peer++)
		for (c = 0; c < WL_CHANNELS; c++)
			free(r->out[peer].in_slot[c]);
	free(r->shadow);
}

int wl_fail(struct wl_replica *r, const char *format, ...)
{
	va_list args;

	if (r->error[0])
		return -1;
	va_start(args, format);
	vsnprintf(r->error, sizeof(r->error), format, args);
	va_end(args);
	return -1;
}

int wl_replica_step(struct wl_replica *r)
{
	static int (*const parts[])(struct wl_replica *r) = {
		wl_complete, wl_read, wl_credit, wl_send, wl_misbehave,
	};
	int done = 0, got;
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		got = parts[i](r);
		if (got < 0)
			return -1;
		done += got;
	}
	r->port->ops->ring(r->port);
	return done;
}

bool wl_replica_is_done(const struct wl_replica *r)
{
	uint64_t rounds;
	unsigned int peer;

	if (!__atomic_load_n(&r->limit->is_final, __ATOMIC_ACQUIRE) ||
	    r->post_head != r->post_tail || !wl_misbehaved(r))
		return false;
	rounds = r->limit->rounds;
	for (peer = 0; peer < r->plan->n; peer++) {
		const struct wl_out *out = &r->out[peer];
		const struct wl_in *in = &r->in[peer];

		if (out->per_round && out->next.k != out->per_round * rounds)
			return false;
		if (in->per_round && in->credited != in->per_round * rounds)
			return false;
	}
	return true;
}

static bool is_read(const struct wl_replica *r, const struct wl_in *in)
{
	return !in->per_round || in->consumed >= in->per_round * r->limit->rounds;
}

static bool is_sent(const struct wl_replica *r, const struct wl_out *out)
{
	return !out->per_round || out->next.k >= out->per_round * r->limit->rounds;
}

void wl_replica_waits(const struct wl_replica *r, char *text, size_t size)
{
	unsigned int peer;

	if (r->post_head != r->post_tail) {
		snprintf(text, size, "%u completions, the first one of %s %" PRIu64,
			 r->post_tail - r->post_head,
			 r->posted[r->post_head % WL_RING].what,
			 r->posted[r->post_head % WL_RING].k);
		return;
	}
	for (peer = 0; peer < r->plan->n; peer++) {
		const struct wl_message *m = &r->in[peer].loud;

		if (is_read(r, &r->in[peer]))
			continue;
		snprintf(text, size, "message %" PRIu64 " of link %u, %s slot %u at 0x%" PRIx64,
			 m->k, peer, r->plan->shape->channel[m->channel].name,
			 wl_message_slot(r->plan, m),
			 wl_message_offset(r->plan, peer, r->id, m));
		return;
	}
	for (peer = 0; peer < r->plan->n; peer++) {
		if (is_sent(r, &r->out[peer]))
			continue;
		snprintf(text, size, "a credit of replica %u for message %" PRIu64 ", it gave %" PRIu64,
			 peer, r->out[peer].next.k, r->out[peer].credit);
		return;
	}
	snprintf(text, size, "the other replicas");
}
