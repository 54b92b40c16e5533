# SPDX-License-Identifier: GPL-2.0-only
"""Random scenario files of which a driver takes every line.

What they send is as wild as it gets; how the card is configured is not. For files
with all that a driver refuses, see selftests/host/generate.py.
"""
import random

SIZE = 0x4000
LENGTHS = [0, 1, 2, 3, 4, 5, 8, 60, 63, 64, 65, 100, 128, 192, 193, 1000, 4096, SIZE]


class Scenario:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.n = self.r.choice([2, 3, 4, 16])
        self.place = list(range(16))
        self.windows = []
        self.lines = ["ocfabric-scenario 1", f"n {self.n}"]
        for i in range(16):
            self.region(i)
        self.lines.append("conn default")
        for _ in range(6 * self.n):
            self.window()

    def region(self, i):
        self.lines.append(f"region {i} base {self.place[i] * SIZE:#x} size {SIZE:#x}")

    def swap(self):
        """Two regions change places, as one change."""
        a, b = self.r.sample(range(16), 2)
        self.place[a], self.place[b] = self.place[b], self.place[a]
        self.region(a)
        self.region(b)

    def replicas(self):
        self.n = self.r.choice([2, 3, 4, 5, 16])
        self.lines.append(f"n {self.n}")

    def pair(self):
        return self.r.sample(range(self.n), 2)

    def window(self):
        src, dst = self.pair()
        offset = self.r.choice([0, 0, 4, 64, 100, self.r.randrange(SIZE)])
        length = self.r.choice([SIZE - offset, self.r.randrange(1, SIZE - offset + 1)])
        self.windows.append((src, dst, offset, length))
        self.lines.append(f"window {src} {dst} {offset} {length}")

    def unwindow(self):
        if self.windows:
            w = self.windows[self.r.randrange(len(self.windows))]
            self.windows = [o for o in self.windows if o != w]
            self.lines.append("unwindow %d %d %d %d" % w)

    def conn(self):
        link, peer = self.pair()
        qpn = self.r.randrange(self.r.choice([8, 256]))
        self.lines.append(f"conn {link} {qpn} {self.r.choice([peer, peer, 'none'])}")

    def default(self):
        self.lines.append("conn default")

    def latency(self):
        self.lines.append(f"latency {self.r.choice([0, 0, 1, 100, 5000])}")

    def upstream(self):
        self.lines.append(f"upstream_qpns {self.r.randrange(2)}")

    def fault(self):
        what = self.r.choice(["slverr", "decerr", "none", "none", "delay 300", "delay 4000"])
        self.lines.append(f"fault {self.r.randrange(16)} {self.r.randrange(SIZE)} {what}")

    def read(self):
        offset = self.r.randrange(SIZE)
        length = min(self.r.randrange(300), SIZE - offset)
        self.lines.append(f"read {self.r.randrange(16)} {offset} {length}")

    def data(self, size):
        return self.r.choice([f"inc:{self.r.randrange(256)}", f"const:{self.r.randrange(256)}",
                              f"lcg:{self.r.randrange(1 << 32)}",
                              "hex:" + self.r.randbytes(min(size, 20)).hex()])

    def write(self):
        length = self.r.choice(LENGTHS + [self.r.randrange(600)] * 6)
        at = self.r.choice([0, self.r.randrange(SIZE), SIZE - length if length <= SIZE else 0])
        if self.r.randrange(8):
            at &= ~3
        if not self.r.randrange(20):
            at = self.r.choice([SIZE, (1 << 64) - 4, 1 << 40])
        link = self.r.randrange(self.n)
        own = (self.n - 1) * link + self.r.randrange(self.n - 1)
        qpn = self.r.choice([own] * 16 + [self.r.randrange(256), self.r.randrange(1 << 24)])
        beats, sent = "", length
        if not self.r.randrange(6):
            count = self.r.randrange(1, length // 64 + 4)
            beats, sent = f" beats {count}", min(length, 64 * count)
        self.lines.append(f"write {link} {qpn} {at:#x} {length}{beats} "
                          f"{self.data(sent)}")

    def fill(self, writes):
        others = [self.swap, self.replicas, self.window, self.window, self.unwindow, self.conn,
                  self.conn, self.default, self.latency, self.upstream, self.fault, self.read]
        for _ in range(writes):
            while not self.r.randrange(5):
                self.r.choice(others)()
            self.write()
        return "\n".join(self.lines) + "\n"


def scenario(seed, writes=80):
    return Scenario(seed).fill(writes)
