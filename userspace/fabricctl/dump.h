/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dump: a .tar.gz of texts for a bug report
 *
 * Each part is NAME.txt, for people, and where it has rows also NAME.json. A part
 * that cannot be had says so in its place; the rest goes on. dump_tables.c has what
 * verbs show, dump_rings.c descriptors and completions, dump_events.c what was told
 * meanwhile, dump_system.c what the host knows of card and driver. Nothing of it is
 * payload, an immediate, a memory key, the address of a source or of anything in the
 * kernel.
 */
#ifndef FABRICCTL_DUMP_H
#define FABRICCTL_DUMP_H

#include "print.h"
#include "tar.h"

struct dump {
	struct ctl *ctl;
	struct tar *tar;
	const char *folder;		/* that it unpacks to */
	const char *part;		/* that is being made */
	FILE *text;			/* what will be its text */
	struct json_object *parts;	/* rows of the list of parts */
	unsigned int missing;		/* parts that could not be had */
	bool failed;			/* the file cannot be written */
	int deaf;			/* no events can be heard; an exit status */
	char *why_deaf;
};

/* dump.c */

/*
 * Makes a part: @add writes to @dump->text and returns an exit status. What it
 * says on stderr goes below the text; it is the reason if it failed.
 */
void dump_part(struct dump *dump, const char *name,
	       int (*add)(struct dump *dump, const void *arg), const void *arg);
/* A table and the JSON of a part; @columns NULL: JSON as text. Frees @rows. */
int dump_rows(struct dump *dump, const char *name, const struct column *columns,
	      unsigned int nr, struct json_object *rows);

/* The parts, by file */
void dump_tables(struct dump *dump);
void dump_rings(struct dump *dump);
void dump_system(struct dump *dump);
void dump_kernel_log(struct dump *dump);	/* dump_log.c */
void dump_events(struct dump *dump);		/* since dump_listen() */

/* Begins to listen to events; what keeps it from that, the part will say. */
void dump_listen(struct dump *dump);

#endif
