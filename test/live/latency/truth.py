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
import sys

import live

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "../../../dlib/latency")
TRUTH = os.path.join(os.path.dirname(live.TRIGGER), "truth")


def run(tracker, threshold, *args, can=None):
    """Truths and slow events of one injector under one shipped tracker; none, where it may end with `can` because this machine cannot do it."""
    with open(os.path.join(FOLDER, tracker + ".d"), encoding="utf-8") as f:
        text = re.sub(r"threshold = \w+", "threshold = " + threshold, re.sub(r"limit = \d+", "limit = 1000000", f.read()))
    with open("tracker.d", "w", encoding="utf-8") as f:
        f.write(text)
    if can and subprocess.run([TRUTH, *map(str, args)], stdout=subprocess.DEVNULL).returncode == can:
        return [], []
    with contextlib.suppress(OSError):
        os.unlink("truths")
    r = live.dwell("--json", "-s", "tracker.d", "-c", " ".join((TRUTH, *map(str, args))), timeout=60,
                   env={**os.environ, "TRUTHS": os.path.abspath("truths")})
    slow, drops = [], []
    with open("truths", encoding="ascii") as f:
        truths = [{k: int(v) for k, v in (w.split("=") for w in line.split()[1:])} for line in f]
    for o in map(json.loads, r.stdout.splitlines()):
        drops += [o] if o["type"] == "drop" else []
        slow += [a for a in o.get("output", ()) if o["type"] == "event" and a["action"] == "slow"]
    live.check(r.returncode == 0 and truths, f"{tracker}: {args[0]}", r.stdout[-800:] + r.stderr)
    # Locks are fought for inside of programs, too, and what the kernel skips then is counted.
    drops = [d for d in drops if tracker != "lock" or d["tag"] != "DTRACEDROP_RECURSION"]
    # A thread of others that the kernel lets go on without a switch, and which ends: no wait.
    drops = [d for d in drops if d["tag"] != "DROP_TRACK_EXITED"]
    live.same(drops, [], f"{tracker}: {args[0]}: nothing lost")
    return truths, slow


def fits(t, s):
    return abs(t["ns"] - s["delay"]) <= max(0.05 * t["ns"], 50000)


def judge(what, truths, slow, who=lambda t, s: s["opener"]["tid"] == t["tid"], right=lambda t, s: True, most=None, wrongs=0):
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
    live.check(len(missing) <= len(truths) // 5, f"{what}: waits are events ({len(missing)} of {len(truths)} missing)",
               f"{missing}\n{slow}")
    need = len(truths) // 2 + 1 if most is None else most
    live.check(exact >= need, f"{what}: delay within 5 % or 50 us ({exact} of {len(truths)})", f"{truths}\n{slow}")
    live.check(len(wrong) <= wrongs, f"{what}: what is known of it", wrong[:3])


def cause(pattern):
    return lambda t, s: re.search(pattern, str(s["attributes"].get("cause", "")))


def held_by(t, s):
    return s["attributes"]["holder_tid"] == t["holder"] and s["attributes"]["holder_comm"] == "holder"


os.chdir(live.WORK)
judge("nanosleep", *run("offcpu", "60ms", "sleep", 80, 5), right=cause("sleep"))
judge("SIGSTOP", *run("offcpu", "60ms", "stop", 120, 5), right=lambda t, s: cause("SIGCONT")(t, s) and
      (s["attributes"]["stopper_tid"], s["attributes"]["stopper_comm"], s["attributes"]["signal"]) == (t["by"], "truth", "SIGSTOP"))
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
r = live.dwell("latency", "offcpu", "--over", "200ms", "--idle", "--json", "--", "python3", "-c", STOPPED_BRIEFLY, timeout=30)
sleeps = [o for o in map(json.loads, r.stdout.splitlines()) if o["type"] == "latency-slow" and o["delay_ns"] > 350000000]
live.check(len(sleeps) == 1 and "by_tid" not in sleeps[0], "a brief stop is not held against the sleep after it", sleeps or r.stderr)
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
for tracker in ("offcpu", "futex"):
    r = live.dwell("latency", tracker, "--over", "200ms", "--idle", "--json", "--", "python3", "-c", TIMED_OUT, timeout=30)
    waits = [o for o in map(json.loads, r.stdout.splitlines()) if o["type"] == "latency-slow" and 280000000 < o["delay_ns"] < 1e9 and "futex" in o["cause"]]
    live.check(len(waits) >= 4 and not [o for o in waits if "by_tid" in o], f"{tracker}: nobody ended a wait whose time was up", waits or r.stderr)
