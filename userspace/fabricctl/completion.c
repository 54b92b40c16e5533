// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Bash completion, from the table of verbs
 */
#include <stdio.h>

#include "print.h"

static const char head[] =
	"# SPDX-License-Identifier: LGPL-2.1-or-later\n"
	"# Made by 'fabricctl completion'. A line for each verb: its words, a bar,\n"
	"# its keywords. KEY= takes a value, KEY=a,b one of these, =a,b is one of\n"
	"# these without a keyword, @ is a file name.\n"
	"_fabricctl_verbs='";

static const char script[] =
	"'\n"
	"\n"
	"# The words typed so far, without options, into the array typed.\n"
	"_fabricctl_typed() {\n"
	"\tlocal i\n"
	"\ttyped=()\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\tcase ${COMP_WORDS[i]} in\n"
	"\t\t-d|--device|--timeout) i=$((i + 1)) ;;\n"
	"\t\t-j|-p|--json|--pretty) ;;\n"
	"\t\t*) typed+=(\"${COMP_WORDS[i]}\") ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"}\n"
	"\n"
	"# Adds to found what can follow in a verb with these keywords.\n"
	"_fabricctl_keys() {\n"
	"\tlocal key values\n"
	"\tfor key in \"$@\"; do\n"
	"\t\tvalues=${key#*=}\n"
	"\t\tcase $key in\n"
	"\t\t@) found+=($(compgen -f -- \"$cur\")) ;;\n"
	"\t\t=*) found+=(${values//,/ }) ;;\n"
	"\t\t\"$prev\"=*) found=(${values//,/ }); return ;;\n"
	"\t\t*) [[ \" ${typed[*]} \" == *\" ${key%%=*} \"* ]] || found+=(\"${key%%=*}\") ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"}\n"
	"\n"
	"# A program with its arguments, whose first word is the one of this number.\n"
	"_fabricctl_program() {\n"
	"\tif declare -F _command_offset >/dev/null; then\n"
	"\t\t_command_offset \"$1\"\n"
	"\telif ((COMP_CWORD == $1)); then\n"
	"\t\tCOMPREPLY=($(compgen -c -- \"$cur\"))\n"
	"\telse\n"
	"\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	"\tfi\n"
	"}\n"
	"\n"
	"_fabricctl() {\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"\tlocal line depth words typed found=()\n"
	"\tfor ((depth = 1; depth < COMP_CWORD; depth++)); do\n"
	"\t\t[[ ${COMP_WORDS[depth]} == -- ]] || continue\n"
	"\t\t_fabricctl_program $((depth + 1))\n"
	"\t\treturn\n"
	"\tdone\n"
	"\t_fabricctl_typed\n"
	"\twhile IFS= read -r line; do\n"
	"\t\twords=(${line%%|*})\n"
	"\t\tfor ((depth = 0; depth < ${#words[@]}; depth++)); do\n"
	"\t\t\t((depth < ${#typed[@]})) || { found+=(\"${words[depth]}\"); continue 2; }\n"
	"\t\t\t[[ ${words[depth]} == \"${typed[depth]}\" ]] || continue 2\n"
	"\t\tdone\n"
	"\t\t_fabricctl_keys ${line#*|}\n"
	"\tdone <<<\"$_fabricctl_verbs\"\n"
	"\t((${#typed[@]})) || found+=(-d -j -p --device --json --pretty --timeout --help --version)\n"
	"\tcase $prev in\n"
	"\t-d|--device) found=($(cd /dev && compgen -G 'ocfabric[0-9]*')) ;;\n"
	"\t--timeout) found=() ;;\n"
	"\tesac\n"
	"\tCOMPREPLY=($(compgen -W \"${found[*]}\" -- \"$cur\"))\n"
	"}\n"
	"complete -o filenames -F _fabricctl fabricctl\n";

/* The metavariable of one of several words, as a list: "a|b C" is "a,b". */
static void put_values(const struct param *p)
{
	const char *s = p->meta;

	if (p->kind == KIND_NUMBER || p->kind == KIND_TEXT ||
	    p->kind == KIND_RANGE || p->kind == KIND_SECONDS || !s)
		return;
	for (; *s && *s != ' '; s++)
		putchar(*s == '|' ? ',' : *s);
}

static void put_param(const struct param *p)
{
	switch (p->kind) {
	case KIND_FILE:
		fputs(" @", stdout);
		return;
	case KIND_WORDS:
	case KIND_FLAG:
		if (p->keyword)
			printf(" %s", p->keyword);
		return;
	default:
		if (p->alias) {
			printf(" %s=", p->alias);
			put_values(p);
		}
		if (!p->keyword && p->kind == KIND_NUMBER)
			return;
		printf(" %s=", p->keyword ? p->keyword : "");
		put_values(p);
	}
}

int run_completion(struct ctl *ctl)
{
	const struct param *p;
	unsigned int i, w;

	(void)ctl;
	fputs(head, stdout);
	for (i = 0; i < nr_commands; i++) {
		const struct command *c = &commands[i];

		if (c->how & HOW_HIDDEN)
			continue;
		for (w = 0; w < 3 && c->word[w]; w++)
			printf("%s%s", w ? " " : "", c->word[w]);
		putchar('|');
		for (p = c->params; p && (p->keyword || p->meta); p++)
			put_param(p);
		if (i + 1 < nr_commands)
			putchar('\n');
	}
	fputs(script, stdout);
	return end_output();
}
