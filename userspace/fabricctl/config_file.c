// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A configuration as JSON, both ways. Reading says where it did not understand.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "json_where.h"

#define DEPTH	6

/* ---- to JSON ------------------------------------------------------------ */

static struct json_object *regions_to_json(const struct config *config)
{
	struct json_object *rows = json_object_new_array();
	uint32_t i;

	for (i = 0; i < OCFABRIC_REPLICAS_MAX; i++) {
		const struct ocfabric_region *r = &config->region[i];
		struct json_object *row;

		if (i >= config->replicas && !r->base && !r->length)
			continue;
		row = json_object_new_object();
		put_number(row, "replica", i);
		put_number(row, "base", r->base);
		put_number(row, "size", r->length);
		json_object_array_add(rows, row);
	}
	return rows;
}

static struct json_object *connections_to_json(const struct config *config)
{
	struct json_object *rows = json_object_new_array();
	unsigned int link, qpn;

	for (link = 0; link < OCFABRIC_REPLICAS_MAX; link++)
		for (qpn = 0; qpn < OCFABRIC_QPNS; qpn++) {
			struct json_object *row;

			if (config->peer[link][qpn] == OCFABRIC_PEER_NONE)
				continue;
			row = json_object_new_object();
			put_number(row, "link", link);
			put_number(row, "qpn", qpn);
			put_number(row, "peer", config->peer[link][qpn]);
			json_object_array_add(rows, row);
		}
	return rows;
}

void put_window_sems(struct json_object *row, const struct ocfabric_window *w)
{
	if (!w->sem_count)
		return;
	put_number(row, "sem_first", w->sem_first);
	put_number(row, "sem_count", w->sem_count);
}

static struct json_object *windows_to_json(const struct config *config)
{
	struct json_object *rows = json_object_new_array();
	unsigned int i;

	for (i = 0; i < config->nr_windows; i++) {
		const struct ocfabric_window *w = &config->window[i];
		struct json_object *row = json_object_new_object();

		put_number(row, "src", w->src);
		put_number(row, "dst", w->dst);
		put_number(row, "offset", w->offset);
		put_number(row, "length", w->length);
		put_window_sems(row, w);
		json_object_array_add(rows, row);
	}
	return rows;
}

struct json_object *config_to_json(const struct config *config)
{
	struct json_object *object = json_object_new_object();

	put_number(object, "replicas", config->replicas);
	put_bool(object, "upstream_qpns", config->upstream_qpns);
	put_number(object, "latency", config->latency);
	json_object_object_add(object, "regions", regions_to_json(config));
	json_object_object_add(object, "connections", connections_to_json(config));
	json_object_object_add(object, "windows", windows_to_json(config));
	return object;
}

/* ---- from JSON ---------------------------------------------------------- */

struct reader {
	struct config *config;
	const char *name;
	const char *text;
	size_t length;
	char *err;
	size_t size;
	struct json_step path[DEPTH];
	unsigned int depth;
};

static size_t here(const struct reader *r)
{
	return json_where(r->text, r->length, r->path, r->depth);
}

/* "config[0].windows[3].length" */
static void path_text(const struct reader *r, char *buf, size_t size)
{
	unsigned int i;

	buf[0] = 0;
	for (i = 0; i < r->depth; i++) {
		size_t used = strlen(buf);

		if (r->path[i].key)
			snprintf(buf + used, size - used, "%s%s",
				 used ? "." : "", r->path[i].key);
		else
			snprintf(buf + used, size - used, "[%zu]",
				 r->path[i].index);
	}
}

