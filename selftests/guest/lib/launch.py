# SPDX-License-Identifier: GPL-2.0-only
"""
Programs that are replicas. THEORY OF OPERATION: fabricctl exec and launch run
shells and python that tell their environment, descriptors, signals and pids;
show replicas tells who holds what. ping and perf are the traffic: of their own
replicas, and as the program of three of which one is killed. Everything is waited for with a limit, by a
line that a program prints or by the end of a process; nothing sleeps and hopes.
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, "selftests/host")
sys.dont_write_bytecode = True
from steps import LIMIT, attempt, first, run, same, until  # noqa: E402
from tap import Tap  # noqa: E402

# A kernel that checks itself is several times slower: there is less of what is many.
DEBUG = os.environ.get("OCF_GUEST", "stock") != "stock"
tap = Tap()
work = tempfile.mkdtemp()
os.chmod(work, 0o755)


def holders():
    rows = json.loads(run("-j", "show", "replicas")[1])["replicas"]
    return {r["replica"]: r["pid"] for r in rows if r["attached"]}


def all_free():
    held = holders()
    return "still held: %s" % held if held else None


def all_let_go():
    return until("replicas are free", lambda: not holders())


def settings(text):
    """What programs tell: NAME=value lines as a dictionary."""
    pairs = (line.split("=", 1) for line in text.splitlines() if "=" in line)
    return {name: value for name, value in pairs if TOLD.fullmatch(name)}


class Job:
    """fabricctl launch in the background, its output by line."""

    def __init__(self, *args, **more):
        self.out = open(os.path.join(work, "out"), "w+", encoding="utf-8")
        self.err = open(os.path.join(work, "err"), "w+", encoding="utf-8")
        # pylint: disable=consider-using-with
        self.p = subprocess.Popen(["fabricctl", *args], stdout=self.out, stderr=self.err,
                                  stdin=subprocess.DEVNULL, **more)

    @staticmethod
    def text(file):
        with open(file.name, encoding="utf-8") as f:
            return f.read()

    def lines(self):
        return self.text(self.out).splitlines()

    def errors(self):
        return self.text(self.err)

    def until_lines(self, pattern, count):
        return until("%d lines like %r, have %r" % (count, pattern, self.lines()),
                     lambda: len([s for s in self.lines() if re.search(pattern, s)]) >= count)

    def end(self):
        status = self.p.wait(LIMIT)
        self.out.close()
        self.err.close()
        return status

    def stop(self):
        if self.p.poll() is None:
            self.p.kill()
        self.end()


# ---- exec ------------------------------------------------------------------

# Without a process of its own but for env: each takes long on a kernel that checks itself.
TELL = "env; echo PID=$$"
TOLD = re.compile("OCF_([A-Z]*_)?(FD|RANK|SIZE|DEVICE|JOB)|LISTEN_.*|PID|LINK|KEPT")
# the one that the shell itself has open to look is gone when it looks again
FDS = 'for f in /proc/$$/fd/*; do [ ! -e "$f" ] || n="$n${n:+ }${f##*/}"; done; echo "$n"'


def t_environment():
    # pylint: disable=consider-using-with
    p = subprocess.Popen(["fabricctl", "exec", "-r", "2", "--size", "3", "--job", "j", "--",
                          "sh", "-c", TELL], stdout=subprocess.PIPE, text=True)
    told = settings(p.communicate(timeout=LIMIT)[0])
    pid = str(p.pid)
    return same("environment", told, {
        "OCF_FD": "3", "OCF_RANK": "2", "OCF_SIZE": "3", "OCF_LOCAL_RANK": "2",
        "OCF_DEVICE": "/dev/ocfabric0", "OCF_JOB": "j", "LISTEN_FDS": "1",
        "LISTEN_PID": pid, "LISTEN_FDNAMES": "ocfabric", "PID": pid})


def t_descriptors():
    status, out, err = run("exec", "-r", "0", "--", "sh", "-c", FDS)
    return first(same("status", (status, err), (0, "")),
                 same("descriptors", out.strip(), "0 1 2 3"))


def t_handle():
    """The descriptor is a replica handle, of the replica asked for."""
    ask = "import fcntl, os, struct; b = bytearray(struct.pack('II', 280, 0) + bytes(272)); " \
        "fcntl.ioctl(int(os.environ['OCF_FD']), 0xfa90, b); print(struct.unpack_from('I', b, 8)[0])"
    return first(*(same("replica", run("exec", "-r", str(i), "--", "python3", "-S", "-c", ask)[1].strip(),
                        str(i)) for i in (0, 15)))


def t_status():
    cases = [(["sh", "-c", "exit 7"], 7), (["true"], 0), (["/nonexistent"], 127),
             (["no-such-program"], 127), (["/etc/passwd"], 126), (["/"], 126)]
    return first(*(same(" ".join(cmd), run("exec", "-r", "0", "--", *cmd)[0], status)
                   for cmd, status in cases),
                 same("killed", run("exec", "-r", "0", "--", "sh", "-c", "kill -9 $$")[0], -9))


def t_size_of_card():
    told = settings(run("exec", "-r", "0", "--", "sh", "-c", TELL)[1])
    run("set", "replicas", "5")
    after = settings(run("exec", "-r", "0", "--", "sh", "-c", TELL)[1])
    run("reset", "device")
    return first(same("unconfigured", told["OCF_SIZE"], "0"), same("n", after["OCF_SIZE"], "5"),
                 same("job", after["OCF_JOB"], "local"))


def t_rank_auto():
    told = settings(run("exec", "--rank", "auto", "--", "sh", "-c", TELL, env={
        "OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4",
        "OMPI_COMM_WORLD_LOCAL_RANK": "1", "SLURM_PROCID": "0", "SLURM_NTASKS": "9",
        "PMIX_NAMESPACE": "ns7"})[1])
    return same("told", [told[k] for k in ("OCF_RANK", "OCF_SIZE", "OCF_LOCAL_RANK", "OCF_JOB")],
                ["3", "4", "1", "ns7"])


def t_no_such_replica():
    status, out, err = run("exec", "--rank", "auto", "--", "true", env={"OCF_RANK": "16"})
    return first(same("status", (status, out), (3, "")),
                 None if "no replica 16 (OCF_RANK)" in err else err)


def in_shell(script):
    """$TELL is a script that tells all."""
    p = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=LIMIT,
                       check=False, env={**os.environ, "TELL": TELL})
    return p.stdout + p.stderr


def t_taken_descriptor():
    """A launcher's descriptor 3 stays; the handle is known by OCF_FD alone."""
    told = settings(in_shell("fabricctl exec -r 0 -- sh -c \"$TELL; readlink /proc/\\$\\$/fd/\\$OCF_FD | "
                             "sed s/^/LINK=/; cat <&3\" 3< <(echo KEPT=yes)"))
    return first(None if "LISTEN_FDS" not in told else "LISTEN_FDS is set: %s" % told,
                 None if int(told["OCF_FD"]) > 3 else str(told),
                 same("kept", told["KEPT"], "yes"),
                 None if "ocfabric" in told["LINK"] else told["LINK"])


