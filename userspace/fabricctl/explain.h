/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The card's rules on what a card has now, for those who want to know what it
 * would say and what would have to change (advice.c)
 */
#ifndef FABRICCTL_EXPLAIN_H
#define FABRICCTL_EXPLAIN_H

#include <model.h>

#include "config.h"
#include "qps.h"

struct rules {
	const struct config *config;
	const struct qps *qps;
	struct ocf_config model;
	uint64_t stopped[OCFABRIC_REPLICAS_MAX][OCFABRIC_QPNS / 64];
};

/* False: no memory. @config and @qps are looked at until rules_free(). */
bool rules_init(struct rules *rules, const struct config *config,
		const struct qps *qps);
void rules_free(struct rules *rules);

/* A write, and where it leads. */
struct question {
	const struct rules *rules;
	unsigned int link;
	uint8_t peer;		/* by rules_judge() */
	struct ocf_write write;
};

void rules_judge(struct question *q, struct ocf_explanation *e);

/* What would have to change for this check, which failed; or empty. */
void advise(const struct question *q, enum ocf_check check, char *buf, size_t size);

/*
 * Whether the card would let this write of @link through; if not, what it would
 * say, and what would have to change.
 */
bool explain_write(struct ctl *ctl, const struct card *card,
		   const struct config *config, unsigned int link,
		   const struct ocf_write *write, const char **verdict,
		   char *advice, size_t size);

#endif
