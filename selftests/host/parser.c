// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scenario parser: what it takes, what it refuses and why, that hostile
 * files do no harm; the bytes of writes; CRC-32.
 */
#include <stdlib.h>
#include <string.h>

#include "scenario/scenario.h"
#include "scenario_gen.h"
#include "tap.h"

#define HEAD "ocfabric-scenario 1\n"
#define H256 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" \
	     "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct ocf_scn scn;
static char err[256];

static bool parse(const char *text)
{
	return ocf_scn_parse(&scn, "f.scn", text, strlen(text), err,
			     sizeof(err));
}

/* Files that do not parse: the line at fault, and words of the reason. */
static const struct {
	const char *text;
	unsigned int line;
	const char *reason;
} bad[] = {
	{ "", 1, "first line" },
	{ "\n" HEAD, 1, "first line" },
	{ "# c\n" HEAD, 1, "first line" },
	{ "ocfabric-scenario\n", 1, "first line" },
	{ "ocfabric-scenario 2\n", 1, "first line" },
	{ "ocfabric-scenario 01\n", 1, "first line" },
	{ "ocfabric-scenario 1 x\n", 1, "'x' after the end" },
	{ "ocfabric-scenari 1\n", 1, "first line" },
	{ "n 3\n", 1, "first line" },
	{ HEAD "frobnicate 1\n", 2, "no statement 'frobnicate'" },
	{ HEAD "N 3\n", 2, "no statement 'N'" },
	{ HEAD HEAD, 2, "no statement" },
	{ HEAD "\n\n  # c\nn\n", 5, "N is missing" },
	{ HEAD "n 256\n", 2, "N 256 is more than 255" },
	{ HEAD "n -1\n", 2, "'-1' is not a number" },
	{ HEAD "n +1\n", 2, "'+1' is not a number" },
	{ HEAD "n 0x\n", 2, "'0x' is not a number" },
	{ HEAD "n 0X3\n", 2, "'0X3' is not a number" },
	{ HEAD "n 3f\n", 2, "'3f' is not a number" },
	{ HEAD "n 1_0\n", 2, "not a number" },
	{ HEAD "n 3.0\n", 2, "not a number" },
	{ HEAD "n 3 4\n", 2, "'4' after the end" },
	{ HEAD "hbm 65\n", 2, "65 is not a multiple of 64" },
	{ HEAD "hbm\n", 2, "SIZE is missing" },
	{ HEAD "hbm 0x10000000000000000\n", 2, "more than 18446744073709551615" },
	{ HEAD "hbm 18446744073709551616\n", 2, "more than" },
	{ HEAD "region 16 base 0 size 0\n", 2, "I 16 is more than 15" },
	{ HEAD "region 0 bas 0 size 0\n", 2, "'bas' where 'base'" },
	{ HEAD "region 0 base 0 len 0\n", 2, "'len' where 'size'" },
	{ HEAD "region 0 size 0 base 0\n", 2, "'size' where 'base'" },
	{ HEAD "region 0 base 0\n", 2, "size is missing" },
	{ HEAD "region 0 base 0 size\n", 2, "LEN is missing" },
	{ HEAD "region 0 base 0x1ffffffffffffffff size 0\n", 2, "ADDR" },
	{ HEAD "latency 4294967296\n", 2, "CYCLES 4294967296 is more than" },
	{ HEAD "upstream_qpns 2\n", 2, "more than 1" },
	{ HEAD "upstream_qpns on\n", 2, "not a number" },
	{ HEAD "conn\n", 2, "LINK or 'default' is missing" },
	{ HEAD "conn default 3\n", 2, "after the end" },
	{ HEAD "conn 16 0 0\n", 2, "LINK 16" },
	{ HEAD "conn 0 256 0\n", 2, "QPN 256 is more than 255" },
	{ HEAD "conn 0 0\n", 2, "PEER or 'none' is missing" },
	{ HEAD "conn 0 0 16\n", 2, "PEER 16" },
	{ HEAD "conn 0 0 nobody\n", 2, "PEER 'nobody'" },
	{ HEAD "conn none 0 0\n", 2, "LINK 'none'" },
	{ HEAD "window 0 1 0\n", 2, "LEN is missing" },
	{ HEAD "window 16 1 0 0\n", 2, "SRC 16" },
	{ HEAD "window 0 16 0 0\n", 2, "DST 16" },
	{ HEAD "window 0 1 0 0 0\n", 2, "after the end" },
	{ HEAD "unwindow 0 1 0 1\n", 2, "no such window" },
	{ HEAD "window 0 1 0 1\nunwindow 0 1 0 2\n", 3, "no such window" },
	{ HEAD "window 0 1 0 1\nunwindow 1 0 0 1\n", 3, "no such window" },
	{ HEAD "window 0 1 0 1\nunwindow 0 1 0 1\nunwindow 0 1 0 1\n", 4,
	  "no such window" },
	{ HEAD "window 0 1 0 1\nwindow 0 1 0 1\nunwindow 0 1 0 1\n"
	  "unwindow 0 1 0 1\n", 5, "no such window" },
	{ HEAD "fault 0 0\n", 2, "the fault is missing" },
	{ HEAD "fault 16 0 none\n", 2, "DST 16" },
	{ HEAD "fault 0 0 okay\n", 2, "'okay' where slverr" },
	{ HEAD "fault 0 0 delay\n", 2, "CYCLES is missing" },
	{ HEAD "fault 0 0 delay 4294967296\n", 2, "CYCLES" },
	{ HEAD "fault 0 0 slverr 3\n", 2, "after the end" },
	{ HEAD "write 16 0 0 0 inc:0\n", 2, "LINK 16" },
	{ HEAD "write 0 16777216 0 0 inc:0\n", 2, "QPN 16777216" },
	{ HEAD "write 0 0 0x10000000000000000 0 inc:0\n", 2, "RADDR" },
	{ HEAD "write 0 0 0 67108865 inc:0\n", 2, "LEN 67108865" },
	{ HEAD "write 0 0 0 4\n", 2, "DATA is missing" },
	{ HEAD "write 0 0 0 4 beats\n", 2, "B is missing" },
	{ HEAD "write 0 0 0 4 beats 0 inc:0\n", 2, "B is 0" },
	{ HEAD "write 0 0 0 4 beats 16777216 inc:0\n", 2, "B 16777216" },
	{ HEAD "write 0 0 0 4 beats 1\n", 2, "DATA is missing" },
	{ HEAD "write 0 0 0 4 beats 1 beats 1 inc:0\n", 2, "DATA 'beats'" },
	{ HEAD "write 0 0 0 4 inc:0 beats 1\n", 2, "'beats' after the end" },
	{ HEAD "write 0 0 0 4 inc:256\n", 2, "inc: 256 is more than 255" },
	{ HEAD "write 0 0 0 4 const:256\n", 2, "const: 256" },
	{ HEAD "write 0 0 0 4 lcg:4294967296\n", 2, "lcg: 4294967296" },
	{ HEAD "write 0 0 0 4 inc:\n", 2, "not a number" },
	{ HEAD "write 0 0 0 4 inc: 3\n", 2, "not a number" },
	{ HEAD "write 0 0 0 4 inc\n", 2, "DATA 'inc'" },
	{ HEAD "write 0 0 0 4 INC:0\n", 2, "DATA 'INC:0'" },
	{ HEAD "write 0 0 0 4 rand:1\n", 2, "DATA 'rand:1'" },
	{ HEAD "write 0 0 0 4 hex:0102030405\n", 2, "has 5 bytes" },
	{ HEAD "write 0 0 0 65 beats 1 hex:" H256 "00\n", 2, "sends 64" },
	{ HEAD "write 0 0 0 0 hex:00\n", 2, "has 1 bytes, the write sends 0" },
	{ HEAD "write 0 0 0 4 hex:012\n", 2, "half a byte" },
	{ HEAD "write 0 0 0 4 hex:0g\n", 2, "other than hex digits" },
	{ HEAD "write 0 0 0 4 hex:0x01\n", 2, "other than hex digits" },
	{ HEAD "write 0 0 0 4 hex:01 02\n", 2, "'02' after the end" },
	{ HEAD "read 0 0 1\n", 2, "past the end of region 0, which has 0" },
	{ HEAD "region 0 base 0 size 64\nread 0 1 64\n", 3, "past the end" },
	{ HEAD "region 0 base 0 size 64\nread 0 65 0\n", 3, "past the end" },
	{ HEAD "region 0 base 0 size 64\nread 1 0 64\n", 3, "region 1" },
	{ HEAD "region 0 base 0 size 64\n"
	  "read 0 0xffffffffffffffff 2\n", 3, "past the end" },
	{ HEAD "region 0 base 0 size 64\nread 0 2 0xffffffffffffffff\n", 3,
	  "past the end" },
	{ HEAD "region 0 base 0 size 64\nread 0 0 64\n"
	  "region 0 base 0 size 32\nread 0 0 64\n", 5, "has 32 bytes here" },
	{ HEAD "read 16 0 0\n", 2, "REGION 16" },
	{ HEAD "n 3;\n", 2, "'3;' is not a number" },
	{ HEAD "n\v3\n", 2, "no statement 'n?3'" },
	{ HEAD "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee\n", 2,
	  "'aaaaaaaaaabbbbbbbbbbccccccccccdd...'" },
	{ HEAD "\x1b[2J\n", 2, "'?[2J'" },
	{ HEAD "n 3\nn 4\nbogus", 4, "no statement 'bogus'" },
};

