// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Channels: messages of many streams over one connection
 */
#include <stdlib.h>
#include <string.h>

#include "channel.h"

/* ---- making and ending -------------------------------------------------- */

static void init_peer(struct ocf_channels *c, unsigned int id,
		      const uint8_t *region, uint64_t skip, uint32_t *used)
{
	const struct ocf_layout *l = &c->layout;
	struct ocf_peer *p = &c->peer[id];
	uint32_t i;

	p->qpn = ocf_qpn_to(c->r, id);
	p->in = region + (ocf_layout_window(l, id, c->id) - skip);
	p->raddr = ocf_layout_window(l, c->id, id);
	p->out_addr = ocf_layout_window(l, id, c->id) - l->base;
	p->out = (uint8_t *)c->mem.addr + p->out_addr;
	for (i = 0; i < l->channels; i++) {
		p->tx[i].used = used;
		used += l->place[i].slots;
	}
}

struct ocf_channels *ocf_channels_make(struct ocf_replica *r, unsigned int id,
				       const struct ocf_layout *l, void *region,
				       uint64_t skip, const struct ocf_memory *mem)
{
	struct ocf_channels *c;
	size_t slots = 0;
	unsigned int i;

	for (i = 0; i < l->channels; i++)
		slots += l->place[i].slots;
	if (!slots) {
		ocf_fail(EINVAL, "the layout has no channels");
		return NULL;
	}
	c = calloc(1, sizeof(*c) + l->replicas * sizeof(c->peer[0]));
	if (c)
		c->used = calloc(slots * l->replicas, sizeof(*c->used));
	if (!c || !c->used) {
		free(c);
		ocf_fail(ENOMEM, "no memory for channels");
		return NULL;
	}
	c->r = r;
	c->id = id;
	c->layout = *l;
	c->mem = *mem;
	for (i = 0; i < l->replicas; i++)
		if (i != id)
			init_peer(c, i, region, skip, c->used + slots * i);
	return c;
}

static int check_place(const struct ocf_replica *r, const struct ocf_layout *l,
		       uint64_t skip, size_t length)
{
	unsigned long long end = skip + length;
	unsigned int id = ocf_replica_id(r);

	if (l->replicas > OCFABRIC_REPLICAS_MAX || l->channels > OCF_CHANNELS_MAX)
		return ocf_fail(EINVAL, "the layout is none of ocf_layout_plan()");
	if (id >= l->replicas)
		return ocf_fail(EINVAL, "replica %u has no part in a layout for %u "
				"replicas", id, l->replicas);
	if (l->base < skip || ocf_layout_end(l) > end)
		return ocf_fail(ERANGE, "the layout takes [%#llx, %#llx) of the "
				"region, of which [%#llx, %#llx) is mapped",
				(unsigned long long)l->base,
				(unsigned long long)ocf_layout_end(l),
				(unsigned long long)skip, end);
	return 0;
}

OCF_API struct ocf_channels *ocf_channels_open(struct ocf_replica *r,
					       const struct ocf_layout *l)
{
	struct ocf_channels *c;
	struct ocf_memory mem;
	uint64_t skip;
	size_t length;
	void *region = ocf_region_map(r, &skip, &length);
	int error;

	if (!region || check_place(r, l, skip, length) ||
	    ocf_buffer_add(r, ocf_layout_end(l) - l->base, &mem))
		return NULL;
	c = ocf_channels_make(r, ocf_replica_id(r), l, region, skip, &mem);
	if (c)
		return c;
	error = errno;
	ocf_memory_del(r, &mem);
	errno = error;
	return NULL;
}

OCF_API void ocf_channels_close(struct ocf_channels *c)
{
	if (!c)
		return;
	if (c->mem.mapped)
		ocf_memory_del(c->r, &c->mem);
	free(c->used);
	free(c);
}

struct ocf_peer *ocf_channels_peer(struct ocf_channels *c, unsigned int peer)
{
	if (peer < c->layout.replicas && peer != c->id)
		return &c->peer[peer];
	ocf_fail(EINVAL, "replica %u is no peer of replica %u of %u", peer, c->id,
		 c->layout.replicas);
	return NULL;
}

