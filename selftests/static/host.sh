# SPDX-License-Identifier: GPL-2.0-only
# Gates for C that runs on the host: what checkers think of the card's model, the
# library and the tools.
# shellcheck shell=bash disable=SC2154,SC2046 # lib.sh sets them; no name has a space

host_code=('qemu-device/model/*.c' 'userspace/*.c')
host_code_contents() {
	[ -s "$scratch/host" ] || host_contents "${host_code[@]}" >"$scratch/host"
	cat "$scratch/host"
}

cpp_check() {
	local flags
	read -ra flags < <(host_flags "$1")
	cppcheck --quiet --std=c11 --error-exitcode=1 --enable=warning,performance,portability \
		--inline-suppr --suppress=missingIncludeSystem \
		-D__GNUC__ "${flags[@]}" "$1"
}

tidy() {
	local flags
	read -ra flags < <(host_flags "$1")
	tidy_with "$1" -std=gnu11 "${flags[@]}"
}

# Not for leaks: it takes what a struct member points to for lost, and LeakSanitizer
# looks for them in the tests. And a callback that fills a struct is unknown to it.
analyzer() {
	local flags
	read -ra flags < <(host_flags "$1")
	[ "$1" != userspace/fabricctl/nl.c ] || flags+=(-Wno-analyzer-null-dereference)
	gcc -std=gnu11 -O1 -fanalyzer -Wno-analyzer-malloc-leak -fno-diagnostics-show-caret \
		-fdiagnostics-path-format=none -Werror "${flags[@]}" -c -o /dev/null "$1"
}

# A frame that a guest's or a user's number makes larger, or one that is large. The model
# runs on QEMU's stacks; the tools have theirs for themselves.
stack() {
	local flags most=32768
	read -ra flags < <(host_flags "$1")
	case $1 in
	qemu-device/model/*) most=4096 ;;
	userspace/lib/*) most=12288 ;;
	esac
	gcc -std=gnu11 -O2 -Werror -Wvla -Wstack-usage=$most "${flags[@]}" -S -o /dev/null "$1"
}

gate 'cppcheck' remember cpp_check "$(cppcheck --version)" host_code_contents host_flags
gate 'clang-tidy' remember tidy "$(clang-tidy --version)" host_code_contents host_flags tidy_with
gate 'gcc -fanalyzer' remember analyzer "$gcc_version" host_code_contents host_flags
gate 'no stack frame grows, none is large' remember stack "$gcc_version" host_code_contents host_flags
