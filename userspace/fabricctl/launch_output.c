// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lines of the replicas, whole ones, each with its prefix
 *
 * Our stdout and stderr may be shared with others, so they are not made
 * non-blocking: a pipe that is ready takes PIPE_BUF bytes without waiting, and
 * that is what is written at a time.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch.h"

#define LINE_MOST	(1u << 20)	/* a longer one is broken up */
#define SINK_FULL	(4u << 20)	/* then nobody is read any more */
#define PIECE		65536
#define REST_MOST	(1u << 20)	/* that is read of a program that died */

/* ---- sinks -------------------------------------------------------------- */

void sink_init(struct sink *sink, int fd, int epoll, unsigned int number)
{
	struct stat st;

	*sink = (struct sink){ .fd = fd, .epoll = epoll };
	sink->is_file = !fstat(fd, &st) &&
			(S_ISREG(st.st_mode) || S_ISBLK(st.st_mode));
	if (!sink->is_file && launch_watch(epoll, fd, 0, SOURCE_SINK, number))
		sink->is_file = true;
	sink->waits = false;
}

bool sink_is_full(const struct sink *sink)
{
	return sink->length >= SINK_FULL;
}

void sink_free(struct sink *sink)
{
	free(sink->buf);
	sink->buf = NULL;
}

static void sink_drop(struct sink *sink)
{
	sink->broken = true;
	sink->length = 0;
	sink->head = 0;
}

static bool is_ready(const struct sink *sink)
{
	struct pollfd p = { .fd = sink->fd, .events = POLLOUT };

	return sink->is_file || (poll(&p, 1, 0) > 0 && p.revents);
}

static void wait_for_room(struct sink *sink, bool wait)
{
	unsigned int number = sink->fd == STDERR_FILENO;
	struct epoll_event event = {
		.events = wait ? EPOLLOUT : 0,
		.data.u64 = (uint64_t)SOURCE_SINK << 32 | number,
	};

	if (sink->is_file || sink->waits == wait)
		return;
	epoll_ctl(sink->epoll, EPOLL_CTL_MOD, sink->fd, &event);
	sink->waits = wait;
}

void sink_flush(struct sink *sink)
{
	while (sink->length && is_ready(sink)) {
		size_t n = sink->length < PIPE_BUF || sink->is_file ?
			   sink->length : PIPE_BUF;
		ssize_t written = write(sink->fd, sink->buf + sink->head, n);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0 && errno == EAGAIN)
			break;
		if (written <= 0) {
			sink_drop(sink);
			break;
		}
		sink->head += (size_t)written;
		sink->length -= (size_t)written;
	}
	if (!sink->length)
		sink->head = 0;
	wait_for_room(sink, sink->length);
}

/*
 * The other side may be gone, which the epoll would say for ever: the next
 * write says it too.
 */
void sink_event(struct sink *sink, uint32_t events)
{
	if (events & (EPOLLERR | EPOLLHUP)) {
		epoll_ctl(sink->epoll, EPOLL_CTL_DEL, sink->fd, NULL);
		sink->is_file = true;
	}
	sink_flush(sink);
}

/* Room for @more bytes at the end; false: no memory. */
static bool make_room(struct sink *sink, size_t more)
{
	size_t need = sink->length + more;
	char *buf;

	if (sink->head && sink->head + need > sink->room) {
		memmove(sink->buf, sink->buf + sink->head, sink->length);
		sink->head = 0;
	}
	if (sink->head + need <= sink->room)
		return true;
	need = need < PIECE ? PIECE : 2 * need;
	buf = realloc(sink->buf, need);
	if (!buf)
		return false;
	sink->buf = buf;
	sink->room = need;
	return true;
}

static void put(struct sink *sink, const char *bytes, size_t n)
{
	if (!n)
		return;
	memcpy(sink->buf + sink->head + sink->length, bytes, n);
	sink->length += n;
}

/* A line, as one piece between others. Its two parts are one after the other. */
static void sink_line(struct sink *sink, const char *prefix, const char *first,
		      size_t nr_first, const char *rest, size_t nr_rest)
{
	size_t n = strlen(prefix);

	if (sink->broken)
		return;
	if (!make_room(sink, n + nr_first + nr_rest + 1)) {
		sink_drop(sink);
		return;
	}
	put(sink, prefix, n);
	put(sink, first, nr_first);
	put(sink, rest, nr_rest);
	put(sink, "\n", 1);
}

void launch_say(struct launch *l, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	sink_line(l->stderr_sink, "fabricctl: ", text, strlen(text), NULL, 0);
	sink_flush(l->stderr_sink);
}

/* ---- streams ------------------------------------------------------------ */

void stream_open(struct stream *stream, int fd, struct sink *sink,
		 unsigned int rank)
{
	stream->fd = fd;
	stream->sink = sink;
	stream->polled = false;
	stream->used = 0;
	snprintf(stream->prefix, sizeof(stream->prefix), "[r%u] ", rank);
}

static void end_line(struct stream *stream, const char *rest, size_t n)
{
	sink_line(stream->sink, stream->prefix, stream->line, stream->used,
		  rest, n);
	stream->used = 0;
}

/* Keeps what is no whole line yet; breaks one that is too long. */
static void keep(struct stream *stream, const char *bytes, size_t n)
{
	char *line;

	while (stream->used + n > LINE_MOST) {
		size_t fits = LINE_MOST - stream->used;

		end_line(stream, bytes, fits);
		bytes += fits;
		n -= fits;
	}
	if (!n)
		return;
	if (stream->used + n > stream->room) {
		size_t room = 2 * (stream->used + n);

		line = realloc(stream->line, room);
		if (!line) {
			end_line(stream, bytes, n);
			return;
		}
		stream->line = line;
		stream->room = room;
	}
	memcpy(stream->line + stream->used, bytes, n);
	stream->used += n;
}

static void take(struct stream *stream, const char *bytes, size_t n)
{
	while (n) {
		const char *end = memchr(bytes, '\n', n);
		size_t length = end ? (size_t)(end - bytes) : n;

		if (!end || stream->used + length > LINE_MOST) {
			keep(stream, bytes, length);
			bytes += length;
			n -= length;
			length = 0;
			if (!end)
				return;
		}
		end_line(stream, bytes, length);
		bytes += length + 1;
		n -= length + 1;
	}
}

bool stream_read(struct stream *stream)
{
	static char piece[PIECE];
	ssize_t n = read(stream->fd, piece, sizeof(piece));

	if (n > 0)
		take(stream, piece, (size_t)n);
	else if (!n || (errno != EAGAIN && errno != EINTR))
		return true;
	sink_flush(stream->sink);
	return false;
}

void stream_end(struct stream *stream)
{
	static char piece[PIECE];
	size_t left = REST_MOST;
	ssize_t n;

	if (stream->fd < 0)
		return;
	while (left) {
		n = read(stream->fd, piece, left < PIECE ? left : PIECE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		take(stream, piece, (size_t)n);
		left -= (size_t)n;
	}
	if (stream->used)
		end_line(stream, NULL, 0);
	sink_flush(stream->sink);
	close(stream->fd);
	stream->fd = -1;
	stream->polled = false;
	free(stream->line);
	stream->line = NULL;
	stream->room = 0;
}
