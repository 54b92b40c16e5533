// SPDX-License-Identifier: GPL-2.0-only
/*
 * The card goes away, or is reset, under everything that uses it: each call,
 * mapping and wait ends with it, and it can come back
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "bus.h"
#include "child.h"
#include "netlink.h"
#include "slot.h"
#include "util.h"

#define REGION	0x10000u
#define N	3
#define LIMIT	1000	/* ms that anything takes to end; a busy machine has patience() */

static char node_name[64];

/* Its node may have another number while somebody holds the old one. */
static bool find_node(void)
{
	char path[160];

	for (unsigned int i = 0; i < 64; i++) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/misc/ocfabric%u/dev",
			 bus_address(), i);
		if (access(path, F_OK))
			continue;
		snprintf(node_name, sizeof(node_name), "/dev/ocfabric%u", i);
		if (access(node_name, F_OK))
			return false;
		setenv("OCF_NODE", node_name, 1);
		return true;
	}
	return false;
}

static int unbind(int node)
{
	(void)node;
	return bus_unbind();
}

static int unplug(int node)
{
	(void)node;
	return bus_write("remove", "1");
}

static int rescan(void)
{
	return write_file("/sys/bus/pci/rescan", "1");
}

static int function_reset(int node)
{
	(void)node;
	return bus_write("reset", "1");
}

static int reset_by_ioctl(int node)
{
	return call(node, OCFABRIC_RESET, ARG(ocfabric_reset, .what = OCFABRIC_RESET_DEVICE));
}

static int reset_by_netlink(int node)
{
	struct nl nl;
	int ret = nl_open(&nl);
	(void)node;

	if (ret)
		return ret;
	ret = nl_reset(&nl, OCFABRIC_RESET_TARGET_DEVICE);
	nl_close(&nl);
	return ret;
}

/* Nobody tells the driver: it finds out, within its own time. */
static int pull(int node)
{
	int ret = slot_set_gone(true);

	if (!ret && !WAIT_FOR(call(node, OCFABRIC_INFO, ARG(ocfabric_info)) == -ENODEV,
			      patience(LIMIT)))
		ret = -ETIMEDOUT;
	return ret;
}

/* The slot noticed, and the kernel asks the driver to leave what is not there. */
static int surprise(int node)
{
	int ret = slot_set_gone(true);
	(void)node;

	return ret ? ret : bus_write("remove", "1");
}

static int put_back(void)
{
	int ret;

	if (slot_is_gone())
		bus_write("remove", "1");
	ret = slot_set_gone(false);
	return ret ? ret : rescan();
}

static int wait_reset(struct nl *nl)
{
	uint8_t buffer[8192];
	int ret;

	do {
		ret = nl_event(nl, patience(1000), buffer, sizeof(buffer));
	} while (!ret && nl_value((const void *)buffer, OCFABRIC_A_EVENT_KIND, 0) !=
			 OCFABRIC_EVENT_KIND_DEVICE_RESET);
	return ret;
}

/* In order: the machine asks the guest, and has no card when all of it is done. */
static int hot_unplug(int node)
{
	(void)node;
	return slot_unplug();
}

