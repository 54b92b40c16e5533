// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * quorum: a leader tells two followers and goes on when a majority has it
 *
 * Replica 0 sends each entry to both others through a channel, with one doorbell
 * for both, and waits until it and one more have it. Followers acknowledge in a
 * channel of their own. Replica 2 is slow now and then: nobody waits for it, as
 * long as its ring has room.
 */
#include "example.h"

#define REPLICAS	3
#define ENTRIES		300
#define SLOW		50	/* replica 2 takes nothing for so many looks */

enum { LOG, ACKS };

struct entry {
	uint64_t number;
	char text[40];
};

static const struct ocf_channel_spec channels[] = {
	[LOG] = { .name = "log", .slots = 64, .size = sizeof(struct entry) },
	[ACKS] = { .name = "acks", .slots = 64, .size = sizeof(uint64_t) },
};

/* Completions come of every second half ring only; failures always. */
static void take_completions(struct ocf_replica *r)
{
	struct ocf_completion c;

	while (ocf_poll(r, &c, 1))
		if (c.status != OCFABRIC_VERDICT_COMMITTED)
			die("sending", ocf_verdict_text(c.status));
}

static void send(struct ocf_replica *r, struct ocf_channels *c, unsigned int to,
		 unsigned int channel, const void *data, uint32_t len)
{
	struct looking looking = { 0 };
	int error;

	while ((error = ocf_channel_send(c, to, channel, data, len)) == -EAGAIN) {
		ocf_ring(r);
		take_completions(r);
		look_again(r, &looking, "sending");
	}
	must(error, "sending");
}

/* The highest number that this follower has acknowledged. */
static uint64_t look_for_acks(struct ocf_channels *c, unsigned int from,
			      uint64_t acked)
{
	int n;

	do {
		n = ocf_channel_recv(c, from, ACKS, &acked, sizeof(acked));
	} while (n >= 0);
	if (n != -EAGAIN)
		must(n, "receiving an acknowledgement");
	return acked;
}

/* Until so many followers have acknowledged this entry. */
static void wait_for(struct ocf_replica *r, struct ocf_channels *c,
		     uint64_t *acked, unsigned int followers, uint64_t number)
{
	struct looking looking = { 0 };

	while ((acked[1] >= number) + (acked[2] >= number) < (int)followers) {
		acked[1] = look_for_acks(c, 1, acked[1]);
		acked[2] = look_for_acks(c, 2, acked[2]);
		look_again(r, &looking, "waiting for acknowledgements");
	}
}

static void lead(struct ocf_replica *r, struct ocf_channels *c)
{
	uint64_t acked[REPLICAS] = { 0 };
	struct entry e;

	for (e.number = 1; e.number <= ENTRIES; e.number++) {
		snprintf(e.text, sizeof(e.text), "entry %u", (unsigned int)e.number);
		send(r, c, 1, LOG, &e, sizeof(e));
		send(r, c, 2, LOG, &e, sizeof(e));
		ocf_ring(r);
		wait_for(r, c, acked, 1, e.number);
		take_completions(r);
	}
	printf("replica 0: a majority has %d entries\n", ENTRIES);
	wait_for(r, c, acked, 2, ENTRIES);
}

static void follow(struct ocf_replica *r, struct ocf_channels *c)
{
	struct looking looking = { 0 };
	uint64_t number = 0;
	unsigned int looks = 0;
	struct entry e;
	int n;

	while (number < ENTRIES) {
		if (ocf_replica_id(r) == 2 && number % 64 == 63 && looks++ < SLOW)
			continue;
		n = ocf_channel_recv(c, 0, LOG, &e, sizeof(e));
		if (n == -EAGAIN) {
			look_again(r, &looking, "receiving");
			continue;
		}
		must(n, "receiving an entry");
		if (e.number != ++number)
			die("receiving", "an entry is missing");
		looks = 0;
		looking = (struct looking){ 0 };
		send(r, c, 0, ACKS, &number, sizeof(number));
		ocf_ring(r);
		take_completions(r);
	}
	printf("replica %u: has all %d entries\n", ocf_replica_id(r), ENTRIES);
}

static void run(struct ocf_replica *r)
{
	unsigned int me = ocf_replica_id(r), peer;
	struct ocf_channels *c;
	struct ocf_layout l;

	must(ocf_layout_plan(&l, REPLICAS, 0, channels, 2), "the layout");
	c = ocf_channels_open(r, &l);
	if (!c)
		die("channels", ocf_error());
	for (peer = 0; peer < REPLICAS; peer++)
		if (peer != me)
			must(ocf_channels_announce(c, peer), "saying hello");
	for (peer = 0; peer < REPLICAS; peer++)
		if (peer != me)
			must(ocf_channels_agree(c, peer, WAIT_NS), "agreeing");
	if (me == 0)
		lead(r, c);
	else
		follow(r, c);
	finish(r, "the last messages");
	ocf_channels_close(c);
}

int main(void)
{
	return run_replicas(REPLICAS, run);
}
