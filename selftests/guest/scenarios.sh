#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# THEORY OF OPERATION: a scenario file gives the same answers on the card, through
# the driver, as on paper. Each of selftests/scenarios is replayed write by write
# and with --async, and compared with its .out by values; then random ones are
# compared with what linksim answers, OCF_SCENARIOS of which a driver takes every
# line, and as many that it refuses somewhere: up to there they must agree.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
lib=selftests/guest/lib
random=${OCF_SCENARIOS:-30}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
failed=0

result() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count $2"
	else
		echo "not ok $count $2"
		failed=$((failed + 1))
	fi
}

# agree FILE EXPECTED [OPTION...]: says what does not. A refusal is fine in a
# hostile file only.
agree() {
	local file=$1 expected=$2 status=0 refused=()
	shift 2
	timeout 60 fabricctl replay "$file" "$@" >"$work/got" 2>"$work/err" || status=$?
	if [ "$status" -eq 1 ] && [ -n "${hostile:-}" ]; then
		refused=(--refused)
	elif [ "$status" -ne 0 ]; then
		echo "# fabricctl ended with status $status"
		sed 's/^/# /' "$work/err"
		return 1
	fi
	python3 $lib/compare.py "${refused[@]}" "$expected" "$work/got" >"$work/diff" && return
	head -n 10 "$work/diff" | sed 's/^/# /'
	return 1
}

# random_ones NAME COMMAND...: COMMAND SEED makes a file
random_ones() {
	local name=$1 seed status=0
	shift
	for ((seed = 1; seed <= random; seed++)); do
		if ! "$@" $seed >"$work/scn" || ! linksim "$work/scn" >"$work/out"; then
			status=1
			break
		fi
		if ! agree "$work/scn" "$work/out" || ! agree "$work/scn" "$work/out" --async; then
			echo "# seed $seed"
			status=1
		fi
	done
	result $status "$name"
}

hostile_file() {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=selftests/host python3 -c \
		"import generate, sys; print(generate.scenario(int(sys.argv[1])), end='')" "$1"
}

echo 'TAP version 13'
for file in selftests/scenarios/*.scn; do
	name=$(basename "$file" .scn)
	[[ $name != model-only-* ]] || continue
	agree "$file" "${file%.scn}.out"
	result $? "$name"
	agree "$file" "${file%.scn}.out" --async
	result $? "$name --async"
done
random_ones "random files that a driver takes" python3 $lib/taken.py
hostile=1
random_ones "random files that a driver refuses somewhere" hostile_file
echo "1..$count"
[ $failed -eq 0 ]
