// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The man page, from the table of verbs
 */
#include "help.h"
#include "print.h"

/* Text with what troff would take for itself escaped. */
static void put(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
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

static void put_list(const struct named_text *list, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		put_item(list[i].name, list[i].text);
}

static void put_verbs(void)
{
	unsigned int i;
	char line[512];

	puts(".SH VERBS");
	for (i = 0; i < nr_commands; i++) {
		if (commands[i].how & HOW_HIDDEN)
			continue;
		usage_line(&commands[i], line, sizeof(line));
		put_item(line, commands[i].summary);
		if (commands[i].text) {
			puts(".IP");
			put(commands[i].text);
		}
	}
}

static const char head[] =
	".\\\" SPDX-License-Identifier: LGPL-2.1-or-later\n"
	".TH FABRICCTL 8 \"\" \"ocfabric " VERSION "\" \"System Administration\"\n"
	".SH NAME\n"
	"fabricctl \\- show and change what ocfabric cards do\n"
	".SH SYNOPSIS\n"
	".B fabricctl\n"
	".RB [ \\-d\n.IR DEV ]\n.RB [ \\-j ]\n.RB [ \\-p ]\n"
	".RB [ \\-\\-timeout\n.IR S ]\n"
	".I VERB OBJECT\n.RI [ ARGS ]\n"
	".SH DESCRIPTION\n"
	"An ocfabric card carries the RDMA writes between the replicas of a\n"
	"replicated service.\n"
	".B fabricctl\n"
	"shows a card's configuration, counters and owners to anyone, and changes\n"
	"the configuration for those who have CAP_NET_ADMIN in the initial user\n"
	"namespace. Numbers are decimal or 0x\\-hex; addresses, offsets and lengths\n"
	"are in bytes. Data goes to stdout, everything else to stderr; a verb that\n"
	"fails prints nothing on stdout.\n";

static const char tail[] =
	".SH JSON\n"
	"With\n.B \\-j\n"
	"the output is one object with the key\n.I schema\n"
	"(\"ocfabric/1\") and, under the name of what is shown, an array: empty when\n"
	"there is no card. Numbers are JSON numbers, 64\\-bit ones exact. Keys are\n"
	"added in later versions, never renamed.\n"
	".B replay\nand\n.B monitor \\-j\n"
	"print one object a line.\n"
	".SH CONFIGURATION FILE\n"
	"What\n.B save\n"
	"prints: under\n.I config\n"
	"an array of one object with the keys\n"
	".IR replicas ,\n.I upstream_qpns\n(true or false),\n.IR latency ,\n"
	".I regions\n(objects with\n.IR replica ,\n.IR base ,\n.IR size ),\n"
	".I connections\n(objects with\n.IR link ,\n.IR qpn ,\n.IR peer ;\n"
	"or the word \"default\") and\n"
	".I windows\n(objects with\n.IR src ,\n.IR dst ,\n.IR offset ,\n"
	".IR length ,\nand, for windows with semaphores,\n.I sem_first\nand\n.IR sem_count ).\n"
	"Numbers may also be strings, to write them in hexadecimal: \"0x10000\". Keys\n"
	"that are not known, and keys that are there twice, are refused.\n"
	".SH EXAMPLES\n"
	".nf\n"
	"fabricctl show counters\n"
	"fabricctl \\-j show counters link 0 | jq '.counters[0].committed'\n"
	"fabricctl add window src 0 dst 1 offset 0 length 0x1000\n"
	"fabricctl explain link 0 qpn 0 raddr 0x1000 length 64\n"
	"fabricctl save >before.json && fabricctl apply \\-\\-check new.json\n"
	".fi\n"
	".SH FILES\n"
	".TP\n.I /dev/ocfabricN\n"
	"the cards; members of the group\n.B ocfabric\n"
	"may attach to free replicas, which\n.B replay\ndoes\n"
	".TP\n.I /dev/ocfabric/by\\-path/\nthe same, by PCI address\n"
	".SH SEE ALSO\n"
	".BR libocfabric (3)\n";

int run_manual(struct ctl *ctl)
{
	(void)ctl;
	fputs(head, stdout);
	puts(".SH OPTIONS");
	put_list(help_options, nr_help_options);
	put_verbs();
	puts(".SH EXIT STATUS");
	put_list(help_statuses, nr_help_statuses);
	fputs(tail, stdout);
	return end_output();
}