def t_passed_descriptors():
    """What was passed to the process is passed on, ours comes after it."""
    script = "(LISTEN_FDS=2 LISTEN_PID=$BASHPID %s exec fabricctl exec -r 0 -- " \
        "sh -c \"$TELL\" 3</dev/null 4</dev/null)"
    told = settings(in_shell(script % "LISTEN_FDNAMES=a:b"))
    plain = settings(in_shell(script % ""))
    fewer = settings(in_shell(script % "LISTEN_FDNAMES=a"))
    stale = settings(in_shell("LISTEN_FDS=2 LISTEN_PID=1 fabricctl exec -r 0 -- sh -c \"$TELL\""))
    return first(*(same("%s" % t, [t["OCF_FD"], t["LISTEN_FDS"], t["LISTEN_FDNAMES"],
                                   t["LISTEN_PID"] == t["PID"]], expected)
                   for t, expected in ((told, ["5", "3", "a:b:ocfabric", True]),
                                       (plain, ["5", "3", "unknown:unknown:ocfabric", True]),
                                       (fewer, ["5", "3", "unknown:unknown:ocfabric", True]),
                                       (stale, ["3", "1", "ocfabric", True]))))


def t_held():
    job = Job("exec", "-r", "4", "--", "sh", "-c", "echo up; exec sleep 1000")
    complaint = job.until_lines("up", 1)
    expected = "ocfabric0: replica 4 is held by "
    got = [run("exec", "-r", "4", "--", "true"), run("launch", "-n", "5", "--", "true")]
    job.stop()
    return first(complaint, *(first(same("status", g[0], 1), same("stdout", g[1], ""),
                                    None if expected in g[2] and "(pid %d)" % job.p.pid in g[2]
                                    else g[2]) for g in got))


def t_denied():
    nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    tool = subprocess.run(["sh", "-c", "command -v fabricctl"], capture_output=True, text=True,
                          check=True).stdout.strip()
    p = subprocess.run([*nobody, tool, "exec", "-r", "0", "--", "true"], capture_output=True,
                       text=True, timeout=LIMIT, check=False)
    complaint = first(same("status", p.returncode, 4),
                      None if "group ocfabric" in p.stderr else p.stderr)
    os.chmod("/dev/ocfabric0", 0o666)
    small, some, large = (subprocess.run([*nobody, "prlimit", "--memlock=%d" % limit, tool, "exec", "-r",
                                    "0", "--", "true"], capture_output=True, text=True,
                                   timeout=LIMIT, check=False) for limit in (65536, 1 << 20, 8 << 20))
    os.chmod("/dev/ocfabric0", 0o660)
    return first(complaint,
                 same("status", [p.returncode for p in (small, some, large)], [4, 0, 0]),
                 None if "ulimit -l says 64 KiB" in small.stderr else small.stderr,
                 None if "warning" in some.stderr and "1024 KiB" in some.stderr else some.stderr,
                 same("no warning", large.stderr, ""))


