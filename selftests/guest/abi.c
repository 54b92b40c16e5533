// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules that every ioctl follows, from one table of all of them
 *
 * A structure that is too short, too long or asks for what is not known is
 * refused and changes nothing; one that is longer than the kernel knows, with
 * zeroes there, is the same call as before.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "util.h"

#define ON_NODE		1
#define ON_HANDLE	2

/* What a call needs to do its work; the arrays are there for all of them. */
struct scene {
	int node;
	int handle;
	struct ocfabric_region regions[OCFABRIC_REPLICAS_MAX];
	struct ocfabric_change change;
	uint64_t counters[OCFABRIC_REPLICAS_MAX][OCFABRIC_COUNTERS];
	struct ocfabric_hw_reject rejects[OCFABRIC_REJECTS];
	uint8_t memory[4096];
};

union any {
	uint32_t size;
	struct { uint32_t size, flags; } head;
	struct ocfabric_info info;
	struct ocfabric_attach attach;
	struct ocfabric_config_get config_get;
	struct ocfabric_config_change config_change;
	struct ocfabric_counters_get counters_get;
	struct ocfabric_drain drain;
	struct ocfabric_reset reset;
	struct ocfabric_replica_get replica_get;
	struct ocfabric_key_add key_add;
	struct ocfabric_buffer_add buffer_add;
	struct ocfabric_key_del key_del;
	struct ocfabric_eventfd eventfd;
	struct ocfabric_queue_get queue_get;
	struct ocfabric_queue_reset queue_reset;
	struct ocfabric_rejects_get rejects_get;
	struct ocfabric_moderation moderation;
	struct ocfabric_broadcast broadcast;
	uint8_t bytes[PAGE];
};

static void make_attach(struct scene *s, union any *a)
{
	(void)s;
	a->attach.replica = 1;
}

static void end_attach(struct scene *s, union any *a)
{
	(void)s;
	close(a->attach.out_fd);
}

static void make_config_get(struct scene *s, union any *a)
{
	a->config_get.regions = (uintptr_t)s->regions;
}

static void make_config_change(struct scene *s, union any *a)
{
	s->change = step(OCFABRIC_CHANGE_LATENCY, 0);
	a->config_change.changes = (uintptr_t)&s->change;
	a->config_change.count = 1;
}

static void make_counters_get(struct scene *s, union any *a)
{
	a->counters_get.counters = (uintptr_t)s->counters;
	a->counters_get.links = OCFABRIC_REPLICAS_MAX;
	a->counters_get.counters_per_link = OCFABRIC_COUNTERS;
}

static void make_drain(struct scene *s, union any *a)
{
	(void)s;
	a->drain.op = OCFABRIC_DRAIN_HOLD;
}

static void end_drain(struct scene *s, union any *a)
{
	(void)a;
	call(s->node, OCFABRIC_DRAIN, ARG(ocfabric_drain, .op = OCFABRIC_DRAIN_RESUME));
}

static void make_reset(struct scene *s, union any *a)
{
	(void)s;
	a->reset.what = OCFABRIC_RESET_COUNTERS;
}

static void make_key_add(struct scene *s, union any *a)
{
	a->key_add.addr = (uintptr_t)s->memory;
	a->key_add.length = sizeof(s->memory);
}

static void end_key_add(struct scene *s, union any *a)
{
	key_del(s->handle, a->key_add.out_key);
}

static void make_buffer_add(struct scene *s, union any *a)
{
	(void)s;
	a->buffer_add.length = PAGE;
}

static void end_buffer_add(struct scene *s, union any *a)
{
	key_del(s->handle, a->buffer_add.out_key);
}

static void make_key_del(struct scene *s, union any *a)
{
	key_add(s->handle, s->memory, sizeof(s->memory), &a->key_del.key);
}

static void make_eventfd(struct scene *s, union any *a)
{
	(void)s;
	a->eventfd.fd = -1;
}

static void make_rejects_get(struct scene *s, union any *a)
{
	a->rejects_get.rejects = (uintptr_t)s->rejects;
	a->rejects_get.count = OCFABRIC_REJECTS;
}

