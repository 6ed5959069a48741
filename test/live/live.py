# SPDX-License-Identifier: Apache-2.0
"""Helpers of the Python cases: running dwell, and looking at the BPF objects of the kernel."""
import contextlib
import ctypes
import functools
import os
import platform
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

DWELL = os.environ.get("DWELL", "dwell")
TRIGGER = os.environ.get("TRIGGER", "trigger")
WORK = os.environ.get("WORK", "/tmp")
NAME = os.path.basename(DWELL)
# `./quickstart test all` and CI: cases that try many moments or inputs try all of them, else a sample that changes from run to run.
LONG = bool(os.environ.get("DWELL_TEST_LONG"))
failures = 0


def dwell(*args, timeout=20, **kw):
    """Runs dwell; .stdout, .stderr (texts) and .returncode."""
    kw.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(
        [DWELL, *map(str, args)], capture_output=True, text=True, timeout=timeout, errors="surrogateescape", **kw
    )


@contextlib.contextmanager
def busy_cpus():
    """Every CPU computes: an idle virtual CPU may get no timer samples at all (perf record shows the same)."""
    spinning = [
        subprocess.Popen([TRIGGER, "spin", "60000"], preexec_fn=lambda c=c: os.sched_setaffinity(0, {c}))
        for c in os.sched_getaffinity(0)
    ]
    try:
        yield
    finally:
        for p in spinning:
            p.kill()
            p.wait()


OUTSIDE = """
import os, sys
root = os.open("/", os.O_RDONLY)
os.chroot(sys.argv[1])
os.fchdir(root)
for _ in range(100):
    os.chdir("..")
os.chroot(".")
os.fchdir(root)
print(os.getcwd())
"""


@functools.cache
def path_of_root():
    """Where our root is in the mount namespace: "" but in a chroot, which a child leaves to look."""
    with tempfile.TemporaryDirectory(dir=WORK) as deeper:
        return (
            subprocess.run([sys.executable, "-c", OUTSIDE, deeper], stdout=subprocess.PIPE, text=True, check=True)
            .stdout.rstrip("\n")
            .rstrip("/")
        )


def seen(path):
    """What the kernel calls an absolute path of ours: D's paths end at the root of the mount namespace."""
    return (path_of_root() + path).rstrip("/") or "/"


class SlowFile:
    """A file, .path, of a file system that takes its time: .delay(read, write, fsync) in ms. Skips the test where there
    is no FUSE."""

    current = None

    def __init__(self, mb=64):
        self.dir = tempfile.mkdtemp(dir=WORK)
        self.path = self.dir + "/data"
        self.p = subprocess.Popen(
            [os.path.join(os.path.dirname(TRIGGER), "slowfs"), self.dir, str(mb)], stdout=subprocess.PIPE, text=True
        )
        if self.p.stdout.readline() != "ready\n":
            print("# no FUSE here")
            sys.exit(77)
        SlowFile.current = self

    def delay(self, read=0, write=0, fsync=0):
        with open(self.dir + "/delay", "w") as f:
            f.write(f"{read} {write} {fsync}")

    def forget(self):
        """The page cache has nothing of it any more: who reads the same again waits again."""
        with open(self.path, "rb") as f:
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        SlowFile.current = None
        self.delay()
        self.p.terminate()
        self.p.wait()


@contextlib.contextmanager
def waiting(*args):
    """Runs the program `waits` until the block ends; gives what it said when all was as it should be: a dict."""
    p = subprocess.Popen(
        [os.path.join(os.path.dirname(TRIGGER), "waits"), *map(str, args)], stdout=subprocess.PIPE, text=True
    )
    try:
        line = p.stdout.readline()
        if not line.startswith("ready "):
            raise RuntimeError(f"waits {args}: {line!r}")
        yield dict(w.split("=", 1) for w in line.split()[1:])
    finally:
        p.kill()
        if SlowFile.current:  # who waits for it cannot be killed
            SlowFile.current.delay()
        p.wait()


@contextlib.contextmanager
def cgroup(controller, old, new):
    """A cgroup with settings {file: value}: old those of version 1, new those of version 2. Its path; None: not possible here."""
    top, made = "/sys/fs/cgroup", None
    path = (
        top if os.path.exists(top + "/cgroup.controllers") else f"{top}/{controller}"
    ) + f"/dwell-test-{os.getpid()}"
    try:
        os.mkdir(path)
        for name, value in (old if os.path.exists(f"{path}/{next(iter(old))}") else new).items():
            with open(f"{path}/{name}", "w") as f:
                f.write(str(value))
        made = path
    except OSError as e:
        print(f"# no cgroup of {controller} here: {e}")
    try:
        yield made
    finally:
        for _ in range(50):  # until those who were in it are gone
            if not os.path.isdir(path):
                break
            try:
                os.rmdir(path)
            except OSError:
                time.sleep(0.1)


