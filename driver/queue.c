// SPDX-License-Identifier: GPL-2.0-only
/* Queues: their rings, enabling, stopping, looking at them. */
#include <linux/log2.h>

#include "ocfabric.h"
#include "trace.h"

void ocf_rings_free(struct ocf_rings *rings)
{
	ocf_mem_free(rings->tx);
	ocf_mem_free(rings->rx);
	ocf_mem_free(rings->cq);
	ocf_mem_free(rings->owner);
	ocf_mem_free(rings->semaphores);
	rings->tx = NULL;
	rings->rx = NULL;
	rings->cq = NULL;
	rings->owner = NULL;
	rings->semaphores = NULL;
}

static int ocf_ring_alloc(struct ocf_card *card, size_t size,
			  unsigned int chunk_shift, struct ocf_mem **ring)
{
	struct ocf_mem *mem = ocf_mem_alloc(card, size, chunk_shift);

	if (IS_ERR(mem))
		return PTR_ERR(mem);
	*ring = mem;
	return 0;
}

/* All rings are cut into chunks of one size; a small ring has just one. */
static unsigned int ocf_rings_chunk_shift(size_t bytes)
{
	return clamp(ilog2(bytes), OCFABRIC_CHUNK_SHIFT_MIN,
		     OCFABRIC_CHUNK_SHIFT_MAX);
}

int ocf_rings_alloc(struct ocf_card *card, struct ocf_rings *rings,
		    const struct ocf_entries *entries)
{
	size_t tx = entries->tx * sizeof(struct ocfabric_desc);
	size_t rx = entries->rx * sizeof(struct ocfabric_rx_desc);
	size_t cq = entries->cq * sizeof(struct ocfabric_cqe);
	unsigned int shift = ocf_rings_chunk_shift(max3(tx, rx, cq));
	int ret;

	*rings = (struct ocf_rings){
		.tx_shift = ilog2(entries->tx),
		.rx_shift = ilog2(entries->rx),
		.cq_shift = ilog2(entries->cq),
	};
	ret = ocf_ring_alloc(card, tx, shift, &rings->tx);
	if (!ret)
		ret = ocf_ring_alloc(card, rx, shift, &rings->rx);
	if (!ret)
		ret = ocf_ring_alloc(card, cq, shift, &rings->cq);
	if (!ret)
		ret = ocf_ring_alloc(card, sizeof(struct ocfabric_owner),
				     PAGE_SHIFT, &rings->owner);
	if (!ret)
		ret = ocf_ring_alloc(card, OCFABRIC_SEMAPHORES * sizeof(__le32),
				     PAGE_SHIFT, &rings->semaphores);
	if (ret)
		ocf_rings_free(rings);
	return ret;
}

static void ocf_setup_chunks(__le64 *to, const struct ocf_mem *mem)
{
	unsigned int i;

	for (i = 0; i < mem->chunks; i++)
		to[i] = cpu_to_le64(mem->chunk[i].dma);
}

static int ocf_queue_disable(struct ocf_replica *replica)
{
	int ret = ocf_cmd_queue_disable(replica->card, replica->index);

	return ret == -EALREADY ? 0 : ret;
}

/*
 * No card refuses what it is asked for here. Whatever it says, it has no rings
 * any more when -EIO is returned; with -ETIMEDOUT and -ENODEV it may.
 */
static int ocf_queue_enable_failed(struct ocf_replica *replica, int error)
{
	if (error == -ETIMEDOUT || error == -ENODEV)
		return error;
	if (!ocf_queue_disable(replica))
		return -EIO;
	ocf_card_failed(replica->card, "a queue cannot be enabled or disabled");
	return -ETIMEDOUT;
}

/*
 * The rings are zeroed. @clear: so are to be the semaphores; if not, they are
 * what they were.
 */
int ocf_queue_enable(struct ocf_replica *replica, bool clear)
{
	const struct ocf_rings *rings = &replica->rings;
	struct ocfabric_hw_queue setup = {
		.tx_shift = rings->tx_shift,
		.rx_shift = rings->rx_shift,
		.cq_shift = rings->cq_shift,
		.chunk_shift = rings->tx->chunk_shift,
		.flags = cpu_to_le32(clear ? OCFABRIC_HW_QUEUE_CLEAR : 0),
		.owner = cpu_to_le64(rings->owner->chunk[0].dma),
		.semaphores = cpu_to_le64(rings->semaphores->chunk[0].dma),
	};
	int ret;

	ocf_setup_chunks(setup.tx_chunk, rings->tx);
	ocf_setup_chunks(setup.rx_chunk, rings->rx);
	ocf_setup_chunks(setup.cq_chunk, rings->cq);
	ret = ocf_cmd_queue_enable(replica->card, replica->index, &setup);
	return ret ? ocf_queue_enable_failed(replica, ret) : 0;
}

