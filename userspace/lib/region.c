// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The replica's own region: its mapping, and reads and writes of any bytes
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

static int remap(struct ocf_held *h, const struct ocfabric_replica_get *info)
{
	void *p;

	if (h->region) {
		munmap(h->region, h->region_length);
		h->region = NULL;
	}
	if (!info->out_map_region.length)
		return ocf_fail(ENXIO, "no whole page lies in the region of "
				"replica %u", info->out_replica);
	p = mmap(NULL, info->out_map_region.length, PROT_READ | PROT_WRITE,
		 MAP_SHARED, h->fd, (off_t)info->out_map_region.offset);
	if (p == MAP_FAILED)
		return ocf_fail(errno, "mapping the region of replica %u: %s",
				info->out_replica, strerror(errno));
	h->region = p;
	h->region_length = info->out_map_region.length;
	h->region_skip = info->out_region_skip;
	return 0;
}

OCF_API void *ocf_region_map(struct ocf_replica *r, uint64_t *offset,
			     size_t *length)
{
	struct ocf_held *h = ocf_held(r);
	struct ocfabric_replica_get info;

	if (ocf_replica_info(r, &info))
		return NULL;
	if ((!h->region || h->region_length != info.out_map_region.length) &&
	    remap(h, &info))
		return NULL;
	h->region_skip = info.out_region_skip;
	*offset = h->region_skip;
	*length = h->region_length;
	return h->region;
}

static int region_error(ssize_t done, const char *what, uint64_t offset,
			size_t length)
{
	if (done < 0 && errno == ENODEV)
		return ocf_fail(ENODEV, "%s: the card is gone or was reset",
				what);
	return ocf_fail(done < 0 ? errno : EINVAL,
			"%s: [%#llx, +%#zx) is not all in the region", what,
			(unsigned long long)offset, length);
}

OCF_API int ocf_region_read(const struct ocf_replica *r, uint64_t offset,
			    void *buf, size_t length)
{
	while (length) {
		ssize_t n = pread(ocf_held(r)->fd, buf, length, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return region_error(n, "reading the region", offset,
					    length);
		buf = (char *)buf + n;
		offset += (uint64_t)n;
		length -= (size_t)n;
	}
	return 0;
}

OCF_API int ocf_region_write(const struct ocf_replica *r, uint64_t offset,
			     const void *buf, size_t length)
{
	while (length) {
		ssize_t n = pwrite(ocf_held(r)->fd, buf, length, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return region_error(n, "writing the region", offset,
					    length);
		buf = (const char *)buf + n;
		offset += (uint64_t)n;
		length -= (size_t)n;
	}
	return 0;
}
