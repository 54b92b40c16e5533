// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations: what files have besides ioctls, and attributes in sysfs
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ops.h"

static int do_open(struct scene *s)
{
	s->fd = node_open(O_RDWR);
	return s->fd < 0 ? s->fd : 0;
}

static void end_fd(struct scene *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* More than one piece; where less came than was asked for, the rest failed. */
static int whole(ssize_t n)
{
	if (n < 0)
		return -errno;
	return n == OPS_REGION ? 0 : -EFAULT;
}

static int do_pread(struct scene *s)
{
	return whole(pread(s->r.fd, s->memory, OPS_REGION, 0));
}

static int do_preadv(struct scene *s)
{
	const struct iovec v[] = {
		{ s->memory, 64 }, { s->memory + 64, OPS_REGION - 64 },
	};

	return whole(preadv(s->r.fd, v, 2, 0));
}

/* What is in the region: a part of it changes nothing. */
static int do_pwrite(struct scene *s)
{
	return whole(pwrite(s->r.fd, s->memory, OPS_REGION, 0));
}

static int do_poll(struct scene *s)
{
	struct pollfd p = { .fd = s->r.fd, .events = POLLIN };
	int ret = poll(&p, 1, 0);

	return ret < 0 ? -errno : p.revents ? -EPROTO : 0;
}

static int prepare_epoll(struct scene *s)
{
	s->fd = epoll_create1(EPOLL_CLOEXEC);
	return s->fd < 0 ? -errno : 0;
}

static int do_epoll(struct scene *s)
{
	struct epoll_event e = { .events = EPOLLIN };

	return epoll_ctl(s->fd, EPOLL_CTL_ADD, s->r.fd, &e) ? -errno : 0;
}

static int read_attribute(const char *file)
{
	char path[96], text[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/sys/class/misc/ocfabric%u/%s", node_number(), file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text));
	n = n < 0 ? -errno : n;
	close(fd);
	return n > 0 ? 0 : n ?: -EPROTO;
}

/* One that allocates, one that does not; an errno is the read's, or the open's. */
static int do_sysfs(struct scene *s)
{
	static const char *const files[] = {
		"link0/committed", "queue0/head",
	};
	int ret = 0;
	(void)s;

	for (unsigned int i = 0; i < ARRAY_LEN(files) && !ret; i++)
		ret = read_attribute(files[i]);
	return ret;
}

static struct ocfabric_map *map_of(struct scene *s, unsigned int i)
{
	return &(&s->r.get.out_map_tx)[i];
}

/* Maps all that there is and touches each, so that its page comes by a fault. */
static int map_all(struct scene *s, int flags)
{
	for (unsigned int i = 0; i < OPS_MAPS; i++) {
		const struct ocfabric_map *m = map_of(s, i);
		volatile uint32_t *at = mmap(NULL, m->length, PROT_READ, MAP_SHARED | flags,
					     s->r.fd, m->offset);

		if (at == MAP_FAILED)
			return -errno;
		s->map[i] = (void *)at;
		s->length[i] = m->length;
		(void)*at;
	}
	return 0;
}

static int do_mmap(struct scene *s)
{
	return map_all(s, 0);
}

static int do_populate(struct scene *s)
{
	return map_all(s, MAP_POPULATE);
}

static void end_mmap(struct scene *s)
{
	for (unsigned int i = 0; i < OPS_MAPS; i++) {
		if (s->map[i])
			munmap(s->map[i], s->length[i]);
		s->map[i] = NULL;
	}
	if (s->key)
		key_del(s->r.fd, s->key);
	s->key = 0;
}

static int prepare_buffer(struct scene *s)
{
	struct ocfabric_buffer_add b = NEW(ocfabric_buffer_add, .length = 4 * PAGE);
	int ret = call(s->r.fd, OCFABRIC_BUFFER_ADD, &b);

	s->key = b.out_key;
	s->buffer = b.out_map;
	return ret;
}

/* A mapping holds the buffer; it is split in two, so that it is held twice. */
static int do_buffer_mmap(struct scene *s)
{
	const int rw = PROT_READ | PROT_WRITE;
	char *at = mmap(NULL, s->buffer.length, rw, MAP_SHARED, s->r.fd, s->buffer.offset);

	if (at == MAP_FAILED)
		return -errno;
	s->map[0] = at;
	s->length[0] = s->buffer.length;
	*(volatile char *)at = 1;
	return munmap(at + PAGE, PAGE) ? -errno : 0;
}

#define ROW(text, ...) { .name = text, __VA_ARGS__ }

const struct op ops_file[] = {
	ROW("open", .perform = do_open, .end = end_fd),
	ROW("pread", .perform = do_pread),
	ROW("preadv", .perform = do_preadv),
	ROW("pwrite", .perform = do_pwrite),
	ROW("poll", .perform = do_poll),
	ROW("epoll", .prepare = prepare_epoll, .perform = do_epoll, .end = end_fd),
	ROW("sysfs", .perform = do_sysfs),
	ROW("mmap", .perform = do_mmap, .end = end_mmap),
	ROW("mmap, populated", .perform = do_populate, .end = end_mmap),
	ROW("mmap of a buffer", .prepare = prepare_buffer, .perform = do_buffer_mmap,
	    .end = end_mmap),
};

const unsigned int ops_files = ARRAY_LEN(ops_file);
