#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# THEORY OF OPERATION: the examples as a user runs them. Replica 0 puts a text and its
# flag where it may, is told when it may not, and the counters agree. Those of several
# replicas run by themselves and under fabricctl launch, and say what they should.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
put=build/examples/put
count=0
failed=0
file=$(mktemp)
trap 'rm -f "$file"' EXIT

ok() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count $2"
	else
		echo "not ok $count $2"
		failed=1
		return 1
	fi
}

# Without an interpreter of its own: each takes seconds on a kernel that checks itself.
counted() {
	local said
	said=$(fabricctl -j show counters link 0)
	[[ $said =~ '"committed":2,' && $said =~ '"bytes":9,' ]] && ! [[ $said =~ '"unauthorized":0,' ]]
}

echo TAP version 13
echo 1..15
cat >"$file" <<'END'
{"schema":"ocfabric/1","config":[{
	"replicas":2, "upstream_qpns":false, "latency":0,
	"regions":[{"replica":0,"base":0,"size":4096},{"replica":1,"base":4096,"size":4096}],
	"connections":"default",
	"windows":[{"src":0,"dst":1,"offset":256,"length":64}]}]}
END
fabricctl apply "$file" && fabricctl reset counters
ok $? "the card is configured"

expected=$'qpn 0: committed, 5 bytes\nqpn 0: committed, 4 bytes'
out=$($put 0 0 0x100 hello) && [ "$out" = "$expected" ]
ok $? "a text and its flag are committed"

out=$($put 0 0 0x200 hello 2>&1)
[ $? -eq 1 ] && [[ $out == *unauthorized* ]]
ok $? "what no window allows is reported"

counted
ok $? "the counters agree"

# several NAME REPLICAS: alone and launched; its lines are on stdin, in any order
several() {
	local name=$1 n=$2 want
	want=$(sort)
	out=$(timeout 60 "build/examples/$name" 2>&1) && [ "$(sort <<<"$out")" = "$want" ]
	ok $? "$name by itself" || sed 's/^/# /' <<<"$out"
	out=$(timeout 60 fabricctl launch -n "$n" -- "build/examples/$name" 2>&1) &&
		[ "$(sed 's/^\[r[0-9]*\] //' <<<"$out" | sort)" = "$want" ]
	ok $? "$name launched" || sed 's/^/# /' <<<"$out"
}

userspace/examples/card && fabricctl reset device
ok $? "the card is configured for the others"
several pingpong 2 <<'END'
replica 0: 1000 is the last of 1000
replica 1: 999 is the last of 1000
END
several flag 2 <<<'replica 1: 200 payloads were whole'
several genstart 2 <<<'replica 1: 50 transfers arrived'
several quorum 3 <<'END'
replica 0: a majority has 300 entries
replica 1: has all 300 entries
replica 2: has all 300 entries
END
several ring 3 <<'END'
replica 0: handed on by everybody
replica 1: handed on by everybody
replica 2: handed on by everybody
END
exit $failed
