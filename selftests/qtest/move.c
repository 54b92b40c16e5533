// SPDX-License-Identifier: GPL-2.0-only
#include "move.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char file[64];

void move_begin(void)
{
	qtest_file(file, sizeof(file), "migrate");
}

const char *move_file(void)
{
	return file;
}

void move_end(void)
{
	unlink(file);
}

void move_wait(struct card *c)
{
	uint64_t start = qtest_now_ms();
	const char *answer;

	do {
		answer = qtest_qmp(c->q, "{\"execute\":\"query-migrate\"}");
		if (strstr(answer, "\"failed\"") || qtest_late(start))
			qtest_die("migration: %.200s", answer);
		qtest_yield();
	} while (!strstr(answer, "\"status\": \"completed\""));
}

void move_save(struct card *c)
{
	const char *answer;
	char cmd[256];

	snprintf(cmd, sizeof(cmd), "{\"execute\":\"migrate\",\"arguments\":"
		 "{\"uri\":\"file:%s\"}}", file);
	answer = qtest_qmp(c->q, cmd);
	CHECK(answer[2] == 'r', "%s", answer);
	move_wait(c);
}

struct card *move_load(const struct card *from)
{
	const char *said;
	struct card *c = move_try(from->options, &said);

	if (said)
		qtest_die("what was saved is not loaded: %.200s", said);
	memcpy(c->posted, from->posted, sizeof(c->posted));
	memcpy(c->taken, from->taken, sizeof(c->taken));
	memcpy(c->armed, from->armed, sizeof(c->armed));
	memcpy(c->ring_shift, from->ring_shift, sizeof(c->ring_shift));
	return c;
}

struct card *move_try(const char *options, const char **said)
{
	static const char *const more[] = { "-incoming", "defer", NULL };
	struct card *c = card_start_bare(options, more);
	uint64_t start = qtest_now_ms();
	const char *answer;
	char cmd[256];

	snprintf(cmd, sizeof(cmd), "{\"execute\":\"migrate-incoming\","
		 "\"arguments\":{\"uri\":\"file:%s\",\"exit-on-error\":false}}",
		 file);
	qtest_qmp(c->q, cmd);
	do {
		answer = qtest_qmp(c->q, "{\"execute\":\"query-migrate\"}");
		if (qtest_late(start))
			qtest_die("neither loaded nor refused: %.200s", answer);
		qtest_yield();
	} while (!strstr(answer, "\"status\": \"failed\"") &&
		 !strstr(answer, "\"status\": \"completed\""));
	*said = strstr(answer, "\"failed\"") ? answer : NULL;
	return c;
}
