// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * apply, save: the whole configuration
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

#define FILE_MAX	(16u << 20)

/* ---- reading the file --------------------------------------------------- */

/* All of a file with a zero after it; NULL with a message. */
static char *read_all(FILE *file, const char *name, size_t *length)
{
	char *text = NULL, *more;
	size_t room = 0, n;

	*length = 0;
	do {
		room = room ? 2 * room : 65536;
		more = room <= FILE_MAX ? realloc(text, room + 1) : NULL;
		if (!more) {
			fail(ST_USAGE, "%s: larger than %u bytes", name, FILE_MAX);
			free(text);
			return NULL;
		}
		text = more;
		n = fread(text + *length, 1, room - *length, file);
		*length += n;
	} while (*length == room);
	text[*length] = 0;
	if (ferror(file)) {
		fail(ST_USAGE, "%s: %s", name, strerror(errno));
		free(text);
		return NULL;
	}
	return text;
}

static char *load(const char *path, size_t *length)
{
	bool is_stdin = !strcmp(path, "-");
	FILE *file = is_stdin ? stdin : fopen(path, "r");
	char *text;

	if (!file) {
		fail(ST_USAGE, "%s: %s", path, strerror(errno));
		return NULL;
	}
	text = read_all(file, path, length);
	if (!is_stdin)
		fclose(file);
	return text;
}

int prepare_apply(struct ctl *ctl)
{
	static struct config config;
	char err[512], *text;
	size_t length;
	bool good;

	text = load(ctl->args.file, &length);
	if (!text)
		return ST_USAGE;
	good = config_from_text(&config, ctl->args.file, text, length, err,
				sizeof(err));
	free(text);
	if (!good)
		return fail(ST_USAGE, "%s", err);
	ctl->prepared = &config;
	return 0;
}

/* ---- what would change -------------------------------------------------- */

static const struct column change_columns[] = {
	{ "device", COL_PLAIN, true },
	{ "what", COL_PLAIN, true },
	{ "from", COL_PLAIN, true },
	{ "to", COL_PLAIN, true },
};

struct differ {
	const struct card *card;
	struct json_object *rows;
};

static void add_change(const struct differ *d, const char *what,
		       const char *from, const char *to)
{
	struct json_object *row = add_row(d->rows, d->card);

	put_string(row, "what", what);
	put_string(row, "from", from);
	put_string(row, "to", to);
}

static void compare_number(const struct differ *d, const char *what,
			   uint64_t from, uint64_t to)
{
	char a[32], b[32];

	if (from == to)
		return;
	snprintf(a, sizeof(a), "%" PRIu64, from);
	snprintf(b, sizeof(b), "%" PRIu64, to);
	add_change(d, what, a, b);
}

static void region_text(const struct ocfabric_region *r, char *buf, size_t size)
{
	snprintf(buf, size, "base 0x%llx size 0x%llx",
		 (unsigned long long)r->base, (unsigned long long)r->length);
}

static void compare_regions(const struct differ *d, const struct config *old,
			    const struct config *new)
{
	char what[32], from[64], to[64];
	unsigned int i;

	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++) {
		region_text(&old->region[i], from, sizeof(from));
		region_text(&new->region[i], to, sizeof(to));
		snprintf(what, sizeof(what), "region %u", i);
		if (strcmp(from, to))
			add_change(d, what, from, to);
	}
}

static void peer_text(uint8_t peer, char buf[8])
{
	if (peer == OCFABRIC_PEER_NONE)
		snprintf(buf, 8, "none");
	else
		snprintf(buf, 8, "%u", peer);
}

static void compare_peers(const struct differ *d, const struct config *old,
			  const struct config *new)
{
	char what[48], from[8], to[8];
	unsigned int link, qpn;

	for (link = 0; link < OCFABRIC_REPLICAS_MAX; link++)
		for (qpn = 0; qpn < OCFABRIC_QPNS; qpn++) {
			peer_text(old->peer[link][qpn], from);
			peer_text(new->peer[link][qpn], to);
			snprintf(what, sizeof(what), "connection link %u qpn %u",
				 link, qpn);
			if (strcmp(from, to))
				add_change(d, what, from, to);
		}
}

/* Windows of @a that @b has not. */
static void compare_windows(const struct differ *d, const struct config *a,
			    const struct config *b, const char *from,
			    const char *to)
{
	unsigned int i;
	char what[128];

	for (i = 0; i < a->nr_windows; i++) {
		const struct ocfabric_window *w = &a->window[i];

		if (config_has_window(b, w))
			continue;
		snprintf(what, sizeof(what),
			 "window src %u dst %u offset 0x%llx length 0x%llx",
			 w->src, w->dst, (unsigned long long)w->offset,
			 (unsigned long long)w->length);
		if (w->sem_count)
			snprintf(what + strlen(what), sizeof(what) - strlen(what),
				 " sem %u-%u", w->sem_first,
				 w->sem_first + w->sem_count - 1);
		add_change(d, what, from, to);
	}
}

static int show_changes(struct ctl *ctl, const struct config *new)
{
	struct differ d = { .card = &ctl->cards[0] };
	struct config old;
	int error;

	error = config_read(ctl, d.card, &old);
	if (error)
		return error;
	d.rows = json_object_new_array();
	compare_number(&d, "replicas", old.replicas, new->replicas);
	compare_number(&d, "upstream-qpns", old.upstream_qpns, new->upstream_qpns);
	compare_number(&d, "latency", old.latency, new->latency);
	compare_regions(&d, &old, new);
	compare_peers(&d, &old, new);
	compare_windows(&d, &old, new, "there", "none");
	compare_windows(&d, new, &old, "none", "there");
	config_free(&old);
	return print_rows(ctl, "changes", change_columns,
			  ARRAY_SIZE(change_columns), d.rows);
}

int config_write(struct ctl *ctl, const struct card *card,
		 const struct config *config, const char *what)
{
	struct steps steps = { 0 };
	struct fab_reply reply;
	int error;

	if (!steps_to(&steps, config))
		error = fail(ST_REFUSED, "%s: no memory for the change", what);
	else
		error = fab_change(ctl, card->id, false, steps.step, steps.nr,
				   &reply);
	if (error == FAB_REFUSED)
		error = fab_refused(&reply, what);
	steps_free(&steps);
	return error;
}

/* ---- the verbs ---------------------------------------------------------- */

int run_apply(struct ctl *ctl)
{
	const struct config *config = ctl->prepared;
	bool check = ctl->args.given[P_CHECK];
	struct steps steps = { 0 };
	struct fab_reply reply;
	char what[128];
	int error;

	if (!steps_to(&steps, config)) {
		steps_free(&steps);
		return fail(ST_REFUSED, "no memory for the change");
	}
	error = fab_change(ctl, ctl->cards[0].id, check, steps.step, steps.nr,
			  &reply);
	if (error == FAB_REFUSED) {
		snprintf(what, sizeof(what), "apply %.80s%s%s", ctl->args.file,
			 reply.step >= 0 ? ": " : "", reply.step >= 0 &&
			 (size_t)reply.step < steps.nr ?
			 step_name(steps.step[reply.step].op) : "");
		error = fab_refused(&reply, what);
	}
	steps_free(&steps);
	if (error || !check)
		return error;
	return show_changes(ctl, config);
}

int run_save(struct ctl *ctl)
{
	struct json_object *rows;
	struct config config;
	int error;

	error = config_read(ctl, &ctl->cards[0], &config);
	if (error)
		return error;
	rows = json_object_new_array();
	json_object_array_add(rows, config_to_json(&config));
	config_free(&config);
	return print_document(ctl, "config", rows);
}