/* The kernel's recovery of a function that reported an error ends with a reset. */
static int bus_error(const char *line)
{
	const int room = 32 << 20;
	struct nl nl;
	int ret = nl_open(&nl);

	if (ret)
		return ret;
	/* what is told of others' changes meanwhile does not push out what is waited for */
	if (setsockopt(nl.fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		ret = -errno;
	if (!ret)
		ret = nl_listen(&nl);
	if (!ret)
		ret = slot_tell(line);
	if (!ret)
		ret = wait_reset(&nl);
	nl_close(&nl);
	return ret;
}

static int nonfatal_error(int node)
{
	(void)node;
	return bus_error("pcie_aer_inject_error card0 POISON_TLP");
}

static int fatal_error(int node)
{
	(void)node;
	return bus_error("pcie_aer_inject_error card0 MALF_TLP");
}

FIXTURE(removal) {
	int node;
	struct replica r;
	struct nl nl;
	int sv[2];
	long pinned;
};

FIXTURE_VARIANT(removal) {
	int (*take)(int node);
	int (*give)(void);	/* NULL: it is a reset, the node goes on */
	bool outside;		/* it is done by the machine, which has to be asked */
};

FIXTURE_VARIANT_ADD(removal, unbind) { .take = unbind, .give = bus_bind };
FIXTURE_VARIANT_ADD(removal, unplug) { .take = unplug, .give = rescan };
FIXTURE_VARIANT_ADD(removal, pull) { .take = pull, .give = put_back, .outside = true };
FIXTURE_VARIANT_ADD(removal, surprise) { .take = surprise, .give = put_back, .outside = true };
FIXTURE_VARIANT_ADD(removal, hot_unplug) { .take = hot_unplug, .give = slot_plug, .outside = true };
FIXTURE_VARIANT_ADD(removal, nonfatal_error) { .take = nonfatal_error, .outside = true };
FIXTURE_VARIANT_ADD(removal, fatal_error) { .take = fatal_error, .outside = true };
FIXTURE_VARIANT_ADD(removal, function_reset) { .take = function_reset };
FIXTURE_VARIANT_ADD(removal, reset_by_ioctl) { .take = reset_by_ioctl };
FIXTURE_VARIANT_ADD(removal, reset_by_netlink) { .take = reset_by_netlink };

FIXTURE_SETUP(removal)
{
	self->r.fd = -1;
	if (variant->outside && access("/run/qmp", F_OK))
		SKIP(return, "no monitor: start the guest with GUEST_QMP=guest");
	self->pinned = pinned_pages();
	ASSERT_EQ(0, bus_find());
	self->node = node_open(O_RDWR);
	ASSERT_GE(self->node, 0);
	ASSERT_EQ(0, fabric_setup(self->node, N, REGION));
	ASSERT_EQ(0, nl_open(&self->nl));
	ASSERT_EQ(0, socket_pair(self->sv));
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
}

/* A card without configuration is set up, and attached to. */
static bool works(FIXTURE_DATA(removal) *self)
{
	return !fabric_setup(self->node, N, REGION) &&
	       !replica_open(&self->r, self->node, 0, (struct attach){}) &&
	       replica_do(&self->r, ARG_DESC(inline_desc(0, 0, "up", 2)), NULL) ==
		       OCFABRIC_VERDICT_COMMITTED;
}

/* The card is there again, under its own number, and works. */
FIXTURE_TEARDOWN(removal)
{
	replica_close(&self->r);
	close(self->node);
	nl_close(&self->nl);
	if (slot_is_gone()) {
		put_back();
	} else if (slot_is_empty()) {
		slot_plug();
	} else if (!find_node()) {
		bus_bind();
		rescan();
	}
	if (find_node() && node_number()) {
		unbind(-1);
		bus_bind();
	}
	EXPECT_TRUE(WAIT_FOR(find_node(), patience(2000)));
	EXPECT_EQ(0, node_number());
	self->node = node_open(O_RDWR);
	EXPECT_TRUE(works(self));
	replica_close(&self->r);
	close(self->node);
	EXPECT_TRUE(WAIT_FOR(self->pinned == pinned_pages(), patience(1000)));
}

typedef FIXTURE_DATA(removal) fixture;
typedef FIXTURE_VARIANT(removal) way;

/* Takes the card away; how long that took, or -errno. */
static long take(fixture *self, const way *variant)
{
	uint64_t start = now_ms();
	int ret = variant->take(self->node);

	return ret < 0 ? ret : (long)(now_ms() - start);
}

#define TAKE() ({							\
	long took_ = take(self, variant);				\
	ASSERT_LE(0, took_);						\
	if (took_ > LIMIT)						\
		TH_LOG("took %ld ms", took_);				\
	EXPECT_GT(patience(LIMIT), took_); })

static int revents(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1 ? p.revents : 0;
}

