// SPDX-License-Identifier: LGPL-2.1-or-later
/* The port of a replica that is attached to a card */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ocfabric.h>

#include "workload.h"

#define RECEIVES	(2 * WL_RING)	/* more than are ever under way */

struct card_port {
	struct wl_port port;
	struct ocf_replica *r;
	struct ocf_memory source;	/* a piece for each descriptor of the ring */
	uint32_t piece;
	struct wl_seat *seat;
};

static struct card_port *of(struct wl_port *port)
{
	return (struct card_port *)(void *)port;
}

static uint32_t room(struct wl_port *port)
{
	return ocf_room(of(port)->r);
}

/* A piece of the source is free again when its descriptor is. */
static uint64_t copy(struct card_port *p, const struct wl_write *w)
{
	uint64_t at = (uint64_t)(p->r->posted % WL_RING) * p->piece;
	uint32_t bytes = w->len < p->piece ? w->len : p->piece;

	/* a rejected write is longer than what it was given */
	if (!w->bytes && bytes > sizeof(uint64_t))
		bytes = sizeof(uint64_t);
	memcpy((uint8_t *)p->source.addr + at, w->data, bytes);
	return at;
}

/* Small ones alternate between both ways. */
static bool goes_inline(const struct wl_write *w)
{
	return w->len && w->len <= OCFABRIC_INLINE_MAX && !w->beats && !(w->k & 1);
}

static int post(struct wl_port *port, const struct wl_write *w)
{
	struct card_port *p = of(port);
	uint32_t key = p->source.key;
	uint64_t at;
	int index;

	if (w->is_semaphore) {
		index = ocf_post_sem_remote(p->r, w->qpn, w->semaphore, 1, 0);
	} else if (goes_inline(w)) {
		index = w->is_imm ?
			ocf_post_inline_imm(p->r, w->qpn, w->raddr, w->len, w->data,
					    w->imm, 0) :
			ocf_post_inline(p->r, w->qpn, w->raddr, w->len, w->data, 0);
	} else {
		at = copy(p, w);
		index = w->is_imm ?
			ocf_post_write_imm(p->r, w->qpn, w->raddr, w->len, key, at,
					   w->imm, 0) :
			ocf_post_beats(p->r, w->qpn, w->raddr, w->len, w->beats, key,
				       at, 0);
	}
	return index < 0 ? index : 0;
}

static void ring(struct wl_port *port)
{
	ocf_ring(of(port)->r);
}

/* Every receive that was used is replaced at once. */
static int arm(struct card_port *p, unsigned int count)
{
	int error = count ? ocf_post_recv(p->r, count) : 0;

	if (error < 0)
		return error;
	ocf_ring_recv(p->r);
	return 0;
}

static int take(struct wl_port *port, struct wl_done *done, unsigned int max)
{
	struct card_port *p = of(port);
	struct ocf_completion c[32];
	unsigned int nr, i, used = 0;

	nr = ocf_poll(p->r, c, max < 32 ? max : 32);
	for (i = 0; i < nr; i++) {
		done[i] = (struct wl_done) {
			.qpn = c[i].qpn, .bytes = c[i].bytes, .imm = c[i].imm,
			.verdict = c[i].status, .source = c[i].source,
			.receive = c[i].receive, .misrouted = c[i].misrouted,
		};
		used += c[i].receive;
	}
	if (used && arm(p, used))
		return -1;
	return (int)nr;
}

static uint32_t semaphore(struct wl_port *port, unsigned int number)
{
	return ocf_sem_read(of(port)->r, number);
}

/* The parent does it; until then the answer is no. */
static bool allow(struct wl_port *port, bool allowed)
{
	struct wl_seat *seat = of(port)->seat;

	__atomic_store_n(&seat->wants_allowed, allowed, __ATOMIC_RELEASE);
	return __atomic_load_n(&seat->is_allowed, __ATOMIC_ACQUIRE) == allowed;
}

