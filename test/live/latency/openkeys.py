# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""Keys against what who opens and closes them measures: 100,000 open at once, many openings of one key, ends that are lost. A delay lies
between the bounds that the clock gives before and behind both calls; how it ended and the counts are right, and nothing is lost."""
import os
import re
import sys

import live

INJECTOR = """
import ctypes, sys, time
lseek, now = ctypes.CDLL(None).lseek, time.monotonic_ns
lseek.argtypes = [ctypes.c_int, ctypes.c_long, ctypes.c_int]
seen = []
def mark(what, key):
    before = now()
    lseek(-1, key, what)
    seen.append((what, key, before, now()))
%s
with open(sys.argv[1], "w") as f:
    for row in seen:
        f.write("%%d %%d %%d %%d\\n" %% row)
"""
PROGRAM = """tracker t (int64_t) { threshold = 1h; %s }
syscall::lseek:entry /pid == $target && (int)arg0 == -1 && arg2 == 0/ { begin(t, arg1); }
syscall::lseek:entry /pid == $target && (int)arg0 == -1 && arg2 == 1/ { end(t, arg1); }
latency:t::all { printf("%%d %%d %%d\\n", arg1, args[0]->delay, args[0]->how); }
"""


def run(settings, script):
    """What dwell said of each event (key, delay, how), what the injector saw (open?, key, before, behind), and messages."""
    for name, text in (("inject.py", INJECTOR % script), ("keys.d", PROGRAM % settings)):
        with open(os.path.join(live.WORK, name), "w", encoding="utf-8") as f:
            f.write(text)
    r = live.dwell(
        "-q",
        "-x",
        "bufsize=16m",
        "-x",
        "droptags",
        "-s",
        live.WORK + "/keys.d",
        "-c",
        f"{sys.executable} {live.WORK}/inject.py {live.WORK}/seen",
        timeout=100,
    )
    with open(live.WORK + "/seen", encoding="utf-8") as f:
        seen = [tuple(map(int, l.split())) for l in f]
    return [tuple(map(int, l.split())) for l in r.stdout.splitlines() if l], seen, r.stderr


def pairs(seen):
    """Key, and the least and the most that lay between opening and closing it; the last opening is closed first."""
    opened, found = {}, []
    for what, key, before, behind in seen:
        if what == 0:
            opened.setdefault(key, []).append((before, behind))
        elif opened.get(key):
            ob, oa = opened[key].pop()
            found.append((key, before - oa, behind - ob))
    return found, sum(map(len, opened.values()))


def compare(name, events, seen, stderr):
    want, left = pairs(seen)
    got = [e for e in events if e[2] == 0]
    live.same(len(got), len(want), f"{name}: as many as were closed")
    live.same([e[0] for e in got], [w[0] for w in want], f"{name}: in their order")
    wrong = [(e, w) for e, w in zip(got, want) if not w[1] <= e[1] <= w[2]]
    live.check(not wrong, f"{name}: each delay", wrong[:5])
    live.check(not re.search("not tracked|drop|lost", stderr), f"{name}: nothing is lost", stderr)
    return left


N = 100000
events, seen, stderr = run("size = 131072;", f"for k in range({N}): mark(0, k)\nfor k in range({N}): mark(1, k)")
live.same(compare("100,000 open keys", events, seen, stderr), 0, "100,000 open keys: all are closed")

events, seen, stderr = run(
    "nested = 64;",
    """for n in (1, 5, 64):
    for key in (7, 8):
        for i in range(n):
            mark(0, key)
            time.sleep(0.0005)
    for i in range(n):
        mark(1, 8)
        mark(1, 7)
""",
)
live.same(
    compare("up to 64 openings of one key", events, seen, stderr), 0, "up to 64 openings of one key: all are closed"
)

# every third end is lost
GC = 300e6
events, seen, stderr = run(
    "gc = 300ms;",
    """for k in range(3000):
    mark(0, k)
for k in range(3000):
    if k % 3:
        mark(1, k)
time.sleep(1.5)
for k in range(0, 3000, 3):
    mark(1, k)
""",
)
kept = [row for row in seen if row[1] % 3]
left = [row for row in seen if row[1] % 3 == 0 and row[0] == 0]
compare("lost ends: the others", [e for e in events if e[2] == 0], kept, re.sub(r"[^\n]*collected[^\n]*", "", stderr))
collected = [e for e in events if e[2] == 3]
live.same(sorted(e[0] for e in collected), [row[1] for row in left], "lost ends: each is collected, once")
live.check(all(e[1] >= GC for e in collected), "lost ends: not before their time", collected[:5])
live.check(
    sorted(e[1] for e in collected)[len(collected) // 2] < GC + 500e6,
    "lost ends: and soon then",
    sorted(e[1] for e in collected)[-5:],
)
live.same(
    sum(map(int, re.findall(r"\[DROP_TRACK_LOST\] tracker t: (\d+) events? collected", stderr))),
    len(left),
    "lost ends: counted",
)
live.done()
