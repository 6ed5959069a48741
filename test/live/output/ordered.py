# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""Lines come in the order in which events end, across CPUs, and soon: within DELAY of their end (a thirtieth of a second
says dwell-latency(1), and the time until dwell gets a CPU). The load makes the same short waits on all CPUs."""
import json
import os
import re
import subprocess
import sys
import threading
import time

import live

DELAY = 1.5  # seconds; dwell waits for a CPU like all others
ROUND = 2e-6  # two times in microseconds are added
LOAD = os.path.join(live.WORK, "load.py")
with open(LOAD, "w", encoding="utf-8") as f:
    f.write(
        """import os, time
cpus = sorted(os.sched_getaffinity(0))
for i in range(4):
    if os.fork() == 0:
        os.sched_setaffinity(0, {cpus[i % len(cpus)]})
        for k in range(150):
            time.sleep(0.001 + i / 3000)
        os._exit(0)
for i in range(4):
    os.wait()
"""
    )


def steps_back(ends, by=0):
    return sum(a > b + by for a, b in zip(ends, ends[1:]))


def latency():
    """Each event with the time at which its line came."""
    args = ["latency", "offcpu", "syscall", "--over", "500us", "--idle", "--rate", "10000/s", "--json"]
    p = subprocess.Popen(
        [live.DWELL, *args, "--", sys.executable, LOAD],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    messages = []
    reader = threading.Thread(target=lambda: messages.append(p.stderr.read()))
    reader.start()
    lines = [(time.clock_gettime(time.CLOCK_MONOTONIC), json.loads(line)) for line in p.stdout]
    p.wait()
    reader.join()
    return [(t, o) for t, o in lines if o["type"] == "latency-slow" and o["how"] == "normal"], messages[0]


came, said = latency()
ends = [o["start"] + o["delay_ns"] for _, o in came]
live.check(len(ends) > 300 and len({o["tid"] for _, o in came}) >= 4, "latency: events of all", len(ends))
late = re.search(r"(\d+) .*are shown later", said)
live.check(steps_back(ends) <= (int(late[1]) if late else 0), "latency: in the order in which they end", (steps_back(ends), said))
worst = max(t - end / 1e9 for (t, _), end in zip(came, ends))
live.check(0 < worst < DELAY, f"latency: at most {DELAY} s after their end", worst)

out = os.path.join(live.WORK, "calls")
r = live.dwell("strace", "-f", "-ttt", "-T", "-e", "clock_nanosleep", "-o", out, "--", sys.executable, LOAD, timeout=60)
with open(out, encoding="utf-8") as f:
    calls = re.findall(r"^(\d+) +(\d+\.\d+) clock_nanosleep\(.* <(\d+\.\d+)>$", f.read(), re.M)
ends = [float(begun) + float(took) for _, begun, took in calls]
live.check(len(ends) == 600 and len({c[0] for c in calls}) == 4, "strace -f: all calls of four processes", len(ends))
live.same(steps_back(ends, ROUND), 0, "strace -f: in the order in which they end")
live.done()
