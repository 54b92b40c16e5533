// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Transfers: gen writes descriptors behind what was posted, start makes them
 * posted and rings
 */
#include <string.h>

#include "internal.h"

/*
 * ocf_transfer.state is this and the count of restarts when it was prepared, so
 * that memory which never was a transfer is none.
 */
#define PREPARED	0x70726570

static uint32_t state_of(const struct ocf_replica *r)
{
	return PREPARED + ocf_held(r)->restarts;
}

static int check_sem(const struct ocf_sem_add *s, const char *name)
{
	if (s->add && s->sem >= OCFABRIC_SEMAPHORES)
		return ocf_fail(EINVAL, "%s: there is no semaphore %u", name,
				s->sem);
	return 0;
}

static int check_rx(const struct ocf_replica *r, const struct ocf_plan *p)
{
	if (p->launch.add || p->local.add || p->pieces)
		return ocf_fail(EINVAL, "a receiver's transfer has no writes, no "
				"launch and no local semaphore");
	if (p->count && !r->rx)
		return ocf_fail(EOPNOTSUPP, "this card has no receive rings");
	if (!p->count && !p->remote.add)
		return ocf_fail(EINVAL, "the transfer is empty");
	return 0;
}

static int check_plan(const struct ocf_replica *r, const struct ocf_plan *p)
{
	int error = check_sem(&p->launch, "launch");

	if (!error)
		error = check_sem(&p->local, "local");
	if (!error)
		error = check_sem(&p->remote, "remote");
	if (error)
		return error;
	switch (p->role) {
	case OCF_ROLE_RX:
		return check_rx(r, p);
	case OCF_ROLE_TX:
		if (p->count && p->pieces)
			return 0;
		return ocf_fail(EINVAL, "a sender's transfer has writes");
	default:
		return ocf_fail(EINVAL, "there is no role %u",
				(unsigned int)p->role);
	}
}

/* Transmit descriptors that the plan comes to. */
static uint64_t tx_count(const struct ocf_plan *p)
{
	uint64_t writes = p->role == OCF_ROLE_TX ? p->count : 0;

	return writes + !!p->launch.add + !!p->local.add + !!p->remote.add;
}

static int check_room(const struct ocf_replica *r, const struct ocf_plan *p)
{
	uint64_t tx = tx_count(p), rx = p->role == OCF_ROLE_RX ? p->count : 0;
	uint32_t rx_entries = r->rx ? 1u << r->rx_shift : 0;
	uint32_t cq = 1u << r->cq_shift;
	uint32_t armed = r->rx_posted - r->rx_done + r->rx_prepared;

	/* As for posts, the last entry of @cq is not for a receive. */
	if (tx > r->limit || rx > rx_entries || tx + rx + (rx && !tx) > cq)
		return ocf_fail(EMSGSIZE, "%llu transmit and %llu receive "
				"descriptors never fit into rings of %u and %u "
				"with %u completions", (unsigned long long)tx,
				(unsigned long long)rx, 1u << r->tx_shift,
				rx_entries, cq);
	if (tx > ocf_capacity_(r) || rx > rx_entries - armed ||
	    tx + rx + (rx && !tx) > cq - ocf_owed_(r))
		return ocf_fail(EAGAIN, "no room for %llu transmit and %llu receive "
				"descriptors", (unsigned long long)tx,
				(unsigned long long)rx);
	return 0;
}

static void gen_piece(struct ocf_replica *r, uint32_t qpn,
		      const struct ocf_piece *piece, uint32_t flags)
{
	if (piece->flags & OCF_PIECE_IMM)
		ocf_post_write_imm(r, qpn, piece->raddr, piece->len, piece->key,
				   piece->addr, piece->imm, flags);
	else
		ocf_post_write(r, qpn, piece->raddr, piece->len, piece->key,
			       piece->addr, flags);
}

/* There is room: none of these posts can fail. Only the last is signaled. */
static void gen_tx(struct ocf_replica *r, const struct ocf_plan *p)
{
	uint32_t last = r->posted + (uint32_t)tx_count(p) - 1;
	uint32_t i;

	if (p->launch.add)
		ocf_post_sem_local(r, p->launch.sem, p->launch.add,
				   OCF_UNSIGNALED);
	for (i = 0; p->role == OCF_ROLE_TX && i < p->count; i++)
		gen_piece(r, p->qpn, &p->pieces[i],
			  r->posted == last ? 0 : OCF_UNSIGNALED);
	if (p->local.add)
		ocf_post_sem_local(r, p->local.sem, p->local.add,
				   r->posted == last ? 0 : OCF_UNSIGNALED);
	if (p->remote.add)
		ocf_post_sem_remote(r, p->qpn, p->remote.sem, p->remote.add, 0);
}

OCF_API int ocf_desc_gen(struct ocf_replica *r, const struct ocf_plan *plan,
			 struct ocf_transfer *t)
{
	uint32_t posted = r->posted;
	int error = check_plan(r, plan);