OCF_API int ocf_channels_connection(struct ocf_channels *c, unsigned int peer,
				    uint32_t qpn)
{
	struct ocf_peer *p = ocf_channels_peer(c, peer);

	if (!p)
		return -EINVAL;
	p->qpn = qpn;
	return 0;
}

/* ---- messages ----------------------------------------------------------- */

/* The peer, when both are of one mind still; NULL with errno. */
static struct ocf_peer *find(struct ocf_channels *c, unsigned int peer,
			     unsigned int channel)
{
	struct ocf_peer *p = ocf_channels_peer(c, peer);

	if (!p)
		return NULL;
	if (channel >= c->layout.channels) {
		ocf_fail(EINVAL, "there is no channel %u: the layout has %u",
			 channel, c->layout.channels);
		return NULL;
	}
	if (p->state == OCF_PEER_AGREED &&
	    ocf_load64(p->in + OCF_BLOCK_HELLO + sizeof(uint64_t)) ==
	    p->hello_word)
		return p;
	ocf_fail(ECONNRESET, p->state == OCF_PEER_AGREED ?
		 "replica %u starts its streams anew: agree again" :
		 "replica %u: agree first", peer);
	return NULL;
}

static void next_slot(struct ocf_stream *s, const struct ocf_channel_place *place)
{
	s->count++;
	if (++s->slot == place->slots)
		s->slot = 0;
}

/*
 * How many the peer took; its word is checked, since it may be anything: of
 * another stream, or more than was sent.
 */
static void look_for_ack(struct ocf_peer *p, unsigned int channel)
{
	struct ocf_stream *s = &p->tx[channel];
	uint64_t word = ocf_load64(p->in + OCF_BLOCK_ACKS +
				   channel * sizeof(word));
	uint32_t more = (uint32_t)word - (uint32_t)s->acked;

	if ((uint32_t)(word >> 32) == p->mine && more <= s->count - s->acked)
		s->acked += more;
}

/*
 * Whether the slot may be written: what the peer took was read by the card; in
 * a tail that is known by completions.
 */
static bool slot_free(const struct ocf_channels *c, struct ocf_peer *p,
		      unsigned int channel)
{
	const struct ocf_channel_place *place = &c->layout.place[channel];
	const struct ocf_replica *r = c->r;
	struct ocf_stream *s = &p->tx[channel];

	if (s->count - s->acked < place->slots)
		return true;
	if (place->flags & OCF_CHANNEL_TAIL)
		return s->used[s->slot] - r->done >= r->posted - r->done;
	look_for_ack(p, channel);
	return s->count - s->acked < place->slots;
}

/* So that slots of a tail become free, two completions come in each lap. */
static uint32_t signal_flags(const struct ocf_channel_place *place,
			     const struct ocf_stream *s)
{
	uint32_t half = place->slots / 2;

	if (place->flags & OCF_CHANNEL_TAIL && s->slot % half == half - 1)
		return 0;
	return OCF_UNSIGNALED;
}

OCF_API int ocf_channel_send(struct ocf_channels *c, unsigned int peer,
			     unsigned int channel, const void *data,
			     uint32_t len)
{
	const struct ocf_channel_place *place;
	struct ocf_stream *s;
	uint64_t offset, head[2];
	struct ocf_peer *p;
	uint32_t flags;
	uint8_t *out;
	int error;

	p = find(c, peer, channel);
	if (!p)
		return -errno;
	place = &c->layout.place[channel];
	if (!len || len > place->size)
		return ocf_fail(EMSGSIZE, "channel %s takes 1 to %u bytes, not %u",
				place->name, place->size, len);
	if (!slot_free(c, p, channel))
		return -EAGAIN;

	s = &p->tx[channel];
	offset = place->offset + (uint64_t)s->slot * place->stride;
	out = p->out + offset;
	head[1] = ocf_slot_word((uint32_t)(s->count + 1), len);
	head[0] = ocf_slot_check(p->mine, head[1], data);
	memcpy(out, head, sizeof(head));
	memcpy(out + sizeof(head), data, len);
	len += sizeof(head);
	s->used[s->slot] = c->r->posted;
	flags = signal_flags(place, s);
	if (len <= OCFABRIC_INLINE_MAX)
		error = ocf_post_inline(c->r, p->qpn, p->raddr + offset, len, out,
					flags);
	else
		error = ocf_post_write(c->r, p->qpn, p->raddr + offset, len,
				       c->mem.key, p->out_addr + offset, flags);
	if (error < 0)
		return error;
	next_slot(s, place);
	return 0;
}

