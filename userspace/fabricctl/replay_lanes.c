// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The links' queues: a write is posted with its bytes in the descriptor or in
 * the lane's buffer, which is handed out from its start until the lane is idle
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"
#include "replay.h"

#define DOORBELL_BATCH	32
#define BUFFER_MIN	4096u
/* What --async adds to the largest write, so that several are under way. */
#define BUFFER_AHEAD	(1u << 20)
/* Buffers of idle lanes are given back above this many bytes in all. */
#define BUFFERS_MAX	(256u << 20)

/* ---- attaching ---------------------------------------------------------- */

static int not_attached(struct replay *replay, unsigned int i)
{
	int error = errno;

	if (error != EBUSY)
		return fail(status_of(error), "%s", ocf_error());
	return attach_failed(replay->ctl, replay->card, i, error,
			     "; replay needs every replica of the card");
}

static int attach(struct replay *replay, unsigned int i)
{
	struct ocf_attach_options options = { .clear = true };
	struct lane *lane = &replay->lane[i];

	lane->replica = ocf_attach(replay->dev, i, &options);
	if (!lane->replica)
		return not_attached(replay, i);
	lane->pending = calloc(lane->replica->limit, sizeof(*lane->pending));
	if (!lane->pending)
		return fail(ST_REFUSED, "no memory for replica %u", i);
	return 0;
}

int lanes_attach(struct replay *replay)
{
	char path[64];
	unsigned int i;
	int error = 0;

	snprintf(path, sizeof(path), "/dev/%s", replay->card->name);
	replay->dev = ocf_open(path);
	if (!replay->dev) {
		error = errno;
		return fail(status_of(error), "%s", ocf_error());
	}
	for (i = 0; i < replay->card->max_replicas && !error; i++)
		error = attach(replay, i);
	return error;
}

void lanes_detach(struct replay *replay)
{
	unsigned int i;

	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++) {
		struct lane *lane = &replay->lane[i];

		if (lane->memory.length)
			ocf_memory_del(lane->replica, &lane->memory);
		ocf_detach(lane->replica);
		free(lane->pending);
	}
	ocf_close(replay->dev);
	free(replay->result);
}

/* ---- results ------------------------------------------------------------ */

static void print_done(struct replay *replay)
{
	while (replay->printed < replay->nr_results &&
	       replay->result[replay->printed].done)
		report_result(replay, &replay->result[replay->printed++]);
	if (replay->printed == replay->nr_results) {
		replay->printed = 0;
		replay->nr_results = 0;
	}
}

/* A completion of the lane's oldest write; others would be the card's fault. */
static int take(struct replay *replay, struct lane *lane,
		const struct ocf_completion *c)
{
	struct result *result;
	uint32_t limit = lane->replica->limit;

	if (lane->head == lane->tail ||
	    c->index != (lane->head & ((1u << lane->replica->tx_shift) - 1)))
		return fail(ST_REFUSED, "link %u: a completion for descriptor %u, which is not the next",
			    ocf_replica_id(lane->replica), c->index);
	result = &replay->result[lane->pending[lane->head++ % limit]];
	if (c->status >= OCFABRIC_VERDICT_LOCAL_PROTECTION)
		return fail(ST_REFUSED, "link %u QPN %u: %s: %s",
			    result->write->link, result->write->qpn,
			    ocf_verdict_name(c->status),
			    ocf_verdict_text(c->status));
	result->completion = *c;
	result->done = true;
	if (lane->head == lane->tail)
		lane->used = 0;
	return 0;
}

static int poll_lane(struct replay *replay, struct lane *lane)
{
	struct ocf_completion c[32];
	unsigned int i, n;
	int error = 0;

	do {
		n = ocf_poll(lane->replica, c, ARRAY_SIZE(c));
		for (i = 0; i < n && !error; i++)
			error = take(replay, lane, &c[i]);
	} while (n == ARRAY_SIZE(c) && !error);
	print_done(replay);
	return error;
}

static int wait_failed(struct replay *replay, const struct lane *lane, int error)
{
	const struct result *oldest =
		&replay->result[lane->pending[lane->head % lane->replica->limit]];
	unsigned int link = ocf_replica_id(lane->replica);

	if (error == -EINTR && !caught_signal)
		return 0;
	if (error == -EINTR)
		return fail(128 + caught_signal, "interrupted");
	if (error == -ETIMEDOUT)
		return fail(ST_TIMEOUT, "link %u QPN %u raddr 0x%" PRIx64
			    " length %u: no verdict in time", link,
			    oldest->write->qpn, oldest->write->raddr,
			    oldest->write->len);
	return fail(status_of(-error) == ST_ABSENT ? ST_ABSENT : ST_REFUSED,
		    "link %u: %s", link, ocf_error());
}

/* Rings what is posted and waits for at least one completion. */
static int wait_lane(struct replay *replay, struct lane *lane)
{
	int64_t limit = now_ns() + replay->wait_ns;
	int error;

	ocf_ring(lane->replica);
	if (limit > replay->ctl->deadline)
		limit = replay->ctl->deadline;
	limit -= now_ns();
	error = ocf_wait(lane->replica, limit > 0 ? limit : 0);
	if (error)
		return wait_failed(replay, lane, error);
	return poll_lane(replay, lane);
}

static int drain_lane(struct replay *replay, struct lane *lane)
{
	int error = 0;

	while (lane->head != lane->tail && !error)
		error = wait_lane(replay, lane);
	return error;
}