static void refused(void)
{
	char where[32];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(where, sizeof(where), "f.scn:%u: ", bad[i].line);
		if (parse(bad[i].text)) {
			CHECK(false, "row %zu parses: %s", i, bad[i].text);
			ocf_scn_free(&scn);
			continue;
		}
		CHECK(!strncmp(err, where, strlen(where)), "row %zu: %s", i,
		      err);
		CHECK(strstr(err, bad[i].reason), "row %zu: %s", i, err);
		CHECK(!scn.stmt && !scn.hex && !scn.nr);
	}
}

static const char *const good[] = {
	"ocfabric-scenario 1",
	HEAD,
	"  ocfabric-scenario\t1 # with a comment\r\n\r\nn 3\r\n",
	HEAD "n 0x10#comment\n#\n\t \nn 007",
	HEAD "n 255\nn 0\n",
	HEAD "hbm 0\nhbm 0xffffffffffffffc0\n",
	HEAD "region 15 base 0xffffffffffffffff size 18446744073709551615\n",
	HEAD "latency 0xffffffff\nupstream_qpns 0x1\nupstream_qpns 0\n",
	HEAD "conn default\nconn 15 255 15\nconn 0 0 none\nconn 3 3 3\n",
	HEAD "window 15 15 0xffffffffffffffff 0xffffffffffffffff\n"
	     "unwindow 15 15 18446744073709551615 0xFFFFFFFFFFFFFFFF\n",
	HEAD "window 0 1 0 1\nunwindow 0 1 0 1\nwindow 0 1 0 1\n"
	     "unwindow 0 1 0 1\n",
	HEAD "fault 15 0xffffffffffffffff delay 0xffffffff\n"
	     "fault 0 0 slverr\nfault 0 0 decerr\nfault 0 0 none\n",
	HEAD "write 15 0xffffff 0xffffffffffffffff 0x4000000 beats 0xffffff "
	     "lcg:0xffffffff\n",
	HEAD "write 0 0 0 0 hex:\nwrite 0 0 0 64 hex:" H256 "\n",
	HEAD "write 0 0 0 65 beats 1 hex:" H256 "\n",
	HEAD "write 0 0 0 3 hex:AbCdEf\nwrite 0 0 0 0 beats 7 const:0xff\n",
	HEAD "region 3 base 7 size 64\nread 3 0 64\nread 3 64 0\nread 4 0 0\n",
	HEAD "region 3 base 0 size 0xffffffffffffffff\n"
	     "read 3 0xfffffffffffffffe 1\n",
};

