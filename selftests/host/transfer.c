// SPDX-License-Identifier: GPL-2.0-only
/*
 * THEORY OF OPERATION: gen and start on a card that is played in memory (fake.h):
 * what gen writes, what start refuses and that it then changes nothing, and the
 * handshake of a receiver and a sender.
 */
#include <string.h>

#include "fake.h"
#include "tap.h"

#define SHIFT	4
#define ENTRIES	(1u << SHIFT)

#define GO	1	/* semaphores: the receiver is ready */
#define FREE	2	/* the sources may be used again */
#define DATA	3	/* the data may be read */
#define LAUNCH	4

static const struct ocf_piece pieces[] = {
	{ .raddr = 64, .addr = 0, .len = 8, .key = FAKE_KEY },
	{ .raddr = 128, .addr = 8, .len = 8, .key = FAKE_KEY, .imm = 42,
	  .flags = OCF_PIECE_IMM },
};

static const struct ocf_plan send_plan = {
	.role = OCF_ROLE_TX,
	.qpn = 1,
	.pieces = pieces,
	.count = 2,
	.local = { FREE, 1 },
	.remote = { DATA, 1 },
};

static const struct ocf_plan receive_plan = {
	.role = OCF_ROLE_RX,
	.qpn = 0,
	.count = 1,
	.remote = { GO, 1 },
};

static void begin(void)
{
	unsigned int i;

	fake_start(SHIFT, SHIFT, SHIFT + 1);
	for (i = 0; i < FAKE_REPLICAS; i++)
		fakes[i].held.spin_ns = 2000000000;
}

static void what_gen_writes(void)
{
	const struct ocfabric_desc *d = fakes[0].tx;
	struct ocf_plan plan = send_plan;
	struct ocf_transfer t;

	begin();
	plan.launch = (struct ocf_sem_add){ LAUNCH, 9 };
	CHECK(ocf_desc_gen(fake_replica(0), &plan, &t) == 5);
	CHECK(t.role == OCF_ROLE_TX && t.count == 5 && !t.rx_count);
	CHECK(d[0].opcode == OCFABRIC_OP_SEM_LOCAL && d[0].sem == LAUNCH &&
	      d[0].len == 9);
	CHECK(d[1].opcode == OCFABRIC_OP_WRITE && d[1].raddr == 64 &&
	      d[1].len == 8 && d[1].key == FAKE_KEY && d[1].qpn == 1);
	CHECK(d[2].opcode == OCFABRIC_OP_WRITE_IMM && d[2].imm == 42 &&
	      d[2].addr == 8);
	CHECK(d[3].opcode == OCFABRIC_OP_SEM_LOCAL && d[3].sem == FREE);
	CHECK(d[4].opcode == OCFABRIC_OP_SEM_REMOTE && d[4].sem == DATA &&
	      d[4].qpn == 1);
	CHECK(d[3].flags & OCFABRIC_DESC_UNSIGNALED);
	CHECK(!(d[4].flags & OCFABRIC_DESC_UNSIGNALED), "nothing completes");
	ocf_ring(fake_replica(0));
	CHECK(!fakes[0].doorbell, "ocf_ring() launched it");
}

static void handshake(void)
{
	struct ocf_start start = { .wait = true, .sem = GO, .target = 1,
				   .timeout_ns = 1000000 };
	struct ocf_transfer tx, rx;
	struct ocf_completion c;

	begin();
	fakes[0].memory[0] = 0x1111;
	fakes[0].memory[1] = 0x2222;
	CHECK(ocf_desc_gen(fake_replica(0), &send_plan, &tx) == 4);
	CHECK(ocf_desc_gen(fake_replica(1), &receive_plan, &rx) == 2);

	CHECK(ocf_desc_start(fake_replica(0), &tx, OCF_ROLE_TX, &start) ==
	      -ETIMEDOUT, "before the receiver was ready");
	fake_run();
	CHECK(!fakes[1].region[8]);

	CHECK(ocf_desc_start(fake_replica(1), &rx, OCF_ROLE_RX, NULL) == 0);
	CHECK(fakes[1].rx_doorbell == 1 && fakes[1].doorbell == 1);
	fake_run();
	CHECK(ocf_desc_start(fake_replica(0), &tx, OCF_ROLE_TX, &start) == 0);
	CHECK(fakes[0].doorbell == 4, "%u doorbells", fakes[0].doorbell);
	fake_run();

	CHECK(fakes[1].region[8] == 0x1111 && fakes[1].region[16] == 0x2222);
	CHECK(ocf_sem_read(fake_replica(1), DATA) == 1);
	CHECK(ocf_sem_read(fake_replica(0), FREE) == 1);
	CHECK(fakes[0].rnr == 0);
	CHECK(ocf_poll(fake_replica(1), &c, 1) == 1);
	CHECK(!c.receive && c.opcode == OCFABRIC_OP_SEM_REMOTE);
	CHECK(ocf_poll(fake_replica(1), &c, 1) == 1 && c.receive && c.imm == 42);
	CHECK(fake_poll(&fakes[0]) == 1);
	CHECK(ocf_room(fake_replica(0)) == ENTRIES);
}

