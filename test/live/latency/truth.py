# SPDX-License-Identifier: Apache-2.0
# @timeout: 300
"""The shipped trackers against waits that are measured where they happen: delay within 5 % or 50 us, cause, holder or
waker, and the count. Most of several waits must be as exact: the machine is busy, and a measuring program can lose its CPU between
the wait and its clock."""
import contextlib
import json
import os
import re
import subprocess

import live

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "../../../dlib/latency")
TRUTH = os.path.join(os.path.dirname(live.TRIGGER), "truth")


def run(tracker, threshold, *args):
    """Truths and slow events of one injector under one shipped tracker."""
    with open(os.path.join(FOLDER, tracker + ".d"), encoding="utf-8") as f:
        text = re.sub(
            r"threshold = \w+", "threshold = " + threshold, re.sub(r"limit = \d+", "limit = 1000000", f.read())
        )
    with open("tracker.d", "w", encoding="utf-8") as f:
        f.write(text)
    with contextlib.suppress(OSError):
        os.unlink("truths")
    if live.SlowFile.current:
        live.SlowFile.current.forget()
    r = live.dwell(
        "--json",
        "-s",
        "tracker.d",
        "-c",
        " ".join((TRUTH, *map(str, args))),
        timeout=60,
        env={**os.environ, "TRUTHS": os.path.abspath("truths")},
    )
    slow, drops = [], []
    with open("truths", encoding="ascii") as f:
        truths = [{k: int(v) for k, v in (w.split("=") for w in line.split()[1:])} for line in f]
    for o in map(json.loads, r.stdout.splitlines()):
        drops += [o] if o["type"] == "drop" else []
        slow += [a for a in o.get("output", ()) if o["type"] == "event" and a["action"] == "slow"]
    live.check(r.returncode == 0 and truths, f"{tracker}: {args[0]}", r.stdout[-800:] + r.stderr)
    # Locks are fought for inside of programs, and asked for in interrupts, too: what the kernel skips then is counted.
    drops = [d for d in drops if tracker not in ("lock", "mmaplock") or d["tag"] != "DTRACEDROP_RECURSION"]
    # A thread of others that the kernel lets go on without a switch, and which ends: no wait.
    drops = [d for d in drops if d["tag"] != "DROP_TRACK_EXITED"]
    live.same(drops, [], f"{tracker}: {args[0]}: nothing lost")
    return truths, slow


def fits(t, s):
    return abs(t["ns"] - s["delay"]) <= max(0.05 * t["ns"], 50000)


def judged(
    what, truths, slow, who=lambda t, s: s["opener"]["tid"] == t["tid"], right=lambda t, s: True, most=None, wrongs=0
):
    """Each truth has its slow event, most of them as long as it was, all with what is known of it."""
    exact, missing, wrong = 0, [], []
    for t in truths:
        near = [s for s in slow if who(t, s) and abs(s["start"] + s["delay"] - t["start"] - t["ns"]) < 0.5 * t["ns"]]
        if not near:
            missing.append(t)
            continue
        s = min(near, key=lambda s: abs(s["delay"] - t["ns"]))
        exact += fits(t, s)
        if not right(t, s):
            wrong.append((t, s))
    yield (
        len(missing) <= len(truths) // 5,
        f"{what}: waits are events ({len(missing)} of {len(truths)} missing)",
        f"{missing}\n{slow}",
    )
    need = len(truths) // 2 + 1 if most is None else most
    yield exact >= need, f"{what}: delay within 5 % or 50 us ({exact} of {len(truths)})", f"{truths}\n{slow}"
    yield len(wrong) <= wrongs, f"{what}: what is known of it", wrong[:3]


def judge(what, *injector, measure=run, count=None, least=1, exactly=False, **how):
    """The truths and slow events that measure(*injector) gives. count: so many truths there must be, or at least `least`; exactly: and
    so many events of their thread."""

    def attempt():
        truths, slow = measure(*injector)
        yield len(truths) >= least, f"{what}: at least {least} waits", truths
        if count:
            yield len(truths) == count, f"{what}: {count} waits", truths
        if exactly:
            own = [s for s in slow if s["opener"]["tid"] in {t["tid"] for t in truths}]
            yield len(own) == count, f"{what}: as many events as there were", own
        yield from judged(what, truths, slow, **how)

    live.attempts(what, attempt)