# ---- launch ----------------------------------------------------------------

def launch(*args, **more):
    return run("launch", *args, **more)


def quiet(err):
    """Without the word about a card that has no replicas configured."""
    return "".join(s + "\n" for s in err.splitlines() if "is configured for" not in s)


def t_launch():
    status, out, err = launch("-n", "3", "--", "sh", "-c", TELL + "; cat")
    told = [settings("\n".join(s[5:] for s in out.splitlines() if s.startswith("[r%d] " % i)))
            for i in range(3)]
    expected = [{"OCF_FD": "3", "OCF_RANK": str(i), "OCF_SIZE": "3", "OCF_LOCAL_RANK": str(i),
                 "OCF_DEVICE": "/dev/ocfabric0", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "ocfabric",
                 "LISTEN_PID": told[i]["PID"]} for i in range(3)]
    jobs = {t.pop("OCF_JOB") for t in told}
    for t in told:
        t.pop("PID")
    return first(same("status", (status, quiet(err)), (0, "")), same("told", told, expected),
                 None if len(jobs) == 1 and jobs.pop().startswith("launch-") else "jobs")


def t_launch_descriptors():
    """Also when the launcher itself has more, and none of the standard ones."""
    more = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(more, True)
    out = [launch("-n", "4", "--", "sh", "-c", FDS, close_fds=False)[1],
           in_shell("fabricctl launch -n 4 -- sh -c '%s' <&- 2>/dev/null" % FDS)]
    os.close(more)
    return first(*(same("descriptors", sorted(o.splitlines()),
                        ["[r%d] 0 1 2 3" % i for i in range(4)]) for o in out))


def t_all_attached_first():
    """Each program finds all of them attached; none ends before the others have looked."""
    out = launch("-n", "3", "--", "sh", "-c",
                 "fabricctl -j show replicas | grep -o '\"attached\":true' | wc -l; "
                 "cd %s; touch seen$OCF_RANK; until [ -e seen0 -a -e seen1 -a -e seen2 ]; "
                 "do sleep 0.05; done" % work)[1]
    return same("attached", sorted(out.splitlines()), ["[r%d] 3" % i for i in range(3)])


COUNT = 60 if DEBUG else 400
LINES = """
import sys
n, rank = int(sys.argv[2]), sys.argv[1]
for i in range(n):
    line = "%s %d %s" % (rank, i, "x" * (i * 37 % 9000))
    for k in range(0, len(line), 1000):
        sys.stdout.write(line[k:k + 1000])
        sys.stdout.flush()
    sys.stdout.write("\\n" if i < n - 1 else "")
"""


def t_output_whole():
    """Long lines in many pieces from four at once: each comes whole, none is lost."""
    with open(os.path.join(work, "lines.py"), "w", encoding="ascii") as f:
        f.write(LINES)
    script = "exec python3 -S %s/lines.py $OCF_RANK %d" % (work, COUNT)
    both = in_shell("fabricctl launch -n 4 -- sh -c '%s; ' 2>/dev/null | cat" % script)
    expected = {"[r%d] %d %d %s" % (r, r, i, "x" * (i * 37 % 9000))
                for r in range(4) for i in range(COUNT)}
    got = both.splitlines()
    order = [[int(s.split()[2]) for s in got if s.startswith("[r%d]" % r)] for r in range(4)]
    return first(same("lines", len(got), 4 * COUNT), None if set(got) == expected else "torn lines",
                 None if all(o == sorted(o) for o in order) else "order")


def t_output_shared():
    """stdout and stderr that are one pipe: lines of both stay whole."""
    script = "for ((i = 0; i < %d; i++)); do printf %%0600d $i; echo; printf %%0600d $i >&2; echo >&2; done"
    count = 60 if DEBUG else 300
    out = in_shell("fabricctl launch -n 3 -- bash -c '%s' 2>&1 | cat" % (script % count))
    lines = [s for s in out.splitlines() if "is configured for" not in s]
    bad = [s for s in lines if not re.fullmatch(r"\[r[012]\] 0*\d{600}", s.replace(" 0", " 0"))
           and not re.fullmatch(r"\[r[012]\] \d{600}", s)]
    return first(same("lines", len(lines), 6 * count), bad[0][:80] if bad else None)


