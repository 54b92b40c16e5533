# SPDX-License-Identifier: GPL-2.0-only
# Sourced by selftests/host/static: what its gates have in common.
# shellcheck shell=bash disable=SC2034,SC2154 # what it is sourced by has, or uses, them

number=0
kernel_source=$(qemu-device/linux-source)
gcc_version=$(gcc --version | head -n 1)

# What has passed is remembered outside the tree, so that a slow checker reads again
# only what has changed: $passed/CHECKER-KEY/CONTENT, empty files. KEY is made of the
# checker, its version and its options, CONTENT of the file and of all it includes.
# Nothing that failed is kept. OCF_STATIC_FRESH=1 looks at everything again.
passed=$(. qemu-device/common.sh && echo "$cache/static")
keep_days=30

files() { git ls-files -- "$@"; }

# gate NAME COMMAND...: passes if the command succeeds and prints nothing.
gate() {
	local name=$1 text status begin=$SECONDS
	shift
	text=$("$@" 2>&1)
	status=$?
	number=$((number + 1))
	if [ $status -eq 0 ] && [ -z "$text" ]; then
		echo "ok $number $name"
	else
		head -n 60 <<<"$text" | sed 's/^/# static:1: /'
		echo "not ok $number $name"
	fi
	echo "# $name: $((SECONDS - begin)) s"
}

hash_of() { sha256sum | cut -c1-32; }

# place CHECKER VERSION: the folder of what it passed. The functions that run it are
# its options.
place() {
	local checker=$1 version=$2
	shift 2
	echo "$passed/$checker-$({ echo "$version"; declare -f "$checker" "$@"; } | hash_of)"
}

# Reads again what has no mark: CHECKER FILE, some at once; prints what they say.
# remember CHECKER VERSION CONTENT-FUNCTION [FUNCTION...] is given "CONTENT FILE"
# lines by the CONTENT-FUNCTION; FUNCTIONs are those that the checker calls.
remember() {
	local checker=$1 version=$2 contents=$3 dir out content file failed=0
	shift 3
	dir=$(place "$checker" "$version" "$@")
	"$contents" >"$scratch/contents"
	[ -s "$scratch/contents" ] || { echo "$checker: has no files"; return 1; }
	out=$(mktemp -d)
	mkdir -p "$dir"
	while read -r content file; do
		if [ -z "${OCF_STATIC_FRESH:-}" ] && [ -e "$dir/$content" ]; then
			touch -c "$dir/$content"
			continue
		fi
		while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
			wait -n
		done
		look "$checker" "$file" "$dir/$content" "$out/${file//\//%}" &
	done <"$scratch/contents"
	wait
	for file in "$out"/*; do
		[ ! -e "$file" ] || { cat "$file"; failed=1; }
	done
	rm -rf "$out"
	return $failed
}

# look CHECKER FILE MARK COMPLAINT
look() {
	local text status
	text=$("$1" "$2" 2>&1)
	status=$?
	if [ $status -eq 0 ] && [ -z "$text" ]; then
		: >"$3"
	else
		printf '%s\n' "${text:-$2: $1 ended with status $status}" >"$4"
	fi
}

# Files that stand for themselves.
own_content() { [ $# -eq 0 ] || sha256sum "$@" | awk '{ print substr($1, 1, 32), $2 }'; }

library_flags=$(pkg-config --cflags libnl-genl-3.0 json-c smartcols zlib)

# The makefiles' flags, of one file.
host_flags() {
	local flags="-D_GNU_SOURCE -Iuapi -Iqemu-device/model -Iuserspace -Iuserspace/lib/include"
	case $1 in
	userspace/linksim/*) ;;
	userspace/*) flags+=" -DVERSION=\"0\" $library_flags" ;;
	selftests/fuzz/device/*) flags+=" -Iselftests/qtest -Iselftests/lib -Iqemu-device/fuzz" ;;
	selftests/*) flags+=" -Iselftests/lib -Iselftests/guest/lib -isystem build/kselftest" ;;
	esac
	echo "$flags"
}

# host_contents PATTERN...: of a file and all that it includes
host_contents() {
	export -f host_flags hash_of content_of
	export library_flags
	# shellcheck disable=SC2016
	files "$@" | xargs -P "$(nproc)" -n 8 bash -c 'for file; do content_of "$file"; done' bash
}

content_of() {
	local flags
	read -ra flags < <(host_flags "$1")
	echo "$(gcc -std=gnu11 -M "${flags[@]}" "$1" | sed 's/^[^:]*://; s/\\$//' | xargs sha256sum | hash_of) $1"
}

# tidy_with FILE FLAG...: told of are the file and headers of ours.
tidy_with() {
	local checks='-*,clang-analyzer-*,bugprone-*' file=$1
	shift
	checks+=',-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier'
	checks+=',-bugprone-narrowing-conversions,-bugprone-macro-parentheses'
	checks+=',-bugprone-assignment-in-if-condition,-bugprone-implicit-widening-of-multiplication-result'
	checks+=',-bugprone-suspicious-string-compare,-clang-analyzer-valist.Uninitialized'
	checks+=',-clang-analyzer-security.insecureAPI.*'
	# it does not see that another file's function has set what it passed
	checks+=',-clang-analyzer-core.uninitialized.*'
	# members are in the order of what they are for
	checks+=',-clang-analyzer-optin.performance.Padding'
	clang-tidy --quiet --warnings-as-errors='*' --header-filter='(qemu-device|userspace|uapi)/' \
		--checks="$checks" "$file" -- "$@" 2>/dev/null | grep -E ': (error|warning): '
	return "${PIPESTATUS[0]}"
}

# Forgets what nobody has asked for in a while.
forget() {
	[ ! -d "$passed" ] || find "$passed" -type f -mtime +$keep_days -delete
	[ ! -d "$passed" ] || find "$passed" -mindepth 1 -type d -empty -mtime +1 -delete
}
