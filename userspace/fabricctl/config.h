/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A card's whole configuration: read from the card or from a file, compared,
 * and turned into the steps of a change
 */
#ifndef FABRICCTL_CONFIG_H
#define FABRICCTL_CONFIG_H

#include "show.h"

struct config {
	uint32_t replicas;
	uint32_t latency;
	bool upstream_qpns;
	struct ocfabric_region region[OCFABRIC_REPLICAS_MAX];
	uint8_t peer[OCFABRIC_REPLICAS_MAX][OCFABRIC_QPNS];
	struct ocfabric_window *window;
	unsigned int nr_windows;
	unsigned int room_windows;

	/* of a card's */
	uint32_t generation;
	bool drained;
	char drained_by[64];
};

/* Steps of a change, as many as it takes. */
struct steps {
	struct ocfabric_change *step;
	size_t nr;
	size_t room;
};

/* config.c */

/* After a reset: no replicas, nothing connected. */
void config_init(struct config *config);
void config_free(struct config *config);
/* False: no memory. */
bool config_add_window(struct config *config, const struct ocfabric_window *w);
bool config_has_window(const struct config *config,
		       const struct ocfabric_window *w);
/* The default table for @n, or an empty one. */
void config_default_peers(uint8_t peer[OCFABRIC_REPLICAS_MAX][OCFABRIC_QPNS],
			  uint32_t n);

/* config_read.c: of one instant; prints and returns an exit status. */
int config_read(struct ctl *ctl, const struct card *card, struct config *config);

/* steps.c */
void steps_free(struct steps *steps);
bool steps_add(struct steps *steps, const struct ocfabric_change *step);
/* From the reset state to @config. False: no memory. */
bool steps_to(struct steps *steps, const struct config *config);
/* "region", "window", ...: what a step changes; for messages */
const char *step_name(uint32_t op);

/* config_file.c */

/* "sem_first" and "sem_count", where the window has semaphores. */
void put_window_sems(struct json_object *row, const struct ocfabric_window *w);
struct json_object *config_to_json(const struct config *config);
/* False, with "file:line: reason" in @err. */
bool config_from_text(struct config *config, const char *name, const char *text,
		      size_t length, char *err, size_t size);

/* apply.c: makes it the card's, under one drain; an exit status */
int config_write(struct ctl *ctl, const struct card *card,
		 const struct config *config, const char *what);

/* show_tables.c */

/* Adds a card's rows from its configuration; an exit status. */
typedef int add_config_rows(struct rows *rows, const struct config *config);

/* All cards' rows, printed as @name; an exit status. */
int show_configs(struct ctl *ctl, const char *name, add_config_rows *add,
		 const struct column *columns, unsigned int nr);

#endif