static u32 ocf_queue_reg(struct ocf_card *card, u32 queue, u32 reg)
{
	return ocf_readl(card, OCFABRIC_REG_QUEUE(queue) + reg);
}

/* Descriptors that were run, rung, used. */
static u32 ocf_queue_count(struct ocf_card *card, u32 queue, u32 reg)
{
	return ocf_queue_reg(card, queue, reg) & OCFABRIC_DOORBELL_INC_MASK;
}

/* Its state and why it stopped. One that is in no state does nothing. */
static u32 ocf_queue_state(struct ocf_card *card, u32 queue, u32 *cause)
{
	u32 word = ocf_queue_reg(card, queue, OCFABRIC_QUEUE_STATE);

	*cause = ocf_believe(card, "the cause of queue", queue,
			     word >> 8 & 0xff, OCFABRIC_CAUSE_RX_BAD_DESCRIPTOR,
			     OCFABRIC_CAUSE_NONE);
	return (word & OCFABRIC_QUEUE_WAITING) |
	       ocf_believe(card, "the state of queue", queue, word & 0xff,
			   OCFABRIC_QUEUE_QUIESCING, OCFABRIC_QUEUE_STOPPED);
}

/* Whether it will do nothing more by itself. */
static bool ocf_queue_at_rest(struct ocf_card *card, u32 queue)
{
	u32 state = ocf_queue_reg(card, queue, OCFABRIC_QUEUE_STATE);

	/* a WAIT may be met by nobody, ever */
	return (state & 0xff) != OCFABRIC_QUEUE_ENABLED ||
	       state & OCFABRIC_QUEUE_WAITING ||
	       READ_ONCE(card->hold.held) ||
	       ocf_queue_reg(card, queue, OCFABRIC_QUEUE_HEAD) ==
	       ocf_queue_reg(card, queue, OCFABRIC_QUEUE_TAIL);
}

/**
 * ocf_queue_finish - the owner is gone: let what was rung happen, then disable
 * @replica: alive, its card entered; nobody can ring any more
 *
 * What takes longer than OCF_WAIT_MS is ended as dma_error. The wait looks at
 * the queue's registers only, so that the mailbox stays free for others.
 *
 * Return: 0 when the queue will not touch host memory again.
 */
int ocf_queue_finish(struct ocf_replica *replica)
{
	struct ocf_wait wait;
	int ret;

	ocf_wait_start(&wait, replica->card, false);
	while (!ocf_queue_at_rest(replica->card, replica->index)) {
		ret = ocf_wait_more(&wait);
		if (ret == -ENODEV)
			return ret;
		if (ret)
			break;
	}
	return ocf_queue_disable(replica);
}

/* Ends what is in flight; then all but the semaphores as after attaching. */
int ocf_queue_reset(struct ocf_replica *replica)
{
	struct ocf_card *card = replica->card;
	int ret;

	CLASS(ocf_live, live)(card);
	if (!live || !replica->alive)
		return -ENODEV;
	guard(mutex)(&replica->lock);
	ret = ocf_queue_disable(replica);
	if (ret)
		return ret;
	ocf_mem_zero(replica->rings.tx);
	ocf_mem_zero(replica->rings.rx);
	ocf_mem_zero(replica->rings.cq);
	ocf_mem_zero(replica->rings.owner);
	WRITE_ONCE(card->slot[replica->index].stopped, false);
	return ocf_queue_enable(replica, false);
}

/*
 * The write that a link has in flight ends as dma_error. No lock is taken that
 * whoever waits for that write holds.
 */
int ocf_link_reset(struct ocf_card *card, u32 link)
{
	int ret;

	CLASS(ocf_live, live)(card);
	if (!live)
		return -ENODEV;
	if (link >= card->caps.replicas)
		return -ENOENT;
	ret = ocf_cmd_link_reset(card, link);
	return ret == -EALREADY || ret == -ENOSPC ? -EIO : ret;
}

