// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rows of objects as a table (libsmartcols) or as JSON (json-c)
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libsmartcols.h>
#include <ocfabric.h>

#include "print.h"

#define SCHEMA	"ocfabric/1"

int end_output(void)
{
	if (fflush(stdout) || ferror(stdout))
		return fail(ST_REFUSED, "writing the output: %s", strerror(errno));
	return 0;
}

void time_text(uint64_t ns, char *buf, size_t size)
{
	time_t seconds = (time_t)(ns / NS_PER_S);
	struct tm tm;
	char day[32];

	if (!gmtime_r(&seconds, &tm) ||
	    !strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm))
		snprintf(day, sizeof(day), "@%lld", (long long)seconds);
	snprintf(buf, size, "%s.%09" PRIu64 "Z", day,
		 ns % (uint64_t)NS_PER_S);
}

void amount_text(double value, bool bytes, char *buf, size_t size)
{
	static const char units[] = " kMGTPE";
	double base = bytes ? 1024 : 1000;
	unsigned int unit = 0;

	/* What would be rounded up to the next unit belongs there. */
	while (value >= (unit ? 999.5 : base - 0.5) && units[unit + 1]) {
		value /= base;
		unit++;
	}
	snprintf(buf, size, "%.*f", value == (double)(long)value && !unit ? 0 :
		 value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
	if (unit && bytes)
		snprintf(buf + strlen(buf), size - strlen(buf), "%ciB",
			 unit == 1 ? 'K' : units[unit]);
	else if (unit)
		snprintf(buf + strlen(buf), size - strlen(buf), "%c", units[unit]);
}

/* ---- JSON --------------------------------------------------------------- */

static int json_flags(const struct ctl *ctl)
{
	return JSON_C_TO_STRING_NOSLASHESCAPE |
	       (ctl->pretty ? JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED :
			      JSON_C_TO_STRING_PLAIN);
}

static int print_json(struct ctl *ctl, struct json_object *object)
{
	const char *text = json_object_to_json_string_ext(object, json_flags(ctl));
	int status;

	status = text ? 0 : fail(ST_REFUSED, "no memory for the output");
	if (text) {
		puts(text);
		status = end_output();
	}
	json_object_put(object);
	return status;
}

struct json_object *document(const char *name, struct json_object *rows)
{
	struct json_object *top = json_object_new_object();

	put_string(top, "schema", SCHEMA);
	json_object_object_add(top, name, rows);
	return top;
}

int print_document(struct ctl *ctl, const char *name, struct json_object *rows)
{
	if (ctl->take_rows)
		return ctl->take_rows(ctl, name, NULL, 0, rows);
	return print_json(ctl, document(name, rows));
}

int print_line(struct ctl *ctl, struct json_object *object)
{
	bool pretty = ctl->pretty;
	int status;

	ctl->pretty = false;
	status = print_json(ctl, object);
	ctl->pretty = pretty;
	return status;
}

/* ---- tables ------------------------------------------------------------- */

static void cell_text(const struct column *column, struct json_object *value,
		      char *buf, size_t size)
{
	if (!value) {
		snprintf(buf, size, "-");
	} else if (column->kind == COL_HEX) {
		snprintf(buf, size, "0x%" PRIx64, json_object_get_uint64(value));
	} else if (column->kind == COL_YES) {
		snprintf(buf, size, "%s",
			 json_object_get_boolean(value) ? "yes" : "no");
	} else if (column->kind == COL_TIME) {
		time_text(json_object_get_uint64(value), buf, size);
	} else if (column->kind == COL_AMOUNT || column->kind == COL_BYTES) {
		amount_text(json_object_get_double(value),
			    column->kind == COL_BYTES, buf, size);
	} else {
		snprintf(buf, size, "%s", json_object_get_string(value));
	}
}

static int fill_table(struct libscols_table *table,
		      const struct column *columns, unsigned int nr,
		      struct json_object *rows)
{
	size_t i, count = json_object_array_length(rows);
	unsigned int c;

	for (c = 0; c < nr; c++)
		if (!scols_table_new_column(table, columns[c].key, 0,
					    columns[c].left ? 0 : SCOLS_FL_RIGHT))
			return -ENOMEM;
	for (i = 0; i < count; i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);
		struct libscols_line *line = scols_table_new_line(table, NULL);

		if (!line)
			return -ENOMEM;
		for (c = 0; c < nr; c++) {
			char text[256];

			cell_text(&columns[c],
				  json_object_object_get(row, columns[c].key),
				  text, sizeof(text));
			if (scols_line_set_data(line, c, text))
				return -ENOMEM;
		}
	}
	return 0;
}