static void taken(void)
{
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		CHECK(parse(good[i]), "row %zu: %s", i, err);
		ocf_scn_free(&scn);
	}
}

static void fields(void)
{
	const struct ocf_scn_stmt *st;

	CHECK(parse(HEAD "hbm 0x8000\nn 3\n"
		    "region 2 base 0x100 size 0x200\nconn 1 7 none\n"
		    "window 0 1 5 6\nwindow 0 1 5 7\nwindow 0 1 5 6\n"
		    "unwindow 0 1 5 7\nhbm 0x4000\n"
		    "fault 4 9 delay 77\nwrite 3 70000 0x44 65 lcg:9\n"
		    "write 5 1 0 65 beats 1 hex:0102\n"), "%s", err);
	st = scn.stmt;
	CHECK(scn.nr == 12 && scn.n == 3 && scn.top_link == 5);
	CHECK(scn.hbm == 0x4000 && scn.hbm_max == 0x4000000);
	CHECK(scn.nr_windows == 2 && scn.nr_faults == 1);
	CHECK(scn.region[2].named && scn.region[2].base == 0x100 &&
	      scn.region[2].size == 0x200 && !scn.region[0].named);
	CHECK(st[0].op == OCF_SCN_HBM && st[0].hbm == 0x8000);
	CHECK(st[0].line == 2 && st[11].line == 13);
	CHECK(st[3].op == OCF_SCN_CONN && st[3].conn.link == 1 &&
	      st[3].conn.qpn == 7 && st[3].conn.peer == OCF_SCN_NO_PEER);
	CHECK(st[4].window.id == 0 && st[5].window.id == 1 &&
	      st[6].window.id == 0 && st[7].window.id == 1);
	CHECK(st[9].fault.what == OCF_SCN_DELAY && st[9].fault.delay == 77 &&
	      st[9].fault.dst == 4 && st[9].fault.offset == 9);
	CHECK(st[10].write.beats == 2 && st[10].write.bytes == 65 &&
	      !st[10].write.beats_said && st[10].write.qpn == 70000);
	CHECK(st[11].write.beats == 1 && st[11].write.bytes == 64 &&
	      st[11].write.beats_said && st[11].write.data.hex_len == 2);
	ocf_scn_free(&scn);
}

