# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the build and guest scripts: messages, the cache, the archive.
# shellcheck shell=bash

set -Eeuo pipefail
trap 'echo "${0##*/}: line $LINENO failed: $BASH_COMMAND" >&2' ERR

me=${0##*/}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(dirname "$here")
cache=${OCF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ocfabric}
jobs=${OCF_JOBS:-$(nproc)}

say() { printf '%s: %s\n' "$me" "$*" >&2; }
die() { say "$*"; exit 1; }

# One hash for the contents of the files named on stdin, and of their names.
hash_files() { LC_ALL=C sort | xargs -r -d '\n' sha256sum | sha256sum | cut -c1-16; }
hash_text() { printf '%s\n' "$@" | sha256sum | cut -c1-16; }

# Holds the lock FILE until the script ends; says so when it has to wait.
lock() {
	mkdir -p "$(dirname "$1")"
	exec {lock_fd}>"$1"
	flock -n "$lock_fd" && return
	say "waiting for another build (lock $1)"
	flock -w "${OCF_LOCK_TIMEOUT:-3600}" "$lock_fd" ||
		die "gave up waiting for the lock $1"
}

# Runs a command with its output in LOG, and shows the end of it on failure.
# The lock is not inherited: a daemon the command leaves would keep it.
logged() {
	local log=$1
	shift
	if [ -n "${V:-}" ]; then
		"$@" > >(tee "$log" >&2) 2>&1 {lock_fd}>&-
	else
		"$@" >"$log" 2>&1 {lock_fd}>&- && return
		tail -n "${OCF_LOG_LINES:-40}" "$log" >&2
		die "failed: ${*:1:3}; all of its output is in $log"
	fi
}

# The archive, by a sources file and lists of our own: what is needed here is
# not enabled on a fresh machine, and /etc/apt is not ours to edit. The address
# is the one apt is already set up for.
archive_dir=$cache/apt

archive_uri() {
	apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
		awk -v c="$1" '$1 == c { print $2; exit }'
}

archive_sources() {
	local main security
	main=$(archive_uri bookworm)
	[ -n "$main" ] || die "apt knows no archive for Debian 12 (bookworm);" \
		"run 'apt-get update' as root, or see apt-get indextargets"
	security=$(archive_uri bookworm-security)
	printf 'deb %s bookworm-backports main\n' "$main"
	printf 'deb-src %s bookworm-backports main\n' "$main"
	printf 'deb %s bookworm-security main\n' \
		"${security:-${main%/debian/}/debian-security/}"
}

archive() {
	local tool=$1
	shift
	"$tool" -q -o Dir::Etc::SourceList="$archive_dir/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$archive_dir/lists" \
		-o Dir::Cache="$archive_dir/cache" \
		-o APT::Sandbox::User=root \
		-o Acquire::Retries=3 "$@"
}

# Lists are read again at most once an hour: apt itself checks what changed.
archive_update() {
	local stamp=$archive_dir/updated
	[ -z "$(find "$stamp" -mmin -60 2>/dev/null)" ] || return 0
	mkdir -p "$archive_dir"/{lists,cache/archives}/partial
	archive_sources >"$archive_dir/sources.list"
	archive apt-get update >"$archive_dir/update.log" 2>&1 ||
		{ tail -n 20 "$archive_dir/update.log" >&2; die "apt-get update failed"; }
	touch "$stamp"
}

# Fetches binary packages into the current directory.
archive_download() {
	archive apt-get download "$@" >download.log 2>&1 ||
		{ tail -n 20 download.log >&2; die "cannot download $*"; }
}
