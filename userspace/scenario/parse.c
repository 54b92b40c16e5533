// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Scenario files to statements. What cannot be judged from one line alone (a
 * read's end, a window to remove) is judged by what the lines before it set.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scenario.h"
#include "token.h"
#include "winset.h"

struct parser {
	struct scn_line line;
	struct ocf_scn *scn;
	size_t room;		/* statements there is memory for */
	size_t hex_used;
	size_t hex_room;
	struct scn_winset windows;
};

/* ---- fields --------------------------------------------------------------- */

static bool want_u8(struct parser *p, const char *what, uint8_t max,
		    uint8_t *value)
{
	uint64_t v;

	if (!scn_want_number(&p->line, what, max, &v))
		return false;
	*value = (uint8_t)v;
	return true;
}

static bool want_replica(struct parser *p, const char *what, uint8_t *value)
{
	return want_u8(p, what, OCF_SCN_REPLICAS - 1, value);
}

static bool want_u32(struct parser *p, const char *what, uint32_t max,
		     uint32_t *value)
{
	uint64_t v;

	if (!scn_want_number(&p->line, what, max, &v))
		return false;
	*value = (uint32_t)v;
	return true;
}

static bool want_u64(struct parser *p, const char *what, uint64_t *value)
{
	return scn_want_number(&p->line, what, UINT64_MAX, value);
}

/* ---- configuration -------------------------------------------------------- */

static bool parse_n(struct parser *p, struct ocf_scn_stmt *st)
{
	if (!want_u8(p, "N", 255, &st->n))
		return false;
	p->scn->n = st->n;
	return true;
}

static bool parse_hbm(struct parser *p, struct ocf_scn_stmt *st)
{
	if (!want_u64(p, "SIZE", &st->hbm))
		return false;
	if (st->hbm % 64)
		return scn_fail(&p->line, "SIZE %" PRIu64
				" is not a multiple of 64", st->hbm);
	p->scn->hbm = st->hbm;
	if (p->scn->hbm_max < st->hbm)
		p->scn->hbm_max = st->hbm;
	return true;
}

static bool parse_region(struct parser *p, struct ocf_scn_stmt *st)
{
	struct ocf_scn_region *r;
	uint64_t end;

	if (!want_replica(p, "I", &st->region.i) ||
	    !scn_want_word(&p->line, "base") ||
	    !want_u64(p, "ADDR", &st->region.base) ||
	    !scn_want_word(&p->line, "size") ||
	    !want_u64(p, "LEN", &st->region.size))
		return false;
	r = &p->scn->region[st->region.i];
	r->base = st->region.base;
	r->size = st->region.size;
	r->named = true;
	if (__builtin_add_overflow(r->base, r->size, &end))
		end = UINT64_MAX;
	if (p->scn->reach < end)
		p->scn->reach = end;
	return true;
}

static bool parse_latency(struct parser *p, struct ocf_scn_stmt *st)
{
	return want_u32(p, "CYCLES", UINT32_MAX, &st->latency);
}

static bool parse_upstream(struct parser *p, struct ocf_scn_stmt *st)
{
	uint8_t on;

	if (!want_u8(p, "the switch", 1, &on))
		return false;
	st->upstream_qpns = on;
	return true;
}

static bool parse_conn(struct parser *p, struct ocf_scn_stmt *st)
{
	struct scn_token t;
	uint64_t v;

	if (!scn_want(&p->line, "LINK or 'default'", &t))
		return false;
	if (scn_is(&t, "default")) {
		st->op = OCF_SCN_CONN_DEFAULT;
		return true;
	}
	if (!scn_number(&p->line, "LINK", &t, OCF_SCN_REPLICAS - 1, &v))
		return false;
	st->conn.link = (uint8_t)v;
	if (!want_u8(p, "QPN", 255, &st->conn.qpn) ||
	    !scn_want(&p->line, "PEER or 'none'", &t))
		return false;
	if (scn_is(&t, "none")) {
		st->conn.peer = OCF_SCN_NO_PEER;
		return true;
	}
	if (!scn_number(&p->line, "PEER", &t, OCF_SCN_REPLICAS - 1, &v))
		return false;
	st->conn.peer = (uint8_t)v;
	return true;
}