TEST_F(removal, handle_is_dead)
{
	static const unsigned long calls[] = {
		OCFABRIC_INFO, OCFABRIC_REPLICA_GET, OCFABRIC_QUEUE_GET, OCFABRIC_QUEUE_RESET,
	};
	uint8_t bytes[16] = {};
	uint32_t key;
	void *map;

	TAKE();
	for (unsigned int i = 0; i < ARRAY_LEN(calls); i++) {
		union {
			uint32_t size;
			struct ocfabric_info info;
			struct ocfabric_replica_get replica_get;
			struct ocfabric_queue_get queue_get;
			struct ocfabric_queue_reset queue_reset;
		} arg = {};

		arg.size = i == 0 ? sizeof(arg.info) : i == 1 ? sizeof(arg.replica_get) :
			   i == 2 ? sizeof(arg.queue_get) : sizeof(arg.queue_reset);
		EXPECT_EQ(-ENODEV, call(self->r.fd, calls[i], &arg))
			TH_LOG("call %u", i);
	}
	EXPECT_EQ(-ENODEV, key_add(self->r.fd, bytes, sizeof(bytes), &key));
	EXPECT_EQ(-ENODEV, buffer_add(self->r.fd, PAGE, &key, &map));
	EXPECT_EQ(-ENODEV, key_del(self->r.fd, 1));
	EXPECT_EQ(-ENODEV, call(self->r.fd, OCFABRIC_EVENTFD, ARG(ocfabric_eventfd, .fd = -1)));
	EXPECT_EQ(-ENODEV, call(self->r.fd, OCFABRIC_MODERATION,
				ARG(ocfabric_moderation, .burst = 1)));
	EXPECT_EQ(-ENODEV, broadcast(self->r.fd, 0, &self->r.fd, 1, 0, NULL));
	EXPECT_EQ(-ENODEV, broadcast(self->node, 0, &self->r.fd, 1, 0, NULL));
	EXPECT_EQ(-1, pread(self->r.fd, bytes, sizeof(bytes), 0));
	EXPECT_EQ(ENODEV, errno);
	EXPECT_EQ(-1, pwrite(self->r.fd, bytes, sizeof(bytes), 0));
	EXPECT_EQ(ENODEV, errno);
	EXPECT_EQ(POLLERR | POLLHUP, revents(self->r.fd, 0) & (POLLERR | POLLHUP));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, self->r.fd,
				   self->r.get.out_map_tx.offset));
	EXPECT_EQ(ENODEV, errno);
}

TEST_F(removal, mappings_are_dead)
{
	uint32_t key;
	void *buffer;

	ASSERT_EQ(0, buffer_add(self->r.fd, PAGE, &key, &buffer));
	ASSERT_EQ(0, touch_write(buffer));
	ASSERT_EQ(0, touch_write(self->r.region));
	ASSERT_EQ(0, touch_write(self->r.tx));
	TAKE();
	EXPECT_EQ(SIGBUS, touch_write(self->r.tx));
	EXPECT_EQ(SIGBUS, touch_read(self->r.cq));
	EXPECT_EQ(SIGBUS, touch_write(self->r.owner));
	EXPECT_EQ(SIGBUS, touch_write(self->r.doorbell));
	EXPECT_EQ(SIGBUS, touch_write(self->r.rx));
	EXPECT_EQ(SIGBUS, touch_write(self->r.rx_doorbell));
	EXPECT_EQ(SIGBUS, touch_read(self->r.semaphores));
	EXPECT_EQ(SIGBUS, touch_read(self->r.region));
	EXPECT_EQ(SIGBUS, touch_read(buffer));
	/* pages that nobody touched before */
	EXPECT_EQ(SIGBUS, touch_read((uint8_t *)self->r.tx + 15 * PAGE));
	EXPECT_EQ(SIGBUS, touch_read(self->r.region + 15 * PAGE));
}

TEST_F(removal, node_is_dead_or_goes_on)
{
	int gone = variant->give ? -ENODEV : 0;

	TAKE();
	EXPECT_EQ(gone, call(self->node, OCFABRIC_INFO, ARG(ocfabric_info)));
	EXPECT_EQ(gone, CHANGE(self->node, step(OCFABRIC_CHANGE_LATENCY, 0)));
	EXPECT_EQ(gone, call(self->node, OCFABRIC_RESET,
			     ARG(ocfabric_reset, .what = OCFABRIC_RESET_COUNTERS)));
	/* until it is removed it is one of those that there are */
	EXPECT_EQ(variant->take == pull ? 0 : gone,
		  nl_simple(&self->nl, OCFABRIC_CMD_DEVICE_GET, 0, NULL));
	if (gone)
		EXPECT_EQ(-ENODEV, attach_fd(self->node, 1, (struct attach){}));
}

