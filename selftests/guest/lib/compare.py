# SPDX-License-Identifier: GPL-2.0-only
"""compare.py [--refused] EXPECTED GOT: two outputs of a scenario, by values.

Every key that EXPECTED has must be in GOT with the same value; GOT may have
more keys, not more lines. With --refused, GOT ends early, with a line that says
why. Prints what differs; status 1 if anything does.
"""
import json
import sys


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def differences(expected, got):
    if len(expected) != len(got):
        yield f"{len(got)} lines instead of {len(expected)}"
    for number, (want, have) in enumerate(zip(expected, got), 1):
        for key, value in want.items():
            if have.get(key) != value:
                yield f"line {number}: {key} is {have.get(key)!r}, expected {value!r} of {want}"


def refused(expected, got):
    """The lines before the refusal; they are as expected."""
    last = got.pop() if got else {}
    if not {"op", "line", "error", "reason"} <= set(last):
        yield f"the last line is no refusal: {last}"
    yield from differences(expected[:len(got)], got)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--refused"]
    judge = refused if len(arguments) < len(sys.argv) - 1 else differences
    found = list(judge(lines(arguments[0]), lines(arguments[1])))
    print("\n".join(found))
    return 1 if found else 0


sys.exit(main())