/* A failed start leaves everything as it was. */
static void refused(struct ocf_transfer *t, enum ocf_role role,
		    const struct ocf_start *start, int error,
		    const char *sentence)
{
	struct ocf_replica before = *fake_replica(0);
	struct ocf_transfer was = *t;

	CHECK(ocf_desc_start(fake_replica(0), t, role, start) == error);
	CHECK(!strcmp(ocf_error(), sentence), "%s", ocf_error());
	CHECK(!memcmp(&before, fake_replica(0), sizeof(before)));
	CHECK(!memcmp(&was, t, sizeof(was)));
	CHECK(!fakes[0].doorbell && !fakes[0].rx_doorbell);
}

static void wrong_role(void)
{
	struct ocf_plan plan = receive_plan;
	struct ocf_transfer t;

	begin();
	ocf_desc_gen(fake_replica(0), &send_plan, &t);
	refused(&t, OCF_ROLE_RX, NULL, -EINVAL,
		"the transfer was prepared for the sender, but is started by the receiver");
	CHECK(ocf_desc_start(fake_replica(0), &t, OCF_ROLE_TX, NULL) == 0);
	plan.qpn = 1;
	ocf_desc_gen(fake_replica(0), &plan, &t);
	fake_run();
	refused(&t, OCF_ROLE_TX, NULL, -EINVAL,
		"the transfer was prepared for the receiver, but is started by the sender");
}

static void wrong_count(void)
{
	struct ocf_start start = { .expected = 5 };
	struct ocf_transfer t;

	begin();
	ocf_desc_gen(fake_replica(0), &send_plan, &t);
	refused(&t, OCF_ROLE_TX, &start, -EBADMSG,
		"wrote 4 descriptors, expected 5");
	fakes[0].tx[2].flags ^= 2;
	refused(&t, OCF_ROLE_TX, NULL, -EBADMSG,
		"wrote 2 descriptors, expected 4");
	fakes[0].tx[2].flags ^= 2;
	start.expected = 4;
	CHECK(ocf_desc_start(fake_replica(0), &t, OCF_ROLE_TX, &start) == 0);
	fake_run();
	refused(&(struct ocf_transfer){ .role = OCF_ROLE_TX }, OCF_ROLE_TX, NULL,
		-EINVAL, "the transfer is not prepared: never, or started, cancelled, or the queue was restarted");
}

static void in_order(void)
{
	struct ocf_transfer first, second;

	begin();
	ocf_desc_gen(fake_replica(0), &send_plan, &first);
	ocf_desc_gen(fake_replica(0), &send_plan, &second);
	CHECK(ocf_post_nop(fake_replica(0), 0) == -EBUSY);
	CHECK(ocf_room(fake_replica(0)) == 0);
	refused(&second, OCF_ROLE_TX, NULL, -EBUSY,
		"a transfer that was prepared earlier has not been started");
	CHECK(ocf_desc_start(fake_replica(0), &first, OCF_ROLE_TX, NULL) == 0);
	CHECK(fakes[0].doorbell == 4);
	fake_run();
	CHECK(ocf_post_nop(fake_replica(0), 0) == -EBUSY);
	CHECK(ocf_desc_start(fake_replica(0), &second, OCF_ROLE_TX, NULL) == 0);
	CHECK(ocf_desc_start(fake_replica(0), &second, OCF_ROLE_TX, NULL) ==
	      -EINVAL, "started twice");
	fake_run();
	CHECK(ocf_post_nop(fake_replica(0), 0) >= 0);
	CHECK(!fakes[0].stale);
}

static void cancelled(void)
{
	struct ocf_transfer first, second;
	struct ocf_replica before;

	begin();
	ocf_post_nop(fake_replica(0), OCF_UNSIGNALED);
	before = *fake_replica(0);
	ocf_desc_gen(fake_replica(0), &send_plan, &first);
	ocf_desc_gen(fake_replica(0), &send_plan, &second);
	CHECK(ocf_desc_cancel(fake_replica(0), &first) == -EBUSY);
	CHECK(!strcmp(ocf_error(),
		      "another transfer was prepared later: cancel that first"),
	      "%s", ocf_error());
	CHECK(ocf_desc_cancel(fake_replica(0), &second) == 0);
	CHECK(ocf_desc_cancel(fake_replica(0), &second) == -EINVAL);
	CHECK(ocf_desc_cancel(fake_replica(0), &first) == 0);
	CHECK(!memcmp(&before, fake_replica(0), sizeof(before)));
	CHECK((fakes[0].tx[1].flags & OCFABRIC_DESC_TAG_MASK) != 1,
	      "what was cancelled still looks written");
	CHECK(ocf_desc_start(fake_replica(0), &first, OCF_ROLE_TX, NULL) ==
	      -EINVAL);
	ocf_desc_gen(fake_replica(1), &receive_plan, &first);
	CHECK(ocf_post_recv(fake_replica(1), 1) == -EBUSY);
	CHECK(ocf_desc_cancel(fake_replica(1), &first) == 0);
	CHECK(ocf_post_recv(fake_replica(1), 1) == 0);
}