static bool want_window(struct parser *p, struct ocf_scn_window *w)
{
	return want_replica(p, "SRC", &w->src) &&
	       want_replica(p, "DST", &w->dst) &&
	       want_u64(p, "OFFSET", &w->offset) &&
	       want_u64(p, "LEN", &w->length);
}

static bool parse_window(struct parser *p, struct ocf_scn_stmt *st)
{
	if (!want_window(p, &st->window))
		return false;
	return scn_winset_add(&p->windows, &st->window) ||
	       scn_fail(&p->line, "no memory for so many windows");
}

static bool parse_unwindow(struct parser *p, struct ocf_scn_stmt *st)
{
	if (!want_window(p, &st->window))
		return false;
	return scn_winset_del(&p->windows, &st->window) ||
	       scn_fail(&p->line, "no such window is there to be removed");
}

/* ---- the rest ------------------------------------------------------------- */

static bool parse_fault(struct parser *p, struct ocf_scn_stmt *st)
{
	struct scn_token t;
	char q[40];

	if (!want_replica(p, "DST", &st->fault.dst) ||
	    !want_u64(p, "OFFSET", &st->fault.offset) ||
	    !scn_want(&p->line, "the fault", &t))
		return false;
	p->scn->nr_faults++;
	if (scn_is(&t, "slverr")) {
		st->fault.what = OCF_SCN_SLVERR;
	} else if (scn_is(&t, "decerr")) {
		st->fault.what = OCF_SCN_DECERR;
	} else if (scn_is(&t, "none")) {
		st->fault.what = OCF_SCN_FAULT_NONE;
	} else if (scn_is(&t, "delay")) {
		st->fault.what = OCF_SCN_DELAY;
		return want_u32(p, "CYCLES", UINT32_MAX, &st->fault.delay);
	} else {
		return scn_fail(&p->line, "'%s' where slverr, decerr, none or "
				"delay was expected", scn_quote(&t, q));
	}
	return true;
}

