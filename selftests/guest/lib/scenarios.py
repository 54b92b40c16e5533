# SPDX-License-Identifier: GPL-2.0-only
"""
A scenario file gives the same answers on the card, through the driver, as on
paper: each of selftests/scenarios, write by write and with --async, against its
.out by values; then random ones, OCF_SCENARIOS of them, against what linksim says,
of which a driver takes every line; and as many that it refuses somewhere: up to
there they must agree.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "selftests/host")
sys.dont_write_bytecode = True
import generate  # noqa: E402
import taken  # noqa: E402
from tap import Tap, unexpected  # noqa: E402

# A kernel that checks itself is several times slower.
COUNT = int(os.environ.get("OCF_SCENARIOS", "25" if os.environ.get("OCF_GUEST", "stock") == "stock" else "5"))


def lines(text):
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def contested(expected, text):
    """Regions that were at a place that several links wrote to: only the order of
    each link's own writes is fixed, so what lies there in the end may differ."""
    writes = iter([obj for obj in expected if obj["op"] == "write"])
    place, places, links = {}, {}, {}
    for words in (line.split("#")[0].split() for line in text.splitlines()):
        if words and words[0] == "region":
            place[int(words[1], 0)] = int(words[3], 0)
            places.setdefault(int(words[1], 0), set()).add(int(words[3], 0))
        if words and words[0] == "write":
            obj = next(writes, None)
            if obj and obj["lines"]:
                links.setdefault(place[obj["peer"]], set()).add(obj["link"])
    shared = {at for at, by in links.items() if len(by) > 1}
    return {region for region, at in places.items() if at & shared}


def difference(expected, got, loose):
    """Keys that only `got` has do not matter, but for counters; lines do."""
    if len(expected) != len(got):
        return f"{len(got)} lines instead of {len(expected)}"
    for number, (want, have) in enumerate(zip(expected, got), 1):
        if want["op"] in ("read", "digest") and want["region"] in loose:
            want = {"op": want["op"], "region": want["region"]}
        more = unexpected(want, have)
        if more:
            return f"line {number}: {more} is {have[more]!r}, expected 0"
        for key, value in want.items():
            if have.get(key) != value:
                return f"line {number}: {key} is {have.get(key)!r}, expected {value!r} of {want}"
    return None


def complaint(path, expected, options=(), refusals=False):
    done = run("fabricctl", "replay", path, *options)
    if done.returncode not in (0, 1) or (done.returncode == 1 and not refusals):
        return f"status {done.returncode}: {done.stderr.strip()}"
    got = lines(done.stdout)
    if done.returncode:
        last = got.pop() if got else {}
        if not {"op", "line", "error", "reason"} <= set(last):
            return f"the last line is no refusal: {last}"
        expected = expected[:len(got)]
    with open(path, encoding="ascii") as f:
        loose = contested(expected, f.read()) if options else ()
    return difference(expected, got, loose)


def random_ones(make, refusals):
    """What was wrong with the first that was, or None."""
    with tempfile.NamedTemporaryFile("w", suffix=".scn") as f:
        for seed in range(1, COUNT + 1):
            f.seek(0)
            f.truncate()
            f.write(make(seed))
            f.flush()
            paper = run("linksim", f.name)
            if paper.returncode:
                return f"seed {seed}: linksim: {paper.stderr.strip()}"
            for options in ((), ("--async",)):
                wrong = complaint(f.name, lines(paper.stdout), options, refusals)
                if wrong:
                    return f"seed {seed} {' '.join(options)}: {wrong}"
    return None


def main():
    tap = Tap()
    for path in sorted(glob.glob("selftests/scenarios/*.scn")):
        name = os.path.basename(path)[:-len(".scn")]
        if name.startswith("model-only-"):
            continue
        with open(path[:-len("scn")] + "out", encoding="utf-8") as f:
            expected = lines(f.read())
        tap.result(name, complaint(path, expected))
        tap.result(name + " --async", complaint(path, expected, ["--async"]))
    tap.result("random files that a driver takes", random_ones(taken.scenario, False))
    tap.result("random files that a driver refuses somewhere",
               random_ones(generate.scenario, True))
    tap.done()


main()
