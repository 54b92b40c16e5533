// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qmp.h"
#include "util.h"

#define PORT	"/run/qmp"
#define WAIT_MS	6000	/* of patience, for what QEMU does at once */

static bool can_read(int fd, uint64_t end)
{
	uint64_t now = now_ms();
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, now < end ? end - now : 0) == 1;
}

static int read_more(struct qmp *q, uint64_t end)
{
	ssize_t got;

	if (q->length + 1 >= q->room) {
		char *text = realloc(q->text, 2 * q->room + 4096);

		if (!text)
			return -ENOMEM;
		q->text = text;
		q->room = 2 * q->room + 4096;
	}
	if (!can_read(q->fd, end))
		return -ETIMEDOUT;
	got = read(q->fd, q->text + q->length, q->room - q->length - 1);
	if (got <= 0)
		return got ? -errno : -EPIPE;
	q->length += got;
	return 0;
}

/* The next line, malloc()ed, without its end. */
static int read_message(struct qmp *q, uint64_t end, char **line)
{
	char *stop;

	while (!(stop = q->length ? memchr(q->text, '\n', q->length) : NULL)) {
		int ret = read_more(q, end);

		if (ret)
			return ret;
	}
	*line = strndup(q->text, stop - q->text);
	q->length -= stop + 1 - q->text;
	memmove(q->text, stop + 1, q->length);
	return *line ? 0 : -ENOMEM;
}

static bool is_event(const char *line)
{
	return strstr(line, "\"event\": \"");
}

static void forget_event(struct qmp *q, unsigned int i)
{
	free(q->event[i]);
	q->events--;
	memmove(&q->event[i], &q->event[i + 1], (q->events - i) * sizeof(q->event[0]));
}

static void keep_event(struct qmp *q, char *line)
{
	if (q->events == QMP_EVENTS)
		forget_event(q, 0);
	q->event[q->events++] = line;
}

/* Where the JSON value that begins here ends. */
static const char *value_end(const char *p)
{
	unsigned int depth = 0;
	bool string = false;

	for (; *p; p++) {
		if (string && *p == '\\' && p[1])
			p++;
		else if (*p == '"')
			string = !string;
		else if (string)
			continue;
		else if (*p == '{' || *p == '[')
			depth++;
		else if ((*p == '}' || *p == ']' || *p == ',') && !depth)
			break;
		else if (*p == '}' || *p == ']')
			depth--;
	}
	return p;
}

/* What the answer says under "return", or of an error. */
static int take_answer(const char *name, const char *line, char *answer, size_t size)
{
	const char *value = strstr(line, "\"return\": ");
	size_t length;

	if (!value || strstr(line, "\"error\": {\"class\"")) {
		const char *words = strstr(line, "\"desc\": ");

		words = words ? words + strlen("\"desc\": ") : line;
		printf("# qmp: %s: %.*s\n", name, (int)(value_end(words) - words), words);
		return -EPROTO;
	}
	if (!answer)
		return 0;
	value += strlen("\"return\": ");
	length = value_end(value) - value;
	if (length >= size)
		return -EMSGSIZE;
	memcpy(answer, value, length);
	answer[length] = 0;
	return 0;
}

/* Our answer has our id: others' are of who had the port before. */
static int wait_answer(struct qmp *q, const char *name, char *answer, size_t size)
{
	uint64_t end = now_ms() + patience(WAIT_MS);
	char id[48], *line;
	int ret;

	snprintf(id, sizeof(id), "\"id\": \"%d.%u\"", getpid(), q->id);
	for (;;) {
		ret = read_message(q, end, &line);
		if (ret) {
			printf("# qmp: %s: no answer: %s\n", name, strerror(-ret));
			return ret;
		}
		if (strstr(line, id)) {
			ret = take_answer(name, line, answer, size);
			free(line);
			return ret;
		}
		if (is_event(line))
			keep_event(q, line);
		else
			free(line);
	}
}

static int write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t put = write(fd, text, length);

		if (put < 0)
			return -errno;
		text += put;
		length -= put;
	}
	return 0;
}

