/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Being a replica for ping and perf: paths from one to another, and waiting
 */
#ifndef FABRICCTL_TRAFFIC_H
#define FABRICCTL_TRAFFIC_H

#include <ocfabric.h>

#include "config.h"

#define NO_REPLICA	OCFABRIC_REPLICAS_MAX

/* Which replicas have owners, a bit each; an exit status. */
int read_owners(struct ctl *ctl, const struct card *card, uint32_t *owners);

/* The lowest QPN of the link that leads there; -1: none. */
int qpn_to(const struct config *config, unsigned int link, unsigned int peer);

/* Opens the card for ocf_attach(); NULL with the message printed, *@status set. */
struct ocf_device *open_card(const struct card *card, int *status);

/*
 * Why a wait ended that the library or the card ended, as an exit status with
 * the message printed; @error is a negative errno.
 */
int wait_failed(const struct ocf_replica *r, int error);

struct spread {
	double min;
	double max;
	double median;
	double mean;
	double deviation;
	double p99;
	double p999;
};

/* Sorts @values; @nr is 1 at least. */
void spread_of(double *values, size_t nr, struct spread *spread);

#endif
