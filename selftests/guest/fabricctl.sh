#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# THEORY OF OPERATION: every verb of fabricctl against the card, as root: its text,
# its JSON (parsed by python3), its exit status, and that nothing is on stdout when
# it fails. What it changes is read back by show. Rights are tried as another uid,
# an owned replica by a small program that attaches. Ends with the card as reset.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
chmod 755 "$work"
background=
judge_PID=
trap '[ -z "$background" ] || kill -9 $background; kill $judge_PID; rm -rf "$work"' EXIT
count=0
failed=0
module=build/driver/$(uname -r)/ocfabric.ko

ok() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count $2"
	else
		echo "not ok $count $2"
		failed=$((failed + 1))
	fi
}

# run STATUS ARGS...: out and err are what it printed; complains if the status is
# another, or if it failed and printed something.
run() {
	local expected=$1 status=0
	shift
	fabricctl --timeout 60 "$@" >"$work/out" 2>"$work/err" || status=$?
	out=$(<"$work/out")
	err=$(<"$work/err")
	if [ $status -ne "$expected" ]; then
		echo "# fabricctl $*: status $status, expected $expected: $err"
		return 1
	fi
	if [ $status -ne 0 ] && [ -n "$out" ]; then
		echo "# fabricctl $*: failed, and printed $out"
		return 1
	fi
}

# says TEXT...: all of them are on stderr
says() {
	local text
	for text in "$@"; do
		[[ $err == *"$text"* ]] || { echo "# no '$text' in: $err"; return 1; }
	done
}

# shows TEXT...: all of them are on stdout
shows() {
	local text
	for text in "$@"; do
		[[ $out == *"$text"* ]] || { echo "# no '$text' in: $out"; return 1; }
	done
}

# One interpreter for all, since each takes seconds to start on a kernel that checks
# itself: a line in is an expression, a line out what is wrong. d is what is on
# stdout: an object, or a list of those that are one a line.
coproc judge { python3 -S -u -c '
import json, subprocess, sys

def objects(text):
    return [json.loads(line) for line in text.splitlines()]

def read(name):
    with open(name) as f:
        text = f.read()
    try:
        return json.loads(text)
    except ValueError:
        return objects(text)

def matches(got, name):
    # what the objects say is what those of the file say
    expected = read(name)
    for i, (g, e) in enumerate(zip(got, expected)):
        if any(g.get(key, "absent") != value for key, value in e.items()):
            raise ValueError("object %d: %s, expected %s" % (i, g, e))
    return len(got) == len(expected)

def explained(said, name, step):
    # what explain says to each write of a scenario, or some, is what the card said
    said = [s for s in said if s["op"] == "write"]
    with open(name) as f:
        writes = [line.split() for line in f if line.startswith("write")]
    for s, w in list(zip(said, writes))[::step]:
        args = ["link", w[1], "qpn", w[2], "raddr", w[3], "length", w[4]]
        out = subprocess.run(["fabricctl", "-j", "explain", *args], capture_output=True,
                             check=True, timeout=60).stdout
        e = json.loads(out)["explain"][0]
        if e["verdict"] != s["verdict"] or e["peer"] != s["peer"]:
            raise ValueError("%s: explain says %s, the card %s" % (args, e, s))
    return len(said) == len(writes)

for line in sys.stdin:
    try:
        d = read(sys.argv[1])
        print("" if eval("(" + line.strip() + ")") else "not so: %s" % json.dumps(d)[:2000])
    except Exception as e:
        print("%s: %s" % (type(e).__name__, e))' "$work/out"; }

# json EXPRESSION: true of stdout, which is d
json() {
	local wrong
	echo "${1//$'\n'/ }" >&"${judge[1]}"
	read -r -t 300 wrong <&"${judge[0]}" || wrong="no answer"
	[ -z "$wrong" ] || { echo "# $1: $wrong"; return 1; }
}

# matches FILE: what stdout's objects say is what the file's say
matches() { json "matches(d, '$1')"; }

# refuse STATUS TEXT ARGS...
refuse() {
	local status=$1 text=$2
	shift 2
	run "$status" "$@" && says "$text"
}

tool=$(type -P fabricctl)
as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }

