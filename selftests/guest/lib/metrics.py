# SPDX-License-Identifier: GPL-2.0-only
"""What promtool check metrics looks at, and what it could not know: that counters
do not fall, and that the order is always the same."""
import re

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*$")
SERIES = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)')
# what is measured in another unit than its base unit
UNITS = ("milliseconds", "microseconds", "nanoseconds", "kilobytes", "megabytes", "minutes", "us", "ms")


def labels_of(text):
    found, at = {}, 0
    while at < len(text):
        m = LABEL.match(text, at)
        if not m or m.group(1) in found:
            return None
        found[m.group(1)] = m.group(2)
        at = m.end()
    return found


def name_fault(name, kind):
    if not NAME.match(name) or name != name.lower():
        return "not a name in snake_case"
    if (kind == "counter") != name.endswith("_total"):
        return "_total is for counters, and for all of them"
    if any(part in UNITS for part in name.split("_")):
        return "not in base units"
    return None


def check(text):
    """(complaint or None, {(name, labels): value}, {name: type})"""
    kinds, helps, values, done, current = {}, set(), {}, set(), None
    if not text.endswith("\n"):
        return "no newline at the end", values, kinds
    for number, line in enumerate(text.splitlines(), 1):
        where = "line %d, %r: " % (number, line)
        if line.startswith("# HELP "):
            name, said = line[7:].split(" ", 1)
            if name in helps or not said:
                return where + "a second HELP, or an empty one", values, kinds
            helps.add(name)
            done.add(current)
            current = name
        elif line.startswith("# TYPE "):
            name, kind = line[7:].split(" ")
            if name != current or name in kinds or kind not in ("counter", "gauge"):
                return where + "TYPE has to follow HELP, once", values, kinds
            if fault := name_fault(name, kind):
                return where + fault, values, kinds
            kinds[name] = kind
        else:
            m = SERIES.match(line)
            if not m or m.group(1) != current or current not in kinds or current in done:
                return where + "no series of the metric above", values, kinds
            labels = labels_of(m.group(2) or "")
            if labels is None:
                return where + "labels", values, kinds
            key = (current, tuple(sorted(labels.items())))
            if key in values:
                return where + "there twice", values, kinds
            values[key] = float(m.group(3))
            if values[key] < 0 or values[key] != values[key]:
                return where + "below nothing", values, kinds
    return None, values, kinds


def fell(before, after, kinds):
    """A counter that is lower than it was; None."""
    for key, value in before.items():
        if kinds[key[0]] == "counter" and after.get(key, value) < value:
            return "%s: %s, and then %s" % (key, value, after[key])
    return None
