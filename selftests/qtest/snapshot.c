// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

const char *snapshot_file(void)
{
	return path;
}

void snapshot_qmp(struct card *c, const char *fmt, ...)
{
	const char *answer;
	char cmd[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	answer = qtest_qmp(c->q, cmd);
	if (strncmp(answer, "{\"return\"", 9))
		qtest_die("%.200s: %.200s", cmd, answer);
}

/* An empty disk, which has room for states only. */
static void format(struct card *c)
{
	uint64_t start = qtest_now_ms();
	const char *answer;

	snapshot_qmp(c, "{\"execute\":\"blockdev-create\",\"arguments\":{\"job-id\":"
		     "\"make\",\"options\":{\"driver\":\"qcow2\",\"file\":\"file\","
		     "\"size\":65536}}}");
	do {
		answer = qtest_qmp(c->q, "{\"execute\":\"query-jobs\"}");
		if (qtest_late(start) || strstr(answer, "\"error\""))
			qtest_die("no disk: %.200s", answer);
		qtest_yield();
	} while (!strstr(answer, "\"concluded\""));
	snapshot_qmp(c, "{\"execute\":\"job-dismiss\",\"arguments\":{\"id\":\"make\"}}");
}

static void attach(struct card *c, bool empty)
{
	snapshot_qmp(c, "{\"execute\":\"blockdev-add\",\"arguments\":{\"driver\":"
		     "\"file\",\"node-name\":\"file\",\"filename\":\"%s\","
		     "\"cache\":{\"no-flush\":true}}}", path);
	if (empty)
		format(c);
	snapshot_qmp(c, "{\"execute\":\"blockdev-add\",\"arguments\":{\"driver\":"
		     "\"qcow2\",\"node-name\":\"states\",\"file\":\"file\","
		     "\"cache\":{\"no-flush\":true}}}");
}

struct card *snapshot_start(const char *options)
{
	struct card *c = card_start(options);

	qtest_file(path, sizeof(path), "states");
	attach(c, true);
	return c;
}

struct card *snapshot_restart(struct card *c)
{
	struct card *to;

	qtest_end(c->q);
	to = card_start_bare(c->options, NULL);
	c->q = to->q;
	*to = *c;
	free(c);
	attach(to, false);
	return to;
}

void snapshot_end(struct card *c)
{
	card_end(c);
	unlink(path);
}

/* What the monitor for people says: nothing, when it is content. */
static const char *monitor(struct card *c, const char *command, const char *name)
{
	const char *answer, *said;
	char cmd[160];

	snprintf(cmd, sizeof(cmd), "{\"execute\":\"human-monitor-command\","
		 "\"arguments\":{\"command-line\":\"%s %s\"}}", command, name);
	answer = qtest_qmp(c->q, cmd);
	said = strstr(answer, "{\"return\": \"");
	if (!said)
		qtest_die("%s %s: %.200s", command, name, answer);
	said += strlen("{\"return\": \"");
	return *said == '"' ? NULL : said;
}

const char *snapshot_try_save(struct card *c, const char *name)
{
	return monitor(c, "savevm", name);
}

void snapshot_save(struct card *c, const char *name)
{
	const char *said = snapshot_try_save(c, name);

	if (said)
		qtest_die("savevm: %.200s", said);
}

const char *snapshot_try_load(struct card *c, const char *name)
{
	return monitor(c, "loadvm", name);
}

void snapshot_load(struct card *c, const char *name)
{
	const char *said = snapshot_try_load(c, name);

	if (said)
		qtest_die("loadvm: %.200s", said);
}
