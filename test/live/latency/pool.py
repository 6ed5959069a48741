# SPDX-License-Identifier: Apache-2.0
# @alone: it looks at what is slow on the whole machine
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
    return [o for o in objects if o["type"] == "latency-slow"], sum(o["idle"] for o in objects if o["type"] == "latency-summary"), r


for tracker in ("offcpu", "futex"):
    events, idle, r = slow(BUSY, tracker, "--over", "100ms")
    workers, mutex = ([o for o in events if o["comm"] == name] for name in ("worker", "waiter"))
    live.check(len(workers) >= 8 and all(o["cause"] == CONDITION and o["class"] == "ipc" and o["inferred"] and "(inferred)" in o["sentence"] for o in workers),
               f"{tracker}: workers wait for a condition, very likely", (len(workers), [o["cause"] for o in workers], r.stderr))
    live.check(len(mutex) >= 4 and all(o["cause"] == LOCK and o["class"] == "lock" for o in mutex), f"{tracker}: the others for a lock",
               [(o["comm"], o["cause"]) for o in mutex])
    live.check(not any("(inferred) (inferred)" in o["sentence"] for o in events), f"{tracker}: which is said once", events)

events, idle, r = slow(BUSY, "offcpu", "--over", "100ms")
behind = [o for o in events if o["comm"] == "worker" and any(l["comm"] == "holder" for l in o["chain"])]
live.check(len(behind) >= 4, "who has the lock for which the giver of work waits is told", [o["sentence"] for o in events])

events, idle, r = slow(IDLE, "offcpu", "--over", "100ms")
live.check(not any(o["comm"] == "worker" for o in events) and idle >= 8, "workers of who sleeps have nothing to do", (idle, [o["sentence"] for o in events]))
events, idle, r = slow(IDLE, "offcpu", "--over", "100ms", "--idle")
workers = [o for o in events if o["comm"] == "worker"]
live.check(len(workers) >= 8 and all(o["cause"] == CONDITION for o in workers), "--idle shows them", r.stdout + r.stderr)

r = live.dwell("latency", "why", *BUSY, timeout=60, env=ENV)
live.check(CONDITION in r.stdout and LOCK in r.stdout, "why: both have their rows", r.stdout)
live.done()
