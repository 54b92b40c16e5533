#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# THEORY OF OPERATION: the example of the README as a user runs it: replica 0 puts a
# text and its flag where it may, is told when it may not, and the counters agree.
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
	fi
}

counter() {
	fabricctl -j show counters link 0 |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["counters"][0][sys.argv[1]])' "$1"
}

echo TAP version 13
echo 1..4
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

[ "$(counter committed)" = 2 ] && [ "$(counter bytes)" = 9 ] && [ "$(counter unauthorized)" != 0 ]
ok $? "the counters agree"
exit $failed
