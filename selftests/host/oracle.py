# SPDX-License-Identifier: GPL-2.0-only
"""
A second card, from the words of docs/semantics.md alone, one byte at a time.

It shares nothing with the model but the contract, and is slow and plain so that
it can be held against the contract by reading. Numbers are Python's: what wraps
in hardware is compared with 2^64 here.
"""
import mmap
import re
import zlib

COUNTERS = ("writes committed bytes lines unmapped misrouted bad_config zero_length "
            "misaligned out_of_bounds unauthorized short_packet oversize axi_error "
            "qp_state rnr dma_error").split()
TWO64 = 1 << 64


class DoesNotParse(Exception):
    pass


def number(word, most):
    if not re.fullmatch(r"[0-9]+|0x[0-9a-fA-F]+", word):
        raise DoesNotParse(word)
    value = int(word, 16) if word.startswith("0x") else int(word)
    if value > most:
        raise DoesNotParse(word)
    return value


def u4(word):
    return number(word, 15)


def u64(word):
    return number(word, TWO64 - 1)


def payload(spec, count):
    kind, _, arg = spec.partition(":")
    if kind == "hex":
        if not re.fullmatch(r"([0-9a-fA-F]{2})*", arg) or len(arg) // 2 > count:
            raise DoesNotParse(spec)
        return bytes.fromhex(arg).ljust(count, b"\0")
    if kind == "const":
        return bytes([number(arg, 255)]) * count
    if kind == "inc":
        start = number(arg, 255)
        return bytes((start + k) & 255 for k in range(count))
    if kind == "lcg":
        x, out = number(arg, (1 << 32) - 1), bytearray()
        for _ in range(count):
            x = (x * 1664525 + 1013904223) % (1 << 32)
            out.append(x >> 24)
        return bytes(out)
    raise DoesNotParse(spec)


class Hbm:
    """Zeroed memory that costs nothing until it is written."""
    def __init__(self, size):
        self.size = size
        self.bytes = mmap.mmap(-1, max(size, 1))

    def resized(self, size):
        new = Hbm(size)
        kept = min(size, self.size)
        new.bytes[:kept] = self.bytes[:kept]
        return new