/* What a card that is found anew has: nothing. */
static bool config_is_empty(int node)
{
	struct ocfabric_config_get get = NEW(ocfabric_config_get);

	return !call(node, OCFABRIC_CONFIG_GET, &get) && !get.out_replicas &&
	       !get.out_latency && !get.window_count;
}

/*
 * A reset gives back the configuration and nothing that was in the HBM; a card
 * that went and came again has no configuration.
 */
TEST_F(removal, reset_keeps_the_configuration)
{
	static struct config before, after;
	struct counters c;
	int node;

	if (variant->give) {
		TAKE();
		variant->give();
		ASSERT_TRUE(WAIT_FOR(find_node(), patience(2000)));
		node = node_open(O_RDWR);
		EXPECT_TRUE(config_is_empty(node));
		close(node);
		return;
	}
	memset(self->r.region, 0x5a, REGION);
	ASSERT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_LATENCY, 3),
			    step_connection(2, 99, 0)));
	ASSERT_EQ(0, config_read(self->node, &before));
	TAKE();
	ASSERT_EQ(0, config_read(self->node, &after));
	after.get.out_generation = before.get.out_generation;
	EXPECT_TRUE(config_equal(&before, &after));
	replica_close(&self->r);
	ASSERT_EQ(0, replica_open(&self->r, self->node, 0, (struct attach){}));
	for (unsigned int i = 0; i < REGION; i++) {
		ASSERT_EQ(0, self->r.region[i]);
	}
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  replica_do(&self->r, ARG_DESC(inline_desc(0, 0, "on", 2)), NULL));
	ASSERT_EQ(0, counters_read(self->node, &c));
	EXPECT_EQ(1, c.link[0][OCFABRIC_COUNTER_WRITES]);
}

/* Children that use the card in their way until it is gone; 0: ended well. */
struct user {
	fixture *self;
	int socket;
};

static int waiter(void *arg)
{
	struct user *u = arg;
	struct pollfd p = { .fd = u->self->r.fd };	/* errors come unasked */

	if (say(u->socket))
		return 1;
	if (poll(&p, 1, patience(10000)) != 1)
		return 2;
	return (p.revents & (POLLERR | POLLHUP)) == (POLLERR | POLLHUP) ? 0 : 3;
}

TEST_F(removal, waits_end)
{
	struct user u = { self, self->sv[1] };
	pid_t pid = child_start(waiter, &u);

	ASSERT_EQ(0, hear(self->sv[0], 5000));
	TAKE();
	EXPECT_EQ(0, child_end(pid, LIMIT));
}

/* Sleeps for a semaphore, behind a queue that waits for another. */
static int semaphore_waiter(void *arg)
{
	struct user *u = arg;
	struct pollfd p = { .fd = u->self->r.fd, .events = POLLIN };
	struct ocfabric_queue_get q;
	struct replica r;

	if (replica_map(&r, u->self->r.fd))
		return 1;
	replica_post(&r, ARG_DESC(wait_desc(1, 1)));
	replica_ring(&r);
	r.owner->sem_target = 1;
	__atomic_store_n(&r.owner->sem_arm, OCFABRIC_SEM_ARMED | 2, __ATOMIC_SEQ_CST);
	if (!WAIT_FOR(!queue_get(&r, &q) && q.out_waiting, patience(1000)) || say(u->socket))
		return 2;
	if (poll(&p, 1, patience(10000)) != 1)
		return 3;
	return (p.revents & (POLLERR | POLLHUP)) == (POLLERR | POLLHUP) ? 0 : 4;
}

TEST_F(removal, semaphore_waits_end)
{
	struct user u = { self, self->sv[1] };
	pid_t pid = child_start(semaphore_waiter, &u);

	ASSERT_EQ(0, hear(self->sv[0], 5000));
	TAKE();
	EXPECT_EQ(0, child_end(pid, LIMIT));
}

