#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults of a machine, made on purpose: what `dwell check` has to find.

usage: faults.py NAME[,NAME...] SECONDS [FOLDER]     makes these faults in this process and its children
       faults.py --list

Each fault is a function with the ids of the findings that it must lead to, the one that must come first. `machine`: what it
does is nobody's own (packets, interrupts), so that a check of one process cannot see it. A fault that this machine cannot have
ends with 77.
"""
import contextlib
import ctypes
import mmap
import multiprocessing
import os
import random
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

SKIP = 77
HERE = os.path.dirname(os.path.realpath(__file__))
LIBC = ctypes.CDLL(None, use_errno=True)
FAULTS = {}
DIR = "/tmp"


class Fault:
    def __init__(self, fn, first, machine, calm):
        self.fn, self.first, self.machine, self.calm = fn, first, machine, calm


def fault(*first, machine=False, calm=True):
    """calm: it needs CPUs now and then only, so that it may go before other load."""

    def add(fn):
        FAULTS[fn.__name__.replace("_", "-")] = Fault(fn, first, machine, calm)
        return fn

    return add


def skip(why):
    print(f"# {why}", file=sys.stderr)
    sys.exit(SKIP)


def until(secs):
    end = time.monotonic() + secs
    while time.monotonic() < end:
        yield


def run(*cmd):
    if subprocess.run(cmd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        skip(f"cannot: {' '.join(cmd)}")


def together(n, fn, *args):
    """In n processes at a time."""
    ps = [multiprocessing.Process(target=fn, args=args, daemon=True) for _ in range(n)]
    for p in ps:
        p.start()
    for p in ps:
        p.join()


def in_threads(n, fn, *args):
    ts = [threading.Thread(target=fn, args=args) for _ in range(n)]
    for t in ts:
        t.start()
    for t in ts:
        t.join()


@contextlib.contextmanager
def cgroup(controller, old, new):
    """This process is in a cgroup with these settings: old of version 1, new of version 2."""
    top = "/sys/fs/cgroup"
    v2 = os.path.exists(top + "/cgroup.controllers")
    path = f"{top if v2 else top + '/' + controller}/dwell-check-{os.getpid()}"
    try:
        os.mkdir(path)
        for name, value in (new if v2 else old).items():
            with open(f"{path}/{name}", "w") as f:
                f.write(str(value))
        with open(path + "/cgroup.procs", "w") as f:
            f.write(str(os.getpid()))
    except OSError as e:
        skip(f"no cgroup of {controller}: {e}")
    try:
        yield
    finally:
        parent = os.path.dirname(path)
        with contextlib.suppress(OSError), open(parent + "/cgroup.procs", "w") as f:
            f.write(str(os.getpid()))
        for _ in range(20):
            with contextlib.suppress(OSError):
                os.rmdir(path)
                break
            time.sleep(0.1)


def file_of(mb, folder=None):
    f = tempfile.NamedTemporaryFile(dir=folder or DIR)
    block = os.urandom(1 << 20)
    for _ in range(mb):
        f.write(block)
    f.flush()
    os.fsync(f.fileno())
    return f


def forget(f):
    os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


@fault()
def nothing(secs):
    """A little work, now and then."""
    for _ in until(secs):
        sum(range(1000))
        time.sleep(0.02)


@fault()
def even(secs):
    """A program with a CPU of its own, mostly: its waits for it are not its own doing."""
    for _ in until(secs):
        for _ in until(0.05):
            pass
        time.sleep(0.05)


# -- CPUs --


def spin(secs):
    for _ in until(secs):
        pass


@fault("cpu-saturated", calm=False)
def too_many_threads(secs):
    together(4 * os.cpu_count(), spin, secs)


@fault("noisy-neighbour", "cpu-saturated", calm=False)
def neighbour(secs):
    os.sched_setaffinity(0, {0})
    together(3, spin, secs)


def beside_real_time(secs, n):
    """A real-time thread leaves one CPU to n others for 5 ms at a time."""

    def greedy():
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
        except OSError as e:
            skip(f"no real-time priority: {e}")
        for _ in until(secs):
            for _ in until(0.1):
                pass
            time.sleep(0.005)

    os.sched_setaffinity(0, {0})
    p = multiprocessing.Process(target=greedy)
    p.start()
    together(n, spin, secs)
    p.join()


@fault("real-time", calm=False)
def real_time(secs):
    beside_real_time(secs, 2)


@fault("real-time", calm=False)
def real_time_crowd(secs):
    """Each wait of one of them has several turns of the real-time thread in it."""
    beside_real_time(secs, 8)


@fault("throttled", calm=False)
def quota(secs):
    with cgroup("cpu", {"cpu.cfs_quota_us": 10000}, {"cpu.max": "10000 100000"}):
        together(2, spin, secs)


@fault("softirq", machine=True, calm=False)
def packets(secs):
    """Small packets through the loopback are received in soft interrupts."""

    def send():
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.connect(("127.0.0.1", 9))
        for _ in until(secs):
            for _ in range(100):
                with contextlib.suppress(OSError):
                    s.send(b"x" * 16)

    taker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    taker.bind(("127.0.0.1", 0))
    together(os.cpu_count(), send)


# -- memory --


@fault("reclaim-cgroup")
def memory_limit(secs):
    with cgroup("memory", {"memory.limit_in_bytes": 48 << 20}, {"memory.max": 48 << 20}):
        with file_of(200) as f:
            for _ in until(secs):
                os.lseek(f.fileno(), 0, os.SEEK_SET)
                while os.read(f.fileno(), 1 << 20):
                    pass


@fault("compaction")
def compaction(secs):
    for _ in until(secs):
        try:
            with open("/proc/sys/vm/compact_memory", "w") as f:
                f.write("1")
        except OSError as e:
            skip(f"no compaction: {e}")


@fault("major-faults")
def mapped_file(secs):
    with file_of(64) as f:
        for _ in until(secs):
            forget(f)
            with mmap.mmap(f.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ) as m:
                m.madvise(mmap.MADV_RANDOM)
                for _ in range(2000):
                    m[random.randrange(64 << 20)]


@fault("swap-in")
def swap(secs):
    with tempfile.NamedTemporaryFile(dir=DIR) as disk:
        run("fallocate", "-l", "512M", disk.name)
        os.chmod(disk.name, 0o600)
        run("mkswap", disk.name)
        run("swapon", disk.name)
        try:
            with cgroup("memory", {"memory.limit_in_bytes": 32 << 20}, {"memory.max": 32 << 20}):
                m = mmap.mmap(-1, 96 << 20)
                for _ in until(secs):
                    for i in random.sample(range(0, 96 << 20, 4096), 4000):
                        m[i] = 1
                m.close()
        finally:
            run("swapoff", disk.name)


@fault("out-of-memory")
def out_of_memory(secs):
    def eat():
        b = []
        while True:
            b.append(bytearray(os.urandom(1 << 20)))

    with cgroup("memory", {"memory.limit_in_bytes": 64 << 20}, {"memory.max": 64 << 20}):
        for _ in until(secs):
            p = multiprocessing.Process(target=eat)
            p.start()
            with contextlib.suppress(OSError), open(f"/proc/{p.pid}/oom_score_adj", "w") as f:
                f.write("1000")
            p.join()


# -- disks and file systems --


@contextlib.contextmanager
def slow_file():
    """A file of a file system in user space; (its path, a function that sets its delays in ms)."""
    slowfs = os.environ.get("SLOWFS", os.path.join(os.path.dirname(os.environ.get("TRIGGER", "")), "slowfs"))
    folder = tempfile.mkdtemp(dir=DIR)
    if not os.path.exists(slowfs):
        skip("no slowfs: set SLOWFS")
    p = subprocess.Popen([slowfs, folder, "64"], stdout=subprocess.PIPE, text=True)
    if p.stdout.readline() != "ready\n":
        skip("no FUSE here")

    def delay(read=0, write=0, fsync=0):
        with open(folder + "/delay", "w") as f:
            f.write(f"{read} {write} {fsync}")

    try:
        yield folder + "/data", delay
    finally:
        delay()
        p.terminate()
        p.wait()
        subprocess.run(["umount", "-l", folder], stderr=subprocess.DEVNULL)
        with contextlib.suppress(OSError):
            os.rmdir(folder)


@contextlib.contextmanager
def loop_of(path, *options):
    p = subprocess.run(["losetup", "-f", "--show", *options, path], capture_output=True, text=True)
    if p.returncode:
        skip(f"no loop device: {p.stderr.strip()}")
    try:
        yield p.stdout.strip()
    finally:
        subprocess.run(["losetup", "-d", p.stdout.strip()])


def read_direct(path, secs, span):
    fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
    m = mmap.mmap(-1, 4096)
    for _ in until(secs):
        with contextlib.suppress(OSError):
            os.preadv(fd, [m], random.randrange(span // 4096) * 4096)
    os.close(fd)


@fault("slow-disk")
def slow_disk(secs):
    with slow_file() as (path, delay), loop_of(path) as dev:
        delay(read=60)
        together(2, read_direct, dev, secs, 64 << 20)
        delay()


@fault("disk-errors", "io-errors")  # a look at its processes sees the second only: a disk is nobody's
def bad_disk(secs):
    with file_of(8) as f, loop_of(f.name) as dev:
        os.truncate(f.name, 4096)
        fd = os.open(dev, os.O_RDONLY | os.O_DIRECT)
        m = mmap.mmap(-1, 4096)
        for _ in until(secs):
            with contextlib.suppress(OSError):
                os.preadv(fd, [m], random.randrange(16, 2000) * 4096)
            time.sleep(0.02)
        os.close(fd)


@fault("fsync")
def fsync_storm(secs):
    def work():
        with tempfile.NamedTemporaryFile(dir=DIR) as f:
            for _ in until(secs):
                os.pwrite(f.fileno(), b"x" * 4096, 0)
                os.fsync(f.fileno())

    together(3, work)


@fault("io-limit", "io-wait")
def io_limit(secs):
    with file_of(16) as f:
        st = os.stat(f.name)
        dev = f"{os.major(st.st_dev)}:{os.minor(st.st_dev)}"
        with cgroup("blkio", {"blkio.throttle.read_iops_device": f"{dev} 20"}, {"io.max": f"{dev} riops=20"}):
            together(2, read_direct, f.name, secs, 16 << 20)


@fault("user-fs")
def file_server(secs):
    def read(path):
        with open(path, "rb", buffering=0) as f:
            for _ in until(secs):
                forget(f)
                os.pread(f.fileno(), 4096, random.randrange(1000) * 4096)

    with slow_file() as (path, delay):
        delay(read=30)
        together(2, read, path)
        delay()


@fault("no-space")
def full(secs):
    folder = tempfile.mkdtemp(dir=DIR)
    run("mount", "-t", "tmpfs", "-o", "size=64k", "none", folder)
    try:
        fd = os.open(folder + "/x", os.O_WRONLY | os.O_CREAT)
        for _ in until(secs):
            with contextlib.suppress(OSError):
                os.write(fd, b"x" * 4096)
            time.sleep(0.01)
        os.close(fd)
    finally:
        run("umount", folder)
        os.rmdir(folder)


# -- locks --


@fault("futex-lock")
def mutex(secs):
    lock = ctypes.create_string_buffer(64)

    def work():
        for _ in until(secs):
            LIBC.pthread_mutex_lock(lock)
            LIBC.usleep(3000)
            LIBC.pthread_mutex_unlock(lock)

    in_threads(6, work)


@fault("kernel-lock", "fsync")
def one_file(secs):
    def work(path):
        fd = os.open(path, os.O_WRONLY)
        block = b"x" * (24 << 20)
        for _ in until(secs):
            os.pwrite(fd, block, 0)
        os.close(fd)

    folder = "/dev/shm" if os.path.isdir("/dev/shm") else DIR
    with tempfile.NamedTemporaryFile(dir=folder) as f:
        together(5, work, f.name)


@fault("mmap-lock")
def address_space(secs):
    size = 256 << 20
    m = mmap.mmap(-1, size)
    LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    at = ctypes.addressof(ctypes.c_char.from_buffer(m))
    m.madvise(15)  # MADV_NOHUGEPAGE
    for i in range(0, size, 4096):
        m[i] = 1

    def work():
        for _ in until(secs):
            LIBC.mprotect(at, size, mmap.PROT_READ)
            LIBC.mprotect(at, size, mmap.PROT_READ | mmap.PROT_WRITE)

    in_threads(5, work)


@fault("file-lock")
def locked_file(secs):
    import fcntl

    def work(path):
        with open(path, "w") as f:
            for _ in until(secs):
                fcntl.flock(f, fcntl.LOCK_EX)
                time.sleep(0.03)
                fcntl.flock(f, fcntl.LOCK_UN)
                time.sleep(0.003)  # else it is the first to have it again

    with tempfile.NamedTemporaryFile(dir=DIR) as f:
        together(3, work, f.name)


# -- network --


@contextlib.contextmanager
def other_host():
    """A network namespace behind a pair of interfaces: its name, its address, ours."""
    name = f"dwck{os.getpid() % 10000}"
    run("ip", "netns", "add", name)
    try:
        run("ip", "link", "add", name, "type", "veth", "peer", "name", "eth9", "netns", name)
        run("ip", "addr", "add", "10.99.77.1/24", "dev", name)
        run("ip", "link", "set", name, "up")
        for cmd in (
            ["addr", "add", "10.99.77.2/24", "dev", "eth9"],
            ["link", "set", "eth9", "up"],
            ["link", "set", "lo", "up"],
        ):
            run("ip", "-n", name, *cmd)
        yield name, "10.99.77.2", "10.99.77.1"
    finally:
        subprocess.run(["ip", "netns", "del", name])
        subprocess.run(["ip", "link", "del", name], stderr=subprocess.DEVNULL)


SERVER = """
import socket, sys, time
s = socket.socket()
s.bind((sys.argv[1], 7777))
s.listen(100)
print("ready", flush=True)
kept = []
while True:
    kept.append(s.accept())
