# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""Collections of reference cycles by CPython: each with its generation, what it freed, and as long as the program says."""
import glob
import os
import re
import live

CYCLES = os.path.join(live.WORK, "cycles.py")
TOLD = os.path.join(live.WORK, "told.txt")
with open(CYCLES, "w", encoding="utf-8") as f:
    f.write(
        f"""told = open({TOLD!r}, "w")
import gc, time
class Node: pass
def make(n):
    for i in range(n):
        a, b = Node(), Node()
        a.other, b.other = b, a
def collect(generation):
    t = time.perf_counter()
    n = gc.collect(generation)
    print(generation, n, (time.perf_counter() - t) * 1e3, file=told, flush=True)
gc.disable()
time.sleep(0.7)
for i in range(6):
    make(20000)
    collect(i % 3)
time.sleep(0.5)
"""
    )


def has_probes(python):
    with open(python, "rb") as f:
        return b"gc__start" in f.read()


pythons = [p for p in sorted(glob.glob("/usr/bin/python3.*[0-9]")) if has_probes(p)]
if not pythons:
    print("# no Python with static probes here")
    raise SystemExit(77)
ms = {"us": 1e-3, "ms": 1, "s": 1e3}
for python in pythons:
    r = live.dwell("latency", "--over", "1us", "--stacks", "--all", "gc", "--", python, CYCLES)
    with open(TOLD, encoding="utf-8") as f:
        told = [(int(g), int(n), float(t)) for g, n, t in map(str.split, f)]
    slow = re.findall(
        r"^slow gc +([\d.]+) (us|ms|s) .*\n  collection +generation (\d)\n  freed +(\d+)\n((?:  .*\n)*)", r.stdout, re.M
    )
    got = [(int(g), int(n), float(t) * ms[u]) for t, u, g, n, stack in slow if "collect at " + CYCLES in stack]
    live.same([x[:2] for x in got], [x[:2] for x in told], f"{python}: each with generation and number")
    live.check(
        len(told) == 6 and all(g[2] <= t[2] * 1.005 for g, t in zip(got, told)),
        f"{python}: none longer than its call",
        (got, told),
    )
r = live.dwell("latency", "gc")
live.check(r.returncode == 2 and "one process" in r.stderr, "without a process it is refused", r.stderr)
live.done()
