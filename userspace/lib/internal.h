/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the library share
 */
#ifndef OCF_LIB_INTERNAL_H
#define OCF_LIB_INTERNAL_H

#include <ocfabric.h>

#define OCF_API __attribute__((visibility("default")))

#define OCF_SPIN_NS		20000
#define OCF_NS_PER_S		1000000000LL

struct ocf_device {
	int fd;
	bool writable;
	bool inherited;		/* @fd is a replica handle */
	char name[32];
};

/* A replica as the library has it; @pub comes first. */
struct ocf_held {
	struct ocf_replica pub;
	struct ocfabric_replica_get info;	/* of when it was attached */
	int fd;
	uint32_t spin_ns;
	uint32_t restarts;	/* transfers prepared before one are dead */
	void *region;
	size_t region_length;
	uint64_t region_skip;
	void *doorbell_page;
	void *rx_doorbell_page;
	bool has_semaphores;
	bool inherited;		/* of the process: only one may be used */
};

static inline struct ocf_held *ocf_held(const struct ocf_replica *r)
{
	return (struct ocf_held *)(uintptr_t)r;
}

/* Notes the sentence and returns -error, with errno set. */
int ocf_fail(int error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The handle that the environment names; -1: it names none; or -errno. */
int ocf_inherited_fd(void);

/* CLOCK_MONOTONIC */
int64_t ocf_now_ns(void);

/* When @timeout_ns from now is over; negative: never. */
int64_t ocf_deadline(int64_t timeout_ns);

/* ioctl() that goes on after signals; 0 or -errno, with the sentence noted. */
int ocf_call(int fd, unsigned long request, void *arg, const char *what);

#endif
