# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell rec, dwell replay: each program is recorded once and replayed three times; output and status are equal byte for byte,
though clock, process number, random numbers, files and descriptors are others then."""
import os
import struct
import subprocess
import sys
import zlib

import live
import traces

PYTHON = os.path.realpath("/usr/bin/python3")
FILE = os.path.join(live.WORK, "words")
TREE = os.path.join(live.WORK, "tree")
DB = os.path.join(live.WORK, "rows.db")
COUNTED = (
    "with recursive c(x) as (values(1) union all select x+1 from c where x<3000) insert into t select x, random() from c;"
    "create index i on t(b); select sum(b%1000), count(*), datetime('now') from t;"
)
SIGNALS = """
import signal, time
n = 0
def handler(*a):
    global n
    n += 1
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
for i in range(60000):
    if i % 1000 == 0:
        time.clock_gettime(1)
signal.pause()
time.sleep(0.01)
signal.setitimer(signal.ITIMER_REAL, 0)
print(n, time.time())
"""
# Code of its own that reads the time-stamp counter, with rdtsc and rdtscp.
COUNTER = """
import ctypes, mmap
for code in b"\\x0f\\x31", b"\\x0f\\x01\\xf9":
    m = mmap.mmap(-1, 4096, prot=7)
    m.write(code + b"\\x48\\xc1\\xe2\\x20\\x48\\x09\\xd0\\xc3")
    f = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(ctypes.c_char.from_buffer(m)))
    a = f()
    print(a, f() - a)
"""
MEMORY = """
import mmap, os, sys
f = open(sys.argv[1], "r+b")
m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_COPY)
m[0:3] = b"xyz"
big = bytearray(50 << 20); del big
a = mmap.mmap(-1, 1 << 20); a[5] = 7; a.resize(4 << 20); a.madvise(mmap.MADV_DONTNEED)
print(m[:9], a[5], hash("a"), id(m), len(os.listdir("/proc/self/fd")), open("/proc/self/maps").read())
"""
# Advice about a page and a locked one: it fails, and has done the first half of its work.
ADVICE = """
import ctypes, mmap
c, m = ctypes.CDLL(None, use_errno=True), mmap.mmap(-1, 8192, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
m[0:1] = m[4096:4097] = b"x"
at = ctypes.addressof(ctypes.c_char.from_buffer(m))
c.mlock(ctypes.c_long(at + 4096), 4096)
print(c.madvise(ctypes.c_long(at), 8192, 4), ctypes.get_errno(), m[0], m[4096])
"""
# System calls that there are not: the last two numbers are of Linux 2.4.
NUMBERS = """
import ctypes, signal
c, n = ctypes.CDLL(None, use_errno=True), []
signal.signal(signal.SIGALRM, lambda *a: n.append(1)); signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
while len(n) < 3:
    for nr in 500, 1000000, -1, 0x40000001, 184, 174:
        print(nr, c.syscall(ctypes.c_long(nr), 7, 8, 9), ctypes.get_errno())
signal.setitimer(signal.ITIMER_REAL, 0)
"""
SOCKETS = """
import ctypes, os, select, socket
h, v = (ctypes.c_int * 2)(0x20080522, 0), (ctypes.c_uint * 6)(); print(ctypes.CDLL(None).syscall(125, h, v), list(v))
a, b = socket.socketpair()
a.sendmsg([b"one", b"two"]); print(b.recvmsg(100, 100)); socket.send_fds(a, [b"x"], [0]); print(socket.recv_fds(b, 10, 2))
class Msg(ctypes.Structure): _fields_ = [(x, ctypes.c_uint64) for x in ("name", "namelen", "iov", "iovlen", "control", "controllen", "flags", "len")]
e, f = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); t = [ctypes.create_string_buffer(x, 9) for x in (b"one", b"three", b"", b"")]
iov = [(ctypes.c_uint64 * 2)(ctypes.addressof(x), n) for x, n in zip(t, (3, 5, 9, 9))]; msgs = (Msg * 4)(*[Msg(iov=ctypes.addressof(x), iovlen=1) for x in iov])
print([ctypes.CDLL(None).syscall(n, x, ctypes.byref(msgs, at), 2, 0, None) for n, x, at in ((307, e.fileno(), 0), (299, f.fileno(), 2 * ctypes.sizeof(Msg)))], [m.len for m in msgs], [x.value for x in t])
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); c = socket.create_connection(s.getsockname()); d, who = s.accept()
print(who, s.getsockname(), c.getsockopt(6, 1)); c.send(b"q"); p = select.epoll(); p.register(d, 1); print(p.poll(1), select.select([d], [c], [], 1))
r, w = os.pipe(); os.writev(w, [b"ab", b"cd"]); x = [bytearray(3), bytearray(3)]; print(os.readv(r, x), x, os.sched_getaffinity(0), os.uname())
os.dup2(1, 9); os.write(9, b"by another name\\n"); os.write(2, b"error\\n"); open("/dev/stdout", "w").write("once more\\n")
"""
# Numbers of descriptors that were files, where reading does not wait, become pipes, where it does; a handler interrupts it.
REUSED = """
import os, signal, sys, threading, time
signal.signal(signal.SIGALRM, lambda *a: os.write(1, b"alarm\\n"))
for i in range(40):
    fd = os.open(sys.argv[1], os.O_RDONLY)
    n = len(os.read(fd, 100)); os.lseek(fd, 5, 0); d = os.dup(fd); os.read(d, 7); os.close(d); os.close(fd)
    r, w = os.pipe()
    threading.Thread(target=lambda: (time.sleep(0.0005), os.write(w, b"%d" % i))).start()
    x = os.read(r, 100); os.close(r); os.close(w); os.stat(sys.argv[1]); e = os.path.exists("/nowhere/%d" % i)
    if i == 20: signal.setitimer(signal.ITIMER_REAL, 0.001); t = time.time(); [os.stat("/") for _ in iter(lambda: time.time() < t + 0.02, False)]
