# SPDX-License-Identifier: GPL-2.0-only
"""
"It does not arrive." THEORY OF OPERATION: a scenario is replayed whose writes end in
known ways; show stages, qps, rejects, map and explain must tell them, in text and JSON
the same, with what to do. Queue pairs are walked through their states by hand, and what
is refused changes nothing. A monitor runs all the time and must have told each of it.
Then a delayed line of the HBM holds write after write, until show stages and the monitor
have named it; and a monitor that is stopped while events come says that it missed some,
and what the card is. All waits end by a condition, none by a time that must suffice.
"""
import fcntl
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, "selftests/host")
sys.dont_write_bytecode = True
from steps import LIMIT, run  # noqa: E402
from tap import Tap  # noqa: E402

DRAIN = 0xfa85
HOLD, RESUME = 1, 2
MANY = 3000		# events: more than a socket holds
FREE_TEXT = ("advice", "cause_text")
tap = Tap()
work = tempfile.TemporaryDirectory()

CONFIG = """ocfabric-scenario 1
n 3
region 0 base 0x0 size 0x10000
region 1 base 0x10000 size 0x10000
region 2 base 0x20000 size 0x10000
conn default
window 0 1 0 0x1000
"""
# of link 0: committed, then one of each that a configuration can cause
ENDED = CONFIG + """write 0 0 0x0 64 inc:1
write 0 1 0x0 64 inc:1
write 0 200 0x0 64 inc:1
write 0 0 0x1000 64 inc:1
write 0 0 0x2 64 inc:1
write 0 0 0xfffc 64 inc:1
"""
REJECTED = [("unauthorized", 2, "add window src 0 dst 2 offset 0x0 length 0x40"),
            ("unmapped", None, "QPN 0 to replica 1, QPN 1 to replica 2"),
            ("unauthorized", 1, "the nearest window is offset 0x0 length 0x1000"),
            ("misaligned", 1, "the nearest raddr is 0x0"),
            ("out_of_bounds", 1, "a length of 4 at most")]
# one after the other, each held for the longest time that a delay can be
HELD = CONFIG + "fault 1 0 delay 4294967295\n" + "write 0 0 0x0 64 inc:1\n" * 40


def rows(*args):
    """What `show ...` or explain says as JSON; its text must say the same."""
    status, out, err = run("-j", *args)
    assert not status, f"{args}: status {status}: {err}"
    data = json.loads(out)
    return next(value for key, value in data.items() if key != "schema")


def one(*args):
    got = rows(*args)
    assert len(got) == 1, f"{args}: {got}"
    return got[0]


def done(*args):
    status, out, err = run(*args)
    assert not status and not out, f"{args}: status {status}: {out}{err}"


def refused(status, says, *args):
    got, out, err = run(*args)
    assert got == status and not out and says in err, f"{args}: status {got}: {out}{err}"
    return err


def until(what, condition):
    end = time.monotonic() + LIMIT
    while not (got := condition()):
        assert time.monotonic() < end, "never: " + what
        time.sleep(0.02)
    return got


def write_file(name, text):
    path = os.path.join(work.name, name)
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    return path


def is_same(cell, value):
    if isinstance(value, bool):
        return cell == ("yes" if value else "no")
    if value is None:
        return cell == "-"
    if isinstance(value, int):
        return int(cell, 0) == value
    return cell.split() == value.split()


def same_facts(*args):
    """The text's table has the JSON's rows and values. Returns both, and stderr."""
    expected = rows(*args)
    status, out, err = run(*args)
    assert not status, f"{args}: status {status}: {err}"
    lines = out.splitlines()
    heads = lines[0].split()
    assert len(lines) == len(expected) + 1, f"{args}: {out}"
    for line, row in zip(lines[1:], expected):
        cells = line.split(None, len(heads) - 1)
        assert len(cells) == len(heads), f"{args}: {line}"
        for head, cell in zip(heads, cells):
            assert is_same(cell, row[head]), f"{args}: {head} is {cell!r}, in JSON {row[head]!r}"
        left = set(row) - set(heads) - set(FREE_TEXT)
        assert not left, f"{args}: not in the text: {left}"
    return expected, out, err


