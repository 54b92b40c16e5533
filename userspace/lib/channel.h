/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Channels inside the library
 *
 * In the region of every replica there is a block for each peer, which only that
 * peer writes:
 *
 *	hello		a slot: struct ocf_hello
 *	acks		8 bytes a channel: how many of our messages the peer took
 *	channel 0, 1..	slots
 *
 * The buffer that messages are sent from is made of the same blocks, as they are
 * to look at the peers.
 *
 * layout.c: where everything is; agree.c: hello; channel.c: messages.
 */
#ifndef OCF_LIB_CHANNEL_H
#define OCF_LIB_CHANNEL_H

#include "internal.h"

#define OCF_HELLO_MAGIC		0x6c6e6863	/* "chnl" */
#define OCF_HELLO_VERSION	1

/**
 * struct ocf_hello - what two replicas compare
 * @magic: OCF_HELLO_MAGIC
 * @version: OCF_HELLO_VERSION
 * @from: who says so
 * @to: and to whom
 * @stream: number of the sender's streams to us, not 0; another one whenever
 *	    they start anew
 * @echo: @stream of the last hello that the sender saw of us; 0: none
 * @replicas: of the layout, and so on
 */
struct ocf_hello {
	uint32_t magic;
	uint32_t version;
	uint32_t from;
	uint32_t to;
	uint32_t stream;
	uint32_t echo;
	uint32_t replicas;
	uint32_t channels;
	uint64_t base;
	uint64_t block;
	struct ocf_channel_place place[OCF_CHANNELS_MAX];
};

/* Offsets in a block */
#define OCF_BLOCK_HELLO		0
#define OCF_BLOCK_ACKS \
	((OCF_CHANNEL_HEADER + sizeof(struct ocf_hello) + 63) / 64 * 64)
#define OCF_BLOCK_CHANNELS \
	(OCF_BLOCK_ACKS + (OCF_CHANNELS_MAX * sizeof(uint64_t) + 63) / 64 * 64)

/**
 * struct ocf_stream - one direction of a channel
 * @count: messages sent, or taken
 * @acked: of these, acknowledged; never in a tail
 * @lost: taken: never seen
 * @slot: where the next one is
 * @used: sent: number of the descriptor that last read each slot of the buffer
 */
struct ocf_stream {
	uint64_t count;
	uint64_t acked;
	uint64_t lost;
	uint32_t slot;
	uint32_t *used;
};

enum ocf_peer_state {
	OCF_PEER_IDLE,		/* nothing was said */
	OCF_PEER_ANNOUNCED,	/* our hello is under way */
	OCF_PEER_AGREED,
};

/**
 * struct ocf_peer - all channels to and from a peer
 * @state: where agreeing is
 * @qpn: connection to it
 * @mine: number of our streams to it
 * @theirs: number of its streams to us; 0: not seen yet
 * @hello_word: second word of its hello that we agreed to
 * @in: its block in our region
 * @out: our block for it in the buffer
 * @out_addr: offset of @out in the buffer
 * @raddr: our block in its region
 * @tx: by channel
 * @rx: by channel
 */
struct ocf_peer {
	enum ocf_peer_state state;
	uint32_t qpn;
	uint32_t mine;
	uint32_t theirs;
	uint64_t hello_word;
	const volatile uint8_t *in;
	uint8_t *out;
	uint64_t out_addr;
	uint64_t raddr;
	struct ocf_stream tx[OCF_CHANNELS_MAX];
	struct ocf_stream rx[OCF_CHANNELS_MAX];
};

struct ocf_channels {
	struct ocf_replica *r;
	unsigned int id;
	struct ocf_layout layout;
	struct ocf_memory mem;
	uint32_t *used;
	struct ocf_peer peer[];
};

/*
 * Makes the channels of replica @id on a region of which @region shows what lies
 * from offset @skip on, with @mem as their buffer, which stays the caller's on
 * failure.
 */
struct ocf_channels *ocf_channels_make(struct ocf_replica *r, unsigned int id,
				       const struct ocf_layout *l, void *region,
				       uint64_t skip, const struct ocf_memory *mem);

/* The peer, or NULL with the failure noted. */
struct ocf_peer *ocf_channels_peer(struct ocf_channels *c, unsigned int peer);

/* ---- slots -------------------------------------------------------------- */

/* The second word of a slot; @number and length are seen together or not. */
static inline uint64_t ocf_slot_word(uint32_t number, uint32_t len)
{
	return number | (uint64_t)len << 32;
}

static inline uint64_t ocf_load64(const volatile void *p)
{
	return *(const volatile uint64_t *)p;
}

/* The first word of a slot that holds @data. */
uint64_t ocf_slot_check(uint32_t stream, uint64_t word, const void *data);

/*
 * Whether the slot holds, whole, the message that @word announces; it is copied
 * to @to unless that is NULL.
 */
bool ocf_slot_take(const volatile uint8_t *slot, uint32_t stream, uint64_t word,
		   void *to);

#endif
