// SPDX-License-Identifier: GPL-2.0-only
/*
 * THEORY OF OPERATION: channels between replicas of a card that is played in
 * memory (fake.h): layouts and what differs in them, agreeing, wrap, credit, tails
 * that are overwritten; and a writer in another thread that stores each message
 * word by word in any order, of which the reader must never see a part.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <lib/channel.h>

#include "fake.h"
#include "tap.h"

#define SHIFT	6
#define BASE	4096

enum { ACKED, TAIL, WIDE };

static const struct ocf_channel_spec specs[] = {
	{ .name = "acked", .slots = 4, .size = 24 },
	{ .name = "tail", .slots = 4, .size = 64, .align = 64,
	  .flags = OCF_CHANNEL_TAIL },
	{ .name = "wide", .slots = 3, .size = 1000, .align = 256 },
};

#define CHANNELS	(sizeof(specs) / sizeof(specs[0]))

static struct ocf_layout layout;
static struct ocf_channels *chan[FAKE_REPLICAS];

static struct ocf_channels *make(unsigned int id, const struct ocf_layout *l)
{
	struct ocf_memory mem = {
		.addr = fakes[id].memory,
		.length = sizeof(fakes[id].memory),
		.key = FAKE_KEY,
	};
	struct ocf_channels *c;
	unsigned int i;

	c = ocf_channels_make(fake_replica(id), id, l, fakes[id].region, 0, &mem);
	for (i = 0; i < l->replicas; i++)
		if (i != id)
			ocf_channels_connection(c, i, i);
	return c;
}

/* Both ends in turn, since nobody else plays the card meanwhile. */
static int agree(unsigned int a, unsigned int b)
{
	int i, ea = -ETIMEDOUT, eb = -ETIMEDOUT;

	for (i = 0; i < 10 && (ea || eb); i++) {
		if (ea == -ETIMEDOUT)
			ea = ocf_channels_agree(chan[a], b, 0);
		fake_run();
		if (eb == -ETIMEDOUT)
			eb = ocf_channels_agree(chan[b], a, 0);
		fake_run();
		fake_poll(&fakes[a]);
		fake_poll(&fakes[b]);
	}
	return ea ? ea : eb;
}

static void begin(void)
{
	unsigned int i;

	fake_start(SHIFT, SHIFT, SHIFT + 1);
	CHECK(!ocf_layout_plan(&layout, FAKE_REPLICAS, BASE, specs, CHANNELS));
	for (i = 0; i < FAKE_REPLICAS; i++)
		chan[i] = make(i, &layout);
}

static void end(void)
{
	unsigned int i;

	for (i = 0; i < FAKE_REPLICAS; i++) {
		CHECK(!fake_broken(&fakes[i]));
		ocf_channels_close(chan[i]);
	}
}

static void places(void)
{
	unsigned int i, from, to;
	uint64_t last;

	CHECK(!ocf_layout_plan(&layout, 5, BASE + 1, specs, CHANNELS));
	CHECK(layout.base == BASE + 256 && layout.block % 256 == 0);
	CHECK(layout.place[ACKED].stride == 40 && layout.place[TAIL].stride == 128);
	CHECK(layout.place[WIDE].stride == 1024);
	last = OCF_BLOCK_CHANNELS;
	for (i = 0; i < CHANNELS; i++) {
		const struct ocf_channel_place *p = &layout.place[i];

		CHECK(p->offset >= last && p->offset % (specs[i].align ?: 8) == 0);
		last = p->offset + (uint64_t)p->stride * p->slots;
		CHECK(ocf_layout_find(&layout, specs[i].name) == (int)i);
	}
	CHECK(last <= layout.block);
	CHECK(ocf_layout_find(&layout, "none") == -ENOENT);
	for (to = 0; to < 5; to++) {
		last = layout.base;
		for (from = 0; from < 5; from++) {
			if (from == to)
				continue;
			CHECK(ocf_layout_window(&layout, from, to) == last);
			last += layout.block;
		}
		CHECK(last == ocf_layout_end(&layout));
	}
}

static void bad_spec(struct ocf_channel_spec s, const char *sentence)
{
	struct ocf_channel_spec two[2] = { specs[0], s };

	CHECK(ocf_layout_plan(&layout, 3, 0, two, 2) == -EINVAL);
	CHECK(!strcmp(ocf_error(), sentence), "%s", ocf_error());
}

