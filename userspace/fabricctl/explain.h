/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The card's rules on a configuration, for those who are about to write
 */
#ifndef FABRICCTL_EXPLAIN_H
#define FABRICCTL_EXPLAIN_H

#include <model.h>

#include "config.h"

/*
 * Whether the card would let this write of @link through; if not, what it would
 * say, and what would have to change.
 */
bool explain_write(const struct config *config, unsigned int link,
		   const struct ocf_write *write, const char **verdict,
		   char *advice, size_t size);

#endif