void ocf_semaphores_read(struct ocf_card *card, u32 replica, u32 *value)
{
	u32 s;

	for (s = 0; s < OCFABRIC_SEMAPHORES; s++)
		value[s] = ocf_readl(card, OCFABRIC_REG_SEMAPHORE(replica, s));
}

void ocf_queue_read(struct ocf_card *card, u32 queue,
		    struct ocfabric_queue_get *get)
{
	struct ocf_moderation moderation;
	u32 state = ocf_queue_state(card, queue, &get->out_cause);

	get->out_state = state & 0xff;
	get->out_waiting = !!(state & OCFABRIC_QUEUE_WAITING);
	get->out_wrote = ocf_queue_reg(card, queue, OCFABRIC_QUEUE_WROTE);
	get->out_expected = ocf_queue_reg(card, queue, OCFABRIC_QUEUE_EXPECTED);
	get->out_head = ocf_queue_count(card, queue, OCFABRIC_QUEUE_HEAD);
	get->out_tail = ocf_queue_count(card, queue, OCFABRIC_QUEUE_TAIL);
	get->out_cq_producer =
		ocf_queue_reg(card, queue, OCFABRIC_QUEUE_CQ_PRODUCER);
	get->out_interrupts =
		ocf_queue_reg(card, queue, OCFABRIC_QUEUE_INTERRUPTS);
	get->out_rx_head = ocf_queue_count(card, queue, OCFABRIC_QUEUE_RX_HEAD);
	get->out_rx_tail = ocf_queue_count(card, queue, OCFABRIC_QUEUE_RX_TAIL);
	ocf_moderation_read(card, queue, &moderation);
	get->out_burst = moderation.burst;
	get->out_timer = moderation.timer;
	get->out_mode = moderation.mode;
}

/*
 * By itself, and it still stands: the event that says so may be taken only when
 * the owner has already started it anew.
 */
bool ocf_queue_stopped(const struct ocf_replica *replica)
{
	struct ocf_card *card = replica->card;

	lockdep_assert_held(&replica->map_lock);
	return READ_ONCE(card->slot[replica->index].stopped) &&
	       (ocf_queue_reg(card, replica->index, OCFABRIC_QUEUE_STATE) &
		0xff) == OCFABRIC_QUEUE_STOPPED;
}

/* Whether the completion that the owner takes next is there. */
static bool ocf_completion_there(const struct ocf_rings *rings,
				 const struct ocfabric_owner *owner)
{
	u32 consumer = le32_to_cpu(READ_ONCE(owner->consumer));
	u32 index = consumer & (BIT(rings->cq_shift) - 1);
	u32 lap = consumer >> rings->cq_shift;
	const struct ocfabric_cqe *cqe =
		ocf_mem_at(rings->cq, index * sizeof(*cqe));

	return (READ_ONCE(cqe->flags) & OCFABRIC_CQE_TAG_MASK) ==
	       ((lap + 1) & OCFABRIC_CQE_TAG_MASK);
}

/* Whether a semaphore is armed, and has come as far as the owner waits for. */
static bool ocf_semaphore_there(const struct ocf_rings *rings,
				const struct ocfabric_owner *owner)
{
	u32 arm = le32_to_cpu(READ_ONCE(owner->sem_arm));
	u32 target = le32_to_cpu(READ_ONCE(owner->sem_target));
	const __le32 *value = ocf_mem_at(rings->semaphores,
					 (arm & OCFABRIC_SEM_MASK) *
					 sizeof(*value));

	if (!(arm & OCFABRIC_SEM_ARMED))
		return false;
	return (s32)(le32_to_cpu(READ_ONCE(*value)) - target) >= 0;
}

/*
 * What the owner waits for and is there, as poll() says it. The owner line is
 * user memory: one look at each word, masked.
 */
__poll_t ocf_queue_events(const struct ocf_replica *replica)
{
	const struct ocf_rings *rings = &replica->rings;
	const struct ocfabric_owner *owner = ocf_mem_at(rings->owner, 0);
	__poll_t mask = 0;

	lockdep_assert_held(&replica->map_lock);
	if (ocf_completion_there(rings, owner))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (ocf_semaphore_there(rings, owner))
		mask |= EPOLLIN | EPOLLRDNORM | EPOLLRDBAND;
	return mask;
}
