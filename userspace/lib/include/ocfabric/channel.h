/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libocfabric: many rings of messages between two replicas over one connection
 */
#ifndef OCFABRIC_CHANNEL_H
#define OCFABRIC_CHANNEL_H

#include <ocfabric/queue.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * DOC: Channels
 *
 * There is one connection from a replica to another, and programs want many
 * streams of messages. A channel is a ring of slots in the receiver's region; a
 * message is one write into the next slot. All replicas compute the same layout
 * from the same table of channels: in everybody's region, from the same offset
 * on, lies one block for each peer, with a hello and a ring for each channel.
 *
 *  - ocf_layout_plan() computes it, ocf_layout_window() says which windows it
 *    needs.
 *  - ocf_channels_open() makes the replica's side, ocf_channels_agree() compares
 *    both ends' layouts with a peer and says which field differs.
 *  - ocf_channel_send() and ocf_channel_recv() carry messages.
 *
 * A slot is 8-byte words: a check over what follows and the message, then number
 * and length of the message in one word, then the message. An aligned word of 8
 * bytes is never seen half-written, but the order of the words of one write is
 * not promised. So the receiver looks at the word with the number, copies, and
 * takes the message only if the check over the copy is right and the number still
 * there: a slot that is half one message and half another is not taken, up to a
 * chance of 2^-64.
 *
 * A channel is one of two kinds. With acknowledgement (the usual one) the sender
 * keeps a message until the receiver took it: the receiver writes the number of
 * messages taken into the sender's region, once in half a ring, and a sender
 * that is a ring ahead is told -EAGAIN. With OCF_CHANNEL_TAIL the ring is the tail
 * of an endless stream: the sender overwrites, and a receiver that fell behind is
 * told -EOVERFLOW once and goes on with the oldest message that is still there.
 *
 * Both ends are programs of one host: numbers are in its byte order.
 */

#define OCF_CHANNELS_MAX	32
#define OCF_CHANNEL_NAME	16	/* bytes of a name, the NUL counted */
#define OCF_CHANNEL_HEADER	16	/* bytes of a slot before the message */
#define OCF_CHANNEL_SLOTS_MAX	65536
#define OCF_CHANNEL_SIZE_MAX	(1u << 20)

/* For struct ocf_channel_spec */
#define OCF_CHANNEL_TAIL	(1u << 0)

/**
 * struct ocf_channel_spec - a channel as the program wants it
 * @name: at most 15 characters, unique in the table
 * @slots: messages in the ring, 2 to OCF_CHANNEL_SLOTS_MAX
 * @size: bytes of a message at most, 1 to OCF_CHANNEL_SIZE_MAX
 * @align: of a slot, a power of two from 8 to 4096; 0: 8
 * @flags: 0 or OCF_CHANNEL_TAIL
 */
struct ocf_channel_spec {
	const char *name;
	uint32_t slots;
	uint32_t size;
	uint32_t align;
	uint32_t flags;
};

/**
 * struct ocf_channel_place - a channel as it was laid out
 * @name: of the channel
 * @slots: messages in the ring
 * @size: bytes of a message at most
 * @stride: bytes from one slot to the next
 * @flags: 0 or OCF_CHANNEL_TAIL
 * @offset: of the first slot in the block
 */
struct ocf_channel_place {
	char name[OCF_CHANNEL_NAME];
	uint32_t slots;
	uint32_t size;
	uint32_t stride;
	uint32_t flags;
	uint64_t offset;
};

/**
 * struct ocf_layout - where everything is, in everybody's region
 * @replicas: n
 * @channels: how many
 * @base: offset of the first block in each region, a multiple of 64
 * @block: bytes of the block for one peer, a multiple of 64
 * @place: the channels
 */
struct ocf_layout {
	uint32_t replicas;
	uint32_t channels;
	uint64_t base;
	uint64_t block;
	struct ocf_channel_place place[OCF_CHANNELS_MAX];
};

/**
 * ocf_layout_plan() - compute a layout
 * @l: filled in
 * @replicas: n, 2 to 16
 * @base: offset in the regions where it starts; rounded up to 64
 * @specs: the channels, the same and in the same order for all replicas
 * @count: how many, 1 to OCF_CHANNELS_MAX
 *
 * Return: 0; -EINVAL, and ocf_error() says which field of which channel.
 */
int ocf_layout_plan(struct ocf_layout *l, uint32_t replicas, uint64_t base,
		    const struct ocf_channel_spec *specs, unsigned int count);

/**
 * ocf_layout_end() - the end of the layout in each region
 * @l: layout
 *
 * Return: offset of the first byte behind it: what a region must hold.
 */
static inline uint64_t ocf_layout_end(const struct ocf_layout *l)
{
	return l->base + l->block * (l->replicas - 1);
}

