// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attacks by calls on the handle
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "attack.h"

static int no_bytes_at(struct attacker *a, off_t at)
{
	uint64_t word[2] = { ~0ull, ~0ull };
	struct iovec v[2] = { { word, 8 }, { word + 1, 8 } };

	if (pread(a->r.fd, word, sizeof(word), at) > 0 ||
	    pwrite(a->r.fd, word, sizeof(word), at) > 0 ||
	    preadv(a->r.fd, v, 2, at) > 0 || pwritev(a->r.fd, v, 2, at) > 0)
		return 1;
	if (lseek(a->r.fd, at, SEEK_SET) == at && at > (off_t)ATTACK_REGION &&
	    (read(a->r.fd, word, 8) > 0 || write(a->r.fd, word, 8) > 0))
		return 2;
	return lseek(a->r.fd, 0, SEEK_SET) ? 3 : 0;
}

/* Behind its end, before its start, and where the victim's would be from there. */
int attack_region_ends(struct attacker *a)
{
	const off_t away = ((off_t)a->victim - (off_t)a->me) * ATTACK_REGION;
	const off_t at[] = { ATTACK_REGION, ATTACK_REGION + 1, ATTACK_REGION + PAGE,
			     away < 0 ? away : away + ATTACK_REGION, -1, -8, -(off_t)PAGE,
			     1ll << 32, 1ll << 62, INT64_MAX - 15, INT64_MIN };
	uint64_t all[3] = {};
	int ret = 0;

	for (unsigned int i = 0; !ret && i < ARRAY_LEN(at); i++)
		ret = no_bytes_at(a, at[i]);
	/* over its end there is as much as there is */
	if (!ret && pread(a->r.fd, all, sizeof(all), ATTACK_REGION - 8) != 8)
		ret = 4;
	if (!ret && pwrite(a->r.fd, all, sizeof(all), ATTACK_REGION - 8) != 8)
		ret = 5;
	if (!ret && (attack_is_secret(all[1]) || attack_is_secret(all[2])))
		ret = 6;
	return ret;
}

static bool of_a_handle(unsigned int nr)
{
	return nr == _IOC_NR(OCFABRIC_INFO) ||
	       (nr >= _IOC_NR(OCFABRIC_REPLICA_GET) && nr <= _IOC_NR(OCFABRIC_BROADCAST));
}

/* The node's calls by the handle, and those that nobody has, in every encoding. */
int attack_calls(struct attacker *a)
{
	static const unsigned int dirs[] = { _IOC_NONE, _IOC_READ, _IOC_WRITE,
					     _IOC_READ | _IOC_WRITE };
	uint8_t arg[PAGE];

	for (unsigned int nr = 0; nr < 256; nr++) {
		for (unsigned int i = 0; i < ARRAY_LEN(dirs); i++) {
			unsigned int size = i ? 64 : 0;

			if (!i && of_a_handle(nr))
				continue;
			memset(arg, 0, sizeof(arg));
			arg[0] = 64;
			if (call(a->r.fd, _IOC(dirs[i], OCFABRIC_IOCTL_TYPE, nr, size),
				 arg) != -ENOTTY)
				return 1 + nr;
		}
	}
	return 0;
}

/* Descriptors that it does not have, and its own in a second place. */
int attack_broadcasts(struct attacker *a)
{
	int fd[2] = { a->r.fd, -1 }, again;

	for (int guess = -2; guess < 200; guess++) {
		fd[1] = guess;
		if (guess != a->r.fd && (broadcast(a->r.fd, 0, fd, 2, 1, NULL) != -EBADF ||
					 broadcast(a->r.fd, 0, fd + 1, 1, 1, NULL) != -EBADF))
			return 1;
	}
	again = fd[1] = dup(a->r.fd);
	if (broadcast(a->r.fd, 0, fd, 2, 1, NULL) != -EINVAL)
		return 2;
	close(again);
	return 0;
}

/* By its name in /proc there is neither a second handle nor a node. */
int attack_reopens(struct attacker *a)
{
	static const int flags[] = { O_RDWR, O_RDONLY, O_WRONLY, O_RDWR | O_NONBLOCK,
				     O_RDWR | O_TRUNC };
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", a->r.fd);
	for (unsigned int i = 0; i < ARRAY_LEN(flags); i++)
		if (open(path, flags[i] | O_CLOEXEC) >= 0)
			return 1;
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd >= 0 && (call(fd, OCFABRIC_REPLICA_GET, ARG(ocfabric_replica_get)) != -EBADF ||
			broadcast(a->r.fd, 0, &fd, 1, 1, NULL) != -EBADF))
		return 2;
	close(fd);
	if (open(node_path(), O_RDONLY | O_CLOEXEC) >= 0 || errno != EACCES)
		return 3;
	return ftruncate(a->r.fd, 0) ? 0 : 4;
}

static bool in_memory(const void *from, size_t bytes)
{
	const volatile uint64_t *word = from;

	for (size_t i = 0; i < bytes / 8; i++)
		if (attack_is_secret(word[i]))
			return true;
	return false;
}

/* All that it can see: whatever came there of a victim came by a hole. */
int attack_searches(struct attacker *a)
{
	const struct ocfabric_replica_get *g = &a->r.get;
	struct ocfabric_hw_reject reject[OCFABRIC_REJECTS];
	struct ocfabric_rejects_get get = NEW(ocfabric_rejects_get, .rejects = (uintptr_t)reject,
					      .count = OCFABRIC_REJECTS);
	uint64_t word;

	if (in_memory(a->r.region, g->out_map_region.length) ||
	    in_memory(a->r.tx, g->out_map_tx.length) || in_memory(a->r.cq, g->out_map_cq.length) ||
	    in_memory(a->r.rx, g->out_map_rx.length) || in_memory(a->r.owner, PAGE) ||
	    in_memory(a->r.semaphores, PAGE))
		return 1;
	if (call(a->r.fd, OCFABRIC_REJECTS_GET, &get) || in_memory(reject, sizeof(reject)))
		return 2;
	for (unsigned int at = 0; at < ATTACK_REGION; at += 64 * 8)
		if (pread(a->r.fd, &word, 8, at) != 8 || attack_is_secret(word))
			return 3;
	return 0;
}
