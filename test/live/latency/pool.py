# SPDX-License-Identifier: Apache-2.0
# @timeout: 150
"""Workers of a pool that wait for work on a condition are no lock waits, in any view; threads that want a mutex of the same program are.
They have nothing to do if who gives them work slept until then; if that one waited for a lock, so did they."""
import json
import os

import live

TRUTH = os.path.join(os.path.dirname(live.TRIGGER), "truth")
ENV = {**os.environ, "TRUTHS": os.path.join(live.WORK, "truths")}
IDLE, BUSY = (["-c", f"{TRUTH} pool 250 {mutex}"] for mutex in (0, 1))
CONDITION, LOCK = "a condition or semaphore", "futex (lock or condition)"


def slow(command, *args):
    r = live.dwell("latency", *args, "--json", *command, timeout=60, env=ENV)
    objects = [json.loads(l) for l in r.stdout.splitlines()]
    return (
        [o for o in objects if o["type"] == "latency-slow"],
        sum(o["idle"] for o in objects if o["type"] == "latency-summary"),
        r,
    )


for tracker in ("offcpu", "futex"):
    events, idle, r = slow(BUSY, tracker, "--over", "100ms")
    workers, mutex = ([o for o in events if o["comm"] == name] for name in ("worker", "waiter"))
    live.check(
        len(workers) >= 8
        and all(
            o["cause"] == CONDITION and o["class"] == "ipc" and o["inferred"] and "(inferred)" in o["sentence"]
            for o in workers
        ),
        f"{tracker}: workers wait for a condition, very likely",
        (len(workers), [o["cause"] for o in workers], r.stderr),
    )
    live.check(
        len(mutex) >= 4 and all(o["cause"] == LOCK and o["class"] == "lock" for o in mutex),
        f"{tracker}: the others for a lock",
        [(o["comm"], o["cause"]) for o in mutex],
    )
    live.check(
        not any("(inferred) (inferred)" in o["sentence"] for o in events), f"{tracker}: which is said once", events
    )

events, idle, r = slow(BUSY, "offcpu", "--over", "100ms")
behind = [o for o in events if o["comm"] == "worker" and any(l["comm"] == "holder" for l in o["chain"])]
live.check(
    len(behind) >= 4, "who has the lock for which the giver of work waits is told", [o["sentence"] for o in events]
)

events, idle, r = slow(IDLE, "offcpu", "--over", "100ms")
live.check(
    not any(o["comm"] == "worker" for o in events) and idle >= 8,
    "workers of who sleeps have nothing to do",
    (idle, [o["sentence"] for o in events]),
)
events, idle, r = slow(IDLE, "offcpu", "--over", "100ms", "--idle")
workers = [o for o in events if o["comm"] == "worker"]
live.check(
    len(workers) >= 8 and all(o["cause"] == CONDITION for o in workers), "--idle shows them", r.stdout + r.stderr
)

r = live.dwell("latency", "why", *BUSY, timeout=60, env=ENV)
live.check(LOCK in r.stdout and "not shown" in r.stdout, "why: the lock has its row", r.stdout)
r = live.dwell("latency", "why", "--idle", "--by", "thread", "--json", "--over", "50ms", *BUSY, timeout=60, env=ENV)
rows = [c for l in r.stdout.splitlines() for c in json.loads(l)["causes"]]
if live.dwell("-qn", "BEGIN { trace(sched_has_exit); exit(0); }").stdout.strip() == "1":
    live.check(
        {(c["cause"], c["class"]) for c in rows if c["comm"] == "worker"} == {("work (a thread of a pool)", "idle")},
        "why: workers wait for work, which is idle",
        rows,
    )
    live.check(
        {c["class"] for c in rows if c["comm"] == "waiter"} == {"lock"}, "why: who wants the mutex does not", rows
    )
    for idle in (), ("--idle",):
        r = live.dwell("flame", "--off-cpu", "--svg", *idle, *BUSY, timeout=60, env=ENV)
        live.check(
            (">worker<" in r.stdout) == bool(idle) and ">waiter<" in r.stdout and "mutex_lock" in r.stdout,
            f"flame --off-cpu {idle}: workers are idle, who wants the mutex waits",
            r.stderr + r.stdout[:4000],
        )
        live.check(
            ("idle waits left out" in r.stdout) != bool(idle),
            f"flame --off-cpu {idle}: what is left out is told",
            r.stdout[:2000],
        )
    r = live.dwell("timeline", "--text", *BUSY, timeout=60, env=ENV)
    parts = {}
    for l in r.stdout.splitlines():
        w = l.split()
        if w and w[0] in ("worker", "waiter"):
            parts.setdefault(w[0], []).append((float(w[4]), float(w[5])))
    live.check(
        len(parts.get("worker", ())) == 4 and all(idle > wait for wait, idle in parts["worker"]),
        "timeline: workers are idle",
        r.stdout,
    )
    live.check(
        parts.get("waiter") and all(wait > idle for wait, idle in parts["waiter"]),
        "timeline: who wants the mutex waits",
        r.stdout,
    )
live.done()