def cause(pattern):
    return lambda t, s: re.search(pattern, str(s["attributes"].get("cause", "")))


def held_by(t, s):
    return s["attributes"]["holder_tid"] == t["holder"] and s["attributes"]["holder_comm"] == "holder"


os.chdir(live.WORK)
judge("nanosleep", "offcpu", "60ms", "sleep", 80, 5, right=cause("sleep"))
judge(
    "SIGSTOP",
    "offcpu",
    "60ms",
    "stop",
    120,
    5,
    right=lambda t, s: cause("SIGCONT")(t, s)
    and (s["attributes"]["stopper_tid"], s["attributes"]["stopper_comm"], s["attributes"]["signal"])
    == (t["by"], "truth", "SIGSTOP"),
)
STOPPED_BRIEFLY = """import os, signal, time
if not os.fork():
    time.sleep(.3)
    os.kill(os.getppid(), signal.SIGSTOP)
    time.sleep(.05)
    os.kill(os.getppid(), signal.SIGCONT)
    os._exit(0)
end = time.monotonic() + .6
while time.monotonic() < end:
    pass
time.sleep(.4)
"""


def stopped_briefly():
    r = live.dwell(
        "latency", "offcpu", "--over", "200ms", "--idle", "--json", "--", "python3", "-c", STOPPED_BRIEFLY, timeout=30
    )
    sleeps = [
        o for o in map(json.loads, r.stdout.splitlines()) if o["type"] == "latency-slow" and o["delay_ns"] > 350000000
    ]
    yield len(sleeps) == 1 and "by_tid" not in sleeps[
        0
    ], "a brief stop is not held against the sleep after it", sleeps or r.stderr


live.attempts("a brief stop", stopped_briefly)
TIMED_OUT = """import os, threading, time
cpu = max(os.sched_getaffinity(0))
os.sched_setaffinity(0, {cpu})
if not os.fork():
    end = time.monotonic() + 3
    while time.monotonic() < end:
        pass
    os._exit(0)
for i in range(5):
    threading.Event().wait(.3)
os.wait()
"""


def timed_out(tracker):
    r = live.dwell(
        "latency", tracker, "--over", "200ms", "--idle", "--json", "--", "python3", "-c", TIMED_OUT, timeout=30
    )
    waits = [
        o
        for o in map(json.loads, r.stdout.splitlines())
        if o["type"] == "latency-slow" and 280000000 < o["delay_ns"] < 1e9 and "futex timeout" in o["cause"]
    ]
    yield len(waits) >= 4 and not [
        o for o in waits if "by_tid" in o
    ], f"{tracker}: nobody ended a wait whose time was up", waits or r.stderr


for tracker in ("offcpu", "futex"):
    live.attempts(tracker, lambda: timed_out(tracker))
judge("mutex of a program", "offcpu", "60ms", "futex", 100, 3, right=cause("futex"))
judge("futex", "futex", "60ms", "futex", 100, 1, right=lambda t, s: s["attributes"]["waker_tid"] == t["holder"])

for how in ("flock", "fcntl"):
    judge(
        "file lock, " + how,
        "filelock",
        "30ms",
        "filelock",
        live.WORK + "/locked",
        how,
        100,
        right=lambda t, s: held_by(t, s)
        and how in s["attributes"]["lock_kind"]
        and s["attributes"]["file"] == live.seen(live.WORK + "/locked")
        and not s["attributes"]["given_up"],
    )


# How long fork() has it depends on the machine; between asking for the lock and the clock the thread may lose its CPU.
def write_lock(t, s):
    return s["attributes"]["holder_tid"] == t["holder"] and s["attributes"]["lock_kind"] == "mmap_lock (write)"


