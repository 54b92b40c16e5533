// SPDX-License-Identifier: GPL-2.0-only
/*
 * What comes from another QEMU is cut, longer than it should be, has the card twice, not
 * at all, before everything else, or from another moment; or it is of another card. It is
 * refused, or it is harmless: the machine lives, and once the card is reset it works.
 * OCF_STREAMS places are cut at, from the seed OCF_SEED.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "move.h"
#include "section.h"

#define OPTIONS "faults=on,hbm=16M"
#define CUTS 6
#define SEED 4711
#define FIRST 8		/* bytes before the first section */

static struct saved stream;
static const char *said;

/* ---- files ---- */

struct piece {
	long from, to;
	const struct saved *of;
};

#define PIECE(from, to)	{ from, to, &stream }

static void write_pieces(const struct piece *p, size_t n)
{
	int fd = open(move_file(), O_WRONLY | O_TRUNC);
	size_t i;

	if (fd < 0)
		qtest_die("cannot write %s", move_file());
	for (i = 0; i < n; i++) {
		size_t size = (size_t)(p[i].to - p[i].from);

		if (size && write(fd, p[i].of->bytes + p[i].from, size) != (ssize_t)size)
			qtest_die("cannot write %s", move_file());
	}
	close(fd);
}

#define WRITE(...) do {							\
		const struct piece p_[] = { __VA_ARGS__ };		\
		write_pieces(p_, sizeof(p_) / sizeof(*p_));		\
	} while (0)

/* What a card was saved to while a bit of everything was under way. */
static struct saved save_at(uint64_t ns)
{
	struct card *c = card_start(OPTIONS);
	struct saved s;

	loaded_busy(c);
	if (ns)
		qtest_step_ns(c->q, ns);
	move_save(c);
	card_end(c);
	saved_read(&s, move_file());
	return s;
}

static void begin(void)
{
	move_begin();
	stream = save_at(0);
}

static void end(void)
{
	saved_free(&stream);
	move_end();
}

/* ---- what becomes of it ---- */

/* Taken: it is used, and then it works. Refused: that is said, and QEMU lives on. */
static bool is_harmless(const char *what, long number)
{
	struct card *c = move_try(OPTIONS, &said);
	bool taken = !said;

	if (taken) {
		loaded_use(c);
		loaded_works(c, number);
	} else {
		CHECK(strstr(said, "\"error-desc\": \""), "%s %ld: %.200s", what, number, said);
	}
	card_end(c);
	return taken;
}

static void is_refused(const char *what, long number)
{
	CHECK(!is_harmless(what, number), "%s %ld: taken", what, number);
}

/* ---- tests ---- */

static void cut(void)
{
	const char *cuts = getenv("OCF_STREAMS"), *seed = getenv("OCF_SEED");
	uint64_t random = (seed ? strtoull(seed, NULL, 0) : SEED) | 1;
	unsigned long n = cuts ? strtoul(cuts, NULL, 0) : CUTS, i;
	long at;

	begin();
	const long places[] = {
		0, 4, FIRST, stream.head, stream.head + 1, stream.begin, stream.begin + 8,
		stream.end - 1, stream.end, stream.tail - 1, stream.tail,
	};

	printf("# OCF_SEED=%s\n", seed ? seed : "4711");
	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		WRITE(PIECE(0, places[i]));
		is_refused("cut at byte", places[i]);
	}
	for (i = 0; i < n; i++) {
		/* every other one in the card */
		at = i & 1 ? stream.begin + (long)(card_random(&random) %
						   (uint64_t)(stream.end - stream.begin))
			   : (long)(card_random(&random) % (uint64_t)stream.tail);
		WRITE(PIECE(0, at));
		is_refused("cut at byte", at);
	}
	printf("# soak: %lu cut streams\n", i + sizeof(places) / sizeof(*places));
	end();
}

static void longer(void)
{
	static const long more[] = { 1, 4, 4096 };
	size_t i;

	begin();
	for (i = 0; i < sizeof(more) / sizeof(*more); i++) {
		WRITE(PIECE(0, stream.end), PIECE(stream.begin, stream.begin + more[i]),
		      PIECE(stream.end, stream.size));
		is_refused("too long by", more[i]);
	}
	/* what is behind the end is not read */
	WRITE(PIECE(0, stream.size), PIECE(0, 4096));
	CHECK(is_harmless("followed by", 4096), "%.200s", said);
	end();
}

