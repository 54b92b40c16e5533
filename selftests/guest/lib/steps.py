# SPDX-License-Identifier: GPL-2.0-only
"""
What tests of fabricctl in a guest are made of. A test is a function that returns None, or
a complaint: what is wrong, as a text.
"""
import os
import subprocess
import time

LIMIT = 120		# seconds that anything may take


def run(*args, before=(), stdin=None, env=None, text=True, **more):
    """fabricctl, behind the command `before`: its status, output, errors."""
    p = subprocess.run([*before, "fabricctl", *args], input=stdin, capture_output=True,
                       text=text, timeout=LIMIT, check=False,
                       env={**os.environ, **(env or {})}, **more)
    return p.returncode, p.stdout, p.stderr


def until(what, condition):
    """Waits; a complaint if it does not come."""
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            return "never: " + what
        time.sleep(0.01)
    return None


def first(*complaints):
    return next((c for c in complaints if c), None)


def same(what, got, expected):
    return None if got == expected else "%s: %r, expected %r" % (what, got, expected)


def attempt(tap, name, test, after=lambda: None):
    """A test, and what must be true after each; that it raised is a complaint too."""
    try:
        complaint = test()
    except Exception as e:  # pylint: disable=broad-except
        complaint = "%s: %s" % (type(e).__name__, e)
    tap.result(name, first(complaint, after()))
