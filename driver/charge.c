// SPDX-License-Identifier: GPL-2.0-only
/* Pages that stay in memory for somebody, against his RLIMIT_MEMLOCK. */
#include <linux/capability.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "ocfabric.h"

/* To the caller. -EPERM when that would be more than he may have. */
int ocf_charge(struct ocf_charge *charge, unsigned long pages)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	struct mm_struct *mm = current->mm;
	u64 now;

	if (!mm)
		return -EPERM;
	now = atomic64_add_return(pages, &mm->pinned_vm);
	if (now > limit && !capable(CAP_IPC_LOCK)) {
		atomic64_sub(pages, &mm->pinned_vm);
		return -EPERM;
	}
	mmgrab(mm);
	*charge = (struct ocf_charge){ .mm = mm, .pages = pages };
	return 0;
}

/* By whoever; nothing if nothing was charged. */
void ocf_uncharge(struct ocf_charge *charge)
{
	if (!charge->mm)
		return;
	atomic64_sub(charge->pages, &charge->mm->pinned_vm);
	mmdrop(charge->mm);
	*charge = (struct ocf_charge){};
}