static void make_moderation(struct scene *s, union any *a)
{
	(void)s;
	a->moderation.burst = OCFABRIC_MODERATION_BURST;
	a->moderation.timer = OCFABRIC_MODERATION_TIMER;
}

static void make_broadcast(struct scene *s, union any *a)
{
	a->broadcast.handles = (uintptr_t)&s->handle;
	a->broadcast.count = 1;
}

static const struct row {
	const char *name;
	unsigned long nr;
	unsigned int files;
	uint32_t size;
	uint32_t reserved;	/* where a __u32 that must be zero is; 0: none */
	void (*make)(struct scene *s, union any *a);
	void (*end)(struct scene *s, union any *a);
} rows[] = {
#define ROW(nr_, type, files_, ...) \
	{ .name = #nr_, .nr = OCFABRIC_##nr_, .files = files_, \
	  .size = sizeof(struct type), ##__VA_ARGS__ }
#define RESERVED(type)	.reserved = offsetof(struct type, __reserved)
	ROW(INFO, ocfabric_info, ON_NODE | ON_HANDLE),
	ROW(ATTACH, ocfabric_attach, ON_NODE, .make = make_attach, .end = end_attach,
	    RESERVED(ocfabric_attach)),
	ROW(CONFIG_GET, ocfabric_config_get, ON_NODE, .make = make_config_get,
	    RESERVED(ocfabric_config_get)),
	ROW(CONFIG_CHANGE, ocfabric_config_change, ON_NODE, .make = make_config_change),
	ROW(COUNTERS_GET, ocfabric_counters_get, ON_NODE, .make = make_counters_get),
	ROW(DRAIN, ocfabric_drain, ON_NODE, .make = make_drain, .end = end_drain,
	    RESERVED(ocfabric_drain)),
	ROW(RESET, ocfabric_reset, ON_NODE, .make = make_reset,
	    .reserved = offsetof(struct ocfabric_reset, link)),
	ROW(REPLICA_GET, ocfabric_replica_get, ON_HANDLE, RESERVED(ocfabric_replica_get)),
	ROW(KEY_ADD, ocfabric_key_add, ON_HANDLE, .make = make_key_add, .end = end_key_add,
	    RESERVED(ocfabric_key_add)),
	ROW(BUFFER_ADD, ocfabric_buffer_add, ON_HANDLE, .make = make_buffer_add,
	    .end = end_buffer_add, RESERVED(ocfabric_buffer_add)),
	ROW(KEY_DEL, ocfabric_key_del, ON_HANDLE, .make = make_key_del,
	    RESERVED(ocfabric_key_del)),
	ROW(EVENTFD, ocfabric_eventfd, ON_HANDLE, .make = make_eventfd,
	    RESERVED(ocfabric_eventfd)),
	ROW(QUEUE_GET, ocfabric_queue_get, ON_HANDLE),
	ROW(QUEUE_RESET, ocfabric_queue_reset, ON_HANDLE),
	ROW(REJECTS_GET, ocfabric_rejects_get, ON_HANDLE, .make = make_rejects_get,
	    RESERVED(ocfabric_rejects_get)),
	ROW(MODERATION, ocfabric_moderation, ON_HANDLE, .make = make_moderation,
	    RESERVED(ocfabric_moderation)),
	ROW(BROADCAST, ocfabric_broadcast, ON_NODE | ON_HANDLE, .make = make_broadcast,
	    RESERVED(ocfabric_broadcast)),
};

FIXTURE(abi) {
	struct scene scene;
	union any arg;
	struct config before;
};

FIXTURE_SETUP(abi)
{
	self->scene.node = node_open(O_RDWR);
	ASSERT_GE(self->scene.node, 0);
	ASSERT_EQ(0, fabric_setup(self->scene.node, 3, 0x10000));
	self->scene.handle = attach_fd(self->scene.node, 0, (struct attach){});
	ASSERT_GE(self->scene.handle, 0);
	ASSERT_EQ(0, config_read(self->scene.node, &self->before));
}

FIXTURE_TEARDOWN(abi)
{
	close(self->scene.handle);
	close(self->scene.node);
}

static int file_of(const struct scene *s, const struct row *row)
{
	return row->files & ON_NODE ? s->node : s->handle;
}

static void make(struct scene *s, const struct row *row, union any *a)
{
	memset(a, 0, sizeof(*a));
	a->size = row->size;
	if (row->make)
		row->make(s, a);
}

static int perform(struct scene *s, const struct row *row, union any *a)
{
	int ret = call(file_of(s, row), row->nr, a);

	if (!ret && row->end)
		row->end(s, a);
	return ret;
}

#define for_each_row(row) \
	for (const struct row *row = rows; row < rows + ARRAY_LEN(rows); row++)

TEST_F(abi, every_call_works)
{
	for_each_row(row) {
		make(&self->scene, row, &self->arg);
		EXPECT_EQ(0, perform(&self->scene, row, &self->arg))
			TH_LOG("%s", row->name);
	}
}

TEST_F(abi, too_short_is_refused)
{
	struct config after;

	for_each_row(row) {
		const uint32_t sizes[] = { 0, 1, 4, 7, row->size - 8, row->size - 1 };

		for (unsigned int i = 0; i < ARRAY_LEN(sizes); i++) {
			make(&self->scene, row, &self->arg);
			self->arg.size = sizes[i];
			EXPECT_EQ(-EINVAL, perform(&self->scene, row, &self->arg))
				TH_LOG("%s, size %u", row->name, sizes[i]);
		}
	}
	ASSERT_EQ(0, config_read(self->scene.node, &after));
	EXPECT_TRUE(config_equal(&self->before, &after));
}

TEST_F(abi, longer_with_junk_is_refused)
{
	static const uint32_t more[] = { 1, 8, 100 };
	struct config after;

	for_each_row(row) {
		for (unsigned int i = 0; i < ARRAY_LEN(more); i++) {
			make(&self->scene, row, &self->arg);
			self->arg.size += more[i];
			self->arg.bytes[self->arg.size - 1] = 1;
			EXPECT_EQ(-E2BIG, perform(&self->scene, row, &self->arg))
				TH_LOG("%s, %u more", row->name, more[i]);
		}
	}
	ASSERT_EQ(0, config_read(self->scene.node, &after));
	EXPECT_TRUE(config_equal(&self->before, &after));
}

TEST_F(abi, longer_with_zeroes_is_the_same_call)
{
	static const uint32_t more[] = { 1, 8, 100 };

	for_each_row(row) {
		for (unsigned int i = 0; i < ARRAY_LEN(more); i++) {
			make(&self->scene, row, &self->arg);
			self->arg.size += more[i];
			/* behind the tail: not the kernel's to read or write */
			memset(self->arg.bytes + self->arg.size, 0xa5, 64);
			EXPECT_EQ(0, perform(&self->scene, row, &self->arg))
				TH_LOG("%s, %u more", row->name, more[i]);
			EXPECT_EQ(0xa5, self->arg.bytes[row->size + more[i]]);
			EXPECT_EQ(0, self->arg.bytes[row->size + more[i] - 1]);
		}
	}
}

/* Within time, without reading all of it, whatever lies behind. */
TEST_F(abi, huge_size_is_refused)
{
	for_each_row(row) {
		static const uint32_t sizes[] = { 0x7fffffff, 0x80000000, 0xffffffff };

		for (unsigned int i = 0; i < ARRAY_LEN(sizes); i++) {
			uint64_t start = now_ms();
			int ret;

			make(&self->scene, row, &self->arg);
			self->arg.size = sizes[i];
			ret = perform(&self->scene, row, &self->arg);
			EXPECT_TRUE(ret == -E2BIG || ret == -EFAULT)
				TH_LOG("%s, size %#x: %d", row->name, sizes[i], ret);
			EXPECT_LT(now_ms() - start, 1000u);
		}
	}
}

TEST_F(abi, unknown_flags_are_refused)
{
	for_each_row(row) {
		for (unsigned int bit = 0; bit < 32; bit++) {
			if (bit == 0 && (row->nr == OCFABRIC_ATTACH ||
					 row->nr == OCFABRIC_CONFIG_CHANGE ||
					 row->nr == OCFABRIC_BROADCAST))
				continue;
			make(&self->scene, row, &self->arg);
			self->arg.head.flags = 1u << bit;
			EXPECT_EQ(-EINVAL, perform(&self->scene, row, &self->arg))
				TH_LOG("%s, flag %u", row->name, bit);
		}
	}
}

TEST_F(abi, reserved_fields_are_refused)
{
	unsigned int tried = 0;

	for_each_row(row) {
		if (!row->reserved)
			continue;
		make(&self->scene, row, &self->arg);
		self->arg.bytes[row->reserved + 3] = 0x80;
		EXPECT_EQ(-EINVAL, perform(&self->scene, row, &self->arg))
			TH_LOG("%s", row->name);
		tried++;
	}
	EXPECT_EQ(12, tried);
}

TEST_F(abi, bad_address_is_fault)
{
	char *hole = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, hole);
	ASSERT_EQ(0, munmap(hole + PAGE, PAGE));
	for_each_row(row) {
		EXPECT_EQ(-EFAULT, call(file_of(&self->scene, row), row->nr, NULL))
			TH_LOG("%s", row->name);
		/* the structure's second half is not there */
		make(&self->scene, row, &self->arg);
		memcpy(hole + PAGE - 4, &self->arg, 4);
		EXPECT_EQ(-EFAULT, call(file_of(&self->scene, row), row->nr, hole + PAGE - 4))
			TH_LOG("%s", row->name);
	}
}