/**
 * ocf_layout_window() - where a replica writes into another's region
 * @l: layout
 * @from: the writer, below n
 * @to: whose region, below n, not @from
 *
 * The window that channels of this direction need, and acknowledgements of the
 * other one, is [the offset returned, + @l->block).
 *
 * Return: offset in the region of @to.
 */
static inline uint64_t ocf_layout_window(const struct ocf_layout *l,
					 unsigned int from, unsigned int to)
{
	return l->base + l->block * (from < to ? from : from - 1);
}

/**
 * ocf_layout_find() - a channel by its name
 * @l: layout
 * @name: of the channel
 *
 * Return: its number; -ENOENT.
 */
int ocf_layout_find(const struct ocf_layout *l, const char *name);

struct ocf_channels;

/**
 * ocf_channels_open() - make a replica's side of all channels
 * @r: replica; below the layout's n
 * @l: layout, copied
 *
 * Takes one memory key, for a buffer of the size of all blocks.
 *
 * Errors: ERANGE the layout ends behind the region, or starts before the part
 * that is mapped, see ocf_region_map(); EINVAL the replica is not below n, or
 * the layout was not planned; and those of ocf_buffer_add() and ocf_region_map().
 *
 * Return: to be given to ocf_channels_close(); NULL with errno.
 */
struct ocf_channels *ocf_channels_open(struct ocf_replica *r,
				       const struct ocf_layout *l);

/**
 * ocf_channels_close() - give the channels up, before the replica
 * @c: from ocf_channels_open(), or NULL
 */
void ocf_channels_close(struct ocf_channels *c);

/**
 * ocf_channels_connection() - which connection leads to a peer
 * @c: channels
 * @peer: replica
 * @qpn: of the own link; at first what ocf_qpn_to() says
 *
 * Return: 0; -EINVAL @peer.
 */
int ocf_channels_connection(struct ocf_channels *c, unsigned int peer,
			    uint32_t qpn);

/**
 * ocf_channels_agree() - compare layouts with a peer and start the streams
 * @c: channels
 * @peer: replica
 * @timeout_ns: how long at most, nanoseconds; negative: without limit
 *
 * Writes the own hello into the peer's region and waits for the peer's. All
 * streams between the two start anew, so a replica that was started again agrees
 * again; so does its peer when it is told -ECONNRESET.
 *
 * Completions are left alone: one that failed tells why a hello did not arrive.
 *
 * Return: 0; -EPROTO the layouts differ, ocf_error() says in which field;
 * -ETIMEDOUT the peer did not answer; -EAGAIN the ring is full; -EINVAL @peer;
 * -EBUSY, -EINTR, -ENODEV.
 */
int ocf_channels_agree(struct ocf_channels *c, unsigned int peer,
		       int64_t timeout_ns);

/**
 * ocf_channels_announce() - write the own hello and do not wait
 * @c: channels
 * @peer: replica
 *
 * For those who agree with many: announce to all, then agree with each.
 *
 * Return: 0; -EAGAIN, -EBUSY, -EINVAL as ocf_channels_agree().
 */
int ocf_channels_announce(struct ocf_channels *c, unsigned int peer);

/**
 * ocf_channel_send() - send a message
 * @c: channels
 * @peer: replica
 * @channel: number in the layout
 * @data: the message; the caller's again on return
 * @len: bytes, 1 to what the channel takes
 *
 * Posts one write, unsignaled, which goes with the next ocf_ring().
 *
 * Return: 0; -EAGAIN the receiver has not taken enough (with acknowledgement),
 * the slot's last write is not known to be done, or the ring is full: poll and
 * try again; -EMSGSIZE @len; -ECONNRESET agree first, or again; -EINVAL, -EBUSY.
 */
int ocf_channel_send(struct ocf_channels *c, unsigned int peer,
		     unsigned int channel, const void *data, uint32_t len);

/**
 * ocf_channel_recv() - take the next message
 * @c: channels
 * @peer: replica
 * @channel: number in the layout
 * @buf: where to
 * @size: room there, bytes
 *
 * Never waits. Acknowledgements are posted and rung when they are due.
 *
 * Return: the message's length; -EAGAIN there is none; -EMSGSIZE @size is less
 * than its length, it stays; -EOVERFLOW messages were overwritten before they
 * were taken (tail channels); -ECONNRESET agree first, or again; -EINVAL.
 */
int ocf_channel_recv(struct ocf_channels *c, unsigned int peer,
		     unsigned int channel, void *buf, uint32_t size);

/**
 * ocf_channel_lost() - messages of a tail channel that were never taken
 * @c: channels
 * @peer: replica
 * @channel: number in the layout
 *
 * Return: how many were overwritten since the two agreed.
 */
uint64_t ocf_channel_lost(const struct ocf_channels *c, unsigned int peer,
			  unsigned int channel);

#ifdef __cplusplus
}
#endif

#endif