static uint64_t now_us(struct wl_port *port)
{
	struct timespec t;

	(void)port;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static const struct wl_port_ops ops = {
	.room = room, .post = post, .ring = ring, .poll = take,
	.semaphore = semaphore, .allow = allow, .now_us = now_us,
};

static const struct wl_port_ops ops_without_setup = {
	.room = room, .post = post, .ring = ring, .poll = take,
	.semaphore = semaphore, .now_us = now_us,
};

static uint32_t longest(const struct wl_plan *plan)
{
	uint32_t size = WL_BAD_DATA;
	unsigned int c;

	for (c = 0; c < WL_CHANNELS; c++)
		if (size < plan->shape->channel[c].size)
			size = plan->shape->channel[c].size;
	return (size + 63) / 64 * 64;
}

static bool attach(struct card_port *p, const struct wl_options *o, unsigned int id)
{
	const struct ocf_attach_options options = {
		.tx_entries = WL_RING, .rx_entries = RECEIVES,
		.cq_entries = 2 * RECEIVES, .clear = true,
	};
	struct ocf_device *dev = ocf_open(o->device);

	if (!dev)
		return false;
	p->r = ocf_attach(dev, id, &options);
	ocf_close(dev);
	return p->r;
}

static const uint8_t *map(struct card_port *p, const struct wl_plan *plan,
			  char error[WL_ERROR_MAX])
{
	uint64_t offset;
	size_t length;
	const uint8_t *region = ocf_region_map(p->r, &offset, &length);

	if (!region) {
		snprintf(error, WL_ERROR_MAX, "%s", ocf_error());
		return NULL;
	}
	if (!offset && length >= plan->region_size)
		return region;
	snprintf(error, WL_ERROR_MAX,
		 "replica %u maps %zu bytes from %llu on, not its whole region of %llu",
		 ocf_replica_id(p->r), length, (unsigned long long)offset,
		 (unsigned long long)plan->region_size);
	return NULL;
}

/* Whether the card and its driver have what the options ask for */
static bool can(const struct card_port *p, const struct wl_plan *plan,
		char error[WL_ERROR_MAX])
{
	if ((!plan->imm || p->r->rx) && (!plan->semaphores || p->r->semaphores))
		return true;
	snprintf(error, WL_ERROR_MAX, "replica %u has no %s", ocf_replica_id(p->r),
		 plan->imm ? "receive ring" : "semaphores");
	return false;
}

static bool receive(struct card_port *p, const struct wl_plan *plan,
		    char error[WL_ERROR_MAX])
{
	int problem = plan->imm ? arm(p, RECEIVES) : 0;

	if (!problem)
		return true;
	snprintf(error, WL_ERROR_MAX, "replica %u cannot arm %u receives: %s",
		 ocf_replica_id(p->r), RECEIVES, strerror(-problem));
	return false;
}

struct wl_port *wl_card_port(const struct wl_options *o,
			     const struct wl_plan *plan, unsigned int id,
			     struct wl_seat *seat, const uint8_t **region,
			     char error[WL_ERROR_MAX])
{
	struct card_port *p = calloc(1, sizeof(*p));

	if (!p) {
		snprintf(error, WL_ERROR_MAX, "no memory");
		return NULL;
	}
	p->port.ops = o->no_setup ? &ops_without_setup : &ops;
	p->seat = seat;
	p->piece = longest(plan);
	if (!attach(p, o, id) ||
	    ocf_buffer_add(p->r, (size_t)p->piece * WL_RING, &p->source)) {
		snprintf(error, WL_ERROR_MAX, "%s", ocf_error());
		wl_card_port_free(&p->port);
		return NULL;
	}
	*region = map(p, plan, error);
	if (*region && can(p, plan, error) && receive(p, plan, error))
		return &p->port;
	wl_card_port_free(&p->port);
	return NULL;
}

void wl_card_port_free(struct wl_port *port)
{
	ocf_detach(of(port)->r);
	free(of(port));
}