/* What the last owner's semaphores were, and how he was told, is not kept. */
TEST_F(removal, semaphores_are_forgotten)
{
	struct ocfabric_queue_get q;
	int node;

	ASSERT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  replica_do(&self->r, ARG_DESC(sem_local_desc(5, 77)), NULL));
	ASSERT_EQ(77, sem_value(&self->r, 5));
	ASSERT_EQ(0, call(self->r.fd, OCFABRIC_MODERATION,
			  ARG(ocfabric_moderation, .burst = 3, .timer = 3)));
	TAKE();
	replica_close(&self->r);
	if (variant->give)
		variant->give();
	ASSERT_TRUE(WAIT_FOR(find_node(), patience(2000)));
	node = node_open(O_RDWR);
	ASSERT_EQ(0, replica_open(&self->r, node, 0, (struct attach){}));
	EXPECT_EQ(0, sem_value(&self->r, 5));
	ASSERT_EQ(0, queue_get(&self->r, &q));
	EXPECT_EQ(OCFABRIC_MODERATION_BURST, q.out_burst);
	EXPECT_EQ(OCFABRIC_MODERATION_TIMER, q.out_timer);
	close(node);
}

/* Rings until the handle is dead. */
static int ringer(void *arg)
{
	struct user *u = arg;
	int ret = say(u->socket);

	while (!ret) {
		ret = broadcast(u->self->r.fd, OCFABRIC_BROADCAST_RECEIVE, &u->self->r.fd, 1, 0,
				NULL);
		/* others may have stopped the queue; the card may go in between */
		if (ret == -EPIPE || ret == -EIO)
			ret = 0;
	}
	return ret == -ENODEV ? 0 : 2;
}

TEST_F(removal, broadcasts_end)
{
	struct user u = { self, self->sv[1] };
	pid_t pid = child_start(ringer, &u);

	ASSERT_EQ(0, hear(self->sv[0], 5000));
	TAKE();
	EXPECT_EQ(0, child_end(pid, LIMIT));
}

static void on_bus(int signal)
{
	(void)signal;
	_exit(0);
}

/* Posts by mapping alone, no system call: only SIGBUS can end it. */
static int poster(void *arg)
{
	struct user *u = arg;
	struct ocfabric_cqe e;
	struct replica r;
	void *from;
	uint32_t key;

	signal(SIGBUS, on_bus);
	if (replica_map(&r, u->self->r.fd) || source_add(r.fd, 4 * PAGE, &key, &from) ||
	    say(u->socket))
		return 1;
	for (;;) {
		struct ocfabric_desc d = write_desc(0, 0, 4 * PAGE, key, 0);

		for (int i = 0; i < 16; i++)
			replica_post(&r, &d);
		replica_ring(&r);
		while (replica_poll(&r, &e))
			;
	}
}

TEST_F(removal, posting_ends)
{
	struct user u = { self, self->sv[1] };
	pid_t pid = child_start(poster, &u);

	ASSERT_EQ(0, hear(self->sv[0], 5000));
	TAKE();
	EXPECT_EQ(0, child_end(pid, LIMIT));
}

/* Its call drains behind a write that takes longer than any wait. */
static int drainer(void *arg)
{
	struct user *u = arg;
	int ret;

	if (say(u->socket))
		return 1;
	ret = CHANGE(u->self->node, step(OCFABRIC_CHANGE_LATENCY, 0));
	return ret == -ENODEV ? 0 : ret == -ETIMEDOUT ? 3 : ret ? 2 : 4;
}

TEST_F(removal, drains_end)
{
	struct user u = { self, self->sv[1] };
	pid_t pid;
	int ret;

	ASSERT_EQ(0, CHANGE(self->node, step(OCFABRIC_CHANGE_LATENCY, UINT32_MAX)));
	replica_post(&self->r, ARG_DESC(inline_desc(0, 0, "stuck", 5)));
	replica_ring(&self->r);
	pid = child_start(drainer, &u);
	ASSERT_EQ(0, hear(self->sv[0], 5000));
	TAKE();
	ret = child_end(pid, LIMIT);
	/* it may have given up by itself, or come after a reset, if the two met late */
	EXPECT_TRUE(ret == 0 || ret == 3 || (ret == 4 && !variant->give))
		TH_LOG("ended with %d", ret);
}