static void bad_layouts(void)
{
	struct ocf_channel_spec s = specs[1];

	CHECK(ocf_layout_plan(&layout, 1, 0, specs, 1) == -EINVAL);
	CHECK(ocf_layout_plan(&layout, 17, 0, specs, 1) == -EINVAL);
	CHECK(ocf_layout_plan(&layout, 2, 0, specs, 0) == -EINVAL);
	CHECK(ocf_layout_plan(&layout, 2, 0, specs, 33) == -EINVAL);
	CHECK(ocf_layout_plan(&layout, 2, 1ULL << 63, specs, 1) == -EINVAL);
	s.name = "acked";
	bad_spec(s, "there are two channels acked");
	s.name = "sixteen letters!";
	bad_spec(s, "channel 1: the name is not 1 to 15 characters long");
	s.name = "x";
	s.slots = 1;
	bad_spec(s, "channel x: slots is 1, not 2 to 65536");
	s.slots = 2;
	s.size = 0;
	bad_spec(s, "channel x: size is 0, not 1 to 1048576");
	s.size = 1;
	s.align = 4;
	bad_spec(s, "channel x: align is 4, not 8 to 4096");
	s.align = 24;
	bad_spec(s, "channel x: align is 24, no power of two");
	s.align = 0;
	s.flags = 2;
	bad_spec(s, "channel x: unknown flags 0x2");
}

static void differing(unsigned int n, uint64_t base,
		      const struct ocf_channel_spec *other, unsigned int count,
		      const char *sentence)
{
	struct ocf_layout l;

	begin();
	CHECK(!ocf_layout_plan(&l, n, base, other, count));
	ocf_channels_close(chan[1]);
	chan[1] = make(1, &l);
	CHECK(agree(0, 1) == -EPROTO);
	CHECK(ocf_channels_agree(chan[0], 1, 0) == -EPROTO);
	CHECK(!strcmp(ocf_error(), sentence), "%s", ocf_error());
	end();
}

static void layouts_differ(void)
{
	struct ocf_channel_spec s[CHANNELS];

	memcpy(s, specs, sizeof(s));
	s[1].slots = 8;
	differing(3, BASE, s, CHANNELS,
		  "replica 1 has another layout: channel tail: slots is 8 there and 4 here");
	s[1] = specs[1];
	s[1].size = 63;
	differing(3, BASE, s, CHANNELS,
		  "replica 1 has another layout: channel tail: size is 63 there and 64 here");
	s[1] = specs[1];
	s[1].align = 256;
	differing(3, BASE, s, CHANNELS,
		  "replica 1 has another layout: channel tail: stride is 256 there and 128 here");
	s[1] = specs[1];
	s[1].flags = 0;
	differing(3, BASE, s, CHANNELS,
		  "replica 1 has another layout: channel tail: flags is 0 there and 1 here");
	s[1].name = "other";
	differing(3, BASE, s, CHANNELS,
		  "replica 1 has another layout: channel 1 is other there and tail here");
	s[1].name = "\033[2J\nx\377";
	differing(3, BASE, s, CHANNELS,
		  "replica 1 has another layout: channel 1 is ?[2J?x? there and tail here");
	differing(3, BASE, specs, CHANNELS - 1,
		  "replica 1 has another layout: channels is 2 there and 3 here");
	differing(2, BASE, specs, CHANNELS,
		  "replica 1 has another layout: replicas is 2 there and 3 here");
}

/* A block of another base lies elsewhere; what lies there is no hello to us. */
static void not_a_hello(void)
{
	uint64_t *hello;

	begin();
	hello = fakes[0].region + ocf_layout_window(&layout, 1, 0) / 8;
	CHECK(ocf_channels_agree(chan[0], 1, 0) == -ETIMEDOUT);
	CHECK(strstr(ocf_error(), "replica 1 did not answer our hello"), "%s",
	      ocf_error());
	memset(hello, 0x5a, 256);
	CHECK(ocf_channels_agree(chan[0], 1, 0) == -ETIMEDOUT);
	CHECK(!agree(0, 1));
	end();
}

