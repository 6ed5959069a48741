# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
# @long: all trackers, one after another
"""Every tracker of dlib/latency, with a threshold that this load passes: slow events with the attributes that the file
promises. A file without an entry here fails. With the thresholds they have, all compile, and end without a message."""
import concurrent.futures
import os
import re
import tempfile

import live

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "../../../dlib/latency")
# Threads that sleep, write one file, lock, send and receive; programs that begin; data that goes to the disk.
LOAD = r"""
import fcntl, mmap, os, socket, subprocess, sys, threading, time
work = sys.argv[1]
cond = threading.Condition()
def sleeper():
    with cond:
        cond.wait()
threads = [threading.Thread(target=sleeper) for _ in range(3)]
for t in threads:
    t.start()
time.sleep(0.15)
with cond:
    cond.notify_all()
for t in threads:
    t.join()
listener = socket.create_server(("127.0.0.1", 0))
a = socket.create_connection(listener.getsockname())
b, _ = listener.accept()
for _ in range(20):
    a.send(b"x" * 1000)
    time.sleep(0.005)
    b.recv(2000)
def writer(name):
    f = os.open(name, os.O_RDWR | os.O_CREAT)
    for _ in range(300):
        os.pwrite(f, b"x" * 200000, 0)
    os.fsync(f)
writers = [threading.Thread(target=writer, args=(work + "/one",)) for _ in range(4)]
for t in writers:
    t.start()
for t in writers:
    t.join()
locked = os.open(work + "/locked", os.O_RDWR | os.O_CREAT)
has_it, says = os.pipe()
holder = os.fork()
if holder == 0:
    fcntl.flock(os.open(work + "/locked", os.O_RDWR), fcntl.LOCK_EX)
    os.write(says, b"!")
    time.sleep(0.2)
    os._exit(0)
os.read(has_it, 1)
fcntl.flock(locked, fcntl.LOCK_EX)
os.waitpid(holder, 0)
null = os.open("/dev/null", os.O_WRONLY)
os.write(null, b"dwell+shipped")
os.write(null, b"dwell-shipped")
subprocess.run(["dd", "if=/dev/zero", "of=" + work + "/mapped", "bs=64k", "count=20"], stderr=subprocess.DEVNULL)
f = os.open(work + "/mapped", os.O_RDONLY)
os.fsync(f)
os.posix_fadvise(f, 0, 0, os.POSIX_FADV_DONTNEED)
mmap.mmap(f, 0, prot=mmap.PROT_READ)[300000]
for _ in range(10):
    subprocess.run(["true"])
subprocess.run(["dd", "if=/dev/zero", "of=" + work + "/direct", "bs=64k", "count=50", "oflag=direct"], stderr=subprocess.DEVNULL)
time.sleep(0.3)
"""


def attributes(text):
    """The names of what is noted, by tracker. Stacks have lines of their own."""
    found, last = {}, None
    for line in text.splitlines():
        m = re.match(r"slow (\S+) ", line)
        if m:
            last = found.setdefault(m[1], set())
        elif last is not None and re.match(r"  [a-z]\w*( |$)", line):
            last.add(line.split()[0])
        elif not line.startswith(" "):
            last = None
    return found


# Name: threshold, patterns of its output; None: this load, or this machine, need not have such an event.
WANT = {
    "block": (
        "0",
        [
            r"^slow block +[\d.]+ [mu]s|^slow block +\d+ us",
            r"^  dev +\S+$",
            r"^  sector +\d+$",
            r"^  op +(read|write)$",
            r"^  file +/\S+",
        ],
    ),
    "connect": ("0", [r"^slow connect ", r"^  ret +0$", r"connect"]),
    "fault": (
        "0",
        [r"^slow fault .* python3 ", r"^  fault +minor$", r"^  mode +user$", r"^  file +\S*/mapped\n  offset +\d+$"],
    ),
    "fs": (
        "0",
        [r"^slow fs ", r"^  syscall +\w+\n  fs +\w+\n  file +/\S+.*\n  ret +-?\d+$"],
    ),  # of all programs: many are lost; truth.py has the rest
    "fsync": ("0", [r"^slow fsync .* python3 ", r"^  syscall +fsync$", r"^  file +\S*/one$"]),
    "futex": ("1ms", [r"^slow futex .* python3 ", r"^  waker_comm +python3$"]),
    "irq": ("0", None),
    "lock": (
        "0",
        [r"^slow lock ", r"^  lock_kind +(mutex|spinlock|rtmutex|percpu-rwsem|rwsem read|rwsem write|semaphore)$"],
    ),
    "filelock": ("0", [r"^slow filelock .* python3 ", r"^  lock_kind +file lock \(flock\)$", r"^  holder_tid +\d+$"]),
    "mmaplock": ("0", [r"^slow mmaplock ", r"^  lock_kind +mmap_lock \((read|write)\)$", r"^  owner +\d+$"]),
    "netrx": ("0", [r"^slow netrx ", r"^  ifindex +\d+$", r"^  bytes +\d+$"]),
    "nettx": ("0", None),
    "offcpu": (
        "20ms",
        [r"^slow offcpu .* python3 ", r"vmlinux`schedule\+.*\n(.*\n)*.*vmlinux`futex_", r"^  waker_comm +python3$"],
    ),
    "process": ("0", [r"^slow fork .* python3 ", r"^  parent_comm +python3$", r"^slow exec "]),
    "reclaim": ("0", None),
    "request": ("0", [r"^slow request .* python3 ", r"^  request +shipped$"]),
    "socket": ("0", [r"^slow socket .* python3 ", r"^  protocol +(tcp|unix)$"]),  # sockets.py has the rest
    "softirq": (
        "0",
        [r"^slow softirq ", r"^  vec +(timer|sched|rcu|net_rx|block|tasklet|hi|hrtimer|net_tx|irq_poll)$"],
    ),
    "syscall": ("20ms", [r"^slow syscall .* python3 ", r"^  syscall +futex$"]),
    "throttle": ("0", None),  # truth.py has one
    "wakeup": ("0", [r"^slow wakeup .* python3 ", r"^  state +woken$", r"^  prev_tid +\d+$"]),
    "workqueue": ("0", None),
}