int lanes_barrier(struct replay *replay)
{
	unsigned int i;
	int error = 0;

	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++)
		if (replay->lane[i].head != replay->lane[i].tail)
			ocf_ring(replay->lane[i].replica);
	for (i = 0; i < OCFABRIC_REPLICAS_MAX && !error; i++)
		error = drain_lane(replay, &replay->lane[i]);
	return error;
}

/* ---- sources ------------------------------------------------------------ */

static uint64_t buffers_in_all(const struct replay *replay)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++)
		sum += replay->lane[i].memory.length;
	return sum;
}

static int drop_buffer(struct lane *lane)
{
	if (lane->memory.length && lane->head == lane->tail &&
	    ocf_memory_del(lane->replica, &lane->memory))
		return fail(ST_REFUSED, "%s", ocf_error());
	return 0;
}

/* The lane is idle: a larger buffer takes the place of the one it has. */
static int grow_buffer(struct replay *replay, struct lane *lane, size_t bytes)
{
	size_t wanted = bytes < BUFFER_MIN ? BUFFER_MIN : bytes;
	unsigned int i;
	int error;

	if (replay->async && wanted + BUFFER_AHEAD <= OCFABRIC_LEN_MAX)
		wanted += BUFFER_AHEAD;
	error = drop_buffer(lane);
	for (i = 0; i < OCFABRIC_REPLICAS_MAX && !error; i++)
		if (buffers_in_all(replay) + wanted > BUFFERS_MAX)
			error = drop_buffer(&replay->lane[i]);
	if (error)
		return error;
	if (ocf_buffer_add(lane->replica, wanted, &lane->memory))
		return fail(status_of(errno), "a buffer of %zu bytes for link %u: %s",
			    wanted, ocf_replica_id(lane->replica), ocf_error());
	return 0;
}

/* Where in the buffer these bytes can go. */
static int reserve(struct replay *replay, struct lane *lane, size_t bytes,
		   size_t *offset)
{
	int error;

	if (lane->used + bytes > lane->memory.length || !lane->memory.length) {
		error = drain_lane(replay, lane);
		if (!error && bytes >= lane->memory.length)
			error = grow_buffer(replay, lane, bytes);
		if (error)
			return error;
	}
	*offset = lane->used;
	/* Cache lines are not shared by writes. */
	lane->used += (bytes + OCFABRIC_LINE - 1) & ~(size_t)(OCFABRIC_LINE - 1);
	return 0;
}

/* ---- posting ------------------------------------------------------------ */

static int note_result(struct replay *replay, const struct ocf_scn_write *write)
{
	struct ocf_write w = {
		.raddr = write->raddr, .qpn = write->qpn, .len = write->len,
		.beats = write->beats, .kind = OCF_KIND_WRITE,
	};
	struct ocf_subject subject = {
		.cfg = &replay->shadow, .link = write->link, .w = &w,
	};
	struct result *more, *result;

	if (replay->nr_results == replay->room_results) {
		size_t room = replay->room_results ? 2 * replay->room_results : 256;

		more = realloc(replay->result, room * sizeof(*more));
		if (!more)
			return fail(ST_REFUSED, "no memory for results");
		replay->result = more;
		replay->room_results = room;
	}
	result = &replay->result[replay->nr_results++];
	*result = (struct result){ .write = write,
				   .expected = ocf_judge(&subject) };
	if (result->expected.peer < OCFABRIC_REPLICAS_MAX)
		result->addr = replay->shadow.region[result->expected.peer].base +
			       write->raddr;
	return 0;
}

static int post_inline(struct replay *replay, struct lane *lane,
		       const struct ocf_scn_write *write)
{
	struct ocf_scn_payload payload;
	uint8_t data[OCFABRIC_INLINE_MAX];

	ocf_scn_payload_init(&payload, replay->scn, write);
	ocf_scn_payload_fill(&payload, data, write->bytes);
	return ocf_post_inline(lane->replica, write->qpn, write->raddr,
			       write->len, data, 0);
}

static int post_buffer(struct replay *replay, struct lane *lane,
		       const struct ocf_scn_write *write, size_t offset)
{
	struct ocf_scn_payload payload;

	ocf_scn_payload_init(&payload, replay->scn, write);
	ocf_scn_payload_fill(&payload, (uint8_t *)lane->memory.addr + offset,
			     write->bytes);
	return ocf_post_beats(lane->replica, write->qpn, write->raddr,
			      write->len, write->beats_said ? write->beats : 0,
			      lane->memory.key, offset, 0);
}

int lanes_post(struct replay *replay, const struct ocf_scn_write *write)
{
	struct lane *lane = &replay->lane[write->link];
	bool in_descriptor = !write->beats_said &&
			     write->len <= OCFABRIC_INLINE_MAX;
	size_t offset = 0;
	int error = 0;

	while (!ocf_room(lane->replica) && !error)
		error = wait_lane(replay, lane);
	if (!error && !in_descriptor)
		error = reserve(replay, lane, write->bytes, &offset);
	if (!error)
		error = note_result(replay, write);
	if (error)
		return error;
	error = in_descriptor ? post_inline(replay, lane, write) :
				post_buffer(replay, lane, write, offset);
	if (error < 0)
		return fail(ST_REFUSED, "posting: %s", strerror(-error));
	lane->pending[lane->tail++ % lane->replica->limit] = replay->nr_results - 1;
	if (replay->async && lane->replica->posted - lane->replica->rung < DOORBELL_BATCH)
		return 0;
	ocf_ring(lane->replica);
	return replay->async ? poll_lane(replay, lane) : lanes_barrier(replay);
}
