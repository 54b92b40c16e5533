// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * dump: the bundle, and how a part of it is made
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "aside.h"
#include "capture.h"
#include "dump.h"

/* ---- parts -------------------------------------------------------------- */

static void add_file(struct dump *dump, const char *suffix, const char *text,
		     size_t size)
{
	char name[100];

	snprintf(name, sizeof(name), "%s/%s.%s", dump->folder, dump->part, suffix);
	if (!tar_add(dump->tar, name, text, size))
		dump->failed = true;
}

static void note_part(struct dump *dump, int status, const char *why)
{
	struct json_object *row = json_object_new_object();

	put_string(row, "part", dump->part);
	put_bool(row, "there", !status);
	if (status)
		put_string(row, "why", why);
	else
		put_null(row, "why");
	json_object_array_add(dump->parts, row);
	dump->missing += status != 0;
}

void dump_part(struct dump *dump, const char *name,
	       int (*add)(struct dump *dump, const void *arg), const void *arg)
{
	struct capture capture;
	char *text = NULL, *said;
	const char *bare;
	size_t size = 0;
	int status;

	if (dump->failed || caught_signal)
		return;
	dump->part = name;
	dump->text = open_memstream(&text, &size);
	if (!dump->text) {
		dump->failed = true;
		return;
	}
	capture_begin(&capture);
	status = add(dump, arg);
	said = capture_end(&capture);
	bare = said ? bare_message(said) : "no reason was given";
	if (status)
		fprintf(dump->text, "This part could not be had: %s\n", bare);
	else if (said)
		fprintf(dump->text, "\n%s\n", bare);
	if (fclose(dump->text))
		dump->failed = true;
	else
		add_file(dump, "txt", text, size);
	note_part(dump, status, bare);
	free(text);
	free(said);
}

int dump_rows(struct dump *dump, const char *name, const struct column *columns,
	      unsigned int nr, struct json_object *rows)
{
	struct json_object *top = document(name, rows);
	const char *json;
	int error = 0;

	json = json_object_to_json_string_ext(top, JSON_C_TO_STRING_NOSLASHESCAPE |
					      JSON_C_TO_STRING_PRETTY |
					      JSON_C_TO_STRING_SPACED);
	if (!json)
		error = fail(ST_REFUSED, "no memory for a part");
	else
		add_file(dump, "json", json, strlen(json));
	if (json && columns)
		error = write_table(dump->text, columns, nr, rows);
	else if (json)
		fprintf(dump->text, "%s\n", json);
	json_object_put(top);
	return error;
}

/* ---- the list of parts -------------------------------------------------- */

static int add_contents(struct dump *dump, const void *arg)
{
	static const struct column columns[] = {
		{ "part", COL_PLAIN, true },
		{ "there", COL_YES, false },
		{ "why", COL_PLAIN, true },
	};

	(void)arg;
	fprintf(dump->text,
		"What fabricctl dump could learn of a card and its driver. Each part is\n"
		"PART.txt, for people, and most also PART.json. saved.json is for fabricctl\n"
		"apply, pci-config.txt for lspci -vv -F. Payload, immediates, memory keys and\n"
		"addresses of memory are in none of them.\n\n");
	return dump_rows(dump, "parts", columns, ARRAY_SIZE(columns),
			 json_object_get(dump->parts));
}

static void add_all(struct dump *dump)
{
	bool card = dump->ctl->nr_cards;

	if (card) {
		dump_listen(dump);
		dump_tables(dump);
		dump_rings(dump);
	}
	dump_system(dump);
	if (card)
		dump_events(dump);
	dump_part(dump, "contents", add_contents, NULL);
}

/* ---- the file ----------------------------------------------------------- */

/* "ocfabric-dump-ocfabric0-20260131T120000Z" */
static void name_folder(const struct ctl *ctl, time_t now, char *buf, size_t size)
{
	char text[32];
	struct tm tm;

	strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &tm));
	snprintf(buf, size, "ocfabric-dump-%s-%s",
		 ctl->nr_cards ? ctl->cards[0].name : "no-card", text);
}

static int write_bundle(struct dump *dump, int fd, time_t now)
{
	dump->parts = json_object_new_array();
	dump->tar = tar_open(fd, now);
	if (!dump->tar)
		return fail(ST_REFUSED, "no memory for the bundle");
	add_all(dump);
	if (!tar_close(dump->tar) || dump->failed)
		return fail(ST_REFUSED, "writing the bundle: %s",
			    errno ? strerror(errno) : "no memory");
	if (caught_signal)
		return fail(ST_SIGNAL + caught_signal, "interrupted");
	return 0;
}

/* Says what was written, and on stderr what is missing. */
static int report(struct ctl *ctl, struct dump *dump, const char *file)
{
	struct json_object *rows, *row;

	if (dump->missing)
		fail(0, "%u parts could not be had; contents.txt says why",
		     dump->missing);
	if (!file)
		return 0;
	if (!ctl->json) {
		printf("%s\n", file);
		return end_output();
	}
	rows = json_object_new_array();
	row = json_object_new_object();
	put_string(row, "file", file);
	json_object_object_add(row, "parts", json_object_get(dump->parts));
	json_object_array_add(rows, row);
	return print_document(ctl, "dump", rows);
}

static int to_stdout(struct dump *dump, time_t now)
{
	if (isatty(STDOUT_FILENO))
		return fail(ST_USAGE, "the bundle is compressed; send it to a file or a pipe");
	return write_bundle(dump, STDOUT_FILENO, now);
}

static int to_file(struct dump *dump, const char *file, time_t now)
{
	struct aside aside;
	int error = aside_open(&aside, file, 0600), closed;

	if (error)
		return error;
	error = write_bundle(dump, aside.fd, now);
	closed = aside_close(&aside, !error);
	return error ? error : closed;
}

/*
 * A card that the driver could not take, and a driver that is not loaded, are
 * what bugs are about: what the host knows is written all the same.
 */
static int open_if_there(struct ctl *ctl)
{
	struct capture capture;
	char *said;
	int error;

	capture_begin(&capture);
	error = fab_open(ctl);
	if (!error)
		error = pick_cards(ctl);
	said = capture_end(&capture);
	if (said)
		fputs(said, stderr);
	free(said);
	return (error == ST_NO_DRIVER || error == ST_ABSENT) && !ctl->device ?
	       0 : error;
}

int run_dump(struct ctl *ctl)
{
	char folder[96], file[128];
	struct dump dump = { .ctl = ctl, .folder = folder };
	bool named = ctl->args.given[P_FILE];
	time_t now = time(NULL);
	int error = open_if_there(ctl);

	if (error)
		goto out;
	catch_signals();
	name_folder(ctl, now, folder, sizeof(folder));
	if (named && !strcmp(ctl->args.file, "-")) {
		error = to_stdout(&dump, now);
		if (!error)
			error = report(ctl, &dump, NULL);
		goto out;
	}
	snprintf(file, sizeof(file), "%s.tar.gz", folder);
	error = to_file(&dump, named ? ctl->args.file : file, now);
	if (!error)
		error = report(ctl, &dump, named ? ctl->args.file : file);
out:
	json_object_put(dump.parts);
	free(dump.why_deaf);
	free_cards(ctl);
	fab_close(ctl);
	return error;
}
