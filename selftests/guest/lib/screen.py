# SPDX-License-Identifier: GPL-2.0-only
"""A program on a terminal of its own (a pty), under a shell with job control."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

LIMIT = 60
FRAME = "\x1b[H"
# the line at the bottom comes last
WHOLE = re.compile(r"\x1b\[J\x1b\[\d+;1H[^\x1b]*\x1b\[K")
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Screen:
    def __init__(self, script, lines=24, columns=110):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.environ["TERM"] = "xterm"
            os.execvp("bash", ["bash", "--norc", "-c", "set -m\n" + script])
        self.text = ""
        self.resize(lines, columns)

    def resize(self, lines, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self, seconds):
        """False when it is gone."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            more = os.read(self.fd, 65536)
        except OSError:
            more = b""
        self.text += more.decode(errors="replace")
        return bool(more)

    def until(self, what, condition):
        end = time.monotonic() + LIMIT
        while not condition():
            if not self.read(0.1) and not condition():
                return "%s: the program is gone; %r" % (what, self.text[-400:])
            if time.monotonic() > end:
                return "never: %s; %r" % (what, self.frame() or self.text[-400:])
        return None

    def frame(self):
        """The lines of the last whole screen."""
        frames = [f for f in self.text.split(FRAME) if WHOLE.search(f)]
        return [ESCAPE.sub("", line).rstrip() for line in frames[-1].split("\r\n")] if frames else []

    def shows(self, pattern):
        return any(re.search(pattern, line) for line in self.frame())

    def rows(self):
        """The first columns of the rows: links."""
        return [line.split()[0] for line in self.frame() if re.match(r" *\d+ +[0-9.-]", line)]

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def press(self, keys, pattern):
        self.type(keys)
        return self.until("%r after %r" % (pattern, keys), lambda: self.shows(pattern))

    def cooked(self):
        flags = termios.tcgetattr(self.fd)[3]
        return bool(flags & termios.ICANON and flags & termios.ECHO)

    def close(self):
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.close(self.fd)
        os.waitpid(self.pid, 0)
