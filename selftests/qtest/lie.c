// SPDX-License-Identifier: GPL-2.0-only
#include "lie.h"

#include <stdio.h>

/* New ones at the end: inputs of the fuzzer name them by their numbers. */
const char *const card_lies[] = {
	"magic", "major", "minor", "features", "ones", "zeros", "replicas-0",
	"replicas-17", "replicas-max", "windows-0", "windows-max", "hbm-0",
	"hbm-odd", "hbm-big", "clock-0", "clock-max", "keys-0", "keys-max",
	"ranges-0", "ranges-max", "key-ranges-0", "key-ranges-max",
	"faults-max", "status-ones", "busy", "error", "stage", "clock", "generation",
	"limits", "queues", "semaphores", "counters", "rejects", "paths",
	"broadcast", "cmd-never", "cmd-idle", "cmd-ones", "cmd-result", "qp-never",
	"qp-block", "qp-contexts", "cqe-tag", "cqe-index", "cqe-again",
	"cqe-length", "cqe-fields", "cqe-flood", "mirror", "hbm", "lost",
	"event-fields", "event-storm", "event-ahead", "irq-storm",
	"irq-nothing", "irq-none",
};

const unsigned int card_nr_lies = sizeof(card_lies) / sizeof(*card_lies);

bool card_lie(struct card *c, const char *lies)
{
	char value[256];

	snprintf(value, sizeof(value), "\"%s\"", lies);
	return card_set(c, "hostile", value);
}
