// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bus.h"
#include "child.h"
#include "util.h"

static char address[32];

int bus_find(void)
{
	char path[128], target[256] = {};

	snprintf(path, sizeof(path), "/sys/class/misc/ocfabric%u/device", node_number());
	if (readlink(path, target, sizeof(target) - 1) < 0)
		return -errno;
	snprintf(address, sizeof(address), "%s", strrchr(target, '/') + 1);
	return 0;
}

const char *bus_address(void)
{
	return address;
}

int bus_bind(void)
{
	return write_file("/sys/bus/pci/drivers/ocfabric/bind", address);
}

int bus_unbind(void)
{
	return write_file("/sys/bus/pci/drivers/ocfabric/unbind", address);
}

int bus_write(const char *file, const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", address, file);
	return write_file(path, text);
}