static bool reserve_hex(struct parser *p, size_t n)
{
	size_t room = p->hex_room;
	uint8_t *hex;

	while (room - p->hex_used < n)
		room = room ? room * 2 : 4096;
	if (room == p->hex_room)
		return true;
	hex = realloc(p->scn->hex, room);
	if (!hex)
		return false;
	p->scn->hex = hex;
	p->hex_room = room;
	return true;
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_hex(struct parser *p, struct ocf_scn_write *w,
		      const struct scn_token *t)
{
	size_t i;

	if (t->n % 2)
		return scn_fail(&p->line, "hex: has half a byte at its end");
	if (t->n / 2 > w->bytes)
		return scn_fail(&p->line, "hex: has %zu bytes, the write sends "
				"%" PRIu32, t->n / 2, w->bytes);
	if (!reserve_hex(p, t->n / 2))
		return scn_fail(&p->line, "no memory for so much data");
	w->data.hex = p->hex_used;
	w->data.hex_len = (uint32_t)(t->n / 2);
	for (i = 0; i < t->n; i += 2) {
		int hi = nibble(t->s[i]), lo = nibble(t->s[i + 1]);

		if (hi < 0 || lo < 0)
			return scn_fail(&p->line, "hex: has something other "
					"than hex digits");
		p->scn->hex[p->hex_used++] = (uint8_t)(hi << 4 | lo);
	}
	return true;
}

static const struct {
	const char *prefix;
	enum ocf_scn_data_kind kind;
	uint32_t max;
} makers[] = {
	{ "hex:", OCF_SCN_HEX, 0 },
	{ "const:", OCF_SCN_CONST, 255 },
	{ "inc:", OCF_SCN_INC, 255 },
	{ "lcg:", OCF_SCN_LCG, UINT32_MAX },
};

static bool parse_data(struct parser *p, struct ocf_scn_write *w,
		       const struct scn_token *t)
{
	struct scn_token rest;
	uint64_t seed;
	char q[40];
	size_t i, skip;

	for (i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		if (!scn_starts(t, makers[i].prefix))
			continue;
		skip = strlen(makers[i].prefix);
		rest.s = t->s + skip;
		rest.n = t->n - skip;
		w->data.kind = makers[i].kind;
		if (w->data.kind == OCF_SCN_HEX)
			return parse_hex(p, w, &rest);
		if (!scn_number(&p->line, makers[i].prefix, &rest,
				makers[i].max, &seed))
			return false;
		w->data.seed = (uint32_t)seed;
		return true;
	}
	return scn_fail(&p->line, "DATA '%s' is not hex:, const:, inc: or lcg:",
			scn_quote(t, q));
}

static bool parse_beats(struct parser *p, struct ocf_scn_write *w,
			struct scn_token *t)
{
	w->beats = w->len ? (w->len + 63) / 64 : 1;
	w->beats_said = scn_is(t, "beats");
	if (w->beats_said) {
		if (!want_u32(p, "B", OCF_SCN_BEATS_MAX, &w->beats))
			return false;
		if (!w->beats)
			return scn_fail(&p->line, "B is 0; a write has at "
					"least one data beat");
		if (!scn_want(&p->line, "DATA", t))
			return false;
	}
	w->bytes = (uint64_t)w->beats * 64 < w->len ? w->beats * 64 : w->len;
	return true;
}

static bool parse_write(struct parser *p, struct ocf_scn_stmt *st)
{
	struct ocf_scn_write *w = &st->write;
	struct scn_token t;

	if (!want_replica(p, "LINK", &w->link) ||
	    !want_u32(p, "QPN", 0xffffff, &w->qpn) ||
	    !want_u64(p, "RADDR", &w->raddr) ||
	    !want_u32(p, "LEN", OCF_SCN_LEN_MAX, &w->len) ||
	    !scn_want(&p->line, "DATA", &t) || !parse_beats(p, w, &t))
		return false;
	if (p->scn->top_link < w->link)
		p->scn->top_link = w->link;
	return parse_data(p, w, &t);
}

static bool parse_read(struct parser *p, struct ocf_scn_stmt *st)
{
	uint64_t size;

	if (!want_replica(p, "REGION", &st->read.region) ||
	    !want_u64(p, "OFFSET", &st->read.offset) ||
	    !want_u64(p, "LEN", &st->read.length))
		return false;
	size = p->scn->region[st->read.region].size;
	if (st->read.offset > size || st->read.length > size - st->read.offset)
		return scn_fail(&p->line, "the read goes past the end of "
				"region %u, which has %" PRIu64 " bytes here",
				st->read.region, size);
	return true;
}

/* ---- statements, lines, the file ------------------------------------------ */

static const struct statement {
	const char *word;
	bool is_config;
	bool (*parse)(struct parser *p, struct ocf_scn_stmt *st);
} statements[] = {
	[OCF_SCN_N] = { "n", true, parse_n },
	[OCF_SCN_HBM] = { "hbm", false, parse_hbm },
	[OCF_SCN_REGION] = { "region", true, parse_region },
	[OCF_SCN_LATENCY] = { "latency", true, parse_latency },
	[OCF_SCN_UPSTREAM_QPNS] = { "upstream_qpns", true, parse_upstream },
	[OCF_SCN_CONN_DEFAULT] = { "conn", true, NULL },
	[OCF_SCN_CONN] = { "conn", true, parse_conn },
	[OCF_SCN_WINDOW] = { "window", true, parse_window },
	[OCF_SCN_UNWINDOW] = { "unwindow", true, parse_unwindow },
	[OCF_SCN_FAULT] = { "fault", false, parse_fault },
	[OCF_SCN_WRITE] = { "write", false, parse_write },
	[OCF_SCN_READ] = { "read", false, parse_read },
};

#define NR_STATEMENTS (sizeof(statements) / sizeof(statements[0]))

const char *ocf_scn_op_name(enum ocf_scn_op op)
{
	return statements[op].word;
}

bool ocf_scn_is_config(enum ocf_scn_op op)
{
	return statements[op].is_config;
}

static struct ocf_scn_stmt *new_stmt(struct parser *p)
{
	struct ocf_scn *scn = p->scn;
	struct ocf_scn_stmt *stmt;
	size_t room;

	if (scn->nr == p->room) {
		room = p->room ? p->room * 2 : 64;
		stmt = realloc(scn->stmt, room * sizeof(*stmt));
		if (!stmt)
			return NULL;
		scn->stmt = stmt;
		p->room = room;
	}
	stmt = &scn->stmt[scn->nr++];
	memset(stmt, 0, sizeof(*stmt));
	stmt->line = p->line.nr;
	return stmt;
}

static bool parse_statement(struct parser *p, const struct scn_token *word)
{
	struct ocf_scn_stmt *st;
	char q[40];
	size_t i;

	for (i = 0; i < NR_STATEMENTS; i++)
		if (statements[i].parse && scn_is(word, statements[i].word))
			break;
	if (i == NR_STATEMENTS)
		return scn_fail(&p->line, "there is no statement '%s'",
				scn_quote(word, q));
	st = new_stmt(p);
	if (!st)
		return scn_fail(&p->line, "no memory for so many statements");
	st->op = (enum ocf_scn_op)i;
	return statements[i].parse(p, st) && scn_want_end(&p->line);
}

static bool parse_header(struct parser *p)
{
	struct scn_token a, b;

	if (!scn_next(&p->line, &a) || !scn_is(&a, "ocfabric-scenario") ||
	    !scn_next(&p->line, &b) || !scn_is(&b, "1"))
		return scn_fail(&p->line, "the first line is not "
				"'ocfabric-scenario 1'");
	return scn_want_end(&p->line);
}

static bool parse_line(struct parser *p)
{
	struct scn_token word;

	if (p->line.nr == 1)
		return parse_header(p);
	return !scn_next(&p->line, &word) || parse_statement(p, &word);
}

/* Sets the parser on the line at `at`; returns where the next one starts. */
static const char *set_line(struct parser *p, const char *at, const char *end)
{
	const char *eol = memchr(at, '\n', (size_t)(end - at));
	const char *comment;

	if (!eol)
		eol = end;
	comment = memchr(at, '#', (size_t)(eol - at));
	p->line.at = at;
	p->line.end = comment ? comment : eol;
	p->line.nr++;
	return eol < end ? eol + 1 : end;
}

bool ocf_scn_parse(struct ocf_scn *scn, const char *name, const char *text,
		   size_t len, char *err, size_t err_size)
{
	struct parser p = {
		.line = { .name = name, .err = err, .err_size = err_size },
		.scn = scn,
	};
	const char *at = text, *end = text + len;
	bool good;

	memset(scn, 0, sizeof(*scn));
	scn->hbm = scn->hbm_max = OCF_SCN_HBM_DEFAULT;
	scn->top_link = -1;
	do {
		at = set_line(&p, at, end);
		good = parse_line(&p);
	} while (good && at < end);

	scn->nr_windows = p.windows.count;
	scn_winset_free(&p.windows);
	if (!good)
		ocf_scn_free(scn);
	return good;
}

void ocf_scn_free(struct ocf_scn *scn)
{
	free(scn->stmt);
	free(scn->hex);
	scn->stmt = NULL;
	scn->hex = NULL;
	scn->nr = 0;
}