# until_true COMMAND...: again and again, for a minute
until_true() {
	local end=$((SECONDS + 60))
	until "$@"; do
		((SECONDS < end)) || { echo "# never: $*"; return 1; }
		read -rt 0.05 <> <(:)
	done
	return 0
}

three_replicas='{"schema":"ocfabric/1","config":[{
	"replicas":3, "connections":"default",
	"regions":[{"replica":0,"base":0,"size":65536},
		{"replica":1,"base":65536,"size":65536},
		{"replica":2,"base":131072,"size":65536}],
	"windows":[{"src":0,"dst":1,"offset":0,"length":4096},
		{"src":2,"dst":1,"offset":16384,"length":4096}]}]}'

# ---- cards -----------------------------------------------------------------

t_devices() {
	run 0 show devices && shows "ocfabric0" "0x10000" || return
	run 0 -j show devices &&
		json 'd["schema"] == "ocfabric/1" and d["devices"][0]["device"] == "ocfabric0"' || return
	pci=$(grep -o '"pci":"[^"]*"' "$work/out" | cut -d'"' -f4)
	for card in 0 ocfabric0 /dev/ocfabric0 "$pci"; do
		run 0 -d "$card" -j show devices && json 'len(d["devices"]) == 1' || return
	done
	refuse 3 "there is no card 7; there ocfabric0" -d 7 show devices &&
		refuse 3 "there is no card" -d 0000:ff:1f.7 drain
}

t_pretty() {
	run 0 -j -p show devices && json 'len(d["devices"]) == 1' && [[ $out == *$'\n'*$'\n'* ]]
}

# ---- configuration ---------------------------------------------------------

t_apply() {
	echo "$three_replicas" >"$work/three.json"
	run 0 apply "$work/three.json" && [ -z "$out$err" ] || return
	run 0 -j show config && json 'd["config"][0]["replicas"] == 3 and d["config"][0]["windows"] == 2
		and d["config"][0]["drained"] is False' || return
	run 0 -j show regions && json 'd["regions"] == [{"device": "ocfabric0", "replica": i,
		"base": i * 65536, "size": 65536, "whole_pages": True} for i in range(3)]' || return
	run 0 -j show connections && json '[(c["link"], c["qpn"], c["peer"]) for c in d["connections"]] ==
		[(0,0,1), (0,1,2), (1,2,0), (1,3,2), (2,4,0), (2,5,1)]' || return
	run 0 -j show windows && json '[(w["src"], w["dst"], w["offset"], w["length"]) for w in d["windows"]] ==
		[(0, 1, 0, 4096), (2, 1, 16384, 4096)]' || return
	run 0 show windows && shows "0x4000" "length"
}

t_filters() {
	run 0 -j show connections link 2 dst 1 && json 'len(d["connections"]) == 1' &&
		run 0 -j show windows src 2 && json 'len(d["windows"]) == 1' &&
		run 0 -j show windows src 1 && json 'd["windows"] == []' &&
		run 0 -j show regions replica 2 && json 'len(d["regions"]) == 1' &&
		run 0 -j show counters link 1 && json '[c["link"] for c in d["counters"]] == [1]' &&
		refuse 3 "has no link 5: there are 3" show counters link 5 &&
		refuse 3 "has no link 3: there are 3" show map link 3
}

t_map() {
	run 0 -j show map && json 'len(d["map"]) == 6 and "meant" not in d["map"][0]' || return
	run 0 -j show map --upstream && json 'sorted(m["ends"] for m in d["map"] if m["ends"]) ==
		["misrouted"] * 2 + ["unmapped"] * 4' || return
	run 0 show map --upstream && shows "unmapped" "misrouted" "meant"
}