static void messages(void)
{
	char buf[64];
	int i, n;

	begin();
	CHECK(ocf_channel_send(chan[0], 1, ACKED, "x", 1) == -ECONNRESET);
	CHECK(ocf_channel_recv(chan[0], 1, ACKED, buf, 64) == -ECONNRESET);
	CHECK(!agree(0, 1));
	CHECK(ocf_channel_recv(chan[1], 0, ACKED, buf, 64) == -EAGAIN);
	CHECK(ocf_channel_send(chan[0], 1, ACKED, "", 0) == -EMSGSIZE);
	CHECK(ocf_channel_send(chan[0], 1, ACKED, buf, 25) == -EMSGSIZE);
	CHECK(ocf_channel_send(chan[0], 1, 3, "x", 1) == -EINVAL);
	CHECK(ocf_channel_send(chan[0], 0, 0, "x", 1) == -EINVAL);
	CHECK(ocf_channel_send(chan[0], 3, 0, "x", 1) == -EINVAL);

	/* every length, around the ring many times, both ways at once */
	for (i = 0; i < 500; i++) {
		char text[24];
		uint32_t len = (uint32_t)(1 + i % 24);

		memset(text, 'a' + i % 26, sizeof(text));
		CHECK(!ocf_channel_send(chan[0], 1, ACKED, text, len), "%d", i);
		CHECK(!ocf_channel_send(chan[1], 0, ACKED, text, len), "%d", i);
		ocf_ring(fake_replica(0));
		ocf_ring(fake_replica(1));
		fake_run();
		for (n = 0; n < 2; n++) {
			memset(buf, 0, sizeof(buf));
			CHECK(ocf_channel_recv(chan[n], !n, ACKED, buf, 64) ==
			      (int)len, "%d", i);
			CHECK(!memcmp(buf, text, len) && !buf[len]);
			fake_poll(&fakes[n]);
		}
	}
	end();
}

static void credit(void)
{
	uint32_t n, i;

	begin();
	CHECK(!agree(0, 1));
	for (n = 0; n < 4; n++)
		CHECK(!ocf_channel_send(chan[0], 1, ACKED, &n, 4));
	CHECK(ocf_channel_send(chan[0], 1, ACKED, &n, 4) == -EAGAIN);
	ocf_ring(fake_replica(0));
	fake_run();
	CHECK(ocf_channel_send(chan[0], 1, ACKED, &n, 4) == -EAGAIN,
	      "nothing was taken yet");
	for (i = 0; i < 2; i++)
		CHECK(ocf_channel_recv(chan[1], 0, ACKED, &n, 4) == 4 && n == i);
	fake_run();
	CHECK(!ocf_channel_send(chan[0], 1, ACKED, &n, 4), "two were taken");
	CHECK(!ocf_channel_send(chan[0], 1, ACKED, &n, 4));
	CHECK(ocf_channel_send(chan[0], 1, ACKED, &n, 4) == -EAGAIN);
	end();
}

/* What a peer writes as its acknowledgement is not believed beyond reason. */
static void lying_acks(void)
{
	uint64_t *ack;
	uint32_t n;

	begin();
	CHECK(!agree(0, 1));
	ack = fakes[0].region +
	      (ocf_layout_window(&layout, 1, 0) + OCF_BLOCK_ACKS) / 8;
	for (n = 0; n < 4; n++)
		CHECK(!ocf_channel_send(chan[0], 1, ACKED, &n, 4));
	*ack = 4 | (uint64_t)(chan[0]->peer[1].mine + 1) << 32;
	CHECK(ocf_channel_send(chan[0], 1, ACKED, &n, 4) == -EAGAIN);
	*ack = 5 | (uint64_t)chan[0]->peer[1].mine << 32;
	CHECK(ocf_channel_send(chan[0], 1, ACKED, &n, 4) == -EAGAIN);
	*ack = 4 | (uint64_t)chan[0]->peer[1].mine << 32;
	CHECK(!ocf_channel_send(chan[0], 1, ACKED, &n, 4));
	*ack = 3 | (uint64_t)chan[0]->peer[1].mine << 32;
	for (n = 0; n < 3; n++)
		CHECK(!ocf_channel_send(chan[0], 1, ACKED, &n, 4));
	CHECK(ocf_channel_send(chan[0], 1, ACKED, &n, 4) == -EAGAIN);
	end();
}

static void small_buffer(void)
{
	char text[24] = "twenty-four bytes long", buf[24];

	begin();
	CHECK(!agree(0, 1));
	CHECK(!ocf_channel_send(chan[0], 1, ACKED, text, 24));
	ocf_ring(fake_replica(0));
	fake_run();
	CHECK(ocf_channel_recv(chan[1], 0, ACKED, buf, 23) == -EMSGSIZE);
	CHECK(ocf_channel_recv(chan[1], 0, ACKED, buf, 24) == 24);
	CHECK(!memcmp(buf, text, 24));
	end();
}