class Daemon:
    """A `dwell latency --daemon`, ready. .messages(): its messages so far; .files(): its recordings, oldest first."""

    def __init__(self, *args, state="state", before=(), env=None, timeout=20, preexec_fn=None):
        self.state = state
        self.log = open(os.path.join(WORK, f"daemon-{os.getpid()}-{id(self)}.log"), "w+", encoding="utf-8")
        self.p = subprocess.Popen(
            [*before, DWELL, "latency", "--daemon", "--state", state, *map(str, args)],
            stdout=self.log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(env or {})},
            preexec_fn=preexec_fn,
        )
        if not self.wait_for("records into", timeout):
            self.p.kill()
            raise RuntimeError("no daemon: " + self.messages())
        m = re.search(r"metrics at (\S+)", self.messages())
        self.where = m and m.group(1)

    def messages(self):
        return open(self.log.name, encoding="utf-8").read()

    def wait_for(self, text, timeout=20, n=1):
        end = time.monotonic() + timeout
        while time.monotonic() < end and self.messages().count(text) < n and self.p.poll() is None:
            time.sleep(0.05)
        return self.messages().count(text) >= n

    def files(self):
        return sorted(os.path.join(self.state, f) for f in os.listdir(self.state) if f.endswith(".dwell"))

    def memory(self, what="VmRSS"):
        return int(
            re.search(what + r":\s+(\d+) kB", open(f"/proc/{self.p.pid}/status", encoding="ascii").read()).group(1)
        )

    def cpu(self):
        f = open(f"/proc/{self.p.pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
        return (int(f[11]) + int(f[12])) / os.sysconf("SC_CLK_TCK")

    def metrics(self):
        """Samples by name and labels as they are written."""
        with urllib.request.urlopen(self.where, timeout=20) as r:
            text = r.read().decode()
        return {l.rsplit(" ", 1)[0]: float(l.rsplit(" ", 1)[1]) for l in text.splitlines() if l[:1] != "#"}

    def end(self, sig=signal.SIGTERM):
        if self.p.poll() is None:
            self.p.send_signal(sig)
        return self.p.wait(20)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        if self.p.poll() is None:
            self.p.kill()
        self.p.wait()
        self.log.close()


def complaints(r):
    """Its messages, but for timers that were late: virtual CPUs pause."""
    return "".join(
        l for l in r.stderr.splitlines(True) if not re.search(r": \d+ timer firings? (?:missed|not made: .*)$", l)
    )


def check(condition, what, detail=""):
    global failures
    print(("ok - " if condition else "not ok - ") + what)
    if not condition:
        failures += 1
        for line in str(detail).splitlines()[:40]:
            print("    " + line)
    sys.stdout.flush()
    return condition


def same(got, want, what):
    return check(got == want, what, f"expected {want!r}\ngot      {got!r}")


ATTEMPTS = 3


def attempts(what, attempt):
    """For what a pause of a virtual CPU or another program's load can spoil: attempt() measures and judges, and gives (condition,
    what, detail) of each check. One that fails is repeated, which is said; what is always wrong fails always."""
    for n in range(1, ATTEMPTS + 1):
        found = list(attempt())
        failed = [f for f in found if not f[0]]
        if not failed:
            break
        if n < ATTEMPTS:
            print(f"# {what}: attempt {n} of {ATTEMPTS} failed")
            for f in failed:
                print("\n".join(f"#     {line}" for line in (f[1] + "\n" + str(f[2:])).splitlines()[:10]))
    for f in found:
        check(*f)


def done():
    sys.exit(1 if failures else 0)


# The bpf() system call, as far as counting programs and links needs it.
NR_BPF = {"x86_64": 321, "aarch64": 280}.get(platform.machine())
PROG_GET_NEXT_ID, PROG_GET_FD_BY_ID, OBJ_GET_INFO_BY_FD, LINK_GET_NEXT_ID, MAP_GET_NEXT_ID = 11, 13, 15, 31, 12
ENABLE_STATS = 32
PROG_INFO_SIZE = 232
libc = ctypes.CDLL(None, use_errno=True)


def bpf(cmd, attr):
    buf = ctypes.create_string_buffer(bytes(attr), len(attr))
    r = libc.syscall(NR_BPF, cmd, buf, len(attr))
    return (r if r >= 0 else -ctypes.get_errno()), buf.raw


def ids(cmd):
    """All ids of programs, maps or links that the kernel holds now."""
    found, at = [], 0
    while True:
        r, out = bpf(cmd, struct.pack("=III", at, 0, 0))
        if r < 0:
            return found
        at = struct.unpack_from("=I", out, 4)[0]
        found.append(at)


def prog_info(prog_id):
    """name, run_time_ns, run_cnt, recursion_misses of a program; None when it is gone."""
    fd, _ = bpf(PROG_GET_FD_BY_ID, struct.pack("=III", prog_id, 0, 0))
    if fd < 0:
        return None
    info = ctypes.create_string_buffer(PROG_INFO_SIZE)
    bpf(OBJ_GET_INFO_BY_FD, struct.pack("=IIQ", fd, PROG_INFO_SIZE, ctypes.addressof(info)))
    os.close(fd)
    raw = info.raw
    name = raw[64:80].split(b"\0")[0].decode()
    run_time, run_cnt, misses = struct.unpack_from("=QQQ", raw, 192)
    return name, run_time, run_cnt, misses


def no_debug_registers():
    """An environment in which dwell finds debug registers that do nothing, as some virtual machines have them."""
    library = os.path.join(WORK, "nodebugreg.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nodebugreg.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    return {"LD_PRELOAD": library}


def attached():
    """Ids of the programs, links and maps that exist now: a set to compare with a later one."""
    return (
        {("prog", i) for i in ids(PROG_GET_NEXT_ID)}
        | {("link", i) for i in ids(LINK_GET_NEXT_ID)}
        | {("map", i) for i in ids(MAP_GET_NEXT_ID)}
    )


def missing():
    """What `dwell features` says is missing: a text."""
    return "\n".join(l for l in dwell("features").stdout.splitlines() if " no " in f" {l} ")
