// SPDX-License-Identifier: LGPL-2.1-or-later
/* The card, with memory for everything that the file will ask of it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "linksim.h"

static uint8_t *map_hbm(uint64_t size)
{
	void *p;

	if (size > SIZE_MAX)
		return NULL;
	/* NORESERVE: a large HBM costs only what is written of it */
	p = mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static uint32_t fault_slots(const struct ocf_scn *scn)
{
	uint32_t slots = 4;

	while (slots / 2 <= scn->nr_faults && slots < 1u << 31)
		slots *= 2;
	return slots;
}

static bool get_memory(struct sim *sim)
{
	struct ocf_config *cfg = &sim->card.config;
	struct ocf_faults *faults = &sim->card.faults;

	cfg->max_windows = sim->scn->nr_windows;
	cfg->windows = calloc(cfg->max_windows + 1, sizeof(*cfg->windows));
	cfg->reach = calloc(cfg->max_windows + 1, sizeof(*cfg->reach));
	faults->max = fault_slots(sim->scn);
	faults->slot = calloc(faults->max, sizeof(*faults->slot));
	/* no write and no read leaves its region */
	sim->mapped = sim->scn->hbm_max < sim->scn->reach ?
		      sim->scn->hbm_max : sim->scn->reach;
	sim->card.hbm = map_hbm(sim->mapped);
	return cfg->windows && cfg->reach && faults->slot && sim->card.hbm;
}

bool sim_init(struct sim *sim, const struct ocf_scn *scn)
{
	unsigned int link;

	sim->scn = scn;
	if (!get_memory(sim)) {
		fprintf(stderr, "linksim: no memory for a card with %" PRIu64
			" bytes of HBM\n", sim->mapped);
		sim_free(sim);
		return false;
	}
	ocf_card_reset(&sim->card);
	sim->card.hbm_size = OCF_SCN_HBM_DEFAULT;
	for (link = 0; link < OCF_REPLICAS; link++)
		ocf_beat_init(&sim->beat[link], &sim->card, link);
	return true;
}

void sim_free(struct sim *sim)
{
	free(sim->card.config.windows);
	free(sim->card.config.reach);
	free(sim->card.faults.slot);
	if (sim->card.hbm)
		munmap(sim->card.hbm, sim->mapped ? sim->mapped : 1);
}

struct ocf_config *sim_configure(struct sim *sim)
{
	ocf_card_drain(&sim->card);
	return ocf_card_configure(&sim->card);
}

void sim_settle(struct sim *sim)
{
	if (sim->card.draining)
		ocf_card_resume(&sim->card);
}

/* Gives back whole pages, so that a huge HBM is not written to be zeroed. */
static void forget(uint8_t *p, uint64_t size)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t head = -(uintptr_t)p & (page - 1);

	if (head > size)
		head = size;
	memset(p, 0, head);
	if (size > head)
		madvise(p + head, size - head, MADV_DONTNEED);
}

void sim_resize_hbm(struct sim *sim, uint64_t size)
{
	if (size < sim->card.hbm_size && size < sim->mapped)
		forget(sim->card.hbm + size, sim->mapped - size);
	sim->card.hbm_size = size;
}