/* Keys and buffers come and go while the card does. */
static int keeper(void *arg)
{
	struct user *u = arg;
	static uint8_t from[64 * PAGE];
	int ret = say(u->socket);

	while (!ret) {
		uint32_t key;
		void *map;

		ret = key_add(u->self->r.fd, from, sizeof(from), &key);
		if (!ret)
			ret = key_del(u->self->r.fd, key);
		/* swiotlb=force */
		if (!ret || ret == -EOPNOTSUPP)
			ret = buffer_add(u->self->r.fd, 16 * PAGE, &key, &map);
		if (!ret) {
			munmap(map, 16 * PAGE);
			ret = key_del(u->self->r.fd, key);
		}
	}
	return ret == -ENODEV ? 0 : 2;
}

TEST_F(removal, key_calls_end)
{
	struct user u = { self, self->sv[1] };
	pid_t pid = child_start(keeper, &u);

	ASSERT_EQ(0, hear(self->sv[0], 5000));
	TAKE();
	EXPECT_EQ(0, child_end(pid, LIMIT));
}

/*
 * A replay in the midst of a write that takes 17 s, and then another. Its time limit is
 * not what ends it.
 */
#define REPLAY	"/run/removal.scn"
#define SAID	"/run/removal.err"

static int replayer(void *arg)
{
	(void)arg;
	if (!freopen("/dev/null", "w", stdout) || !freopen(SAID, "w", stderr))
		return 120;
	execlp("fabricctl", "fabricctl", "--timeout", "300", "replay", REPLAY, NULL);
	return 121;
}

static bool replay_is_at_it(int node)
{
	struct ocfabric_config_get get = NEW(ocfabric_config_get);

	return !call(node, OCFABRIC_CONFIG_GET, &get) && get.out_latency == UINT32_MAX;
}

static bool write_scenario(void)
{
	FILE *f = fopen(REPLAY, "w");

	if (!f)
		return false;
	fputs("ocfabric-scenario 1\nn 2\n"
	      "region 0 base 0 size 0x10000\nregion 1 base 0x10000 size 0x10000\n"
	      "latency 0xffffffff\nconn default\nwindow 0 1 0 0x1000\n"
	      "write 0 0 0 4 const:1\nwrite 0 0 0 4 const:2\n", f);
	return !fclose(f);
}

TEST_F(removal, replays_end)
{
	char said[256] = "";
	pid_t pid;
	int ret;

	/* where the tool takes seconds to start: without reset, and with one */
	if (is_debug_kernel() && variant->take != unbind && variant->take != function_reset)
		return;
	ASSERT_TRUE(write_scenario());
	replica_close(&self->r);
	pid = child_start(replayer, NULL);
	EXPECT_TRUE(WAIT_FOR(replay_is_at_it(self->node), patience(10000)));
	TAKE();
	ret = child_end(pid, LIMIT);
	read_line(SAID, said, sizeof(said));
	/* no such thing, and a reason: neither a signal nor its time limit */
	EXPECT_EQ(3, ret)
		TH_LOG("ended with %d: %s", ret, said);
}

/* From before the card goes until after, in most rounds */
static uint64_t some_time(void)
{
	return now_ms() + (is_debug_kernel() ? 1500 : 400);
}

/* Attaching in a loop */
static int attacher(void *arg)
{
	struct user *u = arg;
	uint64_t end = some_time();
	int ret = say(u->socket);

	while (now_ms() < end && !ret) {
		int fd = attach_fd(u->self->node, 2, (struct attach){});

		if (fd >= 0)
			close(fd);
		else if (fd != -ENODEV && fd != -EBUSY)
			ret = fd;
	}
	return ret ? 2 : 0;
}

static int dumper(void *arg)
{
	static const uint8_t cmds[] = { OCFABRIC_CMD_REGION_GET, OCFABRIC_CMD_CONNECTION_GET,
					OCFABRIC_CMD_WINDOW_GET, OCFABRIC_CMD_COUNTERS_GET,
					OCFABRIC_CMD_REPLICA_GET, OCFABRIC_CMD_REJECT_GET,
					OCFABRIC_CMD_SEMAPHORE_GET };
	struct user *u = arg;
	uint64_t end = some_time();
	struct nl nl, deaf;

	/* one that listens and never reads, one that dumps */
	if (nl_open(&deaf) || nl_listen(&deaf) || nl_open(&nl) || say(u->socket))
		return 1;
	for (unsigned int i = 0; now_ms() < end; i++) {
		int ret = nl_simple(&nl, cmds[i % ARRAY_LEN(cmds)], NLM_F_DUMP, NULL);

		if (ret && ret != -ENODEV)
			return 2;
	}
	return 0;
}

