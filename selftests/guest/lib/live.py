# SPDX-License-Identifier: GPL-2.0-only
"""
What a card does now. THEORY OF OPERATION: while ocf-workload makes three replicas
write to each other, top says so as a table, as JSON and on a terminal (a pty),
export gives metrics that pass promtool's rules and do not fall, and dump writes all
it can learn. On a card where nothing moves, table, JSON and metrics must be the same
facts. Counters and the card are reset under top: no rate may come of it. A replica
that has a payload, an immediate, a key and an address of its own in its rings is
dumped: none of them may be in the bundle. Everything is waited for with a limit.
"""
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

sys.path.insert(0, "selftests/host")
sys.dont_write_bytecode = True
import metrics  # noqa: E402
from screen import Screen  # noqa: E402
from steps import LIMIT, attempt, first, run, same, until  # noqa: E402
from tap import Tap  # noqa: E402

NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
tap = Tap()
work = tempfile.mkdtemp()
os.chmod(work, 0o755)


def rows(*args):
    status, out, err = run("-j", *args)
    assert status == 0, err
    data = json.loads(out)
    return data[next(k for k in data if k != "schema")]


def writes():
    return sum(c["writes"] for c in rows("show", "counters"))


# ---- top: a card where nothing moves ---------------------------------------

RATES = ("writes_per_s", "committed_per_s", "bytes_per_s", "rejects_per_s")


def table(text):
    """A table as dictionaries of words."""
    heads, *lines = [line.split() for line in text.splitlines()]
    assert all(len(line) == len(heads) for line in lines), text
    return [dict(zip(heads, line)) for line in lines]


def t_quiet():
    """Text and JSON of the same facts."""
    run("replay", "selftests/scenarios/basic.scn")
    got = rows("top", "--once", "--interval", "0.1")
    status, out, err = run("top", "--once", "--interval", "0.1", env={**os.environ, "TERM": "dumb"})
    lines = table(out)
    if status or err or len(got) != 3:
        return "status %d, %r, %r" % (status, err, got)
    for g, line in zip(got, lines):
        if any(g[r] != 0 for r in RATES) or g["note"] or g["stage"] or g["pid"]:
            return "not quiet: %s" % g
        want = {k: "-" if v is None else "0" if v == 0 else str(v) for k, v in g.items()}
        want["bytes_per_s"] = "0"
        if line != want or list(line) != list(g):
            return "%s\n%s" % (line, want)
    return first(same("link", [r["link"] for r in rows("top", "--once", "--interval", "0.1", "link", "2")], [2]),
                 same("no such link", run("top", "--once", "link", "9")[0], 3),
                 same("time limit", run("--timeout", "0.3", "top", "--once", "--interval", "60")[0], 124))


def t_quiet_metrics():
    """The metrics are what show counters says, always in one order, also in a file."""
    _, text, _ = run("export", "prometheus")
    complaint, values, _ = metrics.check(text)
    if complaint:
        return complaint
    names = {"writes": "ocfabric_writes_total", "committed": "ocfabric_writes_committed_total",
             "bytes": "ocfabric_committed_bytes_total", "lines": "ocfabric_lines_total",
             "misrouted": "ocfabric_writes_misrouted_total", "short_packet": "ocfabric_writes_short_total",
             "oversize": "ocfabric_beats_oversize_total"}
    for c in rows("show", "counters"):
        for counter, value in c.items():
            if counter in ("device", "link"):
                continue
            where = {"device": "ocfabric0", "link": str(c["link"])}
            if counter not in names:
                where["reason"] = counter
            key = (names.get(counter, "ocfabric_writes_rejected_total"), tuple(sorted(where.items())))
            if values.get(key) != value:
                return "%s: %r, expected %d" % (key, values.get(key), value)
    up = [v for (name, _), v in values.items() if name == "ocfabric_part_up"]
    file = os.path.join(work, "ocfabric.prom")
    status, out, err = run("export", "prometheus", "--textfile", file)
    with open(file, encoding="ascii") as f:
        in_file = f.read()
    return first(same("parts", up, [1.0] * 6), same("up", values[("ocfabric_up", ())], 1.0),
                 same("textfile", (status, out, err), (0, "", "")),
                 same("the file", in_file, run("export", "prometheus", before=NOBODY)[1]),
                 same("its mode", stat.S_IMODE(os.stat(file).st_mode), 0o644),
                 same("nothing beside it", os.listdir(work), ["ocfabric.prom"]),
                 same("a device is not replaced", run("export", "prometheus", "--textfile", "/dev/null")[0], 2),
                 same("no folder", run("export", "prometheus", "--textfile", "/nowhere/x")[0], 1),
                 same("with -j", run("-j", "export", "prometheus")[0], 2))


