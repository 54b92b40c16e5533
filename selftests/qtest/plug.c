// SPDX-License-Identifier: GPL-2.0-only
/*
 * A card that is unplugged is finalized, with all that it had. Its machine has no
 * guest: nothing else happens afterwards that could have let go of something.
 */
#include <stdio.h>
#include <string.h>

#include "qtest.h"
#include "tap.h"

#define ROUNDS 20

/* ACPI's hot-plug of PCI, as the ICH9 has it: choose a bus, eject slots of it */
#define EJECT_SLOTS 0x0cc8
#define CHOOSE_BUS 0x0cd0
#define BUSES 4

static struct qtest *start(const char *card)
{
	const char *args[] = {
		"-machine", "q35,accel=qtest",
		"-object", "memory-backend-ram,id=memory,size=1M",
		"-device", "pcie-root-port,id=rp0,bus=pcie.0,chassis=1,slot=1",
		"-device", card, NULL,
	};

	return qtest_start(args);
}

static void good(struct qtest *q, const char *command)
{
	const char *answer = qtest_qmp(q, command);

	CHECK(answer[2] == 'r', "%s: %s", command, answer);
}

static bool is_there(struct qtest *q)
{
	return strstr(qtest_qmp(q, "{\"execute\":\"qom-list\",\"arguments\":{\"path\":"
				"\"/machine/peripheral\"}}"), "child<ocfabric>");
}

/* The memory of its HBM has a name, and is there as long as the card is. */
static bool has_memory(struct qtest *q)
{
	return strstr(qtest_qmp(q, "{\"execute\":\"human-monitor-command\",\"arguments\":"
				"{\"command-line\":\"info ramblock\"}}"), "ocfabric-hbm");
}

/* The guest's part in it: it is asked, and lets the slot go. */
static void unplug(struct qtest *q)
{
	uint64_t start_ms = qtest_now_ms();
	uint32_t bus;

	good(q, "{\"execute\":\"device_del\",\"arguments\":{\"id\":\"card\"}}");
	for (bus = 0; bus < BUSES; bus++) {
		qtest_outl(q, CHOOSE_BUS, bus);
		qtest_outl(q, EJECT_SLOTS, 1);
	}
	CHECK(!is_there(q), "it was not ejected");
	while (has_memory(q) && !qtest_late(start_ms))
		qtest_yield();
	CHECK(!has_memory(q), "something holds the card");
}

static void again_and_again(void)
{
	struct qtest *q = start("ocfabric,id=card,bus=rp0,hbm=1M");
	int failed = tap_failures;
	unsigned int i;

	CHECK(has_memory(q));
	for (i = 0; i < ROUNDS && tap_failures == failed; i++) {
		unplug(q);
		/* QEMU would end itself if the one before were still there */
		if (tap_failures == failed)
			good(q, "{\"execute\":\"device_add\",\"arguments\":{\"driver\":"
			     "\"ocfabric\",\"id\":\"card\",\"bus\":\"rp0\",\"hbm\":1048576}}");
	}
	CHECK(is_there(q) && has_memory(q));
	qtest_end(q);
}

/* Memory of somebody else can be used by the next card, and be taken away. */
static void lends_its_memory(void)
{
	static const char *const add = "{\"execute\":\"device_add\",\"arguments\":{\"driver\":"
		"\"ocfabric\",\"id\":\"card\",\"bus\":\"rp0\",\"memdev\":\"memory\"}}";
	static const char *const del =
		"{\"execute\":\"object-del\",\"arguments\":{\"id\":\"memory\"}}";
	struct qtest *q = start("ocfabric,id=card,bus=rp0,memdev=memory");
	const char *answer = qtest_qmp(q, del);

	CHECK(answer[2] == 'e', "it is in use: %s", answer);
	unplug(q);
	good(q, add);
	unplug(q);
	good(q, del);
	qtest_end(q);
}

/* One that was pulled out before anybody was asked. */
static void is_gone(void)
{
	struct qtest *q = start("ocfabric,id=card,bus=rp0,hbm=1M");

	good(q, "{\"execute\":\"qom-set\",\"arguments\":{\"path\":\"/machine/peripheral/card\","
	     "\"property\":\"gone\",\"value\":true}}");
	unplug(q);
	/* a state without it can be saved again */
	good(q, "{\"execute\":\"migrate\",\"arguments\":{\"uri\":\"exec:cat >/dev/null\"}}");
	qtest_end(q);
}

/* A card that is refused leaves nothing either, and the next one comes. */
static void is_refused(void)
{
	struct qtest *q = start("ocfabric,id=card,bus=rp0,hbm=1M");
	const char *answer;

	unplug(q);
	answer = qtest_qmp(q, "{\"execute\":\"device_add\",\"arguments\":{\"driver\":"
			   "\"ocfabric\",\"bus\":\"rp0\",\"hbm\":1000}}");
	CHECK(answer[2] == 'e', "%s", answer);
	CHECK(!has_memory(q));
	good(q, "{\"execute\":\"device_add\",\"arguments\":{\"driver\":\"ocfabric\","
	     "\"id\":\"card\",\"bus\":\"rp0\",\"hbm\":1048576}}");
	CHECK(is_there(q));
	qtest_end(q);
}

static const struct tap_test tests[] = {
	{ "unplugged, and another one plugged in, again and again", again_and_again },
	{ "unplugged from memory of somebody else", lends_its_memory },
	{ "unplugged after it was gone", is_gone },
	{ "a card that is refused leaves nothing", is_refused },
};

TAP_MAIN(tests)
