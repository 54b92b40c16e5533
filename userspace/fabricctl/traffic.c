// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What ping and perf have in common
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traffic.h"

static int take_owner(const struct fab_attrs *attrs, void *arg)
{
	uint64_t i = fab_number(attrs, OCFABRIC_A_REPLICA_REPLICA);
	uint32_t *owners = arg;

	if (i < OCFABRIC_REPLICAS_MAX &&
	    fab_number(attrs, OCFABRIC_A_REPLICA_ATTACHED))
		*owners |= 1u << i;
	return 0;
}

int read_owners(struct ctl *ctl, const struct card *card, uint32_t *owners)
{
	*owners = 0;
	return fab_dump(ctl, OCFABRIC_CMD_REPLICA_GET, card->id, take_owner,
			owners);
}

int qpn_to(const struct config *config, unsigned int link, unsigned int peer)
{
	int qpn;

	for (qpn = 0; qpn < OCFABRIC_QPNS; qpn++)
		if (config->peer[link][qpn] == peer)
			return qpn;
	return -1;
}

struct ocf_device *open_card(const struct card *card, int *status)
{
	struct ocf_device *dev;
	char path[64];

	snprintf(path, sizeof(path), "/dev/%s", card->name);
	dev = ocf_open(path);
	if (!dev) {
		int error = errno;

		*status = fail(status_of(error), "%s", ocf_error());
	}
	return dev;
}

int wait_failed(const struct ocf_replica *r, int error)
{
	struct ocfabric_queue_get queue;
	char text[256];

	if (error == -EINTR)
		return fail(ST_SIGNAL + caught_signal, "interrupted");
	if (error == -ETIMEDOUT)
		return fail(ST_TIMEOUT, "replica %u: no completion in time",
			    ocf_replica_id(r));
	if (error == -EPIPE && !ocf_queue_status(r, &queue))
		return fail(ST_REFUSED, "replica %u: its queue has stopped: %s",
			    ocf_replica_id(r),
			    ocf_cause_text(queue.out_cause, queue.out_wrote,
					   queue.out_expected, text, sizeof(text)));
	return fail(status_of(-error), "replica %u: %s", ocf_replica_id(r),
		    error == -ENODEV ? "the card is gone or was reset" :
				       strerror(-error));
}

/* ---- numbers ------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double at_share(const double *values, size_t nr, double share)
{
	size_t i = (size_t)(share * (double)nr);

	return values[i < nr ? i : nr - 1];
}

void spread_of(double *values, size_t nr, struct spread *spread)
{
	double sum = 0, squares = 0;
	size_t i;

	qsort(values, nr, sizeof(*values), compare);
	for (i = 0; i < nr; i++)
		sum += values[i];
	spread->mean = sum / (double)nr;
	for (i = 0; i < nr; i++)
		squares += (values[i] - spread->mean) * (values[i] - spread->mean);
	spread->deviation = sqrt(squares / (double)nr);
	spread->min = values[0];
	spread->max = values[nr - 1];
	spread->median = (values[(nr - 1) / 2] + values[nr / 2]) / 2;
	spread->p99 = at_share(values, nr, 0.99);
	spread->p999 = at_share(values, nr, 0.999);
}