# ---- under traffic ---------------------------------------------------------

class Traffic:
    def __enter__(self):
        # pylint: disable=consider-using-with
        self.log = open(os.path.join(work, "traffic"), "w+", encoding="utf-8")
        self.p = subprocess.Popen(["build/ocf-workload", "-t", "T6", "-n", "3", "--seconds", "600"],
                                  stdout=self.log, stderr=self.log)
        before = writes()
        assert until("traffic", lambda: writes() != before) is None, "no traffic"
        return self

    def __exit__(self, *_):
        self.p.terminate()
        self.p.wait(LIMIT)
        self.log.close()
        os.unlink(self.log.name)
        until("replicas are free", lambda: not any(r["attached"] for r in rows("show", "replicas")))


def t_rates():
    """Traffic is seen; a busy host may do nothing for an interval."""
    seen = []

    def busy():
        seen[:] = rows("top", "--once", "--interval", "1", "--sort", "bytes")
        return all(r["writes_per_s"] and r["bytes_per_s"] and r["committed_per_s"] for r in seen)
    complaint = until("rates above 0, have %s" % seen, busy)
    if complaint:
        return complaint
    for r in seen:
        if r["comm"] != "ocf-workload" or r["state"] != "enabled" or r["rejects_per_s"] != 0:
            return str(r)
    order = [r["bytes_per_s"] for r in seen]
    text = table(run("top", "--once", "--interval", "1")[1])
    return first(same("order", order, sorted(order, reverse=True)),
                 None if all(re.fullmatch(r"[0-9.]+[kM]?", r["writes_per_s"]) for r in text) else text)


class Lines:
    """top without an end, in a pipe."""
    def __init__(self, *args):
        # pylint: disable=consider-using-with
        self.p = subprocess.Popen(["fabricctl", *args], stdout=subprocess.PIPE, text=True)

    def next(self):
        line = self.p.stdout.readline()
        assert line, "it has ended"
        return line

    def end(self):
        self.p.send_signal(signal.SIGINT)
        self.p.stdout.read()
        self.p.stdout.close()
        return self.p.wait(LIMIT)


def t_tables():
    lines = Lines("top", "--interval", "0.1", "link", "1")
    heads = 0
    for _ in range(12):
        heads += lines.next().startswith("device ")
    return first(same("tables", heads, 3), same("status", lines.end(), 0))


class Resets:
    """The lines of a top under which counters begin anew: of no one may a rate be wrong."""
    def __init__(self):
        self.lines = Lines("-j", "top", "--interval", "0.2")
        self.noted, self.wrong = False, None

    def next(self):
        line = json.loads(self.lines.next())
        for row in line["top"]:
            if any(row[r] is not None and not 0 <= row[r] < 1e12 for r in RATES):
                self.wrong = self.wrong or row
            self.noted |= row["note"] == "reset" and row["writes_per_s"] is None
        return line

    def past(self, moment):
        """The card may be absent meanwhile, and lines be old when they are read."""
        while (line := self.next())["time"] <= moment:
            pass
        return line


def t_resets():
    """Counters begin anew under top; then the whole card."""
    top, tries = Resets(), 0
    while not top.noted and tries < 20:
        tries += 1
        for _ in range(8):
            top.next()
        run("reset", "counters")
        top.past(time.time_ns())
    run("reset", "device")
    top.past(time.time_ns())
    for _ in range(3):
        top.next()
    return first(None if top.noted else "no reset was noted", same("wrong rates", top.wrong, None),
                 same("status", top.lines.end(), 0))