/* Each way to make bytes, whole and in pieces of every size. */
static void payloads(void)
{
	static const uint8_t hex[8] = { 1, 0xab };
	static const uint8_t inc[8] = { 253, 254, 255, 0, 1, 2, 3, 4 };
	/* from 1: 0x3c88596c, 0x5e8885db, ... */
	static const uint8_t lcg[8] = { 0x3c, 0x5e };
	static const uint8_t all[8] = { 7, 7, 7, 7, 7, 7, 7, 7 };
	static const uint8_t *const want[] = { hex, inc, lcg, all };
	struct ocf_scn_payload p;
	uint8_t got[8];
	size_t i, piece, at;

	CHECK(parse(HEAD "write 0 0 0 8 hex:01ab\nwrite 0 0 0 8 inc:253\n"
		    "write 0 0 0 8 lcg:1\nwrite 0 0 0 8 const:7\n"));
	for (i = 0; i < 4; i++) {
		for (piece = 1; piece <= 8; piece++) {
			ocf_scn_payload_init(&p, &scn, &scn.stmt[i].write);
			for (at = 0; at < 8; at += piece)
				ocf_scn_payload_fill(&p, got + at,
					8 - at < piece ? 8 - at : piece);
			CHECK(!memcmp(got, want[i], i == 2 ? 2 : 8),
			      "statement %zu in pieces of %zu", i, piece);
		}
	}
	ocf_scn_free(&scn);
}

static void lcg_by_the_words(void)
{
	static const uint32_t seeds[] = { 0, 1, 9, 0x80000000u, ~0u };
	struct ocf_scn_payload p;
	char text[128];
	uint8_t got[300];
	uint64_t x;
	size_t i, k;

	for (i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		snprintf(text, sizeof(text), HEAD "write 0 0 0 300 lcg:%u\n",
			 seeds[i]);
		CHECK(parse(text));
		ocf_scn_payload_init(&p, &scn, &scn.stmt[0].write);
		ocf_scn_payload_fill(&p, got, sizeof(got));
		for (k = 0, x = seeds[i]; k < sizeof(got); k++) {
			x = (x * 1664525 + 1013904223) % (1ULL << 32);
			CHECK(got[k] == x >> 24, "seed %u byte %zu", seeds[i],
			      k);
		}
		ocf_scn_free(&scn);
	}
}

