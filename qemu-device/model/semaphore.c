// SPDX-License-Identifier: GPL-2.0-or-later
/* Semaphores, and where their owner sees them. */
#include "inbox.h"

static bool mirror(struct ocf_inbox *b, unsigned int sem)
{
	uint32_t value = ocf_le32(b->sem[sem]);

	if (!b->mirror)
		return true;
	if (b->mirror_host) {
		/* what the semaphore stands for was stored before */
		__atomic_store_n((uint32_t *)(b->mirror_host + 4 * sem), value,
				 __ATOMIC_RELEASE);
		return true;
	}
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return b->host->write(b->host->opaque, b->mirror + 4 * sem, &value,
			      sizeof(value));
}

bool ocf_inbox_sem_mirror(struct ocf_inbox *b)
{
	uint32_t value[OCF_SEMS];
	unsigned int i;

	if (!b->mirror)
		return true;
	for (i = 0; i < OCF_SEMS; i++)
		value[i] = ocf_le32(b->sem[i]);
	return b->host->write(b->host->opaque, b->mirror, value, sizeof(value));
}

void ocf_inbox_sem_add(struct ocf_inbox *b, unsigned int sem, uint32_t value)
{
	b->sem[sem] += value;
	if (b->open) {
		b->added |= 1ull << sem;
		if (!mirror(b, sem))
			ocf_inbox_stop(b, OCFABRIC_CAUSE_DMA, 0, 0);
	}
	if (b->waiting && b->wait_sem == sem &&
	    ocf_sem_met(b->sem[sem], b->wait_target)) {
		b->waiting = false;
		ocf_host_tell(b->host, b->id, OCF_TELL_WORK);
	}
}

bool ocf_inbox_sem_wait(struct ocf_inbox *b, unsigned int sem, uint32_t target)
{
	bool met = ocf_sem_met(b->sem[sem], target);

	b->waiting = !met && b->takes;
	b->wait_sem = (uint8_t)sem;
	b->wait_target = target;
	return met;
}