/* Reads what is told, and dumps nothing. */
static int monitor(void *arg)
{
	struct user *u = arg;
	uint64_t end = some_time();
	uint8_t buffer[8192];
	struct nl nl;

	if (nl_open(&nl) || nl_listen(&nl) || say(u->socket))
		return 1;
	while (now_ms() < end) {
		int ret = nl_event(&nl, 1, buffer, sizeof(buffer));

		if (ret && ret != -ETIMEDOUT && ret != -ENOBUFS)
			return 2;
	}
	return 0;
}

/* Changes the configuration and a queue pair; a reset in between is no reason to stop. */
static int changer(void *arg)
{
	const struct nl_u32 timeout = { OCFABRIC_A_QP_TIMEOUT, 7 };
	struct user *u = arg;
	uint64_t end = some_time();
	struct nl nl;

	if (nl_open(&nl) || say(u->socket))
		return 1;
	for (unsigned int i = 0; now_ms() < end; i++) {
		int ret = CHANGE(u->self->node, step(OCFABRIC_CHANGE_LATENCY, i % 2));

		if (ret && ret != -ENODEV)
			return 2;
		ret = nl_qp_set(&nl, 1, 0, &timeout, 1, NULL);
		if (ret == -ETIMEDOUT)
			return 3;
	}
	return 0;
}

static int opener(void *arg)
{
	struct user *u = arg;
	uint64_t end = some_time();

	if (say(u->socket))
		return 1;
	while (now_ms() < end) {
		int node = node_open(O_RDWR);

		if (node < 0)
			continue;
		call(node, OCFABRIC_INFO, ARG(ocfabric_info));
		close(node);
	}
	return 0;
}

/* All of them at once, round after round */
static int (*const users[])(void *) = { waiter, poster, keeper, attacher, dumper, dumper, ringer,
					monitor, changer, opener };

/* OCF_REMOVAL_ROUNDS of them where there is time: `make soak` */
static int rounds(void)
{
	const char *asked = getenv("OCF_REMOVAL_ROUNDS");

	return asked ? atoi(asked) : is_debug_kernel() ? 1 : 8;
}

static void come_back(fixture *self, const way *variant)
{
	replica_close(&self->r);
	close(self->node);
	if (variant->give)
		variant->give();
	WAIT_FOR(find_node(), patience(2000));
	self->node = node_open(O_RDWR);
}

TEST_F(removal, under_load_again_and_again)
{
	for (int round = 0; round < rounds(); round++) {
		struct user u = { self, self->sv[1] };
		pid_t pid[ARRAY_LEN(users)];

		for (unsigned int i = 0; i < ARRAY_LEN(users); i++) {
			pid[i] = child_start(users[i], &u);
			ASSERT_EQ(0, hear(self->sv[0], 5000));
		}
		TAKE();
		for (unsigned int i = 0; i < ARRAY_LEN(users); i++) {
			EXPECT_EQ(0, child_end(pid[i], 2 * LIMIT))
				TH_LOG("round %d, user %u", round, i);
		}
		come_back(self, variant);
		ASSERT_TRUE(works(self));
	}
}

/* Who listens hears of it. */
TEST_F(removal, is_an_event)
{
	uint8_t buffer[8192];
	unsigned int seen = 0, want;

	want = variant->give ? 1u << OCFABRIC_EVENT_KIND_REMOVED | 1u << OCFABRIC_EVENT_KIND_ADDED :
		1u << OCFABRIC_EVENT_KIND_DEVICE_RESET;
	ASSERT_EQ(0, nl_listen(&self->nl));
	TAKE();
	come_back(self, variant);
	while ((seen & want) != want &&
	       !nl_event(&self->nl, patience(1000), buffer, sizeof(buffer)))
		seen |= 1u << nl_value((const void *)buffer, OCFABRIC_A_EVENT_KIND, 0);
	EXPECT_EQ(want, seen & want);
}

/*
 * The module
 */
static int unload(void)
{
	return syscall(SYS_delete_module, "ocfabric", O_NONBLOCK) ? -errno : 0;
}