static void what_ends_the_output(void)
{
	CHECK(parse(HEAD "n 3\nwrite 9 0 0 0 inc:0\n"));
	CHECK(ocf_scn_links(&scn) == 3);
	ocf_scn_free(&scn);
	CHECK(parse(HEAD "n 3\nwrite 9 0 0 0 inc:0\nn 17\n"));
	CHECK(ocf_scn_links(&scn) == 10);
	ocf_scn_free(&scn);
	CHECK(parse(HEAD));
	CHECK(ocf_scn_links(&scn) == 0 && !ocf_scn_has_digest(&scn, 0));
	ocf_scn_free(&scn);
	CHECK(parse(HEAD "hbm 0x1000\nregion 0 base 0xfc0 size 0x40\n"
		    "region 1 base 0xfc0 size 0x41\n"
		    "region 2 base 0xffffffffffffffff size 2\n"
		    "region 3 base 0x1000 size 0\nregion 4 base 0x1001 size 0\n"
		    "region 5 base 3 size 5\n"));
	CHECK(ocf_scn_has_digest(&scn, 0) && !ocf_scn_has_digest(&scn, 1));
	CHECK(!ocf_scn_has_digest(&scn, 2) && ocf_scn_has_digest(&scn, 3));
	CHECK(!ocf_scn_has_digest(&scn, 4) && ocf_scn_has_digest(&scn, 5));
	CHECK(!ocf_scn_has_digest(&scn, 6));
	ocf_scn_free(&scn);
}

/* Random files with random damage: they parse, or err says where not. */
static void damaged(void)
{
	unsigned int seed, parsed = 0, i, hits;
	char *text, *exact;
	size_t len;

	srand(3);
	for (seed = 0; seed < 3000; seed++) {
		text = scenario_generate(seed, 10);
		len = strlen(text);
		hits = (unsigned int)rand() % 4;
		for (i = 0; i < hits; i++)
			text[(size_t)rand() % len] = (char)(rand() % 3 ?
				" \n#x-:09ae\0"[rand() % 11] : rand());
		if (rand() % 4 == 0)
			len = (size_t)rand() % len;
		exact = malloc(len + !len);	/* with nothing behind it */
		memcpy(exact, text, len);
		if (ocf_scn_parse(&scn, "f.scn", exact, len, err,
				  sizeof(err))) {
			parsed++;
			ocf_scn_free(&scn);
		} else {
			CHECK(!strncmp(err, "f.scn:", 6), "%s", err);
		}
		free(exact);
		free(text);
	}
	CHECK(parsed > 300 && parsed < 2900, "%u", parsed);
}

/* Eight megabytes, a window or a write a line, and all windows removed. */
static void large_file(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	unsigned int i;

	fputs(HEAD, f);
	for (i = 0; i < 100000; i++)
		fprintf(f, "window %u %u %u 64\nwrite 0 0 %u 4 hex:01020304\n",
			i % 16, i / 16 % 16, i * 8, i * 4);
	for (i = 0; i < 100000; i++)
		fprintf(f, "unwindow %u %u %u 64\n", i % 16, i / 16 % 16,
			i * 8);
	fclose(f);
	CHECK(ocf_scn_parse(&scn, "f.scn", text, size, err, sizeof(err)), "%s",
	      err);
	CHECK(scn.nr == 300000 && scn.nr_windows == 100000);
	ocf_scn_free(&scn);
	free(text);
}

static void small_error_buffers(void)
{
	char small[64];
	size_t n;

	for (n = 1; n < sizeof(small); n++) {
		memset(small, 'x', sizeof(small));
		CHECK(!ocf_scn_parse(&scn, "a-name.scn", HEAD "n 300\n",
				     strlen(HEAD "n 300\n"), small, n));
		CHECK(memchr(small, 0, n), "%zu", n);
		CHECK(n == sizeof(small) || small[n] == 'x');
	}
}

static const struct tap_test tests[] = {
	{ "files that do not parse: line and reason", refused },
	{ "files that parse", taken },
	{ "fields and what holds at the end", fields },
	{ "bytes of writes", payloads },
	{ "lcg by the words of the contract", lcg_by_the_words },
	{ "which counters and digests end the output", what_ends_the_output },
	{ "damaged files", damaged },
	{ "a large file", large_file },
	{ "small error buffers", small_error_buffers },
};

TAP_MAIN(tests)