static void tails(void)
{
	uint32_t i, got[16] = { 0 };

	begin();
	CHECK(!agree(0, 1));
	for (i = 1; i <= 11; i++) {
		got[0] = i;
		CHECK(!ocf_channel_send(chan[0], 1, TAIL, got, 64), "%u", i);
		ocf_ring(fake_replica(0));
		fake_run();
		fake_poll(&fakes[0]);
	}
	CHECK(ocf_channel_recv(chan[1], 0, TAIL, got, 64) == -EOVERFLOW);
	CHECK(!strcmp(ocf_error(),
		      "channel tail: 7 messages were overwritten before they were taken"),
	      "%s", ocf_error());
	CHECK(ocf_channel_lost(chan[1], 0, TAIL) == 7, "%llu",
	      (unsigned long long)ocf_channel_lost(chan[1], 0, TAIL));
	for (i = 8; i <= 11; i++)
		CHECK(ocf_channel_recv(chan[1], 0, TAIL, got, 64) == 64 && got[0] == i,
		      "%u is not %u", got[0], i);
	CHECK(ocf_channel_recv(chan[1], 0, TAIL, got, 64) == -EAGAIN);
	end();
}

/* Without completions the buffer's slots are not used again. */
static void tail_waits_for_the_card(void)
{
	char text[64] = { 0 };
	unsigned int i;

	begin();
	CHECK(!agree(0, 1));
	for (i = 0; i < 4; i++)
		CHECK(!ocf_channel_send(chan[0], 1, TAIL, text, 64));
	CHECK(ocf_channel_send(chan[0], 1, TAIL, text, 64) == -EAGAIN);
	ocf_ring(fake_replica(0));
	fake_run();
	CHECK(ocf_channel_send(chan[0], 1, TAIL, text, 64) == -EAGAIN);
	CHECK(fake_poll(&fakes[0]) >= 1);
	CHECK(!ocf_channel_send(chan[0], 1, TAIL, text, 64));
	end();
}

/* A replica that starts again takes nothing of its former life for new. */
static void restart(void)
{
	char buf[24];
	uint32_t n;

	begin();
	CHECK(!agree(0, 1));
	for (n = 0; n < 3; n++)
		CHECK(!ocf_channel_send(chan[0], 1, ACKED, &n, 4));
	ocf_ring(fake_replica(0));
	fake_run();
	CHECK(ocf_channel_recv(chan[1], 0, ACKED, buf, 24) == 4);

	ocf_channels_close(chan[1]);
	chan[1] = make(1, &layout);
	CHECK(ocf_channels_announce(chan[1], 0) == 0);
	fake_run();
	CHECK(ocf_channel_send(chan[0], 1, ACKED, &n, 4) == -ECONNRESET);
	CHECK(strstr(ocf_error(), "replica 1 starts its streams anew"), "%s",
	      ocf_error());
	CHECK(!agree(0, 1));
	CHECK(ocf_channel_recv(chan[1], 0, ACKED, buf, 24) == -EAGAIN,
	      "a message of the former life");
	n = 77;
	CHECK(!ocf_channel_send(chan[0], 1, ACKED, &n, 4));
	ocf_ring(fake_replica(0));
	fake_run();
	n = 0;
	CHECK(ocf_channel_recv(chan[1], 0, ACKED, &n, 4) == 4 && n == 77);
	end();
}

/* ---- a writer that tears ------------------------------------------------ */

#define TORN_WORDS	8
#define TORN_MESSAGES	5000

static uint64_t word_of(uint32_t number, uint32_t i)
{
	return (uint64_t)number * 0x100000001b3ULL + i;
}

static uint32_t torn_written;	/* messages that are there, whole */
static uint32_t torn_taken;	/* number of the last message that was read */
static uint32_t torn_looks;	/* how often the reader looked */

/*
 * A ring and a half ahead of the reader at most: it is overtaken again and again,
 * and sees most of the messages all the same.
 */
static void let_the_reader(uint32_t number)
{
	while ((int32_t)(number - __atomic_load_n(&torn_taken, __ATOMIC_RELAXED)) >
	       (int32_t)layout.place[TAIL].slots * 3 / 2)
		sched_yield();
}