t_save() {
	run 0 save && cp "$work/out" "$work/saved.json" || return
	run 0 set latency 7 && run 0 set upstream-qpns on && run 0 set connection link 0 qpn 200 peer 2 || return
	run 0 -j save && json 'd["config"][0]["latency"] == 7 and d["config"][0]["upstream_qpns"] is True
		and {"link": 0, "qpn": 200, "peer": 2} in d["config"][0]["connections"]' || return
	run 0 -j apply --check "$work/saved.json" && json '[c["what"] for c in d["changes"]] ==
		["upstream-qpns", "latency", "connection link 0 qpn 200"]' || return
	run 0 apply "$work/saved.json" --check && shows "latency" "connection link 0 qpn 200" "none" || return
	run 0 apply - <"$work/saved.json" && run 0 save && cmp "$work/out" "$work/saved.json" || return
	run 0 -j apply --check "$work/saved.json" && json 'd["changes"] == []'
}

t_set() {
	run 0 set region 2 base 0x30000 size 0x2040 && run 0 -j show regions replica 2 &&
		json 'd["regions"][0]["base"] == 0x30000 and d["regions"][0]["whole_pages"] is False' || return
	run 0 set connection link 0 qpn 9 peer 2 && run 0 -j show connections dst 2 &&
		json '(0, 9) in [(c["link"], c["qpn"]) for c in d["connections"]]' || return
	run 0 set connection link 0 qpn 9 peer none && run 0 -j show connections dst 2 &&
		json '(0, 9) not in [(c["link"], c["qpn"]) for c in d["connections"]]' || return
	run 0 add window src 1 dst 2 offset 64 length 64 && run 0 add window src 1 dst 2 offset 64 length 64 &&
		run 0 -j show windows src 1 && json 'len(d["windows"]) == 1' || return
	run 0 del window src 1 dst 2 offset 64 length 64 && run 0 -j show windows src 1 && json 'd["windows"] == []' || return
	refuse 3 "no window" del window src 1 dst 2 offset 64 length 64 &&
		run 0 set connections default
}

t_refused() {
	run 0 save && cp "$work/out" "$work/before.json" || return
	refuse 1 "replicas" set replicas 1 &&
		refuse 1 "replicas" set replicas 17 &&
		refuse 1 "multiple of 64" set region 0 base 0x20 size 0x1000 &&
		refuse 1 "overlaps" set region 0 base 0x10000 size 0x1000 &&
		refuse 1 "HBM" set region 0 base 0 size 0x100000000 &&
		refuse 1 "itself" set connection link 0 qpn 0 peer 0 &&
		refuse 1 "there are 3 replicas" set connection link 0 qpn 0 peer 3 &&
		refuse 1 "the region has" add window src 0 dst 1 offset 0xf000 length 0x1001 &&
		refuse 1 "the region has" add window src 0 dst 1 offset 0xffffffffffffffff length 1 &&
		refuse 1 "there are 3 replicas" add window src 0 dst 3 offset 0 length 4 &&
		refuse 1 "window" set region 1 base 0x10000 size 0x1000 || return
	sed 's/"size":65536}/"size":65537}/' "$work/saved.json" >"$work/overlap.json"
	refuse 1 "overlaps" apply "$work/overlap.json" && refuse 1 "overlaps" apply "$work/overlap.json" --check || return
	run 0 save && cmp "$work/out" "$work/before.json"
}

# Lowering n leaves entries that name lost replicas; they are saved and applied.
t_entries_stay() {
	run 0 apply "$work/three.json" && run 0 add window src 0 dst 2 offset 0 length 64 &&
		run 0 set replicas 2 && run 0 save || return
	cp "$work/out" "$work/two.json"
	json 'any(w["dst"] == 2 for w in d["config"][0]["windows"])
		and any(c["peer"] == 2 for c in d["config"][0]["connections"])' || return
	run 0 apply "$work/three.json" && run 0 apply "$work/two.json" && run 0 save &&
		cmp "$work/out" "$work/two.json"
}