os.chdir(live.WORK)
with open("load.py", "w", encoding="utf-8") as f:
    f.write(LOAD)
have = {
    name[:-2]
    for name in os.listdir(FOLDER)
    if name.endswith(".d")
    and not name.startswith(
        (
            "why",
            "stuck",
            "overview",
            "top",
            "usdt",
            "flight",
            "moves",
            "gc",
            "jit",
            "loop",
            "monitor",
            "park",
            "classinit",
            "safepoint",
        )
    )
}


def under_load(name, text):
    """What a program prints about the load."""
    with tempfile.TemporaryDirectory(dir=live.WORK) as work:
        with open(name, "w", encoding="utf-8") as f:
            f.write(text)
        return live.dwell("-s", name, "-c", f"python3 {live.WORK}/load.py {work}", timeout=120)


# Most of a run is waiting: three at a time, each with a load of its own.
pool = concurrent.futures.ThreadPoolExecutor(3)
for name in sorted(have):
    with open(os.path.join(FOLDER, name + ".d"), encoding="utf-8") as f:
        text = f.read()
    if not live.check(name in WANT, name + " has a test"):
        continue
    threshold, patterns = WANT[name]
    # Compilers have a hundred thousand of these in a second; threads of other programs are many: the load's are enough.
    mine = re.sub(r"(latency:(fault|fs|fsync|socket|syscall)::slow\n/)", r"\1progenyof($target) && ", text)
    low = re.sub(r"limit = \d+", "limit = 100000", re.sub(r"threshold = \w+", "threshold = " + threshold, mine))
    as_it_is = pool.submit(live.dwell, "-s", os.path.join(FOLDER, name + ".d"), "-n", "tick-300ms { exit(0); }")
    low = pool.submit(under_load, "low.d", low)
    # All ordinary events as a control sample: with the same attributes.
    control = pool.submit(under_load, "control.d", re.sub(r"threshold = \w+;", "threshold = 1h; control = 1;", mine))
    r = as_it_is.result()
    live.check(r.returncode == 0 and not re.search("error|fail", r.stderr), name + " runs as it is", r.stderr)
    r = low.result()
    live.check(r.returncode == 0 and "error" not in r.stderr, name + " under load", r.stderr)
    slow = attributes(r.stdout)
    for p in patterns or ():
        live.check(re.search(p, r.stdout, re.M), f"{name}: {p}", r.stdout[-3000:])
    r = control.result()
    live.check(r.returncode == 0 and "error" not in r.stderr, name + " with a control sample", r.stderr)
    control = attributes(r.stdout)
    live.check(not patterns or set(control) & set(slow), f"{name}: both have events", (sorted(slow), sorted(control)))
    for tracker in set(slow) & set(control):
        live.same(control[tracker], slow[tracker], f"{name}: {tracker}: a control sample has the same attributes")
    # A predicate that lets no control sample through may only be noticed where the load has such events: so none.
    live.check(
        not re.search(r"!args\[0\]->how|args\[0\]->how == 0", text),
        name + ": control samples pass its predicates",
        text,
    )
    live.check(
        not re.search(r"^slow (?!.*\(control\))", r.stdout, re.M), name + ": nothing else is shown", r.stdout[-2000:]
    )
    for p in patterns or ():
        live.check(re.search(p, r.stdout, re.M), f"{name}, control sample: {p}", r.stdout[-3000:])
live.done()