class Monitor:
    """fabricctl -j monitor in the background, its lines as objects."""

    def __init__(self, name):
        self.path = write_file(name, "")
        self.err = write_file(name + ".err", "")
        with open(self.path, "w", encoding="utf-8") as out, \
                open(self.err, "w", encoding="utf-8") as err:
            # pylint: disable=consider-using-with
            self.p = subprocess.Popen(["fabricctl", "-j", "monitor"], stdout=out, stderr=err)
        until("the monitor is ready", lambda: "waiting for events" in self.said())

    def said(self):
        with open(self.err, encoding="utf-8") as f:
            return f.read()

    def events(self, **having):
        with open(self.path, encoding="utf-8") as f:
            found = [json.loads(line) for line in f if line.endswith("\n")]
        return [e for e in found if all(e.get(k) == v for k, v in having.items())]

    def waits(self, **having):
        return until(f"an event {having}", lambda: self.events(**having))

    def end(self):
        self.p.send_signal(signal.SIGINT)
        assert self.p.wait(LIMIT) == 0, f"monitor: {self.said()}"


# ---- what has ended ---------------------------------------------------------

def stages_of_ended():
    got, _, err = same_facts("show", "stages")
    assert not err, err
    by = {(r["link"], r["stage"]): (r["in"], r["out"], r["ended"]) for r in got}
    assert len(by) == 3 * 7 and not any(r["held"] for r in got), got
    assert by[0, "taken"] == (6, 6, 0) and by[0, "mapped"] == (6, 5, 1), by
    assert by[0, "authorized"] == (5, 1, 4) and by[0, "completed"] == (1, 1, 0), by
    assert by[1, "taken"] == (0, 0, 0), by
    assert len(rows("show", "stages", "link", "2")) == 7


def qps():
    got, _, _ = same_facts("show", "qps")
    assert [(q["link"], q["qpn"], q["peer"]) for q in got] == [
        (0, 0, 1), (0, 1, 2), (1, 2, 0), (1, 3, 2), (2, 4, 0), (2, 5, 1)], got
    assert all(q["state"] == "RTS" and q["advice"] is None for q in got), got
    assert (got[0]["send_psn"], got[0]["expected_psn"]) == (1, 1), got[0]
    assert got[1]["send_psn"] == 0, got[1]
    assert one("show", "qps", "link", "1", "dst", "2")["qpn"] == 3


def rejects():
    got, _, _ = same_facts("show", "rejects")
    generation = one("show", "config")["generation"]
    assert len(got) == len(REJECTED), got
    for row, (verdict, peer, advice) in zip(got, REJECTED):
        assert (row["verdict"], row["now"], row["peer"]) == (verdict, verdict, peer), row
        assert row["op"] == "write" and row["generation"] == generation, row
        assert advice in row["advice"] and "configuration" not in row["advice"], row
    done(*"add window src 0 dst 2 offset 0 length 0x1000".split())
    got = rows("show", "rejects")
    assert got[0]["now"] == "committed" and got[1]["now"] == "unmapped", got
    assert f"judged by configuration {generation}, which is" in got[0]["advice"], got[0]
    assert got[0]["advice"].endswith("it would be committed"), got[0]


def upstream():
    got, _, err = same_facts("show", "map", "--upstream", "link", "0")
    ends = {r["qpn"]: (r["meant"], r["ends"], r["use"]) for r in got if r["meant"] is not None}
    assert ends == {1: (1, "misrouted", 0), 2: (2, "unmapped", 1)}, got
    assert "0 arrive as meant, 1 are unmapped, 1 reach another replica" in err, err


# ---- queue pairs ------------------------------------------------------------

def qp():
    return one(*"show qps link 0 qpn 0".split())


def illegal_moves():
    before = qp()
    refused(1, "no move from RTS to RTR", *"set qp link 0 qpn 0 state RTR".split())
    refused(1, "no move from RTS to SQE", *"set qp link 0 qpn 0 state SQE".split())
    err = refused(1, "", *"set qp link 0 qpn 0 mtu 256".split())
    assert "mtu" in err, err
    refused(3, "link 0", *"set qp link 0 qpn 9 state ERR".split())
    refused(3, "link 0", *"reset qp link 0 qpn 9".split())
    assert qp() == before, (before, qp())


