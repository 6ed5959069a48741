# SPDX-License-Identifier: Apache-2.0
# @alone: it looks at what is slow on the whole machine
# @timeout: 150
"""Workers of a pool that wait for work on a condition are no lock waits, in any view; threads that want a mutex of the same program are."""
import json
import os
import re

import live

TRUTH = os.path.join(os.path.dirname(live.TRIGGER), "truth")
COMMAND = ["-c", TRUTH + " pool 250"]
ENV = {**os.environ, "TRUTHS": os.path.join(live.WORK, "truths")}
CONDITION, LOCK = "a condition (no work?)", "futex (lock or condition)"


def slow(*args):
    r = live.dwell("latency", *args, "--json", *COMMAND, timeout=60, env=ENV)
    objects = [json.loads(l) for l in r.stdout.splitlines()]
    return [o for o in objects if o["type"] == "latency-slow"], sum(o["idle"] for o in objects if o["type"] == "latency-summary"), r


for tracker in ("offcpu", "futex"):
    events, idle, r = slow(tracker, "--over", "100ms", "--idle")
    workers, wants = ([o for o in events if (o["comm"] == "worker") == w] for w in (True, False))
    found = [o for o in workers if o["cause"] == CONDITION]
    live.check(len(found) >= 8 and len(found) == len(workers), f"{tracker}: workers wait for a condition", (len(found), [o["cause"] for o in workers], r.stderr))
    live.check(all(o["class"] == "idle" and o["inferred"] and "(inferred)" in o["sentence"] for o in found), f"{tracker}: which is idle, and inferred", found[:1])
    mutex = [o for o in wants if o["cause"] == LOCK]
    live.check(len(mutex) >= 4 and all(o["class"] == "lock" for o in mutex), f"{tracker}: the others for a lock", [(o["comm"], o["cause"]) for o in wants])
    events, idle, r = slow(tracker, "--over", "100ms")
    live.check(not any(o["cause"] == CONDITION for o in events) and any(o["cause"] == LOCK for o in events) and idle >= 8, f"{tracker}: --idle shows them", (idle, [o["cause"] for o in events]))

r = live.dwell("latency", "why", "--idle", *COMMAND, timeout=60, env=ENV)
live.check(re.search(r"a condition \(no work\?\) .* s ", r.stdout) and LOCK in r.stdout, "why: both have their rows", r.stdout)
r = live.dwell("latency", "why", *COMMAND, timeout=60, env=ENV)
live.check(CONDITION not in r.stdout and "--idle" in r.stdout and LOCK in r.stdout, "why: one is not shown", r.stdout)
live.done()