	if (!error)
		error = check_room(r, plan);
	if (error)
		return error;
	*t = (struct ocf_transfer){
		.role = plan->role,
		.first = r->posted + r->prepared,
		.count = (uint32_t)tx_count(plan),
		.rx_first = r->rx_posted + r->rx_prepared,
		.rx_count = plan->role == OCF_ROLE_RX ? plan->count : 0,
		.unsignaled = r->unsignaled,
		.state = state_of(r),
	};
	/* Post as if the prepared ones were posted, then take that back. */
	r->posted = t->first;
	r->end = t->first + t->count;
	gen_tx(r, plan);
	r->posted = posted;
	r->prepared += t->count;
	ocf_fill_recv_(r, t->rx_first, t->rx_count);
	r->rx_prepared += t->rx_count;
	ocf_set_end_(r);
	return (int)(t->count + t->rx_count);
}

/* How many descriptors of the lap that is due a ring holds. */
static uint32_t count_tx(const struct ocf_replica *r,
			 const struct ocf_transfer *t)
{
	uint32_t mask = (1u << r->tx_shift) - 1, i;

	for (i = 0; i < t->count; i++) {
		uint32_t number = t->first + i;
		uint32_t tag = ((number >> r->tx_shift) + 1) &
			       OCFABRIC_DESC_TAG_MASK;
		const volatile uint8_t *flags = &r->tx[number & mask].flags;

		if ((*flags & OCFABRIC_DESC_TAG_MASK) != tag)
			break;
	}
	return i;
}

static uint32_t count_rx(const struct ocf_replica *r,
			 const struct ocf_transfer *t)
{
	uint32_t mask = (1u << r->rx_shift) - 1, i;

	for (i = 0; i < t->rx_count; i++) {
		uint32_t number = t->rx_first + i;
		uint32_t tag = ((number >> r->rx_shift) + 1) &
			       OCFABRIC_DESC_TAG_MASK;
		const volatile uint8_t *flags = &r->rx[number & mask].flags;

		if ((*flags & OCFABRIC_DESC_TAG_MASK) != tag)
			break;
	}
	return i;
}

static const char *role_name(enum ocf_role role)
{
	return role == OCF_ROLE_TX ? "sender" : "receiver";
}

static int check_state(const struct ocf_replica *r, const struct ocf_transfer *t)
{
	if (t->state != state_of(r) || t->count > r->prepared ||
	    t->rx_count > r->rx_prepared)
		return ocf_fail(EINVAL, "the transfer is not prepared: never, or "
				"started, cancelled, or the queue was restarted");
	return 0;
}

static int check_start(const struct ocf_replica *r, const struct ocf_transfer *t,
		       enum ocf_role role)
{
	int error = check_state(r, t);

	if (error)
		return error;
	if ((t->role & 1) != ((unsigned int)role & 1))
		return ocf_fail(EINVAL, "the transfer was prepared for the %s, "
				"but is started by the %s", role_name(t->role),
				role_name(role));
	if ((t->count && t->first != r->posted) ||
	    (t->rx_count && t->rx_first != r->rx_posted))
		return ocf_fail(EBUSY, "a transfer that was prepared earlier has "
				"not been started");
	return 0;
}

static int check_count(const struct ocf_replica *r, const struct ocf_transfer *t,
		       uint32_t expected)
{
	uint32_t wrote = count_tx(r, t) + count_rx(r, t);

	if (!expected)
		expected = t->count + t->rx_count;
	if (wrote != expected)
		return ocf_fail(EBADMSG, "wrote %u descriptors, expected %u",
				wrote, expected);
	return 0;
}

static void launch(struct ocf_replica *r, struct ocf_transfer *t)
{
	t->state = 0;
	r->rx_posted += t->rx_count;
	r->rx_prepared -= t->rx_count;
	r->posted += t->count;
	r->prepared -= t->count;
	ocf_set_end_(r);
	/* The receiver is ready before it says so. */
	ocf_ring_recv(r);
	ocf_ring(r);
}

OCF_API int ocf_desc_start(struct ocf_replica *r, struct ocf_transfer *t,
			   enum ocf_role role, const struct ocf_start *start)
{
	int error = check_start(r, t, role);

	if (!error && start && start->wait)
		error = ocf_sem_wait(r, start->sem, start->target,
				     start->timeout_ns);
	if (error)
		return error;
	ocf_wmb_desc_before_doorbell();
	error = check_count(r, t, start ? start->expected : 0);
	if (!error)
		launch(r, t);
	return error;
}

/* What nobody will ring must not look like a descriptor of this lap. */
static void forget(struct ocf_replica *r, const struct ocf_transfer *t)
{
	uint32_t i;

	for (i = 0; i < t->count; i++)
		r->tx[(t->first + i) & ((1u << r->tx_shift) - 1)].flags ^=
			OCFABRIC_DESC_TAG_MASK;
	for (i = 0; i < t->rx_count; i++)
		r->rx[(t->rx_first + i) & ((1u << r->rx_shift) - 1)].flags ^=
			OCFABRIC_DESC_TAG_MASK;
}

OCF_API int ocf_desc_cancel(struct ocf_replica *r, struct ocf_transfer *t)
{
	int error = check_state(r, t);

	if (error)
		return error;
	if ((t->count && t->first + t->count != r->posted + r->prepared) ||
	    (t->rx_count &&
	     t->rx_first + t->rx_count != r->rx_posted + r->rx_prepared))
		return ocf_fail(EBUSY, "another transfer was prepared later: "
				"cancel that first");
	forget(r, t);
	t->state = 0;
	r->unsignaled = t->unsignaled;
	r->prepared -= t->count;
	r->rx_prepared -= t->rx_count;
	ocf_set_end_(r);
	return 0;
}
