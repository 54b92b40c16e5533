// SPDX-License-Identifier: GPL-2.0-only
/* The card configured for sixteen replicas, all of them held */
#include <sched.h>
#include <sys/ioctl.h>

#include "fabric.h"

static unsigned int windows(struct ocfabric_change *change)
{
	unsigned int nr = 0;

	for (unsigned int src = 0; src < REPLICAS; src++) {
		for (unsigned int dst = 0; dst < REPLICAS; dst++) {
			if (src == dst)
				continue;
			change[nr++] = (struct ocfabric_change) {
				.op = OCFABRIC_CHANGE_WINDOW_ADD, .src = src,
				.dst = dst, .length = REGION,
			};
		}
	}
	return nr;
}

static void configure(struct ocf_device *dev)
{
	static struct ocfabric_change change[3 + REPLICAS + REPLICAS * REPLICAS];
	struct ocfabric_config_change set = {
		.size = sizeof(set), .changes = (uintptr_t)change,
	};
	unsigned int nr = 0;

	change[nr++] = (struct ocfabric_change) { .op = OCFABRIC_CHANGE_RESET };
	change[nr++] = (struct ocfabric_change) {
		.op = OCFABRIC_CHANGE_REPLICAS, .value = REPLICAS,
	};
	for (unsigned int i = 0; i < REPLICAS; i++)
		change[nr++] = (struct ocfabric_change) {
			.op = OCFABRIC_CHANGE_REGION, .src = i,
			.offset = (uint64_t)i * REGION, .length = REGION,
		};
	change[nr++] = (struct ocfabric_change) {
		.op = OCFABRIC_CHANGE_CONNECTIONS_DEFAULT,
	};
	nr += windows(&change[nr]);
	set.count = nr;
	if (ioctl(ocf_device_fd(dev), OCFABRIC_CONFIG_CHANGE, &set) < 0)
		fail("configuring the card: %s (step %u)", set.out_reason,
		     set.out_index);
}

void fabric_setup(struct fabric *f)
{
	struct ocf_device *dev = ocf_open(NULL);

	if (!dev)
		fail("%s", ocf_error());
	configure(dev);
	for (unsigned int i = 0; i < REPLICAS; i++) {
		f->end[i].r = ocf_attach(dev, i, NULL);
		if (!f->end[i].r ||
		    ocf_buffer_add(f->end[i].r, PER_BELL * SIZE, &f->end[i].memory))
			fail("%s", ocf_error());
	}
	ocf_close(dev);
}

void fabric_end(struct fabric *f)
{
	for (unsigned int i = 0; i < REPLICAS; i++)
		ocf_detach(f->end[i].r);
}

void on_cpu(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("cannot run on vCPU %u: two are needed", cpu);
}
