#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# THEORY OF OPERATION: ocf-workload T1 to T7, a process a replica, at n = 3 and 16,
# verify without an error; their scenario files replay as linksim says. Then things
# go wrong on purpose, and it must say so, fail, and leave nothing behind: a window
# is taken away in mid-traffic, bytes are changed behind the readers' backs, a process
# is killed, another one stopped.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
workload=build/ocf-workload
background=
trap '[ -z "$background" ] || kill -9 "$background" 2>/dev/null; rm -rf "$work"' EXIT
count=0
failed=0

ok() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count $2"
	else
		sed 's/^/# /' "$work"/out "$work"/err 2>/dev/null
		echo "not ok $count $2"
		failed=1
	fi
}

run() { timeout -k 5 100 "$workload" "$@" >"$work/out" 2>"$work/err"; }

# Rounds at n = 16, which run on two cores
declare -A rounds=([T1]=200 [T2]=4 [T3]=30 [T4]=48 [T5]=20 [T6]=100 [T7]=100)

verified() {
	local n=$1
	shift
	run -n "$n" "$@" && [ ! -s "$work/err" ] && [[ $(<"$work/out") == *"; 0 errors" ]] &&
		[ "$(grep -c '^replica .*; verified$' "$work/out")" -eq "$n" ]
}

# same SHAPE N: the file replays as linksim says.
same() {
	"$workload" --scenario -t "$1" -n "$2" >"$work/scn" 2>"$work/err" &&
		linksim "$work/scn" >"$work/paper" 2>>"$work/err" &&
		fabricctl replay "$work/scn" >"$work/card" 2>>"$work/err" &&
		diff "$work/paper" "$work/card" >"$work/out"
}

# spoiled TEXT OPTIONS... -- COMMAND...: while a long run goes on the command is run;
# then the run must end with status 1 soon, and have said the text.
spoiled() {
	local text=$1 options=() status tries
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	timeout -k 5 100 "$workload" "${options[@]}" >"$work/out" 2>"$work/err" &
	background=$!
	for ((tries = 0; tries < 300; tries++)); do
		[[ $(fabricctl show counters link 0 2>/dev/null) == *" 0 "[1-9]* ]] && [ "$(committed)" -gt 50 ] && break
		sleep 0.1
	done
	"$@" >"$work/command" 2>&1
	status=$?
	cat "$work/command" >>"$work/out"
	[ $status -eq 0 ] || echo "the command ended with status $status" >>"$work/err"
	wait "$background"
	[ $? -eq 1 ] && [ $status -eq 0 ] && grep -qE "$text" "$work/err"
	status=$?
	background=
	return $status
}

committed() {
	fabricctl -j show counters link 0 |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["counters"][0]["committed"])'
}

# The process of a replica: they are started in the order of their numbers.
replica_pid() {
	pgrep -f "^$workload -t" | sed -n "$((2 + $1))p"
}

signal() { kill "-$1" "$(replica_pid "$2")"; }

# Nobody is left: every replica of the card can be had again.
clean() { ! pgrep -f "^$workload -t" >"$work/out" && verified 16 -t T6 --count 2; }

revoke_window() {
	local offset length
	read -r offset length < <(fabricctl -j show windows src 0 dst 1 | python3 -c '
import json, sys
w = json.load(sys.stdin)["windows"][0]
print(w["offset"], w["length"])')
	fabricctl del window src 0 dst 1 offset "$offset" length "$length"
}

poke() { python3 selftests/guest/lib/poke.py "$@"; }

echo TAP version 13
for shape in T1 T2 T3 T4 T5 T6 T7; do
	verified 3 -t "$shape"
	ok $? "$shape, n 3"
	verified 16 -t "$shape" --count "${rounds[$shape]}"
	ok $? "$shape, n 16"
	same "$shape" 3
	ok $? "$shape, n 3, as a scenario file"
done
verified 2 -t T7 --seed 77
ok $? "T7, n 2, another seed"
verified 5 -t T6 --seconds 2
ok $? "T6, n 5, for two seconds"
verified 4 -t T2 --seconds 30 --count 3
ok $? "both a time and a count: the count came first"
verified 4 -t T2 --no-setup --count 3
ok $? "a card that is configured already"
! run -t T2 -n 3 --no-setup && grep -q 'the card has n 4' "$work/err"
ok $? "a card that is configured otherwise"

spoiled 'expected QPN 0, committed, .* found QPN 0, unauthorized, 0 bytes' \
	-t T6 -n 3 --seconds 60 -- revoke_window
ok $? "a window that is taken away is noticed"
spoiled 'replica 1, offset 0x0, which nobody may write: expected 0+, found a5' \
	-t T6 -n 3 --seconds 3 -- poke 1 0 once
ok $? "bytes that nobody may write are noticed in the end"
spoiled 'replica 1, link 0, payload slot 0, message [0-9]+.* expected ' \
	-t T6 -n 3 --seconds 60 -- poke 1 0x80 until
ok $? "a payload that is spoiled is noticed"
spoiled 'replica 1, link 0, flag slot 0, message [0-9]+.* expected ' \
	-t T6 -n 3 --seconds 60 -- poke 1 0x480 until
ok $? "a flag that is spoiled is noticed"
spoiled 'replica 1, link [02], credit at 0x40: expected [0-9]+ to [0-9]+, found ' \
	-t T6 -n 3 --seconds 60 -- poke 1 0x40 until
ok $? "a credit that is spoiled is noticed"
spoiled 'replica 1 was killed by signal 9' -t T6 -n 3 --seconds 60 -- signal KILL 1
ok $? "a replica that is killed is reported"
spoiled 'replica 2 shows no sign of life for 2 s' \
	-t T6 -n 3 --seconds 60 --stall 2 -- signal STOP 2
ok $? "a replica that hangs is reported"
clean
ok $? "and nothing is left of all that"
echo "1..$count"
exit $failed