/* All registers that say what the card is, of a machine that does not run. */
static uint64_t digest(struct card *c)
{
	uint64_t sum = 14695981039346656037ull;
	uint32_t reg;

	card_set_bars(c);
	wr32(c, OCFABRIC_REG_SNAPSHOT, 7);
	for (reg = 0; reg < OCFABRIC_BAR_CONTROL_SIZE; reg += 8)
		sum = (sum ^ rd64(c, reg)) * 1099511628211ull;
	return sum;
}

static void twice(void)
{
	struct card *once, *again;

	begin();
	once = move_try(OPTIONS, &said);
	CHECK(!said, "%.200s", said ? said : "");
	WRITE(PIECE(0, stream.tail), PIECE(stream.head, stream.size));
	again = move_try(OPTIONS, &said);
	CHECK(!said, "%.200s", said ? said : "");
	CHECK(digest(once) == digest(again), "loaded twice it is another one");
	loaded_use(again);
	loaded_works(again, 2);
	card_end(once);
	card_end(again);
	end();
}

static void elsewhere(void)
{
	struct saved later;

	begin();
	WRITE(PIECE(0, stream.head), PIECE(stream.tail, stream.size));
	is_harmless("without the card", 0);
	WRITE(PIECE(0, FIRST), PIECE(stream.head, stream.tail), PIECE(FIRST, stream.head),
	      PIECE(stream.tail, stream.size));
	is_harmless("the card before all else", 0);
	later = save_at(40000);
	WRITE(PIECE(0, stream.head), { later.head, later.tail, &later },
	      PIECE(stream.tail, stream.size));
	is_harmless("the card of another moment", 0);
	saved_free(&later);
	end();
}

/* What QEMU prints while it tries. */
static struct card *listen(const char *options, char *text, size_t size)
{
	char path[64];
	int fd, before = dup(STDERR_FILENO);
	struct card *c;
	ssize_t n;

	qtest_file(path, sizeof(path), "said");
	fd = open(path, O_RDWR | O_APPEND);
	unlink(path);
	if (before < 0 || fd < 0 || dup2(fd, STDERR_FILENO) < 0)
		qtest_die("no place for what QEMU says");
	c = move_try(options, &said);
	dup2(before, STDERR_FILENO);
	n = pread(fd, text, size - 1, 0);
	text[n > 0 ? n : 0] = 0;
	close(before);
	close(fd);
	return c;
}

/* The file is whole, and the card is another one: what differs is named, and how. */
static void other_card(void)
{
	static const struct {
		const char *options;
		const char *name, *here, *there;
	} cards[] = {
		{ "faults=on,hbm=32M", "ocfabric-hbm", "0x1000000", "0x2000000" },
		{ "faults=on,hbm=16M,windows=100", "ocfabric:windows", "64", "200" },
		{ "faults=on,hbm=16M,replicas=8", "ocfabric:replicas", "8", "10" },
		{ "faults=on,hbm=16M,clock-mhz=300", "ocfabric:clock_mhz", "12c", "fa" },
	};
	struct card *c;
	char text[4096];
	size_t i;

	begin();
	for (i = 0; i < sizeof(cards) / sizeof(*cards); i++) {
		c = listen(cards[i].options, text, sizeof(text));
		CHECK(said, "%s: taken", cards[i].options);
		CHECK(strstr(text, cards[i].name) && strstr(text, cards[i].here) &&
		      strstr(text, cards[i].there), "%s: %.600s", cards[i].options, text);
		card_end(c);
	}
	end();
}

static const struct tap_test tests[] = {
	{ "a stream that was cut is refused", cut },
	{ "one that is too long is refused", longer },
	{ "a card that comes twice is the same card", twice },
	{ "a card that is missing, early or of another moment is harmless", elsewhere },
	{ "another card's state is refused, and said why", other_card },
};

TAP_MAIN(tests)
