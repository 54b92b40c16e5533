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
#include "calls.h"
#include "netlink.h"
#include "util.h"

FIXTURE(abi) {
	struct call_scene scene;
	union call_args arg;
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

TEST_F(abi, every_call_works)
{
	for_each_call(row) {
		call_make(&self->scene, row, &self->arg);
		EXPECT_EQ(0, call_perform(&self->scene, row, &self->arg))
			TH_LOG("%s", row->name);
	}
}

TEST_F(abi, too_short_is_refused)
{
	struct config after;

	for_each_call(row) {
		const uint32_t sizes[] = { 0, 1, 4, 7, row->size - 8, row->size - 1 };

		for (unsigned int i = 0; i < ARRAY_LEN(sizes); i++) {
			call_make(&self->scene, row, &self->arg);
			self->arg.size = sizes[i];
			EXPECT_EQ(-EINVAL, call_perform(&self->scene, row, &self->arg))
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

	for_each_call(row) {
		for (unsigned int i = 0; i < ARRAY_LEN(more); i++) {
			call_make(&self->scene, row, &self->arg);
			self->arg.size += more[i];
			self->arg.bytes[self->arg.size - 1] = 1;
			EXPECT_EQ(-E2BIG, call_perform(&self->scene, row, &self->arg))
				TH_LOG("%s, %u more", row->name, more[i]);
		}
	}
	ASSERT_EQ(0, config_read(self->scene.node, &after));
	EXPECT_TRUE(config_equal(&self->before, &after));
}

TEST_F(abi, longer_with_zeroes_is_the_same_call)
{
	static const uint32_t more[] = { 1, 8, 100 };

	for_each_call(row) {
		for (unsigned int i = 0; i < ARRAY_LEN(more); i++) {
			call_make(&self->scene, row, &self->arg);
			self->arg.size += more[i];
			/* behind the tail: not the kernel's to read or write */
			memset(self->arg.bytes + self->arg.size, 0xa5, 64);
			EXPECT_EQ(0, call_perform(&self->scene, row, &self->arg))
				TH_LOG("%s, %u more", row->name, more[i]);
			EXPECT_EQ(0xa5, self->arg.bytes[row->size + more[i]]);
			EXPECT_EQ(0, self->arg.bytes[row->size + more[i] - 1]);
		}
	}
}

/* Within time, without reading all of it, whatever lies behind. */
TEST_F(abi, huge_size_is_refused)
{
	for_each_call(row) {
		static const uint32_t sizes[] = { 0x7fffffff, 0x80000000, 0xffffffff };

		for (unsigned int i = 0; i < ARRAY_LEN(sizes); i++) {
			uint64_t start = now_ms();
			int ret;

			call_make(&self->scene, row, &self->arg);
			self->arg.size = sizes[i];
			ret = call_perform(&self->scene, row, &self->arg);
			EXPECT_TRUE(ret == -E2BIG || ret == -EFAULT)
				TH_LOG("%s, size %#x: %d", row->name, sizes[i], ret);
			EXPECT_LT(now_ms() - start, 1000u);
		}
	}
}

TEST_F(abi, unknown_flags_are_refused)
{
	for_each_call(row) {
		for (unsigned int bit = 0; bit < 32; bit++) {
			if (bit == 0 && (row->nr == OCFABRIC_ATTACH ||
					 row->nr == OCFABRIC_CONFIG_CHANGE ||
					 row->nr == OCFABRIC_BROADCAST))
				continue;
			call_make(&self->scene, row, &self->arg);
			self->arg.head.flags = 1u << bit;
			EXPECT_EQ(-EINVAL, call_perform(&self->scene, row, &self->arg))
				TH_LOG("%s, flag %u", row->name, bit);
		}
	}
}

TEST_F(abi, reserved_fields_are_refused)
{
	unsigned int tried = 0;

	for_each_call(row) {
		if (!row->reserved)
			continue;
		call_make(&self->scene, row, &self->arg);
		self->arg.bytes[row->reserved + 3] = 0x80;
		EXPECT_EQ(-EINVAL, call_perform(&self->scene, row, &self->arg))
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
	for_each_call(row) {
		EXPECT_EQ(-EFAULT, call(call_file(&self->scene, row), row->nr, NULL))
			TH_LOG("%s", row->name);
		/* the structure's second half is not there */
		call_make(&self->scene, row, &self->arg);
		memcpy(hole + PAGE - 4, &self->arg, 4);
		EXPECT_EQ(-EFAULT, call(call_file(&self->scene, row), row->nr, hole + PAGE - 4))
			TH_LOG("%s", row->name);
	}
}

static unsigned int keys_of(int replica)
{
	const struct nlmsghdr *m = NULL;
	unsigned int keys = ~0u;
	struct nl_answer a;
	struct nl nl;

	if (nl_open(&nl))
		return keys;
	if (!nl_simple(&nl, OCFABRIC_CMD_REPLICA_GET, NLM_F_DUMP, &a))
		while ((m = nl_next(&a, m)))
			if (nl_value(m, OCFABRIC_A_REPLICA_REPLICA, ~0) == replica)
				keys = nl_value(m, OCFABRIC_A_REPLICA_KEYS, ~0u);
	nl_answer_free(&a);
	nl_close(&nl);
	return keys;
}

/* What cannot be told has not happened: no descriptor, no key, nothing cleared. */
TEST_F(abi, answer_that_cannot_be_told)
{
	union call_args *arg = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int other = attach_fd(self->scene.node, 1, (struct attach){}), next = dup(0);
	unsigned int keys = keys_of(0);
	struct config after;
	char kept[4] = {};

	ASSERT_NE(MAP_FAILED, arg);
	ASSERT_EQ(4, pwrite(other, "kept", 4, 0));
	close(next);
	close(other);
	for_each_call(row) {
		int ret;

		if (!row->out || row->out_refused)
			continue;
		ASSERT_EQ(0, mprotect(arg, PAGE, PROT_READ | PROT_WRITE));
		call_make(&self->scene, row, arg);
		if (row->nr == OCFABRIC_ATTACH)
			arg->attach.flags = OCFABRIC_ATTACH_CLEAR;
		ASSERT_EQ(0, mprotect(arg, PAGE, PROT_READ));
		ret = call(call_file(&self->scene, row), row->nr, arg);
		EXPECT_EQ(-EFAULT, ret)
			TH_LOG("%s", row->name);
	}
	other = attach_fd(self->scene.node, 1, (struct attach){});
	EXPECT_EQ(next - 1, other);
	EXPECT_EQ(4, pread(other, kept, 4, 0));
	EXPECT_EQ(0, memcmp(kept, "kept", 4))
		TH_LOG("an attach that was refused cleared the region");
	EXPECT_EQ(keys, keys_of(0));
	ASSERT_EQ(0, config_read(self->scene.node, &after));
	EXPECT_TRUE(config_equal(&self->before, &after));
	close(other);
}

/* Address plus length wraps, or is nearly everything; none reads so much first. */
TEST_F(abi, lengths_that_wrap_are_refused)
{
	static const struct { uint64_t addr, length; } ranges[] = {
		{ ~0ull - 4095, 8192 }, { ~0ull, 1 }, { 0, ~0ull }, { 1, ~0ull },
		{ PAGE, ~0ull - PAGE }, { PAGE, 1ull << 63 }, { 1ull << 63, 1ull << 63 },
		{ ~0ull - 4095, 4095 }, { PAGE, 0 },
	};
	static const uint32_t counts[] = { 0, 0x80000000, 0xffffffff, 0x10000001 };
	int node = self->scene.node, handle = self->scene.handle;
	unsigned int keys = keys_of(0);

	for (unsigned int i = 0; i < ARRAY_LEN(ranges); i++) {
		const uint64_t addr = ranges[i].addr, length = ranges[i].length;
		int ret = call(handle, OCFABRIC_KEY_ADD,
			       ARG(ocfabric_key_add, .addr = addr, .length = length));

		EXPECT_TRUE(ret == -EINVAL || ret == -ENOMEM || ret == -EFAULT)
			TH_LOG("key of 0x%llx + 0x%llx: %d", (unsigned long long)addr,
			       (unsigned long long)length, ret);
		/* the buffer's length is the one number here */
		ret = call(handle, OCFABRIC_BUFFER_ADD,
			   ARG(ocfabric_buffer_add, .length = length < 2 ? 0 : length | 1ull << 62));
		EXPECT_EQ(-EINVAL, ret);
		EXPECT_GT(0, CHANGE(node, step_region(1, addr & ~63ull, length | 1ull << 62)));
		EXPECT_GT(0, CHANGE(node, step_window(OCFABRIC_CHANGE_WINDOW_ADD, 0, 1,
						      addr | 1ull << 62, length)));
		EXPECT_GT(0, CHANGE(node, step_fault(OCFABRIC_CHANGE_FAULT_RESP, 1,
						     addr | 1ull << 62, OCFABRIC_RESP_SLVERR)));
	}
	for (unsigned int i = 0; i < ARRAY_LEN(counts); i++) {
		const uint64_t at = (uintptr_t)self->scene.memory;

		EXPECT_EQ(-EINVAL, call(node, OCFABRIC_CONFIG_CHANGE,
					ARG(ocfabric_config_change, .changes = at,
					    .count = counts[i])));
		EXPECT_EQ(-EINVAL, call(node, OCFABRIC_COUNTERS_GET,
					ARG(ocfabric_counters_get, .counters = at,
					    .links = counts[i], .counters_per_link = 1)));
		EXPECT_EQ(-EINVAL, call(handle, OCFABRIC_BROADCAST,
					ARG(ocfabric_broadcast, .handles = at,
					    .count = counts[i])));
	}
	/* rows further apart than memory is large: the first, and then none */
	EXPECT_EQ(-EFAULT, call(node, OCFABRIC_COUNTERS_GET,
				ARG(ocfabric_counters_get,
				    .counters = (uintptr_t)self->scene.counters, .links = 16,
				    .counters_per_link = 0xffffffff)));
	EXPECT_EQ(keys, keys_of(0));
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
	for_each_call(row) {
		int other = row->files & ON_NODE ? self->scene.handle : self->scene.node;

		if (row->files == (ON_NODE | ON_HANDLE))
			continue;
		call_make(&self->scene, row, &self->arg);
		EXPECT_EQ(-ENOTTY, call(other, row->nr, &self->arg))
			TH_LOG("%s", row->name);
	}
}

TEST_F(abi, unknown_calls_are_refused)
{
	for (unsigned int nr = 0; nr < 256; nr++) {
		bool known = false;

		for_each_call(row)
			known |= row->nr == _IO(OCFABRIC_IOCTL_TYPE, nr);
		if (known)
			continue;
		call_make(&self->scene, call_rows, &self->arg);
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
	struct { union call_args arg; struct call_scene scene; } *low;

	low = mmap(NULL, sizeof(*low), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	ASSERT_NE(MAP_FAILED, low);
	low->scene = self->scene;
	for_each_call(row) {
		int ret;

		call_make(&low->scene, row, &low->arg);
		ret = compat_call(call_file(&low->scene, row), row->nr, &low->arg);
		EXPECT_EQ(0, ret)
			TH_LOG("%s", row->name);
		if (!ret && row->end)
			row->end(&low->scene, &low->arg);
		call_make(&low->scene, row, &low->arg);
		low->arg.size--;
		EXPECT_EQ(-EINVAL, compat_call(call_file(&low->scene, row), row->nr, &low->arg))
			TH_LOG("%s", row->name);
	}
	call_make(&low->scene, call_rows, &low->arg);
	ASSERT_EQ(0, compat_call(low->scene.node, OCFABRIC_INFO, &low->arg));
	call_make(&self->scene, call_rows, &self->arg);
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