static bool wrong(struct reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool wrong(struct reader *r, const char *format, ...)
{
	char path[128], reason[256];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	path_text(r, path, sizeof(path));
	snprintf(r->err, r->size, "%s:%lu: %s%s%s", r->name,
		 line_of(r->text, here(r)), path, path[0] ? ": " : "", reason);
	return false;
}

static void enter(struct reader *r, const char *key, size_t index)
{
	r->path[r->depth++] = (struct json_step){ .key = key, .index = index };
}

/* A key as the file has it, fit for a message. */
static void quote(const char *key, char buf[40])
{
	size_t i;

	for (i = 0; i < 36 && key[i]; i++)
		buf[i] = key[i] >= 0x20 && key[i] < 0x7f ? key[i] : '?';
	buf[i] = 0;
}

/* Only these keys, each once. */
static bool only_keys(struct reader *r, struct json_object *object,
		      const char *const *keys, unsigned int nr)
{
	char hint[512], name[40];

	json_object_object_foreach(object, key, value) {
		unsigned int i;

		(void)value;
		for (i = 0; i < nr && strcmp(key, keys[i]); i++)
			;
		if (i < nr)
			continue;
		quote(key, name);
		suggest(hint, sizeof(hint), name, keys, nr);
		enter(r, key, 0);
		r->err[0] = 0;
		snprintf(r->err, r->size, "%s:%lu: there is no key '%s' here%s",
			 r->name, line_of(r->text, here(r)), name, hint);
		return false;
	}
	if (json_members(r->text, r->length, here(r)) !=
	    (size_t)json_object_object_length(object))
		return wrong(r, "a key is there twice");
	return true;
}

static bool is_object(struct reader *r, struct json_object *value)
{
	return json_object_is_type(value, json_type_object) ||
	       wrong(r, "expected an object, {...}");
}

/* json-c makes the largest number of all that are too large. */
static bool is_too_large(const struct reader *r, uint64_t value)
{
	static const char largest[] = "18446744073709551615";
	size_t n = strlen(largest), at = here(r);

	return value == UINT64_MAX &&
	       (at + n >= r->length || strncmp(r->text + at, largest, n) ||
		strchr("0123456789", r->text[at + n]));
}

/* A number, or a string that is one: for hexadecimal. */
static bool read_number(struct reader *r, struct json_object *value, uint64_t max,
		   uint64_t *result)
{
	bool good = false;

	if (json_object_is_type(value, json_type_string)) {
		good = parse_number(json_object_get_string(value), result);
	} else if (json_object_is_type(value, json_type_int)) {
		*result = json_object_get_uint64(value);
		good = json_object_get_int64(value) >= 0 &&
		       !is_too_large(r, *result);
	}
	if (!good)
		return wrong(r, "expected a whole number, 0 or more, of 64 bits");
	return *result <= max || wrong(r, "%" PRIu64 " is above %" PRIu64,
				       *result, max);
}

/* A member that must be there. */
static bool member(struct reader *r, struct json_object *object,
		   const char *key, uint64_t max, uint64_t *result)
{
	struct json_object *value;
	bool good;

	if (!json_object_object_get_ex(object, key, &value))
		return wrong(r, "the key '%s' is missing", key);
	enter(r, key, 0);
	good = read_number(r, value, max, result);
	r->depth -= good;
	return good;
}

typedef bool read_element(struct reader *r, struct json_object *value);

static bool elements(struct reader *r, struct json_object *array,
		     read_element *read)
{
	size_t i, nr;

	if (!json_object_is_type(array, json_type_array))
		return wrong(r, "expected an array, [...]");
	nr = json_object_array_length(array);
	for (i = 0; i < nr; i++) {
		enter(r, NULL, i);
		if (!read(r, json_object_array_get_idx(array, i)))
			return false;
		r->depth--;
	}
	return true;
}

static bool read_region(struct reader *r, struct json_object *value)
{
	static const char *const keys[] = { "replica", "base", "size" };
	uint64_t replica = 0, base = 0, size = 0;

	if (!is_object(r, value) || !only_keys(r, value, keys, ARRAY_SIZE(keys)) ||
	    !member(r, value, "replica", OCFABRIC_REPLICAS_MAX - 1, &replica) ||
	    !member(r, value, "base", UINT64_MAX, &base) ||
	    !member(r, value, "size", UINT64_MAX, &size))
		return false;
	r->config->region[replica].base = base;
	r->config->region[replica].length = size;
	return true;
}

static bool read_connection(struct reader *r, struct json_object *value)
{
	static const char *const keys[] = { "link", "qpn", "peer" };
	uint64_t link = 0, qpn = 0, peer = 0;

	if (!is_object(r, value) || !only_keys(r, value, keys, ARRAY_SIZE(keys)) ||
	    !member(r, value, "link", OCFABRIC_REPLICAS_MAX - 1, &link) ||
	    !member(r, value, "qpn", OCFABRIC_QPNS - 1, &qpn) ||
	    !member(r, value, "peer", OCFABRIC_REPLICAS_MAX - 1, &peer))
		return false;
	if (r->config->peer[link][qpn] != OCFABRIC_PEER_NONE)
		return wrong(r, "link %" PRIu64 " QPN %" PRIu64
			     " has an entry already", link, qpn);
	r->config->peer[link][qpn] = (uint8_t)peer;
	return true;
}

/* Both or none of "sem_first" and "sem_count". */
static bool read_sems(struct reader *r, struct json_object *value,
		      struct ocfabric_window *w)
{
	uint64_t first = 0, count = 0;

	if (!json_object_object_get_ex(value, "sem_first", NULL) &&
	    !json_object_object_get_ex(value, "sem_count", NULL))
		return true;
	if (!member(r, value, "sem_first", OCFABRIC_SEMAPHORES - 1, &first) ||
	    !member(r, value, "sem_count", OCFABRIC_SEMAPHORES, &count))
		return false;
	if (first + count > OCFABRIC_SEMAPHORES)
		return wrong(r, "semaphores %" PRIu64 " to %" PRIu64
			     " are not all below %d", first, first + count - 1,
			     OCFABRIC_SEMAPHORES);
	if (count) {
		w->sem_first = (uint32_t)first;
		w->sem_count = (uint32_t)count;
	}
	return true;
}

static bool read_window(struct reader *r, struct json_object *value)
{
	static const char *const keys[] = {
		"src", "dst", "offset", "length", "sem_first", "sem_count" };
	struct ocfabric_window w;
	uint64_t src = 0, dst = 0, offset = 0, length = 0;

	if (!is_object(r, value) || !only_keys(r, value, keys, ARRAY_SIZE(keys)) ||
	    !member(r, value, "src", OCFABRIC_REPLICAS_MAX - 1, &src) ||
	    !member(r, value, "dst", OCFABRIC_REPLICAS_MAX - 1, &dst) ||
	    !member(r, value, "offset", UINT64_MAX, &offset) ||
	    !member(r, value, "length", UINT64_MAX, &length))
		return false;
	w = (struct ocfabric_window){ .src = (uint32_t)src, .dst = (uint32_t)dst,
				      .offset = offset, .length = length };
	if (!read_sems(r, value, &w))
		return false;
	if (config_has_window(r->config, &w))
		return true;
	return config_add_window(r->config, &w) || wrong(r, "no memory");
}

static bool read_replicas(struct reader *r, struct json_object *value)
{
	uint64_t n = 0;

	if (!read_number(r, value, UINT32_MAX, &n))
		return false;
	r->config->replicas = (uint32_t)n;
	return true;
}

static bool read_latency(struct reader *r, struct json_object *value)
{
	uint64_t cycles = 0;

	if (!read_number(r, value, UINT32_MAX, &cycles))
		return false;
	r->config->latency = (uint32_t)cycles;
	return true;
}

static bool read_upstream(struct reader *r, struct json_object *value)
{
	if (!json_object_is_type(value, json_type_boolean))
		return wrong(r, "expected true or false");
	r->config->upstream_qpns = json_object_get_boolean(value);
	return true;
}

static bool read_regions(struct reader *r, struct json_object *value)
{
	return elements(r, value, read_region);
}

static bool read_connections(struct reader *r, struct json_object *value)
{
	if (json_object_is_type(value, json_type_string) &&
	    !strcmp(json_object_get_string(value), "default")) {
		config_default_peers(r->config->peer, r->config->replicas);
		return true;
	}
	if (!json_object_is_type(value, json_type_array))
		return wrong(r, "expected an array, [...], or \"default\"");
	return elements(r, value, read_connection);
}

static bool read_windows(struct reader *r, struct json_object *value)
{
	return elements(r, value, read_window);
}

/* In this order: the default connections need the number of replicas. */
static const char *const keys[] = {
	"replicas", "upstream_qpns", "latency", "regions", "connections",
	"windows",
};

static read_element *const readers[] = {
	read_replicas, read_upstream, read_latency, read_regions,
	read_connections, read_windows,
};

static bool read_config(struct reader *r, struct json_object *object)
{
	struct json_object *value;
	unsigned int i;

	if (!is_object(r, object) || !only_keys(r, object, keys, ARRAY_SIZE(keys)))
		return false;
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!json_object_object_get_ex(object, keys[i], &value))
			continue;
		enter(r, keys[i], 0);
		if (!readers[i](r, value))
			return false;
		r->depth--;
	}
	return true;
}

