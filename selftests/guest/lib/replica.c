// SPDX-License-Identifier: GPL-2.0-only
/*
 * A replica: its handle, mappings and rings
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "child.h"
#include "util.h"

int attach_fd(int node, unsigned int replica, struct attach how)
{
	struct ocfabric_attach a = NEW(ocfabric_attach,
				       .flags = how.flags,
				       .replica = replica,
				       .tx_entries = how.tx_entries,
				       .cq_entries = how.cq_entries,
				       .rx_entries = how.rx_entries);
	int ret = call(node, OCFABRIC_ATTACH, &a);

	return ret < 0 ? ret : a.out_fd;
}

static void *map(int fd, const struct ocfabric_map *m, int prot)
{
	return mmap(NULL, m->length, prot, MAP_SHARED, fd, m->offset);
}

static int map_all(struct replica *r)
{
	const int rw = PROT_READ | PROT_WRITE;
	const struct ocfabric_replica_get *g = &r->get;

	r->tx = map(r->fd, &g->out_map_tx, rw);
	r->rx = map(r->fd, &g->out_map_rx, rw);
	r->cq = map(r->fd, &g->out_map_cq, PROT_READ);
	r->owner = map(r->fd, &g->out_map_owner, rw);
	r->semaphores = map(r->fd, &g->out_map_semaphores, PROT_READ);
	r->doorbell = map(r->fd, &g->out_map_doorbell, rw);
	r->rx_doorbell = map(r->fd, &g->out_map_rx_doorbell, rw);
	r->region = g->out_map_region.length ? map(r->fd, &g->out_map_region, rw) : NULL;
	if (r->tx == MAP_FAILED || r->rx == MAP_FAILED || r->cq == MAP_FAILED ||
	    r->owner == MAP_FAILED || r->semaphores == MAP_FAILED ||
	    r->doorbell == MAP_FAILED || r->rx_doorbell == MAP_FAILED ||
	    r->region == MAP_FAILED)
		return -errno;
	return 0;
}

int replica_map(struct replica *r, int fd)
{
	int ret;

	memset(r, 0, sizeof(*r));
	r->fd = fd;
	r->get = NEW(ocfabric_replica_get);
	ret = call(fd, OCFABRIC_REPLICA_GET, &r->get);
	return ret < 0 ? ret : map_all(r);
}

int replica_open(struct replica *r, int node, unsigned int replica, struct attach how)
{
	int fd = attach_fd(node, replica, how);

	r->fd = -1;
	return fd < 0 ? fd : replica_map(r, fd);
}

void replica_close(struct replica *r)
{
	const struct ocfabric_replica_get *g = &r->get;

	if (r->fd < 0)
		return;
	munmap(r->tx, g->out_map_tx.length);
	munmap(r->rx, g->out_map_rx.length);
	munmap((void *)r->cq, g->out_map_cq.length);
	munmap(r->owner, g->out_map_owner.length);
	munmap((void *)r->semaphores, g->out_map_semaphores.length);
	munmap((void *)r->doorbell, g->out_map_doorbell.length);
	munmap((void *)r->rx_doorbell, g->out_map_rx_doorbell.length);
	if (r->region)
		munmap(r->region, g->out_map_region.length);
	close(r->fd);
	r->fd = -1;
}

void replica_rewind(struct replica *r)
{
	r->posted = r->rung = r->rx_posted = r->taken = 0;
}

int replica_reset(struct replica *r)
{
	replica_rewind(r);
	return call(r->fd, OCFABRIC_QUEUE_RESET, ARG(ocfabric_queue_reset));
}

static unsigned int tag_of(uint32_t count, unsigned int entries)
{
	return (count / entries + 1) & OCFABRIC_DESC_TAG_MASK;
}

void replica_post(struct replica *r, const struct ocfabric_desc *d)
{
	struct ocfabric_desc copy = *d;

	copy.flags &= ~OCFABRIC_DESC_TAG_MASK;
	copy.flags |= tag_of(r->posted, r->get.out_tx_entries);
	r->tx[r->posted++ % r->get.out_tx_entries] = copy;
}

static void ring(volatile void *page, unsigned int at, uint32_t increment)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*(volatile uint32_t *)((volatile char *)page + at) = increment;
}

void replica_ring_by(struct replica *r, uint32_t increment)
{
	ring(r->doorbell, OCFABRIC_DOORBELL_TDRTP_INC, increment);
}

void replica_ring(struct replica *r)
{
	uint32_t count = r->posted - r->rung;

	r->rung = r->posted;
	replica_ring_by(r, count);
}

void replica_rx_post(struct replica *r, unsigned int count)
{
	for (; count; count--) {
		struct ocfabric_rx_desc *d = &r->rx[r->rx_posted % r->get.out_rx_entries];

		*d = (struct ocfabric_rx_desc){
			.flags = tag_of(r->rx_posted, r->get.out_rx_entries) };
		r->rx_posted++;
	}
}

void replica_rx_ring_by(struct replica *r, uint32_t increment)
{
	ring(r->rx_doorbell, OCFABRIC_DOORBELL_RDRTP_INC, increment);
}

void replica_arm(struct replica *r, unsigned int count)
{
	replica_rx_post(r, count);
	replica_rx_ring_by(r, count);
}

uint32_t sem_value(const struct replica *r, unsigned int sem)
{
	return __atomic_load_n(&r->semaphores[sem], __ATOMIC_ACQUIRE);
}

bool replica_poll(struct replica *r, struct ocfabric_cqe *out)
{
	const struct ocfabric_cqe *e = &r->cq[r->taken % r->get.out_cq_entries];
	unsigned int tag = tag_of(r->taken, r->get.out_cq_entries);

	if ((__atomic_load_n(&e->flags, __ATOMIC_ACQUIRE) & OCFABRIC_CQE_TAG_MASK) != tag)
		return false;
	*out = *e;
	__atomic_store_n(&r->owner->consumer, ++r->taken, __ATOMIC_RELEASE);
	return true;
}

bool replica_wait(struct replica *r, struct ocfabric_cqe *out, unsigned int ms)
{
	return WAIT_FOR(replica_poll(r, out), ms);
}

int replica_do(struct replica *r, const struct ocfabric_desc *d, struct ocfabric_cqe *out)
{
	struct ocfabric_cqe e;

	replica_post(r, d);
	replica_ring(r);
	if (!replica_wait(r, &e, patience(1000)))
		return -ETIMEDOUT;
	if (out)
		*out = e;
	return e.status;
}

int queue_get(struct replica *r, struct ocfabric_queue_get *q)
{
	*q = NEW(ocfabric_queue_get);
	return call(r->fd, OCFABRIC_QUEUE_GET, q);
}

int queue_stopped(struct replica *r, struct ocfabric_queue_get *q)
{
	if (!WAIT_FOR(queue_get(r, q) || q->out_state == OCFABRIC_QUEUE_STOPPED,
		      patience(1000)))
		return -ETIMEDOUT;
	return q->out_cause;
}

struct ocfabric_desc write_desc(unsigned int qpn, uint64_t raddr, uint32_t len,
				uint32_t key, uint64_t addr)
{
	return (struct ocfabric_desc){ .opcode = OCFABRIC_OP_WRITE, .qpn = qpn,
				       .raddr = raddr, .len = len,
				       .addr = addr, .key = key };
}

struct ocfabric_desc inline_desc(unsigned int qpn, uint64_t raddr, const void *data,
				 uint32_t len)
{
	struct ocfabric_desc d = { .opcode = OCFABRIC_OP_WRITE,
				   .flags = OCFABRIC_DESC_INLINE,
				   .qpn = qpn, .raddr = raddr, .len = len };

	if (data)
		memcpy(d.data, data, len < sizeof(d.data) ? len : sizeof(d.data));
	return d;
}

struct ocfabric_desc imm_desc(unsigned int qpn, uint64_t raddr, const void *data,
			      uint32_t len, uint32_t imm)
{
	struct ocfabric_desc d = inline_desc(qpn, raddr, data, len);

	d.opcode = OCFABRIC_OP_WRITE_IMM;
	d.imm = imm;
	return d;
}

struct ocfabric_desc sem_local_desc(unsigned int sem, uint32_t add)
{
	return (struct ocfabric_desc){ .opcode = OCFABRIC_OP_SEM_LOCAL, .sem = sem, .len = add };
}

struct ocfabric_desc sem_remote_desc(unsigned int qpn, unsigned int sem, uint32_t add)
{
	return (struct ocfabric_desc){ .opcode = OCFABRIC_OP_SEM_REMOTE, .qpn = qpn,
				       .sem = sem, .len = add };
}

struct ocfabric_desc wait_desc(unsigned int sem, uint32_t target)
{
	return (struct ocfabric_desc){ .opcode = OCFABRIC_OP_WAIT, .sem = sem, .len = target };
}

int broadcast(int fd, unsigned int flags, const int *handles, unsigned int count,
	      uint32_t increment, uint32_t *refused)
{
	struct ocfabric_broadcast b = NEW(ocfabric_broadcast,
					  .flags = flags, .handles = (uintptr_t)handles,
					  .count = count, .increment = increment);
	int ret = call(fd, OCFABRIC_BROADCAST, &b);

	if (refused)
		*refused = b.out_replica;
	return ret;
}

int key_add(int fd, const void *addr, uint64_t length, uint32_t *key)
{
	struct ocfabric_key_add a = NEW(ocfabric_key_add,
					.addr = (uintptr_t)addr, .length = length);
	int ret = call(fd, OCFABRIC_KEY_ADD, &a);

	if (!ret)
		*key = a.out_key;
	return ret;
}

int key_del(int fd, uint32_t key)
{
	return call(fd, OCFABRIC_KEY_DEL, ARG(ocfabric_key_del, .key = key));
}

int buffer_add(int fd, uint64_t length, uint32_t *key, void **to)
{
	struct ocfabric_buffer_add b = NEW(ocfabric_buffer_add, .length = length);
	int ret = call(fd, OCFABRIC_BUFFER_ADD, &b);

	if (ret < 0)
		return ret;
	*key = b.out_key;
	*to = map(fd, &b.out_map, PROT_READ | PROT_WRITE);
	return *to == MAP_FAILED ? -errno : 0;
}

bool user_pages_bounce(void)
{
	char line[1024];

	return !read_line("/proc/cmdline", line, sizeof(line)) && strstr(line, "swiotlb=force");
}

int source_add(int fd, uint64_t length, uint32_t *key, void **from)
{
	int ret;

	*from = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (*from == MAP_FAILED)
		return -errno;
	ret = key_add(fd, *from, length, key);
	if (ret)
		munmap(*from, length);
	return ret == -EOPNOTSUPP ? buffer_add(fd, length, key, from) : ret;
}

void fill_pattern(void *to, size_t len, uint32_t seed)
{
	uint8_t *p = to;

	while (len--) {
		seed = seed * 1664525u + 1013904223u;
		*p++ = (seed >> 24) | 1;	/* never the zero of a cleared region */
	}
}

/* The sum of a field's values in a file of "NAME[:] VALUE" lines. */
static long file_field(const char *path, const char *name)
{
	FILE *f = fopen(path, "re");
	size_t len = strlen(name);
	char line[256];
	long value = 0;

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, name, len) && strchr(": \t", line[len]))
			sscanf(line + len, "%*[: \t]%ld", &value);
	fclose(f);
	return value;
}

long pinned_pages(void)
{
	char text[16];

	/* brings together what each CPU has counted by itself */
	if (read_line("/proc/sys/vm/stat_refresh", text, sizeof(text)))
		return -ENOENT;
	return file_field("/proc/vmstat", "nr_foll_pin_acquired") -
	       file_field("/proc/vmstat", "nr_foll_pin_released");
}

long status_kb(const char *field)
{
	return file_field("/proc/self/status", field);
}

uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}