def t_metrics():
    """They pass the check, and do not fall."""
    before, was = {}, None
    for _ in range(3):
        status, text, err = run("export", "prometheus")
        complaint, values, kinds = metrics.check(text)
        complaint = complaint or metrics.fell(before, values, kinds)
        if status or err or complaint:
            return "status %d %r: %s" % (status, err, complaint)
        before = values
        was = was if was is not None else values
        until("more writes", lambda: writes() > sum(
            v for (n, _), v in values.items() if n == "ocfabric_writes_total"))
    grew = [k for k, v in before.items() if k[0] == "ocfabric_writes_total" and v > was[k]]
    qps = sum(v for (n, l), v in before.items() if n == "ocfabric_qps" and ("state", "RTS") in l)
    attached = sum(v for (n, _), v in before.items() if n == "ocfabric_replica_attached")
    return first(None if grew else "no counter grew", same("queue pairs", qps, 6.0),
                 same("attached", attached, 3.0))


# ---- top on a terminal -----------------------------------------------------

def t_screen():
    s = Screen("fabricctl top --interval 0.2; echo ENDED-$?")
    complaint = first(
        s.until("a screen", lambda: s.shows("LINK WRITES/s") and len(s.rows()) == 3),
        "no alternate screen" if "\x1b[?1049h" not in s.text else None,
        "not raw" if s.cooked() else None,
        s.until("the owner", lambda: s.shows("ocf-workload")),
        s.press("b", "sort bytes"), s.press("s", "sort rejects"), s.press("l", "sort link"),
        s.press("h", "q +quit"), s.press("h", "LINK WRITES/s"),
        s.press("p", "PAUSED"), s.press("\x1b[B", "PAUSED"),
        s.until("the second row first", lambda: s.rows() == ["1", "2"]),
        s.type("\x1b[A"), s.until("all rows", lambda: s.rows() == ["0", "1", "2"]),
        s.press("/0,2\r", "filter 0,2"), s.until("two rows", lambda: s.rows() == ["0", "2"]),
        s.type(" "), s.until("it goes on", lambda: not s.shows("PAUSED")),
        s.press("/none such\r", "no row has 'none such'"), s.type("/\r"),
        s.until("no filter", lambda: len(s.rows()) == 3 and not s.shows("filter none")),
        s.resize(9, 40),
        s.until("a small screen", lambda: 0 < len(s.frame()) <= 9 and
                all(len(line) <= 40 for line in s.frame())),
        s.resize(24, 110), s.until("a large one", lambda: s.shows("OWNER")),
        s.type("q"), s.until("the end", lambda: "ENDED-0" in s.text),
        None if s.text.rfind("\x1b[?1049l") > s.text.rfind("\x1b[?1049h") else "the screen is still there",
        None if s.text.rfind("\x1b[?25h") > s.text.rfind("\x1b[?25l") else "no cursor")
    s.close()
    return complaint


def t_stopped_screen():
    """Stopped and gone on with, and then killed: each time the terminal is as before."""
    s = Screen("fabricctl top --interval 0.2; stty -a; echo STOPPED; read -r; fg; e=$?; stty -a; echo ENDED-$e")
    top = []

    def find():
        top[:] = [r for r in os.listdir("/proc") if r.isdigit() and is_top(r, s.pid)]
        return len(top) == 1
    complaint = first(
        s.until("a screen", lambda: s.shows("LINK")), s.type("\x1a"),
        s.until("it stops", lambda: "STOPPED" in s.text),
        None if re.search(r" icanon\b", s.text) and re.search(r" echo\b", s.text) else "not as before: " + s.text[-900:],
        s.type("\r"), until("the process", find))
    before = len(s.text)
    complaint = complaint or first(
        s.until("a screen again", lambda: "\x1b[?1049h" in s.text[before - 20:] and s.shows("LINK")),
        os.kill(int(top[0]), signal.SIGTERM), s.until("the end", lambda: "ENDED-0" in s.text),
        None if re.search(r" icanon\b", s.text[s.text.rfind("1049l"):]) else "not as before")
    s.close()
    return complaint


def is_top(pid, parent):
    try:
        with open("/proc/%s/stat" % pid, encoding="ascii") as f:
            fields = f.read().rsplit(")", 1)
    except OSError:
        return False
    return fields[0].endswith("(fabricctl") and int(fields[1].split()[1]) == parent


