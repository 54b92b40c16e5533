// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Attaching to a replica: the handle and what is mapped of it
 */
#include <fcntl.h>
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

static int map_error(const struct ocfabric_replica_get *info, const char *what)
{
	return ocf_fail(errno, "mapping the %s of replica %u: %s", what,
			info->out_replica, strerror(errno));
}

static volatile uint32_t *doorbell_of(void *page, size_t offset)
{
	return (volatile uint32_t *)(void *)((char *)page + offset);
}

/* Receive ring and semaphores, which a card or its driver may not have. */
static int map_receiving(struct ocf_held *h)
{
	static const uint32_t none[OCFABRIC_SEMAPHORES];
	const struct ocfabric_replica_get *info = &h->info;
	struct ocf_replica *r = &h->pub;

	r->semaphores = none;
	if (info->out_map_semaphores.length) {
		const void *p = map(h->fd, &info->out_map_semaphores, PROT_READ);

		if (!p)
			return map_error(info, "semaphores");
		r->semaphores = p;
		h->has_semaphores = true;
	}
	if (!info->out_rx_entries)
		return 0;
	r->rx = map(h->fd, &info->out_map_rx, PROT_READ | PROT_WRITE);
	h->rx_doorbell_page = map(h->fd, &info->out_map_rx_doorbell,
				  PROT_READ | PROT_WRITE);
	if (!r->rx || !h->rx_doorbell_page)
		return map_error(info, "receive ring");
	r->rx_doorbell = doorbell_of(h->rx_doorbell_page,
				     OCFABRIC_DOORBELL_RDRTP_INC);
	r->rx_shift = log2_of(info->out_rx_entries);
	return 0;
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
		return map_error(info, "rings");

	r->doorbell = doorbell_of(h->doorbell_page, OCFABRIC_DOORBELL_TDRTP_INC);
	r->tx_shift = log2_of(info->out_tx_entries);
	r->cq_shift = log2_of(info->out_cq_entries);
	r->limit = info->out_tx_entries < info->out_cq_entries ?
		   info->out_tx_entries : info->out_cq_entries;
	ocf_disarm_(r);
	if (map_receiving(h))
		return -errno;
	r->roomy = info->out_cq_entries >= info->out_tx_entries + info->out_rx_entries;
	ocf_set_end_(r);
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

static struct ocf_held *attach_one(struct ocf_device *dev, unsigned int replica,
				   const struct ocf_attach_options *options)
{
	struct ocfabric_attach attach = {
		.size = sizeof(attach),
		.replica = replica,
		.out_fd = -1,
	};

	if (options) {
		attach.tx_entries = options->tx_entries;
		attach.cq_entries = options->cq_entries;
		attach.rx_entries = options->rx_entries;
		attach.flags = options->clear ? OCFABRIC_ATTACH_CLEAR : 0;
	}
	if (ocf_call(dev->fd, OCFABRIC_ATTACH, &attach, "attaching")) {
		attach_error(dev, replica);
		return NULL;
	}
	return hold(attach.out_fd);
}

/* The first that nobody holds. */
static struct ocf_held *attach_any(struct ocf_device *dev,
				   const struct ocf_attach_options *options)
{
	struct ocfabric_config_get config = { .size = sizeof(config) };
	struct ocf_held *h;
	unsigned int i;

	if (ocf_call(dev->fd, OCFABRIC_CONFIG_GET, &config,
		     "asking for the number of replicas"))
		return NULL;
	for (i = 0; i < config.out_replicas; i++) {
		h = attach_one(dev, i, options);
		if (h || errno != EBUSY)
			return h;
	}
	if (!config.out_replicas)
		ocf_fail(ENOENT, "%s is not configured: it has no replicas",
			 dev->name);
	else
		ocf_fail(EBUSY, "%s: all %u replicas are held "
			 "(fabricctl show replicas says by whom)", dev->name,
			 config.out_replicas);
	return NULL;
}

/* Empties the queue if anything happened on it, so that we know where it is. */
static int settle(struct ocf_held *h)
{
	struct ocfabric_queue_get queue;
	int error = ocf_queue_status(&h->pub, &queue);

	if (!error && (queue.out_tail || queue.out_rx_tail ||
		       queue.out_cq_producer ||
		       queue.out_state == OCFABRIC_QUEUE_STOPPED))
		error = ocf_queue_restart(&h->pub);
	return error;
}

static struct ocf_held *adopt(int fd)
{
	struct ocf_held *h = hold(fd);
	int error;

	if (!h)
		return NULL;
	error = settle(h);
	if (error) {
		ocf_detach(&h->pub);
		errno = -error;
		return NULL;
	}
	return h;
}

/* The environment gives a process one handle: only one may use its queue. */
static bool inherited_used;

static struct ocf_held *attach_inherited(struct ocf_device *dev,
					 unsigned int replica)
{
	struct ocf_held *h;
	int fd;

	if (__atomic_test_and_set(&inherited_used, __ATOMIC_ACQUIRE)) {
		ocf_fail(EBUSY, "this process uses the inherited handle already");
		return NULL;
	}
	fd = fcntl(dev->fd, F_DUPFD_CLOEXEC, 3);
	h = fd < 0 ? NULL : adopt(fd);
	if (fd < 0)
		ocf_fail(errno, "duplicating the inherited handle: %s",
			 strerror(errno));
	if (!h) {
		__atomic_clear(&inherited_used, __ATOMIC_RELEASE);
		return NULL;
	}
	h->inherited = true;
	if (replica != OCF_REPLICA_ANY && replica != h->info.out_replica) {
		unsigned int id = h->info.out_replica;

		ocf_detach(&h->pub);
		ocf_fail(ENOENT, "the inherited handle is replica %u, not %u",
			 id, replica);
		return NULL;
	}
	return h;
}

OCF_API struct ocf_replica *ocf_attach(struct ocf_device *dev,
				       unsigned int replica,
				       const struct ocf_attach_options *options)
{
	struct ocf_held *h;

	if (dev->inherited)
		h = attach_inherited(dev, replica);
	else if (replica == OCF_REPLICA_ANY)
		h = attach_any(dev, options);
	else
		h = attach_one(dev, replica, options);
	return h ? &h->pub : NULL;
}

OCF_API struct ocf_replica *ocf_adopt(int fd)
{
	struct ocf_held *h = adopt(fd);

	return h ? &h->pub : NULL;
}

OCF_API void ocf_detach(struct ocf_replica *r)
{
	struct ocf_held *h;

	if (!r)
		return;
	h = ocf_held(r);
	if (h->region)
		munmap(h->region, h->region_length);
	if (h->has_semaphores)
		unmap(r->semaphores, &h->info.out_map_semaphores);
	unmap(h->rx_doorbell_page, &h->info.out_map_rx_doorbell);
	unmap(r->rx, &h->info.out_map_rx);
	unmap(h->doorbell_page, &h->info.out_map_doorbell);
	unmap(r->owner, &h->info.out_map_owner);
	unmap(r->cq, &h->info.out_map_cq);
	unmap(r->tx, &h->info.out_map_tx);
	close(h->fd);
	if (h->inherited)
		__atomic_clear(&inherited_used, __ATOMIC_RELEASE);
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

OCF_API unsigned int ocf_replica_size(const struct ocf_replica *r)
{
	const char *size = getenv("OCF_SIZE");
	char *end;
	long n;

	if (size && *size) {
		n = strtol(size, &end, 10);
		if (!*end && n >= 2 && n <= OCFABRIC_REPLICAS_MAX)
			return (unsigned int)n;
	}
	return ocf_held(r)->info.out_replicas;
}

OCF_API uint32_t ocf_qpn_to(const struct ocf_replica *r, unsigned int peer)
{
	const struct ocfabric_replica_get *info = &ocf_held(r)->info;

	return ocf_qpn(info->out_replicas, info->out_replica, peer);
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

	/* Not even one that does not wait is safe from signals. */
	while (poll(&p, 1, 0) < 0)
		if (errno != EINTR)
			return false;
	return !(p.revents & (POLLERR | POLLHUP));
}