static void plan_refused(struct ocf_plan plan, int error, const char *sentence)
{
	struct ocf_replica before = *fake_replica(0);
	struct ocf_transfer t;

	CHECK(ocf_desc_gen(fake_replica(0), &plan, &t) == error, "%s", sentence);
	CHECK(!strcmp(ocf_error(), sentence), "%s", ocf_error());
	CHECK(!memcmp(&before, fake_replica(0), sizeof(before)));
	CHECK(!fakes[0].tx[0].flags && !fakes[0].rx[0].flags);
}

static void plans(void)
{
	struct ocf_plan p = send_plan, none = { .role = OCF_ROLE_RX };

	begin();
	p.remote.sem = 64;
	plan_refused(p, -EINVAL, "remote: there is no semaphore 64");
	p = send_plan;
	p.count = 0;
	plan_refused(p, -EINVAL, "a sender's transfer has writes");
	p.role = (enum ocf_role)2;
	plan_refused(p, -EINVAL, "there is no role 2");
	p = send_plan;
	p.role = OCF_ROLE_RX;
	plan_refused(p, -EINVAL,
		     "a receiver's transfer has no writes, no launch and no local semaphore");
	plan_refused(none, -EINVAL, "the transfer is empty");
	p = receive_plan;
	p.count = ENTRIES + 1;
	plan_refused(p, -EMSGSIZE, "1 transmit and 17 receive descriptors never fit into rings of 16 and 16 with 32 completions");
	fake_start(SHIFT, SHIFT, SHIFT);
	p.count = ENTRIES;
	p.remote.add = 0;
	plan_refused(p, -EMSGSIZE, "0 transmit and 16 receive descriptors never fit into rings of 16 and 16 with 16 completions");
	fake_replica(0)->rx = NULL;
	plan_refused(receive_plan, -EOPNOTSUPP, "this card has no receive rings");
}

static void room(void)
{
	struct ocf_plan receives = receive_plan;
	struct ocf_transfer t[4];
	uint32_t i;

	begin();
	for (i = 0; i < 4; i++)
		CHECK(ocf_desc_gen(fake_replica(0), &send_plan, &t[i]) == 4);
	CHECK(ocf_desc_gen(fake_replica(0), &send_plan, &t[0]) == -EAGAIN);
	CHECK(!strcmp(ocf_error(), "no room for 4 transmit and 0 receive descriptors"),
	      "%s", ocf_error());
	/* 16 may complete already: 15 receives leave one entry */
	receives.remote.add = 0;
	receives.count = ENTRIES;
	CHECK(ocf_desc_gen(fake_replica(0), &receives, &t[0]) == -EAGAIN);
	receives.count = ENTRIES - 1;
	CHECK(ocf_desc_gen(fake_replica(0), &receives, &t[0]) == ENTRIES - 1);
}

/* Over many laps, mixed with posts, with nothing left over at the end. */
static void laps(void)
{
	struct ocf_transfer tx, rx;
	struct ocf_completion c;
	uint32_t i, received = 0;

	begin();
	for (i = 0; i < 50 * ENTRIES; i++) {
		struct ocf_start start = { .wait = true, .sem = GO,
					   .target = i + 1, .timeout_ns = 0 };

		CHECK(ocf_post_nop(fake_replica(0), OCF_UNSIGNALED) >= 0);
		CHECK(ocf_desc_gen(fake_replica(0), &send_plan, &tx) == 4);
		CHECK(ocf_desc_gen(fake_replica(1), &receive_plan, &rx) == 2);
		CHECK(!ocf_desc_start(fake_replica(1), &rx, OCF_ROLE_RX, NULL));
		fake_run();
		CHECK(!ocf_desc_start(fake_replica(0), &tx, OCF_ROLE_TX, &start));
		fake_run();
		while (ocf_poll(fake_replica(1), &c, 1))
			received += c.receive;
		fake_poll(&fakes[0]);
	}
	CHECK(received == i && fakes[1].sems[DATA] == i, "%u", received);
	CHECK(!fake_broken(&fakes[0]) && !fake_broken(&fakes[1]));
	CHECK(ocf_room(fake_replica(0)) == ENTRIES);
	CHECK(ocf_room(fake_replica(1)) == ENTRIES);
	CHECK(fake_replica(1)->rx_posted == fake_replica(1)->rx_done);
}

static const struct tap_test tests[] = {
	{ "what gen writes", what_gen_writes },
	{ "the receiver is ready before the sender sends", handshake },
	{ "a start in the wrong role", wrong_role },
	{ "a start of another number of descriptors", wrong_count },
	{ "transfers start in their order", in_order },
	{ "a cancelled transfer leaves nothing", cancelled },
	{ "plans that are refused", plans },
	{ "room for transfers", room },
	{ "transfers lap after lap", laps },
};

TAP_MAIN(tests)