static bool read_document(struct reader *r, struct json_object *top)
{
	static const char *const top_keys[] = { "schema", "config" };
	struct json_object *schema, *array;

	if (!is_object(r, top) || !only_keys(r, top, top_keys, ARRAY_SIZE(top_keys)))
		return false;
	if (!json_object_object_get_ex(top, "schema", &schema) ||
	    !json_object_is_type(schema, json_type_string) ||
	    strcmp(json_object_get_string(schema), "ocfabric/1"))
		return wrong(r, "expected \"schema\": \"ocfabric/1\"");
	if (!json_object_object_get_ex(top, "config", &array))
		return wrong(r, "the key 'config' is missing");
	enter(r, "config", 0);
	if (!json_object_is_type(array, json_type_array) ||
	    json_object_array_length(array) != 1)
		return wrong(r, "expected an array of one configuration");
	enter(r, NULL, 0);
	return read_config(r, json_object_array_get_idx(array, 0));
}

static bool not_json(struct reader *r, struct json_tokener *tok)
{
	enum json_tokener_error error = json_tokener_get_error(tok);
	size_t at = json_tokener_get_parse_end(tok);

	bool early = error == json_tokener_continue ||
		     error == json_tokener_error_parse_eof;

	snprintf(r->err, r->size, "%s:%lu: not JSON: %s", r->name,
		 line_of(r->text, at < r->length ? at : r->length),
		 early ? "the file ends too early" :
		 error == json_tokener_success ? "something follows its end" :
		 json_tokener_error_desc(error));
	return false;
}

bool config_from_text(struct config *config, const char *name, const char *text,
		      size_t length, char *err, size_t size)
{
	struct reader r = {
		.config = config, .name = name, .text = text, .length = length,
		.err = err, .size = size,
	};
	struct json_tokener *tok = json_tokener_new();
	struct json_object *top;
	bool good;

	config_init(config);
	if (!tok)
		return wrong(&r, "no memory");
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	/* With its final zero: a lone number would wait for more digits. */
	top = json_tokener_parse_ex(tok, text, (int)length + 1);
	good = top && json_tokener_get_parse_end(tok) >= length ?
	       read_document(&r, top) : not_json(&r, tok);
	json_object_put(top);
	json_tokener_free(tok);
	if (!good)
		config_free(config);
	return good;
}
