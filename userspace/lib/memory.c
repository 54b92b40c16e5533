// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory that writes are taken from: own pages, and coherent buffers
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "internal.h"

/* RLIMIT_MEMLOCK is what people run into: say how much it is. */
static int memory_error(int error, size_t length)
{
	struct rlimit limit;

	if (error == -EPERM && !getrlimit(RLIMIT_MEMLOCK, &limit))
		return ocf_fail(EPERM, "%zu bytes more would pass RLIMIT_MEMLOCK "
				"(ulimit -l), which is %llu bytes", length,
				(unsigned long long)limit.rlim_cur);
	if (error == -EOPNOTSUPP)
		return ocf_fail(EOPNOTSUPP, "this host cannot give the card "
				"these pages: use ocf_buffer_add()");
	if (error == -E2BIG)
		return ocf_fail(E2BIG, "%zu bytes lie in more pieces than a "
				"key can have", length);
	return error;
}

OCF_API int ocf_memory_add(struct ocf_replica *r, void *addr, size_t length,
			   struct ocf_memory *mem)
{
	struct ocfabric_key_add add = {
		.size = sizeof(add),
		.addr = (uintptr_t)addr,
		.length = length,
	};
	int error;

	error = ocf_call(ocf_held(r)->fd, OCFABRIC_KEY_ADD, &add,
			 "registering memory");
	if (error)
		return memory_error(error, length);
	*mem = (struct ocf_memory){
		.addr = addr,
		.length = length,
		.key = add.out_key,
	};
	return 0;
}

static int del_key(const struct ocf_replica *r, uint32_t key)
{
	struct ocfabric_key_del del = { .size = sizeof(del), .key = key };

	return ocf_call(ocf_held(r)->fd, OCFABRIC_KEY_DEL, &del,
			"removing a memory key");
}

OCF_API int ocf_buffer_add(struct ocf_replica *r, size_t length,
			   struct ocf_memory *mem)
{
	struct ocfabric_buffer_add add = {
		.size = sizeof(add),
		.length = length,
	};
	int fd = ocf_held(r)->fd;
	void *p;
	int error;

	error = ocf_call(fd, OCFABRIC_BUFFER_ADD, &add, "making a buffer");
	if (error)
		return memory_error(error, length);
	p = mmap(NULL, add.out_map.length, PROT_READ | PROT_WRITE, MAP_SHARED,
		 fd, (off_t)add.out_map.offset);
	if (p == MAP_FAILED) {
		error = errno;
		del_key(r, add.out_key);
		return ocf_fail(error, "mapping a buffer: %s", strerror(error));
	}
	*mem = (struct ocf_memory){
		.addr = p,
		.length = length,
		.key = add.out_key,
		.mapped = add.out_map.length,
	};
	return 0;
}

OCF_API int ocf_memory_del(struct ocf_replica *r, struct ocf_memory *mem)
{
	int error = del_key(r, mem->key);

	if (mem->mapped)
		munmap(mem->addr, mem->mapped);
	memset(mem, 0, sizeof(*mem));
	return error;
}
