# SPDX-License-Identifier: Apache-2.0
"""A wait for a futex that a timer ends is a timer's, in all views: of a condition, of a semaphore. One that somebody ends before is not, nor is
one for a lock that was not to be had in time."""
import json
import os
import re

import live

os.chdir(live.WORK)
WAITS = """
import ctypes, threading, time
c = ctypes.CDLL(None, use_errno=True)
class Spec(ctypes.Structure):
    _fields_ = [("s", ctypes.c_long), ("ns", ctypes.c_long)]
def at(seconds):
    t = time.time() + seconds
    return ctypes.byref(Spec(int(t), int(t % 1 * 1e9)))
def name(n):
    c.prctl(15, n.encode(), 0, 0, 0)
mutex, condition, sem, held = (ctypes.create_string_buffer(64) for _ in range(4))
c.sem_init(sem, 0, 0)
def run(n, f):
    def body():
        name(n)
        f()
    t = threading.Thread(target=body)
    t.start()
    t.join()
def timed_condition():
    c.pthread_mutex_lock(mutex)
    for _ in range(5):
        c.pthread_cond_timedwait(condition, mutex, at(.06))
    c.pthread_mutex_unlock(mutex)
def timed_semaphore():
    for _ in range(5):
        c.sem_timedwait(sem, at(.06))
def post():
    name("t-poster")
    time.sleep(.06)
    c.sem_post(sem)
def posted_semaphore():
    for _ in range(5):
        t = threading.Thread(target=post)
        t.start()
        c.sem_timedwait(sem, at(30))
        t.join()
def timed_lock():
    for _ in range(5):
        c.pthread_mutex_timedlock(held, at(.06))
c.pthread_mutex_lock(held)
run("t-condition", timed_condition)
run("t-semaphore", timed_semaphore)
run("t-posted", posted_semaphore)
run("t-lock", timed_lock)
"""
with open("waits.py", "w", encoding="utf-8") as f:
    f.write(WAITS)
COMMAND = ["-c", "python3 waits.py"]
TIMER, CONDITION = "a timer (futex timeout)", "a condition or semaphore"


def why(*args):
    """Waits of 50 ms and more by thread and cause: how many; and their classes."""
    r = live.dwell(
        "latency", "why", "--by", "thread", "--idle", "--over", "50ms", "--json", *args, *COMMAND, timeout=60
    )
    rows = [c for l in r.stdout.splitlines() for c in json.loads(l)["causes"]]
    counts = {}
    for c in rows:
        counts[c["comm"], c["cause"]] = counts.get((c["comm"], c["cause"]), 0) + c["count"]
    return counts, {c["cause"]: c["class"] for c in rows}, r


whole = live.dwell("-qn", "BEGIN { trace(sched_has_exit); exit(0); }").stdout.strip() == "1"
for how in (), ("--stacks",):
    if how and not whole:
        continue
    counts, classes, r = why(*how)
    for name in "t-condition", "t-semaphore":
        live.check(
            counts.get((name, TIMER), 0) >= 4, f"why {how}: {name}: waits that a timer ended", f"{counts}\n{r.stderr}"
        )
    live.check(
        (classes.get(TIMER), (("t-posted", TIMER) in counts)) == ("time", False),
        f"why {how}: one that is ended before is none",
        counts,
    )
    if whole:
        live.check(counts.get(("t-posted", CONDITION), 0) >= 4, f"why {how}: it is what it was", counts)
        live.check(
            any(name == "t-lock" and "lock" in cause for name, cause in counts) and ("t-lock", TIMER) not in counts,
            f"why {how}: nor is one for a lock",
            counts,
        )

for tracker in "offcpu", "futex":
    r = live.dwell("latency", tracker, "--over", "50ms", "--idle", "--json", *COMMAND, timeout=60)
    slow = [o for o in map(json.loads, r.stdout.splitlines()) if o["type"] == "latency-slow"]
    causes = {(o["comm"], o["cause"], o["class"]) for o in slow}
    live.check(
        {("t-condition", TIMER, "time"), ("t-semaphore", TIMER, "time")} <= causes
        and ("t-posted", TIMER, "time") not in causes,
        f"{tracker}: the same of slow events",
        f"{causes}\n{r.stderr}",
    )
    if tracker == "futex":
        live.check(
            ("t-lock", "futex (lock or condition)", "lock") in causes,
            "futex: a lock that was not to be had in time is one",
            causes,
        )

r = live.dwell("timeline", "--text", *COMMAND, timeout=60)
table = {
    m[1]: [float(x) for x in m[2].split()] for m in re.finditer(r"^ *(t-\w+) \d+ +((?:[\d.]+ +){4})", r.stdout, re.M)
}
live.check(
    all(table.get(n, [0] * 4)[3] > 60 for n in ("t-condition", "t-semaphore")), "timeline: its threads sleep", r.stdout
)
if whole:
    live.check(
        all(table.get(n, [0] * 4)[2] > table.get(n, [0] * 4)[3] for n in ("t-posted", "t-lock")),
        "timeline: the others wait",
        r.stdout,
    )

live.done()