/* Never cut to the terminal's width: awk reads this too. */
int write_table(FILE *out, const struct column *columns, unsigned int nr,
		struct json_object *rows)
{
	struct libscols_table *table = scols_new_table();
	int error = -ENOMEM;

	if (table) {
		scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
		scols_table_set_stream(table, out);
		error = fill_table(table, columns, nr, rows);
	}
	if (!error)
		error = scols_print_table(table);
	scols_unref_table(table);
	if (error)
		return fail(ST_REFUSED, "printing: %s", strerror(-error));
	return 0;
}

int print_table(const struct column *columns, unsigned int nr,
		struct json_object *rows)
{
	int error = write_table(stdout, columns, nr, rows);

	return error ? error : end_output();
}

int print_rows(struct ctl *ctl, const char *name, const struct column *columns,
	       unsigned int nr, struct json_object *rows)
{
	int status;

	if (ctl->take_rows)
		return ctl->take_rows(ctl, name, columns, nr, rows);
	if (ctl->json)
		return print_document(ctl, name, rows);
	status = print_table(columns, nr, rows);
	json_object_put(rows);
	return status;
}

/* ---- making rows -------------------------------------------------------- */

struct json_object *add_row(struct json_object *rows, const struct card *card)
{
	struct json_object *row = json_object_new_object();

	put_string(row, "device", card->name);
	json_object_array_add(rows, row);
	return row;
}

void put_number(struct json_object *row, const char *key, uint64_t value)
{
	json_object_object_add(row, key, json_object_new_uint64(value));
}

void put_decimal(struct json_object *row, const char *key, double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.3f", value);
	json_object_object_add(row, key, json_object_new_double_s(value, text));
}

void put_string(struct json_object *row, const char *key, const char *value)
{
	json_object_object_add(row, key, json_object_new_string(value));
}

void put_bool(struct json_object *row, const char *key, bool value)
{
	json_object_object_add(row, key, json_object_new_boolean(value));
}

void put_null(struct json_object *row, const char *key)
{
	json_object_object_add(row, key, NULL);
}

void put_cause_text(struct json_object *row, uint64_t cause, uint64_t wrote,
		    uint64_t expected)
{
	char text[256];

	if (cause == OCFABRIC_CAUSE_NONE)
		put_null(row, "cause_text");
	else
		put_string(row, "cause_text",
			   ocf_cause_text((unsigned int)cause, (uint32_t)wrote,
					  (uint32_t)expected, text, sizeof(text)));
}

static bool put_field(struct json_object *row, const struct fab_attrs *attrs,
		      const struct field *field)
{
	uint64_t number;
	char text[256];

	if (field->kind == FIELD_STRING) {
		if (!fab_string(attrs, field->attr, text, sizeof(text)))
			return false;
		put_string(row, field->key, text);
		return true;
	}
	if (!fab_u64(attrs, field->attr, &number))
		return false;
	if (field->kind == FIELD_BOOL)
		put_bool(row, field->key, number);
	else
		put_number(row, field->key, number);
	return true;
}

void put_fields(struct json_object *row, const struct fab_attrs *attrs,
		const struct field *fields, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!put_field(row, attrs, &fields[i]) && fields[i].always)
			put_null(row, fields[i].key);
}
