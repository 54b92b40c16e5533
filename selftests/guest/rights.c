// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may do what, cell by cell. docs/uapi.md has the same table, and
 * selftests/host/rights holds the two together. An ioctl or a netlink operation
 * without a row fails here.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/genetlink.h>

#include "kselftest_harness.h"
#include "child.h"
#include "netlink.h"
#include "util.h"

#define REGION	0x10000u
#define N	6

/*
 * Columns: root; a user in the node's group; any user; root of a user and network
 * namespace that a user in the group made; a user who was given root's open node and
 * netlink socket; a user who was given a handle; root who became a user with all of
 * that open; root in another network namespace; root who acts on what a user in the group
 * opened, as a service does that is handed descriptors.
 */
enum who { ROOT, GROUP, OTHER, NS_ROOT, LENT, HANDLE, DROPPED, NETNS, BORROWED, WHO };

static const char *const who_name[WHO] = {
	"root", "group", "other", "namespace root", "lent node", "handle", "dropped", "other netns",
	"borrowed node",
};

/* What somebody has; -1 where that is nothing. */
struct person {
	enum who who;
	int node;
	int ro;
	int handle;
	struct nl nl;
};

struct row {
	const char *name;
	const char *cells;
	int (*run)(struct person *p, const struct row *row);
	unsigned long nr;	/* of an ioctl */
	int op;			/* what it is asked for; or of netlink, which command */
};

/* ---- operations --------------------------------------------------------- */