def walk(monitor):
    for state in ("ERR", "RESET", "INIT", "RTR", "RTS"):
        done(*f"set qp link 0 qpn 0 state {state}".split())
        event = monitor.waits(event="qp-changed", state=state)[-1]
        assert (event["link"], event["qpn"]) == (0, 0) and event["pid"] > 0, event
    got = qp()
    assert got["state"] == "RTS" and got["send_psn"] == got["expected_psn"] == 0, got
    done(*"set qp link 0 qpn 0 window 7".split())
    assert qp()["window"] == 7


def explain_stopped():
    asked = "explain link 0 qpn 0 raddr 0 length 64".split()
    for state, advice in (("SQD", "set qp link 0 qpn 0 state RTS"), ("ERR", "reset qp link 0 qpn 0")):
        done(*f"set qp link 0 qpn 0 state {state}".split())
        got = one(*asked)
        check = next(c for c in got["checks"] if c["decides"])
        assert (got["verdict"], check["check"]) == ("qp_state", "qp"), got
        assert state in check["advice"] and advice in check["advice"], check
        assert advice in qp()["advice"], qp()


def send_stopped(monitor):
    err = run(*"ping link 0 qpn 0 count 1".split())[2]
    assert "qp_state: its queue pair is in ERR" in err and "reset qp link 0 qpn 0" in err, err
    event = monitor.waits(event="rejected", verdict="qp_state")[0]
    assert (event["link"], event["qpn"]) == (0, 0) and event["verdict_text"], event
    assert "omitted" in event, event
    row = rows(*"show rejects link 0".split())[-1]
    assert (row["verdict"], row["op"], row["now"]) == ("qp_state", "sem_remote", "qp_state"), row
    assert "is in ERR" in row["advice"], row
    done(*"reset qp link 0 qpn 0".split())
    assert one(*"explain link 0 qpn 0 raddr 0 length 64".split())["verdict"] == "committed"
    assert qp()["window"] == 128, qp()
    row = rows(*"show rejects link 0".split())[-1]
    assert row["now"] == "unauthorized" and "has semaphore 63" in row["advice"], row


def replay_brings_back():
    done(*"set qp link 0 qpn 0 state ERR".split())
    status, _, err = run("replay", "selftests/scenarios/basic.scn")
    assert not status and not err, err
    assert qp()["state"] == "RTS", qp()


# ---- limits -----------------------------------------------------------------

def limits(monitor):
    done(*"set queue 2 weight 7".split())
    got, _, _ = same_facts(*"show queues replica 2".split())
    assert got[0]["weight"] == 7 and got[0]["delayed"] == 0, got
    done(*"set stall-limit 200".split())
    done(*"set storm-limit 50".split())
    got, _, _ = same_facts("show", "devices")
    assert (got[0]["stall_limit"], got[0]["storm_limit"]) == (200, 50), got
    until("three changes of limits", lambda: len(monitor.events(event="limits-changed")) >= 3)
    done(*"set stall-limit 100".split())
    done(*"set storm-limit 100".split())
    done(*"set queue 2 weight 1".split())


def rights():
    for args in ("set qp link 0 qpn 0 state ERR", "reset qp link 0 qpn 0", "set queue 0 weight 2",
                 "set stall-limit 1", "set storm-limit 1", "show stages", "show qps"):
        p = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
                            "fabricctl", *args.split()], capture_output=True, text=True,
                           timeout=LIMIT, check=False)
        expected = 0 if args.startswith("show") else 4
        assert p.returncode == expected, f"{args}: {p.returncode} {p.stderr}"
        assert not expected or "CAP_NET_ADMIN" in p.stderr, p.stderr


# ---- what is held -----------------------------------------------------------

