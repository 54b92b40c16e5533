/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Data on stdout: the same objects as a table or as JSON
 */
#ifndef FABRICCTL_PRINT_H
#define FABRICCTL_PRINT_H

#include <stdio.h>

#include <json-c/json.h>

#include "nl.h"

enum column_kind {
	COL_PLAIN,		/* as in JSON; null or absent: - */
	COL_HEX,
	COL_YES,		/* true, false: yes, no */
	COL_TIME,		/* nanoseconds since 1970: UTC */
	COL_AMOUNT,		/* three digits and k, M, ... */
	COL_BYTES,		/* three digits and KiB, MiB, ... */
};

struct column {
	const char *key;	/* of the object, and the head of the column */
	enum column_kind kind;
	bool left;		/* text; numbers go to the right */
};

/*
 * Prints @rows, an array of objects, as @name, and frees it. Returns an exit
 * status: output that cannot be written is an error.
 */
int print_rows(struct ctl *ctl, const char *name, const struct column *columns,
	       unsigned int nr, struct json_object *rows);

/* The table alone; @rows stays the caller's. */
int print_table(const struct column *columns, unsigned int nr,
		struct json_object *rows);

int write_table(FILE *out, const struct column *columns, unsigned int nr,
		struct json_object *rows);

/* The object that is printed of @rows, which it has then. */
struct json_object *document(const char *name, struct json_object *rows);

/* One object as a line, for what comes bit by bit; frees it. */
int print_line(struct ctl *ctl, struct json_object *object);

/* The whole output of a verb that has JSON only; frees it. */
int print_document(struct ctl *ctl, const char *name, struct json_object *rows);

/* Flushes stdout; an exit status. */
int end_output(void);

/* "2026-01-31T12:00:00.123456789Z" */
void time_text(uint64_t ns, char *buf, size_t size);

/* "1.23M", or with @bytes "1.23MiB"; 8 characters at most */
void amount_text(double value, bool bytes, char *buf, size_t size);

/* ---- making rows -------------------------------------------------------- */

/* A new row in @rows, with the name of its card. */
struct json_object *add_row(struct json_object *rows, const struct card *card);

void put_number(struct json_object *row, const char *key, uint64_t value);
/* With three decimals. */
void put_decimal(struct json_object *row, const char *key, double value);
void put_string(struct json_object *row, const char *key, const char *value);
void put_bool(struct json_object *row, const char *key, bool value);
void put_null(struct json_object *row, const char *key);

/* "cause_text": why a queue stopped, as a sentence; null when it did not. */
void put_cause_text(struct json_object *row, uint64_t cause, uint64_t wrote,
		    uint64_t expected);

/* From attributes to members of an object. */
enum field_kind {
	FIELD_NUMBER,
	FIELD_STRING,
	FIELD_BOOL,
};

struct field {
	int attr;
	const char *key;
	enum field_kind kind;
	bool always;		/* absent: null, instead of no member */
};

void put_fields(struct json_object *row, const struct fab_attrs *attrs,
		const struct field *fields, unsigned int nr);

#endif
