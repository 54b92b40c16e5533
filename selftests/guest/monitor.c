// SPDX-License-Identifier: GPL-2.0-only
/* The guest talks to its own QEMU: lib/qmp.c, which other tests rely on */
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "qmp.h"
#include "util.h"

FIXTURE(monitor) {
	struct qmp q;
};

FIXTURE_SETUP(monitor)
{
	int ret = qmp_open(&self->q);

	if (ret == -ENOENT)
		SKIP(return, "no monitor: start the guest with GUEST_QMP=guest");
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(monitor)
{
	qmp_close(&self->q);
}

TEST_F(monitor, card_has_properties)
{
	char value[64], small[2];

	ASSERT_EQ(0, qmp_get(&self->q, "type", value, sizeof(value)));
	EXPECT_STREQ("\"ocfabric\"", value);
	EXPECT_EQ(-EMSGSIZE, qmp_get(&self->q, "type", small, sizeof(small)));
	EXPECT_EQ(-EPROTO, qmp_get(&self->q, "no-such-property", value, sizeof(value)));
	EXPECT_EQ(-EPROTO, qmp_set(&self->q, "no-such-property", "true"));
	EXPECT_EQ(-EPROTO, qmp_command(&self->q, "no-such-command", NULL, NULL, 0));
	/* and after all that was refused, the answers are still those to the questions */
	EXPECT_EQ(0, qmp_get(&self->q, "type", value, sizeof(value)));
	EXPECT_STREQ("\"ocfabric\"", value);
}

TEST_F(monitor, lines_for_people)
{
	char text[4096];

	ASSERT_EQ(0, qmp_line(&self->q, "info name", text, sizeof(text)));
	ASSERT_EQ(0, qmp_line(&self->q, "info status", text, sizeof(text)));
	EXPECT_STREQ("VM status: running\r\n", text);
}

/* What was said to a program that did not stay to hear it does not reach the next. */
TEST_F(monitor, answers_to_others_are_passed_over)
{
	static const char question[] = "{\"execute\": \"query-status\"}\n"
				       "{\"execute\": \"query-status\", \"id\": \"1.1\"}\n";
	char value[64];

	ASSERT_EQ(sizeof(question) - 1,
		  write(self->q.fd, question, sizeof(question) - 1));
	ASSERT_EQ(0, qmp_get(&self->q, "type", value, sizeof(value)));
	EXPECT_STREQ("\"ocfabric\"", value);
	ASSERT_EQ(sizeof(question) - 1,
		  write(self->q.fd, question, sizeof(question) - 1));
	qmp_close(&self->q);
	ASSERT_EQ(0, qmp_open(&self->q));
	ASSERT_EQ(0, qmp_get(&self->q, "type", value, sizeof(value)));
	EXPECT_STREQ("\"ocfabric\"", value);
}

/* Also those that come while an answer is waited for; who stops it cannot ask it to go on. */
TEST_F(monitor, events_are_waited_for)
{
	static const char pause[] = "{\"execute\": \"stop\"}\n{\"execute\": \"cont\"}\n";
	char value[64];

	ASSERT_EQ(sizeof(pause) - 1, write(self->q.fd, pause, sizeof(pause) - 1));
	EXPECT_EQ(0, qmp_wait(&self->q, "RESUME", NULL, 1000));
	ASSERT_EQ(sizeof(pause) - 1, write(self->q.fd, pause, sizeof(pause) - 1));
	ASSERT_EQ(0, qmp_get(&self->q, "type", value, sizeof(value)));
	EXPECT_EQ(0, qmp_wait(&self->q, "RESUME", "\"timestamp\"", 1000));
	EXPECT_EQ(0, qmp_wait(&self->q, "STOP", NULL, 1000));
}

TEST_HARNESS_MAIN