t_drain() {
	run 0 drain && run 0 -j show config &&
		json 'd["config"][0]["drained"] and d["config"][0]["drained_comm"] == "fabricctl"
			and d["config"][0]["drained_since"] > 10**18' || return
	refuse 1 "drained" drain && run 0 set latency 3 && run 0 -j show config &&
		json 'd["config"][0]["drained"] and d["config"][0]["latency"] == 3' || return
	refuse 1 "resume first" replay selftests/scenarios/basic.scn || return
	run 0 resume && run 0 -j show config && json 'not d["config"][0]["drained"]' &&
		refuse 1 "not drained" resume && run 0 set latency 0
}

# ---- semaphores, queues ----------------------------------------------------

t_semaphore_windows() {
	run 0 apply "$work/three.json" && run 0 add window src 0 dst 2 offset 0 length 0 sem 3-5 &&
		run 0 add window src 1 dst 2 offset 0 length 64 sem 63 || return
	run 0 -j show windows dst 2 && json '[(w["src"], w["length"], w["sem_first"], w["sem_count"])
		for w in d["windows"]] == [(0, 0, 3, 3), (1, 64, 63, 1)]' &&
		run 0 -j show windows dst 1 && json 'all("sem_first" not in w for w in d["windows"])' &&
		run 0 show windows dst 2 && shows "sem_first" " 63 " || return
	run 0 save && cp "$work/out" "$work/sems.json" &&
		json 'sum("sem_first" in w for w in d["config"][0]["windows"]) == 2' || return
	run 0 del window src 0 dst 2 offset 0 length 0 sem 3-5 &&
		run 0 -j apply "$work/sems.json" --check &&
		json '[c["what"] for c in d["changes"]] == ["window src 0 dst 2 offset 0x0 length 0x0 sem 3-5"]' &&
		run 0 apply "$work/sems.json" && run 0 save && cmp "$work/out" "$work/sems.json" || return
	refuse 3 "no window" del window src 0 dst 2 offset 0 length 0 sem 3-4
}

t_explain_semaphores() {
	run 0 explain link 0 qpn 1 sem 4 && shows "sem 4: committed, peer 2" &&
		run 0 explain link 0 qpn 1 sem 6 &&
		shows "unauthorized" "fabricctl add window src 0 dst 2 offset 0 length 0 sem 6" &&
		run 0 explain link 0 qpn 1 sem 64 && shows "unauthorized" "64 semaphores" &&
		run 0 -j explain link 0 qpn 1 sem 5 && json 'd["explain"][0]["sem"] == 5
			and d["explain"][0]["raddr"] is None and d["explain"][0]["verdict"] == "committed"'
}

t_queues() {
	run 0 -j show queues && json 'len(d["queues"]) == 16 and d["queues"][3]["state"] is None
		and d["queues"][3]["burst"] == 128 and d["queues"][3]["mode"] == "latency"' || return
	run 0 set moderation 3 burst 7 timer 9000 mode count && run 0 -j show queues replica 3 &&
		json '[d["queues"][0][k] for k in ("burst", "timer", "mode")] == [7, 9000, "count"]' || return
	run 0 set moderation 3 timer 0 && run 0 exec -r 3 -- fabricctl -j show queues replica 3 &&
		json '{k: d["queues"][0][k] for k in ("replica", "state", "head", "tail", "rx_head", "rx_tail",
			"waiting", "tx_entries", "rx_entries", "completions", "burst", "timer", "mode", "cause",
			"cause_text")} == {"replica": 3, "state": "enabled", "head": 0, "tail": 0, "rx_head": 0,
			"rx_tail": 0, "waiting": False, "tx_entries": 1024, "rx_entries": 1024, "completions": 0,
			"burst": 7, "timer": 0, "mode": "count", "cause": "none", "cause_text": None}' || return
	run 0 reset device && run 0 show queues replica 3 && shows " 7 " "count" &&
		run 0 set moderation 3 burst 128 timer 2000 mode latency
}

