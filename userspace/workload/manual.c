// SPDX-License-Identifier: LGPL-2.1-or-later
/* Help and man page, of the table of options */
#include <ctype.h>
#include <stdio.h>

#include "options.h"
#include "workload.h"

static void spell(const struct wl_option *o, char *to, size_t size)
{
	char brief[8] = "";

	if (o->option.val < 0x100 && isalpha(o->option.val))
		snprintf(brief, sizeof(brief), "-%c, ", o->option.val);
	snprintf(to, size, "%s--%s%s%s", brief, o->option.name,
		 o->argument ? " " : "", o->argument ? o->argument : "");
}

void wl_help(void)
{
	char name[48];
	unsigned int i;

	puts("usage: ocf-workload -t T -n N [OPTIONS]\n"
	     "       ocf-workload --scenario -t T -n N [--seed S] [--count C]\n\n"
	     "Runs the traffic of replicated services on a card, a process a replica, and\n"
	     "verifies every byte that they read and its order.\n");
	for (i = 0; i < wl_nr_options; i++) {
		if (!wl_option_table[i].text)
			continue;
		spell(&wl_option_table[i], name, sizeof(name));
		printf("  %-20s %s\n", name, wl_option_table[i].text);
	}
	puts("\nExit status: 0 all is as it has to be; 1 an error, or it could not be run;\n"
	     "2 usage.");
}

/* A dash is not to be hyphenated. */
static void put(const char *text)
{
	for (; *text; text++) {
		if (*text == '-')
			putchar('\\');
		putchar(*text);
	}
	putchar('\n');
}

static void put_item(const char *name, const char *text)
{
	fputs(".TP\n.B ", stdout);
	put(name);
	put(text);
}

static const char head[] =
	".\\\" SPDX-License-Identifier: LGPL-2.1-or-later\n"
	".TH OCF-WORKLOAD 1 \"\" \"ocfabric " VERSION "\" \"User Commands\"\n"
	".SH NAME\n"
	"ocf\\-workload \\- traffic of replicated services, verified byte by byte\n"
	".SH SYNOPSIS\n"
	".B ocf\\-workload \\-t\n.I T\n.B \\-n\n.I N\n.RI [ OPTIONS ]\n"
	".SH DESCRIPTION\n"
	"Configures an ocfabric card, starts a process for each of\n"
	".I N\n"
	"replicas, and lets them write to each other in one of seven shapes. Each\n"
	"reader knows every byte it has to find, and the order in which. It needs\n"
	"CAP_NET_ADMIN, or\n"
	".B \\-\\-no\\-setup\n"
	"and the group ocfabric. The configuration stays afterwards.\n";

void wl_manual(void)
{
	char name[48];
	unsigned int i;

	fputs(head, stdout);
	puts(".SH OPTIONS");
	for (i = 0; i < wl_nr_options; i++) {
		if (!wl_option_table[i].text)
			continue;
		spell(&wl_option_table[i], name, sizeof(name));
		put_item(name, wl_option_table[i].text);
	}
	puts(".SH SHAPES");
	for (i = 0; wl_shapes[i]; i++)
		put_item(wl_shapes[i]->name, wl_shapes[i]->text);
	puts(".SH EXIT STATUS");
	put_item("0", "all is as it has to be");
	put_item("1", "an error was found, or it could not be run");
	put_item("2", "usage");
	puts(".SH SEE ALSO\n.BR fabricctl (8),\n.BR libocfabric (3)");
}