def t_output_long():
    """A line above 1 MiB is broken up, not kept and not lost."""
    out = launch("-n", "1", "--", "python3", "-S", "-c", "print('y' * (5 << 19), end='')")[1]
    parts = out.splitlines()
    return first(same("parts", len(parts), 3),
                 same("bytes", sum(len(p) - len("[r0] ") for p in parts), 5 << 19))


def t_streams():
    status, out, err = launch("-n", "2", "--", "sh", "-c", "echo o; echo e >&2")
    return first(same("status", status, 0), same("out", sorted(out.split("\n")), ["", "[r0] o", "[r1] o"]),
                 same("err", sorted(quiet(err).split("\n")), ["", "[r0] e", "[r1] e"]))


def t_slow_reader():
    """A reader that stops for a while loses nothing, and signals still go through."""
    script = "trap 'exit 5' TERM; yes 0123456789 | head -c 1000000; echo; echo done; " \
        "while :; do sleep 0.05; done"
    # pylint: disable=consider-using-with
    p = subprocess.Popen(["fabricctl", "launch", "-n", "2", "--", "bash", "-c", script],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    complaint = until("the pipe is full", lambda: waits_to_write(p.pid))
    got = b""
    while got.count(b"] done\n") < 2:
        piece = p.stdout.read1(1 << 20)
        if not piece:
            break
        got += piece
    p.terminate()
    p.stdout.read()
    status = p.wait(LIMIT)
    return first(complaint, same("lines", got.count(b" 0123456789\n"), 2 * (1000000 // 11)),
                 same("status", status, 5))


def waits_to_write(pid):
    """Its stdout, a pipe, has as much in it as it takes."""
    try:
        fd = os.open("/proc/%d/fd/1" % pid, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        import select  # pylint: disable=import-outside-toplevel
        return not select.select([], [fd], [], 0)[1]
    finally:
        os.close(fd)


def t_launch_status():
    cases = [("exit 0", [], 0), ("exit $((OCF_RANK * 3))", ["--keep-going"], None),
             ("[ $OCF_RANK = 1 ] && exit 9; exec sleep 1000", [], 9),
             ("[ $OCF_RANK = 1 ] && kill -11 $$; exec sleep 1000", [], 139),
             ("[ $OCF_RANK = 2 ] || exit 4; echo on; exit 0", ["--keep-going"], 4)]
    for script, more, expected in cases:
        status, _, err = launch("-n", "3", *more, "--", "sh", "-c", script)
        if expected is None and status not in (3, 6):
            return "status %d of 3 or 6" % status
        if expected is not None and status != expected:
            return "%s: status %d, expected %d: %s" % (script, status, expected, err)
    err = launch("-n", "2", "--", "sh", "-c", "[ $OCF_RANK = 1 ] && exit 9; exec sleep 1000")[2]
    return first(None if re.search(r"replica 1 \(pid \d+\) ended with status 9", err) else err,
                 None if re.search(r"replica 0 .* killed by signal 15", err) else err)


def t_ignored_children():
    """Whoever starts the launcher may ignore SIGCHLD, which programs inherit."""
    status, _, err = launch("-n", "2", "--", "sh", "-c", "exit 7",
                            preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    return first(same("status", status, 7),
                 None if "ended with status 7" in err else err)


def t_not_there():
    for cmd, expected in (("/nonexistent", 127), ("/etc/passwd", 126)):
        for more in ((), ("--restart",), ("--keep-going",)):
            status, out, err = launch("-n", "3", *more, "--", cmd)
            if (status, out) != (expected, "") or cmd not in err:
                return "%s %s: status %d: %s" % (cmd, more, status, err)
    return None


def t_keep_going():
    job = Job("launch", "-n", "3", "--keep-going", "--", "bash", "-c",
              "trap 'echo got; exit 0' USR1; [ $OCF_RANK = 0 ] && exit 3; echo up; "
              "while :; do sleep 0.05; done")
    complaint = first(job.until_lines("up", 2),
                      until("the death", lambda: "replica 0" in job.errors()))
    complaint = first(complaint, until("1 and 2 alone", lambda: sorted(holders()) == [1, 2]))
    job.p.send_signal(signal.SIGUSR1)
    status = job.end()
    return first(complaint, same("status", status, 3),
                 same("lines", sorted(job.lines()),
                      ["[r1] got", "[r1] up", "[r2] got", "[r2] up"]))


def t_signals():
    script = "for s in INT HUP USR1 USR2; do trap \"echo got $s\" $s; done; " \
        "trap 'echo got TERM; exit 6' TERM; echo up; while :; do sleep 0.02; done"
    job = Job("launch", "-n", "2", "--", "bash", "-c", script)
    complaint = job.until_lines("up", 2)
    for name in ("HUP", "USR1", "USR2", "INT", "TERM"):
        job.p.send_signal(getattr(signal, "SIG" + name))
        complaint = first(complaint, job.until_lines("got " + name, 2))
    status = job.end()
    # the first that fails of TERM has the other told to end once more
    return first(complaint, same("status", status, 6),
                 same("lines", len(set(job.lines())), 2 + 2 * 5))


def t_stubborn():
    """Who does not mind SIGTERM is killed when its time is over."""
    job = Job("launch", "-n", "2", "--", "bash", "-c",
              "[ $OCF_RANK = 0 ] && { until [ -e %s/up ]; do sleep 0.02; done; exit 2; }; "
              "trap '' TERM; touch %s/up; while :; do sleep 0.05; done" % (work, work))
    status = job.end()
    return first(same("status", status, 2),
                 None if re.search("replica 1 .* killed by signal 9", job.errors()) else job.errors())


def t_time_limit():
    status, _, err = run("--timeout", "0.5", "launch", "-n", "2", "--", "sleep", "1000")
    return first(same("status", status, 124), None if "time limit" in err else err)


def t_time_limit_unread():
    """Nor is a reader waited for that takes nothing."""
    # pylint: disable=consider-using-with
    p = subprocess.Popen(["fabricctl", "--timeout", "0.5", "launch", "-n", "1", "--", "yes"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        return same("status", p.wait(LIMIT), 124)
    finally:
        p.kill()
        p.stdout.close()
        p.wait(LIMIT)


def t_launcher_killed():
    job = Job("launch", "-n", "3", "--", "sh", "-c", "echo PID=$$; exec sleep 1000")
    complaint = job.until_lines("PID=", 3)
    pids = [int(s.split("=")[1]) for s in job.lines()]
    job.stop()
    return first(complaint, until("they died", lambda: not any(is_alive(p) for p in pids)))


def t_leftovers():
    """What a program leaves in its group goes with it, and keeps neither the
    replica nor the launcher."""
    job = Job("launch", "-n", "2", "--restart", "--", "bash", "-c",
              "sleep 1000 & echo LEFT=$!; [ -e %s/$OCF_RANK ] && exit 0; touch %s/$OCF_RANK; "
              "kill -9 $$" % (work, work))
    status = job.end()
    left = [int(s.split("=")[1]) for s in job.lines()]
    return first(same("status", status, 0), same("started", len(left), 4),
                 until("they died", lambda: not any(is_alive(p) for p in left)))


def is_alive(pid):
    """A zombie, which whoever is above has not reaped yet, is dead."""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def t_restart():
    """One is killed again and again; it comes back, the other never notices."""
    job = Job("launch", "-n", "2", "--restart", "--job", "again", "--", "sh", "-c",
              "echo PID=$$ $OCF_RANK $OCF_JOB; exec sleep 1000")
    complaint = job.until_lines("PID=", 2)

    def pids(rank):
        return [int(re.search("PID=([0-9]+)", s)[1]) for s in job.lines()
                if s.startswith("[r%d]" % rank)]
    for round_ in range(3):
        os.kill(pids(1)[-1], signal.SIGKILL)
        complaint = first(complaint, until("a restart", lambda n=round_ + 2: len(pids(1)) == n))
    held = sorted(holders())
    zombies = subprocess.run(["ps", "--ppid", str(job.p.pid), "-o", "stat="], text=True,
                             capture_output=True, check=False).stdout
    fds = len(os.listdir("/proc/%d/fd" % job.p.pid))
    job.p.terminate()
    status = job.end()
    return first(complaint, same("held", held, [0, 1]), same("first", len(pids(0)), 1),
                 "zombies: " + zombies if "Z" in zombies else None,
                 None if fds < 20 else "%d descriptors" % fds, same("status", status, 143),
                 same("said", job.errors().count("is started again"), 3),
                 None if all("again" in s for s in job.lines()) else "job")


def t_many():
    status, out, _ = launch("-n", "16", "--", "sh", "-c", "echo $OCF_RANK of $OCF_SIZE")
    return first(same("status", status, 0), same("lines", sorted(out.splitlines()),
                                                 sorted("[r%d] %d of 16" % (i, i) for i in range(16))))


def t_usage():
    return first(*(same(" ".join(a), launch(*a)[0], 2) for a in (
        ["-n", "0", "--", "true"], ["-n", "17", "--", "true"], ["--", "true"], ["-n", "2"])))


# ---- traffic ---------------------------------------------------------------

SIZE = 0x10000


def configure(sems=True, n=3):
    """Everyone may add to everyone's semaphores 60 to 63, and write half a region."""
    windows = [{"src": a, "dst": b, "offset": 0, "length": SIZE // 2,
                **({"sem_first": 60, "sem_count": 4} if sems else {})}
               for a in range(n) for b in range(n) if a != b]
    config = {"replicas": n, "connections": "default", "windows": windows,
              "regions": [{"replica": i, "base": i * SIZE, "size": SIZE} for i in range(n)]}
    status, _, err = run("apply", "-", stdin=json.dumps({"schema": "ocfabric/1", "config": [config]}))
    return same("apply", (status, err), (0, ""))


def saved():
    """The configuration; windows are a set."""
    config = json.loads(run("save")[1])["config"][0]
    config["windows"].sort(key=str)
    return config


def counters():
    return json.loads(run("-j", "show", "counters")[1])["counters"]


def t_ping():
    complaint = first(configure(), same("reset", run("reset", "counters")[0], 0))
    status, out, err = run("ping", "link", "1", "peer", "2", "count", "4", "interval", "0")
    line = r"ocfabric0 link 1 qpn 3 peer 2 sem 63 seq %d committed \d+ ns"
    lines = out.splitlines()
    complaint = first(complaint, same("status", (status, err, len(lines)), (0, "", 5)),
                      *(None if re.fullmatch(line % i, lines[i]) else lines[i] for i in range(4)))
    if complaint or not re.fullmatch(r"4 sent, 4 committed, 0 failed, min/avg/max/stdev "
                                     r"\d+/\d+/\d+/\d+ ns", lines[4]):
        return complaint or lines[4]
    data = json.loads(run("-j", "ping", "interval", "0")[1])["ping"]
    c = counters()
    return first(same("objects", len(data), 1),
                 same("connection", [data[0][k] for k in ("link", "qpn", "peer", "sem", "sent", "committed")],
                      [0, 0, 1, 63, 5, 5]),
                 same("tries", [(t["seq"], t["verdict"], t["ns"] > 0) for t in data[0]["tries"]],
                      [(i, "committed", True) for i in range(5)]),
                 None if 0 < data[0]["min_ns"] <= data[0]["avg_ns"] <= data[0]["max_ns"] else str(data),
                 same("counters", [(x["writes"], x["committed"], x["bytes"]) for x in c],
                      [(5, 5, 0), (4, 4, 0), (0, 0, 0)]),
                 same("semaphores", run("show", "semaphores")[1], ""))


def t_ping_unreachable():
    configure(sems=False)
    status, out, err = run("ping", "link", "0", "peer", "1", "count", "2", "interval", "0")
    complaint = first(same("status", status, 1), same("lines", len(out.splitlines()), 3),
                      None if "seq 1 unauthorized" in out and "2 sent, 0 committed, 2 failed" in out
                      else out,
                      None if "fabricctl add window src 0 dst 1 offset 0 length 0 sem 63" in err else err)
    status, out, err = run("-j", "ping", "link", "0", "qpn", "9", "count", "1")
    data = json.loads(out)["ping"][0]
    complaint = first(complaint, same("status", status, 1), same("peer", data["peer"], None),
                      same("tries", data["tries"], [{"seq": 0, "verdict": "unmapped", "ns": None}]),
                      None if "unmapped: link 0 has QPN 0 to replica 1" in err else err)
    run("set", "connection", "link", "2", "qpn", "4", "peer", "none")
    run("drain")
    refused = [run("ping", "link", "0", "peer", "1")]
    run("resume")
    refused += [run("ping", "link", "2", "peer", "0"), run("ping", "link", "0", "qpn", "0", "peer", "2"),
                run("ping", "link", "7"), run("ping", "peer", "9"), run("ping", "link", "16")]
    run("reset", "device")
    run("apply", "-", stdin='{"schema":"ocfabric/1","config":[{}]}')
    refused += [run("ping")]
    says = ["resume first", "set connection link 2 qpn Q peer 0", "does not lead to replica 2",
            "link 7 has no connection", "no free replica with such a connection", "no link 16",
            "is not configured"]
    return first(complaint, same("statuses", [r[0] for r in refused], [1, 1, 2, 1, 1, 3, 1]),
                 *(first(same("stdout", r[1], ""), None if text in r[2] else r[2])
                   for r, text in zip(refused, says)))


def t_ping_as_replica():
    """In a program of exec ping is that replica; from outside it is held."""
    complaint = configure()
    status, out, err = run("exec", "-r", "2", "--", "fabricctl", "ping", "count", "1")
    complaint = first(complaint, same("status", (status, err), (0, "")),
                      None if out.startswith("ocfabric0 link 2 qpn 4 peer 0 ") else out)
    other = run("exec", "-r", "2", "--", "fabricctl", "ping", "link", "1")
    held = run("exec", "-r", "2", "--", "sh", "-c", "unset OCF_FD; fabricctl ping link 2")
    free = run("exec", "-r", "0", "--", "sh", "-c", "unset OCF_FD; fabricctl ping count 1")
    return first(complaint, same("statuses", (other[0], held[0], free[0]), (2, 1, 0)),
                 None if "handle of replica 2, not of 1" in other[2] else other[2],
                 None if "replica 2 is held by" in held[2] else held[2],
                 None if " link 1 " in free[1] else free[1])


def t_exec_in_exec():
    """The inner one's replica is the one that counts."""
    complaint = configure()
    status, out, err = run("exec", "-r", "0", "--", "fabricctl", "exec", "-r", "2", "--",
                           "fabricctl", "ping", "count", "1")
    return first(complaint, same("status", (status, err), (0, "")),
                 None if out.startswith("ocfabric0 link 2 ") else out)


def t_ping_time_limit():
    configure()
    status, _, err = run("--timeout", "0.3", "ping", "count", "1000", "interval", "50")
    return first(same("status", status, 124), None if "time limit" in err else err)


def t_killed_in_traffic():
    """Three ping each other; one is killed some times in the middle, when it would go
    on for ever, and comes back: nobody else loses a write, and the card has none that
    is unaccounted for."""
    complaint = first(configure(), same("reset", run("reset", "counters")[0], 0))
    count, kills = (300, 3) if DEBUG else (1500, 5)
    job = Job("launch", "-n", "3", "--restart", "--", "sh", "-c",
              "echo PID=$$; n=%d; [ $OCF_RANK != 1 -o -e %s/last ] || n=1000000; "
              "exec fabricctl ping peer $(((OCF_RANK + 1) %% 3)) count $n interval 2" % (count, work))

    def pids(rank):
        return [int(s.split("=")[1]) for s in job.lines() if s.startswith("[r%d] PID=" % rank)]

    def tries(rank):
        return len([s for s in job.lines() if s.startswith("[r%d] ocfabric0" % rank)])
    for round_ in range(kills):
        before = tries(1)
        complaint = first(complaint, until("traffic", lambda n=before: tries(1) > n + 20))
        if round_ == kills - 1:
            with open(os.path.join(work, "last"), "w", encoding="ascii"):
                pass
        os.kill(pids(1)[-1], signal.SIGKILL)
        complaint = first(complaint, until("a restart", lambda n=round_ + 2: len(pids(1)) == n))
    status = job.end()
    ends = [s for s in job.lines() if "%d sent, %d committed, 0 failed" % (count, count) in s]
    links = counters()
    return first(complaint, same("status", status, 0), same("starts", [len(pids(r)) for r in range(3)],
                                                            [1, kills + 1, 1]),
                 same("ends", sorted(s[:4] for s in ends), ["[r0]", "[r1]", "[r2]"]),
                 same("link 0", (links[0]["writes"], links[0]["committed"]), (count, count)),
                 same("link 2", (links[2]["writes"], links[2]["committed"]), (count, count)),
                 None if links[1]["writes"] == links[1]["committed"] > count + 20 * kills
                 else str(links[1]),
                 same("semaphores", run("show", "semaphores")[1], ""))


LATENCY = ["#bytes", "#iterations", "t_min[usec]", "t_max[usec]", "t_typical[usec]", "t_avg[usec]",
           "t_stdev[usec]", "99%", "percentile[usec]", "99.9%", "percentile[usec]"]
BANDWIDTH = ["#bytes", "#iterations", "BW", "peak[MB/sec]", "BW", "average[MB/sec]", "MsgRate[Mpps]"]


def t_perf():
    """On a card that has no configuration, and has none afterwards."""
    run("apply", "-", stdin='{"schema":"ocfabric/1","config":[{}]}')
    n = 10 if DEBUG else 50
    for test, heads in (("lat", LATENCY), ("bw", BANDWIDTH)):
        status, out, err = run("perf", test, "-n", str(n), "--size", "all")
        if status:
            return "%s: status %d: %s" % (test, status, err)
        rows = [line.split() for line in out.splitlines()]
        columns = 9 if test == "lat" else 5
        complaint = first(same("heads", rows[0], heads),
                          None if "no configuration" in err else err,
                          same("sizes", [int(r[0]) for r in rows[1:]], [2 << i for i in range(23)]),
                          *(same("numbers of %s" % r, (len(r), r[1]), (columns, str(n)))
                            for r in rows[1:]),
                          *(None if all(float(n) >= 0 for n in r) else str(r) for r in rows[1:]))
        if complaint:
            return test + ": " + complaint
    lat = json.loads(run("-j", "perf", "lat", "-n", "50")[1])["perf"]
    bw = json.loads(run("-j", "perf", "bw", "-n", "50")[1])["perf"]
    config = json.loads(run("-j", "show", "config")[1])["config"][0]
    return first(
        same("lat", list(lat[0]), ["device", "test", "link", "peer", "bytes", "iterations", "t_min_usec",
                                   "t_max_usec", "t_typical_usec", "t_avg_usec", "t_stdev_usec",
                                   "t_99_usec", "t_99_9_usec"]),
        same("bw", list(bw[0]), ["device", "test", "link", "peer", "bytes", "iterations", "bw_peak_mb_s",
                                 "bw_average_mb_s", "msg_rate_mpps"]),
        same("sizes", (lat[0]["bytes"], bw[0]["bytes"]), (2, 65536)),
        None if 0 < lat[0]["t_min_usec"] <= lat[0]["t_typical_usec"] <= lat[0]["t_max_usec"] else str(lat),
        same("replicas", (config["replicas"], config["windows"]), (0, 0)))


def t_perf_as_found():
    """On a configuration that is there: within its windows, and it stays."""
    complaint = configure()
    before = saved()
    out = [json.loads(run("-j", "perf", *args, "-n", "20")[1])["perf"] for args in (
        ["lat", "--link", "2", "--peer", "1", "--size", "32768"], ["bw", "--peer", "0", "--size", "4096"],
        ["bw", "--size", "all"])] if not complaint else []
    refused = [run("perf", "lat", "--size", "32769"), run("perf", "lat", "--link", "1", "--peer", "1"),
               run("perf", "bw", "--link", "9"), run("perf", "bw", "--link", "16"),
               run("exec", "-r", "1", "--", "fabricctl", "perf", "bw", "--link", "1")]
    run("del", "window", *"src 1 dst 0 offset 0 length 0x8000 sem 60-63".split())
    refused += [run("perf", "lat", "--link", "0", "--peer", "1")]
    one_way = run("perf", "bw", "--link", "0", "--peer", "1", "--size", "64")[0]
    run("add", "window", *"src 1 dst 0 offset 0 length 0x8000 sem 60-63".split())
    says = ["room for 32768 bytes", "no connection to itself", "no two free replicas", "no link 16",
            "replica 1 is held by", "fabricctl add window src 1 dst 0"]
    return first(complaint, same("pairs", [(o[0]["link"], o[0]["peer"]) for o in out],
                                 [(2, 1), (1, 0), (0, 1)]),
                 same("sizes", [[r["bytes"] for r in o] for o in out],
                      [[32768], [4096], [2 << i for i in range(15)]]),
                 same("statuses", [r[0] for r in refused], [1, 2, 1, 3, 1, 1]),
                 *(None if text in r[2] else r[2] for r, text in zip(refused, says)),
                 same("one way", one_way, 0), same("configuration", saved(), before))


def t_perf_setup():
    """--setup makes a configuration, puts the old one back, also when it is
    interrupted, and does neither under somebody's feet."""
    configure()
    before = saved()
    status, out, err = run("perf", "lat", "--setup", "-n", "20", "--link", "5", "--peer", "4")
    complaint = first(same("status", status, 0), None if "replicas 5 and 4" in err else err,
                      same("lines", len(out.splitlines()), 2), same("save", saved(), before))
    job = Job("perf", "bw", "--setup", "-n", "10000000", "--size", "4")
    complaint = first(complaint, until("attached", lambda: len(holders()) == 2))
    job.p.send_signal(signal.SIGINT)
    status = job.end()
    complaint = first(complaint, same("interrupted", status, 130), same("stdout", job.lines(), []),
                      same("save", saved(), before))
    job = Job("exec", "-r", "7", "--", "sh", "-c", "echo up; exec sleep 1000")
    complaint = first(complaint, job.until_lines("up", 1))
    status, out, err = run("perf", "lat", "--setup")
    job.stop()
    late = run("--timeout", "0.3", "perf", "lat", "--setup", "-n", "10000000")
    return first(complaint, same("status", (status, out), (1, "")),
                 None if "replica 7 is held by" in err else err, same("late", late[0], 124),
                 same("save", saved(), before))


TESTS = [t_environment, t_descriptors, t_handle, t_status, t_size_of_card, t_rank_auto,
         t_no_such_replica, t_taken_descriptor, t_passed_descriptors, t_held, t_denied,
         t_launch, t_launch_descriptors, t_all_attached_first, t_output_whole, t_output_shared,
         t_output_long, t_streams, t_slow_reader, t_launch_status, t_ignored_children,
         t_not_there, t_keep_going, t_signals, t_stubborn, t_time_limit, t_time_limit_unread,
         t_launcher_killed, t_leftovers, t_restart, t_many, t_usage, t_ping, t_ping_unreachable,
         t_ping_as_replica, t_exec_in_exec, t_ping_time_limit, t_killed_in_traffic, t_perf,
         t_perf_as_found, t_perf_setup]

for test in TESTS:
    attempt(tap, test.__name__[2:].replace("_", " "), test, all_let_go)
tap.done()
