# SPDX-License-Identifier: Apache-2.0
# @timeout: 90
"""Others measure the same waits in the same run: system calls one by one as strace -T times them; new processes by the clocks of parent and child."""
import json
import os
import re
import shutil
import sys
import time

import live

os.chdir(live.WORK)
CALLS = r"""
import os, select, socket, sys, time
a, b = socket.socketpair()
os.getppid() # what Python does until here is not compared: it takes as long as strace makes it
r, w = os.pipe()
if os.fork() == 0:
    for i in range(6):
        time.sleep(0.021 + 0.004 * i)
        os.write(w, b"x")
    for i in range(6):
        time.sleep(0.03)
        b.send(b"y")
    os._exit(0)
for i in range(6):
    os.read(r, 1)
for i in range(6):
    a.recv(1)
for i in range(6):
    select.select([r], [], [], 0.025)
os.wait()
"""
# A child that may run only when its parent, of the same real-time priority on the same CPU, gives way.
FORKS = r"""
import os, time
cpu = max(os.sched_getaffinity(0))
os.sched_setaffinity(0, {cpu})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
for ms in (20, 40, 60):
    r, w = os.pipe()
    before = time.monotonic_ns()
    pid = os.fork()
    if pid == 0:
        os.write(w, str(time.monotonic_ns()).encode())
        os._exit(0)
    forked = time.monotonic_ns()
    while time.monotonic_ns() < forked + ms * 1000000:
        pass
    gave_way = time.monotonic_ns()
    first = int(os.read(r, 100))
    os.wait()
    print("truth", pid, first - before, gave_way - forked, flush=True)
    time.sleep(0.1)
"""
SLOW = 15e6
TRACED = "read,recvfrom,select,pselect6,clock_nanosleep"


def slow_events(r, tracker):
    return [
        o
        for o in map(json.loads, (l for l in r.stdout.splitlines() if l.startswith("{")))
        if o["type"] == "latency-slow" and o["tracker"] == tracker
    ]


for name, text in (("calls.py", CALLS), ("forks.py", FORKS)):
    with open(name, "w", encoding="utf-8") as f:
        f.write(text)

if shutil.which("strace"):
    r = live.dwell(
        "latency",
        "syscall",
        "--over",
        "2ms",
        "--idle",
        "--json",
        "--",
        "strace",
        "-f",
        "-T",
        "-ttt",
        "-o",
        "traced",
        "-e",
        "trace=getppid," + TRACED,
        sys.executable,
        "calls.py",
        timeout=60,
    )
    with open("traced", encoding="utf-8") as f:
        lines = f.read().partition("getppid()")[2].splitlines()
    # a call that another thread's line interrupts has two lines, of which the second has the time
    theirs, begun = [], {}
    for m in (re.match(r"(\d+) +([\d.]+) (?:<\.\.\. )?(\w+)(\(| resumed>).*?(?:<([\d.]+)>)?$", l) for l in lines):
        if m and m[4] == "(":
            begun[m[1]] = float(m[2]) * 1e9
        if m and m[5] and float(m[5]) * 1e9 >= SLOW:
            theirs.append((int(m[1]), m[3], float(m[5]) * 1e9, begun.get(m[1], 0)))
    wall = time.clock_gettime_ns(time.CLOCK_REALTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    ours = [
        (s["tid"], re.match(r"\w+", s["operation"])[0], s["delay_ns"], s["start"] + wall)
        for s in slow_events(r, "syscall")
        if s["comm"] == "python3"
    ]
    ours = [o for o in ours if o[1] in TRACED.split(",")]
    live.check(r.returncode == 0 and len(theirs) >= 24, "strace times slow calls", (theirs, r.stderr))
    near = [(t, [o for o in ours if o[:2] == t[:2] and abs(o[3] - t[3]) < 10e6]) for t in theirs]
    # a sleep until a certain time is shorter by as long as strace stopped it before it began
    strangers = [t for t, o in near if len(o) != 1]
    live.check(len(strangers) <= len(near) // 10, "each is a slow event, once", strangers)
    apart = [t[2] - o[0][2] for t, o in near if o]
    # strace stops the thread before a call begins and after it has ended: its times have the way to these stops, and dwell's have not
    live.check(all(a > -2000 for a in apart), "no call is longer than strace has it (which tells microseconds)", apart)
    live.check(sorted(apart)[len(apart) // 2] < 2e6, "half of them by less than 2 ms", apart)
    print("# strace -T says more by, ms: " + " ".join(f"{a / 1e6:.3f}" for a in sorted(apart)))
else:
    print("# no strace here")

r = live.dwell("latency", "process", "--over", "5ms", "--idle", "--json", "--", sys.executable, "forks.py", timeout=60)
truths = [list(map(int, l.split()[1:])) for l in r.stdout.splitlines() if l.startswith("truth ")]
live.check(
    r.returncode == 0 and len(truths) == 3,
    "three children wait for their first instruction",
    r.stdout[-800:] + r.stderr,
)
born = {s["pid"]: s for s in slow_events(r, "fork")}
for pid, most, least in truths:
    s = born.get(pid, {"delay_ns": 0, "sentence": "none"})
    live.check(
        least <= s["delay_ns"] <= most,
        f"a new process: between the clocks of parent and child ({least / 1e6:.2f} to {most / 1e6:.2f} ms)",
        s,
    )
    print(f"# {least / 1e6:.3f} ms <= {s['delay_ns'] / 1e6:.3f} ms <= {most / 1e6:.3f} ms")
live.done()
