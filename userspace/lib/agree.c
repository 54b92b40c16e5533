// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Two replicas agree on their channels
 *
 * Each says hello until the other's hello shows that it was heard: hello carries
 * the number of one's own streams and repeats the peer's. A hello of an earlier
 * life repeats a number that is no longer in use, and so counts for nothing.
 */
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "channel.h"

#define LOOK_NS		100000

static uint32_t new_stream(uint32_t last)
{
	uint32_t n;

	do {
		if (getrandom(&n, sizeof(n), GRND_NONBLOCK) != sizeof(n))
			n = (uint32_t)ocf_now_ns() * 2654435761u;
	} while (!n || n == last);
	return n;
}

/* Of this layout: the table ends with the last channel. */
static uint32_t hello_len(const struct ocf_layout *l)
{
	return (uint32_t)(offsetof(struct ocf_hello, place) +
			  l->channels * sizeof(l->place[0]));
}

static int say_hello(struct ocf_channels *c, unsigned int id,
		     struct ocf_peer *p)
{
	const struct ocf_layout *l = &c->layout;
	uint64_t word = ocf_slot_word(p->mine, hello_len(l));
	struct ocf_hello hello = {
		.magic = OCF_HELLO_MAGIC,
		.version = OCF_HELLO_VERSION,
		.from = c->id,
		.to = id,
		.stream = p->mine,
		.echo = p->theirs,
		.replicas = l->replicas,
		.channels = l->channels,
		.base = l->base,
		.block = l->block,
	};
	uint64_t check;
	int error;

	memcpy(hello.place, l->place, l->channels * sizeof(l->place[0]));
	check = ocf_slot_check(0, word, &hello);
	memcpy(p->out + OCF_BLOCK_HELLO, &check, sizeof(check));
	memcpy(p->out + OCF_BLOCK_HELLO + sizeof(check), &word, sizeof(word));
	memcpy(p->out + OCF_BLOCK_HELLO + OCF_CHANNEL_HEADER, &hello,
	       hello_len(l));
	error = ocf_post_write(c->r, p->qpn, p->raddr + OCF_BLOCK_HELLO,
			       OCF_CHANNEL_HEADER + hello_len(l), c->mem.key,
			       p->out_addr + OCF_BLOCK_HELLO, OCF_UNSIGNALED);
	if (error < 0)
		return ocf_fail(-error, error == -EBUSY ?
				"hello to replica %u: a prepared transfer has not "
				"been started" :
				"hello to replica %u: the ring is full", id);
	ocf_ring(c->r);
	return 0;
}

/* The peer's hello, if there is a whole one; the word that it came with. */
static uint64_t hear(const struct ocf_peer *p, struct ocf_hello *hello)
{
	const volatile uint8_t *slot = p->in + OCF_BLOCK_HELLO;
	uint64_t word = ocf_load64(slot + sizeof(word));
	uint32_t len = (uint32_t)(word >> 32);

	memset(hello, 0, sizeof(*hello));
	if (len < offsetof(struct ocf_hello, place) || len > sizeof(*hello) ||
	    !ocf_slot_take(slot, 0, word, hello))
		return 0;
	return word;
}

static int differ(unsigned int id, const char *channel, const char *field,
		  uint64_t theirs, uint64_t ours)
{
	return ocf_fail(EPROTO, "replica %u has another layout: %s%s%s is %llu "
			"there and %llu here", id, channel, *channel ? ": " : "",
			field, (unsigned long long)theirs,
			(unsigned long long)ours);
}

/* A name that the peer wrote, fit for a terminal. */
static const char *printable(const char *name, char text[OCF_CHANNEL_NAME])
{
	unsigned int i;

	for (i = 0; i < OCF_CHANNEL_NAME - 1 && name[i]; i++)
		text[i] = name[i] < ' ' || name[i] > '~' ? '?' : name[i];
	text[i] = '\0';
	return text;
}

static int compare_place(unsigned int id, unsigned int number,
			 const struct ocf_channel_place *a,
			 const struct ocf_channel_place *b)
{
	char name[OCF_CHANNEL_NAME + sizeof("channel ")], theirs[OCF_CHANNEL_NAME];

	if (memcmp(a->name, b->name, sizeof(a->name)))
		return ocf_fail(EPROTO, "replica %u has another layout: channel %u "
				"is %s there and %s here", id, number,
				printable(a->name, theirs), b->name);
	snprintf(name, sizeof(name), "channel %s", b->name);
	if (a->slots != b->slots)
		return differ(id, name, "slots", a->slots, b->slots);
	if (a->size != b->size)
		return differ(id, name, "size", a->size, b->size);
	if (a->stride != b->stride)
		return differ(id, name, "stride", a->stride, b->stride);
	if (a->flags != b->flags)
		return differ(id, name, "flags", a->flags, b->flags);
	if (a->offset != b->offset)
		return differ(id, name, "offset", a->offset, b->offset);
	return 0;
}