"""


@contextlib.contextmanager
def server_there(name, addr):
    p = subprocess.Popen(
        ["ip", "netns", "exec", name, sys.executable, "-c", SERVER, addr], stdout=subprocess.PIPE, text=True
    )
    p.stdout.readline()
    try:
        yield
    finally:
        p.kill()
        p.wait()


@fault("retransmits", machine=True)
def lost_packets(secs):
    """What answers comes no more: the route back has gone."""
    with other_host() as (name, there, here), server_there(name, there):
        socks = [socket.create_connection((there, 7777)) for _ in range(10)]
        run("ip", "-n", name, "route", "add", "blackhole", here + "/32")
        end = time.monotonic() + secs
        while time.monotonic() < end:
            for s in socks:
                s.send(b"hello")
            time.sleep(0.2)


@fault("connect-unanswered", machine=True)
def no_answer(secs):
    with other_host() as (name, there, here):
        run("ip", "-n", name, "route", "add", "blackhole", here + "/32")
        socks = []
        for _ in until(secs):
            s = socket.socket()
            s.setblocking(False)
            s.connect_ex((there, 7777))
            socks.append(s)
            time.sleep(0.2)


@fault("listen-overflow", machine=True)
def listen_queue(secs):
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen(1)
    socks = []
    for _ in until(secs):
        s = socket.socket()
        s.setblocking(False)
        s.connect_ex(server.getsockname())
        socks.append(s)
        time.sleep(0.1)


@fault("packets-dropped", machine=True)
def slow_reader(secs):
    taker, s = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    taker.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    taker.bind(("127.0.0.1", 0))
    s.connect(taker.getsockname())
    for _ in until(secs):
        s.send(b"x" * 1000)
        time.sleep(0.002)


def ask_names(secs, answer):
    """Questions to a server of our own on 127.0.0.88."""
    try:
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.88", 53))
    except OSError as e:
        skip(f"port 53: {e}")

    def serve():
        while True:
            q, who = server.recvfrom(512)
            answer(server, q, who)

    threading.Thread(target=serve, daemon=True).start()
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect(("127.0.0.88", 53))
    for i, _ in enumerate(until(secs)):
        s.send(struct.pack("!6H", i + 1, 0x100, 1, 0, 0, 0) + b"\x05dwell\x04test\x00\x00\x01\x00\x01")
        s.settimeout(0.3)
        with contextlib.suppress(OSError):
            s.recv(512)


@fault("dns-slow")
def slow_names(secs):
    def answer(server, q, who):
        time.sleep(0.15)
        server.sendto(q, who)

    ask_names(secs, answer)


@fault("dns-unanswered")
def no_names(secs):
    ask_names(secs, lambda server, q, who: None)


@fault("connect-failed")
def refused(secs):
    for _ in until(secs):
        s = socket.socket()
        s.connect_ex(("127.0.0.1", 1))
        s.close()
        time.sleep(0.01)


# -- processes --


@fault("short-lived", calm=False)
def fork_storm(secs):
    def work():
        for _ in until(secs):
            os.spawnv(os.P_WAIT, "/bin/true", ["true"])

    together(2 * os.cpu_count(), work)


@fault("threads", calm=False)
def thread_storm(secs):
    def work():
        nothing = LIBC.getpid
        create, join = LIBC.pthread_create, LIBC.pthread_join
        t = ctypes.c_ulong()
        for _ in until(secs):
            for _ in range(100):
                create(ctypes.byref(t), None, nothing, None)
                join(t, None)

    together(2, work)


@fault("too-many-files")
def many_files(secs):
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    kept = []
    for _ in until(secs):
        try:
            kept.append(os.open("/dev/null", os.O_RDONLY))
        except OSError:
            time.sleep(0.01)


@fault("no-memory")
def refused_memory(secs):
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    for _ in until(secs):
        with contextlib.suppress(OSError, ValueError):
            mmap.mmap(-1, 1 << 31)
        time.sleep(0.01)


@fault("stuck", "user-fs")
def stuck(secs):
    """Who makes a process with vfork() cannot be interrupted until that one runs a program."""
    code = """
import ctypes, time
libc = ctypes.CDLL(None)
if libc.vfork() == 0:
    libc.usleep(int({} * 1000000))
    libc._exit(0)
""".format(
        secs
    )
    subprocess.run([sys.executable, "-c", code])


def main():
    global DIR
    if sys.argv[1:2] == ["--list"]:
        for name, f in FAULTS.items():
            print(name, *f.first)
        return
    DIR = sys.argv[3] if len(sys.argv) > 3 else DIR
    names = sys.argv[1].split(",")
    if len(names) > 1:
        ps = [subprocess.Popen([sys.executable, __file__, name, *sys.argv[2:]]) for name in names]
        sys.exit(max(p.wait() for p in ps))
    f = FAULTS[names[0]]
    if f.calm and os.environ.get("DWELL_CHECK_FIRST"):
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    f.fn(float(sys.argv[2]))


if __name__ == "__main__":
    main()
