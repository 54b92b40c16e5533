// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attacks by mappings of the handle
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "attack.h"
#include "child.h"

#define KINDS	16u		/* bits 44 and up of an offset; fewer are in use */
#define KIND(k)	((uint64_t)(k) << 44)

static bool holds_secret(const uint64_t *page)
{
	for (unsigned int i = 0; i < PAGE / 8; i++)
		if (attack_is_secret(page[i]))
			return true;
	return false;
}

/*
 * A page at this offset. What can be had is the attacker's own, so it may be read and
 * written at will: whatever of it is a victim's he will miss. Doorbells are only read:
 * a ring of the attacker's own would be counted as what it is.
 */
static int try_page(struct attacker *a, uint64_t offset, int prot, int flags)
{
	uint64_t *p = mmap(NULL, PAGE, prot, flags, a->r.fd, offset);
	int ret = 0;

	if (p == MAP_FAILED)
		return 0;
	if (flags & MAP_PRIVATE || prot & PROT_EXEC)
		ret = 1;
	if (!ret && prot & PROT_READ && !touch_read(p) && holds_secret(p))
		ret = 2;
	if (!ret && prot & PROT_WRITE && offset != a->r.get.out_map_doorbell.offset &&
	    offset != a->r.get.out_map_rx_doorbell.offset && !touch_write(p))
		memset(p, 0xa7, PAGE);
	munmap(p, PAGE);
	return ret;
}

static int try_everything(struct attacker *a, uint64_t offset)
{
	static const int prots[] = { PROT_READ, PROT_READ | PROT_WRITE, PROT_WRITE,
				     PROT_READ | PROT_EXEC, PROT_NONE };
	int ret = 0;

	for (unsigned int i = 0; !ret && i < ARRAY_LEN(prots); i++) {
		ret = try_page(a, offset, prots[i], MAP_SHARED);
		if (!ret)
			ret = try_page(a, offset, prots[i], MAP_PRIVATE);
	}
	return ret;
}

/* Page by page where something is, further on where somebody else's would be, and at random. */
int attack_offsets(struct attacker *a)
{
	int ret = 0;

	for (unsigned int kind = 0; !ret && kind < KINDS; kind++) {
		for (unsigned int page = 0; !ret && page < 20; page++)
			ret = try_everything(a, KIND(kind) + page * PAGE);
		/* other regions, as if this were the HBM; buffers, as if they were keys */
		for (unsigned int i = 0; !ret && i < a->n; i++)
			ret = try_page(a, KIND(kind) + i * ATTACK_REGION + ATTACK_REGION,
				       PROT_READ | PROT_WRITE, MAP_SHARED);
		for (unsigned int i = 1; !ret && i < 64; i++)
			ret = try_page(a, KIND(kind) + ((uint64_t)i << 38), PROT_READ | PROT_WRITE,
				       MAP_SHARED);
	}
	for (unsigned int i = 0; !ret && i < 200; i++) {
		uint64_t offset = (uint64_t)next_random(&a->random) << 32 ^
				  next_random(&a->random);

		ret = try_page(a, offset >> i % 40 & ~(PAGE - 1), PROT_READ | PROT_WRITE,
			       MAP_SHARED);
	}
	return replica_reset(&a->r) ? 9 : ret;
}

/* Its own mappings, as they are while it attacks; a buffer's beside them. */
static unsigned int mappings(const struct attacker *a, struct ocfabric_map *m)
{
	const struct ocfabric_replica_get *g = &a->r.get;
	const struct ocfabric_map all[] = {
		g->out_map_tx, g->out_map_cq, g->out_map_owner, g->out_map_doorbell,
		g->out_map_region, g->out_map_rx, g->out_map_rx_doorbell, g->out_map_semaphores,
	};

	memcpy(m, all, sizeof(all));
	return ARRAY_LEN(all);
}

static bool card_writes(const struct attacker *a, const struct ocfabric_map *m)
{
	return m->offset == a->r.get.out_map_cq.offset ||
	       m->offset == a->r.get.out_map_semaphores.offset;
}

static int try_protections(struct attacker *a, const struct ocfabric_map *m)
{
	void *p = mmap(NULL, m->length, PROT_READ, MAP_SHARED, a->r.fd, m->offset);
	bool fixed = card_writes(a, m);
	int ret = 0;

	if (p == MAP_FAILED)
		return 1;
	if (!mprotect(p, m->length, PROT_READ | PROT_EXEC) || errno != EACCES ||
	    !mprotect(p, m->length, PROT_EXEC) || errno != EACCES)
		ret = 2;
	else if (!mprotect(p, m->length, PROT_READ | PROT_WRITE) == fixed)
		ret = 3;
	else if (fixed && touch_write(p) != SIGSEGV)
		ret = 4;
	/* and in two steps, over no rights at all */
	else if (mprotect(p, m->length, PROT_NONE) ||
		 !mprotect(p, m->length, PROT_WRITE) == fixed)
		ret = 5;
	munmap(p, m->length);
	return ret;
}

int attack_protections(struct attacker *a)
{
	struct ocfabric_map m[8];
	unsigned int count = mappings(a, m);
	int ret = 0;

	for (unsigned int i = 0; !ret && i < count; i++)
		ret = try_protections(a, &m[i]);
	return ret;
}