static int compare(const struct ocf_channels *c, unsigned int id,
		   const struct ocf_hello *h)
{
	const struct ocf_layout *l = &c->layout;
	uint32_t i;
	int error;

	if (h->magic != OCF_HELLO_MAGIC)
		return differ(id, "", "magic", h->magic, OCF_HELLO_MAGIC);
	if (h->version != OCF_HELLO_VERSION)
		return differ(id, "", "version", h->version, OCF_HELLO_VERSION);
	if (h->from != id)
		return differ(id, "", "sender", h->from, id);
	if (h->to != c->id)
		return differ(id, "", "receiver", h->to, c->id);
	if (h->replicas != l->replicas)
		return differ(id, "", "replicas", h->replicas, l->replicas);
	if (h->base != l->base)
		return differ(id, "", "base", h->base, l->base);
	for (i = 0; i < h->channels && i < l->channels; i++) {
		error = compare_place(id, i, &h->place[i], &l->place[i]);
		if (error)
			return error;
	}
	if (h->channels != l->channels)
		return differ(id, "", "channels", h->channels, l->channels);
	if (h->block != l->block)
		return differ(id, "", "block", h->block, l->block);
	return 0;
}

static void reset_streams(const struct ocf_channels *c, struct ocf_peer *p)
{
	uint32_t i;

	for (i = 0; i < c->layout.channels; i++) {
		uint32_t *used = p->tx[i].used;

		p->tx[i] = (struct ocf_stream){ .used = used };
		p->rx[i] = (struct ocf_stream){ .slot = 0 };
	}
}

OCF_API int ocf_channels_announce(struct ocf_channels *c, unsigned int peer)
{
	struct ocf_peer *p = ocf_channels_peer(c, peer);
	int error;

	if (!p)
		return -EINVAL;
	p->state = OCF_PEER_IDLE;
	p->mine = new_stream(p->mine);
	p->theirs = 0;
	reset_streams(c, p);
	error = say_hello(c, peer, p);
	if (!error)
		p->state = OCF_PEER_ANNOUNCED;
	return error;
}

/* 1: agreed; 0: not yet; or -errno. */
static int look(struct ocf_channels *c, unsigned int id, struct ocf_peer *p)
{
	struct ocf_hello h;
	uint64_t word = hear(p, &h);
	int error;

	if (!word)
		return 0;
	error = compare(c, id, &h);
	if (error)
		return error;
	if (h.stream != p->theirs) {
		uint32_t before = p->theirs;

		p->theirs = h.stream;
		error = say_hello(c, id, p);
		if (error) {
			p->theirs = before;
			return error;
		}
	}
	if (h.echo != p->mine)
		return 0;
	p->hello_word = word;
	p->state = OCF_PEER_AGREED;
	return 1;
}

/* The peer stores into memory, which wakes nobody: look again in a while. */
static int nap(const struct ocf_replica *r)
{
	struct timespec t = { .tv_nsec = LOOK_NS };
	struct pollfd p = { .fd = ocf_held(r)->fd };

	if (ppoll(&p, 1, &t, NULL) < 0)
		return ocf_fail(errno, "waiting for a hello: %s",
				strerror(errno));
	if (p.revents & (POLLERR | POLLHUP | POLLNVAL))
		return ocf_fail(ENODEV, "the card is gone or was reset");
	return 0;
}

OCF_API int ocf_channels_agree(struct ocf_channels *c, unsigned int peer,
			       int64_t timeout_ns)
{
	struct ocf_peer *p = ocf_channels_peer(c, peer);
	int64_t end = ocf_deadline(timeout_ns);
	int error = 0;

	if (!p)
		return -EINVAL;
	if (p->state != OCF_PEER_ANNOUNCED)
		error = ocf_channels_announce(c, peer);
	while (!error) {
		error = look(c, peer, p);
		if (error > 0)
			return 0;
		if (!error && ocf_now_ns() >= end)
			return ocf_fail(ETIMEDOUT, "replica %u did not answer our "
					"hello within %lld ms%s", peer,
					(long long)timeout_ns / 1000000,
					p->theirs ? ", though it said one" : "");
		if (!error)
			error = nap(c->r);
	}
	return error;
}
