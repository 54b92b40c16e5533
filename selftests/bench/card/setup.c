// SPDX-License-Identifier: GPL-2.0-only
/* The card configured for two replicas, both of them held */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "bench.h"

#define PAGE		4096u
#define HUGE_PAGE	(2u << 20)

/*
 * An emulator's TLB finds a page by its number modulo a power of two, 64 or
 * more. A source and a destination that meet in it make a guest's memcpy more
 * than twice as slow, so they lie this far apart.
 */
#define TLB_PAGES	64u
#define TLB_DISTANCE	32u

static uint64_t half_of_hbm(const struct ocf_device *dev)
{
	struct ocfabric_info info;

	if (ocf_device_info(dev, &info))
		fail("%s", ocf_error());
	if (info.out_hbm_size / 2 < CYCLE_BYTES)
		fail("the card's HBM has %llu bytes; two regions of %u are needed",
		     (unsigned long long)info.out_hbm_size, CYCLE_BYTES);
	return info.out_hbm_size / 2;
}

static void configure(struct ocf_device *dev)
{
	uint64_t size = half_of_hbm(dev);
	struct ocfabric_change change[] = {
		{ .op = OCFABRIC_CHANGE_RESET },
		{ .op = OCFABRIC_CHANGE_REPLICAS, .value = 2 },
		{ .op = OCFABRIC_CHANGE_REGION, .src = 0, .length = size },
		{ .op = OCFABRIC_CHANGE_REGION, .src = 1, .offset = size, .length = size },
		{ .op = OCFABRIC_CHANGE_CONNECTION, .src = 0, .qpn = QPN, .dst = 1 },
		{ .op = OCFABRIC_CHANGE_CONNECTION, .src = 1, .qpn = QPN, .dst = 0 },
		{ .op = OCFABRIC_CHANGE_WINDOW_ADD, .src = 0, .dst = 1, .length = size,
		  .sem_count = OCFABRIC_SEMAPHORES },
		{ .op = OCFABRIC_CHANGE_WINDOW_ADD, .src = 1, .dst = 0, .length = size,
		  .sem_count = OCFABRIC_SEMAPHORES },
	};
	struct ocfabric_config_change set = {
		.size = sizeof(set),
		.changes = (uintptr_t)change,
		.count = sizeof(change) / sizeof(change[0]),
	};

	if (ioctl(ocf_device_fd(dev), OCFABRIC_CONFIG_CHANGE, &set) < 0)
		fail("configuring the card: %s (step %u)", set.out_reason,
		     set.out_index);
}

/* Huge pages, because a key has a limited number of pieces. */
static uint8_t *source_memory(const uint8_t *destination, size_t *length)
{
	uintptr_t apart;
	uint8_t *p;

	*length = CYCLE_BYTES + HUGE_PAGE;
	p = mmap(NULL, *length + HUGE_PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		fail("no memory to send from");
	p += -(uintptr_t)p % HUGE_PAGE;
	madvise(p, *length, MADV_HUGEPAGE);
	memset(p, 1, *length);
	apart = (uintptr_t)destination / PAGE + TLB_DISTANCE - (uintptr_t)p / PAGE;
	return p + apart % TLB_PAGES * PAGE;
}

static void add_memory(struct end *e, const uint8_t *destination)
{
	size_t length;
	uint8_t *p = source_memory(destination, &length);

	if (ocf_memory_add(e->r, p, CYCLE_BYTES, &e->memory))
		fail("%s", ocf_error());
}

/* The library keeps the page to itself; the bare store needs a hole in it. */
static uint8_t *doorbell_page(const struct ocf_replica *r)
{
	return (uint8_t *)((uintptr_t)r->doorbell & -(uintptr_t)PAGE);
}

static void attach(struct ocf_device *dev, unsigned int id, struct end *e)
{
	uint64_t skipped;

	e->r = ocf_attach(dev, id, NULL);
	if (!e->r)
		fail("%s", ocf_error());
	e->region = ocf_region_map(e->r, &skipped, &e->region_length);
	if (!e->region)
		fail("%s", ocf_error());
	if (skipped || e->region_length < CYCLE_BYTES)
		fail("replica %u maps %zu bytes from %llu on, not its region", id,
		     e->region_length, (unsigned long long)skipped);
	e->page = doorbell_page(e->r);
}

void setup(struct bench *bench)
{
	struct ocf_device *dev = ocf_open(NULL);

	if (!dev)
		fail("%s", ocf_error());
	configure(dev);
	attach(dev, 0, &bench->a);
	attach(dev, 1, &bench->b);
	add_memory(&bench->a, bench->b.region);
	add_memory(&bench->b, bench->a.region);
	ocf_close(dev);
}

void pin_to_cpu(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("cannot run on vCPU %u: two are needed", cpu);
}