TEST_F(abi, bad_array_address_is_fault)
{
	const uint64_t bad = PAGE;	/* never mapped */
	int node = self->scene.node, handle = self->scene.handle;

	EXPECT_EQ(-EFAULT, call(node, OCFABRIC_CONFIG_GET,
				ARG(ocfabric_config_get, .regions = bad)));
	EXPECT_EQ(-EFAULT, call(node, OCFABRIC_CONFIG_GET,
				ARG(ocfabric_config_get, .connections = bad)));
	EXPECT_EQ(-EFAULT, call(node, OCFABRIC_CONFIG_GET,
				ARG(ocfabric_config_get, .windows = bad, .window_count = 4096)));
	EXPECT_EQ(-EFAULT, call(node, OCFABRIC_CONFIG_CHANGE,
				ARG(ocfabric_config_change, .changes = bad, .count = 1)));
	EXPECT_EQ(-EFAULT, call(node, OCFABRIC_COUNTERS_GET,
				ARG(ocfabric_counters_get, .counters = bad, .links = 16,
				    .counters_per_link = 17)));
	EXPECT_EQ(-EFAULT, call(handle, OCFABRIC_BROADCAST,
				ARG(ocfabric_broadcast, .handles = bad, .count = 1)));
	EXPECT_EQ(-EFAULT, call(handle, OCFABRIC_KEY_ADD,
				ARG(ocfabric_key_add, .addr = bad, .length = 64)));
	/* one above all user addresses, so that no check by access alone helps */
	EXPECT_EQ(-EFAULT, call(node, OCFABRIC_CONFIG_GET,
				ARG(ocfabric_config_get, .regions = 0xffff888000000000ull)));
}

