// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command mailbox: one function a command. Each returns 0, -ENOSPC (the
 * card is full), -EALREADY (it is in that state), -EIO (refused for a reason
 * that is nobody's mistake), -ETIMEDOUT or -ENODEV.
 */
#include "ocfabric.h"
#include "trace.h"

/* What the card has to say, into an errno; the same for every command. */
static int ocf_cmd_result(struct ocf_card *card, u32 opcode, u32 status)
{
	u32 result = status >> OCFABRIC_HW_CMD_RESULT_SHIFT &
		     OCFABRIC_HW_CMD_RESULT_MASK;

	switch (ocf_believe(card, "the result of command", opcode, result,
			    OCFABRIC_RESULT_NO_SPACE, OCFABRIC_RESULT_INVALID)) {
	case OCFABRIC_RESULT_OK:
		return 0;
	case OCFABRIC_RESULT_STATE:
		return -EALREADY;
	case OCFABRIC_RESULT_NO_SPACE:
		return -ENOSPC;
	default:
		return -EIO;
	}
}

/* Until the command is done. */
static int ocf_cmd_wait(struct ocf_card *card, u32 *status)
{
	struct ocf_wait wait;
	int ret;

	ocf_wait_start(&wait, card, false);
	for (;;) {
		*status = ocf_readl(card, OCFABRIC_REG_CMD_STATUS);
		/* all ones of a card that is there are busy, too */
		if (PCI_POSSIBLE_ERROR(*status) && ocf_card_confirm(card))
			return -ENODEV;
		if (!(*status & OCFABRIC_HW_CMD_BUSY) &&
		    *status & OCFABRIC_HW_CMD_DONE)
			return 0;
		ret = ocf_wait_more(&wait);
		if (ret)
			return ret;
	}
}

/*
 * One that took too long may still be there. It is not waited for: the card is
 * about to be reset for it.
 */
static int ocf_cmd_idle(struct ocf_card *card)
{
	u32 status = ocf_readl(card, OCFABRIC_REG_CMD_STATUS);

	if (PCI_POSSIBLE_ERROR(status) && ocf_card_confirm(card))
		return -ENODEV;
	if (!(status & OCFABRIC_HW_CMD_BUSY))
		return 0;
	ocf_card_failed(card, "the mailbox is busy while there is no command");
	return -EIO;
}

struct ocf_cmd {
	u8 opcode;
	u8 queue;
	u64 arg[4];
};

static int ocf_cmd_run(struct ocf_card *card, const struct ocf_cmd *cmd)
{
	u32 status;
	int ret, i;

	lockdep_assert_held(&card->cmd_lock);
	ret = ocf_cmd_idle(card);
	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(cmd->arg); i++)
		ocf_writeq(card, OCFABRIC_REG_CMD_ARG(i), cmd->arg[i]);
	/* orders the buffer's contents, too: the card sees them */
	ocf_writel(card, OCFABRIC_REG_CMD, cmd->opcode | cmd->queue << 8);
	ret = ocf_cmd_wait(card, &status);
	if (ret == -ETIMEDOUT)
		ocf_card_failed(card, "a command does not end");
	if (!ret)
		ret = ocf_cmd_result(card, cmd->opcode, status);
	if (!ret)
		ocf_card_works(card);
	trace_ocfabric_command(card, cmd->opcode, cmd->queue, ret);
	return ret;
}

int ocf_cmd_queue_enable(struct ocf_card *card, u32 queue,
			 const struct ocfabric_hw_queue *setup)
{
	struct ocf_cmd cmd = {
		.opcode = OCFABRIC_HW_CMD_QUEUE_ENABLE,
		.queue = queue,
		.arg[0] = card->cmd_dma,
	};

	guard(mutex)(&card->cmd_lock);
	memcpy(card->cmd_buf, setup, sizeof(*setup));
	return ocf_cmd_run(card, &cmd);
}

/* Never waits for a write: it ends as dma_error. */
int ocf_cmd_queue_disable(struct ocf_card *card, u32 queue)
{
	struct ocf_cmd cmd = {
		.opcode = OCFABRIC_HW_CMD_QUEUE_DISABLE,
		.queue = queue,
		.arg[0] = OCFABRIC_QUEUE_ABORT,
	};

	guard(mutex)(&card->cmd_lock);
	return ocf_cmd_run(card, &cmd);
}

int ocf_cmd_key_add(struct ocf_card *card, u32 queue, u32 key,
		    const struct ocfabric_hw_range *range, u32 count)
{
	struct ocf_cmd cmd = {
		.opcode = OCFABRIC_HW_CMD_KEY_ADD,
		.queue = queue,
		.arg = { card->cmd_dma, count, 0, key },
	};

	guard(mutex)(&card->cmd_lock);
	memcpy(card->cmd_buf, range, count * sizeof(*range));
	return ocf_cmd_run(card, &cmd);
}

int ocf_cmd_key_del(struct ocf_card *card, u32 queue, u32 key)
{
	struct ocf_cmd cmd = {
		.opcode = OCFABRIC_HW_CMD_KEY_DEL,
		.queue = queue,
		.arg[3] = key,
	};

	guard(mutex)(&card->cmd_lock);
	return ocf_cmd_run(card, &cmd);
}

int ocf_cmd_fault_resp(struct ocf_card *card, u64 line, u8 resp)
{
	struct ocf_cmd cmd = {
		.opcode = OCFABRIC_HW_CMD_FAULT_RESP,
		.arg = { line, resp },
	};

	guard(mutex)(&card->cmd_lock);
	return ocf_cmd_run(card, &cmd);
}

int ocf_cmd_fault_delay(struct ocf_card *card, u64 line, u32 delay)
{
	struct ocf_cmd cmd = {
		.opcode = OCFABRIC_HW_CMD_FAULT_DELAY,
		.arg = { line, delay },
	};

	guard(mutex)(&card->cmd_lock);
	return ocf_cmd_run(card, &cmd);
}

int ocf_cmd_fault_clear(struct ocf_card *card, u64 line)
{
	struct ocf_cmd cmd = {
		.opcode = OCFABRIC_HW_CMD_FAULT_CLEAR,
		.arg[0] = line,
	};

	guard(mutex)(&card->cmd_lock);
	return ocf_cmd_run(card, &cmd);
}

int ocf_cmd_link_reset(struct ocf_card *card, u32 link)
{
	struct ocf_cmd cmd = {
		.opcode = OCFABRIC_HW_CMD_LINK_RESET,
		.queue = link,
	};

	guard(mutex)(&card->cmd_lock);
	return ocf_cmd_run(card, &cmd);
}

int ocf_cmd_fault_clear_all(struct ocf_card *card)
{
	struct ocf_cmd cmd = { .opcode = OCFABRIC_HW_CMD_FAULT_CLEAR_ALL };

	guard(mutex)(&card->cmd_lock);
	return ocf_cmd_run(card, &cmd);
}