/* Half of a message is there: not until the reader looked does the rest come. */
static void show_half(void)
{
	uint32_t looks = __atomic_load_n(&torn_looks, __ATOMIC_RELAXED);

	/* the reader gives up by an end of all looks */
	while (looks < 1u << 31 &&
	       __atomic_load_n(&torn_looks, __ATOMIC_RELAXED) - looks < 2)
		sched_yield();
}

/* Stores the words of message after message, of each in another order. */
static void *tear(void *arg)
{
	const struct ocf_channel_place *place = &layout.place[TAIL];
	uint32_t stream = *(uint32_t *)arg, seed = 1, number, i;
	volatile uint8_t *ring = (uint8_t *)fakes[1].region +
				 ocf_layout_window(&layout, 0, 1) + place->offset;

	for (number = 1; number <= TORN_MESSAGES; number++) {
		volatile uint64_t *slot = (volatile uint64_t *)(volatile void *)
			(ring + (number - 1) % place->slots * place->stride);
		uint64_t w[2 + TORN_WORDS];

		w[1] = ocf_slot_word(number, TORN_WORDS * 8);
		for (i = 0; i < TORN_WORDS; i++)
			w[2 + i] = word_of(number, i);
		w[0] = ocf_slot_check(stream, w[1], w + 2);
		seed = seed * 1664525 + 1013904223;
		let_the_reader(number);
		for (i = 0; i < 2 + TORN_WORDS; i++) {
			uint32_t k = (i * 3 + (seed >> 16)) % (2 + TORN_WORDS);

			if (i == 1 + number % (1 + TORN_WORDS))
				show_half();
			__atomic_store_n(&slot[k], w[k], __ATOMIC_RELEASE);
		}
		__atomic_store_n(&torn_written, number, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Now and then the reader dozes until it has been overtaken. */
static bool dozes(uint32_t last)
{
	uint32_t written = __atomic_load_n(&torn_written, __ATOMIC_RELAXED);

	__atomic_add_fetch(&torn_looks, 1, __ATOMIC_RELAXED);
	return last % 16 == 0 && written != TORN_MESSAGES &&
	       written - last <= layout.place[TAIL].slots;
}

static void read_one(uint32_t *last, uint32_t *seen)
{
	uint64_t w[TORN_WORDS];
	uint32_t number, i;
	int n;

	n = ocf_channel_recv(chan[1], 0, TAIL, w, sizeof(w));
	if (n < 0)
		return;
	number = (uint32_t)chan[1]->peer[0].rx[TAIL].count;
	CHECK(n == sizeof(w) && number > *last);
	for (i = 0; i < TORN_WORDS; i++)
		CHECK(w[i] == word_of(number, i), "message %u, word %u", number, i);
	*last = number;
	++*seen;
	__atomic_store_n(&torn_taken, number, __ATOMIC_RELAXED);
}

static void never_torn(void)
{
	int64_t limit = ocf_deadline(60000000000);
	uint32_t last = 0, seen = 0;
	pthread_t thread;

	begin();
	CHECK(!agree(0, 1));
	CHECK(!pthread_create(&thread, NULL, tear, &chan[0]->peer[1].mine));
	while (last < TORN_MESSAGES && ocf_now_ns() < limit) {
		if (dozes(last))
			sched_yield();
		else
			read_one(&last, &seen);
	}
	CHECK(last == TORN_MESSAGES, "%u messages in a minute", last);
	__atomic_store_n(&torn_taken, TORN_MESSAGES, __ATOMIC_RELAXED);
	__atomic_store_n(&torn_looks, 1u << 31, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	CHECK(seen + ocf_channel_lost(chan[1], 0, TAIL) == TORN_MESSAGES);
	CHECK(seen > TORN_MESSAGES / 10 && seen < TORN_MESSAGES,
	      "%u messages seen", seen);
	end();
}

static const struct tap_test tests[] = {
	{ "places", places },
	{ "layouts that are refused", bad_layouts },
	{ "layouts that differ", layouts_differ },
	{ "what is no hello", not_a_hello },
	{ "messages", messages },
	{ "no message is overwritten before it is taken", credit },
	{ "acknowledgements that lie", lying_acks },
	{ "a buffer that is too small", small_buffer },
	{ "a tail that was overwritten", tails },
	{ "a tail waits for the card", tail_waits_for_the_card },
	{ "a replica that starts again", restart },
	{ "no message is ever torn", never_torn },
};

TAP_MAIN(tests)