print(n, x, e, os.stat(sys.argv[1]).st_atime_ns, time.time_ns())
"""
PROGRAMS = [
    ("cat reads standard input", ["cat"], 0),
    ("cat", ["cat", FILE], 0),
    ("ls", ["ls", "-la", "/usr/bin"], 0),
    ("date", ["date", "+%s.%N"], 0),
    ("sha256sum", ["sha256sum", FILE], 0),
    (
        "python3: random numbers, clocks",
        [PYTHON, "-c", "import os, random, time; print(random.random(), os.urandom(8), time.time(), os.getpid())"],
        0,
    ),
    ("python3: mappings", [PYTHON, "-c", MEMORY, FILE], 0),
    ("python3: advice that fails", [PYTHON, "-c", ADVICE], 0),
    ("python3: signals of a timer", [PYTHON, "-c", SIGNALS], 0),
    ("python3: system calls that there are not", [PYTHON, "-c", NUMBERS], 0),
    ("python3: time-stamp counter", [PYTHON, "-c", COUNTER], 0),
    ("python3: sockets, pipes, epoll", [PYTHON, "-c", SOCKETS], 0),
    ("python3: descriptors used again", [PYTHON, "-c", REUSED, FILE], 0),
    ("find", ["find", TREE, "-newermt", "2001-01-01"], 0),
    ("sqlite3 with a file", ["sqlite3", DB, "create table t(a,b);" + COUNTED], 0),
    ("perl", ["perl", "-e", 'print rand(), " $$ ", time(), "\\n"; warn "x"; exit 9'], 9),
    ("bash", ["bash", "-c", "echo $RANDOM $EPOCHREALTIME $$; exit 3"], 3),
    ("a program that executes another", ["sh", "-c", "echo $$; exec date +%N"], 0),
    ("a handler of a signal", ["sh", "-c", "trap 'echo got' USR1; kill -USR1 $$; echo after"], 0),
    ("a signal that ends it", ["sh", "-c", "kill -TERM $$"], -15),
    ("a fault that ends it", [PYTHON, "-c", "print('x', flush=True); import ctypes; ctypes.string_at(0)"], -11),
    ("a static program", ["ldconfig", "-p"], 0),
]


def run(*args, **kw):
    return subprocess.run([live.DWELL, *args], capture_output=True, timeout=60, check=False, **kw)


def record(trace, command, **kw):
    return run("rec", "-q", "-o", trace, "--", *command, input=b"line\n" * 1000, **kw)


def replays(name, command, status):
    trace = os.path.join(live.WORK, "trace")
    r = record(trace, command)
    live.check(r.returncode == status, f"{name}: recorded, status {status}", f"{r.returncode} {r.stderr}")
    if name == "sqlite3 with a file":
        os.unlink(DB)
    for i in range(3):
        p = run("replay", trace, stdin=subprocess.DEVNULL)
        if (p.stdout, p.stderr, p.returncode) != (r.stdout, r.stderr, r.returncode):
            live.check(
                False, f"{name}: replay {i + 1}", f"{p.returncode} {p.stderr}\n{r.stdout[:500]}\n{p.stdout[:500]}"
            )
            return
    live.check(True, f"{name}: three replays are equal")
    if name == "sqlite3 with a file":
        live.check(not os.path.exists(DB), "a replay makes no files")


def events(data):
    """Kind and bytes of each event of a recording."""
    at = 72
    while at < len(data):
        raw, at = traces.unpacked(data, at)
        i = 0
        while i < len(raw):
            size, kind = struct.unpack_from("<II", raw, i)
            yield kind, raw[i + 8 : i + 8 + size]
            i += 8 + size


def logged():
    """Calls that do not wait are logged by the program itself; their log is compared, too, and hostile ones do no harm."""
    trace = os.path.join(live.WORK, "trace")
    r = record(trace, ["find", TREE, "-newermt", "2001-01-01"])
    with open(trace, "rb") as f:
        data = f.read()
    all_events = list(events(data))
    stops = sum(kind == 4 for kind, _ in all_events)
    logs = [body for kind, body in all_events if kind == 12]
    nrs, at = [], 0
    for body in logs:
        at = 0
        while at < len(body):
            size, nr = struct.unpack_from("<II", body, at)
            nrs.append(nr)
            at += size
    live.check(
        nrs.count(262) > 300 and stops < 300, "most calls of find are logged without a stop", f"{len(nrs)} {stops}"
    )
    for name, change, word in (
        ("another argument", lambda b: b[:24] + bytes([b[24] ^ 1]) + b[25:], b"does not do what it did at system call"),
        ("another call", lambda b: b[:4] + b"\x09" + b[5:], b"does not do what it did at system call"),
        ("another path", lambda b: b[:92] + bytes([b[92] ^ 1]) + b[93:], b"does not do what it did at system call"),
        ("a size that is too small", lambda b: b"\x08\0\0\0" + b[4:], b"makes no sense"),
        ("a size that is too large", lambda b: b"\0\0\x10\0" + b[4:], b"makes no sense"),
        ("a log that goes on", lambda b: b + b, b"does not do what it did at system call"),
    ):
        out, done = data[:72], False
        for kind, body in all_events:
            if kind == 12 and not done and struct.unpack_from("<I", body, 4)[0] == 262:
                body, done = change(body), True
            raw = struct.pack("<II", len(body), kind) + body
            new = zlib.compress(raw, 0)
            out += struct.pack("<4I", 0x6B6C6264, len(raw), len(new), zlib.crc32(new)) + new
        with open(trace, "wb") as f:
            f.write(out)
        p = run("replay", trace)
        live.check(
            done and p.returncode == 1 and word in p.stderr and r.stdout.startswith(p.stdout),
            f"log: {name}",
            f"{done} {p.returncode} {p.stderr}",
        )


def without_files():
    """What it read, the program itself: gone or others."""
    copy, trace = os.path.join(live.WORK, "mycat"), os.path.join(live.WORK, "trace")
    subprocess.run(["cp", "/bin/cat", copy], check=True)
    r = record(trace, [copy, FILE])
    os.unlink(copy)
    with open(FILE, "w", encoding="utf-8") as f:
        f.write("other\n")
    p = run("replay", trace)
    live.check(r.stdout == p.stdout == b"word\n" * 20000, "a replay needs neither the program nor its files", p.stderr)


def packed():
    trace, small = os.path.join(live.WORK, "trace"), os.path.join(live.WORK, "small")
    r = record(trace, ["date", "+%N"])
    p = run("replay", "--pack", small, trace)
    live.check(
        p.returncode == 0
        and not p.stdout
        and not p.stderr
        and 0 < os.path.getsize(small) < os.path.getsize(trace) * 2 // 3,
        "a packed recording is smaller",
        p,
    )
    p = run("replay", small)
    live.check((p.stdout, p.returncode) == (r.stdout, 0) and r.stdout, "and replays", p)
    with open(trace, "rb") as f:
        data = bytearray(f.read())
    data[len(data) // 2] ^= 1
    with open(trace, "wb") as f:
        f.write(data)
    p = run("replay", "--pack", small, trace)
    live.check(
        p.returncode == 1 and b"is damaged: " in p.stderr and run("replay", small).returncode == 1,
        "of a damaged one, what is before the damage",
        p,
    )
    for to, word in (
        (trace, b"is the recording itself"),
        ("/nonexistent/x", b"cannot write to /nonexistent/x"),
        ("/dev/full", b"No space left on device"),
    ):
        p = run("replay", "--pack", to, trace)
        live.check(p.returncode == 1 and word in p.stderr, f"refused: --pack {to}", p)


def without_root():
    """Neither needs privileges."""
    folder = os.path.join(live.WORK, "nobody")
    os.mkdir(folder)
    dwell = os.path.join(folder, "dwell")
    os.chmod(live.WORK, 0o755)
    os.chmod(folder, 0o777)
    subprocess.run(["cp", live.DWELL, dwell], check=True)
    trace = os.path.join(folder, "trace")
    as_nobody = {
        "user": 65534,
        "group": 65534,
        "extra_groups": [],
        "cwd": "/",
        "capture_output": True,
        "timeout": 60,
        "check": False,
    }
    r = subprocess.run([dwell, "rec", "-q", "-o", trace, "date", "+%N"], **as_nobody)
    p = subprocess.run([dwell, "replay", trace], **as_nobody)
    live.check(
        r.returncode == p.returncode == 0 and r.stdout == p.stdout != b"",
        "neither recording nor replay needs root",
        f"{r} {p}",
    )
    r = subprocess.run([dwell, "rec", "-o", trace, "/bin/su"], **as_nobody)
    live.check(r.returncode == 1 and b"set-user-id" in r.stderr, "a set-user-id program is refused", r)


with open(FILE, "w", encoding="utf-8") as out:
    out.write("word\n" * 20000)
for n in range(400):
    os.makedirs(f"{TREE}/{n % 40}", exist_ok=True)
    with open(f"{TREE}/{n % 40}/{n}", "w", encoding="utf-8"):
        pass
# Code that is made at run time is not looked through where the counter does not fault.
FAULTS = b"does not fault on this machine" not in run("rec", "-o", os.devnull, "--", "true").stderr
for row in PROGRAMS:
    if FAULTS or row[1][-1] != COUNTER:
        replays(*row)
logged()
without_files()
packed()
without_root()
sys.exit(live.failures > 0)
