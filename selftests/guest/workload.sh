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
workload=$(type -P ocf-workload)
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

run() { timeout -k 5 200 "$workload" "$@" >"$work/out" 2>"$work/err"; }

# Rounds at n = 3 and n = 16. They make T4 use all its windows and T7 revoke one.
declare -A few=([T1]=500 [T2]=10 [T3]=60 [T4]=34 [T5]=20 [T6]=200 [T7]=200)
declare -A fewer=([T1]=60 [T2]=2 [T3]=10 [T4]=34 [T5]=6 [T6]=40 [T7]=40)
some=40
long=20
many="T1 T2 T3 T4 T5 T6 T7"	# those that run at n = 16, and as files
# A kernel that checks itself does a tenth in the same time.
if [ "${OCF_GUEST:-stock}" != stock ]; then
	few=([T1]=50 [T2]=1 [T3]=3 [T4]=4 [T5]=2 [T6]=20 [T7]=20)
	fewer=([T6]=2 [T7]=10)
	some=10
	long=5
	many="T6 T7"
fi

verified() {
	local n=$1
	shift
	run -n "$n" --stall 60 "$@" && [ ! -s "$work/err" ] && [[ $(<"$work/out") == *"; 0 errors" ]] &&
		[ "$(grep -c '^replica .*; verified$' "$work/out")" -eq "$n" ]
}

# same SHAPE N: the file replays as linksim says.
same() {
	"$workload" --scenario -t "$1" -n "$2" >"$work/scn" 2>"$work/err" &&
		linksim "$work/scn" >"$work/paper" 2>>"$work/err" &&
		fabricctl replay "$work/scn" >"$work/card" 2>>"$work/err" &&
		diff "$work/paper" "$work/card" >"$work/out"
}

# said TEXT STATUS: the run has found what was done to it.
said() {
	[ "$2" -eq 1 ] && grep -qE "$1" "$work/err" && return
	echo "status $2, expected 1 and: $1" >>"$work/err"
	return 1
}

# poked TEXT OFFSET MODE OPTIONS...: bytes of replica 1 are changed during a run.
poked() {
	local text=$1 offset=$2 mode=$3 status tries
	shift 3
	python3 -S -E selftests/guest/lib/poke.py 1 "$offset" "$mode" >"$work/poke" 2>&1 &
	background=$!
	for ((tries = 0; tries < 600; tries++)); do
		! grep -q ready "$work/poke" || break
		sleep 0.1
	done
	run "$@"
	status=$?
	wait "$background" || status=77
	background=
	cat "$work/poke" >>"$work/out"
	said "$text" $status
}

# spoiled TEXT OPTIONS... -- COMMAND...: the command is run in mid-traffic.
spoiled() {
	local text=$1 options=() status tries counted
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	fabricctl reset counters
	run "${options[@]}" &
	background=$!
	for ((tries = 0; tries < 600; tries++)); do
		counted=$(fabricctl show counters link 0 | awk 'NR == 2 { print $3 }')
		[ "${counted:-0}" -eq 0 ] || break
		sleep 0.1
	done
	"$@" >>"$work/out" 2>&1 || echo "the command has failed: $*" >>"$work/out"
	wait "$background"
	status=$?
	background=
	said "$text" $status
}

# The process of a replica: after timeout's and the parent's, in their order.
signal() { kill "-$1" "$(pgrep -f "^$workload -t" | sed -n "$((2 + $2))p")"; }

revoke_window() {
	local words
	read -r -a words < <("$workload" --scenario -t T6 -n 3 | grep '^window 0 1 ')
	fabricctl del window src 0 dst 1 offset "${words[3]}" length "${words[4]}"
}

# Nobody is left: every replica of the card can be had again.
clean() { ! pgrep -f "^$workload -t" >"$work/out" && verified 16 -t T6 --count 2; }

echo TAP version 13
for shape in T1 T2 T3 T4 T5 T6 T7; do
	verified 3 -t "$shape" --count "${few[$shape]}"
	ok $? "$shape, n 3"
	[[ $many == *$shape* ]] || continue
	verified 16 -t "$shape" --count "${fewer[$shape]}"
	ok $? "$shape, n 16"
	same "$shape" 3
	ok $? "$shape, n 3, as a scenario file"
done
for n in 3 16; do
	verified $n -t T2 --imm --count 1
	ok $? "T2, n $n, requests with immediate"
	verified $n -t T6 --sem --count $some
	ok $? "T6, n $n, by semaphores"
	verified $n -t T7 --sem --count $some
	ok $? "T7, n $n, by semaphores"
done
verified 2 -t T7 --seed 77 --count $((2 * some))
ok $? "T7, n 2, another seed"
verified 5 -t T6 --seconds 1
ok $? "T6, n 5, for a second"
verified 16 -t T6 --seconds $long
ok $? "T6, n 16, for a while"
verified 4 -t T2 --seconds 30 --count 3
ok $? "both a time and a count: the count came first"
verified 4 -t T2 --no-setup --count 3
ok $? "a card that is configured already"
! run -t T2 -n 3 --no-setup && grep -q 'the card has n 4' "$work/err"
ok $? "a card that is configured otherwise"

timeout -k 5 60 python3 -S -E -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$workload" -t T6 -n 3 --count 2 >"$work/out" 2>"$work/err"
ok $? "whoever starts it may ignore SIGCHLD"

spoiled 'expected QPN 0, committed, .* found QPN 0, unauthorized, 0 bytes' \
	-t T6 -n 3 --seconds 60 -- revoke_window
ok $? "a window that is taken away is noticed"
poked 'replica 1, offset 0x0, which nobody may write: expected 0+, found a5' \
	0 once -t T6 -n 3 --seconds 10
ok $? "bytes that nobody may write are noticed in the end"
poked 'replica 1, link 0, payload slot 0, message [0-9]+.* expected ' \
	0x80 until -t T6 -n 3 --seconds 60
ok $? "a payload that is spoiled is noticed"
poked 'replica 1, link 0, flag slot 0, message [0-9]+.* expected ' \
	0x480 until -t T6 -n 3 --seconds 60
ok $? "a flag that is spoiled is noticed"
poked 'replica 1, link 0, credit at 0x40: expected [0-9]+ to [0-9]+, found ' \
	0x40 until -t T6 -n 3 --seconds 60
ok $? "a credit that is spoiled is noticed"
spoiled 'replica 1 was killed by signal 9' -t T6 -n 3 --seconds 60 -- signal KILL 1
ok $? "a replica that is killed is reported"
# long enough that it is no other one that only had to wait for the processor
spoiled 'replica 2 shows no sign of life for 10 s' \
	-t T6 -n 3 --seconds 60 --stall 10 -- signal STOP 2
ok $? "a replica that hangs is reported"
clean
ok $? "and nothing is left of all that"
echo "1..$count"
exit $failed
