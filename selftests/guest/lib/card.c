// SPDX-License-Identifier: GPL-2.0-only
/*
 * The node: configuration and counters
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "util.h"

uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

unsigned int patience(unsigned int ms)
{
	return 10 * ms > 60000 ? 10 * ms : 60000;
}

bool is_debug_kernel(void)
{
	const char *kernel = getenv("OCF_GUEST");

	return kernel && strcmp(kernel, "stock");
}

const char *node_path(void)
{
	const char *path = getenv("OCF_NODE");

	return path ? path : "/dev/ocfabric0";
}

unsigned int node_number(void)
{
	const char *path = node_path();

	return atoi(path + strcspn(path, "0123456789"));
}

int node_open(int flags)
{
	int fd = open(node_path(), flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int call(int fd, unsigned long nr, void *arg)
{
	int ret = ioctl(fd, nr, arg);

	return ret < 0 ? -errno : ret;
}

int change_steps(int node, unsigned int flags, const struct ocfabric_change *steps,
		 unsigned int count, struct ocfabric_config_change *out)
{
	struct ocfabric_config_change c = NEW(ocfabric_config_change,
					      .flags = flags,
					      .changes = (uintptr_t)steps,
					      .count = count);
	int ret = call(node, OCFABRIC_CONFIG_CHANGE, &c);

	if (out)
		*out = c;
	return ret;
}

static unsigned int peers(struct ocfabric_change *s, unsigned int n, uint64_t size)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < n; i++)
		for (unsigned int j = 0; j < n; j++)
			if (i != j)
				s[count++] = step_window(OCFABRIC_CHANGE_WINDOW_ADD,
							 i, j, 0, size);
	return count;
}

int fabric_setup(int node, unsigned int n, uint64_t size)
{
	struct ocfabric_change s[16 * 16 + 32] = { step_reset(), step_replicas(n) };
	unsigned int count = 2;

	call(node, OCFABRIC_DRAIN, ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_RESUME));
	for (unsigned int i = 0; i < n; i++)
		s[count++] = step_region(i, i * size, size);
	s[count++] = step(OCFABRIC_CHANGE_CONNECTIONS_DEFAULT, 0);
	count += peers(s + count, n, size);
	s[count++] = step(OCFABRIC_CHANGE_COUNTERS_RESET, 0);
	s[count++] = step(OCFABRIC_CHANGE_HBM_CLEAR, 0);
	return change_steps(node, 0, s, count, NULL);
}

int fabric_semaphores(int node, unsigned int n)
{
	struct ocfabric_change s[OCFABRIC_REPLICAS_MAX * OCFABRIC_REPLICAS_MAX];
	unsigned int count = 0;

	for (unsigned int i = 0; i < n; i++)
		for (unsigned int j = 0; j < n; j++)
			if (i != j)
				s[count++] = step_semaphores(OCFABRIC_CHANGE_WINDOW_ADD, i, j,
							     0, OCFABRIC_SEMAPHORES);
	return change_steps(node, 0, s, count, NULL);
}

unsigned int qpn_of(unsigned int n, unsigned int link, unsigned int peer)
{
	return (n - 1) * link + (peer < link ? peer : peer - 1);
}

int config_read(int node, struct config *c)
{
	memset(c, 0, sizeof(*c));
	c->get = NEW(ocfabric_config_get,
		     .regions = (uintptr_t)c->region,
		     .connections = (uintptr_t)c->peer,
		     .windows = (uintptr_t)c->window,
		     .window_count = ARRAY_LEN(c->window));
	return call(node, OCFABRIC_CONFIG_GET, &c->get);
}

static int compare_windows(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct ocfabric_window));
}

/* Windows are a set: their order says nothing. */
static bool windows_equal(const struct config *a, const struct config *b)
{
	unsigned int count = a->get.window_count;
	size_t bytes = count * sizeof(struct ocfabric_window);
	struct ocfabric_window *x = malloc(2 * bytes + 1), *y = x + count;
	bool same;

	memcpy(x, a->window, bytes);
	memcpy(y, b->window, bytes);
	qsort(x, count, sizeof(*x), compare_windows);
	qsort(y, count, sizeof(*y), compare_windows);
	same = !memcmp(x, y, bytes);
	free(x);
	return same;
}

bool config_equal(const struct config *a, const struct config *b)
{
	return a->get.out_replicas == b->get.out_replicas &&
	       a->get.out_latency == b->get.out_latency &&
	       a->get.out_state == b->get.out_state &&
	       a->get.out_generation == b->get.out_generation &&
	       a->get.window_count == b->get.window_count &&
	       !memcmp(a->region, b->region, sizeof(a->region)) &&
	       !memcmp(a->peer, b->peer, sizeof(a->peer)) &&
	       windows_equal(a, b);
}

int counters_read(int node, struct counters *c)
{
	struct ocfabric_counters_get get = NEW(ocfabric_counters_get,
					       .counters = (uintptr_t)c->link,
					       .links = OCFABRIC_REPLICAS_MAX,
					       .counters_per_link = OCFABRIC_COUNTERS);
	int ret;

	memset(c, 0, sizeof(*c));
	ret = call(node, OCFABRIC_COUNTERS_GET, &get);
	c->links = get.links;
	c->clock = get.out_clock;
	return ret;
}

static bool link_conserved(const uint64_t *c)
{
	static const unsigned int ends[] = {
		OCFABRIC_COUNTER_COMMITTED, OCFABRIC_COUNTER_UNMAPPED,
		OCFABRIC_COUNTER_QP_STATE, OCFABRIC_COUNTER_BAD_CONFIG,
		OCFABRIC_COUNTER_ZERO_LENGTH, OCFABRIC_COUNTER_MISALIGNED,
		OCFABRIC_COUNTER_OUT_OF_BOUNDS, OCFABRIC_COUNTER_UNAUTHORIZED,
		OCFABRIC_COUNTER_RNR, OCFABRIC_COUNTER_AXI_ERROR,
		OCFABRIC_COUNTER_DMA_ERROR,
	};
	uint64_t sum = 0;

	for (unsigned int i = 0; i < ARRAY_LEN(ends); i++)
		sum += c[ends[i]];
	return sum == c[OCFABRIC_COUNTER_WRITES];
}

bool counters_conserved(const struct counters *c)
{
	for (unsigned int i = 0; i < c->links; i++) {
		if (!link_conserved(c->link[i])) {
			printf("# link %u: writes are not the sum of what became of them\n", i);
			return false;
		}
	}
	return true;
}