judge("mmap_lock", "mmaplock", "2ms", "maps", 50000, 3, most=1, right=write_lock)
# Programs that take user stacks try to take the lock, in the name of the thread that waits for it: samples in interrupts, others where it goes on.
sampler = subprocess.Popen(
    [
        live.DWELL,
        "-qn",
        "profile-997hz { @[ustack()] = count(); } BEGIN { printf(\"ready\\n\"); } tick-60s { exit(0); }",
    ],
    stdout=subprocess.PIPE,
    stderr=subprocess.DEVNULL,
    text=True,
)
sampler.stdout.readline()
judge("mmap_lock, beside samples", "mmaplock", "2ms", "maps", 50000, 3, most=1, right=write_lock)
judge(
    "mmap_lock, to read, beside samples",
    "mmaplock",
    "2ms",
    "maps",
    50000,
    3,
    "read",
    most=1,
    right=lambda t, s: s["attributes"]["holder_tid"] == t["holder"]
    and s["attributes"]["lock_kind"] == "mmap_lock (read)",
)
sampler.kill()
sampler.communicate()

with live.SlowFile(64) as slowfile:
    slowfile.delay(150)
    for kind, lock in (("mutex", "mutex"), ("rwsem", "rwsem write")):

        def known(t, s):
            return held_by(t, s) and s["attributes"]["lock_kind"] == lock

        judge(f"{kind} of the kernel, as a sleep", "offcpu", "30ms", kind, slowfile.path, 0, 1, right=cause("lock"))
        judge(f"{kind} of the kernel", "lock", "30ms", kind, slowfile.path, 5, 1, right=known)
        # A convoy: who holds it when the wait begins is the first one for all.
        judge(f"{kind} of the kernel, convoy", "lock", "30ms", kind, slowfile.path, 8, 4, count=4, right=known)
    slowfile.delay(60)
    judge("page faults of a file", "offcpu", "30ms", "fault", slowfile.path, 100, 5, right=cause("page fault"))
    judge(
        "major page faults",
        "fault",
        "30ms",
        "fault",
        slowfile.path,
        200,
        5,
        count=5,
        exactly=True,
        right=lambda t, s: s["attributes"]["fault"] == "major"
        and s["attributes"]["mode"] == "user"
        and s["attributes"]["file"] == live.seen(slowfile.path)
        and s["attributes"]["offset"] == t["offset"],
    )
    slowfile.delay(0, 10, 80)
    judge(
        "fsync",
        "fsync",
        "30ms",
        "fsync",
        slowfile.path,
        5,
        count=5,
        exactly=True,
        right=lambda t, s: s["attributes"]["syscall"] == "fsync" and s["attributes"]["file"].endswith("/data"),
    )
    judge(
        "operations on files",
        "fs",
        "30ms",
        "fsync",
        slowfile.path,
        5,
        who=lambda t, s: s["opener"]["tid"] == t["tid"] and s["attributes"]["syscall"] == "fsync",
        right=lambda t, s: s["attributes"]["fs"] == "fuse"
        and s["attributes"]["file"].endswith("/data")
        and s["attributes"]["ret"] == 0,
    )

    # A block device: what the loop driver reads is slow.
    loop = subprocess.run(["losetup", "--show", "-f", slowfile.path], capture_output=True, text=True)
    if loop.returncode == 0:
        device = loop.stdout.strip()
        try:
            slowfile.delay(60)
            judge(
                "block device",
                "block",
                "30ms",
                "read",
                device,
                5,
                who=lambda t, s: s["attributes"]["dev"] == os.path.basename(device),
                right=lambda t, s: s["attributes"]["op"] == "read" and s["attributes"]["sector"] == t["sector"],
            )
        finally:
            slowfile.delay()
            subprocess.run(["losetup", "-d", device])
    else:
        print("# no loop device: " + loop.stderr)

cpu = max(os.sched_getaffinity(0))


def run_elsewhere(*injector):
    """dwell wants the CPU as well, and would often get it first. The injector chooses its CPU itself."""
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, every - {cpu} or every)
    try:
        return run(*injector)
    finally:
        os.sched_setaffinity(0, every)


# Another thread may run for a moment between the two.
judge(
    "a real-time thread has the CPU",
    "wakeup",
    "30ms",
    "fifo",
    100,
    cpu,
    5,
    measure=run_elsewhere,
    wrongs=4,
    right=lambda t, s: s["attributes"]["prev_tid"] == t["holder"] and s["attributes"]["state"] == "woken",
)


