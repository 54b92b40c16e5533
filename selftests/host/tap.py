# SPDX-License-Identifier: GPL-2.0-only
"""TAP for host tests in Python, and running linksim."""
import json
import os
import subprocess
import sys

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINKSIM = os.path.join(TREE, "build", "linksim")
LINKSIM_SAN = os.path.join(TREE, "build", "san", "linksim")
SCENARIOS = os.path.join(TREE, "selftests", "scenarios")


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0
        print("TAP version 13")

    def result(self, name, complaint=None):
        """One test; `complaint` is None when it passed."""
        self.count += 1
        if complaint is not None:
            self.failed += 1
            for line in str(complaint).splitlines()[:40]:
                print("# " + line)
        print("%sok %d %s" % ("not " if complaint is not None else "", self.count, name),
              flush=True)

    def done(self):
        print("1..%d" % self.count)
        sys.exit(1 if self.failed or not self.count else 0)


def linksim(*args, program=LINKSIM, text=None, timeout=120):
    """Status, standard output, standard error."""
    p = subprocess.run([program, *args], input=text, capture_output=True, text=True,
                       timeout=timeout)
    return p.returncode, p.stdout, p.stderr


def objects(output):
    return [json.loads(line) for line in output.splitlines()]


def unexpected(expected, got):
    """A counter that counted, and that `expected` does not know; or None."""
    if got.get("op") != "counters":
        return None
    return next((key for key, value in got.items() if value and key not in expected), None)


def difference(expected, got):
    """None, or where two lists of objects differ in what `expected` says."""
    for i, (e, g) in enumerate(zip(expected, got)):
        more = unexpected(e, g)
        if more:
            return "object %d: %s is %r, expected 0" % (i, more, g[more])
        for key, value in e.items():
            if g.get(key, "nothing") != value:
                return "object %d: %s is %r, expected %r\nexpected %r\ngot      %r" % (
                    i, key, g.get(key, "nothing"), value, e, g)
    if len(expected) != len(got):
        return "%d objects, expected %d" % (len(got), len(expected))
    return None