def named():
    """The rows and stderr of show stages, once they name what is held."""
    status, _, err = run("show", "stages", "link", "0")
    if status or "reset link 0" not in err:
        return None
    held = [r for r in rows(*"show stages link 0".split()) if r["held"]]
    return (held, err) if held and held[0]["advice"] else None


def stalled(monitor):
    path = write_file("held.scn", HELD)
    with subprocess.Popen(["fabricctl", "replay", path], stdout=subprocess.DEVNULL) as replay:
        held, err = until("show stages names what is held", named)
        event = monitor.waits(event="stalled", waits_for="response")[-1]
        replay.kill()
        until("the write that was held has ended",
              lambda: run("reset", "link", "0")[0] == 0 and replay.poll() is not None)
    assert len(held) == 1 and held[0]["waits_for"] == "response", held
    assert held[0]["since_us"] > 100000 and held[0]["due_us"] is not None, held
    assert (event["link"], event["qpn"], event["stage"]) == (0, 0, held[0]["stage"]), event
    assert event["age_ms"] >= 100, event
    for words in (f"in stage {held[0]['stage']}", "responses of the HBM", "QPN 0, to replica 1"):
        assert words in err and words in held[0]["advice"], err
    until("nobody is attached", lambda: not any(r["attached"] for r in rows("show", "replicas")))
    got = rows(*"show stages link 0".split())
    assert not any(r["held"] or r["advice"] for r in got), got


def drained():
    done("drain")
    err = run("show", "stages")[2]
    done("resume")
    assert "drained by fabricctl" in err and "fabricctl resume" in err, err


# ---- what was lost ----------------------------------------------------------

def hold_and_resume(times):
    fd = os.open("/dev/ocfabric0", os.O_RDWR)
    for _ in range(times):
        for op in (HOLD, RESUME):
            fcntl.ioctl(fd, DRAIN, bytearray(struct.pack("=6I", 24, 0, op, 0, 0, 0)))
    os.close(fd)


def overrun():
    monitor = Monitor("slow")
    monitor.p.send_signal(signal.SIGSTOP)
    hold_and_resume(MANY // 2)
    monitor.p.send_signal(signal.SIGCONT)
    state = monitor.waits(event="state")[0]
    assert state["reason"] == "overrun" and "events were lost" in monitor.said(), state
    assert state["replicas"] == 3 and state["drained"] is False, state
    assert state["attached"] == state["stopped_queues"] == state["stalled_links"] == [], state
    hold_and_resume(1)
    until("it goes on", lambda: monitor.events()[-1]["event"] == "resumed" and
          len(monitor.events(event="state")) == 1)
    told = [e for e in monitor.events() if e["event"] != "state"]
    assert len(told) < MANY + 2, "nothing was lost"
    monitor.end()


def test(name, function, *args):
    try:
        function(*args)
    except (AssertionError, KeyError, IndexError, ValueError, OSError,
            subprocess.SubprocessError) as e:
        tap.result(name, f"{type(e).__name__}: {e}")
    else:
        tap.result(name)


def main():
    # so that all connections are new ones: what is there already keeps its PSNs
    done("apply", write_file("nothing.json", '{"schema":"ocfabric/1","config":[{}]}'))
    monitor = Monitor("events")
    status, _, err = run("replay", write_file("ended.scn", ENDED))
    tap.result("writes that end in known ways", err if status else None)
    test("show stages says where they ended", stages_of_ended)
    test("show qps has a line a connection", qps)
    test("show rejects says why, and what to change", rejects)
    test("show map --upstream says which QPN to use", upstream)
    test("illegal moves are refused and change nothing", illegal_moves)
    test("a queue pair is walked through its states", walk, monitor)
    test("explain names the state of a queue pair that may not send", explain_stopped)
    test("a write on it is told, and reset qp brings it back", send_stopped, monitor)
    test("replay brings back what may not send", replay_brings_back)
    test("weights and limits", limits, monitor)
    test("who may what", rights)
    test("a stalled HBM is found and named", stalled, monitor)
    test("show stages says who drained the fabric", drained)
    test("the monitor ends when it is told to", monitor.end)
    test("a monitor that lost events says so, and what the card is", overrun)
    run("reset", "counters")
    tap.done()


main()