# ---- dump ------------------------------------------------------------------

PARTS = {"devices", "config", "saved", "regions", "connections", "windows", "replicas", "queues", "qps",
         "counters", "stages", "rejects", "semaphores", "descriptors", "receive-descriptors", "completions",
         "versions", "pci", "pci-config", "interrupts", "kernel-log", "events", "contents"}
PAYLOAD, IMMEDIATE, KEY, ADDRESS = "payload-marker-5e3d91-0123456789", 0x5ec2e701, 0x7b0fd553, 0x1b2c3d4e5f60

# A replica with secrets in its rings: an inline write with an immediate, a write from memory.
SECRETS = """
import fcntl, mmap, os, struct, subprocess, sys
b = bytearray(struct.pack("II", 200, 0) + bytes(192))
fcntl.ioctl(int(os.environ["OCF_FD"]), 0xfa90, b)
at = struct.unpack_from("16Q", b, 56)
maps = [mmap.mmap(int(os.environ["OCF_FD"]), at[i + 1], offset=at[i]) for i in (0, 6)]
payload, imm, key, addr = sys.argv[1].encode()[:32], *map(int, sys.argv[2:5])
maps[0][0:64] = struct.pack("<BBHIQIIII", 2, 5, 0, 0, 0, 32, 0, imm, 0) + payload
maps[0][64:128] = struct.pack("<BBHIQIIIIQI20x", 1, 1, 0, 0, 64, 48, 0, 0, 0, addr, key)
maps[0][128:192] = struct.pack("<BBHIQIIII", 1, 5, 0, 0, 0, 32, 0, 0, 0) + payload
memoryview(maps[1]).cast("I")[0x38 // 4] = 3
sys.exit(subprocess.run(["fabricctl", *sys.argv[5:]]).returncode)
"""


def unpack(data):
    """The files of a bundle, by their names in it."""
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as tar:
        files = {m.name: tar.extractfile(m).read().decode() for m in tar.getmembers()}
    folders = {name.split("/")[0] for name in files}
    assert len(folders) == 1, folders
    return {name.split("/")[1]: text for name, text in files.items()}


def contents(files):
    return {p["part"]: p["why"] for p in json.loads(files["contents.json"])["parts"]}


def hidden(files):
    words = [PAYLOAD[:12], PAYLOAD.encode()[:8].hex()]
    for number in (IMMEDIATE, KEY, ADDRESS):
        words += ["%d" % number, "%x" % number]
    return ["%s in %s" % (w, name) for name, text in files.items() for w in words if w in text]


def t_dump():
    """With secrets in the rings and in the kernel's log."""
    run("replay", "selftests/scenarios/basic.scn")
    with open("/dev/kmsg", "w", encoding="ascii") as f:
        f.write("ocfabric selftest: at ffff8881deadbeef and so on\n")
    file = os.path.join(work, "bundle.tar.gz")
    status, out, err = run("exec", "-r", "0", "--", "python3", "-S", "-E", "-c", SECRETS, PAYLOAD, str(IMMEDIATE), str(KEY),
                           str(ADDRESS), "-j", "dump", file)
    if status or err:
        return "status %d: %s" % (status, err)
    with open(file, "rb") as f:
        files = unpack(f.read())
    said = json.loads(out)["dump"][0]
    parts = contents(files)
    descriptors = json.loads(files["descriptors.json"])["descriptors"]
    verdicts = [c["verdict"] for c in json.loads(files["completions.json"])["completions"]]
    log = files["kernel-log.txt"]
    return first(
        same("hidden", hidden(files), []),
        same("parts", set(parts), PARTS - {"contents"}), same("missing", [p for p in parts if parts[p]], []),
        same("as files", PARTS - {n[:-4] for n in files if n.endswith(".txt")}, set()),
        same("what it says", (said["file"], len(said["parts"])), (file, len(PARTS))),
        same("mode", stat.S_IMODE(os.stat(file).st_mode), 0o600),
        same("opcodes", [d["opcode"] for d in descriptors], ["write_imm", "write", "write"]),
        same("lengths", [d["len"] for d in descriptors], [32, 48, 32]),
        None if "local_protection" in verdicts and len(verdicts) == 3 else "verdicts: %s" % verdicts,
        same("owner", [r["comm"] for r in json.loads(files["replicas.json"])["replicas"] if r["attached"]], ["fabricctl"]),
        None if "selftest: at ****" in log and "deadbeef" not in log else "log: " + log,
        None if "driver_srcversion" in files["versions.txt"] and "vendor: 0x" in files["pci.txt"] else "versions, pci",
        None if re.search("^00: [0-9a-f]{2} ", files["pci-config.txt"], re.M) else files["pci-config.txt"],
        None if "unauthorized" in files["rejects.txt"] and "link" in files["counters.txt"] else "tables",
        applies(files["saved.json"]))