static int load(void)
{
	const char *path = getenv("OCF_MODULE");
	char text[256];
	struct utsname u;
	int fd, ret;

	uname(&u);
	snprintf(text, sizeof(text), "build/driver/%s/ocfabric.ko", u.release);
	fd = open(path ? path : text, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return ret;
}

FIXTURE(module) {
	char none;
};

FIXTURE_SETUP(module)
{
	ASSERT_EQ(0, bus_find());
}

/* Even a test that was killed leaves it loaded, for those after it. */
FIXTURE_TEARDOWN_PARENT(module)
{
	if (access(node_path(), F_OK))
		EXPECT_EQ(0, load());
}

TEST_F(module, stays_while_it_is_used)
{
	struct replica r;
	int node = node_open(O_RDWR);

	ASSERT_GE(node, 0);
	EXPECT_EQ(-EAGAIN, unload());
	ASSERT_EQ(0, fabric_setup(node, N, REGION));
	ASSERT_EQ(0, replica_open(&r, node, 0, (struct attach){}));
	ASSERT_EQ(0, close(node));
	EXPECT_EQ(-EAGAIN, unload());
	/* a mapping alone holds it too */
	ASSERT_EQ(0, close(r.fd));
	EXPECT_EQ(-EAGAIN, unload());
	EXPECT_EQ(OCFABRIC_VERDICT_COMMITTED,
		  replica_do(&r, ARG_DESC(inline_desc(0, 0, "held", 4)), NULL));
}

/* Whoever has it open goes on; once the card was taken from them, it can go. */
TEST_F(module, is_refused_under_load)
{
	static fixture f;
	struct user u = { .self = &f };
	pid_t pid[ARRAY_LEN(users)];
	int sv[2];

	ASSERT_EQ(0, socket_pair(sv));
	u.socket = sv[1];
	f.node = node_open(O_RDWR);
	ASSERT_TRUE(works(&f));
	for (unsigned int i = 0; i < ARRAY_LEN(users); i++) {
		pid[i] = child_start(users[i], &u);
		ASSERT_EQ(0, hear(sv[0], 5000));
		EXPECT_EQ(-EAGAIN, unload());
	}
	ASSERT_EQ(0, bus_unbind());
	EXPECT_EQ(-EAGAIN, unload());
	for (unsigned int i = 0; i < ARRAY_LEN(users); i++) {
		EXPECT_EQ(0, child_end(pid[i], 2 * LIMIT))
			TH_LOG("user %u", i);
	}
	replica_close(&f.r);
	close(f.node);
	ASSERT_TRUE(WAIT_FOR(!unload(), patience(2000)));
	ASSERT_EQ(0, load());
	ASSERT_TRUE(WAIT_FOR(find_node(), patience(2000)));
	f.node = node_open(O_RDWR);
	EXPECT_TRUE(works(&f));
}

static int listen_all_along(void *arg)
{
	int socket = *(int *)arg;
	uint8_t buffer[8192];
	uint64_t end = now_ms() + 3000;
	struct nl nl;

	if (nl_open(&nl) || nl_listen(&nl) || say(socket))
		return 1;
	while (now_ms() < end) {
		struct nl again;

		nl_event(&nl, 1, buffer, sizeof(buffer));
		if (nl_open(&again))
			continue;
		nl_simple(&again, OCFABRIC_CMD_COUNTERS_GET, NLM_F_DUMP, NULL);
		nl_close(&again);
	}
	return 0;
}

TEST_F(module, comes_and_goes_under_listeners)
{
	struct nl nl;
	pid_t pid;
	int sv[2];

	ASSERT_EQ(0, socket_pair(sv));
	pid = child_start(listen_all_along, &sv[1]);
	ASSERT_EQ(0, hear(sv[0], 3000));
	for (int i = 0; i < (is_debug_kernel() ? 6 : 20); i++) {
		/* a dump in progress holds it for its moment */
		ASSERT_TRUE(WAIT_FOR(!unload(), patience(2000)));
		EXPECT_GT(0, node_open(O_RDWR));
		EXPECT_EQ(-ENOENT, nl_open(&nl));
		ASSERT_EQ(0, load());
		ASSERT_TRUE(WAIT_FOR(find_node(), patience(2000)));
	}
	EXPECT_EQ(0, child_end(pid, 10000));
}

TEST_HARNESS_MAIN