t_stopped_queue() {
	local status=0
	fabricctl -j monitor >"$work/events" 2>"$work/monitor.err" &
	background=$!
	until_true grep -q "waiting for events" "$work/monitor.err" || return
	run 0 exec -r 5 -- python3 -S -c '
import fcntl, mmap, os, struct, subprocess, sys, time
fd = int(os.environ["OCF_FD"])
b = bytearray(struct.pack("II", 200, 0) + bytes(192))
fcntl.ioctl(fd, 0xfa90, b)
at = struct.unpack_from("16Q", b, 56)
for i in (6, 12):
    m = mmap.mmap(fd, at[i + 1], offset=at[i])
    memoryview(m).cast("I")[0x38 // 4] = 1
end = time.monotonic() + 60
said = b""
while b"\"stopped\"" not in said and time.monotonic() < end:
    said = subprocess.run(["fabricctl", "-j", "show", "queues", "replica", "5"],
                          capture_output=True, check=True).stdout
sys.stdout.buffer.write(said)' || status=1
	[ $status -eq 0 ] && until_true grep -q queue-stopped "$work/events" || status=1
	kill -INT $background
	wait $background
	background=
	[ $status -eq 0 ] && json 'd["queues"][0]["state"] == "stopped" and d["queues"][0]["cause"] == "stale_tag"
		and d["queues"][0]["cause_text"] == "0 descriptors were written, the doorbell promised 1"' || return
	grep queue-stopped "$work/events" >"$work/out"
	json 'd["event"] == "queue-stopped" and d["replica"] == 5 and d["cause"] == "stale_tag"
		and "the doorbell promised 1" in d["cause_text"]'
}

t_semaphores() {
	run 0 apply "$work/sems.json" && run 0 -j show semaphores &&
		json 'len(d["semaphores"]) == 16 * 64 and all(s["value"] == 0 for s in d["semaphores"])' || return
	run 0 show semaphores && [ "$(wc -l <"$work/out")" -eq 0 ] || return
	run 0 show semaphores --all replica 9 && [ "$(wc -l <"$work/out")" -eq 65 ] || return
	run 0 -j show semaphores replica 9 && json '[s["semaphore"] for s in d["semaphores"]] == list(range(64))'
}

# With nothing in flight the link is as it was.
t_reset_link() {
	run 0 reset link 1 && run 0 replay selftests/scenarios/basic.scn &&
		matches selftests/scenarios/basic.out
}

# ---- replay ----------------------------------------------------------------

t_replay() {
	local how
	for how in "" --async; do
		# shellcheck disable=SC2086
		run 0 replay selftests/scenarios/basic.scn $how &&
			matches selftests/scenarios/basic.out || return
	done
	run 0 -j show counters && json '[c["writes"] for c in d["counters"]] == [4, 0, 2]' &&
		json '[c["committed"] for c in d["counters"]] == [2, 0, 1]' &&
		json 'list(d["counters"][0])[:4] == ["device", "link", "writes", "committed"]' &&
		run 0 show counters && shows "unauthorized"
}

t_restore() {
	run 0 apply "$work/three.json" && run 0 set latency 77 && run 0 save &&
		cp "$work/out" "$work/before.json" || return
	run 0 replay selftests/scenarios/upstream-4.scn --restore && run 0 save &&
		cmp "$work/out" "$work/before.json"
}

t_refused_statement() {
	local status=0
	printf 'ocfabric-scenario 1\nn 3\nregion 0 base 0 size 0x1000\nregion 1 base 0x1000 size 0x1000\nconn default\nwindow 0 1 0 64\nwrite 0 0 0 4 inc:1\nlatency 0\nn 1\nwrite 0 0 0 4 inc:1\n' >"$work/bad.scn"
	fabricctl --timeout 60 replay "$work/bad.scn" >"$work/lines" 2>"$work/err" || status=$?
	[ $status -eq 1 ] || return
	cp "$work/lines" "$work/out"
	json 'len(d) == 2 and d[1]["op"] == "n" and d[1]["line"] == 9 and d[1]["error"] == "EINVAL"
		and "replicas" in d[1]["reason"]'
}

t_card_not_enough() {
	printf 'ocfabric-scenario 1\nhbm 0x100000000\n' >"$work/big.scn"
	refuse 1 "HBM" replay "$work/big.scn"
}

# What explain says to each write of a scenario is what the card said; on a kernel
# that checks itself to every fifth.
t_explain() {
	local step=1
	[ "${OCF_GUEST:-stock}" = stock ] || step=5
	run 0 replay selftests/scenarios/boundaries.scn &&
		json "explained(d, 'selftests/scenarios/boundaries.scn', $step)"
}

t_explain_advice() {
	run 0 apply "$work/three.json" || return
	run 0 explain link 0 qpn 0 raddr 0x1000 length 64 &&
		shows "unauthorized" "nearest window is offset 0x0 length 0x1000" "add window src 0 dst 1 offset 0x1000" &&
		run 0 explain link 0 qpn 9 raddr 0 length 64 && shows "unmapped" "QPN 0 to replica 1" &&
		run 0 explain link 0 qpn 0 raddr 2 length 64 && shows "misaligned" "0x0" &&
		run 0 explain link 0 qpn 0 raddr 0xfffc length 8 && shows "out_of_bounds" "length of 4 at most" &&
		run 0 explain link 9 qpn 0 raddr 0 length 4 && shows "bad_config" "n is 3" &&
		run 0 -j explain link 0 qpn 0 raddr 0 length 64 &&
		json 'd["explain"][0]["verdict"] == "committed" and d["explain"][0]["decides"] is None'
}

t_rejects() {
	run 0 replay selftests/scenarios/basic.scn && run 0 -j show rejects &&
		json '[(r["link"], r["verdict"]) for r in d["rejects"]] ==
			[(0, "unauthorized"), (0, "unmapped"), (2, "unauthorized")]' &&
		run 0 -j show rejects link 2 && json 'len(d["rejects"]) == 1 and d["rejects"][0]["qpn"] == 4' &&
		run 0 show rejects && shows "unmapped"
}

t_faults() {
	run 0 -j show devices || return
	if ! json 'd["devices"][0]["faults"]' >/dev/null; then
		refuse 1 "fault" set fault replica 1 offset 0 slverr
		return
	fi
	run 0 replay selftests/scenarios/faults.scn &&
		matches selftests/scenarios/faults.out &&
		run 0 set fault replica 1 offset 0 slverr && run 0 set fault replica 1 offset 0 delay 10 &&
		run 0 set fault replica 1 offset 0 none && refuse 1 "region 1 has" set fault replica 1 offset 0x1000 slverr
}

# ---- owners, rights --------------------------------------------------------

hold_replica() {
	python3 -S - "$work" <<-'END' &
		import fcntl, os, struct, sys
		fd = os.open("/dev/ocfabric0", os.O_RDWR)
		buf = bytearray(struct.pack("IIIIIIiI", 32, 0, 5, 16, 16, 16, -1, 0))
		fcntl.ioctl(fd, 0xfa81, buf)
		open(sys.argv[1] + "/held", "w").close()
		os.read(os.open(sys.argv[1] + "/release", os.O_RDONLY), 1)
	END
	background=$!
}

t_owner() {
	mkfifo "$work/release"
	hold_replica
	local pid=$background result=0
	until_true test -e "$work/held" || return
	run 0 -j show replicas replica 5 && json 'd["replicas"][0]["attached"] is True
		and d["replicas"][0]["pid"] == '"$pid"' and d["replicas"][0]["comm"].startswith("python3")
		and d["replicas"][0]["queue_state"] == "enabled" and d["replicas"][0]["tx_entries"] == 16' &&
		run 0 show replicas && shows "enabled" &&
		refuse 1 "replica 5 is held by python3" replay selftests/scenarios/basic.scn || result=1
	echo >"$work/release"
	wait $pid
	background=
	[ $result -eq 0 ] && run 0 -j show replicas replica 5 && json 'd["replicas"][0]["attached"] is False'
}

t_rights() {
	local status=0 verb
	nobody() {
		local expected=$1 text=$2
		shift 2
		status=0
		as_nobody "$tool" --timeout 60 "$@" >"$work/out" 2>"$work/err" || status=$?
		out=$(<"$work/out")
		err=$(<"$work/err")
		[ $status -eq "$expected" ] || { echo "# $*: status $status: $err"; return 1; }
		[ -z "$text" ] || { says "$text" && [ -z "$out" ]; }
	}
	for verb in devices config regions connections windows counters replicas queues map; do
		nobody 0 "" show $verb || return
	done
	nobody 0 "" save && nobody 0 "" explain link 0 qpn 0 raddr 0 length 4 || return
	nobody 4 "CAP_NET_ADMIN" set latency 1 &&
		nobody 4 "CAP_NET_ADMIN" drain &&
		nobody 4 "CAP_NET_ADMIN" reset counters &&
		nobody 4 "CAP_NET_ADMIN" show rejects &&
		nobody 4 "CAP_NET_ADMIN" show semaphores &&
		nobody 4 "CAP_NET_ADMIN" set moderation 0 burst 1 &&
		nobody 4 "CAP_NET_ADMIN" reset link 0 &&
		nobody 4 "CAP_NET_ADMIN" apply "$work/three.json" || return
	nobody 4 "group ocfabric" replay selftests/scenarios/basic.scn
}

# ---- reset, events, driver -------------------------------------------------

t_reset() {
	run 0 replay selftests/scenarios/basic.scn && run 0 save && cp "$work/out" "$work/before.json" || return
	run 0 reset counters && run 0 -j show counters && json 'all(c["writes"] == 0 for c in d["counters"])' &&
		run 0 -j show rejects && json 'd["rejects"] == []' || return
	run 0 reset device && run 0 save && cmp "$work/out" "$work/before.json"
}

t_monitor() {
	local status=0
	fabricctl -j monitor >"$work/events" 2>"$work/monitor.err" &
	background=$!
	until_true grep -q "waiting for events" "$work/monitor.err" || return
	run 0 set latency 5 && run 0 drain && run 0 resume && run 0 reset counters || return
	until_true grep -q counters-reset "$work/events" || return
	kill -INT $background
	wait $background || status=$?
	background=
	[ $status -eq 0 ] || { echo "# monitor: status $status"; return 1; }
	cp "$work/events" "$work/out"
	json '[e["event"] for e in d] == ["config-changed", "drained", "resumed", "counters-reset"] and
		all(e["device"] == "ocfabric0" and e["time"] > 10**18 for e in d)'
}

t_monitor_text() {
	local status=0
	timeout 60 fabricctl --timeout 0.3 monitor >"$work/events" 2>"$work/monitor.err" || status=$?
	[ $status -eq 124 ] && grep -q "time limit" "$work/monitor.err"
}

t_version() {
	run 0 --version && shows "fabricctl " "driver " && ! [[ $out == *"not loaded"* ]]
}

# The last: the driver goes and comes back.
t_no_driver() {
	local status=0
	[ -r "$module" ] || { echo "# no $module"; return 1; }
	fabricctl monitor >"$work/events" 2>"$work/monitor.err" &
	background=$!
	until_true grep -q "waiting for events" "$work/monitor.err" || return
	rmmod ocfabric || return
	timeout 60 tail --pid=$background -f /dev/null
	wait $background || status=$?
	background=
	[ $status -eq 5 ] || echo "# monitor: status $status"
	refuse 5 "modprobe ocfabric" show counters && refuse 5 "modprobe ocfabric" replay selftests/scenarios/basic.scn &&
		run 0 --version && shows "not loaded" && run 0 help || status=1
	insmod "$module" || return
	until_true test -e /dev/ocfabric0 && [ $status -eq 5 ] && run 0 -j show config &&
		json 'd["config"][0]["replicas"] == 0'
}

tests="devices pretty apply filters map save set refused entries_stay drain
	semaphore_windows explain_semaphores queues stopped_queue semaphores reset_link replay restore
	refused_statement card_not_enough explain explain_advice rejects faults owner rights reset
	monitor monitor_text version no_driver"

echo 'TAP version 13'
for name in $tests; do
	"t_$name"
	ok $? "$name"
done
echo "1..$count"
[ $failed -eq 0 ]
