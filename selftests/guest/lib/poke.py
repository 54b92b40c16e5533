# SPDX-License-Identifier: GPL-2.0-only
"""poke.py REPLICA OFFSET MODE: spoils bytes of a replica's region behind the back of
the program that holds the replica. Its handle is taken out of its process, which root
may, and written to. MODE is once, or until: again and again until it is gone."""
import ctypes
import fcntl
import os
import struct
import sys
import time

PIDFD_GETFD = 438
REPLICA_GET = 0xfa90
DEADLINE = time.monotonic() + 100


def handles():
    """(pid, descriptor) of every replica handle there is"""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            for fd in os.listdir(f"/proc/{pid}/fd"):
                if "ocfabric" in os.readlink(f"/proc/{pid}/fd/{fd}"):
                    yield int(pid), int(fd)
        except OSError:
            continue


def replica_of(fd):
    get = bytearray(struct.pack("=II", 256, 0) + bytes(248))
    try:
        fcntl.ioctl(fd, REPLICA_GET, get)
    except OSError:
        return None
    return struct.unpack_from("=I", get, 8)[0]


def handle_of(replica):
    libc = ctypes.CDLL(None, use_errno=True)
    for pid, fd in handles():
        try:
            pidfd = os.pidfd_open(pid)
        except OSError:
            continue
        mine = libc.syscall(PIDFD_GETFD, pidfd, fd, 0)
        os.close(pidfd)
        if mine >= 0:
            if replica_of(mine) == replica:
                return mine, pid
            os.close(mine)
    return None


def main():
    replica, offset, mode = int(sys.argv[1]), int(sys.argv[2], 0), sys.argv[3]
    print("ready", flush=True)
    while not (found := handle_of(replica)):
        if time.monotonic() > DEADLINE:
            sys.exit(f"poke: nobody holds replica {replica}")
        time.sleep(0.01)
    fd, pid = found
    count = 0
    while time.monotonic() < DEADLINE:
        try:
            os.kill(pid, 0)
            os.pwrite(fd, bytes([0xa5, count & 0xff] * 8), offset)
        except OSError:
            break
        count += 1
        if mode == "once":
            break
    print(f"poke: {count} times")
    return 0 if count else 1


sys.exit(main())
