// SPDX-License-Identifier: GPL-2.0-only
/*
 * What `fabricctl load` reads: a configuration that is taken is within bounds and
 * comes out the same after it was saved; one that is refused has its line named, in
 * printable characters.
 */
#include "fabricctl/config.h"
#include "fuzz.h"

static void check(const struct config *c)
{
	unsigned int link, qpn, i;

	for (link = 0; link < OCFABRIC_REPLICAS_MAX; link++)
		for (qpn = 0; qpn < OCFABRIC_QPNS; qpn++)
			MUST(c->peer[link][qpn] < OCFABRIC_REPLICAS_MAX ||
			     c->peer[link][qpn] == OCFABRIC_PEER_NONE);
	for (i = 0; i < c->nr_windows; i++) {
		const struct ocfabric_window *w = &c->window[i];

		MUST(w->src < OCFABRIC_REPLICAS_MAX && w->dst < OCFABRIC_REPLICAS_MAX);
		MUST(w->sem_first + w->sem_count <= OCFABRIC_SEMAPHORES);
	}
}

static void same(const struct config *a, const struct config *b)
{
	unsigned int i;

	MUST(a->replicas == b->replicas && a->latency == b->latency &&
	     a->upstream_qpns == b->upstream_qpns && a->nr_windows == b->nr_windows);
	MUST(!memcmp(a->region, b->region, sizeof(a->region)));
	MUST(!memcmp(a->peer, b->peer, sizeof(a->peer)));
	for (i = 0; i < a->nr_windows; i++)
		MUST(config_has_window(b, &a->window[i]));
}

static void save_and_load(const struct config *c)
{
	struct json_object *top = json_object_new_object();
	struct json_object *array = json_object_new_array();
	struct config again;
	char err[256] = "";
	const char *text;

	json_object_object_add(top, "schema", json_object_new_string("ocfabric/1"));
	json_object_array_add(array, config_to_json(c));
	json_object_object_add(top, "config", array);
	text = json_object_to_json_string(top);
	if (!config_from_text(&again, "again", text, strlen(text), err, sizeof(err))) {
		fprintf(stderr, "%s\n%s\n", err, text);
		abort();
	}
	same(c, &again);
	config_free(&again);
	json_object_put(top);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), err[256] = "";
	struct config config;
	const char *c;

	MUST(text);
	memcpy(text, data, size);
	text[size] = 0;
	if (config_from_text(&config, "f", text, size, err, sizeof(err))) {
		check(&config);
		save_and_load(&config);
		config_free(&config);
	} else {
		MUST(!strncmp(err, "f:", 2) && err[2] >= '1' && err[2] <= '9');
		for (c = err; *c; c++)
			MUST((unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7f);
	}
	free(text);
	return 0;
}