class Card:
    def __init__(self):
        self.n = 0
        self.hbm = Hbm(0x4000000)
        self.region = {i: (0, 0) for i in range(16)}
        self.named = set()
        self.latency = 0
        self.upstream = 0
        self.conn = {}
        self.windows = set()
        self.resp = {}
        self.delay = {}
        self.count = [dict.fromkeys(COUNTERS, 0) for _ in range(16)]
        self.top = -1
        self.out = []
        self.details = []       # of each write that issued lines, for the trace

    def n_valid(self):
        return 2 <= self.n <= 16

    # -- the checks, in the contract's order

    def verdict(self, link, qpn, raddr, length):
        """The counter of the check that fails, or None; and the peer."""
        if not self.n_valid() or link >= self.n:
            return "bad_config", None
        peer = self.conn.get((link, qpn))
        if peer is None:
            return "unmapped", None
        base, size = self.region[peer]
        if peer >= self.n or peer == link or base % 64:
            return "bad_config", peer
        if length == 0:
            return "zero_length", peer
        if raddr % 4:
            return "misaligned", peer
        if raddr + length > size or base + raddr + length - 1 >= TWO64:
            return "out_of_bounds", peer
        for src, dst, offset, wlen in self.windows:
            if (src, dst) == (link, peer) and offset <= raddr and \
               raddr + length <= offset + wlen:
                return None, peer
        return "unauthorized", peer

    def response(self, line):
        if line + 64 > self.hbm.size:
            return "DECERR"
        return self.resp.get(line, "OKAY")

    def store(self, address, data):
        """The lines issued, as (address, strobes, response, delay)."""
        lines = []
        for k, byte in enumerate(data):
            line = (address + k) // 64 * 64
            if not lines or lines[-1][0] != line:
                lines.append([line, 0, self.response(line), self.delay.get(line, 0)])
            lines[-1][1] |= 1 << (address + k - line)
            if lines[-1][2] == "OKAY":
                self.hbm.bytes[address + k] = byte
        return lines

    def write(self, link, qpn, raddr, length, beats, data):
        count = self.count[link]
        self.top = max(self.top, link)
        failed, peer = self.verdict(link, qpn, raddr, length)
        record = {"op": "write", "seq": sum(c["writes"] for c in self.count), "link": link,
                  "qpn": qpn, "verdict": failed, "peer": peer, "bytes": 0, "lines": 0,
                  "oversize": 0,
                  "misrouted": bool(self.upstream and peer is not None and
                                    peer != qpn - link * self.n)}
        count["writes"] += 1
        count["misrouted"] += record["misrouted"]
        if failed:
            count[failed] += 1
        else:
            lines = self.store(self.region[peer][0] + raddr, data)
            self.details.append({"seq": record["seq"], "link": link, "lines": lines,
                                 "latency": self.latency})
            record["lines"] = len(lines)
            record["oversize"] = max(0, beats - -(-length // 64))
            count["lines"] += len(lines)
            count["oversize"] += record["oversize"]
            short = 64 * beats < length
            count["short_packet"] += short
            if any(line[2] != "OKAY" for line in lines):
                record["verdict"] = "axi_error"
                count["axi_error"] += 1
            else:
                record["verdict"] = "short_packet" if short else "committed"
                record["bytes"] = len(data)
                count["committed"] += 1
                count["bytes"] += len(data)
        self.out.append(record)

    # -- statements

    def do_n(self, n):
        self.n = number(n, 255)

    def do_hbm(self, size):
        size = u64(size)
        if size % 64:
            raise DoesNotParse(size)
        self.hbm = self.hbm.resized(size) if self.details else Hbm(size)

    def do_region(self, i, base_word, base, size_word, size):
        if (base_word, size_word) != ("base", "size"):
            raise DoesNotParse(base_word)
        self.region[u4(i)] = (u64(base), u64(size))
        self.named.add(u4(i))

    def do_latency(self, cycles):
        self.latency = number(cycles, (1 << 32) - 1)

    def do_upstream_qpns(self, on):
        self.upstream = number(on, 1)

    def do_conn(self, link, qpn=None, peer=None):
        if link == "default" and qpn is None:
            self.conn = {}
            for i in range(self.n if self.n_valid() else 0):
                for r in range(self.n - 1):
                    self.conn[i, (self.n - 1) * i + r] = r if r < i else r + 1
        elif peer == "none":
            self.conn.pop((u4(link), number(qpn, 255)), None)
        elif peer is not None:
            self.conn[u4(link), number(qpn, 255)] = u4(peer)
        else:
            raise DoesNotParse(link)

    def do_window(self, src, dst, offset, length):
        self.windows.add((u4(src), u4(dst), u64(offset), u64(length)))

    def do_unwindow(self, src, dst, offset, length):
        window = (u4(src), u4(dst), u64(offset), u64(length))
        if window not in self.windows:
            raise DoesNotParse(window)
        self.windows.remove(window)

    def do_fault(self, dst, offset, what, cycles=None):
        line = (self.region[u4(dst)][0] + u64(offset)) % TWO64 // 64 * 64
        if what == "delay":
            self.delay[line] = number(cycles or "", (1 << 32) - 1)
        elif cycles is not None or what not in ("slverr", "decerr", "none"):
            raise DoesNotParse(what)
        elif what == "none":
            self.resp.pop(line, None)
            self.delay.pop(line, None)
        else:
            self.resp[line] = what.upper()

    def do_write(self, link, qpn, raddr, length, *rest):
        link, qpn, raddr = u4(link), number(qpn, (1 << 24) - 1), u64(raddr)
        length = number(length, 1 << 26)
        beats = max(1, -(-length // 64))
        if len(rest) == 3 and rest[0] == "beats":
            beats = number(rest[1], (1 << 24) - 1)
            if not beats:
                raise DoesNotParse("beats")
            rest = rest[2:]
        if len(rest) != 1:
            raise DoesNotParse(rest)
        self.write(link, qpn, raddr, length, beats,
                   payload(rest[0], min(length, 64 * beats)))

    def do_read(self, region, offset, length):
        base, size = self.region[u4(region)]
        offset, length = u64(offset), u64(length)
        if offset + length > size:
            raise DoesNotParse("read")
        start = base + offset
        data = bytes(self.hbm.bytes[a] if a < self.hbm.size else 0
                     for a in range(start, start + length))
        self.out.append({"op": "read", "region": u4(region), "offset": offset,
                         "hex": data.hex()})

    def end(self):
        links = self.n if self.n_valid() else self.top + 1
        for link in range(links):
            self.out.append({"op": "counters", "link": link, **self.count[link]})
        for i in sorted(self.named):
            base, size = self.region[i]
            if base + size <= self.hbm.size:
                crc = zlib.crc32(self.hbm.bytes[base:base + size])
                self.out.append({"op": "digest", "region": i, "crc32": "%08x" % crc})


def run(text):
    """The card after the file, with all output; or DoesNotParse."""
    card = Card()
    lines = text.split("\n")
    if lines[0].split("#")[0].split() != ["ocfabric-scenario", "1"]:
        raise DoesNotParse(lines[0])
    for line in lines[1:]:
        words = line.split("#")[0].split()
        if not words:
            continue
        statement = getattr(card, "do_" + words[0], None)
        try:
            if statement is None:
                raise DoesNotParse(words[0])
            statement(*words[1:])
        except TypeError as e:          # too many or too few words
            raise DoesNotParse(line) from e
    card.end()
    return card