/* Told once in half a ring. What does not go now goes at the next call. */
static void acknowledge(struct ocf_channels *c, struct ocf_peer *p,
			unsigned int channel)
{
	const struct ocf_channel_place *place = &c->layout.place[channel];
	struct ocf_stream *s = &p->rx[channel];
	uint64_t word = (uint32_t)s->count | (uint64_t)p->theirs << 32;

	if (place->flags & OCF_CHANNEL_TAIL ||
	    s->count - s->acked < (place->slots + 1) / 2)
		return;
	if (ocf_post_inline(c->r, p->qpn, p->raddr + OCF_BLOCK_ACKS +
			    channel * sizeof(word), sizeof(word), &word,
			    OCF_UNSIGNALED) < 0)
		return;
	ocf_ring(c->r);
	s->acked = s->count;
}

static const volatile uint8_t *next_in(const struct ocf_channel_place *place,
				       const struct ocf_peer *p,
				       const struct ocf_stream *s)
{
	return p->in + place->offset + (uint64_t)s->slot * place->stride;
}

/*
 * How many messages were overwritten at least if the slot holds a whole message
 * of this stream that is one or more rings later than the one that is due: the
 * oldest that can then still be there is in the next slot.
 */
static uint32_t overtaken(const struct ocf_channel_place *place,
			  const struct ocf_peer *p, const struct ocf_stream *s)
{
	const volatile uint8_t *slot = next_in(place, p, s);
	uint64_t word = ocf_load64(slot + sizeof(word));
	uint32_t ahead = (uint32_t)word - (uint32_t)(s->count + 1);

	if (!ahead || ahead > INT32_MAX || ahead % place->slots ||
	    word >> 32 > place->size ||
	    !ocf_slot_take(slot, p->theirs, word, NULL))
		return 0;
	return ahead - place->slots + 1;
}

/* To the oldest message that is still there. */
static int catch_up(const struct ocf_channel_place *place,
		    const struct ocf_peer *p, struct ocf_stream *s)
{
	uint64_t lost = 0;
	uint32_t i, n;

	if (!(place->flags & OCF_CHANNEL_TAIL))
		return -EAGAIN;
	for (i = 0; i < place->slots; i++) {
		n = overtaken(place, p, s);
		if (!n)
			break;
		s->count += n - 1;
		next_slot(s, place);
		lost += n;
	}
	if (!lost)
		return -EAGAIN;
	s->lost += lost;
	return ocf_fail(EOVERFLOW, "channel %s: %llu messages were overwritten "
			"before they were taken", place->name,
			(unsigned long long)lost);
}

OCF_API int ocf_channel_recv(struct ocf_channels *c, unsigned int peer,
			     unsigned int channel, void *buf, uint32_t size)
{
	const struct ocf_channel_place *place;
	const volatile uint8_t *slot;
	struct ocf_stream *s;
	struct ocf_peer *p;
	uint64_t word;
	uint32_t len;

	p = find(c, peer, channel);
	if (!p)
		return -errno;
	place = &c->layout.place[channel];
	s = &p->rx[channel];
	acknowledge(c, p, channel);
	slot = next_in(place, p, s);
	word = ocf_load64(slot + sizeof(word));
	len = (uint32_t)(word >> 32);
	if (!len || len > place->size)
		return -EAGAIN;
	if ((uint32_t)word != (uint32_t)(s->count + 1))
		return catch_up(place, p, s);
	if (!ocf_slot_take(slot, p->theirs, word, len > size ? NULL : buf))
		return -EAGAIN;
	if (len > size)
		return ocf_fail(EMSGSIZE, "channel %s: the message has %u bytes, "
				"the buffer %u", place->name, len, size);
	next_slot(s, place);
	acknowledge(c, p, channel);
	return (int)len;
}

OCF_API uint64_t ocf_channel_lost(const struct ocf_channels *c,
				  unsigned int peer, unsigned int channel)
{
	if (peer >= c->layout.replicas || peer == c->id ||
	    channel >= c->layout.channels)
		return 0;
	return c->peer[peer].rx[channel].lost;
}