judge("mutex of a program", *run("offcpu", "60ms", "futex", 100, 3), right=cause("futex"))
truths, slow = run("futex", "60ms", "futex", 100, 1)
judge("futex", truths, slow, right=lambda t, s: s["attributes"]["waker_tid"] == t["holder"])

for how in ("flock", "fcntl"):
    truths, slow = run("filelock", "30ms", "filelock", live.WORK + "/locked", how, 100)
    judge("file lock, " + how, truths, slow, right=lambda t, s: held_by(t, s) and how in s["attributes"]["lock_kind"] and
          s["attributes"]["file"] == live.seen(live.WORK + "/locked") and not s["attributes"]["given_up"])
truths, slow = run("mmaplock", "2ms", "maps", 50000, 3)
# How long fork() has it depends on the machine; between asking for the lock and the clock the thread may lose its CPU.
judge("mmap_lock", truths, slow, most=1, right=lambda t, s: s["attributes"]["holder_tid"] == t["holder"] and
      s["attributes"]["lock_kind"] == "mmap_lock (write)")

with live.SlowFile(64) as slowfile:
    slowfile.delay(150)
    for page, (kind, lock) in enumerate((("mutex", "mutex"), ("rwsem", "rwsem write"))):
        truths, slow = run("lock", "30ms", kind, slowfile.path, 10 * page, 1)
        truths_too, sleeps = run("offcpu", "30ms", kind, slowfile.path, 10 * page + 5, 1)
        judge(f"{kind} of the kernel, as a sleep", truths_too, sleeps, right=cause("lock"))
        judge(f"{kind} of the kernel", truths, slow, right=lambda t, s: held_by(t, s) and s["attributes"]["lock_kind"] == lock)
        # A convoy: who holds it when the wait begins is the first one for all.
        truths, slow = run("lock", "30ms", kind, slowfile.path, 10 * page + 8, 4)
        live.same(len(truths), 4, f"{kind} of the kernel: four wait")
        judge(f"{kind} of the kernel, convoy", truths, slow, right=lambda t, s: held_by(t, s) and s["attributes"]["lock_kind"] == lock)
    slowfile.delay(60)
    judge("page faults of a file", *run("offcpu", "30ms", "fault", slowfile.path, 100, 5),
          right=cause("page fault"))
    truths, slow = run("fault", "30ms", "fault", slowfile.path, 200, 5)
    judge("major page faults", truths, slow, right=lambda t, s: s["attributes"]["fault"] == "major" and
          s["attributes"]["mode"] == "user" and s["attributes"]["file"] == live.seen(slowfile.path) and
          s["attributes"]["offset"] == t["offset"])
    live.same(len([s for s in slow if s["opener"]["tid"] == truths[0]["tid"]]), 5, "page faults: as many as there were")
    slowfile.delay(0, 10, 80)
    truths, slow = run("fsync", "30ms", "fsync", slowfile.path, 5)
    judge("fsync", truths, slow, right=lambda t, s: s["attributes"]["syscall"] == "fsync" and
          s["attributes"]["file"].endswith("/data"))
    live.same(len([s for s in slow if s["opener"]["tid"] == truths[0]["tid"]]), 5, "fsync: as many as there were")

    truths, slow = run("fs", "30ms", "fsync", slowfile.path, 5)
    judge("operations on files", [t for t in truths], [s for s in slow if s["attributes"]["syscall"] == "fsync"],
          right=lambda t, s: s["attributes"]["fs"] == "fuse" and s["attributes"]["file"].endswith("/data") and s["attributes"]["ret"] == 0)

    # A block device: what the loop driver reads is slow.
    loop = subprocess.run(["losetup", "--show", "-f", slowfile.path], capture_output=True, text=True)
    if loop.returncode == 0:
        device = loop.stdout.strip()
        try:
            slowfile.delay(60)
            truths, slow = run("block", "30ms", "read", device, 5)
            judge("block device", truths, slow, who=lambda t, s: s["attributes"]["dev"] == os.path.basename(device),
                  right=lambda t, s: s["attributes"]["op"] == "read" and s["attributes"]["sector"] == t["sector"])
        finally:
            slowfile.delay()
            subprocess.run(["losetup", "-d", device])
    else:
        print("# no loop device: " + loop.stderr)

cpu = max(os.sched_getaffinity(0))
# Another thread may run for a moment between the two.
judge("a real-time thread has the CPU", *run("wakeup", "30ms", "fifo", 100, cpu, 5), wrongs=4,
      right=lambda t, s: s["attributes"]["prev_tid"] == t["holder"] and s["attributes"]["state"] == "woken")