TEST_F(abi, wrong_file_has_no_such_call)
{
	for_each_row(row) {
		int other = row->files & ON_NODE ? self->scene.handle : self->scene.node;

		if (row->files == (ON_NODE | ON_HANDLE))
			continue;
		make(&self->scene, row, &self->arg);
		EXPECT_EQ(-ENOTTY, call(other, row->nr, &self->arg))
			TH_LOG("%s", row->name);
	}
}

TEST_F(abi, unknown_calls_are_refused)
{
	for (unsigned int nr = 0; nr < 256; nr++) {
		bool known = false;

		for_each_row(row)
			known |= row->nr == _IO(OCFABRIC_IOCTL_TYPE, nr);
		if (known)
			continue;
		make(&self->scene, rows, &self->arg);
		EXPECT_EQ(-ENOTTY, call(self->scene.node, _IO(OCFABRIC_IOCTL_TYPE, nr),
					&self->arg));
		EXPECT_EQ(-ENOTTY, call(self->scene.handle, _IO(OCFABRIC_IOCTL_TYPE, nr),
					&self->arg));
	}
	/* a size or a direction in the number makes it another one */
	EXPECT_EQ(-ENOTTY, call(self->scene.node, _IOWR(OCFABRIC_IOCTL_TYPE, 0x80, uint64_t),
				&self->arg));
	EXPECT_EQ(-ENOTTY, call(self->scene.node, _IO(OCFABRIC_IOCTL_TYPE + 1, 0x80),
				&self->arg));
}

