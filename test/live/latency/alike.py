# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""Slow events that are alike are told by one line for each second, and none is lost: --all shows each, JSON as well."""
import json
import os
import re
import sys

import live

os.chdir(live.WORK)
with open("naps.py", "w", encoding="utf-8") as f:
    f.write("import time\nfor i in range(60): time.sleep(0.011 + i % 3 / 1000)\n")


def events(text):
    """Events by what is said of them: lines of one, and how many lines tell of more."""
    one = re.findall(r"^[\d:.]+ offcpu: \S.* \d+ waited", text, re.M)
    more = [int(n) for n in re.findall(r"^[\d:.]+ offcpu: \S.* waited (\d+) times more,", text, re.M)]
    return len(one), more


r = live.dwell(
    "latency",
    "offcpu",
    "--over",
    "10ms",
    "--idle",
    "--record",
    "naps.dwell",
    "-c",
    sys.executable + " naps.py",
    timeout=30,
)
one, more = events(r.stdout)
live.check(more and one <= 20 and one + sum(more) >= 55, "while it runs", r.stdout)
live.check(
    re.search(r"times more,\s+[\d.]+ ms\s+to\s+[\d.]+\s+ms,\s+in\s+clock_nanosleep\s+for\s+sleep$", r.stdout, re.M),
    "for what, and how long they were",
    r.stdout,
)
shown = live.dwell("latency", "--idle", "--all", "naps.dwell").stdout
grouped = live.dwell("latency", "--idle", "naps.dwell").stdout
lines = [json.loads(l) for l in live.dwell("latency", "--idle", "--json", "naps.dwell").stdout.splitlines()]
all_one, all_more = events(shown)
rec_one, rec_more = events(grouped)
live.check(
    not all_more and all_one == len(lines) == rec_one + sum(rec_more) >= one + sum(more),
    "of the recording: each, grouped, as JSON: as many",
    (all_one, all_more, len(lines), rec_one, rec_more, one, more),
)

# events of several CPUs are told in the order in which they end; the run says at its end if some are not (a clause that took longer than 5 ms)
with open("cpus.py", "w", encoding="utf-8") as f:
    f.write(
        "import os, time\nfor i in range(4):\n    if os.fork() == 0:\n        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[i % len(os.sched_getaffinity(0))]})\n"
        "        for k in range(40): time.sleep(.002 + i / 3000)\n        os._exit(0)\nfor i in range(4): os.wait()\n"
    )
r = live.dwell(
    "latency",
    "offcpu",
    "wakeup",
    "syscall",
    "--over",
    "500us",
    "--idle",
    "--rate",
    "5000/s",
    "--json",
    "-c",
    sys.executable + " cpus.py",
    timeout=30,
)
slow = [o for o in map(json.loads, r.stdout.splitlines()) if o["type"] == "latency-slow" and o["how"] == "normal"]
ends = [o["start"] + o["delay_ns"] for o in slow]
live.check(
    len(ends) >= 100
    and len({o["tid"] for o in slow}) >= 4
    and (ends == sorted(ends) or "are shown later" in r.stdout + r.stderr),
    "in the order in which they end",
    (len(ends), sum(a > b for a, b in zip(ends, ends[1:])), r.stderr),
)
live.check(
    rec_more and all(n > 2 for n in rec_more + more) and rec_one < all_one / 2, "few lines instead of many", grouped
)
live.done()