static int remap_file(void *p, uint64_t length, uint64_t offset)
{
	return syscall(SYS_remap_file_pages, p, length, 0, offset / PAGE, 0) ? -errno : 0;
}

static int try_remaps(struct attacker *a, const struct ocfabric_map *m)
{
	void *p = mmap(NULL, m->length, PROT_READ, MAP_SHARED, a->r.fd, m->offset), *q;
	int ret = 0;

	if (p == MAP_FAILED)
		return 1;
	if (mremap(p, m->length, m->length + PAGE, MREMAP_MAYMOVE) != MAP_FAILED ||
	    mremap(p, 0, m->length, MREMAP_MAYMOVE) != MAP_FAILED ||
	    mremap(p, m->length, 16 * m->length, MREMAP_MAYMOVE) != MAP_FAILED)
		ret = 2;
	else if (mremap(p, m->length, m->length, MREMAP_MAYMOVE | MREMAP_DONTUNMAP) != MAP_FAILED)
		ret = 3;
	/* moved, it is what it was */
	q = mremap(p, m->length, m->length, MREMAP_MAYMOVE | MREMAP_FIXED,
		   (uint8_t *)p - 0x40000000);
	if (!ret && (q == MAP_FAILED || touch_read(q) || holds_secret(q) ||
		     touch_read(p) != SIGSEGV))
		ret = 4;
	/* and another part of the file in its place is checked as a new one is */
	else if (!ret && (!remap_file(q, m->length, m->offset + m->length) ||
			  !remap_file(q, m->length, KIND(KINDS - 1)) ||
			  !remap_file(q, PAGE, m->offset + 64 * (uint64_t)ATTACK_REGION)))
		ret = 5;
	munmap(q == MAP_FAILED ? p : q, m->length);
	return ret;
}

int attack_remaps(struct attacker *a)
{
	struct ocfabric_map m[8];
	unsigned int count = mappings(a, m);
	int ret = 0;

	for (unsigned int i = 0; !ret && i < count; i++)
		ret = try_remaps(a, &m[i]);
	return ret;
}

struct inheritance {
	void *map[9];
	bool theirs[9];
};

static int inherit(void *arg)
{
	const struct inheritance *h = arg;

	for (unsigned int i = 0; i < ARRAY_LEN(h->map); i++)
		if ((touch_read(h->map[i]) == 0) != h->theirs[i])
			return i + 1;
	return 0;
}

/*
 * A fork has none of them. Of the card's own memory none can be given to one either;
 * rings and buffers can, by who asks for it, and stay what they are.
 */
int attack_forks(struct attacker *a)
{
	struct inheritance h = {
		.map = { a->r.region, (void *)a->r.doorbell, (void *)a->r.rx_doorbell,
			 a->r.tx, (void *)a->r.cq, a->r.owner, a->r.rx,
			 (void *)a->r.semaphores },
	};
	uint32_t key;
	int ret;

	if (buffer_add(a->r.fd, PAGE, &key, &h.map[8]))
		return 1;
	ret = child_end(child_start(inherit, &h), 5000);
	if (ret)
		return 2;
	for (unsigned int i = 0; i < 3; i++)
		if (!madvise(h.map[i], PAGE, MADV_DOFORK) || errno != EINVAL)
			return 3;
	for (unsigned int i = 3; i < ARRAY_LEN(h.map); i++)
		h.theirs[i] = !madvise(h.map[i], PAGE, MADV_DOFORK);
	ret = child_end(child_start(inherit, &h), 5000);
	if (ret)
		return 4;
	for (unsigned int i = 3; i < ARRAY_LEN(h.map); i++)
		madvise(h.map[i], PAGE, MADV_DONTFORK);
	munmap(h.map[8], PAGE);
	return key_del(a->r.fd, key) ? 5 : 0;
}

/* By the kernel, which does not ask for the protection of what is written by a debugger. */
static int force(int memory, uint64_t *p)
{
	uint64_t word = 0xa7a7a7a7a7a7a7a7;
	struct iovec mine = { &word, 8 }, there = { p, 8 };

	if (pwrite(memory, &word, 8, (off_t)(uintptr_t)p) >= 0 || p[0] == word)
		return 2;
	if (process_vm_writev(getpid(), &mine, 1, &there, 1, 0) >= 0 || p[0] == word)
		return 3;
	if (pread(memory, &word, 8, (off_t)(uintptr_t)p) == 8 && attack_is_secret(word))
		return 4;
	return 0;
}

/* What the card writes is written by nobody else, by no way there is. */
int attack_by_force(struct attacker *a)
{
	struct ocfabric_map m[8];
	unsigned int count = mappings(a, m);
	int memory, ret;

	/* a process that became another user may not open its own */
	prctl(PR_SET_DUMPABLE, 1);
	memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	ret = memory < 0;
	for (unsigned int i = 0; !ret && i < count; i++) {
		uint64_t *p;

		if (!card_writes(a, &m[i]))
			continue;
		p = mmap(NULL, m[i].length, PROT_READ, MAP_SHARED, a->r.fd, m[i].offset);
		if (p == MAP_FAILED)
			ret = 1;
		else
			ret = force(memory, p);
		munmap(p, m[i].length);
	}
	close(memory);
	return ret;
}
