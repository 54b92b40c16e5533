// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Attaching to a replica: the handle and what is mapped of it
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

static void *map(int fd, const struct ocfabric_map *m, int prot)
{
	void *p = mmap(NULL, m->length, prot, MAP_SHARED, fd, (off_t)m->offset);

	return p == MAP_FAILED ? NULL : p;
}

static void unmap(const void *p, const struct ocfabric_map *m)
{
	if (p)
		munmap((void *)(uintptr_t)p, m->length);
}

static uint32_t log2_of(uint32_t entries)
{
	return 31 - (uint32_t)__builtin_clz(entries);
}

static int map_rings(struct ocf_held *h)
{
	const struct ocfabric_replica_get *info = &h->info;
	struct ocf_replica *r = &h->pub;

	r->tx = map(h->fd, &info->out_map_tx, PROT_READ | PROT_WRITE);
	r->cq = map(h->fd, &info->out_map_cq, PROT_READ);
	r->owner = map(h->fd, &info->out_map_owner, PROT_READ | PROT_WRITE);
	h->doorbell_page = map(h->fd, &info->out_map_doorbell,
			       PROT_READ | PROT_WRITE);
	if (!r->tx || !r->cq || !r->owner || !h->doorbell_page)
		return ocf_fail(errno, "mapping the rings of replica %u: %s",
				info->out_replica, strerror(errno));

	r->doorbell = (volatile uint32_t *)(void *)
		      ((char *)h->doorbell_page + OCFABRIC_DOORBELL_TDRTP_INC);
	r->tx_shift = log2_of(info->out_tx_entries);
	r->cq_shift = log2_of(info->out_cq_entries);
	r->limit = info->out_tx_entries < info->out_cq_entries ?
		   info->out_tx_entries : info->out_cq_entries;
	ocf_disarm_(r);
	return 0;
}

/* The kernel says what it made; do not shift by what cannot be. */
static int read_info(struct ocf_held *h)
{
	int error = ocf_replica_info(&h->pub, &h->info);

	if (error)
		return error;
	if (!h->info.out_tx_entries || !h->info.out_cq_entries)
		return ocf_fail(EIO, "replica %u has a ring of 0 entries",
				h->info.out_replica);
	return 0;
}

/* Takes the handle over; closes it on failure. */
static struct ocf_held *hold(int fd)
{
	struct ocf_held *h = calloc(1, sizeof(*h));
	int error;

	if (!h) {
		close(fd);
		ocf_fail(ENOMEM, "no memory for a replica");
		return NULL;
	}
	h->fd = fd;
	h->spin_ns = OCF_SPIN_NS;
	error = read_info(h);
	if (!error)
		error = map_rings(h);
	if (error) {
		ocf_detach(&h->pub);
		errno = -error;
		return NULL;
	}
	return h;
}

static int attach_error(const struct ocf_device *dev, unsigned int replica)
{
	switch (errno) {
	case EBUSY:
		return ocf_fail(EBUSY, "%s: somebody holds replica %u "
				"(fabricctl show replicas says who)",
				dev->name, replica);
	case EACCES:
		return ocf_fail(EACCES, "%s is not open for writing "
				"(members of group ocfabric may)", dev->name);
	case ENOENT:
		return ocf_fail(ENOENT, "%s has no replica %u", dev->name,
				replica);
	default:
		return -errno;
	}
}

OCF_API struct ocf_replica *ocf_attach(struct ocf_device *dev,
				       unsigned int replica,
				       const struct ocf_attach_options *options)
{
	struct ocfabric_attach attach = {
		.size = sizeof(attach),
		.replica = replica,
		.out_fd = -1,
	};
	struct ocf_held *h;

	if (options) {
		attach.tx_entries = options->tx_entries;
		attach.cq_entries = options->cq_entries;
		attach.flags = options->clear ? OCFABRIC_ATTACH_CLEAR : 0;
	}
	if (ocf_call(dev->fd, OCFABRIC_ATTACH, &attach, "attaching")) {
		attach_error(dev, replica);
		return NULL;
	}
	h = hold(attach.out_fd);
	return h ? &h->pub : NULL;
}

OCF_API struct ocf_replica *ocf_adopt(int fd)
{
	struct ocf_held *h = hold(fd);
	struct ocfabric_queue_get queue;
	int error;

	if (!h)
		return NULL;
	error = ocf_queue_status(&h->pub, &queue);
	if (!error && (queue.out_tail || queue.out_cq_producer ||
		       queue.out_state == OCFABRIC_QUEUE_STOPPED))
		error = ocf_queue_restart(&h->pub);
	if (error) {
		ocf_detach(&h->pub);
		errno = -error;
		return NULL;
	}
	return &h->pub;
}

OCF_API void ocf_detach(struct ocf_replica *r)
{
	struct ocf_held *h;

	if (!r)
		return;
	h = ocf_held(r);
	if (h->region)
		munmap(h->region, h->region_length);
	unmap(h->doorbell_page, &h->info.out_map_doorbell);
	unmap(r->owner, &h->info.out_map_owner);
	unmap(r->cq, &h->info.out_map_cq);
	unmap(r->tx, &h->info.out_map_tx);
	close(h->fd);
	free(h);
}

OCF_API int ocf_replica_fd(const struct ocf_replica *r)
{
	return ocf_held(r)->fd;
}

OCF_API unsigned int ocf_replica_id(const struct ocf_replica *r)
{
	return ocf_held(r)->info.out_replica;
}

OCF_API int ocf_replica_info(const struct ocf_replica *r,
			     struct ocfabric_replica_get *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return ocf_call(ocf_held(r)->fd, OCFABRIC_REPLICA_GET, info,
			"asking for the replica");
}

OCF_API bool ocf_alive(const struct ocf_replica *r)
{
	struct pollfd p = { .fd = ocf_held(r)->fd };

	return poll(&p, 1, 0) >= 0 && !(p.revents & (POLLERR | POLLHUP));
}
