/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scenario files: what they say, the bytes that their writes send, and the
 * lines that a run of one prints. docs/scenarios.md is the format.
 *
 * A file is parsed whole, into an array of statements, before anything is
 * done with it; what linksim and a card do with them is theirs.
 */
#ifndef OCF_SCENARIO_H
#define OCF_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define OCF_SCN_REPLICAS	16
#define OCF_SCN_HBM_DEFAULT	0x4000000ULL
#define OCF_SCN_LEN_MAX		(1u << 26)
#define OCF_SCN_BEATS_MAX	((1u << 24) - 1)

enum ocf_scn_op {
	OCF_SCN_N,
	OCF_SCN_HBM,
	OCF_SCN_REGION,
	OCF_SCN_LATENCY,
	OCF_SCN_UPSTREAM_QPNS,
	OCF_SCN_CONN_DEFAULT,
	OCF_SCN_CONN,		/* peer OCF_SCN_NO_PEER: none */
	OCF_SCN_WINDOW,
	OCF_SCN_UNWINDOW,
	OCF_SCN_FAULT,
	OCF_SCN_WRITE,
	OCF_SCN_READ,
};

#define OCF_SCN_NO_PEER	0xff

enum ocf_scn_fault {
	OCF_SCN_SLVERR,
	OCF_SCN_DECERR,
	OCF_SCN_FAULT_NONE,
	OCF_SCN_DELAY,
};

enum ocf_scn_data_kind {
	OCF_SCN_HEX,
	OCF_SCN_CONST,
	OCF_SCN_INC,
	OCF_SCN_LCG,
};

/* DATA of a write: what makes its bytes. */
struct ocf_scn_data {
	enum ocf_scn_data_kind kind;
	uint32_t seed;		/* B or S */
	uint32_t hex_len;	/* bytes said; zeros follow */
	size_t hex;		/* where they are in struct ocf_scn */
};

struct ocf_scn_window {
	uint64_t offset;
	uint64_t length;
	uint32_t id;		/* equal windows have the same, from 0 on */
	uint8_t src;
	uint8_t dst;
};

struct ocf_scn_write {
	uint64_t raddr;
	uint32_t qpn;
	uint32_t len;
	uint32_t beats;		/* as said, or what is right for len */
	uint32_t bytes;		/* that DATA makes: min(len, 64 * beats) */
	uint8_t link;
	bool beats_said;
	struct ocf_scn_data data;
};

struct ocf_scn_stmt {
	enum ocf_scn_op op;
	unsigned long line;
	union {
		uint8_t n;
		uint64_t hbm;
		uint32_t latency;
		bool upstream_qpns;
		struct {
			uint64_t base;
			uint64_t size;
			uint8_t i;
		} region;
		struct {
			uint8_t link;
			uint8_t qpn;
			uint8_t peer;
		} conn;
		struct ocf_scn_window window;	/* UNWINDOW too */
		struct {
			uint64_t offset;
			enum ocf_scn_fault what;
			uint32_t delay;
			uint8_t dst;
		} fault;
		struct ocf_scn_write write;
		struct {
			uint64_t offset;
			uint64_t length;
			uint8_t region;
		} read;
	};
};

struct ocf_scn_region {
	uint64_t base;
	uint64_t size;
	bool named;		/* a statement set it */
};

/* A file, and what holds after its last statement. */
struct ocf_scn {
	struct ocf_scn_stmt *stmt;
	size_t nr;
	uint8_t *hex;
	uint32_t nr_windows;	/* distinct ones */
	uint32_t nr_faults;	/* statements */
	uint64_t hbm_max;	/* the largest of the HBM sizes in force */
	uint64_t reach;		/* the highest end of any region, if below 2^64 */

	unsigned int n;
	uint64_t hbm;
	struct ocf_scn_region region[OCF_SCN_REPLICAS];
	int top_link;		/* highest that a write named, -1 if none */
};

/* The keyword of a statement. */
const char *ocf_scn_op_name(enum ocf_scn_op op);

/* Statements that change the configuration, and so need a drain. */
bool ocf_scn_is_config(enum ocf_scn_op op);

/*
 * Parses text[0..len), which need not end in a newline or a zero. False, and
 * a sentence "name:line: reason" in err, when any of it does not parse; then
 * nothing is to be freed.
 */
bool ocf_scn_parse(struct ocf_scn *scn, const char *name, const char *text,
		   size_t len, char *err, size_t err_size);

/* The same for a file; "-" is standard input. */
bool ocf_scn_load(struct ocf_scn *scn, const char *path, char *err,
		  size_t err_size);

void ocf_scn_free(struct ocf_scn *scn);

/* ---- the bytes of a write, in order, as few or many at a time as wanted -- */

struct ocf_scn_payload {
	const struct ocf_scn *scn;
	const struct ocf_scn_data *data;
	uint32_t x;
	uint32_t pos;
};

void ocf_scn_payload_init(struct ocf_scn_payload *p, const struct ocf_scn *scn,
			  const struct ocf_scn_write *w);
void ocf_scn_payload_fill(struct ocf_scn_payload *p, uint8_t *buf, size_t n);

/* ---- the lines that a run prints ----------------------------------------- */

struct ocf_scn_result {
	uint64_t seq;
	unsigned int link;
	uint32_t qpn;
	const char *verdict;
	int peer;		/* -1: none was found */
	uint32_t bytes;
	uint32_t lines;
	uint32_t oversize;
	bool misrouted;
};

#define OCF_SCN_COUNTERS 17

void ocf_scn_report_write(FILE *out, const struct ocf_scn_result *r);

/* A read's line: begin, its bytes in pieces, end. */
void ocf_scn_report_read_begin(FILE *out, const struct ocf_scn_stmt *stmt);
void ocf_scn_report_read_bytes(FILE *out, const uint8_t *bytes, size_t n);
void ocf_scn_report_read_end(FILE *out);

/* In the order of semantics.md. */
void ocf_scn_report_counters(FILE *out, unsigned int link,
			     const uint64_t counter[OCF_SCN_COUNTERS]);
void ocf_scn_report_digest(FILE *out, unsigned int region, uint32_t crc);

/* What the driver refused; the run ends with it. */
void ocf_scn_report_refusal(FILE *out, const struct ocf_scn_stmt *stmt,
			    const char *error, const char *reason);

/* How many links' counters end the output, from link 0. */
unsigned int ocf_scn_links(const struct ocf_scn *scn);

/* Whether a digest of this region ends the output. */
bool ocf_scn_has_digest(const struct ocf_scn *scn, unsigned int region);

#endif