TEST_F(abi, reading_needs_no_write_access)
{
	int node = node_open(O_RDONLY);

	ASSERT_GE(node, 0);
	EXPECT_EQ(0, call(node, OCFABRIC_INFO, ARG(ocfabric_info)));
	EXPECT_EQ(0, call(node, OCFABRIC_CONFIG_GET, ARG(ocfabric_config_get)));
	EXPECT_EQ(-EACCES, attach_fd(node, 1, (struct attach){}));
	close(node);
}

/* ioctl() of a 32-bit process, which any process may call. */
static int compat_call(int fd, unsigned long nr, void *arg)
{
	long ret = 54;

	asm volatile("int $0x80" : "+a" (ret)
		     : "b" ((long)fd), "c" (nr), "d" (arg)
		     : "r8", "r9", "r10", "r11", "memory");
	return (int)ret;
}

TEST_F(abi, compat_calls_are_the_same)
{
	struct { union any arg; struct scene scene; } *low;

	low = mmap(NULL, sizeof(*low), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	ASSERT_NE(MAP_FAILED, low);
	low->scene = self->scene;
	for_each_row(row) {
		int ret;

		make(&low->scene, row, &low->arg);
		ret = compat_call(file_of(&low->scene, row), row->nr, &low->arg);
		EXPECT_EQ(0, ret)
			TH_LOG("%s", row->name);
		if (!ret && row->end)
			row->end(&low->scene, &low->arg);
		make(&low->scene, row, &low->arg);
		low->arg.size--;
		EXPECT_EQ(-EINVAL, compat_call(file_of(&low->scene, row), row->nr, &low->arg))
			TH_LOG("%s", row->name);
	}
	make(&low->scene, rows, &low->arg);
	ASSERT_EQ(0, compat_call(low->scene.node, OCFABRIC_INFO, &low->arg));
	make(&self->scene, rows, &self->arg);
	ASSERT_EQ(0, call(self->scene.node, OCFABRIC_INFO, &self->arg));
	EXPECT_EQ(0, memcmp(&low->arg, &self->arg, sizeof(struct ocfabric_info)));
}

/* A reply must not carry what lay on the kernel's stack: twice is the same. */
TEST_F(abi, info_tells_what_the_card_is)
{
	struct ocfabric_info a = NEW(ocfabric_info), b = NEW(ocfabric_info);

	ASSERT_EQ(0, call(self->scene.node, OCFABRIC_INFO, &a));
	ASSERT_EQ(0, call(self->scene.handle, OCFABRIC_INFO, &b));
	EXPECT_EQ(0, memcmp(&a, &b, sizeof(a)));
	EXPECT_EQ(sizeof(a), a.size);
	EXPECT_EQ(node_number(), a.out_card);
	EXPECT_EQ(OCFABRIC_VERSION_MAJOR, a.out_hw_version >> 16);
	EXPECT_GE(a.out_replicas, (uint32_t)OCFABRIC_REPLICAS_MIN);
	EXPECT_LE(a.out_replicas, (uint32_t)OCFABRIC_REPLICAS_MAX);
	EXPECT_GE(a.out_windows, 1u);
	EXPECT_EQ(64u, a.out_keys);
	EXPECT_EQ(1024u, a.out_key_ranges);
	EXPECT_EQ(4096u, a.out_ranges);
	EXPECT_EQ(0u, a.out_hbm_size & (a.out_hbm_size - 1));
	EXPECT_GT(a.out_clock_mhz, 0u);
}

TEST_HARNESS_MAIN