def run_flooded(*injector):
    """A gap of a thread that computes may be several soft interrupts: their sum is an event, too."""
    truths, slow = run(*injector)
    for t in truths:
        inside = [
            s
            for s in slow
            if s["opener"]["tid"] == t["tid"]
            and t["start"] <= s["start"]
            and s["start"] + s["delay"] <= t["start"] + t["ns"]
        ]
        if inside:
            slow.append(
                {
                    **inside[0],
                    "delay": sum(s["delay"] for s in inside),
                    "start": t["start"] + t["ns"] - sum(s["delay"] for s in inside),
                }
            )
    return truths, slow


# Packets that take long to receive, on the CPU of a thread that computes, or of one that wants to go on.
if subprocess.run([TRUTH, "softirq", str(cpu), "1"], stdout=subprocess.DEVNULL).returncode == 77:
    print("# no network of one's own here, or one CPU")
else:
    judge(
        "softirq flood",
        "softirq",
        "200us",
        "softirq",
        cpu,
        5,
        measure=run_flooded,
        count=5,
        right=lambda t, s: s["attributes"]["vec"] == "net_rx",
    )
    judge(
        "softirq flood, a wake-up",
        "wakeup",
        "500us",
        "softirq",
        cpu,
        5,
        "waking",
        count=5,
        wrongs=2,
        right=lambda t, s: s["attributes"]["softirq"] == "net_rx"
        and 0.5 * t["ns"] < s["attributes"]["softirq_ns"] <= s["delay"],
    )


def throttled(path):
    """How often threads of a cgroup were throttled, and how long, in ns."""
    with open(path + "/cpu.stat") as f:
        stat = dict(line.split() for line in f)
    return int(stat["nr_throttled"]), int(stat.get("throttled_time", 0)) or 1000 * int(stat.get("throttled_usec", 0))


def run_limited(*injector):
    """The long gaps of a thread whose quota is used up; a gap may be several waits: for the CPU, then for the quota."""
    truths, slow = run(*injector)
    truths = [t for t in truths if t["ns"] > 40000000]
    sums = []
    for t in truths:
        inside = [
            s
            for s in slow
            if s["opener"]["tid"] == t["tid"]
            and s["start"] + s["delay"] > t["start"]
            and s["start"] < t["start"] + t["ns"]
        ]
        sums.append(
            {
                "opener": {"tid": t["tid"]},
                "start": t["start"],
                "delay": sum(s["delay"] for s in inside),
                "attributes": {"states": {s["attributes"]["state"] for s in inside}},
            }
        )
    return truths, sums


def as_the_kernel_counts(group):
    before = throttled(group)
    truths, slow = run("throttle", "0", "quota")
    times, ns = (b - a for a, b in zip(before, throttled(group)))
    own = [s["delay"] for s in slow if s["opener"]["tid"] == truths[0]["tid"]]
    yield abs(len(own) - times) <= 2, "CPU quota: as many as the kernel counts", (len(own), times)
    yield (
        0.95 * ns - 5e6 <= sum(own) <= sum(t["ns"] for t in truths) + 5e7,
        "CPU quota: as long as the kernel counts",
        (own, ns, truths),
    )
    # What another thread had of the CPU before is not in it: how long it was in all, the kernel says, too.
    yield from judged(
        "CPU quota alone",
        [t for t in truths if t["ns"] > 40000000],
        slow,
        most=0,
        right=lambda t, s: s["attributes"]
        == {"limit": os.path.basename(group), "quota_us": 20000, "period_us": 100000},
    )


with live.cgroup("cpu", {"cpu.cfs_period_us": 100000, "cpu.cfs_quota_us": 20000}, {"cpu.max": "20000 100000"}) as group:
    if group:
        with open("gaps.sh", "w") as f:
            f.write(f"#!/bin/sh\necho $$ > {group}/cgroup.procs\nexec {TRUTH} gaps 1000\n")
        os.chmod("gaps.sh", 0o755)
        TRUTH = os.path.join(os.getcwd(), "gaps.sh")
        judge(
            "CPU quota",
            "wakeup",
            "0",
            "quota",
            measure=run_limited,
            least=4,
            right=lambda t, s: "throttled" in s["attributes"]["states"],
        )
        live.attempts("CPU quota alone", lambda: as_the_kernel_counts(group))
live.done()