def applies(saved):
    """What is saved is what the card has."""
    file = os.path.join(work, "saved.json")
    with open(file, "w", encoding="utf-8") as f:
        f.write(saved)
    return same("changes", rows("apply", file, "--check"), [])


def t_dump_events():
    """What is told while a bundle is made is in it."""
    over = threading.Event()

    def change():
        while not over.is_set():
            run("set", "stall-limit", "200")
            run("set", "stall-limit", "100")
    changes, bundle = threading.Thread(target=change), {}

    def told():
        """Other events may come late from what was before."""
        return [e for e in json.loads(bundle["events.json"])["events"] if e["event"] == "limits-changed"]

    def heard():
        bundle.update(unpack(run("dump", "-", text=False)[1]))
        return told()
    changes.start()
    try:
        complaint = until("an event", heard)
    finally:
        over.set()
        changes.join()
    return complaint or first(
        same("lines", bundle["events.txt"].count(" limits-changed "), len(told())),
        same("cards", {e["device"] for e in told()}, {"ocfabric0"}),
        None if all(e["pid"] and e["time"] > 10**18 for e in told()) else str(told()))


def t_dump_default():
    status, out, err = run("dump", cwd=work)
    file = os.path.join(work, out.strip())
    if status or err or not re.fullmatch(r"ocfabric-dump-ocfabric0-\d{8}T\d{6}Z\.tar\.gz\n", out):
        return "status %d: %r %r" % (status, out, err)
    with open(file, "rb") as f:
        files = unpack(f.read())
    return first(same("missing", [p for p, why in contents(files).items() if why], []),
                 same("left over", [n for n in os.listdir(work) if n.endswith("gz") and n != "bundle.tar.gz"],
                      [out.strip()]),
                 same("a device is not replaced", run("dump", "/dev/null")[0], 2),
                 same("no folder", run("dump", "/nowhere/x")[0], 1),
                 same("no card", run("-d", "7", "dump", "-")[0], 3))


def t_dump_unprivileged():
    """What may not be read says so, the rest is there."""
    status, out, err = run("dump", "-", before=NOBODY, text=False)
    files = unpack(out)
    parts = contents(files)
    needs = {"rejects", "semaphores", "descriptors", "receive-descriptors", "completions"}
    return first(same("status", status, 0),
                 same("missing", {p for p, why in parts.items() if why} - {"kernel-log"}, needs),
                 None if all("CAP_NET_ADMIN" in parts[p] and parts[p] in files[p + ".txt"] for p in needs) else str(parts),
                 None if "could not be had" in err.decode() else err.decode(),
                 same("counters", len(json.loads(files["counters.json"])["counters"]), 3))


run("reset", "device")
attempt(tap, "top where nothing moves: text and JSON", t_quiet)
attempt(tap, "metrics where nothing moves", t_quiet_metrics)
attempt(tap, "a bundle", t_dump)
attempt(tap, "a bundle has events", t_dump_events)
attempt(tap, "a bundle by its own name", t_dump_default)
attempt(tap, "a bundle without rights", t_dump_unprivileged)
with Traffic():
    attempt(tap, "rates of traffic", t_rates)
    attempt(tap, "tables, one an interval", t_tables)
    attempt(tap, "metrics under traffic", t_metrics)
    attempt(tap, "top on a terminal", t_screen)
    attempt(tap, "top is stopped, goes on, is killed", t_stopped_screen)
    attempt(tap, "resets under top", t_resets)
tap.done()