static int run_open(struct person *p, const struct row *row)
{
	int fd = node_open(row->op);
	(void)p;

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int attach_by(int node)
{
	int fd = attach_fd(node, 2, (struct attach){ .tx_entries = 16 });

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int run_attach_ro(struct person *p, const struct row *row)
{
	(void)row;
	return attach_by(p->ro);
}

static int run_attach(struct person *p, const struct row *row)
{
	(void)row;
	return attach_by(p->node);
}

static int run_map(struct person *p, const struct row *row)
{
	int fd = row->op ? p->handle : p->node;
	void *map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	munmap(map, PAGE);
	return 0;
}

static int run_region(struct person *p, const struct row *row)
{
	uint64_t word = 0;

	if ((row->op ? pwrite(p->handle, &word, 8, 0) : pread(p->handle, &word, 8, 0)) != 8)
		return -errno;
	return 0;
}

union any {
	struct ocfabric_info info;
	struct ocfabric_config_get config_get;
	struct ocfabric_config_change config_change;
	struct ocfabric_counters_get counters_get;
	struct ocfabric_drain drain;
	struct ocfabric_reset reset;
	struct ocfabric_replica_get replica_get;
	struct ocfabric_eventfd eventfd;
	struct ocfabric_queue_get queue_get;
	struct ocfabric_queue_reset queue_reset;
	struct ocfabric_rejects_get rejects_get;
	struct ocfabric_moderation moderation;
};

/* What a call needs to be done; those that make something are below. */
static union any argument(const struct row *row)
{
	static const struct ocfabric_change latency = { .op = OCFABRIC_CHANGE_LATENCY };
	static uint64_t counters[OCFABRIC_REPLICAS_MAX][OCFABRIC_COUNTERS];
	static struct ocfabric_hw_reject rejects[OCFABRIC_REJECTS];
	union any a = {};

	switch (row->nr) {
	case OCFABRIC_CONFIG_GET:
		a.config_get = NEW(ocfabric_config_get);
		break;
	case OCFABRIC_CONFIG_CHANGE:
		a.config_change = NEW(ocfabric_config_change, .flags = row->op,
				      .changes = (uintptr_t)&latency, .count = 1);
		break;
	case OCFABRIC_COUNTERS_GET:
		a.counters_get = NEW(ocfabric_counters_get, .counters = (uintptr_t)counters,
				     .links = OCFABRIC_REPLICAS_MAX,
				     .counters_per_link = OCFABRIC_COUNTERS);
		break;
	case OCFABRIC_DRAIN:
		a.drain = NEW(ocfabric_drain, .op = row->op);
		break;
	case OCFABRIC_RESET:
		a.reset = NEW(ocfabric_reset, .what = row->op);
		break;
	case OCFABRIC_REPLICA_GET:
		a.replica_get = NEW(ocfabric_replica_get);
		break;
	case OCFABRIC_EVENTFD:
		a.eventfd = NEW(ocfabric_eventfd, .fd = -1);
		break;
	case OCFABRIC_QUEUE_GET:
		a.queue_get = NEW(ocfabric_queue_get);
		break;
	case OCFABRIC_QUEUE_RESET:
		a.queue_reset = NEW(ocfabric_queue_reset);
		break;
	case OCFABRIC_REJECTS_GET:
		a.rejects_get = NEW(ocfabric_rejects_get, .rejects = (uintptr_t)rejects,
				    .count = OCFABRIC_REJECTS);
		break;
	case OCFABRIC_MODERATION:
		a.moderation = NEW(ocfabric_moderation, .burst = OCFABRIC_MODERATION_BURST,
				   .timer = OCFABRIC_MODERATION_TIMER);
		break;
	default:
		a.info = NEW(ocfabric_info);
	}
	return a;
}

static int run_node_call(struct person *p, const struct row *row)
{
	union any a = argument(row);

	return call(p->node, row->nr, &a);
}

static int run_call(struct person *p, const struct row *row)
{
	union any a = argument(row);

	return call(p->handle, row->nr, &a);
}

static int run_key(struct person *p, const struct row *row)
{
	static uint8_t page[PAGE];
	uint32_t key;
	void *map;
	int ret;

	if (row->nr == OCFABRIC_BUFFER_ADD)
		ret = buffer_add(p->handle, PAGE, &key, &map);
	else
		ret = key_add(p->handle, page, PAGE, &key);
	return ret ? ret : key_del(p->handle, key);
}

static int run_broadcast(struct person *p, const struct row *row)
{
	return broadcast(row->op ? p->handle : p->node, OCFABRIC_BROADCAST_RECEIVE, &p->handle, 1,
			 0, NULL);
}

static int run_do(struct person *p, const struct row *row)
{
	return nl_simple(&p->nl, row->op, 0, NULL);
}

static int run_dump(struct person *p, const struct row *row)
{
	return nl_simple(&p->nl, row->op, NLM_F_DUMP, NULL);
}

static int run_set(struct person *p, const struct row *row)
{
	const struct ocfabric_change latency = step(OCFABRIC_CHANGE_LATENCY, 0);
	unsigned int index;
	int ret;

	switch (row->op) {
	case OCFABRIC_CMD_MODERATION_SET:
		return nl_moderation(&p->nl, 3, OCFABRIC_MODERATION_BURST, ~0u, ~0u, NULL);
	case OCFABRIC_CMD_CONFIG_CHANGE:
		return nl_change(&p->nl, false, &latency, 1, NULL, &index);
	case OCFABRIC_CMD_RESET:
		return nl_reset(&p->nl, OCFABRIC_RESET_TARGET_COUNTERS);
	case OCFABRIC_CMD_QUEUE_SET:
		return nl_weight(&p->nl, 3, 1, NULL);
	case OCFABRIC_CMD_DEVICE_SET:
		return nl_limits(&p->nl, OCFABRIC_STALL_LIMIT, OCFABRIC_STORM_LIMIT, NULL);
	case OCFABRIC_CMD_QP_SET:
		ret = nl_qp_set(&p->nl, 3, qpn_of(N, 3, 4),
				&(struct nl_u32){ OCFABRIC_A_QP_STATE, OCFABRIC_QP_ERR }, 1, NULL);
		return ret ? ret : nl_reset_qp(&p->nl, OCFABRIC_RESET_TARGET_QP, 3,
					       qpn_of(N, 3, 4), NULL);
	}
	return -ENOSYS;
}

static int run_listen(struct person *p, const struct row *row)
{
	(void)row;
	return nl_listen(&p->nl);
}

/* The attributes of a folder; the first that is not as the others, or what all say. */
static int each_attribute(const char *folder, int flags)
{
	DIR *dir = opendir(folder);
	const struct dirent *e;
	char path[400], text[256];
	int ret = 1;

	if (!dir)
		return -errno;
	while ((e = readdir(dir))) {
		int fd, this = 0;

		/* "uevent" and "dev" are the kernel's own */
		if (e->d_type != DT_REG || !strcmp(e->d_name, "uevent") ||
		    !strcmp(e->d_name, "dev"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		fd = open(path, flags | O_CLOEXEC);
		if (fd < 0 || (flags == O_RDONLY && read(fd, text, sizeof(text)) <= 0))
			this = -errno;
		if (fd >= 0)
			close(fd);
		if (ret != 1 && this != ret)
			ret = -EDOM;
		else
			ret = this;
		if (ret == -EDOM)
			break;
	}
	closedir(dir);
	return ret;
}

static int run_sysfs(struct person *p, const struct row *row)
{
	static const char *const folders[] = { "", "/link0", "/queue0" };
	char path[128];
	int ret[3];
	(void)p;

	for (unsigned int i = 0; i < ARRAY_LEN(folders); i++) {
		snprintf(path, sizeof(path), "/sys/class/misc/ocfabric%u%s", node_number(),
			 folders[i]);
		ret[i] = each_attribute(path, row->op);
	}
	return ret[0] == ret[1] && ret[1] == ret[2] ? ret[0] : -EDOM;
}

/* ---- the table ---------------------------------------------------------- */

#define NODE(what, nr_, op_, cells_) \
	{ .name = what, .cells = cells_, .run = run_node_call, .nr = OCFABRIC_##nr_, .op = op_ }
#define HELD(what, nr_, cells_) \
	{ .name = what, .cells = cells_, .run = run_call, .nr = OCFABRIC_##nr_ }
#define NETLINK(what, run_, cmd, cells_) \
	{ .name = what, .cells = cells_, .run = run_, .op = OCFABRIC_CMD_##cmd }
#define ACTION(what, run_, op_, cells_) \
	{ .name = what, .cells = cells_, .run = run_, .op = op_ }
#define MAKE(what, run_, nr_, op_, cells_) \
	{ .name = what, .cells = cells_, .run = run_, .nr = OCFABRIC_##nr_, .op = op_ }

#define ALL		"yes yes yes yes yes yes yes yes yes"
#define ADMIN		"yes EPERM EPERM EPERM EPERM EPERM EPERM yes EPERM"
#define OPENER		"yes EPERM - EPERM yes - yes yes EPERM"
#define HAS_NODE	"yes yes - yes yes - yes yes yes"
#define HAS_HANDLE	"yes yes - yes yes yes yes yes yes"
#define NOT_HERE	"ENOTTY ENOTTY - ENOTTY ENOTTY ENOTTY ENOTTY ENOTTY ENOTTY"

static const struct row rows[] = {
	ACTION("open the node for writing", run_open, O_RDWR,
	      "yes yes EACCES yes EACCES EACCES EACCES yes yes"),
	ACTION("open the node for reading", run_open, O_RDONLY,
	      "yes yes EACCES yes EACCES EACCES EACCES yes yes"),
	ACTION("attach, by a node open for reading", run_attach_ro, 0,
	      "EACCES EACCES - EACCES EACCES - EACCES EACCES EACCES"),
	MAKE("ATTACH", run_attach, ATTACH, 0, HAS_NODE),
	NODE("INFO", INFO, 0, HAS_NODE),
	NODE("CONFIG_GET", CONFIG_GET, 0, HAS_NODE),
	NODE("COUNTERS_GET", COUNTERS_GET, 0, HAS_NODE),
	NODE("CONFIG_CHANGE", CONFIG_CHANGE, 0, OPENER),
	NODE("CONFIG_CHANGE, to check", CONFIG_CHANGE, OCFABRIC_CONFIG_CHECK, OPENER),
	NODE("DRAIN: hold", DRAIN, OCFABRIC_DRAIN_HOLD, OPENER),
	NODE("DRAIN: resume", DRAIN, OCFABRIC_DRAIN_RESUME, OPENER),
	NODE("RESET: counters", RESET, OCFABRIC_RESET_COUNTERS, OPENER),
	NODE("RESET: link", RESET, OCFABRIC_RESET_LINK, OPENER),
	MAKE("BROADCAST, by the node", run_broadcast, BROADCAST, 0, HAS_NODE),
	ACTION("mmap of the node", run_map, 0,
	      "ENODEV ENODEV - ENODEV ENODEV - ENODEV ENODEV ENODEV"),

	ACTION("mmap of a handle", run_map, 1, HAS_HANDLE),
	ACTION("read of a handle", run_region, 0, HAS_HANDLE),
	ACTION("write of a handle", run_region, 1, HAS_HANDLE),
	HELD("INFO, by a handle", INFO, HAS_HANDLE),
	HELD("REPLICA_GET", REPLICA_GET, HAS_HANDLE),
	MAKE("KEY_ADD", run_key, KEY_ADD, 0, HAS_HANDLE),
	MAKE("BUFFER_ADD", run_key, BUFFER_ADD, 0, HAS_HANDLE),
	MAKE("KEY_DEL", run_key, KEY_DEL, 0, HAS_HANDLE),
	HELD("EVENTFD", EVENTFD, HAS_HANDLE),
	HELD("QUEUE_GET", QUEUE_GET, HAS_HANDLE),
	HELD("QUEUE_RESET", QUEUE_RESET, HAS_HANDLE),
	HELD("REJECTS_GET", REJECTS_GET, HAS_HANDLE),
	HELD("MODERATION", MODERATION, HAS_HANDLE),
	MAKE("BROADCAST", run_broadcast, BROADCAST, 1, HAS_HANDLE),
	HELD("ATTACH, by a handle", ATTACH, NOT_HERE),
	HELD("CONFIG_GET, by a handle", CONFIG_GET, NOT_HERE),
	HELD("COUNTERS_GET, by a handle", COUNTERS_GET, NOT_HERE),
	HELD("CONFIG_CHANGE, by a handle", CONFIG_CHANGE, NOT_HERE),
	HELD("DRAIN, by a handle", DRAIN, NOT_HERE),
	HELD("RESET, by a handle", RESET, NOT_HERE),

	NETLINK("device-get", run_do, DEVICE_GET, ALL),
	NETLINK("device-get, all", run_dump, DEVICE_GET, ALL),
	NETLINK("config-get", run_do, CONFIG_GET, ALL),
	NETLINK("region-get", run_dump, REGION_GET, ALL),
	NETLINK("connection-get", run_dump, CONNECTION_GET, ALL),
	NETLINK("window-get", run_dump, WINDOW_GET, ALL),
	NETLINK("counters-get", run_dump, COUNTERS_GET, ALL),
	NETLINK("replica-get", run_dump, REPLICA_GET, ALL),
	NETLINK("stage-get", run_dump, STAGE_GET, ALL),
	NETLINK("qp-get", run_dump, QP_GET, ALL),
	NETLINK("reject-get", run_dump, REJECT_GET, ADMIN),
	NETLINK("semaphore-get", run_dump, SEMAPHORE_GET, ADMIN),
	NETLINK("ring-get", run_dump, RING_GET, ADMIN),
	NETLINK("moderation-set", run_set, MODERATION_SET, ADMIN),
	NETLINK("config-change", run_set, CONFIG_CHANGE, ADMIN),
	NETLINK("drain", run_do, DRAIN, ADMIN),
	NETLINK("resume", run_do, RESUME, ADMIN),
	NETLINK("reset", run_set, RESET, ADMIN),
	NETLINK("qp-set", run_set, QP_SET, ADMIN),
	NETLINK("queue-set", run_set, QUEUE_SET, ADMIN),
	NETLINK("device-set", run_set, DEVICE_SET, ADMIN),
	ACTION("listen to events", run_listen, 0, ALL),

	ACTION("read an attribute in sysfs", run_sysfs, O_RDONLY, ALL),
	ACTION("write an attribute in sysfs", run_sysfs, O_WRONLY,
	      "EACCES EACCES EACCES EACCES EACCES EACCES EACCES EACCES EACCES"),
	/* the last: handles die with it */
	NODE("RESET: device", RESET, OCFABRIC_RESET_DEVICE, OPENER),
};

/* ---- persons ------------------------------------------------------------ */

static int have_node(struct person *p)
{
	p->node = node_open(O_RDWR);
	p->ro = node_open(O_RDONLY);
	return p->node < 0 || p->ro < 0 ? -EACCES : 0;
}

static int have_handle(struct person *p)
{
	p->handle = attach_fd(p->node, 1, (struct attach){ .tx_entries = 16 });
	return p->handle < 0 ? p->handle : 0;
}

/* As a user of the group opens them; then it is root again. */
static int borrow(struct person *p)
{
	int ret = other_begin();

	ret = ret ? ret : (have_node(p) || nl_open(&p->nl));
	return other_end() ?: ret;
}

/* In the order in which whoever it is came by them. */
static int become(struct person *p)
{
	bool group = p->who == GROUP || p->who == NS_ROOT;
	bool roots = p->who == LENT || p->who == DROPPED;
	int ret = 0;

	if (roots)
		ret = have_node(p) || nl_open(&p->nl);
	if (p->who == BORROWED)
		ret = borrow(p);
	if (!ret && (p->who == DROPPED || p->who == HANDLE)) {
		if (p->who == HANDLE)
			ret = have_node(p);
		ret = ret ? ret : have_handle(p);
	}
	if (p->who == HANDLE) {
		close(p->node);
		close(p->ro);
		p->node = p->ro = -1;
	}
	if (!ret && p->who != ROOT && p->who != NETNS && p->who != BORROWED)
		ret = become_other(group);
	if (!ret && p->who == NS_ROOT && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return 77;
	if (!ret && p->who == NETNS && unshare(CLONE_NEWNET))
		return 77;
	if (!ret && (group || p->who == ROOT || p->who == NETNS))
		ret = have_node(p);
	if (!ret && p->node >= 0 && p->handle < 0)
		ret = have_handle(p);
	if (!ret && !roots && p->who != BORROWED)
		ret = nl_open(&p->nl);
	return ret ? 76 : 0;
}

static const char *word_of(int ret)
{
	switch (ret) {
	case 0:
		return "yes";
	case -EBADF:
		return "-";
	case -EPERM:
		return "EPERM";
	case -EACCES:
		return "EACCES";
	case -ENOTTY:
		return "ENOTTY";
	case -ENODEV:
		return "ENODEV";
	}
	return strerror(-ret);
}

static void cell_of(const struct row *row, enum who who, char *word, size_t room)
{
	const char *at = row->cells;

	for (unsigned int i = 0; i < who; i++)
		at += strcspn(at, " ") + 1;
	snprintf(word, room, "%.*s", (int)strcspn(at, " "), at);
}

static int try_rows(void *arg)
{
	struct person p = { .who = *(enum who *)arg, .node = -1, .ro = -1, .handle = -1 };
	int wrong = become(&p);

	if (wrong)
		return wrong;
	for (const struct row *row = rows; row < rows + ARRAY_LEN(rows); row++) {
		const char *got = word_of(row->run(&p, row));
		char want[16];

		cell_of(row, p.who, want, sizeof(want));
		if (!strcmp(got, want))
			continue;
		printf("# %s, %s: %s, expected %s\n", row->name, who_name[p.who], got, want);
		wrong++;
	}
	fflush(stdout);
	return wrong < 70 ? wrong : 70;
}

FIXTURE(rights) {
	int node;
	struct node_owner old;
	bool lent;
};

FIXTURE_SETUP(rights)
{
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	ASSERT_EQ(0, node_lend(&self->old));
	self->lent = true;
}

FIXTURE_TEARDOWN(rights)
{
	if (self->lent)
		node_return(&self->old);
	close(self->node);
}

FIXTURE_VARIANT(rights) {
	enum who who;
};

FIXTURE_VARIANT_ADD(rights, root) { .who = ROOT };
FIXTURE_VARIANT_ADD(rights, group) { .who = GROUP };
FIXTURE_VARIANT_ADD(rights, other) { .who = OTHER };
FIXTURE_VARIANT_ADD(rights, namespace_root) { .who = NS_ROOT };
FIXTURE_VARIANT_ADD(rights, lent_node) { .who = LENT };
FIXTURE_VARIANT_ADD(rights, handle) { .who = HANDLE };
FIXTURE_VARIANT_ADD(rights, dropped) { .who = DROPPED };
FIXTURE_VARIANT_ADD(rights, other_netns) { .who = NETNS };
FIXTURE_VARIANT_ADD(rights, borrowed_node) { .who = BORROWED };

TEST_F(rights, are_those_of_the_table)
{
	int ret = child_end(child_start(try_rows, (void *)&variant->who), 20000);

	if (ret == 77)
		SKIP(return, "no such namespaces here");
	EXPECT_EQ(0, ret);
}

/* ---- nothing is without a row ------------------------------------------- */

static bool has_row(unsigned long nr, bool by_node)
{
	for (const struct row *r = rows; r < rows + ARRAY_LEN(rows); r++) {
		bool node = r->run == run_node_call || r->run == run_attach ||
			    (r->run == run_broadcast && !r->op);

		if (r->nr == nr && node == by_node)
			return true;
	}
	return false;
}

TEST(every_ioctl_has_a_row)
{
	uint32_t nothing[64] = {};
	int node = node_open(O_RDWR), handle, found = 0;

	ASSERT_GE(node, 0);
	handle = attach_fd(node, 1, (struct attach){});
	ASSERT_GE(handle, 0);
	for (unsigned int i = 0; i < 256; i++) {
		unsigned long nr = _IO(OCFABRIC_IOCTL_TYPE, i);

		if (call(node, nr, nothing) != -ENOTTY && ++found)
			EXPECT_TRUE(has_row(nr, true))
				TH_LOG("call %#x of the node", i);
		if (call(handle, nr, nothing) != -ENOTTY && ++found)
			EXPECT_TRUE(has_row(nr, false))
				TH_LOG("call %#x of a handle", i);
	}
	EXPECT_LE(17, found);
	close(handle);
	close(node);
}

static bool is_netlink(const struct row *r)
{
	return r->run == run_do || r->run == run_dump || r->run == run_set;
}

static const struct row *row_of(int cmd)
{
	for (const struct row *r = rows; r < rows + ARRAY_LEN(rows); r++)
		if (is_netlink(r) && r->op == cmd)
			return r;
	return NULL;
}

/* What the kernel says of the family, too: the flag that asks for the capability. */
TEST(every_netlink_operation_has_a_row)
{
	uint32_t flags[256];
	struct nl nl;

	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, nl_operations(&nl, flags));
	for (int cmd = 1; cmd < 256; cmd++) {
		const struct row *r = row_of(cmd);
		char cell[16];

		if (!flags[cmd]) {
			EXPECT_EQ(NULL, r);
			continue;
		}
		ASSERT_NE(NULL, r)
			TH_LOG("command %d has no row", cmd);
		cell_of(r, GROUP, cell, sizeof(cell));
		EXPECT_EQ(!strcmp(cell, "EPERM"), !!(flags[cmd] & GENL_ADMIN_PERM))
			TH_LOG("%s", r->name);
	}
	for (int cmd = 1; cmd <= OCFABRIC_CMD_MAX; cmd++)
		EXPECT_EQ(cmd != OCFABRIC_CMD_EVENT_NTF, !!flags[cmd]);
	nl_close(&nl);
}

TEST_HARNESS_MAIN
