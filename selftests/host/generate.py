# SPDX-License-Identifier: GPL-2.0-only
"""Random scenario files, with all that a driver would refuse."""
import random

LENGTHS = [0, 1, 2, 3, 4, 5, 7, 8, 31, 32, 60, 63, 64, 65, 68, 100, 127, 128, 129, 192,
           193, 256, 300, 1000, 4096]
SIZES = [0, 0x40, 0x1000, 0x1040, 0x103c, 0x1fff, 0x2000]


class Generator:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lines = ["ocfabric-scenario 1", "# seed %d" % seed]
        self.region = [(0, 0)] * 16
        self.windows = []
        self.n = 0
        self.hbm = 0x4000000

    def chance(self, one_in):
        return self.r.randrange(one_in) == 0

    def num(self, value):
        return self.r.choice(["%d", "0x%x"]) % value

    def say(self, *words):
        text = " ".join(w if isinstance(w, str) else self.num(w) for w in words)
        if self.chance(15):
            text += self.r.choice(["  # why", "\t#", " # write 0 0 0 4 inc:1"])
        self.lines.append(text)

    def replica(self):
        if 1 <= self.n <= 16 and not self.chance(25):
            return self.r.randrange(self.n)
        return self.r.randrange(16)

    # -- configuration

    def do_n(self):
        self.n = self.r.choice([0, 1, 17, 255]) if self.chance(12) else \
            self.r.choice([2, 2, 3, 3, 4, 5, 8, 16])
        self.say("n", self.n)

    def do_other_n(self):
        if self.chance(3):
            self.do_n()
            if not self.chance(4):
                self.say("conn", "default")

    def do_region(self, i=None):
        i = self.replica() if i is None else i
        size = self.r.choice(SIZES)
        base = i * 0x2000 + (0 if self.chance(3) else 64 * self.r.randrange(8))
        if self.chance(15):
            base += self.r.choice([1, 4, 32, 60, 63])
        if self.chance(20):
            base = self.r.choice([self.hbm - 0x80, self.hbm, self.hbm + 0x1000,
                                  2**64 - 0x1000, 2**64 - 64])
        if self.chance(60):
            size = self.r.choice([2**64 - 1, 2**63, self.hbm])
        base %= 2**64
        self.region[i] = (base, size)
        self.say("region", i, "base", base, "size", size)

    def do_window(self):
        src, dst = self.replica(), self.replica()
        if src == dst and not self.chance(5):
            dst = (src + 1) % max(1, self.n) % 16
        size = self.region[dst][1]
        offset, length = 0, size
        if self.chance(3):
            offset = self.r.randrange(size + 1)
            length = self.r.randrange(size - offset + 65)
        if self.chance(25):
            offset = 2**64 - self.r.randrange(1, 600)
            length = self.r.choice([4, 256, 2**64 - 1])
        if self.windows and self.chance(6):     # one that touches another
            src, dst, offset, length = self.r.choice(self.windows)
            offset = (offset + length) % 2**64
        self.windows.append((src, dst, offset, length))
        self.say("window", src, dst, offset, length)

    def do_unwindow(self):
        if not self.windows:
            return
        gone = self.r.choice(self.windows)
        self.windows = [w for w in self.windows if w != gone]
        self.say("unwindow", *gone)

    def do_conn(self):
        if self.chance(6):
            self.say("conn", "default")
        else:
            self.say("conn", self.replica(), self.r.randrange(256),
                     "none" if self.chance(3) else self.replica())

    def do_latency(self):
        self.say("latency", self.r.choice([0, 1, 7, 1000, 2**32 - 1]))

    def do_upstream(self):
        self.say("upstream_qpns", self.r.randrange(2))

    def do_fault(self):
        dst = self.replica()
        offset = self.r.randrange(min(self.region[dst][1], 0x3000) + 200)
        what = self.r.choice(["slverr", "decerr", "none", "delay"])
        words = [self.r.choice([0, 1, 63, 5000, 2**32 - 1])] if what == "delay" else []
        self.say("fault", dst, offset, what, *words)

    # -- traffic

    def data(self, count):
        kind = self.r.choice(["hex", "const", "inc", "lcg", "lcg"])
        if kind == "hex":
            size = min(count, self.r.choice([0, 1, 8, count]))
            return "hex:" + bytes(self.r.randrange(256) for _ in range(size)).hex()
        return "%s:%s" % (kind, self.num(self.r.randrange(2**32 if kind == "lcg" else 256)))

    def target(self, length):
        """Link, peer, raddr: mostly somewhere that a window allows."""
        link, peer = self.replica(), self.replica()
        if link == peer and not self.chance(5):
            peer = (link + 1) % max(1, self.n) % 16
        offset, room = 0, self.region[peer][1]
        if self.windows and not self.chance(4):
            link, peer, offset, room = self.r.choice(self.windows)
        room = max(0, min(room, 0x2000) - length)
        raddr = offset + self.r.choice([0, room, self.r.randrange(room + 1)])
        if not self.chance(10):
            raddr -= raddr % 4
        if self.chance(10):
            raddr = self.region[peer][1] - length + self.r.choice([0, 0, 4, -4])
        if self.chance(40):
            raddr = self.r.choice([2**64 - 4, 2**64 - 64, 2**63, 2**32 - 4])
        return link, peer, raddr % 2**64

    def do_write(self):
        length = self.r.choice(LENGTHS) if self.chance(2) else self.r.randrange(400)
        link, peer, raddr = self.target(length)
        qpn = (self.n - 1) * link + (peer if peer < link else peer - 1)
        if qpn < 0 or self.chance(12):
            qpn = self.r.choice([self.r.randrange(256), 255, 256, 2**24 - 1,
                                 link * self.n + peer])
        beats = max(1, -(-length // 64))
        words = []
        if self.chance(4):
            beats = self.r.randrange(1, beats + 4)
            if self.chance(20):
                beats = 2**24 - 1
            words = ["beats", beats]
        self.say("write", link, qpn, raddr, length, *words,
                 self.data(min(length, 64 * beats)))

    def do_read(self):
        i = self.replica()
        size = self.region[i][1]
        offset = self.r.randrange(size + 1)
        self.say("read", i, offset, min(self.r.randrange(300), size - offset))

    def file(self, writes):
        if self.chance(2):
            self.hbm = self.r.choice([0x8000, 0x20000, 0x21040, 0x40, 0])
            self.say("hbm", self.hbm)
        self.do_n()
        for i in range(16):
            if not self.chance(12):
                self.do_region(i)
        self.say("conn", "default")
        self.do_upstream()
        self.do_latency()
        for _ in range(self.r.choice([2, 6, 30])):
            self.do_window()
        others = [self.do_other_n, self.do_region, self.do_window, self.do_window,
                  self.do_unwindow, self.do_conn, self.do_conn, self.do_latency,
                  self.do_upstream, self.do_fault, self.do_fault, self.do_read,
                  self.do_read]
        for _ in range(writes):
            while self.chance(4):
                self.r.choice(others)()
            self.do_write()
        return "\n".join(self.lines) + "\n"


def scenario(seed, writes=60):
    return Generator(seed).file(writes)
