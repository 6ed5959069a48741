# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell rec names a call that it cannot record. dwell replay replays the whole part of a broken recording. If the program does
something else than in the recording, it tells where."""
import ctypes
import os
import signal
import struct
import subprocess
import sys
import time
import zlib

import live
import traces

PYTHON = os.path.realpath("/usr/bin/python3")
TRACE = os.path.join(live.WORK, "trace")
OTHER = os.path.join(live.WORK, "other")
HEAD, BLOCK = 72, 16
EV_CALL = 4
RSI = 3  # of the registers in a call
CALL_REGS_AT = 8 + 16  # behind the event's head, ns and took


def run(*args, **kw):
    kw.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([live.DWELL, *args], capture_output=True, timeout=60, check=False, **kw)


def record(*command):
    return run("rec", "-q", "-o", TRACE, "--", *command)


def refused(code, *words):
    """A program is killed, and the message has all words."""
    r = record(PYTHON, "-c", code)
    live.check(
        r.returncode == 1 and all(w.encode() in r.stderr for w in words) and b"never" not in r.stdout,
        f"refused: {words[0]}",
        f"{r.returncode} {r.stderr} {r.stdout}",
    )
    p = run("replay", TRACE)
    live.check(
        p.returncode == 1 and b"ends before the program" in p.stderr and p.stdout == r.stdout,
        "what was recorded until then is replayed",
        p,
    )


def refusals():
    refused(
        "import ctypes; ctypes.CDLL(None).syscall(56, 0x20000011, 0, 0, 0, 0); print('never')",
        "clone with flags 0x20000011 cannot be recorded",
    )
    refused("import fcntl; fcntl.ioctl(0, 0xdead); print('never')", "ioctl with request 0xdead cannot be recorded")
    refused(
        "import ctypes; ctypes.CDLL(None).syscall(101, 0, 0, 0, 0); print('never')",
        "the system call ptrace cannot be recorded",
    )
    refused(
        "import mmap; f = open('%s', 'w+b'); f.write(b'x'); f.flush(); mmap.mmap(f.fileno(), 0); print('never')"
        % OTHER,
        "a shared mapping of a file that is open for writing",
    )
    refused(
        "import ctypes; ctypes.CDLL(None).shmget(0, 4096, 0o1600); print('never')",
        "the system call shmget cannot be recorded",
    )
    refused(
        "import mmap, os; mmap.mmap(os.open('/dev/zero', os.O_RDWR), 4096); print('never')",
        "mmap of what is no regular file",
    )
    r = record("sh", "-c", "echo $$; sh -c 'unshare -m true; echo never'; echo never")
    live.check(
        r.returncode == 1 and b"the system call unshare cannot be recorded" in r.stderr and b"never" not in r.stdout,
        "a call of a child ends all of it",
        r,
    )
    p = run("replay", TRACE)
    live.check(
        p.returncode == 1 and p.stdout == r.stdout != b"" and b"ends before the program" in p.stderr,
        "what they all did before is replayed",
        p,
    )
    r = record(
        PYTHON,
        "-c",
        "import ctypes; c = ctypes.CDLL(None, use_errno=True); print(c.syscall(317, 1, 0, 0), ctypes.get_errno(), c.syscall(425, 8, 0), ctypes.get_errno())",
    )
    live.check(r.stdout == b"-1 38 -1 38\n", "seccomp and io_uring are not there for the program", r)


def usage():
    for args, word in (
        (["rec"], "a command is missing"),
        (["rec", "-o"], "-o"),
        (["replay"], "a recording is missing"),
        (["replay", "a", "b"], "b"),
    ):
        r = run(*args)
        live.check(r.returncode == 2 and word.encode() in r.stderr, f"dwell {' '.join(args)}: {word}", r)
    r = run("rec", "-o", TRACE, "nonexistent-program")
    live.check(r.returncode == 1 and b"there is no program 'nonexistent-program'" in r.stderr, "no such program", r)
    r = run("rec", "-o", "/nowhere/trace", "true")
    live.check(r.returncode == 1 and b"/nowhere/trace: No such file" in r.stderr, "no such folder", r)
    r = run("replay", "/nowhere/trace")
    live.check(r.returncode == 1 and b"cannot read /nowhere/trace" in r.stderr, "no such recording", r)


def replay_of(data):
    with open(OTHER, "wb") as f:
        f.write(data)
    return run("replay", OTHER)


def blocks(data):
    """Where blocks begin."""
    at, out = HEAD, []
    while at < len(data):
        out.append(at)
        at += BLOCK + struct.unpack_from("<4I", data, at)[2]
    return out


def broken():
    whole = record("cat", "/etc/services")
    with open(TRACE, "rb") as f:
        data = f.read()
    at = blocks(data)
    for what, bad, word in (
        ("an empty file", b"", "no recording"),
        ("a script", b"#!/bin/sh\n" * 20, "no recording"),
        ("half a head", data[:40], "head of the recording is damaged"),
        ("another version", data[:8] + b"\x09" + data[9:], "another version of dwell"),
        ("only a head", data[:HEAD], "ends before the program"),
        ("cut within the program's memory", data[: at[1] + 100], "ends before the program"),
        ("cut in its last block", data[:-3], "ends before the program"),
        ("a damaged block", data[: at[-1] + 30] + b"\0\1\2\3" + data[at[-1] + 34 :], "the recording is damaged"),
    ):
        r = replay_of(bad)
        live.check(
            r.returncode == 1 and word.encode() in r.stderr and whole.stdout.startswith(r.stdout), f"{what}: {word}", r
        )


def changed(data, change):
    """The recording with one call changed: change(bytes of all events) with checksums that fit."""
    at = blocks(data)[-1]
    raw = bytearray(traces.unpacked(data, at)[0])
    change(raw)
    new = zlib.compress(bytes(raw), 1)
    return data[:at] + struct.pack("<4I", 0x6B6C6264, len(raw), len(new), zlib.crc32(new)) + new


def nth_call(raw, nr):
    """Where the first call of that number is."""
    at = 0
    while at < len(raw):
        size, kind = struct.unpack_from("<II", raw, at)
        if kind == EV_CALL and struct.unpack_from("<Q", raw, at + CALL_REGS_AT)[0] == nr:
            return at
        at += 8 + size
    raise RuntimeError(f"no call {nr}")


def differences():
    record("cat", "/etc/hostname")
    with open(TRACE, "rb") as f:
        data = f.read()

    def register(raw):
        at = nth_call(raw, 1) + CALL_REGS_AT + 8 * 2
        raw[at] ^= 1

    def number(raw):
        struct.pack_into("<Q", raw, nth_call(raw, 1) + CALL_REGS_AT, 20)

    for what, change, words in (
        ("a register", register, (b"(write): rsi is 0x", b"recorded 0x")),
        ("a call", number, (b"it calls write, recorded: writev",)),
    ):
        r = replay_of(changed(data, change))
        live.check(
            r.returncode == 1
            and b"the program does not do what it did at system call" in r.stderr
            and all(w in r.stderr for w in words),
            f"{what} that differs is found",
            r,
        )
        live.check(r.stdout == b"", "nothing of it is printed", r)
    if b" rdrand" not in open("/proc/cpuinfo", "rb").read():
        return
    code = (
        "import ctypes, mmap, os\nm = mmap.mmap(-1, 4096, prot=7)\nm.write(b'\\x48\\x0f\\xc7\\xf0\\xc3')\n"
        "f = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(ctypes.c_char.from_buffer(m)))\nos.write(1, b'%020d' % f())"
    )
    r = record(PYTHON, "-c", code)
    p = run("replay", TRACE)
    live.check(
        r.returncode == 0 and p.returncode == 1 and p.stdout == b"" and b"does not do what it did" in p.stderr,
        "a random number of the processor is found before it is printed",
        f"{r} {p}",
    )
    r = run("rec", "-o", TRACE, "true")
    live.check(b"rdrand" in r.stderr, "that they are not recorded is said at the start", r)


def no_ptrace():
    """A filter of system calls as a container has it: ptrace (101) fails with EPERM."""

    class Filter(ctypes.Structure):
        _fields_ = [("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte), ("k", ctypes.c_uint)]

    class Program(ctypes.Structure):
        _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.POINTER(Filter))]

    rows = (Filter * 4)(
        Filter(0x20, 0, 0, 0), Filter(0x15, 0, 1, 101), Filter(6, 0, 0, 0x50001), Filter(6, 0, 0, 0x7FFF0000)
    )
    prog, libc = Program(4, rows), ctypes.CDLL(None)

    def forbid():
        libc.prctl(38, 1, 0, 0, 0)
        libc.prctl(22, 2, ctypes.byref(prog))

    for args in (("rec", "-q", "-o", OTHER, "true"), ("replay", TRACE)):
        r = run(*args, preexec_fn=forbid)
        live.check(
            r.returncode == 1 and b"ptrace is forbidden here" in r.stderr, f"{args[0]} where ptrace is forbidden", r
        )


def full_disk():
    folder = os.path.join(live.WORK, "small")
    os.mkdir(folder)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", folder], check=True)
    try:
        trace = folder + "/trace"
        r = run("rec", "-q", "-o", trace, "cat", "/dev/urandom")
        live.check(
            r.returncode == 1 and b"No space left on device" in r.stderr and b"is killed after" in r.stderr,
            "a full disk ends it",
            r.stderr,
        )
        p = run("replay", trace)
        live.check(
            p.returncode == 1 and b"ends before the program" in p.stderr and p.stdout and r.stdout.startswith(p.stdout),
            "what was before is replayed",
            p.stderr,
        )
    finally:
        subprocess.run(["umount", folder], check=True)


def killed():
    """kill -9 of the recorder ends the program, too; what was written is replayed."""
    with open(OTHER, "wb") as out:
        p = subprocess.Popen(
            [
                live.DWELL,
                "rec",
                "-q",
                "-o",
                TRACE,
                PYTHON,
                "-c",
                "import os\nos.write(1, b'%d\\n' % os.getpid())\nwhile True: os.write(1, os.urandom(9000))",
            ],
            stdout=out,
            stdin=subprocess.DEVNULL,
        )
        for _ in range(3000):
            if os.path.exists(TRACE) and os.path.getsize(TRACE) > 18 << 20:
                break
            time.sleep(0.01)
        p.send_signal(signal.SIGKILL)
        p.wait()
    with open(OTHER, "rb") as f:
        written = f.read()
    pid = int(written.split(b"\n")[0])
    for _ in range(1000):
        if not os.path.exists(f"/proc/{pid}"):
            break
        time.sleep(0.01)
    live.check(not os.path.exists(f"/proc/{pid}"), "the program does not outlive a recorder that is killed")
    r = run("replay", TRACE)
    live.check(
        r.returncode == 1 and b"ends before the program" in r.stderr and r.stdout and written.startswith(r.stdout),
        "what it had written is replayed",
        r.stderr,
    )


usage()
refusals()
broken()
differences()
no_ptrace()
full_disk()
killed()
sys.exit(live.failures > 0)