int qmp_command(struct qmp *q, const char *name, const char *arguments, char *answer,
		size_t size)
{
	char *text;
	int ret = asprintf(&text, "{\"execute\": \"%s\", \"id\": \"%d.%u\"%s%s}\n", name,
			   getpid(), ++q->id, arguments ? ", \"arguments\": " : "",
			   arguments ? arguments : "");

	if (ret < 0)
		return -ENOMEM;
	ret = write_all(q->fd, text, ret);
	free(text);
	return ret ? ret : wait_answer(q, name, answer, size);
}

/* A connection is greeted once in its life; then it is in command mode for all. */
static int greet(struct qmp *q)
{
	static bool greeted;
	char line[96];
	int ret;

	if (greeted)
		return 0;
	ret = snprintf(line, sizeof(line), "{\"execute\": \"qmp_capabilities\"}\n");
	ret = write_all(q->fd, line, ret);
	greeted = !ret;
	return ret;
}

/* The answer to anything is behind all that was there before. */
static int pass_over(struct qmp *q)
{
	int ret = qmp_command(q, "query-version", NULL, NULL, 0);

	while (q->events)
		forget_event(q, 0);
	return ret;
}

int qmp_open(struct qmp *q)
{
	int ret;

	*q = (struct qmp){ .fd = -1 };
	/* somebody before us may not have let go of it yet */
	if (!WAIT_FOR((q->fd = open(PORT, O_RDWR | O_CLOEXEC)) >= 0 || errno != EBUSY,
		      patience(WAIT_MS)) || q->fd < 0)
		return -errno;
	/* not one of an earlier call in the same process */
	q->id = now_ms();
	ret = greet(q);
	if (!ret)
		ret = pass_over(q);
	if (ret)
		qmp_close(q);
	return ret;
}

void qmp_close(struct qmp *q)
{
	while (q->events)
		forget_event(q, 0);
	free(q->text);
	q->text = NULL;
	if (q->fd >= 0)
		close(q->fd);
	q->fd = -1;
}

int qmp_set(struct qmp *q, const char *property, const char *value)
{
	char text[512];
	int n = snprintf(text, sizeof(text),
			 "{\"path\": \"" QMP_CARD "\", \"property\": \"%s\", \"value\": %s}",
			 property, value);

	return n < (int)sizeof(text) ? qmp_command(q, "qom-set", text, NULL, 0) : -EMSGSIZE;
}

int qmp_get(struct qmp *q, const char *property, char *value, size_t size)
{
	char text[256];
	int n = snprintf(text, sizeof(text),
			 "{\"path\": \"" QMP_CARD "\", \"property\": \"%s\"}", property);

	return n < (int)sizeof(text) ? qmp_command(q, "qom-get", text, value, size) : -EMSGSIZE;
}

/* A JSON string into what it stands for; only ASCII is to be expected. */
static void unquote(char *text)
{
	static const char from[] = "nrt", to[] = "\n\r\t";
	char *out = text;

	for (const char *p = text + (*text == '"'); *p && *p != '"'; p++) {
		const char *known = *p == '\\' && p[1] ? strchr(from, p[1]) : NULL;

		p += *p == '\\' && p[1];
		*out++ = known ? to[known - from] : *p;
	}
	*out = 0;
}

int qmp_line(struct qmp *q, const char *line, char *answer, size_t size)
{
	char text[512];
	int n = snprintf(text, sizeof(text), "{\"command-line\": \"%s\"}", line);
	int ret;

	if (n >= (int)sizeof(text))
		return -EMSGSIZE;
	ret = qmp_command(q, "human-monitor-command", text, answer, size);
	if (!ret && answer)
		unquote(answer);
	return ret;
}

static bool is_it(const char *line, const char *event, const char *part)
{
	char name[96];

	snprintf(name, sizeof(name), "\"event\": \"%s\"", event);
	return strstr(line, name) && (!part || strstr(line, part));
}

static bool take_event(struct qmp *q, const char *event, const char *part)
{
	for (unsigned int i = 0; i < q->events; i++) {
		if (is_it(q->event[i], event, part)) {
			forget_event(q, i);
			return true;
		}
	}
	return false;
}

int qmp_wait(struct qmp *q, const char *event, const char *part, unsigned int ms)
{
	uint64_t end = now_ms() + patience(ms);
	char *line;
	int ret;

	while (!take_event(q, event, part)) {
		ret = read_message(q, end, &line);
		if (ret)
			return ret;
		if (is_event(line))
			keep_event(q, line);
		else
			free(line);
	}
	return 0;
}