# Packets that take long to receive, on the CPU of a thread that computes, or of one that wants to go on.
truths, slow = run("softirq", "200us", "softirq", cpu, 5, can=77)
if truths:
    for t in truths:
        inside = [s for s in slow if s["opener"]["tid"] == t["tid"] and t["start"] <= s["start"] and s["start"] + s["delay"] <= t["start"] + t["ns"]]
        if inside: # a gap may be several
            slow.append({**inside[0], "delay": sum(s["delay"] for s in inside), "start": t["start"] + t["ns"] - sum(s["delay"] for s in inside)})
    judge("softirq flood", truths, slow, right=lambda t, s: s["attributes"]["vec"] == "net_rx")
    truths, slow = run("wakeup", "500us", "softirq", cpu, 5, "waking")
    judge("softirq flood, a wake-up", truths, slow, wrongs=2, right=lambda t, s: s["attributes"]["softirq"] == "net_rx" and
          0.5 * t["ns"] < s["attributes"]["softirq_ns"] <= s["delay"])
else:
    print("# no network of one's own here, or one CPU")


@contextlib.contextmanager
def cpu_quota(quota_us, period_us):
    """A cgroup of version 1 or 2 with this quota, that the next programs are in; None: not possible here."""
    base, old = "/sys/fs/cgroup/cpu", None
    if os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
        base = "/sys/fs/cgroup"
    path = base + f"/dwell-test-{os.getpid()}"
    try:
        os.mkdir(path)
        if os.path.exists(path + "/cpu.cfs_quota_us"):
            files = {"cpu.cfs_period_us": period_us, "cpu.cfs_quota_us": quota_us}
        else:
            files = {"cpu.max": f"{quota_us} {period_us}"}
        for name, value in files.items():
            with open(f"{path}/{name}", "w") as f:
                f.write(str(value))
        yield path
    except OSError as e:
        print(f"# no CPU quota here: {e}")
        yield None
    finally:
        with contextlib.suppress(OSError):
            os.rmdir(path)


def throttled(path):
    """How often threads of a cgroup were throttled, and how long, in ns."""
    with open(path + "/cpu.stat") as f:
        stat = dict(line.split() for line in f)
    return int(stat["nr_throttled"]), int(stat.get("throttled_time", 0)) or 1000 * int(stat.get("throttled_usec", 0))


with cpu_quota(20000, 100000) as group:
    if group:
        with open("gaps.sh", "w") as f:
            f.write(f"#!/bin/sh\necho $$ > {group}/cgroup.procs\nexec {TRUTH} gaps 1000\n")
        os.chmod("gaps.sh", 0o755)
        TRUTH = os.path.join(os.getcwd(), "gaps.sh")
        truths, slow = run("wakeup", "0", "quota")
        truths = [t for t in truths if t["ns"] > 40000000]
        live.check(len(truths) >= 4, "CPU quota: it is used up", truths)
        # A gap may be several waits: for the CPU, then for the quota.
        sums = []
        for t in truths:
            inside = [s for s in slow if s["opener"]["tid"] == t["tid"] and s["start"] + s["delay"] > t["start"] and
                      s["start"] < t["start"] + t["ns"]]
            sums.append({"opener": {"tid": t["tid"]}, "start": t["start"], "delay": sum(s["delay"] for s in inside),
                         "attributes": {"states": {s["attributes"]["state"] for s in inside}}})
        judge("CPU quota", truths, sums, right=lambda t, s: "throttled" in s["attributes"]["states"])
        before = throttled(group)
        truths, slow = run("throttle", "0", "quota")
        times, ns = (b - a for a, b in zip(before, throttled(group)))
        own = [s["delay"] for s in slow if s["opener"]["tid"] == truths[0]["tid"]]
        live.check(abs(len(own) - times) <= 2, "CPU quota: as many as the kernel counts", (len(own), times))
        live.check(0.95 * ns - 5e6 <= sum(own) <= sum(t["ns"] for t in truths) + 5e7, "CPU quota: as long as the kernel counts",
                   (own, ns, truths))
        truths = [t for t in truths if t["ns"] > 40000000]
        # What another thread had of the CPU before is not in it: how long it was in all, the kernel says, too.
        judge("CPU quota alone", truths, slow, most=0, right=lambda t, s: s["attributes"] == {
            "limit": os.path.basename(group), "quota_us": 20000, "period_us": 100000})
live.done()
