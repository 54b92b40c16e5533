// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finding and opening cards
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

#define PREFIX	"ocfabric"

/* "ocfabricN" and nothing else: the folder /dev/ocfabric is not a card. */
static bool is_card_name(const char *name)
{
	size_t digits;

	if (strncmp(name, PREFIX, strlen(PREFIX)))
		return false;
	name += strlen(PREFIX);
	digits = strspn(name, "0123456789");
	return digits > 0 && digits < 10 && !name[digits];
}

/* The PCI address behind a node, from sysfs; false when it cannot be told. */
static bool pci_of(const char *name, char *pci, size_t size)
{
	char link[PATH_MAX], path[64];
	const char *base;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/class/misc/%.24s/device", name);
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return false;
	link[n] = 0;
	base = strrchr(link, '/');
	snprintf(pci, size, "%s", base ? base + 1 : link);
	return true;
}

static bool matches(const char *name, const char *wanted)
{
	char pci[PATH_MAX];

	if (!wanted || !strcmp(name, wanted))
		return true;
	if (!strcmp(name + strlen(PREFIX), wanted))
		return true;
	return pci_of(name, pci, sizeof(pci)) && !strcmp(pci, wanted);
}

/* How many cards there are that match; the name of one of them. */
static int find(const char *wanted, char *name, size_t size)
{
	struct dirent *entry;
	int count = 0;
	DIR *dir;

	dir = opendir("/dev");
	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		if (!is_card_name(entry->d_name) ||
		    !matches(entry->d_name, wanted))
			continue;
		snprintf(name, size, "%s", entry->d_name);
		count++;
	}
	closedir(dir);
	return count;
}

static int open_node(struct ocf_device *dev, const char *path)
{
	struct ocfabric_info info = { .size = sizeof(info) };
	int error;

	dev->writable = true;
	dev->fd = open(path, O_RDWR | O_CLOEXEC);
	if (dev->fd < 0 && (errno == EACCES || errno == EPERM)) {
		dev->writable = false;
		dev->fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (dev->fd < 0) {
		error = errno;
		return ocf_fail(error, "%s: %s%s", path, strerror(error),
				error == EACCES ?
				" (members of group ocfabric may open it)" : "");
	}
	error = ocf_call(dev->fd, OCFABRIC_INFO, &info, path);
	if (error == -ENOTTY || error == -EINVAL)
		return ocf_fail(ENODEV, "%s is no ocfabric card", path);
	if (error)
		return error;
	snprintf(dev->name, sizeof(dev->name), PREFIX "%u", info.out_card);
	return 0;
}

/* Where the node of this card is; 0 or -errno. */
static int node_path(const char *card, char *path, size_t size)
{
	char name[NAME_MAX + 1];
	int count;

	if (card && strchr(card, '/')) {
		if ((size_t)snprintf(path, size, "%s", card) >= size)
			return ocf_fail(ENOENT, "%s: no such card", card);
		return 0;
	}
	count = find(card, name, sizeof(name));
	if (!count && card)
		return ocf_fail(ENOENT, "there is no card %s", card);
	if (!count)
		return ocf_fail(ENOENT, "there is no card: /dev has no " PREFIX
				"N (is the driver loaded?)");
	if (count > 1)
		return ocf_fail(ENOTUNIQ,
				"there are %d cards: say which one", count);
	snprintf(path, size, "/dev/%s", name);
	return 0;
}

/* A copy, so that ocf_close() and ocf_detach() need not know of each other. */
static int open_inherited(struct ocf_device *dev, int fd)
{
	struct ocfabric_replica_get get = { .size = sizeof(get) };
	struct ocfabric_info info = { .size = sizeof(info) };
	int error;

	dev->inherited = true;
	dev->writable = true;
	dev->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (dev->fd < 0)
		return ocf_fail(errno, "the inherited descriptor %d: %s", fd,
				strerror(errno));
	error = ocf_call(dev->fd, OCFABRIC_REPLICA_GET, &get,
			 "asking for the inherited replica");
	if (error == -ENOTTY || error == -EINVAL)
		return ocf_fail(EBADF, "the inherited descriptor %d is no "
				"replica handle", fd);
	if (!error)
		error = ocf_call(dev->fd, OCFABRIC_INFO, &info,
				 "asking for the inherited replica's card");
	if (error)
		return error;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	snprintf(dev->name, sizeof(dev->name), PREFIX "%u", info.out_card);
	return 0;
}

static int open_card(struct ocf_device *dev, const char *card)
{
	char path[PATH_MAX];
	int error, fd;

	fd = card ? -1 : ocf_inherited_fd();
	if (fd < -1)
		return fd;
	if (fd >= 0)
		return open_inherited(dev, fd);
	error = node_path(card, path, sizeof(path));
	return error ? error : open_node(dev, path);
}

OCF_API struct ocf_device *ocf_open(const char *card)
{
	struct ocf_device *dev;
	int error;

	dev = calloc(1, sizeof(*dev));
	if (!dev) {
		ocf_fail(ENOMEM, "no memory for a card");
		return NULL;
	}
	dev->fd = -1;
	error = open_card(dev, card);
	if (error) {
		ocf_close(dev);
		errno = -error;
		return NULL;
	}
	return dev;
}

OCF_API void ocf_close(struct ocf_device *dev)
{
	if (!dev)
		return;
	if (dev->fd >= 0)
		close(dev->fd);
	free(dev);
}

OCF_API int ocf_device_fd(const struct ocf_device *dev)
{
	return dev->fd;
}

OCF_API const char *ocf_device_name(const struct ocf_device *dev)
{
	return dev->name;
}

OCF_API int ocf_device_info(const struct ocf_device *dev,
			    struct ocfabric_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return ocf_call(dev->fd, OCFABRIC_INFO, info, dev->name);
}
